"""What to do next about an incident, the most urgent first: from what still lasts, what was lost, and what it began
with.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain

from replay.causes.crash_loops import crash_loops
from replay.causes.incident import POSSIBLE, PROVEN, SEVERITIES, UNDETERMINED, Incident, Loss, Root, names_a_node
from replay.causes.incident_words import brokers_of, by_role, how_long_a_loop
from replay.causes.loss_conclusions import written_between
from replay.facts.releases import version_number
from replay.facts.times import first_known, greatest, in_whole_seconds, known
from replay.faults.kinds import BY_CODE, BY_NAME, CRASHES, CUTS, LOWERED, ORDERED_STOPS
from replay.reading.names import INTERNAL_TOPICS
from replay.sentences import Statement, statement
from replay.sentences.incidents import NEXT_STEPS
from replay.sentences.next_steps import NEXT_OF_WITNESS
from replay.sentences.witness_commands import witness_command
from replay.tables.causes import OpenLoss

MOST = 3
LEADER_ELECTION_TOOL = version_number("2.4.0")  # the first release with kafka-leader-election.sh
OF_PROTOCOL = {  # by statement about the protocol version: the step that follows
    "protocol_not_pinned": "pin_protocol",
    "protocol_pinned": "raise_protocol",
    "metadata_version_stayed": "raise_metadata_version",
}
UNKNOWN_MOVE = "asked_to_move_partitions"  # no line shows the replicas before and after
FEW = 20  # discarded records: fewer are what any failover costs acks=1


def next_steps(incident: Incident) -> list[str]:
    """The first few of what applies, and how leadership returns where it did not."""
    statements = incident.closed([*_while_it_lasts(incident), *_of_losses(incident), *_of_the_cause(incident)])
    of_controllers, of_stops = incident.closed(_of_controllers(incident)), list(_of_stops(incident))
    nothing = [] if of_stops else [statement("nothing", few=incident.uncommitted.high or None)]
    statements = statements or of_controllers or nothing
    more = [] if statements is of_controllers else of_controllers
    first, later, stops = (
        [NEXT_STEPS.sentences([(one.reason, one.arguments)]) for one in some] for some in (statements, more, of_stops)
    )
    return [*list(dict.fromkeys(first))[:MOST], *later, *stops, *_of_leadership(incident)]


def _of_stops(incident: Incident) -> Iterator[Statement]:
    """How to stop brokers without rejected writes, if an ordered stop left too few replicas in sync."""
    refused = incident.of_kind("writes_refused")
    led_to_it = {root for effect in refused for root in effect.root_ids}
    stopped = [
        one
        for one in (*incident.roots, *incident.contributing)
        if one.kind in ORDERED_STOPS and one.finding.finding_id in led_to_it
    ]
    if stopped:
        stop_ids = {one.finding.finding_id for one in stopped}
        own = [effect for effect in refused if stop_ids.intersection(effect.root_ids)]
        reason = (
            "stop_when_full"
            if all(stop_ids.issuperset(effect.root_ids) for effect in own)
            else "stop_when_full_with_others"
        )
        names = {name for effect in own for name in effect.partitions}
        brokers = sorted(known(brokers_of(stopped) or []))
        yield statement(reason, all_brokers=brokers, n=len(brokers), count=len(names))


def _of_controllers(incident: Incident) -> list[Statement]:
    """To keep voters that are back from deposing active controllers: releases with pre-votes, which these did not have."""
    deposed = [one for one in incident.deposed if one.asks_first is False]
    if not deposed:
        return []
    pauses = [one.longest_pause_ms for one in deposed]
    return [
        statement(
            "use_pre_votes",
            all_candidates=sorted({one.candidate for one in deposed if one.candidate is not None}),
            often=len(deposed) if len(deposed) > 1 else None,
            pause_ms=None if None in pauses else greatest(*pauses),
        )
    ]


def _while_it_lasts(incident: Incident) -> Iterator[Statement]:
    """The first steps: bring back missing replicas without further losses."""
    if incident.leaderless_at_last:
        yield statement("no_unclean_election", count=incident.leaderless_at_last)
        for best in sorted(incident.trusted, key=lambda best: (-best.partitions, best.broker_id))[:1]:
            yield statement(
                "start_first",
                all_brokers=[best.broker_id],
                count=best.partitions,
                outside=best.out_of_isr or None,
            )
    if incident.lost_its_quorum and not incident.is_well:
        yield statement("count_voters")
    gone = [root for root in incident.lasting if root.kind in CRASHES]
    if gone:
        refused = {one.broker_id for one in incident.refused_at_last}
        for one in incident.refused_at_last:
            yield statement("start_refused", broker=one.broker_id, at_start=one.began_high)
        for nodes in by_role(root for root in gone if root.broker_id not in refused):
            ids, of_brokers = next(iter(nodes.values())), "all_brokers" in nodes
            if of_brokers:
                yield statement("copy_before_start", all_brokers=ids, n=len(ids))
            short = incident.short_at_last or None if of_brokers else None
            yield statement("start_again", n=len(ids), short=short, **nodes)
    for root in incident.lasting:
        if root.kind in CUTS:
            yield statement("mend_link", all_brokers=brokers_of([root]), others=_other_end(root))
        elif root.kind == "disk_full":
            yield statement("free_disk", all_brokers=brokers_of([root]))
        elif root.kind == "log_dir_failed":
            yield statement("mend_disk", all_brokers=brokers_of([root]))
    for root in incident.clocks_off:
        yield statement("correct_clock", node=root.broker_id, **root.clock_at_last)
    if incident.short_at_last and not gone:
        yield statement("watch_isrs", count=incident.short_at_last)


def _other_end(root: Root) -> str:
    if root.kind in ("cut_from_zookeeper", "zookeeper_lost"):
        return "ZooKeeper"
    if root.kind in ("cut_from_controllers", "controllers_unreached", "out_of_controllers_reach"):
        return "the controllers"
    peers = [] if root.fault is None else root.fault.peers or []
    return ", ".join(f"broker {peer}" for peer in peers) or (
        "the other voters" if root.kind == "voter_cut_off" else "its peers"
    )


def _of_leadership(incident: Incident) -> Iterator[str]:
    """To return leadership that the incident took away: once it is over, since only a replica in the ISR can lead again."""
    if incident.led_away and incident.is_well:
        is_before = incident.version_high is not None and incident.version_high < LEADER_ELECTION_TOOL
        is_since = incident.version_low is not None and incident.version_low >= LEADER_ELECTION_TOOL
        rebalance = incident.rebalance
        returns = incident.returns_by_itself
        step = statement(
            "leadership_returns" if returns else "give_leadership_back",
            count=incident.led_away,
            all_topics=incident.topics_led_away,
            before_2_4=is_before,
            since_2_4=not is_before,
            either=not is_before and not is_since,
            check_s=rebalance and rebalance.check_s,
            by_broker=rebalance is not None and rebalance.by_broker,
            percentage=rebalance and rebalance.percentage,
            off=rebalance is not None and rebalance.is_on is False,
            unknown=rebalance is None or rebalance.is_on is not False,
            of_brokers=rebalance and rebalance.of_brokers,
            all_unexplained=brokers_of(
                root for root in incident.causes if root.lacks_witness and root.finding.is_broker is not False
            ),
        )
        yield from (NEXT_STEPS.sentences([(one.reason, one.arguments)]) for one in incident.closed([step]))


def _of_losses(incident: Incident) -> Iterator[Statement]:
    """Steps to save remaining records, to inform the owners of lost ones, and to prevent the next loss."""
    committed = incident.committed
    gone = committed.with_verdict(PROVEN, POSSIBLE)
    if gone:
        topics = incident.in_order(loss.topic for loss in gone)
        if committed.held_by:
            yield statement(
                "save_what_is_held", all_brokers=committed.held_by, n=len(committed.held_by), all_topics=topics
            )
        is_sure = bool(committed.with_verdict(PROVEN))
        of_owners = [topic for topic in topics if topic not in INTERNAL_TOPICS]
        if of_owners:
            yield statement("tell_owners", all_topics=of_owners, sure=is_sure, perhaps=not is_sure, **_written(gone))
        elif "__consumer_offsets" in topics:
            yield statement("tell_groups", sure=is_sure, perhaps=not is_sure)
        unclean = {loss.topic for loss in gone if loss.scenario == "S4"}
        likely = {loss.topic for loss in gone if loss.scenario is None} & incident.likely_unclean
        if likely - unclean - incident.forbid_unclean:
            yield statement(
                "forbid_likely_unclean", all_topics=incident.in_order(likely - unclean - incident.forbid_unclean)
            )
        if unclean - incident.forbid_unclean:
            wanted = unclean - incident.forbid_unclean
            yield statement("forbid_unclean", all_topics=incident.in_order(wanted), **_kept(gone, wanted))
        # A last known leader is elected again automatically (KIP-966); another replica only if an operator orders it.
        forced = unclean & incident.forbid_unclean
        if forced and any(change.elected_from == "any_replica" for change in incident.of_kind("unclean_election")):
            held = sorted(
                {loss.old_leader_id for loss in gone if loss.topic in forced and loss.old_leader_id is not None}
            )
            alone = incident.in_order(forced & incident.need_one) or None
            yield statement(
                "ask_who_forced", all_topics=incident.in_order(forced), all_brokers=held or None, all_alone=alone
            )
        if not unclean and any(loss.scenario == "S5" for loss in gone):
            yield statement("raise_min_isr", all_topics=topics)
    contributed = Loss.of((one.loss for one in incident.contributed), committed=False)
    discarded = Loss((*incident.uncommitted.ranges, *contributed.ranges))
    yield from _of_discarded(incident, discarded.without(INTERNAL_TOPICS))  # brokers write these, with acks=all


def _of_discarded(incident: Incident, written: Loss) -> Iterator[Statement]:
    """What producers that did not wait for all members of the ISR should send again, and how they lose less."""
    dropped = written.with_verdict(PROVEN, POSSIBLE)
    if (written.high or 0) > FEW or (written.high is None and dropped):
        yield statement(
            "use_acks_all",
            all_topics=incident.in_order(written.topics),
            high=written.high,
            count=len({(loss.topic, loss.partition) for loss in dropped}),
            **_written(dropped),
        )
    yield from _of_silent_leaders(incident, written.with_verdict(UNDETERMINED))


_KNOWN_TO_RETURN = frozenset({"kept", "at_anew"})


def _of_silent_leaders(incident: Incident, undecided: Sequence[OpenLoss]) -> Iterator[Statement]:
    """What producers sent to leaders that ran on without contact: whether it is lost is not logged. Such a leader
    follows its successors at the latest when it is back in the ISRs, which is later than its return to the controller.
    """
    for root in incident.causes:
        own = sorted({f"{loss.topic}-{loss.partition}" for loss in undecided if loss.old_leader_id == root.broker_id})
        if not own or root.fault is None or root.kind != "silent" or _KNOWN_TO_RETURN.isdisjoint(_arguments_of(root)):
            continue
        begin_ts, end_ts = root.fault.began_low, first_known(root.fault.ended_high, root.fault.end_ts)
        if begin_ts is not None and end_ts is not None:
            yield statement(
                "send_again",
                broker=root.broker_id,
                all_names=own,
                at_low=begin_ts,
                at_high=in_whole_seconds(greatest(end_ts, incident.isrs_regained_ts)),
                unlearned=incident.isrs_regained_ts is None,
            )


def _kept(losses: Sequence[OpenLoss], topics: Collection[str]) -> dict[str, int]:
    """How many offsets unclean elections lost in these topics, exactly or at least; empty if that is unknown for some
    range.
    """
    own = [loss for loss in losses if loss.topic in topics and loss.scenario == "S4"]
    known_sizes = [
        loss.to_offset_low - loss.from_offset
        for loss in own
        if loss.to_offset_low is not None and loss.from_offset is not None
    ]
    if not sum(known_sizes) or len(known_sizes) < len(own):
        return {}
    is_exact = all(loss.to_offset_high == loss.to_offset_low for loss in own)
    return {"kept" if is_exact else "kept_at_least": sum(known_sizes)}


def _written(losses: Sequence[OpenLoss]) -> dict[str, datetime | None]:
    """Between which times the lost records were written; an end alone would send owners to all that came before it."""
    times = written_between(losses)
    return {**times, "at_high": in_whole_seconds(times.get("at_high"))} if "at_low" in times else {}


def _of_the_cause(incident: Incident) -> Iterator[Statement]:
    """To find out why, and to keep it from coming again."""
    yield from _of_the_protocol(incident)
    if any(root.kind == "voters_changed" for root in incident.causes):
        yield statement("check_voters")
    refused = {root.broker_id for root in incident.causes if root.kind == "disk_refused"}
    unexplained = [root for root in incident.deaths if root.broker_id not in refused]
    for deaths in crash_loops(known(root.fault for root in (*incident.causes, *unexplained))):
        yield statement(
            "break_loop", all_brokers=[deaths[0].broker_id], often=len(deaths), loop=how_long_a_loop(deaths)
        )
    if any(root.fault is not None and root.fault.reason == UNKNOWN_MOVE for root in incident.roots):
        yield statement("check_replicas")
    yield from _of_refused_starts(incident)
    for fault in incident.lowered:
        yield statement("raise_factor", **fault.arguments)
    faults = [root for root in incident.causes if not root.is_routine or root.is_contradicted]
    causes = [root for root in faults if root.kind != LOWERED]
    paused = [root for root in causes if root.kind == "paused"]
    for frozen in by_role(paused):
        yield statement("shorten_pauses" if "all_brokers" in frozen else "shorten_pauses_of_voters", **frozen)
    where: dict[str, list[Root]] = {}
    hosts_ran = {"host_ran" in _arguments_of(root) for root in causes if root.kind == "killed"}
    for root in sorted(causes, key=lambda root: SEVERITIES.index(root.finding.severity)):  # those that cost most first
        what = _look_next(root, of_each=len(hosts_ran) < 2)  # one step for all that died
        if what:
            where.setdefault(what, []).append(root)
    for what, roots in where.items():
        roles = {root.role for root in roots}
        names = list(dict.fromkeys(chain.from_iterable(map(_nodes_of, roots)))) or None
        yield statement(
            "look_at",
            what=what,
            command=_witness_command(incident.deployment, roots),
            several=len(names or ()) > 1 and not any(root.is_of_link for root in roots),
            controller=next((root.broker_id for root in roots if root.ended_the_controller), None),
            **{f"all_{roles.pop() if len(roles) == 1 else 'nodes'}": names},
        )


def _of_refused_starts(incident: Incident) -> Iterator[Statement]:
    """Starts that were refused while the broker's previous session was active, without those that must still be repeated."""
    still = {one.broker_id for one in incident.refused_at_last}
    given = {one.broker_id: one.fault.arguments or {} for one in incident.refusals if one.fault is not None}
    for broker, arguments in given.items():
        how = {name: True for name in ("heartbeats", "zookeeper") if name in arguments}
        if broker not in still and how:
            yield statement("await_session", broker=broker, **how)


def _of_the_protocol(incident: Incident) -> Iterator[Statement]:
    """What remains to be done about the protocol version after an upgrade, or before the next one."""
    for reported in chain.from_iterable(finding.said or [] for finding in incident.findings):
        if reported["reason"] in OF_PROTOCOL:
            yield statement(OF_PROTOCOL[reported["reason"]], **reported["arguments"])


SHARED_ON_HOSTS = "what the nodes that died within 5 s of each other share (one command or deployment, a rack of hosts that was rebooted)"
SHARED = (
    "what the nodes that died within 5 s of each other share (host, rack, power supply, or one command or deployment)"
)


def _arguments_of(root: Root) -> Mapping[str, str]:
    return (root.fault.arguments if root.fault is not None else None) or {}


def _look_next(root: Root, of_each: bool = True) -> str:
    """What to check next: what its witness suggests, else what its lines leave open (not that a host ran on, unless
    `of_each`), else its kind of fault, else its code.
    """
    if root.witness in NEXT_OF_WITNESS:
        return NEXT_OF_WITNESS[root.witness]
    kind, code = BY_NAME.get(root.kind or ""), BY_CODE.get(root.finding.code)
    arguments = _arguments_of(root)
    for name, look_next in kind.look_next_if if kind is not None else ():
        if name in arguments and (of_each or name != "host_ran"):
            return f"{SHARED_ON_HOSTS}; {look_next}" if "all_at_once" in arguments else look_next
    if kind is not None and kind.look_next:
        return kind.look_next
    if code is None:
        return ""
    look_next = code.look_next if root.finding.is_broker else code.look_next_of_controller or code.look_next
    return f"{SHARED}; {look_next}" if "all_at_once" in arguments else look_next


def _witness_command(deployment: str, roots: Iterable[Root]) -> str | None:
    """The command that would show what ended or froze the nodes without a witness."""
    unseen = [root for root in roots if root.lacks_witness]
    if not unseen:
        return None
    times = [root.finding.start_ts for root in unseen]
    return witness_command(
        deployment,
        min(times),
        max(times),
        of_kernel=all(root.is_left_to_kernel for root in unseen),
        ended=any(root.may_have_ended for root in unseen),
    )


def _nodes_of(root: Root) -> list[int | None]:
    """The nodes of a fault, both ends for a link; empty if its title names none."""
    if not names_a_node(root.title):
        return []
    return list(root.finding.broker_ids or ()) if root.is_of_link else [root.broker_id]
