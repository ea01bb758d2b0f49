"""Pastes in which one line answers, or refutes, what another line alone would mean; and their look-alikes."""

from __future__ import annotations

from pipelines.answers.lines import as_text, of_text
from tests.each import for_each

ROW = "        Topic: test5    Partition: {}    Leader: {}       Replicas: 3,4,1,2,5     Isr: {}\n"
QUORUM = "NodeId\tLogEndOffset\tLag\tLastFetchTimestamp\tStatus\n1\t9000\t0\t-1\tLeader\n2\t{}\t{}\t-1\tFollower\n"
REFUSED = "WARN [Producer clientId=p] Got error produce response with correlation id 40 on topic-partition connect-configs-0, retrying (9 attempts le\nft). Error: NOT_ENOUGH_REPLICAS (org.apache.kafka.clients.producer.internals.Sender:637)\n"
DESCRIBED = "\tTopic: {}\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
KAFKAJS = '{{"level":"ERROR","timestamp":"2024-11-04T16:4{}.386Z","logger":"kafkajs","message":"[Connection] Response Heartbeat(key: 12, version: 3)","broker":"kafka:9092","clientId":"test","error":"{}"}}\n'
REBALANCES = KAFKAJS.format("3:51", "The group is rebalancing, so a rejoin is needed")
GONE = KAFKAJS.format("4:31", "The coordinator is not aware of this member")
DISCONNECTED = "[2021-01-18 19:36:43,697] WARN [Producer clientId=console-producer] Bootstrap broker k0:9092 (id: -1 rack: null) disconnected (org.apache.kafka.clients.NetworkClient)\n"
HANDSHAKE = "[2021-01-18 19:37:05,392] INFO [SocketServer brokerId=0] Failed authentication with /10.0.0.9 (SSL handshake failed) (org.apache.kafka.common.network.Selector)\n"
CLOSED = "%7|1510418323.247|BROKERFAIL|rdkafka#consumer-1| [thrd:127.0.0.1:9092/1001]: 127.0.0.1:9092/1001: failed: err: Local: {}: (errno: Operation timed out)\n"
TOO_LARGE = "2019-09-06 09:41:33,173 ERROR MaxwellKafkaProducer - RecordTooLargeException @ Position[x]\n"
ITS_SIZE = "2019-09-06 09:41:33,174 ERROR MaxwellKafkaProducer - The message is 1628919 bytes when serialized which is larger than the maximum request size you have configured with the max.request.size configuration.\n"
LATE = "2019 Apr 10 06:27:12  | 2019-04-10 06:25:37,880 - kafka.coordinator - WARNING - Heartbeat session expired, marking coordinator dead\n"
FOUND = "2019 Apr 10 06:27:12  | 2019-04-10 06:25:37,889 - kafka.cluster - INFO - Group coordinator for G is BrokerMetadata(nodeId=0, host='to\n"
NO_VOTERS = "[2025-04-09 10:16:48,794] INFO [RaftManager id=0] Starting voters are VoterSet(voters={}) (org.apache.kafka.raft.KafkaRaftClient)\n"
STOPS = "[2025-04-09 10:17:49,886] INFO [SocketServer listenerType=CONTROLLER, nodeId=0] Shutting down socket server (kafka.network.SocketServer)\n"
UNREACHED = "[2025-02-24 13:52:50,515] WARN [RaftManager id=1] Connection to node 0 (k0/10.62.6.9:9093) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)\n"
BEGINS = "[2025-02-24 13:52:51,737] INFO Registered kafka:type=kafka.Log4jController MBean (kafka.utils.Log4jControllerRegistration$)\n"
TIMED_OUT = "[2025-02-24 13:52:51,800] INFO [RaftManager id=1] Election has timed out, backing off for 1000ms before becoming a candidate again (org.apache.kafka.raft.KafkaRaftClient)\n"
OTHER_ID = "kafka-1  | [2024-11-12 17:32:17,749] INFO Registered kafka:type=kafka.Log4jController MBean (kafka.utils.Log4jControllerRegistration$)\nkafka-1  | [2024-11-12 17:32:18,344] ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\nkafka-1  | kafka.common.InconsistentNodeIdException: Configured node.id `1001` doesn't match stored node.id `1389' in meta.properties. If you moved your data, make sure your configured controller.id matches.\n"
BROD = "19:49:16.940 [info] Group member (w,generation=0):\nLeaving group, reason: {{:unsupported_vsn_range, :join_group, {0, 1}, {2, 6}},\n"


LAG = "GROUP    TOPIC     PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG    CONSUMER-ID  HOST  CLIENT-ID\nbilling  invoices  0          1200            5200            {}   {}            -     -\n"
COORDINATOR = '%7|1621526316.223|CGRPCOORD|rdkafka#consumer-2| [thrd:main]: sasl_ssl://k:9094/bootstrap: Group "g" FindCoordinator response error: COORDINATOR_NOT_AVAILABLE: The coordinator is not available.\n'
SILENT = "[2021-05-18 00:10:13,066] INFO Client session timed out, have not heard from server in 7613ms for sessionid 0x20d9c3d684a0030, closing socket connection and attempting reconnect (org.apache.zookeeper.ClientCnxn)\n"
CLIENT_GONE = "[2021-05-18 00:10:13,06{0}] WARN Attempting to send response via channel for which there is no open connection, connection id 10.70.23.17:9092-10.70.38.23{0}:24807-280979 (kafka.network.Processor)\n"


EXEC = "● kafka.service - Apache Kafka\n     Active: failed (Result: exit-code) since Tue 2024-04-02 09:14:11 UTC; 3min ago\n   Main PID: 4211 (code=exited, status={})\n"


def told(text: str) -> str:
    return " ".join(" ".join(as_text(of_text(text))).split())


@for_each(
    ("text", "says", "never"),
    [
        (
            ROW.format(0, 3, "3,4,1,2"),
            "test5-0 has too few replicas in sync: broker 5 is missing from the ISR",
            "No fault",
        ),
        (ROW.format(0, 3, "3,4,1,2,5"), "No fault found: each of the 1 partitions", "missing"),
        (ROW.format(0, "none", "3"), "test5-0 has no leader", "No fault"),
        (QUORUM.format(9000, 0), "No fault found: the metadata quorum has the leader 1", "behind its"),
        (QUORUM.format(4000, 5000), "behind its leader 1: node 2 (5,000 records)", "No fault"),
        (REFUSED + DESCRIBED.format("other"), "The description in these lines is of other, another topic", "No fault"),
        (REFUSED + DESCRIBED.format("connect-configs"), "Fewer replicas are in sync", "another topic"),
        (REBALANCES + GONE, "did not join its group again in time", "learned that its group"),
        (REBALANCES, "learned that its group rebalances", "in time"),
        (
            DISCONNECTED + HANDSHAKE,
            "The broker expects TLS and refuses the connections of client console-producer",
            "too old",
        ),
        (DISCONNECTED, "was disconnected from a bootstrap address", "expects TLS and refuses"),
        (CLOSED.format("Broker handle destroyed"), "The application closes this client", "connects again"),
        (CLOSED.format("Message timed out"), "Message timed out", "The application closes"),
        (TOO_LARGE + ITS_SIZE, "A record (1628919 bytes) is larger than this producer may send", "follower"),
        (TOO_LARGE, "larger than a limit allows: that of the producer", "No fault"),
        (LATE + FOUND, "its coordinator, node 0, was found again at once", "coordinator's log"),
        (LATE, "had no successful heartbeat", "was there at once"),
        (NO_VOTERS + STOPS, "shut itself down 61 s later", "Nothing, for a new node"),
        (NO_VOTERS, "knows no voters", "shut itself down"),
        (UNREACHED + BEGINS + TIMED_OUT, "could not connect to controller 0", "crashed or was killed"),
        (OTHER_ID, "id 1001 is configured, but the data directory was written by broker 1389", "Node 1 did not"),
        (LAG.format(4000, "-"), "Group billing has no member, and 4,000 records wait for it", "No fault"),
        (LAG.format(4000, "c-1"), "4,000 records wait for group billing (1 member)", "has no member"),
        (LAG.format(0, "c-1"), "None of these lines", "wait for"),
        (
            COORDINATOR,
            "with an error (FindCoordinator response error): The coordinator is not available",
            "No fault found",
        ),
        (
            SILENT + CLIENT_GONE.format(8) + CLIENT_GONE.format(9),
            "stood still, or had no network, for about 7613 ms",
            "No fault",
        ),
        (SILENT, "lost its connection to ZooKeeper", "stood still, or"),
        (EXEC.format("203/EXEC"), "systemd could not run the program of ExecStart at all", "Read the last lines"),
        (EXEC.format("1/FAILURE"), "Read the last lines of its own log", "ExecStart at all"),
        (BROD, "sends join_group requests of version 0 to 1, and the broker accepts 2 to 6", "None of these"),
    ],
)
def test_one_line_answers_what_another_leaves_open(text, says, never):
    assert says in told(text) and never not in told(text)


@for_each(
    ("row", "is_a_remark"),
    [
        ("Is there an option to stop flooding like this?", True),
        ("After the update I am getting the following error:", True),
        ("and the pod logs show", True),
        ("panic: kafka server: The client is not authorized to access this topic", False),
        ("Found a corrupted index file due to requirement failed: Corrupt index found", False),
        ("I/O error on device sda", False),
        ("org.apache.kafka.common.KafkaException: what is this?", False),
    ],
)
def test_what_a_person_writes_between_lines_is_no_line_of_a_program(row, is_a_remark):
    line = "[2017-11-29 22:43:58,934] INFO [GroupMetadataManager brokerId=2] Removed 0 expired offsets in 0 milliseconds. (kafka.coordinator.group.GroupMetadataManager)\n"
    assert of_text(line).summary.startswith("No fault found")
    assert of_text(f"{line}{row}\n").summary.startswith("No fault found: the one") is is_a_remark


def test_a_line_that_fails_is_quoted_although_no_line_is_known():
    text = "2026/01/02 10:00:00 job 7 ended: unsupported frame of kafka topic x\n"
    assert of_text(text).summary == "A program reports: 'job 7 ended: unsupported frame of kafka topic x'."
