"""Leaders that went on as such after another was elected."""

from __future__ import annotations

from replay.partitions.lives import TopicLives
from replay.questions.deposed_leaders import broker_stops, deposed_leaders
from replay.tables import BROKER_SESSIONS, DEPOSED_LEADERS, EVENTS, HIGH_WATERMARKS
from replay.tables.brokers import PROCESSES
from replay.tables.partitions import LEADER_EPOCHS, TOPIC_LIVES, LearntLeaderEpoch
from replay.tables.table import table_of
from tests.tables import of_each_partition, rows, same_rows


def found(
    epochs: str,
    marks: str = "topic",
    sessions: str = "broker_id",
    lives: str = "topic",
    learnt: str = "topic",
    lines: str = "topic",
    lives_of_processes: str = "node_id",
):
    return of_each_partition(
        deposed_leaders,
        [epoch.but(life=epoch.life or 0) for epoch in rows(LEADER_EPOCHS, epochs)],
        rows(HIGH_WATERMARKS, marks),
        [row.but(life=row.life or 0) for row in rows(table_of(LearntLeaderEpoch), learnt)],
        rows(EVENTS, lines),
        broker_stops=broker_stops(rows(BROKER_SESSIONS, sessions), rows(PROCESSES, lives_of_processes)),
        lives=TopicLives(rows(TOPIC_LIVES, lives)),
    )


def test_a_deposed_leader_that_goes_on_is_reported_with_the_time_it_took():
    epochs = """
        topic | partition | leader_epoch | leader_id | start_ts | end_ts
        a     | 0         | 3            | 1         | 09:00:00 | 10:00:00
        a     | 0         | 4            | 1         | 10:00:00 | 10:00:50
        a     | 0         | 5            | -1        | 10:00:50 | 10:01:00
        a     | 0         | 6            | 2         | 10:01:00 | 10:03:00
        a     | 0         | 7            | 1         | 10:03:00 |          """
    marks = """
        topic | partition | node_id | ts       | role     | source         | leader_epoch | evidence
        a     | 0         | 1       | 10:00:30 | leader   | isr_shrink     | 4            | h1
        a     | 0         | 1       | 10:01:20 | leader   | isr_shrink     | 4            | h2
        a     | 0         | 1       | 10:01:40 | follower | follower_start | 6            | h3
        a     | 0         | 1       | 10:03:00 | leader   | leader_start   | 7            | h4
        a     | 0         | 2       | 10:03:10 | leader   | isr_shrink     | 6            | h5       """
    same_rows(
        found(epochs, marks),
        DEPOSED_LEADERS,
        """
        topic | partition | broker_id | leader_epoch | deposed_ts | last_led_ts | learnt_ts | believed_ms | evidence
        a     | 0         | 1         | 4            | 10:01:00   | 10:01:20    | 10:01:40  | 40000       | h2,h3
        a     | 0         | 2         | 6            | 10:03:00   | 10:03:10    |           | 10000       | h5       """,
    )


def test_a_leader_that_leads_again_within_milliseconds_did_not_lead_on_until_it_next_followed():
    """Nothing tells of leader epoch 5 on broker 1, which led again 6 ms later: it follows only at 10:04:50."""
    epochs = """
        topic | partition | leader_epoch | leader_id | start_ts     | end_ts
        a     | 0         | 4            | 1         | 09:00:00     | 10:00:00.000
        a     | 0         | 5            | 2         | 10:00:00.000 | 10:00:00.006
        a     | 0         | 6            | 1         | 10:00:00.006 | 10:04:50
        a     | 0         | 7            | 3         | 10:04:50     |              """
    marks = """
        topic | partition | node_id | ts           | role     | source         | leader_epoch | evidence
        a     | 0         | 1       | 10:00:00.020 | leader   | leader_start   | 6            | h1
        a     | 0         | 1       | 10:04:50.030 | follower | follower_start | 7            | h2       """
    same_rows(
        found(epochs, marks),
        DEPOSED_LEADERS,
        """
        topic | partition | broker_id | leader_epoch | deposed_ts | learnt_ts    | believed_ms
        a     | 0         | 1         | 6            | 10:04:50   | 10:04:50.030 | 30          """,
    )


def test_who_died_took_itself_for_nothing_and_who_was_not_heard_went_on():
    epochs = """
        topic | partition | leader_epoch | leader_id | start_ts | end_ts
        a     | 0         | 4            | 1         | 10:00:00 | 10:01:00
        a     | 0         | 5            | 3         | 10:01:00 |
        a     | 1         | 4            | 2         | 10:00:00 | 10:01:00
        a     | 1         | 5            | 3         | 10:01:00 |          """
    marks = """
        topic | partition | node_id | ts       | role     | source         | leader_epoch | evidence
        a     | 0         | 1       | 10:05:00 | follower | follower_start | 5            | h1
        a     | 1         | 2       | 10:05:00 | follower | follower_start | 5            | h2       """
    sessions = """
        broker_id | end_ts   | ended_by
        1         | 10:00:59 | crash
        2         | 09:00:00 | crash
        2         | 10:00:59 | session_timeout """
    same_rows(
        found(epochs, marks, sessions),
        DEPOSED_LEADERS,
        """
        topic | partition | broker_id | learnt_ts | believed_ms
        a     | 1         | 2         | 10:05:00  | 240000      """,
    )


def test_who_starts_again_and_reads_that_it_led_does_not_lead():
    """As recorded of 4.0.0: the quorum was lost, so broker 1, which was killed, was fenced only as it came back. In partition 1 its
    next process led before another was elected, and went on.
    """
    epochs = """
        topic | partition | leader_epoch | leader_id | start_ts | end_ts
        a     | 0         | 0            | 1         | 09:00:00 | 10:00:17
        a     | 0         | 1            | 2         | 10:00:17 |
        a     | 1         | 0            | 1         | 09:00:00 | 10:00:17
        a     | 1         | 1            | 2         | 10:00:17 |          """
    marks = """
        topic | partition | node_id | ts       | role     | source         | leader_epoch | evidence
        a     | 0         | 1       | 09:00:01 | leader   | leader_start   | 0            | h1
        a     | 0         | 1       | 10:00:18 | leader   | leader_start   | 0            | h2
        a     | 0         | 1       | 10:00:19 | follower | follower_start | 1            | h3
        a     | 1         | 1       | 10:00:16 | leader   | leader_start   | 0            | h4
        a     | 1         | 1       | 10:00:18 | leader   | isr_shrink     | 0            | h5
        a     | 1         | 1       | 10:00:19 | follower | follower_start | 1            | h6       """
    sessions = "broker_id | start_ts | end_ts | ended_by\n1 | 08:00:00 | 10:00:15 | crash"
    same_rows(
        found(epochs, marks, sessions),
        DEPOSED_LEADERS,
        """
        topic | partition | broker_id | deposed_ts | last_led_ts | learnt_ts
        a     | 1         | 1         | 10:00:17   | 10:00:18    | 10:00:19  """,
    )


def test_a_process_that_starts_shows_that_the_one_before_considered_itself_nothing_also_without_any_line_of_it():
    """As in a rotated log of 4.1.1: the first line of broker 1 is that of the next process, which then learns who leads."""
    epochs = """
        topic | partition | leader_epoch | leader_id | start_ts | end_ts   | begun_before
        a     | 0         | 1            | 1         | 10:00:00 | 10:00:01 | true
        a     | 0         | 2            | 2         | 10:00:01 |          |              """
    marks = """
        topic | partition | node_id | ts       | role     | source         | leader_epoch | evidence
        a     | 0         | 1       | 10:00:23 | follower | follower_start | 2            | h1       """
    assert found(epochs, marks)
    assert not found(
        epochs, marks, lives_of_processes="node_id | life | start_ts | first_ts\n1 | 1 | 10:00:20 | 10:00:20"
    )


def test_the_leader_of_a_topic_made_again_is_no_deposed_leader_of_the_one_before():
    """Broker 1 led the first topic in leader epoch 0; in the second it leads in leader epoch 0 once more."""
    assert not found(
        """
        topic | partition | life | leader_epoch | leader_id | start_ts
        a     | 0         | 0    | 0            | 1         | 10:00:00
        a     | 0         | 0    | 1            | 2         | 10:01:00
        a     | 0         | 1    | 0            | 1         | 10:05:00 """,
        """
        topic | partition | node_id | ts       | role   | source       | leader_epoch | evidence
        a     | 0         | 1       | 10:05:00 | leader | leader_start | 0            | h1 """,
        lives="topic | boundaries\n a | 10:04:00",
    )


STALE = """
    topic | partition | leader_epoch | leader_id | start_ts | end_ts
    a     | 0         | 0            | 1         | 09:00:00 | 10:00:00
    a     | 0         | 1            | 2         | 10:00:00 |          """
LEARNT_OF_IT = """
    topic | partition | node_id | leader_epoch | ts       | event_id
    a     | 0         | 1       | 0            | 09:00:00 | h1
    a     | 0         | 2       | 1            | 10:00:00 | h2
    a     | 0         | 1       | 1            | 10:00:30 | h3       """


def test_up_to_2_5_the_request_of_the_controller_shows_when_a_stale_leader_learnt_of_its_successor():
    """As recorded of 1.1.1: the broker lost its session, and no line of a follower's role exists. Its own changes of the ISR,
    without offsets, show that it acted as the leader; those before its successor was elected do not count.
    """
    lines = """
        topic | partition | node_id | ts       | kind                           | event_id
        a     | 0         | 1       | 09:30:00 | isr_shrink                     | h4
        a     | 0         | 1       | 10:00:10 | isr_shrink                     | h5
        a     | 0         | 1       | 10:00:29 | isr_update_zk_version_conflict | h6
        a     | 0         | 2       | 10:00:40 | isr_shrink                     | h7 """
    same_rows(
        found(STALE, learnt=LEARNT_OF_IT, lines=lines),
        DEPOSED_LEADERS,
        """
        topic | partition | broker_id | leader_epoch | deposed_ts | last_led_ts | learnt_ts | believed_ms | evidence
        a     | 0         | 1         | 0            | 10:00:00   | 10:00:29    | 10:00:30  | 30000       | h5,h6,h3 """,
    )


def test_a_killed_leader_that_is_asked_to_follow_after_its_start_was_no_stale_leader():
    sessions = "broker_id | end_ts | ended_by\n1 | 09:59:54 | crash"
    assert not found(STALE, sessions=sessions, learnt=LEARNT_OF_IT)


def test_a_stopped_leader_is_no_stale_leader_though_no_controller_logged_its_session():
    stopped = "node_id | life | last_ts | next_start_ts\n1 | 0 | 10:00:00.4 | 10:00:20"
    assert not found(STALE, learnt=LEARNT_OF_IT, lives_of_processes=stopped)


def test_a_leader_that_names_its_successor_at_once_and_then_leads_no_more_led_on_for_no_time():
    learnt = LEARNT_OF_IT.replace("10:00:30", "10:00:00.005")
    lines = """
        topic | partition | node_id | ts       | kind       | event_id
        a     | 0         | 1       | 10:00:10 | isr_shrink | h5 """
    same_rows(
        found(STALE, learnt=learnt, lines=lines),
        DEPOSED_LEADERS,
        """
        topic | partition | broker_id | last_led_ts | learnt_ts    | believed_ms
        a     | 0         | 1         |             | 10:00:00.005 | 5           """,
    )


def test_a_higher_log_end_as_it_follows_shows_that_it_took_writes_after_its_last_line_as_leader():
    """Not if another line of the same log end follows, nor where one of them is not known."""
    epochs = """
        topic | partition | leader_epoch | leader_id | start_ts | end_ts
        a     | 0         | 4            | 1         | 10:00:00 | 10:01:00
        a     | 0         | 5            | 2         | 10:01:00 |
        b     | 0         | 4            | 1         | 10:00:00 | 10:01:00
        b     | 0         | 5            | 2         | 10:01:00 |
        c     | 0         | 4            | 1         | 10:00:00 | 10:01:00
        c     | 0         | 5            | 2         | 10:01:00 |          """
    marks = """
        topic | partition | node_id | ts       | role     | source         | leader_epoch | log_end_offset | evidence
        a     | 0         | 1       | 10:01:20 | leader   | isr_shrink     | 4            | 226            | h1
        a     | 0         | 1       | 10:01:40 | follower | follower_start | 5            | 235            | h2
        b     | 0         | 1       | 10:01:20 | leader   | isr_shrink     | 4            | 235            | h3
        b     | 0         | 1       | 10:01:40 | follower | follower_start | 5            | 235            | h4
        c     | 0         | 1       | 10:01:20 | leader   | isr_shrink     | 4            |                | h5
        c     | 0         | 1       | 10:01:40 | follower | follower_start | 5            | 235            | h6       """
    same_rows(
        found(epochs, marks),
        DEPOSED_LEADERS,
        """
        topic | last_led_ts | learnt_ts | stored_after
        a     | 10:01:20    | 10:01:40  | 9
        b     | 10:01:20    | 10:01:40  |
        c     | 10:01:20    | 10:01:40  |              """,
    )


def test_a_leader_whose_process_ended_believed_no_longer_than_that_and_its_next_process_learned_for_itself():
    """As recorded of 3.9.1: cut off, broker 1 led on, was killed, and started again; its next process began to follow at once."""
    epochs = """
        topic | partition | leader_epoch | leader_id | start_ts | end_ts
        a     | 0         | 0            | 1         | 10:00:00 | 10:00:10
        a     | 0         | 1            | 2         | 10:00:10 |          """
    marks = """
        topic | partition | node_id | ts       | role     | source         | leader_epoch | evidence
        a     | 0         | 1       | 10:00:00 | leader   | leader_start   | 0            | h1
        a     | 0         | 1       | 10:00:14 | leader   | isr_shrink     | 0            | h2
        a     | 0         | 1       | 10:00:46 | follower | follower_start | 1            | h3       """
    processes = """
        node_id | life | next_start_ts
        1       | 1    | 10:00:42
        1       | 2    |               """
    expected = """
        topic | partition | broker_id | last_led_ts | learnt_ts | ended_ts | believed_low_ms | believed_ms
        a     | 0         | 1         | 10:00:14    | 10:00:46  | {}       | {}              | {}          """
    same_rows(
        found(epochs, marks, lives_of_processes=processes), DEPOSED_LEADERS, expected.format("10:00:42", 4000, 32000)
    )
    same_rows(found(epochs, marks), DEPOSED_LEADERS, expected.format("", 36000, 36000))


def test_a_leader_that_learns_of_its_successor_from_the_first_line_about_it_had_learned_by_then():
    """Broker 1 was frozen. Leader epoch 5, of which it learns as it wakes, had begun before."""
    epochs = """
        topic | partition | leader_epoch | leader_id | start_ts | begun_before | end_ts
        a     | 0         | 4            | 1         | 10:00:00 |              | 10:01:00
        a     | 0         | 5            | 2         | 10:01:00 | true         |          """
    learnt = """
        topic | partition | leader_epoch | node_id | ts       | event_id
        a     | 0         | 5            | 1       | 10:01:00 | h1
        a     | 0         | 6            | 1       | 10:01:30 | h2 """
    same_rows(
        found(epochs, learnt=learnt),
        DEPOSED_LEADERS,
        "broker_id | learnt_ts | deposed_before | believed_ms\n1 | 10:01:00 | true | ",
    )
