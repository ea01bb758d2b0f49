"""One recording, from the first start to the folder of a trace."""

from __future__ import annotations

import csv
import gzip
import json
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from traces.recorder.clients import Acked, Consumed, Failed, Reader, Writer, read_everything
from traces.recorder.cluster import Cluster, Node
from traces.recorder.cluster_record import HighWatermark, State, high_watermarks, states_of_dump
from traces.recorder.releases import CACHE, Release
from traces.recorder.sampler import Sampler, checkpoint_files, metadata_dump
from traces.recorder.scenarios import SCENARIOS, Incident, Scenario

_ENDS = {  # what ends a deed
    **dict.fromkeys(("kill_9", "sigterm", "out_of_memory", "crash_loop", "clock_set"), "start"),
    **dict.fromkeys(("disk_full", "log_dir_read_only"), "sigterm"),
    "pause": "resume",
    "cut": "mend",
    "slow_link": "fast_link",
}


@dataclass(frozen=True)
class Plan:
    """What to record: a scenario of a release, and how the cluster differs from the scenario's own."""

    scenario: str
    release: Release
    mode: str
    other_release: Release | None = None
    settings: Mapping[str, str] | None = None
    acks: str | None = None
    replicas: int | None = None
    features: tuple[str, ...] = ()


@dataclass
class Truth:
    """What is known of a recording besides the nodes' own files."""

    acked: list[Acked]
    failed: list[Failed]
    consumed: list[Consumed]
    lost: list[Acked]
    described: str
    sampler: Sampler
    dumps: dict[int, str]


def record(plan: Plan, out: Path) -> dict[str, Any]:
    """Makes the cluster, lets the scenario happen, and writes the trace into `out`."""
    scenario = SCENARIOS[plan.scenario]
    topics = {
        name: replace(topic, acks=plan.acks or topic.acks, replicas=plan.replicas or topic.replicas)
        for name, topic in scenario.topics.items()
    }
    own = dict(scenario.cluster)
    own["settings"] = {**own.get("settings", {}), **(plan.settings or {})}
    work = Path(tempfile.mkdtemp(prefix="kafka-recorder-"))
    cluster = Incident(plan.release, plan.mode, work, features=plan.features, **own)
    cluster.other_release = plan.other_release
    try:
        cluster.launch()
        for name, topic in topics.items():
            cluster.create(name, topic.partitions, topic.replicas, **topic.config)
        cluster.heal()
        sampler = Sampler(cluster)
        sampler.start()
        groups = [None, *["group"] * ("consumer_crash" in scenario.roots)]
        cluster.writers = [Writer(cluster, name, topic.acks, topic.partitions) for name, topic in topics.items()]
        cluster.readers = [Reader(cluster, name, topics[name].partitions, group) for group in groups for name in topics]
        time.sleep(10)
        scenario.act(cluster)
        cluster.heal()
        time.sleep(8)
        truth = _end(cluster, sampler)
        return _write(cluster, plan, scenario, truth, out)
    finally:
        cluster.close()
        shutil.rmtree(work, ignore_errors=True)


def _end(cluster: Incident, sampler: Sampler) -> Truth:
    writers, readers = cluster.writers, cluster.readers
    for writer in writers:
        writer.stop()
    acked = sorted((row for writer in writers for row in writer.acked), key=lambda row: row.t)
    failed = sorted((row for writer in writers for row in writer.failed), key=lambda row: row.t)
    cluster.note("workload_stopped", acked=len(acked), failed=len(failed))
    time.sleep(2)
    for reader in readers:
        reader.stop()
    consumed = sorted((row for reader in readers for row in reader.consumed), key=lambda row: row.t)
    kept = read_everything(cluster, sorted({writer.topic for writer in writers}))
    lost = [row for row in acked if (row.topic, row.partition, row.seq) not in kept]
    zookeeper = ["--zookeeper", cluster.zookeeper] if cluster.mode == "zk" else []
    where = zookeeper if zookeeper and not cluster.release.at_least(2, 2) else ["--bootstrap-server", cluster.bootstrap]
    described = cluster.tool("TopicCommand", *where, "--describe")
    time.sleep(5.5)  # the next write of replication-offset-checkpoint
    sampler.stop()
    dumps = {node.id: metadata_dump(cluster, node) for node in cluster.voters}
    return Truth(acked, failed, consumed, lost, described, sampler, {i: text for i, text in dumps.items() if text})


def _write(cluster: Cluster, plan: Plan, scenario: Scenario, truth: Truth, out: Path) -> dict[str, Any]:
    shutil.rmtree(out, ignore_errors=True)
    (out / "truth").mkdir(parents=True)
    for node in cluster.nodes.values():
        _input_of(node, out / "input" / f"node-{node.id}", cluster)
    (out / "input" / "topics-describe.txt").write_text(truth.described)
    for i, text in truth.dumps.items():
        _put(out / "metadata-dump" / f"node-{i}.txt", _cleaned(text, cluster))
    for start in (note for note in cluster.notes if note["kind"] == "start"):
        at = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(start["t"]))
        seen = (one for one in truth.sampler.samples if one.node == start["node"] and one.t < start["t"])
        for name, text in {one.file: one.text for one in seen}.items():
            _put(out / "disk-before-restart" / f"node-{start['node']}" / at / "data" / name, text)
    states = list(states_of_dump(max(truth.dumps.values(), key=len, default="")))
    told = {state[:3] for state in states}  # a migration writes to the metadata log and to ZooKeeper
    states += [state for state in truth.sampler.states if state[:3] not in told]
    _table(
        out / "truth" / "partition_states.csv", State, sorted(states, key=lambda s: (s.topic, s.partition, s.time_ms))
    )
    for name, row_type, rows in (
        ("acked", Acked, truth.acked),
        ("failed", Failed, truth.failed),
        ("consumed", Consumed, truth.consumed),
    ):
        _table(out / "truth" / f"{name}.csv.gz", row_type, rows)
    _table(out / "truth" / "lost.csv", Acked, truth.lost)
    debug = (path for node in cluster.nodes.values() for path in sorted(node.logs.glob("truth-debug.log*")))
    moves = (move for path in debug for move in high_watermarks(path.read_text(errors="replace").splitlines()))
    _table(out / "truth" / "high_watermarks.csv.gz", HighWatermark, moves)
    _put(out / "truth" / "faults.jsonl", "".join(json.dumps(note) + "\n" for note in cluster.notes))
    incident = _incident(cluster, plan, scenario, truth)
    _put(out / "truth" / "incident.json", json.dumps(incident, indent=1) + "\n")
    return incident


def _incident(cluster: Cluster, plan: Plan, scenario: Scenario, truth: Truth) -> dict[str, Any]:
    counted = {"acked": len(truth.acked), "acked_lost": len(truth.lost), "consumed": len(truth.consumed)}
    asked = {name: getattr(plan, name) for name in ("settings", "acks", "replicas", "features")}
    return {
        "scenario": plan.scenario,
        "kafka_version": plan.release.number,
        "mode": plan.mode,
        "differs": {name: value for name, value in asked.items() if value},
        **counted,
        "roots": list(_roots(cluster.notes, scenario)),
        "also": list(scenario.also),
        "timezone": "UTC",
        "skew_ms": {str(n["node"]): int(n["offset_s"] * 1000) for n in cluster.notes if n["kind"] == "clock_set"},
    }


def _roots(notes: list[dict[str, Any]], scenario: Scenario) -> Iterable[dict[str, Any]]:
    """One root for each kind of deed that the scenario names, over all nodes that it was done to."""
    for kind, codes in scenario.roots.items():
        done = [note for note in notes if note["kind"] == kind and "node" in note]
        if not done:
            continue
        nodes, begin = {note["node"] for note in done}, done[0]["t"]
        ends = [n["t"] for n in notes if n["kind"] == _ENDS.get(kind) and n["t"] > begin and n.get("node") in nodes]
        until = max([*ends, done[-1]["t"]])
        yield {
            "codes": list(codes),
            "broker_ids": sorted(nodes),
            "from_ms": int(begin * 1000),
            "to_ms": int(until * 1000),
        }


def _input_of(node: Node, folder: Path, cluster: Cluster) -> None:
    """What an operator has of a node: its logs, and its checkpoint files."""
    for path in node.logs.iterdir():
        if path.is_file() and path.stat().st_size and not path.name.startswith("truth-debug"):
            _put(folder / path.name, _cleaned(path.read_text(errors="replace"), cluster))
    for path in checkpoint_files(node):
        _put(folder / "data" / path.relative_to(node.home), path.read_text(errors="replace"))


def _cleaned(text: str, cluster: Cluster) -> str:
    """Paths and kernel as on any machine that runs Kafka."""
    text = re.sub(r"os\.version=\S+", "os.version=5.15.0", text)
    text = re.sub(rf"{cluster.work}/node-\d+/logs", "/var/log/kafka", text)
    text = re.sub(rf"{cluster.work}/node-\d+", "/var/lib/kafka", text)
    return re.sub(rf"{CACHE}/[\d.]+/jars", "/opt/kafka/libs", text)


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _table(path: Path, row_type: Any, rows: Iterable[tuple[Any, ...]]) -> None:
    with gzip.open(path, "wt", newline="") if path.suffix == ".gz" else open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(row_type._fields)
        writer.writerows(rows)
