"""What must hold in every history of a cluster, and the rows in which it does not.

Each function returns what it found broken, with the fewest events that show it. A rule whose evidence has gaps is
`unknown` or says nothing, never `violated`. Source: facts §2.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.columns.evidence import AT_MOST
from replay.invariants.checkpoints import lineages_disagree
from replay.invariants.commits import commits_taken_back, offsets_out_of_order
from replay.invariants.leaders import tenures_broken
from replay.invariants.metadata import broker_epochs_fall, controllers_disagree, metadata_disagrees
from replay.invariants.rules import INVARIANTS
from replay.invariants.shape import SHOWN
from replay.invariants.states import never_preferred, states_disagree, unclean_members
from replay.tables import VIOLATIONS


def violations(
    events: DataFrame,
    sightings: DataFrame,
    judged: DataFrame,
    isrs: DataFrame,
    high_watermarks: DataFrame,
    truncations: DataFrame,
    sessions: DataFrame,
    processes: DataFrame,
    losses: DataFrame,
    settings: DataFrame,
    topic_settings: DataFrame,
    lives: DataFrame,
) -> DataFrame:
    """Every broken invariant. Returns `VIOLATIONS`.

    The frames are those of the stages of the same name; `judged` is `replay.partitions.elections.judged`, `isrs` the
    ISR spans with `life`.
    """
    found = (
        states_disagree(sightings),
        commits_taken_back(judged, high_watermarks, losses, lives),
        offsets_out_of_order(high_watermarks, truncations),
        tenures_broken(events, settings, topic_settings, lives),
        lineages_disagree(events, lives),
        controllers_disagree(events),
        broker_epochs_fall(sessions, events),
        unclean_members(isrs, processes),
        metadata_disagrees(events),
        never_preferred(isrs, processes, settings),
    )
    rows = found[0].select(*SHOWN)
    for more in found[1:]:
        rows = rows.unionByName(more.select(*SHOWN))
    severities = F.create_map(*[F.lit(part) for one in INVARIANTS for part in (one.id, one.severity)])
    once = rows.groupBy("invariant", "topic", "partition", "verdict", "detail").agg(
        F.slice(F.array_distinct(F.flatten(F.array_sort(F.collect_list("evidence")))), 1, AT_MOST).alias("evidence")
    )
    return VIOLATIONS.of(once.withColumn("severity", severities[F.col("invariant")]))
