"""What is to be done next: what still lasts before what was lost, what was lost before what it began with; never more than three."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from replay.causes.auto_rebalance import AutoRebalance
from replay.causes.incident import Incident, Root
from replay.causes.incident_metrics import _releases_between
from replay.causes.incident_words import still
from replay.causes.next_steps import next_steps
from replay.facts.releases import NEWEST
from replay.faults.shape import ends_of
from replay.tables.brokers import NodeRelease
from replay.tables.causes import EFFECTS, OPEN_LOSSES, Conclusion, LeadershipAtLast, PartitionTime
from replay.tables.faults import FAULTS
from replay.tables.questions import TRUSTED
from tests.each import for_each
from tests.tables import rows

KILLED = "fault_id | kind | broker_id | began_high | ts | ended_high\n kill | killed | 2 | 10:00:00 | 10:00:00 | {}"
CUT = "fault_id | kind | broker_id | peers | began_high | ts | ended_high\n cut | link_cut | 2 | 3 | 10:00:00 | 10:00:00 | {}"
FROZE = (
    "fault_id | kind | broker_id | began_high | ts | ended_high\n froze | paused | 2 | 10:00:00 | 10:00:00 | 10:00:20"
)
MOVED = "fault_id | kind | broker_id | began_high | ts | ended_high\n moved | reassigned | 2 | 10:00:00 | 10:00:00 | 10:00:20"
LOWERED = (
    "fault_id | kind | ts | began_high | ended_high | arguments\n lower | replication_factor_lowered | 10:00:00 | 10:00:00 | 10:00:20 | "
    "all_topics=clicks; before=3; after=2; leaves_one=yes"
)
LOSSES = """
    topic  | loss_class     | verdict       | scenario | from_offset | to_offset_low | to_offset_high | recoverable_from
    orders | committed      | PROVEN_LOSS   | S4       | 10          | 20            | 20             | 1
    clicks | acked_possible | POSSIBLE_LOSS | S7       | 100         | 100           | 532            | []               """
MANY = "\n".join([*LOSSES.splitlines()[:2], *LOSSES.splitlines()[3:]])
FEW = MANY.replace("532", "103")


def incident_of(
    fault: str,
    losses: str = "topic",
    effects: str = "kind",
    short: int = 0,
    trusted: str = "broker_id",
    witness: str | None = None,
) -> Incident:
    (found,) = rows(FAULTS, fault)
    concluded = Conclusion(
        finding_id=found.fault_id,
        code={
            "killed": "F01",
            "halted": "F01",
            "disk_refused": "F14",
            "link_cut": "F05",
            "paused": "F04",
            "silent": "F00",
            "reassigned": "F18",
            "replication_factor_lowered": "F18",
            "stopped": "F02",
            "voters_changed": "F34",
        }[found.kind],
        role="root_cause",
        severity="high",
        broker_ids=ends_of(found),
        start_ts=found.ts,
        end_ts=found.ended_high or found.ts,
        began_high=found.began_high,
        is_broker=True,
    )
    return Incident(
        "one",
        found.ts,
        found.ts + timedelta(minutes=1),
        findings=[concluded],
        roots=[Root(concluded, "Broker 2 did something", found, witness)],
        effects=rows(EFFECTS, effects),
        losses=rows(OPEN_LOSSES, losses),
        times=PartitionTime(short_at_last=short),
        trusted=rows(TRUSTED, trusted),
    )


@for_each(("roots", "advised"), [("kill", True), ("other", False)], ids=["it led to it", "another fault did"])
def test_a_stop_that_left_too_few_replicas_in_sync_is_not_called_routine(roots, advised):
    """As recorded of 2.8.2: the second of two brokers was stopped before the first one was back."""
    effects = f"kind | partitions | root_ids\n writes_refused | orders-0,orders-1 | {roots}"
    steps = next_steps(incident_of(KILLED.replace("killed", "stopped").format("10:00:20"), effects=effects))
    assert any(step.startswith("Nothing to do") for step in steps) != advised
    assert (
        any(
            "the stop of broker 2 left 2 partitions with fewer in-sync replicas than min.insync.replicas" in step
            for step in steps
        )
        == advised
    )


def test_a_stop_is_not_said_to_have_left_partitions_short_that_another_fault_made_so_too():
    """As recorded of 2.5.1: with broker 3 stopped, a cut link took one of two in-sync replicas of one partition 15 s later."""
    effects = """
        kind           | partitions        | root_ids
        writes_refused | orders-0,orders-1 | {}
        writes_refused | orders-4          | cut
        writes_refused | orders-0,orders-2 | kill """
    stopped = KILLED.replace("killed", "stopped").format("10:00:20")
    for roots, text in (
        ("cut,kill", "broker 2 and other faults left 3 partitions"),
        ("kill", "broker 2 left 3 partitions"),
    ):
        assert any(
            f"the stop of {text} with" in step
            for step in next_steps(incident_of(stopped, effects=effects.format(roots)))
        )


def test_a_start_that_was_refused_and_that_nobody_retried_is_the_first_thing_still_wrong():
    """ZooKeeper still held the broker's old session (NodeExists): the process stopped itself, and no start follows."""
    killed = incident_of(KILLED.format("10:00:03"), short=12)
    (halted,) = incident_of(KILLED.replace("killed", "halted").replace("10:00:00", "10:00:12").format("")).roots
    refusal = (
        KILLED.replace("| killed |", "| registration_refused |").replace("10:00:00", "10:00:11").format("10:00:11")
    )
    (refused,) = [Root(halted.finding.but(began_high=one.ts), "", one) for one in rows(FAULTS, refusal)]
    ended = replace(killed, deaths=[halted], refusals=[refused])
    start = "its start at 10:00:11 was refused because its previous session was still active"
    assert still(ended)[0] == f"broker 2 not started again: {start}"
    assert "broker 2 not back" not in still(ended)
    assert [step for step in next_steps(ended) if step.startswith("Start broker 2")] == [
        f"Start broker 2 again: {start}, and no line shows another start."
    ]
    retried = replace(ended, deaths=[])
    assert "refused" not in "".join([*still(retried), *next_steps(retried)])
    of_session = replace(refused, fault=refused.fault.but(arguments={"zookeeper": "yes"}))
    (step,) = [one for one in next_steps(replace(retried, refusals=[of_session])) if "refused" in one]
    assert step == (
        "Start broker 2 only after the session of its previous process has ended (zookeeper.session.timeout.ms after its "
        "last contact): until then its start is refused, and it stops."
    )
    assert step not in next_steps(replace(ended, refusals=[of_session]))


@pytest.mark.parametrize("cause", ["disk_refused", "paused"])
def test_a_crash_loop_has_a_step_of_its_own_unless_its_starts_were_refused_because_of_the_disk(cause):
    """INCONSISTENT_CLUSTER_ID ends each process: a memory limit or a probe does not, and its own step names the directory."""
    caused = incident_of(FROZE.replace("paused", cause))
    ends = [
        incident_of(KILLED.replace("killed", "halted").replace("10:00:00", f"10:0{n}:00").format("")) for n in "123"
    ]
    steps = next_steps(replace(caused, deaths=[root for one in ends for root in one.roots]))
    assert any(step.startswith("Find what ends broker 2 after each start") for step in steps) == (cause == "paused")
    assert any("compare its meta.properties" in step for step in steps) == (cause == "disk_refused")


def test_a_broker_that_died_again_at_its_restart_is_to_be_started():
    """Its old session still held its name in ZooKeeper: the start failed, and nothing starts it again."""
    killed = incident_of(KILLED.format("10:00:20"), short=12)
    (root,) = incident_of(KILLED.replace("killed", "halted").replace("10:00:00", "10:00:25").format("")).roots
    incident = replace(killed, deaths=[root])
    assert not incident.is_over
    assert next_steps(incident)[1] == "Start broker 2: it is not back in these logs, and 12 ISRs are short without it."


@for_each(
    ("incident", "begins"),
    [
        (
            incident_of(KILLED.format(""), short=4),
            [
                "Before you start broker 2, copy replication-offset-checkpoint and leader-epoch-checkpoint out of its log directories",
                "Start broker 2: it is not back in these logs, and 4 ISRs are short without it.",
                "Broker 2: check the host's system log",
            ],
        ),
        (incident_of(KILLED.format("10:01:00")), ["Broker 2: check the host's system log"]),
        (
            incident_of(KILLED.format("10:01:00"), witness="memory_limit"),
            ["Broker 2: check the memory limit of its container or unit"],
        ),
        (
            incident_of(KILLED.format("10:01:00"), losses=LOSSES.replace("orders", "__consumer_offsets")),
            [
                "Broker 1 still held some of the lost records at its last line",
                "Tell the owners of consumer groups that committed offsets are gone (__consumer_offsets)",
                "Set unclean.leader.election.enable=false for __consumer_offsets",
            ],
        ),
        (
            incident_of(KILLED.format("10:01:00"), losses=LOSSES),
            [
                "Broker 1 still held some of the lost records at its last line: copy its log directories of orders",
                "Tell the owners of orders which offsets are gone",
                "Set unclean.leader.election.enable=false for orders",
            ],
        ),
        (
            incident_of(KILLED.format(""), effects="kind | is_open | count | ts\n leaderless | true | 6 | 10:00:00"),
            [
                "Do not force an unclean election for the 6 partitions without a leader",
                "Before you start broker 2",
                "Start broker 2: it is not back in these logs.",
            ],
        ),
        (
            incident_of(
                KILLED.format(""),
                effects="kind | is_open | count | ts\n leaderless | true | 6 | 10:00:00",
                trusted="broker_id | partitions | out_of_isr\n 1 | 2 | 2\n 3 | 4 | 1",
            ),
            [
                "Do not force an unclean election",
                "Bring broker 3 back first: it holds the replica to trust of 4 partitions without a leader; in 1 of "
                "them it had left the ISR, so it lacks the records that only the last members held ",
                "Before you start broker 2",
            ],
        ),
        (
            incident_of(CUT.format("")),
            [
                "Repair the network between broker 2 and broker 3",
                "Brokers 2 and 3: check the network between the two brokers",
            ],
        ),
        (
            incident_of(CUT.format("10:01:00"), short=2),
            ["Wait until 2 ISRs are full again", "Brokers 2 and 3: check the network"],
        ),
        (incident_of(FROZE), ["Find what froze broker 2", "Broker 2: check the garbage-collection log"]),
        (incident_of(MOVED), ["Nothing to do: this is routine."]),
        (
            incident_of(MOVED.replace("ended_high\n", "ended_high | reason\n") + " | asked_to_move_partitions"),
            ["Check with `kafka-topics.sh --describe` which replicas the reassigned partitions have now"],
        ),
        (
            incident_of(LOWERED),
            [
                "Check that the lower replication factor of clicks is intended; if one broker fails, a single copy is left. If "
                "it is not, raise it to 3 again with `kafka-reassign-partitions.sh --execute`."
            ],
        ),
        (
            incident_of(MOVED.replace("reassigned", "voters_changed")),
            ["Check with `kafka-metadata-quorum describe --status`"],
        ),
        (
            incident_of(MOVED, losses=FEW),
            [
                "Nothing to do: this is routine. Leader changes can cost producers with acks=1 a few records, here at most 3."
            ],
        ),
        (incident_of(MOVED, losses=MANY), ["Configure producers of clicks with acks=all where records matter"]),
    ],
    ids=[
        "dead",
        "back",
        "over its limit",
        "committed offsets lost",
        "lost",
        "leaderless",
        "to trust",
        "cut",
        "mended",
        "froze",
        "asked for",
        "moved, and no line shows where",
        "fewer replicas",
        "other voters",
        "at a few records",
        "at many records",
    ],
)
def test_the_most_urgent_comes_first(incident, begins):
    told = next_steps(incident)
    assert len(told) == len(begins)
    assert all(step.startswith(begin) for step, begin in zip(told, begins, strict=True)), told


KERNEL = "`journalctl _TRANSPORT=kernel --since '{day} 09:58:00 UTC' --until '{day} 10:01:00 UTC'`"


@for_each(
    ("witness", "deployment", "command"),
    [
        (
            None,
            "host",
            KERNEL.replace("kernel --", "kernel + UNIT=kafka.service --")
            + " on its host (without a journal: `dmesg -T`)",
        ),
        (None, "docker", "`docker inspect CONTAINER` for its container (State)"),
        (None, "kubernetes", "`kubectl get pod POD -o json` for its pod (lastState)"),
        ("signal", "docker", f"{KERNEL} on its host (without a journal: `dmesg -T`)"),
        ("for_memory", "kubernetes", f"{KERNEL} on its host (without a journal: `dmesg -T`)"),
        ("memory_limit", "host", None),
        ("kernel_saw_nothing", "host", None),
    ],
)
def test_an_end_without_a_witness_names_the_command_of_its_deployment(witness, deployment, command):
    incident = replace(incident_of(KILLED.format("10:01:00"), witness=witness), deployment=deployment)
    (told,) = next_steps(incident)
    command = command and command.format(day=f"{incident.from_ts:%Y-%m-%d}")
    assert command in told if command else "journalctl" not in told


def test_a_kill_beside_an_ordered_stop_is_no_routine():
    """The kernel tells of a kill for memory, the broker's own log of an ordered stop: one of them is of another process."""
    incident = incident_of(MOVED.replace("reassigned", "stopped"), witness="memory")
    (root,) = incident.roots
    assert next_steps(incident) == ["Nothing to do: this is routine."]
    (told,) = next_steps(replace(incident, roots=[replace(root, is_contradicted=True)]))
    assert told.startswith("Broker 2: check what else ran on that host")


def test_what_is_forbidden_already_is_not_advised():
    """An operator can force an election all the same, and a last known leader may lead again (KIP-966)."""
    incident = incident_of(KILLED.format("10:01:00"), losses=LOSSES)
    told = " ".join(next_steps(replace(incident, forbid_unclean=frozenset({"orders"}))))
    assert "Set unclean.leader.election.enable=false" in " ".join(next_steps(incident))
    assert "With false, the " in " ".join(next_steps(incident)) and "what-if RESULT --set unclean" in " ".join(
        next_steps(incident)
    )
    assert "unclean.leader.election.enable" not in told
    forced = incident_of(
        KILLED.format("10:01:00"), losses=LOSSES, effects="kind | elected_from\n unclean_election | any_replica"
    )
    forced = replace(forced, forbid_unclean=frozenset({"orders"}))
    assert "Find out who forced the unclean election of orders" in " ".join(next_steps(forced))
    assert "Set min.insync.replicas=2" not in " ".join(next_steps(forced))
    alone = replace(forced, need_one=frozenset({"orders", "clicks"}))
    assert "Set min.insync.replicas=2 for orders: with 1" in " ".join(next_steps(alone))


def test_producers_that_do_not_wait_for_all_are_named_where_they_lost_more_than_a_failover_costs():
    incident = incident_of(KILLED.format("10:01:00"), losses=MANY)
    (began,) = (row.ts for row in rows(FAULTS, "ts\n 10:00:00.400"))
    assert next_steps(incident)[0].startswith(
        "Configure producers of clicks with acks=all where records matter: with acks=1, up to 432"
    )
    written = [loss.but(written_low=began, written_high=began + timedelta(seconds=38)) for loss in incident.losses]
    assert next_steps(replace(incident, losses=written))[0].startswith(
        "Send again what producers with acks=1 or 0 wrote to 1 partition of clicks between 10:00:00 and 10:00:39 (see Losses). "
        "Configure producers of clicks with acks=all"
    )


@for_each(
    ("begun", "arguments", "is_asked"),
    [
        ("10:00:00", "kept=yes", True),
        ("10:00:00", "at_anew=5", True),
        ("10:00:00", "node=2", False),
        ("", "kept=yes", False),
    ],
)
def test_what_was_sent_to_a_leader_that_lived_on_out_of_reach_is_to_be_sent_again(begun, arguments, is_asked):
    silent = (
        "fault_id | kind | broker_id | began_low | began_high | ts | ended_high | arguments\n"
        f"cut | silent | 2 | {begun} | 10:00:06 | 10:00:06 | 10:00:44.2 | {arguments}"
    )
    losses = """
        topic  | partition | loss_class     | verdict      | from_offset | old_leader_id
        clicks | 2         | acked_possible | UNDETERMINED | 154         | 2
        orders | 0         | acked_possible | UNDETERMINED | 160         | 3 """
    incident = incident_of(silent, losses=losses)
    wanted = (
        "Send again what producers with acks=1 or 0 wrote to clicks-2 between 10:00:00 and {}, while broker 2 may have led "
        "without contact to the others: these logs do not show whether it was lost."
    )
    unlearned = wanted.format("10:00:45, and later until it followed the new leaders")
    assert (unlearned in next_steps(incident)) == is_asked
    back_ts = datetime(2024, 5, 1, 10, 0, 46, 500_000, tzinfo=UTC)
    times = PartitionTime(incident_id="one", regained_ts=back_ts, not_regained=0)
    assert (wanted.format("10:00:47") in next_steps(replace(incident, times=times))) == is_asked


OLD_TOOL = "kafka-preferred-replica-election.sh --zookeeper HOST:PORT"
NEW_TOOL = "kafka-leader-election.sh --election-type preferred --all-topic-partitions --bootstrap-server HOST:PORT"


@pytest.mark.parametrize(
    ("low", "high", "tools"),
    [
        (1_01_01, 1_01_01, f"seconds): `{OLD_TOOL}`. Each"),
        (2_03_01, 2_03_01, f"seconds): `{OLD_TOOL}`. Each"),
        (2_04_00, 2_04_01, f"seconds): `{NEW_TOOL}`. Each"),
        (1_01_01, 2_04_01, f"seconds): `{NEW_TOOL}` (before Kafka 2.4: `{OLD_TOOL}`). Each"),
        (None, None, f"seconds): `{NEW_TOOL}` (before Kafka 2.4: `{OLD_TOOL}`). Each"),
    ],
)
def test_leadership_returns_with_the_tool_that_the_release_has(low, high, tools):
    away = LeadershipAtLast(incident_id="one", leader_id=1, led=0, away=1, partitions=["orders-0"])
    incident = replace(incident_of(KILLED.format("10:00:03")), led=[away], version_low=low, version_high=high)
    assert tools in next_steps(incident)[-1]


BY_ITSELF = "The controller returns leadership of 1 partition of orders to the preferred replica by itself "
THRESHOLD = "; it acts where a broker's imbalance exceeds leader.imbalance.per.broker.percentage=10"
BY_COMMAND = "Return leadership of 1 partition of orders to the preferred replica when traffic is low"
LET_IT = (
    ", or let the controller do it (auto.leader.rebalance.enable=true, every leader.imbalance.check.interval.seconds)"
)


@for_each(
    ("rebalance", "last_ts", "told"),
    [
        pytest.param(None, "10:02", f"{BY_COMMAND}{LET_IT}: `{NEW_TOOL}`.", id="unknown"),
        pytest.param(
            AutoRebalance(None, of_brokers="true"),
            "10:02",
            f"{BY_COMMAND}{LET_IT}; the brokers have true, and these logs do not show the value on the controllers, "
            f"which decides: `{NEW_TOOL}`.",
            id="only brokers of KRaft show it",
        ),
        pytest.param(
            AutoRebalance(False),
            "10:02",
            f"{BY_COMMAND}; the controller does not do it (auto.leader.rebalance.enable is false): `{NEW_TOOL}`.",
            id="off",
        ),
        pytest.param(
            AutoRebalance(True, 300),
            "10:02",
            f"{BY_ITSELF}(auto.leader.rebalance.enable is true; it checks every 300 seconds). To do so at once: `{NEW_TOOL}`.",
            id="KRaft",
        ),
        pytest.param(
            AutoRebalance(True, 60, by_broker=True, percentage=10),
            "10:02",
            f"{BY_ITSELF}(auto.leader.rebalance.enable is true; it checks every 60 seconds{THRESHOLD}). To do so at once: ",
            id="ZooKeeper",
        ),
        pytest.param(
            AutoRebalance(True),
            None,
            f"{BY_ITSELF}(auto.leader.rebalance.enable is true). To do so at once: ",
            id="no interval",
        ),
        pytest.param(
            AutoRebalance(True, 60), "10:09", f"{BY_COMMAND}{LET_IT}: ", id="it checked since, and did not return it"
        ),
    ],
)
def test_the_controller_returns_leadership_if_its_settings_say_so(rebalance, last_ts, told):
    away = LeadershipAtLast(incident_id="one", leader_id=1, led=0, away=1, partitions=["orders-0"])
    at = rows(FAULTS, f"ts\n {last_ts}")[0].ts if last_ts else None
    incident = replace(incident_of(KILLED.format("10:00:03")), led=[away], rebalance=rebalance, last_ts=at)
    (step,) = [one for one in next_steps(replace(incident, version_low=3_09_01)) if "leadership" in one]
    assert step.startswith(told)
    assert "can lose a few records of producers with acks=1." in step


@pytest.mark.parametrize(
    ("nodes", "between"),
    [
        ([(1_01_01, 1_01_01), (0, NEWEST)], (1_01_01, 1_01_01)),
        ([(1_01_01, 1_01_01), (2_08_00, NEWEST)], (1_01_01, 2_08_00)),
        ([(1_00_00, NEWEST)], (1_00_00, None)),
        ([], (None, None)),
    ],
)
def test_a_node_without_a_newest_release_counts_by_what_it_ran_at_least(nodes, between):
    releases = [NodeRelease(node_id=at, version_low=low, version_high=high) for at, (low, high) in enumerate(nodes)]
    assert _releases_between(releases) == between


@pytest.mark.parametrize(
    ("said", "step"),
    [
        (
            {"reason": "protocol_not_pinned", "arguments": {"value": "3.4-IV0", "broker": "1"}},
            "Before the next upgrade, set inter.broker.protocol.version to the version in use (3.4-IV0) on all brokers; raise it in "
            "a second rolling restart, when all brokers run the new release.",
        ),
        (
            {"reason": "protocol_pinned", "arguments": {"value": "2.8-IV1", "broker": "1"}},
            "When you no longer need to return to the old release, raise inter.broker.protocol.version (broker 1 started with "
            "2.8-IV1) in a second rolling restart.",
        ),
        (
            {"reason": "metadata_version_stayed", "arguments": {"level": "3.9-IV0"}},
            "When you no longer need to return to the old release, raise metadata.version, still 3.9-IV0, with `kafka-features upgrade`.",
        ),
        ({"reason": "metadata_version_raised", "arguments": {"level": "4.1-IV1"}}, "Nothing to do: this is routine."),
    ],
)
def test_an_upgrade_is_not_done_while_its_protocol_is_open(said, step):
    routine = incident_of(MOVED)
    upgrade = routine.findings[0].but(said=[said])
    assert next_steps(replace(routine, findings=[upgrade])) == [step]


def test_an_ordered_stop_leaves_the_controller_active_until_it_resigns():
    (killed,) = incident_of(KILLED.format("10:01:00")).roots
    (stopped,) = incident_of(KILLED.replace("killed", "stopped").format("10:01:00")).roots
    of_controller = {"controller": "true"}
    assert replace(killed, finding=killed.finding.but(arguments=of_controller)).ended_the_controller
    assert not replace(stopped, finding=stopped.finding.but(arguments=of_controller)).ended_the_controller


@pytest.mark.parametrize("rebalance", [None, AutoRebalance(True, 300)])
@pytest.mark.parametrize(("witness", "waits"), [(None, True), ("memory_limit", False)])
def test_leadership_waits_until_the_failure_is_explained(witness, waits, rebalance):
    away = LeadershipAtLast(incident_id="one", leader_id=1, led=0, away=1, partitions=["orders-0"])
    incident = replace(incident_of(KILLED.format("10:00:03"), witness=witness), led=[away], rebalance=rebalance)
    assert next_steps(incident)[-1].endswith(" Do so only once you know why broker 2 failed.") == waits


@pytest.mark.parametrize("shared", [True, False])
def test_nodes_that_died_at_once_share_what_is_to_be_checked(shared):
    killed = incident_of(KILLED.format("10:00:03"))
    (root,) = killed.roots
    arguments = {"node": "2"} | ({"all_at_once": "3"} if shared else {})
    (step,) = next_steps(replace(killed, roots=[replace(root, fault=root.fault.but(arguments=arguments))]))
    assert step.startswith(
        "Broker 2: check what the nodes that died within 5 s of each other share (host, rack, power supply, or one command or "
        "deployment); the host's system log"
        if shared
        else "Broker 2: check the host's system log"
    )


def test_brokers_that_died_share_one_step_whether_or_not_lines_show_that_their_hosts_ran_on():
    ran = "fault_id | kind | broker_id | began_high | ts | ended_high | arguments\n kill3 | killed | 3 | 10:00:10 | 10:00:10 | 10:00:20 | node=3;host_ran=yes"
    one, other = incident_of(KILLED.format("10:00:20")), incident_of(ran)
    steps = [step for step in next_steps(replace(one, roots=[*one.roots, *other.roots])) if "system log" in step]
    assert len(steps) == 1
    assert steps[0].startswith("Brokers 2 and 3") and "power" in steps[0]
