"""The history of each partition: leaders, ISRs, offsets, truncations and losses in one order of time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from markupsafe import Markup

from viz import frames
from viz import phrases as words
from viz.bounds import first, most
from viz.cluster import METADATA_TOPIC, nodes_by_role
from viz.leader_epochs import UNCLEAN, Absence, absent_brokers
from viz.loss_sizes import around_election, gone_ts
from viz.markup import Evidence, keys, render
from viz.offset_curves import of_topics
from viz.summary import anchor
from viz.topics import topic_harms

_KEY = ["topic", "partition"]
MOST_STORIES = 48
_MOST_STEPS = 40
_MOST_STEPS_IN_ALL = 700  # steps of all histories together


@dataclass(frozen=True)
class Step:
    """One thing that happened to a partition."""

    ts: pd.Timestamp | None
    kind: str
    text: str
    evidence: tuple[str, ...]
    level: str = ""
    verdict: str = ""  # of a loss


@dataclass
class _Events:
    """What happened to a partition, and the number of offsets, which become steps if the page shows the partition."""

    steps: list[Step] = field(default_factory=list)
    offsets: int = 0

    def __len__(self) -> int:
        return len(self.steps) + self.offsets

    @property
    def weight(self) -> int:
        return sum({"bad": 1000, "warn": 100}.get(s.level, 1) for s in self.steps) + self.offsets


@dataclass(frozen=True)
class Story:
    """A partition and its events, in the order of time."""

    name: str
    anchor: str
    keys: str
    internal: bool
    head: str
    steps: Sequence[Step]
    more: int


def stories(tables: Mapping[str, pd.DataFrame], evidence: Evidence) -> tuple[Markup, int]:
    """The histories of the partitions with the most events, Kafka's own topics folded at the end; and how many there
    are.
    """
    offsets = _with_offsets(tables["high_watermarks"])
    events = _events(tables, offsets)
    order = sorted(events, key=lambda key: (-events[key].weight, *words.by_name(key)))
    kept: list[tuple[str, int]] = []
    total = 0
    for key in first(order, MOST_STORIES).shown:
        total += min(len(events[key]), _MOST_STEPS)
        if total > _MOST_STEPS_IN_ALL and kept:
            break
        kept.append(key)
    offsets_of = frames.by_key(frames.rows(of_topics(offsets, kept)), lambda row: (row.topic, row.partition))
    found = [
        _story(key, [*events[key].steps, *(_offsets(row, _replica(tables, row)) for row in offsets_of[key])])
        for key in sorted(kept, key=words.by_name)
    ]
    left_out = max(len(events), frames.partitions(tables, "leader_epochs")[1]) - len(found)
    page = render(
        "partitions.html.j2",
        own=[s for s in found if not s.internal],
        internal=[s for s in found if s.internal],
        evidence=evidence,
        topics=len(topic_harms(tables)),
        more=f"{words.counted(left_out, 'more partition')} with fewer events, not shown here." if left_out else "",
    )
    return page, len(found)


def _story(key: tuple[str, int], steps: list[Step]) -> Story:
    topic, partition = key
    ordered = sorted(steps, key=lambda s: (s.ts is None, s.ts or 0, _ORDER.index(s.kind), s.text))
    ordered = list(_without_repeats(ordered))
    counts = Counter(s.verdict or s.kind for s in ordered)
    head = ", ".join(
        words.counted(counts[kind], *names)
        for kind, names in (
            ("leader", ("leader epoch",)),
            ("ISR", ("ISR",)),
            ("cut", ("truncation",)),
            ("PROVEN_LOSS", ("loss", "losses")),
            ("POSSIBLE_LOSS", ("possible loss", "possible losses")),
            ("UNDETERMINED", ("loss not determined", "losses not determined")),
        )
        if counts[kind]
    )
    # If there are too many steps, the most important ones stay, in order of time.
    chosen = sorted(range(len(ordered)), key=lambda i: (ordered[i].level not in ("bad", "warn"), i))[
        : most(_MOST_STEPS)
    ]
    return Story(
        words.partition(topic, partition),
        anchor("partition", words.partition(topic, partition)),
        keys(topic=topic),
        topic.startswith("__"),
        head,
        [ordered[i] for i in sorted(chosen)],
        len(ordered) - len(chosen),
    )


def _without_repeats(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps, in order, without offsets that the last step of offsets already shows."""
    last = None
    for step in steps:
        if step.kind == "offsets":
            if step.text == last:
                continue
            last = step.text
        yield step


_ORDER = ("leader", "ISR", "offsets", "cut", "loss")


def _with_offsets(high_watermarks: pd.DataFrame) -> pd.DataFrame:
    """The rows with an offset at a known time."""
    known = high_watermarks.dropna(subset=["ts", *_KEY])
    return known[known.high_watermark.notna() | known.log_end_offset.notna()]


def _events(tables: Mapping[str, pd.DataFrame], offsets: pd.DataFrame) -> dict[tuple[str, int], _Events]:
    events: dict[tuple[str, int], _Events] = defaultdict(_Events)
    elected = {
        (e.topic, e.partition, e.leader_epoch): e
        for e in frames.table(tables, "elections")
        if e.leader_epoch is not None
    }
    away = frames.by_key(absent_brokers(tables), lambda absence: absence.broker_id)
    made: tuple[tuple[str, Callable[[Any], Step | None]], ...] = (
        (
            "leader_epochs",
            lambda r: _leader(r, elected.get((r.topic, r.partition, r.leader_epoch)), _was_away(r, away)),
        ),
        ("isr_spans", _isr),
        ("truncations", lambda r: _cut(r, _replica(tables, r))),
        ("losses", _loss),
    )
    for name, steps_of in made:
        for row in frames.table(tables, name):
            step = None if row.topic is None or row.partition is None else steps_of(row)
            if step is not None:
                events[row.topic, row.partition].steps.append(step)
    for (topic, partition), count in offsets.groupby(_KEY).size().items():
        events[topic, int(partition)].offsets = count
    return {key: some for key, some in events.items() if len(some) > 1}


def _was_away(e: Any, away: Mapping[int, Sequence[Absence]]) -> bool:
    """Whether the leader was certainly dead or frozen for the whole leader epoch: only the controller's lines name it."""
    if e.start_ts is None or e.leader_ts is not None or e.epoch_start_offset is not None:
        return False
    return any(
        gone.sure and gone.start <= e.start_ts and (gone.end is None or (e.end_ts is not None and e.end_ts <= gone.end))
        for gone in away.get(e.leader_id, ())
    )


def _leader(e: Any, election: Any | None, was_away: bool = False) -> Step:
    level, how = "", ""
    if e.leader_id == -1:
        level = "warn"
    if election is not None:
        old = election.old_leader_id
        of_other = ", elected" if old is None else f", elected in place of {words.broker(old)}"
        how = ", elected again" if old == e.leader_id else of_other
    if e.elected_from in UNCLEAN:
        level, how = "bad", f"{how}, uncleanly"
    offset = "" if e.epoch_start_offset is None else f", from offset {e.epoch_start_offset}"
    if offset and e.leader_ts is not None and e.leader_ts != e.start_ts:
        offset += f" (as it logged at {words.clock(e.leader_ts)})"
    who = "no leader" if e.leader_id == -1 else f"{words.broker(e.leader_id)} leads"
    if e.begun_before:
        how += "; since when is not logged"
    if was_away and e.begun_before:
        level, who = "warn", f"{words.broker(e.leader_id)}, which was dead or frozen by then, had become the leader"
    elif was_away:
        level, who = "warn", f"the controller names {words.broker(e.leader_id)}, which was dead or frozen, leader"
    return Step(
        e.start_ts, "leader", f"{who} in leader epoch {words.plain(e.leader_epoch)}{offset}{how}", e.evidence, level
    )


def _isr(s: Any) -> Step:
    size, full = len(set(s.isr)), len(set(s.replicas))
    of = f" of {full}" if full else ""
    level = "warn" if size <= 1 < full else ""
    note = (
        f"; {words.counted(s.untold_after, 'later state')} not logged, so it can have ended earlier"
        if s.untold_after
        else ""
    )
    sentence = f"ISR [{', '.join(map(str, sorted(s.isr)))}]: {size}{of} in sync{note}"
    return Step(s.start_ts, "ISR", sentence, s.evidence, level)


def _replica(tables: Mapping[str, pd.DataFrame], row: Any) -> str:
    """The node of a replica: the metadata log has replicas on controllers, too."""
    is_metadata = row.topic == METADATA_TOPIC and row.node_id is not None
    return nodes_by_role(tables, [row.node_id]) if is_metadata else words.broker(row.node_id)


def _offsets(a: Any, who: str) -> Step:
    offsets = [
        f"{name} {value}"
        for name, value in (("high watermark", a.high_watermark), ("log end offset", a.log_end_offset))
        if value is not None
    ]
    return Step(a.ts, "offsets", f"{who}: {', '.join(offsets)}", a.evidence)


def _cut(t: Any, who: str) -> Step:
    below = None not in (t.high_watermark, t.truncation_offset) and t.truncation_offset < t.high_watermark
    begin = "" if t.log_end_offset is None else f" from {words.plain(t.log_end_offset)}"
    if t.log_end_offset is None and t.log_end_offset_low is not None:
        begin = f" from at least {words.plain(t.log_end_offset_low)}"
    sentence = f"{who} truncated its log{begin} to {words.plain(t.truncation_offset)}"
    return Step(
        t.ts, "cut", sentence + (", below its own high watermark" if below else ""), t.evidence, "warn" if below else ""
    )


def _loss(x: Any) -> Step | None:
    if x.verdict not in words.HAPPENED:
        return None
    sentence = words.lost_offsets(x)
    if None not in (x.written_low, x.written_high, x.ts) and x.written_low >= x.ts:
        sentence += f"; written between {words.clock(x.written_low)} and {words.clock(x.written_high)}"
    elif None not in (x.written_high, x.ts) and x.written_high > x.ts:
        sentence += f"; written by {words.clock(x.written_high)}"
    if x.begun_before and gone_ts(x) == x.ts:
        sentence += " by then; since when is not logged"
    if text := around_election(x):
        sentence += f"; {text}"
    level = "bad" if x.verdict == "PROVEN_LOSS" else "warn"
    return Step(gone_ts(x), "loss", sentence, x.evidence, level, x.verdict)
