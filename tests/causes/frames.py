"""Frames that the rooms before hand to the causes, and many small tables worked on in one go."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from replay.causes.happenings import PASSING_MS
from replay.facts.times import first_known, known, millis
from replay.tables import ELECTIONS, LEADER_EPOCHS, LOSSES, Table
from replay.tables.causes import EFFECTS, OPEN_LOSSES, ROOTS
from replay.tables.columns import LIFE
from replay.tables.losses import OPEN_VERDICTS
from replay.tables.row import Row
from replay.tables.table import INT, LONG, STRING, TIMESTAMP, column
from tests.tables import DAY, arrow_schema, table

JUDGED_LEADER_EPOCHS = LEADER_EPOCHS.extended(
    "judged_leader_epochs",
    "One leader epoch with what is known of its election.",
    LIFE,
    column("leader_ts", TIMESTAMP, "When the leader itself says that it began."),
    column("old_leader_id", INT, "Broker that led the leader epoch before."),
    column("last_leader_id", INT, "The last broker that led before."),
    column("leaderless_ms", LONG, "How long the partition had had no leader."),
)
JUDGED_ELECTIONS = ELECTIONS.extended("judged_elections", "One change of leader.", LIFE)
LEDGER = LOSSES.extended("ledger", "One row of the loss ledger, with its incident where a test names one.", LIFE)

APART_DAYS = 10  # further than any rule of causality reaches
_CLOCK = re.compile(r"(?<![\w:-])(\d\d:\d\d:\d\d(?:\.\d+)?)(?![\w:])")


def days_of(cases: Mapping[str, object]) -> dict[str, str]:
    """Each case's own day, far from the others."""
    return {name: (DAY + timedelta(days=APART_DAYS * n)).isoformat() for n, name in enumerate(cases, 1)}


def on_day(text: str, day: str) -> str:
    """`text` with its times of day on `day`."""
    return _CLOCK.sub(rf"{day}T\1", text)


def together(
    spark: SparkSession,
    columns: Table,
    texts: Mapping[str, str],
    of_case: Callable[[DataFrame, str], DataFrame] = lambda rows, name: rows,
) -> DataFrame:
    """The rows of all `texts` as one frame, each text on a day of its own; `of_case` tells them apart otherwise."""
    days = days_of(texts)
    each = [of_case(table(spark, columns, on_day(text, days[name])), name).toArrow() for name, text in texts.items()]
    schema = arrow_schema(columns.schema)
    return literal(spark, columns, pa.concat_tables([one.select(columns.schema.names).cast(schema) for one in each]))


def literal(spark: SparkSession, columns: Table, rows: pa.Table) -> DataFrame:
    """Rows that Spark has already worked out: looked at by many tests, computed once."""
    return spark.createDataFrame(rows, columns.schema)


def worked_out(spark: SparkSession, columns: Table, frame: DataFrame) -> DataFrame:
    """`frame` computed once, for the tests that look at it."""
    return literal(spark, columns, frame.toArrow().cast(arrow_schema(columns.schema)))


def named(rows: DataFrame, case: str, *ids: str) -> DataFrame:
    """`rows` whose ids begin with the name of their case."""
    return rows.withColumns({name: F.concat(F.lit(f"{case}: "), F.col(name)) for name in ids})


def of(rows: DataFrame, case: str, *ids: str) -> DataFrame:
    """The rows of one case, with the ids that its text gives them."""
    mine = rows.where(F.startswith(F.col(ids[0]), F.lit(f"{case}: ")))
    return mine.withColumns({name: F.substr(name, F.lit(len(case) + 3)) for name in ids})


EACH_ROOT = Table(
    name="each_root",
    row="One vertex and one of its roots.",
    key=("id", "root_id"),
    columns=(
        column("id", STRING, "The vertex."),
        column("root_id", STRING, "Its root."),
        column("distance", INT, "How many edges lie between."),
    ),
)


def roots_of(each: Iterable[Row]) -> list[Row]:
    """`ROOTS` of rows of `EACH_ROOT`."""
    of_vertex: dict[str, list[tuple[int, str]]] = {}
    for row in each:
        of_vertex.setdefault(row.id, []).append((row.distance, row.root_id))
    return [
        ROOTS.row_class(
            id=id_, root_ids=[root for _, root in sorted(own)], distances=[distance for distance, _ in sorted(own)]
        )
        for id_, own in of_vertex.items()
    ]


def effects_of(vertices: Iterable[Row], roots: Iterable[Row] = (), elections: Iterable[Row] = ()) -> list[Row]:
    """`EFFECTS` of vertices, each a row of its own, as `replay.causes.effects` sums them."""
    root_ids = {root.id: root.root_ids for root in roots}
    elected = {epoch_name("election", election): election for election in elections}
    return [_effect(vertex, root_ids.get(vertex.id, []), elected.get(vertex.id)) for vertex in vertices]


def epoch_name(kind: str, row: Row) -> str:
    """The id of the vertex of a leader epoch, as `replay.causes.happenings.epoch_id` writes it."""
    life = f"/life-{row.life}" if row.life else ""
    return f"{kind}/{row.topic}-{row.partition}{life}/{row.leader_epoch}"


def loss_name(row: Row) -> str:
    """The id of the vertex of a row of the ledger, as `replay.causes.happenings.loss_id` writes it."""
    return "/".join(known((epoch_name("loss", row), row.loss_class, row.scenario)))


def _effect(vertex: Row, root_ids: list[str], election: Row | None) -> Row:
    is_leaderless = vertex.kind == "leaderless"
    ms = millis(vertex.end_ts or vertex.ts, vertex.ts)
    lines = (vertex.evidence or [])[: 2 if vertex.kind in ("leaderless", "election") else 3]
    leaders = (None, None) if election is None else (election.old_leader_id, election.new_leader_id)
    return EFFECTS.row_class(
        id=vertex.id if vertex.topic is None else None,
        kind=vertex.kind,
        by=None if election is None else election.trigger,
        node_id=vertex.node_id,
        incident_id=vertex.incident_id,
        root_ids=root_ids,
        elected_from=None if election is None else election.elected_from,
        is_other_leader=None if None in leaders else leaders[0] != leaders[1],
        is_open=is_leaderless and vertex.end_ts is None,
        is_passing=is_leaderless and vertex.end_ts is not None and ms < PASSING_MS,
        count=1,
        ts=vertex.ts,
        last_ts=vertex.ts,
        over_ts=vertex.end_ts,
        sum_ms=ms,
        longest_ms=ms,
        partitions=[] if vertex.topic is None else [f"{vertex.topic}-{vertex.partition}"],
        first_id=vertex.id,
        evidence=lines,
        evidence_ts=[vertex.ts for _ in lines],
    )


def open_losses_of(ledger: Iterable[Row], vertices: Iterable[Row], roots: Iterable[Row] = ()) -> list[Row]:
    """`OPEN_LOSSES` of rows of the ledger, as `replay.causes.effects` finds them."""
    root_ids = {root.id: root.root_ids for root in roots}
    incident_of = {vertex.id: vertex.incident_id for vertex in vertices if vertex.incident_id is not None}
    return [
        OPEN_LOSSES.row_class(
            **{name: getattr(row, name) for name in LOSSES.schema.names if name != "incident_id"},
            incident_id=first_known(
                row.incident_id, incident_of.get(loss_name(row)), incident_of.get(epoch_name("election", row))
            ),
            root_ids=root_ids.get(loss_name(row)),
            election_root_ids=root_ids.get(epoch_name("election", row)),
            election_id=epoch_name("election", row),
        )
        for row in ledger
        if row.verdict in OPEN_VERDICTS
    ]
