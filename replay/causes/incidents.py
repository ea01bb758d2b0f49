"""Which roots belong to one incident: what hangs together by shared effects or harm. Time decides only for what has
no cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.columns.partitions import partition_name
from replay.columns.times import plus_millis
from replay.facts.order import at_most
from replay.facts.times import first_known, greatest, millis, unix_micros
from replay.facts.times import plus_millis as plus_millis_of
from replay.faults.kinds import ASKED_FOR, ORDERED_STOPS, ROUTINE, is_kind
from replay.sentences.causes import LABELS
from replay.tables.causes import (
    ROOT_SPANS,
    SHARED_HARMS,
    VERTICES,
    AllRootSpan,
    Bond,
    IncidentRoot,
    Reach,
    RootSpan,
    SharedHarm,
)
from replay.tables.faults import Fault
from replay.tables.row import UntypedRow

AT_ONCE_MS = 5_000  # faults that begin this near one another are one incident: what they share is not in these logs
ROLLING_MS = 900_000  # ordered stops of one rolling restart may be this far apart
HARM_AFTER_MS = 5_000  # harm without an end in these logs is taken to last this long, as far as incidents go
BEFORE_MS, AFTER_MS = 5_000, 30_000  # a happening without a known root belongs to an incident that is this near
HARMS = ("isr_shrink", "leaderless", "writes_refused")


def root_spans(faults: Iterable[Fault], reach: Sequence[Reach]) -> list[UntypedRow]:
    """Each fault that nothing else caused, with the time to its end and that of its last effect. Returns
    `ALL_ROOT_SPANS`.
    """
    reached: dict[str, list[UntypedRow]] = {}
    for alike in reach:
        for root in alike.root_ids:
            reached.setdefault(root, []).append(alike)
    return [_span(fault, reached[fault.fault_id]) for fault in faults if fault.fault_id in reached]


def _span(fault: Fault, reached: Sequence[UntypedRow]) -> UntypedRow:
    return AllRootSpan(
        root_id=fault.fault_id,
        code=fault.code,
        kind=fault.kind,
        broker_id=fault.broker_id,
        ts=fault.ts,
        end_ts=greatest(fault.ts, fault.end_ts, *(alike.last_ts for alike in reached)),
        effects=sum(alike.count for alike in reached) - 1,
    )


def bonds(
    root_spans: Sequence[RootSpan], reach: Iterable[Reach], shared_harms: Iterable[SharedHarm], faults: Iterable[Fault]
) -> list[Bond]:
    """Two roots of one incident, and why. Returns `BONDS`."""
    found: dict[tuple[str, str], str] = {}
    for reason, pairs in (
        ("shared_effect", _of_shared_effects(root_spans, reach)),
        ("shared_harm", ((harm.src, harm.dst) for harm in shared_harms)),
        ("at_once", _at_once(root_spans)),
        ("no_quorum", _without_quorum(root_spans, faults)),
        ("rolling", _rolling(root_spans)),
    ):
        for pair in pairs:
            found.setdefault(pair, reason)
    return [Bond(src=src, dst=dst, reason=reason) for (src, dst), reason in found.items()]


def _of_shared_effects(root_spans: Iterable[RootSpan], reach: Iterable[Reach]) -> Iterator[tuple[str, str]]:
    faults = {span.root_id for span in root_spans}
    for alike in reach:
        yield from combinations(sorted(faults.intersection(alike.root_ids)), 2)


def shared_harms(root_spans: DataFrame, happenings: DataFrame, roots: DataFrame) -> DataFrame:
    """Roots whose harm to one partition overlaps in time. Returns `SHARED_HARMS`."""
    harms = happenings.where(F.col("kind").isin(*HARMS) & F.col("topic").isNotNull()).select(
        "id",
        partition_name().alias("name"),
        F.col("ts").alias("from_ts"),
        F.coalesce("end_ts", plus_millis("ts", HARM_AFTER_MS)).alias("to_ts"),
    )
    # What somebody asked for hurts on purpose, and soon: it is bound by shared effects alone.
    faulty = root_spans.where(~is_kind(*ASKED_FOR)).select("root_id")
    of_roots = (
        harms.join(roots.select("id", F.explode("root_ids").alias("root_id")), "id")
        .join(F.broadcast(faulty), "root_id", "left_semi")
        .groupBy("name", F.col("root_id").alias("src"))
        .agg(F.min("from_ts").alias("from_ts"), F.max("to_ts").alias("to_ts"))
    )
    others = of_roots.select(
        "name", F.col("src").alias("dst"), F.col("from_ts").alias("other_from"), F.col("to_ts").alias("other_to")
    )
    overlap = (F.col("from_ts") <= F.col("other_to")) & (F.col("other_from") <= F.col("to_ts"))
    pairs = of_roots.join(others, "name").where((F.col("src") < F.col("dst")) & overlap)
    return SHARED_HARMS.of(pairs.select("src", "dst").distinct())


def _at_once(root_spans: Iterable[RootSpan]) -> Iterator[tuple[str, str]]:
    """Faults that began within `AT_ONCE_MS`."""
    faulty = sorted((span for span in root_spans if span.kind not in ROUTINE), key=lambda span: span.ts)
    for at, span in enumerate(faulty):
        for later in faulty[at + 1 :]:
            if (millis(later.ts, span.ts) or 0) > AT_ONCE_MS:
                break
            yield min(span.root_id, later.root_id), max(span.root_id, later.root_id)


def _without_quorum(root_spans: Sequence[RootSpan], faults: Iterable[Fault]) -> Iterator[tuple[str, str]]:
    """Faults that began while the metadata quorum was lost, or took it away: what befell one could not be answered
    because of the others.
    """
    faulty = sorted((span for span in root_spans if span.kind not in ROUTINE), key=lambda span: span.ts)
    for lost in (fault for fault in faults if fault.kind == "quorum_lost"):
        begin = plus_millis_of(first_known(lost.began_low, lost.ts), -AT_ONCE_MS)
        meanwhile = [
            span for span in faulty if at_most(begin, span.ts) and (lost.end_ts is None or span.ts <= lost.end_ts)
        ]
        for before, later in pairwise(meanwhile):
            yield min(before.root_id, later.root_id), max(before.root_id, later.root_id)


def _rolling(root_spans: Iterable[RootSpan]) -> Iterator[tuple[str, str]]:
    """Ordered stops, each with the one before it. A rolling restart takes each broker once: who is stopped again is
    stopped anew.
    """
    stops = sorted(
        (span for span in root_spans if span.kind in ORDERED_STOPS), key=lambda span: (span.ts, span.root_id)
    )
    taken: set[int] = set()
    for before, stop in pairwise(stops):
        taken.add(before.broker_id)
        if stop.broker_id in taken or (millis(stop.ts, before.end_ts) or 0) > ROLLING_MS:
            taken.clear()
        else:
            yield stop.root_id, before.root_id


def incident_roots(root_spans: Iterable[RootSpan], bonds: Iterable[Bond]) -> list[IncidentRoot]:
    """The connected components of the bonds, each named by its least root. Returns `INCIDENT_ROOTS`."""
    neighbours: dict[str, list[str]] = {span.root_id: [] for span in root_spans}
    for bond in bonds:
        neighbours[bond.src].append(bond.dst)
        neighbours[bond.dst].append(bond.src)
    first_of: dict[str, str] = {}
    for first in sorted(neighbours):
        reached = [first]
        while reached:
            root = reached.pop()
            if root not in first_of:
                first_of[root] = first
                reached.extend(neighbours[root])
    return [IncidentRoot(id=root, first=first) for root, first in first_of.items()]


def with_incidents(root_spans: Sequence[RootSpan], incident_roots: Iterable[IncidentRoot]) -> list[RootSpan]:
    """The roots with their incidents, numbered in the order of time. Returns `ROOT_SPANS`."""
    first_of = {root.id: root.first for root in incident_roots}
    began: dict[str, int] = {}
    for span in sorted(root_spans, key=lambda span: span.ts, reverse=True):
        began[first_of[span.root_id]] = unix_micros(span.ts)
    in_time = sorted(began, key=lambda first: (began[first], first))
    names = {first: f"incident-{number}" for number, first in enumerate(in_time, 1)}
    return [_in_incident(span, names[first_of[span.root_id]]) for span in root_spans]


def _in_incident(span: UntypedRow, incident_id: str) -> UntypedRow:
    own = {name: getattr(span, name) for name in ROOT_SPANS.schema.names}
    return RootSpan(**{**own, "incident_id": incident_id})


def vertices(happenings: DataFrame, roots: DataFrame, root_spans: DataFrame) -> DataFrame:
    """The vertices of the graph, each with its incident: that of its nearest root; without a known root, the one of
    its time. Returns `VERTICES`.
    """
    spans = root_spans.select("root_id", "incident_id", F.col("ts").alias("root_ts"))
    by_root = (
        roots.select("id", F.explode(F.arrays_zip("root_ids", "distances")).alias("_root"))
        .select("id", F.col("_root.root_ids").alias("root_id"), F.col("_root.distances").alias("distance"))
        .join(F.broadcast(spans), "root_id")
        .groupBy("id")
        .agg(F.min_by("incident_id", F.struct("distance", "root_ts")).alias("of_root"))
    )
    times = root_spans.groupBy("incident_id").agg(F.min("ts").alias("from_ts"), F.max("end_ts").alias("to_ts"))
    near = F.col("ts").between(plus_millis("from_ts", -BEFORE_MS), plus_millis("to_ts", AFTER_MS))
    by_time = (
        happenings.select("id", "ts")
        .join(F.broadcast(times), near)
        .groupBy("id")
        .agg(F.max_by("incident_id", "from_ts").alias("of_time"))
    )
    placed = happenings.drop("incident_id").join(by_root, "id", "left").join(by_time, "id", "left")
    return VERTICES.rows(
        placed, incident_id=F.coalesce("of_root", "of_time"), label=LABELS.text(F.struct("reason", "arguments"))
    )
