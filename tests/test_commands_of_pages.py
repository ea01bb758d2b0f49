"""Each command of ours that a page prints exists, runs on the page's own result, and answers with something."""

from __future__ import annotations

import html
import json
import re
import shlex
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from pipelines.cli import main_group
from tests.each import for_each
from tests.results_here import result_here

TRACES = Path(__file__).parent.parent / "traces"
COMMAND = re.compile(r"<code[^>]*>\s*(kafka-replay [a-z][^<]*)</code>")
NAMES = ("unclean-election-zk-2.8.2", "kip101-without-epochs-zk-2.3.1")


def printed(page: str) -> list[str]:
    """The commands of a page, each once."""
    return sorted({html.unescape(found).strip() for found in COMMAND.findall(page)})


@pytest.fixture(scope="module", params=NAMES)
def result(request, tmp_path_factory) -> Path:
    return result_here([TRACES / request.param / "input"], tmp_path_factory.mktemp("page") / "result")


def test_each_command_of_the_page_runs(result):
    commands = printed((result / "report.html").read_text(encoding="utf-8"))
    assert commands
    for command in commands:
        words = [
            {"RESULT": str(result), "TOPIC-NUMBER": "orders-0"}.get(word, word) for word in shlex.split(command)[1:]
        ]
        done = CliRunner().invoke(main_group, words)
        assert done.exit_code == 0 and done.output.strip(), (command, done.output)
        if "--json" in words:
            assert all(json.loads(line) for line in done.output.splitlines()), command


def test_a_page_says_how_to_list_what_it_leaves_out_and_what_a_setting_would_have_changed():
    sample = (TRACES.parent / "docs" / "sample-report.html").read_text(encoding="utf-8")
    assert {command.split()[1] for command in printed(sample)} >= {"what-if", "partition", "explain"}


@for_each(
    ("typed", "last", "offered"),
    [
        ("losses RESULT --topic", "cl", ["clicks"]),
        ("losses RESULT --topic", "clicks,or", ["clicks,orders"]),
        ("at RESULT --at 05:38 --topic", "o", ["orders"]),
        ("partition RESULT", "orders-", ["orders-0", "orders-1", "orders-2"]),
        ("broker RESULT", "", ["1", "2", "3"]),
        ("what-if RESULT --set", "un", ["unclean.leader.election.enable=false"]),
        ("what-if RESULT --set", "min", ["min.insync.replicas="]),
        ("explain RESULT", "F0", [f"F0{n}" for n in range(10)]),
        ("", "los", ["losses"]),
    ],
)
def test_a_shell_completes_names_of_the_result(demo, typed, last, offered):
    complete = ShellComplete(main_group, {}, "kafka-replay", "_KAFKA_REPLAY_COMPLETE")
    words = [str(demo) if word == "RESULT" else word for word in typed.split()]
    assert [item.value for item in complete.get_completions(words, last)] == offered


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> Path:
    return result_here([TRACES / NAMES[0] / "input"], tmp_path_factory.mktemp("demo") / "result")
