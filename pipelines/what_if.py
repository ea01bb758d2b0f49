"""`kafka-replay what-if`: a result folder and other settings in, what would have been otherwise out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from pipelines.answers.conclusion import concluded
from pipelines.session import session
from pipelines.terminal import json_line
from replay.errors import InputError
from replay.questions import what_if as asked
from replay.tables import TABLES

_READ = ("isr_spans", "commit_bands", "losses", "elections", "leader_epochs", "broker_sessions", "settings")
_MOST_ROWS = 10_000


def what_if(
    result: Path,
    changes: Sequence[tuple[str, str]],
    *,
    as_json: bool = False,
    say: Callable[[str], None] = lambda step: None,
) -> Iterator[str]:
    """What would have been otherwise in the history of `result` with each of `changes`, a setting's name and value.

    Lines of text that end with one sentence, or JSON. Each change is answered for itself, the others as they were.
    Raises InputError for a folder that `analyze` did not write, a
    setting that has no answer, or a value that it does not take.
    """
    missing = [name for name in _READ if not (result / "tables" / name).is_dir()]
    if missing:
        raise InputError(
            f"{result}: no result of `kafka-replay analyze` ({missing[0]} is not among its tables); give the "
            f"folder that --out named"
        )
    questions = [(name, value, question(name, value)) for name, value in dict.fromkeys(changes)]
    say("Starting Spark")
    spark = session(input_bytes=0)
    schemas = {table.name: table.schema for table in TABLES}
    tables = {name: spark.read.schema(schemas[name]).parquet(str(result / "tables" / name)) for name in _READ}
    lost = tables["losses"].where("loss_class = 'committed' and verdict in ('PROVEN_LOSS', 'POSSIBLE_LOSS')").count()
    conclusions = []
    for name, value, answered in questions:
        say(f"Asking for {name}={value}")
        answers = (
            answered(tables)
            .orderBy("setting", "effect", "topic", "partition", "start_ts", "from_offset")
            .limit(_MOST_ROWS)
        )
        # A time that leaves Spark is one of this machine's zone.
        rows = answers.withColumns(
            {column: F.date_format(column, "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'") for column in ("start_ts", "end_ts")}
        ).collect()
        conclusions.append(f"with {name}={value}: {concluded([row.asDict() for row in rows], lost)}")
        yield from map(_json, rows) if as_json else _told(rows)
    if not as_json:
        sentence = "; and ".join(conclusions)
        yield f"{sentence[0].upper()}{sentence[1:]}."


def question(name: str, value: str) -> Callable[[Mapping[str, DataFrame]], DataFrame]:
    """What answers the question after one setting, from the tables of a result. Raises InputError for one that has no
    answer.
    """
    if name == asked.MIN_ISR:
        least = _number(name, value)
        return lambda t: asked.with_min_isr(t["isr_spans"], t["commit_bands"], t["losses"], least)
    if name == asked.UNCLEAN:
        if value.lower() != "false":
            raise InputError(
                f"{name}={value}: only false can be asked for: who would have led with true depends on disks "
                f"that no log describes"
            )
        return lambda t: asked.without_unclean_elections(
            t["elections"], t["leader_epochs"], t["isr_spans"], t["broker_sessions"], t["losses"]
        )
    if name == asked.LAG:
        limit = _number(name, value)
        return lambda t: asked.with_lag_time(t["isr_spans"], t["broker_sessions"], t["settings"], limit)
    raise InputError(f"{name}: no answer for this setting; ask for one of {', '.join(asked.SETTINGS)}")


def _number(name: str, value: str) -> int:
    if not value.isdigit() or int(value) < 1:
        raise InputError(f"{name}={value}: give a whole number from 1 on")
    return int(value)


def _json(row: Row) -> str:
    return json_line(row.asDict())


def _told(rows: Sequence[Row]) -> Iterator[str]:
    """The answers by effect, and under them what they take for granted, once."""
    if not rows:
        return
    first = rows[0]
    yield f"With {first.setting}={first.value}:"
    for row in rows:
        span = (
            f"{_clock(row.start_ts)} – {_clock(row.end_ts)}"
            if row.end_ts is not None
            else f"from {_clock(row.start_ts)}"
        )
        offsets = "" if row.from_offset is None or row.to_offset is None else f" [{row.from_offset}, {row.to_offset})"
        proof = f"  {row.evidence[0]}" if row.evidence else ""
        yield f"  {row.effect.replace('_', ' '):<26} {row.topic}-{row.partition}{offsets}  {span}: {row.told}{proof}"
    yield (
        "  Taken for granted: "
        + "; ".join(dict.fromkeys(assumption for row in rows for assumption in row.assumptions or ()))
        + "."
    )


def _clock(stamp: str | None) -> str:
    return "?" if stamp is None else stamp[11:23]
