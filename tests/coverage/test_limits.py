"""What the input lacks comes first: named only if it is missing, with what is unknown because of it."""

from __future__ import annotations

from replay.coverage.limits import hiding_losses, limits
from replay.tables import BLIND_SPOTS, BROKER_SESSIONS, CONTROLLERS
from replay.tables.brokers import ROLE_CHANGES
from replay.tables.coverage import COVERAGE_SPANS, LIMITS
from replay.tables.questions import NODE_SUBJECTS
from tests.tables import rows, same_rows

SERVERS = """
    node_id | log    | start_ts | end_ts   | roles | complete | evidence
    1       | server | 10:00:00 | 11:00:00 | 0     | true     | e1
    2       | server | 10:00:00 | 11:00:00 | 0     | true     | e2 """
BROKERS = """
    node_id | sort     | ts
    1       | fetchers | 10:10:00
    2       | fetchers | 10:10:00 """


def limits_of(
    spans, changes=BROKERS, spots="kind", subjects="node_id", controllers="controller_id", sessions="broker_id"
):
    return limits(
        rows(COVERAGE_SPANS, spans),
        rows(BLIND_SPOTS, spots),
        rows(ROLE_CHANGES, changes),
        rows(NODE_SUBJECTS, subjects),
        rows(CONTROLLERS, controllers),
        rows(BROKER_SESSIONS, sessions),
    )


def test_brokers_with_only_a_server_log():
    same_rows(
        limits_of(SERVERS),
        LIMITS,
        """
        kind            | node_ids | unknown                                      | would_tell                                            | evidence | statement
        server_log_only | 1,2      | leader_changes,elections,availability,losses | state-change.log and controller.log of these nodes | e1,e2    | server.log only (nodes 1 and 2): leader changes are not logged here. Availability is unknown, and losses are lower bounds. """,
    )


def test_a_server_log_with_the_changes_of_roles_is_enough():
    """Up to 2.5, a broker logs in server.log that it became the leader."""
    assert limits_of(SERVERS.replace("| 0     |", "| 7     |")) == []


def test_a_state_change_log_with_other_lines_and_a_dedicated_controller_lack_nothing():
    spans = f"""{SERVERS}
    1       | state_change | 10:00:00 | 11:00:00 | 0     | true     | e3
    2       | state_change | 10:00:00 | 11:00:00 | 4     | true     | e4
    9       | server       | 10:00:00 | 11:00:00 | 0     | true     | e5
    9       | controller   | 10:00:00 | 11:00:00 | 0     | true     | e6 """
    assert limits_of(spans) == []


def test_one_broker_without_its_state_change_log_and_nodes_without_files():
    spans = f"""{SERVERS}
    2       | state_change | 10:00:00 | 11:00:00 | 4     | true     | e4
    9       | server       | 10:00:00 | 11:00:00 | 0     | true     | e5
    9       | controller   | 10:00:00 | 11:00:00 | 0     | true     | e6 """
    spots = """
        kind    | node_id | evidence
        no_file | 3       | e7
        no_file | 4       | e8
        quiet   | 1       | e9 """
    found = limits_of(spans, spots=spots)
    assert [(one.kind, one.node_ids) for one in found] == [("no_state_change_log", [1]), ("no_node", [3, 4])]


def test_a_log_that_lacks_single_lines_proves_nothing_by_its_silence():
    spans = """
    node_id | log          | start_ts | end_ts   | roles | complete | evidence
    1       | server       | 10:00:00 | 11:00:00 | 0     | true     | e1
    1       | state_change | 10:00:00 | 11:00:00 | 3     | false    | e2 """
    assert [(one.kind, one.node_ids) for one in limits_of(spans)] == [("lines_missing", [1])]


def test_a_node_that_is_only_a_controller_needs_no_lines_of_partitions():
    """A broker does: one that has a session, or any node in ZooKeeper mode."""
    spans = """
        node_id | log        | start_ts | end_ts   | roles | complete | evidence
        1       | server     | 10:00:00 | 11:00:00 | 0     | true     | e1
        1       | state_change | 10:00:00 | 11:00:00 | 3   | true     | e2
        101     | controller | 10:00:00 | 11:00:00 | 0     | true     | e3 """
    for mode, sessions, kind in (
        ("kraft", "broker_id", "no_server_log_of_controller"),
        ("kraft", "broker_id\n 101", "no_server_log"),
        ("zk", "broker_id", "no_server_log"),
    ):
        found = limits_of(spans, "node_id", controllers=f"mode | controller_id\n {mode} | 101", sessions=sessions)
        assert [(one.kind, one.node_ids) for one in found] == [(kind, [101])]
    assert hiding_losses(limits_of(spans, "node_id", controllers="mode | controller_id\n kraft | 101")) == []


def test_a_window_is_named_from_where_on_lines_were_left_out():
    spots = """
        kind           | start_ts | end_ts   | would_tell
        outside_window | {0}      | {1}      | an analysis of more """
    said = [
        [limit.statement for limit in limits_of("node_id", spots=spots.format(*times))]
        for times in (("", "10:00:00"), ("11:00:00", ""))
    ]
    assert [sentence.partition(" was analyzed ")[2].partition(" 2024")[0] for [sentence] in said] == ["from", "to"]
