"""What transaction coordinators and producer ids write to server.log."""

from replay.catalogue.template import Template

TEMPLATES = (
    Template("TXN-001", "transaction_error", "WARN", "AddPartitionsToTxnManager", "3.6.2-4.3.1",
             "{caller_prefix}AddPartitionsToTxnRequest failed for node {destination} with a network exception.",
             "AddPartitionsToTxnRequest failed for node destination with a network exception."),
    Template("TXN-002", "transaction_error", "ERROR", "AddPartitionsToTxnManager", "3.6.2-4.3.1",
             "{caller_prefix}AddPartitionsToTxnRequest failed for node {destination} with an authentication exception.",
             "AddPartitionsToTxnRequest failed for node destination with an authentication exception."),
    Template("TXN-003", "transaction_error", "WARN", "AddPartitionsToTxnManager", "3.6.2-4.3.1",
             "{caller_prefix}AddPartitionsToTxnRequest failed for node {destination} with invalid version exception. This suggests "
             "verification is not supported. Continuing handling the produce request.",
             "AddPartitionsToTxnRequest failed for node destination with invalid version exception. This suggests verification is not "
             "supported. Continuing handling the produce request."),
    Template("TXN-004", "transaction_error", "WARN", "AddPartitionsToTxnManager", "3.6.2-4.3.1",
             "{caller_prefix}AddPartitionsToTxnRequest failed for node {destination} with invalid version exception. This suggests "
             "verification is not supported.Continuing handling the produce request.",
             "AddPartitionsToTxnRequest failed for node destination with invalid version exception. This suggests verification is not "
             "supported.Continuing handling the produce request."),
    Template("TXN-005", "transaction_error", "ERROR", "AddPartitionsToTxnManager", "3.6.2-4.3.1",
             "{caller_prefix}AddPartitionsToTxnRequest for node {destination} returned with error {for_code}.",
             "AddPartitionsToTxnRequest for node destination returned with error for-code."),
    Template("TXN-006", "producer_id_block_failed", "WARN", "ProducerIdManager", "0.11.0.3-2.8.2",
             "{caller_prefix}Error while checking for producerId block Zk data on path {path}: expected data {string}",
             "Error while checking for producerId block Zk data on path path: expected data string"),
    Template("TXN-007", "producer_id_block_failed", "FATAL", "ProducerIdManager", "0.11.0.3-3.9.1",
             "{caller_prefix}Exhausted all producerIds as the next block's end producerId is will has exceeded long type limit (current "
             "block end producerId is {last_producer_id})",
             "Exhausted all producerIds as the next block's end producerId is will has exceeded long type limit (current block end "
             "producerId is 7)"),
    Template("TXN-008", "producer_id_block_failed", "WARN", "ProducerIdManager", "3.0.2-3.5.2",
             "{caller_prefix}Had an unknown error from the controller, giving up.",
             "Had an unknown error from the controller, giving up."),
    Template("TXN-009", "producer_id_block_failed", "WARN", "ProducerIdManager", "3.0.2-3.5.2",
             "{caller_prefix}Our broker epoch was stale, trying again.",
             "Our broker epoch was stale, trying again."),
    Template("TXN-010", "producer_id_block_failed", "ERROR", "ProducerIdManager", "3.6.2-4.3.1",
             "{caller_prefix}Producer ID block includes invalid ID range: {data}",
             "Producer ID block includes invalid ID range: data"),
    Template("TXN-011", "producer_id_block_failed", "ERROR", "ProducerIdManager", "3.6.2-4.3.1",
             "{caller_prefix}Producer ID block is not monotonic with current block: current={current_producer_id_block} response={data}",
             "Producer ID block is not monotonic with current block: current=current-producer-id-block response=data"),
    Template("TXN-012", "producer_id_block_failed", "FATAL", "ProducerIdManager", "0.11.0.3-2.8.2",
             "{caller_prefix}Read jason data {json_data} contains producerIds that have exceeded long type limit",
             "Read jason data json-data contains producerIds that have exceeded long type limit"),
    Template("TXN-013", "producer_id_block_failed", "ERROR", "ProducerIdManager", "3.6.2-3.9.1",
             "{caller_prefix}Received an unexpected error code from the controller: {e}",
             "Received an unexpected error code from the controller: e"),
    Template("TXN-014", "producer_id_block_failed", "ERROR", "RPCProducerIdManager", "3.6.2-4.3.1",
             "{caller_prefix}{log_prefix_text} Producer ID block includes invalid ID range: {data}",
             "log-prefix-text Producer ID block includes invalid ID range: data"),
    Template("TXN-015", "producer_id_block_failed", "ERROR", "RPCProducerIdManager", "3.6.2-4.3.1",
             "{caller_prefix}{log_prefix_text} Producer ID block is not monotonic with current block: "
             "current={current_producer_id_block} response={data}",
             "log-prefix-text Producer ID block is not monotonic with current block: current=current-producer-id-block response=data"),
    Template("TXN-016", "producer_id_block_failed", "ERROR", "RPCProducerIdManager", "4.2.0-4.3.1",
             "{caller_prefix}{log_prefix_text} Unable to allocate producer id because of a version mismatch exception",
             "log-prefix-text Unable to allocate producer id because of a version mismatch exception"),
    Template("TXN-017", "producer_id_block_failed", "ERROR", "RPCProducerIdManager", "4.2.0-4.3.1",
             "{caller_prefix}{log_prefix_text} Unable to allocate producer id because of an authentication exception",
             "log-prefix-text Unable to allocate producer id because of an authentication exception"),
    Template("TXN-018", "producer_id_block_failed", "ERROR", "RPCProducerIdManager", "4.2.0-4.3.1",
             "{caller_prefix}{log_prefix_text} Unable to allocate producer id because of empty response from controller",
             "log-prefix-text Unable to allocate producer id because of empty response from controller"),
    Template("TXN-019", "transaction_error", "ERROR", "TransactionCoordinator", "2.4.1-4.3.1",
             "{caller_prefix}Could not find transaction metadata when trying to timeout transaction for {txn_id_and_pid_epoch}",
             "Could not find transaction metadata when trying to timeout transaction for 7"),
    Template("TXN-020", "transaction_error", "ERROR", "TransactionCoordinator", "0.11.0.3-2.3.1",
             "{caller_prefix}Could not find transaction metadata when trying to timeout transaction with transactionalId "
             "{transactional_id}. ProducerId: {producer_id}. ProducerEpoch: {producer_epoch}",
             "Could not find transaction metadata when trying to timeout transaction with transactionalId 7. ProducerId: 7. "
             "ProducerEpoch: 7"),
    Template("TXN-021", "transaction_error", "ERROR", "TransactionCoordinator", "0.11.0.3-4.3.1",
             "{caller_prefix}Found incorrect producerId when expiring transactionalId: {transactional_id}. Expected producerId: "
             "{producer_id}. Found producerId: {producer_id_2}",
             "Found incorrect producerId when expiring transactionalId: 7. Expected producerId: 7. Found producerId: 7"),
    Template("TXN-022", "transaction_error", "WARN", "TransactionCoordinator", "0.11.0.3-2.3.1",
             "{caller_prefix}Rolling back ongoing transaction of transactionalId: {transactional_id} failed due to {exception_name}",
             "Rolling back ongoing transaction of transactionalId: 7 failed due to exception-name"),
    Template("TXN-023", "transaction_error", "WARN", "TransactionCoordinator", "4.1.1-4.3.1",
             "{caller_prefix}The coordinator failed to write an epoch fence transition for producer {transactional_id} to the "
             "transaction log with error {error}",
             "The coordinator failed to write an epoch fence transition for producer 7 to the transaction log with error error"),
    Template("TXN-024", "transaction_error", "WARN", "TransactionCoordinator", "2.6.3-4.3.1",
             "{caller_prefix}The coordinator failed to write an epoch fence transition for producer {transactional_id} to the "
             "transaction log with error {error}. The epoch was increased to {producer_epoch} but not returned to the client",
             "The coordinator failed to write an epoch fence transition for producer 7 to the transaction log with error error. The "
             "epoch was increased to 7 but not returned to the client"),
    Template("TXN-025", "transaction_error", "WARN", "TransactionCoordinator", "0.11.0.3-4.3.1",
             "{caller_prefix}TransactionalId: {transactional_id}'s state is {transaction_state}, but received transaction marker result "
             "to send: {transaction_result}",
             "TransactionalId: 7's state is transaction-state, but received transaction marker result to send: transaction-result"),
    Template("TXN-026", "transaction_aborted_timeout", "INFO", "TransactionCoordinator", "0.11.0.3-2.3.1",
             "{caller_prefix}Completed rollback ongoing transaction of transactionalId: {transactional_id} due to timeout",
             "Completed rollback ongoing transaction of transactionalId: 7 due to timeout"),
    Template("TXN-027", "transaction_progress", "INFO", "TransactionMarkerChannelManager", "0.11.0.3-4.3.1",
             "{caller_prefix}Coordinator is loading the partition {partition_for} and hence cannot complete append of {txn_log_append}; "
             "skip writing to transaction log as the loading process should complete it",
             "Coordinator is loading the partition partition-for and hence cannot complete append of txn-log-append; skip writing to "
             "transaction log as the loading process should complete it"),
    Template("TXN-028", "transaction_progress", "INFO", "TransactionMarkerChannelManager", "3.8.1-4.3.1",
             "{caller_prefix}Creating new marker queue for txn partition {txn_topic_partition} to destination broker {destination_id}",
             "Creating new marker queue for txn partition txn-topic-partition to destination broker 7"),
    Template("TXN-029", "transaction_progress", "INFO", "TransactionMarkerChannelManager", "3.8.1-4.3.1",
             "{caller_prefix}Creating new marker queue map to destination broker {broker_id}",
             "Creating new marker queue map to destination broker 7"),
    Template("TXN-030", "transaction_progress", "INFO", "TransactionMarkerChannelManager", "0.11.0.3-4.3.1",
             "{caller_prefix}Encountered {error} trying to fetch transaction metadata for {transactional_id} with coordinator epoch "
             "{coordinator_epoch}; cancel sending markers to its partition leaders",
             "Encountered error trying to fetch transaction metadata for 7 with coordinator epoch 7; cancel sending markers to its "
             "partition leaders"),
    Template("TXN-031", "transaction_progress", "INFO", "TransactionMarkerChannelManager", "3.8.1-4.3.1",
             "{caller_prefix}Failed to remove pending marker entry {current} trying to remove {pending_complete_txn}",
             "Failed to remove pending marker entry current trying to remove pending-complete-txn"),
    Template("TXN-032", "transaction_progress", "INFO", "TransactionMarkerChannelManager", "3.8.1-4.3.1",
             "{caller_prefix}Removing {entry} for txn partition {txn_topic_partition_id} to destination broker -1",
             "Removing entry for txn partition 7 to destination broker -1"),
    Template("TXN-033", "transaction_progress", "INFO", "TransactionMarkerChannelManager", "3.8.1-4.3.1",
             "{caller_prefix}Removing {entry} for txn partition {txn_topic_partition_id} to destination broker {broker_id}",
             "Removing entry for txn partition 7 to destination broker 7"),
    Template("TXN-034", "transaction_progress", "INFO", "TransactionMarkerChannelManager", "3.8.1-4.3.1",
             "{caller_prefix}Replaced an existing pending complete txn {prev} with {pending_complete_txn} while adding markers to send.",
             "Replaced an existing pending complete txn prev with pending-complete-txn while adding markers to send."),
    Template("TXN-035", "transaction_progress", "INFO", "TransactionMarkerChannelManager", "0.11.0.3-4.3.1",
             "{caller_prefix}The cached metadata has changed to {epoch_and_metadata} (old coordinator epoch is {coordinator_epoch}) "
             "since preparing to send markers; cancel sending markers to its partition leaders",
             "The cached metadata has changed to epoch-and-metadata (old coordinator epoch is 7) since preparing to send markers; cancel "
             "sending markers to its partition leaders"),
    Template("TXN-036", "transaction_progress", "INFO", "TransactionMarkerChannelManager", "0.11.0.3-4.3.1",
             "{caller_prefix}The cached metadata {txn_metadata} has changed to {epoch_and_metadata} after completed sending the markers "
             "with coordinator epoch {coordinator_epoch}; abort transiting the metadata to {new_metadata} as it may have been updated by "
             "another process",
             "The cached metadata txn-metadata has changed to epoch-and-metadata after completed sending the markers with coordinator "
             "epoch 7; abort transiting the metadata to new-metadata as it may have been updated by another process"),
    Template("TXN-037", "transaction_progress", "INFO", "TransactionMarkerRequestCompletionHandler", "0.11.0.3-4.3.1",
             "{caller_prefix}Sending {transactional_id}'s transaction marker from partition {topic_partition} has failed with  "
             "{error_name}. This partition will be removed from the set of partitions waiting for completion",
             "Sending 7's transaction marker from partition orders-3 has failed with  error-name. This partition will be removed from "
             "the set of partitions waiting for completion"),
    Template("TXN-038", "transaction_error", "FATAL", "TransactionMetadata", "0.11.0.3-4.1.1",
             "{caller_prefix}{this}'s transition to {transit_metadata} failed since pendingState is not defined: this should not happen",
             "this's transition to transit-metadata failed since pendingState is not defined: this should not happen"),
    Template("TXN-039", "transaction_error", "FATAL", "TransactionMetadata", "0.11.0.3-4.1.1",
             "{caller_prefix}{to_string}'s transition to {txn_transit_metadata} failed: this should not happen",
             "to-string's transition to txn-transit-metadata failed: this should not happen"),
    Template("TXN-040", "transaction_progress", "INFO", "TransactionMetadata", "2.5.1-4.3.1",
             "{caller_prefix}Expected producer epoch {expected_producer_epoch} does not match current producer epoch {producer_epoch} or "
             "previous producer epoch {last_producer_epoch}",
             "Expected producer epoch 7 does not match current producer epoch 7 or previous producer epoch 7"),
    Template("TXN-041", "transaction_error", "WARN", "TransactionStateManager", "2.0.1-4.3.1",
             "{caller_prefix}Failed to remove expired transactionalId: {transactional_id} from cache. Tombstone append error code: "
             "{error}, pendingState: {pending_state}, producerEpoch: {producer_epoch}, expected producerEpoch: {producer_epoch_2}, "
             "coordinatorEpoch: {coordinator_epoch}, expected coordinatorEpoch: {coordinator_epoch_2}",
             "Failed to remove expired transactionalId: 7 from cache. Tombstone append error code: error, pendingState: pending-state, "
             "producerEpoch: 7, expected producerEpoch: 7, coordinatorEpoch: 7, expected coordinatorEpoch: 7"),
    Template("TXN-042", "transaction_error", "WARN", "TransactionStateManager", "2.0.1-2.2.2",
             "{caller_prefix}Loaded offsets and group metadata from {topic_partition} with buffer larger ({bytes_needed} bytes) than "
             "configured transaction.state.log.load.buffer.size ({transaction_log_load_buffer_size} bytes)",
             "Loaded offsets and group metadata from orders-3 with buffer larger (bytes-needed bytes) than configured "
             "transaction.state.log.load.buffer.size (transaction-log-load-buffer-size bytes)"),
    Template("TXN-043", "transaction_error", "WARN", "TransactionStateManager", "2.3.1-4.3.1",
             "{caller_prefix}Loaded transaction metadata from {topic_partition} with buffer larger ({bytes_needed} bytes) than "
             "configured transaction.state.log.load.buffer.size ({transaction_log_load_buffer_size} bytes)",
             "Loaded transaction metadata from orders-3 with buffer larger (bytes-needed bytes) than configured "
             "transaction.state.log.load.buffer.size (transaction-log-load-buffer-size bytes)"),
    Template("TXN-044", "transaction_error", "WARN", "TransactionStateManager", "2.6.3-4.3.1",
             "{caller_prefix}Transaction expiration for partition {transaction_partition} failed because the log config was not "
             "available, which likely means the partition is not online or is no longer local.",
             "Transaction expiration for partition transaction-partition failed because the log config was not available, which likely "
             "means the partition is not online or is no longer local."),
    Template("TXN-045", "transaction_error", "WARN", "TransactionStateManager", "3.4.1-4.2.0",
             "{caller_prefix}Unknown message key with version {version} while loading transaction state from {topic_partition}. Ignoring "
             "it. It could be a left over from an aborted upgrade.",
             "Unknown message key with version version while loading transaction state from orders-3. Ignoring it. It could be a left "
             "over from an aborted upgrade."),
    Template("TXN-046", "transaction_progress", "INFO", "TransactionStateManager", "0.11.0.3-4.3.1",
             "{caller_prefix}Accessing the cached transaction metadata for {transactional_id} returns {err} error; aborting transition "
             "to the new metadata and setting the error in the callback",
             "Accessing the cached transaction metadata for 7 returns err error; aborting transition to the new metadata and setting the "
             "error in the callback"),
    Template("TXN-047", "transaction_progress", "INFO", "TransactionStateManager", "3.8.1-4.3.1",
             "{caller_prefix}Sending txn markers for {txn_transit_metadata} after loading partition {partition_id}",
             "Sending txn markers for txn-transit-metadata after loading partition 7"),
    Template("TXN-048", "transaction_progress", "INFO", "TransactionStateManager", "0.11.0.3-4.3.1",
             "{caller_prefix}TransactionalId {transactional_id} append transaction log for {new_metadata} transition failed due to "
             "{response_error}, aborting state transition and returning the error in the callback since metadata is not available in the "
             "cache anymore",
             "TransactionalId 7 append transaction log for new-metadata transition failed due to response-error, aborting state "
             "transition and returning the error in the callback since metadata is not available in the cache anymore"),
    Template("TXN-049", "transaction_progress", "INFO", "TransactionCoordinator", "0.11.0.3-4.3.1",
             "{caller_prefix}Initialized transactionalId {transactional_id} with producerId {producer_id} and producer epoch "
             "{producer_epoch} on partition {transaction_state_topic_name}-{partition_for}",
             "Initialized transactionalId 7 with producerId 7 and producer epoch 7 on partition transaction-state-topic-name-partition-for"),
    Template("TXN-050", "transaction_error", "ERROR", "TransactionMetadata", "4.3.1",
             "{caller_prefix}Aborting producer {transactional_id} {producer_id} with epoch equal to Short.MaxValue, this must not happen "
             "unless there is a bug",
             "Aborting producer 7 7 with epoch equal to Short.MaxValue, this must not happen unless there is a bug"),
    Template("TXN-051", "transaction_error", "ERROR", "TransactionMetadata", "4.3.1",
             "{caller_prefix}Fencing producer {transactional_id} {producer_id} with epoch equal to Short.MaxValue, this must not happen "
             "unless there is a bug",
             "Fencing producer 7 7 with epoch equal to Short.MaxValue, this must not happen unless there is a bug"),
    Template("TXN-052", "transaction_progress", "INFO", "TransactionStateManager", "0.11.0.3-4.3.1",
             "{caller_prefix}The cached coordinator epoch for {transactional_id} has changed to {coordinator_epoch} after appended its "
             "new metadata {new_metadata} to the transaction log (txn topic partition {partition_for}) while it was "
             "{coordinator_epoch_2} before appending; aborting transition to the new metadata and returning {not_coordinator} in the "
             "callback",
             "The cached coordinator epoch for 7 has changed to 7 after appended its new metadata new-metadata to the transaction log "
             "(txn topic partition partition-for) while it was 7 before appending; aborting transition to the new metadata and returning "
             "not-coordinator in the callback"),
    Template("TXN-053", "transaction_progress", "INFO", "TransactionStateManager", "0.11.0.3-4.3.1",
             "{caller_prefix}The cached coordinator metadata does not exist in the cache anymore for {transactional_id} after appended "
             "its new metadata {new_metadata} to the transaction log (txn topic partition {partition_for}) while it was "
             "{coordinator_epoch} before appending; aborting transition to the new metadata and returning {not_coordinator} in the "
             "callback",
             "The cached coordinator metadata does not exist in the cache anymore for 7 after appended its new metadata new-metadata to "
             "the transaction log (txn topic partition partition-for) while it was 7 before appending; aborting transition to the new "
             "metadata and returning not-coordinator in the callback"),
)
