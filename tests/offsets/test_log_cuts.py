"""Replicas that cut their logs: which lines are cuts, and from where."""

from __future__ import annotations

import pytest

from replay.offsets.log_cuts import log_cuts
from replay.tables import EVENTS, TRUNCATIONS
from replay.tables.partitions import ROLE_LINES
from tests.tables import of_each_partition, rows, same_rows


def cuts(text: str, roles: str = "ts"):
    return of_each_partition(log_cuts, rows(EVENTS, text), rows(ROLE_LINES, roles))


def test_no_lines_no_cuts():
    assert list(log_cuts([], [])) == []


def test_a_returning_leader_cuts_to_where_the_next_epoch_began():
    same_rows(
        cuts("""
        ts           | kind             | node_id | topic  | partition | leader_epoch | log_end_offset | high_watermark | truncation_offset
        10:00:13.878 | follower_start   | 1       | orders | 0         | 4            | 2870           | 2784           |
        10:00:13.944 | log_truncated_to | 1       | orders | 0         |              |                |                | 293               """),
        TRUNCATIONS,
        """
        topic  | partition | node_id | ts           | leader_epoch | log_end_offset | truncation_offset | high_watermark | evidence
        orders | 0         | 1       | 10:00:13.944 | 4            | 2870           | 293               | 2784           | e2,e1    """,
    )


@pytest.mark.parametrize(("template", "known"), [("PRT-094", "2784"), ("PRT-109", "")])
def test_a_replica_states_its_own_high_watermark_as_it_loads_its_log(template, known):
    """All that server.log shows from 2.6 on. Up to 2.3 brokers print those of other replicas too."""
    same_rows(
        cuts(f"""
        ts           | kind                 | node_id | topic  | partition | high_watermark | truncation_offset | template_id
        10:00:13.878 | partition_log_loaded | 1       | orders | 0         | 2784           |                   | {template}
        10:00:13.944 | log_truncated_to     | 1       | orders | 0         |                | 293               |           """),
        TRUNCATIONS,
        f"""
        ts           | truncation_offset | high_watermark
        10:00:13.944 | 293               | {known}        """,
    )


def test_what_has_nothing_to_cut_is_no_truncation():
    """Facts §8 trap 17: "Truncating to 0 has no effect", "due to local high watermark 0"."""
    assert not cuts("""
        ts       | kind                | node_id | topic  | partition | truncation_offset | high_watermark
        10:00:01 | truncation_to_hw    | 1       | orders | 0         | 0                 | 0
        10:00:01 | log_truncation_noop | 1       | orders | 0         | 0                 |                """)


def test_one_cut_that_two_lines_show_is_one():
    same_rows(
        cuts("""
        ts           | kind                | node_id | topic  | partition | truncation_offset | high_watermark
        10:00:01.000 | truncation_below_hw | 1       | orders | 0         | 293               | 2784
        10:00:01.005 | log_truncated_to    | 1       | orders | 0         | 293               |                """),
        TRUNCATIONS,
        """
        ts           | truncation_offset | high_watermark
        10:00:01.000 | 293               | 2784           """,
    )


def test_recovery_cuts_a_damaged_log_for_no_leader():
    """Whom its broker followed in its life before has no part in it."""
    same_rows(
        cuts("""
        ts           | kind                   | node_id | topic  | partition | leader_epoch | log_end_offset | high_watermark | truncation_offset
        10:00:01.000 | follower_start         | 1       | orders | 0         | 4            | 100            | 90             |
        10:09:30.000 | log_recovery_truncated | 1       | orders | 0         |              |                |                | 118
        10:09:31.000 | follower_start         | 1       | orders | 0         | 5            | 118            | 118            |
        10:09:31.100 | log_truncated_to       | 1       | orders | 0         |              |                |                | 110               """),
        TRUNCATIONS,
        """
        ts           | leader_epoch | log_end_offset | truncation_offset | by_recovery
        10:09:30.000 |              |                | 118               | true
        10:09:31.100 | 5            | 118            | 110               | false       """,
    )


def test_a_second_cut_further_down_is_another():
    same_rows(
        cuts("""
        ts           | kind             | node_id | topic  | partition | truncation_offset
        10:00:01.000 | log_truncated_to | 1       | orders | 0         | 293
        10:00:01.300 | log_truncated_to | 1       | orders | 0         | 120               """),
        TRUNCATIONS,
        """
        truncation_offset
        293
        120               """,
    )


def test_a_log_end_logged_long_before_or_below_the_cut_does_not_count():
    same_rows(
        cuts("""
        ts       | kind             | node_id | topic  | partition | leader_epoch | log_end_offset | truncation_offset
        10:00:00 | follower_start   | 1       | orders | 0         | 4            | 300            |
        10:05:00 | log_truncated_to | 1       | orders | 0         |              |                | 293
        10:05:00 | follower_start   | 1       | clicks | 0         | 4            | 100            |
        10:05:01 | log_truncated_to | 1       | clicks | 0         |              |                | 293               """),
        TRUNCATIONS,
        """
        topic  | log_end_offset | truncation_offset
        orders |                | 293
        clicks |                | 293               """,
    )


def test_each_node_cuts_its_own_log():
    same_rows(
        cuts("""
        ts       | kind             | node_id | topic  | partition | leader_epoch | log_end_offset | truncation_offset
        10:00:00 | follower_start   | 3       | orders | 0         | 4            | 599            |
        10:00:01 | follower_start   | 1       | orders | 0         | 4            | 2870           |
        10:00:02 | log_truncated_to | 1       | orders | 0         |              |                | 293
        10:00:02 | log_truncated_to | 3       | orders | 0         |              |                | 293               """),
        TRUNCATIONS,
        """
        node_id | log_end_offset | truncation_offset
        1       | 2870           | 293
        3       | 599            | 293               """,
    )


def test_a_damaged_log_that_is_recovered_is_cut_too():
    same_rows(
        cuts("""
        ts       | kind                   | node_id | topic  | partition | truncation_offset
        10:00:01 | log_recovery_truncated | 2       | orders | 1         | 892               """),
        TRUNCATIONS,
        """
        node_id | truncation_offset | log_end_offset
        2       | 892               |                """,
    )


def test_up_to_2_5_a_replica_follows_the_leader_epoch_with_which_it_begins_to_fetch():
    same_rows(
        cuts(
            """
        ts           | kind                     | node_id | topic  | partition | truncation_offset
        10:00:01.020 | log_truncated_to         | 2       | ledger | 0         | 6                 """,
            roles="""
        ts           | kind                     | node_id | topic  | partition | leader_epoch
        10:00:00.900 | fetcher_partitions_added | 2       | ledger | 0         | 3
        10:00:01.000 | fetcher_partitions_added | 2       | ledger | 0         | 4
        10:00:01.010 | fetcher_partitions_added | 3       | ledger | 0         | 5
        10:00:01.900 | fetcher_partitions_added | 2       | ledger | 0         | 6 """,
        ),
        TRUNCATIONS,
        """
        topic  | partition | leader_epoch | truncation_offset
        ledger | 0         | 4            | 6                 """,
    )


def test_what_a_replica_said_before_it_led_is_not_of_the_log_that_it_cuts():
    """A new partition is "truncated to local high watermark 0"; a minute later its replica has led, and holds more."""
    same_rows(
        cuts("""
        ts           | kind             | node_id | topic  | partition | leader_epoch | log_end_offset | high_watermark | truncation_offset
        10:00:00.100 | follower_start   | 2       | orders | 0         | 0            | 20             | 0              |
        10:00:00.500 | truncation_to_hw | 2       | orders | 0         |              |                | 0              |
        10:00:26.000 | leader_start     | 2       | orders | 0         | 1            | 6              |                |
        10:00:56.000 | log_truncated_to | 2       | orders | 0         |              |                |                | 6                 """),
        TRUNCATIONS,
        """
        log_end_offset | high_watermark | truncation_offset
                       |                | 6                 """,
    )


FIRST_FETCHED = """
        ts           | kind             | node_id | topic  | partition | log_end_offset | high_watermark | truncation_offset
        10:00:00.100 | {}               | 2       | orders | 0         | {}             | 0              |
        10:00:27.000 | log_truncated_to | 2       | orders | 0         |                |                | 95 """
BEGUN = "ts | kind | node_id | topic | partition | leader_epoch"


@pytest.mark.parametrize(
    ("stated", "begun", "known"),
    [
        (("truncation_to_hw", ""), ["00.050"], 0),
        (("truncation_to_hw", ""), ["00.050", "26.900"], None),
        (("follower_start", 120), ["26.900"], 0),
        (("follower_start", 120), ["00.200", "26.900"], None),
    ],
    ids=[
        "the fetcher truncates again",
        "it fetched in between from another leader",
        "it begins to fetch only now",
        "it fetched since it began to follow",
    ],
)
def test_what_a_replica_stated_before_it_fetched_is_not_of_the_log_that_it_cuts(stated, begun, known):
    begins = (f"\n10:00:{ts} | fetcher_partitions_added | 2 | orders | 0 | {at}" for at, ts in enumerate(begun))
    (cut,) = cuts(FIRST_FETCHED.format(*stated), roles=BEGUN + "".join(begins))
    assert cut.high_watermark == known


def test_before_a_recovery_the_high_watermark_was_at_least_what_the_checkpoint_held():
    """The line of the first process is older than the checkpoint, which the next process states after it loaded the log."""
    told = """
        ts       | kind                   | node_id | topic  | partition | leader_epoch | high_watermark | truncation_offset
        10:00:01 | follower_start         | 1       | orders | 1         | 0            | 0              |
        10:00:56 | {cut}                  | 1       | orders | 1         |              |                | 169
        10:01:00 | partition_log_loaded   | 1       | orders | 1         | 0            | {checkpoint}   |             """

    def before(cut: str, checkpoint: int) -> int | None:
        (found,) = log_cuts(rows(EVENTS, told.format(cut=cut, checkpoint=checkpoint)), [])
        return found.high_watermark

    assert before("log_recovery_truncated", 154) == 154
    assert before("log_recovery_truncated", 200) == 0  # read before it was held against the shorter log
    assert before("log_truncated_to", 154) == 0  # a follower's checkpoint may be from after its truncation
