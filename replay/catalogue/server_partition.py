"""What the partition and its ISR requests write to server.log."""

from replay.catalogue.template import Template

TEMPLATES = (
    Template("PRT-001", "follower_leo_recorded", "DEBUG", "Partition", "0.10.2.2",
             "Partition [{topic},{partition}] on broker {broker_id}: Recorded replica {replica_id} log end offset (LEO) position "
             "{log_end_offset} for partition {topic_partition}.",
             "Partition [orders,3] on broker 2: Recorded replica 3 log end offset (LEO) position 120 for partition orders-3."),
    Template("PRT-002", "follower_leo_recorded", "DEBUG", "Partition", "0.11.0.3",
             "Partition [{topic},{partition}] on broker {broker_id}: Recorded replica {replica_id} log end offset (LEO) position "
             "{log_end_offset}.",
             "Partition [orders,3] on broker 2: Recorded replica 3 log end offset (LEO) position 120."),
    Template("PRT-003", "follower_leo_recorded", "DEBUG", "Partition", "1.0.2-2.3.1",
             "[Partition {topic_partition} broker={broker_id}] Recorded replica {replica_id} log end offset (LEO) position "
             "{log_end_offset}.",
             "[Partition orders-3 broker=2] Recorded replica 3 log end offset (LEO) position 120."),
    Template("PRT-004", "follower_leo_recorded", "DEBUG", "Partition", "2.4.1-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] Recorded replica {replica_id} log end offset (LEO) position "
             "{log_end_offset} and log start offset {follower_start_offset}.",
             "[Partition orders-3 broker=2] Recorded replica 3 log end offset (LEO) position 120 and log start offset 11."),
    Template("PRT-005", "follower_log_start_moved", "INFO", "Partition", "1.0.2",
             "[Partition {topic_partition} broker={broker_id}] Unexpected offset in append to {topic_partition}. First offset "
             "{first_offset} is less than log start offset {log_start_offset}. Since this is the first record to be appended to the "
             "follower's log, will start the log from offset {first_offset}.",
             "[Partition orders-3 broker=2] Unexpected offset in append to orders-3. First offset 5 is less than log start offset 16. "
             "Since this is the first record to be appended to the follower's log, will start the log from offset 5."),
    Template("PRT-006", "follower_log_start_moved", "INFO", "Partition", "1.1.1-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] Unexpected offset in append to {topic_partition}. First offset "
             "{first_offset} is less than log start offset {log_start_offset}. Since this is the first record to be appended to the "
             "{replica_name}'s log, will start the log from offset {first_offset}.",
             "[Partition orders-3 broker=2] Unexpected offset in append to orders-3. First offset 5 is less than log start offset 16. "
             "Since this is the first record to be appended to the replica-name's log, will start the log from offset 5."),
    Template("PRT-007", "follower_position_not_recorded", "DEBUG", "Partition", "3.3.2-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] Leader {broker_id} failed to record follower {replica_id}'s position "
             "{fetch_offset}, and last sent high watermark since the replica is not recognized to be one of the assigned replicas "
             "{replicas} for leader epoch {leader_epoch} with partition epoch {partition_epoch}",
             "[Partition orders-3 broker=2] Leader 2 failed to record follower 3's position 9, and last sent high watermark since the "
             "replica is not recognized to be one of the assigned replicas 1,2,3 for leader epoch 7 with partition epoch 12"),
    Template("PRT-013", "future_replica_skip", "INFO", "Partition", "2.4.1-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] Current log directory {current_log_dir} is same as requested log dir "
             "{log_dir}. Skipping future replica creation.",
             "[Partition orders-3 broker=2] Current log directory /var/lib/kafka is same as requested log dir /var/lib/kafka. Skipping "
             "future replica creation."),
    Template("PRT-014", "future_replica_skip", "TRACE", "Partition", "2.4.1-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] {log_kind} already exists.",
             "[Partition orders-3 broker=2] log-kind already exists."),
    Template("PRT-015", "hw_not_advanced", "DEBUG", "Partition", "0.10.2.2",
             "Partition [{topic},{partition}] on broker {broker_id}: Skipping update high watermark since Old hw {old_high_watermark} "
             "is larger than new hw {new_high_watermark} for partition [{topic},{partition}]. All leo's are {all_log_end_offsets}",
             "Partition [orders,3] on broker 2: Skipping update high watermark since Old hw 15 is larger than new hw 9 for partition "
             "[orders,3]. All leo's are all-log-end-offsets"),
    Template("PRT-016", "hw_not_advanced", "DEBUG", "Partition", "0.11.0.3",
             "Partition [{topic},{partition}] on broker {broker_id}: Skipping update high watermark since new hw {new_high_watermark} "
             "is not larger than old hw {old_high_watermark}.All LEOs are {all_log_end_offsets}",
             "Partition [orders,3] on broker 2: Skipping update high watermark since new hw 9 is not larger than old hw 15.All LEOs are "
             "all-log-end-offsets"),
    Template("PRT-017", "hw_not_advanced", "DEBUG", "Partition", "1.0.2-1.1.1",
             "[Partition {topic_partition} broker={broker_id}] Skipping update high watermark since new hw {new_high_watermark} is not "
             "larger than old hw {old_high_watermark}.All LEOs are {all_log_end_offsets}",
             "[Partition orders-3 broker=2] Skipping update high watermark since new hw 9 is not larger than old hw 15.All LEOs are "
             "all-log-end-offsets"),
    Template("PRT-018", "hw_not_advanced", "DEBUG", "Partition", "2.0.1-2.3.1",
             "[Partition {topic_partition} broker={broker_id}] Skipping update high watermark since new hw {new_high_watermark} is not "
             "larger than old hw {old_high_watermark}. All current LEOs are {assigned_replicas}",
             "[Partition orders-3 broker=2] Skipping update high watermark since new hw 9 is not larger than old hw 15. All current "
             "LEOs are 2,3"),
    Template("PRT-019", "hw_not_advanced", "TRACE", "Partition", "2.4.1-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] Skipping update high watermark since new hw {new_high_watermark} is not "
             "larger than old value. All current LEOs are {replica_leos}",
             "[Partition orders-3 broker=2] Skipping update high watermark since new hw (offset=9, segment=[0:812]) is not larger than "
             "old value. All current LEOs are Set(replica 2: (offset=15, segment=[0:1354]), replica 3: (offset=9, segment=[0:812]))"),
    Template("PRT-020", "hw_not_advanced", "TRACE", "Partition", "3.7.1-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] Not increasing HWM because partition is under min ISR(ISR={isr}",
             "[Partition orders-3 broker=2] Not increasing HWM because partition is under min ISR(ISR=2,3"),
    Template("PRT-021", "hw_updated", "DEBUG", "Partition", "0.10.2.2",
             "Partition [{topic},{partition}] on broker {broker_id}: High watermark for partition [{topic},{partition}] updated to "
             "{high_watermark}",
             "Partition [orders,3] on broker 2: High watermark for partition [orders,3] updated to 118"),
    Template("PRT-022", "hw_updated", "DEBUG", "Partition", "0.11.0.3",
             "Partition [{topic},{partition}] on broker {broker_id}: High watermark updated to {high_watermark}",
             "Partition [orders,3] on broker 2: High watermark updated to 118"),
    Template("PRT-023", "hw_updated", "DEBUG", "Partition", "1.0.2-2.3.1",
             "[Partition {topic_partition} broker={broker_id}] High watermark updated to {high_watermark}",
             "[Partition orders-3 broker=2] High watermark updated to 118"),
    Template("PRT-024", "hw_updated", "DEBUG", "Partition", "2.4.1-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] High watermark updated from {previous_high_watermark} to {high_watermark}",
             "[Partition orders-3 broker=2] High watermark updated from 119 to 118"),
    Template("PRT-025", "isr_expand", "INFO", "Partition", "0.10.2.2",
             "Partition [{topic},{partition}] on broker {broker_id}: Expanding ISR for partition {topic_partition} from {old_isr} to "
             "{isr}",
             "Partition [orders,3] on broker 2: Expanding ISR for partition orders-3 from old-isr to 2,3"),
    Template("PRT-026", "isr_expand", "INFO", "Partition", "0.11.0.3",
             "Partition [{topic},{partition}] on broker {broker_id}: Expanding ISR from {old_isr} to {isr}",
             "Partition [orders,3] on broker 2: Expanding ISR from old-isr to 2,3"),
    Template("PRT-027", "isr_expand", "INFO", "Partition", "1.0.2-2.7.2",
             "[Partition {topic_partition} broker={broker_id}] Expanding ISR from {old_isr} to {isr}",
             "[Partition clicks-2 broker=4] Expanding ISR from 4 to 4,1"),
    Template("PRT-028", "isr_shrink", "INFO", "Partition", "0.10.2.2",
             "Partition [{topic},{partition}] on broker {broker_id}: Shrinking ISR for partition [{topic},{partition}] from {old_isr} "
             "to {isr}",
             "Partition [orders,3] on broker 2: Shrinking ISR for partition [orders,3] from old-isr to 2,3"),
    Template("PRT-029", "isr_shrink", "INFO", "Partition", "0.11.0.3",
             "Partition [{topic},{partition}] on broker {broker_id}: Shrinking ISR from {old_isr} to {isr}",
             "Partition [orders,3] on broker 2: Shrinking ISR from old-isr to 2,3"),
    Template("PRT-030", "isr_shrink", "INFO", "Partition", "1.0.2-2.1.1",
             "[Partition {topic_partition} broker={broker_id}] Shrinking ISR from {old_isr} to {isr}",
             "[Partition orders-3 broker=2] Shrinking ISR from old-isr to 2,3"),
    Template("PRT-031", "isr_shrink", "INFO", "Partition", "2.2.2-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] Shrinking ISR from {old_isr} to {isr}. Leader: (highWatermark: "
             "{high_watermark}, endOffset: {log_end_offset}). Out of sync replicas: {out_of_sync_replicas}.",
             "[Partition clicks-0 broker=2] Shrinking ISR from 2,3 to 2. Leader: (highWatermark: 346, endOffset: 347). Out of sync "
             "replicas: (brokerId: 3, endOffset: 346)."),
    Template("PRT-032", "isr_update_enqueue_failed", "WARN", "Partition", "3.0.2",
             "[Partition {topic_partition} broker={broker_id}] Failed to enqueue ISR change state {new_leader_and_isr} for partition "
             "{topic_partition}",
             "[Partition orders-3 broker=2] Failed to enqueue ISR change state new-leader-and-isr for partition orders-3"),
    Template("PRT-033", "isr_update_failure_ignored", "DEBUG", "Partition", "2.7.2-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] Ignoring failed ISR update to {proposed_isr_state} since we have already "
             "updated state to {committed_partition_state}",
             "[Partition orders-3 broker=2] Ignoring failed ISR update to proposed-isr-state since we have already updated state to "
             "committed-partition-state"),
    Template("PRT-034", "isr_update_ignored_older_version", "DEBUG", "Partition", "2.7.2",
             "[Partition {topic_partition} broker={broker_id}] Ignoring ISR from AlterIsr with {leader_and_isr} since we have a newer "
             "version {partition_epoch}.",
             "[Partition orders-3 broker=2] Ignoring ISR from AlterIsr with LeaderAndIsr(leader=2, leaderEpoch=7, isr=List(2, 3), "
             "zkVersion=12) since we have a newer version 12."),
    Template("PRT-035", "isr_update_ignored_older_version", "DEBUG", "Partition", "2.8.2-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] Ignoring new ISR {leader_and_isr} since we have a newer version "
             "{partition_epoch}.",
             "[Partition orders-3 broker=2] Ignoring new ISR LeaderAndIsr(leader=2, leaderEpoch=7, isr=List(2, 3), zkVersion=12) since "
             "we have a newer version 12."),
    Template("PRT-036", "isr_update_ignored_stale_epoch", "DEBUG", "Partition", "2.7.2",
             "[Partition {topic_partition} broker={broker_id}] Ignoring ISR from AlterIsr with {leader_and_isr} since we have a stale "
             "leader epoch {leader_epoch}.",
             "[Partition orders-3 broker=2] Ignoring ISR from AlterIsr with LeaderAndIsr(leader=2, leaderEpoch=7, isr=List(2, 3), "
             "zkVersion=12) since we have a stale leader epoch 7."),
    Template("PRT-037", "isr_update_ignored_stale_epoch", "DEBUG", "Partition", "2.8.2-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] Ignoring new ISR {leader_and_isr} since we have a stale leader epoch "
             "{leader_epoch}.",
             "[Partition orders-3 broker=2] Ignoring new ISR LeaderAndIsr(leader=2, leaderEpoch=7, isr=List(2, 3), zkVersion=12) since "
             "we have a stale leader epoch 7."),
    Template("PRT-038", "isr_update_inflight", "TRACE", "Partition", "2.7.2-3.0.2",
             "[Partition {topic_partition} broker={broker_id}] ISR update in-flight, not adding new in-sync replica "
             "{new_in_sync_replica}",
             "[Partition orders-3 broker=2] ISR update in-flight, not adding new in-sync replica new-in-sync-replica"),
    Template("PRT-039", "isr_update_inflight", "TRACE", "Partition", "2.7.2-3.0.2",
             "[Partition {topic_partition} broker={broker_id}] ISR update in-flight, not removing out-of-sync replicas "
             "{out_of_sync_replicas}",
             "[Partition orders-3 broker=2] ISR update in-flight, not removing out-of-sync replicas 2,3"),
    Template("PRT-040", "isr_update_rejected_fenced_epoch", "DEBUG", "Partition", "2.7.2",
             "[Partition {topic_partition} broker={broker_id}] Controller failed to update ISR to {proposed_isr_state} since we sent an "
             "old leader epoch. Giving up.",
             "[Partition orders-3 broker=2] Controller failed to update ISR to proposed-isr-state since we sent an old leader epoch. "
             "Giving up."),
    Template("PRT-041", "isr_update_rejected_fenced_epoch", "DEBUG", "Partition", "2.8.2-3.0.2",
             "[Partition {topic_partition} broker={broker_id}] Failed to update ISR to {proposed_isr_state} since we sent an old leader "
             "epoch. Giving up.",
             "[Partition orders-3 broker=2] Failed to update ISR to proposed-isr-state since we sent an old leader epoch. Giving up."),
    Template("PRT-042", "isr_update_rejected_fenced_epoch", "DEBUG", "Partition", "3.1.2",
             "[Partition {topic_partition} broker={broker_id}] Failed to update ISR to {proposed_isr_state} since the leader epoch is "
             "old. Giving up.",
             "[Partition orders-3 broker=2] Failed to update ISR to proposed-isr-state since the leader epoch is old. Giving up."),
    Template("PRT-043", "isr_update_rejected_fenced_epoch", "DEBUG", "Partition", "3.2.3",
             "[Partition {topic_partition} broker={broker_id}] Failed to alter partition to {proposed_isr_state} since the leader epoch "
             "is old. Giving up.",
             "[Partition orders-3 broker=2] Failed to alter partition to proposed-isr-state since the leader epoch is old. Giving up."),
    Template("PRT-044", "isr_update_rejected_fenced_epoch", "DEBUG", "Partition", "3.3.2-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] Failed to alter partition to {proposed_isr_state} since the leader epoch "
             "is old. Partition state may be out of sync, awaiting new the latest metadata.",
             "[Partition orders-3 broker=2] Failed to alter partition to proposed-isr-state since the leader epoch is old. Partition "
             "state may be out of sync, awaiting new the latest metadata."),
    Template("PRT-045", "isr_update_rejected_invalid", "DEBUG", "Partition", "3.2.3",
             "[Partition {topic_partition} broker={broker_id}] Failed to alter partition to {proposed_isr_state} because the request is "
             "invalid. Giving up.",
             "[Partition orders-3 broker=2] Failed to alter partition to proposed-isr-state because the request is invalid. Giving up."),
    Template("PRT-046", "isr_update_rejected_invalid", "DEBUG", "Partition", "3.3.2-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] Failed to alter partition to {proposed_isr_state} because the request is "
             "invalid. Partition state may be out of sync, awaiting new the latest metadata.",
             "[Partition orders-3 broker=2] Failed to alter partition to proposed-isr-state because the request is invalid. Partition "
             "state may be out of sync, awaiting new the latest metadata."),
    Template("PRT-047", "isr_update_rejected_reset", "INFO", "Partition", "3.3.2-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] Failed to alter partition to {proposed_isr_state} since the controller "
             "rejected the request with {error}. Partition state has been reset to the latest committed state "
             "{committed_partition_state}.",
             "[Partition orders-2 broker=1] Failed to alter partition to PendingExpandIsr(newInSyncReplicaId=3, "
             "sentLeaderAndIsr=LeaderAndIsr(leader=1, leaderEpoch=1, isr=List(1, 2, 3), leaderRecoveryState=RECOVERED, "
             "partitionEpoch=2), leaderRecoveryState=RECOVERED, lastCommittedState=CommittedPartitionState(isr=Set(1, 2), "
             "leaderRecoveryState=RECOVERED)) since the controller rejected the request with OPERATION_NOT_ATTEMPTED. Partition state "
             "has been reset to the latest committed state CommittedPartitionState(isr=Set(1, 2), leaderRecoveryState=RECOVERED)."),
    Template("PRT-048", "isr_update_rejected_unknown_topic", "DEBUG", "Partition", "2.7.2",
             "[Partition {topic_partition} broker={broker_id}] Controller failed to update ISR to {proposed_isr_state} since it doesn't "
             "know about this topic or partition. Giving up.",
             "[Partition orders-3 broker=2] Controller failed to update ISR to proposed-isr-state since it doesn't know about this "
             "topic or partition. Giving up."),
    Template("PRT-049", "isr_update_rejected_unknown_topic", "DEBUG", "Partition", "2.8.2-3.0.2",
             "[Partition {topic_partition} broker={broker_id}] Failed to update ISR to {proposed_isr_state} since it doesn't know about "
             "this topic or partition. Giving up.",
             "[Partition orders-3 broker=2] Failed to update ISR to proposed-isr-state since it doesn't know about this topic or "
             "partition. Giving up."),
    Template("PRT-050", "isr_update_rejected_unknown_topic", "DEBUG", "Partition", "3.1.2",
             "[Partition {topic_partition} broker={broker_id}] Failed to update ISR to {proposed_isr_state} since the controller "
             "doesn't know about this topic or partition. Giving up.",
             "[Partition orders-3 broker=2] Failed to update ISR to proposed-isr-state since the controller doesn't know about this "
             "topic or partition. Giving up."),
    Template("PRT-051", "isr_update_rejected_unknown_topic", "DEBUG", "Partition", "3.2.3",
             "[Partition {topic_partition} broker={broker_id}] Failed to alter partition to {proposed_isr_state} since the controller "
             "doesn't know about this topic or partition. Giving up.",
             "[Partition orders-3 broker=2] Failed to alter partition to proposed-isr-state since the controller doesn't know about "
             "this topic or partition. Giving up."),
    Template("PRT-052", "isr_update_rejected_unknown_topic", "DEBUG", "Partition", "3.3.2-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] Failed to alter partition to {proposed_isr_state} since the controller "
             "doesn't know about this topic or partition. Partition state may be out of sync, awaiting new the latest metadata.",
             "[Partition orders-3 broker=2] Failed to alter partition to proposed-isr-state since the controller doesn't know about "
             "this topic or partition. Partition state may be out of sync, awaiting new the latest metadata."),
    Template("PRT-053", "isr_update_rejected_unknown_topic", "DEBUG", "Partition", "3.3.2-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] Failed to alter partition to {proposed_isr_state} since the controller "
             "doesn't know about this topic. Partition state may be out of sync, awaiting new the latest metadata.",
             "[Partition orders-3 broker=2] Failed to alter partition to proposed-isr-state since the controller doesn't know about "
             "this topic. Partition state may be out of sync, awaiting new the latest metadata."),
    Template("PRT-054", "isr_update_rejected_version", "DEBUG", "Partition", "2.7.2",
             "[Partition {topic_partition} broker={broker_id}] Controller failed to update ISR to {proposed_isr_state} due to invalid "
             "zk version. Giving up.",
             "[Partition orders-3 broker=2] Controller failed to update ISR to proposed-isr-state due to invalid zk version. Giving up."),
    Template("PRT-055", "isr_update_rejected_version", "DEBUG", "Partition", "2.8.2-3.0.2",
             "[Partition {topic_partition} broker={broker_id}] Failed to update ISR to {proposed_isr_state} due to invalid version. "
             "Giving up.",
             "[Partition orders-3 broker=2] Failed to update ISR to proposed-isr-state due to invalid version. Giving up."),
    Template("PRT-056", "isr_update_rejected_version", "DEBUG", "Partition", "3.1.2",
             "[Partition {topic_partition} broker={broker_id}] Failed to update ISR to {proposed_isr_state} because the version is "
             "invalid. Giving up.",
             "[Partition orders-3 broker=2] Failed to update ISR to proposed-isr-state because the version is invalid. Giving up."),
    Template("PRT-057", "isr_update_rejected_version", "DEBUG", "Partition", "3.2.3",
             "[Partition {topic_partition} broker={broker_id}] Failed to alter partition to {proposed_isr_state} because the partition "
             "epoch is invalid. Giving up.",
             "[Partition orders-3 broker=2] Failed to alter partition to proposed-isr-state because the partition epoch is invalid. "
             "Giving up."),
    Template("PRT-058", "isr_update_rejected_version", "DEBUG", "Partition", "3.3.2-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] Failed to alter partition to {proposed_isr_state} because the partition "
             "epoch is invalid. Partition state may be out of sync, awaiting new the latest metadata.",
             "[Partition orders-3 broker=2] Failed to alter partition to proposed-isr-state because the partition epoch is invalid. "
             "Partition state may be out of sync, awaiting new the latest metadata."),
    Template("PRT-059", "isr_update_replica_removed", "DEBUG", "Partition", "3.3.2-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] The alter partition request successfully updated the partition state to "
             "{proposed_isr_state} but this replica got removed from the replica set while completing a reassignment. Waiting on new "
             "metadata to clean up this replica.",
             "[Partition orders-3 broker=2] The alter partition request successfully updated the partition state to proposed-isr-state "
             "but this replica got removed from the replica set while completing a reassignment. Waiting on new metadata to clean up "
             "this replica."),
    Template("PRT-060", "isr_update_reset_inflight", "DEBUG", "Partition", "3.1.2",
             "[Partition {topic_partition} broker={broker_id}] Failed to update ISR to {proposed_isr_state} since there is a pending "
             "ISR update still inflight. ISR state has been reset to the latest committed state {isr_state}",
             "[Partition orders-3 broker=2] Failed to update ISR to proposed-isr-state since there is a pending ISR update still "
             "inflight. ISR state has been reset to the latest committed state isr-state"),
    Template("PRT-061", "isr_update_reset_inflight", "DEBUG", "Partition", "3.2.3",
             "[Partition {topic_partition} broker={broker_id}] Failed to alter partition to {proposed_isr_state} since there is a "
             "pending AlterPartition still inflight. partition state has been reset to the latest committed state "
             "{committed_partition_state}",
             "[Partition orders-3 broker=2] Failed to alter partition to proposed-isr-state since there is a pending AlterPartition "
             "still inflight. partition state has been reset to the latest committed state committed-partition-state"),
    Template("PRT-062", "isr_update_retry", "WARN", "Partition", "2.7.2",
             "[Partition {topic_partition} broker={broker_id}] Controller failed to update ISR to {proposed_isr_state} due to "
             "unexpected {error}. Retrying.",
             "[Partition orders-3 broker=2] Controller failed to update ISR to proposed-isr-state due to unexpected "
             "NOT_LEADER_OR_FOLLOWER. Retrying."),
    Template("PRT-063", "isr_update_retry", "WARN", "Partition", "2.8.2-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] Failed to update ISR to {proposed_isr_state} due to unexpected {error}. "
             "Retrying.",
             "[Partition orders-3 broker=2] Failed to update ISR to proposed-isr-state due to unexpected NOT_LEADER_OR_FOLLOWER. "
             "Retrying."),
    Template("PRT-064", "isr_update_submitted", "DEBUG", "Partition", "2.7.2",
             "[Partition {topic_partition} broker={broker_id}] Sent `AlterIsr` request to change state to {new_leader_and_isr} after "
             "transition to {proposed_isr_state}",
             "[Partition orders-3 broker=2] Sent `AlterIsr` request to change state to new-leader-and-isr after transition to "
             "proposed-isr-state"),
    Template("PRT-065", "isr_update_submitted", "DEBUG", "Partition", "2.8.2-3.0.2",
             "[Partition {topic_partition} broker={broker_id}] Enqueued ISR change to state {new_leader_and_isr} after transition to "
             "{proposed_isr_state}",
             "[Partition orders-3 broker=2] Enqueued ISR change to state new-leader-and-isr after transition to proposed-isr-state"),
    Template("PRT-066", "isr_update_submitted", "DEBUG", "Partition", "3.1.2-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] Submitting ISR state change {proposed_isr_state}",
             "[Partition orders-3 broker=2] Submitting ISR state change proposed-isr-state"),
    Template("PRT-067", "isr_update_zk_version_conflict", "INFO", "Partition", "0.10.2.2-0.11.0.3",
             "Partition [{topic},{partition}] on broker {broker_id}: Cached zkVersion [{partition_epoch}] not equal to that in "
             "zookeeper, skip updating ISR",
             "Partition [orders,3] on broker 2: Cached zkVersion [12] not equal to that in zookeeper, skip updating ISR"),
    Template("PRT-068", "isr_update_zk_version_conflict", "INFO", "Partition", "1.0.2-2.3.1",
             "[Partition {topic_partition} broker={broker_id}] Cached zkVersion [{partition_epoch}] not equal to that in zookeeper, "
             "skip updating ISR",
             "[Partition orders-3 broker=2] Cached zkVersion [12] not equal to that in zookeeper, skip updating ISR"),
    Template("PRT-069", "isr_update_zk_version_conflict", "INFO", "Partition", "2.4.1-2.7.2",
             "[Partition {topic_partition} broker={broker_id}] Cached zkVersion {partition_epoch} not equal to that in zookeeper, skip "
             "updating ISR",
             "[Partition clicks-1 broker=1] Cached zkVersion 0 not equal to that in zookeeper, skip updating ISR"),
    Template("PRT-070", "isr_updated", "TRACE", "Partition", "0.10.2.2-0.11.0.3",
             "Partition [{topic},{partition}] on broker {broker_id}: ISR updated to [{isr}] and zkVersion updated to [{partition_epoch}]",
             "Partition [orders,3] on broker 2: ISR updated to [2,3] and zkVersion updated to [12]"),
    Template("PRT-071", "isr_updated", "INFO", "Partition", "1.0.2-2.3.1 2.4.1-2.7.2",
             "[Partition {topic_partition} broker={broker_id}] ISR updated to [{isr}] and zkVersion updated to [{partition_epoch}]",
             "[Partition clicks-0 broker=3] ISR updated to [3,2,1] and zkVersion updated to [2]"),
    Template("PRT-073", "isr_updated", "INFO", "Partition", "2.7.2",
             "[Partition {topic_partition} broker={broker_id}] ISR updated from AlterIsr to {isr} and version updated to "
             "[{partition_epoch}]",
             "[Partition orders-3 broker=2] ISR updated from AlterIsr to 2,3 and version updated to [12]"),
    Template("PRT-074", "isr_updated", "INFO", "Partition", "2.8.2-3.0.2",
             "[Partition {topic_partition} broker={broker_id}] ISR updated to {isr} and version updated to [{partition_epoch}]",
             "[Partition clicks-0 broker=2] ISR updated to 2,3 and version updated to [5]"),
    Template("PRT-075", "isr_updated", "INFO", "Partition", "3.1.2-3.4.1",
             "[Partition {topic_partition} broker={broker_id}] ISR updated to {isr} and version updated to {partition_epoch}",
             "[Partition clicks-3 broker=1] ISR updated to 1,3 and version updated to 2"),
    Template("PRT-076", "isr_updated", "INFO", "Partition", "3.5.2-4.4.0",
             "[Partition {topic_partition} broker={broker_id}] ISR updated to {isr} {under_min_isr_flag} and version updated to "
             "{partition_epoch}",
             "[Partition orders-3 broker=2] ISR updated to 2,3 (under-min-isr) and version updated to 12"),
    Template("PRT-077", "lagging_replicas", "DEBUG", "Partition", "0.10.2.2",
             "Partition [{topic},{partition}] on broker {broker_id}: Lagging replicas for partition {topic_partition} are "
             "{lagging_replicas}",
             "Partition [orders,3] on broker 2: Lagging replicas for partition orders-3 are 2,3"),
    Template("PRT-078", "lagging_replicas", "DEBUG", "Partition", "0.11.0.3",
             "Partition [{topic},{partition}] on broker {broker_id}: Lagging replicas are {lagging_replicas}",
             "Partition [orders,3] on broker 2: Lagging replicas are 2,3"),
    Template("PRT-079", "lagging_replicas", "DEBUG", "Partition", "1.0.2-2.3.1",
             "[Partition {topic_partition} broker={broker_id}] Lagging replicas are {lagging_replicas}",
             "[Partition orders-3 broker=2] Lagging replicas are 2,3"),
    Template("PRT-080", "leader_no_local_log", "ERROR", "Partition", "2.1.1-2.3.1",
             "[Partition {topic_partition} broker={broker_id}] Leader does not have a local log",
             "[Partition orders-3 broker=2] Leader does not have a local log"),
    Template("PRT-083", "leader_start", "INFO", "Partition", "0.11.0.3",
             "Partition [{topic},{partition}] on broker {leader_id}: {topic_partition} starts at Leader Epoch {leader_epoch} from "
             "offset {epoch_start_offset}. Previous Leader Epoch was: {previous_leader_epoch}",
             "Partition [orders,3] on broker 2: orders-3 starts at Leader Epoch 7 from offset 120. Previous Leader Epoch was: 7"),
    Template("PRT-084", "leader_start", "INFO", "Partition", "1.0.2-2.3.1",
             "[Partition {topic_partition} broker={leader_id}] {topic_partition} starts at Leader Epoch {leader_epoch} from offset "
             "{epoch_start_offset}. Previous Leader Epoch was: {previous_leader_epoch}",
             "[Partition clicks-0 broker=4] clicks-0 starts at Leader Epoch 1 from offset 0. Previous Leader Epoch was: 0"),
    Template("PRT-085", "leader_start", "INFO", "Partition", "2.4.1-2.5.1",
             "[Partition {topic_partition} broker={leader_id}] {topic_partition} starts at leader epoch {leader_epoch} from offset "
             "{epoch_start_offset} with high watermark {high_watermark}. Previous leader epoch was {previous_leader_epoch}.",
             "[Partition clicks-0 broker=3] clicks-0 starts at leader epoch 0 from offset 0 with high watermark 0. Previous leader "
             "epoch was -1."),
    Template("PRT-092", "log_creation_skipped", "WARN", "Partition", "3.7.1-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] Skipping creation of log because there are potentially offline log "
             "directories and log may already exist there. directoryId={directory_id}, topicId={topic_id}, "
             "targetLogDirectoryId={target_log_directory_id}",
             "[Partition orders-3 broker=2] Skipping creation of log because there are potentially offline log directories and log may "
             "already exist there. directoryId=X8snIzwvRQ2wDuEVgycxrQ, topicId=X8snIzwvRQ2wDuEVgycxrQ, "
             "targetLogDirectoryId=X8snIzwvRQ2wDuEVgycxrQ"),
    Template("PRT-093", "partition_log_delete_error", "FATAL", "Partition", "0.10.2.2-0.11.0.3",
             "Partition [{topic},{partition}] on broker {broker_id}: Error deleting the log for partition {topic_partition}",
             "Partition [orders,3] on broker 2: Error deleting the log for partition orders-3"),
    Template("PRT-094", "partition_log_loaded", "INFO", "Partition", "2.4.1-4.4.0",
             "[Partition {topic_partition} broker={broker_id}] Log loaded for partition {topic_partition} with initial high watermark "
             "{high_watermark}",
             "[Partition clicks-0 broker=1] Log loaded for partition clicks-0 with initial high watermark 0"),
    Template("PRT-095", "partition_no_checkpointed_hw", "INFO", "Partition", "0.10.2.2-0.11.0.3",
             "Partition [{topic},{partition}] on broker {broker_id}: No checkpointed highwatermark is found for partition "
             "{topic_partition}",
             "Partition [orders,3] on broker 2: No checkpointed highwatermark is found for partition orders-3"),
    Template("PRT-096", "partition_no_checkpointed_hw", "INFO", "Partition", "1.0.2-4.4.0",
             "[Partition {topic_partition} broker={broker_id}] No checkpointed highwatermark is found for partition {topic_partition}",
             "[Partition clicks-0 broker=1] No checkpointed highwatermark is found for partition clicks-0"),
    Template("PRT-100", "produce_ack_progress", "TRACE", "Partition", "0.10.2.2",
             "Partition [{topic},{partition}] on broker {broker_id}: Replica {replica_id} of {topic}-{partition} received offset "
             "{required_offset}",
             "Partition [orders,3] on broker 2: Replica 3 of orders-3 received offset 12"),
    Template("PRT-101", "produce_ack_progress", "TRACE", "Partition", "0.10.2.2",
             "Partition [{topic},{partition}] on broker {broker_id}: {num_acks} acks satisfied for {topic}-{partition} with acks = -1",
             "Partition [orders,3] on broker 2: 19 acks satisfied for orders-3 with acks = -1"),
    Template("PRT-102", "produce_ack_progress", "TRACE", "Partition", "0.11.0.3",
             "Partition [{topic},{partition}] on broker {broker_id}: Replica {replica_id} received offset {required_offset}",
             "Partition [orders,3] on broker 2: Replica 3 received offset 12"),
    Template("PRT-103", "produce_ack_progress", "TRACE", "Partition", "0.11.0.3",
             "Partition [{topic},{partition}] on broker {broker_id}: {num_acks} acks satisfied with acks = -1",
             "Partition [orders,3] on broker 2: 19 acks satisfied with acks = -1"),
    Template("PRT-104", "produce_ack_progress", "TRACE", "Partition", "1.0.2-1.1.1",
             "[Partition {topic_partition} broker={broker_id}] Replica {replica_id} received offset {required_offset}",
             "[Partition orders-3 broker=2] Replica 3 received offset 12"),
    Template("PRT-105", "produce_ack_progress", "TRACE", "Partition", "1.0.2-1.1.1",
             "[Partition {topic_partition} broker={broker_id}] {num_acks} acks satisfied with acks = -1",
             "[Partition orders-3 broker=2] 19 acks satisfied with acks = -1"),
    Template("PRT-106", "produce_ack_progress", "TRACE", "Partition", "2.0.1-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] Progress awaiting ISR acks for offset {required_offset}: acked: "
             "{acked_replicas}, awaiting {awaiting_replicas}",
             "[Partition orders-3 broker=2] Progress awaiting ISR acks for offset 12: acked: 2,3, awaiting 2,3"),
    Template("PRT-107", "replica_eligibility_unknown", "WARN", "Partition", "3.6.2-4.3.1",
             "[Partition {topic_partition} broker={broker_id}] The replica state of replica ID:[{follower_replica_id}] doesn't exist in "
             "the leader node. It might because the topic is already deleted.",
             "[Partition orders-3 broker=2] The replica state of replica ID:[19] doesn't exist in the leader node. It might because the "
             "topic is already deleted."),
    Template("PRT-109", "partition_log_loaded", "INFO", "Replica", "0.11.0.3-2.3.1",
             "Replica loaded for partition {topic_partition} with initial high watermark {high_watermark}",
             "Replica loaded for partition clicks-0 with initial high watermark 0"),
    Template("PRT-110", "replica_hw_set", "TRACE", "Replica", "0.10.2.2-2.3.1",
             "Setting high watermark for replica {broker_id} partition {topic_partition} to [{new_high_watermark}]",
             "Setting high watermark for replica 2 partition orders-3 to [9]"),
    Template("PRT-111", "replica_last_sent_hw", "TRACE", "Replica", "2.4.1-2.5.1",
             "Updated HW of replica to {high_watermark}",
             "Updated HW of replica to 118"),
    Template("PRT-112", "replica_leo_set", "TRACE", "Replica", "0.10.2.2-2.3.1",
             "Setting log end offset for replica {broker_id} for partition {topic_partition} to [{log_end_offset_metadata}]",
             "Setting log end offset for replica 2 for partition orders-3 to [log-end-offset-metadata]"),
    Template("PRT-113", "replica_log_start_offset_set", "TRACE", "Replica", "0.11.0.3-2.3.1",
             "Setting log start offset for remote replica {broker_id} for partition {topic_partition} to [{new_log_start_offset}]",
             "Setting log start offset for remote replica 2 for partition orders-3 to [3]"),
    Template("PRT-114", "replica_state_updated", "TRACE", "Replica", "2.4.1-4.3.1",
             "Reset state of replica to {object_text}",
             "Reset state of replica to object-text"),
    Template("PRT-115", "replica_state_updated", "TRACE", "Replica", "2.4.1-2.5.1",
             "Updated state of replica to {object_text}",
             "Updated state of replica to object-text"),
    Template("PRT-116", "alter_partition_bad_recovery_state", "ERROR", "DefaultAlterIsrManager|DefaultAlterPartitionManager", "3.2.3 3.3.2-4.3.1",
             "Controller returned an invalid leader recovery state ({leader_recovery_state}) for {topic_partition}: {partition_response}",
             "Controller returned an invalid leader recovery state (leader-recovery-state) for orders-3: partition-response"),
    Template("PRT-117", "alter_partition_error", "WARN", "AlterIsrManagerImpl|DefaultAlterIsrManager", "2.7.2 2.8.2-3.1.2",
             "Controller returned an unexpected top-level error when handling AlterIsr request: {exception}",
             "Controller returned an unexpected top-level error when handling AlterIsr request: java.io.IOException: Connection reset"),
    Template("PRT-119", "alter_partition_error", "WARN", "DefaultAlterIsrManager|DefaultAlterPartitionManager", "3.2.3 3.3.2-4.3.1",
             "Controller returned an unexpected top-level error when handling AlterPartition request: {exception}",
             "Controller returned an unexpected top-level error when handling AlterPartition request: java.io.IOException: Connection "
             "reset"),
    Template("PRT-120", "alter_partition_handled", "DEBUG", "AlterIsrManagerImpl|DefaultAlterIsrManager", "2.7.2 2.8.2-3.1.2",
             "Controller successfully handled AlterIsr request for {topic_partition}: {partition_response}",
             "Controller successfully handled AlterIsr request for orders-3: partition-response"),
    Template("PRT-122", "alter_partition_handled", "DEBUG", "DefaultAlterIsrManager|DefaultAlterPartitionManager", "3.2.3 3.3.2-4.3.1",
             "Controller successfully handled AlterPartition request for {topic_partition}: {partition_response}",
             "Controller successfully handled AlterPartition request for orders-3: partition-response"),
    Template("PRT-123", "alter_partition_internal", "WARN", "DefaultAlterIsrManager", "2.8.2-3.1.2",
             "Attempting to clear AlterIsr in-flight flag when no apparent request is in-flight",
             "Attempting to clear AlterIsr in-flight flag when no apparent request is in-flight"),
    Template("PRT-124", "alter_partition_internal", "WARN", "DefaultAlterIsrManager|DefaultAlterPartitionManager", "3.2.3 3.3.2-4.3.1",
             "Attempting to clear AlterPartition in-flight flag when no apparent request is in-flight",
             "Attempting to clear AlterPartition in-flight flag when no apparent request is in-flight"),
    Template("PRT-125", "alter_partition_missing_in_response", "WARN", "DefaultAlterPartitionManager|AlterIsrManagerImpl|DefaultAlterIsrManager", "2.7.2 2.8.2-3.2.3 3.3.2-4.3.1",
             "Partition {topic_id_partition} was sent but not included in the response",
             "Partition X8snIzwvRQ2wDuEVgycxrQ:orders-3 was sent but not included in the response"),
    Template("PRT-127", "alter_partition_not_authorized", "ERROR", "AlterIsrManagerImpl|DefaultAlterIsrManager", "2.7.2 2.8.2-3.1.2",
             "Broker is not authorized to send AlterIsr to controller",
             "Broker is not authorized to send AlterIsr to controller"),
    Template("PRT-129", "alter_partition_not_authorized", "ERROR", "DefaultAlterIsrManager|DefaultAlterPartitionManager", "3.2.3 3.3.2-4.3.1",
             "Broker is not authorized to send AlterPartition to controller",
             "Broker is not authorized to send AlterPartition to controller"),
    Template("PRT-130", "alter_partition_response", "DEBUG", "DefaultAlterIsrManager", "2.8.2-3.1.2",
             "Received AlterIsr response {response}",
             "Received AlterIsr response response"),
    Template("PRT-131", "alter_partition_response", "DEBUG", "DefaultAlterIsrManager|DefaultAlterPartitionManager", "3.2.3 3.3.2-4.3.1",
             "Received AlterPartition response {response}",
             "Received AlterPartition response response"),
    Template("PRT-132", "alter_partition_sent", "DEBUG", "AlterIsrManagerImpl|DefaultAlterIsrManager", "2.7.2 2.8.2-3.1.2",
             "Sending AlterIsr to controller {message}",
             "Sending AlterIsr to controller message"),
    Template("PRT-134", "alter_partition_sent", "DEBUG", "DefaultAlterIsrManager|DefaultAlterPartitionManager", "3.2.3 3.3.2-4.3.1",
             "Sending AlterPartition to controller {message}",
             "Sending AlterPartition to controller message"),
    Template("PRT-135", "alter_partition_stale_broker_epoch", "WARN", "AlterIsrManagerImpl|DefaultAlterIsrManager|DefaultAlterPartitionManager", "2.7.2 2.8.2-3.2.3 3.3.2-4.3.1",
             "Broker had a stale broker epoch ({sent_broker_epoch}), retrying.",
             "Broker had a stale broker epoch (63), retrying."),
    Template("PRT-146", "alter_partition_unexpected_topic", "ERROR", "DefaultAlterPartitionManager", "3.3.2-4.0-dev",
             "Received an unexpected topic {topic} in the alter partition response, ignoring it.",
             "Received an unexpected topic orders in the alter partition response, ignoring it."),
    Template("PRT-147", "isr_write_zk_submit", "DEBUG", "ZkAlterPartitionManager|ZkIsrManager", "2.8.2-3.2.3 3.3.2-4.0-dev",
             "Writing new ISR {isr} to ZooKeeper with version {partition_epoch} for partition {topic_id_partition}",
             "Writing new ISR 2,3 to ZooKeeper with version 12 for partition X8snIzwvRQ2wDuEVgycxrQ:orders-3"),
)
