"""Known bugs and situations of brokers and controllers under ZooKeeper. Sources: the issues, pull requests and classes named in each."""

from replay.knowledge.known_issue import KnownIssue, Sign
from replay.knowledge.meaning import Example
from replay.knowledge.releases import between, only, since, up_to

ISSUES: tuple[KnownIssue, ...] = (
    KnownIssue(
        key="KAFKA-2729",
        title="Deposed leader keeps a stale zkVersion and never changes its ISR again",
        signature=(
            Sign(
                r"Cached zkVersion \[?\d+\]? not equal to that in zookeeper, skip updating ISR",
                logger="Partition",
                times=20,
            ),
        ),
        roles="broker; zookeeper mode",
        affected=(up_to("1.0"),),
        fixed_in=("1.1.0",),
        note="the line itself is printed up to 2.7",
        consequence="The broker acts as leader with an old view: its ISR writes fail for ever, followers stay out of the ISR; acks=1 records it takes can be discarded when it steps down.",
        heals="restart of the broker that prints it; before 1.1.0 it does not heal alone",
        advice="Find who the controller thinks leads; restart the printing broker after checking that another in-sync replica leads. Do not switch unclean election on.",
        look_alike="A few such lines just after a leader change or a ZooKeeper reconnect, which stop by themselves: the fence working",
        source="JIRA KAFKA-2729 (fix release 1.1.0 in eco-release-metadata CHANGELOG.1.1.0); Partition.scala",
        confidence="sure",
        needs_release=True,
        example=Example(
            "INFO [Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR (Partition)\n"
            "INFO [Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR (Partition)\n"
            "INFO [Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR (Partition)\n"
            "INFO [Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR (Partition)\n"
            "INFO [Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR (Partition)\n"
            "INFO [Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR (Partition)\n"
            "INFO [Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR (Partition)\n"
            "INFO [Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR (Partition)\n"
            "INFO [Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR (Partition)\n"
            "INFO [Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR (Partition)\n"
            "INFO [Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR (Partition)\n"
            "INFO [Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR (Partition)\n"
            "INFO [Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR (Partition)\n"
            "INFO [Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR (Partition)\n"
            "INFO [Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR (Partition)\n"
            "INFO [Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR (Partition)\n"
            "INFO [Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR (Partition)\n"
            "INFO [Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR (Partition)\n"
            "INFO [Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR (Partition)\n"
            "INFO [Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR (Partition)",
            "traces/zk-session-expiry-zk-2.4.1",
        ),
    ),
    KnownIssue(
        key="KAFKA-4477",
        title="Broker shrinks every ISR to itself while followers lose all fetch connections",
        signature=(
            Sign(r"was disconnected before the response was read", logger="ReplicaFetcherThread"),
            Sign(r"Shrinking ISR for partition \[[^\]]+\] from [\d,]+ to \d+(?![\d,])", logger="Partition"),
        ),
        roles="broker; zookeeper mode",
        affected=(only("0.10.1.0"),),
        fixed_in=("0.10.1.1",),
        consequence="Request threads are deadlocked (KAFKA-3994): the broker lives and holds its ZooKeeper session but answers nobody, and nobody takes over its partitions.",
        heals="restart of the hanging broker",
        advice="Take a thread dump of the broker that keeps the ISR alone, then restart it and move to 0.10.1.1 or later. Do not restart the followers first.",
        look_alike="Network loss of one broker; long GC pause (ends by itself)",
        source="JIRA KAFKA-4477, fix commit KAFKA-3994 (a55e296311)",
        confidence="likely",
        needs_release=True,
        example=Example(
            "WARN [ReplicaFetcherThread-0-1], Error in fetch kafka.server.ReplicaFetcherThread$FetchRequest@6c5ecec3 (kafka.server.ReplicaFetcherThread)\n"
            "\tjava.io.IOException: Connection to 1 was disconnected before the response was read\n"
            "INFO Partition [orders,3] on broker 1: Shrinking ISR for partition [orders,3] from 1,2,3 to 1 (kafka.cluster.Partition)"
        ),
    ),
    KnownIssue(
        key="KAFKA-6582",
        title="Broker hangs alive as sole ISR member, others cannot take over",
        signature=(
            Sign(r"Attempting to send response via channel for which there is no open connection", logger="Processor"),
            Sign(r"was disconnected before the response was read", logger="ReplicaFetcherThread"),
        ),
        roles="broker; zookeeper mode",
        affected=(between("1.0.0", "2.1.0"),),
        fixed_in=("2.1.1",),
        consequence="One broker stops answering while its session lives; partitions led by it are neither served nor taken over by others.",
        heals="restart of the hanging broker",
        advice="Thread dump, then restart that broker only; upgrade to 2.1.1 or later.",
        look_alike="Clients that closed their connection early print the first line alone: harmless",
        source="JIRA KAFKA-6582 (fix release 2.1.1 in CHANGELOG)",
        confidence="likely",
        example=Example(
            "WARN Attempting to send response via channel for which there is no open connection, connection id 10.0.0.1:9092-10.0.0.2:41822-18 (kafka.network.Processor)\n"
            "WARN [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Error in response for fetch request (type=FetchRequest, replicaId=2) (kafka.server.ReplicaFetcherThread)\n"
            "java.io.IOException: Connection to 1 was disconnected before the response was read"
        ),
        needs_release=True,
    ),
    KnownIssue(
        key="KAFKA-3919",
        title="Broker cannot start: offsets in a segment do not increase",
        signature=(
            Sign(r"Attempt to append an offset \(\d+\) to position \d+ no larger than the last offset appended"),
            Sign(r"Recovering unflushed segment|Fatal error during KafkaServer"),
        ),
        roles="broker; zookeeper mode",
        affected=(up_to("0.10.2"),),
        fixed_in=("0.11.0.0",),
        consequence="After an unclean stop the log of a follower contains diverged batches, so rebuilding the index fails and the broker does not come up.",
        heals="manual",
        advice="If other in-sync replicas exist, move the directory of that one partition away and let it be copied again. Keep the moved copy. Upgrade together with message format 0.11 (leader epochs).",
        look_alike="KAFKA-4497 (.timeindex.cleaned); KAFKA-6388 (roll)",
        source="JIRA KAFKA-3919 and KIP-101; OffsetIndex.scala",
        confidence="sure",
        example=Example(
            "WARN Found a corrupted index file due to requirement failed: Corrupt index found, index file (/data/orders-3/00000000000000000000.index) has non-zero size but the last offset is 0 which is no larger than the base offset 0.}. deleting and rebuilding index... (kafka.log.Log)\n"
            "INFO Recovering unflushed segment 8100 in log orders-3. (kafka.log.Log)\n"
            "FATAL Fatal error during KafkaServerStartable startup. Prepare to shutdown (kafka.server.KafkaServerStartable)\n"
            "kafka.common.InvalidOffsetException: Attempt to append an offset (8100) to position 21529 no larger than the last offset appended (8211) to /data/orders-3/00000000000000008100.index."
        ),
    ),
    KnownIssue(
        key="KAFKA-9839",
        title="Broker rejects control requests, its own new epoch is not known yet",
        signature=(Sign(r"IllegalStateException: Epoch \d+ larger than current broker epoch \d+", logger="KafkaApis"),),
        roles="broker; zookeeper mode",
        affected=(between("2.2.0", "2.5.0"),),
        fixed_in=("2.5.1", "2.6.0"),
        consequence="A LeaderAndIsr or UpdateMetadata sent right after a new registration is refused, so the broker keeps old metadata or roles until the next request.",
        heals="alone at the next request, else restart or controller move",
        advice="See whether the broker later prints leader/follower transitions; if not, restart it. Not a sign of two brokers with one id.",
        look_alike="Two processes with one broker id: then the epochs alternate",
        source="JIRA KAFKA-9839; PR 8509",
        confidence="sure",
        example=Example(
            "ERROR [KafkaApi-2] Error when handling request: clientId=0, correlationId=0, api=UPDATE_METADATA, version=6 (kafka.server.KafkaApis)\n"
            "java.lang.IllegalStateException: Epoch 317 larger than current broker epoch 311",
            "a public log of 2.3",
        ),
    ),
    KnownIssue(
        key="KAFKA-14190",
        title="Topic id in ZooKeeper replaced by an old admin client, replication stops",
        signature=(
            Sign(
                r"Topic I[dD] in memory: \S+ does not match the topic I[dD] for partition", logger="state.change.logger"
            ),
        ),
        roles="broker; zookeeper mode",
        affected=(between("2.8.0", "3.9"),),
        note="in ZooKeeper mode; the proposed PR 13111 was closed unmerged",
        consequence="The broker refuses leader and follower roles for the topic, so replicas do not follow and new leaders are not accepted; data on disk are intact.",
        heals="manual",
        advice="Stop using tools older than 2.8 with --zookeeper (CMAK too). Known way out: put the old topic_id back or remove partition.metadata of the stale replicas and restart, after a copy. Do not delete the topic.",
        look_alike="KAFKA-12835 after an IBP change; topic deleted and made again (short)",
        source="JIRA KAFKA-14190; yahoo/CMAK 900 and 878; PR 13111",
        confidence="sure",
        example=Example(
            "ERROR [Broker id=0] Topic Id in memory: jKTRaM_TSNqocJeQI2aYOQ does not match the topic Id for partition orders-3 provided in the request: nI-JQtPwQwGiylMfm8k13w. (state.change.logger)",
            "a public log of 2.8",
        ),
    ),
    KnownIssue(
        key="KAFKA-12835",
        title="Topic ids reassigned while the inter-broker protocol version changes",
        signature=(
            Sign(
                r"Topic I[dD] in memory: \S+ does not match the topic I[dD] for partition", logger="state.change.logger"
            ),
            Sign(r"inter\.broker\.protocol\.version = (0|1|2\.[0-7])", logger="KafkaConfig"),
        ),
        roles="controller; zookeeper mode",
        affected=(only("2.8.0"),),
        fixed_in=("2.8.1", "3.0.0"),
        consequence="A controller with an old protocol version overwrites topic nodes without their id; brokers then refuse the newly made id.",
        heals="manual",
        advice="Bring all brokers to one version and one inter.broker.protocol.version first; then repair as for KAFKA-14190.",
        look_alike="KAFKA-14190",
        source="PR 10754",
        confidence="likely",
        example=Example(
            "INFO KafkaConfig values: \n"
            "\tinter.broker.protocol.version = 2.7-IV2\n"
            " (kafka.server.KafkaConfig)\n"
            "ERROR [Broker id=2] Topic Id in memory: jKTRaM_TSNqocJeQI2aYOQ does not match the topic Id for partition orders-3 provided in the request: nI-JQtPwQwGiylMfm8k64w. (state.change.logger)"
        ),
    ),
    KnownIssue(
        key="KAFKA-6003",
        title="Follower refuses batches of a producer it does not know",
        signature=(
            Sign(r"OutOfOrderSequenceException: Invalid sequence number for new epoch:"),
            Sign(r"ReplicaFetcherThread", same=True),
        ),
        roles="broker; zookeeper mode",
        affected=(between("0.11.0.0", "0.11.0.1"),),
        fixed_in=("0.11.0.2", "1.0.0"),
        consequence="The fetcher thread of a replica without producer state ends; its partitions stay under-replicated.",
        heals="upgrade; restarts repeat it",
        advice="Upgrade the followers. Do not delete the leader data. Until then the leader is the only copy.",
        look_alike="The same exception from a client append (KafkaApis) is the client's matter",
        source="JIRA KAFKA-6003",
        confidence="sure",
        example=Example(
            "ERROR [ReplicaFetcherThread-0-1]: Error due to (kafka.server.ReplicaFetcherThread)\n"
            "kafka.common.KafkaException: Error processing data for partition orders-3 offset 8100\n"
            "Caused by: org.apache.kafka.common.errors.OutOfOrderSequenceException: Invalid sequence number for new epoch: 154277489 (request epoch), 0 (seq. number)"
        ),
    ),
    KnownIssue(
        key="KAFKA-6683",
        title="Follower dies on a transaction end without a start",
        signature=(Sign(r"Attempted to complete a transaction which was not started"),),
        roles="broker; zookeeper mode",
        affected=(between("0.11.0.0", "1.0.1"),),
        fixed_in=("1.0.2", "1.1.0"),
        consequence="A wrong producer snapshot stops the replica fetcher (and may stop the load of the log); replicas leave the ISR.",
        heals="manual or upgrade",
        advice="Upgrade. Until then let the failed replica be copied anew (move its directory away while the broker is stopped, keep it).",
        source="JIRA KAFKA-6683; ProducerStateManager.scala",
        confidence="sure",
        example=Example(
            "ERROR [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Error due to (kafka.server.ReplicaFetcherThread)\n"
            "org.apache.kafka.common.KafkaException: Error processing data for partition __transaction_state-13 offset 429507\n"
            "Caused by: java.lang.IllegalArgumentException: Attempted to complete a transaction which was not started"
        ),
    ),
    KnownIssue(
        key="KAFKA-5634",
        title="Follower dies because the leader deleted beyond the high watermark",
        signature=(Sign(r"The specified offset \d+ is higher than the high watermark"),),
        roles="broker; zookeeper mode",
        affected=(only("0.11.0.0"),),
        fixed_in=("0.11.0.1", "1.0.0"),
        consequence="Retention moved the log start past the follower's high watermark; the fetcher thread ends and its partitions stand still.",
        heals="restart helps for a while; upgrade",
        advice="Restart the follower, raise retention of the hot topic until the upgrade.",
        look_alike='Later wording "Cannot increment the log start offset to": see corrupt-fetch-response',
        source="JIRA KAFKA-5634; Replica.scala 0.11.0.0",
        confidence="sure",
        example=Example(
            "ERROR [ReplicaFetcherThread-0-2]: Error due to (kafka.server.ReplicaFetcherThread)\n"
            "org.apache.kafka.common.errors.OffsetOutOfRangeException: The specified offset 16 is higher than the high watermark 14 of the partition orders-3"
        ),
    ),
    KnownIssue(
        key="KAFKA-6975",
        title="Follower cannot start inside a batch after deleteRecords",
        signature=(Sign(r"Out of order offsets found in append to"), Sign(r"ReplicaFetcher", same=True)),
        roles="broker; zookeeper mode",
        affected=(between("0.11.0.0", "1.0.1"), only("1.1.0")),
        fixed_in=("1.0.2", "1.1.1", "2.0.0"),
        consequence="A new or re-imaged replica of a topic whose records were deleted in the middle of a batch cannot copy it.",
        heals="upgrade",
        advice="Upgrade the brokers; the existing replicas are sound. Do not remove the old replica in a reassignment before the new one is in the ISR.",
        source="JIRA KAFKA-6975; PR 5133",
        confidence="likely",
        example=Example(
            "ERROR [ReplicaFetcher replicaId=3, leaderId=1, fetcherId=0] Error due to (kafka.server.ReplicaFetcherThread)\n"
            "kafka.common.KafkaException: Error processing data for partition __consumer_offsets-10 offset 8100\n"
            "Caused by: java.lang.IllegalArgumentException: Out of order offsets found in append to __consumer_offsets-10: List(8100, 8099)"
        ),
    ),
    KnownIssue(
        key="KAFKA-4384",
        title="One corrupt message ends a replica fetcher thread for good",
        signature=(
            Sign(r"error processing data for partition \[[^\]]+\] offset \d+"),
            Sign(r"InvalidMessageException|CorruptRecordException", same=True),
            Sign(r"\[ReplicaFetcherThread-\d+-\d+\], Error due to", logger="ReplicaFetcherThread", same=True),
        ),
        roles="broker; zookeeper mode",
        affected=(up_to("0.10.1.0"),),
        fixed_in=("0.10.1.1", "0.10.2.0"),
        consequence="Everything that this thread copied from that leader stops until a restart; the partitions leave the ISR.",
        heals="restart of the follower",
        advice="Restart the follower; check disk and memory of leader and follower, and whether the leader itself can read the offset (kafka-dump-log).",
        source="JIRA KAFKA-4384",
        confidence="sure",
        example=Example(
            "ERROR [ReplicaFetcherThread-0-1], Error due to  (kafka.server.ReplicaFetcherThread)\n"
            "kafka.common.KafkaException: error processing data for partition [orders,3] offset 8100\n"
            "Caused by: kafka.message.InvalidMessageException: Message found with corrupt size (0) in shallow iterator"
        ),
    ),
    KnownIssue(
        key="KAFKA-5758",
        title="Fetch of a moved-away replica fails for all its topics",
        signature=(
            Sign(r"failed to record follower \d+\'?s position -?\d+ since the replica"),
            Sign(r"NotAssignedReplicaException", same=True),
        ),
        roles="broker; zookeeper mode",
        affected=(up_to("0.11.0"),),
        fixed_in=("1.0.0",),
        consequence="During a reassignment one removed partition makes the whole fetch request fail, so unrelated partitions of that follower lag.",
        heals="alone when the metadata settle",
        advice="Wait until the reassignment is over; pause further reassignments. Restart the follower only if lag does not fall.",
        look_alike="1.0 to 2.x print it as a WARN with empty records for that partition only: harmless",
        source="JIRA KAFKA-5758",
        confidence="sure",
        example=Example(
            "ERROR [KafkaApi-2] error when handling request Name: FetchRequest; Version: 0; CorrelationId: 0; ClientId: ReplicaFetcherThread-0-2; ReplicaId: 0 (kafka.server.KafkaApis)\n"
            "kafka.common.NotAssignedReplicaException: Leader 2 failed to record follower 0's position 8100 since the replica is not recognized to be one of the assigned replicas 1,2 for partition [orders,3].",
            "a public log of 0.9",
        ),
    ),
    KnownIssue(
        key="KAFKA-3123",
        title="Follower out of range cannot reset because the cleaner is already paused",
        signature=(
            Sign(
                r"IllegalStateException: Compaction for partition \[?\S+\]? cannot be aborted and paused since it is in LogCleaningPaused state"
            ),
        ),
        roles="broker; zookeeper mode",
        affected=(between("0.9.0", "0.10.2"),),
        fixed_in=("0.11.0.0",),
        consequence="The reset fails again and again; the replica can never catch up.",
        heals="restart breaks the loop; upgrade",
        advice="Restart the follower once. If it is empty (re-imaged) that is enough.",
        source="JIRA KAFKA-3123",
        confidence="sure",
        example=Example(
            "FATAL [ReplicaFetcherThread-0-1], Error due to (kafka.server.ReplicaFetcherThread)\n"
            "java.lang.IllegalStateException: Compaction for partition [orders,3] cannot be aborted and paused since it is in LogCleaningPaused state."
        ),
    ),
    KnownIssue(
        key="KAFKA-2164",
        title="Reset message prints the new offset twice",
        signature=(
            Sign(
                r"reset its fetch offset from (\d+) to current leader \d+\'s start offset \1\b",
                logger="ReplicaFetcherThread",
            ),
        ),
        roles="broker; zookeeper mode",
        affected=(up_to("0.8.2"),),
        fixed_in=("0.9.0.0",),
        consequence="Only the text is wrong; what it reports is real: the follower drops its log and starts at the leader's first offset.",
        heals="alone",
        advice="Read the true old offset from the next line (Current offset N ... out of range). Ask why the follower was outside of the leader's range.",
        source="JIRA KAFKA-2164",
        confidence="sure",
        example=Example(
            "WARN [ReplicaFetcherThread-0-1], Replica 2 for partition [orders,3] reset its fetch offset from 8100 to current leader 1's start offset 8100 (kafka.server.ReplicaFetcherThread)",
            "JIRA KAFKA-2164",
        ),
    ),
    KnownIssue(
        key="KAFKA-4039",
        title="Broker that halts for a refused truncation hangs instead of ending",
        signature=(
            Sign(r"Exiting because log truncation is not allowed for partition ", logger="ReplicaFetcherThread"),
        ),
        roles="broker; zookeeper mode",
        affected=(only("0.10"),),
        fixed_in=("0.11.0.0",),
        consequence="The shutdown waits for the thread that asked for it; the process stays half alive.",
        heals="manual: kill",
        advice="As KAFKA-7414: save its data first, then kill it.",
        look_alike="KAFKA-7414",
        source="JIRA KAFKA-4039",
        confidence="likely",
        example=Example(
            "FATAL [ReplicaFetcherThread-0-2], Exiting because log truncation is not allowed for partition orders-3, Current leader 2's latest offset 4 is less than replica 2's latest offset 120 (ReplicaFetcherThread)"
        ),
        needs_release=True,
    ),
    KnownIssue(
        key="KAFKA-1387",
        title="Broker waits for ever for its own old ephemeral node",
        signature=(Sign(r"I wrote this conflicted ephemeral node", logger="ZkUtils"),),
        roles="broker and controller; zookeeper mode",
        affected=(up_to("0.8.2"),),
        fixed_in=("0.9.0.0",),
        consequence="After two quick sessions the broker sees a node it wrote itself and backs off again and again; it stays unregistered.",
        heals="alone once the old session has expired; restart if it repeats for minutes",
        advice="Wait one session timeout. If the line repeats longer, restart the broker. Do not delete the node while a live session owns it.",
        look_alike="A second broker with the same id: then host or port in the two records differ",
        source="JIRA KAFKA-1387; ZkUtils.scala",
        confidence="sure",
        example=Example(
            'INFO I wrote this conflicted ephemeral node [{"jmx_port":-1,"timestamp":"1414137132340","host":"10.0.0.7","version":1,"port":9092}] at /brokers/ids/1 a while back in a different session, hence I will backoff for this node to be deleted by Zookeeper and retry (kafka.utils.ZkUtils$)'
        ),
    ),
    KnownIssue(
        key="KAFKA-1724",
        title="Resigning controller fails because its scheduler never started",
        signature=(
            Sign(r"Error handling event ZkEvent\[Data of /controller changed", logger="ZkEventThread"),
            Sign(r"Kafka scheduler has not been started", same=True),
        ),
        roles="controller; zookeeper mode",
        affected=(up_to("0.8.2"),),
        fixed_in=("0.9.0.0",),
        consequence="A single-node or freshly rebooted cluster stays without a working controller: no leader is elected.",
        heals="restart",
        advice="Restart the broker that printed it, after the old session has expired.",
        look_alike="The same exception as a WARN while a broker that is no controller stops: harmless",
        source="JIRA KAFKA-1724",
        confidence="sure",
        example=Example(
            "ERROR Error handling event ZkEvent[Data of /controller changed sent to kafka.server.ZookeeperLeaderElector$LeaderChangeListener@4ec4b8e1] (org.I0Itec.zkclient.ZkEventThread)\n"
            "java.lang.IllegalStateException: Kafka scheduler has not been started\n"
            "\tat kafka.utils.KafkaScheduler.ensureStarted(KafkaScheduler.scala:114)"
        ),
    ),
    KnownIssue(
        key="KAFKA-1738",
        title="Controller request lost on a connection closed for idleness",
        signature=(
            Sign(
                r"Controller \d+ epoch \d+ fails to send request|java\.nio\.channels\.ClosedChannelException|EOFException"
            ),
            Sign(r"RequestSendThread", logger="RequestSendThread", same=True),
        ),
        roles="controller; zookeeper mode",
        affected=(),
        fixed_in=("0.8.2.0",),
        note="in its beta alone",
        consequence="A new topic exists in ZooKeeper but its broker never heard of it: no directory, unknown topic errors.",
        heals="restart of the broker or controller move",
        advice="Restart the broker that lacks the partition or let another controller be elected.",
        look_alike="A broker that is down: then the connection is refused",
        source="JIRA KAFKA-1738",
        confidence="likely",
        example=Example(
            "WARN [Controller-1-to-broker-2-send-thread], Controller 1 epoch 4 fails to send request Name:UpdateMetadataRequest;Version:0;Controller:1 to broker id:2,host:10.0.0.2,port:9092. Reconnecting to broker. (kafka.controller.RequestSendThread)\n"
            "java.io.EOFException: Received -1 when reading from channel, socket has likely been closed."
        ),
        needs_more=True,
    ),
    KnownIssue(
        key="KAFKA-2300",
        title="Left-over controller batch blocks every later broker change",
        signature=(Sign(r"Controller to broker state change requests batch is not empty while creating"),),
        roles="controller; zookeeper mode",
        affected=(up_to("0.8.2"),),
        fixed_in=("0.9.0.0",),
        consequence="The controller cannot handle broker starts, elections or deletions any more: returning brokers stay out of the ISR.",
        heals="controller move",
        advice="Let another broker become controller (restart the active controller). Do not restart the other brokers: they will not be taken in.",
        look_alike="The same text in 1.x and later follows another controller exception: read the first exception",
        source="JIRA KAFKA-2300",
        confidence="sure",
        example=Example(
            "ERROR [BrokerChangeListener on Controller 2]: Error while handling broker changes (kafka.controller.ReplicaStateMachine$BrokerChangeListener)\n"
            "java.lang.IllegalStateException: Controller to broker state change requests batch is not empty while creating a new one. Some UpdateMetadata state changes Map(1 -> Map([orders,3] -> x)) might be lost ",
            "JIRA KAFKA-2300",
        ),
    ),
    KnownIssue(
        key="KAFKA-1398",
        title="Start fails on a configuration change node already removed",
        signature=(
            Sign(r"NoNode for /config/changes/config_change_\d+"),
            Sign(r"Fatal error during KafkaServerSta", same=True),
        ),
        roles="broker; zookeeper mode",
        affected=(between("0.8.1", "0.8.1.0"),),
        fixed_in=("0.8.1.1", "0.8.2.0"),
        consequence="The broker does not start: two brokers clean the same change nodes.",
        heals="restart",
        advice="Start the broker again. Nothing in ZooKeeper needs repair.",
        source="JIRA KAFKA-1398",
        confidence="likely",
        example=Example(
            "FATAL Fatal error during KafkaServerStable startup. Prepare to shutdown (kafka.server.KafkaServerStartable)\n"
            "org.I0Itec.zkclient.exception.ZkNoNodeException: org.apache.zookeeper.KeeperException$NoNodeException: KeeperErrorCode = NoNode for /config/changes/config_change_0000000005"
        ),
    ),
    KnownIssue(
        key="KAFKA-7165",
        title="Broker cannot register again: its node belongs to its previous session",
        signature=(
            Sign(r"Session expired|session 0x\w+ has expired"),
            Sign(
                r"Error while creating ephemeral at /brokers/ids/\d+, node already exists and owner \'\d+\' does not match current session",
                logger="KafkaZkClient",
            ),
        ),
        roles="broker; zookeeper mode",
        affected=(between("1.1.0", "2.1"),),
        fixed_in=("2.2.0",),
        consequence="After a session loss the broker stays unregistered though it runs; its partitions are led by others or by nobody.",
        heals="restart",
        advice="Wait for the session timeout and restart the broker. Before deleting the node by hand be sure that no other process uses the id.",
        look_alike="Two brokers with one id; a restart faster than the session timeout (broker-id-in-use)",
        source="JIRA KAFKA-7165; PR 5575",
        confidence="sure",
        example=Example(
            "INFO [ZooKeeperClient] Session expired. (kafka.zookeeper.ZooKeeperClient)\n"
            "ERROR Error while creating ephemeral at /brokers/ids/1, node already exists and owner '216186131422332301' does not match current session '288330817911521280' (kafka.zk.KafkaZkClient$CheckedEphemeral)",
            "JIRA KAFKA-7165",
        ),
    ),
    KnownIssue(
        key="KAFKA-6879",
        title="Controller deadlocks while it handles its expired session",
        signature=(
            Sign(r"Session expired\.", logger="ZooKeeperClient"),
            Sign(r"has expired"),
            Sign(r"Initializing a new session to", absent=True),
        ),
        roles="controller; zookeeper mode",
        affected=(only("1.1.0"),),
        fixed_in=("1.1.1", "2.0.0"),
        consequence='The old controller never opens a new session: no new "Initializing a new session" follows; its broker stays unregistered.',
        heals="restart",
        advice="If the broker does not print a new session within a minute, restart it.",
        look_alike="On other releases a new session follows at once: normal",
        source="JIRA KAFKA-6879; PR 4977",
        confidence="likely",
        needs_release=True,
        example=Example(
            "INFO [ZooKeeperClient] Session expired. (ZooKeeperClient)\n"
            "WARN Unable to reconnect to ZooKeeper service, session 0x100000cb8a10002 has expired (ClientCnxn)",
            "traces/public logs",
        ),
    ),
    KnownIssue(
        key="KAFKA-7987",
        title="ZooKeeper client dies on a passing authentication failure",
        signature=(Sign(r"Auth failed\.", logger="ZooKeeperClient"),),
        roles="broker and controller; zookeeper mode",
        affected=(up_to("2.7"),),
        fixed_in=("2.8.0",),
        consequence="The session is not opened again, so the broker drops out until it is restarted.",
        heals="restart",
        advice="Restart the broker; look into Kerberos or JAAS for the reason.",
        look_alike="KAFKA-13461 on 2.8 to 3.0; a JAAS file without a section Client prints the same, and passes: the client is connected without SASL",
        source="JIRA KAFKA-7987; PR 7751",
        confidence="sure",
        needs_more=True,
        example=Example("ERROR [ZooKeeperClient] Auth failed. (ZooKeeperClient)"),
    ),
    KnownIssue(
        key="KAFKA-13461",
        title="Controller stops working after an authentication failure of its ZooKeeper client",
        signature=(Sign(r"Auth failed\.", logger="ZooKeeperClient"),),
        roles="controller; zookeeper mode",
        affected=(only("2.8"), only("3.0.0")),
        fixed_in=("3.0.1", "3.1.0"),
        consequence="The controller resigns but keeps its node, so no broker is elected: no leader changes, no topic changes.",
        heals="restart of the broker that holds /controller",
        advice="Restart that broker (or remove /controller after a look at its owner). Add a Client section to JAAS or switch ZooKeeper SASL off.",
        look_alike="KAFKA-7987 up to 2.7; a JAAS file without a section Client prints the same, and passes. In 3.1 and later the line continues with initialized= and connectionState=",
        source="JIRA KAFKA-13461 (KAFKA-13407 may be the same); PR 11563",
        confidence="sure",
        needs_more=True,
        example=Example("ERROR [ZooKeeperClient] Auth failed. (ZooKeeperClient)"),
    ),
    KnownIssue(
        key="KAFKA-9267",
        title="An empty persistent /controller node blocks every election",
        signature=(Sign(r"NullPointerException[\s\S]*(ControllerZNode\$?\.decode|getControllerId)"),),
        roles="controller; zookeeper mode",
        affected=(up_to("2.4"),),
        fixed_in=("2.5.0",),
        consequence="No broker can become controller; the whole cluster stands without elections.",
        heals="manual",
        advice="Look at /controller in zookeeper-shell: ephemeralOwner 0 and no data means that ZkSecurityMigrator made it. Delete that one node; an election follows at once.",
        source="JIRA KAFKA-9267",
        confidence="sure",
        example=Example(
            "ERROR [Controller id=1] Error processing event Startup (kafka.controller.KafkaController)\n"
            "java.lang.NullPointerException\n"
            "\tat kafka.zk.ControllerZNode$.decode(ZkData.scala:54)\n"
            "\tat kafka.zk.KafkaZkClient.getControllerId(KafkaZkClient.scala:1042)"
        ),
    ),
    KnownIssue(
        key="KAFKA-14887",
        title="Expired session during a feature change shuts the broker down",
        signature=(
            Sign(
                r"Failed to process feature ZK node change event\. The broker will eventually exit\.",
                logger="FinalizedFeatureChangeListener",
            ),
        ),
        roles="broker; zookeeper mode",
        affected=(between("2.7.0", "3.4.0"),),
        fixed_in=("3.4.1", "3.5.0"),
        consequence="The broker ends itself after a plain ZooKeeper expiry.",
        heals="restart",
        advice="Start it again; look for the cause of the session loss (GC, network). Several brokers can fall at once.",
        look_alike="In 3.5 and later only a real feature mismatch prints it: then the binary is too old",
        source="JIRA KAFKA-14887",
        confidence="sure",
        example=Example(
            "ERROR [ReplicaFetcherThread-0-2]: Failed to process feature ZK node change event. The broker will eventually exit. (FinalizedFeatureChangeListener$ChangeNotificationProcessorThread)"
        ),
    ),
    KnownIssue(
        key="KAFKA-10314",
        title="Reassignment to a broker with one failed disk cannot create the replica",
        signature=(Sign(r"Can not create log for \S+ because log directories .* are offline", logger="LogManager"),),
        roles="broker; zookeeper mode",
        affected=(up_to("2.6"),),
        fixed_in=("2.7.0",),
        consequence="The new replica is not made, so the reassignment hangs.",
        heals="manual: repair the disk, or upgrade",
        advice="Bring the directory back or cancel the reassignment. Old replicas are untouched.",
        look_alike="From 2.7 the same text protects a replica that may exist on the failed disk",
        source="JIRA KAFKA-10314; PR 9122",
        confidence="sure",
        example=Example(
            "ERROR [Broker id=2] Received LeaderAndIsrRequest with correlation id 5 from controller 1 epoch 4 failed (state.change.logger)\n"
            "WARN Can not create log for orders-3 because log directories /data/1 are offline (kafka.log.LogManager)"
        ),
    ),
    KnownIssue(
        key="controller-race-normal",
        title="Broker lost the race for controller (as designed)",
        signature=(
            Sign(
                r"Broker \d+ (was elected as controller instead of broker|has been elected as the controller, so stopping the election process)",
                logger="KafkaController",
            ),
        ),
        roles="controller; zookeeper mode",
        consequence="None: all brokers try at start or failover, one wins.",
        heals="alone",
        advice="Nothing to do.",
        look_alike="Controller epoch rising every few minutes: then look at the sessions",
        source="KafkaController.scala",
        confidence="sure",
        example=Example(
            "DEBUG [Controller id=1] Broker 2 was elected as controller instead of broker 1 (KafkaController)",
            "traces/rolling-restart-zk-3.5.2",
        ),
    ),
    KnownIssue(
        key="broker-id-in-use",
        title="Broker refuses to start: its id is still registered",
        signature=(
            Sign(
                r"A broker is already registered on the path /brokers/ids/\d+|Error while creating ephemeral at /brokers/ids/\d+, node already exists"
            ),
        ),
        roles="broker; zookeeper mode",
        consequence="The start ends; the registered owner, if any, is not harmed.",
        heals="alone after the session timeout",
        advice="Wait zookeeper.session.timeout.ms and start again. If it goes on, look in the node for host and port: another broker uses the id. Delete the node only if its process is gone.",
        look_alike="KAFKA-7165 (running broker, after a session loss)",
        source="ZkUtils.scala",
        confidence="sure",
        example=Example(
            "ERROR Error while creating ephemeral at /brokers/ids/2, node already exists and owner 'ephemeral-owner' does not match current session '0x100000790ce0001' (KafkaZkClient$CheckedEphemeral)"
        ),
    ),
    KnownIssue(
        key="broker-without-metadata",
        title="Broker answers as if the cluster had no brokers",
        signature=(Sign(r"[Rr]eplication factor: \d+ larger than available brokers: 0"),),
        roles="broker; zookeeper mode",
        affected=(only("2.8"),),
        note="seen on 2.8 (6.2.0-ccs)",
        consequence="Its metadata cache is empty: the controller has not reached it; clients of this broker get errors.",
        heals="controller move",
        advice="Look whether the active controller has a connection to this broker; move the controller. Do not change topics.",
        look_alike="Number above 0: too few brokers for the factor (replication-factor-too-high)",
        source="AdminUtils.scala",
        confidence="likely",
        tells_more=True,
        example=Example(
            "ERROR [KafkaApi-1] Error when handling request (kafka.server.KafkaApis)\n"
            "org.apache.kafka.common.errors.InvalidReplicationFactorException: Replication factor: 3 larger than available brokers: 0."
        ),
    ),
    KnownIssue(
        key="zookeeper-unreachable",
        title="Broker cannot reach ZooKeeper",
        signature=(
            Sign(
                r"Timed out waiting for connection while in state: CONNECTING|Socket error occurred: \S+: Connection refused|KeeperErrorCode = ConnectionLoss"
            ),
        ),
        roles="broker; zookeeper mode",
        consequence="The broker does not start, or waits in its shutdown; data are not touched.",
        heals="alone when ZooKeeper is back (a start must be repeated)",
        advice="Check zookeeper.connect (port, chroot), that the ensemble has a quorum, TLS and firewall. Start ZooKeeper before Kafka.",
        source="public logs",
        confidence="sure",
        example=Example(
            "ERROR Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\n"
            "kafka.zookeeper.ZooKeeperClientTimeoutException: Timed out waiting for connection while in state: CONNECTING",
            "a public log of 2.8",
        ),
    ),
    KnownIssue(
        key="process-stalled",
        title="Host or JVM stood still: all sessions expire at once",
        signature=(Sign(r"Client session timed out, have not heard from server in ([6-9]\d{4}|\d{6,})ms"),),
        roles="broker; zookeeper mode",
        consequence="Brokers lose their sessions and leaders move; a broker that did not notice may have taken acks=1 records that are cut later.",
        heals="alone",
        advice="Look for the gap in every log of the host: laptop sleep, VM pause, swapping, GC. Raise the session timeout only after that.",
        look_alike="ZooKeeper itself slow: then brokers on all hosts print it at the same second",
        source="public logs",
        confidence="sure",
        tells_more=True,
        example=Example(
            "WARN Client session timed out, have not heard from server in 734112ms for sessionid 0x100a3b2c0000 (org.apache.zookeeper.ClientCnxn)",
            "a public log of 2.1",
        ),
    ),
    KnownIssue(
        key="zookeeper-http-probe",
        title="Something speaks HTTP or TLS to the ZooKeeper port",
        signature=(Sign(r"Len error (1195725856|1347375956|1414541105|-?\d{6,})"),),
        roles="zookeeper",
        consequence='None: ZooKeeper drops the connection (1195725856 is "GET ").',
        heals="alone",
        advice="Find the health check or scanner. If the number is small and the peer is a broker: data above jute.maxbuffer.",
        look_alike="Very large znode: broker loses the session again and again",
        source="public logs",
        confidence="sure",
        example=Example(
            "WARN Exception causing close of session 0x0: Len error 1195725856 (org.apache.zookeeper.server.NIOServerCnxn)",
            "a public log of 3.4",
        ),
    ),
    KnownIssue(
        key="KAFKA-5232",
        title="Start fails on a half-deleted topic with a dot in its name",
        signature=(Sign(r"Found directory \S+\.\S+-delete, '\S+' is not in the form of"),),
        roles="broker; zookeeper mode",
        affected=(up_to("0.10.2.1"),),
        fixed_in=("0.10.2.2", "0.11.0.0"),
        consequence="The broker does not start.",
        heals="manual",
        advice="Remove the named -delete directory: its topic was deleted. Upgrade.",
        look_alike="foreign-directory",
        source="JIRA KAFKA-5232",
        confidence="likely",
        example=Example(
            "ERROR There was an error in one of the threads during logs loading: org.apache.kafka.common.KafkaException: Found directory /data/my.topic-0.47a79ae91f544d4f91eb32a3c40d2b2d-delete, 'my.topic-0.47a79ae91f544d4f91eb32a3c40d2b2d-delete' is not in the form of topic-partition or topic-partition.uniqueId-delete (kafka.log.LogManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-1758",
        title="Zeroed recovery point file prevents the start",
        signature=(
            Sign(r'NumberFormatException: For input string: "(\x00|\^@)'),
            Sign(r"OffsetCheckpoint\.read", same=True),
        ),
        roles="broker; zookeeper mode",
        affected=(up_to("0.8.2"),),
        fixed_in=("0.9.0.0",),
        consequence="The broker does not start after a power loss.",
        heals="manual",
        advice="Move recovery-point-offset-checkpoint away; all logs are checked at the next start.",
        look_alike="checkpoint-file-damaged",
        source="JIRA KAFKA-1758",
        confidence="sure",
        example=Example(
            "FATAL Fatal error during KafkaServerStartable startup. Prepare to shutdown (kafka.server.KafkaServerStartable)\n"
            'java.lang.NumberFormatException: For input string: "^@^@^@^@"\n'
            "\tat java.lang.NumberFormatException.forInputString(NumberFormatException.java:65)\n"
            "\tat kafka.server.OffsetCheckpoint.read(OffsetCheckpoint.scala:79)"
        ),
    ),
    KnownIssue(
        key="KAFKA-509",
        title="High watermark file cannot be parsed, no partition becomes leader",
        signature=(Sign(r"HighwaterMarkCheckpoint"), Sign(r"StringIndexOutOfBoundsException", same=True)),
        roles="broker; zookeeper mode",
        affected=(),
        fixed_in=("0.8.0",),
        consequence="All leader requests of the broker fail.",
        heals="manual",
        advice="With other replicas in sync: remove the high watermark file of the stopped broker (copy it first).",
        look_alike="checkpoint-file-damaged",
        source="JIRA KAFKA-509",
        confidence="sure",
        example=Example(
            "ERROR Replica Manager on Broker 0: Error processing leaderAndISR request (kafka.server.ReplicaManager)\n"
            "java.lang.StringIndexOutOfBoundsException: String index out of range: -1\n"
            "\tat kafka.server.HighwaterMarkCheckpoint$$anonfun$1.apply(HighwaterMarkCheckpoint.scala:103)",
            "JIRA KAFKA-509",
        ),
    ),
    KnownIssue(
        key="KAFKA-3894",
        title="Cleaner dies: segment spans more offsets than its map holds",
        signature=(Sign(r"requirement failed: \d+ messages in segment \S+ but offset map can fit only \d+"),),
        roles="broker; zookeeper mode",
        affected=(up_to("0.10.0"),),
        fixed_in=("0.10.1.0",),
        consequence="No compacted topic of the broker is cleaned any more.",
        heals="upgrade; raising log.cleaner.dedupe.buffer.size can help",
        advice="The number is the distance of offsets, not a count. Raise the buffer or upgrade; do not remove segment 0 of __consumer_offsets (it holds committed offsets).",
        source="JIRA KAFKA-3894",
        confidence="sure",
        example=Example(
            "ERROR [kafka-log-cleaner-thread-0], Error due to  (kafka.log.LogCleaner)\n"
            "java.lang.IllegalArgumentException: requirement failed: 9750860 messages in segment orders-3/00000000000000000000.log but offset map can fit only 5033164. You can increase log.cleaner.dedupe.buffer.size or decrease log.cleaner.threads",
            "JIRA KAFKA-3894",
        ),
    ),
    KnownIssue(
        key="KAFKA-5413",
        title="Cleaner joins segments too far apart, relative offset overflows",
        signature=(
            Sign(r"largest offset in message set can not be safely converted to relative offset"),
            Sign(r"LogCleaner|Cleaner", same=True),
        ),
        roles="broker; zookeeper mode",
        affected=(up_to("0.10.2.1"),),
        fixed_in=("0.10.2.2", "0.11.0.0"),
        consequence="The cleaner thread ends.",
        heals="upgrade",
        advice="Upgrade; segments that overflow already need 2.0 (KAFKA-6264), which splits them.",
        look_alike="KAFKA-6264; KAFKA-4451 (replica fetcher)",
        source="JIRA KAFKA-5413",
        confidence="sure",
        example=Example(
            "ERROR [kafka-log-cleaner-thread-0], Error due to  (kafka.log.LogCleaner)\n"
            "java.lang.IllegalArgumentException: requirement failed: largest offset in message set can not be safely converted to relative offset.\n"
            "\tat kafka.log.LogSegment.append(LogSegment.scala:121)\n"
            "\tat kafka.log.Cleaner.cleanInto(LogCleaner.scala:551)"
        ),
    ),
    KnownIssue(
        key="KAFKA-4451",
        title="Follower of a strongly compacted topic overflows its index",
        signature=(
            Sign(r"largest offset in message set can not be safely converted to relative offset"),
            Sign(r"ReplicaFetcher", same=True),
        ),
        roles="broker; zookeeper mode",
        affected=(up_to("0.10.1"),),
        fixed_in=("0.10.2.0",),
        consequence="The replica fetcher stops; the new replica cannot be filled.",
        heals="upgrade",
        advice="Upgrade the follower; do not drop the old replica.",
        look_alike="KAFKA-5413 (cleaner); KAFKA-6264 (an old segment, in the cleaner or at load)",
        source="JIRA KAFKA-4451",
        confidence="likely",
        example=Example(
            "ERROR [ReplicaFetcherThread-0-1], Error due to  (kafka.server.ReplicaFetcherThread)\n"
            "kafka.common.KafkaException: error processing data for partition [__consumer_offsets,39] offset 3219990262\n"
            "Caused by: java.lang.IllegalArgumentException: requirement failed: largest offset in message set can not be safely converted to relative offset."
        ),
    ),
    KnownIssue(
        key="KAFKA-2024",
        title="Cleaner made a segment whose index cannot be valid",
        signature=(
            Sign(
                r"Corrupt index found, index file \(\S+\) has non-zero size but the last offset is -\d+ and the base offset is"
            ),
        ),
        roles="broker; zookeeper mode",
        affected=(up_to("0.8.2"),),
        fixed_in=("0.9.0.0",),
        consequence="The broker does not start; the negative offset is an overflow.",
        heals="manual",
        advice="Remove the named .index file: it is rebuilt from the log. Upgrade before compacting again.",
        look_alike="Positive last offset: index of an unclean stop, rebuilt by itself in later releases",
        source="JIRA KAFKA-2024",
        confidence="sure",
        example=Example(
            "FATAL Fatal error during KafkaServerStartable startup. Prepare to shutdown (kafka.server.KafkaServerStartable)\n"
            "java.lang.IllegalArgumentException: requirement failed: Corrupt index found, index file (/data/orders-3/00000000000000000000.index) has non-zero size but the last offset is -1 and the base offset is 0",
            "JIRA KAFKA-2024",
        ),
    ),
    KnownIssue(
        key="KAFKA-2118",
        title="Cleaner stopped between swap and deletion, offsets overlap",
        signature=(
            Sign(r"Attempt to append an offset \(\d+\) to position \d+ no larger than the last offset appended"),
            Sign(r"kafka-log-cleaner-thread", same=True),
        ),
        roles="broker; zookeeper mode",
        affected=(up_to("0.8.2"),),
        fixed_in=("0.9.0.0",),
        consequence="The cleaner thread ends at the overlapping segments.",
        heals="upgrade",
        advice="Upgrade; let the replica be copied anew if it stays.",
        look_alike="KAFKA-4497",
        source="JIRA KAFKA-2118",
        confidence="sure",
        example=Example(
            "ERROR [kafka-log-cleaner-thread-0], Error due to  (kafka.log.LogCleaner)\n"
            "kafka.common.InvalidOffsetException: Attempt to append an offset (1189234) to position 10 no larger than the last offset appended (2189234) to /data/orders-3/00000000000000000000.index.cleaned."
        ),
    ),
    KnownIssue(
        key="KAFKA-4497",
        title="Cleaner writes a wrong entry into the time index and dies",
        signature=(
            Sign(
                r"Attempt to append an offset \(-?\d+\) to slot \d+ no larger than the last offset appended \(-?\d+\) to \S+\.timeindex\.cleaned"
            ),
        ),
        roles="broker; zookeeper mode",
        affected=(only("0.10.1.0"),),
        fixed_in=("0.10.1.1",),
        consequence="No compaction on this broker until a restart.",
        heals="upgrade",
        advice="Upgrade to 0.10.1.1 or later, then restart.",
        look_alike="KAFKA-19407 (without .cleaned)",
        source="JIRA KAFKA-4497",
        confidence="sure",
        example=Example(
            "ERROR [kafka-log-cleaner-thread-0], Error due to  (kafka.log.LogCleaner)\n"
            "kafka.common.InvalidOffsetException: Attempt to append an offset (-1) to slot 9 no larger than the last offset appended (11832) to /data/__consumer_offsets-21/00000000000000000000.timeindex.cleaned."
        ),
    ),
    KnownIssue(
        key="KAFKA-6194",
        title="Deletion of a segment whose file is gone takes the broker down",
        signature=(Sign(r"Delete of (log|index|time index) \S+ failed|Delete failed for"),),
        roles="broker; zookeeper mode",
        affected=(only("1.0"),),
        fixed_in=("1.1.0",),
        note="KAFKA-6324",
        consequence="The directory is marked as failed though nothing is wrong with the disk.",
        heals="restart",
        advice="Restart; upgrade.",
        look_alike="log-dir-in-tmp",
        source="JIRA KAFKA-6194, KAFKA-6324",
        confidence="likely",
        example=Example(
            "ERROR Error while processing IOException (kafka.server.LogDirFailureChannel)\n"
            "java.io.IOException: Delete of log 00000000000000000000.log.deleted failed."
        ),
    ),
    KnownIssue(
        key="KAFKA-4576",
        title="Read of a segment close to its maximum size fails",
        signature=(Sign(r"Failed to read complete buffer for targetOffset"),),
        roles="broker; zookeeper mode",
        affected=(up_to("0.10.1"),),
        fixed_in=("0.10.2.0",),
        consequence="Fetches at that offset fail; records are intact.",
        heals="upgrade",
        advice="Upgrade; use a segment.bytes below the limit.",
        look_alike="KAFKA-6292",
        source="JIRA KAFKA-4576",
        confidence="sure",
        example=Example(
            "ERROR [KafkaApi-2] Error when handling request Name: FetchRequest; Version: 2; CorrelationId: 110 (kafka.server.KafkaApis)\n"
            "java.lang.IllegalStateException: Failed to read complete buffer for targetOffset 241973 startPosition 188480 in /data/orders-3/00000000000000000000.log"
        ),
    ),
    KnownIssue(
        key="KAFKA-5747",
        title="Empty producer snapshot file stops the start",
        signature=(
            Sign(r"SchemaException: Error reading field 'version'|Snapshot failed schema validation"),
            Sign(r"ProducerStateManager|\.snapshot", same=True),
        ),
        roles="broker; zookeeper mode",
        affected=(only("0.11.0.0"),),
        fixed_in=("0.11.0.1", "1.0.0"),
        consequence="The broker does not start after a crash.",
        heals="manual",
        advice="Remove the empty .snapshot files (length 0); upgrade.",
        look_alike='In later releases a WARN "Failed to load producer snapshot" is harmless',
        source="JIRA KAFKA-5747",
        confidence="likely",
        example=Example(
            "FATAL [Kafka Server 1], Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\n"
            "org.apache.kafka.common.protocol.types.SchemaException: Error reading field 'version': java.nio.BufferUnderflowException\n"
            "\tat kafka.log.ProducerStateManager$.readSnapshot(ProducerStateManager.scala:328)"
        ),
    ),
    KnownIssue(
        key="KAFKA-1641",
        title="Cleaner ends because its last clean offset lies before the begin of the log",
        signature=(Sign(r"requirement failed: Last clean offset is \d+ but segment base offset is \d+ for log"),),
        roles="broker; zookeeper mode",
        affected=(up_to("0.8.2.2"),),
        fixed_in=("0.9.0.0",),
        consequence="The cleaner thread ends: nothing compacted is cleaned on this broker any more.",
        heals="upgrade",
        advice="Stop the broker, take the line of that partition out of cleaner-offset-checkpoint (keep a copy), start again; upgrade.",
        source="JIRA KAFKA-1641; LogCleanerManager in 0.8.2.2 and 0.9.0.0",
        confidence="sure",
        example=Example(
            "ERROR [kafka-log-cleaner-thread-0], Error due to  (kafka.log.LogCleaner)\n"
            "java.lang.IllegalArgumentException: requirement failed: Last clean offset is 54770438 but segment base offset is 382844024 for log orders-3."
        ),
    ),
    KnownIssue(
        key="KAFKA-5431",
        title="Cleaner with preallocate leaves zeroes at the end of segments",
        signature=(
            Sign(r"CorruptRecordException"),
            Sign(
                r"Record size is smaller than minimum record overhead|less than the minimum record overhead", same=True
            ),
        ),
        roles="broker; zookeeper mode",
        affected=(up_to("0.11.0.0"),),
        fixed_in=("0.11.0.1", "1.0.0"),
        note="with log.preallocate=true",
        consequence="The cleaner ends or readers find a record of size 0.",
        heals="upgrade",
        advice="Switch preallocate off and upgrade; let the replica be copied anew.",
        look_alike="A torn write after power loss",
        source="JIRA KAFKA-5431",
        confidence="likely",
        example=Example(
            "ERROR [ReplicaFetcherThread-0-1]: Error due to (kafka.server.ReplicaFetcherThread)\n"
            "org.apache.kafka.common.errors.CorruptRecordException: Record size is smaller than minimum record overhead (14)."
        ),
    ),
    KnownIssue(
        key="KAFKA-695",
        title="Closed segment is read and flushed, broker ends itself",
        signature=(Sign(r"java\.nio\.channels\.ClosedChannelException"), Sign(r"FileMessageSet", same=True)),
        roles="broker; zookeeper mode",
        affected=(),
        fixed_in=("0.8.0",),
        consequence="The broker halts though disk and network are sound.",
        heals="restart",
        advice="Restart; upgrade.",
        source="JIRA KAFKA-695",
        confidence="sure",
        example=Example(
            "ERROR [KafkaApi-1] error when handling request Name: FetchRequest (kafka.server.KafkaApis)\n"
            "java.nio.channels.ClosedChannelException\n"
            "\tat sun.nio.ch.FileChannelImpl.ensureOpen(FileChannelImpl.java:88)\n"
            "\tat kafka.log.FileMessageSet.searchFor(FileMessageSet.scala:121)"
        ),
    ),
    KnownIssue(
        key="KAFKA-8069",
        title="Offsets expire at once when the coordinator loads them (old protocol version)",
        signature=(
            Sign(r"Removed [1-9]\d* expired offsets in \d+ milliseconds", logger="GroupMetadataManager"),
            Sign(r"inter\.broker\.protocol\.version = (0\.|1\.|2\.0)", logger="KafkaConfig"),
        ),
        roles="broker; zookeeper mode",
        affected=(between("2.1.0", "2.1.1"),),
        fixed_in=("2.2.0",),
        consequence="A restart or leader move of __consumer_offsets deletes live offsets; groups start anew.",
        heals="manual",
        advice="Raise inter.broker.protocol.version to 2.1 (ends it at once) or upgrade; set the positions again.",
        look_alike="KAFKA-13636",
        source="JIRA KAFKA-8069; PR 6401",
        confidence="likely",
        example=Example(
            "INFO KafkaConfig values: \n"
            "\tinter.broker.protocol.version = 2.0-IV1\n"
            " (kafka.server.KafkaConfig)\n"
            "INFO [GroupMetadataManager brokerId=1] Removed 18 expired offsets in 3 milliseconds. (kafka.coordinator.group.GroupMetadataManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-4704",
        title="Group state cannot be loaded: group id reused for plain offsets",
        signature=(Sign(r"Error loading offsets from \S+"), Sign(r"Unexpected unload of", same=True)),
        roles="broker; zookeeper mode",
        affected=(up_to("0.10.1"),),
        fixed_in=("0.10.2.0",),
        consequence="All groups of that __consumer_offsets partition fall back to no offsets on this broker.",
        heals="upgrade",
        advice="Move the leader to a 0.10.2 broker. Do not let the consumers commit meanwhile: stop them.",
        source="JIRA KAFKA-4704",
        confidence="sure",
        example=Example(
            "WARN Error loading offsets from [__consumer_offsets,17] (kafka.coordinator.GroupMetadataManager)\n"
            "java.lang.IllegalStateException: Unexpected unload of active group orders-readers while loading partition [__consumer_offsets,17]"
        ),
    ),
    KnownIssue(
        key="KAFKA-9307",
        title="Transaction coordinator refuses to load a partition it never unloaded",
        signature=(Sign(r"The metadata cache for txn partition \d+ has already exist with epoch \d+"),),
        roles="broker; zookeeper mode",
        affected=(up_to("2.4.0"),),
        fixed_in=("2.4.1", "2.5.0"),
        consequence="After a ZooKeeper session loss all transactional ids of that partition are stuck.",
        heals="restart of the coordinator",
        advice="Restart the broker that printed it; upgrade. Open transactions are aborted by timeout then.",
        source="JIRA KAFKA-9307; PR 7840",
        confidence="sure",
        example=Example(
            "ERROR [TransactionCoordinator id=1] Error loading transactions (kafka.coordinator.transaction.TransactionStateManager)\n"
            "java.lang.IllegalStateException: The metadata cache for txn partition 30 has already exist with epoch 10 and 4 entries while trying to add to it; this should not happen"
        ),
    ),
    KnownIssue(
        key="KAFKA-7519",
        title="Transactional id untouchable after a failed expiration",
        signature=(Sign(r"[Ff]ailed to remove expired transactionalId"),),
        roles="broker; zookeeper mode",
        affected=(up_to("2.0.0"),),
        fixed_in=("2.0.1", "2.1.0"),
        consequence="The id answers CONCURRENT_TRANSACTIONS for ever.",
        heals="restart or leader move of the __transaction_state partition",
        advice="Move the leader of that partition; upgrade.",
        look_alike="From 2.0.1 the WARN is followed by a retry. Before that it is DEBUG. KAFKA-13099: the error code is MESSAGE_TOO_LARGE",
        source="JIRA KAFKA-7519; PR 5820",
        confidence="likely",
        example=Example(
            "WARN Failed to remove expired transactionalId: 7 from cache. Tombstone append error code: error, pendingState: pending-state, producerEpoch: 7, expected producerEpoch: 7, coordinatorEpoch: 7, expected coordinatorEpoch: 7 (TransactionStateManager)"
        ),
        needs_release=True,
    ),
    KnownIssue(
        key="KAFKA-664",
        title="Broker of 0.8 allocates what requests claim, heap runs out",
        signature=(Sign(r"OOME with size \d+", logger="BoundedByteBufferReceive"),),
        roles="broker; zookeeper mode",
        affected=(),
        fixed_in=("0.8.0",),
        note="checks of size came later",
        consequence="Acceptor, processor and handler threads die; the process lives on without working.",
        heals="restart",
        advice="Restart; find the sender of the huge requests (wrong port, not Kafka traffic).",
        look_alike="http-or-tls-on-plain-port in later releases",
        source="JIRA KAFKA-664",
        confidence="sure",
        example=Example(
            "ERROR OOME with size 1700161893 (kafka.network.BoundedByteBufferReceive)\n"
            "java.lang.OutOfMemoryError: Java heap space",
            "JIRA KAFKA-664",
        ),
    ),
    KnownIssue(
        key="KAFKA-2115",
        title="Metrics code does not know two request types and closes the connection",
        signature=(Sign(r"KafkaException: Wrong request type 1[12]\b"),),
        roles="broker; zookeeper mode",
        affected=(),
        fixed_in=("0.9.0.0",),
        note="on trunk",
        consequence="The client loses its connection after the group request was handled.",
        heals="upgrade",
        advice="Use a release.",
        look_alike="Other numbers: a client newer than the broker",
        source="JIRA KAFKA-2115",
        confidence="sure",
        example=Example(
            "ERROR Closing socket for /10.0.0.7 because of error (kafka.network.Processor)\n"
            "kafka.common.KafkaException: Wrong request type 12\n"
            "\tat kafka.api.RequestKeys$.nameForKey(RequestKeys.scala:55)",
            "JIRA KAFKA-2115",
        ),
    ),
    KnownIssue(
        key="KAFKA-3547",
        title="Unknown request type from a newer client upsets the network thread (0.9)",
        signature=(
            Sign(r"Processor got uncaught exception\.", logger="Processor"),
            Sign(r"ArrayIndexOutOfBoundsException: 1[78]\b", same=True),
        ),
        roles="broker; zookeeper mode",
        affected=(up_to("0.9.0.1"),),
        fixed_in=("0.10.0.0",),
        note="with KAFKA-3341",
        consequence="Other requests read in the same turn are lost, those between brokers too: writes stall, ISRs shrink.",
        heals="alone when the client goes; upgrade",
        advice="Find the client that is newer than the broker (ApiVersions = 18) and stop it or set its api version; upgrade the brokers.",
        source="JIRA KAFKA-3547",
        confidence="likely",
        example=Example(
            "ERROR Processor got uncaught exception. (kafka.network.Processor)\n"
            "java.lang.ArrayIndexOutOfBoundsException: 18\n"
            "\tat org.apache.kafka.common.protocol.ApiKeys.forId(ApiKeys.java:68)",
            "a public log of 0.9",
        ),
    ),
    KnownIssue(
        key="connection-count-zero",
        title="Connection counting of 0.9 goes wrong, the network thread fails each turn",
        signature=(Sign(r"Attempted to decrease connection count for address with no connections"),),
        roles="broker; zookeeper mode",
        affected=(only("0.9.0.1"),),
        note="seen on 0.9.0.1",
        consequence="The processor fails again and again; its clients are not served and the log grows.",
        heals="restart helps for a while",
        advice="Restart the broker; upgrade.",
        source="SocketServer.scala",
        confidence="likely",
        example=Example(
            "ERROR Processor got uncaught exception. (kafka.network.Processor)\n"
            "java.lang.IllegalArgumentException: Attempted to decrease connection count for address with no connections, address: /10.0.0.7"
        ),
    ),
    KnownIssue(
        key="KAFKA-6982",
        title="Acceptor divides by zero while the broker starts",
        signature=(
            Sign(r"Error while accepting connection", logger="Acceptor"),
            Sign(r"java\.lang\.ArithmeticException: / by zero", same=True),
        ),
        roles="broker; zookeeper mode",
        affected=(only("1.1.0"),),
        fixed_in=("1.1.1",),
        consequence="Connections of the first seconds are refused; it ends when the processors exist.",
        heals="alone after the start; restart if it goes on",
        advice="Upgrade. The index lines next to it are another, harmless matter.",
        source="JIRA KAFKA-6982",
        confidence="sure",
        example=Example(
            "ERROR Error while accepting connection (kafka.network.Acceptor)\n"
            "java.lang.ArithmeticException: / by zero\n"
            "\tat kafka.network.Acceptor.run(SocketServer.scala:354)",
            "JIRA KAFKA-6982",
        ),
    ),
    KnownIssue(
        key="KAFKA-2614",
        title="Address stays refused after its connection limit was reached once",
        signature=(
            Sign(
                r"Too many connections from /?\S+ \(maximum = \d+\)|Rejected connection from \S+ address already has the configured maximum of \d+ connections"
            ),
        ),
        roles="broker; zookeeper mode",
        affected=(up_to("0.8.2"),),
        fixed_in=("0.9.0.0",),
        consequence="The counter is not lowered: the address stays refused.",
        heals="restart",
        advice="Restart the broker; upgrade.",
        look_alike="From 0.9: connection-limit-per-ip, by design",
        source="JIRA KAFKA-2614",
        confidence="likely",
        needs_release=True,
        example=Example(
            "WARN Rejected connection from /10.0.0.7 address already has the configured maximum of 100 connections. (kafka.network.Acceptor)"
        ),
    ),
    KnownIssue(
        key="KAFKA-16369",
        title="ZooKeeper-mode broker stays up although its port could not be bound",
        signature=(
            Sign(r"Unable to start acceptor for"),
            Sign(r"Socket server failed to bind to \S+: Address already in use"),
        ),
        roles="broker; zookeeper mode",
        affected=(between("3.5.0", "3.6.1"), only("3.7.0")),
        fixed_in=("3.6.2", "3.7.1", "3.8.0"),
        consequence="The broker is registered but nobody can connect.",
        heals="manual",
        advice="Stop it, free the port, start again.",
        look_alike="In KRaft or fixed releases the broker ends",
        source="PR 15530",
        confidence="sure",
        example=Example(
            "ERROR Unable to start acceptor for ListenerName(PLAINTEXT) (kafka.network.DataPlaneAcceptor)\n"
            "org.apache.kafka.common.KafkaException: Socket server failed to bind to 0.0.0.0:9092: Address already in use."
        ),
    ),
    KnownIssue(
        key="KAFKA-4428",
        title="Broker hangs instead of ending when its port is taken",
        signature=(Sign(r"Socket server failed to bind to \S+: Address already in use"),),
        roles="broker; zookeeper mode",
        affected=(up_to("0.10.1"),),
        fixed_in=("0.10.2.0",),
        consequence="The process stays without serving.",
        heals="manual: kill",
        advice="Kill the second process; the first one holds the port.",
        look_alike="port-in-use in later releases",
        source="JIRA KAFKA-4428",
        confidence="likely",
        example=Example(
            "FATAL [Kafka Server 1], Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\n"
            "kafka.common.KafkaException: Socket server failed to bind to 0.0.0.0:9092: Address already in use."
        ),
        needs_release=True,
    ),
    KnownIssue(
        key="same-advertised-host",
        title="Two brokers announce the same address",
        signature=(Sign(r"Should not set log end offset on partition \S+'s local replica \d+"),),
        roles="broker; zookeeper mode",
        affected=(up_to("2.1"),),
        note="later checks refuse it; KAFKA-6394; 2.x refuse duplicate end points at start",
        consequence="A follower fetches from itself; the real leader is never asked; ISRs do not grow.",
        heals="manual",
        advice="Give each broker its own advertised.listeners. Data are not damaged.",
        source="Replica.scala",
        confidence="sure",
        tells_more=True,
        example=Example(
            "ERROR [ReplicaManager broker=1] Error processing fetch operation on partition orders-3 (kafka.server.ReplicaManager)\n"
            "org.apache.kafka.common.KafkaException: Should not set log end offset on partition orders-3's local replica 1"
        ),
    ),
    KnownIssue(
        key="duplicate-end-point",
        title="End point is already registered by another broker",
        signature=(Sign(r"Configured end points \S+ in advertised listeners are already registered by broker \d+"),),
        roles="broker; zookeeper mode",
        affected=(since("2.0.0"),),
        note="KAFKA-6394",
        consequence="The start ends.",
        heals="manual",
        advice="Change advertised.listeners; or wait until the old registration of a renamed broker has expired.",
        source="KafkaServer.scala",
        confidence="sure",
        example=Example(
            "FATAL [KafkaServer id=2] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\n"
            "java.lang.IllegalArgumentException: requirement failed: Configured end points kafka1:9092 in advertised listeners are already registered by broker 1"
        ),
    ),
    KnownIssue(
        key="ibp-left-behind",
        title="Inter-broker protocol older than the binary",
        signature=(
            Sign(r"inter\.broker\.protocol\.version = (?P<ibp>\d+\.\d+)", logger="KafkaConfig"),
            Sign(r"Kafka version: (?!{ibp}[.-])\d+\.\d+\.\d+(?!\S*-c)", logger="AppInfoParser"),
        ),
        roles="broker; zookeeper mode",
        consequence="Fixes that need the newer protocol do not work (leader epochs, AlterPartition); see KAFKA-8069.",
        heals="manual",
        advice="Compare the two values on all brokers; raise it in a rolling restart when all run the new binary. It cannot be lowered safely.",
        look_alike="The middle of an upgrade: then it is right",
        source="docs/upgrade.html",
        confidence="sure",
        tells_more=True,
        example=Example(
            "INFO KafkaConfig values: \n"
            "\tinter.broker.protocol.version = 2.3-IV1\n"
            " (kafka.server.KafkaConfig)\n"
            "INFO Kafka version: 2.8.2 (org.apache.kafka.common.utils.AppInfoParser)"
        ),
    ),
    KnownIssue(
        key="zk-edited-by-hand",
        title="Metadata were edited in ZooKeeper by hand, brokers disagree",
        signature=(
            Sign(r"While recording the replica LEO, the partition \S+ hasn't been created", logger="ReplicaManager"),
            Sign(r"Error for partition \S+ to broker \d+:\S*UnknownTopicOrPartitionException"),
        ),
        roles="broker; zookeeper mode",
        affected=(between("0.9", "0.10"),),
        consequence="Followers ask brokers that do not host the partition; logs fill.",
        heals="controller move, then rolling restart",
        advice="Let a new controller be elected; then restart brokers one by one. Do not delete partitions in ZooKeeper; use reassignment.",
        look_alike="Topic being deleted: a few lines only",
        source="public logs",
        confidence="sure",
        example=Example(
            "WARN [Replica Manager on Broker 1]: While recording the replica LEO, the partition orders-3 hasn't been created. (kafka.server.ReplicaManager)\n"
            "ERROR [ReplicaFetcherThread-0-1], Error for partition [orders,3] to broker 1:org.apache.kafka.common.errors.UnknownTopicOrPartitionException: This server does not host this topic-partition. (kafka.server.ReplicaFetcherThread)",
            "a public log of 0.10",
        ),
    ),
    KnownIssue(
        key="controlled-shutdown-failed",
        title="Controlled shutdown gave up, broker stops hard",
        signature=(
            Sign(
                r"Proceeding to do an unclean shutdown as all the controlled shutdown attempts failed",
                logger="KafkaServer",
            ),
        ),
        roles="broker; zookeeper mode",
        affected=(up_to("3.9"),),
        consequence="Leaders of this broker move only after its session ends; logs are still closed well if the process goes on to its end.",
        heals="alone",
        advice="Look for the reason in the lines before (Remaining partitions to move, controller not reachable). Partitions with no other in-sync replica cannot move: wait for their followers first.",
        source="KafkaServer.scala",
        confidence="sure",
        example=Example(
            "WARN [Kafka Server 2], Proceeding to do an unclean shutdown as all the controlled shutdown attempts failed (KafkaServer)"
        ),
    ),
    KnownIssue(
        key="controller-connects-too-early",
        title="Controller meets a starting broker that does not listen yet (harmless)",
        signature=(
            Sign(
                r"Controller \d+'s connection to broker \S+ \(id: \d+ rack: \S+\) was unsuccessful",
                logger="RequestSendThread",
            ),
        ),
        roles="controller; zookeeper mode",
        affected=(up_to("3.9"),),
        consequence='None if "connected to" follows within seconds.',
        heals="alone",
        advice="If it goes on: the broker announces an address that the controller cannot reach (advertised-localhost, listener-name-mismatch).",
        look_alike="Broker down; wrong advertised.listeners",
        source="ControllerChannelManager.scala",
        confidence="sure",
        example=Example(
            "WARN [RequestSendThread controllerId=1] Controller 1's connection to broker 10.77.0.11:9092 (id: 1 rack: null) was unsuccessful (RequestSendThread)",
            "traces/controller-ping-pong-zk-3.5.2",
        ),
    ),
    KnownIssue(
        key="session-expired-zk",
        title="ZooKeeper session expired: broker registers anew",
        signature=(
            Sign(
                r"Unable to reconnect to ZooKeeper service, session 0x[0-9a-f]+ has expired|zookeeper state changed \(Expired\)"
            ),
        ),
        roles="broker and controller; zookeeper mode",
        consequence="Leaders move away; until the broker notices it may still take acks=1 records that are cut later.",
        heals="alone",
        advice="Look for the pause before it (process-stalled), then at the load of ZooKeeper. Each expiry of the controller moves the controller.",
        source="public logs",
        confidence="sure",
        example=Example(
            "WARN Unable to reconnect to ZooKeeper service, session 0x100000cb8a10002 has expired (ClientCnxn)",
            "traces/zombie-leader-zk-2.8.2",
        ),
    ),
)
