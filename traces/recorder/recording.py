"""One recording, from the first start to the folder of a trace."""

from __future__ import annotations

import csv
import gzip
import json
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from traces.recorder.clients import Acked, Consumed, Failed, Reader, Writer, read_everything
from traces.recorder.cluster import Cluster, Node
from traces.recorder.cluster_record import Counts, HighWatermark, State, compared, high_watermarks, states_of_dump
from traces.recorder.metrics import Metrics, agent
from traces.recorder.releases import CACHE, Release
from traces.recorder.sampler import Sampler, checkpoint_files, metadata_dump
from traces.recorder.scenarios import SCENARIOS, Incident, Scenario

_ENDS = {  # what ends an action
    **dict.fromkeys(("kill_9", "sigterm", "out_of_memory", "crash_loop", "clock_set"), "start"),
    **dict.fromkeys(("disk_full", "log_dir_read_only"), "sigterm"),
    "pause": "resume",
    "cut": "mend",
    "slow_link": "fast_link",
    "slow_disk": "fast_disk",
    "slow_processor": "fast_processor",
    "many_requests": "few_requests",
    "full_heap": "free_heap",
    "lagging_reader": "readers_gone",
    "reassign": "reassigned",
    "compact": "compacted",
}


@dataclass(frozen=True)
class Plan:
    """What to record: a scenario of a release, and how the cluster differs from the scenario's default."""

    scenario: str
    release: Release
    mode: str
    other_release: Release | None = None
    settings: Mapping[str, str] | None = None
    acks: str | None = None
    replicas: int | None = None
    features: tuple[str, ...] = ()
    producer: Mapping[str, str] | None = None
    then: str | None = None
    metrics: bool = False


@dataclass
class Truth:
    """The truth of a recording: rows of the clients by table, the records that can be read, and the output of tools."""

    rows: dict[str, list[Any]]
    kept: Counts
    described: str
    sampler: Sampler
    dumps: dict[int, str]


def record(plan: Plan, out: Path) -> dict[str, Any]:
    """Starts the cluster, runs the scenario, and writes the trace into `out`."""
    scenario = SCENARIOS[plan.scenario]
    topics = {
        name: replace(topic, acks=plan.acks or topic.acks, replicas=plan.replicas or topic.replicas)
        for name, topic in scenario.topics.items()
    }
    own = dict(scenario.cluster)
    own["settings"] = {**own.get("settings", {}), **(plan.settings or {})}
    work = Path(tempfile.mkdtemp(prefix="kafka-recorder-"))
    cluster = Incident(plan.release, plan.mode, work, features=plan.features, **own)
    cluster.other_release, cluster.keeps_tails = plan.other_release, plan.then is not None
    metrics = Metrics(cluster, agent(CACHE)) if plan.metrics else None
    try:
        cluster.launch()
        if metrics:
            metrics.launch()
        for name, topic in topics.items():
            cluster.create(name, topic.partitions, topic.replicas, **topic.config)
        cluster.heal()
        sampler = Sampler(cluster)
        sampler.start()
        groups = [None, *["group"] * ("consumer_crash" in scenario.roots)]
        more = plan.producer or {}
        cluster.writers = [
            Writer(cluster, name, topic.acks, topic.partitions, **more) for name, topic in topics.items()
        ]
        cluster.readers = [Reader(cluster, name, topics[name].partitions, group) for group in groups for name in topics]
        time.sleep(10)
        scenario.act(cluster)
        cluster.heal()
        time.sleep(8)
        truth = _end(cluster, sampler)
        incident = _write(cluster, plan, scenario, truth, out)
        if plan.then is not None:
            incident["rescued"] = _rescued(cluster, plan.then, truth, out)
            _put(out / "truth" / "incident.json", json.dumps(incident, indent=1) + "\n")
        if metrics:
            metrics.stop(out / "prometheus")
        return incident
    finally:
        cluster.close()
        shutil.rmtree(work, ignore_errors=True)


def _rescued(cluster: Incident, then: str, truth: Truth, out: Path) -> dict[str, int]:
    """Saves the tails of all brokers, runs a command beside the cluster, and counts the records again.

    The command gets the trace's folder, with `tails/`, and the addresses of the brokers.
    """
    cluster.save_tails(*cluster.brokers)
    shutil.copytree(cluster.tails, out / "tails")
    subprocess.run([*then.split(), str(out), cluster.bootstrap], check=True)
    again = read_everything(cluster, sorted({writer.topic for writer in cluster.writers}))
    lost = {(row.topic, row.partition, row.seq) for row in truth.rows["lost"]}
    return compared(truth.kept, again, lost)


def _end(cluster: Incident, sampler: Sampler) -> Truth:
    rows: dict[str, list[Any]] = {}
    for writer in cluster.writers:
        writer.stop()
    rows["acked"] = _in_order(writer.acked for writer in cluster.writers)
    rows["failed"] = _in_order(writer.failed for writer in cluster.writers)
    cluster.note("workload_stopped", acked=len(rows["acked"]), failed=len(rows["failed"]))
    time.sleep(2)
    for reader in cluster.readers:
        reader.stop()
    rows["consumed"] = _in_order(reader.consumed for reader in cluster.readers)
    kept = read_everything(cluster, sorted({writer.topic for writer in cluster.writers}))
    rows["lost"] = [row for row in rows["acked"] if (row.topic, row.partition, row.seq) not in kept]
    old = cluster.mode == "zk" and not cluster.release.at_least(2, 2)
    where = ["--zookeeper", cluster.zookeeper] if old else ["--bootstrap-server", cluster.bootstrap]
    described = cluster.tool("TopicCommand", *where, "--describe")
    time.sleep(5.5)  # the next write of replication-offset-checkpoint
    sampler.stop()
    dumps = {node.id: metadata_dump(cluster, node) for node in cluster.voters}
    return Truth(rows, kept, described, sampler, {i: text for i, text in dumps.items() if text})


def _in_order(rows: Iterable[list[Any]]) -> list[Any]:
    return sorted((row for own in rows for row in own), key=lambda row: row.t)


def _write(cluster: Cluster, plan: Plan, scenario: Scenario, truth: Truth, out: Path) -> dict[str, Any]:
    shutil.rmtree(out, ignore_errors=True)
    for node in cluster.nodes.values():
        _input_of(node, out / "input" / f"node-{node.id}", cluster)
    _put(out / "input" / "topics-describe.txt", truth.described)
    for i, text in truth.dumps.items():
        _put(out / "metadata-dump" / f"node-{i}.txt", _cleaned(text, cluster))
    for start in (note for note in cluster.notes if note["kind"] == "start"):
        at = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(start["t"]))
        seen = (one for one in truth.sampler.samples if one.node == start["node"] and one.t < start["t"])
        for name, text in {one.file: one.text for one in seen}.items():
            _put(out / "disk-before-restart" / f"node-{start['node']}" / at / "data" / name, text)
    _put(out / "truth" / "faults.jsonl", "".join(json.dumps(note) + "\n" for note in cluster.notes))
    _tables(cluster, truth, out / "truth")
    incident = _incident(cluster, plan, scenario, truth)
    _put(out / "truth" / "incident.json", json.dumps(incident, indent=1) + "\n")
    return incident


def _tables(cluster: Cluster, truth: Truth, folder: Path) -> None:
    states = list(states_of_dump(max(truth.dumps.values(), key=len, default="")))
    dumped = {state[:3] for state in states}  # a migration writes to the metadata log and to ZooKeeper
    states += [state for state in truth.sampler.states if state[:3] not in dumped]
    states.sort(key=lambda s: (s.topic, s.partition, s.time_ms))
    _table(folder / "partition_states.csv", State, states)
    for name, row_type in (("acked", Acked), ("failed", Failed), ("consumed", Consumed)):
        _table(folder / f"{name}.csv.gz", row_type, truth.rows[name])
    _table(folder / "lost.csv", Acked, truth.rows["lost"])
    debug = (path for node in cluster.nodes.values() for path in sorted(node.logs.glob("truth-debug.log*")))
    moves = (move for path in debug for move in high_watermarks(path.read_text(errors="replace").splitlines()))
    _table(folder / "high_watermarks.csv.gz", HighWatermark, moves)


def _incident(cluster: Cluster, plan: Plan, scenario: Scenario, truth: Truth) -> dict[str, Any]:
    counted = {"acked": "acked", "acked_lost": "lost", "consumed": "consumed"}
    asked = {name: getattr(plan, name) for name in ("settings", "acks", "replicas", "features", "producer")}
    return {
        "scenario": plan.scenario,
        "kafka_version": plan.release.number,
        "mode": plan.mode,
        "differs": {name: value for name, value in asked.items() if value},
        **{name: len(truth.rows[table]) for name, table in counted.items()},
        "roots": list(_roots(cluster.notes, scenario)),
        "also": scenario.also,
        "timezone": "UTC",
        "skew_ms": {str(n["node"]): int(n["offset_s"] * 1000) for n in cluster.notes if n["kind"] == "clock_set"},
    }


def _roots(notes: list[dict[str, Any]], scenario: Scenario) -> Iterable[dict[str, Any]]:
    """One root for each kind of action that the scenario names, with all affected nodes."""
    for kind, codes in scenario.roots.items():
        done = [note for note in notes if note["kind"] == kind and "node" in note]
        if not done:
            continue
        nodes, begin = {note["node"] for note in done}, done[0]["t"]
        ends = [n["t"] for n in notes if n["kind"] == _ENDS.get(kind) and n["t"] > begin and n.get("node") in nodes]
        times = {"from_ms": int(begin * 1000), "to_ms": int(max([*ends, done[-1]["t"]]) * 1000)}
        yield {"codes": codes, "broker_ids": sorted(nodes), **times}


def _input_of(node: Node, folder: Path, cluster: Cluster) -> None:
    """Writes what an operator has of a node: its logs, and its checkpoint files."""
    for path in node.logs.iterdir():
        if path.is_file() and path.stat().st_size and not path.name.startswith("truth-debug"):
            _put(folder / path.name, _cleaned(path.read_text(errors="replace"), cluster))
    for path in checkpoint_files(node):
        _put(folder / "data" / path.relative_to(node.home), path.read_text(errors="replace"))


def _cleaned(text: str, cluster: Cluster) -> str:
    """Replaces the paths and the kernel version of this machine."""
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
