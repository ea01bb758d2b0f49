"""One screen on the terminal: what happened, when, who, how bad, the proof, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from rich.console import Console
from rich.table import Table

from pipelines.answers.witness_steps import next_witnesses
from pipelines.main_job import Outcome
from pipelines.terminal import shown_markup as escape
from replay.knowledge.answer import Answer
from replay.knowledge.answer_text import text_of
from viz.phrases import counted
from viz.summary import UNKNOWN_CAUSE, rank
from viz.which_offset import as_described

_COLOURS = {"critical": "bold red", "high": "red", "medium": "yellow", "low": "cyan", "info": "dim"}
_MOST_INCIDENTS = 3  # the worst
_MOST_FINDINGS = 10
_MOST_REMARKS = 3
_MOST_MESSAGES = 8


def summary(outcome: Outcome, console: Console) -> None:
    """Print the summary of a run."""
    if not console.is_terminal:
        console = Console(width=140, highlight=False, file=console.file)
    tables = outcome.tables
    findings, incidents, coverage = tables["findings"], tables["incidents"], tables["coverage"]
    records, unmatched = int(coverage.log_records.sum()), int(coverage.unmatched.sum())
    if incidents.empty:
        _without_incident(tables, records, outcome.lines, console)
    for row in (
        incidents.assign(_rank=incidents.severity.map(rank))
        .sort_values(["_rank", "start_ts", "incident_id"])
        .head(_MOST_INCIDENTS)
        .itertuples()
    ):
        _incident(row, findings[findings.incident_id == row.incident_id], console)
    if len(incidents) > _MOST_INCIDENTS:
        console.print(f"… and {counted(len(incidents) - _MOST_INCIDENTS, 'more incident')}, in the report.")
    apart = findings[findings.incident_id.isna() & (findings.code == UNKNOWN_CAUSE)]
    if len(incidents) and len(apart):
        console.print("[bold]In no incident[/]")
        _findings(apart, console)
    if outcome.lines is not None:
        _lines(outcome.lines, console)
    foreign = int(coverage.foreign.sum())
    console.print(
        f"[dim]{counted(records, 'record')} = {records - unmatched:,} understood + {unmatched:,} not ({foreign:,} of these of loggers outside Kafka); {counted(len(outcome.inputs.set_aside), 'file')} set aside.[/]"
    )
    secrets = int(coverage.get("secrets_hidden", pd.Series(dtype=int)).sum())
    if secrets:
        console.print(
            f"[dim]{counted(secrets, 'secret')} in these files (passwords, keys) hidden in all that was written.[/]"
        )
    for name, remark in outcome.inputs.remarks[:_MOST_REMARKS]:
        console.print(f"[dim]Note: {escape(name)} {escape(remark)}.[/]")
    if len(outcome.inputs.remarks) > _MOST_REMARKS:
        console.print(
            f"[dim]… and {counted(len(outcome.inputs.remarks) - _MOST_REMARKS, 'more note')} on the files, in the report.[/]"
        )
    spots = tables["blind_spots"]
    if len(spots):
        console.print(f"[dim]Not in these files: {escape(_spots(spots))} (report, Coverage and limits).[/]")
    for step in list(next_witnesses(findings, coverage))[:_MOST_REMARKS]:
        console.print(f"[dim]{escape(step)}.[/]", soft_wrap=True)
    told = ", ".join(f"{step.lower()} {seconds:.0f} s" for step, seconds in outcome.seconds.items())
    console.print(f"[dim]Time: {sum(outcome.seconds.values()):.0f} s ({told}).[/]")
    console.print(f"Next: open [bold]{escape(str(outcome.out / 'report.html'))}[/]", soft_wrap=True)


def _lines(said: Answer, console: Console) -> None:
    """What the lines say, where they say more than that nothing is wrong."""
    if not (said.told or said.looks_like or said.together or said.notes or said.unknown or said.consequences):
        return
    console.print("[bold]What the lines say[/]")
    for line in text_of(said, _MOST_MESSAGES):
        console.print(escape(line), soft_wrap=True)
    console.print()


def _without_incident(tables: Mapping[str, pd.DataFrame], records: int, said: Answer | None, console: Console) -> None:
    """What is said where there is no incident; "No fault found" only where nothing else is to be told."""
    findings = tables["findings"]
    is_unexplained = ~findings.severity.isin(["low", "info"])
    told = findings[is_unexplained | (findings.code == UNKNOWN_CAUSE)]
    found = "No fault found" if told.empty else "Errors were logged, and no fault of them could be named"
    if said is not None and said.is_trouble:
        found = "No incident of the cluster found, but its lines tell of trouble,"
    elif said is not None and said.unknown and told.empty:
        found = "No incident found, but something is warned of that nothing here explains,"
    if is_unexplained.any():
        found = "Something went wrong, and no fault of it could be named"
    described = as_described(tables.get("described_partitions"))
    if described and tables["leader_epochs"].empty and not is_unexplained.any():
        console.print(f"[bold]{escape(described)}[/]")
        found = "Whether anything went wrong cannot be told: no log was understood"
    console.print(f"[bold]{found}[/] in {counted(records, 'record')} of {counted(len(tables['coverage']), 'file')}.")
    console.print("  That rests on what these files tell; the report says what they cannot.")
    if len(told):
        _findings(told, console)


def _incident(incident: Any, findings: pd.DataFrame, console: Console) -> None:
    colour = _COLOURS.get(incident.severity, "bold")
    console.print(
        f"[{colour}]{escape(incident.severity.upper())}[/]  [bold]{escape(incident.title)}[/]  {_span(incident.start_ts, incident.end_ts)} UTC"
    )
    facts = [
        counted(incident.elections, "change of leader", "changes of leader"),
        f"{counted(incident.leaders_untold, 'leader epoch')} of which no line names the leader before"
        if incident.leaders_untold
        else "",
        f"{incident.unclean_elections} unclean" if incident.unclean_elections else "",
        _spent(incident.blocked_all_min_ms, incident.blocked_all_max_ms, "partition-seconds closed to acks=all"),
        _spent(incident.unserved_min_ms, incident.unserved_max_ms, "partition-seconds without a live leader"),
        counted(incident.partitions_affected, "partition touched", "partitions touched"),
        _lost(incident),
    ]
    console.print("  " + "; ".join(fact for fact in facts if fact))
    _findings(findings, console)


def _spent(least_ms: float, most_ms: float, of: str) -> str:
    """A time with least and most; nothing where none was spent for all that is known."""
    if pd.isna(most_ms) or not most_ms:
        return ""
    low, high = f"{least_ms / 1000:.1f}", f"{most_ms / 1000:.1f}"
    return f"{low if low == high else f'{low} to {high}'} {of}"


def _findings(findings: pd.DataFrame, console: Console) -> None:
    grid = Table(box=None, padding=(0, 1), show_header=False)
    order = {"root_cause": 0, "contributing": 1, "effect": 2, "benign": 3}
    ranked = findings.assign(_role=findings.role.map(order)).sort_values(["_role", "start_ts", "finding_id"])
    for finding in ranked.head(_MOST_FINDINGS).itertuples():
        when = f"[dim]{finding.start_ts:%H:%M:%S}[/]" if pd.notna(finding.start_ts) else ""
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


def _lost(incident: Any) -> str:
    least = 0 if pd.isna(incident.lost_offsets_min) else int(incident.lost_offsets_min)
    most = None if pd.isna(incident.lost_offsets_max) else int(incident.lost_offsets_max)
    if least and most == least:
        return f"{counted(least, 'committed offset')} lost"
    if least or most is None or most:
        if least:
            return f"committed offsets lost: at least {least:,}, {'how many more is unknown' if most is None else f'at most {most:,}'}"
        return (
            "committed offsets may be lost, how many is unknown"
            if most is None
            else f"committed offsets may be lost, at most {most:,}"
        )
    above = None if pd.isna(incident.acked_possible_max) else int(incident.acked_possible_max)
    if above is None or above:
        return (
            "how much was discarded above the commit point is not known"
            if above is None
            else f"above the commit point at most {counted(above, 'offset')} discarded"
        )
    return "nothing discarded was seen" if not incident.undetermined else "losses undetermined"


def _spots(spots: pd.DataFrame) -> str:
    """The kinds of blind spots, in words, with the nodes that they concern."""
    words = {
        "no_file": "any file of node {}",
        "gap": "some lines of node {}",
        "shared_file": "which lines of a shared file node {} wrote",
        "quiet": "what node {} did while it was silent",
        "level_too_high": "role or controller lines of node {}",
        "begins_late": "the earlier files of node {}",
        "no_copy_of_checkpoints": "checkpoint files of node {} from before its restart",
        "no_metadata_log": "a dump of the metadata log",
    }
    told = []
    for kind, phrase in words.items():
        nodes = sorted({int(node) for node in spots.node_id[(spots.kind == kind) & spots.node_id.notna()]})
        if len(spots[spots.kind == kind]):
            told.append(phrase.format(", ".join(map(str, nodes)) or "?"))
    return "; ".join(told)


def _first(evidence: Sequence[str] | None) -> str:
    return "" if evidence is None or not len(evidence) else str(evidence[0])


def _span(start: pd.Timestamp, end: pd.Timestamp) -> str:
    """From … to …, the date said once if it is one."""
    one_day = pd.notna(start) and pd.notna(end) and start.date() == end.date()
    return f"{_time(start)} – {_time(end, date=not one_day)}"


def _time(stamp: pd.Timestamp, date: bool = True) -> str:
    return "?" if pd.isna(stamp) else stamp.strftime("%Y-%m-%d %H:%M:%S" if date else "%H:%M:%S")
