"""What the group, transaction and share coordinators and tiered storage write to server.log."""

from replay.catalogue.template import Template

TEMPLATES = (
    Template("CRD-208", "coordinator_elected", "INFO", "GroupCoordinator", "2.6.3-2.7.2",
             "[GroupCoordinator {broker_id}]: Elected as the group coordinator for partition {coordinator_partition}",
             "[GroupCoordinator 1]: Elected as the group coordinator for partition 0"),
    Template("CRD-209", "coordinator_resigned", "INFO", "GroupCoordinator", "2.6.3-2.7.2",
             "[GroupCoordinator {broker_id}]: Resigned as the group coordinator for partition {coordinator_partition}",
             "[GroupCoordinator 1]: Resigned as the group coordinator for partition 0"),
    Template("CRD-001", "coordinator_elected", "INFO", "GroupCoordinator", "2.8.2-4.0.1",
             "[GroupCoordinator {broker_id}]: Elected as the group coordinator for partition {coordinator_partition} in epoch "
             "{coordinator_epoch}",
             "[GroupCoordinator 1]: Elected as the group coordinator for partition 0 in epoch 0"),
    Template("CRD-002", "coordinator_group_loaded", "INFO", "GroupCoordinator", "0.10.2.2 0.11.0.3-4.0.1",
             "[GroupCoordinator {broker_id}]: Loading group metadata for {group_id} with generation {generation}",
             "[GroupCoordinator 2]: Loading group metadata for X8snIzwvRQ2wDuEVgycxrQ with generation generation"),
    Template("CRD-004", "coordinator_group_unloaded", "INFO", "GroupCoordinator", "0.10.2.2 0.11.0.3-4.0.1",
             "[GroupCoordinator {broker_id}]: Unloading group metadata for {group_id} with generation {generation}",
             "[GroupCoordinator 2]: Unloading group metadata for X8snIzwvRQ2wDuEVgycxrQ with generation generation"),
    Template("CRD-006", "coordinator_resigned", "INFO", "GroupCoordinator", "2.8.2-4.0.1",
             "[GroupCoordinator {broker_id}]: Resigned as the group coordinator for partition {coordinator_partition} in epoch "
             "{coordinator_epoch}",
             "[GroupCoordinator 1]: Resigned as the group coordinator for partition 0 in epoch Some(0)"),
    Template("CRD-007", "coordinator_epoch_stale", "INFO", "GroupMetadataManager", "2.8.2-4.0.1",
             "[GroupMetadataManager brokerId={broker_id}] Not loading offsets and group metadata for {topic_partition} in epoch "
             "{coordinator_epoch} since current epoch is {current_coordinator_epoch}",
             "[GroupMetadataManager brokerId=2] Not loading offsets and group metadata for orders-3 in epoch 11 since current epoch is "
             "10"),
    Template("CRD-008", "coordinator_epoch_stale", "INFO", "GroupMetadataManager", "2.8.2-4.0.1",
             "[GroupMetadataManager brokerId={broker_id}] Not removing offsets and group metadata for {topic_partition} in epoch "
             "{coordinator_epoch} since current epoch is {current_coordinator_epoch}",
             "[GroupMetadataManager brokerId=2] Not removing offsets and group metadata for orders-3 in epoch 11 since current epoch is "
             "10"),
    Template("CRD-009", "coordinator_group_unloaded", "INFO", "GroupMetadataManager", "3.8.1-4.3.1",
             "[GroupCoordinator id={broker_id} topic={topic} partition={partition}] [GroupId={group_id}] Unloaded group metadata for "
             "group epoch {group_epoch}.",
             "[GroupCoordinator id=2 topic=orders partition=3] [GroupId=X8snIzwvRQ2wDuEVgycxrQ] Unloaded group metadata for group epoch "
             "9."),
    Template("CRD-010", "coordinator_group_unloaded", "INFO", "GroupMetadataManager", "3.8.1-4.3.1",
             "[GroupCoordinator id={broker_id} topic={topic} partition={partition}] [GroupId={group_id}] Unloading group metadata for "
             "generation {generation_id}.",
             "[GroupCoordinator id=2 topic=orders partition=3] [GroupId=X8snIzwvRQ2wDuEVgycxrQ] Unloading group metadata for generation "
             "X8snIzwvRQ2wDuEVgycxrQ."),
    Template("CRD-011", "coordinator_load_done", "INFO", "GroupMetadataManager", "0.10.2.2",
             "[Group Metadata Manager on Broker {broker_id}]: Finished loading offsets from {topic_partition} in {elapsed_ms} "
             "milliseconds.",
             "[Group Metadata Manager on Broker 2]: Finished loading offsets from orders-3 in 84 milliseconds."),
    Template("CRD-012", "coordinator_load_done", "INFO", "GroupMetadataManager", "0.11.0.3",
             "[Group Metadata Manager on Broker {broker_id}]: Finished loading offsets and group metadata from {topic_partition} in "
             "{elapsed_ms} milliseconds.",
             "[Group Metadata Manager on Broker 2]: Finished loading offsets and group metadata from orders-3 in 84 milliseconds."),
    Template("CRD-013", "coordinator_load_done", "INFO", "GroupMetadataManager", "1.0.2-2.5.1",
             "[GroupMetadataManager brokerId={broker_id}] Finished loading offsets and group metadata from {topic_partition} in "
             "{time_lapse} milliseconds.",
             "[GroupMetadataManager brokerId=1] Finished loading offsets and group metadata from __consumer_offsets-0 in 0 milliseconds."),
    Template("CRD-014", "coordinator_load_done", "INFO", "GroupMetadataManager", "2.6.3-2.7.2",
             "[GroupMetadataManager brokerId={broker_id}] Finished loading offsets and group metadata from {topic_partition} in "
             "{total_loading_time_ms} milliseconds, of which {scheduler_time_ms} milliseconds was spent in the scheduler.",
             "[GroupMetadataManager brokerId=2] Finished loading offsets and group metadata from orders-3 in 250 milliseconds, of which "
             "250 milliseconds was spent in the scheduler."),
    Template("CRD-015", "coordinator_load_done", "INFO", "GroupMetadataManager", "2.8.2-4.0.1",
             "[GroupMetadataManager brokerId={broker_id}] Finished loading offsets and group metadata from {topic_partition} in "
             "{total_loading_time_ms} milliseconds for epoch {coordinator_epoch}, of which {scheduler_time_ms} milliseconds was spent "
             "in the scheduler.",
             "[GroupMetadataManager brokerId=1] Finished loading offsets and group metadata from __consumer_offsets-0 in 2 milliseconds "
             "for epoch 0, of which 1 milliseconds was spent in the scheduler."),
    Template("CRD-016", "coordinator_load_duplicate", "INFO", "GroupMetadataManager", "0.10.2.2 0.11.0.3",
             "[Group Metadata Manager on Broker {broker_id}]: Offset load from {topic_partition} already in progress.",
             "[Group Metadata Manager on Broker 2]: Offset load from orders-3 already in progress."),
    Template("CRD-018", "coordinator_load_duplicate", "INFO", "GroupMetadataManager", "1.0.2-1.1.1",
             "[GroupMetadataManager brokerId={broker_id}] Offset load from {topic_partition} already in progress.",
             "[GroupMetadataManager brokerId=2] Offset load from orders-3 already in progress."),
    Template("CRD-019", "coordinator_load_duplicate", "INFO", "GroupMetadataManager", "2.0.1-4.0.1",
             "[GroupMetadataManager brokerId={broker_id}] Already loading offsets and group metadata from {topic_partition}",
             "[GroupMetadataManager brokerId=2] Already loading offsets and group metadata from orders-3"),
    Template("CRD-020", "coordinator_load_failed", "ERROR", "GroupMetadataManager", "0.10.2.2 0.11.0.3",
             "[Group Metadata Manager on Broker {broker_id}]: Error loading offsets from {topic_partition}",
             "[Group Metadata Manager on Broker 2]: Error loading offsets from orders-3"),
    Template("CRD-022", "coordinator_load_failed", "ERROR", "GroupMetadataManager", "1.0.2-4.0.1",
             "[GroupMetadataManager brokerId={broker_id}] Error loading offsets from {topic_partition}",
             "[GroupMetadataManager brokerId=2] Error loading offsets from orders-3"),
    Template("CRD-023", "coordinator_load_no_log", "WARN", "GroupMetadataManager", "0.10.2.2 0.11.0.3",
             "[Group Metadata Manager on Broker {broker_id}]: Attempted to load offsets and group metadata from {topic_partition}, but "
             "found no log",
             "[Group Metadata Manager on Broker 2]: Attempted to load offsets and group metadata from orders-3, but found no log"),
    Template("CRD-025", "coordinator_load_no_log", "WARN", "GroupMetadataManager", "1.0.2-4.0.1",
             "[GroupMetadataManager brokerId={broker_id}] Attempted to load offsets and group metadata from {topic_partition}, but "
             "found no log",
             "[GroupMetadataManager brokerId=2] Attempted to load offsets and group metadata from orders-3, but found no log"),
    Template("CRD-026", "coordinator_load_scheduled", "INFO", "GroupMetadataManager", "0.10.2.2",
             "[Group Metadata Manager on Broker {broker_id}]: Loading offsets and group metadata from {topic_partition}",
             "[Group Metadata Manager on Broker 2]: Loading offsets and group metadata from orders-3"),
    Template("CRD-027", "coordinator_load_scheduled", "INFO", "GroupMetadataManager", "0.11.0.3",
             "[Group Metadata Manager on Broker {broker_id}]: Scheduling loading of offsets and group metadata from {topic_partition}",
             "[Group Metadata Manager on Broker 2]: Scheduling loading of offsets and group metadata from orders-3"),
    Template("CRD-028", "coordinator_load_scheduled", "INFO", "GroupMetadataManager", "1.0.2-2.7.2",
             "[GroupMetadataManager brokerId={broker_id}] Scheduling loading of offsets and group metadata from {topic_partition}",
             "[GroupMetadataManager brokerId=1] Scheduling loading of offsets and group metadata from __consumer_offsets-0"),
    Template("CRD-029", "coordinator_load_scheduled", "INFO", "GroupMetadataManager", "2.8.2-4.0.1",
             "[GroupMetadataManager brokerId={broker_id}] Scheduling loading of offsets and group metadata from {topic_partition} for "
             "epoch {coordinator_epoch}",
             "[GroupMetadataManager brokerId=1] Scheduling loading of offsets and group metadata from __consumer_offsets-0 for epoch 0"),
    Template("CRD-030", "coordinator_moved", "INFO", "GroupMetadataManager", "0.10.2.2 0.11.0.3",
             "[Group Metadata Manager on Broker {broker_id}]: BrokerId {broker_id} is no longer a coordinator for the group {group_id}. "
             "Proceeding cleanup for other alive groups",
             "[Group Metadata Manager on Broker 2]: BrokerId 2 is no longer a coordinator for the group X8snIzwvRQ2wDuEVgycxrQ. "
             "Proceeding cleanup for other alive groups"),
    Template("CRD-032", "coordinator_moved", "INFO", "GroupMetadataManager", "0.11.0.3",
             "[Group Metadata Manager on Broker {broker_id}]: Group {group_id} has moved away from {broker_id} after transaction marker "
             "was written but before the cache was updated. The cache on the new group owner will be updated instead.",
             "[Group Metadata Manager on Broker 2]: Group X8snIzwvRQ2wDuEVgycxrQ has moved away from 2 after transaction marker was "
             "written but before the cache was updated. The cache on the new group owner will be updated instead."),
    Template("CRD-033", "coordinator_moved", "INFO", "GroupMetadataManager", "1.0.2-4.0.1",
             "[GroupMetadataManager brokerId={broker_id}] BrokerId {broker_id} is no longer a coordinator for the group {group_id}. "
             "Proceeding cleanup for other alive groups",
             "[GroupMetadataManager brokerId=2] BrokerId 2 is no longer a coordinator for the group X8snIzwvRQ2wDuEVgycxrQ. Proceeding "
             "cleanup for other alive groups"),
    Template("CRD-034", "coordinator_moved", "INFO", "GroupMetadataManager", "1.0.2-4.0.1",
             "[GroupMetadataManager brokerId={broker_id}] Group {group_id} has moved away from {broker_id} after transaction marker was "
             "written but before the cache was updated. The cache on the new group owner will be updated instead.",
             "[GroupMetadataManager brokerId=2] Group X8snIzwvRQ2wDuEVgycxrQ has moved away from 2 after transaction marker was written "
             "but before the cache was updated. The cache on the new group owner will be updated instead."),
    Template("CRD-035", "coordinator_unload_done", "INFO", "GroupMetadataManager", "0.10.2.2",
             "[Group Metadata Manager on Broker {broker_id}]: Removed {num_groups_removed} cached groups for {topic_partition} on "
             "follower transition.",
             "[Group Metadata Manager on Broker 2]: Removed 17 cached groups for orders-3 on follower transition."),
    Template("CRD-036", "coordinator_unload_done", "INFO", "GroupMetadataManager", "0.10.2.2",
             "[Group Metadata Manager on Broker {broker_id}]: Removed {num_offsets_removed} cached offsets for {topic_partition} on "
             "follower transition.",
             "[Group Metadata Manager on Broker 2]: Removed 5 cached offsets for orders-3 on follower transition."),
    Template("CRD-037", "coordinator_unload_done", "INFO", "GroupMetadataManager", "0.11.0.3",
             "[Group Metadata Manager on Broker {broker_id}]: Finished unloading {topic_partition}. Removed {num_offsets_removed} "
             "cached offsets and {num_groups_removed} cached groups.",
             "[Group Metadata Manager on Broker 2]: Finished unloading orders-3. Removed 5 cached offsets and 17 cached groups."),
    Template("CRD-038", "coordinator_unload_done", "INFO", "GroupMetadataManager", "1.0.2-2.7.2",
             "[GroupMetadataManager brokerId={broker_id}] Finished unloading {topic_partition}. Removed {num_offsets_removed} cached "
             "offsets and {num_groups_removed} cached groups.",
             "[GroupMetadataManager brokerId=1] Finished unloading __consumer_offsets-0. Removed 0 cached offsets and 0 cached groups."),
    Template("CRD-039", "coordinator_unload_done", "INFO", "GroupMetadataManager", "2.8.2-4.0.1",
             "[GroupMetadataManager brokerId={broker_id}] Finished unloading {topic_partition} for coordinator epoch "
             "{coordinator_epoch}. Removed {num_offsets_removed} cached offsets and {num_groups_removed} cached groups.",
             "[GroupMetadataManager brokerId=1] Finished unloading __consumer_offsets-0 for coordinator epoch Some(0). Removed 0 cached "
             "offsets and 0 cached groups."),
    Template("CRD-040", "coordinator_unload_scheduled", "INFO", "GroupMetadataManager", "0.11.0.3",
             "[Group Metadata Manager on Broker {broker_id}]: Scheduling unloading of offsets and group metadata from {topic_partition}",
             "[Group Metadata Manager on Broker 2]: Scheduling unloading of offsets and group metadata from orders-3"),
    Template("CRD-041", "coordinator_unload_scheduled", "INFO", "GroupMetadataManager", "1.0.2-4.0.1",
             "[GroupMetadataManager brokerId={broker_id}] Scheduling unloading of offsets and group metadata from {topic_partition}",
             "[GroupMetadataManager brokerId=1] Scheduling unloading of offsets and group metadata from __consumer_offsets-0"),
    Template("CRD-042", "coordinator_epoch_stale", "INFO", "CoordinatorRuntime", "3.6.2-3.9.0 4.0-dev-4.3.1",
             "[GroupCoordinator id={broker_id}] Ignored unloading metadata for {topic_partition} in epoch {coordinator_epoch} since "
             "current epoch is {current_coordinator_epoch}.",
             "[GroupCoordinator id=2] Ignored unloading metadata for orders-3 in epoch 11 since current epoch is 10."),
    Template("CRD-043", "coordinator_epoch_stale", "INFO", "CoordinatorRuntime", "3.6.2-3.7.1",
             "[GroupCoordinator id={broker_id}] Ignoring load completion from {topic_partition} because context is in {ctx_state} state.",
             "[GroupCoordinator id=2] Ignoring load completion from orders-3 because context is in ctx-state state."),
    Template("CRD-044", "coordinator_epoch_stale", "INFO", "CoordinatorRuntime", "3.6.2-3.7.1",
             "[GroupCoordinator id={broker_id}] Ignoring loading metadata from {topic_partition} since current epoch "
             "{current_coordinator_epoch} is larger than or equals to {coordinator_epoch}.",
             "[GroupCoordinator id=2] Ignoring loading metadata from orders-3 since current epoch 10 is larger than or equals to 11."),
    Template("CRD-045", "coordinator_epoch_stale", "INFO", "CoordinatorRuntime", "3.7.1-3.9.0 4.0-dev-4.4.0",
             "[GroupCoordinator id={broker_id}] Ignored unloading metadata for {topic_partition} in epoch {coordinator_epoch} since "
             "metadata was never loaded.",
             "[GroupCoordinator id=1] Ignored unloading metadata for __consumer_offsets-0 in epoch OptionalInt[0] since metadata was "
             "never loaded."),
    Template("CRD-046", "coordinator_epoch_stale", "INFO", "CoordinatorRuntime", "3.8.1-3.9.0 4.0-dev-4.3.1",
             "[GroupCoordinator id={broker_id}] Ignored load completion from {topic_partition} because context is in {context_state} "
             "state.",
             "[GroupCoordinator id=2] Ignored load completion from orders-3 because context is in context-state state."),
    Template("CRD-047", "coordinator_epoch_stale", "INFO", "CoordinatorRuntime", "3.8.1-3.9.0 4.0-dev-4.3.1",
             "[GroupCoordinator id={broker_id}] Ignored loading metadata from {topic_partition} since current epoch "
             "{current_coordinator_epoch} is larger than or equals to {coordinator_epoch}.",
             "[GroupCoordinator id=2] Ignored loading metadata from orders-3 since current epoch 10 is larger than or equals to 11."),
    Template("CRD-052", "coordinator_load_done", "INFO", "CoordinatorRuntime", "3.6.2",
             "[GroupCoordinator id={broker_id}] Finished loading of metadata from {topic_partition} with epoch {coordinator_epoch}.",
             "[GroupCoordinator id=2] Finished loading of metadata from orders-3 with epoch 11."),
    Template("CRD-053", "coordinator_load_done", "INFO", "CoordinatorRuntime", "3.7.1",
             "[GroupCoordinator id={broker_id}] Finished loading of metadata from {topic_partition} with epoch {coordinator_epoch} and "
             "LoadSummary={summary}.",
             "[GroupCoordinator id=2] Finished loading of metadata from orders-3 with epoch 11 and LoadSummary=summary."),
    Template("CRD-054", "coordinator_load_done", "INFO", "CoordinatorRuntime", "3.8.1-3.9.0 4.0-dev-4.4.0",
             "[GroupCoordinator id={broker_id}] Finished loading of metadata from {topic_partition} with epoch {epoch} in "
             "{total_loading_time_ms}ms where {scheduler_queue_time_ms}ms was spent in the scheduler. Loaded {num_records} records "
             "which total to {num_bytes} bytes.",
             "[GroupCoordinator id=1] Finished loading of metadata from __consumer_offsets-1 with epoch 0 in 5ms where 5ms was spent in "
             "the scheduler. Loaded 0 records which total to 0 bytes."),
    Template("CRD-056", "coordinator_load_duplicate", "INFO", "CoordinatorRuntime", "3.6.2-3.9.0 4.0-dev-4.3.1",
             "[GroupCoordinator id={broker_id}] The coordinator {topic_partition} is already active.",
             "[GroupCoordinator id=2] The coordinator orders-3 is already active."),
    Template("CRD-057", "coordinator_load_duplicate", "INFO", "CoordinatorRuntime", "3.6.2-3.9.0 4.0-dev-4.3.1",
             "[GroupCoordinator id={broker_id}] The coordinator {topic_partition} is already loading metadata.",
             "[GroupCoordinator id=2] The coordinator orders-3 is already loading metadata."),
    Template("CRD-060", "coordinator_load_failed", "ERROR", "CoordinatorRuntime", "3.6.2-3.9.0 4.0-dev-4.3.1",
             "[GroupCoordinator id={broker_id}] Cannot load coordinator {topic_partition} in state {context_state}.",
             "[GroupCoordinator id=2] Cannot load coordinator orders-3 in state context-state."),
    Template("CRD-061", "coordinator_load_failed", "ERROR", "CoordinatorRuntime", "3.6.2-3.9.0 4.0-dev-4.3.1",
             "[GroupCoordinator id={broker_id}] Failed to load metadata from {topic_partition} with epoch {epoch} due to {exception}.",
             "[GroupCoordinator id=2] Failed to load metadata from orders-3 with epoch 7 due to java.io.IOException: Connection reset."),
    Template("CRD-064", "coordinator_load_scheduled", "INFO", "CoordinatorRuntime", "3.6.2-3.9.0 4.0-dev-4.4.0",
             "[GroupCoordinator id={broker_id}] Scheduling loading of metadata from {topic_partition} with epoch {coordinator_epoch}",
             "[GroupCoordinator id=1] Scheduling loading of metadata from __consumer_offsets-1 with epoch 0"),
    Template("CRD-066", "coordinator_out_of_sync", "ERROR", "CoordinatorRuntime", "3.8.1-3.9.0 4.0-dev-4.3.1",
             "[GroupCoordinator id={broker_id}] The state machine of the coordinator {topic_partition} is out of sync with the "
             "underlying log. The last written offset returned is {offset} while the coordinator expected {next_offset}. The "
             "coordinator will be reloaded in order to re-synchronize the state machine.",
             "[GroupCoordinator id=2] The state machine of the coordinator orders-3 is out of sync with the underlying log. The last "
             "written offset returned is 120 while the coordinator expected 19. The coordinator will be reloaded in order to "
             "re-synchronize the state machine."),
    Template("CRD-068", "coordinator_unload_done", "INFO", "CoordinatorRuntime", "3.6.2-3.9.0 4.0-dev-4.4.0",
             "[GroupCoordinator id={broker_id}] Finished unloading metadata for {topic_partition} with epoch {coordinator_epoch}.",
             "[GroupCoordinator id=2] Finished unloading metadata for orders-3 with epoch 11."),
    Template("CRD-070", "coordinator_unload_scheduled", "INFO", "CoordinatorRuntime", "3.6.2-3.9.0 4.0-dev-4.4.0",
             "[GroupCoordinator id={broker_id}] Scheduling unloading of metadata for {topic_partition} with epoch {coordinator_epoch}",
             "[GroupCoordinator id=1] Scheduling unloading of metadata for __consumer_offsets-0 with epoch OptionalInt[0]"),
    Template("CRD-071", "coordinator_unload_scheduled", "INFO", "CoordinatorRuntime", "3.6.2-3.9.0 4.0-dev-4.4.0",
             "[GroupCoordinator id={broker_id}] Started unloading metadata for {topic_partition} with epoch {coordinator_epoch}.",
             "[GroupCoordinator id=2] Started unloading metadata for orders-3 with epoch 11."),
    Template("CRD-074", "coordinator_elected", "INFO", "TransactionCoordinator", "2.8.2-4.3.1",
             "[TransactionCoordinator id={broker_id}] Elected as the txn coordinator for partition {coordinator_partition} at epoch "
             "{coordinator_epoch}",
             "[TransactionCoordinator id=2] Elected as the txn coordinator for partition coordinator-partition at epoch 11"),
    Template("CRD-075", "coordinator_resigned", "INFO", "TransactionCoordinator", "2.8.2-4.3.1",
             "[TransactionCoordinator id={broker_id}] Resigned as the txn coordinator for partition {coordinator_partition} at epoch "
             "{coordinator_epoch}",
             "[TransactionCoordinator id=2] Resigned as the txn coordinator for partition coordinator-partition at epoch 11"),
    Template("CRD-076", "coordinator_load_done", "INFO", "TransactionStateManager", "0.11.0.3-2.5.1",
             "[Transaction State Manager {broker_id}]: Finished loading {loaded_transactions_count} transaction metadata from "
             "{topic_partition} in {time_lapse} milliseconds",
             "[Transaction State Manager 2]: Finished loading 16 transaction metadata from orders-3 in time-lapse milliseconds"),
    Template("CRD-077", "coordinator_load_done", "INFO", "TransactionStateManager", "2.4.1-4.3.1",
             "[Transaction State Manager {broker_id}]: Completed loading transaction metadata from {topic_partition} for coordinator "
             "epoch {coordinator_epoch}",
             "[Transaction State Manager 2]: Completed loading transaction metadata from orders-3 for coordinator epoch 11"),
    Template("CRD-078", "coordinator_load_done", "INFO", "TransactionStateManager", "2.6.3-4.3.1",
             "[Transaction State Manager {broker_id}]: Finished loading {loaded_transactions_count} transaction metadata from "
             "{topic_partition} in {total_loading_time_ms} milliseconds, of which {scheduler_time_ms} milliseconds was spent in the "
             "scheduler.",
             "[Transaction State Manager 2]: Finished loading 16 transaction metadata from orders-3 in 250 milliseconds, of which 250 "
             "milliseconds was spent in the scheduler."),
    Template("CRD-079", "coordinator_load_failed", "ERROR", "TransactionStateManager", "0.11.0.3-4.3.1",
             "[Transaction State Manager {broker_id}]: Error loading transactions from transaction log {topic_partition}",
             "[Transaction State Manager 2]: Error loading transactions from transaction log orders-3"),
    Template("CRD-080", "coordinator_load_no_log", "WARN", "TransactionStateManager", "0.11.0.3-2.2.2",
             "[Transaction State Manager {broker_id}]: Attempted to load offsets and group metadata from {topic_partition}, but found "
             "no log",
             "[Transaction State Manager 2]: Attempted to load offsets and group metadata from orders-3, but found no log"),
    Template("CRD-081", "coordinator_load_no_log", "WARN", "TransactionStateManager", "2.3.1-4.3.1",
             "[Transaction State Manager {broker_id}]: Attempted to load transaction metadata from {topic_partition}, but found no log",
             "[Transaction State Manager 2]: Attempted to load transaction metadata from orders-3, but found no log"),
    Template("CRD-082", "coordinator_load_scheduled", "INFO", "TransactionStateManager", "0.11.0.3-2.3.1",
             "[Transaction State Manager {broker_id}]: Loading transaction metadata from {topic_partition}",
             "[Transaction State Manager 2]: Loading transaction metadata from orders-3"),
    Template("CRD-083", "coordinator_load_scheduled", "INFO", "TransactionStateManager", "2.4.1-4.3.1",
             "[Transaction State Manager {broker_id}]: Loading transaction metadata from {topic_partition} at epoch {coordinator_epoch}",
             "[Transaction State Manager 2]: Loading transaction metadata from orders-3 at epoch 11"),
    Template("CRD-084", "coordinator_moved", "INFO", "TransactionStateManager", "0.11.0.3-4.3.1",
             "[Transaction State Manager {broker_id}]: The cached coordinator epoch for {transactional_id} has changed to "
             "{new_coordinator_epoch} after appended its new metadata {new_metadata} to the transaction log (txn topic partition "
             "{coordinator_partition}) while it was {coordinator_epoch} before appending; aborting transition to the new metadata and "
             "returning NOT_COORDINATOR in the callback",
             "[Transaction State Manager 2]: The cached coordinator epoch for X8snIzwvRQ2wDuEVgycxrQ has changed to 11 after appended "
             "its new metadata new-metadata to the transaction log (txn topic partition coordinator-partition) while it was 11 before "
             "appending; aborting transition to the new metadata and returning NOT_COORDINATOR in the callback"),
    Template("CRD-085", "coordinator_moved", "INFO", "TransactionStateManager", "0.11.0.3-4.3.1",
             "[Transaction State Manager {broker_id}]: The cached coordinator metadata does not exist in the cache anymore for "
             "{transactional_id} after appended its new metadata {new_metadata} to the transaction log (txn topic partition "
             "{coordinator_partition}) while it was {coordinator_epoch} before appending; aborting transition to the new metadata and "
             "returning NOT_COORDINATOR in the callback",
             "[Transaction State Manager 2]: The cached coordinator metadata does not exist in the cache anymore for "
             "X8snIzwvRQ2wDuEVgycxrQ after appended its new metadata new-metadata to the transaction log (txn topic partition "
             "coordinator-partition) while it was 11 before appending; aborting transition to the new metadata and returning "
             "NOT_COORDINATOR in the callback"),
    Template("CRD-086", "coordinator_unload_done", "INFO", "TransactionStateManager", "0.11.0.3-2.3.1",
             "[Transaction State Manager {broker_id}]: Removed {metadata_per_transactional_id_count} cached transaction metadata for "
             "{topic_partition} on follower transition",
             "[Transaction State Manager 2]: Removed 7 cached transaction metadata for orders-3 on follower transition"),
    Template("CRD-087", "coordinator_unload_done", "INFO", "TransactionStateManager", "0.11.0.3-2.3.1",
             "[Transaction State Manager {broker_id}]: Trying to remove cached transaction metadata for {topic_partition} on follower "
             "transition but there is no entries remaining; it is likely that another process for removing the cached entries has just "
             "executed earlier before",
             "[Transaction State Manager 2]: Trying to remove cached transaction metadata for orders-3 on follower transition but there "
             "is no entries remaining; it is likely that another process for removing the cached entries has just executed earlier "
             "before"),
    Template("CRD-088", "coordinator_unload_done", "INFO", "TransactionStateManager", "2.4.1-4.3.1",
             "[Transaction State Manager {broker_id}]: No cached transaction metadata found for {topic_partition} during "
             "become-follower transition",
             "[Transaction State Manager 2]: No cached transaction metadata found for orders-3 during become-follower transition"),
    Template("CRD-089", "coordinator_unload_done", "WARN", "TransactionStateManager", "2.4.1-4.3.1",
             "[Transaction State Manager {broker_id}]: Unloaded transaction metadata {previous_txn_metadata_cache_entry} from "
             "{txn_topic_partition} as part of loading metadata at epoch {coordinator_epoch}",
             "[Transaction State Manager 2]: Unloaded transaction metadata previous-txn-metadata-cache-entry from txn-topic-partition "
             "as part of loading metadata at epoch 11"),
    Template("CRD-090", "coordinator_unload_done", "INFO", "TransactionStateManager", "2.4.1-4.3.1",
             "[Transaction State Manager {broker_id}]: Unloaded transaction metadata {txn_metadata_cache_entry} for {topic_partition} "
             "following local partition deletion",
             "[Transaction State Manager 2]: Unloaded transaction metadata txn-metadata-cache-entry for orders-3 following local "
             "partition deletion"),
    Template("CRD-091", "coordinator_unload_done", "INFO", "TransactionStateManager", "2.4.1-4.3.1",
             "[Transaction State Manager {broker_id}]: Unloaded transaction metadata {txn_metadata_cache_entry} for {topic_partition} "
             "on become-follower transition",
             "[Transaction State Manager 2]: Unloaded transaction metadata txn-metadata-cache-entry for orders-3 on become-follower "
             "transition"),
    Template("CRD-092", "coordinator_moved", "INFO", "TransactionMarkerChannelManager", "0.11.0.3-4.3.1",
             "[Transaction Marker Channel Manager {broker_id}]: Loading the transaction partition that contains {transactional_id} "
             "while my current coordinator epoch is {coordinator_epoch}; so cancel appending {new_metadata} to transaction log since "
             "the loading process will continue the remaining work",
             "[Transaction Marker Channel Manager 2]: Loading the transaction partition that contains X8snIzwvRQ2wDuEVgycxrQ while my "
             "current coordinator epoch is 11; so cancel appending new-metadata to transaction log since the loading process will "
             "continue the remaining work"),
    Template("CRD-093", "coordinator_moved", "INFO", "TransactionMarkerChannelManager", "0.11.0.3-4.3.1",
             "[Transaction Marker Channel Manager {broker_id}]: No longer the coordinator for {transactional_id} with coordinator epoch "
             "{coordinator_epoch}; cancel appending {new_metadata} to transaction log",
             "[Transaction Marker Channel Manager 2]: No longer the coordinator for X8snIzwvRQ2wDuEVgycxrQ with coordinator epoch 11; "
             "cancel appending new-metadata to transaction log"),
    Template("CRD-094", "coordinator_epoch_stale", "INFO", "TransactionMarkerRequestCompletionHandler", "0.11.0.3-4.3.1",
             "[Transaction Marker Request Completion Handler {broker_id}]: Transaction coordinator epoch for {transactional_id} has "
             "changed from {coordinator_epoch} to {new_coordinator_epoch}; cancel sending transaction markers {marker} to the brokers",
             "[Transaction Marker Request Completion Handler 2]: Transaction coordinator epoch for X8snIzwvRQ2wDuEVgycxrQ has changed "
             "from 11 to 11; cancel sending transaction markers marker to the brokers"),
    Template("CRD-095", "coordinator_moved", "INFO", "TransactionMarkerRequestCompletionHandler", "0.11.0.3-4.3.1",
             "[Transaction Marker Request Completion Handler {broker_id}]: I am loading the transaction partition that contains "
             "{transactional_id} which means the current markers have to be obsoleted; cancel sending transaction markers {marker} to "
             "the brokers",
             "[Transaction Marker Request Completion Handler 2]: I am loading the transaction partition that contains "
             "X8snIzwvRQ2wDuEVgycxrQ which means the current markers have to be obsoleted; cancel sending transaction markers marker to "
             "the brokers"),
    Template("CRD-096", "coordinator_moved", "INFO", "TransactionMarkerRequestCompletionHandler", "0.11.0.3-4.3.1",
             "[Transaction Marker Request Completion Handler {broker_id}]: I am no longer the coordinator for {transactional_id}; "
             "cancel sending transaction markers {marker} to the brokers",
             "[Transaction Marker Request Completion Handler 2]: I am no longer the coordinator for X8snIzwvRQ2wDuEVgycxrQ; cancel "
             "sending transaction markers marker to the brokers"),
    Template("CRD-097", "remote_log_become_leader", "INFO", "RemoteLogManager$RLMTask", "3.5.2",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] Find the highest remote offset for partition: "
             "{topic_id_partition} after becoming leader, leaderEpoch: {leader_epoch}",
             "[RemoteLogManager=2 partition=X8snIzwvRQ2wDuEVgycxrQ:orders-3] Find the highest remote offset for partition: "
             "X8snIzwvRQ2wDuEVgycxrQ:orders-3 after becoming leader, leaderEpoch: 7"),
    Template("CRD-098", "remote_log_become_leader", "INFO", "RemoteLogManager$RLMTask", "3.6.2-3.8.1",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] Found the highest copiedRemoteOffset: "
             "{copied_offset_option} for partition: {topic_id_partition} after becoming leader, leaderEpoch: {leader_epoch}",
             "[RemoteLogManager=2 partition=X8snIzwvRQ2wDuEVgycxrQ:orders-3] Found the highest copiedRemoteOffset: copied-offset-option "
             "for partition: X8snIzwvRQ2wDuEVgycxrQ:orders-3 after becoming leader, leaderEpoch: 7"),
    Template("CRD-099", "remote_log_become_leader", "INFO", "RemoteLogManager$RLMTask", "3.6.2-3.8.1",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] Found the logStartOffset: {log_start_offset} for partition: "
             "{topic_id_partition} after becoming leader, leaderEpoch: {leader_epoch}",
             "[RemoteLogManager=2 partition=X8snIzwvRQ2wDuEVgycxrQ:orders-3] Found the logStartOffset: 16 for partition: "
             "X8snIzwvRQ2wDuEVgycxrQ:orders-3 after becoming leader, leaderEpoch: 7"),
    Template("CRD-100", "remote_log_become_leader", "INFO", "RemoteLogManager$RLMCopyTask", "3.9.0-4.3.1",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] Found the highest copiedRemoteOffset: "
             "{copied_offset_option} for partition: {topic_id_partition} after becoming leader",
             "[RemoteLogManager=2 partition=X8snIzwvRQ2wDuEVgycxrQ:orders-3] Found the highest copiedRemoteOffset: copied-offset-option "
             "for partition: X8snIzwvRQ2wDuEVgycxrQ:orders-3 after becoming leader"),
    Template("CRD-101", "remote_log_become_leader", "INFO", "RemoteLogManager$RLMCopyTask", "3.9.0-4.3.1",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] Found the logStartOffset: {log_start_offset} for partition: "
             "{topic_id_partition} after becoming leader",
             "[RemoteLogManager=2 partition=X8snIzwvRQ2wDuEVgycxrQ:orders-3] Found the logStartOffset: 16 for partition: "
             "X8snIzwvRQ2wDuEVgycxrQ:orders-3 after becoming leader"),
    Template("CRD-102", "remote_log_highest_offset", "INFO", "RemoteLogManager", "3.7.1-4.3.1",
             "The end-offset for epoch {epoch}: ({requested_epoch}, {end_offset}) is less than or equal to the highest-remote-offset: "
             "{highest_remote_offset} for partition: {topic_id_partition}",
             "The end-offset for epoch 7: (5, 19) is less than or equal to the highest-remote-offset: 13 for partition: "
             "X8snIzwvRQ2wDuEVgycxrQ:orders-3"),
    Template("CRD-103", "remote_log_segment_deleted", "INFO", "RemoteLogManager$RLMTask", "3.6.2-4.3.1",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] About to delete remote log segment {remote_log_segment_id} "
             "due to log-start-offset {log_start_offset} breach. Current earliest-epoch-entry: {earliest_epoch_entry}, "
             "segment-end-offset: {segment_end_offset} and segment-epochs: {segment_epochs}",
             "[RemoteLogManager=2 partition=X8snIzwvRQ2wDuEVgycxrQ:orders-3] About to delete remote log segment X8snIzwvRQ2wDuEVgycxrQ "
             "due to log-start-offset 16 breach. Current earliest-epoch-entry: earliest-epoch-entry, segment-end-offset: 19 and "
             "segment-epochs: segment-epochs"),
    Template("CRD-104", "remote_log_segment_deleted", "INFO", "RemoteLogManager$RLMTask", "3.6.2-4.3.1",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] Deleted remote log segment {remote_log_segment_id} due to "
             "leader-epoch-cache truncation. Current earliest-epoch-entry: {earliest_epoch_entry}, segment-end-offset: "
             "{segment_end_offset} and segment-epochs: {segment_epochs}",
             "[RemoteLogManager=2 partition=X8snIzwvRQ2wDuEVgycxrQ:orders-3] Deleted remote log segment X8snIzwvRQ2wDuEVgycxrQ due to "
             "leader-epoch-cache truncation. Current earliest-epoch-entry: earliest-epoch-entry, segment-end-offset: 19 and "
             "segment-epochs: segment-epochs"),
    Template("CRD-105", "remote_log_task", "INFO", "RemoteLogManager", "3.5.2-3.8.1",
             "Created a new task: {task} and getting scheduled",
             "Created a new task: task and getting scheduled"),
    Template("CRD-106", "remote_log_task", "INFO", "RemoteLogManager$RLMTask", "3.5.2-3.8.1",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] Skipping copying log segments as the current task state is "
             "changed, cancelled: {is_cancelled} leader:{is_leader}",
             "[RemoteLogManager=2 partition=X8snIzwvRQ2wDuEVgycxrQ:orders-3] Skipping copying log segments as the current task state is "
             "changed, cancelled: is-cancelled leader:is-leader"),
    Template("CRD-107", "remote_log_task", "INFO", "RemoteLogManager", "3.6.2-3.8.1",
             "Cancelling the RLM task for tpId: {topic_id_partition}",
             "Cancelling the RLM task for tpId: X8snIzwvRQ2wDuEVgycxrQ:orders-3"),
    Template("CRD-108", "remote_log_task", "INFO", "RemoteLogManager", "3.9.0-4.0-dev",
             "Cancelling the copy RLM task for tpId: {topic_id_partition}",
             "Cancelling the copy RLM task for tpId: X8snIzwvRQ2wDuEVgycxrQ:orders-3"),
    Template("CRD-109", "remote_log_task", "INFO", "RemoteLogManager", "3.9.0-4.3.1",
             "Cancelling the copy task: {rlm_task}",
             "Cancelling the copy task: rlm-task"),
    Template("CRD-110", "remote_log_task", "INFO", "RemoteLogManager", "3.9.0-4.0-dev",
             "Cancelling the expiration RLM task for tpId: {topic_id_partition}",
             "Cancelling the expiration RLM task for tpId: X8snIzwvRQ2wDuEVgycxrQ:orders-3"),
    Template("CRD-111", "remote_log_task", "INFO", "RemoteLogManager", "3.9.0-4.3.1",
             "Cancelling the expiration task: {rlm_task}",
             "Cancelling the expiration task: rlm-task"),
    Template("CRD-112", "remote_log_task", "INFO", "RemoteLogManager", "3.9.0-4.0-dev",
             "Cancelling the follower RLM task for tpId: {topic_id_partition}",
             "Cancelling the follower RLM task for tpId: X8snIzwvRQ2wDuEVgycxrQ:orders-3"),
    Template("CRD-113", "remote_log_task", "INFO", "RemoteLogManager", "3.9.0-4.3.1",
             "Cancelling the follower task: {rlm_task}",
             "Cancelling the follower task: rlm-task"),
    Template("CRD-114", "remote_log_task", "INFO", "RemoteLogManager", "3.9.0-4.3.1",
             "Created a new copy task: {task} and getting scheduled",
             "Created a new copy task: task and getting scheduled"),
    Template("CRD-115", "remote_log_task", "INFO", "RemoteLogManager", "3.9.0-4.3.1",
             "Created a new expiration task: {task} and getting scheduled",
             "Created a new expiration task: task and getting scheduled"),
    Template("CRD-116", "remote_log_task", "INFO", "RemoteLogManager", "3.9.0-4.3.1",
             "Created a new follower task: {task} and getting scheduled",
             "Created a new follower task: task and getting scheduled"),
    Template("CRD-117", "remote_log_task", "INFO", "RemoteLogManager$RLMCopyTask", "3.9.0-4.3.1",
             "[RemoteLogManager={broker_id} partition={topic_id_partition}] Skipping copying log segments as the current task state is "
             "changed, cancelled: {is_cancelled}",
             "[RemoteLogManager=2 partition=X8snIzwvRQ2wDuEVgycxrQ:orders-3] Skipping copying log segments as the current task state is "
             "changed, cancelled: is-cancelled"),
    Template("CRD-118", "topic_id_mismatch", "INFO", "RemoteLogManager", "3.5.2-4.3.1",
             "Previous cached topic id {previous_topic_id} for {topic_partition} does not match updated topic id {topic_id}",
             "Previous cached topic id X8snIzwvRQ2wDuEVgycxrQ for orders-3 does not match updated topic id X8snIzwvRQ2wDuEVgycxrQ"),
    Template("CRD-119", "remote_log_leadership", "INFO", "TopicBasedRemoteLogMetadataManager", "3.1.2-4.3.1",
             "Received leadership notifications with leader partitions {leader_partitions} and follower partitions {follower_partitions}",
             "Received leadership notifications with leader partitions Set(orders-3, clicks-0) and follower partitions Set(orders-3, "
             "clicks-0)"),
    Template("CRD-120", "coordinator_service_start", "INFO", "GroupCoordinator", "0.10.2.2-4.0.1",
             "[GroupCoordinator {broker_id}]: Starting up.",
             "[GroupCoordinator 1]: Starting up."),
    Template("CRD-121", "coordinator_service_start", "INFO", "GroupCoordinatorService", "3.7.1-4.4.0",
             "[GroupCoordinator id={broker_id}] Starting up.",
             "[GroupCoordinator id=1] Starting up."),
    Template("CRD-122", "coordinator_service_start", "INFO", "ShareCoordinatorService", "4.0.1-4.4.0",
             "[ShareCoordinator id={broker_id}] Starting up.",
             "[ShareCoordinator id=1] Starting up."),
    Template("CRD-123", "coordinator_service_start", "INFO", "TransactionCoordinator", "0.11.0.3",
             "[Transaction Coordinator {broker_id}]: Starting up.",
             "[Transaction Coordinator 2]: Starting up."),
    Template("CRD-124", "coordinator_service_start", "INFO", "TransactionCoordinator", "1.0.2-4.4.0",
             "[TransactionCoordinator id={broker_id}] Starting up.",
             "[TransactionCoordinator id=1] Starting up."),
    Template("CRD-125", "coordinator_service_start", "INFO", "GroupCoordinator", "0.10.2.2-4.0.1",
             "[GroupCoordinator {broker_id}]: Startup complete.",
             "[GroupCoordinator 1]: Startup complete."),
    Template("CRD-126", "coordinator_service_start", "INFO", "GroupCoordinatorService", "3.7.1-4.4.0",
             "[GroupCoordinator id={broker_id}] Startup complete.",
             "[GroupCoordinator id=1] Startup complete."),
    Template("CRD-127", "coordinator_service_start", "INFO", "ShareCoordinatorService", "4.0.1-4.4.0",
             "[ShareCoordinator id={broker_id}] Startup complete.",
             "[ShareCoordinator id=1] Startup complete."),
    Template("CRD-128", "coordinator_service_start", "INFO", "TransactionCoordinator", "0.11.0.3",
             "[Transaction Coordinator {broker_id}]: Startup complete.",
             "[Transaction Coordinator 2]: Startup complete."),
    Template("CRD-129", "coordinator_service_start", "INFO", "TransactionCoordinator", "1.0.2-4.4.0",
             "[TransactionCoordinator id={broker_id}] Startup complete.",
             "[TransactionCoordinator id=1] Startup complete."),
    Template("CRD-130", "coordinator_service_shutdown", "INFO", "GroupCoordinator", "0.10.2.2-4.0.1",
             "[GroupCoordinator {broker_id}]: Shutting down.",
             "[GroupCoordinator 1]: Shutting down."),
    Template("CRD-131", "coordinator_service_shutdown", "INFO", "GroupCoordinatorService", "3.7.1-4.4.0",
             "[GroupCoordinator id={broker_id}] Shutting down.",
             "[GroupCoordinator id=2] Shutting down."),
    Template("CRD-132", "coordinator_service_shutdown", "INFO", "ShareCoordinatorService", "4.0.1-4.4.0",
             "[ShareCoordinator id={broker_id}] Shutting down.",
             "[ShareCoordinator id=2] Shutting down."),
    Template("CRD-133", "coordinator_service_shutdown", "INFO", "TransactionCoordinator", "0.11.0.3",
             "[Transaction Coordinator {broker_id}]: Shutting down.",
             "[Transaction Coordinator 2]: Shutting down."),
    Template("CRD-134", "coordinator_service_shutdown", "INFO", "TransactionCoordinator", "1.0.2-4.4.0",
             "[TransactionCoordinator id={broker_id}] Shutting down.",
             "[TransactionCoordinator id=1] Shutting down."),
    Template("CRD-135", "coordinator_service_shutdown", "INFO", "GroupCoordinator", "0.10.2.2-4.0.1",
             "[GroupCoordinator {broker_id}]: Shutdown complete.",
             "[GroupCoordinator 1]: Shutdown complete."),
    Template("CRD-136", "coordinator_service_shutdown", "INFO", "GroupCoordinatorService", "3.7.1-4.4.0",
             "[GroupCoordinator id={broker_id}] Shutdown complete.",
             "[GroupCoordinator id=2] Shutdown complete."),
    Template("CRD-137", "coordinator_service_shutdown", "INFO", "ShareCoordinatorService", "4.0.1-4.4.0",
             "[ShareCoordinator id={broker_id}] Shutdown complete.",
             "[ShareCoordinator id=2] Shutdown complete."),
    Template("CRD-138", "coordinator_service_shutdown", "INFO", "TransactionCoordinator", "0.11.0.3",
             "[Transaction Coordinator {broker_id}]: Shutdown complete.",
             "[Transaction Coordinator 2]: Shutdown complete."),
    Template("CRD-139", "coordinator_service_shutdown", "INFO", "TransactionCoordinator", "1.0.2-4.4.0",
             "[TransactionCoordinator id={broker_id}] Shutdown complete.",
             "[TransactionCoordinator id=1] Shutdown complete."),
    Template("CRD-140", "coordinator_service_shutdown", "INFO", "TransactionStateManager", "0.11.0.3-4.4.0",
             "[Transaction State Manager {broker_id}]: Shutdown complete",
             "[Transaction State Manager 1]: Shutdown complete"),
    Template("CRD-141", "coordinator_unload_scheduled", "INFO", "TransactionStateManager", "4.0.1-4.3.1",
             "[Transaction State Manager {broker_id}]: Cancelling load of currently loading partition {topic_partition}",
             "[Transaction State Manager 2]: Cancelling load of currently loading partition orders-3"),
    Template("CRD-142", "producer_id_block", "INFO", "ProducerIdManager", "0.11.0.3-2.8.2",
             "[ProducerId Manager {broker_id}]: Acquired new producerId block {producer_id_block} by writing to Zk with path version "
             "{zk_version}",
             "[ProducerId Manager 1]: Acquired new producerId block (brokerId:1,blockStartProducerId:0,blockEndProducerId:999) by "
             "writing to Zk with path version 1"),
    Template("CRD-143", "producer_id_block", "INFO", "ZkProducerIdManager", "3.0.2-3.9.0",
             "[ZK ProducerId Manager {broker_id}]: Acquired new producerId block {producer_id_block} by writing to Zk with path version "
             "{zk_version}",
             "[ZK ProducerId Manager 2]: Acquired new producerId block producer-id-block by writing to Zk with path version zk-version"),
    Template("CRD-144", "coordinator_service_shutdown", "INFO", "ProducerIdManager", "0.11.0.3-2.8.2",
             "[ProducerId Manager {broker_id}]: Shutdown complete: last producerId assigned {producer_id}",
             "[ProducerId Manager 1]: Shutdown complete: last producerId assigned 2000"),
    Template("CRD-145", "producer_id_block_failed", "ERROR", "RPCProducerIdManager", "4.0.1-4.3.1",
             "[RPC ProducerId Manager {broker_id}]: Received error code {error} from the controller.",
             "[RPC ProducerId Manager 2]: Received error code NOT_LEADER_OR_FOLLOWER from the controller."),
    Template("CRD-146", "producer_id_block_failed", "WARN", "RPCProducerIdManager", "3.6.2-4.3.1",
             "[RPC ProducerId Manager {broker_id}]: Our broker currentBlockCount was stale, trying again.",
             "[RPC ProducerId Manager 2]: Our broker currentBlockCount was stale, trying again."),
    Template("CRD-147", "producer_id_block_failed", "WARN", "RPCProducerIdManager", "3.0.2-4.3.1",
             "[RPC ProducerId Manager {broker_id}]: Our broker ID is not yet known by the controller, trying again.",
             "[RPC ProducerId Manager 2]: Our broker ID is not yet known by the controller, trying again."),
    Template("CRD-148", "producer_id_block_failed", "WARN", "RPCProducerIdManager", "3.0.2-4.3.1",
             "[RPC ProducerId Manager {broker_id}]: Timed out when requesting AllocateProducerIds from the controller.",
             "[RPC ProducerId Manager 2]: Timed out when requesting AllocateProducerIds from the controller."),
    Template("CRD-149", "group_offsets_expired", "INFO", "GroupMetadataManager", "0.10.2.2-0.11.0.3",
             "[Group Metadata Manager on Broker {broker_id}]: Removed {count} expired offsets in {elapsed_ms} milliseconds.",
             "[Group Metadata Manager on Broker 2]: Removed 12 expired offsets in 84 milliseconds."),
    Template("CRD-150", "group_state", "INFO", "GroupMetadataManager", "0.10.2.2-0.11.0.3",
             "[Group Metadata Manager on Broker {broker_id}]: Group {group_id} transitioned to Dead in generation {generation}",
             "[Group Metadata Manager on Broker 2]: Group X8snIzwvRQ2wDuEVgycxrQ transitioned to Dead in generation generation"),
    Template("CRD-151", "group_offsets_expired", "INFO", "GroupMetadataManager", "1.0.2-4.0.1",
             "[GroupMetadataManager brokerId={broker_id}] Removed {count} expired offsets in {elapsed_ms} milliseconds.",
             "[GroupMetadataManager brokerId=1] Removed 0 expired offsets in 4 milliseconds."),
    Template("CRD-152", "group_state", "INFO", "GroupMetadataManager", "1.0.2-4.0.1",
             "[GroupMetadataManager brokerId={broker_id}] Group {group_id} transitioned to Dead in generation {generation}",
             "[GroupMetadataManager brokerId=2] Group X8snIzwvRQ2wDuEVgycxrQ transitioned to Dead in generation generation"),
    Template("CRD-153", "group_offsets_of_deleted_partitions", "INFO", "GroupCoordinator", "2.0.1-4.0.1",
             "[GroupCoordinator {broker_id}]: Removed {count} offsets associated with deleted partitions: {partitions}.",
             "[GroupCoordinator 1]: Removed 0 offsets associated with deleted partitions: scratch-0, scratch-1, scratch-2, scratch-3."),
    Template("CRD-154", "group_rebalance_begun", "INFO", "GroupCoordinator", "2.1.1-4.0.1",
             "[GroupCoordinator {broker_id}]: Preparing to rebalance group {group_id} in state {state} with old generation {generation} "
             "(__consumer_offsets-{coordinator_partition}) (reason: {reason})",
             "[GroupCoordinator 2]: Preparing to rebalance group X8snIzwvRQ2wDuEVgycxrQ in state state with old generation generation "
             "(__consumer_offsets-coordinator-partition) (reason: reason)"),
    Template("CRD-155", "group_generation", "INFO", "GroupCoordinator", "2.0.1-2.7.2",
             "[GroupCoordinator {broker_id}]: Stabilized group {group_id} generation {generation} "
             "(__consumer_offsets-{coordinator_partition})",
             "[GroupCoordinator 2]: Stabilized group X8snIzwvRQ2wDuEVgycxrQ generation generation "
             "(__consumer_offsets-coordinator-partition)"),
    Template("CRD-156", "group_generation", "INFO", "GroupCoordinator", "2.8.2-4.0.1",
             "[GroupCoordinator {broker_id}]: Stabilized group {group_id} generation {generation} "
             "(__consumer_offsets-{coordinator_partition}) with {member_count} members",
             "[GroupCoordinator 2]: Stabilized group X8snIzwvRQ2wDuEVgycxrQ generation generation "
             "(__consumer_offsets-coordinator-partition) with 8 members"),
    Template("CRD-157", "group_rebalance", "INFO", "GroupCoordinator", "0.10.2.2-2.7.2",
             "[GroupCoordinator {broker_id}]: Assignment received from leader for group {group_id} for generation {generation}",
             "[GroupCoordinator 2]: Assignment received from leader for group X8snIzwvRQ2wDuEVgycxrQ for generation generation"),
    Template("CRD-158", "group_rebalance", "INFO", "GroupCoordinator", "2.8.2",
             "[GroupCoordinator {broker_id}]: Assignment received from leader for group {group_id} for generation {generation}. The "
             "group has {member_count} members, {static_count} of which are static.",
             "[GroupCoordinator 2]: Assignment received from leader for group X8snIzwvRQ2wDuEVgycxrQ for generation generation. The "
             "group has 8 members, 7 of which are static."),
    Template("CRD-159", "group_rebalance", "INFO", "GroupCoordinator", "3.0.2-4.0.1",
             "[GroupCoordinator {broker_id}]: Assignment received from leader {member_id} for group {group_id} for generation "
             "{generation}. The group has {member_count} members, {static_count} of which are static.",
             "[GroupCoordinator 2]: Assignment received from leader X8snIzwvRQ2wDuEVgycxrQ for group X8snIzwvRQ2wDuEVgycxrQ for "
             "generation generation. The group has 8 members, 7 of which are static."),
    Template("CRD-160", "group_rebalance", "INFO", "GroupCoordinator", "2.0.1-4.0.1",
             "[GroupCoordinator {broker_id}]: Group {group_id} with generation {generation} is now empty "
             "(__consumer_offsets-{coordinator_partition})",
             "[GroupCoordinator 2]: Group X8snIzwvRQ2wDuEVgycxrQ with generation generation is now empty "
             "(__consumer_offsets-coordinator-partition)"),
    Template("CRD-161", "group_member_failed", "INFO", "GroupCoordinator", "0.11.0.3-4.0.1",
             "[GroupCoordinator {broker_id}]: Member {member_id} in group {group_id} has failed, removing it from the group",
             "[GroupCoordinator 2]: Member X8snIzwvRQ2wDuEVgycxrQ in group X8snIzwvRQ2wDuEVgycxrQ has failed, removing it from the group"),
    Template("CRD-162", "group_member_failed", "INFO", "GroupCoordinator", "2.8.2-4.0.1",
             "[GroupCoordinator {broker_id}]: Group {group_id} removed dynamic members who haven't joined: {member_ids}",
             "[GroupCoordinator 2]: Group X8snIzwvRQ2wDuEVgycxrQ removed dynamic members who haven't joined: member-ids"),
    Template("CRD-163", "group_rebalance", "INFO", "GroupCoordinator", "3.0.2-4.0.1",
             "[GroupCoordinator {broker_id}]: Dynamic member with unknown member id joins group {group_id} in {state} state. Created a "
             "new member id {member_id} and request the member to rejoin with this id.",
             "[GroupCoordinator 2]: Dynamic member with unknown member id joins group X8snIzwvRQ2wDuEVgycxrQ in state state. Created a "
             "new member id X8snIzwvRQ2wDuEVgycxrQ and request the member to rejoin with this id."),
    Template("CRD-164", "group_member_failed", "INFO", "GroupCoordinator", "2.2.2-4.0.1",
             "[GroupCoordinator {broker_id}]: Pending member {member_id} in group {group_id} has been removed after session timeout "
             "expiration.",
             "[GroupCoordinator 2]: Pending member X8snIzwvRQ2wDuEVgycxrQ in group X8snIzwvRQ2wDuEVgycxrQ has been removed after "
             "session timeout expiration."),
    Template("CRD-165", "group_rebalance", "ERROR", "GroupCoordinator", "2.3.1-4.0.1",
             "[GroupCoordinator {broker_id}]: Group {group_id} could not complete rebalance because no members rejoined",
             "[GroupCoordinator 2]: Group X8snIzwvRQ2wDuEVgycxrQ could not complete rebalance because no members rejoined"),
    Template("CRD-166", "group_rebalance_begun", "INFO", "GroupMetadataManager", "3.7.1-4.3.1",
             "[GroupCoordinator id={broker_id} topic={topic} partition={partition}] Preparing to rebalance group {group_id} in state "
             "{state} with old generation {generation} (reason: {reason}).",
             "[GroupCoordinator id=2 topic=orders partition=3] Preparing to rebalance group X8snIzwvRQ2wDuEVgycxrQ in state state with "
             "old generation generation (reason: reason)."),
    Template("CRD-167", "group_generation", "INFO", "GroupMetadataManager", "3.7.1-4.3.1",
             "[GroupCoordinator id={broker_id} topic={topic} partition={partition}] Stabilized group {group_id} generation {generation} "
             "with {member_count} members.",
             "[GroupCoordinator id=2 topic=orders partition=3] Stabilized group X8snIzwvRQ2wDuEVgycxrQ generation generation with 8 "
             "members."),
    Template("CRD-168", "group_rebalance", "INFO", "GroupMetadataManager", "3.7.1-4.3.1",
             "[GroupCoordinator id={broker_id} topic={topic} partition={partition}] Assignment received from leader {member_id} for "
             "group {group_id} for generation {generation}. The group has {member_count} members, {static_count} of which are static.",
             "[GroupCoordinator id=2 topic=orders partition=3] Assignment received from leader X8snIzwvRQ2wDuEVgycxrQ for group "
             "X8snIzwvRQ2wDuEVgycxrQ for generation generation. The group has 8 members, 7 of which are static."),
    Template("CRD-169", "group_rebalance", "INFO", "GroupMetadataManager", "3.7.1-4.3.1",
             "[GroupCoordinator id={broker_id} topic={topic} partition={partition}] Group {group_id} with generation {generation} is "
             "now empty.",
             "[GroupCoordinator id=2 topic=orders partition=3] Group X8snIzwvRQ2wDuEVgycxrQ with generation generation is now empty."),
    Template("CRD-170", "group_member_failed", "INFO", "GroupMetadataManager", "3.7.1-4.3.1",
             "[GroupCoordinator id={broker_id} topic={topic} partition={partition}] Member {member_id} in group {group_id} has failed, "
             "removing it from the group.",
             "[GroupCoordinator id=2 topic=orders partition=3] Member X8snIzwvRQ2wDuEVgycxrQ in group X8snIzwvRQ2wDuEVgycxrQ has "
             "failed, removing it from the group."),
    Template("CRD-171", "group_member_failed", "INFO", "GroupMetadataManager", "3.7.1-4.3.1",
             "[GroupCoordinator id={broker_id} topic={topic} partition={partition}] Group {group_id} removed dynamic members who "
             "haven't joined: {member_ids}",
             "[GroupCoordinator id=2 topic=orders partition=3] Group X8snIzwvRQ2wDuEVgycxrQ removed dynamic members who haven't joined: "
             "member-ids"),
    Template("CRD-172", "group_rebalance", "INFO", "GroupMetadataManager", "3.7.1-4.3.1",
             "[GroupCoordinator id={broker_id} topic={topic} partition={partition}] Dynamic member with unknown member id joins group "
             "{group_id} in {state} state. Created a new member id {member_id} and requesting the member to rejoin with this id.",
             "[GroupCoordinator id=2 topic=orders partition=3] Dynamic member with unknown member id joins group X8snIzwvRQ2wDuEVgycxrQ "
             "in state state. Created a new member id X8snIzwvRQ2wDuEVgycxrQ and requesting the member to rejoin with this id."),
    Template("CRD-173", "group_member_failed", "INFO", "GroupMetadataManager", "3.7.1-4.3.1",
             "[GroupCoordinator id={broker_id} topic={topic} partition={partition}] Pending member {member_id} in group {group_id} has "
             "been removed after session timeout expiration.",
             "[GroupCoordinator id=2 topic=orders partition=3] Pending member X8snIzwvRQ2wDuEVgycxrQ in group X8snIzwvRQ2wDuEVgycxrQ "
             "has been removed after session timeout expiration."),
    Template("CRD-174", "group_rebalance", "ERROR", "GroupMetadataManager", "3.7.1-4.3.1",
             "[GroupCoordinator id={broker_id} topic={topic} partition={partition}] Group {group_id} could not complete rebalance "
             "because no members rejoined.",
             "[GroupCoordinator id=2 topic=orders partition=3] Group X8snIzwvRQ2wDuEVgycxrQ could not complete rebalance because no "
             "members rejoined."),
    Template("CRD-175", "group_member_failed", "INFO", "GroupMetadataManager", "3.9.0-4.3.1",
             "[GroupCoordinator id={broker_id} topic={topic} partition={partition}] [GroupId {group_id}] Member {member_id} fenced from "
             "the group because {reason}.",
             "[GroupCoordinator id=2 topic=orders partition=3] [GroupId X8snIzwvRQ2wDuEVgycxrQ] Member X8snIzwvRQ2wDuEVgycxrQ fenced "
             "from the group because reason."),
    Template("CRD-176", "group_rebalance", "INFO", "GroupMetadataManager", "3.7.1-4.3.1",
             "[GroupCoordinator id={broker_id} topic={topic} partition={partition}] [Group {group_id}] {member_kind} {member_id} has "
             "left group through explicit `LeaveGroup` request; client reason: {reason}",
             "[GroupCoordinator id=2 topic=orders partition=3] [Group X8snIzwvRQ2wDuEVgycxrQ] member-kind X8snIzwvRQ2wDuEVgycxrQ has "
             "left group through explicit `LeaveGroup` request; client reason: reason"),
    Template("CRD-177", "coordinator_service_shutdown", "INFO", "CoordinatorRuntime", "3.7.1-4.4.0",
             "[{coordinator_name} id={broker_id}] Closing coordinator runtime.",
             "[coordinator-name id=2] Closing coordinator runtime."),
    Template("CRD-178", "coordinator_service_shutdown", "INFO", "CoordinatorRuntime", "3.7.1-4.4.0",
             "[{coordinator_name} id={broker_id}] Coordinator runtime closed.",
             "[coordinator-name id=2] Coordinator runtime closed."),
    Template("CRD-179", "coordinator_service_shutdown", "INFO", "MultiThreadedEventProcessor", "3.7.1-4.4.0",
             "[{coordinator_name} id={broker_id}] Shutting down event processor.",
             "[coordinator-name id=2] Shutting down event processor."),
    Template("CRD-180", "coordinator_service_shutdown", "INFO", "MultiThreadedEventProcessor", "3.7.1-4.4.0",
             "[{coordinator_name} id={broker_id}] Event processor closed.",
             "[coordinator-name id=2] Event processor closed."),
    Template("CRD-181", "thread_shutting_down", "INFO", "MultiThreadedEventProcessor$EventProcessorThread", "3.7.1-4.4.0",
             "[{thread_name}]: Shutting down. Draining the remaining events.",
             "[ReplicaFetcherThread-0-2]: Shutting down. Draining the remaining events."),
    Template("CRD-182", "coordinator_event_failed", "ERROR", "MultiThreadedEventProcessor$EventProcessorThread", "3.7.1-4.3.1",
             "[{thread_name}]: Failed to run event {event} due to: {error}.",
             "[ReplicaFetcherThread-0-2]: Failed to run event event due to: NOT_LEADER_OR_FOLLOWER."),
    Template("CRD-183", "coordinator_event_failed", "ERROR", "MultiThreadedEventProcessor$EventProcessorThread", "3.7.1-4.3.1",
             "[{thread_name}]: Failed to reject event {event} due to: {error}.",
             "[ReplicaFetcherThread-0-2]: Failed to reject event event due to: NOT_LEADER_OR_FOLLOWER."),
    Template("CRD-184", "coordinator_event_failed", "ERROR", "MultiThreadedEventProcessor$EventProcessorThread", "3.7.1-4.3.1",
             "[{thread_name}]: Exiting with exception.",
             "[ReplicaFetcherThread-0-2]: Exiting with exception."),
    Template("CRD-185", "coordinator_event_failed", "ERROR", "MultiThreadedEventProcessor$EventProcessorThread", "3.7.1-4.3.1",
             "[{thread_name}]: Draining threw exception.",
             "[ReplicaFetcherThread-0-2]: Draining threw exception."),
    Template("CRD-186", "coordinator_event_failed", "ERROR", "CoordinatorRuntime", "4.0.1-4.3.1",
             "[{coordinator_name} id={broker_id}] Failed to unload metadata for {topic_partition} with epoch {coordinator_epoch} due to "
             "{error}.",
             "[coordinator-name id=2] Failed to unload metadata for orders-3 with epoch 11 due to NOT_LEADER_OR_FOLLOWER."),
    Template("CRD-187", "coordinator_event_failed", "ERROR", "CoordinatorRuntime", "4.0.1-4.3.1",
             "[{coordinator_name} id={broker_id}] Replaying record {record} to {topic_partition} failed due to: {error}.",
             "[coordinator-name id=2] Replaying record record to orders-3 failed due to: NOT_LEADER_OR_FOLLOWER."),
    Template("CRD-188", "coordinator_event_failed", "ERROR", "CoordinatorRuntime", "3.7.1-4.3.1",
             "[{coordinator_name} id={broker_id}] Execution of {event} failed due to {error}.",
             "[coordinator-name id=2] Execution of event failed due to NOT_LEADER_OR_FOLLOWER."),
    Template("CRD-189", "coordinator_event_failed", "ERROR", "CoordinatorRuntime", "4.3.1",
             "[{coordinator_name} id={broker_id}] Failed to write records to {topic_partition} due to an unexpected error: {error}.",
             "[coordinator-name id=2] Failed to write records to orders-3 due to an unexpected error: NOT_LEADER_OR_FOLLOWER."),
    Template("CRD-190", "coordinator_event_failed", "ERROR", "CoordinatorRuntime", "3.9.0-4.1.1",
             "[{coordinator_name} id={broker_id}] Writing records to {topic_partition} failed due to: {error}.",
             "[coordinator-name id=2] Writing records to orders-3 failed due to: NOT_LEADER_OR_FOLLOWER."),
    Template("CRD-191", "coordinator_load_unknown_record", "WARN", "CoordinatorLoaderImpl", "4.0.1-4.3.1",
             "Unknown record type {record_type} while loading offsets and group metadata from {topic_partition}. Ignoring it. It could "
             "be a left over from an aborted upgrade.",
             "Unknown record type record-type while loading offsets and group metadata from orders-3. Ignoring it. It could be a left "
             "over from an aborted upgrade."),
    Template("CRD-192", "transaction_initialized", "INFO", "TransactionCoordinator", "1.0.2-4.3.1",
             "[TransactionCoordinator id={broker_id}] Initialized transactionalId {transactional_id} with producerId {producer_id} and "
             "producer epoch {producer_epoch} on partition __transaction_state-{coordinator_partition}",
             "[TransactionCoordinator id=2] Initialized transactionalId X8snIzwvRQ2wDuEVgycxrQ with producerId X8snIzwvRQ2wDuEVgycxrQ "
             "and producer epoch 14 on partition __transaction_state-coordinator-partition"),
    Template("CRD-193", "transaction_error", "INFO", "TransactionCoordinator", "1.0.2-4.3.1",
             "[TransactionCoordinator id={broker_id}] Returning {error} error code to client for {transactional_id}'s InitProducerId "
             "request",
             "[TransactionCoordinator id=2] Returning NOT_LEADER_OR_FOLLOWER error code to client for X8snIzwvRQ2wDuEVgycxrQ's "
             "InitProducerId request"),
    Template("CRD-194", "transaction_aborted_timeout", "INFO", "TransactionCoordinator", "2.4.1-4.3.1",
             "[TransactionCoordinator id={broker_id}] Completed rollback of ongoing transaction for transactionalId {transactional_id} "
             "due to timeout",
             "[TransactionCoordinator id=2] Completed rollback of ongoing transaction for transactionalId X8snIzwvRQ2wDuEVgycxrQ due to "
             "timeout"),
    Template("CRD-195", "transaction_error", "WARN", "TransactionCoordinator", "2.4.1-4.3.1",
             "[TransactionCoordinator id={broker_id}] Rollback of ongoing transaction for transactionalId {transactional_id} failed due "
             "to error {error}",
             "[TransactionCoordinator id=2] Rollback of ongoing transaction for transactionalId X8snIzwvRQ2wDuEVgycxrQ failed due to "
             "error NOT_LEADER_OR_FOLLOWER"),
    Template("CRD-196", "transaction_error", "INFO", "TransactionCoordinator", "1.0.2-4.3.1",
             "[TransactionCoordinator id={broker_id}] Aborting sending of transaction markers and returning {error} error to client for "
             "{transactional_id}'s EndTransaction request of {txn_result}, since appending {new_metadata} to transaction log with "
             "coordinator epoch {coordinator_epoch} failed",
             "[TransactionCoordinator id=2] Aborting sending of transaction markers and returning NOT_LEADER_OR_FOLLOWER error to "
             "client for X8snIzwvRQ2wDuEVgycxrQ's EndTransaction request of txn-result, since appending new-metadata to transaction log "
             "with coordinator epoch 11 failed"),
    Template("CRD-197", "transaction_error", "INFO", "TransactionCoordinator", "1.0.2-4.3.1",
             "[TransactionCoordinator id={broker_id}] Aborting sending of transaction markers after appended {txn_result} to "
             "transaction log and returning {error} error to client for {transactional_id}'s EndTransaction request",
             "[TransactionCoordinator id=2] Aborting sending of transaction markers after appended txn-result to transaction log and "
             "returning NOT_LEADER_OR_FOLLOWER error to client for X8snIzwvRQ2wDuEVgycxrQ's EndTransaction request"),
    Template("CRD-198", "transaction_error", "WARN", "TransactionCoordinator", "2.6.3-4.3.1",
             "[TransactionCoordinator id={broker_id}] The coordinator still owns the transaction partition for {transactional_id}, but "
             "there is no metadata in the cache; this is not expected",
             "[TransactionCoordinator id=2] The coordinator still owns the transaction partition for X8snIzwvRQ2wDuEVgycxrQ, but there "
             "is no metadata in the cache; this is not expected"),
    Template("CRD-199", "transaction_marker_retry", "INFO", "TransactionMarkerChannelManager", "0.11.0.3-4.3.1",
             "[Transaction Marker Channel Manager {broker_id}]: Couldn't find leader endpoint for partitions {partitions} while trying "
             "to send transaction markers for {transactional_id}, these partitions are likely deleted already and hence can be skipped",
             "[Transaction Marker Channel Manager 2]: Couldn't find leader endpoint for partitions Set(orders-3) while trying to send "
             "transaction markers for X8snIzwvRQ2wDuEVgycxrQ, these partitions are likely deleted already and hence can be skipped"),
    Template("CRD-200", "transaction_marker_retry", "INFO", "TransactionMarkerChannelManager", "0.11.0.3-4.3.1",
             "[Transaction Marker Channel Manager {broker_id}]: Not available to append {new_metadata}: possible causes include "
             "{cause_1}, {cause_2}, {cause_3} and {cause_4}; retry appending",
             "[Transaction Marker Channel Manager 2]: Not available to append new-metadata: possible causes include cause-1, cause-2, "
             "cause-3 and cause-4; retry appending"),
    Template("CRD-201", "coordinator_moved", "INFO", "TransactionMarkerChannelManager", "0.11.0.3-4.3.1",
             "[Transaction Marker Channel Manager {broker_id}]: No longer the coordinator for transactionalId: {transactional_id} while "
             "trying to append to transaction log, skip writing to transaction log",
             "[Transaction Marker Channel Manager 2]: No longer the coordinator for transactionalId: X8snIzwvRQ2wDuEVgycxrQ while "
             "trying to append to transaction log, skip writing to transaction log"),
    Template("CRD-202", "transaction_marker_retry", "INFO", "TransactionMarkerRequestCompletionHandler", "0.11.0.3-4.3.1",
             "[Transaction Marker Request Completion Handler {broker_id}]: Sending {transactional_id}'s transaction marker for "
             "partition {topic_partition} has failed with error {error}, retrying with current coordinator epoch {coordinator_epoch}",
             "[Transaction Marker Request Completion Handler 2]: Sending X8snIzwvRQ2wDuEVgycxrQ's transaction marker for partition "
             "orders-3 has failed with error NOT_LEADER_OR_FOLLOWER, retrying with current coordinator epoch 11"),
    Template("CRD-203", "transaction_marker_failed", "INFO", "TransactionMarkerRequestCompletionHandler", "0.11.0.3-4.3.1",
             "[Transaction Marker Request Completion Handler {broker_id}]: Sending {transactional_id}'s transaction marker for "
             "partition {topic_partition} has permanently failed with error {error} with the current coordinator epoch "
             "{coordinator_epoch}; cancel sending any more transaction markers {markers} to the brokers",
             "[Transaction Marker Request Completion Handler 2]: Sending X8snIzwvRQ2wDuEVgycxrQ's transaction marker for partition "
             "orders-3 has permanently failed with error NOT_LEADER_OR_FOLLOWER with the current coordinator epoch 11; cancel sending "
             "any more transaction markers markers to the brokers"),
    Template("CRD-204", "transaction_log_append_failed", "INFO", "TransactionStateManager", "0.11.0.3-4.3.1",
             "[Transaction State Manager {broker_id}]: TransactionalId {transactional_id} append transaction log for {new_metadata} "
             "transition failed due to {error}, not resetting pending state {pending_state} but just returning the error in the "
             "callback to let the caller retry",
             "[Transaction State Manager 2]: TransactionalId X8snIzwvRQ2wDuEVgycxrQ append transaction log for new-metadata transition "
             "failed due to NOT_LEADER_OR_FOLLOWER, not resetting pending state pending-state but just returning the error in the "
             "callback to let the caller retry"),
    Template("CRD-205", "transaction_log_append_failed", "INFO", "TransactionStateManager", "0.11.0.3-4.3.1",
             "[Transaction State Manager {broker_id}]: TransactionalId {transactional_id} append transaction log for {new_metadata} "
             "transition failed due to {error}, resetting pending state from {pending_state}, aborting state transition and returning "
             "{returned_error} in the callback",
             "[Transaction State Manager 2]: TransactionalId X8snIzwvRQ2wDuEVgycxrQ append transaction log for new-metadata transition "
             "failed due to NOT_LEADER_OR_FOLLOWER, resetting pending state from pending-state, aborting state transition and returning "
             "returned-error in the callback"),
    Template("CRD-206", "transaction_log_append_failed", "INFO", "TransactionStateManager", "0.11.0.3-4.3.1",
             "[Transaction State Manager {broker_id}]: TransactionalId {transactional_id} append transaction log for {new_metadata} "
             "transition failed due to {error}, aborting state transition and returning the error in the callback since the coordinator "
             "epoch has changed from {coordinator_epoch} to {current_coordinator_epoch}",
             "[Transaction State Manager 2]: TransactionalId X8snIzwvRQ2wDuEVgycxrQ append transaction log for new-metadata transition "
             "failed due to NOT_LEADER_OR_FOLLOWER, aborting state transition and returning the error in the callback since the "
             "coordinator epoch has changed from 11 to 10"),
    Template("CRD-207", "transaction_log_append_failed", "INFO", "TransactionStateManager", "0.11.0.3-4.3.1",
             "[Transaction State Manager {broker_id}]: TransactionalId {transactional_id} append transaction log for {new_metadata} "
             "transition failed due to {error}, aborting state transition and returning the error in the callback since retrieving "
             "metadata returned {metadata_error}",
             "[Transaction State Manager 2]: TransactionalId X8snIzwvRQ2wDuEVgycxrQ append transaction log for new-metadata transition "
             "failed due to NOT_LEADER_OR_FOLLOWER, aborting state transition and returning the error in the callback since retrieving "
             "metadata returned metadata-error"),
)
