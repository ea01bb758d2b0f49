"""Bands of the commit point: always around the true high watermark, never a line between two anchors."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from replay.offsets.commit_bands import commit_bands, lineages
from replay.partitions.lives import TopicLives
from replay.tables import COMMIT_BANDS, HIGH_WATERMARKS
from replay.tables.losses import LEDGER
from replay.tables.offsets import HighWatermark
from replay.tables.partitions import LEADER_EPOCHS, TOPIC_LIVES, LeaderEpoch
from tests.tables import DAY, in_orders_0, of_each_partition, rows, same_rows


def bands(anchors: str, epochs: str = "leader_epoch", lives: str = "topic", ledger: str = "ts"):
    """The bands of orders-0 that anchors and leader epochs give."""
    judged = in_orders_0(rows(LEADER_EPOCHS, epochs))
    losses = [row.but(loss_class=row.loss_class or "committed") for row in in_orders_0(rows(LEDGER, ledger))]
    return of_each_partition(
        commit_bands,
        in_orders_0(rows(HIGH_WATERMARKS, anchors)),
        judged,
        of_each_partition(lineages, judged, losses),
        lives=TopicLives(rows(TOPIC_LIVES, lives)),
    )


def test_no_anchors_no_bands():
    assert commit_bands([], [], [], TopicLives()) == []


def test_a_high_watermark_holds_from_its_moment_on():
    """Any replica's: a follower's is a lower bound as good as the leader's (facts §1.3, T1)."""
    same_rows(
        bands("""
        ts       | node_id | role     | high_watermark | source       | evidence
        10:00:01 | 1       | leader   | 100            | leader_start | a
        10:00:05 | 2       | follower | 140            | hw_updated   | b
        10:00:09 | 3       | follower | 120            | hw_updated   | c        """),
        COMMIT_BANDS,
        """
        topic  | partition | start_ts | end_ts   | committed_low | committed_high | low_evidence | high_evidence
        orders | 0         | 10:00:01 | 10:00:05 | 100           |                | a            | []
        orders | 0         | 10:00:05 |          | 140           |                | b            | []            """,
    )


def test_a_leaders_log_end_bounds_all_that_came_before_in_its_tenure():
    same_rows(
        bands(
            """
        ts       | node_id | role   | leader_epoch | high_watermark | log_end_offset | source       | evidence
        10:00:01 | 1       | leader | 7            | 100            | 100            | leader_start | a
        10:00:20 | 1       | leader | 7            | 140            | 237            | isr_shrink   | b        """,
            """
        leader_epoch | leader_id | epoch_start_offset | leader_ts | start_ts | end_ts
        7            | 1         | 100                | 10:00:01  | 10:00:01 |        """,
        ),
        COMMIT_BANDS,
        """
        start_ts | end_ts   | committed_low | committed_high | high_evidence
        10:00:01 | 10:00:20 | 100           | 237            | b
        10:00:20 |          | 140           |                | []            """,
    )


def test_of_several_bounds_at_one_time_the_highest_lower_and_the_lowest_upper_one_hold():
    same_rows(
        bands(
            """
        ts       | node_id | role     | leader_epoch | high_watermark | log_end_offset | source       | evidence
        10:00:01 | 1       | leader   | 7            | 100            | 100            | leader_start | a
        10:00:20 | 1       | leader   | 7            | 140            | 237            | isr_shrink   | b
        10:00:20 | 1       | leader   | 7            | 150            | 230            | log_rolled   | c
        10:00:20 | 2       | follower |              | 145            |                | hw_updated   | d        """,
            """
        leader_epoch | leader_id | epoch_start_offset | leader_ts | start_ts | end_ts
        7            | 1         | 100                | 10:00:01  | 10:00:01 |        """,
        ),
        COMMIT_BANDS,
        """
        start_ts | committed_low | committed_high | low_evidence | high_evidence
        10:00:01 | 100           | 230            | a            | c
        10:00:20 | 150           |                | c            | []            """,
    )


@pytest.mark.parametrize(
    ("leader_epoch", "found"),
    [
        (8, ["10:00:01 | 10:00:40 | 100 | 150", "10:00:40 | | 100 |"]),
        (9, ["10:00:01 |          | 100 |    "]),
    ],
)
def test_a_leader_that_leads_on_bounds_all_before_unless_another_may_have_led_in_between(leader_epoch, found):
    same_rows(
        bands(
            """
        ts       | node_id | role   | leader_epoch | high_watermark | log_end_offset | source       | evidence
        10:00:01 | 1       | leader | 7            | 100            |                | leader_start | a """,
            f"""
        leader_epoch   | leader_id | epoch_start_offset | leader_ts | start_ts | end_ts   | elected_from
        7              | 1         | 100                | 10:00:01  | 10:00:01 | 10:00:40 |
        {leader_epoch} | 1         | 150                | 10:00:40  | 10:00:40 |          | isr          """,
        ),
        COMMIT_BANDS,
        "\n".join(["start_ts | end_ts | committed_low | committed_high", *found]),
    )


def test_a_leader_that_woke_as_a_follower_bounds_nothing_after_it_fell_asleep():
    """Its successor's files are missing; that leader epoch 8 began is told only by those who follow it, and broker 1 learned of it as it woke."""
    asleep = """
        ts       | node_id | role     | leader_epoch | high_watermark | log_end_offset | source         | evidence
        10:00:01 | 1       | leader   | 7            | 100            | 100            | leader_start   | a
        10:00:40 | 1       | follower | 8            | 140            | 237            | follower_start | b        """
    epochs = """
        leader_epoch | next_leader_epoch | next_witness | leader_id | epoch_start_offset | leader_ts | start_ts | end_ts
        7            | 8                 | {}     | 1         | 100                | 10:00:01  | 10:00:01 | 10:00:39 """
    same_rows(
        bands(asleep, epochs.format("follower")),
        COMMIT_BANDS,
        """
        start_ts | committed_low | committed_high
        10:00:01 | 100           |
        10:00:40 | 140           |                """,
    )
    same_rows(
        bands(asleep, epochs.format("leader")),
        COMMIT_BANDS,
        """
        start_ts | committed_low | committed_high
        10:00:01 | 100           | 237
        10:00:39 | 100           |
        10:00:40 | 140           |                """,
    )


def test_what_a_leader_states_after_it_loaded_its_log_again_bounds_nothing_before():
    """Its host lost power: the log came back with 975 of 1,395 committed records, and no line of recovery tells. The log is loaded
    as it is created, too: that takes no bound away."""
    epochs = """
        leader_epoch | leader_id | epoch_start_offset | leader_ts | start_ts | end_ts
        7            | 1         | 100                | 10:00:01  | 10:00:01 |        """
    anchors = """
        ts       | node_id | role   | leader_epoch | high_watermark | log_end_offset | source               | evidence
        10:00:00.900 | 1   |        |              |                | 100            | log_load_completed   | z
        10:00:01 | 1       | leader | 7            | 100            | 100            | leader_start         | a
        10:00:20 | 1       | leader | 7            | 604            | 700            | isr_shrink           | b
        10:01:00 | 1       |        |              | 604            | 975            | log_load_completed   | c
        10:01:01 | 1       | leader | 7            | 604            | 975            | leader_start         | d        """
    same_rows(
        bands(anchors, epochs),
        COMMIT_BANDS,
        """
        start_ts | end_ts   | committed_low | committed_high | high_evidence
        10:00:01 | 10:00:20 | 100           | 700            | b
        10:00:20 |          | 604           |                | []            """,
    )


def test_where_a_clean_successor_begins_bounds_all_before():
    """A leader from the ISR has all that was committed, so nothing was beyond its log end (T3)."""
    same_rows(
        bands(
            """
        ts       | node_id | role   | leader_epoch | high_watermark | log_end_offset | source       | evidence
        10:00:01 | 1       | leader | 7            | 100            | 100            | leader_start | a
        10:00:30 | 2       | leader | 8            | 150            | 160            | leader_start | b        """,
            """
        leader_epoch | leader_id | epoch_start_offset | leader_ts | start_ts | end_ts   | elected_from | evidence
        7            | 1         | 100                | 10:00:01  | 10:00:01 | 10:00:29 |              | s7
        8            | 2         | 160                | 10:00:30  | 10:00:29 |          | isr          | s8       """,
        ),
        COMMIT_BANDS,
        """
        start_ts | end_ts   | committed_low | committed_high
        10:00:01 | 10:00:30 | 100           | 160
        10:00:30 |          | 150           |                """,
    )


def test_an_unclean_successor_bounds_nothing_and_begins_again():
    """What was committed above its log end is lost; what a returning replica says is of the old lineage."""
    same_rows(
        bands(
            """
        ts       | node_id | role     | leader_epoch | high_watermark | log_end_offset | source         | evidence
        10:00:01 | 1       | leader   | 2            | 2784           |                | hw_updated     | a
        10:00:34 | 2       | leader   | 4            | 288            | 293            | leader_start   | b
        10:01:13 | 1       | follower | 4            | 2784           | 2870           | follower_start | c
        10:01:20 | 2       | leader   | 4            | 400            |                | hw_updated     | d        """,
            """
        leader_epoch | leader_id | epoch_start_offset | leader_ts | start_ts | end_ts   | elected_from | evidence
        2            | 1         |                    |           | 10:00:00 | 10:00:33 |              | s2
        3            | -1        |                    |           | 10:00:33 | 10:00:34 |              | s3
        4            | 2         | 293                | 10:00:34  | 10:00:34 |          | any_replica  | s4       """,
        ),
        COMMIT_BANDS,
        """
        start_ts | end_ts   | committed_low | committed_high
        10:00:01 | 10:00:33 | 2784          | 2870
        10:00:33 | 10:00:34 | 2784          |
        10:00:34 | 10:01:20 | 288           |
        10:01:20 |          | 400           |                """,
    )


@pytest.mark.parametrize("verdict", ["UNDETERMINED", "NO_LOSS_OBSERVED"])
def test_a_successor_that_may_have_come_from_outside_the_isr_bounds_nothing_and_begins_again(verdict):
    """The ledger cannot tell whether the history before was given up, so nothing that was known before is known after."""
    same_rows(
        bands(
            """
        ts       | node_id | role     | leader_epoch | high_watermark | log_end_offset | source       | evidence
        10:00:01 | 1       | leader   | 7            | 41             | 89             | isr_shrink   | a
        10:00:30 | 3       | leader   | 8            | 12             | 67             | leader_start | b        """,
            """
        leader_epoch | leader_id | epoch_start_offset | leader_ts | start_ts | end_ts   | elected_from | evidence
        7            | 1         | 0                  | 10:00:00  | 10:00:00 | 10:00:30 |              | s7
        8            | 3         | 67                 | 10:00:30  | 10:00:30 |          | isr          | s8       """,
            ledger=f"""
        leader_epoch | ts       | scenario | verdict
        8            | 10:00:30 | S4       | {verdict} """,
        ),
        COMMIT_BANDS,
        """
        start_ts | end_ts   | committed_low | committed_high
        10:00:01 | 10:00:30 | 41            |
        10:00:30 |          | 12            |                """,
    )


def test_a_deposed_leaders_log_end_bounds_its_own_tenure_only():
    """It says so when it begins to follow; by then the next leader may have committed more."""
    same_rows(
        bands(
            """
        ts       | node_id | role     | leader_epoch | high_watermark | log_end_offset | source         | evidence
        10:00:01 | 1       | leader   | 7            | 140            |                | hw_updated     | a
        10:00:30 | 2       | leader   | 8            | 200            |                | hw_updated     | b
        10:01:00 | 1       | follower | 8            | 140            | 237            | follower_start | c        """,
            """
        leader_epoch | leader_id | start_ts | end_ts   | elected_from
        7            | 1         | 10:00:00 | 10:00:20 |
        8            | 2         | 10:00:20 |          | isr          """,
        ),
        COMMIT_BANDS,
        """
        start_ts | end_ts   | committed_low | committed_high
        10:00:01 | 10:00:20 | 140           | 237
        10:00:20 | 10:00:30 | 140           |
        10:00:30 |          | 200           |                """,
    )


def test_a_deposed_leaders_log_end_bounds_no_more_than_the_begin_of_its_tenure_if_epochs_are_missing_after_it():
    """Who led in leader epoch 8, and from when, is not logged: records may have been committed long before epoch 9 began."""
    same_rows(
        bands(
            """
        ts       | node_id | role     | leader_epoch | high_watermark | log_end_offset | source         | evidence
        10:00:01 | 1       | leader   | 7            | 100            |                | leader_start   | a
        10:00:50 | 1       | follower | 9            |                | 170            | follower_start | c        """,
            """
        leader_epoch | next_leader_epoch | leader_id | epoch_start_offset | leader_ts | start_ts | end_ts   | elected_from
        7            | 9                 | 1         |                    |           | 10:00:01 | 10:00:40 |
        9            |                   | 2         |                    |           | 10:00:40 |          | isr          """,
        ),
        COMMIT_BANDS,
        """
        start_ts | end_ts | committed_low | committed_high
        10:00:01 |        | 100           |                """,
    )


def test_a_log_that_lost_records_on_disk_bounds_nothing():
    """Recovery found the old leader's log damaged (orders-0), or its machine lost power (orders-1): where it had ended is not known; broker 2 goes on from 236."""
    same_rows(
        bands(
            """
        partition | ts           | node_id | role     | leader_epoch | high_watermark | log_end_offset | source                  | evidence
        0         | 10:00:00     | 1       | leader   | 0            | 0              | 0              | leader_start            | a
        0         | 10:00:40.998 | 1       |          | 0            |                | 118            | producer_snapshot_written | b
        0         | 10:00:41     | 1       |          | 0            |                | 118            | log_recovery_truncated  | c
        0         | 10:00:42     | 1       | follower | 1            | 118            | 118            | follower_start          | d
        0         | 10:01:40     | 1       | leader   | 2            | 300            | 300            | leader_start            | e
        0         | 10:01:50     | 1       | leader   | 2            | 320            | 333            | isr_shrink              | f
        1         | 10:00:00     | 1       | leader   | 0            | 0              | 0              | leader_start            | a
        1         | 10:00:42     | 1       | follower | 1            | 118            | 118            | follower_start          | d  """,
            """
        partition | leader_epoch | leader_id | epoch_start_offset | leader_ts | start_ts | end_ts   | elected_from
        0         | 0            | 1         | 0                  | 10:00:00  | 10:00:00 | 10:00:20 |
        0         | 1            | 2         | 236                | 10:00:20  | 10:00:20 | 10:01:40 | isr
        0         | 2            | 1         | 300                | 10:01:40  | 10:01:40 |          | isr
        1         | 0            | 1         | 0                  | 10:00:00  | 10:00:00 | 10:00:20 |
        1         | 1            | 2         | 236                | 10:00:20  | 10:00:20 |          | isr          """,
        ),
        COMMIT_BANDS,
        """
        partition | start_ts | end_ts   | committed_low | committed_high
        0         | 10:00:00 | 10:00:20 | 0             | 236
        0         | 10:00:20 | 10:00:42 | 0             | 300
        0         | 10:00:42 | 10:01:40 | 118           | 300
        0         | 10:01:40 | 10:01:50 | 300           | 333
        0         | 10:01:50 |          | 320           |
        1         | 10:00:00 | 10:00:20 | 0             | 236
        1         | 10:00:20 | 10:00:42 | 0             |
        1         | 10:00:42 |          | 118           |                """,
    )


def test_an_upper_bound_below_what_was_committed_is_left_to_the_invariants():
    same_rows(
        bands(
            """
        ts       | node_id | role   | leader_epoch | high_watermark | log_end_offset | source       | evidence
        10:00:01 | 1       | leader | 7            | 140            |                | hw_updated   | a
        10:00:30 | 2       | leader | 8            | 120            | 120            | leader_start | b        """,
            """
        leader_epoch | leader_id | epoch_start_offset | leader_ts | start_ts | end_ts   | elected_from
        7            | 1         |                    |           | 10:00:00 | 10:00:29 |
        8            | 2         | 120                | 10:00:30  | 10:00:29 |          | isr          """,
        ),
        COMMIT_BANDS,
        """
        start_ts | end_ts | committed_low | committed_high
        10:00:01 |        | 140           |                """,
    )


def test_the_log_start_is_committed_too():
    same_rows(
        bands("""
        ts       | node_id | high_watermark | log_start_offset | source
        10:00:01 | 1       |                | 50               | log_start_offset_incremented
        10:00:05 | 1       | 40             | 60               | log_load_completed           """),
        COMMIT_BANDS,
        """
        start_ts | end_ts   | committed_low
        10:00:01 | 10:00:05 | 50
        10:00:05 |          | 60            """,
    )


def test_a_topic_made_again_starts_from_nothing():
    same_rows(
        bands(
            """
        ts       | node_id | role   | high_watermark | source
        10:00:01 | 1       | leader | 500            | hw_updated
        10:10:01 | 1       | leader | 3              | hw_updated """,
            lives="""
        topic  | boundaries
        orders | 10:05:00 """,
        ),
        COMMIT_BANDS,
        """
        start_ts | end_ts   | committed_low
        10:00:01 | 10:10:01 | 500
        10:10:01 |          | 3             """,
    )


# Random histories of a cluster that loses nothing, told by lines here and there: the true commit point lies in every band.


@dataclass
class History:
    """One partition: what was true at each second, and what lines tell of it."""

    seed: int
    anchors: list[dict] = field(default_factory=list)
    epochs: list[dict] = field(default_factory=list)
    committed: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        rng = random.Random(self.seed)
        ends = dict.fromkeys((1, 2, 3), 0)  # log end offsets
        marks = dict.fromkeys(ends, 0)  # each replica's own high watermark
        leader, leader_epoch, isr, committed = 1, 0, {1, 2, 3}, 0
        away: dict[
            int, int
        ] = {}  # deposed leaders that do not know it yet, and when they will; their logs stay as they are
        self._begins(0, leader, leader_epoch, None, ends, marks)
        for second in range(1, 61):
            ends[leader] += rng.randrange(5)
            for node in [node for node, until in away.items() if until <= second]:
                self._tells(second, node, "follower", "follower_start", leader_epoch, marks[node], ends[node])
                ends[node] = min(ends[node], ends[leader])
                del away[node]
            for node in set(ends) - {leader} - set(away):
                if rng.random() < 0.7:
                    ends[node] = rng.randint(min(ends[node], ends[leader]), ends[leader])
                    marks[node] = max(marks[node], min(ends[node], marks[leader]))
            act = rng.random()
            if act < 0.1 and len(isr) > 1:
                gone = rng.choice(sorted(isr - {leader}))
                self._tells(second, leader, "leader", "isr_shrink", leader_epoch, marks[leader], ends[leader])
                isr = isr - {gone}
            elif act < 0.2:
                isr = isr | {node for node in ends if ends[node] >= committed and node not in away}
            committed = max(committed, min(ends[node] for node in isr))
            marks[leader] = max(
                marks[leader], min(committed, rng.randint(marks[leader], max(marks[leader], committed)))
            )
            if rng.random() < 0.1 and len(isr) > 1:
                deposed, leader = leader, rng.choice(sorted(isr - {leader}))
                leader_epoch += 1
                self._begins(second, leader, leader_epoch, "isr", ends, marks)
                away[deposed] = second + rng.randrange(1, 15)
                ends = {node: end if node in away else min(end, ends[leader]) for node, end in ends.items()}
                isr = {node for node in isr - {deposed} if ends[node] >= committed}
            elif rng.random() < 0.15:
                node = rng.choice(sorted(ends))
                self._tells(
                    second,
                    node,
                    "leader" if node == leader else "follower",
                    "hw_updated",
                    leader_epoch,
                    marks[node],
                    None,
                )
            elif rng.random() < 0.1:
                self._tells(second, leader, "leader", "log_rolled", leader_epoch, None, ends[leader])
            self.committed.append(committed)

    def _begins(
        self, second: int, leader: int, leader_epoch: int, elected_from: str | None, ends: dict, marks: dict
    ) -> None:
        if self.epochs:
            self.epochs[-1]["end_ts"] = _at(second)
        self.epochs.append(
            {
                "leader_epoch": leader_epoch,
                "next_leader_epoch": None,
                "next_witness": None,
                "leader_id": leader,
                "epoch_start_offset": ends[leader],
                "leader_ts": _at(second),
                "start_ts": _at(second),
                "end_ts": None,
                "elected_from": elected_from,
                "evidence": ["e"],
            }
        )
        self._tells(second, leader, "leader", "leader_start", leader_epoch, marks[leader], ends[leader])

    def _tells(
        self,
        second: int,
        node: int,
        role: str,
        source: str,
        leader_epoch: int,
        high_watermark: int | None,
        log_end_offset: int | None,
    ) -> None:
        self.anchors.append(
            {
                "ts": _at(second),
                "node_id": node,
                "role": role,
                "source": source,
                "leader_epoch": leader_epoch,
                "high_watermark": high_watermark,
                "log_end_offset": log_end_offset,
                "log_start_offset": None,
                "evidence": ["e"],
            }
        )


def _at(second: int) -> datetime:
    return datetime.combine(DAY, datetime.min.time(), tzinfo=UTC) + timedelta(hours=10, seconds=second)


def test_the_true_commit_point_lies_in_every_band():
    histories = [History(seed) for seed in range(300)]

    def told(part: str, of: type):
        return [of(**{"topic": "orders", "partition": h.seed, **row}) for h in histories for row in getattr(h, part)]

    anchors = told("anchors", HighWatermark)
    judged = [row.but(life=0) for row in told("epochs", LeaderEpoch)]
    boundaries = of_each_partition(lineages, judged, [])
    found = of_each_partition(commit_bands, anchors, judged, boundaries, lives=TopicLives())

    wrong, bounded = [], 0
    for band in found:
        history = histories[band.partition]
        first = int((band.start_ts - _at(0)).total_seconds())
        last = int((band.end_ts - _at(0)).total_seconds()) if band.end_ts else 61
        bounded += band.committed_high is not None
        for second in range(max(first, 1), last):
            true = history.committed[second - 1]
            if true < band.committed_low or (band.committed_high is not None and true > band.committed_high):
                wrong.append((band.partition, second, band.committed_low, true, band.committed_high))
    assert not wrong
    assert len(found) > 2_000 and bounded > 1_000  # the histories do say something


def test_a_partition_of_which_only_times_without_a_leader_are_known_has_the_bands_of_its_high_watermarks():
    anchors = """
        ts       | node_id | role     | high_watermark | source     | evidence
        10:00:05 | 2       | follower | 140            | hw_updated | b        """
    led_by_nobody = """
        leader_epoch | leader_id | start_ts | end_ts
        7            | -1        | 10:00:01 |        """
    same_rows(
        bands(anchors, led_by_nobody),
        COMMIT_BANDS,
        """
        start_ts | end_ts | committed_low | committed_high
        10:00:05 |        | 140           |                """,
    )
