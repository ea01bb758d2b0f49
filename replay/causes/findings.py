"""Conclusions: root causes, contributing causes, effects and routine work, each with its proof and its uncertainty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replay.causes.conclusions import Causes, as_finding
from replay.causes.depositions import depositions
from replay.causes.effect_conclusions import (
    controller_changes,
    damaged_logs,
    partitions_without_leader,
    preferred_elections,
    rejected_writes,
    unexplained_changes,
    unexplained_controller_changes,
    unexplained_errors,
)
from replay.causes.fault_conclusions import conclusions_of_faults, rolling_restarts
from replay.causes.loss_conclusions import conclusions_of_losses, likely_unclean_elections, unclean_elections
from replay.causes.upgrades import Releases
from replay.facts.window import ALL_TIME, TimeWindow
from replay.questions.blind_spots import with_blind_spots
from replay.tables.brokers import Controller, NodeRelease, ProcessLife, Setting
from replay.tables.causes import (
    ClusterEdge,
    Conclusion,
    Effect,
    Finding,
    LeadingBroker,
    OpenLoss,
    Rival,
    RootSpan,
    Trouble,
)
from replay.tables.control_plane import FeatureLevel, VoterSet
from replay.tables.faults import Fault, WitnessedFault
from replay.tables.offsets import ShortenedLog
from replay.tables.partitions import TopicSetting
from replay.tables.questions import BlindSpot


def conclusions(
    faults: Sequence[Fault],
    cluster_edges: Sequence[ClusterEdge],
    root_spans: Sequence[RootSpan],
    effects: Sequence[Effect],
    open_losses: Sequence[OpenLoss],
    leading_brokers: Sequence[LeadingBroker],
    rivals: Sequence[Rival],
    topic_settings: Sequence[TopicSetting],
    unrecognized_trouble: Sequence[Trouble],
    witnessed: Sequence[WitnessedFault] = (),
    window: TimeWindow = ALL_TIME,
    controllers: Sequence[Controller] = (),
    processes: Sequence[ProcessLife] = (),
    settings: Sequence[Setting] = (),
    feature_levels: Sequence[FeatureLevel] = (),
    shortened_logs: Sequence[ShortenedLog] = (),
    voter_sets: Sequence[VoterSet] = (),
    releases: Sequence[NodeRelease] = (),
) -> list[Conclusion]:
    """Every conclusion as data."""
    causes = Causes.of(faults)
    deposed = depositions(controllers, cluster_edges, faults, releases)
    return [
        *conclusions_of_faults(
            faults,
            cluster_edges,
            root_spans,
            effects,
            open_losses,
            leading_brokers,
            rivals,
            witnessed,
            window,
            controllers,
            shortened_logs,
            voter_sets,
            settings,
            deposed,
        ),
        *rolling_restarts(faults, root_spans, Releases(processes, settings, feature_levels)),
        *unclean_elections(effects, topic_settings, open_losses, faults),
        *likely_unclean_elections(open_losses, topic_settings),
        *conclusions_of_losses(open_losses, causes, root_spans),
        *partitions_without_leader(effects, causes, root_spans),
        *rejected_writes(effects),
        *damaged_logs(effects, faults),
        *controller_changes(effects, causes, controllers, deposed),
        *preferred_elections(effects, open_losses),
        *unexplained_changes(effects, causes),
        *unexplained_controller_changes(effects, causes),
        *unexplained_errors(unrecognized_trouble, faults),
    ]


def findings(conclusions: Iterable[Conclusion], blind_spots: Iterable[BlindSpot]) -> list[Finding]:
    """Every conclusion with its sentences, and with the missing files that it concerns. Returns `FINDINGS`."""
    return with_blind_spots([as_finding(conclusion) for conclusion in conclusions], blind_spots)
