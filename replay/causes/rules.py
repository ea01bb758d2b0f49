"""The rules of causality, as data: which happening can follow from which, by which shared facts, and within which time.
An edge needs a key that cause and effect share (a broker, a partition, a leader epoch) and a window that the mechanism
allows. Windows start at the begin or at the end of the cause: the effects of a fault end with the recovery from it.
Source: facts §6.1; the numbers R1 … are those of its table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from replay.codes import Code
from replay.facts.times import CLOCKS_DIFFER_MS
from replay.faults.kinds import CRASHES, DISKS, KINDS, OF_CLUSTER, ORDERED_STOPS, REASSIGNED, Stops, stopping
from replay.histories.scenarios import STALE_LEADER, UNCOMMITTED_TAIL

CONTROLLER_WORKS_MS = 120_000  # a controller processes a broker's end, partition by partition, within this time (R4)
ISR_WRITTEN_MS = 30_000  # and its ISRs
RECOVERED_MS = 5_000  # leaders and followers continue within this time after their obstacle ends
WOKEN_MS = 15_000  # a leader that was away drops its followers, and adds them back, within this time
CONTROLLER_MOVES_MS = 30_000  # another controller follows a lost one within a session timeout plus this (R18)
FOLLOWS_MS = 60_000  # a fault that follows from another appears within this time of its end
REASSIGNED_MS = 600_000  # moving replicas catch up within this time (R28)
RECOVERY_MS = 600_000  # logs are recovered within this time (R22)
OPEN_MS = 600_000  # the effects of a fault without a known end last at most this long
MEMORY_MS = 86_400_000  # the default window: a day

CHANGES_OF_LEADER = ("election", "unclean_election")
MEMBER = "member"  # the aspect of a shrunk ISR: each broker that left it has its own cause
BEGUN_BEFORE = "begun_before"  # by: a time without a leader that its first line shows under way
NOT_LOGGED = "untold"  # by: a time without a leader whose last leader is not logged: it was one of the ISR
LEFT_BEFORE = "left_isr_before"
LED_UNTIL_IT_ENDED = "led_until_it_ended"
PREFERRED_WAS_BACK = "preferred_leader_was_back"
DEPOSED, CALLED = "deposed_the_controller", "called_elections"
NO_MAJORITY = "voters_left_were_no_majority"
ASKED = ("preferred", "reassignment", "admin")  # triggers of requested elections


class Key(Enum):
    """The facts that a cause and its effect share: the join fields of both sides."""

    ALL = "all"
    NODE = "node"  # the node at fault; the broker that left, led before, or was removed
    NODE_AND_PARTITION = "node_and_partition"  # the same, and one of the partitions that a fault names, if it names any
    LEADER = "leader"  # the node at fault leads the partition
    LEADER_AND_PARTITION = "leader_and_partition"
    CANDIDATE = "candidate"  # the node at fault stood for the election that deposed the active controller
    NEW_LEADER = "new_leader"  # the node at fault leads after it
    RETURNED = "returned"  # the same, and it led before until a known time
    PARTITION = "partition"
    NAMED = "named"  # a partition that the cause names
    LEADER_EPOCH = "leader_epoch"  # partition and leader epoch
    MEMBER = "member"  # partition and one broker of it


class From(Enum):
    """The time of a cause at which a window starts."""

    BEGIN = "begin"
    OVER = "over"
    FULL = "full"  # of an ISR that shrank: when it had all replicas again


@dataclass(frozen=True)
class Until:
    """The end of a window: after `base` by `ms`, and by multiples of the cluster's own timings."""

    base: From
    ms: int = 0
    sessions: float = 0.0
    lags: float = 0.0
    imbalance_checks: float = 0.0


@dataclass(frozen=True)
class Rule:
    """A rule: effects of one kind can follow from causes of another. `aspect`: the part of the effect that it explains;
    of several causes of one aspect the most likely is accepted, the others are its rivals. `by`: the required origin of
    the effect (the trigger of an election, how a session ended). `confidence`: the rule's own, shared among equally
    good candidates. `latest`: of several causes the latest counts, else the nearest. `while_open`: an effect that
    begins after the end of the cause does not follow from it. `jointly`: all of the likeliest causes are accepted, such
    as each missing voter of a lost majority; they are among the nodes in the effect, if it names any.
    """

    number: str
    reason: str
    causes: tuple[str, ...]
    effects: tuple[str, ...]
    key: Key
    aspect: str
    confidence: float
    until: Until
    since: From = From.BEGIN
    since_ms: int = -CLOCKS_DIFFER_MS
    effect_key: Key | None = None
    by: tuple[str, ...] = field(default=())
    not_by: tuple[str, ...] = field(default=())
    later_epoch: bool = False
    of_another: bool = False
    latest: bool = False
    while_open: bool = False
    jointly: bool = False


# The mechanisms from causes to effects; several rules can share one.
MECHANISMS: tuple[Code, ...] = (
    Code(
        "R1",
        "fault → process ends",
        "A process ended because of a fault of its own host or disk, or stopped itself because of it.",
    ),
    Code(
        "R2",
        "process ends → session ends",
        "The session of a broker ends with its process, and its partitions lose their leader; or a controller does not keep up with heartbeats.",
    ),
    Code(
        "R3",
        "pause or cut → missed by others",
        "A broker that is frozen or cut off loses its session, drops its followers, or works with a stale state.",
    ),
    Code(
        "R4",
        "broker lost → change of leader or ISR",
        "The controller makes a new decision for every partition of a broker whose session ended or that is shut down.",
    ),
    Code(
        "R10",
        "new leader → truncation",
        "A follower truncates its log to the point where it agrees with the log of its leader.",
    ),
    Code(
        "R13",
        "stalled follower → ISR shrinks",
        "A leader drops a follower that has not caught up for replica.lag.time.max.ms, whatever the reason.",
    ),
    Code(
        "R15",
        "ISR below the minimum, or no leader → writes rejected",
        "With acks=all a write needs min.insync.replicas in-sync replicas, and so does the marker that ends a transaction.",
    ),
    Code(
        "R17",
        "old session still active, metadata not read, or voters unknown → not registered or not unfenced",
        "The controller does not accept a returning broker before its previous session has ended and it has read the metadata, nor does a leader that its controller.quorum.voters does not name.",
    ),
    Code("R18", "controller lost → new controller", "Another node is elected."),
    Code(
        "R21", "directory failed → replicas offline", "The controller takes the replicas of a failed directory offline."
    ),
    Code(
        "R22",
        "unclean restart → shorter log",
        "A broker that ended without a shutdown comes back with a damaged or shorter log.",
    ),
    Code(
        "R23",
        "preferred leader back in sync → preferred election",
        "Leadership moves back to the first replica of the assignment.",
    ),
    Code(
        "R26",
        "voters missed → elections, or no quorum",
        "KRaft voters that miss each other call elections; if most are missing, nothing is committed.",
    ),
    Code("R28", "reassignment → ISR and leader change", "The steps of a move of replicas."),
    Code(
        "R29",
        "lag or shorter log → loss",
        "The log of the new leader lacks records of the former leader: it was behind when it was elected, or the "
        "former leader wrote them after the election.",
    ),
)


def _but(kinds: tuple[str, ...], *others: str) -> tuple[str, ...]:
    return tuple(kind for kind in kinds if kind not in others)


_SESSION_ENDS = ("killed", "halted", "out_of_memory", "authentication_failed")
_UNCLEAN_STOPS = ("stop_cut_short", "stopped_uncleanly")
_FELL_AWAY = _but(stopping(Stops.FETCHING), *ORDERED_STOPS, *DISKS)
_STOPPED_SERVING = _but(stopping(Stops.SERVING), *CRASHES, *ORDERED_STOPS, "link_cut")
_DISTURBED = ("paused", "silent", "cut_from_controllers", "cut_from_zookeeper", "cut_from_peers", "voter_cut_off")

RULES: tuple[Rule, ...] = (
    # Sessions.
    Rule(
        "R2",
        "session_ended_with_process",
        (*_SESSION_ENDS, *_UNCLEAN_STOPS),
        ("detected",),
        Key.NODE,
        "session",
        0.9,
        Until(From.OVER, CONTROLLER_MOVES_MS, sessions=1.5),
        not_by=("controlled_shutdown",),
    ),
    Rule(
        "R2",
        "session_ended_with_stop",
        ORDERED_STOPS,
        ("detected",),
        Key.NODE,
        "session",
        0.9,
        Until(From.OVER, RECOVERED_MS),
        not_by=("session_timeout",),
    ),
    Rule(
        "R3",
        "session_ended_meanwhile",
        ("paused", "silent", "cut_from_controllers", "cut_from_zookeeper", "fenced_alive"),
        ("detected",),
        Key.NODE,
        "session",
        0.9,
        Until(From.OVER, RECOVERED_MS),
        not_by=("controlled_shutdown",),
    ),
    # Leaders.
    Rule(
        "R4",
        "led_when_session_ended",
        ("detected",),
        ("leaderless", *CHANGES_OF_LEADER),
        Key.NODE,
        "leader_left",
        0.95,
        Until(From.BEGIN, CONTROLLER_WORKS_MS),
        since_ms=0,
        not_by=(*ASKED, NOT_LOGGED),
        while_open=True,
    ),
    Rule(
        "R4",
        "in_isr_when_session_ended",
        ("detected",),
        ("leaderless",),
        Key.NODE,
        MEMBER,
        0.9,
        Until(From.BEGIN, CONTROLLER_WORKS_MS),
        since_ms=0,
        by=(NOT_LOGGED,),
        while_open=True,
    ),
    Rule(
        "R4",
        "led_until_stopped",
        ORDERED_STOPS,
        CHANGES_OF_LEADER,
        Key.NODE,
        "leader_left",
        0.9,
        Until(From.OVER, RECOVERED_MS),
        by=("controlled_shutdown",),
    ),
    Rule(
        "R21",
        "led_from_failed_directory",
        DISKS,
        ("leaderless", *CHANGES_OF_LEADER),
        Key.NODE_AND_PARTITION,
        "leader_left",
        0.9,
        Until(From.OVER, RECOVERED_MS),
        by=("log_dir_failure",),
    ),
    Rule(
        "R2",
        LED_UNTIL_IT_ENDED,
        CRASHES,
        ("leaderless", *CHANGES_OF_LEADER),
        Key.NODE,
        "leader_left",
        0.7,
        Until(From.OVER, RECOVERED_MS),
        by=("broker_failure", "unfenced"),
    ),
    Rule(
        "R4",
        "had_no_leader",
        ("leaderless",),
        CHANGES_OF_LEADER,
        Key.PARTITION,
        "had_no_leader",
        1.0,
        Until(From.OVER, CLOCKS_DIFFER_MS),
        later_epoch=True,
        latest=True,
    ),
    # The fault that ended its leadership, however long it then stayed away; if no line shows when it led, its last one.
    *(
        Rule(
            "R23",
            PREFERRED_WAS_BACK,
            (*_SESSION_ENDS, *ORDERED_STOPS, *_DISTURBED, "fenced_alive"),
            CHANGES_OF_LEADER,
            Key.NODE,
            "leader_left",
            0.8,
            until,
            since=From.OVER,
            since_ms=0,
            effect_key=effect_key,
            by=("preferred",),
            latest=True,
        )
        for effect_key, until in (
            (Key.RETURNED, Until(From.OVER, MEMORY_MS)),
            (Key.NEW_LEADER, Until(From.OVER, imbalance_checks=3.0)),
        )
    ),
    Rule(
        "R28",
        "was_being_reassigned",
        REASSIGNED,
        CHANGES_OF_LEADER,
        Key.NAMED,
        "leader_left",
        0.7,
        Until(From.OVER, REASSIGNED_MS),
        by=("reassignment", "unknown"),
    ),
    Rule(
        "R28",
        "preferred_after_reassignment",
        REASSIGNED,
        CHANGES_OF_LEADER,
        Key.NAMED,
        "leader_left",
        0.7,
        Until(From.OVER, REASSIGNED_MS),
        by=("preferred",),
    ),
    # ISRs.
    Rule(
        "R4",
        "in_isr_when_session_ended",
        ("detected",),
        ("isr_shrink",),
        Key.NODE,
        MEMBER,
        0.9,
        Until(From.BEGIN, ISR_WRITTEN_MS),
        since_ms=0,
        while_open=True,
    ),
    Rule(
        "R4",
        "left_isr_as_stopped",
        ORDERED_STOPS,
        ("isr_shrink",),
        Key.NODE,
        MEMBER,
        0.8,
        Until(From.OVER, RECOVERED_MS),
        since_ms=-1_000,
    ),
    Rule(
        "R13",
        "left_isr_for_lag",
        _FELL_AWAY,
        ("isr_shrink",),
        Key.NODE_AND_PARTITION,
        MEMBER,
        0.8,
        Until(From.OVER, RECOVERED_MS, lags=1.5),  # the leader looks every half of the time that a follower may lag
        since_ms=-1_000,
    ),
    Rule(
        "R21",
        "left_isr_with_directory",
        DISKS,
        ("isr_shrink",),
        Key.NODE_AND_PARTITION,
        MEMBER,
        0.92,
        Until(From.BEGIN, CONTROLLER_WORKS_MS),
        since_ms=-1_000,
        while_open=True,
    ),
    Rule(
        "R3",
        "leader_was_away_itself",
        _STOPPED_SERVING,
        ("isr_shrink",),
        Key.LEADER,
        MEMBER,
        0.7,
        Until(From.OVER, WOKEN_MS),
        since_ms=-1_000,
        not_by=("controller",),
    ),
    Rule(
        "R3",
        "leader_lost_its_peer",
        ("link_cut",),
        ("isr_shrink",),
        Key.LEADER_AND_PARTITION,
        MEMBER,
        0.7,
        Until(From.OVER, WOKEN_MS),
        since_ms=-1_000,
    ),
    Rule(
        "R13",
        "could_not_fetch_damaged_records",
        ("records_damaged",),
        ("isr_shrink",),
        Key.LEADER_AND_PARTITION,
        MEMBER,
        0.8,
        Until(From.OVER, FOLLOWS_MS),
        since_ms=-1_000,
    ),
    Rule(
        "R28",
        "was_being_reassigned",
        REASSIGNED,
        ("isr_shrink",),
        Key.NAMED,
        MEMBER,
        0.7,
        Until(From.OVER, REASSIGNED_MS),
    ),
    Rule(
        "R29",
        "was_out_of_isr",
        ("isr_shrink",),
        ("unclean_election",),
        Key.MEMBER,
        "out_of_isr",
        1.0,
        Until(From.BEGIN, MEMORY_MS),
        later_epoch=True,
        latest=True,
    ),
    # Controllers.
    Rule(
        "R18",
        "was_active_controller",
        (*_SESSION_ENDS, *ORDERED_STOPS, *_DISTURBED, "fenced_alive", "zookeeper_lost"),
        ("controller_change",),
        Key.NODE,
        "controller_left",
        0.8,
        Until(From.OVER, CONTROLLER_MOVES_MS, sessions=1.0),
    ),
    # A voter that loses contact with the active controller calls an election; in ZooKeeper mode there are no such
    # voters.
    Rule(
        "R18",
        "was_active_controller",
        ("link_cut",),
        ("controller_change",),
        Key.NODE,
        "controller_left",
        0.6,
        Until(From.OVER, WOKEN_MS),
        by=("kraft",),
    ),
    # A voter that was away stands in a later Raft epoch when it is back, and a leader gives up for every later epoch.
    Rule(
        "R26",
        DEPOSED,
        (
            *_SESSION_ENDS,
            *ORDERED_STOPS,
            *_UNCLEAN_STOPS,
            *_but(_DISTURBED, "cut_from_zookeeper"),
            "fenced_alive",
            "link_cut",
        ),
        ("controller_change",),
        Key.CANDIDATE,
        "controller_left",
        0.9,
        Until(From.OVER, WOKEN_MS),
        of_another=True,
        latest=True,
    ),
    Rule(
        "R26",
        CALLED,
        _but(_DISTURBED, "cut_from_zookeeper"),
        ("controller_change",),
        Key.ALL,
        "controller_left",
        0.5,
        Until(From.OVER, WOKEN_MS),
        since_ms=1_000,
        of_another=True,
    ),
    # Logs and losses.
    Rule(
        "R10",
        "followed_its_leader",
        CHANGES_OF_LEADER,
        ("truncation",),
        Key.PARTITION,
        "followed",
        0.9,
        Until(From.BEGIN, MEMORY_MS),
        latest=True,
    ),
    Rule(
        "R22",
        "recovered_damaged_log",
        _but(stopping(Stops.STORING), *DISKS),
        ("recovery_cut",),
        Key.NODE,
        "damaged",
        0.8,
        Until(From.OVER, RECOVERY_MS),
        latest=True,
    ),
    Rule(  # a stop does not damage what the broker could no longer write
        "R22",
        "recovered_damaged_log",
        DISKS,
        ("recovery_cut",),
        Key.NODE,
        "damaged",
        0.85,
        Until(From.OVER, RECOVERY_MS),
        latest=True,
    ),
    Rule(
        "R29",
        "led_from_shorter_log",
        CHANGES_OF_LEADER,
        ("loss",),
        Key.LEADER_EPOCH,
        "lost",
        1.0,
        Until(From.BEGIN, MEMORY_MS),
        since_ms=-MEMORY_MS,
        not_by=("S5", "S6", STALE_LEADER, UNCOMMITTED_TAIL),
    ),
    Rule(
        "R29",
        "stored_what_successor_never_had",
        CHANGES_OF_LEADER,
        ("loss",),
        Key.LEADER_EPOCH,
        "lost",
        1.0,
        Until(From.BEGIN, MEMORY_MS),
        since_ms=-MEMORY_MS,
        by=(UNCOMMITTED_TAIL,),
    ),
    Rule(
        "R29",
        "wrote_on_after_election",
        CHANGES_OF_LEADER,
        ("loss",),
        Key.LEADER_EPOCH,
        "lost",
        1.0,
        Until(From.BEGIN, MEMORY_MS),
        since_ms=-MEMORY_MS,
        by=(STALE_LEADER,),
    ),
    Rule(
        "R22",
        "came_back_shorter",
        (*CRASHES, *_UNCLEAN_STOPS, "log_dirs_empty"),
        ("loss",),
        Key.NODE,
        "lost",
        0.8,
        Until(From.OVER, RECOVERY_MS),
        by=("S5",),
        latest=True,
    ),
    Rule(  # every member of the ISR stopped: the next leader has only the records that its disk kept
        "R22",
        "leads_with_what_its_disk_kept",
        (*CRASHES, *_UNCLEAN_STOPS, "log_dirs_empty"),
        ("loss",),
        Key.NODE,
        "lost",
        0.8,
        Until(From.OVER, RECOVERY_MS),
        effect_key=Key.NEW_LEADER,
        by=("S6",),
        latest=True,
    ),
    Rule(
        "R15",
        "too_few_in_sync",
        ("isr_shrink",),
        ("writes_refused",),
        Key.PARTITION,
        "too_few_in_sync",
        0.9,
        Until(From.OVER, 1_000),
        since_ms=-3_000,
    ),
    Rule(  # members that had left before and were not back: with them, the ISR would have had more members
        "R15",
        LEFT_BEFORE,
        ("isr_shrink",),
        ("writes_refused",),
        Key.PARTITION,
        LEFT_BEFORE,
        0.8,
        Until(From.FULL),
        since_ms=0,
        jointly=True,
    ),
    # Faults that follow from faults.
    *(
        Rule(
            follows.rule,
            follows.reason,
            follows.causes,
            (kind.name,),
            Key.ALL if of_cluster else Key.NODE,
            "fault",
            0.8,
            Until(From.OVER, 0 if of_cluster else FOLLOWS_MS),
            since_ms=-CLOCKS_DIFFER_MS if kind.name == "slow_follower" else 0,
        )
        for kind in KINDS
        for follows in kind.follows
        for of_cluster in [set(follows.causes) <= set(OF_CLUSTER)]
    ),
    # A node that cannot learn the quorum's leader from any voter.
    *(
        Rule(
            "R17",
            reason,
            (cause,),
            ("controllers_unreached",),
            Key.NODE,
            "fault",
            confidence,
            Until(From.OVER, 0),
            since_ms=0,
        )
        for reason, cause, confidence in (
            ("did_not_know_who_leads", "static_voters_differ", 0.8),
            ("voters_of_another_cluster", "disk_refused", 0.9),
        )
    ),
    Rule(
        "R26",
        NO_MAJORITY,
        (*_but(stopping(Stops.VOTING), "fenced_alive", "controller_overloaded"), "link_cut"),
        ("quorum_lost",),
        Key.ALL,
        "fault",
        0.6,
        Until(From.OVER, FOLLOWS_MS),
        jointly=True,
    ),
    Rule(
        "R26",
        "no_majority_answered",
        ("quorum_lost",),
        ("fenced_alive",),
        Key.ALL,
        "fault",
        0.8,
        Until(From.OVER, WOKEN_MS),
        since_ms=0,
    ),
    Rule(
        "R2",
        "controller_did_not_keep_up",
        ("controller_overloaded",),
        ("fenced_alive", "quorum_lost"),
        Key.ALL,
        "fault",
        0.8,
        Until(From.OVER, WOKEN_MS),
        since_ms=0,
    ),
    Rule(
        "R15",
        "marker_had_no_leader",
        _but(stopping(Stops.SERVING | Stops.STORING), "link_cut"),
        ("transaction_end_not_written",),
        Key.ALL,
        "fault",
        0.5,
        Until(From.OVER, FOLLOWS_MS),
        since_ms=0,
    ),
    *(
        Rule(
            "R3",
            reason,
            causes,
            ("isr_updates_refused",),
            Key.ALL,
            "fault",
            0.6,
            Until(From.BEGIN, FOLLOWS_MS),
            since_ms=0,
            of_another=True,
        )
        for reason, causes in (
            ("both_dropped_it", ("paused", "silent", *CRASHES, "cut_from_controllers", "cut_from_zookeeper")),
            ("changed_for_its_stop", ORDERED_STOPS),
        )
    ),
)

# Kinds that look alike if the deciding line is missing (facts §5.1), each pair in alphabetical order.
INDISTINGUISHABLE = (
    ("cut_from_controllers", "fenced_alive"),
    ("cut_from_controllers", "paused"),
    ("cut_from_peers", "paused"),
    ("cut_from_peers", "slow_follower"),
    ("cut_from_zookeeper", "paused"),
    ("killed", "silent"),
    ("link_cut", "slow_follower"),
    ("paused", "silent"),
    ("paused", "slow_follower"),
)
