"""All meanings of lines and exceptions: entries of the packs.

Three things choose the meaning of a line: the template of the catalogue that it fits (`on.ids`, `on.kinds`), a text
in the line or in its exception (`on.text`, `on.exception`), and a table of codes (`replay.knowledge.code_tables`). Of
two entries that fit one line, `before` of one names the other; else the order of the packs decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from replay.faults.kinds import EXPLAIN
from replay.knowledge import closed
from replay.knowledge.known_issues import releases_of
from replay.knowledge.meaning import ANYWHERE, AT_A_VOTER, AT_THE_CONTROLLER, NAMED, SEEN, WEIGHTS, Meaning
from replay.knowledge.pack import (
    WRITERS,
    Entry,
    check_closed,
    check_fields,
    in_precedence,
    own_entries,
    seen_of,
    sort_of,
)

CLIENTS, USERS, HOST = WRITERS
_ON = {
    "kinds": [str],
    "ids": [str],
    "text": str,
    "exception": str,
    "reason": str,
    "remark": str,
    "quiet": bool,
    "login": bool,
    "clients_only": bool,
    "fallback": bool,
}
SHAPE: dict[str, Any] = {
    "on": _ON,
    "refines": [str],
    "before": [str],
    "weight": WEIGHTS,
    **closed.SHAPE,
    "says": str,
    "effect": str,
    "next": str,
    "never": str,
    "follows": [str],
    "explained_by": [EXPLAIN],
    "cause_at": (NAMED, ANYWHERE, AT_THE_CONTROLLER, AT_A_VOTER),
    "alone": bool,
    "is_general": bool,
    "reason_before": bool,
    "source": str,
    "releases": str,
    "seen": SEEN,
    "seen_in": str,
    "example": str,
    "not": [{"line": str, "means": str, "": ("line", "means")}],
}
_REQUIRED = ("says", "weight", "owner", "next")
_AS_THEY_STAND = (
    "effect",
    "never",
    "cause_at",
    "alone",
    "is_general",
    "reason_before",
    "source",
    "releases",
    "seen_in",
)


def check_meaning(entry: Entry) -> None:
    """Raises EntryError for a field that is unknown, missing or wrong."""
    check_fields(entry.fields, SHAPE, _REQUIRED)
    check_closed(entry.fields)
    if "releases" in entry.fields:
        releases_of(entry.fields["releases"])


def meaning_of(entry: Entry) -> Meaning:
    """The meaning that a checked entry describes."""
    fields = entry.fields
    on = fields.get("on", {})
    return Meaning(
        entry.key,
        fields["says"],
        closed.owner_of(fields),
        fields["weight"],
        data=closed.data_of(fields),
        heals=closed.heals_of(fields),
        next=fields["next"],
        kinds=tuple(on.get("kinds", ())),
        ids=tuple(on.get("ids", ())),
        wording=on.get("text", ""),
        exception=on.get("exception", ""),
        reason=on.get("reason", ""),
        remark=on.get("remark", ""),
        is_quiet=on.get("quiet", False),
        of_clients=on.get("clients_only", False),
        of_a_login=on.get("login", False),
        is_fallback=on.get("fallback", False),
        written_by=entry.written_by,
        follows=tuple(fields.get("follows", ())),
        explained_by=tuple(fields.get("explained_by", ())),
        refines=tuple(fields.get("refines", ())),
        example=fields.get("example", ""),
        seen=seen_of(entry),
        not_examples={one["line"]: one["means"] for one in fields.get("not", ())},
        **{name: fields[name] for name in _AS_THEY_STAND if name in fields},
    )


def in_order(entries: Sequence[Entry]) -> Iterator[Meaning]:
    """The meanings; of two that fit one line, the first in this order is meant."""
    meanings = {entry.key: meaning_of(entry) for entry in entries}
    before = {entry.key: entry.fields.get("before", ()) for entry in entries}
    return (meanings[key] for key in in_precedence([*meanings], before))


def meaning(key: str) -> Meaning:
    """The meaning with this key, for a rule that chooses it."""
    return _by_key()[key]


@cache
def _by_key() -> dict[str, Meaning]:
    return {one.key: one for one in MEANINGS}


MEANINGS: tuple[Meaning, ...] = tuple(in_order([entry for entry in own_entries() if sort_of(entry) == "meaning"]))
