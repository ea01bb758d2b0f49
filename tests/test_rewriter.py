"""The rewriter writes what its layouts, packages and clocks say, and loses no line."""

from __future__ import annotations

import gzip
import json
import tarfile
from pathlib import Path

import pytest

from tests.recordings import TRACES
from tests.rewriter import LAYOUTS, records, rewrite

SERVER = """\
[2026-11-21 05:34:08,777] INFO Kafka startTimeMs: 1795239248777 (org.apache.kafka.common.utils.AppInfoParser)
[2026-11-21 05:34:09,000] INFO KafkaConfig values: 
\tbroker.id = 1
\tzookeeper.connect = 10.77.0.9:2181
 (kafka.server.KafkaConfig)
[2026-11-21 05:34:41,900] WARN [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Error in response (type=Fetch) (kafka.server.ReplicaFetcherThread)
java.io.IOException: Connection to 2 was disconnected
\tat org.apache.kafka.clients.NetworkClientUtils.sendAndReceive(NetworkClientUtils.java:99)
[2026-11-21 05:34:48,777] INFO [KafkaServer id=1] shut down completed (kafka.server.KafkaServer)
"""
CONTROLLER = "[2026-11-21 05:34:10,100] INFO [Controller id=2] 2 successfully elected as the controller (kafka.controller.KafkaController)\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for name, text in {
        "node-1/server.log": SERVER,
        "node-2/controller.log": CONTROLLER,
        "node-1/data/meta.properties": "broker.id=1\n",
    }.items():
        path = tmp_path / "input" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "input"


def test_records_keep_their_lines_and_their_logger():
    config, fetch = records(SERVER)[1:3]
    assert (config.logger, config.message.count("\n"), config.stack) == ("kafka.server.KafkaConfig", 3, ())
    assert (fetch.logger, fetch.message.endswith("(type=Fetch)"), len(fetch.stack)) == (
        "kafka.server.ReplicaFetcherThread",
        True,
        2,
    )


@pytest.mark.parametrize("trace", sorted(p.name for p in TRACES.iterdir() if p.is_dir()))
def test_unchanged_is_byte_for_byte_the_same(trace, tmp_path):
    source = TRACES / trace / "input"
    target = rewrite(source, tmp_path / "same")
    names = sorted(p.relative_to(source) for p in source.rglob("*") if p.is_file())
    assert sorted(p.relative_to(target) for p in target.rglob("*") if p.is_file()) == names
    for name in names:
        assert (target / name).read_bytes() == (source / name).read_bytes()


def test_a_zone_moves_stamps_and_nothing_else(source, tmp_path):
    target = rewrite(source, tmp_path / "out", hours=9)
    assert (target / "node-1/server.log").read_text() == SERVER.replace("[2026-11-21 05:", "[2026-11-21 14:")
    one = rewrite(source, tmp_path / "one", hours=9, zone_of=[2])
    assert (one / "node-1/server.log").read_text() == SERVER
    assert (one / "node-2/controller.log").read_text() == CONTROLLER.replace("05:", "14:", 1)


def test_a_clock_moves_the_times_that_its_lines_print_too(source, tmp_path):
    text = (rewrite(source, tmp_path / "out", clocks={1: 3.7}) / "node-1/server.log").read_text()
    assert text.startswith("[2026-11-21 05:34:12,477] INFO Kafka startTimeMs: 1795239252477 ")
    assert (tmp_path / "out/node-2/controller.log").read_text() == CONTROLLER


def test_a_clock_that_is_set_in_the_middle(source, tmp_path):
    lines = (
        (rewrite(source, tmp_path / "out", clocks={1: -2}, since=0.5) / "node-1/server.log").read_text().splitlines()
    )
    assert [line[12:24] for line in lines if line.startswith("[")] == [
        "05:34:08,777",
        "05:34:09,000",
        "05:34:39,900",
        "05:34:46,777",
    ]


def test_the_middle_fifth_goes_missing(tmp_path):
    log = "".join(f"[2026-11-21 05:00:{second:02d},000] INFO at {second} (kafka.x)\n" for second in range(51))
    (tmp_path / "input/node-1").mkdir(parents=True)
    (tmp_path / "input/node-1/server.log").write_text(log)
    kept = records((rewrite(tmp_path / "input", tmp_path / "out", missing=1) / "node-1/server.log").read_text())
    assert [int(r.message[3:]) for r in kept] == [*range(20), *range(30, 51)]


def test_compose_merges_the_nodes_by_time_behind_their_names(source, tmp_path):
    target = rewrite(source, tmp_path / "out", package="compose")
    lines = (target / "compose.log").read_text().splitlines()
    assert [line for line in lines if line.startswith("kafka-1  | ")] == [
        f"kafka-1  | {line}" for line in SERVER.splitlines()
    ]
    assert lines[5] == f"kafka-2  | {CONTROLLER.rstrip()}"
    stamped = (
        (rewrite(source, tmp_path / "stamped", package="compose-stamped") / "compose.log").read_text().splitlines()
    )
    assert stamped[0] == f"kafka-1  | 2026-11-21T05:34:08.777Z {SERVER.splitlines()[0]}"


def test_a_tarball_holds_every_line_in_rotated_parts(source, tmp_path):
    path = rewrite(source, tmp_path / "out", package="tarball")
    with tarfile.open(path) as tar:
        held = {m.name: tar.extractfile(m).read() for m in tar.getmembers()}
    oldest_first = [gzip.decompress(held["logs/node-1/server.log.2.gz"]), held["logs/node-1/server.log.1"]]
    assert b"".join(oldest_first).decode() == SERVER
    assert held["logs/node-1/data/meta.properties"] == b"broker.id=1\n"


@pytest.mark.parametrize("layout", sorted(set(LAYOUTS) - {"default", "strimzi"}))
def test_json_keeps_message_logger_level_and_stack(layout, source, tmp_path):
    target = rewrite(source, tmp_path / "out", layout=layout, hours=9)
    objects = [json.loads(line) for line in (target / "node-1/server.log").read_text().splitlines()]
    expected = records(SERVER)
    assert [o["message"] for o in objects] == [r.message for r in expected]
    names = {
        "log4j-json": ("loggerName", "level"),
        "logstash-json": ("logger_name", "level"),
        "ecs-json": ("log.logger", "log.level"),
    }[layout]
    assert [tuple(o[name] for name in names) for o in objects] == [(r.logger, r.level) for r in expected]
    stacks = {
        "log4j-json": lambda o: o["thrown"]["extendedStackTrace"],
        "logstash-json": lambda o: o["stack_trace"],
        "ecs-json": lambda o: o["error.stack_trace"],
    }
    assert stacks[layout](objects[2]).split("\n") == list(expected[2].stack)
    stamp = objects[0]["instant"]["epochSecond"] if layout == "log4j-json" else objects[0]["@timestamp"]
    assert stamp in (1795239248, "2026-11-21T05:34:08.777Z")  # JSON is in UTC whatever the zone


def test_strimzi_names_the_thread_after_the_logger(source, tmp_path):
    lines = (rewrite(source, tmp_path / "out", layout="strimzi") / "node-1/server.log").read_text().splitlines()
    assert (
        lines[0]
        == "2026-11-21 05:34:08,777 INFO Kafka startTimeMs: 1795239248777 (org.apache.kafka.common.utils.AppInfoParser) [main]"
    )
    assert lines[4] == " (kafka.server.KafkaConfig) [main]"
