"""How long each node waits for what: its own settings, at their time, else the defaults of its release."""

from __future__ import annotations

from datetime import UTC, datetime

from replay.facts.releases import version_number
from replay.facts.timings import Timings, timings
from replay.tables import SETTINGS
from replay.tables.brokers import RELEASES, TIMINGS
from tests.tables import DAY, facts, rows, same_rows


def timed(settings: str = "node_id", releases: str = "node_id", events: str = "ts"):
    return timings(rows(SETTINGS, settings), rows(RELEASES, releases), facts(events))


def test_what_holds_at_a_node_at_a_time():
    known = Timings(
        rows(
            TIMINGS,
            """
            node_id | start_ts | end_ts   | replica_lag_ms
            1       |          | 11:00:00 | 10000
            1       | 11:00:00 |          | 45000
                    |          |          | 60000          """,
        )
    )
    nine, eleven = (datetime(DAY.year, DAY.month, DAY.day, hour, tzinfo=UTC) for hour in (9, 11))
    assert known.at(1, nine).replica_lag_ms == 10_000
    assert known.at(1, eleven).replica_lag_ms == 45_000
    assert known.at(7, nine).replica_lag_ms == 60_000
    assert known.at(None, nine).replica_lag_ms == 60_000
    assert known.at(1, None).replica_lag_ms == 60_000


def test_where_nothing_is_known_the_newest_defaults_hold_for_every_node():
    same_rows(
        timed(),
        TIMINGS,
        """
        node_id | start_ts | end_ts | replica_lag_ms | zookeeper_session_ms | broker_session_ms | heartbeat_ms | replica_socket_ms | controller_socket_ms | fetch_wait_ms | checkpoint_ms | quorum_fetch_ms | quorum_election_ms | imbalance_check_ms
                |          |        | 30000          | 18000                | 9000              | 2000         | 30000             | 30000                | 500           | 5000          | 2000            | 1000               | 300000             """,
    )


def test_a_release_before_2_5_has_shorter_defaults():
    """KIP-537. Any other node is given the longest of each; a release of which only a part is known counts as its newest."""
    same_rows(
        timed(
            releases=f"""
        node_id | version_low             | version_high
        1       | {version_number("2.3.1")} | {version_number("2.3.1")}
        2       | {version_number("3.7.2")} | {version_number("3.7.2")}
        3       |                         |          """
        ),
        TIMINGS,
        """
        node_id | replica_lag_ms | zookeeper_session_ms
        1       | 10000          | 6000
        2       | 30000          | 18000
        3       | 30000          | 18000
                | 30000          | 18000                """,
    )


def test_settings_hold_from_their_printing_to_the_next_and_the_first_for_the_time_before_too():
    """Node 2 printed nothing; node 3 has a properties file alone. A value that is no number is none, and seconds are told in ms."""
    same_rows(
        timed(
            settings="""
        node_id | ts       | name                                      | value
        1       | 10:00:00 | replica.lag.time.max.ms                   | 10000
        1       | 10:00:00 | leader.imbalance.check.interval.seconds   | 30
        1       | 11:00:00 | replica.lag.time.max.ms                   | 45000
        1       | 12:00:00 | replica.lag.time.max.ms                   | null
        3       |          | replica.fetch.wait.max.ms                 | 700 """,
            releases=f"node_id | version_high\n2 | {version_number('3.7.2')}",
        ),
        TIMINGS,
        """
        node_id | start_ts | end_ts   | replica_lag_ms | fetch_wait_ms | imbalance_check_ms
        1       |          | 11:00:00 | 10000          | 500           | 30000
        1       | 11:00:00 | 12:00:00 | 45000          | 500           | 300000
        1       | 12:00:00 |          | 30000          | 500           | 300000
        2       |          |          | 30000          | 500           | 300000
        3       |          |          | 30000          | 700           | 300000
                |          |          | 45000          | 700           | 300000             """,
    )


def test_a_zookeeper_session_is_as_long_as_the_ensemble_granted_it():
    same_rows(
        timed(
            settings="node_id | ts | name | value\n1 | 10:00:00 | zookeeper.session.timeout.ms | 60000\n2 | 10:00:00 | zookeeper.session.timeout.ms | 60000",
            events="""
        ts       | kind                 | node_id | details
        10:00:01 | zk_session_connected | 1       | timeout_ms=40000
        10:00:01 | zk_session_connected | 2       | {}               """,
        ),
        TIMINGS,
        """
        node_id | zookeeper_session_ms
        1       | 40000
        2       | 60000
                | 60000                """,
    )


def test_what_the_controllers_decide_holds_for_every_broker():
    """A broker's own broker.session.timeout.ms decides nothing; its heartbeat interval does."""
    same_rows(
        timed(
            settings="""
        node_id | ts       | name                          | value
        101     | 10:00:00 | process.roles                 | controller
        101     | 10:00:00 | broker.session.timeout.ms     | 60000
        1       | 10:00:00 | process.roles                 | broker
        1       | 10:00:00 | broker.session.timeout.ms     | 5000
        1       | 10:00:00 | broker.heartbeat.interval.ms  | 1000       """
        ),
        TIMINGS,
        """
        node_id | broker_session_ms | heartbeat_ms
        1       | 60000             | 1000
        101     | 60000             | 2000
                | 60000             | 2000         """,
    )
