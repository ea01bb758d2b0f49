"""The commands that answer from a finished result, without Spark."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

DEFAULT_OUT = Path("kafka-replay-result")
"""Where `analyze` writes, and where `explain` looks, if no folder is named."""

Tell = Callable[[Iterable[str]], None]

_FOLDER = click.Path(path_type=Path)
_tz = click.option(
    "--tz",
    help="Zone in which times are printed, and read where they name none: local, Europe/Berlin, +09:00 (default: UTC).",
)


@click.command(short_help="Say what pasted lines mean (-), why a finding was concluded, or what a code means.")
@click.argument("what", nargs=-1, metavar="[-|FILE ...|DIR] [FINDING|CODE|KAFKA-NNNN]")
@click.option("--json", "as_json", is_flag=True, help="What lines say as JSON.")
@_tz
@click.pass_obj
def explain(tell: Tell, what: tuple[str, ...], as_json: bool, tz: str | None) -> None:
    """Say what log lines mean, why a finding was concluded, or what a code means.

    With - lines are read from standard input, one or thousands, as they were pasted; FILEs are logs. They are answered
    within seconds. DIR is a folder that `analyze` wrote (default: kafka-replay-result). FINDING is an id, the beginning
    of one, an incident or a code; without it every root cause is explained. CODE (F01, R4, S5, I6) and KAFKA-NNNN, a
    known bug, need no result.
    """
    from pipelines.result import is_result

    if what == ("-",) or (what and all(Path(text).exists() and not is_result(Path(text)) for text in what)):
        _explain_lines(tell, what, as_json)
        return
    if len(what) == 1 and _known_issue(tell, what[0]):
        return
    _explain_finding(tell, what, tz)


def _explain_lines(tell: Tell, what: tuple[str, ...], as_json: bool) -> None:
    from pipelines.answers import lines as answer

    if what == ("-",):
        found = answer.of_text(sys.stdin.buffer.read().decode("utf-8", "replace"))
    else:
        found = answer.of_files([Path(text) for text in what])
    tell(answer.told(found, as_json=as_json))


def _known_issue(tell: Tell, key: str) -> bool:
    """Tell of a known issue; whether there is one called so."""
    from replay.knowledge.issues_text import issue_named, text_of_issue

    issue = issue_named(key)
    if issue is not None:
        tell(text_of_issue(issue))
    return issue is not None


@click.command("known-issues", short_help="List the known bugs of a release of Kafka.")
@click.option("--release", help="Only bugs that are in this release: 3.6.0.")
@click.pass_obj
def known_issues(tell: Tell, release: str | None) -> None:
    """List the bugs of Kafka that lines are held against: which releases have them, which mend them.

    `explain KAFKA-NNNN` tells all of one.
    """
    from replay.knowledge.issues_text import issues_of

    tell(issues_of(release))


def _explain_finding(tell: Tell, what: tuple[str, ...], tz: str | None) -> None:
    from pipelines.answers import explain as answer
    from pipelines.answers.times import Clock, zone
    from pipelines.glossary import glossary
    from pipelines.result import Result, is_result
    from replay.errors import InputError

    if len(what) > 2:
        raise click.UsageError("give a result folder and one finding or code")
    named = [text for text in what if not is_result(Path(text))]
    folder = next((Path(text) for text in what if is_result(Path(text))), None)
    if len(named) == 2:
        Result(Path(named[0]))  # says what is wrong with it
    wanted, codes, clock = (named[0] if named else None), glossary(), Clock(zone(tz))
    if folder is None and wanted is not None and answer.is_code(wanted, codes):
        tell(answer.meaning(wanted, codes))
        return
    result = Result(folder or DEFAULT_OUT)
    tables = result.tables(*answer.TABLES)
    findings = answer.roots(tables) if wanted is None else answer.found(tables, wanted)
    if not findings and wanted is not None:
        if not answer.is_code(wanted, codes):
            known = sorted(tables["findings"].finding_id) if len(tables["findings"]) else []
            raise InputError(
                f"{wanted}: no finding of {result.folder}, and no code"
                + (
                    f"; its findings are {', '.join(known[:6])}{' …' if len(known) > 6 else ''}"
                    if known
                    else "; it has none"
                )
            )
        tell([f"No finding of {result.folder} has this code.", "", *answer.meaning(wanted, codes)])
        return
    if not findings:
        tell([f"{result.folder}: no root cause was found."])
        return
    tell(_window_of(result))
    messages = result.lines(answer.evidence_of(tables, findings))
    for n, finding in enumerate(findings):
        tell(["", "-" * 72, ""] if n else [])
        tell(answer.explained(tables, finding, messages, codes, clock))


@click.command(short_help="Show the cluster as it stood at one moment.")
@click.argument("result", type=_FOLDER)
@click.option("--time", "when", required=True, help="The moment: 07:32, 07:32:10.5, 2026-11-21T05:37:40.")
@click.option("--topic", help="Only this topic.")
@_tz
@click.pass_obj
def at(tell: Tell, result: Path, when: str, topic: str | None, tz: str | None) -> None:
    """Show the cluster as it stood at one moment, in the shape of `kafka-topics --describe`.

    RESULT is a folder that `analyze` wrote.
    """
    from pipelines.answers import at as answer
    from pipelines.answers.times import Clock, moment, zone
    from pipelines.result import Result

    read, here = Result(result), zone(tz)
    recorded = read.recorded()
    meant = moment(when, here, recorded)
    tell(_window_of(read))
    tell(answer.told(_tables_of(read, answer.TABLES, topic), meant, Clock(here), topic, recorded))


@click.command(short_help="Show what changed between two moments.")
@click.argument("result", type=_FOLDER)
@click.option("--from", "since", required=True, help="The earlier moment: 07:32, 2026-11-21T05:37:40.")
@click.option("--to", "until", required=True, help="The later moment.")
@click.option("--topic", help="Only this topic.")
@_tz
@click.pass_obj
def diff(tell: Tell, result: Path, since: str, until: str, topic: str | None, tz: str | None) -> None:
    """Show what changed between two moments: brokers, controller, leaders and ISRs.

    RESULT is a folder that `analyze` wrote.
    """
    from pipelines.answers import diff as answer
    from pipelines.answers.times import Clock, moment, zone
    from pipelines.result import Result
    from replay.errors import InputError

    read, here = Result(result), zone(tz)
    recorded = read.recorded()
    start, end = moment(since, here, recorded), moment(until, here, recorded)
    if start >= end:
        raise InputError(f"--from {since} is not before --to {until}")
    tell(_window_of(read))
    tell(answer.told(_tables_of(read, answer.TABLES, topic), start, end, Clock(here)))


@click.command(short_help="Show what two results differ in.")
@click.argument("first", type=_FOLDER)
@click.argument("second", type=_FOLDER)
@click.pass_obj
def compare(tell: Tell, first: Path, second: Path) -> None:
    """Show what two results differ in: incidents and harm, findings, settings, what was read.

    For instance an incident before and after a change of settings, or of two clusters.
    """
    from pipelines.answers import diff as answer
    from pipelines.result import Result

    results = [Result(folder) for folder in (first, second)]
    sides = [result.tables(*answer.COMPARED) for result in results]
    windows = results[0].window(), results[1].window()
    tell(answer.compared(sides[0], sides[1], (str(first), str(second)), windows))


@click.command(short_help="Tell the story of one partition.")
@click.argument("result", type=_FOLDER)
@click.argument("name", metavar="TOPIC-N")
@click.option("--lines", "with_lines", is_flag=True, help="Under each row the log line that proves it.")
@_tz
@click.pass_obj
def partition(tell: Tell, result: Path, name: str, with_lines: bool, tz: str | None) -> None:
    """Tell the story of one partition in order: leaders, ISRs, offsets, cuts, losses.

    RESULT is a folder that `analyze` wrote; TOPIC-N is a partition, as orders-0.
    """
    from pipelines.answers import partition as answer
    from pipelines.answers.frames import first_lines
    from pipelines.answers.times import Clock, zone
    from pipelines.result import Result
    from replay.errors import InputError

    read, clock = Result(result), Clock(zone(tz))
    topic, number = answer.named(name)
    tables = read.of_partition(answer.TABLES, topic, number)
    if all(table.empty for table in tables.values()):
        known = read.table("leader_epochs", ["topic", "partition"])
        topics = sorted(set(known.topic)) if len(known) else []
        raise InputError(f"{name}: no line of these logs tells of it; topics are {', '.join(topics[:8]) or 'none'}")
    messages: dict[str, Any] = (
        dict(read.lines(first_lines(row[:1] for row in answer.story(tables).evidence))) if with_lines else {}
    )
    tell(_window_of(read))
    tell(answer.told(f"{topic}-{number}", tables, messages, clock, with_lines=with_lines))


def _window_of(read: Any) -> list[str]:
    """A line on the time of which alone the logs were read, where that is not all."""
    window = read.window()
    return [] if window is None else [f"Only the logs {window} were read."]


def _tables_of(read: Any, names: Iterable[str], topic: str | None) -> dict[str, Any]:
    """Tables, of one topic where it is named; those without topics whole."""
    by_topic = {"leader_epochs", "isr_spans", "commit_bands", "availability", "elections"}
    return {
        name: read.table(name, where=[("topic", "==", topic)] if topic and name in by_topic else ()) for name in names
    }


QUESTIONS = (explain, known_issues, at, diff, compare, partition)
