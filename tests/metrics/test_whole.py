"""Samples beside the logs of a recording, through the whole analysis in one process."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest

from pipelines.incident import Zones, parsed_here, replayed_here
from pipelines.inputs import gather
from pipelines.memory_store import MemoryStore
from pipelines.samples import sample_files
from replay.metrics.chosen import names_of, with_nodes
from replay.metrics.times import spans_of
from replay.tables import DECLARED, TABLES
from replay.tables.arrow import to_arrow
from replay.tables.metrics import SAMPLES
from tests.recordings import TRACES

TRACE = TRACES / "isolate-leader-from-followers-kraft-3.7.2" / "input"


def replayed(folder: Path, work: Path) -> MemoryStore:
    store = MemoryStore()
    understood = parsed_here(gather([str(folder)], {}, work), store, Zones())
    replayed_here(understood, store)
    return store


def rows(store: MemoryStore, name: str) -> list:
    return list(store.rows(name, DECLARED[name]))


@pytest.fixture(scope="module")
def without(tmp_path_factory) -> MemoryStore:
    return replayed(TRACE, tmp_path_factory.mktemp("without") / "work")


@pytest.fixture(scope="module")
def made(tmp_path_factory, without) -> MemoryStore:
    """The same logs with a dump of Prometheus: the card of the node that was cut off sends much again while it is cut off."""
    folder = tmp_path_factory.mktemp("with")
    shutil.copytree(TRACE, folder / "input")
    (root,) = [one for one in rows(without, "findings") if one.role == "root_cause"]
    (folder / "input" / "metrics.txt").write_text("".join(dump(root)))
    return replayed(folder / "input", folder / "work")


def dump(root):
    """A scrape every 5 s from ten minutes before to three minutes after, and one name that nobody knows."""
    begin, end = root.began_high.timestamp(), (root.ended_high or root.end_ts).timestamp()
    segments = again = 0.0
    for number in range(-120, 60):
        at = begin + 5 * number + 1
        is_cut = begin < at < end
        segments, again = segments + 500, again + (150 if is_cut else 1)
        for node in (1, 2, 3):
            named = {
                "node_netstat_Tcp_OutSegs": segments,
                "node_netstat_Tcp_RetransSegs": again if node in root.broker_ids else 1.0,
            }
            for name, value in {**named, "my_metric": 1.0}.items():
                yield f'{{__name__="{name}", instance="10.77.0.{10 + node}:9100", job="node"}} {value} {round(at * 1000)}\n'


def test_the_card_of_the_node_that_the_lines_blame_is_named_with_bounds(made):
    (root,) = [one for one in rows(made, "findings") if one.role == "root_cause"]
    named = [one for one in rows(made, "metric_statements") if one.verdict == "named"]
    assert [(one.subject, one.node_id, one.finding_id) for one in named] == [
        ("network", root.broker_ids[0], root.finding_id)
    ]
    assert named[0].began_low <= root.began_high <= named[0].began_high
    assert {*named[0].samples} <= {one.sample_id for one in rows(made, "samples")}


def test_the_samples_have_the_node_that_listens_on_the_host_of_their_target(made):
    assert {(one.target, one.node_id) for one in rows(made, "samples")} == {
        (f"10.77.0.{10 + n}:9100", n) for n in (1, 2, 3)
    }


def test_a_name_without_a_meaning_is_listed_and_its_samples_are_not_kept(made):
    listed = [one for one in rows(made, "metric_names") if one.metric is None]
    assert [(one.series, one.samples) for one in listed] == [("my_metric", 540)]
    assert "my_metric" not in {one.series for one in rows(made, "samples")}


def test_the_file_of_samples_is_among_the_covered_files(made):
    assert [one.layout for one in rows(made, "coverage") if one.source_file == "metrics.txt"] == ["promtool-dump"]


def test_nothing_else_of_the_analysis_changes_but_the_first_step(made, without):
    of_metrics = {"samples", "metric_names", "measures", "metric_statements", "coverage"}
    for table in TABLES:
        if table.name not in {*of_metrics, "incidents"}:
            assert rows(made, table.name) == rows(without, table.name), table.name


def test_the_step_for_the_named_cause_comes_first(made, without):
    (with_it,), (before,) = rows(made, "incidents"), rows(without, "incidents")
    (named,) = [one.next_step for one in rows(made, "metric_statements") if one.verdict == "named"]
    assert with_it == before.but(next_steps=[named, *before.next_steps])


def test_without_samples_the_tables_of_metrics_are_empty(without):
    assert [rows(without, name) for name in ("samples", "metric_names", "measures", "metric_statements")] == [
        [],
        [],
        [],
        [],
    ]


def test_only_the_time_of_an_incident_is_kept(made):
    (incident,) = rows(made, "incidents")
    times = [one.ts for one in rows(made, "samples")]
    assert (min(times) - incident.t0_low).total_seconds() >= -1800
    assert max(times) <= max(incident.end_ts, incident.start_ts).replace(tzinfo=UTC) + (
        datetime(2000, 1, 1, 0, 10) - datetime(2000, 1, 1)
    )


def test_append_keeps_the_samples_of_the_earlier_result(made, tmp_path):
    """The files of metrics of the earlier run may be gone: its result has the samples from about the times of its incidents."""
    kept, (incident,) = rows(made, "samples"), rows(made, "incidents")
    folder = tmp_path / "result" / "tables" / "samples"
    folder.mkdir(parents=True)
    pq.write_table(to_arrow(SAMPLES, kept), folder / "part-00000.parquet")
    earlier = SimpleNamespace(folder=tmp_path / "result" / "records")
    found = sample_files(None, SimpleNamespace(samples=[], earlier=earlier), None)
    assert with_nodes(found.within(spans_of([incident]), MemoryStore()), rows(made, "node_addresses")) == kept
    assert found.within([], MemoryStore()) == ()
    assert sum(one.samples for one in names_of(found.counts(MemoryStore()))) == len(kept)
