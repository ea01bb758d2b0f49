"""What several lines of one paste mean together: one item each, with all times, offsets and addresses that they
name.

A story replaces the meanings of its single lines (`Story.instead_of`); its consequences are listed under it
(`Story.found`). The rules are those of `replay.histories`: an election is unclean if the new leader was not in the
ISR before it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from replay.knowledge.analyzed import GOES_ON, Found
from replay.knowledge.choosing import Read
from replay.knowledge.hosts import BROKEN_PROBE, CANNOT_RUN
from replay.knowledge.joins import joined, mechanisms
from replay.knowledge.meaning import HARMLESS, OUTAGE, PASSING, STOPPED, TROUBLE, Meaning
from replay.knowledge.narration import brokers, fetched, ids, segment_times, short_member
from replay.knowledge.text_lines import clock_time
from replay.lists import listed

_SOON = timedelta(seconds=10)
_SESSION = timedelta(seconds=60)  # longer than any usual session of a broker
_INTERNAL = re.compile(r"-(?:repartition|changelog)$|KSTREAM|KTABLE")
_MOSTLY = 0.5  # share of the retention time: records older than that when they were written


@dataclass(frozen=True)
class Story:
    """`meaning` filled with `values`, shown by `lines`; `instead_of`: the locations of the lines that it replaces."""

    meaning: Meaning
    values: Mapping[str, str]
    lines: tuple[Read, ...]
    instead_of: frozenset[str] = frozenset()
    found: Found | None = None
    nodes: tuple[int, ...] = ()


def stories(read: Sequence[Read], *, is_complete: bool = True) -> list[Story]:
    """What the lines, in order of time, mean together. If they are not complete, only what no finding reports."""
    found: list[Story] = [story for rule in _RULES for story in rule(read)] if is_complete else []
    held = frozenset(place for story in found for place in story.instead_of)
    found += [
        Story(one.meaning, dict(one.values), one.lines, _places(one.lines))
        for one in (joined if is_complete else mechanisms)(read)
        if not held & _places(one.lines)
    ]
    return found


def _times(read: Sequence[Read]) -> str:
    """The times as text: `03:20:41`, `09:40:12 and 09:44:51`."""
    return listed([clock_time(one.line.ts) for one in read if one.line.ts is not None])


def _places(read: Sequence[Read]) -> frozenset[str]:
    return frozenset(one.line.where for one in read)


def _by_partition(read: Sequence[Read]) -> dict[str, list[Read]]:
    by: dict[str, list[Read]] = defaultdict(list)
    for one in read:
        for tp in [tp for tp, _ in fetched(one.line)] or ([one.values["tp"]] if "tp" in one.values else []):
            by[tp].append(one)
    return by


# Elections and truncation.

UNCLEAN = Meaning(
    "unclean-election-shown",
    "Broker {leader_id} became leader of {tp}<at {time}><in leader epoch {epoch}><from offset {start}> though the ISR was {isr}<since {since}>: an unclean election.<{cuts}>",
    "the person who allowed or ordered it",
    TROUBLE,
    effect="The partition is served again, without the records that only the former ISR had.",
    data="{data}",
    heals="no: truncated records do not come back to the log",
    next="Keep the disks of the former ISR. Check whether unclean.leader.election.enable is true for the topic (set it to false), or who ordered the election (kafka-leader-election --election-type unclean). min.insync.replicas=2 prevents that one replica alone holds acknowledged records. The log of {former} shows why it left.",
    never="Do not empty the old leader's disk before you know what was lost.",
)
ALONE_OR_UNCLEAN = Meaning(
    "elected-from-offline",
    "Broker {leader_id} became leader of {tp}<at {time}> after the partition had no leader, and is alone in the ISR<(leader epoch {epoch})>.",
    "several brokers",
    TROUBLE,
    effect="The partition is served again. Either broker {leader_id} was the only live member of the ISR (a clean election), or it was not in the ISR and the election was unclean: this line alone does not show which.",
    data="If it was unclean, acknowledged records that only the former ISR had are lost; else this loses no data.",
    heals="the partition is served again",
    next="Look for the last 'Shrinking ISR' or LeaderAndIsr of this partition before it: an ISR without broker {leader_id} means an unclean election. Then compare where the former leader's log ended and what it truncated ('Truncating to offset').",
)
CUT = Meaning(
    "log-cut",
    "{me} truncated its log of {tp} to offset {offset}<, where it had ended at {end} ({count} offsets)>.",
    "nobody, after a change of leader",
    PASSING,
    effect="These records of an earlier leader epoch were not in the new leader's log; the copy is now like the leader's.",
    data="After a clean election these records were not acknowledged with acks=all; with acks=1 they may have been. After an unclean election acknowledged records can be among them: check who led before and whether the new leader was in the ISR.",
    heals="it is done: the copy follows the leader",
    next="Compare with the lines before: the last ISR, and 'Leader … starts at leader epoch … from offset'.",
)
BY_KRAFT = Meaning(
    "unclean-election-by-controller",
    "The controller made broker {leader_id} the leader of {tp}<at {time}><in leader epoch {epoch}> though the ISR was {isr}: an unclean election.<{cuts}>",
    "the person who allowed or ordered it",
    TROUBLE,
    effect=UNCLEAN.effect,
    data="{data}",
    heals=UNCLEAN.heals,
    next=UNCLEAN.next,
    never=UNCLEAN.never,
)
FROM_ELR = Meaning(
    "elected-from-eligible-replicas",
    "Broker {leader_id} became leader of {tp}<at {time}> from the eligible leader replicas (ELR {elr}): a clean election, though the line says UNCLEAN.",
    "nobody",
    HARMLESS,
    next="Nothing for this line; find out why the ISR was empty.",
)
BACK_IN_ISR = Meaning(
    "isr-restored",
    "Over: {gone} had left the ISR of {tp} at {left} and was back at {back}<({stood})>.",
    "these followers, the network, or the leader itself",
    PASSING,
    effect="In between the partition had fewer copies in sync; with fewer than min.insync.replicas, writes with acks=all were rejected.",
    data="This loses no data.",
    heals="yes: it has, at {back}",
    next="If it happens again and again: see these brokers' own logs at that time (a pause, a slow disk, the network).",
)
_LEADS = ("leader_start", "partition_state_online_with_leader")
_ISR_KINDS = (
    "isr_shrink",
    "isr_updated",
    "isr_expand",
    "isr_updated_zk",
    "controller_isr_changed",
    "replica_removed_from_isr",
)


@dataclass
class _Partition:
    isr: list[int] = field(default_factory=list)
    since: datetime | None = None
    leader: int | None = None
    ends: dict[str, str] = field(default_factory=dict)
    unclean: dict[str, str] | None = None
    kraft: dict[str, str] | None = None
    shown: list[Read] = field(default_factory=list)
    cuts: list[tuple[Read, str, str]] = field(default_factory=list)


def _elections(read: Sequence[Read]) -> Iterator[Story]:
    for tp, theirs in _by_partition(read).items():
        state = _Partition()
        for one in theirs:
            yield from _step(tp, state, one)
        yield from _restored(tp, theirs)
        if state.unclean is not None or state.kraft is not None:
            yield _unclean(tp, state)
        for cut, offset, end in state.cuts if state.unclean is None and state.kraft is None else ():
            if not any(one.wording is not None and "trunc" in one.wording.key for one in theirs):
                yield _cut(tp, cut, offset, end)


def _step(tp: str, state: _Partition, one: Read) -> Iterator[Story]:
    kind = one.line.kind
    if kind in _LEADS and "leader_id" in one.values and one.values["leader_id"].isdecimal():
        yield from _led(tp, state, one)
    if kind == "kraft_partition_changed_unclean":
        yield from _by_kraft(tp, state, one)
    members = ids(one.values.get("isr", one.values.get("new_isr", ""))) if kind in _ISR_KINDS else []
    if members and members != state.isr:
        state.isr, state.since = members, one.line.ts
        state.shown.append(one)
    for name, offset in fetched(one.line):
        if name == tp:
            state.ends[one.values["me"]] = offset
    if kind == "log_truncated_to" and not one.values.get("truncation_offset", "").startswith("-"):
        offset = one.values.get("truncation_offset", "")
        state.cuts.append((one, offset, state.ends.get(one.values["me"], "")))


def _by_kraft(tp: str, state: _Partition, one: Read) -> Iterator[Story]:
    """A change that KRaft's controller calls unclean; if the leader was an eligible leader replica, the change is
    clean.
    """
    leader, elr = one.values.get("leader_id", ""), ids(one.values.get("previous_elr", ""))
    if not leader.isdecimal():
        return
    values = {"me": one.values["me"], "tp": tp, "leader_id": leader, "time": clock_time(one.line.ts)}
    if int(leader) in elr:
        values["elr"] = ", ".join(map(str, elr))
        yield Story(FROM_ELR, _known(values), (one,), _places([one]), nodes=(int(leader),))
    elif {"previous_isr", "previous_elr"} & one.values.keys() and int(leader) not in ids(
        one.values.get("previous_isr", "")
    ):
        former = ids(one.values.get("previous_isr", ""))
        eligible = f" and broker {', '.join(map(str, elr))} the eligible leader" if elr else ""
        isr = _alone(former) or f"empty{eligible}"
        state.kraft = {
            **values,
            "isr": isr,
            "former": brokers(former or elr),
            "epoch": one.values.get("leader_epoch", ""),
        }
        state.shown.append(one)


def _restored(tp: str, theirs: Sequence[Read]) -> Iterator[Story]:
    """A follower that left the ISR and rejoined it, according to these lines."""
    for one in theirs:
        gone = set(ids(one.values.get("old_isr", ""))) - set(ids(one.values.get("isr", "")))
        if one.line.kind != "isr_shrink" or not gone or one.line.ts is None:
            continue
        later = [
            other for other in theirs if other.line.kind in _ISR_KINDS and other.line.ts and other.line.ts > one.line.ts
        ]
        back = next((other for other in later if gone <= set(ids(other.values.get("isr", "")))), None)
        if back is not None:
            values = {
                **one.values,
                "tp": tp,
                "gone": brokers(sorted(gone)),
                "left": clock_time(one.line.ts),
                "back": clock_time(back.line.ts),
            }
            yield Story(BACK_IN_ISR, _known(values), (one, back), _places([one]))


def _led(tp: str, state: _Partition, one: Read) -> Iterator[Story]:
    leader, members = int(one.values["leader_id"]), ids(one.values.get("isr", ""))
    is_new = leader != state.leader
    if is_new and state.isr and leader not in state.isr and state.unclean is None:
        state.unclean = {
            "leader_id": str(leader),
            "isr": _alone(state.isr),
            "since": clock_time(state.since),
            "time": clock_time(one.line.ts),
        }
    elif is_new and not state.isr and one.values.get("from_state") == "OfflinePartition" and members == [leader]:
        values = {**one.values, "tp": tp, "time": clock_time(one.line.ts), "epoch": one.values.get("leader_epoch", "")}
        yield Story(ALONE_OR_UNCLEAN, _known(values), (one,), nodes=(leader,))
    if state.unclean is not None and str(leader) == state.unclean["leader_id"]:
        state.shown.append(one)
        state.unclean.setdefault("epoch", one.values.get("leader_epoch", ""))
        if "epoch_start_offset" in one.values:
            state.unclean["start"] = one.values["epoch_start_offset"]
    state.leader = leader
    if members:
        state.isr, state.since = members, one.line.ts


def _alone(members: Sequence[int]) -> str:
    return brokers(members) + (" alone" if len(members) == 1 else "")


def _unclean(tp: str, state: _Partition) -> Story:
    election = state.unclean or state.kraft
    assert election is not None
    values = {"tp": tp, **election}
    values["cuts"] = " ".join(_cut_sentence(one, offset, end) for one, offset, end in state.cuts)
    if values["cuts"]:
        values["data"] = (
            "The truncated records may have been acknowledged: with acks=1 in any case, with acks=all if "
            "min.insync.replicas allowed the ISR of that time. These lines do not show whether they were."
        )
    else:
        values["data"] = (
            "At risk: acknowledged records that only the former ISR had are lost; these lines do not show how many."
        )
    lines = (*state.shown, *(one for one, _, _ in state.cuts))
    meaning = UNCLEAN if state.unclean is not None else BY_KRAFT
    return Story(meaning, _known(values), lines, _places(lines), nodes=(int(values["leader_id"]),))


def _cut_sentence(one: Read, offset: str, end: str) -> str:
    me = one.values["me"]
    when = f" at {clock_time(one.line.ts)}" if one.line.ts else ""
    many = (
        f": the offsets {offset} to {int(end) - 1} ({int(end) - int(offset):,}) are gone from it"
        if end.isdecimal()
        else ""
    )
    return f"{me[:1].upper()}{me[1:]} cut its log{f' from {end}' if end else ''} back to {offset}{when}{many}."


def _cut(tp: str, one: Read, offset: str, end: str) -> Story:
    values = {**one.values, "tp": tp, "offset": offset, "end": end}
    if end.isdecimal() and offset.isdecimal():
        values["count"] = f"{int(end) - int(offset):,}"
    return Story(CUT, _known(values), (one,))


def _known(values: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}


# Deletion.

DELETED = Meaning(
    "records-deleted-on-request",
    "A client asked<at {time}> to delete the records of {tp} below offset {offset}: the log now starts there.<{removed}>",
    "whoever asked",
    TROUBLE,
    effect="Nobody can read these records any more, on any replica; consumers with a lower position start according to auto.offset.reset.",
    data="The records below {offset} are gone permanently, by request (kafka-delete-records.sh or AdminClient.deleteRecords). That is not a fault of Kafka, and not retention.",
    heals="no",
    next="Who asked is not in these lines: look for Delete on the topic in kafka-authorizer.log, or DeleteRecords in the request log. Kafka Streams does this only to its own repartition topics.",
)
OLD_TIMESTAMPS = Meaning(
    "retention-by-old-timestamps",
    "Retention removed records of {tp} soon after they were written: written by {written}, but timestamped {old} earlier ({stamped}).",
    "the producer of these records",
    TROUBLE,
    effect="The setting retention.ms uses the timestamps of the records, not the time of the write: the next check deletes such records.",
    data="They are gone on all replicas, whether or not they were consumed.",
    heals="no, while producers write such timestamps",
    next="Find the producer that sets old timestamps (a replay, a migration, seconds instead of milliseconds). With message.timestamp.type=LogAppendTime for the topic the broker's clock counts; message.timestamp.before.max.ms rejects such records.",
)


def _deleted_on_request(read: Sequence[Read]) -> Iterator[Story]:
    for tp, theirs in _by_partition(read).items():
        asked = [
            one
            for one in theirs
            if one.line.kind == "log_start_offset_incremented"
            and "delete records request" in one.values.get("reason", "")
        ]
        if not asked or _INTERNAL.search(tp.rpartition("-")[0]):
            continue
        removed = [one for one in theirs if one.line.kind == "log_start_offset_breach_delete"]
        last = max(asked, key=lambda one: int(one.values.get("log_start_offset", "0") or 0))
        values = {**last.values, "tp": tp, "offset": last.values["log_start_offset"], "time": _times(asked)}
        if removed:
            values["removed"] = f"Segments below it were removed at {_times(removed)}."
        yield Story(DELETED, _known(values), (*asked, *removed), _places([*asked, *removed]))


def _old_timestamps(read: Sequence[Read]) -> Iterator[Story]:
    limits: dict[str, str] = {}  # retention.ms by partition; up to 2.6, the next lines name the segments
    for one in read:
        tp = one.values.get("tp", "")
        if one.line.kind == "log_retention_delete" and "retention_ms" in one.values:
            limits[tp] = one.values["retention_ms"]
        elif one.line.kind != "log_segment_deleted":
            continue
        times = segment_times(one.line)
        if times is None or tp not in limits:
            continue
        written, stamped = times
        limit = timedelta(milliseconds=int(limits[tp]))
        if written - stamped > limit * _MOSTLY and written - stamped > timedelta(minutes=5):
            old = written - stamped
            values = {
                **one.values,
                "retention_ms": limits.pop(tp),
                "written": f"{written:%Y-%m-%d %H:%M:%S} UTC",
                "stamped": f"{stamped:%Y-%m-%d %H:%M:%S} UTC",
                "old": f"{old.days} days" if old.days > 1 else f"{old.total_seconds() / 3600:.1f} hours",
            }
            yield Story(OLD_TIMESTAMPS, values, (one,), _places([one]))


# Groups.

LOST_MEMBERS = Meaning(
    "group-lost-members",
    "Group {group_id} lost {members}: {why}. It rebalances each time.",
    "a client",
    PASSING,
    effect="All consumers of the group stop while it rebalances, and read uncommitted records again.",
    data="Committed offsets are kept.",
    heals="yes, when the members join again",
    next="{do}",
)
_NO_HEARTBEAT = "no heartbeat came within session.timeout.ms"
_SLOW_POLL = "it did not poll within max.poll.interval.ms"
_AT_HEARTBEAT = "Look at these clients at that time: ended, paused (garbage collection), cut off, or session.timeout.ms too short. The coordinator is not at fault."
_AT_POLL = "Processing between two polls takes too long: make max.poll.records smaller or max.poll.interval.ms longer, and check what the client waits for."


def _lost_members(read: Sequence[Read]) -> Iterator[Story]:
    lost: dict[tuple[str, str], list[tuple[Read, str]]] = defaultdict(list)
    for one in read:
        reason = one.values.get("reason", "")
        if one.line.kind != "group_rebalance_begun" or one.is_known:
            continue
        why = _SLOW_POLL if "poll timeout" in reason else _NO_HEARTBEAT if "heartbeat expiration" in reason else ""
        member = re.search(r"member (?:with id )?([\w.-]+)", reason)
        if why:
            lost[one.values.get("group_id", "…"), why].append((one, short_member(member[1]) if member else "a member"))
    for (group, why), theirs in lost.items():
        members = ", ".join(
            f"{member}{f' ({clock_time(one.line.ts)})' if one.line.ts else ''}" for one, member in theirs[:6]
        )
        more = f" and {len(theirs) - 6} more" if len(theirs) > 6 else ""
        values = {"me": theirs[0][0].values["me"], "group_id": group, "members": members + more, "why": why}
        values["do"] = _AT_POLL if why == _SLOW_POLL else _AT_HEARTBEAT
        lines = tuple(one for one, _ in theirs)
        yield Story(LOST_MEMBERS, values, lines, _places(lines))


# Registrations and logins.

REGISTERED_AFTER_ALL = Meaning(
    "registration-passed",
    "Passed: broker {id} was refused<from {first}> because its previous session had not ended, and was registered<at {done}><(broker epoch {epoch})>.",
    "nobody",
    HARMLESS,
    next="Nothing. It had not stopped cleanly: an ordered stop ends the session at once.",
)
ID_TAKEN = Meaning(
    "registration-id-taken",
    "The controller<, node {controller},> refuses to register broker {id}<for {span} now>: another process with id {id} is registered and alive.",
    "the person who started two processes with one id",
    STOPPED,
    effect="Broker {id} of this host serves nothing; it retries its registration. The controller would have forgotten a previous process within broker.session.timeout.ms (9 s by default).",
    data="Data is not affected.",
    heals="no: only when the other process ends",
    next="Find the second process with node.id={id} (kafka-broker-api-versions or kafka-cluster list-endpoints shows the address that is registered) and give one of them another id and another directory.",
    never="Do not format a directory for it.",
)
LOGIN_PASSED = Meaning(
    "zk-login-passed",
    "Harmless: the JAAS file<{file}> has no section Client, so {me} uses ZooKeeper without SASL ('Auth failed' means just that); it was connected{later}.",
    "nobody",
    HARMLESS,
    next="Nothing, unless ZooKeeper is to demand SASL (zookeeper.set.acl): then add the section Client.",
)
NO_LOGIN = Meaning(
    "zk-without-login",
    "The JAAS file<{file}> has no section Client, so {me} connects to ZooKeeper without SASL ('Auth failed' means just that): ZooKeeper refused no login.",
    "a setting, only if ZooKeeper demands SASL",
    PASSING,
    effect="None, if ZooKeeper serves clients without SASL.",
    data="Stored data is not affected.",
    heals="yes, unless ZooKeeper demands SASL",
    next="If it does not connect: look for another cause first (whether ZooKeeper serves). If ZooKeeper is to demand SASL (zookeeper.set.acl): add the section Client.",
)
_REFUSED = ("broker_registration_failed",)
_NO_SECTION = re.compile(
    r"No JAAS configuration section named '(?:Client|[^']*)' was found in (?:specified JAAS configuration file|.{0,400}?): '(?P<file>[^']*)'"
)


def _registrations(read: Sequence[Read]) -> Iterator[Story]:
    refused: dict[str, list[Read]] = defaultdict(list)
    for one in read:
        if one.line.kind == "broker_registration_failed" and "DUPLICATE" in one.line.message:
            refused[one.values.get("broker_id") or one.values.get("node_id") or "…"].append(one)
    refusals = [
        one
        for one in read
        if one.line.kind == "kraft_event_failed" and "DuplicateBrokerRegistration" in one.line.message
    ]
    for broker, theirs in refused.items():
        done = [
            one
            for one in read
            if one.line.kind == "broker_registered" and one.values.get("broker_id") == broker and _after(theirs[0], one)
        ]
        controllers = _near(refusals, theirs) if len(refused) == 1 else []
        lines = (*theirs, *controllers)
        values = {"me": theirs[0].values["me"], "id": broker, "first": clock_time(theirs[0].line.ts)}
        if done:
            values |= {"done": clock_time(done[0].line.ts), "epoch": done[0].values.get("broker_epoch", "")}
            yield Story(REGISTERED_AFTER_ALL, _known(values), lines, _places(lines))
            continue
        span = _span(theirs)
        if span > _SESSION:
            values["span"] = f"{span.total_seconds():.0f} s"
            controller = next((str(one.values.get("node_id", "")) for one in controllers), "")
            values["controller"] = controller
            yield Story(ID_TAKEN, _known(values), lines, _places(lines), nodes=tuple(ids(controller)))


def _near(mine: Sequence[Read], theirs: Sequence[Read]) -> list[Read]:
    """The lines of `theirs` that are within seconds of a line of `mine`."""
    times = [one.line.ts for one in theirs if one.line.ts]
    return [one for one in mine if one.line.ts and any(abs(one.line.ts - ts) <= _SOON for ts in times)]


def _span(read: Sequence[Read]) -> timedelta:
    times = [one.line.ts for one in read if one.line.ts is not None]
    return max(times) - min(times) if times else timedelta(0)


def _after(first: Read, other: Read) -> bool:
    if first.line.ts is None or other.line.ts is None:
        return first.line.source == other.line.source and other.line.number > first.line.number
    return other.line.ts >= first.line.ts


def _logins_passed(read: Sequence[Read]) -> Iterator[Story]:
    for one in read:
        found = _NO_SECTION.search(one.line.text)
        if found is None:
            continue
        mine = [other for other in read if other.line.source == one.line.source and _after(one, other)]
        connected = next((other for other in mine if other.line.kind == "zk_session_connected"), None)
        if connected is None:
            theirs = [other for other in read if other.line.source == one.line.source]
            failed = [other for other in theirs if other.line.kind == "zk_auth_failed"]
            notes = [other for other in theirs if _NO_SECTION.search(other.line.text)]
            values = {"me": one.values["me"], "file": found["file"]}
            yield Story(NO_LOGIN, values, (*notes, *failed), _places([*notes, *failed]))
            return
        started = next((other for other in mine if other.line.kind in ("broker_started", "process_started")), None)
        failed = [other for other in mine if other.line.kind == "zk_auth_failed" and _after(other, connected)]
        later = f" at {clock_time(connected.line.ts)}" if connected.line.ts else ""
        later += f" and started at {clock_time(started.line.ts)}" if started is not None and started.line.ts else ""
        values = {"me": connected.values["me"], "file": found["file"], "later": later}
        yield Story(LOGIN_PASSED, values, (one, *failed), _places([one, *failed]))
        return


# Restarts, pauses, devices, probes.

FIRST_START = Meaning(
    "first-start",
    "{nodes} {start} for the first time<at {since}>: the metadata log was empty, and the quorum elected its first leader<, node {leader_id},> in epoch 1<; no log was on disk at {empty}>.",
    "nobody",
    HARMLESS,
    data="There was nothing to lose: no record was stored before.",
    next="Nothing, for a new cluster. If this cluster had data before, the nodes started with empty or other volumes: stop them and compare log.dirs.",
)
_EPOCH_0 = re.compile(r"transition to Unattached(?:State)?\(epoch=0, (?![^)]{0,300}\) from (?!null))")
_VOTERS = re.compile(r"voters=\[([\d, ]+)\]")
_FIRST_LEADER = re.compile(r"transition to (?:Leader|FollowerState)\((?:[^()]{0,80}, )?epoch=1\b")
_ITS_LEADER = re.compile(r"localId=(\d+)|leader(?:Id)?=(\d+)")
_STARTING_UP = timedelta(seconds=60)


def _first_starts(read: Sequence[Read]) -> Iterator[Story]:
    """First starts of KRaft nodes with an empty metadata log, until their quorum has its first leader."""
    begun = [one for one in read if one.line.kind == "raft_transition" and _EPOCH_0.search(one.line.message)]
    nodes = sorted({int(one.values["node_id"]) for one in begun if one.values.get("node_id", "").isdecimal()})
    since = min((one.line.ts for one in begun if one.line.ts), default=None)
    if not nodes or since is None:
        return
    soon = [one for one in read if one.line.ts is not None and since <= one.line.ts <= since + _STARTING_UP]
    led = [one for one in soon if one.line.kind == "raft_transition" and _FIRST_LEADER.search(one.line.message)]
    if not led or led[0].line.ts is None:
        return
    leader = _ITS_LEADER.search(led[0].line.message)
    empty = [
        one for one in soon if one.line.kind == "log_manager_load_done" and one.line.message.startswith("Loaded 0 ")
    ]
    values = {
        "nodes": f"{'Nodes' if len(nodes) > 1 else 'Node'} {listed([*map(str, nodes)])}",
        "start": "start" if len(nodes) > 1 else "starts",
        "since": clock_time(since),
        "leader_id": (leader[1] or leader[2]) if leader else "",
        "empty": "any of them" if len({one.line.source for one in empty}) >= len(nodes) else "",
    }
    lines = (*begun, led[0], *empty)
    voters = {node for one in begun if (named := _VOTERS.search(one.line.message)) for node in ids(named[1])}
    found = None
    if voters and voters <= set(nodes):  # otherwise a voter may be down
        until = max(one.line.ts for one in (*led, *empty) if one.line.ts)
        says = f"{values['nodes'][0].lower()}{values['nodes'][1:]} started for the first time"
        found = Found(says, "", OUTAGE, None, (), since, until, asked=True, after=GOES_ON)
    yield Story(FIRST_START, _known(values), lines, _places(lines), found, tuple(nodes))


RESTARTED = Meaning(
    "restarted-in-order",
    "{me} was restarted in order: stopped<at {stopped}>, started<at {started}><, back in the ISR of {back}>.",
    "nobody",
    HARMLESS,
    next="Nothing.",
)


def _restarts(read: Sequence[Read]) -> Iterator[Story]:
    """An ordered stop and the start that followed it, in one file."""
    for one in read:
        if one.line.kind not in ("broker_shutdown_done", "broker_shutting_down", "broker_controlled_shutdown_begin"):
            continue
        me = one.values.get("broker_id", "")
        started = next(
            (
                other
                for other in read
                if other.line.kind in ("broker_started", "broker_unfenced")
                and other.line.source == one.line.source
                and _after(one, other)
            ),
            None,
        )
        if started is None or one.line.ts is None or started.line.ts is None or not me.isdecimal():
            continue
        mine = [other for other in read if other.line.source == one.line.source and other.line.ts is not None]
        stop = min(
            (other.line.ts for other in mine if other.line.kind in _STOPS and other.line.ts), default=one.line.ts
        )
        back = [
            other
            for other in read
            if other.line.kind == "isr_expand" and me in _added(other) and _after(started, other)
        ]
        values = {
            "me": f"Broker {me}",
            "stopped": clock_time(stop),
            "started": clock_time(started.line.ts),
            "back": ", ".join(other.values.get("tp", "") for other in back[:3])
            + (f" at {clock_time(back[0].line.ts)}" if back else ""),
        }
        signals = [other for other in mine if other.line.kind == "process_signal"]
        found = Found(f"broker {me} was restarted in order", "", OUTAGE, int(me), (), stop, started.line.ts, asked=True)
        yield Story(RESTARTED, _known(values), (*signals, one, started), _places([*signals, one, started]), found)
        return


_STOPS = ("process_signal", "broker_controlled_shutdown_begin", "broker_shutting_down", "broker_shutdown_done")


def _added(one: Read) -> list[str]:
    old = ids(one.values.get("old_isr", ""))
    return [str(node) for node in ids(one.values.get("isr", "")) if node not in old]


PAUSED = Meaning(
    "paused-and-fenced",
    "{node} was paused for {pauses} by garbage collection, longer than its session: because of it {who}.",
    "that process",
    TROUBLE,
    effect="Other brokers led its partitions during the pause; it comes back with its next heartbeat, and the next pause like this fences it again.",
    data="Stored data is not affected.",
    heals="yes, until the next one",
    next="{heap}The network and the controller are not at fault.",
)
_LONG_MS = 1_000
_FENCED = ("kraft_broker_session_timeout", "zk_client_timeout", "zk_session_expired", "controller_broker_failure")


def _pauses(read: Sequence[Read]) -> Iterator[Story]:
    """Long pauses of Java, with the loss of their broker's session or heartbeat during the pause."""
    pauses = [one for one in read if one.line.kind == "gc_pause" and int(one.values.get("pause_ms", "0")) >= _LONG_MS]
    for source in dict.fromkeys(one.line.source for one in pauses):
        mine = [one for one in pauses if one.line.source == source and one.line.ts is not None]
        fenced = [
            other
            for other in read
            if other.line.kind in _FENCED and other.line.ts and any(_within(one, other.line.ts) for one in mine)
        ]
        if not fenced:
            continue
        node = mine[0].line.node if mine[0].line.node is not None else next(iter(_fenced_id(fenced[0])), None)
        joined = [other for other in fenced if node is None or not _fenced_id(other) or node in _fenced_id(other)]
        if not joined:
            continue
        lengths = " and ".join(
            f"{int(one.values['pause_ms']) / 1000:.1f} s ({one.values['pause_ms']} ms, until {clock_time(one.line.ts)})"
            for one in mine[:4]
        )
        values = {
            "me": f"broker {node}" if node is not None else mine[0].values["me"],
            "node": f"Broker {node}" if node is not None else "Java",
            "pauses": lengths,
            "who": _who_fenced(joined),
            "heap": _heap(mine),
        }
        lines = (*mine, *joined)
        yield Story(PAUSED, values, lines, _places(lines), nodes=(node,) if node is not None else ())


def _within(pause: Read, ts: datetime) -> bool:
    assert pause.line.ts is not None
    length = timedelta(milliseconds=int(pause.values["pause_ms"]))
    return pause.line.ts - length <= ts <= pause.line.ts + _SOON


def _fenced_id(one: Read) -> list[int]:
    if one.line.kind == "kraft_broker_session_timeout":
        return ids(one.values.get("broker_id", ""))
    return ids(one.values.get("dead_brokers", "")) if one.line.kind == "controller_broker_failure" else []


def _who_fenced(joined: Sequence[Read]) -> str:
    fenced = [one for one in joined if one.line.kind == "kraft_broker_session_timeout"]
    if fenced:
        return f"controller {fenced[0].values.get('node_id', '…')} fenced it at {_times(fenced)}"
    return f"its session with ZooKeeper was in danger or ended at {_times(joined)}"


def _heap(pauses: Sequence[Read]) -> str:
    last = pauses[-1].values
    if "heap" not in last:
        return "See why the collection took so long. "
    return f"Its heap went from {last['before']} to {last['after']} of {last['heap']}: if it is nearly full, take a heap dump, then give it a larger heap or less to hold. "


DEVICE = Meaning(
    "device-and-directory",
    "The kernel reports errors of the device {device}<and shut its file system down ({fs})><at {time}>; for that {broker} lost its log directory {dir}.",
    "the disk",
    STOPPED,
    effect="That log directory is offline; the broker continues with its other directories, if it has any. In-sync replicas on other brokers take over.",
    data="Records on other in-sync replicas are safe; the copies in {dir} are in doubt. By its name the directory is on that device, or on the only one that fails.",
    heals="no",
    next="Replace or check {device}, check the file system while it is not mounted, then start the broker: it copies its replicas again.",
)
_OF_DEVICES = ("kernel_block_error", "kernel_fs_error", "kernel_fs_readonly", "kernel_fs_shutdown")
_OF_DIRECTORIES = ("log_dir_failed", "log_dir_failure_begin", "log_dir_failure_logs_stop")


def _failed_devices(read: Sequence[Read]) -> Iterator[Story]:
    devices = [one for one in read if one.line.kind in _OF_DEVICES and "device" in one.values]
    failed = [one for one in read if one.line.kind in _OF_DIRECTORIES and "dir" in one.values]
    if not devices or not failed or not _close(devices, failed):
        return
    shut = [one for one in devices if one.line.kind in ("kernel_fs_shutdown", "kernel_fs_readonly")]
    system = re.match(r"(XFS|EXT4-fs|BTRFS)", shut[0].line.message) if shut else None
    who = next((one.values["me"] for one in failed if re.search(r"\d", one.values["me"])), failed[0].values["me"])
    values = {
        "me": who,
        "broker": who,
        "device": ", ".join(dict.fromkeys(one.values["device"] for one in devices)),
        "fs": system[1] if system else "",
        "time": clock_time(devices[0].line.ts),
        "dir": ", ".join(dict.fromkeys(one.values["dir"] for one in failed)),
    }
    lines = (*devices, *failed)
    yield Story(DEVICE, _known(values), lines, _places(lines))


def _close(some: Sequence[Read], others: Sequence[Read]) -> bool:
    """Whether a line of `others` follows one of `some` closely, or one of the groups has no times."""
    first = [one.line.ts for one in some if one.line.ts is not None]
    second = [one.line.ts for one in others if one.line.ts is not None]
    if not first or not second:
        return True
    return any(timedelta(0) <= b - a + _SOON <= _SESSION for a in first for b in second)


PROBED = Meaning(
    "killed-by-probe",
    "Kubernetes ended the broker<of {pod}>: its {probe} probe failed ({said})<{doing}>.<SIGTERM came at {time}.><{again}>",
    "a setting of the pod",
    STOPPED,
    effect="The broker is stopped before it is ready, and starts again; while its start takes longer than the probe allows, it never finishes.",
    data="This loses no data while other in-sync replicas are alive.",
    heals="no, while the start takes longer than the probe allows",
    next="Give it a startupProbe, or a longer initialDelaySeconds and failureThreshold for the liveness probe. Recovery after an unclean stop takes minutes: let it finish once.",
    never="Do not remove the broker's volume to make the start faster: its copies would be lost.",
)


PROBE_CANNOT_RUN = replace(
    PROBED,
    key="killed-by-broken-probe",
    says=f"{PROBED.says} The command of the probe itself could not run, so it shows nothing of the broker.",
    whose="the probe",
    effect="The broker is ended again and again, even if it works.",
    heals="no",
    next=BROKEN_PROBE,
)
_ENDING_PROBE = re.compile(r"failed (liveness|startup) probe", re.IGNORECASE)


def _probes(read: Sequence[Read]) -> Iterator[Story]:
    kills = [one for one in read if one.line.kind == "container_killing" and one.values.get("by_probe")]
    failed = [one for one in read if one.line.kind == "probe_failed"]
    if not kills:
        return
    signals = [one for one in read if one.line.kind == "process_signal"]
    backed = [one for one in read if one.line.kind == "container_backed_off"]
    loading = [
        one
        for one in read
        if one.line.kind in ("log_segment_recovery", "log_dir_unclean_shutdown", "log_load_completed")
    ]
    pod = next((one.values["pod"] for one in (*kills, *failed, *backed) if one.values.get("pod")), "")
    named = _ENDING_PROBE.search(kills[0].values.get("said", ""))
    probe = named[1].lower() if named else "liveness"
    its = [one for one in failed if one.values.get("probe", probe) == probe]
    output = (its or failed or kills)[0].values.get("said", "")
    meaning = PROBE_CANNOT_RUN if CANNOT_RUN.search(output) else PROBED
    values = {
        "me": kills[0].values["me"],
        "pod": f"pod {pod}" if pod else "",
        "probe": probe,
        "said": output,
        "time": clock_time(signals[0].line.ts) if signals else "",
        "doing": ", while it was still checking its logs and had not opened its port" if loading else "",
        "again": "It starts again and again (BackOff)." if backed else "",
    }
    lines = (*kills, *failed, *signals, *backed)
    yield Story(meaning, _known(values), lines, _places([*lines, *loading]))


SENT_AGAIN = Meaning(
    "assignments-sent-again",
    "Harmless: {me} sent its directory assignments to a controller that is no longer active (NOT_CONTROLLER); it knows the new one<since {time}> and sends them again.",
    "nobody",
    HARMLESS,
    next="Nothing, unless it repeats for minutes.",
)


def _sent_again(read: Sequence[Read]) -> Iterator[Story]:
    for one in read:
        if "AssignmentsManager" not in (one.line.logger or "") or "NOT_CONTROLLER" not in one.line.message:
            continue
        known = next((other for other in read if other.line.kind == "controller_recorded" and _after(one, other)), None)
        again = [
            other
            for other in read
            if "AssignmentsManager" in (other.line.logger or "") and "NOT_CONTROLLER" in other.line.message
        ]
        if known is not None and _span(again) <= _SESSION:
            yield Story(
                SENT_AGAIN, {"me": one.values["me"], "time": clock_time(known.line.ts)}, tuple(again), _places(again)
            )
            return


_RULES: tuple[Callable[[Sequence[Read]], Iterable[Story]], ...] = (
    _elections,
    _deleted_on_request,
    _old_timestamps,
    _lost_members,
    _registrations,
    _logins_passed,
    _first_starts,
    _restarts,
    _pauses,
    _failed_devices,
    _probes,
    _sent_again,
)
