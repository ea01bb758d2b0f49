"""What every broker and controller writes to state-change.log: leader epochs, ISRs and the requests that carry them."""

from replay.catalogue.template import Template

TEMPLATES = (
    Template("MDC-001", "broker_metadata_cached", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} cached leader info {partition_state} for partition {topic_partition} in response to UpdateMetadata "
             "request sent by controller {controller_id} epoch {controller_epoch} with correlation id {correlation_id}",
             "Broker 2 cached leader info LeaderAndIsrPartitionState(topicName='orders', partitionIndex=3, controllerEpoch=4, leader=2, "
             "leaderEpoch=7, isr=[2, 3], partitionEpoch=12, replicas=[1, 2, 3], addingReplicas=[], removingReplicas=[], isNew=false, "
             "leaderRecoveryState=0) for partition orders-3 in response to UpdateMetadata request sent by controller 1 epoch 4 with "
             "correlation id 5"),
    Template("MDC-002", "broker_metadata_cached", "TRACE", "state.change.logger", "1.0.2-2.8.2 3.0.2-4.0-dev",
             "[Broker id={broker_id}] Cached leader info {partition_state} for partition {topic_partition} in response to "
             "UpdateMetadata request sent by controller {controller_id} epoch {controller_epoch} with correlation id {correlation_id}",
             "[Broker id=1] Cached leader info PartitionState(controllerEpoch=1, leader=3, leaderEpoch=2, isr=[3], zkVersion=2, "
             "replicas=[1, 2, 3], offlineReplicas=[]) for partition clicks-3 in response to UpdateMetadata request sent by controller 3 "
             "epoch 1 with correlation id 0"),
    Template("MDC-003", "broker_metadata_partition_deleted", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} deleted partition {topic_partition} from metadata cache in response to UpdateMetadata request sent by "
             "controller {controller_id} epoch {controller_epoch} with correlation id {correlation_id}",
             "Broker 2 deleted partition orders-3 from metadata cache in response to UpdateMetadata request sent by controller 1 epoch "
             "4 with correlation id 5"),
    Template("MDC-004", "broker_metadata_partition_deleted", "TRACE", "state.change.logger", "1.0.2-2.8.2 3.0.2-4.0-dev",
             "[Broker id={broker_id}] Deleted partition {topic_partition} from metadata cache in response to UpdateMetadata request "
             "sent by controller {controller_id} epoch {controller_epoch} with correlation id {correlation_id}",
             "[Broker id=2] Deleted partition orders-3 from metadata cache in response to UpdateMetadata request sent by controller 1 "
             "epoch 4 with correlation id 5"),
    Template("MDC-019", "broker_metadata_full_update", "ERROR", "state.change.logger", "3.6.2-4.0-dev",
             "[Broker id={broker_id}] Error: topic {topic} appeared in currentMetadata.topicNames, but not in "
             "currentMetadata.partitionStates.",
             "[Broker id=2] Error: topic orders appeared in currentMetadata.topicNames, but not in currentMetadata.partitionStates."),
    Template("MDC-020", "broker_metadata_full_update", "ERROR", "state.change.logger", "3.6.2-4.0-dev",
             "[Broker id={broker_id}] Error: {exception}",
             "[Broker id=2] Error: java.io.IOException: Connection reset"),
    Template("MDC-021", "broker_metadata_full_update", "ERROR", "state.change.logger", "3.6.2-4.0-dev",
             "[Broker id={broker_id}] Received UpdateMetadataRequest with Type=FULL (2), but ZK migrations are not enabled on this "
             "broker. Not treating this as a full metadata update",
             "[Broker id=2] Received UpdateMetadataRequest with Type=FULL (2), but ZK migrations are not enabled on this broker. Not "
             "treating this as a full metadata update"),
    Template("MDC-022", "broker_metadata_full_update", "ERROR", "state.change.logger", "3.6.2-4.0-dev",
             "[Broker id={broker_id}] Received UpdateMetadataRequest with Type=FULL (2), but version of "
             "{update_metadata_request_version}, which should not be possible. Not treating this as a full metadata update",
             "[Broker id=2] Received UpdateMetadataRequest with Type=FULL (2), but version of update-metadata-request-version, which "
             "should not be possible. Not treating this as a full metadata update"),
    Template("MDC-023", "broker_metadata_full_update", "INFO", "state.change.logger", "3.6.2-4.0-dev",
             "[Broker id={broker_id}] Removing topic {topic} with ID {topic_id} from the metadata cache since the full UMR did not "
             "include it.",
             "[Broker id=2] Removing topic orders with ID X8snIzwvRQ2wDuEVgycxrQ from the metadata cache since the full UMR did not "
             "include it."),
    Template("MDC-024", "broker_metadata_full_update", "INFO", "state.change.logger", "3.6.2-4.0-dev",
             "[Broker id={broker_id}] Removing {num_partitions} partition(s) from topic {topic} with ID {topic_id} from the metadata "
             "cache since the full UMR did not include them.",
             "[Broker id=2] Removing 5 partition(s) from topic orders with ID X8snIzwvRQ2wDuEVgycxrQ from the metadata cache since the "
             "full UMR did not include them."),
    Template("MDC-025", "broker_metadata_update_summary", "INFO", "state.change.logger", "2.6.3-4.0-dev",
             "[Broker id={broker_id}] Add {cached_partitions_count} partitions and deleted {deleted_partitions_count} partitions from "
             "metadata cache in response to UpdateMetadata request sent by controller {controller_id} epoch {controller_epoch} with "
             "correlation id {correlation_id}",
             "[Broker id=1] Add 1 partitions and deleted 0 partitions from metadata cache in response to UpdateMetadata request sent by "
             "controller 2 epoch 1 with correlation id 3"),
    Template("MDC-033", "broker_metadata_cached", "TRACE", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Cached leader info {partition_state} in response to UpdateMetadata request sent by controller "
             "{request}.controllerId epoch {request}.controllerEpoch with correlation id {correlation_id}",
             "[Broker id=2] Cached leader info LeaderAndIsrPartitionState(topicName='orders', partitionIndex=3, controllerEpoch=4, "
             "leader=2, leaderEpoch=7, isr=[2, 3], partitionEpoch=12, replicas=[1, 2, 3], addingReplicas=[], removingReplicas=[], "
             "isNew=false, leaderRecoveryState=0) in response to UpdateMetadata request sent by controller request.controllerId epoch "
             "request.controllerEpoch with correlation id 5"),
    Template("MDC-035", "broker_metadata_update_summary", "INFO", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Add {num_added} partitions and deleted {num_deleted} partitions to the metadata cache in response "
             "to UpdateMetadata request sent by controller {controller_id} epoch {controller_epoch} with correlation id {correlation_id}",
             "[Broker id=2] Add 14 partitions and deleted 5 partitions to the metadata cache in response to UpdateMetadata request sent "
             "by controller 1 epoch 4 with correlation id 5"),
    Template("MIG-054", "migration_brokers_changed", "INFO", "state.change.logger", "3.5.2-3.9.0",
             "Adding brokers {added_brokers}, removing brokers {removed_brokers}.",
             "Adding brokers 2,3, removing brokers 2,3."),
    Template("MIG-055", "migration_broker_error_response", "ERROR", "state.change.logger", "3.4.1-3.9.0",
             "[Controller id={controller_id}] Found {offline_replicas} on broker {broker} as offline",
             "[Controller id=1] Found 2,3 on broker broker as offline"),
    Template("MIG-056", "controller_leader_and_isr_error_response", "ERROR", "state.change.logger", "2.5.1-4.0-dev",
             "[Controller id={controller_id}] Received error {error} in LeaderAndIsr response {response} from broker {broker_id}",
             "[Controller id=1] Received error NOT_LEADER_OR_FOLLOWER in LeaderAndIsr response response from broker 2"),
    Template("MIG-057", "migration_broker_error_response", "ERROR", "state.change.logger", "3.4.1-3.9.0",
             "[Controller id={controller_id}] Received error {error} in StopReplica request for partition {topic_partition} from broker "
             "{broker}",
             "[Controller id=1] Received error NOT_LEADER_OR_FOLLOWER in StopReplica request for partition orders-3 from broker broker"),
    Template("MIG-058", "migration_broker_error_response", "ERROR", "state.change.logger", "3.4.1-3.9.0",
             "[Controller id={controller_id}] Received error {error} in StopReplica response {response} from broker {broker}",
             "[Controller id=1] Received error NOT_LEADER_OR_FOLLOWER in StopReplica response response from broker broker"),
    Template("MIG-059", "controller_update_metadata_error_response", "ERROR", "state.change.logger", "2.5.1-4.0-dev",
             "[Controller id={controller_id}] Received error {error} in UpdateMetadata response {response} from broker {broker_id}",
             "[Controller id=1] Received error NOT_LEADER_OR_FOLLOWER in UpdateMetadata response response from broker 2"),
    Template("PRT-008", "follower_start", "INFO", "state.change.logger", "2.6.3-3.2.3",
             "[Broker id={broker_id}] Follower {topic_partition} starts at leader epoch {leader_epoch} from offset {log_end_offset} "
             "with high watermark {high_watermark}. Previous leader epoch was {previous_leader_epoch}.",
             "[Broker id=1] Follower clicks-0 starts at leader epoch 0 from offset 0 with high watermark 0. Previous leader epoch was "
             "-1."),
    Template("PRT-009", "follower_start", "INFO", "state.change.logger", "3.3.2-3.5.2",
             "[Broker id={broker_id}] Follower {topic_partition} starts at leader epoch {leader_epoch} from offset {log_end_offset} "
             "with partition epoch {partition_epoch} and high watermark {high_watermark}. Current leader is {leader_id}. Previous "
             "leader epoch was {previous_leader_epoch}.",
             "[Broker id=1] Follower clicks-0 starts at leader epoch 0 from offset 0 with partition epoch 0 and high watermark 0. "
             "Current leader is 2. Previous leader epoch was -1."),
    Template("PRT-010", "follower_start", "INFO", "state.change.logger", "3.6.2-4.4.0",
             "[Broker id={broker_id}] Follower {topic_partition} starts at leader epoch {leader_epoch} from offset {log_end_offset} "
             "with partition epoch {partition_epoch} and high watermark {high_watermark}. Current leader is {leader_id}. Previous "
             "leader {previous_leader} and previous leader epoch was {previous_leader_epoch}.",
             "[Broker id=1] Follower clicks-0 starts at leader epoch 0 from offset 0 with partition epoch 0 and high watermark 0. "
             "Current leader is 2. Previous leader Some(2) and previous leader epoch was 0."),
    Template("PRT-011", "follower_transition_skipped", "INFO", "state.change.logger", "3.3.2-4.1.1",
             "[Broker id={broker_id}] Skipped the become-follower state change for {topic_partition} with topic id {topic_id} and "
             "partition state {partition_state} since it is already a follower with leader epoch {leader_epoch}.",
             "[Broker id=1] Skipped the become-follower state change for clicks-0 with topic id Some(Icic85YTSZyvK48p4oCvdg) and "
             "partition state LeaderAndIsrPartitionState(topicName='clicks', partitionIndex=0, controllerEpoch=-1, leader=3, "
             "leaderEpoch=0, isr=[3, 1], partitionEpoch=1, replicas=[3, 1, 2], addingReplicas=[], removingReplicas=[], isNew=false, "
             "leaderRecoveryState=0) since it is already a follower with leader epoch 0."),
    Template("PRT-012", "follower_transition_skipped", "INFO", "state.change.logger", "3.3.2-4.1.1",
             "[Broker id={broker_id}] Skipped the become-follower state change for {topic_partition} with topic id {topic_id} and "
             "partition state {partition_state} since the follower is already at a newer partition epoch {current_partition_epoch}.",
             "[Broker id=2] Skipped the become-follower state change for orders-3 with topic id X8snIzwvRQ2wDuEVgycxrQ and partition "
             "state LeaderAndIsrPartitionState(topicName='orders', partitionIndex=3, controllerEpoch=4, leader=2, leaderEpoch=7, "
             "isr=[2, 3], partitionEpoch=12, replicas=[1, 2, 3], addingReplicas=[], removingReplicas=[], isNew=false, "
             "leaderRecoveryState=0) since the follower is already at a newer partition epoch 12."),
    Template("PRT-081", "leader_recovery_state_reset", "INFO", "state.change.logger", "3.2.3",
             "[Broker id={broker_id}] The topic partition {topic_partition} was marked as RECOVERING. Leader log recovery is not "
             "implemented. Marking the topic partition as RECOVERED.",
             "[Broker id=2] The topic partition orders-3 was marked as RECOVERING. Leader log recovery is not implemented. Marking the "
             "topic partition as RECOVERED."),
    Template("PRT-082", "leader_recovery_state_reset", "INFO", "state.change.logger", "3.3.2-4.3.1",
             "[Broker id={broker_id}] The topic partition {topic_partition} was marked as RECOVERING. Marking the topic partition as "
             "RECOVERED.",
             "[Broker id=2] The topic partition orders-3 was marked as RECOVERING. Marking the topic partition as RECOVERED."),
    Template("PRT-086", "leader_start", "INFO", "state.change.logger", "2.6.3-3.2.3",
             "[Broker id={leader_id}] Leader {topic_partition} starts at leader epoch {leader_epoch} from offset {epoch_start_offset} "
             "with high watermark {high_watermark} ISR {isr} addingReplicas {adding_replicas} removingReplicas {removing_replicas}. "
             "Previous leader epoch was {previous_leader_epoch}.",
             "[Broker id=1] Leader clicks-0 starts at leader epoch 2 from offset 570 with high watermark 293 ISR [1] addingReplicas [] "
             "removingReplicas []. Previous leader epoch was 1."),
    Template("PRT-087", "leader_start", "INFO", "state.change.logger", "3.3.2-3.4.1",
             "[Broker id={leader_id}] Leader {topic_partition} with topic id {topic_id} starts at leader epoch {leader_epoch} from "
             "offset {epoch_start_offset} with partition epoch {partition_epoch}, high watermark {high_watermark}, ISR {isr}, adding "
             "replicas {adding_replicas} and removing replicas {removing_replicas}. Previous leader epoch was {previous_leader_epoch}.",
             "[Broker id=1] Leader clicks-3 with topic id Some(LA_aAAPDTyS35lB9DDY6ng) starts at leader epoch 1 from offset 898 with "
             "partition epoch 1, high watermark 897, ISR [1], adding replicas [] and removing replicas []. Previous leader epoch was 0."),
    Template("PRT-088", "leader_start", "INFO", "state.change.logger", "3.5.2",
             "[Broker id={leader_id}] Leader {topic_partition} with topic id {topic_id} starts at leader epoch {leader_epoch} from "
             "offset {epoch_start_offset} with partition epoch {partition_epoch}, high watermark {high_watermark}, ISR {isr}, adding "
             "replicas {adding_replicas} and removing replicas {removing_replicas} {under_min_isr_flag}. Previous leader epoch was "
             "{previous_leader_epoch}.",
             "[Broker id=1] Leader clicks-0 with topic id Some(h_hkAjmwTFaduyLI0dRfaQ) starts at leader epoch 0 from offset 0 with "
             "partition epoch 0, high watermark 0, ISR [1,2,3], adding replicas [] and removing replicas [] . Previous leader epoch was "
             "-1."),
    Template("PRT-089", "leader_start", "INFO", "state.change.logger", "3.6.2-4.4.0",
             "[Broker id={leader_id}] Leader {topic_partition} with topic id {topic_id} starts at leader epoch {leader_epoch} from "
             "offset {epoch_start_offset} with partition epoch {partition_epoch}, high watermark {high_watermark}, ISR {isr}, adding "
             "replicas {adding_replicas} and removing replicas {removing_replicas} {under_min_isr_flag}. Previous leader "
             "{previous_leader} and previous leader epoch was {previous_leader_epoch}.",
             "[Broker id=1] Leader scratch-2 with topic id Some(tnCLo3yTSNqsOoUiBzs1yw) starts at leader epoch 0 from offset 0 with "
             "partition epoch 0, high watermark 0, ISR [1,2], adding replicas [] and removing replicas [] . Previous leader None and "
             "previous leader epoch was -1."),
    Template("PRT-090", "leader_transition_skipped", "INFO", "state.change.logger", "3.3.2-4.1.1",
             "[Broker id={leader_id}] Skipped the become-leader state change for {topic_partition} with topic id {topic_id} and "
             "partition state {partition_state} since it is already the leader with leader epoch {leader_epoch}. Current high watermark "
             "{high_watermark}, ISR {isr}, adding replicas {adding_replicas} and removing replicas {removing_replicas}.",
             "[Broker id=2] Skipped the become-leader state change for clicks-1 with topic id Some(gN5ENiADSkSZtPJ5bSe8mg) and "
             "partition state LeaderAndIsrPartitionState(topicName='clicks', partitionIndex=1, controllerEpoch=-1, leader=2, "
             "leaderEpoch=1, isr=[2], partitionEpoch=2, replicas=[1, 2, 3], addingReplicas=[], removingReplicas=[], isNew=false, "
             "leaderRecoveryState=0) since it is already the leader with leader epoch 1. Current high watermark 525, ISR [2], adding "
             "replicas [] and removing replicas []."),
    Template("PRT-091", "leader_transition_skipped", "INFO", "state.change.logger", "3.3.2-4.1.1",
             "[Broker id={leader_id}] Skipped the become-leader state change for {topic_partition} with topic id {topic_id} and "
             "partition state {partition_state} since the leader is already at a newer partition epoch {current_partition_epoch}.",
             "[Broker id=1] Skipped the become-leader state change for orders-2 with topic id Some(bv85bjAfSC2GBmuf-9ek9g) and "
             "partition state LeaderAndIsrPartitionState(topicName='orders', partitionIndex=2, controllerEpoch=-1, leader=1, "
             "leaderEpoch=2, isr=[1, 3], partitionEpoch=5, replicas=[1, 2, 3], addingReplicas=[], removingReplicas=[], isNew=false, "
             "leaderRecoveryState=0) since the leader is already at a newer partition epoch 6."),
    Template("PRT-097", "partition_state_change_zk_error", "ERROR", "state.change.logger", "2.7.2-3.2.3",
             "[Broker id={broker_id}] A ZooKeeper client exception has occurred and makeLeader will be skipping the state change for "
             "the partition {topic_partition} with leader epoch: {leader_epoch}",
             "[Broker id=2] A ZooKeeper client exception has occurred and makeLeader will be skipping the state change for the "
             "partition orders-3 with leader epoch: 7"),
    Template("PRT-098", "partition_state_change_zk_error", "ERROR", "state.change.logger", "2.7.2-4.0-dev",
             "[Broker id={broker_id}] A ZooKeeper client exception has occurred. makeFollower will be skipping the state change for the "
             "partition {topic_partition} with leader epoch: {leader_epoch}.",
             "[Broker id=2] A ZooKeeper client exception has occurred. makeFollower will be skipping the state change for the partition "
             "orders-3 with leader epoch: 7."),
    Template("PRT-099", "partition_state_change_zk_error", "ERROR", "state.change.logger", "3.3.2-4.0-dev",
             "[Broker id={broker_id}] A ZooKeeper client exception has occurred and makeLeader will be skipping the state change for "
             "the partition {topic_partition} with leader epoch: {leader_epoch}.",
             "[Broker id=2] A ZooKeeper client exception has occurred and makeLeader will be skipping the state change for the "
             "partition orders-3 with leader epoch: 7."),
    Template("PRT-108", "topic_id_mismatch", "ERROR", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Topic Id in memory: {topic_id} does not match the topic Id for partition {topic_partition} "
             "provided in the request: {request_topic_id}.",
             "[Broker id=2] Topic Id in memory: X8snIzwvRQ2wDuEVgycxrQ does not match the topic Id for partition orders-3 provided in "
             "the request: X8snIzwvRQ2wDuEVgycxrQ."),
    Template("PRT-149", "follower_transition_skipped", "INFO", "state.change.logger", "4.3.1-4.4.0",
             "[Broker id={broker_id}] Skipped the become-follower state change for {topic_partition} with topic id {topic_id}, "
             "partition registration {partition_registration} and isNew={is_new} since it is already a follower with leader epoch "
             "{leader_epoch}.",
             "[Broker id=2] Skipped the become-follower state change for orders-3 with topic id X8snIzwvRQ2wDuEVgycxrQ, partition "
             "registration PartitionRegistration(replicas=[1, 2, 3], directories=[AAAAAAAAAAAAAAAAAAAAAA], isr=[2, 3], "
             "removingReplicas=[], addingReplicas=[], elr=[], lastKnownElr=[], leader=2, leaderRecoveryState=RECOVERED, leaderEpoch=7, "
             "partitionEpoch=12) and isNew=is-new since it is already a follower with leader epoch 7."),
    Template("PRT-150", "follower_transition_skipped", "INFO", "state.change.logger", "4.3.1",
             "[Broker id={broker_id}] Skipped the become-follower state change for {topic_partition} with topic id {topic_id}, "
             "partition registration {partition_registration} and isNew={is_new} since the follower is already at a newer partition "
             "epoch {current_partition_epoch}.",
             "[Broker id=2] Skipped the become-follower state change for orders-3 with topic id X8snIzwvRQ2wDuEVgycxrQ, partition "
             "registration PartitionRegistration(replicas=[1, 2, 3], directories=[AAAAAAAAAAAAAAAAAAAAAA], isr=[2, 3], "
             "removingReplicas=[], addingReplicas=[], elr=[], lastKnownElr=[], leader=2, leaderRecoveryState=RECOVERED, leaderEpoch=7, "
             "partitionEpoch=12) and isNew=is-new since the follower is already at a newer partition epoch 12."),
    Template("PRT-151", "leader_transition_skipped", "INFO", "state.change.logger", "4.3.1-4.4.0",
             "[Broker id={leader_id}] Skipped the become-leader state change for {topic_partition} with topic id {topic_id}, partition "
             "registration {partition_registration} and isNew={is_new} since it is already the leader with leader epoch {leader_epoch}. "
             "Current high watermark {high_watermark}, ISR {isr}, adding replicas {adding_replicas} and removing replicas "
             "{removing_replicas}.",
             "[Broker id=2] Skipped the become-leader state change for orders-3 with topic id X8snIzwvRQ2wDuEVgycxrQ, partition "
             "registration PartitionRegistration(replicas=[1, 2, 3], directories=[AAAAAAAAAAAAAAAAAAAAAA], isr=[2, 3], "
             "removingReplicas=[], addingReplicas=[], elr=[], lastKnownElr=[], leader=2, leaderRecoveryState=RECOVERED, leaderEpoch=7, "
             "partitionEpoch=12) and isNew=is-new since it is already the leader with leader epoch 7. Current high watermark 118, ISR "
             "2,3, adding replicas 2,3 and removing replicas 2,3."),
    Template("PRT-152", "leader_transition_skipped", "INFO", "state.change.logger", "4.3.1",
             "[Broker id={leader_id}] Skipped the become-leader state change for {topic_partition} with topic id {topic_id}, partition "
             "registration {partition_registration} and isNew={is_new} since the leader is already at a newer partition epoch "
             "{current_partition_epoch}.",
             "[Broker id=2] Skipped the become-leader state change for orders-3 with topic id X8snIzwvRQ2wDuEVgycxrQ, partition "
             "registration PartitionRegistration(replicas=[1, 2, 3], directories=[AAAAAAAAAAAAAAAAAAAAAA], isr=[2, 3], "
             "removingReplicas=[], addingReplicas=[], elr=[], lastKnownElr=[], leader=2, leaderRecoveryState=RECOVERED, leaderEpoch=7, "
             "partitionEpoch=12) and isNew=is-new since the leader is already at a newer partition epoch 12."),
    Template("RPM-003", "broker_become_follower_begin", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} handling LeaderAndIsr request correlationId {correlation_id} from controller {controller_id} epoch "
             "{controller_epoch} starting the become-follower transition for partition {topic_partition}",
             "Broker 2 handling LeaderAndIsr request correlationId 5 from controller 1 epoch 4 starting the become-follower transition "
             "for partition orders-3"),
    Template("RPM-004", "broker_become_follower_begin", "TRACE", "state.change.logger", "1.0.2-1.1.1",
             "[Broker id={broker_id}] Handling LeaderAndIsr request correlationId {correlation_id} from controller {controller_id} "
             "epoch {controller_epoch} starting the become-follower transition for partition {topic_partition}",
             "[Broker id=1] Handling LeaderAndIsr request correlationId 2 from controller 1 epoch 1 starting the become-follower "
             "transition for partition orders-0"),
    Template("RPM-005", "broker_become_follower_begin", "TRACE", "state.change.logger", "2.0.1-4.0-dev",
             "[Broker id={broker_id}] Handling LeaderAndIsr request correlationId {correlation_id} from controller {controller_id} "
             "epoch {controller_epoch} starting the become-follower transition for partition {topic_partition} with leader {leader}",
             "[Broker id=1] Handling LeaderAndIsr request correlationId 1 from controller 2 epoch 1 starting the become-follower "
             "transition for partition clicks-0 with leader 3"),
    Template("RPM-008", "broker_become_follower_done", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} completed LeaderAndIsr request correlationId {correlation_id} from controller {controller_id} epoch "
             "{controller_epoch} for the become-follower transition for partition {topic_partition}",
             "Broker 2 completed LeaderAndIsr request correlationId 5 from controller 1 epoch 4 for the become-follower transition for "
             "partition orders-3"),
    Template("RPM-009", "broker_become_follower_done", "TRACE", "state.change.logger", "1.0.2-1.1.1",
             "[Broker id={broker_id}] Completed LeaderAndIsr request correlationId {correlation_id} from controller {controller_id} "
             "epoch {controller_epoch} for the become-follower transition for partition {topic_partition}",
             "[Broker id=1] Completed LeaderAndIsr request correlationId 2 from controller 1 epoch 1 for the become-follower transition "
             "for partition orders-0"),
    Template("RPM-010", "broker_become_follower_done", "TRACE", "state.change.logger", "2.0.1-4.0-dev",
             "[Broker id={broker_id}] Completed LeaderAndIsr request correlationId {correlation_id} from controller {controller_id} "
             "epoch {controller_epoch} for the become-follower transition for partition {topic_partition} with leader {leader}",
             "[Broker id=1] Completed LeaderAndIsr request correlationId 1 from controller 2 epoch 1 for the become-follower transition "
             "for partition clicks-0 with leader 3"),
    Template("RPM-011", "broker_become_follower_failed", "ERROR", "state.change.logger", "1.0.2-1.1.1",
             "[Broker id={broker_id}] Skipped the become-follower state change with correlation id {correlation_id} from controller "
             "{controller_id} epoch {controller_epoch} for partition {topic_partition} (last update controller epoch "
             "{last_update_controller_epoch}) since the replica for the partition is offline due to disk error {exception}",
             "[Broker id=2] Skipped the become-follower state change with correlation id 5 from controller 1 epoch 4 for partition "
             "orders-3 (last update controller epoch 11) since the replica for the partition is offline due to disk error "
             "java.io.IOException: Connection reset"),
    Template("RPM-012", "broker_become_follower_failed", "ERROR", "state.change.logger", "2.0.1-3.0.2",
             "[Broker id={broker_id}] Skipped the become-follower state change with correlation id {correlation_id} from controller "
             "{controller_id} epoch {controller_epoch} for partition {topic_partition} (last update controller epoch "
             "{last_update_controller_epoch}) with leader {new_leader} since the replica for the partition is offline due to disk error "
             "{exception}",
             "[Broker id=2] Skipped the become-follower state change with correlation id 5 from controller 1 epoch 4 for partition "
             "orders-3 (last update controller epoch 11) with leader new-leader since the replica for the partition is offline due to "
             "disk error java.io.IOException: Connection reset"),
    Template("RPM-013", "broker_become_follower_failed", "ERROR", "state.change.logger", "3.0.2-4.3.1",
             "[Broker id={broker_id}] Unable to start fetching {topic_partition} with topic ID {topic_id} due to {exception_class}",
             "[Broker id=2] Unable to start fetching orders-3 with topic ID X8snIzwvRQ2wDuEVgycxrQ due to NotControllerException"),
    Template("RPM-014", "broker_become_follower_failed", "ERROR", "state.change.logger", "3.1.2-4.0-dev",
             "[Broker id={broker_id}] Skipped the become-follower state change with correlation id {correlation_id} from controller "
             "{controller_id} epoch {controller_epoch} for partition {topic_partition} (last update controller epoch "
             "{last_update_controller_epoch}) with leader {new_leader} since the replica for the partition is offline due to storage "
             "error {error}",
             "[Broker id=2] Skipped the become-follower state change with correlation id 5 from controller 1 epoch 4 for partition "
             "orders-3 (last update controller epoch 11) with leader new-leader since the replica for the partition is offline due to "
             "storage error NOT_LEADER_OR_FOLLOWER"),
    Template("RPM-015", "broker_become_follower_failed", "ERROR", "state.change.logger", "3.1.2-4.3.1",
             "[Broker id={broker_id}] Unable to start fetching {topic_partition} with topic ID {topic_id} due to a storage error {error}",
             "[Broker id=2] Unable to start fetching orders-3 with topic ID X8snIzwvRQ2wDuEVgycxrQ due to a storage error "
             "NOT_LEADER_OR_FOLLOWER"),
    Template("RPM-016", "broker_become_follower_fetcher_started", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} started fetcher to new leader as part of become-follower request from controller {controller_id} epoch "
             "{controller_epoch} with correlation id {correlation_id} for partition {topic_partition}",
             "Broker 2 started fetcher to new leader as part of become-follower request from controller 1 epoch 4 with correlation id 5 "
             "for partition orders-3"),
    Template("RPM-017", "broker_become_follower_fetcher_started", "TRACE", "state.change.logger", "1.0.2-1.1.1",
             "[Broker id={broker_id}] Started fetcher to new leader as part of become-follower request from controller {controller_id} "
             "epoch {controller_epoch} with correlation id {correlation_id} for partition {topic_partition}",
             "[Broker id=1] Started fetcher to new leader as part of become-follower request from controller 1 epoch 1 with correlation "
             "id 2 for partition orders-0"),
    Template("RPM-018", "broker_become_follower_fetcher_started", "TRACE", "state.change.logger", "2.0.1-2.5.1",
             "[Broker id={broker_id}] Started fetcher to new leader as part of become-follower request from controller {controller_id} "
             "epoch {controller_epoch} with correlation id {correlation_id} for partition {topic_partition} with leader "
             "{leader_endpoint}",
             "[Broker id=1] Started fetcher to new leader as part of become-follower request from controller 3 epoch 1 with correlation "
             "id 1 for partition clicks-1 with leader 3"),
    Template("RPM-019", "broker_become_follower_fetcher_stopped", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} stopped fetchers as part of become-follower request from controller {controller_id} epoch "
             "{controller_epoch} with correlation id {correlation_id} for partition {topic_partition}",
             "Broker 2 stopped fetchers as part of become-follower request from controller 1 epoch 4 with correlation id 5 for "
             "partition orders-3"),
    Template("RPM-020", "broker_become_follower_fetcher_stopped", "TRACE", "state.change.logger", "1.0.2-1.1.1",
             "[Broker id={broker_id}] Stopped fetchers as part of become-follower request from controller {controller_id} epoch "
             "{controller_epoch} with correlation id {correlation_id} for partition {topic_partition}",
             "[Broker id=1] Stopped fetchers as part of become-follower request from controller 1 epoch 1 with correlation id 2 for "
             "partition orders-0"),
    Template("RPM-021", "broker_become_follower_fetcher_stopped", "TRACE", "state.change.logger", "2.0.1-2.5.1",
             "[Broker id={broker_id}] Stopped fetchers as part of become-follower request from controller {controller_id} epoch "
             "{controller_epoch} with correlation id {correlation_id} for partition {topic_partition} with leader {leader}",
             "[Broker id=1] Stopped fetchers as part of become-follower request from controller 2 epoch 1 with correlation id 1 for "
             "partition clicks-0 with leader 3"),
    Template("RPM-022", "broker_become_follower_fetchers_started_summary", "INFO", "state.change.logger", "3.0.2-4.4.0",
             "[Broker id={broker_id}] Started fetchers as part of become-follower for {num_partitions} partitions",
             "[Broker id=1] Started fetchers as part of become-follower for 1 partitions"),
    Template("RPM-023", "broker_become_follower_fetchers_stopped_summary", "INFO", "state.change.logger", "2.6.3-4.0-dev",
             "[Broker id={broker_id}] Stopped fetchers as part of become-follower request from controller {controller_id} epoch "
             "{controller_epoch} with correlation id {correlation_id} for {num_partitions} partitions",
             "[Broker id=1] Stopped fetchers as part of become-follower request from controller 1 epoch 1 with correlation id 2 for 4 "
             "partitions"),
    Template("RPM-024", "broker_become_follower_fetchers_stopped_summary", "INFO", "state.change.logger", "3.0.2-4.4.0",
             "[Broker id={broker_id}] Stopped fetchers as part of become-follower for {num_partitions} partitions",
             "[Broker id=1] Stopped fetchers as part of become-follower for 1 partitions"),
    Template("RPM-025", "broker_become_follower_leader_unavailable", "ERROR", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} received LeaderAndIsrRequest with correlation id {correlation_id} from controller {controller_id} "
             "epoch {controller_epoch} for partition {topic_partition} but cannot become follower since the new leader {new_leader} is "
             "unavailable.",
             "Broker 2 received LeaderAndIsrRequest with correlation id 5 from controller 1 epoch 4 for partition orders-3 but cannot "
             "become follower since the new leader new-leader is unavailable."),
    Template("RPM-026", "broker_become_follower_leader_unavailable", "ERROR", "state.change.logger", "1.0.2-4.0-dev",
             "[Broker id={broker_id}] Received LeaderAndIsrRequest with correlation id {correlation_id} from controller {controller_id} "
             "epoch {controller_epoch} for partition {topic_partition} (last update controller epoch {last_update_controller_epoch}) "
             "but cannot become follower since the new leader {new_leader} is unavailable.",
             "[Broker id=2] Received LeaderAndIsrRequest with correlation id 1 from controller 2 epoch 2 for partition clicks-0 (last "
             "update controller epoch 1) but cannot become follower since the new leader 1 is unavailable."),
    Template("RPM-027", "broker_become_follower_leader_unavailable", "TRACE", "state.change.logger", "3.0.2-4.3.1",
             "[Broker id={broker_id}] Unable to start fetching {topic_partition} with topic ID {topic_id} from leader {leader} because "
             "it is not alive.",
             "[Broker id=2] Unable to start fetching orders-3 with topic ID X8snIzwvRQ2wDuEVgycxrQ from leader 2 because it is not "
             "alive."),
    Template("RPM-028", "broker_become_follower_shutting_down", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} skipped the adding-fetcher step of the become-follower state change with correlation id "
             "{correlation_id} from controller {controller_id} epoch {controller_epoch} for partition {topic_partition} since it is "
             "shutting down",
             "Broker 2 skipped the adding-fetcher step of the become-follower state change with correlation id 5 from controller 1 "
             "epoch 4 for partition orders-3 since it is shutting down"),
    Template("RPM-029", "broker_become_follower_shutting_down", "TRACE", "state.change.logger", "1.0.2-1.1.1",
             "[Broker id={broker_id}] Skipped the adding-fetcher step of the become-follower state change with correlation id "
             "{correlation_id} from controller {controller_id} epoch {controller_epoch} for partition {topic_partition} since it is "
             "shutting down",
             "[Broker id=2] Skipped the adding-fetcher step of the become-follower state change with correlation id 5 from controller 1 "
             "epoch 4 for partition orders-3 since it is shutting down"),
    Template("RPM-030", "broker_become_follower_shutting_down", "TRACE", "state.change.logger", "2.0.1-4.0-dev",
             "[Broker id={broker_id}] Skipped the adding-fetcher step of the become-follower state change with correlation id "
             "{correlation_id} from controller {controller_id} epoch {controller_epoch} for partition {topic_partition} with leader "
             "{leader} since it is shutting down",
             "[Broker id=2] Skipped the adding-fetcher step of the become-follower state change with correlation id 5 from controller 1 "
             "epoch 4 for partition orders-3 with leader 2 since it is shutting down"),
    Template("RPM-031", "broker_become_follower_shutting_down", "TRACE", "state.change.logger", "3.0.2-3.2.3",
             "[Broker id={broker_id}] Unable to start fetching {topic_partition} with topic ID {topic_id} because the replica manager "
             "is shutting down.",
             "[Broker id=2] Unable to start fetching orders-3 with topic ID X8snIzwvRQ2wDuEVgycxrQ because the replica manager is "
             "shutting down."),
    Template("RPM-032", "broker_become_follower_shutting_down", "TRACE", "state.change.logger", "3.1.2-4.0-dev",
             "[Broker id={broker_id}] Skipped the update topic ID step of the become-follower state change with correlation id "
             "{correlation_id} from controller {controller_id} epoch {controller_epoch} for partition {topic_partition} since it is "
             "shutting down",
             "[Broker id=2] Skipped the update topic ID step of the become-follower state change with correlation id 5 from controller "
             "1 epoch 4 for partition orders-3 since it is shutting down"),
    Template("RPM-033", "broker_become_follower_skipped", "INFO", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} skipped the become-follower state change after marking its partition as follower with correlation id "
             "{correlation_id} from controller {controller_id} epoch {controller_epoch} for partition {topic_partition} since the new "
             "leader {new_leader} is the same as the old leader",
             "Broker 2 skipped the become-follower state change after marking its partition as follower with correlation id 5 from "
             "controller 1 epoch 4 for partition orders-3 since the new leader new-leader is the same as the old leader"),
    Template("RPM-034", "broker_become_follower_skipped", "INFO", "state.change.logger", "1.0.2-3.2.3",
             "[Broker id={broker_id}] Skipped the become-follower state change after marking its partition as follower with correlation "
             "id {correlation_id} from controller {controller_id} epoch {controller_epoch} for partition {topic_partition} (last update "
             "controller epoch {last_update_controller_epoch}) since the new leader {new_leader} is the same as the old leader",
             "[Broker id=1] Skipped the become-follower state change after marking its partition as follower with correlation id 8 from "
             "controller 1 epoch 1 for partition clicks-2 (last update controller epoch 1) since the new leader 3 is the same as the "
             "old leader"),
    Template("RPM-035", "broker_become_follower_skipped", "INFO", "state.change.logger", "3.0.2-3.2.3",
             "[Broker id={broker_id}] Skipped the become-follower state change after marking its partition as follower for partition "
             "{topic_partition} with id {topic_id} and partition state {state}.",
             "[Broker id=2] Skipped the become-follower state change after marking its partition as follower for partition orders-3 "
             "with id X8snIzwvRQ2wDuEVgycxrQ and partition state state."),
    Template("RPM-036", "broker_become_follower_summary", "INFO", "state.change.logger", "3.0.2-4.4.0",
             "[Broker id={broker_id}] Transitioning {num_partitions} partition(s) to local followers.",
             "[Broker id=1] Transitioning 1 partition(s) to local followers."),
    Template("RPM-037", "broker_become_follower_truncated", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} truncated logs and checkpointed recovery boundaries for partition {topic_partition} as part of "
             "become-follower request with correlation id {correlation_id} from controller {controller_id} epoch {controller_epoch}",
             "Broker 2 truncated logs and checkpointed recovery boundaries for partition orders-3 as part of become-follower request "
             "with correlation id 5 from controller 1 epoch 4"),
    Template("RPM-038", "broker_become_follower_truncated", "TRACE", "state.change.logger", "1.0.2-1.1.1",
             "[Broker id={broker_id}] Truncated logs and checkpointed recovery boundaries for partition {topic_partition} as part of "
             "become-follower request with correlation id {correlation_id} from controller {controller_id} epoch {controller_epoch}",
             "[Broker id=1] Truncated logs and checkpointed recovery boundaries for partition clicks-0 as part of become-follower "
             "request with correlation id 4 from controller 1 epoch 1"),
    Template("RPM-039", "broker_become_follower_truncated", "TRACE", "state.change.logger", "2.0.1-2.5.1",
             "[Broker id={broker_id}] Truncated logs and checkpointed recovery boundaries for partition {topic_partition} as part of "
             "become-follower request with correlation id {correlation_id} from controller {controller_id} epoch {controller_epoch} "
             "with leader {leader}",
             "[Broker id=1] Truncated logs and checkpointed recovery boundaries for partition clicks-0 as part of become-follower "
             "request with correlation id 1 from controller 2 epoch 1 with leader 3"),
    Template("RPM-040", "broker_become_leader_begin", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} handling LeaderAndIsr request correlationId {correlation_id} from controller {controller_id} epoch "
             "{controller_epoch} starting the become-leader transition for partition {topic_partition}",
             "Broker 2 handling LeaderAndIsr request correlationId 5 from controller 1 epoch 4 starting the become-leader transition "
             "for partition orders-3"),
    Template("RPM-041", "broker_become_leader_begin", "TRACE", "state.change.logger", "1.0.2-4.0-dev",
             "[Broker id={broker_id}] Handling LeaderAndIsr request correlationId {correlation_id} from controller {controller_id} "
             "epoch {controller_epoch} starting the become-leader transition for partition {topic_partition}",
             "[Broker id=1] Handling LeaderAndIsr request correlationId 1 from controller 2 epoch 1 starting the become-leader "
             "transition for partition orders-2"),
    Template("RPM-043", "broker_become_leader_done", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} completed LeaderAndIsr request correlationId {correlation_id} from controller {controller_id} epoch "
             "{controller_epoch} for the become-leader transition for partition {topic_partition}",
             "Broker 2 completed LeaderAndIsr request correlationId 5 from controller 1 epoch 4 for the become-leader transition for "
             "partition orders-3"),
    Template("RPM-044", "broker_become_leader_done", "TRACE", "state.change.logger", "1.0.2-4.0-dev",
             "[Broker id={broker_id}] Completed LeaderAndIsr request correlationId {correlation_id} from controller {controller_id} "
             "epoch {controller_epoch} for the become-leader transition for partition {topic_partition}",
             "[Broker id=1] Completed LeaderAndIsr request correlationId 1 from controller 2 epoch 1 for the become-leader transition "
             "for partition orders-2"),
    Template("RPM-045", "broker_become_leader_failed", "ERROR", "state.change.logger", "1.0.2-3.0.2",
             "[Broker id={broker_id}] Skipped the become-leader state change with correlation id {correlation_id} from controller "
             "{controller_id} epoch {controller_epoch} for partition {topic_partition} (last update controller epoch "
             "{last_update_controller_epoch}) since the replica for the partition is offline due to disk error {exception}",
             "[Broker id=2] Skipped the become-leader state change with correlation id 5 from controller 1 epoch 4 for partition "
             "orders-3 (last update controller epoch 11) since the replica for the partition is offline due to disk error "
             "java.io.IOException: Connection reset"),
    Template("RPM-046", "broker_become_leader_failed", "INFO", "state.change.logger", "3.0.2",
             "[Broker id={broker_id}] Skipped the become-leader state change for {topic_partition} with topic id {topic_id} due to disk "
             "error {exception}",
             "[Broker id=2] Skipped the become-leader state change for orders-3 with topic id X8snIzwvRQ2wDuEVgycxrQ due to disk error "
             "java.io.IOException: Connection reset"),
    Template("RPM-047", "broker_become_leader_failed", "WARN", "state.change.logger", "3.0.2-4.4.0",
             "[Broker id={broker_id}] Unable to bring up new local leader {topic_partition} with topic id {topic_id} because it resides "
             "in an offline log directory.",
             "[Broker id=2] Unable to bring up new local leader orders-3 with topic id X8snIzwvRQ2wDuEVgycxrQ because it resides in an "
             "offline log directory."),
    Template("RPM-048", "broker_become_leader_failed", "INFO", "state.change.logger", "3.1.2-4.3.1",
             "[Broker id={broker_id}] Skipped the become-leader state change for {topic_partition} with topic id {topic_id} due to a "
             "storage error {error}",
             "[Broker id=2] Skipped the become-leader state change for orders-3 with topic id X8snIzwvRQ2wDuEVgycxrQ due to a storage "
             "error NOT_LEADER_OR_FOLLOWER"),
    Template("RPM-049", "broker_become_leader_failed", "ERROR", "state.change.logger", "3.1.2-4.0-dev",
             "[Broker id={broker_id}] Skipped the become-leader state change with correlation id {correlation_id} from controller "
             "{controller_id} epoch {controller_epoch} for partition {topic_partition} (last update controller epoch "
             "{last_update_controller_epoch}) since the replica for the partition is offline due to storage error {error}",
             "[Broker id=2] Skipped the become-leader state change with correlation id 5 from controller 1 epoch 4 for partition "
             "orders-3 (last update controller epoch 11) since the replica for the partition is offline due to storage error "
             "NOT_LEADER_OR_FOLLOWER"),
    Template("RPM-050", "broker_become_leader_fetcher_stopped", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} stopped fetchers as part of become-leader request from controller {controller_id} epoch "
             "{controller_epoch} with correlation id {correlation_id} for partition {topic_partition}",
             "Broker 2 stopped fetchers as part of become-leader request from controller 1 epoch 4 with correlation id 5 for partition "
             "orders-3"),
    Template("RPM-051", "broker_become_leader_fetcher_stopped", "TRACE", "state.change.logger", "1.0.2-2.5.1",
             "[Broker id={broker_id}] Stopped fetchers as part of become-leader request from controller {controller_id} epoch "
             "{controller_epoch} with correlation id {correlation_id} for partition {topic_partition} (last update controller epoch "
             "{last_update_controller_epoch})",
             "[Broker id=1] Stopped fetchers as part of become-leader request from controller 1 epoch 1 with correlation id 2 for "
             "partition orders-2 (last update controller epoch 1)"),
    Template("RPM-052", "broker_become_leader_fetchers_stopped_summary", "INFO", "state.change.logger", "2.6.3-4.0-dev",
             "[Broker id={broker_id}] Stopped fetchers as part of LeaderAndIsr request correlationId {correlation_id} from controller "
             "{controller_id} epoch {controller_epoch} as part of the become-leader transition for {num_partitions} partitions",
             "[Broker id=1] Stopped fetchers as part of LeaderAndIsr request correlationId 1 from controller 2 epoch 1 as part of the "
             "become-leader transition for 2 partitions"),
    Template("RPM-053", "broker_become_leader_skipped", "INFO", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} skipped the become-leader state change after marking its partition as leader with correlation id "
             "{correlation_id} from controller {controller_id} epoch {controller_epoch} for partition {topic_partition} since it is "
             "already the leader for the partition.",
             "Broker 2 skipped the become-leader state change after marking its partition as leader with correlation id 5 from "
             "controller 1 epoch 4 for partition orders-3 since it is already the leader for the partition."),
    Template("RPM-054", "broker_become_leader_skipped", "INFO", "state.change.logger", "1.0.2-3.2.3",
             "[Broker id={broker_id}] Skipped the become-leader state change after marking its partition as leader with correlation id "
             "{correlation_id} from controller {controller_id} epoch {controller_epoch} for partition {topic_partition} (last update "
             "controller epoch {last_update_controller_epoch}) since it is already the leader for the partition.",
             "[Broker id=1] Skipped the become-leader state change after marking its partition as leader with correlation id 8 from "
             "controller 1 epoch 1 for partition clicks-1 (last update controller epoch 1) since it is already the leader for the "
             "partition."),
    Template("RPM-055", "broker_become_leader_skipped", "INFO", "state.change.logger", "3.0.2-3.2.3",
             "[Broker id={broker_id}] Skipped the become-leader state change for {topic_partition} with topic id {topic_id} because "
             "this partition is already a local leader.",
             "[Broker id=2] Skipped the become-leader state change for orders-3 with topic id X8snIzwvRQ2wDuEVgycxrQ because this "
             "partition is already a local leader."),
    Template("RPM-056", "broker_become_leader_summary", "INFO", "state.change.logger", "3.0.2-4.4.0",
             "[Broker id={broker_id}] Transitioning {num_partitions} partition(s) to local leaders.",
             "[Broker id=1] Transitioning 1 partition(s) to local leaders."),
    Template("RPM-057", "broker_controlled_shutdown_fetchers_stopped", "INFO", "state.change.logger", "3.3.2-4.4.0",
             "[Broker id={broker_id}] Stopped fetchers as part of controlled shutdown for {num_partitions} partitions",
             "[Broker id=1] Stopped fetchers as part of controlled shutdown for 12 partitions"),
    Template("RPM-063", "broker_leader_and_isr_error", "ERROR", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Error on broker {broker_id} while processing LeaderAndIsr request correlationId {correlation_id} received from controller "
             "{controller_id} epoch {controller_epoch} for partition {topic_partition}",
             "Error on broker 2 while processing LeaderAndIsr request correlationId 5 received from controller 1 epoch 4 for partition "
             "orders-3"),
    Template("RPM-064", "broker_leader_and_isr_error", "ERROR", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Error on broker {broker_id} while processing LeaderAndIsr request with correlationId {correlation_id} received from "
             "controller {controller_id} epoch {controller_epoch}",
             "Error on broker 2 while processing LeaderAndIsr request with correlationId 5 received from controller 1 epoch 4"),
    Template("RPM-065", "broker_leader_and_isr_error", "ERROR", "state.change.logger", "1.0.2-4.0-dev",
             "[Broker id={broker_id}] Error while processing LeaderAndIsr request correlationId {correlation_id} received from "
             "controller {controller_id} epoch {controller_epoch} for partition {topic_partition}",
             "[Broker id=2] Error while processing LeaderAndIsr request correlationId 5 received from controller 1 epoch 4 for "
             "partition orders-3"),
    Template("RPM-066", "broker_leader_and_isr_error", "ERROR", "state.change.logger", "1.0.2-4.0-dev",
             "[Broker id={broker_id}] Error while processing LeaderAndIsr request with correlationId {correlation_id} received from "
             "controller {controller_id} epoch {controller_epoch}",
             "[Broker id=2] Error while processing LeaderAndIsr request with correlationId 5 received from controller 1 epoch 4"),
    Template("RPM-067", "broker_leader_and_isr_error", "ERROR", "state.change.logger", "3.1.2-4.0-dev",
             "[Broker id={broker_id}] Error while processing LeaderAndIsr request with correlationId {correlation_id} received from "
             "controller {controller_id} epoch {controller_epoch} when trying to update topic IDs in the fetchers",
             "[Broker id=2] Error while processing LeaderAndIsr request with correlationId 5 received from controller 1 epoch 4 when "
             "trying to update topic IDs in the fetchers"),
    Template("RPM-068", "broker_leader_and_isr_finished", "INFO", "state.change.logger", "2.7.2-4.0-dev",
             "[Broker id={broker_id}] Finished LeaderAndIsr request in {elapsed_ms}ms correlationId {correlation_id} from controller "
             "{controller_id} for {num_partitions} partitions",
             "[Broker id=1] Finished LeaderAndIsr request in 6ms correlationId 5 from controller 2 for 2 partitions"),
    Template("RPM-069", "broker_leader_and_isr_not_assigned", "WARN", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} ignoring LeaderAndIsr request from controller {controller_id} with correlation id {correlation_id} "
             "epoch {controller_epoch} for partition [{topic},{partition}] as itself is not in assigned replica list {replicas}",
             "Broker 2 ignoring LeaderAndIsr request from controller 1 with correlation id 5 epoch 4 for partition [orders,3] as itself "
             "is not in assigned replica list 1,2,3"),
    Template("RPM-070", "broker_leader_and_isr_not_assigned", "WARN", "state.change.logger", "1.0.2-4.0-dev",
             "[Broker id={broker_id}] Ignoring LeaderAndIsr request from controller {controller_id} with correlation id "
             "{correlation_id} epoch {controller_epoch} for partition {topic_partition} as itself is not in assigned replica list "
             "{replicas}",
             "[Broker id=2] Ignoring LeaderAndIsr request from controller 1 with correlation id 5 epoch 4 for partition orders-3 as "
             "itself is not in assigned replica list 1,2,3"),
    Template("RPM-071", "broker_leader_and_isr_offline_dir", "WARN", "state.change.logger", "1.0.2-4.0-dev",
             "[Broker id={broker_id}] Ignoring LeaderAndIsr request from controller {controller_id} with correlation id "
             "{correlation_id} epoch {controller_epoch} for partition {topic_partition} as the local replica for the partition is in an "
             "offline log directory",
             "[Broker id=1] Ignoring LeaderAndIsr request from controller 2 with correlation id 7 epoch 1 for partition clicks-3 as the "
             "local replica for the partition is in an offline log directory"),
    Template("RPM-072", "broker_leader_and_isr_old_epoch", "WARN", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} ignoring LeaderAndIsr request from controller {controller_id} with correlation id {correlation_id} "
             "epoch {controller_epoch} for partition [{topic},{partition}] since its associated leader epoch {request_leader_epoch} is "
             "not higher than the current leader epoch {current_leader_epoch}",
             "Broker 2 ignoring LeaderAndIsr request from controller 1 with correlation id 5 epoch 4 for partition [orders,3] since its "
             "associated leader epoch 10 is not higher than the current leader epoch 4"),
    Template("RPM-267", "broker_leader_and_isr_old_epoch", "WARN", "state.change.logger", "0.10.0.1",
             "Broker {broker_id} ignoring LeaderAndIsr request from controller {controller_id} with correlation id {correlation_id} "
             "epoch {controller_epoch} for partition {topic_partition} since its associated leader epoch {request_leader_epoch} is old. "
             "Current leader epoch is {current_leader_epoch}",
             "Broker 1 ignoring LeaderAndIsr request from controller 3 with correlation id 0 epoch 2 for partition [__consumer_offsets,0] "
             "since its associated leader epoch 2 is old. Current leader epoch is 2"),
    Template("RPM-073", "broker_leader_and_isr_old_epoch", "WARN", "state.change.logger", "1.0.2-2.2.2",
             "[Broker id={broker_id}] Ignoring LeaderAndIsr request from controller {controller_id} with correlation id "
             "{correlation_id} epoch {controller_epoch} for partition {topic_partition} since its associated leader epoch "
             "{request_leader_epoch} is not higher than the current leader epoch {current_leader_epoch}",
             "[Broker id=1] Ignoring LeaderAndIsr request from controller 1 with correlation id 8 epoch 1 for partition clicks-0 since "
             "its associated leader epoch 1 is not higher than the current leader epoch 1"),
    Template("RPM-074", "broker_leader_and_isr_received", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} received LeaderAndIsr request {partition_state} correlation id {correlation_id} from controller "
             "{controller_id} epoch {controller_epoch} for partition [{topic},{partition}]",
             "Broker 2 received LeaderAndIsr request LeaderAndIsrPartitionState(topicName='orders', partitionIndex=3, "
             "controllerEpoch=4, leader=2, leaderEpoch=7, isr=[2, 3], partitionEpoch=12, replicas=[1, 2, 3], addingReplicas=[], "
             "removingReplicas=[], isNew=false, leaderRecoveryState=0) correlation id 5 from controller 1 epoch 4 for partition "
             "[orders,3]"),
    Template("RPM-075", "broker_leader_and_isr_received", "TRACE", "state.change.logger", "1.0.2-2.3.1",
             "[Broker id={broker_id}] Received LeaderAndIsr request {partition_state} correlation id {correlation_id} from controller "
             "{controller_id} epoch {controller_epoch} for partition {topic_partition}",
             "[Broker id=1] Received LeaderAndIsr request PartitionState(controllerEpoch=1, leader=3, leaderEpoch=2, isr=3, "
             "zkVersion=2, replicas=1,2,3, isNew=false) correlation id 1 from controller 3 epoch 1 for partition clicks-3"),
    Template("RPM-076", "broker_leader_and_isr_received", "TRACE", "state.change.logger", "2.4.1-4.0-dev",
             "[Broker id={broker_id}] Received LeaderAndIsr request {partition_state} correlation id {correlation_id} from controller "
             "{controller_id} epoch {controller_epoch}",
             "[Broker id=1] Received LeaderAndIsr request LeaderAndIsrPartitionState(topicName='clicks', partitionIndex=1, "
             "controllerEpoch=1, leader=2, leaderEpoch=1, isr=[2, 3], zkVersion=1, replicas=[1, 2, 3], addingReplicas=[], "
             "removingReplicas=[], isNew=false) correlation id 1 from controller 2 epoch 1"),
    Template("RPM-077", "broker_leader_and_isr_request", "INFO", "state.change.logger", "2.6.3-4.0-dev",
             "[Broker id={broker_id}] Handling LeaderAndIsr request correlationId {correlation_id} from controller {controller_id} for "
             "{num_partitions} partitions",
             "[Broker id=1] Handling LeaderAndIsr request correlationId 1 from controller 2 for 6 partitions"),
    Template("RPM-078", "broker_leader_and_isr_same_epoch", "INFO", "state.change.logger", "2.3.1-2.5.1 2.6.3-4.0-dev",
             "[Broker id={broker_id}] Ignoring LeaderAndIsr request from controller {controller_id} with correlation id "
             "{correlation_id} epoch {controller_epoch} for partition {topic_partition} since its associated leader epoch "
             "{request_leader_epoch} matches the current leader epoch",
             "[Broker id=1] Ignoring LeaderAndIsr request from controller 1 with correlation id 1 epoch 3 for partition clicks-0 since "
             "its associated leader epoch 1 matches the current leader epoch"),
    Template("RPM-080", "broker_leader_and_isr_stale_controller", "WARN", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} ignoring LeaderAndIsr request from controller {controller_id} with correlation id {correlation_id} "
             "since its controller epoch {controller_epoch} is old. Latest known controller epoch is {current_controller_epoch}",
             "Broker 2 ignoring LeaderAndIsr request from controller 1 with correlation id 5 since its controller epoch 4 is old. "
             "Latest known controller epoch is 16"),
    Template("RPM-081", "broker_leader_and_isr_stale_controller", "WARN", "state.change.logger", "1.0.2-4.0-dev",
             "[Broker id={broker_id}] Ignoring LeaderAndIsr request from controller {controller_id} with correlation id "
             "{correlation_id} since its controller epoch {controller_epoch} is old. Latest known controller epoch is "
             "{current_controller_epoch}",
             "[Broker id=2] Ignoring LeaderAndIsr request from controller 1 with correlation id 5 since its controller epoch 4 is old. "
             "Latest known controller epoch is 16"),
    Template("RPM-082", "broker_leader_and_isr_stale_epoch", "WARN", "state.change.logger", "2.3.1-4.0-dev",
             "[Broker id={broker_id}] Ignoring LeaderAndIsr request from controller {controller_id} with correlation id "
             "{correlation_id} epoch {controller_epoch} for partition {topic_partition} since its associated leader epoch "
             "{request_leader_epoch} is smaller than the current leader epoch {current_leader_epoch}",
             "[Broker id=2] Ignoring LeaderAndIsr request from controller 1 with correlation id 5 epoch 4 for partition orders-3 since "
             "its associated leader epoch 10 is smaller than the current leader epoch 4"),
    Template("RPM-083", "broker_partition_created", "INFO", "state.change.logger", "3.0.2-4.4.0",
             "[Broker id={broker_id}] Creating new partition {topic_partition} with topic id {topic_id}.",
             "[Broker id=1] Creating new partition clicks-0 with topic id 7tk5_asgQwuU_O0BVdWgUA."),
    Template("RPM-084", "broker_partition_created", "ERROR", "state.change.logger", "3.0.2-4.3.1",
             "[Broker id={broker_id}] Expected partition {topic_partition} with topic id {topic_id} to exist, but it was missing. "
             "Creating...",
             "[Broker id=2] Expected partition orders-3 with topic id X8snIzwvRQ2wDuEVgycxrQ to exist, but it was missing. Creating..."),
    Template("RPM-085", "broker_partition_created", "INFO", "state.change.logger", "3.7.1-4.3.1",
             "[Broker id={broker_id}] Creating new partition {topic_partition} with topic id {topic_id}.A topic with the same name but "
             "different id exists but it resides in an offline log directory.",
             "[Broker id=2] Creating new partition orders-3 with topic id X8snIzwvRQ2wDuEVgycxrQ.A topic with the same name but "
             "different id exists but it resides in an offline log directory."),
    Template("RPM-086", "broker_partition_delete_failed", "ERROR", "state.change.logger", "3.0.2-4.3.1",
             "[Broker id={broker_id}] Unable to delete replica {topic_partition} because the local replica for the partition is in an "
             "offline log directory",
             "[Broker id=2] Unable to delete replica orders-3 because the local replica for the partition is in an offline log directory"),
    Template("RPM-087", "broker_partition_delete_failed", "ERROR", "state.change.logger", "3.0.2-4.3.1",
             "[Broker id={broker_id}] Unable to delete replica {topic_partition} because we got an unexpected {exception_class} "
             "exception: {error}",
             "[Broker id=2] Unable to delete replica orders-3 because we got an unexpected NotControllerException exception: "
             "NOT_LEADER_OR_FOLLOWER"),
    Template("RPM-088", "broker_partitions_deleted_summary", "INFO", "state.change.logger", "3.0.2-4.3.1",
             "[Broker id={broker_id}] Deleting {num_partitions} partition(s).",
             "[Broker id=1] Deleting 2 partition(s)."),
    Template("RPM-089", "broker_stop_replica_done", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} finished handling stop replica (delete={delete_partition}) for partition {topic_partition}",
             "Broker 2 finished handling stop replica (delete=delete-partition) for partition orders-3"),
    Template("RPM-090", "broker_stop_replica_done", "TRACE", "state.change.logger", "1.0.2-2.5.1",
             "[Broker id={broker_id}] Finished handling stop replica (delete={delete_partition}) for partition {topic_partition}",
             "[Broker id=2] Finished handling stop replica (delete=delete-partition) for partition orders-3"),
    Template("RPM-091", "broker_stop_replica_error", "ERROR", "state.change.logger", "2.7.2-4.0-dev",
             "[Broker id={broker_id}] Ignoring StopReplica request (delete=true) from controller {controller_id} with correlation id "
             "{correlation_id} epoch {controller_epoch} for partition {topic_partition} due to an unexpected {exception_class} "
             "exception: {error}",
             "[Broker id=2] Ignoring StopReplica request (delete=true) from controller 1 with correlation id 5 epoch 4 for partition "
             "orders-3 due to an unexpected NotControllerException exception: NOT_LEADER_OR_FOLLOWER"),
    Template("RPM-092", "broker_stop_replica_handling", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} handling stop replica (delete={delete_partition}) for partition {topic_partition}",
             "Broker 2 handling stop replica (delete=delete-partition) for partition orders-3"),
    Template("RPM-093", "broker_stop_replica_handling", "TRACE", "state.change.logger", "1.0.2-2.5.1",
             "[Broker id={broker_id}] Handling stop replica (delete={delete_partition}) for partition {topic_partition}",
             "[Broker id=2] Handling stop replica (delete=delete-partition) for partition orders-3"),
    Template("RPM-094", "broker_stop_replica_offline_dir", "ERROR", "state.change.logger", "2.6.3-4.0-dev",
             "[Broker id={broker_id}] Ignoring StopReplica request (delete={delete_partition}) from controller {controller_id} with "
             "correlation id {correlation_id} epoch {controller_epoch} for partition {topic_partition} as the local replica for the "
             "partition is in an offline log directory",
             "[Broker id=1] Ignoring StopReplica request (delete=false) from controller 2 with correlation id 10 epoch 1 for partition "
             "clicks-3 as the local replica for the partition is in an offline log directory"),
    Template("RPM-096", "broker_stop_replica_offline_dir", "ERROR", "state.change.logger", "2.7.2-4.0-dev",
             "[Broker id={broker_id}] Ignoring StopReplica request (delete=true) from controller {controller_id} with correlation id "
             "{correlation_id} epoch {controller_epoch} for partition {topic_partition} as the local replica for the partition is in an "
             "offline log directory",
             "[Broker id=2] Ignoring StopReplica request (delete=true) from controller 1 with correlation id 5 epoch 4 for partition "
             "orders-3 as the local replica for the partition is in an offline log directory"),
    Template("RPM-097", "broker_stop_replica_received", "TRACE", "state.change.logger", "2.6.3-4.0-dev",
             "[Broker id={broker_id}] Received StopReplica request {partition_state} correlation id {correlation_id} from controller "
             "{controller_id} epoch {controller_epoch} for partition {topic_partition}",
             "[Broker id=2] Received StopReplica request LeaderAndIsrPartitionState(topicName='orders', partitionIndex=3, "
             "controllerEpoch=4, leader=2, leaderEpoch=7, isr=[2, 3], partitionEpoch=12, replicas=[1, 2, 3], addingReplicas=[], "
             "removingReplicas=[], isNew=false, leaderRecoveryState=0) correlation id 5 from controller 1 epoch 4 for partition orders-3"),
    Template("RPM-098", "broker_stop_replica_request", "INFO", "state.change.logger", "2.6.3-4.0-dev",
             "[Broker id={broker_id}] Handling StopReplica request correlationId {correlation_id} from controller {controller_id} for "
             "{num_partitions} partitions",
             "[Broker id=1] Handling StopReplica request correlationId 7 from controller 2 for 8 partitions"),
    Template("RPM-099", "broker_stop_replica_same_epoch", "INFO", "state.change.logger", "2.6.3-3.7.1",
             "[Broker id={broker_id}] Ignoring StopReplica request (delete={delete_partition}) from controller {controller_id} with "
             "correlation id {correlation_id} epoch {controller_epoch} for partition {topic_partition} since its associated leader "
             "epoch {request_leader_epoch} matches the current leader epoch",
             "[Broker id=1] Ignoring StopReplica request (delete=false) from controller 2 with correlation id 7 epoch 1 for partition "
             "clicks-0 since its associated leader epoch 0 matches the current leader epoch"),
    Template("RPM-100", "broker_stop_replica_stale_controller", "WARN", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} received stop replica request from an old controller epoch {controller_epoch}. Latest known controller "
             "epoch is {current_controller_epoch}",
             "Broker 2 received stop replica request from an old controller epoch 4. Latest known controller epoch is 16"),
    Template("RPM-101", "broker_stop_replica_stale_controller", "WARN", "state.change.logger", "1.0.2-2.5.1",
             "[Broker id={broker_id}] Received stop replica request from an old controller epoch {controller_epoch}. Latest known "
             "controller epoch is {current_controller_epoch}",
             "[Broker id=2] Received stop replica request from an old controller epoch 4. Latest known controller epoch is 16"),
    Template("RPM-102", "broker_stop_replica_stale_controller", "WARN", "state.change.logger", "2.6.3-4.0-dev",
             "[Broker id={broker_id}] Ignoring StopReplica request from controller {controller_id} with correlation id {correlation_id} "
             "since its controller epoch {controller_epoch} is old. Latest known controller epoch is {current_controller_epoch}",
             "[Broker id=2] Ignoring StopReplica request from controller 1 with correlation id 5 since its controller epoch 4 is old. "
             "Latest known controller epoch is 16"),
    Template("RPM-103", "broker_stop_replica_stale_epoch", "WARN", "state.change.logger", "2.6.3-4.0-dev",
             "[Broker id={broker_id}] Ignoring StopReplica request (delete={delete_partition}) from controller {controller_id} with "
             "correlation id {correlation_id} epoch {controller_epoch} for partition {topic_partition} since its associated leader "
             "epoch {request_leader_epoch} is smaller than the current leader epoch {current_leader_epoch}",
             "[Broker id=2] Ignoring StopReplica request (delete=delete-partition) from controller 1 with correlation id 5 epoch 4 for "
             "partition orders-3 since its associated leader epoch 10 is smaller than the current leader epoch 4"),
    Template("RPM-104", "broker_stop_replica_storage_error", "ERROR", "state.change.logger", "1.0.2-2.5.1",
             "[Broker id={broker_id}] Ignoring stop replica (delete={delete_partitions}) for partition {topic_partition} due to storage "
             "exception",
             "[Broker id=2] Ignoring stop replica (delete=Set(orders-3, clicks-0)) for partition orders-3 due to storage exception"),
    Template("RPM-105", "broker_stray_partitions_in_leader_and_isr", "INFO", "state.change.logger", "3.6.2-4.0-dev",
             "[Broker id={broker_id}] While handling full LeaderAndIsr request from KRaft controller {controller_id} with correlation "
             "id {correlation_id}, found {strays_count} stray partition(s).",
             "[Broker id=2] While handling full LeaderAndIsr request from KRaft controller 1 with correlation id 5, found 3 stray "
             "partition(s)."),
    Template("RPM-106", "broker_update_metadata_stale_controller", "WARN", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Broker {broker_id} received update metadata request with correlation id {correlation_id} from an old controller "
             "{controller_id} with epoch {controller_epoch}. Latest known controller epoch is {current_controller_epoch}",
             "Broker 2 received update metadata request with correlation id 5 from an old controller 1 with epoch 4. Latest known "
             "controller epoch is 16"),
    Template("RPM-107", "broker_update_metadata_stale_controller", "WARN", "state.change.logger", "1.0.2-4.0-dev",
             "[Broker id={broker_id}] Received update metadata request with correlation id {correlation_id} from an old controller "
             "{controller_id} with epoch {controller_epoch}. Latest known controller epoch is {current_controller_epoch}",
             "[Broker id=2] Received update metadata request with correlation id 5 from an old controller 1 with epoch 4. Latest known "
             "controller epoch is 16"),
    Template("RPM-149", "stray_replica_delete_failed", "ERROR", "state.change.logger", "3.0.2-3.6.2",
             "[Broker id={broker_id}] Unable to delete stray replica {topic_partition} because the local replica for the partition is "
             "in an offline log directory: {error}.",
             "[Broker id=2] Unable to delete stray replica orders-3 because the local replica for the partition is in an offline log "
             "directory: NOT_LEADER_OR_FOLLOWER."),
    Template("RPM-150", "stray_replica_delete_failed", "ERROR", "state.change.logger", "3.0.2-3.6.2",
             "[Broker id={broker_id}] Unable to delete stray replica {topic_partition} because we got an unexpected {exception_class} "
             "exception: {error}",
             "[Broker id=2] Unable to delete stray replica orders-3 because we got an unexpected NotControllerException exception: "
             "NOT_LEADER_OR_FOLLOWER"),
    Template("RPM-154", "topic_id_assigned", "INFO", "state.change.logger", "3.0.2-4.0-dev",
             "[Broker id={broker_id}] Updating log for {topic_partition} to assign topic ID {topic_id} from LeaderAndIsr request from "
             "controller {controller_id} with correlation id {correlation_id} epoch {controller_epoch}",
             "[Broker id=2] Updating log for orders-3 to assign topic ID X8snIzwvRQ2wDuEVgycxrQ from LeaderAndIsr request from "
             "controller 1 with correlation id 5 epoch 4"),
    Template("RPM-155", "topic_id_mismatch", "ERROR", "state.change.logger", "3.0.2-4.0-dev",
             "[Broker id={broker_id}] Topic ID in memory: {log_topic_id} does not match the topic ID for partition {topic_partition} "
             "received: {request_topic_id}.",
             "[Broker id=2] Topic ID in memory: X8snIzwvRQ2wDuEVgycxrQ does not match the topic ID for partition orders-3 received: "
             "X8snIzwvRQ2wDuEVgycxrQ."),
    Template("RPM-156", "topic_id_removed_from_fetch", "INFO", "state.change.logger", "3.1.2-4.0-dev",
             "[Broker id={broker_id}] Updating PartitionFetchState for {topic_partition} to remove log topic ID {log_topic_id} since "
             "LeaderAndIsr request from controller {controller_id} with correlation id {correlation_id} epoch {controller_epoch} did "
             "not contain a topic ID",
             "[Broker id=2] Updating PartitionFetchState for orders-3 to remove log topic ID X8snIzwvRQ2wDuEVgycxrQ since LeaderAndIsr "
             "request from controller 1 with correlation id 5 epoch 4 did not contain a topic ID"),
    Template("RPM-157", "broker_deferral", "INFO", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Applying deferred metadata changes",
             "[Broker id=2] Applying deferred metadata changes"),
    Template("RPM-158", "broker_deferral", "INFO", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Deferring metadata changes for {partition_changes_to_be_deferred_count} partition(s)",
             "[Broker id=2] Deferring metadata changes for 10 partition(s)"),
    Template("RPM-159", "broker_deferral", "DEBUG", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata changes are initially being deferred",
             "[Broker id=2] Metadata changes are initially being deferred"),
    Template("RPM-160", "broker_deferral", "INFO", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata changes are no longer being deferred",
             "[Broker id=2] Metadata changes are no longer being deferred"),
    Template("RPM-161", "broker_deferral", "INFO", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata changes are now being deferred",
             "[Broker id=2] Metadata changes are now being deferred"),
    Template("RPM-162", "broker_deferred_applied_summary", "INFO", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Applied {num_partitions} deferred partitions prior to the error: {error} leader(s) and "
             "{partitions_made_follower_count} follower(s)",
             "[Broker id=2] Applied 5 deferred partitions prior to the error: NOT_LEADER_OR_FOLLOWER leader(s) and 10 follower(s)"),
    Template("RPM-163", "broker_deferred_applied_summary", "INFO", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Applied {num_partitions} deferred partitions: {partitions_made_leader_count} leader(s) and "
             "{partitions_made_follower_count} follower(s)in {elapsed_ms} ms",
             "[Broker id=2] Applied 5 deferred partitions: 12 leader(s) and 10 follower(s)in 84 ms"),
    Template("RPM-164", "broker_metadata_batch_error", "ERROR", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] {partition_log_msg_prefix}: error while applying deferred metadata.",
             "[Broker id=2] partition-log-msg-prefix: error while applying deferred metadata."),
    Template("RPM-165", "broker_metadata_batch_summary", "INFO", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset}: applied {num_partitions} partitions: "
             "{partitions_become_leader_count} leader(s) and {partitions_become_follower_count} follower(s)",
             "[Broker id=2] Metadata batch 14: applied 5 partitions: 3 leader(s) and 18 follower(s)"),
    Template("RPM-166", "broker_metadata_batch_summary", "INFO", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset}: handled replica changes in {elapsed_ms} ms",
             "[Broker id=2] Metadata batch 14: handled replica changes in 84 ms"),
    Template("RPM-167", "broker_metadata_batch_summary", "INFO", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset}: {local_changed_count} local partition(s) changed, "
             "{local_removed_count} local partition(s) removed.",
             "[Broker id=2] Metadata batch 14: 11 local partition(s) changed, 17 local partition(s) removed."),
    Template("RPM-168", "broker_metadata_partition_changed", "TRACE", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset}: locally changed: {state}",
             "[Broker id=2] Metadata batch 14: locally changed: state"),
    Template("RPM-169", "broker_metadata_partition_changed", "TRACE", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset}: locally removed: {state}",
             "[Broker id=2] Metadata batch 14: locally removed: state"),
    Template("RPM-170", "broker_metadata_partition_error", "WARN", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Ignoring handlePartitionChanges at {metadata_offset} for partition {topic_partition} as the local "
             "replica for the partition is in an offline log directory",
             "[Broker id=2] Ignoring handlePartitionChanges at 14 for partition orders-3 as the local replica for the partition is in "
             "an offline log directory"),
    Template("RPM-171", "broker_metadata_partition_error", "ERROR", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset}: unable to delete {topic_partition} as the local replica for the "
             "partition is in an offline log directory",
             "[Broker id=2] Metadata batch 14: unable to delete orders-3 as the local replica for the partition is in an offline log "
             "directory"),
    Template("RPM-172", "broker_metadata_partition_error", "ERROR", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset}: unable to delete {topic_partition} due to an unexpected "
             "{exception_class} exception: {error}",
             "[Broker id=2] Metadata batch 14: unable to delete orders-3 due to an unexpected NotControllerException exception: "
             "NOT_LEADER_OR_FOLLOWER"),
    Template("RPM-173", "broker_become_deferred", "TRACE", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Completed batch {metadata_offset} become-deferred transition for partition {topic_partition}",
             "[Broker id=2] Completed batch 14 become-deferred transition for partition orders-3"),
    Template("RPM-174", "broker_become_deferred", "INFO", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset}: as part of become-deferred request, stopped any fetchers for "
             "{num_partitions} partitions",
             "[Broker id=2] Metadata batch 14: as part of become-deferred request, stopped any fetchers for 5 partitions"),
    Template("RPM-175", "broker_become_deferred", "TRACE", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset}: starting the become-deferred transition for partition "
             "{topic_partition} isNew={is_new}",
             "[Broker id=2] Metadata batch 14: starting the become-deferred transition for partition orders-3 isNew=is-new"),
    Template("RPM-176", "broker_become_follower_begin", "TRACE", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Apply deferred follower partition {topic_partition}: starting the become-follower transition with "
             "leader {leader}",
             "[Broker id=2] Apply deferred follower partition orders-3: starting the become-follower transition with leader 2"),
    Template("RPM-177", "broker_become_follower_begin", "TRACE", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset} {topic_partition}: starting the become-follower transition with "
             "leader {leader}",
             "[Broker id=2] Metadata batch 14 orders-3: starting the become-follower transition with leader 2"),
    Template("RPM-178", "broker_become_follower_done", "TRACE", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Apply deferred follower partition {topic_partition}: completed become-follower transition for "
             "partition {topic_partition} with new leader {leader}",
             "[Broker id=2] Apply deferred follower partition orders-3: completed become-follower transition for partition orders-3 "
             "with new leader 2"),
    Template("RPM-179", "broker_become_follower_done", "TRACE", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Apply deferred follower partition {topic_partition}: completed the become-follower state change "
             "with new leader {leader}.",
             "[Broker id=2] Apply deferred follower partition orders-3: completed the become-follower state change with new leader 2."),
    Template("RPM-180", "broker_become_follower_done", "TRACE", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset} {topic_partition}: completed become-follower transition for "
             "partition {topic_partition} with new leader {leader}",
             "[Broker id=2] Metadata batch 14 orders-3: completed become-follower transition for partition orders-3 with new leader 2"),
    Template("RPM-181", "broker_become_follower_done", "TRACE", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset} {topic_partition}: completed the become-follower state change "
             "with new leader {leader}.",
             "[Broker id=2] Metadata batch 14 orders-3: completed the become-follower state change with new leader 2."),
    Template("RPM-182", "broker_become_follower_failed", "ERROR", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Apply deferred follower partition {topic_partition}: unable to complete the become-follower state "
             "change since the replica for the partition is offline due to disk error {exception}",
             "[Broker id=2] Apply deferred follower partition orders-3: unable to complete the become-follower state change since the "
             "replica for the partition is offline due to disk error java.io.IOException: Connection reset"),
    Template("RPM-183", "broker_become_follower_failed", "ERROR", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset} {topic_partition}: unable to complete the become-follower state "
             "change since the replica for the partition is offline due to disk error {exception}",
             "[Broker id=2] Metadata batch 14 orders-3: unable to complete the become-follower state change since the replica for the "
             "partition is offline due to disk error java.io.IOException: Connection reset"),
    Template("RPM-185", "broker_become_follower_fetchers_stopped_summary", "INFO", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset_text}: stopped followers for {num_partitions} partitions",
             "[Broker id=2] Metadata batch metadata-offset-text: stopped followers for 5 partitions"),
    Template("RPM-186", "broker_become_follower_leader_unavailable", "ERROR", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Apply deferred follower partition {topic_partition}: cannot become follower since the new leader "
             "{leader} is unavailable.",
             "[Broker id=2] Apply deferred follower partition orders-3: cannot become follower since the new leader 2 is unavailable."),
    Template("RPM-187", "broker_become_follower_leader_unavailable", "ERROR", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset} {topic_partition}: cannot become follower since the new leader "
             "{leader} is unavailable.",
             "[Broker id=2] Metadata batch 14 orders-3: cannot become follower since the new leader 2 is unavailable."),
    Template("RPM-188", "broker_become_follower_shutting_down", "TRACE", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Apply deferred follower partition {topic_partition}: skipped the adding-fetcher step of the "
             "become-follower state for {topic_partition} since we are shutting down.",
             "[Broker id=2] Apply deferred follower partition orders-3: skipped the adding-fetcher step of the become-follower state "
             "for orders-3 since we are shutting down."),
    Template("RPM-189", "broker_become_follower_shutting_down", "TRACE", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset} {topic_partition}: skipped the adding-fetcher step of the "
             "become-follower state for {topic_partition} since we are shutting down.",
             "[Broker id=2] Metadata batch 14 orders-3: skipped the adding-fetcher step of the become-follower state for orders-3 since "
             "we are shutting down."),
    Template("RPM-190", "broker_become_follower_skipped", "INFO", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Apply deferred follower partition {topic_partition}: skipped the become-follower state change "
             "since the new leader {leader} is the same as the old leader.",
             "[Broker id=2] Apply deferred follower partition orders-3: skipped the become-follower state change since the new leader 2 "
             "is the same as the old leader."),
    Template("RPM-191", "broker_become_follower_skipped", "INFO", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset} {topic_partition}: skipped the become-follower state change "
             "since the new leader {leader} is the same as the old leader.",
             "[Broker id=2] Metadata batch 14 orders-3: skipped the become-follower state change since the new leader 2 is the same as "
             "the old leader."),
    Template("RPM-192", "broker_become_leader_done", "TRACE", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Apply deferred leader partition {topic_partition}: completed the become-leader state change.",
             "[Broker id=2] Apply deferred leader partition orders-3: completed the become-leader state change."),
    Template("RPM-193", "broker_become_leader_done", "TRACE", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset} {topic_partition}: completed the become-leader state change.",
             "[Broker id=2] Metadata batch 14 orders-3: completed the become-leader state change."),
    Template("RPM-194", "broker_become_leader_failed", "ERROR", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Apply deferred leader partition {topic_partition}: unable to make leader because the replica for "
             "the partition is offline due to disk error {exception}",
             "[Broker id=2] Apply deferred leader partition orders-3: unable to make leader because the replica for the partition is "
             "offline due to disk error java.io.IOException: Connection reset"),
    Template("RPM-195", "broker_become_leader_failed", "ERROR", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset} {topic_partition}: unable to make leader because the replica for "
             "the partition is offline due to disk error {exception}",
             "[Broker id=2] Metadata batch 14 orders-3: unable to make leader because the replica for the partition is offline due to "
             "disk error java.io.IOException: Connection reset"),
    Template("RPM-197", "broker_become_leader_fetchers_stopped_summary", "INFO", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset_text}: stopped {num_partitions} fetcher(s)",
             "[Broker id=2] Metadata batch metadata-offset-text: stopped 5 fetcher(s)"),
    Template("RPM-198", "broker_become_leader_skipped", "INFO", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Apply deferred leader partition {topic_partition}: skipped the become-leader state change since "
             "it is already the leader.",
             "[Broker id=2] Apply deferred leader partition orders-3: skipped the become-leader state change since it is already the "
             "leader."),
    Template("RPM-199", "broker_become_leader_skipped", "INFO", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset} {topic_partition}: skipped the become-leader state change since "
             "it is already the leader.",
             "[Broker id=2] Metadata batch 14 orders-3: skipped the become-leader state change since it is already the leader."),
    Template("RPM-200", "broker_metadata_batch_error", "ERROR", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset_text}: error while processing batch",
             "[Broker id=2] Metadata batch metadata-offset-text: error while processing batch"),
    Template("RPM-201", "broker_metadata_batch_error", "ERROR", "state.change.logger", "2.8.2",
             "[Broker id={broker_id}] Metadata batch {metadata_offset_text}: error while processing batch.",
             "[Broker id=2] Metadata batch metadata-offset-text: error while processing batch."),
    Template("RPM-266", "topic_id_mismatch", "ERROR", "state.change.logger", "3.0.2-4.3.1",
             "[Broker id={broker_id}] Topic {topic} exists, but its ID is {topic_id}, not {request_topic_id} as expected",
             "[Broker id=2] Topic orders exists, but its ID is X8snIzwvRQ2wDuEVgycxrQ, not X8snIzwvRQ2wDuEVgycxrQ as expected"),
    Template("ZKC-123", "controller_leader_and_isr_error_response", "ERROR", "state.change.logger", "1.0.2-2.4.1",
             "[Controller id={controller_id}] Received error in LeaderAndIsr response {response} from broker {broker_id}",
             "[Controller id=1] Received error in LeaderAndIsr response response from broker 2"),
    Template("ZKC-224", "controller_replicas_marked_offline", "INFO", "state.change.logger", "1.0.2-4.0-dev",
             "[Controller id={controller_id}] Mark replicas {new_offline_replicas} on broker {broker_id} as offline",
             "[Controller id=2] Mark replicas clicks-5,orders-0,clicks-4,orders-1,clicks-3,orders-3 on broker 1 as offline"),
    Template("ZKC-232", "controller_send_leader_and_isr_reassign", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Controller {controller_id} epoch {controller_epoch} sent LeaderAndIsr request {leader_isr_and_controller_epoch} with new "
             "assigned replica list {new_replicas} to leader {leader} for partition being reassigned {topic_partition}",
             "Controller 1 epoch 4 sent LeaderAndIsr request (Leader:2,ISR:2,3,LeaderEpoch:7,ZkVersion:12,ControllerEpoch:4) with new "
             "assigned replica list 2,3 to leader 2 for partition being reassigned orders-3"),
    Template("ZKC-233", "controller_send_leader_and_isr_reassign", "TRACE", "state.change.logger", "1.0.2-2.3.1",
             "[Controller id={controller_id} epoch={controller_epoch}] Sent LeaderAndIsr request {leader_isr_and_controller_epoch} with "
             "new assigned replica list {new_replicas} to leader {leader} for partition being reassigned {topic_partition}",
             "[Controller id=1 epoch=4] Sent LeaderAndIsr request (Leader:2,ISR:2,3,LeaderEpoch:7,ZkVersion:12,ControllerEpoch:4) with "
             "new assigned replica list 2,3 to leader 2 for partition being reassigned orders-3"),
    Template("ZKC-234", "controller_send_leader_and_isr_reassign", "INFO", "state.change.logger", "2.4.1-2.5.1 2.6.3-4.0-dev",
             "[Controller id={controller_id} epoch={controller_epoch}] Sent LeaderAndIsr request {leader_isr_and_controller_epoch} with "
             "new replica assignment {assignment} to leader {leader} for partition being reassigned {topic_partition}",
             "[Controller id=1 epoch=4] Sent LeaderAndIsr request (Leader:2,ISR:2,3,LeaderEpoch:7,ZkVersion:12,ControllerEpoch:4) with "
             "new replica assignment assignment to leader 2 for partition being reassigned orders-3"),
    Template("ZKC-236", "controller_send_leader_and_isr_reassign_failed", "ERROR", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Controller {controller_id} epoch {controller_epoch} failed to send LeaderAndIsr request with new assigned replica list "
             "{new_replicas} to leader for partition being reassigned {topic_partition}",
             "Controller 1 epoch 4 failed to send LeaderAndIsr request with new assigned replica list 2,3 to leader for partition being "
             "reassigned orders-3"),
    Template("ZKC-237", "controller_send_leader_and_isr_reassign_failed", "ERROR", "state.change.logger", "1.0.2-2.3.1",
             "[Controller id={controller_id} epoch={controller_epoch}] Failed to send LeaderAndIsr request with new assigned replica "
             "list {new_replicas} to leader for partition being reassigned {topic_partition}",
             "[Controller id=1 epoch=4] Failed to send LeaderAndIsr request with new assigned replica list 2,3 to leader for partition "
             "being reassigned orders-3"),
    Template("ZKC-238", "controller_send_leader_and_isr_reassign_failed", "ERROR", "state.change.logger", "2.4.1-4.0-dev",
             "[Controller id={controller_id} epoch={controller_epoch}] Failed to send LeaderAndIsr request with new replica assignment "
             "{assignment} to leader for partition being reassigned {topic_partition}",
             "[Controller id=1 epoch=4] Failed to send LeaderAndIsr request with new replica assignment assignment to leader for "
             "partition being reassigned orders-3"),
    Template("ZKC-317", "partition_election_failed", "ERROR", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Controller {controller_id} epoch {controller_epoch} aborted leader election for partition [{topic},{partition}] since the "
             "LeaderAndIsr path was already written by another controller. This probably means that the current controller "
             "{controller_id} went through a soft failure and another controller was elected with epoch {other_controller_epoch}.",
             "Controller 1 epoch 4 aborted leader election for partition [orders,3] since the LeaderAndIsr path was already written by "
             "another controller. This probably means that the current controller 1 went through a soft failure and another controller "
             "was elected with epoch 12."),
    Template("ZKC-318", "partition_election_failed", "ERROR", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Controller {controller_id} epoch {controller_epoch} encountered error during state change of partition {topic_partition} "
             "from New to Online, assigned replicas are [{assigned_replicas}], live brokers are [{live_brokers}]. No assigned replica "
             "is alive.",
             "Controller 1 epoch 4 encountered error during state change of partition orders-3 from New to Online, assigned replicas "
             "are [2,3], live brokers are [2,3]. No assigned replica is alive."),
    Template("ZKC-319", "partition_election_failed", "ERROR", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Controller {controller_id} epoch {controller_epoch} encountered error while changing partition {topic_partition}'s state "
             "from New to Online since LeaderAndIsr path already exists with value {leader_and_isr} and controller epoch "
             "{existing_controller_epoch}",
             "Controller 1 epoch 4 encountered error while changing partition orders-3's state from New to Online since LeaderAndIsr "
             "path already exists with value LeaderAndIsr(leader=2, leaderEpoch=7, isr=List(2, 3), zkVersion=12) and controller epoch 18"),
    Template("ZKC-320", "partition_election_failed", "ERROR", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Controller {controller_id} epoch {controller_epoch} encountered error while electing leader for partition "
             "{topic_partition} due to: {error}.",
             "Controller 1 epoch 4 encountered error while electing leader for partition orders-3 due to: NOT_LEADER_OR_FOLLOWER."),
    Template("ZKC-321", "partition_election_failed", "ERROR", "state.change.logger", "1.0.2",
             "[Controller id={controller_id} epoch={controller_epoch}] Aborted leader election for partition {topic_partition} since "
             "the LeaderAndIsr path was already written by another controller. This probably means that the current controller "
             "{controller_id} went through a soft failure and another controller was elected with epoch {other_controller_epoch}.",
             "[Controller id=1 epoch=4] Aborted leader election for partition orders-3 since the LeaderAndIsr path was already written "
             "by another controller. This probably means that the current controller 1 went through a soft failure and another "
             "controller was elected with epoch 12."),
    Template("ZKC-322", "partition_election_failed", "ERROR", "state.change.logger", "1.0.2",
             "[Controller id={controller_id} epoch={controller_epoch}] Encountered error during state change of partition "
             "{topic_partition} from New to Online, assigned replicas are [{assigned_replicas}], live brokers are [{live_brokers}]. No "
             "assigned replica is alive.",
             "[Controller id=1 epoch=4] Encountered error during state change of partition orders-3 from New to Online, assigned "
             "replicas are [2,3], live brokers are [2,3]. No assigned replica is alive."),
    Template("ZKC-323", "partition_election_failed", "ERROR", "state.change.logger", "1.0.2",
             "[Controller id={controller_id} epoch={controller_epoch}] Encountered error while changing partition {topic_partition}'s "
             "state from New to Online since LeaderAndIsr path already exists with value {leader_and_isr} and controller epoch "
             "{existing_controller_epoch}",
             "[Controller id=1 epoch=4] Encountered error while changing partition orders-3's state from New to Online since "
             "LeaderAndIsr path already exists with value LeaderAndIsr(leader=2, leaderEpoch=7, isr=List(2, 3), zkVersion=12) and "
             "controller epoch 18"),
    Template("ZKC-324", "partition_election_failed", "ERROR", "state.change.logger", "1.0.2",
             "[Controller id={controller_id} epoch={controller_epoch}] Encountered error while electing leader for partition "
             "{topic_partition} due to: {error}",
             "[Controller id=1 epoch=4] Encountered error while electing leader for partition orders-3 due to: NOT_LEADER_OR_FOLLOWER"),
    Template("ZKC-326", "partition_election_started", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Controller {controller_id} epoch {controller_epoch} started leader election for partition {topic_partition}",
             "Controller 1 epoch 4 started leader election for partition orders-3"),
    Template("ZKC-327", "partition_election_started", "TRACE", "state.change.logger", "1.0.2",
             "[Controller id={controller_id} epoch={controller_epoch}] Started leader election for partition {topic_partition}",
             "[Controller id=1 epoch=4] Started leader election for partition orders-3"),
    Template("ZKC-333", "partition_leader_elected", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Controller {controller_id} epoch {controller_epoch} elected leader {new_leader} for Offline partition {topic_partition}",
             "Controller 1 epoch 4 elected leader new-leader for Offline partition orders-3"),
    Template("ZKC-334", "partition_leader_elected", "TRACE", "state.change.logger", "1.0.2",
             "[Controller id={controller_id} epoch={controller_epoch}] Elected leader {new_leader} for Offline partition "
             "{topic_partition}",
             "[Controller id=1 epoch=4] Elected leader new-leader for Offline partition orders-3"),
    Template("ZKC-337", "partition_state_change_failed", "ERROR", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Controller {controller_id} epoch {controller_epoch} initiated state change for partition {topic_partition} from "
             "{from_state} to {to_state} failed",
             "Controller 1 epoch 4 initiated state change for partition orders-3 from OnlinePartition to OfflinePartition failed"),
    Template("ZKC-338", "partition_state_change_failed", "ERROR", "state.change.logger", "1.0.2",
             "[Controller id={controller_id} epoch={controller_epoch}] Initiated state change for partition {topic_partition} from "
             "{from_state} to {to_state} failed",
             "[Controller id=1 epoch=4] Initiated state change for partition orders-3 from OnlinePartition to OfflinePartition failed"),
    Template("ZKC-339", "partition_state_change_failed", "ERROR", "state.change.logger", "1.1.1-4.0-dev",
             "[Controller id={controller_id} epoch={controller_epoch}] Controller {controller_id} epoch {controller_epoch} failed to "
             "change state for partition {topic_partition} from {from_state} to {to_state}",
             "[Controller id=1 epoch=4] Controller 1 epoch 4 failed to change state for partition orders-3 from OnlinePartition to "
             "OfflinePartition"),
    Template("ZKC-340", "partition_state_changed", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Controller {controller_id} epoch {controller_epoch} changed partition {topic_partition} state from {from_state} to "
             "{to_state}",
             "Controller 1 epoch 4 changed partition orders-3 state from OnlinePartition to OfflinePartition"),
    Template("ZKC-341", "partition_state_changed", "TRACE", "state.change.logger", "1.0.2-4.0-dev",
             "[Controller id={controller_id} epoch={controller_epoch}] Changed partition {topic_partition} state from {from_state} to "
             "{to_state}",
             "[Controller id=1 epoch=1] Changed partition clicks-0 state from OnlinePartition to OfflinePartition"),
    Template("ZKC-342", "partition_state_changed", "TRACE", "state.change.logger", "1.0.2",
             "[Controller id={controller_id}] Changed partition {topic_partition} state from {from_state} to {to_state}",
             "[Controller id=1] Changed partition orders-3 state from OnlinePartition to OfflinePartition"),
    Template("ZKC-343", "partition_state_new", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Controller {controller_id} epoch {controller_epoch} changed partition {topic_partition} state from {from_state} to "
             "{to_state} with assigned replicas {replicas}",
             "Controller 1 epoch 4 changed partition orders-3 state from OnlinePartition to OfflinePartition with assigned replicas 2,3"),
    Template("ZKC-344", "partition_state_new", "INFO", "state.change.logger", "1.0.2-2.5.1 2.6.3-4.0-dev",
             "[Controller id={controller_id} epoch={controller_epoch}] Changed partition {topic_partition} state from {from_state} to "
             "{to_state} with assigned replicas {replicas}",
             "[Controller id=1 epoch=1] Changed partition clicks-0 state from NonExistentPartition to NewPartition with assigned "
             "replicas 2,1,3"),
    Template("ZKC-346", "partition_state_online_with_leader", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Controller {controller_id} epoch {controller_epoch} changed partition {topic_partition} from {from_state} to {to_state} "
             "with leader {leader}",
             "Controller 1 epoch 4 changed partition orders-3 from OnlinePartition to OfflinePartition with leader 2"),
    Template("ZKC-347", "partition_state_online_with_leader", "TRACE", "state.change.logger", "1.0.2",
             "[Controller id={controller_id} epoch={controller_epoch}] Changed partition {topic_partition} from {from_state} to "
             "{to_state} with leader {leader}",
             "[Controller id=1 epoch=4] Changed partition orders-3 from OnlinePartition to OfflinePartition with leader 2"),
    Template("ZKC-348", "partition_state_online_with_leader", "INFO", "state.change.logger", "1.1.1-2.5.1 2.6.3-4.0-dev",
             "[Controller id={controller_id} epoch={controller_epoch}] Changed partition {topic_partition} from {from_state} to "
             "{to_state} with state {leader_and_isr}",
             "[Controller id=1 epoch=1] Changed partition clicks-0 from OfflinePartition to OnlinePartition with state "
             "LeaderAndIsr(leader=1, leaderEpoch=2, isr=List(1), zkVersion=2)"),
    Template("ZKC-374", "replica_removed_from_isr", "INFO", "state.change.logger", "2.6.3-4.0-dev",
             "[Controller id={controller_id} epoch={controller_epoch}] Partition {topic_partition} state changed to "
             "{leader_isr_and_controller_epoch} after removing replica {replica_id} from the ISR as part of transition to OfflineReplica",
             "[Controller id=1 epoch=1] Partition clicks-0 state changed to "
             "(Leader:1,ISR:1,LeaderEpoch:2,ZkVersion:2,ControllerEpoch:1) after removing replica 3 from the ISR as part of transition "
             "to OfflineReplica"),
    Template("ZKC-375", "replica_state_change_failed", "ERROR", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Controller {controller_id} epoch {controller_epoch} initiated state change of replica {replica_id} for partition "
             "[{topic},{partition}] from {from_state} to {to_state} failed",
             "Controller 1 epoch 4 initiated state change of replica 3 for partition [orders,3] from OnlinePartition to "
             "OfflinePartition failed"),
    Template("ZKC-376", "replica_state_change_failed", "ERROR", "state.change.logger", "1.0.2",
             "[Controller id={controller_id} epoch={controller_epoch}] Initiated state change of replica {replica_id} for partition "
             "{topic_partition} from {from_state} to {to_state} failed",
             "[Controller id=1 epoch=4] Initiated state change of replica 3 for partition orders-3 from OnlinePartition to "
             "OfflinePartition failed"),
    Template("ZKC-377", "replica_state_change_failed", "ERROR", "state.change.logger", "1.1.1-4.0-dev",
             "[Controller id={controller_id} epoch={controller_epoch}] Controller {controller_id} epoch {controller_epoch} initiated "
             "state change of replica {replica_id} for partition {topic_partition} from {from_state} to {to_state} failed",
             "[Controller id=1 epoch=4] Controller 1 epoch 4 initiated state change of replica 3 for partition orders-3 from "
             "OnlinePartition to OfflinePartition failed"),
    Template("ZKC-378", "replica_state_changed", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Controller {controller_id} epoch {controller_epoch} changed state of replica {replica_id} for partition {topic_partition} "
             "from {from_state} to {to_state}",
             "Controller 1 epoch 4 changed state of replica 3 for partition orders-3 from OnlinePartition to OfflinePartition"),
    Template("ZKC-379", "replica_state_changed", "TRACE", "state.change.logger", "1.0.2-4.0-dev",
             "[Controller id={controller_id} epoch={controller_epoch}] Changed state of replica {replica_id} for partition "
             "{topic_partition} from {from_state} to {to_state}",
             "[Controller id=1 epoch=1] Changed state of replica 1 for partition clicks-0 from NewReplica to OnlineReplica"),
    Template("ZKC-400", "controller_response_received", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Controller {controller_id} epoch {controller_epoch} received response {response} for a request sent to broker "
             "{broker_node}",
             "Controller 1 epoch 4 received response response for a request sent to broker broker-node"),
    Template("ZKC-401", "controller_response_received", "TRACE", "state.change.logger", "1.0.2",
             "[Controller id={controller_id} epoch={controller_epoch}] Received response {response} for a request sent to broker "
             "{broker_node}",
             "[Controller id=1 epoch=4] Received response response for a request sent to broker broker-node"),
    Template("ZKC-402", "controller_response_received", "TRACE", "state.change.logger", "1.1.1-4.0-dev",
             "[Controller id={controller_id} epoch={controller_epoch}] Received response {response} for request {api} with correlation "
             "id {correlation_id} sent to broker {broker_node}",
             "[Controller id=1 epoch=1] Received response {error_code=0} for request UPDATE_METADATA with correlation id 0 sent to "
             "broker 10.77.0.11:9092 (id: 1 rack: null)"),
    Template("ZKC-409", "controller_send_leader_and_isr", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Controller {controller_id} epoch {controller_epoch} sending {type_of_request} LeaderAndIsr request "
             "{leader_isr_and_controller_epoch} to broker {broker} for partition [{topic},{partition}]",
             "Controller 1 epoch 4 sending type-of-request LeaderAndIsr request "
             "(Leader:2,ISR:2,3,LeaderEpoch:7,ZkVersion:12,ControllerEpoch:4) to broker broker for partition [orders,3]"),
    Template("ZKC-410", "controller_send_leader_and_isr", "TRACE", "state.change.logger", "1.0.2-4.0-dev",
             "[Controller id={controller_id} epoch={controller_epoch}] Sending {type_of_request} LeaderAndIsr request {partition_state} "
             "to broker {broker} for partition {topic_partition}",
             "[Controller id=3 epoch=1] Sending become-leader LeaderAndIsr request PartitionState(controllerEpoch=1, leader=3, "
             "leaderEpoch=2, isr=3, zkVersion=2, replicas=1,2,3, isNew=false) to broker 3 for partition clicks-3"),
    Template("ZKC-411", "controller_send_leader_and_isr_summary", "INFO", "state.change.logger", "2.6.3-4.0-dev",
             "[Controller id={controller_id} epoch={controller_epoch}] Sending LeaderAndIsr request to broker {broker} with "
             "{num_become_leaders} become-leader and {num_become_followers} become-follower partitions",
             "[Controller id=1 epoch=1] Sending LeaderAndIsr request to broker 1 with 1 become-leader and 2 become-follower partitions"),
    Template("ZKC-412", "controller_send_stop_replica", "TRACE", "state.change.logger", "2.6.3-4.0-dev",
             "[Controller id={controller_id} epoch={controller_epoch}] Sending StopReplica request {partition_state} to broker "
             "{broker_id} for partition {topic_partition}",
             "[Controller id=1 epoch=4] Sending StopReplica request LeaderAndIsrPartitionState(topicName='orders', partitionIndex=3, "
             "controllerEpoch=4, leader=2, leaderEpoch=7, isr=[2, 3], partitionEpoch=12, replicas=[1, 2, 3], addingReplicas=[], "
             "removingReplicas=[], isNew=false, leaderRecoveryState=0) to broker 2 for partition orders-3"),
    Template("ZKC-415", "controller_send_stop_replica_summary", "INFO", "state.change.logger", "2.6.3-4.0-dev",
             "[Controller id={controller_id} epoch={controller_epoch}] Sending StopReplica request (delete = false) for "
             "{num_partition_state_without_delete} replicas to broker {broker_id}",
             "[Controller id=1 epoch=4] Sending StopReplica request (delete = false) for 10 replicas to broker 2"),
    Template("ZKC-416", "controller_send_stop_replica_summary", "INFO", "state.change.logger", "2.6.3-4.0-dev",
             "[Controller id={controller_id} epoch={controller_epoch}] Sending StopReplica request (delete = true) for "
             "{num_partition_state_with_delete} replicas to broker {broker_id}",
             "[Controller id=1 epoch=4] Sending StopReplica request (delete = true) for 6 replicas to broker 2"),
    Template("ZKC-417", "controller_send_stop_replica_summary", "INFO", "state.change.logger", "2.6.3-4.0-dev",
             "[Controller id={controller_id} epoch={controller_epoch}] Sending StopReplica request for {num_partitions} replicas to "
             "broker {broker_id}",
             "[Controller id=2 epoch=1] Sending StopReplica request for 6 replicas to broker 1"),
    Template("ZKC-418", "controller_send_update_metadata", "TRACE", "state.change.logger", "0.10.2.2-0.11.0.3",
             "Controller {controller_id} epoch {controller_epoch} sending UpdateMetadata request {leader_isr_and_controller_epoch} to "
             "brokers {broker_ids} for partition {topic_partition}",
             "Controller 1 epoch 4 sending UpdateMetadata request (Leader:2,ISR:2,3,LeaderEpoch:7,ZkVersion:12,ControllerEpoch:4) to "
             "brokers broker-ids for partition orders-3"),
    Template("ZKC-419", "controller_send_update_metadata", "TRACE", "state.change.logger", "1.0.2-2.5.1",
             "[Controller id={controller_id} epoch={controller_epoch}] Sending UpdateMetadata request {partition_state} to brokers "
             "{broker_ids} for partition {topic_partition}",
             "[Controller id=3 epoch=1] Sending UpdateMetadata request PartitionState(controllerEpoch=1, leader=3, leaderEpoch=2, "
             "isr=[3], zkVersion=2, replicas=[1, 2, 3], offlineReplicas=[2]) to brokers Set(1) for partition clicks-3"),
    Template("ZKC-420", "controller_send_update_metadata_summary", "INFO", "state.change.logger", "2.6.3-4.0-dev",
             "[Controller id={controller_id} epoch={controller_epoch}] Sending UpdateMetadata request to brokers {broker_ids} for "
             "{num_partitions} partitions",
             "[Controller id=1 epoch=1] Sending UpdateMetadata request to brokers HashSet() for 0 partitions"),
)
