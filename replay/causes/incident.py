"""One incident as a record: its nodes, events, times, cost and losses, and whether it is over. All texts about an
incident come from this record.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from replay.availability.harm import OF_LEADERS
from replay.causes.auto_rebalance import CHECKS_EVERY_S, AutoRebalance
from replay.causes.controller_absences import Absence
from replay.causes.crash_loops import FAILED_STARTS
from replay.causes.depositions import Deposition
from replay.causes.rules import CHANGES_OF_LEADER
from replay.closing.close import closed
from replay.closing.known import NOTHING_KNOWN, Known
from replay.facts.order import at_most, less
from replay.facts.times import first_known, greatest, known, least, millis
from replay.faults.kinds import (
    ASKED_FOR,
    BY_NAME,
    CRASHES,
    LEFT_DAMAGE,
    LOST_ITS_END,
    LOWERED,
    ORDERED_STOPS,
    REASSIGNED,
    ROUTINE,
    Stops,
)
from replay.faults.nodes_without_logs import ENDED_UNASKED
from replay.faults.process_ends import ENDED_BEFORE
from replay.sentences.statement import LIST_SEPARATOR, Statement
from replay.sentences.witness_commands import HOST, NEEDS_WITNESS
from replay.sentences.wording import LISTED_AT_MOST
from replay.tables.availability import IncidentHarm, TopicDowntime, WaitInARow
from replay.tables.causes import (
    Conclusion,
    Effect,
    LeadershipAtLast,
    OpenLoss,
    PartitionTime,
    SequenceGap,
    StaleLeader,
    UnansweredWrites,
)
from replay.tables.faults import Fault
from replay.tables.losses import GONE_VERDICTS, OPEN_VERDICTS
from replay.tables.questions import TrustedReplica

SEVERITIES = ("critical", "high", "medium", "low", "info")
HAD_A_LEADER = ("preferred", "reassignment", "controlled_shutdown")  # such an election relieves a leader that is there
PROVEN, POSSIBLE, UNDETERMINED = OPEN_VERDICTS
FELT_MS = 1_000  # every change of leader keeps writers waiting for less than that
MEANWHILE = (
    "acks_all",
    "acks_one",
    "reads",
)  # what was unavailable during the incident; the rest of `topic_down` came after its end
GAVE_UP_MS = 120_000  # a broker whose registration is refused exits within this time
LATE_ISR_CHANGES = "isr_changes_answered_late"
NAMES_SIGKILL = ("signal", "for_memory")  # witnesses whose sender only the kernel's log can name


@dataclass(frozen=True)
class Bounds:
    """The least and the greatest duration; None if unknown."""

    low_ms: int | None = None
    high_ms: int | None = None


def _bounds(ts: datetime | None, from_high: datetime | None, from_low: datetime | None) -> Bounds:
    low, high = millis(ts, from_high), millis(ts, from_low)
    return Bounds(None if low is None else max(low, 0), None if high is None else max(high, 0))


def names_a_node(title: str) -> bool:
    """Whether a title begins with a broker, a controller, a node or a connection between two."""
    return title.startswith(("Broker ", "Brokers ", "Controller ", "Node ", "Nodes ", "The connection between "))


def within_a_sentence(title: str) -> str:
    """The title of a finding as it reads within a sentence: `broker 3 crashed or was killed`."""
    return title[0].lower() + title[1:] if names_a_node(title) else title


@dataclass(frozen=True)
class Root:
    """A finding that may have started an incident, its fault if it has one, and the witness (`by` of `WITNESSED`).
    `is_dated_by_witness`: the title ends with the witness's time; `is_contradicted`: the witness reports another end
    than the broker's own log.
    """

    finding: Conclusion
    title: str
    fault: Fault | None
    witness: str | None = None
    is_dated_by_witness: bool = False
    is_contradicted: bool = False

    @property
    def kind(self) -> str | None:
        return None if self.fault is None else str(self.fault.kind)

    @property
    def is_routine(self) -> bool:
        return self.kind is None or self.kind in ROUTINE

    @property
    def is_asked_for(self) -> bool:
        return self.kind is None or self.kind in ASKED_FOR

    @property
    def broker_id(self) -> int | None:
        return self.finding.broker_ids[0] if self.finding.broker_ids else None

    @property
    def role(self) -> str:
        """The role of its node, in the plural: a combined node is a broker."""
        return (
            "controllers" if self.finding.is_controller else "nodes" if self.finding.is_broker is False else "brokers"
        )

    @property
    def ended_the_controller(self) -> bool:
        """Whether its node was the active controller and had no time to resign. An ordered stop leaves it active
        until it resigns.
        """
        return bool(dict(self.finding.arguments or {}).get("controller")) and self.kind not in ORDERED_STOPS

    @property
    def lacks_witness(self) -> bool:
        """Whether no witness identifies what ended or froze it."""
        return self.kind in NEEDS_WITNESS and (self.witness is None or self.is_left_to_kernel)

    @property
    def may_have_ended(self) -> bool:
        """Whether its process may have ended: it did not freeze, and no line shows that it kept its registration."""
        return self.kind != "paused" and "kept" not in ((self.fault and self.fault.arguments) or {})

    @property
    def is_left_to_kernel(self) -> bool:
        return self.witness in NAMES_SIGKILL

    @property
    def is_of_link(self) -> bool:
        """Whether it concerns the connection between two nodes, and neither of them alone."""
        return self.kind == "link_cut"

    @property
    def what(self) -> tuple[str | None, str | None]:
        """Its kind, and what its title says in place of the kind's predicate: roots that differ in either have separate
        sentences.
        """
        predicate = dict(self.finding.arguments or {}).get("predicate")
        of_logs = predicate if predicate in (LOST_ITS_END, LEFT_DAMAGE) else None
        of_link = self.title if self.is_of_link else of_logs
        return self.kind, self.witness if self.is_dated_by_witness else of_link

    @property
    def lasts(self) -> bool:
        """Whether it is of a kind that ends, and these logs show no end."""
        if self.fault is None or self.fault.ended_high is not None:
            return False
        return BY_NAME[self.fault.kind].stops != Stops.NOTHING

    @property
    def clock_at_last(self) -> dict[str, bool]:
        """Whether a clock that was set was still `ahead` or `behind` at the end of the logs; empty if it was right."""
        given = {} if self.fault is None or self.kind != "clock_stepped" else dict(self.fault.arguments or {})
        return {way: True for way in ("ahead", "behind") if given.get(way)}

    @property
    def began_high(self) -> datetime:
        return first_known(self.finding.began_high, self.finding.start_ts)  # type: ignore[return-value]

    @property
    def began_low(self) -> datetime:
        return first_known(self.finding.began_low, self.began_high)  # type: ignore[return-value]

    @property
    def is_open_downwards(self) -> bool:
        """Whether it began at an unknown time before its first line: the logs show only the start after it, or nothing
        bounds when a node that others miss went away.
        """
        if self.fault is None:
            return False
        is_undated = self.fault.began_low is None and self.fault.reason == ENDED_UNASKED
        return is_undated or self.fault.reason == ENDED_BEFORE

    @property
    def order(self) -> tuple[bool, bool, datetime, str]:
        """The sort key: root causes before benign ones, faults before routine work, earlier before later ones."""
        return self.finding.role != "root_cause", self.is_routine, self.finding.start_ts, self.finding.finding_id


@dataclass(frozen=True)
class Loss:
    """The losses of one class of records: at least, at most (None: any number), and the ranges."""

    ranges: tuple[OpenLoss, ...]

    @classmethod
    def of(cls, losses: Iterable[OpenLoss], *, committed: bool) -> Loss:
        return cls(tuple(loss for loss in losses if (loss.loss_class == "committed") == committed))

    def with_verdict(self, *verdicts: str) -> list[OpenLoss]:
        return [loss for loss in self.ranges if loss.verdict in verdicts]

    @property
    def low(self) -> int:
        proven = [loss for loss in self.with_verdict(PROVEN) if loss.to_offset_low is not None]
        return sum(loss.to_offset_low - loss.from_offset for loss in proven)

    @property
    def high(self) -> int | None:
        if any(loss.to_offset_high is None or loss.from_offset is None for loss in self.ranges):
            return None
        return sum(int(loss.to_offset_high - loss.from_offset) for loss in self.ranges)

    @property
    def discarded(self) -> int:
        """Offsets that were certainly lost, whether or not a producer got an acknowledgement."""
        ends = [
            (loss.from_offset, first_known(loss.discarded_to_offset, loss.to_offset_high))
            for loss in self.with_verdict(*GONE_VERDICTS)
        ]
        return sum(int(end - begin) for begin, end in ends if begin is not None and end is not None)

    @property
    def may_hold_others(self) -> Loss:
        """The ranges that may hold records that not all in-sync replicas held. A leader that was alone in the ISR (S5)
        had none, and none is below a committed record of the same log.
        """
        return Loss(
            tuple(
                loss
                for loss in self.ranges
                if loss.scenario != "S5"
                and (loss.to_offset_high is None or loss.to_offset_high != loss.to_offset_low)
                and not any(_is_committed_below(loss, other) for other in self.with_verdict(PROVEN))
            )
        )

    def without(self, topics: Collection[str]) -> Loss:
        """The losses of other topics."""
        return Loss(tuple(loss for loss in self.ranges if loss.topic not in topics))

    @property
    def topics(self) -> list[str]:
        return sorted({loss.topic for loss in self.ranges})

    def proven_in_part(self) -> Loss:
        """The ranges of all topics with a proven loss."""
        topics = {loss.topic for loss in self.with_verdict(PROVEN) if loss.to_offset_low is not None}
        return Loss(tuple(loss for loss in self.ranges if loss.topic in topics))

    @property
    def is_none(self) -> bool:
        return self.high == 0

    @property
    def held_by(self) -> list[int]:
        """Brokers that still held some of the records at their last line about them."""
        return sorted({broker for loss in self.ranges for broker in loss.recoverable_from or ()})


def _is_committed_below(loss: OpenLoss, proven: OpenLoss) -> bool:
    """Whether all of a range is below a committed record of the same log: then all of it was committed."""
    log = ("topic", "partition", "leader_epoch", "old_leader_id")
    is_same = all(getattr(loss, name) == getattr(proven, name) for name in log)
    return (
        is_same and less(proven.from_offset, proven.to_offset_low) and at_most(loss.to_offset_high, proven.from_offset)
    )


@dataclass(frozen=True)
class Contributed:
    """A loss that counts in another incident and to which a fault of this one contributed. `completed_by`: the title of
    the fault that completed it; None if unknown.
    """

    loss: OpenLoss
    completed_by: str | None


@dataclass(frozen=True)
class Incident:
    """One incident, from the rows that belong to it."""

    incident_id: str
    from_ts: datetime
    to_ts: datetime
    findings: Sequence[Conclusion] = ()
    roots: Sequence[Root] = ()  # root causes and benign changes, in their order
    effects: Sequence[Effect] = ()
    losses: Sequence[OpenLoss] = ()
    contributing: Sequence[Root] = ()  # faults that made it worse
    contributed: Sequence[Contributed] = ()  # losses that count in other incidents
    deaths: Sequence[Root] = ()  # of processes, that follow from its faults
    refusals: Sequence[Root] = ()  # of starts, while the broker's previous session was still active
    absences: Sequence[Absence] = ()
    deposed: Sequence[Deposition] = ()  # active controllers that voters deposed
    times: PartitionTime | None = None
    full_with_others_ts: datetime | None = None  # when ISRs were full that had shrunk in other incidents of its brokers
    harm: IncidentHarm | None = None
    down: Sequence[TopicDowntime] = ()  # also what came after its end
    in_a_row: Sequence[WaitInARow] = ()  # waits that it shares with other incidents
    others: Mapping[str, str] = field(
        default_factory=dict
    )  # the titles of the faults that began those incidents, by their ids
    unanswered: Sequence[UnansweredWrites] = ()
    gaps: Sequence[SequenceGap] = ()  # refused batches of idempotent producers, in partitions in which it lost records
    stale: Sequence[StaleLeader] = ()  # that led on after others were elected
    led: Sequence[LeadershipAtLast] = ()  # leaders that it left in the place of preferred ones
    all_led: Sequence[LeadershipAtLast] = ()  # of the cluster: the leaders at the end of the logs
    trusted: Sequence[TrustedReplica] = ()  # of the cluster: the best replicas of partitions that end without a leader
    forbid_unclean: frozenset[str] = frozenset()  # the topics whose last known setting forbids unclean elections
    need_one: frozenset[str] = frozenset()  # the topics whose last known min.insync.replicas is 1
    version_low: int | None = None  # the oldest release that a node may have run, as a number (`replay.facts.releases`)
    version_high: int | None = None  # the newest one
    rebalance: AutoRebalance | None = None  # what the controller does about leadership that did not return
    last_ts: datetime | None = None  # the last line of these logs
    may_hide_losses: bool = False  # the logs lack lines that would show a loss
    known: Known = NOTHING_KNOWN  # the facts that refute statements
    deployment: str = HOST  # where the cluster's processes run (`replay.sentences.witness_commands`)

    # Nodes and events.

    @property
    def root(self) -> Root | None:
        return self.roots[0] if self.roots else None

    @property
    def stopped_before(self) -> Root | None:
        """The ordered stop of its broker before the start that failed."""
        if self.root is None or self.root.kind not in FAILED_STARTS:
            return None
        stops = [one for one in self.roots if one.kind in ORDERED_STOPS and one.broker_id == self.root.broker_id]
        before = [stop for stop in stops if stop.began_high <= self.root.began_high]
        return max(before, key=lambda stop: stop.began_high, default=None)

    @property
    def causes(self) -> list[Root]:
        """The root causes only."""
        return [root for root in self.roots if root.finding.role == "root_cause"]

    @property
    def severity(self) -> str:
        return min((finding.severity for finding in self.findings), key=SEVERITIES.index, default="info")

    @property
    def broker_ids(self) -> list[int]:
        causes = self.causes or list(self.roots[:1])
        return sorted({broker for root in causes for broker in root.finding.broker_ids or ()})

    @property
    def contributed_ids(self) -> list[int]:
        contributing = [finding for finding in self.findings if finding.role == "contributing"]
        return sorted(
            {broker for finding in contributing for broker in finding.broker_ids or ()} - set(self.broker_ids)
        )

    @property
    def likely_unclean(self) -> set[str]:
        """The topics whose leaders were likely elected uncleanly, without a line that shows it."""
        found = [one for one in self.findings if one.finding_id.startswith("likely_unclean_elections/")]
        return {name.rpartition("-")[0] for one in found for name in one.partitions or ()}

    @property
    def lost_its_quorum(self) -> bool:
        return any(finding.code == "F11" and finding.role == "effect" for finding in self.findings)

    @property
    def missing_voters(self) -> str | None:
        """How many controllers were missing when the metadata quorum was lost: `2 of 3 controllers`; None if
        unknown, or if two of them could not reach each other.
        """
        lost = {root for effect in self.of_kind("quorum_lost") for root in effect.root_ids}
        at_fault = (root.fault for root in self.causes if root.finding.finding_id in lost)
        found = [fault for fault in at_fault if fault is not None and fault.broker_id is not None]
        missing = set() if any(one.kind == "link_cut" for one in found) else {one.broker_id for one in found}
        voters = next((arguments["voters"] for arguments in self._of_lost_quorum() if "voters" in arguments), None)
        return (
            f"{len(missing)} of {voters} controllers"
            if voters is not None and self.lost_its_quorum and 2 * len(missing) >= int(voters)
            else None
        )

    @property
    def fenced_late(self) -> list[str]:
        """The brokers that no controller could fence while the metadata quorum was lost."""
        named = (arguments.get("all_brokers", "") for arguments in self._of_lost_quorum())
        return sorted({broker for brokers in named for broker in brokers.split(LIST_SEPARATOR) if broker})

    def _of_lost_quorum(self) -> list[Mapping[str, str]]:
        """The arguments of the findings of a lost metadata quorum."""
        return [one["arguments"] for finding in self.findings if finding.code == "F11" for one in finding.said or ()]

    @property
    def late_isr_changes(self) -> list[Mapping[str, str]]:
        """The arguments of the findings about ISR changes that were confirmed late because of another fault, the most first."""
        late = [
            one["arguments"]
            for finding in self.findings
            if finding.role == "effect"
            for one in finding.said or ()
            if one["reason"] == LATE_ISR_CHANGES
        ]
        return sorted(late, key=lambda arguments: -int(arguments["count"]))

    def closed(self, statements: Iterable[Statement]) -> list[Statement]:
        """The statements about it that no fact refutes."""
        return closed(statements, self.known, self.incident_id)

    def of_kind(self, *kinds: str) -> list[Effect]:
        return [effect for effect in self.effects if effect.kind in kinds]

    # When.

    @property
    def t0_low(self) -> datetime | None:
        """The last proof of health before the root."""
        return None if self.root is None else self.root.finding.began_low

    @property
    def t0_high(self) -> datetime:
        """The first proof of the fault."""
        return self.from_ts if self.root is None else self.root.began_high

    @property
    def start_ts(self) -> datetime:
        """The begin of its first fault or, if that is earlier, of harm or of the stop before a start that failed."""
        begins = [root.began_low for root in self.causes]
        return least(self.t0_low, self.t0_high, *begins, *self._harm_begins()) or self.from_ts

    def _harm_begins(self) -> list[datetime]:
        stop = [] if self.stopped_before is None else [self.stopped_before.began_high]
        return [*stop, *(finding.start_ts for finding in self.findings if finding.role == "effect")]

    @property
    def end_ts(self) -> datetime:
        """The end of its last fault and of its last harm; not before the brokers whose processes had ended were back."""
        ends = [first_known(root.finding.ended_high, root.finding.end_ts) for root in self.causes]
        return greatest(self.to_ts, self.start_ts, *ends, *self._harm_ends(), *self._back()) or self.to_ts

    def _back(self) -> list[datetime | None]:
        """When the controller could elect the brokers again whose processes had ended, and when the ISRs were full that were
        still short then, also if they had shrunk before because of another incident.
        """
        ended = [root for root in (*self.causes, *self.deaths) if root.kind in (*CRASHES, *ORDERED_STOPS)]
        back = [self.known.back_after(root.broker_id, root.finding.end_ts) for root in ended]
        return [*back, self.full_with_others_ts]

    @property
    def end_low(self) -> datetime:
        """The last proof of any of its faults, or the end of its last harm: the earliest possible end. Without a known
        end the incident continues.
        """
        ends = [first_known(root.finding.ended_low, root.finding.end_ts, self.end_ts) for root in self.causes]
        return greatest(self.start_ts, *ends, *self._harm_ends(), *self._back()) or self.end_ts

    def _harm_ends(self) -> list[datetime | None]:
        ends = [finding.end_ts for finding in self.findings if finding.role in ("effect", "contributing")]
        harms = [effect.over_ts for effect in self.of_kind("leaderless", "writes_refused")]
        return [*ends, *harms, None if self.times is None else self.times.full_ts]

    @property
    def lasted(self) -> Bounds:
        """The bounds of its duration, from its first fault or earlier harm to its end. The upper bound is unknown if it
        began some time before its first line, or if it is not over.
        """
        end_low = greatest(self.end_low, self.last_ts if self.clocks_off else None)
        shortest = _bounds(end_low, least(self.t0_high, *self._harm_begins()), None).low_ms
        longest = _bounds(self.end_ts, None, self.start_ts).high_ms
        return Bounds(shortest, longest if self.t0_low is not None and self.is_over else None)

    def since_last_begin(self, ts: datetime | None) -> Bounds:
        """The time to `ts`: at least from the latest begin of the last of its faults that had begun by then, at most
        from the earliest begin of the first. The upper bound is unknown if the first began some time before its first
        line.
        """
        begins = [root.began_high for root in self.causes if not root.is_routine and ts and root.began_high <= ts]
        return _bounds(ts, greatest(self.t0_high, *begins), self.t0_low)

    @property
    def changes(self) -> list[Effect]:
        """The changes of leader that are harm of the fault. Omits the return of preferred leaders."""
        changes = self.of_kind(*CHANGES_OF_LEADER)
        return [change for change in changes if change.by != "preferred" or change.kind == "unclean_election"]

    @property
    def lost_by_order(self) -> bool:
        """Whether all its unclean elections were ordered by an operator, and committed records were lost in them."""
        unclean = self.of_kind("unclean_election")
        lost = [loss for loss in self.committed.with_verdict(PROVEN) if loss.scenario == "S4"]
        return bool(unclean and lost) and all(change.by == "admin" for change in unclean)

    @property
    def unclean_elections(self) -> int:
        return sum(change.count for change in self.changes if change.kind == "unclean_election")

    @property
    def elections(self) -> int:
        """The changes of leader to another broker. An unclean election can give the same leader again."""
        clean = [change for change in self.changes if change.kind != "unclean_election"]
        unclean = [change for change in self.changes if change not in clean and change.is_other_leader is not False]
        return sum(int(change.count) for change in unclean) + sum(
            int(change.count) for change in clean if change.is_other_leader
        )

    @property
    def preferred_elections(self) -> int:
        return sum(change.count for change in self.of_kind("election") if change.by == "preferred")

    @property
    def leaders_back(self) -> Bounds:
        """The time until every partition had a leader again; unknown while one has none, or if none was without."""
        leaderless = self.of_kind("leaderless")
        if any(effect.is_open for effect in leaderless):
            return Bounds()
        replaced = [change for change in self.changes if change.by not in HAD_A_LEADER]
        last_ts = greatest(*(effect.over_ts for effect in leaderless), *(change.last_ts for change in replaced))
        found = self.since_last_begin(last_ts)
        is_found_late = found.high_ms is not None and any(change.found_late for change in replaced)
        return Bounds(None, found.high_ms) if is_found_late else found

    @property
    def isrs_full(self) -> Bounds:
        """The time until every ISR was full again; unknown while one is not, or if none was short."""
        if self.times is None or self.times.short_at_last or not self.times.under_replicated_ms:
            return Bounds()
        return self.since_last_begin(self.times.full_ts)

    @property
    def isrs_regained_ts(self) -> datetime | None:
        """When every ISR that shrank had its members again; None while one has not, or if none shrank."""
        if self.times is None or self.times.not_regained or self.short_at_last:
            return None
        return self.times.regained_ts

    @property
    def detected(self) -> Bounds:
        """The time from the begin of its fault until the first session ended; without an upper bound if that fault began
        some time before its first line. The end of a session by routine work after a fault is not a detection.
        """
        begin = least(self.t0_low, self.t0_high)
        is_fault = self.root is not None and not self.root.is_routine
        routine = {one.finding.finding_id for one in (*self.roots, *self.contributing) if is_fault and one.is_routine}
        ends = [
            effect
            for effect in self.of_kind("detected")
            if at_most(begin, effect.ts) and not (effect.root_ids and routine.issuperset(effect.root_ids))
        ]
        first = min(ends, key=lambda effect: effect.ts, default=None)
        if first is None:
            return Bounds()
        own = [one for one in self.causes if one.finding.finding_id in first.root_ids] or self.roots[:1]
        is_dated = all(one.finding.began_low is not None for one in own)
        begun_low = least(*(one.began_low for one in own)) if is_dated else None
        found = _bounds(first.ts, least(*(one.began_high for one in own)), begun_low)
        return Bounds(0, found.high_ms) if first.found_late else found

    @property
    def without_controller(self) -> Bounds:
        return Bounds(sum(one.low_ms for one in self.absences), sum(one.high_ms for one in self.absences))

    @property
    def partitions_affected(self) -> int:
        """The number of partitions of topics, without the metadata log."""
        names = {name for effect in self.effects for name in effect.partitions}
        changed = {name for name in names if not name.startswith("__cluster_metadata-")}
        return len(changed.union(*(row.partitions for row in self.down if row.what in MEANWHILE)))

    # What was lost.

    @property
    def committed(self) -> Loss:
        return Loss.of(self.losses, committed=True)

    @property
    def uncommitted(self) -> Loss:
        return Loss.of(self.losses, committed=False)

    @property
    def contributed_offsets(self) -> int | None:
        """The offsets, at most, of the losses to which its faults contributed; None if the size of one is unknown."""
        return Loss(tuple(one.loss for one in self.contributed)).high

    @property
    def is_inseparable(self) -> bool:
        """Whether records that not all in-sync replicas held can be among those that may be committed."""
        return self.uncommitted.is_none and bool(self.committed.may_hold_others.ranges)

    @property
    def unanswered_offsets(self) -> int | None:
        """The least number of offsets that leaders stored while writes with acks=all got no answer; None if no line shows
        how many a leader stored.
        """
        stored = sum(int(row.offsets) for row in self.unanswered)
        return stored or (None if self.topics_unanswered and self.unanswered_high != 0 else 0)

    @property
    def unanswered_high(self) -> int | None:
        """The greatest number of such offsets of the topics of `topics_unanswered`; None if it is not known of all."""
        topics = self.topics_unanswered
        most = {row.topic: row.offsets_high for row in self.unanswered}
        known_of = [most.get(topic) for topic in topics]
        return None if None in known_of else sum(known(known_of))

    # Which topics sentences name.

    def in_order(self, topics: Iterable[str]) -> list[str]:
        """Topics in the order of a sentence: by name if it names all of them, else the worst affected first."""
        names = sorted(set(topics))
        return names if len(names) <= LISTED_AT_MOST else sorted(names, key=lambda name: (*self._harm_of(name), name))

    def _harm_of(self, topic: str) -> tuple[float, ...]:
        """The sort key of a topic: the most committed offsets lost, then the most others, then the longest wait."""
        return self._harms.get(topic, (0.0, 0.0, 0.0))

    @cached_property
    def _harms(self) -> dict[str, tuple[float, ...]]:
        committed: dict[str, float] = defaultdict(float)
        others: dict[str, float] = defaultdict(float)
        for loss in self.losses:
            end = first_known(loss.to_offset_low, loss.to_offset_high)
            offsets = 0 if end is None or loss.from_offset is None else max(end - loss.from_offset, 0)
            (committed if loss.loss_class == "committed" else others)[loss.topic] -= offsets
        waited: dict[str, float] = defaultdict(float)
        for row in self.down:
            waited[row.topic] = min(waited[row.topic], -float(first_known(row.low_ms, row.high_ms) or 0))
        return {topic: (committed[topic], others[topic], waited[topic]) for topic in {*committed, *others, *waited}}

    @property
    def topics_unanswered(self) -> list[str]:
        """Topics whose leaders certainly stored writes with acks=all without answering for a while."""
        waited = {row.topic for row in self.down if row.what == "unanswered" and (row.low_ms or 0) >= FELT_MS}
        return self.in_order(waited.union(row.topic for row in self.unanswered if row.offsets))

    @property
    def undetermined(self) -> int:
        return sum(loss.verdict == UNDETERMINED for loss in self.losses)

    # Whether it is over.

    @property
    def lowered(self) -> list[Fault]:
        """The requests that reduced a replication factor."""
        return [root.fault for root in self.causes if root.fault is not None and root.kind == LOWERED]

    @property
    def leaderless_at_last(self) -> int:
        return sum(effect.count for effect in self.of_kind("leaderless") if effect.is_open)

    @property
    def short_at_last(self) -> int:
        """A reassignment names no remaining replicas."""
        if self.times is None or (self.root is not None and self.root.kind in REASSIGNED):
            return 0
        return int(self.times.short_at_last or 0)

    @property
    def blocked_at_last(self) -> list[str]:
        """Topics in which writes with acks=all certainly still waited at the end of the logs."""
        return self.in_order(row.topic for row in self.down if row.is_open and row.what == "acks_all" and row.low_ms)

    @property
    def unknown_at_last(self) -> list[str]:
        """Topics in which writes with acks=all waited for an unknown time, because no line shows the end. Clients that
        still ask a deposed leader say nothing about its successor.
        """
        of_leaders = {row.topic for row in self.down if row.what == OF_LEADERS}
        rows = (row for row in self.down if row.may_last)
        return self.in_order(
            row.topic for row in rows if row.what == (OF_LEADERS if row.topic in of_leaders else "acks_all")
        )

    @property
    def stuck_at_last(self) -> list[SequenceGap]:
        """Partitions that refused batches of idempotent producers and stored nothing more by the leader's last line."""
        return [gap for gap in self.gaps if gap.still_ts is not None]

    @property
    def led_away(self) -> int:
        """Partitions that are not led by their preferred replica as the logs end, because of this incident."""
        return sum(int(row.away) for row in self.led)

    @property
    def topics_led_away(self) -> list[str]:
        return self.in_order(name.rpartition("-")[0] for row in self.led for name in row.partitions)

    @property
    def returns_by_itself(self) -> bool:
        """The controller returns leadership, and these logs end before it has certainly checked."""
        if self.rebalance is None or not self.rebalance.is_on:
            return False
        waited_ms = millis(self.last_ts, self.end_ts)
        return waited_ms is None or waited_ms < 2_000 * (self.rebalance.check_s or CHECKS_EVERY_S)

    @property
    def lasting(self) -> list[Root]:
        """The faults and deaths without an end in these logs, the last one of each broker."""
        in_time = sorted([*self.causes, *self.deaths], key=lambda root: root.began_high)
        last = {(root.broker_id, root.kind): root for root in in_time}
        return [root for root in last.values() if root.lasts and root.kind not in ORDERED_STOPS]

    @property
    def refused_at_last(self) -> list[Root]:
        """The refused starts of brokers that then stopped and were not started again."""
        halted = {root.broker_id: root for root in self.lasting if root.kind == "halted"}
        last = {one.broker_id: one for one in sorted(self.refusals, key=lambda one: one.began_high)}
        return [
            one
            for broker, one in last.items()
            if broker in halted and 0 <= (millis(halted[broker].began_high, one.began_high) or 0) <= GAVE_UP_MS
        ]

    @property
    def clocks_off(self) -> list[Root]:
        """The last step of each clock that was still off at the end of the logs."""
        steps = {
            root.broker_id: root
            for root in sorted(self.causes, key=lambda root: root.began_high)
            if root.kind == "clock_stepped"
        }
        return [root for root in steps.values() if root.clock_at_last]

    @property
    def is_over(self) -> bool | None:
        """Whether no symptom remained, and every clock was right."""
        return False if self.clocks_off else self.is_well

    @property
    def is_well(self) -> bool | None:
        """None: no line shows a symptom at the end of the logs or that all writes were accepted."""
        if any((self.leaderless_at_last, self.short_at_last, self.blocked_at_last, self.lasting, self.stuck_at_last)):
            return False
        return None if self.unknown_at_last else True
