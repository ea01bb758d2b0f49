"""Samples of metrics, the names that they have, and what they prove."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from replay.tables.columns import EVIDENCE
from replay.tables.row import MaybeNone, Row
from replay.tables.table import Long, column, row, table_of


@row("samples_read", key=("sample_id",))
class SampleRead(Row):
    """One sample of a file, before its node is known."""

    sample_id: str = column(
        "source_file:position, and the column in a line with several values; the same for the same input."
    )
    source_file: str = column("File, as a path inside the input.")
    position: Long = column("Line in the file, or the number of the sample in a JSON file; from 1.")
    target: str | MaybeNone = column("What was asked for it: the label `instance`, a pod, a broker of CloudWatch.")
    node_id: int | MaybeNone = column("Node that it is about; null if unknown.")
    metric: str | MaybeNone = column(
        "What it measures (docs/metrics.md); null for a name that the table of names does not have."
    )
    series: str = column("Name as the file has it.")
    labels: Mapping[str, str] | MaybeNone = column("Its other labels.")
    ts: datetime = column("Time of the sample, UTC: of the scrape, or of the end of the window that it is about.")
    value: float | MaybeNone = column("Value in the unit of the metric.")
    kind: str | MaybeNone = column(
        "`instantaneous`: the value at that time; `counter`: a total that only grows, except at a restart; `window`: a mean, a "
        "rate or a percentile over `window_ms`."
    )
    window_ms: Long | MaybeNone = column(
        "Time before `ts` that a `window` is about; null for one since the process started, and for other kinds."
    )
    age_ms: Long | MaybeNone = column(
        "How much older than `ts` the value can be: 0 for a scrape; Prometheus answers `query_range` and `query` with a value that is "
        "up to five minutes old."
    )


@row("samples", key=("sample_id",))
class Sample(SampleRead):
    """One sample of a metric from about the time of an incident, or of produce requests that waited without one."""


@row("metric_names", key=("series", "metric", "node_id"))
class MetricName(Row):
    """One name of a metric in the input: what it means, and how many samples it has in all."""

    series: str = column("Name as the files have it.")
    metric: str | MaybeNone = column("What it measures; null for a name that the table of names does not have.")
    node_id: int | MaybeNone = column("Node that its samples are about; null if unknown.")
    samples: Long = column("How many samples.")
    first_ts: datetime | MaybeNone = column("The first.")
    last_ts: datetime | MaybeNone = column("The last.")


@row("sample_counts", key=("series", "metric", "node_id", "minute"))
class SampleCount(MetricName):
    """How many samples of a name one file has. Those of produce requests that waited have a row for each minute."""

    minute: datetime | MaybeNone = column("The minute, for samples of produce requests that waited.")
    longest_ms: float | MaybeNone = column("The longest of these waits.")


@row("measures", key=("node_id", "measure", "device", "ts"))
class Measure(Row):
    """One value that samples give for one interval or moment of a node, as statements use it and the page draws it."""

    node_id: int = column("The node.")
    measure: str = column(
        "`write_ms`: mean time of a write of a device; `flush_ms`, `append_ms`, `remote_ms`: 99th percentile of log flushes, of appends and "
        "of the wait of produce requests for followers; `gc_percent`, `throttled_percent`, `sent_again_percent`, `handler_idle_percent`, "
        "`network_idle_percent`; `answers`: whether the exporter inside the broker answered."
    )
    device: str | MaybeNone = column("The device, for `write_ms`.")
    since_ts: datetime = column("Begin of the time that the value covers.")
    ts: datetime = column("End of that time: the later scrape.")
    value: float = column("The value.")
    samples: Sequence[str] = column("The samples that it comes from (`samples.sample_id`).")


@row("metric_statements", key=("statement_id",))
class MetricStatement(Row):
    """One statement that samples of metrics prove about a node: in an incident, or at a time of long waits that no log line
    explains. It never is a loss, a leader epoch or an ISR.
    """

    statement_id: str = column("Kind, node and finding; stable for the same input.")
    incident_id: str | MaybeNone = column("Incident it belongs to; null for a time of waits without an incident.")
    finding_id: str | MaybeNone = column("Finding that it is about.")
    verdict: str = column(
        "`named`: the cause of what the log lines prove; `confirmed`: metrics show what the log lines state; `exonerated`: it was "
        "well; `waited`: time without service that no log line shows; `contradicted`: metrics and log lines do not fit; `seen`: a trouble of the "
        "same time that explains none of the findings; `silent`: samples are missing."
    )
    subject: str = column(
        "`disk`, `network`, `processor`, `memory`, `handlers`, `network_threads`, `clients`, `process` …"
    )
    node_id: int | MaybeNone = column("The node; null for the cluster.")
    began_low: datetime | MaybeNone = column("It began later than this: the last sample that shows the opposite.")
    began_high: datetime | MaybeNone = column("It began no later than this.")
    ended_low: datetime | MaybeNone = column("It ended no earlier than this.")
    ended_high: datetime | MaybeNone = column("It ended no later than this; null without such a sample.")
    statement: str = column("The statement, as a sentence.")
    next_step: str | MaybeNone = column("What to do first, for a named cause.")
    value: float | MaybeNone = column("The worst value, in the unit of the metric.")
    samples: Sequence[str] = column("Samples that prove it (`samples.sample_id`), the most telling first.")
    evidence: Sequence[str] = EVIDENCE


SAMPLES_READ = table_of(SampleRead)
SAMPLES = table_of(Sample)
METRIC_NAMES = table_of(MetricName)
SAMPLE_COUNTS = table_of(SampleCount)
MEASURES = table_of(Measure)
METRIC_STATEMENTS = table_of(MetricStatement)
