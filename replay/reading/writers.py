"""The node that wrote a record of a file with records of several nodes: the id in its prefix, text or thread.

Kafka's quickstart starts several brokers in one folder, and all of them append to the same `logs/server.log`. A record
there that names no node belongs to none, because another node may have written the line before it. Sources:
kafka-log-formats §3 (prefixes), `Thread.setName` and `ShutdownableThread` names of the broker and the raft client.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from replay.reading.matching import integer
from replay.reading.settings import Setting

# Text before the node's own id. `[ReplicaFetcherThread-0-2]` names a leader, `[Consumer clientId=…]` a client.
# Kafka 4.0 names the thread before it sets the id: `[ExpirationReaper-0-null]` on each node.
_BEFORE_AN_ID = (
    r"\[[^\]]{0,200}?\b(?:id|nodeId|brokerId|controllerId|broker|replicaId)=(?=\d{1,10}[\], ])",
    r"\[[^\]]{0,200}? on (?:[A-Za-z]{1,40} )?(?=\d{1,10}\])",
    r"\[(?:[A-Z][A-Za-z]{1,40} ){0,4}(?:[A-Z][a-z]{1,40}){0,8}(?:Controller|Server|Coordinator|Manager|Handler|MetadataLoader|SnapshotGenerator) (?=\d{1,10}\])",
    r"\[RemoteLogManager=(?=\d{1,10} )",
    r"\[(?:zk-broker|broker|[cC]ontroller|kafka|quorum-controller|ExpirationReaper|KafkaApi|delete-topics-thread|TxnMarkerSenderThread)-(?=\d{1,10}(?:\]|-(?!null\b)))",
    r"Partition \[[^\]]{0,300}\] on broker (?=\d{1,10}: )",
    r"Broker (?=\d+ (?:cached|completed|deleted|finished|handling|ignoring|received|skipped|started|stopped|truncated) )",
    r"Controller (?=\d+ epoch \d+ )",
    r"Registered broker (?=\d+ at path /brokers/ids/)",
    r"(?:Creating|Stat of the created znode at) /brokers/ids/(?=\d+ )",
)
_MESSAGE = r"^(?:" + "|".join(_BEFORE_AN_ID) + r")(\d+)"
_THREAD = (
    r"^(?:(?:data-plane-|control-plane-)?kafka-network-thread|(?:zk-)?broker|[cC]ontroller|kafka|quorum-controller"
    r"|ExpirationReaper|KafkaApi|delete-topics-thread|TxnMarkerSenderThread)-(\d+)-(?!null\b)"
)
_COMPILED = re.compile(_MESSAGE), re.compile(_THREAD)
_ANYWHERE = re.compile(r"(?:^|[\s\]])(?:" + "|".join(_BEFORE_AN_ID[:5]) + r")\d+")


def node_named(message: str, thread: str | None = None) -> int | None:
    """The node that wrote `message`, if the message or its thread names it."""
    found = _COMPILED[0].match(message) or (_COMPILED[1].match(thread) if thread else None)
    return integer(found[1]) if found else None


def names_a_node(line: str) -> bool:
    """Whether `line`, in any layout, has one of the prefixes in which a node names itself."""
    return _ANYWHERE.search(line) is not None


def node_configured(settings: Iterable[Setting]) -> int | None:
    """The node in a dump of settings, which a node prints at startup and after a change."""
    ids = [integer(setting.value or "") for setting in settings if setting.name in ("broker.id", "node.id")]
    return max((id_ for id_ in ids if id_ is not None and id_ >= 0), default=None)
