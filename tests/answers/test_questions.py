"""The commands that answer from a finished result: what they say, how they refuse, and that none starts Spark."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pandas as pd
import pytest
from click.testing import CliRunner

from pipelines.cli import main_group
from replay.errors import InputError
from tests.answers.small_result import AVAILABILITY, TABLES, write

DOCS = Path(__file__).parents[2] / "docs"
LINE = (
    "[2026-11-21 05:37:40,001] INFO [Controller id=1] Newly added brokers: , deleted brokers: 2, bounced brokers: , "
    "all live brokers: 1,3 (kafka.controller.KafkaController)"
)


@pytest.fixture(scope="module")
def result(tmp_path_factory) -> Path:
    return write(tmp_path_factory.mktemp("small") / "result")


def said(*arguments: object, stdin: str | None = None) -> str:
    done = CliRunner().invoke(main_group, [str(a) for a in arguments], catch_exceptions=False, input=stdin)
    assert done.exit_code == 0, done.output
    return done.output


def refused(*arguments: object) -> str:
    done = CliRunner().invoke(main_group, [str(a) for a in arguments])
    assert isinstance(done.exception, InputError), done.output
    return str(done.exception)


def test_the_cluster_as_it_stood_reads_like_kafka_topics(result):
    told = said("at", result, "--at", "07:32")
    assert "The cluster at 2026-11-21 07:32:00.000 UTC" in told
    assert "Controller: 2 (controller epoch 1)" in told
    assert "Brokers: 1 and 2" in told
    assert "Topic: orders\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: min.insync.replicas=2" in told
    assert (
        "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1\tLeaderEpoch: 0\tCommitted: 10..15"
        "\tState: under min ISR, under-replicated"
    ) in told
    assert "1 partition first seen after that time" in told


def test_without_a_leader_the_last_known_isr_is_reported_as_such(result):
    told = said("at", result, "--at", "07:32:18.050")
    assert "Leader: none\tReplicas: 1,2\tIsr: 1 (last known)\tLeaderEpoch: 1" in told
    assert "gone: 1 (crash, 07:32:18.000)" in told


def test_eligible_replicas_are_shown_if_a_table_has_them_and_that_they_changed(tmp_path):
    spans = [
        {"topic": "orders", "partition": 0, "leader_epoch": 1, "leader_id": -1, "isr": [], "elr": [1, 2], "last_known_elr": [1], "start_ts": "07:32:18", "end_ts": "07:32:18.100", "evidence": []},
    ]  # fmt: skip
    result = write(tmp_path / "r", eligible_leaders=spans)
    assert "Isr: 1 (last known)\tElr: 1,2\tLeaderEpoch: 1" in said("at", result, "--at", "07:32:18.050")
    assert "Elr" not in said("at", result, "--at", "07:33")
    told = said("diff", result, "--since", "07:32", "--until", "07:32:18.050")
    assert "leader 1 -> no leader" in told and "ELR empty -> 1,2" in told


def test_where_the_replicas_lay_is_reported_and_to_which_directory_one_was_copied(tmp_path):
    lain = [
        {"node_id": 1, "topic": "orders", "partition": 0, "log_dir": "/d0", "start_ts": "07:30:00", "end_ts": "07:32:00", "before": None, "change": "found", "evidence": []},
        {"node_id": 1, "topic": "orders", "partition": 0, "log_dir": "/d1", "start_ts": "07:31:00", "end_ts": "07:32:00", "before": None, "change": "copying", "evidence": []},
        {"node_id": 1, "topic": "orders", "partition": 0, "log_dir": "/d1", "start_ts": "07:32:00", "end_ts": None, "before": "/d0", "change": "moved", "evidence": []},
        {"node_id": 2, "topic": "orders", "partition": 0, "log_dir": "/d0", "start_ts": "07:30:30", "end_ts": None, "before": None, "change": "created", "evidence": []},
        {"node_id": 3, "topic": "orders", "partition": 0, "log_dir": "/d1", "start_ts": "07:33:00", "end_ts": None, "before": None, "change": "copying", "evidence": []},
    ]  # fmt: skip
    result = write(tmp_path / "r", log_directories=lain)
    assert "\tLogDirs: 1:/d0 -> /d1, 2:/d0\t" in said("at", result, "--at", "07:31:30")
    assert "\tLogDirs: 1:/d1, 2:/d0\t" in said("at", result, "--at", "07:32", "--topic", "orders")
    assert "\tLogDirs: 1:/d1, 2:/d0, 3:unknown -> /d1\t" in said("at", result, "--at", "07:33:30")
    assert "LogDirs" not in said("at", write(tmp_path / "untold"), "--at", "07:32")


def test_whether_writes_were_accepted_is_shown_if_a_table_has_it(tmp_path):
    told = said("at", write(tmp_path / "r", availability=AVAILABILITY), "--at", "07:32")
    assert "Writes: closed (below min isr)" in told


def test_a_time_is_read_and_printed_in_the_zone_that_is_named(result):
    assert "08:32:00.000+01:00 Europe/Berlin" in said("at", result, "--at", "08:32", "--tz", "Europe/Berlin")
    assert "07:32:00.000 UTC" in said("at", result, "--at", "2026-11-21T16:32+09:00")
    assert "outside these logs, which reach from 2026-11-21 07:00:00.000 to" in refused("at", result, "--at", "06:00")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--at", "noon"), "not a time"),
        (("--at", "25:00"), "not a time of day"),
        (("--at", "07:32", "--tz", "Mars/Base"), "no such time zone"),
    ],
)
def test_a_time_or_zone_that_is_none(result, options, words):
    assert words in refused("at", result, *options)


def test_what_changed_between_two_moments(result):
    told = said("diff", result, "--since", "07:31", "--until", "07:33")
    assert "Gone: broker 1 (crash)" in told
    assert "orders-0: leader 1 -> leader 2; leader epoch 0 -> 2; ISR 1,2 -> 2; 1 change of leader" in told
    assert "Nothing changed" in said("diff", result, "--since", "07:33", "--until", "07:34")
    assert "is not before" in refused("diff", result, "--since", "07:33", "--until", "07:32")


def test_the_story_of_a_partition_in_order(result):
    told = said("partition", result, "orders-0", "--lines").splitlines()
    assert told[0] == "orders-0: led by brokers 1 and 2; without a leader for 100 ms; 5 committed records lost."
    kinds = [line.split()[1] for line in told if line.startswith("  07:")]
    assert kinds == ["leader", "isr", "isr", "leader", "leader", "isr", "election", "loss", "cut"]
    assert (
        "  07:32:18.100  election  unclean election from broker 1 to broker 2; trigger: end of the previous leader's session"
        in "\n".join(told)
    )
    assert any("truncated its log from 15 to 10 (5 offsets), below its high watermark" in line for line in told)
    assert any(line.strip() == "Changed partition orders-0 to leader 2" for line in told)
    assert "topics are later, orders" in refused("partition", result, "clicks-0")
    assert "give topic and number" in refused("partition", result, "orders")


def test_a_finding_is_explained_with_its_chain_and_lines(result):
    told = said("explain", result, "killed/1")
    assert "No earlier cause in these logs: a root cause." in told
    chain = told[told.index("Effects") :]
    places = [
        chain.index(x)
        for x in ("the session of broker 1 ended", "R4 (0.95", "orders-0: leader 1, then 2", "R29", "PROVEN_LOSS")
    ]
    assert places == sorted(places) or chain.index("R4") < chain.index("R29")
    assert (
        "07:32:18.000 INFO deleted brokers: 1  [node-2/controller.log:3]" in chain
    )  # the line nearest to it, not the first
    assert "Look next:" in told
    back = said("explain", result, "F16")
    assert back.index("the session of broker 1 ended") < back.index("F01 killed: broker 1") < back.index("Effects")


@pytest.mark.parametrize(
    ("asked", "pasted", "kind"),
    [
        (("-",), "[2024-01-01 10:00:00,000] INFO [KafkaServer id=1] started (kafka.server.KafkaServer)\n$ exit\n\u0007?", "lines"),
        (("F01",), None, "meaning"),
        (("KAFKA-6292",), None, "meaning"),
    ],
)  # fmt: skip
def test_what_explain_says_as_json_fits_its_schema(asked, pasted, kind):
    answer = json.loads(said("explain", *asked, "--json", stdin=pasted))
    jsonschema.validate(answer, json.loads((DOCS / "explain.schema.json").read_text()))
    assert answer["kind"] == kind


def test_what_a_result_explains_as_json_fits_the_schema_too(result, tmp_path):
    file = tmp_path / "server.log"
    file.write_text("[2024-01-01 10:00:00,000] WARN nobody knows this (kafka.server.KafkaServer)\n")
    schema = json.loads((DOCS / "explain.schema.json").read_text())
    for asked in ((result,), (result, "killed/1"), (file,)):
        jsonschema.validate(json.loads(said("explain", *asked, "--json")), schema)
    (killed,) = json.loads(said("explain", result, "killed/1", "--json"))["findings"]
    assert killed["finding_id"].startswith("killed/1") and killed["effects"] and not killed["causes"]


def test_a_rival_is_distinguished_from_the_accepted_cause(tmp_path):
    accepted = [edge | {"rank": 1} for edge in TABLES["edges"]]
    rival = {"src": "killed/1/x", "dst": "election/orders-0/2", "relation": "R2", "because": "it led orders-0", "confidence": 0.4, "delay_ms": 1, "rank": 2}  # fmt: skip
    told = said("explain", write(tmp_path / "r", edges=[*accepted, rival]), "F16")
    causes, rivals = told.split("Effects")[0], told.split("Less likely")[1]
    assert "it led orders-0" not in causes and "F01 killed: broker 1: R2 (0.40): it led orders-0" in rivals


def test_a_line_about_several_happenings_is_explained_by_those_alone(tmp_path):
    """Damaged logs are about what recovery cut; a preferred election is not about the unplanned one of its partition."""
    conclusion = {"incident_id": "incident-1", "role": "effect", "severity": "medium", "summary": "Told.", "broker_ids": [1], "partitions": ["orders-0"], "confidence": 0.9, "blind_spots": [], "evidence": []}  # fmt: skip
    damaged = conclusion | {"finding_id": "damaged_logs/incident-1/z", "code": "F24", "title": "1 log of broker 1 found damaged", "start_ts": "07:33:00", "end_ts": "07:33:00"}  # fmt: skip
    preferred = conclusion | {"finding_id": "preferred_elections/incident-1/z", "code": "F17", "title": "Preferred leaders took over", "start_ts": "07:35:00", "end_ts": "07:35:00"}  # fmt: skip
    happened = {"node_id": 1, "topic": "orders", "partition": 0, "incident_id": "incident-1", "evidence": []}
    cut = happened | {
        "id": "recovery_cut/1",
        "kind": "recovery_cut",
        "ts": "07:33:00",
        "label": "recovery cut orders-0",
    }
    first = happened | {"id": "election/orders-0/2b", "kind": "election", "ts": "07:32:18.100", "label": "orders-0: 1, then 2"}  # fmt: skip
    given_back = happened | {"id": "election/orders-0/3", "kind": "election", "ts": "07:35:00", "label": "orders-0: 2, then 1"}  # fmt: skip
    edges = [
        {"src": "killed/1/x", "dst": cut["id"], "relation": "R22", "because": "recovery found it damaged", "confidence": 0.8, "delay_ms": 60000},
        {"src": first["id"], "dst": "loss/orders-0/2", "relation": "R29", "because": "broker 2 lacks 5 offsets", "confidence": 1.0, "delay_ms": 0},
    ]  # fmt: skip
    folder = write(
        tmp_path / "r",
        findings=[*TABLES["findings"], damaged, preferred],
        vertices=[*TABLES["vertices"], cut, first, given_back],
        edges=edges,
    )
    before = said("explain", folder, "damaged_logs").split("Causes")[1].split("Effects")[0]
    assert "F01 killed: broker 1" in before and "R22 (0.80" in before
    after = said("explain", folder, "preferred_elections").split("Effects")[1]
    assert "No effect in these logs." in after


def test_a_code_is_explained_without_a_result():
    assert said("explain", "i6").startswith("I6  Clean election")
    assert "Look next" in said("explain", "F13")
    assert "no result of `kafka-replay analyze`" in refused("explain", "nowhere-at-all", "F13")


def test_a_quoted_line_is_explained_like_a_pasted_one():
    line = "[2026-11-21 05:37:34,120] INFO [KafkaServer id=2] started (kafka.server.KafkaServer)"
    assert said("explain", line) == said("explain", "-", stdin=line)
    assert "Broker 2 has started" in said("explain", line)


def test_a_name_that_is_nothing_is_refused_by_its_name(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert "nix.log: no such file, code or known bug" in refused("explain", "nix.log")


def test_what_is_neither_a_finding_nor_a_code(result):
    assert "its findings are killed/1/x" in refused("explain", result, "F77")
    assert "No finding of" in said("explain", result, "F11")


def test_two_results_are_compared(result, tmp_path):
    calm = write(
        tmp_path / "calm",
        incidents=[],
        findings=[],
        settings=[{"node_id": 1, "name": "min.insync.replicas", "value": "1"}],
    )
    told = {" ".join(line.split()) for line in said("compare", result, calm).splitlines()}
    assert "incidents 1 0" in told
    assert "root cause F01 Broker 1 crashed 1 0" in told
    assert "setting min.insync.replicas 2 1" in told


@pytest.mark.parametrize(
    ("windows", "told"),
    [
        ((("07:25", "08:10"), ("07:25", "08:10")), None),
        ((None, None), None),
        ((("07:25", "08:10"), None), "window from 2026-11-21 07:25:00 to 08:10:00 UTC all of the logs"),
        (
            (("07:25", None), (None, "08:10")),
            "window from 2026-11-21 07:25:00 UTC to 2026-11-21 08:10:00 UTC",
        ),
    ],
)
def test_windows_that_differ_are_named(tmp_path, windows, told):
    results = []
    for number, window in enumerate(windows):
        folder = write(tmp_path / str(number), incidents=[], findings=[])
        ends = [time and f"2026-11-21T{time}:00Z" for time in window or ()]
        said_of = {"window": dict(zip(("since", "until"), ends, strict=True)) if window else None}
        (folder / "findings.json").write_text(json.dumps(said_of))
        results.append(folder)
    lines = [" ".join(line.split()) for line in said("compare", *results).splitlines()]
    assert [line for line in lines if line.startswith("window")] == ([told] if told else [])


def test_lines_of_a_result_come_in_order_and_filtered(result):
    told = said("lines", result).splitlines()
    assert [line.split()[0] for line in told] == sorted(line.split()[0] for line in told)
    assert told[1].startswith("2026-11-21T07:32:01.000Z 2 WARN Connection to node 1 could not be established")
    assert len(said("lines", result, "--level", "warn").splitlines()) == 2
    assert len(said("lines", result, "--topic", "orders").splitlines()) == 2
    assert len(said("lines", result, "--broker", "1").splitlines()) == 2
    assert said("lines", result, "--since", "07:32:10", "--json").count('"kind"') == 2
    assert said("lines", result, "--until", "08:32", "--tz", "Europe/Berlin").startswith(
        "2026-11-21T08:31:00.000+01:00"
    )


def test_what_steers_a_terminal_is_shown_and_colours_are_ours(result):
    assert "\x1b" not in said("lines", result)
    assert r"\x1b]0;evil\x07" in said("lines", result)
    assert "\x1b[33mWARN\x1b[0m" in said("lines", result, "--color")


@pytest.mark.parametrize(
    "command", [("at", "--at", "07:32"), ("diff", "--since", "07:31", "--until", "07:32"), ("partition", "orders-0")]
)
def test_a_folder_that_is_no_result(tmp_path, command):
    assert "no result of `kafka-replay analyze`" in refused(command[0], tmp_path, *command[1:])


def test_the_catalogue_explains_lines_from_standard_input():
    told = said("catalogue", "--explain", "-", stdin=f"{LINE}\n\nno such message at all\n")
    assert told.count("> ") == 2
    assert "next     the last lines of each broker that left" in told and "No template knows this message." in told


def test_other_settings_are_answered_from_a_result_of_any_release(result):
    """This one has no table of settings, and ISRs without ids of topics."""
    told = said("what-if", result, "--set", "unclean.leader.election.enable=false", "--set", "min.insync.replicas=2")
    assert told.splitlines()[-1] == (
        "With unclean.leader.election.enable=false: nothing lost: 5 offsets kept; 1 partition without a leader, some to "
        "the end of these logs; and with min.insync.replicas=2: 5 offsets still lost."
    )


def test_no_question_starts_a_session_of_spark(result):
    """In a process of its own: this one has a session."""
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from pipelines.cli import main_group as m\n"
         f"m(['partition', {str(result)!r}, 'orders-0'], standalone_mode=False)\n"
         f"m(['what-if', {str(result)!r}, '--set', 'min.insync.replicas=2'], standalone_mode=False)\n"
         "from pyspark import SparkContext\n"
         "assert SparkContext._gateway is None and 'plotly' not in sys.modules"],
        cwd=Path(__file__).parent.parent.parent, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_a_result_is_no_input_of_an_analysis(result, tmp_path):
    error = refused("analyze", result, "--out", tmp_path / "out")
    assert f"explain {result}" in error and f"--rebuild {result}" in error


@pytest.mark.parametrize("number", ["99999999999999999999", str(1 << 31), "9" * 5_000])
def test_a_number_that_no_partition_has_is_refused_in_one_line(result, number):
    for call in (("partition", result, f"orders-{number}"), ("acks", result, f"orders-{number}"), ("lines", result, "--partition", number), ("what-if", result, "--set", f"min.insync.replicas={number}0000000000")):  # fmt: skip
        done = CliRunner().invoke(main_group, list(map(str, call)))
        assert done.exit_code and isinstance(done.exception, (InputError, SystemExit)), done.exception


def test_a_column_of_another_type_and_findings_nested_without_end_are_refused_or_left_out(tmp_path):
    folder = write(tmp_path / "r")
    file = next((folder / "tables" / "findings").glob("*.parquet"))
    findings = pd.read_parquet(file)
    findings.assign(start_ts=findings.start_ts.astype(str)).to_parquet(file)
    (folder / "findings.json").write_text("[" * 100_000)
    for call in (("explain", folder), ("post-mortem", folder), ("compare", folder, folder)):
        done = CliRunner().invoke(main_group, list(map(str, call)))
        assert isinstance(done.exception, InputError) and "start_ts has another type" in str(done.exception)


def test_a_wide_cluster_fits_a_screen_and_all_shows_the_rest(tmp_path):
    """The partitions with a problem are among those shown."""
    epoch, isr = TABLES["leader_epochs"][0], TABLES["isr_spans"][0]
    wide = [epoch | {"topic": "wide", "partition": n, "end_ts": None} for n in range(200)]
    full = {"topic": "wide", "isr": [1, 2], "replicas": [1, 2], "min_isr": 1, "end_ts": None}
    spans = [isr | full | {"partition": n} for n in range(199)] + [isr | full | {"partition": 199, "isr": [1]}]
    folder = str(write(tmp_path / "wide", leader_epochs=wide, isr_spans=spans))
    call = ("at", folder, "--at", "07:32:30")
    short, whole = (CliRunner().invoke(main_group, (*call, *more)).output for more in ((), ("--all",)))
    assert short.count("\tPartition: ") == 40 and whole.count("\tPartition: ") == 200
    assert "Partition: 199" in short and "160 more partitions, none in a worse state: `--all` shows them." in short
    assert "PartitionCount: 200" in short
