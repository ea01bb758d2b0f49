"""The verdict of a record by its leader epoch, its offset and its time."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pipelines.reconciliation.records import read_records
from pipelines.reconciliation.without_spark import verdicts
from replay.reconcile.logs import UNBOUNDED
from tests.reconcile.frames import EVERYWHERE, at, cut, deleted, deposed, epoch, log_of, us

# Broker 1 leads to offset 100 and dies at 10 s; broker 2 begins at offset 60 at 20 s. Broker 1 truncates 60 to 100.
LOST = SimpleNamespace(
    leader_epoch=1,
    life=0,
    old_leader_id=1,
    loss_class="committed",
    verdict="PROVEN_LOSS",
    from_offset=60,
    to_offset_low=100,
    to_offset_high=100,
    discarded_to_offset=100,
    written_high=at(10),
)
UNCLEAN = {
    "epochs": [epoch(0, 1, 0, 0), epoch(1, 2, 60, 20, elected_from="any_replica")],
    "truncations": [cut(1, 100, 60, 40)],
    "losses": [LOST],
}


def _verdicts(tmp_path: Path, log: Any, lines: str, error: int | None = None) -> list[str]:
    file = tmp_path / "records.csv"
    file.write_text(lines)
    return list(verdicts(read_records(file, {}), {("orders", 0): log}, error).verdict)


def _reasons(tmp_path: Path, log: Any, lines: str, error: int | None = None) -> list[str]:
    file = tmp_path / "records.csv"
    file.write_text(lines)
    return verdicts(read_records(file, {}), {("orders", 0): log}, error).columns()["reason"].to_pylist()


def _csv(*records: tuple[int, float], acks: str = "1") -> str:
    rows = [f"orders,0,{offset},{us(seconds) // 1000},{acks}" for offset, seconds in records]
    return "\n".join(["topic,partition,offset,timestamp,acks", *rows]) + "\n"


def _by_protocol() -> SimpleNamespace:
    """The verdict that a leader of leader epoch 1 could not commit anything above offset 60."""
    return SimpleNamespace(
        leader_epoch=1,
        life=0,
        old_leader_id=1,
        loss_class="committed",
        verdict="NO_COMMITTED_LOSS_BY_PROTOCOL",
        from_offset=60,
        to_offset_low=60,
        to_offset_high=60,
        discarded_to_offset=None,
        written_high=None,
    )


def test_a_record_above_the_start_of_the_next_leader_is_gone_and_one_below_is_kept(tmp_path):
    log = log_of(**UNCLEAN)
    assert _verdicts(tmp_path, log, _csv((59, 5), (60, 6), (99, 9))) == ["kept", "gone", "gone"]


def test_an_offset_that_was_used_again_holds_another_record(tmp_path):
    log = log_of(**UNCLEAN)
    found = _verdicts(tmp_path, log, _csv((59, 5), (60, 6), (70, 7), (60, 21), (61, 22)))
    assert found == ["kept", "rewritten", "gone", "kept", "kept"]


@pytest.mark.parametrize("skew", [-5, 5, 900])
def test_a_clock_that_is_off_by_seconds_or_minutes_changes_no_verdict(tmp_path, skew):
    log = log_of(**UNCLEAN)
    records = [(0, 0.2), (59, 5), (60, 6), (99, 9.8), (60, 20.3), (61, 22), (120, 30)]
    right = ["kept", "kept", "rewritten", "rewritten", "kept", "kept", "kept"]
    assert _verdicts(tmp_path, log, _csv(*((offset, seconds + skew) for offset, seconds in records))) == right


def test_with_its_leader_epoch_a_record_needs_no_time(tmp_path):
    log = log_of(**UNCLEAN)
    lines = "topic,partition,offset,leader_epoch\norders,0,60,0\norders,0,60,1\norders,0,59,0\n"
    assert _verdicts(tmp_path, log, lines) == ["rewritten", "kept", "kept"]


def test_without_epoch_and_time_both_possibilities_are_stated(tmp_path):
    log = log_of(**UNCLEAN)
    lines = "topic,partition,offset\norders,0,59\norders,0,60\norders,0,100\n"
    assert _verdicts(tmp_path, log, lines) == ["kept", "gone_possible", "kept"]


def test_a_deposed_leader_that_goes_on_is_told_apart_by_the_fall_of_the_offsets(tmp_path):
    zombie = log_of(
        [epoch(0, 1, 0, 0), epoch(1, 2, 60, 20)],
        truncations=[cut(1, 70, 60, 40)],
        deposed_leaders=[deposed(1, 0, 20, 40)],
    )
    old = [(offset, 20 + (offset - 60) * 0.5) for offset in range(60, 70)]
    new = [(offset, 26 + (offset - 60) * 0.5) for offset in range(60, 75)]
    found = _verdicts(tmp_path, zombie, _csv((59, 19), *old, *new))
    assert found == ["kept", *["rewritten"] * 10, *["kept"] * 15]


def test_a_producer_with_acks_all_has_nothing_from_a_leader_that_could_not_commit(tmp_path):
    zombie = log_of(
        [epoch(0, 1, 0, 0), epoch(1, 2, 60, 20)],
        truncations=[cut(1, 70, 60, 40)],
        deposed_leaders=[deposed(1, 0, 20, 40)],
        losses=[_by_protocol()],
    )
    burst = [(offset, 21.0) for offset in range(60, 70)]
    assert set(_verdicts(tmp_path, zombie, _csv(*burst, acks="all"))) == {"kept"}
    assert set(_verdicts(tmp_path, zombie, _csv(*burst, acks="1"))) == {"gone_possible"}


def test_a_topic_that_was_created_again_holds_none_of_the_old_records(tmp_path):
    log = log_of([epoch(0, 1, 0, 0), epoch(0, 2, 0, 50, life=1, reason="created")])
    found = _verdicts(tmp_path, log, _csv((0, 1), (5, 3), (0, 51), (1, 52)))
    assert found == ["rewritten", "gone", "kept", "kept"]


REPLICAS = [SimpleNamespace(isr=(1, 2, 3), replicas=(1, 2, 3), start_ts=at(0))]


def test_a_broker_that_deleted_its_log_leaves_the_records_before_undecided(tmp_path):
    alone = {1: [(us(-10), us(200))]}
    log = log_of([epoch(0, 1, 0, 0)], covered=alone, isr_spans=REPLICAS, deletions=[deleted(1, 40)])
    records = _csv((0, 0.2), (9, 39), (0, 50), (1, 51))
    assert _verdicts(tmp_path, log, records) == ["undecided", "undecided", "kept", "kept"]
    assert _verdicts(tmp_path, log, "topic,partition,offset,leader_epoch\norders,0,5,0\n") == ["undecided"]
    assert "The server.log and state-change.log of the other replicas" in _reasons(tmp_path, log, records)[1]
    assert log.deleted_evidence == ("node-1/server.log:40",)


def test_a_replica_that_moved_away_takes_no_record_with_it(tmp_path):
    records = _csv((0, 0.2), (9, 39), (10, 50))
    moved = log_of([epoch(0, 1, 0, 0)], isr_spans=REPLICAS, deletions=[deleted(3, 40)])
    assert _verdicts(tmp_path, moved, records) == ["kept", "kept", "kept"]
    everywhere = [deleted(node, 40 + node) for node in (1, 2, 3)]
    gone = log_of([epoch(0, 1, 0, 0)], isr_spans=REPLICAS, deletions=everywhere)
    assert _verdicts(tmp_path, gone, records)[:2] == ["undecided", "undecided"]


def test_logs_that_end_with_the_deletion_do_not_show_that_a_replica_stayed(tmp_path):
    covered = {1: EVERYWHERE[1], 2: [(us(-10), us(41))]}
    log = log_of([epoch(0, 1, 0, 0)], covered=covered, isr_spans=REPLICAS, deletions=[deleted(1, 40)])
    assert _verdicts(tmp_path, log, _csv((0, 0.2), (9, 39)))[:2] == ["undecided", "undecided"]


def test_a_deleted_copy_and_a_folder_that_was_renamed_before_delete_no_log(tmp_path):
    covered = {1: EVERYWHERE[1]}
    for message in (
        "Log for partition orders-0 is renamed to /d/orders-0.1f-future-delete",
        "Deleted log for partition orders-0 in /d/orders-0.1f-delete.",
    ):
        log = log_of([epoch(0, 1, 0, 0)], covered=covered, isr_spans=REPLICAS, deletions=[deleted(1, 40, message)])
        assert _verdicts(tmp_path, log, _csv((0, 0.2), (9, 39))) == ["kept", "kept"]


def test_a_deletion_before_the_last_topic_of_the_name_says_nothing_about_it(tmp_path):
    two = [epoch(0, 1, 0, 0), epoch(0, 2, 0, 50, life=1, reason="created")]
    log = log_of(two, covered={1: EVERYWHERE[1], 2: EVERYWHERE[2]}, deletions=[deleted(1, 40), deleted(2, 40)])
    assert _verdicts(tmp_path, log, _csv((5, 3), (0, 51), (1, 52))) == ["gone", "kept", "kept"]


def test_a_record_that_can_be_of_either_topic_says_so(tmp_path):
    log = log_of([epoch(0, 1, 0, 0), epoch(0, 2, 0, 50, life=1, reason="created")])
    lines = "topic,partition,offset\norders,0,5\n"
    assert _verdicts(tmp_path, log, lines) == ["gone_possible"]
    (reason,) = _reasons(tmp_path, log, lines)
    assert reason.startswith("A topic of this name was deleted and created again.")
    assert "Leader epochs 0" not in reason


def test_a_high_watermark_does_not_end_what_a_leader_committed_if_no_line_shows_where_the_next_one_began(tmp_path):
    entries = [{"leader_epoch": 0, "epoch_start_offset": 0}, {"leader_epoch": 2, "epoch_start_offset": 66}]
    file = SimpleNamespace(node_id=1, end_ts=None, entries=entries)
    epochs = [epoch(0, 1, 0, 0), epoch(1, 2, None, 20), epoch(2, 1, 66, 21, elected_from=None)]
    log = log_of(epochs, losses=[_by_protocol()], epoch_files=[file])
    found = _verdicts(tmp_path, log, _csv((65, 9), (66, 30), acks="all"), error=1_000_000)
    assert found == ["gone_possible", "kept"]


def test_a_record_whose_first_copy_can_be_kept_without_acknowledgement_is_not_called_gone(tmp_path):
    # Broker 1 dies with 58 and 59 replicated, without acknowledgement; broker 2 loses all that it appends.
    log = log_of([epoch(0, 1, 0, 0), epoch(1, 2, 60, 20), epoch(2, 1, 60, 40, elected_from="any_replica")])
    records = _csv((0, 0.2), (57, 9), (60, 22), (61, 22), (62, 23), (60, 41), (61, 42))
    found = _verdicts(tmp_path, log, records, error=1_000_000)
    assert found == ["kept", "kept", "undecided", "undecided", "gone", "kept", "kept"]
    assert "stored by a retry" in _reasons(tmp_path, log, records, error=1_000_000)[2]
    all_acknowledged = _csv((0, 0.2), (59, 9), (60, 22), (61, 22), (60, 41))
    assert _verdicts(tmp_path, log, all_acknowledged, error=1_000_000) == ["kept", "kept", "rewritten", "gone", "kept"]
    other_producer = _csv((60, 22), (61, 22), (60, 41))
    assert _verdicts(tmp_path, log, other_producer, error=1_000_000) == ["rewritten", "gone", "kept"]


def test_an_offset_below_the_log_start_has_expired_and_one_that_was_truncated_is_gone(tmp_path):
    start = SimpleNamespace(
        change="moved_by_request", ts=at(60), log_start_offset=80, to_offset=None, evidence=("node-2/server.log:9",)
    )
    log = log_of(**UNCLEAN, log_starts=[start])
    found = _verdicts(tmp_path, log, _csv((59, 5), (70, 7), (70, 22), (80, 24)))
    assert found == ["expired", "rewritten", "expired", "kept"]


def test_leader_epochs_without_lines_leave_their_records_undecided(tmp_path):
    log = log_of([epoch(0, 1, 0, 0), epoch(3, 1, 60, 100)])
    found = _verdicts(tmp_path, log, _csv((59, 5), (59, 50), (300, 120)), error=1_000_000)
    assert found == ["undecided", "undecided", "undecided"]
    assert "gone" not in found


def test_the_logs_of_one_broker_that_end_before_the_records_prove_nothing_about_the_end(tmp_path):
    one = {1: [(us(-10), us(10))]}
    log = log_of([epoch(0, 1, 0, 0)], covered=one, isr_spans=[SimpleNamespace(isr=(1, 2, 3), replicas=(1, 2, 3))])
    assert _verdicts(tmp_path, log, _csv((1, 1), (90, 9))) == ["kept", "kept"]
    assert _verdicts(tmp_path, log, _csv((1, 1), (90, 9), (200, 90)), error=1_000_000)[:2] == ["undecided", "undecided"]


def test_a_deposed_leader_whose_log_is_not_there_can_have_acknowledged_later(tmp_path):
    others = {2: [(0, UNBOUNDED // 2)], 3: [(0, UNBOUNDED // 2)]}
    log = log_of([epoch(0, 1, 0, 0), epoch(1, 2, 60, 20)], covered=others)
    assert _verdicts(tmp_path, log, _csv((70, 25)), error=1_000_000) == ["gone_possible"]


def test_a_leader_that_loses_the_end_of_its_own_log_begins_again_below_it(tmp_path):
    recovered = cut(1, None, 60, 14, by_recovery=True)
    log = log_of([epoch(0, 1, 0, 0), epoch(1, -1, None, 12), epoch(2, 1, 60, 15)], truncations=[recovered])
    found = _verdicts(tmp_path, log, _csv((0, 0.2), (59, 5), (60, 6), (99, 9.5), (60, 15.4), (61, 16)))
    assert found == ["kept", "kept", "rewritten", "gone", "kept", "kept"]


def test_a_stale_leader_can_bring_back_what_another_had_replaced(tmp_path):
    # Broker 3 leads epoch 0 to offset 90; broker 2 begins epoch 1 at 60; broker 3, never truncated, begins epoch 2 at 90.
    log = log_of(
        [epoch(0, 3, 0, 0), epoch(1, 2, 60, 20), epoch(2, 3, 90, 40, elected_from="any_replica")],
    )
    lines = "topic,partition,offset,leader_epoch\norders,0,59,0\norders,0,70,0\norders,0,70,1\n"
    assert _verdicts(tmp_path, log, lines)[:2] == ["kept", "gone_possible"]


def test_the_second_copy_of_a_batch_is_a_duplicate(tmp_path):
    log = log_of([epoch(0, 1, 0, 0)])
    lines = (
        "topic,partition,offset,leader_epoch,producer_id,producer_epoch,sequence\n"
        "orders,0,1,0,7,0,5\norders,0,4,0,7,0,5\norders,0,5,0,7,1,5\norders,0,6,0,-1,-1,-1\norders,0,7,0,-1,-1,-1\n"
    )
    assert _verdicts(tmp_path, log, lines) == ["kept", "duplicate", "kept", "kept", "kept"]


def test_the_second_record_of_a_key_is_a_duplicate_where_keys_are_unique(tmp_path):
    log = log_of([epoch(0, 1, 0, 0), epoch(1, 2, 60, 20)])
    file = tmp_path / "acked.csv"
    file.write_text(
        "topic,partition,offset,leader_epoch,key\norders,0,1,0,a\norders,0,4,0,a\norders,0,70,0,b\norders,0,71,1,b\norders,0,5,0,\norders,0,6,0,\n"
    )
    records, logs = read_records(file, {}), {("orders", 0): log}
    without = ["kept", "kept", "rewritten", "kept", "kept", "kept"]
    assert list(verdicts(records, logs).verdict) == without
    found = verdicts(records, logs, keys_are_unique=True)
    assert list(found.verdict) == ["kept", "duplicate", *without[2:]]
    assert found.columns()["reason"][1].as_py() == "The surviving log holds this key at offset 1 too."


def test_a_restart_of_the_leader_before_the_logs_begin_can_have_shortened_its_log(tmp_path):
    late = {1: [(us(14), UNBOUNDED // 2)]}
    log = log_of([epoch(0, 1, 0, 0), epoch(1, -1, None, 12), epoch(2, 1, 60, 15)], covered=late)
    lines = "topic,partition,offset\norders,0,59\norders,0,70\n"
    assert _verdicts(tmp_path, log, lines) == ["kept", "gone_possible"]


def test_times_long_before_the_topic_can_be_of_an_earlier_topic_of_that_name(tmp_path):
    log = log_of([epoch(0, 1, 0, 0)])
    assert _verdicts(tmp_path, log, _csv((0, -40), (5, -30), (6, 4))) == ["undecided"] * 3
    assert _verdicts(tmp_path, log, _csv((0, -4), (5, 0), (6, 4))) == ["kept"] * 3
    lines = f"topic,partition,offset,timestamp,leader_epoch\norders,0,5,{us(-40) // 1000},0\n"
    assert _verdicts(tmp_path, log, lines) == ["kept"]
