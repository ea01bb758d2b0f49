"""What the KRaft controller writes to controller.log (server.log up to 3.3.1): fencing, elections, replayed records."""

from replay.catalogue.template import Template

TEMPLATES = (
    Template("KRC-001", "kraft_activation_records", "INFO", "QuorumController", "3.3.2-3.4.1",
             "[Controller {node_id}] No metadata.version feature level record was found in the log. Treating the log as version "
             "{minimum_kraft_version}.",
             "[Controller 2] No metadata.version feature level record was found in the log. Treating the log as version "
             "minimum-kraft-version."),
    Template("KRC-002", "kraft_activation_records", "INFO", "QuorumController", "3.3.2-3.4.1",
             "[Controller {node_id}] The metadata log appears to be empty. Appending {records_count} bootstrap record(s) at "
             "metadata.version {metadata_version} from {source}.",
             "[Controller 2] The metadata log appears to be empty. Appending 1 bootstrap record(s) at metadata.version 3.3-IV3 from the "
             "binary bootstrap metadata file: /var/lib/kafka/data0/bootstrap.checkpoint."),
    Template("KRC-003", "kraft_activation_records", "WARN", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] Activating pre-migration controller without empty log. There may be a partial migration",
             "[QuorumController id=2] Activating pre-migration controller without empty log. There may be a partial migration"),
    Template("KRC-004", "kraft_activation_records", "WARN", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] Completing the ZK migration since this controller was configured with "
             "'zookeeper.metadata.migration.enable' set to 'false'.",
             "[QuorumController id=2] Completing the ZK migration since this controller was configured with "
             "'zookeeper.metadata.migration.enable' set to 'false'."),
    Template("KRC-005", "kraft_activation_records", "INFO", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] Ignoring 'zookeeper.metadata.migration.enable' value of 'true' since the ZK migrationhas "
             "been completed.",
             "[QuorumController id=2] Ignoring 'zookeeper.metadata.migration.enable' value of 'true' since the ZK migrationhas been "
             "completed."),
    Template("KRC-006", "kraft_activation_records", "INFO", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] Loaded ZK migration state of {zk_migration_state}",
             "[QuorumController id=2] Loaded ZK migration state of zk-migration-state"),
    Template("KRC-007", "kraft_activation_records", "INFO", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] No metadata.version feature level record was found in the log. Treating the log as "
             "version {minimum_kraft_version}.",
             "[QuorumController id=2] No metadata.version feature level record was found in the log. Treating the log as version "
             "minimum-kraft-version."),
    Template("KRC-008", "kraft_activation_records", "INFO", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] Putting the controller into pre-migration mode. No metadata updates will be allowed until "
             "the ZK metadata has been migrated",
             "[QuorumController id=2] Putting the controller into pre-migration mode. No metadata updates will be allowed until the ZK "
             "metadata has been migrated"),
    Template("KRC-009", "kraft_activation_records", "INFO", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] Staying in the ZK migration since 'zookeeper.metadata.migration.enable' is still 'true'.",
             "[QuorumController id=2] Staying in the ZK migration since 'zookeeper.metadata.migration.enable' is still 'true'."),
    Template("KRC-010", "kraft_activation_records", "INFO", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] The metadata log appears to be empty. Appending {records_count} bootstrap record(s) at "
             "metadata.version {metadata_version} from {source}.",
             "[QuorumController id=2] The metadata log appears to be empty. Appending 11 bootstrap record(s) at metadata.version "
             "metadata-version from source."),
    Template("KRC-011", "kraft_authorizer_load", "INFO", "QuorumController", "3.3.2-3.4.1",
             "[Controller {node_id}] maybeCompleteAuthorizerInitialLoad: completing authorizer initial load at last committed offset "
             "{last_committed_offset}.",
             "[Controller 2] maybeCompleteAuthorizerInitialLoad: completing authorizer initial load at last committed offset 15."),
    Template("KRC-012", "kraft_authorizer_load", "INFO", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] maybeCompleteAuthorizerInitialLoad: completing authorizer initial load at last committed "
             "offset {last_committed_offset}.",
             "[QuorumController id=2] maybeCompleteAuthorizerInitialLoad: completing authorizer initial load at last committed offset "
             "15."),
    Template("KRC-013", "kraft_balance_leaders_run", "INFO", "QuorumController", "3.9.0-4.0-dev",
             "[QuorumController id={node_id}] maybeBalancePartitionLeaders: generated {records_count} records in {elapsed_us} "
             "microseconds.{rescheduling_text}",
             "[QuorumController id=2] maybeBalancePartitionLeaders: generated 6 records in 926 microseconds."),
    Template("KRC-014", "kraft_commit_replayed", "DEBUG", "QuorumController", "2.8.2",
             "[Controller {node_id}] Replaying commits from the active node up to offset {offset}.",
             "[Controller 2] Replaying commits from the active node up to offset 120."),
    Template("KRC-015", "kraft_commit_replayed", "TRACE", "QuorumController", "2.8.2",
             "[Controller {node_id}] Replaying commits from the active node up to offset {offset}: {records}.",
             "[Controller 2] Replaying commits from the active node up to offset 120: records."),
    Template("KRC-016", "kraft_commit_replayed", "DEBUG", "QuorumController", "3.0.2-3.4.1",
             "[Controller {node_id}] Replaying commits from the active node up to offset {offset} and epoch {epoch}.",
             "[Controller 2] Replaying commits from the active node up to offset 120 and epoch 7."),
    Template("KRC-017", "kraft_commit_replayed", "TRACE", "QuorumController", "3.0.2-3.4.1",
             "[Controller {node_id}] Replaying commits from the active node up to offset {offset} and epoch {epoch}: {records}.",
             "[Controller 2] Replaying commits from the active node up to offset 120 and epoch 7: records."),
    Template("KRC-018", "kraft_commit_replayed", "DEBUG", "QuorumController", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] Replaying commits from the active node up to offset {offset} and epoch {epoch}.",
             "[QuorumController id=2] Replaying commits from the active node up to offset 120 and epoch 7."),
    Template("KRC-019", "kraft_controller_activated", "INFO", "QuorumController", "2.8.2",
             "[Controller {node_id}] Becoming active at controller epoch {new_epoch}.",
             "[Controller 2] Becoming active at controller epoch 3."),
    Template("KRC-020", "kraft_controller_activated", "INFO", "QuorumController", "3.0.2-3.2.3",
             "[Controller {node_id}] Becoming the active controller at epoch {new_epoch}, committed offset {last_committed_offset} and "
             "committed epoch {last_committed_epoch}.",
             "[Controller 2] Becoming the active controller at epoch 3, committed offset 15 and committed epoch 14."),
    Template("KRC-021", "kraft_controller_activated", "INFO", "QuorumController", "3.3.2-3.4.1",
             "[Controller {node_id}] Becoming the active controller at epoch {new_epoch}, committed offset {last_committed_offset}, "
             "committed epoch {last_committed_epoch}",
             "[Controller 2] Becoming the active controller at epoch 6, committed offset 99, committed epoch 1"),
    Template("KRC-022", "kraft_controller_activated", "INFO", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] Becoming the active controller at epoch {new_epoch}, committed offset "
             "{last_committed_offset}, committed epoch {last_committed_epoch}",
             "[QuorumController id=2] Becoming the active controller at epoch 3, committed offset 15, committed epoch 14"),
    Template("KRC-023", "kraft_controller_activated", "INFO", "QuorumController", "3.6.2-4.4.0",
             "[QuorumController id={node_id}] Becoming the active controller at epoch {new_epoch}, next write offset "
             "{next_write_offset}.",
             "[QuorumController id=1] Becoming the active controller at epoch 1, next write offset 1."),
    Template("KRC-024", "kraft_controller_created", "INFO", "QuorumController", "3.3.2-3.4.1",
             "[Controller {node_id}] Creating new QuorumController with clusterId {cluster_id}, authorizer {authorizer}.",
             "[Controller 1] Creating new QuorumController with clusterId MkU3OEVBNTcwNTJENDM2Qg, authorizer Optional.empty."),
    Template("KRC-025", "kraft_controller_created", "INFO", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] Creating new QuorumController with clusterId {cluster_id}, authorizer "
             "{authorizer}.{zk_migration_text}",
             "[QuorumController id=2] Creating new QuorumController with clusterId X8snIzwvRQ2wDuEVgycxrQ, authorizer "
             "authorizer.zk-migration-text"),
    Template("KRC-026", "kraft_controller_created", "INFO", "QuorumController", "3.6.2 3.7.1-3.9.0 4.0-dev",
             "[QuorumController id={node_id}] Creating new QuorumController with clusterId {cluster_id}.{zk_migration_text}",
             "[QuorumController id=1] Creating new QuorumController with clusterId MkU3OEVBNTcwNTJENDM2Qg."),
    Template("KRC-029", "kraft_controller_new_leader", "INFO", "QuorumController", "3.3.2-3.4.1",
             "[Controller {node_id}] In the new epoch {new_epoch}, the leader is {new_leader_name}.",
             "[Controller 1] In the new epoch 1, the leader is 2."),
    Template("KRC-030", "kraft_controller_new_leader", "INFO", "QuorumController", "3.5.2-4.4.0",
             "[QuorumController id={node_id}] In the new epoch {new_epoch}, the leader is {new_leader_name}.",
             "[QuorumController id=1] In the new epoch 1, the leader is 2."),
    Template("KRC-031", "kraft_controller_renounced", "WARN", "QuorumController", "2.8.2 3.0.2-3.2.3",
             "[Controller {node_id}] Renouncing the leadership at oldEpoch {epoch} due to a metadata log event. Reverting to last "
             "committed offset {last_committed_offset}.",
             "[Controller 2] Renouncing the leadership at oldEpoch 7 due to a metadata log event. Reverting to last committed offset 15."),
    Template("KRC-033", "kraft_controller_renounced", "WARN", "QuorumController", "3.3.2-3.4.1",
             "[Controller {node_id}] Renouncing the leadership due to a metadata log event. We were the leader at epoch {epoch}, but in "
             "the new epoch {new_epoch}, the leader is {new_leader_name}. Reverting to last committed offset {last_committed_offset}.",
             "[Controller 2] Renouncing the leadership due to a metadata log event. We were the leader at epoch 1, but in the new epoch "
             "2, the leader is (none). Reverting to last committed offset 97."),
    Template("KRC-034", "kraft_controller_renounced", "WARN", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] Renouncing the leadership due to a metadata log event. We were the leader at epoch "
             "{epoch}, but in the new epoch {new_epoch}, the leader is {new_leader_name}. Reverting to last committed offset "
             "{last_committed_offset}.",
             "[QuorumController id=2] Renouncing the leadership due to a metadata log event. We were the leader at epoch 7, but in the "
             "new epoch 3, the leader is new-leader-name. Reverting to last committed offset 15."),
    Template("KRC-035", "kraft_controller_renounced", "WARN", "QuorumController", "3.6.2-4.4.0",
             "[QuorumController id={node_id}] Renouncing the leadership due to a metadata log event. We were the leader at epoch "
             "{epoch}, but in the new epoch {new_epoch}, the leader is {new_leader_name}. Reverting to last stable offset "
             "{last_stable_offset}.",
             "[QuorumController id=2] Renouncing the leadership due to a metadata log event. We were the leader at epoch 3, but in the "
             "new epoch 21, the leader is (none). Reverting to last stable offset 158."),
    Template("KRC-036", "kraft_controller_same_leader_new_epoch", "WARN", "QuorumController", "3.3.2-3.4.1",
             "[Controller {node_id}] We were the leader in epoch {epoch}, and are still the leader in the new epoch {new_epoch}.",
             "[Controller 2] We were the leader in epoch 7, and are still the leader in the new epoch 3."),
    Template("KRC-037", "kraft_controller_same_leader_new_epoch", "WARN", "QuorumController", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] We were the leader in epoch {epoch}, and are still the leader in the new epoch "
             "{new_epoch}.",
             "[QuorumController id=2] We were the leader in epoch 7, and are still the leader in the new epoch 3."),
    Template("KRC-038", "kraft_deferred_event", "ERROR", "QuorumController", "2.8.2-3.4.1",
             "[Controller {node_id}] Cancelling deferred write event {name} because the event queue is now closed.",
             "[Controller 2] Cancelling deferred write event orders-3 because the event queue is now closed."),
    Template("KRC-039", "kraft_deferred_event", "ERROR", "QuorumController", "2.8.2-3.4.1",
             "[Controller {node_id}] Unexpected exception while executing deferred write event {name}. Rescheduling for a minute from "
             "now.",
             "[Controller 2] Unexpected exception while executing deferred write event orders-3. Rescheduling for a minute from now."),
    Template("KRC-040", "kraft_deferred_event", "ERROR", "QuorumController", "3.5.2-4.0-dev",
             "[QuorumController id={node_id}] Cancelling deferred write event {name} because the event queue is now closed.",
             "[QuorumController id=2] Cancelling deferred write event orders-3 because the event queue is now closed."),
    Template("KRC-041", "kraft_deferred_event", "ERROR", "QuorumController", "3.5.2-4.0-dev",
             "[QuorumController id={node_id}] Unexpected exception while executing deferred write event {name}. Rescheduling for a "
             "minute from now.",
             "[QuorumController id=2] Unexpected exception while executing deferred write event orders-3. Rescheduling for a minute "
             "from now."),
    Template("KRC-042", "kraft_event_failed", "INFO", "QuorumController", "2.8.2-3.4.1",
             "[Controller {node_id}] {name}: failed with {exception_class} in {delta_us} us",
             "[Controller 2] alterPartition: failed with NotControllerException in 20655 us"),
    Template("KRC-043", "kraft_event_failed", "INFO", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] {name}: failed with {exception_class} in {delta_us} us. Reason: {error}",
             "[QuorumController id=2] orders-3: failed with NotControllerException in 19 us. Reason: NOT_LEADER_OR_FOLLOWER"),
    Template("KRC-044", "kraft_event_failed", "INFO", "QuorumController", "3.6.2-4.4.0",
             "[QuorumController id={node_id}] {event_name}: event failed with {exception_class}{ (treated as "
             "{external_exception_class})?}{ at epoch {epoch}?} in {elapsed_us} microseconds{. Renouncing leadership and reverting to "
             "the last committed offset {last_committed_offset}|. The controller is already in standby mode?}.{ Exception message: "
             "{exception_message}?}",
             "[QuorumController id=101] alterPartition: event failed with NotControllerException in 35 microseconds. Exception message: "
             "No controller appears to be active."),
    Template("KRC-045", "kraft_event_fault", "WARN", "QuorumController", "2.8.2-3.2.3",
             "[Controller {node_id}] {name}: failed with unknown server exception {exception_class} at epoch {epoch} in {delta_us} us.  "
             "Reverting to last committed offset {last_committed_offset}.",
             "[Controller 2] orders-3: failed with unknown server exception NotControllerException at epoch 7 in 19 us.  Reverting to "
             "last committed offset 15."),
    Template("KRC-046", "kraft_event_fault", "WARN", "QuorumController", "3.3.2-3.4.1",
             "[Controller {node_id}] {name}: failed with unknown server exception {exception_class} at epoch {epoch} in {delta_us} us.  "
             "Renouncing leadership and reverting to the last committed offset {last_committed_offset}.",
             "[Controller 2] orders-3: failed with unknown server exception NotControllerException at epoch 7 in 19 us.  Renouncing "
             "leadership and reverting to the last committed offset 15."),
    Template("KRC-047", "kraft_event_fault", "WARN", "QuorumController", "3.3.2-3.4.1",
             "[Controller {node_id}] {name}: failed with unknown server exception {exception_class} in {delta_us} us.  The controller "
             "is already in standby mode.",
             "[Controller 2] orders-3: failed with unknown server exception NotControllerException in 19 us.  The controller is already "
             "in standby mode."),
    Template("KRC-048", "kraft_event_fault", "WARN", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] {name}: failed with unknown server exception {exception_class} at epoch {epoch} in "
             "{delta_us} us.  Renouncing leadership and reverting to the last committed offset {last_committed_offset}.",
             "[QuorumController id=2] orders-3: failed with unknown server exception NotControllerException at epoch 7 in 19 us.  "
             "Renouncing leadership and reverting to the last committed offset 15."),
    Template("KRC-049", "kraft_event_fault", "WARN", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] {name}: failed with unknown server exception {exception_class} in {delta_us} us.  The "
             "controller is already in standby mode.",
             "[QuorumController id=2] orders-3: failed with unknown server exception NotControllerException in 19 us.  The controller "
             "is already in standby mode."),
    Template("KRC-050", "kraft_event_not_started", "INFO", "QuorumController", "2.8.2-3.1.2",
             "[Controller {node_id}] unable to start processing {name} because of {exception_class}.",
             "[Controller 2] unable to start processing orders-3 because of NotControllerException."),
    Template("KRC-051", "kraft_event_not_started", "ERROR", "QuorumController", "3.2.3-3.4.1",
             "[Controller {node_id}] {name}: unable to start processing because of {exception_class}.",
             "[Controller 2] createTopics: unable to start processing because of NotControllerException."),
    Template("KRC-052", "kraft_event_not_started", "ERROR", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] {name}: unable to start processing because of {exception_class}. Reason: {error}",
             "[QuorumController id=2] orders-3: unable to start processing because of NotControllerException. Reason: "
             "NOT_LEADER_OR_FOLLOWER"),
    Template("KRC-053", "kraft_event_not_started", "INFO", "QuorumController", "3.6.2-4.3.1",
             "[QuorumController id={node_id}] {event_name}: event unable to start processing because of {exception_class}{ (treated as "
             "{external_exception_class})?}{ at epoch {epoch}?}{. Renouncing leadership and reverting to the last committed offset "
             "{last_committed_offset}|. The controller is already in standby mode?}.{ Exception message: {exception_message}?}",
             "[QuorumController id=2] event-name: event unable to start processing because of NotControllerException."),
    Template("KRC-054", "kraft_migration_step", "INFO", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] Completing ZK Migration",
             "[QuorumController id=2] Completing ZK Migration"),
    Template("KRC-055", "kraft_migration_step", "INFO", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] Starting ZK Migration",
             "[QuorumController id=2] Starting ZK Migration"),
    Template("KRC-056", "kraft_migration_step", "INFO", "QuorumController", "3.6.2-3.9.0",
             "[QuorumController id={node_id}] Completing migration of ZooKeeper metadata to KRaft.",
             "[QuorumController id=2] Completing migration of ZooKeeper metadata to KRaft."),
    Template("KRC-057", "kraft_migration_step", "WARN", "QuorumController", "3.6.2-3.9.0",
             "[QuorumController id={node_id}] Starting ZK Migration without metadata transactions enabled. This is not safe since a "
             "controller failover or processing error may lead to partially migrated metadata.",
             "[QuorumController id=2] Starting ZK Migration without metadata transactions enabled. This is not safe since a controller "
             "failover or processing error may lead to partially migrated metadata."),
    Template("KRC-058", "kraft_migration_step", "INFO", "QuorumController", "3.6.2-3.9.0",
             "[QuorumController id={node_id}] Starting migration of ZooKeeper metadata to KRaft.",
             "[QuorumController id=2] Starting migration of ZooKeeper metadata to KRaft."),
    Template("KRC-059", "kraft_pre_migration_blocked", "INFO", "QuorumController", "3.5.2-3.9.0",
             "[QuorumController id={node_id}] Cannot run write operation {name} in pre-migration mode. Returning NOT_CONTROLLER.",
             "[QuorumController id=2] Cannot run write operation orders-3 in pre-migration mode. Returning NOT_CONTROLLER."),
    Template("KRC-060", "kraft_record_replay_trace", "TRACE", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] Replaying log record {record} with batchLastOffset {batch_last_offset}",
             "[QuorumController id=2] Replaying log record record with batchLastOffset 5"),
    Template("KRC-061", "kraft_record_replay_trace", "TRACE", "QuorumController", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] Replaying snapshot {snapshot_file} record {record}",
             "[QuorumController id=2] Replaying snapshot snapshot-file record record"),
    Template("KRC-062", "kraft_record_replay_trace", "TRACE", "QuorumController", "3.6.2-4.3.1",
             "[QuorumController id={node_id}] Replaying log record {record} with offset {offset}",
             "[QuorumController id=2] Replaying log record record with offset 120"),
    Template("KRC-063", "kraft_records_appended", "TRACE", "QuorumController", "3.3.2-3.4.1",
             "[Controller {node_id}] Appended {records_count} record(s) in {num_batches} batch(es), ending with offset {offset}.",
             "[Controller 2] Appended 11 record(s) in 8 batch(es), ending with offset 120."),
    Template("KRC-064", "kraft_records_appended", "TRACE", "QuorumController", "3.3.2-3.4.1",
             "[Controller {node_id}] Atomically appended {records_count} record(s) ending with offset {offset}.",
             "[Controller 2] Atomically appended 11 record(s) ending with offset 120."),
    Template("KRC-065", "kraft_records_appended", "TRACE", "QuorumController", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] Appended {records_count} record(s) in {num_batches} batch(es), ending with offset "
             "{offset}.",
             "[QuorumController id=2] Appended 11 record(s) in 8 batch(es), ending with offset 120."),
    Template("KRC-066", "kraft_records_appended", "TRACE", "QuorumController", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] Atomically appended {records_count} record(s) ending with offset {offset}.",
             "[QuorumController id=2] Atomically appended 11 record(s) ending with offset 120."),
    Template("KRC-067", "kraft_replay_error", "ERROR", "QuorumController", "2.8.2",
             "[Controller {node_id}] Error replaying record {message}",
             "[Controller 2] Error replaying record message"),
    Template("KRC-068", "kraft_replay_error", "ERROR", "QuorumController", "3.0.2-3.2.3",
             "[Controller {node_id}] Error replaying record {message} at last offset {offset}.",
             "[Controller 2] Error replaying record message at last offset 120."),
    Template("KRC-069", "kraft_replay_error", "ERROR", "QuorumController", "3.0.2-3.2.3",
             "[Controller {node_id}] Error replaying record {message} from snapshot {snapshot_id} at last offset {offset}.",
             "[Controller 2] Error replaying record message from snapshot X8snIzwvRQ2wDuEVgycxrQ at last offset 120."),
    Template("KRC-070", "kraft_snapshot", "ERROR", "QuorumController", "3.0.2-3.3.2",
             "[Controller {node_id}] Cancelling snapshot {last_contained_log_offset}",
             "[Controller 2] Cancelling snapshot 7"),
    Template("KRC-071", "kraft_snapshot", "ERROR", "QuorumController", "3.0.2-3.3.2",
             "[Controller {node_id}] Error while generating snapshot {last_contained_log_offset}",
             "[Controller 2] Error while generating snapshot 7"),
    Template("KRC-072", "kraft_snapshot", "INFO", "QuorumController", "3.0.2-3.3.2",
             "[Controller {node_id}] Finished generating snapshot {last_contained_log_offset}.",
             "[Controller 2] Finished generating snapshot 7."),
    Template("KRC-073", "kraft_snapshot", "INFO", "QuorumController", "3.0.2-3.3.2",
             "[Controller {node_id}] Generating a snapshot that includes (epoch={last_committed_epoch}, offset={last_committed_offset}) "
             "after {committed_bytes_since_last_snapshot} committed bytes since the last snapshot.",
             "[Controller 2] Generating a snapshot that includes (epoch=14, offset=15) after committed-bytes-since-last-snapshot "
             "committed bytes since the last snapshot."),
    Template("KRC-074", "kraft_snapshot", "INFO", "QuorumController", "3.0.2-3.3.2",
             "[Controller {node_id}] Skipping generation of snapshot for committed offset {committed_offset} and epoch "
             "{committed_epoch} since it already exists",
             "[Controller 2] Skipping generation of snapshot for committed offset 11 and epoch 10 since it already exists"),
    Template("KRC-075", "kraft_snapshot_load", "INFO", "QuorumController", "3.0.2-3.4.1",
             "[Controller {node_id}] Starting to replay snapshot ({snapshot_id}), from last commit offset ({last_committed_offset}) and "
             "epoch ({last_committed_epoch})",
             "[Controller 2] Starting to replay snapshot (X8snIzwvRQ2wDuEVgycxrQ), from last commit offset (15) and epoch (14)"),
    Template("KRC-076", "kraft_snapshot_load", "INFO", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] Finished replaying snapshot {snapshot_name}",
             "[QuorumController id=2] Finished replaying snapshot snapshot-name"),
    Template("KRC-077", "kraft_snapshot_load", "INFO", "QuorumController", "3.5.2",
             "[QuorumController id={node_id}] Starting to replay snapshot {snapshot_name}, from last commit offset "
             "{last_committed_offset} and epoch {last_committed_epoch}",
             "[QuorumController id=2] Starting to replay snapshot snapshot-name, from last commit offset 15 and epoch 14"),
    Template("KRC-078", "kraft_snapshot_replay", "DEBUG", "QuorumController", "3.0.2-3.4.1",
             "[Controller {node_id}] Replaying snapshot ({snapshot_id}) batch with last offset of {offset}",
             "[Controller 2] Replaying snapshot (X8snIzwvRQ2wDuEVgycxrQ) batch with last offset of 120"),
    Template("KRC-079", "kraft_snapshot_replay", "TRACE", "QuorumController", "3.0.2-3.4.1",
             "[Controller {node_id}] Replaying snapshot ({snapshot_id}) batch with last offset of {offset}: {records}",
             "[Controller 2] Replaying snapshot (X8snIzwvRQ2wDuEVgycxrQ) batch with last offset of 120: records"),
    Template("KRC-080", "kraft_snapshot_replay", "DEBUG", "QuorumController", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] Replaying snapshot {snapshot_name} batch with last offset of {offset}",
             "[QuorumController id=2] Replaying snapshot snapshot-name batch with last offset of 120"),
    Template("KRC-081", "kraft_unclean_election_run", "INFO", "QuorumController", "3.9.0-4.0-dev",
             "[QuorumController id={node_id}] maybeElectUncleanLeaders: generated {records_count} records in {elapsed_us} "
             "microseconds.{rescheduling_text}",
             "[QuorumController id=2] maybeElectUncleanLeaders: generated 11 records in 10 microseconds.rescheduling-text"),
    Template("KRC-082", "alter_partition_completed_reassignment", "INFO", "ReplicationControlManager", "3.0.2-3.1.2",
             "[Controller {node_id}] AlterIsr request from node {broker_id} for {topic}-{partition} completed the ongoing partition "
             "reassignment.",
             "[Controller 2] AlterIsr request from node 2 for orders-3 completed the ongoing partition reassignment."),
    Template("KRC-083", "alter_partition_completed_reassignment", "INFO", "ReplicationControlManager", "3.2.3-3.4.1",
             "[Controller {node_id}] AlterPartition request from node {broker_id} for {topic}-{partition} completed the ongoing "
             "partition reassignment.",
             "[Controller 2] AlterPartition request from node 2 for orders-3 completed the ongoing partition reassignment."),
    Template("KRC-084", "alter_partition_completed_reassignment", "INFO", "ReplicationControlManager", "3.5.2-4.1.1",
             "[QuorumController id={node_id}] AlterPartition request from node {broker_id} for {topic}-{partition} completed the "
             "ongoing partition reassignment.",
             "[QuorumController id=2] AlterPartition request from node 2 for orders-3 completed the ongoing partition reassignment."),
    Template("KRC-085", "alter_partition_completed_reassignment_leader_change", "INFO", "ReplicationControlManager", "3.0.2-3.1.2",
             "[Controller {node_id}] AlterIsr request from node {broker_id} for {topic}-{partition} completed the ongoing partition "
             "reassignment and triggered a leadership change. Reutrning FENCED_LEADER_EPOCH.",
             "[Controller 2] AlterIsr request from node 2 for orders-3 completed the ongoing partition reassignment and triggered a "
             "leadership change. Reutrning FENCED_LEADER_EPOCH."),
    Template("KRC-086", "alter_partition_completed_reassignment_leader_change", "INFO", "ReplicationControlManager", "3.2.3",
             "[Controller {node_id}] AlterPartition request from node {broker_id} for {topic}-{partition} completed the ongoing "
             "partition reassignment and triggered a leadership change. Returning FENCED_LEADER_EPOCH.",
             "[Controller 2] AlterPartition request from node 2 for orders-3 completed the ongoing partition reassignment and triggered "
             "a leadership change. Returning FENCED_LEADER_EPOCH."),
    Template("KRC-087", "alter_partition_completed_reassignment_leader_change", "INFO", "ReplicationControlManager", "3.3.2-3.4.1",
             "[Controller {node_id}] AlterPartition request from node {broker_id} for {topic}-{partition} completed the ongoing "
             "partition reassignment and triggered a leadership change. Returning {error}.",
             "[Controller 2] AlterPartition request from node 2 for orders-3 completed the ongoing partition reassignment and triggered "
             "a leadership change. Returning NOT_LEADER_OR_FOLLOWER."),
    Template("KRC-088", "alter_partition_completed_reassignment_leader_change", "INFO", "ReplicationControlManager", "3.5.2-4.1.1",
             "[QuorumController id={node_id}] AlterPartition request from node {broker_id} for {topic}-{partition} completed the "
             "ongoing partition reassignment and triggered a leadership change. Returning {error}.",
             "[QuorumController id=2] AlterPartition request from node 2 for orders-3 completed the ongoing partition reassignment and "
             "triggered a leadership change. Returning NOT_LEADER_OR_FOLLOWER."),
    Template("KRC-089", "alter_partition_isr_updated", "DEBUG", "ReplicationControlManager", "3.0.2-3.4.1",
             "[Controller {node_id}] Node {broker_id} has altered ISR for {topic}-{partition} to {isr}.",
             "[Controller 2] Node 2 has altered ISR for orders-3 to 2,3."),
    Template("KRC-090", "alter_partition_isr_updated", "DEBUG", "ReplicationControlManager", "3.5.2-4.1.1",
             "[QuorumController id={node_id}] Node {broker_id} has altered ISR for {topic}-{partition} to {isr}.",
             "[QuorumController id=2] Node 2 has altered ISR for orders-3 to 2,3."),
    Template("KRC-091", "alter_partition_rejected_ineligible", "INFO", "ReplicationControlManager", "3.3.2-3.4.1",
             "[Controller {node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because it "
             "specified ineligible replicas {ineligible_replicas} in the new ISR {new_isr}.",
             "[Controller 2] Rejecting AlterPartition request from node 2 for orders-3 because it specified ineligible replicas 2,3 in "
             "the new ISR new-isr."),
    Template("KRC-092", "alter_partition_rejected_ineligible", "INFO", "ReplicationControlManager", "3.5.2-4.1.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because it "
             "specified ineligible replicas {ineligible_replicas} in the new ISR {new_isr_with_epochs}.",
             "[QuorumController id=2] Rejecting AlterPartition request from node 2 for orders-3 because it specified ineligible "
             "replicas 2,3 in the new ISR new-isr-with-epochs."),
    Template("KRC-093", "alter_partition_rejected_invalid_isr", "ERROR", "ReplicationControlManager", "3.0.2-3.1.2",
             "[Controller {node_id}] Rejecting alterIsr request from node {broker_id} for {topic}-{partition} because it specified an "
             "invalid ISR {new_isr} that doesn't include itself.",
             "[Controller 2] Rejecting alterIsr request from node 2 for orders-3 because it specified an invalid ISR new-isr that "
             "doesn't include itself."),
    Template("KRC-094", "alter_partition_rejected_invalid_isr", "ERROR", "ReplicationControlManager", "3.0.2-3.1.2",
             "[Controller {node_id}] Rejecting alterIsr request from node {broker_id} for {topic}-{partition} because it specified an "
             "invalid ISR {new_isr}.",
             "[Controller 2] Rejecting alterIsr request from node 2 for orders-3 because it specified an invalid ISR new-isr."),
    Template("KRC-095", "alter_partition_rejected_invalid_isr", "ERROR", "ReplicationControlManager", "3.2.3-3.4.1",
             "[Controller {node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because it "
             "specified an invalid ISR {new_isr} that doesn't include itself.",
             "[Controller 2] Rejecting AlterPartition request from node 2 for orders-3 because it specified an invalid ISR new-isr that "
             "doesn't include itself."),
    Template("KRC-096", "alter_partition_rejected_invalid_isr", "ERROR", "ReplicationControlManager", "3.2.3-3.4.1",
             "[Controller {node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because it "
             "specified an invalid ISR {new_isr}.",
             "[Controller 2] Rejecting AlterPartition request from node 2 for orders-3 because it specified an invalid ISR new-isr."),
    Template("KRC-097", "alter_partition_rejected_invalid_isr", "ERROR", "ReplicationControlManager", "3.5.2-4.1.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because it "
             "specified an invalid ISR {new_isr_with_epochs} that doesn't include itself.",
             "[QuorumController id=2] Rejecting AlterPartition request from node 2 for orders-3 because it specified an invalid ISR "
             "new-isr-with-epochs that doesn't include itself."),
    Template("KRC-098", "alter_partition_rejected_invalid_isr", "ERROR", "ReplicationControlManager", "3.5.2-4.1.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because it "
             "specified an invalid ISR {new_isr_with_epochs}.",
             "[QuorumController id=2] Rejecting AlterPartition request from node 2 for orders-3 because it specified an invalid ISR "
             "new-isr-with-epochs."),
    Template("KRC-099", "alter_partition_rejected_leader_epoch", "DEBUG", "ReplicationControlManager", "3.0.2-3.1.2",
             "[Controller {node_id}] Rejecting alterIsr request from node {broker_id} for {topic}-{partition} because the current "
             "leader epoch is {current_leader_epoch}, not {leader_epoch}.",
             "[Controller 2] Rejecting alterIsr request from node 2 for orders-3 because the current leader epoch is 4, not 7."),
    Template("KRC-100", "alter_partition_rejected_leader_epoch", "DEBUG", "ReplicationControlManager", "3.2.3-3.4.1",
             "[Controller {node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because the current "
             "leader epoch is {current_leader_epoch}, not {leader_epoch}.",
             "[Controller 2] Rejecting AlterPartition request from node 2 for orders-3 because the current leader epoch is 4, not 7."),
    Template("KRC-101", "alter_partition_rejected_leader_epoch", "DEBUG", "ReplicationControlManager", "3.3.2-3.4.1",
             "[Controller {node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because the current "
             "leader epoch is {current_leader_epoch}, which is greater than the local value {leader_epoch}.",
             "[Controller 2] Rejecting AlterPartition request from node 2 for orders-3 because the current leader epoch is 4, which is "
             "greater than the local value 7."),
    Template("KRC-102", "alter_partition_rejected_leader_epoch", "DEBUG", "ReplicationControlManager", "3.5.2-4.1.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because "
             "the current leader epoch is {current_leader_epoch}, not {leader_epoch}.",
             "[QuorumController id=2] Rejecting AlterPartition request from node 2 for orders-3 because the current leader epoch is 4, "
             "not 7."),
    Template("KRC-103", "alter_partition_rejected_leader_epoch", "DEBUG", "ReplicationControlManager", "3.5.2-4.1.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because "
             "the current leader epoch is {current_leader_epoch}, which is greater than the local value {leader_epoch}.",
             "[QuorumController id=2] Rejecting AlterPartition request from node 2 for orders-3 because the current leader epoch is 4, "
             "which is greater than the local value 7."),
    Template("KRC-104", "alter_partition_rejected_not_leader", "INFO", "ReplicationControlManager", "3.0.2-3.1.2",
             "[Controller {node_id}] Rejecting alterIsr request from node {broker_id} for {topic}-{partition} because the current "
             "leader is {current_leader}.",
             "[Controller 2] Rejecting alterIsr request from node 2 for orders-3 because the current leader is current-leader."),
    Template("KRC-105", "alter_partition_rejected_not_leader", "INFO", "ReplicationControlManager", "3.2.3-3.4.1",
             "[Controller {node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because the current "
             "leader is {current_leader}.",
             "[Controller 2] Rejecting AlterPartition request from node 2 for orders-3 because the current leader is current-leader."),
    Template("KRC-106", "alter_partition_rejected_not_leader", "INFO", "ReplicationControlManager", "3.5.2-4.1.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because "
             "the current leader is {current_leader}.",
             "[QuorumController id=2] Rejecting AlterPartition request from node 2 for orders-3 because the current leader is "
             "current-leader."),
    Template("KRC-107", "alter_partition_rejected_partition_epoch", "INFO", "ReplicationControlManager", "3.0.2-3.1.2",
             "[Controller {node_id}] Rejecting alterIsr request from node {broker_id} for {topic}-{partition} because the current "
             "partition epoch is {current_partition_epoch}, not {request_partition_epoch}.",
             "[Controller 2] Rejecting alterIsr request from node 2 for orders-3 because the current partition epoch is 12, not 18."),
    Template("KRC-108", "alter_partition_rejected_partition_epoch", "INFO", "ReplicationControlManager", "3.2.3-3.4.1",
             "[Controller {node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because the current "
             "partition epoch is {current_partition_epoch}, not {partition_epoch}.",
             "[Controller 2] Rejecting AlterPartition request from node 1 for orders-2 because the current partition epoch is 3, not 2."),
    Template("KRC-109", "alter_partition_rejected_partition_epoch", "DEBUG", "ReplicationControlManager", "3.3.2-3.4.1",
             "[Controller {node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because the current "
             "partition epoch is {current_partition_epoch}, which is greater than the local value {partition_epoch}.",
             "[Controller 2] Rejecting AlterPartition request from node 2 for orders-3 because the current partition epoch is 12, which "
             "is greater than the local value 12."),
    Template("KRC-110", "alter_partition_rejected_partition_epoch", "INFO", "ReplicationControlManager", "3.5.2-4.1.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because "
             "the current partition epoch is {current_partition_epoch}, not {partition_epoch}.",
             "[QuorumController id=2] Rejecting AlterPartition request from node 2 for orders-3 because the current partition epoch is "
             "12, not 12."),
    Template("KRC-111", "alter_partition_rejected_partition_epoch", "DEBUG", "ReplicationControlManager", "3.5.2-4.1.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because "
             "the current partition epoch is {current_partition_epoch}, which is greater than the local value {partition_epoch}.",
             "[QuorumController id=2] Rejecting AlterPartition request from node 2 for orders-3 because the current partition epoch is "
             "12, which is greater than the local value 12."),
    Template("KRC-112", "alter_partition_rejected_recovering", "INFO", "ReplicationControlManager", "3.2.3",
             "[Controller {node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because the ISR "
             "{new_isr} had more than one replica while the leader was still recovering from an unlcean leader election "
             "{leader_recovery_state}.",
             "[Controller 2] Rejecting AlterPartition request from node 2 for orders-3 because the ISR new-isr had more than one "
             "replica while the leader was still recovering from an unlcean leader election leader-recovery-state."),
    Template("KRC-113", "alter_partition_rejected_recovering", "INFO", "ReplicationControlManager", "3.3.2-3.4.1",
             "[Controller {node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because the ISR "
             "{new_isr} had more than one replica while the leader was still recovering from an unclean leader election "
             "{leader_recovery_state}.",
             "[Controller 2] Rejecting AlterPartition request from node 2 for orders-3 because the ISR new-isr had more than one "
             "replica while the leader was still recovering from an unclean leader election leader-recovery-state."),
    Template("KRC-114", "alter_partition_rejected_recovering", "INFO", "ReplicationControlManager", "3.5.2-4.1.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because "
             "the ISR {new_isr_with_epochs} had more than one replica while the leader was still recovering from an unclean leader "
             "election {leader_recovery_state}.",
             "[QuorumController id=2] Rejecting AlterPartition request from node 2 for orders-3 because the ISR new-isr-with-epochs had "
             "more than one replica while the leader was still recovering from an unclean leader election leader-recovery-state."),
    Template("KRC-115", "alter_partition_rejected_recovery_state", "INFO", "ReplicationControlManager", "3.2.3-3.4.1",
             "[Controller {node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because the leader "
             "recovery state cannot change from RECOVERED to RECOVERING.",
             "[Controller 2] Rejecting AlterPartition request from node 2 for orders-3 because the leader recovery state cannot change "
             "from RECOVERED to RECOVERING."),
    Template("KRC-116", "alter_partition_rejected_recovery_state", "INFO", "ReplicationControlManager", "3.5.2-4.1.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because "
             "the leader recovery state cannot change from RECOVERED to RECOVERING.",
             "[QuorumController id=2] Rejecting AlterPartition request from node 2 for orders-3 because the leader recovery state "
             "cannot change from RECOVERED to RECOVERING."),
    Template("KRC-117", "alter_partition_rejected_unknown_partition", "INFO", "ReplicationControlManager", "3.0.2-3.1.2",
             "[Controller {node_id}] Rejecting alterIsr request for unknown partition {topic}-{partition}.",
             "[Controller 2] Rejecting alterIsr request for unknown partition orders-3."),
    Template("KRC-118", "alter_partition_rejected_unknown_partition", "INFO", "ReplicationControlManager", "3.2.3-3.4.1",
             "[Controller {node_id}] Rejecting AlterPartition request for unknown partition {topic}-{partition}.",
             "[Controller 2] Rejecting AlterPartition request for unknown partition orders-3."),
    Template("KRC-119", "alter_partition_rejected_unknown_partition", "INFO", "ReplicationControlManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request for unknown partition {topic}-{partition}.",
             "[QuorumController id=2] Rejecting AlterPartition request for unknown partition orders-3."),
    Template("KRC-120", "alter_partition_rejected_unknown_topic", "INFO", "ReplicationControlManager", "3.0.2-3.1.2",
             "[Controller {node_id}] Rejecting alterIsr request for unknown topic ID {topic_id}.",
             "[Controller 2] Rejecting alterIsr request for unknown topic ID X8snIzwvRQ2wDuEVgycxrQ."),
    Template("KRC-121", "alter_partition_rejected_unknown_topic", "INFO", "ReplicationControlManager", "3.2.3",
             "[Controller {node_id}] Rejecting AlterPartition request for unknown topic ID {topic_id}.",
             "[Controller 2] Rejecting AlterPartition request for unknown topic ID X8snIzwvRQ2wDuEVgycxrQ."),
    Template("KRC-122", "alter_partition_rejected_unknown_topic", "INFO", "ReplicationControlManager", "3.3.2-3.4.1",
             "[Controller {node_id}] Rejecting AlterPartition request for unknown topic ID {topic_id} or name {topic}.",
             "[Controller 2] Rejecting AlterPartition request for unknown topic ID X8snIzwvRQ2wDuEVgycxrQ or name orders."),
    Template("KRC-123", "alter_partition_rejected_unknown_topic", "INFO", "ReplicationControlManager", "3.5.2-4.0-dev",
             "[QuorumController id={node_id}] Rejecting AlterPartition request for unknown topic ID {topic_id} or name {topic}.",
             "[QuorumController id=2] Rejecting AlterPartition request for unknown topic ID X8snIzwvRQ2wDuEVgycxrQ or name orders."),
    Template("KRC-124", "kraft_assign_dir", "DEBUG", "ReplicationControlManager", "3.7.1-4.3.1",
             "[QuorumController id={node_id}] Broker {broker_id} assigned partition {topic}:{partition} to {dir_state} dir {dir_id}",
             "[QuorumController id=2] Broker 2 assigned partition orders:3 to /var/lib/kafka dir X8snIzwvRQ2wDuEVgycxrQ"),
    Template("KRC-125", "kraft_assign_dirs_rejected", "WARN", "ReplicationControlManager", "3.7.1-4.3.1",
             "[QuorumController id={node_id}] AssignReplicasToDirsRequest from broker {broker_id} references non assigned partition "
             "{topic}-{partition}",
             "[QuorumController id=2] AssignReplicasToDirsRequest from broker 2 references non assigned partition orders-3"),
    Template("KRC-126", "kraft_assign_dirs_rejected", "WARN", "ReplicationControlManager", "3.7.1-4.3.1",
             "[QuorumController id={node_id}] AssignReplicasToDirsRequest from broker {broker_id} references unknown partition "
             "{topic}-{partition}",
             "[QuorumController id=2] AssignReplicasToDirsRequest from broker 2 references unknown partition orders-3"),
    Template("KRC-127", "kraft_assign_dirs_rejected", "WARN", "ReplicationControlManager", "3.7.1-4.3.1",
             "[QuorumController id={node_id}] AssignReplicasToDirsRequest from broker {broker_id} references unknown topic ID {topic_id}",
             "[QuorumController id=2] AssignReplicasToDirsRequest from broker 2 references unknown topic ID X8snIzwvRQ2wDuEVgycxrQ"),
    Template("KRC-128", "kraft_broker_session_timeout", "INFO", "ReplicationControlManager", "2.8.2-3.4.1",
             "[Controller {node_id}] Fencing broker {broker_id} because its session has timed out.",
             "[Controller 2] Fencing broker 1 because its session has timed out."),
    Template("KRC-129", "kraft_broker_session_timeout", "INFO", "ReplicationControlManager", "3.5.2-4.0-dev",
             "[QuorumController id={node_id}] Fencing broker {broker_id} because its session has timed out.",
             "[QuorumController id=2] Fencing broker 1 because its session has timed out."),
    Template("KRC-130", "kraft_create_partitions_error", "ERROR", "ReplicationControlManager", "3.0.2-3.4.1",
             "[Controller {node_id}] Unexpected createPartitions error for {topic}",
             "[Controller 2] Unexpected createPartitions error for orders"),
    Template("KRC-131", "kraft_create_partitions_error", "ERROR", "ReplicationControlManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] Unexpected createPartitions error for {topic}",
             "[QuorumController id=2] Unexpected createPartitions error for orders"),
    Template("KRC-132", "kraft_create_topics_result", "INFO", "ReplicationControlManager", "2.8.2-3.0.2",
             "[Controller {node_id}] createTopics result(s): {results_builder}",
             "[Controller 2] createTopics result(s): results-builder"),
    Template("KRC-133", "kraft_create_topics_result", "INFO", "ReplicationControlManager", "3.1.2-3.4.1",
             "[Controller {node_id}] CreateTopics result(s): {results_builder}",
             "[Controller 2] CreateTopics result(s): CreatableTopic(name='clicks', numPartitions=6, replicationFactor=3, "
             "assignments=[], configs=[]): SUCCESS"),
    Template("KRC-134", "kraft_create_topics_result", "INFO", "ReplicationControlManager", "3.1.2-3.4.1",
             "[Controller {node_id}] Validate-only CreateTopics result(s): {results_builder}",
             "[Controller 2] Validate-only CreateTopics result(s): results-builder"),
    Template("KRC-135", "kraft_create_topics_result", "INFO", "ReplicationControlManager", "3.5.2-4.4.0",
             "[QuorumController id={node_id}] CreateTopics result(s): {results_builder}",
             "[QuorumController id=1] CreateTopics result(s): CreatableTopic(name='clicks', numPartitions=6, replicationFactor=3, "
             "assignments=[], configs=[]): SUCCESS"),
    Template("KRC-136", "kraft_create_topics_result", "INFO", "ReplicationControlManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] Validate-only CreateTopics result(s): {results_builder}",
             "[QuorumController id=2] Validate-only CreateTopics result(s): results-builder"),
    Template("KRC-137", "kraft_delete_topics_error", "ERROR", "ReplicationControlManager", "2.8.2-3.4.1",
             "[Controller {node_id}] Unexpected deleteTopics error for {id}",
             "[Controller 2] Unexpected deleteTopics error for id"),
    Template("KRC-138", "kraft_delete_topics_error", "ERROR", "ReplicationControlManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] Unexpected deleteTopics error for {id}",
             "[QuorumController id=2] Unexpected deleteTopics error for id"),
    Template("KRC-139", "kraft_directories_offline", "WARN", "ReplicationControlManager", "3.7.1-4.4.0",
             "[QuorumController id={node_id}] Directories {new_offline_dirs} in broker {broker_id} marked offline, remaining "
             "directories: {new_online_dirs}",
             "[QuorumController id=2] Directories /var/lib/kafka in broker 2 marked offline, remaining directories: /var/lib/kafka"),
    Template("KRC-140", "kraft_heartbeat_timed_out_queue", "ERROR", "ReplicationControlManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] processExpiredBrokerHeartbeat: controller event queue overloaded. Timed out heartbeat "
             "from broker {broker_id}.",
             "[QuorumController id=2] processExpiredBrokerHeartbeat: controller event queue overloaded. Timed out heartbeat from broker "
             "2."),
    Template("KRC-141", "kraft_imbalance_unknown", "ERROR", "ReplicationControlManager", "3.2.3-3.4.1",
             "[Controller {node_id}] Skipping unknown imbalanced partition {topic_partition}",
             "[Controller 2] Skipping unknown imbalanced partition orders-3"),
    Template("KRC-142", "kraft_imbalance_unknown", "ERROR", "ReplicationControlManager", "3.2.3-3.4.1",
             "[Controller {node_id}] Skipping unknown imbalanced topic {topic_partition}",
             "[Controller 2] Skipping unknown imbalanced topic orders-3"),
    Template("KRC-143", "kraft_imbalance_unknown", "ERROR", "ReplicationControlManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] Skipping unknown imbalanced partition {topic_partition}",
             "[QuorumController id=2] Skipping unknown imbalanced partition orders-3"),
    Template("KRC-144", "kraft_imbalance_unknown", "ERROR", "ReplicationControlManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] Skipping unknown imbalanced topic {topic_partition}",
             "[QuorumController id=2] Skipping unknown imbalanced topic orders-3"),
    Template("KRC-145", "kraft_isr_elr_overlap", "ERROR", "ReplicationControlManager", "3.8.1-4.3.1",
             "[QuorumController id={node_id}] {topic}-{partition} has overlapping ISR={isr} and ELR={elr}",
             "[QuorumController id=2] orders-3 has overlapping ISR=2,3 and ELR=elr"),
    Template("KRC-146", "kraft_leader_isr_updates_detail", "DEBUG", "ReplicationControlManager", "3.0.2-3.4.1",
             "[Controller {node_id}] {context}: changing partition(s): {details}",
             "[Controller 2] context: changing partition(s): details"),
    Template("KRC-147", "kraft_leader_isr_updates_detail", "DEBUG", "ReplicationControlManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] {context}: changing partition(s): {details}",
             "[QuorumController id=2] context: changing partition(s): details"),
    Template("KRC-148", "kraft_leader_isr_updates_summary", "INFO", "ReplicationControlManager", "3.0.2-3.4.1",
             "[Controller {node_id}] {context}: changing {changed_count} partition(s)",
             "[Controller 2] handleBrokerFenced: changing 12 partition(s)"),
    Template("KRC-149", "kraft_leader_isr_updates_summary", "INFO", "ReplicationControlManager", "3.5.2-4.4.0",
             "[QuorumController id={node_id}] {context}: changing {changed_count} partition(s)",
             "[QuorumController id=2] handleBrokerFenced: changing 12 partition(s)"),
    Template("KRC-150", "kraft_min_isr_default_used", "WARN", "ReplicationControlManager", "3.7.1",
             "[QuorumController id={node_id}] Can't find the min isr config for topic: {topic} using default value {default_min_isr}",
             "[QuorumController id=2] Can't find the min isr config for topic: orders using default value default-min-isr"),
    Template("KRC-151", "kraft_min_isr_default_used", "WARN", "ReplicationControlManager", "3.7.1",
             "[QuorumController id={node_id}] Can't find the replication factor for topic: {topic} using default value "
             "{replication_factor}. Error={exception}",
             "[QuorumController id=2] Can't find the replication factor for topic: orders using default value replication-factor. "
             "Error=java.io.IOException: Connection reset"),
    Template("KRC-152", "kraft_partition_change_record", "DEBUG", "ReplicationControlManager", "2.8.2",
             "[Controller {node_id}] Applied ISR change record: {record}",
             "[Controller 2] Applied ISR change record: record"),
    Template("KRC-153", "kraft_partition_change_record", "TRACE", "ReplicationControlManager", "3.0.2-3.4.1",
             "[Controller {node_id}] Replayed partition change {record} for topic {topic}",
             "[Controller 2] Replayed partition change record for topic orders"),
    Template("KRC-154", "kraft_partition_change_record", "DEBUG", "ReplicationControlManager", "3.5.2 3.6.2-4.3.1",
             "[QuorumController id={node_id}] Replayed partition change {record} for topic {topic}",
             "[QuorumController id=2] Replayed partition change record for topic orders"),
    Template("KRC-156", "kraft_partition_changed", "INFO", "ReplicationControlManager", "2.8.2",
             "[Controller {node_id}] Modified partition {topic_id}:{partition}: {diff}.",
             "[Controller 2] Modified partition X8snIzwvRQ2wDuEVgycxrQ:3: diff."),
    Template("KRC-157", "kraft_partition_created", "INFO", "ReplicationControlManager", "2.8.2",
             "[Controller {node_id}] Created partition {topic_id}:{partition} with {partition_control_info}.",
             "[Controller 2] Created partition X8snIzwvRQ2wDuEVgycxrQ:3 with partition-control-info."),
    Template("KRC-158", "kraft_partition_created", "INFO", "ReplicationControlManager", "3.0.2-3.4.1",
             "[Controller {node_id}] Created partition {described_partition} and {partition_registration}.",
             "[Controller 1] Created partition clicks-0 with topic ID Do3iKfgXSDmXTRiX6YmTcw and PartitionRegistration(replicas=[2, 3, "
             "1], isr=[2, 3, 1], removingReplicas=[], addingReplicas=[], leader=2, leaderRecoveryState=RECOVERED, leaderEpoch=0, "
             "partitionEpoch=0)."),
    Template("KRC-159", "kraft_partition_created", "INFO", "ReplicationControlManager", "3.5.2",
             "[QuorumController id={node_id}] Created partition {described_partition} and {partition_registration}.",
             "[QuorumController id=2] Created partition orders-3 with topic ID X8snIzwvRQ2wDuEVgycxrQ and PartitionRegistration(replicas=[1, 2, 3], "
             "directories=[AAAAAAAAAAAAAAAAAAAAAA], isr=[2, 3], removingReplicas=[], addingReplicas=[], elr=[], lastKnownElr=[], "
             "leader=2, leaderRecoveryState=RECOVERED, leaderEpoch=7, partitionEpoch=12)."),
    Template("KRC-160", "kraft_partition_created", "INFO", "ReplicationControlManager", "3.6.2-4.4.0",
             "[QuorumController id={node_id}] Replayed PartitionRecord for new partition {described_partition} and {partition_registration}.",
             "[QuorumController id=1] Replayed PartitionRecord for new partition scratch-0 with topic ID tnCLo3yTSNqsOoUiBzs1yw and "
             "PartitionRegistration(replicas=[2, 3], directories=[w_WPhVyfZtGVSrBlANWPFA, k2IDMHz9kgeqP1NjfEmzYw], isr=[2, 3], "
             "removingReplicas=[], addingReplicas=[], elr=[], lastKnownElr=[], leader=2, leaderRecoveryState=RECOVERED, leaderEpoch=0, "
             "partitionEpoch=0)."),
    Template("KRC-161", "kraft_partition_record_existing", "INFO", "ReplicationControlManager", "3.6.2-4.3.1",
             "[QuorumController id={node_id}] Replayed PartitionRecord for existing partition {described_partition} and "
             "{partition_registration}.",
             "[QuorumController id=2] Replayed PartitionRecord for existing partition orders-3 with topic ID X8snIzwvRQ2wDuEVgycxrQ and "
             "PartitionRegistration(replicas=[1, 2, 3], directories=[AAAAAAAAAAAAAAAAAAAAAA], isr=[2, 3], removingReplicas=[], "
             "addingReplicas=[], elr=[], lastKnownElr=[], leader=2, leaderRecoveryState=RECOVERED, leaderEpoch=7, partitionEpoch=12)."),
    Template("KRC-162", "kraft_reassignment_error", "INFO", "ReplicationControlManager", "3.0.2-3.4.1",
             "[Controller {node_id}] Unable to alter partition reassignment for {topic}:{partition} because of an {exception_class} "
             "error: {error}",
             "[Controller 2] Unable to alter partition reassignment for orders:3 because of an NotControllerException error: "
             "NOT_LEADER_OR_FOLLOWER"),
    Template("KRC-163", "kraft_reassignment_error", "INFO", "ReplicationControlManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] Unable to alter partition reassignment for {topic}:{partition} because of an "
             "{exception_class} error: {error}",
             "[QuorumController id=2] Unable to alter partition reassignment for orders:3 because of an NotControllerException error: "
             "NOT_LEADER_OR_FOLLOWER"),
    Template("KRC-164", "kraft_reassignment_replayed", "INFO", "ReplicationControlManager", "3.0.2-3.4.1",
             "[Controller {node_id}] Replayed partition assignment change {record} for topic {topic}",
             "[Controller 2] Replayed partition assignment change record for topic orders"),
    Template("KRC-165", "kraft_reassignment_replayed", "INFO", "ReplicationControlManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] Replayed partition assignment change {record} for topic {topic}",
             "[QuorumController id=2] Replayed partition assignment change record for topic orders"),
    Template("KRC-166", "kraft_reassignment_result", "INFO", "ReplicationControlManager", "3.0.2-3.4.1",
             "[Controller {node_id}] Successfully altered {successful_alterations} out of {total_alterations} partition reassignment(s).",
             "[Controller 2] Successfully altered successful-alterations out of total-alterations partition reassignment(s)."),
    Template("KRC-167", "kraft_reassignment_result", "INFO", "ReplicationControlManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] Successfully altered {successful_alterations} out of {total_alterations} partition "
             "reassignment(s).",
             "[QuorumController id=2] Successfully altered 6 out of 6 partition reassignment(s)."),
    Template("KRC-168", "kraft_topic_created", "INFO", "ReplicationControlManager", "2.8.2",
             "[Controller {node_id}] Created topic {name} with ID {topic_id}.",
             "[Controller 2] Created topic orders-3 with ID X8snIzwvRQ2wDuEVgycxrQ."),
    Template("KRC-169", "kraft_topic_created", "INFO", "ReplicationControlManager", "3.0.2-3.4.1",
             "[Controller {node_id}] Created topic {name} with topic ID {topic_id}.",
             "[Controller 1] Created topic clicks with topic ID Do3iKfgXSDmXTRiX6YmTcw."),
    Template("KRC-170", "kraft_topic_created", "INFO", "ReplicationControlManager", "3.5.2",
             "[QuorumController id={node_id}] Created topic {name} with topic ID {topic_id}.",
             "[QuorumController id=2] Created topic orders-3 with topic ID X8snIzwvRQ2wDuEVgycxrQ."),
    Template("KRC-171", "kraft_topic_created", "INFO", "ReplicationControlManager", "3.6.2-4.4.0",
             "[QuorumController id={node_id}] Replayed TopicRecord for topic {name} with topic ID {topic_id}.",
             "[QuorumController id=1] Replayed TopicRecord for topic clicks with topic ID 7tk5_asgQwuU_O0BVdWgUA."),
    Template("KRC-172", "kraft_topic_removed", "INFO", "ReplicationControlManager", "2.8.2-3.4.1",
             "[Controller {node_id}] Removed topic {topic} with ID {topic_id}.",
             "[Controller 2] Removed topic orders with ID X8snIzwvRQ2wDuEVgycxrQ."),
    Template("KRC-173", "kraft_topic_removed", "INFO", "ReplicationControlManager", "3.5.2",
             "[QuorumController id={node_id}] Removed topic {topic} with ID {topic_id}.",
             "[QuorumController id=2] Removed topic orders with ID X8snIzwvRQ2wDuEVgycxrQ."),
    Template("KRC-174", "kraft_topic_removed", "INFO", "ReplicationControlManager", "3.6.2-4.3.1",
             "[QuorumController id={node_id}] Replayed RemoveTopicRecord for topic {topic} with ID {topic_id}.",
             "[QuorumController id=1] Replayed RemoveTopicRecord for topic scratch with ID tnCLo3yTSNqsOoUiBzs1yw."),
    Template("KRC-175", "kraft_unclean_election_not_possible", "DEBUG", "ReplicationControlManager", "3.9.0-4.1.1",
             "[QuorumController id={node_id}] Cannot trigger unclean leader election for offline partition {topic}-{partition} because "
             "unclean leader election is disabled for this topic.",
             "[QuorumController id=2] Cannot trigger unclean leader election for offline partition orders-3 because unclean leader "
             "election is disabled for this topic."),
    Template("KRC-176", "kraft_unclean_election_not_possible", "WARN", "ReplicationControlManager", "3.9.0-4.1.1",
             "[QuorumController id={node_id}] Cannot trigger unclean leader election for offline partition {topic}-{partition}: {error}",
             "[QuorumController id=2] Cannot trigger unclean leader election for offline partition orders-3: NOT_LEADER_OR_FOLLOWER"),
    Template("KRC-177", "kraft_unclean_election_triggered", "INFO", "ReplicationControlManager", "3.9.0-4.0-dev 4.0.1-4.1.1",
             "[QuorumController id={node_id}] Triggering unclean leader election for offline partition {topic}-{partition}.",
             "[QuorumController id=2] Triggering unclean leader election for offline partition orders-3."),
    Template("KRC-178", "kraft_partition_changed", "DEBUG", "ReplicationControlManager", "3.0.2-3.4.1",
             "[Controller {node_id}] partition change for {described_partition}: {partition_change}",
             "[Controller 2] partition change for orders-3 with topic ID X8snIzwvRQ2wDuEVgycxrQ: "
             "isr: [1, 2] -> [1], leaderEpoch: 2 -> 3, partitionEpoch: 5 -> 6"),
    Template("KRC-179", "kraft_partition_changed", "DEBUG", "ReplicationControlManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] partition change for {described_partition}: {partition_change}",
             "[QuorumController id=2] partition change for orders-3 with topic ID X8snIzwvRQ2wDuEVgycxrQ: "
             "isr: [1, 2] -> [1], leaderEpoch: 2 -> 3, partitionEpoch: 5 -> 6"),
    Template("KRC-180", "kraft_partition_changed_unclean", "INFO", "ReplicationControlManager", "3.0.2-3.4.1",
             "[Controller {node_id}] UNCLEAN partition change for {described_partition}: {partition_change}",
             "[Controller 2] UNCLEAN partition change for orders-3 with topic ID X8snIzwvRQ2wDuEVgycxrQ: "
             "isr: [1] -> [2], leader: 1 -> 2, leaderRecoveryState: RECOVERED -> RECOVERING, leaderEpoch: 2 -> 3, partitionEpoch: 5 -> 6"),
    Template("KRC-181", "kraft_partition_changed_unclean", "INFO", "ReplicationControlManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] UNCLEAN partition change for {described_partition}: {partition_change}",
             "[QuorumController id=2] UNCLEAN partition change for orders-3 with topic ID X8snIzwvRQ2wDuEVgycxrQ: "
             "isr: [1] -> [2], leader: 1 -> 2, leaderRecoveryState: RECOVERED -> RECOVERING, leaderEpoch: 2 -> 3, partitionEpoch: 5 -> 6"),
    Template("KRC-182", "kraft_isr_empty", "DEBUG", "PartitionChangeBuilder", "3.7.1-4.3.1",
             "A partition will have an empty ISR. {object_text}",
             "A partition will have an empty ISR. object-text"),
    Template("KRC-183", "kraft_last_known_leader_not_electable", "TRACE", "PartitionChangeBuilder", "3.7.1-4.3.1",
             "Try to elect last known leader for {topic_id}-{partition} but ELR/ISR is not empty. ISR={target_isr}, ELR={target_elr}",
             "Try to elect last known leader for X8snIzwvRQ2wDuEVgycxrQ-3 but ELR/ISR is not empty. ISR=target-isr, ELR=target-elr"),
    Template("KRC-184", "kraft_last_known_leader_not_electable", "TRACE", "PartitionChangeBuilder", "3.7.1-4.3.1",
             "Try to elect last known leader for {topic_id}-{partition} but elrEnabled={eligible_leader_replicas_enabled}, "
             "useLastKnownLeaderInBalancedRecovery={use_last_known_leader_in_balanced_recovery}",
             "Try to elect last known leader for X8snIzwvRQ2wDuEVgycxrQ-3 but elrEnabled=eligible-leader-replicas-enabled, "
             "useLastKnownLeaderInBalancedRecovery=use-last-known-leader-in-balanced-recovery"),
    Template("KRC-185", "kraft_last_known_leader_not_electable", "TRACE", "PartitionChangeBuilder", "3.7.1-4.3.1",
             "Try to elect last known leader for {topic_id}-{partition} but last known leader is not alive. last known "
             "leader={last_known_leader}",
             "Try to elect last known leader for X8snIzwvRQ2wDuEVgycxrQ-3 but last known leader is not alive. last known "
             "leader=last-known-leader"),
    Template("KRC-186", "kraft_last_known_leader_not_electable", "TRACE", "PartitionChangeBuilder", "3.7.1-4.3.1",
             "Try to elect last known leader for {topic_id}-{partition} but lastKnownElr does not only have 1 member. "
             "lastKnownElr={last_known_elr}",
             "Try to elect last known leader for X8snIzwvRQ2wDuEVgycxrQ-3 but lastKnownElr does not only have 1 member. "
             "lastKnownElr=last-known-elr"),
    Template("KRC-187", "kraft_leader_not_found", "TRACE", "PartitionChangeBuilder", "3.1.2-3.5.2 3.6.2-4.3.1",
             "Failed to find a new leader with current state: {object_text}",
             "Failed to find a new leader with current state: object-text"),
    Template("KRC-189", "kraft_leader_selected", "DEBUG", "PartitionChangeBuilder", "3.1.2",
             "Setting new leader for topicId {topic_id}, partition {partition} to {best_leader_node}",
             "Setting new leader for topicId X8snIzwvRQ2wDuEVgycxrQ, partition 3 to best-leader-node"),
    Template("KRC-190", "kraft_leader_selected", "DEBUG", "PartitionChangeBuilder", "3.2.3-3.5.2",
             "Setting new leader for topicId {topic_id}, partition {partition} to {election_result_node} using {election_kind} election",
             "Setting new leader for topicId X8snIzwvRQ2wDuEVgycxrQ, partition 3 to election-result-node using election-kind election"),
    Template("KRC-191", "kraft_leader_selected", "TRACE", "PartitionChangeBuilder", "3.6.2-4.3.1",
             "Setting new leader for topicId {topic_id}, partition {partition} to {election_result_node} using a clean election",
             "Setting new leader for topicId X8snIzwvRQ2wDuEVgycxrQ, partition 3 to election-result-node using a clean election"),
    Template("KRC-192", "kraft_leader_selected_elr", "TRACE", "PartitionChangeBuilder", "3.7.1-4.0.1",
             "Setting new leader for topicId {topic_id}, partition {partition} to {election_result_node} using ELR",
             "Setting new leader for topicId X8snIzwvRQ2wDuEVgycxrQ, partition 3 to election-result-node using ELR"),
    Template("KRC-193", "kraft_leader_selected_unclean", "INFO", "PartitionChangeBuilder", "3.6.2-4.0.1",
             "Setting new leader for topicId {topic_id}, partition {partition} to {election_result_node} using an unclean election",
             "Setting new leader for topicId X8snIzwvRQ2wDuEVgycxrQ, partition 3 to election-result-node using an unclean election"),
    Template("KRC-194", "kraft_broker_fenced", "INFO", "ClusterControlManager", "2.8.2-3.2.3",
             "[Controller {node_id}] Fenced broker: {record}",
             "[Controller 2] Fenced broker: record"),
    Template("KRC-195", "kraft_broker_registered", "INFO", "ClusterControlManager", "2.8.2-3.4.1",
             "[Controller {node_id}] Registered new broker: {record}",
             "[Controller 1] Registered new broker: RegisterBrokerRecord(brokerId=1, incarnationId=8EceTrGZS6CxKJ9pNv39ZA, "
             "brokerEpoch=3, endPoints=[BrokerEndpoint(name='PLAINTEXT', host='10.77.0.11', port=9092, securityProtocol=0)], "
             "features=[BrokerFeature(name='metadata.version', minSupportedVersion=1, maxSupportedVersion=7)], rack=null, fenced=true, "
             "inControlledShutdown=false)"),
    Template("KRC-196", "kraft_broker_registered", "INFO", "ClusterControlManager", "3.5.2",
             "[QuorumController id={node_id}] Registered new broker: {record}",
             "[QuorumController id=2] Registered new broker: record"),
    Template("KRC-197", "kraft_broker_registered", "INFO", "ClusterControlManager", "3.6.2-4.4.0",
             "[QuorumController id={node_id}] Replayed initial RegisterBrokerRecord for broker {broker_id}: {record}",
             "[QuorumController id=1] Replayed initial RegisterBrokerRecord for broker 1: RegisterBrokerRecord(brokerId=1, "
             "isMigratingZkBroker=false, incarnationId=371axAhOQ_eIHSnc0APHAg, brokerEpoch=6, "
             "endPoints=[BrokerEndpoint(name='PLAINTEXT', host='10.77.0.11', port=9092, securityProtocol=0)], "
             "features=[BrokerFeature(name='metadata.version', minSupportedVersion=1, maxSupportedVersion=19)], rack=null, fenced=true, "
             "inControlledShutdown=false, logDirs=[_VfjEA--zHdMWDmkOlVelw])"),
    Template("KRC-198", "kraft_broker_registered_new_incarnation", "INFO", "ClusterControlManager", "2.8.2-3.4.1",
             "[Controller {node_id}] Re-registered broker incarnation: {record}",
             "[Controller 2] Re-registered broker incarnation: record"),
    Template("KRC-199", "kraft_broker_registered_new_incarnation", "INFO", "ClusterControlManager", "3.5.2",
             "[QuorumController id={node_id}] Re-registered broker incarnation: {record}",
             "[QuorumController id=2] Re-registered broker incarnation: record"),
    Template("KRC-200", "kraft_broker_registered_new_incarnation", "INFO", "ClusterControlManager", "3.6.2-4.4.0",
             "[QuorumController id={node_id}] Replayed RegisterBrokerRecord establishing a new incarnation of broker {broker_id}: "
             "{record}",
             "[QuorumController id=1] Replayed RegisterBrokerRecord establishing a new incarnation of broker 2: "
             "RegisterBrokerRecord(brokerId=2, isMigratingZkBroker=false, incarnationId=rf6HfTM2Qx-YclRNEF34Yw, brokerEpoch=154, "
             "endPoints=[BrokerEndpoint(name='PLAINTEXT', host='10.77.0.12', port=9092, securityProtocol=0)], "
             "features=[BrokerFeature(name='metadata.version', minSupportedVersion=1, maxSupportedVersion=19)], rack=null, fenced=true, "
             "inControlledShutdown=false, logDirs=[tKQVNFtL7osG0NSNoXGedA])"),
    Template("KRC-201", "kraft_broker_registering", "INFO", "ClusterControlManager", "3.9.0-4.4.0",
             "[QuorumController id={node_id}] No previous registration found for broker {broker_id}. New incarnation ID is "
             "{incarnation_id}.  Generated {num_records_added} record(s) to clean up previous incarnations. New broker epoch is "
             "{new_broker_epoch}.",
             "[QuorumController id=2] No previous registration found for broker 1. New incarnation ID is 1uoHn6ulTWuOdfGWg59_rQ.  "
             "Generated 0 record(s) to clean up previous incarnations. New broker epoch is 6."),
    Template("KRC-202", "kraft_broker_registering_new_incarnation", "INFO", "ClusterControlManager", "3.9.0-4.4.0",
             "[QuorumController id={node_id}] Registering a new incarnation of broker {broker_id}. Previous incarnation ID was "
             "{previous_incarnation_id}; new incarnation ID is {incarnation_id}. Generated {num_records_added} record(s) to clean up "
             "previous incarnations. Broker epoch will become {new_broker_epoch}.",
             "[QuorumController id=3] Registering a new incarnation of broker 1. Previous incarnation ID was TJVj5Fx4Slied-1BmkKaHg; "
             "new incarnation ID is WQRsqBbSTHO0JPIYFbt_SQ. Generated 0 record(s) to clean up previous incarnations. Broker epoch will "
             "become 125."),
    Template("KRC-203", "kraft_broker_registration_amended", "INFO", "ClusterControlManager", "3.7.1-3.8.1",
             "[QuorumController id={node_id}] Amending registration of broker {broker_id}",
             "[QuorumController id=2] Amending registration of broker 2"),
    Template("KRC-204", "kraft_broker_registration_amended", "INFO", "ClusterControlManager", "3.9.0-4.3.1",
             "[QuorumController id={node_id}] Amending registration of broker {broker_id}, incarnation ID {incarnation_id}. Broker "
             "epoch remains {existing_epoch}.",
             "[QuorumController id=2] Amending registration of broker 2, incarnation ID X8snIzwvRQ2wDuEVgycxrQ. Broker epoch remains 4."),
    Template("KRC-205", "kraft_broker_registration_changed", "INFO", "ClusterControlManager", "3.6.2-4.4.0",
             "[QuorumController id={node_id}] Replayed {record_class} modifying the registration for broker {broker_id}: {record}",
             "[QuorumController id=1] Replayed BrokerRegistrationChangeRecord modifying the registration for broker 1: "
             "BrokerRegistrationChangeRecord(brokerId=1, brokerEpoch=6, fenced=1, inControlledShutdown=0, logDirs=[])"),
    Template("KRC-206", "kraft_broker_registration_noop", "INFO", "ClusterControlManager", "3.3.2-3.4.1",
             "[Controller {node_id}] Ignoring no-op registration change for {cur_registration}",
             "[Controller 2] Ignoring no-op registration change for cur-registration"),
    Template("KRC-207", "kraft_broker_registration_noop", "INFO", "ClusterControlManager", "3.5.2-4.4.0",
             "[QuorumController id={node_id}] Ignoring no-op registration change for {cur_registration}",
             "[QuorumController id=2] Ignoring no-op registration change for cur-registration"),
    Template("KRC-208", "kraft_broker_registration_updated", "INFO", "ClusterControlManager", "2.8.2-3.4.1",
             "[Controller {node_id}] Re-registered broker id {broker_id}: {record}",
             "[Controller 2] Re-registered broker id 2: record"),
    Template("KRC-209", "kraft_broker_registration_updated", "INFO", "ClusterControlManager", "3.5.2",
             "[QuorumController id={node_id}] Re-registered broker id {broker_id}: {record}",
             "[QuorumController id=2] Re-registered broker id 2: record"),
    Template("KRC-210", "kraft_broker_registration_updated", "INFO", "ClusterControlManager", "3.6.2-4.3.1",
             "[QuorumController id={node_id}] Replayed RegisterBrokerRecord modifying the registration for broker {broker_id}: {record}",
             "[QuorumController id=2] Replayed RegisterBrokerRecord modifying the registration for broker 2: record"),
    Template("KRC-211", "kraft_broker_unfenced", "INFO", "ClusterControlManager", "2.8.2-3.2.3",
             "[Controller {node_id}] Unfenced broker: {record}",
             "[Controller 2] Unfenced broker: record"),
    Template("KRC-212", "kraft_broker_unknown_feature", "WARN", "ClusterControlManager", "3.3.2-3.4.1",
             "[Controller {node_id}] Broker {broker_id} registered with feature {feature_name} that is unknown to the controller",
             "[Controller 2] Broker 2 registered with feature feature-name that is unknown to the controller"),
    Template("KRC-213", "kraft_broker_unknown_feature", "WARN", "ClusterControlManager", "3.5.2-3.8.1",
             "[QuorumController id={node_id}] Broker {broker_id} registered with feature {feature_name} that is unknown to the "
             "controller",
             "[QuorumController id=2] Broker 2 registered with feature feature-name that is unknown to the controller"),
    Template("KRC-214", "kraft_broker_unregistered", "INFO", "ClusterControlManager", "2.8.2-3.4.1",
             "[Controller {node_id}] Unregistered broker: {record}",
             "[Controller 2] Unregistered broker: record"),
    Template("KRC-215", "kraft_broker_unregistered", "INFO", "ClusterControlManager", "3.5.2",
             "[QuorumController id={node_id}] Unregistered broker: {record}",
             "[QuorumController id=2] Unregistered broker: record"),
    Template("KRC-216", "kraft_broker_unregistered", "INFO", "ClusterControlManager", "3.6.2-4.3.1",
             "[QuorumController id={node_id}] Replayed {record}",
             "[QuorumController id=2] Replayed record"),
    Template("KRC-217", "kraft_controller_registered", "INFO", "ClusterControlManager", "3.7.1-4.0-dev",
             "[QuorumController id={node_id}] Replayed RegisterControllerRecord contaning {new_registration}.{previous_incarnation_text}",
             "[QuorumController id=1] Replayed RegisterControllerRecord contaning ControllerRegistration(id=1, "
             "incarnationId=3pVjnbIvR2e6JHiE-aVzOg, zkMigrationReady=false, listeners=[Endpoint(listenerName='CONTROLLER', "
             "securityProtocol=PLAINTEXT, host='10.77.0.11', port=9093)], supportedFeatures={metadata.version: 1-19})."),
    Template("KRC-218", "kraft_unclean_shutdown_detected", "DEBUG", "ClusterControlManager", "3.7.1-3.8.1",
             "[QuorumController id={node_id}] Received an unclean shutdown request",
             "[QuorumController id=2] Received an unclean shutdown request"),
    Template("KRC-219", "kraft_broker_fence_granted", "INFO", "BrokerHeartbeatManager", "2.8.2-3.4.1",
             "[Controller {node_id}] Unfenced broker {broker_id} has requested and been granted fencing",
             "[Controller 2] Unfenced broker 2 has requested and been granted fencing"),
    Template("KRC-220", "kraft_broker_fence_granted", "INFO", "BrokerHeartbeatManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] Unfenced broker {broker_id} has requested and been granted fencing",
             "[QuorumController id=2] Unfenced broker 2 has requested and been granted fencing"),
    Template("KRC-221", "kraft_broker_unfence_granted", "INFO", "BrokerHeartbeatManager", "2.8.2-3.2.3",
             "[Controller {node_id}] The request from broker {broker_id} to unfence has been granted because it has caught up with the "
             "last committed metadata offset {last_committed_offset}.",
             "[Controller 2] The request from broker 2 to unfence has been granted because it has caught up with the last committed "
             "metadata offset 15."),
    Template("KRC-222", "kraft_broker_unfence_granted", "INFO", "BrokerHeartbeatManager", "3.3.2-3.4.1",
             "[Controller {node_id}] The request from broker {broker_id} to unfence has been granted because it has caught up with the "
             "offset of it's register broker record {register_broker_record_offset}.",
             "[Controller 2] The request from broker 1 to unfence has been granted because it has caught up with the offset of it's "
             "register broker record 3."),
    Template("KRC-223", "kraft_broker_unfence_granted", "INFO", "BrokerHeartbeatManager", "3.5.2-4.4.0",
             "[QuorumController id={node_id}] The request from broker {broker_id} to unfence has been granted because it has caught up "
             "with the offset of its register broker record {register_broker_record_offset}.",
             "[QuorumController id=1] The request from broker 1 to unfence has been granted because it has caught up with the offset of "
             "its register broker record 5."),
    Template("KRC-224", "kraft_broker_unfence_waiting", "DEBUG", "BrokerHeartbeatManager", "2.8.2-3.2.3",
             "[Controller {node_id}] The request from broker {broker_id} to unfence cannot yet be granted because it has not caught up "
             "with the last committed metadata offset {last_committed_offset}. It is still at offset {current_metadata_offset}.",
             "[Controller 2] The request from broker 2 to unfence cannot yet be granted because it has not caught up with the last "
             "committed metadata offset 15. It is still at offset 13."),
    Template("KRC-225", "kraft_broker_unfence_waiting", "DEBUG", "BrokerHeartbeatManager", "3.3.2-3.4.1",
             "[Controller {node_id}] The request from broker {broker_id} to unfence cannot yet be granted because it has not caught up "
             "with the offset of it's register broker record {register_broker_record_offset}. It is still at offset "
             "{current_metadata_offset}.",
             "[Controller 2] The request from broker 2 to unfence cannot yet be granted because it has not caught up with the offset of "
             "it's register broker record 11. It is still at offset 13."),
    Template("KRC-226", "kraft_broker_unfence_waiting", "DEBUG", "BrokerHeartbeatManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] The request from broker {broker_id} to unfence cannot yet be granted because it has not "
             "caught up with the offset of its register broker record {register_broker_record_offset}. It is still at offset "
             "{current_metadata_offset}.",
             "[QuorumController id=2] The request from broker 2 to unfence cannot yet be granted because it has not caught up with the "
             "offset of its register broker record 11. It is still at offset 13."),
    Template("KRC-227", "kraft_controlled_shutdown_granted", "INFO", "BrokerHeartbeatManager", "2.8.2-3.4.1",
             "[Controller {node_id}] Unfenced broker {broker_id} has requested and been granted a controlled shutdown.",
             "[Controller 2] Unfenced broker 2 has requested and been granted a controlled shutdown."),
    Template("KRC-228", "kraft_controlled_shutdown_granted", "INFO", "BrokerHeartbeatManager", "3.5.2-4.4.0",
             "[QuorumController id={node_id}] Unfenced broker {broker_id} has requested and been granted a controlled shutdown.",
             "[QuorumController id=3] Unfenced broker 1 has requested and been granted a controlled shutdown."),
    Template("KRC-229", "kraft_controlled_shutdown_offset", "DEBUG", "BrokerHeartbeatManager", "2.8.2-3.4.1",
             "[Controller {node_id}] Updated the controlled shutdown offset for broker {broker_id} to {controlled_shut_down_offset}.",
             "[Controller 2] Updated the controlled shutdown offset for broker 2 to 15."),
    Template("KRC-230", "kraft_controlled_shutdown_offset", "DEBUG", "BrokerHeartbeatManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] Updated the controlled shutdown offset for broker {broker_id} to "
             "{controlled_shut_down_offset}.",
             "[QuorumController id=2] Updated the controlled shutdown offset for broker 2 to 15."),
    Template("KRC-231", "kraft_controlled_shutdown_waiting", "DEBUG", "BrokerHeartbeatManager", "2.8.2-3.4.1",
             "[Controller {node_id}] Broker {broker_id} is in controlled shutdown state, but can not shut down because more leaders "
             "still need to be moved.",
             "[Controller 2] Broker 2 is in controlled shutdown state, but can not shut down because more leaders still need to be "
             "moved."),
    Template("KRC-232", "kraft_controlled_shutdown_waiting", "DEBUG", "BrokerHeartbeatManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] Broker {broker_id} is in controlled shutdown state, but can not shut down because more "
             "leaders still need to be moved.",
             "[QuorumController id=2] Broker 2 is in controlled shutdown state, but can not shut down because more leaders still need "
             "to be moved."),
    Template("KRC-233", "kraft_shutdown_granted", "INFO", "BrokerHeartbeatManager", "2.8.2-3.4.1",
             "[Controller {node_id}] The request from broker {broker_id} to shut down has been granted since the lowest active offset "
             "{lowest_active_offset} is now greater than the broker's controlled shutdown offset {controlled_shutdown_offset}.",
             "[Controller 2] The request from broker 2 to shut down has been granted since the lowest active offset 4 is now greater "
             "than the broker's controlled shutdown offset 5."),
    Template("KRC-234", "kraft_shutdown_granted", "INFO", "BrokerHeartbeatManager", "3.5.2-4.4.0",
             "[QuorumController id={node_id}] The request from broker {broker_id} to shut down has been granted since the lowest active "
             "offset {lowest_active_offset} is now greater than the broker's controlled shutdown offset {controlled_shutdown_offset}.",
             "[QuorumController id=3] The request from broker 1 to shut down has been granted since the lowest active offset 76 is now "
             "greater than the broker's controlled shutdown offset 74."),
    Template("KRC-235", "kraft_shutdown_granted_immediate", "INFO", "BrokerHeartbeatManager", "2.8.2-3.4.1",
             "[Controller {node_id}] Fenced broker {broker_id} has requested and been granted an immediate shutdown.",
             "[Controller 2] Fenced broker 2 has requested and been granted an immediate shutdown."),
    Template("KRC-236", "kraft_shutdown_granted_immediate", "INFO", "BrokerHeartbeatManager", "2.8.2-3.4.1",
             "[Controller {node_id}] Unfenced broker {broker_id} has requested and been granted an immediate shutdown.",
             "[Controller 2] Unfenced broker 2 has requested and been granted an immediate shutdown."),
    Template("KRC-237", "kraft_shutdown_granted_immediate", "INFO", "BrokerHeartbeatManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] Fenced broker {broker_id} has requested and been granted an immediate shutdown.",
             "[QuorumController id=2] Fenced broker 2 has requested and been granted an immediate shutdown."),
    Template("KRC-238", "kraft_shutdown_granted_immediate", "INFO", "BrokerHeartbeatManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] Unfenced broker {broker_id} has requested and been granted an immediate shutdown.",
             "[QuorumController id=2] Unfenced broker 2 has requested and been granted an immediate shutdown."),
    Template("KRC-239", "kraft_shutdown_not_yet", "DEBUG", "BrokerHeartbeatManager", "2.8.2-3.4.1",
             "[Controller {node_id}] The request from broker {broker_id} to shut down can not yet be granted because the lowest active "
             "offset {lowest_active_offset} is not greater than the broker's shutdown offset {controlled_shutdown_offset}.",
             "[Controller 2] The request from broker 2 to shut down can not yet be granted because the lowest active offset 4 is not "
             "greater than the broker's shutdown offset 5."),
    Template("KRC-240", "kraft_shutdown_not_yet", "DEBUG", "BrokerHeartbeatManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] The request from broker {broker_id} to shut down can not yet be granted because the "
             "lowest active offset {lowest_active_offset} is not greater than the broker's shutdown offset {controlled_shutdown_offset}.",
             "[QuorumController id=2] The request from broker 2 to shut down can not yet be granted because the lowest active offset 4 "
             "is not greater than the broker's shutdown offset 5."),
    Template("KRC-241", "kraft_config_error", "ERROR", "ConfigurationControlManager", "3.3.2-3.4.1",
             "[Controller {node_id}] Unknown server error validating Alter Configs",
             "[Controller 2] Unknown server error validating Alter Configs"),
    Template("KRC-242", "kraft_config_error", "ERROR", "ConfigurationControlManager", "3.5.2-4.3.1",
             "[QuorumController id={node_id}] Unknown server error validating Alter Configs",
             "[QuorumController id=2] Unknown server error validating Alter Configs"),
    Template("KRC-243", "kraft_config_set", "INFO", "ConfigurationControlManager", "2.8.2-3.4.1",
             "[Controller {node_id}] {config_resource}: set configuration {config_name} to {config_value}",
             "[Controller 1] ConfigResource(type=TOPIC, name='orders'): set configuration min.insync.replicas to 2"),
    Template("KRC-244", "kraft_config_set", "INFO", "ConfigurationControlManager", "3.5.2",
             "[QuorumController id={node_id}] {config_resource}: set configuration {config_name} to {config_value}",
             "[QuorumController id=2] config-resource: set configuration config-name to config-value"),
    Template("KRC-245", "kraft_config_set", "INFO", "ConfigurationControlManager", "3.6.2-4.4.0",
             "[QuorumController id={node_id}] Replayed ConfigRecord for {config_resource} which set configuration {config_name} to "
             "{config_value}",
             "[QuorumController id=1] Replayed ConfigRecord for ConfigResource(type=BROKER, name='') which set configuration "
             "min.insync.replicas to 1"),
    Template("KRC-246", "kraft_feature_error", "ERROR", "FeatureControlManager", "3.3.2-3.4.1",
             "[Controller {node_id}] Invalid metadata.version {feature_level}. {reason}",
             "[Controller 2] Invalid metadata.version feature-level. reason"),
    Template("KRC-247", "kraft_feature_error", "ERROR", "FeatureControlManager", "3.3.2-3.4.1",
             "[Controller {node_id}] Invalid update version {feature_level} for feature {feature}. {reason}",
             "[Controller 2] Invalid update version feature-level for feature feature. reason"),
    Template("KRC-248", "kraft_feature_error", "WARN", "FeatureControlManager", "3.5.2-3.6.2 3.7.1-4.3.1",
             "[QuorumController id={node_id}] Invalid metadata.version {feature_level}. {reason}",
             "[QuorumController id=2] Invalid metadata.version feature-level. reason"),
    Template("KRC-249", "kraft_feature_error", "WARN", "FeatureControlManager", "3.5.2-3.6.2 3.7.1-4.3.1",
             "[QuorumController id={node_id}] Invalid update version {feature_level} for feature {feature}. {reason}",
             "[QuorumController id=2] Invalid update version feature-level for feature feature. reason"),
    Template("KRC-252", "kraft_feature_replayed", "INFO", "FeatureControlManager", "3.3.2-3.4.1",
             "[Controller {node_id}] Removing feature {name}",
             "[Controller 2] Removing feature orders-3"),
    Template("KRC-253", "kraft_feature_replayed", "INFO", "FeatureControlManager", "3.3.2-3.4.1",
             "[Controller {node_id}] Setting feature {name} to {feature_level}",
             "[Controller 2] Setting feature orders-3 to feature-level"),
    Template("KRC-254", "kraft_feature_replayed", "INFO", "FeatureControlManager", "3.5.2",
             "[QuorumController id={node_id}] Removing feature {name}",
             "[QuorumController id=2] Removing feature orders-3"),
    Template("KRC-255", "kraft_feature_replayed", "INFO", "FeatureControlManager", "3.5.2",
             "[QuorumController id={node_id}] Setting feature {name} to {feature_level}",
             "[QuorumController id=2] Setting feature orders-3 to feature-level"),
    Template("KRC-256", "kraft_feature_replayed", "INFO", "FeatureControlManager", "3.6.2-4.3.1",
             "[QuorumController id={node_id}] Replayed a FeatureLevelRecord removing feature {name}",
             "[QuorumController id=2] Replayed a FeatureLevelRecord removing feature orders-3"),
    Template("KRC-257", "kraft_feature_replayed", "INFO", "FeatureControlManager", "3.6.2-4.4.0",
             "[QuorumController id={node_id}] Replayed a FeatureLevelRecord setting feature {name} to {feature_level}",
             "[QuorumController id=1] Replayed a FeatureLevelRecord setting feature group.version to 1"),
    Template("KRC-258", "kraft_feature_verified", "INFO", "FeatureControlManager", "3.7.1-4.3.1",
             "[QuorumController id={node_id}] Verified that {num_brokers_checked} broker(s) and {num_controllers_checked} controller(s) "
             "supported changing {feature_name} to feature level {new_version}.{registration_suffix}",
             "[QuorumController id=2] Verified that 11 broker(s) and 16 controller(s) supported changing feature-name to feature level "
             "new-version.registration-suffix"),
    Template("KRC-259", "kraft_metadata_version_change", "INFO", "FeatureControlManager", "3.3.2-3.4.1",
             "[Controller {node_id}] Downgrading metadata.version from {current_version} to {new_version}.",
             "[Controller 2] Downgrading metadata.version from current-version to new-version."),
    Template("KRC-260", "kraft_metadata_version_change", "INFO", "FeatureControlManager", "3.3.2-3.4.1",
             "[Controller {node_id}] Upgrading metadata.version from {current_version} to {new_version}.",
             "[Controller 2] Upgrading metadata.version from current-version to new-version."),
    Template("KRC-261", "kraft_metadata_version_change", "WARN", "FeatureControlManager", "3.5.2-3.6.2 3.7.1-4.3.1",
             "[QuorumController id={node_id}] Downgrading metadata.version from {current_version} to {new_version}.",
             "[QuorumController id=2] Downgrading metadata.version from current-version to new-version."),
    Template("KRC-262", "kraft_metadata_version_change", "WARN", "FeatureControlManager", "3.5.2-3.6.2 3.7.1-4.3.1",
             "[QuorumController id={node_id}] Upgrading metadata.version from {current_version} to {new_version}.",
             "[QuorumController id=2] Upgrading metadata.version from current-version to new-version."),
    Template("KRC-265", "kraft_metadata_version_replayed", "INFO", "FeatureControlManager", "3.3.2-3.4.1",
             "[Controller {node_id}] Setting metadata.version to {feature_level}",
             "[Controller 1] Setting metadata.version to 7"),
    Template("KRC-266", "kraft_metadata_version_replayed", "INFO", "FeatureControlManager", "3.5.2",
             "[QuorumController id={node_id}] Setting metadata version to {metadata_version}",
             "[QuorumController id=2] Setting metadata version to metadata-version"),
    Template("KRC-267", "kraft_metadata_version_replayed", "INFO", "FeatureControlManager", "3.6.2-3.7.1",
             "[QuorumController id={node_id}] Replayed a FeatureLevelRecord setting metadata version to {metadata_version}",
             "[QuorumController id=1] Replayed a FeatureLevelRecord setting metadata version to 3.7-IV4"),
    Template("KRC-268", "kraft_metadata_version_replayed", "INFO", "FeatureControlManager", "3.8.1-4.4.0",
             "[QuorumController id={node_id}] Replayed a FeatureLevelRecord setting metadata.version to {metadata_version}",
             "[QuorumController id=1] Replayed a FeatureLevelRecord setting metadata.version to 3.9-IV0"),
    Template("KRC-269", "kraft_migration_state_replayed", "INFO", "FeatureControlManager", "3.5.2",
             "[QuorumController id={node_id}] Transitioning ZK migration state from {current_state} to {record_state}",
             "[QuorumController id=2] Transitioning ZK migration state from current-state to record-state"),
    Template("KRC-270", "kraft_migration_state_replayed", "INFO", "FeatureControlManager", "3.6.2-4.0-dev",
             "[QuorumController id={node_id}] Replayed a ZkMigrationStateRecord changing the migration state from {previous_state} to "
             "{new_state}.",
             "[QuorumController id=2] Replayed a ZkMigrationStateRecord changing the migration state from previous-state to new-state."),
    Template("KRC-271", "kraft_migration_state_replayed", "DEBUG", "FeatureControlManager", "3.6.2-4.0-dev",
             "[QuorumController id={node_id}] Replayed a ZkMigrationStateRecord which did not alter the state from {previous_state}.",
             "[QuorumController id=2] Replayed a ZkMigrationStateRecord which did not alter the state from previous-state."),
    Template("KRC-272", "kraft_snapshot_load", "INFO", "OffsetControlManager", "3.6.2-4.3.1",
             "[QuorumController id={node_id}] Starting to load snapshot {current_snapshot_name}. Previous lastCommittedOffset was "
             "{last_committed_offset}. Previous transactionStartOffset was {transaction_start_offset}.",
             "[QuorumController id=2] Starting to load snapshot current-snapshot-name. Previous lastCommittedOffset was 15. Previous "
             "transactionStartOffset was 4."),
    Template("KRC-273", "kraft_snapshot_load", "INFO", "OffsetControlManager", "3.6.2-4.3.1",
             "[QuorumController id={node_id}] Successfully loaded snapshot {current_snapshot_name}.",
             "[QuorumController id=2] Successfully loaded snapshot current-snapshot-name."),
    Template("KRC-274", "kraft_transaction_record", "INFO", "OffsetControlManager", "3.6.2-4.4.0",
             "[QuorumController id={node_id}] Replayed {message} at offset {offset}.",
             "[QuorumController id=1] Replayed EndTransactionRecord() at offset 4."),
    Template("KRC-275", "kraft_transaction_record", "INFO", "OffsetControlManager", "3.6.2-4.3.1",
             "[QuorumController id={node_id}] Replayed {message} at offset {offset}. Reverted to offset {pre_transaction_offset}.",
             "[QuorumController id=2] Replayed message at offset 120. Reverted to offset 11."),
    Template("KRC-276", "kraft_feature_missing", "INFO", "QuorumFeatures", "3.3.2-3.6.2",
             "Unable to get feature level information for controller(s): {missing}",
             "Unable to get feature level information for controller(s): missing"),
    Template("KRC-277", "kraft_producer_ids_replayed", "INFO", "ProducerIdControlManager", "3.6.2-4.3.1",
             "[QuorumController id={node_id}] Replaying ProducerIdsRecord {record}",
             "[QuorumController id=2] Replaying ProducerIdsRecord record"),
    Template("KRC-278", "kraft_deferred_queue", "INFO", "ControllerPurgatory", "3.5.2",
             "[QuorumController id={node_id}] failAll({exception_class}): failing {event}.",
             "[QuorumController id=2] failAll(NotControllerException): failing event."),
    Template("KRC-279", "kraft_snapshot", "INFO", "SnapshotGenerator", "3.0.2-3.3.2",
             "[Controller {node_id}] Generated {num_records} record(s) for the {section_name} section of snapshot {snapshot_id}.",
             "[Controller 2] Generated 15 record(s) for the section-name section of snapshot X8snIzwvRQ2wDuEVgycxrQ."),
    Template("KRC-280", "kraft_snapshot", "INFO", "SnapshotGenerator", "3.0.2-3.3.2",
             "[Controller {node_id}] Generating records for the {section_name} section of snapshot {snapshot_id}.",
             "[Controller 2] Generating records for the section-name section of snapshot X8snIzwvRQ2wDuEVgycxrQ."),
    Template("KRC-281", "metadata_snapshot", "INFO", "SnapshotGenerator", "3.4.1",
             "[SnapshotGenerator {node_id}] Creating new KRaft snapshot file {snapshot_name} because {reason}.",
             "[SnapshotGenerator 2] Creating new KRaft snapshot file snapshot-name because reason."),
    Template("KRC-282", "metadata_snapshot", "ERROR", "SnapshotGenerator", "3.4.1",
             "[SnapshotGenerator {node_id}] Not emitting {snapshot_name} despite the fact that {reason} because snapshots are disabled; "
             "{current_disabled_reason}",
             "[SnapshotGenerator 2] Not emitting snapshot-name despite the fact that reason because snapshots are disabled; "
             "current-disabled-reason"),
    Template("KRC-283", "metadata_snapshot", "INFO", "SnapshotGenerator", "3.5.2-4.3.1",
             "[SnapshotGenerator id={node_id}] Creating new KRaft snapshot file {snapshot_name} because {reason}.",
             "[SnapshotGenerator id=2] Creating new KRaft snapshot file snapshot-name because reason."),
    Template("KRC-284", "metadata_snapshot", "ERROR", "SnapshotGenerator", "3.5.2-4.3.1",
             "[SnapshotGenerator id={node_id}] Not emitting {snapshot_name} despite the fact that {reason} because snapshots are "
             "disabled; {current_disabled_reason}",
             "[SnapshotGenerator id=2] Not emitting snapshot-name despite the fact that reason because snapshots are disabled; "
             "current-disabled-reason"),
    Template("KRC-285", "kraft_activation_records", "WARN", "QuorumController", "3.6.2-4.4.0",
             "[QuorumController id={node_id}] Performing controller activation. {activation_text}",
             "[QuorumController id=2] Performing controller activation. Loaded ZK migration state of NONE."),
    Template("KRC-286", "kraft_activation_records", "WARN", "QuorumController", "3.6.2-4.4.0",
             "[QuorumController id={node_id}] Performing controller activation.",
             "[QuorumController id=103] Performing controller activation."),
    Template("KRC-287", "kraft_controller_created", "INFO", "QuorumController", "4.0.1-4.4.0",
             "[QuorumController id={node_id}] Creating new QuorumController with clusterId {cluster_id}",
             "[QuorumController id=1] Creating new QuorumController with clusterId MkU3OEVBNTcwNTJENDM2Qg"),
    Template("KRC-288", "kraft_periodic_task", "INFO", "PeriodicTaskControlManager", "4.0.1-4.4.0",
             "[QuorumController id={node_id}] Registering periodic task {task_name} to run every {period_ms} ms",
             "[QuorumController id=1] Registering periodic task electUnclean to run every 300000 ms"),
    Template("KRC-289", "kraft_periodic_task", "INFO", "PeriodicTaskControlManager", "4.0.1-4.3.1",
             "[QuorumController id={node_id}] Unregistering periodic task {task_name}",
             "[QuorumController id=2] Unregistering periodic task task-name"),
    Template("KRC-290", "kraft_periodic_tasks_activated", "INFO", "PeriodicTaskControlManager", "4.0.1-4.4.0",
             "[QuorumController id={node_id}] Activated periodic tasks: {task_names}",
             "[QuorumController id=3] Activated periodic tasks: electPreferred, electUnclean, expireDelegationTokens, "
             "generatePeriodicPerformanceMessage, maybeFenceStaleBroker, writeNoOpRecord"),
    Template("KRC-291", "kraft_periodic_tasks_deactivated", "INFO", "PeriodicTaskControlManager", "4.0.1-4.4.0",
             "[QuorumController id={node_id}] Deactivated periodic tasks: {task_names}",
             "[QuorumController id=2] Deactivated periodic tasks: task-names"),
    Template("KRC-292", "kraft_periodic_task_run", "DEBUG", "PeriodicTaskControlManager", "4.0.1-4.3.1",
             "[QuorumController id={node_id}] Periodic task {task_name} generated {records_count} records in {elapsed_us} microseconds.",
             "[QuorumController id=2] Periodic task task-name generated 11 records in 10 microseconds."),
    Template("KRC-294", "kraft_event_performance", "INFO", "EventPerformanceMonitor", "4.0.1-4.4.0",
             "[QuorumController id={node_id}] In the last {period_ms} ms period, {events_count} controller events were completed, which "
             "took an average of {average_ms} ms each. The slowest event was {event_name}, which took {slowest_ms} ms.",
             "[QuorumController id=3] In the last 60000 ms period, 396 controller events were completed, which took an average of 10.97 "
             "ms each. The slowest event was writeNoOpRecord(1410185683), which took 124.08 ms."),
    Template("KRC-295", "kraft_event_performance", "INFO", "EventPerformanceMonitor", "4.0.1-4.3.1",
             "[QuorumController id={node_id}] In the last {period_ms} ms period, there were no controller events completed.",
             "[QuorumController id=2] In the last 250 ms period, there were no controller events completed."),
    Template("KRC-296", "kraft_event_slow", "ERROR", "EventPerformanceMonitor", "4.0.1-4.4.0",
             "[QuorumController id={node_id}] Exceptionally slow controller event {event_name} took {elapsed_ms} ms.",
             "[QuorumController id=2] Exceptionally slow controller event event-name took 84 ms."),
    Template("KRC-297", "kraft_broker_session_timeout", "INFO", "ReplicationControlManager", "4.0.1-4.4.0",
             "[QuorumController id={node_id}] Fencing broker {broker_id} at epoch {broker_epoch} because its session has timed out.",
             "[QuorumController id=3] Fencing broker 1 at epoch 12 because its session has timed out."),
    Template("KRC-298", "kraft_heartbeat_tracker", "INFO", "ReplicationControlManager", "4.0.1-4.3.1",
             "[QuorumController id={node_id}] Removing heartbeat tracker entry for unknown broker {broker_id} at epoch {broker_epoch}.",
             "[QuorumController id=2] Removing heartbeat tracker entry for unknown broker 2 at epoch 1201."),
    Template("KRC-299", "kraft_heartbeat_tracker", "INFO", "ReplicationControlManager", "4.0.1-4.3.1",
             "[QuorumController id={node_id}] Removing heartbeat tracker entry for broker {broker_id} at previous epoch {broker_epoch}. "
             "Current epoch is {current_broker_epoch}",
             "[QuorumController id=2] Removing heartbeat tracker entry for broker 2 at previous epoch 1201. Current epoch is 11"),
    Template("KRC-300", "kraft_elr_cleared", "INFO", "ReplicationControlManager", "4.0.1-4.4.0",
             "[QuorumController id={node_id}] Removed ELRs from {partitions_count} partitions of topic {topic}.",
             "[QuorumController id=1] Removed ELRs from 0 partitions of topic orders."),
    Template("KRC-301", "kraft_elr_cleared", "INFO", "ReplicationControlManager", "4.0.1-4.3.1",
             "[QuorumController id={node_id}] Removed ELRs from {partitions_count} partitions in all topics.",
             "[QuorumController id=2] Removed ELRs from 18 partitions in all topics."),
    Template("KRC-302", "kraft_delete_topics_result", "INFO", "ReplicationControlManager", "4.0.1-4.3.1",
             "[QuorumController id={node_id}] DeleteTopics result(s): {results}",
             "[QuorumController id=2] DeleteTopics result(s): results"),
    Template("KRC-303", "alter_partition_rejected_unknown_topic", "INFO", "ReplicationControlManager", "4.0.1-4.3.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request for unknown topic ID {topic_id}.",
             "[QuorumController id=2] Rejecting AlterPartition request for unknown topic ID X8snIzwvRQ2wDuEVgycxrQ."),
    Template("KRC-305", "kraft_unclean_election_triggered", "INFO", "ReplicationControlManager", "4.3.1",
             "[QuorumController id={node_id}] Triggering unclean leader election for offline partition {topic}-{partition}. (isr: "
             "{isr}, replicaSet: {replicas}, partitionEpoch: {partition_epoch}, leaderEpoch: {leader_epoch})",
             "[QuorumController id=2] Triggering unclean leader election for offline partition orders-3. (isr: 2,3, replicaSet: 1,2,3, "
             "partitionEpoch: 12, leaderEpoch: 7)"),
    Template("KRC-306", "kraft_unclean_election_not_possible", "WARN", "ReplicationControlManager", "4.3.1",
             "[QuorumController id={node_id}] Cannot trigger unclean leader election for offline partition {topic}-{partition}: "
             "{error}. (isr: {isr}, replicaSet: {replicas}, partitionEpoch: {partition_epoch}, leaderEpoch: {leader_epoch})",
             "[QuorumController id=2] Cannot trigger unclean leader election for offline partition orders-3: NOT_LEADER_OR_FOLLOWER. "
             "(isr: 2,3, replicaSet: 1,2,3, partitionEpoch: 12, leaderEpoch: 7)"),
    Template("KRC-307", "kraft_unclean_election_not_possible", "DEBUG", "ReplicationControlManager", "4.3.1",
             "[QuorumController id={node_id}] Cannot trigger unclean leader election for offline partition {topic}-{partition} because "
             "unclean leader election is disabled for this topic. (isr: {isr}, replicaSet: {replicas}, partitionEpoch: "
             "{partition_epoch}, leaderEpoch: {leader_epoch})",
             "[QuorumController id=2] Cannot trigger unclean leader election for offline partition orders-3 because unclean leader "
             "election is disabled for this topic. (isr: 2,3, replicaSet: 1,2,3, partitionEpoch: 12, leaderEpoch: 7)"),
    Template("KRC-308", "alter_partition_rejected_leader_epoch", "DEBUG", "ReplicationControlManager", "4.3.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because "
             "the current leader epoch is {current_leader_epoch}, which is lower than the request value {request_leader_epoch}. "
             "Proposed ISR was {proposed_isr} and current ISR is {isr}. Current replica set is {replicas}. Current partitionEpoch is "
             "{partition_epoch}. Current leaderEpoch is {leader_epoch}.",
             "[QuorumController id=2] Rejecting AlterPartition request from node 2 for orders-3 because the current leader epoch is 4, "
             "which is lower than the request value 10. Proposed ISR was proposed-isr and current ISR is 2,3. Current replica set is "
             "1,2,3. Current partitionEpoch is 12. Current leaderEpoch is 7."),
    Template("KRC-309", "alter_partition_rejected_partition_epoch", "DEBUG", "ReplicationControlManager", "4.3.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because "
             "the current partition epoch is {current_partition_epoch}, which is lower than the request value "
             "{request_partition_epoch}. Proposed ISR was {proposed_isr} and current ISR is {isr}. Current replica set is {replicas}. "
             "Current partitionEpoch is {partition_epoch}. Current leaderEpoch is {leader_epoch}.",
             "[QuorumController id=2] Rejecting AlterPartition request from node 2 for orders-3 because the current partition epoch is "
             "12, which is lower than the request value 18. Proposed ISR was proposed-isr and current ISR is 2,3. Current replica set "
             "is 1,2,3. Current partitionEpoch is 12. Current leaderEpoch is 7."),
    Template("KRC-310", "alter_partition_rejected_leader_epoch", "DEBUG", "ReplicationControlManager", "4.3.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because "
             "the current leader epoch is {current_leader_epoch}, not {request_leader_epoch}. Proposed ISR was {proposed_isr} and "
             "current ISR is {isr}. Current replica set is {replicas}. Current partitionEpoch is {partition_epoch}. Current leaderEpoch "
             "is {leader_epoch}.",
             "[QuorumController id=2] Rejecting AlterPartition request from node 2 for orders-3 because the current leader epoch is 4, "
             "not 10. Proposed ISR was proposed-isr and current ISR is 2,3. Current replica set is 1,2,3. Current partitionEpoch is 12. "
             "Current leaderEpoch is 7."),
    Template("KRC-311", "alter_partition_rejected_not_leader", "INFO", "ReplicationControlManager", "4.3.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because "
             "the current leader is {current_leader}. Proposed ISR was {proposed_isr} and current ISR is {isr}. Current replica set is "
             "{replicas}. Current partitionEpoch is {partition_epoch}. Current leaderEpoch is {leader_epoch}.",
             "[QuorumController id=2] Rejecting AlterPartition request from node 2 for orders-3 because the current leader is "
             "current-leader. Proposed ISR was proposed-isr and current ISR is 2,3. Current replica set is 1,2,3. Current "
             "partitionEpoch is 12. Current leaderEpoch is 7."),
    Template("KRC-312", "alter_partition_rejected_partition_epoch", "INFO", "ReplicationControlManager", "4.3.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because "
             "the current partition epoch is {current_partition_epoch}, not {request_partition_epoch}. Proposed ISR was {proposed_isr} "
             "and current ISR is {isr}. Current replica set is {replicas}. Current partitionEpoch is {partition_epoch}. Current "
             "leaderEpoch is {leader_epoch}.",
             "[QuorumController id=2] Rejecting AlterPartition request from node 2 for orders-3 because the current partition epoch is "
             "12, not 18. Proposed ISR was proposed-isr and current ISR is 2,3. Current replica set is 1,2,3. Current partitionEpoch is "
             "12. Current leaderEpoch is 7."),
    Template("KRC-313", "alter_partition_rejected_invalid_isr", "ERROR", "ReplicationControlManager", "4.3.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because it "
             "specified an invalid ISR. Proposed ISR was {proposed_isr} and current ISR is {isr}. Current replica set is {replicas}. "
             "Current partitionEpoch is {partition_epoch}. Current leaderEpoch is {leader_epoch}.",
             "[QuorumController id=2] Rejecting AlterPartition request from node 2 for orders-3 because it specified an invalid ISR. "
             "Proposed ISR was proposed-isr and current ISR is 2,3. Current replica set is 1,2,3. Current partitionEpoch is 12. Current "
             "leaderEpoch is 7."),
    Template("KRC-314", "alter_partition_rejected_invalid_isr", "ERROR", "ReplicationControlManager", "4.3.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because it "
             "specified an invalid ISR that doesn't include itself. Proposed ISR was {proposed_isr} and current ISR is {isr}. Current "
             "replica set is {replicas}. Current partitionEpoch is {partition_epoch}. Current leaderEpoch is {leader_epoch}.",
             "[QuorumController id=2] Rejecting AlterPartition request from node 2 for orders-3 because it specified an invalid ISR "
             "that doesn't include itself. Proposed ISR was proposed-isr and current ISR is 2,3. Current replica set is 1,2,3. Current "
             "partitionEpoch is 12. Current leaderEpoch is 7."),
    Template("KRC-315", "alter_partition_rejected_recovering", "INFO", "ReplicationControlManager", "4.3.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because "
             "the ISR had more than one replica while the leader was still recovering from an unclean leader election "
             "{leader_recovery_state}. Proposed ISR was {proposed_isr} and current ISR is {isr}. Current replica set is {replicas}. "
             "Current partitionEpoch is {partition_epoch}. Current leaderEpoch is {leader_epoch}.",
             "[QuorumController id=2] Rejecting AlterPartition request from node 2 for orders-3 because the ISR had more than one "
             "replica while the leader was still recovering from an unclean leader election leader-recovery-state. Proposed ISR was "
             "proposed-isr and current ISR is 2,3. Current replica set is 1,2,3. Current partitionEpoch is 12. Current leaderEpoch is 7."),
    Template("KRC-316", "alter_partition_rejected_recovery_state", "INFO", "ReplicationControlManager", "4.3.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because "
             "the leader recovery state cannot change from RECOVERED to RECOVERING. Proposed ISR was {proposed_isr} and current ISR is "
             "{isr}. Current replica set is {replicas}. Current partitionEpoch is {partition_epoch}. Current leaderEpoch is "
             "{leader_epoch}.",
             "[QuorumController id=2] Rejecting AlterPartition request from node 2 for orders-3 because the leader recovery state "
             "cannot change from RECOVERED to RECOVERING. Proposed ISR was proposed-isr and current ISR is 2,3. Current replica set is "
             "1,2,3. Current partitionEpoch is 12. Current leaderEpoch is 7."),
    Template("KRC-317", "alter_partition_rejected_ineligible", "INFO", "ReplicationControlManager", "4.3.1",
             "[QuorumController id={node_id}] Rejecting AlterPartition request from node {broker_id} for {topic}-{partition} because it "
             "specified ineligible replicas {ineligible_replicas} in the new ISR. Proposed ISR was {proposed_isr} and current ISR is "
             "{isr}. Current replica set is {replicas}. Current partitionEpoch is {partition_epoch}. Current leaderEpoch is "
             "{leader_epoch}.",
             "[QuorumController id=2] Rejecting AlterPartition request from node 2 for orders-3 because it specified ineligible "
             "replicas 2,3 in the new ISR. Proposed ISR was proposed-isr and current ISR is 2,3. Current replica set is 1,2,3. Current "
             "partitionEpoch is 12. Current leaderEpoch is 7."),
    Template("KRC-318", "alter_partition_isr_updated", "DEBUG", "ReplicationControlManager", "4.3.1",
             "[QuorumController id={node_id}] Node {broker_id} has altered ISR for {topic}-{partition}. isr: {old_isr} -> {isr}, "
             "replicaSet: {old_replicas} -> {replicas}, partitionEpoch: {old_partition_epoch} -> {partition_epoch}, leaderEpoch: "
             "{old_leader_epoch} -> {leader_epoch}",
             "[QuorumController id=2] Node 2 has altered ISR for orders-3. isr: old-isr -> 2,3, replicaSet: 2,3 -> 1,2,3, "
             "partitionEpoch: 19 -> 12, leaderEpoch: 11 -> 7"),
    Template("KRC-319", "alter_partition_completed_reassignment", "INFO", "ReplicationControlManager", "4.3.1",
             "[QuorumController id={node_id}] AlterPartition request from node {broker_id} for {topic}-{partition} completed the "
             "ongoing partition reassignment. isr: {old_isr} -> {isr}, replicaSet: {old_replicas} -> {replicas}, partitionEpoch: "
             "{old_partition_epoch} -> {partition_epoch}, leaderEpoch: {old_leader_epoch} -> {leader_epoch}",
             "[QuorumController id=2] AlterPartition request from node 2 for orders-3 completed the ongoing partition reassignment. "
             "isr: old-isr -> 2,3, replicaSet: 2,3 -> 1,2,3, partitionEpoch: 19 -> 12, leaderEpoch: 11 -> 7"),
    Template("KRC-320", "alter_partition_completed_reassignment_leader_change", "INFO", "ReplicationControlManager", "4.3.1",
             "[QuorumController id={node_id}] AlterPartition request from node {broker_id} for {topic}-{partition} completed the "
             "ongoing partition reassignment and triggered a leadership change isr: {old_isr} -> {isr}, replicaSet: {old_replicas} -> "
             "{replicas}, partitionEpoch: {old_partition_epoch} -> {partition_epoch}, leaderEpoch: {old_leader_epoch} -> "
             "{leader_epoch}. Returning {error}.",
             "[QuorumController id=2] AlterPartition request from node 2 for orders-3 completed the ongoing partition reassignment and "
             "triggered a leadership change isr: old-isr -> 2,3, replicaSet: 2,3 -> 1,2,3, partitionEpoch: 19 -> 12, leaderEpoch: 11 -> "
             "7. Returning NOT_LEADER_OR_FOLLOWER."),
    Template("KRC-321", "kraft_reassignment_replayed", "INFO", "ReplicationControlManager", "4.3.1",
             "[QuorumController id={node_id}] Replayed partition assignment change {record} for topic {topic}. (isr: {old_isr} -> "
             "{isr}, replicaSet: {old_replicas} -> {replicas}, partitionEpoch: {partition_epoch}, leaderEpoch: {leader_epoch})",
             "[QuorumController id=2] Replayed partition assignment change record for topic orders. (isr: old-isr -> 2,3, replicaSet: "
             "2,3 -> 1,2,3, partitionEpoch: 12, leaderEpoch: 7)"),
    Template("KRC-322", "kraft_partition_change_record", "DEBUG", "ReplicationControlManager", "4.3.1",
             "[QuorumController id={node_id}] Replayed partition change {record} for topic {topic}. (isr: {old_isr} -> {isr}, "
             "replicaSet: {old_replicas} -> {replicas}, partitionEpoch: {partition_epoch}, leaderEpoch: {leader_epoch})",
             "[QuorumController id=2] Replayed partition change record for topic orders. (isr: old-isr -> 2,3, replicaSet: 2,3 -> "
             "1,2,3, partitionEpoch: 12, leaderEpoch: 7)"),
    Template("KRC-323", "kraft_leader_selected_elr", "INFO", "PartitionChangeBuilder", "4.1.1-4.3.1",
             "Setting new leader for topicId {topic_id}, partition {partition} to {election_result_node} using ELR. Previous partition: "
             "{partition_registration}, change record: {record}",
             "Setting new leader for topicId X8snIzwvRQ2wDuEVgycxrQ, partition 3 to election-result-node using ELR. Previous partition: "
             "PartitionRegistration(replicas=[1, 2, 3], directories=[AAAAAAAAAAAAAAAAAAAAAA], isr=[2, 3], removingReplicas=[], "
             "addingReplicas=[], elr=[], lastKnownElr=[], leader=2, leaderRecoveryState=RECOVERED, leaderEpoch=7, partitionEpoch=12), "
             "change record: record"),
    Template("KRC-324", "kraft_leader_selected_unclean", "INFO", "PartitionChangeBuilder", "4.1.1-4.3.1",
             "Setting new leader for topicId {topic_id}, partition {partition} to {election_result_node} using an unclean election. "
             "Previous partition: {partition_registration}, change record: {record}",
             "Setting new leader for topicId X8snIzwvRQ2wDuEVgycxrQ, partition 3 to election-result-node using an unclean election. "
             "Previous partition: PartitionRegistration(replicas=[1, 2, 3], directories=[AAAAAAAAAAAAAAAAAAAAAA], isr=[2, 3], "
             "removingReplicas=[], addingReplicas=[], elr=[], lastKnownElr=[], leader=2, leaderRecoveryState=RECOVERED, leaderEpoch=7, "
             "partitionEpoch=12), change record: record"),
    Template("KRC-325", "kraft_controller_registered", "INFO", "ClusterControlManager", "4.0.1-4.4.0",
             "[QuorumController id={node_id}] Replayed RegisterControllerRecord containing "
             "{new_registration}.{previous_incarnation_text}",
             "[QuorumController id=1] Replayed RegisterControllerRecord containing ControllerRegistration(id=1, "
             "incarnationId=rC6wnmphRV6uEK1eMhngkw, zkMigrationReady=false, listeners=[Endpoint(listenerName='CONTROLLER', "
             "securityProtocol=PLAINTEXT, host='10.77.0.11', port=9093)], supportedFeatures={eligible.leader.replicas.version: 0-1, "
             "group.version: 0-1, kraft.version: 0-1, metadata.version: 7-27, share.version: 0-1, transaction.version: 0-2})."),
    Template("KRC-326", "kraft_directories_cordoned", "DEBUG", "ReplicationControlManager", "4.3.1",
             "[QuorumController id={node_id}] Directories {directories} in broker {broker_id} marked cordoned",
             "[QuorumController id=2] Directories /var/lib/kafka in broker 2 marked cordoned"),
    Template("KRC-327", "kraft_config_error", "INFO", "ConfigurationControlManager", "4.3.1",
             "[QuorumController id={node_id}] Skipping unsupported config {config_name} for resource {config_resource} during replay",
             "[QuorumController id=2] Skipping unsupported config config-name for resource config-resource during replay"),
    Template("KRC-328", "kraft_security_record", "INFO", "ClientQuotaControlManager", "3.7.1-4.3.1",
             "[QuorumController id={node_id}] Replayed ClientQuotaRecord for {entity} setting {quota_name} to {value}.",
             "[QuorumController id=2] Replayed ClientQuotaRecord for entity setting quota-name to value."),
    Template("KRC-329", "kraft_security_record", "INFO", "ClientQuotaControlManager", "3.7.1-4.3.1",
             "[QuorumController id={node_id}] Replayed ClientQuotaRecord for {entity} removing {quota_name}.",
             "[QuorumController id=2] Replayed ClientQuotaRecord for entity removing quota-name."),
    Template("KRC-330", "kraft_security_record", "INFO", "ScramControlManager", "3.7.1-4.3.1",
             "[QuorumController id={node_id}] Replayed UserScramCredentialRecord creating new entry for {user} with mechanism "
             "{mechanism}.",
             "[QuorumController id=2] Replayed UserScramCredentialRecord creating new entry for user with mechanism mechanism."),
    Template("KRC-331", "kraft_security_record", "INFO", "ScramControlManager", "3.7.1-4.3.1",
             "[QuorumController id={node_id}] Replayed UserScramCredentialRecord modifying existing entry for {user} with mechanism "
             "{mechanism}.",
             "[QuorumController id=2] Replayed UserScramCredentialRecord modifying existing entry for user with mechanism mechanism."),
    Template("KRC-332", "kraft_security_record", "INFO", "ScramControlManager", "3.7.1-4.3.1",
             "[QuorumController id={node_id}] Replayed RemoveUserScramCredentialRecord for {user} with mechanism {mechanism}.",
             "[QuorumController id=2] Replayed RemoveUserScramCredentialRecord for user with mechanism mechanism."),
    Template("KRC-333", "kraft_security_record", "INFO", "AclControlManager", "3.7.1-4.3.1",
             "[QuorumController id={node_id}] Replayed AccessControlEntryRecord for {acl_id}, setting {acl}",
             "[QuorumController id=2] Replayed AccessControlEntryRecord for X8snIzwvRQ2wDuEVgycxrQ, setting acl"),
    Template("KRC-334", "kraft_security_record", "INFO", "AclControlManager", "3.7.1-4.3.1",
             "[QuorumController id={node_id}] Replayed RemoveAccessControlEntryRecord for {acl_id}, removing {acl}",
             "[QuorumController id=2] Replayed RemoveAccessControlEntryRecord for X8snIzwvRQ2wDuEVgycxrQ, removing acl"),
    Template("KRC-335", "kraft_config_set", "INFO", "ConfigurationControlManager", "4.0.1-4.3.1",
             "[QuorumController id={node_id}] Generating cluster-level {config_name} of {config_value}.",
             "[QuorumController id=101] Generating cluster-level min.insync.replicas of 1."),
    Template("KRC-336", "kraft_config_set", "INFO", "ConfigurationControlManager", "4.0.1-4.3.1",
             "[QuorumController id={node_id}] Generating cluster-level {config_name} of {config_value}. Removing broker-level "
             "{removed_name} for brokers: {broker_ids}.",
             "[QuorumController id=101] Generating cluster-level min.insync.replicas of 2. Removing broker-level min.insync.replicas "
             "for brokers: 1, 2."),
    Template("KRC-337", "kraft_config_set", "INFO", "ConfigurationControlManager", "4.0.1-4.3.1",
             "[QuorumController id={node_id}] Removing broker-level {config_name} for brokers: {broker_ids}.",
             "[QuorumController id=101] Removing broker-level min.insync.replicas for brokers: 1, 2."),
    Template("KRC-338", "kraft_feature_error", "WARN", "FeatureControlManager", "4.3.1-4.4.0",
             "[QuorumController id={node_id}] Unsupported metadata.version downgrade from {current_version} to {feature_level}. {reason}",
             "[QuorumController id=101] Unsupported metadata.version downgrade from 33 to 25. Refusing to perform the requested "
             "downgrade because it might delete metadata information."),
)
