"""What incidents cost: every time in one incident, as long as it is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.availability.cluster import Cluster
from replay.availability.harm import (
    downtimes,
    harm_of_partition,
    harm_sums,
    in_incidents,
    incident_harm,
    incident_of,
    merge_downtimes,
    merge_harm_sums,
    topic_down,
    while_deposed,
)
from replay.facts.times import plus_millis
from replay.tables import COVERAGE, ISR_SPANS, LEADER_EPOCHS
from replay.tables.availability import (
    AVAILABILITY,
    FAULT_VERTICES,
    HARM_SPANS,
    HARM_SUMS,
    INCIDENT_HARM,
    NODE_OUTAGES,
    TOPIC_DOWN,
    HarmSpan,
)
from replay.tables.brokers import CONTROLLERS
from replay.tables.causes import ROOT_SPANS
from replay.tables.control_plane import FEATURE_LEVELS
from replay.tables.partitions import TOPIC_SETTINGS
from replay.tables.questions import DEPOSED_LEADERS
from replay.tables.row import Row
from tests.availability.frames import OLD_RELEASE, cluster
from tests.each import for_each
from tests.tables import rows, same_rows

BLOCKED = """
    topic  | partition | acks | start_ts | end_ts   | state   | reason                 | fault_id
    orders | 0         | all  | 10:00:01 | 10:00:09 | closed  | leader_dead            | died
    orders | 0         | all  | 10:00:00 | 10:00:01 | unknown | leader_dead            | died
    orders | 1         | all  | 10:00:01 | 10:00:08 | closed  | waiting_for_isr_member | died
    orders | 0         | 1    | 10:00:01 | 10:00:09 | closed  | leader_dead            | died
    orders | 1         | 1    | 10:00:00 |          | open    |                        |
    __consumer_offsets | 7 | all | 10:00:01 | 10:00:05 | closed | leader_dead         | died """
LEADERS = """
    topic  | partition | leader_epoch | leader_id | start_ts | end_ts
    orders | 0         | 4            | 1         | 09:00:00 | 10:00:08
    orders | 0         | 5            | -1        | 10:00:08 | 10:00:09
    orders | 0         | 6            | 2         | 10:00:09 |
    orders | 1         | 1            | 2         | 09:00:00 |          """
ISRS = """
    topic  | partition | leader_epoch | leader_id | isr | replicas | min_isr | start_ts | end_ts
    orders | 0         | 6            | 2         | 2   | 1,2      | 2       | 10:00:09 | 10:01:40
    orders | 1         | 1            | 2         | 1,2 | 1,2      | 2       | 09:00:00 |
    alone  | 0         | 1            | 2         | 2   | 2        | 2       | 09:00:00 |          """
ROOTS = """
    root_id | incident_id | ts       | end_ts
    died    | one         | 10:00:00 | 10:00:40
    froze   | two         | 10:05:00 | 10:05:40 """
FAULTS_OF = """
    id    | incident_id
    died  | one
    froze | two         """
NAMED_BY = {"orders-0": frozenset({"one", "two"}), "orders-1": frozenset({"two"})}
LAST_LINE = "last_ts\n 10:10:00"
SETTINGS = "topic | min_isr\n orders | 2"


def of_cluster(releases: str = OLD_RELEASE, settings: str = SETTINGS, modes: str = "mode") -> Cluster:
    return cluster(
        releases,
        topic_settings=rows(TOPIC_SETTINGS, settings),
        controllers=rows(CONTROLLERS, modes),
        kafka_files=rows(COVERAGE, LAST_LINE),
        root_spans=rows(ROOT_SPANS, ROOTS),
        fault_vertices=rows(FAULT_VERTICES, FAULTS_OF),
    )


def spans_of(
    blocked: str = BLOCKED, leaders: str = LEADERS, isrs: str = ISRS, releases: str = OLD_RELEASE
) -> dict[str, list[Row]]:
    """The times that cost something, by partition."""
    told = defaultdict(lambda: ([], [], []))
    for place, (table, text) in enumerate(((AVAILABILITY, blocked), (LEADER_EPOCHS, leaders), (ISR_SPANS, isrs))):
        for row in rows(table, text):
            told[f"{row.topic}-{row.partition}"][place].append(row)
    return {name: harm_of_partition(*own, of_cluster(releases)) for name, own in told.items()}


def all_of(spans: dict[str, list[Row]]) -> list[Row]:
    return [span for own in spans.values() for span in own]


def placed(name: str, spans: Iterable[Row]) -> list[Row]:
    """The times of one partition in their incidents."""
    return list(in_incidents(spans, NAMED_BY.get(name, frozenset()), {}, of_cluster()))


def sums_of(spans: dict[str, list[Row]], leaders: Iterable[Row]) -> list[Row]:
    """What the incidents cost each partition, not yet added up."""
    epochs = defaultdict(list)
    for row in leaders:
        epochs[f"{row.topic}-{row.partition}"].append(row)
    return [
        row
        for name in {**spans, **epochs}
        for row in harm_sums(placed(name, spans.get(name, [])), epochs.get(name, []))
    ]


def summed(spans: dict[str, list[Row]], leaders: Iterable[Row]) -> list[Row]:
    """The table `incident_harm` of some times."""
    return list(incident_harm(rows(ROOT_SPANS, ROOTS), merge_harm_sums(sums_of(spans, leaders))))


def test_the_order_in_which_harm_is_added_up_does_not_matter():
    """Of two partitions that were blocked equally long the one with the later name counts as the worst."""
    parts = sums_of(spans_of(), rows(LEADER_EPOCHS, LEADERS))
    at_once = merge_harm_sums(parts)
    assert merge_harm_sums([*merge_harm_sums(parts[2:]), *merge_harm_sums(parts[1::-1])]) == at_once
    assert merge_harm_sums(parts[::-1]) == at_once


def test_times_are_summed_as_long_as_they_are_and_internal_topics_apart():
    """Also where they outlast the incident: the ISR was whole again a minute after it."""
    same_rows(
        summed(spans_of(), rows(LEADER_EPOCHS, LEADERS)),
        INCIDENT_HARM,
        """
        incident_id | blocked_all_min_ms | blocked_all_max_ms | blocked_one_min_ms | blocked_one_max_ms | worst_partition | worst_partition_ms | partitions_blocked | partitions_known | leaderless_ms | under_min_isr_ms | single_copy_ms | internal_blocked_all_min_ms | is_open
        one         | 15000              | 16000              | 8000               | 8000               | orders-0        | 8000               | 2                  | 2                | 1000          | 91000            | 91000          | 4000                        | false
        two         | 0                  | 0                  | 0                  | 0                  |                 |                    | 0                  | 2                | 0             | 0                | 0              | 0                           | false   """,
    )


def test_a_time_that_did_not_end_counts_to_the_last_line_and_is_at_least():
    still = "topic | partition | leader_epoch | leader_id | start_ts | end_ts\n orders | 0 | 5 | -1 | 10:00:08 |"
    same_rows(
        harm_sums(placed("", spans_of(blocked="topic", leaders=still, isrs="topic")["orders-0"]), []),
        HARM_SUMS,
        """
        incident_id | leaderless_ms | is_open
        one         | 592000        | true    """,
    )


def test_a_wait_of_an_internal_topic_leaves_the_end_of_other_waits_known():
    spans = """
        incident_id | topic              | partition | name                 | is_internal | kind       | acks | start_ts | end_ts   | is_sure | is_open | begun_before | ms
        one         | __consumer_offsets | 0         | __consumer_offsets-0 | true        | blocked    | all  | 10:00:00 | 10:00:09 | true    | true    | true         | 9000
        one         | __consumer_offsets | 0         | __consumer_offsets-0 | true        | leaderless |      | 10:00:00 | 10:00:09 | true    | true    |              | 9000 """
    same_rows(
        harm_sums(rows(HARM_SPANS, spans), []),
        HARM_SUMS,
        """
        incident_id | internal_blocked_all_min_ms | unended    | undated
        one         | 9000                        | leaderless | []      """,
    )


def test_a_time_that_ends_before_it_begins_by_clocks_that_differ_takes_nothing_from_the_sum():
    isrs = """
        topic  | partition | leader_epoch | leader_id | isr | replicas | min_isr | start_ts | end_ts
        orders | 0         | 6            | 2         | 2   | 1,2      | 1       | 10:00:08 | 10:00:09
        orders | 0         | 6            | 2         | 2   | 1,2      | 1       | 10:01:40 | 10:00:09 """
    same_rows(
        harm_sums(placed("", spans_of(blocked="topic", leaders="topic", isrs=isrs)["orders-0"]), []),
        HARM_SUMS,
        """
        incident_id | single_copy_ms
        one         | 1000           """,
    )


def test_a_back_off_is_harm_of_a_fault_where_one_is_behind_it():
    """Leaders that are given back make followers back off too: that is no harm of the incident before."""
    text = """
        topic  | partition | acks | start_ts | end_ts   | state  | reason               | fault_id
        orders | 0         | all  | 10:00:08 | 10:00:09 | closed | isr_member_backs_off | died
        orders | 0         | all  | 10:04:00 | 10:04:01 | closed | isr_member_backs_off |         """
    (span,) = placed("orders-0", spans_of(text, "topic", "topic")["orders-0"])
    assert (span.kind, span.fault_id) == ("blocked", "died")


def test_a_partition_that_went_with_its_topic_missed_no_leader():
    deleted = (
        "topic | partition | leader_epoch | leader_id | start_ts | end_ts\n orders | 0 | 5 | -1 | 10:00:08 | 10:00:09"
    )
    assert not all_of(spans_of(blocked="topic", leaders=deleted, isrs="topic"))


FEATURES = "node_id | feature | level | start_ts | changed\n 101 | {} | {} | 09:00:00 | {}"
RELEASE_4 = "node_id | version_low | version_high\n 1 | 40101 | 40101"


@pytest.mark.parametrize(
    ("feature", "level", "changed", "empties_isrs"),
    [
        ("eligible.leader.replicas.version", "1", "false", True),
        ("eligible.leader.replicas.version", "0", "true", None),
        ("metadata.version", "4.0-IV3", "false", False),  # a starting controller logs all features that are on
        ("metadata.version", "4.0-IV3", "true", None),  # one that runs logs only the changed feature
    ],
)
def test_only_eligible_leader_replicas_empty_the_isr_of_a_partition_without_a_leader(
    feature, level, changed, empties_isrs
):
    """4.0 has the feature, and does not turn it on."""
    levels = rows(FEATURE_LEVELS, FEATURES.format(feature, level, changed))
    of_release_4 = cluster(RELEASE_4, feature_levels=levels)
    assert of_release_4.empties_isrs is empties_isrs
    leaderless = rows(LEADER_EPOCHS, NONE_LED.format(""))
    found = harm_of_partition([], leaderless, [], replace(of_release_4, min_isr={"orders": 2}))
    assert [(span.kind, span.ms) for span in found if span.kind == "under_min_isr"] == (
        [("under_min_isr", 1_000)] if empties_isrs else []
    )


def test_the_isr_that_a_leader_shows_as_it_takes_up_its_leader_epoch_is_as_old_as_that():
    """The controller's line dates the leader epoch; the leader's, which tells the ISR, comes when it has read of it."""
    leaders = """
        topic  | partition | leader_epoch | leader_id | start_ts | end_ts
        orders | 0         | 6            | 2         | 10:00:08 |          """
    isrs = """
        topic  | partition | leader_epoch | leader_id | isr | replicas | min_isr | start_ts | end_ts
        orders | 0         | 6            | 2         | 2   | 1,2      | 2       | 10:00:09 | 10:01:40
        orders | 0         | 6            | 2         | 1,2 | 1,2      | 2       | 10:01:40 |          """
    found = spans_of("topic", leaders, isrs)["orders-0"]
    assert [(span.kind, str(span.start_ts.time()), span.ms) for span in found] == [
        ("under_min_isr", "10:00:08", 92_000),
        ("single_copy", "10:00:08", 92_000),
    ]


# Two brokers of three were fenced, the third was not there yet: 1 leads again, alone in the ISR.
NONE_LED = """
    topic  | partition | leader_epoch | leader_id | start_ts | end_ts   | elected_from
    orders | 0         | 4            | 2         | 09:00:00 | 10:00:08 |
    orders | 0         | 6            | -1        | 10:00:08 | 10:00:09 |
    orders | 0         | 7            | 1         | 10:00:09 |          | {}           """


@pytest.mark.parametrize(
    ("span", "incident_id"),
    [
        ("orders-0 | died    | 10:06:00 | 10:06:01", "one"),  # by its fault
        ("orders-1 |         | 10:05:10 | 10:05:11", "two"),  # by its time
        ("orders-1 |         | 09:00:00 | 09:00:01", "one"),  # before all
        ("orders-9 | unheard | 10:01:00 | 10:01:10", "one"),  # the nearer one
    ],
)
def test_each_time_is_of_one_incident(span, incident_id):
    [row] = rows(HARM_SPANS, "name | fault_id | start_ts | end_ts\n" + span)
    assert incident_of(row, of_cluster(), NAMED_BY.get(row.name, frozenset())).incident_id == incident_id


def test_the_sums_of_the_incidents_are_the_sums_of_the_times():
    ms = defaultdict(int)
    for span in all_of(spans_of()):
        ms[span.kind] += span.ms
    harm = summed(spans_of(), [])
    assert sum(row.leaderless_ms for row in harm) == ms["leaderless"]
    assert sum(row.under_min_isr_ms for row in harm) == ms["under_min_isr"]
    assert sum(row.single_copy_ms for row in harm) == ms["single_copy"]
    blocked = sum(row.blocked_all_max_ms + row.blocked_one_max_ms + row.internal_blocked_all_max_ms for row in harm)
    assert blocked == ms["blocked"]


def test_by_the_clock_what_several_partitions_wait_at_once_counts_once():
    """orders-0 and orders-1 wait for the same dead broker: its writers waited eight seconds, not fifteen. Only what is sure counts
    as at least; a dead leader cannot be read either, and while a leader waits for a member of its ISR its high watermark stands
    still: consumers get no new record (facts §1.3)."""
    times = [time for name, own in spans_of().items() for time in downtimes(placed(name, own))]
    same_rows(
        topic_down(merge_downtimes(times)),
        TOPIC_DOWN,
        """
        incident_id | topic              | what     | low_ms | high_ms | lows_ms     | partitions           | is_open
        one         | orders             | acks_all | 8000   | 9000    | 8000,7000   | orders-0,orders-1    | false
        one         | orders             | acks_one | 8000   | 8000    | 8000        | orders-0             | false
        one         | orders             | reads    | 8000   | 9000    | 8000,7000   | orders-0,orders-1    | false
        one         | orders             | unanswered | 7000 | 7000    | 7000        | orders-1             | false
        one         | __consumer_offsets | acks_all | 4000   | 4000    | 4000        | __consumer_offsets-7 | false
        one         | __consumer_offsets | reads    | 4000   | 4000    | 4000        | __consumer_offsets-7 | false   """,
    )


READS = """
    topic  | partition | acks | start_ts | end_ts   | state   | reason                 | fault_id
    orders | 0         | all  | 10:00:01 | 10:00:09 | closed  | {}                     | died
    orders | 0         | 1    | 10:00:00 |          | open    |                        |          """
OF_3_6 = "node_id | version_low | version_high\n 1 | 30600 | 30600"
OF_3_9 = "node_id | version_low | version_high\n 1 | 30900 | 30900"
OF_BOTH = "node_id | version_low | version_high\n 1 | 30600 | 30900"


@for_each(
    "reason, releases, low_ms, high_ms",
    [
        ("waiting_for_isr_member", OF_3_6, 8_000, 8_000),
        ("waiting_for_dropped_replica", OF_3_6, 8_000, 8_000),
        ("below_min_isr", OF_3_6, None, None),  # the high watermark goes on, whatever min.insync.replicas says
        ("below_min_isr", OF_3_9, 8_000, 8_000),  # KAFKA-15583: it stands still
        ("below_min_isr", OF_BOTH, 0, 8_000),
        ("disk_full", OF_3_6, 8_000, 8_000),  # the directory is offline: its leader answers no fetch
    ],
)
def test_consumers_get_nothing_new_while_the_high_watermark_stands_still(reason, releases, low_ms, high_ms):
    spans = spans_of(READS.format(reason), "leader_epoch", "leader_epoch", releases)
    told = topic_down(merge_downtimes(downtimes(placed("orders-0", spans["orders-0"]))))
    assert [(row.low_ms, row.high_ms) for row in told if row.what == "reads"] == (
        [] if high_ms is None else [(low_ms, high_ms)]
    )


AFTERWARDS = """
    topic  | partition | acks | start_ts     | end_ts       | state   | reason              | fault_id
    orders | 0         | all  | 10:00:01     | 10:00:09     | closed  | leader_dead         | died
    orders | 0         | all  | 10:01:00.000 | 10:01:00.100 | unknown | leader_deposed      | died
    orders | 0         | all  | 10:01:00.100 | 10:01:01.600 | closed  | isr_member_backs_off |
    orders | 0         | all  | 10:01:20     | 10:01:21     | closed  | isr_member_backs_off |
    orders | 0         | all  | 10:01:40     | 10:01:42     | closed  | no_leader           |
    orders | 0         | all  | 10:00:44     | 10:00:45     | closed  | no_leader           |          """


def test_what_comes_after_an_incident_is_no_harm_of_it_and_is_distinguished():
    """Leadership returns at 10:01:00; at 10:01:40 the partition has no leader, and no fault explains it. What any change of leader
    costs (10:01:20) counts only where leadership returned."""
    at = rows(HARM_SPANS, "start_ts\n10:01:00")[0].start_ts
    spans = spans_of(AFTERWARDS, "leader_epoch", "leader_epoch")["orders-0"]
    of_incident = list(in_incidents(spans, NAMED_BY["orders-0"], {at: "one"}, of_cluster()))
    same_rows(
        topic_down(merge_downtimes(downtimes(of_incident))),
        TOPIC_DOWN,
        """
        incident_id | topic  | what               | low_ms | high_ms | times | sure_times | lows_ms     | partitions | is_open
        one         | orders | acks_all           | 9000   | 9000    | 2     | 2          | 9000        | orders-0   | false
        one         | orders | acks_all_by_return | 1500   | 1600    | 1     | 1          | 1500        | orders-0   | false
        one         | orders | acks_all_later     | 2000   | 2000    | 1     | 1          | 2000        | orders-0   | false
        one         | orders | reads              | 9000   | 9000    | 2     | 2          | 9000        | orders-0   | false   """,
    )
    harm = summed({"orders-0": of_incident}, [])
    assert [row.blocked_all_min_ms for row in harm if row.incident_id == "one"] == [9_000]


SEVERAL_TIMES = """
    topic  | partition | acks | start_ts | end_ts   | state   | reason      | fault_id
    orders | 0         | all  | 10:00:01 | 10:00:03 | closed  | leader_dead | died
    orders | 0         | all  | 10:00:03 | {}       | {}      | leader_dead | died
    orders | 0         | all  | 10:00:05 | 10:00:09 | closed  | leader_dead | died     """


@pytest.mark.parametrize(
    ("end_ts", "state", "times", "sure_times"),
    [("10:00:05", "closed", 1, 1), ("10:00:05", "unknown", 2, 1), ("10:00:04", "closed", 2, 2)],
    ids=["one time", "writes may have been taken in between", "writes were taken in between"],
)
def test_separate_times_of_a_wait_are_counted(end_ts, state, times, sure_times):
    spans = spans_of(SEVERAL_TIMES.format(end_ts, state), "leader_epoch", "leader_epoch")["orders-0"]
    found = topic_down(merge_downtimes(downtimes(placed("orders-0", spans))))
    assert [(row.times, row.sure_times) for row in found if row.what == "acks_all"] == [(times, sure_times)]


@pytest.mark.parametrize(
    ("start_ts", "end_ts", "told"),
    [("10:00:20", "10:00:21", ["acks_all_routinely"]), ("10:04:00", "10:04:01", [])],
    ids=["within an incident", "long after it"],
)
def test_a_back_off_without_a_fault_in_the_time_of_an_incident_is_known_but_no_harm_of_it(start_ts, end_ts, told):
    head = "topic | partition | acks | start_ts | end_ts | state | reason | fault_id"
    row = f"orders | 0 | all | {start_ts} | {end_ts} | closed | isr_member_backs_off |"
    spans = spans_of(f"{head}\n{row}", "topic", "topic")
    assert [row.what for row in downtimes(placed("orders-0", spans["orders-0"]))] == told
    assert not any(row.blocked_all_max_ms for row in summed(spans, []))


@pytest.mark.parametrize(
    ("of_disk", "reason", "told"),
    [
        ("disk_full", "isr_member_backs_off", ["acks_all_routinely"]),
        ("disk_full", "leader_dead", ["acks_all", "reads"]),  # no change of leader costs this
        ("stopped", "isr_member_backs_off", ["acks_all", "reads"]),  # the incident is nothing but routine work
    ],
)
def test_what_a_stop_to_mend_a_disk_costs_is_no_harm_of_the_disk(of_disk, reason, told):
    """Recorded (3.2.3): the stop that ended the failure of a directory kept clicks-5 waiting for 1 s."""
    roots = f"""
        root_id | kind      | incident_id | ts       | end_ts
        disk    | {of_disk} | one         | 10:00:00 | 10:00:40
        stop    | stopped   | one         | 10:00:30 | 10:00:40 """
    placed_in = cluster(
        root_spans=rows(ROOT_SPANS, roots),
        fault_vertices=rows(FAULT_VERTICES, "id | incident_id\n disk | one\n stop | one"),
        kafka_files=rows(COVERAGE, LAST_LINE),
    )
    blocked = f"""
        topic  | partition | acks | start_ts | end_ts   | state  | reason   | fault_id
        orders | 0         | all  | 10:00:31 | 10:00:32 | closed | {reason} | stop     """
    spans = harm_of_partition(rows(AVAILABILITY, blocked), [], [], placed_in)
    assert [row.what for row in downtimes(in_incidents(spans, frozenset({"one"}), {}, placed_in))] == told


@pytest.mark.parametrize(
    ("effect", "told"),
    [
        ("10:01:38", []),  # a change of leader of the incident, 2 s before
        ("10:01:30", ["acks_all_later"]),  # too long before
    ],
)
def test_what_follows_an_effect_of_an_incident_is_harm_of_it(effect, told):
    """A change of leader that an incident made may cost waits long after its faults are over."""
    at, of_effect = (rows(HARM_SPANS, f"start_ts\n{ts}")[0].start_ts for ts in ("10:01:00", effect))
    spans = spans_of(AFTERWARDS, "leader_epoch", "leader_epoch")["orders-0"]
    of_incident = in_incidents(spans, NAMED_BY["orders-0"], {at: "one"}, of_cluster(), {"one": of_effect})
    down = topic_down(merge_downtimes(downtimes(of_incident)))
    assert [row.what for row in down if row.what == "acks_all_later"] == told


@given(
    spans=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 60), st.integers(1, 30), st.booleans()), max_size=12),
    cut=st.integers(0, 12),
)
def test_downtime_by_the_clock_is_the_time_covered_however_it_is_added_up(spans, cut):
    """Second by second: in which of them some partition was down."""
    begin = rows(HARM_SPANS, "start_ts\n10:00:00")[0].start_ts
    times = [
        HarmSpan(
            kind="blocked",
            topic="orders",
            partition=partition,
            name=f"orders-{partition}",
            acks="all",
            is_sure=is_sure,
            start_ts=plus_millis(begin, start * 1_000),
            end_ts=plus_millis(begin, (start + seconds) * 1_000),
            ms=seconds * 1_000,
            incident_id="one",
        )
        for partition, start, seconds, is_sure in spans
    ]
    parts = [row for span in times for row in downtimes([span])]
    merged = merge_downtimes([*merge_downtimes(parts[cut:]), *merge_downtimes(parts[:cut])])
    assert merged == merge_downtimes(parts)
    for row in topic_down(merged):
        for ms, counted in ((row.low_ms, {True}), (row.high_ms, {True, False})):
            covered = {
                at for _, start, seconds, sure in spans if sure in counted for at in range(start, start + seconds)
            }
            assert ms == 1_000 * len(covered)


PARTITIONS = ("orders-0", "orders-1", "orders-2")


@pytest.mark.parametrize("is_frozen", [False, True])
def test_clients_may_wait_for_a_deposed_leader_until_it_learns_of_the_next(is_frozen):
    """Not at any change of leader, where that lasts for less than a second."""
    deposed = rows(
        DEPOSED_LEADERS,
        """
        topic  | partition | broker_id | deposed_ts | believed_ms
        orders | 0         | 1         | 10:00:09   | 22000
        orders | 1         | 1         | 10:00:09   | 900
        orders | 2         | 1         | 10:00:09   |             """,
    )
    blocked = rows(
        HARM_SPANS,
        """
        kind    | topic  | name     | acks | is_sure | start_ts | end_ts
        blocked | orders | orders-0 | all  | true    | 10:00:01 | 10:00:10
        blocked | orders | orders-1 | all  | true    | 10:00:01 | 10:00:11 """,
    )
    frozen = rows(
        NODE_OUTAGES, "node_id | leads | low_ts | from_ts | to_ts\n 1 | closed | 10:00:00 | 10:00:01 | 10:00:20"
    )
    spans = [*while_deposed(deposed, [], cluster(OLD_RELEASE, node_outages=frozen if is_frozen else [])), *blocked]
    of_partitions = ([span.but(incident_id="one", ms=0) for span in spans if span.name == name] for name in PARTITIONS)
    times = [one for own in of_partitions for one in downtimes(own)]
    found = topic_down(merge_downtimes(times))
    assert [(row.low_ms, row.high_ms) for row in found if row.what == "acks_one"] == [(0, 22_000)] * is_frozen
    same_rows(
        [row for row in found if row.what != "acks_one"],
        TOPIC_DOWN,
        """
        incident_id | topic  | what                | low_ms | high_ms | partitions        | may_partitions    | is_open | may_last
        one         | orders | acks_all_of_leaders | 10000  | 10000   | orders-0,orders-1 | orders-0,orders-1 | false   | false
        one         | orders | acks_all            | 10000  | 30000   | orders-0,orders-1 | orders-0,orders-1 | false   | false
        one         | orders | reads               | 0      | 22000   | []                | orders-0          | false   | false    """,
    )


_OUTAGES = """
    fault_id | node_id | as_leader | follows   | is_cut   | peers   | from_ts  | to_ts
    died     | 1       | {reason}  | {follows} | {is_cut} | {peers} | 10:00:02 | 10:00:20
    died-2   | 2       | {reason}  | {follows} | {is_cut} | {peers} | 10:00:04 | 10:00:06 """
_FULL_ISRS = """
    topic  | partition | leader_epoch | isr     | replicas | min_isr | start_ts | end_ts
    orders | 0         | 5            | {full}  | 1,2,3    | {asked} | 09:00:00 | 10:00:08
    orders | 0         | 6            | 2,3     | 1,2,3    | {asked} | 10:00:08 | 10:00:40
    orders | 0         | 6            | 1,2,3   | 1,2,3    | {asked} | 10:00:40 |          """


def _times_of(kind, full="1,2,3", asked="2", reason="leader_dead", follows="closed", is_cut="false", peers=""):
    outages = _OUTAGES.format(reason=reason, follows=follows, is_cut=is_cut, peers=peers)
    led = cluster(OLD_RELEASE, node_outages=rows(NODE_OUTAGES, outages))
    spans = harm_of_partition([], [], rows(ISR_SPANS, _FULL_ISRS.format(full=full, asked=asked)), led)
    return [(f"{one.start_ts:%M:%S}", f"{one.end_ts:%M:%S}") for one in spans if one.kind == kind]


@for_each(
    ("given", "times"),
    [
        ({}, [("00:02", "00:08")]),  # one dead, then both: each time counts once
        ({"reason": "leader_frozen"}, [("00:02", "00:08")]),
        ({"reason": "leader_cut_off"}, []),  # it runs, and may fetch
        ({"reason": "leader_cut_off", "is_cut": "true", "peers": "1,2,3,4"}, [("00:02", "00:08")]),
        ({"reason": "leader_cut_off", "is_cut": "true", "peers": "3,4"}, []),  # it may fetch from the other
        ({"reason": "leader_cut_off", "is_cut": "true"}, []),  # no line names the nodes that it could not reach
        ({"reason": "leader_cut_off", "is_cut": "true", "peers": "1,2,3", "follows": "unknown"}, []),
        ({"full": "1,2"}, []),  # the recorded ISR lacks a replica already
    ],
)
def test_a_full_isr_that_holds_an_absent_broker_is_not_in_sync(given, times):
    assert _times_of("dead_in_isr", **given) == times


@pytest.mark.parametrize(
    ("asked", "times"),
    [
        ("2", [("00:08", "00:40")]),
        ("3", []),  # below it
        ("1", []),  # with one of several left the time counts as single copy
        ("", []),  # not known
    ],
)
def test_an_isr_as_small_as_the_minimum_is_one_failure_from_refusing_writes(asked, times):
    assert _times_of("at_min_isr", asked=asked) == times


def test_a_time_of_which_nothing_is_logged_is_no_harm_but_leaves_the_end_of_the_time_before_it_open():
    blocked = """
        topic  | partition | acks | start_ts | end_ts   | state   | reason            | fault_id
        orders | 0         | 1    | 10:00:01 | 10:00:09 | closed  | leader_dead       | died
        orders | 0         | 1    | 10:00:09 | 10:20:00 | unknown | leader_not_logged |
        orders | 0         | 1    | 10:20:00 |          | open    |                   |      """
    spans = harm_of_partition(rows(AVAILABILITY, blocked), [], [], cluster())
    assert sum(span.ms for span in spans) == 8_000
    in_one = [span.but(incident_id="one") for span in spans]
    down = topic_down(merge_downtimes(downtimes(in_one)))
    assert [(row.low_ms, row.may_last) for row in down if row.what == "acks_one"] == [(8_000, True)]


def test_a_time_without_a_leader_found_under_way_is_at_least_as_long_as_it_is_logged():
    blocked = """
        topic  | partition | acks | start_ts | end_ts   | state  | reason
        orders | 0         | all  | 10:00:01 | 10:00:07 | closed | no_leader
        orders | 0         | all  | 10:00:07 |          | open   |           """
    for begun_before in ("true", ""):
        found = f"""
            topic  | partition | leader_epoch | leader_id | start_ts | end_ts   | begun_before
            orders | 0         | 4            | -1        | 10:00:01 | 10:00:07 | {begun_before}
            orders | 0         | 5            | 1         | 10:00:07 |          |                """
        spans = harm_of_partition(rows(AVAILABILITY, blocked), rows(LEADER_EPOCHS, found), [], cluster())
        down = topic_down(merge_downtimes(downtimes([span.but(incident_id="one") for span in spans])))
        waits = [row for row in down if row.what == "acks_all"]
        assert [(row.low_ms, row.may_last, bool(row.begun_before)) for row in waits] == [
            (6_000, False, bool(begun_before))
        ]


@for_each(("ended_by", "lasts"), [("fault_ended", []), ("", ["1"])])
def test_what_is_not_logged_after_the_end_of_a_fault_is_no_harm_of_it(ended_by, lasts):
    blocked = f"""
        topic  | partition | acks | start_ts | end_ts   | state   | reason            | fault_id | ended_by
        orders | 0         | 1    | 10:00:00 | 10:00:05 | unknown | leader_cut_off    | died     | {ended_by}
        orders | 0         | 1    | 10:00:05 |          | unknown | leader_not_logged |          |            """
    spans = spans_of(blocked=blocked, leaders="topic", isrs="topic")["orders-0"]
    assert [span.acks for span in spans if span.is_open] == lasts
