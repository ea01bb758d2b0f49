"""`kafka-replay collect` with tools that print anything, nothing, or without an end, or that hang: an archive with a
note, or one line with status 2.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import tracemalloc
from pathlib import Path

import pytest

from pipelines import tools
from pipelines.evidence_files import within
from replay.errors import ReplayError
from tests.test_collecting import LOG, collected, names, read, tool

POD = '{"metadata": {"name": "kafka-1"}, "spec": {"nodeName": "n1", "containers": [{"name": "kafka"}]}}'
CHECKPOINTS = "printf '/var/lib/kafka/data/meta.properties\\n10\\nnode.id=1\\n\\n'"
ODD = ("not JSON", "[]", "5", "null", '{"items": null}', '{"items": [1, null, []]}', '{"items": [{"metadata": {}}]}', '{"items": [{"metadata": {"name": "x"}, "involvedObject": "x", "status": []}]}', "\\377\\376{}", "[" * 5_000)  # fmt: skip
LISTED = '{"Name": "kafka-1", "Service": "kafka-1", "Image": "apache/kafka"}'
INSPECTED = '[{"Config": {"Image": "apache/kafka", "Env": ["KAFKA_NODE_ID=1"]}}]'


@pytest.fixture(autouse=True)
def impatient(tmp_path, monkeypatch):
    """No tool of this machine answers, and nobody waits long."""
    monkeypatch.setattr(tools, "SILENT_S", 0.5)
    monkeypatch.setattr(tools, "WAIT_S", 2.0)
    for name in ("journalctl", "dmesg", "systemctl"):
        tool(tmp_path, name, "exit 1", monkeypatch)


def noted(archive: Path) -> list[str]:
    return json.loads(read(archive, "collected.json"))["missing"]


def refused_or_noted(archive: Path, *arguments: str) -> str:
    """What the command says: the error with status 2, or the notes."""
    archive.unlink(missing_ok=True)
    done = collected(*arguments, "--out", archive)
    if done.exit_code:
        assert isinstance(done.exception, ReplayError), done.exception
        assert not archive.exists()
        return str(done.exception)
    return "\n".join(noted(archive))


@pytest.mark.parametrize("asked", ["get pods --selector", "get nodes", "get events", "get pods --all"])
def test_kubectl_that_prints_something_else(tmp_path, monkeypatch, asked):
    for odd in ODD:
        (tmp_path / "odd").write_bytes(odd.encode().decode("unicode_escape").encode("latin-1"))
        script = f"""case "$*" in
*"{asked}"*) cat {tmp_path}/odd ;;
*"get pods --selector"*) echo '{{"items": [{POD}]}}' ;;
*exec*) {CHECKPOINTS} ;;
*logs*) echo '{LOG.strip()}' ;;
*) echo '{{"items": []}}' ;;
esac
"""
        tool(tmp_path, "kubectl", script, monkeypatch)
        told = refused_or_noted(tmp_path / "a.tar.gz", "kubernetes")
        if asked == "get pods --selector":
            assert told.startswith("no pod with the labels") or "no JSON" in told, odd
        else:
            assert names(tmp_path / "a.tar.gz")[0].endswith("/meta.properties"), odd


@pytest.mark.parametrize("asked", ["ps", "inspect", "events", "cp", "logs"])
def test_docker_that_prints_something_else(tmp_path, monkeypatch, asked):
    for odd in ODD:
        (tmp_path / "odd").write_bytes(odd.encode().decode("unicode_escape").encode("latin-1"))
        script = f"""case "$*" in
*" {asked} "*|{asked}*) cat {tmp_path}/odd ;;
*" ps "*) echo '{LISTED}' ;;
inspect*) echo '{INSPECTED}' ;;
logs*) echo '{LOG.strip()}' ;;
*) exit 1 ;;
esac
"""
        tool(tmp_path, "docker", script, monkeypatch)
        told = refused_or_noted(tmp_path / "a.tar.gz", "compose")
        if asked in ("ps", "inspect"):
            assert told, odd
        else:
            assert "node-1/stdout/server.log" in names(tmp_path / "a.tar.gz"), odd


def test_a_tool_that_hangs_costs_a_note_and_nothing_else(tmp_path, monkeypatch):
    script = f"""case "$*" in
*" ps "*) echo '{LISTED}' ;;
inspect*) echo '{INSPECTED}' ;;
cp*) head -c 300000 /dev/zero >&2; exec sleep 1000 ;;
logs*) echo '{LOG.strip()}'; exec sleep 1000 ;;
*) exit 1 ;;
esac
"""
    tool(tmp_path, "docker", script, monkeypatch)
    assert collected("compose", "--out", tmp_path / "a.tar.gz").exit_code == 0
    assert read(tmp_path / "a.tar.gz", "stdout/server.log") == LOG
    told = noted(tmp_path / "a.tar.gz")
    assert len([note for note in told if "no answer within" in note]) == 2, told
    tool(tmp_path, "docker", "exec sleep 1000", monkeypatch)
    assert "no answer within" in refused_or_noted(tmp_path / "b.tar.gz", "compose")
    tool(tmp_path, "systemctl", "exec sleep 1000", monkeypatch)
    monkeypatch.setattr("pipelines.deployments._of_process", str)  # whatever runs on this host
    assert "no running Kafka" in refused_or_noted(tmp_path / "b.tar.gz", "systemd", "--unit", "kafka")


def test_errors_without_an_end_block_nothing(tmp_path, monkeypatch):
    script = f"""case "$*" in
*" ps "*) echo '{LISTED}' ;;
inspect*) echo '{INSPECTED}' ;;
cp*) head -c 300000 /dev/zero | tr '\\0' e >&2; exit 1 ;;
logs*) echo '{LOG.strip()}' ;;
esac
"""
    tool(tmp_path, "docker", script, monkeypatch)
    done = collected("compose", "--data", "/data", "--out", tmp_path / "a.tar.gz")
    assert done.exit_code == 0, done.output
    assert [len(note) < 300 for note in noted(tmp_path / "a.tar.gz") if "eee" in note] == [True]


def test_a_log_of_any_size_takes_little_memory_and_has_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(tools, "MOST_BYTES", 30_000_000)
    script = f"""case "$*" in
*" ps "*) echo '{LISTED}' ;;
inspect*) echo '{INSPECTED}' ;;
logs*) exec yes '{LOG.strip()}' ;;
*) exit 1 ;;
esac
"""
    tool(tmp_path, "docker", script, monkeypatch)
    monkeypatch.setattr(tools, "WAIT_S", 60.0)
    tracemalloc.start()
    try:
        done = collected("compose", "--out", tmp_path / "a.tar.gz")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert done.exit_code == 0, done.output
    assert peak < 10_000_000
    with tarfile.open(tmp_path / "a.tar.gz") as tar:
        assert 29_000_000 < tar.getmember("node-1/stdout/server.log").size <= 30_000_000
    assert "ended after" in "".join(noted(tmp_path / "a.tar.gz"))


def test_names_from_outside_are_no_paths_and_no_options(tmp_path, monkeypatch):
    script = f"""case "$*" in
*" ps "*) echo '{{"Name": "kafka-1", "Service": "../../kafka"}}'; echo '{{"Name": "--help", "Service": "kafka"}}' ;;
inspect*) echo '[{{"Name": null, "State": null, "Config": {{"Env": ["KAFKA_X=1"]}}}}]' ;;
logs*) echo '{LOG.strip()}' ;;
*) exit 1 ;;
esac
"""
    tool(tmp_path, "docker", script, monkeypatch)
    assert collected("compose", "--out", tmp_path / "a.tar.gz").exit_code == 0
    for name in names(tmp_path / "a.tar.gz"):
        assert ".." not in name.split("/") and not name.startswith("/"), name
    assert "'--help' is no name" in "".join(noted(tmp_path / "a.tar.gz"))
    assert [within(name) for name in ("a/../../b", "/etc/passwd", "a/./b", "a\nb\\c")] == ["a/_/_/b", "etc/passwd", "a/_/b", "a_b_c"]  # fmt: skip


def test_a_link_out_of_the_folder_of_the_logs_is_not_followed(tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "secret.log").write_text("mine")
    (tmp_path / "logs" / "server.log.1").write_text(LOG)
    (tmp_path / "logs" / "server.log").symlink_to("server.log.1")
    (tmp_path / "logs" / "controller.log").symlink_to(tmp_path / "secret.log")
    done = collected("systemd", "--unit", "", "--node", 1, "--logs", tmp_path / "logs", "--out", tmp_path / "a.tar.gz")
    assert done.exit_code == 0, done.output
    assert [name for name in names(tmp_path / "a.tar.gz") if "logs/" in name] == [
        "node-1/logs/server.log",
        "node-1/logs/server.log.1",
    ]
    assert "controller.log: a link to" in "".join(noted(tmp_path / "a.tar.gz"))


def test_collecting_imports_nothing_large():
    """A broker's host needs its memory for its broker."""
    script = "import sys, pipelines.commands.collect, pipelines.deployments; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pandas", "pyspark", "pyarrow", "numpy"} & set(loaded)
