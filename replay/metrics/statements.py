"""What metrics prove about the findings of the log lines: their cause, their innocence, the time without service.

Metrics never make a loss, a leader epoch, an ISR or an incident. In an incident, a cause is named only if its node is one that the
finding blames, and if it cannot have begun after the finding's effect. Outside of incidents, statements say that produce requests waited, and name the
cause if one node alone was in trouble then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from replay.metrics.evidence import Point, Run, changes, is_covered, overlapping_leaders, rates, runs, usual
from replay.metrics.series import OF_BROKERS, Series
from replay.metrics.signs import (
    CACHE,
    CALM_IDLE,
    CLEANER,
    CLIENTS,
    COLLECTING,
    CONTROLLER,
    DISK,
    DISK_FULL,
    FAST_WRITE_S,
    FLUSHES,
    HANDLERS,
    LEAST_BYTES,
    MEMORY,
    MOVED_BYTES,
    NETWORK,
    NETWORK_THREADS,
    PROCESS,
    PROCESSOR,
    REASSIGNMENT,
    REQUEST_QUEUE,
    SENT_AGAIN,
    SILENT,
    THROTTLED,
    TIMES_USUAL,
    UNREACHABLE,
    Sign,
    signs,
)
from replay.metrics.times import ONE_IN_100, WAITED_MS, WAITS, calm_until, is_wait, spans_of, spans_of_waits
from replay.metrics.values import (
    CLEANER_RESTS_MS,
    cleaner_busy,
    collecting,
    idle,
    moved,
    network_idle,
    read,
    sent_again,
    throttled,
    write_times,
)
from replay.sentences.metrics import METRICS, STEPS
from replay.sentences.statement import texts_of
from replay.tables.causes import Finding, IncidentSummary
from replay.tables.faults import LagShrink
from replay.tables.metrics import MetricStatement, Sample

NAMED, CONFIRMED, EXONERATED, WAITED = "named", "confirmed", "exonerated", "waited"
CONTRADICTED, SEEN = "contradicted", "seen"
EXPLAINED = frozenset(
    ["F00", "F04", "F05", "F06", "F07", "F09", "F10", "F12", "F13", "F15", "F22", "F23", "F26", "F39"]
)  # what a resource at its limit can cause
_BEHIND = "F13"  # a follower fell behind
STOPPED = frozenset(("F01", "F02", "F04"))  # the process did not run
_CUT = frozenset(("F05", "F06", "F07"))
STANDING = {PROCESS: frozenset(("F04",)), UNREACHABLE: _CUT, SILENT: _CUT | {"F04"}}  # what a silent exporter confirms
CLOCKS = timedelta(seconds=5)  # Prometheus and the nodes have clocks of their own
SHORT = timedelta(seconds=30)
MOST_SAMPLES = 24


@dataclass(frozen=True)
class Suspect:
    """A finding, and a node that it blames."""

    finding: Finding
    node: int

    @property
    def begin(self) -> datetime:
        """By when it had begun."""
        return min(ts for ts in (self.finding.began_high, self.finding.start_ts) if ts is not None)

    @property
    def low(self) -> datetime:
        """Since when it can have lasted."""
        low: datetime = self.finding.began_low if self.finding.began_low is not None else self.begin
        return low

    @property
    def end(self) -> datetime:
        """Until when it lasted, at least half a minute."""
        ended = [ts for ts in (self.finding.ended_low, self.finding.end_ts) if ts is not None]
        return max(min(ended, default=self.begin), self.begin + SHORT)

    def fits(self, run: Run) -> bool:
        """Whether a trouble can have begun before its effect, and lasted until then."""
        began_before = run.began_low is None or run.began_low <= self.begin + CLOCKS
        was_over = run.ended_high is not None and run.ended_high < self.low - CLOCKS
        return began_before and not was_over

    def was_dropped_in(self, one: LagShrink) -> bool:
        """Whether a leader dropped the node from ISRs then, because it fell behind."""
        is_behind = self.finding.code == _BEHIND and one.dropped_id == self.node
        return is_behind and self.low <= one.ts <= self.end

    def begun_by_effect(self, run: Run) -> Run:
        """A trouble that caused the finding had begun when the finding had."""
        had_begun = self.finding.began_high
        if (
            had_begun is None
            or had_begun >= run.began_high
            or (run.began_low is not None and had_begun <= run.began_low)
        ):
            return run
        return replace(run, began_high=had_begun)


def metric_statements(
    samples: Sequence[Sample],
    judged_incidents: Sequence[IncidentSummary],
    findings: Sequence[Finding],
    lag_shrinks: Sequence[LagShrink],
) -> list[MetricStatement]:
    """What the samples prove about the findings of each incident, and about long waits outside of incidents. Returns
    `METRIC_STATEMENTS`.
    """
    made: list[MetricStatement] = []
    explained = []
    for incident in judged_incidents if samples else ():
        own = [one for one in findings if one.incident_id == incident.incident_id]
        for low, high in spans_of([incident]):
            series = Series.by_node(one for one in samples if low <= one.ts <= high)
            made += _of_incident(series, incident, own, calm_until(incident, judged_incidents), lag_shrinks)
        if _suspects(own):
            explained.append(incident)
    waits = [(one.ts, one.value) for one in samples if is_wait(one) and one.value is not None]
    for low, high in spans_of_waits(waits, spans_of(explained)):
        inside = [one for one in judged_incidents for begin, end in spans_of([one]) if begin <= high and low <= end]
        series = Series.by_node(one for one in samples if low <= one.ts <= high)
        made += _unexplained(series, next((one for one in inside if one not in explained), None))
    return list({one.statement_id: one for one in made}.values())


def incidents_with_causes(
    judged_incidents: Iterable[IncidentSummary], metric_statements: Iterable[MetricStatement]
) -> list[IncidentSummary]:
    """The incidents; the first step of one whose cause metrics name is about that cause. Returns `INCIDENTS`."""
    steps: dict[str | None, list[str]] = {}
    for one in metric_statements:
        if one.next_step is not None:
            steps.setdefault(one.incident_id, []).append(one.next_step)
    return [
        one.but(next_steps=list(dict.fromkeys([*steps[one.incident_id], *(one.next_steps or ())])))
        if one.incident_id in steps
        else one
        for one in judged_incidents
    ]


def _of_incident(
    series: Series,
    incident: IncidentSummary,
    findings: Sequence[Finding],
    begin: datetime | None,
    lag_shrinks: Sequence[LagShrink],
) -> Iterator[MetricStatement]:
    suspects = _suspects(findings)
    found = signs(series, begin) if begin is not None else []
    for suspect in suspects:
        if suspect.finding.code in EXPLAINED:
            yield from _causes(series, suspect, found, lag_shrinks)
        if suspect.finding.code in STOPPED:
            yield from _contradictions(series, suspect)
    yield from _waits(series, incident, findings)
    yield from _controllers(series, incident)


def _suspects(findings: Sequence[Finding]) -> list[Suspect]:
    """The findings of an incident that can make requests wait, with each node that they blame."""
    return [
        Suspect(one, node)
        for one in findings
        if one.role in ("root_cause", "contributing") and one.start_ts is not None and one.code in EXPLAINED | STOPPED
        for node in one.broker_ids or ()
    ]


def _causes(
    series: Series, suspect: Suspect, found: Sequence[Sign], lag_shrinks: Sequence[LagShrink]
) -> Iterator[MetricStatement]:
    """The deepest trouble of the node that fits is the cause; another one of the node at the same time follows from it or
    explains nothing. A node without trouble is exonerated, resource by resource; if it fell behind one leader, trouble of that leader is
    the cause.
    """
    of_node = _deepest(found, suspect, suspect.node)
    leaders = {one.leader_id for one in lag_shrinks if suspect.was_dropped_in(one)}
    if not of_node and len(leaders) == 1:
        of_node = _deepest(found, suspect, *leaders)
    for number, sign in enumerate(of_node):
        confirms = suspect.finding.code in STANDING.get(sign.subject, ())
        is_no_cause = number or sign.subject in (UNREACHABLE, SILENT)
        yield _of_sign(series, suspect.finding, sign, CONFIRMED if confirms else SEEN if is_no_cause else NAMED)
    troubled = {sign.subject for sign in found if sign.node == suspect.node}
    for subject, exonerate in _EXONERATED.items():
        if subject not in troubled and (proof := exonerate(series, suspect)) is not None:
            yield proof


def _deepest(found: Iterable[Sign], suspect: Suspect, node: int) -> list[Sign]:
    """The first sign of each trouble of a node that fits a finding, the deepest first, with the bounds that it has as its cause."""
    first: dict[str, Sign] = {}
    for sign in found:
        if sign.node == node and suspect.fits(sign.run):
            first.setdefault(sign.subject, replace(sign, run=suspect.begun_by_effect(sign.run)))
    return list(first.values())


def _of_sign(series: Series, finding: Finding | IncidentSummary | None, sign: Sign, verdict: str) -> MetricStatement:
    return _statement(
        finding,
        verdict,
        sign.subject,
        sign.node,
        _reason(sign),
        {"node": sign.node, "device": sign.device or "its disk", **_amounts(series, sign)},
        sign.run,
        sign.worst,
    )


def _reason(sign: Sign) -> str:
    if sign.subject == DISK and sign.is_overload:
        return "named_disk_overloaded"
    return f"named_{sign.subject}" + ("_from" if sign.is_source else "")


def _amounts(series: Series, sign: Sign) -> dict[str, object]:
    """The values of a sign as the sentence shows them."""
    in_ms = sign.subject in (DISK, CACHE, CONTROLLER, FLUSHES, REQUEST_QUEUE)
    factor = 1000 if sign.subject in (DISK, CACHE) else 1
    if in_ms:
        past = None if sign.usual is None else _duration(sign.usual * factor)
        return {"worst": _duration(sign.worst * factor), "usual": past}
    if sign.subject in (MEMORY, PROCESSOR, NETWORK, HANDLERS, NETWORK_THREADS, DISK_FULL):
        scale = 1 if sign.subject == PROCESSOR and sign.worst > 1 else 100
        return {
            "percent": _percent(scale * sign.worst),
            "usual": None if sign.usual is None else _percent(scale * sign.usual),
        }
    if sign.subject == CLEANER:
        return {"longest": f"{sign.worst:.0f} s"}
    if sign.subject == REASSIGNMENT:
        return {"worst_bytes": _bytes(sign.worst), "usual_bytes": None if sign.usual is None else _bytes(sign.usual)}
    if sign.subject == CLIENTS:
        return {"worst": f"{sign.worst:.0f}", "usual": None if sign.usual is None else f"{sign.usual:.0f}"}
    return _processor_used(series, sign)


def _processor_used(series: Series, sign: Sign) -> dict[str, object]:
    """How much processor time the process used while it did not answer: its counter is exact over the gap."""
    first, last = sign.run.points[0].ts, sign.run.points[-1].ts
    used = rates(series.one(sign.node, "process_cpu"))
    over = [one for one in used if one.since <= first and one.ts >= last and one.ts - one.since > SHORT / 6]
    before = usual(used, first - SHORT / 6)
    if not over or before is None or over[0].value > before:
        return {}
    return {"used": _percent(100 * over[0].value), "used_before": _percent(100 * before)}


def _percent(value: float) -> str:
    return f"{value:.1f}%" if value < 10 else f"{value:.0f}%"


def _duration(millis: float) -> str:
    return f"{max(1, round(millis))} ms" if millis < 1000 else f"{millis / 1000:.1f} s"


def _bytes(value: float) -> str:
    return f"{value / 1e6:,.1f} MB" if value >= 1e5 else f"{value / 1e3:,.1f} kB"


def _statement(
    finding: Finding | IncidentSummary | None,
    verdict: str,
    subject: str,
    node: int,
    reason: str,
    arguments: Mapping[str, object],
    run: Run,
    value: float,
) -> MetricStatement:
    """A row about a finding, an incident, or a time without an incident (None)."""
    finding_id = finding.finding_id if isinstance(finding, Finding) else None
    incident_id = None if finding is None else finding.incident_id
    about = finding_id or incident_id or f"{run.began_high:%Y-%m-%dT%H:%M:%S}"
    text = str(METRICS.render(reason, texts_of(arguments)))
    return MetricStatement(
        "/".join(map(str, (verdict, subject, node, about))),
        incident_id,
        finding_id,
        verdict,
        subject,
        node,
        run.began_low,
        run.began_high,
        run.ended_low,
        run.ended_high,
        text,
        STEPS.render(subject, {"node": str(node)}) if verdict == NAMED else None,
        value,
        run.ids[:MOST_SAMPLES],
        list(finding.evidence or ()) if isinstance(finding, Finding) else [],
    )


def _whole(points: Sequence[Point], suspect: Suspect) -> Run | None:
    """All points from the begin of a finding to its end, as one time; None unless they cover the whole time."""
    if not is_covered(points, suspect.low, suspect.end):
        return None
    inside = [one for one in points if one.ts >= suspect.low and one.since <= suspect.end]
    return Run(tuple(inside), inside[0].since, inside[0].ts, inside[-1].since, inside[-1].ts)


def _well(
    subject: str, values: Callable[[Series, int], Sequence[Point]], most: float, factor: float = 100
) -> Callable[[Series, Suspect], MetricStatement | None]:
    """Exonerates a resource whose values stayed below a limit during the whole finding."""

    def exonerate(series: Series, suspect: Suspect) -> MetricStatement | None:
        run = _whole(values(series, suspect.node), suspect)
        if run is None or any(point.value > most for point in run.points):
            return None
        worst = run.worst
        shown = {"node": suspect.node, "percent": _percent(factor * worst)}
        return _statement(
            suspect.finding, EXONERATED, subject, suspect.node, f"exonerated_{subject}", shown, run, worst
        )

    return exonerate


def _idle_enough(
    subject: str, values: Callable[[Series, int], Sequence[Point]]
) -> Callable[[Series, Suspect], MetricStatement | None]:
    """Exonerates threads that stayed idle enough; on a combined node either of two pools can be the busy one."""

    def exonerate(series: Series, suspect: Suspect) -> MetricStatement | None:
        points = values(series, suspect.node)
        is_of_two = any(point.value > 1.05 for point in points)
        run = _whole([point._replace(value=point.value - is_of_two) for point in points], suspect)
        if run is None or any(point.value < CALM_IDLE for point in run.points):
            return None
        least = min(point.value for point in run.points)
        shown = {"node": suspect.node, "percent": _percent(100 * min(least, 1.0))}
        return _statement(
            suspect.finding, EXONERATED, subject, suspect.node, f"exonerated_{subject}", shown, run, least
        )

    return exonerate


def _fast_disk(series: Series, suspect: Suspect) -> MetricStatement | None:
    """Exonerates a disk if each of its devices was fast during the whole finding."""
    devices = [_whole(points, suspect) for points in write_times(series, suspect.node).values() if points]
    whole = [one for one in devices if one is not None]
    if not devices or len(whole) < len(devices):
        return None
    worst = max(run.worst for run in whole)
    if worst > FAST_WRITE_S:
        return None
    shown = {"node": suspect.node, "worst": _duration(1000 * worst)}
    return _statement(suspect.finding, EXONERATED, DISK, suspect.node, "exonerated_disk", shown, whole[0], worst)


def _calm_load(
    subject: str, values: Callable[[Series, int], Sequence[Point]], most: float, shown: Callable[[float], str]
) -> Callable[[Series, Suspect], MetricStatement | None]:
    """Exonerates a load whose values stayed below a limit during the whole finding."""

    def exonerate(series: Series, suspect: Suspect) -> MetricStatement | None:
        run = _whole(values(series, suspect.node), suspect)
        if run is None or run.worst >= most:
            return None
        arguments = {"node": suspect.node, "worst": shown(run.worst)}
        return _statement(
            suspect.finding, EXONERATED, subject, suspect.node, f"exonerated_{subject}", arguments, run, run.worst
        )

    return exonerate


_EXONERATED: Mapping[str, Callable[[Series, Suspect], MetricStatement | None]] = {
    DISK: _fast_disk,
    MEMORY: _well(MEMORY, collecting, COLLECTING / 4),
    PROCESSOR: _well(PROCESSOR, throttled, THROTTLED / 10),
    NETWORK: _well(NETWORK, sent_again, SENT_AGAIN / 5),
    HANDLERS: _idle_enough(HANDLERS, idle),
    NETWORK_THREADS: _idle_enough(NETWORK_THREADS, network_idle),
    CACHE: _calm_load(CACHE, read, LEAST_BYTES, _bytes),
    CLEANER: _calm_load(CLEANER, cleaner_busy, CLEANER_RESTS_MS, _duration),
    REASSIGNMENT: _calm_load(REASSIGNMENT, moved, MOVED_BYTES / 10, _bytes),
}


def _contradictions(series: Series, suspect: Suspect) -> Iterator[MetricStatement]:
    """Answers of the exporter inside a broker contradict a finding that its process did not run. Silence of the exporter
    confirms the finding.
    """
    sure_end = suspect.finding.ended_low or suspect.finding.end_ts
    if sure_end is None:
        return
    for points in series.targets(suspect.node, OF_BROKERS):
        inside = [one for one in points if suspect.begin + CLOCKS < one.ts < sure_end - CLOCKS]
        answers = [one for one in inside if one.value == 1]
        if answers:
            run = Run(tuple(answers), None, answers[0].ts, answers[-1].ts, None)
            shown = {"node": suspect.node, "at": answers[0].ts}
            yield _statement(
                suspect.finding, CONTRADICTED, PROCESS, suspect.node, "contradicted_stopped", shown, run, 1.0
            )
        elif inside:
            run = Run(tuple(inside), None, inside[0].ts, inside[-1].ts, None)
            yield _statement(
                suspect.finding, CONFIRMED, PROCESS, suspect.node, "confirmed_stopped", {"node": suspect.node}, run, 0.0
            )


def _waits(series: Series, incident: IncidentSummary, findings: Sequence[Finding]) -> Iterator[MetricStatement]:
    """How long acknowledgements waited for followers on each broker: the greatest time since the start of the process, where it
    grew, else a percentile.
    """
    begin = min(
        (Suspect(one, 0).low for one in findings if one.role == "root_cause" and one.start_ts is not None),
        default=incident.start_ts,
    )
    if begin is None:
        return
    for node in series.nodes:
        grown = [one for one in changes(series.raw(node, "produce_remote_ms_max")) if one.value > 0 and one.ts >= begin]
        if grown:
            shown = {point.ts: point.value for point in series.raw(node, "produce_remote_ms_max")}
            points = [point._replace(value=shown[point.ts]) for point in grown if shown[point.ts] >= WAITED_MS]
            if points:
                run = Run(tuple(points), points[0].since, points[0].ts, points[-1].since, points[-1].ts)
                worst = run.worst
                yield _statement(
                    incident, WAITED, CLIENTS, node, "waited", {"node": node, "worst": _duration(worst)}, run, worst
                )
                continue
        yield from _waited_percentile(series, incident, node, begin)


def _waited_percentile(
    series: Series, incident: IncidentSummary, node: int, begin: datetime
) -> Iterator[MetricStatement]:
    for quantile, one_in in (("0.99", 100), ("0.999", 1000)):
        series_of = series.all(node, "produce_remote_ms")
        points = next((found for labels, found in series_of.items() if _quantile(labels) == float(quantile)), [])
        past = usual([point for point in points if point.ts < begin], begin)
        waited = [run for run in runs(points, lambda one: one.value >= WAITED_MS) if run.began_high >= begin]
        if waited and (past is None or past < WAITED_MS):
            run = max(waited, key=lambda one: one.worst)
            arguments = {"node": node, "one_in": one_in, "worst": _duration(run.worst)}
            yield _statement(incident, WAITED, CLIENTS, node, "waited_percentile", arguments, run, run.worst)
            return


def _unexplained(series: Series, incident: IncidentSummary | None) -> Iterator[MetricStatement]:
    """The longest wait of produce requests that was not usual, and its cause: the trouble of the only node that was in trouble at
    that time, or a reassignment from one node to others. It is outside of incidents, or in one whose findings make no request wait. The wait has
    samples before it that show a fifth of it or less; waits after a start have none.
    """
    found = [(run, node) for node in series.nodes for metric in WAITS for run in _long_waits(series, node, metric)]
    if not found:
        return
    run, node = max(found, key=lambda one: one[0].worst)
    arguments = {"node": node, "worst": _duration(run.worst)}
    reason = "waited_unlogged" if incident is None else "waited_unexplained"
    yield _statement(incident, WAITED, CLIENTS, node, reason, arguments, run, run.worst)
    of_nodes: dict[int, Sign] = {}
    for sign in signs(series, run.began_low or run.began_high):
        if sign.run.began_low is not None and _is_during(sign.run, run):
            of_nodes.setdefault(sign.node, sign)
    is_moved = all(sign.subject == REASSIGNMENT for sign in of_nodes.values())
    for sign in of_nodes.values():
        is_cause = len(of_nodes) == 1 or (is_moved and sign.is_source)
        yield _of_sign(series, incident, sign, NAMED if is_cause else SEEN)


def _long_waits(series: Series, node: int, metric: str) -> Iterator[Run]:
    for labels, points in series.all(node, metric).items():
        if _quantile(labels) == float(ONE_IN_100):
            for run in runs(points, lambda one: one.value >= WAITED_MS):
                past = usual(points, run.began_high)
                if run.began_low is not None and past is not None and run.worst >= TIMES_USUAL * past:
                    yield run


def _is_during(trouble: Run, wait: Run) -> bool:
    """Whether a trouble began before a wait was over, and was not over before it began."""
    began = trouble.began_low is None or wait.ended_high is None or trouble.began_low <= wait.ended_high + CLOCKS
    lasted = trouble.ended_high is None or wait.began_low is None or trouble.ended_high >= wait.began_low - CLOCKS
    return began and lasted


def _quantile(labels: Iterable[tuple[str, str]]) -> float | None:
    return next((float(value) for key, value in labels if key == "quantile"), None)


def _controllers(series: Series, incident: IncidentSummary) -> Iterator[MetricStatement]:
    """Two nodes that were certainly both the active controller."""
    by_node = [(node, series.one(node, "active_controller")) for node in series.nodes]
    for node, other, low, high in overlapping_leaders(by_node):
        run = Run((low, high), None, low.ts, high.ts, None)
        yield _statement(
            incident, CONTRADICTED, CONTROLLER, node, "two_controllers", {"node": node, "other": other}, run, 2.0
        )
        return
