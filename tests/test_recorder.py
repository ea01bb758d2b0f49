"""The recorder: what it reads of a cluster's own record, and a bundled incident that is recorded again."""

from __future__ import annotations

import csv
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.recordings import TRACES
from traces.recorder.__main__ import _impossible
from traces.recorder.cluster_record import compared, high_watermarks, states_of_dump
from traces.recorder.releases import Release

ROOT = TRACES.parent
PYTHON = ROOT / ".venv-recorder" / "bin" / "python"


@pytest.mark.parametrize("trace", ["calm-kraft-3.7.2", "isolate-leader-from-followers-kraft-3.7.2"])
def test_a_metadata_log_folds_to_the_states_that_the_trace_keeps(trace):
    dump = max((TRACES / trace / "metadata-dump").glob("*.txt"), key=lambda path: path.stat().st_size)
    with open(TRACES / trace / "truth" / "partition_states.csv", newline="") as kept:
        header, *rows = csv.reader(kept)
    read = list(states_of_dump(dump.read_text()))
    assert list(read[0]._fields) == header
    assert sorted([str(value) for value in state] for state in read) == sorted(rows)


DEBUG = """
[2026-11-21 05:37:20,105] DEBUG [Partition orders-0 broker=1] High watermark updated from (offset=0, segment=[0:0]) to (offset=3, segment=[0:210]) (kafka.cluster.Partition)
[2026-11-21 05:37:20,205] DEBUG [Partition my-topic-12 broker=2] High watermark updated to 7 [0 : 490] (kafka.cluster.Partition)
[2026-11-21 05:37:20,305] DEBUG Partition [orders,4] on broker 3: High watermark for partition [orders,4] updated to 9 [0 : 630] (kafka.cluster.Partition)
[2026-11-21 05:37:20,405] DEBUG [Partition orders-0 broker=1] Skipping update high watermark since new hw (offset=3) is not larger (kafka.cluster.Partition)
"""


def test_high_watermarks_are_read_from_the_wordings_of_all_releases():
    assert [tuple(move) for move in high_watermarks(DEBUG.splitlines())] == [
        ("orders", 0, 1, 1795239440105, "0", 3),
        ("my-topic", 12, 2, 1795239440205, "", 7),
        ("orders", 4, 3, 1795239440305, "", 9),
    ]


def test_the_records_after_a_rescue_are_counted_against_those_before():
    once, again, gone, kept, new = (("orders", 0, number) for number in range(5))
    lost = {once, again, gone}
    after = Counter({once: 1, again: 2, kept: 2, new: 1})
    assert compared(Counter([kept]), after, lost) == {
        "lost": 3,
        "restored_once": 1,
        "restored_more": 1,
        "still_missing": 1,
        "survivors_repeated": 1,
        "never_acknowledged": 1,
    }


@pytest.mark.parametrize(
    ("scenario", "release", "mode", "why"),
    [
        ("kill_leader", "4.1.1", "zk", "Kafka 4.1.1 does not run with ZooKeeper"),
        ("kill_leader", "2.8.2", "kraft", "KRaft from 3.3 on"),
        ("zookeeper_migration", "3.3.2", "zk", "cannot move from ZooKeeper to KRaft"),
        ("rolling_upgrade", "3.9.1", "kraft", "needs a second release"),
    ],
)
def test_a_scenario_that_a_release_cannot_run_is_refused_before_a_cluster_starts(scenario, release, mode, why):
    assert why in _impossible(scenario, Release(release), mode, None)


def test_a_scenario_that_a_release_can_run_is_not_refused():
    assert _impossible("kill_leader", Release("0.10.2.2"), "zk", None) is None
    assert _impossible("rolling_upgrade", Release("3.9.1"), "kraft", Release("4.1.1")) is None


def _cannot_record() -> str | None:
    """Why this machine cannot record, in the recorder's own words."""
    if not PYTHON.exists():
        return "`make record` has not set the recorder up"
    check = (
        "from traces.recorder.machine import missing; from traces.recorder.releases import Release; "
        "print('; '.join(missing(Release('4.1.1'))))"
    )
    return subprocess.run([PYTHON, "-c", check], cwd=ROOT, capture_output=True, text=True).stdout.strip() or None


@pytest.mark.nightly
def test_a_bundled_incident_recorded_again_has_the_same_truth(tmp_path):
    """One broker killed: each partition that it led goes to another of its ISR, and nothing is lost."""
    if reason := _cannot_record():
        pytest.skip(reason)
    out = tmp_path / "again"
    command = [PYTHON, "-m", "traces.recorder", "kill_leader", "4.1.1", "--out", out]
    subprocess.run(command, cwd=ROOT, check=True, timeout=400)
    assert _elections(out) == _elections(TRACES / "kill-leader-kraft-4.1.1")
    assert _lost(out) == _lost(TRACES / "kill-leader-kraft-4.1.1") == 0
    assert {path.name for path in (out / "input").iterdir()} == {"node-1", "node-2", "node-3", "topics-describe.txt"}


def _elections(trace: Path) -> tuple[int, set[str]]:
    """How many partitions of `orders` and `clicks` changed their leader, and where the new leaders stood before."""
    with open(trace / "truth" / "partition_states.csv", newline="") as states:
        later = [s for s in csv.DictReader(states) if s["topic"] in ("orders", "clicks") and int(s["leader_epoch"]) > 0]
    elected = [state for state in later if state["elected_from"]]
    return len({(state["topic"], state["partition"]) for state in elected}), {s["elected_from"] for s in elected}


def _lost(trace: Path) -> int:
    return len((trace / "truth" / "lost.csv").read_text().splitlines()) - 1
