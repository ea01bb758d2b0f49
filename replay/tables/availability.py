"""Availability: when a partition accepted writes, and the cost of the incidents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from replay.tables.columns import CONFIDENCE, END, EVIDENCE, PARTITION, START, TOPIC
from replay.tables.row import MaybeNone, Row
from replay.tables.table import (
    Long,
    Longs,
    column,
    row,
    table_of,
)

ACKS = column("The kind of producer: `all`, or `1` (the leader alone).")


@row("availability", key=("topic", "partition", "acks", "start_ts"))
class ServiceSpan(Row):
    """A time in which one partition accepted writes of one kind, or did not, or in which this is unknown. The times of
    one partition and kind do not overlap. They begin when its first leader took it up, not when the controller created it.
    """

    topic: str = TOPIC
    partition: int = PARTITION
    acks: str = ACKS
    start_ts: datetime = START
    end_ts: datetime | MaybeNone = END
    state: str | MaybeNone = column(
        "`open`: nothing in these logs contradicts it; `closed`: it certainly accepted none; `unknown`: it may have "
        "accepted some."
    )
    reason: str | MaybeNone = column("Why not (`replay.availability.reasons`); null if open.")
    fault_id: str | MaybeNone = column("The fault that caused it (`findings.finding_id`); null if unknown.")
    confidence: str | MaybeNone = CONFIDENCE
    evidence: Sequence[str] = EVIDENCE
    ended_by: str | MaybeNone = column(
        "What ended it: `leader_elected` (a new leader took up the partition), `leader_back` (its leader did so again), "
        "`isr_shrank`, `isr_grew`, `member_back` (a follower followed its leader again), `fault_ended` (the lines of the broker show the end of its fault), `topic_deleted`; null if open, or if no line shows it."
    )
    end_evidence: Sequence[str] | MaybeNone = column("The lines that show what ended it.")


@row("node_outages", key=("fault_id", "node_id"))
class NodeOutage(Row):
    """A time in which one node did not do its work as a leader or as a follower."""

    fault_id: str = column("The fault.")
    node_id: int = column("The node.")
    peers: Sequence[int] | MaybeNone = column(
        "The nodes that it could not reach; null: it reached none, or the lines name no single ones."
    )
    partitions: Sequence[str] | MaybeNone = column(
        "The partitions concerned, `topic-partition`; null: all of the node's."
    )
    as_leader: str | MaybeNone = column(
        "The reason why its own partitions accept no writes; null: they may accept those with acks=1."
    )
    leads: str | MaybeNone = column(
        "The state of writes to its own partitions: `closed`, `unknown`; null: acks=1 is not affected."
    )
    follows: str | MaybeNone = column(
        "The state of acks=all while it is in the ISR of another leader: `closed`, `unknown`; null: it continues to fetch."
    )
    is_cut: bool | MaybeNone = column("The way to its peers is cut: as a leader it waits for them, as they do for it.")
    may_lead_on: bool | MaybeNone = column(
        "It may have continued to accept writes though the controllers considered it dead."
    )
    must_start: bool | MaybeNone = column("It works again only after a line with which it takes over the partition.")
    low_ts: datetime | MaybeNone = column("The last proof that it worked; null if there is none.")
    from_ts: datetime | MaybeNone = column("It surely did not from here on.")
    to_ts: datetime | MaybeNone = column("It surely did not until here; null while that is still open.")
    back_ts: datetime | MaybeNone = column("From here on it certainly worked again; null if no line shows it.")
    serves_ts: datetime | MaybeNone = column(
        "When it accepted client requests again, by the line with which a started process opens its listeners; null if no line shows it."
    )
    evidence: Sequence[str] = EVIDENCE

    @property
    def stops_replicas(self) -> bool:
        """Whether its replicas stop and have to start again. A broker that stops first ends its fetchers from single leaders
        (`peers`): until it ends, its replicas continue their other work.
        """
        return bool(self.must_start and not self.peers)


@row("tenures", key=("topic", "partition", "leader_epoch", "start_ts"))
class Tenure(Row):
    """One leader epoch, with when its leader took it up and when the next one did."""

    topic: str = TOPIC
    partition: int = PARTITION
    leader_epoch: int = column("The leader epoch.")
    leader_id: int | MaybeNone = column("Its leader; -1 none.")
    last_leader_id: int | MaybeNone = column("The last leader before it; null if there was none.")
    start_ts: datetime = START
    serves_ts: datetime | MaybeNone = column("When its leader took over; null if it has none.")
    next_start_ts: datetime | MaybeNone = column("When the next leader epoch was decided; null if there is none.")
    until_ts: datetime | MaybeNone = column(
        "When a leader of a later epoch took that up, or the topic ended; null if neither."
    )
    evidence: Sequence[str] = EVIDENCE


@row("brokers_words", key=("topic", "partition", "node_id", "ts", "kind"))
class BrokerStatement(Row):
    """A line with which a broker takes over one partition, prints the ISR that it leads with or delays its next fetch;
    or its first rejections of acks=all.
    """

    topic: str = TOPIC
    partition: int = PARTITION
    node_id: int = column("The broker.")
    kind: str = column("The kind of event; `writes_refused`: it refused acks=all.")
    ts: datetime = column("When.")
    leader_id: int | MaybeNone = column("The leader that it names; null if none.")
    leader_epoch: int | MaybeNone = column("The leader epoch that it names; null if none.")
    isr: Sequence[int] | MaybeNone = column("The ISR that it names; null if none.")
    high_watermark: Long | MaybeNone = column("The high watermark that it names; null if none.")
    log_end_offset: Long | MaybeNone = column("The log end offset of the broker that it names; null if none.")
    event_id: str | MaybeNone = column("The line; null for refusals.")


@row("claims", key=("topic", "partition", "acks", "start_ts", "reason"))
class Claim(Row):
    """One reason why one partition accepted no writes of one kind for a time, or possibly accepted none. Claims may
    overlap.
    """

    topic: str = TOPIC
    partition: int = PARTITION
    acks: str = ACKS
    start_ts: datetime = START
    end_ts: datetime | MaybeNone = END
    state: str | MaybeNone = column("`closed` or `unknown`.")
    reason: str = column("Why (`replay.availability.reasons`).")
    fault_id: str | MaybeNone = column("The fault that caused it; null if unknown.")
    suspects: Sequence[int] | MaybeNone = column("The brokers whose fault it may be, if no fault is named.")
    confidence: str | MaybeNone = CONFIDENCE
    evidence: Sequence[str] = EVIDENCE


@row("harm_spans", key=("kind", "topic", "partition", "acks", "start_ts"))
class HarmSpan(Row):
    """A time of one partition that cost something."""

    kind: str = column(
        "`blocked`; `blocked_by_return` (a preferred election made writers wait); `blocked_later` (after the incident, "
        "without a fault); `blocked_routinely` (in its time, as any new leader epoch may cost); `stale` (a deposed leader may have kept clients that asked it); `leaderless`, `under_min_isr`, "
        "`single_copy`, `at_min_isr`; `dead_in_isr`: the ISR was full as recorded, and a member of it surely dead, frozen, or cut off from all others."
    )
    topic: str = TOPIC
    partition: int = PARTITION
    name: str | MaybeNone = column("The partition, `topic-partition`.")
    acks: str | MaybeNone = column("Of a blocked or stale time: the kind of producer.")
    is_sure: bool | MaybeNone = column("Whether it surely was so.")
    is_internal: bool | MaybeNone = column("Whether the topic is one of Kafka's own.")
    stops_reads: bool | MaybeNone = column(
        "For a blocked time: consumers got no new record either, with the same certainty."
    )
    may_stop_reads: bool | MaybeNone = column("Of a blocked time: perhaps consumers got no new record either.")
    stores_unanswered: bool | MaybeNone = column(
        "Of a blocked time: the leader stored writes with acks=all that it could not acknowledge."
    )
    is_routine: bool | MaybeNone = column("Of a blocked time: any change of leader costs it.")
    comes_with_elections: bool | MaybeNone = column("Of a blocked time: a change of leader may be why.")
    fault_id: str | MaybeNone = column("The fault that caused it, if known.")
    start_ts: datetime = START
    end_ts: datetime | MaybeNone = column("When it ended; if it did not, the last line of the logs.")
    is_open: bool | MaybeNone = column("It lasted as the logs ended.")
    begun_before: bool | MaybeNone = column("Its first line shows it under way: nothing shows since when; null if not.")
    ms: Long | MaybeNone = column("How long it lasted.")
    incident_id: str | MaybeNone = column("The incident in which it counts.")


_BLOCKED = (
    "in which writes with acks={} were not taken, {}, summed over partitions, without those that never held a record: "
    "nobody wrote to them or waited."
)


@row("incident_harm", key=("incident_id",))
class IncidentHarm(Row):
    """The cost of one incident, summed over the partitions' own times."""

    incident_id: str | MaybeNone = column("The incident.")
    blocked_all_min_ms: Long | MaybeNone = column("Time " + _BLOCKED.format("all", "at least"))
    blocked_all_max_ms: Long | MaybeNone = column("Time " + _BLOCKED.format("all", "at most"))
    blocked_one_min_ms: Long | MaybeNone = column("Time " + _BLOCKED.format("1", "at least"))
    blocked_one_max_ms: Long | MaybeNone = column("Time " + _BLOCKED.format("1", "at most"))
    worst_partition: str | MaybeNone = column(
        "The partition that was certainly blocked longest, `topic-partition`; null if none was."
    )
    worst_partition_ms: Long | MaybeNone = column(
        "How long that was, at least, for the kind of producer that it was longer for; separate times are added up."
    )
    partitions_blocked: Long | MaybeNone = column("Partitions that surely took no writes of some kind for a while.")
    partitions_known: Long | MaybeNone = column("Partitions in these logs, without internal topics.")
    leaderless_ms: Long | MaybeNone = column(
        "Time without a leader, by the controller's record, summed over partitions, internal ones too."
    )
    under_min_isr_ms: Long | MaybeNone = column(
        "Time with an ISR below min.insync.replicas, summed over the partitions for which it is known."
    )
    single_copy_ms: Long | MaybeNone = column("Time with one in-sync replica of several, summed over partitions.")
    at_min_isr_ms: Long | MaybeNone = column(
        "Time with an ISR that lacked a replica and was as large as a min.insync.replicas of 2 or more, summed over partitions: the loss of one more would have stopped writes with acks=all."
    )
    dead_in_isr_ms: Long | MaybeNone = column(
        "Time in which the recorded ISR was full and held a broker that was dead, frozen, or cut off from all other replicas, at least, summed over partitions, internal ones too: comes on top of `under_replicated_ms`."
    )
    internal_blocked_all_min_ms: Long | MaybeNone = column(
        "As `blocked_all_min_ms`, for internal topics, which the others exclude: groups that could not commit, "
        "transactions that could not continue. 0 also where no internal partition ever held a record, however long "
        "`availability` shows them closed."
    )
    internal_blocked_all_max_ms: Long | MaybeNone = column("The same at most.")
    internal_leaderless_ms: Long | MaybeNone = column("Time without a leader of partitions of internal topics.")
    is_open: bool | MaybeNone = column("Some of this still lasted as the logs ended: every sum is a lower bound.")
    unended: Sequence[str] | MaybeNone = column(
        "The sums, such as `blocked_all`, that contain a time whose end no line shows. Such a sum is a lower bound; nothing bounds it from above."
    )
    undated: Sequence[str] | MaybeNone = column(
        "The sums that contain a time that had begun before its first line. Such a sum is a lower bound; nothing bounds it from above."
    )


_WHAT = (
    "`acks_all`, `acks_one`, `reads`; `acks_all_of_leaders`: as `acks_all`, without the clients of deposed leaders, where there were such; `stale_all`, `stale_one`: the times of deposed leaders, which `acks_all` and `reads`, and `acks_one` include; `unanswered`: the leader stored writes with acks=all and could not acknowledge them; `acks_all_by_return`: writes with acks=all waited as leadership returned to preferred "
    "replicas; `acks_all_later`: they waited after the incident, without a fault; `acks_all_routinely`: they waited during it, as any new leader epoch may cost."
)


@row("downtimes", key=("incident_id", "topic", "what"))
class Downtime(Row):
    """The times in which, in one incident, some partition of a topic took no writes of one kind, or gave consumers no new record."""

    incident_id: str = column("The incident.")
    topic: str = TOPIC
    what: str = column(_WHAT)
    low_starts: Sequence[datetime] | MaybeNone = column("When each time began in which that is sure.")
    low_ends: Sequence[datetime] | MaybeNone = column("When it ended; if it did not, the last line of the logs.")
    high_starts: Sequence[datetime] | MaybeNone = column("When each time began in which that may be.")
    high_ends: Sequence[datetime] | MaybeNone = column("When it ended; if it did not, the last line of the logs.")
    partitions: Sequence[str] | MaybeNone = column("The partitions for which that is sure, `topic-partition`.")
    may_partitions: Sequence[str] | MaybeNone = column("The partitions for which that may be.")
    lows_ms: Longs | MaybeNone = column("How long, at least, for each of `may_partitions`.")
    highs_ms: Longs | MaybeNone = column("How long, at most, for each of `may_partitions`.")
    is_open: bool | MaybeNone = column("It surely lasted as the logs ended.")
    may_last: bool | MaybeNone = column("Whether it lasted as the logs ended is not known: no line shows its end.")
    begun_before: bool | MaybeNone = column("Its first line shows it under way: nothing shows since when; null if not.")


@row("waits_in_a_row", key=("topic", "incident_ids"))
class WaitInARow(Row):
    """How long partitions of a topic took no writes with acks=all without a break, if one incident began that time and others
    continued it. Each incident counts only its own part.
    """

    incident_ids: Sequence[str] = column("The incidents, in the order of time.")
    topic: str = TOPIC
    partitions: Sequence[str] = column("The partitions, `topic-partition`.")
    low_ms: Long = column("How long each of them took none, at least.")
    high_ms: Long = column("How long each of them took none, at most; a lower bound if `is_open`.")
    is_open: bool | MaybeNone = column("It lasted as the logs ended.")


@row("topic_down", key=("incident_id", "topic", "what"))
class TopicDowntime(Row):
    """How long, in wall-clock time, some partition of a topic accepted no writes of one kind in one incident, or gave
    consumers no new record.
    """

    incident_id: str = column("The incident.")
    topic: str = TOPIC
    what: str = column(_WHAT)
    low_ms: Long | MaybeNone = column("How long, at least.")
    high_ms: Long | MaybeNone = column("How long, at most.")
    times: int | MaybeNone = column("Of how many separate times this is the sum, at most.")
    sure_times: int | MaybeNone = column("Of how many separate times this is the sum, at least.")
    partitions: Sequence[str] | MaybeNone = column("The partitions with a certain one, `topic-partition`.")
    may_partitions: Sequence[str] | MaybeNone = column("The partitions with a certain or a possible one.")
    lows_ms: Longs | MaybeNone = column("How long each of `may_partitions` had one, at least.")
    highs_ms: Longs | MaybeNone = column("How long each of `may_partitions` had one, at most.")
    is_open: bool | MaybeNone = column("It surely lasted as the logs ended.")
    may_last: bool | MaybeNone = column("Whether it lasted as the logs ended is not known: no line shows its end.")
    begun_before: bool | MaybeNone = column("Its first line shows it under way: nothing shows since when; null if not.")


@row("fault_vertices", key=("id",))
class FaultVertice(Row):
    """One fault of the graph, and its incident."""

    id: str = column("The fault.")
    incident_id: str | MaybeNone = column("Its incident.")


@row("harm_sums")
class HarmSum(IncidentHarm):
    """The cost of one incident. A row without an incident counts the partitions in these logs."""


AVAILABILITY = table_of(ServiceSpan)
NODE_OUTAGES = table_of(NodeOutage)
TENURES = table_of(Tenure)
BROKERS_WORDS = table_of(BrokerStatement)
CLAIMS = table_of(Claim)
HARM_SPANS = table_of(HarmSpan)
INCIDENT_HARM = table_of(IncidentHarm)
TOPIC_DOWN = table_of(TopicDowntime)
WAITS_IN_A_ROW = table_of(WaitInARow)
FAULT_VERTICES = table_of(FaultVertice)
HARM_SUMS = table_of(HarmSum)
