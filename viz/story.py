"""The plot of an incident in a few sentences, harm first, from findings, losses and elections."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pandas as pd

from viz import frames
from viz import phrases as words
from viz.leader_epochs import UNCLEAN

LOST, POSSIBLE, UNDETERMINED = "PROVEN_LOSS", "POSSIBLE_LOSS", "UNDETERMINED"
ABOVE = "acked_possible"  # the class of what was not committed
_MOST_TOPICS = 3
_SAME_TIME_MS = 1_000  # a second: less is no order that clocks and logs prove
ROLLING, STOP = "F03", "F02"
_UNCLEAN_SETTING = "unclean.leader.election.enable"


def losses_of(tables: Mapping[str, pd.DataFrame], incident: Any | None) -> list[Any]:
    """The judged losses of an incident: those that its graph names, else those in its time; all of them without an
    incident.
    """
    every = frames.table(tables, "losses")
    if incident is None or len(tables["incidents"]) == 1:
        return every
    named, others = frames.once(tables, "losses by incident", lambda: _by_incident(tables))
    return [*named.get(incident.incident_id, []), *[x for x in others if _within(incident, x.ts)]]


def _by_incident(tables: Mapping[str, pd.DataFrame]) -> tuple[dict[str, list[Any]], list[Any]]:
    """The losses by the incident whose graph names their leader epoch, and those that none names."""
    vertices = frames.table(tables, "vertices")
    whose = {(v.topic, v.partition, v.leader_epoch): v.incident_id for v in vertices if v.topic and v.incident_id}
    named: dict[str, list[Any]] = {}
    others = []
    for loss in frames.table(tables, "losses"):
        owner = whose.get((loss.topic, loss.partition, loss.leader_epoch))
        if owner is None:
            others.append(loss)
        else:
            named.setdefault(owner, []).append(loss)
    return named, others


def _within(incident: Any, ts: pd.Timestamp | None) -> bool:
    return (
        ts is not None
        and incident.start_ts is not None
        and incident.start_ts <= ts
        and (incident.end_ts is None or ts <= incident.end_ts)
    )


def story(tables: Mapping[str, pd.DataFrame], incident: Any, findings: Sequence[Any]) -> list[str]:
    """Two sentences: the harm, then what it began with. `findings` are those of the incident."""
    return [part for part in (_harm(tables, incident), _beginning(tables, incident, findings)) if part]


def _harm(tables: Mapping[str, pd.DataFrame], incident: Any) -> str:
    committed = [x for x in losses_of(tables, incident) if x.loss_class != ABOVE]
    by_verdict = {v: [x for x in committed if x.verdict == v] for v in (LOST, POSSIBLE, UNDETERMINED)}
    proven, possible, unknown = by_verdict.values()
    if proven:
        low, high = _sum(proven, "to_offset_low"), _sum([*proven, *possible], "to_offset_high")
        exact = not unknown and low == high
        amount = f"{'' if exact else 'at least '}{words.counted(low or 0, 'committed offset')}"
        return f"{words.sentence(f'{amount} of {_topics(proven)} {_were(low)} lost{_through(tables, proven)}')}"
    if possible:
        high = _sum(possible, "to_offset_high")
        amount = (
            "committed offsets, how many is unknown,"
            if high is None
            else f"up to {words.number(high)} committed offsets"
        )
        return words.sentence(f"{amount} of {_topics(possible)} may be lost{_through(tables, possible)}")
    if unknown:
        return words.sentence(
            f"whether committed offsets of {_topics(unknown)} were lost cannot be told from these files"
        )
    judged = "no loss of committed offsets was found" if committed else "no change of leader had to be judged for loss"
    return words.sentence(f"{_outage(incident)}; {judged}")


def _outage(incident: Any) -> str:
    """The worst that happened where nothing is lost."""
    partitions = words.counted(incident.partitions_affected or 0, "partition")
    for low, high, what in (
        (
            incident.blocked_all_min_ms,
            incident.blocked_all_max_ms,
            "writes with acks=all were not accepted for {} partition-seconds in all",
        ),
        (
            incident.unserved_min_ms,
            incident.unserved_max_ms,
            "partitions had no live leader for {} partition-seconds in all",
        ),
        (incident.under_min_isr_ms,) * 2 + ("ISRs were below min.insync.replicas for {} partition-seconds in all",),
        (incident.single_copy_ms,) * 2 + ("partitions had one in-sync replica for {} partition-seconds in all",),
    ):
        if high:
            return what.format(between(low, high))
    if incident.elections:
        moved = words.counted(incident.elections, "partition leadership moved", "partition leaderships moved")
        return f"{moved} to another broker"
    return f"{partitions} affected" if incident.partitions_affected else "no partition was affected"


def between(low: float | None, high: float | None) -> str:
    """Milliseconds as seconds, from … to …, or up to …."""
    told = [seconds(ms) for ms in (low or 0, high)]
    return told[0] if told[0] == told[1] else f"{told[0]} to {told[1]}" if low else f"up to {told[1]}"


def seconds(ms: float | None) -> str:
    """Milliseconds as seconds, with no more digits than matter."""
    if ms is None:
        return words.UNKNOWN
    return f"{ms / 1000:,.{0 if ms >= 100_000 or ms == 0 else 1 if ms >= 1_000 else 2}f}"


def _sum(losses: Sequence[Any], end: str) -> int | None:
    sizes = [
        None if None in (getattr(x, end), x.from_offset) else max(0, getattr(x, end) - x.from_offset) for x in losses
    ]
    return None if None in sizes else sum(size or 0 for size in sizes)


def _were(n: int | None) -> str:
    return "was" if n == 1 else "were"


def _topics(losses: Sequence[Any]) -> str:
    named = sorted({x.topic for x in losses if x.topic}, key=lambda topic: words.by_name((topic, 0)))
    if len(named) > _MOST_TOPICS:
        return words.counted(len(named), "topic")
    return words.listed([f"`{topic}`" for topic in named])


def _through(tables: Mapping[str, pd.DataFrame], losses: Sequence[Any]) -> str:
    """Through which unclean elections, and by which setting they were allowed."""
    keys = {(x.topic, x.partition, x.leader_epoch) for x in losses}
    unclean = [
        e
        for e in frames.table(tables, "elections")
        if e.elected_from in UNCLEAN and (e.topic, e.partition, e.leader_epoch) in keys
    ]
    if not unclean:
        return ""
    leaders = {e.new_leader_id for e in unclean if e.new_leader_id is not None}
    when = (
        words.second(min(e.ts for e in unclean if e.ts is not None)) if any(e.ts is not None for e in unclean) else ""
    )
    at = f" at {when}" if when else ""
    return (
        f" when {words.brokers(leaders)} {'was' if len(leaders) == 1 else 'were'} elected uncleanly{at}, "
        f"from outside the ISR{_allowed(tables, {x.topic for x in losses})}"
    )


def _allowed(tables: Mapping[str, pd.DataFrame], topics: Collection[str | None]) -> str:
    told = {
        s.topic: s.value
        for s in frames.table(tables, "topic_settings")
        if s.name == _UNCLEAN_SETTING and s.topic in topics
    }
    if told and set(told.values()) == {"true"} and len(told) == len(topics):
        return f" (`{_UNCLEAN_SETTING}=true`)"
    return ""


def _beginning(tables: Mapping[str, pd.DataFrame], incident: Any, findings: Sequence[Any]) -> str:
    """What it began with; faults of one kind are told together."""
    roots = [f for f in findings if f.role == "root_cause"] or [
        f for f in findings if f.finding_id == incident.root_finding_id
    ]
    roots = sorted(roots, key=lambda f: (f.start_ts is None, f.start_ts or 0, f.finding_id))
    if not roots:
        return ""
    roots = _without_its_parts(roots)
    kind = frames.once(tables, "kind of a vertex", lambda: {v.id: v.kind for v in frames.table(tables, "vertices")})
    groups: dict[tuple[str | None, str | None], list[Any]] = {}
    for f in roots:
        groups.setdefault((f.code, kind.get(f.finding_id)), []).append(f)
    first = groups.pop((roots[0].code, kind.get(roots[0].finding_id)))
    others = [some[0] for some in groups.values()]
    also = [f"{_lowered(f.title or f.code or 'a fault')}{_at(f)}" for f in others[:2]]
    more = f", and {words.counted(len(others) - 2, 'more fault')}" if len(others) > 2 else ""
    told = f"{first[0].title or first[0].code or 'A fault'}{_at(first[0])}{_alike(tables, first)}"
    return words.sentence(told + (f"; besides, {words.listed(also)}{more}" if also else ""))


def _lowered(title: str) -> str:
    """A title in mid-sentence: its first word small, unless it is a name."""
    first, _, rest = title.partition(" ")
    return f"{first.lower() if first.istitle() else first} {rest}".strip()


def _without_its_parts(roots: Sequence[Any]) -> list[Any]:
    """The roots without the single stops of which a rolling restart is made."""
    rolling = [f for f in roots if f.code == ROLLING]

    def is_part(f: Any) -> bool:
        return f.code == STOP and any(
            set(f.broker_ids) <= set(whole.broker_ids) and _overlap(f, whole) for whole in rolling
        )

    return [f for f in roots if not is_part(f)]


def _overlap(one: Any, other: Any) -> bool:
    if one.start_ts is None or other.start_ts is None:
        return True
    return bool(
        (one.end_ts is None or other.start_ts <= one.end_ts) and (other.end_ts is None or one.start_ts <= other.end_ts)
    )


def _at(f: Any) -> str:
    """When a fault began: the second, or between which two where lines leave it open."""
    if f.code == ROLLING and f.start_ts is not None and f.end_ts is not None:
        return f", from {words.second(f.start_ts)} to {words.second(f.end_ts)}"
    low, high = f.began_low, f.began_high if f.began_high is not None else f.start_ts
    if high is None:
        return ""
    if low is None or words.milliseconds(high, low) <= _SAME_TIME_MS:
        return f" at {words.second(high)}"
    return f" between {words.second(low)} and {words.second(high)}"


def _alike(tables: Mapping[str, pd.DataFrame], alike: Sequence[Any]) -> str:
    """Who else had the same fault, and within which time."""
    own = set(alike[0].broker_ids)
    others = list(dict.fromkeys(b for f in alike[1:] for b in f.broker_ids if b not in own))
    if len(alike) == 1:
        return ""
    begins = [f.began_high if f.began_high is not None else f.start_ts for f in alike]
    known = [begin for begin in begins if begin is not None]
    apart = words.milliseconds(max(known), min(known)) if known else 0
    if not others:
        return f", and {words.counted(len(alike) - 1, 'more time', 'more times')}"
    who = "broker" if len(others) == 1 else "brokers"
    whose = f"{who} {words.listed([str(b) for b in others])}"
    every = {s.broker_id for s in frames.table(tables, "broker_sessions") if s.broker_id is not None}
    whole = f": all {len(every)} brokers" if len(every) > 1 and own | set(others) >= every else ""
    if apart < _SAME_TIME_MS:
        return f", and {whose} in the same way at about the same time{whole}"
    return f", and {whose} in the same way within {words.duration(apart)}{whole}"
