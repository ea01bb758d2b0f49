"""In words: what a replica did in the line that shows its offsets (`source` of `high_watermarks`)."""

from __future__ import annotations

from types import MappingProxyType

_IN = {
    "checkpoint_high_watermark": "a checkpoint of high watermarks",
    "checkpoint_log_start_offset": "a checkpoint of log start offsets",
}
_AS = {
    "fetcher_partitions_added": "it began to fetch from its leader",
    "follower_after_append": "it had appended records of its leader",
    "follower_before_append": "it was about to append records of its leader",
    "follower_hw_received": "it received the high watermark of its leader",
    "follower_hw_set": "its high watermark was set to this",
    "follower_start": "it became a follower",
    "hw_non_monotonic": "its high watermark was set to this",
    "hw_updated": "its high watermark was set to this",
    "isr_shrink": "it removed a replica from the ISR",
    "leader_start": "this leader epoch began on it as the leader",
    "leader_transition_skipped": "it already led in this leader epoch",
    "log_appended": "it appended records",
    "log_hw_set": "its high watermark was set to this",
    "log_load_completed": "it loaded its log",
    "log_recovery_truncated": "it recovered a damaged log",
    "log_rolled": "it began a new log segment",
    "log_start_offset_incremented": "its log start offset increased",
    "log_truncated_to": "it truncated its log",
    "log_truncation_noop": "its log ended before the offset to truncate to",
    "partition_log_loaded": "it loaded its log",
    "partition_no_checkpointed_hw": "it found no checkpointed high watermark",
    "producer_snapshot_written": "it wrote a producer snapshot",
    "replica_hw_set": "its high watermark was set to this",
    "truncation": "it truncated its log",
    "truncation_below_hw": "it was to truncate its log below its high watermark",
    "truncation_to_hw": "it was to truncate what its log had beyond its high watermark",
}
SHOWN_BY = MappingProxyType(_IN | _AS)


def shown_by(source: str) -> str:
    """What the replica did, or the file: `it loaded its log`."""
    return SHOWN_BY.get(source, "it logged this")


def shown_as(source: str) -> str:
    """The same with its preposition, to continue a sentence: `as it loaded its log`."""
    return f"{'in' if source in _IN else 'as'} {shown_by(source)}"
