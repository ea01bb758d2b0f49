"""What can happen to a cluster: one function each, with the faults that an analysis must name."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from traces.recorder.clients import Reader, Writer
from traces.recorder.cluster import Cluster, Node
from traces.recorder.releases import Release


@dataclass(frozen=True)
class Topic:
    """A topic, how it is written, and its settings."""

    acks: str
    partitions: int = 6
    replicas: int = 3
    config: Mapping[str, object] = field(default_factory=dict)


_TOPICS = {"orders": Topic("all", config={"min_insync_replicas": 2}), "clicks": Topic("1")}
_FEW = {"orders": Topic("all", 3, config={"min_insync_replicas": 1}), "clicks": Topic("1", 3)}
_UNCLEAN = {
    name: Topic(topic.acks, 3, config={"unclean_leader_election_enable": "true", "min_insync_replicas": 1})
    for name, topic in _TOPICS.items()
}
_UNCLEAN_BY_HAND = {name: Topic(topic.acks, 3, config={"min_insync_replicas": 1}) for name, topic in _TOPICS.items()}


@dataclass
class Incident:
    """A cluster under load, as a scenario meets it."""

    cluster: Cluster
    writers: list[Writer]
    readers: list[Reader]
    other_release: Release | None = None


@dataclass(frozen=True)
class Scenario:
    """A scenario: what it does, on which cluster, and which faults (kind of deed: codes) an analysis must name."""

    act: Callable[[Incident], None]
    roots: Mapping[str, tuple[str, ...]]
    also: tuple[str, ...]
    mode: str | None
    topics: Mapping[str, Topic]
    group: bool
    clock: bool
    cluster: Mapping[str, Any]

    @property
    def tells(self) -> str:
        """One sentence: what happens."""
        return (self.act.__doc__ or "").strip()


SCENARIOS: dict[str, Scenario] = {}


def scenario(
    also: tuple[str, ...] = (),
    mode: str | None = None,
    topics: Mapping[str, Topic] = _TOPICS,
    group: bool = False,
    clock: bool = False,
    cluster: Mapping[str, Any] | None = None,
    **roots: tuple[str, ...],
) -> Callable[[Callable[[Incident], None]], Callable[[Incident], None]]:
    """Declares a scenario under its function's name."""

    def declare(act: Callable[[Incident], None]) -> Callable[[Incident], None]:
        SCENARIOS[act.__name__] = Scenario(act, roots, also, mode, topics, group, clock, cluster or {})
        return act

    return declare


def _peers(c: Cluster, node: Node) -> list[Node]:
    return [other for other in c.nodes.values() if other is not node]


@scenario()
def calm(incident: Incident) -> None:
    """Nothing happens."""
    time.sleep(30)


@scenario(kill_9=("F01",), also=("F08", "F10"))
def kill_leader(incident: Incident) -> None:
    """One broker is killed and started again."""
    c = incident.cluster
    node = c.not_controller()
    c.kill(node)
    time.sleep(25)
    c.start(node)
    c.heal()


@scenario(kill_9=("F01",), also=("F08", "F10"))
def kill_controller(incident: Incident) -> None:
    """The active controller is killed and started again."""
    c = incident.cluster
    node = c.active_controller()
    c.kill(node, role="active controller")
    time.sleep(30)
    c.start(node)
    c.heal()


@scenario(sigterm=("F02",))
def controlled_shutdown(incident: Incident) -> None:
    """One broker is shut down and started again."""
    c = incident.cluster
    node = c.not_controller()
    c.stop(node)
    time.sleep(12)
    c.start(node)
    c.heal()


@scenario(sigterm=("F03", "F02"), also=("F08", "F10"))
def rolling_restart(incident: Incident) -> None:
    """Each broker in turn is shut down and started again."""
    c = incident.cluster
    for node in c.brokers:
        c.stop(node)
        c.start(node)
        c.heal()
        time.sleep(4)


@scenario(sigterm=("F03", "F02"), also=("F08", "F10", "F28"))
def rolling_upgrade(incident: Incident) -> None:
    """Each broker in turn is shut down and started with another release (TO=...)."""
    c = incident.cluster
    if incident.other_release is None:
        raise SystemExit("rolling_upgrade needs a second release: TO=4.1.1")
    for node in c.brokers:
        c.stop(node)
        node.release = incident.other_release
        c.note("upgrade", node=node.id, to=node.release.number)
        c.start(node)
        c.heal()
        time.sleep(4)


@scenario(pause=("F04",), also=("F12",))
def freeze_broker(incident: Incident) -> None:
    """One broker stands still for longer than its session lasts."""
    c = incident.cluster
    c.freeze(c.not_controller(), 30)
    c.heal()


@scenario(
    pause=("F13", "F04"),
    cluster={
        "settings": {
            "replica.lag.time.max.ms": 8000,
            "broker.session.timeout.ms": 60000,
            "zookeeper.session.timeout.ms": 60000,
        }
    },
)
def slow_follower(incident: Incident) -> None:
    """One broker stands still twice, shorter than its session and longer than a follower may lag."""
    c = incident.cluster
    node = c.not_controller()
    for _ in range(2):
        c.freeze(node, 15)
        time.sleep(10)
    c.heal()


@scenario(cut=("F05", "F06"), also=("F12",), cluster={"settings": {"replica.lag.time.max.ms": 8000}})
def cut_from_followers(incident: Incident) -> None:
    """One broker and its peers cannot reach each other; clients reach all."""
    c = incident.cluster
    c.cut(c.not_controller(), c.brokers, 30)
    c.heal()


@scenario(cut=("F05", "F06", "F07"), also=("F12",), cluster={"settings": {"replica.lag.time.max.ms": 8000}})
def cut_one_way(incident: Incident) -> None:
    """Nothing that one broker sends reaches its peers; what they send reaches it."""
    c = incident.cluster
    c.cut(c.not_controller(), c.brokers, 30, one_way=True)
    c.heal()


@scenario(cut=("F05", "F06", "F07"), also=("F12",))
def zombie_leader(incident: Incident) -> None:
    """A leader is cut from all but the clients, and goes on taking writes with acks=1."""
    c = incident.cluster
    node = c.not_controller()
    c.cut(node, _peers(c, node), 35)
    c.heal()


@scenario(cut=("F07",), mode="zk", also=("F12",))
def zookeeper_session_lost(incident: Incident) -> None:
    """One broker loses ZooKeeper alone."""
    c = incident.cluster
    c.cut(c.not_controller(), [c.nodes[0]], 35)
    c.heal()


@scenario(slow_link=("F05", "F13"), also=("F06", "F12"), cluster={"settings": {"replica.lag.time.max.ms": 8000}})
def slow_link(incident: Incident) -> None:
    """What one broker sends has 8 kbit a second for half a minute."""
    c = incident.cluster
    node = c.not_controller()
    c.note("slow_link", node=node.id, rate="8kbit")
    node.host.slow("8kbit")
    time.sleep(35)
    node.host.fast()
    c.note("fast_link", node=node.id)
    c.heal()


@scenario(disk_full=("F15", "F14"), also=("F01", "F02"), cluster={"disk_mb": 200, "log_dirs": 2})
def full_disk(incident: Incident) -> None:
    """The disk under one of two log directories is full."""
    c = incident.cluster
    node = c.not_controller()
    assert node.disk
    c.note("disk_full", node=node.id, dir=node.disk.at.name)
    node.disk.fill()
    time.sleep(30)
    c.stop(node)
    node.disk.empty()
    c.start(node)
    c.heal()


@scenario(log_dir_read_only=("F14", "F15"), also=("F01", "F02"), cluster={"disk_mb": 200, "log_dirs": 2})
def read_only_directory(incident: Incident) -> None:
    """The file system of one of two log directories turns read-only."""
    c = incident.cluster
    node = c.not_controller()
    assert node.disk
    c.note("log_dir_read_only", node=node.id, dir=node.disk.at.name)
    node.disk.fail()
    time.sleep(30)
    c.stop(node)
    node.disk.repair()
    c.start(node)
    c.heal()


@scenario(topics=_FEW, kill_9=("F24", "F01", "F16"), also=("F16", "F30"), cluster={"controllers": 1})
def power_loss_with_lost_tails(incident: Incident) -> None:
    """The only in-sync replica loses what its disk did not have yet, and leads again."""
    c = incident.cluster
    last, *others = c.brokers
    for node in others:
        c.kill(node)
        time.sleep(12)
    time.sleep(15)
    c.kill(last)
    c.lose_tail(last, "orders", 0.4)
    time.sleep(3)
    c.start(last)
    time.sleep(20)
    c.start(*others)
    c.heal()


@scenario(kill_9=("F01", "F24"), also=("F11", "F16", "F30"), cluster={"disk_mb": 200, "controllers": 1})
def lost_page_cache(incident: Incident) -> None:
    """All brokers lose power: each finds what its kernel had written back, and nothing younger."""
    c = incident.cluster
    time.sleep(35)
    c.kill(*c.brokers)
    disks = [node.disk for node in c.brokers if node.disk]
    for disk in disks:
        disk.cut_power()
    for disk in disks:
        disk.lose_page_cache()
    c.note("page_caches_lost")
    time.sleep(3)
    c.start(*c.brokers)
    c.heal()


@scenario(kill_9=("F01", "F24"), also=("F11",))
def power_loss(incident: Incident) -> None:
    """All brokers are killed at once; their page caches survive."""
    c = incident.cluster
    c.kill(*c.brokers)
    time.sleep(8)
    c.start(*reversed(c.brokers))
    c.heal()


@scenario(topics=_UNCLEAN, kill_9=("F16", "F01"), also=("F24",), cluster={"controllers": 1})
def unclean_election(incident: Incident) -> None:
    """The followers die, the leader commits alone and dies; a stale follower leads."""
    c = incident.cluster
    last, *others = c.brokers
    for node in others:
        c.kill(node)
        time.sleep(12)
    time.sleep(8)
    c.kill(last)
    time.sleep(3)
    c.start(others[0])
    time.sleep(25)
    c.start(others[1], last)
    c.heal()


@scenario(
    sigterm=("F02",),
    kill_9=("F01",),
    topics={name: Topic("all", 3, config={"min_insync_replicas": 2}) for name in ("orders", "clicks")},
    cluster={"controllers": 1},
)
def eligible_leader(incident: Incident) -> None:
    """Both followers are shut down, the leader is killed; a follower that lacks nothing comes back first (KIP-966)."""
    c = incident.cluster
    last, *others = c.brokers
    for node in others:
        c.stop(node)
        time.sleep(6)
    c.kill(last)
    time.sleep(14)
    c.start(others[1])
    time.sleep(20)
    c.start(last, others[0])
    c.heal()


@scenario(
    cut=("F05", "F06"),
    also=("F07", "F10", "F12"),
    topics={"orders": Topic("all", 5, config={"min_insync_replicas": 2}), "clicks": Topic("1", 5)},
    cluster={"brokers": 5, "controllers": 1, "racks": 3, "settings": {"replica.lag.time.max.ms": 8000}},
)
def rack_cut(incident: Incident) -> None:
    """Five brokers in three racks: one rack loses the others."""
    c = incident.cluster
    inside = [node for node in c.brokers if node.settings["broker.rack"] == "rack-3"]
    c.cut(inside[0], [node for node in c.nodes.values() if node not in inside], 30)
    c.heal()


@scenario(clock_set=("F21", "F02", "F03"), also=("F02", "F03"), clock=True)
def wrong_clock(incident: Incident) -> None:
    """One broker comes back from a restart with a clock that is 90 seconds fast, and another broker is killed."""
    c = incident.cluster
    first, second = c.brokers[0], c.brokers[1]
    c.stop(first)
    c.set_clock(first, 90)
    c.start(first)
    c.heal()
    c.kill(second)
    time.sleep(20)
    c.start(second)
    c.heal()


@scenario(crash_loop=("F01", "F02", "F22", "F34", "F39"), also=("F01", "F02"))
def crash_loop(incident: Incident) -> None:
    """One broker cannot start: the identity in its directory is not the cluster's. It is started four times."""
    c = incident.cluster
    node = c.not_controller()
    c.stop(node)
    identity = node.dirs[0] / "meta.properties"
    good = identity.read_text()
    identity.write_text(
        "".join(
            "cluster.id=AAAAAAAAAAAAAAAAAAAAAA\n" if "cluster.id" in line else line + "\n" for line in good.splitlines()
        )
    )
    c.note("crash_loop", node=node.id)
    for _ in range(4):
        c.start(node)
        node.wait_for_end()
    identity.write_text(good)
    c.start(node)
    c.heal()


@scenario(out_of_memory=("F26", "F01"), also=("F02",))
def out_of_memory(incident: Incident) -> None:
    """Clients announce requests that do not fit into the heap of one broker; Java ends."""
    c = incident.cluster
    node = c.not_controller()
    c.stop(node)
    node.java_options = ["-XX:+ExitOnOutOfMemoryError"]
    c.start(node)
    c.heal()
    time.sleep(8)
    c.note("out_of_memory", node=node.id)
    held = [socket.create_connection((node.host.ip, 9092), 5) for _ in range(6)]
    for one in held:
        one.sendall((95 << 20).to_bytes(4, "big"))
    time.sleep(20)
    node.signal(9)
    for one in held:
        one.close()
    node.java_options = []
    c.start(node)
    c.heal()


@scenario(cluster={"settings": {"leader.imbalance.check.interval.seconds": 20}})
def reassign_under_load(incident: Incident) -> None:
    """Planned work: half of the partitions move to other brokers while producers write."""
    c = incident.cluster
    ids = [node.id for node in c.brokers]
    moves = [
        {"topic": "clicks", "partition": p, "replicas": [ids[(p + k) % len(ids)] for k in (2, 0)]} for p in range(6)
    ]
    plan = c.work / "plan.json"
    plan.write_text(json.dumps({"version": 1, "partitions": moves}))
    where = ["--bootstrap-server", c.bootstrap] if c.release.at_least(2, 6) else ["--zookeeper", c.zookeeper]
    c.note("reassign", topic="clicks")
    c.tool("ReassignPartitionsCommand", *where, "--reassignment-json-file", plan, "--execute")
    time.sleep(35)


@scenario(mode="kraft", cluster={"controllers": 3}, kill_9=("F11", "F01"), also=("F10", "F11"))
def quorum_loss(incident: Incident) -> None:
    """Two of three controllers die, then a broker; nobody elects."""
    c = incident.cluster
    lost, broker = c.voters[:2], c.brokers[0]
    c.kill(*lost, role="voter")
    time.sleep(8)
    c.kill(broker)
    time.sleep(20)
    c.start(*lost)
    time.sleep(12)
    c.start(broker)
    c.heal()


@scenario(mode="zk", sigterm=("F03", "F02"), also=("F08", "F10", "F28"))
def zookeeper_migration(incident: Incident) -> None:
    """The cluster moves from ZooKeeper to KRaft (KIP-866): controllers join, each broker is restarted twice."""
    c = incident.cluster
    controller = c.add_migrating_controller()
    c.note("controller_added", node=controller.id)
    controller.launch()
    for node in c.brokers:
        c.stop(node)
        c.make_migrating(node, controller)
        c.start(node)
        c.heal()
    time.sleep(15)
    for node in c.brokers:
        c.stop(node)
        c.make_kraft(node, controller)
        c.start(node)
        c.heal()
    time.sleep(5)


_KIP101 = {
    "zookeeper.session.timeout.ms": 6000,
    "replica.socket.timeout.ms": 2000,
    "replica.fetch.wait.max.ms": 500,
    "replica.fetch.min.bytes": 1000000,
}


@scenario(mode="zk", kill_9=("F01",), also=("F05", "F16"), cluster={"brokers": 4, "settings": _KIP101})
def kip101(incident: Incident) -> None:
    """A follower cuts its log on a change of leaders and leads before it can fetch (KIP-101, scenario 1).

    Records are lost up to 2.3 with --set log.message.format.version=0.10.2 --set inter.broker.protocol.version=0.10.2.
    """
    c = incident.cluster
    last = c.active_controller()
    first, second, third = [node for node in c.brokers if node is not last]
    c.create("ledger", 6, 3, on=[first, second, third], min_insync_replicas=1)
    c.heal()
    incident.writers.append(Writer(c, "ledger", "all", 6, rate=600, **{"max.in.flight": 100}))
    time.sleep(15)
    c.part(second, [third])
    c.kill(first)
    c.wait("the second leads", lambda states: states["ledger", 0][0] == second.id, 60)
    time.sleep(4)
    c.kill(second)
    c.wait("the third leads", lambda states: states["ledger", 0][0] == third.id, 60)
    time.sleep(8)
    c.mend(second, [third])
    c.start(first, second)
    c.heal()


@scenario(topics=_UNCLEAN_BY_HAND, kill_9=("F16", "F01"), also=("F24",), cluster={"controllers": 1})
def unclean_election_asked(incident: Incident) -> None:
    """The followers die, then the leader; an administrator makes a stale follower leader (kafka-leader-election)."""
    c = incident.cluster
    last, *others = c.brokers
    for node in others:
        c.kill(node)
        time.sleep(12)
    time.sleep(8)
    c.kill(last)
    time.sleep(3)
    c.start(others[0])
    time.sleep(15)
    c.note("unclean_election_asked")
    how = ["--election-type", "unclean", "--all-topic-partitions"]
    c.tool("LeaderElectionCommand", "--bootstrap-server", c.bootstrap, *how)
    time.sleep(12)
    c.start(others[1], last)
    c.heal()


@scenario(group=True, consumer_crash=())
def consumer_crash(incident: Incident) -> None:
    """A consumer of a group dies without a commit, and its successor reads again what lies between."""
    time.sleep(8)
    for reader in incident.readers:
        if reader.group:
            reader.restart()
    time.sleep(25)
