"""State of the running cluster: checkpoint files, partition states of ZooKeeper, the metadata log."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kazoo.client import KazooClient

from traces.recorder.cluster import Cluster, Node
from traces.recorder.cluster_record import State, words


class Sample(NamedTuple):
    """A checkpoint file as it was at this time."""

    t: float
    node: int
    file: str
    text: str


class Sampler(threading.Thread):
    """Copies checkpoint files that change, and in ZooKeeper mode the versions of partition states that it sees when
    it polls.
    """

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(daemon=True)
        self.cluster = cluster
        self.samples: list[Sample] = []
        self.states: list[State] = []
        self._seen: dict[object, object] = {}
        self._goes_on = True

    def run(self) -> None:
        """Polls several times a second."""
        client = KazooClient(self.cluster.zookeeper, read_only=True) if self.cluster.mode == "zk" else None
        if client:
            client.start(20)
        while self._goes_on:
            self._checkpoints()
            if client:
                with contextlib.suppress(Exception):
                    self._znodes(client)
            time.sleep(0.15)
        if client:
            client.stop()

    def stop(self) -> None:
        """Ends the thread."""
        self._goes_on = False
        self.join(10)

    def _checkpoints(self) -> None:
        for node in self.cluster.brokers:
            for path in checkpoint_files(node):
                with contextlib.suppress(OSError):
                    state = path.stat()
                    version = (state.st_mtime_ns, state.st_ino)
                    if self._seen.get(path) != version:
                        text = path.read_text()
                        self._seen[path] = version
                        self.samples.append(Sample(time.time(), node.id, str(path.relative_to(node.home)), text))

    def _znodes(self, client: KazooClient) -> None:
        for topic in client.get_children("/brokers/topics"):
            assigned = json.loads(client.get(f"/brokers/topics/{topic}")[0])["partitions"]
            for partition in client.get_children(f"/brokers/topics/{topic}/partitions"):
                found, status = client.get(f"/brokers/topics/{topic}/partitions/{partition}/state")
                if self._seen.get((topic, partition)) == status.czxid + status.version:
                    continue
                self._seen[topic, partition] = status.czxid + status.version
                state = json.loads(found)
                row = (status.version, state["leader_epoch"], state["leader"], words(state["isr"]))
                replicas = words(assigned.get(partition, []))
                self.states.append(State(topic, int(partition), *row, replicas, status.mtime, "", ""))


def checkpoint_files(node: Node) -> Iterator[Path]:
    """The checkpoint files of offsets and leader epochs, and the files about the node's cluster."""
    for data in node.dirs:
        for pattern in ("*-checkpoint", "*/leader-epoch-checkpoint", "meta.properties", "*/quorum-state"):
            yield from data.glob(pattern)


def metadata_dump(cluster: Cluster, node: Node) -> str:
    """The metadata log of a controller, decoded by Kafka's own tool; empty if it has none."""
    segments = sorted(node.dirs[0].glob("__cluster_metadata-0/*.log"))
    if not segments:
        return ""
    files = ",".join(map(str, segments))
    return cluster.tool("DumpLogSegments", "--cluster-metadata-decoder", "--files", files)
