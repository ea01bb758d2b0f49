"""The premise of each verdict, in a sentence."""

from __future__ import annotations

from replay.facts.order import less
from replay.facts.times import first_known, least
from replay.histories.changes import Measured, is_damaged
from replay.histories.marks import Mark
from replay.histories.partition import is_unclean, others_may_have_led
from replay.histories.recovered import Recovered, came_back
from replay.histories.replicated import IN_SYNC_FETCHES
from replay.sentences.shown_offsets import shown_as
from replay.tables.offsets import EpochLine, Truncation
from replay.tables.partitions import LeaderEpoch


def _leads_from(change: Measured) -> int | None:
    return first_known(change.row.epoch_start_offset, change.divergence.offset)


def _logged_high_watermark(change: Measured) -> str:
    low = change.low
    assert low is not None
    if low.source == IN_SYNC_FETCHES:
        return held_by_all(low)
    return f"broker {low.node_id} logged high watermark {low.high_watermark} {shown_as(low.source)}"


def held_by_all(mark: Mark) -> str:
    """That all in-sync replicas held the records below an offset."""
    one = len(mark.followers) == 1
    return (
        f"every in-sync replica held the records below {mark.high_watermark}, so they were committed: leader {mark.node_id} and "
        f"broker{'' if one else 's'} {' and '.join(map(str, mark.followers))}, which had fetched "
        f"to that offset when {'its fetch' if one else 'their fetches'} failed"
    )


def _parts_earlier(change: Measured) -> str:
    parts = change.divergence.offset
    return f"; their logs diverge at {parts} already" if less(parts, least(_leads_from(change), change.n_old)) else ""


def _as_it_came_back(change: Measured) -> str:
    if not change.rules.died or change.rules.host_ran:
        return ""
    return (
        "; its log end offset was logged after the restart: it is exact if only the process died, and can be too low if the "
        "host lost power"
    )


def alone(change: Measured) -> str:
    old, new = change.old_leader, change.new_leader
    return (
        f"broker {old} was alone in the ISR, so its high watermark was its log end offset: all of its log up to {change.n_old} "
        f"was committed, and broker {new}, outside that ISR, leads from {_leads_from(change)}"
        f"{_parts_earlier(change)}{_as_it_came_back(change)}"
    )


def replaced(change: Measured, until: int) -> str:
    start, old, new = change.divergence.offset, change.old_leader, change.new_leader
    return (
        f"the logs of brokers {old} and {new} diverge at {start}: from there to {until} broker {new} has records that it "
        f"appended before broker {old} became leader; producers that got no answer for those sent them again, so what was committed "
        "here may be the same records: no line shows"
    )


def anchored(change: Measured) -> str:
    forked = ""
    if change.divergence.forked and change.old.by_hw is not None:
        forked = (
            f"; broker {change.old_leader} then cut its log only to its own high watermark "
            f"{change.old.by_hw.high_watermark}: from {change.divergence.offset} to there its records are not its leader's"
        )
    return (
        f"{_logged_high_watermark(change)}, but broker {change.new_leader} leads from offset "
        f"{_leads_from(change)}{_parts_earlier(change)}{forked}"
    )


def restarted_with_less(change: Measured) -> str:
    is_proven = less(change.row.epoch_start_offset, change.low_offset)
    more = ": how much more was lost" if is_proven else ": how much was lost"
    return (
        f"{_logged_high_watermark(change)}, but the log of broker {change.old_leader} ended at {change.n_old} when "
        f"it came back, so it lost records that it had held, and broker {change.new_leader} leads from offset "
        f"{change.row.epoch_start_offset}{more} is not logged"
    )


def nothing_cut(change: Measured) -> str:
    if change.row.epoch_start_offset is None:
        return (
            f"the old leader's log ended at {change.n_old}, and the new leader's log held all of it: when broker "
            f"{change.new_leader} followed broker {change.old_leader} again, it truncated to {change.new.shared}"
            f"{_as_it_came_back(change)}"
        )
    return (
        f"the old leader's log ended at {change.n_old} and the new leader starts at "
        f"{change.row.epoch_start_offset}: nothing was discarded{_as_it_came_back(change)}"
    )


def by_protocol(change: Measured) -> str:
    row = change.row
    unknown = "" if change.divergence.offset is not None else "; the offset it started from is not in these logs"
    return (
        f"broker {row.leader_id} was in the {row.elected_from.upper()}, which holds every committed record (KIP-101, "
        f"KIP-279), and no high watermark above its log was seen{unknown}"
    )


def _crashed(change: Measured) -> str:
    return f"broker {change.new_leader} was in the ISR, but it had crashed too"


def recovered_unknown(change: Measured, log: Recovered) -> str:
    missing = "the end of its recovered log" if log.end is None else "the high watermark that it had checkpointed"
    return f"{_crashed(change)}; no line shows {missing}, so what its disk kept is not known"


def recovered_past_checkpoint(change: Measured, log: Recovered) -> str:
    return (
        f"{_crashed(change)}; its recovered log (end {log.end}) reaches past the high watermark {log.high_watermark} "
        "last checkpointed, so nothing shows that its disk lost records"
    )


def recovered_to_checkpoint(change: Measured, log: Recovered) -> str:
    return (
        f"{_crashed(change)}; {came_back(log.end)}; no line shows how "
        "far the partition had been committed (a copy of replication-offset-checkpoint from before the restart would "
        "show a lower bound)"
    )


def cut_to_own(change: Measured) -> str:
    held = "how much was committed above that is not logged"
    if change.n_old is not None:
        held = (
            f"the old log held [{change.divergence.offset}, {change.n_old}), and how much of that was committed is not "
            "logged"
        )
    return (
        f"broker {change.new_leader} was in the ISR, but had cut its log to its own high watermark "
        f"{change.row.epoch_start_offset} and led before it had fetched anything again (KIP-101, scenario 1): "
        f"{held}"
    )


def outside_isr(change: Measured) -> str:
    start = change.divergence.offset
    return (
        f"broker {change.new_leader} was elected from outside the ISR; the old log held "
        f"[{start}, {change.n_old}) and no high watermark above {start} was seen"
    )


def undetermined(change: Measured, is_clean: bool, may_have_left: bool) -> str:
    """The facts that the lines do not show."""
    row = change.row
    others = ""
    if others_may_have_led(row):
        others = f"; who led between leader epochs {change.change.old_epoch} and {row.leader_epoch} is not logged"
    return (
        _unknown_of_new_leader(change, is_clean, may_have_left)
        + others
        + ("; no line shows where the old leader's log ended" if change.n_old is None else "")
        + ("; no line shows where the new leader began" if change.divergence.offset is None else "")
    )


def _unknown_of_new_leader(change: Measured, is_clean: bool, may_have_left: bool) -> str:
    new, isr = change.new_leader, change.isrs.last
    if is_unclean(change.row):
        return "the new leader was outside the ISR"
    if may_have_left and isr is not None:
        return (
            f"broker {new} started anew after the last state that shows it in the ISR (partition epoch "
            f"{isr.partition_epoch}), and changes of the ISR since then are not logged"
        )
    if not is_clean:
        return "whether the new leader was in the ISR is not known"
    if not change.rules.rule_is_logged:
        return (
            f"broker {new} was in the ISR, but whether its messages carry leader epochs, by which it would hold every "
            "committed record (KIP-101), is not logged"
        )
    return (
        f"broker {new} was in the ISR, but replicas here follow without leader epochs: each cuts its log to its own "
        "high watermark as it begins to follow, and whether this one had fetched again what it cut is not logged"
    )


def discarded(change: Measured, begin: int) -> str:
    start = change.divergence.offset
    rest = "the rest was discarded"
    if less(start, begin):
        rest = f"what it held above the high watermark {begin} was discarded too"
    return (
        f"the log of broker {change.old_leader} ended at {change.n_old} and the new leader starts at {start}: "
        f"{rest}; only a producer with acks=1 can have received an acknowledgement for it"
    )


def discarded_at_least(change: Measured, reached: Mark) -> str:
    return (
        f"the log of broker {change.old_leader} reached at least {reached.log_end_offset} while it led, and the new leader "
        f"starts at {change.divergence.offset}: the rest was discarded, and how far the log went in the end is not logged; only "
        "a producer with acks=1 can have received an acknowledgement for it"
    )


def discarded_by_cut(change: Measured) -> str:
    cut = change.old.cut
    assert cut is not None
    return (
        f"broker {change.old_leader} cut its log to {cut.truncation_offset} to follow broker {change.new_leader}, which it logs only "
        "if its log is longer: at least one offset was discarded, and where its log ended is not logged; only a producer "
        "that did not wait for all in-sync replicas can have been told its records were stored"
    )


def start_unknown(change: Measured) -> str:
    ends = "" if change.n_old is None else f", which ended at {change.n_old},"
    return (
        f"no line shows from which offset broker {change.new_leader} leads, so whether the end of the log of broker "
        f"{change.old_leader}{ends} was discarded is not logged; only a producer with acks=1 can have received an acknowledgement "
        "for it"
    )


def end_unknown(change: Measured) -> str:
    why = ""
    if change.moved_away:
        why = ": it was reassigned away and its log deleted"
    elif is_damaged(change.old) and change.old.ended is not None:
        why = f": its recovery found the log damaged and cut it to {change.old.ended.log_end_offset}"
    elif change.rejoined:
        why = ": it came back into the ISR of a later leader, so it had truncated what that leader's log lacked"
    elif change.old.took.cutoff is None:
        why = ": it does not follow a later leader in these logs"
    return f"where the log of broker {change.old_leader} ended when it lost its role is not logged{why}"


def _truncated(cut: Truncation) -> str:
    """That a replica truncated its log, for which leader."""
    end = "" if cut.log_end_offset is None else f" from {cut.log_end_offset}"
    epoch = "" if cut.leader_epoch is None else f" in leader epoch {cut.leader_epoch}"
    leader = "a leader that no line names" if cut.leader_id in (None, -1) else f"broker {cut.leader_id}"
    return f"broker {cut.node_id} truncated its log{end} to {cut.truncation_offset} to follow {leader}{epoch}"


def below_own_high_watermark(cut: Truncation, mark: Mark) -> str:
    return (
        f"broker {mark.node_id} logged high watermark {mark.high_watermark} {shown_as(mark.source)}: the records below it "
        "were committed. "
        f"{_truncated(cut)[0].upper()}{_truncated(cut)[1:]}, and a follower truncates only what its leader's log lacks"
    )


def cut_after_unknown_leader(cut: Truncation) -> str:
    return (
        f"{_truncated(cut)}; which broker led before, and whether the truncated records were committed or acknowledged, is not "
        "logged"
    )


def recovered_under_unknown_leader(cut: Truncation) -> str:
    return (
        f"broker {cut.node_id} had stopped uncleanly, and its recovery truncated a damaged log to {cut.truncation_offset}; which "
        "broker led then, and whether another one holds the rest, is not logged"
    )


def filed_before_the_logs(earliest: EpochLine, latest: int) -> str:
    """Which leader epochs only a file shows."""
    epochs, first, they = f"leader epochs {earliest.leader_epoch} to {latest}", "the first ", "they"
    if earliest.leader_epoch == latest:
        epochs, first, they = f"leader epoch {latest}", "", "it"
    return (
        f"the file leader-epoch-checkpoint of broker {earliest.node_id} shows {epochs}, {first}from offset "
        f"{earliest.epoch_start_offset}; {they} began before the first line that shows a leader of this partition: which "
        "broker led before, and where its log ended, is not logged"
    )


def after_unknown_leader(row: LeaderEpoch) -> str:
    """Which leader before a leader epoch is unknown, or whether the same one lost records in between."""
    start = "" if row.epoch_start_offset is None else f" from offset {row.epoch_start_offset}"
    if row.last_leader_id is None and row.leader_epoch == 0:
        return f"broker {row.leader_id} began to lead again{start} in leader epoch 0; where its log ended before is not logged"
    leads = f"broker {row.leader_id} leads{start} in leader epoch {row.leader_epoch}"
    if row.last_leader_id is None:
        return f"{leads}; which broker led before, and where its log ended, is not logged"
    if others_may_have_led(row):
        return f"{leads}, as it did before; who led in the leader epochs in between, and where their logs ended, is not logged"
    return (
        f"{leads}, as it did before a time without a leader; its files do not cover that time, so whether it came back with all "
        "of its log is not logged"
    )
