"""Clocks and the messages between them: the bounds of each clock, the clocks that were set, and the reference clock.

A pair of lines, cause and effect, bounds the difference of two clocks from one side. Shortest paths over all pairs
yield the tightest bounds (difference constraints, facts §6.2). There are as many unknowns as nodes, so this is plain
Python on a few hundred numbers. A clock's name is a letter and its owner: `n3.0` is node 3's timestamps as logged,
before its files show that the clock was first set back (`n3.1` after that); `g3.0` is the same with a known zone; `r3`
is the CreateTime of metadata records that controller 3 wrote; `z` is the ZooKeeper leader's times in znodes; `e3` is
the epoch milliseconds in node 3's lines; `m3` is the date in its meta.properties. All times are in milliseconds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import inf, isfinite

from replay.clocks.zones import is_zone
from replay.facts.groups import by_key

MARGIN_MS = 100  # synchronized clocks differ by less; a smaller excess does not move a timestamp
FAR_MS = 10_000  # a contradiction this large on two links proves a step with one pair on each
STEP_MS = 1_000  # threads may log out of order by less than this
QUARTER_MS = 900_000  # zones differ by multiples of 15 minutes
MANY = 4  # with this many pairs the second tightest counts, so that one wrong pair proves nothing
MOST_SETS = 8  # the most passes in search of another step


@dataclass(frozen=True)
class Bound:
    """The bound from the pairs of one time span: clock b − clock a is at most `tightest[0]`; the next tightest pair
    gives `tightest[1]`.

    `a_at`, `b_at`: the two timestamps of the tightest pair. `sure`: its key identifies a single event. `counted`: its
    keys are counts of lines, and a missing line shifts all later ones.
    """

    a: str
    b: str
    tightest: tuple[float, ...]
    pairs: int
    sure: bool
    a_at: float
    b_at: float
    a_event: str
    b_event: str
    counted: bool = False


@dataclass(frozen=True)
class Set:
    """A clock that was set between two of its timestamps, `before` and `after`, which its file does not show.

    `then`: the clock's name after that.
    """

    clock: str
    then: str
    before: float
    after: float
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Clock:
    """A clock's zone, and its bounds against the reference after the zone is subtracted; None without a bound."""

    zone_ms: float
    zone_from: str
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Solution:
    """All clocks, the steps found, the reference clock, and the zone of most nodes (None if unknown)."""

    clocks: dict[str, Clock]
    sets: tuple[Set, ...] = ()
    reference: str | None = None
    common_zone_ms: float | None = None


@dataclass
class _Known:
    """A bound between clocks x and y: the offset of y against x is at least `low`, or at most `high`."""

    x_at: float
    y_at: float
    low: float
    high: float
    x_event: str
    y_event: str
    bound: Bound


@dataclass
class _Cut:
    """A link whose bounds contradict each other unless one of its clocks was set: the last bounds before the step
    and the first ones after it.
    """

    x: str
    y: str
    before: list[_Known]
    after: list[_Known]
    by_one_pair: bool = False  # one pair on one side: another link of the clock must confirm it


def solved(bounds: Iterable[Bound]) -> Solution:
    """All clocks in the bounds, measured against the clock that most others agree with."""
    kept = _without_wrong(_without_miscounted(list(bounds)))
    sets: list[Set] = []
    for _ in range(MOST_SETS):
        found, torn = _sets(kept, len(sets))
        if not found:
            kept = [b for b in kept if frozenset((b.a, b.b)) not in torn]
            break
        sets += found
        kept = [_renamed(b, found) for b in kept]
    paths = _Paths(_tightest([b for b in kept if not _prints_time(b)]), _named(kept))
    zones = _zones(kept, paths)
    pairs: Counter[str] = Counter()
    for bound in kept:
        pairs.update({bound.a: bound.pairs, bound.b: bound.pairs})
    return _measured(paths, zones, pairs, tuple(sets))


def _prints_time(bound: Bound) -> bool:
    return bound.a[0] in "em" or bound.b[0] in "em"


def _named(bounds: Iterable[Bound]) -> list[str]:
    return sorted({clock for b in bounds for clock in (b.a, b.b) if clock[0] not in "em"})


# Steps: a clock whose bounds before a time contradict those after it, for most of its peers.


def _sets(bounds: list[Bound], so_far: int) -> tuple[list[Set], set[frozenset[str]]]:
    """The clocks that were set, each at one time, and the links whose contradiction no such step explains."""
    links = _links(bounds)
    torn = {ends: known for ends, known in links.items() if _contradicts(known)}
    seen = [cut for (x, y), known in torn.items() if (cut := _cut(x, y, known)) is not None]
    often = Counter(clock for cut in seen for clock in (cut.x, cut.y))
    cuts = [cut for cut in seen if not cut.by_one_pair or max(often[cut.x], often[cut.y]) > 1]
    shares = {clock: _share(clock, cuts, links) for cut in cuts for clock in (cut.x, cut.y)}
    blamed: dict[str, list[tuple[float, float, str, str]]] = defaultdict(list)
    for cut in cuts:
        if shares[cut.x] > shares[cut.y]:
            before, after = max(cut.before, key=lambda k: k.x_at), min(cut.after, key=lambda k: k.x_at)
            blamed[cut.x].append((before.x_at, after.x_at, before.x_event, after.x_event))
        elif shares[cut.y] > shares[cut.x]:
            before, after = max(cut.before, key=lambda k: k.y_at), min(cut.after, key=lambda k: k.y_at)
            blamed[cut.y].append((before.y_at, after.y_at, before.y_event, after.y_event))
    found = []
    for number, (clock, spans) in enumerate(sorted(blamed.items()), start=so_far + 1):
        last, first = max(spans, key=lambda s: s[0]), min(spans, key=lambda s: s[1])
        if last[0] < first[1]:  # otherwise no timestamp separates the lines before and after
            found.append(Set(clock, f"{clock.partition('+')[0]}+{number}", last[0], first[1], (last[2], first[3])))
    set_clocks = {s.clock for s in found}
    return found, {frozenset(ends) for ends in torn if not set_clocks & set(ends)}


def _links(bounds: list[Bound]) -> dict[tuple[str, str], list[_Known]]:
    links: dict[tuple[str, str], list[_Known]] = defaultdict(list)
    for b in bounds:
        if b.a < b.b:
            links[b.a, b.b].append(_Known(b.a_at, b.b_at, -inf, b.tightest[0], b.a_event, b.b_event, b))
        else:
            links[b.b, b.a].append(_Known(b.b_at, b.a_at, -b.tightest[0], inf, b.b_event, b.a_event, b))
    for known in links.values():
        known.sort(key=lambda k: (k.x_at, k.y_at))
    return links


def _contradicts(known: list[_Known]) -> bool:
    return max(k.low for k in known) - min(k.high for k in known) > STEP_MS


def _without_miscounted(bounds: list[Bound]) -> list[Bound]:
    """The bounds, without the counted ones of a link that contradicts itself: a line may be missing, and only the other
    pairs can show that a clock was set.
    """
    torn = (known for known in _links(bounds).values() if _contradicts(known))
    miscounted = {id(k.bound) for known in torn for k in known if k.bound.counted}
    return [b for b in bounds if id(b) not in miscounted]


def _without_wrong(bounds: list[Bound]) -> list[Bound]:
    """The bounds, without the pair of a link that contradicts all its others if these are many."""
    wrong: dict[int, Bound | None] = {}
    for known in _links(bounds).values():
        if not _contradicts(known):
            continue
        for worst, many in (
            (min(known, key=lambda k: k.high), [k for k in known if k.high < inf]),
            (max(known, key=lambda k: k.low), [k for k in known if k.low > -inf]),
        ):
            rest = _less_tightest(worst.bound)
            others = [k for k in known if k is not worst] + ([] if rest is None else _links([rest]).popitem()[1])
            if sum(k.bound.pairs for k in many) > MANY and not _contradicts(others):
                wrong[id(worst.bound)] = rest
                break
    return [kept for b in bounds if (kept := wrong.get(id(b), b)) is not None]


def _less_tightest(bound: Bound) -> Bound | None:
    return replace(bound, tightest=bound.tightest[1:], pairs=bound.pairs - 1) if len(bound.tightest) > 1 else None


def _cut(x: str, y: str, known: list[_Known]) -> _Cut | None:
    """The first place at which each side's bounds are consistent, and at least two pairs on each side contradict the
    other side, or one pair does by far; None without one.
    """
    for n in range(1, len(known)):
        sides = known[:n], known[n:]
        (low_before, high_before), (low_after, high_after) = (
            (max(k.low for k in side), min(k.high for k in side)) for side in sides
        )
        if low_before - high_before > MARGIN_MS or low_after - high_after > MARGIN_MS:
            continue
        before = [k for k in sides[0] if k.high < low_after - STEP_MS or k.low > high_after + STEP_MS]
        after = [k for k in sides[1] if k.low > high_before + STEP_MS or k.high < low_before - STEP_MS]
        pairs = min(sum(k.bound.pairs for k in side) for side in (before, after))
        if x[0] == "e" or pairs > 1:
            return _Cut(x, y, before, after)
        far = max(low_after - high_before, low_before - high_after) > FAR_MS
        sure = all(any(k.bound.sure or k.bound.pairs > 1 for k in side) for side in (before, after))
        return _Cut(x, y, before, after, by_one_pair=True) if pairs == 1 and far and sure else None
    return None


def _share(clock: str, cuts: list[_Cut], links: dict[tuple[str, str], list[_Known]]) -> float:
    """The share of a clock's peers whose links contradict themselves; 2 if the link to its own node's epoch
    milliseconds does.

    Epoch milliseconds and ZooKeeper's times are never at fault.
    """
    if clock[0] in "ez":
        return 0.0
    if any(cut.x[0] == "e" and cut.y == clock for cut in cuts):
        return 2.0

    def peers(ends: Iterable[tuple[str, str]]) -> set[str]:
        return {other for pair in ends if clock in pair for other in pair if other != clock and other[0] in "ngz"}

    return len(peers((cut.x, cut.y) for cut in cuts)) / max(1, len(peers(links)))


def _renamed(bound: Bound, sets: list[Set]) -> Bound:
    for s in sets:
        if bound.a == s.clock and bound.a_at > s.before:
            bound = replace(bound, a=s.then)
        if bound.b == s.clock and bound.b_at > s.before:
            bound = replace(bound, b=s.then)
    return bound


# Shortest paths.


def _tightest(bounds: list[Bound]) -> dict[tuple[str, str], float]:
    """The bound of each direction between two clocks.

    A few pairs with keys that may recur count only if a path leads back from the effect to the cause, so that a
    wrong pair is contradicted.
    """
    by_ends = by_key(bounds, lambda bound: (bound.a, bound.b))
    edges: dict[tuple[str, str], float] = {}
    for (a, b), of_pair in by_ends.items():
        pairs = sum(t.pairs for t in of_pair)
        delays = sorted(d for t in of_pair for d in t.tightest)
        if pairs > 2 or any(t.sure for t in of_pair) or a in _reached(b, by_ends):
            edges[a, b] = delays[1 if pairs >= MANY and len(delays) > 1 else 0]
    return edges


def _reached(start: str, ends: Iterable[tuple[str, str]]) -> set[str]:
    reached, new = {start}, {start}
    while new:
        new = {b for a, b in ends if a in new} - reached
        reached |= new
    return reached


@dataclass
class _Paths:
    """The tightest bound of clock b − clock a over all paths between them (Floyd–Warshall); infinite without a path."""

    edges: dict[tuple[str, str], float]
    clocks: list[str]
    bounds: dict[str, dict[str, float]] = field(init=False)

    def __post_init__(self) -> None:
        rows = {a: {b: 0.0 if a == b else self.edges.get((a, b), inf) for b in self.clocks} for a in self.clocks}
        for middle in self.clocks:
            rest = rows[middle]
            for row in rows.values():
                there = row[middle]
                if there < inf:
                    for b, onward in rest.items():
                        if there + onward < row[b]:
                            row[b] = there + onward
        self.bounds = rows

    def sound(self, clock: str) -> bool:
        """Whether no cycle of bounds puts the clock ahead of itself."""
        return self.bounds[clock][clock] > -MARGIN_MS

    def linked(self, a: str, b: str) -> bool:
        """Whether the two clocks bound each other from both sides."""
        return (
            a != b and self.sound(a) and self.sound(b) and isfinite(self.bounds[a][b]) and isfinite(self.bounds[b][a])
        )


# Zones: from the node's epoch milliseconds, else from linked clocks, else the zone of most nodes.


def _zones(bounds: list[Bound], paths: _Paths) -> dict[str, tuple[float | None, str]]:
    zones: dict[str, tuple[float | None, str]] = {}
    for clock in paths.clocks:
        if clock[0] in "grz":
            zones[clock] = 0.0, "given" if clock[0] == "g" else "printed"
        else:
            printed = [
                min((b.tightest[0] for b in bounds if b.b == clock and b.a[0] == letter), default=None)
                for letter in "em"
            ]
            offset = printed[0] if printed[0] is not None else printed[1]
            zones[clock] = (_quarters(offset), "printed") if offset is not None and is_zone(offset) else (None, "")
    known = {clock: zone for clock, (zone, _) in zones.items() if zone is not None and paths.sound(clock)}
    for clock in [c for c, (zone, _) in zones.items() if zone is None]:
        ways = [
            (
                paths.bounds[other][clock] + paths.bounds[clock][other],
                (paths.bounds[other][clock] - paths.bounds[clock][other]) / 2 + zone,
            )
            for other, zone in known.items()
            if paths.linked(other, clock)
        ]
        if ways and min(ways)[0] < QUARTER_MS and is_zone(min(ways)[1]):
            zones[clock] = _quarters(min(ways)[1]), "others"
    return zones


def _quarters(offset: float) -> float:
    return round(offset / QUARTER_MS) * float(QUARTER_MS)


def _common(zones: dict[str, tuple[float | None, str]]) -> float | None:
    counts = Counter(zone for clock, (zone, _) in zones.items() if clock[0] == "n" and zone is not None)
    return min(counts, key=lambda zone: (-counts[zone], abs(zone))) if counts else None


@dataclass(frozen=True)
class _Zoned:
    """Bounds between clocks after their zones are subtracted."""

    paths: _Paths
    zones: Mapping[str, tuple[float | None, str]]
    common: float | None

    def zone_of(self, clock: str) -> float:
        first_turn = clock.partition(".")[0] + ".0"
        known = (self.zones[clock][0], self.zones.get(first_turn, (None,))[0], self.common)
        return next((zone for zone in known if zone is not None), 0.0)

    def skew(self, a: str, b: str) -> float:
        return self.paths.bounds[a][b] - self.zone_of(b) + self.zone_of(a)

    def rank(self, clock: str, pairs: Counter[str]) -> tuple[int, bool, int, bool, int, int]:
        """The sort key of candidates for the reference clock.

        The clock that most others agree with ranks first, then one with a known zone, the metadata log's, and the
        one with the most pairs.
        """
        paths = self.paths
        linked = [other for other in paths.clocks if paths.linked(clock, other)]
        links = [other for other in linked if self.skew(clock, other) + self.skew(other, clock) < STEP_MS]
        agree = sum(self.skew(clock, other) >= -MARGIN_MS and self.skew(other, clock) >= -MARGIN_MS for other in links)
        knows_zone = self.zones[clock][1] in ("given", "printed")
        return agree, knows_zone, len(links), clock[0] == "r", pairs[clock], -paths.clocks.index(clock)


def _measured(
    paths: _Paths, zones: dict[str, tuple[float | None, str]], pairs: Counter[str], sets: tuple[Set, ...]
) -> Solution:
    common = _common(zones)
    zoned = _Zoned(paths, zones, common)
    candidates = [clock for clock in paths.clocks if clock != "z" and paths.sound(clock)]
    reference = max(candidates, key=lambda clock: zoned.rank(clock, pairs), default=None)
    clocks = {}
    for clock in paths.clocks:
        low = high = None
        if reference is not None and paths.sound(clock):
            bounds = -zoned.skew(clock, reference), zoned.skew(reference, clock)
            low, high = (bound + 0.0 if isfinite(bound) else None for bound in bounds)
            if low is not None and high is not None and low > high:
                low, high = high, low
        source = zones[clock][1] or ("others" if common is not None else "assumed")
        clocks[clock] = Clock(zoned.zone_of(clock), source, low, high)
    return Solution(clocks, sets, reference, common)
