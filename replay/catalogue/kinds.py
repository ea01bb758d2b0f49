"""What a message of each kind means (`kafka-replay catalogue --explain`): `kinds.tsv` for Kafka's servers, `client_kinds.tsv` for
clients, Kafka Connect and Kafka Streams, `host_kinds.tsv` for the lines of hosts, containers and operators.
"""

from replay.catalogue.own_tables import rows_of

KINDS = dict(rows_of("kinds.tsv", ("kind", "meaning")))
CLIENT_KINDS = dict(rows_of("client_kinds.tsv", ("kind", "meaning")))
HOST_KINDS = dict(rows_of("host_kinds.tsv", ("kind", "meaning")))

# Lines of other files than logs, by the first word of their kind (`replay.reading.witnesses`).
WITNESSES: dict[str, str] = {
    "checkpoint": "An entry of a checkpoint file",
    "described": "A tool's description of a topic, a partition or the quorum",
    "dump": "A record of the metadata log",
    "gc": "A line of the garbage collector's log",
    "jvm": "A line of the Java virtual machine",
    "meta": "A line of meta.properties",
    "partition": "A line of partition.metadata",
    "quorum": "The quorum state that a voter keeps on disk",
    "server": "A setting in the server properties file",
    "znode": "A znode as a ZooKeeper shell printed it",
    "zookeeper": "A line of a ZooKeeper shell",
}


def phrase_of(kind: object) -> str:
    """The meaning of lines of this kind, as a phrase."""
    if not isinstance(kind, str):
        return "A line of an unknown message"
    return (
        KINDS.get(kind)
        or HOST_KINDS.get(kind)
        or WITNESSES.get(kind.split("_")[0], "A line of a file that is not a log")
    )
