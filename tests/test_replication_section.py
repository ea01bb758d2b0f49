"""The section on replication: elections step by step, preferred leaders, what producers were told, files, offsets."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from tests.frames import at, frame
from viz import frames
from viz.acks_told import answer_spans
from viz.high_watermarks import high_watermarks_figure
from viz.markup import Evidence
from viz.partings import of_releases, what_it_does
from viz.preferred_leaders import off_preferred, preferred_leaders_figure
from viz.replication import MetadataQuorum, acks_told, epoch_files, failovers, parted, preferred_leaders
from viz.which_offset import as_described, described, printed_offsets, set_aside, which_offset

NO_LINES = Evidence(frames.tidy(None, "evidence"))


def tidy(table, text="topic"):
    return frames.tidy(frame(table, text), table)


NO_LOSSES = tidy("losses")


def cells(grid):
    return [[str(cell) for cell in row] for row in grid.rows]


FAILOVERS = """
    topic  | partition | leader_epoch | ts           | broker_id | place | in_isr | is_alive | was_taken | reason              | learnt_ts    | lag_ms | log_end_offset | truncation_offset
    orders | 0         | 1            | 10:00:04.518 | 1         | 1     | true   | false    | false     | not_alive           | 10:00:43.156 | 38638  | 153            | 150
    orders | 0         | 1            | 10:00:04.518 | 2         | 2     | true   | true     | true      | in_isr              | 10:00:04.526 | 8      | 150            |
    orders | 0         | 1            | 10:00:04.518 | 3         | 3     | true   | true     | false     | later_in_assignment |              | 0      |                |
    orders | 1         | 1            | 10:00:04.530 | 1         | 1     | true   | false    | false     | not_alive           | 10:00:43.156 | 38638  | 153            |
    orders | 1         | 1            | 10:00:04.530 | 2         | 2     | true   | true     | true      | in_isr              | 10:00:04.540 | 10     | 160            |
    orders | 1         | 1            | 10:00:04.530 | 3         | 3     | true   | true     | false     | later_in_assignment |              |        |                | """


def test_elections_alike_are_one_row_that_shows_why_when_and_from_where():
    told = failovers(tidy("failovers", FAILOVERS), NO_LINES)
    ((times, partitions, members, taken, ends, _),) = cells(told)
    assert times == "2024-05-01 10:00:04.518 to 10:00:04.530"
    assert "orders-0, orders-1" in partitions
    assert members.startswith("broker 1 (no session, in the ISR); broker 2 (session, in the ISR)")
    assert "broker 2: the first replica in the assignment that had a session and was in the ISR" in taken
    assert "broker 1 had no session; broker 3 is later in the assignment" in taken
    assert ends.startswith("broker 1 truncated to 150 (orders-0); broker 2 led from 150 (orders-0), 160 (orders-1)<br>")
    assert "broker 1 38.6 s; broker 2 8 to 10 ms; broker 3 no line" in ends
    assert told.count == 2


def test_each_offset_of_a_failover_stands_beside_its_partition():
    """Sorted, the offsets 140 and 141 would stand beside orders-1 and orders-0."""
    told = FAILOVERS.replace("| 153            | 150", "| 153            | 141").replace(
        "| 153            |\n", "| 153            | 140\n"
    )
    ((*_, ends, _),) = cells(failovers(tidy("failovers", told), NO_LINES))
    assert ends.startswith("broker 1 truncated to 141 (orders-0), 140 (orders-1); broker 2 led from")
    ((*_, ends, _),) = cells(
        failovers(tidy("failovers", told.replace(" 140", " 141").replace(" 160", " 150")), NO_LINES)
    )
    assert ends.startswith("broker 1 truncated to 141; broker 2 led from 150<br>")


LED = """
    topic  | partition | leader_epoch | leader_id | start_ts | end_ts   | evidence
    orders | 0         | 0            | 1         | 10:00:00 | 10:00:10 | e0
    orders | 0         | 1            | 2         | 10:00:10 | 10:00:20 | e1
    orders | 0         | 2            | 2         | 10:00:20 | 10:00:30 | e2
    orders | 0         | 3            | 1         | 10:00:30 |          | e3
    orders | 1         | 0            | -1        | 10:00:05 |          | e4
    orders | 2         | 0            | 3         | 10:00:00 |          | e5 """
ASSIGNED = """
    topic  | partition | start_ts | replicas
    orders | 0         | 10:00:00 | 1,2,3
    orders | 1         | 10:00:00 | 2,3,1 """
ELECTED = """
    topic  | partition | leader_epoch | trigger
    orders | 0         | 1            | broker_failure
    orders | 0         | 3            | preferred """


def off():
    return off_preferred(tidy("leader_epochs", LED), tidy("isr_spans", ASSIGNED), tidy("elections", ELECTED))


def test_a_partition_is_off_its_preferred_leader_until_that_leads_again():
    """Of orders-2 no assignment is told."""
    assert [(t.topic, t.partition, t.preferred, t.leader_id, t.start, t.end, t.ended_by) for t in off()] == [
        ("orders", 0, 1, 2, at("10:00:10"), at("10:00:30"), "preferred"),
        ("orders", 1, 2, -1, at("10:00:05"), None, None),
    ]
    rows = cells(preferred_leaders(off(), NO_LINES))
    assert [row[2] for row in rows] == ["nobody", "broker 2"]
    assert [row[5] for row in rows] == ["–", "preferred leader election"]


def test_leadership_that_an_unclean_election_returned_came_back_by_it():
    """The session of the previous leader ended long before; that is why there was no leader."""
    led = tidy("leader_epochs", LED)
    led.loc[led.leader_epoch == 3, "elected_from"] = "any_replica"
    elected = tidy("elections", ELECTED.replace("preferred", "broker_failure"))
    times = off_preferred(led, tidy("isr_spans", ASSIGNED), elected)
    assert [row[5] for row in cells(preferred_leaders(times, NO_LINES))] == ["–", "unclean election"]


@pytest.mark.parametrize(
    ("second", "since"),
    [("10:00:10.606", "2024-05-01 10:00:10.528 to 10:00:10.606"), ("10:00:10.528", "10:00:10.528<br>")],
    ids=["two times", "one time"],
)
def test_a_row_of_several_partitions_off_their_preferred_leader_shows_all_their_times(second, since):
    led = f"""
    topic  | partition | leader_epoch | leader_id | start_ts     | end_ts
    orders | 0         | 1            | 3         | {second} |
    orders | 1         | 1            | 3         | 10:00:10.528 | """
    assigned = """
    topic  | partition | start_ts | replicas
    orders | 0         | 10:00:00 | 2,3,1
    orders | 1         | 10:00:00 | 2,3,1 """
    times = off_preferred(tidy("leader_epochs", led), tidy("isr_spans", assigned), tidy("elections", ELECTED))
    (row,) = cells(preferred_leaders(times, NO_LINES))
    assert "orders-0, orders-1" in row[0]
    assert since in row[3]
    assert row[4] == "to the end of the logs"


def test_another_assignment_has_another_preferred_leader_from_then_on():
    """Until the reassignment broker 1 was the preferred leader, and led."""
    led = """
    topic  | partition | leader_epoch | leader_id | start_ts | end_ts
    orders | 0         | 0            | 1         | 10:00:00 | 10:00:10
    orders | 0         | 1            | 1         | 10:00:10 | 10:00:30
    orders | 0         | 2            | 3         | 10:00:30 | """
    assigned = """
    topic  | partition | start_ts | replicas
    orders | 0         | 10:00:00 | 1,2,3
    orders | 0         | 10:00:10 | 3,1 """
    times = off_preferred(tidy("leader_epochs", led), tidy("isr_spans", assigned), tidy("elections", ELECTED))
    assert [(t.preferred, t.leader_id, t.start, t.end) for t in times] == [(3, 1, at("10:00:10"), at("10:00:30"))]


def test_how_many_are_off_their_preferred_leader_is_a_line_with_steps():
    (line,) = preferred_leaders_figure(off(), trace_end=at("10:01:00")).data
    assert list(zip([x[14:19] for x in line.x], line.y, strict=True)) == [
        ("00:05", 0),
        ("00:05", 1),
        ("00:10", 1),
        ("00:10", 2),
        ("00:30", 2),
        ("00:30", 1),
        ("01:00", 1),
    ]


AVAILABLE = """
    topic  | partition | acks | start_ts | end_ts   | state   | reason                 | evidence
    orders | 0         | all  | 10:00:00 | 10:00:10 | open    |                        |
    orders | 0         | all  | 10:00:10 | 10:00:12 | closed  | waiting_for_isr_member | e1
    orders | 0         | all  | 10:00:12 | 10:00:20 | closed  | below_min_isr          | e2
    orders | 0         | all  | 10:00:20 |          | open    |                        |
    orders | 0         | 1    | 10:00:00 | 10:00:25 | open    |                        |
    orders | 0         | 1    | 10:00:25 |          | unknown | leader_impaired        | e3 """


def test_what_producers_were_told_by_their_acks():
    told = answer_spans(frames.rows(tidy("availability", AVAILABLE)), ())
    assert [(t.start.strftime("%S"), t.end and t.end.strftime("%S"), t.one_state, t.all_state) for t in told] == [
        ("00", "10", "open", "open"),
        ("10", "12", "open", "closed"),
        ("12", "20", "open", "closed"),
        ("20", "25", "open", "open"),
        ("25", None, "unknown", "open"),
    ]
    assert all("the producer does not wait for an acknowledgement" in t.zero for t in told)
    assert (told[0].one, told[0].all) == (
        "acknowledged, once the leader has written it",
        "acknowledged, once all members of the ISR have it",
    )
    assert "no answer yet" in told[1].all
    assert told[2].all.startswith("NOT_ENOUGH_REPLICAS")
    assert "whether the leader writes it is unknown" in told[4].zero
    shown = cells(acks_told(tidy("availability", AVAILABLE), NO_LOSSES, NO_LINES))
    assert len(shown) == 3  # not where all was plainly taken


WITHOUT_ITS_LEADER = """
    topic  | partition | acks | start_ts | end_ts   | state  | reason
    orders | 0         | 1    | 10:00:10 | 10:00:20 | closed | {0} """


@pytest.mark.parametrize(
    ("reason", "kept", "answer"),
    [
        (
            "leader_frozen",
            "the leader writes it only after it wakes up, if its socket had received it",
            "a leader that wakes up before its connections close executes what they had received",
        ),
        ("leader_dead", "the leader does not write it", "the connection to the leader is refused or broken"),
    ],
)
def test_a_frozen_leader_writes_what_its_sockets_received_when_it_wakes_up_and_a_dead_one_does_not(
    reason, kept, answer
):
    (told,) = answer_spans(frames.rows(tidy("availability", WITHOUT_ITS_LEADER.format(reason))), ())
    assert told.zero.endswith(kept)
    assert answer in told.one


IN_ONE_SECOND = """
    topic  | partition | acks | start_ts     | end_ts       | state  | reason
    orders | 0         | all  | 10:00:10.100 | {0}          | closed | no_leader
    orders | 1         | all  | 10:00:10.300 | {1}          | closed | no_leader """


@pytest.mark.parametrize(
    ("ends", "times", "left_out"),
    [
        (
            ("10:00:18.700", "10:00:18.600"),
            ["10:00:10.300 to 10:00:18.600"],
            "common to all; the earliest begins at 10:00:10.100, the latest ends at 10:00:18.700",
        ),
        (
            ("10:00:10.200", "10:00:10.500"),
            ["10:00:10.100 to 10:00:10.200", "10:00:10.300 to 10:00:10.500"],
            "",
        ),
        (("", ""), ["10:00:10.300 to the end of the logs"], "common to all; the earliest begins at 10:00:10.100"),
    ],
    ids=["what both have in common", "no time in common", "without end"],
)
def test_a_row_of_several_partitions_holds_for_each_of_them_and_says_what_it_leaves_out(ends, times, left_out):
    shown = cells(acks_told(tidy("availability", IN_ONE_SECOND.format(*ends)), NO_LOSSES, NO_LINES))
    assert len(shown) == len(times)
    for row, time in zip(shown, times, strict=True):
        assert time in row[0]
        assert left_out in row[0]
        assert ("common to all" in row[0]) == bool(left_out)


def test_partitions_that_have_one_time_leave_nothing_out():
    same = IN_ONE_SECOND.replace("10:00:10.300", "10:00:10.100").format("10:00:18.600", "10:00:18.600")
    ((time, *_),) = cells(acks_told(tidy("availability", same), NO_LOSSES, NO_LINES))
    assert time == "2024-05-01 10:00:10.100 to 10:00:18.600"


@pytest.mark.parametrize(
    ("reason", "zero", "one"),
    [
        ("leader_dead", "not written", "no answer"),
        ("leader_frozen", "not yet written", "no answer"),
        ("disk_full", "not written", "rejected"),
        ("leader_deposed", "not written", "rejected"),
        ("some_other_reason", "not written", "not accepted"),
    ],
)
def test_a_write_that_was_not_accepted_was_rejected_or_got_no_answer(reason, zero, one):
    (row,) = cells(acks_told(tidy("availability", WITHOUT_ITS_LEADER.format(reason)), NO_LOSSES, NO_LINES))
    assert [chipped(cell) for cell in row[2:5]] == [zero, one, "not known"]


def test_what_one_leader_accepts_and_its_isr_does_not_have_is_accepted_for_one_producer():
    (row, *_) = cells(acks_told(tidy("availability", AVAILABLE), NO_LOSSES, NO_LINES))
    assert [chipped(cell) for cell in row[2:5]] == ["written", "accepted", "no answer"]


DROPPED = """
    topic  | partition | loss_class     | verdict       | from_offset | to_offset_high | written_low | written_high | evidence | old_leader_id
    orders | 0         | acked_possible | POSSIBLE_LOSS | 109         | 235            | 10:00:10    | 10:00:31     | e1 | 1
    orders | 1         | acked_possible | POSSIBLE_LOSS | 109         | 109            | 10:00:10    | 10:00:31     | e2 | 1
    orders | 2         | committed      | PROVEN_LOSS   | 109         | 235            | 10:00:10    | 10:00:31     | e3 | 1
    orders | 3         | acked_possible | POSSIBLE_LOSS | 109         | 235            |             | 10:00:31     | e4 | 1 """


@pytest.mark.parametrize(
    ("times", "named"),
    [
        ("", "broker 1, and perhaps broker 3, had"),
        ("2024-05-01T10:00:32,2024-05-01T10:00:40", "broker 1, and perhaps broker 3, had"),
        ("2024-05-01T10:00:05,2024-05-01T10:00:40", "broker 1 had"),
    ],
    ids=["no line dates it", "it truncated them afterwards", "it had truncated before the time began"],
)
def test_a_follower_that_can_have_copied_dropped_records_is_named_too(times, named):
    """As recorded of 3.9.1: the follower had one of 70 records, and truncated it as it followed the new leader."""
    copied = (
        DROPPED.replace("old_leader_id", "old_leader_id | cut_by").replace(" | 1\n", " | 1 | 3,1\n").rstrip() + " |"
    )
    losses = tidy("losses", copied)
    found = [pd.Timestamp(one) for one in times.split(",") if one]
    losses["cut_times"] = [found if row.cut_by else None for row in frames.rows(losses)]
    ((_, _, _, one, *_),) = cells(acks_told(tidy("availability"), losses, NO_LINES))
    assert f"records that only {named} were truncated later" in one


def test_a_time_in_which_dropped_records_were_written_is_one_row_with_both_leaders_answers():
    """Broker 1 waits for a member of the ISR; from 10:00:18 on broker 2 leads, and broker 1 does not know it until 10:00:31."""
    times = """
        topic  | partition | acks | start_ts | end_ts   | state  | reason
        orders | 0         | all  | 10:00:00 | 10:00:10 | open   |
        orders | 0         | all  | 10:00:10 | 10:00:18 | closed | waiting_for_isr_member
        orders | 0         | all  | 10:00:18 |          | open   |
        orders | 0         | 1    | 10:00:00 |          | open   |                         """
    led = DROPPED.replace("old_leader_id", "old_leader_id | new_leader_id | ts").replace(
        " | 1\n", " | 1 | 2 | 10:00:18\n"
    )
    shown = cells(acks_told(tidy("availability", times), tidy("losses", led.rstrip() + " | 2 | 10:00:18"), NO_LINES))
    assert [time for time, *_ in shown] == [
        "2024-05-01 10:00:10.000 to 10:00:18.000",
        "2024-05-01 10:00:18.000 to 10:00:31.000",
    ]
    assert [[chipped(cell) for cell in answers] for _, _, *answers, _ in shown] == [
        ["possibly discarded later"] * 3
    ] * 2
    (_, _, _, one, every, _), (_, _, _, one_later, every_later, _) = shown
    assert "acknowledged, once the leader has written it; but records that only broker 1 had were truncated" in one
    assert "no answer yet" in every and "those were never acknowledged" in every
    assert "broker 2 only after it took its role" in one_later
    assert (
        "broker 1 only while it ran and still considered itself the leader; but records that only broker 1" in one_later
    )
    assert every_later.count("acknowledged, once all members") == 1 and "those were never acknowledged" in every_later


def without_a_leader(reason):
    """The answers of a partition that lost records of broker 1; in the middle its writers certainly have no leader."""
    times = "topic | partition | acks | start_ts | end_ts | state | reason"
    for acks in ("1", "all"):
        times += f"""
        orders | 0 | {acks} | 10:00:10 | 10:00:15 | open   |
        orders | 0 | {acks} | 10:00:15 | 10:00:20 | closed | {reason}
        orders | 0 | {acks} | 10:00:20 |          | open   | """
    lost = """
        topic  | partition | loss_class     | verdict       | from_offset | to_offset_high | written_low | written_high | old_leader_id | new_leader_id | ts
        orders | 0         | acked_possible | POSSIBLE_LOSS | 109         | 235            | 10:00:10    | 10:00:31     | 1             | 2             | 10:00:18 """
    return answer_spans(frames.rows(tidy("availability", times)), frames.rows(tidy("losses", lost)))


@pytest.mark.parametrize("reason", ["leader_frozen", "leader_dead", "no_leader", "disk_full", "leader_deposed"])
def test_no_broker_acknowledges_while_a_partition_certainly_has_no_leader_that_writes(reason):
    """The old leader is frozen or dead to the end of that time, also after the election; the new one has not taken its role."""
    told = without_a_leader(reason)
    closed = [t for t in told if at("10:00:15") <= t.start < at("10:00:20")]
    assert closed
    for answers in closed:
        assert "broker 2" not in answers.one + answers.all
        assert "acknowledged" not in answers.one
        assert "acknowledged" not in answers.all.replace("those were never acknowledged", "")
    kept = {(t.one_state, "truncated later" in t.one) for t in closed}
    assert kept == {("dropped", True) if reason == "leader_frozen" else ("closed", False)}


def test_after_the_election_each_leader_acknowledges_only_on_its_condition():
    """The new leader has taken its role; the old one may still be frozen."""
    (later,) = [t for t in without_a_leader("leader_frozen") if t.start == at("10:00:20")]
    assert later.one.startswith(
        "acknowledged, once the leader has written it: broker 2 only after it took its role, "
        "broker 1 only while it ran and still considered itself the leader; but records that only broker 1 had"
    )
    assert "broker 2" not in later.all and later.all.startswith("acknowledged, once all members of the ISR have it; ")


def test_records_that_were_dropped_are_shown_where_no_line_shows_when_the_partition_took_writes():
    ((time, partitions, *answers, _),) = cells(acks_told(tidy("availability"), tidy("losses", DROPPED), NO_LINES))
    assert time == "2024-05-01 10:00:10.000 to 10:00:31.000" and "orders-0" in partitions
    assert [chipped(cell) for cell in answers] == ["possibly discarded later"] * 3


def chipped(cell):
    return re.search(r"<span class=\"chip \w+\">([^<]+)</span>", cell)[1]


FILES = """
    topic  | partition | node_id | start_ts | end_ts   | notation        | told_by | evidence
    visits | 0         | 1       | 10:00:00 | 10:00:30 | (0 0)           | leader  | a1
    visits | 0         | 1       | 10:00:30 | 10:00:50 | (0 0)(1 8)      | leader  | a2
    visits | 0         | 1       | 10:00:50 |          | (0 0)(2 6)      | append  | a3
    visits | 0         | 2       | 10:00:00 | 10:00:40 | (0 0)           | append  | b1
    visits | 0         | 2       | 10:00:40 |          | (0 0)(2 6)      | leader  | b2 """
TURNS = """
    topic  | partition | leader_epoch | leader_id | start_ts | end_ts
    visits | 0         | 0            | 1         | 10:00:00 | 10:00:30
    visits | 0         | 1            | 1         | 10:00:30 | 10:00:40
    visits | 0         | 2            | 2         | 10:00:40 |          """


def test_files_part_where_a_replica_has_what_its_leader_has_not():
    """Broker 1 led from 8 in leader epoch 1; broker 2 then from 6: broker 1 cuts what it has from 6 on."""
    rows = [frames.rows(tidy(table, text)) for table, text in (("epoch_files", FILES), ("leader_epochs", TURNS))]
    (one,) = parted(*rows)
    assert (one.leader_id, one.node_id, one.start, one.end, one.offset, one.own) == (
        2,
        1,
        at("10:00:40"),
        at("10:00:50"),
        6,
        ((1, 8),),
    )
    files, changes, partings = epoch_files(tidy("epoch_files", FILES), tidy("leader_epochs", TURNS), NO_LINES)
    assert [(row[1], row[2]) for row in cells(files)] == [
        ('broker 2<br><span class="quiet">leads</span>', "<code>(0 0)(2 6)</code>"),
        ("broker 1", "<code>(0 0)(2 6)</code>"),
    ]
    assert changes.count == 5
    (row,) = cells(partings)
    assert row[4] == "6"
    assert (
        "2.0 to 2.7: asks for one leader epoch after the other until both know it, and truncates to 6 at most" in row[5]
    )


def test_the_file_of_a_leader_without_lines_of_its_own_can_have_any_other_entry():
    """Only the lines of others show an entry of broker 2."""
    files = """
        topic  | partition | node_id | start_ts | end_ts | notation   | told_by | evidence
        visits | 0         | 2       | 10:00:00 |        | (0 0)      | append  | a1
        visits | 0         | 1       | 10:00:00 |        | (0 0)(1 8) | file    | b1 """
    led = "topic | partition | leader_epoch | leader_id | start_ts | end_ts\nvisits | 0 | 2 | 2 | 10:00:10 |"
    assert parted(frames.rows(tidy("epoch_files", files)), frames.rows(tidy("leader_epochs", led))) == []
    standing, _, partings = epoch_files(tidy("epoch_files", files), tidy("leader_epochs", led), NO_LINES)
    assert "other entries are not known" in cells(standing)[0][2] and cells(partings) == []
    own = files.replace("append", "leader")
    (one,) = parted(frames.rows(tidy("epoch_files", own)), frames.rows(tidy("leader_epochs", led)))
    assert one.own == ((1, 8),)


def test_an_entry_that_only_the_file_at_the_end_shows_need_not_have_been_there_before_the_leader_had_it():
    """As recorded of 2.5.1: the leader learned of its leader epoch 25 s late, and its follower copied from it after that."""
    files = """
        topic  | partition | node_id | start_ts | end_ts   | is_earliest | notation     | told_by     | evidence
        visits | 0         | 1       | 10:00:00 | 10:00:35 | false       | (0 0)        | leader      | a1
        visits | 0         | 1       | 10:00:35 |          | false       | (0 0)(1 581) | file,leader | a2
        visits | 0         | 2       | 10:00:00 | 10:00:10 | false       | (0 0)        | append      | b1
        visits | 0         | 2       | 10:00:10 |          | {}          | (0 0)(1 581) | {}          | b2 """
    led = "topic | partition | leader_epoch | leader_id | start_ts | end_ts\nvisits | 0 | 1 | 1 | 10:00:10 |"
    for is_earliest, told_by, count in (("true", "append,file", 0), ("false", "leader", 1)):
        text = files.format(is_earliest, told_by)
        found = parted(frames.rows(tidy("epoch_files", text)), frames.rows(tidy("leader_epochs", led)))
        assert len(found) == count


KNOWN_LATE = """
    topic  | partition | node_id | start_ts | end_ts   | notation         | told_by | evidence
    visits | 0         | 1       | 10:00:00 | 10:00:42 | (0 0)            | append  | a1
    visits | 0         | 1       | {}       |          | (0 0)(1 6)(2 8)  | leader  | a2
    visits | 0         | 2       | 10:00:30 |          | (0 0)(1 6)       | leader  | b1 """
BACK_TO_BROKER_1 = """
    topic  | partition | leader_epoch | leader_id | start_ts | end_ts
    visits | 0         | 0            | 1         | 10:00:00 | 10:00:30
    visits | 0         | 1            | 2         | 10:00:30 | 10:00:40
    visits | 0         | 2            | 1         | 10:00:40 | 10:00:50
    visits | 0         | 3            | 2         | 10:00:50 |          """


@pytest.mark.parametrize(
    ("learned", "own"),
    [
        pytest.param("10:00:42", [], id="a later line of the same leader epoch shows the entry: it had it"),
        pytest.param("10:00:55", [((1, 6),)], id="it received the entry as a follower"),
    ],
)
def test_a_leader_had_every_entry_of_an_earlier_leader_epoch_when_it_began_to_lead(learned, own):
    texts = (
        ("epoch_files", KNOWN_LATE.format(learned).replace("10:00:42 | (0 0)  ", f"{learned} | (0 0)  ")),
        (
            "leader_epochs",
            BACK_TO_BROKER_1,
        ),
    )
    found = parted(*(frames.rows(tidy(table, text)) for table, text in texts))
    assert [one.own for one in found if one.leader_id == 1] == own
    undated = texts[0][0], texts[0][1].replace("1       | 10:00:00", "1       |         ")
    found = parted(*(frames.rows(tidy(table, text)) for table, text in (undated, texts[1])))
    assert [one.own for one in found if one.leader_id == 1] == own


AFTER_AN_UNCLEAN_ELECTION = """
    topic  | partition | node_id | start_ts | end_ts   | notation        | told_by | evidence
    visits | 0         | 1       | 10:00:00 | 10:00:50 | (0 0)(1 8)      | leader  | a1
    visits | 0         | 1       | 10:00:50 |          | (0 0)           | append  | a2
    visits | 0         | 2       | 10:00:00 | 10:00:42 | (0 0)           | append  | b1
    visits | 0         | 2       | 10:00:42 |          | {}              | leader  | b2 """


@pytest.mark.parametrize(
    ("file", "does"),
    [
        pytest.param(
            "(0 0)(2 8)", ["continues at the leader's log end", "truncates to 8 at most"], id="it has an entry"
        ),
        pytest.param("(0 0)", ["continues at the leader's log end"], id="it still has none"),
    ],
)
def test_a_follower_does_something_else_once_its_new_leader_has_an_entry_of_its_own_epoch(file, does):
    epochs = TURNS.replace("10:00:30 | 10:00:40", "10:00:00 | 10:00:40")
    texts = ("epoch_files", AFTER_AN_UNCLEAN_ELECTION.format(file)), ("leader_epochs", epochs)
    found = parted(*(frames.rows(tidy(table, text)) for table, text in texts))
    told = [of_releases(what_it_does(one.leads, one.has), ("4.0.0",)) for one in found if one.leader_id == 2]
    assert [end in text for end, text in zip(does, told, strict=True)] == [True] * len(does)


@pytest.mark.parametrize(
    ("notation", "told_by", "lacks"),
    [("(1 154)", "append", True), ("(1 154)", "append,file", False), ("(0 0)(1 154)", "append", False)],
)
def test_a_file_that_is_not_here_may_have_earlier_entries(notation, told_by, lacks):
    files = f"""
    topic  | partition | node_id | start_ts | end_ts | notation   | told_by   | evidence
    visits | 0         | 1       | 10:00:50 |        | {notation} | {told_by} | n:1 """
    (row,) = cells(epoch_files(tidy("epoch_files", files), tidy("leader_epochs", TURNS), NO_LINES)[0])
    assert ("earlier entries are not known" in row[2]) == lacks


@pytest.mark.parametrize(("node", "lacks"), [(1, True), (2, False)])
def test_a_file_of_the_end_does_not_show_the_entries_that_a_truncation_removed(node, lacks):
    """Recorded (3.9.1, logs from after the faults): the file had (1 262), too, until the broker truncated to 262."""
    files = f"""
    topic  | partition | node_id | start_ts | end_ts   | notation   | told_by     | evidence
    visits | 0         | {node}  |          | 10:00:45 | (0 0)      | file        | n:3
    visits | 0         | {node}  | 10:00:45 |          | (0 0)(3 6) | append,file | n:4 """
    cuts = frames.rows(
        tidy("truncations", "topic | partition | node_id | ts | truncation_offset\nvisits | 0 | 1 | 10:00:45 | 6")
    )
    standing, changes, _ = epoch_files(
        tidy("epoch_files", files), tidy("leader_epochs", TURNS), NO_LINES, truncations=cuts
    )
    first, second = (row[2] for row in cells(changes))
    assert ("if a truncation removed any" in first) == lacks
    assert "not known" not in second and "not known" not in cells(standing)[0][2]


@pytest.mark.parametrize(
    ("evidence", "is_earliest", "since", "how"),
    [
        (
            "node-1/server.log:9,visits-0/leader-epoch-checkpoint:4",
            "false",
            "at the latest",
            "a record appended by then, checkpoint file",
        ),
        (
            "node-2/server.log:9,visits-0/leader-epoch-checkpoint:4",
            "true",
            "at the earliest",
            "a record appended by the end of the logs, checkpoint file",
        ),
        (
            "data0/replication-offset-checkpoint:3,visits-0/leader-epoch-checkpoint:4",
            "false",
            "at the earliest",
            "a record appended by the end of the logs, checkpoint file",
        ),
        (
            "node-1/20240501T101500Z/data0/replication-offset-checkpoint:3",
            "false",
            "at the latest",
            "a record appended by then, checkpoint file",
        ),
    ],
)
def test_a_later_line_bounds_the_begin_from_above_and_a_file_without_a_time_from_below(
    evidence, is_earliest, since, how
):
    files = f"""
    topic  | partition | node_id | start_ts | end_ts | is_earliest   | notation   | told_by     | evidence
    visits | 0         | 1       | 10:00:50 |        | {is_earliest} | (0 0)(2 6) | append,file | {evidence} """
    (row,) = cells(epoch_files(tidy("epoch_files", files), tidy("leader_epochs", TURNS), NO_LINES)[0])
    assert ([bound for bound in ("at the earliest", "at the latest") if bound in row[3]], row[4]) == ([since], how)


@pytest.mark.parametrize("told_by", ["leader", "cache", "append,leader", "{}"])
def test_the_own_line_of_an_entry_shows_when_it_came(told_by):
    files = f"""
    topic  | partition | node_id | start_ts | end_ts | notation   | told_by   | evidence
    visits | 0         | 1       | 10:00:50 |        | (0 0)(2 6) | {told_by} | node-1/server.log:9 """
    (row,) = cells(epoch_files(tidy("epoch_files", files), tidy("leader_epochs", TURNS), NO_LINES)[0])
    assert "at the" not in row[3]


@pytest.mark.parametrize(
    ("topic", "notation", "node", "who", "since"),
    [
        ("__cluster_metadata", "(1 0)(14 66)", 103, "controller 103", "05:34:48.036"),
        ("__cluster_metadata", "(1 0)(14 66)", 2, "broker 2", "05:34:48.036"),
        ("__cluster_metadata", "(1 0)(13 66)", 103, "controller 103", "not known"),  # no line shows that election
        ("visits", "(1 0)(14 66)", 2, "broker 2", "before the logs begin"),  # another log has its own epochs
    ],
)
def test_an_epoch_of_the_metadata_log_begins_no_earlier_than_its_leaders_election(topic, notation, node, who, since):
    files = f"""
    topic   | partition | node_id | start_ts | end_ts | notation   | told_by | evidence
    {topic} | 0         | {node}  |          |        | {notation} | file    | e1 """
    quorum = MetadataQuorum({101, 102, 103}, {1: at("05:34:05.492"), 14: at("05:34:48.036")})
    grids = epoch_files(tidy("epoch_files", files), tidy("leader_epochs", TURNS), NO_LINES, quorum=quorum)
    (row,) = cells(grids[0])
    assert row[1].startswith(who)
    assert since in row[3]


TOLD = """
    topic  | partition | ts       | tool                  | what             | value | group   | node_id | set_aside     | evidence
    orders | 0         | 10:52:54 | kafka-consumer-groups | committed        | 3979  | billing |         |               | g.txt:3
    orders | 0         | 10:52:54 | kafka-consumer-groups | high_watermark   | 4605  |         |         |               | g.txt:3
    orders | 0         | 10:53:00 | kafka-get-offsets     | log_start_offset | 4394  |         |         |               | s.txt:9
    orders | 0         | 10:53:02 | kafka-log-dirs        | offset_lag       | 0     |         | 1       |               | d.txt:3
    orders | 0         | 10:53:02 | kafka-get-offsets     | high_watermark   | 7     |         |         | other_cluster | x.txt:1 """
MARKS = """
    topic  | partition | node_id | ts       | source     | log_end_offset
    orders | 0         | 1       | 10:52:20 | log_rolled | 4560 """


def test_each_offset_is_explained_with_the_partitions_own_numbers():
    found = which_offset(
        frames.rows(tidy("told_offsets", TOLD)), frames.rows(tidy("high_watermarks", MARKS)), (), ()
    )  # fmt: skip
    assert [(o.name, o.value) for o in found] == [
        ("log start offset", 4394),
        ("committed offset of group billing", 3979),
        ("last stable offset", None),
        ("high watermark", 4605),
        ("log end offset of broker 1", 4560),
        ("offsetLag of broker 1", 0),
    ]
    assert "Lag: 626, the high watermark 4,605 minus this offset." in found[1].means
    assert "415 offsets that it did not read are deleted" in found[1].means
    apart = TOLD.replace(
        "10:52:54 | kafka-consumer-groups | high_watermark", "10:51:00 | kafka-get-offsets | high_watermark"
    )
    assert "Lag: 626," in which_offset(frames.rows(tidy("told_offsets", apart)), (), (), ())[1].means
    tables = {name: tidy(name) for name in ("high_watermarks", "log_starts", "commit_bands", "described_partitions")}
    tables["told_offsets"] = tidy("told_offsets", TOLD)
    assert [row[1] for row in cells(printed_offsets(tables, NO_LINES))] == [
        "log start offset",
        "committed offset of group billing",
        "high watermark",
        "offsetLag of broker 1",
    ]
    assert set_aside(tables) == ["x.txt: set aside: from another cluster: these logs contain none of its topics"]


def test_without_a_tool_lines_alone_tell_what_they_can():
    bands = "topic | partition | start_ts | end_ts | committed_low | committed_high\norders | 0 | 10:00:00 | | 120 |"
    starts = "topic | partition | ts | node_id | change | log_start_offset\norders | 0 | 10:00:00 | 2 | moved_by_retention | 17"
    found = which_offset(
        (), (), frames.rows(tidy("log_starts", starts)), frames.rows(tidy("commit_bands", bands))
    )  # fmt: skip
    assert [(o.name, o.value) for o in found] == [
        ("log start offset", 17),
        ("last stable offset", None),
        ("high watermark", 120),
    ]
    assert "at least this, without an upper bound" in found[2].means


DESCRIBED = """
    topic  | partition | ts       | leader_id | preferred_id | replicas | isr   | out_of_isr | set_aside
    orders | 0         | 10:53:00 | 2         | 2            | 2,1,3    | 1,2,3 | []         |
    orders | 1         | 10:53:00 | 2         | 1            | 1,2,3    | 2,3   | 1          |
    orders | 2         | 10:53:00 | -1        | 3            | 3,1      | []    | 1,3        |
    orders | 3         | 10:53:00 | 9         | 9            | 9        | 9     | []         | other_cluster """


def test_kafka_topics_alone_gives_leaders_isrs_and_preferred_leaders_as_of_its_time():
    table = tidy("described_partitions", DESCRIBED)
    assert [(row[0], row[1]) for row in cells(described(table, NO_LINES))] == [
        ("<code>orders-1</code>", "broker 2"),
        ("<code>orders-2</code>", "nobody"),
        ("<code>orders-0</code>", "broker 2"),
    ]
    assert as_described(table) == (
        "kafka-topics --describe, as of 2024-05-01 10:53:00.000 UTC: 3 partitions, 1 without a leader, 1 not led by the preferred replica, "
        "2 with a replica out of sync."
    )
    assert as_described(pd.DataFrame()) == ""


@pytest.mark.parametrize("starts", ["", "0 | 10:00:30 | 1 | created | 0"])
def test_a_log_that_starts_at_0_has_no_line(starts):
    assert drawn_starts(starts) == []


def test_where_a_log_starts_is_drawn_level_until_it_moves():
    (line,) = drawn_starts("0 | 10:00:10 | 1 | created | 0\n0 | 10:00:30 | 1 | moved_by_retention | 317")
    assert list(zip([x[14:19] for x in line.x], line.y, strict=True)) == [
        ("00:10", 0),
        ("00:30", 0),
        ("00:30", 317),
        ("01:00", 317),
    ]
    assert "retention deleted the records before it" in line.hovertext[2]


def drawn_starts(rows):
    head = "partition | ts | node_id | change | log_start_offset"
    told = frame("log_starts", f"{head}\n{rows}").assign(topic="orders")
    nothing = {name: frame(name, "topic") for name in ("commit_bands", "high_watermarks", "truncations", "losses")}
    figure = high_watermarks_figure(
        *nothing.values(), [("orders", 0)], trace_end=at("10:01:00"), log_starts=told
    )  # fmt: skip
    return [trace for trace in figure.data if trace.meta == "log_start"]


@pytest.mark.parametrize(
    ("reason", "instead"), [("below_min_isr", "rejected"), ("leader_dead", "no answer"), ("leader_not_logged", "not")]
)
def test_a_write_of_a_doubtful_time_may_be_rejected_only_for_a_small_isr(reason, instead):
    times = f"""
        topic  | partition | acks | start_ts | end_ts   | state   | reason
        orders | 0         | all  | 10:00:10 | 10:00:15 | unknown | {reason} """
    told = answer_spans(frames.rows(tidy("availability", times)), [])
    assert [one.all for one in told] == [f"not known: acknowledged or {instead}"]
