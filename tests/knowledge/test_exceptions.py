"""Each exception's meaning is chosen by a text as Kafka, the JDK or the operating system prints it."""

from __future__ import annotations

import pytest

from replay.knowledge.choosing import cause_of
from replay.knowledge.exceptions import EXCEPTIONS
from replay.knowledge.text_lines import Line

EXAMPLES = {
    "start-broker-id-changed": "kafka.common.InconsistentBrokerIdException: Configured broker.id 1 doesn't match stored broker.id Some(0) in meta.properties.",
    "start-cluster-id-differs": "kafka.common.InconsistentClusterIdException: The Cluster ID nwJ3Xb doesn't match stored clusterId Some(Ku66Ub) in meta.properties.",
    "start-id-registered": "java.lang.RuntimeException: A broker is already registered on the path /brokers/ids/1. This probably indicates",
    "start-id-duplicate-kraft": "org.apache.kafka.common.errors.DuplicateBrokerRegistrationException: Another broker is registered with that broker id.",
    "start-lock-held": "org.apache.kafka.common.KafkaException: Failed to acquire lock on file .lock in /tmp/kafka-logs. A Kafka instance in another process or thread is using this directory.",
    "start-meta-properties-missing": "org.apache.kafka.common.KafkaException: No `meta.properties` found in /tmp/ (have you run `kafka-storage.sh` to format the directory?)",
    "start-meta-properties-differ": "kafka.common.InconsistentBrokerMetadataException: BrokerMetadata is not consistent across log.dirs.",
    "start-directory-id-twice": "java.lang.RuntimeException: Duplicate directory ID Optional[Jk0OHVFffx5-R7tD8aVk-Q] found. It was the ID of /var/lib/kafka/data0, but also of /var/lib/kafka/data1",
    "start-directory-name-empty": "org.apache.kafka.common.KafkaException: No `meta.properties` found in  (have you run `kafka-storage.sh` to format the directory?)",
    "connect-topic-not-compacted": "org.apache.kafka.common.config.ConfigException: Topic 'connect-offsets' supplied via the 'offset.storage.topic' property is required to have 'cleanup.policy=compact' to guarantee consistency",
    "start-voters-changed": "java.lang.IllegalStateException: Configured voter set: [1, 2, 3] is different from the voter set read from the state file: [1, 2]. Check if the quorum configuration is up to date",
    "record-larger-than-request": "org.apache.kafka.common.errors.RecordTooLargeException: The message is 1048762 bytes when serialized which is larger than 1048576, which is the value of the max.request.size configuration.",
    "remote-copy-no-snapshot": 'java.lang.NullPointerException: Cannot invoke "java.io.File.toPath()" because "producerStateSnapshotFile" is null\n\tat kafka.log.remote.RemoteLogManager$RLMCopyTask.copyLogSegment(RemoteLogManager.java:943)',
    "oauth-no-token": "org.apache.kafka.common.KafkaException: javax.security.auth.login.LoginException: An internal error occurred while retrieving token from callback handler",
    "client-without-sasl": "Unexpected Kafka request of type METADATA during SASL handshake.",
    "group-protocol-not-offered": "org.apache.kafka.common.errors.UnsupportedVersionException: The cluster does not support the new CONSUMER group protocol. Set group.protocol=classic",
    "start-topic-id-missing": "java.lang.RuntimeException: The log dir Log(dir=/kafka/orders-0, topic=orders, partition=0, highWatermark=0, lastStableOffset=0, logStartOffset=0, logEndOffset=0) does not have a topic ID, which is not allowed when running in KRaft mode.",
    "start-voters-without-node": "requirement failed: If process.roles contains the 'controller' role, the node id 4 must be included in the set of voters",
    "start-broker-in-voters": "requirement failed: If process.roles contains just the 'broker' role, the node id 4 must not be included in the set of voters",
    "leader-is-no-voter": "java.lang.IllegalStateException: Cannot transition to Follower with leaderId=4 and epoch=48 since it is not one of the voters [0, 1, 2]",
    "start-class-missing": "org.apache.kafka.common.KafkaException: Class com.linkedin.Reporter cannot be found",
    "start-own-class-missing": "java.lang.NoClassDefFoundError: org/apache/kafka/common/utils/Exit",
    "start-java-version": "java.lang.UnsupportedClassVersionError: kafka/Kafka has been compiled by a more recent version of the Java Runtime",
    "start-znode-missing-root": "org.apache.zookeeper.KeeperException$NoNodeException: KeeperErrorCode = NoNode for /brokers/ids",
    "start-zookeeper-timeout": "kafka.zookeeper.ZooKeeperClientTimeoutException: Timed out waiting for connection while in state: CONNECTING",
    "start-port-in-use": "org.apache.kafka.common.KafkaException: Socket server failed to bind to 0.0.0.0:9092: Address already in use.",
    "start-broker-epoch-zk-owner": "org.apache.zookeeper.KeeperException$NodeExistsException: KeeperErrorCode = NodeExists",
    "start-listener-name": "java.lang.IllegalArgumentException: requirement failed: inter.broker.listener.name must be a listener name defined in advertised.listeners.",
    "start-end-point-duplicate": "requirement failed: Configured end points host:9092 in advertised listeners are already registered by broker 2",
    "start-metadata-version": "java.lang.IllegalArgumentException: No MetadataVersion with feature level 25",
    "start-foreign-directory": "org.apache.kafka.common.KafkaException: Found directory /data/lost+found, 'lost+found' is not in the form of topic-partition",
    "start-foreign-file": 'java.lang.NumberFormatException: For input string: "hs_err_pid1"\n\tat kafka.log.Log.loadSegmentFiles(Log.scala:1)',
    "start-config": 'org.apache.kafka.common.config.ConfigException: Missing required configuration "listeners" which has no default value.',
    "start-no-mode": 'org.apache.kafka.common.config.ConfigException: Missing required configuration "zookeeper.connect" which has no default value.',
    "native-library": "java.lang.UnsatisfiedLinkError: /tmp/snappy-1.1.7-libsnappyjava.so: failed to map segment from shared object: Operation not permitted",
    "class-not-initialised": "java.lang.NoClassDefFoundError: Could not initialize class com.acme.Reporter",
    "log4j-not-configured": "java.io.FileNotFoundException: /opt/kafka/config/log4j.properties (No such file or directory)",
    "mapped-file-fault": "java.lang.InternalError: a fault occurred in a recent unsafe memory access operation in compiled Java code",
    "request-not-served-here": "org.apache.kafka.common.errors.InvalidRequestException: Received request api key METADATA which is not enabled",
    "connection-not-permitted": "java.net.SocketException: Operation not permitted\n\tat sun.nio.ch.Net.connect0(Native Method) ~[?:?]",
    "start-wait-ended": "java.lang.RuntimeException: Received a fatal error while waiting for the controller to acknowledge that we are caught up\n\tat org.apache.kafka.server.util.FutureUtils.waitWithLogging(FutureUtils.java:73)\nCaused by: java.util.concurrent.CancellationException",
    "old-producer-gave-up": "kafka.common.FailedToSendMessageException: Failed to send messages after 3 tries.",
    "no-replica-alive": "kafka.common.NoReplicaOnlineException: No replica for partition [clicks,3] is alive. Live brokers are: [Set(1, 2)], Assigned replicas are: [List(3)]",
    "tls-certificate-expired": "java.security.cert.CertificateExpiredException: NotAfter: Sun Nov 10 23:59:59 UTC 2024",
    "controller-moved-on": "org.apache.kafka.common.errors.ControllerMovedException: Controller moved to another broker. Aborting controller startup procedure",
    "request-version-not-taken": "org.apache.kafka.common.errors.UnsupportedVersionException: Received request for api with key 0 (Produce) and unsupported version 2",
    "file-cut-short": "java.io.EOFException\n\tat java.io.DataInputStream.readLong(DataInputStream.java:416)\n\tat kafka.log.OffsetIndex.<init>(OffsetIndex.scala:60)",
    "format-refused": "java.lang.RuntimeException: Log directory /var/lib/kafka/data is already formatted. Use --ignore-formatted to ignore this directory and format the others.",
    "mixed-jars": "java.lang.NoSuchMethodError: 'void org.apache.kafka.common.utils.Utils.foo()'",
    "client-plain-on-tls": "java.lang.OutOfMemoryError: Java heap space\n\tat org.apache.kafka.common.network.NetworkReceive.readFrom(NetworkReceive.java:113)\n\tat org.apache.kafka.clients.NetworkClient.poll(NetworkClient.java:1)\n\tat org.apache.kafka.clients.admin.KafkaAdminClient$AdminClientRunnable.run(KafkaAdminClient.java:1)",
    "topic-name-collides": "org.apache.kafka.common.errors.InvalidTopicException: Topic 'a.b' collides with existing topics: a_b",
    "listener-lacking": "kafka.common.BrokerEndPointNotAvailableException: End point with security protocol SSL not found for broker 3",
    "start-config-file-missing": "java.nio.file.NoSuchFileException: config/server-1.properties",
    "jmx-port-in-use": "java.rmi.server.ExportException: Port already in use: 9999; nested exception is:\n\tjava.net.BindException: Address already in use",
    "meta-properties-mixed-jars": "java.io.FileNotFoundException: /var/lib/kafka/data/meta.properties (No such file or directory)",
    "folder-vanished": "java.nio.file.NoSuchFileException: /data/t-0/00000000000000000000.log.cleaned",
    "zk-logs-without-snapshot": "java.io.IOException: No snapshot found, but there are log entries. Something is broken!",
    "direct-memory-for-a-greeting": "java.lang.OutOfMemoryError: Cannot reserve 369296129 bytes of direct buffer memory (allocated: 1, limit: 2)",
    "request-body-unreadable": "org.apache.kafka.common.errors.InvalidRequestException: Error getting request for apiKey: SYNC_GROUP, apiVersion: 3, connectionId: a\nCaused by: java.nio.BufferUnderflowException",
    "request-not-read": "kafka.network.InvalidRequestException: Error getting request for apiKey: 18 and apiVersion: 2",
    "start-jaas-missing": "java.lang.IllegalArgumentException: Could not find a 'KafkaServer' or 'sasl.KafkaServer' entry in the JAAS configuration.",
    "start-keystore": "org.apache.kafka.common.KafkaException: Failed to load SSL keystore /etc/k.jks of type JKS",
    "start-dir-not-writable": "java.nio.file.AccessDeniedException: /var/lib/kafka/data",
    "disk-full": "java.io.IOException: No space left on device",
    "disk-read-only": "java.nio.file.FileSystemException: /data/x: Read-only file system",
    "disk-io-error": "java.io.IOException: Input/output error",
    "map-failed": "java.io.IOException: Map failed",
    "too-many-open-files": "java.io.IOException: Too many open files",
    "windows-lock": "java.nio.file.FileSystemException: C:\\kafka\\a.log -> C:\\kafka\\a.log.deleted: The process cannot access the file because it is being used by another process.",
    "segment-two-gib": "java.io.EOFException: Failed to read `log header` from file channel `sun.nio.ch.FileChannelImpl@56`. Expected to read 17 bytes, but reached end of file after reading 0 bytes. Started read from position 2147483643.",
    "segment-ends-short": "java.io.EOFException: Failed to read `log header` from file channel `sun.nio.ch.FileChannelImpl@56`. Expected to read 17 bytes, but reached end of file after reading 0 bytes. Started read from position 123190.",
    "corrupt-index": "java.lang.IllegalArgumentException: requirement failed: Corrupt index found, index file (/d/t-0/00.index) has non-zero size but the last offset is -1634293959 and the base offset is 0",
    "file-of-move-vanished": "java.nio.file.NoSuchFileException: /data/1/t-0.9f1c0ad9-future/00000000000000000000.log",
    "file-vanished": "java.nio.file.NoSuchFileException: /tmp/kafka-logs/t-0/00000000000000000000.log",
    "metadata-log-inconsistent": "Cannot increment the log start offset to 927939 of partition __cluster_metadata-0 since it is larger than the high watermark 926507",
    "log-start-above-hw": "Cannot increment the log start offset to 8459296 of partition reqmessages-3 since it is larger than the high watermark 566154",
    "records-refused": "org.apache.kafka.common.InvalidRecordException: One or more records have been rejected due to 1 record errors in total, and only showing the first three errors at most: [RecordError(batchIndex=0, message='Compacted topic cannot accept message without key in topic partition orders-0.')]",
    "corrupt-record": "org.apache.kafka.common.errors.CorruptRecordException: Record is corrupt (stored crc = 89914008)",
    "unknown-api-key": "java.lang.ArrayIndexOutOfBoundsException: 18\n\tat org.apache.kafka.common.protocol.ApiKeys.forId(ApiKeys.java:68)",
    "wrong-request-type": "kafka.common.KafkaException: Wrong request type 12",
    "unparsable-request": "org.apache.kafka.common.errors.InvalidRequestException: Error parsing request header. Our best guess of the apiKey is: 0",
    "not-kafka-on-port": "org.apache.kafka.common.network.InvalidReceiveException: Invalid receive (size = 1195725856 larger than 104857600)",
    "message-too-large": "org.apache.kafka.common.errors.RecordTooLargeException: The record batch size in the append to t-0 is 2 bytes",
    "timestamp-out-of-range": "org.apache.kafka.common.errors.InvalidTimestampException: Timestamp 1 of message with offset 0 is out of range",
    "unknown-producer-id": "org.apache.kafka.common.errors.UnknownProducerIdException: Found no record of producerId=0 on the broker at offset 536in partition t-0.",
    "out-of-order-sequence": "org.apache.kafka.common.errors.OutOfOrderSequenceException: Out of order sequence number for producer 7",
    "producer-fenced": "org.apache.kafka.common.errors.ProducerFencedException: There is a newer producer",
    "offset-mismatch": "java.lang.IllegalStateException: Offset mismatch for partition t-0: fetched offset = 5, log end offset = 4.",
    "not-enough-replicas": "org.apache.kafka.common.errors.NotEnoughReplicasException: The size of the current ISR Set(1) is insufficient",
    "offset-before-log-start": "org.apache.kafka.common.errors.OffsetOutOfRangeException: Received request for offset 5 for partition t-0, but we only have log segments starting from offset: 40.",
    "offset-not-in-local-log": "org.apache.kafka.common.errors.OffsetOutOfRangeException: Received request for offset 5 for partition t-0, but we only have log segments upto 4.",
    "offset-out-of-range": "org.apache.kafka.common.errors.OffsetOutOfRangeException: Received request for offset 5 for partition t-0, but we only have log segments in the range 7 to 9.",
    "internal-topic-written": "org.apache.kafka.common.errors.InvalidTopicException: Cannot append to internal topic __consumer_offsets",
    "invalid-topic": "[KafkaApi-2] error when handling request Name: TopicMetadataRequest\nkafka.common.InvalidTopicException: topic name $host is illegal, contains a character other than ASCII alphanumerics",
    "unknown-topic": "org.apache.kafka.common.errors.UnknownTopicOrPartitionException: This server does not host this topic-partition.",
    "topic-id-differs": "org.apache.kafka.common.errors.InconsistentTopicIdException: The log's topic ID did not match",
    "not-leader": "org.apache.kafka.common.errors.NotLeaderOrFollowerException: not the leader",
    "fenced-epoch": "org.apache.kafka.common.errors.FencedLeaderEpochException: The leader epoch in the request is older",
    "log-dir-unknown": "org.apache.kafka.common.errors.LogDirNotFoundException: Log dir /data/9 is not found in the config.",
    "storage-exception": "org.apache.kafka.common.errors.KafkaStorageException: The log dir /d is already offline due to a previous IO exception.",
    "cleaner-map-too-small": "java.lang.IllegalArgumentException: requirement failed: 138296566648 messages in segment __consumer_offsets-5/0.log but offset map can fit only 5033164.",
    "checkpoint-unreadable": "java.io.IOException: Malformed line in checkpoint file (/d/replication-offset-checkpoint): 'x'",
    "own-host-name": "java.net.UnknownHostException: EM-6CU4525DYP: EM-6CU4525DYP: unknown error",
    "host-unknown": "java.net.UnknownHostException: kafka-2.kafka-svc",
    "out-of-heap": "java.lang.OutOfMemoryError: Java heap space",
    "direct-memory": "java.lang.OutOfMemoryError: Direct buffer memory",
    "no-threads": "java.lang.OutOfMemoryError: unable to create native thread",
    "sasl-failed": "org.apache.kafka.common.errors.SaslAuthenticationException: Authentication failed: Invalid username or password",
    "tls-alert": "org.apache.kafka.common.errors.SslAuthenticationException: SSL handshake failed\nCaused by: javax.net.ssl.SSLHandshakeException: Received fatal alert: handshake_failure",
    "tls-name-differs": "org.apache.kafka.common.errors.SslAuthenticationException: SSL handshake failed\nCaused by: java.security.cert.CertificateException: No subject alternative names matching IP address 0.0.0.0 found",
    "tls-not-trusted": "javax.net.ssl.SSLHandshakeException: PKIX path building failed: sun.security.provider.certpath.SunCertPathBuilderException: unable to find valid certification path to requested target",
    "tls-failed": "org.apache.kafka.common.errors.SslAuthenticationException: SSL handshake failed",
    "not-authorized": "org.apache.kafka.common.errors.ClusterAuthorizationException: Request Request(...) is not authorized.",
    "connection-refused": "java.net.ConnectException: Connection refused",
    "no-route": "java.net.NoRouteToHostException: No route to host",
    "disconnected-before-answer": "java.io.IOException: Connection to 3 was disconnected before the response was read",
    "connection-failed": "java.io.IOException: Connection to node2:9092 (id: 1 rack: null) failed.",
    "connection-reset": "java.io.IOException: Broken pipe",
    "request-timeout": "java.net.SocketTimeoutException: Failed to connect within 30000 ms",
    "zk-session-expired": "org.apache.zookeeper.KeeperException$SessionExpiredException: KeeperErrorCode = Session expired for /x",
    "zk-connection-loss": "org.apache.zookeeper.KeeperException$ConnectionLossException: KeeperErrorCode = ConnectionLoss for /x",
    "zk-auth": "org.apache.zookeeper.KeeperException$NoAuthException: KeeperErrorCode = NoAuth for /x",
    "zk-bad-version": "org.apache.zookeeper.KeeperException$BadVersionException: KeeperErrorCode = BadVersion for /x",
    "not-controller": "org.apache.kafka.common.errors.NotControllerException: The active controller appears to be node 2.",
    "no-active-controller": "org.apache.kafka.common.errors.NotControllerException: No controller appears to be active.",
    "broker-not-alive-to-controller": "kafka.common.BrokerNotAvailableException: Broker id 0 does not exist.",
    "stale-broker-epoch": "org.apache.kafka.common.errors.StaleBrokerEpochException: Expected broker epoch 5",
    "acceptor-by-zero": "java.lang.ArithmeticException: / by zero\n\tat kafka.network.Acceptor.run(SocketServer.scala:354)",
    "controller-batch-left-over": "java.lang.IllegalStateException: Controller to broker state change requests batch is not empty while creating a new one. Some UpdateMetadata",
    "topic-name-collision-bug": "java.util.NoSuchElementException\n\tat org.apache.kafka.controller.ReplicationControlManager.validateNewTopicNames(R.java:799)",
    "stack-overflow": "java.lang.StackOverflowError",
    "start-login": "javax.security.auth.login.LoginException: Could not login: the client is being asked for a password",
    "start-heap-for-cleaner": "java.lang.OutOfMemoryError: Java heap space\n\tat kafka.log.SkimpyOffsetMap.<init>(OffsetMap.scala:42)",
    "client-no-metadata": "org.apache.kafka.common.errors.TimeoutException: Failed to update metadata after 60000 ms.",
    "start-still-starting": "java.lang.IllegalStateException: Kafka server is still starting up, cannot shut down!",
    "start-authorizer-removed": "java.lang.ClassNotFoundException: kafka.security.auth.SimpleAclAuthorizer",
    "start-tls-self-check": "org.apache.kafka.common.config.ConfigException: Invalid value javax.net.ssl.SSLHandshakeException: General SSLEngine problem for configuration A client SSLEngine created with the provided settings can't connect to a server SSLEngine created with those settings.",
    "start-java-security": "java.security.NoSuchAlgorithmException: Error constructing implementation (algorithm: MD5, provider: SUN)",
    "request-version-unknown": "java.lang.IllegalArgumentException: Invalid version for API key UPDATE_METADATA: 5",
    "unknown-server-error": "org.apache.kafka.common.errors.UnknownServerException: The server experienced an unexpected error when processing the request",
    "not-assigned-replica": "kafka.common.NotAssignedReplicaException: Leader 2 failed to record follower 4's position -1 since the replica is not recognized to be one of the assigned replicas",
    "quorum-not-authorized": "org.apache.kafka.common.errors.ClusterAuthorizationException: Received cluster authorization error in response InboundResponse(correlationId=7)",
    "own-code": "java.lang.NullPointerException",
    "other-exception": "com.acme.OddException: the flux is low",
    "io-error": "java.io.IOException: something",
    "interrupted": "java.lang.InterruptedException",
    "not-coordinator": "org.apache.kafka.common.errors.NotCoordinatorException: This is not the correct coordinator.",
    "coordinator-loading": "org.apache.kafka.common.errors.CoordinatorLoadInProgressException: The coordinator is loading and hence can't process requests.",
    "coordinator-not-available": "org.apache.kafka.common.errors.CoordinatorNotAvailableException: The coordinator is not available.",
    "unknown-member": "org.apache.kafka.common.errors.UnknownMemberIdException: The coordinator is not aware of this member.",
    "illegal-generation": "org.apache.kafka.common.errors.IllegalGenerationException: Specified group generation id is not valid.",
    "rebalance-in-progress": "org.apache.kafka.common.errors.RebalanceInProgressException: Offset commit cannot be completed since the consumer is undergoing a rebalance",
    "fenced-instance-id": "org.apache.kafka.common.errors.FencedInstanceIdException: The broker rejected this static consumer",
    "unreleased-instance-id": "org.apache.kafka.common.errors.UnreleasedInstanceIdException: Static member m with instance id a cannot join the group because the instance id is owned by b member.",
    "fenced-member-epoch": "org.apache.kafka.common.errors.FencedMemberEpochException: The consumer group member has a greater member epoch (5) than the one known by the group coordinator (4).",
    "stale-member-epoch": "org.apache.kafka.common.errors.StaleMemberEpochException: The member epoch is stale.",
    "group-full": "org.apache.kafka.common.errors.GroupMaxSizeReachedException: The consumer group has reached its maximum capacity of 2 members.",
    "group-protocols-differ": "org.apache.kafka.common.errors.InconsistentGroupProtocolException: The group member's supported protocols are incompatible",
    "unsupported-assignor": "org.apache.kafka.common.errors.UnsupportedAssignorException: ServerAssignor odd is not supported.",
    "session-timeout-refused": "org.apache.kafka.common.errors.InvalidSessionTimeoutException: The session timeout is not within the range",
    "unknown-group": "org.apache.kafka.common.errors.GroupIdNotFoundException: Group g not found.",
    "transaction-in-between": "org.apache.kafka.common.errors.ConcurrentTransactionsException: The producer attempted to update a transaction",
    "transaction-state-wrong": "org.apache.kafka.common.errors.InvalidTxnStateException: The producer attempted a transactional operation in an invalid state.",
    "transactional-id-expired": "org.apache.kafka.common.errors.InvalidPidMappingException: The producer attempted to use a producer id",
    "transaction-timeout-refused": "org.apache.kafka.common.errors.InvalidTxnTimeoutException: The transaction timeout is larger than the maximum value allowed",
    "transaction-coordinator-fenced": "org.apache.kafka.common.errors.TransactionCoordinatorFencedException: Invalid coordinator epoch: 3 (zombie)",
    "offset-metadata-too-large": "org.apache.kafka.common.errors.OffsetMetadataTooLarge: The metadata field of the offset request was too large.",
    "offsets-unstable": "org.apache.kafka.common.errors.UnstableOffsetCommitException: There are unstable offsets that need to be cleared.",
    "quota-exceeded": "org.apache.kafka.common.errors.ThrottlingQuotaExceededException: The throttling quota has been exceeded.",
    "delete-records-refused": "org.apache.kafka.common.errors.PolicyViolationException: Records of partition orders-0 can not be deleted due to the configured policy",
    "policy-refused": "org.apache.kafka.common.errors.PolicyViolationException: Topics need two replicas",
    "replication-factor-refused": "org.apache.kafka.common.errors.InvalidReplicationFactorException: Unable to replicate the partition 3 time(s): The target replication factor of 3 cannot be reached because only 1 broker(s) are registered.",
    "topic-exists": "org.apache.kafka.common.errors.TopicExistsException: Topic 'a' already exists.",
    "fetch-session-gone": "org.apache.kafka.common.errors.FetchSessionIdNotFoundException: The fetch session ID was not found.",
    "share-session-gone": "org.apache.kafka.common.errors.ShareSessionNotFoundException: The share session was not found.",
    "share-record-state": "org.apache.kafka.common.errors.InvalidRecordStateException: The record state is invalid.",
    "share-state-fenced": "org.apache.kafka.common.errors.FencedStateEpochException: The share coordinator rejected the request",
    "broker-not-registered": "org.apache.kafka.common.errors.BrokerIdNotRegisteredException: The given broker ID was not registered.",
    "telemetry-subscription": "org.apache.kafka.common.errors.UnknownSubscriptionIdException: Client sent a push telemetry request with an invalid or outdated subscription ID.",
    "unsupported-version": "org.apache.kafka.common.errors.UnsupportedVersionException: The broker does not support it",
}


@pytest.mark.parametrize("key", [meaning.key for meaning in EXCEPTIONS])
def test_an_exception_is_known_by_its_text(key):
    first, _, below = EXAMPLES[key].partition("\n")
    line = Line("server.log", 1, None, "ERROR", None, "Something failed", trace=f"{first}\n{below}")
    found = cause_of(line)
    assert found is not None and found[0].key == key


@pytest.mark.parametrize(
    ("trace", "key"),
    [
        # one text, several causes: what stands below it decides
        ("InvalidRequestException: Error getting request for apiKey: 3 and apiVersion: 5\nCaused by: java.lang.IllegalArgumentException: Invalid version for API key METADATA: 5", "request-version-unknown"),
        ("InvalidRequestException: Error getting request for apiKey: FETCH, apiVersion: 99\nCaused by: org.apache.kafka.common.errors.UnsupportedVersionException: Can't read version 99 of FetchPartition", "request-version-unknown"),
        ("InvalidRequestException: Error getting request for apiKey: FETCH, apiVersion: 4, connectionId: a\nCaused by: org.apache.kafka.common.protocol.types.SchemaException: Error reading field 'topics'", "request-body-unreadable"),
        ("java.lang.OutOfMemoryError: Cannot reserve 65536 bytes of direct buffer memory (allocated: 1, limit: 2)", "direct-memory"),
        # a file that another part of Kafka names in the same words
        ("java.io.IOException: Could not read file /data/t-0/00000000000000000000.log", "start-dir-not-writable"),
        ("java.io.FileNotFoundException: /etc/kafka/server.properties (No such file or directory)", "start-config-file-missing"),
        # settings that a start checks, also where the frames are cut off
        ("java.lang.IllegalArgumentException: requirement failed: The advertised.listeners config must not contain KRaft controller listeners from controller.listener.names", "start-config"),
        ("java.lang.IllegalArgumentException: requirement failed: 7 messages are too many", "own-code"),
        ("java.lang.ClassNotFoundException: com.acme.Reporter", "start-class-missing"),
        ("java.lang.UnsupportedClassVersionError: joptsimple/OptionSpec : Unsupported major.minor version 51.0", "start-java-version"),
        # the release of a controller is older than what the cluster has finalized
        ("java.lang.RuntimeException: Tried to apply FeatureLevelRecord FeatureLevelRecord(name='metadata.version', featureLevel=20), but this controller only supports versions 1-19", "start-metadata-version"),
        ("kafka.admin.AdminOperationException: replication factor: 3 larger than available brokers: 1", "replication-factor-refused"),
    ],
)  # fmt: skip
def test_what_decides_between_causes_is_read(trace, key):
    found = cause_of(Line("server.log", 1, None, "ERROR", None, "Something failed", trace=trace))
    assert found is not None and found[0].key == key


def test_under_a_warning_an_exception_ends_no_start():
    line = Line("server.log", 1, None, "WARN", None, "x", trace=EXAMPLES["start-class-missing"])
    found = cause_of(line)
    assert found is not None and found[0].key == "other-exception"


@pytest.mark.parametrize(
    ("trace", "reason"),
    [
        (
            "java.lang.IllegalStateException: Kafka HTTP server failed to start up.",
            "Kafka HTTP server failed to start up.",
        ),
        ("java.lang.RuntimeException: outer\nCaused by: java.lang.IllegalStateException: inner", "inner"),
        ("com.acme.A: outer\n\tat a.b.CException.x(C.java:1)\nCaused by: com.acme.OddException: inner", "inner"),
    ],
)
def test_of_an_exception_that_is_not_known_the_innermost_is_quoted(trace, reason):
    found = cause_of(Line("server.log", 1, None, "ERROR", None, "x", trace=trace))
    assert found is not None and found[1]["reason"] == reason


def test_a_long_reason_is_cut_between_words_and_says_so():
    line = Line("a", 1, None, "ERROR", None, "Odd", "java.lang.OddException: " + "no topic id, which is odd, " * 12)
    known = cause_of(line)
    assert known is not None and known[1]["reason"].endswith("no topic id, which is odd, no topic id, which is …")
    short = Line("a", 1, None, "ERROR", None, "Odd", "java.lang.OddException: no topic id, which is odd")
    known = cause_of(short)
    assert known is not None and known[1]["reason"] == "no topic id, which is odd"


@pytest.mark.parametrize(
    ("message", "key"),
    [
        (
            "Writing failed due to: For requests intended only for the leader, this error indicates that the broker is not the current leader.",
            "not-leader",
        ),
        ("Execution of it failed due to This is not the correct coordinator..", "not-coordinator"),
        ("Offset commit failed: The coordinator is not aware of this member.", "unknown-member"),
        ("Messages are rejected since there are fewer in-sync replicas than required.", "not-enough-replicas"),
    ],
)
def test_an_error_that_prints_only_its_text_is_known_by_it(message, key):
    found = cause_of(Line("server.log", 1, None, "ERROR", None, message))
    assert found is not None and found[0].key == key
