"""Verdicts on random histories, against the logs themselves: a partition whose replicas are lists of records."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipelines.reconciliation.records import read_records
from pipelines.reconciliation.without_spark import verdicts
from tests.reconcile.frames import cut, deposed, epoch, log_of, us

HISTORIES = 150
GONE = {"gone", "rewritten"}


@dataclass
class Cluster:
    """Three replicas; each log is a list of (leader epoch, number of the record)."""

    rng: random.Random
    now: float = 0.0
    number: int = 0
    logs: dict[int, list[tuple[int, int]]] = field(default_factory=lambda: {1: [], 2: [], 3: []})
    acked: list[tuple[int, float, int, int]] = field(default_factory=list)  # offset, time, leader epoch, number
    rows: dict[str, list[Any]] = field(
        default_factory=lambda: {"leader_epochs": [], "truncations": [], "deposed_leaders": []}
    )

    def append(self, leader: int, leader_epoch: int, count: int) -> None:
        for _ in range(count):
            self.now += self.rng.uniform(0.05, 0.4)
            self.number += 1
            self.acked.append((len(self.logs[leader]), self.now, leader_epoch, self.number))
            self.logs[leader].append((leader_epoch, self.number))

    def follow(self, leader: int, node: int, upto: int) -> None:
        """A follower truncates where its log diverges and copies up to an offset."""
        ours, theirs = self.logs[node], self.logs[leader]
        same = 0
        while same < min(len(ours), len(theirs)) and ours[same] == theirs[same]:
            same += 1
        if same < len(ours):
            self.rows["truncations"].append(cut(node, len(ours), same, self.now))
        self.logs[node] = ours[:same] + theirs[same : max(same, upto)]


def _history(seed: int) -> Cluster:
    """One leader after another: some clean, some from outside the ISR, some deposed and still appending."""
    rng = random.Random(seed)
    cluster, leader = Cluster(rng), 1
    cluster.rows["leader_epochs"].append(epoch(0, 1, 0, 0, reason="created"))
    for number in range(rng.randint(1, 4)):
        cluster.append(leader, number, rng.randint(0, 12))
        for node in {1, 2, 3} - {leader}:
            if rng.random() < 0.7:
                cluster.follow(leader, node, rng.randint(0, len(cluster.logs[leader])))
        after = rng.choice([1, 2, 3])
        is_clean = cluster.logs[after] == cluster.logs[leader][: len(cluster.logs[after])] and rng.random() < 0.5
        cluster.now += rng.uniform(0.5, 20)
        start = cluster.now
        row = epoch(
            number + 1, after, len(cluster.logs[after]), start, elected_from="isr" if is_clean else "any_replica"
        )
        cluster.rows["leader_epochs"].append(row)
        if after != leader and rng.random() < 0.5:  # the old leader does not know it yet
            cluster.append(leader, number, rng.randint(0, 8))
            cluster.rows["deposed_leaders"].append(deposed(leader, number, start, cluster.now + 1))
        cluster.now += rng.uniform(0, 5)
        cluster.append(after, number + 1, rng.randint(0, 10))
        if rng.random() < 0.8 and after != leader:
            cluster.follow(after, leader, len(cluster.logs[after]))
        leader = after
    return cluster


def _verdicts(tmp_path: Path, cluster: Cluster, *, skew: float, with_epoch: bool) -> list[str]:
    lines = ["topic,partition,offset,timestamp" + (",leader_epoch" if with_epoch else "")]
    for offset, seconds, leader_epoch, _ in cluster.acked:
        lines.append(f"orders,0,{offset},{us(seconds + skew) // 1000}" + (f",{leader_epoch}" if with_epoch else ""))
    file = tmp_path / "acked.csv"
    file.write_text("\n".join(lines) + "\n")
    log = log_of(
        cluster.rows["leader_epochs"], **{name: rows for name, rows in cluster.rows.items() if name != "leader_epochs"}
    )
    return list(verdicts(read_records(file, {}), {("orders", 0): log}).verdict)


def test_no_lost_record_is_called_kept_and_no_kept_one_gone(tmp_path):
    decided = records = 0
    for seed in range(HISTORIES):
        cluster = _history(seed)
        if not cluster.acked:
            continue
        leader = cluster.rows["leader_epochs"][-1].leader_id
        surviving = {number for _, number in cluster.logs[leader]}
        for skew, with_epoch in ((0.0, False), (random.Random(seed).choice([-5.0, 5.0]), False), (3600.0, True)):
            found = _verdicts(tmp_path, cluster, skew=skew, with_epoch=with_epoch)
            for (offset, _, leader_epoch, number), verdict in zip(cluster.acked, found, strict=True):
                where = f"seed {seed}, offset {offset} of leader epoch {leader_epoch}, skew {skew}"
                assert not (verdict == "kept" and number not in surviving), where
                assert not (verdict in GONE and number in surviving), where
                if with_epoch:
                    records, decided = records + 1, decided + (verdict in GONE | {"kept"})
    assert decided > 0.8 * records
