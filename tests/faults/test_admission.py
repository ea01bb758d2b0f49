"""Brokers that started and were not let into the cluster: no controller answered (F06), or they stayed fenced (F39)."""

from __future__ import annotations

from replay.faults import admission as stage
from replay.sentences.faults import HOW_IT_IS_KNOWN
from replay.tables.brokers import PROCESSES
from replay.tables.faults import FAULTS
from tests.tables import facts, rows, same_rows

STARTING = (
    "10:00:02 | 10:00:02 | 2 | 2 | broker_incarnation | | [BrokerLifecycleManager id=2] Incarnation x of broker 2 in "
    "cluster c is now STARTING."
)
REGISTERED = "10:00:03 | 10:00:03 | 2 | 2 | broker_registered | | Successfully registered broker 2 with broker epoch 90"
CAUGHT_UP = "10:00:04 | 10:00:04 | 2 | 2 | broker_recovery | | The broker has caught up. Transitioning from STARTING to RECOVERY."


def admitted(*lines: str, last: str = "10:30:00", stop: str = "", fatal: str = "", next_start: str = "") -> list:
    life = rows(
        PROCESSES,
        "node_id | life | start_ts | first_ts | last_ts | stop_ts | fatal_ts | next_start_ts\n"
        f"2 | 1 | 10:00:00 | 10:00:00 | {last} | {stop} | {fatal} | {next_start}",
    )
    told = facts("\n".join(["ts | last_ts | node_id | broker_id | kind | details | message", STARTING, *lines]))
    return stage.not_admitted(told, life)


def waits(ts: str, action: str, done: bool = False) -> str:
    kind = "wait_done" if done else "wait_begin"
    return f"{ts} | {ts} | 2 | | {kind} | action={action} | [BrokerServer id=2] Waiting for {action}"


def fenced(ts: str, until: str) -> str:
    return f"{ts} | {until} | 2 | 2 | broker_waiting_unfence | | The broker is in RECOVERY."


def unfenced(ts: str) -> str:
    return f"{ts} | {ts} | 2 | 2 | broker_unfenced | | The broker has been unfenced. Transitioning from RECOVERY to RUNNING."


def failed(ts: str, until: str, kind: str, said: str) -> str:
    return f"{ts} | {until} | 2 | 2 | {kind} | | {said}"


def told(one) -> str:
    return HOW_IT_IS_KNOWN.render(one.reason, one.arguments)


def test_a_start_as_it_is_every_day_is_no_fault():
    assert admitted(REGISTERED, CAUGHT_UP, fenced("10:00:05", "10:00:05"), unfenced("10:00:06")) == []


def test_a_broker_that_does_not_read_on_is_kept_fenced_until_it_is_killed():
    (found,) = admitted(
        REGISTERED,
        waits("10:00:03", "the controller to acknowledge that we are caught up"),
        "10:00:04 | 10:02:30 | 2 | | metadata_loader_catch_up | | maybePublishMetadata(LOG_DELTA): The loader is still catching "
        "up because we have loaded up to offset 4100, but the high water mark is 9822",
    )
    same_rows(
        [found],
        FAULTS,
        """
        kind        | code | broker_id | ts       | end_ts | ended_low | confidence | evidence
        kept_fenced | F39  | 2         | 10:00:03 |        | 10:30:00  | 0.9        | e2,e4 """,
    )
    assert told(found) == (
        "broker 2 registered at 10:00:03.000 and was fenced still at 10:30:00.000, as far as its lines show: the "
        "controller had not yet found it caught up with the metadata log; it had read the log up to offset 4100, and "
        "the log was committed up to 9822"
    )
    assert found.unknowns == []


def test_a_broker_that_waits_without_a_reason_is_reported_with_what_would_show_it():
    (found,) = admitted(
        REGISTERED, waits("10:00:03", "the controller to acknowledge that we are caught up"), stop="10:08:00"
    )
    assert (str(found.end_ts)[11:19], found.confidence, found.unknowns) == ("10:08:00", 0.7, ["why_it_stayed_fenced"])


def test_heartbeats_that_fail_keep_a_broker_fenced_that_was_ready():
    (found,) = admitted(
        REGISTERED,
        CAUGHT_UP,
        waits("10:00:05", "the broker to be unfenced"),
        fenced("10:00:06", "10:00:10"),
        failed(
            "10:00:12",
            "10:03:00",
            "broker_heartbeat_failed",
            "Broker 2 sent a heartbeat request but received error STALE_BROKER_EPOCH.",
        ),
        unfenced("10:03:02"),
    )
    assert told(found) == (
        "broker 2 registered at 10:00:03.000 and was fenced until 10:03:02.000: it had caught up with the metadata "
        "log and was ready to be unfenced; 1 heartbeat of the broker failed (STALE_BROKER_EPOCH)"
    )


def test_the_time_in_which_a_broker_opens_its_logs_does_not_count():
    opens = "10:00:05 | 10:00:05 | 2 | | log_manager_load_begin | | Loading logs from log dirs ArraySeq(/d0)"
    opened = "10:20:00 | 10:20:00 | 2 | | log_manager_load_done | | Loaded 4000 logs in 1195000ms"
    asked = waits("10:20:01", "the broker to be unfenced")
    assert admitted(REGISTERED, CAUGHT_UP, opens, fenced("10:00:06", "10:30:00")) == []
    assert (
        admitted(REGISTERED, CAUGHT_UP, opens, fenced("10:00:06", "10:19:59"), opened, asked, unfenced("10:20:03"))
        == []
    )
    (found,) = admitted(REGISTERED, CAUGHT_UP, opens, opened, asked, fenced("10:20:02", "10:25:00"))
    assert "ready to be unfenced" in told(found)


def test_a_broker_that_opened_its_logs_and_did_not_ask_is_reported_as_that():
    opened = "10:00:05 | 10:00:05 | 2 | | log_manager_load_done | | Loaded 4 logs in 11ms"
    publishing = waits("10:00:04", "the initial broker metadata update to be published")
    (found,) = admitted(REGISTERED, CAUGHT_UP, publishing, opened, fenced("10:00:06", "10:08:00"))
    assert told(found).endswith("it had caught up with the metadata log, and did not ask to be unfenced")
    (before_3_5,) = admitted(REGISTERED, CAUGHT_UP, opened, fenced("10:00:06", "10:08:00"))
    assert told(before_3_5).endswith("as far as its lines show")


def test_the_controller_that_unfenced_it_ends_it_where_its_own_line_is_missing():
    granted = "10:00:05 | 10:00:05 | 101 | 2 | kraft_broker_unfence_granted | | has been granted"
    waiting = waits("10:00:03", "the controller to acknowledge that we are caught up")
    assert admitted(REGISTERED, waiting, granted) == []
    assert admitted(REGISTERED, waiting, "10:00:20 | 10:00:20 | 2 | | broker_started | | Kafka Server started") == []


def test_heartbeats_that_fail_hours_later_are_those_of_a_broker_that_ran():
    late = failed(
        "18:00:00", "18:09:00", "broker_heartbeat_failed", "Unable to send a heartbeat because the RPC got timed out"
    )
    assert admitted(REGISTERED, late, last="19:00:00") == []


def test_a_broker_of_zookeeper_that_registers_for_a_migration_stays_fenced_rightly():
    begun = STARTING.replace("id=2]", "id=2 isZkBroker=true]")
    life = rows(PROCESSES, "node_id | life | start_ts | first_ts | last_ts\n2 | 1 | 10:00:00 | 10:00:00 | 11:00:00")
    lines = [begun, REGISTERED, CAUGHT_UP, fenced("10:00:05", "10:59:00")]
    assert (
        stage.not_admitted(
            facts("\n".join(["ts | last_ts | node_id | broker_id | kind | details | message", *lines])), life
        )
        == []
    )


def test_a_broker_whose_attempts_to_register_nobody_answers_could_not_reach_the_controllers():
    unsent = "Unable to register the broker because the RPC got timed out before it could be sent."
    (found,) = admitted(
        failed("10:00:07", "10:00:57", "broker_registration_failed", f"[BrokerLifecycleManager id=2] {unsent}"),
        failed(
            "10:01:02",
            "10:01:02",
            "broker_registration_timeout",
            "Shutting down because we were unable to register with the controller quorum.",
        ),
        next_start="10:05:00",
    )
    same_rows(
        [found],
        FAULTS,
        """
        kind                  | code | broker_id | ts       | end_ts   | ended_low | evidence
        controllers_unreached | F06  | 2         | 10:00:02 | 10:05:00 | 10:01:02  | e2,e3 """,
    )
    assert told(found) == (
        "broker 2 started at 10:00:02.000, and 1 attempt to register with the active controller was not answered, the last at "
        "10:01:02.000; it gave up and stopped itself"
    )


def test_controllers_that_come_up_a_little_later_and_refusals_are_none_of_it():
    unsent = "Unable to register the broker because the RPC got timed out before it could be sent."
    refused = "Unable to register broker 2 because the controller returned error DUPLICATE_BROKER_REGISTRATION"
    assert (
        admitted(failed("10:00:07", "10:00:20", "broker_registration_failed", unsent), REGISTERED, unfenced("10:00:04"))
        == []
    )
    assert admitted(failed("10:00:07", "10:02:20", "broker_registration_failed", refused)) == []


STALE = "Broker 2 sent a heartbeat request but received error STALE_BROKER_EPOCH."


def refused(*times: str, kept_fenced: list | None = None) -> list:
    lines = [
        "ts | node_id | broker_id | broker_epoch | kind | details | message",
        "09:00:03 | 2 | 2 | 90 | broker_registered | | Successfully registered broker 2 with broker epoch 90",
        *(f"{ts} | 2 | 2 | | broker_heartbeat_failed | | {STALE}" for ts in times),
        "10:00:02 | 101 | | | kraft_event_failed | exception_message=Expected broker epoch 800, but got broker epoch 90 | "
        "processBrokerHeartbeat: event failed with StaleBrokerEpochException",
    ]
    return stage.heartbeats_refused(facts("\n".join(lines)), kept_fenced or [])


def test_a_broker_whose_heartbeats_are_refused_for_an_old_epoch_is_not_unfenced_again():
    (found,) = refused("10:00:00", "10:00:02", "10:00:04", "10:00:06")
    same_rows(
        [found],
        FAULTS,
        """
        kind               | code | broker_id | ts       | end_ts
        heartbeats_refused | F39  | 2         | 10:00:00 | 10:00:06 """,
    )
    assert told(found) == (
        "the controllers refused 4 heartbeats of broker 2 from 10:00:00.000 to 10:00:06.000 (STALE_BROKER_EPOCH); "
        "they have its id with broker epoch 800, and it sends 90: during this time it has no session, and a running "
        "broker does not register again"
    )


def test_a_heartbeat_that_overtakes_its_own_registration_is_refused_once_or_twice():
    assert refused("10:00:00", "10:00:00.100", "10:00:00.200") == [] and refused("10:00:00", "10:00:20") == []
