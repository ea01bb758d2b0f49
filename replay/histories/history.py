"""All that is thought through of one partition, in one fold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from replay.histories.cluster import Cluster
from replay.histories.fold import History
from replay.histories.ledger import losses
from replay.histories.partition import Own, Partition, lives
from replay.tables.losses import LEDGER
from replay.tables.row import Row
from replay.tables.table import Table

KEY = ("topic", "partition")  # topics that have had one name are told apart in the fold

# Each table that the fold makes, and the function of one partition that makes its rows.
MAKES: Mapping[Table, Callable[[Partition, Cluster], Iterable[Row]]] = {LEDGER: losses}


def histories(
    processes: Sequence[Row],
    releases: Sequence[Row],
    follower_rules: Sequence[Row],
    topic_settings: Sequence[Row],
    topic_lives: Sequence[Row],
) -> History:
    """What each partition went through, thought through beside what is known of its cluster: a row a partition, an array
    for each table of `MAKES`.
    """
    return partial(history, Cluster.of(processes, releases, follower_rules, topic_settings, topic_lives))


def history(cluster: Cluster, own: Own) -> dict[str, list[Row]]:
    """The rows of each table of `MAKES` of the partitions that have had one name."""
    partitions = list(lives(own, cluster))
    return {
        table.name: [row for partition in partitions for row in make(partition, cluster)]
        for table, make in MAKES.items()
    }
