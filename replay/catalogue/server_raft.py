"""What the Raft client of the KRaft quorum writes to server.log."""

from replay.catalogue.template import Template

TEMPLATES = (
    Template("RFT-001", "raft_append_commit", "DEBUG", "KafkaRaftClient", "2.7.2",
             "[RaftManager nodeId={node_id}] Completed committing append with {num_committed_records} records at {offset_and_epoch}",
             "[RaftManager nodeId=2] Completed committing append with 5 records at offset-and-epoch"),
    Template("RFT-002", "raft_append_commit", "ERROR", "KafkaRaftClient", "2.7.2",
             "[RaftManager nodeId={node_id}] Failed to commit append at {offset_and_epoch} due to {exception}",
             "[RaftManager nodeId=2] Failed to commit append at offset-and-epoch due to java.io.IOException: Connection reset"),
    Template("RFT-003", "raft_append_commit", "DEBUG", "KafkaRaftClient", "2.8.2-3.4.1",
             "[RaftManager nodeId={node_id}] Completed commit of {num_records} records at {offset_and_epoch}",
             "[RaftManager nodeId=2] Completed commit of 15 records at offset-and-epoch"),
    Template("RFT-004", "raft_append_commit", "DEBUG", "KafkaRaftClient", "2.8.2-3.4.1",
             "[RaftManager nodeId={node_id}] Failed to commit {num_records} records at {offset_and_epoch}",
             "[RaftManager nodeId=2] Failed to commit 15 records at offset-and-epoch"),
    Template("RFT-005", "raft_append_commit", "DEBUG", "KafkaRaftClient", "3.5.2-3.7.1",
             "[RaftManager id={node_id}] Completed commit of {num_records} records at {offset_and_epoch}",
             "[RaftManager id=2] Completed commit of 15 records at offset-and-epoch"),
    Template("RFT-006", "raft_append_commit", "DEBUG", "KafkaRaftClient", "3.5.2-3.7.1",
             "[RaftManager id={node_id}] Failed to commit {num_records} records at {offset_and_epoch}",
             "[RaftManager id=2] Failed to commit 15 records at offset-and-epoch"),
    Template("RFT-007", "raft_append_commit", "DEBUG", "KafkaRaftClient", "3.8.1-4.3.1",
             "[RaftManager id={node_id}] Completed commit of {num_records} records up to last offset {offset_and_epoch}",
             "[RaftManager id=2] Completed commit of 15 records up to last offset offset-and-epoch"),
    Template("RFT-008", "raft_append_commit", "DEBUG", "KafkaRaftClient", "3.8.1-4.3.1",
             "[RaftManager id={node_id}] Failed to commit {num_records} records up to last offset {offset_and_epoch}",
             "[RaftManager id=2] Failed to commit 15 records up to last offset offset-and-epoch"),
    Template("RFT-009", "raft_become_candidate", "INFO", "KafkaRaftClient", "2.7.2-3.4.1",
             "[RaftManager nodeId={node_id}] Become candidate due to fetch timeout",
             "[RaftManager nodeId=1] Become candidate due to fetch timeout"),
    Template("RFT-010", "raft_become_candidate", "INFO", "KafkaRaftClient", "3.5.2-4.0-dev",
             "[RaftManager id={node_id}] Become candidate due to fetch timeout",
             "[RaftManager id=1] Become candidate due to fetch timeout"),
    Template("RFT-011", "raft_clean_error", "ERROR", "KafkaRaftClient", "3.0.2-3.4.1",
             "[RaftManager nodeId={node_id}] Had an error during log cleaning",
             "[RaftManager nodeId=2] Had an error during log cleaning"),
    Template("RFT-012", "raft_clean_error", "ERROR", "KafkaRaftClient", "3.5.2-4.3.1",
             "[RaftManager id={node_id}] Had an error during log cleaning",
             "[RaftManager id=2] Had an error during log cleaning"),
    Template("RFT-013", "raft_election_lost_votes", "INFO", "KafkaRaftClient", "2.7.2-3.4.1",
             "[RaftManager nodeId={node_id}] Insufficient remaining votes to become leader (rejected by {rejecting_voters}). We will "
             "backoff before retrying election again",
             "[RaftManager nodeId=1] Insufficient remaining votes to become leader (rejected by [2, 3]). We will backoff before "
             "retrying election again"),
    Template("RFT-014", "raft_election_lost_votes", "INFO", "KafkaRaftClient", "3.5.2-4.0-dev",
             "[RaftManager id={node_id}] Insufficient remaining votes to become leader (rejected by {rejecting_voters}). We will "
             "backoff before retrying election again",
             "[RaftManager id=1] Insufficient remaining votes to become leader (rejected by [2, 3]). We will backoff before retrying "
             "election again"),
    Template("RFT-015", "raft_election_timeout", "DEBUG", "KafkaRaftClient", "2.7.2-3.4.1",
             "[RaftManager nodeId={node_id}] Election has timed out, backing off for {backoff_duration_ms}ms before becoming a "
             "candidate again",
             "[RaftManager nodeId=2] Election has timed out, backing off for 250ms before becoming a candidate again"),
    Template("RFT-016", "raft_election_timeout", "INFO", "KafkaRaftClient", "3.5.2-4.0-dev",
             "[RaftManager id={node_id}] Election has timed out, backing off for {backoff_duration_ms}ms before becoming a candidate "
             "again",
             "[RaftManager id=3] Election has timed out, backing off for 0ms before becoming a candidate again"),
    Template("RFT-017", "raft_end_quorum_epoch", "DEBUG", "KafkaRaftClient", "2.8.2-3.4.1",
             "[RaftManager nodeId={node_id}] Overriding follower fetch timeout to {election_backoff_ms} after receiving EndQuorumEpoch "
             "request from leader {request_leader_id} in epoch {request_epoch}",
             "[RaftManager nodeId=2] Overriding follower fetch timeout to 250 after receiving EndQuorumEpoch request from leader 11 in "
             "epoch 8"),
    Template("RFT-018", "raft_end_quorum_epoch", "DEBUG", "KafkaRaftClient", "3.5.2-4.3.1",
             "[RaftManager id={node_id}] Overriding follower fetch timeout to {election_backoff_ms} after receiving EndQuorumEpoch "
             "request from leader {request_leader_id} in epoch {request_epoch}",
             "[RaftManager id=2] Overriding follower fetch timeout to 250 after receiving EndQuorumEpoch request from leader 11 in "
             "epoch 8"),
    Template("RFT-019", "raft_fetch_failed", "DEBUG", "KafkaRaftClient", "2.7.2-3.4.1",
             "[RaftManager nodeId={node_id}] Failed to handle fetch from {replica_id} at {fetch_offset} due to {error}",
             "[RaftManager nodeId=2] Failed to handle fetch from 3 at 9 due to NOT_LEADER_OR_FOLLOWER"),
    Template("RFT-020", "raft_fetch_failed", "INFO", "KafkaRaftClient", "3.5.2-4.4.0",
             "[RaftManager id={node_id}] Failed to handle fetch from {replica_key} at {fetch_offset} due to {error}",
             "[RaftManager id=2] Failed to handle fetch from replica-key at 9 due to NOT_LEADER_OR_FOLLOWER"),
    Template("RFT-021", "raft_hw_updated", "DEBUG", "KafkaRaftClient", "2.7.2",
             "[RaftManager nodeId={node_id}] High watermark updated to {raft_high_watermark}",
             "[RaftManager nodeId=2] High watermark updated to raft-high-watermark"),
    Template("RFT-022", "raft_hw_updated", "DEBUG", "KafkaRaftClient", "2.8.2-3.4.1",
             "[RaftManager nodeId={node_id}] Follower high watermark updated to {raft_new_high_watermark}",
             "[RaftManager nodeId=2] Follower high watermark updated to raft-new-high-watermark"),
    Template("RFT-023", "raft_hw_updated", "DEBUG", "KafkaRaftClient", "2.8.2-3.4.1",
             "[RaftManager nodeId={node_id}] Leader high watermark updated to {raft_high_watermark}",
             "[RaftManager nodeId=2] Leader high watermark updated to raft-high-watermark"),
    Template("RFT-024", "raft_hw_updated", "DEBUG", "KafkaRaftClient", "3.5.2-4.3.1",
             "[RaftManager id={node_id}] Follower high watermark updated to {raft_new_high_watermark}",
             "[RaftManager id=2] Follower high watermark updated to raft-new-high-watermark"),
    Template("RFT-025", "raft_hw_updated", "DEBUG", "KafkaRaftClient", "3.5.2-4.3.1",
             "[RaftManager id={node_id}] Leader high watermark updated to {raft_high_watermark}",
             "[RaftManager id=2] Leader high watermark updated to raft-high-watermark"),
    Template("RFT-026", "raft_invalid_snapshot_id", "ERROR", "KafkaRaftClient", "2.8.2-3.4.1",
             "[RaftManager nodeId={node_id}] The leader sent a snapshot id with a valid end offset {snapshot_end_offset} but with an "
             "invalid epoch {snapshot_epoch}",
             "[RaftManager nodeId=2] The leader sent a snapshot id with a valid end offset 8 but with an invalid epoch 9"),
    Template("RFT-027", "raft_invalid_snapshot_id", "ERROR", "KafkaRaftClient", "2.8.2-3.4.1",
             "[RaftManager nodeId={node_id}] The leader sent a snapshot id with a valid epoch {snapshot_epoch} but with an invalid end "
             "offset {snapshot_end_offset}",
             "[RaftManager nodeId=2] The leader sent a snapshot id with a valid epoch 9 but with an invalid end offset 8"),
    Template("RFT-028", "raft_invalid_snapshot_id", "ERROR", "KafkaRaftClient", "3.5.2-4.3.1",
             "[RaftManager id={node_id}] The leader sent a snapshot id with a valid end offset {snapshot_end_offset} but with an "
             "invalid epoch {snapshot_epoch}",
             "[RaftManager id=2] The leader sent a snapshot id with a valid end offset 8 but with an invalid epoch 9"),
    Template("RFT-029", "raft_invalid_snapshot_id", "ERROR", "KafkaRaftClient", "3.5.2-4.3.1",
             "[RaftManager id={node_id}] The leader sent a snapshot id with a valid epoch {snapshot_epoch} but with an invalid end "
             "offset {snapshot_end_offset}",
             "[RaftManager id=2] The leader sent a snapshot id with a valid epoch 9 but with an invalid end offset 8"),
    Template("RFT-030", "raft_io_trace", "ERROR", "KafkaRaftClient", "2.7.2-3.4.1",
             "[RaftManager nodeId={node_id}] Caught unexpected error in fetch completion of request {request}",
             "[RaftManager nodeId=2] Caught unexpected error in fetch completion of request request"),
    Template("RFT-031", "raft_io_trace", "ERROR", "KafkaRaftClient", "3.5.2-4.3.1",
             "[RaftManager id={node_id}] Caught unexpected error in fetch completion of request {request}",
             "[RaftManager id=2] Caught unexpected error in fetch completion of request request"),
    Template("RFT-032", "raft_listener_registration", "ERROR", "KafkaRaftClient", "3.0.2-3.4.1",
             "[RaftManager nodeId={node_id}] Attempting to add a listener that already exists: {listener_name}",
             "[RaftManager nodeId=2] Attempting to add a listener that already exists: listener-name"),
    Template("RFT-033", "raft_listener_registration", "ERROR", "KafkaRaftClient", "3.0.2-3.4.1",
             "[RaftManager nodeId={node_id}] Attempting to remove a listener that doesn't exists: {listener_name}",
             "[RaftManager nodeId=2] Attempting to remove a listener that doesn't exists: listener-name"),
    Template("RFT-034", "raft_listener_registration", "INFO", "KafkaRaftClient", "3.0.2-3.4.1",
             "[RaftManager nodeId={node_id}] Registered the listener {listener_name}",
             "[RaftManager nodeId=1] Registered the listener kafka.server.metadata.BrokerMetadataListener@297888316"),
    Template("RFT-035", "raft_listener_registration", "INFO", "KafkaRaftClient", "3.0.2-3.4.1",
             "[RaftManager nodeId={node_id}] Unregistered the listener {listener_name}",
             "[RaftManager nodeId=2] Unregistered the listener listener-name"),
    Template("RFT-036", "raft_listener_registration", "ERROR", "KafkaRaftClient", "3.5.2-4.3.1",
             "[RaftManager id={node_id}] Attempting to add a listener that already exists: {listener_name}",
             "[RaftManager id=2] Attempting to add a listener that already exists: listener-name"),
    Template("RFT-037", "raft_listener_registration", "ERROR", "KafkaRaftClient", "3.5.2-4.3.1",
             "[RaftManager id={node_id}] Attempting to remove a listener that doesn't exists: {listener_name}",
             "[RaftManager id=2] Attempting to remove a listener that doesn't exists: listener-name"),
    Template("RFT-038", "raft_listener_registration", "INFO", "KafkaRaftClient", "3.5.2-4.4.0",
             "[RaftManager id={node_id}] Registered the listener {listener_name}",
             "[RaftManager id=1] Registered the listener org.apache.kafka.image.loader.MetadataLoader@339052908"),
    Template("RFT-039", "raft_listener_registration", "INFO", "KafkaRaftClient", "3.5.2-4.3.1",
             "[RaftManager id={node_id}] Unregistered the listener {listener_name}",
             "[RaftManager id=2] Unregistered the listener listener-name"),
    Template("RFT-040", "raft_log_truncated", "INFO", "KafkaRaftClient", "2.7.2-3.4.1",
             "[RaftManager nodeId={node_id}] Truncated to offset {truncation_offset} from Fetch response from leader {leader_id}",
             "[RaftManager nodeId=2] Truncated to offset 117 from Fetch response from leader 2"),
    Template("RFT-041", "raft_log_truncated", "INFO", "KafkaRaftClient", "3.5.2-4.3.1",
             "[RaftManager id={node_id}] Truncated to offset {truncation_offset} from Fetch response from leader {leader_id}",
             "[RaftManager id=102] Truncated to offset 0 from Fetch response from leader 101"),
    Template("RFT-042", "raft_log_truncated_to_snapshot", "INFO", "KafkaRaftClient", "3.6.2-4.3.1",
             "[RaftManager id={node_id}] Fully truncated the log at ({raft_log_end_offset}, {last_fetched_epoch}) after downloading "
             "snapshot {snapshot_id} from leader {leader_id}",
             "[RaftManager id=2] Fully truncated the log at (8, 9) after downloading snapshot X8snIzwvRQ2wDuEVgycxrQ from leader 2"),
    Template("RFT-043", "raft_reelect_after_backoff", "INFO", "KafkaRaftClient", "2.7.2-3.4.1",
             "[RaftManager nodeId={node_id}] Re-elect as candidate after election backoff has completed",
             "[RaftManager nodeId=1] Re-elect as candidate after election backoff has completed"),
    Template("RFT-044", "raft_reelect_after_backoff", "INFO", "KafkaRaftClient", "3.5.2-4.0-dev",
             "[RaftManager id={node_id}] Re-elect as candidate after election backoff has completed",
             "[RaftManager id=1] Re-elect as candidate after election backoff has completed"),
    Template("RFT-045", "raft_resign", "DEBUG", "KafkaRaftClient", "3.0.2-3.4.1",
             "[RaftManager nodeId={node_id}] Ignoring call to resign from epoch {epoch} since it is smaller than the current epoch "
             "{leader_state_epoch}",
             "[RaftManager nodeId=2] Ignoring call to resign from epoch 7 since it is smaller than the current epoch 16"),
    Template("RFT-046", "raft_resign", "DEBUG", "KafkaRaftClient", "3.0.2-3.4.1",
             "[RaftManager nodeId={node_id}] Ignoring call to resign from epoch {epoch} since this node is no longer the leader",
             "[RaftManager nodeId=2] Ignoring call to resign from epoch 7 since this node is no longer the leader"),
    Template("RFT-047", "raft_resign", "INFO", "KafkaRaftClient", "3.0.2-3.4.1",
             "[RaftManager nodeId={node_id}] Received user request to resign from the current epoch {current_epoch}",
             "[RaftManager nodeId=2] Received user request to resign from the current epoch 19"),
    Template("RFT-048", "raft_resign", "DEBUG", "KafkaRaftClient", "3.5.2-4.3.1",
             "[RaftManager id={node_id}] Ignoring call to resign from epoch {epoch} since it is smaller than the current epoch "
             "{leader_state_epoch}",
             "[RaftManager id=2] Ignoring call to resign from epoch 7 since it is smaller than the current epoch 16"),
    Template("RFT-049", "raft_resign", "DEBUG", "KafkaRaftClient", "3.5.2-4.3.1",
             "[RaftManager id={node_id}] Ignoring call to resign from epoch {epoch} since this node is no longer the leader",
             "[RaftManager id=2] Ignoring call to resign from epoch 7 since this node is no longer the leader"),
    Template("RFT-050", "raft_resign", "INFO", "KafkaRaftClient", "3.5.2-4.3.1",
             "[RaftManager id={node_id}] Received user request to resign from the current epoch {current_epoch}",
             "[RaftManager id=2] Received user request to resign from the current epoch 19"),
    Template("RFT-051", "raft_shutdown", "INFO", "KafkaRaftClient", "2.7.2-3.4.1",
             "[RaftManager nodeId={node_id}] Beginning graceful shutdown",
             "[RaftManager nodeId=2] Beginning graceful shutdown"),
    Template("RFT-052", "raft_shutdown", "INFO", "KafkaRaftClient", "2.7.2-3.4.1",
             "[RaftManager nodeId={node_id}] Graceful shutdown completed",
             "[RaftManager nodeId=2] Graceful shutdown completed"),
    Template("RFT-053", "raft_shutdown", "WARN", "KafkaRaftClient", "2.7.2-3.4.1",
             "[RaftManager nodeId={node_id}] Graceful shutdown timed out after {timeout_ms}ms",
             "[RaftManager nodeId=2] Graceful shutdown timed out after 250ms"),
    Template("RFT-054", "raft_shutdown", "INFO", "KafkaRaftClient", "3.5.2-4.4.0",
             "[RaftManager id={node_id}] Beginning graceful shutdown",
             "[RaftManager id=1] Beginning graceful shutdown"),
    Template("RFT-055", "raft_shutdown", "INFO", "KafkaRaftClient", "3.5.2-4.4.0",
             "[RaftManager id={node_id}] Graceful shutdown completed",
             "[RaftManager id=1] Graceful shutdown completed"),
    Template("RFT-056", "raft_shutdown", "WARN", "KafkaRaftClient", "3.5.2-4.3.1",
             "[RaftManager id={node_id}] Graceful shutdown timed out after {timeout_ms}ms",
             "[RaftManager id=2] Graceful shutdown timed out after 250ms"),
    Template("RFT-057", "raft_snapshot_fetch", "INFO", "KafkaRaftClient", "3.6.2-4.3.1",
             "[RaftManager id={node_id}] Fetching snapshot {snapshot_id} from Fetch response from leader {leader_id}",
             "[RaftManager id=2] Fetching snapshot X8snIzwvRQ2wDuEVgycxrQ from Fetch response from leader 2"),
    Template("RFT-058", "raft_snapshot_fetch", "INFO", "KafkaRaftClient", "3.9.0-4.3.1",
             "[RaftManager id={node_id}] Leader {leader_id} returned a snapshot {snapshot_id} in the FETCH response which is already "
             "stored",
             "[RaftManager id=2] Leader 2 returned a snapshot X8snIzwvRQ2wDuEVgycxrQ in the FETCH response which is already stored"),
    Template("RFT-059", "raft_snapshot_unknown", "INFO", "KafkaRaftClient", "3.5.2-4.3.1",
             "[RaftManager id={node_id}] Leader doesn't know about snapshot id {fetching_snapshot}, returned error {error_code} and "
             "snapshot id {snapshot_id}",
             "[RaftManager id=2] Leader doesn't know about snapshot id fetching-snapshot, returned error error-code and snapshot id "
             "X8snIzwvRQ2wDuEVgycxrQ"),
    Template("RFT-060", "raft_startup", "INFO", "KafkaRaftClient", "3.8.1-4.4.0",
             "[RaftManager id={node_id}] Reading KRaft snapshot and log as part of the initialization",
             "[RaftManager id=1] Reading KRaft snapshot and log as part of the initialization"),
    Template("RFT-061", "raft_startup", "INFO", "KafkaRaftClient", "3.8.1-4.3.1",
             "[RaftManager id={node_id}] Starting request manager with bootstrap servers: {bootstrap_nodes}",
             "[RaftManager id=2] Starting request manager with bootstrap servers: bootstrap-nodes"),
    Template("RFT-062", "raft_startup", "INFO", "KafkaRaftClient", "3.8.1-4.4.0",
             "[RaftManager id={node_id}] Starting request manager with static voters: {bootstrap_nodes}",
             "[RaftManager id=1] Starting request manager with static voters: [10.77.0.11:9093 (id: 1 rack: null), 10.77.0.12:9093 (id: "
             "2 rack: null), 10.77.0.13:9093 (id: 3 rack: null)]"),
    Template("RFT-063", "raft_startup", "INFO", "KafkaRaftClient", "3.9.0-4.3.1",
             "[RaftManager id={node_id}] Setting the next offset of {listener_name} to 0 since there are no snapshots",
             "[RaftManager id=1] Setting the next offset of org.apache.kafka.image.loader.MetadataLoader@339052908 to 0 since there are "
             "no snapshots"),
    Template("RFT-064", "raft_startup", "INFO", "KafkaRaftClient", "3.9.0-4.4.0",
             "[RaftManager id={node_id}] Starting voters are {last_voter_set}",
             "[RaftManager id=2] Starting voters are last-voter-set"),
    Template("RFT-065", "raft_unexpected_error", "ERROR", "KafkaRaftClient", "2.7.2-3.4.1",
             "[RaftManager nodeId={node_id}] Unexpected error {error} in {api} response: {response}",
             "[RaftManager nodeId=2] Unexpected error NOT_LEADER_OR_FOLLOWER in api response: response"),
    Template("RFT-066", "raft_unexpected_error", "ERROR", "KafkaRaftClient", "3.5.2-4.3.1",
             "[RaftManager id={node_id}] Unexpected error {error} in {api} response: {response}",
             "[RaftManager id=2] Unexpected error NOT_LEADER_OR_FOLLOWER in api response: response"),
    Template("RFT-067", "raft_vote_decision", "INFO", "KafkaRaftClient", "2.7.2-2.8.2",
             "[RaftManager nodeId={node_id}] Vote request {request} is {vote_result}",
             "[RaftManager nodeId=2] Vote request request is vote-result"),
    Template("RFT-068", "raft_vote_decision", "INFO", "KafkaRaftClient", "3.0.2-3.4.1",
             "[RaftManager nodeId={node_id}] Vote request {request} with epoch {candidate_epoch} is {vote_result}",
             "[RaftManager nodeId=1] Vote request VoteRequestData(clusterId='MkU3OEVBNTcwNTJENDM2Qg', "
             "topics=[TopicData(topicName='__cluster_metadata', partitions=[PartitionData(partitionIndex=0, candidateEpoch=1, "
             "candidateId=2, lastOffsetEpoch=0, lastOffset=0)])]) with epoch 1 is granted"),
    Template("RFT-069", "raft_vote_decision", "INFO", "KafkaRaftClient", "3.5.2-4.4.0",
             "[RaftManager id={node_id}] Vote request {request} with epoch {candidate_epoch} is {vote_result}",
             "[RaftManager id=1] Vote request VoteRequestData(clusterId='MkU3OEVBNTcwNTJENDM2Qg', "
             "topics=[TopicData(topicName='__cluster_metadata', partitions=[PartitionData(partitionIndex=0, candidateEpoch=1, "
             "candidateId=2, lastOffsetEpoch=0, lastOffset=0)])]) with epoch 1 is granted"),
    Template("RFT-070", "raft_vote_rejected", "DEBUG", "KafkaRaftClient", "2.7.2",
             "[RaftManager nodeId={node_id}] Ignoring vote request {request} with epoch {candidate_epoch} since we are already "
             "candidate on that epoch",
             "[RaftManager nodeId=2] Ignoring vote request request with epoch 3 since we are already candidate on that epoch"),
    Template("RFT-071", "raft_vote_rejected", "DEBUG", "KafkaRaftClient", "2.7.2",
             "[RaftManager nodeId={node_id}] Ignoring vote request {request} with epoch {candidate_epoch} since we are already leader "
             "on that epoch",
             "[RaftManager nodeId=2] Ignoring vote request request with epoch 3 since we are already leader on that epoch"),
    Template("RFT-072", "raft_vote_rejected", "DEBUG", "KafkaRaftClient", "2.7.2-2.8.2",
             "[RaftManager nodeId={node_id}] Rejecting vote request {request} with epoch {candidate_epoch} since we already have a "
             "leader {leader_id} on that epoch",
             "[RaftManager nodeId=2] Rejecting vote request request with epoch 3 since we already have a leader 2 on that epoch"),
    Template("RFT-073", "raft_vote_rejected", "DEBUG", "KafkaRaftClient", "2.7.2-2.8.2",
             "[RaftManager nodeId={node_id}] Rejecting vote request {request} with epoch {candidate_epoch} since we already have voted "
             "for another candidate {voted_id} on that epoch",
             "[RaftManager nodeId=2] Rejecting vote request request with epoch 3 since we already have voted for another candidate 16 "
             "on that epoch"),
    Template("RFT-074", "raft_vote_rejected", "DEBUG", "KafkaRaftClient", "2.8.2",
             "[RaftManager nodeId={node_id}] Rejecting vote request {request} with epoch {candidate_epoch} since we are already "
             "candidate on that epoch",
             "[RaftManager nodeId=2] Rejecting vote request request with epoch 3 since we are already candidate on that epoch"),
    Template("RFT-075", "raft_vote_rejected", "DEBUG", "KafkaRaftClient", "2.8.2",
             "[RaftManager nodeId={node_id}] Rejecting vote request {request} with epoch {candidate_epoch} since we are already leader "
             "on that epoch",
             "[RaftManager nodeId=2] Rejecting vote request request with epoch 3 since we are already leader on that epoch"),
    Template("RFT-076", "raft_vote_rejected", "DEBUG", "KafkaRaftClient", "2.8.2",
             "[RaftManager nodeId={node_id}] Rejecting vote request {request} with epoch {candidate_epoch} since we have resigned as "
             "candidate/leader in this epoch",
             "[RaftManager nodeId=2] Rejecting vote request request with epoch 3 since we have resigned as candidate/leader in this "
             "epoch"),
    Template("RFT-077", "raft_voter_key_mismatch", "INFO", "KafkaRaftClient", "3.9.0-4.0-dev",
             "[RaftManager id={node_id}] Candidate sent a voter key ({voter_key}) in the VOTE request that doesn't match the local key "
             "({local_key}, {local_directory_id}); rejecting the vote",
             "[RaftManager id=2] Candidate sent a voter key (voter-key) in the VOTE request that doesn't match the local key (2, "
             "X8snIzwvRQ2wDuEVgycxrQ); rejecting the vote"),
    Template("RFT-078", "raft_voter_key_mismatch", "INFO", "KafkaRaftClient", "3.9.0-4.3.1",
             "[RaftManager id={node_id}] Leader sent a voter key ({voter_key}) in the BEGIN_QUORUM_EPOCH request that doesn't match the "
             "local key ({local_key}, {local_directory_id}); returning INVALID_VOTER_KEY",
             "[RaftManager id=101] Leader sent a voter key (Optional[ReplicaKey(id=101, directoryId=OLPvxLr1ZidHjsdqcE6bUg)]) in the "
             "BEGIN_QUORUM_EPOCH request that doesn't match the local key (OptionalInt[101], 8dMLPNmW2TUODTnSBlbUwA); returning "
             "INVALID_VOTER_KEY"),
    Template("RFT-079", "raft_voter_key_mismatch", "INFO", "KafkaRaftClient", "3.9.0-4.3.1",
             "[RaftManager id={node_id}] Voter key for VOTE or BEGIN_QUORUM_EPOCH request didn't match the receiver's replica key: "
             "{source}",
             "[RaftManager id=2] Voter key for VOTE or BEGIN_QUORUM_EPOCH request didn't match the receiver's replica key: source"),
    Template("RFT-080", "raft_initial_leader_not_voter", "INFO", "QuorumState", "3.9.0-4.3.1",
             "[RaftManager id={node_id}] The leader in election state {election} is not a member of the latest voter set {voters}; "
             "transitioning to unattached instead of follower because the leader's endpoints are not known",
             "[RaftManager id=2] The leader in election state election is not a member of the latest voter set voters; transitioning to "
             "unattached instead of follower because the leader's endpoints are not known"),
    Template("RFT-081", "raft_quorum_state_problem", "WARN", "QuorumState", "2.7.2-3.4.1",
             "[RaftManager nodeId={node_id}] Clearing local quorum state store after error loading state {store}",
             "[RaftManager nodeId=2] Clearing local quorum state store after error loading state store"),
    Template("RFT-082", "raft_quorum_state_problem", "WARN", "QuorumState", "2.7.2-3.4.1",
             "[RaftManager nodeId={node_id}] Epoch from quorum-state file is {election_epoch}, which is smaller than last written epoch "
             "{last_log_epoch} in the log",
             "[RaftManager nodeId=2] Epoch from quorum-state file is 14, which is smaller than last written epoch 16 in the log"),
    Template("RFT-083", "raft_quorum_state_problem", "WARN", "QuorumState", "3.5.2-3.7.1",
             "[RaftManager id={node_id}] Clearing local quorum state store after error loading state {store}",
             "[RaftManager id=2] Clearing local quorum state store after error loading state store"),
    Template("RFT-084", "raft_quorum_state_problem", "WARN", "QuorumState", "3.5.2-3.7.1",
             "[RaftManager id={node_id}] Epoch from quorum-state file is {election_epoch}, which is smaller than last written epoch "
             "{last_log_epoch} in the log",
             "[RaftManager id=2] Epoch from quorum-state file is 14, which is smaller than last written epoch 16 in the log"),
    Template("RFT-085", "raft_quorum_state_problem", "WARN", "QuorumState", "3.8.1-4.3.1",
             "[RaftManager id={node_id}] Epoch from quorum store file ({store_path}) is {election_epoch}, which is smaller than last "
             "written epoch {last_log_epoch} in the log",
             "[RaftManager id=2] Epoch from quorum store file (store-path) is 14, which is smaller than last written epoch 16 in the log"),
    Template("RFT-086", "raft_transition", "INFO", "QuorumState", "2.7.2-3.4.1",
             "[RaftManager nodeId={node_id}] Completed transition to {state}",
             "[RaftManager nodeId=1] Completed transition to Unattached(epoch=1, voters=[1, 2, 3], electionTimeoutMs=252)"),
    Template("RFT-087", "raft_transition", "INFO", "QuorumState", "3.5.2-4.4.0",
             "[RaftManager id={node_id}] Completed transition to {new_state} from {from}",
             "[RaftManager id=1] Completed transition to Unattached(epoch=0, voters=[1, 2, 3], electionTimeoutMs=1138) from null"),
    Template("RFT-088", "raft_transition", "INFO", "QuorumState", "3.5.2",
             "[RaftManager id={node_id}] Completed transition to {state}",
             "[RaftManager id=2] Completed transition to state"),
    Template("RFT-089", "raft_transition_attempt", "INFO", "QuorumState", "3.9.0-4.4.0",
             "[RaftManager id={node_id}] Attempting durable transition to {new_state} from {state}",
             "[RaftManager id=1] Attempting durable transition to Unattached(epoch=0, votedKey=null, voters=[1, 2, 3], "
             "electionTimeoutMs=1450, highWatermark=Optional.empty) from null"),
    Template("RFT-090", "raft_voted", "DEBUG", "QuorumState", "3.9.0-4.0-dev",
             "[RaftManager id={node_id}] Voted for candidate {candidate_key} in epoch {epoch}",
             "[RaftManager id=2] Voted for candidate candidate-key in epoch 7"),
    Template("RFT-091", "raft_check_quorum_lost", "INFO", "LeaderState", "3.7.1-3.8.1",
             "[RaftManager id={node_id}] Did not receive fetch request from the majority of the voters within "
             "{check_quorum_timeout_ms}ms. Current fetched voters are {fetched_voters}.",
             "[RaftManager id=2] Did not receive fetch request from the majority of the voters within 250ms. Current fetched voters are "
             "fetched-voters."),
    Template("RFT-092", "raft_check_quorum_lost", "INFO", "LeaderState", "3.9.0-4.3.1",
             "[RaftManager id={node_id}] Did not receive fetch request from the majority of the voters within "
             "{check_quorum_timeout_ms}ms. Current fetched voters are {fetched_voters}, and voters are {voter_states}",
             "[RaftManager id=2] Did not receive fetch request from the majority of the voters within 250ms. Current fetched voters are "
             "fetched-voters, and voters are voter-states"),
    Template("RFT-093", "raft_fetch_offset_non_monotonic", "WARN", "LeaderState", "3.0.2-3.4.1",
             "[RaftManager nodeId={node_id}] Detected non-monotonic update of fetch offset from nodeId {replica_id}: {old_offset} -> "
             "{new_offset}",
             "[RaftManager nodeId=2] Detected non-monotonic update of fetch offset from nodeId 3: 10 -> 4"),
    Template("RFT-094", "raft_fetch_offset_non_monotonic", "WARN", "LeaderState", "3.5.2-4.3.1",
             "[RaftManager id={node_id}] Detected non-monotonic update of fetch offset from nodeId {replica_key}: {old_offset} -> "
             "{new_offset}",
             "[RaftManager id=11] Detected non-monotonic update of fetch offset from nodeId ReplicaKey(id=1, "
             "directoryId=Optional[jsIeJ87y5p9qfff-QC5DrQ]): 106 -> 0"),
    Template("RFT-095", "raft_hw_regressed", "ERROR", "LeaderState", "3.0.2-3.4.1",
             "[RaftManager nodeId={node_id}] The latest computed high watermark {raft_new_high_watermark} is smaller than the current "
             "value {current_high_watermark}, which suggests that one of the voters has lost committed data. Full voter replication "
             "state: {voter_states}",
             "[RaftManager nodeId=2] The latest computed high watermark raft-new-high-watermark is smaller than the current value 8, "
             "which suggests that one of the voters has lost committed data. Full voter replication state: voter-states"),
    Template("RFT-096", "raft_hw_regressed", "ERROR", "LeaderState", "3.5.2-3.7.1",
             "[RaftManager id={node_id}] The latest computed high watermark {raft_new_high_watermark} is smaller than the current value "
             "{current_high_watermark}, which suggests that one of the voters has lost committed data. Full voter replication state: "
             "{voter_states}",
             "[RaftManager id=2] The latest computed high watermark raft-new-high-watermark is smaller than the current value 8, which "
             "suggests that one of the voters has lost committed data. Full voter replication state: voter-states"),
    Template("RFT-097", "raft_hw_regressed", "INFO", "LeaderState", "3.8.1-4.3.1",
             "[RaftManager id={node_id}] The latest computed high watermark {raft_new_high_watermark} is smaller than the current value "
             "{current_high_watermark}, which should only happen when voter set membership changes. If the voter set has not changed "
             "this suggests that one of the voters has lost committed data. Full voter replication state: {voter_states}",
             "[RaftManager id=2] The latest computed high watermark raft-new-high-watermark is smaller than the current value 8, which "
             "should only happen when voter set membership changes. If the voter set has not changed this suggests that one of the "
             "voters has lost committed data. Full voter replication state: voter-states"),
    Template("RFT-098", "raft_leader_hw_first", "INFO", "LeaderState", "3.4.1",
             "[RaftManager nodeId={node_id}] High watermark set to {raft_new_high_watermark} for the first time for epoch {epoch} based "
             "on indexOfHw {index_of_hw} and voters {followers_by_descending_fetch_offset}",
             "[RaftManager nodeId=2] High watermark set to raft-new-high-watermark for the first time for epoch 7 based on indexOfHw "
             "index-of-hw and voters followers-by-descending-fetch-offset"),
    Template("RFT-099", "raft_leader_hw_first", "INFO", "LeaderState", "3.5.2-4.4.0",
             "[RaftManager id={node_id}] High watermark set to {raft_new_high_watermark} for the first time for epoch {epoch} based on "
             "indexOfHw {index_of_hw} and voters {followers_by_descending_fetch_offset}",
             "[RaftManager id=2] High watermark set to raft-new-high-watermark for the first time for epoch 7 based on indexOfHw "
             "index-of-hw and voters followers-by-descending-fetch-offset"),
    Template("RFT-100", "raft_leader_hw_set", "TRACE", "LeaderState", "3.0.2-3.3.2",
             "[RaftManager nodeId={node_id}] High watermark set to {raft_new_high_watermark} based on indexOfHw {index_of_hw} and "
             "voters {followers_by_descending_fetch_offset}",
             "[RaftManager nodeId=2] High watermark set to raft-new-high-watermark based on indexOfHw index-of-hw and voters "
             "followers-by-descending-fetch-offset"),
    Template("RFT-101", "raft_leader_hw_set", "TRACE", "LeaderState", "3.0.2-3.2.3",
             "[RaftManager nodeId={node_id}] High watermark updated to {raft_high_watermark} based on indexOfHw {index_of_hw} and "
             "voters {followers_by_descending_fetch_offset}",
             "[RaftManager nodeId=2] High watermark updated to raft-high-watermark based on indexOfHw index-of-hw and voters "
             "followers-by-descending-fetch-offset"),
    Template("RFT-102", "raft_leader_hw_set", "TRACE", "LeaderState", "3.4.1",
             "[RaftManager nodeId={node_id}] High watermark set to {raft_new_high_watermark} from {raft_old_high_watermark} based on "
             "indexOfHw {index_of_hw} and voters {followers_by_descending_fetch_offset}",
             "[RaftManager nodeId=2] High watermark set to raft-new-high-watermark from raft-old-high-watermark based on indexOfHw "
             "index-of-hw and voters followers-by-descending-fetch-offset"),
    Template("RFT-103", "raft_leader_hw_set", "DEBUG", "LeaderState", "3.5.2 3.6.2-4.3.1",
             "[RaftManager id={node_id}] High watermark set to {raft_new_high_watermark} from {raft_old_high_watermark} based on "
             "indexOfHw {index_of_hw} and voters {followers_by_descending_fetch_offset}",
             "[RaftManager id=2] High watermark set to raft-new-high-watermark from raft-old-high-watermark based on indexOfHw "
             "index-of-hw and voters followers-by-descending-fetch-offset"),
    Template("RFT-105", "raft_vote_rejected", "DEBUG", "LeaderState", "3.0.2-3.4.1",
             "[RaftManager nodeId={node_id}] Rejecting vote request from candidate {candidate_id} since we are already leader in epoch "
             "{epoch}",
             "[RaftManager nodeId=2] Rejecting vote request from candidate 4 since we are already leader in epoch 7"),
    Template("RFT-106", "raft_vote_rejected", "DEBUG", "LeaderState", "3.5.2-3.7.1",
             "[RaftManager id={node_id}] Rejecting vote request from candidate {candidate_id} since we are already leader in epoch "
             "{epoch}",
             "[RaftManager id=2] Rejecting vote request from candidate 4 since we are already leader in epoch 7"),
    Template("RFT-107", "raft_vote_rejected", "DEBUG", "LeaderState", "3.8.1-4.0-dev",
             "[RaftManager id={node_id}] Rejecting vote request from candidate ({candidate_key}) since we are already leader in epoch "
             "{epoch}",
             "[RaftManager id=2] Rejecting vote request from candidate (candidate-key) since we are already leader in epoch 7"),
    Template("RFT-108", "raft_vote_rejected", "DEBUG", "CandidateState", "3.0.2-3.4.1",
             "[RaftManager nodeId={node_id}] Rejecting vote request from candidate {candidate_id} since we are already candidate in "
             "epoch {epoch}",
             "[RaftManager nodeId=2] Rejecting vote request from candidate 4 since we are already candidate in epoch 7"),
    Template("RFT-109", "raft_vote_rejected", "DEBUG", "CandidateState", "3.5.2-3.7.1",
             "[RaftManager id={node_id}] Rejecting vote request from candidate {candidate_id} since we are already candidate in epoch "
             "{epoch}",
             "[RaftManager id=2] Rejecting vote request from candidate 4 since we are already candidate in epoch 7"),
    Template("RFT-110", "raft_vote_rejected", "DEBUG", "CandidateState", "3.8.1-4.0-dev",
             "[RaftManager id={node_id}] Rejecting vote request from candidate ({candidate_key}) since we are already candidate in "
             "epoch {epoch}",
             "[RaftManager id=2] Rejecting vote request from candidate (candidate-key) since we are already candidate in epoch 7"),
    Template("RFT-111", "raft_follower_hw_first", "INFO", "FollowerState", "3.4.1",
             "[RaftManager nodeId={node_id}] High watermark set to {raft_new_high_watermark} for the first time for epoch {epoch}",
             "[RaftManager nodeId=2] High watermark set to raft-new-high-watermark for the first time for epoch 7"),
    Template("RFT-112", "raft_follower_hw_first", "INFO", "FollowerState", "3.5.2-4.4.0",
             "[RaftManager id={node_id}] High watermark set to {raft_new_high_watermark} for the first time for epoch {epoch}",
             "[RaftManager id=1] High watermark set to Optional[LogOffsetMetadata(offset=1, metadata=Optional.empty)] for the first "
             "time for epoch 1"),
    Template("RFT-113", "raft_follower_hw_set", "TRACE", "FollowerState", "3.4.1",
             "[RaftManager nodeId={node_id}] High watermark set to {raft_new_high_watermark} from {raft_old_high_watermark} for epoch "
             "{epoch}",
             "[RaftManager nodeId=2] High watermark set to raft-new-high-watermark from raft-old-high-watermark for epoch 7"),
    Template("RFT-114", "raft_follower_hw_set", "TRACE", "FollowerState", "3.5.2-4.3.1",
             "[RaftManager id={node_id}] High watermark set to {raft_new_high_watermark} from {raft_old_high_watermark} for epoch "
             "{epoch}",
             "[RaftManager id=2] High watermark set to raft-new-high-watermark from raft-old-high-watermark for epoch 7"),
    Template("RFT-115", "raft_vote_rejected", "DEBUG", "FollowerState", "3.0.2-3.4.1",
             "[RaftManager nodeId={node_id}] Rejecting vote request from candidate {candidate_id} since we already have a leader "
             "{leader_id} in epoch {epoch}",
             "[RaftManager nodeId=2] Rejecting vote request from candidate 4 since we already have a leader 2 in epoch 7"),
    Template("RFT-116", "raft_vote_rejected", "DEBUG", "FollowerState", "3.5.2-3.7.1",
             "[RaftManager id={node_id}] Rejecting vote request from candidate {candidate_id} since we already have a leader "
             "{leader_id} in epoch {epoch}",
             "[RaftManager id=2] Rejecting vote request from candidate 4 since we already have a leader 2 in epoch 7"),
    Template("RFT-117", "raft_vote_rejected", "DEBUG", "FollowerState|UnattachedState", "3.8.1-4.0-dev",
             "[RaftManager id={node_id}] Rejecting vote request from candidate ({candidate_key}) since we already have a leader "
             "{leader_id} in epoch {epoch}",
             "[RaftManager id=2] Rejecting vote request from candidate (candidate-key) since we already have a leader 2 in epoch 7"),
    Template("RFT-118", "raft_vote_rejected", "DEBUG", "UnattachedState", "3.0.2-3.4.1",
             "[RaftManager nodeId={node_id}] Rejecting vote request from candidate {candidate_id} since candidate epoch/offset is not "
             "up to date with us",
             "[RaftManager nodeId=2] Rejecting vote request from candidate 4 since candidate epoch/offset is not up to date with us"),
    Template("RFT-119", "raft_vote_rejected", "DEBUG", "UnattachedState", "3.5.2-3.7.1",
             "[RaftManager id={node_id}] Rejecting vote request from candidate {candidate_id} since candidate epoch/offset is not up to "
             "date with us",
             "[RaftManager id=2] Rejecting vote request from candidate 4 since candidate epoch/offset is not up to date with us"),
    Template("RFT-120", "raft_vote_rejected", "DEBUG", "UnattachedState", "3.8.1-4.0-dev",
             "[RaftManager id={node_id}] Rejecting vote request from candidate ({candidate_key}) since candidate epoch/offset is not up "
             "to date with us",
             "[RaftManager id=2] Rejecting vote request from candidate (candidate-key) since candidate epoch/offset is not up to date "
             "with us"),
    Template("RFT-122", "raft_vote_rejected", "DEBUG", "UnattachedState|VotedState", "3.8.1 3.9.0-4.0-dev",
             "[RaftManager id={node_id}] Rejecting vote request from candidate ({candidate_key}), already have voted for another "
             "candidate ({voted_key}) in epoch {epoch}",
             "[RaftManager id=2] Rejecting vote request from candidate (candidate-key), already have voted for another candidate "
             "(voted-key) in epoch 7"),
    Template("RFT-123", "raft_vote_rejected", "DEBUG", "VotedState", "3.0.2-3.4.1",
             "[RaftManager nodeId={node_id}] Rejecting vote request from candidate {candidate_id} since we already have voted for "
             "another candidate {voted_id} in epoch {epoch}",
             "[RaftManager nodeId=2] Rejecting vote request from candidate 4 since we already have voted for another candidate 16 in "
             "epoch 7"),
    Template("RFT-124", "raft_vote_rejected", "DEBUG", "VotedState", "3.5.2-3.7.1",
             "[RaftManager id={node_id}] Rejecting vote request from candidate {candidate_id} since we already have voted for another "
             "candidate {voted_id} in epoch {epoch}",
             "[RaftManager id=2] Rejecting vote request from candidate 4 since we already have voted for another candidate 16 in epoch 7"),
    Template("RFT-126", "raft_vote_rejected", "DEBUG", "ResignedState", "3.0.2-3.4.1",
             "[RaftManager nodeId={node_id}] Rejecting vote request from candidate {candidate_id} since we have resigned as "
             "candidate/leader in epoch {epoch}",
             "[RaftManager nodeId=2] Rejecting vote request from candidate 4 since we have resigned as candidate/leader in epoch 7"),
    Template("RFT-127", "raft_vote_rejected", "DEBUG", "ResignedState", "3.5.2-3.7.1",
             "[RaftManager id={node_id}] Rejecting vote request from candidate {candidate_id} since we have resigned as "
             "candidate/leader in epoch {epoch}",
             "[RaftManager id=2] Rejecting vote request from candidate 4 since we have resigned as candidate/leader in epoch 7"),
    Template("RFT-128", "raft_vote_rejected", "DEBUG", "ResignedState", "3.8.1-4.0-dev",
             "[RaftManager id={node_id}] Rejecting vote request from candidate ({candidate_key}) since we have resigned as "
             "candidate/leader in epoch {epoch}",
             "[RaftManager id=2] Rejecting vote request from candidate (candidate-key) since we have resigned as candidate/leader in "
             "epoch 7"),
    Template("RFT-129", "raft_config_warning", "ERROR", "KafkaMetadataLog|KafkaRaftLog", "3.0.2-4.1.1 4.3.1",
             "Overriding {metadata_log_segment_min_bytes_config} is only supported for testing. Setting this value too low may lead to "
             "an inability to write batches of metadata records.",
             "Overriding metadata-log-segment-min-bytes-config is only supported for testing. Setting this value too low may lead to an "
             "inability to write batches of metadata records."),
    Template("RFT-130", "raft_log_hw_mismatch", "WARN", "KafkaMetadataLog", "3.6.2-4.1.1",
             "[MetadataLog partition={topic_partition}, nodeId={node_id}] Log's high watermark ({log_high_watermark}) is different from "
             "the local replica's high watermark ({offset_metadata})",
             "[MetadataLog partition=orders-3, nodeId=2] Log's high watermark (18) is different from the local replica's high watermark "
             "(offset-metadata)"),
    Template("RFT-131", "raft_snapshot_files", "INFO", "KafkaMetadataLog", "3.0.2-4.1.1",
             "[MetadataLog partition={topic_partition}, nodeId={node_id}] Cannot create a snapshot with an id ({snapshot_id}) less than "
             "the log start offset ({start_offset})",
             "[MetadataLog partition=orders-3, nodeId=2] Cannot create a snapshot with an id (X8snIzwvRQ2wDuEVgycxrQ) less than the log "
             "start offset (11)"),
    Template("RFT-132", "raft_snapshot_files", "WARN", "KafkaMetadataLog", "3.0.2-4.1.1",
             "[MetadataLog partition={topic_partition}, nodeId={node_id}] Couldn't read {snapshot_id}; expected to find snapshot file "
             "{path}",
             "[MetadataLog partition=orders-3, nodeId=2] Couldn't read X8snIzwvRQ2wDuEVgycxrQ; expected to find snapshot file "
             "/brokers/ids/2"),
    Template("RFT-133", "raft_snapshot_files", "WARN", "KafkaMetadataLog", "3.0.2-3.4.1",
             "[MetadataLog partition={topic_partition}, nodeId={node_id}] Did not find control record at beginning of snapshot",
             "[MetadataLog partition=orders-3, nodeId=2] Did not find control record at beginning of snapshot"),
    Template("RFT-134", "raft_snapshot_files", "INFO", "KafkaMetadataLog", "3.0.2-3.7.1",
             "[MetadataLog partition={topic_partition}, nodeId={node_id}] Marking snapshot {snapshot_id} for deletion",
             "[MetadataLog partition=orders-3, nodeId=2] Marking snapshot X8snIzwvRQ2wDuEVgycxrQ for deletion"),
    Template("RFT-135", "raft_snapshot_files", "INFO", "KafkaMetadataLog", "3.3.2-4.1.1",
             "Deleted unneeded snapshot file with path {snapshot_path}",
             "Deleted unneeded snapshot file with path snapshot-path"),
    Template("RFT-136", "raft_snapshot_files", "INFO", "KafkaMetadataLog", "3.3.2-4.1.1",
             "Initialized snapshots with IDs {snapshots_to_retain} from {dir}",
             "Initialized snapshots with IDs SortedSet() from /var/lib/kafka/data0/__cluster_metadata-0"),
    Template("RFT-137", "raft_snapshot_files", "INFO", "KafkaMetadataLog", "3.8.1-4.1.1",
             "[MetadataLog partition={topic_partition}, nodeId={node_id}] Marking snapshot {snapshot_id} for deletion because its "
             "timestamp ({timestamp}) is now ({now}) older than the\nretention ({retention_ms})",
             "[MetadataLog partition=orders-3, nodeId=2] Marking snapshot X8snIzwvRQ2wDuEVgycxrQ for deletion because its timestamp "
             "(timestamp) is now (now) older than the"),
    Template("RFT-138", "raft_snapshot_files", "INFO", "KafkaMetadataLog", "3.8.1-4.1.1",
             "[MetadataLog partition={topic_partition}, nodeId={node_id}] Marking snapshot {snapshot_id} for deletion because the log "
             "size ({log_size}) and snapshots size ({snapshots_size})\nis greater than {retention_max_bytes}",
             "[MetadataLog partition=orders-3, nodeId=2] Marking snapshot X8snIzwvRQ2wDuEVgycxrQ for deletion because the log size "
             "(log-size) and snapshots size (snapshots-size)"),
    Template("RFT-139", "raft_snapshot_files", "INFO", "KafkaMetadataLog", "3.8.1-4.1.1",
             "[MetadataLog partition={topic_partition}, nodeId={node_id}] Marking snapshot {snapshot_id} for deletion because the "
             "partition was fully truncated",
             "[MetadataLog partition=orders-3, nodeId=2] Marking snapshot X8snIzwvRQ2wDuEVgycxrQ for deletion because the partition was "
             "fully truncated"),
    Template("RFT-140", "raft_snapshot_files", "INFO", "KafkaMetadataLog", "3.8.1-4.1.1",
             "[MetadataLog partition={topic_partition}, nodeId={node_id}] Marking snapshot {snapshot_id} for deletion for unknown reason",
             "[MetadataLog partition=orders-3, nodeId=2] Marking snapshot X8snIzwvRQ2wDuEVgycxrQ for deletion for unknown reason"),
    Template("RFT-141", "raft_config_warning", "INFO", "KafkaRaftManager", "2.8.2-3.2.3",
             "Skipping channel update for destination ID: {voter_id} because of non-routable endpoint: 0.0.0.0:0",
             "Skipping channel update for destination ID: 13 because of non-routable endpoint: 0.0.0.0:0"),
    Template("RFT-142", "raft_config_warning", "WARN", "KafkaRaftManager", "2.8.2-3.2.3",
             "Unexpected address spec (type: {address_class}) for channel update for destination ID: {voter_id}",
             "Unexpected address spec (type: address-class) for channel update for destination ID: 13"),
    Template("RFT-143", "raft_config_warning", "INFO", "KafkaRaftManager", "3.3.2-3.4.1",
             "[RaftManager nodeId={node_id}] Skipping channel update for destination ID: {voter_id} because of non-routable endpoint: "
             "0.0.0.0:0",
             "[RaftManager nodeId=2] Skipping channel update for destination ID: 13 because of non-routable endpoint: 0.0.0.0:0"),
    Template("RFT-144", "raft_config_warning", "WARN", "KafkaRaftManager", "3.3.2-3.4.1",
             "[RaftManager nodeId={node_id}] Unexpected address spec (type: {address_class}) for channel update for destination ID: "
             "{voter_id}",
             "[RaftManager nodeId=2] Unexpected address spec (type: address-class) for channel update for destination ID: 13"),
    Template("RFT-145", "raft_config_warning", "INFO", "KafkaRaftManager", "3.5.2-3.7.1",
             "[RaftManager id={node_id}] Skipping channel update for destination ID: {voter_id} because of non-routable endpoint: "
             "0.0.0.0:0",
             "[RaftManager id=2] Skipping channel update for destination ID: 13 because of non-routable endpoint: 0.0.0.0:0"),
    Template("RFT-146", "raft_config_warning", "WARN", "KafkaRaftManager", "3.5.2-3.7.1",
             "[RaftManager id={node_id}] Unexpected address spec (type: {address_class}) for channel update for destination ID: "
             "{voter_id}",
             "[RaftManager id=2] Unexpected address spec (type: address-class) for channel update for destination ID: 13"),
    Template("RFT-147", "raft_shutdown", "INFO", "KafkaRaftManager$RaftIoThread", "2.8.2-3.7.1",
             "[{thread_owner}-io-thread]: Completed graceful shutdown of RaftClient",
             "[thread-owner-io-thread]: Completed graceful shutdown of RaftClient"),
    Template("RFT-148", "raft_shutdown", "ERROR", "KafkaRaftManager$RaftIoThread", "2.8.2-3.7.1",
             "[{thread_owner}-io-thread]: Graceful shutdown of RaftClient failed",
             "[thread-owner-io-thread]: Graceful shutdown of RaftClient failed"),
    Template("RFT-149", "raft_shutdown", "INFO", "KafkaRaftClientDriver", "3.8.1-4.4.0",
             "[RaftManager id={node_id}] Completed graceful shutdown of RaftClient",
             "[RaftManager id=1] Completed graceful shutdown of RaftClient"),
    Template("RFT-150", "raft_shutdown", "ERROR", "KafkaRaftClientDriver", "3.8.1-4.3.1",
             "[RaftManager id={node_id}] Graceful shutdown of RaftClient failed",
             "[RaftManager id=2] Graceful shutdown of RaftClient failed"),
    Template("RFT-151", "raft_request_failed", "ERROR", "KafkaNetworkChannel", "2.8.2-3.6.2 3.7.1-4.3.1",
             "Request {request} failed due to authentication error",
             "Request request failed due to authentication error"),
    Template("RFT-152", "raft_request_failed", "ERROR", "KafkaNetworkChannel", "2.8.2-3.6.2 3.7.1-4.3.1",
             "Request {request} failed due to unsupported version error",
             "Request request failed due to unsupported version error"),
    Template("RFT-155", "raft_add_voter", "INFO", "AddVoterHandler", "3.9.0-4.3.1",
             "[RaftManager id={node_id}] API_VERSIONS response is not expected from {source}: voterKey is {voter_key}, lastOffset is "
             "{last_offset}",
             "[RaftManager id=2] API_VERSIONS response is not expected from source: voterKey is voter-key, lastOffset is 8"),
    Template("RFT-156", "raft_add_voter", "INFO", "AddVoterHandler", "3.9.0-4.3.1",
             "[RaftManager id={node_id}] Aborting add voter operation for {voter_key} at {voter_endpoints} since API_VERSIONS returned "
             "an error {error}",
             "[RaftManager id=2] Aborting add voter operation for voter-key at voter-endpoints since API_VERSIONS returned an error "
             "NOT_LEADER_OR_FOLLOWER"),
    Template("RFT-157", "raft_add_voter", "INFO", "AddVoterHandler", "3.9.0-4.3.1",
             "[RaftManager id={node_id}] Aborting add voter operation for {voter_key} at {voter_endpoints} since it is lagging behind: "
             "{replica_state}",
             "[RaftManager id=2] Aborting add voter operation for voter-key at voter-endpoints since it is lagging behind: replica-state"),
    Template("RFT-158", "raft_add_voter", "INFO", "AddVoterHandler", "3.9.0-4.3.1",
             "[RaftManager id={node_id}] Aborting add voter operation for {voter_key} at {voter_endpoints} since kraft.version range "
             "{supported_kraft_versions} doesn't support reconfiguration",
             "[RaftManager id=2] Aborting add voter operation for voter-key at voter-endpoints since kraft.version range "
             "supported-kraft-versions doesn't support reconfiguration"),
    Template("RFT-159", "raft_remove_voter_resign", "INFO", "RemoveVoterHandler", "3.9.0-4.3.1",
             "[RaftManager id={node_id}] Leader is not in the committed voter set {voter_keys} resign from epoch {leader_state_epoch}",
             "[RaftManager id=2] Leader is not in the committed voter set voter-keys resign from epoch 16"),
    Template("RFT-160", "raft_voter_set", "INFO", "KRaftControlRecordStateMachine", "3.8.1-4.4.0",
             "[RaftManager id={node_id}] Loading snapshot ({snapshot}) since log start offset ({start_offset}) is greater than the "
             "internal listener's next offset ({next_offset})",
             "[RaftManager id=11] Loading snapshot (OffsetAndEpoch[offset=0, epoch=0]) since log start offset (11) is greater than the internal "
             "listener's next offset (19)"),
    Template("RFT-161", "raft_voter_set", "INFO", "KRaftControlRecordStateMachine", "3.9.0-4.3.1",
             "[RaftManager id={node_id}] Latest kraft.version is {kraft_version} at offset {current_offset}",
             "[RaftManager id=2] Latest kraft.version is kraft-version at offset 3"),
    Template("RFT-162", "raft_voter_set", "INFO", "KRaftControlRecordStateMachine", "3.9.0-4.3.1",
             "[RaftManager id={node_id}] Latest set of voters is {voters} at offset {current_offset}",
             "[RaftManager id=2] Latest set of voters is voters at offset 3"),
    Template("RFT-163", "raft_snapshot_files", "INFO", "Snapshots", "3.0.2-4.3.1",
             "Deleted snapshot files for snapshot {snapshot_id}.",
             "Deleted snapshot files for snapshot X8snIzwvRQ2wDuEVgycxrQ."),
    Template("RFT-164", "raft_snapshot_files", "INFO", "Snapshots", "3.0.2-4.3.1",
             "Did not delete snapshot files for snapshot {snapshot_id} since they did not exist.",
             "Did not delete snapshot files for snapshot X8snIzwvRQ2wDuEVgycxrQ since they did not exist."),
    Template("RFT-165", "raft_snapshot_files", "ERROR", "Snapshots", "3.0.2-4.3.1",
             "Error deleting snapshot files {immutable_path} and {deleted_path}",
             "Error deleting snapshot files immutable-path and deleted-path"),
    Template("RFT-166", "raft_become_prospective", "INFO", "KafkaRaftClient", "4.0.1-4.4.0",
             "[RaftManager id={node_id}] Transitioning to Prospective state due to fetch timeout",
             "[RaftManager id=102] Transitioning to Prospective state due to fetch timeout"),
    Template("RFT-167", "raft_become_prospective", "INFO", "KafkaRaftClient", "4.0.1",
             "[RaftManager id={node_id}] Transition to prospective after election backoff has completed",
             "[RaftManager id=2] Transition to prospective after election backoff has completed"),
    Template("RFT-168", "raft_election_lost_votes", "INFO", "KafkaRaftClient", "4.0.1-4.3.1",
             "[RaftManager id={node_id}] Election was not granted, transitioning to prospective",
             "[RaftManager id=2] Election was not granted, transitioning to prospective"),
    Template("RFT-169", "raft_election_timeout", "INFO", "KafkaRaftClient", "4.0.1-4.4.0",
             "[RaftManager id={node_id}] Election timed out before receiving sufficient vote responses to become candidate. Current "
             "epoch election state: {election_state}",
             "[RaftManager id=103] Election timed out before receiving sufficient vote responses to become candidate. Current epoch "
             "election state: EpochElection(voterStates={101=VoterState(replicaKey=ReplicaKey(id=101, directoryId=<undefined>), "
             "state=UNRECORDED), 102=VoterState(replicaKey=ReplicaKey(id=102, directoryId=<undefined>), state=UNRECORDED), "
             "103=VoterState(replicaKey=ReplicaKey(id=103, directoryId=<undefined>), state=GRANTED)})"),
    Template("RFT-170", "raft_election_lost_votes", "INFO", "KafkaRaftClient", "4.0.1-4.4.0",
             "[RaftManager id={node_id}] Insufficient remaining votes to become candidate. Current epoch election state is "
             "{election_state}.",
             "[RaftManager id=2] Insufficient remaining votes to become candidate. Current epoch election state is election-state."),
    Template("RFT-171", "raft_election_lost_votes", "INFO", "KafkaRaftClient", "4.1.1-4.3.1",
             "[RaftManager id={node_id}] Insufficient remaining votes to become leader. Candidate will wait the remaining election "
             "timeout ({remaining_ms}) before transitioning back to Prospective. Current epoch election state is {election_state}.",
             "[RaftManager id=102] Insufficient remaining votes to become leader. Candidate will wait the remaining election timeout "
             "(1927) before transitioning back to Prospective. Current epoch election state is "
             "EpochElection(voterStates={101=VoterState(replicaKey=ReplicaKey(id=101, directoryId=<undefined>), state=REJECTED), "
             "102=VoterState(replicaKey=ReplicaKey(id=102, directoryId=<undefined>), state=GRANTED), "
             "103=VoterState(replicaKey=ReplicaKey(id=103, directoryId=<undefined>), state=REJECTED)})."),
    Template("RFT-172", "raft_election_lost_votes", "INFO", "KafkaRaftClient", "4.0.1",
             "[RaftManager id={node_id}] Insufficient remaining votes to become leader. We will backoff before retrying election again. "
             "Current epoch election state is {election_state}.",
             "[RaftManager id=2] Insufficient remaining votes to become leader. We will backoff before retrying election again. Current "
             "epoch election state is election-state."),
    Template("RFT-173", "raft_become_candidate", "INFO", "KafkaRaftClient", "4.0.1-4.3.1",
             "[RaftManager id={node_id}] Prospective received unsupported version error in vote response in epoch {epoch}, "
             "transitioning to Candidate state immediately since at least one voter doesn't support PreVote.",
             "[RaftManager id=2] Prospective received unsupported version error in vote response in epoch 7, transitioning to Candidate "
             "state immediately since at least one voter doesn't support PreVote."),
    Template("RFT-174", "raft_vote_rejected", "INFO", "KafkaRaftClient", "4.0.1-4.3.1",
             "[RaftManager id={node_id}] Received a vote request from replica {replica_id} with illegal epoch {request_epoch}, last "
             "epoch {last_epoch}, preVote={pre_vote}",
             "[RaftManager id=2] Received a vote request from replica 3 with illegal epoch 8, last epoch 7, preVote=pre-vote"),
    Template("RFT-175", "raft_voter_key_mismatch", "INFO", "KafkaRaftClient", "4.0.1",
             "[RaftManager id={node_id}] A replica sent a voter key ({voter_key}) in the VOTE request that doesn't match the local key "
             "({local_key}, {local_directory_id}); rejecting the vote",
             "[RaftManager id=2] A replica sent a voter key (voter-key) in the VOTE request that doesn't match the local key (10, "
             "X8snIzwvRQ2wDuEVgycxrQ); rejecting the vote"),
    Template("RFT-176", "raft_voter_key_mismatch", "INFO", "KafkaRaftClient", "4.1.1-4.3.1",
             "[RaftManager id={node_id}] A replica {replica_key} sent a voter key ({voter_key}) in the VOTE request that doesn't match "
             "the local key ({local_key}, {local_directory_id}); rejecting the vote",
             "[RaftManager id=2] A replica replica-key sent a voter key (voter-key) in the VOTE request that doesn't match the local "
             "key (10, X8snIzwvRQ2wDuEVgycxrQ); rejecting the vote"),
    Template("RFT-177", "raft_append_failed", "INFO", "KafkaRaftClient", "3.9.0-4.3.1",
             "[RaftManager id={node_id}] Failed to append the records with the batch header '{batch_header}' to the log",
             "[RaftManager id=2] Failed to append the records with the batch header 'batch-header' to the log"),
    Template("RFT-178", "raft_voter_set", "INFO", "LeaderState", "4.1.1-4.3.1",
             "[RaftManager id={node_id}] Appended voter set {voters} to the batch accumulator",
             "[RaftManager id=2] Appended voter set voters to the batch accumulator"),
    Template("RFT-179", "raft_voter_set", "INFO", "LeaderState", "4.1.1-4.3.1",
             "[RaftManager id={node_id}] Appended kraft.version {kraft_version} to the batch accumulator",
             "[RaftManager id=2] Appended kraft.version kraft-version to the batch accumulator"),
    Template("RFT-180", "raft_voter_set", "INFO", "LeaderState", "4.1.1-4.3.1",
             "[RaftManager id={node_id}] Not all voters support kraft version {kraft_version}: {voters}",
             "[RaftManager id=2] Not all voters support kraft version kraft-version: voters"),
    Template("RFT-181", "raft_voter_set", "INFO", "UpdateVoterHandler", "4.1.1-4.4.0",
             "[RaftManager id={node_id}] Updated in-memory voters from {old_voters} to {voters}",
             "[RaftManager id=2] Updated in-memory voters from old-voters to voters"),
    Template("RFT-182", "raft_voter_set", "INFO", "UpdateVoterHandler", "4.1.1-4.3.1",
             "[RaftManager id={node_id}] Unable to update in-memory voters from {old_voters} to {voters}",
             "[RaftManager id=2] Unable to update in-memory voters from old-voters to voters"),
    Template("RFT-183", "raft_voter_set", "INFO", "UpdateVoterHandler", "4.1.1-4.3.1",
             "[RaftManager id={node_id}] Unable to read the current voter set with kraft version {kraft_version}",
             "[RaftManager id=2] Unable to read the current voter set with kraft version kraft-version"),
    Template("RFT-184", "raft_vote_rejected", "DEBUG", "LeaderState", "4.0.1-4.3.1",
             "[RaftManager id={node_id}] Rejecting Vote request (preVote={pre_vote}) from replica ({replica_key}) since we are already "
             "leader in epoch {epoch}",
             "[RaftManager id=2] Rejecting Vote request (preVote=pre-vote) from replica (replica-key) since we are already leader in "
             "epoch 7"),
    Template("RFT-185", "raft_vote_rejected", "DEBUG", "CandidateState", "4.0.1-4.3.1",
             "[RaftManager id={node_id}] Rejecting Vote request (preVote={pre_vote}) from replica ({replica_key}) since we are in "
             "CandidateState in epoch {epoch} and the replica's log is up-to-date={log_up_to_date}",
             "[RaftManager id=2] Rejecting Vote request (preVote=pre-vote) from replica (replica-key) since we are in CandidateState in "
             "epoch 7 and the replica's log is up-to-date=log-up-to-date"),
    Template("RFT-186", "raft_vote_rejected", "DEBUG", "FollowerState", "4.0.1-4.3.1",
             "[RaftManager id={node_id}] Rejecting Vote request (preVote={pre_vote}) from replica ({replica_key}) since we are in "
             "FollowerState with leader {leader_id} in epoch {epoch}, hasFetchedFromLeader={has_fetched}, replica's log is "
             "up-to-date={log_up_to_date}",
             "[RaftManager id=2] Rejecting Vote request (preVote=pre-vote) from replica (replica-key) since we are in FollowerState "
             "with leader 2 in epoch 7, hasFetchedFromLeader=has-fetched, replica's log is up-to-date=log-up-to-date"),
    Template("RFT-187", "raft_vote_rejected", "DEBUG", "ResignedState", "4.0.1-4.3.1",
             "[RaftManager id={node_id}] Rejecting Vote request (preVote={pre_vote}) from replica ({replica_key}) since we are in "
             "ResignedState in epoch {epoch} and the replica's log is up-to-date={log_up_to_date}",
             "[RaftManager id=2] Rejecting Vote request (preVote=pre-vote) from replica (replica-key) since we are in ResignedState in "
             "epoch 7 and the replica's log is up-to-date=log-up-to-date"),
    Template("RFT-188", "raft_vote_rejected", "DEBUG", "QuorumState", "4.0.1-4.3.1",
             "[RaftManager id={node_id}] Rejecting Vote request (preVote=false) from candidate ({candidate_key}) since candidate's log "
             "is not up to date with us",
             "[RaftManager id=2] Rejecting Vote request (preVote=false) from candidate (candidate-key) since candidate's log is not up "
             "to date with us"),
    Template("RFT-189", "raft_vote_rejected", "DEBUG", "QuorumState", "4.0.1-4.3.1",
             "[RaftManager id={node_id}] Rejecting Vote request (preVote=false) from candidate ({candidate_key}) since we already have "
             "a leader {leader_id} in epoch {epoch}",
             "[RaftManager id=2] Rejecting Vote request (preVote=false) from candidate (candidate-key) since we already have a leader 2 "
             "in epoch 7"),
    Template("RFT-190", "raft_vote_rejected", "DEBUG", "QuorumState", "4.0.1-4.3.1",
             "[RaftManager id={node_id}] Rejecting Vote request (preVote=false) from candidate ({candidate_key}), already have voted "
             "for another candidate ({voted_key}) in epoch {epoch}",
             "[RaftManager id=2] Rejecting Vote request (preVote=false) from candidate (candidate-key), already have voted for another "
             "candidate (voted-key) in epoch 7"),
    Template("RFT-191", "raft_vote_rejected", "DEBUG", "QuorumState", "4.0.1-4.3.1",
             "[RaftManager id={node_id}] Rejecting Vote request (preVote=true) from prospective ({prospective_key}) since prospective's "
             "log is not up to date with us",
             "[RaftManager id=2] Rejecting Vote request (preVote=true) from prospective (prospective-key) since prospective's log is "
             "not up to date with us"),
    Template("RFT-192", "raft_log_hw_mismatch", "WARN", "KafkaRaftLog", "4.3.1",
             "[RaftLog partition={topic_partition}, nodeId={node_id}] Log's high watermark ({log_high_watermark}) is different from the "
             "local replica's high watermark ({offset_metadata})",
             "[RaftLog partition=orders-3, nodeId=2] Log's high watermark (18) is different from the local replica's high watermark "
             "(offset-metadata)"),
    Template("RFT-193", "raft_snapshot_files", "INFO", "KafkaRaftLog", "4.3.1",
             "[RaftLog partition={topic_partition}, nodeId={node_id}] Cannot create a snapshot with an id ({snapshot_id}) less than the "
             "log start offset ({start_offset})",
             "[RaftLog partition=orders-3, nodeId=2] Cannot create a snapshot with an id (X8snIzwvRQ2wDuEVgycxrQ) less than the log "
             "start offset (11)"),
    Template("RFT-194", "raft_snapshot_files", "WARN", "KafkaRaftLog", "4.3.1",
             "[RaftLog partition={topic_partition}, nodeId={node_id}] Couldn't read {snapshot_id}; expected to find snapshot file {path}",
             "[RaftLog partition=orders-3, nodeId=2] Couldn't read X8snIzwvRQ2wDuEVgycxrQ; expected to find snapshot file /brokers/ids/2"),
    Template("RFT-195", "raft_snapshot_files", "INFO", "KafkaRaftLog", "4.3.1",
             "[RaftLog partition={topic_partition}, nodeId={node_id}] Marking snapshot {snapshot_id} for deletion because its timestamp "
             "({timestamp}) is now ({now}) older than the retention ({retention_ms})",
             "[RaftLog partition=orders-3, nodeId=2] Marking snapshot X8snIzwvRQ2wDuEVgycxrQ for deletion because its timestamp "
             "(timestamp) is now (now) older than the retention (250)"),
    Template("RFT-196", "raft_snapshot_files", "INFO", "KafkaRaftLog", "4.3.1",
             "[RaftLog partition={topic_partition}, nodeId={node_id}] Marking snapshot {snapshot_id} for deletion because the log size "
             "({log_size}) and snapshots size ({snapshots_size}) is greater than {retention_max_bytes}",
             "[RaftLog partition=orders-3, nodeId=2] Marking snapshot X8snIzwvRQ2wDuEVgycxrQ for deletion because the log size "
             "(log-size) and snapshots size (snapshots-size) is greater than 14"),
    Template("RFT-197", "raft_snapshot_files", "INFO", "KafkaRaftLog", "4.3.1",
             "[RaftLog partition={topic_partition}, nodeId={node_id}] Marking snapshot {snapshot_id} for deletion because the partition "
             "was fully truncated",
             "[RaftLog partition=orders-3, nodeId=2] Marking snapshot X8snIzwvRQ2wDuEVgycxrQ for deletion because the partition was "
             "fully truncated"),
    Template("RFT-198", "raft_snapshot_files", "INFO", "KafkaRaftLog", "4.3.1",
             "[RaftLog partition={topic_partition}, nodeId={node_id}] Marking snapshot {snapshot_id} for deletion for unknown reason",
             "[RaftLog partition=orders-3, nodeId=2] Marking snapshot X8snIzwvRQ2wDuEVgycxrQ for deletion for unknown reason"),
    Template("RFT-199", "raft_snapshot_files", "INFO", "KafkaRaftLog", "4.3.1-4.4.0",
             "[RaftLog partition={topic_partition}] Initialized snapshots with IDs {snapshots_to_retain} from {dir}",
             "[RaftLog partition=orders-3] Initialized snapshots with IDs snapshots-to-retain from /var/lib/kafka"),
    Template("RFT-200", "raft_snapshot_files", "INFO", "KafkaRaftLog", "4.3.1",
             "[RaftLog partition={topic_partition}] Deleted unneeded snapshot file with path {snapshot_path}",
             "[RaftLog partition=orders-3] Deleted unneeded snapshot file with path snapshot-path"),
    Template("RFT-202", "raft_voter_set", "INFO", "VoterSetHistory", "3.9.0-4.3.1",
             "Last voter set ({old_voters}) doesn't have an overlapping majority with the new voter set ({voters})",
             "Last voter set (old-voters) doesn't have an overlapping majority with the new voter set (voters)"),
)
