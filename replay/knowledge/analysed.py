"""What an analysis found, as far as it explains lines: a node that was gone, a lost directory, an order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from replay.knowledge.choosing import Read
from replay.knowledge.meaning import HARMLESS, Meaning
from replay.knowledge.naming import nodes_named

# A node out of reach; a lost directory; a change that was asked for; a registration that was refused.
OUTAGE, DIRECTORY, CHANGE, REGISTRATION = "outage", "directory", "change", "registration"

_BEFORE = timedelta(seconds=3)
_GOES_ON = timedelta(seconds=5)  # a node that is back has found what it missed
_AFTER = timedelta(seconds=60)  # reconnects, elections and copies that come with its end


def _keys(names: str) -> frozenset[str]:
    """Keys of meanings."""
    return frozenset(names.split())


# What coordinators of groups and transactions say while leaders move or a node is out of reach.
_OF_COORDINATORS = _keys(
    """
    transaction-not-verified transaction-rollback-failed
    transaction-gone-meanwhile transaction-fence-not-written transaction-expiry-failed transactions-loaded-again
    coordinator-timer-write-failed group-write-failed group-empty-not-written group-member-not-written group-request-failed
    group-offsets-not-expired group-offsets-of-deleted-topic transaction-marker-not-written group-timer-late
    group-member-rejoins-empty group-rebalance-empty share-partition-not-loaded share-state-not-written
    share-timeout-not-written share-session-unknown share-partition-elsewhere share-fetch-failed share-begin-unknown
    share-persister-failed share-coordinator-asked-again share-coordinator-given-up share-coordinator-refused
    share-no-node share-coordinator-lookup share-state-not-pruned share-group-not-deleted share-offsets-not-told
    share-state-not-made share-state-not-cleaned
    coordinator-write-failed producer-ids producer-ids-not-known-yet
    """
)
# What nodes say of one that is gone, stands still or cannot be reached, and what it says itself when it is back.
_OF_AN_OUTAGE = (
    _keys(
        """
    node-unreachable bootstrap-unreachable controller-cannot-reach-broker controller-cannot-send controller-channel
    connection-trouble socket-closed-error fetch-failed fetch-refused epoch-request-failed epoch-request-retry
    offset-reset-failed partition-waits-for-epoch partition-failed leader-not-alive isr-shrunk isr-write-refused
    isr-stale-version orders-old brokers-gone fenced heartbeat-failed heartbeat-refused registration-failed
    start-id-duplicate-kraft zk-timeout zk-expired zk-disconnected zk-refused zk-unreachable zk-no-answer zk-lost-info zk-waiting
    zk-ephemeral zk-error zk-session-expired zk-connection-loss zk-cannot-open zk-server-connection zk-server-client-gone
    zk-bad-version kraft-lost-leadership kraft-not-controller kraft-event-failed kraft-renounced not-controller raft-error
    raft-append raft-shutdown controlled-shutdown-unanswered controlled-shutdown-retry controlled-shutdown-gave-up ordered-stop
    ordered-shutdown-by-controller no-clean-marker unclean-start log-cut-at-recovery index-rebuilt hw-backwards truncated-below-hw
    truncation-by-hw offset-out-of-range-reset reset-to-leader-start reset-to-leader-end epoch-cache-out-of-order
    controller-unclean unclean-election-info partition-election-failed controller-elections-skipped
    controller-event-failed controller-event-slow controller-race internal-topic-not-made not-enough-replicas produce-error
    coordinator-append-failed transaction-step-not-kept order-answered-with-error no-active-controller
    not-leader unknown-topic fenced-epoch stale-broker-epoch offset-out-of-range disconnected-before-answer
    connection-failed connection-refused connection-reset request-timeout no-route interrupted client-gone
    broker-not-listening-yet others-not-up-yet assign-dirs assign-dirs-refused metadata-fetch-warning event-queue io-error follower-not-assigned
    old-fetch-failure scheduler-task-failed shutdown-step follower-unknown-partition topic-id-differs client-closed
    other-exception controller-moved controller-registration-failed raft-hw-differs position-reset-without-cut
    unknown-server-error not-assigned-replica member-expired fetch-beyond-log client-no-metadata unknown-producer-id
    peer-silent quorum-election quorum-without-leader login-cut-off leader-not-moved coordinator-moved-while-loading coordinator-reloads
    coordinator-closed-already transaction-timed-out controller-moved-on coordinator-unknown no-replica-alive
    quorum-leader-stepped-down stale-heartbeats own-listener-not-open error-passed-over remote-metadata-read-again
    not-coordinator coordinator-loading coordinator-not-available unknown-member illegal-generation rebalance-in-progress
    fenced-member-epoch stale-member-epoch transaction-in-between transaction-coordinator-fenced fetch-session-gone
    share-session-gone share-state-fenced broker-not-registered
    """
    )
    | _OF_COORDINATORS
)
# Of these no line names the node that they follow from.
_OF_THE_CLUSTER = (
    _keys(
        """
    leader-not-alive hw-backwards truncated-below-hw truncation-by-hw offset-out-of-range-reset reset-to-leader-start
    reset-to-leader-end controller-unclean unclean-election-info partition-election-failed not-enough-replicas
    kraft-lost-leadership kraft-not-controller isr-write-refused isr-stale-version orders-old produce-error
    coordinator-append-failed transaction-step-not-kept order-answered-with-error no-active-controller
    partition-waits-for-epoch internal-topic-not-made raft-append raft-error controller-elections-skipped
    controller-event-failed controller-race fetch-refused metadata-fetch-warning kraft-event-failed old-fetch-failure client-gone assign-dirs
    follower-unknown-partition controller-moved controller-registration-failed raft-hw-differs
    member-expired fetch-beyond-log
    quorum-election quorum-without-leader leader-not-moved coordinator-moved-while-loading coordinator-reloads coordinator-closed-already
    transaction-timed-out controller-moved-on no-replica-alive quorum-leader-stepped-down not-coordinator
    coordinator-loading coordinator-not-available remote-metadata-read-again
    """
    )
    | _OF_COORDINATORS
)
# They follow from what befell the active controller, whom their line does not name either.
_OF_THE_CONTROLLER = _keys("heartbeat-failed")
_NAMES_NO_NODE = _OF_THE_CLUSTER | _OF_THE_CONTROLLER
_OF_A_DIRECTORY = _keys(
    """
    log-dir-failed log-dir-offline storage-exception disk-full disk-read-only disk-io-error checkpoint-not-written
    become-leader-or-follower-failed orders-failed no-log coordinator-no-log partition-failed fetch-process-error
    fetch-read-error scheduler-task-failed produce-error coordinator-append-failed log-close-error log-delete-error housekeeping
    not-leader fetch-refused io-error file-vanished truncation-failed cleaner-uncleanable interrupted
    no-clean-marker unclean-start log-cut-at-recovery index-rebuilt other-exception
    controller-heard-of-lost-directories describe-dirs-failed
    """
)
_OF_A_CHANGE = _keys(
    """
    fetch-refused fetch-topic-id unknown-topic not-leader follower-unknown-partition follower-not-assigned
    epoch-request-retry controller-elections-skipped log-delete-error topic-id-differs isr-write-refused
    hw-backwards partition-waits-for-epoch other-exception controller-moved
    topic-id-not-written
    """
)
_OF_A_REGISTRATION = _keys(
    "registration-failed start-id-duplicate-kraft start-id-registered start-failed other-exception"
)
# That a topic is not known follows from its deletion, not from a move of others.
_OF_A_TOPIC, _OF_TOPICS = _keys("fetch-topic-id topic-id-differs"), ("F19",)
_EXPLAINED = {
    OUTAGE: _OF_AN_OUTAGE,
    DIRECTORY: _OF_A_DIRECTORY,
    CHANGE: _OF_A_CHANGE,
    REGISTRATION: _OF_A_REGISTRATION,
}
# A broker that is told to stop does not make ZooKeeper refuse it.
_OF_ZOOKEEPER = _keys("zk-refused zk-unreachable zk-no-answer zk-waiting zk-cannot-open")
_OF_AN_UNCLEAN_END = _keys("no-clean-marker unclean-start log-cut-at-recovery index-rebuilt")


@dataclass(frozen=True)
class Found:
    """Something that an analysis found. `says` names it (`broker 2 crashed or was killed`), `code` is that of its finding; `node` is
    None where no one node is at fault; it lasted from `since` at the earliest to `until`, None if no line shows its end. `unclean`:
    its logs were not closed in order. `asked`: somebody told the node to stop. `led`: the node was the active controller.
    """

    says: str
    code: str
    sort: str
    node: int | None
    peers: tuple[int, ...]
    since: datetime
    until: datetime | None
    unclean: bool = False
    asked: bool = False
    led: bool = False

    @property
    def told(self) -> str:
        """`broker 2 crashed or was killed (F01, 05:37:34 to 05:38:18)`."""
        until = f" to {self.until:%H:%M:%S}" if self.until is not None else ""
        return f"{self.says} ({self.code}, {self.since:%H:%M:%S}{until})"

    def lasts_at(self, ts: datetime | None) -> bool:
        """Whether a node was gone then, or has just come back."""
        return self.sort == OUTAGE and (self.until is None or ts is None or ts <= self.until + _GOES_ON)

    def explains(self, one: Read) -> bool:
        """Whether what the record tells follows from it: at that time, of that node, of that sort."""
        ts = one.line.ts
        if ts is None or ts < self.since - _BEFORE or (self.until is not None and ts > self.until + _AFTER):
            return False
        meanings = _meanings(one)
        if all(meaning.weight == HARMLESS for meaning in meanings):
            return False
        keys = [meaning.key for meaning in meanings]
        if self.sort == CHANGE and keys[0] in _OF_A_TOPIC and self.code not in _OF_TOPICS:
            return False
        if not all(key in _EXPLAINED[self.sort] for key in keys):
            return False
        if self.sort == OUTAGE and keys == ["fetch-refused", "unknown-topic"] and one.values.get("fetch_offset") == "0":
            return False  # a log that is being made is asked for from its begin
        if self.asked and keys[0] in _OF_ZOOKEEPER:
            return False
        if self.sort == CHANGE or self.node is None:
            return True
        concerned = nodes_named(one.line, one.values)
        if self.sort == OUTAGE and keys[0] in _OF_AN_UNCLEAN_END:
            return self.unclean and self.node in concerned
        if self.sort in (DIRECTORY, REGISTRATION):
            return self.node in concerned
        if keys[0] in _OF_THE_CLUSTER or (self.led and keys[0] in _OF_THE_CONTROLLER):
            return True
        return self.node in concerned or bool(concerned & set(self.peers))


def _meanings(one: Read) -> list[Meaning]:
    return [meaning for meaning in (one.wording, one.cause) if meaning is not None]


def explaining(one: Read, found: Iterable[Found]) -> Found | None:
    """What explains the record: of several what befell a node that it names, then what began last; of a record that does not name
    what it follows from first what was not over yet. Null if nothing that was found does.
    """
    explains = [what for what in found if what.explains(one)]
    if len(explains) < 2:
        return explains[0] if explains else None
    concerned = nodes_named(one.line, one.values)
    names_none = _meanings(one)[0].key in _NAMES_NO_NODE
    return max(
        explains,
        key=lambda what: (names_none and what.lasts_at(one.line.ts), what.node in concerned, what.since),
    )
