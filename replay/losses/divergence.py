"""Where the old leader's log and the new one's part."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def parted(changes: DataFrame) -> DataFrame:
    """`_from`, where the old leader's log and the new one's part, and `_sure`: whether that is more than a bound from
    above.

    Mostly it is the shorter log's end. Where only one of them has leader epochs in between, it is the first of them
    (`_walked`). A new leader that missed leader epochs holds nothing of them, nor does one that began to follow one and
    never came to cut its log. Its log may go on past the start of the first one with records of its own (facts §3.1).
    Where the old leader comes to follow it and cuts its log by leader epochs, the cut is exact. Where it cuts only to
    its own high watermark, beyond that offset, the two logs go on with different records (`_forked`; KIP-101,
    scenario 2).
    """
    changes = changes.withColumns({"_held": _held(), "_untold": _untold()}).withColumn("_walked", _walked())
    ends = F.least("epoch_start_offset", "_n_old")
    last_start = F.get(F.filter("_begun", lambda b: b["leader_epoch"] == F.col("_new_last_epoch")), F.lit(0))[
        "epoch_start_offset"
    ]
    not_cut = F.coalesce((F.col("_new_began") > last_start) & ~F.col("_new_cut"), F.lit(False))
    # With an unclean election in between the old leader, too, may lack what the new one holds: then they surely share
    # only what came before all changes.
    in_sync = F.coalesce(F.col("elected_from").isin("isr", "elr"), F.lit(False))
    border, last = F.col("_border_epoch"), F.col("_new_last_epoch")
    out_of_touch = not_cut | (
        ~in_sync & F.coalesce((last < border) | ((last == border) & ~F.col("_new_cut")), F.lit(False))
    )
    missed = F.filter("_begun", lambda b: b["leader_epoch"] > F.when(out_of_touch, 0).otherwise(last))
    apart = F.array_min(F.transform(missed, lambda b: b["epoch_start_offset"]))
    walked = F.coalesce(F.col("_walked.old") == F.col("_walked.new"), F.lit(False))
    by_epoch = (F.col("_cut._in_epoch") == F.col("leader_epoch")) & F.col("_by_hw").isNull()
    cut = F.when(by_epoch, F.col("_cut.truncation_offset"))
    # A leader who may hold less than this one did has other logs cut to what it holds: that tells nothing of where
    # this one began.
    in_its_stead = F.when(
        F.coalesce(F.col("_cut._in_epoch") < F.col("_given_up_epoch"), F.col("_given_up_epoch").isNull()),
        F.col("_cut.truncation_offset"),
    )
    return (
        changes.withColumns(
            {
                "_from": F.when(
                    F.col("epoch_start_offset").isNotNull(),
                    F.least(
                        ends,
                        F.coalesce(cut, F.when(walked, F.col("_walked.apart.epoch_start_offset")).otherwise(apart)),
                    ),
                ).otherwise(in_its_stead),
                "_apart_event": F.when(
                    walked & cut.isNull() & (F.col("_walked.apart.epoch_start_offset") < ends),
                    F.col("_walked.apart.event"),
                ),
                "_sure": cut.isNotNull() | walked | F.coalesce(apart >= ends, F.lit(True)),
            }
        )
        .withColumn("_forked", F.coalesce(F.col("_by_hw.high_watermark") > F.col("_from"), F.lit(False)))
        .drop("_begun", "_roles", "_taken", "_held", "_untold")
    )


def _held() -> Column:
    """array<struct(node, leader_epoch)>: the leader epochs with whose leader a replica's log surely agreed: it led,
    or cut its log to follow, or its log grew while it followed.

    A follower whose log did not change holds what it held before, whether or not it ever reached its leader.
    """

    def agreed(role: Column, nth: Column) -> Column:
        return role["leader_epoch"].isNotNull() & (
            role["source"].isin("leader_start", "log_truncated_to") | _grew(role, nth)
        )

    return F.transform(
        F.filter("_roles", agreed),
        lambda role: F.struct(role["node"].alias("node"), role["leader_epoch"].alias("leader_epoch")),
    )


def _grew(role: Column, nth: Column) -> Column:
    """Its log had grown while it followed in the `nth` role, when it took on the next."""
    then = F.get(F.col("_roles"), nth + 1)
    return F.coalesce(
        (role["source"] == "follower_start")
        & (then["node"] == role["node"])
        & (then["log_end_offset"] > role["log_end_offset"]),
        F.lit(False),
    )


def _untold() -> Column:
    """array<struct(node, leader_epoch)>: the leader epochs that a replica took on without a line that tells its log
    end, or may have.

    A log that grew past where a later leader epoch began may hold records of that one, though no line of its broker
    names it.
    """

    def of(taken: Column) -> Column:
        def told(epoch: Column) -> Column:
            return F.exists("_roles", lambda role: (role["node"] == taken["node"]) & (role["leader_epoch"] == epoch))

        return F.transform(
            F.filter(taken["leader_epochs"], lambda epoch: ~told(epoch)),
            lambda epoch: F.struct(taken["node"].alias("node"), epoch.alias("leader_epoch")),
        )

    def passed(role: Column, nth: Column) -> Column:
        then = F.get(F.col("_roles"), nth + 1)
        between = F.filter(
            "_begun",
            lambda b: (
                (b["leader_epoch"] > role["leader_epoch"])
                & (b["leader_epoch"] < then["leader_epoch"])
                & (b["epoch_start_offset"] < then["log_end_offset"])
            ),
        )
        went_on = _grew(role, nth) | F.coalesce(
            (role["source"] == "leader_start") & (then["node"] == role["node"]), F.lit(False)
        )
        return F.transform(
            F.filter(between, lambda _: went_on),
            lambda b: F.struct(role["node"].alias("node"), b["leader_epoch"].alias("leader_epoch")),
        )

    return F.concat(F.flatten(F.transform("_taken", of)), F.flatten(F.transform("_roles", passed)))


def _walked() -> Column:
    """struct(old, new, apart): back from the old and the new leader's log through the leaders that each came from, to
    the leader epoch that both have.

    `apart` is the leader epoch with the least start that only one of them has: struct(epoch_start_offset, event),
    null if there is none; `old` and `new` are equal where the walk came to its end. Where replicas follow without
    leader epochs, and are cut to high watermarks, no log tells from whom it came.
    """

    def came_from(node: Column, before_epoch: Column) -> Column:
        own = F.filter("_held", lambda held: (held["node"] == node) & (held["leader_epoch"] < before_epoch))
        last = F.array_max(F.transform(own, lambda held: held["leader_epoch"]))
        unknown = F.exists(
            "_untold",
            lambda untold: (
                (untold["node"] == node) & (untold["leader_epoch"] > last) & (untold["leader_epoch"] < before_epoch)
            ),
        )
        return F.when(~unknown, last)

    def state(old: Column, new: Column, apart: Column) -> Column:
        return F.struct(
            old.cast("int").alias("old"),
            new.cast("int").alias("new"),
            apart.cast("struct<epoch_start_offset:bigint,event:string>").alias("apart"),
        )

    def step(now: Column, begun: Column) -> Column:
        old, new, apart = (
            now["old"],
            now["new"],
            F.least(
                now["apart"],
                F.when(begun["epoch_start_offset"].isNotNull(), F.struct(begun["epoch_start_offset"], begun["event"])),
            ),
        )
        back = came_from(begun["leader_id"], begun["leader_epoch"])
        return (
            F.when(old == new, now)
            .when(old == begun["leader_epoch"], state(back, new, apart))
            .when(new == begun["leader_epoch"], state(old, back, apart))
            .otherwise(now)
        )

    begins = state(
        came_from(F.col("old_leader_id"), F.col("leader_epoch")),
        came_from(F.col("new_leader_id"), F.col("leader_epoch")),
        F.lit(None),
    )
    return F.when(~F.col("_without_leader_epochs"), F.aggregate(F.reverse("_begun"), begins, step))
