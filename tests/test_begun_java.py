"""Java for a small input starts before this process has looked at the files; a Java with other settings is ended."""

from __future__ import annotations

import pytest

from pipelines import java_process, session
from pipelines.scratch import process_folder


@pytest.fixture
def submits(tmp_path, monkeypatch):
    """Instead of Spark's Java, a process that only sleeps; returns the Javas that were begun."""
    submit = tmp_path / "spark" / "bin" / "spark-submit"
    submit.parent.mkdir(parents=True)
    submit.write_text("#!/bin/sh\nexec sleep 60\n")
    submit.chmod(0o755)
    monkeypatch.setattr(java_process, "_spark_home", lambda: str(tmp_path / "spark"))
    monkeypatch.setattr(session, "_begun", [])
    monkeypatch.setattr(session, "_java", [])  # the Java of other tests goes on
    monkeypatch.setattr(session.SparkContext, "_gateway", None)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    yield session._begun
    for java in session._begun:
        java.end(at_once=True)


@pytest.mark.parametrize(
    ("files", "is_small"),
    [
        ({"node-1/server.log": 90, "node-2/server.log": 9}, True),
        ({"node-1/server.log": 90, "node-2/server.log": 11}, False),
        ({"node-1.tar.gz": 5}, True),
        ({"node-1.tar.gz": 6}, False),
        ({}, True),
    ],
)
def test_inputs_look_small_by_their_size_packed_ones_by_twenty_times_theirs(tmp_path, monkeypatch, files, is_small):
    monkeypatch.setattr(session, "SMALL_BYTES", 100)
    for name, size in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x" * size)
    assert session._look_small([tmp_path]) is is_small
    assert session._look_small([tmp_path / name for name in files]) is is_small


def test_no_java_starts_for_an_input_that_is_not_there(tmp_path, submits):
    session.begin([tmp_path, tmp_path / "no such folder"])
    assert not submits


def test_one_java_is_begun_at_a_time_and_a_run_that_ends_without_a_session_ends_it(tmp_path, submits):
    session.begin([tmp_path])
    session.begin([tmp_path])
    (begun,) = submits
    session.end_begun()
    assert begun.process.poll() is not None and not submits


def test_no_java_starts_beside_another(tmp_path, submits, monkeypatch):
    monkeypatch.setattr(session.SparkContext, "_gateway", object())
    session.begin([tmp_path])
    assert not submits


def test_a_session_with_the_same_settings_connects_to_the_java_that_was_begun(tmp_path, submits):
    session.begin([tmp_path])
    (begun,) = submits
    conf, _, _ = session._settings(None, 1_000, False, None, False)
    assert session._begun_with(conf) is begun
    assert begun.process.poll() is None and not submits
    begun.end()
    assert begun.process.poll() is not None, "one that is not up yet is ended at once"


def test_a_java_with_other_settings_is_ended(tmp_path, submits):
    session.begin([tmp_path])
    (begun,) = submits
    conf, _, _ = session._settings(None, session.SMALL_BYTES + 1, False, None, False)
    assert session._begun_with(conf) is None
    assert begun.process.poll() is not None and not submits


def test_a_request_to_end_also_ends_a_java_without_a_session(tmp_path, submits):
    session.begin([tmp_path])
    (begun,) = submits
    session.end_java()
    assert begun.process.poll() is not None
    assert begun.output_file.parent == process_folder()
