"""Lines about one event from different processes, or from one process at different times: both sides of a refusal, a
stop and how others see it, a failure and the line that ends it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from replay.knowledge.choosing import Read
from replay.knowledge.connections import ZK_EXPIRED
from replay.knowledge.exceptions import START_HEAP_FOR_CLEANER
from replay.knowledge.meaning import ENDED, HARMLESS, PASSING, STOPPED, TROUBLE, Meaning
from replay.knowledge.naming import own
from replay.knowledge.narration import ids
from replay.knowledge.text_lines import Line, clock_time

_SEEN_WITHIN = timedelta(seconds=60)
_PUT_OUT_AGAIN = timedelta(minutes=10)
_IGNORED = re.compile(r"Ignoring no-op registration change for BrokerRegistration\(id=(\d{1,10}),")
_IGNORED_WITHIN = timedelta(seconds=1)

# The meaning of a client's line about a refusal, and the meanings of the broker's line about it.
SIDES: Mapping[str, tuple[str, ...]] = {
    "client-not-enough-replicas": ("not-enough-replicas",),
    "client-produce-error": ("not-leader", "message-too-large", "not-authorized"),
    "connect-send-failed": ("message-too-large", "not-enough-replicas"),
    "client-sequence-refused": ("out-of-order-sequence",),
    "client-topic-not-authorized": ("authorizer-denied",),
}
FENCED_AND_BACK = Meaning(
    "fenced-and-back",
    "Passed: the controller fenced broker {fenced_id} at {left} (no heartbeat came within its session) and took it back at {back}<, {away} later>.",
    "that broker or the network",
    PASSING,
    effect="Others led its partitions meanwhile, and it was in no ISR.",
    data="Records that other in-sync replicas held are safe.",
    heals="yes: it has, at {back}",
    next="See that broker's own log between these times: a pause (garbage collection, a stalled disk, a suspended machine), an end and a start, or a cut link. If it comes again and again, it is the same reason each time.",
)
STOP_SEEN = Meaning(
    "stop-seen-by-others",
    "Broker {gone} stopped in order<at {stopped}>, and others saw it go{seen}: one event.",
    "nobody, if the stop was meant",
    HARMLESS,
    data="Nothing is lost by an ordered stop: others led its partitions before it ended.",
    next="Nothing. Its end in ZooKeeper and at the controller follows from the stop.",
)
OF_A_STOP = Meaning(
    "client-of-a-stopping-broker",
    "{me} cannot connect to broker {stopping} any more: that broker is shutting down, as the lines before show.",
    "nobody, if the stop was meant",
    HARMLESS,
    effect="A client that runs inside of the broker (a metrics reporter, say) sends nothing more until the next start.",
    heals="with the next start of that broker",
    next="Nothing.",
)
ALL_CLOSED = Meaning(
    "rd-all-connections-closed",
    "A client (librdkafka) had no open connection for a moment<: {reason}>. Each was closed, and no line shows a failed attempt to connect again.",
    "nobody, as a rule",
    PASSING,
    effect="It connects again when it needs to.",
    data="Nothing stored in Kafka is touched.",
    heals="yes, with the next connection",
    next="Nothing, if it goes on sending or reading: brokers close what was idle for connections.max.idle.ms (10 minutes by default), load balancers and firewalls earlier. If messages fail at these times, see the brokers' logs.",
)
_NEVER_CONNECTED = (
    "rd-connect-failed",
    "rd-closed-soon",
    "rd-closed-at-first-request",
    "rd-login-refused",
    "rd-tls-failed",
    "rd-certificate-not-verified",
    "rd-timed-out",
    "rd-fatal",
    "rd-not-delivered",
)
NOTHING_CUT = Meaning(
    "truncation-without-effect",
    "Leader and follower could not compare their leader epochs of {tp|a partition}; there was nothing to truncate: the log ended there.",
    "nobody",
    HARMLESS,
    data="Nothing is lost: the next line of the log says that the truncation had no effect.",
    next="Nothing: it is so wherever a new or empty log follows its leader for the first time.",
)
FENCED_BEFORE = Meaning(
    "fenced-before",
    "A session of broker {fenced_id} timed out at the controller after that broker had been fenced: nothing changed.",
    "nobody",
    HARMLESS,
    data="This loses no data.",
    next="Nothing. A broker that stops in order is fenced before its session times out.",
)
NOT_MADE_YET = Meaning(
    "partition-not-created-yet",
    "{leader|The leader} refused the first fetches of {follower} for {tp|a partition}: a new partition is unknown until its leader has created it.",
    "nobody",
    HARMLESS,
    effect="The follower fetches again, until the leader has applied the controller's request.",
    data="Nothing was written to the partition before its leader had it.",
    next="Nothing.",
)
START_WITHOUT_ZOOKEEPER = Meaning(
    "start-without-zookeeper",
    "{me} did not start: ZooKeeper<at {address}> did not answer in time<; the broker gave up {ended}>.",
    "ZooKeeper, or the way to it",
    ENDED,
    effect="The process shuts down again by itself; it served nothing.",
    data="A start that fails does not touch stored records.",
    heals="with the next start, once ZooKeeper answers",
    next="Check that the ensemble runs and has a quorum (echo srvr | nc HOST 2181), zookeeper.connect (host, port, chroot), names, firewall and TLS; then start the broker again.",
)
FETCHER_STOP_WAITED = Meaning(
    "fetcher-stop-waited",
    "{me} stopped its fetcher from leader {leader} for {took}, until {ended}: a fetcher ends only after its open request.",
    "the leader that did not answer, or the network",
    PASSING,
    effect="A broker stops a fetcher while it applies new leaders. It applies no other leader or ISR until the fetcher has ended, so its partitions wait with their old ISRs.",
    data="This loses no data.",
    heals="yes: it has, at {ended}",
    next="Check broker {leader} and the network to it at this time. An unanswered request ends after replica.socket.timeout.ms.",
)
DEPOSED_BY_A_VOTER = Meaning(
    "quorum-leader-deposed-by-voter",
    "{me} led the metadata quorum in epoch {led} and resigned, because voter {candidate} requested votes in epoch {epoch}. It {decision} the vote.",
    "the voter that requested votes",
    PASSING,
    effect="Until another controller is elected, the metadata cannot change. Partitions that have a leader continue.",
    data="Committed metadata is not affected.",
    heals="yes, with the next election",
    next="Check why voter {candidate} had lost contact with the leader: a pause, or a cut link. A voter that calls elections alone returns with a higher epoch, and each leader steps down before it. From 4.0 on, voters hold a pre-vote first, which prevents this (KIP-996).",
)
ELECTIONS_IN_VAIN = Meaning(
    "quorum-elections-in-vain",
    "Node {candidate} requests votes for the metadata quorum in epoch {epoch}, but the last record in its log is of epoch {last}: {many} epochs went by without a leader that it heard of.",
    "the controllers, or the network between them",
    TROUBLE,
    effect="If no other node leads the quorum, the metadata cannot change and brokers cannot register or send heartbeats. If one does, only this node is cut off.",
    data="Committed metadata is not affected. Partitions that have a leader continue.",
    heals="no, while no node reaches a majority",
    next="Run kafka-metadata-quorum describe --status: if it names a leader, look at node {candidate} and its way to the others. Else see whether a majority of the voters runs and each reaches the others under the names in controller.quorum.voters (or the bootstrap servers), with one cluster id.",
)
PEER_GONE = Meaning(
    "peer-gone",
    "Broker {gone} stopped answering broker {seen_by}<at {time}>: its fetches failed, and broker {gone} left the ISR of {tps}.<{leads}>",
    "broker {gone}, or the network to it",
    TROUBLE,
    effect="These partitions have fewer copies in sync; with fewer than min.insync.replicas acks=all is refused.",
    data="This removes no record: the replicas that stay in the ISR hold all that is committed. Records are lost if the last of these fails, or if another one is elected.",
    heals="yes, when broker {gone} is back and has caught up",
    next="Read the log of broker {gone} at this time: did it end (a kill, a crash, no memory), stop in order, or stand still? If it ran on, check the network between the two.",
)
FIRST_START_WITH_ZOOKEEPER = Meaning(
    "first-start-with-zookeeper",
    "{me} started for the first time<, and was up at {up}>: its log directory was new ({sign}).<{waited}>",
    "nobody",
    HARMLESS,
    data="There was nothing to lose on this disk.",
    next="Nothing, for a new broker. If it had data before, it started with an empty or another volume: stop it and compare log.dirs and its mounts.",
)
CLOSED_AT_ONCE = Meaning(
    "closed-at-once",
    "The other side at {address} closed each connection of a client (kafka-python) as soon as it was open<({times} times)>: usual for a client without TLS at a port for TLS.",
    "a setting of the client",
    STOPPED,
    effect="The client learns nothing of the cluster; it ends with NoBrokersAvailable, or an unknown release.",
    data="Stored data is not affected.",
    heals="no",
    next="openssl s_client -connect {address} shows whether the port speaks TLS (on Amazon MSK 9094, 9096 and 9098 do). Then security_protocol='SSL', or 'SASL_SSL' with sasl_mechanism and the user, and ssl_cafile. A proxy or a limit of connections closes them at once, too: the broker's log of this minute decides.",
)
ADVERTISES_OWN_HOST = Meaning(
    "broker-advertises-own-host",
    "Broker {broker} advertises {address}: a client (Sarama) that asked {asked} goes to its own host for it.",
    "advertised.listeners of that broker",
    TROUBLE,
    effect="Unless that broker runs on the client's host, what the client sends to it or reads from it fails.",
    data="What the application could not send is not stored.",
    heals="no",
    next="Set advertised.listeners (KAFKA_ADVERTISED_LISTENERS) of broker {broker} to a name or address that its clients reach, and restart it.",
)
SESSION_LOST = Meaning(
    "zk-session-lost",
    "{me} lost its ZooKeeper session<{session}>: {how}<at {lost}><, it tried to connect again at {tried}>, and<at {expired}> the session had expired<: longer than its timeout of {timeout} ms>.<{stood}>",
    "ZooKeeper, the network, or a pause of this process",
    TROUBLE,
    effect=ZK_EXPIRED.effect,
    data=ZK_EXPIRED.data,
    heals=ZK_EXPIRED.heals,
    next="{what_to_do}",
)
_STOOD_STILL = timedelta(seconds=3)  # ZooKeeper's client connects again within a second or two
_LOSES_ZOOKEEPER = ("zk-timeout", "zk-lost-info", "zk-disconnected")
_CONNECTS_AGAIN = "Opening socket connection to server"
_HAS_A_SESSION = re.compile(
    r"Session establishment complete on server [^\n]{1,300}negotiated timeout = (?P<timeout>\d{1,9})"
)
_SESSION_ID = re.compile(r"session ?id:? ?(0x[0-9a-f]{3,16})|session (0x[0-9a-f]{3,16})", re.IGNORECASE)
ELECTION_OPEN = Meaning(
    "zk-election-open",
    "{server} looks for a leader<since {since}>, and no line shows that one was elected.<{votes}><{waits}><{empty}>",
    "the servers of ZooKeeper, or the network between them",
    PASSING,
    effect="Without a leader ZooKeeper serves no session: brokers cannot connect.",
    data="Stored data is not affected.",
    heals="yes, once more than half of the servers agree on one",
    next="During a start, for some seconds: nothing. Else see whether the other servers run and reach the election port of this one (3888 by default), and whether all have the same server list with their own addresses in it.",
)
_BEGINS_TO_LOOK = re.compile(
    r"LOOKING$|New election\. My id = {1,2}(?P<id>\d{1,10}), proposed zxid=(?P<zxid>0x[0-9a-f]{1,16})"
)
_ELECTION_IS_OVER = re.compile(r"(?:FOLLOWING|LEADING|OBSERVING)\b|Peer state changed: (?!looking)")
_VOTE_OF_A_SERVER = re.compile(
    r"Notification: [^\n]{0,300}?(?:LOOKING \(n\.state\), (?P<sid>\d{1,10}) \(n\.sid\)|n\.sid:(?P<sid_2>\d{1,10}), n\.state:LOOKING)"
)
_MANY_WAITS = 3
_VOTES_WITHIN = timedelta(seconds=1)
_FETCH_FAILS = ("fetch-failed", "node-unreachable", "epoch-request-failed")
_ONE_END = timedelta(seconds=60)
_NEW_DIRECTORY = re.compile(r"Log directory \S+ not found, creating it|No meta\.properties file under dir")
_HAS_LOGS = re.compile(r"Completed load of log|Found clean shutdown file|Loaded [1-9]\d* logs")
_UP = ("broker_started", "process_started")
_NOT_YET = ("zk-waiting", "zk-refused", "zk-unreachable", "zk-no-answer", "zk-closed-before-a-session")
_BROKER_CONNECTION = re.compile(
    r"^kafka-python: <BrokerConnection [^>]{0,300}?host=(?P<address>[^\s:>]{1,253}:\d{1,5}) [^\n]{0,300}?>: (?P<said>Connection complete|socket disconnected|Closing connection\. \w{0,40}: socket disconnected)"
)
_ASKED_BY_SARAMA = re.compile(
    r"client/metadata fetching metadata for [^\n]{1,2000} from broker (?P<address>\S{1,260}:\d{1,5})"
)
_LEARNED_BY_SARAMA = re.compile(
    r"client/brokers registered new broker #(?P<broker>\d{1,10}) at (?P<address>\S{1,260}:\d{1,5})"
)
_OWN_HOST = re.compile(r"(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[?::1\]?):")
_AT_ONCE = timedelta(seconds=1)
_LEFT_LEADERSHIP = re.compile(
    r"transition to \w{1,40}\((?:epoch|[^()]{0,400}?, epoch)=(\d+).{0,2000}? from Leader\w{0,20}\([^()]{0,1000}?\bepoch=(\d+)"
)
_CANDIDATE = re.compile(
    r"(?:candidate|replica)Epoch=(?P<epoch>\d{1,10}), (?:candidate|replica)Id=(?P<id>\d{1,10}),[^\n]{0,300}?lastOffsetEpoch=(?P<last>\d{1,10})"
)
_MANY_ELECTIONS = 20
_VOTE_REQUEST = re.compile(r"candidateEpoch=(\d+), candidateId=(\d+).{0,1000}? is (granted|rejected)")
# A fetcher stops within replica.fetch.wait.max.ms (0.5 s by default) if its leader answers.
_STOP_WAITED = timedelta(seconds=2)
_FETCHER = re.compile(r"\[ReplicaFetcher replicaId=\d+, leaderId=(\d+), fetcherId=\d+\]")
_GIVES_UP_WITHIN = timedelta(minutes=5)  # zookeeper.connection.timeout.ms is 6 s, from 2.5 on 18 s, by default
_ENDS_A_WAIT = ("zk_session_connected", "broker_starting")
_ONE_ATTEMPT = timedelta(milliseconds=100)  # between the line of the network client and that of its caller
_LOGINS_THAT_FAILED = ("login-between-nodes", "node-auth-failed", "raft-login-failed", "client-login-failed")
_REASON_OF_A_LOGIN = re.compile(
    r"[Ff]ailed (?:re-)?authentication with [^\n(]{1,300}(?:\(channelId=[^)\n]{1,200}\) )?\((?:errorMessage=)?([^\n]{1,400}?)\)(?: \(|$)"
)
_NOTHING_CUT_WITHIN = timedelta(seconds=2)
_CREATED_WITHIN = timedelta(
    seconds=10
)  # leader and follower create the log of a new partition this close to each other
_HALT = re.compile(r"Halting Kafka\b")
_STOPS_ITS_PARTS = (
    "broker_shutting_down",
    "broker_shutdown_begin",
    "broker_shutdown_done",
    "broker_controlled_shutdown_begin",
    "broker_controlled_shutdown_done",
    "coordinator_service_shutdown",
)
_STOPPED = ("broker_shutdown_done", "broker_controlled_shutdown_done", "broker_shutting_down", "process_signal")
_SEEN = ("controller_broker_failure", "zookeeper_session_expired", "zookeeper_session_terminated")
# "Discovered group coordinator" is only the answer of the lookup: the client connects after it.
_IN_ITS_GROUP = re.compile(
    r"Successfully (?:joined group|synced group|heartbeat)|Received successful Heartbeat response"
)
_PASSES_WITH = (
    "coordinator-unknown",
    "client-coordinator-away",
    "node-unreachable",
    "client-group-left",
    "client-commit-of-no-member",
    "client-heartbeat-failed",
)


@dataclass(frozen=True)
class Joined:
    """What some lines mean together: a meaning with its values."""

    meaning: Meaning
    values: Mapping[str, str]
    lines: tuple[Read, ...]


def joined(read: Sequence[Read]) -> Iterator[Joined]:
    """Events that several lines report, each once. `read` is in order of time."""
    yield from _fenced_and_back(read)
    yield from _stops_seen(read)
    yield from _starts_without_zookeeper(read)
    yield from _peers_gone(read)
    yield from _first_starts_with_zookeeper(read)
    yield from _closed_at_once(read)
    yield from _advertises_own_host(read)
    yield from _elections_in_vain(read)
    yield from _open_elections(read)
    yield from _sessions_lost(read)
    yield from mechanisms(read)


def mechanisms(read: Sequence[Read]) -> Iterator[Joined]:
    """Events that the findings of an analysis do not state: why a change was applied late, or why a leader resigned."""
    yield from _fetcher_stops_that_waited(read)
    yield from _leaders_deposed_by_voters(read)


def _sessions_lost(read: Sequence[Read]) -> Iterator[Joined]:
    """ZooKeeper sessions that expired while their process was disconnected: the loss, the reconnection, the expiry."""
    lost: dict[str, list[Read]] = {}
    tried: dict[str, Read] = {}
    timeouts: dict[str, str] = {}
    stays_out = {one.line.source for one in read if one.means("zk-ephemeral")}
    ended: dict[str, list[Read]] = {}
    begun: dict[str, tuple[Sequence[Read], Read | None, str]] = {}
    for one in read:
        source = one.line.source
        if session := _HAS_A_SESSION.search(one.line.message):
            timeouts[source] = session["timeout"]
            lost.pop(source, None)
            tried.pop(source, None)
        elif one.means("zk-expired") and source in lost and source not in stays_out:
            begun.setdefault(source, (tuple(lost[source]), tried.get(source), timeouts.get(source, "")))
            ended.setdefault(source, []).append(one)
        elif one.wording is not None and one.wording.key in _LOSES_ZOOKEEPER and source not in ended:
            lost.setdefault(source, []).append(one)
        elif source in lost and _CONNECTS_AGAIN in one.line.message:
            tried.setdefault(source, one)
    for source, lines in ended.items():
        before, again, timeout = begun[source]
        yield _session_lost(before, again, lines, timeout)


def _session_lost(lost: Sequence[Read], tried: Read | None, ended: Sequence[Read], timeout: str) -> Joined:
    first = lost[0]
    waited = _between(first.line.ts, tried.line.ts) if tried is not None else None
    stood = waited is not None and waited > _STOOD_STILL
    silent = first.values.get("elapsed_ms", "")
    session = _SESSION_ID.search(first.line.message)
    values = {
        "me": first.values["me"],
        "session": (session[1] or session[2]) if session else "",
        "how": f"no answer came for {silent} ms" if silent else "the server closed the connection",
        "lost": clock_time(first.line.ts),
        "tried": clock_time(tried.line.ts) if tried is not None else "",
        "expired": clock_time(ended[0].line.ts),
        "timeout": timeout,
        "stood": f" It began to connect again only {waited.total_seconds():.0f} s later, which takes a second or two otherwise: this process or its host stood still, or the name did not resolve."
        if stood and waited is not None
        else "",
        "what_to_do": (
            "Look at this process and its host at that time: garbage collection, swapping, a starved processor, a suspended machine."
            if stood
            else "See whether ZooKeeper was restarted, slow or out of memory at that time, and whether this process or its host stood still (garbage collection, swapping, a starved processor)."
        ),
    }
    known = {name: value for name, value in values.items() if value}
    return Joined(SESSION_LOST, known, (*lost, *ended))


def _open_elections(read: Sequence[Read]) -> Iterator[Joined]:
    """ZooKeeper servers that still look for a leader at the end of their lines, with the votes that they received."""
    looking: dict[str, list[Read]] = {}
    for one in read:
        source, message = one.line.source, one.line.message
        if _BEGINS_TO_LOOK.match(message):
            looking.setdefault(source, []).append(one)
        elif _ELECTION_IS_OVER.match(message):
            looking.pop(source, None)
        elif source in looking and (_VOTE_OF_A_SERVER.match(message) or one.means("zk-election-waits")):
            looking[source].append(one)
    for lines in looking.values():
        begun = [found for one in lines if (found := _BEGINS_TO_LOOK.match(one.line.message)) and found["id"]]
        voters = {vote["sid"] or vote["sid_2"] for one in lines if (vote := _VOTE_OF_A_SERVER.match(one.line.message))}
        waits = [int(one.values["timeout"]) for one in lines if one.means("zk-election-waits")]
        mine = begun[-1]["id"] if begun else ""
        values = {
            "me": lines[0].values["me"],
            "server": f"Server {mine} of ZooKeeper" if mine else "A server of ZooKeeper",
            "since": clock_time(lines[0].line.ts),
            "votes": _votes_of(mine, voters),
            "waits": f" It asked again {len(waits)} times, at last after {max(waits):,} ms." if waits else "",
            "empty": " It holds no data (zxid 0x0)." if begun and begun[-1]["zxid"] == "0x0" else "",
        }
        meaning = replace(ELECTION_OPEN, weight=TROUBLE) if len(waits) >= _MANY_WAITS else ELECTION_OPEN
        yield Joined(meaning, {name: value for name, value in values.items() if value}, tuple(lines))


def _votes_of(mine: str, voters: set[str]) -> str:
    """A sentence on whose votes arrived."""
    if not voters:
        return ""
    if voters == {mine}:
        return " The only vote that came in is its own: it has heard no other server."
    return f" Votes came from server{'s' if len(voters) > 1 else ''} {', '.join(sorted(voters, key=int))}."


def _elections_in_vain(read: Sequence[Read]) -> Iterator[Joined]:
    """Candidates whose epoch is far beyond the epoch of the last record in their logs. Each leader writes a record
    when its epoch begins, so the epochs between had no leader.
    """
    last: dict[str, tuple[re.Match[str], list[Read]]] = {}
    for one in read:
        request = _CANDIDATE.search(one.line.message or "") if one.line.kind == "raft_vote_decision" else None
        if request is not None and int(request["epoch"]) - int(request["last"]) >= _MANY_ELECTIONS:
            last[request["id"]] = request, [*last.get(request["id"], (request, []))[1], one]
    for candidate, (request, lines) in last.items():
        many = int(request["epoch"]) - int(request["last"])
        values = {"candidate": candidate, "epoch": request["epoch"], "last": request["last"], "many": f"{many:,}"}
        yield Joined(ELECTIONS_IN_VAIN, {"me": lines[0].values["me"], **values}, tuple(lines))


def _leaders_deposed_by_voters(read: Sequence[Read]) -> Iterator[Joined]:
    """Leaders of the metadata quorum that learned of a higher epoch from a vote request, which they answer in their
    next line.
    """
    left: dict[str, tuple[Read, str, str]] = {}
    for one in read:
        message = one.line.message or ""
        if one.line.kind == "raft_transition":
            changed = _LEFT_LEADERSHIP.search(message)
            if changed is not None:
                left[one.line.source] = one, changed[1], changed[2]
        elif one.line.kind == "raft_vote_decision" and one.line.source in left:
            first, epoch, led = left.pop(one.line.source)
            request = _VOTE_REQUEST.search(message)
            waited = _between(first.line.ts, one.line.ts)
            if request is not None and request[1] == epoch and waited is not None and waited <= _VOTES_WITHIN:
                values = {
                    "me": first.values["me"],
                    "led": led,
                    "epoch": epoch,
                    "candidate": request[2],
                    "decision": request[3],
                }
                yield Joined(DEPOSED_BY_A_VOTER, values, (first, one))


def _fetcher_stops_that_waited(read: Sequence[Read]) -> Iterator[Joined]:
    """Fetchers that took long to stop, except those that stop with their broker."""
    begun: dict[tuple[str, str], Read] = {}
    going_down: set[str] = set()
    for one in read:
        if one.line.kind in ("fetcher_manager_shutdown", *_STOPS_ITS_PARTS):
            going_down.add(one.line.source)
        elif one.line.kind == "broker_starting":
            going_down.discard(one.line.source)
        fetcher = _FETCHER.search(one.line.message or "")
        if fetcher is None or one.line.ts is None or one.line.source in going_down:
            continue
        key = one.line.source, fetcher[0]
        if one.line.kind == "thread_shutting_down":
            begun[key] = one
        elif one.line.kind == "thread_stopped" and key in begun:
            first = begun.pop(key)
            took = _between(first.line.ts, one.line.ts)
            if took is not None and _STOP_WAITED <= took <= _PUT_OUT_AGAIN:
                values = {
                    "me": first.values["me"],
                    "leader": fetcher[1],
                    "took": f"{took.total_seconds():.0f} s",
                    "ended": clock_time(one.line.ts),
                }
                yield Joined(FETCHER_STOP_WAITED, values, (first, one))


def _fenced_and_back(read: Sequence[Read]) -> Iterator[Joined]:
    out: dict[str, Read] = {}
    for one in read:
        broker = one.values.get("broker_id", "")
        if one.line.kind == "kraft_broker_session_timeout" and one.line.ts is not None:
            out.setdefault(broker, one)
        elif one.line.kind == "kraft_broker_unfence_granted" and broker in out and one.line.ts is not None:
            first = out.pop(broker)
            away = _between(first.line.ts, one.line.ts)
            if away is not None and timedelta(0) <= away <= _PUT_OUT_AGAIN:
                values = {
                    "me": first.values["me"],
                    "fenced_id": broker,
                    "left": clock_time(first.line.ts),
                    "back": clock_time(one.line.ts),
                    "away": f"{away.total_seconds():.0f} s",
                }
                yield Joined(FENCED_AND_BACK, values, (first, one))


def _stops_seen(read: Sequence[Read]) -> Iterator[Joined]:
    """Ordered stops of a broker, from its own log and as ZooKeeper or the controller saw them."""
    stops: dict[str, list[Read]] = defaultdict(list)
    for one in read:
        if one.line.kind in _STOPPED and one.line.ts is not None:
            me = one.values.get("broker_id") or _own_id(one, read)
            if me:
                stops[me].append(one)
    for broker, theirs in stops.items():
        if not any(one.line.kind != "process_signal" for one in theirs):
            continue
        seen = [one for one in read if one.line.kind in _SEEN and _saw(one, broker) and _follows(theirs, one)]
        if not any(one.line.kind == "controller_broker_failure" for one in seen):
            continue
        values = {
            "me": f"broker {broker}",
            "gone": broker,
            "stopped": clock_time(theirs[-1].line.ts),
            "seen": f" (at {', '.join(dict.fromkeys(clock_time(one.line.ts) for one in seen))})",
        }
        yield Joined(STOP_SEEN, values, (*theirs, *seen))


def _starts_without_zookeeper(read: Sequence[Read]) -> Iterator[Joined]:
    """Starts of one process that failed because ZooKeeper did not answer: each wait, failure and end of the process."""
    waits: dict[str, list[Read]] = defaultdict(list)
    asked: dict[str, str] = {}
    failed: dict[str, list[Read]] = defaultdict(list)
    for one in read:
        source, key = one.line.source, one.wording.key if one.wording is not None else ""
        if one.line.kind in _ENDS_A_WAIT:
            waits.pop(source, None)
        elif one.line.kind == "zk_connecting":
            asked[source] = one.values.get("zk_connect", "")
        elif key == "zk-waiting":
            waits[source].append(one)
        elif key == "start-failed" and one.cause is not None and one.cause.key == "start-zookeeper-timeout":
            failed[source] += [*(wait for wait in waits.pop(source, []) if _soon(wait, one)), one]
        elif key == "start-gave-up" and failed[source] and _soon(failed[source][-1], one):
            failed[source].append(one)
    for source, lines in failed.items():
        if len(lines) > 1:
            yield _start_without_zookeeper(lines, asked.get(source, ""))


def _peers_gone(read: Sequence[Read]) -> Iterator[Joined]:
    """Brokers that another broker can no longer fetch from and, at the same time, removes from the ISR; only one
    broker at a time.
    """
    fails: dict[tuple[str, str], list[Read]] = defaultdict(list)
    left: dict[tuple[str, str], list[Read]] = defaultdict(list)
    for one in read:
        if one.wording is not None and one.wording.key in _FETCH_FAILS and not one.line.is_clients:
            fails[one.line.source, one.values.get("peer_id", "")].append(one)
        elif one.line.kind == "isr_shrink":
            gone = set(ids(one.values.get("old_isr", ""))) - set(ids(one.values.get("isr", "")))
            left[one.line.source, ",".join(map(str, sorted(gone)))].append(one)
    if len({broker for _, broker in left}) != 1:
        return  # several at once: the leader itself, or the network, is an equally likely cause
    for key, shrinks in left.items():
        near = [one for one in fails[key] if _is_near(one, shrinks)]
        seen_by = {one.values["broker_id"] for one in shrinks if one.values.get("broker_id")}
        if near and len(seen_by) == 1 and not any(own(one.line) == ("broker", key[1]) for one in read):
            yield _peer_gone(key[1], seen_by.pop(), [*near, *shrinks], read)


def _is_near(one: Read, others: Sequence[Read]) -> bool:
    away = [_between(one.line.ts, other.line.ts) for other in others]
    return any(span is not None and abs(span) <= _ONE_END for span in away)


def _peer_gone(gone: str, seen_by: str, lines: Sequence[Read], read: Sequence[Read]) -> Joined:
    led = [
        one.values["tp"]
        for one in read
        if one.line.kind == "leader_start" and one.values.get("leader_id") == seen_by and _is_near(one, lines)
    ]
    tps = list(dict.fromkeys(one.values["tp"] for one in lines if one.line.kind == "isr_shrink" and "tp" in one.values))
    values = {
        "gone": gone,
        "seen_by": seen_by,
        "time": min((clock_time(one.line.ts) for one in lines if one.line.ts), default=""),
        "tps": _some(tps),
        "leads": f"Broker {seen_by} leads {_some(list(dict.fromkeys(led)))} now." if led else "",
    }
    return Joined(PEER_GONE, {name: value for name, value in values.items() if value}, tuple(lines))


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _first_starts_with_zookeeper(read: Sequence[Read]) -> Iterator[Joined]:
    """First starts in ZooKeeper mode that succeed: the new directory, and the wait for ZooKeeper before it."""
    by_source: dict[str, list[Read]] = defaultdict(list)
    for one in read:
        by_source[one.line.source].append(one)
    for theirs in by_source.values():
        new = [one for one in theirs if _NEW_DIRECTORY.search(one.line.message)]
        up = [one for one in theirs if one.line.kind in _UP and new and one.line.number > new[0].line.number]
        connected = any(one.line.kind == "zk_session_connected" for one in theirs)
        if not up or not connected or any(_HAS_LOGS.search(one.line.message) for one in theirs):
            continue
        waited = [
            one
            for one in theirs
            if one.wording is not None and one.wording.key in _NOT_YET and one.line.number < new[0].line.number
        ]
        values = {
            "me": up[0].values["me"],
            "up": clock_time(up[0].line.ts),
            "sign": "no meta.properties" if "meta.properties" in new[-1].line.message else "it was made now",
            "waited": "ZooKeeper did not listen yet as it began, and did soon after." if waited else "",
        }
        known = {name: value for name, value in values.items() if value}
        yield Joined(FIRST_START_WITH_ZOOKEEPER, known, (*waited, *new))


def _closed_at_once(read: Sequence[Read]) -> Iterator[Joined]:
    """Connections of kafka-python that the other side closed immediately after they were opened."""
    opened: dict[str, Read] = {}
    closed: dict[str, list[Read]] = defaultdict(list)
    times: dict[str, int] = defaultdict(int)
    for one in read:
        if "Broker version identified" in one.line.message:
            return
        found = _BROKER_CONNECTION.match(one.line.message)
        if found is None:
            continue
        if found["said"] == "Connection complete":
            opened[found["address"]] = one
        elif found["address"] in opened:
            first = opened[found["address"]]
            span = _between(first.line.ts, one.line.ts)
            if span is None or span <= _AT_ONCE:
                is_new = first not in closed[found["address"]]
                times[found["address"]] += is_new
                closed[found["address"]] += [first, one] if is_new else [one]
    for address, lines in closed.items():
        many = {"times": str(times[address])} if times[address] > 1 else {}
        yield Joined(CLOSED_AT_ONCE, {"me": "this client", "address": address, **many}, tuple(lines))


def _advertises_own_host(read: Sequence[Read]) -> Iterator[Joined]:
    """Brokers that advertise an address on the client's own host, learned from a broker on another host."""
    asked: dict[str, Read] = {}
    named: set[tuple[str, str]] = set()
    for one in read:
        if found := _ASKED_BY_SARAMA.search(one.line.message):
            asked[one.line.source] = one
        elif (found := _LEARNED_BY_SARAMA.search(one.line.message)) and one.line.source in asked:
            first = asked[one.line.source]
            host = _ASKED_BY_SARAMA.search(first.line.message)
            is_elsewhere = host is not None and _OWN_HOST.match(host["address"]) is None
            if host is not None and is_elsewhere and _OWN_HOST.match(found["address"]) and found.groups() not in named:
                named.add((found["broker"], found["address"]))
                yield Joined(ADVERTISES_OWN_HOST, {**found.groupdict(), "asked": host["address"]}, (first, one))


def _soon(first: Read, then: Read) -> bool:
    away = _between(first.line.ts, then.line.ts)
    return away is None or away <= _GIVES_UP_WITHIN


def _start_without_zookeeper(lines: Sequence[Read], asked: str) -> Joined:
    failures = [one for one in lines if one.cause is not None]
    first, last = clock_time(failures[0].line.ts), clock_time(failures[-1].line.ts)
    many = f"{len(failures)} times" + (f", from {first} to {last}" if last else "")
    values = {
        "me": failures[0].values["me"],
        "ended": many if len(failures) > 1 else f"at {last}" if last else "",
        "address": failures[0].values.get("address") or asked,
    }
    return Joined(START_WITHOUT_ZOOKEEPER, values, tuple(lines))


def _own_id(one: Read, read: Sequence[Read]) -> str:
    """The broker that wrote the line's file, if the file's other lines name exactly one; empty otherwise."""
    named = {
        other.values["broker_id"]
        for other in read
        if other.line.source == one.line.source and other.line.kind in _STOPPED and other.values.get("broker_id")
    }
    return named.pop() if len(named) == 1 else ""


def _saw(one: Read, broker: str) -> bool:
    return one.line.kind != "controller_broker_failure" or int(broker) in ids(one.values.get("dead_brokers", ""))


def _follows(stops: Sequence[Read], one: Read) -> bool:
    times = [stop.line.ts for stop in stops if stop.line.ts is not None]
    return one.line.ts is not None and min(times) <= one.line.ts <= max(times) + _SEEN_WITHIN


def both_sides(read: Sequence[Read]) -> tuple[list[Read], list[str]]:
    """`read` without a client's lines about a refusal that the broker's own line explains, and a sentence on each."""
    brokers: dict[tuple[str, str], Read] = {}
    for one in read:
        tp = one.values.get("tp", "")
        for key in (one.cause.key if one.cause else "", one.wording.key if one.wording else ""):
            if key and tp and "client" not in one.values["me"]:
                brokers.setdefault((key, tp), one)
    kept: list[Read] = []
    counts: dict[str, int] = defaultdict(int)
    for one in read:
        keys = SIDES.get(one.wording.key, ()) if one.wording is not None and "client" in one.values["me"] else ()
        other = next(
            (brokers[key, one.values.get("tp", "")] for key in keys if (key, one.values.get("tp", "")) in brokers), None
        )
        if other is None:
            kept.append(one)
        else:
            counts[
                f"{one.values['me']} tells the same of {one.values['tp']} as {other.values['me']}: both sides of one refusal"
            ] += 1
    kept, of_protocol = _with_other_protocol(kept)
    return kept, [
        *of_protocol,
        *(f"{text[:1].upper()}{text[1:]}{f' ({count} lines)' if count > 1 else ''}." for text, count in counts.items()),
    ]


def attempts(read: Sequence[Read]) -> list[Read]:
    """`read` with the same meaning for both lines of a controller's failed connection attempt: the network client
    prints one, and the thread that sends requests prints the other in another file.
    """
    callers: dict[tuple[str, str], list[Read]] = defaultdict(list)
    for one in read:
        if one.means("controller-cannot-reach-broker") and one.line.ts is not None:
            callers[_link(one)].append(one)
    return [_as_its_caller(one, callers.get(_link(one), ())) if one.means("node-unreachable") else one for one in read]


def _link(one: Read) -> tuple[str, str]:
    node = own(one.line)
    return node[1] if node is not None else str(one.line.node), one.values.get("peer_id", "")


def _as_its_caller(one: Read, callers: Sequence[Read]) -> Read:
    ts = one.line.ts
    if ts is None or "targetBrokerId=" not in one.line.message:
        return one
    same = [other for other in callers if other.line.ts is not None and abs(other.line.ts - ts) <= _ONE_ATTEMPT]
    return replace(one, wording=same[0].wording, cause=same[0].cause, values=same[0].values) if same else one


def logins_once(read: Sequence[Read]) -> list[Read]:
    """`read` with one line for each failed login, which the selector, the network client and the sending thread all
    print.
    """
    failed = [one for one in read if one.wording is not None and one.wording.key in _LOGINS_THAT_FAILED]
    repeated = {one.line.where for one in failed if any(_says_more(other, one) for other in failed)}
    return [one for one in read if one.line.where not in repeated]


def bootstraps_once(read: Sequence[Read]) -> list[Read]:
    """`read` without lines that the client gives up a bootstrap address right after the connection to it failed."""
    failed: dict[tuple[str, str], list[Read]] = defaultdict(list)
    for one in read:
        if one.means("node-unreachable"):
            failed[one.line.source, one.values["me"]].append(one)
    return [
        one
        for one in read
        if not one.means("bootstrap-unreachable")
        or not any(_of_one_address(one, other) for other in failed.get((one.line.source, one.values["me"]), ()))
    ]


def _of_one_address(left: Read, failed: Read) -> bool:
    away = _between(failed.line.ts, left.line.ts)
    host, _, port = left.values.get("address", "").rpartition(":")
    hosts, _, failed_port = failed.values.get("address", "").rpartition(":")
    return port == failed_port != "" and host in hosts.split("/") and (away is None or away <= _ONE_ATTEMPT)


def heap_of_the_cleaner(read: Sequence[Read]) -> list[Read]:
    """`read` with the log cleaner's buffers as the cause of a start that ran out of heap right after the cleaner
    began.
    """
    last: dict[str, str | None] = {}
    out: list[Read] = []
    for one in read:
        lacks_heap = one.means("start-failed") and one.cause is not None and one.cause.key == "out-of-heap"
        if lacks_heap and last.get(one.line.source) == "log_cleaner_started":
            one = replace(one, cause=START_HEAP_FOR_CLEANER)
        last[one.line.source] = one.line.kind
        out.append(one)
    return out


def _says_more(one: Read, other: Read) -> bool:
    """Whether `one` is about the same failed login as `other` and also has its reason and its peer."""
    away = _between(other.line.ts, one.line.ts)
    if one is other or one.line.source != other.line.source or one.values["me"] != other.values["me"]:
        return False
    peers = one.values.get("peer_id"), other.values.get("peer_id")
    if (away is None and one.line.ts is not None) or (away is not None and abs(away) > _ONE_ATTEMPT):
        return False
    if peers[0] is None or peers[1] not in (None, peers[0]) or (peers[1] and one.cause is None):
        return False
    reason = _REASON_OF_A_LOGIN.search(other.line.message)
    return other.cause is None and (reason is None or reason[1] in one.line.text)


_ZK_CONNECT = re.compile(r"^Unable to open socket to (?:\{\})?(?P<address>\S{1,300})$")
_ZK_ERROR = re.compile(r"^Socket error occurred: (?P<address>\S{1,300}): (?P<error>[^\n]{1,300})$")
_NEXT_LINES = 3  # another thread may log in between


def with_socket_errors(lines: Sequence[Line]) -> list[Line]:
    """The lines; the one in which ZooKeeper's client could not open a socket has the error that it logs in its next line, a
    quiet one (`ClientCnxnSocketNIO.connect`, `ClientCnxn.SendThread`).
    """
    joined: list[Line] = []
    waiting: dict[tuple[str, str], int] = {}
    for line in lines:
        opens, error = _ZK_CONNECT.match(line.message), _ZK_ERROR.match(line.message)
        if error is not None:
            at = waiting.pop((line.source, error["address"]), None)
            if at is not None and line.number - joined[at].number <= _NEXT_LINES:
                joined[at] = replace(joined[at], trace=f"java.net.SocketException: {error['error']}")
                continue
        elif opens is not None and not line.trace:
            waiting[line.source, opens["address"]] = len(joined)
        joined.append(line)
    return joined


def echoes(read: Sequence[Read]) -> list[Read]:
    """`read` without `Halting Kafka.` after the error that causes it, and with errors of a client inside a broker
    that shuts down as consequences of the stop.
    """
    ended = {one.line.source for one in read if one.means("stop-failed")}
    of_a_tool = {
        one.line.source for one in read if one.cause is not None and one.cause.key == "tool-zk-session-expired"
    }
    no_gc_log = {one.line.source for one in read if one.means("gc-log-not-opened")}
    stopping: dict[tuple[str, str], int] = {}
    kept: list[Read] = []
    for one in read:
        if one.means("java-not-started") and one.line.source in no_gc_log:
            continue
        if one.means("zk-expired") and one.line.source in of_a_tool:
            continue
        if _HALT.match(one.line.message) and one.line.source in ended and kept and _fatal_before(kept, one):
            continue
        node = own(one.line)
        if node is not None and one.line.kind in _STOPS_ITS_PARTS:
            stopping.setdefault((one.line.source, node[1]), one.line.number)
        key = one.line.source, one.values.get("peer_id", "")
        is_client = one.means("node-unreachable") and one.line.is_clients
        if is_client and key in stopping and stopping[key] < one.line.number:
            one = replace(one, wording=OF_A_STOP, values={**one.values, "stopping": key[1]})
        kept.append(one)
    return kept


_BOOTSTRAP = re.compile(
    r"\[thrd:(?:[a-z_]{1,20}://)?(?P<at>[\w.-]{1,255}:\d{1,5})/bootstrap\]|[Bb]ootstrap broker (?P<at_2>[\w.-]{1,255}:\d{1,5})"
    r"|node_id=bootstrap[\w-]{0,20} host=(?P<at_3>[\w.-]{1,255}:\d{1,5})"
    r"|[Cc]onnection to node -\d{1,3} \((?P<host>[\w.-]{1,255})(?:/[\w.:]{0,60})?:(?P<port>\d{1,5})\)"
)
_RESOLVED = re.compile(r"/[\w.:]{0,60}(?=:\d{1,5}$)")  # Java prints the address behind the name
_LOOKED_AT = 2_000  # characters of a message
_SAME_ADDRESS = (
    " The client asks for the cluster at the same address (bootstrap.servers), on its own host, and a broker had answered"
    " it there before: see whether that broker (or the tunnel or published port that leads to it) still runs."
)


def asked_there(read: Sequence[Read]) -> list[Read]:
    """`read` without the advertised address as a reason if the client's only bootstrap address is the same."""
    asked: dict[str, set[str]] = defaultdict(set)
    for one in read:
        if "bootstrap" in one.line.message or "node -" in one.line.message:
            for found in _BOOTSTRAP.finditer(one.line.message[:_LOOKED_AT]):
                named = found["at"] or found["at_2"] or found["at_3"] or f"{found['host']}:{found['port']}"
                asked[one.line.source].add(_local(named))
    return [
        replace(one, values=_of_a_local_broker(one.values))
        if "own_host" in one.values and asked[one.line.source] == {_local(one.values["own_host"])}
        else one
        for one in read
    ]


def _local(address: str) -> str:
    """An address of the client's own host with one name for it."""
    return _OWN_HOST.sub("localhost:", _RESOLVED.sub("", address))


def _of_a_local_broker(values: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in values.items() if name not in ("advertised", "loopback")}
    return kept | {"origin": _SAME_ADDRESS, "listens": ", and listens there"}


def closed_when_idle(read: Sequence[Read]) -> list[Read]:
    """`read` with a lighter meaning for a client's "brokers are down" if its lines show only closed connections."""
    shown: dict[str, set[str]] = defaultdict(set)
    for one in read:
        shown[one.line.source].add(one.wording.key if one.wording is not None else "")
    idle = {
        source
        for source, keys in shown.items()
        if "rd-disconnected" in keys and not keys.intersection(_NEVER_CONNECTED)
    }
    return [
        replace(one, wording=ALL_CLOSED) if one.means("rd-all-brokers-down") and one.line.source in idle else one
        for one in read
    ]


def _with_other_protocol(read: Sequence[Read]) -> tuple[list[Read], list[str]]:
    """`read` without a client that found no broker, if a broker's line shows that a client spoke TLS or HTTP to a
    port without it, and a sentence on both.
    """
    refused = next((one for one in read if one.cause is not None and "compare" in one.values), None)
    clients = [one for one in read if one.means("client-no-broker")]
    if refused is None or not clients:
        return list(read), []
    says = (
        f"{refused.values['speaks']}, and a client found no broker that answers: most likely both sides of one refusal."
    )
    return [one for one in read if one not in clients], [says]


def _fatal_before(kept: Sequence[Read], one: Read) -> bool:
    return any(
        other.line.source == one.line.source and other.wording is not None and other.wording.weight == ENDED
        for other in kept
    )


def without_effect(read: Sequence[Read]) -> list[Read]:
    """`read` with a harmless meaning for a truncation to the high watermark if the log itself shows that it removed
    nothing.
    """
    nothing_cut: dict[tuple[str, str], list[datetime]] = defaultdict(list)
    for one in read:
        if one.line.kind == "log_truncation_noop" and one.line.ts is not None:
            nothing_cut[one.line.source, one.values.get("tp", "")].append(one.line.ts)
    for times in nothing_cut.values():
        times.sort()
    return [replace(one, wording=NOTHING_CUT) if _cut_nothing(one, nothing_cut) else one for one in read]


def _cut_nothing(one: Read, nothing_cut: Mapping[tuple[str, str], Sequence[datetime]]) -> bool:
    ts = one.line.ts
    if one.wording is None or one.wording.key != "truncation-by-hw" or ts is None:
        return False
    times = nothing_cut.get((one.line.source, one.values.get("tp", "")), ())
    place = bisect_left(times, ts)
    return place < len(times) and times[place] - ts <= _NOTHING_CUT_WITHIN


def fenced_before(read: Sequence[Read]) -> list[Read]:
    """`read` with a harmless meaning for a fencing that the controller ignored because the broker was already
    fenced.
    """
    ignored: dict[tuple[str, str], list[datetime]] = defaultdict(list)
    for one in read:
        found = _IGNORED.search(one.line.message) if one.line.ts is not None else None
        if found is not None and one.line.ts is not None:
            ignored[one.line.source, found[1]].append(one.line.ts)
    return [replace(one, wording=FENCED_BEFORE, cause=None) if _was_ignored(one, ignored) else one for one in read]


def _was_ignored(one: Read, ignored: Mapping[tuple[str, str], Sequence[datetime]]) -> bool:
    ts = one.line.ts
    if not one.means("fenced") or ts is None:
        return False
    times = ignored.get((one.line.source, one.values["fenced_id"]), ())
    return any(timedelta(0) <= when - ts <= _IGNORED_WITHIN for when in times)


def being_created(read: Sequence[Read]) -> list[Read]:
    """`read` with a harmless meaning for fetches that failed because the leader had not created the new partition
    yet.
    """
    created: dict[str, list[datetime]] = defaultdict(list)
    for one in read:
        if one.line.kind == "log_created" and one.line.ts is not None:
            created[one.values.get("tp", "")].append(one.line.ts)
    return [replace(one, wording=NOT_MADE_YET, cause=None) if _is_of_new(one, created) else one for one in read]


def _is_of_new(one: Read, created: Mapping[str, Sequence[datetime]]) -> bool:
    keys = [meaning.key for meaning in (one.wording, one.cause) if meaning is not None]
    ts = one.line.ts
    if keys != ["fetch-refused", "unknown-topic"] or ts is None:
        return False
    return any(abs(when - ts) <= _CREATED_WITHIN for when in created.get(one.values.get("tp", ""), ()))


def recovered(read: Sequence[Read]) -> list[Read]:
    """`read` with a lighter meaning for a client's problem if a later line of that client shows that it is over."""
    back: dict[str, list[datetime]] = defaultdict(list)
    for one in read:
        joined_it = one.line.kind == "client_partitions_assigned" or _IN_ITS_GROUP.search(one.line.message) is not None
        if joined_it and one.line.ts is not None:
            back[one.values["me"]].append(one.line.ts)
    return [_over(one, back.get(one.values["me"], ())) for one in read]


def _over(one: Read, back: Sequence[datetime]) -> Read:
    ts = one.line.ts
    if one.wording is None or one.wording.key not in _PASSES_WITH or ts is None:
        return one
    later = min((when for when in back if when >= ts), default=None)
    if later is None:
        return one
    return replace(
        one, wording=replace(one.wording, heals=f"yes: by {clock_time(later)} it was a member of its group again")
    )


def _between(first: datetime | None, last: datetime | None) -> timedelta | None:
    return last - first if first is not None and last is not None else None
