"""Compares `what-if` with twins: two recordings with the same fault and load, and one setting changed.

`python -m tests.twins RECORDINGS RESULTS` prints the table of docs/what-if.md. RECORDINGS has the recordings that
`python -m tests.twins` lists, RESULTS the folder that `analyze` wrote for each first one.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from pipelines.answers.what_if import TABLES, question
from pipelines.result import Result

_OURS = ("orders", "clicks")
_CLOCK = 2.0  # seconds: two lines of different nodes within this time can be in either order
_WAY_BACK = 4.3  # seconds: a broker's way back into the ISR took 1.6 to 5.9 s (facts §9.1)
Interval = tuple[float, float]


@dataclass(frozen=True)
class Recording:
    """The cluster's own record of a recording."""

    folder: Path

    @property
    def states(self) -> Iterator[tuple[tuple[str, int], list[dict[str, str]]]]:
        """The states of each partition of the two topics, in order."""
        with open(self.folder / "truth" / "partition_states.csv", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["topic"] in _OURS]
        for key in sorted({(row["topic"], int(row["partition"])) for row in rows}):
            own = [row for row in rows if (row["topic"], int(row["partition"])) == key]
            yield key, sorted(own, key=lambda row: int(row["partition_epoch"]))

    @property
    def notes(self) -> list[dict[str, Any]]:
        """The recorded actions."""
        return [json.loads(line) for line in (self.folder / "truth" / "faults.jsonl").read_text().splitlines()]

    def when(self, kind: str) -> float:
        """The time of the first action of this kind."""
        return next(float(note["t"]) for note in self.notes if note["kind"] == kind)

    def lost(self) -> int:
        """The number of acknowledged records that are lost."""
        return len((self.folder / "truth" / "lost.csv").read_text().splitlines()) - 1

    def seconds(self, holds: Callable[[dict[str, str]], bool]) -> float:
        """Partition-seconds in states for which `holds` is true."""
        end = self.when("workload_stopped")
        total = 0.0
        for _, states in self.states:
            for state, after in zip(states, [*states[1:], None]):
                until = end if after is None else int(after["time_ms"]) / 1000
                total += (until - int(state["time_ms"]) / 1000) if holds(state) else 0
        return total

    def shrinks(self) -> int:
        """How often a replica left the ISR while the leader stayed the same."""
        pairs = [(a, b) for _, states in self.states for a, b in pairwise(states)]
        return sum(
            len(set(a["isr"].split()) - set(b["isr"].split())) for a, b in pairs if a["leader_id"] == b["leader_id"]
        )

    def election_after(self, kind: str) -> float:
        """The median over partitions of the seconds from an action to the election that follows."""
        done, waits = self.when(kind), []
        for _, states in self.states:
            for a, b in pairwise(states):
                moved = a["leader_id"] != b["leader_id"] and int(b["leader_id"]) >= 0
                if moved and 0 < int(b["time_ms"]) / 1000 - done < 40:
                    waits.append(int(b["time_ms"]) / 1000 - done)
                    break
        return sorted(waits)[len(waits) // 2]


Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Pair:
    """Two recordings, the setting that differs, what `what-if` predicts for the second, and what happened in it."""

    setting: str
    first: tuple[str, str]
    second: tuple[str, str]
    unit: str
    foretold: Callable[[Rows, Recording], Interval]
    came: Callable[[Recording, Recording], float]
    rises: bool
    """Whether the change makes more of it."""


def _time(stamp: str) -> float:
    return datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()


def _spans(rows: Rows, *effects: str) -> list[float]:
    own = [row for row in rows if row["effect"] in effects and row["topic"] in _OURS and row["end_ts"]]
    return [_time(row["end_ts"]) - _time(row["start_ts"]) for row in own]


def _partition_seconds(*effects: str) -> Callable[[Rows, Recording], Interval]:
    def foretold(rows: Rows, first: Recording) -> Interval:
        spans = _spans(rows, *effects)
        unsure = (_CLOCK + _WAY_BACK) * len(
            spans
        )  # each begins with a fault that is noticed and ends with a broker's return
        return sum(spans) - unsure, sum(spans) + unsure

    return foretold


def _count(*effects: str) -> Callable[[Rows, Recording], Interval]:
    """The number of rows with one of the effects: from those that are certain to those that may count."""

    def foretold(rows: Rows, first: Recording) -> Interval:
        sure = sum(row["effect"] in effects and row["topic"] in _OURS for row in rows)
        unknown = sum(row["effect"].endswith("_unknown") and row["topic"] in _OURS for row in rows)
        return sure, sure + unknown

    return foretold


def _offsets(rows: Rows, first: Recording) -> Interval:
    own = [row for row in rows if row["effect"] == "range_sent_again" and row["topic"] in _OURS]
    total = sum(row["to_offset"] - row["from_offset"] for row in own)
    return 0, total  # no log shows how many of these were acknowledged to a producer with acks=1


def _after(kind: str) -> Callable[[Rows, Recording], Interval]:
    def foretold(rows: Rows, first: Recording) -> Interval:
        own = [row for row in rows if row["effect"] == "election_moved" and row["topic"] in _OURS]
        done = first.when(kind)
        return min(_time(r["start_ts"]) for r in own) - done, max(_time(r["end_ts"]) for r in own) - done

    return foretold


def _gone(rows: Rows, first: Recording) -> Interval:
    latest = max(_spans(rows, "leader_dead"))
    return latest - 2 * _CLOCK, latest


def _no_leader(state: dict[str, str]) -> bool:
    return state["leader_id"] == "-1"


def _below_two(state: dict[str, str]) -> bool:
    return state["leader_id"] != "-1" and len(state["isr"].split()) < 2


def _orders_below_two(state: dict[str, str]) -> bool:
    return state["topic"] == "orders" and _below_two(state)


PAIRS = (
    Pair(
        "unclean.leader.election.enable=false",
        ("unclean-true", "unclean_election 3.9.1"),
        ("unclean-false", "unclean_election 3.9.1 --set unclean.leader.election.enable=false"),
        "partition-seconds without a leader",
        _partition_seconds("leaderless"),
        lambda first, second: second.seconds(_no_leader),
        True,
    ),
    Pair(
        "min.insync.replicas=2",
        ("unclean-true", "unclean_election 3.9.1"),
        ("min-isr-2", "unclean_election 3.9.1 --set min.insync.replicas=2"),
        "partition-seconds in which acks=all is refused",
        _partition_seconds("writes_refused"),
        lambda first, second: second.seconds(_below_two),
        True,
    ),
    Pair(
        "acks=all",
        ("acks-1", "zombie_leader 4.1.1 --acks 1"),
        ("acks-all", "zombie_leader 4.1.1 --acks all"),
        "acknowledged records saved",
        _offsets,
        lambda first, second: first.lost() - second.lost(),
        True,
    ),
    Pair(
        "replica.lag.time.max.ms=30000",
        ("lag-8000", "slow_follower 4.1.1"),
        ("lag-30000", "slow_follower 4.1.1 --set replica.lag.time.max.ms=30000"),
        "ISR shrinks avoided",
        _count("shrink_avoided"),
        lambda first, second: first.shrinks() - second.shrinks(),
        True,
    ),
    Pair(
        "zookeeper.session.timeout.ms=18000",
        ("session-6000", "kill_leader 2.8.2 --set zookeeper.session.timeout.ms=6000"),
        ("session-18000", "kill_leader 2.8.2 --set zookeeper.session.timeout.ms=18000"),
        "seconds from the kill to the next leader",
        _after("kill_9"),
        lambda first, second: second.election_after("kill_9"),
        True,
    ),
    Pair(
        "replication.factor=2",
        ("replicas-3", "kill_leader 4.1.1"),
        ("replicas-2", "kill_leader 4.1.1 --replicas 2"),
        "partition-seconds in which acks=all is refused",
        _partition_seconds("writes_refused"),
        lambda first, second: second.seconds(_orders_below_two),
        True,
    ),
    Pair(
        "eligible.leader.replicas.version=1",
        ("elr-0", "eligible_leader 4.1.1 --feature eligible.leader.replicas.version=0"),
        ("elr-1", "eligible_leader 4.1.1 --feature eligible.leader.replicas.version=1"),
        "partition-seconds without a leader saved",
        _partition_seconds("leader_sooner"),
        lambda first, second: first.seconds(_no_leader) - second.seconds(_no_leader),
        True,
    ),
    Pair(
        "controlled.shutdown.enable=false",
        ("controlled-true", "controlled_shutdown 4.1.1"),
        ("controlled-false", "controlled_shutdown 4.1.1 --set controlled.shutdown.enable=false"),
        "seconds from the stop to the next leader",
        _gone,
        lambda first, second: second.election_after("sigterm"),
        True,
    ),
)


def compared(pair: Pair, recordings: Path, results: Path) -> tuple[Interval, float]:
    """What `what-if` predicts from the first recording, and what happened in the second."""
    first, second = Recording(recordings / pair.first[0]), Recording(recordings / pair.second[0])
    name, value = pair.setting.split("=", 1)
    rows = [found.row() for found in question(name, value)(Result(results / pair.first[0]).tables(*TABLES))]
    return pair.foretold(rows, first), pair.came(first, second)


def main() -> None:
    """Prints the table, or the recordings that it needs."""
    if len(sys.argv) < 3:
        for name, arguments in dict(one for pair in PAIRS for one in (pair.first, pair.second)).items():
            print(f"python -m traces.recorder {arguments} --out RECORDINGS/{name}")
        return
    print("| setting changed | recording | figure | predicted | measured | within |\n|---|---|---|---|---|---|")
    for pair in PAIRS:
        if not (Path(sys.argv[1]) / pair.second[0] / "truth" / "incident.json").exists():
            print(f"| `{pair.setting}` | not recorded |")
            continue
        (low, high), came = compared(pair, Path(sys.argv[1]), Path(sys.argv[2]))
        told = f"{max(low, 0):,.1f} to {high:,.1f}".replace(".0", "")
        within = "yes" if low <= came <= high else "**no**"
        print(f"| `{pair.setting}` | {pair.first[1].split(' --')[0]} | {pair.unit} | {told} | {came:,.1f} | {within} |")


if __name__ == "__main__":
    main()
