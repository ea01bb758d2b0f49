"""Combines the findings of all rules and removes those that another rule explains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from replay.facts.order import at_most, less
from replay.facts.times import first_known, greatest, plus_millis
from replay.facts.window import ALL_TIME, TimeWindow
from replay.faults import controller_links, quorum
from replay.faults.admission import heartbeats_refused, not_admitted
from replay.faults.control_plane import (
    disks_refused,
    feature_changes_refused,
    features_changed,
    features_unsupported,
    metadata_unapplied,
    refused_by_quorum,
    static_voters_differ,
    voter_directories_differ,
    voters_changed,
)
from replay.faults.coordinators import (
    coordinators_not_loaded,
    groups_rebalanced,
    share_partitions_not_loaded,
    transaction_ends_not_written,
    transactions_left_open,
)
from replay.faults.fetch_links import cut_links
from replay.faults.kinds import CUT_OFF, DISKS, ORDERED_STOPS
from replay.faults.lag import begun_as_followers_fetched, ended_as_replicas_return, lagging, with_partitions_of_links
from replay.faults.late_isr_changes import isr_changes_late
from replay.faults.late_metadata import metadata_late
from replay.faults.log_dirs import directories_not_assigned, log_dirs_empty, log_dirs_failed, records_damaged
from replay.faults.nodes_without_logs import each_outage_once
from replay.faults.own_errors import (
    authentication_failed,
    clocks_stepped,
    fetchers_died,
    isr_changes_refused,
    isr_updates_refused,
    out_of_memory,
    protocol_refused,
)
from replay.faults.own_rejections import with_own_rejections
from replay.faults.pauses import MISSED_IN_SILENCE
from replay.faults.reassignments import reassigned
from replay.faults.registrations import registration_refused
from replay.faults.rejected_links import rejected_links
from replay.faults.remote_storage import (
    deleted_at_take_over,
    log_starts_jumped,
    remote_copies_failed,
    remote_reads_failed,
    remote_state_not_built,
)
from replay.faults.requests import migrated, topics_deleted
from replay.faults.shape import between, ends_of, fault, not_of_kind, of_kind, unexplained
from replay.faults.unreachable import zookeeper_away, zookeeper_lost
from replay.faults.witnessed import with_codes_of_witnesses
from replay.sentences.statement import statement
from replay.tables.brokers import BrokerSession, Controller, NodeRelease, NodeTimings, ProcessLife, Setting
from replay.tables.clocks import ClockStep
from replay.tables.control_plane import FeatureLevel
from replay.tables.faults import (
    AskedTime,
    DamagedPartition,
    EmptiedLogDir,
    Fault,
    FirstLine,
    GivenUpPartition,
    JumpedLogStart,
    LagShrink,
    LateIsrChange,
    LateRole,
    MemoryError,
    MovedPartition,
    RefusedIsrWrite,
    StatedFault,
    Witness,
    WrittenLine,
)
from replay.tables.partitions import ReplicaChange
from replay.tables.reading import Fact, FileCoverage

_SIGNS_COME_AGAIN_MS = 60_000  # a node that cannot reach another one logs this again within this time
# The start of these faults is shown by a process's last line, its own clock, or the length of a session.
_BEGIN_OTHERWISE_SHOWN = (
    "killed",
    "halted",
    *ORDERED_STOPS,
    "paused",
    "silent",
    "cut_from_controllers",
    "fenced_alive",
)
_KEPT = ("ts", "broker_id", "began_low", "began_high", "end_ts", "ended_low", "ended_high", "confidence", "evidence")


def known_outages(
    facts: Sequence[Fact],
    outages: Sequence[Fault],
    timings: Sequence[NodeTimings],
    processes: Sequence[ProcessLife] = (),
) -> list[Fault]:
    """The outages, the times without ZooKeeper, and the brokers that could not fetch from their peers."""
    away = [*outages, *without_zookeeper(facts, outages)]
    cuts = cut_links(facts, away, timings, processes)
    return [*away, *cuts, *apart_from(rejected_links(facts, away, timings, processes), [*away, *cuts])]


def apart_from(links: Iterable[Fault], known: Sequence[Fault]) -> list[Fault]:
    """The cut links, without those with an end that was cut off from other nodes too, and without known ones."""
    cuts = of_kind(known, *CUT_OFF)
    return [link for link in links if not any(_meets(link, cut) for cut in cuts)]


def _meets(link: Fault, other: Fault) -> bool:
    """Whether another fault affected an end of a link while the link was cut."""
    began, ended = first_known(other.began_low, other.ts), first_known(other.ended_high, other.end_ts)
    is_meanwhile = not less(first_known(link.ended_high, link.end_ts), began) and not less(ended, link.began_low)
    return is_meanwhile and not {*ends_of(link)}.isdisjoint(ends_of(other))


def without_zookeeper(facts: Sequence[Fact], outages: Sequence[Fault]) -> list[Fault]:
    """F07: brokers that could not reach ZooKeeper, unless an outage of their own explains this, and the times in
    which no broker could reach it.
    """
    lost = unexplained(zookeeper_lost(facts), outages)
    return lost + zookeeper_away(facts, [*lost, *outages])


def asked_times(
    facts: Sequence[Fact], known_outages: Sequence[Fault], timings: Sequence[NodeTimings]
) -> list[AskedTime]:
    """The times for which rules need to know which nodes wrote lines."""
    return quorum.asked_times(facts) + controller_links.asked_times(facts, _of_nodes(known_outages), timings)


def stated_faults(
    facts: Sequence[Fact],
    processes: Sequence[ProcessLife],
    recorded_sessions: Sequence[BrokerSession],
    timings: Sequence[NodeTimings],
    clock_steps: Sequence[ClockStep],
    kafka_files: Sequence[FileCoverage],
    memory_errors: Sequence[MemoryError],
    refused_isr_writes: Sequence[RefusedIsrWrite],
    given_up_partitions: Sequence[GivenUpPartition],
    emptied_log_dirs: Sequence[EmptiedLogDir],
    damaged_partitions: Sequence[DamagedPartition],
    moved_partitions: Sequence[MovedPartition],
    replica_changes: Sequence[ReplicaChange],
    min_isr_of: Mapping[str, int | None],
    jumped_log_starts: Sequence[JumpedLogStart],
    settings: Sequence[Setting],
    feature_levels: Sequence[FeatureLevel],
    releases: Sequence[NodeRelease],
) -> list[Fault]:
    """Faults that a node's own lines state outright, clocks that were set, and requests by operators. Rows of
    `FAULTS`.
    """
    kept_out = not_admitted(facts, processes)
    return [
        *clocks_stepped(clock_steps),
        *out_of_memory(memory_errors),
        *authentication_failed(facts),
        *isr_updates_refused(refused_isr_writes),
        *fetchers_died(facts, given_up_partitions, timings),
        *protocol_refused(facts),
        *log_dirs_failed(facts, processes, timings),
        *log_dirs_empty(emptied_log_dirs),
        *records_damaged(damaged_partitions),
        *directories_not_assigned(facts),
        *registration_refused(facts, recorded_sessions),
        *kept_out,
        *heartbeats_refused(facts, kept_out),
        *_of_remote_storage(facts),
        *log_starts_jumped(jumped_log_starts),
        *deleted_at_take_over(facts, releases),
        *_of_coordinators(facts),
        *reassigned(moved_partitions, replica_changes, min_isr_of),
        *topics_deleted(facts),
        *disks_refused(processes),
        *_of_quorum(facts, processes, settings, feature_levels, releases),
        *migrated(facts, greatest(*[file.last_ts for file in kafka_files])),
    ]


def _of_remote_storage(facts: Sequence[Fact]) -> list[Fault]:
    return [*remote_copies_failed(facts), *remote_reads_failed(facts), *remote_state_not_built(facts)]


def _of_coordinators(facts: Sequence[Fact]) -> list[Fault]:
    """Faults of the coordinators of groups, share groups and transactions, and of the controllers."""
    return [
        *groups_rebalanced(facts),
        *coordinators_not_loaded(facts),
        *share_partitions_not_loaded(facts),
        *transactions_left_open(facts),
        *transaction_ends_not_written(facts),
        *quorum.controllers_overloaded(facts),
    ]


def _of_quorum(
    facts: Sequence[Fact],
    processes: Sequence[ProcessLife],
    settings: Sequence[Setting],
    feature_levels: Sequence[FeatureLevel],
    releases: Sequence[NodeRelease],
) -> list[Fault]:
    """Faults of the metadata, its features and its voters."""
    return [
        *refused_by_quorum(facts, processes),
        *metadata_unapplied(facts, releases),
        *features_unsupported(facts),
        *feature_changes_refused(facts),
        *features_changed(feature_levels),
        *voters_changed(facts, processes, settings),
        *static_voters_differ(facts, processes, settings),
        *voter_directories_differ(facts),
    ]


def faults(
    facts: Sequence[Fact],
    outages: Sequence[Fault],
    known_outages: Sequence[Fault],
    stated_faults: Sequence[StatedFault],
    timings: Sequence[NodeTimings],
    first_lines: Sequence[FirstLine],
    written_lines: Sequence[WrittenLine],
    lag_shrinks: Sequence[LagShrink],
    late_roles: Sequence[LateRole],
    witnesses: Sequence[Witness],
    window: TimeWindow = ALL_TIME,
    late_isr_changes: Sequence[LateIsrChange] = (),
    controllers: Sequence[Controller] = (),
) -> list[Fault]:
    """All faults of nodes in the window, each once."""
    vain_elections = quorum.vain_elections(facts, written_lines, first_lines)
    stated = [*stated_faults, *quorum.quorum_lost(vain_elections, outages)]
    unreached = controller_links.out_of_controllers_reach(facts, _of_nodes(known_outages), timings, written_lines)
    unreached = not_over_a_link(unreached, known_outages)
    away = with_controllers_out_of_reach(without_silences_of_links(known_outages, lag_shrinks), unreached)
    lag = lagging(lag_shrinks, first_lines, away, stated, timings)
    bounded = begun_as_followers_fetched(ended_as_replicas_return(away, lag_shrinks), lag_shrinks, timings)
    known = with_partitions_of_links(bounded, lag_shrinks, timings) + lag
    of_nodes = _of_nodes(known)
    found = [
        *known,
        *stated,
        *unexplained(metadata_late(late_roles, first_lines, facts), of_nodes),
        *unexplained(isr_changes_refused(facts), of_nodes),
        *voters_cut_off(vain_elections, known, stated),
        *majorities_down(facts, outages, stated),
    ]
    found = each_outage_once(found)
    found += isr_changes_late(facts, late_isr_changes, controllers, found)
    found = with_own_rejections(quorum.fenced_without_quorum(stopped_with_failed_disks(found)), facts)
    return with_codes_of_witnesses([_as_shown(one, window) for one in window.overlapping(found)], witnesses)


def stopped_with_failed_disks(faults: Sequence[Fault]) -> list[Fault]:
    """The faults, with a separate kind for stops that only lack the marker in a directory that had already failed."""
    disks = of_kind(faults, *DISKS)
    return [
        _with_failed_disk(one)
        if one.kind in ("stopped_uncleanly", "stopped_with_failed_disk")
        and "gave_up" not in (one.arguments or {})
        and any(_had_failed(disk, one) for disk in disks)
        else one
        for one in faults
    ]


def _with_failed_disk(stop: Fault) -> Fault:
    return fault(
        "stopped_with_failed_disk",
        statement(
            "told_to_stop", disk_failed=True, **{**(stop.arguments or {}), "some_marked": None, "recovered": True}
        ),
        **{name: getattr(stop, name) for name in _KEPT},
    )


def _had_failed(disk: Fault, stop: Fault) -> bool:
    """Whether the directory had already failed when the broker was asked to stop."""
    is_of_broker = disk.broker_id == stop.broker_id and at_most(disk.ts, stop.ts)
    return is_of_broker and (disk.end_ts is None or at_most(stop.ts, disk.end_ts))


def _as_shown(fault: Fault, window: TimeWindow) -> Fault:
    """The fault with its times moved inside its bounds, because its first line may come long after it began.

    Drops the lower bound of the begin if it rests on the first sign and earlier signs may lie before the window.
    """
    is_early = less(fault.ts, plus_millis(window.since, _SIGNS_COME_AGAIN_MS))
    return fault.but(
        ts=between(fault.ts, fault.began_low, fault.began_high),
        end_ts=between(fault.end_ts, fault.ended_low, fault.ended_high),
        began_low=None if is_early and fault.kind not in _BEGIN_OTHERWISE_SHOWN else fault.began_low,
    )


def _of_nodes(faults: Iterable[Fault]) -> list[Fault]:
    """The faults without cut links. A broker that cannot reach one peer may still reach the controller."""
    return not_of_kind(faults, "link_cut")


def with_controllers_out_of_reach(outages: Sequence[Fault], unreached: Sequence[Fault]) -> list[Fault]:
    """The outages, and the brokers that the controller could not reach.

    An unreachable broker may log nothing while leaders drop it: this silence is not a separate fault.
    """
    silent = unexplained(of_kind(outages, "silent"), unreached)
    return [*not_of_kind(outages, "silent"), *silent, *unreached]


def not_over_a_link(unreached: Iterable[Fault], known: Sequence[Fault]) -> list[Fault]:
    """The brokers out of the controller's reach, without those whose link with that controller was cut meanwhile: the
    link explains it.
    """
    links = of_kind(known, "link_cut")
    return [
        one
        for one in unreached
        if not any(
            _meets(link, one) and (one.arguments or {}).get("controller") in [str(end) for end in ends_of(link)]
            for link in links
        )
    ]


def without_silences_of_links(outages: Sequence[Fault], lag_shrinks: Sequence[LagShrink]) -> list[Fault]:
    """The outages, without silences of a broker that only the other end of a cut link removed from ISRs: the link
    explains the removals, and the broker may have had nothing to log.
    """
    links = of_kind(outages, "link_cut")
    return [
        one
        for one in outages
        if one.reason != MISSED_IN_SILENCE
        or not any(_meets(link, one) and _only_the_other_end_dropped(one, link, lag_shrinks) for link in links)
    ]


def _only_the_other_end_dropped(silent: Fault, link: Fault, lag_shrinks: Iterable[LagShrink]) -> bool:
    leaders = {
        shrink.leader_id
        for shrink in lag_shrinks
        if shrink.dropped_id == silent.broker_id
        and at_most(silent.began_low, shrink.ts)
        and at_most(shrink.ts, silent.end_ts)
    }
    return bool(leaders) and leaders <= {*ends_of(link)} - {silent.broker_id}


def voters_cut_off(
    vain_elections: Iterable[quorum.VainElection], known: Sequence[Fault], stated: Sequence[Fault]
) -> list[Fault]:
    """F10: voters that could not reach the others, unless a `known` fault of theirs or an overload of the active
    controller explains it.
    """
    return quorum.without_overload(unexplained(quorum.voters_cut_off(vain_elections), known), stated)


def majorities_down(facts: Sequence[Fact], outages: Sequence[Fault], stated: Sequence[Fault]) -> list[Fault]:
    """F11: times in which most voters were down and no voter logged a search for a leader."""
    return quorum.unstated_majorities_down(quorum.majority_down(facts, outages), stated)
