"""Times in which nobody served a partition: by the controller's record without a leader, or with a dead one (facts §7)."""

from __future__ import annotations

from replay.availability.times_without_leader import times_of_partition
from replay.causes.happenings import deletions
from replay.tables.causes import TIMES_WITHOUT_LEADER
from replay.tables.faults import FAULTS
from replay.tables.partitions import LEADER_EPOCHS
from replay.tables.row import Row
from tests.availability.frames import Case
from tests.tables import rows, same_rows


def nobody(epochs: str, faults: str, events: str = "ts", sessions: str = "broker_id") -> list[Row]:
    """The times in which nobody served orders-0."""
    own = [row.but(topic="orders", partition=0, life=0) for row in rows(LEADER_EPOCHS, epochs)]
    found, case = rows(FAULTS, faults), Case(faults=faults, events=events, sessions=sessions)
    return list(times_of_partition(own, deletions(found), case.words(), case.cluster()))


_DEATH = """
    kind   | broker_id | began_low | began_high   | ts           | end_ts   | ended_low
    killed | 1         | 10:00:00  | 10:00:00.100 | 10:00:00.100 | 10:00:20 | 10:00:20 """
_STAYS = """
    leader_epoch | leader_id | start_ts | leader_ts | end_ts
    4            | 1         | 09:00:00 | 09:00:00  |        """
_NEXT = """
    leader_epoch | leader_id | start_ts | leader_ts    | end_ts
    4            | 1         | 09:00:00 | 09:00:00     | 10:00:39
    5            | 2         | 10:00:39 | 10:00:39.200 |          """
_LED = """
    ts       | kind         | node_id | leader_epoch
    09:00:00 | leader_start | 1       | 4 """
_AGAIN = (
    _LED
    + """
    10:00:25 | leader_start | 1       | 4 """
)


def until(epochs: str, events: str, sessions: str = "broker_id") -> list[tuple[str, str | None]]:
    """Until when nobody served orders-0 after the death of broker 1, which starts anew at 10:00:20."""
    told = {span.bound: span.end_ts for span in nobody(epochs, _DEATH, events, sessions)}
    return [(bound, f"{end:%H:%M:%S.%f}"[:-3] if end else None) for bound, end in sorted(told.items())]


def test_a_process_that_starts_is_no_leader():
    """It leads again when it logs that it does; without that line only the next leader ends the time, or nothing."""
    both = lambda end: [("least", end), ("most", end)]  # noqa: E731
    assert until(_STAYS, _AGAIN) == both("10:00:25.000")
    assert until(_STAYS, _LED) == both(None)
    assert until(_NEXT, _LED) == both("10:00:39.200")
    assert until(_NEXT, _AGAIN) == both("10:00:25.000")


def test_a_process_that_starts_leads_only_with_a_session_and_when_it_lets_clients_in():
    """KRaft: it loads what it led from old metadata, and is fenced (facts, §8 trap 16)."""
    session = "broker_id | start_ts\n 1 | 08:00:00\n 1 | 10:00:29"
    assert dict(until(_STAYS, _AGAIN, session)) == {"least": "10:00:29.000", "most": "10:00:29.000"}
    late = "broker_id | start_ts\n 1 | 08:00:00\n 1 | 10:00:45"
    assert dict(until(_NEXT, _AGAIN, late)) == {"least": "10:00:39.200", "most": "10:00:39.200"}


def test_where_releases_do_not_log_roles_a_started_process_may_lead_from_its_first_line_on():
    assert until(_NEXT, "ts") == [("least", "10:00:20.000"), ("most", "10:00:39.200")]


def test_a_dead_leader_serves_nobody_from_its_death_to_the_next_leaders_first_word():
    same_rows(
        nobody(
            """
        leader_epoch | leader_id | start_ts | leader_ts    | end_ts
        4            | 1         | 09:00:00 | 09:00:00     | 10:00:08
        5            | 2         | 10:00:08 | 10:00:08.200 |          """,
            """
        kind   | broker_id | began_low | began_high   | ts           | end_ts
        killed | 1         | 10:00:00  | 10:00:00.100 | 10:00:00.100 | 10:00:30
        killed | 3         | 09:30:00  | 09:30:01     | 09:30:01     | 09:30:30 """,
        ),
        TIMES_WITHOUT_LEADER,
        """
        bound | start_ts     | end_ts
        most  | 10:00:00     | 10:00:08.200
        least | 10:00:00.100 | 10:00:08.200 """,
    )


def test_a_death_and_the_time_without_a_leader_that_follows_are_one_time():
    """The process is back before its partition has a leader again."""
    same_rows(
        nobody(
            """
        leader_epoch | leader_id | start_ts | leader_ts | end_ts
        4            | 1         | 09:00:00 | 09:00:00  | 10:00:08
        5            | -1        | 10:00:08 |           | 10:00:25
        6            | 1         | 10:00:25 | 10:00:26  |          """,
            """
        kind   | broker_id | began_low | ts       | end_ts
        killed | 1         | 10:00:00  | 10:00:01 | 10:00:20 """,
        ),
        TIMES_WITHOUT_LEADER,
        """
        bound | start_ts | end_ts
        most  | 10:00:00 | 10:00:26
        least | 10:00:01 | 10:00:20
        least | 10:00:20 | 10:00:26 """,
    )


def test_a_frozen_leader_is_surely_away_only_to_the_last_proof_of_it():
    same_rows(
        nobody(
            """
        leader_epoch | leader_id | start_ts | leader_ts | end_ts
        4            | 1         | 09:00:00 | 09:00:00  |        """,
            """
        kind   | broker_id | began_low | began_high | ts       | end_ts   | ended_low | ended_high
        paused | 1         | 10:00:00  | 10:00:02   | 10:00:02 | 10:00:17 | 10:00:16  | 10:00:17 """,
        ),
        TIMES_WITHOUT_LEADER,
        """
        bound | start_ts | end_ts
        most  | 10:00:00 | 10:00:17
        least | 10:00:02 | 10:00:16 """,
    )


def test_a_silent_leader_may_have_been_away_and_may_have_led_on():
    """Nobody heard from it: it was cut off, frozen or dead."""
    same_rows(
        nobody(
            """
        leader_epoch | leader_id | start_ts | leader_ts | end_ts
        4            | 1         | 09:00:00 | 09:00:00  | 10:00:09
        5            | 2         | 10:00:09 | 10:00:10  |          """,
            """
        kind   | broker_id | began_low | began_high | ts       | end_ts   | ended_low | ended_high
        silent | 1         | 10:00:00  | 10:00:02   | 10:00:02 | 10:00:40 | 10:00:09  | 10:00:40 """,
        ),
        TIMES_WITHOUT_LEADER,
        """
        bound | start_ts | end_ts
        most  | 10:00:00 | 10:00:10 """,
    )


def test_a_partition_that_goes_with_its_deleted_topic_misses_no_leader():
    """Facts §5, F19."""
    assert (
        nobody(
            """
        leader_epoch | leader_id | start_ts | leader_ts | end_ts
        4            | 1         | 09:00:00 | 09:00:00  | 10:00:08
        5            | -1        | 10:00:08 |           | 10:00:09 """,
            """
        kind          | broker_id | ts       | end_ts
        topic_deleted |           | 10:00:07 | 10:00:09 """,
        )
        == []
    )


def test_a_leader_that_stands_still_twice_is_away_twice():
    """A pause may have begun later than the request that dates it: it lasts at least from `began_high` on."""
    same_rows(
        nobody(
            """
        leader_epoch | leader_id | start_ts | leader_ts
        4            | 1         | 09:00:00 | 09:00:00  """,
            """
        kind    | broker_id | began_low | began_high   | ts       | end_ts
        paused  | 1         | 10:00:00  | 10:00:02.500 | 10:00:02 | 10:00:16
        paused  | 1         | 10:01:00  | 10:01:00.500 | 10:01:00 | 10:01:16
        stopped | 1         | 11:00:00  | 11:00:00     | 11:00:00 | 11:00:30 """,
        ),
        TIMES_WITHOUT_LEADER,
        """
        bound | start_ts     | end_ts
        most  | 10:00:00     | 10:00:16
        most  | 10:01:00     | 10:01:16
        least | 10:00:02.500 | 10:00:16
        least | 10:01:00.500 | 10:01:16 """,
    )


def test_a_death_that_nobody_follows_lasts_to_the_end_of_the_logs_or_of_the_topic():
    death = "kind | broker_id | began_low | ts | end_ts\n killed | 1 | 10:00:00 | 10:00:00 |"
    epoch = "leader_epoch | leader_id | start_ts | leader_ts | end_ts\n 4 | 1 | 09:00:00 | 09:00:00 | "
    for ends, expected in (("", "10:00:00 | "), ("10:30:00", "10:00:00 | 10:30:00")):
        at_most = [span for span in nobody(epoch + ends, death) if span.bound == "most"]
        same_rows(at_most, TIMES_WITHOUT_LEADER, f"start_ts | end_ts\n {expected}")


def test_a_next_leader_that_a_late_line_shows_may_have_led_at_once():
    """Only the line of a broker that was away names leader epoch 5: nobody knows since when broker 2 led."""
    late = """
        leader_epoch | leader_id | start_ts | leader_ts | begun_before | end_ts
        4            | 1         | 09:00:00 | 09:00:00  |              | 10:00:39
        5            | 2         | 10:00:39 |           | true         |          """
    assert [(span.bound, f"{span.end_ts:%S}") for span in nobody(late, _DEATH, _LED)] == [("most", "39")]
