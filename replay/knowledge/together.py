"""What several lines mean only together, and which lines make others unnecessary or harmless."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from replay.knowledge.analyzed import Findings
from replay.knowledge.answer import ExplainedMessage
from replay.knowledge.choosing import WARN, Read
from replay.knowledge.controlling import (
    LEADER_NOT_LISTENING_YET,
    NOT_LISTENING_YET,
    OTHERS_NOT_UP_YET,
    OWN_LISTENER_NOT_OPEN,
    PEER_STARTING,
    QUORUM_LEADER_STOPPING,
)
from replay.knowledge.fetching import KEEPS_ITS_LOG, PARTITION_LEFT_BY_A_STOP, WAITS_FOR_EPOCH
from replay.knowledge.meaning import HARMLESS, PASSING, STOPPED, TROUBLE, Meaning
from replay.knowledge.naming import writer
from replay.knowledge.text_lines import Line, clock_time
from replay.lists import listed
from replay.reading.pasted import OTHERS, UNKNOWN

_SOON = timedelta(seconds=10)
_BEGINS_TO_STOP = ("Beginning graceful shutdown", "Starting controlled shutdown")
_STARTING = timedelta(seconds=30)
_START = re.compile(
    r"^(?:\[\w+ id=\d+\] )?(?:Starting (?:controller|broker|SharedServer)|starting$)|^Registered `?kafka:type=kafka.Log4jController"
)
_CANCELLED = re.compile(
    r"Cancelled in-flight \w{1,40} request .{0,60}due to node (\d{1,9}) being .{0,90}since send: (\d{1,9})ms"
)
_ANSWERS_AFTER = timedelta(seconds=5)  # after its first line, for a process that is not a broker
_JOINS = ("broker_unfenced", "broker_registered_zk")
_AT_ONCE = 3  # lines within which a rejection of an ISR change follows
_LOADS = 10  # lines within which the loading of a directory is reported
_NEAR = timedelta(seconds=60)
_MANY_ELECTIONS = 3
_EPOCH_OF_STATE = re.compile(r"\bepoch=(\d+)")
_LEADER_OF_STATE = re.compile(r"leaderId=(?:OptionalInt\[)?(\d+)|^Leader(?:State)?\(localId=(\d+)")
_ZOOKEEPER_SERVES = ("zookeeper_session_established", "zookeeper_session_renewed", "zookeeper_user_error")
_AT_ONE_TIME = timedelta(seconds=1)
_MOST_STOPS = 4
_FEW = 500  # with more lines, the analysis distinguishes a stall from a lost connection
_WITHOUT_A_LEADER = ("quorum-election", "quorum-without-leader", "quorum-pre-vote")
_CANNOT_REACH = ("controller-cannot-reach-broker", "node-unreachable")
_BAD_BYTES = ("corrupt-fetch", "log-start-above-hw")


@dataclass(frozen=True)
class _Later:
    """What the lines of all files show that settles other lines."""

    came: Mapping[str, Sequence[datetime | None]]
    connected: Mapping[str, Sequence[datetime | None]]
    settled: Mapping[str, int]
    starts: Mapping[str, Sequence[datetime]]
    fenced: Mapping[tuple[str, str], int]
    started: Mapping[tuple[str, str], int]
    loaded_none: Mapping[str, Sequence[int]]
    not_taken: Collection[tuple[str, str]]
    not_registered: Mapping[str, int]
    led: Mapping[str, Sequence[datetime]]
    elected_soon: Collection[str]
    stopping: Mapping[str, Sequence[datetime]]
    unreachable_long: Collection[tuple[str, str]]
    failed_directories: Collection[tuple[str, str]]
    sent_to_a_start: Collection[str]


def downgraded(read: Sequence[Read], found: Findings) -> list[Read]:
    """`read` without the lines that other lines settle, or with a lighter meaning for them.

    Harmless are: a controller's failed connection to a broker that has just started or is connected soon after, or
    to the broker of its own process during its start; a request to a process that had just started; an election of a
    quorum that soon had a leader. A wait for ZooKeeper is nothing after a connection; a refused connection to it is
    transient if a session follows; a rejected ISR change did not happen; a quorum leader that is being stopped
    resigns; a directory with a logged failure needs no other line that it is offline; a partition that waits for a
    new leader epoch has not failed. Consequences of an analysis's findings (`found`) stay unchanged.
    """
    led = _led(read)
    later = _Later(
        _brokers_that_came(read),
        _connected(read),
        _settled(read),
        _starts(read),
        _fenced(read),
        _started_again(read),
        _loaded_none(read),
        _not_taken(read),
        {one.line.source: one.line.number for one in read if one.means("zk-ephemeral")},
        led,
        _elected_soon(read, led),
        _stopping(read),
        _unreachable_long(read),
        _failed_directories(read),
        _sent_to_a_start(read),
    )
    lower = (
        _downgraded(one, one.wording, later, found.explaining(one) is not None) if one.wording is not None else one
        for one in read
    )
    kept = [_harmless_if_started_again(one, later, found) for one in lower if one is not None]
    return _without_first_starts(kept, found)


def _without_first_starts(read: Sequence[Read], found: Findings) -> list[Read]:
    """`read` with a harmless meaning for transient problems before the node's broker first joined the cluster:
    nothing depended on it yet.
    """
    starts, joined = _times_of_nodes(read)
    began: dict[str, datetime] = {}
    for one in read:
        if one.line.ts is not None:
            node = str(writer(one.line))
            began[node] = min(one.line.ts, began.get(node, one.line.ts))
    first = {
        node: min(joined[node])
        for node, times in starts.items()
        if joined[node] and min(times) - began[node] <= _AT_ONE_TIME
    }

    def lighter(one: Read) -> Read:
        ts, until = one.line.ts, first.get(str(writer(one.line)))
        if ts is None or until is None or ts >= until or one.wording is None:
            return one
        if any(meaning.weight != PASSING for meaning in (one.wording, one.cause) if meaning is not None):
            return one
        if found.explaining(one) is not None:
            return one
        key, heals = f"{one.wording.key}-at-first-start", f"yes: its broker joined the cluster at {until:%H:%M:%S}"
        return replace(one, wording=replace(one.wording, key=key, weight=HARMLESS, heals=heals))

    return [lighter(one) for one in read]


def _harmless_if_started_again(one: Read, later: _Later, found: Findings) -> Read:
    """`one` as harmless if it is a follower that waited for a new leader epoch and then went on, unless a finding
    explains it.
    """
    if one.means(WAITS_FOR_EPOCH.key) and _was_started_again(one, later) and found.explaining(one) is None:
        return replace(one, wording=replace(WAITS_FOR_EPOCH, weight=HARMLESS))
    return one


def _downgraded(one: Read, wording: Meaning, later: _Later, is_explained: bool) -> Read | None:
    """`one` with a lighter meaning if other lines settle it; None if nothing remains of it."""
    connected_later = one.line.number < later.settled.get(one.line.source, 0)
    if wording.key == "zk-waiting" and connected_later:
        return None
    if (
        wording.key in ("zk-refused", "zk-unreachable", "zk-no-answer", "zk-closed-before-a-session")
        and connected_later
    ):
        return replace(
            one, wording=replace(wording, weight=PASSING, heals="yes: it is connected again later in this log")
        )
    if wording.key in _CANNOT_REACH and not is_explained and _is_itself(one, later):
        settled = _soon(one, later.came, later.connected) or _just_started(one, later.starts)
        return replace(one, wording=replace(OWN_LISTENER_NOT_OPEN, weight=HARMLESS if settled else PASSING), cause=None)
    if wording.key == "controller-cannot-reach-broker" and not is_explained and _soon(one, later.came, later.connected):
        return replace(one, wording=NOT_LISTENING_YET, cause=None)
    if wording.key == "node-unreachable" and not is_explained and _just_started(one, later.starts):
        return replace(one, wording=OTHERS_NOT_UP_YET, cause=None)
    if one.line.where in later.sent_to_a_start:
        return replace(one, wording=PEER_STARTING)
    if _could_not_connect_to_its_leader(one) and not is_explained and _soon(one, later.came):
        return replace(one, wording=LEADER_NOT_LISTENING_YET, cause=None)
    if wording.key == "log-dir-offline" and not is_explained and _of_a_directory(one) in later.failed_directories:
        return None
    if wording.key == "reset-to-leader-start" and _keeps_its_log(one):
        return replace(one, wording=KEEPS_ITS_LOG)
    if wording.key == "partition-failed":
        if _was_stopping(one, later.stopping) and not _was_fenced(one, later):
            return replace(one, wording=PARTITION_LEFT_BY_A_STOP)
        return replace(one, wording=_partition_failed(one, wording, later))
    if wording.key == "no-clean-marker" and _is_empty(one, later):
        return None
    if wording.key == "isr-shrunk" and _was_not_taken(one, later):
        return None
    if wording.key == "raft-no-voters" and _was_elected_later(one, later.led):
        return None
    if wording.key == "quorum-leader-stepped-down" and _was_stopping(one, later.stopping):
        return replace(one, wording=QUORUM_LEADER_STOPPING)
    if wording.key in _WITHOUT_A_LEADER and one.line.where in later.elected_soon:
        return None
    if wording.key == "zk-expired" and later.not_registered.get(one.line.source, 0) > one.line.number:
        return replace(one, wording=replace(wording, weight=STOPPED, heals="no: it could not register again"))
    return one


def _could_not_connect_to_its_leader(one: Read) -> bool:
    return _keys(one) == ("fetch-failed", "connection-failed")


def _of_a_directory(one: Read) -> tuple[str, str]:
    return one.values["me"], one.values.get("dir", "")


def _failed_directories(read: Iterable[Read]) -> set[tuple[str, str]]:
    """The directories whose failure a line reports; lines that such a directory is offline add nothing."""
    return {_of_a_directory(one) for one in read if one.means("log-dir-failed") and "dir" in one.values}


def _is_itself(one: Read, later: _Later) -> bool:
    """Whether the peer is the writer's own node that does not listen yet, for no longer than a start takes."""
    peer = one.values.get("peer_id", "")
    only_not_there = one.cause is None or one.cause.key in ("connection-failed", "connection-refused")
    return bool(one.values.get("itself")) and only_not_there and (one.line.source, peer) not in later.unreachable_long


def _unreachable_long(read: Iterable[Read]) -> set[tuple[str, str]]:
    """The files and peers whose failed connections span more time than a start takes."""
    times: dict[tuple[str, str], list[datetime]] = defaultdict(list)
    for one in read:
        if one.wording is not None and one.wording.key in _CANNOT_REACH and one.line.ts is not None:
            times[one.line.source, one.values.get("peer_id", "")].append(one.line.ts)
    return {peer for peer, tried in times.items() if max(tried) - min(tried) > _STARTING}


def _was_elected_later(one: Read, led: Mapping[str, Sequence[datetime]]) -> bool:
    """Whether the quorum had a leader at some later time, according to the line's file."""
    return one.line.ts is not None and any(elected >= one.line.ts for elected in led.get(one.line.source, ()))


def _elected_soon(read: Iterable[Read], led: Mapping[str, Sequence[datetime]]) -> set[str]:
    """The locations of lines about a quorum without a leader, if it had one soon after the first of them. After a
    leader's fetch timeout, every retry until the next leader stays reported.
    """
    until: dict[tuple[str, str, datetime], list[Line]] = defaultdict(list)
    for one in read:
        line = one.line
        if one.wording is None or one.wording.key not in _WITHOUT_A_LEADER or line.ts is None:
            continue
        elections = led.get(line.source, ())
        at = bisect_left(elections, line.ts)
        if at < len(elections):
            until[one.wording.key, line.source, elections[at]].append(line)
    return {
        line.where
        for (_, _, elected), lines in until.items()
        if elected - min(line.ts for line in lines if line.ts is not None) <= _SOON
        and not any("fetch timeout" in line.message for line in lines)
        for line in lines
    }


def _led(read: Iterable[Read]) -> dict[str, list[datetime]]:
    """The times at which the quorum had a leader, by file."""
    led: dict[str, list[datetime]] = defaultdict(list)
    for one in read:
        if one.line.ts is not None and re.search(r"Completed transition to (?:Leader|Follower)", one.line.message):
            led[one.line.source].append(one.line.ts)
    for times in led.values():
        times.sort()
    return led


def _was_stopping(one: Read, stopping: Mapping[str, Sequence[datetime]]) -> bool:
    """Whether the node had begun to stop: a quorum leader that is stopped first resigns."""
    ts = one.line.ts
    return ts is not None and any(timedelta(0) <= ts - began <= _SOON for began in stopping.get(one.line.source, ()))


def _stopping(read: Iterable[Read]) -> dict[str, list[datetime]]:
    """When the metadata quorum's client or the broker began to stop, by file."""
    began: dict[str, list[datetime]] = defaultdict(list)
    for one in read:
        if one.line.ts is not None and any(text in one.line.message for text in _BEGINS_TO_STOP):
            began[one.line.source].append(one.line.ts)
    return began


def _keeps_its_log(one: Read) -> bool:
    """Whether the follower keeps its log: since 0.9 it discards the log only if the leader's log starts after the
    follower's log end.
    """
    end, start = one.values.get("log_end_offset", ""), one.values.get("leader_start_offset", "")
    return end.isdecimal() and start.isdecimal() and int(end) > int(start)


def _was_not_taken(one: Read, later: _Later) -> bool:
    return (one.line.source, one.values.get("tp", "")) in later.not_taken


def _not_taken(read: Iterable[Read]) -> set[tuple[str, str]]:
    """The files and partitions in which every ISR change was rejected before the leader began the next one. The message
    about the rejection covers these changes. If one change was accepted, the answer lists all changes.
    """
    refused, begun = defaultdict[tuple[str, str], list[int]](list), defaultdict[tuple[str, str], list[int]](list)
    for one in read:
        place = one.line.source, one.values.get("tp", "")
        if one.means("isr-stale-version"):
            refused[place].append(one.line.number)
        elif one.means("isr-shrunk"):
            begun[place].append(one.line.number)
    return {place for place, lines in refused.items() if _is_each_followed(sorted(begun[place]), sorted(lines))}


def _is_each_followed(begun: Sequence[int], refused: Sequence[int]) -> bool:
    """Whether a rejection stands between each change and the next, or soon after the last."""
    ends = [*begun[1:], begun[-1] + _AT_ONCE + 1] if begun else []
    return all(any(at < number < end for number in refused) for at, end in zip(begun, ends, strict=True))


def _is_empty(one: Read, later: _Later) -> bool:
    """Whether the directory held no log and is therefore new."""
    return any(0 < number - one.line.number <= _LOADS for number in later.loaded_none.get(one.line.source, ()))


def _was_started_again(one: Read, later: _Later) -> bool:
    return later.started.get((one.line.source, one.values.get("tp", "")), 0) > one.line.number


def _was_fenced(one: Read, later: _Later) -> bool:
    """Whether the follower had already learned that its leader epoch for this partition was old."""
    return later.fenced.get((one.line.source, one.values.get("tp", "")), one.line.number) < one.line.number


def _partition_failed(one: Read, wording: Meaning, later: _Later) -> Meaning:
    if _was_fenced(one, later):
        return WAITS_FOR_EPOCH
    if _was_started_again(one, later):
        return replace(wording, weight=TROUBLE, heals="yes: it was started again later in this log")
    return wording


def _starts(read: Iterable[Read]) -> dict[str, list[datetime]]:
    """When processes began, by file."""
    starts: dict[str, list[datetime]] = defaultdict(list)
    for one in read:
        if one.line.ts is not None and _START.search(one.line.message):
            starts[one.line.source].append(one.line.ts)
    return starts


def _just_started(one: Read, starts: Mapping[str, Sequence[datetime]]) -> bool:
    ts = one.line.ts
    return ts is not None and any(timedelta(0) <= ts - start <= _STARTING for start in starts.get(one.line.source, ()))


def _sent_to_a_start(read: Sequence[Read]) -> set[str]:
    """The locations of lines about unanswered requests to a process that had just started: a broker that had not
    joined the cluster yet.
    """
    starts, joined = _times_of_nodes(read)
    sent: dict[tuple[str, str], list[tuple[datetime, datetime]]] = defaultdict(list)
    for one in read:
        found = _CANCELLED.search(one.line.message) if one.line.ts is not None else None
        if found is not None and one.line.ts is not None:
            sent_at = one.line.ts - timedelta(milliseconds=int(found[2]))
            sent[one.line.source, found[1]].append((one.line.ts, sent_at))

    def is_to_a_start(one: Read, ts: datetime, peer: str) -> bool:
        at = min(
            (sent_at for when, sent_at in sent[one.line.source, peer] if abs(when - ts) <= _AT_ONE_TIME), default=ts
        )
        start = max((start for start in starts[peer] if start <= at), default=None)
        if start is None or at == ts:
            return False
        return at < min((when for when in joined[peer] if when >= start), default=start + _ANSWERS_AFTER)

    return {
        one.line.where
        for one in read
        if one.means("peer-silent") and one.line.ts is not None
        if is_to_a_start(one, one.line.ts, one.values.get("peer_id", ""))
    }


def _times_of_nodes(read: Iterable[Read]) -> tuple[dict[str, list[datetime]], dict[str, list[datetime]]]:
    """When the processes of each node began, and when each broker joined the cluster."""
    starts: dict[str, list[datetime]] = defaultdict(list)
    joined: dict[str, list[datetime]] = defaultdict(list)
    for one in read:
        if one.line.ts is not None and _START.search(one.line.message):
            starts[str(writer(one.line))].append(one.line.ts)
        if one.line.ts is not None and one.line.kind in _JOINS:
            joined[str(writer(one.line))].append(one.line.ts)
    return starts, joined


def _fenced(read: Iterable[Read]) -> dict[tuple[str, str], int]:
    """The first line that shows that a follower's leader epoch was old, by file and partition."""
    first: dict[tuple[str, str], int] = {}
    for one in read:
        found = re.search(r"Partition (\S+) has an older epoch \(\d+\) than the current leader", one.line.message)
        if found:
            first.setdefault((one.line.source, found.group(1)), one.line.number)
    return first


def _started_again(read: Iterable[Read]) -> dict[tuple[str, str], int]:
    """The last line that shows a partition becoming a follower or a leader, by file and partition."""
    last: dict[tuple[str, str], int] = {}
    for one in read:
        message = one.line.message
        if any(sign in message for sign in ("Added fetcher", "starts at leader epoch", "Follower ", "Leader ")):
            for partition in re.findall(r"([A-Za-z_][\w.-]{0,249}-\d{1,10})\b", message):
                last[one.line.source, partition] = one.line.number
    return last


def _settled(read: Iterable[Read]) -> dict[str, int]:
    """The last line that shows a ZooKeeper session, at the broker or in ZooKeeper's own log, by file."""
    return {
        one.line.source: one.line.number
        for one in read
        if one.line.kind in _ZOOKEEPER_SERVES
        or re.search(r"Session establishment complete|\[ZooKeeperClient[^\]]{0,200}\] Connected", one.line.message)
    }


def _loaded_none(read: Iterable[Read]) -> dict[str, list[int]]:
    """The lines that report a directory without logs, by file."""
    lines: dict[str, list[int]] = defaultdict(list)
    for one in read:
        if one.line.message.startswith(("Loaded 0 logs", "Logs loading complete in 0 ms", "Found no existing logs")):
            lines[one.line.source].append(one.line.number)
    return lines


def _soon(one: Read, *times_by_broker: Mapping[str, Sequence[datetime | None]]) -> bool:
    peer = one.values.get("peer_id") or one.values.get("broker_id") or ""
    times = [ts for by_broker in times_by_broker for ts in by_broker.get(peer, ())]
    return any(one.line.ts is None or ts is None or abs(ts - one.line.ts) <= _SOON for ts in times)


def _brokers_that_came(read: Iterable[Read]) -> dict[str, list[datetime | None]]:
    came: dict[str, list[datetime | None]] = defaultdict(list)
    for one in read:
        found = re.search(
            r"New broker startup callback for (?P<ids>[\d,]+)|Newly added brokers: (?P<added>\d[\d,]*)",
            one.line.message,
        )
        for broker in (found["ids"] or found["added"]).split(",") if found else ():
            came[broker].append(one.line.ts)
    return came


def _connected(read: Iterable[Read]) -> dict[str, list[datetime | None]]:
    connected: dict[str, list[datetime | None]] = defaultdict(list)
    for one in read:
        found = re.search(r"Controller \d+ connected to \S+ \(id: (\d+)", one.line.message)
        if found:
            connected[found.group(1)].append(one.line.ts)
    return connected


def together(read: Sequence[Read], reports_stops: bool = True) -> Iterator[str]:
    """Sentences about several lines. `reports_stops` is false if an analysis reports stops, leaders and controllers
    itself.
    """
    yield from _bad_bytes(read)
    yield from _metadata_differ(read)
    yield from _two_processes(read)
    yield from _rebalances(read)
    yield from _loopback(read)
    if reports_stops:
        yield from _hanging_leader(read)
        yield from list(dict.fromkeys(_stops(read)))[:_MOST_STOPS]
        yield from _moved_leaders(read)
        yield from _controller(read)
        yield from _fenced_at_once(read)
        yield from _elections(read)


def _keys(one: Read) -> tuple[str | None, str | None]:
    return (one.wording.key if one.wording else None, one.cause.key if one.cause else None)


def _bad_bytes(read: Sequence[Read]) -> Iterator[str]:
    by_follower: dict[str, list[Read]] = defaultdict(list)
    for one in read:
        if set(_keys(one)) & set(_BAD_BYTES) and "leader_id" in one.values:
            by_follower[one.values["me"]].append(one)
    for me, theirs in by_follower.items():
        leaders = list(dict.fromkeys(one.values["leader_id"] for one in theirs))
        if len(leaders) < 2:
            continue
        failed = list(
            dict.fromkeys(
                one.values["tp"]
                for one in read
                if _keys(one)[0] == "partition-failed" and one.values["me"] == me and "tp" in one.values
            )
        )
        known = (
            f" Of the partitions only {', '.join(failed)} is marked as failed: it is no longer copied; check its ISR."
            if failed
            else ""
        )
        yield (
            f"{me.capitalize()} got bytes that cannot be right from {_count(len(leaders))} different leaders ({', '.join(leaders)}): "
            f"damage on the way to {me}, or in its own memory or network card, is likelier than {len(leaders)} bad leaders.{known}"
        )


def _count(number: int) -> str:
    return {2: "two", 3: "three", 4: "four", 5: "five"}.get(number, str(number))


def _hanging_leader(read: Sequence[Read]) -> Iterator[str]:
    if len(read) > _FEW or any(_keys(one)[0] in ("zk-expired", "ordered-stop") for one in read):
        return
    gone = [one for one in read if _keys(one)[0] == "client-gone"]
    lost = [one for one in read if "disconnected-before-answer" in _keys(one) and "peer_id" in one.values]
    if len(gone) < 2:
        return
    for peer in dict.fromkeys(one.values["peer_id"] for one in lost):
        if not any(
            g.line.ts and one.line.ts and abs(g.line.ts - one.line.ts) <= _NEAR
            for g in gone
            for one in lost
            if one.values["peer_id"] == peer
        ):
            continue
        followers = list(dict.fromkeys(one.values["me"] for one in lost if one.values["peer_id"] == peer))
        yield (
            f"Broker {peer} is probably alive but stopped responding for a while: {len(gone)} responses could not be "
            f"delivered because the clients had given up waiting, and {', '.join(followers)} lost its fetch "
            "connection to it. That is a stall (threads that wait for one another, a long garbage collection, a "
            f"slow disk), not a stop: take a thread dump of broker {peer} before you restart it. These lines do not "
            "show whether an ISR changed."
        )


def _metadata_differ(read: Sequence[Read]) -> Iterator[str]:
    asked = [one for one in read if _keys(one) == ("fetch-refused", "unknown-topic")]
    unknown = [one for one in read if _keys(one)[0] == "follower-unknown-partition"]
    if asked and unknown:
        one = asked[0]
        yield (
            f"The metadata of the brokers differs: {unknown[0].values['me']} does not have "
            f"{unknown[0].values.get('tp', 'a partition')} that a follower copies from it, and broker "
            f"{one.values.get('leader_id', '…')} does not host {one.values.get('tp', 'a partition')} that a follower "
            "requests from it. That happens when topics or partitions were edited manually in ZooKeeper, or a "
            "broker came back with an old state. Both lines repeat until it is fixed: watch the disk of the logs."
        )


def _two_processes(read: Sequence[Read]) -> Iterator[str]:
    for one in read:
        if _keys(one)[1] == "start-lock-held":
            later = [
                other.line
                for other in read
                if other.line.source == one.line.source and other.line.number > one.line.number + 40
            ]
            if later:
                yield (
                    f"Two processes write {one.line.source}: a second start{_at(one.line)} could not get the lock of the log directory and ended; the first process continued."
                )
            return


def _at(line: Line) -> str:
    return f" at {clock_time(line.ts)}" if line.ts is not None else ""


def _stops(read: Sequence[Read]) -> Iterator[str]:
    """The result of an ordered stop."""
    ordered = [one for one in read if _keys(one)[0] == "ordered-stop"]
    for one in ordered:
        after = [
            other.line for other in read if other.line.source == one.line.source and other.line.number > one.line.number
        ]
        if any(
            re.search(
                r"shut down completed|shutdown completed \(kafka\.server\.(?:Kafka|Broker)Server",
                f"{line.message} ({line.logger})",
            )
            and re.search(r"KafkaServer|BrokerServer|SharedServer", line.logger or "")
            for line in after
        ):
            done = next(
                (line for line in after if "Controlled shutdown" in line.message and "succe" in line.message.lower()),
                None,
            )
            yield f"{one.values['me'].capitalize()} was asked to stop{_at(one.line)} and shut down cleanly{' (its leaders had been moved)' if done else ''}."
        elif any("Waiting until connected" in line.message or "Connection refused" in line.message for line in after):
            yield f"{one.values['me'].capitalize()} was asked to stop{_at(one.line)} and waits for ZooKeeper, which refuses connections: its controlled shutdown cannot continue until ZooKeeper is back. The end of the stop is not in these lines."
        elif after:
            yield f"{one.values['me'].capitalize()} was asked to stop{_at(one.line)}; the end of that stop is not in these lines."


def _moved_leaders(read: Sequence[Read]) -> Iterator[str]:
    moved = [
        (found, one)
        for one in read
        if (found := re.search(r"Partition (\S+) : current leader = (\d+), new leader = (\d+)", one.line.message))
    ]
    stopping = next(
        (one.values.get("stopping") for one in read if _keys(one)[0] == "ordered-shutdown-by-controller"), None
    )
    for found, _ in moved[:5]:
        yield f"{found.group(1)} was handed from leader {found.group(2)} to {found.group(3)}."
    if stopping is not None:
        yield f"Broker {stopping} was stopped in order: it asked the controller for a controlled shutdown, and its leaders moved to other brokers. Nothing was lost by it."


def _controller(read: Sequence[Read]) -> Iterator[str]:
    won = [
        (found, one)
        for one in read
        if (
            found := re.search(
                r"(?<!\d)(\d+) successfully elected as (?:the )?controller\. Epoch incremented to (\d+)",
                one.line.message,
            )
        )
    ]
    raced = [one for one in read if "was elected as controller instead of broker" in one.line.message]
    if len(won) == 1 and won[0][0].group(2) == "1" and raced:
        broker = won[0][0].group(1)
        yield f"Broker {broker} became the controller (epoch 1): at startup all brokers try to become controller, and one wins. Nothing is wrong."


def _elections(read: Sequence[Read]) -> Iterator[str]:
    """Epochs of the metadata quorum without a leader, as one node saw them."""
    by_node: dict[str, list[Read]] = defaultdict(list)
    for one in read:
        if one.line.kind == "raft_transition" and one.line.ts is not None:
            by_node[one.values["me"]].append(one)
    for me, theirs in by_node.items():
        run: list[tuple[int, datetime]] = []
        for one in theirs:
            state = one.values.get("state") or one.values.get("new_state") or ""
            epoch, leader = _EPOCH_OF_STATE.search(state), _LEADER_OF_STATE.search(state)
            if epoch and not leader and one.line.ts is not None:
                run.append((int(epoch[1]), one.line.ts))
                continue
            yield from _without_a_leader(me, run, one.line.ts, (leader[1] or leader[2]) if leader else None)
            run = []
        yield from _without_a_leader(me, run, None, None)


def _without_a_leader(
    me: str, run: Sequence[tuple[int, datetime]], until: datetime | None, leader: str | None
) -> Iterator[str]:
    epochs = sorted({epoch for epoch, _ in run})
    if len(epochs) < _MANY_ELECTIONS or epochs[0] == 0:  # a new quorum starts at 0
        return
    end = "the lines do not show a leader after that"
    if until is not None and leader is not None:
        end = f"then node {leader} led, {(until - run[0][1]).total_seconds():.1f} s after the first of them"
    yield (
        f"The metadata quorum held {len(epochs)} elections in a row without a leader (epochs {epochs[0]} to {epochs[-1]}), "
        f"as {me} saw it; {end}. Without a leader no metadata changes: no new leaders, ISRs or topics. Stored records are "
        "not affected. The logs of the controllers show why they did not agree (a pause, a slow disk, the network)."
    )


def _fenced_at_once(read: Sequence[Read]) -> Iterator[str]:
    """Brokers whose heartbeats one controller missed at the same time."""
    fenced = [(one.line.ts, one.values["fenced_id"]) for one in read if _keys(one)[0] == "fenced" and one.line.ts]
    at_once = {broker for ts, broker in fenced if abs(ts - fenced[0][0]) <= _AT_ONE_TIME}
    if len(at_once) > 1:
        yield (
            f"Brokers {listed(sorted(at_once, key=int))} were fenced within a second: the controller itself was "
            "paused or its network failed, or all of them were lost at one time (a rack, a power supply). A gap in "
            "the controller's own log, and the brokers' lines at that time, show which."
        )


def _rebalances(read: Sequence[Read]) -> Iterator[str]:
    """The groups that rebalanced often, the most frequent first."""
    begun: dict[str, list[tuple[int, Line]]] = defaultdict(list)
    stable: dict[str, list[tuple[int, Line]]] = defaultdict(list)
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    for one in read:
        message = one.line.message
        if found := _STABLE.search(message):
            stable[found["group"]].append((int(found["generation"]), one.line))
        elif found := _BEGINS.search(message):
            begun[found["group"]].append((int(found["generation"]), one.line))
            reason = next((why for why, pattern in _REASONS.items() if re.search(pattern, message)), "")
            reasons[found["group"]][reason] += 1
    groups = {group: max(begun[group], stable[group], key=len) for group in {**begun, **stable}}
    often = sorted((group for group in groups if _is_often(groups[group])), key=lambda group: -len(groups[group]))
    for group in often[:_MOST_GROUPS]:
        yield _rebalanced(group, groups[group], reasons[group])
    if len(often) > _MOST_GROUPS:
        yield f"{len(often) - _MOST_GROUPS} more groups rebalanced {_OFTEN} times or more."


_OFTEN = 10  # rebalances of one group
_ENDLESS = 1_000  # the generation of a group that rebalances again and again
_MOST_GROUPS = 5
_STABLE = re.compile(r"Stabilized group (?P<group>\S+) generation (?P<generation>\d{1,10})\b")
_BEGINS = re.compile(
    r"to rebalance group (?P<group>\S+) (?:in state \w+ )?with old generation (?P<generation>\d{1,10})\b"
)
# Why groups rebalance, by a text in the printed reason.
_REASONS = {
    "a member joined under a new id": r"Adding new member",
    "a member was dropped for missing heartbeats": r"expiration",
    "members left by themselves": r"(?i:LeaveGroup|leaving group)",
    "its leading member joined again by itself, as a client does whose subscription, or the partitions of its topics, changed": r"leader \S+ re-?joining",
    "a member changed what it asks for": r"Updating metadata",
}


def _is_often(theirs: Sequence[tuple[int, Line]]) -> bool:
    return len(theirs) >= _OFTEN or (len(theirs) > 1 and max(number for number, _ in theirs) >= _ENDLESS)


def _rebalanced(group: str, theirs: Sequence[tuple[int, Line]], reasons: Mapping[str, int]) -> str:
    numbers = [number for number, _ in theirs]
    first, last = theirs[0][1].ts, theirs[-1][1].ts
    span = f" from {first:%H:%M} to {last:%H:%M}" if first and last else ""
    why = "; ".join(
        f"{why} ({times} of {sum(reasons.values())} times)"
        for why, times in sorted(reasons.items(), key=lambda row: -row[1])
        if why
    )
    endless = (
        f" A generation of {max(numbers):,} means that it did so again and again before."
        if max(numbers) >= _ENDLESS
        else ""
    )
    return (
        f"Group {group} rebalanced {len(theirs)} times{span} (generation {min(numbers)} to {max(numbers)}): "
        f"{why or 'see the reasons in the lines'}.{endless} Its consumers stop each time. The brokers are not at fault: check the "
        "clients (do they subscribe, or leave and join again, for each poll? max.poll.interval.ms, static membership with "
        "group.instance.id)."
    )


def notes_on(lines: Sequence[Line], kafkas: Sequence[Line], brokers: Sequence[Line]) -> Iterator[str]:
    """What about the text itself limits the answer."""
    if kafkas and not brokers:
        programs = listed(sorted({line.program for line in kafkas}))
        yield f"These lines were printed by {programs}, not by a broker: they show the brokers from its point of view."
    elif len(kafkas) - len(brokers) > len(brokers):
        yield "Most of these lines are from a client, not from a broker."
    foreign = len(lines) - len(kafkas) - sum(line.kind in (UNKNOWN, OTHERS) for line in lines)
    if foreign and kafkas:
        are = "line is" if foreign == 1 else "lines are"
        yield f"{foreign:,} {are} of other services or of an application, and left aside."
    others = [line for line in lines if line.kind == OTHERS and line.severity < WARN]
    if others:
        writers = ", ".join(dict.fromkeys(line.writer for line in others))
        yield f"{len(others):,} {'line' if len(others) == 1 else 'lines'} of {writers} {'has' if len(others) == 1 else 'have'} no known relation to Kafka."
    if kafkas and all(line.ts is None for line in kafkas):
        has_clock = any(line.clock for line in kafkas)
        yield f"The lines have {'times without a date' if has_clock else 'no times'}: their order is that of the text."


def missing(
    messages: Sequence[ExplainedMessage],
    harmless: Sequence[ExplainedMessage],
    kafkas: Sequence[Line],
    here: Collection[str],
) -> Iterator[str]:
    """Commands that would clarify more; `here` are the ids of the nodes whose own lines are here."""
    if not messages and not harmless and kafkas and len(kafkas) <= _FEW:
        yield "if something was wrong at this time: server.log and controller.log of all nodes, from some minutes before: kafka-replay analyze DIR1 DIR2"
    if not messages:
        return
    if all(line.is_clients for line in kafkas):
        yield "server.log of the brokers that it names, for the same minutes"
        return
    if not any(line.message.startswith("Kafka version") for line in kafkas):
        yield "grep -h 'Kafka version' server.log*   # the release: which known bugs can be meant"
    peers = dict.fromkeys(str(node) for one in messages for node in one.nodes if str(node) not in here)
    for peer in list(peers)[:3]:
        yield f"server.log and controller.log of node {peer} of the same minutes: kafka-replay analyze DIR1 DIR2"
    heavy = [one for one in messages if one.weight != PASSING]
    if any(re.search(r"\bISR\b|replica|copied|copies", one.effect + one.says + one.next) for one in heavy):
        yield "kafka-topics.sh --bootstrap-server HOST:9092 --describe --under-replicated-partitions"
    if not any(line.severity == 2 for line in kafkas):
        yield "the INFO lines around these: the complete server.log and controller.log, not only the result of grep ERROR"


_OF_A_BOOTSTRAP = re.compile(
    r"node_id=bootstrap[\w-]* host=(?P<host>[\w.-]+):\d+|[Bb]ootstrap broker (?P<host_2>[\w.-]+):\d+"
)
_TO_A_NODE = re.compile(
    r"node_id=(?P<node>\d+) host=(?P<host>[\w.:-]+?):(?P<port>\d+)|[Cc]onnection to node (?P<node_2>\d+) \((?P<host_2>[\w.-]+)(?:/[\w.:]+)?:(?P<port_2>\d+)\)"
)
_OWN_HOST = ("localhost", "127.0.0.1", "::1")


def _loopback(read: Sequence[Read]) -> Iterator[str]:
    """Sentences about clients that found the cluster under one name, but must reach a broker that advertises the
    client's own host.
    """
    first: dict[str, str] = {}
    found_before: set[str] = set()
    for one in read:
        if not one.line.is_clients:
            continue
        if found := _OF_A_BOOTSTRAP.search(one.line.message):
            first.setdefault(one.line.source, found["host"] or found["host_2"])
        there = first.get(one.line.source, "localhost")
        found = _TO_A_NODE.search(one.line.message)
        if found is None or there in _OWN_HOST or (found["host"] or found["host_2"]) not in _OWN_HOST:
            continue
        node, address = (
            found["node"] or found["node_2"],
            f"{found['host'] or found['host_2']}:{found['port'] or found['port_2']}",
        )
        if node not in found_before:
            found_before.add(node)
            yield (
                f"The client found the cluster at {there}, and broker {node} advertises {address}, which is the client's own host: "
                "unless the broker runs there too, the client cannot reach it. Give the listener that this client uses an "
                "address in advertised.listeners that resolves to the broker from the client's host."
            )
