"""What has causes or effects, each with the facts that the rules of causality join by: of the cluster, and of one
partition.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.causes.names import epoch_name, joined, loss_name, partition_of
from replay.causes.rules import MEMORY_MS, UNTOLD
from replay.columns.events import detail
from replay.columns.evidence import evidence_of
from replay.columns.partitions import partition_in, partition_name, topic_in
from replay.columns.times import iso_stamp
from replay.columns.windows import by_state
from replay.facts.order import at_most, nulls_first
from replay.facts.reads import gathers
from replay.facts.times import CLOCKS_DIFFER_MS, first_known, known, least, plus_millis
from replay.facts.times import iso_stamp as stamp
from replay.faults.kinds import ASKED_FOR, BY_NAME
from replay.histories.partition import has_leader, is_unclean
from replay.sentences.statement import Statement, said
from replay.tables.brokers import BrokerSession, Controller
from replay.tables.causes import REFUSED_WRITES, Happening
from replay.tables.faults import Fault
from replay.tables.losses import GONE_VERDICTS, LedgerEntry
from replay.tables.partitions import (
    ISR_SHRINKS,
    CommittedIsr,
    IsrShrink,
    JudgedElection,
    JudgedLeaderEpoch,
)
from replay.tables.row import UntypedRow

PASSING_MS = 1_000  # a leaderless state shorter than this is one controller action in two writes (facts §8, trap 22)
DELETED_BEFORE_MS = 2_000  # a topic's partitions lose their leaders this shortly before its deletion is told


def isr_shrinks(committed_isrs: DataFrame) -> DataFrame:
    """Each time a partition's committed ISR lost members while it had a leader. Returns `ISR_SHRINKS`.

    A broker that is no replica any more was moved away, not dropped.
    """
    isr_was = F.lag("isr").over(by_state())
    before = F.coalesce(isr_was, F.array().cast("array<int>"))
    replicas = F.coalesce("replicas", before)
    removed = F.array_intersect(F.array_except(before, "isr"), replicas)
    changes = committed_isrs.withColumns({"isr_was": isr_was, "removed": removed})
    shrinks = changes.where((F.size("removed") > 0) & (F.col("leader_id") >= 0))
    name = F.concat_ws(
        "/", F.lit("isr_shrink"), partition_name(), F.col("leader_epoch").cast("string"), iso_stamp("start_ts")
    )
    return ISR_SHRINKS.rows(shrinks, id=name)


@gathers("produce_append_error")
def refused_writes(events: DataFrame) -> DataFrame:
    """Writes with acks=all that a leader refused for too few in-sync replicas. Returns `REFUSED_WRITES`."""
    exception = F.coalesce(detail("exception"), F.lit(""))
    refused = events.where(
        (F.col("kind") == "produce_append_error") & F.contains(exception, F.lit("NotEnoughReplicas"))
    )
    in_text = F.nullif(F.regexp_extract("message", r"on partition (?:\S{22}:)?(\S+-\d+)", 1), F.lit(""))
    named = refused.withColumn("name", F.coalesce(partition_name(), in_text)).where(F.col("name").isNotNull())
    minutes = named.groupBy("node_id", "name", F.date_trunc("minute", "ts").alias("_minute")).agg(
        F.min("ts").alias("ts"),
        F.max("ts").alias("end_ts"),
        F.count("*").alias("count"),
        evidence_of().alias("evidence"),
    )
    id_ = F.concat_ws("/", F.lit("writes_refused"), "name", F.col("node_id").cast("string"), iso_stamp())
    return REFUSED_WRITES.rows(minutes, id=id_, topic=topic_in("name"), partition=partition_in("name"))


Span = tuple[datetime | None, datetime | None]


def of_cluster(
    faults: Iterable[Fault], broker_sessions: Sequence[BrokerSession], controllers: Iterable[Controller]
) -> list[Happening]:
    """What happened to nodes: faults, ends of sessions, changes of the active controller. Returns `HAPPENINGS`."""
    return [
        *map(_fault, faults),
        *_ended_sessions(broker_sessions),
        *_controller_changes(controllers),
    ]


def of_partition(own: Mapping[str, Sequence[UntypedRow]], deletions: Sequence[Span]) -> list[Happening]:
    """What happened to one partition, of the rows of its tables by their names. Returns `HAPPENINGS`."""
    return [
        *(
            _leaderless(epoch)
            for epochs in of_each_life(own["judged_leader_epochs"])
            for epoch in leaderless_epochs(epochs, deletions)
        ),
        *map(_election, own["judged_elections"]),
        *_shrinks(own["isr_shrinks"], own["committed_isrs"]),
        *map(_cut, own["log_cuts"]),
        *map(_loss, _gone(own["ledger"])),
        *map(_refusal, own["refused_writes"]),
    ]


def _happening(
    kind: str,
    told: Statement,
    *,
    ts: datetime | None,
    begin_ts: datetime | None = None,
    about: Iterable[int | None] = (),
    names: Sequence[str] | None = None,
    **given: Any,
) -> UntypedRow:
    """A row of `HAPPENINGS`. It begins at its time where no other begin is given."""
    return Happening(
        kind=kind,
        reason=told.reason,
        arguments=told.arguments,
        ts=ts,
        begin_ts=first_known(begin_ts, ts),
        about=known(about),
        names=names or [],
        **given,
    )


def _fault(fault: Fault) -> UntypedRow:
    node = None if fault.kind in ASKED_FOR else fault.broker_id
    return _happening(
        fault.kind,
        said("fault", code=fault.code, what=fault.kind.replace("_", " "), node=node),
        id=fault.fault_id,
        code=fault.code,
        node_id=fault.broker_id,
        ts=fault.ts,
        begin_ts=fault.began_low,
        over_ts=fault.end_ts,
        end_ts=fault.end_ts,
        about=(fault.peers or []) if BY_NAME[fault.kind].is_of_peers else [fault.broker_id],
        names=fault.partitions,
        evidence=fault.evidence,
    )


def _ended_sessions(sessions: Iterable[UntypedRow]) -> Iterator[UntypedRow]:
    """The ends of brokers' sessions. In a controlled shutdown leaders and ISRs move first, at the broker's request:
    what precedes the end follows from the stop.
    """
    of_broker = defaultdict(list)
    for session in sessions:
        of_broker[session.broker_id].append(session)
    for broker, own in of_broker.items():
        in_time = sorted(own, key=lambda session: nulls_first(first_known(session.start_ts, session.end_ts)))
        for session, after in zip(in_time, [*in_time[1:], None], strict=True):
            if session.end_ts is not None:
                was_asked = session.ended_by == "controlled_shutdown"
                yield _happening(
                    "detected",
                    said(
                        "session_ended",
                        broker=broker,
                        by=session.ended_by and session.ended_by.replace("_", " "),
                        at_end=session.end_ts,
                    ),
                    id=joined("detected", broker, stamp(session.end_ts)),
                    node_id=broker,
                    ts=session.end_ts,
                    begin_ts=session.end_ts if was_asked else plus_millis(session.end_ts, -CLOCKS_DIFFER_MS),
                    over_ts=after and after.start_ts,
                    about=[broker],
                    by=session.ended_by,
                    evidence=session.evidence,
                )


def _controller_changes(controllers: Iterable[Controller]) -> Iterator[UntypedRow]:
    in_order = sorted(controllers, key=lambda tenure: (tenure.mode == "kraft", nulls_first(tenure.controller_epoch)))
    for old, tenure in pairwise(in_order):
        if old.controller_id is not None:
            yield _happening(
                "controller_change",
                said(
                    "became_controller",
                    node=tenure.controller_id,
                    old=old.controller_id,
                    controller_epoch=tenure.controller_epoch,
                ),
                id=joined("controller", "kraft" if tenure.mode == "kraft" else None, tenure.controller_epoch),
                node_id=tenure.controller_id,
                ts=tenure.start_ts,
                about=[old.controller_id],
                leader_id=old.controller_id,
                new_leader_id=tenure.controller_id,
                by=tenure.mode,
                evidence=tenure.evidence,
            )


def deletions(faults: Iterable[Fault]) -> list[Span]:
    """The times in which topics were deleted: their partitions lose their leaders shortly before that is told."""
    return [
        (plus_millis(fault.ts, -DELETED_BEFORE_MS), first_known(fault.end_ts, fault.ts))
        for fault in faults
        if fault.kind == "topic_deleted"
    ]


def of_each_life(leader_epochs: Iterable[JudgedLeaderEpoch]) -> Iterator[list[JudgedLeaderEpoch]]:
    """The leader epochs of each topic that has had one name, in their order."""
    of_life = defaultdict(list)
    for epoch in leader_epochs:
        of_life[epoch.life].append(epoch)
    for epochs in of_life.values():
        yield sorted(epochs, key=lambda epoch: epoch.leader_epoch)


def leaderless_epochs(epochs: Sequence[UntypedRow], deletions: Sequence[Span]) -> list[UntypedRow]:
    """Of one partition's leader epochs, which are in order, those without a leader; but those with which it went as
    its topic was deleted: nobody missed a leader there (facts §5, F19).
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


def _of_partition(row: UntypedRow) -> dict[str, Any]:
    """What a happening in a partition has from the row that tells of it."""
    return {
        "topic": row.topic,
        "partition": row.partition,
        "name": partition_of(row),
        "evidence": row.evidence,
    }


def _leaderless(epoch: UntypedRow) -> UntypedRow:
    """Where leader epochs before it are untold, any member of the ISR may have led last."""
    in_isr = [id_ for id_ in epoch.isr_before or () if id_ != epoch.last_leader_id] if epoch.untold_epochs else []
    return _happening(
        "leaderless",
        said(
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
        elected_from=epoch.elected_from,
        by=UNTOLD if in_isr else None,
    )


def _election(election: JudgedElection) -> UntypedRow:
    """A change of leader; one that ended a time without a leader follows from that, and that from what befell the
    leader before.
    """
    had_leader = not election.leaderless_ms
    return _happening(
        "unclean_election" if is_unclean(election) else "election",
        said(
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
        about=[election.old_leader_id] if had_leader or election.trigger == "preferred" else [],
        leader_id=election.old_leader_id,
        new_leader_id=election.new_leader_id,
        elected_from=election.elected_from,
        by=election.trigger,
    )


def _shrinks(isr_shrinks: Sequence[IsrShrink], committed_isrs: Sequence[CommittedIsr]) -> Iterator[UntypedRow]:
    """ISRs that lost members; `end_ts` is when the ISR was full again."""
    full_again = _full_again(committed_isrs) if isr_shrinks else {}
    for shrink in isr_shrinks:
        yield _happening(
            "isr_shrink",
            said(
                "isr_shrank",
                partition=partition_of(shrink),
                isr=",".join(map(str, shrink.isr)),
                isr_was=",".join(map(str, shrink.isr_was)),
                leader=shrink.leader_id,
            ),
            **_of_partition(shrink),
            id=shrink.id,
            life=shrink.life,
            leader_epoch=shrink.leader_epoch,
            ts=shrink.start_ts,
            end_ts=full_again.get(_place(shrink)),
            over_ts=first_known(shrink.end_ts, plus_millis(shrink.start_ts, MEMORY_MS)),
            node_id=shrink.leader_id,
            leader_id=shrink.leader_id,
            about=shrink.removed,
        )


def _place(state: UntypedRow) -> tuple[Any, ...]:
    """Where a state of the ISR stands among those of its name."""
    return nulls_first(state.life, state.leader_epoch, state.state_order)


def _full_again(states: Iterable[UntypedRow]) -> dict[tuple[Any, ...], datetime | None]:
    """For each state of the ISR, by its place, when a later one of the same topic first held all replicas."""
    full_ts: dict[tuple[Any, ...], datetime | None] = {}
    life, first = None, None
    for state in sorted(states, key=_place, reverse=True):
        if state.life != life:
            life, first = state.life, None
        full_ts[_place(state)] = first
        if state.isr is not None and state.replicas is not None and len(state.isr) >= len(state.replicas):
            first = least(state.start_ts, first)
    return full_ts


def _cut(cut: UntypedRow) -> UntypedRow:
    return _happening(
        "recovery_cut" if cut.by_recovery else "truncation",
        said(
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


def _gone(ledger: Iterable[LedgerEntry]) -> Iterable[UntypedRow]:
    """The rows that say that something is or may be gone; of those of one change of leader what is gone for sure."""
    of_change: dict[str, UntypedRow] = {}
    for loss in ledger:
        if loss.verdict in GONE_VERDICTS:
            other = of_change.setdefault(loss_name(loss), loss)
            of_change[loss_name(loss)] = min(other, loss, key=lambda row: GONE_VERDICTS.index(row.verdict))
    return of_change.values()


def _loss(loss: LedgerEntry) -> UntypedRow:
    """A row of the ledger that says that something is or may be gone."""
    return _happening(
        "loss",
        said(
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
        ts=loss.ts,
        about=[loss.old_leader_id],
        new_leader_id=loss.new_leader_id,
        by=loss.scenario,
    )


def _how_lost(loss: LedgerEntry) -> str:
    if loss.loss_class != "committed":
        return "dropped_records"
    return "lost_records" if loss.verdict == "PROVEN_LOSS" else "may_have_lost_records"


def _refusal(refused: UntypedRow) -> UntypedRow:
    return _happening(
        "writes_refused",
        said("refused_writes", count=refused.count, partition=partition_of(refused), leader=refused.node_id),
        **_of_partition(refused),
        id=refused.id,
        life=0,
        ts=refused.ts,
        end_ts=refused.end_ts,
        node_id=refused.node_id,
        leader_id=refused.node_id,
    )
