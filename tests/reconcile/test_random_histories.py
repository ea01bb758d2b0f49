"""Verdicts on random histories, against the logs themselves: a partition whose replicas are lists of records."""

from __future__ import annotations

import random
from pathlib import Path

from pipelines.reconciliation.records import read_records
from pipelines.reconciliation.without_spark import verdicts
from tests.reconcile.frames import log_of, us
from tests.reconcile.histories import Cluster, history

HISTORIES = 150
GONE = {"gone", "rewritten"}


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
        cluster = history(seed)
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


def test_applications_with_clocks_of_their_own_and_records_without_time_mislead_nobody(tmp_path):
    kept = records = 0
    for seed in range(HISTORIES):
        cluster, rng = history(seed), random.Random(seed)
        if not cluster.acked:
            continue
        skew = {"a": rng.uniform(-6, 6), "b": rng.uniform(-6, 6)}
        lines = ["topic,partition,offset,timestamp,client"]
        for offset, seconds, _, _ in cluster.acked:
            client = rng.choice("ab")
            time = "" if rng.random() < 0.2 else us(seconds + skew[client]) // 1000
            lines.append(f"orders,0,{offset},{time},{client}")
        file = tmp_path / "acked.csv"
        file.write_text("\n".join(lines) + "\n")
        tables = {name: rows for name, rows in cluster.rows.items() if name != "leader_epochs"}
        log = log_of(cluster.rows["leader_epochs"], **tables)
        found = verdicts(read_records(file, {}), {("orders", 0): log}).verdict
        surviving = {number for _, number in cluster.logs[cluster.rows["leader_epochs"][-1].leader_id]}
        for (offset, _, _, number), verdict in zip(cluster.acked, found, strict=True):
            assert not (verdict == "kept" and number not in surviving), f"seed {seed}, offset {offset}"
            assert not (verdict in GONE and number in surviving), f"seed {seed}, offset {offset}"
            records, kept = records + 1, kept + (verdict in GONE | {"kept"})
    assert kept > 0.4 * records
