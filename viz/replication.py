"""Replication as tables of the page: elections step by step, partitions off their preferred leader, leader-epoch
checkpoints and where they diverge, what producers received.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import pandas as pd
from markupsafe import Markup

from viz import frames
from viz import phrases as words
from viz.acks_told import DROPPED, KINDS, ProducerAnswers, answer_spans
from viz.bounds import most
from viz.cluster import METADATA_TOPIC, broker_ids, controller_ids
from viz.ledgers import partitions_cell
from viz.markup import MOST_ROWS, Evidence, Grid, chip, code, columned, grid, keys, noted, when, when_each
from viz.partings import Entry, entries, notation, of_releases, parting, what_it_does
from viz.preferred_leaders import OffPreferred, times_off
from viz.which_offset import described, printed_offsets

_MOST_LOOKED_THROUGH = 4_000  # changes of one partition's checkpoints that are compared
_MOST_OFFSETS = 4  # of the partitions of a row
WHY_TAKEN: Mapping[str, str] = {
    "preferred_and_in_isr": "the preferred replica; it had a session and was in the ISR",
    "in_isr": "the first replica in the assignment that had a session and was in the ISR",
    "in_elr": "no member of the ISR had a session; it was an eligible leader replica (KIP-966): it has all committed records",
    "last_known_leader": "no member of ISR or ELR had a session; it was the last known leader: unclean",
    "any_replica": "it had a session, and was not in the ISR: unclean",
    "state_before_not_known": "the ISR before it is unknown",
}
WHY_NOT: Mapping[str, str] = {
    "being_stopped": "was being stopped",
    "directory_failed": "its log directory had failed",
    "not_alive": "had no session",
    "not_in_isr": "was not in the ISR",
    "later_in_assignment": "is later in the assignment",
    "moved_by_reassignment": "the reassignment removes it",
    "not_known": "reason unknown",
}
_HOW = {
    "leader": "its leader epoch began",
    "cache": "its own line",
    "append": "a record appended by then",
    "file": "checkpoint file",
    "loaded": "entries left it: the broker loaded the log, which ended before them",
    "truncated": "entries left it: the log was truncated",
    "deleted": "entries left it: the log was deleted",
    "log_start": "entries left it: the log start moved",
}
_AT_THE_END = {"append": "a record appended by the end of the logs"}
# A checkpoint file has no time of its own, except in a folder named after its time.
_UNDATED = re.compile(r"^(?!.*\d{8}T\d{6}Z/).*-checkpoint:\d+$")


def failovers(frame: pd.DataFrame, evidence: Evidence) -> Grid:
    """Each change of leader step by step; those with the same members, reasons and second share a row."""
    elections = frames.by_key(frames.rows(frame), lambda row: (row.topic, row.partition, row.leader_epoch, row.ts))
    alike: dict[tuple[object, ...], list[list[Any]]] = defaultdict(list)
    for some in elections.values():
        members = sorted(some, key=lambda r: (r.place is None, r.place or 0, r.broker_id or 0))
        second = frames.second(members[0].ts)
        alike[second, *[(r.broker_id, r.reason, r.place) for r in members]].append(members)
    order = sorted(alike.values(), key=lambda group: (group[0][0].ts is None, group[0][0].ts or 0))
    head = (
        "When (UTC)",
        "Partitions",
        "Replicas, in the order of the assignment",
        "Elected, and why",
        "Start offset, truncated to; learned after",
        "Evidence",
    )
    return grid(
        "Failovers, step by step",
        head,
        [_failover(group, evidence) for group in order[: most(MOST_ROWS)]],
        wide=(3,),
        table="failovers",
        keyed=[
            keys(topics=[m[0].topic for m in group if m[0].topic], brokers=[r.broker_id for r in group[0]])
            for group in order[: most(MOST_ROWS)]
        ],
        count=len(elections),
        hidden=sum(len(group) for group in order[most(MOST_ROWS) :]),
    )


def _failover(group: Sequence[Sequence[Any]], evidence: Evidence) -> Sequence[object]:
    members = group[0]
    taken = next((r for r in members if r.was_taken), None)
    later = [m for m in members if not m.was_taken]
    by_broker = frames.by_key((r for some in group for r in some), lambda row: row.broker_id)
    return (
        when_each(m[0].ts for m in group),
        partitions_cell([(m[0].topic, m[0].partition) for m in group]),
        "; ".join(_state(r) for r in members),
        noted(
            "not known" if taken is None else f"{words.broker(taken.broker_id)}: {WHY_TAKEN.get(taken.reason, '–')}",
            "; ".join(f"{words.broker(r.broker_id)} {WHY_NOT.get(r.reason, '–')}" for r in later),
        ),
        noted(
            "; ".join(_ends(b, rows) for b, rows in by_broker.items() if _ends(b, rows))
            or "no line shows its start offset",
            "; ".join(f"{words.broker(b)} {_delays(rows)}" for b, rows in by_broker.items()),
        ),
        evidence.proof(line for some in group for r in some for line in r.evidence),
    )


def _state(r: Any) -> str:
    alive = "session unknown" if r.is_alive is None else "session" if r.is_alive else "no session"
    isr = "ISR unknown" if r.in_isr is None else "in the ISR" if r.in_isr else "out of the ISR"
    return f"{words.broker(r.broker_id)} ({alive}, {isr})"


def _delays(rows: Sequence[Any]) -> str:
    lags = [r.lag_ms for r in rows if r.lag_ms is not None and r.learnt_ts is not None]
    if not lags:
        return "not known" if any(r.learnt_ts is not None for r in rows) else "no line"
    return words.durations(lags)


def _ends(broker_id: int, rows: Sequence[Any]) -> str:
    """Where a broker led from and what it truncated to: one offset for all partitions, or each beside its partition."""
    in_order = sorted(rows, key=lambda r: words.by_name((r.topic or "", r.partition or 0)))
    led = [(r, r.log_end_offset) for r in in_order if r.was_taken and r.log_end_offset is not None]
    cut = [(r, r.truncation_offset) for r in in_order if not r.was_taken and r.truncation_offset is not None]
    ends = [
        f"{what} {_each_offset(offsets, in_all=len(offsets) == len(rows))}"
        for what, offsets in (("led from", led), ("truncated to", cut))
        if offsets
    ]
    return f"{words.broker(broker_id)} {', '.join(ends)}" if ends else ""


def _each_offset(offsets: Sequence[tuple[Any, int]], *, in_all: bool) -> str:
    """The offset of all rows, or that of each partition with its name."""
    if in_all and len({offset for _, offset in offsets}) == 1:
        return words.plain(offsets[0][1])
    named = [f"{words.plain(offset)} ({words.partition(r.topic, r.partition)})" for r, offset in offsets]
    return words.at_most(named, _MOST_OFFSETS)


def _by(found: bool, moment: Markup) -> Markup:
    """A time, or the first line that shows what had happened before it."""
    return noted("by", moment) if found else moment


def preferred_leaders(times: Sequence[OffPreferred], evidence: Evidence) -> Grid:
    """Partitions that were not led by their preferred replica; similar ones within a second share a row."""
    alike = frames.by_key(
        times,
        lambda t: (
            frames.second(t.start),
            frames.second(t.end),
            t.preferred,
            t.leader_id,
            t.returned,
            t.begun_before,
            t.ended_late,
        ),
    )
    order = sorted(alike.values(), key=lambda some: some[0].start)
    rows = [
        (
            partitions_cell([(t.topic, t.partition) for t in some]),
            words.broker(some[0].preferred),
            "nobody" if some[0].leader_id == -1 else words.broker(some[0].leader_id),
            _by(some[0].begun_before, when_each(t.start for t in some)),
            "to the end of the logs"
            if some[0].end is None
            else _by(some[0].ended_late, when_each(t.end for t in some)),
            some[0].returned or "–",
            evidence.proof(line for t in some for line in t.evidence[:2]),
        )
        for some in order[: most(MOST_ROWS)]
    ]
    return grid(
        "Partitions that were not led by their preferred replica",
        ("Partitions", "Preferred", "Led by", "From (UTC)", "To (UTC)", "How leadership returned", "Evidence"),
        rows,
        table="leader_epochs",
        keyed=[keys(topics=[t.topic for t in some], brokers=(some[0].preferred, some[0].leader_id)) for some in order],
        count=len(times),
        hidden=sum(len(some) for some in order[most(MOST_ROWS) :]),
    )


@dataclass(frozen=True)
class MetadataQuorum:
    """The nodes that keep the metadata log only as controllers, and when its leader epochs began."""

    controllers: Collection[int] = ()
    elected: Mapping[int, pd.Timestamp] = field(default_factory=dict)

    @staticmethod
    def of(tables: Mapping[str, pd.DataFrame]) -> MetadataQuorum:
        tenures = [t for t in frames.table(tables, "controllers") if t.mode == "kraft" and t.start_ts is not None]
        return MetadataQuorum(
            controller_ids(tables) - set(broker_ids(tables)),
            {t.controller_epoch: t.start_ts for t in tenures if not t.begun_before},
        )

    def replica(self, node_id: int) -> str:
        return words.nodes([node_id], (), self.controllers) if node_id in self.controllers else words.broker(node_id)

    def began(self, file: Any) -> object:
        """A lower bound for the last entry of a file without a date: the election of that epoch's leader."""
        last = entries(file.notation)[-1][0] if file.notation else None
        is_metadata = file.topic == METADATA_TOPIC
        if not is_metadata or last is None or last not in self.elected:
            return "not known" if is_metadata else "before the logs begin"
        return noted(when(self.elected[last]), "at the earliest")


def epoch_files(
    files: pd.DataFrame,
    leader_epochs: pd.DataFrame,
    evidence: Evidence,
    node_facts: Sequence[Any] = (),
    quorum: MetadataQuorum | None = None,
    truncations: Sequence[Any] = (),
) -> tuple[Grid, Grid, Grid]:
    """The leader-epoch checkpoints as they are at the end, the known changes of them, and where and when they diverged."""
    every = [row for row in frames.rows(files) if row.topic is not None]
    last = [row for row in every if row.end_ts is None]
    filed = {_replica(row) for row in every if "file" in row.told_by}
    by_itself = {_replica(row) for row in every if _is_by_itself(row)}
    cut = {_replica(one) for one in truncations}
    leads = _leaders_at_end(leader_epochs)
    standing = _in_order(last, leads)
    changes = sorted(every, key=lambda r: (words.by_name((r.topic, r.partition)), r.start_ts is not None, r.start_ts))
    head = ("Partition", "Replica on", "leader-epoch-checkpoint", "Since (UTC)", "Source", "Evidence")
    tables = [
        grid(
            caption,
            head,
            [
                _file(
                    r,
                    leads.get((r.topic, r.partition)) if at_end else None,
                    evidence,
                    quorum or MetadataQuorum(),
                    lacks=_lacks(r, filed, by_itself, () if at_end else cut),
                )
                for r in rows[: most(MOST_ROWS)]
            ],
            wide=(2, 4),
            table="epoch_files",
            keyed=[keys(topic=r.topic, brokers=(r.node_id,)) for r in rows],
            count=len(rows),
            hidden=max(0, len(rows) - most(MOST_ROWS)),
        )
        for caption, rows, at_end in (
            ("Leader-epoch checkpoints at the end of the logs", standing, True),
            ("Changes of the leader-epoch checkpoints that lines or files show", changes, False),
        )
    ]
    return tables[0], tables[1], _parted(every, leader_epochs, node_facts, evidence)


def _leaders_at_end(leader_epochs: pd.DataFrame) -> dict[tuple[str, int], int | None]:
    """The leader of each partition as the logs end."""
    in_order = sorted(frames.rows(leader_epochs), key=lambda e: e.leader_epoch or 0)
    return {(e.topic, e.partition): e.leader_id for e in in_order if e.end_ts is None}


def _in_order(last: Sequence[Any], leads: Mapping[tuple[str, int], int | None]) -> list[Any]:
    """The files of the end, those of partitions with different ones first, and of each partition the leader's first."""
    by_partition = frames.by_key(last, lambda row: (row.topic, row.partition))
    named = sorted(by_partition, key=lambda key: (len({r.notation for r in by_partition[key]}) < 2, words.by_name(key)))
    return [
        row
        for key in named
        for row in sorted(by_partition[key], key=lambda r: (r.node_id != leads.get(key), r.node_id))
    ]


def _replica(file: Any) -> tuple[str, int, int]:
    return file.topic, file.partition, file.node_id


def _is_by_itself(file: Any) -> bool:
    """Whether the file itself or lines of its broker show its entries, and not only records that the broker appended."""
    return bool(set(file.told_by) - {"append"})


def _lacks(file: Any, filed: Collection[Any], by_itself: Collection[Any], cut: Collection[Any] = ()) -> str:
    """A note on entries that the file can have although neither it nor its broker's own lines show them. A file that was read
    at the end does not show what a replica had before its truncations (`cut`).
    """
    if file.start_ts is None and _replica(file) in cut:
        return "other entries, if a truncation removed any, are not known"
    if _replica(file) not in filed and _begins_late(file):
        return "earlier entries are not known"
    return "" if _replica(file) in by_itself else "other entries are not known"


def _begins_late(file: Any) -> bool:
    """Whether its first known entry does not start at offset 0, so earlier ones may be missing here."""
    first = next(iter(entries(file.notation)), None) if file.notation else None
    return first is not None and first[1] > 0


def _file(r: Any, leader_id: int | None, evidence: Evidence, quorum: MetadataQuorum, *, lacks: str) -> Sequence[object]:
    lines = list(r.evidence or ())
    is_undated = (bool(lines) and all(map(_UNDATED.match, lines))) or bool(r.is_earliest and "append" in r.told_by)
    how = _HOW | _AT_THE_END if is_undated else _HOW
    return (
        code(words.partition(r.topic, r.partition)),
        noted(quorum.replica(r.node_id), "leads" if leader_id == r.node_id else ""),
        noted(code(r.notation or "no entries"), lacks),
        noted(when(r.start_ts), _bound(r, is_undated)) if r.start_ts is not None else quorum.began(r),
        ", ".join(how.get(one, one) for one in r.told_by)
        or "no new entry: entries left it, or its first one starts at the new log start",
        evidence.proof(r.evidence),
    )


def _bound(r: Any, is_undated: bool) -> str:
    """What the time of a file bounds: only a line about the entry itself shows when the entry was added."""
    if is_undated or r.is_earliest:
        return "at the earliest"
    return "at the latest" if set(r.told_by) and set(r.told_by) <= {"append", "file"} else ""


@dataclass(frozen=True)
class Parted:
    """A time in which a follower's checkpoint had entries that its leader's did not, while the follower's action
    stayed the same.
    """

    topic: str
    partition: int
    leader_id: int
    node_id: int
    start: pd.Timestamp
    end: pd.Timestamp | None
    offset: int
    own: tuple[Entry, ...]
    leads: tuple[Entry, ...]
    has: tuple[Entry, ...]
    evidence: tuple[str, ...]
    is_undated: bool  # no line shows that the replica had its entries by `start`

    @property
    def kind(self) -> tuple[object, ...]:
        """The values that stay the same during such a time."""
        return self.leader_id, self.own, self.offset, _what_it_does(self.leads, self.has)


# Thousands of partitions have few different files.
_parting, _what_it_does = lru_cache(10_000)(parting), lru_cache(10_000)(what_it_does)


def parted(files: Sequence[Any], epochs: Sequence[Any]) -> list[Parted]:
    """The times of one partition in which a replica's checkpoint had entries that the leader's did not have, in
    order.

    `files` are its rows of `epoch_files`, `epochs` those of `leader_epochs`. A leader of which only other brokers' lines show
    entries can have any others. An entry that only the file at the end shows may have come after the leader had it.
    """
    by_itself = {f.node_id for f in files if _is_by_itself(f)}
    led = [e for e in epochs if e.start_ts is not None and (e.leader_id or 0) >= 0]
    moments = sorted({f.start_ts for f in files if f.start_ts is not None} | {e.start_ts for e in led})
    found: list[Parted] = []
    open_: dict[int, Parted] = {}
    for ts in moments[: most(_MOST_LOOKED_THROUGH)]:
        leader = next((e for e in led if e.start_ts <= ts and (e.end_ts is None or e.end_ts > ts)), None)
        standing = {f.node_id: f for f in files if _holds(f, ts)}
        now: dict[int, Parted] = {}
        if leader is not None and leader.leader_id in by_itself and leader.leader_id in standing:
            ours = _with_earlier(standing[leader.leader_id], leader, files)
            for node_id, file in standing.items():
                has = entries(file.notation)
                part = _parting(ours, has)
                if node_id == leader.leader_id or part.offset is None or not part.own:
                    continue
                now[node_id] = Parted(
                    file.topic,
                    file.partition,
                    leader.leader_id,
                    node_id,
                    ts,
                    None,
                    part.offset,
                    part.own,
                    ours,
                    has,
                    (*file.evidence[:3], *standing[leader.leader_id].evidence[:3]),
                    bool(file.is_earliest),
                )
        for node_id, old in list(open_.items()):
            new = now.get(node_id)
            if new is None or new.kind != old.kind:
                if not old.is_undated:
                    found.append(Parted(**{**old.__dict__, "end": ts}))
                del open_[node_id]
        open_ |= {node_id: new for node_id, new in now.items() if node_id not in open_}
    return sorted([*found, *open_.values()], key=lambda p: (p.start, p.node_id))


def _with_earlier(file: Any, led: Any, files: Sequence[Any]) -> tuple[Entry, ...]:
    """The leader's file, with the entries of earlier leader epochs that only its later lines in this leader epoch show.

    A leader receives no record of an earlier leader epoch, so it had these entries when it began to lead.
    """
    own = (f for f in files if f.node_id == file.node_id and f.start_ts is not None)
    later = (f for f in own if file.start_ts is None or f.start_ts > file.start_ts)
    in_term = (f for f in later if led.end_ts is None or f.start_ts < led.end_ts)
    shown = entries(file.notation)
    earlier = {e for f in in_term for e in entries(f.notation) if e[0] < led.leader_epoch}
    known = {leader_epoch for leader_epoch, _ in shown}
    return tuple(sorted({*shown, *(e for e in earlier if e[0] not in known)}))


def _holds(file: Any, ts: pd.Timestamp) -> bool:
    return (file.start_ts is None or file.start_ts <= ts) and (file.end_ts is None or file.end_ts > ts)


def _parted(files: Sequence[Any], leader_epochs: pd.DataFrame, node_facts: Sequence[Any], evidence: Evidence) -> Grid:
    versions = [f for f in node_facts if f.name == "kafka_version" and f.value]
    releases = frames.by_key(versions, lambda f: f.node_id, lambda f: f.value)
    own_files = frames.by_key(files, lambda f: (f.topic, f.partition))
    epochs = frames.by_key(frames.rows(leader_epochs), lambda e: (e.topic, e.partition))
    changes = max((len(own) + len(epochs.get(key, [])) for key, own in own_files.items()), default=0)
    first_only = f", of the first {words.number(most(_MOST_LOOKED_THROUGH))} changes of each partition"
    found = [p for key in sorted(own_files, key=words.by_name) for p in parted(own_files[key], epochs.get(key, []))]
    columns = {
        "From, to (UTC)": lambda p: words.span(p.start, p.end),
        "Partition": lambda p: code(words.partition(p.topic, p.partition)),
        "Leader's file": lambda p: noted(code(notation(p.leads)), words.broker(p.leader_id)),
        "The other file": lambda p: noted(
            code(notation(p.has)), f"{words.broker(p.node_id)}: no other checkpoint has {notation(p.own)}"
        ),
        "Files differ from offset": lambda p: words.plain(p.offset),
        "What the other replica does as follower": lambda p: of_releases(
            what_it_does(p.leads, p.has), releases.get(p.node_id, ())
        ),
        "Evidence": lambda p: evidence.proof(p.evidence),
    }
    return columned(
        f"Where leader-epoch checkpoints diverge{first_only if changes > most(_MOST_LOOKED_THROUGH) else ''}",
        columns,
        found[: most(MOST_ROWS)],
        numeric=(4,),
        wide=(5,),
        table="epoch_files",
        keyed=[keys(topic=p.topic, brokers=(p.leader_id, p.node_id)) for p in found[: most(MOST_ROWS)]],
        count=len(found),
        hidden=max(0, len(found) - most(MOST_ROWS)),
    )


def acks_told(availability: pd.DataFrame, losses: pd.DataFrame, evidence: Evidence) -> Grid:
    """What producers with acks=0, 1 and all received, except plain acknowledgements of records that stayed, and times of
    which nothing is known.
    """
    held = frames.tidy(availability, "availability").dropna(subset=["topic", "partition", "start_ts"])
    lost = frames.rows(frames.tidy(losses, "losses"))
    every = [s for s in answer_spans(frames.rows(held), lost) if s.was_refused]
    spans = [s for s in every if not s.is_unknown]
    order = sorted(
        _of_one_time(spans), key=lambda some: (some[0].start, words.by_name((some[0].topic, some[0].partition)))
    )
    rows = [
        (
            noted(words.span(*_common_time(some)), _whole_time(some)),
            partitions_cell([(s.topic, s.partition) for s in some]),
            *[noted(chip(*_chip(kind, some[0])), getattr(some[0], kind)) for kind, _ in KINDS],
            evidence.proof(line for s in some for line in s.evidence[:2]),
        )
        for some in order[: most(MOST_ROWS)]
    ]
    return grid(
        "What producers received" + ("" if len(spans) == len(every) else ", where these logs show it"),
        ("From, to (UTC)", "Partitions", "acks=0", "acks=1", "acks=all", "Evidence"),
        rows,
        wide=(2, 3, 4),
        table="availability",
        keyed=[keys(topics=[s.topic for s in some]) for some in order],
        count=len(spans),
        hidden=sum(len(some) for some in order[most(MOST_ROWS) :]),
    )


def _of_one_time(spans: Sequence[ProducerAnswers]) -> Iterator[Sequence[ProducerAnswers]]:
    """The answers that begin and end in the same seconds, together; answers without a common time separately."""
    alike = frames.by_key(spans, lambda s: (frames.second(s.start), frames.second(s.end), s.zero, s.one, s.all))
    for some in alike.values():
        start, end = _common_time(some)
        if end is None or start < end:
            yield some
        else:
            yield from ([span] for span in some)


def _common_time(spans: Sequence[ProducerAnswers]) -> tuple[pd.Timestamp, pd.Timestamp | None]:
    """The time in which the producers of all partitions received this answer."""
    return max(span.start for span in spans), min((span.end for span in spans if span.end is not None), default=None)


def _whole_time(spans: Sequence[ProducerAnswers]) -> str:
    """The part of the times of several partitions that is outside their common time; empty if their times are the
    same.
    """
    start, end = min(span.start for span in spans), max((s.end for s in spans if s.end is not None), default=None)
    if (start, end) == _common_time(spans):
        return ""
    latest = "" if end is None else f", the latest ends at {words.clock(end)}"
    return f"common to all; the earliest begins at {words.clock(start)}{latest}"


def _chip(kind: str, answers: ProducerAnswers) -> tuple[str, str]:
    """The result of a write, and its color: a producer with acks=0 never gets an answer."""
    state = getattr(answers, f"{kind}_state")
    if state == DROPPED:
        return "possibly discarded later", "bad"
    if state not in ("open", "closed"):
        return "not known", "unknown"
    accepted = "written" if kind == "zero" else "accepted"
    return (accepted, "good") if state == "open" else (answers.refusal(kind), "bad")


def sections(tables: Mapping[str, pd.DataFrame], evidence: Evidence) -> Iterator[tuple[Grid, bool]]:
    """The tables of the section, each with whether it is folded; tables without rows are left out."""
    files, changes, partings = epoch_files(
        tables["epoch_files"],
        tables["leader_epochs"],
        evidence,
        frames.table(tables, "node_facts"),
        MetadataQuorum.of(tables),
        frames.table(tables, "truncations"),
    )
    for one, folded in (
        (printed_offsets(tables, evidence), False),
        (failovers(tables["failovers"], evidence), False),
        (preferred_leaders(times_off(tables), evidence), False),
        (acks_told(tables["availability"], tables["losses"], evidence), False),
        (partings, False),
        (files, False),
        (changes, True),
        (described(tables["described_partitions"], evidence), bool(len(tables["leader_epochs"]))),
    ):
        if one.rows:
            yield one, folded
