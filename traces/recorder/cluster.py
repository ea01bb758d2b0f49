"""A cluster of real Kafka brokers, one network namespace each, and the actions on it, recorded with their times."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient, NewTopic
from kazoo.client import KazooClient

from traces.recorder.machine import Disk, Host, fake_clock, free, limit_processor, make_bridge, sh
from traces.recorder.releases import Release

_CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"
_SETTINGS: dict[str, object] = {
    "offsets.topic.replication.factor": 3,
    "offsets.topic.num.partitions": 5,
    "auto.create.topics.enable": "false",
    "num.recovery.threads.per.data.dir": 1,
    "log.segment.bytes": 16 << 20,
    "num.io.threads": 4,
    "num.network.threads": 2,
}
_TOOL_LOG = "log4j.rootLogger=WARN, e\nlog4j.appender.e=org.apache.log4j.ConsoleAppender\nlog4j.appender.e.target=System.err\nlog4j.appender.e.layout=org.apache.log4j.SimpleLayout\n"
_MIGRATING = ("zookeeper.metadata.migration.enable", "inter.broker.protocol.version")
_LONGEST_WAIT = 600  # seconds
_TOPIC_SETTINGS = ("min.insync.replicas", "unclean.leader.election.enable")
States = dict[tuple[str, int], tuple[int, list[int], list[int]]]
"""(topic, partition): leader, ISR, replicas."""


def quiet() -> dict[str, Any]:
    """Settings of a client without log output."""
    logger = logging.getLogger("recorder.clients")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return {"log_level": 0, "logger": logger}


class Node:
    """One process: a broker, a KRaft controller, both, or ZooKeeper."""

    def __init__(self, cluster: Cluster, id: int, roles: str, host: Host) -> None:
        self.cluster, self.id, self.roles, self.host = cluster, id, roles, host
        self.release, self.heap_mb = cluster.release, 320
        self.home = cluster.work / f"node-{id}"
        self.logs = self.home / "logs"
        self.dirs = [self.home / f"data{i}" for i in range(cluster.log_dirs if "broker" in roles else 1)]
        self.settings: dict[str, object] = {}
        self.environment: dict[str, str] = {}
        self.java_options: list[str] = []
        self.agents: list[str] = []
        self.process: subprocess.Popen[bytes] | None = None
        for folder in (self.logs, *self.dirs):
            folder.mkdir(parents=True)
        self.disk = Disk(self.dirs[-1], cluster.disk_mb) if cluster.disk_mb and "broker" in roles else None

    def write_settings(self) -> Path:
        """Writes the file that the process reads at its start."""
        path = self.home / ("zookeeper.properties" if self.roles == "zookeeper" else "server.properties")
        path.write_text("".join(f"{name}={value}\n" for name, value in self.settings.items()))
        return path

    def launch(self) -> None:
        """Starts the process."""
        name, text, option = self.release.log_settings()
        (self.home / name).write_text(text)
        main = "org.apache.zookeeper.server.quorum.QuorumPeerMain" if self.roles == "zookeeper" else "kafka.Kafka"
        command = [self.release.java, f"-Xmx{self.heap_mb}m", "-XX:+UseG1GC", "-XX:TieredStopAtLevel=1"]
        command += [f"-Dkafka.logs.dir={self.logs}", "-Dzookeeper.jmx.log4j.disable=true"]
        command += [
            option.format(self.home / name),
            *self.java_options,
            *self.agents,
            "-cp",
            self.release.classpath,
            main,
        ]
        command += [str(self.write_settings())]
        with open(self.logs / "kafkaServer.out", "ab") as console:
            command = ["ip", "netns", "exec", self.host.namespace, *command]
            own = {"start_new_session": True, "env": {**os.environ, **self.environment}}
            self.process = subprocess.Popen(command, stdout=console, stderr=console, **own)

    def signal(self, number: int) -> None:
        """Sends a signal to the process, and waits for its end if the signal ends it."""
        if not self.is_up:
            return
        assert self.process is not None
        os.killpg(self.process.pid, number)
        if number in (signal.SIGTERM, signal.SIGKILL):
            self.wait_for_end()

    def wait_for_end(self) -> None:
        """Waits until the process has ended; fails after ten minutes."""
        assert self.process is not None
        self.process.wait(timeout=_LONGEST_WAIT)

    def last_words(self) -> str:
        """The end of the process's output."""
        texts = [path.read_text(errors="replace") for path in sorted(self.logs.glob("*erver.*"))]
        return f"node {self.id}, {'running' if self.is_up else 'ended'}: " + "".join(text[-600:] for text in texts)

    @property
    def is_up(self) -> bool:
        """Whether the process runs or is suspended."""
        return self.process is not None and self.process.poll() is None


class Cluster:
    """Brokers 1 to n; ZooKeeper is node 0; dedicated controllers are 101 and up."""

    def __init__(
        self,
        release: Release,
        mode: str,
        work: Path,
        *,
        brokers: int = 3,
        controllers: int = 0,
        log_dirs: int = 1,
        disk_mb: int = 0,
        racks: int = 0,
        settings: dict[str, object] | None = None,
        features: Sequence[str] = (),
    ) -> None:
        self.release, self.mode, self.work, self.log_dirs, self.disk_mb = release, mode, work, log_dirs, disk_mb
        self.settings, self.features = dict(settings or {}), features
        self.nodes: dict[int, Node] = {}
        self.topics: set[str] = set()
        self.notes: list[dict[str, Any]] = []
        self.tails, self.keeps_tails = work / "tails", False
        self._admin: AdminClient | None = None
        make_bridge()
        if mode == "zk":
            self.nodes[0] = Node(self, 0, "zookeeper", Host("zookeeper", 9))
        roles = "broker" if mode == "zk" or controllers else "broker,controller"
        for i in range(1, brokers + 1):
            self.nodes[i] = Node(self, i, roles, Host(f"broker{i}", 10 + i))
        for i in range(1, controllers + 1):
            if mode == "kraft":
                self.nodes[100 + i] = Node(self, 100 + i, "controller", Host(f"controller{i}", 40 + i))
        for node in self.nodes.values():
            self._configure(node)
            if racks and "broker" in node.roles:
                node.settings["broker.rack"] = f"rack-{(node.id - 1) % racks + 1}"
            if mode == "kraft":
                self.format(node)

    @property
    def brokers(self) -> list[Node]:
        """The nodes that are brokers."""
        return [node for node in self.nodes.values() if "broker" in node.roles]

    @property
    def voters(self) -> list[Node]:
        """The nodes that vote in the metadata quorum."""
        return [node for node in self.nodes.values() if "controller" in node.roles]

    @property
    def bootstrap(self) -> str:
        """Addresses of all brokers."""
        return ",".join(f"{node.host.ip}:9092" for node in self.brokers)

    @property
    def zookeeper(self) -> str:
        """ZooKeeper's address."""
        return f"{self.nodes[0].host.ip}:2181"

    def _configure(self, node: Node) -> None:
        if node.roles == "zookeeper":
            node.settings = {"tickTime": 2000, "dataDir": node.dirs[0], "clientPort": 2181, "maxClientCnxns": 0}
            node.settings |= {"clientPortAddress": node.host.ip, "admin.enableServer": "false"}
            return
        node.settings = {"log.dirs": ",".join(map(str, node.dirs)), **_SETTINGS}
        if self.mode == "zk":
            listeners = f"PLAINTEXT://{node.host.ip}:9092"
            node.settings |= {"broker.id": node.id, "listeners": listeners, "zookeeper.connect": self.zookeeper}
        else:
            node.settings |= self.kraft_settings(node, self.voters)
        node.settings |= self.settings

    def kraft_settings(self, node: Node, voters: Iterable[Node]) -> dict[str, object]:
        """The settings of a node in a KRaft cluster."""
        client, control = f"PLAINTEXT://{node.host.ip}:9092", f"CONTROLLER://{node.host.ip}:9093"
        listeners = [client] * ("broker" in node.roles) + [control] * ("controller" in node.roles)
        own: dict[str, object] = {
            "node.id": node.id,
            "process.roles": node.roles,
            "listeners": ",".join(listeners),
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": ",".join(f"{v.id}@{v.host.ip}:9093" for v in voters),
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        }
        return own | ({"advertised.listeners": client} if "broker" in node.roles else {})

    def add_migrating_controller(self) -> Node:
        """Adds the KRaft controller of a migration from ZooKeeper (KIP-866)."""
        with self._zookeeper_client() as client:
            cluster_id = json.loads(client.get("/cluster/id")[0])["id"]
        node = Node(self, 101, "controller", Host("controller1", 41))
        self.nodes[node.id] = node
        node.settings = {"log.dirs": node.dirs[0], **_SETTINGS, **self.kraft_settings(node, [node])}
        node.settings |= {"zookeeper.metadata.migration.enable": "true", "zookeeper.connect": self.zookeeper}
        self.format(node, cluster_id)
        return node

    def make_migrating(self, node: Node, controller: Node) -> None:
        """Configures a broker that uses ZooKeeper to register with the KRaft controller at its next start."""
        own = self.kraft_settings(node, [controller])
        kept = ("controller.listener.names", "controller.quorum.voters", "listener.security.protocol.map")
        values = ("true", ".".join(map(str, self.release.key[:2])))
        node.settings |= {name: own[name] for name in kept} | dict(zip(_MIGRATING, values))

    def make_kraft(self, node: Node, controller: Node) -> None:
        """Configures a broker to run without ZooKeeper from its next start."""
        for name in ("broker.id", "zookeeper.connect", *_MIGRATING):
            node.settings.pop(name)
        node.settings |= self.kraft_settings(node, [controller])

    def format(self, node: Node, cluster_id: str = _CLUSTER_ID) -> None:
        """Formats a node's directories for KRaft."""
        features = [part for feature in self.features for part in ("--feature", feature)]
        self.tool("StorageTool", "format", f"--cluster-id={cluster_id}", "-c", node.write_settings(), *features)

    def tool(self, name: str, *arguments: object) -> str:
        """Runs a command line tool of this release and returns its output."""
        log = self.work / "tool-log4j.properties"
        log.write_text(_TOOL_LOG)
        options = [] if self.release.at_least(4, 0) else [f"-Dlog4j.configuration=file:{log}"]
        command = [self.release.java, "-Xmx256m", "-XX:TieredStopAtLevel=1", *options, "-cp", self.release.classpath]
        return sh(*command, self.release.tool(name), *arguments).stdout

    def note(self, kind: str, **what: Any) -> None:
        """Records an action and the time just before it."""
        self.notes.append({"t": time.time(), "kind": kind, **what})
        print(time.strftime("%H:%M:%S"), kind, what, flush=True)

    def admin(self) -> AdminClient:
        """The admin client."""
        if self._admin is None:
            own = {"bootstrap.servers": self.bootstrap, "socket.timeout.ms": 8000}
            self._admin = AdminClient(own | quiet())
        return self._admin

    def launch(self) -> None:
        """Starts all nodes and waits for the brokers."""
        if self.mode == "zk":
            self.nodes[0].launch()
            self._until(self._zookeeper_answers)
        for node in [*self.voters, *(node for node in self.brokers if node not in self.voters)]:
            node.launch()
        if not self._until(lambda: len(self.admin().list_topics(timeout=5).brokers) == len(self.brokers)):
            raise RuntimeError("no cluster:\n" + "\n".join(node.last_words() for node in self.nodes.values()))
        self.note("cluster_up", version=self.release.number, mode=self.mode)

    def create(self, name: str, partitions: int, replicas: int, on: Sequence[Node] = (), **config: object) -> None:
        """Creates a topic whose preferred leaders are the brokers in turn, or whose replicas are on the brokers of `on`."""
        ids = [node.id for node in self.brokers]
        in_turn = [[ids[(p + k) % len(ids)] for k in range(replicas)] for p in range(partitions)]
        assignment = [[node.id for node in on]] * partitions if on else in_turn
        dotted = {key.replace("_", "."): str(value) for key, value in config.items()}
        dotted |= {key: str(self.settings[key]) for key in _TOPIC_SETTINGS if key in dotted and key in self.settings}
        topic = NewTopic(name, partitions, replica_assignment=assignment, config=dotted)
        if not self._until(lambda: self._created(topic)):
            raise RuntimeError(f"topic {name} could not be created")
        self.topics.add(name)
        underscored = {key.replace(".", "_"): value for key, value in dotted.items()}
        self.note("create_topic", topic=name, partitions=partitions, rf=replicas, config=underscored)

    def _created(self, topic: NewTopic) -> bool:
        """Creates a topic, unless an earlier attempt did."""
        try:
            for future in self.admin().create_topics([topic]).values():
                future.result(30)
        except KafkaException as error:
            return bool(error.args[0].code() == KafkaError.TOPIC_ALREADY_EXISTS)
        return True

    def states(self) -> States:
        """Leader, ISR and replicas of each partition, from the brokers' metadata responses."""
        topics = self.admin().list_topics(timeout=8).topics
        return {
            (name, number): (state.leader, list(state.isrs), list(state.replicas))
            for name, topic in topics.items()
            for number, state in topic.partitions.items()
        }

    @contextlib.contextmanager
    def _zookeeper_client(self) -> Iterator[KazooClient]:
        client = KazooClient(self.zookeeper)
        client.start(10)
        try:
            yield client
        finally:
            client.stop()

    def _is_unregistered(self, node: Node) -> bool:
        with self._zookeeper_client() as client:
            return bool(client.exists(f"/brokers/ids/{node.id}") is None)

    def _zookeeper_answers(self) -> bool:
        with socket.create_connection((self.nodes[0].host.ip, 2181), 2):
            return True

    def _until(self, holds: Callable[[], bool], quiet_s: float = 90) -> bool:
        """Whether a condition holds before the nodes have written no line for `quiet_s`, and within ten minutes."""
        begin = moved = time.time()
        size = -1
        while time.time() - moved < quiet_s and time.time() - begin < _LONGEST_WAIT:
            with contextlib.suppress(Exception):
                if holds():
                    return True
            time.sleep(0.5)
            files = [path for node in self.nodes.values() for path in node.logs.iterdir() if "truth" not in path.name]
            before, size = size, sum(path.stat().st_size for path in files)
            moved = time.time() if size != before else moved
        return False

    def wait(self, what: str, holds: Callable[[States], bool], quiet_s: float = 90) -> bool:
        """Waits until a condition on the states of the recording's topics holds."""
        own = self.topics
        done = self._until(lambda: holds({key: s for key, s in self.states().items() if key[0] in own}), quiet_s)
        if not done:
            self.note("wait_timed_out", what=what)
        return done

    def heal(self) -> bool:
        """Waits until every replica is in its ISR."""
        return self.wait(
            "every replica in its ISR",
            lambda states: all(leader >= 0 and {*isr} == {*all_} for leader, isr, all_ in states.values()),
        )

    def active_controller(self) -> Node:
        """The node that is the active controller."""
        if self.mode == "zk":
            with self._zookeeper_client() as client:
                return self.nodes[json.loads(client.get("/controller")[0])["brokerid"]]
        status = self.tool("MetadataQuorumCommand", "--bootstrap-server", self.bootstrap, "describe", "--status")
        return self.nodes[int(next(line for line in status.splitlines() if "LeaderId" in line).split(":")[1])]

    def not_controller(self) -> Node:
        """The first broker that is not the active controller."""
        active = self.active_controller()
        return next(node for node in self.brokers if node is not active)

    def save_tails(self, *nodes: Node) -> None:
        """Copies the data directories of brokers, if the plan asks for them: before something truncates their logs."""
        for node in nodes if self.keeps_tails else ():
            self.note("tails_saved", node=node.id)
            at = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
            for folder in node.dirs if "broker" in node.roles else ():
                with contextlib.suppress(shutil.Error):  # a running broker deletes files; the others are copied
                    shutil.copytree(folder, self.tails / f"node-{node.id}" / at / folder.name, dirs_exist_ok=True)

    def start(self, *nodes: Node) -> None:
        """Starts nodes again. A broker cannot start while ZooKeeper still has the session of its killed process."""
        for node in nodes:
            self.save_tails(node)
            if self.mode == "zk" and "broker" in node.roles:
                self._until(partial(self._is_unregistered, node))
            self.note("start", node=node.id)
            node.launch()

    def kill(self, *nodes: Node, **more: Any) -> None:
        """Ends processes with SIGKILL; the page cache is kept."""
        for node in nodes:
            self.note("kill_9", node=node.id, **more)
            node.signal(signal.SIGKILL)

    def stop(self, *nodes: Node) -> None:
        """Ends processes with SIGTERM: a controlled shutdown."""
        for node in nodes:
            self.note("sigterm", node=node.id)
            node.signal(signal.SIGTERM)
            self.note("stopped", node=node.id)

    def restart(self, node: Node) -> None:
        """Shuts a broker down, starts it, and waits until it is back in every ISR."""
        self.stop(node)
        self.start(node)
        self.heal()
        time.sleep(4)

    def kill_for(self, node: Node, seconds: float, **more: Any) -> None:
        """Kills a broker and starts it again after this time, but not before other brokers lead its partitions."""
        self.kill(node, **more)
        time.sleep(seconds)
        self.wait("others lead", lambda states: all(leader not in (node.id, -1) for leader, _, _ in states.values()))
        self.start(node)

    def fail_directory(self, node: Node, how: str, seconds: float) -> None:
        """Makes a broker's last log directory fail for a time: `disk_full` or `log_dir_read_only`."""
        assert node.disk is not None
        fail, repair = {
            "disk_full": (node.disk.fill, node.disk.empty),
            "log_dir_read_only": (node.disk.fail, node.disk.repair),
        }[how]
        self.note(how, node=node.id, dir=node.disk.at.name)
        fail()
        time.sleep(seconds)
        self.stop(node)
        repair()
        self.start(node)

    def freeze(self, node: Node, seconds: float) -> None:
        """Suspends the process for a time (SIGSTOP, SIGCONT)."""
        self.note("pause", node=node.id)
        node.signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.note("resume", node=node.id)
        node.signal(signal.SIGCONT)

    def cut(self, node: Node, others: Iterable[Node], seconds: float, one_way: bool = False) -> None:
        """Drops packets from `node` to `others` for a time, and packets back unless `one_way`."""
        peers = [other for other in others if other is not node]
        self.part(node, peers, one_way)
        time.sleep(seconds)
        self.mend(node, peers)

    def part(self, node: Node, peers: Sequence[Node], one_way: bool = False) -> None:
        """Begins a cut."""
        self.note("cut", node=node.id, peers=[peer.id for peer in peers], one_way=one_way)
        for peer in peers:
            node.host.drop_to(peer.host)
            if not one_way:
                peer.host.drop_to(node.host)

    def mend(self, node: Node, peers: Sequence[Node]) -> None:
        """Ends a cut."""
        self.save_tails(node, *peers)
        for peer in peers:
            node.host.pass_to(peer.host)
            peer.host.pass_to(node.host)
        self.note("mend", node=node.id)

    def slow_disk(self, node: Node, writes: int, seconds: float) -> None:
        """Limits a broker's disk to this many writes a second for a time."""
        assert node.disk is not None and node.process is not None
        self.note("slow_disk", node=node.id, writes_per_second=writes)
        node.disk.slow(node.process.pid, {"write_iops": writes})
        time.sleep(seconds)
        free(node.process.pid)
        self.note("fast_disk", node=node.id)

    def slow_processor(self, node: Node, percent: int, seconds: float) -> None:
        """Gives a broker this share of one processor for a time."""
        assert node.process is not None
        self.note("slow_processor", node=node.id, percent=percent)
        limit_processor(node.process.pid, percent)
        time.sleep(seconds)
        free(node.process.pid)
        self.note("fast_processor", node=node.id)

    def slow_card(self, node: Node, rate: str, seconds: float) -> None:
        """Limits what a broker's host sends for a time."""
        self.note("slow_link", node=node.id, rate=rate)
        node.host.slow(rate)
        time.sleep(seconds)
        node.host.fast()
        self.note("fast_link", node=node.id)

    def lose_tail(self, node: Node, topic: str, part: float) -> None:
        """Removes the last `part` of the newest segments of a stopped broker, as a power failure does."""
        self.save_tails(node)
        for folder in (folder for data in node.dirs for folder in sorted(data.glob(f"{topic}-*"))):
            newest = sorted(folder.glob("*.log"))[-1]
            size = newest.stat().st_size
            os.truncate(newest, int(size * (1 - part)))
            self.note("tail_lost", node=node.id, partition=folder.name, bytes=size - int(size * (1 - part)))

    def set_clock(self, node: Node, offset_s: float) -> None:
        """Shifts a node's wall clock from its next start."""
        node.environment = fake_clock(offset_s)
        self.note("clock_set", node=node.id, offset_s=offset_s)

    def close(self) -> None:
        """Ends all processes and unmounts the disks."""
        for node in self.nodes.values():
            node.signal(signal.SIGKILL)
            if node.disk:
                node.disk.unmount()
