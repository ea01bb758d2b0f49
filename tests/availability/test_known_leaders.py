"""Open and closed are conclusions from silence: they hold only where somebody would have logged another leader."""

from __future__ import annotations

import pytest

from tests.availability.frames import Case

HEAD = "node_id | log | start_ts | end_ts | roles | complete"
LED = """
    ts       | kind           | node_id | leader_id | leader_epoch
    10:00:00 | leader_start   | 1       | 1         | 4
    10:00:00 | follower_start | 2       | 1         | 4
    10:00:00 | follower_start | 3       | 1         | 4 """
DIED = """
    fault_id | kind   | broker_id | began_low | ts       | began_high | ended_low | ended_high | end_ts
    death    | killed | 1         | 10:10:00  | 10:10:01 | 10:10:01   | 10:30:00  | 10:30:00   | 10:30:00 """


def covered(*logs: str) -> str:
    """The coverage of the day by logs such as `1 server`."""
    return "\n".join(
        [HEAD, *(f"{log.replace(' ', ' | ')} | 09:00:00 | 11:00:00 | {int('state' in log)} | true" for log in logs)]
    )


def states(case: Case, acks: str = "1") -> list[tuple[str, str, str | None]]:
    return [(f"{row.start_ts:%H:%M:%S}", row.state, row.reason) for row in case.available() if row.acks == acks]


ALL = [f"{node} {log}" for node in (1, 2, 3) for log in ("server", "state_change")]


def test_a_dead_leader_without_a_successor_is_closed_if_all_replicas_would_have_logged_that_they_lead():
    found = states(Case(events=LED, faults=DIED, coverage=covered(*ALL)))
    assert ("10:10:01", "closed", "leader_dead") in found
    assert found[0][1] == "open"


def test_a_follower_that_would_have_logged_the_next_leader_keeps_the_partition_closed():
    found = states(Case(events=LED, faults=DIED, coverage=covered("1 server", "2 server", "2 state_change")))
    assert ("10:10:01", "closed", "leader_dead") in found


@pytest.mark.parametrize("logs", [["1 server", "1 state_change"], ["1 server", "2 server", "3 server"]])
def test_a_dead_leader_is_not_closed_where_another_replica_may_have_been_elected_unseen(logs):
    """Only the dead leader's files, or server.log only: another replica may have led."""
    found = states(Case(events=LED, faults=DIED, coverage=covered(*logs)))
    assert "closed" not in {state for _, state, _ in found}
    assert ("unknown", "leader_dead") in {row[1:] for row in found}


def test_a_leader_without_its_server_log_may_have_frozen_unseen():
    found = states(Case(events=LED, coverage=covered("2 server", "2 state_change", "3 server", "3 state_change")))
    assert {state for _, state, _ in found} == {"unknown"}


def test_a_leader_that_deletes_its_log_leads_no_more_before_its_next_role():
    """Recorded (2.8.2, one node's logs): its topic was deleted and created anew, with another leader in the same epoch."""
    alone = covered("1 server", "1 state_change")
    gone = LED + "\n    10:05:00 | log_deleted    | 1       |           | "
    assert {row[1] for row in states(Case(events=LED, coverage=alone))} == {"open"}
    assert states(Case(events=gone, coverage=alone)) == [
        ("10:00:00", "open", None),
        ("10:05:00", "unknown", "leader_not_logged"),
    ]


def test_a_log_that_lacks_lines_proves_nothing_by_its_silence():
    assert {state for _, state, _ in states(Case(events=LED, coverage=covered(*ALL)))} == {"open"}
    lacking = covered(*ALL).replace("true", "false")
    assert {state for _, state, _ in states(Case(events=LED, coverage=lacking))} == {"unknown"}


def test_a_follower_that_restarted_vouches_for_no_leader_before_its_own_next_line():
    restarted = DIED.replace("| 1         |", "| 2         |").replace("10:30:00", "10:20:00")
    only_2 = covered("1 server", "2 server", "2 state_change")
    found = states(Case(events=LED, faults=restarted, coverage=only_2))
    assert found[0] == ("10:00:00", "open", None)
    assert found[-1][1:] == ("unknown", "leader_not_logged")
    again = LED + "\n    10:25:00 | follower_start | 2       | 1         | 4 "
    back = states(Case(events=again, faults=restarted, coverage=only_2))
    assert back[-1] == ("10:25:00", "open", None)


def test_a_restarted_broker_vouches_for_itself_as_leader_from_its_own_line_on():
    """Recorded (3.9.1, logs from after the faults): a stale broker is elected 2 s after its start, and accepts writes at once."""
    elected = """
        leader_epoch | leader_id | start_ts | end_ts
        4            | 1         | 10:00:00 | 10:30:01
        5            | 1         | 10:30:01 |          """
    only_1 = covered("1 server", "1 state_change")
    led = LED + "\n    10:30:02 | leader_start   | 1       | 1         | 5 "
    found = states(Case(leader_epochs=elected, events=led, faults=DIED, coverage=only_1))
    assert found[-1] == ("10:30:02", "open", None)
    follows = LED + "\n    10:30:02 | follower_start | 1       | 2         | 5 "
    of_other = elected.replace("5            | 1", "5            | 2")
    found = states(
        Case(
            leader_epochs=of_other,
            events=follows,
            faults=DIED,
            coverage=covered("1 server", "1 state_change", "2 server"),
        )
    )
    assert found[-1][0] == "10:30:05"


def test_a_broker_that_is_elected_is_no_longer_down_although_no_line_shows_its_return():
    epochs = """
        leader_epoch | leader_id | start_ts | end_ts
        4            | 2         | 10:00:00 | 10:20:00
        5            | 1         | 10:20:00 |          """
    gone = DIED.replace("| 10:30:00  | 10:30:00   | 10:30:00", "|           |            |         ")
    led = LED + "\n    10:20:00 | follower_start | 3       | 1         | 5 "
    found = states(Case(leader_epochs=epochs, events=led, faults=gone, coverage=covered(*ALL)))
    assert not [row for row in found if row[0] >= "10:20" and row[1] == "closed"]


def test_an_isr_ends_unseen_if_its_leader_has_no_line_about_the_next_one():
    isrs = """
        leader_epoch | leader_id | isr   | replicas | min_isr | start_ts | end_ts
        4            | 1         | 1,2,3 | 1,2,3    | 2       | 10:00:00 | 10:40:00
        4            | 1         | 1,2   | 1,2,3    | 2       | 10:40:00 | 10:50:00
        4            | 1         | 1,2,3 | 1,2,3    | 2       | 10:50:00 |          """
    died = DIED.replace("| 1         |", "| 3         |")
    told = LED + "\n    10:50:00 | isr_updated | 1       |           |   "
    shown = told + "\n    10:40:00 | isr_updated | 1       |           |   "
    cases = [
        Case(isr_spans=isrs, faults=died, events=_with_isrs(events), coverage=covered(*ALL)) for events in (told, shown)
    ]
    of_all = [{(s, r) for _, s, r in states(case, "all") if r == "waiting_for_isr_member"} for case in cases]
    assert ("closed", "waiting_for_isr_member") not in of_all[0]
    assert ("closed", "waiting_for_isr_member") in of_all[1]


def _with_isrs(events: str) -> str:
    """The lines with a column of the ISR: that of the spans which begin then."""
    head, *lines = events.strip("\n").splitlines()
    isr_of = {"10:50:00": "1,2,3", "10:40:00": "1,2"}
    of_line = [f"{line} | {isr_of.get(line.split()[0], '')}" for line in lines]
    return "\n".join([f"{head} | isr", *of_line])


def test_without_state_change_logs_a_followers_fetches_prove_closed_and_never_open():
    """server.log only: the follower's fetcher would have been removed or started anew for another leader."""
    fetches = """
        ts       | node_id | leader_epoch | kind
        10:00:00 | 2       | 4            | fetcher_partitions_added """
    only_server = covered("1 server", "2 server", "3 server")
    of_case = {"events": LED, "faults": DIED, "coverage": only_server, "role_lines": fetches}
    assert [row for row in states(Case(**of_case)) if row[1] != "unknown"] == [("10:10:01", "closed", "leader_dead")]
    stops = """
        ts       | node_id
        10:10:07 | 2       """
    case = Case(**of_case, fetcher_stops=stops)
    closed = [row for row in case.available() if row.acks == "1" and row.state == "closed"]
    assert [(f"{row.start_ts:%H:%M:%S}", f"{row.end_ts:%H:%M:%S}") for row in closed] == [("10:10:01", "10:10:07")]


@pytest.mark.parametrize(
    ("begins", "stops", "closed"),
    [
        ("10:12:01", "10:12:02", True),
        (
            "10:12:01",
            "10:12:20",
            False,
        ),  # it learned of the next leader 19 s later: an earlier one may have been elected unseen
        ("10:12:01", "10:40:00", False),
    ],
)
def test_a_follower_that_learns_late_of_a_leader_epoch_does_not_vouch_for_the_leader_before(begins, stops, closed):
    """As recorded of 2.8.2, server.log only: the controller could not reach the follower, which fetched on."""
    fetches = f"""
        ts       | node_id | leader_epoch | kind
        10:00:00 | 2       | 4            | fetcher_partitions_added
        {begins} | 3       | 5            | fetcher_partitions_added """
    elected = f"""
        leader_epoch | leader_id | last_leader_id | start_ts | end_ts
        4            | 1         |                | 10:00:00 | {begins}
        5            | 2         | 1              | {begins} |          """
    found = states(
        Case(
            events=LED,
            faults=DIED,
            coverage=covered("1 server", "2 server", "3 server"),
            role_lines=fetches,
            leader_epochs=elected,
            fetcher_stops=f"ts | node_id\n {stops} | 2",
        )
    )
    assert (("10:10:01", "closed", "leader_dead") in found) == closed


def test_acks_all_is_open_only_where_an_isr_is_known():
    case = Case(events=LED, coverage=covered(*ALL), isr_spans="leader_id")
    assert {state for _, state, _ in states(case)} == {"open"}
    assert {state for _, state, _ in states(case, "all")} == {"unknown"}


def test_a_restarted_leader_without_a_line_about_its_new_session_may_not_have_served():
    sessions = """
        broker_id | start_ts
        1         | 09:59:00
        2         | 09:59:00
        2         | 10:31:00 """
    led = LED + "\n    10:30:01 | leader_start   | 1       | 1         | 4 "
    lacks = states(Case(events=led, faults=DIED, coverage=covered(*ALL), sessions=sessions))
    assert lacks[-1][1] == "unknown"
    shows = states(Case(events=led, faults=DIED, coverage=covered(*ALL), sessions=sessions + "\n        1 | 10:30:05"))
    assert shows[-1] == ("10:30:05", "open", None)


def test_a_leader_epoch_that_began_after_its_leaders_restart_is_not_closed_for_want_of_that_leaders_own_line():
    """Recorded (3.9.1, server.log only): followers fetch from the restarted broker in its new leader epoch."""
    epochs = """
        leader_epoch | leader_id | start_ts | end_ts
        4            | 1         | 10:00:00 | {0}
        5            | 1         | {0}      |          """
    events = """
        ts       | kind               | node_id | message
        10:30:25 | socket_server_step | 1       | [SocketServer listenerType=BROKER, nodeId=1] Enabling request processing. """
    after, before = (
        states(Case(leader_epochs=epochs.format(ts), events=events, faults=DIED, coverage=covered(*ALL)))
        for ts in ("10:30:20", "10:10:20")
    )
    assert after[-1] == ("10:30:25", "unknown", "leader_dead")
    assert before[-1][1] == "closed"


def test_the_isr_of_an_earlier_leader_epoch_proves_nothing_after_the_next_one_began():
    epochs = """
        leader_epoch | leader_id | start_ts | end_ts
        4            | 1         | 10:00:00 | 10:10:20
        5            | 1         | 10:10:20 |          """
    died = DIED.replace("| 1         |", "| 3         |")
    events = LED + "\n    10:10:20 | follower_start | 2       | 1         | 5 "
    case = Case(leader_epochs=epochs, events=events, faults=died, coverage=covered(*ALL))
    closed = [row for row in case.available() if row.acks == "all" and row.state == "closed"]
    assert [f"{row.end_ts:%H:%M:%S}" for row in closed] == ["10:10:20"]


def test_replicas_that_lack_a_later_leader_epoch_prove_nothing_by_their_silence():
    """Single lines are missing: nobody but the restarted broker shows epoch 5, although all replicas took part in it."""
    epochs = """
        leader_epoch | leader_id | start_ts | end_ts
        4            | 1         | 10:00:00 | 10:40:00
        5            | 3         | 10:40:00 |          """
    isrs = """
        leader_epoch | leader_id | isr   | replicas | min_isr | start_ts | end_ts
        4            | 1         | 1,2,3 | 1,2,3    | 2       | 10:00:00 | 10:40:00
        5            | 3         | 1,2,3 | 1,2,3    | 2       | 10:40:00 |          """
    died = DIED.replace("10:30:00", "10:39:00")
    late = LED + "\n    10:40:00 | follower_start | 1       | 3         | 5 "
    case = Case(leader_epochs=epochs, isr_spans=isrs, events=late, faults=died, coverage=covered(*ALL))
    assert "closed" not in {state for _, state, _ in states(case)}
    shown = late + "\n    10:40:00 | leader_start | 3 | 3 | 5\n    10:40:00 | follower_start | 2 | 3 | 5 "
    case = Case(leader_epochs=epochs, isr_spans=isrs, events=shown, faults=died, coverage=covered(*ALL))
    assert "closed" in {state for _, state, _ in states(case)}


def test_a_broker_without_zookeeper_may_not_have_learned_of_another_leader():
    """Its session may have ended, also if it finds ZooKeeper again: only the next lines of its peers would show that."""
    without_zookeeper = """
        fault_id | kind           | broker_id | began_low | ts       | began_high | ended_low | ended_high | end_ts
        without  | zookeeper_lost | 1         | 10:10:00  | 10:10:12 | 10:10:12   | 10:30:00  | 10:30:00   | 10:30:00 """
    found = states(Case(events=LED, faults=without_zookeeper, coverage=covered("1 server", "1 state_change")))
    assert ("10:10:00", "unknown", "leader_not_logged") in found
    of_all = states(Case(events=LED, faults=without_zookeeper, coverage=covered(*ALL)))
    assert {state for _, state, _ in of_all} == {"open"}


def test_a_follower_whose_role_lines_are_missing_does_not_show_by_its_fetches_that_a_dead_leader_has_no_successor():
    elected = """
        leader_epoch | leader_id | last_leader_id | start_ts | end_ts
        4            | 1         |                | 10:00:00 | 10:40:00
        5            | 3         | 1              | 10:40:00 |          """
    isrs = """
        leader_epoch | leader_id | isr   | replicas | min_isr | start_ts | end_ts
        4            | 1         | 1,2,3 | 1,2,3    | 2       | 10:00:00 | 10:40:00
        5            | 3         | 2,3   | 1,2,3    | 2       | 10:40:00 |          """
    fetches = """
        ts       | kind                     | node_id | leader_epoch
        10:00:01 | fetcher_partitions_added | 2       | 4
        10:00:01 | fetcher_partitions_added | 3       | 4            """
    told = {
        "leader_epochs": elected,
        "isr_spans": isrs,
        "faults": DIED,
        "coverage": covered(*ALL),
        "role_lines": fetches,
    }
    lines = (
        LED
        + """
    10:40:00 | follower_start | 2       | 3         | 5
    10:40:00 | leader_start   | 3       | 3         | 5 """
    )
    assert ("10:10:01", "closed", "leader_dead") in states(Case(events=lines, **told))
    lacking = "\n".join(line for line in lines.splitlines() if not line.strip().startswith("10:40:00"))
    without_3 = "\n".join(line for line in lacking.splitlines() if "| 3       |" not in line)
    for events in (lacking, without_3):
        assert "closed" not in {state for _, state, _ in states(Case(events=events, **told))}


def test_an_isr_without_some_replicas_leaves_acks_all_unknown_if_no_line_shows_min_insync_replicas():
    isrs = """
        leader_epoch | leader_id | isr   | replicas | min_isr | start_ts | end_ts
        4            | 1         | 1,2,3 |          |         | 10:00:00 | 10:20:00
        4            | 1         | 1     |          |         | 10:20:00 |          """
    shrinks = LED + "\n    10:20:00 | isr_shrink     | 1       |           | 4 "
    found = states(Case(events=shrinks, isr_spans=isrs, coverage=covered(*ALL)), acks="all")
    assert [row[1:] for row in found] == [("open", None), ("unknown", "below_min_isr")]


def test_a_leader_that_was_elected_after_its_restart_is_not_dead_where_its_line_that_it_leads_is_missing():
    elected = """
        leader_epoch | leader_id | last_leader_id | start_ts | end_ts
        4            | 2         |                | 10:00:00 | 10:29:00
        5            | 1         | 2              | 10:29:00 |          """
    led_by_2 = """
    ts       | kind           | node_id | leader_id | leader_epoch
    10:00:00 | leader_start   | 2       | 2         | 4
    10:00:00 | follower_start | 1       | 2         | 4
    10:00:00 | follower_start | 3       | 2         | 4
    10:29:00 | follower_start | 2       | 1         | 5
    10:29:00 | follower_start | 3       | 1         | 5 """
    of_case = {"leader_epochs": elected, "faults": DIED, "coverage": covered(*ALL)}
    found = states(Case(events=led_by_2, **of_case))
    assert found[-1][1] == "unknown"


def test_nobody_would_have_logged_a_return_once_the_active_controller_has_died():
    """Broker 1 has no files. Broker 2, the controller, would have logged that broker 1 returns, until it dies, too."""
    died = """
        fault_id | kind   | broker_id | began_low | ts       | began_high | ended_low | ended_high | end_ts
        death    | killed | 1         | 10:10:00  | 10:10:01 | 10:10:01   |           |            |          """
    too = (
        died
        + """
        its      | killed | 2         | 10:20:00  | 10:20:01 | 10:20:01   | 10:30:00  | 10:30:00   | 10:30:00 """
    )
    led_by_1 = """
        leader_epoch | leader_id | isr | replicas | min_isr | start_ts | end_ts
        4            | 1         | 1,2 | 1,2      | 1       | 10:00:00 |          """
    of_case = {
        "isr_spans": led_by_1,
        "coverage": covered("2 server", "2 state_change", "2 controller"),
        "controllers": "mode | controller_id | start_ts\nzk | 2 | 09:30:00",
    }
    assert states(Case(faults=died, **of_case))[-1] == ("10:10:01", "closed", "leader_dead")
    assert states(Case(faults=too, **of_case))[-1][1:] == ("unknown", "leader_dead")


UNHEARD = """
    fault_id | kind   | broker_id | began_low | ts       | began_high | ended_low | ended_high | end_ts   | arguments
    cut      | silent | 1         | 10:10:00  | 10:10:01 | 10:10:01   | 10:10:30  | 10:30:00   | 10:30:00 | all_unanswered=2 """


@pytest.mark.parametrize(("mode", "state"), [("kraft", ("10:10:01", "closed")), ("zk", ("10:10:00", "unknown"))])
def test_a_leader_without_logs_has_the_isr_of_the_controllers_in_kraft(mode, state):
    """With ZooKeeper the leader itself decides which replicas are in sync, and only its own log tells."""
    of_others = covered("2 server", "2 state_change", "3 server", "3 state_change")
    found = states(Case(events=LED, faults=UNHEARD, coverage=of_others, controllers=f"mode\n {mode}"), "all")
    assert (*state, "waiting_for_isr_member") in found
    assert ("closed" in {row[1] for row in found}) == (mode == "kraft")
