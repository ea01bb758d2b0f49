"""Known bugs and situations of tiered storage. Sources: the issues, pull requests and classes named in each."""

from replay.knowledge.known_issue import KnownIssue, Sign

ISSUES: tuple[KnownIssue, ...] = (
    KnownIssue(
        key="KAFKA-15511",
        title="Corrupt cached index of a remote segment is never replaced",
        signature=(
            Sign(r"CorruptIndexException"),
            Sign(r"RemoteIndexCache|remote-log-index-cache", same=True),
        ),
        roles="broker; tiered storage",
        affected="3.6.0",
        fixed_in="3.6.1, 3.7.0",
        consequence="Reads from that remote segment fail on this broker.",
        heals="manual",
        advice="Stop the broker, empty remote-log-index-cache, start: it is fetched again.",
        look_alike="",
        source="PR 14459",
        confidence="likely",
    ),
    KnownIssue(
        key="KAFKA-15481",
        title="Race in the cache of remote indexes breaks reads",
        signature=(
            Sign(r"Error occurred while reading the remote data for"),
            Sign(r"NoSuchFileException|This entry is marked for cleanup|IOException", same=True),
        ),
        roles="broker; tiered storage",
        affected="3.6.0",
        fixed_in="3.6.1, 3.7.0",
        consequence="A consumer of old data gets an error now and then; a retry helps.",
        heals="alone",
        advice="Retry; upgrade.",
        look_alike="KAFKA-17184 in later releases; the remote store itself failing",
        source="PR 14483",
        confidence="likely",
    ),
    KnownIssue(
        key="KAFKA-17184",
        title="Remote index is closed while it is still read",
        signature=(Sign(r"IllegalStateException: (Unable to fetch index for|This entry is marked for cleanup)"),),
        roles="broker; tiered storage",
        affected="3.6.0-4.0.x",
        fixed_in="4.1.0",
        consequence="A read of old data fails and is tried again.",
        heals="alone",
        advice="Raise remote.log.index.file.cache.total.size.bytes; upgrade.",
        look_alike="KAFKA-15481",
        source="PR 19462; RemoteIndexCache.java",
        confidence="likely",
    ),
    KnownIssue(
        key="KAFKA-19523",
        title="New replica of a tiered topic cannot build its state yet",
        signature=(Sign(r"Error building remote log auxiliary state for \S+", logger="ReplicaFetcherThread"),),
        roles="broker; tiered storage",
        affected="3.6.0-4.1.x",
        fixed_in="4.2.0 (waits quietly)",
        consequence=(
            "The follower tries again until the remote metadata are loaded; it stays out of the ISR meanwhile."
        ),
        heals="alone, usually within minutes",
        advice="If it goes on, check that __remote_log_metadata has leaders and that the remote store is reachable.",
        look_alike='Remote segment really missing: "Couldn\'t build the state from remote store for partition"',
        source="PR 20201; AbstractFetcherThread.scala",
        confidence="sure",
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
        affected="3.6.0 and later",
        fixed_in="no bug",
        consequence="Reads of old data and copying wait.",
        heals="alone",
        advice="Wait after a start or leader change. If it lasts, look at __remote_log_metadata and at KAFKA-19371.",
        look_alike="",
        source="RemotePartitionMetadataStore.java",
        confidence="sure",
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
        affected="3.6.0-4.1.x",
        fixed_in="4.2.0 (the broker stops)",
        consequence="Nothing is copied to the remote store and no local segment is deleted: the disk fills.",
        heals="restart",
        advice="Restart that broker as soon as the cluster is healthy.",
        look_alike="",
        source="PR 20007",
        confidence="sure",
    ),
    KnownIssue(
        key="KAFKA-17062",
        title="Half-copied segments count for remote retention, too much is deleted",
        signature=(Sign(r"Error occurred while copying log segments of partition", logger="RemoteLogManager"),),
        roles="broker; tiered storage",
        affected="3.6.0-3.8.0",
        fixed_in="3.8.1, 3.9.0 (retries of the clean-up: KAFKA-17428 in 4.0.0)",
        consequence=(
            "Each failed copy is counted as size; retention.bytes then deletes good remote segments early: "
            "data are lost."
        ),
        heals="manual",
        advice="While copies fail, raise or unset retention.bytes of tiered topics; repair the remote store.",
        look_alike="",
        source="PR 16959, 17359",
        confidence="likely",
    ),
    KnownIssue(
        key="KAFKA-16511",
        title="Remote segments are never deleted when they overlap",
        signature=(Sign(r"Segment \S+ is not within the partition leader epoch lineage", logger="RemoteLogManager"),),
        roles="broker; tiered storage",
        affected="3.6.0-3.7.0",
        fixed_in="3.7.1, 3.8.0",
        consequence="Remote storage grows; nothing is lost.",
        heals="upgrade; or move the log start with kafka-delete-records",
        advice="Upgrade. The line is DEBUG.",
        look_alike="",
        source="PR 15817",
        confidence="likely",
    ),
    KnownIssue(
        key="KAFKA-20732",
        title="New leader counts its local log twice, and deletes more for its size than it should",
        signature=(
            Sign(
                r"About to delete remote log segment \S+ due to retention size \d+ breach",
                logger="RemoteLogManager",
                times=3,
            ),
        ),
        roles="broker; tiered storage",
        affected="3.6.0-4.3.1",
        fixed_in="4.3.2",
        consequence=(
            "Until the leader knows how far the remote log goes, what lies both there and locally counts twice for "
            "retention.bytes: records that were to be kept are deleted on all replicas, and no log is cut for it."
        ),
        heals="no: what was deleted is gone",
        advice="Raise or unset retention.bytes of tiered topics before leaders move; upgrade.",
        look_alike=(
            "A partition that really outgrew retention.bytes: its leader deletes a segment now and then, not many at once in "
            "its first minute"
        ),
        source="PR 22661, 22735",
        confidence="likely",
    ),
    KnownIssue(
        key="KAFKA-19371",
        title="Broker tries to create __remote_log_metadata that exists",
        signature=(Sign(r"Topic __remote_log_metadata does not exist\. Error:"),),
        roles="broker; tiered storage",
        affected="?-4.1.x",
        fixed_in="4.2.0",
        consequence="A describe that timed out is taken for a missing topic; the start is slow.",
        heals="alone",
        advice="Nothing to do if the topic exists.",
        look_alike="First start of tiered storage",
        source="PR 19899",
        confidence="likely",
    ),
    KnownIssue(
        key="KAFKA-19131",
        title="Reader pool of the remote log cannot be enlarged at run time",
        signature=(
            Sign(r"IllegalArgumentException[\s\S]*ThreadPoolExecutor\.setCorePoolSize"),
            Sign(r"RemoteLogManager|RemoteStorageThreadPool", same=True),
        ),
        roles="broker; tiered storage",
        affected="?-4.0.0",
        fixed_in="4.0.1, 4.1.0",
        consequence="The change of remote.log.reader.threads is refused.",
        heals="restart with the new value",
        advice="Set it in the file and restart.",
        look_alike="",
        source="PR 19532",
        confidence="likely",
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
        affected="3.6.0 and later",
        fixed_in="by design",
        consequence="The change of the topic is refused.",
        heals="manual",
        advice="Keep cleanup.policy=delete for tiered topics.",
        look_alike="",
        source="KAFKA-19273; LogConfig.java",
        confidence="sure",
    ),
)
