"""Leader-epoch-checkpoint files against themselves, each other, and the lines of the leaders: I15-I17."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.events import detail
from replay.columns.windows import PARTITION_KEY
from replay.invariants.shape import breaches, broken
from replay.partitions.topics import with_life


def lineages_disagree(events: DataFrame, lives: DataFrame) -> DataFrame:
    """I15, I16, I17: leader-epoch-checkpoint files against themselves, each other, and the lines of the leaders.

    A file's first entry is clipped to the log start, so it says nothing of where its leader epoch began (facts §1.4).
    """
    return breaches(
        _by_leader_epoch(_entries_and_leaders(events, lives)),
        _two_epochs_from_one_offset(),
        _starts_differ(),
        _file_contradicts_its_leader(),
    )


def _entries_and_leaders(events: DataFrame, lives: DataFrame) -> DataFrame:
    """The entries of the files, each with the one before it in its file, and the lines of leaders of new epochs."""
    kind = F.col("kind")
    is_entry = (kind == "checkpoint_leader_epoch") & ~F.col("source_file").rlike("-(?:delete|stray)/")
    is_line = kind == "leader_start"
    is_new = (F.col("leader_epoch") == 0) | ((_previous() >= 0) & (_previous() < F.col("leader_epoch")))
    told = with_life(
        events.where(is_entry | (is_line & is_new)).select(
            "topic",
            "partition",
            "node_id",
            "ts",
            "kind",
            "source_file",
            "line_number",
            "leader_epoch",
            "epoch_start_offset",
            "event_id",
        ),
        lives,
    ).where(F.col("topic").isNotNull() & F.col("node_id").isNotNull())
    in_file = Window.partitionBy(*PARTITION_KEY, "source_file", F.when(is_line, F.col("line_number"))).orderBy(
        "line_number"
    )
    return told.repartition(*PARTITION_KEY).withColumns(
        {
            "_earlier": F.lag(F.struct("leader_epoch", "epoch_start_offset", "event_id")).over(in_file),
            "_entry": ~is_line,
        }
    )


def _by_leader_epoch(entries: DataFrame) -> DataFrame:
    """Of each leader epoch: where the files say that it began (`_files`), where its leader does (`_led`), and an entry
    that begins where the one before it does (`_flat`).
    """
    at = F.struct("epoch_start_offset", "node_id", "event_id")
    is_flat = F.col("_entry") & (F.col("_earlier.epoch_start_offset") == F.col("epoch_start_offset"))
    led = F.when(~F.col("_entry"), F.struct("ts", "epoch_start_offset", "node_id", "event_id"))
    return entries.groupBy(*PARTITION_KEY, "leader_epoch").agg(
        F.array_sort(F.collect_set(F.when(F.col("_entry") & F.col("_earlier").isNotNull(), at))).alias("_files"),
        F.min(led).alias("_led"),
        F.min(F.when(is_flat, F.struct("_earlier", "node_id", "event_id", "epoch_start_offset"))).alias("_flat"),
    )


def _two_epochs_from_one_offset() -> Column:
    return broken(
        "I15",
        F.col("_flat").isNotNull(),
        F.format_string(
            "broker %d: leader epochs %d and %d both start at offset %d",
            "_flat.node_id",
            "_flat._earlier.leader_epoch",
            "leader_epoch",
            "_flat.epoch_start_offset",
        ),
        F.col("_flat._earlier.event_id"),
        F.col("_flat.event_id"),
        verdict="unknown",
    )


def _starts_differ() -> Column:
    """A file that has the offset of the leader's own line is right; one that has a later one may have been copied
    late.
    """
    first, last = F.get("_files", F.lit(0)), F.get("_files", F.size("_files") - 1)
    earliest = F.array_min(F.transform("_files", lambda f: f["epoch_start_offset"]))
    copied_late = F.coalesce(earliest == F.col("_led.epoch_start_offset"), F.lit(False)) | F.col("_led").isNull()
    return broken(
        "I16",
        (F.size("_files") > 1) & (first["epoch_start_offset"] != last["epoch_start_offset"]),
        F.format_string(
            "leader epoch %d starts at %d on broker %d and at %d on broker %d",
            "leader_epoch",
            first["epoch_start_offset"],
            first["node_id"],
            last["epoch_start_offset"],
            last["node_id"],
        ),
        first["event_id"],
        last["event_id"],
        verdict=F.when(copied_late, "unknown").otherwise("violated"),
    )


def _file_contradicts_its_leader() -> Column:
    def contradicts(entry: Column) -> Column:
        return (entry["node_id"] == F.col("_led.node_id")) & (
            entry["epoch_start_offset"] != F.col("_led.epoch_start_offset")
        )

    own = F.get(F.filter("_files", contradicts), F.lit(0))
    return broken(
        "I17",
        own.isNotNull(),
        F.format_string(
            "broker %d said leader epoch %d starts at %d; its leader-epoch-checkpoint says %d",
            "_led.node_id",
            "leader_epoch",
            "_led.epoch_start_offset",
            own["epoch_start_offset"],
        ),
        F.col("_led.event_id"),
        own["event_id"],
    )


def _previous() -> Column:
    return detail("previous_leader_epoch").try_cast("int")
