"""The levels of the cluster's features, and what brokers support."""

from __future__ import annotations

from replay.facts.features import feature_levels, supported_features
from replay.tables.brokers import PROCESSES
from replay.tables.control_plane import FEATURE_LEVELS, SUPPORTED_FEATURES
from tests.tables import facts, rows, same_rows


def levels(text: str, starts: str = "") -> list:
    return feature_levels(facts(text), rows(PROCESSES, f"node_id | start_ts\n{starts}"))


def test_without_a_line_of_them_there_are_none():
    assert levels("ts | kind") == []


def test_a_level_that_is_set_while_a_node_runs_was_changed_then():
    same_rows(
        levels(
            """
            ts       | node_id | kind                            | details                                      | message
            10:00:02 | 101     | kraft_metadata_version_replayed | metadata_version=4.0-IV3                     |
            10:00:02 | 101     | kraft_feature_replayed          | name=group.version;feature_level=1           |
            10:30:00 | 101     | kraft_metadata_version_replayed | metadata_version=4.4-IV2                     |
            10:31:00 | 101     | kraft_feature_replayed          | name=group.version                           |
            10:31:00 | 101     | kraft_feature_replayed          | name=transaction.version;feature_level=2     |
            10:32:00 | 101     | raft_voter_set                  |                                              | [RaftManager id=101] Latest kraft.version is KRAFT_VERSION_1 at offset 700 """,
            "101 | 10:00:00",
        ),
        FEATURE_LEVELS,
        """
        node_id | feature             | level   | before  | start_ts | end_ts   | changed | evidence
        101     | metadata.version    | 4.0-IV3 |         | 10:00:02 | 10:30:00 | false   | e1
        101     | metadata.version    | 4.4-IV2 | 4.0-IV3 | 10:30:00 |          | true    | e3
        101     | group.version       | 1       |         | 10:00:02 | 10:31:00 | false   | e2
        101     | group.version       | 0       | 1       | 10:31:00 |          | true    | e4
        101     | transaction.version | 2       |         | 10:31:00 |          | true    | e5
        101     | kraft.version       | 1       |         | 10:32:00 |          | false   | e6 """,
    )


def test_of_the_records_that_a_start_reads_the_last_holds():
    found = levels(
        """
        ts           | node_id | kind                            | details
        11:00:00.000 | 101     | kraft_metadata_version_replayed | metadata_version=3.9-IV0
        11:00:00.100 | 101     | kraft_metadata_version_replayed | metadata_version=4.4-IV2 """,
        "101 | 10:59:59",
    )
    assert [(one.level, one.changed) for one in found] == [("4.4-IV2", False)]


def test_what_a_broker_supports_is_logged_again_only_where_it_is_other():
    record = "RegisterBrokerRecord(brokerId={}, brokerEpoch={}, features=[BrokerFeature(name='group.version', minSupportedVersion=0, maxSupportedVersion={})])"
    kind = "kraft_broker_registered"
    lines = [(9, 1, 5, 1), (10, 2, 7, 1), (11, 1, 9, 1), (12, 1, 12, 2), (13, 1, 5, 1)]  # the last: read again
    text = "\n".join(
        f"{hour:02}:00:00 | {kind} | Replayed initial RegisterBrokerRecord for broker {broker}: {record.format(broker, epoch, highest)}"
        for hour, broker, epoch, highest in lines
    )
    same_rows(
        supported_features(facts(f"ts | kind | message\n{text}")),
        SUPPORTED_FEATURES,
        """
        broker_id | feature       | lowest | highest | ts       | evidence
        1         | group.version | 0      | 1       | 09:00:00 | e1
        2         | group.version | 0      | 1       | 10:00:00 | e2
        1         | group.version | 0      | 2       | 12:00:00 | e4 """,
    )
