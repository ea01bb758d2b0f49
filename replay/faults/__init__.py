"""What went wrong on a broker, a disk or the network: the happenings that causes are sought among.

One function a kind of fault, each telling it from its look-alikes (facts §5 and §5.1). A fault is physical (process,
disk, network, clock) or an operator's act; what the controller does about it is in `replay.causes`. The functions
here put the rules' findings together: what one rule explains, another does not tell again.
"""

from __future__ import annotations

from pyspark.sql import DataFrame

from replay.faults import (
    controller_links,
    fetch_links,
    frames,
    lag,
    log_dirs,
    own_errors,
    quorum,
    requests,
)
from replay.faults.kinds import is_kind
from replay.faults.rows import unexplained
from replay.faults.rule import Kinds, all_of, can_find, found
from replay.tables.faults import FAULTS


def stated(
    events: DataFrame, processes: DataFrame, timings: DataFrame, clock_steps: DataFrame, kinds: Kinds = None
) -> DataFrame:
    """Faults that a node's own lines state outright, clocks that were set, and what operators asked for. Returns
    `FAULTS`.
    """
    return found(
        (
            (own_errors.clocks_stepped, (clock_steps,)),
            (own_errors.out_of_memory, (events,)),
            (own_errors.authentication_failed, (events,)),
            (own_errors.isr_updates_refused, (events, timings)),
            (own_errors.fetchers_died, (events, timings)),
            (own_errors.protocol_refused, (events,)),
            (log_dirs.log_dirs_failed, (events, processes, timings)),
            (log_dirs.log_dirs_empty, (events,)),
            (log_dirs.records_damaged, (events,)),
            (frames.registration_refused, (events,)),
            (quorum.quorum_lost, (events,)),
            (quorum.controllers_overloaded, (events,)),
            (requests.reassigned, (events,)),
            (requests.topics_deleted, (events,)),
            (requests.metadata_version_changed, (events, processes)),
            (requests.migrated, (events,)),
        ),
        kinds,
        none=FAULTS.empty(events.sparkSession),
    )


def known_outages(events: DataFrame, outages: DataFrame, timings: DataFrame, kinds: Kinds = None) -> DataFrame:
    """The outages, times without ZooKeeper, and brokers that could not reach their peers, or the controller them. Returns `FAULTS`."""
    away = outages
    if can_find(frames.zookeeper_lost, kinds):
        away = away.unionByName(without_zookeeper(events, outages))
    if can_find(fetch_links.cut_links, kinds):
        away = away.unionByName(fetch_links.cut_links(events, away, timings))
    if can_find(controller_links.out_of_controllers_reach, kinds):
        others = away.where(~is_kind("link_cut"))  # of which the controller may be at neither end
        away = with_controllers_out_of_reach(away, controller_links.out_of_controllers_reach(events, others, timings))
    return away


def with_controllers_out_of_reach(outages: DataFrame, unreached: DataFrame) -> DataFrame:
    """The outages, and the brokers that the controller could not reach. Returns `FAULTS`.

    One of these may have nothing to say while leaders drop it: its silence is no fault of its own.
    """
    silent = unexplained(outages.where(is_kind("silent")), unreached)
    return all_of(outages.where(~is_kind("silent")), silent, unreached)


def known(outages: DataFrame, lag_drops: DataFrame, lag_shrinks: DataFrame) -> DataFrame:
    """The outages, links with the partitions that they befell, and followers that leaders dropped for lag. Returns
    `FAULTS`.
    """
    return lag.with_partitions_of_links(outages, lag_shrinks).unionByName(lag.lagging(lag_drops, lag_shrinks))


def faults(
    events: DataFrame, known: DataFrame, outages: DataFrame, stated: DataFrame, kinds: Kinds = None
) -> DataFrame:
    """All faults, each told once. Returns `FAULTS`."""
    told = known.unionByName(stated)
    of_nodes = known.where(~is_kind("link_cut"))  # a link to one peer keeps no word of the controller away
    if can_find(frames.metadata_late, kinds):
        told = told.unionByName(unexplained(frames.metadata_late(events), of_nodes))
    if can_find(own_errors.isr_changes_refused, kinds):
        told = told.unionByName(unexplained(own_errors.isr_changes_refused(events), of_nodes))
    if can_find(quorum.voters_cut_off, kinds):
        told = told.unionByName(voters_cut_off(events, known, stated))
    if not any(
        can_find(rule, kinds) for rule in (quorum.majority_down, quorum.quorum_lost, quorum.controllers_overloaded)
    ):
        return told
    return quorum.fenced_without_quorum(told.unionByName(majorities_down(events, outages, stated)))


def without_zookeeper(events: DataFrame, outages: DataFrame) -> DataFrame:
    """F07: brokers that could not reach ZooKeeper, where no outage of theirs tells more of it; and the times in which none could. Returns `FAULTS`."""
    lost = unexplained(frames.zookeeper_lost(events), outages)
    return lost.unionByName(frames.zookeeper_away(events, lost.unionByName(outages)))


def voters_cut_off(events: DataFrame, known: DataFrame, stated: DataFrame) -> DataFrame:
    """F10: voters that could not reach the others, where no `known` fault of theirs tells more of it, and none of the active controller's. Returns `FAULTS`."""
    return quorum.without_overload(unexplained(quorum.voters_cut_off(events), known), stated)


def majorities_down(events: DataFrame, outages: DataFrame, stated: DataFrame) -> DataFrame:
    """F11: times in which most voters were down, where the voters' own search for a leader tells nothing of it. Returns `FAULTS`."""
    return quorum.untold_majorities_down(quorum.majority_down(events, outages), stated)
