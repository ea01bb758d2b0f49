"""The commands that answer from a finished result, without Spark."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

import click

from pipelines.commands import names
from pipelines.commands.parameters import as_json, packs, since, topics, tz, until
from pipelines.commands.parameters import at as at_option
from pipelines.terminal import json_line
from replay.garbage import rarely_collected

DEFAULT_OUT = Path("kafka-replay-result")
"""Where `analyze` writes, and where `explain` looks, if no folder is named."""

Echo = Callable[[Iterable[str]], None]

_FOLDER = click.Path(path_type=Path)


@click.command(short_help="Explain log lines (- reads a paste), a finding, or a code.")
@click.argument("what", nargs=-1, metavar="[-|LINE|FILE ...|DIR] [FINDING|CODE|KAFKA-NNNN]", shell_complete=names.codes)
@click.option("--json", "as_json", is_flag=True, help="One JSON object (docs/explain.schema.json).")
@click.option("--all", "is_whole", is_flag=True, help="Everything that lines say, not only one screen.")
@tz
@packs
@click.pass_obj
def explain(echo: Echo, what: tuple[str, ...], as_json: bool, is_whole: bool, tz: str | None) -> None:
    """Explain log lines, a finding, or a code.

    - reads pasted lines from standard input; LINE is a quoted line; FILE is a log. DIR is a folder that `analyze` wrote
    (default: kafka-replay-result). FINDING is an id, the beginning of an id, an incident or a code; without FINDING,
    the command explains every root cause. CODE (F01, R4, S5, I6, PROVEN_LOSS) and KAFKA-NNNN, a known bug, need no result.

    \b
    Examples:
      kubectl logs kafka-1 --tail 50 | kafka-replay explain -
      kafka-replay explain '[2026-11-21 05:37:34,120] INFO [KafkaServer id=2] started (kafka.server.KafkaServer)'
      kafka-replay explain server.log
      kafka-replay explain kafka-replay-result F01
      kafka-replay explain KAFKA-6292
    """
    # Text does not need the imports for a result, so that a line is explained within a second.
    if what == ("-",):
        _explain_lines(echo, sys.stdin.buffer, as_json, is_whole)
        return
    if _is_line(what):
        _explain_lines(echo, what[0], as_json, is_whole)
        return
    from pipelines.result_folders import is_result

    if what and all(Path(text).exists() and not is_result(Path(text)) for text in what):
        _explain_lines(echo, [Path(text) for text in what], as_json, is_whole)
        return
    if len(what) == 1 and _known_issue(echo, what[0], as_json):
        return
    _explain_finding(echo, what, tz, as_json)


def _is_line(what: tuple[str, ...]) -> bool:
    """Whether the only argument is a log line: it has several words and names no file."""
    return len(what) == 1 and len(what[0].split()) > 1 and not os.path.exists(what[0])


@rarely_collected()
def _explain_lines(echo: Echo, lines: str | BinaryIO | list[Path], as_json: bool, is_whole: bool) -> None:
    """Print the meaning of a text, of the text that a pipe sends, or of the lines of files."""
    from pipelines.answers import lines as answer

    if isinstance(lines, str):
        found = answer.of_text(lines)
    else:
        found = answer.of_files(lines) if isinstance(lines, list) else answer.of_stream(lines)
    echo(answer.as_text(found, as_json=as_json, is_whole=is_whole))


def _known_issue(echo: Echo, key: str, as_json: bool) -> bool:
    """Print a known issue. Returns whether one has this name."""
    from pipelines.answers import explain_json
    from pipelines.answers.issues_text import issue_named, text_of_issue

    issue = issue_named(key)
    if issue is not None:
        echo([explain_json.of_meaning(key, text_of_issue(issue))] if as_json else text_of_issue(issue))
    return issue is not None


@click.command("known-issues", short_help="List the known bugs of a Kafka release.")
@click.option("--release", help="Only bugs of this release: 3.6.0.")
@as_json
@click.pass_obj
def known_issues(echo: Echo, release: str | None, as_json: bool) -> None:
    """List the known bugs that the analysis looks for, with the releases that have them and the releases that fix them.

    `explain KAFKA-NNNN` describes one bug.

    \b
    Examples:
      kafka-replay known-issues --release 3.6.0
      kafka-replay known-issues --json
    """
    from pipelines.answers.issues_text import issues_of, row_of_issue, text_of_row

    rows = [row_of_issue(issue) for issue in issues_of(release)]
    echo(map(json_line, rows) if as_json else map(text_of_row, rows))


@rarely_collected()
def _explain_finding(echo: Echo, what: tuple[str, ...], tz: str | None, as_json: bool) -> None:
    from pipelines.answers import explain as answer
    from pipelines.answers import explain_json, of_result
    from pipelines.glossary import glossary
    from pipelines.result import Result
    from pipelines.result_folders import is_result
    from replay.errors import InputError

    if len(what) > 2:
        raise click.UsageError("give a result folder and one finding or code")
    named = [text for text in what if not is_result(Path(text))]
    folder = next((Path(text) for text in what if is_result(Path(text))), None)
    if len(named) == 2:
        Result(Path(named[0]))  # raises the error
    wanted, codes = (named[0] if named else None), glossary()
    if folder is None and wanted is not None and (answer.is_code(wanted, codes) or answer.looks_like_a_code(wanted)):
        meant = answer.meaning(wanted, codes)
        echo([explain_json.of_meaning(wanted, meant)] if as_json else meant)
        return
    if folder is None and wanted is not None and not is_result(DEFAULT_OUT):
        raise InputError(
            f"{wanted}: no such file, code or known bug; for a finding, name the result: kafka-replay explain DIR {wanted}"
        )
    echo(of_result.explain(Result(folder or DEFAULT_OUT), wanted, tz, as_json=as_json).lines)


@click.command(short_help="Show the cluster at one moment.")
@click.argument("result", type=_FOLDER)
@at_option("when", required=True, help="The moment: 07:32, 07:32:10.5, 2026-11-21T05:37:40.")
@topics
@click.option("--all", "is_whole", is_flag=True, help="Every partition of a large cluster, not only one screen.")
@tz
@as_json
@click.pass_obj
def at(
    echo: Echo, result: Path, when: str, topics: tuple[str, ...], tz: str | None, as_json: bool, is_whole: bool
) -> None:
    """Show the cluster at one moment, in the format of `kafka-topics --describe`.

    RESULT is a folder that `analyze` wrote.

    \b
    Examples:
      kafka-replay at kafka-replay-result --at 05:38:20
      kafka-replay at kafka-replay-result --at 2026-11-21T05:38:20 --topic orders,clicks --json
    """
    from pipelines.answers import of_result
    from pipelines.result import Result

    echo(of_result.at(Result(result), when, topics, tz, as_json=as_json, is_whole=is_whole).lines)


@click.command(short_help="Show what changed between two moments.")
@click.argument("result", type=_FOLDER)
@since(required=True, help="The earlier moment: 07:32, 2026-11-21T05:37:40.")
@until(required=True, help="The later moment.")
@topics
@click.option("--all", "is_whole", is_flag=True, help="Every partition of a large cluster, not only one screen.")
@tz
@as_json
@click.pass_obj
def diff(
    echo: Echo,
    result: Path,
    since: str,
    until: str,
    topics: tuple[str, ...],
    tz: str | None,
    as_json: bool,
    is_whole: bool,
) -> None:
    """Show what changed between two moments: brokers, controller, leaders and ISRs.

    RESULT is a folder that `analyze` wrote. --json prints the changed partitions.

    \b
    Examples:
      kafka-replay diff kafka-replay-result --since 05:37 --until 05:39
    """
    from pipelines.answers import of_result
    from pipelines.result import Result

    echo(of_result.diff(Result(result), since, until, topics, tz, as_json=as_json, is_whole=is_whole).lines)


@click.command(short_help="Compare two results.")
@click.argument("first", type=_FOLDER)
@click.argument("second", type=_FOLDER)
@as_json
@click.pass_obj
def compare(echo: Echo, first: Path, second: Path, as_json: bool) -> None:
    """Compare two results: incidents and harm, findings, settings, and what was read.

    Use it to compare an incident before and after a change of settings, or two clusters.

    \b
    Examples:
      kafka-replay compare result-of-monday result-of-tuesday
    """
    from pipelines.answers import diff as answer
    from pipelines.result import Result

    results = [Result(folder) for folder in (first, second)]
    sides = [result.tables(*answer.COMPARED) for result in results]
    windows = results[0].window(), results[1].window()
    differences = answer.compared(sides[0], sides[1], (str(first), str(second)), windows)
    echo((json_line(asdict(one)) for one in differences) if as_json else map(str, differences))


@click.command(short_help="Show the history of one partition.")
@click.argument("result", type=_FOLDER)
@click.argument("name", metavar="TOPIC-N", shell_complete=names.partitions)
@click.option("--lines", "with_lines", is_flag=True, help="Print the log line that proves each event below it.")
@tz
@as_json
@click.pass_obj
def partition(echo: Echo, result: Path, name: str, with_lines: bool, tz: str | None, as_json: bool) -> None:
    """Show the history of one partition in order: leaders, ISRs, offsets, truncations, losses.

    RESULT is a folder that `analyze` wrote; TOPIC-N is a partition, for example orders-0.

    \b
    Examples:
      kafka-replay partition kafka-replay-result orders-0 --lines
    """
    from pipelines.answers import of_result
    from pipelines.result import Result

    echo(of_result.partition(Result(result), name, with_lines=with_lines, tz=tz, as_json=as_json).lines)


@click.command(short_help="Show the history of one broker, and whether a restart is safe.")
@click.argument("result", type=_FOLDER)
@click.argument("broker_id", metavar="ID", type=int, shell_complete=names.brokers)
@click.option("--lines", "with_lines", is_flag=True, help="Print the log line that proves each event below it.")
@tz
@as_json
@click.pass_obj
def broker(echo: Echo, result: Path, broker_id: int, with_lines: bool, tz: str | None, as_json: bool) -> None:
    """Show the history of one broker in order: sessions, faults, what it led, its ISRs, truncations and losses; and
    whether a restart is safe as the logs end.

    RESULT is a folder that `analyze` wrote.

    \b
    Examples:
      kafka-replay broker kafka-replay-result 3
    """
    from pipelines.answers import of_result
    from pipelines.result import Result

    echo(of_result.broker(Result(result), broker_id, with_lines=with_lines, tz=tz, as_json=as_json).lines)


QUESTIONS = (explain, known_issues, at, diff, compare, partition, broker)
