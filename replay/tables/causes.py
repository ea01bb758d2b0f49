"""Causes and conclusions: the graph, findings, incidents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from pyspark.sql.types import ArrayType, StringType, StructField, StructType

from replay.sentences.statement import STATEMENT
from replay.tables.availability import INCIDENT_HARM
from replay.tables.columns import END, EVIDENCE, LIFE, PARTITION, START, TOPIC
from replay.tables.losses import Loss
from replay.tables.row import MaybeNone, Row
from replay.tables.table import (
    BOOLEAN,
    LONG,
    Long,
    column,
    row,
    table_of,
)


@row("refused_writes", key=("id",))
class RefusedWrite(Row):
    """Writes with acks=all that one leader refused in one partition for too few in-sync replicas, within one minute."""

    id: str = column("Name of the vertex.")
    node_id: int | MaybeNone = column("The leader.")
    topic: str | MaybeNone = TOPIC
    partition: int | MaybeNone = PARTITION
    ts: datetime | MaybeNone = column("The first.")
    end_ts: datetime | MaybeNone = column("The last.")
    count: Long | MaybeNone = column("How many.")
    min_isr: int | MaybeNone = column("min.insync.replicas as the leader states it; null if it does not.")
    evidence: Sequence[str] = EVIDENCE


@row("sequence_gaps", key=("topic", "partition", "node_id"))
class SequenceGap(Row):
    """Batches of idempotent producers that one leader refused in one partition, because the batches before them are
    missing. Only producers with acks=all are idempotent.
    """

    topic: str = TOPIC
    partition: int = PARTITION
    node_id: int = column("The leader.")
    ts: datetime = column("The last one.")
    offset: Long = column("The leader's log end offset then.")
    still_ts: datetime | MaybeNone = column(
        "The leader's last line by which its high watermark had not passed this offset; null if no later line shows it, or if "
        "a later one shows more."
    )
    evidence: Sequence[str] = EVIDENCE


@row("vertices", key=("id",))
class Vertex(Row):
    """One cause or effect: a happening that several events may report."""

    id: str = column("Name of the vertex.")
    kind: str | MaybeNone = column(
        "What happened: a fault's kind (`replay.faults.kinds`), or `detected`, `controller_change`, `leaderless`, "
        "`election`, `unclean_election`, `isr_shrink`, `truncation`, `recovery_cut`, `loss`, `writes_refused`."
    )
    code: str | MaybeNone = column("Code of a fault, F01 …; null for other happenings.")
    ts: datetime | MaybeNone = column("When; of a fault a moment between `began_low` and `began_high`.")
    began_low: datetime | MaybeNone = column("Of a fault: it began no earlier than this.")
    began_high: datetime | MaybeNone = column("Of a fault: it began no later than this.")
    end_ts: datetime | MaybeNone = column("When its harm ended; null if it had none, or is still open.")
    node_id: int | MaybeNone = column("Broker it happened on, if on one.")
    topic: str | MaybeNone = column("Topic, if it concerns one partition.")
    partition: int | MaybeNone = column("Partition, if it concerns one.")
    leader_epoch: int | MaybeNone = column("Leader epoch, if it concerns one.")
    label: str | MaybeNone = column("One line for the graph.")
    reason: str | MaybeNone = column("Name of the label (`replay.sentences.causes`).")
    arguments: Mapping[str, str] | MaybeNone = column("Arguments of that label.")
    incident_id: str | MaybeNone = column("Incident it belongs to.")
    evidence: Sequence[str] = EVIDENCE


@row("happenings")
class Happening(Vertex):
    """One vertex with the data that the rules of causality need."""

    name: str | MaybeNone = column("`topic-partition`, if it concerns one partition.")
    life: int | MaybeNone = column("Which topic of its name.")
    begin_ts: datetime | MaybeNone = column("From when on effects may follow from it.")
    over_ts: datetime | MaybeNone = column("When its cause was over: the end of a fault; null while it lasts.")
    about: Sequence[int] | MaybeNone = column(
        "Brokers whose session, leadership or membership it ends; for a fault the node at fault."
    )
    leader_id: int | MaybeNone = column(
        "Leader of the partition in it; the active controller while ZooKeeper refused a leader's ISR writes."
    )
    new_leader_id: int | MaybeNone = column("Broker that leads after it.")
    names: Sequence[str] | MaybeNone = column("Partitions that a fault affects, by name; empty: all of its node.")
    by: str | MaybeNone = column(
        "Its origin: the trigger of an election, how a session ended, the scenario of a loss, how controllers are "
        "elected; `untold`: a time without a leader whose last leader no line shows; `begun_before`: one that its first line shows "
        "under way, so that it is at least as long as it is logged."
    )
    found_late: bool | MaybeNone = column(
        "It is the end of a session, or the election of a leader or controller, and had happened by its first line: no line shows "
        "when; null if not."
    )
    elected_from: str | MaybeNone = column("Where a new leader came from, as in `elections`.")
    is_return: bool | MaybeNone = column("A preferred leader led the partition before; null for other happenings.")
    led_until: datetime | MaybeNone = column("Until when that leader led it before.")
    led_since: datetime | MaybeNone = column(
        "When the leader epoch began in which the leader before led; null if no line shows it."
    )
    called_by: int | MaybeNone = column(
        "Voter whose candidacy deposed the active controller; null if no line shows one."
    )


@row("cluster_happenings")
class ClusterHappening(Happening):
    """One happening that concerns no partition."""


@row("edges", key=("src", "dst", "relation"))
class Edge(Row):
    """One cause and its effect."""

    src: str = column("Cause (`vertices.id`).")
    dst: str = column("Effect (`vertices.id`).")
    relation: str = column("Causality rule (`kafka-replay docs rules`), R1 …")
    because: str | MaybeNone = column("The facts that join the two, as a sentence.")
    reason: str | MaybeNone = column("Name of that sentence (`replay.sentences.causes`).")
    arguments: Mapping[str, str] | MaybeNone = column("Arguments of that sentence.")
    aspect: str | MaybeNone = column("The explained part of the effect: causes of one aspect are rivals.")
    rank: int | MaybeNone = column(
        "1: the cause that is accepted; 2 and more: its rivals, the likelier first; null: a cause that only delayed the effect or "
        "contributed to it (`aspect`: `delayed`, `contributed`)."
    )
    confidence: float | MaybeNone = column("How sure, 0 to 1: the rule's own, shared among equally good candidates.")
    delay_ms: Long | MaybeNone = column(
        "The minimum time from the cause to the effect, in corrected time: from the latest begin of the cause to the "
        "earliest of the effect; 0 if the two overlap; null if no line shows the earliest time of the effect."
    )
    delay_high_ms: Long | MaybeNone = column(
        "The maximum time from the cause to the effect: from the earliest begin of a fault to the first line that shows the "
        "effect; null if no line shows one of them."
    )


@row("cluster_edges")
class ClusterEdge(Edge):
    """One cause and its effect, if the effect concerns no partition."""


@row("without_leader", key=("topic", "life", "partition", "bound", "start_ts"))
class TimeWithoutLeader(Row):
    """A time in which a partition had no leader, or a leader whose process was dead or frozen, until the next leader
    took over.
    """

    topic: str = TOPIC
    life: int = LIFE
    partition: int = PARTITION
    bound: str = column(
        "`least`: from the first proof that the leader was gone to the last; `most`: from the last proof that it worked to the first that it worked again."
    )
    start_ts: datetime = START
    end_ts: datetime | MaybeNone = column("When the next one leads; null if the logs end before.")


@row("roots", key=("id",))
class Root(Row):
    """One vertex, and the happenings without a cause from which accepted edges lead to it; itself if it has no
    cause.
    """

    id: str = column("The vertex.")
    topic: str | MaybeNone = column("Topic, if it concerns one partition.")
    partition: int | MaybeNone = column("Partition, if it concerns one.")
    root_ids: Sequence[str] | MaybeNone = column("Its roots, the nearest first.")
    distances: Sequence[int] | MaybeNone = column("How many edges lie between it and each of them, at least.")


@row("cluster_roots")
class ClusterRoot(Root):
    """One happening that concerns no partition, and the happenings without a cause from which accepted edges lead to it."""


@row("reach", key=("root_ids",))
class Reach(Row):
    """All vertices that have the same roots."""

    root_ids: Sequence[str] = column("The roots, by name.")
    last_ts: datetime | MaybeNone = column("The last of these vertices.")
    count: Long | MaybeNone = column("How many they are.")


@row("effects", key=("id", "kind", "by", "node_id", "incident_id", "root_ids"))
class Effect(Row):
    """One vertex that concerns no partition; or all vertices of one kind that differ only in partition and time."""

    id: str | MaybeNone = column("The vertex that concerns no partition; null for vertices of partitions.")
    kind: str = column("What happened, as in `vertices`.")
    by: str | MaybeNone = column("Its origin, as in `happenings`.")
    node_id: int | MaybeNone = column("Broker it happened on, if on one.")
    incident_id: str | MaybeNone = column("Incident it belongs to.")
    root_ids: Sequence[str] = column("Its roots, the nearest first.")
    elected_from: str | MaybeNone = column("Where a new leader came from, as in `elections`.")
    is_other_leader: bool | MaybeNone = column("A new leader differs from the previous one; null if that is unknown.")
    is_return: bool | MaybeNone = column("A preferred leader led its partition before; null for other vertices.")
    found_late: bool | MaybeNone = column("As in `happenings`.")
    is_open: bool | MaybeNone = column("Its harm had no end in these logs.")
    is_passing: bool | MaybeNone = column(
        "Without a leader for so short that it was one controller action in two writes."
    )
    count: Long | MaybeNone = column("How many vertices these are.")
    refused: Long | MaybeNone = column("How many writes leaders refused, one line each; null for other vertices.")
    ts: datetime | MaybeNone = column("The first.")
    last_ts: datetime | MaybeNone = column("The last.")
    over_ts: datetime | MaybeNone = column("When all harm was over; null if there was none.")
    sum_ms: Long | MaybeNone = column("Sum of the times to the end of their harm.")
    longest_ms: Long | MaybeNone = column("The longest of these.")
    partitions: Sequence[str] | MaybeNone = column("The partitions, `topic-partition`.")
    first_id: str | MaybeNone = column("The name of the first vertex.")
    evidence: Sequence[str] = EVIDENCE
    evidence_ts: Sequence[datetime] | MaybeNone = column(
        "When the vertex happened that each event of `evidence` is of."
    )


@row("effect_sums")
class EffectSum(Effect):
    """Vertices as in `effects`, with the fields needed to add others to them."""

    of_each: Sequence[int] | MaybeNone = column(
        "How many of the events of `evidence` each vertex gave that gave any, in their order."
    )


@row("open_losses")
class OpenLoss(Loss):
    """One row of the ledger with certain or possible losses, and its cause."""

    root_ids: Sequence[str] | MaybeNone = column("The roots of the loss, the nearest first.")
    election_root_ids: Sequence[str] | MaybeNone = column("The roots of its election, the nearest first.")


@row("leading_brokers", key=("broker_id",))
class LeadingBroker(Row):
    """One broker that led a partition."""

    broker_id: int = column("The broker.")


@row("root_spans", key=("root_id",))
class RootSpan(Row):
    """One fault that nothing else caused, with the time of its effects, and its incident."""

    root_id: str = column("The fault (`faults.fault_id`).")
    code: str | MaybeNone = column("Its code.")
    kind: str | MaybeNone = column("Its kind.")
    broker_id: int | MaybeNone = column("Node at fault.")
    ts: datetime | MaybeNone = column("Its first proof.")
    end_ts: datetime | MaybeNone = column("The end of it, of its last effect and of their harm.")
    effects: Long | MaybeNone = column("How many vertices follow from it.")
    incident_id: str | MaybeNone = column("Its incident.")


@row("all_root_spans")
class AllRootSpan(RootSpan):
    """One fault without a cause, with the time of its effects, before its incident is known."""


@row("trouble", key=("kind", "ts"))
class Trouble(Row):
    """Lines of one kind within a few minutes that report trouble, whether or not a fault explains them."""

    kind: str = column("Kind of the events, or the logger of lines that no template knows.")
    rank: int | MaybeNone = column("Their rank: 1 fatal errors, 2 errors, 3 the rest.")
    ts: datetime | MaybeNone = column("The first.")
    end_ts: datetime | MaybeNone = column("The last.")
    count: Long | MaybeNone = column("How many.")
    nodes: Sequence[int] | MaybeNone = column("Nodes that print them.")
    example: str | MaybeNone = column("The first of them.")
    caused_by: str | MaybeNone = column("The innermost exception under it.")
    evidence: Sequence[str] = EVIDENCE


@row("logged_errors")
class LoggedError(Trouble):
    """Lines of one kind within a few minutes that are errors, or name a loss."""

    evidence_times: Sequence[datetime] | MaybeNone = column("When each of the events of `evidence` was.")


@row("unrecognized_trouble")
class UnrecognizedTrouble(Trouble):
    """Unrecognized lines at WARN or above."""


@row("rivals", key=("fault_id", "rival_id"))
class Rival(Row):
    """One fault, and another that could have had the same effects and cannot be distinguished from it."""

    fault_id: str = column("The fault that is accepted as the cause.")
    rival_id: str = column("The other.")
    effects: Long | MaybeNone = column("How many effects both could have caused.")
    confidence: float | MaybeNone = column("How sure the other would be, 0 to 1.")


@row("cluster_rivals")
class ClusterRival(Rival):
    """One fault and another that could have caused the same happenings of the cluster."""


@row("partition_rivals")
class PartitionRival(Rival):
    """One fault and another that could have caused the same happenings of partitions."""


@row("incident_links", key=("src", "dst"))
class IncidentLink(Row):
    """Two roots that belong to one incident."""

    src: str = column("The earlier root.")
    dst: str = column("The later one.")
    reason: str | MaybeNone = column(
        "`shared_effect`, `shared_harm` (their harm overlaps in one partition), `at_once`, `no_quorum` (they began while "
        "nothing could be decided), `rolling`, `disk` (an ordered stop of a broker whose directory had failed), `crash_loop`, `not_back` (the end of a broker, and a failed start or a death before its next session), `not_told_apart` (deaths in an order that no line shows)."
    )


@row("shared_harms", key=("src", "dst"))
class SharedHarm(Row):
    """Two roots whose harm to one partition overlaps in time."""

    src: str = column("One of them.")
    dst: str = column("The other.")


@row("incident_roots", key=("id",))
class IncidentRoot(Row):
    """One root and the least id of its incident's roots: the connected components of `incident_links`."""

    id: str = column("The root.")
    first: str | MaybeNone = column("The least id of the roots that it hangs together with.")


@row("findings", key=("finding_id",))
class Finding(Row):
    """One conclusion."""

    finding_id: str = column("Name of the finding, stable for the same input.")
    incident_id: str | MaybeNone = column("Incident it belongs to.")
    code: str | MaybeNone = column(
        "Its code: a fault (F01 …), a violated invariant (I1 …), or the way in which records were lost (S0 …)."
    )
    role: str | MaybeNone = column("`root_cause`, `contributing`, `effect`, `benign`.")
    severity: str | MaybeNone = column("`critical`, `high`, `medium`, `low`, `info`.")
    title: str | MaybeNone = column("One line.")
    summary: str | MaybeNone = column(
        "What happened, how it is known, the alternatives, and the evidence that would decide."
    )
    start_ts: datetime | MaybeNone = START
    end_ts: datetime | MaybeNone = END
    broker_ids: Sequence[int] | MaybeNone = column("For a root cause the brokers at fault, else those concerned.")
    partitions: Sequence[str] | MaybeNone = column("Partitions concerned, `topic-partition`.")
    confidence: float | MaybeNone = column("How sure, 0 to 1.")
    blind_spots: Sequence[str] | MaybeNone = column("What the logs do not show about it; empty if nothing is missing.")
    began_low: datetime | MaybeNone = column("It began no earlier than this; null for a finding without its own begin.")
    began_high: datetime | MaybeNone = column("It began no later than this.")
    ended_low: datetime | MaybeNone = column("It ended no earlier than this.")
    ended_high: datetime | MaybeNone = column("It ended no later than this; null while these logs have no end of it.")
    reason: str | MaybeNone = column("Name of the title (`replay.sentences.findings`).")
    arguments: Mapping[str, str] | MaybeNone = column("Arguments of the title.")
    evidence: Sequence[str] = EVIDENCE


FINDINGS = table_of(Finding)


@row("conclusions", key=("finding_id",))
class Conclusion(Row):
    """One conclusion as data: its sentences are not drawn yet."""

    finding_id: str = FINDINGS["finding_id"]
    incident_id: str | MaybeNone = FINDINGS["incident_id"]
    code: str | MaybeNone = FINDINGS["code"]
    role: str | MaybeNone = FINDINGS["role"]
    severity: str | MaybeNone = FINDINGS["severity"]
    start_ts: datetime | MaybeNone = FINDINGS["start_ts"]
    end_ts: datetime | MaybeNone = FINDINGS["end_ts"]
    broker_ids: Sequence[int] | MaybeNone = FINDINGS["broker_ids"]
    partitions: Sequence[str] | MaybeNone = FINDINGS["partitions"]
    confidence: float | MaybeNone = FINDINGS["confidence"]
    began_low: datetime | MaybeNone = FINDINGS["began_low"]
    began_high: datetime | MaybeNone = FINDINGS["began_high"]
    ended_low: datetime | MaybeNone = FINDINGS["ended_low"]
    ended_high: datetime | MaybeNone = FINDINGS["ended_high"]
    reason: str | MaybeNone = FINDINGS["reason"]
    arguments: Mapping[str, str] | MaybeNone = FINDINGS["arguments"]
    evidence: Sequence[str] = FINDINGS["evidence"]
    said: Annotated[Sequence[Any], ArrayType(STATEMENT)] | MaybeNone = column("The statements of its summary.")
    not_logged: Annotated[Sequence[Any], ArrayType(STATEMENT)] | MaybeNone = column(
        "What the logs do not show about it."
    )
    is_broker: bool | MaybeNone = column("For a fault: its node led a partition or had a broker's session.")
    is_controller: bool | MaybeNone = column(
        "For a fault: its node is a KRaft controller, and no line shows that it is a broker."
    )


@row("fault_lines", key=("event_id",))
class FaultLine(Row):
    """One line that proves a fault."""

    event_id: str = column("The line.")
    ts: datetime | MaybeNone = column("When.")
    kind: str | MaybeNone = column("Its kind.")


@row("partition_times", key=("incident_id",))
class PartitionTime(Row):
    """The times of partitions in one incident, summed over their own times."""

    incident_id: str = column("The incident.")
    leader_epoch_bumps: Long | MaybeNone = column("New leader epochs that kept their leader.")
    leaders_untold: Long | MaybeNone = column("Leader epochs whose previous leader no line shows.")
    unserved_min_ms: Long | MaybeNone = column("Time in which partitions had no live leader, at least.")
    unserved_max_ms: Long | MaybeNone = column("The same at most.")
    under_replicated_ms: Long | MaybeNone = column("Time with an ISR smaller than the replica set.")
    full_ts: datetime | MaybeNone = column("When the last ISR that was not full ended.")
    short_at_last: Long | MaybeNone = column("How many ISRs were still short at the end of these logs.")
    regained_ts: datetime | MaybeNone = column("When the last of the ISRs that shrank had its members again.")
    not_regained: Long | MaybeNone = column("How many of the ISRs that shrank never had all their members again.")


@row("leadership_at_last", key=("incident_id", "leader_id"))
class LeadershipAtLast(Row):
    """How many partitions a broker leads at the end of the logs; with an incident, how many of them it leads because
    the incident moved leadership away from the preferred replica.
    """

    incident_id: str | MaybeNone = column("The incident; null: all that the broker leads.")
    leader_id: int = column("The broker that leads as the logs end.")
    led: Long = column("Partitions that it leads; 0 in rows of incidents.")
    away: Long = column("Partitions that it leads instead of their preferred replica; 0 in rows without an incident.")
    partitions: Sequence[str] | MaybeNone = column("The latter, `topic-partition`.")


@row("unanswered_writes", key=("incident_id", "topic"))
class UnansweredWrites(Row):
    """Records of a topic that leaders stored during an incident while writes with acks=all were not acknowledged, and
    that were committed later.
    """

    incident_id: str = column("The incident.")
    topic: str = TOPIC
    offsets: Long = column("Offsets, at least: from the lines in which leaders drop a replica.")
    offsets_high: Long | MaybeNone = column(
        "Offsets, at most: what the high watermark passed from the wait to the leader's first line soon after it; null if "
        "no line shows it for every partition that waited."
    )
    partitions: Sequence[str] | MaybeNone = column("The partitions, `topic-partition`.")


@row("stale_leaders", key=("incident_id", "broker_id"))
class StaleLeader(Row):
    """A broker that considered itself leader of partitions for a second or longer after other leaders were elected."""

    incident_id: str = column("The incident.")
    broker_id: int = column("The broker.")
    longest_ms: Long = column("How long at most, as far as its lines show; at least if it `lasts`.")
    partitions: Sequence[str] | MaybeNone = column("The partitions, `topic-partition`.")
    acted_in: Sequence[str] | MaybeNone = column("Those in which a line shows that it acted as leader meanwhile.")
    lasts: bool | MaybeNone = column("It had not learned of its successors when its logs ended.")


ALIKE = StructType([StructField(name, LONG) for name in ("partitions", "low_ms", "high_ms")])
DOWN = StructType(
    [
        StructField("topic", StringType()),
        StructField("acks_all_low_ms", LONG),
        StructField("acks_all_high_ms", LONG),
        StructField("acks_all_led_high_ms", LONG),  # without clients of deposed leaders
        StructField("acks_one_low_ms", LONG),
        StructField("acks_one_high_ms", LONG),
        StructField("reads_low_ms", LONG),
        StructField("reads_high_ms", LONG),
        StructField("acks_all_partitions", LONG),
        StructField("acks_one_partitions", LONG),
        StructField("reads_partitions", LONG),
        StructField("partitions", LONG),
        StructField("acks_all_may_partitions", LONG),
        StructField("acks_one_may_partitions", LONG),
        StructField("reads_may_partitions", LONG),
        StructField("may_partitions", LONG),
        StructField("is_open", BOOLEAN),
        StructField("acks_all_shown", BOOLEAN),  # a line shows producers of the topic with acks=all
        *(
            StructField(f"{what}_{name}", kind)
            for what in ("acks_all", "acks_one", "reads")
            for name, kind in (("times", LONG), ("sure_times", LONG), ("is_open", BOOLEAN), ("may_last", BOOLEAN))
        ),
        *(StructField(f"{what}_alike", ArrayType(ALIKE)) for what in ("acks_all", "acks_one", "reads")),
    ]
)

IN_A_ROW = StructType(
    [
        StructField("topic", StringType()),
        StructField("incident_ids", ArrayType(StringType())),
        StructField("partitions", ArrayType(StringType())),
        StructField("low_ms", LONG),
        StructField("high_ms", LONG),
        StructField("is_open", BOOLEAN),
    ]
)

PROOF = StructType(
    [
        StructField("event_id", StringType()),
        StructField("finding_id", StringType()),
        StructField("proves", StringType()),
    ]
)


@row("incidents", key=("incident_id",))
class IncidentSummary(Row):
    """One incident: what happened, to which nodes, what it cost, what was lost, whether it is over, what to do next,
    and the lines that prove it. Everything that is shown about an incident comes from this row.
    """

    incident_id: str = column("Name of the incident, stable for the same input.")
    start_ts: datetime | MaybeNone = START
    end_ts: datetime | MaybeNone = END
    title: str | MaybeNone = column("One line.")
    told: str | MaybeNone = column("What happened, in a sentence or two.")
    severity: str | MaybeNone = column("The worst of its findings.")
    root_finding_id: str | MaybeNone = column("The finding it began with.")
    broker_ids: Sequence[int] | MaybeNone = column("The brokers at fault.")
    contributed_ids: Sequence[int] | MaybeNone = column("Brokers that made it worse, without those at fault.")
    t0_low: datetime | MaybeNone = column("Last proof of health before the root event.")
    t0_high: datetime | MaybeNone = column("First proof of the fault.")
    lasted_low_ms: Long | MaybeNone = column("How long it lasted, at least: from the latest begin.")
    lasted_high_ms: Long | MaybeNone = column(
        "The same at most: from the earliest begin; null if nothing shows it, or it is not over."
    )
    is_over: bool | MaybeNone = column(
        "No symptom of it remained at the end of these logs: every partition had a leader and a full ISR, no writes "
        "waited, no fault lasted. `afterwards` has the events after its end."
    )
    still: Sequence[str] | MaybeNone = column("What was still wrong at the end of these logs; empty if it was over.")
    afterwards: Sequence[str] | MaybeNone = column(
        "Events after its end: leadership that returned to preferred replicas and its cost, or that did not return; "
        "times in which writers waited and that no fault explains."
    )
    detected_low_ms: Long | MaybeNone = column(
        "From the latest begin of the fault that ended it to the first end of a session that the controller saw; null if no session ended, or only by "
        "routine work after a fault."
    )
    detected_high_ms: Long | MaybeNone = column("The same from the earliest begin.")
    elections: Long | MaybeNone = column(
        "Changes of leader to another broker and unclean elections, without preferred elections."
    )
    leaders_untold: Long | MaybeNone = column(
        "Leader epochs that began in it without a logged previous leader: whether the leader changed is unknown."
    )
    unclean_elections: Long | MaybeNone = column("Elections of a replica outside the ISR (and ELR) before it.")
    preferred_elections: Long | MaybeNone = column(
        "Leaderships returned to the preferred replica; `afterwards` has their cost."
    )
    leader_epoch_bumps: Long | MaybeNone = column("New leader epochs that kept their leader.")
    unserved_min_ms: Long | MaybeNone = column(
        "Sum over partitions of the time without a live leader, at least: no leader, or one whose process was dead or frozen, from the first proof of that to the last, or to the next leader."
    )
    unserved_max_ms: Long | MaybeNone = column("The same at most: from the last proof that the leader was well.")
    under_replicated_ms: Long | MaybeNone = column(
        "Sum over partitions of the time with an ISR smaller than the replica set; null if no replica set is known."
    )
    blocked_all_min_ms: Long | MaybeNone = INCIDENT_HARM["blocked_all_min_ms"]
    blocked_all_max_ms: Long | MaybeNone = INCIDENT_HARM["blocked_all_max_ms"]
    blocked_one_min_ms: Long | MaybeNone = INCIDENT_HARM["blocked_one_min_ms"]
    blocked_one_max_ms: Long | MaybeNone = INCIDENT_HARM["blocked_one_max_ms"]
    worst_partition: str | MaybeNone = INCIDENT_HARM["worst_partition"]
    worst_partition_ms: Long | MaybeNone = INCIDENT_HARM["worst_partition_ms"]
    partitions_blocked: Long | MaybeNone = INCIDENT_HARM["partitions_blocked"]
    partitions_known: Long | MaybeNone = INCIDENT_HARM["partitions_known"]
    leaderless_ms: Long | MaybeNone = INCIDENT_HARM["leaderless_ms"]
    under_min_isr_ms: Long | MaybeNone = INCIDENT_HARM["under_min_isr_ms"]
    single_copy_ms: Long | MaybeNone = INCIDENT_HARM["single_copy_ms"]
    at_min_isr_ms: Long | MaybeNone = INCIDENT_HARM["at_min_isr_ms"]
    dead_in_isr_ms: Long | MaybeNone = INCIDENT_HARM["dead_in_isr_ms"]
    internal_blocked_all_min_ms: Long | MaybeNone = INCIDENT_HARM["internal_blocked_all_min_ms"]
    internal_blocked_all_max_ms: Long | MaybeNone = INCIDENT_HARM["internal_blocked_all_max_ms"]
    internal_leaderless_ms: Long | MaybeNone = INCIDENT_HARM["internal_leaderless_ms"]
    is_open: bool | MaybeNone = column(
        "Some of that harm still lasted at the end of the logs: every such sum is a minimum."
    )
    unended: Sequence[str] | MaybeNone = INCIDENT_HARM["unended"]
    undated: Sequence[str] | MaybeNone = INCIDENT_HARM["undated"]
    down: Annotated[Sequence[Any], ArrayType(DOWN)] | MaybeNone = column(
        "By topic, how long, in wall-clock time, some of its partitions accepted no writes with acks=all, none with "
        "acks=1, and gave consumers no new record: at least (`low`) and at most (`high`); `partitions`: how many "
        "certainly accepted no writes of some kind; `acks_one_partitions` and the like: how many certainly did so, or where "
        "none did, how many may have; `may_partitions`, `acks_one_may_partitions` and the like: how many certainly or possibly did; `is_open`: it still lasted at the end of the logs."
    )
    in_a_row: Annotated[Sequence[Any], ArrayType(IN_A_ROW)] | MaybeNone = column(
        "By topic, how long partitions took no writes with acks=all without a break, if this incident and others have parts of "
        "that time: `down` has only the part of this one. Each of `partitions` waited at least `low_ms` and at most `high_ms`."
    )
    no_controller_low_ms: Long | MaybeNone = column("How long there was no active controller, at least.")
    no_controller_high_ms: Long | MaybeNone = column("The same at most.")
    partitions_affected: Long | MaybeNone = column(
        "Partitions that changed leader, lost members of their ISR, had a log truncated, or took no writes for a time."
    )
    lost_offsets_min: Long | MaybeNone = column("Committed offsets lost for sure.")
    lost_offsets_max: Long | MaybeNone = column("Committed offsets lost at most; null = unknown.")
    acked_possible_min: Long | MaybeNone = column(
        "Offsets above the commit point that were certainly discarded; whether an acks=1 producer received an "
        "acknowledgement for them is unknown."
    )
    acked_possible_max: Long | MaybeNone = column(
        "Discarded offsets that may have been acknowledged to an acks=1 producer; null = unknown, also if only ranges that may "
        "be committed were lost."
    )
    undetermined: Long | MaybeNone = column("Loss questions that the logs cannot answer.")
    unanswered_offsets: Long | MaybeNone = column(
        "Offsets, at least, that leaders stored while writes with acks=all had no answer, and committed later: the answer "
        "came late or never; null if leaders stored some and no line shows how many."
    )
    unanswered: str | MaybeNone = column("The same in words.")
    lost_committed: str | MaybeNone = column("What was lost of records that all in-sync replicas held, in words.")
    lost_uncommitted: str | MaybeNone = column("What was lost of records that not all in-sync replicas held, in words.")
    contributed_to: Sequence[str] | MaybeNone = column(
        "In sentences, the losses of other incidents that its faults contributed to: the faults kept the next leaders from copying "
        "the records. Empty without any."
    )
    contributed_offsets: Long | MaybeNone = column(
        "How many offsets those losses have, at most; null = unknown. No total includes them: they count in the incidents that "
        "completed the losses."
    )
    leaders_low_ms: Long | MaybeNone = column(
        "From the latest begin of its faults to a leader for every partition; null while open, or if none was without."
    )
    leaders_high_ms: Long | MaybeNone = column("The same from the earliest begin of the first.")
    isr_full_low_ms: Long | MaybeNone = column(
        "From the latest begin of its faults to full ISRs everywhere; null while open, or if none was short."
    )
    isr_full_high_ms: Long | MaybeNone = column("The same from the earliest begin of the first.")
    next_steps: Sequence[str] | MaybeNone = column("What to do next, the most urgent first.")
    proof: Annotated[Sequence[Any], ArrayType(PROOF)] | MaybeNone = column(
        "The lines that prove it, what each of them proves, and for which finding."
    )


REFUSED_WRITES = table_of(RefusedWrite)
SEQUENCE_GAPS = table_of(SequenceGap)
VERTICES = table_of(Vertex)
HAPPENINGS = table_of(Happening)
EDGES = table_of(Edge)
TIMES_WITHOUT_LEADER = table_of(TimeWithoutLeader)
ROOTS = table_of(Root)
CLUSTER_ROOTS = table_of(ClusterRoot)
REACH = table_of(Reach)
EFFECTS = table_of(Effect)
EFFECT_SUMS = table_of(EffectSum)
OPEN_LOSSES = table_of(OpenLoss)
LEADING_BROKERS = table_of(LeadingBroker)
ROOT_SPANS = table_of(RootSpan)
TROUBLE = table_of(Trouble)
RIVALS = table_of(Rival)
CLUSTER_RIVALS = table_of(ClusterRival)
INCIDENT_LINKS = table_of(IncidentLink)
INCIDENT_ROOTS = table_of(IncidentRoot)
CONCLUSIONS = table_of(Conclusion)
FAULT_LINES = table_of(FaultLine)
PARTITION_TIMES = table_of(PartitionTime)
LEADERSHIP_AT_LAST = table_of(LeadershipAtLast)
UNANSWERED_WRITES = table_of(UnansweredWrites)
STALE_LEADERS = table_of(StaleLeader)
INCIDENTS = table_of(IncidentSummary)
