"""What leaders stored while writes with acks=all had no answer, and what of it was committed later."""

from __future__ import annotations

import pytest

from replay.causes.incidents import Incidents
from replay.causes.unanswered_writes import merge_unanswered_writes, unanswered_writes
from replay.tables.availability import HARM_SPANS
from replay.tables.causes import ROOT_SPANS, VERTICES
from replay.tables.offsets import HIGH_WATERMARKS
from replay.tables.partitions import ISR_SPANS, LEADER_EPOCHS
from tests.each import for_each
from tests.tables import rows

LINES = "topic | partition | node_id | ts | leader_epoch | role | high_watermark | log_end_offset | source"
SHRINK = "orders | 0 | 1 | 10:00:30 | 4 | leader | 100 | 250 | isr_shrink"
LATER = "orders | 0 | 1 | 10:00:31 | 4 | leader | 260 | | leader_transition_skipped"
AFTER_NEXT = "orders | 0 | 2 | 10:00:50 | 5 | leader | 260 | | leader_transition_skipped"
RETURN = "orders | 0 | 1 | 10:01:30 | 5 | follower | 230 | 250 | follower_start"
ROOTS = "root_id | incident_id | ts | end_ts\n died | one | 10:00:00 | 10:00:40\n other | two | 11:00:00 | 11:00:40"


def rows_of(
    lines: str,
    epochs: str = "leader_epoch",
    vertices: str = "id",
    topic: str = "orders",
    spans: str = "topic",
    isrs: str = "leader_epoch",
):
    made = unanswered_writes(
        rows(HIGH_WATERMARKS, f"{LINES}\n{lines}".replace("orders", topic)),
        rows(LEADER_EPOCHS, epochs),
        rows(HARM_SPANS, spans),
        rows(ISR_SPANS, isrs),
        rows(VERTICES, vertices),
        Incidents(rows(ROOT_SPANS, ROOTS)),
    )
    return merge_unanswered_writes(made)


def stored(*texts, **given):
    return [(row.incident_id, row.offsets, row.partitions) for row in rows_of(*texts, **given)]


NEXT = "leader_epoch | leader_id | epoch_start_offset | start_ts\n 5 | 2 | {} | 10:00:40"


@pytest.mark.parametrize(
    "lines, epochs, offsets",
    [
        pytest.param(f"{SHRINK}\n{LATER}", "leader_epoch", 150, id="all of it was committed later"),
        pytest.param(SHRINK, "leader_epoch", None, id="no line tells that it was"),
        pytest.param(f"{SHRINK}\n{LATER.replace('260', '180')}", "leader_epoch", 80, id="a part, as far as told"),
        pytest.param(
            f"{SHRINK}\n{LATER.replace('10:00:31', '').replace('leader_transition_skipped', 'checkpoint_high_watermark')}",
            "leader_epoch",
            150,
            id="a checkpoint file tells",
        ),
        pytest.param(
            f"{SHRINK}\n{AFTER_NEXT}", NEXT.format(120), 20, id="the next leader had a part of it: the rest was cut"
        ),
        pytest.param(f"{SHRINK}\n{AFTER_NEXT}", NEXT.format(100), None, id="the next leader had nothing of it"),
        pytest.param(
            f"{SHRINK}\n{LATER}",
            NEXT.format(100),
            150,
            id="the next leader lacked what had been committed: lost afterwards",
        ),
        pytest.param(
            f"{SHRINK}\n{RETURN}", NEXT.format(100), 130, id="as it returned, the leader knew how far it had committed"
        ),
        pytest.param(
            f"{SHRINK}\n{RETURN.replace('230', '100')}\n{RETURN.replace('10:01:30', '10:01:40')}",
            NEXT.format(100),
            None,
            id="what it commits as a follower is another history",
        ),
        pytest.param(
            f"{SHRINK}\n{SHRINK.replace('10:00:30', '10:00:45').replace('250', '300')}\n{LATER.replace('10:00:31', '10:00:50')}",
            "leader_epoch",
            160,
            id="told twice, counted once",
        ),
        pytest.param(SHRINK.replace("250", "100") + f"\n{LATER}", "leader_epoch", None, id="nothing waited"),
    ],
)
def test_only_what_was_committed_later_counts(lines, epochs, offsets):
    assert stored(lines, epochs) == ([] if offsets is None else [("one", offsets, ["orders-0"])])


def test_it_counts_in_the_incident_of_the_shrink_and_never_for_internal_topics():
    shrink = "id | kind | ts | incident_id\n shrink | isr_shrink | 10:00:31 | two"
    assert stored(f"{SHRINK}\n{LATER}", vertices=shrink) == [("two", 150, ["orders-0"])]
    assert stored(f"{SHRINK}\n{LATER}", topic="__consumer_offsets") == []


LED = "leader_epoch | start_ts\n 4 | 10:00:00\n 5 | 10:00:34"
WAITS = """
    kind    | acks | is_sure | stores_unanswered | start_ts | end_ts   | is_open | incident_id
    blocked | all  | false   | true              | 10:00:10 | 10:00:11 | false   | one
    blocked | all  | true    | true              | 10:00:11 | 10:00:30 | false   | one
    blocked | all  | false   | false             | 10:00:30 | 10:00:31 | false   | one
    blocked | 1    | true    | false             | 10:00:40 | 10:00:50 | false   | one
    blocked | all  | true    | false             | 10:00:50 | 10:00:55 | false   | one """
SKIPPED = "orders | 0 | {} | {} | {} | leader | {} | {} | leader_transition_skipped"
STOOD, PASSED = SKIPPED.format(1, "10:00:30", 4, 175, ""), SKIPPED.format(1, "10:00:33", 4, 1661, "")


@for_each(
    "lines, spans, most",
    [
        pytest.param((STOOD, PASSED), WAITS, 1486, id="the leader's lines around the end of the wait"),
        pytest.param((STOOD,), WAITS, None, id="no later line"),
        pytest.param((PASSED,), WAITS, None, id="no line shows where it stood"),
        pytest.param(
            (STOOD, PASSED.replace("10:00:33", "10:00:32"), SKIPPED.format(1, "10:00:36", "", 1700, "")),
            WAITS,
            1525,
            id="just after the wait it may not have passed all",
        ),
        pytest.param(
            (STOOD, "orders | 0 | 2 | 10:00:34 | 5 | leader | 170 | 1500 | leader_start"),
            WAITS,
            1325,
            id="the high watermark of a new leader lags: its log end counts",
        ),
        pytest.param(
            (STOOD, SKIPPED.format(1, "10:00:35", 4, 175, ""), SKIPPED.format(2, "10:00:36", 5, 900, "")),
            WAITS,
            725,
            id="the line of a deposed leader does not count",
        ),
        pytest.param(
            (STOOD, PASSED.replace("leader |", "follower |")), WAITS, None, id="a follower's high watermark lags behind"
        ),
        pytest.param(
            (STOOD, "orders | 0 | 1 | | | | 400 | | checkpoint_high_watermark"),
            WAITS,
            None,
            id="the file of a broker has no time: it holds later records too",
        ),
        pytest.param(
            (STOOD, PASSED.replace("10:00:33", "10:00:37")),
            WAITS,
            None,
            id="a line long after the wait: records with an answer are in it too",
        ),
        pytest.param((STOOD, PASSED), WAITS.replace("10:00:31 | false", "10:00:31 | true "), None, id="it lasts"),
        pytest.param((STOOD, PASSED), WAITS.replace("true              |", "false             |"), None, id="nothing was stored"),
        pytest.param((STOOD, PASSED.replace("1661", "170")), WAITS, None, id="records were lost meanwhile"),
        pytest.param(
            (SKIPPED.format(1, "10:00:20", 4, 175, ""), SKIPPED.format(1, "10:00:30.500", 4, 400, ""), PASSED),
            WAITS,
            1486,
            id="where it stood in the wait, not as this ended",
        ),
    ],
)  # fmt: skip
def test_at_most_what_the_high_watermark_passed(lines, spans, most):
    found = [(row.offsets, row.offsets_high) for row in rows_of("\n".join(lines), LED, spans=spans)]
    stores = "true              |" in spans
    assert found == ([(0, most)] if stores else [])


BEGAN = "orders | 0 | 1 | 10:00:00 | 3 | leader | 0 | 0 | leader_start"
LED_ON = "orders | 0 | 1 | 10:00:30 | 4 | leader | 175 | 400 | leader_start"


@for_each(
    ("lines", "at_least"),
    [
        ((BEGAN, LED_ON, PASSED), 225),
        ((BEGAN, LED_ON, SKIPPED.format(1, "10:00:33", 4, 300, "")), 125),
        ((LED_ON, PASSED), 0),
        ((BEGAN, BEGAN.replace("10:00:00", "10:00:01").replace("leader | 0 | 0 | leader_start", " | 175 | | partition_log_loaded"), LED_ON, PASSED), 0),
        ((BEGAN, BEGAN.replace("leader | 0 | 0 | leader_start", "follower | 175 | | fetcher_partitions_added"), LED_ON, PASSED), 0),
        ((BEGAN, BEGAN.replace("leader | 0 | 0 | leader_start", " | 0 | | partition_log_loaded"), LED_ON, PASSED), 225),
        ((BEGAN, LED_ON.replace("leader | 175 | 400 | leader_start", " | 175 | | partition_log_loaded"), LED_ON, PASSED), 0),
        ((BEGAN, LED_ON.replace("10:00:30", "10:00:05"), PASSED), 0),
        ((BEGAN, LED_ON.replace("400", "175"), PASSED), 0),
    ],
    ids=[
        "all of it was committed later",
        "a part, as far as a line shows",
        "no line shows that it led before",
        "it loaded its log since: its high watermark may be that of a file",
        "it followed since",
        "it loaded its log as it began to lead",
        "it loaded its log as it went on",
        "before the wait",
        "nothing waited",
    ],
)  # fmt: skip
def test_a_leader_that_goes_on_to_the_next_leader_epoch_in_a_wait_shows_what_it_had_stored(lines, at_least):
    assert [row.offsets for row in rows_of("\n".join(lines), LED, spans=WAITS)] == [at_least]


@for_each(
    ("isr", "at_least"), [("1", 225), ("1,2", 0)], ids=["alone: all of it was committed", "others had to have it"]
)
def test_a_leader_that_goes_on_alone_commits_all_that_it_had_stored_also_if_the_next_one_lacks_it(isr, at_least):
    isrs = f"leader_epoch | start_ts | isr\n 4 | 10:00:29.900 | {isr}\n 5 | 10:00:40 | 2"
    lines = (BEGAN, LED_ON, "orders | 0 | 2 | 10:00:40 | 5 | leader | 170 | 175 | leader_start")
    [found] = rows_of("\n".join(lines), NEXT.format(175), spans=WAITS, isrs=isrs)
    assert found.offsets == at_least


@for_each(
    ("isr", "most"),
    [("2,3", 375), ("2", 700), ("", 375), ("2\n | 10:00:20 | 1,2", 700)],
    ids=[
        "the next leader was in the ISR",
        "it was not, and lacks what the leader before had",
        "unknown",
        "an ISR without a leader epoch has no place in their order",
    ],
)
def test_what_an_unclean_election_in_the_wait_discarded_is_within_the_bound(isr, most):
    """The log of the leader before is shown as that broker comes back."""
    isrs = f"leader_epoch | start_ts | isr\n 4 | 10:00:00 | {isr}" if isr else "leader_epoch"
    lines = (
        SKIPPED.format(2, "10:00:10", 4, 25, ""),
        "orders | 0 | 2 | 10:02:00 | 4 | | | 725 | log_load_completed",
        "orders | 0 | 3 | 10:00:56 | 5 | leader | 20 | 400 | leader_start",
    )
    epochs = "leader_epoch | leader_id | epoch_start_offset | start_ts\n 4 | 2 | 0 | 10:00:00\n 5 | 3 | 400 | 10:00:54"
    together = WAITS.replace("10:00:30 | 10:00:31", "10:00:30 | 10:00:50").replace(
        "10:00:11 | 10:00:30", "10:00:11 | 10:00:30"
    )
    [found] = rows_of("\n".join(lines), epochs, spans=together, isrs=isrs)
    assert found.offsets_high == most


BACKS_OFF = """
    kind    | acks | is_sure | comes_with_elections | stores_unanswered | start_ts     | end_ts   | incident_id
    blocked | all  | true    | true                 | false             | 10:00:29.500 | 10:00:31 | one """


@pytest.mark.parametrize(
    ("spans", "stored"),
    [
        (BACKS_OFF, [(225, None)]),
        (BACKS_OFF.replace("all  | true ", "all  | false"), []),
        (BACKS_OFF.replace("29.500", "30.500"), []),
        (BACKS_OFF.replace("true                 |", "false                |"), []),
        (BACKS_OFF + "\n blocked | all | true | false | true | 09:00:00 | 09:00:20 | one", [(0, None)]),
    ],
    ids=[
        "it certainly does",
        "perhaps it does",
        "not yet",
        "no follower backs off",
        "the incident has a longer wait, for which lines show what it passed",
    ],
)
def test_a_leader_that_goes_on_while_a_follower_certainly_backs_off_shows_what_it_had_stored(spans, stored):
    found = [(row.offsets, row.offsets_high) for row in rows_of("\n".join((BEGAN, LED_ON, PASSED)), LED, spans=spans)]
    assert found == stored


def test_the_end_of_the_log_as_the_wait_ends_bounds_what_was_stored():
    """The leader begins its next leader epoch, and the wait is over: what it stores later has an answer at once."""
    ended = WAITS.replace(
        "    blocked | all  | false   | false             | 10:00:30 | 10:00:31 | false   | one\n", ""
    )
    (row,) = rows_of(f"{BEGAN}\n{LED_ON}", LED, spans=ended)
    assert (row.offsets, row.offsets_high) == (0, 225)
    (row,) = rows_of(f"{BEGAN}\n{LED_ON}", LED, spans=WAITS)  # the wait may go on for a second
    assert (row.offsets, row.offsets_high) == (0, None)


def test_the_bound_of_a_topic_is_that_of_all_its_partitions():
    both = [*rows_of(f"{STOOD}\n{PASSED}", LED, spans=WAITS), *rows_of(STOOD, LED, spans=WAITS)]
    assert [row.offsets_high for row in merge_unanswered_writes(both)] == [None]
    twice = 2 * rows_of(f"{STOOD}\n{PASSED}", LED, spans=WAITS)
    assert [row.offsets_high for row in merge_unanswered_writes(twice)] == [2972]
