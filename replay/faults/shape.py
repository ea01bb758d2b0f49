"""The shape of a fault, and what several rules ask of events and of other faults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, Protocol, TypeVar

from replay.facts.evidence import earliest
from replay.facts.lines import is_own_line
from replay.facts.times import first_known, greatest, iso_stamp, known, least, millis, plus_millis
from replay.faults.kinds import BY_NAME, ORDERED_STOPS
from replay.sentences.statement import LIST_SEPARATOR, Statement
from replay.tables.faults import Fault, FirstLine
from replay.tables.reading import Event
from replay.tables.row import MaybeNone

STARTING_MS = 5_000  # a process logs its first lines this long before the line that reports the start
AFTERMATH_MS = 15_000  # leaders and followers have reconnected this long after a fault ends
OPEN_MS = 600_000  # how long a fault without a known end explains later lines of its node
BEFORE_MS = 5_000  # how long before its first proof the first effects of a fault may be logged


class Timed(Protocol):
    """A row with a time, and perhaps a last time."""

    @property
    def ts(self) -> datetime | Any: ...


class Lasting(Timed, Protocol):
    """A time of a broker, with an end if known: a fault or a start."""

    @property
    def broker_id(self) -> int | Any: ...

    @property
    def began_low(self) -> datetime | Any: ...

    @property
    def end_ts(self) -> datetime | Any: ...


class Dated(Timed, Protocol):
    """A line, or a row that represents a run of lines."""

    @property
    def event_id(self) -> str | Any: ...


class NodeLine(Dated, Protocol):
    """A line of a node."""

    @property
    def node_id(self) -> int | Any: ...


class Counted(Protocol):
    """A row that represents several lines."""

    @property
    def count(self) -> int | Any: ...


T = TypeVar("T", bound=Dated)
F = TypeVar("F", bound=Fault)
E = TypeVar("E", bound=Event)
Aftermath = float | Callable[[Lasting], float]


def fault(kind: str, statement: Statement, *, ts: datetime | None, **given: Any) -> Fault:
    """A row of `FAULTS`; `statement` gives the reason.

    Without bounds of its own, a fault begins and ends with its first and last line: `began_high` is `ts`,
    `ended_low` and `ended_high` are `end_ts`. The id consists of kind, node and time. Raises KeyError for an unknown
    kind.
    """
    end_ts = given.get("end_ts")
    row = {
        "kind": kind,
        "code": BY_NAME[kind].code,
        "ts": ts,
        "reason": statement.reason,
        "arguments": statement.arguments,
        **given,
        "began_high": first_known(given.get("began_high"), ts),
        "ended_low": first_known(given.get("ended_low"), end_ts),
        "ended_high": first_known(given.get("ended_high"), end_ts),
        "unknowns": list(given.get("unknowns") or ()),
        "partitions": list(given.get("partitions") or ()),
    }
    named = (kind, given.get("broker_id"), iso_stamp(ts))
    return Fault(fault_id="/".join(str(part) for part in named if part is not None), **row)


def between(ts: datetime | None, low: datetime | None, high: datetime | None) -> datetime | None:
    """`ts`, or the nearest time between the bounds; None if `ts` is None."""
    return None if ts is None else least(greatest(ts, low), high)


def fault_of(kind: str, statement: Statement, lines: Sequence[NodeLine], **given: Any) -> Fault:
    """The fault of the first line's node, from the first to the last line. The arguments `given` override this."""
    own: dict[str, Any] = {
        "broker_id": lines[0].node_id,
        "ts": begin_of(lines),
        "end_ts": end_of(lines),
        "evidence": proof_of(lines),
    }
    return fault(kind, statement, **{**own, **given})


def by_time(row: Dated) -> tuple[bool, float, str]:
    """The sort key of lines: by time, then by id; lines without a time come first."""
    return row.ts is not None, row.ts.timestamp() if row.ts is not None else 0.0, row.event_id


def bursts_of(
    rows: Iterable[T], by: Callable[[T], Any], gap_ms: float | Callable[[T], float | None]
) -> Iterator[list[T]]:
    """Splits the rows of each key `by` into bursts at gaps longer than `gap_ms`, each in the order of time.

    Rows without a time form one burst. An unknown gap (None) never splits. A row for several lines lasts until its
    `last_ts`.
    """
    for _, own in groupby(sorted(rows, key=lambda row: (sortable(by(row)), by_time(row))), key=by):
        burst: list[T] = []
        last_ts: datetime | None = None
        for row in own:
            if burst and _is_apart(last_ts, row.ts, gap_ms(row) if callable(gap_ms) else gap_ms):
                yield burst
                burst, last_ts = [], None
            burst.append(row)
            last_ts = greatest(last_ts, _last_ts(row))
        yield burst


def _is_apart(ts: datetime | None, later: datetime | None, gap_ms: float | None) -> bool:
    passed = millis(later, ts)
    if passed is None:
        return later is not None
    return gap_ms is not None and passed > gap_ms


def _last_ts(row: Timed) -> datetime | None:
    """The time of the last line that a row represents."""
    last_ts: datetime | None = getattr(row, "last_ts", None)
    return first_known(last_ts, row.ts)


def begin_of(rows: Iterable[Timed]) -> datetime | MaybeNone:
    """The first time of some lines, or runs of lines."""
    return min(known(row.ts for row in rows), default=None)


def end_of(rows: Iterable[Timed]) -> datetime | MaybeNone:
    """The last time of some lines, or runs of lines."""
    return max(known(_last_ts(row) for row in rows), default=None)


def count_of(rows: Iterable[Counted]) -> int:
    """How many lines these rows represent."""
    return sum(row.count for row in rows)


def proof_of(rows: Iterable[Dated]) -> list[str]:
    """The ids of the earliest lines."""
    return earliest((row.ts, row.event_id) for row in rows)


def sortable(key: Any) -> Any:
    """A sort key whose parts can be None; None comes first."""
    if isinstance(key, tuple):
        return tuple(sortable(part) for part in key)
    return key is not None, key if key is not None else 0


class Times:
    """The times of faults or starts by node, each extended by an aftermath. A fault without an end lasts `open_ms`
    from its `ts`.
    """

    def __init__(self, faults: Iterable[Lasting], open_ms: float = 0, aftermath_ms: Aftermath = AFTERMATH_MS) -> None:
        self._of_node: dict[int | None, list[tuple[datetime, datetime]]] = {}
        for one in faults:
            begin = plus_millis(first_known(one.began_low, one.ts), -BEFORE_MS)
            last_ts = first_known(one.end_ts, plus_millis(one.ts, open_ms))
            end = plus_millis(last_ts, aftermath_ms(one) if callable(aftermath_ms) else aftermath_ms)
            if begin is not None and end is not None:
                self._of_node.setdefault(one.broker_id, []).append((begin, end))

    def hold(self, node: int | None, begin: datetime | None, end: datetime | None = None) -> bool:
        """Whether a fault of `node` covers `begin`, or overlaps the time from `begin` to `end`."""
        return self.over(node, begin, first_known(end, begin)) is not None

    def over(self, node: int | None, begin: datetime | None, end: datetime | None) -> datetime | None:
        """When the last fault of `node` ends that overlaps the time from `begin` to `end`; None without one."""
        if node is None or begin is None or end is None:
            return None
        return max((to for since, to in self._of_node.get(node, ()) if begin <= to and end >= since), default=None)


def times_explained(faults: Iterable[Fault], open_ms: float = 0, aftermath_ms: Aftermath = AFTERMATH_MS) -> Times:
    """The times of the faults that explain other trouble of their node: all except ordered stops."""
    return Times((one for one in faults if one.kind not in ORDERED_STOPS), open_ms, aftermath_ms)


def unexplained(found: Iterable[F], known: Iterable[Fault]) -> list[F]:
    """The faults of `found` during which no fault of `known` affected the same node."""
    times = times_explained(known)
    return [one for one in found if not times.hold(one.broker_id, one.ts, one.end_ts)]


def of_kind(faults: Iterable[F], *kinds: str) -> list[F]:
    """The faults of these kinds. Raises KeyError for an unknown kind."""
    names = {BY_NAME[kind].name for kind in kinds}
    return [one for one in faults if one.kind in names]


def peers_of(cut: Fault) -> list[int]:
    """The brokers, ascending, that an isolated broker could not fetch from, or whose fetches it did not answer."""
    stated = cut.arguments or {}
    lists = [stated[name].split(LIST_SEPARATOR) for name in ("all_peers", "all_unanswered") if stated.get(name)]
    return sorted({int(peer) for peers in lists for peer in peers})


def ends_of(fault: Fault) -> list[int]:
    """The two ends of a cut link, ascending; the node at fault of any other fault; none if there is no single one."""
    peers = (fault.peers or ()) if fault.kind == "link_cut" else ()
    return sorted(known([fault.broker_id, *peers]))


def not_of_kind(faults: Iterable[F], *kinds: str) -> list[F]:
    """The faults of other kinds. Raises KeyError for an unknown kind."""
    names = {BY_NAME[kind].name for kind in kinds}
    return [one for one in faults if one.kind not in names]


def own_lines(events: Iterable[E]) -> list[E]:
    """The events that a node logged itself, with a time."""
    return [one for one in events if is_own_line(one)]


def begun_in_mid_flow(first_lines: Iterable[FirstLine]) -> dict[int, FirstLine]:
    """The rows of `FIRST_LINES`, by node, of the nodes that already ran when their files begin."""
    return {
        row.node_id: row
        for row in first_lines
        if row.node_id is not None
        and row.first_ts is not None
        and (row.start_ts is None or (millis(row.start_ts, row.first_ts) or 0) > STARTING_MS)
    }


def first_of(rows: Sequence[T]) -> T | None:
    """The earliest of some rows; None without any."""
    return min(rows, key=by_time, default=None)
