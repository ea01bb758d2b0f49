"""An incident of several faults in one sentence each: nobody it befell is left out, and a link between two is told once."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from replay.causes.incident import Incident, Root
from replay.causes.incident_words import (
    afterwards,
    lost_committed,
    lost_uncommitted,
    still,
    title,
    unanswered,
    what_happened,
)
from replay.faults.shape import ends_of
from replay.sentences.incidents import INCIDENT_TITLES
from replay.tables.availability import TOPIC_DOWN
from replay.tables.causes import (
    EFFECTS,
    LEADERSHIP_AT_LAST,
    STALE_LEADERS,
    UNANSWERED_WRITES,
    Conclusion,
    PartitionTime,
)
from replay.tables.faults import FAULTS
from replay.tables.losses import LOSSES
from tests.each import for_each
from tests.tables import rows

TITLES = {
    "cut-2": "The connection between brokers 2 and 4 was cut",
    "cut-4": "The connection between brokers 3 and 4 was cut",
    "kill-1": "Broker 1 crashed or was killed",
    "kill-2": "Broker 2 crashed or was killed",
}
SEVERITY = {"kill-1": "high", "kill-2": "critical"}


def incident_of(faults: str, titles: dict[str, str] = TITLES, witnesses: dict[str, str] | None = None) -> Incident:
    found = rows(FAULTS, faults)
    roots = [
        Root(
            Conclusion(
                finding_id=one.fault_id,
                role="root_cause",
                severity=SEVERITY.get(one.fault_id, "medium"),
                broker_ids=ends_of(one),
                start_ts=one.ts,
                end_ts=one.ts,
                began_low=one.began_low,
                began_high=one.ts,
                is_broker=True,
            ),
            titles[one.fault_id],
            one,
            (witnesses or {}).get(one.fault_id),
            (witnesses or {}).get(one.fault_id) == "memory",
        )
        for one in found
    ]
    return Incident("one", found[0].ts, found[0].ts + timedelta(minutes=1), roots=roots)


SEVERAL = """
    fault_id | kind     | broker_id | peers | began_low | ts
    cut-2    | link_cut | 2         | 4     | 10:00:06  | 10:00:09
    kill-1   | killed   | 1         |       | 10:00:09  | 10:00:10
    kill-2   | killed   | 2         |       | 10:00:20  | 10:00:21 """


def test_the_second_kind_of_fault_names_its_brokers_and_a_link_once():
    sentences = what_happened(incident_of(SEVERAL))
    assert sentences.startswith(
        "The connection between brokers 2 and 4 was cut (this began between 10:00:06 and 10:00:09). "
        "Broker 1 crashed or was killed at 10:00:10; broker 2 had the same fault, all within 12.0 s."
    )


@pytest.mark.parametrize(
    ("kind", "ends", "lasted"),
    [
        ("cut_from_peers", "10:00:30 | 10:00:31", "; this lasted 21.0 to 25.0 s"),
        ("cut_from_peers", " | ", ""),  # no line shows its end
        ("killed", "10:00:30 | 10:00:31", ""),  # a new process is no end of the same
    ],
)
def test_the_first_sentence_says_how_long_a_cut_lasted(kind, ends, lasted):
    cut = f"""
    fault_id | kind   | broker_id | began_low | ts       | ended_low | ended_high
    cut      | {kind} | 3         | 10:00:06  | 10:00:09 | {ends} """
    first = what_happened(incident_of(cut, {"cut": "Broker 3 failed"})).partition(". ")[0]
    assert first.removeprefix("Broker 3 failed (this began between 10:00:06 and 10:00:09)") == lasted


@pytest.mark.parametrize(
    ("waited", "told"),
    [
        ("", "No write is known to have been blocked."),
        ("orders | acks_all_routinely | 1000 | 1500", "No write is known to have been blocked for longer than 1.5 s."),
        (
            "orders | acks_all_routinely | 0 | 1500",
            "No line shows that writes were blocked; they may have been, for up to 1.5 s.",
        ),
        (
            "orders | acks_all_by_return | 0 | 1700",
            "No line shows that writes were blocked; they may have been, for up to 1.7 s.",
        ),
        ("__consumer_offsets | acks_all_routinely | 0 | 1500", "No write is known to have been blocked."),
    ],
)
def test_that_no_writer_waited_takes_account_of_what_new_leader_epochs_may_have_cost(waited, told):
    down = rows(TOPIC_DOWN, f"topic | what | low_ms | high_ms\n{waited}")
    assert what_happened(replace(incident_of(SEVERAL), down=down)).endswith(told)


@pytest.mark.parametrize(
    ("waited", "told"),
    [
        (
            "orders | acks_all | 0 | 5000 | 3 | 0 |",
            "blocked for up to 5.0 s in up to 3 waits; clients",
        ),
        ("orders | acks_all | 0 | 5000 | 1 | 0 |", "blocked for up to 5.0 s; clients"),
        (
            "orders | acks_all | 0 | 5000 | 2 | 0 |\n clicks | acks_all | 0 | 1000 | 4 | 0 |",
            "up to 5.0 s in up to 2 waits, those to clicks for up to 1.0 s in up to 4 waits;",
        ),
        (
            "orders | acks_all | 4000 | 5000 | 2 | 2 | orders-0",
            "blocked for 4.0 to 5.0 s in 2 waits; clients",
        ),
        ("orders | acks_all | 4000 | 5000 | 1 | 1 | orders-0", "blocked for 4.0 to 5.0 s; clients"),
    ],
    ids=[
        "one broker after the other restarts",
        "one time",
        "of the topic that may have waited the longest",
        "two waits that are certain",
        "one wait that is certain",
    ],
)
def test_a_wait_that_is_the_sum_of_separate_times_is_named_as_a_sum(waited, told):
    down = rows(TOPIC_DOWN, f"topic | what | low_ms | high_ms | times | sure_times | partitions\n{waited}")
    down = [row.but(lows_ms=[row.low_ms], highs_ms=[row.high_ms]) for row in down]
    assert told in what_happened(replace(incident_of(SEVERAL), down=down))


def test_that_nobody_knows_whether_records_were_lost_is_reported_in_one_sentence():
    lost = rows(
        LOSSES,
        """
        topic  | partition | loss_class | verdict      | from_offset | to_offset_low | to_offset_high
        orders | 0         | committed  | UNDETERMINED | 139         | 139           |                """,
    )
    sentences = what_happened(replace(incident_of(SEVERAL), losses=lost))
    assert sentences.startswith(
        "These files do not show whether records of orders were lost. The connection between brokers 2 and 4 was"
    )


def test_of_many_topics_the_sentence_names_those_that_lost_most_and_then_those_that_waited_longest():
    lost = "\n".join(
        f"t{n:02} | 0 | committed | PROVEN_LOSS | S4 | 100 | {100 + size} | {100 + size}"
        for n, size in enumerate([1] * 13 + [50, 900])
    )
    head = "topic | partition | loss_class | verdict | scenario | from_offset | to_offset_low | to_offset_high\n"
    down = rows(
        TOPIC_DOWN,
        """
        topic | what     | low_ms | high_ms | lows_ms     | partitions
        t05   | acks_all | 8000   | 9000    | 8000        | t05-0
        t04   | acks_all | 7000   | 9000    | 7000        | t04-0 """,
    )
    sentences = what_happened(replace(incident_of(SEVERAL), losses=rows(LOSSES, head + lost), down=down))
    assert "offsets of t14, t13, t05 and 12 more topics" in sentences


BACK = """
    fault_id | kind   | broker_id | began_low | ts       | end_ts   | ended_low | ended_high
    kill-1   | killed | 1         | 10:00:09  | 10:00:10 | 10:00:30 | 10:00:30  | 10:00:30 """


def test_the_title_names_the_worst_of_the_other_faults():
    said = title(incident_of(SEVERAL))
    assert INCIDENT_TITLES.render(said.reason, said.arguments) == (
        "The connection between brokers 2 and 4 was cut; broker 2 crashed or was killed; 1 other fault"
    )


def test_a_broker_that_dies_again_and_again_is_in_a_crash_loop():
    """Three times, each within five minutes of the one before; two deaths are none, nor three in an hour."""
    deaths = """
        fault_id | kind   | broker_id | began_low | ts
        kill-1   | killed | 1         | 10:00:09  | 10:00:10
        kill-1   | killed | 1         | 10:00:26  | 10:00:27
        kill-1   | killed | 1         | 10:00:43  | {} """
    said = [title(incident_of(deaths.format(last))) for last in ("10:00:44", "10:30:00")]
    assert [INCIDENT_TITLES.render(one.reason, one.arguments) for one in said] == [
        "Broker 1 crashed or was killed; 3 times in all, a crash loop within 35.0 s",
        "Broker 1 crashed or was killed; 3 times in all",
    ]


def test_no_order_is_reported_of_deaths_whose_begins_overlap():
    deaths = """
        fault_id | kind   | broker_id | began_low | ts
        kill-1   | killed | 1         | 10:00:00  | 10:00:25
        kill-2   | killed | 2         | {}  | 10:00:31 """
    said = [title(incident_of(deaths.format(low))) for low in ("10:00:02", "10:00:30")]
    assert [INCIDENT_TITLES.render(one.reason, one.arguments) for one in said] == [
        "Broker 1 crashed or was killed; broker 2 too",
        "Broker 1 crashed or was killed; then broker 2",
    ]


def test_two_links_of_one_broker_are_two():
    head, _, cut = SEVERAL.splitlines()[:3]
    other = cut.replace("cut-2", "cut-4").replace(" 2         | 4 ", " 3         | 4 ")
    said = title(incident_of("\n".join((head, SEVERAL.splitlines()[1], cut, other))))
    assert INCIDENT_TITLES.render(said.reason, said.arguments) == (
        "The connection between brokers 2 and 4 was cut; the connection between brokers 3 and 4 was cut"
    )


def test_a_witness_of_one_end_is_not_used_for_another():
    """Nor is the time told twice that its title ends with."""
    ends = """
        fault_id | kind   | broker_id | began_low | ts
        kill-1   | killed | 1         | 10:00:09  | 10:00:10
        kill-2   | killed | 2         | 10:00:20  | 10:00:21 """
    titles = TITLES | {"kill-1": "Broker 1 was killed by the kernel: out of memory, 10:00:10"}
    alone = incident_of(ends, titles, {"kill-1": "memory", "kill-2": "kernel_saw_nothing"})
    said = title(alone)
    assert INCIDENT_TITLES.render(said.reason, said.arguments) == (
        "Broker 1 was killed by the kernel: out of memory, 10:00:10; broker 2 crashed or was killed"
    )
    assert what_happened(alone).startswith(
        "Broker 1 was killed by the kernel: out of memory, 10:00:10. Broker 2 crashed or was killed at 10:00:21."
    )
    both = titles | {"kill-2": "Broker 2 was killed by the kernel: out of memory, 10:00:21"}
    assert what_happened(incident_of(ends, both, {"kill-1": "memory", "kill-2": "memory"})).startswith(
        "Broker 1 was killed by the kernel: out of memory, 10:00:10; broker 2 had the same fault, all within 12.0 s."
    )


LOST = "leader_epoch | loss_class | verdict | scenario | from_offset | to_offset_low | to_offset_high | topic | partition | old_leader_id | new_leader_id\n"


@pytest.mark.parametrize(
    "losses, lost",
    [
        (
            "5 | committed | POSSIBLE_LOSS | S5 | 30 | | | orders | 0 | 1 | 1",
            "any number of records of orders, or none: broker 1 was alone in the ISR, since all other replicas had left it, and its "
            "disk may have lost the end of the log",
        ),
        (
            "5 | committed | UNDETERMINED | S5 | 30 | | | orders | 0 | 1 | 1",
            "unknown: these files do not show whether records of orders were lost",
        ),
        (
            "5 | committed | POSSIBLE_LOSS | S4 | 30 | | 38 | orders | 0 | 1 | 1",
            "at most 8 offsets of orders (retries count each time): broker 1 was elected from outside the ISR",
        ),
        (
            "5 | committed | PROVEN_LOSS | S4 | 30 | 38 | 38 | orders | 0 | 1 | 1",
            "8 offsets of orders (retries count each time): broker 1 was elected from outside the ISR",
        ),
    ],
)
def test_a_loss_is_unknown_only_where_nothing_shows_that_records_may_be_lost(losses, lost):
    """The title leaves the loss to this text: each surface states it once."""
    whole, with_loss = incident_of(SEVERAL), replace(incident_of(SEVERAL), losses=rows(LOSSES, LOST + losses))
    assert lost_committed(with_loss) == lost
    assert title(with_loss) == title(whole)


MOVED_BACK = """
    kind     | by        | count | ts       | last_ts | is_return
    election | preferred | 4     | 10:05:00 | {}      | true """
FIRST_MOVED = MOVED_BACK.replace("true", "false")
WAITED = """
    topic  | what               | low_ms | high_ms
    orders | acks_all           | 8000   | 9000
    orders | acks_all_by_return | 0      | 1500
    clicks | acks_all_later     | 413    | 413     """
SURELY_WAITED = "topic | what | low_ms | high_ms\n orders | acks_all_by_return | 300 | 1500"
LED = "incident_id | leader_id | led | away | partitions\n one | 2 | 0 | 2 | orders-0,clicks-10"
ALL_ON_2 = "leader_id | led\n 2 | 12"
ON_BOTH = "leader_id | led\n 1 | 4\n 2 | 8"


@for_each(
    "given, told",
    [
        pytest.param({}, [], id="nothing came after it"),
        pytest.param(
            {"effects": rows(EFFECTS, MOVED_BACK.format("10:05:00")), "down": rows(TOPIC_DOWN, WAITED)},
            [
                "Leadership of 4 partitions returned to their preferred replicas at 10:05:00; this may have blocked writes with acks=all, "
                "if there were any, to orders for up to 1.5 s.",
                "Writes with acks=all to clicks were blocked for 413 ms after the end of the incident; no fault in these logs explains it.",
            ],
            id="leadership returned, and writers waited for something else later",
        ),
        pytest.param(
            {"effects": rows(EFFECTS, MOVED_BACK.format("10:05:00")), "down": rows(TOPIC_DOWN, SURELY_WAITED)},
            [
                "Leadership of 4 partitions returned to their preferred replicas at 10:05:00; this blocked writes with acks=all to orders "
                "for 300 ms to 1.5 s.",
            ],
            id="leadership returned, and lines prove that writers waited for it",
        ),
        pytest.param(
            {"effects": rows(EFFECTS, MOVED_BACK.format("10:05:10"))},
            ["Leadership of 4 partitions returned to their preferred replicas between 10:05:00 and 10:05:10."],
            id="nobody waited for it",
        ),
        pytest.param(
            {"effects": rows(EFFECTS, FIRST_MOVED.format("10:05:00"))},
            ["Leadership of 4 partitions moved to their preferred replicas at 10:05:00."],
            id="the preferred replicas had not led before",
        ),
        pytest.param(
            {"led": rows(LEADERSHIP_AT_LAST, LED), "all_led": rows(LEADERSHIP_AT_LAST, ALL_ON_2)},
            [
                "Leadership of 2 partitions of clicks and orders did not return to their preferred replicas in these logs: broker 2 "
                "leads them instead; broker 2 leads all 12 partitions."
            ],
            id="one broker leads all",
        ),
        pytest.param(
            {"led": rows(LEADERSHIP_AT_LAST, LED), "all_led": rows(LEADERSHIP_AT_LAST, ON_BOTH)},
            [
                "Leadership of 2 partitions of clicks and orders did not return to their preferred replicas in these logs: broker 2 "
                "leads them instead."
            ],
            id="others lead as well",
        ),
        pytest.param(
            {"led": rows(LEADERSHIP_AT_LAST, LED.replace("clicks-10", "__consumer_offsets-10"))},
            [
                "Leadership of 2 partitions of __consumer_offsets and orders did not return to their preferred replicas in these logs: "
                "broker 2 leads them instead."
            ],
            id="of internal topics too",
        ),
    ],
)
def test_what_came_after_the_end_is_reported_with_what_it_cost(given, told):
    assert afterwards(replace(incident_of(SEVERAL), **given)) == told


WAITED = """
    topic              | what     | low_ms | high_ms | lows_ms     | partitions          | is_open | may_last
    orders             | acks_all | {0}    | {1}     | {0}         | orders-0            | {2}     | {3}
    clicks             | acks_all | {4}    | {5}     | {4}         | clicks-0            | {6}     | {7} """
ORDERS_ENDED, CLICKS_ENDED = (9000, 9900, "false", "false"), (5000, 6000, "false", "false")
LASTS, NOT_KNOWN = (70000, 71000, "true", "false"), (5000, 71000, "false", "true")


@pytest.mark.parametrize(
    ("orders", "clicks", "told", "over", "still_so"),
    [
        pytest.param(
            ORDERS_ENDED,
            CLICKS_ENDED,
            "Writes with acks=all to 1 partition of orders were blocked for 9.0 to 9.9 s, those to 1 partition of clicks for 5.0 to 6.0 s; clients that retry may have waited longer.",
            True,
            [],
            id="both ended",
        ),
        pytest.param(
            ORDERS_ENDED,
            LASTS,
            "Writes with acks=all to clicks have been blocked for 1 min 10 s to 1 min 11 s, to the end of these logs. "
            "Writes with acks=all to 1 partition of orders were blocked for 9.0 to 9.9 s; clients that retry may have waited longer.",
            False,
            ["writes with acks=all to clicks not accepted"],
            id="one surely lasts: the other has its own end",
        ),
        pytest.param(
            ORDERS_ENDED,
            NOT_KNOWN,
            "Writes with acks=all to 1 partition of clicks were blocked for at least 5.0 s; no line shows for how long altogether. "
            "Writes with acks=all to 1 partition of orders were blocked for 9.0 to 9.9 s; clients that retry may have waited longer.",
            None,
            [],
            id="no line shows the end of one",
        ),
        pytest.param(
            LASTS,
            NOT_KNOWN,
            "Writes with acks=all to orders have been blocked for 1 min 10 s to 1 min 11 s, to the end of these logs. "
            "Writes with acks=all to 1 partition of clicks were blocked for at least 5.0 s; no line shows for how long altogether.",
            False,
            ["writes with acks=all to orders not accepted"],
            id="what surely lasts decides",
        ),
    ],
)
def test_topics_with_different_ends_share_no_range_and_an_unknown_end_is_no_symptom(
    orders, clicks, told, over, still_so
):
    incident = replace(incident_of(BACK), down=rows(TOPIC_DOWN, WAITED.format(*orders, *clicks)))
    assert what_happened(incident).endswith(told)
    assert what_happened(incident).count("riters") == told.count("riters")
    assert (incident.is_over, still(incident)) == (over, still_so)
    unknown = "No line shows whether writes with acks=all to clicks were accepted at the end of the logs."
    assert afterwards(incident) == ([unknown] if clicks == NOT_KNOWN else [])
    times = PartitionTime(incident_id="i", regained_ts=datetime(2026, 1, 1, 10, 0, 40, tzinfo=UTC), not_regained=0)
    whole = unknown.replace("logs.", "logs; every ISR that shrank had its members again by 10:00:40.000.")
    assert afterwards(replace(incident, times=times)) == ([whole] if clicks == NOT_KNOWN else [])
    assert afterwards(replace(incident, times=times.but(not_regained=1))) == afterwards(incident)


@pytest.mark.parametrize(
    ("last", "possible", "counted"),
    [
        (
            "false",
            "orders-0,orders-2",
            "Writes with acks=all to at least 1 partition of orders were blocked for 9.0",
        ),
        (
            "true",
            "orders-0,orders-2",
            "Writes with acks=all to at least 1 partition of orders were blocked for at least 9.0 s",
        ),
        ("false", "orders-0", "Writes with acks=all to 1 partition of orders were blocked for 9.0"),
    ],
    ids=["another may have waited", "another may have waited, no line shows the end", "no other"],
)
def test_the_number_of_partitions_that_surely_waited_is_a_lower_bound_where_others_may_have(last, possible, counted):
    down = f"""
        topic  | what     | low_ms | high_ms | lows_ms     | partitions | may_partitions | is_open | may_last
        orders | acks_all | 9000   | 9900    | 9000        | orders-0   | {possible}     | false   | {last}   """
    assert counted in what_happened(replace(incident_of(BACK), down=rows(TOPIC_DOWN, down)))


@pytest.mark.parametrize(
    ("end", "told"),
    [
        ((9000, 9900, "false", "false"), "9.0 to 9.9 s."),
        ((9000, 71000, "false", "true"), "at least 9.0 s; no line shows for how long altogether."),
        ((9000, 9900, "true", "false"), "9.0 to 9.9 s, to the end of these logs."),
    ],
)
def test_nobody_may_have_written_to_an_internal_topic(end, told):
    down = WAITED.format(*ORDERS_ENDED, *end).replace("clicks", "__consumer_offsets")
    said = what_happened(replace(incident_of(BACK), down=rows(TOPIC_DOWN, down)))
    assert said.endswith(
        "Writes with acks=all to 1 partition of orders were blocked for 9.0 to 9.9 s; clients that retry may have waited longer. Writes with acks=all to __consumer_offsets, "
        f"if there were any, would have been blocked for {told}"
    )


@for_each(
    "stored, waited, told",
    [
        ("", "", "none found"),
        (
            "one | orders | 8641 | | orders-0",
            "orders | unanswered | 9000 | 9000",
            "if their producers used acks=all, which no line shows: at least 8,641 offsets of orders",
        ),
        (
            "one | orders | 8641 | 9000 | orders-0",
            "orders | unanswered | 9000 | 9000",
            "if their producers used acks=all, which no line shows: at least 8,641 and at most 9,000 offsets of orders",
        ),
        (
            "one | orders | 0 | 9000 | orders-0",
            "orders | unanswered | 9000 | 9000",
            "if their producers used acks=all, which no line shows: at most 9,000 offsets of orders",
        ),
        (
            "one | orders | 8641 | 8641 | orders-0",
            "orders | unanswered | 9000 | 9000",
            "if their producers used acks=all, which no line shows: 8,641 offsets of orders",
        ),
        ("one | orders | 0 | 0 | orders-0", "orders | unanswered | 9000 | 9000", "none found"),
        (
            "one | orders | 0 | 9000 | orders-0",
            "orders | unanswered | 9000 | 9000\n clicks | unanswered | 9000 | 9000",
            "if their producers used acks=all, which no line shows: at most 9,000 offsets of orders and an unknown number of offsets of clicks",
        ),
        (
            "",
            "orders | unanswered | 9000 | 9000",
            "if their producers used acks=all, which no line shows: an unknown number of offsets of orders",
        ),
        ("", "orders | unanswered | 900 | 9000", "none found"),  # any change of leader costs that
    ],
)
def test_what_leaders_stored_without_an_answer_is_a_figure_of_its_own(stored, waited, told):
    given = {
        "unanswered": rows(UNANSWERED_WRITES, f"incident_id | topic | offsets | offsets_high | partitions\n{stored}"),
        "down": rows(TOPIC_DOWN, f"topic | what | low_ms | high_ms\n{waited}"),
    }
    assert unanswered(replace(incident_of(SEVERAL), **given)) == told


def test_a_stale_leader_is_named_with_the_records_that_it_cost():
    stale = rows(
        STALE_LEADERS,
        "incident_id | broker_id | longest_ms | partitions | acted_in\n one | 1 | 33200 | orders-0,orders-1 | orders-1",
    )
    dropped = rows(LOSSES, LOST + "5 | acked_possible | POSSIBLE_LOSS | S7 | 30 | 30 | 41 | orders | 0 | 1 | 2")
    incident = replace(incident_of(SEVERAL), stale=stale, losses=dropped)
    says = (
        "roker 1 still considered itself leader of 2 partitions for up to 33.2 s after other leaders were elected; "
        "lines show that it acted as leader of 1 of them"
    )
    assert f"B{says}." in what_happened(incident)
    assert lost_uncommitted(incident) == f"at most 11 offsets of orders (retries count each time): b{says}"
    of_another = replace(incident, losses=[dropped[0].but(old_leader_id=3)])
    assert lost_uncommitted(of_another) == "at most 11 offsets of orders (retries count each time)"
    at_election = {"before_low": 0, "before_high": 11, "after_low": 0, "after_high": 11}
    unknown = replace(incident, losses=[dropped[0].but(**at_election)])
    no_line = "within the accuracy of the clocks, no line shows how many of them were written before the new leader was elected, and how many after"
    assert lost_uncommitted(unknown) == f"at most 11 offsets of orders (retries count each time): {no_line}; b{says}"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ((11, 11), (0, 0), "all of them were written before the new leader was elected"),
        ((0, 0), (11, 11), "all of them were written after the new leader was elected"),
        ((8, 11), (0, 3), "8 to 11 of them were written before the new leader was elected, and at most 3 after"),
        ((0, 6), (5, 11), "at most 6 of them were written before the new leader was elected, and 5 to 11 after"),
        ((0, 11), (0, 11), ""),
    ],
)
def test_records_that_only_a_replaced_leader_held_are_split_by_the_election(before, after, said):
    """Where no line shows it and no stale leader is known, nothing is said of it."""
    (dropped,) = rows(LOSSES, LOST + "5 | acked_possible | POSSIBLE_LOSS | S10 | 30 | 30 | 41 | orders | 0 | 1 | 2")
    at_election = dict(zip(("before_low", "before_high", "after_low", "after_high"), (*before, *after), strict=True))
    incident = replace(incident_of(SEVERAL), losses=[dropped.but(**at_election)])
    assert lost_uncommitted(incident) == f"at most 11 offsets of orders (retries count each time){said and ': '}{said}"


def test_rejected_writes_prove_that_a_topic_has_producers_with_acks_all():
    stored = rows(
        UNANSWERED_WRITES, "incident_id | topic | offsets | offsets_high\n one | clicks | 7 | 9\n one | orders | 5 | 5"
    )
    rejected = rows(EFFECTS, "kind | partitions\n writes_refused | orders-0")
    incident = replace(incident_of(SEVERAL), unanswered=stored, effects=rejected)
    assert unanswered(incident) == (
        "if their producers used acks=all (rejected writes show such producers of orders): at least 7 and at most 9 offsets of clicks and "
        "5 offsets of orders"
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            "orders | acks_all | 9000 | 31000",
            [
                "Clients that kept sending requests for partitions of orders to broker 1 may have waited 31.0 s or longer."
            ],
        ),
        ("orders | acks_all | 9000 | 9900", []),
        ("__consumer_offsets | acks_all | 0 | 31000", []),
    ],
    ids=["longer than others", "no longer", "nobody may have written to an internal topic"],
)
def test_clients_of_a_deposed_leader_are_named_with_how_long_they_may_have_waited(asked, said):
    down = f"""
        topic                | what                | low_ms | high_ms | lows_ms     | partitions | may_partitions
        orders               | acks_all_of_leaders | 9000   | 9900    | 9000        | orders-0   | orders-0
        {asked} | 9000 | orders-0 | orders-0 """
    stale = rows(
        STALE_LEADERS,
        "broker_id | longest_ms | partitions | acted_in\n 1 | 21000 | orders-0 | orders-0\n 2 | 21000 | __consumer_offsets-0 | __consumer_offsets-0",
    )
    told = what_happened(replace(incident_of(BACK), down=rows(TOPIC_DOWN, down), stale=stale))
    assert [sentence for sentence in said if sentence in told] == said
    assert ("Clients that kept sending requests" in told) == bool(said)
    assert ("were blocked for 9.0 to 9.9 s" in told) == asked.startswith("orders")


@for_each(("lasts", "said"), [(None, " or longer."), (True, ", to the end of these logs.")])
def test_a_wait_for_a_deposed_leader_lasts_as_long_as_that_one_not_as_its_successors(lasts, said):
    """No line shows whether the new leader, a broker without logs, took writes to the end: that is no wait of these clients."""
    down = """
        topic  | what                | low_ms | high_ms | lows_ms | partitions | may_partitions | may_last
        orders | acks_all_of_leaders | 9000   | 9900    | 9000    | orders-0   | orders-0       | true
        orders | acks_all            | 9000   | 31000   | 9000    | orders-0   | orders-0       | true """
    stale = rows(STALE_LEADERS, "broker_id | longest_ms | partitions | acted_in\n 1 | 21000 | orders-0 | orders-0")
    incident = replace(incident_of(BACK), down=rows(TOPIC_DOWN, down), stale=[one.but(lasts=lasts) for one in stale])
    assert f"to broker 1 may have waited 31.0 s{said}" in what_happened(incident)


CUT_OFF = """
    fault_id | kind               | broker_id | began_low    | ts       | arguments
    kill-1   | cut_from_zookeeper | 1         | 10:00:06.500 | 10:00:09 | {}        """


@for_each(
    ("fault", "written", "since"),
    [
        ({}, "10:00:01 | 10:00:25.200", "10:00:06 until 10:00:26"),
        ({}, "10:00:07 | 10:00:25.200", "10:00:07 until 10:00:26"),
        ({}, "10:00:01 | ", None),
        ({"arguments": {}}, "10:00:01 | 10:00:25.200", None),
        ({"kind": "killed"}, "10:00:01 | 10:00:25.200", None),
        ({"broker_id": 2}, "10:00:01 | 10:00:25.200", None),
    ],
    ids=[
        "from the cut on, though it led before",
        "its followers had caught up later",
        "no line shows until when it led",
        "only its session was cut: its followers may have gone on fetching",
        "it was not cut off",
        "another broker was cut off",
    ],
)
def test_what_a_leader_that_was_cut_off_took_is_at_risk_from_the_cut_on(fault, written, since):
    stale = rows(
        STALE_LEADERS, "incident_id | broker_id | longest_ms | partitions | acted_in\n one | 1 | 19300 | orders-0 | []"
    )
    head = LOST.replace("new_leader_id", "new_leader_id | written_low | written_high")
    lost = rows(LOSSES, head + f"5 | acked_possible | POSSIBLE_LOSS | S7 | 95 | 95 | | orders | 0 | 1 | 2 | {written}")
    incident = incident_of(CUT_OFF)
    (root,) = incident.roots
    of_fault = root.fault.but(**{"arguments": {"all_peers": "2, 3"}, **fault})
    cut = replace(root, fault=of_fault, finding=root.finding.but(broker_ids=[of_fault.broker_id]))
    text = lost_uncommitted(replace(incident, roots=[cut], stale=stale, losses=lost))
    assert text.startswith("any number of records of orders, or none: broker 1 still considered itself leader")
    assert text.partition("such records can have been written from ")[2].partition(";")[0] == (since or "")


@pytest.mark.parametrize(
    "partitions, said",
    [
        ("orders-0,orders-1", "2 partitions for up to"),
        ("orders-0,__consumer_offsets-7", "2 partitions, 1 of them of __consumer_offsets, for up to"),
        (
            "__consumer_offsets-7,__transaction_state-3,orders-0",
            "3 partitions, 2 of them of __consumer_offsets and __transaction_state, for",
        ),
    ],
)
def test_partitions_of_internal_topics_count_and_are_named(partitions, said):
    stale = rows(
        STALE_LEADERS,
        f"incident_id | broker_id | longest_ms | partitions | acted_in\n one | 1 | 33200 | {partitions} | []",
    )
    assert f"roker 1 still considered itself leader of {said}" in what_happened(
        replace(incident_of(SEVERAL), stale=stale)
    )


def test_who_was_frozen_went_on_as_leader_only_after_it():
    frozen = "fault_id | kind | broker_id | began_low | ts\n kill-1 | paused | 1 | 10:00:09 | 10:00:10"
    stale = rows(
        STALE_LEADERS, "incident_id | broker_id | longest_ms | partitions | acted_in\n one | 1 | 24300 | orders-0 | []"
    )
    says = (
        "Broker 1 still considered itself leader of 1 partition after its freeze, until it learned of the new leaders."
    )
    assert says in what_happened(replace(incident_of(frozen), stale=stale))


STEPPED = """
    fault_id | kind          | broker_id | began_low | ts       | ended_high | end_ts   | arguments
    step     | clock_stepped | 1         | 10:00:00  | 10:00:01 | 10:00:01   | 10:00:01 | node=1{more} """


@pytest.mark.parametrize(
    ("more", "is_over", "still_so", "lasted"),
    [
        (";ahead=yes", False, ["clock of node 1 ahead of the others"], (60_000, None)),
        (";right_at=2024-05-01T10:00:30.000Z", True, [], (0, 61_000)),
        ("", True, [], (0, 61_000)),
    ],
)
def test_a_clock_that_is_still_off_as_the_logs_end_is_not_over(more, is_over, still_so, lasted):
    stepped = incident_of(STEPPED.format(more=more), {"step": "Broker 1 had its clock set"})
    incident = replace(stepped, last_ts=stepped.from_ts + timedelta(minutes=1))
    assert (incident.is_over, still(incident)) == (is_over, still_so)
    assert (incident.lasted.low_ms, incident.lasted.high_ms) == lasted
