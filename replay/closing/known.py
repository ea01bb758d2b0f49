"""The facts that refute statements, ready to look up."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from replay.facts.groups import by_key
from replay.facts.times import first_known, known, plus_millis
from replay.tables.brokers import BrokerSession, Controller, ProcessLife
from replay.tables.causes import Effect, SequenceGap
from replay.tables.coverage import CoverageSpan
from replay.tables.faults import Fault
from replay.tables.partitions import TopicSetting

CHANGES_OF_LEADER = ("election", "unclean_election")
SURELY_LATER_MS = 5_000  # clocks: an order of two nodes' lines is sure beyond this
TAKES_OVER_MS = 30_000  # another controller follows a lost one within this time of its end


@dataclass(frozen=True)
class Known:
    """What a result knows about nodes, controllers and topics.

    `elected`: when leaders were elected; `rejecting`: the nodes whose own hosts rejected their connections, by incident;
    `rejected_topics`: those with a rejected write of a producer with acks=all; `starts`: the starts of each node's processes and sessions;
    `back`: by broker and start of its process, from when on the controller could elect it; `open_sessions`: the begin of the last session of each broker that was open at the end of the logs. `logs_roles`: whether
    some log holds the lines in which brokers take on leader epochs.
    """

    faults: Mapping[str, Fault] = field(default_factory=dict)
    controllers: Sequence[Controller] = ()
    elected: Sequence[datetime] = ()
    rejected_topics: Collection[str] = ()
    rejecting: Mapping[str | None, Sequence[int]] = field(default_factory=dict)
    starts: Mapping[int | None, Sequence[datetime]] = field(default_factory=dict)
    back: Mapping[tuple[int | None, datetime], datetime] = field(default_factory=dict)
    open_sessions: Mapping[int, datetime] = field(default_factory=dict)
    min_isr: Mapping[str, int] = field(default_factory=dict)
    logs_roles: bool = True

    @classmethod
    def of(
        cls,
        faults: Sequence[Fault],
        effects: Sequence[Effect],
        controllers: Sequence[Controller],
        broker_sessions: Sequence[BrokerSession],
        processes: Sequence[ProcessLife],
        topic_settings: Iterable[TopicSetting],
        sequence_gaps: Iterable[SequenceGap] = (),
        coverage_spans: Iterable[CoverageSpan] = (),
    ) -> Known:
        """The facts, from the tables of a result."""
        changes = [one for one in effects if one.kind in CHANGES_OF_LEADER]
        refused = [one for one in effects if one.kind == "writes_refused"]
        incident_of = {one.id: one.incident_id for one in effects if one.id is not None}
        rejecting = [one for one in faults if one.broker_id is not None and "rejected" in (one.arguments or {})]
        starts = [(life.node_id, life.start_ts) for life in processes]
        starts += [(session.broker_id, session.start_ts) for session in broker_sessions]
        return cls(
            {fault.fault_id: fault for fault in faults},
            controllers,
            sorted(known(ts for one in changes for ts in (one.ts, one.last_ts))),
            frozenset(
                [
                    *(name.rpartition("-")[0] for one in refused for name in one.partitions or ()),
                    *(gap.topic for gap in sequence_gaps),
                ]
            ),
            {
                incident: sorted({int(fault.broker_id) for fault in own})
                for incident, own in by_key(rejecting, lambda fault: incident_of.get(fault.fault_id)).items()
            },
            by_key([(node, ts) for node, ts in starts if ts is not None], lambda one: one[0], lambda one: one[1]),
            _back(broker_sessions, processes),
            {
                one.broker_id: one.member_ts
                for one in broker_sessions
                if one.end_ts is None and one.member_ts is not None
            },
            {one.topic: one.min_isr for one in topic_settings if one.min_isr is not None},
            any(span.roles for span in coverage_spans),
        )

    def was_elected_between(self, from_ts: datetime | None, to_ts: datetime | None) -> bool:
        """Whether a leader was certainly elected in a time."""
        low, high = plus_millis(from_ts, SURELY_LATER_MS), plus_millis(to_ts, -SURELY_LATER_MS)
        return low is not None and high is not None and any(low < ts < high for ts in self.elected)

    def took_over(self, fault: Fault) -> bool:
        """Whether a tenure of a controller began during a fault or soon after it; also if its end is not known."""
        begin = first_known(fault.began_low, fault.began_high, fault.ts)
        end = plus_millis(first_known(fault.ended_high, fault.end_ts), TAKES_OVER_MS)
        starts = known(one.start_ts for one in self.controllers)
        return begin is None or any(begin <= ts and (end is None or ts <= end) for ts in starts)

    def back_after(self, node_id: int | None, start_ts: datetime | None) -> datetime | None:
        """When the controller could elect a broker again whose process had started at this time."""
        return None if start_ts is None else self.back.get((node_id, start_ts))

    def is_back(self, node_id: int, since: datetime | None) -> bool:
        """Whether a broker has a session at the end of the logs that began after this time."""
        begun = self.open_sessions.get(node_id)
        after = plus_millis(since, SURELY_LATER_MS)
        return begun is not None and after is not None and begun > after


def _back(
    broker_sessions: Iterable[BrokerSession], processes: Iterable[ProcessLife]
) -> dict[tuple[int | None, datetime], datetime]:
    """When the controller could first elect each broker after each start of its process."""
    starts = by_key(
        [life for life in processes if life.start_ts is not None], lambda life: life.node_id, lambda life: life.start_ts
    )
    found: dict[tuple[int | None, datetime], datetime] = {}
    for session in broker_sessions:
        own = [ts for ts in starts[session.broker_id] if session.member_ts is not None and ts <= session.member_ts]
        if own and session.member_ts is not None:
            key = session.broker_id, max(own)
            found[key] = min(session.member_ts, found.get(key, session.member_ts))
    return found


NOTHING_KNOWN = Known()
