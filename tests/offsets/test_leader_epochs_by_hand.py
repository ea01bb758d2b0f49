"""The classic example of leader epochs, from the lines of its logs to its tables (traces/leader-epochs-by-hand/README.md)."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as F

from replay.tables import ELECTIONS, EPOCH_FILES, EVENTS, ISR_SPANS, LEADER_EPOCHS
from tests.recordings import TRACES, events_of
from tests.stages import tables_of
from tests.tables import same


@pytest.fixture(scope="module")
def events(spark, tmp_path_factory):
    """What the trace's files say, read once."""
    read = events_of(spark, "leader-epochs-by-hand", tmp_path_factory.mktemp("by-hand")).localCheckpoint()
    assert read.where("kind is null").count() == 0
    return EVENTS.of(read)


@pytest.fixture(scope="module")
def tables(spark, events, tmp_path_factory):
    """What the program makes of them."""
    wanted = ("leader_epochs", "isr_spans", "elections", "faults", "truncations", "high_watermarks", "epoch_files")
    return tables_of(spark, tmp_path_factory.mktemp("told"), wanted, events)


def test_the_replay_says_what_the_checkpoint_file_says(events, tables):
    epochs = tables["leader_epochs"]
    file = TRACES / "leader-epochs-by-hand/input/node-1/orders-0/leader-epoch-checkpoint"
    written = [tuple(map(int, line.split())) for line in file.read_text().splitlines()[2:]]
    assert written == [(0, 0), (1, 0), (2, 1)]
    replayed = epochs.select("leader_epoch", "epoch_start_offset").orderBy("leader_epoch").collect()
    assert [tuple(row) for row in replayed] == written
    same(
        events.where("kind = 'checkpoint_leader_epoch'"),
        EVENTS,
        """
        node_id | topic  | partition | leader_epoch | epoch_start_offset
        1       | orders | 0         | 0            | 0
        1       | orders | 0         | 1            | 0
        1       | orders | 0         | 2            | 1
        2       | orders | 0         | 1            | 0                  """,
    )


def test_each_leader_epoch_has_its_leader_and_ends_where_the_next_begins(tables):
    same(
        tables["leader_epochs"],
        LEADER_EPOCHS,
        """
        topic  | partition | leader_epoch | leader_id | epoch_start_offset | start_ts                | end_ts                  | elected_from | reason   | confidence
        orders | 0         | 0            | 1         | 0                  | 2018-08-01T10:00:10.010 | 2018-08-01T10:00:20.015 |              | created  | observed
        orders | 0         | 1            | 2         | 0                  | 2018-08-01T10:00:20.015 | 2018-08-01T10:00:50.015 | isr          | election | observed
        orders | 0         | 2            | 1         | 1                  | 2018-08-01T10:00:50.015 |                         | isr          | election | observed   """,
    )


def test_the_isr_grows_without_a_new_leader_epoch(tables):
    same(
        tables["isr_spans"],
        ISR_SPANS,
        """
        leader_epoch | partition_epoch | leader_id | isr | start_ts                | end_ts
        0            | 0               | 1         | 1,2 | 2018-08-01T10:00:10.010 | 2018-08-01T10:00:20.015
        1            | 1               | 2         | 2   | 2018-08-01T10:00:20.015 | 2018-08-01T10:00:41.410
        1            | 2               | 2         | 1,2 | 2018-08-01T10:00:41.410 | 2018-08-01T10:00:50.015
        2            | 3               | 1         | 1   | 2018-08-01T10:00:50.015 |                         """,
    )


def test_both_changes_of_leader_come_from_ordered_stops_and_nothing_is_cut(tables):
    same(
        tables["faults"],
        "code string, broker_id int, ts timestamp, end_ts timestamp",
        """
        code | broker_id | ts                      | end_ts
        F02  | 1         | 2018-08-01T10:00:20.000 | 2018-08-01T10:00:40.000
        F02  | 2         | 2018-08-01T10:00:50.000 | 2018-08-01T10:00:50.600 """,
    )
    same(
        tables["elections"],
        ELECTIONS,
        """
        leader_epoch | old_leader_id | new_leader_id | elected_from | trigger             | leaderless_ms
        1            | 1             | 2             | isr          | controlled_shutdown | 0
        2            | 2             | 1             | isr          | controlled_shutdown | 0             """,
    )
    assert tables["truncations"].isEmpty()


def test_a_new_leader_and_one_that_has_nothing_to_cut_show_the_only_log_ends(tables):
    same(
        tables["high_watermarks"].where(F.col("log_end_offset").isNotNull()),
        "node_id int, source string, log_end_offset long",
        """
        node_id | source              | log_end_offset
        1       | leader_start        | 0
        2       | log_truncation_noop | 0
        2       | leader_start        | 0
        1       | log_truncation_noop | 0
        1       | leader_start        | 1              """,
    )


@pytest.mark.parametrize("with_files", [True, False], ids=["with the files", "from the lines alone"])
def test_the_files_read_as_the_lines_say_at_any_time(spark, events, tables, tmp_path, with_files):
    """`(0 0)(1 0)(2 1)` on broker 1: 1.1.1 keeps an entry whose leader epoch holds no record."""
    files = tables["epoch_files"]
    if not with_files:
        lines = events.where(~F.startswith("kind", F.lit("checkpoint")))
        files = tables_of(spark, tmp_path, ("epoch_files",), lines)["epoch_files"]
    same(
        files,
        EPOCH_FILES,
        """
        topic  | partition | node_id | start_ts                | end_ts                  | notation
        orders | 0         | 1       | 2018-08-01T10:00:10.031 | 2018-08-01T10:00:41.350 | (0 0)
        orders | 0         | 1       | 2018-08-01T10:00:41.350 | 2018-08-01T10:00:50.031 | (0 0)(1 0)
        orders | 0         | 1       | 2018-08-01T10:00:50.031 |                         | (0 0)(1 0)(2 1)
        orders | 0         | 2       | 2018-08-01T10:00:20.031 |                         | (1 0) """,
    )
