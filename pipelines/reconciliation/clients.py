"""Positions of groups and logs of clients, from files, against the logs of the partitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from pipelines.reconciliation.partition_logs import Key
from replay.reconcile.client_lines import ClientLine, client_lines, is_client_log
from replay.reconcile.group_lines import DECODED, DESCRIBED, Position, decoded, described, form_of_groups
from replay.reconcile.logs import PartitionLog
from replay.reconcile.readers import (
    COMMIT_CUT,
    COMMIT_GONE,
    EFFECTS,
    MAY_SKIP,
    READ_THEN_GONE,
    READ_TWICE,
    REFUSED,
    SKIPPED,
    TIMED_OUT,
    TXN_ABORTED,
    TXN_OPEN,
    Effect,
    of_clients,
    of_positions,
    of_transactions,
)
from replay.reconcile.transaction_lines import Transaction, is_transaction_log, transactions
from viz.phrases import counted, number

_LOOKED_AT = 2_000  # lines
CLIENT_LOG, TRANSACTIONS = "client log", "kafka-dump-log --transaction-log-decoder"
_SCHEMA = pa.schema(
    [
        ("effect", pa.string()),
        ("who", pa.string()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("from_offset", pa.int64()),
        ("to_offset", pa.int64()),
        ("count", pa.int64()),
        ("leader_epoch", pa.int32()),
        ("since", pa.timestamp("us", "UTC")),
        ("until", pa.timestamp("us", "UTC")),
        ("reason", pa.string()),
        ("evidence", pa.string()),
    ]
)


def form_of_clients(path: Path) -> str | None:
    """Whether a file holds positions of groups or is the log of a client; None for anything else."""
    if not path.is_file():
        return None
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in islice(lines, _LOOKED_AT):
            if is_transaction_log(line):
                return TRANSACTIONS
            form = form_of_groups(line)
            if form is not None or (not line.startswith("{") and is_client_log(line)):
                return form or CLIENT_LOG
            if line.startswith("Dumping ") and "__consumer_offsets-" in line:
                return DECODED
            if line.startswith("Dumping ") and "__transaction_state-" in line:
                return TRANSACTIONS
    return None


def effects(paths: Sequence[tuple[Path, str]], logs: Mapping[Key, PartitionLog]) -> list[Effect]:
    """What the groups and the clients in these files did or missed; files of one kind are in the order of time."""
    positions, lines, written = read_clients(paths)
    return [*of_positions(positions, logs), *of_clients(lines, logs), *of_transactions(written, logs)]


def read_clients(
    paths: Sequence[tuple[Path, str]],
) -> tuple[list[list[Position]], list[ClientLine], list[Transaction]]:
    """The positions of groups, the lines of clients and the transactions in these files."""
    positions: list[list[Position]] = []
    found: list[ClientLine] = []
    written: list[Transaction] = []
    for path, form in paths:
        with path.open(encoding="utf-8", errors="replace") as lines:
            if form == CLIENT_LOG:
                found += client_lines(lines)
            elif form == TRANSACTIONS:
                written += transactions(lines)
            else:
                positions.append(list(described(lines) if form == DESCRIBED else decoded(lines)))
    return positions, found, written


def table_of(found: Sequence[Effect]) -> pa.Table:
    """The effects as a table."""
    columns = {name: [getattr(one, name) for one in found] for name in _SCHEMA.names if name != "evidence"}
    columns["evidence"] = [" ".join(one.evidence) for one in found]
    return pa.table(columns, schema=_SCHEMA)


_VERBS = {
    READ_THEN_GONE: "read {what}{epoch}, which are gone",
    SKIPPED: "skipped {what}",
    READ_TWICE: "read {what} twice",
    MAY_SKIP: "stands beyond the offset where the log was cut: {what} of the new log are skipped unless its position is reset",
    REFUSED: "had {count} refused by brokers ({reason})",
    TIMED_OUT: "gave up {count} ({reason})",
    COMMIT_GONE: "{count} committed, whose records here are gone",
    COMMIT_CUT: "{count} committed before the end of the log was cut: records or the marker of the commit may be gone",
    TXN_ABORTED: "{count} aborted: consumers with read_committed do not see the records",
    TXN_OPEN: "{count} without an end in the dump: consumers with read_committed wait",
}


def as_text(found: Sequence[Effect]) -> Iterator[str]:
    """The lines of the effects on a terminal."""
    for one in found:
        yield f"  {one.who or 'a client'}, {one.topic}-{one.partition}: {_VERBS[one.effect].format(**_words(one))}{_when(one)}"
    if not found:
        yield "  None of these groups and clients read what is gone, skipped or read twice, as far as their files show."


def _words(one: Effect) -> dict[str, str]:
    if one.from_offset is None:
        noun = {REFUSED: "produce request", TIMED_OUT: "record"}.get(one.effect, "transaction")
        return {
            "count": counted(one.count or 0, noun),
            "reason": one.reason.rstrip("."),
            "what": "",
            "are": "",
        }
    last = "the end" if one.to_offset is None else number(one.to_offset - 1)
    what = f"offsets {number(one.from_offset)} to {last}"
    epoch = "" if one.leader_epoch is None else f", written up to leader epoch {one.leader_epoch}"
    return {"what": what, "epoch": epoch, "count": "", "reason": ""}


def _when(one: Effect) -> str:
    if one.since is None:
        return ""
    first = pd.Timestamp(one.since, unit="us")
    last = first if one.until is None else pd.Timestamp(one.until, unit="us")
    return f", {first:%Y-%m-%d %H:%M:%S}" + (f" to {last:%H:%M:%S}" if last > first else "")


def as_objects(found: Sequence[Effect]) -> list[dict[str, Any]]:
    """The effects for JSON and the page."""
    return [{**row, "meaning": EFFECTS[row["effect"]]} for row in table_of(found).to_pylist()]
