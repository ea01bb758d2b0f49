"""Witnesses of hosts, containers and operators among the inputs: whose they are, and files that are a log and a witness at once."""

from __future__ import annotations

from pathlib import Path

from pipelines.inputs import gather
from pipelines.reading import records_here
from tests.reading.test_host_witnesses import DMESG_T, EVENTS_TABLE, HS_ERR_17, INSPECT, OPERATOR, PODS, SYSLOG

STARTED = "[2026-11-21 05:34:44,000] INFO [KafkaServer id={node}] started (kafka.server.KafkaServer)\n"


def laid(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def told_of(
    folder: Path, work: Path, nodes: dict[int, Path] | None = None
) -> list[tuple[str, int, str | None, int | None]]:
    """File, line, kind and node of all that a template or a form knows."""
    inputs = gather([folder] if nodes is None else [], nodes or {}, work)
    told = [(r.source_file, r.line_number, r.kind, r.node_id) for r in records_here(inputs)]
    return sorted(one for one in told if one[2] not in (None, "kernel_heard"))


def test_each_witness_is_of_the_node_that_it_names_or_of_its_folder(tmp_path):
    files = {
        "node-1/server.log": STARTED.format(node=1),
        "node-1/hs_err_pid17.log": HS_ERR_17,
        "node-1/dmesg.txt": DMESG_T,
        "messages": SYSLOG,
        "inspect.json": INSPECT,
        "kubernetes/pods.json": PODS,
        "node-1/events.txt": EVENTS_TABLE,
        "operator.log": OPERATOR,
    }
    told = told_of(laid(tmp_path / "in", files), tmp_path / "work")
    assert {(file, kind, node) for file, _, kind, node in told if kind != "broker_started"} == {
        ("inspect.json", "container_oom_killed", 2),
        ("kubernetes/pods.json", "container_oom_killed", 2),
        ("kubernetes/pods.json", "pod_evicted", 2),
        ("kubernetes/pods.json", "pod_placed", 2),
        ("messages", "kernel_oom_kill", 2),
        ("messages", "kernel_oom_victim", 2),
        ("node-1/dmesg.txt", "kernel_cgroup_oom_kill", 1),
        ("node-1/dmesg.txt", "kernel_oom_constraint", 1),
        ("node-1/events.txt", "machine_not_ready", None),
        ("node-1/events.txt", "pod_evicted", 0),
        ("node-1/events.txt", "probe_failed", 1),
        ("node-1/hs_err_pid17.log", "jvm_crash", 1),
        ("operator.log", "operator_put_off_roll", 2),
        ("operator.log", "operator_saw_few_in_sync", 2),
        ("operator.log", "operator_rolled_pod", 0),
        ("operator.log", "operator_rolled_pod", 1),
    }


def test_a_journal_holds_what_kafka_printed_and_what_systemd_did_to_it(tmp_path):
    """Both are read, each line with its own number; a stamp without a year is of Kafka's year."""
    lines = [
        "Nov 21 05:34:43 host-b systemd[1]: Started Apache Kafka.",
        *["Nov 21 05:34:44 host-b kafka-server-start.sh[22]: " + STARTED.format(node=2).strip()] * 3,
        "Nov 21 05:37:33 host-b systemd[1]: kafka.service: Main process exited, code=killed, status=9/KILL",
    ]
    folder = laid(tmp_path / "in", {"journal.txt": "\n".join(lines) + "\n"})
    told = told_of(folder, tmp_path / "work")
    assert [(line, kind, node) for _, line, kind, node in told] == [
        (1, "systemd_started", 2),
        (2, "broker_started", 2),
        (3, "broker_started", 2),
        (4, "broker_started", 2),
        (5, "systemd_exited", 2),
    ]
    inputs = gather([folder], {}, tmp_path / "again")
    assert [text.name for text in inputs.taken.texts] == ["journal.txt"]
    exited = next(r for r in records_here(inputs) if r.kind == "systemd_exited")
    assert f"{exited.raw_ts}" == "2026-11-21 05:37:33+00:00"


def test_its_owner_may_say_whose_a_witness_is(tmp_path):
    folder = laid(tmp_path / "in", {"a/server.log": STARTED.format(node=7), "a/log.txt": DMESG_T})
    assert [(kind, node) for _, _, kind, node in told_of(folder, tmp_path / "work", {7: folder})] == [
        ("kernel_oom_constraint", 7),
        ("kernel_cgroup_oom_kill", 7),
        ("broker_started", 7),
    ]


def test_what_java_prints_of_its_own_end_has_the_time_of_the_line_before_it(tmp_path):
    text = STARTED.format(node=2) + "Terminating due to java.lang.OutOfMemoryError: Java heap space\n"
    inputs = gather([laid(tmp_path / "in", {"server.log": text})], {}, tmp_path / "work")
    told = [(r.kind, r.node_id, r.logger, f"{r.raw_ts:%H:%M:%S}") for r in records_here(inputs)]
    assert told == [
        ("broker_started", 2, "kafka.server.KafkaServer", "05:34:44"),
        ("jvm_out_of_memory_exit", 2, None, "05:34:44"),
    ]
