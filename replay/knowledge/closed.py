"""The closed lists of packs: who has to act, what happens to records, and whether it recovers. Each is rendered once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# Who has to act, or where the cause lies.
OWNERS: dict[str, str] = {
    "setting": "a setting",
    "nobody": "nobody",
    "this broker": "this broker",
    "client": "a client",
    "network": "the network",
    "application": "the application",
    "brokers": "the brokers",
    "disk": "the disk",
    "zookeeper": "ZooKeeper",
    "requester": "whoever asked",
    "host": "the host",
    "that broker": "that broker",
    "connector": "the connector",
    "kafka code": "Kafka's own code",
    "leader": "the leader",
    "a broker": "a broker",
    "data": "the data",
    "controller": "the controller",
    "client setting": "a setting of the client",
    "broker setting": "a setting of the brokers",
    "metadata": "the metadata",
    "error": "what the error names",
    "this process": "this process",
    "quorum": "the quorum",
    "share coordinator": "the share coordinator",
    "remote storage": "the remote storage",
    "another node": "another node",
    "coordinator": "the coordinator",
    "connect": "Kafka Connect",
    "other side": "the other side",
    "address": "the address that it advertises",
    "writer": "who wrote the record",
    "kafka bug": "Kafka's own bug",
    "called system": "a system that it calls",
    "this node": "this node",
    "this controller": "this controller",
    "consumer": "the consumer",
    "unknown": "unknown",
    "retention": "retention",
    "another broker": "another broker",
    "administrator": "an administrator",
    "that node": "that node",
    "other end": "the other end of the connection",
    "name service": "the name service",
    "followers": "the replicas that are not in sync",
    "topic owner": "the owner of the topics",
    "several brokers": "several brokers",
    "this coordinator": "this coordinator",
    "acl": "an ACL",
    "replicas": "the brokers that hold its replicas",
    "topic": "the topic",
    "producer": "the producer",
    "connection user": "whoever connects",
    "reason": "what the reason names",
    "way": "the way to it",
    "way to brokers": "the way to them",
    "network to it": "the network to it",
    "network to them": "the network to them",
    "settings": "its settings",
    "rights": "whoever set the rights of the directory",
    "java": "Java",
    "library": "a native library",
    "kubernetes": "Kubernetes",
    "release": "its release",
    "connector settings": "the settings of the connector",
    "pod": "the pod that it waits for",
    "tokens": "who gives the tokens",
    "idle": "what closes idle connections",
    "pause": "a pause of this process",
}
# What it means for records. `at risk` and `described` need a sentence of their own.
DATA: dict[str, str] = {
    "untouched": "Stored data is not affected.",
    "no loss": "This loses no data.",
    "read again": "This loses nothing; some records are read twice.",
    "offsets kept": "Committed offsets are kept.",
    "metadata kept": "Committed metadata is kept.",
    "in its topic": "The record stays in its topic.",
    "not sent": "What the application could not send is not stored.",
    "safe elsewhere": "Records that other in-sync replicas hold are safe.",
    "as acks": "Acknowledged records are as safe as acks, min.insync.replicas and the number of replicas made them.",
    "resumes": "It continues from the last commit; with exactly-once nothing is duplicated.",
    "duplicates": "It continues from its last committed offsets: some records can be duplicated.",
    "in changelogs": "The changelog topics hold the state; a store without logging has none.",
    "local until copied": "Local segments are deleted only after their copy is safe.",
    "no partial transaction": "read_committed consumers see no partial transactions.",
    "delivered again": "The records of the topic are not affected; some can be delivered a second time.",
    "files whole": "This line shows no damage to the files.",
    "at risk": "Records may be lost.",
    "described": "",
}
# Whether it recovers by itself.
HEALS: dict[str, str] = {
    "yes": "yes",
    "no": "no",
    "usually": "usually",
    "depends": "depends on the cause",
    "unknown": "unknown",
    "no need": "no need",
    "done": "it is done",
}
_CLAUSE = re.compile(
    r"(?:once|when|if|with|within|until|unless|while|by|only|after|at|as|for|from|before|in|since|but|except|through|because"
    r"|each|on|not|mostly|usually)\b"
)
SHAPE: dict[str, Any] = {
    "owner": {str, list},
    "owner_says": str,
    "data": tuple(DATA),
    "data_says": str,
    "heals": tuple(HEALS),
    "heals_how": str,
}


def owner_of(fields: Mapping[str, Any]) -> str:
    """Who has to act: the sentence of the entry, or the owners that it names."""
    owners = fields["owner"]
    names = [owners] if isinstance(owners, str) else owners
    return str(fields.get("owner_says") or ", or ".join(OWNERS[name] for name in names))


def data_of(fields: Mapping[str, Any]) -> str:
    """What it means for records; empty if the entry says nothing."""
    return str(fields.get("data_says") or DATA[fields["data"]]) if "data" in fields else ""


def heals_of(fields: Mapping[str, Any]) -> str:
    """Whether it recovers, and how; empty if the entry says nothing: `yes, once a broker answers`."""
    if "heals" not in fields:
        return ""
    heals, how = fields["heals"], fields.get("heals_how", "")
    if heals == "depends" or not how:
        return str(how or HEALS[heals])
    return f"{HEALS[heals]}{', ' if _CLAUSE.match(how) else ': '}{how}"


def check(fields: Mapping[str, Any]) -> str | None:
    """The field whose value is none of a closed list, or that lacks its sentence; None if all are right."""
    owners = fields.get("owner", ())
    names = [owners] if isinstance(owners, str) else owners
    if not names or not set(names) <= OWNERS.keys():
        return "owner"
    return "data_says" if fields.get("data") == "described" and "data_says" not in fields else None
