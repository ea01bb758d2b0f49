"""The verdict on leaders that crashed and returned with what their disks still held (facts §3.3, S5 and S6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from replay.facts.evidence import joined
from replay.facts.order import at_most, less, nulls_first
from replay.facts.times import first_known, greatest, least
from replay.histories.changes import highest
from replay.histories.cluster import Cluster, Restart
from replay.histories.marks import ANCHORS, Mark, Marks
from replay.histories.partition import Partition, has_leader, is_unclean, others_may_have_led
from replay.histories.premises import held_by_all
from replay.histories.recovered import Recovered, came_back, recovered
from replay.histories.replicated import IN_SYNC_FETCHES, LEADER_FETCHED
from replay.histories.verdicts import Judgement
from replay.offsets.never_written import never_written
from replay.sentences.shown_offsets import shown_as
from replay.tables.losses import OPEN_VERDICTS, Loss
from replay.tables.partitions import CommittedIsr, LeaderEpoch

_SKEW = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class _Return:
    """A leader that crashed, returned, and led again.

    - `isr`: the ISR in which it died; `is_single`: it was the only member. `then`: the leader epoch in which it leads
      again.
    - `end`: its log end when it returned; `log`: its log and its own high watermark as it loaded them.
    - `highest`: the highest high watermark of this history before it returned; `reached`: how far its own log had come.
    - `led_on`: the line with which it led on in its old leader epoch, and accepted writes, before the next one.
    - `commits_all`: it had committed its log as far as `reached`.
    """

    isr: CommittedIsr
    restart: Restart
    then: LeaderEpoch | None
    end: int
    log: Recovered
    highest: Mark | None
    reached: Mark | None
    led_on: Mark | None
    commits_all: bool

    @property
    def ts(self) -> datetime | None:
        """When it led again, with offsets used again from its log end on."""
        loaded_ts = None if self.log.loaded is None else self.log.loaded.ts
        leads_ts = None if self.then is None else self.then.leader_ts
        return first_known(
            None if self.led_on is None else self.led_on.ts, leads_ts, loaded_ts, self.restart.next_start_ts
        )

    @property
    def discarded_to(self) -> int | None:
        """Its log certainly held the records up to here; None if no line shows that it held more than it has now."""
        reached = None if self.reached is None else self.reached.log_end_offset
        return reached if less(self.end, reached) and not self.others_led_longer else None

    @property
    def proof(self) -> Mark | None:
        """A mark that proves that records above the end were committed."""
        if self.others_led_longer:
            return None
        if self.highest is not None and less(self.end, self.highest.high_watermark):
            return self.highest
        return None

    @property
    def others_led_longer(self) -> bool:
        """Whether it may have fetched what it lacked from a leader in between that no line names."""
        then = self.then
        return then is not None and others_may_have_led(then) and less(self.end, then.epoch_start_offset)

    @property
    def is_single(self) -> bool:
        return len(self.isr.isr) <= 1


def last_replicas(partition: Partition, marks: Marks, cluster: Cluster) -> Iterator[Loss]:
    """S5 and S6: a leader that crashed and led again, with no other leader in between, from what its disk still held.

    Its log may be shorter than what it had committed. If it was alone in the ISR (S5), no other replica holds the rest;
    other members (S6) truncate their logs to its end. Proof is a checkpoint copied before the restart, or any older
    anchor of this history, above its recovered log end (facts §3.3). If leader epochs in between are not logged,
    another broker may have led in them, and only that proof counts.
    """
    if not marks:
        return
    deaths = defaultdict(list)
    for isr in partition.isrs:
        is_known = isr.isr is not None and isr.leader_id is not None and isr.leader_epoch is not None
        if is_known and _holds_leader(isr):
            for restart in _deaths_in(isr, cluster):
                deaths[isr.leader_id, restart.last_ts].append((isr, restart))
    for deaths_of_restart in deaths.values():
        back = _came_back(deaths_of_restart, partition, marks, cluster)
        if back is not None:
            yield _row(partition, back, _never_held_any(back, partition) or _verdict(back))


def _holds_leader(isr: CommittedIsr) -> bool:
    return isr.leader_id in isr.isr or (not isr.isr and isr.leader_id in (isr.elr or ()))


def _deaths_in(isr: CommittedIsr, cluster: Cluster) -> Iterator[Restart]:
    """The deaths of its leader during the ISR."""
    for restart in cluster.unclean_ends(isr.leader_id):
        end = first_known(isr.end_ts, restart.next_start_ts)
        if less(restart.last_ts, end) and isr.start_ts is not None and isr.start_ts <= restart.last_ts + _SKEW:
            yield restart


def _came_back(
    deaths: Sequence[tuple[CommittedIsr, Restart]], partition: Partition, marks: Marks, cluster: Cluster
) -> _Return | None:
    """The return after one death, by the last ISR at that time; None if another broker led in between, or no line shows
    its log at the return.
    """
    led_again = []
    for isr, restart in deaths:
        then = _next_leader(isr, restart, partition)
        if (len(isr.isr) <= 1) if then is None else then.leader_id == isr.leader_id:
            led_again.append((isr, restart, then))
    if not led_again:
        return None
    _, restart, _ = led_again[0]
    log = recovered(marks.get(led_again[0][0].leader_id, ()), restart)
    with_end = []
    for isr, restart, then in led_again:
        # It can lead again in its old leader epoch first: then the log grows before the next one begins.
        end = least(None if then is None else then.epoch_start_offset, log.end)
        if end is not None:
            with_end.append((isr, restart, then, end))
    if not with_end:
        return None
    newest = max(with_end, key=lambda one: nulls_first(one[0].leader_epoch, one[0].start_ts))
    proofs = [mark for isr, restart, _ in led_again for mark in _high_watermarks_before(isr, restart, partition, marks)]
    isr, restart, then, end = newest
    own = marks.get(isr.leader_id, ())
    reached = _reached(isr, restart, own, end, cluster.last_restart(isr.leader_id, restart.last_ts))
    return _Return(
        *newest,
        log,
        max(proofs, key=highest, default=None),
        reached,
        _led_on(isr, then, end, own, restart),
        cluster.gate_open(isr.leader_id, partition.topic, isr.replicas) and _was_alone(isr, reached, partition),
    )


def _was_alone(isr: CommittedIsr, reached: Mark | None, partition: Partition) -> bool:
    """Whether the leader was alone in the ISR when its log had come as far as `reached`, or later. A log end at the start
    of a leader epoch counts only if it began alone: it committed up to there at once.
    """
    if reached is None or reached.source != "leader_start":
        return isr.isr == [isr.leader_id]
    first = next((row for row in partition.isrs if row.leader_epoch == isr.leader_epoch), None)
    return first is not None and first.isr == [isr.leader_id] and not first.untold_after


def _reached(isr: CommittedIsr, restart: Restart, own: Sequence[Mark], end: int, began: Restart | None) -> Mark | None:
    """How far its log had certainly come in this leader epoch before it died: a leader's log only grows while it lives.
    The start of the leader epoch shows something only above the `end` that came back. `began` is the restart that began
    this life.
    """
    life_ts = None if began is None else began.next_start_ts
    led = [
        mark
        for mark in own
        if mark.source in ("isr_shrink", "leader_start", LEADER_FETCHED)
        and mark.leader_epoch == isr.leader_epoch
        and mark.log_end_offset is not None
        and (mark.source != "leader_start" or less(end, mark.log_end_offset))
        and mark.life_ts == life_ts
        and mark.ts < restart.next_start_ts
    ]
    return max(
        led, key=lambda mark: nulls_first(mark.log_end_offset, mark.source != "leader_start", mark.event), default=None
    )


def _led_on(
    isr: CommittedIsr, then: LeaderEpoch | None, end: int, own: Sequence[Mark], restart: Restart
) -> Mark | None:
    """Its line about its old leader epoch after its return, if its log grew before the next leader epoch: it took writes.
    A line alone shows only that it read the old metadata (facts §8, trap 16).
    """
    if then is None or then.leader_id != isr.leader_id or not less(end, then.epoch_start_offset):
        return None
    return next(
        (
            mark
            for mark in own
            if mark.source == "leader_start"
            and mark.leader_epoch == isr.leader_epoch
            and mark.log_end_offset == end
            and restart.next_start_ts <= mark.ts
        ),
        None,
    )


def _next_leader(isr: CommittedIsr, restart: Restart, partition: Partition) -> LeaderEpoch | None:
    """The next leader epoch in which another broker leads, or this one after its return."""
    for row in partition.leader_epochs:
        if not has_leader(row) or row.leader_epoch <= isr.leader_epoch:
            continue
        began = first_known(row.leader_ts, row.start_ts)
        if row.leader_id != isr.leader_id or (began is not None and began >= restart.next_start_ts):
            return row
    return None


def _high_watermarks_before(isr: CommittedIsr, restart: Restart, partition: Partition, marks: Marks) -> Iterator[Mark]:
    """The marks with a high watermark of this history, from before the broker returned.

    After an unclean election only its leader's lines count: a replica that returns still describes the old history.
    """
    boundaries = [row for row in partition.leader_epochs if is_unclean(row) and row.leader_epoch <= isr.leader_epoch]
    border = boundaries[-1] if boundaries else None
    for node_id, own in marks.items():
        if border is not None and node_id != isr.leader_id:
            continue
        for mark in own:
            if mark.source not in ANCHORS or mark.high_watermark is None or mark.clamped_again:
                continue
            if mark.ts >= restart.next_start_ts or (border is not None and not _since(mark, border)):
                continue
            if mark.superseded_in is None or mark.superseded_in > isr.leader_epoch:
                yield mark


def _since(mark: Mark, border: LeaderEpoch) -> bool:
    """Whether the mark describes the history after an unclean election."""
    if border.start_ts is None or mark.ts < border.start_ts:
        return False
    if mark.leader_epoch is None:
        return mark.source.startswith("checkpoint")
    return bool(mark.leader_epoch >= border.leader_epoch)


def _verdict(back: _Return) -> Judgement:
    broker, end, scenario = back.isr.leader_id, back.end, "S5" if back.is_single else "S6"
    proof, own = back.proof, back.log.high_watermark
    if proof is not None:
        return Judgement("PROVEN_LOSS", scenario, _proven(broker, end, proof), proof.high_watermark, None)
    if back.then is not None and others_may_have_led(back.then):
        premise = (
            f"broker {broker} led when it died, and leads again from offset {end}; who led between leader epochs "
            f"{back.isr.leader_epoch} and {back.then.leader_epoch} is not logged"
        )
        return Judgement("UNDETERMINED", scenario, premise, end, None)
    how = "was alone in the ISR when it died" if back.is_single else "led when it died, and is named leader again"
    if back.discarded_to is not None:
        return _shorter(back, scenario, how)
    if at_most(end, own):
        premise = (
            f"broker {broker} {how}; {came_back(end)}; no line shows how "
            "far it had committed (a copy of replication-offset-checkpoint from before the restart would show a lower bound)"
        )
        return Judgement("POSSIBLE_LOSS", scenario, premise, end, None)
    if back.log.checkpointed is None:
        premise = (
            f"broker {broker} {how}; it came back with log end {end}, and no line shows the high watermark it had "
            "checkpointed"
        )
        return Judgement("UNDETERMINED", scenario, premise, end, None)
    premise = (
        f"broker {broker} {how}; its recovered log (end {end}) reaches past the high watermark {own} last checkpointed, "
        "so nothing shows that its disk lost records"
    )
    return Judgement("NO_LOSS_OBSERVED", scenario, premise, end, end)


def _never_held_any(back: _Return, partition: Partition) -> Judgement | None:
    """No loss where the log came back empty, all replicas checkpointed the high watermark 0 in the end, and no line shows
    that the partition ever held a record.
    """
    if back.end != 0 or not never_written(partition.high_watermarks, partition.leader_epochs, partition.isrs):
        return None
    premise = (
        f"broker {back.isr.leader_id} came back with an empty log; the checkpoints of all replicas have the high watermark 0, "
        "and no line shows that the partition ever held a record"
    )
    return Judgement("NO_LOSS_OBSERVED", "S5" if back.is_single else "S6", premise, 0, 0)


def _proven(broker: int, end: int, proof: Mark) -> str:
    if proof.source == IN_SYNC_FETCHES:
        return f"{held_by_all(proof)}; the log of broker {broker} ended at {end} when it came back"
    return (
        f"broker {broker} had the high watermark {proof.high_watermark} before it died (broker "
        f"{proof.node_id}, {shown_as(proof.source)}) and its log ended at {end} when it came back"
    )


def _shorter(back: _Return, scenario: str, how: str) -> Judgement:
    """Its log is shorter than before. All of it was committed if the leader was alone in the ISR, and that is enough."""
    broker, end, reached = back.isr.leader_id, back.end, back.discarded_to
    held = f"broker {broker} {how}; its log had reached at least {reached} before, and ended at {end} when it came back"
    if back.commits_all:
        premise = f"{held}; a leader alone in the ISR commits all that it stores"
        return Judgement("PROVEN_LOSS", scenario, premise, reached, None)
    premise = f"{held}: the offsets in between are gone; how many of them all in-sync replicas held is not logged"
    return Judgement("POSSIBLE_LOSS", scenario, premise, end, None)


def _row(partition: Partition, back: _Return, judgement: Judgement) -> Loss:
    then, broker = back.then, back.isr.leader_id
    at_least = judgement.at_least if judgement.verdict == "PROVEN_LOSS" else None
    shows = [mark.evidence for mark in (back.proof, back.reached) if mark is not None]
    return Loss(
        life=partition.life,
        topic=partition.topic,
        partition=partition.partition,
        leader_epoch=back.isr.leader_epoch if then is None else then.leader_epoch,
        ts=back.ts,
        scenario=judgement.scenario,
        loss_class="committed",
        verdict=judgement.verdict,
        from_offset=back.end,
        to_offset_low=judgement.at_least,
        to_offset_high=judgement.at_most,
        discarded_to_offset=greatest(at_least, back.discarded_to if judgement.verdict in OPEN_VERDICTS else None),
        old_leader_id=broker,
        new_leader_id=broker,
        recoverable_from=[],
        premise=judgement.premise,
        evidence=joined(
            *shows,
            back.log.events,
            [None if back.led_on is None else back.led_on.event],
            (then.evidence or [])[:2] if then is not None else [],
            [] if back.highest is None else back.highest.evidence,
            (back.isr.evidence or [])[:2],
        ),
    )
