"""Random histories of one partition whose replicas are lists of records: the truth is at hand."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from tests.reconcile.frames import cut, deposed, epoch


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


def history(seed: int) -> Cluster:
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
