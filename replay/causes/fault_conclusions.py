"""Faults as conclusions: root, contributing, effect or benign; and stops that were one rolling restart (F03)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import Any

from replay.causes.conclusions import conclusion
from replay.causes.depositions import Deposition
from replay.causes.kept_out import kept_out_of
from replay.causes.late_detections import LateDetection, delayed_by, late_detections
from replay.causes.predicates import predicates, shortened_by_death
from replay.causes.rules import CHANGES_OF_LEADER
from replay.causes.upgrades import NO_RELEASES, Move, Releases, from_to, moved_word, what_move
from replay.causes.voters_left import voters_left
from replay.facts.controllers import KRAFT, active_from, only_controllers
from replay.facts.evidence import joined, of_rows
from replay.facts.groups import by_key
from replay.facts.order import at_most, less
from replay.facts.times import first_known, greatest, known, least, millis
from replay.facts.window import ALL_TIME, TimeWindow
from replay.faults.kinds import BY_NAME, LOWERED, ORDERED_STOPS, REASSIGNED, ROUTINE, Stops
from replay.faults.lag import LAST_TWO
from replay.faults.process_ends import ENDED_BEFORE
from replay.faults.shape import between, ends_of
from replay.sentences import Statement, statement
from replay.sentences.findings import EFFECTS
from replay.sentences.spans import span
from replay.sentences.statement import LIST_SEPARATOR
from replay.tables.brokers import Controller, Setting
from replay.tables.causes import ClusterEdge, Conclusion, Edge, Effect, LeadingBroker, OpenLoss, Rival, RootSpan
from replay.tables.control_plane import VoterSet
from replay.tables.faults import Fault, WitnessedFault
from replay.tables.losses import Loss
from replay.tables.offsets import ShortenedLog

HARMFUL_DISCARD = 100  # offsets above the commit point: as many are no longer the few that any move of a leader costs


def faulty_incidents(root_spans: Iterable[RootSpan]) -> set[str]:
    """The incidents with a root that is not routine work."""
    return {span.incident_id for span in root_spans if span.kind not in ROUTINE}


@dataclass
class Harm:
    """The effects of one fault: the number of happenings of each kind, their partitions, and the losses."""

    counts: Counter[str] = field(default_factory=Counter)
    leaderless: set[str] = field(default_factory=set)
    shrunk: set[str] = field(default_factory=set)
    touched: set[str] = field(default_factory=set)
    unclean_with_others: int = 0  # unclean elections that other faults led to as well
    refused_with_others: int = 0  # batches of refused writes that other faults led to as well
    quorum_lost_with: set[str] = field(default_factory=set)  # the other faults that the metadata quorum was lost by
    proven: int = 0
    possible: int = 0
    discarded: int = 0
    contributed: list[OpenLoss] = field(
        default_factory=list
    )  # losses that it contributed to, and another fault completed

    @property
    def elections(self) -> int:
        return sum(self.counts[kind] for kind in CHANGES_OF_LEADER)

    @property
    def hurt_clients(self) -> bool:
        counts = self.counts
        return bool(self.leaderless or counts["writes_refused"] or counts["unclean_election"] or counts["quorum_lost"])

    @property
    def moved_nothing(self) -> bool:
        return self.elections + self.counts["isr_shrink"] == 0

    def add_effect(self, effect: Effect, root: str) -> None:
        if effect.kind == "election" and effect.by == "preferred":
            return  # that leaders come back is no harm
        self.counts[effect.kind] += effect.count
        self.touched.update(effect.partitions)
        if effect.kind == "unclean_election" and len(set(effect.root_ids)) > 1:
            self.unclean_with_others += effect.count
        if effect.kind == "writes_refused" and len(set(effect.root_ids)) > 1:
            self.refused_with_others += effect.count
        if effect.kind == "quorum_lost":
            self.quorum_lost_with.update(set(effect.root_ids) - {root})
        elif effect.kind == "leaderless":
            self.leaderless.update(effect.partitions)
        elif effect.kind == "isr_shrink":
            self.shrunk.update(effect.partitions)

    @property
    def discarded_in_all(self) -> int:
        """Uncommitted offsets that were discarded because of it, including those whose loss another fault completed."""
        return self.discarded + sum(known(map(_size, self.contributed)))

    def add_loss(self, loss: Loss) -> None:
        if loss.loss_class != "committed":
            self.discarded += _size(loss) or 0
        elif loss.verdict == "PROVEN_LOSS":
            self.proven += 1
        elif loss.verdict == "POSSIBLE_LOSS":
            self.possible += 1


def _size(loss: Loss) -> int | None:
    """How many offsets a loss has at most; None if that is unknown."""
    return None if loss.to_offset_high is None else loss.to_offset_high - loss.from_offset


def harm_by_root(effects: Iterable[Effect], losses: Iterable[OpenLoss]) -> dict[str, Harm]:
    """The effects of each root."""
    harm: dict[str, Harm] = {}
    for effect in effects:
        for root in effect.root_ids:
            if root != effect.id:
                harm.setdefault(root, Harm()).add_effect(effect, root)
    for loss in losses:
        for root in loss.root_ids or ():
            harm.setdefault(root, Harm()).add_loss(loss)
        for root in loss.contributing_ids or ():
            harm.setdefault(root, Harm()).contributed.append(loss)
    return harm


@dataclass(frozen=True)
class Office:
    """The tenure of the active controller on the faulty node, and the next one; None if unknown."""

    tenure: Controller
    following: Controller | None


def _office(fault: Fault, controllers: Iterable[Controller]) -> Office | None:
    """The tenure in which the active controller had a fault."""
    if not BY_NAME[fault.kind].stops & Stops.VOTING or fault.broker_id is None:
        return None
    in_order = sorted(controllers, key=lambda one: (one.mode == KRAFT, one.controller_epoch))
    for tenure, following in zip_longest(in_order, in_order[1:]):
        began_high = first_known(fault.began_high, fault.ts)
        had_ended = less(tenure.end_ts, first_known(fault.began_low, began_high))
        if tenure.controller_id == fault.broker_id and at_most(tenure.start_ts, began_high) and not had_ended:
            return Office(tenure, following)
    return None


@dataclass(frozen=True)
class Placed:
    """A fault with the facts for its conclusion: its incident, its causes, its effects."""

    fault: Fault
    predicate: str | None  # None if it is of no single node
    incident_id: str | None
    is_beside_a_fault: bool
    is_broker: bool
    why: str | None
    rival: str | None
    harm: Harm
    witness_statement: WitnessedFault | None = None
    office: Office | None = None
    may_be_older: bool = False  # the fault may have begun before the first line: its effects then are unknown
    shortened: ShortenedLog | None = None  # logs that came back shorter after the death
    late: LateDetection | None = None  # of its broker, for lack of an active controller
    delayed: Sequence[int] = ()  # the brokers that were fenced late because of it
    one_voter_more: Statement | None = None  # would have been too many
    is_controller: bool = False  # of KRaft, and no broker as far as lines show
    lost_quorum_with: Sequence[int] = ()  # the other nodes without which the voters were no majority
    deposed: Sequence[Deposition] = ()  # the active controllers that its node deposed when it was back
    completed: Mapping[str, str] = field(
        default_factory=dict
    )  # the faults that completed losses, in words, by fault id
    isrs_without_it: int | None = None  # that its broker had left before, and stayed out of because its start failed

    @property
    def is_routine(self) -> bool:
        return self.fault.kind in ROUTINE

    @property
    def role(self) -> str:
        if self.why is not None:
            return "effect"
        if BY_NAME[self.fault.kind].needs_cause or (
            self.is_routine and self.is_beside_a_fault and self.harm.hurt_clients
        ):
            return "contributing"
        if self.is_routine and (self.is_beside_a_fault or self.harm.moved_nothing):
            return "benign"
        return "root_cause"

    @property
    def severity(self) -> str:
        own, harm = BY_NAME[self.fault.kind].severity, self.harm
        if self.is_routine:
            return "low" if harm.elections > 0 else "info"
        if own == "high":
            return own
        if self.why is not None:
            return own if BY_NAME[self.fault.kind].holds_isr else "low"
        if harm.proven > 0:
            return "critical"
        cost_records = harm.possible > 0 or harm.discarded_in_all >= HARMFUL_DISCARD
        return "high" if harm.hurt_clients or cost_records else own


def conclusions_of_faults(
    faults: Sequence[Fault],
    cluster_edges: Iterable[ClusterEdge],
    root_spans: Iterable[RootSpan],
    effects: Sequence[Effect],
    open_losses: Iterable[OpenLoss],
    leading_brokers: Iterable[LeadingBroker],
    rivals: Iterable[Rival],
    witnessed: Iterable[WitnessedFault] = (),
    window: TimeWindow = ALL_TIME,
    controllers: Sequence[Controller] = (),
    shortened_logs: Iterable[ShortenedLog] = (),
    voter_sets: Sequence[VoterSet] = (),
    settings: Iterable[Setting] = (),
    deposed: Iterable[Deposition] = (),
) -> Iterator[Conclusion]:
    """One conclusion per fault. A fault without an accepted cause is a root. Routine work stays `info` or `low` and is
    `benign` beside another root. If witnesses outside Kafka explain a fault (`witnessed`), its title gives their
    explanation and drops alternatives.
    """
    brokers, harm = _brokers(leading_brokers, effects, faults), harm_by_root(effects, open_losses)
    shortened_logs, witnessed = list(shortened_logs), list(witnessed)
    by_predicate = predicates(faults, shortened_logs, witnessed)
    around = _Around(
        faults=faults,
        predicates=by_predicate,
        incidents={effect.id: effect.incident_id for effect in effects},
        faulty=faulty_incidents(root_spans),
        brokers=brokers,
        only_controllers=only_controllers(controllers, voter_sets, settings, brokers),
        why=_why_it_followed(cluster_edges),
        rivals=_likeliest_rival(rivals, faults, by_predicate),
        harm=harm,
        shrunk={name: one.shrunk for name, one in harm.items()},
        witnessed={row.fault_id: row for row in witnessed},
        controllers=controllers,
        voter_sets=voter_sets,
        shortened=shortened_by_death(shortened_logs, faults),
        late=list(late_detections(faults, effects, controllers)),
        window=window,
        deposed=by_key(deposed, lambda one: None if one.fault is None else one.fault.fault_id),
    )
    for fault in faults:
        yield _as_conclusion(around.placed(fault))


@dataclass(frozen=True)
class _Around:
    """The facts for the conclusions about all faults, most of them by fault id."""

    faults: Sequence[Fault]
    predicates: Mapping[str, str]
    incidents: Mapping[str, str | None]
    faulty: Collection[str | None]
    brokers: Collection[int | None]
    only_controllers: Collection[int | None]
    why: Mapping[str, str]
    rivals: Mapping[str, str]
    harm: Mapping[str, Harm]
    shrunk: Mapping[str, Collection[str]]
    witnessed: Mapping[str, WitnessedFault]
    controllers: Sequence[Controller]
    voter_sets: Sequence[VoterSet]
    shortened: Mapping[str, ShortenedLog]
    late: Sequence[LateDetection]
    window: TimeWindow
    deposed: Mapping[str | None, Sequence[Deposition]]

    def placed(self, fault: Fault) -> Placed:
        """A fault with the facts for its conclusion."""
        incident_id, harm = self.incidents.get(fault.fault_id), self.harm.get(fault.fault_id, Harm())
        return Placed(
            fault,
            self.predicates.get(fault.fault_id),
            incident_id,
            is_beside_a_fault=incident_id in self.faulty,
            is_broker=fault.broker_id in self.brokers,
            why=self.why.get(fault.fault_id),
            rival=self.rivals.get(fault.fault_id),
            harm=harm,
            witness_statement=self.witnessed.get(fault.fault_id),
            office=_office(fault, self.controllers),
            may_be_older=less(fault.began_low, self.window.since),
            shortened=self.shortened.get(fault.fault_id),
            late=next((one for one in self.late if one.fault.fault_id == fault.fault_id), None),
            delayed=delayed_by(fault, self.late) if fault.kind == "quorum_lost" else (),
            one_voter_more=None if harm.counts["quorum_lost"] else voters_left(fault, self.faults, self.voter_sets),
            is_controller=fault.broker_id in self.only_controllers,
            lost_quorum_with=self._nodes(harm.quorum_lost_with, but=fault.broker_id),
            isrs_without_it=kept_out_of(fault, self.faults, self.shrunk, self.why),
            deposed=self.deposed.get(fault.fault_id, ()),
            completed=self._what_others_did(harm.contributed),
        )

    def _what_others_did(self, losses: Iterable[OpenLoss]) -> dict[str, str]:
        """The faults that completed these losses, each with its node, in words; by fault id."""
        ids = {root for loss in losses for root in loss.root_ids or ()}
        return {
            one.fault_id: f"{self._node(one.broker_id)} {self.predicates[one.fault_id]}"
            for one in self.faults
            if one.fault_id in ids and one.fault_id in self.predicates
        }

    def _node(self, node_id: int | None) -> str:
        return f"{'broker' if node_id in self.brokers else 'node'} {node_id}"

    def _nodes(self, fault_ids: Collection[str], but: int | None) -> list[int]:
        """The nodes of these faults except `but`. A cut link removes neither of its two ends."""
        named = (fault for fault in self.faults if fault.fault_id in fault_ids and fault.kind != "link_cut")
        nodes = {fault.broker_id for fault in named}
        return sorted(set(known(nodes)) - {but})


def _why_it_followed(edges: Iterable[Edge]) -> dict[str, str]:
    """The likeliest cause of each happening, as a sentence."""
    likeliest: dict[str, Edge] = {}
    for edge in edges:
        if edge.rank == 1 and (edge.dst not in likeliest or edge.confidence > likeliest[edge.dst].confidence):
            likeliest[edge.dst] = edge
    return {dst: edge.because for dst, edge in likeliest.items()}


def _likeliest_rival(
    rivals: Iterable[Rival], faults: Iterable[Fault], by_predicate: Mapping[str, str]
) -> dict[str, str]:
    """The description of another fault that could have had the same effects."""
    by_id = {fault.fault_id: fault for fault in faults}
    of_fault: dict[str, Rival] = {}
    for rival in rivals:
        known_one = of_fault.get(rival.fault_id)
        if rival.rival_id in by_id and (known_one is None or rival.effects > known_one.effects):
            of_fault[rival.fault_id] = rival
    return {
        fault_id: f"node {by_id[rival.rival_id].broker_id} {by_predicate.get(rival.rival_id, '')}".rstrip()
        for fault_id, rival in of_fault.items()
    }


def _brokers(leading_brokers: Iterable[LeadingBroker], effects: Iterable[Effect], faults: Iterable[Fault]) -> set[int]:
    """Nodes that led a partition, had a broker's session, or recovered logs of partitions. Some of the others may be only
    controllers.
    """
    recovered = {fault.broker_id for fault in faults if fault.reason == ENDED_BEFORE and fault.broker_id is not None}
    led = recovered | {broker.broker_id for broker in leading_brokers}
    return led | {effect.node_id for effect in effects if effect.kind == "detected" and effect.node_id is not None}


def _as_conclusion(placed: Placed) -> Conclusion:
    fault, harm = placed.fault, placed.harm
    at_fault = ends_of(fault)
    if fault.broker_id is None and placed.role == "root_cause":
        at_fault = list(fault.peers or ())
    return conclusion(
        id=fault.fault_id,
        incident_id=placed.incident_id,
        code=fault.code,
        role=placed.role,
        severity=placed.severity,
        title=_title(placed),
        statements=[*_proof(placed), *_consequences(placed)],
        not_logged=[Statement(unknown) for unknown in fault.unknowns],
        start_ts=between(fault.ts, fault.began_low, fault.began_high),
        end_ts=between(first_known(fault.end_ts, fault.ts), fault.ended_low, fault.ended_high),
        broker_ids=at_fault,
        partitions=fault.partitions or sorted(harm.touched),
        is_broker=placed.is_broker,
        is_controller=placed.is_controller,
        evidence=_evidence(placed),
        **{name: getattr(fault, name) for name in _AS_THE_FAULT},
    )


def _evidence(placed: Placed) -> Sequence[str]:
    fault, witness_statement, shortened = placed.fault, placed.witness_statement, placed.shortened
    if witness_statement is None and shortened is None:
        return fault.evidence or []
    return joined(
        witness_statement.evidence if witness_statement is not None else None,
        fault.evidence,
        shortened.evidence if shortened is not None else None,
    )


def _proof(placed: Placed) -> list[Statement]:
    """The facts in the fault's own lines and its witnesses; a witness that states what happened to the node comes
    first.
    """
    of_fault, witness = Statement(placed.fault.reason, placed.fault.arguments), placed.witness_statement
    if witness is None:
        return [of_fault]
    of_witness = [Statement(one["reason"], one["arguments"]) for one in witness.said]
    return [*of_witness[:1], of_fault, *of_witness[1:]] if witness.predicate else [of_fault, *of_witness]


def _own_hosts(fault: Fault, error: str) -> Statement:
    """Whose hosts rejected connections themselves: that of the node, or also those of its peers.

    The peers of a broker that is cut off fetch from each other: they have not lost their route to the network.
    """
    hosts = (fault.arguments or {}).get("all_rejecting")
    if hosts is not None:
        nodes = [int(node) for node in hosts.split(LIST_SEPARATOR)]
        if fault.reason == "fetches_failed" and len(set(nodes) - {fault.broker_id}) > 1:
            return statement("hosts_rejected_one", all_nodes=nodes, node=fault.broker_id, error=error)
        if len(nodes) == 1:
            return statement("own_host_rejected", node=nodes[0], error=error)
        of_network = fault.kind != "link_cut" or fault.reason == LAST_TWO
        return statement("own_hosts_rejected", all_nodes=nodes, error=error, network=of_network)
    return statement("own_host_rejected", node=fault.broker_id, error=error)


def _consequences(placed: Placed) -> list[Statement | None]:
    """The causes of the fault, its effects, and other faults that could look the same."""
    fault, harm, followed = placed.fault, placed.harm, placed.why is not None
    is_silent_on_effects = placed.is_routine or fault.kind in ("records_damaged", LOWERED)
    effects, rejected = _effects_in_words(harm, placed.lost_quorum_with), (fault.arguments or {}).get("rejected")
    has_effect = harm.touched or harm.contributed or followed or placed.isrs_without_it
    is_without_effect = not (has_effect or is_silent_on_effects or placed.may_be_older)
    is_explained = followed or placed.witness_statement is not None or placed.shortened is not None
    rival = "" if is_explained else BY_NAME[fault.kind].rival
    return [
        _own_hosts(fault, rejected) if rejected is not None else None,
        _as_controller(placed) if placed.office is not None else None,
        _came_back_shorter(placed.shortened, "host_ran" in (fault.arguments or {}))
        if placed.shortened is not None
        else None,
        statement("follows_from_another_fault", why=placed.why) if followed else None,
        statement("led_to", all_effects=effects) if effects else None,
        *_contributed_to(harm.contributed, placed.completed),
        *(one.of_candidate for one in placed.deposed),
        _stayed_out(placed) if placed.isrs_without_it and not followed else None,
        placed.late.as_statement if placed.late is not None and placed.office is None else None,
        statement("delayed_detection", all_brokers=placed.delayed) if placed.delayed else None,
        statement("changed_before" if fault.reason == ENDED_BEFORE else "changed_nothing")
        if is_without_effect
        else None,
        placed.one_voter_more if not followed else None,
        statement("may_be_another_fault", rival=placed.rival) if placed.rival is not None else None,
        statement("rival", rival=rival, kind=fault.kind) if rival else None,
    ]


def _contributed_to(losses: Sequence[OpenLoss], completed: Mapping[str, str]) -> Iterator[Statement]:
    """The losses that it contributed to, by the fault that completed them."""
    for fault, own in by_key(losses, lambda loss: next(iter(loss.root_ids or ()), None)).items():
        sizes = [*map(_size, own)]
        names = sorted({f"{loss.topic}-{loss.partition}" for loss in own})
        yield statement(
            "contributed_to_loss",
            offsets=None if None in sizes else sum(known(sizes)),
            unknown=None in sizes,
            all_names=names,
            n=len(names),
            by=None if fault is None else completed.get(fault),
        )


def _stayed_out(placed: Placed) -> Statement:
    fault = placed.fault
    return statement("stayed_out", node=fault.broker_id, isrs=placed.isrs_without_it, for_time=_how_long(fault) or None)


def _came_back_shorter(logs: ShortenedLog, host_ran: bool) -> Statement:
    """The machine or the disk lost these records, because a killed process leaves what it wrote in the page cache."""
    return statement(
        "logs_came_back_shorter",
        logs=logs.logs,
        name=f"{logs.topic}-{logs.partition}",
        held=logs.held_offset,
        end=logs.log_end_offset,
        shorter=logs.held_offset is not None,
        damaged=logs.held_offset is None,
        host_ran=host_ran,
    )


_AS_THE_FAULT = ("confidence", "began_low", "began_high", "ended_low", "ended_high")


def _effects_in_words(harm: Harm, lost_quorum_with: Sequence[int] = ()) -> list[str]:
    """The description of the effects."""
    counts = harm.counts
    counted = {
        "leaders_changed": harm.elections,
        "had_no_leader": len(harm.leaderless),
        "isrs_shrank": len(harm.shrunk),
        "writes_rejected": counts["writes_refused"],
        "controller_changed": counts["controller_change"],
        "quorum_lost": counts["quorum_lost"],
    }
    unclean = counts["unclean_election"]
    with_others = bool(unclean) and unclean == harm.unclean_with_others
    if unclean and unclean == harm.elections:
        counted = {"unclean_elections": unclean, **counted, "leaders_changed": 0}
    more: Mapping[str, Mapping[str, Any]] = {
        "leaders_changed": {"unclean_with_others" if with_others else "unclean": unclean or None},
        "unclean_elections": {"others": with_others},
        "writes_rejected": {"others": counts["writes_refused"] == harm.refused_with_others},
        "quorum_lost": {"all_others": lost_quorum_with or None},
    }
    changes = [statement(reason, count=count, **more.get(reason, {})) for reason, count in counted.items() if count > 0]
    return [text for one in changes if (text := EFFECTS.render(one.reason, one.arguments)) is not None]


def _title(placed: Placed) -> Statement:
    """The brokers and the fault, without the kind's addition in brackets. A fault without a single node has its kind's
    title; a fault of an unnamed node names "a node".
    """
    fault, kind = placed.fault, BY_NAME[placed.fault.kind]
    is_of_node = bool(kind.predicate) and fault.broker_id is not None
    if fault.kind == "link_cut":
        return statement("link_was_cut", all_brokers=ends_of(fault))
    if fault.kind in REASSIGNED and "all_topics" in (fault.arguments or {}):
        return _title_of_reassignment(fault)
    return statement(
        "befell_node" if is_of_node else "befell_cluster",
        is_broker=placed.is_broker,
        is_controller=placed.is_controller,
        is_node=not (placed.is_broker or placed.is_controller),
        node=fault.broker_id if is_of_node else None,
        controller=is_of_node and placed.office is not None,
        predicate=placed.predicate if is_of_node else None,
        froze=(_how_long(fault) or None) if fault.kind == "paused" and _witnessed_predicate(placed) is None else None,
        **_other_release(fault),
        title=kind.title or f"A node {kind.predicate}",
    )


def _title_of_reassignment(fault: Fault) -> Statement:
    """The topics, and the number of replicas before and after if all partitions have the same."""
    arguments = fault.arguments or {}
    before, after = arguments.get("before"), arguments.get("after")
    is_lowered = fault.kind == LOWERED
    is_raised = not is_lowered and before is not None
    return statement(
        "replicas_moved",
        all_topics=arguments["all_topics"],
        lowered=is_lowered,
        raised=is_raised,
        moved=not (is_lowered or is_raised),
        before=before,
        after=after,
    )


def _other_release(fault: Fault) -> dict[str, str]:
    """That a node came back from an ordered stop on another release."""
    before, after = (fault.arguments or {}).get("before"), (fault.arguments or {}).get("after")
    if before is None or after is None or fault.kind not in ORDERED_STOPS:
        return {}
    return {"moved": moved_word(before, after), "before": before, "after": after}


def _as_controller(placed: Placed) -> Statement:
    """The consequence if the node was the active controller."""
    assert placed.office is not None
    tenure, following = placed.office.tenure, placed.office.following
    node = placed.fault.broker_id
    if following is None:
        return statement("was_last_controller", node=node)
    if placed.fault.kind in ORDERED_STOPS:
        is_again = following.controller_id == node
        return statement(
            "stopped_as_controller",
            node=node,
            new=None if is_again or following.begun_before else following.controller_id,
            new_by=following.controller_id if following.begun_before else None,
            again=is_again,
            at=active_from(following),
        )
    if following.controller_id == node:
        return statement("was_controller_again", node=node, at=active_from(following))
    return statement(
        "was_controller",
        node=node,
        new=following.controller_id,
        at=None if following.begun_before else active_from(following),
        at_by=active_from(following) if following.begun_before else None,
        sessions=tenure.mode == KRAFT
        and placed.is_broker
        and BY_NAME[placed.fault.kind].stops & Stops.RUNNING != Stops(0),
    )


def _witnessed_predicate(placed: Placed) -> str | None:
    """The predicate that witnesses outside Kafka give."""
    return placed.witness_statement.predicate if placed.witness_statement is not None else None


def _how_long(fault: Fault) -> str:
    """How long a fault lasted, between its bounds."""
    low = millis(first_known(fault.ended_low, fault.end_ts), first_known(fault.began_high, fault.ts))
    high = millis(first_known(fault.ended_high, fault.end_ts), first_known(fault.began_low, fault.ts))
    return span(None if low is None else max(low, 0), high)


def rolling_restarts(
    faults: Iterable[Fault], root_spans: Sequence[RootSpan], releases: Releases = NO_RELEASES
) -> Iterator[Conclusion]:
    """F03: two or more brokers were shut down and started again, one after the other: a restart, or an upgrade if they
    came back on another release.
    """
    incident_of = {span.root_id: span.incident_id for span in root_spans}
    faulty = faulty_incidents(root_spans)
    of_incident: dict[str, list[Fault]] = {}
    for fault in faults:
        if fault.kind in ORDERED_STOPS and fault.end_ts is not None and fault.fault_id in incident_of:
            of_incident.setdefault(incident_of[fault.fault_id], []).append(fault)
    for incident, stops in of_incident.items():
        brokers = sorted({stop.broker_id for stop in stops})
        if len(brokers) < 2 or not _came_one_after_the_other(stops):
            continue
        moves = releases.moves(stops)
        yield conclusion(
            id=f"rolling_restart/{incident}",
            incident_id=incident,
            code="F03",
            role="benign" if incident in faulty else "root_cause",
            severity="low",
            title=_rolling_title(brokers, moves),
            statements=[
                statement("restarted_in_turn", all_brokers=brokers, brokers=len(brokers), stops=len(stops)),
                *(releases.statements(moves, len(brokers)) if moves else ()),
            ],
            start_ts=least(*(stop.ts for stop in stops)),
            began_low=least(*(first_known(stop.began_low, stop.ts) for stop in stops)),
            began_high=least(*(stop.ts for stop in stops)),
            end_ts=greatest(*(stop.end_ts for stop in stops)),
            broker_ids=brokers,
            confidence=0.95,
            evidence=of_rows((stop.ts, stop.evidence) for stop in stops),
        )


def _rolling_title(brokers: Sequence[int], moves: Sequence[Move]) -> Statement:
    """The title of a rolling upgrade if every broker came back on another release; otherwise a note beside the restart."""
    moved = sorted({move.node_id for move in moves})
    how = {"moved": what_move(moves), "releases": from_to(moves)} if moves else {}
    if moved == list(brokers):
        return statement("rolling_move", all_brokers=brokers, **how)
    return statement("rolling_restart", all_brokers=brokers, all_moved=moved or None, **how)


def _came_one_after_the_other(stops: Iterable[Fault]) -> bool:
    spans = sorted((stop.ts, stop.end_ts) for stop in stops)
    return all(later[0] >= before[1] for before, later in pairwise(spans))
