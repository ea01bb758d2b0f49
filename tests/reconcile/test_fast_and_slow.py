"""The verdicts of arrays, in one process and in Spark, are those that a look at each record gives."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from pipelines.reconciliation import with_spark
from pipelines.reconciliation.order import matrix, narrowed
from pipelines.reconciliation.questions import clocks
from pipelines.reconciliation.records import read_records
from pipelines.reconciliation.without_spark import verdicts
from replay.reconcile.clocks import Anchor, anchors
from replay.reconcile.logs import PartitionLog
from tests.reconcile import slow
from tests.reconcile.frames import log_of, us
from tests.reconcile.histories import Cluster, history

HISTORIES = 60


def test_the_order_of_arrays_is_the_order_of_single_records():
    narrower = 0
    for seed in range(400):
        rng = random.Random(seed)
        cells = {n: tuple(sorted(rng.sample(range(5), rng.randint(0, 3)))) for n in range(6)}
        at = np.array([rng.randrange(6) for _ in range(rng.randint(1, 60))])
        times = [rng.randrange(0, 8_000_000) for _ in at]
        records = [
            (when, 100 + when // 100_000 + rng.choice([0, 0, 0, -20, 15]), cells[cell])
            for when, cell in zip(times, at.tolist(), strict=True)
        ]
        ranges = [(n * rng.choice([10, 20]), 1_000) for n in range(5)]
        right = slow.narrowed([slow.Contested(*one) for one in records], dict(enumerate(ranges)))
        possible, parts = matrix(cells, at)
        ts, offset = (np.array([one[place] for one in records]) for place in (0, 1))
        found = narrowed(ts, offset, possible, [ranges[part] for part in parts])
        assert [tuple(parts[n] for n in np.flatnonzero(row)) for row in found] == right, seed
        narrower += right != [one[2] for one in records]
    assert narrower > 200


def _logs() -> Iterator[tuple[int, PartitionLog, Cluster]]:
    for seed in range(HISTORIES):
        cluster = history(seed)
        rows = {name: rows for name, rows in cluster.rows.items() if name != "leader_epochs"}
        yield seed, log_of(cluster.rows["leader_epochs"], number=seed, **rows), cluster


def _kept(seed: int, cluster: Cluster) -> Iterator[slow.Record]:
    """What two applications kept: one has no time of some records, and its clock is not that of the other."""
    rng = random.Random(seed)
    for offset, seconds, leader_epoch, _ in cluster.acked:
        client = rng.choice(["a", "a", "b"])
        time = (
            None if client == "b" and rng.random() < 0.3 else us(seconds + (4 if client == "b" else 0)) // 1000 * 1000
        )
        known = leader_epoch if rng.random() < 0.1 else -1
        yield slow.Record("orders", seed, offset, time, client, known, rng.random() < 0.2)


def test_random_histories_have_the_same_verdicts_in_one_process_in_spark_and_by_single_records(spark, tmp_path: Path):
    logs, records = {}, []
    for seed, log, cluster in _logs():
        logs["orders", seed] = log
        records += _kept(seed, cluster)
    rows = pd.DataFrame(
        {
            "topic": [one.topic for one in records],
            "partition": [one.partition for one in records],
            "offset": [one.offset for one in records],
            "time": pd.array([None if one.ts is None else one.ts // 1000 for one in records], "Int64"),
            "client": [one.client for one in records],
            "leader_epoch": [one.leader_epoch for one in records],
            "acks": ["all" if one.acks_all else "1" for one in records],
        }
    )
    file = tmp_path / "acked.parquet"
    rows.to_parquet(file)
    right = slow.judge(records, logs, clocks(_anchored(records, logs), _last(records), "acknowledged", None))
    here = verdicts(read_records(file, {}), logs)
    assert list(here.verdict) == right
    assert here.by_order.sum() > 30
    assert here.is_retried.any()
    told = with_spark.verdicts(spark.read.parquet(str(file)), logs, {}).toPandas()
    columns = {name: values.to_pandas() for name, values in here.columns().items()}
    assert _texts(told) == _texts(rows.assign(**columns))


def _texts(frame: pd.DataFrame) -> list[list[str]]:
    """The rows as text, in one order."""
    numbers = {name: frame[name].astype("Int64") for name in ("time", "epoch_low", "epoch_high")}
    return sorted(frame.assign(**numbers).astype(str).to_numpy().tolist())


def _anchored(records, logs) -> Iterator[tuple[str, Anchor, int, int]]:
    for one in records:
        for spot in anchors(logs[one.topic, one.partition]):
            if spot.from_offset <= one.offset < spot.to_offset and one.ts is not None:
                yield one.client, spot, one.ts, one.ts


def _last(records) -> dict[str, int]:
    return {
        client: max(one.ts for one in records if one.client == client and one.ts is not None) for client in ("a", "b")
    }
