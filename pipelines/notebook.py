"""`Replay`: a result in a notebook. Tables are DataFrames, answers are small frames, figures are Plotly's."""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go
import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from pipelines.answers import at as standing
from pipelines.answers import broker as of_broker
from pipelines.answers import diff as differing
from pipelines.answers import explain as explaining
from pipelines.answers import partition as telling
from pipelines.answers import what_if as asking
from pipelines.answers.frames import first_lines, plain, rows
from pipelines.answers.times import Clock, moment, zone
from pipelines.incident_tables import IncidentTables, StoredIncident
from pipelines.lent_session import UTC, has_graphframes, lent, lent_to_a_run, must_see
from pipelines.package import is_on_this_machine
from pipelines.places import Place, Tables, is_url, must_be_free, page_of, put, rows_below
from pipelines.result_folders import is_result
from pipelines.scratch import kept_folder
from pipelines.table_input import laid_down
from pipelines.volumes import is_volume
from replay.errors import InputError, OutputError, SetupError
from replay.questions import operator_tables
from replay.reconcile.logs import PartitionLog
from replay.tables import WHAT_IFS, Table
from replay.tables.answers import (
    ACKS_TOLD,
    BROKER_STORY,
    CHANGED_PARTITIONS,
    EPOCH_FILES_AT,
    OFF_PREFERRED,
    PARTITION_OFFSETS,
    PARTITION_STORY,
    PARTITIONS_AT,
)
from replay.tables.arrow import arrow_schema
from replay.tables.literal_table import literal_table
from replay.tables.losses import VERDICTS

_LOG = logging.getLogger("kafka_replay")
_ROLES = ("root_cause", "contributing", "effect", "benign")


class PlainText(str):
    """Text that a notebook shows unchanged."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre style='white-space:pre-wrap'>{escape(self)}</pre>"


class Page(str):
    """A page of HTML, which a notebook shows in a frame of its own."""

    def __repr__(self) -> str:
        return f"[a page of {len(self):,} characters; str() of it is its HTML]"

    def _repr_html_(self) -> str:
        # The frame may only run the page's script, so that text from logs cannot reach the notebook.
        permitted = "allow-scripts allow-popups allow-downloads"
        style = "width:100%;height:900px;border:0"
        return f'<iframe sandbox="{permitted}" style="{style}" srcdoc="{escape(self, quote=True)}"></iframe>'


class Replay:
    """A result, read through an existing Spark session, which is never stopped and gets its settings back.

    Every table is an attribute (`replay.leader_epochs`), except `findings` and `losses`, which are methods: their
    tables are `replay.tables["findings"]` and `replay.tables["losses"]`. Tables and answers are Spark DataFrames;
    Spark shows their times in the session's zone. A time without a zone is UTC.
    """

    def __init__(self, spark: SparkSession, place: Place | StoredIncident) -> None:
        self.spark, self._place = spark, place

    @classmethod
    def session(cls, *, delta: bool = False) -> SparkSession:
        """The active session, or a local one with GraphFrames' classes, and with Delta's if `delta`."""
        from pipelines.session import session

        return session(writes_delta=delta)

    @classmethod
    def analyze(
        cls,
        spark: SparkSession,
        paths: str | Path | Sequence[str | Path] = (),
        out: str | Path | None = None,
        *,
        catalog_schema: str | None = None,
        incident: str | None = None,
        table: str | None = None,
        columns: Mapping[str, str] | None = None,
        overwrite: bool = False,
        reuse: bool = False,
        nodes: Mapping[int, str | Path] | None = None,
        layout: str | None = None,
        timezone: str | None = None,
        node_timezones: Mapping[int, str] | None = None,
        redact: bool = False,
        format: Literal["parquet", "delta"] = "parquet",
        since: str | None = None,
        until: str | None = None,
        tz: str | None = None,
        shared: str | Path | None = None,
    ) -> Replay:
        """Analyze the logs under `paths` (files, folders, archives, URLs that Spark reads), or in `table`, in the session
        `spark`.

        Args:
            spark: The session to work in. It gets its settings back.
            paths: One path or several.
            out: A folder of this machine, a path in a volume (`/Volumes/…`) or a URL that Spark writes (`dbfs:/…`,
                `s3a://…`, `hdfs://…`). By default a temporary folder that stays until it is deleted.
            catalog_schema: Instead of `out`: a catalog and its schema (`ops.incidents`) whose Delta tables get the rows of this incident. Rows of an
                earlier run over the same incident are replaced.
            incident: The name of the incident in `catalog_schema`.
            table: A table that holds lines of logs.
            columns: Its columns: `text` (a line, or a record of several), `node`, `file`, and `order` (what sorts the rows
                of a file). Without `order` each row must begin with a time.
            overwrite: Replace the result that is at `out`.
            reuse: Read the result that is at `out`, or the incident that is in `catalog_schema`, if it is there.
            nodes: More paths, by the id of the node that wrote what lies there.
            layout: A log4j pattern that is tried before the known layouts.
            timezone: The zone of stamps that print none, such as `Europe/Berlin` or `+09:00`. By default it is derived
                from the lines themselves.
            node_timezones: The zones of single nodes, by id.
            redact: Replace the names of topics, hosts, clients, users and ids.
            format: The format of the tables in `out`.
            since: The start of the time to analyze.
            until: The end of the time to analyze, which is not part of it.
            tz: The zone of `since` and `until` where they name none. By default UTC.
            shared: A folder that this process and Spark's workers see, for the work in between. By default the folder
                of `out` if that is a path in a volume and the workers run elsewhere, else that of temporary files.

        Raises InputError, OutputError or SetupError for what the user can mend. If the finished result cannot be copied
        to `out` or written to `catalog_schema`, it is kept, and the error says where. The logger `kafka_replay` reports each step.
        """
        from pipelines.main_job import analyze

        tables = _tables(spark, catalog_schema, incident, out)
        if reuse and (there := cls._existing(spark, out, tables, incident)) is not None:
            return there
        if out is not None and _is_copied(out):
            must_be_free(spark, str(out), overwrite=overwrite)
        seen_by_workers = _shared(spark, out, shared)
        with _inputs(spark, paths, table, columns or {}) as given, lent_to_a_run(spark, _size_of(given)):
            with _folder_for(spark, out, seen_by_workers) as folder:
                analyze(
                    given,
                    folder,
                    overwrite=overwrite,
                    nodes=_by_node(nodes),
                    layout=layout,
                    timezone=timezone,
                    node_timezones=node_timezones,
                    redact=redact,
                    format=format,
                    since=since,
                    until=until,
                    tz=tz,
                    shared=seen_by_workers,
                    spark=spark,
                    on_step=_LOG.info,
                )
            if tables is not None and incident is not None:
                _write(tables, folder, incident)
                return cls(spark, tables.of(incident))
        if out is None or not _is_copied(out):
            return cls.load(spark, folder)
        _copy(spark, folder, str(out), overwrite)
        return cls.load(spark, str(out))

    @classmethod
    def _existing(
        cls, spark: SparkSession, out: str | Path | None, tables: IncidentTables | None, incident: str | None
    ) -> Replay | None:
        """The result that an earlier run wrote; None if there is none."""
        try:
            if tables is not None and incident is not None:
                return cls(spark, tables.of(incident))
            return None if out is None else cls.load(spark, out)
        except InputError:
            return None

    @classmethod
    def append(
        cls,
        spark: SparkSession,
        paths: str | Path | Sequence[str | Path],
        *,
        catalog_schema: str,
        incident: str,
        nodes: Mapping[int, str | Path] | None = None,
        layout: str | None = None,
        timezone: str | None = None,
        node_timezones: Mapping[int, str] | None = None,
        shared: str | Path | None = None,
    ) -> Replay:
        """Add the files under `paths` to an incident in a schema of the catalog, or analyze them if the incident is
        new there.

        The result is the same as that of one analysis of all files. A file that the incident already has counts
        once; one that has grown replaces its earlier version. The options of the first analysis still apply. Raises
        InputError, OutputError or SetupError for problems that the user can fix; the incident is then unchanged.
        """
        from pipelines.append import append

        given = _paths(paths)
        tables = IncidentTables(spark, catalog_schema)
        was = tables.analyzed(incident)
        options: dict[str, Any] = {"layout": layout, "timezone": timezone, "node_timezones": node_timezones}
        if was is None:
            return cls.analyze(
                spark, given, catalog_schema=catalog_schema, incident=incident, nodes=nodes, shared=shared, **options
            )
        place = None if shared is None else Path(shared)
        with lent_to_a_run(spark, _size_of(given)):
            with _folder_for(spark, None, place) as folder:
                tables.of(incident).laid_down(folder)
                append(folder, given, nodes=_by_node(nodes), shared=place, spark=spark, on_step=_LOG.info, **options)
            _write(tables, folder, incident, was)
        return cls(spark, tables.of(incident))

    @classmethod
    def load(cls, spark: SparkSession, path: str | Path) -> Replay:
        """The result of an analysis at `path`: a local folder or a URL. Raises InputError if it is not a result, SetupError
        if this session cannot read it.
        """
        place = Place.of(path)
        if not (place / "tables" / "events").is_dir(spark):
            if place.here is not None and is_result(place.here):
                raise SetupError(
                    f"{path}: holds a result, which this Spark session cannot read: it has ended, or does not see that "
                    "folder; load it in another session"
                )
            raise InputError(
                f"{path}: no result of an analysis (it has no tables); give the folder or URL that it was written to"
            )
        return cls(spark, place)

    @classmethod
    def of(cls, spark: SparkSession, catalog_schema: str, *, incident: str) -> Replay:
        """The result of an incident that `analyze` wrote to a schema of the catalog. Raises InputError if the schema
        does not have it.
        """
        return cls(spark, IncidentTables(spark, catalog_schema).of(incident))

    @staticmethod
    def incidents_in(spark: SparkSession, catalog_schema: str) -> DataFrame:
        """The incidents in a schema of the catalog, the newest first."""
        return IncidentTables(spark, catalog_schema).incidents()

    @property
    def path(self) -> str:
        """The location of the result: a folder, a URL, or a schema and an incident."""
        return str(self._place).removeprefix("file://")

    @cached_property
    def recorded(self) -> tuple[pd.Timestamp, pd.Timestamp] | None:
        """The first and the last time in the files; None if there is none."""
        files = self._small["coverage"]
        first, last = files.first_ts.min(), files.last_ts.max()
        return None if pd.isna(first) or pd.isna(last) else (first, last)

    @cached_property
    def tables(self) -> Mapping[str, DataFrame]:
        """Every table of the result by name."""
        return Tables(self.spark, self._place)

    def __getattr__(self, name: str) -> DataFrame:
        if not name.startswith("_") and name in self.tables:
            return self.tables[name]
        raise AttributeError(
            f"no table or method {name!r}; tables are {', '.join(self.tables)}" if name[0] != "_" else name
        )

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.tables]

    def sql_views(self, prefix: str = "") -> list[str]:
        """Create a temporary view of each table for `spark.sql`. Returns their names, each with `prefix`."""
        for name, table in self.tables.items():
            table.createOrReplaceTempView(f"{prefix}{name}")
        return [f"{prefix}{name}" for name in self.tables]

    def findings(self, role: str | None = None) -> DataFrame:
        """The conclusions, root causes first, then in order of time; `role` is `root_cause`, `contributing`,
        `effect` or `benign`.
        """
        table = self.tables["findings"]
        kept = table if role is None else table.where(F.col("role") == role)
        columns = ["finding_id", "code", "role", "severity", "title", "broker_ids", "start_ts", "end_ts", "confidence"]
        return kept.orderBy(_rank("role", _ROLES), "start_ts", "finding_id").select(*columns, "summary")

    def losses(self, verdict: str | None = None) -> DataFrame:
        """The verdicts on possibly lost records, proven losses first; `verdict` is `PROVEN_LOSS`, `POSSIBLE_LOSS`,
        `UNDETERMINED`, `NO_COMMITTED_LOSS_BY_PROTOCOL` or `NO_LOSS_OBSERVED`.
        """
        table = self.tables["losses"]
        kept = table if verdict is None else table.where(F.col("verdict") == verdict)
        lost = F.col("to_offset_low") - F.col("from_offset"), F.col("to_offset_high") - F.col("from_offset")
        with_sums = kept.withColumns({"lost_for_sure": lost[0], "lost_at_most": lost[1]})
        return with_sums.orderBy(_rank("verdict", tuple(VERDICTS)), "topic", "partition", "ts", "from_offset")

    def report(self) -> Page:
        """The page. A notebook shows it; `str` of it is its HTML."""
        return Page(page_of(self.spark, self._place))

    def explain(self, what: str) -> PlainText:
        """Why a finding was concluded (an id, its beginning, or an incident), or what a code (F01, R2, S4, I6) means."""
        from pipelines.glossary import glossary

        codes, found = glossary(), explaining.found(self._small, what)
        if not found:
            return PlainText("\n".join(explaining.meaning(what, codes)))
        tables = self._small | {"faults": self._pandas(self.tables["faults"])}
        graph = explaining.Graph(tables)
        lines = self._lines(explaining.evidence_of(graph, found))
        texts = (explaining.explained(tables, graph, f, lines, codes, Clock()) for f in found)
        return PlainText("\n\n".join("\n".join(text) for text in texts))

    def at(self, time: str | datetime | pd.Timestamp, topic: str | None = None) -> DataFrame:
        """The partitions at one moment: leader, ISR, commit point; a text without a zone is UTC."""
        meant = self._moment(time)
        own = () if topic is None else (topic,)
        return self._frame(PARTITIONS_AT, rows(standing.at(self._until(standing.TABLES, meant, topic), meant, own)))

    def diff(self, since: str | datetime | pd.Timestamp, until: str | datetime | pd.Timestamp) -> DataFrame:
        """The partitions that changed between two moments."""
        start, end = self._moment(since), self._moment(until)
        changed = differing.changed(self._until(differing.TABLES, end, None), start, end)
        return self._frame(CHANGED_PARTITIONS, rows(changed))

    def partition(self, name: str) -> DataFrame:
        """The history of one partition, `orders-0`, in order: leaders, ISRs, offsets, truncations, losses. Raises
        InputError for an unknown one.
        """
        found = self._of(telling.TABLES, *telling.named(name))
        if all(frame.empty for frame in found.values()):
            raise InputError(f"{name}: these logs have no line about it")
        return self._frame(PARTITION_STORY, rows(telling.story(found)))

    def broker(self, broker_id: int) -> DataFrame:
        """The history of one broker in order: sessions, faults, what it led, ISRs, truncations, losses; the last row
        says whether a restart is safe as the logs end. Raises InputError for an unknown one.
        """
        found = {name: self._pandas(self.tables[name]) for name in of_broker.TABLES}
        if not of_broker.is_known(found, broker_id):
            raise InputError(f"{broker_id}: these logs have no line about this broker")
        return self._frame(BROKER_STORY, of_broker.with_restart(found, broker_id))

    def epochs(self, name: str, at: str | datetime | pd.Timestamp | None = None, *, history: bool = False) -> DataFrame:
        """The leader-epoch checkpoint of each replica of a partition (`orders-0`), as `(0 0)(1 0)(2 1)`, at a time
        (default: the end of the logs), and where it diverges from the leader's.

        With `history`, every change. Empty if no checkpoint is known. Raises InputError for an unknown partition.
        """
        from pipelines.commands import epochs as files

        topic, number = telling.named(name)
        own = self._of(files.READ, topic, number)
        if own["epoch_files"].empty:
            self._must_know(name)
        moment = None if at is None else self._moment(at)
        return self._frame(EPOCH_FILES_AT, files.as_records(topic, number, own, moment, history))

    def offsets(self, name: str) -> DataFrame:
        """The offsets of a partition (`orders-0`) and what each of them is; empty if none is known. Raises
        InputError for an unknown partition.
        """
        from pipelines.commands import offsets as known
        from viz.frames import tidy

        topic, number = telling.named(name)
        own = {table: tidy(frame, table) for table, frame in self._of(known.READ, topic, number).items()}
        if all(frame.empty for frame in own.values()):
            self._must_know(name)
            return self._frame(PARTITION_OFFSETS, ())
        return self._frame(PARTITION_OFFSETS, known.of_partition(own, name))

    def acks_told(self, name: str) -> DataFrame:
        """What producers with acks=0, 1 and all received from a partition (`orders-0`), one row from each change to
        the next; empty if it is unknown when the partition accepted writes. Raises InputError for an unknown
        partition.
        """
        from viz.acks_told import answer_spans
        from viz.frames import rows, tidy

        topic, number = telling.named(name)
        own = self._of(("availability", "losses"), topic, number)
        spans = answer_spans(*(rows(tidy(frame, table)) for table, frame in own.items()))
        if not spans:
            self._must_know(name)
        return self._frame(ACKS_TOLD, spans, start_ts="start", end_ts="end")

    def off_preferred(self) -> DataFrame:
        """Each period in which the leader of a partition was not its preferred replica, and how that ended."""
        from viz.frames import tidy
        from viz.preferred_leaders import off_preferred

        names = ("leader_epochs", "isr_spans", "elections")
        times = off_preferred(*(tidy(self._small[name], name) for name in names))
        return self._frame(OFF_PREFERRED, times, start_ts="start", end_ts="end")

    def _must_know(self, name: str) -> None:
        """Raises InputError for an unknown partition."""
        if all(frame.empty for frame in self._of(telling.TABLES, *telling.named(name)).values()):
            raise InputError(f"{name}: these logs have no line about it")

    def _of(self, names: Sequence[str], topic: str, partition: int) -> dict[str, pd.DataFrame]:
        own = (F.col("topic") == topic) & (F.col("partition") == partition)
        return {name: self._pandas(self.tables[name].where(own)) for name in names}

    def samples(self, metric: str | None = None, node: int | None = None) -> DataFrame:
        """The samples of metrics from about the times of incidents, in the order of time; of one metric or node, if given."""
        table = self.tables["samples"]
        kept = table if metric is None else table.where(F.col("metric") == metric)
        return (kept if node is None else kept.where(F.col("node_id") == node)).orderBy("ts", "sample_id")

    def available(self, topic: str | None = None) -> DataFrame:
        """When each partition accepted writes and when not, and why."""
        table = self.tables["availability"]
        kept = table if topic is None else table.where(F.col("topic") == topic)
        return kept.orderBy("topic", "partition", "acks", "start_ts")

    def reconcile(
        self,
        records: DataFrame,
        *,
        time_is: Literal["acknowledged", "created", "appended"] = "acknowledged",
        clock_error: float | None = None,
        columns: Mapping[str, str] | None = None,
        keys_are_unique: bool = False,
    ) -> DataFrame:
        """The records with their verdicts: which are kept, gone, or replaced by others at their offset.

        `columns` names columns with other names, as in `{"offset": "o", "time": "sent_at"}`; `clock_error` is how far the
        applications' clocks are off at most, in seconds (default: derived from the records). With `keys_are_unique` a key
        at two offsets of a partition is a duplicate. Raises InputError for missing columns.
        """
        from pipelines.reconciliation.with_spark import verdicts

        error = None if clock_error is None else round(clock_error * 1_000_000)
        return verdicts(
            records,
            self._partition_logs(),
            columns or {},
            time_is=time_is,
            clock_error=error,
            keys_are_unique=keys_are_unique,
        )

    def sql_reconcile(self, name: str = "reconcile") -> str:
        """Create the table function `reconcile(TABLE(records))` for `spark.sql`, under this name. Returns the name.

        All records come to one worker: for more than a million, make a view of what the method `reconcile` gives.
        """
        from pipelines.reconciliation.table_function import register

        register(self.spark, name, self._partition_logs())
        return name

    def _partition_logs(self) -> Mapping[tuple[str, int], PartitionLog]:
        from pipelines.reconciliation.partition_logs import LOG_DELETED, READ, logs_of

        tables = {name: self.tables[name] for name in READ}
        tables["events"] = tables["events"].where(F.col("kind") == LOG_DELETED)
        return logs_of({name: self._pandas(table) for name, table in tables.items()})

    def what_if(self, setting: str, value: str | int | bool) -> DataFrame:
        """What would have changed with `setting` = `value`: one of `pipelines.answers.what_if.SETTINGS`."""
        found = asking.question(setting, str(value).lower())({t: self._pandas(self.tables[t]) for t in asking.TABLES})
        return literal_table(self.spark, [row.row() for row in found], WHAT_IFS.schema)

    def log_loads(self) -> DataFrame:
        """For each start of a broker: whether the previous stop was clean, and how long its logs took to load."""
        return operator_tables.log_loads(self.tables["events"])

    def epochs_learnt(self) -> DataFrame:
        """When each broker learned of each leader epoch, and with what delay."""
        return operator_tables.epochs_learnt(self.tables["leader_epochs"], self.tables["events"])

    def lines_of(self, frame: DataFrame) -> DataFrame:
        """The log lines that the column `evidence` of `frame` names, in order."""
        named = frame.select(F.explode("evidence").alias("event_id")).distinct()
        lines = self.tables["events"].join(named, "event_id", "left_semi")
        return lines.select("ts", "node_id", "level", "message", "event_id").orderBy("ts", "event_id")

    def graph(self) -> Any:
        """The graph of causes as a GraphFrame. Raises SetupError if the session lacks its classes."""
        if not has_graphframes(self.spark):
            raise SetupError(
                "GraphFrames' classes are not in this session (on Spark Connect they never are); the tables vertices "
                "and edges are here"
            )
        from replay.causes.graph import GraphFrame

        return GraphFrame(self.tables["vertices"], self.tables["edges"])

    def figures(self, incident_id: str | None = None) -> dict[str, go.Figure]:
        """Every figure of the page by name, except those that would be empty."""
        from viz.figures import figures

        return figures(self._small, incident_id)

    def figure(self, name: str, incident_id: str | None = None) -> go.Figure:
        """One figure of the page; an empty figure says why. Raises InputError for an unknown name."""
        from viz.figures import NAMES
        from viz.timeline import empty

        if name not in NAMES:
            raise InputError(f"{name}: no such figure; there are {', '.join(NAMES)}")
        return self.figures(incident_id).get(name) or empty("These logs show nothing for this figure.")

    def leader_epochs_figure(self, incident_id: str | None = None) -> go.Figure:
        """The leaders of partitions over time."""
        return self.figure("leader-epochs", incident_id)

    def isr_figure(self, incident_id: str | None = None) -> go.Figure:
        """How many replicas of each partition were in sync, over time."""
        return self.figure("isr", incident_id)

    def high_watermarks_figure(self, incident_id: str | None = None) -> go.Figure:
        """The committed and the lost offsets over time."""
        return self.figure("high-watermarks", incident_id)

    def replication_lag_figure(self, incident_id: str | None = None) -> go.Figure:
        """How many offsets each follower was behind its leader, as far as log lines show it."""
        return self.figure("replication-lag", incident_id)

    def causality_figure(self, incident_id: str | None = None) -> go.Figure:
        """The causes of the incident, from root causes to effects."""
        return self.figure("causality", incident_id)

    @staticmethod
    def show(what: Any) -> None:
        """Show a frame, a figure or a text where Databricks' `display` does not exist: in Jupyter, or on a terminal."""
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
        titles = "; ".join(str(title) for title in incidents.title) or "no incident"
        return f"Replay of {self.path}: {titles}"

    def _repr_html_(self) -> str:
        """What happened, in a few lines: each incident from its record, the worst first, and what was read."""
        from viz import all_clear, limits
        from viz.by_severity import worst_first
        from viz.frames import tidy
        from viz.metric_statements import unlogged

        incidents, files = (self._small[name] for name in ("incidents", "coverage"))
        clock, items = Clock(), []
        for incident in worst_first(rows(tidy(incidents, "incidents"))):
            items.append(
                f"<li><b>{escape(str(incident.severity))}</b> {escape(str(incident.title))}<br>"
                f"{escape(clock.span(incident.start_ts, incident.end_ts))} UTC. {escape(str(incident.told))}</li>"
            )
        read = f"{int(files.log_records.sum()):,} records of {len(files):,} files read, "
        f"{int(files.unmatched.sum()):,} not understood"
        body = (
            f"<ul>{''.join(items)}</ul>"
            if items
            else f"<p>No incident was found. {escape(' '.join(unlogged(self._small)))} {escape(all_clear.statement(self._small) or '')} The result depends on what these files "
            "show.</p>"
        )
        body += "".join(f"<p>{escape(text)}</p>" for text in [all_clear.deletions(self._small)] if text)
        lacks = "".join(f"<p>{escape(sentence)}</p>" for sentence in limits.sentences(self._small))
        return f"<div><h3>Kafka Replay</h3>{lacks}{body}<p>{escape(read)}. Tables: {escape(', '.join(self.tables))}.</p></div>"

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
        """The rows of tables that began by this time, for `topic` if given."""
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
        events = (
            self.tables["events"].where(F.col("event_id").isin(wanted)) if wanted else self.tables["events"].limit(0)
        )
        frame = self._pandas(events.select("event_id", "ts", "node_id", "level", "logger", "message"))
        return {str(row["event_id"]): row for row in frame.to_dict("records")}

    def _frame(self, table: Table, found: Iterable[Any], **named: str) -> DataFrame:
        """An answer as a Spark DataFrame, made of mappings or objects that have the columns of `table`; `named` maps
        columns to different field names.
        """
        records = [one if isinstance(one, Mapping) else _fields(one) for one in found]
        schema = arrow_schema(table.schema)
        columns = [
            pa.array([_value(row.get(named.get(field.name, field.name)), field.type) for row in records], field.type)
            for field in schema
        ]
        return self.spark.createDataFrame(pa.Table.from_arrays(columns, schema=schema))

    def _pandas(self, frame: DataFrame) -> pd.DataFrame:
        """A small frame, with its times in UTC whatever the session's zone is."""
        with lent(self.spark, UTC):
            return plain(frame.toPandas())


def _rank(column: str, order: Sequence[str]) -> Column:
    """The rank of a column's value in `order`; other values come last."""
    found = F.array_position(F.array(*map(F.lit, order)), F.col(column))
    return F.when(found > 0, found).otherwise(len(order) + 1)


def _fields(row: Any) -> Mapping[str, Any]:
    """The fields of a named tuple or a dataclass."""
    return dict(zip(row._fields, row)) if isinstance(row, tuple) else vars(row)  # type: ignore[attr-defined]


def _value(value: Any, kind: pa.DataType) -> Any:
    """A value of a small frame in the form that Arrow accepts: naive times are UTC, missing values are null."""
    if value is None or (pd.api.types.is_scalar(value) and pd.isna(value)):
        return None
    if pa.types.is_map(kind):
        return list(value.items())
    if pa.types.is_timestamp(kind):
        return pd.Timestamp(value).tz_localize("UTC")
    return int(value) if pa.types.is_integer(kind) else value


def _is_copied(out: str | Path) -> bool:
    """Whether a result is made in a local folder and copied to `out` when it is finished."""
    return is_url(str(out)) or is_volume(str(out))


def _paths(paths: str | Path | Sequence[str | Path]) -> list[str]:
    return [str(path) for path in ([paths] if isinstance(paths, (str, Path)) else paths)]


def _by_node(nodes: Mapping[int, str | Path] | None) -> dict[int, Path]:
    return {node: Path(path) for node, path in (nodes or {}).items()}


@contextmanager
def _inputs(
    spark: SparkSession, paths: str | Path | Sequence[str | Path], table: str | None, columns: Mapping[str, str]
) -> Iterator[list[str]]:
    """The paths, and a temporary folder with the lines of the table as files."""
    if table is None:
        yield _paths(paths)
        return
    with tempfile.TemporaryDirectory(prefix="kafka-replay-lines-") as folder:
        laid_down(spark, table, columns, Path(folder) / "logs")
        yield [*_paths(paths), str(Path(folder) / "logs")]


def _tables(
    spark: SparkSession, catalog_schema: str | None, incident: str | None, out: str | Path | None
) -> IncidentTables | None:
    """The schema for the result; None if there is no `catalog_schema`. Raises InputError or OutputError if it cannot be
    written.
    """
    if catalog_schema is None and incident is None:
        return None
    if catalog_schema is None or incident is None or not incident.strip():
        raise InputError(
            "catalog_schema and incident belong together, as in catalog_schema='ops.incidents', incident='orders-2026-11-21'"
        )
    if out is not None:
        raise InputError("give out or catalog_schema, not both")
    tables = IncidentTables(spark, catalog_schema)
    tables.prepare()
    return tables


def _write(tables: IncidentTables, folder: Path, incident: str, was: datetime | None = None) -> None:
    """Write a result into the tables of its incident and remove `folder`. Raises OutputError if that fails; the
    result is then kept.
    """
    try:
        tables.write(folder, incident, was=was)
    except OutputError as error:
        raise OutputError(f"{error}. The finished result is kept: Replay.load(spark, {str(folder)!r})") from error
    shutil.rmtree(folder.parent, ignore_errors=True)


def _shared(spark: SparkSession, out: str | Path | None, given: str | Path | None) -> Path | None:
    """The folder for intermediate files that Spark's workers can read; None for the folder of temporary files."""
    if given is not None:
        return Path(given)
    if out is None or not is_volume(str(out)) or is_volume(tempfile.gettempdir()) or is_on_this_machine(spark):
        return None
    beside = Path(out).parent
    beside.mkdir(parents=True, exist_ok=True)
    return beside


@contextmanager
def _folder_for(spark: SparkSession, out: str | Path | None, shared: Path | None) -> Iterator[Path]:
    """The folder in which a result is made: `out` itself, or a folder that is copied to `out`.

    If the run fails, only a finished result remains, next to `out`. Raises SetupError if Spark's workers cannot see
    the folder.
    """
    if out is not None and not _is_copied(out):
        must_see(spark, shared or Path(tempfile.gettempdir()))
        must_see(spark, Path(out))
        yield Path(out)
        return
    folder = kept_folder("kafka-replay-result-", shared) / "result"
    try:
        must_see(spark, folder)
        yield folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):
            folder.parent.rmdir()
        raise


def _copy(spark: SparkSession, folder: Path, out: str, overwrite: bool) -> None:
    """Copy a result to `out` and remove `folder`. Raises OutputError if that fails; the result is then kept."""
    try:
        put(spark, folder, out, overwrite=overwrite)
    except OutputError as error:
        raise OutputError(f"{error}. The finished result is kept: Replay.load(spark, {str(folder)!r})") from error
    shutil.rmtree(folder.parent, ignore_errors=True)


def _size_of(paths: Sequence[str]) -> int:
    """The bytes under local paths; a very large number if one of the paths is a URL."""
    sizes = 0
    for path in paths:
        if is_url(path):
            return 1 << 40
        here = Path(path)
        files = here.rglob("*") if here.is_dir() else [here]
        sizes += sum(file.stat().st_size for file in files if file.is_file())
    return sizes


def explain_lines(text: str) -> PlainText:
    """The meaning of pasted log lines, from one to thousands, within seconds and without Spark."""
    from pipelines.answers.lines import as_text, of_text

    return PlainText("\n".join(as_text(of_text(text))))
