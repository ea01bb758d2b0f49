"""Whole runs, in this process, over a recording to which one foreign line or a disorder was added: the findings stay those
of the recording.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from pipelines.answers.lines import of_texts
from pipelines.incident import Understood, Zones, parsed_here, replayed_here
from pipelines.inputs import gather
from pipelines.memory_store import MemoryStore
from replay.tables import DECLARED
from tests.recordings import TRACES

CALM, UNCLEAN = "calm-kraft-3.7.2", "unclean-election-zk-2.8.2"
_STAMP = re.compile(r"^\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\]")
Change = Callable[[list[str]], list[str]]


def _records(path: Path) -> list[str]:
    records: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if _STAMP.match(line) or not records:
            records.append(line)
        else:
            records[-1] += "\n" + line
    return records


def _at(record: str) -> datetime:
    return datetime.strptime(_STAMP.match(record)[1], "%Y-%m-%d %H:%M:%S,%f")


def _moved(record: str, by: timedelta) -> str:
    return f"[{_at(record) + by:%Y-%m-%d %H:%M:%S},{(_at(record) + by).microsecond // 1000:03d}]{record[25:]}"


def _run(trace: str, folder: Path, changes: dict[str, Change]) -> tuple[Understood, dict[str, list]]:
    """A run over a recording with some files changed; a pattern names the files."""
    shutil.copytree(TRACES / trace / "input", folder / "in")
    for pattern, change in changes.items():
        for path in sorted((folder / "in").glob(pattern)):
            path.write_text("\n".join(change(_records(path))) + "\n", encoding="utf-8")
    (folder / "work").mkdir()
    store = MemoryStore()
    understood = parsed_here(gather([folder / "in"], {}, folder / "work"), store, Zones())
    replayed_here(understood, store)
    names = ("findings", "losses", "leader_epochs", "doubtful_lines")
    return understood, {name: list(store.rows(name, DECLARED[name])) for name in names}


def _loud(tables: dict[str, list]) -> list[tuple]:
    return sorted(
        (one.code, one.role, one.severity, one.title)
        for one in tables["findings"]
        if one.severity not in ("info", "low")
    )


def _line(text: str) -> Change:
    return lambda records: sorted([*records, text], key=lambda one: _STAMP.match(one)[1] if _STAMP.match(one) else "")


FOREIGN = {
    "second start": (
        CALM,
        "node-1/server.log",
        "[2026-11-21 05:31:40,100] ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\njava.lang.RuntimeException: Failed to acquire lock on file .lock in /var/lib/kafka/data0. A Kafka instance in another process or thread is using this directory.",
        "second_process",
    ),
    "ISR": (
        CALM,
        "node-1/server.log",
        "[2026-11-21 05:31:40,100] INFO [Partition payments-2 broker=1] Shrinking ISR from 1,2,3 to 1. Leader: (highWatermark: 90, endOffset: 900). Out of sync replicas: (brokerId: 2, endOffset: 90, lastCaughtUpTimeMs: 0) (brokerId: 3, endOffset: 90, lastCaughtUpTimeMs: 0). (kafka.cluster.Partition)",
        "unknown_partition",
    ),
    "topic id": (
        CALM,
        "node-2/controller.log",
        "[2026-11-21 05:31:40,100] INFO [QuorumController id=2] UNCLEAN partition change for orders-2 with topic ID AAAAq0GerR6KT6AssWzWWO: isr: [1] -> [3], leader: 1 -> 3, leaderEpoch: 0 -> 1, partitionEpoch: 0 -> 1 (org.apache.kafka.controller.ReplicationControlManager)",
        "other_topic_id",
    ),
    "deletion": (
        UNCLEAN,
        "node-2/controller.log",
        "[2026-11-21 05:38:50,100] INFO [Topic Deletion Manager 2] Deletion of topic orders successfully completed (kafka.controller.TopicDeletionManager)",
        "topic_goes_on",
    ),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_one_foreign_line_changes_no_finding(name, tmp_path):
    trace, file, text, reason = FOREIGN[name]
    _, plain = _run(trace, tmp_path / "plain", {})
    understood, changed = _run(trace, tmp_path / "changed", {file: _line(text)})
    assert plain["doubtful_lines"] == []
    assert [row.reason for row in changed["doubtful_lines"]] == [reason]
    assert changed["doubtful_lines"][0].contradicted_by
    assert len(understood.remarks) == 1
    assert _loud(changed) == _loud(plain)
    assert [(one.topic, one.verdict, one.to_offset_low) for one in changed["losses"]] == [
        (one.topic, one.verdict, one.to_offset_low) for one in plain["losses"]
    ]


def test_a_paste_quotes_no_line_that_its_other_lines_contradict():
    trace, file, text, _ = FOREIGN["second start"]
    records = _line(text)(_records(TRACES / trace / "input" / file))
    at = records.index(text)
    answer = of_texts({file: "\n".join(records[at - 120 : at + 40])})
    assert [one.says for one in answer.told] == []
    assert any("another process tried to start beside it" in note for note in answer.notes)


def _back_an_hour(records: list[str]) -> list[str]:
    since = datetime(2026, 11, 21, 5, 38, 20)
    return [_moved(one, timedelta(hours=-1)) if _STAMP.match(one) and _at(one) >= since else one for one in records]


def _shuffled(records: list[str]) -> list[str]:
    """Each record up to 2.5 s from its place."""
    numbered = [one for one in records if _STAMP.match(one)]
    places = [_at(one) + timedelta(milliseconds=(at * 7_919) % 5_000 - 2_500) for at, one in enumerate(numbered)]
    return [one for _, one in sorted(zip(places, numbered, strict=True))]


def _a_day_before(records: list[str]) -> list[str]:
    own = [one for one in records if _STAMP.match(one)]
    return [*(_moved(one, timedelta(days=-1)) for one in own), *own]


def _a_month_before(records: list[str]) -> list[str]:
    return [_moved(one, timedelta(days=-27)) if _STAMP.match(one) else one for one in records]


def _tail_again(records: list[str]) -> list[str]:
    own = [one for one in records if _STAMP.match(one)]
    return [*own, *(one for one in own if _at(one) > _at(own[-1]) - timedelta(seconds=30))]


DISORDERS: dict[str, dict[str, Change]] = {
    "out of order": {"node-*/*.log": _shuffled},
    "tail again": {"node-*/*.log": _tail_again},
    "copied day": {"node-*/*.log": _a_day_before},
    "back an hour": {"node-[123]/*.log": _back_an_hour},
    "dates off": {"node-1/server.log": _a_month_before},
}


@pytest.mark.parametrize("name", DISORDERS)
def test_disorder_in_the_files_changes_no_root(name, tmp_path):
    _, plain = _run(UNCLEAN, tmp_path / "plain", {})
    understood, changed = _run(UNCLEAN, tmp_path / "changed", DISORDERS[name])
    roots = [(one.code, list(one.broker_ids)) for one in plain["findings"] if one.role == "root_cause"]
    loud = [one for one in changed["findings"] if one.role == "root_cause" and one.severity not in ("info", "low")]
    assert [(one.code, list(one.broker_ids)) for one in loud] == roots
    assert bool(understood.remarks) == (name != "back an hour")  # that is told as a step of the clocks
