"""What Kafka 0.8 and 0.9 print otherwise than later releases, as far as public logs show it."""

from replay.catalogue.template import Template

TEMPLATES = (
    Template("OLD-001", "broker_starting", "INFO", "KafkaServer", "0.8.2-0.9.0",
             "[Kafka Server {broker_id}], starting",
             "[Kafka Server 2], starting"),
    Template("OLD-002", "zk_connecting", "INFO", "KafkaServer", "0.8.2-0.9.0",
             "[Kafka Server {broker_id}], Connecting to zookeeper on {zk_connect}",
             "[Kafka Server 2], Connecting to zookeeper on zk-1:2181"),
    Template("OLD-003", "socket_server_step", "INFO", "SocketServer", "0.8.2",
             "[Socket Server on Broker {broker_id}], Started",
             "[Socket Server on Broker 2], Started"),
    Template("OLD-004", "broker_registered_zk", "INFO", "ZkUtils", "0.8.2",
             "Registered broker {broker_id} at path {path} with address {address}.",
             "Registered broker 2 at path /brokers/ids/2 with address kafka-2:9092."),
    Template("OLD-005", "connection_closed", "INFO", "Processor", "0.8.2",
             "Closing socket connection to {address}.",
             "Closing socket connection to /10.77.0.9."),
    Template("OLD-006", "request_handler_error", "ERROR", "KafkaApis", "0.8.2-0.9.0",
             "[KafkaApi-{broker_id}] error when handling request {request}",
             "[KafkaApi-2] error when handling request Name: TopicMetadataRequest; Version: 0; CorrelationId: 2; ClientId: producer; "
             "Topics: orders"),
    Template("OLD-007", "fetch_read_error", "WARN", "ReplicaManager", "0.8.2",
             "[Replica Manager on Broker {broker_id}]: Fetch request with correlation id {correlation_id} from client {client_id} on "
             "partition {topic_partition} failed due to {error}",
             "[Replica Manager on Broker 2]: Fetch request with correlation id 0 from client ReplicaFetcherThread-0-2 on partition "
             "[orders,0] failed due to Leader not local for partition [orders,0] on broker 2"),
    Template("OLD-008", "replica_manager_shutdown_begin", "INFO", "ReplicaManager", "0.8.2",
             "[Replica Manager on Broker {broker_id}]: Shut down",
             "[Replica Manager on Broker 2]: Shut down"),
    Template("OLD-009", "config_dump", "INFO", "VerifiableProperties", "0.8.0-0.8.2",
             "Verifying properties",
             "Verifying properties"),
    Template("OLD-010", "server_setting", "INFO", "VerifiableProperties", "0.8.0-0.8.2",
             "Property {name} is overridden to {value}",
             "Property min.insync.replicas is overridden to 2"),
    Template("OLD-011", "scheduler_task_ignored", "INFO", "Utils", "0.8.2",
             "Kafka scheduler has not been started",
             "Kafka scheduler has not been started"),
    Template("OLD-012", "controller_send_update_metadata", "TRACE", "state.change.logger", "0.8.0-0.8.2",
             "Controller {controller_id} epoch {controller_epoch} sending UpdateMetadata request {leader_isr_and_controller_epoch} with "
             "correlationId {correlation_id} to broker {broker_id} for partition {topic_partition}",
             "Controller 0 epoch 4 sending UpdateMetadata request (Leader:0,ISR:0,LeaderEpoch:1,ControllerEpoch:3) with correlationId 11 to "
             "broker 0 for partition [orders,0]"),
    Template("OLD-013", "controller_send_leader_and_isr", "TRACE", "state.change.logger", "0.8.0-0.8.2",
             "Controller {controller_id} epoch {controller_epoch} sending {type_of_request} LeaderAndIsr request "
             "{leader_isr_and_controller_epoch} with correlationId {correlation_id} to broker {broker_id} for partition {topic_partition}",
             "Controller 0 epoch 4 sending become-leader LeaderAndIsr request (Leader:0,ISR:0,LeaderEpoch:1,ControllerEpoch:3) with "
             "correlationId 12 to broker 0 for partition [orders,0]"),
    Template("OLD-014", "replica_state_changed", "TRACE", "state.change.logger", "0.8.0-0.8.2",
             "Controller {controller_id} epoch {controller_epoch} changed state of replica {replica_id} for partition {topic_partition} to "
             "{to_state}",
             "Controller 0 epoch 4 changed state of replica 0 for partition [orders,0] to OnlineReplica"),
    Template("OLD-015", "broker_leader_and_isr_old_epoch", "WARN", "state.change.logger", "0.8.0-0.8.2",
             "Broker {broker_id} received invalid LeaderAndIsr request with correlation id {correlation_id} from controller {controller_id} "
             "epoch {controller_epoch} with an older leader epoch {leader_epoch} for partition {topic_partition}, current leader epoch is "
             "{current_leader_epoch}",
             "Broker 0 received invalid LeaderAndIsr request with correlation id 12 from controller 0 epoch 4 with an older leader epoch 1 "
             "for partition [orders,0], current leader epoch is 1"),
    Template("OLD-016", "controller_partitions_added", "INFO", "AddPartitionsListener", "0.8.0-0.8.2",
             "[AddPartitionsListener on {controller_id}]: Add Partition triggered {data} for path {path}",
             '[AddPartitionsListener on 0]: Add Partition triggered {"version":1,"partitions":{"0":[0]}} for path /brokers/topics/orders'),
    Template("OLD-017", "controller_partitions_added", "INFO", "AddPartitionsListener", "0.8.0-0.8.2",
             "[AddPartitionsListener on {controller_id}]: New partitions to be added [{partitions_to_be_added}]",
             "[AddPartitionsListener on 0]: New partitions to be added [Map()]"),
    Template("OLD-018", "controller_epoch_read", "INFO", "ControllerEpochListener", "0.8.0-0.8.2",
             "[ControllerEpochListener on {node_id}]: Controller epoch listener fired with new epoch {new_controller_epoch}",
             "[ControllerEpochListener on 0]: Controller epoch listener fired with new epoch 4"),
    Template("OLD-019", "controller_epoch_read", "INFO", "ControllerEpochListener", "0.8.0-0.9.0",
             "[ControllerEpochListener on {node_id}]: Initialized controller epoch to {new_controller_epoch} and zk version {zk_version}",
             "[ControllerEpochListener on 0]: Initialized controller epoch to 4 and zk version 3"),
    Template("OLD-020", "controller_stopped", "INFO", "KafkaController", "0.8.0-0.9.0",
             "[Controller {controller_id}]: Controller shutdown complete",
             "[Controller 0]: Controller shutdown complete"),
)
