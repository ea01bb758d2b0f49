"""What must hold in every history of a cluster, and the rows in which it does not.

Each rule is a function that gives what it found broken, with the fewest events that show it. A rule whose evidence has
gaps is `unknown` or says nothing, never `violated`. What is broken in one partition is thought through in a fold beside
what is known of the cluster (`breaches`), what is of controllers and brokers apart from them (`of_cluster`); the metadata
log is as long as the cluster is old, so Spark looks through it (`metadata`). Source: facts §2.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from pyspark.sql import DataFrame

from replay.histories.fold import History, made
from replay.histories.partition import Own, by_life
from replay.invariants.checkpoints import lineages_disagree
from replay.invariants.cluster import Known, known_of
from replay.invariants.commits import commits_taken_back, offsets_out_of_order
from replay.invariants.controllers import broker_epochs_fall, controllers_disagree
from replay.invariants.leaders import tenures_broken
from replay.invariants.shape import once
from replay.invariants.states import never_preferred, states_disagree, unclean_members
from replay.tables import VIOLATIONS
from replay.tables.brokers import BrokerSession, ProcessLife, Setting
from replay.tables.invariants import Violation
from replay.tables.partitions import TopicLife, TopicSetting
from replay.tables.reading import Fact
from replay.tables.row import Row, UntypedRow

KEY = ("topic", "partition")  # topics that have had one name are told apart in the fold
MAKES = (VIOLATIONS,)


def breaches(
    facts: Sequence[Fact],
    settings: Sequence[Setting],
    processes: Sequence[ProcessLife],
    topic_settings: Sequence[TopicSetting],
    topic_lives: Sequence[TopicLife],
) -> History:
    """What is broken in each partition, beside what is known of its cluster: rows of `VIOLATIONS`."""
    return partial(of_partition, known_of(facts, settings, processes, topic_settings, topic_lives))


def of_partition(cluster: Known, own: Own) -> dict[str, list[Violation]]:
    """What is broken in the partitions that have had one name. Rows of `VIOLATIONS`."""
    topic, number = next((row.topic, row.partition) for rows in own.values() for row in rows)
    found = [
        *offsets_out_of_order(own["high_watermarks"], own["log_cuts"]),
        *tenures_broken(own["tenure_lines"], cluster),
    ]
    for _, told in by_life(own, cluster.cluster):
        found += states_disagree(told["partition_state_reports"])
        found += commits_taken_back(told["judged_leader_epochs"], told["high_watermarks"], told["ledger"])
        found += lineages_disagree(told["epoch_lines"])
        found += unclean_members(told["committed_isrs"], cluster)
        found += never_preferred(told["committed_isrs"], cluster)
    return {VIOLATIONS.name: once(found, topic, number)}


def of_cluster(facts: Sequence[Fact], broker_sessions: Sequence[BrokerSession]) -> list[Violation]:
    """What controllers and brokers broke. Rows of `VIOLATIONS`."""
    return once([*controllers_disagree(facts), *broker_epochs_fall(broker_sessions, facts)])


def violations(breaches: DataFrame, of_cluster: DataFrame, of_metadata: DataFrame) -> DataFrame:
    """Every broken invariant. Returns `VIOLATIONS`."""
    return made(breaches, VIOLATIONS).unionByName(of_cluster).unionByName(of_metadata)
