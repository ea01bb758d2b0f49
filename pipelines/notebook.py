"""`Replay`: a result in a notebook. Tables as DataFrames, answers as small frames, figures as Plotly's."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipelines.answers import at as standing
from pipelines.answers import diff as differing
from pipelines.answers import explain as explaining
from pipelines.answers import partition as telling
from pipelines.answers import what_if as asking
from pipelines.answers.frames import first_lines, plain, rows
from pipelines.answers.times import Clock, moment, zone
from pipelines.lent_session import UTC, for_a_run, has_graphframes, lent
from pipelines.places import Place, is_url, is_volume, must_be_free, put, rows_below, tables_below
from replay.errors import InputError, OutputError, SetupError
from replay.questions import operator_tables
from replay.tables import TABLES, WHAT_IFS
from replay.tables.literal_table import literal_table


class Told(str):
    """Text that a notebook shows as it stands."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre style='white-space:pre-wrap'>{escape(self)}</pre>"


class Replay:
    """A result, read through a Spark session that exists: it is never stopped, and gets its settings back.

    Every table is an attribute (`replay.leader_epochs`), but for `findings`, which is a method: its table is
    `replay.tables["findings"]`. Times are UTC: Spark shows instants in the session's zone, the small frames are naive
    in UTC.
    """

    def __init__(self, spark: SparkSession, place: Place) -> None:
        self.spark, self._place = spark, place

    @classmethod
    def session(cls) -> SparkSession:
        """The session that is active here, or a local one with GraphFrames' classes."""
        from pipelines.session import session

        return session()

    @classmethod
    def analyze(
        cls,
        spark: SparkSession,
        paths: str | Path | Sequence[str | Path],
        out: str | Path | None = None,
        *,
        overwrite: bool = False,
        nodes: Mapping[int, str | Path] | None = None,
        layout: str | None = None,
        timezone: str | None = None,
        node_timezones: Mapping[int, str] | None = None,
        redact: bool = False,
        format: Literal["parquet", "delta"] = "parquet",
        since: str | None = None,
        until: str | None = None,
        tz: str | None = None,
    ) -> Replay:
        """Analyze the logs under `paths` (files, folders, archives, URLs that Spark reads) in the session `spark`.

        Args:
            spark: The session to work in. It gets its settings back.
            paths: One path or several.
            out: A folder of this machine, a path in a volume (`/Volumes/…`) or a URL that Spark writes (`dbfs:/…`,
                `s3a://…`, `hdfs://…`). By default a temporary folder that stays until it is deleted.
            overwrite: Replace the result that is at `out`.
            nodes: More paths, by the id of the node that wrote what lies there.
            layout: A log4j pattern that is tried before the known layouts.
            timezone: The zone of stamps that print none, such as `Europe/Berlin` or `+09:00`. By default it is derived
                from the lines themselves.
            node_timezones: The zones of single nodes, by id.
            redact: Replace the names of topics, hosts, clients, users and ids.
            format: The format of the tables.
            since: The start of the time to analyze.
            until: The end of the time to analyze, which is not part of it.
            tz: The zone of `since` and `until` where they name none. By default UTC.

        Raises InputError, OutputError or SetupError for what the user can mend. If the finished result cannot be copied
        to `out`, it is kept, and the error says where.
        """
        from pipelines.main_job import analyze

        given = [str(path) for path in ([paths] if isinstance(paths, (str, Path)) else paths)]
        folder = _folder_for(spark, out, overwrite)
        with lent(spark, for_a_run(_size_of(given))):
            analyze(
                given,
                folder,
                overwrite=overwrite,
                nodes={node: Path(path) for node, path in (nodes or {}).items()},
                layout=layout,
                timezone=timezone,
                node_timezones=node_timezones,
                redact=redact,
                format=format,
                since=since,
                until=until,
                tz=tz,
                spark=spark,
            )
        if out is None or not _is_copied(out):
            return cls.load(spark, folder)
        _copy(spark, folder, str(out), overwrite)
        return cls.load(spark, str(out))

    @classmethod
    def load(cls, spark: SparkSession, path: str | Path) -> Replay:
        """The result that an analysis left at `path`: a folder of this machine, or a URL. Raises InputError for one
        that is none.
        """
        found = cls(spark, Place.of(path))
        if not (found._place / "tables" / "events").is_dir(spark):
            raise InputError(
                f"{path}: no result of an analysis (it has no tables); give the folder or URL that it was written to"
            )
        return found

    @classmethod
    def load_or_analyze(
        cls,
        spark: SparkSession,
        path: str | Path,
        inputs: str | Path | Sequence[str | Path],
        *,
        nodes: Mapping[int, str | Path] | None = None,
        layout: str | None = None,
        timezone: str | None = None,
        node_timezones: Mapping[int, str] | None = None,
        redact: bool = False,
        format: Literal["parquet", "delta"] = "parquet",
        since: str | None = None,
        until: str | None = None,
        tz: str | None = None,
    ) -> Replay:
        """The result at `path` if it is there, else that of an analysis of `inputs`, which is written there. The options
        are those of `analyze`.
        """
        try:
            return cls.load(spark, path)
        except InputError:
            return cls.analyze(
                spark,
                inputs,
                path,
                nodes=nodes,
                layout=layout,
                timezone=timezone,
                node_timezones=node_timezones,
                redact=redact,
                format=format,
                since=since,
                until=until,
                tz=tz,
            )

    @property
    def path(self) -> str:
        """Where the result lies."""
        return str(self._place)

    @cached_property
    def recorded(self) -> tuple[pd.Timestamp, pd.Timestamp] | None:
        """The first and the last moment that the files tell of; None without any."""
        files = self._small["coverage"]
        first, last = files.first_ts.min(), files.last_ts.max()
        return None if pd.isna(first) or pd.isna(last) else (first, last)

    @cached_property
    def tables(self) -> Mapping[str, DataFrame]:
        """Every table of the result by name."""
        read = tables_below(self.spark, self._place / "tables")
        return {table.name: read(table.name, table.schema) for table in TABLES}

    def __getattr__(self, name: str) -> DataFrame:
        if not name.startswith("_") and name in self.tables:
            return self.tables[name]
        raise AttributeError(
            f"no table or method {name!r}; tables are {', '.join(self.tables)}" if name[0] != "_" else name
        )

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.tables]

    def sql_views(self, prefix: str = "") -> list[str]:
        """A temporary view for each table, for `spark.sql`; their names, each with `prefix`."""
        for name, table in self.tables.items():
            table.createOrReplaceTempView(f"{prefix}{name}")
        return [f"{prefix}{name}" for name in self.tables]

    def findings(self, role: str | None = None) -> pd.DataFrame:
        """The conclusions, the roots first, then in order of time; `role` is `root_cause`, `contributing`, `effect` or
        `benign`.
        """
        told = self._small["findings"]
        order = told.role.map({"root_cause": 0, "contributing": 1, "effect": 2, "benign": 3})
        columns = ["code", "role", "severity", "title", "broker_ids", "start_ts", "end_ts", "confidence", "summary"]
        kept = told.assign(_order=order).sort_values(["_order", "start_ts", "finding_id"])
        kept = kept if role is None else kept[kept.role == role]
        return kept.set_index("finding_id")[columns]

    def explain(self, what: str) -> Told:
        """Why a finding was concluded (an id, its beginning, or an incident), or what a code (F01, R2, S4, I6)
        means.
        """
        from pipelines.glossary import glossary

        codes, found = glossary(), explaining.found(self._small, what)
        if not found:
            return Told("\n".join(explaining.meaning(what, codes)))
        graph = explaining.Graph(self._small)
        lines = self._lines(explaining.evidence_of(graph, found))
        told = (explaining.explained(self._small, graph, f, lines, codes, Clock()) for f in found)
        return Told("\n\n".join("\n".join(text) for text in told))

    def at(self, time: str | datetime | pd.Timestamp, topic: str | None = None) -> pd.DataFrame:
        """The partitions as they stood at one moment: leader, ISR, commit point; a text without a zone is UTC."""
        meant = self._moment(time)
        return standing.at(self._until(standing.TABLES, meant, topic), meant, topic)

    def diff(self, since: str | datetime | pd.Timestamp, until: str | datetime | pd.Timestamp) -> pd.DataFrame:
        """The partitions of which something changed between two moments."""
        start, end = self._moment(since), self._moment(until)
        return differing.changed(self._until(differing.TABLES, end, None), start, end)

    def partition(self, name: str) -> pd.DataFrame:
        """The story of one partition, `orders-0`, in order: leaders, ISRs, offsets, cuts, losses. Raises InputError if
        none is known.
        """
        topic, number = telling.named(name)
        own = (F.col("topic") == topic) & (F.col("partition") == number)
        found = {t: self._pandas(self.tables[t].where(own)) for t in telling.TABLES}
        if all(frame.empty for frame in found.values()):
            raise InputError(f"{name}: no line of these logs tells of it")
        return telling.story(found)

    def epochs(
        self, name: str, at: str | datetime | pd.Timestamp | None = None, *, history: bool = False
    ) -> pd.DataFrame:
        """Each replica's file of leader epochs, `(0 0)(1 0)(2 1)`, of a partition (`orders-0`) at a moment (none: the end
        of the logs), and where it parts from its leader's; with `history` every change; empty if none is told of.
        Raises InputError for a partition that no line tells of.
        """
        from pipelines.commands import epochs as files

        topic, number = telling.named(name)
        own = self._of(files.READ, topic, number)
        if own["epoch_files"].empty:
            self._must_know(name)
        moment = None if at is None else self._moment(at)
        return pd.DataFrame(files.told(topic, number, own, moment, history), columns=files.columns(history))

    def offsets(self, name: str) -> pd.DataFrame:
        """Which offset of a partition (`orders-0`) is which, with its own numbers; empty if none is told. Raises
        InputError for a partition that no line tells of.
        """
        from pipelines.commands import offsets as known
        from viz.frames import tidy
        from viz.which_offset import Offset

        topic, number = telling.named(name)
        own = {table: tidy(frame, table) for table, frame in self._of(known.READ, topic, number).items()}
        if all(frame.empty for frame in own.values()):
            self._must_know(name)
            return _table_of(Offset, ())
        return _table_of(Offset, known.of_partition(own, name))

    def acks_told(self, name: str) -> pd.DataFrame:
        """What producers with acks=0, 1 and all were told of a partition (`orders-0`), a row from one change to the
        next; empty if it is not known when it took writes. Raises InputError for a partition that no line tells of.
        """
        from viz.acks_told import Told as ToldByAcks
        from viz.acks_told import told_spans
        from viz.frames import rows, tidy

        topic, number = telling.named(name)
        spans = told_spans(rows(tidy(self._of(("availability",), topic, number)["availability"], "availability")))
        if not spans:
            self._must_know(name)
        return _table_of(ToldByAcks, spans)

    def off_preferred(self) -> pd.DataFrame:
        """Each time in which a partition was not led by its preferred replica, and how that ended."""
        from viz.frames import tidy
        from viz.preferred_leaders import OffPreferred, off_preferred

        names = ("leader_epochs", "isr_spans", "elections")
        times = off_preferred(*(tidy(self._small[name], name) for name in names))
        return _table_of(OffPreferred, times)

    def _must_know(self, name: str) -> None:
        """Raises InputError for a partition that no line tells of."""
        if all(frame.empty for frame in self._of(telling.TABLES, *telling.named(name)).values()):
            raise InputError(f"{name}: no line of these logs tells of it")

    def _of(self, names: Sequence[str], topic: str, partition: int) -> dict[str, pd.DataFrame]:
        own = (F.col("topic") == topic) & (F.col("partition") == partition)
        return {name: self._pandas(self.tables[name].where(own)) for name in names}

    def available(self, topic: str | None = None) -> pd.DataFrame:
        """When each partition took writes and when not, and why."""
        table = self.tables["availability"]
        told = self._pandas(table if topic is None else table.where(F.col("topic") == topic))
        return told.sort_values(["topic", "partition", "acks", "start_ts"]).reset_index(drop=True)

    def what_if(self, setting: str, value: str | int | bool) -> DataFrame:
        """What would have been otherwise with `setting` = `value`: one of `pipelines.answers.what_if.SETTINGS`."""
        found = asking.question(setting, str(value).lower())({t: self._pandas(self.tables[t]) for t in asking.TABLES})
        return literal_table(self.spark, [row.row() for row in found], WHAT_IFS.schema)

    def log_loads(self) -> DataFrame:
        """For each start of a broker: whether the stop before was clean, and how long its logs took to load."""
        return operator_tables.log_loads(self.tables["events"])

    def epochs_learnt(self) -> DataFrame:
        """When each broker learnt of each leader epoch, and how late."""
        return operator_tables.epochs_learnt(self.tables["leader_epochs"], self.tables["events"])

    def lines_of(self, frame: DataFrame) -> DataFrame:
        """The log lines that the column `evidence` of `frame` names, in order."""
        named = frame.select(F.explode("evidence").alias("event_id")).distinct()
        told = self.tables["events"].join(named, "event_id", "left_semi")
        return told.select("ts", "node_id", "level", "message", "event_id").orderBy("ts", "event_id")

    def graph(self) -> Any:
        """The graph of causes as a GraphFrame. Raises SetupError where the session has none of its classes."""
        if not has_graphframes(self.spark):
            raise SetupError(
                "GraphFrames' classes are not in this session (on Spark Connect they never are); the tables vertices "
                "and edges are here"
            )
        from replay.causes.graph import GraphFrame

        return GraphFrame(self.tables["vertices"], self.tables["edges"])

    def figures(self, incident_id: str | None = None) -> dict[str, go.Figure]:
        """Every figure of the page by name, those for which there is something to draw."""
        from viz.figures import figures

        return figures(self._small, incident_id)

    def figure(self, name: str, incident_id: str | None = None) -> go.Figure:
        """One figure of the page; one that has nothing to draw says so. Raises InputError for a name that none has."""
        from viz.figures import NAMES
        from viz.timeline import empty

        if name not in NAMES:
            raise InputError(f"{name}: no such figure; there are {', '.join(NAMES)}")
        return self.figures(incident_id).get(name) or empty("These logs tell nothing of this.")

    def leader_epochs_figure(self, incident_id: str | None = None) -> go.Figure:
        """Who led which partition, over time."""
        return self.figure("leader-epochs", incident_id)

    def isr_figure(self, incident_id: str | None = None) -> go.Figure:
        """How many replicas of each partition were in sync, over time."""
        return self.figure("isr", incident_id)

    def high_watermarks_figure(self, incident_id: str | None = None) -> go.Figure:
        """What was committed, and what was lost, over time."""
        return self.figure("high-watermarks", incident_id)

    def replication_lag_figure(self, incident_id: str | None = None) -> go.Figure:
        """How many offsets each follower was behind its leader, where lines tell it."""
        return self.figure("replication-lag", incident_id)

    def causality_figure(self, incident_id: str | None = None) -> go.Figure:
        """From the root to the effects."""
        return self.figure("causality", incident_id)

    @staticmethod
    def display(what: Any) -> None:
        """Show a frame, a figure or a text where there is no `display` of Databricks: in Jupyter, or on a terminal."""
        shown = what.limit(1_000).toPandas() if hasattr(what, "toPandas") else what
        try:
            from IPython import get_ipython
            from IPython.display import display

            if get_ipython() is not None:
                display(shown)
                return
        except ImportError:
            pass
        if isinstance(shown, pd.DataFrame):
            print(shown.to_string(max_rows=50, max_colwidth=100))
        elif isinstance(shown, go.Figure):
            print(f"[a figure of {len(shown.data)} traces]")
        else:
            print(shown)

    def __repr__(self) -> str:
        incidents = self._small["incidents"]
        told = "; ".join(str(title) for title in incidents.title) or "no incident"
        return f"Replay of {self.path}: {told}"

    def _repr_html_(self) -> str:
        """What happened, in a few lines: each incident as its record tells it, and what was read."""
        incidents, files = (self._small[name] for name in ("incidents", "coverage"))
        clock, items = Clock(), []
        for incident in rows(incidents.sort_values("start_ts")):
            items.append(
                f"<li><b>{escape(str(incident.severity))}</b> {escape(str(incident.title))}<br>"
                f"{escape(clock.span(incident.start_ts, incident.end_ts))} UTC. {escape(str(incident.told))}</li>"
            )
        read = f"{int(files.log_records.sum()):,} records of {len(files):,} files read, "
        f"{int(files.unmatched.sum()):,} not understood"
        body = (
            f"<ul>{''.join(items)}</ul>"
            if items
            else "<p>No incident was found. That rests on what these files tell.</p>"
        )
        return f"<div><h3>Kafka Replay</h3>{body}<p>{escape(read)}. Tables: {escape(', '.join(self.tables))}.</p></div>"

    @cached_property
    def _small(self) -> dict[str, pd.DataFrame]:
        """The small frames that the page is made of, collected once."""
        from pipelines.collect import frames

        with lent(self.spark, UTC):
            return frames(rows_below(self.spark, self._place))

    def _moment(self, time: str | datetime | pd.Timestamp) -> pd.Timestamp:
        if isinstance(time, str):
            return moment(time, zone(None), self.recorded)
        meant = pd.Timestamp(time)
        return meant if meant.tzinfo is None else meant.tz_convert("UTC").tz_localize(None)

    def _until(self, names: Sequence[str], meant: pd.Timestamp, topic: str | None) -> dict[str, pd.DataFrame]:
        """The rows of tables that began by then, of one topic where it is named."""
        found = {}
        instant = F.timestamp_micros(F.lit(meant.value // 1_000))
        for name in names:
            if name not in self.tables:
                continue
            table = self.tables[name]
            began = table.where(F.col("ts" if "ts" in table.columns else "start_ts") <= instant)
            kept = began if topic is None or "topic" not in table.columns else began.where(F.col("topic") == topic)
            found[name] = self._pandas(kept)
        return found

    def _lines(self, event_ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
        wanted = first_lines([event_ids])
        told = self.tables["events"].where(F.col("event_id").isin(wanted)) if wanted else self.tables["events"].limit(0)
        frame = self._pandas(told.select("event_id", "ts", "node_id", "level", "logger", "message"))
        return {str(row["event_id"]): row for row in frame.to_dict("records")}

    def _pandas(self, frame: DataFrame) -> pd.DataFrame:
        """A small frame, its times in UTC whatever the session's zone is."""
        with lent(self.spark, UTC):
            return plain(frame.toPandas())


def _table_of(kind: type, told: Iterable[Any]) -> pd.DataFrame:
    """A frame with a row for each of `told`, of the fields of the dataclass `kind`."""
    names = [field.name for field in fields(kind)]
    return pd.DataFrame([{name: getattr(one, name) for name in names} for one in told], columns=names)


def _is_copied(out: str | Path) -> bool:
    """Whether a result is made in a folder of this machine, and copied to `out` when it is finished."""
    return is_url(str(out)) or is_volume(str(out))


def _folder_for(spark: SparkSession, out: str | Path | None, overwrite: bool) -> Path:
    """The folder of this machine in which a result is made. Raises OutputError if it cannot be copied to `out`."""
    if out is not None and not _is_copied(out):
        return Path(out)
    if out is not None:
        must_be_free(spark, str(out), overwrite=overwrite)
    return Path(tempfile.mkdtemp(prefix="kafka-replay-result-")) / "result"


def _copy(spark: SparkSession, folder: Path, out: str, overwrite: bool) -> None:
    """Copy a result to `out` and remove `folder`. Raises OutputError if that fails; the result is kept then."""
    try:
        put(spark, folder, out, overwrite=overwrite)
    except OutputError as error:
        raise OutputError(f"{error}. The finished result is kept: Replay.load(spark, {str(folder)!r})") from error
    shutil.rmtree(folder.parent, ignore_errors=True)


def _size_of(paths: Sequence[str]) -> int:
    """How many bytes lie under paths of this machine; what lies elsewhere counts as much."""
    sizes = 0
    for path in paths:
        if is_url(path):
            return 1 << 40
        here = Path(path)
        files = here.rglob("*") if here.is_dir() else [here]
        sizes += sum(file.stat().st_size for file in files if file.is_file())
    return sizes


def explain_lines(text: str) -> Told:
    """What pasted log lines mean, from one to thousands, within seconds and without Spark's help."""
    from pipelines.answers.lines import of_text, told

    return Told("\n".join(told(of_text(text))))
