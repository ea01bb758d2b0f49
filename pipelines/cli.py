"""The command line. The parameters of the functions are the options; their help texts are here. Only this module maps
error classes to exit codes.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.markup import escape

from pipelines.about import product_version
from pipelines.commands import names
from pipelines.commands.collect import collect
from pipelines.commands.knowledge import knowledge
from pipelines.commands.parameters import (
    Names,
    Numbers,
    Seconds,
    Setting,
    as_json,
    at,
    of_logs,
    packs,
    several,
    since,
    topics,
    tz,
    until,
)
from pipelines.commands.questions import DEFAULT_OUT, QUESTIONS
from pipelines.commands.watch import watch
from pipelines.failures import failure
from pipelines.progress import progress
from pipelines.terminal import any_locale, json_line, open_streams, plain_line, shown
from replay.errors import OutputError, ReplayError

if TYPE_CHECKING:
    from pipelines.main_job import Outcome

REFERENCE_PAGES = ("codes", "faults", "invariants", "known-issues", "questions", "rules", "stages", "tables")
GROUPS: Mapping[str, tuple[str, ...]] = {
    "Analyze logs": ("analyze", "append", "watch", "collect", "prepare"),
    "Ask": ("explain", "at", "diff", "partition", "broker", "offsets", "acks", "epochs", "what-if", "compare"),
    "Evidence and reports": ("check", "losses", "reconcile", "rescue", "lines", "post-mortem", "index", "mcp"),
    "Reference": ("catalogue", "knowledge", "known-issues", "docs"),
}
_SEVERITIES = ("critical", "high", "medium", "low", "info")


class _Output(Console):
    """Standard output. If a pager was closed, the run continues to its end and its exit status."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        _discard_output()


class _Grouped(click.Group):
    """The commands in groups, in the order in which a user needs them."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(90)) for name in commands])

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(chain.from_iterable(GROUPS.values()))


@click.group(
    cls=_Grouped,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(product_version(), prog_name="kafka-replay", message="%(prog)s %(version)s")
@click.pass_context
def main_group(context: click.Context) -> None:
    """Find out, after the fact, what happened inside a Kafka cluster: logs in, incident report out.

    \b
    Examples:
      kafka-replay analyze logs/ --open
      kafka-replay explain kafka-replay-result
      kubectl logs kafka-1 --tail 50 | kafka-replay explain -
    """
    context.obj = _print


for _command in (*QUESTIONS, collect, watch, knowledge):
    main_group.add_command(_command)


def _of_a_run(command: Callable[..., None]) -> Callable[..., None]:
    """The options of the commands that write a result."""
    for option in reversed(
        (
            click.option("--open", "opens", is_flag=True, help="Open the report in the browser."),
            of_logs,
            click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON object."),
            click.option(
                "--fail-on",
                type=click.Choice(_SEVERITIES),
                help="Exit with status 1 if a finding is at least this severe.",
            ),
            click.option(
                "--graphframes",
                help="Maven coordinate or jar of GraphFrames' classes (default: $KAFKA_REPLAY_GRAPHFRAMES, else a "
                "known one).",
            ),
            click.option("--quiet", is_flag=True, help="Print only the summary, without progress."),
            click.option(
                "--verbose",
                is_flag=True,
                help="Also print every finding, the files that were read, and the time of each step.",
            ),
        )
    ):
        command = option(command)
    return command


@main_group.command()
@click.argument("inputs", nargs=-1, required=False)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=DEFAULT_OUT,
    show_default=True,
    help="Folder of the result: tables/, findings.json, report.html, and records/ for `append`.",
)
@click.option("--overwrite", is_flag=True, help="Replace the result of an earlier run.")
@click.option(
    "--redact",
    is_flag=True,
    help="Replace the names of topics, hosts, clients, groups, users and ids (topic-1, host-1, client-1) in the whole "
    "result.",
)
@click.option(
    "--format",
    type=click.Choice(("parquet", "delta")),
    default="parquet",
    show_default=True,
    help="Format of the tables. The first run with delta fetches its classes from Maven Central ($KAFKA_REPLAY_DELTA "
    "names others).",
)
@since(
    help="Analyze only the time from here on: 07:25, 2026-11-21T07:25. The run also reads what it needs from the time before.",
)
@until(help="Analyze only the time before this.")
@tz
@click.option(
    "--rebuild",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Make the result in DIR again from its stored records, for example after an upgrade. Takes no INPUTS.",
)
@click.option(
    "--post-mortem",
    type=click.Path(path_type=Path),
    metavar="FILE.md",
    help="Also write the post-mortem of the worst incident as Markdown, outside the result folder.",
)
@packs
@_of_a_run
def analyze(
    inputs: tuple[str, ...],
    out: Path,
    overwrite: bool,
    redact: bool,
    format: str,
    rebuild: Path | None,
    post_mortem: Path | None,
    **options: Any,
) -> None:
    """Analyze logs. INPUTS are folders, files and archives, in any mix, best with one folder per node.

    \b
    Examples:
      kafka-replay analyze logs/ --open
      kafka-replay analyze node-1.tar.gz node-2.tar.gz --out incident --since 07:25 --until 08:10
      kafka-replay analyze logs/ --json --quiet --fail-on high
    """
    if post_mortem is not None:
        from pipelines.commands.post_mortem import check

        check(post_mortem, rebuild or out)
    if rebuild is not None:
        _rebuilt(rebuild, inputs, post_mortem=post_mortem, **options)
        return
    if not inputs and not options["nodes"]:
        raise click.UsageError("nothing to analyze: name the folders, files or archives that hold the logs")
    _refuse_results(inputs)
    from pipelines.session import begin, end_begun  # before the other imports: Java starts meanwhile

    of_nodes = (path for _, path in options["nodes"])
    begin((*map(Path, inputs), *of_nodes), options["graphframes"], writes_delta=format == "delta")
    try:
        from pipelines.main_job import analyze as run

        _analyzed(
            partial(run, inputs, out, overwrite=overwrite, redact=redact, format=format),
            out,
            post_mortem=post_mortem,
            **options,
        )
    finally:
        end_begun()


def _refuse_results(inputs: Sequence[str]) -> None:
    """Raises InputError for an input that is a result of `analyze`, with what to do instead."""
    from pipelines.result_folders import is_result
    from replay.errors import InputError

    for name in inputs:
        if is_result(Path(name)):
            raise InputError(
                f"{name}: is a result of `kafka-replay analyze`; open {name}/report.html, ask it with "
                f"`kafka-replay explain {name}`, or make it again with `analyze --rebuild {name}`"
            )


def _rebuilt(result: Path, inputs: tuple[str, ...], post_mortem: Path | None, **options: Any) -> None:
    """Make a result again with its own options."""
    from pipelines.rebuild import rebuild as run

    of_logs = ("nodes", "layout", "timezone", "node_timezones", "since", "until", "tz")
    if inputs or any(options[name] for name in of_logs):
        raise click.UsageError("--rebuild reads no logs: omit INPUTS and the options for reading logs")
    _analyzed(
        lambda *, graphframes, on_step, **_: run(result, graphframes=graphframes, on_step=on_step),
        result,
        post_mortem=post_mortem,
        **options,
    )


@main_group.command()
@click.argument("result", type=click.Path(path_type=Path))
@click.argument("inputs", nargs=-1, required=False)
@_of_a_run
def append(result: Path, inputs: tuple[str, ...], **options: Any) -> None:
    """Add later files to a result. The outcome equals one run over all files; the earlier files are not needed.

    RESULT is a folder that `analyze` wrote; INPUTS are as for `analyze`. A file that the result already has counts
    once, and a file that has grown replaces its earlier version. The options of the first run also hold for the new
    files. The new result replaces the old one in one step.

    \b
    Examples:
      kafka-replay append kafka-replay-result logs-of-the-next-hour/
    """
    from pipelines.append import append as run

    if not inputs and not options["nodes"]:
        raise click.UsageError("nothing to add: name the folders, files or archives that hold later logs")
    _analyzed(partial(run, result, inputs), result, **options)


def _analyzed(
    run: Callable[..., Outcome],
    out: Path,
    *,
    nodes: tuple[tuple[int, Path], ...],
    node_timezones: tuple[tuple[int, str], ...],
    fail_on: str | None,
    quiet: bool,
    verbose: bool,
    opens: bool,
    as_json: bool,
    post_mortem: Path | None = None,
    **options: str | None,
) -> None:
    """Run, print each step as it begins, and print the summary."""
    console = Console(stderr=True, highlight=False, quiet=quiet)
    with progress(console) as on_step:

        def on_facts(facts: Sequence[str]) -> None:
            for fact in facts:
                console.print(fact, markup=False, soft_wrap=True)

        outcome = run(
            nodes=dict(nodes),
            node_timezones=dict(node_timezones),
            on_step=on_step,
            on_facts=None if quiet or as_json else on_facts,
            **options,
        )
    _written.append(out)
    _show(outcome, as_json=as_json, verbose=verbose, tz=options.get("tz"))
    if post_mortem is not None:
        from pipelines.commands.post_mortem import post_mortem as write

        _print(write(out, post_mortem, tz=options.get("tz")))
    if opens and click.launch(str(out / "report.html")) != 0:
        click.echo("kafka-replay: no browser could be started here; open the report by hand", err=True)
    reached = () if fail_on is None else _SEVERITIES[: _SEVERITIES.index(fail_on) + 1]
    if set(outcome.tables["findings"].severity) & set(reached):
        raise SystemExit(1)


def _show(outcome: Outcome, *, as_json: bool, verbose: bool, tz: str | None = None) -> None:
    from pipelines.summary import as_object, summary  # pandas, which the run has loaded meanwhile

    if as_json:
        _print([json_line(as_object(outcome))])
    else:
        from pipelines.answers.times import zone

        summary(outcome, _Output(highlight=False), verbose=verbose, here=zone(tz))


@main_group.command(short_help="Print the records of all nodes as one ordered stream.")
@click.argument("inputs", nargs=-1, required=True)
@topics
@several("--partition", "partitions", of=Numbers(), help="Only records about these partition numbers: 0,3,7.")
@several(
    "--broker",
    "brokers",
    of=Numbers(),
    help="Only records that these brokers wrote or that concern them: 1,2.",
    shell_complete=names.brokers,
)
@several("--kind", "kinds", of=Names(), help="Only records of this kind (`events.kind`).", shell_complete=names.kinds)
@click.option(
    "--level",
    type=click.Choice(("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"), case_sensitive=False),
    help="Only records at least this severe.",
)
@several("--line", "places", of=Names(), help="Only these lines, as evidence names them: node-1/server.log:120.")
@click.option(
    "--context",
    type=click.IntRange(0, 100),
    default=0,
    help="Print this many records of the same file before and after each (of a result).",
)
@since(help="Only records from this time on: 07:32, 2026-11-21T05:37:40.")
@until(help="Only records before this time.")
@tz
@of_logs
@as_json
@click.option(
    "--color/--no-color", default=None, help="Print levels in color (default: on a terminal, unless NO_COLOR is set)."
)
def lines(
    inputs: tuple[str, ...],
    nodes: tuple[tuple[int, Path], ...],
    node_timezones: tuple[tuple[int, str], ...],
    color: bool | None,
    **filters: Any,
) -> None:
    """Print the records of all nodes as one stream, filtered and ordered by corrected time.

    INPUTS are logs, or one folder that `analyze` wrote. A result answers faster and has the records that were recognized.

    \b
    Examples:
      kafka-replay lines kafka-replay-result --level warn --since 05:38:10 --until 05:38:30
      kafka-replay lines kafka-replay-result --line node-1/server.log:120 --context 3
      kafka-replay lines logs/ --topic orders --partition 0 --broker 1,2
    """
    from pipelines.merged_log import lines as merged

    colors = sys.stdout.isatty() and not os.environ.get("NO_COLOR") if color is None else color
    _print(
        _with_progress(
            lambda on_step: merged(
                inputs,
                nodes=dict(nodes),
                node_timezones=dict(node_timezones),
                colours=colors,
                on_step=on_step,
                **filters,
            )
        ),
        already_shown=True,
    )


@main_group.command("what-if")
@click.argument("result", type=click.Path(path_type=Path))
@click.option(
    "--set",
    "changes",
    multiple=True,
    type=Setting(),
    required=True,
    help="A setting as it might have been: min.insync.replicas=2; may be repeated.",
    shell_complete=names.settings,
)
@as_json
def what_if(result: Path, changes: tuple[tuple[str, str], ...], as_json: bool) -> None:
    """Show what other settings would have changed. The last line is the answer in one sentence.

    RESULT is a folder that `analyze` wrote. Each setting is considered by itself. Settings: min.insync.replicas,
    unclean.leader.election.enable=false, replica.lag.time.max.ms, acks=all, broker.session.timeout.ms or
    zookeeper.session.timeout.ms, replication.factor (fewer than there were), eligible.leader.replicas.version=1,
    controlled.shutdown.enable=false.

    \b
    Examples:
      kafka-replay what-if kafka-replay-result --set unclean.leader.election.enable=false
    """
    from pipelines.what_if import what_if as asked

    _print(asked(result, changes, as_json=as_json))


@main_group.command(short_help="Show the leader epochs in each replica's checkpoint file.")
@click.argument("result", type=click.Path(path_type=Path))
@click.argument("partitions", nargs=-1, shell_complete=names.partitions)
@at(help="The moment: 05:37:40, 2026-11-21T05:37:40 (default: the end of the logs).")
@click.option("--history", is_flag=True, help="Print every change of each file, with the line that shows it.")
@tz
@as_json
def epochs(
    result: Path, partitions: tuple[str, ...], at: str | None, history: bool, tz: str | None, as_json: bool
) -> None:
    """Show the leader epochs in each replica's checkpoint file, as (0 0)(1 0)(2 1), and where the files diverge.

    RESULT is a folder that `analyze` wrote; PARTITIONS are named like orders-0 (default: all).

    \b
    Examples:
      kafka-replay epochs kafka-replay-result orders-0 --history
    """
    from pipelines.commands.epochs import epochs as run

    _print(run(result, partitions, at=at, history=history, tz=tz, as_json=as_json))


@main_group.command(short_help="Show which offset of a partition is which.")
@click.argument("result", type=click.Path(path_type=Path))
@click.argument("partitions", nargs=-1, required=True, shell_complete=names.partitions)
@tz
@as_json
def offsets(result: Path, partitions: tuple[str, ...], tz: str | None, as_json: bool) -> None:
    """Show the offsets of a partition: log start, committed by groups, high watermark, log end of each replica.

    RESULT is a folder that `analyze` wrote; PARTITIONS are named like orders-0. Output of kafka-consumer-groups
    --describe, kafka-get-offsets and kafka-log-dirs --describe is used too if it was among the inputs.

    \b
    Examples:
      kafka-replay offsets kafka-replay-result orders-0
    """
    from pipelines.commands.offsets import offsets as run

    _print(run(result, partitions, tz=tz, as_json=as_json))


@main_group.command(short_help="Print a reference page as Markdown.")
@click.argument("page", type=click.Choice(REFERENCE_PAGES))
def docs(page: str) -> None:
    """Print a reference page as Markdown: codes, faults, rules, invariants, known issues, operators' questions, tables or stages.

    \b
    Examples:
      kafka-replay docs codes
      kafka-replay docs tables | less
    """
    from pipelines.docs import REFERENCE

    _print(REFERENCE[page]().splitlines())


@main_group.command(short_help="Show what producers received, by their acks.")
@click.argument("result", type=click.Path(path_type=Path))
@click.argument("partitions", nargs=-1, required=True, shell_complete=names.partitions)
@tz
@as_json
def acks(result: Path, partitions: tuple[str, ...], tz: str | None, as_json: bool) -> None:
    """Show what producers with acks=0, 1 and all received, and when: an acknowledgement, an error, no answer, or unknown.

    RESULT is a folder that `analyze` wrote; PARTITIONS are named like orders-0.

    \b
    Examples:
      kafka-replay acks kafka-replay-result orders-0
    """
    from pipelines.commands.acks import acks as run

    _print(run(result, partitions, tz=tz, as_json=as_json))


@main_group.command(short_help="List the losses by topic and partition, also as CSV.")
@click.argument("result", type=click.Path(path_type=Path))
@topics
@since(help="Only records that can have been written from here on: 07:25, 2026-11-21T07:25.")
@until(help="Only records that can have been written before this.")
@click.option(
    "--owners", type=click.Path(path_type=Path), metavar="FILE.csv", help="List by owner: columns topic and owner."
)
@tz
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV with a header row.")
@as_json
def losses(result: Path, topics: tuple[str, ...], **options: Any) -> None:
    """List the confirmed, possible and unknown losses by topic and partition, with the times at which the records were
    written and truncated.

    RESULT is a folder that `analyze` wrote. A topic that no line names is an error.

    \b
    Examples:
      kafka-replay losses kafka-replay-result --csv > losses.csv
      kafka-replay losses kafka-replay-result --topic orders --since 05:30 --until 05:40
      kafka-replay losses kafka-replay-result --owners topics.csv --csv
    """
    from pipelines.commands.losses import losses as run

    if options["as_csv"] and options["as_json"]:
        raise click.UsageError("--csv and --json exclude each other; give one")
    _print(run(result, topics, **options))


@main_group.command(short_help="Decide which of your records are gone, replaced or kept.")
@click.argument("result", type=click.Path(path_type=Path))
@click.argument("records", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="VERDICTS.csv",
    help="The file for the verdicts: .csv, .jsonl or .parquet.",
)
@click.option("--overwrite", is_flag=True, help="Replace the file.")
@click.option(
    "--columns",
    default="",
    metavar="F=C,F=C",
    help="Columns with other names: topic=t,partition=p,offset=o,time=ts,leader_epoch=e,acks=a,client=c.",
)
@click.option("--topic", metavar="NAME", help="The topic of records that do not name theirs.")
@click.option(
    "--time",
    "time_is",
    type=click.Choice(("acknowledged", "created", "appended")),
    help="What their time is: when the application had the acknowledgement (default), when the producer created the "
    "record, or when the broker appended it.",
)
@click.option("--acks", type=click.Choice(("all", "1", "0")), help="The acks of their producers, if no column has it.")
@click.option(
    "--clock-error",
    type=Seconds(),
    help="How far the applications' clocks are off at most: 5s (default: derived from the records).",
)
@click.option(
    "--fail-on",
    type=click.Choice(("gone", "possible")),
    help="Exit with status 1 if a record is gone (or possibly gone).",
)
@click.option(
    "--duplicates",
    type=click.Choice(("key",)),
    help="key: keys are unique, so a key that a partition stores at two offsets is a duplicate. Duplicates by producer id, "
    "epoch and sequence are always found.",
)
@click.option(
    "--page",
    type=click.Path(path_type=Path),
    metavar="HTML",
    help="Write the report again, to this file, with a section about these records. RESULT does not change.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON object.")
def reconcile(result: Path, records: tuple[Path, ...], out: Path, overwrite: bool, **options: Any) -> None:
    """Decide for each acknowledged record whether the cluster still has it: kept, gone, rewritten (another record has
    its offset), expired, compacted, duplicate, or undecided with what would decide it.

    RESULT is a folder that `analyze` wrote. RECORDS are files with topic, partition and offset, and best with leader
    epoch or time: CSV, JSON lines, Parquet, Delta, or the output of kafka-dump-log, kafka-console-consumer,
    kafka-verifiable-producer, kafka-verifiable-consumer and kcat -J.

    \b
    Examples:
      kafka-replay reconcile kafka-replay-result acked.csv --out verdicts.csv
      kafka-replay reconcile kafka-replay-result outbox.parquet --columns time=sent_at --out verdicts.parquet --fail-on gone
      kafka-dump-log --files orders-0/*.log | kafka-replay reconcile kafka-replay-result /dev/stdin --out verdicts.csv
    """
    from pipelines.commands.reconcile import Wanted
    from pipelines.commands.reconcile import reconcile as run

    lines, fails = run(result, records, out, Wanted(**options), overwrite=overwrite)
    _print(lines)
    if fails:
        raise SystemExit(1)


@main_group.command(short_help="Find lost records on dead replicas' disks, and write files to produce them again.")
@click.argument("result", type=click.Path(path_type=Path))
@click.argument("tails", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR", help="Write the records there (default: only count)."
)
@click.option("--overwrite", is_flag=True, help="Replace an earlier rescue in DIR.")
@topics
@click.option(
    "--compacted", multiple=True, metavar="TOPIC", help="A compacted topic that the tails do not show as such."
)
@tz
def rescue(result: Path, tails: tuple[Path, ...], topics: tuple[str, ...], **options: Any) -> None:
    """Read the saved ends of replicas' logs and list the lost records that they hold, with the reason why they are lost.

    RESULT is a folder that `analyze` wrote. TAILS are archives of `collect --tails`, or copies of data directories: of the
    dead brokers, and of the current leaders, which show what producers sent again.

    With --out, each partition's records go to a JSONL file, in their order, with key, headers and timestamp; a manifest
    has counts and checksums. Nothing is produced: the last lines say how to do it.

    \b
    Examples:
      kafka-replay rescue kafka-replay-result node-2-tails.tar.gz node-1-tails.tar.gz
      kafka-replay rescue kafka-replay-result node-2-tails.tar.gz --topic orders --out rescued
    """
    from pipelines.commands.rescue import rescue as run

    _print(run(result, tails, topics=topics, **options))


@main_group.command(short_help="Write verdicts as JUnit test cases, for CI and chaos tests.")
@click.argument("inputs", nargs=-1, required=True)
@click.option("--junit", type=click.Path(path_type=Path), required=True, metavar="OUT.xml", help="The file to write.")
@click.option("--overwrite", is_flag=True, help="Replace an earlier file.")
@click.option(
    "--fail-on",
    type=click.Choice(("invariant", "loss", "root-cause", "nothing")),
    multiple=True,
    help="Exit with status 1 if such a case failed (default: any).",
)
@of_logs
def check(inputs: tuple[str, ...], junit: Path, fail_on: tuple[str, ...], **options: Any) -> None:
    """Write the invariants, losses and root causes of an analysis as JUnit test cases. A case that the logs cannot decide
    is skipped, with its reason.

    INPUTS are logs as for `analyze`, or one folder that `analyze` wrote.

    \b
    Examples:
      kafka-replay check logs/ --junit kafka-replay.xml --fail-on loss --fail-on invariant
      kafka-replay check kafka-replay-result --junit kafka-replay.xml
    """
    from pipelines.commands.check import KINDS
    from pipelines.commands.check import check as run

    nodes, node_timezones = dict(options.pop("nodes")), dict(options.pop("node_timezones"))
    lines, failed = run(inputs, junit, fail_on=fail_on or KINDS, nodes=nodes, node_timezones=node_timezones, **options)
    _print(lines)
    if failed:
        raise SystemExit(1)


@main_group.command("post-mortem", short_help="Write the post-mortem of an incident as Markdown.")
@click.argument("result", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE.md", help="The file (default: standard output).")
@click.option("--incident", "incident_id", metavar="ID", help="The incident, such as incident-2 (default: the worst).")
@click.option("--short", is_flag=True, help="At most 150 words, as on the first screen of the report.")
@tz
def post_mortem(result: Path, out: Path | None, incident_id: str | None, short: bool, tz: str | None) -> None:
    """Write the post-mortem of an incident as Markdown, each statement with the log lines that prove it.

    RESULT is a folder that `analyze` wrote. Fill in the owner of each action.

    \b
    Examples:
      kafka-replay post-mortem kafka-replay-result
      kafka-replay post-mortem kafka-replay-result --out post-mortem.md
      kafka-replay post-mortem kafka-replay-result --short --tz Europe/Berlin
    """
    from pipelines.commands.post_mortem import post_mortem as run

    _print(run(result, out, incident_id=incident_id, short=short, tz=tz))


@main_group.command(short_help="Make one page from many results.")
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("kafka-replay-index.html"),
    show_default=True,
    help="The page; it links to the reports by relative paths.",
)
@click.option(
    "--by",
    type=click.Choice(("day", "week", "month")),
    help="Width of a column (default: depends on the time that the logs span).",
)
def index(results: tuple[Path, ...], out: Path, by: str | None) -> None:
    """Make one page from many results: how incidents change over time, by kind of fault and by broker.

    RESULTS are folders that `analyze` wrote, or folders that contain such folders.

    \b
    Examples:
      kafka-replay index results/ --by week
    """
    from pipelines.commands.index import index as run

    _print(run(results, out, by=by))


@main_group.command(short_help="Serve a result to an AI assistant.")
@click.argument("result", type=click.Path(path_type=Path))
def mcp(result: Path) -> None:
    """Serve a result to an AI assistant with the Model Context Protocol, over standard input and output.

    RESULT is a folder that `analyze` wrote. The assistant starts this command; docs/usage.md describes its configuration.
    Needs the extra [mcp].

    \b
    Examples:
      kafka-replay mcp kafka-replay-result
    """
    from pipelines.commands.mcp import serve

    serve(result)


@main_group.command()
@click.option(
    "--graphframes",
    help="Maven coordinate or jar of GraphFrames' classes (default: $KAFKA_REPLAY_GRAPHFRAMES, else a known one).",
)
def prepare(graphframes: str | None) -> None:
    """Fetch what every run needs, once. Later runs start faster and need no network. Takes about a minute.

    \b
    Examples:
      kafka-replay prepare
    """
    from pipelines.prepare import prepare as made_ready

    click.echo(made_ready(graphframes))


@main_group.command(short_help="List, explain or draft message templates.")
@click.option(
    "--explain",
    "line",
    metavar="LINE",
    help="Explain a log line or a message (- reads lines from standard input), and what to check next.",
)
@click.option(
    "--unmatched",
    "inputs",
    multiple=True,
    metavar="INPUT",
    help="Print the messages in these logs that match no template, as drafts of templates; may be repeated.",
)
@click.option("--layout", help="The log4j pattern of these logs, if no known layout fits.")
@as_json
def catalogue(line: str | None, inputs: tuple[str, ...], layout: str | None, as_json: bool) -> None:
    """List the message templates, explain a message, or draft templates for messages that match none.

    \b
    Examples:
      kafka-replay catalogue | grep leader_epoch
      kafka-replay catalogue --explain "Truncating to 5 has no effect as the largest offset in the log is 4"
      kafka-replay catalogue --unmatched logs/
    """
    from pipelines import catalogue as known

    if line is not None and inputs:
        raise click.UsageError("--explain and --unmatched are two questions; ask one at a time")
    if line == "-":
        answer = known.explained_each(sys.stdin)
    elif line is not None:
        answer = known.explained(line)
    elif inputs:
        answer = _with_progress(lambda on_step: known.unmatched(inputs, layout=layout, on_step=on_step))
    else:
        answer = map(json_line, known.template_rows()) if as_json else known.listed()
    if as_json and (line is not None or inputs):
        raise click.UsageError("--json is for the list of templates; leave out --explain and --unmatched")
    _print(answer)


def _with_progress(asked: Callable[[Callable[[str], None]], Iterator[str]]) -> Iterator[str]:
    """The lines that `asked` yields; until the first one is there, a terminal shows the current work."""
    console = Console(stderr=True, highlight=False)
    with console.status("Starting …") as status:
        stream = asked(lambda step: status.update(f"{escape(step)} …"))
        first = next(stream, None)
    if first is not None:
        yield first
        yield from stream


def main() -> None:
    """Run the command line and exit: 0 analyzed, 1 `--fail-on`, 2 wrong usage or input, 3 a fault of the program."""
    os.environ.setdefault(
        "ARROW_DEFAULT_MEMORY_POOL", "system"
    )  # the others keep more of the memory that is free again
    open_streams()
    any_locale()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        wanted = getattr(signal, name, None)  # Windows has no SIGHUP
        if wanted is not None and signal.getsignal(wanted) != signal.SIG_IGN:  # `nohup` ignores it on purpose
            signal.signal(wanted, _interrupted)
    _warn_of_namesake(Path(__file__).parent.parent)
    try:
        main_group(standalone_mode=False)
    except click.ClickException as error:
        if isinstance(error, click.UsageError) and error.ctx is not None:
            _error_line(error.ctx.get_usage())
        _error_line(f"Error: {plain_line(error.format_message())}")
        code = 2
    except (click.Abort, KeyboardInterrupt) as stop:
        code = _stopped(getattr(stop, "out", None))
    except ReplayError as error:
        code = _stopped() if _asked_to_end.is_set() else 2
        if code == 2:
            _error_line(f"kafka-replay: {plain_line(str(error))}")
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 0
    except Exception as error:
        code = _stopped() if _asked_to_end.is_set() else _failed(error)
    else:
        code = 0
    with contextlib.suppress(OSError):  # no reader is left
        sys.stdout.flush() if not sys.stdout.closed else None
    sys.exit(code)


_asked_to_end = threading.Event()
_written: list[Path] = []  # the result that this run finished


def _warn_of_namesake(site: Path) -> None:
    """Says so if the other package of the name kafka-replay is installed beside this one: both have a command
    `kafka-replay` and a package `kafka_replay`, and the one installed last wins.
    """
    if any(site.glob("kafka_replay-*.dist-info")):
        _error_line(
            "kafka-replay: another package named kafka-replay is installed and shares our command and import name; run "
            "`pip uninstall kafka-replay`, then install kafka-incident-replay again, or use the command kafka-incident-replay"
        )


def _stopped(out: Path | None = None) -> int:
    """Report that the run was ended, and what it left."""
    result = out or (_written[0] if _written else None)
    _error_line(
        f"kafka-replay: stopped; {f'the result lies in {shown(str(result))}' if result else 'nothing was written'}"
    )
    return 130


def _error_line(line: str) -> None:
    """A line for the user, whose terminal may be gone."""
    with contextlib.suppress(OSError):
        click.echo(line, err=True)


def _interrupted(*_: object) -> None:
    """A request to end, from `timeout`, a pod, a CI job or a closed terminal, works like ctrl-C.

    Java is ended first: a thread that waits for it would run to the end of its query. Failures that this causes are
    not reported.
    """
    _asked_to_end.set()
    logging.disable(logging.CRITICAL)
    session = sys.modules.get("pipelines.session")
    if session is not None:
        session.end_java()
    raise KeyboardInterrupt


def _print(lines: Iterable[str], *, already_shown: bool = False) -> None:
    """Each line, until all are printed or the pager is closed; `already_shown`: a terminal may print them unescaped."""
    try:
        for line in lines:
            text = line.rstrip("\n")
            _put((text if already_shown else shown(text)) + "\n")
        _put()
    except BrokenPipeError:
        _discard_output()


def _put(text: str | None = None) -> None:
    """Write to standard output, or send it what was written. Raises OutputError if the reader cannot take it."""
    try:
        sys.stdout.flush() if text is None else sys.stdout.write(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        _discard_output()
        raise OutputError(f"standard output cannot be written: {error.strerror}") from error


def _discard_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _failed(error: Exception) -> int:
    message, code = failure(error)
    _error_line(f"kafka-replay: {message}")
    return code
