"""What replica fetchers and their network clients write to server.log: fetch errors, truncation decisions."""

from replay.catalogue.template import Template

TEMPLATES = (
    Template("FET-001", "fetcher_partitions_added", "INFO", "ReplicaFetcherManager", "0.10.2.2-2.0.1",
             "[ReplicaFetcherManager on broker {broker_id}] Added fetcher for partitions {partition_and_offsets}",
             "[ReplicaFetcherManager on broker 1] Added fetcher for partitions List()"),
    Template("FET-002", "fetcher_partitions_added", "INFO", "ReplicaFetcherManager", "2.1.1-2.4.1 2.5.1-4.4.0",
             "[ReplicaFetcherManager on broker {broker_id}] Added fetcher to broker {leader_endpoint} for partitions "
             "{initial_fetch_states}",
             "[ReplicaFetcherManager on broker 1] Added fetcher to broker 2 for partitions Map(clicks-2 -> "
             "InitialFetchState(BrokerEndPoint(id=2, host=10.77.0.12:9092),0,0))"),
    Template("FET-003", "fetcher_partitions_removed", "INFO", "ReplicaFetcherManager", "0.10.2.2-4.4.0",
             "[ReplicaFetcherManager on broker {broker_id}] Removed fetcher for partitions {partitions}",
             "[ReplicaFetcherManager on broker 1] Removed fetcher for partitions Set(clicks-1)"),
    Template("FET-004", "fetcher_pool_resized", "INFO", "ReplicaFetcherManager", "1.1.1-4.3.1",
             "[ReplicaFetcherManager on broker {broker_id}] Resizing fetcher thread pool size from {current_size} to {new_size}",
             "[ReplicaFetcherManager on broker 2] Resizing fetcher thread pool size from current-size to new-size"),
    Template("FET-005", "fetcher_manager_shutdown", "INFO", "ReplicaFetcherManager", "0.10.2.2-4.4.0",
             "[ReplicaFetcherManager on broker {broker_id}] shutdown completed",
             "[ReplicaFetcherManager on broker 1] shutdown completed"),
    Template("FET-006", "fetcher_manager_shutdown", "INFO", "ReplicaFetcherManager", "0.10.2.2-4.4.0",
             "[ReplicaFetcherManager on broker {broker_id}] shutting down",
             "[ReplicaFetcherManager on broker 1] shutting down"),
    Template("FET-007", "fetcher_manager_shutdown", "INFO", "ReplicaAlterLogDirsManager", "1.1.1-4.4.0",
             "[ReplicaAlterLogDirsManager on broker {broker_id}] shutdown completed",
             "[ReplicaAlterLogDirsManager on broker 1] shutdown completed"),
    Template("FET-008", "fetcher_manager_shutdown", "INFO", "ReplicaAlterLogDirsManager", "1.1.1-4.4.0",
             "[ReplicaAlterLogDirsManager on broker {broker_id}] shutting down",
             "[ReplicaAlterLogDirsManager on broker 1] shutting down"),
    Template("FET-009", "future_replica_fetcher_added", "INFO", "ReplicaAlterLogDirsManager", "2.5.1-4.3.1",
             "[ReplicaAlterLogDirsManager on broker {broker_id}] Added log dir fetcher for partitions with initial offsets "
             "{added_initial_offsets}",
             "[ReplicaAlterLogDirsManager on broker 2] Added log dir fetcher for partitions with initial offsets added-initial-offsets"),
    Template("FET-010", "future_replica_fetcher_not_added", "INFO", "ReplicaAlterLogDirsManager", "2.5.1-4.3.1",
             "[ReplicaAlterLogDirsManager on broker {broker_id}] Failed to add log dir fetch for partitions {not_added_initial_offsets} "
             "since the log dir reassignment has already completed",
             "[ReplicaAlterLogDirsManager on broker 2] Failed to add log dir fetch for partitions not-added-initial-offsets since the "
             "log dir reassignment has already completed"),
    Template("FET-011", "epoch_request_retry", "INFO", "ReplicaFetcherThread", "1.0.2-2.0.1 2.1.1-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Retrying leaderEpoch request for "
             "partition {topic_partition} as the leader reported an error: {error}",
             "[ReplicaFetcher replicaId=3, leaderId=2, fetcherId=0] Retrying leaderEpoch request for partition ledger-0 as the leader "
             "reported an error: UNKNOWN_SERVER_ERROR"),
    Template("FET-012", "epoch_response_ignored", "TRACE", "ReplicaFetcherThread", "2.8.2-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Ignoring epoch offsets for partition "
             "{topic_partition} since it has been removed from this fetcher thread.",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Ignoring epoch offsets for partition orders-3 since it has been "
             "removed from this fetcher thread."),
    Template("FET-013", "fetch_corrupt_records", "ERROR", "ReplicaFetcherThread", "0.10.2.2-0.11.0.3 1.0.2",
             "Found invalid messages during fetch for partition {topic_partition} offset {fetch_offset} error {error}",
             "Found invalid messages during fetch for partition orders-3 offset 9 error NOT_LEADER_OR_FOLLOWER"),
    Template("FET-015", "fetch_corrupt_records", "ERROR", "ReplicaFetcherThread", "1.1.1-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Found invalid messages during fetch "
             "for partition {topic_partition} offset {fetch_offset}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Found invalid messages during fetch for partition orders-3 offset 9"),
    Template("FET-016", "fetch_fenced_epoch", "INFO", "ReplicaFetcherThread", "2.1.1-4.4.0",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Partition {topic_partition} has an "
             "older epoch ({current_leader_epoch}) than the current leader. Will await the new LeaderAndIsr state before resuming "
             "fetching.",
             "[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Partition clicks-0 has an older epoch (0) than the current leader. "
             "Will await the new LeaderAndIsr state before resuming fetching."),
    Template("FET-017", "fetch_fenced_epoch_stale_leader_view", "INFO", "ReplicaFetcherThread", "2.5.1-3.3.2",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Partition {topic_partition} has an "
             "new epoch ({current_leader_epoch}) than the current leader. retry the partition later",
             "[ReplicaFetcher replicaId=1, leaderId=3, fetcherId=0] Partition orders-5 has an new epoch (1) than the current leader. "
             "retry the partition later"),
    Template("FET-018", "fetch_fenced_epoch_stale_leader_view", "INFO", "ReplicaFetcherThread", "3.4.1-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Partition {topic_partition} has a "
             "newer epoch ({current_leader_epoch}) than the current leader. Retry the partition later.",
             "[ReplicaFetcher replicaId=1, leaderId=3, fetcherId=0] Partition clicks-2 has a newer epoch (2) than the current leader. "
             "Retry the partition later."),
    Template("FET-019", "fetch_inconsistent_topic_id", "WARN", "ReplicaFetcherThread", "2.7.2-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Received {error} from the leader for "
             "partition {topic_partition}. This error may be returned transiently when the partition is being created or deleted, but "
             "it is not expected to persist.",
             "[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Received UNKNOWN_TOPIC_OR_PARTITION from the leader for partition "
             "clicks-2. This error may be returned transiently when the partition is being created or deleted, but it is not expected "
             "to persist."),
    Template("FET-020", "fetch_inconsistent_topic_id", "WARN", "ReplicaFetcherThread", "3.1.2-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Received INCONSISTENT_TOPIC_ID from "
             "the leader for partition {topic_partition}. This error may be returned transiently when the partition is being created or "
             "deleted, but it is not expected to persist.",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Received INCONSISTENT_TOPIC_ID from the leader for partition "
             "orders-3. This error may be returned transiently when the partition is being created or deleted, but it is not expected "
             "to persist."),
    Template("FET-021", "fetch_inconsistent_topic_id", "WARN", "ReplicaFetcherThread", "3.1.2-4.4.0",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Received UNKNOWN_TOPIC_ID from the "
             "leader for partition {topic_partition}. This error may be returned transiently when the partition is being created or "
             "deleted, but it is not expected to persist.",
             "[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Received UNKNOWN_TOPIC_ID from the leader for partition clicks-0. "
             "This error may be returned transiently when the partition is being created or deleted, but it is not expected to persist."),
    Template("FET-022", "fetch_moved_to_tier", "DEBUG", "ReplicaFetcherThread", "3.5.2-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Current offset {fetch_offset} for "
             "partition {topic_partition} is out of range or moved to remote tier. Reset fetch offset to {new_fetch_offset}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Current offset 9 for partition orders-3 is out of range or moved to "
             "remote tier. Reset fetch offset to 9"),
    Template("FET-023", "fetch_moved_to_tier", "DEBUG", "ReplicaFetcherThread", "3.5.2-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Received error "
             "OFFSET_MOVED_TO_TIERED_STORAGE, at fetch offset: {fetch_offset}, topic-partition: {topic_partition}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Received error OFFSET_MOVED_TO_TIERED_STORAGE, at fetch offset: 9, "
             "topic-partition: orders-3"),
    Template("FET-024", "fetch_not_leader", "DEBUG", "ReplicaFetcherThread", "1.1.1-2.0.1 2.1.1-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Remote broker is not the leader for "
             "partition {topic_partition}, which could indicate that the partition is being moved",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Remote broker is not the leader for partition orders-3, which could "
             "indicate that the partition is being moved"),
    Template("FET-026", "fetch_offset_out_of_range", "ERROR", "ReplicaFetcherThread", "0.10.2.2",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}], Current offset {current_partition_fetch_state_offset} for partition "
             "[{topic},{partition}] out of range; reset offset to {new_offset}",
             "[ReplicaFetcherThread-0-2], Current offset 12 for partition [orders,3] out of range; reset offset to 4"),
    Template("FET-027", "fetch_offset_out_of_range", "ERROR", "ReplicaFetcherThread", "0.11.0.3",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}]: Current offset {fetch_offset} for partition [{topic},{partition}] out of "
             "range; reset offset to {new_offset}",
             "[ReplicaFetcherThread-0-2]: Current offset 9 for partition [orders,3] out of range; reset offset to 4"),
    Template("FET-028", "fetch_offset_out_of_range", "ERROR", "ReplicaFetcherThread", "1.0.2",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Current offset {fetch_offset} for "
             "partition {topic_partition} out of range; reset offset to {new_offset}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Current offset 9 for partition orders-3 out of range; reset offset "
             "to 4"),
    Template("FET-029", "fetch_offset_out_of_range", "INFO", "ReplicaFetcherThread", "1.1.1-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Current offset {fetch_offset} for "
             "partition {topic_partition} is out of range, which typically implies a leader change. Reset fetch offset to "
             "{new_fetch_offset}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Current offset 9 for partition orders-3 is out of range, which "
             "typically implies a leader change. Reset fetch offset to 9"),
    Template("FET-030", "fetch_offset_reset_error", "ERROR", "ReplicaFetcherThread", "0.10.2.2",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}], Error getting offset for partition [{topic},{partition}] to broker "
             "{leader_id}",
             "[ReplicaFetcherThread-0-2], Error getting offset for partition [orders,3] to broker 2"),
    Template("FET-031", "fetch_offset_reset_error", "ERROR", "ReplicaFetcherThread", "0.11.0.3",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}]: Error getting offset for partition [{topic},{partition}] to broker "
             "{leader_id}",
             "[ReplicaFetcherThread-0-2]: Error getting offset for partition [orders,3] to broker 2"),
    Template("FET-032", "fetch_offset_reset_error", "ERROR", "ReplicaFetcherThread", "1.0.2",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Error getting offset for partition "
             "{topic_partition} to broker {leader_id}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Error getting offset for partition orders-3 to broker 2"),
    Template("FET-033", "fetch_offset_reset_error", "ERROR", "ReplicaFetcherThread", "1.1.1-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Error getting offset for partition "
             "{topic_partition}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Error getting offset for partition orders-3"),
    Template("FET-034", "fetch_offset_reset_error", "INFO", "ReplicaFetcherThread", "2.1.1-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Could not fetch offset for "
             "{topic_partition} due to error: {error}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Could not fetch offset for orders-3 due to error: "
             "NOT_LEADER_OR_FOLLOWER"),
    Template("FET-035", "fetch_offset_reset_to_leader_end", "WARN", "ReplicaFetcherThread", "1.0.2-2.0.1 2.1.1-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Reset fetch offset for partition "
             "{topic_partition} from {log_end_offset} to current leader's latest offset {leader_end_offset}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Reset fetch offset for partition orders-3 from 120 to current "
             "leader's latest offset 4"),
    Template("FET-036", "fetch_offset_reset_to_leader_start", "WARN", "ReplicaFetcherThread", "1.0.2-2.0.1 2.1.1-3.5.2",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Reset fetch offset for partition "
             "{topic_partition} from {log_end_offset} to current leader's start offset {leader_start_offset}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Reset fetch offset for partition orders-3 from 120 to current "
             "leader's start offset 13"),
    Template("FET-037", "fetch_offset_reset_to_leader_start", "WARN", "ReplicaFetcherThread", "3.6.2-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Truncate fully and reset fetch "
             "offset for partition {topic_partition} from {replica_end_offset} to the current leader's start offset "
             "{leader_start_offset} because the local replica's end offset is smaller than the current leader's start offsets.",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Truncate fully and reset fetch offset for partition orders-3 from "
             "17 to the current leader's start offset 13 because the local replica's end offset is smaller than the current leader's "
             "start offsets."),
    Template("FET-038", "fetch_offset_reset_to_local_end", "INFO", "ReplicaFetcherThread", "3.6.2-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Reset fetch offset for partition "
             "{topic_partition} from {replica_end_offset} to the current local replica's end offset {offset_to_fetch}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Reset fetch offset for partition orders-3 from 17 to the current "
             "local replica's end offset offset-to-fetch"),
    Template("FET-039", "fetch_partition_error", "ERROR", "ReplicaFetcherThread", "0.10.2.2",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}], Error for partition [{topic},{partition}] to broker "
             "{leader_id}:{exception}",
             "[ReplicaFetcherThread-0-2], Error for partition [orders,3] to broker 2:java.io.IOException: Connection reset"),
    Template("FET-040", "fetch_partition_error", "ERROR", "ReplicaFetcherThread", "0.11.0.3",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}]: Error for partition [{topic},{partition}] to broker "
             "{leader_id}:{exception}",
             "[ReplicaFetcherThread-0-2]: Error for partition [orders,3] to broker 2:java.io.IOException: Connection reset"),
    Template("FET-041", "fetch_partition_error", "ERROR", "ReplicaFetcherThread", "1.0.2",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Error for partition "
             "{topic_partition} to broker {leader_id}:{exception}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Error for partition orders-3 to broker 2:java.io.IOException: "
             "Connection reset"),
    Template("FET-042", "fetch_partition_error", "ERROR", "ReplicaFetcherThread", "1.1.1-4.4.0",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Error for partition "
             "{topic_partition} at offset {fetch_offset}",
             "[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Error for partition clicks-2 at offset 0"),
    Template("FET-043", "fetch_partition_failed", "WARN", "ReplicaFetcherThread", "2.3.1-4.4.0",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Partition {topic_partition} marked "
             "as failed",
             "[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Partition clicks-0 marked as failed"),
    Template("FET-044", "fetch_partitions_backoff", "DEBUG", "ReplicaFetcherThread", "0.10.2.2",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}], handling partitions with error for {partitions_with_error}",
             "[ReplicaFetcherThread-0-2], handling partitions with error for Set(orders-3, clicks-0)"),
    Template("FET-045", "fetch_partitions_backoff", "DEBUG", "ReplicaFetcherThread", "0.11.0.3",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}]: handling partitions with error for {partitions_with_error}",
             "[ReplicaFetcherThread-0-2]: handling partitions with error for Set(orders-3, clicks-0)"),
    Template("FET-046", "fetch_partitions_backoff", "DEBUG", "ReplicaFetcherThread", "1.0.2",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] handling partitions with error for "
             "{partitions_with_error}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] handling partitions with error for Set(orders-3, clicks-0)"),
    Template("FET-047", "fetch_partitions_backoff", "DEBUG", "ReplicaFetcherThread", "1.1.1-2.2.2",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Handling errors for partitions "
             "{partitions_with_error}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Handling errors for partitions Set(orders-3, clicks-0)"),
    Template("FET-048", "fetch_partitions_backoff", "DEBUG", "ReplicaFetcherThread", "2.3.1-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Handling errors in {method_name} for "
             "partitions {partitions}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Handling errors in method-name for partitions Set(orders-3)"),
    Template("FET-049", "fetch_process_error", "ERROR", "ReplicaFetcherThread", "1.0.2",
             "Error while processing data for partition {topic_partition}",
             "Error while processing data for partition orders-3"),
    Template("FET-050", "fetch_process_error", "ERROR", "ReplicaFetcherThread", "1.1.1-2.2.2",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Error while processing data for "
             "partition {topic_partition}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Error while processing data for partition orders-3"),
    Template("FET-051", "fetch_process_error", "ERROR", "ReplicaFetcherThread", "2.3.1-4.4.0",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Error while processing data for "
             "partition {topic_partition} at offset {fetch_offset}",
             "[ReplicaFetcher replicaId=1, leaderId=3, fetcherId=0] Error while processing data for partition clicks-3 at offset 400"),
    Template("FET-052", "fetch_process_error", "ERROR", "ReplicaFetcherThread", "2.3.1-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Unexpected error occurred while "
             "processing data for partition {topic_partition} at offset {fetch_offset}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Unexpected error occurred while processing data for partition "
             "orders-3 at offset 9"),
    Template("FET-053", "fetch_request_error", "WARN", "ReplicaFetcherThread", "0.10.2.2",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}], Error in fetch {fetch_request}",
             "[ReplicaFetcherThread-0-2], Error in fetch fetch-request"),
    Template("FET-054", "fetch_request_error", "WARN", "ReplicaFetcherThread", "0.11.0.3",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}]: Error in fetch to broker {leader_id}, request {fetch_request}",
             "[ReplicaFetcherThread-0-2]: Error in fetch to broker 2, request fetch-request"),
    Template("FET-055", "fetch_request_error", "WARN", "ReplicaFetcherThread", "1.0.2",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Error in fetch to broker "
             "{leader_id}, request {fetch_request}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Error in fetch to broker 2, request fetch-request"),
    Template("FET-056", "fetch_request_error", "WARN", "ReplicaFetcherThread", "1.1.1-4.4.0",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Error in response for fetch request "
             "{fetch_request}",
             "[ReplicaFetcher replicaId=2, leaderId=3, fetcherId=0] Error in response for fetch request (type=FetchRequest, "
             "replicaId=2, maxWait=500, minBytes=1000000, maxBytes=10485760, fetchData={}, isolationLevel=READ_UNCOMMITTED, toForget=, "
             "metadata=(sessionId=1060779491, epoch=67), rackId=)"),
    Template("FET-057", "fetch_request_sent", "TRACE", "ReplicaFetcherThread", "0.10.2.2",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}], Issuing to broker {leader_id} of fetch request {fetch_request}",
             "[ReplicaFetcherThread-0-2], Issuing to broker 2 of fetch request fetch-request"),
    Template("FET-058", "fetch_request_sent", "TRACE", "ReplicaFetcherThread", "0.11.0.3",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}]: Issuing fetch to broker {leader_id}, request: {fetch_request}",
             "[ReplicaFetcherThread-0-2]: Issuing fetch to broker 2, request: fetch-request"),
    Template("FET-059", "fetch_request_sent", "TRACE", "ReplicaFetcherThread", "1.0.2",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Issuing fetch to broker {leader_id}, "
             "request: {fetch_request}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Issuing fetch to broker 2, request: fetch-request"),
    Template("FET-060", "fetch_request_sent", "TRACE", "ReplicaFetcherThread", "1.1.1-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Sending fetch request {fetch_request}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Sending fetch request fetch-request"),
    Template("FET-061", "fetch_tier_state_error", "INFO", "ReplicaFetcherThread", "3.5.2-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Could not build remote log auxiliary "
             "state for {topic_partition} due to error: {error}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Could not build remote log auxiliary state for orders-3 due to "
             "error: NOT_LEADER_OR_FOLLOWER"),
    Template("FET-062", "fetch_tier_state_error", "ERROR", "ReplicaFetcherThread", "3.5.2-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Error building remote log auxiliary "
             "state for {topic_partition}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Error building remote log auxiliary state for orders-3"),
    Template("FET-063", "fetch_unknown_leader_epoch", "DEBUG", "ReplicaFetcherThread", "2.1.1-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Remote broker has a smaller leader "
             "epoch for partition {topic_partition} than this replica's current leader epoch of {current_leader_epoch}.",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Remote broker has a smaller leader epoch for partition orders-3 "
             "than this replica's current leader epoch of 4."),
    Template("FET-064", "truncation_by_epoch", "INFO", "ReplicaFetcherThread", "3.1.2-4.4.0",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Truncating partition "
             "{topic_partition} with {truncation_state} due to leader epoch and offset {leader_epoch_offset}",
             "[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Truncating partition clicks-0 with TruncationState(offset=140, "
             "completed=true) due to leader epoch and offset EpochEndOffset(errorCode=0, partition=0, leaderEpoch=0, endOffset=140)"),
    Template("FET-065", "truncation_epoch_below_all", "WARN", "ReplicaFetcherThread", "2.0.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Based on {follower_name}'s leader "
             "epoch, leader replied with epoch {leader_epoch} below any {follower_name}'s tracked epochs for {topic_partition}. The "
             "leader's offset only {end_offset} will be used for truncation.",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Based on follower-name's leader epoch, leader replied with epoch 7 "
             "below any follower-name's tracked epochs for orders-3. The leader's offset only 19 will be used for truncation."),
    Template("FET-066", "truncation_epoch_below_all", "WARN", "ReplicaFetcherThread", "2.1.1-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Based on replica's leader epoch, "
             "leader replied with epoch {leader_epoch} below any replica's tracked epochs for {topic_partition}. The leader's offset "
             "only {end_offset} will be used for truncation.",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Based on replica's leader epoch, leader replied with epoch 7 below "
             "any replica's tracked epochs for orders-3. The leader's offset only 19 will be used for truncation."),
    Template("FET-067", "truncation_epoch_unknown", "INFO", "ReplicaFetcherThread", "2.0.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Based on {follower_name}'s leader "
             "epoch, leader replied with epoch {leader_epoch} unknown to the {follower_name} for {topic_partition}. Will truncate to "
             "{intermediate_offset_to_truncate_to} and send another leader epoch request to the leader.",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Based on follower-name's leader epoch, leader replied with epoch 7 "
             "unknown to the follower-name for orders-3. Will truncate to intermediate-offset-to-truncate-to and send another leader "
             "epoch request to the leader."),
    Template("FET-068", "truncation_epoch_unknown", "INFO", "ReplicaFetcherThread", "2.1.1-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Based on replica's leader epoch, "
             "leader replied with epoch {leader_epoch} unknown to the replica for {topic_partition}. Will truncate to "
             "{intermediate_offset_to_truncate_to} and send another leader epoch request to the leader.",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Based on replica's leader epoch, leader replied with epoch 7 "
             "unknown to the replica for orders-3. Will truncate to intermediate-offset-to-truncate-to and send another leader epoch "
             "request to the leader."),
    Template("FET-069", "truncation_failed", "INFO", "ReplicaFetcherThread", "1.0.2-2.0.1 2.1.1-2.2.2",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Failed to truncate {topic_partition}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Failed to truncate orders-3"),
    Template("FET-070", "truncation_failed", "ERROR", "ReplicaFetcherThread", "2.3.1-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Failed to truncate {topic_partition} "
             "at offset {truncation_offset}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Failed to truncate orders-3 at offset 117"),
    Template("FET-071", "truncation_failed", "ERROR", "ReplicaFetcherThread", "2.3.1-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Unexpected error occurred during "
             "truncation for {topic_partition} at offset {truncation_offset}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Unexpected error occurred during truncation for orders-3 at offset "
             "117"),
    Template("FET-072", "truncation_fallback_initial_offset", "WARN", "ReplicaFetcherThread", "2.0.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Based on {follower_name}'s leader "
             "epoch, leader replied with an unknown offset in {topic_partition}. The initial fetch offset {fetch_offset} will be used "
             "for truncation.",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Based on follower-name's leader epoch, leader replied with an "
             "unknown offset in orders-3. The initial fetch offset 9 will be used for truncation."),
    Template("FET-073", "truncation_fallback_initial_offset", "WARN", "ReplicaFetcherThread", "2.1.1-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Based on replica's leader epoch, "
             "leader replied with an unknown offset in {topic_partition}. The initial fetch offset {fetch_offset} will be used for "
             "truncation.",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Based on replica's leader epoch, leader replied with an unknown "
             "offset in orders-3. The initial fetch offset 9 will be used for truncation."),
    Template("FET-074", "truncation_old_protocol", "WARN", "ReplicaFetcherThread", "2.0.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Leader or {follower_name} is on "
             "protocol version where leader epoch is not considered in the OffsetsForLeaderEpoch response. The leader's offset "
             "{end_offset} will be used for truncation in {topic_partition}.",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Leader or follower-name is on protocol version where leader epoch "
             "is not considered in the OffsetsForLeaderEpoch response. The leader's offset 19 will be used for truncation in orders-3."),
    Template("FET-075", "truncation_old_protocol", "WARN", "ReplicaFetcherThread", "2.1.1-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Leader or replica is on protocol "
             "version where leader epoch is not considered in the OffsetsForLeaderEpoch response. The leader's offset {end_offset} will "
             "be used for truncation in {topic_partition}.",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Leader or replica is on protocol version where leader epoch is not "
             "considered in the OffsetsForLeaderEpoch response. The leader's offset 19 will be used for truncation in orders-3."),
    Template("FET-076", "truncation_to_hw", "INFO", "ReplicaFetcherThread", "2.1.1-3.0.2",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Truncating partition "
             "{topic_partition} to local high watermark {high_watermark}",
             "[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Truncating partition clicks-1 to local high watermark 0"),
    Template("FET-077", "truncation_to_hw", "INFO", "ReplicaFetcherThread", "3.1.2-4.4.0",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Truncating partition "
             "{topic_partition} with {truncation_state} due to local high watermark {high_watermark}",
             "[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Truncating partition clicks-0 with TruncationState(offset=0, "
             "completed=true) due to local high watermark 0"),
    Template("FET-078", "broker_halt_io_error", "FATAL", "ReplicaFetcherThread", "0.10.2.2",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}], Disk error while replicating data for {topic_partition}",
             "[ReplicaFetcherThread-0-2], Disk error while replicating data for orders-3"),
    Template("FET-079", "broker_halt_io_error", "FATAL", "ReplicaFetcherThread", "0.11.0.3",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}]: Disk error while replicating data for {topic_partition}",
             "[ReplicaFetcherThread-0-2]: Disk error while replicating data for orders-3"),
    Template("FET-080", "epoch_request_failed", "WARN", "ReplicaFetcherThread", "0.11.0.3",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}]: Error when sending leader epoch request for {partitions}",
             "[ReplicaFetcherThread-0-2]: Error when sending leader epoch request for Set(orders-3)"),
    Template("FET-081", "epoch_request_failed", "WARN", "ReplicaFetcherThread|RemoteLeaderEndPoint", "1.0.2-3.2.3 3.3.2-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Error when sending leader epoch "
             "request for {partitions}",
             "[ReplicaFetcher replicaId=3, leaderId=2, fetcherId=0] Error when sending leader epoch request for Map(orders-1 -> "
             "(currentLeaderEpoch=Optional[1], leaderEpoch=0))"),
    Template("FET-082", "epoch_request_retry", "INFO", "ReplicaFetcherThread", "0.11.0.3",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}]: Retrying leaderEpoch request for partition {topic_partition} as the "
             "leader reported an error: {error}",
             "[ReplicaFetcherThread-0-2]: Retrying leaderEpoch request for partition orders-3 as the leader reported an error: "
             "NOT_LEADER_OR_FOLLOWER"),
    Template("FET-084", "epoch_request_sent", "DEBUG", "ReplicaFetcherThread", "0.11.0.3",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}]: Build leaderEpoch request {result} for broker {source_broker}",
             "[ReplicaFetcherThread-0-2]: Build leaderEpoch request result for broker source-broker"),
    Template("FET-085", "epoch_request_sent", "DEBUG", "ReplicaFetcherThread", "1.0.2-2.0.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Build leaderEpoch request "
             "{partitions_with_epoch}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Build leaderEpoch request Set(orders-3, clicks-0)"),
    Template("FET-086", "epoch_request_sent", "DEBUG", "ReplicaFetcherThread|RemoteLeaderEndPoint", "2.1.1-3.2.3 3.3.2-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Sending offset for leader epoch "
             "request {epoch_request}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Sending offset for leader epoch request epoch-request"),
    Template("FET-087", "epoch_response", "DEBUG", "ReplicaFetcherThread", "0.11.0.3",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}]: Receive leaderEpoch response {result} from broker {source_broker}",
             "[ReplicaFetcherThread-0-2]: Receive leaderEpoch response result from broker source-broker"),
    Template("FET-088", "epoch_response", "DEBUG", "ReplicaFetcherThread", "1.0.2-2.0.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Receive leaderEpoch response {result}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Receive leaderEpoch response result"),
    Template("FET-089", "epoch_response", "DEBUG", "ReplicaFetcherThread|RemoteLeaderEndPoint", "2.1.1-3.2.3 3.3.2-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Received leaderEpoch response "
             "{response}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Received leaderEpoch response response"),
    Template("FET-090", "fetch_message_too_large", "ERROR", "ReplicaFetcherThread", "0.10.2.2",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}], Replication is failing due to a message that is greater than "
             "replica.fetch.max.bytes for partition {topic_partition}. This generally occurs when the max.message.bytes has been "
             "overridden to exceed this value and a suitably large message has also been sent. To fix this problem increase "
             "replica.fetch.max.bytes in your broker config to be equal or larger than your settings for max.message.bytes, both at a "
             "broker and topic level.",
             "[ReplicaFetcherThread-0-2], Replication is failing due to a message that is greater than replica.fetch.max.bytes for "
             "partition orders-3. This generally occurs when the max.message.bytes has been overridden to exceed this value and a "
             "suitably large message has also been sent. To fix this problem increase replica.fetch.max.bytes in your broker config to "
             "be equal or larger than your settings for max.message.bytes, both at a broker and topic level."),
    Template("FET-091", "fetch_message_too_large", "ERROR", "ReplicaFetcherThread", "0.11.0.3",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}]: Replication is failing due to a message that is greater than "
             "replica.fetch.max.bytes for partition {topic_partition}. This generally occurs when the max.message.bytes has been "
             "overridden to exceed this value and a suitably large message has also been sent. To fix this problem increase "
             "replica.fetch.max.bytes in your broker config to be equal or larger than your settings for max.message.bytes, both at a "
             "broker and topic level.",
             "[ReplicaFetcherThread-0-2]: Replication is failing due to a message that is greater than replica.fetch.max.bytes for "
             "partition orders-3. This generally occurs when the max.message.bytes has been overridden to exceed this value and a "
             "suitably large message has also been sent. To fix this problem increase replica.fetch.max.bytes in your broker config to "
             "be equal or larger than your settings for max.message.bytes, both at a broker and topic level."),
    Template("FET-092", "fetch_message_too_large", "ERROR", "ReplicaFetcherThread", "1.0.2-4.0.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Replication is failing due to a "
             "message that is greater than replica.fetch.max.bytes for partition {topic_partition}. This generally occurs when the "
             "max.message.bytes has been overridden to exceed this value and a suitably large message has also been sent. To fix this "
             "problem increase replica.fetch.max.bytes in your broker config to be equal or larger than your settings for "
             "max.message.bytes, both at a broker and topic level.",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Replication is failing due to a message that is greater than "
             "replica.fetch.max.bytes for partition orders-3. This generally occurs when the max.message.bytes has been overridden to "
             "exceed this value and a suitably large message has also been sent. To fix this problem increase replica.fetch.max.bytes "
             "in your broker config to be equal or larger than your settings for max.message.bytes, both at a broker and topic level."),
    Template("FET-093", "fetch_offset_reset_to_leader_end", "WARN", "ReplicaFetcherThread", "0.10.2.2",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}], Replica {replica_id} for partition {topic_partition} reset its fetch "
             "offset from {log_end_offset} to current leader {leader_id}'s latest offset {leader_end_offset}",
             "[ReplicaFetcherThread-0-2], Replica 3 for partition orders-3 reset its fetch offset from 120 to current leader 2's latest "
             "offset 4"),
    Template("FET-094", "fetch_offset_reset_to_leader_end", "WARN", "ReplicaFetcherThread", "0.11.0.3",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}]: Replica {replica_id} for partition {topic_partition} reset its fetch "
             "offset from {log_end_offset} to current leader {leader_id}'s latest offset {leader_end_offset}",
             "[ReplicaFetcherThread-0-2]: Replica 3 for partition orders-3 reset its fetch offset from 120 to current leader 2's latest "
             "offset 4"),
    Template("FET-096", "fetch_offset_reset_to_leader_start", "WARN", "ReplicaFetcherThread", "0.10.2.2",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}], Replica {replica_id} for partition {topic_partition} reset its fetch "
             "offset from {log_end_offset} to current leader {leader_id}'s start offset {leader_start_offset}",
             "[ReplicaFetcherThread-0-2], Replica 3 for partition orders-3 reset its fetch offset from 120 to current leader 2's start "
             "offset 13"),
    Template("FET-097", "fetch_offset_reset_to_leader_start", "WARN", "ReplicaFetcherThread", "0.11.0.3",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}]: Replica {replica_id} for partition {topic_partition} reset its fetch "
             "offset from {log_end_offset} to current leader {leader_id}'s start offset {leader_start_offset}",
             "[ReplicaFetcherThread-0-2]: Replica 3 for partition orders-3 reset its fetch offset from 120 to current leader 2's start "
             "offset 13"),
    Template("FET-099", "fetch_truncation_not_allowed", "FATAL", "ReplicaFetcherThread", "0.10.2.2",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}], Exiting because log truncation is not allowed for partition "
             "{topic_partition}, Current leader {leader_id}'s latest offset {leader_end_offset} is less than replica {broker_id}'s "
             "latest offset {log_end_offset}",
             "[ReplicaFetcherThread-0-2], Exiting because log truncation is not allowed for partition orders-3, Current leader 2's "
             "latest offset 4 is less than replica 2's latest offset 120"),
    Template("FET-100", "fetch_truncation_not_allowed", "FATAL", "ReplicaFetcherThread", "0.11.0.3",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}]: Exiting because log truncation is not allowed for partition "
             "{topic_partition}, current leader {leader_id}'s latest offset {leader_end_offset} is less than replica {broker_id}'s "
             "latest offset {log_end_offset}",
             "[ReplicaFetcherThread-0-2]: Exiting because log truncation is not allowed for partition orders-3, current leader 2's "
             "latest offset 4 is less than replica 2's latest offset 120"),
    Template("FET-101", "fetch_truncation_not_allowed", "ERROR", "ReplicaFetcherThread", "1.0.2 1.1.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Exiting because log truncation is "
             "not allowed for partition {topic_partition}, current leader's latest offset {leader_end_offset} is less than replica's "
             "latest offset {log_end_offset}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Exiting because log truncation is not allowed for partition "
             "orders-3, current leader's latest offset 4 is less than replica's latest offset 120"),
    Template("FET-103", "fetcher_shutdown_error", "ERROR", "ReplicaFetcherThread", "2.1.1-3.2.3",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Failed to close leader endpoint "
             "{endpoint} after shutting down replica fetcher thread",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Failed to close leader endpoint endpoint after shutting down "
             "replica fetcher thread"),
    Template("FET-104", "fetcher_shutdown_error", "ERROR", "ReplicaFetcherThread", "2.1.1-3.2.3",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Failed to initiate shutdown of "
             "leader endpoint {endpoint} after initiating replica fetcher thread shutdown",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Failed to initiate shutdown of leader endpoint endpoint after "
             "initiating replica fetcher thread shutdown"),
    Template("FET-105", "fetcher_shutdown_error", "ERROR", "ReplicaFetcherThread", "3.3.2-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Failed to close {leader} after "
             "shutting down replica fetcher thread",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Failed to close 2 after shutting down replica fetcher thread"),
    Template("FET-106", "fetcher_shutdown_error", "ERROR", "ReplicaFetcherThread", "3.3.2-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Failed to initiate shutdown of "
             "{leader} after initiating replica fetcher thread shutdown",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Failed to initiate shutdown of 2 after initiating replica fetcher "
             "thread shutdown"),
    Template("FET-107", "follower_after_append", "TRACE", "ReplicaFetcherThread", "0.10.2.2",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}], Follower {broker_id} has replica log end offset {log_end_offset} after "
             "appending {size_in_bytes} bytes of messages for partition {topic_partition}",
             "[ReplicaFetcherThread-0-2], Follower 2 has replica log end offset 120 after appending 8 bytes of messages for partition "
             "orders-3"),
    Template("FET-108", "follower_after_append", "TRACE", "ReplicaFetcherThread", "0.11.0.3",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}]: Follower {broker_id} has replica log end offset {log_end_offset} after "
             "appending {size_in_bytes} bytes of messages for partition {topic_partition}",
             "[ReplicaFetcherThread-0-2]: Follower 2 has replica log end offset 120 after appending 8 bytes of messages for partition "
             "orders-3"),
    Template("FET-109", "follower_after_append", "TRACE", "ReplicaFetcherThread", "1.0.2-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Follower has replica log end offset "
             "{log_end_offset} after appending {size_in_bytes} bytes of messages for partition {topic_partition}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Follower has replica log end offset 120 after appending 8 bytes of "
             "messages for partition orders-3"),
    Template("FET-110", "follower_before_append", "TRACE", "ReplicaFetcherThread", "0.10.2.2",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}], Follower {broker_id} has replica log end offset {log_end_offset} for "
             "partition {topic_partition}. Received {size_in_bytes} messages and leader hw {high_watermark}",
             "[ReplicaFetcherThread-0-2], Follower 2 has replica log end offset 120 for partition orders-3. Received 8 messages and "
             "leader hw 118"),
    Template("FET-111", "follower_before_append", "TRACE", "ReplicaFetcherThread", "0.11.0.3",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}]: Follower {broker_id} has replica log end offset {log_end_offset} for "
             "partition {topic_partition}. Received {size_in_bytes} messages and leader hw {high_watermark}",
             "[ReplicaFetcherThread-0-2]: Follower 2 has replica log end offset 120 for partition orders-3. Received 8 messages and "
             "leader hw 118"),
    Template("FET-112", "follower_before_append", "TRACE", "ReplicaFetcherThread", "1.0.2-3.4.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Follower has replica log end offset "
             "{log_end_offset} for partition {topic_partition}. Received {size_in_bytes} messages and leader hw {high_watermark}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Follower has replica log end offset 120 for partition orders-3. "
             "Received 8 messages and leader hw 118"),
    Template("FET-113", "follower_before_append", "TRACE", "ReplicaFetcherThread", "3.5.2-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Follower has replica log end offset "
             "{log_end_offset} for partition {topic_partition}. Received {size_in_bytes} bytes of messages and leader hw "
             "{high_watermark}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Follower has replica log end offset 120 for partition orders-3. "
             "Received 8 bytes of messages and leader hw 118"),
    Template("FET-114", "follower_hw_received", "TRACE", "ReplicaFetcherThread", "3.3.2-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Follower received high watermark "
             "{leader_high_watermark} from the leader and updated replica high watermark to {high_watermark} for partition "
             "{topic_partition}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Follower received high watermark 11 from the leader and updated "
             "replica high watermark to 118 for partition orders-3"),
    Template("FET-115", "follower_hw_received", "TRACE", "ReplicaFetcherThread", "3.3.2-4.3.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Follower received high watermark "
             "{leader_high_watermark} from the leader but did not update replica high watermark for partition {topic_partition}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Follower received high watermark 11 from the leader but did not "
             "update replica high watermark for partition orders-3"),
    Template("FET-116", "follower_hw_set", "TRACE", "ReplicaFetcherThread", "0.10.2.2",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}], Follower {broker_id} set replica high watermark for partition "
             "{topic_partition} to {follower_high_watermark}",
             "[ReplicaFetcherThread-0-2], Follower 2 set replica high watermark for partition orders-3 to 9"),
    Template("FET-117", "follower_hw_set", "TRACE", "ReplicaFetcherThread", "0.11.0.3",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}]: Follower {broker_id} set replica high watermark for partition "
             "{topic_partition} to {follower_high_watermark}",
             "[ReplicaFetcherThread-0-2]: Follower 2 set replica high watermark for partition orders-3 to 9"),
    Template("FET-118", "follower_hw_set", "TRACE", "ReplicaFetcherThread", "1.0.2-3.2.3",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Follower set replica high watermark "
             "for partition {topic_partition} to {follower_high_watermark}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Follower set replica high watermark for partition orders-3 to 9"),
    Template("FET-119", "truncation_below_hw", "WARN", "ReplicaFetcherThread", "2.0.1-4.1.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Truncating {topic_partition} to "
             "offset {truncation_offset} below high watermark {high_watermark}",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Truncating orders-3 to offset 117 below high watermark 118"),
    Template("FET-121", "truncation_fallback_hw", "WARN", "ReplicaFetcherThread", "0.11.0.3",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}]: Based on follower's leader epoch, leader replied with an unknown offset "
             "in {topic_partition}. High watermark {high_watermark} will be used for truncation.",
             "[ReplicaFetcherThread-0-2]: Based on follower's leader epoch, leader replied with an unknown offset in orders-3. High "
             "watermark 118 will be used for truncation."),
    Template("FET-122", "truncation_fallback_hw", "WARN", "ReplicaFetcherThread", "1.0.2",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Based on follower's leader epoch, "
             "leader replied with an unknown offset in {topic_partition}. High watermark {high_watermark} will be used for truncation.",
             "[ReplicaFetcher replicaId=2, leaderId=2, fetcherId=0] Based on follower's leader epoch, leader replied with an unknown "
             "offset in orders-3. High watermark 118 will be used for truncation."),
    Template("FET-123", "truncation_fallback_initial_offset", "WARN", "ReplicaFetcherThread", "1.1.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Based on follower's leader epoch, "
             "leader replied with an unknown offset in {topic_partition}. The initial fetch offset {fetch_offset} will be used for "
             "truncation.",
             "[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Based on follower's leader epoch, leader replied with an unknown "
             "offset in clicks-0. The initial fetch offset 0 will be used for truncation."),
    Template("FET-124", "truncation_not_needed", "INFO", "ReplicaFetcherThread", "0.11.0.3",
             "[ReplicaFetcherThread-{fetcher_id}-{leader_id}]: Based on follower's leader epoch, leader replied with an offset "
             "{end_offset} >= the follower's log end offset {log_end_offset} in {topic_partition}. No truncation needed.",
             "[ReplicaFetcherThread-0-2]: Based on follower's leader epoch, leader replied with an offset 19 >= the follower's log end "
             "offset 120 in orders-3. No truncation needed."),
    Template("FET-125", "truncation_not_needed", "INFO", "ReplicaFetcherThread", "1.0.2-1.1.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] Based on follower's leader epoch, "
             "leader replied with an offset {end_offset} >= the follower's log end offset {log_end_offset} in {topic_partition}. No "
             "truncation needed.",
             "[ReplicaFetcher replicaId=1, leaderId=3, fetcherId=0] Based on follower's leader epoch, leader replied with an offset 144 "
             ">= the follower's log end offset 144 in clicks-3. No truncation needed."),
    Template("FET-126", "epoch_end_offset_error", "WARN", "ReplicaAlterLogDirsThread", "1.1.1-3.2.3",
             "[ReplicaAlterLogDirsThread-{fetcher_id}]: Error when getting EpochEndOffset for {topic_partition}",
             "[ReplicaAlterLogDirsThread-0]: Error when getting EpochEndOffset for orders-3"),
    Template("FET-127", "epoch_request_retry", "INFO", "ReplicaAlterLogDirsThread", "1.1.1-2.0.1",
             "[ReplicaAlterLogDirsThread-{fetcher_id}]: Retrying leaderEpoch request for partition {topic_partition} as the current "
             "replica reported an error: {error}",
             "[ReplicaAlterLogDirsThread-0]: Retrying leaderEpoch request for partition orders-3 as the current replica reported an "
             "error: NOT_LEADER_OR_FOLLOWER"),
    Template("FET-128", "future_replica_copy", "INFO", "ReplicaAlterLogDirsThread", "2.3.1-3.2.3",
             "[ReplicaAlterLogDirsThread-{fetcher_id}]: Beginning/resuming copy of partition {topic_partition} from offset "
             "{fetch_offset}. Including this partition, there are {num_partitions} remaining partitions to copy by this thread.",
             "[ReplicaAlterLogDirsThread-0]: Beginning/resuming copy of partition orders-3 from offset 9. Including this partition, "
             "there are 5 remaining partitions to copy by this thread."),
    Template("FET-129", "future_replica_offset_reset", "WARN", "ReplicaAlterLogDirsThread", "1.1.1-2.0.1",
             "[ReplicaAlterLogDirsThread-{fetcher_id}]: Future replica for partition {topic_partition} reset its fetch offset from "
             "{log_end_offset} to current replica's latest offset {source_log_end_offset}",
             "[ReplicaAlterLogDirsThread-0]: Future replica for partition orders-3 reset its fetch offset from 120 to current replica's "
             "latest offset 15"),
    Template("FET-130", "future_replica_offset_reset", "WARN", "ReplicaAlterLogDirsThread", "1.1.1-2.0.1",
             "[ReplicaAlterLogDirsThread-{fetcher_id}]: Future replica for partition {topic_partition} reset its fetch offset from "
             "{log_end_offset} to current replica's start offset {source_log_start_offset}",
             "[ReplicaAlterLogDirsThread-0]: Future replica for partition orders-3 reset its fetch offset from 120 to current replica's "
             "start offset 7"),
    Template("FET-131", "future_replica_reassignment", "DEBUG", "ReplicaAlterLogDirsThread", "3.7.1-4.3.1",
             "[ReplicaAlterLogDirsThread-{fetcher_id}]: Updating future replica {topic_partition} reassignment state to {state}",
             "[ReplicaAlterLogDirsThread-0]: Updating future replica orders-3 reassignment state to state"),
    Template("FET-132", "future_replica_reassignment", "TRACE", "ReplicaAlterLogDirsThread", "3.7.1-4.3.1",
             "[ReplicaAlterLogDirsThread-{fetcher_id}]: Waiting for AssignReplicasToDirsRequest to succeed before promoting the future "
             "replica.",
             "[ReplicaAlterLogDirsThread-0]: Waiting for AssignReplicasToDirsRequest to succeed before promoting the future replica."),
    Template("FET-182", "future_replica_truncated", "INFO", "ReplicaAlterLogDirsThread", "1.1.1-4.3.1",
             "[ReplicaAlterLogDirsThread-{fetcher_id}]: Truncating partition {topic_partition} with {truncation_state} due to local high "
             "watermark {future_high_watermark}",
             "[ReplicaAlterLogDirsThread-1]: Truncating partition orders-1-0 with TruncationState(offset=0, completed=true) due to local high "
             "watermark 0"),
    Template("FET-133", "truncation_failed", "INFO", "ReplicaAlterLogDirsThread", "1.1.1-2.0.1",
             "[ReplicaAlterLogDirsThread-{fetcher_id}]: Failed to truncate {topic_partition}",
             "[ReplicaAlterLogDirsThread-0]: Failed to truncate orders-3"),
    Template("FET-134", "epoch_end_offset_error", "WARN", "LocalLeaderEndPoint", "3.3.2-4.3.1",
             "Error when getting EpochEndOffset for {topic_partition}",
             "Error when getting EpochEndOffset for orders-3"),
    Template("FET-135", "future_replica_copy", "INFO", "LocalLeaderEndPoint", "3.3.2-4.3.1",
             "Beginning/resuming copy of partition {topic_partition} from offset {fetch_offset}. Including this partition, there are "
             "{num_partitions} remaining partitions to copy by this thread.",
             "Beginning/resuming copy of partition orders-3 from offset 9. Including this partition, there are 5 remaining partitions "
             "to copy by this thread."),
    Template("FET-139", "tier_aux_state_built", "DEBUG", "ReplicaFetcherTierStateMachine|TierStateMachine", "3.5.2-3.7.1 3.8.1-4.3.1",
             "Built the leader epoch cache and producer snapshots from remote tier for Topic: {topic}; Partition: {partition}; {partition_text}, with active producers size: "
             "{num_producers}, leaderLogStartOffset: {leader_log_start_offset}, and logEndOffset: {next_offset}",
             "Built the leader epoch cache and producer snapshots from remote tier for Topic: orders; Partition: 3; Leader: None, with active producers size: 6, "
             "leaderLogStartOffset: 5, and logEndOffset: 19"),
    Template("FET-140", "tier_epoch_cache_rebuilt", "INFO", "ReplicaFetcherTierStateMachine|TierStateMachine", "3.5.2-3.7.1 3.8.1-4.3.1",
             "Updated the epoch cache from remote tier till offset: {leader_local_log_start_offset} with size: {num_entries} for "
             "Topic: {topic}; Partition: {partition}; {partition_text}",
             "Updated the epoch cache from remote tier till offset: 3494 with size: 2 for Topic: orders; Partition: 0; Leader: Some(2); "
             "Replicas: 1,2,3; ISR: ; LeaderRecoveryState: RECOVERED"),
    Template("FET-143", "fetch_send_error", "INFO", "FetchSessionHandler", "1.1.1-2.5.1",
             "{client_prefix}Error sending fetch request {next_metadata} to node {broker_id}: {exception}.",
             "[ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Error sending fetch request (sessionId=977561609, epoch=1503) to "
             "node 1: {}."),
    Template("FET-144", "fetch_send_error", "INFO", "FetchSessionHandler", "2.6.3-4.4.0",
             "{client_prefix}Error sending fetch request {next_metadata} to node {broker_id}:",
             "[ReplicaFetcher replicaId=3, leaderId=1, fetcherId=0] Error sending fetch request (sessionId=2755237, epoch=853) to node "
             "1:"),
    Template("FET-145", "fetch_session_error", "INFO", "FetchSessionHandler", "1.1.1-4.3.1",
             "{client_prefix}Node {node} was unable to process the fetch request with {next_metadata}: {error}.",
             "[Producer clientId=producer-1] Node node was unable to process the fetch request with next-metadata: "
             "NOT_LEADER_OR_FOLLOWER."),
    Template("FET-146", "fetch_session_invalid_response", "INFO", "FetchSessionHandler", "1.1.1-4.3.1",
             "{client_prefix}Node {node} sent an invalid full fetch response with {problem}",
             "[Producer clientId=producer-1] Node node sent an invalid full fetch response with problem"),
    Template("FET-147", "fetch_session_invalid_response", "INFO", "FetchSessionHandler", "1.1.1-4.3.1",
             "{client_prefix}Node {node} sent an invalid incremental fetch response with {problem}",
             "[Producer clientId=producer-1] Node node sent an invalid incremental fetch response with problem"),
    Template("FET-148", "fetch_session_error", "INFO", "FetchManager", "1.1.1",
             "Created a new error FetchContext for session id {session_id}: no such session ID found.",
             "Created a new error FetchContext for session id 0x100000790ce0001: no such session ID found."),
    Template("FET-149", "fetch_session_error", "INFO", "IncrementalFetchContext|FetchContext", "1.1.1-4.1.1 4.3.1",
             "Incremental fetch session {session_id} expected epoch {expected_epoch}, but got {session_epoch}.  Possible duplicate "
             "request.",
             "Incremental fetch session 0x100000790ce0001 expected epoch 13, but got 3.  Possible duplicate request."),
    Template("FET-214", "node_address_changed", "INFO", "ClusterConnectionStates", "3.5.2-4.3.1",
             "{client_prefix}Hostname for node {node_text} changed from {old_host} to {new_host}.",
             "[RaftManager id=2] Hostname for node 3 changed from 10.77.0.9 to kafka-3."),
    Template("FET-150", "node_auth_failed", "WARN", "NetworkClient", "0.11.0.3 1.0.2-2.0.1",
             "{client_prefix}Connection to node {broker_id} terminated during authentication. This may indicate that authentication "
             "failed due to invalid credentials.",
             "[Producer clientId=producer-1] Connection to node 2 terminated during authentication. This may indicate that "
             "authentication failed due to invalid credentials."),
    Template("FET-151", "node_auth_failed", "ERROR", "NetworkClient", "1.0.2-2.0.1",
             "{client_prefix}Connection to node {broker_id} failed authentication due to: {error}",
             "[Producer clientId=producer-1] Connection to node 2 failed authentication due to: NOT_LEADER_OR_FOLLOWER"),
    Template("FET-153", "node_auth_failed", "ERROR", "NetworkClient", "2.1.1-4.3.1",
             "{client_prefix}Connection to node {broker_id} ({remote_address}) failed authentication due to: {error}",
             "[Producer clientId=producer-1] Connection to node 2 (remote-address) failed authentication due to: NOT_LEADER_OR_FOLLOWER"),
    Template("FET-154", "node_auth_failed", "WARN", "NetworkClient", "2.1.1",
             "{client_prefix}Connection to node {broker_id} ({remote_address}) terminated during authentication. This may indicate that "
             "authentication failed due to invalid credentials.",
             "[Producer clientId=producer-1] Connection to node 2 (remote-address) terminated during authentication. This may indicate "
             "that authentication failed due to invalid credentials."),
    Template("FET-155", "node_auth_failed", "WARN", "NetworkClient", "2.2.2-3.8.1",
             "{client_prefix}Connection to node {broker_id} ({remote_address}) terminated during authentication. This may happen due to "
             "any of the following reasons: (1) Authentication failed due to invalid credentials with brokers older than 1.0.0, (2) "
             "Firewall blocking Kafka TLS traffic (eg it may only allow HTTPS traffic), (3) Transient network issue.",
             "[Producer clientId=producer-1] Connection to node 2 (remote-address) terminated during authentication. This may happen "
             "due to any of the following reasons: (1) Authentication failed due to invalid credentials with brokers older than 1.0.0, "
             "(2) Firewall blocking Kafka TLS traffic (eg it may only allow HTTPS traffic), (3) Transient network issue."),
    Template("FET-156", "node_auth_failed", "WARN", "NetworkClient", "3.9.0-4.3.1",
             "{client_prefix}Connection to node {broker_id} ({remote_address}) terminated during authentication. This may happen due to "
             "any of the following reasons: (1) Firewall blocking Kafka TLS traffic (eg it may only allow HTTPS traffic), (2) Transient "
             "network issue.",
             "[Producer clientId=producer-1] Connection to node 2 (remote-address) terminated during authentication. This may happen "
             "due to any of the following reasons: (1) Firewall blocking Kafka TLS traffic (eg it may only allow HTTPS traffic), (2) "
             "Transient network issue."),
    Template("FET-157", "node_connect_error", "WARN", "NetworkClient", "2.0.1-4.3.1",
             "{client_prefix}Error connecting to node {node}",
             "[RaftManager id=1] Error connecting to node 10.77.0.12:9093 (id: 2 rack: null)"),
    Template("FET-158", "node_connect_failed", "WARN", "NetworkClient", "0.11.0.3 1.0.2-2.0.1",
             "{client_prefix}Connection to node {broker_id} could not be established. Broker may not be available.",
             "[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Connection to node 2 could not be established. Broker may not be "
             "available."),
    Template("FET-160", "node_connect_failed", "WARN", "NetworkClient", "2.1.1-3.6.2",
             "{client_prefix}Connection to node {broker_id} ({remote_address}) could not be established. Broker may not be available.",
             "[RaftManager nodeId=2] Connection to node 3 (/10.77.0.13:9093) could not be established. Broker may not be available."),
    Template("FET-161", "node_connect_failed", "WARN", "NetworkClient", "3.7.1-4.4.0",
             "{client_prefix}Connection to node {broker_id} ({remote_address}) could not be established. Node may not be available.",
             "[RaftManager id=1] Connection to node 1 (/10.77.0.11:9093) could not be established. Node may not be available."),
    Template("FET-162", "node_connect_timeout", "INFO", "NetworkClient", "3.1.2-4.3.1",
             "{client_prefix}Disconnecting from node {broker_id} due to socket connection setup timeout. The timeout value is "
             "{timeout_ms} ms.",
             "[Producer clientId=producer-1] Disconnecting from node 2 due to socket connection setup timeout. The timeout value is 250 "
             "ms."),
    Template("FET-163", "node_disconnected", "INFO", "NetworkClient", "0.10.2.2-0.11.0.3 1.0.2-3.0.2 3.1.2-4.4.0",
             "{client_prefix}Node {node} disconnected.",
             "[RaftManager id=1] Node 101 disconnected."),
    Template("FET-166", "node_disconnected", "DEBUG", "NetworkClient", "3.9.0-4.3.1",
             "{client_prefix}Idle connection to node {node} disconnected.",
             "[Producer clientId=producer-1] Idle connection to node node disconnected."),
    Template("FET-167", "node_inflight_cancelled", "INFO", "NetworkClient", "3.1.2-3.7.1",
             "{client_prefix}Cancelled in-flight {api_key} request with correlation id {correlation_id} due to node {broker_id} being "
             "disconnected (elapsed time since creation: {time_elapsed_since_create_ms}ms, elapsed time since send: "
             "{time_elapsed_since_send_ms}ms, request timeout: {request_timeout_ms}ms)",
             "[RaftManager id=1] Cancelled in-flight FETCH request with correlation id 47 due to node 2 being disconnected (elapsed "
             "time since creation: 60ms, elapsed time since send: 59ms, request timeout: 2000ms)"),
    Template("FET-168", "node_inflight_cancelled", "INFO", "NetworkClient", "3.8.1-4.4.0",
             "{client_prefix}Cancelled in-flight {api_key} request with correlation id {correlation_id} due to node {broker_id} being "
             "disconnected (elapsed time since creation: {time_elapsed_since_create_ms}ms, elapsed time since send: "
             "{time_elapsed_since_send_ms}ms, throttle time: {throttle_time_ms}ms, request timeout: {request_timeout_ms}ms)",
             "[RaftManager id=1] Cancelled in-flight FETCH request with correlation id 96 due to node 101 being disconnected (elapsed "
             "time since creation: 55ms, elapsed time since send: 55ms, throttle time: 0ms, request timeout: 2000ms)"),
    Template("FET-169", "node_request_timeout", "INFO", "NetworkClient", "0.10.2.2-0.11.0.3 1.0.2-3.0.2 3.1.2-4.3.1",
             "{client_prefix}Disconnecting from node {broker_id} due to request timeout.",
             "[RaftManager id=1] Disconnecting from node 2 due to request timeout."),
    Template("FET-172", "future_replica_fetcher_removed", "INFO", "ReplicaAlterLogDirsManager", "1.1.1-4.4.0",
             "[ReplicaAlterLogDirsManager on broker {broker_id}] Removed fetcher for partitions {partitions}",
             "[ReplicaAlterLogDirsManager on broker 1] Removed fetcher for partitions Set(clicks-2, clicks-5)"),
    Template("FET-173", "future_replica_fetcher_added", "INFO", "ReplicaAlterLogDirsManager", "2.1.1-2.4.1 2.5.1-4.3.1",
             "[ReplicaAlterLogDirsManager on broker {broker_id}] Added fetcher to broker {leader_endpoint} for partitions "
             "{initial_fetch_states}",
             "[ReplicaAlterLogDirsManager on broker 2] Added fetcher to broker BrokerEndPoint(id=2, host=kafka-2:9092) for partitions "
             "initial-fetch-states"),
    Template("FET-176", "fetcher_pool_resized", "INFO", "ReplicaAlterLogDirsManager", "1.1.1-4.3.1",
             "[ReplicaAlterLogDirsManager on broker {broker_id}] Resizing fetcher thread pool size from {current_size} to {new_size}",
             "[ReplicaAlterLogDirsManager on broker 2] Resizing fetcher thread pool size from current-size to new-size"),
    Template("FET-178", "node_disconnected", "INFO", "NetworkClient", "3.3.2-4.4.0",
             "{client_prefix}Client requested connection close from node {broker_id}",
             "[Controller id=1, targetBrokerId=1] Client requested connection close from node 1"),
    Template("FET-179", "node_disconnected", "INFO", "NetworkClient", "3.3.2-4.4.0",
             "{client_prefix}Client requested disconnect from node {broker_id}",
             "[NodeToControllerChannelManager id=1 name=heartbeat] Client requested disconnect from node 1"),
    Template("FET-180", "node_disconnected", "WARN", "NetworkClient", "2.4.1-4.4.0",
             "{client_prefix}Attempting to close NetworkClient that has already been closed.",
             "[NodeToControllerChannelManager id=1 name=registration] Attempting to close NetworkClient that has already been closed."),
    Template("FET-181", "future_replica_fetcher_added", "INFO", "ReplicaAlterLogDirsManager", "1.1.1-2.0.1",
             "[ReplicaAlterLogDirsManager on broker {broker_id}] Added fetcher for partitions {partition_and_offsets}",
             "[ReplicaAlterLogDirsManager on broker 1] Added fetcher for partitions List()"),
    Template("FET-215", "fetcher_idle", "TRACE", "ReplicaFetcherThread", "3.9.1",
             "[ReplicaFetcher replicaId={broker_id}, leaderId={leader_id}, fetcherId={fetcher_id}] There are no active partitions. Back "
             "off for {backoff_ms} ms before sending a fetch request",
             "[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] There are no active partitions. Back off for 1000 ms before sending a "
             "fetch request"),
)
