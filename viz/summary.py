"""The first screen: what happened, when, who, how bad, and the proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from markupsafe import Markup

from viz import frames, overview
from viz import phrases as words
from viz.leader_epochs import UNCLEAN
from viz.markup import Evidence, Line, by, render
from viz.story import ABOVE, LOST, POSSIBLE, UNDETERMINED, between, losses_of, seconds, story
from viz.theme import SEVERITIES
from viz.which_offset import as_described

ROLES = ("root_cause", "contributing", "effect", "benign")
_PROOF_LINES = 3
_STEPS = 12
_ROUTINE = ("low", "info")
UNKNOWN_CAUSE = "F00"
_AT_FIRST = 3  # tiles


@dataclass(frozen=True)
class Tile:
    """One figure of the summary; `level` is `bad`, `warn`, `unknown` or nothing; `weight` says how much it matters, 0
    for not at all.
    """

    label: str
    value: str
    note: str
    level: str = ""
    weight: int = 0


@dataclass(frozen=True)
class Proof:
    """A line, and what it proves."""

    proves: str
    link: str
    line: Line


@dataclass(frozen=True)
class Statement:
    """What can be said of lost records, and the premise it stands on."""

    text: str
    premise: str
    level: str


def chosen(incidents: pd.DataFrame, incident_id: str | None) -> Any | None:
    """The incident asked for, or else the worst one, the earliest of several; None without any. Raises KeyError for
    one that is not there.
    """
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


@dataclass(frozen=True)
class Account:
    """An incident as it is told at its head: its plot, figures, times, steps and proof."""

    incident: Any
    plot: Sequence[str]
    routine: bool
    at_fault: str
    also: str
    when: str
    here: str | None
    tiles: Sequence[Tile]
    more_tiles: Sequence[Tile]
    times: Sequence[tuple[str, str]]
    loss: Statement
    steps: Sequence[Any]
    more_steps: int
    proof: Sequence[Proof]
    settings: Sequence[tuple[str, str]]
    timeline: overview.Overview | None


def account(
    tables: Mapping[str, pd.DataFrame],
    incident: Any,
    evidence: Evidence,
    shown: tuple[pd.Timestamp, pd.Timestamp] | None,
) -> Account:
    """What is told at the head of an incident."""
    every = frames.once(tables, "findings by incident", lambda: by(frames.table(tables, "findings"), "incident_id"))
    own = every.get(incident.incident_id, [])
    root = next((f for f in own if f.finding_id == incident.root_finding_id), next(iter(in_order(own)), None))
    at_fault = sorted({b for f in own if f is root or f.role == "root_cause" for b in f.broker_ids})
    steps = sorted(
        (f for f in own if f.start_ts is not None and f.role != "benign"),
        key=lambda f: (f.start_ts, _role(f.role), f.finding_id),
    ) or ([root] if root else [])
    tiles = harm(incident)
    first = sorted(tiles, key=lambda t: -t.weight)[:_AT_FIRST]
    zones = sorted({c.zone for c in frames.table(tables, "clock_offsets") if c.zone})
    here = [words.local(incident.start_ts, zone) for zone in zones[:1]]
    losses = losses_of(tables, incident)
    return Account(
        incident,
        story(tables, incident, own),
        incident.severity in _ROUTINE,
        words.brokers(at_fault),
        words.brokers({b for f in own if f.role == "contributing" for b in f.broker_ids} - set(at_fault)),
        words.span(incident.start_ts, incident.end_ts),
        f"{here[0]} {zones[0]}" if here and here[0] and len(zones) == 1 else None,
        [t for t in tiles if t in first],
        [t for t in tiles if t not in first],
        times(incident),
        loss_statement(losses, _damaged(tables, own)),
        steps[:_STEPS],
        max(0, len(steps) - _STEPS),
        _proof(own, root, evidence),
        _settings(tables, own, losses),
        overview.of_incident(tables, in_time(own), shown, lambda name: f"#{anchor('finding', name)}"),
    )


def in_time(findings: Sequence[Any]) -> list[Any]:
    """Findings by their begin; what has none comes last."""
    return sorted(findings, key=lambda f: (f.start_ts is None, f.start_ts or 0, f.finding_id))


def _damaged(tables: Mapping[str, pd.DataFrame], findings: Sequence[Any]) -> list[str]:
    """Partitions whose records are damaged in the log of their leader, by the kind of the fault."""
    damaged = set(tables["vertices"].id[tables["vertices"].kind == "records_damaged"])
    return sorted({partition for f in findings if f.finding_id in damaged for partition in f.partitions})


def _proof(findings: Sequence[Any], root: Any | None, evidence: Evidence) -> list[Proof]:
    """The first sign of the root cause, then a line of the worst harm, then of what else began it; each line once."""
    others = sorted(
        (f for f in findings if f is not root and f.role != "benign"),
        key=lambda f: (f.role == "root_cause", rank(f.severity), f.start_ts is None, f.start_ts or 0, f.finding_id),
    )  # harm first
    told: list[Proof] = []
    used: set[str] = set()
    for f in [*([root] if root is not None else []), *others]:
        lines = [line for line in evidence.lines(f.evidence) if line.event_id not in used]
        begin = f.began_high if f.began_high is not None else f.start_ts
        at_it = [line for line in lines if line.ts is not None and begin is not None and line.ts >= begin]
        if not (at_it or lines):
            continue
        line = (at_it or lines)[0]
        sign = ""
        if f.role in ("root_cause", "contributing") and begin is not None and line.ts is not None:
            sign = "first sign" if line.ts == begin else "last line before it" if line.ts < begin else ""
        proves = ": ".join(part for part in (f.title or f.code or f.finding_id, sign or None) if part)
        used.add(line.event_id)
        told.append(Proof(proves, f"#{anchor('finding', f.finding_id)}", line))
        if len(told) == _PROOF_LINES:
            break
    if root is None:
        return told
    begin = root.began_high if root.began_high is not None else root.start_ts
    rest = [line for line in evidence.lines(root.evidence) if line.event_id not in used]
    for line in sorted(rest, key=lambda x: x.ts is not None and begin is not None and x.ts < begin):
        if len(told) == _PROOF_LINES:
            break
        before = line.ts is not None and begin is not None and line.ts < begin
        what = (
            line.tells[0].upper() + line.tells[1:] if line.tells else f"{root.title or root.code}: seen after it began"
        )
        proves = f"{root.title or root.code}: last line before it" if before else what
        told.append(Proof(proves, f"#{anchor('finding', root.finding_id)}", line))
    return told


_MATTERED = {
    "F16": ("unclean.leader.election.enable",),
    "F20": ("min.insync.replicas",),
    "F13": ("replica.lag.time.max.ms",),
    "F05": ("replica.lag.time.max.ms", "min.insync.replicas"),
    "F01": ("zookeeper.session.timeout.ms", "broker.session.timeout.ms"),
    "F04": ("zookeeper.session.timeout.ms", "broker.session.timeout.ms"),
    "F12": ("broker.session.timeout.ms",),
}


def _settings(
    tables: Mapping[str, pd.DataFrame], findings: Sequence[Any], losses: Sequence[Any]
) -> list[tuple[str, str]]:
    """The settings on which this kind of incident depends, as brokers printed them, and topics where they say
    otherwise.
    """
    names = list(dict.fromkeys(name for f in findings for name in _MATTERED.get(f.code or "", ())))
    kraft = (tables["controllers"]["mode"] == "kraft").any()
    zookeeper = (tables["controllers"]["mode"] == "zk").any()
    skipped = {
        *(("zookeeper.session.timeout.ms",) if kraft and not zookeeper else ()),
        *(("broker.session.timeout.ms",) if zookeeper and not kraft else ()),
    }
    brokers, topics = by(frames.table(tables, "settings"), "name"), by(frames.table(tables, "topic_settings"), "name")
    told = []
    for name in names:
        if name in skipped:
            continue
        values = by([s for s in brokers.get(name, []) if s.value is not None], "value")
        of_brokers = [
            value
            if len(values) == 1
            else f"{value} ({words.brokers({s.node_id for s in some if s.node_id is not None})})"
            for value, some in sorted(values.items())
        ]
        by_value = by([t for t in topics.get(name, []) if not (t.topic or "").startswith("__")], "value")
        of_topics = [
            f"{value} for {words.at_most(sorted({t.topic for t in some}), 3)}"
            for value, some in sorted(by_value.items())
            if list(values) != [value]
        ]
        if of_brokers or of_topics:
            told.append((name, "; ".join([*of_brokers, *of_topics])))
    return told


def calm(tables: Mapping[str, pd.DataFrame], said: Mapping[str, Any] | None) -> Markup:
    """Without an incident: what happened that no fault explains, what the lines tell, or that nothing was found, and on what that
    rests.
    """
    findings = frames.table(tables, "findings")
    told = bool(tables["coverage"].matched.sum()) and not tables["leader_epochs"].empty
    unexplained = [f for f in in_order(findings) if f.severity not in _ROUTINE]
    seen = [f for f in in_order(findings) if f.code == UNKNOWN_CAUSE]
    return render(
        "calm.html.j2",
        told=told,
        unexplained=unexplained,
        seen=seen,
        lines_tell=said["summary"] if said is not None and _tells_of_trouble(said) else "",
        rests_on=rests_on(tables),
        findings=len(findings),
        loss=loss_statement(losses_of(tables, None), _damaged(tables, findings)),
        anchor=anchor,
    )


def _tells_of_trouble(said: Mapping[str, Any]) -> bool:
    """Some line tells of more than what passes by itself, or nothing is known of it."""
    return bool(said["unknown"]) or any(told["weight"] != "passing" for told in said["told"])


def summary(
    tables: Mapping[str, pd.DataFrame],
    incident: Any | None,
    evidence: Evidence,
    shown: tuple[pd.Timestamp, pd.Timestamp] | None,
    said: Mapping[str, Any] | None = None,
    *,
    titled: bool = False,
) -> Markup:
    """The summary of the chosen incident, or what a page without any says; `titled` where the page's own title is
    another.
    """
    incidents = frames.table(tables, "incidents")
    if incident is None:
        return calm(tables, said)
    others = sorted(incidents, key=lambda i: (i.start_ts is None, i.start_ts or 0, i.incident_id))
    return render(
        "summary.html.j2",
        a=account(tables, incident, evidence, shown),
        titled=titled,
        others=others if len(others) > 1 else [],
        all_of_them=overview.of_incidents(
            incidents, frames.recorded(tables), lambda name: f"#{anchor('incident', name)}"
        ),
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
        f"; {words.number(incident.leaders_untold)} more whose former leader is not logged"
        if incident.leaders_untold
        else ""
    )
    at_risk = (incident.lost_offsets_min or 0) > 0 or incident.lost_offsets_max is None or incident.lost_offsets_max > 0
    sure = (incident.lost_offsets_min or 0) > 0
    tiles = [
        Tile(
            "Committed offsets lost",
            _between(incident.lost_offsets_min, incident.lost_offsets_max),
            _exactness(incident),
            "bad" if sure else "warn" if at_risk else "",
            100,
        ),
        *_blocked(incident),
        _time(
            "No live leader",
            incident.unserved_min_ms,
            incident.unserved_max_ms,
            80,
            _recorded(incident.leaderless_ms),
        ),
        Tile(
            "Unclean elections",
            words.number(unclean),
            f"of {words.counted(incident.elections or 0, 'election')}{untold}",
            "bad" if unclean else "unknown" if unclean is None else "",
            85 if unclean else 0,
        ),
        _time(
            "Below min.insync.replicas",
            incident.under_min_isr_ms,
            incident.under_min_isr_ms,
            75,
            why="min.insync.replicas is not logged",
        ),
        _time("Only one in-sync replica", incident.single_copy_ms, incident.single_copy_ms, 60),
        _time("Not all replicas in sync", incident.under_replicated_ms, incident.under_replicated_ms, 40),
        Tile(
            "Uncommitted records discarded",
            _up_to(incident.acked_possible_max),
            "offsets; matters to acks=1 and acks=0 only",
            "unknown" if incident.acked_possible_max is None else "warn" if incident.acked_possible_max else "",
            55 if incident.acked_possible_max else 0,
        ),
        Tile(
            "Loss unknown",
            words.number(incident.undetermined),
            "changes of leader or restarts",
            "unknown" if incident.undetermined else "",
            70 if incident.undetermined else 0,
        ),
        Tile(
            "Partitions affected",
            words.number(incident.partitions_affected),
            "changed leader, lost ISR members, had a log cut, or rejected writes",
            weight=20 if incident.partitions_affected else 0,
        ),
    ]
    return [tile for tile in tiles if tile is not None]


def _time(
    label: str,
    low: int | None,
    high: int | None,
    weight: int,
    also: str = "",
    *,
    why: str = "not known from these logs",
) -> Tile:
    """Time summed over partitions."""
    if low is None and high is None:
        return Tile(label, words.UNKNOWN, why)
    note = f"partition-seconds{f'; {also}' if also else ''}"
    return Tile(label, _dashed(low, high), note, "warn" if high else "", weight if high else 0)


def _dashed(low: int | None, high: int | None) -> str:
    return between(low, high).replace(" to ", " – ")


def _recorded(ms: int | None) -> str:
    return "" if ms is None else f"controller recorded {seconds(ms)} s"


def _blocked(incident: Any) -> list[Tile]:
    """Time in which writes were not taken, where it was measured."""
    tiles = []
    for label, low, high, weight in (
        ("Writes blocked, acks=all", incident.blocked_all_min_ms, incident.blocked_all_max_ms, 90),
        ("Writes blocked, acks=1", incident.blocked_one_min_ms, incident.blocked_one_max_ms, 65),
    ):
        if low is not None or high is not None:
            tiles.append(_time(label, low, high, weight))
    return tiles


def _between(low: int | None, high: int | None) -> str:
    if high is None:
        return f"{words.number(low)} or more" if low else words.UNKNOWN
    return words.number(high) if (low or 0) == high else f"{words.number(low or 0)} – {words.number(high)}"


def _exactness(incident: Any) -> str:
    low, high = incident.lost_offsets_min or 0, incident.lost_offsets_max
    if high is None:
        return "no upper bound is known"
    return ("none found; premise below" if low == 0 else "exactly") if low == high else "at least – at most"


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
    told = [("How long", lasted)]
    low, high = incident.t0_low, incident.t0_high
    if low is not None and high is not None and low != high:
        told.append(("Began between", f"{words.clock(low)} and {words.clock(high)} ({_ms(high, low)} apart)"))
    elif high is not None:
        told.append(("Began at" if low is not None else "Began before", words.clock(high)))
    told.append(
        (
            "Detected after",
            "not detected by the controller"
            if incident.time_to_detect_ms is None
            else words.duration(incident.time_to_detect_ms),
        )
    )
    for label, ms in (
        ("All partitions had leaders after", incident.leader_restored_ms),
        ("All ISRs were full after", incident.full_isr_ms),
    ):
        told.append((label, "not within these logs" if ms is None else words.duration(ms)))
    if incident.controller_downtime_ms:
        told.append(("No active controller for", words.duration(incident.controller_downtime_ms)))
    return told


def _ms(later: pd.Timestamp, earlier: pd.Timestamp) -> str:
    return words.duration(words.milliseconds(later, earlier))


def loss_statement(losses: Sequence[Any], damaged: Sequence[str] = ()) -> Statement:
    """What can be said of committed records: never that none is lost without what carries it, nor without those that
    are there and cannot be read.
    """
    told = _of_changes(losses)
    if not damaged:
        return told
    text = f"{told.text} Records of {words.at_most(damaged, 3)} are damaged in the log of their leader: whether another replica holds them whole is not judged here."
    return Statement(text, told.premise, told.level or "warn")


def _of_changes(here: Sequence[Any]) -> Statement:
    """What can be said by the changes of leader and the restarts."""
    above = [x for x in here if x.loss_class == ABOVE and x.verdict in (LOST, POSSIBLE, UNDETERMINED)]
    below = _committed([x for x in here if x.loss_class != ABOVE])
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
        told = f"Whether uncommitted records of {_partitions(open_)} were discarded is not known"
    else:
        also = f", and of {_partitions(open_)} that is not known" if open_ else ""
        told = f"Of what was not committed, {amount} in {_partitions(discarded)} were discarded{also}"
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


_OPEN = ("unknown loss", "unknown losses")
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
        f"{words.counted(int(coverage.log_records.sum()), 'record')} read, {words.number(int(coverage.unmatched.sum()))} of them unrecognized."
    ]
    if told:
        sentences.append(
            f"They tell of {words.span(*told)} UTC, {words.duration(words.milliseconds(told[1], told[0]))}; nothing is said about any time outside."
        )
    if described := as_described(tables["described_partitions"]):
        sentences.append(described)
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
        f"{words.counted(broken, 'invariant broken', 'invariants broken')}, {words.counted(unknown, 'check')} left open for want of evidence."
    )
    return sentences
