"""What the lines of one node tell of its processes and of its logs."""

from __future__ import annotations

import pytest

from replay.facts import node_lines as stage
from replay.facts.window import ALL_TIME, TimeWindow
from replay.tables import EVENTS
from replay.tables.brokers import LINE_RUNS, ROLE_CHANGES, SILENCES_AROUND, UNANSWERED, WORDINGS
from replay.tables.reading import COVERAGE
from tests.nodes import by_node, of_nodes
from tests.tables import rows, same_rows

LINES = """
    ts           | kind                        | logger                | node_id | source_file      | topic              | template_id
    09:59:58.000 | config_dump                 | AbstractConfig        | 1       | n1/server.log    |                    | t1
    09:59:59.000 | leader_start                | state.change.logger   | 1       | n1/state.log.1   | orders             | t2
    10:00:00.000 | process_start_line          | kafka.Kafka$          | 1       | n1/server.log    |                    | t1
    10:00:00.000 | broker_starting             | kafka.server          | 1       | n1/server.log    |                    | t3
    10:00:00.000 | log_segment_recovery        | kafka.log             | 1       | n1/server.log    | __cluster_metadata |
    10:00:01.000 | log_segment_recovery        | kafka.log             | 1       | n1/server.log    | orders             | t4
    10:00:01.000 | zookeeper_connection_closed | zookeeper             | 1       | n1/server.log    |                    | t5
    10:00:01.200 | fetcher_partitions_added    | kafka.server          | 1       | n1/server.log    |                    | t6
    10:00:01.900 | fetcher_partitions_removed  | kafka.server          | 1       | n1/server.log    |                    | t6
    10:00:01.300 | follower_start              | state.change.logger   | 1       | n1/state.log     | orders             | t2
    10:00:09.000 | leader_start                | state.change.logger   | 1       | n1/state.log     | orders             | t2
    10:00:12.000 | isr_shrink                  | kafka.cluster         | 1       | n1/server.log.2  | orders             | t7
    10:00:13.000 | process_signal              | kafka.server          | 1       | n1/server.log.2  |                    | t8
    10:00:01.000 | leader_start                | state.change.logger   | 2       | shared/state.log | orders             | t2
    10:00:02.000 | isr_shrink                  | state.change.logger   |         | shared/state.log | orders             | t2
                 | checkpoint_hw               |                       | 2       | n2/checkpoint    | orders             | t9 """
ALONE = """
    node_id | series        | sort  | ts           | event_id | answered
    1       | n1/server.log | roles | 10:00:09.000 | e11      | 3
    1       | n1/server.log | roles | 10:00:30.000 | e99      | 3
    1       | n1/state.log  | roles | 09:59:00.000 | e98      | 3 """

NO_LOGS: frozenset[str] = frozenset()


def test_the_templates_that_a_nodes_lines_are_of_each_once():
    same_rows(
        of_nodes(stage.wordings, rows(EVENTS, LINES), ALL_TIME),
        WORDINGS,
        """
        node_id | template_ids
        1       | t1,t2,t3,t4,t5,t6,t7,t8
        2       | t2,t9 """,
    )


def test_the_lines_of_a_process_between_those_with_which_a_life_may_begin_or_end():
    """Neither those of a ZooKeeper that writes into its file; nor is what recovers the metadata log a broker's recovery."""
    same_rows(
        of_nodes(stage.line_runs, rows(EVENTS, LINES)),
        LINE_RUNS,
        """
        node_id | number | first_ts     | first_event | last_ts      | last_line | last_event | of_server_log | of_kafka | recovery_event
        1       | 0      | 09:59:58.000 | e1          | 09:59:59.000 | 2         | e2         | true          | true     |
        1       | 1      | 10:00:00.000 | e3          | 10:00:00.000 | 3         | e3         | true          | false    |
        1       | 2      | 10:00:00.000 | e4          | 10:00:12.000 | 12        | e12        | true          | true     | e6
        1       | 3      | 10:00:13.000 | e13         | 10:00:13.000 | 13        | e13        | true          | false    |
        2       | 0      | 10:00:01.000 | e14         | 10:00:01.000 | 14        | e14        | false         | true     | """,
    )


def test_what_each_log_reports_changes_of_roles_a_row_a_second_but_a_log_with_lines_of_no_known_node():
    told = rows(EVENTS, LINES)
    found = of_nodes(stage.role_changes, told, frozenset({"shared/state.log"}), ALL_TIME)
    same_rows(
        found,
        ROLE_CHANGES,
        """
        node_id | series        | sort     | ts           | last_ts      | event_id
        1       | n1/state.log  | roles    | 09:59:59.000 | 09:59:59.000 | e2
        1       | n1/state.log  | roles    | 10:00:01.300 | 10:00:01.300 | e10
        1       | n1/state.log  | roles    | 10:00:09.000 | 10:00:09.000 | e11
        1       | n1/server.log | fetchers | 10:00:01.200 | 10:00:01.900 | e8 """,
    )
    assert len(of_nodes(stage.role_changes, told, NO_LOGS, ALL_TIME)) == len(found) + 1


def test_a_log_is_shared_where_a_file_of_it_has_lines_of_no_known_node():
    """A file without records, or without times, shares nothing."""
    files = rows(
        COVERAGE,
        """
        source_file        | node_id | log_records | first_ts
        n1/server.log      | 1       | 9           | 10:00:00
        shared/state.log.3 |         | 2           | 10:00:00
        shared/state.log   | 2       | 7           | 10:00:00
        silent.log         |         | 0           |
        checkpoint         |         | 4           | """,
    )
    assert stage.shared_logs(files) == {"shared/state.log"}


def test_the_lines_around_a_change_that_a_log_does_not_show_of():
    own = by_node(rows(EVENTS, LINES))[1]
    same_rows(
        stage.silences_around(own, rows(UNANSWERED, ALONE), ALL_TIME),
        SILENCES_AROUND,
        """
        series        | ts           | start_event | end_event
        n1/server.log | 10:00:09.000 | e9          | e12
        n1/server.log | 10:00:30.000 | e13         |
        n1/state.log  | 09:59:00.000 |             | e2        """,
    )
    assert stage.silences_around(own, [], ALL_TIME) == []


def test_of_a_window_only_the_lines_count_between_which_every_line_was_read():
    """The last line before it is here, and the next one after it; what is here of other times is not every line."""
    told = rows(EVENTS, LINES)
    window = TimeWindow(since=told[7].ts, until=told[11].ts)  # from 10:00:01.200 to 10:00:12
    same_rows(
        of_nodes(stage.role_changes, told, frozenset({"shared/state.log"}), window),
        ROLE_CHANGES,
        """
        series        | sort     | ts
        n1/state.log  | roles    | 10:00:01.300
        n1/state.log  | roles    | 10:00:09.000
        n1/server.log | fetchers | 10:00:01.200 """,
    )


@pytest.mark.parametrize(
    "name",
    ["server.log", "server.log.1", "server.log.2026-11-21", "server.log.2026-11-21-05", "server.log.2026-11-21-05.gz"],
)
def test_a_file_that_was_rolled_is_of_its_log(name):
    assert stage.series(f"node-1/{name}") == "node-1/server.log"
