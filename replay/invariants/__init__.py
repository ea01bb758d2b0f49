"""The invariants of every cluster history, and the rows that violate them. Each rule is a function that returns
violations, each with the fewest events that show it. A rule whose evidence has gaps returns `unknown` or nothing, never
`violated`. `of_partition` checks the rules about one partition with facts about the cluster, `of_cluster` those about
controllers and brokers, and `metadata` those about dumps of the metadata log. Source: facts §2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replay.histories.partition import by_life
from replay.invariants.checkpoints import lineages_disagree
from replay.invariants.cluster import Known
from replay.invariants.commits import commits_taken_back, offsets_out_of_order
from replay.invariants.controllers import broker_epochs_fall, controllers_disagree
from replay.invariants.leaders import tenures_broken
from replay.invariants.shape import once
from replay.invariants.states import never_preferred, states_disagree, unclean_members
from replay.tables.brokers import BrokerSession
from replay.tables.invariants import ClusterViolation, MetadataViolation, PartitionViolation, TenureLine, Violation
from replay.tables.losses import Loss
from replay.tables.offsets import EpochLine, HighWatermark, Truncation
from replay.tables.partitions import CommittedIsr, LeaderEpoch, PartitionStateReport
from replay.tables.reading import Fact


def of_partition(
    partition_state_reports: Sequence[PartitionStateReport],
    leader_epochs: Sequence[LeaderEpoch],
    committed_isrs: Sequence[CommittedIsr],
    high_watermarks: Sequence[HighWatermark],
    truncations: Sequence[Truncation],
    tenure_lines: Sequence[TenureLine],
    epoch_lines: Sequence[EpochLine],
    ledger: Sequence[Loss],
    invariants_cluster: Known,
) -> list[Violation]:
    """The violations in one partition, for all topics that have had its name."""
    found = [
        *offsets_out_of_order(high_watermarks, truncations),
        *tenures_broken(tenure_lines, invariants_cluster),
    ]
    lives = by_life(
        invariants_cluster.cluster.lives,
        reports=partition_state_reports,
        leader_epochs=leader_epochs,
        isrs=committed_isrs,
        high_watermarks=high_watermarks,
        epoch_lines=epoch_lines,
        ledger=ledger,
        truncations=truncations,
        tenure_lines=tenure_lines,
    )
    for _, own in lives:
        found += states_disagree(own["reports"])
        found += commits_taken_back(own["leader_epochs"], own["high_watermarks"], own["ledger"])
        found += lineages_disagree(own["epoch_lines"])
        found += unclean_members(own["isrs"], invariants_cluster)
        found += never_preferred(own["isrs"], invariants_cluster)
    if not found:
        return []
    first = next(row for _, own in lives for rows in own.values() for row in rows)
    return once(found, first.topic, first.partition)


def of_cluster(facts: Sequence[Fact], recorded_sessions: Sequence[BrokerSession]) -> list[Violation]:
    """The violations of controllers and brokers."""
    return once([*controllers_disagree(facts), *broker_epochs_fall(recorded_sessions, facts)])


def violations(
    violations_of_partitions: Iterable[PartitionViolation],
    violations_of_cluster: Iterable[ClusterViolation],
    violations_of_metadata: Iterable[MetadataViolation],
) -> list[Violation]:
    """All violations."""
    return [*violations_of_partitions, *violations_of_cluster, *violations_of_metadata]
