"""Known bugs and situations of controllers and brokers in KRaft. Sources: the issues, pull requests and classes named in each."""

from replay.knowledge.known_issue import KnownIssue, Sign
from replay.knowledge.meaning import Example
from replay.knowledge.releases import between, only, since, up_to

ISSUES: tuple[KnownIssue, ...] = (
    KnownIssue(
        key="KAFKA-13266",
        title="Replica fetcher restarts at a wrong offset during a leader change (KRaft)",
        signature=(
            Sign(
                r"Offset mismatch for partition \S+: fetched offset = \d+, log end offset = \d+",
                logger="ReplicaFetcherThread",
            ),
        ),
        roles="broker; kraft",
        affected=(only("2.8"),),
        fixed_in=("3.0.0",),
        consequence="The partition is marked as failed on the follower and is not copied any more.",
        heals="restart of the follower or a leader change",
        advice="Restart the follower; see KAFKA-18991 for later releases.",
        look_alike="KAFKA-18991",
        source="PR 11294 (its text shows the line)",
        confidence="sure",
        example=Example(
            "ERROR [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Unexpected error occurred while processing data for partition orders-3 at offset 8100 (kafka.server.ReplicaFetcherThread)\n"
            "java.lang.IllegalStateException: Offset mismatch for partition orders-3: fetched offset = 8100, log end offset = 8000."
        ),
    ),
    KnownIssue(
        key="KAFKA-18723",
        title="Leader sends torn or foreign batches while its own log is cut",
        signature=(
            Sign(r"(Append from Raft leader did not set the batch epoch correctly|Unexpected error in raft IO thread)"),
            Sign(r"(InvalidRecordException|CorruptRecordException)", same=True),
        ),
        roles="controller and broker; kraft",
        affected=(up_to("3.9.0"), only("4.0.0")),
        fixed_in=("3.9.1", "4.0.1", "4.1.0"),
        consequence="A KRaft node ends itself or a replica takes records of a wrong epoch, because the sender read a segment that was being truncated.",
        heals="restart",
        advice="Restart the node that stopped; nothing on its disk is wrong as a rule. Upgrade. If it repeats at the same offset, compare with kafka-dump-log.",
        look_alike="Disk damage: then the same offset fails each time",
        source="PR 18852",
        confidence="likely",
        example=Example(
            "ERROR Encountered fatal fault: Unexpected error in raft IO thread (org.apache.kafka.server.fault.ProcessTerminatingFaultHandler)\n"
            "org.apache.kafka.common.errors.CorruptRecordException: Found record size 0 smaller than minimum record overhead (14) in file /data/__cluster_metadata-0/00000000000000000000.log."
        ),
    ),
    KnownIssue(
        key="KAFKA-19586",
        title="A broker stands still for 20 to 50 s after an ordered restart, and is fenced",
        signature=(Sign(r"Fencing broker \d+ (?:at epoch \d+ )?because its session has timed out"),),
        roles="broker; kraft",
        affected=(between("3.9.0", "4.1"),),
        note="reported for 3.9.0, open; the cause is not known",
        consequence="While the broker copies what it missed it prints nothing for 20 to 50 s, and the controller fences it: its partitions change leaders once more.",
        heals="alone, when it goes on",
        advice="Restart brokers one by one, and wait until each is in all ISRs. A thread dump or a profile of the silent seconds tells more than the logs.",
        look_alike="A pause of garbage collection, an overloaded disk or host, swapping: far more common; the GC log and the host's figures tell",
        source="JIRA KAFKA-19586",
        confidence="likely",
        needs_more=True,
        example=Example(
            "INFO [QuorumController id=1] Fencing broker 2 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)",
            "JIRA KAFKA-19586",
        ),
    ),
    KnownIssue(
        key="KAFKA-18940",
        title="Election from the ELR is counted and printed as unclean",
        signature=(Sign(r"UNCLEAN partition change for ", logger="ReplicationControlManager"),),
        roles="controller; kraft",
        affected=(between("3.7.0", "3.9"),),
        fixed_in=("4.0.0",),
        note="where eligible leader replicas are enabled",
        consequence="None: a replica of the ELR has all committed records; only line and metric are wrong.",
        heals="alone",
        advice="Check that the new leader stood in the ELR before; if not, the election was truly unclean and records may be lost.",
        look_alike="A real unclean election prints the same",
        source="PR 19156; PartitionRegistration.java",
        confidence="likely",
        needs_more=True,
        example=Example(
            "INFO [Controller 2] UNCLEAN partition change for orders-3 with topic ID X8snIzwvRQ2wDuEVgycxrQ: isr: [1] -> [2], leader: 1 -> 2, leaderRecoveryState: RECOVERED -> RECOVERING, leaderEpoch: 2 -> 3, partitionEpoch: 5 -> 6 (ReplicationControlManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-19522",
        title="Last known leader elected while it is still fenced",
        signature=(
            Sign(r"UNCLEAN partition change for ", logger="ReplicationControlManager"),
            Sign(r"using an unclean election"),
        ),
        roles="controller; kraft with ELR",
        affected=(between("3.7.0", "4.0"),),
        fixed_in=("4.1.0",),
        consequence="A partition gets a leader that does not serve yet; producers and consumers wait until it is unfenced.",
        heals="alone at the next heartbeat",
        advice="Wait for the unfencing of that broker. Do not force another unclean election.",
        look_alike="KAFKA-18940; unclean election by configuration",
        source="PR 20200",
        confidence="likely",
        needs_more=True,
        example=Example(
            "INFO [Controller 2] UNCLEAN partition change for orders-3 with topic ID X8snIzwvRQ2wDuEVgycxrQ: isr: [1] -> [2], leader: 1 -> 2, leaderRecoveryState: RECOVERED -> RECOVERING, leaderEpoch: 2 -> 3, partitionEpoch: 5 -> 6 (ReplicationControlManager)\n"
            "INFO Setting new leader for topicId X8snIzwvRQ2wDuEVgycxrQ, partition 3 to election-result-node using an unclean election (PartitionChangeBuilder)"
        ),
    ),
    KnownIssue(
        key="KAFKA-14337",
        title="Topic creation deposes the controller after a dotted name was deleted",
        signature=(
            Sign(
                r"createTopics: (failed with unknown server exception|event failed with) NoSuchElementException",
                logger="QuorumController",
            ),
            Sign(r"validateNewTopicNames", same=True),
        ),
        roles="controller; kraft",
        affected=(between("3.3.0", "3.3.1"),),
        fixed_in=("3.3.2", "3.4.0"),
        consequence="The controller renounces leadership at each try; heartbeats are refused meanwhile. No metadata are lost.",
        heals="upgrade",
        advice="Stop the client that creates the topic (names that differ in dot and underscore collide). Upgrade. Do not format the controller.",
        source="JIRA KAFKA-14337; PR 12790",
        confidence="sure",
        example=Example(
            "WARN [Controller 1] createTopics: failed with unknown server exception NoSuchElementException at epoch 14 in 193 us.  Renouncing leadership and reverting to the last committed offset 28. (org.apache.kafka.controller.QuorumController)\n"
            "java.util.NoSuchElementException\n"
            "\tat org.apache.kafka.controller.ReplicationControlManager.validateNewTopicNames(ReplicationControlManager.java:799)",
            "JIRA KAFKA-14337",
        ),
    ),
    KnownIssue(
        key="KAFKA-14259",
        title="Printing a broker registration throws and stops the metadata replay",
        signature=(Sign(r"ClassCastException[\s\S]*BrokerRegistration\.toString"),),
        roles="controller and broker; kraft",
        affected=(only("3.3.0"),),
        fixed_in=("3.3.1", "3.4.0"),
        consequence="The node cannot read past a registration record and does not start or falls out.",
        heals="upgrade",
        advice="Install 3.3.1 or later and start again; the metadata log is sound.",
        source="JIRA KAFKA-14259; PR 12681",
        confidence="likely",
        example=Example(
            "ERROR Encountered fatal fault: Error replaying metadata log record at offset 42 (org.apache.kafka.server.fault.ProcessTerminatingFaultHandler)\n"
            "java.lang.ClassCastException: class java.lang.Short cannot be cast to class java.lang.Integer\n"
            "\tat org.apache.kafka.metadata.BrokerRegistration.toString(BrokerRegistration.java:243)"
        ),
    ),
    KnownIssue(
        key="KAFKA-14035",
        title="Null pointer while in-memory snapshots are merged on the controller",
        signature=(Sign(r"NullPointerException[\s\S]*(SnapshottableHashTable|HashTier)\S*mergeFrom"),),
        roles="controller; kraft",
        affected=(between("3.0.0", "3.0.1"), between("3.1.0", "3.1.1"), only("3.2.0")),
        fixed_in=("3.0.2", "3.1.2", "3.2.1", "3.3.0"),
        consequence="The controller is left in an inconsistent state and may decide wrongly until it is restarted.",
        heals="restart of the controller",
        advice="Restart the controller that printed it, upgrade. Do not take a snapshot copy from it.",
        look_alike="KAFKA-14946 on 3.3 and 3.4.0",
        source="JIRA KAFKA-14035; PR 12371",
        confidence="sure",
        example=Example(
            "WARN [Controller 1] writeNoOpRecord: failed with unknown server exception NullPointerException at epoch 14 in 193 us.  Renouncing leadership and reverting to the last committed offset 28. (org.apache.kafka.controller.QuorumController)\n"
            "java.lang.NullPointerException\n"
            "\tat org.apache.kafka.timeline.SnapshottableHashTable$HashTier.mergeFrom(SnapshottableHashTable.java:125)"
        ),
    ),
    KnownIssue(
        key="KAFKA-14946",
        title="Null pointer in table merge while the controller renounces",
        signature=(Sign(r"NullPointerException[\s\S]*mergeFrom"),),
        roles="controller; kraft",
        affected=(up_to("3.4.0"),),
        fixed_in=("3.4.1", "3.5.0"),
        consequence="The controller node shuts down while it gives up leadership.",
        heals="restart",
        advice="Start it again; the quorum elects another leader meanwhile. Upgrade.",
        look_alike="KAFKA-14035 on 3.0 to 3.2",
        source="JIRA KAFKA-14946; PR 13653",
        confidence="likely",
        example=Example(
            "ERROR Encountered fatal fault: exception while renouncing leadership (org.apache.kafka.server.fault.ProcessTerminatingFaultHandler)\n"
            "java.lang.NullPointerException\n"
            "\tat org.apache.kafka.timeline.SnapshottableHashTable$HashTier.mergeFrom(SnapshottableHashTable.java:125)"
        ),
    ),
    KnownIssue(
        key="KAFKA-14170",
        title="Topic deletion fails with a null pointer on the controller",
        signature=(
            Sign(r"deleteTopics: failed with unknown server exception NullPointerException", logger="QuorumController"),
        ),
        roles="controller; kraft",
        affected=(up_to("3.2"),),
        fixed_in=("3.3.0",),
        consequence="The deletion is refused and the active controller reverts; other work goes on.",
        heals="upgrade",
        advice="Bring offline replicas of other topics back, or upgrade, then delete again.",
        source="JIRA KAFKA-14170; PR 12533",
        confidence="likely",
        example=Example(
            "WARN [Controller 1] deleteTopics: failed with unknown server exception NullPointerException at epoch 9 in 251 us.  Renouncing leadership and reverting to the last committed offset 1051. (org.apache.kafka.controller.QuorumController)\n"
            "java.lang.NullPointerException"
        ),
    ),
    KnownIssue(
        key="KAFKA-14996",
        title="One request with too many records makes the controller give up leadership",
        signature=(
            Sign(r"IllegalStateException: Attempted to atomically commit \d+ records, but maxRecordsPerBatch is \d+"),
        ),
        roles="controller; kraft",
        affected=(between("3.3.0", "3.4"),),
        fixed_in=("3.5.0",),
        note="3.5.0 refuses such requests; further checks in 3.9.0 (KAFKA-17870)",
        consequence="A huge create, delete or ACL request ends in a controller failover; the request has no effect.",
        heals="alone",
        advice="Split the request (fewer topics, partitions or ACLs). Tell the client owner: it will retry.",
        source="KAFKA-14204 (PR 12595), KAFKA-14996 (PR 13742), PR 17604; QuorumController.java",
        confidence="sure",
        example=Example(
            "ERROR [QuorumController id=1] deleteTopics: event failed with IllegalStateException at epoch 9 in 251 microseconds. Renouncing leadership and reverting to the last committed offset 1051. (org.apache.kafka.controller.QuorumController)\n"
            "java.lang.IllegalStateException: Attempted to atomically commit 10001 records, but maxRecordsPerBatch is 10000"
        ),
    ),
    KnownIssue(
        key="KAFKA-19411",
        title="Large ACL deletion exceeds the record limit of the controller",
        signature=(Sign(r"Unable to perform excessively large"),),
        roles="controller; kraft",
        affected=(up_to("3.9.1"), only("4.0.0")),
        fixed_in=("3.9.2", "4.0.1", "4.1.0"),
        note="the refusal itself is by design since 3.5",
        consequence="The request is refused with a policy violation; nothing is changed.",
        heals="alone",
        advice="Split the request.",
        look_alike="Any other oversized request: by design",
        source="PR 19974",
        confidence="likely",
        example=Example(
            "INFO [QuorumController id=1] DELETE_ACLS: event failed with PolicyViolationException in 812 microseconds. (org.apache.kafka.controller.QuorumController)\n"
            "org.apache.kafka.common.errors.PolicyViolationException: Unable to perform excessively large batch operation."
        ),
    ),
    KnownIssue(
        key="KAFKA-14316",
        title="Snapshot cannot be written with an old metadata version",
        signature=(Sign(r"NoSuchElementException"), Sign(r"FeatureControlManager\$FeatureControlIterator", same=True)),
        roles="controller; kraft",
        affected=(between("3.3.0", "3.3.1"),),
        fixed_in=("3.3.2", "3.4.0"),
        consequence="The controller cannot write its snapshot; the metadata log grows.",
        heals="upgrade",
        advice="Upgrade; watch the size of the metadata directory.",
        source="JIRA KAFKA-14316; PR 12765",
        confidence="likely",
        example=Example(
            "ERROR [SnapshotGenerator 1] Failed to write snapshot (org.apache.kafka.controller.QuorumController)\n"
            "java.util.NoSuchElementException\n"
            "\tat org.apache.kafka.controller.FeatureControlManager$FeatureControlIterator.next(FeatureControlManager.java:385)"
        ),
    ),
    KnownIssue(
        key="KAFKA-14238",
        title="Metadata log lost segments that no snapshot covers",
        signature=(Sign(r"Snapshot expected since next offset of", logger="KafkaRaftClient"),),
        roles="controller and broker; kraft",
        affected=(up_to("3.2"),),
        fixed_in=("3.3.0",),
        note="deletion by time or size",
        consequence="A node cannot load its metadata and does not come up.",
        heals="manual",
        advice="Copy the metadata directory first. If all other voters run without lag (kafka-metadata-quorum describe --replication), let this one node start with an empty metadata directory (format with the same cluster id and node id).",
        look_alike="A partly copied or restored metadata directory",
        source="JIRA KAFKA-14238; PR 12655",
        confidence="likely",
        example=Example(
            "ERROR [RaftManager nodeId=1] Unexpected error (org.apache.kafka.raft.KafkaRaftClient)\n"
            "java.lang.IllegalStateException: Snapshot expected since next offset of org.apache.kafka.controller.QuorumController$QuorumMetaLogListener@195461949 is 0, log start offset is 369668 and high-watermark is 547379"
        ),
    ),
    KnownIssue(
        key="kraft-metadata-log-inconsistent",
        title="Metadata log disagrees with its own start and high watermark",
        signature=(
            Sign(
                r"Cannot increment the log start offset to \d+ of partition __cluster_metadata-0 since it is larger than the high watermark \d+|Cant create a new in-memory snapshot at epoch \d+ because there is already a snapshot with epoch"
            ),
        ),
        roles="controller; kraft",
        affected=(only("3.3"),),
        note="seen on 3.3",
        consequence="Each leadership is given up at once, brokers cannot register; the process ends.",
        heals="manual",
        advice="Copy the metadata directory before anything else. On a quorum: rebuild this node from the others. On a single node there is no other copy: do not format.",
        look_alike="KAFKA-14996",
        source="public logs",
        confidence="sure",
        example=Example(
            "ERROR Encountered fatal fault: exception while completing controller activation (org.apache.kafka.server.fault.ProcessTerminatingFaultHandler)\n"
            "java.lang.RuntimeException: Cant create a new in-memory snapshot at epoch 7890 because there is already a snapshot with epoch 7891",
            "a public log of 3.3",
        ),
    ),
    KnownIssue(
        key="KAFKA-13959",
        title="Busy metadata log keeps a broker fenced for ever",
        signature=(
            Sign(
                r"to unfence can ?not yet be granted because it has not caught up with the last committed metadata offset",
                logger="BrokerHeartbeatManager",
            ),
        ),
        roles="controller; kraft",
        affected=(up_to("3.2"),),
        fixed_in=("3.3.0",),
        consequence="A started broker stays fenced and serves nothing.",
        heals="alone when the metadata log is quiet; upgrade",
        advice="Pause tools that create topics or configs until the broker is unfenced; upgrade.",
        look_alike="From 3.3 the text names its register record: then the broker really lags",
        source="JIRA KAFKA-13959; PR 12274",
        confidence="likely",
        needs_more=True,
        example=Example(
            "DEBUG [Controller 2] The request from broker 2 to unfence cannot yet be granted because it has not caught up with the last committed metadata offset 15. It is still at offset 13. (BrokerHeartbeatManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-14292",
        title="Controlled shutdown of a broker in KRaft takes without end",
        signature=(Sign(r"to shut down can not yet be granted", logger="BrokerHeartbeatManager"),),
        roles="controller; kraft",
        affected=(up_to("3.3.1"),),
        fixed_in=("3.3.2", "3.4.0"),
        consequence="The broker waits for a target offset that moves with each heartbeat; orchestrators kill it.",
        heals="alone after the timeout; upgrade",
        advice="Stop the broker hard after its leaders have moved: no records of acks=all are lost. Upgrade.",
        look_alike="Printed at DEBUG only; on fixed releases a short wait is normal",
        source="JIRA KAFKA-14292; PR 12736",
        confidence="likely",
        needs_more=True,
        example=Example(
            "DEBUG [Controller 2] The request from broker 2 to shut down can not yet be granted because the lowest active offset 4 is not greater than the broker's shutdown offset 5. (BrokerHeartbeatManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-15019",
        title="Overloaded controller fences healthy brokers",
        signature=(
            Sign(r"Fencing broker \d+ because its session has timed out", logger="ReplicationControlManager"),
            Sign(r"processBrokerHeartbeat: .*(TimeoutException|timed out)|controller event queue overloaded"),
        ),
        roles="controller; kraft",
        affected=(up_to("3.4"),),
        fixed_in=("3.5.0",),
        note='since the fix late heartbeats count, and it prints "controller event queue overloaded"',
        consequence="Brokers that live are fenced: leaders move and ISRs shrink without need.",
        heals="alone when the load is over",
        advice="Look at the event queue time and at who sends the requests (topic creation storms, metadata tools). Do not restart the brokers.",
        look_alike="Broker really silent: its own log has a gap",
        source="PR 13759; ReplicationControlManager.java",
        confidence="likely",
        needs_release=True,
        example=Example(
            "INFO [Controller 2] Fencing broker 1 because its session has timed out. (ReplicationControlManager)\n"
            "ERROR [QuorumController id=2] processExpiredBrokerHeartbeat: controller event queue overloaded. Timed out heartbeat from broker 2. (ReplicationControlManager)"
        ),
    ),
    KnownIssue(
        key="controller-queue-overloaded",
        title="Controller could not handle heartbeats in time",
        signature=(
            Sign(
                r"controller event queue overloaded\. Timed out heartbeat from broker \d+",
                logger="ReplicationControlManager",
            ),
        ),
        roles="controller; kraft",
        affected=(since("3.5.0"),),
        consequence="Metadata changes are slow; with 3.5 and later brokers are not fenced for this alone.",
        heals="alone when the load is over",
        advice="Look at disk latency and GC of the active controller; reduce topic, config and ACL changes.",
        look_alike="KAFKA-15019",
        source="ReplicationControlManager.java",
        confidence="sure",
        tells_more=True,
        example=Example(
            "ERROR [QuorumController id=2] processExpiredBrokerHeartbeat: controller event queue overloaded. Timed out heartbeat from broker 2. (ReplicationControlManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-19294",
        title="Broker misses heartbeats through its own back-off",
        signature=(
            Sign(
                r"Unable to send a heartbeat because the RPC got timed out before it could be sent|sent a heartbeat request but received error REQUEST_TIMED_OUT",
                logger="BrokerLifecycleManager",
            ),
            Sign(r"Fencing broker \d+ (at epoch \d+ )?because its session has timed out"),
        ),
        roles="broker and controller; kraft",
        affected=(up_to("3.9.1"), only("4.0.0")),
        fixed_in=("3.9.2", "4.0.1", "4.1.0"),
        consequence="One slow heartbeat is enough to be fenced: leaders move, the broker comes back within seconds.",
        heals="alone",
        advice="Raise broker.session.timeout.ms until the upgrade; look for the slow controller.",
        look_alike="Long GC pause of the broker",
        source="PR 19745",
        confidence="likely",
        needs_more=True,
        example=Example(
            "INFO [BrokerLifecycleManager id=1] Unable to send a heartbeat because the RPC got timed out before it could be sent. (BrokerLifecycleManager)\n"
            "INFO [Controller 2] Fencing broker 1 because its session has timed out. (ReplicationControlManager)",
            "traces/isolate-leader-from-followers-kraft-3.7.2",
        ),
    ),
    KnownIssue(
        key="KAFKA-18345",
        title="Candidates start elections in step and none wins",
        signature=(
            Sign(r"Re\-elect as candidate after election backoff has completed", logger="KafkaRaftClient", times=10),
        ),
        roles="controller; kraft",
        affected=(up_to("3.9.1"), only("4.0.0")),
        fixed_in=("3.9.2", "4.0.1", "4.1.0"),
        consequence="Epochs rise without a leader for a while: no metadata change, brokers cannot register.",
        heals="alone after some rounds",
        advice="Check first that the voters reach each other and share one voter list; then stop one candidate for a few seconds.",
        look_alike="Voters that cannot reach each other; a voter with a longer log that cannot win votes",
        source="PR 19658, 19747",
        confidence="likely",
        needs_more=True,
        example=Example(
            "INFO [RaftManager id=1] Re-elect as candidate after election backoff has completed (KafkaRaftClient)\n"
            "INFO [RaftManager id=1] Re-elect as candidate after election backoff has completed (KafkaRaftClient)\n"
            "INFO [RaftManager id=1] Re-elect as candidate after election backoff has completed (KafkaRaftClient)\n"
            "INFO [RaftManager id=1] Re-elect as candidate after election backoff has completed (KafkaRaftClient)\n"
            "INFO [RaftManager id=1] Re-elect as candidate after election backoff has completed (KafkaRaftClient)\n"
            "INFO [RaftManager id=1] Re-elect as candidate after election backoff has completed (KafkaRaftClient)\n"
            "INFO [RaftManager id=1] Re-elect as candidate after election backoff has completed (KafkaRaftClient)\n"
            "INFO [RaftManager id=1] Re-elect as candidate after election backoff has completed (KafkaRaftClient)\n"
            "INFO [RaftManager id=1] Re-elect as candidate after election backoff has completed (KafkaRaftClient)\n"
            "INFO [RaftManager id=1] Re-elect as candidate after election backoff has completed (KafkaRaftClient)",
            "traces/isolate-leader-from-followers-kraft-3.7.2",
        ),
    ),
    KnownIssue(
        key="KAFKA-14693",
        title="Node hangs on exit after a fatal controller or raft fault",
        signature=(Sign(r"Encountered fatal fault: ", logger="ProcessExitingFaultHandler"),),
        roles="controller; kraft",
        affected=(between("3.3.0", "3.4.0"),),
        fixed_in=("3.4.1", "3.5.0"),
        note="the fix halts instead of exiting",
        consequence="The process stays without working: the exit waits for the thread that asked for it.",
        heals="manual: kill the process",
        advice="Kill it hard and start again; read the fault above: it is the true cause.",
        look_alike="On fixed releases the process ends at once",
        source="PR 13227",
        confidence="likely",
        example=Example("ERROR Encountered fatal fault: text (ProcessExitingFaultHandler)"),
        needs_release=True,
    ),
    KnownIssue(
        key="KAFKA-14644",
        title="Raft thread ends on an error while the process lives on",
        signature=(Sign(r"\[kafka-raft-io-thread\]: Error due to|\[kafka-\d+-raft-io-thread\]: Error due to"),),
        roles="controller and broker; kraft",
        affected=(up_to("3.4.0"),),
        fixed_in=("3.4.1", "3.5.0"),
        note="since the fix the process ends",
        consequence="The node stands still: no votes, no metadata, though it runs.",
        heals="restart",
        advice="Restart the node; keep the exception for the cause.",
        source="PR 13140",
        confidence="likely",
        example=Example(
            "ERROR [kafka-1-raft-io-thread]: Error due to (kafka.raft.KafkaRaftManager$RaftIoThread)\n"
            "java.lang.IllegalArgumentException: Received request or response with leader OptionalInt[2] and epoch 5 which is inconsistent with current leader OptionalInt.empty and epoch 6"
        ),
    ),
    KnownIssue(
        key="KAFKA-15375",
        title="Clean shutdown file written although logs were never loaded",
        signature=(
            Sign(r"(Received a fatal error while waiting for|Fatal error during broker startup)"),
            Sign(r"clean shutdown file was found", logger="LogManager"),
        ),
        roles="broker; kraft",
        affected=(up_to("3.5.1"),),
        fixed_in=("3.5.2", "3.6.0"),
        consequence="A start that failed early can mark unrecovered logs as clean; the next start skips the check, so torn ends stay in the log.",
        heals="manual",
        advice="If a failed start came before, stop the broker, delete .kafka_cleanshutdown in each log directory and start again: the logs are checked.",
        look_alike="A normal clean stop prints the second line alone",
        source="PR 14239; LogManager.scala",
        confidence="likely",
        needs_more=True,
        example=Example(
            "ERROR [BrokerServer id=2] Received a fatal error while waiting for action (*)\n"
            "INFO Recovering 6 logs from /var/lib/kafka/data0 since no clean shutdown file was found (LogManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-17973",
        title="Voter change refused because two changes lie between two readings",
        signature=(
            Sign(
                r"IllegalArgumentException: Last voter set .* doesn't have an overlapping majority with the new voter set"
            ),
        ),
        roles="controller; kraft (KIP-853)",
        affected=(only("3.9.0"),),
        fixed_in=("3.9.1", "4.0.0"),
        note="since the fix a line says it",
        consequence="A node that reads the log from a snapshot fails on a legal history of voter changes and does not start.",
        heals="upgrade",
        advice="Run that node with 3.9.1 or later. Do not format it.",
        source="PR 17728; VoterSetHistory.java",
        confidence="sure",
        example=Example(
            "ERROR Encountered fatal fault: Unexpected error in raft IO thread (org.apache.kafka.server.fault.ProcessTerminatingFaultHandler)\n"
            "java.lang.IllegalArgumentException: Last voter set (Optional[VoterSet(voters={1=VoterNode(voterKey=ReplicaKey(id=1)), 2=VoterNode(voterKey=ReplicaKey(id=2))})]) doesn't have an overlapping majority with the new voter set (VoterSet(voters={4=VoterNode(voterKey=ReplicaKey(id=4))}))"
        ),
    ),
    KnownIssue(
        key="KAFKA-18281",
        title="Controller refuses 0.0.0.0 in listeners although not advertised",
        signature=(
            Sign(r"advertised\.listeners cannot use the nonroutable meta-address 0\.0\.0\.0"),
            Sign(r"process\.roles = \[?.*controller"),
        ),
        roles="controller; kraft",
        affected=(only("3.9.0"),),
        fixed_in=("3.9.1", "4.0.0"),
        consequence="The controller does not start after an upgrade to 3.9.0.",
        heals="upgrade or change of the setting",
        advice="Give the controller listener a host name or use 3.9.1.",
        look_alike="Brokers on any release with 0.0.0.0 in advertised.listeners: a real misconfiguration",
        source="PR 18387; KafkaConfig.scala",
        confidence="likely",
        example=Example(
            "INFO KafkaConfig values: \n"
            "\tprocess.roles = [controller]\n"
            " (kafka.server.KafkaConfig)\n"
            "ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\n"
            "java.lang.IllegalArgumentException: requirement failed: advertised.listeners cannot use the nonroutable meta-address 0.0.0.0. Use a routable IP address."
        ),
    ),
    KnownIssue(
        key="KAFKA-20247",
        title="Controller never registers again after one timed-out request",
        signature=(
            Sign(
                r"maybeSendControllerRegistration: waiting for the previous RPC to complete",
                logger="ControllerRegistrationManager",
                times=10,
            ),
        ),
        roles="controller; kraft",
        affected=(up_to("4.2.0"),),
        fixed_in=("4.2.1", "4.3.0"),
        note="later 4.0.3, 4.1.3 if they come",
        consequence="The controller is missing in the list of registered controllers; feature upgrades and dynamic quorum work wait for it. Votes go on.",
        heals="restart of that controller",
        advice="Restart the controller if the line repeats for minutes.",
        look_alike="One such line: a request really is under way",
        source="PR 21619",
        confidence="sure",
        example=Example(
            "INFO [ControllerRegistrationManager id=2 incarnation=X8snIzwvRQ2wDuEVgycxrQ] maybeSendControllerRegistration: waiting for the previous RPC to complete. (ControllerRegistrationManager)\n"
            * 10
        ),
    ),
    KnownIssue(
        key="KAFKA-18063",
        title="Controller keeps discarded tables and fills its heap",
        signature=(
            Sign(r"java\.lang\.OutOfMemoryError: Java heap space"),
            Sign(r"QuorumController|org\.apache\.kafka\.controller|org\.apache\.kafka\.timeline", same=True),
        ),
        roles="controller; kraft",
        affected=(up_to("3.9.0"),),
        fixed_in=("3.9.1", "4.0.0"),
        consequence="The active controller runs out of heap after many topic or group changes and stops.",
        heals="restart; upgrade",
        advice="Restart the controller; upgrade. A larger heap only delays it.",
        look_alike="Too small heap for the number of partitions",
        source="PR 17898",
        confidence="likely",
        example=Example(
            "ERROR Encountered quorum controller fault: writeNoOpRecord: event failed with OutOfMemoryError (treated as UnknownServerException) at epoch 41 (org.apache.kafka.server.fault.LoggingFaultHandler)\n"
            "java.lang.OutOfMemoryError: Java heap space\n"
            "\tat org.apache.kafka.timeline.SnapshottableHashTable.snapshottableAddUnlessPresent(SnapshottableHashTable.java:286)"
        ),
        needs_more=True,
    ),
    KnownIssue(
        key="KAFKA-16234",
        title="Failed disk: partitions are made again empty on another disk",
        signature=(
            Sign(r"Stopping serving replicas in dir", logger="ReplicaManager"),
            Sign(r"Created log for partition \S+ in ", logger="LogManager"),
        ),
        roles="broker; kraft",
        affected=(only("3.7.0"),),
        fixed_in=("3.7.1", "3.8.0"),
        consequence="After a directory failure the broker creates the lost replicas empty in a healthy directory; the old copies become strays when the disk returns.",
        heals="manual",
        advice="Do not bring the old disk back without looking: its copies may be the better ones. Let replication refill, upgrade.",
        look_alike="New topics created at the same time print the second line too",
        source="PR 15335",
        confidence="likely",
        needs_more=True,
        example=Example(
            "WARN [ReplicaManager broker=1] Stopping serving replicas in dir /var/lib/kafka/data1 (ReplicaManager)\n"
            "INFO Created log for partition clicks-0 in /var/lib/kafka/data0/clicks-0 with properties {} (LogManager)",
            "traces/log-dir-failure-zk-2.8.2",
        ),
    ),
    KnownIssue(
        key="KAFKA-16082",
        title="Move between disks after a crash takes the target disk offline",
        signature=(
            Sign(r"Error while renaming dir for \S+ in (log )?dir"),
            Sign(r"-future|DirectoryNotEmptyException|FileAlreadyExistsException", same=True),
        ),
        roles="broker; kraft",
        affected=(only("3.7.0"),),
        fixed_in=("3.7.1", "3.8.0"),
        consequence="The renaming of an abandoned future replica fails and its whole directory is marked offline.",
        heals="manual",
        advice='Stop the broker, move the stale "-future" directory of that partition away (keep it), start again.',
        look_alike="Windows file locks (KAFKA-1194)",
        source="PR 15136",
        confidence="likely",
        example=Example(
            "ERROR Error while renaming dir for orders-3 in log dir /data/2 (org.apache.kafka.storage.internals.log.LogDirFailureChannel)\n"
            "java.nio.file.DirectoryNotEmptyException: /data/2/orders-3.1f2e3d4c5b6a79880f1e2d3c4b5a6978-future -> /data/2/orders-3"
        ),
    ),
    KnownIssue(
        key="KAFKA-16583",
        title="Broker or controller cannot write metadata after an upgrade to 3.7.0",
        signature=(
            Sign(
                r"UnwritableMetadataException: Metadata has been lost because the following could not be represented in metadata[ .]version \S+: the directory assignment state of one or more replicas"
            ),
        ),
        roles="controller and broker; kraft",
        affected=(only("3.7.0"),),
        fixed_in=("3.7.1", "3.8.0"),
        note="with an older metadata.version",
        consequence="Snapshot writing fails after a reassignment; the node may end itself.",
        heals="upgrade",
        advice="Go to 3.7.1, or raise metadata.version to 3.7-IV4 with kafka-features if all nodes run 3.7. Nothing is lost.",
        source="JIRA KAFKA-16583; PR 16118",
        confidence="sure",
        example=Example(
            "ERROR Encountered metadata publishing fault: Unhandled error generating snapshot (org.apache.kafka.server.fault.LoggingFaultHandler)\n"
            "org.apache.kafka.image.writer.UnwritableMetadataException: Metadata has been lost because the following could not be represented in metadata version 3.6-IV2: the directory assignment state of one or more replicas"
        ),
    ),
    KnownIssue(
        key="KAFKA-16757",
        title="Broker is fenced for a moment when metadata.version goes to 3.7",
        signature=(
            Sign(
                # the first metadata of a process follow on none, 3.0-IV1: no upgrade
                r"Resending BrokerRegistration with existing incarnation\-id .*previousMetadataVersion: (?!3\.0-IV1\b)",
                logger="BrokerMetadataPublisher",
            ),
        ),
        roles="broker; kraft",
        affected=(only("3.7.0"),),
        fixed_in=("3.7.1", "3.8.0"),
        consequence="Each broker registers anew and is fenced shortly: leaders move.",
        heals="alone",
        advice="Raise metadata.version in a quiet hour; upgrade first to 3.7.1.",
        source="PR 15945",
        confidence="sure",
        example=Example(
            "INFO [BrokerMetadataPublisher id=2] Resending BrokerRegistration with existing incarnation-id to inform the controller about log directories in the broker following metadata update: previousMetadataVersion: 3.7-IV3, newMetadataVersion: 3.7-IV4 (kafka.server.metadata.BrokerMetadataPublisher)"
        ),
    ),
    KnownIssue(
        key="KAFKA-16814",
        title="Broker in KRaft cannot start: a log lacks partition.metadata",
        signature=(
            Sign(
                r"RuntimeException: The log dir \S.* does not have a topic ID, which is not allowed when running in KRaft mode"
            ),
        ),
        roles="broker; kraft",
        affected=(up_to("3.7.0"),),
        fixed_in=("3.7.1", "3.8.0"),
        note="the fix treats it as a stray",
        consequence="One directory without its metadata file, often after an unclean stop of a young topic, keeps the broker down.",
        heals="manual",
        advice="Move the named directory out of log.dirs if other replicas exist (keep it), or write its partition.metadata with the right topic id. Then start.",
        source="PR 16165; LogManager.scala",
        confidence="sure",
        example=Example(
            "ERROR There was an error in one of the threads during logs loading: java.lang.RuntimeException: The log dir Log(dir=/data/orders-3, topic=orders, partition=3, highWatermark=0, lastStableOffset=0, logStartOffset=0, logEndOffset=0) does not have a topic ID, which is not allowed when running in KRaft mode. (kafka.log.LogManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-17190",
        title="Broker repeats directory assignments of a deleted topic for ever",
        signature=(
            Sign(
                r"Failed to propagate directory assignments because the Controller returned error|Re-queueing assignments: ",
                logger="AssignmentsManager",
                times=20,
            ),
        ),
        roles="broker; kraft",
        affected=(between("3.7.0", "3.7.1"), only("3.8.0")),
        fixed_in=("3.7.2", "3.8.1", "3.9.0"),
        consequence="Assignments of other replicas in the same request can be delayed; log noise.",
        heals="restart of the broker",
        advice="Restart the broker if new replicas do not become eligible; upgrade.",
        look_alike="A few lines during a controller change are normal",
        source="PR 16672",
        confidence="sure",
        example=Example(
            "ERROR [AssignmentsManager id=2] Failed to propagate directory assignments because the Controller returned error UNKNOWN_TOPIC_ID (org.apache.kafka.server.AssignmentsManager)\n"
            * 20
        ),
    ),
    KnownIssue(
        key="KAFKA-16606",
        title="Several log directories refused until metadata.version is raised",
        signature=(Sign(r"Multiple log directories \(aka JBOD\) are not supported in the current MetadataVersion"),),
        roles="broker; kraft",
        affected=(since("3.7.1"),),
        note="the check; needs metadata.version 3.7-IV2",
        by_design=True,
        consequence="The broker does not start or is refused.",
        heals="manual",
        advice="Raise metadata.version first, or use one directory. Do not move data by hand between directories of a live cluster.",
        source="PR 15834; KafkaConfig.scala",
        confidence="sure",
        tells_more=True,
        example=Example(
            "ERROR [BrokerServer id=2] Fatal error during broker startup. Prepare to shutdown (kafka.server.BrokerServer)\n"
            "org.apache.kafka.common.config.ConfigException: Multiple log directories (aka JBOD) are not supported in the current MetadataVersion 3.6-IV2. Need 3.7-IV2 or higher"
        ),
    ),
    KnownIssue(
        key="metadata-fault",
        title="Node stops: it cannot apply a record of the metadata log",
        # "Error starting LogManager" and the like, of the same handler, are no record's fault: what lies below them is.
        signature=(
            Sign(r"Encountered fatal fault: (Error loading metadata log record from offset|Unable to apply )"),
            Sign(r"only supports versions \d+-\d+|No MetadataVersion with|Can't read version \d+ of", absent=True),
        ),
        roles="controller and broker; kraft",
        affected=(since("3.3.0"),),
        note="depends on the exception below the line",
        consequence="The node ends itself rather than go on with wrong metadata; every start stops at the same offset.",
        heals="manual",
        advice="Keep the directory. One node only: its log or snapshot is damaged, rebuild it from the quorum. All nodes: a bug or a wrong version; upgrade, never delete the log on all of them.",
        source="MetadataBatchLoader.java; bitnami/containers 80381",
        confidence="sure",
        tells_more=True,
        example=Example(
            "ERROR Encountered fatal fault: Error loading metadata log record from offset 8 (org.apache.kafka.server.fault.ProcessTerminatingFaultHandler)\n"
            "java.lang.NullPointerException",
            "a public log of 3.4",
        ),
    ),
    KnownIssue(
        key="raft-truncate-below-hw",
        title="Metadata log refuses to be cut below what is committed",
        signature=(Sign(r"Attempt to truncate to offset \d+, which is below the current high watermark"),),
        roles="controller and broker; kraft",
        affected=(since("3.0.0"),),
        consequence="The quorum has lost committed metadata elsewhere: a voter came back with an empty or old disk.",
        heals="manual",
        advice="Stop and copy all metadata directories. Find the node with the longest log; it should lead. Do not format any node now.",
        source="KAFKA-12460; KafkaMetadataLog.scala",
        confidence="sure",
        tells_more=True,
        example=Example(
            "ERROR Encountered fatal fault: Unexpected error in raft IO thread (org.apache.kafka.server.fault.ProcessTerminatingFaultHandler)\n"
            "java.lang.IllegalArgumentException: Attempt to truncate to offset 8099, which is below the current high watermark 8100"
        ),
    ),
    KnownIssue(
        key="raft-voter-lost-data",
        title="A voter has forgotten committed metadata",
        signature=(
            Sign(r"latest computed high watermark \d+ is smaller than the current value", logger="LeaderState"),
        ),
        roles="controller; kraft",
        consequence="A controller came back without its disk; with a second such node committed metadata would be gone.",
        heals="alone once the node has copied the log again",
        advice="Check the volumes of the named node. Do not restart another controller before it has caught up.",
        look_alike="From 3.8 also printed at a planned voter change (INFO): harmless then",
        source="LeaderState.java; KAFKA-16530",
        confidence="sure",
        tells_more=True,
        example=Example(
            "ERROR [RaftManager id=1] The latest computed high watermark 8099 is smaller than the current value 8100, which should only happen when voter set membership changes. If the voter set has not changed this suggests that one of the voters has lost committed data. Full voter replication state: [] (org.apache.kafka.raft.LeaderState)"
        ),
    ),
    KnownIssue(
        key="kraft-inconsistent-cluster-id",
        title="Nodes of one quorum carry different cluster ids",
        signature=(Sign(r"Unexpected error INCONSISTENT_CLUSTER_ID in \w+ response", logger="KafkaRaftClient"),),
        roles="controller and broker; kraft",
        consequence="The node with the other id gets no votes and no metadata.",
        heals="manual",
        advice="Compare cluster.id in meta.properties of all nodes. Old volumes are the usual cause: decide which data count before you format anything.",
        source="public logs",
        confidence="sure",
        example=Example(
            "ERROR [RaftManager nodeId=0] Unexpected error INCONSISTENT_CLUSTER_ID in VOTE response: InboundResponse(correlationId=7) (org.apache.kafka.raft.KafkaRaftClient)",
            "a public log of 3.5",
        ),
    ),
    KnownIssue(
        key="kraft-voters-mismatch",
        title="Controller is not in its own list of voters",
        signature=(Sign(r"contains the 'controller' role,\s+the node id \d+ must be included in the set of voters"),),
        roles="controller; kraft",
        consequence="The controller does not start; the quorum misses one vote.",
        heals="manual",
        advice="Make controller.quorum.voters equal on all nodes (ids, hosts, ports). Do not change node.id of an existing directory.",
        source="KafkaConfig.scala",
        confidence="sure",
        example=Example(
            "ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\n"
            "java.lang.IllegalArgumentException: requirement failed: If process.roles contains the 'controller' role, the node id 4 must be included in the set of voters controller.quorum.voters=Set(1, 2, 3)"
        ),
    ),
    KnownIssue(
        key="kraft-broker-listed-as-voter",
        title="Broker-only node stands in the list of voters",
        signature=(
            Sign(r"contains just the 'broker' role,\s+the node id \d+ must not be included in the set of voters"),
        ),
        roles="broker; kraft",
        consequence="The broker does not start.",
        heals="manual",
        advice="Give brokers ids other than those of the controllers, or add the controller role.",
        source="bitnami/charts 20496; KafkaConfig.scala",
        confidence="sure",
        example=Example(
            "ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\n"
            "java.lang.IllegalArgumentException: requirement failed: If process.roles contains just the 'broker' role, the node id 1 must not be included in the set of voters controller.quorum.voters=Set(1, 2, 3)"
        ),
    ),
    KnownIssue(
        key="kraft-no-high-watermark",
        title="Node never learns the high watermark of the metadata log",
        signature=(
            Sign(r"the loader is still catching up because we still don't know the high", logger="MetadataLoader"),
        ),
        roles="controller and broker; kraft",
        affected=(since("3.4.1"),),
        consequence="The node has no quorum leader to follow: it cannot start; data are untouched.",
        heals="alone when the quorum is up",
        advice="A few lines at start are normal. If it lasts: check voters against bootstrap servers (a static quorum needs controller.quorum.voters), names, ports, TLS of the controller listener, and that a majority of controllers runs.",
        source="MetadataLoader.java",
        confidence="sure",
        example=Example(
            "INFO [MetadataLoader id=1] initializeNewPublishers: the loader is still catching up because we still don't know the high water mark yet. (MetadataLoader)",
            "traces/calm-kraft-3.7.2",
        ),
    ),
    KnownIssue(
        key="kraft-storage-unformatted",
        title="Directory was never formatted for KRaft, or is not the mounted one",
        signature=(Sign(r"\(have you run `kafka\-storage\.sh`"),),
        roles="controller and broker; kraft",
        consequence="The node does not start.",
        heals="manual",
        advice="If this node had data, look first for a missing mount or a wrong log.dirs. Format only a directory that is truly new, with the cluster id of the others.",
        source="KafkaRaftServer.scala",
        confidence="sure",
        example=Example(
            "ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\n"
            "org.apache.kafka.common.KafkaException: No `meta.properties` found in /data (have you run `kafka-storage.sh` to format the directory?)",
            "a public log of 3.6",
        ),
    ),
    KnownIssue(
        key="kraft-duplicate-broker",
        title="Registration refused: the broker id is still in use",
        signature=(Sign(r"DUPLICATE_BROKER_REGISTRATION|Another broker is registered with that broker id"),),
        roles="broker; kraft",
        consequence="The broker waits; nothing is harmed.",
        heals="alone after broker.session.timeout.ms (9 s)",
        advice="After a hard kill just wait. If it goes on, another process with this id is alive: find it before both write to one volume.",
        source="ClusterControlManager.java",
        confidence="sure",
        example=Example(
            "INFO [BrokerLifecycleManager id=2] Unable to register broker 2 because the controller returned error DUPLICATE_BROKER_REGISTRATION (BrokerLifecycleManager)",
            "traces/last-replica-standing-kraft-3.9.1",
        ),
    ),
    KnownIssue(
        key="kraft-version-too-old",
        title="Binary does not know the metadata version of the cluster",
        signature=(
            Sign(
                r"No MetadataVersion with (feature level|metadata version) \d+|Unable to register because the broker does not support"
            ),
        ),
        roles="controller and broker; kraft",
        consequence="The node cannot read the metadata or is refused; the others go on.",
        heals="manual",
        advice="Run the binary of the others or newer. A metadata.version cannot be lowered safely: do not format to get round it.",
        source="bitnami/charts 18004; MetadataVersion.java",
        confidence="sure",
        example=Example(
            "ERROR Encountered fatal fault: Error loading metadata log record from offset 8 (org.apache.kafka.server.fault.ProcessTerminatingFaultHandler)\n"
            "java.lang.IllegalArgumentException: No MetadataVersion with feature level 21. Valid feature levels are from 1 to 19."
        ),
    ),
    KnownIssue(
        key="kip853-static-quorum",
        title="Voter change asked of a static quorum",
        signature=(Sign(r"Cluster doesn't support (adding|removing) voter because the \S+ feature is"),),
        roles="controller; kraft",
        affected=(since("3.9.0"),),
        consequence="None: the request is refused.",
        heals="manual",
        advice="The quorum was formatted with kraft.version 0 (controller.quorum.voters). Up to 4.0 it cannot be raised; from 4.1 kafka-features can, on a healthy quorum only.",
        source="AddVoterHandler.java; KAFKA-16538 (PR 19416)",
        confidence="sure",
        tells_more=True,
        example=Example(
            "ERROR [RaftManager id=1] Error handling request (org.apache.kafka.raft.KafkaRaftClient)\n"
            "org.apache.kafka.common.errors.UnsupportedVersionException: Cluster doesn't support adding voter because the kraft.version feature is 0"
        ),
    ),
    KnownIssue(
        key="kip853-add-voter-aborted",
        title="New voter was not taken in",
        signature=(Sign(r"Aborting add voter operation for .* since ", logger="AddVoterHandler"),),
        roles="controller; kraft (KIP-853)",
        affected=(since("3.9.0"),),
        consequence="None: the old voters stay in charge.",
        heals="alone after a repeat",
        advice="Let the new controller catch up as an observer first, check that it answers under the given endpoint, then add it again. Remove a dead voter before adding another one.",
        source="AddVoterHandler.java",
        confidence="sure",
        tells_more=True,
        example=Example(
            "INFO [RaftManager id=2] Aborting add voter operation for voter-key at voter-endpoints since it is lagging behind: replica-state (AddVoterHandler)"
        ),
    ),
    KnownIssue(
        key="not-controller-noise",
        title="Requests meet a controller that is not active (harmless)",
        signature=(
            Sign(
                r"(processBrokerHeartbeat|registerBroker|\w+): (event failed with|event unable to start processing because of|unable to start processing because of) NotControllerException",
                logger="QuorumController",
            ),
        ),
        roles="controller; kraft",
        consequence="None: the sender asks the new leader next.",
        heals="alone",
        advice="Look only if it goes on for minutes: then there is no active controller or the brokers know wrong addresses.",
        source="EventHandlerExceptionInfo.java",
        confidence="sure",
        example=Example(
            "ERROR [Controller 2] createTopics: unable to start processing because of NotControllerException. (QuorumController)",
            "traces/pause-broker-kraft-3.3.2",
        ),
    ),
    KnownIssue(
        key="KAFKA-19350",
        title="Topic policy that throws an unexpected error reaches the fatal handler",
        signature=(
            Sign(
                r"createTopics: event failed with \w+ \(treated as UnknownServerException\)", logger="QuorumController"
            ),
        ),
        roles="controller; kraft",
        affected=(up_to("4.1"),),
        fixed_in=("4.2.0",),
        consequence="A faulty CreateTopicPolicy makes the active controller renounce at each try.",
        heals="manual",
        advice="Repair or remove the policy class; look at the exception for its name.",
        look_alike="KAFKA-14337 (NoSuchElementException)",
        source="PR 19857",
        confidence="likely",
        example=Example(
            "ERROR [QuorumController id=1] createTopics: event failed with NullPointerException (treated as UnknownServerException) at epoch 9 in 251 microseconds. Renouncing leadership and reverting to the last committed offset 1051. (org.apache.kafka.controller.QuorumController)"
        ),
    ),
    KnownIssue(
        key="metadata-dir-failed",
        title="Directory of the metadata log failed, node ends",
        signature=(Sign(r"Shutdown broker because the metadata log dir \S+ has failed"),),
        roles="broker and controller; kraft",
        affected=(since("3.7.0"),),
        consequence="The node ends even if other directories are sound.",
        heals="manual",
        advice="Repair or replace the disk. On a controller: format with the same cluster and node id and let it copy the log while all others run without lag; with kraft.version 1 remove-controller and add-controller after it.",
        source="ReplicaManager.scala",
        confidence="sure",
        example=Example(
            "ERROR [ReplicaManager broker=2] Shutdown broker because the metadata log dir /var/lib/kafka has failed (ReplicaManager)"
        ),
    ),
    KnownIssue(
        key="offline-dir-not-reported",
        title="Broker cannot tell the controller about a failed directory and stops",
        signature=(
            Sign(r"Shutting down because couldn't communicate offline log dir", logger="BrokerLifecycleManager"),
        ),
        roles="broker; kraft",
        affected=(since("3.8.0"),),
        note="KAFKA-15649",
        consequence="The broker ends so that its partitions get new leaders.",
        heals="restart when the quorum is reachable",
        advice="Look for the disk failure before the line and for the quorum.",
        source="PR 15697",
        confidence="sure",
        example=Example(
            "ERROR [BrokerLifecycleManager id=2] Shutting down because couldn't communicate offline log dir /var/lib/kafka with controllers (BrokerLifecycleManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-16883",
        title="Broker in migration cannot send its registration to the quorum",
        signature=(
            Sign(
                r"Unable to register the broker because the RPC got timed out before it could be sent",
                logger="BrokerLifecycleManager",
            ),
        ),
        roles="broker; migration and kraft",
        affected=(between("3.6.1", "3.7.0"),),
        note="as reported; the reporter found it gone with 3.7.1",
        consequence="The broker is not known to the controllers; the migration waits, a start in KRaft mode ends after the registration timeout.",
        heals="alone when the quorum is reachable",
        advice="Check the controller listener first: names, ports, TLS and SASL of controller.listener.names on the broker, and that the quorum has a leader.",
        look_alike="Quorum without a leader or wrong voters: kraft-voters-mismatch",
        source="JIRA KAFKA-16883",
        confidence="sure",
        needs_more=True,
        example=Example(
            "INFO [BrokerLifecycleManager id=2] Unable to register the broker because the RPC got timed out before it could be sent. (BrokerLifecycleManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-19367",
        title="Producer epoch raised twice overflows at its limit",
        signature=(Sign(r"Illegal new producer epoch -3\d{4}"),),
        roles="broker; kraft",
        affected=(only("4.0.0"),),
        fixed_in=("4.0.1", "4.1.0"),
        note="with transaction.version 2",
        consequence="InitProducerId fails for a transactional id whose epoch is near 32767; the application cannot go on with that id.",
        heals="upgrade",
        advice="Upgrade, or use another transactional.id. Set transaction.version back to 1 only as a stop-gap.",
        look_alike="KAFKA-14880 (-1)",
        source="PR 19910, 19976",
        confidence="likely",
        example=Example(
            "ERROR [TransactionCoordinator id=1] Error in InitProducerId (kafka.coordinator.transaction.TransactionCoordinator)\n"
            "java.lang.IllegalArgumentException: Illegal new producer epoch -32768"
        ),
    ),
    KnownIssue(
        key="KAFKA-19999",
        title="Repeated end marker is refused for its equal epoch, transaction hangs",
        signature=(
            Sign(
                r"Epoch of producer \d+ at offset \d+ in \S+ is (\d+), which is smaller than the last seen epoch \1\b"
            ),
        ),
        roles="broker; kraft",
        affected=(between("4.0.0", "4.1"),),
        fixed_in=("4.2.0",),
        note="with transaction.version 2",
        consequence="The coordinator repeats the marker for ever: the transaction stays in Prepare..., its producer gets CONCURRENT_TRANSACTIONS.",
        heals="upgrade",
        advice="Upgrade the brokers. Look with kafka-transactions.sh describe; do not write markers by hand while the coordinator still tries.",
        look_alike="A really older epoch: a fenced zombie producer, harmless",
        source="PR 21176; ProducerAppendInfo.java",
        confidence="sure",
        example=Example(
            "ERROR [ReplicaManager broker=1] Error processing append operation on partition orders-3 (kafka.server.ReplicaManager)\n"
            "org.apache.kafka.common.errors.InvalidProducerEpochException: Epoch of producer 4002 at offset 8100 in orders-3 is 12, which is smaller than the last seen epoch 12"
        ),
    ),
    KnownIssue(
        key="group-converted",
        title="Group changed to the consumer protocol (as designed)",
        signature=(Sign(r"Converted the classic group to a consumer group"),),
        roles="broker; kraft",
        affected=(since("4.0.0"),),
        consequence="None.",
        heals="alone",
        advice="Nothing to do.",
        source="GroupMetadataManager.java",
        confidence="sure",
        example=Example(
            "INFO [GroupCoordinator id=7 topic=orders partition=7] [GroupId 7] Converted the classic group to a consumer group. (GroupMetadataManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-14265",
        title="Prefixed ACL hides another prefixed ACL in KRaft",
        signature=(Sign(r"Principal = \S+ is Denied operation = "),),
        roles="broker and controller; kraft",
        affected=(up_to("3.3.0"),),
        fixed_in=("3.3.1", "3.4.0"),
        consequence="Access that an ACL allows is refused.",
        heals="upgrade",
        advice="Upgrade; until then add literal ACLs for the topics concerned.",
        look_alike="A missing ACL",
        source="PR for KAFKA-14265 (commit ba89eaf0d7)",
        confidence="likely",
        needs_more=True,
        example=Example(
            "INFO Principal = User:shop is Denied operation = DESCRIBE from host = 10.0.0.7 on resource = Topic:LITERAL:orders for request = Metadata with resourceRefCount = 1 (kafka.authorizer.logger)"
        ),
    ),
    KnownIssue(
        key="client-too-old",
        title="Client uses requests that 4.0 brokers dropped",
        signature=(
            Sign(
                r"UnsupportedVersionException: Received request for api with key \d+ \(\w+\) and unsupported version \d+|Received request api key \w+ with version \d+ which is not enabled"
            ),
        ),
        roles="broker; kraft",
        affected=(since("4.0.0"),),
        note="KIP-896",
        consequence="Only those clients (older than about 2.1, old librdkafka or sarama settings).",
        heals="manual",
        advice="Upgrade the client or raise its protocol version setting.",
        look_alike="KAFKA-16992 in mixed 3.x clusters",
        source="KIP-896; SocketServer.scala",
        confidence="sure",
        tells_more=True,
        example=Example(
            "ERROR Exception while processing request from 10.0.0.1:9092-10.0.0.7:41822-18 (kafka.network.Processor)\n"
            "org.apache.kafka.common.errors.UnsupportedVersionException: Received request for api with key 3 (Metadata) and unsupported version 0"
        ),
    ),
)
