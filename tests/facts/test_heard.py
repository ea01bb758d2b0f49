"""What Spark gathers of every line of a node."""

from __future__ import annotations

import pytest

from replay.facts import heard as stage
from replay.tables import EVENTS
from replay.tables.brokers import RECORDED_MEMBERSHIP, UNANSWERED
from tests import heard
from tests.stages import plain
from tests.tables import facts, rows, same, table

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


@pytest.mark.parametrize("name", ["wordings", "stretches", "role_changes"])
def test_spark_gathers_what_the_tests_work_out_in_plain_python(spark, name):
    gathered = plain(getattr(stage, name)(table(spark, EVENTS, LINES)), name)
    wanted = getattr(heard, name)(facts(LINES))
    assert wanted and sorted(gathered, key=repr) == sorted(wanted, key=repr)


def test_the_lines_around_a_change_that_a_log_does_not_tell_of(spark):
    gathered = stage.silences_around(table(spark, EVENTS, LINES), table(spark, UNANSWERED, ALONE))
    wanted = heard.silences_around(facts(LINES), rows(UNANSWERED, ALONE))
    assert sorted(plain(gathered, "silences_around"), key=repr) == sorted(wanted, key=repr)
    same(
        gathered,
        "series string, ts timestamp, start_event string, end_event string",
        """
        series        | ts           | start_event | end_event
        n1/server.log | 10:00:09.000 | e9          | e12
        n1/server.log | 10:00:30.000 | e13         |
        n1/state.log  | 09:59:00.000 |             | e2        """,
    )


def test_registrations_of_a_dumped_metadata_log_tell_who_came_and_went(spark):
    told = table(
        spark,
        EVENTS,
        """
        ts       | kind                 | source_file | details  | message
        10:00:00 | dump_batch           | dump.txt    | {}       |
        10:00:00 | dump_metadata_record | dump.txt    | offset=1 | {"type":"REGISTER_BROKER_RECORD","version":1,"data":{"brokerId":2,"brokerEpoch":7,"fenced":true}}
        10:00:01 | dump_metadata_record | dump.txt    | offset=2 | {"type":"BROKER_REGISTRATION_CHANGE_RECORD","version":1,"data":{"brokerId":2,"brokerEpoch":7,"fenced":-1}}
        10:00:05 | dump_metadata_record | dump.txt    | offset=3 | {"type":"BROKER_REGISTRATION_CHANGE_RECORD","version":1,"data":{"brokerId":2,"brokerEpoch":7,"fenced":1}}
        10:00:06 | dump_metadata_record | dump.txt    | offset=4 | {"type":"BROKER_REGISTRATION_CHANGE_RECORD","version":1,"data":{"brokerId":2,"brokerEpoch":7}}
        10:00:07 | dump_metadata_record | dump.txt    | offset=5 | {"type":"UNFENCE_BROKER_RECORD","version":1,"data":{"id":3,"epoch":9}} """,
    )
    same(
        stage.recorded_membership(told),
        RECORDED_MEMBERSHIP,
        """
        broker_id | ts       | change     | broker_epoch | event_id
        2         | 10:00:00 | registered | 7            | e2
        2         | 10:00:01 | back       | 7            | e3
        2         | 10:00:05 | lost       | 7            | e4
        3         | 10:00:07 | back       | 9            | e6       """,
    )
