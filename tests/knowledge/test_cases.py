"""What a whole paste shows with its tables and settings, and the row that refutes it."""

from __future__ import annotations

from pipelines.answers.lines import as_text, of_text
from replay.knowledge.correlations import case_of
from tests.each import for_each

EXPIRED = "[2025-03-01 10:00:00,000] ERROR org.apache.kafka.common.errors.TimeoutException: Expiring 5 record(s) for cars-1:120000 ms has passed since batch creation\n"
IOSTAT = "kb host, iostat -dx 5 1:\nDevice  r/s  w/s  w_await  aqu-sz  %util\nsdc  1.0  90.0  {wait}  {queue}  {busy}\n"
PAUSE = "cars | [18.2s][info][gc] GC(6) Pause Full (G1 Compaction Pause) 255M->254M(256M) 21120.8ms\n"
POD = """\
Name:             b-0
    Last State:     Terminated
      Reason:       {reason}
      Exit Code:    {code}
    Limits:
      memory:  2Gi
    Environment:
      KAFKA_LISTENERS:              PLAINTEXT://0.0.0.0:9092
      KAFKA_ADVERTISED_LISTENERS:   PLAINTEXT://{host}:9092
      KAFKA_HEAP_OPTS:              -Xmx{heap}
"""
LOGIN = "[2025-03-01 10:00:00,000] INFO [SocketServer nodeId=7] Failed authentication with /10.0.0.1 (org.apache.kafka.common.network.Selector)\nCaused by: GSSException: Failure (Mechanism level: {})\n"
KEYS = "   {} 2024-01-17 12:00:09 kafka/k7@ACME\n$ kvno kafka/k7\nkafka/k7@ACME: kvno = 6\n"
HELD = 'Normal Scheduled 9m default-scheduler Successfully assigned mq/b-1 to w1\nWarning FailedAttachVolume 9m ctrl Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) peek\n'
REFUSED = "NotEnoughReplicasException: The size of the current ISR Set(1) is insufficient to satisfy the min.isr requirement of 2 for partition cars-0\n"
ROW = "\tTopic: cars\tPartition: {}\tLeader: 1\tReplicas: {}\tIsr: {}\n"
ASKED = "WARN [Producer clientId=a] Error while fetching metadata with correlation id 4 : {cars_eu=UNKNOWN_TOPIC_OR_PARTITION}\n"
LISTED = "$ kafka-topics.sh --bootstrap-server k:9092 --list\n{}\ntrucks\n"
RANGE = "2025-03-01T10:00:00.100Z ERROR to topic cars:\nInvalidTimestampException: Timestamp {} of message with offset 1 is out of range. The timestamp should be within [{}, {}]\n"
OTHER_ID = "kb | RuntimeException: Invalid cluster.id in: /d/meta.properties. Expected aaaaaaaaaaaaaaaaaaaaaa, but read bbbbbbbbbbbbbbbbbbbbbb\n"
UNHEARD = "[2025-01-27 23:41:07,918] INFO [RaftManager id=9] Did not receive fetch request from the majority of the voters within 3000ms. Current fetched voters are []. (org.apache.kafka.raft.LeaderState)\n"
REPORTER = (
    "[2025-01-27 23:41:0{},918] {} [Producer clientId=MetricsReporter] {} (org.apache.kafka.clients.NetworkClient)\n"
)
TRIES = "Connection to node -1 (localhost/127.0.0.1:9092) could not be established. Broker may not be available."
STARTED = (
    "[2025-01-27 23:41:05,614] INFO [KafkaRaftServer nodeId=3] Kafka Server started (kafka.server.KafkaRaftServer)\n"
)
VOTES = "[2025-03-01 10:00:0{0},000] INFO [RaftManager id=4] Completed transition to CandidateState(localId=4, epoch=1{0}, voteStates={{4=GRANTED, 5=UNRECORDED, 6=UNRECORDED}}, highWatermark=Optional[LogOffsetMetadata(offset={1}, metadata=Optional.empty)]) from CandidateState(localId=4, epoch=9, voteStates={{4=GRANTED, 5={2}, 6={2}}}, highWatermark=Optional[LogOffsetMetadata(offset={1}, metadata=Optional.empty)]) (org.apache.kafka.raft.QuorumState)\n"
LED = "[2025-03-01 10:00:09,000] INFO [RaftManager id=4] Completed transition to Leader(localId=4, epoch=20) (org.apache.kafka.raft.QuorumState)\n"
WAITED = "[2025-03-01 10:00:08,000] ERROR [BrokerServer id=2] Received a fatal error while waiting for the controller to acknowledge that we are caught up (kafka.server.BrokerServer)\n"
PRE_VOTE = "[2025-03-01 10:00:01,000] INFO [RaftManager id=4] Election timed out before receiving sufficient vote responses to become candidate. Current epoch election state: EpochElection(voterStates={3=VoterState(replicaKey=ReplicaKey(id=3, directoryId=<undefined>), state=UNRECORDED), 4=VoterState(replicaKey=ReplicaKey(id=4, directoryId=<undefined>), state=GRANTED), 5=VoterState(replicaKey=ReplicaKey(id=5, directoryId=<undefined>), state=UNRECORDED)}) (org.apache.kafka.raft.KafkaRaftClient)\n"
VOTERS = "    - name: KAFKA_CFG_CONTROLLER_QUORUM_VOTERS\n      value: {}\n"
DIRECTORIES = "kafka.common.InconsistentBrokerMetadataException: BrokerMetadata is not consistent across log.dirs. Found:\n- /a -> {{node.id=1, directory.id=AAAA, version=1, cluster.id=X}}\n- /b -> {{node.id={}, directory.id=BBBB, version=1, cluster.id=X}}\n"
FENCED = "%1|1657854002.147|TXNERR|rdkafka#producer-3| [thrd:main]: Fatal transaction error: Producer fenced by newer instance: Failed to acquire transactional PID from broker TxnCoordinator/3: Broker: There is a newer producer with the same transactionalId which fences the current one (_FENCED)\n"
GRANTED = "[2022-07-15 03:00:02,000] INFO [TransactionCoordinator id=3] Initialized transactionalId t with producerId 7 and producer epoch 4 on partition __transaction_state-1 (kafka.coordinator.transaction.TransactionCoordinator)\n"
DOWNGRADE = "Could not downgrade metadata.version to 8. Invalid metadata.version 8. {}\n"
AUTO = 'level=error msg="UNKNOWN_TOPIC_OR_PARTITION: This server does not host this topic-partition."\n  allow_auto_topic_creation: {}\n'
LOGIN_LACKS = "Unexpected Kafka request of type METADATA during SASL handshake.\nKafkaConnectionError: Connection at k:9092 closed\n  sasl_plain_username='u',\n"
REBALANCING = "Warning: Consumer group 'cars' is rebalancing.\n\nTOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n- - - - - rd-1 /10.0.0.1 rd\ncars 0 10 40 30 - - -\n"
JOIN_LATE = "E, [2022-05-18T04:25:31.804583 #67039] ERROR -- : [[cars] {}:] [join_group] Timed out while waiting for response 2\n"
FACTOR = "[2024-01-09 09:28:19,376] INFO [Controller 1] CreateTopics result(s): CreatableTopic(name='__consumer_offsets', numPartitions=50, replicationFactor=3): INVALID_REPLICATION_FACTOR (Unable to replicate the partition 3 time(s): The target replication factor of 3 cannot be reached because only 1 broker(s) are registered.) (org.apache.kafka.controller.ReplicationControlManager)\n"
STREAMS = "org.apache.kafka.streams.errors.StreamsException: Existing internal topic cars-repartition has invalid partitions: expected: 2; actual: 6. Use 'kafka.tools.StreamsResetter' tool to clean up invalid topics before processing.\n"
HUB = '.setProperty("bootstrap.servers","cars.servicebus.windows.net:9093")\n.setProperty("security.protocol", "{}")\nCaused by: org.apache.kafka.common.errors.TimeoutException: Topic cars not present in metadata after 60000 ms.\n'
CATCHES_UP = "[2025-06-16 14:10:38,181] INFO [MetadataLoader id=1] initializeNewPublishers: the loader is still catching up because we still don't know the high water mark yet. (org.apache.kafka.image.loader.MetadataLoader)\n"
NO_VOTER = "[2025-06-16 14:10:38,419] WARN [RaftManager id=1] Connection to node -2 (c-0.c/10.0.0.4:9093) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)\n"
CAUGHT_UP = "[2025-06-16 14:10:39,181] INFO [MetadataLoader id=1] initializeNewPublishers: The loader finished catching up to the current high water mark of 9 (org.apache.kafka.image.loader.MetadataLoader)\n"
NO_CONTROLLER = "[2024-01-19 09:21:31,690] DEBUG [zk-broker-0-to-controller-forwarding-channel-manager]: No controller provided, retrying after backoff (kafka.server.BrokerToControllerRequestThread)\n"
NEWER_ZXID = "zookeeper_1 | 2018-04-11 21:18:56,725 [myid:{}] - INFO  [NIOServerCxn.Factory:0.0.0.0/0.0.0.0:2181:ZooKeeperServer@901] - Refusing session request for client /172.18.0.1:42470 as it has seen zxid 0x134 our last zxid is 0x3b client must try another server\n"
ALL_FAILED = (
    "[2021-12-22 13:03:15,590] ERROR Shutdown broker because all log dirs in /data have failed (kafka.log.LogManager)\n"
)
GONE = 'OffsetOutOfRange: KafkaError{code=_AUTO_OFFSET_RESET,val=-140,str="fetch failed due to requested offset not available on the broker: Broker: Offset out of range (broker 7)"}\n'
ASSIGNED = "New partitions assigned: {Partition(topic=Topic(name='cars'), index=2): 574}\n"
SHORT = "INFO KafkaAvailability:135 - Kafka(a/b): cars/0 will be under-replicated (ISR={8,6}, replicas=[8,6,7], min.insync.replicas=2) if broker 6 is restarted.\n"
ROLLING = (
    "INFO KafkaRoller:486 - Kafka(a/b): Rolling Pod b-7/7 due to [Trust new clients CA certificate signed by new key]\n"
)
FLUSH = "ERROR WorkerSourceTask{id=cdc-0} Failed to flush, timed out while waiting for producer to flush outstanding 1 messages\n"
NO_MEMORY = "{}# There is insufficient memory for the Java Runtime Environment to continue.\n{}# Native memory allocation (mmap) failed to map 1073741824 bytes for committing reserved memory.\n"
OF_THE_BROKER = "[2025-03-01 10:00:00,100] INFO [SocketServer listenerType=BROKER, nodeId=1] Failed authentication with /10.20.1.7 (SSL handshake failed) (org.apache.kafka.common.network.Selector)\n"
OF_THE_CLIENT = "[2025-03-01 10:00:00,101] ERROR [Producer clientId=p] Connection to node -1 (b1/10.20.1.4:9093) failed authentication due to: SSL handshake failed (org.apache.kafka.clients.NetworkClient)\nCaused by: javax.net.ssl.SSLHandshakeException: PKIX path building failed: {}\n"
SETUP = "kafka 21:41:{}.95 {} ==> {}\n"
MOVED = 'Warning  FailedAttachVolume  71s  ctrl  Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node\nNormal  SuccessfulAttachVolume  55s  ctrl  AttachVolume.Attach succeeded for volume "pvc-1"\nNormal  Started  37s  kubelet  Started container kafka\n'
EXPIRED_TLS = "SslAuthenticationException: SSL handshake failed\nCaused by: CertPathValidatorException: {}\n"
WAITS_FOR_ISR = "INFO KafkaAvailability:127 - Kafka(a): cars/3 is already under-replicated (ISR={23}, replicas=[18,23,13], min.insync.replicas=2); broker 18 has a replica, so should not be restarted right now\n"
STOPPED = (
    "[2024-04-03 09:11:25,306] INFO [ReplicaManager broker=0] Shut down completely (kafka.server.ReplicaManager)\n"
)
FORMAT = "kafka-storage: error: argument --cluster-id/-t: {}\n"
UNFORMATTED = "java.lang.RuntimeException: No readable meta.properties files found.\n"
ADVERTISED = "IllegalArgumentException: requirement failed: The advertised.listeners config must not contain KRaft controller listeners from controller.listener.names\n"
NO_WAY = "{} | [main-SendThread(zk:2181)] INFO org.apache.zookeeper.ClientCnxn - Socket error occurred: zk/172.18.0.2:2181: No route to host\n"
SESSION = "sr | [main-SendThread(zk:2181)] INFO org.apache.zookeeper.ClientCnxn - Session establishment complete on server zk/172.18.0.2:2181\n"
KNOWS = "[2023-05-10 09:31:11,341] INFO [BrokerToControllerChannelManager broker={} name=forwarding]: Recorded new controller, from now on will use broker k-{}.k:9093 (id: {} rack: null) (kafka.server.BrokerToControllerRequestThread)\n"
KNOWS_IN_KRAFT = "[2024-05-10 09:31:11,341] INFO [broker-{0}-to-controller-forwarding-channel-manager]: Recorded new KRaft controller, from now on will use node k-{1}:9093 (id: {1} rack: null) (kafka.server.NodeToControllerRequestThread)\n"
NODE_LATE = "Failed fetch messages from {}: [Error 7] RequestTimedOutError\n"
NAME = "%3|1606162721.123|FAIL|rdkafka#producer-1| [thrd:k.corp:9092/bootstrap]: k.corp:9092/bootstrap: Failed to resolve 'k.corp:9092': Name does not resolve (after 34ms in state CONNECT)\n"
CLEANER = "\tat kafka.log.LogCleaner$.createNewCleanedSegment(LogCleaner.scala:437)\n"
NOW = 1740823200100  # of RANGE's line
HOUR, DAY = 3_600_000, 86_400_000


@for_each(
    ("text", "key"),
    [
        (EXPIRED + IOSTAT.format(wait=900, queue=80, busy=100), "disk-saturated"),
        (EXPIRED + IOSTAT.format(wait=2, queue=0.1, busy=7), None),  # the disk is idle
        (EXPIRED + IOSTAT.format(wait=1, queue=0.5, busy=99), None),  # busy, but nobody waits
        (IOSTAT.format(wait=900, queue=80, busy=100), None),  # nothing that it could explain
        (PAUSE + "cars | " + EXPIRED, "client-stood-still"),
        (PAUSE + "vans | " + EXPIRED, None),  # another program's pause
        (POD.format(reason="OOMKilled", code=137, host="b-0.mq", heap="2g"), "container-out-of-memory"),
        (POD.format(reason="Error", code=1, host="0.0.0.0", heap="1g"), "setting-refused"),
        (POD.format(reason="Error", code=1, host="b-0.mq", heap="1g"), None),  # no reason in the environment
        (LOGIN.format("Specified version of key is not available (44)") + KEYS.format(4), "keytab-outdated"),
        (LOGIN.format("Clock skew too great (37)"), "kerberos-clock-skew"),
        (HELD, "volume-held"),
        (HELD + "AttachVolume.Attach succeeded\n" + STARTED, "volume-attached-later"),
        (REFUSED + ROW.format(0, "1,3", "1") + ROW.format(1, "1,2", "1,2"), "one-broker-out-of-isrs"),
        (REFUSED + ROW.format(0, "1,3", "1") + ROW.format(1, "2,3", "2,3"), None),  # broker 3 is in sync elsewhere
        (REFUSED + ROW.format(0, "1", "1"), "fewer-replicas-than-min-isr"),
        (ASKED + LISTED.format("cars-eu"), "topic-does-not-exist"),
        (ASKED + LISTED.format("cars_eu"), None),  # it is there
        (RANGE.format(NOW - 90 * DAY, NOW - 7 * DAY, NOW + HOUR), "record-too-old"),
        (RANGE.format(NOW, NOW - 9 * DAY, NOW - HOUR), "broker-clock-wrong"),
        (
            OTHER_ID + "a.env:CLUSTER_ID=bbbbbbbbbbbbbbbbbbbbbb\nb.env:CLUSTER_ID=aaaaaaaaaaaaaaaaaaaaaa\n",
            "cluster-id-setting-wrong",
        ),
        (OTHER_ID, None),  # no other line shows which id is right
        (UNHEARD * 2, "leader-without-majority"),
        (
            REPORTER.format(1, "WARN", TRIES) + STARTED + REPORTER.format(6, "INFO", "Cluster ID: x"),
            "reporter-before-its-broker",
        ),
        (REPORTER.format(1, "WARN", TRIES) + STARTED + REPORTER.format(6, "WARN", TRIES), None),  # it goes on
        ("Could not upgrade metadata.version to 27. Broker 8 only supports versions 1-25\n", "feature-refused"),
        (VOTES.format(1, 612, "REJECTED") + VOTES.format(2, 740, "REJECTED"), "candidate-refused"),
        (VOTES.format(1, 612, "REJECTED") + LED, None),  # it was elected
        (VOTES.format(1, 612, "REJECTED") + VOTES.format(2, 612, "UNRECORDED"), None),  # once silent, once refused
        (PRE_VOTE + WAITED, "quorum-without-answers"),
        (PRE_VOTE + WAITED + LED, None),  # it was elected
        (VOTERS.format("0@127.0.0.1:9093,1@127.0.0.1:9093,2@127.0.0.1:9093"), "voters-share-an-address"),
        (VOTERS.format("0@127.0.0.1:9093,1@127.0.0.1:9094,2@127.0.0.1:9095"), None),  # three nodes on one host
        (VOTERS.format("0@127.0.0.1:9093"), None),  # one node
        ("killing one broker\n" + VOTERS.format("1@a:9093,2@b:9093"), "two-voters"),
        ("killing one broker\n" + VOTERS.format("1@a:9093,2@b:9093,3@c:9093"), None),
        ("killing one broker\n" + VOTERS.format("1@a:9093,2@b:9093") + EXPIRED, None),  # another trouble
        (DIRECTORIES.format(1), "directories-of-a-newer-release"),
        (DIRECTORIES.format(2), None),  # another broker's
        (FENCED, "producer-fenced"),
        (FENCED + GRANTED, "producer-replaced"),
        (
            DOWNGRADE.format("Unsafe metadata downgrade is not supported in this version."),
            "metadata-downgrade-not-supported",
        ),
        (DOWNGRADE.format("The controller does not know it."), None),
        (AUTO.format("true"), "topic-not-created-for-a-client"),
        (AUTO.format("false"), None),
        (LOGIN_LACKS, "client-without-login"),
        (LOGIN_LACKS + "  security_protocol='SASL_PLAINTEXT',\n", None),  # it logs in
        (REBALANCING, "group-in-a-rebalance"),
        (REBALANCING + JOIN_LATE * 2, "join-not-awaited"),
        ("0 and 1 are controllers only now\n" + ROW.format(0, "1,3", "1"), "replicas-on-nodes-that-are-no-brokers"),
        (ROW.format(0, "1,3", "1"), "replicas-not-in-sync"),
        (STREAMS, "streams-topic-has-other-partitions"),
        (HUB.format("PLAINTEXT"), "event-hubs-without-login"),
        (HUB.format("SASL_SSL"), None),  # it logs in
        (CATCHES_UP + NO_VOTER, "loader-without-a-leader"),
        (CATCHES_UP + NO_VOTER + CAUGHT_UP, None),  # it passed
        ("reverting to zookeeper mode\n" + NO_CONTROLLER, "zookeeper-mode-without-controller"),
        (NO_CONTROLLER, None),  # a start, perhaps
        ("I deleted all of my docker data\n" + NEWER_ZXID.format(""), "zookeeper-older-than-its-client"),
        ("I deleted all of my docker data\n" + NEWER_ZXID.format("2"), None),  # a member that is behind
        (NEWER_ZXID.format(""), None),
        ("i updated my images with the permissions fix\n" + ALL_FAILED, "all-directories-failed"),
        (ALL_FAILED, None),
        (
            "i updated my images\njava.io.IOException: No space left on device\n" + ALL_FAILED,
            None,
        ),  # the reason is here
        (FACTOR, "topic-needs-more-brokers"),
        (FACTOR + EXPIRED, None),  # another trouble
        (GONE + ASSIGNED, "consumer-offset-gone"),
        (OF_THE_BROKER + OF_THE_CLIENT.format("unable to find it"), "certificate-refused-by-the-client"),
        (OF_THE_CLIENT.format("unable to find it"), None),  # one end only
        (OF_THE_BROKER + OF_THE_CLIENT.format("Received fatal alert: bad_certificate"), None),  # the other way round
        (GONE + "Resetting offset for partition cars-2 to offset 9\n", None),  # it was reset
        (SHORT + ROLLING, "operator-holds-brokers-back"),
        (SHORT + "INFO Could not roll pod b-6, giving up after 10 attempts\n", None),
        (FLUSH, "connect-source-gets-nothing-through"),
        (
            FLUSH + "WARN [Producer clientId=a] Connection to node 1 could not be established\n",
            None,
        ),  # the reason is here
        (NO_MEMORY.format("k | ", "k | "), "java-without-memory"),
        (STARTED + NO_MEMORY.format("", ""), None),  # it ran before
        ("WARN: No action will be performed as the --execute option is missing.\n", "reset-not-executed"),
        (FORMAT.format("expected one argument") + UNFORMATTED, "format-refused-before-the-start"),
        (FORMAT.format("expected one argument"), None),  # it says all by itself
        (UNFORMATTED, None),  # nothing refused its arguments
        (
            "KAFKA_CFG_ADVERTISED_LISTENERS=CONTROLLER://localhost:29093,OUT://k:9092\n" + ADVERTISED,
            "controller-listener-advertised",
        ),
        ("KAFKA_CFG_LISTENERS=CONTROLLER://:29093,OUT://:9092\n" + ADVERTISED, None),  # where it may stand
        (NO_WAY.format("sr") + NO_WAY.format("kb"), "zookeeper-not-reached-by-several"),
        (NO_WAY.format("sr") + SESSION, None),  # it reached ZooKeeper
        (KNOWS.format(1, 1, 1) + KNOWS.format(2, 2, 2), "controllers-of-two-clusters"),
        (KNOWS_IN_KRAFT.format(1, 1) + KNOWS_IN_KRAFT.format(2, 2), "controllers-of-two-clusters"),
        (KNOWS.format(1, 1, 1) + KNOWS.format(2, 1, 1) + KNOWS.format(2, 2, 2), None),  # the controller moved
        (KNOWS.format(1, 1, 1) * 2, None),  # one broker
        (NODE_LATE.format(1) + NODE_LATE.format(2), "requests-to-several-nodes-time-out"),
        (NODE_LATE.format(1) * 3, None),  # one node
        (NAME, "bootstrap-name-not-resolved"),
        (NAME.replace("/bootstrap", "/7"), None),  # a broker advertised the name
        (CLEANER + ALL_FAILED, "all-directories-failed-in-the-cleaner"),
        ("java.io.IOException: No space left on device\n" + CLEANER + ALL_FAILED, None),  # the reason is here
        (SETUP.format(1, "ERROR", "Role 'controller' enabled but X was not provided."), "image-refuses-a-setting"),
        (SETUP.format(1, "ERROR", "It failed") + STARTED, None),  # Kafka ran
        (SETUP.format(1, "INFO", "Formatting storage directories to add metadata..."), "image-ends-at-the-format"),
        (SETUP.format(1, "INFO", "Formatting storage directories") + STARTED, None),
        (MOVED, "volume-attached-after-a-while"),
        (MOVED + "Warning  BackOff  3s  kubelet  Back-off restarting failed container\n", None),
        (EXPIRED_TLS.format("validity check failed") + WAITS_FOR_ISR, "certificates-expired-while-rolling"),
        (EXPIRED_TLS.format("no trust anchor") + WAITS_FOR_ISR, None),
        (CATCHES_UP + STOPPED, "stopped-before-the-quorum-answered"),
        (CATCHES_UP + CAUGHT_UP + STOPPED, None),
        (CATCHES_UP + NO_VOTER + STOPPED, "loader-without-a-leader"),  # a line tells more
    ],
)
def test_a_case_needs_its_rows_and_a_row_refutes_it(text, key):
    case = case_of(text)
    assert (case and case.key) == key


def test_the_case_stands_first_and_the_rest_is_behind_all():
    told = list(as_text(of_text(EXPIRED + IOSTAT.format(wait=900, queue=80, busy=100))))
    assert told[0].startswith("kb: its disk sdc is saturated: 100 % busy")
    assert told[-1] == "What each line says: --all" and len(told) < 12
    whole = list(as_text(of_text(EXPIRED + IOSTAT.format(wait=900, queue=80, busy=100)), is_whole=True))
    assert whole[: len(told) - 1] == told[:-1] and any(
        "Expiring" in line or "cars-1" in line for line in whole[len(told) :]
    )


def test_an_unread_line_that_can_be_the_reason_is_quoted_and_no_all_clear_stands_beside_it():
    known = "[2025-03-01 10:00:00,000] INFO [KafkaServer id=7] started (kafka.server.KafkaServer)\n"
    answer = of_text(known + "[2025-03-01 10:00:01,000] ERROR The frobnicator gave way (kafka.server.KafkaServer)\n")
    assert answer.summary == "KafkaServer reports: 'The frobnicator gave way'."


def test_an_unread_error_is_quoted_beside_a_case():
    odd = "[2025-03-01 10:00:01,000] ERROR The frobnicator gave way (kafka.server.KafkaServer)\n"
    told = list(as_text(of_text(EXPIRED + odd + IOSTAT.format(wait=900, queue=80, busy=100))))
    assert any("I do not know this line: 'The frobnicator gave way'" in line for line in told)


def test_what_the_paste_holds_is_not_asked_for():
    shrunk = "[2025-03-01 10:00:00,000] INFO [Partition cars-0 broker=1] Shrinking ISR from 1,3 to 1 (kafka.cluster.Partition)\n"
    asks = "--under-replicated-partitions"
    assert any(asks in one for one in of_text(shrunk).missing)
    assert not any(asks in one for one in of_text(shrunk + ROW.format(0, "1,3", "1")).missing)


def test_a_case_says_what_its_rows_show():
    says = case_of(VOTES.format(1, 612, "REJECTED") + VOTES.format(2, 740, "REJECTED")).says
    assert "voters 5 and 6 answer and refuse, at least 2 times here" in says and "moved from 612 to 740" in says
    assert "of its 3 voters, voters 3 and 5 did not answer node 4" in case_of(PRE_VOTE + WAITED).says
    assert (
        "1 member has joined. At this moment no partition has an owner, so nobody reads. 30 records"
        in case_of(REBALANCING).says
    )
    assert "all 2 have the same cluster.id and node.id (1)" in case_of(DIRECTORIES.format(1)).says
    assert "offsets.topic.replication.factor" in case_of(FACTOR).do
    assert "I do not know this line" not in "".join(as_text(of_text(REBALANCING + JOIN_LATE * 2)))


def test_an_error_that_is_fatal_does_not_recover():
    fatal = "%0|1657854002.147|FATAL|rdkafka#producer-3| [thrd:main]: Fatal error: Local: This instance has been fenced by a newer instance\n"
    assert [one.key for one in of_text(FENCED + fatal).told] == ["rd-fatal"]

    (alone,) = of_text(FENCED).told
    assert alone.weight == "trouble" and alone.heals == "no: the line calls the error fatal"


def test_a_high_watermark_that_moved_rules_out_elections_in_a_row():
    voted = [VOTES.format(second, 612 + second, "UNRECORDED") for second in range(4)]
    assert not any("in a row" in one for one in of_text("".join(voted)).together)
    same = [VOTES.format(second, 612, "UNRECORDED") for second in range(4)]
    assert any("4 elections in a row without a leader" in one for one in of_text("".join(same)).together)


def test_a_remark_is_no_line_of_a_program():
    text = "The tool shows that this doesn't work.\nfrob: could not grind\n"
    assert "which I do not know: 'frob: could not grind'" in of_text(text).summary
    known = "[2025-03-01 10:00:00,000] INFO [KafkaServer id=7] started (kafka.server.KafkaServer)\n"
    said = of_text("When I stop one of them it is stuck\n" + known).summary
    assert said.startswith("The lines here report no fault, but their text does: 'When I stop one of them it is stuck'")
    assert of_text("After docker compose up\n" + known).foreign == 0


def test_nothing_recognized_is_no_all_clear():
    said = of_text("extraEnvVars:\n  - name: A\n\n[2022-12-23 12:47:35,725] INFO [RaftManager nodeId=0]\n").summary
    assert "cannot say whether anything is wrong" in said
