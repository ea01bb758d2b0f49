"""The scenarios: one function each, with the faults that an analysis must name."""

from __future__ import annotations

import json
import random
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from traces.recorder.clients import Holder, Load, Reader, Rereader, Writer
from traces.recorder.cluster import Cluster, Node
from traces.recorder.releases import Release


@dataclass(frozen=True)
class Topic:
    """A topic, the acks of its producer, and its settings."""

    acks: str
    partitions: int = 6
    replicas: int = 3
    config: Mapping[str, object] = field(default_factory=dict)


def _topics(partitions: int = 6, clicks: str = "1", **config: object) -> dict[str, Topic]:
    """Both topics with these settings; by default `orders` has min.insync.replicas=2."""
    orders = Topic("all", partitions, config=config or {"min_insync_replicas": 2})
    return {"orders": orders, "clicks": Topic(clicks, partitions, config=config)}


class Incident(Cluster):
    """A cluster under load."""

    writers: list[Writer]
    readers: list[Reader]
    other_release: Release | None = None

    def alongside(self, script: str, seconds: float) -> None:
        """Runs a shell script beside the cluster for a time."""
        process = subprocess.Popen(["sh", "-c", script], start_new_session=True)
        time.sleep(seconds)
        process.wait(timeout=30)


Act = Callable[[Incident], None]


@dataclass(frozen=True)
class Scenario:
    """A scenario: what it does, on what cluster, and which faults (kind of action: codes) an analysis must find."""

    act: Act
    roots: Mapping[str, tuple[str, ...]]
    also: tuple[str, ...]
    mode: str | None
    topics: Mapping[str, Topic]
    cluster: Mapping[str, Any]

    @property
    def summary(self) -> str:
        """What happens, in one sentence."""
        return (self.act.__doc__ or "").strip()


SCENARIOS: dict[str, Scenario] = {}
_KILL, _RESTARTS, _LAG = ("F08", "F10"), ("F03", "F02"), {"settings": {"replica.lag.time.max.ms": 8000}}
_DISKS, _ONE_CONTROLLER = {"disk_mb": 200, "log_dirs": 2}, {"controllers": 1}


def scenario(
    also: tuple[str, ...] = (),
    mode: str | None = None,
    topics: Mapping[str, Topic] | None = None,
    cluster: Mapping[str, Any] | None = None,
    **roots: tuple[str, ...],
) -> Callable[[Act], Act]:
    """Declares a scenario under its function's name."""

    def declare(act: Act) -> Act:
        SCENARIOS[act.__name__] = Scenario(act, roots, also, mode, topics or _topics(), cluster or {})
        return act

    return declare


@scenario()
def calm(c: Incident) -> None:
    """Nothing happens."""
    time.sleep(30)


@scenario(kill_9=("F01",), also=_KILL)
def kill_leader(c: Incident) -> None:
    """One broker is killed and started again."""
    c.kill_for(c.not_controller(), 25)


@scenario(kill_9=("F01",), also=_KILL)
def kill_controller(c: Incident) -> None:
    """The active controller is killed and started again."""
    c.kill_for(c.active_controller(), 30, role="active controller")


@scenario(sigterm=("F02",))
def controlled_shutdown(c: Incident) -> None:
    """One broker is shut down and started again."""
    node = c.not_controller()
    c.stop(node)
    time.sleep(12)
    c.start(node)


@scenario(sigterm=_RESTARTS, also=_KILL)
def rolling_restart(c: Incident) -> None:
    """Each broker in turn is shut down and started again."""
    for node in c.brokers:
        c.restart(node)


@scenario(sigterm=_RESTARTS, also=(*_KILL, "F28"))
def rolling_upgrade(c: Incident) -> None:
    """Each broker in turn is shut down and started with another release (TO=...)."""
    assert c.other_release is not None
    for node in c.brokers:
        node.release = c.other_release
        c.note("upgrade", node=node.id, to=node.release.number)
        c.restart(node)


@scenario(pause=("F04",), also=("F12",))
def freeze_broker(c: Incident) -> None:
    """One broker is suspended for longer than its session timeout."""
    c.freeze(c.not_controller(), 30)


_LONG_SESSIONS = {"broker.session.timeout.ms": 60000, "zookeeper.session.timeout.ms": 60000}


@scenario(pause=("F13", "F04"), cluster={"settings": _LAG["settings"] | _LONG_SESSIONS})
def slow_follower(c: Incident) -> None:
    """One broker is suspended twice, for less than its session timeout and more than replica.lag.time.max.ms."""
    node = c.not_controller()
    for _ in range(2):
        c.freeze(node, 15)
        time.sleep(10)


@scenario(cut=("F05", "F06"), also=("F12",), cluster=_LAG)
def cut_from_followers(c: Incident) -> None:
    """One broker and its peers cannot reach each other; clients reach all."""
    c.cut(c.not_controller(), c.brokers, 30)


@scenario(cut=("F05", "F06", "F07"), also=("F12",), cluster=_LAG)
def cut_one_way(c: Incident) -> None:
    """Nothing that one broker sends reaches its peers; what they send reaches it."""
    c.cut(c.not_controller(), c.brokers, 30, one_way=True)


@scenario(cut=("F05", "F06", "F07"), also=("F12",))
def zombie_leader(c: Incident) -> None:
    """A leader is cut from all but the clients, and goes on taking writes with acks=1."""
    c.cut(c.not_controller(), c.nodes.values(), 35)


@scenario(cut=("F07",), mode="zk", also=("F12",))
def zookeeper_session_lost(c: Incident) -> None:
    """One broker loses ZooKeeper alone."""
    c.cut(c.not_controller(), [c.nodes[0]], 35)


@scenario(slow_link=("F05", "F06", "F13"), also=("F12",), cluster=_LAG)
def slow_link(c: Incident) -> None:
    """One broker sends only 8 kbit a second for half a minute."""
    c.slow_card(c.not_controller(), "8kbit", 35)


@scenario(disk_full=("F15", "F14"), also=("F01", "F02"), cluster=_DISKS)
def full_disk(c: Incident) -> None:
    """The disk under one of two log directories is full."""
    c.fail_directory(c.not_controller(), "disk_full", 30)


@scenario(log_dir_read_only=("F14", "F15"), also=("F01", "F02"), cluster=_DISKS)
def read_only_directory(c: Incident) -> None:
    """The file system of one of two log directories turns read-only."""
    c.fail_directory(c.not_controller(), "log_dir_read_only", 30)


def _kill_followers_then_leader(c: Incident) -> tuple[Node, list[Node]]:
    """Kills all brokers but the first, which then commits alone for a while, and kills it too."""
    last, *others = c.brokers
    for node in others:
        c.kill(node)
        time.sleep(12)
    c.wait("one broker in each ISR", lambda states: all(isr == [last.id] for _, isr, _ in states.values()))
    time.sleep(8)
    c.kill(last)
    return last, others


_FEW = _topics(3, min_insync_replicas=1)


@scenario(topics=_FEW, kill_9=("F24", "F01", "F16"), also=("F16",), cluster=_ONE_CONTROLLER)
def power_loss_with_lost_tails(c: Incident) -> None:
    """The only in-sync replica loses the records that were not on its disk, and leads again."""
    last, others = _kill_followers_then_leader(c)
    c.lose_tail(last, "orders", 0.4)
    c.start(last)
    c.wait("it leads", lambda states: all(leader == last.id for leader, _, _ in states.values()))
    time.sleep(8)
    c.start(*others)


def _elect_stale_follower(c: Incident, elect: Callable[[], None] = lambda: None) -> None:
    """Kills the followers and then the leader; starts one follower, and the other two brokers once it leads."""
    last, (stale, other) = _kill_followers_then_leader(c)
    c.start(stale)
    elect()
    c.wait("a stale follower leads", lambda states: all(leader == stale.id for leader, _, _ in states.values()), 25)
    time.sleep(12)
    c.start(other, last)


@scenario(
    topics=_topics(3, min_insync_replicas=1, unclean_leader_election_enable="true"),
    kill_9=("F16", "F01"),
    also=("F24",),
    cluster=_ONE_CONTROLLER,
)
def unclean_election(c: Incident) -> None:
    """The followers die, the leader commits alone and dies; a stale follower leads."""
    _elect_stale_follower(c)


@scenario(topics=_FEW, kill_9=("F16", "F01"), also=("F24",), cluster=_ONE_CONTROLLER)
def unclean_election_asked(c: Incident) -> None:
    """The followers die, then the leader; an administrator makes a stale follower leader (kafka-leader-election)."""

    def elect() -> None:
        c.wait("no leader", lambda states: all(leader == -1 for leader, _, _ in states.values()))
        time.sleep(5)
        c.note("unclean_election_asked")
        election = ["--election-type", "unclean", "--all-topic-partitions"]
        c.tool("LeaderElectionCommand", "--bootstrap-server", c.bootstrap, *election)

    _elect_stale_follower(c, elect)


@scenario(kill_9=("F01", "F24"), also=("F11", "F16"), cluster={"disk_mb": 200, "controllers": 1})
def lost_page_cache(c: Incident) -> None:
    """All brokers lose power and the page cache: only what the kernel had written back remains."""
    time.sleep(35)
    c.kill(*c.brokers)
    disks = [node.disk for node in c.brokers if node.disk]
    for disk in disks:
        disk.cut_power()
    for disk in disks:
        disk.lose_page_cache()
    c.note("page_caches_lost")
    c.start(*c.brokers)


@scenario(kill_9=("F01", "F24"), also=("F11",))
def power_loss(c: Incident) -> None:
    """All brokers are killed at once; their page caches survive."""
    c.kill(*c.brokers)
    time.sleep(8)
    c.start(*reversed(c.brokers))


@scenario(sigterm=("F02",), kill_9=("F01",), topics=_topics(3, "all", min_insync_replicas=2), cluster=_ONE_CONTROLLER)
def eligible_leader(c: Incident) -> None:
    """Both followers are shut down, the leader is killed; an eligible follower comes back first (KIP-966)."""
    last, *others = c.brokers
    for node in others:
        c.stop(node)
        time.sleep(6)
    c.kill(last)
    time.sleep(14)
    c.start(others[1])
    time.sleep(20)
    c.start(last, others[0])


@scenario(
    cut=("F05", "F06"),
    also=("F07", "F10", "F12"),
    topics=_topics(5),
    cluster=_LAG | {"brokers": 5, "controllers": 1, "racks": 3},
)
def rack_cut(c: Incident) -> None:
    """Five brokers in three racks: one rack loses the others."""
    inside = [node for node in c.brokers if node.settings["broker.rack"] == "rack-3"]
    c.cut(inside[0], [node for node in c.nodes.values() if node not in inside], 30)


@scenario(clock_set=("F21", "F02", "F03"), kill_9=("F01",), also=("F02", "F03"))
def wrong_clock(c: Incident) -> None:
    """One broker comes back from a restart with a clock that is 90 seconds fast, and another broker is killed."""
    first, second = c.brokers[:2]
    c.stop(first)
    c.set_clock(first, 90)
    c.start(first)
    c.heal()
    c.kill_for(second, 20)


@scenario(crash_loop=("F14", "F01", "F02", "F22", "F34", "F39"), also=("F01", "F02", "F14"))
def crash_loop(c: Incident) -> None:
    """One broker cannot start: the identity in its directory is not the cluster's. It is started four times."""
    node = c.not_controller()
    c.stop(node)
    identity = node.dirs[0] / "meta.properties"
    good = identity.read_text()
    others = [line for line in good.splitlines() if "cluster.id" not in line]
    identity.write_text("\n".join([*others, "cluster.id=AAAAAAAAAAAAAAAAAAAAAA", ""]))
    c.note("crash_loop", node=node.id)
    for _ in range(4):
        c.start(node)
        node.wait_for_end()
    identity.write_text(good)
    c.start(node)


@scenario(out_of_memory=("F26", "F01"), also=("F02",))
def out_of_memory(c: Incident) -> None:
    """Clients send requests larger than the heap of one broker; Java exits."""
    node = c.not_controller()
    node.java_options = ["-XX:+ExitOnOutOfMemoryError"]
    c.restart(node)
    c.note("out_of_memory", node=node.id)
    clients = [socket.create_connection((node.host.ip, 9092), 5) for _ in range(6)]
    for client in clients:
        client.sendall((95 << 20).to_bytes(4, "big"))
    node.wait_for_end()
    time.sleep(15)
    for client in clients:
        client.close()
    node.java_options = []
    c.start(node)


@scenario(cluster={"settings": {"leader.imbalance.check.interval.seconds": 20}})
def reassign_under_load(c: Incident) -> None:
    """Planned work: half of the partitions move to other brokers while producers write."""
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
def quorum_loss(c: Incident) -> None:
    """Two of three controllers die, then a broker; no controller elects leaders."""
    lost, broker = c.voters[:2], c.brokers[0]
    c.kill(*lost, role="voter")
    time.sleep(8)
    c.kill(broker)
    time.sleep(20)
    c.start(*lost)
    time.sleep(12)
    c.start(broker)


@scenario(mode="zk", sigterm=_RESTARTS, also=(*_KILL, "F28"))
def zookeeper_migration(c: Incident) -> None:
    """The cluster moves from ZooKeeper to KRaft (KIP-866): controllers join, each broker is restarted twice."""
    controller = c.add_migrating_controller()
    c.note("controller_added", node=controller.id)
    controller.launch()
    for node in c.brokers:
        c.make_migrating(node, controller)
        c.restart(node)
    time.sleep(12)
    for node in c.brokers:
        c.make_kraft(node, controller)
        c.restart(node)


_KIP101 = {
    "zookeeper.session.timeout.ms": 6000,
    "replica.socket.timeout.ms": 2000,
    "replica.fetch.wait.max.ms": 500,
    "replica.fetch.min.bytes": 1000000,
}


@scenario(mode="zk", kill_9=("F01",), also=("F05", "F16"), cluster={"brokers": 4, "settings": _KIP101})
def kip101(c: Incident) -> None:
    """A follower cuts its log on a change of leaders and leads before it can fetch (KIP-101, scenario 1).

    Records are lost up to 2.3 with --set log.message.format.version=0.10.2 --set inter.broker.protocol.version=0.10.2.
    """
    last = c.active_controller()
    first, second, third = [node for node in c.brokers if node is not last]
    c.create("ledger", 6, 3, on=[first, second, third], min_insync_replicas=1)
    c.heal()
    c.writers.append(Writer(c, "ledger", "all", 6, rate=600, **{"max.in.flight": 100}))
    time.sleep(15)
    c.part(second, [third])
    c.kill(first)
    c.wait("the second leads", lambda states: states["ledger", 0][0] == second.id)
    time.sleep(4)
    c.kill(second)
    c.wait("the third leads", lambda states: states["ledger", 0][0] == third.id)
    time.sleep(8)
    c.mend(second, [third])
    c.start(first, second)


@scenario(consumer_crash=())
def consumer_crash(c: Incident) -> None:
    """A consumer of a group dies without a commit, and its successor reads some records again."""
    time.sleep(8)
    for reader in c.readers:
        if reader.group:
            reader.restart()
    time.sleep(25)


_OWN_DISKS = {"disk_mb": 400, "controllers": 1} | _LAG
_FLUSHED = _topics(min_insync_replicas=2, flush_messages=1)


@scenario(slow_disk=("F13", "F05", "F06"), also=("F12",), topics=_FLUSHED, cluster=_OWN_DISKS)
def slow_disk(c: Incident) -> None:
    """The disk of one broker does two writes a second; each record is flushed."""
    time.sleep(15)
    c.slow_disk(c.brokers[1], 2, 40)


@scenario(topics=_FLUSHED, cluster=_OWN_DISKS)
def busy_disk(c: Incident) -> None:
    """The disk of one broker is busy with another program's writes, and stays fast enough."""
    time.sleep(15)
    node = c.brokers[1]
    assert node.disk is not None
    c.note("busy_disk", node=node.id)
    script = f"timeout 40 sh -c 'while :; do dd if=/dev/zero of={node.disk.at}/other bs=64k count=400 oflag=dsync 2>/dev/null; done'"
    c.alongside(script, 40)
    (node.disk.at / "other").unlink(missing_ok=True)
    c.note("idle_disk", node=node.id)


@scenario(slow_processor=("F13", "F04", "F05", "F06"), also=("F12", "F04"), cluster=_ONE_CONTROLLER | _LAG)
def slow_processor(c: Incident) -> None:
    """One broker gets 3 % of a processor."""
    time.sleep(15)
    c.slow_processor(c.brokers[1], 3, 40)


@scenario(cluster=_ONE_CONTROLLER | _LAG)
def busy_processor(c: Incident) -> None:
    """Another program on the brokers' machine uses a processor at a low priority."""
    time.sleep(15)
    c.note("busy_processor")
    c.alongside("timeout 40 nice -n 19 sh -c 'while :; do :; done'", 40)
    c.note("idle_processor")


@scenario(slow_link=("F05", "F06", "F13"), also=("F12",), cluster=_ONE_CONTROLLER | _LAG)
def slow_card(c: Incident) -> None:
    """One broker sends only 8 kbit a second for forty seconds."""
    time.sleep(15)
    c.slow_card(c.brokers[1], "8kbit", 40)


@scenario(
    many_requests=("F13", "F12"),
    also=("F12", "F05"),
    cluster={"controllers": 1, "settings": _LAG["settings"] | {"num.io.threads": 1}},
)
def many_requests(c: Incident) -> None:
    """Producers keep the only request handler of one broker busy: it compresses their batches again, as well as zstd can."""
    node = c.brokers[1]
    c.create("bulk", 3, 1, on=[node], compression_type="zstd", compression_zstd_level=19)
    time.sleep(15)
    c.note("many_requests", node=node.id)
    settings = {"compression.type": "lz4", "linger.ms": 20, "max.in.flight": 2, "request.timeout.ms": 30000}
    text = random.Random(7).randbytes(50_000).hex().encode()
    clients = [Load(c, "bulk", range(3), rate=100, value=text, **settings) for _ in range(6)]
    time.sleep(40)
    for client in clients:
        client.stop()
    c.note("few_requests", node=node.id)


@scenario(cluster=_ONE_CONTROLLER | _LAG)
def many_clients(c: Incident) -> None:
    """Two hundred clients connect to one broker and ask for little."""
    node = c.brokers[1]
    time.sleep(15)
    c.note("many_clients", node=node.id)
    clients = [socket.create_connection((node.host.ip, 9092), 5) for _ in range(200)]
    time.sleep(40)
    for client in clients:
        client.close()
    c.note("few_clients", node=node.id)


@scenario(cluster=_ONE_CONTROLLER | _LAG)
def busy_card(c: Incident) -> None:
    """One broker sends and takes twenty times as much as before, over a card that is fast enough."""
    node = c.brokers[1]
    c.create("bulk", 3, 1, on=[node])
    time.sleep(15)
    c.note("busy_card", node=node.id)
    partitions = [p for (topic, p), (leader, _, _) in c.states().items() if topic == "bulk" and leader == node.id]
    load = Load(c, "bulk", partitions, rate=20)
    time.sleep(40)
    load.stop()
    c.note("idle_card", node=node.id)


@scenario(cluster=_ONE_CONTROLLER | _LAG)
def short_pauses(c: Incident) -> None:
    """One broker is suspended for half a second, eight times."""
    time.sleep(15)
    for _ in range(8):
        c.freeze(c.brokers[1], 0.5)
        time.sleep(4.5)


def _heaps(node: Node, seconds: float) -> Iterator[tuple[float, float]]:
    """Once a second, the megabytes that are used in a broker's heap, and the share of time that its collectors ran."""
    assert node.process is not None
    command = ["jstat", "-gc", str(node.process.pid), "1000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as statistics:
        assert statistics.stdout is not None
        names, before, end = statistics.stdout.readline().split(), None, time.time() + seconds
        for line in statistics.stdout:
            values = dict(zip(names, line.split()))
            collected = float(values["GCT"])
            used = sum(float(values[part]) for part in ("OU", "EU", "S0U", "S1U"))
            yield used / 1024, 0.0 if before is None else collected - before
            before = collected
            if time.time() > end:
                statistics.terminate()


@scenario(full_heap=("F26", "F04", "F05", "F13"), also=("F12", "F10"), cluster=_ONE_CONTROLLER | _LAG)
def full_heap(c: Incident) -> None:
    """Clients announce requests and do not send them: their buffers fill the heap of one broker until Java mostly collects."""
    node = c.brokers[1]
    c.create("bulk", 3, 1, on=[node])
    load = Load(c, "bulk", range(3), rate=30, **{"batch.num.messages": 1})
    time.sleep(15)
    holder, held, is_full = Holder(node.host.ip), 0, False
    for used, share in _heaps(node, 110):
        print(f"{held} buffers, {used:.0f} MB used, collectors ran {share:.0%}", flush=True)
        if share >= 0.2 and not is_full:
            is_full = True
            c.note("full_heap", node=node.id)
        free = node.heap_mb - 16 - used
        more = (
            min(60, int(free / 0.4))
            if free > 8
            else 3
            if share < 0.3
            else 1
            if share < 0.7
            else 0
            if share < 0.9
            else -15
        )
        held = holder.hold(max(0, held + more))
    holder.hold(0)
    load.stop()
    c.note("free_heap", node=node.id)


@scenario(cluster=_ONE_CONTROLLER | _LAG)
def busy_heap(c: Incident) -> None:
    """Buffers of requests fill a third of the heap of one broker, and producers make its collectors run often."""
    node = c.brokers[1]
    c.create("bulk", 3, 1, on=[node])
    time.sleep(15)
    holder = Holder(node.host.ip)
    c.note("busy_heap", node=node.id)
    holder.hold(400)
    load = Load(c, "bulk", range(3), rate=60, **{"batch.num.messages": 1})
    time.sleep(45)
    load.stop()
    holder.hold(0)
    c.note("idle_heap", node=node.id)


def _fill(c: Incident, megabytes: int, partitions: int, on: Node, **config: object) -> None:
    """Creates the topic `bulk` on one broker and fills it."""
    c.create("bulk", partitions, 1, on=[on], **config)
    load = Load(c, "bulk", range(partitions), rate=200)
    while sum(path.stat().st_size for path in on.dirs[-1].glob("bulk-*/*.log")) < megabytes << 20:
        time.sleep(0.2)
    load.stop()
    time.sleep(2)


def _limit_disk(c: Incident, node: Node, **limits: int) -> None:
    """Limits the disk of one broker for the rest of the recording."""
    assert node.disk is not None and node.process is not None
    node.disk.forget()
    c.note("limit_disk", disk_of=node.id, **limits)
    node.disk.slow(node.process.pid, limits)


def _reread(c: Incident, node: Node, readers: int, begin: str, end: str) -> None:
    """Consumers read old records of one broker for 45 seconds; the page cache is emptied every second, as by a larger log."""
    assert node.disk is not None
    time.sleep(20)
    c.note(begin, node=node.id)
    rereaders = [Rereader(c, "bulk", [one % 6]) for one in range(readers)]
    until = time.time() + 45
    while time.time() < until:
        node.disk.forget()
        time.sleep(1)
    for one in rereaders:
        one.stop()
    c.note(end, node=node.id)


@scenario(lagging_reader=("F13", "F05", "F06"), also=("F12",), cluster=_OWN_DISKS)
def lagging_reader(c: Incident) -> None:
    """Consumers read old records of one broker, which are no longer in its page cache, from a disk that reads 1.5 MB a second."""
    node = c.brokers[1]
    _fill(c, 120, 6, node)
    _limit_disk(c, node, read_bps=1_500_000)
    _reread(c, node, 12, "lagging_reader", "readers_gone")


@scenario(cluster=_OWN_DISKS)
def quick_reader(c: Incident) -> None:
    """Consumers read old records of one broker, which are no longer in its page cache, from a disk that is fast enough."""
    node = c.brokers[1]
    _fill(c, 120, 6, node)
    _limit_disk(c, node, read_bps=400_000_000)
    _reread(c, node, 2, "quick_reader", "readers_gone")


def _move(c: Incident, begin: str, *throttle: object) -> None:
    """Moves the topic `bulk` to the second broker; all brokers have cards of 20 Mbit/s."""
    source, target = c.brokers[:2]
    _fill(c, 150, 3, source)
    for node in c.brokers:
        node.host.slow("20mbit")
    c.note("cards", rate="20mbit")
    time.sleep(20)
    moves = [{"topic": "bulk", "partition": p, "replicas": [target.id]} for p in range(3)]
    plan = c.work / "plan.json"
    plan.write_text(json.dumps({"version": 1, "partitions": moves}))
    c.note(begin, node=source.id, to=target.id)
    where = ["--bootstrap-server", c.bootstrap, "--reassignment-json-file", plan]
    c.tool("ReassignPartitionsCommand", *where, "--execute", *throttle)


@scenario(reassign=("F13", "F05", "F06"), also=("F12",), cluster=_ONE_CONTROLLER | _LAG)
def reassign_without_throttle(c: Incident) -> None:
    """A reassignment without a throttle fills the card of the broker that it moves partitions from."""
    _move(c, "reassign")
    c.wait("the topic moved", lambda states: all(s[2] == [2] for key, s in states.items() if key[0] == "bulk"), 150)
    c.note("reassigned", node=c.brokers[0].id)


@scenario(cluster=_ONE_CONTROLLER | _LAG)
def reassign_with_throttle(c: Incident) -> None:
    """A reassignment with a throttle leaves the cards of brokers free for producers."""
    _move(c, "reassign_with_throttle", "--throttle", "300000")
    time.sleep(60)
    c.note("still_reassigning")


def _compact(c: Incident, begin: str, seconds: float) -> None:
    """Makes the topic `bulk` of one broker compacted, and waits."""
    node = c.brokers[1]
    time.sleep(45)
    c.note(begin, node=node.id)
    where = ["--bootstrap-server", c.bootstrap, "--entity-type", "topics", "--entity-name", "bulk"]
    c.tool("ConfigCommand", *where, "--alter", "--add-config", "cleanup.policy=compact")
    time.sleep(seconds)


@scenario(
    compact=("F13", "F05", "F06"),
    also=("F12",),
    topics=_FLUSHED,
    cluster=_OWN_DISKS,
)
def compaction_storm(c: Incident) -> None:
    """The log cleaner of one broker compacts a large topic and fills its disk, which writes 3 MB a second; each record is flushed."""
    node = c.brokers[1]
    _fill(c, 130, 2, node)
    _limit_disk(c, node, write_bps=3_000_000)
    _compact(c, "compact", 70)
    c.note("compacted", node=node.id)


@scenario(
    topics=_FLUSHED, cluster=_OWN_DISKS | {"settings": _LAG["settings"] | {"log.cleaner.io.max.bytes.per.second": 3e6}}
)
def slow_compaction(c: Incident) -> None:
    """The log cleaner of one broker compacts a large topic under its limit of bytes; each record is flushed."""
    node = c.brokers[1]
    _fill(c, 130, 2, node)
    _limit_disk(c, node, write_bps=40_000_000)
    _compact(c, "slow_compaction", 70)
    c.note("compacting", node=node.id)
