"""Each record of a saved tail gets one verdict; only lost ones are produced again, each once."""

from __future__ import annotations

import io
from collections.abc import Sequence
from types import SimpleNamespace

from replay.record_batches.batches import Record, RecordBatch, batches
from replay.rescue.overview import Tail, overview
from replay.rescue.surviving_log import SurvivingLog
from replay.rescue.verdicts import MEANING, Judged, Verdict, current_tail, judged
from tests.reconcile.frames import epoch, log_of
from tests.record_batches.segments import batch, crc32c


def loss(leader_epoch: int, start: int, low: int | None, high: int | None, **more) -> SimpleNamespace:
    row = dict(loss_class="committed", verdict="PROVEN_LOSS", premise="", evidence=("e",), discarded_to_offset=None)
    row |= dict(leader_epoch=leader_epoch, from_offset=start, to_offset_low=low, to_offset_high=high, life=0)
    row |= dict(old_leader_id=2, new_leader_id=1, written_low=None, written_high=None)
    return SimpleNamespace(**(row | more))


# Broker 2 leads epoch 0 up to offset 9 and dies; broker 1, which stopped at 4, leads epoch 1 from offset 4.
EPOCHS = (epoch(0, 2, 0, 0), epoch(1, 1, 4, 60, elected_from="any_replica"))
LOSSES = (
    loss(1, 4, 7, 7),
    loss(1, 7, 7, 9, loss_class="acked_possible", verdict="POSSIBLE_LOSS", discarded_to_offset=9),
)
LOG = SurvivingLog(log_of(EPOCHS, losses=LOSSES), LOSSES)


def tail(node_id: int, *segment: bytes) -> Tail:
    return Tail(node_id, lambda: batches(io.BytesIO(b"".join(segment)), crc32c))


def sent(first: int, *values: str, epoch: int = 0, keys: Sequence[str] | None = None, at: int = 1_000, **more) -> bytes:
    """A batch with these values from offset `first` on; a record's time follows from its value."""
    records = [
        Record(first + n, at + int(value), keys[n].encode() if keys else None, value.encode())
        for n, value in enumerate(values)
    ]
    return batch(records, leader_epoch=epoch, **more)


def judgements(*tails: Tail, log: SurvivingLog = LOG, **more) -> list[Judged]:
    overviews = [overview(one) for one in tails]
    return list(judged(tails, overviews, log, current_tail(overviews, log), **more))


def verdicts(*tails: Tail, **more) -> list[tuple[int, int, str, str]]:
    """Node, offset, value and verdict of each record that is judged alone."""
    return [
        (one.node_id, one.record.offset, one.record.value.decode(), one.verdict.value)
        for one in judgements(*tails, **more)
        if one.record is not None
    ]


def survived(*tails: Tail, **more) -> int:
    """How many records survived in batches that nothing was discarded of."""
    return sum(one.count for one in judgements(*tails, **more) if one.record is None)


def test_records_below_the_new_leader_s_start_survived_and_those_above_are_lost():
    dead = tail(2, sent(2, "102", "103"), sent(4, "104", "105", "106", "107", "108"))
    assert survived(dead) == 2
    assert verdicts(dead) == [
        (2, 4, "104", "lost"),
        (2, 5, "105", "lost"),
        (2, 6, "106", "lost"),
        (2, 7, "107", "uncommitted"),
        (2, 8, "108", "uncommitted"),
    ]


def test_a_record_that_two_dead_replicas_hold_is_listed_once():
    assert verdicts(tail(2, sent(4, "104")), tail(3, sent(4, "104", "105"))) == [
        (2, 4, "104", "lost"),
        (3, 5, "105", "lost"),
    ]


def test_an_offset_that_was_used_again_is_another_record():
    leader = tail(1, sent(4, "204", "205", epoch=1))
    assert verdicts(tail(2, sent(4, "104")), leader) == [(2, 4, "104", "lost")]
    assert survived(tail(2, sent(4, "104")), leader) == 2


def test_what_a_producer_sent_again_is_a_duplicate():
    leader = tail(1, sent(4, "106", "204", epoch=1))  # the timestamp is the producer's: it stays the same
    dead = tail(2, sent(4, "104"), sent(5, "106"), sent(6, "104"))
    assert [row[1:] for row in verdicts(dead, leader)] == [
        (4, "104", "lost"),
        (5, "106", "duplicate"),
        (6, "104", "duplicate"),  # appended twice: the first is listed
    ]


def test_an_idempotent_producer_s_sequence_decides_not_the_content():
    leader = tail(1, sent(4, "104", epoch=1, producer=(9, 0, 8)))
    dead = tail(2, sent(4, "104", producer=(9, 0, 7)), sent(5, "105", producer=(9, 0, 8)))
    assert [row[1:] for row in verdicts(dead, leader)] == [(4, "104", "lost"), (5, "105", "duplicate")]


def marked(offset: int, producer: int, kind: bytes, epoch: int = 0) -> bytes:
    marker = Record(offset, 0, b"\0\0\0" + kind, b"")
    return batch([marker], producer=(producer, 0, -1), attributes=0x30, leader_epoch=epoch)


def transactional(offset: int, producer: int, epoch: int = 0) -> bytes:
    return sent(offset, f"10{offset}", producer=(producer, epoch, offset), attributes=0x10, epoch=epoch)


def test_transactions_are_listed_only_with_a_marker_that_commits():
    dead = tail(
        2,
        transactional(4, 51),
        transactional(5, 52),
        transactional(6, 53),
        marked(7, 51, b"\1"),
        marked(8, 52, b"\0"),
    )
    assert [row[1:] for row in verdicts(dead)] == [
        (4, "104", "lost"),
        (5, "105", "aborted"),
        (6, "106", "unfinished"),
    ]
    other = tail(3, transactional(6, 53), marked(7, 53, b"\1"))  # its log has the same record, and the marker
    assert [row[1:] for row in verdicts(dead, other)][-1] == (6, "106", "lost")


def test_a_transaction_that_a_cut_went_through_is_listed_whole_if_its_rest_counts_as_aborted():
    """Offsets 3 and 4 are one transaction, committed at 5. Broker 1 kept 3, and aborts the producer's next one."""
    dead = tail(2, transactional(3, 51), transactional(4, 51), marked(5, 51, b"\1"))
    aborted = tail(1, transactional(3, 51), marked(4, 51, b"\0", epoch=1))
    assert [row[1:] for row in verdicts(dead, aborted)] == [(3, "103", "reversed"), (4, "104", "lost")]
    committed = tail(1, transactional(3, 51), marked(4, 51, b"\1", epoch=1))
    assert [row[1:] for row in verdicts(dead, committed)] == [(4, "104", "lost")]
    assert [row[1:] for row in verdicts(dead)] == [(4, "104", "lost")]
    never = tail(2, transactional(3, 51), transactional(4, 51), marked(5, 51, b"\0"))
    assert [row[1:] for row in verdicts(never, aborted)] == [(4, "104", "aborted")]


def test_a_compacted_topic_keeps_the_newer_record_of_a_key():
    leader = tail(1, sent(2, "102", keys=["b"]), sent(4, "204", epoch=1, keys=["a"]))
    dead = tail(2, sent(4, "104", "105", keys=["a", "b"]))
    assert [row[1:] for row in verdicts(dead, leader, is_compacted=True)] == [
        (4, "104", "older"),
        (5, "105", "lost"),  # the surviving record of key b is older
    ]
    assert [row[3] for row in verdicts(dead, leader)] == ["lost", "lost"]


def test_unknown_where_the_result_does_not_show_where_a_later_leader_began():
    hidden = SurvivingLog(log_of([epoch(0, 2, 0, 0), epoch(1, 1, None, 60)]), [])
    assert hidden.holds(0, 5) is None
    assert [row[3] for row in verdicts(tail(2, sent(5, "105")), log=hidden)] == ["unknown"]
    assert LOG.holds(7, 5) is None  # a leader epoch that the result does not know


def test_a_record_that_an_unclean_election_brought_back_survived():
    """Broker 1 appends offset 4 in epoch 0 and dies; broker 2 leads epoch 1 from 4; broker 1 is elected in epoch 2 at 5."""
    epochs = [epoch(0, 1, 0, 0), epoch(1, 2, 4, 60), epoch(2, 1, 5, 120, elected_from="any_replica")]
    log = SurvivingLog(log_of(epochs), [loss(2, 4, 4, 5, discarded_to_offset=9)])
    old_leader = tail(2, sent(3, "103"), sent(4, "204", "205", epoch=1))
    leader = tail(1, sent(3, "103"), sent(4, "104"), sent(5, "305", epoch=2))
    assert [row[1:] for row in verdicts(old_leader, leader, log=log)] == [(4, "204", "lost"), (5, "205", "lost")]
    assert survived(old_leader, leader, log=log) == 3  # offset 3 once, and 4 and 5 of the current leader


def test_records_of_several_dead_replicas_come_in_the_order_of_leader_epochs():
    """Broker 3 led epoch 0, broker 2 epoch 1 from 4, broker 1 leads epoch 2 from 3."""
    epochs = [epoch(0, 3, 0, 0), epoch(1, 2, 4, 60), epoch(2, 1, 3, 120, elected_from="any_replica")]
    log = SurvivingLog(log_of(epochs), [loss(1, 4, 9, 9), loss(2, 3, 9, 9)])
    second = tail(2, sent(3, "103"), sent(4, "204", epoch=1))
    first = tail(3, sent(3, "103"), sent(4, "104"))
    assert verdicts(second, first, log=log) == [(2, 3, "103", "lost"), (3, 4, "104", "lost"), (2, 4, "204", "lost")]


def test_a_copy_below_the_lost_range_is_found_in_any_tail():
    """A record is appended at 3, its answer is lost, and the producer sends it again: 5 is discarded, 3 survived."""
    dead = tail(2, sent(4, "104"), sent(5, "103"))
    assert [row[1:] for row in verdicts(dead, tail(3, sent(3, "103")))] == [(4, "104", "lost"), (5, "103", "duplicate")]


def test_the_broker_s_times_prove_no_copy_and_an_idempotent_producer_s_sequence_does():
    leader = tail(1, sent(4, "104", epoch=1, at=900_000, producer=(9, 0, 7), attributes=0x08))
    dead = tail(2, sent(4, "104", producer=(9, 0, 7), attributes=0x08))
    assert [row[1:] for row in verdicts(dead, leader)] == [(4, "104", "duplicate")]


def test_a_current_leader_without_a_record_of_its_own_epoch_proves_what_survived():
    epochs = [*EPOCHS, epoch(2, 3, 6, 120)]
    log = SurvivingLog(log_of(epochs), LOSSES)
    leader, dead = tail(3, sent(2, "102", "103"), sent(4, "204", "205", epoch=1)), tail(2, sent(4, "104", "105", "106"))
    assert current_tail([overview(dead), overview(leader)], log) == 1
    assert current_tail([overview(dead)], log) is None
    behind = tail(1, sent(2, "102", "103"), sent(4, "204", epoch=1))
    assert current_tail([overview(behind)], log) is None
    discarded = SurvivingLog(log_of([epoch(0, 3, 0, 0), epoch(1, 2, 6, 60), epoch(2, 1, 4, 120)]), [])
    assert (
        current_tail([overview(tail(1, sent(2, "102", "103")))], discarded) == 0
    )  # epoch 1 wrote what epoch 2 discarded
    assert current_tail([overview(tail(2, sent(2, "102", "103"), sent(4, "104")))], discarded) is None


def test_each_record_is_decoded_once_and_later_survivors_never():
    decoded = []

    class Counted(RecordBatch):
        __slots__ = ()

        def records(self):
            decoded.append((self.leader_epoch, self.base_offset))
            return super().records()

    def counted(one: Tail) -> Tail:
        def read():
            for found in one.read():
                fields = (
                    [getattr(found, name) for name in RecordBatch.__slots__] if isinstance(found, RecordBatch) else ()
                )
                yield Counted(*fields) if fields else found

        return Tail(one.node_id, read)

    dead = counted(tail(2, sent(2, "102"), sent(4, "104", "105"), sent(6, "106")))
    leader = counted(tail(1, sent(4, "204", epoch=1)))
    assert [row[1] for row in verdicts(dead, leader)] == [4, 5, 6]
    assert sorted(decoded) == [(0, 2), (0, 4), (0, 6)]


def test_every_verdict_is_explained():
    assert set(MEANING) == set(Verdict)
