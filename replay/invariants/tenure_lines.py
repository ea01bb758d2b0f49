"""The lines in which brokers tell of the partitions they lead and follow, with all that they print of it."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.columns.events import detail
from replay.facts.reads import gathers
from replay.tables.invariants import TENURE_LINES

LEADERS = ("leader_start", "leader_transition_skipped", "isr_shrink")
_ROLES = (*LEADERS, "follower_start", "isr_expand", "isr_updated")
MOVED = ("alter_partition_completed_reassignment", "alter_partition_completed_reassignment_leader_change")


@gathers(*_ROLES)
def tenure_lines(events: DataFrame) -> DataFrame:
    """What a line says of the role that its broker has in a partition; and the controller's, that a reassignment is
    done. Returns `TENURE_LINES`.
    """
    of_broker = F.col("kind").isin(*_ROLES) & F.col("node_id").isNotNull() & F.col("ts").isNotNull()
    told = events.where((of_broker | F.col("kind").isin(*MOVED)) & F.col("topic").isNotNull())
    return TENURE_LINES.rows(
        told,
        previous_leader_epoch=detail("previous_leader_epoch").try_cast("int"),
        **{name: detail(name) for name in ("old_isr", "adding_replicas", "removing_replicas", "out_of_sync_replicas")},
    )
