"""Conclusions about effects: partitions without a leader, rejected writes, damaged logs, controller changes, and
effects without a known cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, TypeVar

from replay.causes.conclusions import Causes, EffectGroup, by_incident, conclusion, conclusion_id, effect_groups
from replay.causes.depositions import Deposition
from replay.causes.incident import UNDETERMINED
from replay.causes.incidents import Incidents
from replay.causes.rules import BEGUN_BEFORE
from replay.causes.trouble import REPEATED, often_enough
from replay.facts.evidence import once_each
from replay.facts.order import less
from replay.facts.times import first_known, greatest, known, least, millis, plus_millis
from replay.faults.kinds import KINDS, ORDERED_STOPS, ROUTINE, UNKNOWN
from replay.sentences import statement
from replay.tables.brokers import Controller
from replay.tables.causes import Conclusion, Effect, OpenLoss, RootSpan, Trouble
from replay.tables.faults import Fault
from replay.tables.losses import Loss

MOST_LINES = 24  # of errors of unknown cause
NEAR_MS = 120_000  # how long before or after a fault an error may belong to it
LULL_MS = 3_600_000  # after an hour without an error, later errors have another cause
APART_MS = 600_000  # moves of the controller that far apart do not belong to one series
OFTEN, WITHIN_MS = 3, 1_800_000  # controller epochs over so many nodes' moves and such a time: F09 (facts §5)
MOST_DEPOSITIONS = 3  # of one incident; a voter that is frozen again and again deposes as often
ROUTINE_CODES = tuple(sorted({kind.code for kind in KINDS if kind.routine}))


def partitions_without_leader(
    effects: Iterable[Effect], causes: Causes, root_spans: Iterable[RootSpan]
) -> Iterator[Conclusion]:
    """Partitions that were without a leader for longer than a change of leader takes, as the controller recorded it; apart
    from them those of which the first line shows that they already had none.
    """
    incidents, lasting = Incidents(root_spans), [effect for effect in effects if not effect.is_passing]
    for is_found_so in (False, True):
        alike = [effect for effect in lasting if (effect.by == BEGUN_BEFORE) == is_found_so]
        for group in effect_groups(alike, "leaderless"):
            first_code = incidents.first_codes.get(group.incident_id or "")
            code = _first_cause(group, causes) or first_code or UNKNOWN
            yield _found_without_leader(group, code) if is_found_so else _without_leader(group, code)


def _first_cause(group: EffectGroup, causes: Causes) -> str | None:
    """The code of the first effect's cause. Prefers faults to routine work."""
    known_ones = [
        (code in ROUTINE_CODES, effect.ts, effect.first_id, code)
        for effect in group.effects
        if (code := causes.code(effect.root_ids)) is not None
    ]
    return min(known_ones)[-1] if known_ones else None


def _without_leader(group: EffectGroup, code: str) -> Conclusion:
    open_ones = [effect for effect in group.effects if effect.is_open]
    still, names = sum(effect.count for effect in open_ones), group.partitions
    is_one, is_open = len(names) == 1, bool(open_ones)
    longest_ms = max(effect.longest_ms for effect in group.effects)
    sum_ms = sum(effect.sum_ms for effect in group.effects)
    end_ts = greatest(*(effect.last_ts if effect.is_open else effect.over_ts for effect in group.effects))
    return conclusion(
        id=conclusion_id("leaderless", group.incident_id, group.start_ts),
        code=code,
        role="effect",
        severity="high",
        title=statement(
            "without_leader_for" if is_one and not is_open else "without_leader",
            partitions=len(names),
            longest_ms=None if is_open else longest_ms,
            alone=is_one and is_open,
            still=still if is_open and not is_one else None,
        ),
        statements=[
            statement(
                "were_without_leader",
                all_names=names,
                sum_ms=None if is_open else sum_ms,
                least_ms=sum_ms if is_open else None,
                still=still if is_open else None,
            )
        ],
        confidence=0.95,
        not_logged=[statement("when_clients_noticed")],
        **{**group.what, "end_ts": end_ts, "broker_ids": []},
    )


def _found_without_leader(group: EffectGroup, code: str) -> Conclusion:
    """Partitions without a leader since before their first line."""
    still = sum(effect.count for effect in group.effects if effect.is_open)
    end_ts = greatest(*(effect.last_ts if effect.is_open else effect.over_ts for effect in group.effects))
    return conclusion(
        id=conclusion_id("leaderless", group.incident_id, group.start_ts, BEGUN_BEFORE),
        code=code,
        role="effect",
        severity="high",
        title=statement(
            "found_without_leader",
            partitions=len(group.partitions),
            least_ms=max(effect.longest_ms for effect in group.effects),
            still=still or None,
        ),
        statements=[
            statement(
                "were_found_without_leader",
                all_names=group.partitions,
                at_found=group.start_ts,
                sum_ms=sum(effect.sum_ms for effect in group.effects),
                still=still or None,
            )
        ],
        confidence=0.95,
        not_logged=[statement("since_when_without_leader"), statement("when_clients_noticed")],
        **{**group.what, "end_ts": end_ts, "broker_ids": []},
        began_high=group.start_ts,
    )


def rejected_writes(effects: Iterable[Effect]) -> Iterator[Conclusion]:
    """F20: writes with acks=all that leaders rejected for too few in-sync replicas."""
    for group in effect_groups(effects, "writes_refused"):
        yield conclusion(
            id=conclusion_id("writes_refused", group.incident_id, group.start_ts),
            code="F20",
            role="effect",
            severity="high",
            title=statement("writes_rejected", partitions=len(group.partitions)),
            statements=[statement("rejected_writes", all_names=group.partitions, count=_refused(group))],
            confidence=0.97,
            not_logged=[statement("how_many_producers_waited")],
            **{**group.what, "end_ts": greatest(group.end_ts, *(effect.over_ts for effect in group.effects))},
        )


def _refused(group: EffectGroup) -> int | None:
    """How many writes leaders refused; None if that is unknown for some of them."""
    counts = [effect.refused for effect in group.effects]
    return None if None in counts else sum(known(counts))


def damaged_logs(effects: Iterable[Effect], faults: Iterable[Fault] = ()) -> Iterator[Conclusion]:
    """F24: logs that recovery found damaged at a restart and truncated. If the broker's disk was full before, its own
    lines explain the damage.
    """
    full = [fault for fault in faults if fault.kind == "disk_full"]
    for group in effect_groups(effects, "damaged_logs"):
        was_full = any(fault.broker_id in group.brokers and less(fault.ts, group.start_ts) for fault in full)
        yield conclusion(
            id=conclusion_id("damaged_logs", group.incident_id, group.start_ts),
            code="F24",
            role="effect",
            severity="medium",
            title=statement("logs_found_damaged", count=group.count, all_brokers=group.brokers),
            statements=[statement("recovery_cut_logs", all_names=group.partitions, count=group.count, full=was_full)],
            confidence=0.97,
            not_logged=[] if was_full else [statement("what_damaged_files")],
            **group.what,
        )


def controller_changes(
    effects: Iterable[Effect],
    causes: Causes,
    controllers: Iterable[Controller] = (),
    deposed: Sequence[Deposition] = (),
) -> Iterator[Conclusion]:
    """F08, and F09 if the controller moved often between nodes without an ordered stop. Yields `CONCLUSIONS`."""
    won_after = {(one.following.controller_id, one.following.start_ts): one for one in deposed}
    lost_rounds = {(one.controller_id, one.start_ts): one for one in controllers if one.lost_rounds}
    for group in effect_groups((effect for effect in effects if effect.incident_id is not None), "controller_changes"):
        slow = [won for effect in group.effects if (won := lost_rounds.get((effect.node_id, effect.ts))) is not None]
        before = known(won_after.get((effect.node_id, effect.ts)) for effect in group.effects)
        yield _controller_moved(group, causes, slow, before)


def _lost_rounds(slow: Sequence[Controller]) -> dict[str, Any]:
    """The rounds of voting before these controllers' elections that nobody won."""
    if not slow:
        return {}
    return {
        "rounds": sum(one.lost_rounds or 0 for one in slow),
        "all_stood": sorted({node for one in slow for node in one.lost_rounds_of or ()}),
        "lost_ms": sum(millis(one.start_ts, one.lost_rounds_from) or 0 for one in slow),
    }


def _controller_moved(
    group: EffectGroup, causes: Causes, slow: Sequence[Controller], deposed: Sequence[Deposition]
) -> Conclusion:
    """An effect if known faults explain every move: the new controllers are not at fault."""
    behind = [causes.behind(effect.root_ids) for effect in group.effects]
    unexplained = sum(not faults for faults in behind)
    unasked = sum(not any(fault.kind in ORDERED_STOPS for fault in faults) for faults in behind)
    took_ms = millis(group.end_ts, group.start_ts) or 0
    is_often = unasked >= OFTEN and len(group.brokers) >= 2 and took_ms < WITHIN_MS
    nodes = [effect.node_id for effect in sorted(group.effects, key=lambda effect: (effect.ts, effect.node_id))]
    stayed = all(effect.is_other_leader is False for effect in group.effects)
    title = "controller_stayed" if stayed else "controller_failover" if group.count == 1 else "controller_moved"
    return conclusion(
        id=conclusion_id("controller_changes", group.incident_id, group.start_ts),
        code="F09" if is_often else "F08",
        role="contributing" if is_often and unexplained > 0 else "effect",
        severity="medium" if is_often else "low",
        title=statement(title, last=nodes[-1], count=None if stayed and group.count == 1 else group.count),
        statements=[
            statement(
                "controller_changed", count=group.count, nodes=group.count, all_nodes=nodes, **_lost_rounds(slow)
            ),
            *(one.as_statement for one in deposed[:MOST_DEPOSITIONS]),
        ],
        confidence=0.95,
        **group.what,
        began_high=group.start_ts if _first_is_found(group) else None,
    )


def _first_is_found(group: EffectGroup) -> bool:
    """Whether no line shows when the first of these had come, only by when."""
    return any(effect.found_late for effect in group.effects if effect.ts == group.start_ts)


def unexplained_controller_changes(effects: Iterable[Effect], causes: Causes) -> Iterator[Conclusion]:
    """F09 of unknown cause: the controller moved often between nodes, and no fault in these logs explains it. A gap of
    `APART_MS` separates series of moves.
    """
    moves = [effect for effect in _without_cause(effects, causes) if effect.kind == "controller_change"]
    for burst in _bursts(moves, APART_MS):
        group = EffectGroup(None, tuple(burst))
        if group.count >= OFTEN and len(group.brokers) >= 2:
            yield conclusion(
                id=conclusion_id("unexplained_controllers", None, group.start_ts),
                code="F09",
                role="effect",
                severity="medium",
                title=statement("controller_moved_unexplained", count=group.count),
                statements=[statement("controllers_took_turns", count=group.count, all_nodes=group.brokers)],
                confidence=0.5,
                not_logged=[statement("cause_of_changes")],
                **group.what,
            )


R = TypeVar("R", Effect, Trouble)


def _bursts(rows: Iterable[R], gap_ms: float) -> Iterator[list[R]]:
    """Splits rows into bursts at gaps longer than `gap_ms` between first times; rows without a time come first."""
    burst: list[R] = []
    for row in sorted(rows, key=lambda row: (row.ts is not None, row.ts.timestamp() if row.ts else 0.0, row.kind)):
        if burst and _is_apart(burst[-1].ts, row.ts, gap_ms):
            yield burst
            burst = []
        burst.append(row)
    if burst:
        yield burst


def _is_apart(ts: datetime | None, later: datetime | None, gap_ms: float) -> bool:
    passed = millis(later, ts)
    return later is not None if passed is None else passed > gap_ms


def _without_cause(effects: Iterable[Effect], causes: Causes) -> list[Effect]:
    """The happenings that belong to no incident and that no fault explains."""
    return [effect for effect in effects if effect.incident_id is None and not causes.behind(effect.root_ids)]


def preferred_elections(effects: Iterable[Effect], open_losses: Iterable[OpenLoss]) -> Iterator[Conclusion]:
    """F17, routine: leadership moved to the preferred replica; a root if no fault is near. It is harmless only if
    no record was lost; the loss itself states if that is unknown.
    """
    losses = [loss for loss in open_losses if loss.verdict != UNDETERMINED]
    moved = [effect for effect in effects if effect.by == "preferred" and effect.kind == "election"]
    for group in by_incident(moved):
        lost = [loss for loss in losses if any(_happened_in(loss, effect) for effect in group.effects)]
        harmless_as = "root_cause" if group.incident_id is None else "benign"
        yield conclusion(
            id=conclusion_id("preferred_elections", group.incident_id, group.start_ts),
            code="F17",
            role="contributing" if lost else harmless_as,
            severity="low" if lost else "info",
            title=statement("preferred_leaders_took_over"),
            statements=[
                statement(
                    "gave_back",
                    partitions=len(group.partitions),
                    all_brokers=group.brokers,
                    again=all(effect.is_return for effect in group.effects),
                ),
                statement("gave_back_at_a_cost", all_names=sorted({partition_of(loss) for loss in lost}))
                if lost
                else None,
            ],
            confidence=0.9,
            **group.what,
        )


def partition_of(loss: Loss) -> str:
    """`topic-partition`."""
    return f"{loss.topic}-{loss.partition}"


def _happened_in(loss: Loss, effect: Effect) -> bool:
    """Whether records were lost in one of these changes of leader."""
    if loss.ts is None or effect.ts is None:
        return False
    return partition_of(loss) in effect.partitions and effect.ts <= loss.ts <= effect.last_ts


def unexplained_changes(effects: Iterable[Effect], causes: Causes) -> Iterator[Conclusion]:
    """Effects that clients could notice and that no fault in these logs explains."""
    changed = [effect for effect in _without_cause(effects, causes) if effect.by != BEGUN_BEFORE]
    for group in effect_groups(changed, "unexplained"):
        yield conclusion(
            id=conclusion_id("unexplained", group.incident_id, group.start_ts),
            code=UNKNOWN,
            role="effect",
            severity="medium",
            title=statement("unexplained_changes"),
            statements=[statement("has_no_cause", count=group.count, all_names=group.partitions)],
            confidence=0.5,
            not_logged=[statement("cause_of_changes")],
            **group.what,
        )


def _without_explained(trouble: Iterable[Trouble], faults: Sequence[Fault]) -> list[Trouble]:
    """`trouble` without the rows during a fault or near one."""
    return [one for one in trouble if not any(_may_explain(fault, one) for fault in faults)]


def _may_explain(fault: Fault, trouble: Trouble) -> bool:
    """Whether a fault may explain the trouble. A fault without an end may explain everything after it, and any fault
    may explain trouble without a time. A requested action, such as a stop, explains only failed fetches.
    """
    if fault.kind in ROUTINE and trouble.kind not in REPEATED:
        return False
    begin, end = plus_millis(first_known(fault.began_low, fault.ts), -NEAR_MS), plus_millis(fault.end_ts, NEAR_MS)
    is_before = begin is not None and trouble.end_ts is not None and trouble.end_ts < begin
    is_after = end is not None and trouble.ts is not None and trouble.ts > end
    return not is_before and not is_after


def unexplained_errors(trouble: Sequence[Trouble], faults: Sequence[Fault]) -> Iterator[Conclusion]:
    """Error lines that no fault explains, by bursts: cause unknown."""
    for burst in _bursts(often_enough(_without_explained(trouble, faults)), LULL_MS):
        yield _errors(sorted(burst, key=_by_rank))


def _by_rank(one: Trouble) -> tuple[int, bool, float, str]:
    return one.rank, one.ts is not None, one.ts.timestamp() if one.ts is not None else 0.0, one.kind


def _errors(burst: Sequence[Trouble]) -> Conclusion:
    kinds = sorted({one.kind for one in burst})
    start_ts = least(*(one.ts for one in burst))
    count = sum(one.count for one in burst)
    return conclusion(
        id=conclusion_id("seen_cause_unknown", None, start_ts),
        code=UNKNOWN,
        role="effect",
        severity="low",
        title=statement("seen_cause_unknown"),
        statements=[
            statement(
                "lines_of_trouble",
                count=count,
                kinds=len(kinds),
                all_kinds=[kind.replace("_", " ") for kind in kinds],
                example=burst[0].example,
                caused_by=burst[0].caused_by,
            )
        ],
        start_ts=start_ts,
        end_ts=greatest(*(one.end_ts for one in burst)),
        broker_ids=sorted({node for one in burst for node in one.nodes or ()}),
        evidence=once_each(event for one in burst for event in one.evidence)[:MOST_LINES],
        confidence=0.5,
        not_logged=[statement("cause_of_errors")],
    )
