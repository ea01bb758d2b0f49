"""A result of a few rows, written without Spark: broker 1 dies as the only member of an ISR, broker 2 is elected uncleanly."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from replay.tables import DECLARED
from replay.tables import TABLES as EVERY
from replay.tables.arrow import arrow_schema

DAY = "2026-11-21 "
TABLES: dict[str, list[dict[str, object]]] = {
    "coverage": [
        {"node_id": 1, "source_file": "node-1/server.log", "layout": "default", "log_records": 9, "matched": 8, "unmatched": 1, "foreign": 0, "first_ts": "07:00:00", "last_ts": "07:40:00"},
    ],
    "events": [
        {"event_id": "node-1/server.log:1", "ts": "07:31:00", "raw_ts": "07:31:00", "node_id": 1, "source_file": "node-1/server.log", "line_number": 1, "level": "INFO", "logger": "kafka.server.KafkaServer", "kind": "process_started", "message": "started"},
        {"event_id": "node-2/server.log:7", "ts": "07:32:01", "raw_ts": "07:32:01", "node_id": 2, "source_file": "node-2/server.log", "line_number": 7, "level": "WARN", "logger": "kafka.server.ReplicaFetcherThread", "kind": "fetch_error", "topic": "orders", "partition": 0, "broker_id": 1, "message": "Connection to node 1 could not be established \x1b]0;evil\x07"},
        {"event_id": "node-2/controller.log:3", "ts": "07:32:18", "raw_ts": "07:32:18", "node_id": 2, "source_file": "node-2/controller.log", "line_number": 3, "level": "INFO", "logger": "kafka.controller", "kind": "controller_broker_change", "message": "deleted brokers: 1"},
        {"event_id": "node-2/state-change.log:9", "ts": "07:32:18.100", "raw_ts": "07:32:18.100", "node_id": 2, "source_file": "node-2/state-change.log", "line_number": 9, "level": "ERROR", "logger": "state.change.logger", "kind": "partition_state_online", "topic": "orders", "partition": 0, "leader_id": 2, "leader_epoch": 2, "message": "Changed partition orders-0 to leader 2"},
    ],
    "findings": [
        {"finding_id": "killed/1/x", "incident_id": "incident-1", "code": "F01", "role": "root_cause", "severity": "critical", "title": "Broker 1 crashed", "summary": "Node 1 stopped logging.", "start_ts": "07:32:00", "end_ts": None, "broker_ids": [1], "partitions": ["orders-0"], "confidence": 0.9, "blind_spots": [], "evidence": ["node-2/server.log:7"]},
        {"finding_id": "unclean_elections/incident-1/y", "incident_id": "incident-1", "code": "F16", "role": "contributing", "severity": "critical", "title": "Unclean election", "summary": "Broker 2 was not in the ISR.", "start_ts": "07:32:18.100", "end_ts": None, "broker_ids": [2], "partitions": ["orders-0"], "confidence": 0.9, "blind_spots": [], "evidence": ["node-2/state-change.log:9"]},
    ],
    "incidents": [
        {"incident_id": "incident-1", "start_ts": "07:32:00", "end_ts": "07:33:00", "title": "Broker 1 crashed", "severity": "critical", "root_finding_id": "killed/1/x", "elections": 1, "unclean_elections": 1, "lost_offsets_min": 5, "lost_offsets_max": 5, "told": "Lost: 5 records of orders. Broker 1 crashed at 07:32:00.", "detected_high_ms": 18000},
    ],
    "vertices": [
        {"id": "killed/1/x", "kind": "killed", "ts": "07:32:00", "node_id": 1, "topic": None, "partition": None, "label": "F01 killed: broker 1", "incident_id": "incident-1", "evidence": ["node-2/server.log:7"]},
        {"id": "detected/1/x", "kind": "detected", "ts": "07:32:18", "node_id": 1, "topic": None, "partition": None, "label": "the session of broker 1 ended", "incident_id": "incident-1", "evidence": ["node-1/server.log:1", "node-2/controller.log:3"]},
        {"id": "election/orders-0/2", "kind": "unclean_election", "ts": "07:32:18.100", "node_id": 2, "topic": "orders", "partition": 0, "label": "orders-0: leader 1, then 2", "incident_id": "incident-1", "evidence": ["node-2/state-change.log:9"]},
        {"id": "loss/orders-0/2", "kind": "loss", "ts": "07:32:18.100", "node_id": None, "topic": "orders", "partition": 0, "label": "PROVEN_LOSS orders-0", "incident_id": "incident-1", "evidence": []},
    ],
    "edges": [
        {"src": "killed/1/x", "dst": "detected/1/x", "relation": "R2", "because": "its session ended", "confidence": 0.9, "delay_ms": 18000},
        {"src": "detected/1/x", "dst": "election/orders-0/2", "relation": "R4", "because": "broker 1 led orders-0", "confidence": 0.95, "delay_ms": 100},
        {"src": "election/orders-0/2", "dst": "loss/orders-0/2", "relation": "R29", "because": "broker 2 lacks 5 offsets", "confidence": 1.0, "delay_ms": 0},
    ],
    "leader_epochs": [
        {"topic": "orders", "partition": 0, "leader_epoch": 0, "leader_id": 1, "epoch_start_offset": 0, "start_ts": "07:31:00", "end_ts": "07:32:18", "elected_from": None, "reason": "created", "confidence": "observed", "evidence": ["node-1/server.log:1"]},
        {"topic": "orders", "partition": 0, "leader_epoch": 1, "leader_id": -1, "epoch_start_offset": None, "start_ts": "07:32:18", "end_ts": "07:32:18.100", "elected_from": None, "reason": "leaderless", "confidence": "observed", "evidence": ["node-2/controller.log:3"]},
        {"topic": "orders", "partition": 0, "leader_epoch": 2, "leader_id": 2, "epoch_start_offset": 10, "start_ts": "07:32:18.100", "end_ts": None, "elected_from": "any_replica", "reason": "election", "confidence": "inferred", "evidence": ["node-2/state-change.log:9"]},
        {"topic": "later", "partition": 0, "leader_epoch": 0, "leader_id": 2, "epoch_start_offset": 0, "start_ts": "07:39:00", "end_ts": None, "elected_from": None, "reason": "created", "confidence": "observed", "evidence": []},
    ],
    "isr_spans": [
        {"topic": "orders", "partition": 0, "leader_epoch": 0, "partition_epoch": 0, "leader_id": 1, "isr": [1, 2], "replicas": [1, 2], "min_isr": 2, "start_ts": "07:31:00", "end_ts": "07:31:30", "evidence": []},
        {"topic": "orders", "partition": 0, "leader_epoch": 0, "partition_epoch": 1, "leader_id": 1, "isr": [1], "replicas": [1, 2], "min_isr": 2, "start_ts": "07:31:30", "end_ts": "07:32:18", "evidence": []},
        {"topic": "orders", "partition": 0, "leader_epoch": 2, "partition_epoch": 3, "leader_id": 2, "isr": [2], "replicas": [1, 2], "min_isr": 2, "start_ts": "07:32:18.100", "end_ts": None, "evidence": []},
    ],
    "elections": [
        {"topic": "orders", "partition": 0, "leader_epoch": 2, "ts": "07:32:18.100", "old_leader_id": 1, "new_leader_id": 2, "elected_from": "any_replica", "trigger": "broker_failure", "evidence": ["node-2/state-change.log:9"]},
    ],
    "commit_bands": [
        {"topic": "orders", "partition": 0, "start_ts": "07:31:00", "end_ts": None, "committed_low": 10, "committed_high": 15},
    ],
    "truncations": [
        {"topic": "orders", "partition": 0, "node_id": 1, "ts": "07:33:00", "leader_epoch": 2, "log_end_offset": 15, "truncation_offset": 10, "high_watermark": 12, "evidence": []},
    ],
    "losses": [
        {"topic": "orders", "partition": 0, "leader_epoch": 2, "ts": "07:32:18.100", "loss_class": "committed", "verdict": "PROVEN_LOSS", "from_offset": 10, "to_offset_low": 15, "to_offset_high": 15, "premise": "broker 1 was alone in the ISR", "evidence": []},
    ],
    "broker_sessions": [
        {"broker_id": 1, "broker_epoch": 1, "start_ts": "07:30:00", "end_ts": "07:32:18", "ended_by": "crash"},
        {"broker_id": 2, "broker_epoch": 2, "start_ts": "07:30:00", "end_ts": None, "ended_by": None},
    ],
    "controllers": [
        {"mode": "zk", "controller_id": 2, "controller_epoch": 1, "start_ts": "07:30:00", "ready_ts": "07:30:01", "end_ts": None},
    ],
    "settings": [{"node_id": 1, "ts": "07:30:00", "name": "min.insync.replicas", "value": "2", "event_id": "node-1/server.log:1"}],
    "unmatched": [{"normalized": "odd", "level": "ERROR", "count": 1}],
}  # fmt: skip
AVAILABILITY = [
    {"topic": "orders", "partition": 0, "acks": "all", "start_ts": "07:31:30", "end_ts": None, "state": "closed", "reason": "below_min_isr", "evidence": []},
]  # fmt: skip


def frame(name: str, rows: list[dict[str, object]]) -> pd.DataFrame:
    """The rows as Parquet files hold them: times naive in UTC, whole numbers nullable."""
    made = pd.DataFrame(rows)
    ints = {c.name for c in DECLARED[name].columns if c.type.typeName() in ("integer", "long")}
    times = {c.name for c in DECLARED[name].columns if c.type.typeName() == "timestamp"}
    for column in made:
        if column in times:
            made[column] = pd.to_datetime(
                [None if pd.isna(v) else DAY + str(v) for v in made[column]], format="ISO8601"
            )
        elif column in ints:
            made[column] = made[column].astype("Int64")
    missing = {c.name: None for c in DECLARED[name].columns if c.name not in made}
    return made.assign(**(missing | ({"rank": 1} if "rank" in missing else {})))


def tables(**more: list[dict[str, object]]) -> dict[str, pd.DataFrame]:
    """Every table as a frame, and `more`."""
    return {name: frame(name, rows) for name, rows in (TABLES | more).items()}


def typed(name: str, made: pd.DataFrame) -> pa.Table:
    """The frame with the declared type of each column that has no value."""
    table, declared = pa.Table.from_pandas(made, preserve_index=False), arrow_schema(DECLARED[name].schema)
    for position, field in enumerate(table.schema):
        if pa.types.is_null(field.type):
            nulls = pa.nulls(len(table), declared.field(field.name).type)
            table = table.set_column(position, field.name, nulls)
    return table


def write(folder: Path, **more: list[dict[str, object]]) -> Path:
    """The result as a folder that `analyze` could have written."""
    for name, made in tables(**more).items():
        (folder / "tables" / name).mkdir(parents=True)
        pq.write_table(typed(name, made), folder / "tables" / name / "part-0.parquet")
    for table in EVERY:
        if not (folder / "tables" / table.name).exists():
            (folder / "tables" / table.name).mkdir()
            empty = arrow_schema(table.schema).empty_table()
            pq.write_table(empty, folder / "tables" / table.name / "part-0.parquet")
    return folder
