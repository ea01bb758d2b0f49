"""Lives of processes and sessions of brokers as frames, for rules that are Spark's."""

from __future__ import annotations

from pyspark.sql import DataFrame

from replay.facts import sessions
from replay.tables import BROKER_SESSIONS
from replay.tables.arrow import to_arrow
from replay.tables.brokers import PROCESSES
from replay.tables.reading import FACTS
from replay.tables.row import Row
from tests.heard import processes_of
from tests.stages import plain


def processes(events: DataFrame) -> DataFrame:
    return events.sparkSession.createDataFrame(to_arrow(PROCESSES, processes_of(plain(events, FACTS))))


def broker_sessions(events: DataFrame, processes: DataFrame) -> DataFrame:
    lives: list[Row] = plain(processes, PROCESSES)
    found = sessions.broker_sessions(plain(events, FACTS), [], lives)
    return events.sparkSession.createDataFrame(to_arrow(BROKER_SESSIONS, found))
