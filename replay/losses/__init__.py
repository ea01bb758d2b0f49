"""The loss ledger: for each change of leader, and each restart of a last replica, which records are gone and what proves it.

When N becomes leader from offset O, the old leader L gives up what its log holds from D = min(O, n_old) on, where n_old is
where its log ended when it lost its role. Below the old commit point that is a loss of committed records; above it only a
producer with acks=1 or acks=0 can have been told that they were stored. Source: facts §3.
"""

from __future__ import annotations

from pyspark.sql import DataFrame

from replay.losses.changes import changes_of_leader, measure, with_gate
from replay.losses.last_replicas import last_replicas
from replay.losses.offset_anchors import by_lives, marks_of_isrs, marks_of_replicas, roles_taken, until_used_up
from replay.losses.verdicts import above_commit_point, committed
from replay.resting import Rest, going_on
from replay.tables import LOSSES


def losses(
    judged: DataFrame,
    isr_spans: DataFrame,
    high_watermarks: DataFrame,
    truncations: DataFrame,
    processes: DataFrame,
    events: DataFrame,
    lives: DataFrame,
    topic_settings: DataFrame,
    rules: DataFrame,
    rest: Rest = going_on,
) -> DataFrame:
    """Every leader change judged, for committed records and for those above the commit point. Returns `LOSSES` and `life`.

    `rules` is `replay.offsets.leader_epoch_caches.follower_rules`, the other frames are those of the stages of their names.

    A verdict never goes further than its premise (facts §3.2): no line shows an ack, so what was discarded above the commit
    point is `acked_possible` and at most POSSIBLE_LOSS.
    """
    marks = rest(
        "marks_of_replicas",
        until_used_up(by_lives(marks_of_replicas(high_watermarks, truncations, lives), processes), judged),
    )
    taken = rest("roles_taken", roles_taken(events, lives, judged))
    changes = measure(
        changes_of_leader(judged), marks.unionByName(marks_of_isrs(isr_spans), allowMissingColumns=True), taken
    )
    gated = rest("changes_measured", with_gate(changes, events, topic_settings, processes, rules))
    return (
        committed(gated)
        .unionByName(above_commit_point(gated))
        .unionByName(last_replicas(judged, isr_spans, marks, processes))
    )


def losses_table(losses: DataFrame) -> DataFrame:
    """Returns `LOSSES`."""
    return LOSSES.of(losses)
