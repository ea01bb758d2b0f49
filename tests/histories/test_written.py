"""When lost records were written, and when they were truncated."""

from __future__ import annotations

import pytest

from replay.histories.cluster import Cluster
from replay.histories.partition import Partition
from replay.histories.written import steps_down, with_times
from replay.tables import FAULTS
from replay.tables.brokers import PROCESSES
from replay.tables.losses import LEDGER
from replay.tables.offsets import FETCH_POSITIONS, FOLLOWER_POSITIONS, HIGH_WATERMARKS, TRUNCATIONS
from replay.tables.partitions import LEADER_EPOCHS, ROLE_LINES
from replay.tables.reading import EVENTS
from tests.each import for_each
from tests.tables import facts, rows

EPOCHS = """
    leader_epoch | leader_id | epoch_start_offset | start_ts | leader_ts
    4            | 1         | 100                | 10:00:00 | 10:00:01
    5            | 2         | 200                | 10:01:00 | 10:01:01 """
LINES = """
    node_id | ts       | role     | leader_epoch | log_end_offset | source
    1       | 10:00:01 | leader   | 4            | 100            | leader_start
    1       | 10:00:40 | leader   | 4            | 190            | isr_shrink
    1       | 10:01:20 | leader   | 4            | 260            | isr_shrink
    1       | 10:01:33 | follower | 5            | 270            | follower_start """
CUT = "node_id | ts | truncation_offset\n 1 | 10:01:33.050 | 200"
LOSS = "leader_epoch | ts | old_leader_id | new_leader_id | verdict | from_offset | to_offset_low | to_offset_high\n 5 | 10:01:00 | 1 | 2 | {} | {} | | {}"


LOSS_IN_PART = LOSS.replace("| {} | | {}", "| {} | 230 | {}")
FOLLOWED = "node_id | leader_epoch | kind | ts\n 1 | 5 | follower_start | 10:01:33"
RESTART = "node_id | last_ts | next_start_ts | ended\n 1 | 10:00:50 | 10:01:10 | killed"
RESTART_BEFORE = "node_id | last_ts | next_start_ts | ended\n 1 | 10:00:43 | 10:00:44 | killed"
LINES_BEFORE = "\n".join(line for line in LINES.splitlines() if "isr_shrink" not in line)
LOADED = LINES + "\n    1 | 10:01:12 | | | 260 | log_load_completed"


def told_of(
    verdict="POSSIBLE_LOSS",
    begin=200,
    end=260,
    lines=LINES,
    cuts=CUT,
    epochs=EPOCHS,
    processes="node_id",
    process_ends="kind",
    roles="node_id",
    positions="node_id",
    fetches="node_id",
    done="node_id",
    loss=LOSS,
    lines_of_disks="node_id",
):
    partition = Partition(
        "orders",
        0,
        0,
        leader_epochs=rows(LEADER_EPOCHS, epochs),
        high_watermarks=rows(HIGH_WATERMARKS, lines),
        truncations=[
            cut.but(by_recovery=bool(cut.by_recovery), evidence=[f"cut-{cut.node_id}"])
            for cut in rows(TRUNCATIONS, cuts)
        ],
        role_lines=rows(ROLE_LINES, roles),
        follower_positions=rows(FOLLOWER_POSITIONS, positions),
        fetch_positions=rows(FETCH_POSITIONS, fetches),
        steps_down=steps_down(rows(EVENTS, done)),
    )
    (row,) = (one.but(topic="orders", partition=0) for one in rows(LEDGER, loss.format(verdict, begin, end)))
    ends = rows(FAULTS, process_ends)
    return with_times(
        row, partition, Cluster.of(rows(PROCESSES, processes), (), (), (), (), ends, facts=facts(lines_of_disks))
    )


STOPPED = """
    node_id | ts       | kind                       | details
    {}      | 10:00:58 | log_dir_failure_partitions | dir=/data1;offline_partitions=orders-0,orders-3 """


@pytest.mark.parametrize(
    ("lines_of_disks", "processes", "written_by"),
    [
        pytest.param(STOPPED.format(1), "node_id", "10:00:58.000", id="its directory had failed before the election"),
        pytest.param(STOPPED.format(3), "node_id", "10:01:33.050", id="the directory of another broker"),
        pytest.param(
            STOPPED.format(1).replace("orders-0", "orders-1"), "node_id", "10:01:33.050", id="another partition"
        ),
        pytest.param(
            STOPPED.format(1).replace("10:00:58", "10:00:42"), RESTART_BEFORE, "10:01:33.050", id="it led on afterwards"
        ),
    ],
)
def test_a_leader_wrote_nothing_after_it_had_stopped_a_replica_in_a_failed_directory(
    lines_of_disks, processes, written_by
):
    """Recorded (3.2.3): the directory failed at 15.8, the broker was started again at 47.4."""
    told = told_of(end="", lines_of_disks=lines_of_disks, processes=processes)
    assert clock(told.written_high) == written_by


@pytest.mark.parametrize(
    ("stopped_ts", "shown"),
    [
        ("10:00:58", (60, 60, 0, 0)),  # the election follows from it, 2 s later
        ("10:01:20", (0, 60, 0, 60)),  # it failed after the election, which another fault caused
    ],
)
def test_a_leader_whose_directory_failed_is_no_stale_leader(stopped_ts, shown):
    """Recorded (3.2.3): the lost record was stored 0.2 s before its directory failed, 1.6 s before the election."""
    told = told_of(lines=LINES_BEFORE, lines_of_disks=STOPPED.format(1).replace("10:00:58", stopped_ts))
    assert (told.before_low, told.before_high, told.after_low, told.after_high) == shown


def clock(ts):
    return None if ts is None else ts.strftime("%H:%M:%S.%f")[:12]


def times(**given):
    told = told_of(**given)
    return clock(told.written_low), clock(told.written_high), clock(told.cut_ts)


@for_each(
    "given, told",
    [
        pytest.param(
            {},
            ("10:00:40.000", "10:01:20.000", "10:01:33.050"),
            id="written after the election, cut half a minute later",
        ),
        pytest.param(
            {"end": ""},
            ("10:00:40.000", "10:01:33.050", "10:01:33.050"),
            id="no end is known: by the cut at the latest",
        ),
        pytest.param(
            {"end": "", "cuts": "node_id | ts | truncation_offset\n 1 | 10:05:00 | 230"},
            ("10:00:40.000", None, None),
            id="no end is known, and a truncation above the begin may be of later records",
        ),
        pytest.param(
            {"end": "", "loss": LOSS_IN_PART, "roles": FOLLOWED},
            ("10:00:40.000", "10:01:33.000", "10:01:33.050"),
            id="only the first of them are dated by a line that shows their end: the rest, until it followed",
        ),
        pytest.param(
            {"begin": 150}, ("10:00:01.000", "10:01:20.000", "10:01:33.050"), id="the leader epoch began with less"
        ),
        pytest.param(
            {"begin": 50}, (None, "10:01:20.000", "10:01:33.050"), id="some may be older than the leader epoch"
        ),
        pytest.param({"cuts": "node_id"}, ("10:00:40.000", "10:01:20.000", None), id="no line tells of a cut"),
        pytest.param(
            {"cuts": "node_id | ts | truncation_offset\n 3 | 10:01:02 | 200\n 1 | 10:00:30 | 200\n 1 | 10:01:33 | 260"},
            ("10:00:40.000", "10:01:20.000", None),
            id="another broker, an earlier cut, and one that took nothing of it",
        ),
        pytest.param(
            {"lines": LOADED, "processes": RESTART},
            ("10:00:40.000", "10:01:10.000", "10:01:33.050"),
            id="its log held them when it loaded: written before the process started",
        ),
        pytest.param(
            {
                "lines": LOADED,
                "processes": RESTART,
                "process_ends": "kind | broker_id | began_high | end_ts\n killed | 1 | 10:00:52 | 10:01:10",
            },
            ("10:00:40.000", "10:00:52.000", "10:01:33.050"),
            id="and before it crashed",
        ),
        pytest.param(
            {
                "lines": LOADED,
                "processes": RESTART,
                "process_ends": """
    kind   | broker_id | began_high | end_ts
    killed | 2         | 10:00:52   | 10:01:10
    killed | 1         | 10:00:53   | 10:00:57""",
            },
            ("10:00:40.000", "10:01:10.000", "10:01:33.050"),
            id="another broker's crash, and an earlier one of its own, do not matter",
        ),
        pytest.param(
            {"lines": LOADED, "end": 265, "processes": RESTART},
            ("10:00:40.000", "10:01:33.000", "10:01:33.050"),
            id="its log was shorter when it loaded: some were written since",
        ),
        pytest.param(
            {"lines": LINES, "end": 270, "processes": RESTART},
            ("10:00:40.000", "10:01:10.000", "10:01:33.050"),
            id="it started after the election: it learned of its successor before it could take writes",
        ),
        pytest.param(
            {"lines": LINES, "end": 270, "processes": RESTART.replace("10:01:10", "10:00:55")},
            ("10:00:40.000", "10:01:33.000", "10:01:33.050"),
            id="it started before the election: it may have led on",
        ),
        pytest.param({"verdict": "NO_LOSS_OBSERVED"}, (None, None, None), id="nothing is lost"),
        pytest.param({"epochs": "leader_epoch"}, (None, None, None), id="no line tells that it led"),
        pytest.param(
            {
                "lines": LINES
                + "\n    1 | 10:00:50 | leader | 4 | 195 | leader_start\n    1 | 10:00:45 | | | 195 | log_load_completed"
            },
            ("10:00:40.000", "10:01:20.000", "10:01:33.050"),
            id="what it states after it loaded its log anew tells of no earlier end",
        ),
    ],
)
def test_records_were_written_between_two_log_ends_and_are_lost_when_they_are_truncated(given, told):
    assert times(**given) == told


FOLLOWS = """
    node_id | leader_epoch | kind           | ts
    1       | 4            | leader_start   | 10:00:01
    1       | 5            | follower_start | 10:01:33
    3       | 5            | follower_start | 10:01:02 """


@for_each(
    "given, low, high",
    [
        pytest.param({"end": 270, "roles": FOLLOWS}, "10:00:40", "10:01:33", id="by the time it followed"),
        pytest.param(
            {
                "end": "",
                "roles": """
    node_id | leader_epoch | kind                           | ts
    1       | 5            | broker_leader_and_isr_received | 10:01:10 """,
                "done": """
    kind                        | node_id | topic  | partition | ts
    broker_become_follower_done | 1       | orders | 0         | 09:59:00
    broker_become_follower_done | 3       | orders | 0         | 10:01:11
    broker_become_follower_done | 1       | orders | 0         | 10:01:12 """,
            },
            "10:00:40",
            "10:01:12",
            id="up to 2.5: by the end of its change to a follower, after it learned of its successor",
        ),
        pytest.param(
            {"end": 270, "fetches": "node_id | leader_id | ts | log_end_offset\n 3 | 1 | 10:01:05 | 270"},
            "10:00:40",
            "10:01:07",
            id="another replica had fetched all of them, by a clock that may differ",
        ),
        pytest.param(
            {"end": 270, "fetches": "node_id | leader_id | ts | log_end_offset\n 3 | 2 | 10:01:05 | 270\n 3 | 1 | 10:01:05 | 269"},
            "10:00:40",
            "10:01:33",
            id="a fetch from the next leader, and one of fewer records, show nothing",
        ),
        pytest.param(
            {"positions": "node_id | leader_id | ts | log_end_offset | caught_up_ts\n 2 | 1 | 10:01:20 | 200 | 10:01:03"},
            "10:01:03",
            "10:01:20",
            id="a follower had caught up with the leader, and ended before them",
        ),
        pytest.param(
            {
                "positions": """
    node_id | leader_id | ts       | log_end_offset | caught_up_ts
    2       | 1         | 10:01:20 | 210            | 10:01:03
    2       | 3         | 10:01:20 | 200            | 10:01:04
    3       | 1         | 10:01:20 | 90             | 10:01:05 """
            },
            "10:00:40",
            "10:01:20",
            id="one that held some of them, one of another leader, and one that never caught up in this leader epoch",
        ),
        pytest.param(
            {
                "begin": 50,
                "epochs": EPOCHS.replace("| start_ts | leader_ts", "| start_ts | leader_ts | elected_from").replace("10:00:01\n", "10:00:01 | isr\n")
                + " | isr\n    3            | 3         | 50                 | 09:58:00 | 09:58:04 | isr",
            },
            "09:58:02",
            "10:01:20",
            id="an earlier leader began with less, and all later elections are clean",
        ),
        pytest.param(
            {
                "begin": 50,
                "epochs": EPOCHS.replace("| start_ts | leader_ts", "| start_ts | leader_ts | elected_from").replace("10:00:01\n", "10:00:01 | any_replica\n")
                + " | isr\n    3            | 3         | 50                 | 09:58:00 | 09:58:04 | isr",
            },
            None,
            "10:01:20",
            id="the leader was elected uncleanly: its log is not that of the leader before it",
        ),
        pytest.param(
            {
                "epochs": EPOCHS.replace("| leader_ts", "| leader_ts | reason | confidence").replace("10:00:01\n", "10:00:01 | election |\n")
                + " | election |\n    0            | 2         | 0                  | 10:00:41 | 10:00:41 | created | observed",
            },
            "10:00:41",
            "10:01:20",
            id="no record is older than its partition",
        ),
        pytest.param(
            {
                "epochs": EPOCHS.replace("| leader_ts", "| leader_ts | reason | confidence").replace("10:00:01\n", "10:00:01 | election |\n")
                + " | election |\n    0            | 2         |                    | 10:00:41 |          | created | inferred",
            },
            "10:00:41",
            "10:01:20",
            id="also where its leader's own line is missing",
        ),
    ],
)  # fmt: skip
def test_what_other_lines_bound(given, low, high):
    if "epochs" in given:
        head, *lines = given["epochs"].strip().splitlines()
        given = given | {"epochs": "\n".join([head, *sorted(lines)])}
    written_low, written_high, _ = times(**given)
    assert (written_low and written_low[:8], written_high[:8]) == (low, high)


DEPOSED = """
    leader_epoch | leader_id | epoch_start_offset | start_ts | leader_ts
    3            | 2         | 100                | 10:00:00 | 10:00:00
    4            | 1         |                    | 10:00:20 | 10:00:21
    5            | 2         | 200                | 10:01:00 | 10:01:01 """
DIED = "node_id | last_ts | next_start_ts | ended\n 2 | 10:00:10 | 10:00:50 | killed"


@pytest.mark.parametrize(
    ("given", "low"),
    [
        pytest.param({}, "10:00:18", id="it wrote none of them itself"),
        pytest.param({"processes": DIED}, None, id="its host may have lost power, and its log the end"),
        pytest.param(
            {
                "processes": DIED,
                "process_ends": "kind | broker_id | began_high | end_ts | arguments\n killed | 2 | 10:00:10 | 10:00:50 | host_ran=yes",
            },
            "10:00:18",
            id="its host kept running",
        ),
        pytest.param(
            {"cuts": CUT + "\n 2 | 10:00:30 | 200"},
            None,
            id="it truncated its log since then, perhaps records of its own",
        ),
    ],
)
def test_a_leader_that_led_before_lacks_only_what_later_leaders_wrote(given, low):
    written_low, _, _ = times(**{"epochs": DEPOSED, "lines": LINES_BEFORE, **given})
    assert (written_low and written_low[:8]) == low


def test_a_leader_that_lost_records_as_it_started_again_had_them_before_it_died():
    lost = "leader_epoch | ts | old_leader_id | new_leader_id | verdict | from_offset | to_offset_low\n 5 | 10:01:12 | 1 | 1 | {} | {} | {}"
    ends = "kind | broker_id | began_high | end_ts\n killed | 1 | 10:00:52 | 10:01:10"
    told = times(loss=lost, cuts="node_id", lines="node_id", processes=RESTART, process_ends=ends)
    assert told == ("10:00:01.000", "10:00:52.000", None)


OTHERS = """
    node_id | ts           | leader_epoch | log_end_offset | truncation_offset | by_recovery | rule
    3       | 10:01:02.100 | 5            | 230            | 200               |             | iterative
    1       | 10:01:33.050 | 5            | 260            | 200               |             | iterative """


@for_each(
    "given, cut_by",
    [
        pytest.param({"cuts": OTHERS}, [3, 1], id="a follower had copied some of them, and truncates them first"),
        pytest.param({"cuts": OTHERS.replace("230", "   ")}, [3, 1], id="no line shows how many, but its log was longer"),
        pytest.param({"end": "", "cuts": OTHERS}, [3, 1], id="of a range that is open upwards"),
        pytest.param({"cuts": OTHERS.replace("230", "200")}, [1], id="it held none of them"),
        pytest.param({"cuts": OTHERS.replace("5            | 230", "6            | 230")}, [1], id="other records, in a later leader epoch"),
        pytest.param({"cuts": OTHERS.replace("iterative", "high_watermark")}, [1], id="to its own high watermark: perhaps records of the new leader"),
        pytest.param({"cuts": OTHERS, "roles": "node_id"}, [1], id="no line shows that it followed"),
        pytest.param({"cuts": OTHERS.replace("10:01:02.100", "10:00:50.000")}, [1], id="before the election"),
        pytest.param({"cuts": OTHERS.replace("    3  ", "    2  ")}, [1], id="the new leader itself"),
    ],
)  # fmt: skip
def test_records_are_lost_with_the_last_copy(given, cut_by):
    told = told_of(**{"roles": FOLLOWS, **given})
    assert list(told.cut_by) == cut_by
    assert [clock(ts) for ts in told.cut_times][-1] == clock(told.cut_ts) == "10:01:33.050"
    assert told.evidence[-len(cut_by) :] == [f"cut-{broker}" for broker in cut_by]


SPLIT = "leader_epoch | ts | old_leader_id | new_leader_id | verdict | loss_class | scenario | from_offset | to_offset_high | discarded_to_offset\n 5 | 10:01:00 | 1 | 2 | POSSIBLE_LOSS | acked_possible | S10 | 150 | {} | {}"
LEADS = "node_id | ts | role | leader_epoch | log_end_offset | source"


def split(end, discarded, *lines, **given):
    marks = "\n".join([LEADS, *(f" 1 | {line}" for line in lines)])
    told = told_of(loss=SPLIT.replace("{}", str(end), 1).replace("{}", str(discarded), 1), lines=marks, **given)
    return told.before_low, told.before_high, told.after_low, told.after_high, told.scenario


BEFORE, NEAR, AFTER = (f"{ts} | leader | 4 | {{}} | isr_shrink" for ts in ("10:00:50", "10:01:01", "10:01:20"))


@for_each(
    ("lines", "shown"),
    [
        ((), (0, 50, 0, 50, "S10")),
        ((BEFORE.format(190),), (40, 50, 0, 10, "S10")),
        ((AFTER.format(170),), (0, 20, 30, 50, "S7")),
        ((BEFORE.format(160), AFTER.format(170)), (10, 20, 30, 40, "S7")),
        ((AFTER.format(150),), (0, 0, 50, 50, "S7")),
        ((BEFORE.format(200),), (50, 50, 0, 0, "S10")),
        ((NEAR.format(170),), (0, 50, 0, 50, "S10")),
        ((AFTER.format(200),), (0, 50, 0, 50, "S10")),
        (("10:01:10 | | | 160 | log_load_completed", AFTER.format(170)), (0, 50, 0, 50, "S10")),
    ],
    ids=[
        "no line",
        "its log had come so far before the election",
        "its log had come only so far after the election: it wrote the rest as a stale leader",
        "both",
        "none of them at a line after the election",
        "all of them by a line before the election",
        "within two seconds of the election its clock shows nothing",
        "look-alike: all of them were there 20 s after the election, so each may be from before",
        "look-alike: it had loaded its log again, which may be shorter",
    ],
)
def test_records_only_the_old_leader_held_are_split_by_the_election(lines, shown):
    assert split(200, 200, *lines) == shown


def test_a_leader_that_died_before_the_election_wrote_all_of_them_before():
    died = {
        "processes": RESTART.replace("10:01:10", "10:01:40"),
        "process_ends": "kind | broker_id | began_high | end_ts\n killed | 1 | 10:00:50 | 10:01:40",
    }
    assert split(200, 200, **died) == (50, 50, 0, 0, "S10")


def test_where_the_end_is_not_known_only_what_was_certainly_discarded_is_surely_from_after_the_election():
    assert split("", 190, AFTER.format(170)) == (0, 20, 20, None, "S7")
    assert split("", 190) == (0, None, 0, None, "S10")


ALONE = """
    leader_epoch | leader_id | epoch_start_offset | start_ts | leader_ts
    0            | 2         | 0                  | 10:00:00 | 10:00:00
    3            | 1         | 167                | 10:00:30 | 10:00:30 """
CAME_BACK = """
    node_id | ts       | role   | leader_epoch | log_end_offset | source
    1       | 10:00:31 | leader | 3            | 167            | leader_start
    1       | 10:01:12 |        |              | 596            | log_load_completed
    1       | 10:01:13 | leader | 3            | 596            | leader_start """


@pytest.mark.parametrize(
    "began", ["10:00:30", "10:01:12"], ids=["in the same leader epoch", "look-alike: in a later one"]
)
def test_a_leader_that_lost_its_end_and_led_on_wrote_it_since_it_began(began):
    """As recorded of 2.7.1: it was alone in the ISR, so no other leader epoch came between."""
    lost = "leader_epoch | ts | old_leader_id | new_leader_id | verdict | loss_class | from_offset\n 3 | 10:01:12 | 1 | 1 | POSSIBLE_LOSS | committed | 596"
    cut = "node_id | ts | truncation_offset | by_recovery\n 1 | 10:01:11 | 596 | true"
    given = {"epochs": ALONE.replace("10:00:30", began), "lines": CAME_BACK, "loss": lost, "processes": RESTART}
    found = times(**given, cuts=cut)
    assert found == (("10:00:31.000", "10:01:10.000", "10:01:11.000") if began == "10:00:30" else (None, None, None))
