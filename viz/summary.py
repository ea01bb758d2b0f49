"""The first screen: what happened, when, to whom, how severe, and the proof."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
from markupsafe import Markup

from viz import frames, overview
from viz import phrases as words
from viz.all_clear import NONE_LOST, basis, deletions, is_ruled_out, names_none
from viz.all_clear import statement as statement_of
from viz.availability import ends_of_waits, ever_blocked, topic_lives
from viz.bounds import first
from viz.by_severity import rank, worst_first
from viz.cluster import nodes_by_role
from viz.leader_epochs import UNCLEAN
from viz.loss_sizes import size_at_most
from viz.markup import Evidence, Line, by, render
from viz.metric_statements import unlogged
from viz.overview import UNKNOWN_CAUSE
from viz.shift import shift
from viz.which_offset import as_described

ROLES = ("root_cause", "contributing", "effect", "benign")
_STEPS = 12
_TOPICS = 6
_FELT_MS = 1_000
_ROUTINE = ("low", "info")
_NOTHING_TO_DO = "Nothing to do"  # the next step of routine work, if no other applies
_LOSSES = "S"  # with which the codes of ways to lose records begin
_AMOUNT = re.compile(r"(At (?:least|most) )?[\d,]+(?:(?: to | and at most )[\d,]+)? (?:record|offset)s?\b")
_OF_ALL = "all partitions"
_OF_USERS = "partitions, without Kafka's own topics"
_AS_RECORDED = "all partitions, by the recorded ISRs, in which a replica may stay for a while after its last fetch"
_AT_THE_MINIMUM = (
    f"{_OF_USERS}, where it is 2 or more; the loss of one more replica would have stopped writes with acks=all"
)
_DATED = "each ISR from the first line that shows it"
BY_LINES, IN_PART, MAYBE, NOT_KNOWN = "proven by lines", "proven in part", "possible", "unknown"
AS_LOGGED = "as far as logged"  # no line shows the contrary
LOST, POSSIBLE, UNDETERMINED = "PROVEN_LOSS", "POSSIBLE_LOSS", "UNDETERMINED"
ABOVE = "acked_possible"  # the class of uncommitted records


@dataclass(frozen=True)
class Tile:
    """One figure of the summary; `level` is `bad`, `warn`, `good`, `unknown` or nothing, `sure` how certain it is, as
    the glossary defines it.
    """

    label: str
    value: str
    note: str
    level: str
    sure: str
    means: str = ""  # what the figure counts, the same for every incident

    @property
    def amount(self) -> str:
        """The amount: the beginning of the value if it is a number of records or offsets, else the whole value."""
        found = _AMOUNT.match(self.value)
        return found[0] if found else self.value

    @property
    def of_what(self) -> str:
        return self.value[len(self.amount) :]


@dataclass(frozen=True)
class Proof:
    """A line, and what it proves."""

    proves: str
    link: str
    line: Line


@dataclass(frozen=True)
class Statement:
    """The statement on lost records, and its premise."""

    text: str
    premise: str
    level: str


def chosen(incidents: pd.DataFrame, incident_id: str | None) -> Any | None:
    """The requested incident, or else the worst one (`worst_first`); None if there are no incidents. Raises KeyError
    for an unknown incident.
    """
    found = frames.rows(incidents)
    if incident_id is not None:
        for incident in found:
            if incident.incident_id == incident_id:
                return incident
        raise KeyError(incident_id)
    return next(iter(worst_first(found)), None)


def lost_in_all(incidents: Sequence[Any]) -> str:
    """What several incidents lost together; empty if at most one lost records, because its own text says that."""
    costly = [i for i in incidents if i.lost_offsets_max != 0 or i.acked_possible_max != 0]
    if len(costly) < 2:
        return ""
    low, high = sum(i.lost_offsets_min or 0 for i in costly), _sum_of(i.lost_offsets_max for i in costly)
    above = _sum_of(i.acked_possible_max for i in costly)
    committed = (
        f"at least {words.number(low)}"
        if high is None
        else words.number(low)
        if low == high
        else f"{words.number(low)} to {words.number(high)}"
    )
    uncommitted = "an unknown number" if above is None else f"at most {words.number(above)}"
    return f"Lost in {len(costly)} incidents together: {committed} committed records, {uncommitted} uncommitted."


def _sum_of(numbers: Iterable[int | None]) -> int | None:
    """The sum; None if one of the numbers is unknown."""
    terms = list(numbers)
    return None if None in terms else sum(number for number in terms if number is not None)


def in_order(findings: Sequence[Any]) -> list[Any]:
    """Findings by role (root causes first), then severity, then time."""
    return sorted(
        findings,
        key=lambda f: (
            frames.place(f.role, ROLES),
            rank(f.severity),
            f.start_ts is None,
            f.start_ts or 0,
            f.finding_id,
        ),
    )


@dataclass(frozen=True)
class Down:
    """How long one topic was unavailable, in wall-clock time."""

    topic: str
    acks_all: str
    acks_one: str
    reads: str
    partitions: str
    level: str
    alike: int = 0  # further topics with the same figures
    ended: Sequence[tuple[str, Sequence[str]]] = ()  # what ended the waits of its partitions, with lines
    ends: str = ""  # the same as markup, with links


@dataclass(frozen=True)
class Account:
    """The head of an incident, from its record."""

    incident: Any
    told: str
    routine: bool
    here: str | None
    first_tiles: Sequence[Tile]
    down: Sequence[Down]
    up: str
    damaged: str
    tiles: Sequence[Tile]
    times: Sequence[tuple[str, str]]
    why: Sequence[str]
    steps: Sequence[Any]
    more_steps: int
    proof: Sequence[Proof]
    settings: Sequence[tuple[str, str]]
    timeline: overview.Overview | None
    lost_in_all: str


def is_routine(incident: Any) -> bool:
    """Whether an incident is routine work."""
    return incident.severity in _ROUTINE and any(step.startswith(_NOTHING_TO_DO) for step in incident.next_steps)


def account(
    tables: Mapping[str, pd.DataFrame],
    incident: Any,
    evidence: Evidence,
    shown: tuple[pd.Timestamp, pd.Timestamp] | None,
) -> Account:
    """The text at the head of an incident."""
    every = frames.once(tables, "findings by incident", lambda: by(frames.table(tables, "findings"), "incident_id"))
    own = every.get(incident.incident_id, [])
    steps = in_time([f for f in own if _begin(f) is not None and (f.role != "benign" or f.severity == "low")])
    zones = sorted({c.zone for c in frames.table(tables, "clock_offsets") if c.zone})
    here = [words.local(incident.start_ts, zone) for zone in zones[:1]]
    damaged = _damaged(tables, own)
    topics_down, up = down(tables, incident)
    topics_down = [replace(one, ends=_linked(one.ended, evidence)) for one in topics_down]
    back = still_held(tables).get(incident.incident_id)
    last_lines = [file.last_ts for file in frames.table(tables, "coverage")]
    return Account(
        incident,
        besides_loss(incident),
        is_routine(incident),
        f"{here[0]} {zones[0]}" if here and here[0] and len(zones) == 1 else None,
        [
            *lost(incident, tables["losses"], deletions(tables)),
            *([back] if back is not None else []),
            over(incident, last_lines),
        ],
        topics_down,
        up,
        _damage(damaged) if damaged else "",
        figures(
            incident,
            is_shared=_overlaps(incident, frames.table(tables, "incidents")),
            since=counted_since(incident, own),
        ),
        times(incident),
        basis_of_losses(incident, tables),
        first(steps, _STEPS).shown,
        first(steps, _STEPS).left_out,
        _proof(tables, incident, evidence),
        mattered(tables, own),
        overview.of_incident(tables, in_time(own), shown, lambda name: f"#{anchor('finding', name)}"),
        lost_in_all(frames.table(tables, "incidents")),
    )


def besides_loss(incident: Any) -> str:
    """What happened, without the sentence on lost records: a tile has it."""
    account, what = incident.told or "", (incident.lost_committed or "").removeprefix("unknown: ")
    for sentence in (words.sentence(f"{start}{what}") for start in ("lost: ", "possibly lost: ", "")):
        if what and account.startswith(f"{sentence} "):
            return str(account[len(sentence) + 1 :])
    return str(account)


def over(incident: Any, last_lines: Iterable[pd.Timestamp | None]) -> Tile:
    """Whether an incident is over, and by when; without a time if the bound is after the last line of all, or if
    preferred leader elections may have kept writers waiting after it.
    """
    label, see = "Over?", "; see Afterwards" if incident.afterwards else ""
    if incident.is_over is None:
        return Tile(label, words.UNKNOWN, f"no line shows it{see}", "unknown", NOT_KNOWN)
    if not incident.is_over:
        return Tile(label, f"No: {words.listed(incident.still)}", f"at the end of the logs{see}", "bad", AS_LOGGED)
    note = f"no symptom remained at the end of the logs{see}"
    last_ts = max((ts for ts in last_lines if ts is not None), default=None)
    ends_late = last_ts is not None and incident.end_ts is not None and incident.end_ts > last_ts
    if ends_late or incident.preferred_elections:
        return Tile(label, "Yes", note, "good", AS_LOGGED)
    return Tile(label, f"Yes, by {words.by_second(incident.end_ts)}", note, "good", BY_LINES)


def why_lost(tables: Mapping[str, pd.DataFrame]) -> Mapping[str | None, list[str]]:
    """The basis of the verdicts on lost records of each incident."""
    reasons: Mapping[str | None, list[str]] = frames.conclusion(
        tables,
        "why lost",
        lambda: {name: why_of_losses(some) for name, some in by(frames.table(tables, "losses"), "incident_id").items()},
    )
    return reasons


def basis_of_losses(incident: Any, tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """The basis of the verdicts on lost records of an incident, and the losses of others that it contributed to."""
    own, elsewhere = why_lost(tables).get(incident.incident_id), list(incident.contributed_to or ())
    if own or elsewhere:
        return [*(own or ()), *elsewhere]
    return why_of_losses([], discarded_elsewhere(incident, tables) or basis(tables))


def discarded_elsewhere(incident: Any, tables: Mapping[str, pd.DataFrame]) -> str:
    """Which copies of lost records brokers discarded that started again in an incident, where the losses count in another one;
    empty without any.
    """
    cut = [
        loss
        for loss in frames.rows(tables["losses"])
        if loss.incident_id not in (None, incident.incident_id)
        and loss.verdict in (LOST, POSSIBLE, UNDETERMINED)
        and loss.cut_ts is not None
        and incident.start_ts <= loss.cut_ts <= (incident.end_ts or loss.cut_ts)
        and set(loss.cut_by or ()) & set(incident.broker_ids)
    ]
    titles = {i.incident_id: i.title for i in frames.rows(tables["incidents"])}
    others = [titles[name] for name in dict.fromkeys(loss.incident_id for loss in cut) if name in titles]
    if not others:
        return ""
    who = {one for loss in cut for one in loss.cut_by or ()} & set(incident.broker_ids)
    names = words.at_most(dict.fromkeys(words.partition(loss.topic, loss.partition) for loss in cut), 4)
    its, it = ("its", "it") if len(who) == 1 else ("their", "they")
    return words.sentence(
        f"{words.brokers(who)} discarded {its} copies of records of {names} when {it} followed other leaders again: this loss counts "
        f"in another incident, {words.listed([f'“{title}”' for title in others])}"
    )


def still_held(tables: Mapping[str, pd.DataFrame]) -> Mapping[str | None, Tile]:
    """For each incident with a loss, whether a replica still held the lost records."""
    tiles: Mapping[str | None, Tile] = frames.conclusion(
        tables,
        "still held",
        lambda: {
            name: tile
            for name, some in by(frames.table(tables, "losses"), "incident_id").items()
            if (tile := recoverable(some, _last_lines(tables))) is not None
        },
    )
    return tiles


def loss_outside_incidents(tables: Mapping[str, pd.DataFrame]) -> Statement:
    """The statement on lost records outside incidents."""
    statement: Statement = frames.conclusion(
        tables,
        "loss told",
        lambda: loss_statement(
            frames.table(tables, "losses"),
            statement_of(tables),
            basis(tables),
            _damaged(tables, frames.table(tables, "findings")),
            deletions(tables),
        ),
    )
    return statement


def lost(incident: Any, losses: pd.DataFrame, deleted: str = "") -> list[Tile]:
    """What was lost by all producers and by producers with acks=1 only; and what was stored although producers
    received no answer.

    `losses` are the verdicts of all incidents; `deleted`: what was deleted by request, in a sentence.
    """
    low, high = incident.lost_offsets_min, incident.lost_offsets_max
    is_none = names_none(incident.lost_committed)
    is_ruled_out = incident.lost_committed == NONE_LOST
    if is_none:
        low, high = 0, 0
    open_ = (
        (losses.incident_id == incident.incident_id) & (losses.verdict == UNDETERMINED) & (losses.loss_class != ABOVE)
    )
    is_undetermined = bool(open_.any()) and not is_none
    unanswered = incident.unanswered_offsets
    return [
        Tile(
            "Lost, committed",
            _as_value(incident.lost_committed),
            deleted.removesuffix("."),
            "bad"
            if low
            else "warn"
            if high is None or high or is_undetermined
            else "good"
            if is_ruled_out
            else "unknown",
            NOT_KNOWN if is_none and not is_ruled_out else _sure(low, high, is_undetermined),
            "records that all in-sync replicas held, whatever acks their producers used; consumers may have read them; the number includes retries",
        ),
        _lost_uncommitted(incident),
        Tile(
            "Stored, answered late or never",
            _as_value(incident.unanswered),
            "",
            "unknown" if unanswered is None or _may_have_waited(incident) else "warn" if unanswered else "good",
            NOT_KNOWN if unanswered is None else MAYBE if unanswered else AS_LOGGED,
            "offsets that leaders stored while writes with acks=all received no answer, and committed later; a record that its producer sent again "
            "counts each time; producers received the answer late, or never if they had given up; consumers can read these records unless they were "
            "lost afterwards; producers with acks=1 received their answers at once",
        ),
    ]


def _lost_uncommitted(incident: Any) -> Tile:
    """What only producers with acks=1 lost. Brokers discarded it; no line shows whether a producer received an acknowledgement."""
    most = incident.acked_possible_max
    has_some = bool(most or incident.contributed_to)
    return Tile(
        "Lost, uncommitted",
        _as_value(incident.lost_uncommitted),
        "",
        "unknown" if most is None else "warn" if has_some else "good",
        NOT_KNOWN if most is None else MAYBE if has_some else AS_LOGGED,
        "records that not all in-sync replicas held; producers with acks=all received no acknowledgement for them",
    )


def _may_have_waited(incident: Any) -> bool:
    """Whether no topic certainly waited, and one may have: then no line would show what its leaders stored meanwhile."""
    waits = incident.down or ()
    return bool(waits) and not any(one["acks_all_low_ms"] for one in waits)


def _as_value(text: str | None) -> str:
    """The text of a loss as the value of a tile; the tile itself says if something is unknown."""
    return words.sentence((text or words.UNKNOWN).removeprefix("unknown: "))[:-1]


def _sure(low: int | None, high: int | None, is_undetermined: bool) -> str:
    """How certain the bounds of a loss are."""
    if low:
        return BY_LINES if low == high and not is_undetermined else IN_PART
    return NOT_KNOWN if high is None or is_undetermined else MAYBE if high else AS_LOGGED


def _last_lines(tables: Mapping[str, pd.DataFrame]) -> Mapping[int, Any]:
    """When each node's last line of Kafka is."""
    last: dict[int, Any] = {}
    for file in frames.table(tables, "coverage"):
        if file.node_id is not None and file.last_ts is not None and file.matched:
            last[file.node_id] = max(file.last_ts, last.get(file.node_id, file.last_ts))
    return last


def recoverable(losses: Iterable[Any], last_lines: Mapping[int, Any]) -> Tile | None:
    """Whether replicas still held lost records when they were last seen; None without a loss."""
    gone = [loss for loss in losses if loss.verdict in (LOST, POSSIBLE)]
    if not gone:
        return None
    holders = sorted({broker_id for loss in gone for broker_id in loss.recoverable_from or ()})
    if not holders:
        cuts = [loss.cut_ts for loss in gone if loss.cut_ts is not None]
        cut = f"replicas had truncated them by {words.by_second(max(cuts))} UTC; " if len(cuts) == len(gone) else ""
        note = f"{cut}a copy of a log directory from before can hold them, and so can the producers"
        return Tile("Recoverable?", "No replica is known to hold them", note, "bad", NOT_KNOWN)
    held = sum(1 for loss in gone if loss.recoverable_from)
    whole = held == len(gone)
    one = len(holders) == 1
    times = words.listed(list(dict.fromkeys(words.second(last_lines[node]) for node in holders if node in last_lines)))
    note = (
        f"as of {'its last line' if one else 'their last lines'}{f', {times} UTC' if times else ''}; save the "
        f"{'end of its log' if one else 'ends of their logs'} before {'it starts or follows' if one else 'they start or follow'} "
        "another leader (kafka-replay collect … --tails), then kafka-replay rescue lists the records"
    )
    value = f"{'From' if whole else f'{held} of {len(gone)} ranges, from'} {words.brokers(holders)}"
    return Tile("Recoverable?", value, note, "good" if whole else "warn", MAYBE)


def down(tables: Mapping[str, pd.DataFrame], incident: Any) -> tuple[Sequence[Down], str]:
    """The topics that were unavailable, the longest first, Kafka's own last; and those that were not."""
    topics = [
        Down(
            one["topic"],
            _stopped(one, "acks_all"),
            _stopped(one, "acks_one"),
            _stopped(one, "reads"),
            _at_least(one, "partitions", words.number(one["partitions"])) if one["partitions"] else "none certain",
            "bad" if one["is_open"] else "warn" if one["acks_all_low_ms"] >= _FELT_MS else "",
            ended=_ended(tables, incident, one["topic"]),
        )
        for one in incident.down
    ]
    topics.sort(key=lambda one: one.topic.startswith("__"))
    others = sorted(
        topic
        for topic in _living(tables, incident) - {one.topic for one in topics} - ever_blocked(tables)
        if not topic.startswith("__")
    )
    part = first(topics if len(topics) <= _TOPICS else _collapsed(topics), _TOPICS)
    up = f"Never down: {words.at_most(others, 6)}." if others else ""
    left_out = len(topics) - sum(1 + one.alike for one in part.shown)
    more = f"{words.counted(left_out, 'more topic')} of {words.number(len(topics))}, down the same time or shorter."
    return part.shown, f"{more} {up}" if part.left_out else up


def _ended(tables: Mapping[str, pd.DataFrame], incident: Any, topic: str) -> Sequence[tuple[str, Sequence[str]]]:
    """What ended the waits of a topic's partitions that began in an incident, how often, and the lines of the first. Waits that
    only faults of other incidents caused are left out, also if they overlap.
    """
    found: dict[str | None, list[Sequence[str]]] = {}
    waits = ends_of_waits(tables).get(topic, ())
    own = incidents_of_faults(tables) if waits else {}
    for start_ts, end_ts, by_what, lines, faults in waits:
        has_begun = incident.end_ts is None or incident.is_over is False or start_ts <= incident.end_ts
        named = {own[fault] for fault in faults if fault in own}
        if named and incident.incident_id not in named:
            continue
        if has_begun and (incident.start_ts is None or end_ts >= incident.start_ts):
            found.setdefault(by_what, []).append(lines)
    most_often = sorted(found.items(), key=lambda one: (one[0] is None, -len(one[1]), one[0] or ""))
    return [(f"{words.end_of_wait(name)} ({words.number(len(some))})", some[0]) for name, some in most_often]


def incidents_of_faults(tables: Mapping[str, pd.DataFrame]) -> Mapping[str, str]:
    """The incident of each fault that is in one."""

    def made() -> Mapping[str, str]:
        findings = tables["findings"].dropna(subset=["finding_id", "incident_id"])
        return dict(zip(findings.finding_id, findings.incident_id, strict=True))

    found: Mapping[str, str] = frames.conclusion(tables, "incidents of faults", made)
    return found


def _linked(ended: Sequence[tuple[str, Sequence[str]]], evidence: Evidence) -> Markup:
    """What ended waits, each with its line."""
    parts = [
        Markup("{} {}").format(text, evidence.proof(lines)) if lines else Markup("{}").format(text)
        for text, lines in ended
    ]
    return Markup(", ").join(parts)


def _stopped(one: Mapping[str, Any], what: str) -> str:
    """How long writes of one kind, or reads, were not possible; with the number of partitions unless it was all of
    them.
    """
    of_each = words.by_partition(one, what)
    bounds = f"{words.waited(one, what)}; {of_each}" if of_each else words.waited(one, what)
    count = one[f"{what}_partitions"]
    if not 0 < count < max(one["partitions"], one.get("may_partitions") or 0):
        return bounds
    counted = words.counted(count, "partition")
    return f"{bounds} ({_at_least(one, f'{what}_partitions', counted) if one[f'{what}_low_ms'] else counted})"


def _at_least(one: Mapping[str, Any], name: str, counted: str) -> str:
    """A number of partitions that were certainly down; others may have been too."""
    may = one.get(name.replace("partitions", "may_partitions")) or 0
    return f"at least {counted}" if may > one[name] else counted


def _collapsed(down: Sequence[Down]) -> list[Down]:
    """Topics with the same figures as one row, named by the first of them."""
    alike = frames.by_key(
        down,
        lambda one: replace(one, topic="__" if one.topic.startswith("__") else "", ended=()),
        lambda one: one.topic,
    )
    ended = {one.topic: one.ended for one in down}
    return [
        replace(one, topic=topics[0], alike=len(topics) - 1, ended=ended[topics[0]]) for one, topics in alike.items()
    ]


def _living(tables: Mapping[str, pd.DataFrame], incident: Any) -> set[str]:
    """The topics that existed at the end of an incident; a topic that was deleted during it is left out."""
    lives = topic_lives(tables)
    if incident.end_ts is not None:
        lives = lives[(lives.start_ts <= incident.end_ts) & (lives.end_ts.isna() | (lives.end_ts > incident.end_ts))]
    return set(map(str, lives.topic))


def _begin(f: Any) -> Any:
    """When a fault had certainly begun; for another finding, when it began."""
    return f.began_high if f.began_high is not None else f.start_ts


def in_time(findings: Sequence[Any]) -> list[Any]:
    """Findings in the order of their beginnings; those without one come last. An effect comes after the first root cause of
    its incident, even if the bounds of the root's beginning reach past the first line of the effect.
    """
    first_roots: dict[str | None, Any] = {}
    for f in findings:
        if f.role == "root_cause" and _begin(f) is not None:
            first_roots[f.incident_id] = min(_begin(f), first_roots.get(f.incident_id, _begin(f)))

    def at(f: Any) -> Any:
        begin = _begin(f)
        return begin if f.role != "effect" or begin is None else max(begin, first_roots.get(f.incident_id, begin))

    return sorted(findings, key=lambda f: (at(f) is None, at(f) or 0, frames.place(f.role, ROLES), f.finding_id))


def _damaged(tables: Mapping[str, pd.DataFrame], findings: Sequence[Any]) -> list[str]:
    """Partitions whose records are damaged in the log of their leader, by the kind of the fault."""

    def ids() -> set[str]:
        return set(tables["vertices"].id[tables["vertices"].kind == "records_damaged"])

    damaged = frames.once(tables, "damaged records", ids)
    return sorted({partition for f in findings if f.finding_id in damaged for partition in f.partitions})


def with_part_in_life(tables: Mapping[str, pd.DataFrame], f: Any, line: Line) -> Line:
    """A line of a finding, marked if it is the last line of a broker before its crash or the first one after it."""
    if f is None or line.node_id is None or line.node_id not in f.broker_ids:
        return line

    def last_lines() -> set[tuple[int, pd.Timestamp]]:
        sessions = tables["broker_sessions"]
        crashed = sessions[(sessions.ended_by == "crash") & sessions.silent_ts.notna()]
        return set(zip(crashed.broker_id.astype(int), crashed.silent_ts, strict=True))

    node, last = line.node_id, frames.once(tables, "last lines", last_lines)
    if (node, line.ts) in last:
        return replace(line, tells=f"The last line of broker {node} before it crashed")
    if words.is_of_an_end(f) and f.ended_low is not None and f.ended_low == f.ended_high == line.ts:
        who = nodes_by_role(tables, [node])
        return replace(line, tells=f"The first line of {who} after its restart")
    return line


def _proof(tables: Mapping[str, pd.DataFrame], incident: Any, evidence: Evidence) -> list[Proof]:
    """The lines that prove the incident, as its record names them: those of the root first, each part in the order of time."""

    def by_id() -> dict[str, Any]:
        return {f.finding_id: f for f in frames.table(tables, "findings")}

    of_id = frames.once(tables, "findings by id", by_id)
    lines = [
        Proof(
            one["proves"] or one["finding_id"],
            f"#{anchor('finding', one['finding_id'])}",
            with_part_in_life(tables, of_id.get(one["finding_id"]), line),
        )
        for one in incident.proof
        for line in evidence.lines([one["event_id"]])
    ]
    root = f"#{anchor('finding', incident.root_finding_id)}"
    return sorted(
        lines,
        key=lambda proof: (proof.link != root, proof.line.ts is None, proof.line.ts or 0, proof.line.event_id),
    )


_LAG, _DROPPED_FOR_LAG = "replica.lag.time.max.ms", "R13"
_SETTINGS_OF_VOTERS = ("controller.quorum.fetch.timeout.ms",)
_SETTINGS_OF_SESSIONS = {"zookeeper.session.timeout.ms", "broker.session.timeout.ms"}


def _settings_of(f: Any, names: Sequence[str]) -> Sequence[str]:
    """The settings on which a finding depends; a node that is only a controller has no broker session."""
    is_of_session = bool(_SETTINGS_OF_SESSIONS.intersection(names))
    return _SETTINGS_OF_VOTERS if is_of_session and (f.title or "").startswith(("Controller ", "Node ")) else names


def _incidents_with_drops_for_lag(tables: Mapping[str, pd.DataFrame]) -> set[str]:
    """The incidents in which leaders waited for followers until they dropped them for lag (R13)."""
    edges, vertices = tables["edges"], tables["vertices"]
    dropped = edges.dst[(edges.relation == _DROPPED_FOR_LAG) & (edges["rank"] == 1)]
    return set(vertices.incident_id[vertices.id.isin(dropped)].dropna())


def mattered(tables: Mapping[str, pd.DataFrame], findings: Sequence[Any]) -> list[tuple[str, str]]:
    """The settings that this kind of incident depends on, as brokers printed them, and the topics that override them."""
    of_code = {code.code: code.settings for code in frames.table(tables, "glossary")}
    lag = frames.once(tables, "incidents with drops for lag", lambda: _incidents_with_drops_for_lag(tables))
    named = [name for f in findings for name in _settings_of(f, of_code.get(f.code or "", ()))]
    names = list(dict.fromkeys([*named, *(_LAG for f in findings if f.incident_id in lag)]))
    kraft = (tables["controllers"]["mode"] == "kraft").any()
    zookeeper = (tables["controllers"]["mode"] == "zk").any()
    skipped = {
        *(("zookeeper.session.timeout.ms",) if kraft and not zookeeper else ()),
        *(("broker.session.timeout.ms",) if zookeeper and not kraft else ()),
    }
    brokers, topics = by(frames.table(tables, "settings"), "name"), by(frames.table(tables, "topic_settings"), "name")
    settings = []
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
            settings.append((name, "; ".join([*of_brokers, *of_topics])))
    return settings


def unexplained(tables: Mapping[str, pd.DataFrame]) -> list[Any]:
    """What went wrong in no incident, because these logs do not show its cause, the worst first."""
    findings = [f for f in frames.table(tables, "findings") if f.severity not in _ROUTINE and f.incident_id is None]
    return sorted(in_order(findings), key=lambda f: rank(f.severity))


def without_a_cause(finding: Any) -> str:
    """The title of a finding, which says that its cause is not logged; a loss that is not decided has none."""
    title = str(finding.title or finding.code)
    is_open = is_of_losses(finding) and finding.severity not in ("critical", "high")
    return title if is_open or "cause" in title else f"{title}, cause not logged"


def is_of_losses(finding: Any) -> bool:
    """Whether the finding states lost, or perhaps lost, records."""
    return str(finding.code).startswith(_LOSSES)


def state_without_incident(tables: Mapping[str, pd.DataFrame], trouble: str = "") -> str:
    """What is known of a result without an incident, as a sentence; `trouble` is what its lines report nevertheless."""
    findings = frames.table(tables, "findings")
    if seen := unexplained(tables):
        return f"{words.ended(seen[0].title or seen[0].code)} These logs do not show why."
    if trouble:
        return f"No incident, but the lines report trouble: {words.ended(trouble)}"
    if of_metrics := unlogged(tables, cited=False):
        return " ".join(of_metrics)
    if not was_rebuilt(tables):
        return "Whether anything went wrong is unknown: no leader epoch of any partition could be rebuilt."
    if any(f.code == UNKNOWN_CAUSE for f in findings):
        return "No incident, but errors were logged whose cause is unknown."
    if not is_ruled_out(tables):
        return "No incident in these logs, which do not rule one out."
    return "No incident was found; what was seen is under Findings." if findings else "No incident was found."


def was_rebuilt(tables: Mapping[str, pd.DataFrame]) -> bool:
    """Whether the leader epochs of any partition are known."""
    return bool(tables["coverage"].matched.sum()) and not tables["leader_epochs"].empty


def calm(tables: Mapping[str, pd.DataFrame], trouble: str, first_screen: Any) -> Markup:
    """Without an incident: the changes that no fault explains, what the lines mean, or that nothing was found, and the
    basis of that.
    """
    findings = frames.table(tables, "findings")
    seen = [f for f in in_order(findings) if f.code == UNKNOWN_CAUSE]
    return render(
        "calm.html.j2",
        first_screen=first_screen,
        told=was_rebuilt(tables),
        unexplained=unexplained(tables),
        seen=seen,
        lines_tell=trouble,
        of_metrics=unlogged(tables),
        rests_on=rests_on(tables),
        findings=len(findings),
        loss=loss_outside_incidents(tables),
        anchor=anchor,
        cannot_rule_out=words.CANNOT_RULE_OUT,
    )


def trouble_of(answer: Mapping[str, Any] | None) -> str:
    """The meaning of lines in a sentence, if any reports more than a transient problem, or is not recognized."""
    is_trouble = answer is not None and (
        answer["unknown"] or any(message["weight"] != "passing" for message in answer["told"])
    )
    return str(answer["summary"]) if answer is not None and is_trouble else ""


def summary(
    tables: Mapping[str, pd.DataFrame],
    incident: Any | None,
    evidence: Evidence,
    shown: tuple[pd.Timestamp, pd.Timestamp] | None,
    trouble: str,
    first_screen: Any,
) -> Markup:
    """The summary of the chosen incident, or of a page without any; `first_screen` is that of `viz.brief`."""
    incidents = frames.table(tables, "incidents")
    if incident is None:
        return calm(tables, trouble, first_screen)
    return render(
        "summary.html.j2",
        a=account(tables, incident, evidence, shown),
        first_screen=first_screen,
        shift=shift(tables, worst_first(incidents), lambda name: f"#{anchor('incident', name)}"),
        anchor=anchor,
    )


def anchor(kind: str, name: str | None) -> str:
    """An anchor on the page that is safe in a link."""
    return f"{kind}-" + "".join(
        c if c.isascii() and c.isalnum() else f"_{ord(c):x}" if c not in "-." else c for c in name or "none"
    )


def _overlaps(incident: Any, incidents: Iterable[Any]) -> bool:
    """Whether another incident lasted at the time of this one; an incident that is not over lasts to the end of the logs."""

    def begins_before_end(one: Any, other: Any) -> bool:
        is_open = other.is_over is False or other.end_ts is None
        return one.start_ts is not None and (is_open or bool(one.start_ts <= other.end_ts))

    return any(
        begins_before_end(one, incident) and begins_before_end(incident, one)
        for one in incidents
        if one.incident_id != incident.incident_id
    )


_OF_ALL_MEMBERS = (
    "Leader changes",
    "Below min.insync.replicas",
    "Only one in-sync replica",
    "Exactly at min.insync.replicas",
    "Not all replicas in sync",
)  # these also count what happened to a member of the incident before its root began


def counted_since(incident: Any, findings: Iterable[Any]) -> str:
    """From when the figures of an incident count, if a finding of it, such as a clean stop, began before its root."""
    begun = [(_begin(f), f.title) for f in findings if _begin(f) is not None and f.title]
    first, title = min(begun, default=(None, ""))
    if first is None or incident.start_ts is None or first >= incident.start_ts:
        return ""
    return f"; counted from {words.clock(first)} ({title}), before this incident began"


def figures(incident: Any, *, is_shared: bool = False, since: str = "") -> list[Tile]:
    """All figures of an incident; those that are zero are left out. `is_shared`: another incident lasted at that time,
    and the sums of both are parts of one time. `since`: from when they count, if earlier than the incident.
    """
    unlogged = (
        f"; {words.number(incident.leaders_untold)} more whose former leader is not logged"
        if incident.leaders_untold
        else ""
    )
    counts = [
        _count("Unclean elections", incident.unclean_elections, "a replica from outside the ISR led", "bad")
        if incident.unclean_elections
        else None,
        _count("Leader changes", incident.elections, f"to another broker{unlogged}")
        if incident.elections or unlogged
        else None,
        _count("Moved to preferred leaders", incident.preferred_elections, "see Afterwards")
        if incident.preferred_elections
        else None,
        _count("Partitions affected", incident.partitions_affected, "changed, or unavailable for writes for a time")
        if incident.partitions_affected
        else None,
        Tile(
            "Loss unknown",
            words.number(incident.undetermined),
            "verdicts that these logs do not decide",
            "unknown",
            NOT_KNOWN,
        )
        if incident.undetermined
        else None,
    ]
    shared = "; another incident overlaps, and each time counts in only one incident" if is_shared else ""
    every = [
        *(tile for tile in counts if tile is not None),
        *(replace(tile, note=f"{tile.note}{shared}") for tile in _sums(incident) if tile is not None),
    ]
    return [replace(tile, note=f"{tile.note}{since}") if tile.label in _OF_ALL_MEMBERS else tile for tile in every]


def _not_shown(incident: Any, *names: str) -> str:
    """That no line shows when some of these times began, or ended; empty if lines show both."""
    begins, ends = (not set(names).isdisjoint(sums or ()) for sums in (incident.undated, incident.unended))
    if begins:
        return f"; no line shows when some of these times began{', nor the end of some' if ends else ''}"
    return "; no line shows the end of some of these times" if ends else ""


_UNSERVED = ("leaderless", "blocked_one")
_SHORT_ISRS = ("under_min_isr", "single_copy", "at_min_isr")


def _sums(incident: Any) -> Iterator[Tile | None]:
    """Times of an incident, summed over partitions."""
    for label, name in (("Writes blocked, acks=all", "blocked_all"), ("Writes blocked, acks=1", "blocked_one")):
        low, high = getattr(incident, f"{name}_min_ms"), getattr(incident, f"{name}_max_ms")
        yield _sum(label, low, high, _not_shown(incident, name), _OF_USERS)
    yield _sum(
        "No working leader",
        incident.unserved_min_ms,
        incident.unserved_max_ms,
        _not_shown(incident, *_UNSERVED),
        is_open=bool(incident.leaders_untold),
    )
    for label, name, of in (
        ("No leader in the metadata", "leaderless", _OF_ALL),
        ("Below min.insync.replicas", "under_min_isr", _OF_ALL),
        ("Only one in-sync replica", "single_copy", _OF_USERS),
    ):
        ms = getattr(incident, f"{name}_ms")
        yield _sum(label, ms, ms, _not_shown(incident, name), of)
    at_min_isr = _not_shown(incident, "at_min_isr")
    yield _by_isrs("Exactly at min.insync.replicas", incident.at_min_isr_ms, at_min_isr, _AT_THE_MINIMUM)
    yield _not_in_sync(incident)


def _count(label: str, number: int, note: str, level: str = "") -> Tile:
    """A number that lines show."""
    return Tile(label, words.number(number), note, level, BY_LINES)


def _sum(
    label: str, low: int | None, high: int | None, not_shown: str, of: str = _OF_ALL, *, is_open: bool = False
) -> Tile | None:
    """Time summed over partitions; without an upper bound if no line shows some begin or end (`not_shown`), or if `is_open`."""
    if not high:
        return None
    is_open = is_open or bool(not_shown)
    text = words.UNKNOWN if is_open and not low else words.bounds(low, None if is_open else high)
    return Tile(label, text, f"summed over {of}{not_shown}", "warn", BY_LINES if low else MAYBE)


def _by_isrs(label: str, ms: int | None, not_shown: str, of: str) -> Tile | None:
    """Time summed over ISRs. No bound: the first line that shows an ISR is later than the ISR by an unknown time."""
    text = f"about {words.duration(ms)}{' or more' if not_shown else ''}"
    return Tile(label, text, f"summed over {of}; {_DATED}{not_shown}", "warn", AS_LOGGED) if ms else None


def _not_in_sync(incident: Any) -> Tile | None:
    """How long partitions lacked an in-sync replica: by their ISRs, and while a full ISR held a broker that was dead, frozen, or cut off."""
    dead_ms, not_shown = incident.dead_in_isr_ms or 0, _not_shown(incident, *_SHORT_ISRS)
    if not dead_ms:
        return _by_isrs("Not all replicas in sync", incident.under_replicated_ms, not_shown, _AS_RECORDED)
    in_all = words.duration((incident.under_replicated_ms or 0) + dead_ms)
    note = f"summed over all partitions, {_DATED}; for at least about {words.duration(dead_ms)} of this the recorded ISR was full, but held a broker that was dead, frozen, or cut off{not_shown}"
    return Tile("Not all replicas in sync", f"about {in_all} or more", note, "warn", AS_LOGGED)


def times(incident: Any) -> list[tuple[str, str]]:
    """When the incident began, was noticed and ended, as pairs of label and text; stages that did not happen are
    left out.
    """
    low, high = incident.t0_low, incident.t0_high
    pairs = []
    if low is not None and high is not None and low != high:
        pairs.append(("Began between", f"{words.clock(low)} and {words.clock(high)}"))
    elif high is not None:
        pairs.append(("Began at" if low is not None else "Began before", words.clock(high)))
    pairs.append(
        (
            "Lasted so far" if incident.is_over is False else "Lasted",
            words.bounds(incident.lasted_low_ms, incident.lasted_high_ms),
        )
    )
    if incident.detected_low_ms or incident.detected_high_ms is not None:
        since = " after its broker went away" if len(incident.broker_ids) > 1 else ""
        bounds = words.bounds(incident.detected_low_ms, incident.detected_high_ms)
        pairs.append(("The first session ended", f"{bounds}{since}" if since else f"after {bounds}"))
    for label, of_low, of_high in (
        ("All partitions had leaders", incident.leaders_low_ms, incident.leaders_high_ms),
        ("All ISRs were full", incident.isr_full_low_ms, incident.isr_full_high_ms),
        ("No active controller", incident.no_controller_low_ms or None, incident.no_controller_high_ms or None),
    ):
        if of_low or of_high is not None:
            lasts = label.startswith("No ")
            pairs.append(
                (label, f"for {words.bounds(of_low, of_high)}" if lasts else _since(incident, of_low, of_high))
            )
    return pairs


def _since(incident: Any, low_ms: Any, high_ms: Any) -> str:
    """How long after the beginning; if faults began one after another, at least after the last and at most after the
    first of them. Only the lower bound if no line shows since when the first of them lasted.
    """
    low, high = incident.t0_low, incident.t0_high
    open_ms = 0 if None in (low, high) else words.milliseconds(high, low)
    if low_ms is None:
        return f"at most {words.no_more_than(high_ms)} after its begin"
    if high_ms is None and len(incident.broker_ids) > 1:  # the first of its faults may have begun any time before
        return f"at least {words.at_least(low_ms)} after the last fault before it began"
    if high_ms is None or high_ms - low_ms <= open_ms + _FELT_MS:
        return f"after {words.bounds(low_ms, high_ms)}"
    return f"at least {words.at_least(low_ms)} after the last fault began, at most {words.no_more_than(high_ms)} after the first"


def why_of_losses(losses: Sequence[Any], otherwise: str = "") -> list[str]:
    """The basis of the verdicts on lost records: how many of each, and the premise of one. `otherwise`: the basis without
    verdicts.
    """
    if not losses:
        return [otherwise]
    reasons = []
    for verdict, some in sorted(by(losses, "verdict").items(), key=lambda kind: str(kind[0])):
        largest = max(some, key=lambda x: (size_at_most(x) or 0, words.partition(x.topic, x.partition)))
        what = _VERDICTS.get(verdict or "", verdict or "not judged")
        reasons.append(
            f"{words.counted(len(some), 'verdict')}: {what}. {'For example, ' if len(some) > 1 else ''}{words.partition(largest.topic, largest.partition)}: {words.ended(largest.premise or 'no premise given')}"
        )
    return reasons


_VERDICTS = {
    LOST: "lost",
    POSSIBLE: "possibly lost",
    UNDETERMINED: "undetermined",
    "NO_LOSS_OBSERVED": "nothing discarded, as the log end offsets show",
    "NO_COMMITTED_LOSS_BY_PROTOCOL": "not lost, because the new leader was elected from the ISR",
}


def loss_statement(
    losses: Sequence[Any], clear: str | None, otherwise: str = "", damaged: Sequence[str] = (), deleted: str = ""
) -> Statement:
    """The statement on lost records outside incidents. Where no row of `losses` is open it is that of the result (`clear`),
    with its basis (`otherwise`). Records that are there but cannot be read are named, and those that
    were deleted by request (`deleted`, a sentence).
    """
    committed, above = (
        by([x for x in losses if (x.loss_class == ABOVE) == is_above], "verdict") for is_above in (False, True)
    )
    proven, doubtful = committed.get(LOST, []), [*committed.get(POSSIBLE, []), *committed.get(UNDETERMINED, [])]
    dropped = [*above.get(POSSIBLE, []), *above.get(UNDETERMINED, [])]
    if proven:
        text, level = f"Committed records of {_partitions(proven)} are lost.", "bad"
    elif doubtful:
        text, level = f"Committed records of {_partitions(doubtful)} may be lost.", "warn"
    else:
        text, level = clear or "Whether records were lost is not known.", ""
    if dropped:
        text += f" In {_partitions(dropped)}, records that not all in-sync replicas held may have been discarded: only producers with acks=1 or acks=0 can miss them."
    if damaged:
        text += f" {_damage(damaged)}"
    if deleted:
        text += f" {deleted}"
    return Statement(text, " ".join(why_of_losses(losses, otherwise)), level or ("warn" if dropped or damaged else ""))


def _damage(damaged: Sequence[str]) -> str:
    return f"Records of {words.at_most(damaged, 3)} are damaged in the log of their leader: whether another replica holds an undamaged copy is not checked here."


def _partitions(losses: Sequence[Any]) -> str:
    return words.counted(len({(x.topic, x.partition) for x in losses}), "partition")


def rests_on(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """The basis of a page that found nothing, as sentences."""
    described = as_described(tables["described_partitions"])
    return [*what_was_read(tables), *([described] if described else []), *rebuilt(tables)]


def what_was_read(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """How many files and records of how many nodes were read, and the time that they cover."""
    coverage, recorded = tables["coverage"], frames.recorded(tables)
    nodes = sorted(coverage.node_id.dropna().unique())
    sentences = [
        f"{words.counted(len(coverage), 'file')} of {words.counted(len(nodes), 'node')}{f' ({words.at_most(map(str, nodes), 12)})' if nodes else ''}, "
        f"{words.counted(int(coverage.log_records.sum()), 'record')} read, {words.number(int(coverage.unmatched.sum()))} of them unrecognized."
    ]
    if recorded:
        sentences.append(
            f"They cover {words.span(*recorded)} UTC, {words.duration(words.milliseconds(recorded[1], recorded[0]))}; this result says nothing about any other time."
        )
    return sentences


def rebuilt(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """How much of the partitions' history was rebuilt, in numbers."""

    def made() -> list[str]:
        epochs, elections, checks = tables["leader_epochs"], tables["elections"], tables["violations"].verdict
        partitions = len(epochs[["topic", "partition"]].drop_duplicates())
        unclean = int(elections.elected_from.isin(UNCLEAN).sum())
        broken, unknown = (int((checks == verdict).sum()) for verdict in ("violated", "unknown"))
        unknown_begins = int(epochs.begun_before.eq(True).sum())
        judged = f"{words.counted(len(elections), 'election')} after creation, {words.number(unclean)} of them unclean."
        if unknown_begins:
            judged = (
                f"{words.number(unknown_begins)} of them had begun before the first line about their partition: how is not logged. "
                + (
                    f"{words.counted(len(elections), 'logged election')}, {words.number(unclean)} of them unclean."
                    if len(elections)
                    else "No election is known with the leader before it."
                )
            )
        return [
            f"{words.counted(len(epochs), 'leader epoch')} of {words.counted(partitions, 'partition')} rebuilt{'; ' if unknown_begins else ', '}{judged}",
            f"{words.counted(int((epochs.leader_id == -1).sum()), 'time')} without a leader, {words.counted(len(tables['truncations']), 'log truncation')}.",
            f"{words.counted(broken, 'invariant violated', 'invariants violated')}, {words.counted(unknown, 'check')} left open for lack of evidence.",
        ]

    sentences: list[str] = frames.conclusion(tables, "rebuilt", made)
    return sentences
