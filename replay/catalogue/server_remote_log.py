"""What the remote log manager and the store of the remote log's metadata write to server.log (tiered storage, KIP-405)."""

from replay.catalogue.template import Template

TEMPLATES = (
    Template("RLM-001", "remote_copy_begun", "INFO", "RemoteLogManager$RLMTask|RemoteLogManager$RLMCopyTask", "3.5.2-4.4.0",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] Copying {base_offset}.log to remote storage.",
             "[RemoteLogManager=1 partition=e0CpHhJLRdurqmD8IMbjJg:orders-2] Copying 00000000000000000296.log to remote storage."),
    Template("RLM-002", "remote_copy_done", "INFO", "RemoteLogManager$RLMTask|RemoteLogManager$RLMCopyTask", "3.5.2-4.4.0",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] Copied {base_offset}.log to remote storage with segment-id: "
             "{remote_log_segment_id}",
             "[RemoteLogManager=1 partition=e0CpHhJLRdurqmD8IMbjJg:orders-2] Copied 00000000000000000296.log to remote storage with "
             "segment-id: RemoteLogSegmentId{topicIdPartition=e0CpHhJLRdurqmD8IMbjJg:orders-2, id=0SUxHRllRLOoTdvs_bXiBg}"),
    Template("RLM-003", "remote_copy_failed", "ERROR", "RemoteLogManager$RLMTask|RemoteLogManager$RLMCopyTask", "3.5.2-4.4.0",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] Error occurred while copying log segments of partition: "
             "{topic_id_partition_text}",
             "[RemoteLogManager=1 partition=e0CpHhJLRdurqmD8IMbjJg:orders-2] Error occurred while copying log segments of partition: "
             "e0CpHhJLRdurqmD8IMbjJg:orders-2"),
    Template("RLM-004", "remote_copy_undone", "INFO", "RemoteLogManager$RLMCopyTask", "4.0.1-4.4.0",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] Copy failed, cleaning segment {remote_log_segment_id}",
             "[RemoteLogManager=1 partition=e0CpHhJLRdurqmD8IMbjJg:orders-2] Copy failed, cleaning segment "
             "RemoteLogSegmentId{topicIdPartition=e0CpHhJLRdurqmD8IMbjJg:orders-2, id=4KNQumhFTliUkKjPPoSqqg}"),
    Template("RLM-005", "remote_copy_undone", "INFO", "RemoteLogManager$RLMCopyTask", "4.2.0-4.4.0",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] Copy failed with retriable error for segment "
             "{remote_log_segment_id}",
             "[RemoteLogManager=1 partition=e0CpHhJLRdurqmD8IMbjJg:orders-2] Copy failed with retriable error for segment "
             "RemoteLogSegmentId{topicIdPartition=e0CpHhJLRdurqmD8IMbjJg:orders-2, id=4KNQumhFTliUkKjPPoSqqg}"),
    Template("RLM-006", "remote_copy_undone", "INFO", "RemoteLogManager", "4.0.1-4.4.0",
             "Cleanup completed for segment RemoteLogSegmentId{topicIdPartition={topic_id_partition}, id={segment_id}}",
             "Cleanup completed for segment RemoteLogSegmentId{topicIdPartition=e0CpHhJLRdurqmD8IMbjJg:orders-2, "
             "id=4KNQumhFTliUkKjPPoSqqg}"),
    Template("RLM-007", "remote_segment_left_behind", "INFO", "RemoteLogManager", "4.0.1-4.4.0",
             "Cleanup failed, will retry later with segment RemoteLogSegmentId{topicIdPartition={topic_id_partition}, id={segment_id}}: "
             "{error}",
             "Cleanup failed, will retry later with segment RemoteLogSegmentId{topicIdPartition=e0CpHhJLRdurqmD8IMbjJg:orders-2, "
             "id=4KNQumhFTliUkKjPPoSqqg}: Internal error in local remote storage"),
    Template("RLM-008", "remote_segment_left_behind", "INFO", "RemoteLogManager$RLMTask|RemoteLogManager$RLMExpirationTask", "3.7.1-4.4.0",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] The following remote segments could not be deleted: {segments}",
             "[RemoteLogManager=1 partition=e0CpHhJLRdurqmD8IMbjJg:orders-2] The following remote segments could not be deleted: "
             "RemoteLogSegmentId{topicIdPartition=e0CpHhJLRdurqmD8IMbjJg:orders-2, id=4KNQumhFTliUkKjPPoSqqg}"),
    Template("RLM-009", "remote_fetch_failed", "ERROR", "RemoteLogReader", "3.6.2-4.4.0",
             "Error occurred while reading the remote data for {topic_id_partition}",
             "Error occurred while reading the remote data for e0CpHhJLRdurqmD8IMbjJg:orders-2"),
    Template("RLM-010", "remote_fetch_failed", "ERROR", "RemoteLogOffsetReader", "4.0.1-4.4.0",
             "Error occurred while reading the remote log offset for {topic_partition}",
             "Error occurred while reading the remote log offset for orders-2"),
    Template("RLM-011", "remote_log_segment_deleted", "INFO", "RemoteLogManager$RLMTask|RemoteLogManager$RLMExpirationTask", "3.7.1-4.4.0",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] About to delete remote log segment {remote_log_segment_id} "
             "due to retention time {retention_ms}ms breach based on the largest record timestamp in the segment",
             "[RemoteLogManager=1 partition=e0CpHhJLRdurqmD8IMbjJg:orders-2] About to delete remote log segment "
             "RemoteLogSegmentId{topicIdPartition=e0CpHhJLRdurqmD8IMbjJg:orders-2, id=4KNQumhFTliUkKjPPoSqqg} due to retention time "
             "60000ms breach based on the largest record timestamp in the segment"),
    Template("RLM-012", "remote_log_segment_deleted", "INFO", "RemoteLogManager$RLMTask|RemoteLogManager$RLMExpirationTask", "3.7.1-4.4.0",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] About to delete remote log segment {remote_log_segment_id} "
             "due to retention size {retention_size} breach. Log size after deletion will be {size}.",
             "[RemoteLogManager=1 partition=e0CpHhJLRdurqmD8IMbjJg:orders-2] About to delete remote log segment "
             "RemoteLogSegmentId{topicIdPartition=e0CpHhJLRdurqmD8IMbjJg:orders-2, id=4KNQumhFTliUkKjPPoSqqg} due to retention size "
             "1048576 breach. Log size after deletion will be 1048000."),
    Template("RLM-013", "remote_task_failed", "WARN", "RemoteLogManager$RLMCopyTask|RemoteLogManager$RLMExpirationTask|"
             "RemoteLogManager$RLMFollowerTask", "4.0.1-4.4.0",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] Current task for partition {topic_id_partition_text} received "
             "error but it will be scheduled",
             "[RemoteLogManager=1 partition=e0CpHhJLRdurqmD8IMbjJg:orders-2] Current task for partition "
             "e0CpHhJLRdurqmD8IMbjJg:orders-2 received error but it will be scheduled"),
    Template("RLM-014", "remote_task_failed", "ERROR", "RemoteLogManager", "3.5.2-4.4.0",
             "Error occurred while canceling the task: {rlm_task}",
             "Error occurred while canceling the task: class "
             "org.apache.kafka.server.log.remote.storage.RemoteLogManager$RLMCopyTask[e0CpHhJLRdurqmD8IMbjJg:orders-0]"),
    Template("RLM-015", "remote_task_failed", "ERROR", "RemoteLogManager", "3.6.2-4.4.0",
             "Error while stopping the partition: {stop_partition}",
             "Error while stopping the partition: StopPartition{topicPartition=orders-0, deleteLocalLog=true, deleteRemoteLog=true, "
             "stopRemoteLogMetadataManager=true}"),
    Template("RLM-016", "remote_copy_refused", "INFO", "RemoteLogManager$RLMTask|RemoteLogManager$RLMCopyTask", "3.6.2-4.4.0",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] Custom metadata size {size} exceeds configured limit {limit}. "
             "Copying will be stopped and copied segment will be attempted to clean. Original metadata: {metadata}",
             "[RemoteLogManager=1 partition=e0CpHhJLRdurqmD8IMbjJg:orders-2] Custom metadata size 200 exceeds configured limit 128. "
             "Copying will be stopped and copied segment will be attempted to clean. Original metadata: RemoteLogSegmentMetadata{}"),
    Template("RLM-017", "remote_log_task", "INFO", "RemoteLogManager", "4.0.1-4.4.0",
             "Cancelling the {rlm_task} RLM task for partition: {topic_id_partition}",
             "Cancelling the copy RLM task for partition: e0CpHhJLRdurqmD8IMbjJg:orders-2"),
    Template("RLM-018", "remote_log_task", "INFO", "RemoteLogManager", "4.0.1-4.4.0",
             "Resetting remote copy lag metrics for partition: {topic_id_partition}",
             "Resetting remote copy lag metrics for partition: e0CpHhJLRdurqmD8IMbjJg:orders-2"),
    Template("RLM-019", "remote_log_task", "INFO", "RemoteLogManager", "3.6.2-4.4.0",
             "Deleting the remote log segments task for partition: {topic_id_partition}",
             "Deleting the remote log segments task for partition: e0CpHhJLRdurqmD8IMbjJg:orders-2"),
    Template("RLM-020", "remote_log_task", "INFO", "RemoteLogManager$RLMScheduledThreadPool", "3.5.2-4.4.0",
             "Scheduling runnable {rlm_task} with initial delay: {initial_delay_ms}, fixed delay: {fixed_delay_ms}",
             "Scheduling runnable class org.apache.kafka.server.log.remote.storage.RemoteLogManager$RLMCopyTask"
             "[e0CpHhJLRdurqmD8IMbjJg:orders-0] with initial delay: 0, fixed delay: 4000"),
    Template("RLM-021", "remote_log_task", "INFO", "RemoteLogManager$RLMTask|RemoteLogManager$RLMExpirationTask", "3.6.2-4.4.0",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] Returning from remote log segments cleanup{which} as the task "
             "state is changed{end}",
             "[RemoteLogManager=1 partition=e0CpHhJLRdurqmD8IMbjJg:orders-2] Returning from remote log segments cleanup for the "
             "remaining segments as the task state is changed."),
    Template("RLM-022", "remote_metadata_step", "INFO", "ConsumerTask", "3.6.2-4.4.0",
             "Updating assignments for partitions added: {added} and removed: {removed}",
             "Updating assignments for partitions added: [e0CpHhJLRdurqmD8IMbjJg:orders-1, e0CpHhJLRdurqmD8IMbjJg:orders-2, "
             "e0CpHhJLRdurqmD8IMbjJg:orders-0] and removed: []"),
    Template("RLM-023", "remote_metadata_step", "INFO", "ConsumerTask", "3.6.2-4.4.0",
             "Unassigned user-topic-partitions: {partitions_count}",
             "Unassigned user-topic-partitions: 3"),
    Template("RLM-024", "remote_metadata_step", "INFO", "ConsumerTask", "3.6.2-4.4.0",
             "Initialized for all the {partitions_count} assigned user-partitions mapped to the {metadata_partitions_count} "
             "meta-partitions in {elapsed_ms} ms",
             "Initialized for all the 3 assigned user-partitions mapped to the 2 meta-partitions in 3081 ms"),
    Template("RLM-025", "remote_metadata_step", "INFO", "ConsumerTask", "3.6.2-4.4.0",
             "Starting consumer task thread.",
             "Starting consumer task thread."),
    Template("RLM-026", "remote_metadata_step", "INFO", "ConsumerTask", "3.6.2-4.4.0",
             "Exited from consumer task thread",
             "Exited from consumer task thread"),
    Template("RLM-027", "remote_metadata_failed", "WARN", "ConsumerTask", "3.6.2-4.4.0",
             "Retriable error occurred while processing the records. Retrying...",
             "Retriable error occurred while processing the records. Retrying..."),
    Template("RLM-028", "remote_metadata_failed", "ERROR", "ConsumerTask", "3.6.2-4.4.0",
             "Error occurred while processing the records",
             "Error occurred while processing the records"),
    Template("RLM-029", "remote_metadata_failed", "ERROR", "TopicBasedRemoteLogMetadataManager", "3.5.2-4.4.0",
             "Encountered error while initializing producer/consumer",
             "Encountered error while initializing producer/consumer"),
    Template("RLM-030", "remote_metadata_failed", "ERROR", "TopicBasedRemoteLogMetadataManager", "3.7.1-4.4.0",
             "Encountered error while initializing topic-based RLMM resources",
             "Encountered error while initializing topic-based RLMM resources"),
    Template("RLM-031", "remote_metadata_failed", "ERROR", "TopicBasedRemoteLogMetadataManager", "4.2.0-4.4.0",
             "Timed out to initialize the resources within {timeout_ms} ms.",
             "Timed out to initialize the resources within 120000 ms."),
    Template("RLM-032", "remote_metadata_failed", "ERROR", "TopicBasedRemoteLogMetadataManager", "4.2.0-4.4.0",
             "Stopping the server as it failed to initialize topic-based RLMM resources",
             "Stopping the server as it failed to initialize topic-based RLMM resources"),
    Template("RLM-033", "remote_metadata_failed", "ERROR", "TopicBasedRemoteLogMetadataManager", "4.2.0-4.4.0",
             "Existing topic partition count {partitions_count} is not same as the expected partition count {expected_count}",
             "Existing topic partition count 5 is not same as the expected partition count 50"),
    Template("RLM-034", "remote_metadata_failed", "ERROR", "TopicBasedRemoteLogMetadataManager", "4.2.0-4.4.0",
             "Encountered error while querying or creating {topic} topic.",
             "Encountered error while querying or creating __remote_log_metadata topic."),
    Template("RLM-035", "remote_metadata_failed", "WARN", "ConsumerManager", "3.7.1-4.4.0",
             "Expected offset for partition {metadata_partition} is {expected_offset}, but the read offset is {read_offset}",
             "Expected offset for partition 2 is 18, but the read offset is Optional[12]"),
    Template("RLM-036", "remote_metadata_failed", "WARN", "RemotePartitionMetadataStore", "3.5.2-4.4.0",
             "Error occurred while updating the remote log segment.",
             "Error occurred while updating the remote log segment."),
    Template("RLM-037", "remote_metadata_failed", "WARN", "RemoteLogMetadataCache", "4.0.1-4.4.0",
             "No remote segment found for leaderEpoch: {leader_epoch}, offset: {offset}",
             "No remote segment found for leaderEpoch: 3, offset: 1024"),
    Template("RLM-038", "remote_metadata_failed", "ERROR", "RemoteLogMetadataCache", "3.7.1-4.4.0",
             "Current state: {from_state} can not be transitioned to target state: {to_state}, segmentId: {remote_log_segment_id}. "
             "Dropping the event",
             "Current state: DELETE_SEGMENT_STARTED can not be transitioned to target state: COPY_SEGMENT_FINISHED, segmentId: "
             "RemoteLogSegmentId{topicIdPartition=e0CpHhJLRdurqmD8IMbjJg:orders-2, id=4KNQumhFTliUkKjPPoSqqg}. Dropping the event"),
    Template("RLM-039", "remote_metadata_step", "INFO", "TopicBasedRemoteLogMetadataManager", "3.6.2-4.4.0",
             "Initializing topic-based RLMM resources",
             "Initializing topic-based RLMM resources"),
    Template("RLM-040", "remote_metadata_step", "INFO", "TopicBasedRemoteLogMetadataManager", "3.6.2-4.4.0",
             "Initialized topic-based RLMM resources successfully",
             "Initialized topic-based RLMM resources successfully"),
    Template("RLM-041", "remote_metadata_step", "INFO", "TopicBasedRemoteLogMetadataManager", "3.6.2-4.4.0",
             "Successfully configured topic-based RLMM with config: {config}",
             "Successfully configured topic-based RLMM with config: TopicBasedRemoteLogMetadataManagerConfig{"
             "clientIdPrefix='__remote_log_metadata_client_1'}"),
    Template("RLM-042", "remote_metadata_step", "INFO", "TopicBasedRemoteLogMetadataManager", "3.6.2-4.4.0",
             "{state} topic-based RLMM resources",
             "Closing topic-based RLMM resources"),
    Template("RLM-043", "remote_metadata_step", "INFO", "TopicBasedRemoteLogMetadataManager", "3.7.1-4.4.0",
             "Topic {topic} created. TopicId: {topic_id}, numPartitions: {partitions_count}, replicationFactor: {replication_factor}, "
             "config: {config}",
             "Topic __remote_log_metadata created. TopicId: 7bk3jKEXRiCScQSBl4AH0w, numPartitions: 5, replicationFactor: 3, config: []"),
    Template("RLM-044", "remote_metadata_step", "INFO", "TopicBasedRemoteLogMetadataManager", "3.7.1-4.4.0",
             "Topic {topic} exists. TopicId: {topic_id}, numPartitions: {partitions_count}",
             "Topic __remote_log_metadata exists. TopicId: 7bk3jKEXRiCScQSBl4AH0w, numPartitions: 5"),
    Template("RLM-045", "remote_metadata_step", "INFO", "TopicBasedRemoteLogMetadataManager", "4.2.0-4.4.0",
             "Sleep for {retry_ms} ms before retrying.",
             "Sleep for 100 ms before retrying."),
    Template("RLM-046", "remote_metadata_failed", "ERROR", "TopicBasedRemoteLogMetadataManager", "4.0.0-4.1.0",
             "Timed out in initializing the resources, retried to initialize the resource for {timeout_ms} ms.",
             "Timed out in initializing the resources, retried to initialize the resource for 120000 ms."),
    Template("RLM-047", "remote_metadata_failed", "ERROR", "TopicBasedRemoteLogMetadataManager", "4.0.0-4.1.0",
             "Existing topic partition count [{partitions_count}] is not same as the expected partition count [{expected_count}]",
             "Existing topic partition count [5] is not same as the expected partition count [50]"),
    Template("RLM-048", "remote_metadata_failed", "ERROR", "TopicBasedRemoteLogMetadataManager", "4.0.0-4.1.0",
             "Encountered error while creating {topic} topic.",
             "Encountered error while creating __remote_log_metadata topic."),
    Template("RLM-049", "remote_task_failed", "WARN", "RemoteLogManager", "4.0.0-4.1.0",
             "StopPartition call is not expected for partition: {topic_partition}",
             "StopPartition call is not expected for partition: orders-2"),
    Template("RLM-050", "remote_task_failed", "WARN", "RemoteLogManager$RLMCopyTask", "4.0.0-4.1.0",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] lastStableOffset for partition {topic_id_partition_text} is "
             "{last_stable_offset}, which should not be negative.",
             "[RemoteLogManager=1 partition=e0CpHhJLRdurqmD8IMbjJg:orders-2] lastStableOffset for partition "
             "e0CpHhJLRdurqmD8IMbjJg:orders-2 is -1, which should not be negative."),
    Template("RLM-051", "remote_task_failed", "WARN", "RemoteLogManager$RLMCopyTask|RemoteLogManager$RLMExpirationTask|"
             "RemoteLogManager$RLMFollowerTask", "4.0.0-4.1.0",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] Current thread for partition {topic_id_partition_text} is "
             "interrupted",
             "[RemoteLogManager=1 partition=e0CpHhJLRdurqmD8IMbjJg:orders-2] Current thread for partition "
             "e0CpHhJLRdurqmD8IMbjJg:orders-2 is interrupted"),
    Template("RLM-052", "remote_task_failed", "ERROR", "RemoteStorageThreadPool", "4.0.0-4.1.0",
             "Stopping the server as it encountered a fatal error.",
             "Stopping the server as it encountered a fatal error."),
    Template("RLM-053", "remote_task_failed", "ERROR", "RemoteStorageThreadPool", "4.0.0-4.1.0",
             "Error occurred while executing task: {task}",
             "Error occurred while executing task: java.util.concurrent.FutureTask@5e0ec41b[Completed exceptionally]"),
    Template("RLM-054", "remote_index_cache_error", "ERROR", "RemoteIndexCache", "4.0.0-4.1.0",
             "Unable to create directory {path} for RemoteIndexCache.",
             "Unable to create directory /var/lib/kafka/remote-log-index-cache for RemoteIndexCache."),
    Template("RLM-055", "remote_index_cache_error", "ERROR", "RemoteIndexCache", "4.1.0",
             "Error occurred while cleaning up expired entry: {entry}",
             "Error occurred while cleaning up expired entry: RemoteIndexCache.Entry@1f"),
    Template("RLM-056", "remote_index_cache_error", "ERROR", "RemoteIndexCache", "4.0.0-4.1.0",
             "Received entry as null for key {key} when the it is removed from the cache.",
             "Received entry as null for key 4KNQumhFTliUkKjPPoSqqg when the it is removed from the cache."),
    Template("RLM-057", "remote_index_cache_error", "WARN", "RemoteIndexCache", "4.0.0-4.1.0",
             "Error occurred when estimating remote index cache entry bytes size, just set 0 firstly.",
             "Error occurred when estimating remote index cache entry bytes size, just set 0 firstly."),
    Template("RLM-058", "remote_metadata_failed", "WARN", "ConsumerTask", "4.0.0-4.1.0",
             "Tried to initialize a UTP: {partition_told} that was not yet assigned!",
             "Tried to initialize a UTP: UserTopicIdPartition{topicIdPartition=e0CpHhJLRdurqmD8IMbjJg:orders-2, metadataPartition=3, "
             "isInitialized=false, isAssigned=false} that was not yet assigned!"),
    Template("RLM-059", "remote_metadata_failed", "ERROR", "ConsumerTask|ProducerManager", "4.0.0-4.1.0",
             "Error encountered while closing the {which}",
             "Error encountered while closing the consumer"),
    Template("RLM-060", "remote_metadata_failed", "ERROR", "ConsumerManager", "4.0.0-4.1.0",
             "Encountered error while waiting for consumerTaskThread to finish.",
             "Encountered error while waiting for consumerTaskThread to finish."),
    Template("RLM-061", "remote_metadata_failed", "ERROR", "TopicBasedRemoteLogMetadataManager", "4.0.0-4.1.0",
             "Initialization thread was interrupted while waiting to join on close.",
             "Initialization thread was interrupted while waiting to join on close."),
)
