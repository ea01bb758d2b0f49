"""Cases of one partition each, seen all in one run: a plan of this size is made once, not once a case."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

from pyspark.sql import DataFrame, SparkSession

from replay.availability import availability, claims, leaders_words, node_outages, roles_taken_up, tenures
from replay.causes.happenings import refused_writes
from replay.tables import BROKER_SESSIONS, EVENTS, ISR_SPANS, LEADER_EPOCHS
from replay.tables.availability import AVAILABILITY
from replay.tables.brokers import PROCESSES
from replay.tables.faults import FAULTS
from tests.tables import table

RELEASES = "node_id int, version_low int, version_high int"
TIMINGS = "node_id int, replica_socket_ms bigint"
OLD_RELEASE = "node_id | version_low | version_high\n 1 | 20802 | 20802"
APART = 100  # brokers of one case have ids of their own: case 3's broker 1 is 301
_OF_NODES = ("node_id", "leader_id", "broker_id", "isr", "replicas", "peers")
_OF_PARTITIONS = ("leader_epochs", "isr_spans", "events")


@dataclass(frozen=True)
class Case:
    """What is told of partition 0 of a topic, as text tables; what is not given is what `Case()` says: a broker 1
    that leads, and three in sync.
    """

    leader_epochs: str = """
        leader_epoch | leader_id | start_ts | end_ts
        4            | 1         | 10:00:00 |       """
    isr_spans: str = """
        leader_epoch | leader_id | isr   | replicas | min_isr | start_ts | end_ts
        4            | 1         | 1,2,3 | 1,2,3    | 2       | 10:00:00 |       """
    faults: str = "fault_id"
    events: str = "ts"
    processes: str = "node_id"
    sessions: str = "broker_id"


_TABLES = {
    "leader_epochs": LEADER_EPOCHS,
    "isr_spans": ISR_SPANS,
    "faults": FAULTS,
    "events": EVENTS,
    "processes": PROCESSES,
    "sessions": BROKER_SESSIONS,
}


def seen(spark: SparkSession, cases: dict[str, Case]) -> DataFrame:
    """The table `availability` of all `cases`, each under its name as the topic."""
    frames = {field.name: _together(spark, field.name, cases) for field in fields(Case)}
    timings = "\n".join(f"{number * APART + n} | 30000" for number in range(len(cases)) for n in (1, 2, 3))
    releases = table(spark, RELEASES, OLD_RELEASE)
    roles = roles_taken_up(frames["events"])
    led = tenures(frames["leader_epochs"], roles)
    outages = node_outages(
        frames["faults"],
        frames["processes"],
        frames["events"],
        table(spark, TIMINGS, "node_id | replica_socket_ms\n" + timings),
    )
    words = leaders_words(frames["events"], refused_writes(frames["events"]))
    found = claims(led, roles, words, frames["isr_spans"], outages, frames["sessions"], releases, frames["faults"])
    rows = availability(found, led).collect()
    return spark.createDataFrame(rows, AVAILABILITY.schema)


def _together(spark: SparkSession, name: str, cases: dict[str, Case]) -> DataFrame:
    """The rows that all cases tell of one table, each with its case's brokers and topic."""
    rows = [
        row
        for number, (case, tables) in enumerate(cases.items())
        for row in _rows(getattr(tables, name), case, number, name)
    ]
    columns = list(dict.fromkeys(column for row in rows for column in row)) or [
        "topic" if name in _OF_PARTITIONS else _first(name)
    ]
    lines = [" | ".join(row.get(column, "") for column in columns) for row in rows]
    return table(spark, _TABLES[name], "\n".join([" | ".join(columns), *lines]))


def _first(name: str) -> str:
    return _TABLES[name].schema.names[0]


def _rows(text: str, case: str, number: int, name: str) -> list[dict[str, str]]:
    header, *lines = [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if line.strip()]
    rows = [dict(zip(header, cells, strict=True)) for cells in lines]
    for place, row in enumerate(rows, 1):
        for column in _OF_NODES:
            row[column] = re.sub(r"(?<![\d-])\d+", lambda id_: str(number * APART + int(id_[0])), row.get(column, ""))
        if name in _OF_PARTITIONS:
            row |= {"topic": case, "partition": "0"}
        if "partitions" in row:
            row["partitions"] = row["partitions"].replace("orders-", f"{case}-")
        if name == "events":
            row["event_id"] = f"e{place}"
            row["message"] = re.sub(
                r"(replicaId=|leaderId=)(\d+)",
                lambda id_: f"{id_[1]}{number * APART + int(id_[2])}",
                row.get("message", ""),
            )
    known = set(_TABLES[name].schema.names)
    return [{column: cell for column, cell in row.items() if column in known} for row in rows]
