"""Every command that reads a result answers for the result of every trace, in every format."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import anyio
import click
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from mcp import Client

from pipelines.cli import main_group
from pipelines.commands import mcp
from pipelines.result import Result
from replay.errors import InputError
from tests.answers.small_result import AVAILABILITY, write
from tests.golden import TRACES, traces
from tests.results_here import result_here
from tests.test_index import SAID

USAGE = Path(__file__).parent.parent / "docs" / "usage.md"
WITHOUT_A_RESULT = {
    "analyze",
    "append",
    "watch",
    "collect",
    "prepare",
    "catalogue",
    "known-issues",
    "knowledge",  # tests/knowledge/test_packs_of_users.py
    "docs",
    "rescue",
}  # rescue: tests/rescue, it needs segments
SETTINGS = ("min.insync.replicas=2", "unclean.leader.election.enable=false", "acks=all", "replication.factor=2", "replica.lag.time.max.ms=5000", "controlled.shutdown.enable=false")  # fmt: skip


@dataclass(frozen=True)
class Named:
    """Names that stand in a result: its folder, a partition, moments, a finding, and a line."""

    folder: str
    partition: str
    at: str
    until: str
    finding: str | None
    line: str
    broker: int
    records: str


@pytest.fixture(scope="module", params=traces(), ids=lambda trace: trace.name)
def named(request, result_of) -> Named:
    return names_of(result_of(request.param))


def names_of(folder: Path) -> Named:
    result = Result(folder)
    epochs, lost = result.table("leader_epochs"), result.table("losses")
    findings = result.table("findings", ["finding_id", "severity"])
    busiest = (lost if len(lost) else epochs).groupby(["topic", "partition"]).size().idxmax()
    event = result.table("events", ["source_file", "line_number"]).iloc[-1]
    first, last = result.recorded()
    return Named(
        str(folder),
        f"{busiest[0]}-{busiest[1]}",
        (first + (last - first) / 2).isoformat(),
        last.isoformat(),
        findings.finding_id.iloc[0] if len(findings) else None,
        f"{event.source_file}:{event.line_number}",
        int(epochs[epochs.leader_id >= 0].leader_id.iloc[0]),
        str(folder.with_suffix(".csv")),
    )


def calls(named: Named, other: Path, page: Path) -> Iterator[tuple[str, ...]]:
    """Each command with the arguments that make it show everything; a format is the last option."""
    folder, partition = named.folder, named.partition
    yield from (("explain", folder, *wanted, *form) for form in ((), ("--json",)) for wanted in ((), (named.finding,)) if wanted != (None,))  # fmt: skip
    yield from (("at", folder, "--at", named.at, *form) for form in ((), ("--json",)))
    yield from (("diff", folder, "--since", named.at, "--until", named.until, *form) for form in ((), ("--json",)))
    yield from (("compare", folder, str(other), *form) for form in ((), ("--json",)))
    yield from (("partition", folder, partition, *form) for form in (("--lines",), ("--json",)))
    yield from (("offsets", folder, partition, *form) for form in ((), ("--json",)))
    yield from (("acks", folder, partition, *form) for form in ((), ("--json",)))
    yield from (("epochs", folder, *form) for form in ((), ("--at", named.at, "--json"), ("--history",), ("--history", "--json")))  # fmt: skip
    yield from (("broker", folder, str(named.broker), *form) for form in (("--lines",), ("--json",)))
    yield from (("losses", folder, *form) for form in ((), ("--tz", "Asia/Kolkata"), ("--csv",), ("--json",)))
    yield ("check", folder, "--junit", str(page.with_suffix(".xml")), "--fail-on", "nothing", "--overwrite")
    for form in ((), ("--json",)):
        yield ("reconcile", folder, named.records, "--out", str(page.with_suffix(".out.csv")), "--overwrite", *form)
    yield from (("lines", folder, *form) for form in (("--since", named.at), ("--json",), ("--line", named.line, "--context", "3")))  # fmt: skip
    every = [part for setting in SETTINGS for part in ("--set", setting)]
    yield from (("what-if", folder, *every, *form) for form in ((), ("--json",)))
    yield ("post-mortem", folder)
    yield ("index", folder, "--out", str(page))


def test_every_command_answers_in_every_format(named, result_of, tmp_path):
    other = result_of(TRACES / "leader-epochs-by-hand")
    topic, _, number = named.partition.rpartition("-")
    Path(named.records).write_text(f"topic,partition,offset,timestamp\n{topic},{number},0,{named.at}\n")
    for call in calls(named, other, tmp_path / "index.html"):
        answer = CliRunner().invoke(main_group, call)
        if call[0] == "what-if" and isinstance(answer.exception, InputError):
            assert "replication.factor=2" in str(answer.exception)  # no partition of these logs has more replicas
            continue
        if answer.exception is not None and not isinstance(answer.exception, SystemExit):
            raise AssertionError(f"kafka-replay {' '.join(call)}") from answer.exception
        assert answer.exit_code == 0, (call, answer.output)
        _is(call, answer.stdout)


def test_a_missing_table_is_no_empty_one(tmp_path, monkeypatch):
    """Each command names a missing table that it needs, prints no answer and writes no file."""
    folder = write(tmp_path / "result", availability=AVAILABILITY)
    (folder / "findings.json").write_text(json.dumps(SAID | {"product": {"version": "0.0.7"}}))
    other = write(tmp_path / "other")
    named = replace(names_of(folder), records=str(tmp_path / "records.csv"))
    Path(named.records).write_text(f"topic,partition,offset,timestamp\norders,0,0,{named.at}\n")
    with_page = ("reconcile", str(folder), named.records, "--out", str(tmp_path / "o.csv"), "--page", str(tmp_path / "p.html"))  # fmt: skip
    read = spied(monkeypatch)
    first = {call[0]: call for call in reversed(list(calls(named, other, tmp_path / "index.html")))}
    first["what-if"] = ("what-if", str(folder), "--set", SETTINGS[0])
    for call in (*first.values(), with_page):
        read.clear()
        answer = CliRunner().invoke(main_group, call)
        assert answer.exit_code == 0, (call, answer.output, answer.exception)
        assert read, call
        outputs = [Path(path) for option, path in pairwise(call) if option in ("--out", "--page", "--junit")]
        for table in sorted(read):
            for file in outputs:
                file.unlink(missing_ok=True)
            with without(folder / "tables" / table):
                answer = CliRunner().invoke(main_group, call)
            assert isinstance(answer.exception, InputError), (call, table, answer.output)
            assert not answer.stdout and not any(file.exists() for file in outputs), (call, table, answer.stdout)
            line = f"made by kafka-replay 0.0.7, without the table {table}: analyze its logs again"
            assert str(answer.exception).endswith(line) and "\n" not in str(answer.exception), (call, table)


def test_a_table_that_lost_one_of_its_files_is_no_whole_one(tmp_path):
    folder = result_here([TRACES / "leader-epochs-by-hand" / "input"], tmp_path / "result")
    named = replace(names_of(folder), records=str(tmp_path / "records.csv"))
    Path(named.records).write_text(f"topic,partition,offset,timestamp\norders,0,0,{named.at}\n")
    first = {call[0]: call for call in reversed(list(calls(named, folder, tmp_path / "index.html")))}
    first["what-if"] = ("what-if", str(folder), "--set", SETTINGS[0])
    events = folder / "tables" / "events"
    rows = pq.read_table(events)
    shutil.rmtree(events)
    events.mkdir()
    for at in (0, 5):
        pq.write_table(rows.slice(at, None if at else 5), events / f"part-{at}.parquet")
    for call in first.values():
        assert CliRunner().invoke(main_group, call).exit_code == 0, call
    (events / "part-5.parquet").unlink()
    answers = {name: CliRunner().invoke(main_group, call).exception for name, call in first.items()}
    refused = {name for name, error in answers.items() if isinstance(error, InputError)}
    assert {"explain", "partition", "broker", "lines"} <= refused
    assert not {name for name, error in answers.items() if error is not None} - refused
    for name in refused:
        said = (
            f"which wrote {rows.num_rows:,} rows of the table events, and its files hold 5: copy the whole result again"
        )
        assert said in str(answers[name]), name


def spied(monkeypatch) -> set[str]:
    """The names of the tables that results are asked for from now on."""
    asked: set[str] = set()
    reads = Result.read

    def read(self: Result, name: str, *more: Any, **options: Any) -> Any:
        if self.folder.name == "result":
            asked.add(name)
        return reads(self, name, *more, **options)

    monkeypatch.setattr(Result, "read", read)
    return asked


@contextmanager
def without(folder: Path) -> Iterator[None]:
    aside = folder.with_name("aside")
    folder.rename(aside)
    try:
        yield
    finally:
        aside.rename(folder)


def _is(call: tuple[str, ...], text: str) -> None:
    """The answer is in its format and shows no value that Python could not print for a user."""
    if call[-1] == "--json":
        for line in text.splitlines():
            json.loads(line)
    elif call[-1] == "--csv":
        header, *rows = csv.reader(text.splitlines())
        assert all(len(row) == len(header) for row in rows)
    else:
        assert text.strip(), call
        assert not re.search(r"\b(?:NaT|nan|Timestamp\()", text), call


def test_every_tool_of_an_assistant_answers(named):
    topic, _, number = named.partition.rpartition("-")
    asked: tuple[tuple[str, dict[str, Any]], ...] = (
        ("incidents", {}),
        ("explain", {}),
        ("at", {"at": named.at}),
        ("diff", {"since": named.at, "until": named.until}),
        ("partition", {"name": named.partition}),
        ("broker", {"broker_id": named.broker}),
        ("losses", {}),
        ("acks", {"name": named.partition}),
        ("epochs", {}),
        ("what_if", {"setting": "unclean.leader.election.enable", "value": "false"}),
        ("offsets", {"name": named.partition}),
        ("lines", {"since": named.at}),
        ("reconcile", {"records": [{"topic": topic, "partition": int(number), "offset": 0, "time": named.at}]}),
        ("questions", {}),
        ("catalogue_explain", {"text": "Kafka Server started"}),
    )

    async def ask() -> tuple[set[str], list[tuple[str, bool]]]:
        async with Client(mcp.Server(Path(named.folder))) as client:
            known = {tool.name for tool in (await client.list_tools()).tools}
            return known, [(name, bool((await client.call_tool(name, given)).is_error)) for name, given in asked]

    known, answers = anyio.run(ask)
    assert known == {name for name, _ in asked}
    assert not [name for name, refused in answers if refused]


def test_these_are_all_commands_and_all_formats():
    here = Named("result", "orders-0", "07:32", "07:33", "F01", "node-1/server.log:1", 1, "records.csv")
    asked: dict[str, set[str]] = {}
    for name, *options in calls(here, Path("other"), Path("page")):
        asked.setdefault(name, set()).update(options)
    assert set(asked) | WITHOUT_A_RESULT | {"mcp"} == set(main_group.commands)
    forms = {"--json", "--csv", "--history", "--lines", "--line"}
    for name, options in asked.items():
        has = {form for p in main_group.commands[name].params if isinstance(p, click.Option) for form in p.opts}
        assert has & forms <= options, name


def test_usage_names_every_command():
    rows = re.findall(r"^\| `(.+?)` \|", USAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(main_group.commands) == {re.split(r"[ `,]", row)[0] for row in rows} & set(main_group.commands)


COMMAND = re.compile(r"kafka-replay ((?:[a-z]+-?)+)((?: (?:RESULT|--[a-z-]+|[A-Z]+-[A-Z]+|[\w./:=-]*\w))*)")
WITH_MORE = {"collect", "rescue", "analyze", "lines", "index"}  # of these, a text names the command and its options


def test_every_command_that_a_page_prints_exists_and_answers(named, result_of):
    """Commands in the text of the page and in the strings of its script, with RESULT for the folder."""
    page = (Path(named.folder) / "report.html").read_text(encoding="utf-8")
    visible = re.sub(r"<script(?![^>]*json).*?</script>|<style>.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL)
    printed = {(found[1], found[2].strip()) for found in COMMAND.finditer(visible)}
    for name, rest in printed - {("0.1.0", "")}:
        if name in ("from",):  # "Made by kafka-replay … from the files"
            continue
        assert name in main_group.commands, (name, rest)
        options = {o for p in main_group.commands[name].params if isinstance(p, click.Option) for o in p.opts}
        assert {word for word in rest.split() if word.startswith("--")} <= options, (name, rest)
        if name in WITH_MORE or not rest.startswith("RESULT"):
            continue
        stand_in = {"RESULT": named.folder, "TOPIC-NUMBER": named.partition, "TOPIC-PARTITION": named.partition}
        answer = CliRunner().invoke(main_group, [name, *(stand_in.get(word, word) for word in rest.split())])
        assert answer.exit_code == 0 and answer.output.strip(), (name, rest, answer.output)
