"""The loss ledger."""

from __future__ import annotations

from replay.tables.columns import EVIDENCE, LIFE, PARTITION, TOPIC
from replay.tables.table import INT, INTS, LONG, STRING, TIMESTAMP, Table, column

# Verdicts of a loss under which records are gone, or may be.
OPEN_VERDICTS = ("PROVEN_LOSS", "POSSIBLE_LOSS", "UNDETERMINED")
GONE_VERDICTS = ("PROVEN_LOSS", "POSSIBLE_LOSS")

LOSSES = Table(
    name="losses",
    row="One judged leader change or restart that could have lost records.",
    key=("topic", "partition", "leader_epoch", "ts", "loss_class", "from_offset"),
    columns=(
        TOPIC,
        PARTITION,
        column("leader_epoch", INT, "The leader epoch in which the records are gone."),
        column("ts", TIMESTAMP, "When they were gone."),
        column("scenario", STRING, "S1-S9 of the facts, §3.3; null where whether the election was clean is not known."),
        column(
            "loss_class",
            STRING,
            "`committed`: below the old leader's commit point; `acked_possible`: above it, so only an acks=1 or acks=0 "
            "producer can have been told they were stored.",
        ),
        column(
            "verdict",
            STRING,
            "PROVEN_LOSS, POSSIBLE_LOSS, NO_COMMITTED_LOSS_BY_PROTOCOL, NO_LOSS_OBSERVED, UNDETERMINED.",
        ),
        column("from_offset", LONG, "First offset of the range."),
        column("to_offset_low", LONG, "[from, to_low) is lost for sure; null = nothing known."),
        column("to_offset_high", LONG, "[from, to_high) is lost at most; null = unknown."),
        column("old_leader_id", INT, "Broker whose log held the records."),
        column("new_leader_id", INT, "Broker whose log took its place."),
        column("recoverable_from", INTS, "Brokers that still held the range when last heard of."),
        column("premise", STRING, "The one thing that carries the verdict."),
        column("incident_id", STRING, "The incident it belongs to; null if to none."),
        EVIDENCE,
    ),
)

LEDGER = Table(
    name="ledger",
    row="One judged leader change or restart that could have lost records, of one topic of its name.",
    key=("topic", "life", *LOSSES.key[1:]),
    columns=(*(one for one in LOSSES.columns if one.name != "incident_id"), LIFE),
)
