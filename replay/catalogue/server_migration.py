"""What the migration from ZooKeeper to KRaft writes to server.log."""

from replay.catalogue.template import Template

TEMPLATES = (
    Template("MIG-001", "migration_dual_write", "INFO", "KRaftMigrationDriver", "3.4.1",
             "Ignoring {metadata_type} {provenance} which contains metadata that has already been written to ZK.",
             "Ignoring metadata-type provenance which contains metadata that has already been written to ZK."),
    Template("MIG-002", "migration_dual_write", "INFO", "KRaftMigrationDriver", "3.5.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Ignoring {metadata_type} {provenance} which contains metadata that has already been "
             "written to ZK.",
             "[KRaftMigrationDriver id=2] Ignoring metadata-type provenance which contains metadata that has already been written to ZK."),
    Template("MIG-003", "migration_dual_write", "INFO", "KRaftMigrationDriver", "3.5.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Made the following ZK writes when reconciling with KRaft state: {dual_write_counts}",
             "[KRaftMigrationDriver id=2] Made the following ZK writes when reconciling with KRaft state: dual-write-counts"),
    Template("MIG-004", "migration_dual_write", "INFO", "KRaftMigrationDriver", "3.5.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Performing a full metadata sync from KRaft to ZK.",
             "[KRaftMigrationDriver id=2] Performing a full metadata sync from KRaft to ZK."),
    Template("MIG-005", "migration_dual_write", "INFO", "KRaftMigrationDriver", "3.6.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Ignoring image {provenance} which does not contain a superset of the metadata in ZK. "
             "Staying in SYNC_KRAFT_TO_ZK until a newer image is loaded",
             "[KRaftMigrationDriver id=2] Ignoring image provenance which does not contain a superset of the metadata in ZK. Staying in "
             "SYNC_KRAFT_TO_ZK until a newer image is loaded"),
    Template("MIG-006", "migration_dual_write", "INFO", "KRaftMigrationDriver", "3.6.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Ignoring {metadata_type} {provenance} since the migration has not finished.",
             "[KRaftMigrationDriver id=2] Ignoring metadata-type provenance since the migration has not finished."),
    Template("MIG-007", "migration_dual_write", "INFO", "KRaftMigrationDriver", "3.6.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Not sending metadata RPCs with current metadata image since does not contain the "
             "offset that was last written to ZK during the migration. Image offset {offset_and_epoch} is less than migration "
             "leadership state offset {offset_and_epoch_2}",
             "[KRaftMigrationDriver id=2] Not sending metadata RPCs with current metadata image since does not contain the offset that "
             "was last written to ZK during the migration. Image offset offset-and-epoch is less than migration leadership state offset "
             "17"),
    Template("MIG-008", "migration_dual_write", "INFO", "KRaftMigrationDriver", "3.6.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Sending RPCs to broker before moving to dual-write mode using at offset and epoch "
             "{offset_and_epoch}",
             "[KRaftMigrationDriver id=2] Sending RPCs to broker before moving to dual-write mode using at offset and epoch "
             "offset-and-epoch"),
    Template("MIG-009", "migration_dual_write", "INFO", "KRaftMigrationDriver", "3.9.0",
             "[KRaftMigrationDriver id={node_id}] Did not make any ZK writes when reconciling with KRaft state.",
             "[KRaftMigrationDriver id=2] Did not make any ZK writes when reconciling with KRaft state."),
    Template("MIG-010", "migration_error", "ERROR", "KRaftMigrationDriver", "3.4.1",
             "Error transition in migration driver from {migration_state} to {new_state}",
             "Error transition in migration driver from migration-state to new-state"),
    Template("MIG-011", "migration_error", "ERROR", "KRaftMigrationDriver", "3.4.1",
             "Had an exception in {event_class}",
             "Had an exception in event-class"),
    Template("MIG-012", "migration_error", "ERROR", "KRaftMigrationDriver", "3.4.1",
             "Migration driver trying to transition from an unknown state {migration_state}",
             "Migration driver trying to transition from an unknown state migration-state"),
    Template("MIG-013", "migration_error", "INFO", "KRaftMigrationDriver", "3.5.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Encountered ZooKeeper error during event {object_text}. Will retry.",
             "[KRaftMigrationDriver id=2] Encountered ZooKeeper error during event object-text. Will retry."),
    Template("MIG-014", "migration_error", "INFO", "KRaftMigrationDriver", "3.5.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Expected driver state {expected_state} but found {migration_state}. Not running this "
             "event {migration_event}.",
             "[KRaftMigrationDriver id=2] Expected driver state expected-state but found migration-state. Not running this event "
             "migration-event."),
    Template("MIG-015", "migration_error", "ERROR", "KRaftMigrationDriver", "3.5.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] KRaft controller indicates a completed migration, but the migration driver is somehow "
             "active.",
             "[KRaftMigrationDriver id=2] KRaft controller indicates a completed migration, but the migration driver is somehow active."),
    Template("MIG-016", "migration_error", "ERROR", "KRaftMigrationDriver", "3.5.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] KRaft controller indicates an active migration, but the ZK state does not.",
             "[KRaftMigrationDriver id=2] KRaft controller indicates an active migration, but the ZK state does not."),
    Template("MIG-017", "migration_error", "ERROR", "KRaftMigrationDriver", "3.5.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Migration driver trying to transition from an unknown state {migration_state}",
             "[KRaftMigrationDriver id=2] Migration driver trying to transition from an unknown state migration-state"),
    Template("MIG-018", "migration_error", "ERROR", "KRaftMigrationDriver", "3.5.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] The controller's ZkMigrationState is NONE which means this cluster should not be "
             "migrated from ZooKeeper. This controller should not be configured with 'zookeeper.metadata.migration.enable' set to true. "
             "Will not proceed with a migration.",
             "[KRaftMigrationDriver id=2] The controller's ZkMigrationState is NONE which means this cluster should not be migrated "
             "from ZooKeeper. This controller should not be configured with 'zookeeper.metadata.migration.enable' set to true. Will not "
             "proceed with a migration."),
    Template("MIG-019", "migration_error", "INFO", "KRaftMigrationDriver", "3.6.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Unable to claim leadership, will retry until we learn of a different KRaft leader",
             "[KRaftMigrationDriver id=2] Unable to claim leadership, will retry until we learn of a different KRaft leader"),
    Template("MIG-020", "migration_error", "INFO", "KRaftMigrationDriver", "3.9.0",
             "[KRaftMigrationDriver id={node_id}] Current leader epoch is {cur_leader_and_epoch}, but event was created with epoch "
             "{event_leader_and_epoch}. Not running this event {migration_event}.",
             "[KRaftMigrationDriver id=2] Current leader epoch is 16, but event was created with epoch 11. Not running this event "
             "migration-event."),
    Template("MIG-021", "migration_progress", "INFO", "KRaftMigrationDriver", "3.4.1",
             "Completed migration of metadata from Zookeeper to KRaft. A total of {count} metadata records were generated. The current "
             "metadata offset is now {offset} with an epoch of {epoch}. Saw {brokers_in_metadata_count} brokers in the migrated "
             "metadata {brokers_in_metadata}.",
             "Completed migration of metadata from Zookeeper to KRaft. A total of 12 metadata records were generated. The current "
             "metadata offset is now 120 with an epoch of 7. Saw 14 brokers in the migrated metadata 2,3."),
    Template("MIG-022", "migration_progress", "INFO", "KRaftMigrationDriver", "3.4.1",
             "Migrating {batch_count} records from ZK",
             "Migrating 9 records from ZK"),
    Template("MIG-023", "migration_progress", "INFO", "KRaftMigrationDriver", "3.4.1",
             "Starting ZK migration",
             "Starting ZK migration"),
    Template("MIG-024", "migration_progress", "INFO", "KRaftMigrationDriver", "3.5.2",
             "[KRaftMigrationDriver id={node_id}] Completed migration of metadata from Zookeeper to KRaft. A total of {count} metadata "
             "records were generated. The current metadata offset is now {offset} with an epoch of {epoch}. Saw "
             "{brokers_in_metadata_count} brokers in the migrated metadata {brokers_in_metadata}.",
             "[KRaftMigrationDriver id=2] Completed migration of metadata from Zookeeper to KRaft. A total of 12 metadata records were "
             "generated. The current metadata offset is now 120 with an epoch of 7. Saw 14 brokers in the migrated metadata 2,3."),
    Template("MIG-025", "migration_progress", "INFO", "KRaftMigrationDriver", "3.5.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Initial migration of ZK metadata is {maybe_done}.",
             "[KRaftMigrationDriver id=2] Initial migration of ZK metadata is maybe-done."),
    Template("MIG-026", "migration_progress", "INFO", "KRaftMigrationDriver", "3.5.2",
             "[KRaftMigrationDriver id={node_id}] Migrating {batch_count} records from ZK",
             "[KRaftMigrationDriver id=2] Migrating 9 records from ZK"),
    Template("MIG-027", "migration_progress", "INFO", "KRaftMigrationDriver", "3.5.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Starting ZK migration",
             "[KRaftMigrationDriver id=2] Starting ZK migration"),
    Template("MIG-028", "migration_progress", "ERROR", "KRaftMigrationDriver", "3.6.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Aborting the metadata migration from ZooKeeper to KRaft. {partial_manifest}.",
             "[KRaftMigrationDriver id=2] Aborting the metadata migration from ZooKeeper to KRaft. partial-manifest."),
    Template("MIG-029", "migration_progress", "INFO", "KRaftMigrationDriver", "3.6.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Completed migration of metadata from ZooKeeper to KRaft. {manifest}. The current "
             "metadata offset is now {offset} with an epoch of {epoch}. Saw {brokers_in_metadata_count} brokers in the migrated "
             "metadata {brokers_in_metadata}.",
             "[KRaftMigrationDriver id=2] Completed migration of metadata from ZooKeeper to KRaft. manifest. The current metadata "
             "offset is now 120 with an epoch of 7. Saw 14 brokers in the migrated metadata 2,3."),
    Template("MIG-030", "migration_progress", "INFO", "KRaftMigrationDriver", "3.6.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Controller Quorum is ready for Zk to KRaft migration. Now waiting for ZK brokers.",
             "[KRaftMigrationDriver id=2] Controller Quorum is ready for Zk to KRaft migration. Now waiting for ZK brokers."),
    Template("MIG-031", "migration_progress", "ERROR", "KRaftMigrationDriver", "3.6.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Could not start the migration",
             "[KRaftMigrationDriver id=2] Could not start the migration"),
    Template("MIG-032", "migration_progress", "INFO", "KRaftMigrationDriver", "3.6.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Migration is in already progress, not waiting on ZK brokers.",
             "[KRaftMigrationDriver id=2] Migration is in already progress, not waiting on ZK brokers."),
    Template("MIG-033", "migration_progress", "INFO", "KRaftMigrationDriver", "3.6.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Zk brokers are registered and ready for migration",
             "[KRaftMigrationDriver id=2] Zk brokers are registered and ready for migration"),
    Template("MIG-034", "migration_state", "INFO", "KRaftMigrationDriver", "3.4.1",
             "Recovered migration state {migration_leadership_state}. ZK migration is {maybe_done}.",
             "Recovered migration state migration-leadership-state. ZK migration is maybe-done."),
    Template("MIG-035", "migration_state", "INFO", "KRaftMigrationDriver", "3.4.1",
             "Recovering migration state",
             "Recovering migration state"),
    Template("MIG-036", "migration_state", "TRACE", "KRaftMigrationDriver", "3.4.1",
             "{step} transitioned from {before_state} to {after_state}",
             "Became active migration driver transitioned from ZkMigrationLeadershipState{kraftControllerId=-1, kraftControllerEpoch=-1} to "
             "ZkMigrationLeadershipState{kraftControllerId=11, kraftControllerEpoch=2}"),
    Template("MIG-037", "migration_state", "TRACE", "KRaftMigrationDriver", "3.4.1",
             "{node_id} transitioning from {from_state} to {new_state} state",
             "2 transitioning from OnlinePartition to new-state state"),
    Template("MIG-039", "migration_state", "TRACE", "KRaftMigrationDriver", "3.5.2-3.8.1",
             "[KRaftMigrationDriver id={node_id}] {step}. Transitioned migration state from {before_state} to {after_state}",
             "[KRaftMigrationDriver id=11] Became active migration driver. Transitioned migration state from "
             "ZkMigrationLeadershipState{kraftControllerId=-1, kraftControllerEpoch=-1} to ZkMigrationLeadershipState{kraftControllerId=11, "
             "kraftControllerEpoch=2}"),
    Template("MIG-041", "migration_state", "INFO", "KRaftMigrationDriver", "3.5.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] {node_id} transitioning from {from_state} to {new_state} state",
             "[KRaftMigrationDriver id=11] 11 transitioning from WAIT_FOR_BROKERS to BECOME_CONTROLLER state"),
    Template("MIG-044", "migration_state", "INFO", "KRaftMigrationDriver", "3.9.0",
             "[KRaftMigrationDriver id={node_id}] {step} in {duration_ns} ns. Transitioned migration state from {before_state} to "
             "{after_state}",
             "[KRaftMigrationDriver id=11] Became inactive migration driver in 22121 ns. Transitioned migration state from "
             "ZkMigrationLeadershipState{kraftControllerId=11, kraftControllerEpoch=2, kraftMetadataOffset=292, kraftMetadataEpoch=2, "
             "lastUpdatedTimeMs=1795365134476, migrationZkVersion=195, controllerZkEpoch=4, controllerZkVersion=4} to "
             "ZkMigrationLeadershipState{kraftControllerId=-1, kraftControllerEpoch=3, kraftMetadataOffset=292, kraftMetadataEpoch=2, "
             "lastUpdatedTimeMs=1795365134476, migrationZkVersion=195, controllerZkEpoch=-1, controllerZkVersion=-2}"),
    Template("MIG-045", "migration_waiting", "INFO", "KRaftMigrationDriver", "3.4.1",
             "Still waiting for ZK brokers {zk_registered_zk_brokers} to register with KRaft.",
             "Still waiting for ZK brokers 2,3 to register with KRaft."),
    Template("MIG-046", "migration_waiting", "INFO", "KRaftMigrationDriver", "3.4.1",
             "Waiting for initial metadata publish before checking if Zk brokers are registered.",
             "Waiting for initial metadata publish before checking if Zk brokers are registered."),
    Template("MIG-047", "migration_waiting", "INFO", "KRaftMigrationDriver", "3.5.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] No brokers are known to KRaft, waiting for brokers to register.",
             "[KRaftMigrationDriver id=2] No brokers are known to KRaft, waiting for brokers to register."),
    Template("MIG-048", "migration_waiting", "INFO", "KRaftMigrationDriver", "3.5.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] No brokers are registered in ZK, waiting for brokers to register.",
             "[KRaftMigrationDriver id=2] No brokers are registered in ZK, waiting for brokers to register."),
    Template("MIG-049", "migration_waiting", "INFO", "KRaftMigrationDriver", "3.5.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Still waiting for ZK brokers {zk_broker_registrations} to register with KRaft.",
             "[KRaftMigrationDriver id=2] Still waiting for ZK brokers zk-broker-registrations to register with KRaft."),
    Template("MIG-050", "migration_waiting", "INFO", "KRaftMigrationDriver", "3.5.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Still waiting for ZK brokers {zk_brokers_with_assignments} found in metadata to "
             "register with KRaft.",
             "[KRaftMigrationDriver id=2] Still waiting for ZK brokers 2,3 found in metadata to register with KRaft."),
    Template("MIG-051", "migration_waiting", "INFO", "KRaftMigrationDriver", "3.5.2",
             "[KRaftMigrationDriver id={node_id}] Still waiting for all controller nodes ready to begin the migration. due "
             "to:{not_ready_msg}",
             "[KRaftMigrationDriver id=2] Still waiting for all controller nodes ready to begin the migration. due to:not-ready-msg"),
    Template("MIG-052", "migration_waiting", "INFO", "KRaftMigrationDriver", "3.5.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Waiting for initial metadata publish before checking if Zk brokers are registered.",
             "[KRaftMigrationDriver id=2] Waiting for initial metadata publish before checking if Zk brokers are registered."),
    Template("MIG-053", "migration_waiting", "WARN", "KRaftMigrationDriver", "3.6.2-3.9.0",
             "[KRaftMigrationDriver id={node_id}] Still waiting for all controller nodes ready to begin the migration. Not ready due "
             "to:{not_ready_msg}",
             "[KRaftMigrationDriver id=2] Still waiting for all controller nodes ready to begin the migration. Not ready due "
             "to:not-ready-msg"),
    Template("MIG-060", "migration_missing_partition_state", "WARN", "ZkMigrationClient|ZkTopicMigrationClient", "3.4.1 3.5.2-3.9.0",
             "Could not find partition state in ZK for {topic_partition}. Initializing this partition with ISR={{replica_list}} and "
             "leaderEpoch=0.",
             "Could not find partition state in ZK for orders-3. Initializing this partition with ISR={replica-list} and leaderEpoch=0."),
    Template("MIG-061", "migration_zk_error", "ERROR", "ZkMigrationClient", "3.5.2-3.9.0",
             "{text}",
             "Migration failed on topic orders"),
    Template("MIG-063", "migration_pending_deletions", "WARN", "ZkTopicMigrationClient", "3.6.2-3.9.0",
             "Found {topic_deletions_count} pending topic deletions. These will be not migrated to KRaft. After the migration, the "
             "brokers will reconcile their logs with these pending topic deletions.",
             "Found 12 pending topic deletions. These will be not migrated to KRaft. After the migration, the brokers will reconcile "
             "their logs with these pending topic deletions."),
    Template("MIG-064", "migration_pending_deletions", "INFO", "ZkTopicMigrationClient", "3.6.2-3.9.0",
             "Not migrating pending deleted topic: {deletion}",
             "Not migrating pending deleted topic: deletion"),
)
