"""The statement of one line, or one entry, of a witness file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class ParsedWitness(NamedTuple):
    """A parsed statement; `kind` is None for an unrecognized line. `dated`: it has its own time, or none.

    `node_id`: the node that it is about, if it names one. `zone_known`: `micros` is an instant, not the wall time of
    an unknown zone.
    """

    kind: str | None = None
    columns: Mapping[str, Any] = {}
    details: Mapping[str, str | None] | None = None
    dated: bool = False
    micros: int | None = None
    message: str | None = None
    secrets_hidden: int = 0
    node_id: int | None = None
    zone_known: bool = True


def known_details(**details: object) -> dict[str, str | None]:
    """The known fields of a witness statement, as text."""
    return {name: str(value) for name, value in details.items() if value not in (None, "")}
