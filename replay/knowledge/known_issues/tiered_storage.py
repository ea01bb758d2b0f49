"""Known bugs and situations of tiered storage. Sources: the issues, pull requests and classes named in each."""

from replay.knowledge.known_issue import KnownIssue, Sign
from replay.knowledge.meaning import Example
from replay.knowledge.releases import between, only, since, up_to

ISSUES: tuple[KnownIssue, ...] = (
    KnownIssue(
        key="KAFKA-15511",
        title="Corrupt cached index of a remote segment is never replaced",
        signature=(Sign(r"CorruptIndexException"), Sign(r"RemoteIndexCache|remote-log-index-cache", same=True)),
        roles="broker; tiered storage",
        affected=(only("3.6.0"),),
        fixed_in=("3.6.1", "3.7.0"),
        consequence="Reads from that remote segment fail on this broker.",
        heals="manual",
        advice="Stop the broker, empty remote-log-index-cache, start: it is fetched again.",
        source="PR 14459",
        confidence="likely",
        example=Example(
            "ERROR Error occurred while fetching the remote index (kafka.log.remote.RemoteLogManager)\n"
            "org.apache.kafka.storage.internals.log.CorruptIndexException: Index file /data/remote-log-index-cache/8100_7g.index is corrupt"
        ),
    ),
    KnownIssue(
        key="KAFKA-15481",
        title="Race in the cache of remote indexes breaks reads",
        signature=(
            Sign(r"Error occurred while reading the remote data for"),
            Sign(r"NoSuchFileException|This entry is marked for cleanup|IOException", same=True),
        ),
        roles="broker; tiered storage",
        affected=(only("3.6.0"),),
        fixed_in=("3.6.1", "3.7.0"),
        consequence="A consumer of old data gets an error now and then; a retry helps.",
        heals="alone",
        advice="Retry; upgrade.",
        look_alike="KAFKA-17184 in later releases; the remote store itself failing",
        source="PR 14483",
        confidence="likely",
        example=Example(
            "ERROR Error occurred while reading the remote data for orders-3 (kafka.log.remote.RemoteLogReader)\n"
            "java.nio.file.NoSuchFileException: /data/remote-log-index-cache/8100_7g.index"
        ),
    ),
    KnownIssue(
        key="KAFKA-17184",
        title="Remote index is closed while it is still read",
        signature=(Sign(r"IllegalStateException: (Unable to fetch index for|This entry is marked for cleanup)"),),
        roles="broker; tiered storage",
        affected=(between("3.6.0", "4.0"),),
        fixed_in=("4.1.0",),
        consequence="A read of old data fails and is tried again.",
        heals="alone",
        advice="Raise remote.log.index.file.cache.total.size.bytes; upgrade.",
        look_alike="KAFKA-15481",
        source="PR 19462; RemoteIndexCache.java",
        confidence="likely",
        example=Example(
            "ERROR [RemoteLogManager=1] Error occurred while reading the remote data for orders-3 (kafka.log.remote.RemoteLogReader)\n"
            "java.lang.IllegalStateException: This entry is marked for cleanup"
        ),
    ),
    KnownIssue(
        key="KAFKA-19523",
        title="New replica of a tiered topic cannot build its state yet",
        signature=(Sign(r"Error building remote log auxiliary state for \S+", logger="ReplicaFetcherThread"),),
        roles="broker; tiered storage",
        affected=(between("3.6.0", "4.1"),),
        fixed_in=("4.2.0",),
        note="the fix waits quietly",
        consequence="The follower tries again until the remote metadata are loaded; it stays out of the ISR meanwhile.",
        heals="alone, usually within minutes",
        advice="If it goes on, check that __remote_log_metadata has leaders and that the remote store is reachable.",
        look_alike='Remote segment really missing: "Couldn\'t build the state from remote store for partition"',
        source="PR 20201; AbstractFetcherThread.scala",
        confidence="sure",
        example=Example(
            "ERROR [ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Error building remote log auxiliary state for orders-3 (ReplicaFetcherThread)"
        ),
        needs_release=True,
    ),
    KnownIssue(
        key="rlmm-not-ready",
        title="Remote log metadata are not loaded yet",
        signature=(
            Sign(
                r"ReplicaNotAvailableException: Remote log metadata cache is not initialized for partition|RemoteStorageNotReadyException"
            ),
        ),
        roles="broker; tiered storage",
        affected=(since("3.6.0"),),
        consequence="Reads of old data and copying wait.",
        heals="alone",
        advice="Wait after a start or leader change. If it lasts, look at __remote_log_metadata and at KAFKA-19371.",
        source="RemotePartitionMetadataStore.java",
        confidence="sure",
        tells_more=True,
        example=Example(
            "WARN [RemoteLogManager=1 partition=orders-3] Current task is retried (kafka.log.remote.RemoteLogManager)\n"
            "org.apache.kafka.common.errors.ReplicaNotAvailableException: Remote log metadata cache is not initialized for partition: AbC:orders-3"
        ),
    ),
    KnownIssue(
        key="KAFKA-19425",
        title="Broker runs on although its remote metadata client failed to start",
        signature=(
            Sign(
                r"Timed out in initializing the resources, retried to initialize the resource for",
                logger="TopicBasedRemoteLogMetadataManager",
            ),
        ),
        roles="broker; tiered storage",
        affected=(between("3.6.0", "4.1"),),
        fixed_in=("4.2.0",),
        note="since the fix the broker stops",
        consequence="Nothing is copied to the remote store and no local segment is deleted: the disk fills.",
        heals="restart",
        advice="Restart that broker as soon as the cluster is healthy.",
        source="PR 20007",
        confidence="sure",
        example=Example(
            "ERROR Timed out in initializing the resources, retried to initialize the resource for 120000 ms. (TopicBasedRemoteLogMetadataManager)"
        ),
        needs_release=True,
    ),
    KnownIssue(
        key="KAFKA-17062",
        title="Half-copied segments count for remote retention, too much is deleted",
        signature=(Sign(r"Error occurred while copying log segments of partition", logger="RemoteLogManager"),),
        roles="broker; tiered storage",
        affected=(between("3.6.0", "3.8.0"),),
        fixed_in=("3.8.1", "3.9.0"),
        note="retries of the clean-up: KAFKA-17428 in 4.0.0",
        consequence="Each failed copy is counted as size; retention.bytes then deletes good remote segments early: data are lost.",
        heals="manual",
        advice="While copies fail, raise or unset retention.bytes of tiered topics; repair the remote store.",
        source="PR 16959, 17359",
        confidence="likely",
        needs_release=True,
        example=Example(
            "ERROR [RemoteLogManager=1 partition=e0CpHhJLRdurqmD8IMbjJg:orders-2] Error occurred while copying log segments of partition: e0CpHhJLRdurqmD8IMbjJg:orders-2 (RemoteLogManager$RLMTask)"
        ),
    ),
    KnownIssue(
        key="KAFKA-16511",
        title="Remote segments are never deleted when they overlap",
        signature=(
            Sign(
                r"Segment RemoteLogSegmentId\S+, id=\S+ is not within the partition leader epoch lineage",
                logger="RemoteLogManager",
            ),
        ),
        roles="broker; tiered storage",
        affected=(between("3.6.0", "3.7.0"),),
        fixed_in=("3.7.1", "3.8.0"),
        consequence="Remote storage grows; nothing is lost.",
        heals="upgrade; or move the log start with kafka-delete-records",
        advice="Upgrade. The line is DEBUG.",
        source="PR 15817",
        confidence="likely",
        example=Example(
            "INFO [RemoteLogManager=1 partition=AbC:orders-3] Segment RemoteLogSegmentId{topicIdPartition=AbC:orders-3, id=Xyz} is not within the partition leader epoch lineage (kafka.log.remote.RemoteLogManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-20732",
        title="New leader counts its local log twice, and deletes more for its size than it should",
        signature=(
            Sign(
                r"About to delete remote log segment RemoteLogSegmentId\S+, id=\S+ due to retention size \d+ breach",
                logger="RemoteLogManager",
                times=3,
            ),
        ),
        roles="broker; tiered storage",
        affected=(between("3.6.0", "4.3.1"),),
        fixed_in=("4.3.2",),
        consequence="Until the leader knows how far the remote log goes, what lies both there and locally counts twice for retention.bytes: records that were to be kept are deleted on all replicas, and no log is cut for it.",
        heals="no: what was deleted is gone",
        advice="Raise or unset retention.bytes of tiered topics before leaders move; upgrade.",
        look_alike="A partition that really outgrew retention.bytes: its leader deletes a segment now and then, not many at once in its first minute",
        source="PR 22661, 22735",
        confidence="likely",
        needs_more=True,
        example=Example(
            "INFO [RemoteLogManager=1 partition=AbC:orders-3] About to delete remote log segment RemoteLogSegmentId{topicIdPartition=AbC:orders-3, id=Xyz} due to retention size 1073741824 breach. Log size after deletion will be 0. (kafka.log.remote.RemoteLogManager)\n"
            "INFO [RemoteLogManager=1 partition=AbC:orders-3] About to delete remote log segment RemoteLogSegmentId{topicIdPartition=AbC:orders-3, id=Xyz} due to retention size 1073741824 breach. Log size after deletion will be 0. (kafka.log.remote.RemoteLogManager)\n"
            "INFO [RemoteLogManager=1 partition=AbC:orders-3] About to delete remote log segment RemoteLogSegmentId{topicIdPartition=AbC:orders-3, id=Xyz} due to retention size 1073741824 breach. Log size after deletion will be 0. (kafka.log.remote.RemoteLogManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-19371",
        title="Broker tries to create __remote_log_metadata that exists",
        signature=(Sign(r"Topic __remote_log_metadata does not exist\. Error:"),),
        roles="broker; tiered storage",
        affected=(up_to("4.1"),),
        fixed_in=("4.2.0",),
        consequence="A describe that timed out is taken for a missing topic; the start is slow.",
        heals="alone",
        advice="Nothing to do if the topic exists.",
        look_alike="First start of tiered storage",
        source="PR 19899",
        confidence="likely",
        example=Example(
            "INFO Topic __remote_log_metadata does not exist. Error: This server does not host this topic-partition. (org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager)"
        ),
    ),
    KnownIssue(
        key="KAFKA-19131",
        title="Reader pool of the remote log cannot be enlarged at run time",
        signature=(
            Sign(r"IllegalArgumentException[\s\S]*ThreadPoolExecutor\.setCorePoolSize"),
            Sign(r"RemoteLogManager|RemoteStorageThreadPool", same=True),
        ),
        roles="broker; tiered storage",
        affected=(up_to("4.0.0"),),
        fixed_in=("4.0.1", "4.1.0"),
        consequence="The change of remote.log.reader.threads is refused.",
        heals="restart with the new value",
        advice="Set it in the file and restart.",
        source="PR 19532",
        confidence="likely",
        example=Example(
            "ERROR [BrokerServer id=1] Fatal error during dynamic reconfiguration (kafka.log.remote.RemoteLogManager)\n"
            "java.lang.IllegalArgumentException\n"
            "\tat java.base/java.util.concurrent.ThreadPoolExecutor.setCorePoolSize(ThreadPoolExecutor.java:1551)\n"
            "\tat kafka.log.remote.RemoteLogManager.resizeCacheSize(RemoteLogManager.java:1)"
        ),
    ),
    KnownIssue(
        key="tiered-compaction",
        title="Tiered topic may not be compacted",
        signature=(
            Sign(
                r"Remote log storage (is unsupported for the compacted topics|only supports topics with cleanup\.policy=delete)"
            ),
        ),
        roles="broker and controller; tiered storage",
        affected=(since("3.6.0"),),
        consequence="The change of the topic is refused.",
        heals="manual",
        advice="Keep cleanup.policy=delete for tiered topics.",
        source="KAFKA-19273; LogConfig.java",
        confidence="sure",
        tells_more=True,
        example=Example(
            "ERROR [BrokerServer id=1] Fatal error during broker startup. Prepare to shutdown (kafka.server.BrokerServer)\n"
            "org.apache.kafka.common.config.ConfigException: Remote log storage is unsupported for the compacted topics"
        ),
    ),
)
