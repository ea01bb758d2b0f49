"""Causes and conclusions: the graph, findings, incidents."""

from __future__ import annotations

from pyspark.sql.types import ArrayType, MapType, StringType, StructField, StructType

from replay.sentences.statement import STATEMENT
from replay.tables.availability import INCIDENT_HARM
from replay.tables.columns import END, EVIDENCE, LIFE, PARTITION, START, TOPIC
from replay.tables.losses import LOSSES
from replay.tables.table import BOOLEAN, DOUBLE, INT, INTS, LONG, STRING, STRINGS, TIMESTAMP, TIMESTAMPS, Table, column

REFUSED_WRITES = Table(
    name="refused_writes",
    row="Writes with acks=all that one leader refused in one partition for too few in-sync replicas, within one minute.",
    key=("id",),
    columns=(
        column("id", STRING, "Name of the vertex."),
        column("node_id", INT, "The leader."),
        TOPIC,
        PARTITION,
        column("ts", TIMESTAMP, "The first."),
        column("end_ts", TIMESTAMP, "The last."),
        column("count", LONG, "How many."),
        EVIDENCE,
    ),
)

VERTICES = Table(
    name="vertices",
    row="One cause or effect: a happening that several events may tell of.",
    key=("id",),
    columns=(
        column("id", STRING, "Name of the vertex."),
        column(
            "kind",
            STRING,
            "What happened: a fault's kind (`replay.faults.kinds`), or `detected`, `controller_change`, `leaderless`, "
            "`election`, `unclean_election`, `isr_shrink`, `truncation`, `recovery_cut`, `loss`, `writes_refused`.",
        ),
        column("code", STRING, "Code of a fault, F01 …; null of what is none."),
        column("ts", TIMESTAMP, "When."),
        column("end_ts", TIMESTAMP, "When its harm was over; null where it was over at once, or is still open."),
        column("node_id", INT, "Broker it happened on, if on one."),
        column("topic", STRING, "Topic, if it concerns one partition."),
        column("partition", INT, "Partition, if it concerns one."),
        column("leader_epoch", INT, "Leader epoch, if it concerns one."),
        column("label", STRING, "One line for the graph."),
        column("reason", STRING, "The name of that line's wording (`replay.sentences.causes`)."),
        column("arguments", MapType(StringType(), StringType()), "What that line names."),
        column("incident_id", STRING, "Incident it belongs to."),
        EVIDENCE,
    ),
)

HAPPENINGS = VERTICES.extended(
    "happenings",
    "One vertex with all that the rules of causality ask of it.",
    column("name", STRING, "`topic-partition`, if it concerns one partition."),
    column("life", INT, "Which topic of its name."),
    column("begin_ts", TIMESTAMP, "From when on effects may follow from it."),
    column("over_ts", TIMESTAMP, "When what caused it was over: the end of a fault; null while it lasts."),
    column("about", INTS, "Brokers whose session, leadership or membership it ends; of a fault the node at fault."),
    column("leader_id", INT, "Leader of the partition in it."),
    column("new_leader_id", INT, "Broker that leads after it."),
    column("names", STRINGS, "Partitions that a fault befell, by name; empty: all of its node."),
    column(
        "by",
        STRING,
        "What made it: the trigger of an election, how a session ended, the scenario of a loss, how controllers are elected; "
        "`untold`: of a time without a leader, that no line tells who led last.",
    ),
    column("elected_from", STRING, "Where a new leader came from, as in `elections`."),
)

CLUSTER_HAPPENINGS = HAPPENINGS.extended("cluster_happenings", "One happening that concerns no partition.")

EDGES = Table(
    name="edges",
    row="One cause and its effect.",
    key=("src", "dst", "relation"),
    columns=(
        column("src", STRING, "Cause (`vertices.id`)."),
        column("dst", STRING, "Effect (`vertices.id`)."),
        column("relation", STRING, "Causality rule (docs/rules.md), R1 …"),
        column("because", STRING, "The facts that join the two, as a sentence."),
        column("reason", STRING, "The name of that sentence's wording (`replay.sentences.causes`)."),
        column("arguments", MapType(StringType(), StringType()), "What that sentence names."),
        column("aspect", STRING, "What of the effect it explains: causes of one aspect are rivals."),
        column("rank", INT, "1: the cause that is accepted; 2 and more: its rivals, the likelier first."),
        column("confidence", DOUBLE, "How sure, 0 to 1: the rule's own, shared among equally good candidates."),
        column(
            "delay_ms",
            LONG,
            "From the first line of the cause to the effect, in corrected time; a fault may have begun before its first line.",
        ),
    ),
)

CLUSTER_EDGES = EDGES.extended("cluster_edges", "One cause and its effect, where the effect concerns no partition.")

UNSERVED = Table(
    name="unserved",
    row="One time in which a partition had no leader, or one whose process was dead or stood still, until the next one leads.",
    key=("topic", "life", "partition", "bound", "start_ts"),
    columns=(
        TOPIC,
        LIFE,
        PARTITION,
        column(
            "bound",
            STRING,
            "`least`: from the first proof that the leader was gone to the last; `most`: from the last that it was well to the first that it was so again.",
        ),
        START,
        column("end_ts", TIMESTAMP, "When the next one leads; null where the logs end first."),
    ),
)

ROOTS = Table(
    name="roots",
    row="One vertex and the happenings without a cause from which accepted edges lead to it; itself if it has none.",
    key=("id",),
    columns=(
        column("id", STRING, "The vertex."),
        column("root_ids", STRINGS, "Its roots, the nearest first."),
        column("distances", INTS, "How many edges lie between it and each of them, at least."),
    ),
)

REACH = Table(
    name="reach",
    row="All vertices that have the same roots.",
    key=("root_ids",),
    columns=(
        column("root_ids", STRINGS, "The roots, by name."),
        column("last_ts", TIMESTAMP, "The last of these vertices."),
        column("count", LONG, "How many they are."),
    ),
)

EFFECTS = Table(
    name="effects",
    row="One vertex that concerns no partition; or all of one kind that differ in nothing but partition and time.",
    key=("id", "kind", "by", "node_id", "incident_id", "root_ids"),
    columns=(
        column("id", STRING, "The vertex that concerns no partition; null for vertices of partitions."),
        column("kind", STRING, "What happened, as in `vertices`."),
        column("by", STRING, "What made it, as in `happenings`."),
        column("node_id", INT, "Broker it happened on, if on one."),
        column("incident_id", STRING, "Incident it belongs to."),
        column("root_ids", STRINGS, "Its roots, the nearest first."),
        column("elected_from", STRING, "Where a new leader came from, as in `elections`."),
        column(
            "is_other_leader", BOOLEAN, "A new leader is another than the one before; null where that is not known."
        ),
        column("is_open", BOOLEAN, "Its harm had no end in these logs."),
        column("is_passing", BOOLEAN, "Without a leader for so short that it was one controller action in two writes."),
        column("count", LONG, "How many vertices these are."),
        column("ts", TIMESTAMP, "The first."),
        column("last_ts", TIMESTAMP, "The last."),
        column("over_ts", TIMESTAMP, "When the harm of all was over; null where there was none."),
        column("sum_ms", LONG, "Sum of the times to the end of their harm."),
        column("longest_ms", LONG, "The longest of these."),
        column("partitions", STRINGS, "The partitions, `topic-partition`."),
        column("first_id", STRING, "The name of the first vertex."),
        EVIDENCE,
        column("evidence_ts", TIMESTAMPS, "When the vertex happened that each event of `evidence` is of."),
    ),
)

PLACED_LOSSES = LOSSES.extended("placed_losses", "One row of the ledger with its incident.", LIFE)

OPEN_LOSSES = LOSSES.extended(
    "open_losses",
    "One row of the ledger under which records are gone, or may be, with what it follows from.",
    column("root_ids", STRINGS, "The roots of the loss, the nearest first."),
    column("election_root_ids", STRINGS, "The roots of its election, the nearest first."),
    column("election_id", STRING, "The vertex of its election."),
)

LEADING_BROKERS = Table(
    name="leading_brokers",
    row="One broker that led a partition.",
    key=("broker_id",),
    columns=(column("broker_id", INT, "The broker."),),
)

ROOT_SPANS = Table(
    name="root_spans",
    row="One fault that nothing else caused, with the time of its effects, and its incident.",
    key=("root_id",),
    columns=(
        column("root_id", STRING, "The fault (`faults.fault_id`)."),
        column("code", STRING, "Its code."),
        column("kind", STRING, "Its kind."),
        column("broker_id", INT, "Node at fault."),
        column("ts", TIMESTAMP, "Its first proof."),
        column("end_ts", TIMESTAMP, "The end of it, of its last effect and of their harm."),
        column("effects", LONG, "How many vertices follow from it."),
        column("incident_id", STRING, "Its incident."),
    ),
)

ALL_ROOT_SPANS = ROOT_SPANS.extended(
    "all_root_spans", "One fault that nothing else caused, with the time of its effects, before its incident is known."
)

TROUBLE = Table(
    name="trouble",
    row="Lines of one kind within a few minutes that tell of trouble, whether or not a fault explains them.",
    key=("kind", "ts"),
    columns=(
        column("kind", STRING, "Kind of the events, or the logger of lines that no template knows."),
        column("rank", INT, "Which tell most: 1 fatal errors, 2 errors, 3 the rest."),
        column("ts", TIMESTAMP, "The first."),
        column("end_ts", TIMESTAMP, "The last."),
        column("count", LONG, "How many."),
        column("nodes", INTS, "Nodes that print them."),
        column("example", STRING, "The first of them."),
        column("caused_by", STRING, "The innermost exception under it."),
        EVIDENCE,
    ),
)

TOLD_ERRORS = TROUBLE.extended("told_errors", "Lines of one kind within a few minutes that are errors, or name a loss.")
UNTOLD_TROUBLE = TROUBLE.extended(
    "untold_trouble", "Lines that tell of trouble in a wording of which nothing is known."
)

RIVALS = Table(
    name="rivals",
    row="One fault, and another that could have caused the same effects and is not told apart from it.",
    key=("fault_id", "rival_id"),
    columns=(
        column("fault_id", STRING, "The fault that is accepted as the cause."),
        column("rival_id", STRING, "The other."),
        column("effects", LONG, "How many effects both could have caused."),
        column("confidence", DOUBLE, "How sure the other would be, 0 to 1."),
    ),
)

BONDS = Table(
    name="bonds",
    row="Two roots that belong to one incident.",
    key=("src", "dst"),
    columns=(
        column("src", STRING, "The earlier root."),
        column("dst", STRING, "The later one."),
        column(
            "reason",
            STRING,
            "`shared_effect`, `shared_harm` (their harm overlaps in one partition), `at_once`, `no_quorum` (they began while "
            "nothing could be decided), `rolling`.",
        ),
    ),
)

SHARED_HARMS = Table(
    name="shared_harms",
    row="Two roots whose harm to one partition overlaps in time.",
    key=("src", "dst"),
    columns=(
        column("src", STRING, "One of them."),
        column("dst", STRING, "The other."),
    ),
)

INCIDENT_ROOTS = Table(
    name="incident_roots",
    row="One root and the least id of its incident's roots: the connected components of `bonds`.",
    key=("id",),
    columns=(
        column("id", STRING, "The root."),
        column("first", STRING, "The least id of the roots that it hangs together with."),
    ),
)

FINDINGS = Table(
    name="findings",
    row="One conclusion.",
    key=("finding_id",),
    columns=(
        column("finding_id", STRING, "Name of the finding, stable for the same input."),
        column("incident_id", STRING, "Incident it belongs to."),
        column("code", STRING, "Fault of the taxonomy (facts §5), F01 …"),
        column("role", STRING, "`root_cause`, `contributing`, `effect`, `benign`."),
        column("severity", STRING, "`critical`, `high`, `medium`, `low`, `info`."),
        column("title", STRING, "One line."),
        column("summary", STRING, "What happened, how it is known, what else it could be and what would tell."),
        START,
        END,
        column("broker_ids", INTS, "For a root cause the brokers at fault, else those concerned."),
        column("partitions", STRINGS, "Partitions concerned, `topic-partition`."),
        column("confidence", DOUBLE, "How sure, 0 to 1."),
        column("blind_spots", STRINGS, "What the logs at hand cannot tell about it; empty if nothing is missing."),
        column("began_low", TIMESTAMP, "It began no earlier than this; null on what has no begin of its own."),
        column("began_high", TIMESTAMP, "It began no later than this."),
        column("ended_low", TIMESTAMP, "It ended no earlier than this."),
        column("ended_high", TIMESTAMP, "It ended no later than this; null while these logs have no end of it."),
        column("reason", STRING, "The name of the title's wording (`replay.sentences.findings`)."),
        column("arguments", MapType(StringType(), StringType()), "What the title names."),
        EVIDENCE,
    ),
)

CONCLUSIONS = Table(
    name="conclusions",
    row="One conclusion as data: its sentences are not drawn yet.",
    key=("finding_id",),
    columns=(
        *(c for c in FINDINGS.columns if c.name not in ("title", "summary", "blind_spots")),
        column("said", ArrayType(STATEMENT), "The statements of its summary."),
        column("not_logged", ArrayType(STATEMENT), "What the logs at hand cannot tell about it."),
        column("is_broker", BOOLEAN, "Of a fault: its node led a partition or had a broker's session."),
    ),
)

FAULT_LINES = Table(
    name="fault_lines",
    row="One line that proves a fault.",
    key=("event_id",),
    columns=(
        column("event_id", STRING, "The line."),
        column("ts", TIMESTAMP, "When."),
        column("kind", STRING, "Its kind."),
    ),
)

PARTITION_TIMES = Table(
    name="partition_times",
    row="What partitions went through in one incident, summed over their own times.",
    key=("incident_id",),
    columns=(
        column("incident_id", STRING, "The incident."),
        column("leader_epoch_bumps", LONG, "New leader epochs that kept their leader."),
        column("leaders_untold", LONG, "Leader epochs of which no line names the leader before."),
        column("unserved_min_ms", LONG, "Time in which partitions had no live leader, at least."),
        column("unserved_max_ms", LONG, "The same at most."),
        column("under_replicated_ms", LONG, "Time with an ISR smaller than the replica set."),
        column("full_ts", TIMESTAMP, "When the last ISR that was not full ended."),
        column("short_at_last", LONG, "How many ISRs were still short at the end of these logs."),
    ),
)

DOWN = StructType(
    [
        StructField("topic", StringType()),
        StructField("acks_all_low_ms", LONG),
        StructField("acks_all_high_ms", LONG),
        StructField("acks_one_low_ms", LONG),
        StructField("acks_one_high_ms", LONG),
        StructField("reads_low_ms", LONG),
        StructField("reads_high_ms", LONG),
        StructField("partitions", LONG),
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

INCIDENTS = Table(
    name="incidents",
    row="One incident: what happened, whom it befell, what it cost, what was lost, whether it is over, what to do next, "
    "and the lines that prove it. All that is shown of an incident anywhere is drawn from this row.",
    key=("incident_id",),
    columns=(
        column("incident_id", STRING, "Name of the incident, stable for the same input."),
        START,
        END,
        column("title", STRING, "One line."),
        column("told", STRING, "What happened, in a sentence or two."),
        column("severity", STRING, "The worst of its findings."),
        column("root_finding_id", STRING, "The finding it began with."),
        column("broker_ids", INTS, "The brokers at fault."),
        column("contributed_ids", INTS, "Brokers that made it worse, none of those at fault."),
        column("t0_low", TIMESTAMP, "Last proof of health before the root event."),
        column("t0_high", TIMESTAMP, "First proof of the fault."),
        column("lasted_low_ms", LONG, "How long it lasted, at least: from the latest begin."),
        column(
            "lasted_high_ms", LONG, "The same at most: from the earliest begin; null if nothing tells when that was."
        ),
        column("is_over", BOOLEAN, "Nothing of it was left at the end of these logs."),
        column("still", STRINGS, "What was still wrong at the end of these logs; empty if it was over."),
        column(
            "detected_low_ms",
            LONG,
            "From the latest begin to the first end of a session that the controller saw; null if no session ended.",
        ),
        column("detected_high_ms", LONG, "The same from the earliest begin."),
        column(
            "elections", LONG, "Changes of leader to another broker and unclean elections, without preferred elections."
        ),
        column(
            "leaders_untold",
            LONG,
            "Leader epochs that began in it and of which no line names the leader before: whether the leader changed is not known.",
        ),
        column("unclean_elections", LONG, "Elections of a replica outside the ISR (and ELR) before it."),
        column("preferred_elections", LONG, "Leaderships given back to the preferred replica: no harm of the fault."),
        column("leader_epoch_bumps", LONG, "New leader epochs that kept their leader."),
        column(
            "unserved_min_ms",
            LONG,
            "Sum over partitions of the time in which they had no live leader, at least: no leader, or one whose process was dead or frozen, from the first proof of that to the last, or to the next leader.",
        ),
        column("unserved_max_ms", LONG, "The same at most: from the last proof that the leader was well."),
        column(
            "under_replicated_ms",
            LONG,
            "Sum over partitions of the time with an ISR smaller than the replica set; null if no replica set is known.",
        ),
        *(c for c in INCIDENT_HARM.columns if c.name not in ("incident_id", "is_open")),
        column("is_open", BOOLEAN, "Some of that harm still lasted as the logs ended: every such sum is at least."),
        column(
            "down",
            ArrayType(DOWN),
            "By topic, how long by the clock some of its partitions took no writes with acks=all, none with acks=1, and "
            "could not be read: at least (`low`) and at most (`high`); `partitions`: how many surely took no writes of "
            "some kind; `is_open`: it still lasted as the logs ended.",
        ),
        column("no_controller_low_ms", LONG, "How long there was no active controller, at least."),
        column("no_controller_high_ms", LONG, "The same at most."),
        column(
            "partitions_affected",
            LONG,
            "Partitions that changed leader, lost members of their ISR, had a log cut, or took no writes for a while.",
        ),
        column("lost_offsets_min", LONG, "Committed offsets lost for sure."),
        column("lost_offsets_max", LONG, "Committed offsets lost at most; null = unknown."),
        column(
            "acked_possible_min",
            LONG,
            "Offsets above the commit point that surely were discarded; that an acks=1 producer was told they were stored is "
            "possible, no more.",
        ),
        column(
            "acked_possible_max",
            LONG,
            "Discarded offsets that an acks=1 producer may have been told were stored; null = unknown.",
        ),
        column("undetermined", LONG, "Loss questions that the logs cannot answer."),
        column("lost_committed", STRING, "What was lost of records that all in-sync replicas held, in words."),
        column("lost_uncommitted", STRING, "What was lost of records that only a leader held, in words."),
        column(
            "leaders_low_ms",
            LONG,
            "From the latest begin of its faults to a leader for every partition; null while open, or where none was without.",
        ),
        column("leaders_high_ms", LONG, "The same from the earliest begin of the first."),
        column(
            "isr_full_low_ms",
            LONG,
            "From the latest begin of its faults to full ISRs everywhere; null while open, or where none was short.",
        ),
        column("isr_full_high_ms", LONG, "The same from the earliest begin of the first."),
        column("next_steps", STRINGS, "What to do next, the most urgent first."),
        column("proof", ArrayType(PROOF), "The lines that prove it, what each of them proves, and of which finding."),
    ),
)
