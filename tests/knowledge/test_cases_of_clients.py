"""What a whole paste of a client or a tool shows, and the row that refutes it."""

from __future__ import annotations

from replay.knowledge.correlations import case_of
from tests.each import for_each

NONE = "panic: kafka: client has run out of available brokers to talk to (Is your cluster reachable?)\n"
LOOKUP = "Failed to connect to broker {0}:9092: dial tcp: lookup {0} on 10.0.0.53:53: no such host\n"
SILENT = "[sarama] client/metadata got error from broker while fetching metadata: read tcp 10.0.0.9:60375->{}:9092: i/o timeout\n"
OPENED = "[sarama] Connected to broker at k1:9092 (unregistered)\n"
HEAP = "java.lang.OutOfMemoryError: Java heap space\n"
SESSION = "%4|{}.348|SESSTMOUT|{}| [thrd:main]: Consumer group session timed out (in join-state steady) after 30000 ms without a successful response from the group coordinator (broker {}, last error was Success): revoking assignment and rejoining group\n"
BOOTSTRAP = "[2026-07-16 10:48:11,015] WARN [Producer clientId={}] Connection to node -2 (b/10.0.0.5:11092) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)\n"
CLUSTER = "[2026-07-16 10:48:11,022] INFO [Producer clientId={}] Cluster ID: MkU3OEVBNTcwNTJENDM2Qk (org.apache.kafka.clients.Metadata)\n"
EXITED = "2019-01-11 13:1{}:06,472 INFO exited: {} (exit status 1; not expected)\n"
DRUID = "WARN [task-runner-0-priority-0] io.druid.indexing.kafka.KafkaIndexTask - OffsetOutOfRangeException with message [Offsets out of range with no configured reset policy for partitions: {cars-0=16302}]\n"
OLD = "WARN Transaction KafkaTransactionState [transactionalId=sink-1, producerId=4, epoch=5] has been open for {} ms. This is close to or even exceeding the transaction timeout of 10000 ms.\n"
LISTED = "kafka-topics.sh --bootstrap-server k:9093 --list\n"
HANDSHAKE = "INFO [SocketServer nodeId=0] Failed authentication with /10.0.0.1 (SSL handshake failed)\n"
NO_LEADER = "error: There is no leader for this topic-partition as we are in the middle of a leadership election\n"
REFUSED = "% Delivery failed for message: Broker: Not enough in-sync replicas\n"
TOPIC = "Topic:cars PartitionCount:10 ReplicationFactor:{} Configs:\n"
GONE = 'Exception in thread "input" org.apache.kafka.common.KafkaException: Topic or Partition cars-0 does not exist\n'
CONTAINER = "I run the exporter as a container.\nERRO[0716] Cannot get current offset of topic cars partition 4: dial tcp {}:9092: getsockopt: connection refused\n"


@for_each(
    ("key", "text", "said"),
    [
        ("client-asks-zookeepers-port", 'sarama.NewConsumer([]string{"10.0.0.1:2181"}, nil)\n' + NONE, "10.0.0.1:2181"),
        ("brokers-given-as-urls", '  hosts: ["http://10.0.0.1:9092"]\n' + NONE, "http://10.0.0.1:9092"),
        (
            "broker-without-api-versions",
            NONE + "kafka.network.InvalidRequestException: Error getting request for apiKey: 18 and apiVersion: 2\n",
            "type 18",
        ),
        (
            "broker-older-than-a-java-client",
            "I use Kafka 0.9.x here\nINFO AppInfoParser: Kafka version: 2.8.0\nTimeoutException: Timed out waiting to send the call. Call: fetchMetadata\n",
            "0.9.x",
        ),
        ("localhost-inside-a-container", CONTAINER.format("[::1]"), "port 9092"),
        ("bootstrap-answered-by-another", BOOTSTRAP.format("a") + CLUSTER.format("a"), "b/10.0.0.5:11092"),
        ("names-of-brokers-not-resolved", NONE + LOOKUP.format("k1") + LOOKUP.format("k2"), "k1 and k2"),
        (
            "brokers-take-connections-only",
            OPENED + SILENT.format("10.0.0.1") + SILENT.format("10.0.0.2"),
            "10.0.0.1:9092 and 10.0.0.2:9092",
        ),
        (
            "heap-taken-by-a-tls-answer",
            HEAP + "\tat org.apache.kafka.common.network.NetworkReceive.readFrom(NetworkReceive.java:113)\n",
            "TLS port",
        ),
        (
            "heap-of-a-client-without-its-protocol",
            '# security_protocol => "SSL"\nssl_truststore_location => "t.jks"\n' + HEAP,
            "commented out",
        ),
        (
            "heap-of-an-admin-client",
            "ERROR Uncaught exception in thread 'kafka-admin-client-thread | adminclient-1'\n" + HEAP,
            "admin client",
        ),
        ("druid-offset-not-held", DRUID, "offset 16302 of cars-0"),
        ("topic-gone-and-its-thread", GONE, "cars-0"),
        (
            "topic-without-leader-expires-batches",
            "TimeoutException: Expiring 3 record(s) for cars-0: 30018 ms has passed\nWARN Error while fetching metadata with correlation id 2 : {cars=LEADER_NOT_AVAILABLE}\n",
            "gave up 3 records",
        ),
        (
            "generation-passed-by-a-commit",
            "INFO [GroupCoordinator 1]: Group cars generation 4 is dead and removed\nERROR OffsetCommit failed for group cars due to group error ([Error 22] IllegalGenerationError: cars), will rejoin\n",
            "generation 4",
        ),
        (
            "sessions-with-several-coordinators",
            SESSION.format(1623843447, "a#consumer-1", 1) + SESSION.format(1623843448, "b#consumer-2", 5),
            "(1 and 5)",
        ),
        (
            "session-lost-while-others-close",
            "cars-1   | "
            + SESSION.format(1623843447, "a#consumer-1", -1)
            + "trucks-1 | 00:33:53 Closing <Buffer>...\n",
            "trucks-1 closed its work",
        ),
        (
            "supervised-broker-ends-again",
            EXITED.format(5, "broker") + EXITED.format(6, "broker") + EXITED.format(7, "rest-proxy"),
            "rest-proxy end for want of it",
        ),
        (
            "task-shown-as-failed",
            r'{"state":"FAILED","trace":"org.apache.kafka.connect.errors.ConnectException: Tolerance exceeded\n\tat x\nCaused by: io.x.RestClientException: refused; error code: 409"}',
            "RestClientException: refused; error code: 409",
        ),
        ("flink-restores-an-aborted-transaction", OLD.format(42551680), "42551680 ms"),
        ("tool-without-tls-settings", LISTED + HANDSHAKE, "kafka-topics calls k:9093"),
        (
            "kafkajs-ends-without-a-leader",
            NO_LEADER + "KafkaJSNonRetriableError\n  at Object.listTopics\n",
            "of any topic",
        ),
        ("leader-lost-with-the-container", "the kafka container restarts, and then:\n" + NO_LEADER, "another id"),
        (
            "sarama-cluster-answer-late",
            "ERRO[0001] read tcp 10.0.0.9:62113->10.0.0.1:9092: i/o timeout\n[sarama] cluster/consumer  rebalance\n",
            "10.0.0.1:9092",
        ),
        ("one-copy-below-min-isr", REFUSED + TOPIC.format(1), "Topic cars has one copy"),
    ],
)
def test_a_paste_of_a_client_is_one_case(key, text, said):
    case = case_of(text)
    assert case is not None and case.key == key
    assert said in case.says
    assert "{" not in case.says + case.do + case.calm and "…" not in case.says


@for_each(
    "text",
    [
        "zookeeper.connect=10.0.0.1:2181\n" + NONE,
        'bootstrap.servers=10.0.0.1:9092\nsarama.NewConsumer([]string{"10.0.0.1:2181"}, nil)\n' + NONE,
        CONTAINER.format("10.0.0.7"),
        BOOTSTRAP.format("a") + CLUSTER.format("b"),
        BOOTSTRAP.format("a") + CLUSTER.format("a") + "ERROR Stopping due to error\n",
        NONE + LOOKUP.format("k1"),
        OPENED + SILENT.format("10.0.0.1"),
        HEAP + "security.protocol=SSL\nssl.truststore.location=t.jks\n",
        SESSION.format(1623843447, "a#consumer-1", 1) + SESSION.format(1623849448, "b#consumer-2", 5),
        SESSION.format(1623843447, "a#consumer-1", 1) + SESSION.format(1623843448, "b#consumer-2", 1),
        EXITED.format(5, "broker"),
        OLD.format(9000),
        TOPIC.format(1),
        LISTED.strip() + " --command-config f\n" + HANDSHAKE,
        NO_LEADER,
    ],
)
def test_a_row_refutes_a_case_of_a_client(text):
    assert case_of(text) is None
