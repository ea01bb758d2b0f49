"""The keys that join two lines about one event, and the timestamps of these lines; plain Python over each node's
lines in their order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from replay.clocks.controller_requests import HANDLED, Requests
from replay.clocks.controller_requests import KINDS as REQUESTS
from replay.clocks.happened_before import REGISTERED, RULES
from replay.clocks.stamps import GivenZones, stamp_of, turn_of
from replay.clocks.zones import is_zone
from replay.facts.lines import detail, detail_number, number_in, whole_number
from replay.facts.times import first_known
from replay.json_text import value_of_json
from replay.tables.clocks import KeyedStamp, NodeClock, OrderedLine, StampedLine
from replay.tables.table import table_of

_PROMPT_MS = 60_000  # `startTimeMs` and `lastFetchTimestamp` are logged at most this long after they were taken
_LINGER_MS = 25  # a record's CreateTime is that of its batch, which stays open this long (BatchAccumulator)
_PARTITION_RECORDS = ("PARTITION_RECORD", "PARTITION_CHANGE_RECORD")
_CHANGES, _CHANGED = ("isr_shrink", "isr_expand"), ("isr_updated", "leader_start", "follower_start")
_CONNECTS = ("Opening socket connection", "Socket connection established")
_ACKNOWLEDGED = re.compile(
    r"ReplicaState\((?:nodeId=|replicaKey=ReplicaKey\(id=)(\d+)(?:(?!ReplicaState).){0,300}?hasAcknowledgedLeader=true"
)
_CREATED = re.compile(r"-(\d+) with topic ID ([\w-]{22})")
_OF_RECORD = table_of(OrderedLine).schema.names


class Stamp(NamedTuple):
    """A time by a clock, in epoch milliseconds, and the line that states it."""

    clock: str | None
    wall: int | None
    event_id: str


def keyed_stamps(
    ordered_lines: Sequence[OrderedLine], node_clocks: Sequence[NodeClock], zones: GivenZones
) -> Iterator[KeyedStamp]:
    """What the lines of one node prove about causes and effects."""
    own = [clock for clock in node_clocks if clock.node_id == ordered_lines[0].node_id]
    lines = [line for line in (_stamped(record, own, zones) for record in ordered_lines) if line is not None]
    lines.sort(key=lambda line: (line.turn, line.wall, line.source_file, line.line_number))
    for rule, is_cause, key, clock, wall, event_id in keys_by_node(lines):
        yield KeyedStamp(rule, is_cause, key, clock, wall, event_id)


def _stamped(record: OrderedLine, clocks: Sequence[NodeClock], zones: GivenZones) -> StampedLine | None:
    """The line with its timestamp as a number; None without one."""
    stamp = stamp_of(record, zones)
    if stamp is None:
        return None
    turn, wall = turn_of(record, stamp, clocks)
    own = {name: getattr(record, name) for name in _OF_RECORD}
    return StampedLine(**own, base=stamp.base, turn=turn, wall=wall)


def keys_by_node(lines: Iterable[StampedLine]) -> Iterator[tuple[str, bool, str, str | None, int, str]]:
    """The causes and effects in the lines of one node, in their order: the values of `KEYED_STAMPS`."""
    memory = _Memory()
    for line in lines:
        entry = memory.observe(line)
        for use in _USES.get(entry.what or "", ()):
            key = KEYS[use.key](entry)
            stamp = STAMPS[use.stamp](entry) if key is not None else None
            if key is not None and stamp is not None and stamp.wall is not None:
                for one in key.split(" "):
                    yield use.rule, use.is_cause, one, stamp.clock, stamp.wall, stamp.event_id


class _Use(NamedTuple):
    """The role of a line in a rule: cause or effect, by which key, at which of its timestamps."""

    rule: str
    is_cause: bool
    key: str
    stamp: str


def _uses() -> dict[str, list[_Use]]:
    uses: dict[str, list[_Use]] = {}
    for rule in RULES:
        for side, is_cause in ((rule.causes, True), (rule.effects, False)):
            for what, key, stamp in side:
                uses.setdefault(what, []).append(_Use(rule.name, is_cause, key, stamp))
    return uses


_USES = _uses()


@dataclass
class _Partition:
    """What a node has logged about one partition.

    Its topic id, the start of a pending ISR change, the number of its records in the metadata log, and the partition
    epoch of the first of these minus its position.
    """

    topic_id: str | None = None
    changing: Stamp | None = None
    records: int = 0
    first_epoch: int | None = None


@dataclass
class _Memory:
    """What a node logged before a line, in its own order; it supplies what later lines omit."""

    own_incarnation: str | None = None
    registering: Stamp | None = None  # a request is sent after its channel has found the controller
    registered: int | None = None
    recovering: Stamp | None = None
    leads: bool | None = None
    sending: Stamp | None = None
    connecting: Stamp | None = None
    creating: tuple[str | None, Stamp] | None = None
    raft_epoch: int | None = None
    requests: Requests = field(default_factory=Requests)
    handling: Stamp | None = None
    partitions: dict[tuple[str | None, int | None], _Partition] = field(default_factory=dict)

    def observe(self, line: StampedLine) -> _LogEntry:
        """The line, with what the node had logged up to it."""
        kind, message = line.kind, line.message or ""
        own = Stamp(
            f"{line.base}{line.node_id}.{line.turn}" if line.node_id is not None else None, line.wall, line.event_id
        )
        record = _record(message) if kind == "dump_metadata_record" else _Record()
        state = (detail(line, "new_state") or detail(line, "state")) if kind == "raft_transition" else None
        if kind == "broker_incarnation":
            self.own_incarnation = detail(line, "incarnation_id") or self.own_incarnation
        if kind == "broker_incarnation" or (kind == "controller_recorded" and "heartbeat" in message):
            self.registering = own
        if kind == "broker_registered":
            self.registered = first_known(line.broker_epoch, self.registered)
        if kind in ("broker_recovery", "broker_waiting_unfence"):
            self.recovering = own
        if state is not None:
            self.leads = state.startswith("Leader")
        if kind == "kraft_controller_registration" and "attempting to send" in message:
            self.sending = own
        if kind in ("zk_connecting", "zk_client_progress") and message.startswith(_CONNECTS):
            self.connecting = own
        if kind == "zk_znode_created" and message.startswith("Creating"):
            self.creating = (detail(line, "path"), own)
        if kind == "dump_batch":
            self.raft_epoch = first_known(line.controller_epoch, self.raft_epoch)
        if kind in REQUESTS:
            self.requests.observe(line)
        if kind in HANDLED:
            self.handling = own
        topic, number = first_known(record.topic_id, line.topic), first_known(record.partition, line.partition)
        partition = self.partitions.setdefault((topic, number), _Partition())
        changing = partition.changing
        if kind in _CHANGES:
            partition.changing = own
        elif kind in _CHANGED:
            partition.changing = None
        partition.topic_id = first_known(line.topic_id, partition.topic_id)
        if record.type in _PARTITION_RECORDS:
            partition.records += 1
        if record.type == "PARTITION_RECORD":
            partition.first_epoch = (record.partition_epoch or 0) - partition.records
        return _LogEntry(line, own, record, state, topic, number, changing, partition, self)


class _Record(NamedTuple):
    """The content of a record of the metadata log."""

    type: str | None = None
    topic_id: str | None = None
    partition: int | None = None
    partition_epoch: int | None = None
    incarnation_id: str | None = None
    broker_id: int | None = None
    broker_epoch: int | None = None
    fenced: object = None


def _record(text: str) -> _Record:
    record = value_of_json(text)
    data = (record.get("data") or {}) if isinstance(record, dict) else None
    if isinstance(data, dict):
        names = ("topicId", "partitionId", "partitionEpoch", "incarnationId", "brokerId", "brokerEpoch", "fenced")
        return _Record(record.get("type"), *map(data.get, names))
    return _Record()


@dataclass(frozen=True, slots=True)
class _LogEntry:
    """A line, with what its node had logged up to it; `changing`: the pending change of the partition's ISR before
    it.
    """

    line: StampedLine
    own: Stamp
    record: _Record
    state: str | None
    topic: str | None
    partition: int | None
    changing: Stamp | None
    of_partition: _Partition
    memory: _Memory

    @property
    def what(self) -> str | None:
        """The line's kind, refined if its text or the writer's role makes a difference."""
        kind = self.line.kind
        if kind == "raft_transition":
            role = re.match("Leader|Follower|Candidate", self.state or "")
            return f"raft {role[0]}" if role else None
        if kind == "dump_batch":
            return "record batch"
        if kind == "dump_metadata_record":
            unfenced = self.record.type == "BROKER_REGISTRATION_CHANGE_RECORD" and self.record.fenced == -1
            if self.record.type in _PARTITION_RECORDS:
                return "record partition"
            return f"record {'unfenced' if unfenced else self.record.type}"
        if kind == "kraft_controller_registration":
            return "controller_acknowledged" if "acknowledged" in (self.line.message or "") else None
        if kind in (*REGISTERED, "kraft_controller_registered", "kraft_partition_created") and self.memory.leads:
            return f"active {kind}"
        return str(kind)

    def group(self, pattern: str) -> str | None:
        """The match of the first group of `pattern` in the line's text; None without one."""
        found = re.search(pattern, self.line.message or "")
        return found[1] if found else None


def _key(*parts: object) -> str | None:
    """The parts, joined by `:`; None if one of them is None."""
    return None if None in parts else ":".join(map(str, parts))


def _incarnation(entry: _LogEntry) -> str | None:
    incarnation = detail(entry.line, "incarnation_id") or entry.record.incarnation_id
    if incarnation is None and entry.line.kind in (*REGISTERED, "kraft_controller_registered"):
        return entry.group(r"incarnationId=([\w-]+)")
    return incarnation


def _session(entry: _LogEntry) -> str | None:
    granted = _key(entry.line.broker_id, detail(entry.line, "register_broker_record_offset"))
    return granted or _key(entry.record.broker_id, entry.record.broker_epoch)


def _raft_epoch(entry: _LogEntry) -> str | None:
    epoch = re.search(r"\bepoch=(\d+)", entry.state or "")
    return epoch[1] if epoch else _key(entry.line.controller_epoch) if entry.line.kind == "dump_batch" else None


def _vote(entry: _LogEntry) -> str | None:
    if entry.line.kind != "raft_vote_decision" or detail(entry.line, "vote_result") != "granted":
        return None
    return _key(detail(entry.line, "candidate_epoch"), entry.group(r"candidateId=(\d+)"))


def _votes_counted(entry: _LogEntry) -> str | None:
    epoch = detail(entry.line, "epoch")
    if entry.line.kind != "raft_leader_hw_first" or epoch is None:
        return None
    return " ".join(f"{epoch}:{voter}" for voter in _ACKNOWLEDGED.findall(entry.line.message or ""))


def _partition_id(entry: _LogEntry) -> str | None:
    if entry.line.kind != "kraft_partition_created":
        return _key(entry.line.topic_id, entry.partition)
    found = _CREATED.search(entry.line.message or "")
    return _key(found[2], found[1]) if found else None


def _state(entry: _LogEntry) -> str | None:
    """A partition's id and its partition epoch. In the metadata log, the epoch follows from the record's position."""
    own, line = entry.of_partition, entry.line
    recorded = None if own.first_epoch is None else own.first_epoch + own.records
    topic_id = first_known(entry.topic if line.base == "r" else None, own.topic_id)
    return _key(topic_id, entry.partition, first_known(recorded, line.partition_epoch))


def _term(entry: _LogEntry) -> str | None:
    led = entry.line.leader_id is None or entry.line.leader_id >= 0
    return _key(entry.topic, entry.partition, entry.line.leader_epoch) if led else None


def _request(entry: _LogEntry) -> str | None:
    line = entry.line
    return _key(line.controller_id, line.controller_epoch, line.node_id, detail(line, "correlation_id"))


def _response(entry: _LogEntry) -> str | None:
    line, broker = entry.line, detail(entry.line, "broker_node")
    if "LEADERANDISR" not in (detail(line, "api") or "").replace("_", "").upper() or broker is None:
        return None
    return _key(
        line.controller_id, line.controller_epoch, number_in(broker, r"id: (\d+)"), detail(line, "correlation_id")
    )


def _lowered(text: str | None) -> str | None:
    return None if text is None else text.lower()


def _stat(entry: _LogEntry) -> list[str]:
    stat = detail(entry.line, "stat")
    return [] if stat is None else stat.split(",")


def _names_created_path(entry: _LogEntry) -> bool:
    path = detail(entry.line, "path")
    return path is not None and entry.memory.creating is not None and entry.memory.creating[0] == path


def _czxid(entry: _LogEntry) -> str | None:
    stat = _stat(entry)
    return stat[0] if stat and entry.line.kind == "zk_znode_stat" and _names_created_path(entry) else None


def _registered_broker(entry: _LogEntry) -> str | None:
    found = re.match(r"/brokers/ids/(\d+)$", detail(entry.line, "path") or "")
    return found[1] if found else None


def _broker_epochs(entry: _LogEntry) -> str | None:
    epochs = detail(entry.line, "broker_epochs")
    return None if epochs is None else " ".join(re.findall(r"(?<!\d)\d++ -> \d+", epochs)).replace(" -> ", ":")


def _broker_created(entry: _LogEntry) -> str | None:
    done = (entry.line.message or "").startswith("Result of znode creation") and detail(entry.line, "code") == "OK"
    return _registered_broker(entry) if done and _names_created_path(entry) else None


def _broker_added(entry: _LogEntry) -> str | None:
    added = detail(entry.line, "new_brokers") or ""
    return added if re.fullmatch(r"\d+", added) else None


# The keys that join causes and effects; None if the line has none. Several keys are separated by spaces.
KEYS: dict[str, Callable[[_LogEntry], str | None]] = {
    "event": lambda entry: entry.line.event_id,
    "node": lambda entry: _key(entry.line.node_id),
    "own_incarnation": lambda entry: entry.memory.own_incarnation,
    "incarnation": _incarnation,
    "own_session": lambda entry: _key(entry.line.node_id, entry.memory.registered),
    "session": _session,
    "raft_epoch": _raft_epoch,
    "raft_epoch_node": lambda entry: _key(_raft_epoch(entry), entry.line.node_id),
    "vote": _vote,
    "votes_counted": _votes_counted,
    "partition_id": _partition_id,
    "first_state": lambda entry: _key(entry.line.topic_id, entry.partition, 0),
    "state": _state,
    "named_state": lambda entry: _key(entry.topic, entry.partition, entry.line.partition_epoch),
    "term": _term,
    "request": _request,
    "response": _response,
    "broker": lambda entry: _key(entry.line.broker_id),
    "sent": lambda entry: entry.memory.requests.sent,
    "handled": lambda entry: entry.memory.requests.handled,
    "handled_before": lambda entry: entry.memory.requests.handled_before,
    "zk_session": lambda entry: _lowered(detail(entry.line, "session_id")),
    "czxid": _czxid,
    "broker_epoch": lambda entry: _key(_registered_broker(entry), _czxid(entry)),
    "broker_epochs": _broker_epochs,
    "broker_created": _broker_created,
    "broker_added": _broker_added,
}


def _own(entry: _LogEntry) -> Stamp:
    if entry.line.base == "r":
        return _of_record(entry, entry.line.wall)
    return entry.own._replace(clock=_clock("m", entry.line.node_id)) if entry.line.base == "m" else entry.own


def _of_record(entry: _LogEntry, wall: int | None) -> Stamp:
    """A time by the clock of the controller that wrote the records of this Raft epoch."""
    return Stamp(_clock("r", entry.memory.raft_epoch), wall, entry.line.event_id)


def _clock(letter: str, owner: int | None) -> str | None:
    return None if owner is None else f"{letter}{owner}"


def _newest(entry: _LogEntry, name: str) -> int | None:
    return max(map(int, re.findall(name + r"[:=] ?(\d{13})", entry.line.message or "")), default=None)


_YEAR_5138_MS = 100_000_000_000_000  # a larger number in a line is not a time


def _at_once(entry: _LogEntry) -> int | None:
    if entry.line.kind == "process_start_time":
        start_ms = detail_number(entry.line, "start_time_ms")
        return start_ms if start_ms is not None and start_ms < _YEAR_5138_MS else None
    return _newest(entry, "lastFetchTimestamp") if entry.line.kind == "raft_leader_hw_first" else None


def _printed(entry: _LogEntry) -> Stamp | None:
    printed = first_known(
        _at_once(entry),
        _newest(entry, "lastCaughtUpTimeMs") if entry.line.kind == "isr_shrink" else None,
    )
    return _by_itself(entry, printed) if printed is not None and printed > 0 else None


def _printed_at_once(entry: _LogEntry) -> Stamp | None:
    at_once = _at_once(entry)
    return _by_itself(entry, at_once + _PROMPT_MS) if at_once is not None and at_once > 0 else None


def _by_itself(entry: _LogEntry, wall: int) -> Stamp | None:
    """A time that the line states; None if no zone explains its distance from the line's own timestamp."""
    if entry.own.wall is None or not is_zone(entry.own.wall - wall):
        return None
    return Stamp(_clock("e", entry.line.node_id), wall, entry.line.event_id)


def _ctime(entry: _LogEntry) -> Stamp:
    stat = _stat(entry)
    return Stamp("z", whole_number(stat[2]) if len(stat) > 2 else None, entry.line.event_id)


def _offset(entry: _LogEntry) -> Stamp | None:
    """The negated offset in place of a time, so that the last of a term is its first offset."""
    offset = detail_number(entry.line, "offset")
    return None if offset is None else _of_record(entry, -offset)


# The times of a line: its own, that of an earlier line of its node, or one in its text.
STAMPS: dict[str, Callable[[_LogEntry], Stamp | None]] = {
    "own": _own,
    "registering": lambda entry: entry.memory.registering,
    "recovering": lambda entry: entry.memory.recovering,
    "sending": lambda entry: entry.memory.sending,
    "connecting": lambda entry: entry.memory.connecting,
    "creating": lambda entry: entry.memory.creating[1] if entry.memory.creating else None,
    "changing": lambda entry: entry.changing,
    "handling": lambda entry: entry.memory.handling,
    "printed": _printed,
    "printed_at_once": _printed_at_once,
    "ctime": _ctime,
    "offset": _offset,
    "written": lambda entry: _of_record(entry, entry.line.wall + _LINGER_MS),
}
