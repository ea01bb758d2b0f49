"""Small tables of a result and small files of records, for the tests of verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

from replay.reconcile.logs import TABLES, Covered, PartitionLog, micros, partition_log

BEGIN = datetime(2026, 11, 21, 5, 0)
EVERYWHERE = dict.fromkeys((1, 2, 3), ((0, 1 << 60),))


def at(seconds: float) -> datetime:
    """A time, in seconds after the begin."""
    return BEGIN + timedelta(seconds=seconds)


def us(seconds: float) -> int:
    """The same in microseconds since 1970."""
    return micros(at(seconds)) or 0


def epoch(number: int, leader: int, start: int | None, ts: float, **more: Any) -> SimpleNamespace:
    """A row of `leader_epochs`: the leader's own line says where it begins, `ts` seconds after the begin."""
    row = {
        "life": 0,
        "leader_epoch": number,
        "leader_id": leader,
        "epoch_start_offset": start,
        "start_ts": at(ts),
        "leader_ts": None if start is None else at(ts),
        "evidence": (f"node-{leader}/state-change.log:{number + 1}",),
        "elected_from": "isr",
        "reason": "election",
        "replicas": (1, 2, 3),
    }
    return SimpleNamespace(**{**row, **more})


def cut(node: int, end: int | None, to: int, ts: float, **more: Any) -> SimpleNamespace:
    """A row of `truncations`."""
    row = {"node_id": node, "log_end_offset": end, "truncation_offset": to, "ts": at(ts), "by_recovery": False}
    return SimpleNamespace(**{**row, **more})


def deposed(node: int, number: int, ts: float, learnt: float) -> SimpleNamespace:
    """A row of `deposed_leaders`."""
    return SimpleNamespace(broker_id=node, leader_epoch=number, deposed_ts=at(ts), learnt_ts=at(learnt))


def deleted(node: int, ts: float, message: str = "Log for partition orders-0 is renamed to orders-0.1f-delete") -> Any:
    """An event `log_deleted`."""
    return SimpleNamespace(event_id=f"node-{node}/server.log:{ts:.0f}", node_id=node, ts=at(ts), message=message)


def log_of(
    epochs: Iterable[Any],
    covered: Covered = EVERYWHERE,
    number: int = 0,
    deletions: Iterable[Any] = (),
    **tables: Iterable[Any],
) -> PartitionLog:
    """The log of one partition of orders."""
    rows = {name: list(tables.get(name, ())) for name in TABLES} | {"leader_epochs": list(epochs)}
    return partition_log("orders", number, rows, covered, list(deletions))
