"""The verdict on each change of leader: on committed records, and on those above the commit point (facts §3.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from replay.facts.evidence import joined
from replay.facts.order import at_most, less
from replay.facts.times import first_known, greatest, known, least, millis
from replay.histories import premises
from replay.histories.changes import Measured, is_damaged
from replay.histories.marks import Mark
from replay.histories.partition import CLEAN, is_unclean, others_may_have_led, scenario_of_unclean
from replay.histories.recovered import Recovered
from replay.histories.replicated import IN_SYNC_FETCHES
from replay.histories.scenarios import UNCOMMITTED_TAIL
from replay.tables.losses import OPEN_VERDICTS, Loss

_CUT_IS_PRINTED_WITHIN_MS = 1_000  # a follower truncates its log when it begins to follow


@dataclass(frozen=True, slots=True)
class Judgement:
    """One verdict with its scenario (facts §3.3), its premise, and the offsets up to which records are lost at least
    and at most (None: unknown).
    """

    verdict: str
    scenario: str | None
    premise: str
    at_least: int | None
    at_most: int | None
    begin: int | None = None  # where that is not the offset at which the two logs diverge


def committed(change: Measured, life: int) -> Iterator[Loss]:
    """The verdict on committed records; two if the new leader has records of its own at some of their offsets."""
    judgement = _verdict(change)
    begin = begins(change) if judgement.begin is None else judgement.begin
    own_until = _own_records_until(change, judgement)
    if own_until is not None:
        is_all = own_until == judgement.at_least
        premise = premises.replaced(change, own_until)
        replaced = Judgement(
            "POSSIBLE_LOSS", judgement.scenario, premise, begin, judgement.at_most if is_all else own_until
        )
        row = _row(change, life, "committed", begin, replaced)
        if is_all:
            yield row
            return
        yield row.but(discarded_to_offset=least(row.discarded_to_offset, own_until))  # the next row has the others
        begin = own_until
    yield _row(change, life, "committed", begin, judgement)


def _own_records_until(change: Measured, judgement: Judgement) -> int | None:
    """The offset up to which the new leader's log has records of its own in place of the lost ones; None if it has
    none.

    It accepted them before the old leader led, and the clean elections since then show that they were not committed.
    Producers that got no acknowledgement sent them again, and the old leader stored and committed them: so they may be
    the same records.
    """
    own_end = change.row.epoch_start_offset
    if judgement.verdict != "PROVEN_LOSS" or change.divergence.forked or not less(change.divergence.offset, own_end):
        return None
    if change.change.border is not None:
        return None
    return least(own_end, judgement.at_least)


def _verdict(change: Measured) -> Judgement:
    start, n_old = change.divergence.offset, change.n_old
    if start is None:
        return _with_unknown_start(change)
    nothing_cut = at_most(n_old, start) and not others_may_have_led(change.row)
    unclean = is_unclean(change.row)
    if unclean and change.rules.alone and change.rules.gate_open and less(start, n_old) and change.divergence.is_sure:
        return Judgement("PROVEN_LOSS", "S4", premises.alone(change), n_old, n_old)
    if change.rules.died and at_most(n_old, start) and less(n_old, change.low_offset):
        return _restarted_with_less(change)
    if less(start, change.low_offset) and not nothing_cut and change.divergence.is_sure:
        return _below_a_high_watermark(change)
    if nothing_cut:
        nothing = begins(change)
        return Judgement("NO_LOSS_OBSERVED", _scenario(change), premises.nothing_cut(change), nothing, nothing)
    if is_clean(change):
        return _after_clean_election(change)
    if unclean and less(start, n_old):
        premise = premises.outside_isr(change)
        return Judgement("POSSIBLE_LOSS", "S4", premise, begins(change), _old_end(change))
    return _undetermined(change)


def _with_unknown_start(change: Measured) -> Judgement:
    if is_clean(change) and not change.rules.maybe_to_own_hw and change.rules.rule_is_logged:
        return _by_protocol(change)
    return _undetermined(change)


def _below_a_high_watermark(change: Measured) -> Judgement:
    """A high watermark above the start of the new history was logged: the records in between were committed."""
    low, n_old = change.low_offset, change.n_old
    is_shorter = _came_back_shorter(change)
    if is_shorter:
        n_old = None
    lost_for_sure = least(low, n_old)
    lost_at_most = None
    if not others_may_have_led(change.row):
        is_open = is_shorter or (change.low is not None and change.low.source == IN_SYNC_FETCHES)
        lost_at_most = lost_for_sure if is_clean(change) and not is_open else n_old
    premise = premises.anchored(change)
    return Judgement("PROVEN_LOSS", _scenario_of_proof(change), premise, lost_for_sure, lost_at_most)


def _came_back_shorter(change: Measured) -> bool:
    """Whether the old leader's log is known only as it came back, without records that it had held before it died."""
    ended, low = change.old.ended, change.low
    if ended is None or low is None or not change.rules.died:
        return False
    return less(ended.log_end_offset, low.high_watermark) and less(low.ts, ended.life_ts)


def _scenario_of_proof(change: Measured) -> str | None:
    if is_unclean(change.row):
        return scenario_of_unclean(change.row)
    if change.new.cut_before is not None:
        return "S1"
    if change.divergence.forked:
        return "S2"
    return None if change.row.elected_from is None else "S6"


def _restarted_with_less(change: Measured) -> Judgement:
    """The old leader returned without committed records: only a loss of power does that, and the extent is unknown. They
    are lost if the new leader begins below them.
    """
    start = change.row.epoch_start_offset
    if is_clean(change) and at_most(change.low_offset, start):
        return _by_protocol(change)
    premise = premises.restarted_with_less(change)
    if less(start, change.low_offset):
        return Judgement("PROVEN_LOSS", _scenario_of_proof(change), premise, change.low_offset, None, start)
    return Judgement("UNDETERMINED", _scenario(change), premise, begins(change), None)


def _after_clean_election(change: Measured) -> Judgement:
    if change.rules.to_own_hw:
        return Judgement("POSSIBLE_LOSS", "S1", premises.cut_to_own(change), begins(change), _old_end(change))
    return _undetermined(change) if change.rules.maybe_to_own_hw else _by_protocol(change)


def _by_protocol(change: Measured) -> Judgement:
    if change.new.crashed is not None:
        return _after_a_crash_in_the_isr(change, change.new.crashed)
    nothing = begins(change)
    premise = premises.by_protocol(change)
    return Judgement("NO_COMMITTED_LOSS_BY_PROTOCOL", _scenario(change), premise, nothing, nothing)


def _after_a_crash_in_the_isr(change: Measured, log: Recovered) -> Judgement:
    """A member of the ISR holds every committed record only as far as its disk kept them (facts §3.3, S6)."""
    start, at_most_lost = begins(change), None if change.rules.died else _old_end(change)
    if log.end is None or log.high_watermark is None:
        return Judgement("UNDETERMINED", "S6", premises.recovered_unknown(change, log), start, at_most_lost)
    if less(log.high_watermark, log.end):
        return Judgement("NO_LOSS_OBSERVED", "S6", premises.recovered_past_checkpoint(change, log), start, start)
    return Judgement("POSSIBLE_LOSS", "S6", premises.recovered_to_checkpoint(change, log), start, at_most_lost)


def _undetermined(change: Measured) -> Judgement:
    premise = premises.undetermined(change, is_clean(change), may_have_left(change))
    return Judgement("UNDETERMINED", _scenario(change), premise, begins(change), _old_end(change))


def _scenario(change: Measured) -> str | None:
    """None if the new leader was in the ISR, or that is unknown."""
    return None if is_clean(change) else scenario_of_unclean(change.row)


def _old_end(change: Measured) -> int | None:
    return None if others_may_have_led(change.row) else change.n_old


def is_clean(change: Measured) -> bool:
    """Whether the new leader certainly was in the ISR or the ELR."""
    return change.row.elected_from in CLEAN and not may_have_left(change)


def may_have_left(change: Measured) -> bool:
    """Whether the new leader restarted after the last ISR that shows it, and changes of the ISR since then are not
    logged: it may have been removed.
    """
    row, isrs = change.row, change.isrs
    if row.elected_from is None or is_unclean(row) or isrs.first is None or isrs.last is None:
        return False
    # An ISR that was announced before any leader epoch is known has none: only this election is known since then.
    elections = 1 if isrs.last.leader_epoch is None else row.leader_epoch - isrs.last.leader_epoch
    unseen = isrs.first - isrs.last.partition_epoch > elections
    return unseen and less(isrs.held_new_leader_ts, change.new.restarted_ts)


def begins(change: Measured) -> int:
    """The offset from which committed records may be lost."""
    low = change.low_offset if is_clean(change) else None
    return first_known(change.divergence.offset, low, 0) or 0


def above_commit_point(change: Measured, life: int) -> Loss | None:
    """The records that the old leader had above the commit point and had to discard; None if it discarded nothing.

    A leader that leads again next, without a truncation, brings all of them back.
    """
    start, low = change.divergence.offset, change.low_offset
    if _is_covered_by_committed(change):
        return None
    if start is None:
        return _with_unknown_tail(change, life)
    begin = start if low is None else max(start, low)
    if less(begin, change.n_old) and not _brought_back(change):
        premise = premises.discarded(change, begin)
        return _row(change, life, "acked_possible", begin, _uncommitted("POSSIBLE_LOSS", premise, begin, change))
    reached = change.old.reached
    if reached is not None and _went_past(change, reached, begin):
        premise = premises.discarded_at_least(change, reached)
        row = _row(change, life, "acked_possible", begin, _uncommitted("POSSIBLE_LOSS", premise, begin, change))
        return row.but(evidence=joined(row.evidence, known([reached.event])))
    if change.old.discards and less(begin, change.reached_offset):
        premise = premises.discarded_by_cut(change)
        return _row(change, life, "acked_possible", begin, _uncommitted("POSSIBLE_LOSS", premise, begin, change))
    if change.n_old is None and not _was_never_cut(change):
        premise = premises.end_unknown(change)
        return _row(change, life, "acked_possible", begin, _uncommitted("UNDETERMINED", premise, begin, change))
    return None


def _with_unknown_tail(change: Measured, life: int) -> Loss | None:
    """What a clean election discarded, if no line shows where the new leader began."""
    begin = change.low_offset or 0
    if _verdict(change).verdict in OPEN_VERDICTS:
        return None
    if _was_never_cut(change) or _brought_back(change) or at_most(change.n_old, begin):
        return None
    premise = premises.start_unknown(change)
    return _row(change, life, "acked_possible", begin, _uncommitted("UNDETERMINED", premise, begin, change))


def _went_past(change: Measured, reached: Mark, begin: int) -> bool:
    """Whether no line shows the old leader's log end, but that it was beyond `begin` and was truncated to it or below."""
    old = change.old
    if change.n_old is not None or is_damaged(old) or old.cut is None:
        return False
    return less(begin, reached.log_end_offset) and at_most(old.cut.truncation_offset, begin)


def _uncommitted(verdict: str, premise: str, begin: int, change: Measured) -> Judgement:
    return Judgement(verdict, UNCOMMITTED_TAIL, premise, begin, change.n_old)


def _is_covered_by_committed(change: Measured) -> bool:
    """Whether all discarded records may have been committed: then the other verdict covers them."""
    if not is_clean(change):
        return True
    start = change.divergence.offset
    if change.low is not None and change.low.source == IN_SYNC_FETCHES and less(start, change.low_offset):
        return True
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
    """Whether the old leader followed immediately, logged that, and wrote lines for a while: a truncation would have a
    line.
    """
    old = change.old
    if old.cut is not None or change.moved_away or is_damaged(old):
        return False
    is_logged = old.took.first is not None and old.took.first.is_logged
    return is_logged and less(_CUT_IS_PRINTED_WITHIN_MS, millis(old.seen_ts, old.took.cutoff))


def _row(change: Measured, life: int, loss_class: str, from_offset: int, judgement: Judgement) -> Loss:
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
    still_held = old.took.cutoff is None and old.cut is None and not (change.moved_away or change.rejoined)
    crashed = change.new.crashed if judgement.scenario == "S6" else None
    kept = judgement.verdict in OPEN_VERDICTS and (still_held or change.divergence.forked)
    return Loss(
        **given,
        scenario=judgement.scenario,
        loss_class=loss_class,
        verdict=judgement.verdict,
        from_offset=from_offset,
        to_offset_low=judgement.at_least,
        to_offset_high=judgement.at_most,
        discarded_to_offset=_discarded_to(change, judgement, from_offset),
        recoverable_from=[row.last_leader_id] if kept else [],
        premise=judgement.premise,
        evidence=joined(_evidence(change), [] if crashed is None else known(crashed.events)),
    )


def _discarded_to(change: Measured, judgement: Judgement, from_offset: int) -> int | None:
    """The offset up to which the old leader's log certainly held records that the new leader's does not."""
    if judgement.verdict not in OPEN_VERDICTS or others_may_have_led(change.row):
        return judgement.at_least if judgement.verdict == "PROVEN_LOSS" else None
    cut = None if change.old.cut is None else change.old.cut.truncation_offset
    is_gone = at_most(change.row.epoch_start_offset, from_offset) or at_most(cut, from_offset)
    reached = change.reached_offset if is_gone else None
    longer = reached if less(from_offset, reached) else None
    return greatest(longer, judgement.at_least if judgement.verdict == "PROVEN_LOSS" else None)


def _fetched_further(change: Measured) -> Mark | None:
    """The fetches that show that the old leader's log went further than any other line shows."""
    fetched = change.old.fetched
    if fetched is None or not less(change.row.epoch_start_offset, fetched.log_end_offset):
        return None
    return None if at_most(fetched.log_end_offset, change.n_old) else fetched


def _evidence(change: Measured) -> list[str]:
    row, old = change.row, change.old
    marks = (change.low, old.ended, old.cut, change.new.cut_before, _fetched_further(change))
    return joined(
        (row.evidence or [])[:3],
        *[mark.evidence for mark in marks if mark is not None],
        [old.cut.end_event] if old.cut is not None and old.ended is None else [],
        [change.divergence.event],
        [old.by_hw.event] if change.divergence.forked and old.by_hw is not None else [],
        (row.isr_before_evidence or [])[:2],
    )
