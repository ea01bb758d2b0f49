"""Error lines that the report lists at times without a fault, so that it omits no error."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from replay.catalogue import explain
from replay.causes.logged_errors import EXAMPLE_CHARS, LEVELS, REPEATED
from replay.facts.evidence import AT_MOST
from replay.facts.order import nulls_first
from replay.facts.times import greatest, least
from replay.knowledge.choosing import cause_of, wording_of
from replay.reading.printed_line import Line
from replay.tables.causes import LoggedError, Trouble
from replay.tables.reading import UnmatchedWording

_RANK_OF_ERRORS = 2
LEAST_REPEATED = 3  # once is a leader that moves
CLIENTS = re.compile(
    r"org\.apache\.kafka\.clients\.(producer|consumer)\."
)  # users notice the problems that they warn about


def trouble(logged_errors: Sequence[LoggedError], unmatched: Iterable[UnmatchedWording]) -> list[Trouble]:
    """One row per time slot and kind of error line or loss: expired sessions, ISR shrinks, repeated failed fetches; and
    Kafka's errors without a template, which have only a first and a last time.
    """
    return [*logged_errors, *_unknown_errors(unmatched)]


def often_enough(trouble: Sequence[Trouble]) -> list[Trouble]:
    """`trouble` without the rows that a change of leader explains: fetches that failed only once or twice."""
    of_kind: Counter[str] = Counter()
    for one in trouble:
        of_kind[one.kind] += one.count
    return [one for one in trouble if one.kind not in REPEATED or of_kind[one.kind] >= LEAST_REPEATED]


def unrecognized_trouble(trouble: Sequence[Trouble]) -> list[Trouble]:
    """`trouble` without a known meaning; the others get their explanation line by line."""
    return [one for one in trouble if not _is_known(one)]


def _is_known(one: Trouble) -> bool:
    level = "WARN" if one.rank > _RANK_OF_ERRORS else "ERROR"
    line = Line("", 0, None, level, None, one.example or "", one.caused_by or "")
    found = explain(line.message)
    if found is not None:
        line = replace(line, template=found[0].id, kind=found[0].kind)
    return wording_of(line) is not None or cause_of(line) is not None


def _unknown_errors(unmatched: Iterable[UnmatchedWording]) -> list[Trouble]:
    """Error lines, and client warnings, without a template, by logger."""
    of_logger: dict[str, list[UnmatchedWording]] = defaultdict(list)
    for wording in unmatched:
        if (wording.level in LEVELS or _warns_a_client(wording)) and not wording.foreign:
            name = "no logger" if wording.logger is None else wording.logger.rpartition(".")[2]
            of_logger[f"unknown line of {name}"].append(wording)
    return [_unknown(kind, wordings) for kind, wordings in of_logger.items()]


def _warns_a_client(wording: UnmatchedWording) -> bool:
    return wording.level == "WARN" and CLIENTS.match(wording.logger or "") is not None


def _unknown(kind: str, wordings: list[UnmatchedWording]) -> Trouble:
    first = min(wordings, key=lambda wording: (*nulls_first(wording.first_ts), wording.normalized))
    return Trouble(
        kind=kind,
        rank=min(_rank(wording) for wording in wordings),
        ts=least(*[wording.first_ts for wording in wordings]),
        end_ts=greatest(*[wording.last_ts for wording in wordings]),
        count=sum(wording.count for wording in wordings),
        nodes=[],
        example=first.example[:EXAMPLE_CHARS],
        evidence=sorted(line for wording in wordings for line in wording.evidence)[:AT_MOST],
    )


def _rank(wording: UnmatchedWording) -> int:
    if wording.level == "FATAL":
        return 1
    return 3 if _warns_a_client(wording) else 2
