"""Known bugs and situations of brokers in both modes. Sources: the issues, pull requests and classes named in each."""

from replay.knowledge.known_issue import KnownIssue, Sign
from replay.knowledge.meaning import Example
from replay.knowledge.releases import between, only, since, up_to

ISSUES: tuple[KnownIssue, ...] = (
    KnownIssue(
        key="KAFKA-7697",
        title="Request threads deadlock on two partition locks, broker hangs alive",
        signature=(
            Sign(r"was disconnected before the response was read", logger="ReplicaFetcherThread"),
            Sign(r"Shrinking ISR from [\d,]+ to \d+(?![\d,])", logger="Partition"),
        ),
        roles="broker; both modes",
        affected=(up_to("2.1.0"),),
        fixed_in=("2.1.1", "2.2.0"),
        note="reported for 2.1.0; since when it is there is not known",
        consequence="All request handlers wait for one another; clients and followers time out while ZooKeeper still sees the broker.",
        heals="restart",
        advice="Thread dump (look for leaderIsrUpdateLock), restart the broker, upgrade. Nothing on disk is wrong.",
        look_alike="KAFKA-6582; overload of the request handlers; network loss",
        source="JIRA KAFKA-7697; PR 5999",
        confidence="likely",
        needs_release=True,
        example=Example(
            "WARN [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Error in response for fetch request (type=FetchRequest, replicaId=2) (kafka.server.ReplicaFetcherThread)\n"
            "java.io.IOException: Connection to 1 was disconnected before the response was read\n"
            "INFO [Partition orders-3 broker=1] Shrinking ISR from 1,2,3 to 1 (kafka.cluster.Partition)"
        ),
    ),
    KnownIssue(
        key="KAFKA-7414",
        title="Follower ahead of the leader halts its whole broker",
        signature=(
            Sign(
                r"(Halting|Exiting) because log truncation is not allowed for (topic|partition) ",
                logger="ReplicaFetcherThread",
            ),
        ),
        roles="broker; both modes",
        affected=(up_to("2.0.0"),),
        fixed_in=("2.0.1", "2.1.0"),
        consequence="The follower ends itself on purpose because unclean election is off and the leader has fewer records: the difference of the two offsets is at stake.",
        heals="manual: each restart ends the same way while that leader leads",
        advice="Copy the data directory of the halted broker first: it may hold the only copy. Find out why the leader is short (empty disk, unclean stop) before you delete anything or allow truncation.",
        source="JIRA KAFKA-7414, PR 5654",
        confidence="sure",
        example=Example(
            "FATAL [ReplicaFetcherThread-0-2], Exiting because log truncation is not allowed for partition orders-3, Current leader 2's latest offset 4 is less than replica 2's latest offset 120 (ReplicaFetcherThread)"
        ),
    ),
    KnownIssue(
        key="KAFKA-12686",
        title="ISR change cannot be queued, leader stops updating its ISR",
        signature=(
            Sign(
                r"IllegalStateException: Failed to enqueue (ISR change state|`AlterIsr` request with state) ",
                logger="Partition",
            ),
        ),
        roles="broker; both modes",
        affected=(between("2.7.0", "2.8"),),
        fixed_in=("3.0.0",),
        consequence="A race of AlterIsr and LeaderAndIsr throws out of the ISR task: the ISR of that partition is not shrunk or grown for a while.",
        heals="alone with the next leader change, else restart of the leader",
        advice="Compare ISR and real followers with kafka-topics --describe; move the leader if it stays. Data are safe.",
        look_alike="From 3.0 the same words are a WARN and are retried",
        source="JIRA KAFKA-12686; PR 10561; linkedin/kafka 397",
        confidence="sure",
        example=Example(
            "ERROR [Broker id=1] Error while processing LeaderAndIsr request (kafka.cluster.Partition)\n"
            "java.lang.IllegalStateException: Failed to enqueue `AlterIsr` request with state PendingExpandIsr(isr=Set(1, 2), newInSyncReplicaId=3) for partition orders-3"
        ),
    ),
    KnownIssue(
        key="KAFKA-14010",
        title="AlterPartition not sent again after a retriable error",
        signature=(Sign(r"Failed to update ISR to .* due to unexpected \w+\. Retrying\.", logger="Partition"),),
        roles="broker; both modes",
        affected=(up_to("3.2.0"),),
        fixed_in=("3.2.1", "3.3.0"),
        consequence="The leader says it retries but the retry is dropped; the partition keeps a pending ISR and cannot shrink or grow it.",
        heals="leader change or restart of the leader",
        advice="If the line is not followed by a change of the ISR within a minute, move the leader (preferred election or restart).",
        look_alike="On fixed releases the line is followed by success",
        source="JIRA KAFKA-14010; PR 12329",
        confidence="sure",
        needs_more=True,
        example=Example(
            "WARN [Partition orders-3 broker=2] Failed to update ISR to proposed-isr-state due to unexpected NOT_LEADER_OR_FOLLOWER. Retrying. (Partition)"
        ),
    ),
    KnownIssue(
        key="alter-partition-ineligible",
        title="Controller refuses an ISR with fenced or stopping replicas (as designed)",
        signature=(Sign(r"it specified ineligible replicas"),),
        roles="controller; both modes",
        affected=(since("3.3.0"),),
        consequence="None: the fence of KIP-841 keeps replicas out of the ISR that are shutting down, fenced or restarted since.",
        heals="alone when the replica is active again",
        advice="Nothing to do during restarts. If it goes on for minutes, look why the named replica stays fenced.",
        source="KIP-841; PR 12181, 12487",
        confidence="sure",
        example=Example(
            "INFO [Controller 2] Rejecting AlterPartition request from node 2 for orders-3 because it specified ineligible replicas 2,3 in the new ISR new-isr. (ReplicationControlManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-7786",
        title="Fetching stops after two quick leader epochs of the same leader",
        signature=(
            Sign(
                r"Partition \S+ has an older epoch \(\d+\) than the current leader\. Will await the new LeaderAndIsr state",
                logger="ReplicaFetcherThread",
            ),
        ),
        roles="broker; both modes",
        affected=(only("2.1.0"),),
        fixed_in=("2.1.1", "2.2.0"),
        consequence="The follower drops the partition from its fetcher and waits for a request that has come already; it falls out of the ISR and stays out.",
        heals="restart of the follower or the next leader change",
        advice="Restart the follower that printed the line, or trigger a leader change of the partition.",
        look_alike='On fixed releases the line is followed by a new "starts at leader epoch" within seconds: normal',
        source="JIRA KAFKA-7786; PR 6101",
        confidence="sure",
        needs_more=True,
        example=Example(
            "INFO [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Partition clicks-0 has an older epoch (0) than the current leader. Will await the new LeaderAndIsr state before resuming fetching. (ReplicaFetcherThread)",
            "traces/controller-ping-pong-zk-3.5.2",
        ),
    ),
    KnownIssue(
        key="KAFKA-8012",
        title="Null pointer in truncation kills a replica fetcher",
        signature=(
            Sign(r"java\.lang\.NullPointerException"),
            Sign(r"AbstractFetcherThread\S*truncateToHighWatermark", same=True),
        ),
        roles="broker; both modes",
        affected=(only("2.1.1"),),
        fixed_in=("2.2.0",),
        note="2.1.2 never came out",
        consequence="The fetcher thread ends: every partition it replicated stands still and leaves the ISR.",
        heals="restart of the follower",
        advice="Restart the broker that printed it, upgrade.",
        look_alike="Other stack frames: other bugs",
        source="JIRA KAFKA-8012",
        confidence="sure",
        example=Example(
            "ERROR [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Error due to (kafka.server.ReplicaFetcherThread)\n"
            "java.lang.NullPointerException\n"
            "\tat kafka.server.AbstractFetcherThread.truncateToHighWatermark(AbstractFetcherThread.scala:242)"
        ),
    ),
    KnownIssue(
        key="KAFKA-8346",
        title="An error of one partition stops the whole replica fetcher thread",
        signature=(
            Sign(
                r"\[ReplicaFetcher replicaId=\d+, leaderId=\d+, fetcherId=\d+\] Error due to",
                logger="ReplicaFetcherThread",
            ),
        ),
        roles="broker; both modes",
        affected=(up_to("2.2"),),
        fixed_in=("2.3.0",),
        note="since KIP-461 only the partition is marked as failed",
        consequence="All partitions that this thread fetched from one leader stand still.",
        heals="restart of the follower",
        advice="Read the exception under the line: it names the true cause. Restart the follower; it will stop again if the cause stays.",
        look_alike="The same line in 2.3 and later: an error outside of one partition, still fatal for the thread",
        source="KIP-461; PR 6716",
        confidence="sure",
        needs_more=True,
        example=Example(
            "ERROR [ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Error due to (ReplicaFetcherThread)"
        ),
    ),
    KnownIssue(
        key="KAFKA-9617",
        title="Follower refuses a batch larger than a lowered max.message.bytes",
        signature=(
            Sign(r"RecordTooLargeException: The record batch size in the append to"),
            Sign(r"ReplicaFetcher|marked as failed", same=True),
        ),
        roles="broker; both modes",
        affected=(up_to("2.5"),),
        fixed_in=("2.6.0",),
        consequence="Replicas of the topic fail or fall behind although the leader holds the records.",
        heals="manual: raise the limit again, or upgrade",
        advice="Put max.message.bytes back above the largest stored batch; then restart the follower or move the leader.",
        look_alike="A producer that is refused prints the exception without a fetcher",
        source="JIRA KAFKA-9617; PR 8659",
        confidence="likely",
        example=Example(
            "ERROR [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Error while processing data for partition orders-3 at offset 8100 (kafka.server.ReplicaFetcherThread)\n"
            "org.apache.kafka.common.errors.RecordTooLargeException: The record batch size in the append to orders-3 is 1048990 bytes which exceeds the maximum configured value of 1048588."
        ),
    ),
    KnownIssue(
        key="KAFKA-18991",
        title="Old fetch response applied after the leader epoch moved on",
        signature=(
            Sign(
                r"Offset mismatch for partition \S+: fetched offset = \d+, log end offset = \d+",
                logger="ReplicaFetcherThread",
            ),
        ),
        roles="broker; both modes",
        affected=(up_to("3.9.0"), only("4.0.0")),
        fixed_in=("3.9.1", "4.0.1", "4.1.0"),
        consequence="The follower marks the partition as failed and stops copying it, or appends from a leader it should not trust.",
        heals="restart of the follower or a leader change",
        advice="Restart the follower (it truncates and fetches again); upgrade. Check that the replica is in the ISR again before the next restart.",
        look_alike="KAFKA-13266 (2.8 in KRaft)",
        source="PR 19223; ReplicaFetcherThread.scala",
        confidence="likely",
        example=Example(
            "ERROR [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Unexpected error occurred while processing data for partition orders-3 at offset 8100 (kafka.server.ReplicaFetcherThread)\n"
            "java.lang.IllegalStateException: Offset mismatch for partition orders-3: fetched offset = 8100, log end offset = 8000."
        ),
    ),
    KnownIssue(
        key="KAFKA-19407",
        title="Time index entry out of order stops replication of a partition",
        signature=(
            Sign(
                r"IllegalStateException: Attempt to append a timestamp \(\d+\) to slot \d+ no larger than the last timestamp appended|Attempt to append an offset \(\d+\) to slot \d+ no larger than the last offset appended"
            ),
        ),
        roles="broker; both modes",
        affected=(up_to("4.0.0"),),
        fixed_in=("4.0.1", "4.1.0"),
        consequence="The append fails on a race in the time index; a follower marks the partition as failed, a leader refuses produce requests.",
        heals="leader change or restart",
        advice="Restart the broker that prints it. If it repeats, stop it, remove .kafka_cleanshutdown and start again: the active segment is checked and its indexes are rebuilt.",
        look_alike="KAFKA-4497 (file ends in .timeindex.cleaned); KAFKA-19221",
        source="PR 19972; TimeIndex.java",
        confidence="likely",
        example=Example(
            "ERROR [ReplicaManager broker=1] Error processing append operation on partition orders-3 (kafka.server.ReplicaManager)\n"
            "java.lang.IllegalStateException: Attempt to append a timestamp (1749000000000) to slot 0 no larger than the last timestamp appended (1750000000000) to /data/orders-3/00000000000000000000.timeindex"
        ),
    ),
    KnownIssue(
        key="KAFKA-9144",
        title="Producer state expires early and the coordinator epoch goes back",
        signature=(
            Sign(r"TransactionCoordinatorFencedException: Invalid coordinator epoch for producerId \d+"),
            Sign(r"ReplicaFetcher", same=True),
        ),
        roles="broker; both modes",
        affected=(between("0.11.0.0", "2.4.0"),),
        fixed_in=("2.4.1", "2.5.0"),
        consequence="A follower refuses a transaction marker that the leader took: the partition fails on the follower; the open transaction can hold back read_committed consumers.",
        heals="upgrade",
        advice="Upgrade. Until then let the failed replica be copied anew (move its directory away while the broker is stopped, keep it).",
        look_alike="On the leader, in an answer to WriteTxnMarkers: a real zombie coordinator",
        source="PR 7687",
        confidence="sure",
        example=Example(
            "ERROR [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Unexpected error occurred while processing data for partition orders-3 at offset 8100 (kafka.server.ReplicaFetcherThread)\n"
            "org.apache.kafka.common.errors.TransactionCoordinatorFencedException: Invalid coordinator epoch for producerId 6 at offset 8100 in partition orders-3: 7 (zombie), 8 (current)"
        ),
    ),
    KnownIssue(
        key="corrupt-fetch-response",
        title="Follower gets damaged bytes from healthy leaders",
        signature=(
            Sign(
                r"Found invalid messages during fetch for partition|Cannot increment the log start offset to \d{15,} of partition",
                logger="ReplicaFetcherThread",
            ),
        ),
        roles="broker; both modes",
        note="no Kafka bug known",
        consequence='The follower refuses the bytes; a partition that is "marked as failed" is not copied until restart, leader change or reassignment.',
        heals="alone for a single line; manual where marked as failed",
        advice="Several leaders within minutes: suspect network card, memory or path of the follower; one leader and one offset: suspect the leader's disk. Do not delete the leader's segment before kafka-dump-log from each replica.",
        look_alike="KAFKA-18723 (race during truncation)",
        source="AbstractFetcherThread.scala",
        confidence="sure",
        example=Example(
            "ERROR Found invalid messages during fetch for partition orders-3 offset 9 error NOT_LEADER_OR_FOLLOWER (ReplicaFetcherThread)"
        ),
    ),
    KnownIssue(
        key="KAFKA-15218",
        title="Null pointer when a deleted topic is still fetched (harmless)",
        signature=(Sign(r"NullPointerException[\s\S]*Partition\.isReplicaIsrEligible"),),
        roles="broker; both modes",
        affected=(up_to("3.5"),),
        fixed_in=("3.6.0",),
        note="since the fix a WARN says it",
        consequence="None: the topic was being deleted.",
        heals="alone",
        advice="Nothing to do if the topic was deleted at that time.",
        look_alike="For a topic that still exists: look at its metadata",
        source="PR 14051",
        confidence="sure",
        example=Example(
            "ERROR [ReplicaManager broker=2] Error processing fetch with max size 1048576 from replica 3 on partition orders-3 (kafka.server.ReplicaManager)\n"
            "java.lang.NullPointerException\n"
            "\tat kafka.cluster.Partition.isReplicaIsrEligible(Partition.scala:874)"
        ),
    ),
    KnownIssue(
        key="KAFKA-8052",
        title="Fetch session out of step, one request lost (harmless)",
        signature=(
            Sign(
                r"was unable to process the fetch request with \(sessionId=-?\d+, epoch=-?\d+\): (INVALID_FETCH_SESSION_EPOCH|FETCH_SESSION_ID_NOT_FOUND)"
            ),
        ),
        roles="broker and clients; both modes",
        affected=(between("1.1.0", "2.2"),),
        fixed_in=("2.3.0",),
        note="the line remains in all later releases",
        consequence="None: the fetcher starts a new session with a full request.",
        heals="alone",
        advice="Ignore single lines. If FETCH_SESSION_ID_NOT_FOUND comes all the time, more fetchers than max.incremental.fetch.session.cache.slots: raise it.",
        source="JIRA KAFKA-8052; PR 6582",
        confidence="sure",
        example=Example(
            "INFO [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Node 1 was unable to process the fetch request with (sessionId=908427047, epoch=1): INVALID_FETCH_SESSION_EPOCH. (org.apache.kafka.clients.FetchSessionHandler)"
        ),
    ),
    KnownIssue(
        key="unknown-topic-transient",
        title="Follower asks for a partition the leader does not know yet",
        signature=(Sign(r"This error may be returned transiently when the partition is being created or deleted"),),
        roles="broker; both modes",
        consequence="None while a topic is being made or deleted.",
        heals="alone within seconds",
        advice="Look only if it lasts longer than about a minute: then leader and follower have different metadata (topic id, KAFKA-14190; controller that does not reach a broker).",
        look_alike="KAFKA-14190; broker without metadata",
        source="AbstractFetcherThread.scala",
        confidence="sure",
        example=Example(
            "WARN [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Received UNKNOWN_TOPIC_ID from the leader for partition clicks-0. This error may be returned transiently when the partition is being created or deleted, but it is not expected to persist. (ReplicaFetcherThread)",
            "traces/controller-ping-pong-zk-3.5.2",
        ),
    ),
    KnownIssue(
        key="KAFKA-16541",
        title="Leader epoch file damaged by power loss",
        signature=(
            Sign(
                r"(Malformed line in checkpoint file|Expected \S+ entries in checkpoint file|Error while reading checkpoint file)[^\n]*leader-epoch-checkpoint",
                logger="LogDirFailureChannel",
            ),
        ),
        roles="broker; both modes",
        affected=(between("3.7.0", "3.7.2"),),
        fixed_in=("3.8.0",),
        note="KAFKA-15046 dropped the fsync on truncation",
        consequence="The log cannot be loaded and its whole log directory goes offline at start.",
        heals="manual",
        advice="Stop the broker, move the one leader-epoch-checkpoint away and start: the epochs are rebuilt from the batches. Do not delete the partition.",
        look_alike="Full disk or garbage in other checkpoint files: checkpoint-file-damaged",
        source="PR 15993",
        confidence="likely",
        example=Example(
            "ERROR Error while reading checkpoint file /data/orders-3/leader-epoch-checkpoint (org.apache.kafka.storage.internals.log.LogDirFailureChannel)\n"
            "java.io.IOException: Malformed line in checkpoint file [/data/orders-3/leader-epoch-checkpoint]: "
        ),
    ),
    KnownIssue(
        key="node-id-changed",
        title="Configured node or broker id differs from the one on disk",
        signature=(
            Sign(
                r"Configured broker\.?[iI]d \S+ doesn't match stored broker\.?[iI]d|Stored node id \d+ doesn't match previous"
            ),
        ),
        roles="broker and controller; both modes",
        consequence="The start is refused; data are safe.",
        heals="manual",
        advice="Set the id back, or point log.dirs to the right volume. Do not edit or delete meta.properties before you know whose data these are.",
        source="KafkaServer.scala",
        confidence="sure",
        example=Example(
            "ERROR Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\n"
            "kafka.common.InconsistentBrokerIdException: Configured broker.id 2 doesn't match stored broker.id Some(1) in meta.properties. If you moved your data, make sure your configured broker.id matches.",
            "a public log of 2.4",
        ),
    ),
    KnownIssue(
        key="cluster-id-mismatch",
        title="Data belong to another cluster than ZooKeeper or the quorum says",
        signature=(Sign(r"The Cluster ID \S+ doesn't match stored clusterId|Invalid cluster\.id in:?"),),
        roles="broker and controller; both modes",
        affected=(since("2.4.0"),),
        note="the check, KAFKA-7335",
        consequence="The start is refused; data are safe.",
        heals="manual",
        advice="Find out why the id changed: a wiped or wrong ZooKeeper (chroot), or a foreign volume. Restoring ZooKeeper keeps topics and offsets; deleting meta.properties joins these data to an empty cluster and loses the topic list.",
        source="KAFKA-7335; KafkaServer.scala",
        confidence="sure",
        example=Example(
            "ERROR Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\n"
            "kafka.common.InconsistentClusterIdException: The Cluster ID mdVfSqhaSuqEn1cWGzY6CA doesn't match stored clusterId Some(9GPb0cHMTFqGuRsl3Cv3ug) in meta.properties. The broker is trying to join the wrong cluster. Configured zookeeper.connect may be wrong."
        ),
    ),
    KnownIssue(
        key="KAFKA-1194",
        title="Windows cannot rename or delete a mapped file, log directory goes offline",
        signature=(
            Sign(
                r"The process cannot access the file because it is being used by another process|sun\.nio\.fs\.WindowsException\.translateToIOException"
            ),
            Sign(
                r"Error while (deleting segments|deleting log|rolling log segment|deleting all segments|flushing)|Failed to rename|Uncaught exception in scheduled task .kafka-log-retention",
                same=True,
            ),
        ),
        roles="broker; both modes",
        note="open since 2014",
        consequence="The only directory is marked as failed and the broker ends, again after each start when retention runs.",
        heals="manual",
        advice="Do not run brokers on Windows; use WSL2 or Linux. To get the data out: retention off (log.retention.hours=-1, cleaner off), start, copy with a consumer. Do not delete .log files by hand.",
        look_alike="KAFKA-8811 (topic deletion); virus scanners locking files give the same text",
        source="JIRA KAFKA-1194 (named in public notes)",
        confidence="sure",
        example=Example(
            "ERROR Error while deleting segments for orders-3 in dir C:\\kafka\\logs (kafka.server.LogDirFailureChannel)\n"
            "java.nio.file.FileSystemException: C:\\kafka\\logs\\orders-3\\00000000000000000000.timeindex: The process cannot access the file because it is being used by another process.",
            "JIRA KAFKA-1194",
        ),
    ),
    KnownIssue(
        key="log-dir-in-tmp",
        title="Segments vanish below the broker: log.dirs lies in /tmp",
        signature=(
            Sign(
                r"(Error while (deleting segments|writing to checkpoint file|flushing log|deleting log))[^\n]* (in dir )?/tmp/"
            ),
            Sign(r"NoSuchFileException: \S+|FileNotFoundException: \S+ \(No such file or directory\)", same=True),
        ),
        roles="broker; both modes",
        consequence="A cleaner of temporary files removed segments or checkpoints: the directory fails and the records in those files are gone.",
        heals="manual",
        advice="Move log.dirs, with what is left in it, out of /tmp before the next start, and start when other brokers lead its partitions; they refill it.",
        look_alike="KAFKA-15391 and KAFKA-19571 (race, other paths)",
        source="ControlSystemStudio/phoebus 1174",
        confidence="sure",
        tells_more=True,
        example=Example(
            "ERROR Error while deleting segments for orders-3 in dir /tmp/kafka-logs (kafka.server.LogDirFailureChannel)\n"
            "java.nio.file.NoSuchFileException: /tmp/kafka-logs/orders-3/00000000000000000000.log"
        ),
    ),
    KnownIssue(
        key="disk-full",
        title="No space left: log directory goes offline",
        signature=(Sign(r"No space left on device"),),
        roles="broker and controller; both modes",
        consequence="The directory is marked as failed (before 1.0 the broker halts); records of the failed append were not acknowledged with acks=all.",
        heals="manual",
        advice="Make room first: extend the volume or lower retention of the largest topics on the other brokers. Do not delete segment files of a stopped broker by hand; if you must, whole old segments with their indexes, never the active one.",
        look_alike="Inodes used up; quota of the user",
        source="public logs",
        confidence="sure",
        example=Example("WARN java.io.IOException: No space left on device (CoreUtils)"),
    ),
    KnownIssue(
        key="disk-io-error",
        title="Disk or file system reports an error",
        signature=(
            Sign(r"(Input/output error|Read-only file system|Stale file handle|Structure needs cleaning)"),
            Sign(r"LogDirFailureChannel|KafkaStorageException|IOException|FileSystemException", same=True),
        ),
        roles="broker and controller; both modes",
        consequence="The log directory is offline; replicas elsewhere take over.",
        heals="manual",
        advice="Replace the disk or repair the file system while the broker is stopped; once other brokers lead its partitions, let replication refill. Do not start it again on a read-only mount.",
        source="LogDirFailureChannel; text of the operating system",
        confidence="likely",
        example=Example(
            "ERROR Error while appending records to orders-3 in dir /data (kafka.server.LogDirFailureChannel)\n"
            "java.io.IOException: Input/output error",
            "a public log of 2.8",
        ),
    ),
    KnownIssue(
        key="nfs-log-dir",
        title="Data directory on a network or shared file system, by the look of its errors",
        signature=(
            Sign(
                r"\.nfs[0-9a-f]{8,}|Stale file handle|FileSystemException: \S+: (?:Invalid argument|No locks available)|IOException: No locks available"
            ),
        ),
        roles="broker; both modes",
        consequence="Renames and deletions fail, directories go offline, locks do not hold: two brokers may write one directory.",
        heals="manual",
        advice="Move the data to a local or block volume. Deleting topics over NFS is the usual trigger.",
        look_alike="Disk damage",
        source="public logs",
        confidence="sure",
        tells_more=True,
        example=Example(
            "ERROR Error while renaming dir for orders-3 in log dir /data (kafka.server.LogDirFailureChannel)\n"
            "java.nio.file.FileSystemException: /data/orders-3.9f3c-delete/.nfs00000000a2f1c2d400000001: Device or resource busy",
            "a public log of 2.0",
        ),
    ),
    KnownIssue(
        key="too-many-open-files",
        title="Process has no file descriptors left",
        signature=(Sign(r"Too many open files"),),
        roles="broker; both modes",
        consequence="New connections are refused; opening a segment can fail and then takes the directory offline.",
        heals="manual",
        advice="Count descriptors and sockets of the process; raise LimitNOFILE to 100000 or more; look for clients that do not close. Each segment needs about three descriptors.",
        look_alike="KAFKA-6529 and KAFKA-20302 (leaks)",
        source="SocketServer.scala",
        confidence="sure",
        example=Example(
            "ERROR Error while accepting connection (kafka.network.Acceptor)\njava.io.IOException: Too many open files"
        ),
    ),
    KnownIssue(
        key="map-failed",
        title="Memory map refused: vm.max_map_count or address space used up",
        signature=(Sign(r"(java\.io\.IOException: |OutOfMemoryError: )?Map failed"),),
        roles="broker; both modes",
        note="KAFKA-19390 makes it likelier",
        consequence="An append fails; before 1.0 the broker halts, later the directory goes offline. Records on disk are intact.",
        heals="restart helps for a while",
        advice="Set vm.max_map_count to 262144 or more (two maps for each segment), then restart. The disk is not full.",
        look_alike="KAFKA-19390",
        source="ReplicaManager.scala 0.10",
        confidence="sure",
        example=Example(
            "ERROR Error while creating log for orders-3 in dir /data (kafka.server.LogDirFailureChannel)\n"
            "java.io.IOException: Map failed\n"
            "Caused by: java.lang.OutOfMemoryError: Map failed"
        ),
    ),
    KnownIssue(
        key="KAFKA-13391",
        title="Broker does not start on Windows: a directory cannot be flushed",
        signature=(Sign(r"AccessDeniedException: [A-Z]:\\[\s\S]{0,2000}flushDir"),),
        roles="broker; both modes",
        affected=(only("3.0.0"),),
        fixed_in=("3.0.1", "3.1.0"),
        consequence="The log directory is taken for one that cannot be written, so the start is refused. Rights are not the matter.",
        heals="upgrade",
        advice="Use 3.0.1 or later (or 2.8) on Windows. Do not change rights or delete the directory for it.",
        look_alike="Rights that are really missing: then no frame of flushDir stands there",
        source="Utils.flushDir in 3.0.0 and 3.0.1",
        confidence="sure",
        example=Example(
            "ERROR Failed to create or validate data directory C:\\kafka\\data (kafka.server.LogDirFailureChannel)\n"
            "java.nio.file.AccessDeniedException: C:\\kafka\\data\n"
            "\tat org.apache.kafka.common.utils.Utils.flushDir(Utils.java:953)"
        ),
    ),
    KnownIssue(
        key="KAFKA-19390",
        title="Resized indexes keep their old memory map until garbage collection",
        signature=(Sign(r"(java\.io\.IOException: |OutOfMemoryError: )?Map failed"),),
        roles="broker; both modes",
        affected=(up_to("3.9.1"), between("4.0.0", "4.0.1"), only("4.1.0")),
        fixed_in=("3.9.2", "4.0.2", "4.1.1", "4.2.0"),
        consequence="Maps pile up with many rolls and few full collections; the broker fails at the map limit.",
        heals="restart; upgrade",
        advice="Raise vm.max_map_count now; upgrade. Count lines of /proc/PID/maps that end in (deleted).",
        look_alike="map-failed with a low limit from the start",
        source="PR 19961, 20571, 20621",
        confidence="sure",
        needs_more=True,
        example=Example(
            "ERROR Error while appending records to orders-3 in dir /data (org.apache.kafka.storage.internals.log.LogDirFailureChannel)\n"
            "java.io.IOException: Map failed\n"
            "\tat java.base/sun.nio.ch.FileChannelImpl.map(FileChannelImpl.java:1001)\n"
            "\tat org.apache.kafka.storage.internals.log.AbstractIndex.resize(AbstractIndex.java:158)"
        ),
    ),
    KnownIssue(
        key="hs-err-in-log-dir",
        title="Crash report of the JVM lies in a partition directory, load fails",
        signature=(Sign(r'NumberFormatException: For input string: "(hs_err_pid|core)'),),
        roles="broker; both modes",
        consequence="The broker does not start: it takes the file for a segment.",
        heals="manual",
        advice="Save the hs_err file (it tells of the real crash, often lack of native memory) and remove it from the directory. Set -XX:ErrorFile elsewhere.",
        look_alike="Any other foreign file in a partition directory",
        source="public logs",
        confidence="sure",
        tells_more=True,
        example=Example(
            'ERROR There was an error in one of the threads during logs loading: java.lang.NumberFormatException: For input string: "hs_err_pid4242" (kafka.log.LogManager)'
        ),
    ),
    KnownIssue(
        key="foreign-directory",
        title="Directory in log.dirs that is no partition stops the start",
        signature=(Sign(r"Found directory \S+, '\S+' is not in the form of"),),
        roles="broker; both modes",
        consequence="The broker does not start.",
        heals="manual",
        advice="Remove or move that directory (lost+found: use a subdirectory of the volume as log.dirs).",
        look_alike="KAFKA-5232 (deleted topic with a dot)",
        source="LocalLog.scala",
        confidence="sure",
        tells_more=True,
        example=Example(
            "ERROR There was an error in one of the threads during logs loading: org.apache.kafka.common.KafkaException: Found directory /data/lost+found, 'lost+found' is not in the form of topic-partition or topic-partition.uniqueId-delete (if marked for deletion). (kafka.log.LogManager)"
        ),
    ),
    KnownIssue(
        key="lock-held",
        title="Directory is in use by another process",
        signature=(Sign(r"Failed to acquire lock on file \.lock in"),),
        roles="broker and controller; both modes",
        consequence="The second process ends; the first goes on.",
        heals="alone",
        advice="See which process holds it before you kill anything. Do not delete the .lock file of a running broker. Both may write into one server.log.",
        look_alike="Network volume mounted twice: the lock does not protect there",
        source="LogManager.scala",
        confidence="sure",
        example=Example(
            "ERROR [KafkaServer id=0] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\n"
            "org.apache.kafka.common.KafkaException: Failed to acquire lock on file .lock in /data. A Kafka instance in another process or thread is using this directory.",
            "a public log of 2.6",
        ),
    ),
    KnownIssue(
        key="checkpoint-file-damaged",
        title="Checkpoint file full of zero bytes or garbage",
        signature=(
            Sign(
                r'Error while reading checkpoint file|MalformedInputException|Malformed line in (offset )?checkpoint file|Unrecognized version of the (highwater mark )?(checkpoint )?file|Expected \S+ entries (but found only|in checkpoint file)|NumberFormatException: For input string: "(\x00|\^@)'
            ),
        ),
        roles="broker; both modes",
        note="before 0.9 it ended the start (KAFKA-1758); 0.9.0.0 rebuilds recovery points, others stay fatal",
        consequence="After power loss: reading the file marks the directory as failed at each start.",
        heals="manual",
        advice="Stop, keep a copy, put the damaged file aside and start: recovery points and log starts are rebuilt by a longer scan. A lost replication-offset-checkpoint sets high watermarks to the log start until the leader tells better: start the other replicas first.",
        look_alike="KAFKA-16541 for leader-epoch-checkpoint",
        source="CheckpointFile.java",
        confidence="sure",
        example=Example("ERROR Error while reading checkpoint file /brokers/ids/2 (LogDirFailureChannel)"),
    ),
    KnownIssue(
        key="cleaner-died",
        title="Log cleaner thread has ended: nothing is compacted on this broker",
        signature=(Sign(r"\[?kafka-log-cleaner-thread-\d+\]?[,:]? Error due to", logger="LogCleaner"),),
        roles="broker; both modes",
        affected=(up_to("2.0"),),
        note="since 2.1.0 only the partition is marked as uncleanable (KIP-346)",
        consequence="Compacted topics grow without end (__consumer_offsets too), starts and coordinator loads get slow; no records are lost.",
        heals="restart, but it comes back at the same segment",
        advice="Read the exception below: it names the bug (KAFKA-3894, 5413, 6264, 6834, 6854, 4497, 9133). Fix that cause, then restart. Do not delete segments of __consumer_offsets as a first step.",
        source="ShutdownableThread.scala",
        confidence="sure",
        example=Example(
            "ERROR [kafka-log-cleaner-thread-0], Error due to  (kafka.log.LogCleaner)\n"
            "java.lang.IllegalArgumentException: requirement failed: 9750860 messages in segment orders-3/00000000000000000000.log but offset map can fit only 5033164",
            "a public log of 0.10",
        ),
    ),
    KnownIssue(
        key="cleaner-uncleanable",
        title="Partition marked as uncleanable after an exception in the cleaner",
        signature=(
            Sign(
                r"Unexpected exception thrown when cleaning log .* Marking its partition \(\S+\) as uncleanable",
                logger="LogCleaner$CleanerThread",
            ),
        ),
        roles="broker; both modes",
        affected=(since("2.1.0"),),
        note="depends on the exception below the line",
        consequence="That partition grows on this broker only; others are cleaned.",
        heals="restart clears the mark",
        advice="Read the exception. Look with kafka-dump-log at the named segment; if other replicas are clean, let this one be copied anew.",
        source="KIP-346; LogCleaner.scala",
        confidence="sure",
        example=Example(
            "WARN [ReplicaFetcherThread-0-2]: Unexpected exception thrown when cleaning log orders-3. Marking its partition (orders-3) as uncleanable (LogCleaner)"
        ),
    ),
    KnownIssue(
        key="KAFKA-6264",
        title="Old segment holds offsets too large for its index",
        signature=(
            Sign(
                r"largest offset in message set can not be safely converted to relative offset|Detected offset overflow at offset \d+ in segment|Integer overflow for offset: \d+"
            ),
        ),
        roles="broker; both modes",
        affected=(up_to("1.1"),),
        fixed_in=("2.0.0",),
        note="the fix splits such segments at load or cleaning",
        consequence="Cleaner or recovery fails on segments written by older releases.",
        heals="upgrade",
        advice="Start once with 2.0 or later: it prints the split and goes on.",
        look_alike='In 2.0 and later the INFO "Caught segment overflow error" is the repair at work',
        source="JIRA KAFKA-6264; PR 4975",
        confidence="sure",
        example=Example(
            "ERROR [kafka-log-cleaner-thread-0], Error due to (kafka.log.LogCleaner)\n"
            "java.lang.IllegalArgumentException: requirement failed: largest offset in message set can not be safely converted to relative offset."
        ),
    ),
    KnownIssue(
        key="index-rebuilt",
        title="Index found corrupt at start and rebuilt (harmless)",
        signature=(
            Sign(
                r"Found a corrupted index file (due to|corresponding to log file)|Could not find offset index file corresponding to log file"
            ),
        ),
        roles="broker; both modes",
        affected=(since("0.10"),),
        consequence="None but a longer start: indexes hold no records.",
        heals="alone",
        advice="Nothing to do after an unclean stop. If it comes after every clean stop, look at shutdown timeouts.",
        look_alike="KAFKA-2024 (negative offset, start fails)",
        source="Log.scala",
        confidence="sure",
        example=Example(
            "WARN [Log partition=clicks-0, dir=/var/lib/kafka/data0] Found a corrupted index file corresponding to log file /var/lib/kafka/data0/clicks-0/00000000000000000000.log due to Corrupt index found, index file (/var/lib/kafka/data0/clicks-0/00000000000000000000.index) has non-zero size but the last offset is 0 which is no greater than the base offset 0.}, recovering segment and rebuilding index files... (Log)",
            "traces/kill-leader-zk-1.1.1",
        ),
    ),
    KnownIssue(
        key="orphaned-index",
        title="Index file without its segment (harmless)",
        signature=(Sign(r"Found an orphaned index file"),),
        roles="broker; both modes",
        consequence="None: a deletion was interrupted; the file is removed.",
        heals="alone",
        advice="Nothing to do.",
        source="LogLoader.scala",
        confidence="sure",
        example=Example("WARN Found an orphaned index file, /brokers/ids/2, with no corresponding log file. (Log)"),
    ),
    KnownIssue(
        key="KAFKA-6834",
        title="Cleaner refuses a batch larger than max.message.bytes",
        signature=(Sign(r"This log contains a message larger than maximum allowable size of \d+"),),
        roles="broker; both modes",
        affected=(up_to("1.1"),),
        fixed_in=("2.0.0",),
        note="KAFKA-4019 in 0.10.1.0 reads the topic's limit",
        consequence="The cleaner thread ends.",
        heals="manual: raise the limit; upgrade",
        advice="Set max.message.bytes of the topic above the largest stored batch and restart the broker.",
        look_alike="KAFKA-6854 (transactions); a truly damaged segment in 2.0 and later",
        source="JIRA KAFKA-6834, KAFKA-4019; PR 4953",
        confidence="sure",
        example=Example(
            "ERROR [kafka-log-cleaner-thread-0]: Error due to (kafka.log.LogCleaner)\n"
            "java.lang.IllegalStateException: This log contains a message larger than maximum allowable size of 1048588."
        ),
    ),
    KnownIssue(
        key="KAFKA-6854",
        title="Cleaner grows its buffer without need on transaction markers and dies",
        signature=(Sign(r"This log contains a message larger than maximum allowable size of \d+"),),
        roles="broker; both modes",
        affected=(between("0.11.0.0", "1.0.1"), only("1.1.0")),
        fixed_in=("1.0.2", "1.1.1", "2.0.0"),
        consequence="The cleaner thread ends on a transactional compacted topic (often __consumer_offsets).",
        heals="upgrade",
        advice="Upgrade; no batch is too large and nothing is damaged.",
        look_alike="KAFKA-6834",
        source="JIRA KAFKA-6854; PR 4962",
        confidence="sure",
        example=Example(
            "ERROR [kafka-log-cleaner-thread-0]: Error due to (kafka.log.LogCleaner)\n"
            "java.lang.IllegalStateException: This log contains a message larger than maximum allowable size of 1000012."
        ),
    ),
    KnownIssue(
        key="KAFKA-7467",
        title="Empty control batch breaks cleaner or start",
        signature=(
            Sign(
                r"NoSuchElementException[\s\S]*(ControlRecordType|Cleaner|ProducerStateManager|updateProducers|shouldDiscardBatch|onControlBatchRead)"
            ),
        ),
        roles="broker; both modes",
        affected=(between("0.11.0.0", "2.0.0"),),
        fixed_in=("2.0.1", "2.1.0"),
        consequence="Cleaner ends or the log cannot be loaded.",
        heals="upgrade",
        advice="Upgrade; do not delete the segment.",
        source="JIRA KAFKA-7467; PR 5727",
        confidence="likely",
        example=Example(
            "ERROR [kafka-log-cleaner-thread-0]: Error due to (kafka.log.LogCleaner)\n"
            "java.util.NoSuchElementException: null\n"
            "\tat org.apache.kafka.common.utils.AbstractIterator.next(AbstractIterator.java:52)\n"
            "\tat kafka.log.ProducerStateManager.updateProducers(Log.scala:1)"
        ),
    ),
    KnownIssue(
        key="KAFKA-9133",
        title="Cleaner fails after records were deleted beyond the last roll",
        signature=(
            Sign(
                r"currentLog cannot be empty on an unexpected exception|Illegal request for non-active segments beginning at offset"
            ),
        ),
        roles="broker; both modes",
        affected=(only("2.3.1"),),
        fixed_in=("2.4.0",),
        consequence="The cleaner thread ends.",
        heals="restart; upgrade",
        advice="Restart the broker; write some records so that the segment rolls; upgrade.",
        look_alike="KAFKA-8724 (2.3.0, fixed in 2.3.1) dies alike after an upgrade",
        source="JIRA KAFKA-9133; PR 7662",
        confidence="sure",
        example=Example(
            "ERROR [kafka-log-cleaner-thread-0]: Error due to (kafka.log.LogCleaner)\n"
            "java.lang.IllegalStateException: Illegal request for non-active segments beginning at offset 8100, which is larger than the active segment's base offset 8000"
        ),
    ),
    KnownIssue(
        key="KAFKA-8764",
        title="Cleaner picks the same partition again and again",
        signature=(Sign(r"Beginning cleaning of log ", logger="LogCleaner"), Sign(r"offset range \[(\d+), \1\)")),
        roles="broker; both modes",
        affected=(up_to("2.4.0"),),
        fixed_in=("2.4.1", "2.5.0"),
        consequence="One CPU is busy and the cleaner makes no progress on a log with gaps.",
        heals="upgrade",
        advice="Upgrade; a new record that rolls the segment can end it.",
        look_alike="KAFKA-9826 (first dirty offset past the active segment; 2.5.1)",
        source="JIRA KAFKA-8764; PR 7932",
        confidence="likely",
        example=Example(
            "INFO Cleaner 0: Beginning cleaning of log orders-3. (kafka.log.LogCleaner)\n"
            "INFO Cleaner 0: Building offset map for log orders-3 for 0 segments in offset range [232, 232). (kafka.log.LogCleaner)"
        ),
    ),
    KnownIssue(
        key="KAFKA-20036",
        title="Cleaner fails for ever when recompression makes a segment too large",
        signature=(
            Sign(
                r"IllegalArgumentException: Append of size \d+ bytes is too large for segment with current file position at \d+"
            ),
            Sign(r"Cleaner|as uncleanable", same=True),
        ),
        roles="broker; both modes",
        affected=(up_to("4.4"),),
        note="fixed on trunk in March 2026, taken back on branch 4.4",
        consequence="The partition is marked as uncleanable and grows.",
        heals="manual",
        advice="Lower compression.*.level back or raise segment.bytes of the topic, then restart the broker.",
        look_alike="The same exception from a producer append: batch against segment.bytes",
        source="PR 21379, 23141",
        confidence="likely",
        example=Example(
            "WARN Unexpected exception thrown when cleaning log UnifiedLog(dir=/data/orders-3). Marking its partition (orders-3) as uncleanable (org.apache.kafka.storage.internals.log.LogCleaner)\n"
            "java.lang.IllegalArgumentException: Append of size 1048588 bytes is too large for segment with current file position at 2147000000"
        ),
    ),
    KnownIssue(
        key="KAFKA-8811",
        title="Deleting a topic on Windows ends the broker",
        signature=(
            Sign(r"Error while renaming dir for \S+"),
            Sign(
                r"The process cannot access the file because it is being used by another process|sun\.nio\.fs\.WindowsException\.translateToIOException",
                same=True,
            ),
        ),
        roles="broker; both modes",
        consequence="As KAFKA-1194; the marked topic can keep the broker from starting.",
        heals="manual",
        advice='As KAFKA-1194. The "-delete" directory can be removed while the broker is stopped.',
        look_alike="KAFKA-1194 (retention, roll, cleaner)",
        source="JIRA KAFKA-8811 (named in public notes on Kafka under Windows)",
        confidence="likely",
        example=Example(
            "ERROR Error while renaming dir for orders-3 in log dir C:\\kafka-logs (kafka.server.LogDirFailureChannel)\n"
            "java.nio.file.FileSystemException: C:\\kafka-logs\\orders-3 -> C:\\kafka-logs\\orders-3.9f3c-delete: The process cannot access the file because it is being used by another process."
        ),
    ),
    KnownIssue(
        key="KAFKA-6388",
        title="Segment cannot roll: one with this offset exists already",
        signature=(
            Sign(
                r"Trying to roll a new log segment for topic partition \S+ with start offset \d+ ?(while it already exists|=max)"
            ),
        ),
        roles="broker; both modes",
        affected=(up_to("2.1.0"),),
        fixed_in=("2.1.1",),
        note="the fix replaces an empty active segment",
        consequence="Appends to the partition fail; a follower fetcher stops.",
        heals="restart; upgrade",
        advice="Stop the broker, remove the empty segment with that offset (size 0) and its indexes, start. Keep a copy.",
        look_alike='From 2.1.1 the WARN "while it already exists and is active with size 0" is the repair',
        source="JIRA KAFKA-6388; Log.scala",
        confidence="sure",
        example=Example(
            "ERROR [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Error due to (kafka.server.ReplicaFetcherThread)\n"
            "org.apache.kafka.common.KafkaException: Trying to roll a new log segment for topic partition orders-3 with start offset 0 while it already exists."
        ),
    ),
    KnownIssue(
        key="KAFKA-6492",
        title="Truncation to an empty segment makes the next roll collide",
        signature=(
            Sign(
                r"Trying to roll a new log segment for topic partition \S+ with start offset \d+ while it already exists"
            ),
        ),
        roles="broker; both modes",
        affected=(up_to("1.0"),),
        fixed_in=("1.1.0",),
        consequence="As KAFKA-6388, after a truncation.",
        heals="restart; upgrade",
        advice="As KAFKA-6388.",
        look_alike="KAFKA-6388",
        source="JIRA KAFKA-6492",
        confidence="likely",
        example=Example(
            "ERROR [ReplicaFetcherThread-0-1], Error due to (kafka.server.ReplicaFetcherThread)\n"
            "kafka.common.KafkaException: Trying to roll a new log segment for topic partition orders-3 with start offset 8100 while it already exists."
        ),
    ),
    KnownIssue(
        key="KAFKA-6292",
        title="Reading fails near the 2 GiB end of a segment",
        signature=(
            Sign(
                r"Expected to read \d+ bytes, but reached end of file after reading \d+ bytes\. Started read from position 2147483\d{3}"
            ),
        ),
        roles="broker; both modes",
        affected=(between("0.11.0.0", "1.1.0"),),
        fixed_in=("1.1.1", "2.0.0"),
        consequence="Consumers and followers stick at that offset; the records are there.",
        heals="upgrade",
        advice="Upgrade; keep segment.bytes below 2 GiB by some MB for new segments. Do not delete the segment.",
        look_alike="Other positions: truncated or still growing file",
        source="JIRA KAFKA-6292; PR 4928",
        confidence="sure",
        example=Example(
            "ERROR [Replica Manager on Broker 3]: Error processing fetch operation on partition orders-3, offset 4043314339 (kafka.server.ReplicaManager)\n"
            "org.apache.kafka.common.KafkaException: java.io.EOFException: Expected to read 17 bytes, but reached end of file after reading 5 bytes. Started read from position 2147483635.",
            "JIRA KAFKA-6292",
        ),
    ),
    KnownIssue(
        key="segment-ends-short",
        title="Segment file is shorter than its index says",
        signature=(Sign(r"EOFException: Failed to read `log header` from file channel"),),
        roles="broker; both modes",
        affected=(since("0.11.0.0"),),
        consequence="Reads at that offset fail on this replica.",
        heals="manual",
        advice="Compare the file with kafka-dump-log on each replica. If another in-sync replica is whole, make it leader and let this one be copied again.",
        look_alike="KAFKA-6292 (position near 2147483647)",
        source="Utils.java",
        confidence="likely",
        example=Example(
            "ERROR [ReplicaManager broker=1] Error processing fetch operation on partition orders-3, offset 8100 (kafka.server.ReplicaManager)\n"
            "org.apache.kafka.common.KafkaException: java.io.EOFException: Failed to read `log header` from file channel `sun.nio.ch.FileChannelImpl@1f2e3d`. Expected to read 17 bytes, but reached end of file after reading 0 bytes. Started read from position 81000.",
            "a public log of 1.0",
        ),
    ),
    KnownIssue(
        key="KAFKA-9156",
        title="Two threads open one lazy index, appends overflow it",
        signature=(Sign(r"BufferOverflowException[\s\S]*(OffsetIndex|TimeIndex)"),),
        roles="broker; both modes",
        affected=(up_to("2.3"),),
        fixed_in=("2.4.0",),
        consequence="The append fails, the directory is marked as failed or the fetcher stops.",
        heals="restart; upgrade",
        advice="Restart the broker; upgrade.",
        source="JIRA KAFKA-9156; PR 7760",
        confidence="likely",
        example=Example(
            "ERROR Uncaught exception in scheduled task 'kafka-log-retention' (kafka.utils.KafkaScheduler)\n"
            "java.nio.BufferOverflowException\n"
            "\tat java.nio.Buffer.nextPutIndex(Buffer.java:527)\n"
            "\tat kafka.log.TimeIndex.$anonfun$maybeAppend$1(TimeIndex.scala:134)"
        ),
    ),
    KnownIssue(
        key="producer-snapshot-skipped",
        title="Damaged producer snapshot ignored (harmless)",
        signature=(Sign(r"Failed to load producer snapshot from '"),),
        roles="broker; both modes",
        affected=(since("0.11.0.1"),),
        consequence="None: the state is rebuilt from the log; the load takes longer.",
        heals="alone",
        advice="Nothing to do after an unclean stop.",
        source="ProducerStateManager.java",
        confidence="sure",
        example=Example(
            "WARN Failed to load producer snapshot from 'file': NOT_LEADER_OR_FOLLOWER (ProducerStateManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-13315",
        title="Retention meets closed segments during shutdown, stop becomes unclean",
        signature=(
            Sign(r"Error while deleting segments for \S+ in dir", logger="LogDirFailureChannel"),
            Sign(r"ClosedChannelException", same=True),
            Sign(r"\[KafkaServer id=\d+\] shutting down|Starting controlled shutdown"),
        ),
        roles="broker; both modes",
        affected=(only("3.0.0"),),
        fixed_in=("3.0.1", "3.1.0"),
        note="and where KAFKA-13070 was taken",
        consequence="The clean shutdown mark is missing; the next start checks all logs.",
        heals="alone after the long start",
        advice="Nothing to repair.",
        source="JIRA KAFKA-13315; PR 11351",
        confidence="likely",
        example=Example(
            "INFO [KafkaServer id=1] shutting down (kafka.server.KafkaServer)\n"
            "ERROR Error while deleting segments for orders-3 in dir /data (kafka.server.LogDirFailureChannel)\n"
            "java.nio.channels.ClosedChannelException"
        ),
    ),
    KnownIssue(
        key="KAFKA-15391",
        title="Topic deletion races with a flush, whole log directory goes offline",
        signature=(
            Sign(r"Error while flushing log for \S+ in dir"),
            Sign(r"NoSuchFileException: (?!\S*-future)\S+", same=True),
        ),
        roles="broker; both modes",
        affected=(between("3.0.0", "3.5.1"),),
        fixed_in=("3.5.2", "3.6.0"),
        consequence="The directory, often the only one, is marked as failed because of one deleted topic.",
        heals="restart",
        advice="Restart the broker: the disk is sound. Upgrade.",
        look_alike="KAFKA-19571 (move between disks); log-dir-in-tmp; a real disk failure",
        source="JIRA KAFKA-15391; PR 14280",
        confidence="sure",
        example=Example(
            "ERROR Error while flushing log for orders-3 in dir /data with offset 8100 (exclusive) and recovery point 8100 (org.apache.kafka.storage.internals.log.LogDirFailureChannel)\n"
            "java.nio.file.NoSuchFileException: /data/orders-3/00000000000000008000.log"
        ),
    ),
    KnownIssue(
        key="KAFKA-19571",
        title="Move between disks races with a flush, log directory goes offline",
        signature=(
            Sign(r"Error while flushing log for \S+ in dir"),
            Sign(r"NoSuchFileException: \S+-future|ClosedChannelException", same=True),
        ),
        roles="broker; both modes",
        affected=(up_to("4.0.1"), between("4.1.0", "4.1.1")),
        fixed_in=("4.0.2", "4.1.2", "4.2.0"),
        consequence="The directory is marked as failed though the disk is sound.",
        heals="restart",
        advice="Restart the broker; let the move run again; upgrade.",
        look_alike="KAFKA-15391",
        source="JIRA KAFKA-19571; PR 20289 (shows the lines)",
        confidence="sure",
        example=Example(
            "ERROR Error while flushing log for orders-3 in dir /data/2 with offset 8100 (exclusive) and recovery point 8100 (org.apache.kafka.storage.internals.log.LogDirFailureChannel)\n"
            "java.nio.file.NoSuchFileException: /data/2/orders-3.1f2e3d4c5b6a79880f1e2d3c4b5a6978-future"
        ),
    ),
    KnownIssue(
        key="KAFKA-19221",
        title="Hidden failure to trim indexes at a stop, later rolls fail",
        signature=(
            Sign(
                r"Attempt to append an offset \(\d+\) to slot \d+ no larger than the last offset appended|Time index file \S+ is corrupt"
            ),
            Sign(r"clean shutdown file was found"),
        ),
        roles="broker; both modes",
        affected=(up_to("4.0.0"),),
        fixed_in=("4.0.1", "4.1.0"),
        consequence="After a stop that only looked clean, segments do not roll or the cleaner fails; replicas lag.",
        heals="manual",
        advice="Stop, remove .kafka_cleanshutdown so that logs are checked, start again.",
        look_alike="KAFKA-19407",
        source="PR 19607",
        confidence="likely",
        example=Example(
            "INFO Skipping recovery of 12 logs from /data since clean shutdown file was found (kafka.log.LogManager)\n"
            "ERROR [ReplicaManager broker=1] Error processing append operation on partition orders-3 (kafka.server.ReplicaManager)\n"
            "org.apache.kafka.storage.internals.log.CorruptIndexException: Time index file /data/orders-3/00000000000000000000.timeindex is corrupt, found 6 bytes which is neither positive nor a multiple of 12."
        ),
    ),
    KnownIssue(
        key="KAFKA-16588",
        title="Broker hangs in shutdown with log.segment.delete.delay.ms=0",
        signature=(
            Sign(r"file\.delete\.delay\.ms = 0\b|log\.segment\.delete\.delay\.ms = 0\b"),
            Sign(r"\[KafkaServer id=\d+\] shutting down|\[BrokerServer id=\d+\] shutting down"),
        ),
        roles="broker; both modes",
        affected=(up_to("3.7"),),
        fixed_in=("3.8.0",),
        consequence="The stop never ends and is killed: unclean.",
        heals="manual: kill",
        advice="Set the delay to 1000 or more.",
        look_alike="Controlled shutdown that waits for a controller",
        source="PR 15773",
        confidence="likely",
        example=Example(
            "INFO Created log for partition orders-3 in /data/orders-3 with properties {file.delete.delay.ms = 0} (kafka.log.LogManager)\n"
            "INFO [KafkaServer id=1] shutting down (kafka.server.KafkaServer)"
        ),
    ),
    KnownIssue(
        key="KAFKA-8362",
        title="Cleaner stuck after a partition moved between disks",
        signature=(Sign(r"Failed to access checkpoint file", logger="LogCleaner"),),
        roles="broker; both modes",
        affected=(up_to("2.6"),),
        fixed_in=("2.7.0",),
        consequence="The old disk keeps a cleaner checkpoint of the moved partition.",
        heals="restart",
        advice="Remove the entry from cleaner-offset-checkpoint of the old directory while the broker is stopped.",
        source="JIRA KAFKA-8362; PR 9178",
        confidence="likely",
        example=Example("ERROR Failed to access checkpoint file in dir /var/lib/kafka (LogCleaner)"),
        needs_more=True,
    ),
    KnownIssue(
        key="unclean-start",
        title="Start after an unclean stop checks all logs (normal)",
        signature=(Sign(r"Attempting recovery for all logs in \S+|Recovering unflushed segment \d+"),),
        roles="broker; both modes",
        consequence="The start is slow; what is torn at the end of a log is cut and fetched again from the leader.",
        heals="alone",
        advice="Wait; raise num.recovery.threads.per.data.dir next time. Do not kill it while it recovers: it begins anew.",
        look_alike="First start with an empty directory prints the first line too",
        source="LogManager.scala",
        confidence="sure",
        example=Example(
            "INFO [Log partition=clicks-0, dir=/var/lib/kafka/data0] Recovering unflushed segment 0 (Log)",
            "traces/kip101-without-epochs-zk-2.3.1",
        ),
    ),
    KnownIssue(
        key="KAFKA-9826",
        title="Cleaner takes an active segment that starts past the clean point",
        signature=(
            Sign(
                r"Invalid log segment range: requested segments in \S+ from offset \d+ mapping to segment with base offset \d+, which is greater than limit offset"
            ),
        ),
        roles="broker; both modes",
        affected=(up_to("2.5.0"),),
        fixed_in=("2.5.1", "2.6.0"),
        consequence="The cleaner is busy without end on one log, or that partition is marked as uncleanable.",
        heals="upgrade",
        advice="Upgrade; a record that rolls the segment can end it.",
        look_alike="KAFKA-8764; KAFKA-9133",
        source="JIRA KAFKA-9826; PR 8469",
        confidence="sure",
        example=Example(
            "WARN [kafka-log-cleaner-thread-0]: Unexpected exception thrown when cleaning log Log(dir=/data/orders-3). Marking its partition (orders-3) as uncleanable (kafka.log.LogCleaner)\n"
            "kafka.log.LogCleaningException: Invalid log segment range: requested segments in orders-3 from offset 8200 mapping to segment with base offset 8100, which is greater than limit offset 8000"
        ),
    ),
    KnownIssue(
        key="KAFKA-13773",
        title="Full disk at start leads to a false clean shutdown mark",
        signature=(Sign(r"Error while loading log dir \S+"), Sign(r"No space left on device", same=True)),
        roles="broker; both modes",
        affected=(up_to("3.2.0"),),
        fixed_in=("3.2.1", "3.3.0"),
        consequence="The broker stops during the load and the next start skips the check of torn logs.",
        heals="manual",
        advice="Make room, delete .kafka_cleanshutdown in each directory, start.",
        source="JIRA KAFKA-13773; PR 12136",
        confidence="likely",
        example=Example(
            "ERROR Error while loading log dir /data (kafka.log.LogManager)\n"
            "java.io.IOException: No space left on device"
        ),
    ),
    KnownIssue(
        key="KAFKA-8564",
        title="Null pointer at start on a deleted partition without segments",
        signature=(
            Sign(
                r"There was an error in one of the threads during logs loading: java\.lang\.NullPointerException",
                logger="LogManager",
            ),
        ),
        roles="broker; both modes",
        affected=(up_to("2.2.1"),),
        fixed_in=("2.2.2", "2.3.0"),
        consequence="The broker does not start.",
        heals="manual",
        advice='Remove empty "-delete" directories while the broker is stopped; upgrade.',
        source="JIRA KAFKA-8564; PR 6968",
        confidence="likely",
        example=Example(
            "ERROR There was an error in one of the threads during logs loading: java.lang.NullPointerException (kafka.log.LogManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-8896",
        title="Group coordinator meets a member that is gone after the group moved",
        signature=(
            Sign(
                r"NoSuchElementException[\s\S]*(onExpireHeartbeat|tryCompleteHeartbeat|shouldKeepMemberAlive|GroupMetadata\.get)"
            ),
        ),
        roles="broker; both modes",
        affected=(up_to("2.2.1"), only("2.3.0")),
        fixed_in=("2.2.2", "2.3.1", "2.4.0"),
        consequence="The heartbeat reaper of the broker can end: dead members are no longer removed, groups hang in rebalances.",
        heals="restart of the coordinator",
        advice="Restart the broker that printed it; offsets are safe.",
        source="JIRA KAFKA-8896; PR 7377",
        confidence="likely",
        example=Example(
            "ERROR [KafkaApi-1] Error when handling request: clientId=consumer-1, correlationId=12, api=HEARTBEAT (kafka.server.KafkaApis)\n"
            "java.util.NoSuchElementException: key not found: consumer-1-9e7d\n"
            "\tat kafka.coordinator.group.GroupMetadata.get(GroupMetadata.scala:221)"
        ),
    ),
    KnownIssue(
        key="KAFKA-12890",
        title="Group stuck in CompletingRebalance because a member never sends SyncGroup",
        signature=(
            Sign(r"Stabilized group (?P<g>\S+) generation (?P<k>\d+)", logger="GroupCoordinator"),
            Sign(
                r"Assignment received from leader .*for group {g} for generation {k}\b|[Gg]roup {g} .*generation (?!{k}\b)\d+",
                absent=True,
            ),
        ),
        roles="broker; both modes",
        affected=(between("2.6.1", "2.8.0"),),
        fixed_in=("2.8.1", "3.0.0"),
        consequence='After "Stabilized group" no assignment follows; the whole group consumes nothing.',
        heals="alone when a member leaves; restart of the silent client",
        advice="Find the member without assignment and restart that client. Do not reset offsets.",
        look_alike='Normal groups print "Assignment received from leader" after it',
        source="JIRA KAFKA-12890; PR 10863, 8834",
        confidence="likely",
        needs_more=True,
        example=Example("INFO Stabilized group 7 generation 7 (GroupCoordinator)"),
    ),
    KnownIssue(
        key="KAFKA-13636",
        title="Committed offsets deleted during a long rebalance",
        signature=(Sign(r"Removed [1-9]\d* expired offsets in \d+ milliseconds", logger="GroupMetadataManager"),),
        roles="broker; both modes",
        affected=(up_to("2.8.1"), only("3.0.0"), only("3.1.0")),
        fixed_in=("2.8.2", "3.0.1", "3.1.1", "3.2.0"),
        consequence="Offsets of partitions nobody owns during the rebalance expire; consumers start at auto.offset.reset: records are read again or skipped.",
        heals="manual",
        advice="Raise offsets.retention.minutes; set the lost positions from lag monitoring or from __consumer_offsets (older records may still be there).",
        look_alike="Expiry of truly dead groups: by design; KAFKA-8069 (2.1)",
        source="JIRA KAFKA-13636; PR 11742",
        confidence="likely",
        needs_more=True,
        example=Example(
            "INFO [Group Metadata Manager on Broker 2]: Removed 12 expired offsets in 84 milliseconds. (GroupMetadataManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-7286",
        title="Loading of groups never ends: a record exceeds the buffer",
        signature=(
            Sign(
                r"Scheduling loading of offsets and group metadata from (?P<tp>[\w-]+\d)", logger="GroupMetadataManager"
            ),
            Sign(
                r"(Finished loading offsets and group metadata from|Scheduling unloading of offsets and group metadata from) {tp}\b",
                absent=True,
            ),
        ),
        roles="broker; both modes",
        affected=(up_to("2.0.0"),),
        fixed_in=("2.0.1", "2.1.0"),
        consequence='No "Finished loading" follows for that partition: its groups get COORDINATOR_LOAD_IN_PROGRESS for ever.',
        heals="restart with a larger buffer",
        advice="Set offsets.load.buffer.size above the largest group record and restart the coordinator. Do not delete __consumer_offsets.",
        look_alike="Slow load of a partition that was never compacted (cleaner-died)",
        source="JIRA KAFKA-7286; PR 5500",
        confidence="likely",
        needs_more=True,
        example=Example(
            "INFO [GroupMetadataManager brokerId=1] Scheduling loading of offsets and group metadata from __consumer_offsets-0 (GroupMetadataManager)",
            "traces/kill-leader-zk-1.1.1",
        ),
    ),
    KnownIssue(
        key="KAFKA-9065",
        title="Loading of offsets or transactions loops at a compacted end",
        signature=(
            Sign(
                r"(Scheduling loading of offsets and group metadata from|Loading transaction metadata from) (?P<tp>[\w-]+\d)"
            ),
            Sign(r"Finished loading .*metadata from {tp}\b", absent=True),
        ),
        roles="broker; both modes",
        affected=(up_to("2.4.0"),),
        fixed_in=("2.4.1", "2.5.0"),
        consequence='No "Finished loading" follows; one thread is busy; groups or transactional ids of that partition hang.',
        heals="a new record at the end, or upgrade",
        advice="Move the leader to a replica whose active segment is not empty, or upgrade.",
        look_alike="KAFKA-7286",
        source="JIRA KAFKA-9065; PR 7554",
        confidence="likely",
        needs_more=True,
        example=Example(
            "INFO [GroupMetadataManager brokerId=1] Scheduling loading of offsets and group metadata from __consumer_offsets-0 (GroupMetadataManager)",
            "traces/kill-leader-zk-1.1.1",
        ),
    ),
    KnownIssue(
        key="coordinator-load-oom",
        title="Coordinator runs out of memory while it loads __consumer_offsets",
        signature=(Sign(r"Error loading offsets from __consumer_offsets-\d+"), Sign(r"OutOfMemoryError", same=True)),
        roles="broker; both modes",
        consequence="Groups of that partition are not served; the broker may die.",
        heals="manual",
        advice="Give more heap, then look why the partition is large: cleaner-died or short-lived group ids.",
        look_alike="KAFKA-19716 (new coordinator)",
        source="public logs",
        confidence="sure",
        tells_more=True,
        example=Example(
            "ERROR [GroupMetadataManager brokerId=1] Error loading offsets from __consumer_offsets-12 (kafka.coordinator.group.GroupMetadataManager)\n"
            "java.lang.OutOfMemoryError: Java heap space",
            "a public log of 2.2",
        ),
    ),
    KnownIssue(
        key="KAFKA-8803",
        title="Clock went back: a transaction never becomes Ongoing and never expires",
        signature=(
            Sign(
                r"'s transition to TxnTransitMetadata\(.* failed: this should not happen|failed transition to state TxnTransitMetadata",
                logger="TransactionMetadata",
            ),
        ),
        roles="broker; both modes",
        affected=(up_to("2.4"),),
        fixed_in=("2.5.0",),
        consequence="The transactional id is stuck: InitProducerId times out until the coordinator reloads.",
        heals="restart or leader move of the __transaction_state partition",
        advice="Move the leader of that partition; repair NTP (slew, not step).",
        source="JIRA KAFKA-8803; PR 8278",
        confidence="sure",
        example=Example(
            "ERROR TransactionMetadata(transactionalId=orders-0, producerId=4002)'s transition to TxnTransitMetadata(producerId=4002, txnState=Ongoing) failed: this should not happen (kafka.coordinator.transaction.TransactionMetadata)"
        ),
    ),
    KnownIssue(
        key="KAFKA-9749",
        title="Transaction stays half done after a storage error on one broker",
        signature=(Sign(r"Received fatal error \S+ while sending txn marker for"),),
        roles="broker; both modes",
        affected=(up_to("2.4"),),
        fixed_in=("2.5.0",),
        consequence="The transaction stays in PrepareCommit or PrepareAbort: read_committed consumers stop before it, its producer gets CONCURRENT_TRANSACTIONS.",
        heals="restart or leader move of the __transaction_state partition",
        advice="Move the leader of that __transaction_state partition: the markers are sent again.",
        source="JIRA KAFKA-9749; PR 8336",
        confidence="likely",
        example=Example(
            "ERROR [Transaction Marker Channel Manager 1]: Uncaught error in request completion (kafka.coordinator.transaction.TransactionMarkerRequestCompletionHandler)\n"
            "java.lang.IllegalStateException: Received fatal error UNKNOWN_SERVER_ERROR while sending txn marker for orders-0"
        ),
    ),
    KnownIssue(
        key="KAFKA-13099",
        title="Expired transactional ids cannot be removed: batch of tombstones too large",
        signature=(
            Sign(
                r"Failed to remove expired transactionalId: .* Tombstone append error code: (MESSAGE_TOO_LARGE|RECORD_LIST_TOO_LARGE)",
                logger="TransactionStateManager",
            ),
        ),
        roles="broker; both modes",
        affected=(up_to("2.6.2"), between("2.7.0", "2.7.1"), only("2.8.0")),
        fixed_in=("2.6.3", "2.7.2", "2.8.1", "3.0.0"),
        consequence="__transaction_state and the heap grow; running transactions are not harmed.",
        heals="upgrade",
        advice="Raise max.message.bytes of __transaction_state for a while, or upgrade.",
        look_alike="Other error codes: the partition has too few in-sync replicas",
        source="JIRA KAFKA-13099; PR 11098",
        confidence="sure",
        example=Example(
            "WARN Failed to remove expired transactionalId: 7 from cache. Tombstone append error code: MESSAGE_TOO_LARGE, pendingState: pending-state, producerEpoch: 7, expected producerEpoch: 7, coordinatorEpoch: 7, expected coordinatorEpoch: 7 (TransactionStateManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-14880",
        title="Expiration task of transactional ids fails on an epoch of -1",
        signature=(
            Sign(r"Uncaught exception in scheduled task 'transactionalId-expiration'"),
            Sign(r"Illegal new producer epoch -1", same=True),
        ),
        roles="broker; both modes",
        affected=(up_to("3.4.0"),),
        fixed_in=("3.4.1", "3.5.0"),
        consequence="No transactional id of this coordinator expires any more; memory grows slowly.",
        heals="restart helps for a while; upgrade",
        advice="Upgrade; no transaction is lost.",
        look_alike="KAFKA-19367 (positive overflow)",
        source="JIRA KAFKA-14880 (its text shows the line); PR 13499",
        confidence="sure",
        example=Example(
            "ERROR Uncaught exception in scheduled task 'transactionalId-expiration' (org.apache.kafka.server.util.KafkaScheduler)\n"
            "java.lang.IllegalArgumentException: Illegal new producer epoch -1"
        ),
    ),
    KnownIssue(
        key="KAFKA-12671",
        title="Late produce request opens a transaction nobody ends",
        signature=(Sign(r"Invalid(Producer)?Epoch|is smaller than the last seen epoch|Producer\'s epoch at offset"),),
        roles="broker; both modes",
        affected=(between("0.11.0.0", "3.5"),),
        fixed_in=("3.6.0", "4.0.0"),
        note="3.6.0 and later verify on the server (KIP-890); 3.6.0 verifies, 4.0.0 with transaction.version 2",
        consequence="The last stable offset stands still; read_committed consumers of the partition stop; log cleaner and retention keep everything after it.",
        heals="manual",
        advice="Find it with kafka-transactions.sh find-hanging and abort it there. Do not delete .snapshot files of a running leader.",
        look_alike="A long but living transaction (transaction.timeout.ms)",
        source="JIRA KAFKA-12671 (open); KIP-664, KIP-890",
        confidence="likely",
        needs_more=True,
        example=Example(
            "WARN Producer's epoch at offset 120 in orders-3 is 14, which is smaller than the last seen epoch 19 (ProducerAppendInfo)"
        ),
    ),
    KnownIssue(
        key="KAFKA-15653",
        title="Transactional appends fail with a null pointer from another thread's buffers",
        signature=(
            Sign(r"Error processing append operation on partition \S+", logger="ReplicaManager"),
            Sign(r"NullPointerException[\s\S]*ChunkedBytesStream", same=True),
        ),
        roles="broker; both modes",
        affected=(only("3.6.0"),),
        fixed_in=("3.6.1", "3.7.0"),
        consequence="The producer gets UNKNOWN_SERVER_ERROR; nothing of that batch is stored.",
        heals="upgrade",
        advice="Upgrade to 3.6.1, or set transaction.partition.verification.enable=false until then.",
        source="JIRA KAFKA-15653; PR 14629",
        confidence="sure",
        example=Example(
            "ERROR [ReplicaManager broker=1] Error processing append operation on partition orders-3 (kafka.server.ReplicaManager)\n"
            'java.lang.NullPointerException: Cannot invoke "java.nio.ByteBuffer.hasArray()" because "this.intermediateBuf" is null\n'
            "\tat org.apache.kafka.common.utils.ChunkedBytesStream.read(ChunkedBytesStream.java:89)"
        ),
    ),
    KnownIssue(
        key="KAFKA-16386",
        title="Transaction verification passes on a network error that clients do not retry",
        signature=(
            Sign(r"Unable to verify the partition has been added to the transaction\. Underlying error:"),
            Sign(r"NETWORK_EXCEPTION", same=True),
        ),
        roles="broker; both modes",
        affected=(between("3.6.0", "3.7.0"),),
        fixed_in=("3.7.1", "3.8.0"),
        consequence="Older transactional clients stop with an error while the coordinator is not reachable.",
        heals="alone for clients that retry",
        advice="Upgrade brokers; or switch transaction.partition.verification.enable off for the time of the restart.",
        look_alike="Other underlying errors are retried",
        source="PR 15559",
        confidence="likely",
        example=Example(
            "WARN [ReplicaManager broker=1] Append failed (kafka.server.ReplicaManager)\n"
            "org.apache.kafka.common.errors.InvalidTxnStateException: Unable to verify the partition has been added to the transaction. Underlying error: NETWORK_EXCEPTION"
        ),
    ),
    KnownIssue(
        key="KAFKA-16992",
        title="Upgraded broker sends a verification request that older brokers refuse",
        signature=(Sign(r"Received request api key ADD_PARTITIONS_TO_TXN with version \d+ which is not enabled"),),
        roles="broker; both modes",
        affected=(between("3.6.0", "3.7.0"),),
        fixed_in=("3.7.1", "3.8.0"),
        note="in mixed clusters",
        consequence="Transactional produce fails during the rolling upgrade.",
        heals="alone when all brokers are upgraded",
        advice="Finish the rolling upgrade quickly, or switch transaction.partition.verification.enable off until it is done.",
        look_alike="Very old clients: client-too-old",
        source="PR 15971; SocketServer.scala",
        confidence="sure",
        example=Example(
            "ERROR Exception while processing request from 10.0.0.1:9092-10.0.0.7:41822-18 (kafka.network.Processor)\n"
            "org.apache.kafka.common.errors.InvalidRequestException: Received request api key ADD_PARTITIONS_TO_TXN with version 4 which is not enabled"
        ),
    ),
    KnownIssue(
        key="KAFKA-19690",
        title="Producer of an aborted transaction gets a fatal error",
        signature=(Sign(r"Record was not part of an ongoing transaction"),),
        roles="broker; both modes",
        affected=(between("3.6.0", "3.9.1"), between("4.0.0", "4.0.1"), only("4.1.0")),
        fixed_in=("3.9.2", "4.0.2", "4.1.1", "4.2.0"),
        consequence="A Streams or transactional client that stalled longer than its timeout ends instead of starting anew; no data are lost.",
        heals="restart of the client",
        advice="Restart the client; raise transaction.timeout.ms.",
        look_alike="A client that truly writes outside of a transaction",
        source="PR 20534; UnifiedLog.scala",
        confidence="sure",
        example=Example(
            "WARN [ReplicaManager broker=1] Append failed (kafka.server.ReplicaManager)\n"
            "org.apache.kafka.common.errors.InvalidTxnStateException: Record was not part of an ongoing transaction"
        ),
    ),
    KnownIssue(
        key="KAFKA-14694",
        title="Request threads wait for producer ids from a slow controller",
        signature=(Sign(r"Timed out waiting for next producer ID block"),),
        roles="broker; both modes",
        affected=(between("3.0.0", "3.5"),),
        fixed_in=("3.6.0",),
        consequence="Many new idempotent producers block the request handlers of the broker.",
        heals="alone when the controller answers",
        advice="Look at the controller (load, reachability). Reduce short-lived producers.",
        source="PR 13267; ProducerIdManager.scala",
        confidence="sure",
        example=Example(
            "ERROR [TransactionCoordinator id=1] Error in InitProducerId (kafka.coordinator.transaction.TransactionCoordinator)\n"
            "org.apache.kafka.common.KafkaException: Timed out waiting for next producer ID block"
        ),
    ),
    KnownIssue(
        key="mixed-offset-commits",
        title="Warning about mixed offset commits",
        signature=(Sign(r"Mixing both types of offset commits will generally result in surprises"),),
        roles="broker; both modes",
        consequence="Positions may jump: one group commits by consumers and by transactions at once.",
        heals="manual",
        advice="Let one way of committing be used for the group.",
        source="GroupMetadataManager.scala",
        confidence="sure",
        tells_more=True,
        example=Example(
            "WARN group: 7 with leader: leader-or-null has received offset commits from consumers as well as transactional producers. Mixing both types of offset commits will generally result in surprises and should be avoided. (GroupMetadataManager)"
        ),
    ),
    KnownIssue(
        key="coordinator-unknown-record",
        title="Record left over from an aborted upgrade is skipped",
        signature=(Sign(r"It could be a left over from an aborted upgrade"),),
        roles="broker; both modes",
        affected=(since("3.5"),),
        consequence="State written by a newer release is ignored by this older one.",
        heals="alone",
        advice="Expected after a downgrade; groups of the newer kind must join again.",
        source="GroupMetadataManager.scala",
        confidence="sure",
        example=Example(
            "WARN Unknown record type record-type while loading offsets and group metadata from orders-3. Ignoring it. It could be a left over from an aborted upgrade. (CoordinatorLoaderImpl)"
        ),
    ),
    KnownIssue(
        key="rebalance-dynamic-members",
        title="Group rebalances all the time because clients join under new ids",
        signature=(
            Sign(
                r"Preparing to rebalance group (?P<g>\S+) in state \w+ with old generation \d+ \(\S+\) \(reason: Adding new member",
                logger="GroupCoordinator",
                times=20,
            ),
        ),
        roles="broker; both modes",
        consequence="Consumption pauses at each generation; records may be read twice.",
        heals="manual",
        advice="Look for generations that rise every few seconds with new member ids: max.poll.interval.ms too short, clients that do not leave, no group.instance.id.",
        look_alike="A deployment: ends with it",
        source="GroupCoordinator.scala",
        confidence="sure",
        example=Example(
            "INFO [GroupCoordinator 1]: Preparing to rebalance group orders-readers in state PreparingRebalance with old generation 58 (__consumer_offsets-7) (reason: Adding new member consumer-1-9e7d with group instance id None) (kafka.coordinator.group.GroupCoordinator)\n"
            "" * 20,
            "a public log of 2.8",
        ),
    ),
    KnownIssue(
        key="offsets-topic-too-few-brokers",
        title="Offsets topic cannot be made: fewer brokers than its factor",
        signature=(Sign(r"Number of alive brokers '\d+' does not meet the required replication factor"),),
        roles="broker; both modes",
        consequence="No group can work until it exists.",
        heals="alone when enough brokers run",
        advice="Start the missing brokers. On a single broker set offsets.topic.replication.factor=1 (and the transaction ones).",
        source="KafkaApis.scala",
        confidence="sure",
        example=Example(
            "ERROR [KafkaApi-2] Number of alive brokers '12' does not meet the required replication factor 'offsets-topic-replication-factor' for the offsets topic (configured via 'offsets.topic.replication.factor'). This error can be ignored if the cluster is starting up and not all brokers are up yet. (KafkaApis)"
        ),
    ),
    KnownIssue(
        key="own-hostname-unresolved",
        title="Broker cannot resolve its own host name, requests fail",
        signature=(
            Sign(r"Processor got uncaught exception\.", logger="Processor"),
            Sign(r"UnknownHostException: (\S+): \1", same=True),
        ),
        roles="broker; both modes",
        note="0.10 for the request path; all for start and JMX",
        consequence="The port accepts connections but nothing is answered.",
        heals="manual",
        advice="Put the own host name into DNS or /etc/hosts and restart the broker.",
        look_alike="The name of another host: ordinary DNS trouble",
        source="RequestChannel.scala 0.10.1.0",
        confidence="sure",
        example=Example(
            "ERROR Processor got uncaught exception. (kafka.network.Processor)\n"
            "java.net.UnknownHostException: kafka-1: kafka-1: Name or service not known",
            "a public log of 0.10",
        ),
    ),
    KnownIssue(
        key="KAFKA-6529",
        title="Broker leaks descriptors when clients vanish with data pending",
        signature=(
            Sign(r"Too many open files"),
            Sign(r"Attempting to send response via channel for which there is no open connection"),
        ),
        roles="broker; both modes",
        affected=(between("0.11.0.0", "0.11.0.2"), only("1.0.0")),
        fixed_in=("0.11.0.3", "1.0.1", "1.1.0"),
        consequence="After days the broker has no descriptors or memory left.",
        heals="restart; upgrade",
        advice="Restart one broker at a time; upgrade.",
        look_alike="too-many-open-files by limit or clients",
        source="JIRA KAFKA-6529",
        confidence="likely",
        example=Example(
            "WARN Attempting to send response via channel for which there is no open connection, connection id 10.0.0.1:9092-10.0.0.7:41822-18 (kafka.network.Processor)\n"
            "ERROR Error while accepting connection (kafka.network.Acceptor)\n"
            "java.io.IOException: Too many open files"
        ),
    ),
    KnownIssue(
        key="KAFKA-13457",
        title="Accepted socket is not closed after an error, descriptors leak",
        signature=(Sign(r"Error while accepting connection"),),
        roles="broker; both modes",
        affected=(up_to("3.1"),),
        fixed_in=("3.2.0",),
        consequence="Each such line may cost one descriptor.",
        heals="restart; upgrade",
        advice="Find the cause of the line; restart when descriptors get short.",
        look_alike="KAFKA-6982; too-many-open-files (the cause itself)",
        source="PR 11504",
        confidence="likely",
        needs_more=True,
        example=Example("ERROR Error while accepting connection (Acceptor)"),
    ),
    KnownIssue(
        key="connection-limit-per-ip",
        title="Address has reached max.connections.per.ip (as configured)",
        signature=(
            Sign(r"Rejected connection from \S+,? address already has the configured maximum of \d+ connections"),
        ),
        roles="broker; both modes",
        affected=(since("0.9"),),
        consequence="New connections of that address are closed; existing ones work.",
        heals="alone when connections close",
        advice="Look for a client that leaks connections or a load balancer that hides many clients behind one address; then raise the limit.",
        source="SocketServer.scala",
        confidence="sure",
        example=Example(
            "INFO Rejected connection from /10.0.0.7, address already has the configured maximum of 100 connections. (kafka.network.SocketServer)"
        ),
    ),
    KnownIssue(
        key="KAFKA-20302",
        title="Rejected requests keep their buffer, the request memory runs out",
        signature=(
            Sign(r"queued\.max\.request\.bytes = [1-9]\d*", logger="KafkaConfig"),
            Sign(r"Closing socket for \S+ because of error|Exception while processing request from"),
        ),
        roles="broker; both modes",
        affected=(up_to("4.2.0"),),
        fixed_in=("4.2.1", "4.3.0"),
        note="with queued.max.request.bytes set; later 3.9.3 if it comes",
        consequence="After many invalid requests the broker reads no more requests.",
        heals="restart",
        advice="Restart; unset queued.max.request.bytes until the upgrade; find the sender of the invalid requests.",
        source="PR 21740",
        confidence="likely",
        needs_more=True,
        example=Example(
            "INFO KafkaConfig values: \n"
            "\tbroker.id = 1\n"
            "\tqueued.max.request.bytes = 104857600\n"
            " (kafka.server.KafkaConfig)\n"
            "ERROR Exception while processing request from 10.0.0.1:9092-10.0.0.7:41822-18 (kafka.network.Processor)"
        ),
    ),
    KnownIssue(
        key="KAFKA-7755",
        title="Broker names resolved only once: stale addresses after pod restarts",
        signature=(
            Sign(
                r"Connection to node -?\d+ \(\S+/\[?[\d.]+:\d+\S*\) could not be established\. Broker may not be available",
                logger="NetworkClient",
            ),
        ),
        roles="broker and clients; both modes",
        affected=(up_to("2.1.0"),),
        fixed_in=("2.1.1", "2.2.0"),
        note="established connections: KAFKA-12193 in 2.6.2, 2.7.1, 2.8.0",
        consequence="Transaction coordinator, replica fetchers or controller keep asking an old address: transactions hang, replicas lag.",
        heals="restart of the broker that prints it",
        advice="Compare the printed address with the present one. Restart the printing broker; upgrade.",
        look_alike="The other broker is really down; KAFKA-12193, where the connection stood before",
        source="JIRA KAFKA-7755, KAFKA-7958",
        confidence="sure",
        needs_more=True,
        example=Example(
            "WARN [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Connection to node 1 (kafka-1.example/10.0.0.1:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)"
        ),
    ),
    KnownIssue(
        key="KAFKA-12193",
        title="Old address kept after the peer moved while connected",
        signature=(
            Sign(
                r"Connection to node -?\d+ \(\S+/\[?[\d.]+:\d+\S*\) could not be established\. Broker may not be available",
                logger="NetworkClient",
            ),
        ),
        roles="broker and clients; both modes",
        affected=(up_to("2.6.1"), only("2.7.0")),
        fixed_in=("2.6.2", "2.7.1", "2.8.0"),
        consequence="Reconnects take long because all old addresses are tried first.",
        heals="alone after some tries",
        advice="Wait or restart the printing side; upgrade.",
        look_alike="KAFKA-7755",
        source="PR 9902, 10061",
        confidence="likely",
        needs_more=True,
        example=Example(
            "WARN [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Connection to node 1 (kafka-1.example/10.0.0.1:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)"
        ),
    ),
    KnownIssue(
        key="port-in-use",
        title="Port cannot be bound",
        signature=(
            Sign(
                r"Socket server failed to bind to \S+:\d+: (Address already in use|Cannot assign requested address|Permission denied|Operation not permitted)"
            ),
        ),
        roles="broker and controller; both modes",
        consequence="The start ends.",
        heals="manual",
        advice="In use: see which process holds it (an earlier broker that has not ended?). Cannot assign: listeners names an address of another host; use advertised.listeners for that.",
        source="SocketServer.scala",
        confidence="sure",
        example=Example(
            "ERROR [KafkaServer id=0] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\n"
            "org.apache.kafka.common.KafkaException: Socket server failed to bind to 0.0.0.0:9092: Address already in use.",
            "a public log of 2.8",
        ),
    ),
    KnownIssue(
        key="http-or-tls-on-plain-port",
        title="Something that is not Kafka talks to a Kafka port",
        signature=(
            Sign(r"Invalid receive \(size = (1195725856|1347375956|1212498244|369[23]\d{5}|-?\d{9,}) ?(larger than)?"),
        ),
        roles="broker; both modes",
        consequence='None for others: the connection is closed (1195725856 is "GET ", 3692..../3693.... a TLS hello on a plain port).',
        heals="alone",
        advice="Find the health check, scanner or a client with the wrong security.protocol.",
        look_alike="A producer with requests above socket.request.max.bytes: smaller numbers",
        source="NetworkReceive.java",
        confidence="sure",
        example=Example(
            "WARN [SocketServer listenerType=ZK_BROKER, nodeId=1] Unexpected error from /10.0.0.7; closing connection (org.apache.kafka.common.network.Selector)\n"
            "org.apache.kafka.common.network.InvalidReceiveException: Invalid receive (size = 1195725856 larger than 104857600)"
        ),
    ),
    KnownIssue(
        key="sasl-inter-broker-credentials",
        title="Brokers or controller cannot log in to each other",
        signature=(
            Sign(
                r"(Controller id=\d+, targetBrokerId=\d+|ReplicaFetcher replicaId=\d+|broker-\d+-to-controller\S*|RaftManager (node)?[iI]d=\d+)[^\n]*(failed authentication due to|Failed (re-)?authentication with)"
            ),
        ),
        roles="broker and controller; both modes",
        consequence="The controller can command no broker, replicas do not follow.",
        heals="manual",
        advice="Check user and password of the inter-broker listener on this node; with SCRAM the user must exist before the brokers start. No attacker: the peer is a broker.",
        look_alike="A client in the same words without these prefixes",
        source="NetworkClient.java",
        confidence="sure",
        example=Example(
            "ERROR [Controller id=1, targetBrokerId=2] Connection to node 2 (kafka-2.example/10.0.0.2:9093) failed authentication due to: Authentication failed during authentication due to invalid credentials with SASL mechanism SCRAM-SHA-256 (org.apache.kafka.clients.NetworkClient)",
            "a public log of 2.5",
        ),
    ),
    KnownIssue(
        key="client-auth-failed",
        title="Client cannot log in",
        signature=(Sign(r"Failed (re-)?authentication with /?\S+ \(", logger="Selector"),),
        roles="broker; both modes",
        consequence="Only that client; many lines per second can load the network threads.",
        heals="manual",
        advice="Read the text in brackets; look at the address. connection.failed.authentication.delay.ms slows down such clients.",
        look_alike="sasl-inter-broker-credentials",
        source="Selector.java",
        confidence="sure",
        example=Example(
            "INFO [SocketServer brokerId=1] Failed authentication with /10.0.0.7 (Authentication failed during authentication due to invalid credentials with SASL mechanism PLAIN) (org.apache.kafka.common.network.Selector)",
            "a public log of 2.5",
        ),
    ),
    KnownIssue(
        key="sasl-without-login",
        title="Client speaks plain Kafka on a SASL listener",
        signature=(Sign(r"Unexpected Kafka request of type \w+ during SASL (handshake|authentication)"),),
        roles="broker; both modes",
        consequence="Only that client.",
        heals="manual",
        advice="Set security.protocol of the client to SASL_PLAINTEXT or SASL_SSL; for a broker as peer check the listener map.",
        source="SaslServerAuthenticator.java",
        confidence="sure",
        example=Example(
            "INFO [SocketServer listenerType=BROKER, nodeId=1] Failed authentication with /10.0.0.7 (channelId=10.0.0.1:9092-10.0.0.7:41822-18) (Unexpected Kafka request of type METADATA during SASL handshake.) (org.apache.kafka.common.network.Selector)"
        ),
    ),
    KnownIssue(
        key="tls-certificate",
        title="TLS handshake fails on a certificate",
        signature=(
            Sign(
                r"PKIX path building failed|No (name matching|subject alternative)|certificate_(unknown|expired)|CertificateExpiredException|Received fatal alert: \w+|Unsupported or unrecognized SSL message"
            ),
        ),
        roles="broker, controller and clients; both modes",
        consequence="The two sides of that connection do not talk; expired certificates stop a whole cluster at once at the next reconnect.",
        heals="manual",
        advice="Expired: renew and reload (keystores can be changed without restart). Name: certificate lacks the advertised host. Unrecognized message: one side is plain text.",
        source="text of the JDK",
        confidence="likely",
        example=Example(
            "INFO [SocketServer listenerType=BROKER, nodeId=1] Failed authentication with /10.0.0.7 (channelId=10.0.0.1:9092-10.0.0.7:41822-18) (SSL handshake failed) (org.apache.kafka.common.network.Selector)\n"
            "javax.net.ssl.SSLHandshakeException: PKIX path building failed: sun.security.provider.certpath.SunCertPathBuilderException: unable to find valid certification path to requested target"
        ),
    ),
    KnownIssue(
        key="keystore-unreadable",
        title="Key or trust store cannot be read",
        signature=(
            Sign(r"Failed to load SSL keystore|keystore password was incorrect|Failed to load PEM SSL keystore"),
        ),
        roles="broker and controller; both modes",
        consequence="The node does not start.",
        heals="manual",
        advice="Check path, rights, type and password.",
        source="SslEngineBuilder.java",
        confidence="sure",
        example=Example(
            "ERROR [KafkaServer id=1] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\n"
            "org.apache.kafka.common.KafkaException: Failed to load SSL keystore /etc/kafka/server.keystore.jks of type JKS\n"
            "Caused by: java.io.IOException: keystore password was incorrect"
        ),
    ),
    KnownIssue(
        key="jaas-missing",
        title="Login configuration is missing",
        signature=(Sign(r"Could not find a '[^']+' (or '[^']+' )?entry in the JAAS"),),
        roles="broker and controller; both modes",
        consequence="The node does not start, or talks to ZooKeeper without login.",
        heals="manual",
        advice="Give -Djava.security.auth.login.config or listener.name...sasl.jaas.config.",
        look_alike="The WARN of the ZooKeeper client about a missing Client section: harmless where ZooKeeper needs no login",
        source="JaasContext.java",
        confidence="sure",
        example=Example(
            "ERROR [KafkaServer id=1] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\n"
            "java.lang.IllegalArgumentException: Could not find a 'KafkaServer' or 'sasl_plaintext.KafkaServer' entry in the JAAS configuration. System property 'java.security.auth.login.config' is not set"
        ),
    ),
    KnownIssue(
        key="acl-cluster-action",
        title="Broker is not allowed to act as a broker",
        signature=(
            Sign(
                r"Principal = \S+ is Denied [Oo]peration = (ClusterAction|CLUSTER_ACTION)|ClusterAuthorizationException: Request .* is not authorized"
            ),
        ),
        roles="broker and controller; both modes",
        consequence="Controller requests or fetches of replicas are refused: metadata stale, replicas out of sync.",
        heals="manual",
        advice="Put the principal of the brokers into super.users on all nodes (also on controllers), or grant ClusterAction on Cluster.",
        look_alike="A client that is denied a topic: another operation",
        source="AclAuthorizer.scala, StandardAuthorizerData.java; KafkaApis.scala",
        confidence="sure",
        tells_more=True,
        example=Example(
            "INFO Principal = User:ANONYMOUS is Denied Operation = ClusterAction from host = 10.0.0.2 on resource = Cluster:LITERAL:kafka-cluster (kafka.authorizer.logger)"
        ),
    ),
    KnownIssue(
        key="KAFKA-17227",
        title="Compression library cannot be unpacked, requests fail",
        signature=(Sign(r"UnsatisfiedLinkError[\s\S]*zstd|Could not initialize class com\.github\.luben\.zstd"),),
        roles="broker and clients; both modes",
        affected=(only("3.8.0"),),
        fixed_in=("3.7.2", "3.8.1", "3.9.0"),
        note="for the zstd case; all releases where /tmp is mounted noexec",
        consequence="Fetches or produces with that codec fail; 3.8.0 needs zstd even where it is not used.",
        heals="manual",
        advice="Give a writable, executable directory: -Djava.io.tmpdir=... or -DZstdTempFolder=...",
        source="PR 16763, 16782",
        confidence="likely",
        example=Example(
            "ERROR [KafkaApi-1] Unexpected error handling request (kafka.server.KafkaApis)\n"
            "java.lang.NoClassDefFoundError: Could not initialize class com.github.luben.zstd.ZstdOutputStreamNoFinalizer"
        ),
        needs_release=True,
    ),
    KnownIssue(
        key="KAFKA-13802",
        title="The task that flushes logs ends with NoSuchElementException",
        signature=(
            Sign(r"Uncaught exception in scheduled task 'flush-log'"),
            Sign(r"NoSuchElementException", same=True),
        ),
        roles="broker; both modes",
        affected=(between("3.0.0", "3.1.0"),),
        note="reported in April 2022 and closed as fixed by PR 11605; the first release with the fix is not certain",
        consequence="One flush of one log is left out: the recovery point of that log moves later. The records are written, and replicated as before.",
        heals="alone, with the next flush",
        advice="Nothing at once; upgrade. After a crash the node checks a little more of that log than it had to.",
        look_alike="The same task with an IOException: the disk failed",
        source="JIRA KAFKA-13802; PR 11605",
        confidence="likely",
        example=Example(
            "ERROR Uncaught exception in scheduled task 'flush-log' (kafka.utils.KafkaScheduler)\n"
            "java.util.NoSuchElementException\n"
            "\tat java.base/java.util.concurrent.ConcurrentSkipListMap$SubMap$SubMapIter.advance(Unknown Source)",
            "JIRA KAFKA-13802",
        ),
    ),
    KnownIssue(
        key="KAFKA-19902",
        title="A committed offset with an old leader epoch is out of range after a rebalance",
        signature=(
            Sign(r"Fetch position FetchPosition\{offset=\d+[^\n]*is out of range for partition \S+, resetting offset"),
        ),
        roles="consumers; both modes",
        affected=(up_to("4.3"),),
        note="open; PR 22558 is proposed",
        consequence="The consumer commits its offset with the leader epoch of the last batch that it read. If retention has deleted the segments of that epoch, or no epoch is committed at all and the leader's log was cut, the next member gets OFFSET_OUT_OF_RANGE and jumps to where auto.offset.reset says: records are read again, or skipped.",
        heals="the jump is done; the next commit is sound",
        advice="Set auto.offset.reset to earliest (or none, and decide yourself); commit offsets with their leader epoch (OffsetAndMetadata with leaderEpoch). Set the group back with kafka-consumer-groups --reset-offsets if records were skipped.",
        look_alike="Retention that overtook a consumer that lags: then the offset lies below the log's start",
        source="JIRA KAFKA-19902; PR 22558; PR 23183 documents it",
        confidence="likely",
        needs_more=True,
        example=Example(
            "INFO [Consumer clientId=orders-1, groupId=orders-readers] Fetch position FetchPosition{offset=8100, offsetEpoch=Optional[4], currentLeader=LeaderAndEpoch{leader=Optional[kafka-1.example:9092 (id: 1 rack: null)], epoch=9}} is out of range for partition orders-3, resetting offset (org.apache.kafka.clients.consumer.internals.FetchCollector)"
        ),
    ),
    KnownIssue(
        key="advertised-localhost",
        title="Brokers announce localhost: peers connect to themselves",
        signature=(
            Sign(
                r"(ReplicaFetcher|Controller id=|RequestSendThread|TransactionCoordinator)[^\n]*[Cc]onnection to (node )?-?\d+ \(localhost/127\.0\.0\.1:\d+\) could not be established"
            ),
        ),
        roles="broker; both modes",
        consequence="Replication and clients from other hosts fail; one host alone seems to work.",
        heals="manual",
        advice="Set advertised.listeners to a name that all brokers and clients resolve; restart one broker after the other.",
        look_alike="Several brokers on one test host: then it is right",
        source="KafkaConfig.scala",
        confidence="sure",
        example=Example(
            "WARN [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Connection to node 1 (localhost/127.0.0.1:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)"
        ),
    ),
    KnownIssue(
        key="listener-name-mismatch",
        title="Broker lacks the listener the others talk on",
        signature=(
            Sign(
                r"End ?point with (security protocol|listener name) \S+ not found (for|$)|End point with listener name"
            ),
        ),
        roles="broker and controller; both modes",
        consequence="The controller cannot send to that broker; it stays out of all ISRs.",
        heals="manual",
        advice="Make inter.broker.listener.name and the listener map equal on all brokers. For a change: add the new listener everywhere first, switch in a second round.",
        source="Broker.scala",
        confidence="sure",
        tells_more=True,
        example=Example(
            "ERROR [KafkaApi-1] Error when handling request {topics=[]} (kafka.server.KafkaApis)\n"
            "kafka.common.BrokerEndPointNotAvailableException: End point with listener name INTERNAL not found for broker 2",
            "a public log of 1.1",
        ),
    ),
    KnownIssue(
        key="inter-broker-listener",
        title="inter.broker.listener.name is not advertised",
        signature=(
            Sign(
                r"must be a listener name defined in advertised\.listeners|listener names must be equal to or a subset of the ones defined in listeners"
            ),
        ),
        roles="broker; both modes",
        consequence="The start ends.",
        heals="manual",
        advice="Correct listeners, advertised.listeners and listener.security.protocol.map together.",
        source="KafkaConfig.scala",
        confidence="sure",
        example=Example(
            "ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\n"
            "java.lang.IllegalArgumentException: requirement failed: inter.broker.listener.name must be a listener name defined in advertised.listeners. The valid options based on currently configured listeners are PLAINTEXT"
        ),
    ),
    KnownIssue(
        key="replication-factor-too-high",
        title="Topic wants more replicas than there are brokers",
        signature=(
            Sign(
                r"[Rr]eplication factor: \d+ larger than available brokers: [1-9]\d*|Unable to replicate the partition \d+ time\(s\)"
            ),
        ),
        roles="broker and controller; both modes",
        consequence="The topic is not made (internal ones too).",
        heals="alone when enough brokers run",
        advice="Start the missing brokers; in KRaft fenced ones do not count.",
        look_alike="broker-without-metadata (0 brokers)",
        source="AdminUtils.scala; ReplicationControlManager.java",
        confidence="sure",
        tells_more=True,
        example=Example(
            "INFO [QuorumController id=1] createTopics result(s): CreatableTopic(name='orders', numPartitions=1, replicationFactor=3): INVALID_REPLICATION_FACTOR (Unable to replicate the partition 3 time(s): The target replication factor of 3 cannot be reached because only 1 broker(s) are registered.) (org.apache.kafka.controller.ReplicationControlManager)"
        ),
    ),
    KnownIssue(
        key="not-enough-replicas",
        title="Too few in-sync replicas for acks=all",
        signature=(
            Sign(
                r"NotEnoughReplicasException: (The size of the current ISR \S+( \S+)* is insufficient to satisfy the min\.isr requirement of|Number of insync replicas for partition)",
                logger="ReplicaManager",
            ),
        ),
        roles="broker; both modes",
        consequence="Writes with acks=all are refused; nothing is lost.",
        heals="alone when a follower is back in the ISR",
        advice="Bring the missing replicas back. Lowering min.insync.replicas gives availability at the price of safety: only with open eyes.",
        look_alike="min-isr-equals-rf",
        source="Partition.scala",
        confidence="sure",
        example=Example(
            "ERROR [ReplicaManager broker=1] Error processing append operation on partition orders-3 (kafka.server.ReplicaManager)\n"
            "org.apache.kafka.common.errors.NotEnoughReplicasException: The size of the current ISR Set(1) is insufficient to satisfy the min.isr requirement of 2 for partition orders-3",
            "a public log of 2.8",
        ),
    ),
    KnownIssue(
        key="min-isr-equals-rf",
        title="min.insync.replicas equals the replication factor",
        signature=(Sign(r"NotEnoughReplicasException"), Sign(r"min\.insync\.replicas ?[=:] ?([2-9])\b")),
        roles="broker; both modes",
        consequence="Each restart of one broker stops writes with acks=all.",
        heals="alone after the restart",
        advice="Set it to the factor minus one. Compare with the number of replicas of the topic.",
        look_alike="not-enough-replicas by a real failure",
        source="TopicConfig",
        confidence="likely",
        example=Example(
            "INFO Created log for partition orders-3 in /data/orders-3 with properties {min.insync.replicas=2} (kafka.log.LogManager)\n"
            "ERROR [ReplicaManager broker=1] Error processing append operation on partition orders-3 (kafka.server.ReplicaManager)\n"
            "org.apache.kafka.common.errors.NotEnoughReplicasException: The size of the current ISR Set(1) is insufficient to satisfy the min.isr requirement of 2 for partition orders-3",
            "a public log of 2.8",
        ),
    ),
    KnownIssue(
        key="offsets-topic-rf1",
        title="Offsets topic has a single replica",
        signature=(
            Sign(r"offsets\.topic\.replication\.factor = 1\b", logger="KafkaConfig"),
            Sign(r"\[ReplicaFetcher(Thread-\d+-\d+| replicaId=)"),
        ),
        roles="broker; both modes",
        note="default below 0.11 on small clusters; sample server.properties",
        consequence="If the one broker is down, its groups cannot work; if its disk is lost, their positions are lost.",
        heals="alone when the broker is back",
        advice="Raise the factor of __consumer_offsets and __transaction_state by a reassignment (the setting works only for a new topic).",
        look_alike="A single-broker test set-up",
        source="KafkaConfig.scala",
        confidence="sure",
        tells_more=True,
        example=Example(
            "INFO KafkaConfig values: \n"
            "\tbroker.id = 1\n"
            "\toffsets.topic.replication.factor = 1\n"
            " (kafka.server.KafkaConfig)\n"
            "INFO [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Starting (kafka.server.ReplicaFetcherThread)",
            "a public log of 2.8",
        ),
    ),
    KnownIssue(
        key="clock-jump",
        title="Record time stamps or the broker clock are far off",
        signature=(
            Sign(
                r"Timestamp -?\d+ of message with offset \d+ is\s+out of range|is out of range\. The timestamp should be within"
            ),
        ),
        roles="broker; both modes",
        consequence="Records are refused; accepted future stamps keep segments from being deleted for ever.",
        heals="manual",
        advice="Compare the clocks of brokers and producers (NTP). Stamps of a segment in the future: lower retention does not help, use retention.bytes or kafka-delete-records.",
        look_alike="KAFKA-8803 (transactions)",
        source="LogValidator",
        confidence="sure",
        tells_more=True,
        example=Example(
            "ERROR [ReplicaManager broker=1] Error processing append operation on partition orders-3 (kafka.server.ReplicaManager)\n"
            "org.apache.kafka.common.errors.InvalidTimestampException: Timestamp 1893456000000 of message with offset 0 is out of range. The timestamp should be within [1700000000000, 1700000100000]"
        ),
    ),
    KnownIssue(
        key="class-missing",
        title="Class of a plug-in is not on the class path",
        signature=(Sign(r"KafkaException: Class \S+ cannot be found"),),
        roles="broker and controller; both modes",
        consequence="The node does not start; a service manager starts it again and again.",
        heals="manual",
        advice="Put the jar into libs (same release) or remove the class from the settings.",
        look_alike="java-too-new for javax.xml.bind",
        source="AbstractConfig.java",
        confidence="sure",
        example=Example(
            "ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\n"
            "org.apache.kafka.common.KafkaException: Class com.example.Reporter cannot be found",
            "a public log of 3.4",
        ),
    ),
    KnownIssue(
        key="java-too-new",
        title="Java is newer (or older) than this release can use",
        signature=(Sign(r"ClassNotFoundException: javax\.xml\.bind\.DatatypeConverter|UnsupportedClassVersionError"),),
        roles="broker and controller; both modes",
        note="1.0 and older with Java 9 and later; 4.0 needs Java 17",
        consequence="Start ends or single requests fail.",
        heals="manual",
        advice="Use the Java named in the release notes of this release.",
        source="public logs",
        confidence="sure",
        example=Example(
            "FATAL  (kafka.Kafka$)\njava.lang.ClassNotFoundException: javax.xml.bind.DatatypeConverter",
            "a public log of 1.0",
        ),
    ),
    KnownIssue(
        key="config-file-missing",
        title="Properties file not found",
        signature=(
            Sign(r"(NoSuchFileException|FileNotFoundException): \S*(server|broker|controller)\S*(\.properties)?"),
            Sign(r"Exiting Kafka due to fatal exception", same=True),
        ),
        roles="broker and controller; both modes",
        consequence="Nothing started; a running broker is not concerned.",
        heals="manual",
        advice="Correct the path. Not an incident of the cluster.",
        source="public logs",
        confidence="sure",
        example=Example(
            "ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\n"
            "java.nio.file.NoSuchFileException: /etc/kafka/server.properties",
            "a public log of 3.4",
        ),
    ),
    KnownIssue(
        key="required-config-missing",
        title="Setting missing or invalid at start",
        signature=(
            Sign(
                r"ConfigException: (Missing required configuration|Invalid value)|requirement failed: (If )?[a-z]+\.[a-z]"
            ),
        ),
        roles="broker and controller; both modes",
        consequence="The node does not start; data are untouched.",
        heals="manual",
        advice="Read the name of the setting in the line; compare with a node that runs.",
        look_alike="kraft-voters-mismatch and others with rows of their own",
        source="KafkaConfig.scala",
        confidence="likely",
        example=Example(
            "FATAL  (kafka.Kafka$)\n"
            'org.apache.kafka.common.config.ConfigException: Missing required configuration "zookeeper.connect" which has no default value.'
        ),
    ),
    KnownIssue(
        key="heap-exhausted",
        title="Java heap used up",
        signature=(Sign(r"OutOfMemoryError: (Java heap space|GC overhead limit exceeded)"),),
        roles="broker and controller; both modes",
        consequence="Threads die one by one; the process may live on without working.",
        heals="restart",
        advice="Take a heap dump, restart. Usual causes: too many partitions for the heap, down-conversion for old clients, many connections.",
        look_alike="KAFKA-18063, KAFKA-19716, KAFKA-664",
        source="public logs",
        confidence="sure",
        example=Example("FATAL Aborting due to java.lang.OutOfMemoryError: Java heap space (stdout)"),
    ),
    KnownIssue(
        key="threads-exhausted",
        title="No more native threads or memory for the JVM",
        signature=(
            Sign(
                r"unable to create (new )?native thread|Cannot allocate memory|There is insufficient memory for the Java Runtime"
            ),
        ),
        roles="broker and controller; both modes",
        consequence="The JVM ends or threads are missing.",
        heals="manual",
        advice="Raise the limits of processes and memory of the container or service; heap plus page cache plus threads must fit.",
        source="text of the JDK",
        confidence="likely",
        tells_more=True,
        example=Example("FATAL # There is insufficient memory for the Java Runtime Environment to continue. (stdout)"),
    ),
    KnownIssue(
        key="data-directory-removed",
        title="Data directory was removed under a running broker",
        signature=(
            Sign(r"Error while writing to checkpoint file \S+"),
            Sign(
                r"NoSuchFileException: \S+\.tmp|FileNotFoundException: \S+\.tmp \((No such file or directory|The system cannot find)",
                same=True,
            ),
        ),
        roles="broker; both modes",
        consequence="The directory is marked as failed, the broker ends; what was in it is gone on this broker.",
        heals="manual",
        advice="Do not write anything to that file system if it was deleted by accident (open files can be saved from /proc while the process lives). Else see first that other replicas lead its partitions (kafka-topics --describe): the last one in an ISR that comes back empty leads with nothing. Then start with an empty directory and let it be copied.",
        look_alike="Volume unmounted",
        source="public logs",
        confidence="sure",
        tells_more=True,
        example=Example(
            "ERROR Error while writing to checkpoint file /data/replication-offset-checkpoint (kafka.server.LogDirFailureChannel)\n"
            "java.io.FileNotFoundException: /data/replication-offset-checkpoint.tmp (No such file or directory)",
            "a public log of 2.4",
        ),
    ),
    KnownIssue(
        key="plain-leader-down",
        title="Leader is not reachable: fetches and epoch requests fail (no bug)",
        signature=(
            Sign(
                r"Error when sending leader epoch request for|Error in (response for )?fetch (to broker|request|kafka)|Error sending fetch request \(sessionId=-?\d+"
            ),
            Sign(
                r"was disconnected before the response was read|Connection to \S+ \(id: \d+ rack: \S+\) failed|Connection refused"
            ),
        ),
        roles="broker; both modes",
        consequence="The follower waits; nothing is cut before it has an answer.",
        heals="alone",
        advice='Look at the broker that is named. "Client was shutdown before response was read" is the follower closing its own thread: harmless.',
        look_alike="KAFKA-7697, KAFKA-6582 (the leader hangs)",
        source="public logs",
        confidence="sure",
        example=Example(
            "WARN [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Error in response for fetch request (type=FetchRequest, replicaId=2) (kafka.server.ReplicaFetcherThread)\n"
            "java.io.IOException: Connection to kafka-1.example:9092 (id: 1 rack: null) failed.",
            "a public log of 2.8",
        ),
    ),
    KnownIssue(
        key="controlled-shutdown-normal",
        title="Broker was stopped in an orderly way (as designed)",
        signature=(
            Sign(
                r"Controlled shutdown succeeded|\[Controller id=\d+\] Shutting down broker \d+|The controller has asked us to exit controlled shutdown"
            ),
        ),
        roles="broker and controller; both modes",
        consequence="None: its leaders had moved before it went.",
        heals="alone",
        advice="Nothing to do; look who stopped it (signal line before).",
        source="KafkaServer.scala",
        confidence="sure",
        example=Example(
            "INFO [Controller id=2] Shutting down broker 1 (KafkaController)", "traces/log-dir-failure-zk-2.8.2"
        ),
    ),
    KnownIssue(
        key="follower-refused-at-offset",
        title="Leader answers a fetch of a follower with an error",
        signature=(Sign(r"Error for partition \S+ at offset \d+", logger="ReplicaFetcherThread"),),
        roles="broker; both modes",
        note="depends on the exception in the next line",
        consequence="That partition is not copied while it goes on; with min.insync.replicas above the rest its writes and its groups stop.",
        heals="alone for leader changes; manual for a storage error",
        advice="Read the exception below the line and the log of the leader at the same second. KafkaStorageException or an unknown error: check the file of the leader with kafka-dump-log before you restart it.",
        look_alike="corrupt-fetch-response (the follower itself found bad bytes)",
        source="AbstractFetcherThread.scala",
        confidence="sure",
        example=Example(
            "ERROR [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Error for partition clicks-2 at offset 0 (ReplicaFetcherThread)",
            "traces/zk-session-expiry-zk-2.4.1",
        ),
    ),
)
