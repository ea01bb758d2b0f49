"""Both notebooks run from the first cell to the last in a kernel of Jupyter; their figures are those of the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from kafka_replay import Replay
from tests.golden import TRACES, inputs_of

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(1_200)]

ROOT = Path(__file__).parent.parent
FIGURE = "application/vnd.plotly.v1+json"
TRACE, SMALL = TRACES / "unclean-election-zk-2.8.2", TRACES / "leader-epochs-by-hand"


@pytest.fixture
def settings(monkeypatch, tmp_path) -> Iterator[pytest.MonkeyPatch]:
    """The environment of a kernel that is no test's: its own session, this code, and files nowhere else."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("SPARK_MASTER", "local[2]")
    monkeypatch.setenv("KAFKA_REPLAY_MEMORY", "2g")
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    return monkeypatch


def _run(name: str, folder: Path) -> list[dict[str, Any]]:
    """What the cells of a notebook display, each with its kinds of output."""
    notebook = nbformat.read(ROOT / "notebooks" / name, as_version=4)
    folder.mkdir(exist_ok=True)
    NotebookClient(notebook, timeout=1_000, resources={"metadata": {"path": str(folder)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return [output["data"] for output in outputs if "data" in output]


def _traces(figure: dict[str, Any]) -> list[tuple[str, str, int]]:
    """Each trace of a figure: its kind, its name and how many points it has."""
    return [(one.get("type"), one.get("name"), _points(one)) for one in figure["data"]]


def _points(trace: dict[str, Any]) -> int:
    found = trace.get("x", ())
    return found.get("shape") or len(found["bdata"]) if isinstance(found, dict) else len(found)


def test_the_notebook_after_an_incident_shows_the_figures_of_the_page(settings, tmp_path, spark, result_of):
    settings.setenv("RESULT", str(result_of(TRACE)))
    shown = _run("after_an_incident.ipynb", tmp_path / "run")
    figures = [data[FIGURE] for data in shown if FIGURE in data]
    replay = Replay.load(spark, result_of(TRACE))
    expected = [
        json.loads(replay.figure(name).to_json()) for name in ("causality", "leader-epochs", "isr", "high-watermarks")
    ]
    told = [_traces(figure) for figure in figures]
    assert len(told) == len(expected) and all(len(traces) > 1 for traces in told)
    for one in expected:
        assert _traces(one) in told
    assert len(shown) >= 25


def test_the_notebook_that_follows_an_incident_adds_to_its_tables(settings, tmp_path, spark, result_of):
    settings.setenv("LOGS", str(inputs_of(SMALL) / "node-1"))
    settings.setenv("LATER", str(inputs_of(SMALL) / "node-2"))
    shown = _run("follow_an_incident.ipynb", tmp_path / "run")
    first, second, incidents, losses, figure, page = shown
    assert "Kafka Replay" in first["text/html"] and "Kafka Replay" in second["text/html"]
    assert "unclean-election" in incidents["text/html"]
    replay = Replay.load(spark, result_of(SMALL))
    assert losses["text/html"].count("<tr>") == replay.losses().count()  # the head has a style
    assert _traces(figure[FIGURE]) == _traces(json.loads(replay.leader_epochs_figure().to_json()))
    assert page["text/html"].startswith("<iframe sandbox=")
