"""The command line: what it writes, what it says, and how it refuses."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from pathlib import Path

import click
import pandas as pd
import pytest

from pipelines.cli import main
from pipelines.commands.parameters import Seconds
from replay.tables import TABLES
from tests.golden import TRACES, inputs_of

LINE = "[2026-11-21 05:37:40,001] INFO [Controller id=1] Newly added brokers: , deleted brokers: 2, bounced brokers: , all live brokers: 1,3 (kafka.controller.KafkaController)\n"


@pytest.fixture
def run(spark, monkeypatch, capsys):
    """Runs the command line; what comes back is its exit code, standard output and standard error."""

    def run_with(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["kafka-replay", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        said = capsys.readouterr()
        return stopped.value.code, said.out, said.err

    return run_with


@pytest.fixture(scope="module")
def commanded(spark, tmp_path_factory) -> tuple[int, str, Path]:
    """`analyze --fail-on info` of the classic example of leader epochs, once for all: its exit code, standard output, and result."""
    out, said = tmp_path_factory.mktemp("commanded") / "out", io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(said), pytest.raises(SystemExit) as stopped:
        patch.setattr(
            sys,
            "argv",
            [
                "kafka-replay",
                "analyze",
                str(inputs_of(TRACES / "leader-epochs-by-hand")),
                "--out",
                str(out),
                "--fail-on",
                "info",
            ],
        )
        main()
    return stopped.value.code, said.getvalue(), out


@pytest.fixture(scope="module")
def analyzed(commanded) -> Path:
    return commanded[2]


def test_a_result_holds_every_table_with_its_columns_the_findings_and_the_page(analyzed):
    assert {path.name for path in analyzed.iterdir()} == {"records", "tables", "findings.json", "report.html"}
    for table in TABLES:
        written = pd.read_parquet(analyzed / "tables" / table.name)
        assert list(written.columns) == [column.name for column in table.columns], table.name
    assert not [path for path in analyzed.rglob("*") if path.name.startswith((".", "_"))]


def test_records_are_matched_or_counted_as_unmatched(analyzed):
    coverage = pd.read_parquet(analyzed / "tables" / "coverage")
    assert (coverage.log_records == coverage.matched + coverage.unmatched).all()
    assert coverage.matched.sum() == len(pd.read_parquet(analyzed / "tables" / "events"))


def test_findings_json_names_lines_that_stand_in_the_input(analyzed):
    told = json.loads((analyzed / "findings.json").read_text())
    lines = [told["log_lines"][event] for finding in told["findings"] for event in finding["evidence"]]
    assert lines
    for line in lines:
        in_file = (
            (inputs_of(TRACES / "leader-epochs-by-hand") / line["file"]).read_text().splitlines()[line["line"] - 1]
        )
        assert line["text"] in in_file


def test_the_summary_names_the_next_step_and_the_exit_status_a_severity_that_findings_reach(commanded):
    code, out, result = commanded
    assert code == 1
    assert out.strip().splitlines()[-1] == f"Open {result / 'report.html'}"


def refused(result: tuple[int, str, str], *words: str) -> None:
    """Exit code 2 and one line that says what, where, what to do."""
    code, out, err = result
    told = [line for line in err.splitlines() if not line.startswith("[+")]  # the steps of the run
    assert code == 2
    assert out == ""
    assert len(told) == 1, told
    for word in words:
        assert word in told[0]


def test_a_missing_path(run, tmp_path):
    refused(run("analyze", tmp_path / "nowhere", "--out", tmp_path / "out"), "nowhere", "no such file")
    assert os.listdir(tmp_path) == []


def test_an_empty_folder(run, tmp_path):
    (tmp_path / "logs").mkdir()
    refused(run("analyze", tmp_path / "logs", "--out", tmp_path / "out"), "nothing to analyze")
    assert os.listdir(tmp_path) == ["logs"]


def test_a_folder_with_no_log(run, tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "notes.txt").write_text("we should have kept the logs\n")
    refused(run("analyze", tmp_path / "logs", "--out", tmp_path / "out"), "no line looks like a Kafka log")


def test_binary_files(run, tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "00000000000000000000.log").write_bytes(bytes(range(256)) * 64)
    refused(run("analyze", tmp_path / "logs", "--out", tmp_path / "out"), "nothing to analyze", "binary")


def test_an_output_that_exists_is_kept(run, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "report.html").write_text("mine")
    refused(run("analyze", TRACES / "leader-epochs-by-hand", "--out", tmp_path / "out"), "exists", "--overwrite")
    assert (tmp_path / "out" / "report.html").read_text() == "mine"


def test_overwrite_never_takes_a_folder_that_is_no_result(run, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("mine")
    refused(run("analyze", TRACES / "leader-epochs-by-hand", "--out", tmp_path / "out", "--overwrite"), "thesis.tex")
    assert (tmp_path / "out" / "thesis.tex").read_text() == "mine"


def test_a_failed_run_leaves_an_earlier_result_as_it_was(run, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "report.html").write_text("mine")
    refused(run("analyze", tmp_path / "nowhere", "--out", tmp_path / "out", "--overwrite"), "nowhere")
    assert (tmp_path / "out" / "report.html").read_text() == "mine"
    assert os.listdir(tmp_path) == ["out"]


def test_an_output_that_is_a_file(run, tmp_path):
    (tmp_path / "out").write_text("mine")
    refused(run("analyze", TRACES / "leader-epochs-by-hand", "--out", tmp_path / "out"), "is a file")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission_to_write(run, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    refused(run("analyze", TRACES / "leader-epochs-by-hand", "--out", tmp_path / "locked" / "out"), "cannot be written")


def test_an_output_under_a_file_cannot_be_written(run, tmp_path):
    (tmp_path / "file").write_text("")
    refused(run("analyze", TRACES / "leader-epochs-by-hand", "--out", tmp_path / "file" / "out"), "cannot be written")


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (("--timezone", "Mars/Base"), "Mars/Base: no such time zone"),
        (("--node-timezone", "2=Mars/Base"), "Mars/Base: no such time zone"),
        (("--node-timezone", "9=+09:00"), "no file is of node 9; there are files of 1, 2"),
    ],
)
def test_a_time_zone_that_is_none_or_of_no_node(run, tmp_path, option, words):
    refused(run("analyze", TRACES / "leader-epochs-by-hand", "--out", tmp_path / "out", "--quiet", *option), words)
    assert os.listdir(tmp_path) == []


def test_nothing_named(run, tmp_path):
    code, out, err = run("analyze", "--out", tmp_path / "out")
    assert (code, out) == (2, "")
    assert "nothing to analyze" in err


def test_a_node_that_is_no_number(run, tmp_path):
    code, _, err = run("analyze", tmp_path, "--out", tmp_path / "out", "--node", "two=here")
    assert code == 2
    assert "2=PATH" in err


def test_a_full_disk_is_reported_as_one(run, tmp_path, monkeypatch):
    import pipelines.main_job

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pipelines.main_job, "gathered", full)
    refused(
        run("analyze", TRACES / "leader-epochs-by-hand", "--out", tmp_path / "out"),
        "No space left on device",
        "free space",
    )
    assert os.listdir(tmp_path) == []


def test_a_fault_of_the_program_is_reported_as_one(run, tmp_path, monkeypatch):
    import pipelines.main_job

    def broken(*_, **__):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(pipelines.main_job, "gathered", broken)
    code, out, err = run("analyze", TRACES / "leader-epochs-by-hand", "--out", tmp_path / "out")
    assert (code, out) == (3, "")
    trace = Path(err.strip().rsplit(" ", 1)[-1])
    assert "ZeroDivisionError" in trace.read_text()
    trace.unlink()


def test_a_file_cut_in_mid_line_and_bytes_that_are_no_text_are_read(run, tmp_path):
    logs = tmp_path / "node-1"
    logs.mkdir()
    (logs / "controller.log").write_bytes(
        (LINE * 3).encode() + b"[2026-11-21 05:37:41,002] INFO caf\xe9 \xff\n" + LINE.encode()[:60]
    )
    code, _, _ = run("analyze", logs, "--out", tmp_path / "out")
    assert code == 0
    coverage = pd.read_parquet(tmp_path / "out" / "tables" / "coverage")
    assert coverage.log_records.sum() == 5
    assert coverage.matched.sum() >= 3


def test_lines_of_one_partition_come_in_order_and_name_their_place(run):
    code, out, _ = run("lines", TRACES / "leader-epochs-by-hand", "--topic", "orders", "--level", "info")
    told = out.splitlines()
    assert code == 0
    assert len(told) >= 3
    assert told == sorted(told, key=lambda line: line.split(" ")[0])
    assert all("orders" in line and ".log:" in line for line in told)


def test_lines_as_json_between_two_times(run):
    code, out, _ = run("lines", TRACES / "leader-epochs-by-hand", "--json", "--broker", "2")
    every = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert {line["node_id"] for line in every} >= {2}
    middle = every[len(every) // 2]["ts"]
    code, out, _ = run("lines", TRACES / "leader-epochs-by-hand", "--json", "--broker", "2", "--since", middle)
    assert [json.loads(line) for line in out.splitlines()] == [line for line in every if line["ts"] >= middle]


def test_a_time_that_is_none(run):
    refused(run("lines", TRACES / "leader-epochs-by-hand", "--since", "yesterday"), "yesterday", "not a time")


def test_the_catalogue_explains_a_line(run):
    code, out, err = run("catalogue", "--explain", LINE)
    assert (code, err) == (0, "")
    assert "controller_broker_change" in out


def test_the_catalogue_lists_every_template(run):
    from replay.catalogue import TEMPLATES

    code, out, _ = run("catalogue")
    assert code == 0
    assert len(out.splitlines()) == 2 + len(TEMPLATES)  # a heading, and the share of recorded examples


def test_two_questions_at_once(run):
    code, _, err = run("catalogue", "--explain", LINE, "--unmatched", "logs")
    assert code == 2
    assert "one at a time" in err


def test_what_if_answers_from_a_result_folder(run, analyzed):
    code, out, _ = run(
        "what-if", analyzed, "--set", "min.insync.replicas=2", "--set", "unclean.leader.election.enable=false", "--json"
    )
    assert code == 0
    told = [json.loads(line) for line in out.splitlines()]
    assert told and {row["setting"] for row in told} == {"min.insync.replicas"}  # its elections were clean
    assert {row["effect"] for row in told} == {"writes_refused"}
    assert all(row["assumptions"] and row["evidence"] for row in told)


def test_what_if_ends_with_one_sentence_for_all_settings(run, analyzed):
    code, out, _ = run(
        "what-if", analyzed, "--set", "min.insync.replicas=2", "--set", "unclean.leader.election.enable=false"
    )
    assert code == 0
    last = out.strip().splitlines()[-1]
    assert last.startswith("With min.insync.replicas=2: ") and last.count(".") >= 1
    assert "writes with acks=all refused in " in last
    assert last.endswith(
        "with unclean.leader.election.enable=false: nothing would have been different, as far as these logs show."
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (["--set", "compression.type=zstd"], "no answer for this setting"),
        (["--set", "unclean.leader.election.enable=true"], "only false can be asked for"),
        (["--set", "min.insync.replicas=two"], "give a whole number"),
        (["--set", "min.insync.replicas"], "is not of the form"),
        ([], "Missing option"),
    ],
)
def test_what_if_refuses_what_it_has_no_answer_for(run, analyzed, changes, words):
    code, out, err = run("what-if", analyzed, *changes)
    assert (code, out) == (2, "")
    assert words in err


def test_post_mortem_of_a_recorded_result_says_what_the_page_says(run, analyzed):
    code, out, _ = run("post-mortem", analyzed)
    assert code == 0
    assert out.startswith("# Post-mortem: Rolling restart: brokers 1 and 2\n")
    assert "| `orders` | an unknown time | up to 30 ms in up to 2 waits |" in out
    assert "| `orders-0` | not known, not committed | \\[1, not known) | 2018-08-01 10:00:50.015 | broker 2 |" in out
    assert "| 1 | Wait until 1 ISR is full again before you restart another broker. |  |" in out
    assert "No loss of committed records" not in out  # one question of loss is open


def test_what_if_needs_a_result(run, tmp_path):
    code, _, err = run("what-if", tmp_path, "--set", "min.insync.replicas=2")
    assert code == 2
    assert "no result of `kafka-replay analyze`" in err


def test_the_other_package_of_this_name_is_told(tmp_path, capsys):
    from pipelines.cli import _warn_of_namesake

    _warn_of_namesake(tmp_path)
    assert capsys.readouterr().err == ""
    (tmp_path / "kafka_replay-0.2.0.dist-info").mkdir()
    (tmp_path / "kafka_incident_replay-0.1.0.dist-info").mkdir()
    _warn_of_namesake(tmp_path)
    assert "pip uninstall kafka-replay" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "told"), [("90s", 90.0), ("1.5h", 5400.0), ("0s", None), ("9" * 400 + "h", None), ("10001d", None)]
)
def test_a_duration_that_nobody_can_mean_is_refused(text, told):
    try:
        assert Seconds().convert(text, None, None) == told
    except click.UsageError as error:
        assert told is None and len(error.message) < 100
