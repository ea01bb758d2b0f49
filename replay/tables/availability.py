"""Availability: when a partition took writes, and what the incidents cost."""

from __future__ import annotations

from replay.tables.columns import CONFIDENCE, END, EVIDENCE, PARTITION, START, TOPIC
from replay.tables.table import BOOLEAN, INT, INTS, LONG, STRING, STRINGS, TIMESTAMP, Table, column

ACKS = column("acks", STRING, "The kind of producer: `all`, or `1` (the leader alone).")

AVAILABILITY = Table(
    name="availability",
    row="A time in which one partition took writes of one kind, or did not, or it is not known. The"
    " times of one partition and kind do not overlap.",
    key=("topic", "partition", "acks", "start_ts"),
    columns=(
        TOPIC,
        PARTITION,
        ACKS,
        START,
        END,
        column(
            "state",
            STRING,
            "`open`: nothing in these logs stood against it; `closed`: it surely took none; `unknown`: "
            "it may have taken some.",
        ),
        column("reason", STRING, "Why not (`replay.availability.reasons`); null if open."),
        column("fault_id", STRING, "The fault behind it (`findings.finding_id`); null if none is known."),
        CONFIDENCE,
        EVIDENCE,
    ),
)

NODE_OUTAGES = Table(
    name="node_outages",
    row="A time in which one node did not do its work as a leader or as a follower.",
    key=("fault_id", "node_id"),
    columns=(
        column("fault_id", STRING, "The fault."),
        column("node_id", INT, "The node."),
        column(
            "peers",
            INTS,
            "The nodes that it could not reach; null: it reached none, or nothing is said of single ones.",
        ),
        column("partitions", STRINGS, "The partitions concerned, `topic-partition`; null: all of the node's."),
        column(
            "as_leader",
            STRING,
            "The reason why its own partitions take no writes at all; null: they may take those of acks=1.",
        ),
        column(
            "leads", STRING, "What writes to its own partitions meet: `closed`, `unknown`; null: acks=1 is not touched."
        ),
        column(
            "follows",
            STRING,
            "What acks=all meets while it is in the ISR of another leader: `closed`, `unknown`; null: "
            "it goes on fetching.",
        ),
        column("is_cut", BOOLEAN, "The way to its peers is cut: as a leader it waits for them, as they do for it."),
        column("may_lead_on", BOOLEAN, "It may have taken writes on though the controllers took it for gone."),
        column("must_start", BOOLEAN, "It does its work again only after a line with which it takes up the partition."),
        column("low_ts", TIMESTAMP, "The last proof that it did its work; null if there is none."),
        column("from_ts", TIMESTAMP, "It surely did not from here on."),
        column("to_ts", TIMESTAMP, "It surely did not until here; null while that is still open."),
        column("back_ts", TIMESTAMP, "It surely did its work again from here on; null if no line tells."),
        EVIDENCE,
    ),
)

TENURES = Table(
    name="tenures",
    row="One leader epoch, with when its leader took it up and when the next one did.",
    key=("topic", "partition", "leader_epoch", "start_ts"),
    columns=(
        TOPIC,
        PARTITION,
        column("leader_epoch", INT, "The leader epoch."),
        column("leader_id", INT, "Its leader; -1 none."),
        column("last_leader_id", INT, "The last leader before it; null if there was none."),
        START,
        column("serves_ts", TIMESTAMP, "When its leader took it up; null if it has none."),
        column("next_start_ts", TIMESTAMP, "When the next leader epoch was decided; null if there is none."),
        column(
            "until_ts", TIMESTAMP, "When a leader of a later epoch took that up, or the topic ended; null if neither."
        ),
        EVIDENCE,
    ),
)

BROKERS_WORDS = Table(
    name="brokers_words",
    row="A line with which a broker takes up one partition, tells the ISR that it leads with or puts off its next fetch;"
    " or its first refusals of acks=all.",
    key=("topic", "partition", "node_id", "ts", "kind"),
    columns=(
        TOPIC,
        PARTITION,
        column("node_id", INT, "The broker."),
        column("kind", STRING, "The kind of event; `writes_refused`: it refused acks=all."),
        column("ts", TIMESTAMP, "When."),
        column("leader_epoch", INT, "The leader epoch that it names; null if none."),
        column("isr", INTS, "The ISR that it names; null if none."),
        column("event_id", STRING, "The line; null for refusals."),
    ),
)

CLAIMS = Table(
    name="claims",
    row="One reason for which one partition took no writes of one kind for a while, or perhaps took"
    " none. Claims may overlap.",
    key=("topic", "partition", "acks", "start_ts", "reason"),
    columns=(
        TOPIC,
        PARTITION,
        ACKS,
        START,
        END,
        column("state", STRING, "`closed` or `unknown`."),
        column("reason", STRING, "Why (`replay.availability.reasons`)."),
        column("fault_id", STRING, "The fault behind it; null if none is known."),
        column("suspects", INTS, "The brokers whose fault it may be, where no fault is named."),
        CONFIDENCE,
        EVIDENCE,
    ),
)

HARM_SPANS = Table(
    name="harm_spans",
    row="A time of one partition that cost something.",
    key=("kind", "topic", "partition", "acks", "start_ts"),
    columns=(
        column("kind", STRING, "`blocked`, `leaderless`, `under_min_isr`, `single_copy`."),
        TOPIC,
        PARTITION,
        column("name", STRING, "The partition, `topic-partition`."),
        column("acks", STRING, "Of a blocked time: the kind of producer."),
        column("is_sure", BOOLEAN, "Whether it surely was so."),
        column("is_internal", BOOLEAN, "Whether the topic is one of Kafka's own."),
        column("stops_reads", BOOLEAN, "Of a blocked time: nothing could be read either."),
        column("fault_id", STRING, "The fault behind it, where one is known."),
        START,
        column("end_ts", TIMESTAMP, "When it ended; where it did not, the last line of the logs."),
        column("is_open", BOOLEAN, "It lasted as the logs ended."),
        column("ms", LONG, "How long it lasted."),
    ),
)

_BLOCKED = "in which writes with acks={} were not taken, {}, summed over partitions."

INCIDENT_HARM = Table(
    name="incident_harm",
    row="What one incident cost, summed over the partitions' own times.",
    key=("incident_id",),
    columns=(
        column("incident_id", STRING, "The incident."),
        column("blocked_all_min_ms", LONG, "Time " + _BLOCKED.format("all", "at least")),
        column("blocked_all_max_ms", LONG, "Time " + _BLOCKED.format("all", "at most")),
        column("blocked_one_min_ms", LONG, "Time " + _BLOCKED.format("1", "at least")),
        column("blocked_one_max_ms", LONG, "Time " + _BLOCKED.format("1", "at most")),
        column(
            "worst_partition",
            STRING,
            "The partition that was surely blocked longest, `topic-partition`; null if none was.",
        ),
        column(
            "worst_partition_ms", LONG, "How long that was, at least, for the kind of producer that it was longer for."
        ),
        column("partitions_blocked", LONG, "Partitions that surely took no writes of some kind for a while."),
        column("partitions_known", LONG, "Partitions that these logs tell of, internal topics left out."),
        column(
            "leaderless_ms",
            LONG,
            "Time without a leader, by the controller's record, summed over partitions, internal ones too.",
        ),
        column(
            "under_min_isr_ms",
            LONG,
            "Time with an ISR below min.insync.replicas, summed over the partitions of which that is known.",
        ),
        column("single_copy_ms", LONG, "Time with one in-sync replica of several, summed over partitions."),
        column(
            "internal_blocked_all_min_ms",
            LONG,
            "As `blocked_all_min_ms`, of internal topics, which are in none of the others: groups that "
            "could not commit, transactions that could not go on.",
        ),
        column("internal_blocked_all_max_ms", LONG, "The same at most."),
        column("internal_leaderless_ms", LONG, "Time without a leader of partitions of internal topics."),
        column("is_open", BOOLEAN, "Some of this still lasted as the logs ended: every sum is at least."),
    ),
)

BLOCKED_TIMES = Table(
    name="blocked_times",
    row="A time in which one partition took no writes of one kind, or could not be read, or perhaps so, in one incident.",
    key=("topic", "partition", "what", "start_ts"),
    columns=(
        TOPIC,
        PARTITION,
        column("name", STRING, "The partition, `topic-partition`."),
        column("incident_id", STRING, "The incident."),
        column("what", STRING, "`acks_all`, `acks_one`, `reads`."),
        column("is_sure", BOOLEAN, "Whether it surely was so."),
        START,
        column("end_ts", TIMESTAMP, "When it ended; where it did not, the last line of the logs."),
        column("is_open", BOOLEAN, "It lasted as the logs ended."),
    ),
)

TOPIC_DOWN = Table(
    name="topic_down",
    row="How long by the clock, in one incident, some partition of a topic took no writes of one kind, or could not be read.",
    key=("incident_id", "topic", "what"),
    columns=(
        column("incident_id", STRING, "The incident."),
        TOPIC,
        column("what", STRING, "`acks_all`, `acks_one`, `reads`."),
        column("low_ms", LONG, "How long, at least."),
        column("high_ms", LONG, "How long, at most."),
        column(
            "shortest_ms",
            LONG,
            "How long, at least, the partition was that was so the shortest, of those of which it is sure.",
        ),
        column("partitions", STRINGS, "The partitions of which that is sure, `topic-partition`."),
        column("is_open", BOOLEAN, "It lasted as the logs ended."),
    ),
)

FAULT_VERTICES = Table(
    name="fault_vertices",
    row="One fault of the graph, and its incident.",
    key=("id",),
    columns=(column("id", STRING, "The fault."), column("incident_id", STRING, "Its incident.")),
)

_TOTALS = tuple(one for one in INCIDENT_HARM.columns if one.name.endswith("_ms") and one.name != "worst_partition_ms")

HARM_SUMS = INCIDENT_HARM.extended(
    "harm_sums", "What one incident cost. A row without an incident counts the partitions that these logs tell of."
)

PARTITION_HARM = Table(
    name="partition_harm",
    row="What one incident cost one partition. A row without an incident: the partition is known, and no internal one.",
    key=("topic", "partition", "incident_id"),
    columns=(
        TOPIC,
        PARTITION,
        column("name", STRING, "The partition, `topic-partition`."),
        column("incident_id", STRING, "The incident."),
        *_TOTALS,
        column("is_blocked", BOOLEAN, "It surely took no writes of some kind for a while; false of internal topics."),
        column(
            "worst_ms", LONG, "How long, at least, for the kind of producer that it was longer for; null if it was not."
        ),
        column("is_open", BOOLEAN, "Some of this still lasted as the logs ended."),
    ),
)
