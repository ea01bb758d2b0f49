"""The verdict on last replicas that came back with what their disks still held (facts §3.3, S5 and S6)."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.evidence import joined
from replay.columns.windows import PARTITION_KEY
from replay.losses.judgements import Judgement, first_that_holds
from replay.losses.offset_anchors import ANCHORS
from replay.losses.shape import ledger_rows
from replay.partitions.elections import is_unclean, others_may_have_led

_DEATH = (*PARTITION_KEY, "node_id", "_died_ts")
_LOGS_LOADED_WITHIN_S = 600  # of a start: a large broker that recovers its logs takes minutes


def last_replicas(judged: DataFrame, isr_spans: DataFrame, marks: DataFrame, processes: DataFrame) -> DataFrame:
    """S5 and S6: a leader that ended without a word and led again, nobody else in between, from what its disk still
    held.

    Its log may be shorter than what it had committed. Alone in the ISR (S5) nobody else holds the rest; with others
    in it (S6) they cut their logs to its end. Proof is a checkpoint copied before the restart, or any older anchor of
    this history, above its recovered log end (facts §3.3). Where leader epochs in between are not logged, another may
    have led in them, and nothing but that proof counts.
    """
    died = _died_as_leaders(isr_spans, processes)
    led_again = _that_led_again(died, _leaders(judged))
    known = (
        led_again.join(_offsets_around_death(led_again, judged, marks), list(_DEATH))
        .withColumn("_end", F.coalesce("_n._next_start", "_loaded.offset"))
        .where(F.col("_end").isNotNull())
    )
    newest = Window.partitionBy(*_DEATH).orderBy(F.desc("_alone_epoch"), F.desc("start_ts"))
    rows = known.withColumn("_nth", F.row_number().over(newest)).where(F.col("_nth") == 1)
    return ledger_rows(_with_verdict(rows))


def _died_as_leaders(isr_spans: DataFrame, processes: DataFrame) -> DataFrame:
    """Each ISR in which a leader died without a word, with its death and its return."""
    restarts = processes.where(F.col("ended").isin("killed", "fatal") & F.col("next_start_ts").isNotNull()).select(
        "node_id",
        F.col("last_ts").alias("_died_ts"),
        F.col("next_start_ts").alias("_back_ts"),
        F.col("recovered_event").alias("_recovered"),
        "next_start_event",
    )
    in_elr = (F.size("isr") == 0) & F.array_contains(
        F.coalesce("elr", F.array().cast("array<int>")), F.col("leader_id")
    )
    in_isr = isr_spans.where(F.array_contains("isr", F.col("leader_id")) | in_elr).select(
        *PARTITION_KEY,
        F.col("leader_id").alias("node_id"),
        "leader_id",
        (F.size("isr") <= 1).alias("_single"),
        F.col("leader_epoch").alias("_alone_epoch"),
        "start_ts",
        "end_ts",
        F.col("evidence").alias("_alone"),
    )
    return in_isr.join(restarts, "node_id").where(
        (F.col("leader_id") == F.col("node_id"))
        & (F.col("start_ts") <= F.expr("_died_ts + interval 1 second"))
        & (F.coalesce("end_ts", "_back_ts") > F.col("_died_ts"))
    )


def _leaders(judged: DataFrame) -> DataFrame:
    return judged.where(F.col("leader_id") >= 0).select(
        *PARTITION_KEY,
        F.col("leader_epoch").alias("_next_epoch"),
        F.col("leader_id").alias("_next_leader"),
        F.col("evidence").alias("_next"),
        F.col("epoch_start_offset").alias("_next_start"),
        F.col("leader_ts").alias("_next_ts"),
        F.col("start_ts").alias("_next_since"),
        others_may_have_led().alias("_others_may_have_led"),
    )


def _that_led_again(died: DataFrame, leaders: DataFrame) -> DataFrame:
    """The deaths after which the same broker led next (`_n`); or, if it was alone, nobody that is known of."""
    of_death = (*PARTITION_KEY, "node_id", "_alone_epoch", "_died_ts")
    later = (F.col("_next_epoch") > F.col("_alone_epoch")) & (
        (F.col("_next_leader") != F.col("node_id")) | (F.coalesce("_next_ts", "_next_since") >= F.col("_back_ts"))
    )
    first_next = (
        died.select(*of_death, "_back_ts")
        .join(leaders, list(PARTITION_KEY))
        .where(later)
        .groupBy(*of_death)
        .agg(
            F.min(
                F.struct("_next_epoch", "_next_leader", "_next", "_next_start", "_next_ts", "_others_may_have_led")
            ).alias("_n")
        )
    )
    return died.join(first_next, list(of_death), "left").where(
        (F.col("_n").isNull() & F.col("_single")) | (F.col("_n._next_leader") == F.col("node_id"))
    )


def _offsets_around_death(led_again: DataFrame, judged: DataFrame, marks: DataFrame) -> DataFrame:
    """Of each death: the log end that the broker came back with (`_loaded`), the high watermark that it had
    checkpointed (`_w`), and the highest high watermark of this history before it came back (`_v`).
    """
    borders = (
        judged.where(is_unclean())
        .groupBy(*PARTITION_KEY)
        .agg(F.collect_list(F.struct("leader_epoch", "start_ts")).alias("_borders"))
    )
    border = F.array_max(F.filter("_borders", lambda b: b["leader_epoch"] <= F.col("_alone_epoch")))
    near = (
        led_again.join(borders, list(PARTITION_KEY), "left")
        .withColumn("_border", border)
        .drop("_borders")
        .join(marks, list(PARTITION_KEY))
    )
    own = F.col("_node") == F.col("node_id")
    starting = F.expr(f"_back_ts + interval {_LOGS_LOADED_WITHIN_S} seconds")
    in_next_life = own & (F.col("_ts") >= F.col("_back_ts")) & (F.col("_ts") < starting)
    loaded = in_next_life & (F.col("source") == "log_load_completed")
    checkpointed = in_next_life & (F.col("source") == "partition_log_loaded")
    log_end, high_watermark = F.col("log_end_offset").alias("offset"), F.col("high_watermark").alias("offset")
    event = F.col("_event").alias("event")
    return near.groupBy(*_DEATH).agg(
        F.min(F.when(loaded, F.struct("_ts", log_end, event))).alias("_loaded"),
        F.min(F.when(checkpointed, F.struct("_ts", high_watermark, event))).alias("_w"),
        F.max(F.when(_anchors(own), F.struct(high_watermark, "_ts", event, "_node", "source"))).alias("_v"),
    )


def _anchors(own: Column) -> Column:
    """The mark holds a high watermark of this history, from before the broker came back.

    After an unclean election only its leader's line testifies: a replica that returns still speaks of the old
    history.
    """
    since_border = (F.col("_ts") >= F.col("_border.start_ts")) & F.coalesce(
        F.col("_in_epoch") >= F.col("_border.leader_epoch"), F.col("source").startswith("checkpoint")
    )
    return (
        F.col("source").isin(*ANCHORS)
        & (F.col("_ts") < F.col("_back_ts"))
        & F.col("high_watermark").isNotNull()
        & ~F.col("_clamped_anew")
        & F.coalesce(F.col("_used_up_in") > F.col("_alone_epoch"), F.lit(True))
        & (F.col("_border").isNull() | (own & since_border))
    )


def _with_verdict(rows: DataFrame) -> DataFrame:
    """The columns of `LOSSES`."""
    judged = F.col("_judged")
    return rows.withColumn("_judged", first_that_holds(_judgements())).withColumns(
        {
            "leader_epoch": F.coalesce("_n._next_epoch", "_alone_epoch"),
            "ts": F.coalesce("_n._next_ts", "_loaded._ts", "_back_ts"),
            "scenario": judged["scenario"],
            "loss_class": F.lit("committed"),
            "verdict": judged["verdict"],
            "from_offset": F.col("_end"),
            "to_offset_low": judged["at_least"],
            "to_offset_high": judged["at_most"],
            "old_leader_id": F.col("node_id"),
            "new_leader_id": F.col("node_id"),
            "recoverable_from": F.array().cast("array<int>"),
            "premise": judged["premise"],
            "evidence": joined(
                F.slice("_alone", 1, 2),
                F.array("_v.event", "_recovered", "_loaded.event", "_w.event"),
                F.slice("_n._next", 1, 2),
            ),
        }
    )


def _judgements() -> tuple[Judgement, ...]:
    """Every verdict on a last replica that came back."""
    end, scenario = F.col("_end"), F.when(F.col("_single"), "S5").otherwise("S6")
    nobody_knows = F.lit(None)
    return (
        Judgement(
            F.coalesce(F.col("_v.offset") > end, F.lit(False)),
            "PROVEN_LOSS",
            scenario,
            F.format_string(
                "broker %d had the high watermark %d before it died (%s of broker %d) and its log ended at %d when it came back",
                "node_id",
                "_v.offset",
                "_v.source",
                "_v._node",
                "_end",
            ),
            F.col("_v.offset"),
            nobody_knows,
        ),
        Judgement(
            F.coalesce("_n._others_may_have_led", F.lit(False)),
            "UNDETERMINED",
            scenario,
            F.format_string(
                "broker %d led when it died, and leads again from offset %d; who led between leader epochs %d and %d is not logged",
                "node_id",
                "_end",
                "_alone_epoch",
                "_n._next_epoch",
            ),
            end,
            nobody_knows,
        ),
        Judgement(
            F.coalesce(F.col("_w.offset") >= end, F.lit(False)),
            "POSSIBLE_LOSS",
            scenario,
            _as_it_died(
                "broker %d %s; it came back with log end %d, to which its high watermark was cut: how far it had committed is not logged (a copy of replication-offset-checkpoint from before the restart would tell)",
                "_end",
            ),
            end,
            nobody_knows,
        ),
        Judgement(
            F.col("_w").isNull(),
            "UNDETERMINED",
            scenario,
            _as_it_died(
                "broker %d %s; it came back with log end %d, and no line tells the high watermark it had checkpointed",
                "_end",
            ),
            end,
            nobody_knows,
        ),
        Judgement(
            F.lit(True),
            "NO_LOSS_OBSERVED",
            scenario,
            _as_it_died(
                "broker %d %s; its recovered log (end %d) reaches past the high watermark %d last checkpointed, so nothing shows that its disk lost records",
                "_end",
                "_w.offset",
            ),
            end,
            end,
        ),
    )


def _as_it_died(text: str, *rest: str) -> Column:
    """`text` with the broker, and how it stood when it died."""
    return F.format_string(
        text,
        "node_id",
        F.when(F.col("_single"), "was alone in the ISR when it died").otherwise("led when it died, and leads again"),
        *rest,
    )
