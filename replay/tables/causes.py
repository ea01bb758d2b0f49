"""Causes and conclusions: the graph, findings, incidents."""

from __future__ import annotations

from replay.tables.columns import END, EVIDENCE, START
from replay.tables.table import DOUBLE, INT, INTS, LONG, STRING, STRINGS, TIMESTAMP, Table, column

VERTICES = Table(
    name="vertices",
    row="One cause or effect: a happening that several events may tell of.",
    key=("id",),
    columns=(
        column("id", STRING, "Name of the vertex."),
        column("kind", STRING, "What happened, in one word (crash, detection, election, isr_shrink …)."),
        column("ts", TIMESTAMP, "When."),
        column("node_id", INT, "Broker it happened on, if on one."),
        column("topic", STRING, "Topic, if it concerns one partition."),
        column("partition", INT, "Partition, if it concerns one."),
        column("leader_epoch", INT, "Leader epoch, if it concerns one."),
        column("label", STRING, "One line for the graph."),
        column("incident_id", STRING, "Incident it belongs to."),
        EVIDENCE,
    ),
)

EDGES = Table(
    name="edges",
    row="One cause and its effect.",
    key=("src", "dst", "relation"),
    columns=(
        column("src", STRING, "Cause (`vertices.id`)."),
        column("dst", STRING, "Effect (`vertices.id`)."),
        column("relation", STRING, "Causality rule (facts §6.1), R1 …"),
        column("because", STRING, "The facts that join the two, as a sentence."),
        column("confidence", DOUBLE, "How sure, 0 to 1."),
        column("delay_ms", LONG, "From cause to effect, in corrected time."),
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
        EVIDENCE,
    ),
)

INCIDENTS = Table(
    name="incidents",
    row="One incident.",
    key=("incident_id",),
    columns=(
        column("incident_id", STRING, "Name of the incident, stable for the same input."),
        START,
        END,
        column("title", STRING, "One line."),
        column("severity", STRING, "The worst of its findings."),
        column("root_finding_id", STRING, "The finding it began with."),
        column("t0_low", TIMESTAMP, "Last proof of health before the root event."),
        column("t0_high", TIMESTAMP, "First proof of the fault."),
        column(
            "time_to_detect_ms",
            LONG,
            "From the first proof of the fault to the controller's detection; null if it never acted.",
        ),
        column("elections", LONG, "Changes of leader to another broker."),
        column(
            "leaders_untold",
            LONG,
            "Leader epochs that began in it and of which no line names the leader before: whether the leader changed is not known.",
        ),
        column("unclean_elections", LONG, "Elections of a replica outside the ISR (and ELR) before it."),
        column("leader_epoch_bumps", LONG, "New leader epochs that kept their leader."),
        column("leaderless_ms", LONG, "Sum over partitions of the time without a leader, by the controller's record."),
        column(
            "unserved_min_ms",
            LONG,
            "Sum over partitions of the time in which nobody served them, at least: without a leader, or with one whose process was dead or stood still, from the first proof of that to the next leader.",
        ),
        column("unserved_max_ms", LONG, "The same at most: from the last proof that the leader was well."),
        column(
            "under_replicated_ms",
            LONG,
            "Sum over partitions of the time with an ISR smaller than the replica set; null if no replica set is known.",
        ),
        column(
            "under_min_isr_ms",
            LONG,
            "Sum over partitions of the time with an ISR below min.insync.replicas; null if that is not known.",
        ),
        column(
            "single_copy_ms", LONG, "Sum over partitions of the time with one in-sync replica; null if no ISR is known."
        ),
        column("controller_downtime_ms", LONG, "Time without an active controller."),
        column(
            "partitions_affected",
            LONG,
            "Partitions that changed leader, lost members of their ISR, had a log cut or refused writes.",
        ),
        column("lost_offsets_min", LONG, "Committed offsets lost for sure."),
        column("lost_offsets_max", LONG, "Committed offsets lost at most; null = unknown."),
        column(
            "acked_possible_max",
            LONG,
            "Discarded offsets that an acks=1 producer may have been told were stored; null = unknown.",
        ),
        column("undetermined", LONG, "Loss questions that the logs cannot answer."),
        column(
            "leader_restored_ms",
            LONG,
            "From the first proof to a leader everywhere, 0 if there always was one; null if not reached.",
        ),
        column(
            "full_isr_ms",
            LONG,
            "From the first proof to full ISRs everywhere, 0 if they always were; null if not reached or not known.",
        ),
    ),
)
