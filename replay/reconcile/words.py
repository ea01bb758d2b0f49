"""The verdicts of records in words."""

from __future__ import annotations

from replay.reconcile.cells import Cell

_OPEN = "Its leader epoch or its producer's acks would decide it, or --clock-error."
_OPEN_TOPIC = "A smaller --clock-error would decide it."
_BY_ORDER = "The order of the records around it decides which."
_REASONS = {
    "no_epoch": "No leader epoch of these logs covers this offset at this time. The logs of {brokers} at this time would decide it.",
    "no_partition": "These logs have no line about this partition. The logs of its brokers would decide it.",
    "unreadable": "This row has no readable topic, partition and offset.",
    "topic_deleted": "Written in leader epoch {epochs} of a topic that was deleted and created again.",
    "truncated": "Written in leader epoch {epochs}; the log was truncated to offset {cut} or below when leader epoch {by} began.",
    "after_the_logs": "Acknowledged after the last line of these logs. Later logs would decide it.",
    "before_the_topic": "Times of this application precede leader epoch 0 of the topic: its clock is behind, or a topic of this name was deleted "
    "before these logs begin. Earlier logs would decide it.",
    "log_deleted": "Acknowledged before a broker deleted its log of this partition: the replica moved, or the topic was deleted and can have been "
    "created again. The server.log and state-change.log of the other replicas at that time would decide it.",
    "epochs_without_lines": "No line shows leader epoch {unknown}, in which it can have been written. Earlier logs of the partition's brokers "
    "would decide it, or kafka-dump-log of the leader's segments.",
    "logs_end_before_the_records": "The logs of the partition's brokers end before these records do, and not all of its brokers' logs are "
    "here. Their logs would decide it.",
    "retried": "The leader that acknowledged it lost it. The surviving log of the leader before ends with records that this application has no "
    "acknowledgement of: this can be a second copy, stored by a retry, of one that is kept. Its key would decide it, or kafka-dump-log of the segments.",
    "below_log_start": "Leader epoch {epochs} wrote it; the log starts at offset {log_start} now.",
    "compacted": "Leader epoch {epochs} wrote it; compaction has gone up to offset {compacted_to}.",
    "in_surviving_log": "The surviving log holds this offset of leader epoch {epochs}.",
    "start_of_later_epoch_unknown": "Written in leader epoch {epochs}; no line shows where the log of a later leader began. That leader's "
    "leader-epoch-checkpoint would decide it, or kafka-dump-log of its segments.",
    "either_topic": "A topic of this name was deleted and created again. Both wrote this offset, and the time of the record fits both: one record "
    f"is kept, others are gone. {_OPEN_TOPIC}",
    "either_epoch": f"Leader epochs {{epochs}} wrote this offset, and its time fits more than one of them: one record is kept, others are gone. {_OPEN}",
}

OF_FIRST = "The same producer id, epoch and sequence as offset {offset}: a retry appended the record again."
OF_FIRST_KEY = "The surviving log holds this key at offset {offset} too."


def reason_of(cell: Cell) -> str:
    """The reason of a cell's verdict, as one sentence or two."""
    return _REASONS[cell.reason].format(**_values(cell))


def reason_by_order(reason: str) -> str:
    """The same reason for a record that the order of the records around it settles."""
    return f"{reason.removesuffix(_OPEN).removesuffix(_OPEN_TOPIC).rstrip()} {_BY_ORDER}"


def reason_without_cell(reason: str) -> str:
    """A reason that names no leader epoch."""
    return _REASONS[reason]


def _values(cell: Cell) -> dict[str, object]:
    low, high = cell.epoch_low, cell.epoch_high
    epochs = "unknown" if low is None else str(low) if low == high else f"{low} to {high}"
    return {
        "epochs": epochs,
        "unknown": epochs,
        "cut": cell.cut,
        "by": cell.cut_epoch,
        "log_start": cell.log_start,
        "compacted_to": cell.compacted_to,
        "brokers": "the partition's brokers",
    }
