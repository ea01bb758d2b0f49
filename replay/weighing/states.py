"""What the lines of all nodes show about the states of partitions, in little memory: sums, and the few rows that a rule asks
about, which a second look at the lines finds.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

# Lines about the state of a partition, of any node; `ROLES` are those of a replica itself.
ROLES = ("leader_start", "follower_start")
ISR_ANSWERS = (
    *("isr_updated", "isr_updated_zk", "isr_update_zk_version_conflict", "isr_update_rejected_fenced_epoch"),
    *("isr_update_rejected_invalid", "isr_update_rejected_reset", "isr_update_rejected_unknown_topic"),
    *("isr_update_rejected_version", "isr_update_failure_ignored", "isr_update_retry", "isr_write_zk_submit"),
    *("isr_update_submitted", "alter_partition_handled", "alter_partition_isr_updated", "alter_partition_error"),
)
STATES = (
    *(*ROLES, *ISR_ANSWERS, "leader_transition_skipped", "follower_transition_skipped", "isr_shrink", "isr_expand"),
    *("partition_state_new", "partition_state_online_with_leader", "partition_state_changed", "controller_isr_changed"),
    *(
        "replica_removed_from_isr",
        "kraft_partition_created",
        "kraft_partition_changed",
        "kraft_partition_changed_unclean",
    ),
    *("broker_partition_created", "log_created", "partition_log_loaded", "log_load_completed", "described_partition"),
    *("broker_leader_and_isr_received", "broker_metadata_cached", "kraft_leader_isr_updates_summary"),
)
# Lines of a change of partitions, whichever replicas are in sync after it.
CHANGES = ("kraft_leader_isr_updates_summary", "kraft_partition_changed", "replica_removed_from_isr", "isr_shrink")
FEW_LINES = 3
_ROWS = 100_000  # that are held before they are summed
_COLUMNS = ("event_id", "at", "node_id", "kind", "topic", "partition", "leader_id", "leader_epoch", "isr", "replicas")
_PARTITION = ("topic", "partition")


class Totals:
    """Sums of the rows of many batches by a key: `lines`, and the least and the greatest values of other columns."""

    def __init__(self, *key: str, **functions: str) -> None:
        self._key = key
        self._functions = {"lines": "sum"} | functions
        self._parts: list[pa.Table] = []
        self._held = 0

    def add(self, rows: pa.Table) -> None:
        """Adds rows with the columns of the key and of the functions."""
        self._parts.append(self._summed(rows.append_column("lines", _ones(rows.num_rows))))
        self._held += self._parts[-1].num_rows
        if self._held > _ROWS:
            self._parts = [self._summed(pa.concat_tables(self._parts))]
            self._held = self._parts[0].num_rows // 2  # many keys are not summed again with each batch

    def _summed(self, rows: pa.Table) -> pa.Table:
        sums = rows.group_by([*self._key]).aggregate([*self._functions.items()])
        names = [f"{name}_{function}" for name, function in self._functions.items()]
        return sums.select([*self._key, *names]).rename_columns([*self._key, *self._functions])

    def rows(self) -> list[dict[str, Any]]:
        """A row for each key."""
        rows: list[dict[str, Any]] = self._summed(pa.concat_tables(self._parts)).to_pylist() if self._parts else []
        return rows


def _ones(count: int) -> pa.Array:
    return pa.array(array("q", [1]) * count, pa.int64())


class _Lead(NamedTuple):
    """A line with which a node begins to lead a partition."""

    at: int
    event_id: str
    partition: tuple[str | None, int | None]


class States:
    """The lines about the states of partitions, from events (tables with the columns of `Evidence`) in any order."""

    def __init__(self) -> None:
        self._named = Totals(*_PARTITION)
        self._epochs = Totals(*_PARTITION, "leader_epoch", at="min")
        self._roles = Totals("node_id", "topic")
        self._answers = Totals(*_PARTITION, at="max")
        self._changes, self._times, self._isrs = array("q"), array("q"), array("q")
        self._numbers: dict[str, int] = {}  # of ISRs
        self._leads: dict[tuple[int | None, int], list[_Lead]] = defaultdict(list)

    def add(self, events: pa.Table) -> None:
        """Adds the lines about states among the events."""
        states = states_of(events)
        self._named.add(states.select(_PARTITION))
        with_epoch = states.filter(states["leader_epoch"].is_valid())
        self._epochs.add(with_epoch.select([*_PARTITION, "leader_epoch", "at"]))
        self._roles.add(states.filter(pc.is_in(states["kind"], pa.array(ROLES))).select(["node_id", "topic"]))
        answers = states.filter(pc.is_in(states["kind"], pa.array(ISR_ANSWERS)))
        self._answers.add(answers.select([*_PARTITION, "at"]))
        in_time = states.filter(states["at"].is_valid())
        is_change = pc.is_in(in_time["kind"], pa.array(CHANGES))
        self._changes.extend(in_time["at"].filter(is_change).to_pylist())
        stated = in_time.filter(pc.greater(pc.fill_null(pc.list_value_length(in_time["isr"]), 0), 0))
        self._times.extend(stated["at"].to_pylist())
        self._isrs.extend(self._numbered(stated["isr"]))
        self._add_leads(states.filter(pc.equal(states["kind"], "leader_start")))

    def _add_leads(self, leads: pa.Table) -> None:
        names = ("node_id", "at", "event_id", *_PARTITION)
        isrs = self._numbered(leads["isr"])
        for node, at, event_id, topic, partition, isr in zip(*(leads[name].to_pylist() for name in names), isrs):
            first = self._leads[node, isr]
            first.append(_Lead(at or 0, event_id, (topic, partition)))
            if len(first) > FEW_LINES:
                first[:] = _of_two_partitions(first)

    def _numbered(self, isrs: pa.ChunkedArray) -> Iterator[int]:
        """A number for each ISR, which equal ones share."""
        for chunk in isrs.chunks:
            texts = pc.binary_join(chunk.cast(pa.list_(pa.string())), ",").fill_null("").dictionary_encode()
            numbers = [self._numbers.setdefault(text, len(self._numbers)) for text in texts.dictionary.to_pylist()]
            yield from map(numbers.__getitem__, texts.indices.to_pylist())

    @cached_property
    def _members(self) -> Sequence[frozenset[int]]:
        """The brokers of each ISR, by its number."""
        return [frozenset(map(int, filter(None, text.split(",")))) for text in self._numbers]

    @cached_property
    def rarely_named(self) -> frozenset[tuple[str | None, int | None]]:
        """The partitions that only a few lines name."""
        return frozenset((row["topic"], row["partition"]) for row in self._named.rows() if row["lines"] <= FEW_LINES)

    @cached_property
    def odd_epochs(self) -> Sequence[tuple[str, int, int, int, int]]:
        """The leader epochs that one line names and that a lower one follows: topic, partition, epoch, the time of the line,
        and when the last lower one begins.
        """
        of_partition: dict[tuple[str, int], list[tuple[int, int, int]]] = defaultdict(list)
        for row in self._epochs.rows():
            if row["topic"] is not None and row["partition"] is not None:
                key = row["topic"], row["partition"]
                of_partition[key].append((row["leader_epoch"], row["lines"], row["at"] or 0))
        found = []
        for key, epochs in sorted(of_partition.items()):
            latest = None
            for epoch, lines, at in sorted(epochs):
                if lines == 1 and latest is not None and latest > at:
                    found.append((*key, epoch, at, latest))
                latest = at if latest is None else max(latest, at)
        return found

    @cached_property
    def answered(self) -> Mapping[tuple[str | None, int | None], int]:
        """When a change of each partition's ISR was last answered."""
        return {(row["topic"], row["partition"]): row["at"] or 0 for row in self._answers.rows()}

    @cached_property
    def topics_of_roles(self) -> Mapping[int | None, Collection[str]]:
        """The topics of the partitions in which each node has roles."""
        found: dict[int | None, set[str]] = defaultdict(set)
        for row in self._roles.rows():
            found[row["node_id"]].add(row["topic"])
        return found

    def change_within(self, since: int, until: int, brokers: Collection[int | None]) -> bool:
        """Whether a line shows in a time that partitions change, or an ISR without any of the brokers."""
        changes = self._changes_in_time
        if bisect_left(changes, since) < bisect_right(changes, until):
            return True
        times, isrs = self._isrs_in_time
        return any(
            self._members[isr].isdisjoint(brokers)
            for isr in set(isrs[bisect_left(times, since) : bisect_right(times, until)])
        )

    @cached_property
    def _changes_in_time(self) -> array[int]:
        return array("q", sorted(self._changes))

    @cached_property
    def _isrs_in_time(self) -> tuple[array[int], array[int]]:
        order = sorted(range(len(self._times)), key=self._times.__getitem__)
        return array("q", map(self._times.__getitem__, order)), array("q", map(self._isrs.__getitem__, order))

    def first_lead(
        self, node: int | None, followers: Collection[int], other_than: tuple[str | None, int | None], before: int
    ) -> str | None:
        """The first line that shows before a time that a node led another partition with these followers in sync."""
        found = [
            lead
            for number, members in enumerate(self._members)
            if members.issuperset(followers)
            for lead in _of_two_partitions(self._leads.get((node, number), ()))
            if lead.partition != other_than and lead.at < before
        ]
        return min(found).event_id if found else None


def _of_two_partitions(leads: Iterable[_Lead]) -> list[_Lead]:
    """The first line, and the first one about another partition."""
    in_time = sorted(leads)
    others = (lead for lead in in_time if lead.partition != in_time[0].partition)
    return [*in_time[:1], *([other] if (other := next(others, None)) is not None else [])]


def states_of(events: pa.Table) -> pa.Table:
    """The lines about states among events, with `at`, their time in microseconds since 1970."""
    found = events.filter(pc.is_in(events["kind"], pa.array(sorted(STATES), pa.string())))
    at = found["ts"].cast(pa.timestamp("us", tz="UTC")).cast(pa.int64())
    return found.append_column("at", at).select(_COLUMNS)


def rows_about(
    events: Callable[[], Iterable[pa.Table]],
    topics: Collection[str],
    partitions: Collection[tuple[str | None, int | None]],
) -> dict[tuple[str | None, int | None], list[dict[str, Any]]]:
    """The lines about some topics and about some partitions, by partition and in the order of time."""
    found: dict[tuple[str | None, int | None], list[dict[str, Any]]] = defaultdict(list)
    if not topics and not partitions:
        return found
    names = pa.array(sorted({*topics, *(topic for topic, _ in partitions if topic is not None)}), pa.string())
    for table in events():
        states = states_of(table)
        for row in states.filter(pc.is_in(states["topic"], names)).to_pylist():
            key = row["topic"], row["partition"]
            if row["topic"] in topics or key in partitions:
                found[key].append(row)
    for rows in found.values():
        rows.sort(key=lambda row: (row["at"] or 0, row["event_id"]))
    return found
