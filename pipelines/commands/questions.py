"""The commands that answer from a finished result, without Spark."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

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
@click.option("--json", "as_json", is_flag=True, help="One JSON object (docs/explain.schema.json).")
@_tz
@click.pass_obj
def explain(tell: Tell, what: tuple[str, ...], as_json: bool, tz: str | None) -> None:
    """Say what log lines mean, why a finding was concluded, or what a code means.

    With - lines are read from standard input, one or thousands, as they were pasted; FILEs are logs. They are answered
    within seconds. DIR is a folder that `analyze` wrote (default: kafka-replay-result). FINDING is an id, the beginning
    of one, an incident or a code; without it every root cause is explained. CODE (F01, R4, S5, I6, PROVEN_LOSS) and KAFKA-NNNN, a
    known bug, need no result.
    """
    if what == ("-",):  # without what a result needs: a line is answered within a second
        _explain_lines(tell, what, as_json)
        return
    from pipelines.result import is_result

    if what and all(Path(text).exists() and not is_result(Path(text)) for text in what):
        _explain_lines(tell, what, as_json)
        return
    if len(what) == 1 and _known_issue(tell, what[0], as_json):
        return
    _explain_finding(tell, what, tz, as_json)


def _explain_lines(tell: Tell, what: tuple[str, ...], as_json: bool) -> None:
    from pipelines.answers import lines as answer

    if what == ("-",):
        found = answer.of_text(sys.stdin.buffer.read().decode("utf-8", "replace"))
    else:
        found = answer.of_files([Path(text) for text in what])
    tell(answer.told(found, as_json=as_json))


def _known_issue(tell: Tell, key: str, as_json: bool) -> bool:
    """Tell of a known issue; whether there is one called so."""
    from pipelines.answers import explain_json
    from replay.knowledge.issues_text import issue_named, text_of_issue

    issue = issue_named(key)
    if issue is not None:
        tell([explain_json.of_meaning(key, text_of_issue(issue))] if as_json else text_of_issue(issue))
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


def _explain_finding(tell: Tell, what: tuple[str, ...], tz: str | None, as_json: bool) -> None:
    from pipelines.answers import explain as answer
    from pipelines.answers import explain_json, of_result
    from pipelines.glossary import glossary
    from pipelines.result import Result, is_result

    if len(what) > 2:
        raise click.UsageError("give a result folder and one finding or code")
    named = [text for text in what if not is_result(Path(text))]
    folder = next((Path(text) for text in what if is_result(Path(text))), None)
    if len(named) == 2:
        Result(Path(named[0]))  # says what is wrong with it
    wanted, codes = (named[0] if named else None), glossary()
    if folder is None and wanted is not None and (answer.is_code(wanted, codes) or answer.looks_like_a_code(wanted)):
        meant = answer.meaning(wanted, codes)
        tell([explain_json.of_meaning(wanted, meant)] if as_json else meant)
        return
    tell(of_result.explain(Result(folder or DEFAULT_OUT), wanted, tz, as_json=as_json).lines)


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
    from pipelines.answers import of_result
    from pipelines.result import Result

    tell(of_result.at(Result(result), when, topic, tz).lines)


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
    from pipelines.answers import of_result
    from pipelines.result import Result

    tell(of_result.diff(Result(result), since, until, topic, tz).lines)


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
    from pipelines.answers import of_result
    from pipelines.result import Result

    tell(of_result.partition(Result(result), name, with_lines=with_lines, tz=tz).lines)


QUESTIONS = (explain, known_issues, at, diff, compare, partition)
