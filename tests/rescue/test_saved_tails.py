"""`collect --tails` saves only the segments that can hold discarded records, and says how much that is first."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from pipelines.cli import main_group
from pipelines.saved_tails import DataDirectory, TailFile, Wanted, chosen_files, truncated_in
from tests.test_collecting import a_node, tool

NOW = 1_800_000_000.0
HOUR = 3600.0
OLD, RECENT = NOW - 100 * HOUR, NOW - HOUR


def segment(base: int, written: float = OLD, folder: str = "orders-0") -> TailFile:
    return TailFile(f"{folder}/{base:020}.log", 1000, written)


def chosen(files: list[TailFile], checkpoints: dict[str, str], **wanted) -> list[str]:
    data = DataDirectory("/data", "data", files, lambda path: checkpoints.get(path, ""), lambda chosen: None)
    return [f"{file.folder}/{int(file.name.split('.')[0])}" for file in chosen_files(data, Wanted(**wanted), NOW)]


SEGMENTS = [segment(base) for base in (0, 100, 200, 300)]


@pytest.mark.parametrize(
    ("checkpoints", "expected"),
    [
        ({"replication-offset-checkpoint": "0\n1\norders 0 250\n"}, [200, 300]),
        ({"replication-offset-checkpoint": "0\n1\norders 0 350\n", "orders-0/leader-epoch-checkpoint": "0\n2\n0 0\n4 120\n"}, [100, 200, 300]),
        ({}, [0, 100, 200, 300]),  # without a checkpoint all of it
    ],
)  # fmt: skip
def test_segments_from_the_high_watermark_or_the_last_leader_epoch_on(checkpoints, expected):
    assert chosen(SEGMENTS, checkpoints) == [f"orders-0/{base}" for base in expected]


def test_segments_that_were_written_lately_are_saved_too():
    files = [segment(0), segment(100, RECENT), segment(200, RECENT)]
    checkpoint = {"replication-offset-checkpoint": "0\n1\norders 0 250\n"}
    assert chosen(files, checkpoint) == ["orders-0/100", "orders-0/200"]
    assert chosen(files, checkpoint, hours=0.5) == ["orders-0/200"]


def test_a_result_names_the_first_lost_offset_of_each_partition():
    files = [*SEGMENTS, segment(0, RECENT, "clicks-1")]
    assert chosen(files, {}, lost_from={"orders-0": 130}) == ["orders-0/100", "orders-0/200", "orders-0/300"]


def test_topics_and_kafka_s_own_topics():
    files = [
        segment(0),
        segment(0, folder="clicks-1"),
        segment(0, folder="__consumer_offsets-3"),
        segment(0, folder="x-0-delete"),
    ]
    assert chosen(files, {}, topics=["clicks"]) == ["clicks-1/0"]
    assert chosen(files, {}) == ["clicks-1/0", "orders-0/0"]


def test_truncations_of_the_last_hours_are_too_late_in_every_release_and_without_a_restart():
    lines = [
        "[2026-11-20 05:00:00,000] INFO [UnifiedLog partition=a-0, dir=/d] Truncating to offset 5 (kafka.log.UnifiedLog)",
        "[2026-11-21 05:10:08,000] INFO [UnifiedLog partition=b-0, dir=/d] Truncating to 9 has no effect as the largest offset in the log is 8 (kafka.log.UnifiedLog)",
        "[2026-11-21 05:10:08,000] INFO [UnifiedLog partition=c.d-11, dir=/d] Truncating to offset 71 (org.apache.kafka.storage.internals.log.UnifiedLog)",
        "[2026-11-21 05:10:09,000] INFO [Log partition=orders-0, dir=/d] Truncating to offset 293 (kafka.log.Log)",
        "[2026-11-21 05:40:09,000] INFO [Log partition=orders-0, dir=/d] Truncating to offset 299 (kafka.log.Log)",
        "[2026-11-21 05:10:09,000] INFO Truncating log clicks-1 to offset 4. (kafka.log.Log)",
        "[2026-11-21 06:00:00,000] INFO something else (kafka.log.LogManager)",
    ]  # fmt: skip
    found = {name: (one.offset, str(one.when)) for name, one in truncated_in(lines, 6).items()}
    assert found == {
        "c.d-11": (71, "2026-11-21 05:10:08"),
        "orders-0": (293, "2026-11-21 05:10:09"),
        "clicks-1": (4, "2026-11-21 05:10:09"),
    }
    assert set(truncated_in(lines, 0.5)) == {"orders-0"}
    assert set(truncated_in(lines, 48)) == {"a-0", *found}


@pytest.fixture
def host(tmp_path: Path) -> Path:
    for folder, base, size in (("orders-0", 0, 900), ("orders-0", 50, 500), ("clicks-1", 0, 70)):
        file = tmp_path / "data" / folder / f"{base:020}.log"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"x" * size)
    (tmp_path / "data" / "meta.properties").write_text("version=1\nnode.id=2\n")
    (tmp_path / "data" / "replication-offset-checkpoint").write_text("0\n1\norders 0 60\n")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "server.log").write_text(
        "[2026-11-21 05:10:00,000] INFO [KafkaServer id=2] starting (kafka.server.KafkaServer)\n"
        "[2026-11-21 05:10:09,000] INFO [Log partition=clicks-1, dir=/d] Truncating to offset 1 (kafka.log.Log)\n"
    )
    return tmp_path


def collected(host: Path, *options: str) -> tuple[str, list[str], list[str]]:
    """What was printed, the segments in the archive, and its notes."""
    out = host / "out.tar.gz"
    given = ["collect", "systemd", "--data", str(host / "data"), "--logs", str(host / "logs"), "--out", str(out)]
    done = CliRunner().invoke(main_group, [*given, "--overwrite", "--tails", *options])
    assert done.exit_code == 0, done.output
    with tarfile.open(out) as archive:
        names = [name for name in archive.getnames() if name.endswith(".log") and "/data/" in name]
        listing = next(name for name in archive.getnames() if name.endswith(".json"))
        notes = json.load(archive.extractfile(listing))["missing"]
    return done.output, ["/".join(name.split("/")[-2:]) for name in names], notes


def test_tails_of_a_host_are_in_the_archive_and_their_size_is_said_first(host: Path):
    printed, names, notes = collected(host, "--tails-hours", "0")
    assert names == ["clicks-1/00000000000000000000.log", "orders-0/00000000000000000050.log"]
    assert "Tails of node 2: 2 partitions, 0.0 MB" in printed
    late = "too late for what the broker truncated: clicks-1 to offset 1 at 2026-11-21 05:10:09; not for the other 1 of 2 partitions"
    assert any(note.endswith(late) for note in notes)


def test_above_the_limit_nothing_is_taken_and_the_archive_says_so(host: Path):
    _, names, notes = collected(host, "--tails-limit", "0.000001")
    assert names == []
    assert any("above the limit" in note and "--tails-limit" in note for note in notes)


def test_an_archive_with_records_is_private(host: Path):
    collected(host)
    assert (host / "out.tar.gz").stat().st_mode & 0o777 == 0o600
    with tarfile.open(host / "out.tar.gz") as archive:
        assert {member.mode for member in archive.getmembers()} == {0o600}


def test_preallocated_indexes_do_not_count(host: Path):
    (host / "data" / "orders-0" / "00000000000000000050.index").write_bytes(b"\0" * 10_000_000)
    printed, _, _ = collected(host)
    assert "Tails of node 2: 2 partitions, 0.0 MB" in printed


def test_a_topic_that_the_node_does_not_have_is_named(host: Path):
    _, names, notes = collected(host, "--topic", "clicks", "--topic", "orderz")
    assert names == ["clicks-1/00000000000000000000.log"]
    assert "the tails of node-2: no partition of orderz" in notes


def test_only_some_topics(host: Path):
    assert collected(host, "--topic", "clicks")[1] == ["clicks-1/00000000000000000000.log"]


def in_archive(out: Path) -> dict[str, int]:
    """The saved segments, by their last three parts, and their sizes."""
    with tarfile.open(out) as archive:
        return {
            "/".join(member.name.split("/")[-3:]): member.size
            for member in archive.getmembers()
            if member.name.endswith(".log") and "/data/" in member.name
        }


def test_tails_of_a_stopped_container(tmp_path: Path, monkeypatch):
    data, _, _ = a_node(tmp_path)
    inspected = [{"Config": {"Image": "apache/kafka:3.9.1", "Env": ["KAFKA_NODE_ID=3", "KAFKA_LOG_DIRS=/tmp/x"]}}]
    (tmp_path / "inspected.json").write_text(json.dumps(inspected))
    script = f"""case "$*" in
*" ps "*) echo '{{"Name": "kafka-c", "Service": "broker", "State": "exited"}}' ;;
inspect*) cat {tmp_path}/inspected.json ;;
"logs kafka-c") echo '[2026-11-21 05:10:09,000] INFO [Log partition=orders-0, dir=/d] Truncating to offset 293 (kafka.log.Log)' ;;
"cp kafka-c:/tmp/x/. -") tar -C {data} -cf - . ;;
*) exit 1 ;;
esac
"""
    tool(tmp_path, "docker", script, monkeypatch)
    for name in ("journalctl", "dmesg"):
        tool(tmp_path, name, "exit 1", monkeypatch)
    done = CliRunner().invoke(main_group, ["collect", "compose", "--tails", "--out", str(tmp_path / "a.tar.gz")])
    assert done.exit_code == 0, done.output
    assert in_archive(tmp_path / "a.tar.gz") == {"x/orders-0/00000000000000000000.log": 1000}
    assert "Tails of node 3: 1 partition," in done.output
    assert "too late for what the broker truncated: orders-0 to offset 293 at 2026-11-21 05:10:09" in done.output


def test_tails_of_a_pod(tmp_path: Path, monkeypatch):
    data, _, _ = a_node(tmp_path)
    pods = {"items": [{"metadata": {"name": "pool-3"}, "spec": {"containers": [{"name": "kafka"}]}}]}
    (tmp_path / "pods.json").write_text(json.dumps(pods))
    script = f"""case "$*" in
*"get pods"*) cat {tmp_path}/pods.json ;;
*"logs pool-3"*) echo '[2026-11-21 05:10:09,000] INFO [Log partition=orders-0, dir=/d] Truncating to offset 293 (kafka.log.Log)' ;;
*"exec pool-3 "*) for last; do :; done; sh -c "$last" ;;
esac
"""
    tool(tmp_path, "kubectl", script, monkeypatch)
    given = ["collect", "kubernetes", "--data", str(data), "--tails", "--out", str(tmp_path / "a.tar.gz")]
    done = CliRunner().invoke(main_group, given)
    assert done.exit_code == 0, done.output
    assert in_archive(tmp_path / "a.tar.gz") == {"data0/orders-0/00000000000000000000.log": 1000}
    assert "too late for what the broker truncated: orders-0 to offset 293" in done.output


def test_records_are_not_saved_in_an_archive_that_hides_names(host: Path):
    given = ["collect", "systemd", "--data", str(host / "data"), "--tails", "--redact", "--out", str(host / "r.tar.gz")]
    done = CliRunner().invoke(main_group, given)
    assert done.exit_code == 2 and "leave out --redact" in done.output
    assert not (host / "r.tar.gz").exists()
