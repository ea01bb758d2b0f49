"""The first screen: what happened, when, who, how bad, and the proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from markupsafe import Markup

from viz import frames
from viz import phrases as words
from viz.leader_epochs import UNCLEAN
from viz.markup import Evidence, by, render
from viz.theme import SEVERITIES

LOST, POSSIBLE, UNDETERMINED = "PROVEN_LOSS", "POSSIBLE_LOSS", "UNDETERMINED"
ROLES = ("root_cause", "contributing", "effect", "benign")
_PROOF_LINES = 5
_STEPS = 8
_MORE_ROOTS = 4  # beside the first, whose summaries stand at the head of the incident
_ROUTINE = ("low", "info")


@dataclass(frozen=True)
class Tile:
    """One figure of the summary; `level` is `bad`, `warn`, `unknown` or nothing."""

    label: str
    value: str
    note: str
    level: str = ""


@dataclass(frozen=True)
class Statement:
    """What can be said of lost records, and the premise it stands on."""

    text: str
    premise: str
    level: str


def chosen(incidents: pd.DataFrame, incident_id: str | None) -> Any | None:
    """The incident asked for, or else the worst one, the earliest of several; None without any. Raises KeyError for one that is not there."""
    found = frames.rows(incidents)
    if incident_id is not None:
        for incident in found:
            if incident.incident_id == incident_id:
                return incident
        raise KeyError(incident_id)
    return min(found, key=lambda i: (rank(i.severity), i.start_ts is None, i.start_ts or 0), default=None)


def rank(severity: str | None) -> int:
    """Place of a severity, 0 for critical."""
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)


def in_order(findings: Sequence[Any]) -> list[Any]:
    """Findings by role (root causes first), then severity, then time."""
    return sorted(
        findings, key=lambda f: (_role(f.role), rank(f.severity), f.start_ts is None, f.start_ts or 0, f.finding_id)
    )


def _role(role: str | None) -> int:
    return ROLES.index(role) if role in ROLES else len(ROLES)


def summary(tables: Mapping[str, pd.DataFrame], incident: Any | None, evidence: Evidence) -> Markup:
    """The summary of the chosen incident; without one, what happened that no fault explains, or that nothing was found, and on what that rests."""
    findings = frames.rows(tables["findings"])
    others = [i for i in frames.rows(tables["incidents"]) if incident is None or i.incident_id != incident.incident_id]
    if incident is None:
        told = bool(tables["coverage"].matched.sum()) and not tables["leader_epochs"].empty
        unexplained = [f for f in in_order(findings) if f.severity not in _ROUTINE]
        return render(
            "calm.html.j2",
            told=told,
            unexplained=unexplained,
            rests_on=rests_on(tables),
            findings=len(findings),
            loss=loss_statement(None, frames.rows(tables["losses"])),
            anchor=anchor,
        )
    own = [f for f in findings if f.incident_id == incident.incident_id]
    root = next((f for f in own if f.finding_id == incident.root_finding_id), next(iter(in_order(own)), None))
    at_fault = sorted({b for f in own if f is root or f.role == "root_cause" for b in f.broker_ids})
    steps = sorted(
        (f for f in own if f.start_ts is not None and f.role != "benign"),
        key=lambda f: (f.start_ts, _role(f.role), f.finding_id),
    ) or ([root] if root else [])
    more_roots = [f for f in in_order(own) if f.role == "root_cause" and f is not root and f.severity not in _ROUTINE]
    others_ = [f for f in own if f is not root and f.role != "benign"]
    worst = sorted(
        others_,
        key=lambda f: (f.role == "root_cause", rank(f.severity), f.start_ts is None, f.start_ts or 0, f.finding_id),
    )  # harm first
    lines = evidence.lines(
        [
            *(root.evidence[:2] if root else ()),
            *[e for f in worst for e in f.evidence[:1]],
            *(root.evidence[2:] if root else ()),
        ]
    )
    return render(
        "summary.html.j2",
        incident=incident,
        root=root,
        more_roots=more_roots[:_MORE_ROOTS],
        roots_left=max(0, len(more_roots) - _MORE_ROOTS),
        at_fault=words.brokers(at_fault),
        also=words.brokers({b for f in own if f.role == "contributing" for b in f.broker_ids} - set(at_fault)),
        routine=incident.severity in _ROUTINE,
        steps=steps[:_STEPS],
        more_steps=max(0, len(steps) - _STEPS),
        tiles=harm(incident),
        times=times(incident),
        loss=loss_statement(incident, frames.rows(tables["losses"]), own),
        proof=lines[:_PROOF_LINES],
        others=sorted(others, key=lambda i: (rank(i.severity), i.start_ts is None, i.start_ts or 0)),
        anchor=anchor,
    )


def anchor(kind: str, name: str | None) -> str:
    """A name for a place of the page that is safe in a link."""
    return f"{kind}-" + "".join(
        c if c.isascii() and c.isalnum() else f"_{ord(c):x}" if c not in "-." else c for c in name or "none"
    )


def harm(incident: Any) -> list[Tile]:
    """How bad it was, in figures; one that is not known says so."""
    unclean = incident.unclean_elections
    untold = (
        f", {words.number(incident.leaders_untold)} more leaders came after one that no line names"
        if incident.leaders_untold
        else ""
    )
    lost = _between(incident.lost_offsets_min, incident.lost_offsets_max)
    at_risk = (incident.lost_offsets_min or 0) > 0 or incident.lost_offsets_max is None or incident.lost_offsets_max > 0
    return [
        Tile(
            "Committed offsets lost",
            lost,
            _exactness(incident),
            "bad" if (incident.lost_offsets_min or 0) > 0 else "warn" if at_risk else "",
        ),
        Tile(
            "Unclean elections",
            words.number(unclean),
            f"of {words.counted(incident.elections or 0, 'election')}{untold}",
            "bad" if unclean else "unknown" if unclean is None else "",
        ),
        Tile(
            "Nobody served",
            *_seconds_between(incident.unserved_min_ms, incident.unserved_max_ms, incident.leaderless_ms),
            "warn" if incident.unserved_max_ms else "",
        ),
        Tile(
            "Under min ISR",
            *_partition_seconds(incident.under_min_isr_ms, "min.insync.replicas not told"),
            "warn" if incident.under_min_isr_ms else "",
        ),
        Tile(
            "Down to one copy", *_partition_seconds(incident.single_copy_ms), "warn" if incident.single_copy_ms else ""
        ),
        Tile(
            "Discarded above the commit point",
            _up_to(incident.acked_possible_max),
            "offsets; acks=1 or acks=0 only",
            "unknown" if incident.acked_possible_max is None else "warn" if incident.acked_possible_max else "",
        ),
        Tile(
            "Loss not decidable",
            words.number(incident.undetermined),
            "changes of leader or restarts",
            "unknown" if incident.undetermined else "",
        ),
        Tile(
            "Partitions affected",
            words.number(incident.partitions_affected),
            "changed leader, lost ISR members, had a log cut or refused writes",
        ),
    ]


def _partition_seconds(ms: int | None, why: str = "") -> tuple[str, str]:
    return (
        (words.UNKNOWN, why)
        if ms is None
        else (f"{ms / 1000:,.{0 if ms >= 100_000 or ms == 0 else 1 if ms >= 1_000 else 2}f}", "partition-seconds")
    )


def _seconds_between(low: int | None, high: int | None, by_record: int | None) -> tuple[str, str]:
    """The time in which partitions had no leader, or a dead one; a controller's record tells only of the first."""
    told = [_partition_seconds(ms)[0] for ms in (low, high)]
    value = told[0] if told[0] == told[1] else f"{told[0]} – {told[1]}"
    return value, "partition-seconds without a live leader" + (
        f"; {_partition_seconds(by_record)[0]} by the controller’s record" if by_record is not None else ""
    )


def _between(low: int | None, high: int | None) -> str:
    if high is None:
        return f"{words.number(low)} or more" if low else words.UNKNOWN
    return words.number(high) if (low or 0) == high else f"{words.number(low or 0)} … {words.number(high)}"


def _exactness(incident: Any) -> str:
    low, high = incident.lost_offsets_min or 0, incident.lost_offsets_max
    if high is None:
        return "no upper bound is known"
    return (
        ("none found; premise below" if low == 0 else "for sure, and no more") if low == high else "for sure … at most"
    )


def _up_to(value: int | None) -> str:
    return words.UNKNOWN if value is None else f"up to {words.number(value)}" if value else "0"


def times(incident: Any) -> list[tuple[str, str]]:
    """When it began, was noticed and ended, as pairs of label and text."""
    lasted = (
        words.UNKNOWN
        if incident.start_ts is None
        else "to the end of the logs"
        if incident.end_ts is None
        else _ms(incident.end_ts, incident.start_ts)
    )
    told = [("When (UTC)", words.span(incident.start_ts, incident.end_ts)), ("How long", lasted)]
    if incident.t0_low is not None and incident.t0_high is not None:
        told.append(
            (
                "Began between",
                f"{words.clock(incident.t0_low)} and {words.clock(incident.t0_high)} ({_ms(incident.t0_high, incident.t0_low)} apart)",
            )
        )
    elif incident.t0_high is not None:
        told.append(("Began before", words.stamp(incident.t0_high)))
    told.append(
        (
            "Detected after",
            "the controller never acted on it"
            if incident.time_to_detect_ms is None
            else words.duration(incident.time_to_detect_ms),
        )
    )
    told.append(
        (
            "Leader everywhere after",
            "not within these logs"
            if incident.leader_restored_ms is None
            else words.duration(incident.leader_restored_ms),
        )
    )
    told.append(
        (
            "Full ISR everywhere after",
            "not within these logs" if incident.full_isr_ms is None else words.duration(incident.full_isr_ms),
        )
    )
    if incident.controller_downtime_ms:
        told.append(("No active controller for", words.duration(incident.controller_downtime_ms)))
    return told


def _ms(later: pd.Timestamp, earlier: pd.Timestamp) -> str:
    return words.duration(words.milliseconds(later, earlier))


def loss_statement(incident: Any | None, losses: Sequence[Any], findings: Sequence[Any] = ()) -> Statement:
    """What can be said of committed records: never that none is lost without what carries it, nor without those that are there and cannot be read."""
    told = _of_changes(incident, losses)
    damaged = sorted(
        {partition for f in findings if f.finding_id.startswith("records_damaged/") for partition in f.partitions}
    )
    if not damaged:
        return told
    text = f"{told.text} Records of {words.at_most(damaged, 3)} are damaged in the log of their leader: whether another replica holds them whole is not judged here."
    return Statement(text, told.premise, told.level or "warn")


def _of_changes(incident: Any | None, losses: Sequence[Any]) -> Statement:
    """What can be said by the changes of leader and the restarts."""
    here = [
        x
        for x in losses
        if incident is not None
        and x.ts is not None
        and incident.start_ts is not None
        and incident.start_ts <= x.ts
        and (incident.end_ts is None or x.ts <= incident.end_ts)
    ] or list(losses)
    above = [x for x in here if x.loss_class == "acked_possible" and x.verdict in (LOST, POSSIBLE, UNDETERMINED)]
    below = _committed([x for x in here if x.loss_class != "acked_possible"])
    if not above:
        return below
    discarded, open_ = [x for x in above if x.verdict != UNDETERMINED], [x for x in above if x.verdict == UNDETERMINED]
    sizes = [_size(x, x.to_offset_high) for x in discarded]
    amount = (
        f"up to {words.number(sum(size or 0 for size in sizes))} offsets"
        if None not in sizes
        else "an unknown number of offsets"
    )
    if not discarded:
        told = f"Whether offsets above the commit point of {_partitions(open_)} were discarded is not known"
    else:
        also = f", and of {_partitions(open_)} that is not known" if open_ else ""
        told = f"Above the commit point {amount} in {_partitions(discarded)} were discarded{also}"
    text = f"{below.text} {told}; only a producer with acks=1 or acks=0 can have been told they were stored."
    return Statement(text, below.premise, below.level or "warn")


def _partitions(losses: Sequence[Any]) -> str:
    return words.counted(len({(x.topic, x.partition) for x in losses}), "partition")


def _committed(committed: Sequence[Any]) -> Statement:
    verdicts = by(committed, "verdict")
    proven, possible, open_ = verdicts.get(LOST, []), verdicts.get(POSSIBLE, []), verdicts.get(UNDETERMINED, [])
    also = [
        words.counted(len(some), *names)
        for some, names in ((possible, ("possible loss", "possible losses")), (open_, _OPEN))
        if some
    ]
    if proven:
        low = sum(_size(x, x.to_offset_low) or 0 for x in proven)
        high = [_size(x, x.to_offset_high) for x in [*proven, *possible]]
        exact = not open_ and None not in high and sum(h or 0 for h in high) == low
        where = _partitions(proven)
        amount = f"{'exactly' if exact else 'at least'} {words.counted(low, 'offset')}"
        text = f"Committed records are lost: {amount} in {where}{f'; and {words.listed(also)}' if also else ''}."
        worst = max(proven, key=lambda x: (_size(x, x.to_offset_low) or 0, words.partition(x.topic, x.partition)))
        return Statement(
            text,
            f"{words.partition(worst.topic, worst.partition)} {words.offsets(worst.from_offset, worst.to_offset_low)}: {_premise(worst)}",
            "bad",
        )
    if possible or open_:
        worst = (possible or open_)[0]
        text = f"No loss of committed records is proven, but it is not ruled out: {words.listed(also)}."
        return Statement(text, f"{words.partition(worst.topic, worst.partition)}: {_premise(worst)}", "warn")
    if not committed:
        return Statement(
            "No change of leader or restart had to be judged for loss of committed records.",
            "this rests on the lines read, not on the data itself",
            "",
        )
    counts = [
        words.counted(len(some), *_PREMISES.get(verdict, (f"as {verdict}", f"as {verdict}")))
        for verdict, some in sorted(verdicts.items(), key=lambda kind: str(kind[0]))
    ]
    judged = words.counted(
        len(committed), "judged change of leader or restart", "judged changes of leader and restarts"
    )
    text = f"No loss of committed records was found in {judged}."
    return Statement(
        text,
        f"{words.listed(counts)}; for instance {words.partition(committed[0].topic, committed[0].partition)}: {_premise(committed[0])}",
        "",
    )


def _premise(loss: Any) -> str:
    return loss.premise or "no premise told"


_OPEN = ("question of loss that cannot be decided", "questions of loss that cannot be decided")
_PREMISES = {
    "NO_LOSS_OBSERVED": (
        "by comparing log ends (nothing was discarded)",
        "by comparing log ends (nothing was discarded)",
    ),
    "NO_COMMITTED_LOSS_BY_PROTOCOL": (
        "by the protocol (a clean election, its premises met)",
        "by the protocol (clean elections, their premises met)",
    ),
}


def _size(loss: Any, to_offset: int | None) -> int | None:
    return None if to_offset is None or loss.from_offset is None else max(0, to_offset - loss.from_offset)


def rests_on(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """What a page that found nothing stands on, as sentences."""
    coverage, told = tables["coverage"], frames.recorded(tables)
    nodes = sorted(coverage.node_id.dropna().unique())
    sentences = [
        f"{words.counted(len(coverage), 'file')} of {words.counted(len(nodes), 'node')}{f' ({words.at_most(map(str, nodes), 12)})' if nodes else ''}, "
        f"{words.counted(int(coverage.log_records.sum()), 'record')} read, {words.number(int(coverage.unmatched.sum()))} of them in a wording not known."
    ]
    if told:
        sentences.append(
            f"They tell of {words.span(*told)} UTC, {words.duration(words.milliseconds(told[1], told[0]))}; nothing is said about any time outside."
        )
    epochs, elections = tables["leader_epochs"], tables["elections"]
    partitions = len(epochs[["topic", "partition"]].drop_duplicates())
    unclean = int(elections.elected_from.isin(UNCLEAN).sum())
    sentences.append(
        f"{words.counted(len(epochs), 'leader epoch')} of {words.counted(partitions, 'partition')} rebuilt, "
        f"{words.counted(len(elections), 'election')} after creation, {words.number(unclean)} of them unclean."
    )
    sentences.append(
        f"{words.counted(int((epochs.leader_id == -1).sum()), 'time')} without a leader, {words.counted(len(tables['truncations']), 'log truncation')}."
    )
    broken, unknown = (int((tables["violations"].verdict == verdict).sum()) for verdict in ("violated", "unknown"))
    sentences.append(
        f"{words.counted(broken, 'invariant broken', 'invariants broken')}, {words.counted(unknown, 'check')} not decidable for want of evidence."
    )
    return sentences
