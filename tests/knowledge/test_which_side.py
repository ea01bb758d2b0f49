"""Pastes whose lines show which side, setting or program is at fault; and look-alikes that do not show it."""

from __future__ import annotations

from tests.each import for_each
from tests.knowledge.test_two_ends import told

REFUSED_LEVEL = "[2026-03-21 11:57:18,965] INFO [QuorumController id=3000] registerBroker: event failed with UnsupportedVersionException in 445 microseconds. Exception message: Unable to register because the broker does not support finalized version 21 (3.9-IV0) of metadata.version. The broker wants a version between {} and 14 (3.6-IV2), inclusive. (org.apache.kafka.controller.QuorumController)\n"
AWAITED = "2023-07-10 09:{},579 INFO [KRaftMigrationDriver id=3000] {} (org.apache.kafka.metadata.migration.KRaftMigrationDriver)\n"
NO_BROKER = "No brokers are known to KRaft, waiting for brokers to register."
MIGRATED = (
    "Completed migration of metadata from ZooKeeper to KRaft. 1234 records were generated in 120 ms across 2 batches."
)
SELF_CHECK = "[2023-09-01 11:57:15,094] ERROR Exiting Kafka due to fatal exception during startup. (kafka.Kafka$)\norg.apache.kafka.common.config.ConfigException: Invalid value javax.net.ssl.SSLHandshakeException: {} for configuration A client SSLEngine created with the provided settings can't connect to a server SSLEngine created with those settings.\n"
OF_A_CLIENT = "[2024-09-04 22:29:01,820] ERROR [Producer clientId=p1] Connection to node -1 (b/10.0.0.1:9093) failed authentication due to: SSL handshake failed (org.apache.kafka.clients.NetworkClient)\njavax.net.ssl.SSLHandshakeException: Extended key usage does not permit use for TLS server authentication\n"
NULL = '[2024-07-11 19:14:50,456] ERROR [SharedServer id=2] Got exception while starting SharedServer (kafka.server.SharedServer)\njava.lang.NullPointerException: Cannot invoke "String.startsWith(String)" because the return value of "{}()" is null\n\tat {}.init(A.java:177)\n'
SIGNAL = "[2018-09-20 17:48:53,557] INFO Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)\n[2018-09-20 17:48:53,559] INFO [KafkaServer id=1] shutting down (kafka.server.KafkaServer)\n"
NO_ZOOKEEPER = "[2018-09-20 17:48:{},767] INFO Socket error occurred: localhost/127.0.0.1:2181: Connection refused (org.apache.zookeeper.ClientCnxn)\n"
REAPER = "[2025-05-08 18:06:42,479] INFO [controller-1-ThrottledChannelReaper-Request]: {} (kafka.server.ClientQuotaManager$ThrottledChannelReaper)\n"
QUEUE = "[2025-05-08 18:06:42,480] INFO [QuorumController id=1] closed event queue. (org.apache.kafka.queue.KafkaEventQueue)\n"
THREADS = "".join(map(REAPER.format, ("Shutting down", "Stopped", "Shutdown completed")))
CLOSED = "%3|1448840{}.601|FAIL|rdkafka#producer-0| {}: Receive failed: Disconnected\n"
IDLE = CLOSED.format("086", "127.0.0.1:9092/bootstrap") + CLOSED.format("686", "192.168.0.3:9092/0")
ZONED = "[2015-11-29 23:07:14,958] ERROR Processor got uncaught exception. (kafka.network.Processor)\njava.lang.IllegalStateException: connectionId has unexpected format: fe80:0:0:0:0:0:0:1%1:9092-fe80:0:0:0:0:0:0:1%1:50070\n        at kafka.network.Processor.run(SocketServer.scala:447)\n"
GO_BACK = "[2025-06-10 20:26:59,804] ERROR [ReplicaFetcher replicaId=16, leaderId=17, fetcherId=1] Unexpected error occurred while processing data for partition x-49 at offset 500 (kafka.server.ReplicaFetcherThread)\norg.apache.kafka.storage.internals.log.OffsetsOutOfOrderException: Out of order offsets found in append to x-49: List(500, 501, 500)\n"
SHRUNK = "[2025-06-10 20:27:14,310] INFO [Partition x-49 broker=17] Shrinking ISR from 15,16,17 to 17. Leader: (highWatermark: 500, endOffset: 620). Out of sync replicas: (brokerId: 15, endOffset: 500) (brokerId: 16, endOffset: 500). (kafka.cluster.Partition)\n"
OLD = "[2018-06-10 20:26:59,804] ERROR [ReplicaFetcher replicaId=3, leaderId=1, fetcherId=0] Error due to (kafka.server.ReplicaFetcherThread)\nkafka.common.KafkaException: Error processing data for partition x-10 offset 8100\nCaused by: java.lang.IllegalArgumentException: Out of order offsets found in append to x-10: List(8095, 8096)\n"
JOINED = 'kafka-go/consumergroup.go:954","msg":"joined group g3 as member app@pod-1 (github.com/segmentio/kafka-go)-f2954b2a in generation 65,leaderID {}-aa22b496\n'
UNDERFLOW = "%3|1684305504.674|PROTOUFLOW|rdkafka#consumer-2| [thrd:main]: GroupCoordinator/106: Protocol read buffer underflow for Unknown--1? v0 at 53/53 (rd_kafka_buf_read_topic_partitions:215): expected 4 bytes > 0 remaining bytes (incorrect broker.version.fallback?)\n"
METADATA = "%3|1681391022.842|PROTOUFLOW|rdkafka#producer-1| [thrd:main]: b:9092/bootstrap: Protocol read buffer underflow for Metadata v9 at 629/631 (rd_kafka_parse_Metadata:470): expected 4 bytes > 2 remaining bytes (incorrect broker.version.fallback?)\n"
EXPORTER = "E1228 10:49:07.961168       1 kafka_exporter.go:431] Cannot get current offset of topic test partition {}: dial tcp 192.168.72.53:9092: connect: no route to host\n"


@for_each(
    ("text", "says", "never"),
    [
        (REFUSED_LEVEL.format("14 (3.6-IV2)"), "it offers its inter.broker.protocol.version", "Install the release of"),
        (REFUSED_LEVEL.format("1 (3.0-IV1)"), "Install the release of the cluster on that broker", "One single level"),
        (AWAITED.format("20:35", NO_BROKER), "no broker has registered with the KRaft controllers", "kafka-features"),
        (
            AWAITED.format("20:35", "Still waiting for ZK brokers [1, 2] to register with KRaft."),
            "waits for brokers 1, 2",
            "No fault",
        ),
        (
            AWAITED.format("20:35", NO_BROKER) + AWAITED.format("20:55", MIGRATED),
            "and went on at 09:20:55",
            "On each broker:",
        ),
        (
            SELF_CHECK.format("Extended key usage does not permit use for TLS client authentication"),
            "Issue the certificate anew with extended key usage serverAuth and clientAuth",
            "trust store",
        ),
        (SELF_CHECK.format("General SSLEngine problem"), "The trust store must hold the CA", "Issue the certificate"),
        (OF_A_CLIENT, "for 'server' that of the broker", "The node does not start"),
        (
            NULL.format("kafka.server.KafkaConfig.s3WALPath", "kafka.log.stream.s3.telemetry.TelemetryManager"),
            "s3WALPath is null",
            "Search Kafka's issues",
        ),
        (NULL.format("a.B.c", "kafka.log.stream.s3.telemetry.TelemetryManager"), "Search AutoMQ's issues", "s3WAL"),
        (NULL.format("a.B.c", "kafka.server.SharedServer"), "Search Kafka's issues", "AutoMQ"),
        (SIGNAL + NO_ZOOKEEPER.format(54), "ZooKeeper is not why it stops", "See whether ZooKeeper runs there"),
        (
            NO_ZOOKEEPER.format(50) + SIGNAL + NO_ZOOKEEPER.format(54),
            "See whether ZooKeeper runs there",
            "ZooKeeper is not why it stops",
        ),
        (THREADS + QUEUE, "Controller 1 shuts down in order", "crash"),
        (SIGNAL + THREADS + QUEUE, "was asked to stop (signal SIGTERM)", "further up for the signal"),
        (IDLE, "ended 600 s apart", "was not confirmed"),
        (
            CLOSED.format("086", "127.0.0.1:9092/bootstrap") + CLOSED.format("286", "192.168.0.3:9092/0"),
            "lost its connection",
            "apart, and no line shows",
        ),
        (ZONED + IDLE, "are two matters", "Search Kafka's issues"),
        (ZONED, "is an IPv6 address with a zone", "two matters"),
        (
            GO_BACK + SHRUNK,
            "what leader 17 sends has offsets that go back, after 501 comes 500 again",
            "replica.lag.time.max.ms",
        ),
        (GO_BACK, "Do not restart or kill the leader", "KAFKA-6975"),
        (SHRUNK, "replica.lag.time.max.ms", "offsets that go back"),
        (OLD, "KAFKA-6975", "Do not restart or kill the leader"),
        (
            JOINED.format("rdkafka") + UNDERFLOW,
            "Two client libraries share the consumer group g3",
            "set broker.version",
        ),
        (UNDERFLOW, "what another member of its group sent", "set broker.version.fallback"),
        (METADATA, "could not read a Metadata response", "another member"),
        (JOINED.format("app@pod-2"), "", "Two client libraries"),
        (EXPORTER.format(2) + EXPORTER.format(3), "of topic test, partition 2 and 3", "no other replica in sync"),
    ],
)
def test_the_side_that_the_lines_show_is_named(text, says, never):
    answer = told(text)
    assert says in answer, answer
    assert never not in answer, answer
