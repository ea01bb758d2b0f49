"""Happenings, the vertices of the causality graph, of the cluster and of one partition, each with the facts that the
rules of causality join by.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise, takewhile
from typing import Any

from replay.catalogue.kinds import KINDS
from replay.causes.names import epoch_name, joined, loss_name, partition_of, session_end_name
from replay.causes.predicates import predicates
from replay.causes.rules import BEGUN_BEFORE, MEMORY_MS, NOT_LOGGED
from replay.facts.controllers import ZOOKEEPER, only_controllers
from replay.facts.evidence import earliest, once_each
from replay.facts.groups import by_key, grouped
from replay.facts.in_time import InTime
from replay.facts.lines import detail, number_in
from replay.facts.order import at_most, less, nulls_first
from replay.facts.sessions import lines_of_end
from replay.facts.times import CLOCKS_DIFFER_MS, first_known, greatest, known, least, plus_millis
from replay.facts.times import iso_stamp as stamp
from replay.faults.kinds import ASKED_FOR, BY_NAME
from replay.faults.shape import ends_of
from replay.faults.shrinking_isrs import SHRINK, removed_from_isr
from replay.histories.partition import has_leader, is_unclean
from replay.partitions.isr_spans import ISR_ANSWERS, ISR_REFUSED, isr_order
from replay.sentences.statement import Statement, statement
from replay.tables.brokers import BrokerSession, Controller, Setting
from replay.tables.causes import Happening, RefusedWrite
from replay.tables.control_plane import VoterSet
from replay.tables.faults import Fault, WitnessedFault
from replay.tables.losses import GONE_VERDICTS, Loss, gone_ts, is_found
from replay.tables.offsets import ShortenedLog, Truncation
from replay.tables.partitions import (
    COMMITTED_ISRS,
    CommittedIsr,
    Election,
    IsrShrink,
    LeaderEpoch,
)
from replay.tables.reading import Event

LEADER = "leader"  # what made an ISR shrink: its leader, for lag
CONTROLLER = "controller"  # or a controller, as it elected another leader
COMMITTED_WITHIN = timedelta(seconds=5)  # facts §9.1, R14: a leader's ISR change is committed this soon
_CLOCKS_DIFFER = timedelta(milliseconds=CLOCKS_DIFFER_MS)
_REFUSED_BY_CONTROLLER = frozenset(kind for kind in KINDS if kind.startswith("alter_partition_rejected"))
PASSING_MS = 1_000  # a leaderless state shorter than this is one controller action in two writes (facts §8, trap 22)
DELETED_BEFORE_MS = 2_000  # how long before the logged deletion of a topic its partitions may lose their leaders


def isr_shrinks(
    committed_isrs: Iterable[CommittedIsr],
    partition_events: Iterable[Event] = (),
    leader_epochs: Iterable[LeaderEpoch] = (),
) -> list[IsrShrink]:
    """Each time a partition's committed ISR lost members and did not become empty (see `eligible_leaders` for that).

    A ZooKeeper controller removes a broker whose session ended and leaves the partition without a leader in one write;
    the election is the next write.

    A broker that is no longer a replica was moved away, not dropped. A leader logs members that it drops for lag, but
    not those that a controller removes. No leader drops itself: a controller removed the previous leader. An unclean
    election replaces the ISR by the new leader alone, in KRaft and in ZooKeeper mode (facts §1.2, I5): it is no shrink.
    """
    shrinks = []
    of_epochs = {(epoch.life, epoch.leader_epoch): epoch for epoch in leader_epochs}
    replaced = {key for key, epoch in of_epochs.items() if is_unclean(epoch)}
    dropped = _dropped_for_lag(partition_events)
    isr_was: dict[int, Sequence[int] | None] = {}
    for state in sorted(committed_isrs, key=isr_order):
        before = isr_was.get(state.life)
        isr_was[state.life] = state.isr
        if before and state.leader_id is not None and state.isr is not None and (state.isr or state.leader_id >= 0):
            replicas = before if state.replicas is None else state.replicas
            removed = [id_ for id_ in dict.fromkeys(before) if id_ not in state.isr and id_ in replicas]
            is_elected = (state.life, state.leader_epoch) in replaced and state.leader_id not in before
            if removed and not is_elected:
                by = LEADER if _is_logged_change(state, removed, dropped) else None
                if by is None and _lost_its_leader(of_epochs.get((state.life, state.leader_epoch)), removed):
                    by = CONTROLLER
                shrinks.append(_isr_shrink(state, before, removed).but(by=by))
    return shrinks


def _lost_its_leader(epoch: LeaderEpoch | None, removed: Sequence[int]) -> bool:
    """Whether the leader changed with this leader epoch and the previous leader was removed from the ISR."""
    return epoch is not None and epoch.leader_id != epoch.last_leader_id and epoch.last_leader_id in removed


@dataclass(frozen=True, slots=True)
class _Drop:
    """A leader's line that drops members for lag."""

    leader_id: int | None
    removed: frozenset[int]


def _dropped_for_lag(partition_events: Iterable[Event]) -> InTime[_Drop]:
    """The members that leaders dropped, without those whose removal ZooKeeper or the controller refused, in the time in
    which the change is committed. While there is no controller, a leader waits for the commit.
    """
    events = [event for event in partition_events if event.ts is not None]
    lines = [event for event in events if event.kind in ISR_ANSWERS]
    refused = [event for event in events if event.kind in _REFUSED_BY_CONTROLLER]
    refused_at = by_key(sorted(refused, key=lambda one: one.ts), lambda one: one.broker_id, lambda one: one.ts)
    drops = InTime[_Drop]()
    for leader_id, own in grouped(lines, lambda event: event.node_id).items():
        own.sort(key=lambda event: (event.ts, event.line_number))
        for event, answer in zip(own, (*own[1:], None), strict=True):
            soon: datetime = event.ts + COMMITTED_WITHIN
            near = bisect_left(refused_at[leader_id], event.ts - _CLOCKS_DIFFER)
            is_refused = (answer is not None and answer.kind in ISR_REFUSED) or any(
                ts <= soon for ts in refused_at[leader_id][near : near + 1]
            )
            if event.kind == SHRINK and event.isr is not None and not is_refused:
                is_committed = answer is not None and answer.kind == "isr_updated" and _is_same(answer.isr, event.isr)
                until = max(soon, answer.ts) if answer is not None and is_committed else soon
                drops.add(event.ts - _CLOCKS_DIFFER, until, _Drop(leader_id, frozenset(removed_from_isr(event))))
    return drops


def _is_same(isr: Sequence[int] | None, other: Sequence[int]) -> bool:
    return isr is not None and sorted(isr) == sorted(other)


def _is_logged_change(state: CommittedIsr, removed: Sequence[int], dropped: InTime[_Drop]) -> bool:
    """Whether a line of the leader drops these members, close to the commit of the change."""
    return state.start_ts is not None and any(
        drop.leader_id == state.leader_id and not drop.removed.isdisjoint(removed)
        for drop in dropped.lasting(state.start_ts, state.start_ts)
    )


def _isr_shrink(state: CommittedIsr, isr_was: Sequence[int], removed: Sequence[int]) -> IsrShrink:
    own = {name: getattr(state, name) for name in COMMITTED_ISRS.schema.names}
    name = joined("isr_shrink", partition_of(state), state.leader_epoch, stamp(state.start_ts))
    return IsrShrink(**own, isr_was=isr_was, removed=removed, id=name)


def refused_writes(partition_events: Iterable[Event]) -> list[RefusedWrite]:
    """Writes with acks=all that a leader refused in one partition for too few in-sync replicas. Returns
    `REFUSED_WRITES`.
    """
    minutes: dict[tuple[int | None, datetime | None], list[Event]] = defaultdict(list)
    for event in partition_events:
        if event.kind == "produce_append_error" and "NotEnoughReplicas" in (detail(event, "exception") or ""):
            minutes[event.node_id, event.ts and event.ts.replace(second=0, microsecond=0)].append(event)
    return [_refused_within_a_minute(events) for events in minutes.values()]


def _refused_within_a_minute(events: Sequence[Event]) -> RefusedWrite:
    first, ts = events[0], least(*[event.ts for event in events])
    return RefusedWrite(
        id=joined("writes_refused", partition_of(first), first.node_id, stamp(ts)),
        node_id=first.node_id,
        topic=first.topic,
        partition=first.partition,
        ts=ts,
        end_ts=greatest(*[event.ts for event in events]),
        count=len(events),
        min_isr=number_in(detail(first, "exception"), r"min\.isr requirement of (\d+)"),
        evidence=earliest((event.ts, event.event_id) for event in events),
    )


Span = tuple[datetime | None, datetime | None]
_Source = LeaderEpoch | Election | IsrShrink | Truncation | Loss | RefusedWrite


def of_cluster(
    faults: Sequence[Fault],
    recorded_sessions: Sequence[BrokerSession],
    controllers: Sequence[Controller],
    voter_sets: Iterable[VoterSet] = (),
    settings: Iterable[Setting] = (),
    shortened_logs: Iterable[ShortenedLog] = (),
    witnessed: Iterable[WitnessedFault] = (),
) -> list[Happening]:
    """Happenings of nodes: faults, ends of sessions, changes of the active controller."""
    by_predicate = predicates(faults, shortened_logs, witnessed)
    brokers = {one.broker_id for one in recorded_sessions}
    alone = only_controllers(controllers, voter_sets, settings, brokers)
    return [
        *(
            _fault(fault, fault.broker_id in alone, by_predicate.get(fault.fault_id)).but(
                leader_id=_controller_at(controllers, fault.ts) if fault.kind == "isr_updates_refused" else None
            )
            for fault in faults
        ),
        *_ended_sessions(recorded_sessions),
        *_controller_changes(controllers),
    ]


def _controller_at(controllers: Iterable[Controller], ts: datetime | None) -> int | None:
    """The active controller in ZooKeeper mode at that time; None if no line shows it."""
    held = [
        one for one in controllers if one.mode == ZOOKEEPER and at_most(one.start_ts, ts) and not less(one.end_ts, ts)
    ]
    return max(held, key=lambda one: one.start_ts).controller_id if held else None


def of_partition(
    leader_epochs: Sequence[LeaderEpoch],
    elections: Iterable[Election],
    isr_shrinks: Sequence[IsrShrink],
    committed_isrs: Sequence[CommittedIsr],
    truncations: Iterable[Truncation],
    ledger: Iterable[Loss],
    refused_writes: Iterable[RefusedWrite],
    deletions: Sequence[Span],
) -> list[Happening]:
    """Happenings in one partition."""
    of_life = {epochs[0].life: epochs for epochs in of_each_life(leader_epochs)}
    return [
        *(_leaderless(epoch, epochs) for epochs in of_life.values() for epoch in leaderless_epochs(epochs, deletions)),
        *(_election(election, of_life.get(election.life, ())) for election in elections),
        *_shrinks(isr_shrinks, committed_isrs),
        *map(_cut, truncations),
        *map(_loss, _gone(ledger)),
        *map(_refusal, refused_writes),
    ]


def _happening(
    kind: str,
    described: Statement,
    *,
    ts: datetime | None,
    begin_ts: datetime | None = None,
    about: Iterable[int | None] = (),
    names: Sequence[str] | None = None,
    **given: Any,
) -> Happening:
    """A row of `HAPPENINGS`. Without a given begin it begins at its time."""
    return Happening(
        kind=kind,
        reason=described.reason,
        arguments=described.arguments,
        ts=ts,
        begin_ts=first_known(begin_ts, ts),
        about=known(about),
        names=names or [],
        **given,
    )


def _fault(fault: Fault, is_controller: bool, predicate: str | None) -> Happening:
    node = None if fault.kind in ASKED_FOR else fault.broker_id
    return _happening(
        fault.kind,
        statement(
            "fault",
            code=fault.code,
            what=fault.kind.replace("_", " "),
            node=node,
            controller=node if is_controller else None,
            broker=not is_controller and node is not None,
            predicate=predicate,
            peer=fault.peers[0] if fault.kind == "link_cut" and fault.peers else None,
        ),
        id=fault.fault_id,
        code=fault.code,
        node_id=fault.broker_id,
        ts=fault.ts,
        began_low=fault.began_low,
        began_high=fault.began_high,
        begin_ts=fault.began_low,
        over_ts=fault.end_ts,
        end_ts=fault.end_ts,
        about=(fault.peers or []) if BY_NAME[fault.kind].is_of_peers else ends_of(fault),
        names=fault.partitions,
        evidence=fault.evidence,
    )


def _ended_sessions(sessions: Iterable[BrokerSession]) -> Iterator[Happening]:
    """The ends of brokers' sessions. In a controlled shutdown leaders and ISRs move first, at the broker's request:
    happenings before the end follow from the stop.
    """
    of_broker = by_key(sessions, lambda session: session.broker_id)
    for broker, own in of_broker.items():
        in_time = sorted(own, key=lambda session: nulls_first(first_known(session.start_ts, session.end_ts)))
        for session, after in zip(in_time, [*in_time[1:], None], strict=True):
            if session.end_ts is not None:
                was_asked = session.ended_by == "controlled_shutdown"
                yield _happening(
                    "detected",
                    statement(
                        "session_ended",
                        broker=broker,
                        by=session.ended_by and session.ended_by.replace("_", " "),
                        at_end=None if session.ended_before else session.end_ts,
                        at_end_by=session.end_ts if session.ended_before else None,
                    ),
                    found_late=session.ended_before,
                    id=session_end_name(broker, session.end_ts),
                    node_id=broker,
                    ts=session.end_ts,
                    begin_ts=session.end_ts if was_asked else plus_millis(session.end_ts, -CLOCKS_DIFFER_MS),
                    over_ts=after and after.member_ts,
                    about=[broker],
                    by=session.ended_by,
                    evidence=lines_of_end(session),
                )


def _controller_changes(controllers: Iterable[Controller]) -> Iterator[Happening]:
    in_order = sorted(controllers, key=lambda tenure: (tenure.mode == "kraft", nulls_first(tenure.controller_epoch)))
    for old, tenure in pairwise(in_order):
        if old.controller_id is not None:
            yield _happening(
                "controller_change",
                statement(
                    "became_controller",
                    node=tenure.controller_id,
                    old=old.controller_id,
                    controller_epoch=tenure.controller_epoch,
                ),
                id=joined("controller", "kraft" if tenure.mode == "kraft" else None, tenure.controller_epoch),
                node_id=tenure.controller_id,
                ts=tenure.start_ts,
                began_high=tenure.start_ts if tenure.begun_before else None,
                found_late=tenure.begun_before,
                about=[old.controller_id],
                leader_id=old.controller_id,
                new_leader_id=tenure.controller_id,
                by=tenure.mode,
                called_by=old.deposed_by,
                evidence=once_each([*(old.deposed_evidence or ()), *tenure.evidence]),
            )


def deletions(faults: Iterable[Fault]) -> list[Span]:
    """The times in which topics were deleted: their partitions lose their leaders shortly before the line about it."""
    return [
        (plus_millis(fault.ts, -DELETED_BEFORE_MS), first_known(fault.end_ts, fault.ts))
        for fault in faults
        if fault.kind == "topic_deleted"
    ]


def of_each_life(leader_epochs: Iterable[LeaderEpoch]) -> Iterator[list[LeaderEpoch]]:
    """The leader epochs of each topic that had the same name, in order."""
    of_life = by_key(leader_epochs, lambda epoch: epoch.life)
    for epochs in of_life.values():
        yield sorted(epochs, key=lambda epoch: epoch.leader_epoch)


def leaderless_epochs(epochs: Sequence[LeaderEpoch], deletions: Sequence[Span]) -> list[LeaderEpoch]:
    """The leader epochs without a leader of one partition's ordered leader epochs, except those of its topic's deletion,
    which needs no leader (facts §5, F19).
    """
    led_last = max((at for at, epoch in enumerate(epochs) if has_leader(epoch)), default=-1)
    is_gone = epochs[-1].end_ts is not None
    return [
        epoch
        for at, epoch in enumerate(epochs)
        if epoch.leader_id == -1
        and not (at > led_last and is_gone and any(_is_within(epoch.start_ts, span) for span in deletions))
    ]


def _is_within(ts: datetime | None, span: Span) -> bool:
    return at_most(span[0], ts) and at_most(ts, span[1])


def _of_partition(row: _Source) -> dict[str, Any]:
    """The columns that a happening in a partition takes from its source row."""
    return {
        "topic": row.topic,
        "partition": row.partition,
        "name": partition_of(row),
        "evidence": row.evidence,
    }


def _leaderless(epoch: LeaderEpoch, epochs: Sequence[LeaderEpoch]) -> Happening:
    """A time without a leader; `epochs`: the leader epochs of its topic, in order. If leader epochs before it are not
    logged, any member of the ISR may have led last.
    """
    in_isr = [id_ for id_ in epoch.isr_before or () if id_ != epoch.last_leader_id] if epoch.untold_epochs else []
    return _happening(
        "leaderless",
        statement(
            "without_leader", partition=partition_of(epoch), leader_epoch=epoch.leader_epoch, old=epoch.last_leader_id
        ),
        **_of_partition(epoch),
        id=epoch_name("leaderless", epoch),
        life=epoch.life,
        leader_epoch=epoch.leader_epoch,
        ts=epoch.start_ts,
        end_ts=epoch.end_ts,
        over_ts=first_known(epoch.end_ts, plus_millis(epoch.start_ts, MEMORY_MS)),
        about=[epoch.last_leader_id, *in_isr],
        led_since=_led_since(epoch, epoch.last_leader_id, epochs),
        elected_from=epoch.elected_from,
        by=NOT_LOGGED if in_isr else BEGUN_BEFORE if epoch.begun_before else None,
    )


def _election(election: Election, epochs: Sequence[LeaderEpoch]) -> Happening:
    """A change of leader; `epochs`: the leader epochs of its topic, in order. If it ended a time without a leader, it
    is an effect of that time, which in turn is an effect of the previous leader's fault.
    """
    had_leader, is_preferred = not election.leaderless_ms, election.trigger == "preferred"
    before = _last_led(election, epochs) if is_preferred else None
    return _happening(
        "unclean_election" if is_unclean(election) else "election",
        statement(
            "changed_leader",
            partition=partition_of(election),
            old=election.old_leader_id,
            new_leader=election.new_leader_id,
            leader_epoch=election.leader_epoch,
            trigger=election.trigger,
        ),
        **_of_partition(election),
        id=epoch_name("election", election),
        life=election.life,
        leader_epoch=election.leader_epoch,
        ts=election.ts,
        node_id=election.new_leader_id,
        about=[election.old_leader_id] if had_leader or is_preferred else [],
        leader_id=election.old_leader_id,
        new_leader_id=election.new_leader_id,
        elected_from=election.elected_from,
        by=election.trigger,
        found_late=election.begun_before,
        is_return=before is not None if is_preferred else None,
        led_until=before and before.end_ts,
        led_since=_led_since(election, election.old_leader_id, epochs),
    )


def _last_led(election: Election, epochs: Sequence[LeaderEpoch]) -> LeaderEpoch | None:
    """The last leader epoch that the new leader led before. A leader epoch that these logs do not show was before they
    begin, or a reassignment made its leader the preferred one.
    """
    return next((epoch for epoch in _before(election, epochs) if epoch.leader_id == election.new_leader_id), None)


def _led_since(then: Election | LeaderEpoch, leader_id: int | None, epochs: Sequence[LeaderEpoch]) -> datetime | None:
    """When the previous leader began to lead: in the first of its leader epochs that no leader epoch of another broker
    separates from this one. None if no line shows it.
    """
    own = [*takewhile(lambda epoch: epoch.leader_id == leader_id, _before(then, epochs))]
    return own[-1].start_ts if own and not own[-1].begun_before else None


def _before(then: Election | LeaderEpoch, epochs: Sequence[LeaderEpoch]) -> Iterator[LeaderEpoch]:
    """The earlier ones of these leader epochs, which are in order; the latest first."""
    at = bisect_left(epochs, then.leader_epoch, key=lambda epoch: epoch.leader_epoch)
    return map(epochs.__getitem__, range(at - 1, -1, -1))


def _shrinks(isr_shrinks: Sequence[IsrShrink], committed_isrs: Sequence[CommittedIsr]) -> Iterator[Happening]:
    """ISRs that lost members; `end_ts` is when the ISR was full again."""
    full_again = _full_again(committed_isrs) if isr_shrinks else {}
    for shrink in isr_shrinks:
        leader_id = shrink.leader_id if at_most(0, shrink.leader_id) else None
        yield _happening(
            "isr_shrink",
            statement(
                "isr_shrank",
                partition=partition_of(shrink),
                isr=",".join(map(str, shrink.isr)),
                isr_was=",".join(map(str, shrink.isr_was)),
                leader=leader_id,
            ),
            **_of_partition(shrink),
            id=shrink.id,
            life=shrink.life,
            leader_epoch=shrink.leader_epoch,
            ts=shrink.start_ts,
            end_ts=full_again.get(_place(shrink)),
            over_ts=first_known(shrink.end_ts, plus_millis(shrink.start_ts, MEMORY_MS)),
            node_id=leader_id,
            leader_id=leader_id,
            about=shrink.removed,
            by=shrink.by,
        )


def _place(state: CommittedIsr) -> tuple[Any, ...]:
    """The position of an ISR state among those of its name."""
    return nulls_first(state.life, state.leader_epoch, state.state_order)


def _full_again(states: Iterable[CommittedIsr]) -> dict[tuple[Any, ...], datetime | None]:
    """For each state of the ISR, by its position, when a later state of the same topic first contained all replicas."""
    full_ts: dict[tuple[Any, ...], datetime | None] = {}
    life, first = None, None
    for state in sorted(states, key=_place, reverse=True):
        if state.life != life:
            life, first = state.life, None
        full_ts[_place(state)] = first
        if state.isr is not None and state.replicas is not None and len(state.isr) >= len(state.replicas):
            first = least(state.start_ts, first)
    return full_ts


def _cut(cut: Truncation) -> Happening:
    return _happening(
        "recovery_cut" if cut.by_recovery else "truncation",
        statement(
            "recovery_cut_log" if cut.by_recovery else "cut_log",
            broker=cut.node_id,
            partition=partition_of(cut),
            to=cut.truncation_offset,
            from_offset=cut.log_end_offset,
        ),
        **_of_partition(cut),
        id=joined("truncation", partition_of(cut), cut.node_id, stamp(cut.ts)),
        life=0,
        leader_epoch=cut.leader_epoch,
        ts=cut.ts,
        node_id=cut.node_id,
        about=[cut.node_id],
    )


def _gone(ledger: Iterable[Loss]) -> Iterable[Loss]:
    """The rows with certain or possible losses; of one change of leader only the certain ones, if there are any."""
    of_change: dict[str, Loss] = {}
    for loss in ledger:
        if loss.verdict in GONE_VERDICTS:
            other = of_change.setdefault(loss_name(loss), loss)
            of_change[loss_name(loss)] = min(other, loss, key=lambda row: GONE_VERDICTS.index(row.verdict))
    return of_change.values()


def _loss(loss: Loss) -> Happening:
    """A ledger row with a certain or possible loss: at the truncation, or some time after the election if no line shows
    the truncation.
    """
    return _happening(
        "loss",
        statement(
            _how_lost(loss),
            partition=partition_of(loss),
            from_offset=loss.from_offset,
            to="unknown" if loss.to_offset_high is None else loss.to_offset_high,
            sure=None if loss.to_offset_low == loss.to_offset_high else loss.to_offset_low,
            old=loss.old_leader_id,
            new=loss.new_leader_id,
        ),
        **_of_partition(loss),
        id=loss_name(loss),
        life=loss.life,
        leader_epoch=loss.leader_epoch,
        ts=gone_ts(loss),
        began_low=None if loss.cut_ts is not None or loss.begun_before else loss.ts,
        began_high=loss.ts if is_found(loss) else None,
        about=[loss.old_leader_id],
        new_leader_id=loss.new_leader_id,
        by=loss.scenario,
    )


def _how_lost(loss: Loss) -> str:
    if loss.loss_class != "committed":
        return "dropped_records"
    return "lost_records" if loss.verdict == "PROVEN_LOSS" else "may_have_lost_records"


def _refusal(refused: RefusedWrite) -> Happening:
    return _happening(
        "writes_refused",
        statement(
            "refused_writes",
            count=refused.count,
            partition=partition_of(refused),
            leader=refused.node_id,
            min_isr=refused.min_isr,
        ),
        **_of_partition(refused),
        id=refused.id,
        life=0,
        ts=refused.ts,
        end_ts=refused.end_ts,
        node_id=refused.node_id,
        leader_id=refused.node_id,
    )
