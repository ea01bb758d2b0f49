"""`kafka-replay collect`: which files it takes, in which order, of a host, of Docker Compose and of Kubernetes."""

from __future__ import annotations

import json
import os
import random
import re
import stat
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pipelines.cli import main_group
from pipelines.evidence_files import MASK, Archive, is_checkpoint, is_log, masked
from pipelines.inputs import gather
from pipelines.reading import records_here
from replay.catalogue import TEMPLATES
from replay.catalogue.kinds import HOST_KINDS
from replay.errors import OutputError, ReplayError
from tests.each import for_each
from tests.full_disk import files_end_at
from tests.reading.test_host_witnesses import HS_ERR_17

LOG = "[2026-11-21 05:37:40,001] INFO [KafkaServer id=3] started (kafka.server.KafkaServer)\n"
CHECKPOINT = "0\n1\norders 0 599\n"


def a_node(folder: Path) -> tuple[Path, Path, Path]:
    """The data directory, the log folder and the settings of a broker 3 that died."""
    data, logs, config = folder / "data0", folder / "logs", folder / "server.properties"
    (data / "orders-0").mkdir(parents=True)
    logs.mkdir()
    for name in (
        "replication-offset-checkpoint",
        "recovery-point-offset-checkpoint",
        "orders-0/leader-epoch-checkpoint",
    ):
        (data / name).write_text(CHECKPOINT)
    (data / "meta.properties").write_text("version=1\nnode.id=3\ncluster.id=abc\n")
    (data / "orders-0" / "00000000000000000000.log").write_bytes(bytes(1_000))
    for name in ("server.log", "server.log.1", "controller.log", "kafka-request.log", "notes.bin"):
        (logs / name).write_text(LOG if name == "server.log" else f"{LOG}{name}\n")
    config.write_text(
        f"broker.id=3\nlog.dirs={data}\nssl.key.password=hunter2\nsasl.jaas.config=a \\\n  b;\nlisteners=X://:9092\n"
    )
    return data, logs, config


def collected(*arguments: object) -> Result:
    return CliRunner().invoke(main_group, ["collect", *map(str, arguments)])


def names(archive: Path) -> list[str]:
    with tarfile.open(archive) as tar:
        return tar.getnames()


def read(archive: Path, ending: str) -> str:
    with tarfile.open(archive) as tar:
        (name,) = [name for name in tar.getnames() if name.endswith(ending)]
        return tar.extractfile(name).read().decode()


def test_a_hosts_checkpoints_come_first_then_logs_then_settings(tmp_path):
    data, logs, config = a_node(tmp_path)
    out = tmp_path / "node-3.tar.gz"
    done = collected("systemd", "--config", config, "--logs", logs, "--data", data, "--out", out)
    assert done.exit_code == 0, done.output
    taken = [n for n in names(out) if "/host/" not in n]  # what the machine says that this test runs on
    kinds = [
        "checkpoint" if "/data/" in n else "log" if "/logs/" in n else "config" if "/config/" in n else "told"
        for n in taken
    ]
    assert kinds == ["checkpoint"] * 4 + ["log"] * 3 + ["config", "told"]
    assert any(
        n.split("/")[0] == "node-3" and n.endswith("Z/data/data0/orders-0/leader-epoch-checkpoint") for n in taken
    )
    assert not [n for n in taken if "request" in n or "0000" in n]
    assert f"Next: kafka-replay analyze {out}" in done.output


def test_secrets_stay_on_the_host_and_the_list_of_files_shows_what_was_taken(tmp_path):
    data, logs, config = a_node(tmp_path)
    assert (
        collected(
            "systemd", "--config", config, "--logs", logs, "--data", data, "--out", tmp_path / "a.tar.gz"
        ).exit_code
        == 0
    )
    settings = read(tmp_path / "a.tar.gz", "server.properties")
    assert "hunter2" not in settings and "  b;" not in settings
    assert f"ssl.key.password={MASK}\nsasl.jaas.config={MASK}\nlisteners=X://:9092\n" in settings
    told = json.loads(read(tmp_path / "a.tar.gz", "collected.json"))
    assert {piece["name"] for piece in told["taken"]} >= set(names(tmp_path / "a.tar.gz")) - {"collected.json"}


NAMED_LOG = (
    "[2026-11-21 05:37:40,001] INFO [KafkaServer id=3] started (kafka.server.KafkaServer)\n"
    "[2026-11-21 05:37:41,001] INFO [Partition orders-0 broker=3] Expanding ISR from 3 to 3,1 (kafka.cluster.Partition)\n"
    "[2026-11-21 05:37:42,001] WARN [ReplicaFetcher replicaId=3, leaderId=1, fetcherId=0] Connection to node 1 (broker-a.acme.example/10.9.8.7:9092) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)\n"
    "[2026-11-21 05:37:43,001] WARN my.pass = s3cr3t (com.example.Login)\n"
)


def test_names_are_replaced_alike_in_the_archives_of_all_hosts(tmp_path):
    """The archives of two hosts, redacted each for itself: nothing tells whose they are, and what they say still fits together."""
    for host in ("one", "two"):
        data, logs, config = a_node(tmp_path / host)
        (logs / "server.log").write_text(NAMED_LOG)
        with config.open("a") as settings:
            settings.write("advertised.listeners=PLAINTEXT://broker-c.acme.example:9092\n")
        out = tmp_path / f"{host}.tar.gz"
        done = collected(
            "systemd", "--config", config, "--logs", logs, "--data", data, "--unit", "", "--out", out, "--redact"
        )
        assert done.exit_code == 0, done.output
        assert "Names replaced: 1 topic, 3 hosts and addresses, 1 cluster id; 1 secret hidden." in done.output
        held = "".join(read(out, name) for name in names(out)) + " ".join(names(out))
        assert not [name for name in ("orders", "acme", "10.9.8.7", "abc", "s3cr3t", "hunter2") if name in held]
        assert sorted(os.listdir(tmp_path)) == ["one", "one.tar.gz"] + ["two", "two.tar.gz"] * (host == "two")
    one, two = (read(tmp_path / f"{host}.tar.gz", "logs/server.log") for host in ("one", "two"))
    assert one == two and one.count("\n") == NAMED_LOG.count("\n")
    (topic,) = set(re.findall(r"Partition (\S+)-0 broker", one))
    assert f"\n{topic} 0 599\n" in read(tmp_path / "two.tar.gz", "replication-offset-checkpoint")
    assert any(name.endswith(f"/{topic}-0/leader-epoch-checkpoint") for name in names(tmp_path / "one.tar.gz"))
    found = gather([str(tmp_path / "one.tar.gz")], {}, tmp_path / "work")
    assert {source.node_id for source in found.sources} == {3}
    assert kinds_of(one) == kinds_of(NAMED_LOG)
    assert [kinds for kinds in kinds_of(one) if "isr_expand" in kinds]


def kinds_of(log: str) -> list[set[str]]:
    """The kinds of event whose templates fit each line."""
    messages = [re.sub(r"^\[.*?\] \w+ (.*) \(\S+\)$", r"\1", line) for line in log.splitlines()]
    return [{template.kind for template in TEMPLATES if template.fields_of(said)} for said in messages]


def test_data_and_node_are_reported_by_the_settings(tmp_path):
    _, logs, config = a_node(tmp_path)
    assert collected("systemd", "--config", config, "--logs", logs, "--out", tmp_path / "a.tar.gz").exit_code == 0
    assert len([n for n in names(tmp_path / "a.tar.gz") if n.startswith("node-3/") and "/data/data0/" in n]) == 4


def test_the_archive_is_an_input_as_it_is(tmp_path):
    data, logs, config = a_node(tmp_path)
    collected("systemd", "--config", config, "--logs", logs, "--data", data, "--out", tmp_path / "a.tar.gz")
    found = gather([str(tmp_path / "a.tar.gz")], {}, tmp_path / "work")
    read_as = {
        source.source_file.rsplit("/", 1)[-1]: (source.node_id, source.as_of is not None) for source in found.sources
    }
    assert read_as["server.log"] == (3, False)
    assert read_as["replication-offset-checkpoint"] == (3, True)


def test_an_archive_that_is_there_is_kept_and_a_failed_run_leaves_none(tmp_path):
    data, logs, config = a_node(tmp_path)
    (tmp_path / "a.tar.gz").write_text("mine")
    done = collected("systemd", "--config", config, "--logs", logs, "--out", tmp_path / "a.tar.gz")
    assert isinstance(done.exception, ReplayError) and "exists" in str(done.exception)
    assert (tmp_path / "a.tar.gz").read_text() == "mine"
    (data / "meta.properties").unlink()
    done = collected("systemd", "--unit", "none", "--logs", logs, "--data", data, "--out", tmp_path / "b.tar.gz")
    assert isinstance(done.exception, ReplayError) and "--node" in str(done.exception)
    assert not [path for path in tmp_path.iterdir() if "b.tar" in path.name]


def tool(folder: Path, name: str, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of that name, first on the PATH: what it answers is what the real one does."""
    program = folder / "bin" / name
    program.parent.mkdir(exist_ok=True)
    program.write_text("#!/bin/sh\n" + script)
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")


@pytest.mark.parametrize("size", [100, 20_000])
def test_an_archive_on_a_full_disk_is_an_error_and_leaves_nothing(tmp_path, size):
    """Not a note that a file could not be read, in an archive that cannot be unpacked."""
    logs, out = tmp_path / "logs", tmp_path / "out"
    logs.mkdir()
    out.mkdir()
    (logs / "server.log").write_bytes(random.Random(1).randbytes(100_000))
    archive = Archive(out / "e.tar.gz")
    full = pytest.raises(OutputError, match=r"e\.tar\.gz: cannot be written \(File too large\)")
    with files_end_at(size), full, archive:
        archive.add_file("node-1/server.log", logs / "server.log")
        archive.add_file("node-1/controller.log", logs / "server.log")
    assert not archive.missing and not list(out.iterdir())


def test_a_compose_project_with_a_stopped_container(tmp_path, monkeypatch):
    data, logs, _ = a_node(tmp_path)
    inspected = [{"Config": {"Image": "apache/kafka:3.9.1", "Env": ["KAFKA_NODE_ID=3", "KAFKA_LOG_DIRS=/tmp/x"]}}]
    (tmp_path / "inspected.json").write_text(json.dumps(inspected))
    tool(
        tmp_path,
        "docker",
        f"""case "$*" in
*" ps "*) echo '{{"Name": "kafka-c", "Service": "broker", "State": "exited"}}' ;;
inspect*) cat {tmp_path}/inspected.json ;;
"cp kafka-c:/tmp/x/. -") tar -C {data} -cf - . ;;
"cp kafka-c:/opt/kafka/logs/. -") tar -C {logs} -cf - . ;;
logs*) cat {logs}/server.log >&2 ;;
*) echo "no such path" >&2; exit 1 ;;
esac
""",
        monkeypatch,
    )
    for name in ("journalctl", "dmesg"):
        tool(tmp_path, name, "exit 1", monkeypatch)
    done = collected("compose", "--out", tmp_path / "a.tar.gz")
    assert done.exit_code == 0, done.output
    taken = names(tmp_path / "a.tar.gz")
    assert len([n for n in taken if n.startswith("node-3/") and "/data/x/" in n]) == 4
    assert {n for n in taken if "/logs/" in n} == {
        "node-3/logs/server.log",
        "node-3/logs/server.log.1",
        "node-3/logs/controller.log",
    }
    assert read(tmp_path / "a.tar.gz", "stdout/server.log") == LOG
    first_log = next(i for i, n in enumerate(taken) if "/data/" not in n)
    assert not [n for n in taken[first_log:] if "/data/" in n]


def test_the_pods_of_strimzi_with_the_logs_before_the_restart(tmp_path, monkeypatch):
    data, logs, _ = a_node(tmp_path)
    pods = {
        "items": [
            {"metadata": {"name": f"my-cluster-pool-{n}"}, "spec": {"containers": [{"name": "kafka"}]}} for n in (3, 4)
        ]
    }
    (tmp_path / "pods.json").write_text(json.dumps(pods))
    tool(
        tmp_path,
        "kubectl",
        f"""case "$*" in
*"get pods"*"strimzi.io/kind=Kafka,strimzi.io/cluster=my-cluster"*) cat {tmp_path}/pods.json ;;
*"exec my-cluster-pool-3 "*) for last; do :; done; sh -c "$last" ;;
*"exec my-cluster-pool-4 "*) echo "container not running" >&2; exit 1 ;;
*"logs my-cluster-pool-3 "*"--previous"*) echo before ;;
*"logs my-cluster-pool-4 "*"--previous"*) exit 1 ;;
*logs*) cat {logs}/server.log ;;
esac
""",
        monkeypatch,
    )
    done = collected("kubernetes", "--cluster", "my-cluster", "--data", data, "--out", tmp_path / "a.tar.gz")
    assert done.exit_code == 0, done.output
    taken = names(tmp_path / "a.tar.gz")
    assert len([n for n in taken if n.startswith("node-3/") and "/data/" in n]) == 4
    assert read(tmp_path / "a.tar.gz", "orders-0/leader-epoch-checkpoint") == CHECKPOINT
    assert read(tmp_path / "a.tar.gz", "node-3/stdout/server.log.1") == "before\n"
    assert read(tmp_path / "a.tar.gz", "node-4/stdout/server.log") == LOG
    assert "Not collected: " in done.output and "container not running" in done.output


INSPECTED = {
    "Id": "0fdb48addc82871eb34eb23a847cfd033dedd1a0a37bef2e6d9eb3870fc7ff37",
    "Name": "/kafka-c",
    "State": {"Status": "exited", "OOMKilled": True, "ExitCode": 137, "FinishedAt": "2026-11-21T05:37:33.5Z"},
    "Config": {"Image": "apache/kafka:3.9.1", "Env": ["KAFKA_NODE_ID=3", "KAFKA_OPTS=-Dpw=hunter2"]},
}
DIED = {
    "Type": "container",
    "Action": "die",
    "Actor": {"ID": INSPECTED["Id"], "Attributes": {"name": "kafka-c", "exitCode": "137", "maintainer": "acme"}},
    "timeNano": 1_795_239_453_500_000_000,
}
KILLED_IN_CONTAINER = (
    "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/docker/a,"
    f"task_memcg=/docker/{INSPECTED['Id']},task=java,pid=7,uid=0"
)


def told_of(archive: Path, work: Path) -> set[tuple[str, str | None, int | None]]:
    """File, kind and node of what an archive's witnesses testify."""
    records = records_here(gather([str(archive)], {}, work))
    return {
        (r.source_file.rsplit("/", 1)[-1], r.kind, r.node_id)
        for r in records
        if r.kind in HOST_KINDS and r.kind != "kernel_heard"
    }


def test_a_container_shows_how_it_ended_and_none_of_its_secrets(tmp_path, monkeypatch):
    (tmp_path / "inspected.json").write_text(json.dumps([INSPECTED]))
    (tmp_path / "events.json").write_text(json.dumps(DIED) + "\n")
    tool(
        tmp_path,
        "docker",
        f"""case "$*" in
*" ps "*) echo '{{"Name": "kafka-c", "Service": "broker", "State": "exited"}}' ;;
inspect*) cat {tmp_path}/inspected.json ;;
"events --since 168h "*"--filter container=kafka-c "*) cat {tmp_path}/events.json ;;
logs*) printf '{LOG.strip()}\n' ;;
*) exit 1 ;;
esac
""",
        monkeypatch,
    )
    tool(
        tmp_path,
        "journalctl",
        f"""case "$1" in
_TRANSPORT=kernel) echo '2026-11-21T05:37:33.1+0000 h kernel: {KILLED_IN_CONTAINER}' ;;
*) exit 1 ;;
esac
""",
        monkeypatch,
    )
    assert collected("compose", "--out", tmp_path / "a.tar.gz").exit_code == 0
    assert "hunter2" not in "".join(read(tmp_path / "a.tar.gz", name) for name in names(tmp_path / "a.tar.gz"))
    assert told_of(tmp_path / "a.tar.gz", tmp_path / "work") == {
        ("inspect.json", "container_oom_killed", 3),
        ("docker-events.json", "container_exited", 3),
        ("kernel.log", "kernel_oom_constraint", 3),  # the only node; of several the container's id tells which
    }


def test_pods_machines_events_and_the_operator_testify(tmp_path, monkeypatch):
    """A pod's name tells no node where it is replaced: what was collected says it."""
    pod = {
        "metadata": {"name": "acme-pool-3", "labels": {"strimzi.io/cluster": "acme"}},
        "spec": {
            "nodeName": "worker-1",
            "containers": [{"name": "kafka", "env": [{"name": "PW", "value": "hunter2"}]}],
        },
        "status": {
            "containerStatuses": [
                {
                    "name": "kafka",
                    "lastState": {
                        "terminated": {"reason": "OOMKilled", "exitCode": 137, "finishedAt": "2026-11-21T05:37:33Z"}
                    },
                }
            ]
        },
    }
    event = {
        "kind": "Event",
        "metadata": {"name": "acme-pool-3.17f0"},
        "involvedObject": {"kind": "Pod", "name": "acme-pool-3"},
        "reason": "Killing",
        "message": "Container kafka failed liveness probe, will be restarted",
        "lastTimestamp": "2026-11-21T05:37:33Z",
    }
    machine = {"metadata": {"name": "worker-1"}, "status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}}
    operator = {"metadata": {"name": "strimzi-cluster-operator-7d", "namespace": "ops"}}
    for name, items in (("pods", [pod]), ("events", [event]), ("machines", [machine]), ("operators", [operator])):
        (tmp_path / f"{name}.json").write_text(json.dumps({"items": items}))
    tool(
        tmp_path,
        "kubectl",
        f"""case "$*" in
*"get pods --selector strimzi.io/kind=Kafka"*) cat {tmp_path}/pods.json ;;
*"get nodes worker-1 "*) cat {tmp_path}/machines.json ;;
*"get events --all-namespaces"*) echo '{{"items": []}}' ;;
*"get events "*) cat {tmp_path}/events.json ;;
*"get pods --all-namespaces --selector name=strimzi-cluster-operator"*) cat {tmp_path}/operators.json ;;
*"--namespace ops logs strimzi-cluster-operator-7d") printf '{ROLLED}\n' ;;
*"--previous"*|*exec*) exit 1 ;;
*logs*) printf '{LOG.strip()}\n' ;;
esac
""",
        monkeypatch,
    )
    assert collected("kubernetes", "--out", tmp_path / "a.tar.gz").exit_code == 0
    assert "hunter2" not in "".join(read(tmp_path / "a.tar.gz", name) for name in names(tmp_path / "a.tar.gz"))
    told = {
        ("pods.json", "pod_placed", 3),
        ("pods.json", "container_oom_killed", 3),
        ("events.json", "container_killing", 3),
        ("machines.json", "machine_not_ready", None),
        ("cluster-operator.log", "operator_rolled_pod", 3),
    }
    assert told_of(tmp_path / "a.tar.gz", tmp_path / "work") == told
    assert collected("kubernetes", "--redact", "--out", tmp_path / "b.tar.gz").exit_code == 0
    assert told_of(tmp_path / "b.tar.gz", tmp_path / "again") == told
    held = "".join(read(tmp_path / "b.tar.gz", name) for name in names(tmp_path / "b.tar.gz"))
    assert "acme" not in held and "worker-1" not in held


ROLLED = "2026-11-21 05:37:33 INFO  KafkaRoller:540 - Reconciliation #19(timer) Kafka(ops/acme): Rolling Pod acme-pool-3/3 due to [Pod has old revision]"


def test_a_host_shows_what_the_kernel_and_systemd_did_and_who_asked(tmp_path, monkeypatch):
    """Of the commands that people gave only those about Kafka are taken."""
    _, logs, config = a_node(tmp_path)
    environment = "\nEnvironment Variables:\nPATH=/home/eve/bin\nTOKEN=x\n\n"
    command = "Command Line: -Djavax.net.ssl.keyStorePassword=hunter2 kafka.Kafka"
    (logs / "hs_err_pid17.log").write_text(f"{HS_ERR_17}{environment}{command}\n")
    tool(
        tmp_path,
        "journalctl",
        """case "$*" in
*"--since 2 days ago --output short-iso-precise"*) ;;
*) exit 1 ;;
esac
case "$1" in
_TRANSPORT=kernel) echo '2026-11-21T05:37:33.1+0000 h kernel: Out of memory: Kill process 7 (java) score 9 or sacrifice child' ;;
UNIT=kafka.service) echo '2026-11-21T05:37:33.2+0000 h systemd[1]: kafka.service: Main process exited, code=killed, status=9/KILL' ;;
SYSLOG_IDENTIFIER=systemd-logind) echo '2026-11-21T05:37:29.0+0000 h systemd-logind[9]: New session 7 of user eve.'
  echo '2026-11-21T05:37:29.0+0000 h systemd-logind[9]: System is rebooting.' ;;
SYSLOG_IDENTIFIER=sudo) echo '2026-11-21T05:37:30.0+0000 h sudo[9]: eve : PWD=/ ; USER=root ; COMMAND=/usr/bin/cat /etc/shadow'
  echo '2026-11-21T05:37:30.0+0000 h sudo[9]: adam : PWD=/ ; USER=root ; COMMAND=/usr/bin/systemctl stop kafka' ;;
esac
""",
        monkeypatch,
    )
    out = tmp_path / "a.tar.gz"
    done = collected("systemd", "--config", config, "--logs", logs, "--since", "2 days ago", "--out", out)
    assert done.exit_code == 0, done.output
    assert told_of(out, tmp_path / "work") == {
        ("kernel.log", "kernel_oom_kill", 3),
        ("systemd.log", "systemd_exited", 3),
        ("commands.log", "host_command", 3),
        ("others.log", "host_stopping", 3),
        ("hs_err_pid17.log", "jvm_crash", 3),
    }
    assert "shadow" not in read(out, "commands.log") and "eve" not in read(out, "others.log")
    assert not [word for word in ("eve", "TOKEN", "hunter2") if word in read(out, "hs_err_pid17.log")]


def test_a_tool_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    done = collected("kubernetes", "--out", tmp_path / "a.tar.gz")
    assert isinstance(done.exception, ReplayError) and "kubectl is not on the PATH" in str(done.exception)


@for_each(
    ("name", "wanted"),
    [
        ("server.log", True),
        ("server.log.2026-11-21-05", True),
        ("state-change.log.3", True),
        ("kafkaServer-gc.log.0.current", True),
        ("kafkaServer.out", True),
        ("kafka-request.log", False),
        ("00000000000000000000.log", False),
        ("core.1234", False),
    ],
)
def test_which_files_are_logs(name, wanted):
    assert is_log(f"/var/log/kafka/{name}") is wanted


def test_what_a_restart_overwrites():
    assert is_checkpoint("/data/orders-0/leader-epoch-checkpoint") and not is_checkpoint(
        "/data/orders-0/00000000000000000000.index"
    )


def test_a_password_within_a_url_is_masked():
    assert masked("zookeeper.connect=x\nhttp.url=https://user:pw@host/\n# password=1\n") == (
        f"zookeeper.connect=x\nhttp.url=https://user:{MASK}@host/\n# password=1\n"
    )
