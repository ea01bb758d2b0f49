"""Committed records that were lost, and offsets of single replicas: I6, I13, I14, I18, I20, I21, I32."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.facts.evidence import AT_MOST
from replay.facts.order import at_most, less, nulls_first
from replay.facts.times import greatest, least
from replay.histories.partition import has_leader, is_unclean
from replay.invariants.shape import broken, first, shown
from replay.sentences.shown_offsets import shown_as
from replay.tables.invariants import Violation
from replay.tables.losses import Loss
from replay.tables.offsets import HighWatermark, Truncation
from replay.tables.partitions import LeaderEpoch


@dataclass(frozen=True, slots=True)
class _Commit:
    """A high watermark that a leader printed."""

    high_watermark: int
    event_id: str | None


def commits_taken_back(
    leader_epochs: Sequence[LeaderEpoch], high_watermarks: Iterable[HighWatermark], losses: Iterable[Loss]
) -> Iterator[Violation]:
    """I6 from the elections, I13 from the loss ledger, I18 and I32 from the lines of leaders, in the order of leader
    epochs, without clocks. Arguments are rows of `leader_epochs`, `high_watermarks` and `ledger` of one partition.
    An unclean election starts a new history: commits before it do not bind the new leader.
    """
    printed = _highest_by_leader_epoch(high_watermarks)
    unclean = sorted(epoch.leader_epoch for epoch in leader_epochs if is_unclean(epoch))
    for epoch in leader_epochs:
        yield from _leader_from_outside_isr(epoch)
        lineage = bisect_right(unclean, epoch.leader_epoch)
        before = [
            commit
            for number, commit in printed.items()
            if number < epoch.leader_epoch and bisect_right(unclean, number) == lineage
        ]
        yield from _leads_below_high_watermark(epoch, max(before, key=_place, default=None))
    for loss in losses:
        if loss.loss_class == "committed" and loss.verdict == "PROVEN_LOSS":
            yield from _committed_and_gone(loss)
            later_commits = [commit for number, commit in printed.items() if number >= loss.leader_epoch]
            yield from _committed_twice(loss, max(later_commits, key=_place, default=None))


def _highest_by_leader_epoch(high_watermarks: Iterable[HighWatermark]) -> dict[int, _Commit]:
    highest: dict[int, _Commit] = {}
    for row in high_watermarks:
        if row.role == "leader" and row.high_watermark is not None and row.leader_epoch is not None:
            commit, known = _Commit(row.high_watermark, first(row.evidence)), highest.get(row.leader_epoch)
            highest[row.leader_epoch] = commit if known is None else max(commit, known, key=_place)
    return highest


def _place(commit: _Commit) -> tuple[tuple[bool, object], ...]:
    return nulls_first(commit.high_watermark, commit.event_id)


def _leader_from_outside_isr(epoch: LeaderEpoch) -> Iterator[Violation]:
    leads = f"broker {epoch.leader_id} leads in leader epoch {epoch.leader_epoch}; "
    if is_unclean(epoch):
        detail = f"{leads}the ISR before was {shown(epoch.isr_before)}"
        yield broken("I6", detail, first(epoch.evidence), first(epoch.isr_before_evidence))
    elif has_leader(epoch) and epoch.elected_from is None and epoch.last_leader_id not in (None, epoch.leader_id):
        detail = f"{leads}no line shows for certain whether it was in the ISR or the ELR just before"
        yield broken("I6", detail, first(epoch.evidence), verdict="unknown")


def _leads_below_high_watermark(epoch: LeaderEpoch, was: _Commit | None) -> Iterator[Violation]:
    if has_leader(epoch) and was is not None and less(epoch.epoch_start_offset, was.high_watermark):
        detail = (
            f"an earlier leader printed high watermark {was.high_watermark}; broker {epoch.leader_id} leads from offset "
            f"{epoch.epoch_start_offset} in leader epoch {epoch.leader_epoch}"
        )
        yield broken("I18", detail, was.event_id, first(epoch.evidence))


def _committed_and_gone(loss: Loss) -> Iterator[Violation]:
    """A loss in a clean election violates I13. An unclean election (S4) guarantees nothing."""
    detail = (
        f"offsets [{loss.from_offset}, {loss.to_offset_low}) were committed and are gone in leader epoch "
        f"{loss.leader_epoch}: {loss.premise}"
    )
    proof = (loss.evidence or ())[:AT_MOST]
    if loss.scenario is None:
        yield broken(
            "I13", f"{detail}; no line shows whether that leader was elected cleanly", *proof, verdict="unknown"
        )
    elif loss.scenario != "S4":
        yield broken("I13", detail, *proof)


def _committed_twice(loss: Loss, later_commit: _Commit | None) -> Iterator[Violation]:
    if later_commit is not None and less(loss.from_offset, later_commit.high_watermark):
        detail = (
            f"offsets [{loss.from_offset}, {least(loss.to_offset_low, later_commit.high_watermark)}) were committed before leader "
            f"epoch {loss.leader_epoch} and again, as other records, after it"
        )
        yield broken("I32", detail, *(loss.evidence or ())[:4], later_commit.event_id)


def offsets_out_of_order(
    high_watermarks: Iterable[HighWatermark], truncations: Iterable[Truncation]
) -> Iterator[Violation]:
    """I14, I20, I21: the offsets of single replicas, compared with each other and over time. Arguments are rows of
    `high_watermarks` and `truncations` of one partition.
    """
    for cut in truncations:
        yield from _cut_below_high_watermark(cut)
    by_node: dict[int | None, list[HighWatermark]] = defaultdict(list)
    for row in high_watermarks:
        yield from _offsets_contradict(row)
        if row.ts is not None and row.log_start_offset is not None:
            by_node[row.node_id].append(row)
    cuts: dict[int | None, list[Truncation]] = defaultdict(list)
    for cut in truncations:
        if cut.truncation_offset is not None:
            cuts[cut.node_id].append(cut)
    for node, starts in by_node.items():
        yield from _log_starts_went_back(starts, cuts[node])


def _cut_below_high_watermark(cut: Truncation) -> Iterator[Violation]:
    if less(cut.truncation_offset, cut.high_watermark):
        detail = (
            f"broker {cut.node_id} cut its log to {cut.truncation_offset}, below its own high watermark "
            f"{cut.high_watermark}"
        )
        yield broken("I14", detail, first(cut.evidence))


def _offsets_contradict(row: HighWatermark) -> Iterator[Violation]:
    """Log start, high watermark and log end of one replica at one time must be in this order."""
    start, high_watermark, end, event = (
        row.log_start_offset,
        row.high_watermark,
        row.log_end_offset,
        first(row.evidence),
    )
    who = f"broker {row.node_id}: "
    if less(end, high_watermark):
        yield broken("I20", f"{who}high watermark {high_watermark} above log end {end} ({shown_as(row.source)})", event)
    if less(high_watermark, start) and high_watermark > 0:
        yield broken(
            "I20", f"{who}log start {start} above high watermark {high_watermark} ({shown_as(row.source)})", event
        )
    if less(end, start):
        yield broken("I20", f"{who}log start {start} above log end {end} ({shown_as(row.source)})", event)


def _log_starts_went_back(starts: Iterable[HighWatermark], cuts: Iterable[Truncation]) -> Iterator[Violation]:
    """A log start of 0 can mean that the log was deleted and created again. After a truncation the log start can be
    anywhere.
    """
    cut_times = sorted(cut.ts for cut in cuts if cut.ts is not None)
    highest: HighWatermark | None = None
    for row in sorted(starts, key=lambda row: (row.ts, *nulls_first(first(row.evidence)))):
        if highest is not None and row.log_start_offset < highest.log_start_offset:
            cut_ts = greatest(*(ts for ts in cut_times if ts <= row.ts))
            if not at_most(highest.ts, cut_ts):
                detail = f"broker {row.node_id}: log start {row.log_start_offset}, after {highest.log_start_offset}"
                yield broken(
                    "I21",
                    detail,
                    first(highest.evidence),
                    first(row.evidence),
                    verdict="unknown" if row.log_start_offset == 0 else "violated",
                )
        if highest is None or _start_place(row) > _start_place(highest):
            highest = row


def _start_place(row: HighWatermark) -> tuple[tuple[bool, int | datetime | str | None], ...]:
    return nulls_first(row.log_start_offset, row.ts, first(row.evidence))
