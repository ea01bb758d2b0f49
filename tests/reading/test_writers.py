"""Which node wrote a record of a file that several nodes share; and what the stack trace under a record tells."""

from __future__ import annotations

import pytest

from replay.reading import shell
from replay.reading.owners import Owners
from replay.reading.shell import File
from replay.reading.writers import names_a_node, node_named
from replay.tables.arrow import from_arrow
from replay.tables.reading import PRINTED
from tests.each import for_each


@for_each(
    "message, node",
    [
        ("[KafkaServer id=7] started", 7),
        ("[Kafka Server 7], starting", 7),
        ("[Broker id=7] Leader orders-3 starts at leader epoch 8", 7),
        ("[Controller id=7, targetBrokerId=2] Disconnecting from node 2", 7),
        ("[Controller 7]: Controller starting up", 7),
        ("[Controller-7-to-broker-2-send-thread], Starting", 7),
        ("[Partition orders-3 broker=7] Shrinking ISR from 1,7 to 7", 7),
        ("Partition [orders,3] on broker 7: Shrinking ISR from 1,7 to 7", 7),
        ("[ReplicaFetcher replicaId=7, leaderId=2, fetcherId=0] Starting", 7),
        ("[ReplicaFetcherManager on broker 7] Removed fetcher for partitions Set(orders-3)", 7),
        ("[GroupCoordinator 7]: Starting up.", 7),
        ("[Transaction Marker Channel Manager 7]: Starting", 7),
        ("[Topic Deletion Manager 7], Deletion of topic orders", 7),
        ("[MetadataLog partition=__cluster_metadata-0, nodeId=7] Marking snapshot", 7),
        ("[SocketServer listenerType=ZK_BROKER, nodeId=7] Stopping", 7),
        ("[broker-7-to-controller-heartbeat-channel-manager]: Recorded new controller", 7),
        ("[ExpirationReaper-7-Fetch]: Starting", 7),
        ("[ExpirationReaper-0-null]: Starting", None),
        ("[data-plane Kafka Request Handler on Broker 7], shutting down", 7),
        ("Registered broker 7 at path /brokers/ids/7 with addresses: PLAINTEXT://h:9092", 7),
        ("Broker 7 received LeaderAndIsr request", 7),
        ("Controller 7 epoch 3 changed partition orders-3 state", 7),
        ("[ReplicaFetcherThread-0-2]: Starting", None),
        ("[Consumer clientId=consumer-7, groupId=g] Resetting", None),
        ("[UnifiedLog partition=orders-7, dir=/d7] Truncating to 4", None),
        ("[ZooKeeperClient Kafka server] Session expired.", None),
        ("Broker 7 has been elected as leader", None),
        ("starting", None),
    ],
)
def test_a_message_names_the_node_that_wrote_it(message, node):
    assert node_named(message) == node
    assert node is None or not message.startswith("[") or names_a_node(f"2026-11-21 05:34:41 INFO {message}")


def test_a_thread_names_its_node_where_the_message_does_not():
    assert node_named("Completed load", "kafka-7-raft-io-thread") == 7
    assert node_named("Accepted", "data-plane-kafka-network-thread-7-ListenerName(PLAINTEXT)-PLAINTEXT-0") == 7
    assert node_named("Completed load", "ReplicaFetcherThread-0-7") is None


SHARED = """\
[2026-11-21 05:34:40,000] INFO starting (kafka.server.KafkaServer)
[2026-11-21 05:34:40,100] INFO KafkaConfig values: 
\tbroker.id = 1
\tlog.dirs = /d1
[2026-11-21 05:34:40,200] INFO KafkaConfig values: 
\tbroker.id = 2
\tlog.dirs = /d2
[2026-11-21 05:34:41,000] INFO [Log partition=orders-3, dir=/d2] Truncating to 4 has no effect as the largest offset in the log is 3 (kafka.log.Log)
[2026-11-21 05:34:42,000] INFO Stat of the created znode at /brokers/ids/1 is: 25,25,1620130093727,1620130093727,1,0,0,72058800581574658,202,0,25
 (kafka.zk.KafkaZkClient)
[2026-11-21 05:34:43,000] WARN Client session timed out, have not heard from server in 18733ms for sessionid 0x1000118eb9b0002 (org.apache.zookeeper.ClientCnxn)
[2026-11-21 05:34:43,001] WARN Client session timed out, have not heard from server in 18733ms for sessionid 0x1000118eb9b0003 (org.apache.zookeeper.ClientCnxn)
[2026-11-21 05:34:44,000] INFO [Partition orders-3 broker=1] Shrinking ISR from 1,2 to 1 (kafka.cluster.Partition)
[2026-11-21 05:34:45,000] ERROR [KafkaServer id=2] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)
org.apache.kafka.common.KafkaException: Socket server failed to bind to 0.0.0.0:9092: Address already in use.
\tat kafka.network.Acceptor.openServerSocket(SocketServer.scala:605)
Caused by: java.net.SocketException: not the last
\tat kafka.network.Acceptor.openServerSocket(SocketServer.scala:606)
Caused by: java.net.BindException: Address already in use
\tat java.base/sun.nio.ch.Net.bind0(Native Method)
\t... 13 more
[2026-11-21 05:34:46,000] ERROR Error while deleting segments for orders-3 in dir C:\\kafka\\d1 (kafka.server.LogDirFailureChannel)
java.nio.file.FileSystemException: C:\\kafka\\d1\\orders-3\\00.timeindex -> C:\\kafka\\d1\\orders-3\\00.timeindex.deleted: The process cannot access the file because it is being used by another process.

\tat sun.nio.fs.WindowsException.translateToIOException(WindowsException.java:86)
\tSuppressed: java.nio.file.FileSystemException: C:\\other
Caused by: java.lang.Error: of nothing
"""
JOINED = (
    '{"timestamp":"2017-08-13 11:29:11,644","level":"INFO","logger":"kafka.server.KafkaServer","thread":"main",'
    '"message":"Connecting to zookeeper on localhost:2181"}'
    '{"timestamp":"2017-08-13 11:29:11,870","level":"INFO","logger":"kafka.server.KafkaServer","thread":"kafka-3-raft-io-thread",'
    '"message":"starting"}\n'
)


@pytest.fixture(scope="module")
def read(spark):
    texts = {"shared": ("default", SHARED), "joined": ("joined+json", JOINED)}
    files = {name: File(name, None, layout) for name, (layout, _) in texts.items()}
    frame = shell.read(
        spark.createDataFrame([(name, text) for name, (_, text) in texts.items()], "path string, value string"), files
    )
    batches = frame.toArrow().to_batches(max_chunksize=3)
    owners = Owners(batch.select(Owners.COLUMNS) for batch in batches)
    owned = [row for batch in owners.batches(batches) for row in from_arrow(PRINTED, batch)]
    rows = sorted(owned, key=lambda row: (row.source_file, row.line_number, row.event_id))
    return {name: [row for row in rows if row.source_file == name] for name in texts}


def test_what_names_no_node_is_of_nobody_unless_one_node_has_it_to_itself(read):
    """Nobody's: the start, and a session of which no line tells whose it is."""
    assert [(row.line_number, row.node_id) for row in read["shared"]] == [
        (1, None),
        (2, 1),
        (5, 2),
        (8, 2),
        (9, 1),
        (11, 1),
        (12, None),
        (13, 1),
        (14, 2),
        (22, None),
    ]


def test_the_innermost_cause_under_a_record_is_reported_and_the_file_that_windows_locked(read):
    told = {row.line_number: row.details for row in read["shared"]}
    assert told[14]["exception"].startswith("org.apache.kafka.common.KafkaException: Socket server failed to bind")
    assert told[14]["caused_by"] == "java.net.BindException: Address already in use"
    assert told[22]["file_locked"] == "C:\\kafka\\d1\\orders-3\\00.timeindex"
    assert "caused_by" not in told[13] and "exception" not in told[13]


def test_json_objects_that_ran_together_are_records_of_their_own(read):
    assert [(row.event_id, row.message, row.node_id) for row in read["joined"]] == [
        ("joined:1", "Connecting to zookeeper on localhost:2181", None),
        ("joined:1.2", "starting", 3),
    ]
