"""Weighs the lines of all nodes: the lines that others contradict, and the events without them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from math import inf
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from replay.facts.times import unix_micros
from replay.tables.weighing import DoubtfulLine
from replay.weighing.clusters import OfOtherClusters, other_clusters
from replay.weighing.doubts import Doubt, rows_of
from replay.weighing.evidence import Evidence, Line, moment
from replay.weighing.members import removed_brokers, unknown_controllers, unknown_directories
from replay.weighing.partitions import deleted_topics, lone_shrinks, unknown_epochs, unknown_partitions
from replay.weighing.processes import ended_processes
from replay.weighing.reasons import EPOCH_GOES_ON, MIXED_CLUSTERS, OTHER_TOPIC_ID

Batches = Callable[[], Iterable[pa.RecordBatch]]
_OF_A_NODE = (ended_processes, removed_brokers, unknown_directories)
_OF_A_PARTITION = (deleted_topics, unknown_epochs, unknown_partitions, lone_shrinks)


class Weighing:
    """The doubtful lines among the records of a run (`rows`), from batches of `PRINTED` with corrected times.

    Topic ids and cluster ids decide first whose lines they are. Then the lines that are left are held against each
    other.
    """

    COLUMNS = Evidence.COLUMNS  # of the records that are scanned

    def __init__(self, batches: Batches) -> None:
        self._of_others = OfOtherClusters()
        self._lines: frozenset[str] = frozenset()
        evidence = Evidence(batches)
        self._of_others = other_clusters(evidence)
        self.rows: list[DoubtfulLine] = []
        if self._of_others.ids or self._of_others.nodes:
            self.rows += self._rows_of_others(batches())
            self._lines = frozenset(row.event_id for row in self.rows if row.reason == OTHER_TOPIC_ID)
            evidence = Evidence(lambda: self.without(batches()))
        rules = (*_OF_A_NODE, *_OF_A_PARTITION)
        doubts = [doubt for rule in rules for doubt in rule(evidence)]
        doubts += _of_controllers(evidence, batches)
        self.rows += _with_messages(rows_of(doubts), batches)
        self._lines = frozenset(row.event_id for row in self.rows if row.lines == 1)

    def is_doubtful(self, node_id: int | None, ts: datetime | None, event_id: str) -> bool:
        """Whether a line of a node is doubtful."""
        since, until, *_ = self._of_others.nodes.get(node_id, (inf, -inf))  # type: ignore[arg-type]
        at = since if ts is None else unix_micros(ts)
        return event_id in self._lines or since <= at < until

    @property
    def nodes(self) -> Collection[int]:
        """The nodes none of whose log lines are of the cluster, or are known to be."""
        return [node for node, (since, until, *_) in self._of_others.nodes.items() if (since, until) == (-inf, inf)]

    def without(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The batches without the doubtful lines."""
        lines = pa.array(sorted(self._lines), pa.string())
        for batch in batches:
            gone = pc.is_in(batch.column("event_id"), lines)
            for node in self._of_others.nodes:
                gone = pc.or_(gone, self._is_of_other(batch, node))
            yield batch.filter(pc.invert(gone))

    def _is_of_other(self, batch: pa.RecordBatch, node: int) -> pa.Array:
        """Which rows of a node are of another cluster. The files beside the logs of a node with lines of two clusters are
        kept.
        """
        since, until, reason, *_ = self._of_others.nodes[node]
        own = pc.fill_null(pc.equal(batch.column("node_id"), node), False)
        at = batch.column("ts").cast(pa.timestamp("us", tz="UTC")).cast(pa.int64())
        if since > -inf:
            own = pc.and_(own, pc.fill_null(pc.greater_equal(at, int(since)), False))
        if until < inf:
            own = pc.and_(own, pc.fill_null(pc.less(at, int(until)), False))
        if reason == MIXED_CLUSTERS:
            own = pc.and_(own, batch.column("level").is_valid())
        return own

    def _rows_of_others(self, batches: Iterable[pa.RecordBatch]) -> list[DoubtfulLine]:
        """The lines of other clusters: single ones by their topic ids, and a row for all of a node."""
        blocks: dict[int, list[_End]] = defaultdict(list)
        doubts = []
        ids = self._of_others.ids
        for batch in batches:
            for node in self._of_others.nodes:
                some = batch.filter(self._is_of_other(batch, node)).select(
                    ["ts", "event_id", "source_file", "line_number", "kind", "message"]
                )
                if some.num_rows:
                    blocks[node] += [_end(some, first) for first in (True, False)]
            named = batch.filter(pc.is_in(batch.column("topic_id"), pa.array([one for _, one in ids], pa.string())))
            for row in named.to_pylist():
                node, ts = row["node_id"], row["ts"]
                key = next((key for key in ids if key[1] == row["topic_id"]), None)
                if key is not None and node is not None and not self.is_doubtful(node, ts, ""):
                    because, against = ids[key]
                    doubts.append(Doubt(_line(row), OTHER_TOPIC_ID, because, against))
        return [*(self._block(node, ends) for node, ends in sorted(blocks.items())), *rows_of(doubts)]

    def _block(self, node: int, ends: Sequence[_End]) -> DoubtfulLine:
        _, _, reason, because, against = self._of_others.nodes[node]
        first, last = min(ends), max(ends)
        return DoubtfulLine(
            event_id=first.event_id,
            last_event_id=last.event_id,
            lines=sum(end.lines for end in ends[::2]),
            reason=reason,
            ts=moment(first.at),
            node_id=node,
            source_file=first.source_file,
            line_number=first.line_number,
            kind=first.kind,
            topic=None,
            partition=None,
            message=first.message,
            because=because,
            contradicted_by=list(against),
        )


def _with_messages(rows: Sequence[DoubtfulLine], batches: Batches) -> list[DoubtfulLine]:
    """The rows, each with the text of its line."""
    without = pa.array([row.event_id for row in rows if row.message is None], pa.string())
    texts: dict[str, str] = {}
    for batch in batches() if len(without) else ():
        some = batch.filter(pc.is_in(batch.column("event_id"), without))
        texts |= zip(some.column("event_id").to_pylist(), some.column("message").to_pylist(), strict=True)
    return [row.but(message=texts[row.event_id]) if row.event_id in texts else row for row in rows]


class _End(NamedTuple):
    """The first or the last of some lines, and how many they are."""

    at: int
    event_id: str
    source_file: str
    line_number: int
    kind: str
    message: str
    lines: int


def _end(rows: pa.RecordBatch, first: bool) -> _End:
    """The first row by time, or the last."""
    times = rows.column("ts").cast(pa.timestamp("us", tz="UTC")).cast(pa.int64()).to_pylist()
    at = (min if first else max)(range(len(times)), key=lambda at: (times[at] is not None, times[at] or 0))
    row = rows.slice(at, 1).to_pylist()[0]
    place = row["source_file"] or "", row["line_number"] or 0
    return _End(times[at] or 0, row["event_id"], *place, row["kind"] or "", row["message"] or "", rows.num_rows)


def _line(row: dict[str, object]) -> Line:
    ts = row["ts"]
    names = [name for name in Line._fields if name not in ("ts", "details")]
    rest = {name: row.get(name) for name in names}
    return Line(ts=None if ts is None else unix_micros(ts), details=dict(row["details"] or ()), **rest)  # type: ignore[arg-type,call-overload]


def _of_controllers(evidence: Evidence, batches: Batches) -> list[Doubt]:
    """The lines of controllers in epochs in which they were not elected."""
    unknown = {one.key: (because, against) for one, because, against in unknown_controllers(evidence)}
    if not unknown:
        return []
    found = []
    for batch in batches():
        epochs = pa.array(sorted({epoch for _, epoch in unknown}), pa.int32())
        for row in batch.filter(pc.is_in(batch.column("controller_epoch"), epochs)).to_pylist():
            key = row["controller_id"], row["controller_epoch"]
            if key in unknown and row["node_id"] == row["controller_id"]:
                because, against = unknown[key]
                found.append(Doubt(_line(row), EPOCH_GOES_ON, because, against))
    return found
