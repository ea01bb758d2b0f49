"""What is missing from the input is named, with the questions that it leaves open; nothing is named that is not missing."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from replay.coverage.rotations import rotation_gaps
from replay.facts.window import ALL_TIME, TimeWindow
from replay.questions import node_lines, unlogged_epochs
from replay.questions.blind_spots import blind_spots, losses, with_blind_spots
from replay.tables import BLIND_SPOTS, CONTROLLERS, COVERAGE, EVENTS, FAULTS, FINDINGS, ISR_SPANS, LOSSES
from replay.tables.brokers import MISSING_LINES, PROCESSES
from replay.tables.losses import PLACED_LOSSES
from replay.tables.partitions import LEADER_EPOCHS
from replay.tables.questions import EPOCH_COUNTS, NODE_SUBJECTS
from replay.tables.row import Row
from tests.nodes import of_nodes
from tests.tables import rows, same_rows

TWO_NODES = """
    node_id | source_file       | log_records | first_ts | last_ts
    1       | node-1/server.log | 90          | 10:00:00 | 10:30:00
    2       | node-2/server.log | 90          | 10:00:00 | 10:30:00 """
STARTED = """
    node_id | life | start_ts | first_ts
    1       | 1    | 10:00:00 | 10:00:00
    2       | 1    | 10:00:00 | 10:00:00 """


def _of_orders(row: Row, **defaults: object) -> Row:
    """The row with a value in each of these columns, and a partition where it names none."""
    given = {"topic": "orders", "partition": 0, **defaults}
    return row.but(**{name: value for name, value in given.items() if getattr(row, name) is None})


@pytest.fixture
def spots():
    """The blind spots of two nodes whose files go from 10:00 to 10:30, about orders-0."""

    def spots_(
        *,
        events="ts",
        coverage=TWO_NODES,
        processes=STARTED,
        epochs="leader_epoch",
        isrs=None,
        controllers="controller_id",
        faults="kind",
        holes="node_id",
        window=ALL_TIME,
    ):
        said = [
            _of_orders(line, logger="state.change.logger", source_file="server.log") for line in rows(EVENTS, events)
        ]
        led = [_of_orders(epoch, life=0, reason="election") for epoch in rows(LEADER_EPOCHS, epochs)]
        with_isrs = "\n".join(["leader_epoch", *(str(epoch.leader_epoch) for epoch in led)])
        known = [_of_orders(span) for span in rows(ISR_SPANS, with_isrs if isrs is None else isrs)]
        files = unlogged_epochs.NodeFiles(rows(COVERAGE, coverage))
        without_line = unlogged_epochs.epochs_without_line(said, led, files, ALL_TIME)
        return blind_spots(
            rows(COVERAGE, coverage),
            rows(PROCESSES, processes),
            rows(CONTROLLERS, controllers),
            rows(FAULTS, faults),
            rows(MISSING_LINES, holes),
            of_nodes(node_lines.node_subjects, said, ALL_TIME),
            node_lines.all_nodes_named(of_nodes(node_lines.nodes_named, said, ALL_TIME)),
            unlogged_epochs.epoch_counts(led, known, without_line, ALL_TIME),
            unlogged_epochs.quiet_times(
                of_nodes(node_lines.line_gaps, said, ALL_TIME), unlogged_epochs.leader_changes(led), without_line
            ),
            rotation_gaps(rows(COVERAGE, coverage)),
            window=window,
        )

    return spots_


def of_kind(kind: str, found: list[Row]) -> list[Row]:
    return [spot for spot in found if spot.kind == kind]


def test_whole_files_of_nodes_that_started_in_them_leave_nothing_open(spots):
    found = spots(
        events="""
        ts       | node_id | kind         | leader_id | leader_epoch | replicas
        10:05:00 | 1       | leader_start | 1         | 4            | 1,2      """,
        epochs="""
        leader_epoch | leader_id | start_ts
        4            | 1         | 10:05:00 """,
    )
    assert found == []


def test_a_node_that_others_name_without_a_file_of_its_own(spots):
    same_rows(
        spots(
            events="""
        ts       | node_id | kind           | leader_id | isr | replicas | controller_id
        10:05:00 | 1       | leader_start   | 1         | 1,3 | 1,2,3    |
        10:05:01 | 1       | leader_start   | -1        |     |          | 2             """
        ),
        BLIND_SPOTS,
        """
        kind    | node_id | what                                                                      | would_tell                                             | evidence
        no_file | 3       | Node 3 is named by 1 line of others, but none of its files is among the input | server.log, state-change.log and controller.log of node 3 | e1       """,
    )


@pytest.mark.parametrize(("begun_before", "lacking"), [("", [1]), ("true", [])])
def test_a_leader_epoch_that_its_first_line_finds_under_way_lacks_no_line(begun_before, lacking):
    """It may have begun before any line of its leader."""
    said = rows(EVENTS, "ts | node_id | kind | leader_epoch\n 10:05:00 | 1 | leader_start | 5")
    led = rows(
        LEADER_EPOCHS,
        f"""
        topic  | partition | leader_epoch | leader_id | start_ts | reason   | begun_before
        orders | 0         | 4            | 1         | 10:05:00 | unknown  | {begun_before}
        orders | 0         | 5            | 1         | 10:06:00 | election |              """,
    )
    files = unlogged_epochs.NodeFiles(rows(COVERAGE, TWO_NODES))
    found = unlogged_epochs.epochs_without_line(said, led, files, ALL_TIME)
    assert [row.node_id for row in found if row.leader_epoch == 4] == lacking


def test_a_node_that_shows_its_leader_epochs_but_not_their_isrs(spots):
    """As with state.change.logger at INFO up to 2.5; one leader epoch of three without its ISR is no matter of a level."""
    told = {
        "events": """
        ts       | node_id | kind         | leader_id | leader_epoch
        10:05:00 | 1       | leader_start | 1         | 4
        10:06:00 | 2       | leader_start | 2         | 5
        10:07:00 | 1       | leader_start | 1         | 6
        10:08:00 | 1       | leader_start | 1         | 7            """,
        "epochs": """
        leader_epoch | leader_id | start_ts
        4            | 1         | 10:05:00
        5            | 2         | 10:06:00
        6            | 1         | 10:07:00
        7            | 1         | 10:08:00 """,
    }
    same_rows(
        of_kind(
            "level_too_high",
            spots(
                **told,
                isrs="""
        leader_epoch | isr
        5            | 2,3
        7            | 1   """,
            ),
        ),
        BLIND_SPOTS,
        """
        kind           | node_id | what                                                                  | would_tell
        level_too_high | 1       | No line tells the ISR of 2 of the 3 leader epochs that node 1 began | log4j.logger.state.change.logger=INFO, up to 2.5 TRACE (state-change.log)""",
    )
    all_but_one = spots(
        **told,
        isrs="""
        leader_epoch | isr
        4            | 1,2
        5            | 2,3
        7            | 1   """,
    )
    assert of_kind("level_too_high", all_but_one) == []


def test_a_leader_epoch_that_its_first_line_shows_under_way_may_be_older_than_the_logs(spots):
    """As in rotated logs: node 2 prints that node 1 led, which node 1 had printed before its first line here. Neither node 1's
    lines about it nor its ISR are missing from these files.
    """
    events = """
        ts       | node_id | kind           | leader_id | leader_epoch
        10:05:00 | 1       | leader_start   | 1         | 3
        10:06:00 | 2       | leader_start   | 2         | 5
        10:08:00 | 1       | follower_start | 2         | 5            """
    epochs = """
        leader_epoch | leader_id | start_ts | begun_before
        4            | 1         | 10:05:59 | {}
        5            | 2         | 10:06:00 |               """
    missing, older = (
        spots(events=events, epochs=epochs.format(begun), isrs="leader_epoch\n5") for begun in ("", "true")
    )
    assert of_kind("level_too_high", missing)
    assert not of_kind("level_too_high", older)


SILENT = """
    ts       | node_id | kind         | leader_epoch
    10:05:00 | 1       | leader_start | 4
    10:20:00 | 1       | leader_start | 6
    10:10:00 | 2       | follower_start | 5 """
LED = """
    leader_epoch | leader_id | start_ts
    4            | 1         | 10:05:00
    5            | 1         | 10:10:00
    6            | 1         | 10:20:00 """


def test_a_silence_in_which_a_node_began_to_lead_is_a_gap(spots):
    same_rows(
        spots(events=SILENT, epochs=LED),
        BLIND_SPOTS,
        """
        kind | node_id | start_ts | end_ts   | what                                                                                                                                         | evidence
        gap  | 1       | 10:05:00 | 10:20:00 | No file of node 1 has a line from 2024-05-01 10:05:00 to 2024-05-01 10:20:00, though it took part in 1 leader epoch that began in that time: lines are missing | e1,e2    """,
    )


def test_a_node_that_was_down_or_asleep_has_no_gap(spots):
    assert (
        spots(
            events=SILENT,
            epochs=LED,
            faults="""
        kind   | broker_id | began_low   | ts       | end_ts
        paused | 1         | 10:05:00 | 10:05:00 | 10:20:00 """,
        )
        == []
    )


def test_a_follower_that_prints_of_a_partition_before_and_after_left_something_out(spots):
    same_rows(
        spots(
            events="""
        ts       | node_id | kind           | leader_epoch
        10:05:00 | 2       | follower_start | 4
        10:20:00 | 2       | follower_start | 6
        10:05:00 | 1       | leader_start   | 4
        10:10:00 | 1       | leader_start   | 5
        10:20:00 | 1       | leader_start   | 6            """,
            epochs=LED,
        ),
        BLIND_SPOTS,
        """
        kind | node_id | start_ts | end_ts
        gap  | 2       | 10:05:00 | 10:20:00 """,
    )


def test_a_node_without_files_has_no_gap_in_them(spots):
    silent = "kind | broker_id | began_low | ts | end_ts\n silent | 9 | 10:05:00 | 10:05:00 | 10:20:00"
    assert [spot for spot in spots(faults=silent) if spot.node_id == 9] == []


def test_a_node_that_fell_silent_may_only_lack_lines(spots):
    same_rows(
        spots(
            faults="""
        kind   | broker_id | began_low   | ts       | end_ts   | evidence
        silent | 1         | 10:05:00 | 10:05:00 | 10:20:00 | e7       """
        ),
        BLIND_SPOTS,
        """
        kind | node_id | start_ts | end_ts   | what                                                                                                                                                                     | evidence
        gap  | 1       | 10:05:00 | 10:20:00 | No file of node 1 has a line from 2024-05-01 10:05:00 to 2024-05-01 10:20:00, and others went on without it: it froze, was cut off, or lines are missing | e7       """,
    )


def test_a_broker_without_a_line_while_leaders_change_elsewhere_may_have_had_nothing_to_print(spots):
    same_rows(
        spots(
            events="""
        ts       | node_id | kind         | leader_epoch
        10:05:00 | 2       | isr_updated  |
        10:05:00 | 1       | leader_start | 4
        10:10:00 | 1       | leader_start | 5
        10:20:00 | 1       | leader_start | 6
        10:20:00 | 2       | leader_start | 0            """,
            epochs=LED,
        ),
        BLIND_SPOTS,
        """
        kind  | node_id | start_ts | end_ts   | what
        quiet | 2       | 10:05:00 | 10:20:00 | No file of node 2 has a line from 2024-05-01 10:05:00 to 2024-05-01 10:20:00, while leaders changed elsewhere: it had nothing to print, or lines are missing """,
    )


def test_a_leader_epoch_that_only_moved_the_isr_is_not_reported_by_every_version(spots):
    assert (
        spots(
            events=SILENT,
            epochs=LED.replace("start_ts", "start_ts | reason")
            .replace("10:10:00", "10:10:00 | isr_change")
            .replace("10:05:00\n", "10:05:00 | created\n")
            .replace("10:20:00", "10:20:00 | election"),
        )
        == []
    )


def test_a_number_that_is_missing_among_files_rotated_by_size(spots):
    same_rows(
        spots(
            coverage=TWO_NODES
            + """
    1       | node-1/server.log.1 | 9           | 09:50:00 | 10:00:00
    1       | node-1/server.log.3 | 9           | 09:30:00 | 09:40:00 """
        ),
        BLIND_SPOTS,
        """
        kind | start_ts | end_ts   | what
        gap  | 09:40:00 | 09:50:00 | node-1/server.log.2 is not here, though files rotated before and after it are """,
    )


def test_files_that_begin_in_the_middle_of_a_life_but_not_those_of_zookeeper(spots):
    same_rows(
        spots(
            events="""
        ts       | node_id | kind
        10:00:00 | 2       | isr_shrink
        10:00:00 | 0       | zookeeper_session_expired """,
            processes="""
        node_id | life | start_ts | first_ts
        0       | 0    |          | 10:00:00
        1       | 0    | 10:00:00 | 10:00:00
        2       | 0    |          | 10:00:00 """,
        ),
        BLIND_SPOTS,
        """
        kind        | node_id | end_ts   | what
        begins_late | 2       | 10:00:00 | The files of node 2 begin at 2024-05-01 10:00:00 while it already ran """,
    )


def test_a_leader_whose_logger_prints_no_role_at_all(spots):
    same_rows(
        spots(
            events="""
        ts       | node_id | kind           | leader_epoch
        10:05:00 | 2       | follower_start | 4            """,
            epochs="""
        leader_epoch | leader_id | start_ts
        4            | 1         | 10:05:00 """,
        ),
        BLIND_SPOTS,
        """
        kind           | node_id | what                                                            | would_tell
        level_too_high | 1       | Node 1 began at least 1 leader epoch, and its files lack the lines in which a broker becomes leader: state-change.log is missing, or its logger is off | log4j.logger.state.change.logger=INFO, up to 2.5 TRACE (state-change.log) """,
    )


def test_an_active_controller_whose_own_log_is_not_here(spots):
    found = spots(
        events="""
        ts       | node_id | kind       | logger
        10:05:00 | 2       | isr_shrink | kafka.controller.KafkaController
        10:05:00 | 1       | isr_shrink | kafka.cluster.Partition          """,
        controllers="""
        controller_id | controller_epoch | start_ts | end_ts
        1             | 3                | 10:01:00 | 10:02:00
        2             | 4                | 10:02:00 |          """,
    )
    same_rows(
        found,
        BLIND_SPOTS,
        """
        kind           | node_id | start_ts | end_ts
        level_too_high | 1       | 10:01:00 | 10:02:00 """,
    )


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [(("raft_transition",), True), (("raft_transition", "dump_partition_record"), False), (("leader_start",), False)],
)
def test_a_kraft_cluster_without_a_dump_of_its_metadata_log(spots, kinds, expected):
    said = "ts | node_id | kind\n" + "\n".join(f"10:05:00 | 1 | {kind}" for kind in kinds)
    assert [row.kind for row in spots(events=said)] == ["no_metadata_log"] * expected


@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        ("raft_transition", "when the controllers wrote preferred elections, and changes that leaders asked for"),
        ("kraft_periodic_task_run", "when the controllers wrote changes that leaders asked for"),
    ],
)
def test_preferred_elections_that_the_controller_prints_are_no_question(spots, kind, asked):
    (row,) = spots(events=f"ts | node_id | kind\n10:05:00 | 1 | {kind}")
    assert row.questions[0].startswith(asked)


@pytest.mark.parametrize(("copied", "expected"), [("10:10:30", 0), ("10:09:00", 1), ("10:20:00", 1)])
def test_a_broker_that_died_and_came_back_without_a_copy_of_its_checkpoints(spots, copied, expected):
    found = spots(
        events=f"""
        ts       | node_id | kind
        {copied} | 2       | checkpoint_high_watermark """,
        faults="""
        kind   | broker_id | began_low   | ts       | end_ts
        killed | 2         | 10:10:00 | 10:10:01 | 10:11:00
        killed | 1         | 10:20:00 | 10:20:01 |          """,
    )
    assert [row.node_id for row in found] == [2] * expected


@pytest.mark.parametrize(
    ("isrs", "other", "expected"),
    [
        ("1,2", "", []),
        ("2", "", [2]),
        ("1", "", []),
        ("1,2", "killed | 1 | 10:10:30 | 10:10:30 | 10:12:00", [2]),
        ("1,2", "killed | 1 | 10:20:00 | 10:20:01 | 10:21:00", []),
        (None, "", [2]),
    ],
    ids=[
        "another member went on",
        "it was alone",
        "another broker was alone",
        "another broker crashed while it was down",
        "another broker crashed later",
        "no line shows the ISR",
    ],
)
def test_the_checkpoints_of_a_dead_broker_matter_if_no_other_member_of_its_isrs_went_on(spots, isrs, other, expected):
    found = spots(
        events="""
        ts       | node_id | kind         | leader_epoch
        10:05:00 | 2       | leader_start | 4            """,
        epochs="""
        leader_epoch | leader_id | start_ts
        4            | 2         | 10:05:00 """,
        isrs="leader_epoch | isr" + (f"\n 4 | {isrs}" if isrs else ""),
        faults=f"""
        kind   | broker_id | began_low | ts       | end_ts
        killed | 2         | 10:10:00  | 10:10:01 | 10:11:00
        {other}""",
    )
    assert [row.node_id for row in of_kind("no_copy_of_checkpoints", found) if row.node_id == 2] == expected


SPOTS = """
    kind        | node_id | start_ts | end_ts   | what
    no_file     | 3       |          |          | Node 3 gave no file
    gap         | 1       | 10:05:00 | 10:20:00 | Node 1 has a gap
    begins_late | 2       |          | 10:00:00 | Node 2 begins late """


def test_a_controller_that_holds_no_partition_has_no_checkpoint_files_to_copy():
    died = """
        fault_id | kind   | broker_id | began_low | ts       | end_ts
        one      | killed | 1         | 10:00:00  | 10:00:01 | 10:01:00
        other    | killed | 101       | 10:00:00  | 10:00:01 | 10:01:00
        led      | killed | 2         | 10:00:00  | 10:00:01 | 10:01:00
        start    | disk_refused | 2   | 10:05:00  | 10:05:01 | 10:06:02
        gave-up  | halted | 2         | 10:06:00  | 10:06:01 | 10:06:02 """
    found = blind_spots(
        [],
        [],
        [],
        rows(FAULTS, died),
        [],
        rows(
            NODE_SUBJECTS,
            """
        node_id | takes_roles | is_kafka | checkpoints_copied
        1       | true        | true     | []
        101     | false       | true     | []
        2       | false       | true     | []                 """,
        ),
        [],
        rows(EPOCH_COUNTS, "node_id | begun\n 2 | 4"),
        [],
        [],
    )
    assert [spot.node_id for spot in found if spot.kind == "no_copy_of_checkpoints"] == [1, 2]


def test_findings_say_what_is_missing_of_their_brokers_in_their_time():
    told = rows(
        FINDINGS,
        """
        finding_id | broker_ids | start_ts | end_ts   | blind_spots
        in-gap     | 1          | 10:10:00 | 10:11:00 | a doubt
        later      | 1          | 10:40:00 |          | []
        no-file    | 2,3        | 10:40:00 |          | []          """,
    )
    same_rows(
        with_blind_spots(told, rows(BLIND_SPOTS, SPOTS)),
        FINDINGS,
        """
        finding_id | blind_spots
        in-gap     | a doubt,Node 1 has a gap
        later      | []
        no-file    | Node 3 gave no file """,
    )


def test_a_premise_says_what_is_missing_unless_it_carries_proof():
    told = rows(
        PLACED_LOSSES,
        """
        leader_epoch | old_leader_id | new_leader_id | ts       | verdict          | premise
        4            | 1             | 2             | 10:10:00 | UNDETERMINED     | no line tells
        5            | 1             | 2             | 10:10:00 | PROVEN_LOSS      | a line tells
        6            | 1             | 2             | 10:40:00 | NO_LOSS_OBSERVED | nothing cut   """,
    )
    same_rows(
        losses(told, rows(BLIND_SPOTS, SPOTS)),
        LOSSES,
        """
        leader_epoch | premise
        4            | no line tells. Blind spot: Node 1 has a gap
        5            | a line tells
        6            | nothing cut                                 """,
    )


def test_a_node_that_shares_its_file_is_reported_with_the_records_that_name_nobody(spots):
    """Its silence is no gap: what names no node may be its own. Files that a label tells apart are not shared."""
    same_rows(
        of_kind(
            "shared_file",
            spots(
                coverage="""
        node_id | source_file | layout          | log_records | first_ts | last_ts
        1       | server.log  | default         | 60          | 10:00:00 | 10:30:00
        2       | server.log  | default         | 30          | 10:00:00 | 10:30:00
                | server.log  | default         | 10          | 10:00:00 | 10:30:00
        3       | all.log     | compose+default | 10          | 10:00:00 | 10:30:00
                | all.log     | compose+default | 10          | 10:00:00 | 10:30:00 """
            ),
        ),
        BLIND_SPOTS,
        """
        kind        | node_id | what
        shared_file | 1       | Node 1 shares server.log with other nodes: 10 of its 100 records name no node
        shared_file | 2       | Node 2 shares server.log with other nodes: 10 of its 100 records name no node """,
    )


def test_holes_in_a_log_and_hours_that_only_another_log_has_are_gaps(spots):
    same_rows(
        of_kind(
            "gap",
            spots(
                coverage="""
        node_id | source_file                          | log_records | first_ts | last_ts
        1       | node-1/server.log.2024-05-01-07      | 9           | 07:00:00 | 07:40:00
        1       | node-1/server.log.2024-05-01-09.gz   | 9           | 09:00:00 | 09:50:00
        1       | node-1/controller.log.2024-05-01-07  | 9           | 07:00:00 | 07:40:00
        1       | node-1/controller.log.2024-05-01-08  | 9           | 08:00:00 | 08:40:00
        1       | node-1/server.log                    | 9           | 10:00:00 | 10:50:00 """,
                holes="""
        node_id | series            | start_ts | end_ts   | told | evidence
        1       | node-1/server.log | 10:10:00 | 10:30:00 | 2    | e1       """,
            ),
        ),
        BLIND_SPOTS,
        """
        kind | node_id | start_ts | end_ts   | what
        gap  | 1       | 07:40:00 | 09:00:00 | node-1/server.log.2024-05-01-08 is not here, though node-1/controller.log of that hour is: it was not copied, or had no line in that hour
        gap  | 1       | 10:10:00 | 10:30:00 | node-1/server.log of node 1 has no line from 2024-05-01 10:10:00 to 2024-05-01 10:30:00, though the node's other files show 2 changes of roles in that time: lines are missing """,
    )


@pytest.mark.parametrize(
    ("since", "has_borders", "left_out"),
    [(9, True, []), (10, True, []), (11, True, ["outside_window"]), (9, False, ["outside_window"])],
)
def test_a_window_that_begins_before_the_logs_leaves_nothing_out(spots, since, has_borders, left_out):
    """The last line of each node before the window would be there, unless nodes share a file."""
    window = TimeWindow(since=datetime(2024, 5, 1, since, tzinfo=UTC), has_borders=has_borders)
    assert [spot.kind for spot in spots(window=window) if spot.kind == "outside_window"] == left_out
