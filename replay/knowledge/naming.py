"""The subjects of a line: the broker that wrote it, and the brokers, threads, leaders, peers and partitions that it
names.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from replay.catalogue import OF_SERVERS
from replay.reading.printed_line import Line

_THREAD = re.compile(
    r"\[?(ReplicaFetcherThread-\d+-\d+|kafka-[\w-]{1,200}(?:\([\w.]{1,200}\)[\w-]{1,200})?|[\w-]{1,200}-thread(?:-\d+)?)\]?"
)
_WORDS_OF_THREADS = ("ReplicaFetcherThread-", "kafka-", "-thread")  # a text that matches _THREAD contains one of these
_PEER = re.compile(
    r"[Cc]onnection to (?:node |broker )?(?P<id>-?\d+)(?![\d.])(?: \((?P<address>[^)\s]+)\))?|[Cc]onnection to (?P<host>\S+?) \(id: (?P<host_id>-?\d+) rack"
    r"|to broker id:(?P<old_id>\d+),host:(?P<old_host>[^,\s]+),port:|to broker (?P<to_at>\S+:\d+) \(id: (?P<to_id>-?\d+)|Disconnecting from node (?P<cut_id>-?\d+)(?![\d.])|connecting to node (?P<node_at>\S+) \(id: (?P<node_id>-?\d+)|to broker (?P<broker>\d+)(?![\d.])|connection to broker (?P<at>\S+) \(id: (?P<at_id>\d+)"
)
_TO_A_BROKER = re.compile(r"targetBrokerId=|RequestSendThread|leaderId=|ReplicaFetcherThread-")
# Raft connects to controllers only, also from a broker and in a node with both roles.
_TO_A_CONTROLLER = re.compile(
    r"(?:NodeToController|BrokerToController)ChannelManager|-to-controller-|\[RaftManager (?:node)?[iI]d="
)
# The purpose of a connection to another node, and what waits without it.
_CHANNELS = (
    (
        re.compile(r"name=heartbeat\b|-to-controller-heartbeat-"),
        " for its heartbeats",
        "its heartbeats wait, and the controller fences it if none comes for broker.session.timeout.ms",
    ),
    (
        re.compile(r"name=alter-?(?:[pP]artition|[iI]sr)\b|-to-controller-alter-?(?:[pP]artition|[iI]sr)-"),
        " to change ISRs",
        "the ISR changes that it asks for stay pending",
    ),
    (
        re.compile(r"name=forwarding\b|-to-controller-forwarding-"),
        " to forward requests of clients",
        "these requests wait",
    ),
    (re.compile(r"\[RaftManager (?:node)?[iI]d="), " for the metadata quorum", "its requests to that voter wait"),
    (re.compile(r"\bleaderId=|ReplicaFetcherThread-"), " to copy partitions", "it copies nothing from there"),
)
_OF_RAFT = re.compile(r"\[RaftManager (?:node)?[iI]d=")
_ADDRESS = re.compile(r"Closing socket (?:connection )?for (?:/?)(?P<peer>\S+?)(?: because|$)")
_LEADER = re.compile(
    r"leaderId=(\d+)|ReplicaFetcherThread-\d+-(\d+)|current leader (\d+)'s|the new leader (\d+) is unavailable"
)
_PARTITION = re.compile(
    r"\[([\w.-]+), ?(\d+)\]|\b([A-Za-z_][\w.-]{0,249}?)-(\d{1,10})\b(?= at offset| offset|, offset|\)| marked| because| to broker|:|\.$)"
)

_OF_A_THREAD = re.compile(
    r"\[(?![^\]\n]{0,200}partition)[^\]\n]{0,80}[Tt]hread[^\]\n]{0,300}\]"
)  # its name is no partition
_MOST_IDS = 1_000_000  # a consumer numbers its connection to the coordinator 2147483647 minus the broker's id
_CLIENT_ID = re.compile(r"clientId=([^,\]\s]+)")
_SHRINKS = re.compile(r"Shrinking ISR (?:for partition \[?\S+\]? )?from ([\d,]+) to ([\d,]*)")

_OF_A_SERVER = re.compile(
    r"kafka\.(?!admin\.|tools\.)|state\.change|org\.apache\.kafka\.(?:controller|coordinator|image|metadata|raft|server|storage)\.|org\.apache\.zookeeper\.server"
)

_SERVER_OF_ZOOKEEPER = "org.apache.zookeeper.server."
# Classes that run only in brokers.
_OF_A_BROKER = re.compile(
    r"kafka\.log\.(?:LogCleaner|LogManager)|kafka\.server\.(?:ReplicaManager|ReplicaFetcher\w+|BrokerServer|BrokerLifecycleManager)\b|kafka\.cluster\.Partition"
)
# Lines of the ZooKeeper client in any process that uses it: brokers, tools, old consumers, other services.
_OF_ZOOKEEPERS_CLIENT = re.compile(
    r"\b(?:zookeeper|z)\.(?:ClientCnxn|ZooKeeper|Login|client\.)|I0Itec|curator\.|Client session timed out, have not heard|"
    r"Session 0x\w+ for se?r?ver |Session establishment complete on server|Opening socket connection to server|"
    r"Unable to (?:read additional data from server|open socket to|reconnect to ZooKeeper service)|<ClientCnxn +:|zookeeper state changed|Initiating client connection, connectString"
)

# Only a process with a listener prints these: a limit of requests, and frames of a broker.
_SERVES = re.compile(
    r"Invalid receive \(size = \d+ larger than \d+\)|^[ \t]{0,40}+at kafka\.(?:network|server|log|cluster|controller|coordinator|Kafka)\b",
    re.MULTILINE,
)

# What a person writes between the lines of two nodes.
_OF_OTHERS = re.compile(
    r"^(?!\s*at )[^\n\[\]{}=|]{0,120}\b(?:other|rest of|another|remaining|from the|from|on|in|of)\b[^\n\[\]{}=|]{0,40}\b(?:brokers?|nodes?|servers?|controllers?|pods?)\b[^\n\[\]{}=|]{0,120}$",
    re.IGNORECASE,
)
_PASTED = ("", "-", "text")  # names of a text that is not a file

_THREADS = (
    (r"ReplicaFetcher", "It copies no partitions from {leader} any more"),
    (r"acceptor", "It accepts no new connections"),
    (r"processor|network-thread", "The connections of that thread are no longer served"),
    (r"request-handler|data-plane", "One thread fewer serves requests; without any, nothing is answered"),
    (r"log-cleaner", "Compacted topics are no longer cleaned on this broker"),
    (r"scheduler", "A task that runs occasionally is no longer done"),
)


def own(line: Line) -> tuple[str, str] | None:
    """The role and id of the process that wrote the line (`broker`, `2`); None if the line does not show it."""
    return line.own


@dataclass(frozen=True)
class Subjects:
    """The processes that wrote the lines: the `roles` of each id from all of its lines, the name of each file's
    process, and the ids of nodes that are known from elsewhere. `elsewhere`: the row of a paste from which on
    other processes wrote the lines.
    """

    roles: Mapping[str, frozenset[str]]
    files: Mapping[str, str]
    nodes: frozenset[str] = frozenset()
    roleless: frozenset[str] = frozenset()  # files in which no line shows a Kafka node
    elsewhere: Mapping[str, int] = field(default_factory=dict)

    def named(self, node: str, role: str = "node") -> str:
        """`broker 2`; a node that only its controller's lines name is a `controller`; a node with an unknown role is
        a `role`.
        """
        roles = self.roles.get(node, frozenset())
        sort = "broker" if "broker" in roles else "controller" if "controller" in roles else role
        return f"{sort} {node}"

    def of(self, line: Line) -> str:
        """The process that wrote the line: from the line itself, from what is known about its node, from the rest of its
        file, or, if these show no name, from the name of its container.
        """
        found = self._of(line)
        if not line.container or not is_nameless(found):
            return found
        return f"client {line.container}" if found == "this client" else f"the {_sort_of(found)} of {line.container}"

    def _of(self, line: Line) -> str:
        if line.is_clients:
            client = _CLIENT_ID.search(line.message)
            return f"client {client[1]}" if client else "this client"
        who = own(line)
        if who is not None:
            return f"controller {who[1]}" if self._is_of_a_controller(line, who) else self.named(who[1], who[0])
        if line.node is None and line.number > self.elsewhere.get(line.source, line.number):
            return nameless(line.source)
        if line.source in self.roleless and line.node is None and _of_zookeepers_client(line):
            return nameless(line.source, "process")
        if line.node is not None:
            return self.named(str(line.node)) if str(line.node) in self.roles else self.files[line.source]
        return self.files[line.source]

    def _is_of_a_controller(self, line: Line, who: tuple[str, str]) -> bool:
        """Whether a controller wrote the line. In a node with both roles, only the controller votes in the metadata
        quorum.
        """
        is_voter = _OF_RAFT.match(line.message) is not None and "controller" in self.roles.get(who[1], ())
        return who[0] == "controller" or is_voter

    @property
    def here(self) -> frozenset[str]:
        """The ids of all nodes whose own lines are here."""
        return frozenset(self.roles) | self.nodes


def rows_about_others(lines: Sequence[Line]) -> dict[str, int]:
    """For each paste, the first row in which a person says that the lines after it are from another node."""
    found: dict[str, int] = {}
    for line in lines:
        is_prose = line.template is None and line.logger is None and line.ts is None and not line.trace
        if line.source in _PASTED and is_prose and _OF_OTHERS.search(line.message[:300]):
            found.setdefault(line.source, line.number)
    return found


def subjects(
    lines: Sequence[Line], nodes: Mapping[str, int] | None = None, elsewhere: Mapping[str, int] | None = None
) -> Subjects:
    """The process that wrote each line. `nodes`: for files whose node is known from elsewhere; `elsewhere`: the row
    from which on the lines of a paste come from other processes.
    """
    known = nodes or {}
    roles: dict[str, set[str]] = defaultdict(set)
    of_files: dict[str, Counter[str]] = {}
    for line in lines:
        counts = of_files.setdefault(line.source, Counter())
        who = own(line)
        if who is not None:
            roles[who[1]].add(who[0])
            counts[who[1]] += 1
    for source in {line.source for line in lines if _OF_A_BROKER.match(line.logger or "")}:
        counts = of_files[source]
        if len(counts) == 1:  # a controller that is also a broker
            roles[next(iter(counts))].add("broker")
    found = Subjects({node: frozenset(of) for node, of in roles.items()}, {})
    clients = {line.source for line in lines if line.is_clients} - {
        line.source for line in lines if own(line) is not None or _OF_A_SERVER.match(line.logger or "")
    }
    files = dict.fromkeys(clients, "this client") | {
        source: _subject(source, counts, known.get(source), found)
        for source, counts in of_files.items()
        if source not in clients
    }
    nodes_here = frozenset(str(line.node) for line in lines if line.node is not None)
    roleless = frozenset(of_files) - {line.source for line in lines if _of_a_node(line)} - set(known)
    files |= {source: nameless(source, "process") for source in roleless - clients}
    zookeepers = {line.source for line in lines if (line.logger or "").startswith(_SERVER_OF_ZOOKEEPER)}
    alone = zookeepers - {line.source for line in lines if own(line) is not None} - set(known)
    files |= {source: nameless(source, "server of ZooKeeper") for source in alone}
    return Subjects(found.roles, files, nodes_here, roleless, elsewhere or {})


def _of_zookeepers_client(line: Line) -> bool:
    return _OF_ZOOKEEPERS_CLIENT.search(f"{line.logger or ''} {line.message[:400]}") is not None


def _of_a_node(line: Line) -> bool:
    """Whether the line shows that a broker, a controller or a ZooKeeper server wrote it."""
    if own(line) is not None:
        return True
    is_servers = _OF_A_SERVER.match(line.logger or "") is not None or line.template in OF_SERVERS
    return not line.is_clients and (is_servers or _SERVES.search(line.text[:2000]) is not None)


def _subject(source: str, counts: Counter[str], known: int | None, names: Subjects) -> str:
    """The name of the node that wrote the file's lines; a phrase without an id if no line shows it or several nodes
    wrote them.
    """
    if known is not None:
        return names.named(str(known)) if str(known) in names.roles else nameless(source)
    if not counts:
        return nameless(source)
    (first, most), *others = counts.most_common()
    if others and others[0][1] * 10 > most:
        return "one of these brokers" if source in _PASTED else f"one of the brokers of {source.rsplit('/', 1)[-1]}"
    return names.named(first)


def is_nameless(subject: str) -> bool:
    """Whether `subject` is what `nameless` returns."""
    return subject.startswith(("this ", "the broker of ", "the process of ", "the server of "))


def _sort_of(subject: str) -> str:
    """`broker` of `this broker` and of `the broker of server.log`."""
    return subject.partition(" ")[2].partition(" of ")[0] if subject.startswith("the ") else subject.partition(" ")[2]


def is_no_broker(subject: str) -> bool:
    """Whether `subject` is a client, or a process that no line shows to be a broker."""
    return subject.startswith(("this client", "client ", "this process", "the process of "))


def nameless(source: str, sort: str = "broker") -> str:
    """A name for a process whose id no line shows."""
    return f"this {sort}" if source in _PASTED else f"the {sort} of {source.rsplit('/', 1)[-1]}"


def writer(line: Line) -> int | None:
    """The id of the node that wrote the line."""
    who = own(line)
    return line.node if line.node is not None else int(who[1]) if who is not None else None


def nodes_named(line: Line, values: Mapping[str, str]) -> frozenset[int]:
    """The ids of all nodes that a line is about, including its writer."""
    who = own(line)
    ids = [who[1]] if who else []
    ids += [
        values[name]
        for name in ("peer_id", "leader_id", "fenced_id", "other_id", "broker_id", "stopping", "gone", "removed")
        if name in values
    ]
    # Before a client has metadata, it numbers its bootstrap servers -1, -2 …: these are not node ids.
    nodes = {int(found) for some in ids for found in re.findall(r"(?<![\w-])\d+", some)}
    nodes = {
        node for node in nodes if node < 2**31 - _MOST_IDS
    }  # the rest are a consumer's numbers for its coordinator
    return frozenset(nodes | ({line.node} if line.node is not None else set()))


def values_of(line: Line, subject: str, names: Subjects) -> dict[str, str]:
    """All values that a line names, under the names that meanings use."""
    values = {name: value.strip() for name, value in line.fields.items() if value and value.strip()}
    who = own(line)
    values["me"] = subject
    values["follower"] = f"follower {who[1]}" if who and who[0] == "broker" else subject
    values["Follower"] = values["follower"]
    _peer(line, values, who[1] if who else None, names)
    _leader(line, values)
    _partition(line, values)
    _thread(line, values)
    _removed(line, values)
    return values


def _removed(line: Line, values: dict[str, str]) -> None:
    """Adds the replicas removed from an ISR."""
    found = _SHRINKS.search(line.message)
    if found:
        gone = [node for node in found[1].split(",") if node not in found[2].split(",")]
        values["removed"] = ",".join(gone)


def _peer(line: Line, values: dict[str, str], own_id: str | None, names: Subjects) -> None:
    text = line.text[:2000]
    found = _PEER.search(text) if "onnect" in text or "to broker" in text else None
    if found:
        peer = (
            found["id"]
            or found["host_id"]
            or found["to_id"]
            or found["old_id"]
            or found["broker"]
            or found["at_id"]
            or found["node_id"]
            or found["cut_id"]
        )
        address = (found["address"] or found["host"] or found["to_at"] or found["at"] or found["node_at"] or "").lstrip(
            "/"
        )
        coordinator = 2**31 - 1 - int(peer)
        if peer.startswith("-"):
            values["peer"] = address or "a bootstrap server"
        elif 0 <= coordinator < _MOST_IDS:
            values["peer"] = f"its coordinator, broker {coordinator}" + (f" at {address}" if address else "")
            values["peer_id"] = str(coordinator)
        else:
            values["peer"] = _sort_of_peer(found[0].replace(address, ""), line, peer, names) + (
                f" at {address}" if address else ""
            )
            values["peer_id"] = peer
        if address:
            values["address"] = address
        values["itself"] = " (itself)" if peer == own_id else ""
        for channel, purpose, waiting in _CHANNELS:
            if channel.search(text):
                values["purpose"], values["waiting"] = purpose, waiting
                break
        if peer == own_id:
            values["own_name"] = _sort_of_peer(found[0].replace(address, ""), line, peer, names)
    elif closed := _ADDRESS.search(line.message):
        values["peer"] = closed["peer"]
    elif "connection_id" in values:
        values["client_address"] = (
            values["connection_id"].split("-")[1] if "-" in values["connection_id"] else values["connection_id"]
        )


def _sort_of_peer(role: str, line: Line, peer: str, names: Subjects) -> str:
    """`broker 2` or `controller 2`, from the line or from what other lines show about that node; its address shows
    nothing.
    """
    if _TO_A_CONTROLLER.search(line.message):
        return f"controller {peer}"
    is_broker = "broker" in role or _TO_A_BROKER.search(line.message) is not None
    return f"broker {peer}" if is_broker else names.named(peer)


def _leader(line: Line, values: dict[str, str]) -> None:
    found = _LEADER.search(line.message)
    leader = next((group for group in found.groups() if group), None) if found else values.get("leader_id")
    if leader and leader != "-1":
        values["leader_id"] = leader
        values["leader"] = f"leader {leader}"
        values.setdefault("peer_id", leader)
        values.setdefault("peer", f"broker {leader}")


def _partition(line: Line, values: dict[str, str]) -> None:
    if "topic" in values and "partition" in values:
        values["tp"] = f"{values['topic']}-{values['partition']}"
    elif "topic_name" in values and "partition" in values:
        values["tp"] = f"{values['topic_name']}-{values['partition']}"
    elif found := _PARTITION.search(_OF_A_THREAD.sub("", line.message, count=1)):
        topic, number = (found.group(1), found.group(2)) if found.group(1) else (found.group(3), found.group(4))
        if not re.match(r"(?i)(?:kafka|Replica|Controller|broker|id)\b", topic):
            values["tp"] = f"{topic}-{number}"


def _thread(line: Line, values: dict[str, str]) -> None:
    head = line.message[:120]
    may_have_one = any(map(head.__contains__, _WORDS_OF_THREADS))  # much faster than the pattern
    found = _THREAD.search(head) if may_have_one else None
    name = values.get("thread") or (found.group(1) if found else None)
    if name is None and "leaderId=" in line.message:
        name = "the fetcher thread"
    if name is None:
        return
    values["thread_is"] = name if name.startswith("the ") else f"thread {name}"
    if "leader" in values:
        values["thread_is"] += f" (copies from {values['leader']})"
    for part, effect in _THREADS:
        if re.search(part, name if not name.startswith("the ") else "ReplicaFetcher"):
            values["thread_effect"] = effect.replace("{leader}", values.get("leader", "its leader"))
            break
