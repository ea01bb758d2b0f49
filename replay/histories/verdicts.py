"""The verdict on each change of leader: on committed records, and on those above the commit point (facts §3.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from replay.facts.evidence import joined
from replay.facts.order import at_most, less
from replay.facts.times import first_known, known, least, millis
from replay.histories import premises
from replay.histories.changes import Measured, is_damaged
from replay.histories.marks import Mark
from replay.histories.partition import CLEAN, is_unclean, others_may_have_led
from replay.tables.losses import OPEN_VERDICTS, Loss

_CUT_IS_PRINTED_WITHIN_MS = 1_000  # a follower cuts its log as it begins to follow


@dataclass(frozen=True, slots=True)
class Judgement:
    """One verdict with its scenario (facts §3.3), the premise that carries it, and the offsets until which records
    are lost at least and at most (None: nobody knows).
    """

    verdict: str
    scenario: str | None
    premise: str
    at_least: int | None
    at_most: int | None


def committed(change: Measured, life: int) -> Iterator[Loss]:
    """The verdict on committed records; two where the new leader has records of its own at some of their offsets."""
    judged, begin = _judged(change), begins(change)
    own_until = _own_records_until(change, judged)
    if own_until is not None:
        is_all = own_until == judged.at_least
        premise = premises.replaced(change, own_until)
        replaced = Judgement("POSSIBLE_LOSS", judged.scenario, premise, begin, judged.at_most if is_all else own_until)
        yield _row(change, life, "committed", begin, replaced)
        if is_all:
            return
        begin = own_until
    yield _row(change, life, "committed", begin, judged)


def _own_records_until(change: Measured, judged: Judgement) -> int | None:
    """Until where the new leader's log holds records of its own in place of those that are surely not in it; None where
    there are none such.

    It took them in before the old leader led, and clean elections since then tell that they were not committed.
    Producers that got no answer for them sent them again, and the old leader stored and committed them: so they may be
    the same records.
    """
    own_end = change.row.epoch_start_offset
    if judged.verdict != "PROVEN_LOSS" or change.parted.forked or not less(change.parted.offset, own_end):
        return None
    if change.change.border is not None:
        return None
    return least(own_end, judged.at_least)


def _judged(change: Measured) -> Judgement:
    start, n_old = change.parted.offset, change.n_old
    if start is None:
        return _where_nobody_knows_the_start(change)
    nothing_cut = at_most(n_old, start) and not others_may_have_led(change.row)
    unclean = is_unclean(change.row)
    if unclean and change.rules.alone and change.rules.gate_open and less(start, n_old) and change.parted.is_sure:
        return Judgement("PROVEN_LOSS", "S4", premises.alone(change), n_old, n_old)
    if less(start, change.low_offset) and not nothing_cut and change.parted.is_sure:
        return _below_a_high_watermark(change)
    if change.rules.died and nothing_cut and less(n_old, change.low_offset):
        return _came_back_short(change)
    if nothing_cut:
        nothing = begins(change)
        return Judgement("NO_LOSS_OBSERVED", _scenario(change), premises.nothing_cut(change), nothing, nothing)
    if is_clean(change):
        return _after_clean_election(change)
    if unclean and less(start, n_old):
        premise = premises.outside_isr(change)
        return Judgement("POSSIBLE_LOSS", "S4", premise, begins(change), _old_end(change))
    return _undetermined(change)


def _where_nobody_knows_the_start(change: Measured) -> Judgement:
    if is_clean(change) and not change.rules.maybe_to_own_hw and change.rules.are_told:
        return _by_protocol(change)
    return _undetermined(change)


def _below_a_high_watermark(change: Measured) -> Judgement:
    """A high watermark was told above where the new history begins: what lies between was committed."""
    low, n_old = change.low_offset, change.n_old
    lost_for_sure = least(low, n_old)
    lost_at_most = None
    if not others_may_have_led(change.row):
        lost_at_most = lost_for_sure if is_clean(change) else n_old
    premise = premises.anchored(change)
    return Judgement("PROVEN_LOSS", _scenario_of_proof(change), premise, lost_for_sure, lost_at_most)


def _scenario_of_proof(change: Measured) -> str | None:
    if is_unclean(change.row):
        return "S4"
    if change.new.cut_before is not None:
        return "S1"
    if change.parted.forked:
        return "S2"
    return None if change.row.elected_from is None else "S6"


def _came_back_short(change: Measured) -> Judgement:
    """The old leader held committed records that it came back without: only a loss of power does that, and how much
    more it took nobody knows.
    """
    if is_clean(change) and at_most(change.low_offset, change.row.epoch_start_offset):
        return _by_protocol(change)
    premise = premises.came_back_short(change)
    return Judgement("UNDETERMINED", _scenario(change), premise, begins(change), None)


def _after_clean_election(change: Measured) -> Judgement:
    if change.rules.to_own_hw:
        return Judgement("POSSIBLE_LOSS", "S1", premises.cut_to_own(change), begins(change), _old_end(change))
    return _undetermined(change) if change.rules.maybe_to_own_hw else _by_protocol(change)


def _by_protocol(change: Measured) -> Judgement:
    nothing = begins(change)
    premise = premises.by_protocol(change)
    return Judgement("NO_COMMITTED_LOSS_BY_PROTOCOL", _scenario(change), premise, nothing, nothing)


def _undetermined(change: Measured) -> Judgement:
    premise = premises.undetermined(change, is_clean(change), may_have_left(change))
    return Judgement("UNDETERMINED", _scenario(change), premise, begins(change), _old_end(change))


def _scenario(change: Measured) -> str | None:
    """S4, unless the new leader was in sync, or nobody knows."""
    elected_from = change.row.elected_from
    return None if elected_from is None or is_clean(change) else "S4"


def _old_end(change: Measured) -> int | None:
    return None if others_may_have_led(change.row) else change.n_old


def is_clean(change: Measured) -> bool:
    """The new leader surely was in the ISR, or in the ELR."""
    return change.row.elected_from in CLEAN and not may_have_left(change)


def may_have_left(change: Measured) -> bool:
    """The new leader started anew since the last ISR that shows it, and changes of the ISR since then are not logged:
    it may have been taken out.
    """
    row, isrs = change.row, change.isrs
    if row.elected_from is None or is_unclean(row) or isrs.first is None or isrs.last is None:
        return False
    unseen = isrs.first - isrs.last.partition_epoch > row.leader_epoch - isrs.last.leader_epoch
    return unseen and less(isrs.held_new_leader_ts, change.new.restarted_ts)


def begins(change: Measured) -> int:
    """The offset from which committed records may be lost."""
    low = change.low_offset if is_clean(change) else None
    return first_known(change.parted.offset, low, 0) or 0


def above_commit_point(change: Measured, life: int) -> Loss | None:
    """What the old leader held above the commit point and had to discard; None where it discarded nothing.

    A leader that leads again next, its log not cut, brings all of it back.
    """
    start, low = change.parted.offset, change.low_offset
    if start is None or _is_judged_as_committed(change):
        return None
    begin = start if low is None else max(start, low)
    if less(begin, change.n_old) and not _brought_back(change):
        premise = premises.discarded(change, begin)
        return _row(change, life, "acked_possible", begin, _judgement_s7("POSSIBLE_LOSS", premise, begin, change))
    reached = change.old.reached
    if reached is not None and _went_past(change, reached, begin):
        premise = premises.discarded_at_least(change, reached)
        row = _row(change, life, "acked_possible", begin, _judgement_s7("POSSIBLE_LOSS", premise, begin, change))
        return row.but(evidence=joined(row.evidence, known([reached.event])))
    if change.n_old is None and not _was_never_cut(change):
        premise = premises.end_unknown(change)
        return _row(change, life, "acked_possible", begin, _judgement_s7("UNDETERMINED", premise, begin, change))
    return None


def _went_past(change: Measured, reached: Mark, begin: int) -> bool:
    """No line tells where the old leader's log ended, but that it had gone past `begin`, and it was cut to it or before."""
    old = change.old
    if change.n_old is not None or is_damaged(old) or old.cut is None:
        return False
    return less(begin, reached.log_end_offset) and at_most(old.cut.truncation_offset, begin)


def _judgement_s7(verdict: str, premise: str, begin: int, change: Measured) -> Judgement:
    return Judgement(verdict, "S7", premise, begin, change.n_old)


def _is_judged_as_committed(change: Measured) -> bool:
    """All that was cut may have been committed: then it is the other verdict's."""
    if not is_clean(change):
        return True
    start = change.parted.offset
    if not (change.rules.to_own_hw or change.rules.maybe_to_own_hw):
        return False
    return not (less(start, change.low_offset) or at_most(change.n_old, start))


def _brought_back(change: Measured) -> bool:
    then, cut = change.change.then, change.old.cut
    if then is None or then.leader_id != change.old_leader:
        return False
    not_cut = cut is None or less(then.start_ts, cut.ts)
    return at_most(change.n_old, then.epoch_start_offset) and not_cut


def _was_never_cut(change: Measured) -> bool:
    """The old leader followed at once, says so, and is seen for a while after: it would have printed a cut."""
    old = change.old
    if old.cut is not None or change.moved_away or is_damaged(old):
        return False
    says_so = old.took.first is not None and old.took.first.says_so
    return says_so and less(_CUT_IS_PRINTED_WITHIN_MS, millis(old.seen_ts, old.took.cutoff))


def _row(change: Measured, life: int, loss_class: str, from_offset: int, judged: Judgement) -> Loss:
    row, old = change.row, change.old
    given: dict[str, Any] = {
        "life": life,
        "topic": row.topic,
        "partition": row.partition,
        "leader_epoch": row.leader_epoch,
        "ts": row.start_ts,
        "old_leader_id": row.last_leader_id,
        "new_leader_id": row.leader_id,
    }
    still_held = old.took.cutoff is None and old.cut is None and not change.moved_away
    kept = judged.verdict in OPEN_VERDICTS and (still_held or change.parted.forked)
    return Loss(
        **given,
        scenario=judged.scenario,
        loss_class=loss_class,
        verdict=judged.verdict,
        from_offset=from_offset,
        to_offset_low=judged.at_least,
        to_offset_high=judged.at_most,
        recoverable_from=[row.last_leader_id] if kept else [],
        premise=judged.premise,
        evidence=_evidence(change),
    )


def _evidence(change: Measured) -> list[str]:
    row, old = change.row, change.old
    marks = (change.low, old.ended, old.cut, change.new.cut_before)
    return joined(
        (row.evidence or [])[:3],
        [mark.event for mark in marks if mark is not None],
        [change.parted.event],
        [old.by_hw.event] if change.parted.forked and old.by_hw is not None else [],
        (row.isr_before_evidence or [])[:2],
    )
