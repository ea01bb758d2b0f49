"""All that is thought through of one partition, in one fold."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from replay.histories.cluster import Cluster
from replay.histories.epoch_caches import leader_epoch_caches
from replay.histories.epoch_files import epoch_files
from replay.histories.fold import History
from replay.histories.ledger import losses
from replay.histories.log_cuts import truncations
from replay.histories.partition import Own, Partition, lives
from replay.tables import EPOCH_FILES, LEADER_EPOCH_CACHES, TRUNCATIONS
from replay.tables.brokers import NodeRelease, ProcessLife
from replay.tables.losses import LEDGER
from replay.tables.offsets import FollowerRule
from replay.tables.partitions import TopicLife, TopicSetting
from replay.tables.row import UntypedRow

KEY = ("topic", "partition")  # topics that have had one name are told apart in the fold
MAKES = (LEDGER, LEADER_EPOCH_CACHES, EPOCH_FILES, TRUNCATIONS)


def histories(
    processes: Sequence[ProcessLife],
    releases: Sequence[NodeRelease],
    follower_rules: Sequence[FollowerRule],
    topic_settings: Sequence[TopicSetting],
    topic_lives: Sequence[TopicLife],
) -> History:
    """What each partition went through, thought through beside what is known of its cluster: a row a partition, an array
    for each table of `MAKES`.
    """
    return partial(history, Cluster.of(processes, releases, follower_rules, topic_settings, topic_lives))


def history(cluster: Cluster, own: Own) -> dict[str, list[UntypedRow]]:
    """The rows of each table of `MAKES` of the partitions that have had one name."""
    told: dict[str, list[UntypedRow]] = {table.name: [] for table in MAKES}
    for partition in lives(own, cluster):
        for name, rows in _thought_through(partition, cluster).items():
            told[name] += rows
    return told


def _thought_through(partition: Partition, cluster: Cluster) -> dict[str, list[UntypedRow]]:
    caches = leader_epoch_caches(partition, cluster.follower_rules)
    return {
        LEDGER.name: list(losses(partition, cluster)),
        LEADER_EPOCH_CACHES.name: caches,
        EPOCH_FILES.name: epoch_files(caches, partition.high_watermarks),
        TRUNCATIONS.name: truncations(partition, caches, cluster.follower_rules),
    }
