"""Faults of the quorum: voters searched for a leader in vain, or most were down (F11); single voters were isolated
from it (F10); or the active controller was overloaded (F12).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from replay.facts.evidence import once_each
from replay.facts.groups import grouped
from replay.facts.lines import detail_number, number_in
from replay.facts.order import at_most
from replay.facts.reads import reads
from replay.facts.times import first_known, greatest, known, millis, plus_millis
from replay.faults.kinds import BY_NAME, CRASHES, ORDERED_STOPS
from replay.faults.shape import begin_of, bursts_of, by_time, count_of, end_of, fault, of_kind, proof_of
from replay.sentences.statement import Statement, statement
from replay.tables.faults import AskedTime, Fault, FirstLine, WrittenLine
from replay.tables.reading import Fact

ROLES_LATE_MS = 2_000  # a broker applies the controllers' decisions within this time
ELECTION_TAKES_MS = 10_000  # voters that can reach each other find a leader within this time (facts §5, F10: 2 to 5 s)
TRIED_AGAIN_MS = 30_000  # a voter without a leader retries every few seconds; one that does not has found it
LEADER_BACK_MS = 15_000  # voters that return find a leader within this time, and brokers find that leader
BEFORE_ATTEMPT_MS = 5_000  # a voter searches after a fetch timeout (2 s) and an election timeout (1 to 2 s)
HEARTBEAT_EXPIRED, SLOW_EVENT = "kraft_heartbeat_timed_out_queue", "kraft_event_slow"
HEARTBEAT_EXPIRES_MS = (
    1_000  # half of broker.heartbeat.interval.ms, the time that a heartbeat may wait (ControllerApis)
)
SLOW_AGAIN = 3  # a single pause causes fewer slow events in a burst
ELECTION_ATTEMPTS = (
    "raft_become_candidate",
    "raft_become_prospective",
    "raft_election_timeout",
    "raft_election_lost_votes",
    "raft_check_quorum_lost",
    "raft_reelect_after_backoff",
)
_CALLED = ("raft_become_candidate", "raft_reelect_after_backoff")  # an election, if no transition is logged
_ASKED_FIRST = ("raft_become_prospective",)
_TRANSITION = "raft_transition"
_VOTERS = r"\bvoters=\[([0-9]+(?:, [0-9]+)*)\]"
_EPOCH, _LEADER = r"\bepoch=(\d+)", r"\bleader(?:Id)?=(\d+)"


@dataclass(frozen=True)
class Search:
    """A time in which voters searched for a leader after `elected` had been the last one elected.

    `lines`: their attempts. `states`: the state transitions that followed. `found`: the line that shows the leader
    that they found, if any.
    """

    elected: int | None
    lines: list[Fact]
    states: list[Fact] = field(default_factory=list)
    found: Fact | None = None

    @property
    def ts(self) -> datetime | None:
        return begin_of(self.lines)

    @property
    def end_ts(self) -> datetime | None:
        return end_of(self.lines)

    @property
    def lasts(self) -> bool:
        """Whether the search took longer than an election takes."""
        return (millis(self.end_ts, self.ts) or 0) >= ELECTION_TAKES_MS

    @property
    def nodes(self) -> list[int]:
        return sorted(set(known(line.node_id for line in self.lines)))

    @property
    def elections(self) -> int:
        """How many elections the voters called: one each time that a voter became a candidate."""
        return self._times("CandidateState", _CALLED)

    @property
    def pre_votes(self) -> int:
        """How many rounds of pre-votes the voters held (KIP-996); a pre-vote is not an election."""
        return self._times("ProspectiveState", _ASKED_FIRST)

    def _times(self, state: str, kinds: tuple[str, ...]) -> int:
        entered = [line for line in self.states if _becomes(line, state)]
        return count_of(entered or [line for line in self.lines if line.kind in kinds])

    @property
    def evidence(self) -> list[str]:
        return proof_of(self.lines)

    def by_node(self) -> Iterator[tuple[int, Search]]:
        """The searches of each voter. A voter that makes no attempt for as long as an election takes has found a
        leader.
        """
        for node, own in grouped(self.lines, lambda line: line.node_id).items():
            for burst in bursts_of(own, by=lambda _: None, gap_ms=ELECTION_TAKES_MS):
                yield node, Search(self.elected, burst)

    @property
    def asked(self) -> tuple[datetime | None, datetime | None]:
        """The time in which other nodes show whether they have a leader."""
        return plus_millis(self.ts, ROLES_LATE_MS), plus_millis(self.end_ts, -ROLES_LATE_MS)


@dataclass(frozen=True)
class VainElection:
    """A search in which no voter found a leader, and the lines of other nodes at that time.

    An isolated voter also searches in vain while the others have a leader. Either the last one elected (`leader`)
    still logs lines and does not search, or brokers take on new roles (`roles_taken`). If most voters have no files
    (not `most_have_logs`), the logs do not show whether a leader existed.
    """

    search: Search
    leader: int | None
    roles_taken: bool
    most_have_logs: bool
    voters: list[int] = field(default_factory=list)

    @property
    def has_leader(self) -> bool:
        return self.roles_taken or self.leader is not None


def asked_times(facts: Iterable[Fact]) -> list[AskedTime]:
    """The times in which voters searched for a leader, and other nodes may show that they had one."""
    return [AskedTime(None, *search.asked) for search in _searches(facts)]


def vain_elections(
    facts: Sequence[Fact], written_lines: Iterable[WrittenLine], first_lines: Iterable[FirstLine]
) -> list[VainElection]:
    """The times in which voters searched for a leader in vain."""
    written: dict[tuple[datetime | None, datetime | None], list[WrittenLine]] = {}
    for one in written_lines:
        written.setdefault((one.from_ts, one.to_ts), []).append(one)
    voters = _voters(facts)
    most_have_logs = _most_have_logs(voters, {line.node_id for line in first_lines if line.first_ts is not None})
    found = []
    for search in _searches(facts):
        others = [one for one in written.get(search.asked, ()) if one.node_id not in search.nodes]
        by_elected = [one for one in others if one.node_id == search.elected]
        goes_on = bool(by_elected) and not any(one.starts for one in by_elected)
        found.append(
            VainElection(
                search,
                leader=search.elected if goes_on else None,
                roles_taken=any(one.takes_role for one in others),
                most_have_logs=most_have_logs,
                voters=voters,
            )
        )
    return found


@reads(_TRANSITION, *ELECTION_ATTEMPTS)
def _searches(facts: Iterable[Fact]) -> Iterator[Search]:
    """The voters' attempts to find a leader after one was elected, in bursts. A search ends when every voter that
    searched follows a leader.

    A paused leader notices when it resumes that no majority fetches from it, and at once follows the leader elected
    meanwhile.
    """
    lines = [fact for fact in facts if fact.ts is not None and fact.kind in (_TRANSITION, *ELECTION_ATTEMPTS)]
    sought: list[Fact] = []
    seeking: set[int | None] = set()
    elected: Fact | None = None
    for line in sorted(lines, key=by_time):
        if line.kind in ELECTION_ATTEMPTS or _seeks(line):
            sought.append(line)
            seeking.add(line.node_id)
        elif _becomes(line, "Leader"):
            yield from _searches_after(elected, sought, line)
            elected, sought, seeking = line, [], set()
        elif line.node_id in seeking and _becomes(line, "FollowerState"):
            seeking.discard(line.node_id)
            if not seeking:
                yield from _searches_after(elected, sought, line)
                sought = []
    yield from _searches_after(elected, sought, None)


def _seeks(line: Fact) -> bool:
    return line.kind == _TRANSITION and (_becomes(line, "CandidateState") or _becomes(line, "ProspectiveState"))


def _becomes(transition: Fact, state: str) -> bool:
    return f"Completed transition to {state}" in (transition.message or "")


def _searches_after(elected: Fact | None, attempts: list[Fact], found: Fact | None) -> Iterator[Search]:
    if elected is None:
        return
    for burst in bursts_of(attempts, by=lambda _: None, gap_ms=TRIED_AGAIN_MS):
        of_burst = [line for line in burst if line.kind in ELECTION_ATTEMPTS]
        ends = found is not None and at_most(millis(found.ts, end_of(burst)), TRIED_AGAIN_MS)
        states = [line for line in burst if line.kind == _TRANSITION]
        search = Search(elected.node_id, of_burst, states, found if ends else None)
        if search.lasts:
            yield search


def _voters(facts: Iterable[Fact]) -> list[int]:
    """The last set of voters that a node logs."""
    named = [fact for fact in facts if fact.kind == _TRANSITION and re.search(_VOTERS, fact.message or "")]
    if not named:
        return []
    found = re.search(_VOTERS, max(named, key=by_time).message)
    return [int(voter) for voter in found[1].split(", ")] if found else []


def _most_have_logs(voters: Sequence[int], with_lines: set[int | None]) -> bool:
    """Whether a majority of the voters has lines of its own; true if no line names the voters."""
    return not voters or 2 * len(set(voters) & with_lines) > len(voters)


def quorum_lost(elections: Iterable[VainElection], outages: Iterable[Fault] = ()) -> list[Fault]:
    """F11: voters that searched for a leader longer than an election takes, while the files of most voters show
    none.

    It begins when too many voters for a majority are missing, if `outages` show this. It ends when a leader is
    found, not with the last attempt.
    """
    outages = list(outages)
    return [_not_found(one, outages) for one in elections if one.most_have_logs and not one.has_leader]


def _not_found(one: VainElection, outages: Iterable[Fault]) -> Fault:
    search = one.search
    low, high = _too_many_missing(one.voters, _missing(one.voters, outages, search.ts))
    return _lost_quorum(
        search.ts,
        first_known(search.found.ts if search.found is not None else None, search.end_ts),
        one.voters or search.nodes,
        (greatest(low, plus_millis(search.ts, -BEFORE_ATTEMPT_MS)), first_known(high, search.ts)),
        statement(
            "sought_leader_in_vain",
            all_nodes=search.nodes,
            voters=len(one.voters) or None,
            elections=search.elections or None,
            none_called=not search.elections,
            pre_votes=search.pre_votes or None,
            at_from=search.ts,
            at_to=search.end_ts,
        ),
        search.evidence,
        ended_low=search.end_ts,
    )


def _missing(voters: Sequence[int], outages: Iterable[Fault], at: datetime | None) -> list[Fault]:
    """The outages of voters that had begun and not ended at `at`."""
    return [
        one
        for one in of_kind(outages, *CRASHES, *ORDERED_STOPS, "paused")
        if one.broker_id in voters and at_most(one.ts, at) and (one.end_ts is None or not at_most(one.end_ts, at))
    ]


def _too_many_missing(voters: Sequence[int], missing: Iterable[Fault]) -> tuple[datetime | None, datetime | None]:
    """The bounds of the time at which so many voters were missing that the others were no majority."""
    in_time = sorted(missing, key=lambda one: one.ts, reverse=True)
    first = {one.broker_id: one for one in in_time}.values()
    decisive = (len(voters) + 1) // 2 - 1
    if not voters or len(first) <= decisive:
        return None, None
    lows = [one.began_low for one in first]
    return (
        None if None in lows else sorted(lows)[decisive],
        sorted(known(first_known(one.began_high, one.ts) for one in first))[decisive],
    )


def voters_cut_off(elections: Iterable[VainElection]) -> list[Fault]:
    """F10: a voter that searched for a leader in vain while another voter led, or may have led because the files of
    most voters are missing.

    Its own lines show that it searched longer than an election takes. A voter that reconnects has a higher epoch and
    forces a new election; the others then search too, but only briefly.
    """
    return [
        fault(
            "voter_cut_off",
            statement(
                "sought_leader_alone",
                node=node,
                at_from=own.ts,
                at_to=own.end_ts,
                leader=one.leader,
                others_led=one.has_leader and one.leader is None,
                unheard=not one.has_leader,
            ),
            broker_id=node,
            ts=own.ts,
            end_ts=own.end_ts,
            began_low=plus_millis(own.ts, -BEFORE_ATTEMPT_MS),
            confidence=0.8 if one.has_leader else 0.5,
            unknowns=[] if one.has_leader else ["whether_others_had_a_leader"],
            evidence=own.evidence,
        )
        for one in elections
        if one.has_leader or not one.most_have_logs
        for node, own in one.search.by_node()
        if own.lasts
    ]


@reads(_TRANSITION)
def majority_down(facts: Iterable[Fact], outages: Iterable[Fault]) -> list[Fault]:
    """F11: too many voters were down at once (`outages`) for a majority.

    Up to 3.6 an isolated leader does not resign: it starts no search, still logs lines, and commits nothing (facts
    §5, F11). A restarting voter alone does not restore the quorum; it is back when a leader is elected, or when the
    voter follows the leader that remained. Ignores voters that only fell silent, because their files may end early.
    """
    states = sorted((fact for fact in facts if fact.kind == _TRANSITION and fact.ts is not None), key=by_time)
    voters = _voters(states)
    too_many = (len(voters) + 1) // 2
    outages = list(outages)
    found: dict[datetime, Fault] = {}
    for last in outages:
        together = _missing(voters, outages, last.ts)
        back_ts = min(known(one.end_ts for one in together), default=None)
        lasted_ms = millis(back_ts, last.ts)
        nodes = sorted({one.broker_id for one in together})
        if last in together and len(nodes) == too_many and (lasted_ms is None or lasted_ms >= ELECTION_TAKES_MS):
            leader = _leader_after(states, last.ts, back_ts, nodes)
            found.setdefault(last.ts, _most_down(last.ts, back_ts, leader, voters, together))
    return list(found.values())


def _leader_after(states: Iterable[Fact], lost_ts: datetime, back_ts: datetime | None, down: list[int]) -> Fact | None:
    """The first line that shows a leader with a majority after one of the voters that were down is back; None
    without one.

    Either the line has a later epoch than all leaders before, or a voter that was down follows the leader that
    remained.
    """
    if back_ts is None:
        return None
    last_epoch, last_leader = -1, None
    for line in states:
        leads, epoch = _becomes(line, "Leader"), number_in(line.message, _EPOCH)
        if not (leads or _becomes(line, "FollowerState")) or epoch is None:
            continue
        if line.ts <= lost_ts:
            last_epoch = max(last_epoch, epoch)
            last_leader = line.node_id if leads else number_in(line.message, _LEADER)
        elif line.ts >= back_ts and (
            leads
            or epoch > last_epoch
            or (line.node_id in down and last_leader is not None and last_leader not in down)
        ):
            return line
    return None


def _most_down(
    ts: datetime, back_ts: datetime | None, leader: Fact | None, voters: list[int], together: list[Fault]
) -> Fault:
    led_ts = leader.ts if leader is not None else None
    nodes = sorted({one.broker_id for one in together})
    low, high = _too_many_missing(voters, together)
    return _lost_quorum(
        ts,
        led_ts,
        voters,
        (low, high),
        statement(
            "most_voters_down",
            count=len(nodes),
            voters=len(voters),
            all_nodes=nodes,
            at_from=ts,
            at_to=back_ts,
            at_leader=led_ts,
            open=back_ts is None,
        ),
        [
            *sorted(once_each(event for one in together for event in one.evidence or ())),
            *([leader.event_id] if leader is not None else []),
        ],
        ended_low=back_ts,
    )


def _lost_quorum(
    ts: datetime | None,
    end_ts: datetime | None,
    voters: list[int],
    began: tuple[datetime | None, datetime | None],
    described: Statement,
    evidence: list[str],
    *,
    ended_low: datetime | None,
) -> Fault:
    """The F11 fault; no single node is at fault."""
    return fault(
        "quorum_lost",
        described,
        ts=ts,
        end_ts=end_ts,
        ended_low=ended_low,
        began_low=began[0],
        began_high=began[1],
        peers=voters,
        confidence=0.9,
        evidence=evidence,
    )


def unstated_majorities_down(found: Iterable[Fault], stated: Iterable[Fault]) -> list[Fault]:
    """The times in which most voters were down, without those that the voters' own search for a leader (`stated`)
    shows.
    """
    sought = of_kind(stated, "quorum_lost")
    return [one for one in found if not any(_overlap(one, search) for search in sought)]


def _overlap(one: Fault, search: Fault) -> bool:
    """Whether a time, which may have no end, overlaps a search for a leader."""
    return at_most(one.ts, first_known(search.end_ts, search.ts)) and (
        one.end_ts is None or at_most(search.ts, one.end_ts)
    )


def fenced_without_quorum(faults: Sequence[Fault]) -> list[Fault]:
    """The faults; F06 becomes F12 if the broker was not isolated, but its controllers had no quorum or were
    overloaded.

    Neither a leader without a majority nor an overloaded one answers heartbeats in time.
    """
    lost = [(one.ts, one.end_ts) for one in of_kind(faults, "quorum_lost")]
    overloaded = [(one.began_low, one.end_ts) for one in of_kind(faults, "controller_overloaded")]
    checked = []
    for one in faults:
        if one.kind == "cut_from_controllers" and _is_during(one, lost):
            one = _fenced(one, "fenced_without_quorum")
        elif one.kind == "cut_from_controllers" and _is_during(one, overloaded):
            one = _fenced(one, "fenced_by_overloaded_controller")
        checked.append(one)
    return checked


def _is_during(one: Fault, times: Iterable[tuple[datetime, datetime | None]]) -> bool:
    """Whether the fault began during one of the times, or shortly after it."""
    return any(
        begin <= one.ts and (end is None or one.ts <= end)
        for begin, end in ((begin, plus_millis(end, LEADER_BACK_MS)) for begin, end in times)
    )


def _fenced(cut: Fault, why: str) -> Fault:
    return cut.but(kind="fenced_alive", code=BY_NAME["fenced_alive"].code, reason=why)


@reads(HEARTBEAT_EXPIRED, SLOW_EVENT)
def controllers_overloaded(facts: Iterable[Fact]) -> list[Fault]:
    """F12: an active controller whose queued heartbeats expire, or that repeatedly takes seconds for an event.

    One slow event proves nothing: a frozen process logs one when it resumes.
    """
    lines = [fact for fact in facts if fact.kind in (HEARTBEAT_EXPIRED, SLOW_EVENT) and fact.node_id is not None]
    return [
        _overloaded(burst, slow, timed_out)
        for burst in bursts_of(lines, by=lambda fact: fact.node_id, gap_ms=TRIED_AGAIN_MS)
        for slow, timed_out in [(_count(burst, SLOW_EVENT), _count(burst, HEARTBEAT_EXPIRED))]
        if slow >= SLOW_AGAIN or timed_out > 0
    ]


def _count(lines: Iterable[Fact], kind: str) -> int:
    return count_of(line for line in lines if line.kind == kind)


def _overloaded(lines: list[Fact], slow: int, timed_out: int) -> Fault:
    longest_ms = max(known(detail_number(line, "elapsed_ms") for line in lines), default=None)
    ts, end_ts = begin_of(lines), end_of(lines)
    return fault(
        "controller_overloaded",
        statement(
            "events_took_seconds",
            node=lines[0].node_id,
            at_from=ts,
            at_to=end_ts,
            slow=slow or None,
            longest_ms=longest_ms,
            timed_out=timed_out or None,
        ),
        broker_id=lines[0].node_id,
        ts=ts,
        end_ts=end_ts,
        began_low=plus_millis(ts, -max(longest_ms or 0, HEARTBEAT_EXPIRES_MS)),
        confidence=0.8,
        evidence=proof_of(lines),
    )


def without_overload(found: Iterable[Fault], stated: Iterable[Fault]) -> list[Fault]:
    """The voters of `found` that searched for a leader while no active controller was overloaded.

    An active controller that was too slow to answer was still reachable.
    """
    overloads = [
        (one.began_low, plus_millis(one.end_ts, LEADER_BACK_MS)) for one in of_kind(stated, "controller_overloaded")
    ]
    return [
        one
        for one in found
        if not any(
            at_most(one.ts, until) and at_most(begin, first_known(one.end_ts, one.ts)) for begin, until in overloads
        )
    ]
