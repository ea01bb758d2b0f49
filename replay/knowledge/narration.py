"""Quiet lines, in order: one plain sentence each, with the effect on the data, from the line's kind in the
catalogue.

A line whose kind has no sentence here is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from replay.catalogue.kinds import CLIENT_KINDS, HOST_KINDS, KINDS
from replay.knowledge.answer import Event
from replay.knowledge.choosing import WARN, Read
from replay.knowledge.line_values import segment_times
from replay.knowledge.meaning import filled
from replay.knowledge.text_lines import Line
from replay.lists import listed
from replay.reading.pasted import OTHERS, SETTING, TYPED, UNKNOWN

MOST_LINES = 40  # with more lines, each distinct event appears once
_SEGMENT_SIZE = re.compile(r"\bsize=(\d+)")
_SEGMENT = re.compile(r"baseOffset=\d+")
_SEGMENTS = ("to_delete", "segment", "deletable", "segments", "segments_to_delete")  # fields that hold segments
_STATE = re.compile(r"^(\w+)State\(|^(\w+)\(")
_EPOCH = re.compile(r"\bepoch=(\d+)")
_LED_BY = re.compile(r"leaderId=(?:OptionalInt\[)?(\d+)")
_FETCHED = re.compile(
    r"(?<![\w.-])([A-Za-z_][\w.-]{0,249}?-\d{1,10}) -> (?:InitialFetchState\((?:\S{1,300}, )?BrokerEndPoint\(id=\d+, host=[^)]{0,300}\),\s?(\d+),\s?(\d+)|\(offset=(\d+))"
)
_POSITION = re.compile(r"\boffset=(\d{1,20})\b")
_SCALA = re.compile(r"\b(?:Hash|Tree)?(?:Set|List)\(([^()]{0,400})\)")
_MEMBER = re.compile(r"(?:[Mm]ember|member with id) (?P<member>[\w.-]+)")
_UUID = re.compile(r"-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")

# The sentence for each kind, with the line's values; a part in <…> only if its values are known.
STEPS: Mapping[str, str] = {
    # Starts, stops, registrations.
    "process_start_line": "{Me} starts.",
    "broker_starting": "{Me} starts.",
    "process_version": "{Me} runs Kafka {kafka_version}.",
    "broker_started": "{Me} has started.",
    "process_started": "{Me} has started.",
    "broker_state_transition": "{Me} changes from {from_state} to {to_state}.",
    "broker_shutdown_step": "{Me} stops its components, one after another.",
    "coordinator_service_shutdown": "{Me} stops its coordinators.",
    "coordinator_service_start": "{Me} starts its coordinators.",
    "fetcher_manager_shutdown": "{Me} stops copying from leaders.",
    "log_manager_shutdown_begin": "{Me} begins to close its logs.",
    "log_manager_shutdown_done": "{Me} has closed its logs.",
    "replica_manager_shutdown_begin": "{Me} stops its replicas.",
    "replica_manager_shutdown_done": "{Me} has stopped its replicas and written their high watermarks.",
    "request_handlers_shutdown": "{Me} handles no more requests.",
    "socket_server_shutdown": "{Me} reads no more requests.",
    "thread_starting": "{Me} starts a thread.",
    "thread_shutting_down": "{Me} stops a thread.",
    "thread_stopped": "{Me} has stopped a thread.",
    "thread_shutdown_completed": "{Me} has shut down a thread.",
    "log_cleaner_progress": "{Me} compacts a log.",
    "log_cleaned": "{Me} has compacted a log<: {log_name}>.",
    "log_cleaner_paused": "{Me} stops compacting a log, because the log is truncated, deleted or moved.",
    "log_cleaner_resumed": "{Me} may compact that log again.",
    "log_cleaner_started": "{Me} starts its log cleaner.",
    "log_cleaner_shutdown": "{Me} stops its log cleaner.",
    "metadata_loader_catch_up": "{Me} loads the metadata log up to the high watermark of the quorum.",
    "metadata_loader_snapshot": "{Me} has loaded a snapshot of the cluster's metadata.",
    "metadata_loader_publisher_init": "{Me} passes the cluster's metadata to one of its components.",
    "metadata_loader_delta": "{Me} applies a change of the cluster's metadata.",
    "producer_state_load": "{Me} rebuilds its list of producers from a log.",
    "topic_deletion_progress": "{Me} deletes a topic.",
    "wait_begin": "{Me} waits for a step of its start.",
    "wait_done": "{Me} has completed a step of its start.",
    "socket_server_step": "{Me} prepares its listeners.",
    "broker_unfenced": "{Me} is unfenced: it may lead and be in ISRs again.",
    "broker_recovery": "{Me} has caught up with the metadata.",
    "broker_waiting_unfence": "{Me} waits until the controller unfences it.",
    "broker_registered": "{Me} was registered by the controller<(broker epoch {broker_epoch})>.",
    "broker_registered_zk": "A broker registered in ZooKeeper<at {path}>.",
    "process_signal": "{Me} was asked to stop ({signal}).",
    "broker_controlled_shutdown_begin": "{Me} begins its controlled shutdown: it asks the controller to move its leaders.",
    "broker_controlled_shutdown_done": "{Me} has moved all of its leaders.",
    "broker_shutting_down": "{Me} shuts down.",
    "broker_shutdown_begin": "{Me} shuts down.",
    "broker_shutdown_done": "{Me} has shut down in order.",
    "controller_controlled_shutdown_begin": "{Me} moves the leaders of broker {broker_id}: that broker asked to stop.",
    "log_dir_clean_shutdown": "{Me} found the marker of a clean stop<in {log_dir}>: no log needs a check.",
    "log_dir_unclean_shutdown": "{Me} found no clean-shutdown marker in {log_dir} and recovers its logs<: {num_logs} of them>.",
    "log_manager_load_begin": "{Me} loads its logs.",
    "log_manager_load_done": "{Me} has loaded its logs<: {num_logs} of them><in {elapsed_ms} ms>.",
    "log_segment_recovery": "{Me} checks the unflushed segments of {tp} (from offset {base_offset}).",
    "log_load_completed": "{Me} has loaded {tp|a log}<, which ends at {log_end_offset}><: {num_loaded} of {num_logs} logs>.{let_it_finish|}",
    "node_disconnected": "A connection from {me} to another node ended.",
    "node_request_timeout": "{Me} closed a connection because a request got no response in time.",
    "cluster_id": "{Me} belongs to the cluster {cluster_id|whose id this line shows}.",
    "process_commit": "{Me} shows the commit id of its Kafka build.",
    "event_queue_shutdown": "{Me} stops an event queue.",
    "shared_server": "{Me} starts or stops the server that broker and controller share.",
    # Partitions.
    "isr_shrink": "{Me} removes {gone|a follower} from the ISR of {tp}, which is then {isr}<(its own log ended at {log_end_offset}, {behind})>.{alone|}",
    "isr_expand": "{Me} takes {added|a follower} into the ISR of {tp}, which is then {isr}.",
    "isr_updated": "The ISR of {tp} is {isr} (version {partition_epoch}).{alone|}",
    "leader_start": "Broker {leader_id} leads {tp} in leader epoch {leader_epoch} from offset {epoch_start_offset}<with high watermark {high_watermark}><; the ISR is {isr}>.",
    "follower_start": "Broker {broker_id} follows {leader|the leader} for {tp} in leader epoch {leader_epoch}; its log ends at {log_end_offset|an unknown offset}.",
    "fetcher_partitions_added": "Broker {broker_id} begins to copy {fetched|partitions}<from broker {leader_id}>.",
    "fetcher_partitions_removed": "{Me} no longer copies {partitions}.",
    "log_truncated_to": "{Me} cuts its log of {tp} at offset {truncation_offset}<(it ended at {cut_from})>.",
    "log_truncation_noop": "The log of {tp} on {me} needed no cut: it does not go beyond {truncation_offset}.",
    "truncation_by_epoch": "{Me} goes back to where its log of {tp} agrees with the leader's: offset {truncation_offset|from the leader}.",
    "truncation_to_hw": "{Me} cuts {tp} to its own high watermark {high_watermark}.",
    "truncation_not_needed": "The log of {tp} agrees with the leader's: nothing is truncated.",
    "log_truncated_fully": "{Me} deletes its log of {tp} and starts over at offset {truncation_offset}.",
    "log_start_offset_incremented": "The log of {tp} now starts at offset {log_start_offset}<: {reason}>. Records below that offset can no longer be read.",
    "log_start_offset_breach_delete": "{Me} removes {segments_are|segments} of {tp} below its log start offset {log_start_offset|}.",
    "log_retention_delete": "{Me} removes {segments_are|segments} of {tp|a log} by {retention_is|retention}.{age|}",
    "log_rolled": "The log of {tp} got a new segment<at offset {log_end_offset}>.",
    "log_created": "{Me} made the log of {tp}.",
    "log_deleted": "{Me} deletes its log of {tp}.",
    "partition_state_online_with_leader": "Controller {controller_id} made broker {leader_id} the leader of {tp} in leader epoch {leader_epoch}; the ISR is {isr}{was_offline|}.{alone|}",
    "kraft_partition_changed": "{Me} changed {described_partition|a partition}: {partition_change|{diff}}.",
    "kraft_partition_changed_unclean": "The controller elected {leader|a new leader} of {tp|a partition} by an unclean election<: the ISR was {previous_isr}, and is {isr} now>. Committed records can be lost.",
    "replica_removed_from_isr": "Controller {controller_id} took a replica out of the ISR of {tp}, which is then {isr}.{alone|}",
    "kraft_leader_isr_updates_summary": "{Me} changes leaders or ISRs of {changed_count} partitions ({context}).",
    "controller_preferred_election_completed": "Partition {tp} is led by its preferred replica again: broker {preferred_replica|…}.",
    "controller_clean_election_candidate": "{new_leader}, a member of the ISR {live_brokers_in_isr}, becomes leader of {tp}: a clean election.",
    "controller_auto_rebalance_run": "{Me} checks whether leadership has to go back to preferred replicas.",
    # Partitions: what a broker loads, leads and copies.
    "partition_log_loaded": "{Me} loaded the log of {tp}; its high watermark begins at {high_watermark}.",
    "partition_no_checkpointed_hw": "{Me} has no stored high watermark of {tp}: the replica is new, or the checkpoint file is gone.",
    "broker_partition_created": "{Me} got a replica of {tp}.",
    "broker_become_follower_summary": "{Me} becomes a follower of {num_partitions} partitions.",
    "broker_become_leader_summary": "{Me} becomes the leader of {num_partitions} partitions.",
    "broker_become_follower_fetchers_stopped_summary": "{Me} stops copying {num_partitions} partitions from the old leader.",
    "broker_become_follower_fetchers_started_summary": "{Me} begins to copy {num_partitions} partitions as a follower.",
    "broker_become_leader_fetchers_stopped_summary": "{Me} stops copying {num_partitions} partitions: it becomes the leader.",
    "broker_controlled_shutdown_fetchers_stopped": "{Me} stops copying {num_partitions} partitions, because it shuts down.",
    "broker_partitions_deleted_summary": "{Me} deletes its replicas of {num_partitions} partitions.",
    "broker_become_leader_skipped": "{Me} already led {tp}.",
    "broker_become_follower_skipped": "{Me} already followed this leader of {tp}.",
    "leader_transition_skipped": "{Me} ignores a repeated or older state of {tp}.",
    "follower_transition_skipped": "{Me} ignores a repeated or older state of {tp}.",
    "broker_leader_and_isr_request": "{Me} received the leaders and ISRs of {num_partitions} partitions from controller {controller_id}.",
    "broker_leader_and_isr_finished": "{Me} applied the leaders and ISRs of {num_partitions} partitions in {elapsed_ms} ms.",
    "broker_leader_and_isr_same_epoch": "{Me} ignores a state of {tp} that it already has.",
    "broker_stop_replica_request": "{Me} is asked to stop its replicas of {num_partitions} partitions.",
    "broker_stop_replica_same_epoch": "{Me} ignores a request to stop {tp} that it already carried out.",
    "broker_metadata_update_summary": "{Me} received metadata from controller {controller_id}.",
    "broker_metadata_initial": "{Me} applies the cluster's metadata for the first time since its start.",
    "fetch_fenced_epoch": "{Me} has an older leader epoch of {tp} ({current_leader_epoch}) than leader {leader_id}: it waits for the new state.",
    "fetch_fenced_epoch_stale_leader_view": "{Me} has a newer leader epoch of {tp} ({current_leader_epoch}) than leader {leader_id}: it fetches again later.",
    "epoch_request_retry": "{Me} asks the leader of {tp} again where their logs agree: the answer was {error}.",
    "epoch_cache_assigned": "The log of {tp} has leader epoch {leader_epoch} from offset {epoch_start_offset}.",
    "isr_update_rejected_reset": "The controller rejected an ISR of {tp} that {me} proposed ({error}).",
    "alter_partition_isr_updated": "The controller stored a new ISR of {tp}<: {isr}>.",
    "leader_recovery_state_reset": "{Me} leads {tp} after an unclean election; records that only other replicas held can be gone.",
    "topic_id_assigned": "{Me} stores the id of the topic of {tp}.",
    "future_replica_fetcher_added": "{Me} begins to copy partitions from one of its log directories to another.",
    "future_replica_fetcher_removed": "{Me} does not copy {partitions} between its log directories.",
    "log_deleted_segments": "{Me} removes the segments of {tp}, whose log was deleted.",
    "log_segment_deleted": "{Me} removes {segments_are|segments} of {tp|a log}.{age|}",
    "log_segment_file_deleted": "{Me} removed {file_type} {path}.",
    "producer_snapshot_deleted": "{Me} removes a snapshot of the producers<of {tp}>.",
    "log_manager_started": "{Me} checks retention and flushes its logs from now on.",
    "log_manager_no_logs": "{Me} has no logs in {log_dir}: the directory is new or empty.",
    # Starts, stops and connections of a process.
    "process_signal_registered": "{Me} starts.",
    "process_start_time": "{Me} starts.",
    "process_app_unregistered": "{Me} has stopped one of its components.",
    "config_dump": "{Me} prints its settings.",
    "listener_bound": "{Me} listens at {host}:{port}.",
    "endpoint_ready": "{Me} prepares the listener {endpoint_name}.",
    "connection_quota_set": "{Me} sets a limit for new connections.",
    "controller_process_starting": "{Me} starts as a controller.",
    "controller_process_shutdown_begin": "{Me} shuts down.",
    "broker_controlled_shutdown_waiting": "{Me} waits until the controller has moved its leaders.",
    "broker_controlled_shutdown_kraft": "{Me} asks the controller for a controlled shutdown.",
    "controller_channel_shutdown": "{Me} closes its connection to the controller.",
    "broker_incarnation": "{Me} starts with a new incarnation id.",
    "broker_registration_failed": "{Me} could not register with the controller<: {error_code}>.",
    "broker_heartbeat_failed": "{Me} could not send a heartbeat to the controller: its session can end.",
    "broker_features_updated": "{Me} applies the features of the cluster.",
    "broker_features_cleared": "{Me} clears its list of features.",
    "broker_metadata_version": "{Me} works with metadata.version {feature_level} from now on.",
    "broker_config_changed": "{Me} applies a changed configuration<of {resource_name}>.",
    "node_inflight_cancelled": "{Me} gave up its {api_key} request to node {broker_id} after {time_elapsed_since_send_ms} ms.",
    "fetch_send_error": "{Me} could not send a fetch to broker {broker_id}.",
    "topic_auto_created": "{Me} creates topic {topic} by itself: {num_partitions} partitions, replication factor {replication_factor}.",
    "topic_auto_create_sent": "{Me} asks the controller to create a topic that a client used.",
    "producer_id_block": "{Me} got a range of ids for producers.",
    # Coordinators.
    "coordinator_elected": "{Me} became a coordinator of groups or transactions (partition {coordinator_partition}).",
    "coordinator_resigned": "{Me} is no longer a coordinator of groups or transactions (partition {coordinator_partition}).",
    "coordinator_load_scheduled": "{Me} begins to load {tp}, to coordinate its groups or transactions.",
    "coordinator_load_done": "{Me} has loaded {tp} and coordinates its groups or transactions.",
    "coordinator_load_duplicate": "{Me} already loads {tp}.",
    "coordinator_unload_scheduled": "{Me} begins to unload {tp}: it no longer coordinates its groups or transactions.",
    "coordinator_unload_done": "{Me} has unloaded {tp}.",
    "coordinator_epoch_stale": "{Me} ignores an outdated step of a coordinator.",
    # ZooKeeper's clients and servers.
    "zk_connecting": "{Me} connects to ZooKeeper<at {zk_connect}><at {server}>.",
    "zk_session_initializing": "{Me} asks ZooKeeper for a new session.",
    "zk_client_closed": "{Me} closed its ZooKeeper client.",
    "zk_znode_created": "{Me} makes a node in ZooKeeper<: {path}>.",
    "zk_znode_stat": "{path} exists in ZooKeeper now.",
    "zookeeper_client_known": "ZooKeeper took the certificate of its client {principal}.",
    "zookeeper_command": "{asker} asked ZooKeeper<for {command}><from {client_address}>.",
    "zookeeper_connection_accepted": "ZooKeeper accepted a connection from {client_address}.",
    "zookeeper_connection_closed": "ZooKeeper closed the connection of {client_address}; session {session_id} can continue on another one.",
    "zookeeper_step": "A server of ZooKeeper starts, or reports a setting.",
    "zookeeper_session_connecting": "{client_address} asks ZooKeeper for a new session.",
    "zookeeper_session_established": "ZooKeeper opened session {session_id} for {client_address}, with a timeout of {timeout_ms} ms.",
    "zookeeper_session_terminated": "The client of session {session_id} closed it.",
    "zookeeper_session_invalid": "ZooKeeper refused session {session_id} of {client_address}: it has probably expired.",
    "zookeeper_user_error": "ZooKeeper answered a request with an error code, as it often does during a start<: {error}>.",
    # Controllers in ZooKeeper mode.
    "controller_startup": "{Me} starts.",
    "controller_epoch_incremented": "{Me} is the controller in epoch {controller_epoch}.",
    "controller_broker_change": "{Me} sees a changed set of brokers: new {new_brokers|none}, gone {dead_brokers|none}, alive {live_brokers}.",
    "controller_broker_connected": "{Me} is connected to a broker<: {target_broker_id}>.",
    "controller_active_brokers": "{Me} sees the brokers {live_brokers}.",
    "controller_topic_change": "{Me} sees new topics ({new_topics|none}) and deleted topics ({deleted_topics|none}).",
    "controller_new_topic_creation": "{Me} creates {topic_partitions}.",
    "controller_new_partition_creation": "{Me} creates {topic_partitions}.",
    "controller_election_begin": "{Me} begins an election of leaders<({election_type})><for {partitions}>.",
    "controller_isr_changed": "{Me} stored a new leader and ISR of {tp}.",
    "controller_new_leader_selected": "{Me} chose a new leader of {tp}, which had none.",
    "controller_log_dir_failure": "{Me} handles a failed log directory of brokers {broker_ids}.",
    "controller_send_leader_and_isr_summary": "{Me} tells broker {broker} to lead {num_become_leaders} partitions and to follow in {num_become_followers}.",
    "controller_send_update_metadata_summary": "{Me} sends the metadata of {num_partitions} partitions to brokers {broker_ids}.",
    "controller_send_stop_replica_summary": "{Me} tells broker {broker_id} to stop replicas.",
    "controller_psm_stopped": "{Me} is no longer the controller: it stops managing partitions.",
    "controller_rsm_stopped": "{Me} is no longer the controller: it stops managing replicas.",
    "controller_shutting_down_broker_removed": "{Me} takes {brokers} off its list of brokers in controlled shutdown.",
    "controller_reassign_all_done": "No reassignment is left.",
    "partition_state_new": "{Me} creates {tp} on brokers {replicas}.",
    # Controllers in KRaft mode, and the metadata quorum.
    "kraft_broker_registering": "{Me} registers broker {broker_id} for the first time (broker epoch {new_broker_epoch}).",
    "kraft_broker_registering_new_incarnation": "{Me} registers broker {broker_id} again: it was restarted (broker epoch {new_broker_epoch}).",
    "kraft_broker_registration_changed": "{Me} stores a changed registration of broker {broker_id}.",
    "kraft_config_set": "{Me} stores a change of the setting {config_name}<of {config_resource}><: {config_value}>.",
    "kraft_controller_created": "{Me} starts as a controller of cluster {cluster_id}.",
    "kraft_controller_registration": "{Me} registers as a controller.",
    "kraft_controller_registered": "{Me} stores the registration of a controller.",
    "kraft_create_topics_result": "{Me} handled a request to create topics: {results_builder}.",
    "kraft_elr_cleared": "{Me} removed the eligible leader replicas of {partitions_count} partitions: min.insync.replicas changed.",
    "kraft_event_failed": "{Me} rejected a request or gave it up: '{said}'.",
    "kraft_feature_replayed": "{Me} stores the level of the feature {name}<: {feature_level}>.",
    "kraft_leader_selected_unclean": "The controller elected broker {election_result_node} by an unclean election: it was not in the ISR, and committed records can be lost.",
    "kraft_metadata_version_replayed": "The cluster works with metadata.version {metadata_version|{feature_level}}.",
    "kraft_periodic_task": "{Me} registers the periodic task {task_name}.",
    "kraft_periodic_tasks_activated": "{Me} starts its periodic tasks: it is the active controller.",
    "kraft_transaction_record": "{Me} marks a transaction of the metadata log.",
    "raft_become_candidate": "{Me} asks the other voters for their votes, to lead the metadata quorum.",
    "raft_become_prospective": "{Me} asks the other voters whether they still have a leader of the metadata quorum.",
    "raft_election_lost_votes": "{Me} did not get enough votes to lead the metadata quorum.",
    "raft_election_timeout": "{Me} got too few votes in time to lead the metadata quorum and tries again.",
    "raft_reelect_after_backoff": "{Me} asks the other voters for their votes, to lead the metadata quorum.",
    "raft_vote_decision": "{Me} answered a request for its vote: {vote_result}.",
    "raft_follower_hw_first": "{Me} learned the high watermark of the metadata log in epoch {epoch}.",
    "raft_leader_hw_first": "{Me} leads the metadata quorum in epoch {epoch}: a majority follows it.",
    "raft_listener_registration": "{Me} passes the metadata log to one of its components.",
    # Controllers and the quorum.
    "controller_elected": "Broker {broker_id|{controller_id}} became the controller<(epoch {controller_epoch})>.",
    "controller_resigned": "{Me} is no longer the controller.",
    "controller_failover_complete": "{Me} serves as the controller<(epoch {controller_epoch})>.",
    "controller_broker_startup": "{Me} saw broker {new_brokers} come.",
    "controller_broker_failure": "{Me} saw broker {dead_brokers} go: its session ended.",
    "controller_recorded": "{Me} knows the active controller: {controller_node}.",
    "kraft_controller_activated": "{Me} became the active controller in epoch {new_epoch}.",
    "kraft_controller_new_leader": "In epoch {new_epoch} {active_controller}.",
    "kraft_broker_registered": "{Me} registered a broker<: {broker_id}>.",
    "kraft_broker_registered_new_incarnation": "{Me} registered a broker again<: {broker_id}>; it was restarted.",
    "kraft_broker_session_timeout": "{Me} fences broker {broker_id}: no heartbeat came within its session. Others lead its partitions.",
    "kraft_broker_unfence_granted": "{Me} unfences broker {broker_id}: it may lead and be in ISRs again.",
    "kraft_controlled_shutdown_granted": "{Me} lets broker {broker_id} begin its controlled shutdown.",
    "kraft_shutdown_granted": "{Me} lets broker {broker_id} stop: it leads nothing any more.",
    "raft_transition": "{Me} is now {state_is} in the metadata quorum.",
    "raft_transition_attempt": "{Me} is about to store a new state of the metadata quorum on disk.",
    "raft_startup": "{Me} starts its Raft client.",
    "raft_log_truncated": "{Me} truncated its metadata log to offset {truncation_offset}, following its leader {leader_id}.",
    # Groups and transactions.
    "group_rebalance_begun": "Group {group_id} begins to rebalance: {reason|a member joined, left or was lost}.",
    "group_generation": "Group {group_id} has a new generation<: {generation}><: {generation_id}><: group epoch {group_epoch}><with {member_count} members>.",
    "group_offsets_expired": "{Me} removed {count} expired group offsets.",
    "transaction_initialized": "The producer with transactional id {transactional_id} got epoch {producer_epoch}.",
    # ZooKeeper.
    "zookeeper_session_expired": "ZooKeeper expired session {session_id}: no ping came within {timeout_ms} ms.",
    "container_killing": "Kubernetes ends the container {container|}<of pod {pod}>.",
    "zk_session_connected": "{Me} is connected to ZooKeeper.",
    "zk_session_expired": "The ZooKeeper session of {me} expired.",
    "zk_client_timeout": "{Me} got no response from ZooKeeper for {elapsed_ms} ms.",
    # Clients, Kafka Connect, Kafka Streams.
    "client_subscription": "{Me} subscribes to {topics|{pattern|what it names}}.",
    "client_coordinator_found": "{Me} found its coordinator<: {coordinator}>.",
    "client_coordinator_lost": "{Me} lost its coordinator and looks for it again.",
    "client_group_step": "{Me} takes part in a rebalance of its group: '{said}'.",
    "client_partitions_assigned": "{Me} got partitions<: {assigned_partitions}>.",
    "client_partitions_revoked": "{Me} gives partitions back<: {revoked_partitions}>.",
    "client_partitions_lost": "{Me} lost its partitions: it was no longer a member of its group.",
    "client_position": "{Me} begins to read {tp|a partition}<at offset {offset}><at offset {position_is}>.",
    "client_commit_step": "A commit of {me} did not go through at once: '{said}'.",
    "connect_rebalance_step": "Workers of Kafka Connect share their connectors and tasks out: '{said}'.",
    "connect_offsets_step": "A task of Kafka Connect commits its offsets.",
    "connect_stopping": "Kafka Connect: '{said}'.",
    "connect_step": "Kafka Connect: '{said}'.",
    "mirror_step": "MirrorMaker: '{said}'.",
    "streams_state_changed": "Kafka Streams goes from {old_state} to {new_state}.",
    "streams_state_restored": "Kafka Streams manages its state stores: '{said}'.",
    "streams_topics_step": "Kafka Streams makes or checks its internal topics: '{said}'.",
    "streams_closing": "Kafka Streams: '{said}'.",
    "streams_task_migrated": "Kafka Streams closes a task unclean, or one that another thread has now: '{said}'.",
    "streams_step": "Kafka Streams: '{said}'.",
    # The rest.
    "producer_snapshot_written": "{Me} wrote a snapshot of the producers of {tp}.",
    "gc_pause": "Java paused for {pause_ms} ms for garbage collection<({before} to {after} of {heap})>.",
    "topic_created": "A topic was created<: {topic}>.",
    "kraft_topic_created": "Topic {name} was created.",
    "kraft_topic_removed": "Topic {topic} was deleted.",
    "systemd_starting": "systemd starts {description}.",
    "systemd_started": "systemd started {description}.",
    "systemd_stopping": "systemd stops {description}.",
    "systemd_stopped": "systemd stopped {description}.",
    "systemd_restart": "systemd starts {unit} again by itself (restart {count}).",
    "systemd_failed": "systemd counts the end of {unit} as a failure.",
}
# Quiet wordings that the catalogue does not hold; none of them has consequences.
ROUTINE: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (r"(?:Client|Server) environment:", "{Me} logs its environment."),
        (r"Setting -D jdk\.tls\.", "{Me} logs a TLS setting."),
        (
            r"zookeeper\.\S{1,100} ?(?:=|[Vv]alue is|default)|jute\.maxbuffer value is",
            "{Me} logs a setting of its ZooKeeper client.",
        ),
        (
            r"Opening socket connection to server|Socket connection established|Initiating client connection",
            "{Me} connects to ZooKeeper.",
        ),
        (r"Session establishment complete on server", "{Me} has a session with ZooKeeper."),
        (r"\S{0,300}Principal = \S{1,400} is Allowed ", "The authorizer allowed a request."),
        (
            r"\[?(?:Kafka|Group)\s?Coordinator[^\]]{0,100}\]:? (?:Registered consumer|Handled join-group|Assignment received from leader)",
            "A member takes part in a rebalance of its group.",
        ),
        (
            r"Some broker in ISR is alive for (?P<tp>\S+)\. Select (?P<leader_id>\d+) from ISR (?P<isr>[\d,]+) to be the leader",
            "Broker {leader_id}, a member of the ISR {isr}, becomes leader of {tp}: a clean election.",
        ),
        (
            r"(?:stream-thread \[[^\]]{0,200}\] )?(?:Restoration in progress for|Finished restoring changelog|Processed \d+ total records)",
            "Kafka Streams manages its state stores: '{said}'.",
        ),
        (
            r"(?:global-)?stream-thread \[[^\]]{0,200}\] (?:Starting|Shutting down|Shutdown complete|Stream thread shutdown complete|Informed (?:thread )?to shut down)$",
            "A thread of Kafka Streams: '{said}'.",
        ),
        (r"stunnel: (?P<said>[^\n]{1,110})", "The TLS sidecar (Stunnel) logs: '{said}'."),
        (r"LOOKING$", "This server of ZooKeeper looks for a leader."),
        (r"FOLLOWING(?:$| - LEADER ELECTION TOOK)", "This server of ZooKeeper follows a leader: the election is over."),
        (r"LEADING(?:$| - LEADER ELECTION TOOK)", "This server of ZooKeeper leads: the election is over."),
        (
            r"New election\. My id = {1,2}(?P<my_id>\d{1,10}), proposed zxid=0x0\b",
            "Server {my_id} of ZooKeeper begins an election. It holds no data (zxid 0x0), as before a first start.",
        ),
        (
            r"New election\. My id = {1,2}(?P<my_id>\d{1,10}), proposed zxid=(?P<zxid>0x[0-9a-f]{1,16})",
            "Server {my_id} of ZooKeeper begins an election, with zxid {zxid}.",
        ),
        (
            r"Notification: (?:\d{1,3} \(message format version\), )?(?P<voted>\d{1,10}) \(n\.leader\), (?P<zxid>0x[0-9a-f]{1,16}) \(n\.zxid\), [^\n]{1,60}, (?P<state>[A-Z]{1,20}) \(n\.state\), (?P<sid>\d{1,10}) \(n\.sid\)",
            "Server {sid} of ZooKeeper ({state}) votes for server {voted}, zxid {zxid}.",
        ),
        (
            r"Notification: my state:[A-Z]{1,20}; n\.sid:(?P<sid>\d{1,10}), n\.state:(?P<state>[A-Z]{1,20}), n\.leader:(?P<voted>\d{1,10}),",
            "Server {sid} of ZooKeeper ({state}) votes for server {voted}.",
        ),
        (r"Notification: ", "ZooKeeper's servers talk to one another for an election."),
        (
            r"Have smaller server identifier, so dropping the connection",
            "This server of ZooKeeper closes its connection to a server with a larger id, which connects back: this is normal.",
        ),
        (r"Received connection request", "Another server of ZooKeeper connects to the election port."),
        (
            r"(?:\d{1,10} is accepting connections now, my|My) election bind port: (?P<address>\S{1,300})",
            "This server of ZooKeeper listens for votes at {address}.",
        ),
        (
            r"(?:tickTime|initLimit|syncLimit|(?:min|max)SessionTimeout|quorum\.cnxn\.threads\.size) set to |QuorumPeer communication is |Peer state changed: |Election port bind maximum retries is |Creating TLS-(?:only|enabled) quorum server socket",
            "A server of ZooKeeper starts, or reports a setting.",
        ),
        (r"\w{1,60}Config values:", "{Me} tells its settings."),
        (
            r"(?:Kafka )?(?:commitId|startTimeMs)|Kafka (?:commitId|startTimeMs)|Logging initialized|Started o\.e\.j|jetty-\d",
            "{Me} starts.",
        ),
    )
)
_NOT_TAKEN = ("isr-stale-version", "isr-write-refused")
_REFUSED_ISR = "{Me} tried to change the ISR of {tp} to {isr}; the change was rejected."
_WRITER = re.compile(r"^(?:\[[^\]]*\]:? |[a-z-]{3,24} \[[^\]]*\] ){1,3}")
_QUOTED = 110  # characters of a message that a sentence quotes
_ASIDE = (TYPED, SETTING)  # text that a person typed or pasted with the lines


def narrated(read: Sequence[Read], settled: Collection[str] = ()) -> list[Event]:
    """The recognized lines in order of time, as events. With more than `MOST_LINES` lines, each distinct event
    appears once, with its count. `settled`: the locations of lines that other lines make less serious.
    """
    lines = in_order([one for one in read if one.line.kind not in (*_ASIDE, UNKNOWN, OTHERS)])
    ends: dict[tuple[str, str], str] = {}
    refused = _refused(lines)
    if len(lines) > _MANY:
        return _of_many(lines, settled, refused)
    events = [event for one in lines if (event := _event(one, ends, one.line.where in settled, refused)) is not None]
    events = _runs(events)
    return events if len(events) <= MOST_LINES else _distinct(events)


def _of_many(lines: Sequence[Read], settled: Collection[str], refused: Collection[str]) -> list[Event]:
    """The distinct events of many lines. Most kinds appear once for each process, with its first line and a count."""
    ends: dict[tuple[str, str], str] = {}
    events: list[Event] = []
    at: dict[tuple[str, str | None, bool], int] = {}
    for one in lines:
        key = (one.values["me"], one.line.kind, one.line.where in refused)
        if one.line.kind in (None, *_EACH_IS_READ) or key not in at:
            event = _event(one, ends, one.line.where in settled, refused)
            if event is not None:
                at.setdefault(key, len(events))
                events.append(event)
        else:
            first = events[at[key]]
            events[at[key]] = replace(first, count=first.count + 1)
    return _distinct(events)


def _refused(lines: Sequence[Read]) -> frozenset[str]:
    """The locations of ISR changes that the next line of the same file and partition rejects."""
    last: dict[tuple[str, str], Read] = {}
    refused: set[str] = set()
    for one in lines:
        partition = (one.line.source, one.values.get("tp", ""))
        if one.line.kind in ("isr_expand", "isr_shrink"):
            last[partition] = one
        elif one.wording is not None and one.wording.key in _NOT_TAKEN and partition in last:
            refused.add(last.pop(partition).line.where)
    return frozenset(refused)


def _own_words(message: str) -> str:
    """A message shortened for quoting in a sentence, without the name of its writer."""
    text = _WRITER.sub("", message).strip().rstrip(".")
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED].rpartition(' ')[0]} …"


def _runs(events: Sequence[Event]) -> list[Event]:
    """`events` with adjacent equal ones merged."""
    out: list[Event] = []
    for event in events:
        if out and (out[-1].says, out[-1].subject) == (event.says, event.subject):
            out[-1] = replace(out[-1], count=out[-1].count + event.count)
        else:
            out.append(event)
    return out


def in_order(read: Sequence[Read]) -> list[Read]:
    """`read` in order of time; a line without a time keeps its position in its file."""
    known: dict[str, datetime] = {}
    keys: list[tuple[datetime, int]] = []
    first = min((one.line.ts for one in read if one.line.ts is not None), default=datetime.min.replace(tzinfo=UTC))
    for at, one in enumerate(read):
        ts = one.line.ts or known.get(one.line.source, first)
        known[one.line.source] = ts
        keys.append((ts, at))
    return [read[at] for _, at in sorted(keys)]


def is_understood(one: Read) -> bool:
    """Whether the line has a meaning, is in the catalogue, or was typed by a person."""
    if one.line.kind in (UNKNOWN, OTHERS):
        return False
    return one.is_known or one.line.kind is not None or one.line.template is not None or _routine(one.line) is not None


def _routine(line: Line) -> tuple[re.Match[str], str] | None:
    """The meaning of a quiet wording that is not in the catalogue."""
    if line.severity >= WARN:
        return None
    return next(((found, text) for pattern, text in ROUTINE if (found := pattern.match(line.message))), None)


def _event(one: Read, ends: dict[tuple[str, str], str], is_settled: bool, refused: Collection[str]) -> Event | None:
    line = one.line
    kind = line.kind or ""
    text = STEPS.get(kind)
    values = _values(one, ends)
    if kind == "log_truncated_to" and values.get("truncation_offset", "").startswith("-"):
        text = "{Me} is to cut its log of {tp} at offset {truncation_offset}, which cannot be done."
    if kind == "client_position" and "Found no committed offset" in line.message:
        text = "{Me} found no committed offset of its group for {tp|a partition}: auto.offset.reset decides where it begins."
    if line.where in refused:
        text = _REFUSED_ISR
    if one.wording is not None and (text is None or line.severity >= WARN) and not is_settled:
        text = one.wording.says
    if text is None and (routine := _routine(line)) is not None:
        values |= {name: value for name, value in routine[0].groupdict().items() if value}
        text = routine[1]
    if text is None:
        if kind not in KINDS and kind not in HOST_KINDS and kind not in CLIENT_KINDS:
            return None
        text = "{Me}: '{said}'."
    sentence = re.sub(r" ([.,;:])(?=\s|$)", r"\1", " ".join(filled(text, values).split()))
    sentence = re.sub(r"[:;,]?([.!?])\.(?=\s|$)", r"\1", sentence).replace(" 1 partitions", " 1 partition")
    sentence = _SCALA.sub(lambda found: found[1] or "none", sentence)
    sentence = sentence if _NAME.match(sentence) else sentence[:1].upper() + sentence[1:]
    return Event(line.ts, line.where, values["me"], kind, sentence, clock=line.clock)


def _values(one: Read, ends: dict[tuple[str, str], str]) -> dict[str, str]:
    values = {name: value for name, value in one.values.items() if value}
    values["Me"] = values["me"][:1].upper() + values["me"][1:]
    values["said"] = _own_words(one.line.message)
    for name, make in _MADE.items():
        values[name] = make(one, values) or values.get(name, "")
    _log_ends(one, values, ends)
    return {name: value for name, value in values.items() if value or name in _OPTIONAL}


_NAME = re.compile(r"[\w@-]+\.service|systemd\b")  # never with a capital
_OPTIONAL = ("alone", "age", "was_offline")


def _log_ends(one: Read, values: dict[str, str], ends: dict[tuple[str, str], str]) -> None:
    """Records where each log ended when its broker began to fetch, and adds that offset to a later truncation."""
    for tp, offset in fetched(one.line):
        ends[values["me"], tp] = offset
    key = (values["me"], values.get("tp", ""))
    if one.line.kind == "log_truncated_to" and key in ends:
        values["cut_from"] = ends.pop(key)


def fetched(line: Line) -> list[tuple[str, str]]:
    """The partitions that a fetcher starts to fetch, with their start offsets."""
    if line.kind != "fetcher_partitions_added":
        return []
    return [(found[1], found[3] or found[4]) for found in _FETCHED.finditer(line.message) if found[3] or found[4]]


def ids(text: str) -> list[int]:
    """The broker ids of a list in any of Kafka's spellings."""
    return [int(found) for found in re.findall(r"\d+", text)]


def brokers(of: Sequence[int]) -> str:
    """`broker 3`, `brokers 1 and 3`."""
    if not of:
        return ""
    return f"{'broker' if len(of) == 1 else 'brokers'} {listed([*map(str, of)])}"


def _gone(one: Read, values: Mapping[str, str]) -> str:
    old, new = ids(values.get("old_isr", "")), ids(values.get("isr", ""))
    return brokers([node for node in old if node not in new])


def _added(one: Read, values: Mapping[str, str]) -> str:
    old, new = ids(values.get("old_isr", "")), ids(values.get("isr", ""))
    return brokers([node for node in new if node not in old])


def _behind(one: Read, values: Mapping[str, str]) -> str:
    found = re.findall(r"brokerId: (\d+), endOffset: (-?\d+)", values.get("out_of_sync_replicas", ""))
    return " and ".join(f"broker {node} stood at {offset}" for node, offset in found)


def _alone(one: Read, values: Mapping[str, str]) -> str:
    members = ids(values.get("isr", "")) if "isr" in values else []
    if len(members) != 1:
        return ""
    return f" Broker {members[0]} alone is in sync."


def _was_offline(one: Read, values: Mapping[str, str]) -> str:
    return "; before, the partition had no leader" if values.get("from_state") == "OfflinePartition" else ""


def _isr(one: Read, values: Mapping[str, str]) -> str:
    members = values.get("isr", "")
    return ", ".join(re.findall(r"\d+", members)) if members else ""


def _segments_are(one: Read, values: Mapping[str, str]) -> str:
    text = next((values[name] for name in _SEGMENTS if name in values), "")
    many, sizes = len(_SEGMENT.findall(text)), [int(size) for size in _SEGMENT_SIZE.findall(text)]
    if not many:
        return ""
    return f"{'a segment' if many == 1 else f'{many} segments'} ({_size(sum(sizes))})"


def _size(count: int) -> str:
    for unit, power in (("GB", 30), ("MB", 20), ("kB", 10)):
        if count >= 2**power:
            return f"{count / 2**power:.0f} {unit}"
    return f"{count} bytes"


def _retention_is(one: Read, values: Mapping[str, str]) -> str:
    if "retention_ms" in values:
        return f"retention.ms ({_span(int(values['retention_ms']) / 1000)})"
    size = values.get("retention_size") or values.get("local_retention_size")
    return f"retention.bytes ({size})" if size else ""


def _age(one: Read, values: Mapping[str, str]) -> str:
    times = segment_times(one.line)
    if times is None or one.line.ts is None:
        return ""
    old = (one.line.ts - times[1]).total_seconds()
    return f" Its newest record is timestamped {_span(old)} before." if old > 0 else ""


def _span(seconds: float) -> str:
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.1f} s"


def _fetched(one: Read, values: Mapping[str, str]) -> str:
    names = [f"{tp} (from offset {offset})" for tp, offset in fetched(one.line)]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _state_is(one: Read, values: Mapping[str, str]) -> str:
    state = values.get("state") or values.get("new_state") or ""
    name, epoch, leader = _STATE.match(state), _EPOCH.search(state), _LED_BY.search(state)
    kind = (name[1] or name[2]).removesuffix("State").lower() if name else state[:40]
    of = f" of node {leader[1]}" if leader and kind.startswith("follower") else ""
    return f"{kind}{of}" + (f" (epoch {epoch[1]})" if epoch else "")


def _let_it_finish(one: Read, values: Mapping[str, str]) -> str:
    loaded, logs = values.get("num_loaded", ""), values.get("num_logs", "")
    return " Let it finish." if loaded.isdecimal() and logs.isdecimal() and int(loaded) < int(logs) else ""


def _reason(one: Read, values: Mapping[str, str]) -> str:
    reason = values.get("reason", "")
    member = _MEMBER.search(reason)
    return reason.replace(member["member"], short_member(member["member"])) if member else reason


def short_member(member: str) -> str:
    """A member id without the random part after its client id."""
    return _UUID.sub("", member)


def _position_is(one: Read, values: Mapping[str, str]) -> str:
    position = values.get("position", "")
    printed = _POSITION.search(position)
    return printed[1] if printed else position if position.isdecimal() else ""


def _asker(one: Read, values: Mapping[str, str]) -> str:
    return "A health check or a tool" if "command" in values else "A health check, a tool or a refused client"


def _active_controller(one: Read, values: Mapping[str, str]) -> str:
    leader = values.get("new_leader_name", "")
    return f"node {leader} is the active controller" if leader.isdecimal() else "no active controller is known yet"


_MADE = {
    "active_controller": _active_controller,
    "asker": _asker,
    "position_is": _position_is,
    "gone": _gone,
    "added": _added,
    "behind": _behind,
    "alone": _alone,
    "was_offline": _was_offline,
    "segments_are": _segments_are,
    "retention_is": _retention_is,
    "age": _age,
    "fetched": _fetched,
    "state_is": _state_is,
    "reason": _reason,
    "let_it_finish": _let_it_finish,
    "isr": _isr,
}


def _distinct(events: Sequence[Event]) -> list[Event]:
    """Each kind of event once per process, ignoring numbers and names."""
    first: dict[tuple[str, str, str], Event] = {}
    counts: dict[tuple[str, str, str], int] = {}
    for event in events:
        key = (event.subject, event.kind, re.sub(r"\d+", "#", event.says) if event.kind in _NARRATED_EACH else "")
        first.setdefault(key, event)
        counts[key] = counts.get(key, 0) + event.count
    return [replace(event, count=counts[key]) for key, event in first.items()]


_MANY = 1_000  # lines
_NARRATED_EACH = ("log_truncated_to", "isr_shrink", "kraft_broker_session_timeout", "raft_transition")
_EACH_IS_READ = (*_NARRATED_EACH, "fetcher_partitions_added")  # another line has the log end offset


def unrecognized(read: Sequence[Read]) -> Iterator[Line]:
    """The unrecognized lines, including those below WARN."""
    for one in read:
        if not is_understood(one) and one.line.kind not in _ASIDE:
            yield one.line
