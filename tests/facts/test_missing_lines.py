"""A hole in one of a node's logs is proven by what its other logs tell of the same time."""

from __future__ import annotations

from replay.tables.brokers import MISSING_LINES
from tests.heard import missing_lines_of
from tests.tables import facts, same_rows

# Roles in state-change.log, each answered by the fetchers in server.log, but for the one at 10:20.
ANSWERED = """
    ts       | node_id | source_file                         | kind                     | logger
    10:00:00 | 1       | node-1/state-change.log             | leader_start             | x
    10:00:00 | 1       | node-1/server.log.2024-05-01-10.gz  | fetcher_partitions_removed | x
    10:05:00 | 1       | node-1/state-change.log             | follower_start           | x
    10:05:01 | 1       | node-1/server.log.2024-05-01-10.gz  | fetcher_partitions_added | x
    10:10:00 | 1       | node-1/state-change.log             | leader_start             | x
    10:10:00 | 1       | node-1/server.log.2024-05-01-10.gz  | fetcher_partitions_removed | x
    10:20:00 | 1       | node-1/state-change.log             | leader_start             | x
    10:20:30 | 1       | node-1/state-change.log             | follower_start           | x
    10:30:00 | 1       | node-1/server.log                   | isr_shrink               | x  """


def test_a_log_without_role_changes_that_it_otherwise_logs_has_a_hole():
    same_rows(
        missing_lines_of(facts(ANSWERED)),
        MISSING_LINES,
        """
        node_id | series            | start_ts | end_ts   | told
        1       | node-1/server.log | 10:10:00 | 10:30:00 | 2    """,
    )


def test_a_log_that_never_logs_role_changes_or_has_several_writers_has_no_known_hole():
    seldom = "\n".join(line for line in ANSWERED.splitlines() if "fetcher" not in line or "10:00" in line)
    assert missing_lines_of(facts(seldom)) == []
    shared = ANSWERED + "\n    10:15:00 |         | node-1/server.log                   | isr_shrink               | x"
    assert missing_lines_of(facts(shared)) == []


def test_a_log_that_often_leaves_role_changes_out_while_it_is_not_silent_has_no_known_hole():
    unanswered = "\n".join(
        f"    10:{minute}:00 | 1       | node-1/{log} | {kind} | x"
        for minute in (31, 32, 33)
        for log, kind in (("state-change.log", "leader_start"), ("server.log", "isr_shrink"))
    )
    assert missing_lines_of(facts(f"{ANSWERED}\n{unanswered}")) == []


# Roles in state-change.log, which has no line at 10:20, when the broker removed fetchers itself.
OWN_ACT = """
    ts       | node_id | source_file            | kind                       | logger | message
    10:00:00 | 1       | node-1/state-change.log | leader_start              | x |
    10:00:00 | 1       | node-1/server.log       | fetcher_partitions_removed | x |
    10:05:00 | 1       | node-1/state-change.log | follower_start            | x |
    10:05:01 | 1       | node-1/server.log       | fetcher_partitions_added   | x |
    10:10:00 | 1       | node-1/server.log       | fetcher_partitions_removed | x |
    10:10:00 | 1       | node-1/state-change.log | {before}
    10:20:00 | 1       | node-1/server.log       | {begins}                   | x |
    10:20:01 | 1       | node-1/server.log       | fetcher_partitions_removed | x |
    10:20:02 | 1       | node-1/server.log       | {ends}                     | x |
    10:30:00 | 1       | node-1/state-change.log | {after}
    10:30:00 | 1       | node-1/server.log       | fetcher_partitions_removed | x |  """
LEADS = "leader_start | x |"
REQUEST = "leader_start | x | [Broker id=1] Handling LeaderAndIsr request correlationId {} from controller 3 for 17 partitions"
UPDATE = "leader_start | x | [Broker id=1] Add 5 partitions in response to UpdateMetadata request sent by controller {} epoch 1 with correlation id {}"


def _holes(begins="isr_shrink", ends="isr_expand", before=LEADS, after=LEADS):
    told = OWN_ACT.format(begins=begins, ends=ends, before=before, after=after)
    return [(hole.series, hole.told) for hole in missing_lines_of(facts(told))]


def test_a_broker_that_takes_a_failed_directory_offline_removes_fetchers_without_a_change_of_roles():
    assert _holes() == [("node-1/state-change.log", 1)]
    assert _holes("log_dir_failure_begin", "log_dir_failure_done") == []
    assert _holes("log_dir_failure_begin") == []
    assert _holes("log_dir_failure_done") == [("node-1/state-change.log", 1)]  # it was over before


def test_consecutive_requests_of_one_controller_show_that_no_line_is_missing():
    assert _holes(before=UPDATE.format(3, 6), after=REQUEST.format(7)) == []
    assert _holes(before=UPDATE.format(3, 6), after=REQUEST.format(8)) == [("node-1/state-change.log", 1)]
    assert _holes(before=UPDATE.format(2, 6), after=REQUEST.format(7)) == [("node-1/state-change.log", 1)]
