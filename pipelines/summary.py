"""The terminal's summary: losses first, one line per incident, the worst first, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Any

import pandas as pd
from rich.console import Console
from rich.table import Table

from pipelines.answers.explain_text import text_of
from pipelines.answers.first_facts import confirmed
from pipelines.answers.headlines import headline, is_much
from pipelines.answers.times import Clock, iso
from pipelines.main_job import Outcome
from pipelines.terminal import shown_markup as escape
from replay.knowledge.answer import Answer
from viz import all_clear, limits, shift
from viz.all_clear import names_none
from viz.brief import steps_without_cause
from viz.by_severity import stated_order, worst_first
from viz.frames import rows, tidy
from viz.metric_statements import metric_sentence, metric_statements, unlogged
from viz.overview import UNKNOWN_CAUSE
from viz.phrases import CANNOT_RULE_OUT, began, counted, listed, second, within
from viz.summary import in_order, lost_in_all, unexplained, without_a_cause
from viz.which_offset import as_described
from viz.zones import moved

_COLOURS = {"critical": "bold red", "high": "red", "medium": "yellow", "low": "cyan", "info": "dim"}
_OF_INCIDENT = (
    "incident_id",
    "severity",
    "title",
    "told",
    "is_over",
    "still",
    "broker_ids",
    "lost_committed",
    "lost_offsets_min",
    "lost_offsets_max",
    "lost_uncommitted",
    "contributed_to",
    "next_steps",
)
_MOST_FINDINGS = 10
_MOST_REMARKS = 3
_MOST_MESSAGES = 8
_MOST_LOSSES = 10
_MOST_INCIDENTS = 20


class _InZone(Console):
    """A console that prints the times of texts, which are UTC, with an offset."""

    minutes = 0

    def print(self, *objects: Any, **options: Any) -> None:
        """Print texts, with their times moved."""
        super().print(*(moved(one, self.minutes) if isinstance(one, str) else one for one in objects), **options)


def summary(outcome: Outcome, console: Console, *, verbose: bool = False, here: tzinfo = UTC) -> None:
    """Print the summary of a run; `verbose`: with its findings, the files read, and the time of each step. `here` is
    the zone of the times: its offset at the first of them.
    """
    tables = outcome.tables
    if not console.is_terminal or here is not UTC:
        console = _InZone(width=None if console.is_terminal else 140, highlight=False, file=console.file)
        recorded = tidy(tables["coverage"], "coverage").first_ts.dropna()
        console.minutes = 0 if recorded.empty else Clock(here).minutes(recorded.min())
    findings = rows(tidy(tables["findings"], "findings"))
    incidents = worst_first(rows(tidy(tables["incidents"], "incidents")))
    records = int(tables["coverage"].log_records.sum())
    for sentence in limits.sentences(tables):
        console.print(f"[yellow]{escape(sentence)}[/]", soft_wrap=True)
    if not incidents:
        _without_incident(tables, records, outcome.lines, console)
    else:
        _incidents(tables, incidents, console)
    _first_facts(outcome, console)
    alone = {one.finding_id for one in unexplained(tables)}
    apart = [one for one in findings if one.finding_id in alone or _is_error_apart(one)]
    if incidents and apart:
        console.print("[bold]In no incident[/]")
        _findings(apart, console)
    if verbose:
        for incident in incidents:
            console.print(f"[bold]Findings of {_began(incident)} {escape(incident.title)}[/]")
            _findings([one for one in findings if one.incident_id == incident.incident_id], console)
    lines = outcome.lines
    if lines is not None and (verbose or not incidents or lines.looks_like or lines.is_trouble):
        _lines(lines, console)
    _limits(outcome, console)
    if verbose:
        _arithmetic(outcome, records, console)
    console.print(f"Open [bold]{escape(str(outcome.out / 'report.html'))}[/]", soft_wrap=True)


def as_object(outcome: Outcome) -> dict[str, Any]:
    """The summary as an object for programs, for example a pager: the incidents, the worst first, and the files."""
    incidents = worst_first(rows(tidy(outcome.tables["incidents"], "incidents")))
    return {
        "result": str(outcome.out),
        "report": str(outcome.out / "report.html"),
        "records": int(outcome.tables["coverage"].log_records.sum()),
        "worst_incident": incidents[0].incident_id if incidents else None,
        "incidents": [
            {
                **{name: getattr(incident, name) for name in _OF_INCIDENT},
                "start_ts": iso(incident.start_ts),
                "end_ts": iso(incident.end_ts),
            }
            for incident in incidents
        ],
    }


def _first_facts(outcome: Outcome, console: Console) -> None:
    """Prints whether the analysis confirmed the first facts."""
    evidence = {line for lines in outcome.tables["findings"].evidence for line in lines}
    for line in confirmed(outcome.first_facts, outcome.lines or Answer(""), evidence):
        console.print(escape(line), soft_wrap=True)


def _incidents(tables: Mapping[str, pd.DataFrame], incidents: Sequence[Any], console: Console) -> None:
    """Prints the losses, every incident on a line, and for the worst what happened and what to do next. With many
    incidents only the worst, and how many more there are.
    """
    _losses(incidents, all_clear.statement(tables), all_clear.deletions(tables), console)
    more = len(incidents) - _MOST_INCIDENTS
    if more > 0:
        console.print(escape(shift.summary(tables, incidents)), soft_wrap=True)
    if len(incidents) > 1:
        console.print(f"{stated_order(len(incidents))}:")
    for incident in incidents[:_MOST_INCIDENTS]:
        console.print(_on_a_line(incident), soft_wrap=True)
    if more > 0:
        console.print(f"… and {counted(more, 'more incident')}, none of them worse, in the report.")
    worst = incidents[0]
    console.print()
    begin = f"{_began(worst)}: " if len(incidents) > 1 else ""
    console.print(begin + escape(worst.told or ""), soft_wrap=True)
    for incident in incidents:
        which = _of(incident, incidents)
        if incident.unanswered_offsets:
            unanswered = escape(incident.unanswered)
            console.print(
                f"[yellow]Stored, answered late or never{which}: {unanswered}[/]",
                soft_wrap=True,
            )
        for text in incident.contributed_to or ():
            console.print(f"[yellow]Losses of other incidents{which}: {escape(text)}[/]", soft_wrap=True)
        if incident.still:
            console.print(f"[red]Not over{which}: {escape(listed(incident.still))}[/]", soft_wrap=True)
        for one in metric_statements(tables, incident.incident_id):
            console.print(f"Metrics{which}: {escape(metric_sentence(one))}", soft_wrap=True)
        for text in incident.afterwards:
            console.print(f"Afterwards{which}: {escape(text)}", soft_wrap=True)
    for sentence in unlogged(tables):
        console.print(f"Metrics, at another time: {escape(sentence)}", soft_wrap=True)
    for number, step in enumerate(worst.next_steps, 1):
        console.print(f"{number}. {escape(step)}", soft_wrap=True)
    console.print()


def _losses(incidents: Sequence[Any], clear: str | None, deleted: str, console: Console) -> None:
    """Prints the losses, committed and other records separately; with many incidents only the worst, and how many
    more there are. `clear`: what the result says about losses that it does not name; `deleted`: what was deleted by
    request.
    """
    committed = [incident for incident in incidents if not names_none(incident.lost_committed)]
    uncommitted = [incident for incident in incidents if is_much(incident.acked_possible_max)]
    for incident in committed[:_MOST_LOSSES]:
        console.print(
            f"[bold red]Lost, committed{_of(incident, incidents)}: {escape(incident.lost_committed or '?')}[/]",
            soft_wrap=True,
        )
    _more(committed, "[bold red]", console)
    for incident in uncommitted[:_MOST_LOSSES]:
        text = escape(incident.lost_uncommitted or "?")
        lost = "Lost" if incident.acked_possible_min or text.startswith("unknown") else "Perhaps lost"
        console.print(
            f"[yellow]{lost}, uncommitted (acks=1 or 0 only){_of(incident, incidents)}: {text}[/]", soft_wrap=True
        )
    _more(uncommitted, "[yellow]", console)
    if text := lost_in_all(incidents):
        console.print(escape(text), soft_wrap=True)
    for statement in (None if committed else clear, deleted):
        if statement:
            console.print(escape(statement), soft_wrap=True)


def _more(some: Sequence[Any], colour: str, console: Console) -> None:
    if len(some) > _MOST_LOSSES:
        console.print(f"{colour}… and in {counted(len(some) - _MOST_LOSSES, 'more incident')}, in the report.[/]")


def _of(incident: Any, incidents: Sequence[Any]) -> str:
    """The name of the incident for a line about it, if there are several."""
    return f" (incident that began {_at(incident)})" if len(incidents) > 1 else ""


def _on_a_line(incident: Any) -> str:
    """One incident on a line, in color: when, how severe, what, how long writers were down, whether it is over."""
    line = headline(incident)
    colour = _COLOURS.get(incident.severity or "", "bold")
    return f"{line.when}  [{colour}]{escape(line.severity)}[/]  [bold]{escape(line.title)}[/]{line.rest}"


def _limits(outcome: Outcome, console: Console) -> None:
    """Prints remarks about the files, and what is missing."""
    tables, remarks = outcome.tables, outcome.inputs.remarks
    secrets = int(tables["coverage"].get("secrets_hidden", pd.Series(dtype=int)).sum())
    if secrets:
        console.print(
            f"[dim]{counted(secrets, 'secret')} in these files (passwords, keys) hidden in all that was written.[/]"
        )
    for name, remark in remarks[:_MOST_REMARKS]:
        console.print(f"[dim]Note: {escape(name)} {escape(remark)}.[/]")
    if len(remarks) > _MOST_REMARKS:
        more = counted(len(remarks) - _MOST_REMARKS, "more note")
        console.print(f"[dim]… and {more} on the files, in the report.[/]")
    spots = tables["blind_spots"]
    if len(spots):
        console.print(f"[dim]Not in these files: {escape(_spots(spots))} (report, Coverage and limits).[/]")


def _arithmetic(outcome: Outcome, records: int, console: Console) -> None:
    """Prints what was read, and the time of each step."""
    coverage = outcome.tables["coverage"]
    unmatched, foreign = int(coverage.unmatched.sum()), int(coverage.foreign.sum())
    console.print(
        f"[dim]{counted(records, 'record')} = {records - unmatched:,} recognized + {unmatched:,} not ({foreign:,} of these from loggers outside Kafka); {counted(len(outcome.inputs.set_aside), 'file')} set aside.[/]"
    )
    steps = ", ".join(f"{step[:1].lower()}{step[1:]} {seconds:.0f} s" for step, seconds in outcome.seconds.items())
    console.print(f"[dim]Time: {sum(outcome.seconds.values()):.0f} s ({steps}).[/]")


def _lines(answer: Answer, console: Console) -> None:
    """Prints the meaning of the lines, unless it is only that nothing is wrong."""
    harmless = any(one.lines for one in answer.harmless)  # what several lines settle together
    if not (
        answer.told
        or answer.looks_like
        or answer.together
        or answer.notes
        or answer.unknown
        or answer.consequences
        or harmless
    ):
        return
    console.print("[bold]What the lines mean[/]")
    for line in text_of(answer, _MOST_MESSAGES):
        console.print(escape(line), soft_wrap=True)
    console.print()


def _without_incident(
    tables: Mapping[str, pd.DataFrame], records: int, answer: Answer | None, console: Console
) -> None:
    """The text without an incident; "No fault found" only if nothing else needs to be reported."""
    seen = unexplained(tables)
    if seen:
        _without_cause(tables, records, seen, console)
        return
    errors = [one for one in rows(tidy(tables["findings"], "findings")) if _is_error_apart(one)]
    found = "No fault found" if not errors else "Errors were logged, and no fault of them could be named"
    if answer is not None and answer.is_trouble:
        found = "No incident of the cluster found, but its lines report trouble,"
    elif answer is not None and answer.told and not errors:
        found = "No incident of the cluster found; what the lines below report is transient, or needs more lines,"
    elif answer is not None and answer.unknown and not errors:
        found = "No fault found, but something is warned of that nothing here explains,"
    if unlogged(tables) and not errors:
        found = "No log line shows a fault, but metrics show long waits,"
    described = as_described(tables.get("described_partitions"))
    if described and tables["leader_epochs"].empty:
        console.print(f"[bold]{escape(described)}[/]")
        found = "Whether anything went wrong is unknown: no log line was recognized"
    console.print(f"[bold]{found}[/] in {counted(records, 'record')} of {counted(len(tables['coverage']), 'file')}.")
    _waits_and_losses(tables, console)
    console.print("  This depends on what these files show; the report lists what they do not show.")
    console.print(f"  {CANNOT_RULE_OUT}")
    if errors:
        _findings(errors, console)


def _without_cause(tables: Mapping[str, pd.DataFrame], records: int, seen: Sequence[Any], console: Console) -> None:
    """The text about findings whose cause no line shows, the worst first."""
    style = _COLOURS.get(seen[0].severity or "", "bold")
    console.print(f"[{style}]{escape(without_a_cause(seen[0]))}[/]", soft_wrap=True)
    console.print(
        f"No fault that explains it was found in {counted(records, 'record')} of {counted(len(tables['coverage']), 'file')}."
    )
    _waits_and_losses(tables, console)
    for number, step in enumerate(steps_without_cause(tables, seen), 1):
        console.print(f"{number}. {escape(step)}", soft_wrap=True)
    _findings(seen, console)


def _is_error_apart(finding: Any) -> bool:
    """Whether the finding is about logged errors or changes without a cause, in no incident."""
    return finding.incident_id is None and finding.code == UNKNOWN_CAUSE


def _waits_and_losses(tables: Mapping[str, pd.DataFrame], console: Console) -> None:
    """Prints what metrics and losses say without an incident."""
    for sentence in unlogged(tables):
        console.print(f"  Metrics: {escape(sentence)}", soft_wrap=True)
    for text in filter(None, (all_clear.statement(tables), all_clear.deletions(tables))):
        console.print(f"  {escape(text)}", soft_wrap=True)


def _findings(findings: Sequence[Any], console: Console) -> None:
    """Prints findings by role, severity and time, each with its first line."""
    grid, ranked = Table(box=None, padding=(0, 1), show_header=False), in_order(findings)
    for finding in ranked[:_MOST_FINDINGS]:
        when = f"[dim]{began(finding.began_low, finding.began_high, finding.start_ts)}[/]"
        grid.add_row(
            when,
            f"[{_COLOURS[finding.severity]}]{finding.severity}[/]",
            finding.role.replace("_", " "),
            finding.code,
            escape(finding.title),
            f"[dim]{escape(_first(finding.evidence))}[/]",
        )
    console.print(grid)
    if len(ranked) > _MOST_FINDINGS:
        console.print(f"  … and {counted(len(ranked) - _MOST_FINDINGS, 'more finding')}")


def _spots(spots: pd.DataFrame) -> str:
    """The kinds of blind spots, in words, with the affected nodes."""
    words = {
        "outside_window": "data outside the window",
        "no_file": "any file of {}",
        "gap": "some lines of {}",
        "shared_file": "which lines of a shared file {} wrote",
        "quiet": "what {} did during silence",
        "level_too_high": "role or controller lines of {}",
        "begins_late": "the earlier files of {}",
        "no_copy_of_checkpoints": "checkpoint files of {} from before {}",
        "no_metadata_log": "a dump of the metadata log",
        "condensed": "the time of each of many equal lines of {}",
    }
    parts = []
    for kind, phrase in words.items():
        nodes = sorted({int(node) for node in spots.node_id[(spots.kind == kind) & spots.node_id.notna()]})
        if len(spots[spots.kind == kind]):
            of = f"node{'s' if len(nodes) > 1 else ''} {listed([str(node) for node in nodes]) or '?'}"
            parts.append(phrase.format(of, "their restarts" if len(nodes) > 1 else "its restart"))
    return "; ".join(parts)


def _first(evidence: Sequence[str] | None) -> str:
    return "" if evidence is None or not len(evidence) else str(evidence[0])


def _at(incident: Any) -> str:
    """When it began, as the end of "began": `at 10:00:00`, `between 10:00:00 and 10:00:01`."""
    how, times = within(incident.t0_low, incident.t0_high, incident.start_ts, second)
    return f"{how} {times}"


def _began(incident: Any) -> str:
    return began(incident.t0_low, incident.t0_high, incident.start_ts)
