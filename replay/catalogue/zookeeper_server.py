"""What a ZooKeeper server writes to its own log about the sessions of brokers (facts F01, F07)."""

from replay.catalogue.template import Template

TEMPLATES = (
    Template("ZKE-001", "zookeeper_session_expired", "INFO", "ZooKeeperServer", "3.4-3.8",
             "Expiring session {session_id}, timeout of {timeout_ms}ms exceeded",
             "Expiring session 0x100000790ce0001, timeout of 18000ms exceeded"),
    Template("ZKE-002", "zookeeper_session_established", "INFO", "ZooKeeperServer", "3.4-3.5",
             "Established session {session_id} with negotiated timeout {timeout_ms} for client {client_address}",
             "Established session 0x100000790ce0001 with negotiated timeout 18000 for client /10.77.0.11:41234"),
    Template("ZKE-003", "zookeeper_session_connecting", "INFO", "ZooKeeperServer", "3.4-3.5",
             "Client attempting to establish new session at {client_address}",
             "Client attempting to establish new session at /10.77.0.11:41234"),
    Template("ZKE-004", "zookeeper_session_renewing", "INFO", "ZooKeeperServer", "3.4-3.5",
             "Client attempting to renew session {session_id} at {client_address}",
             "Client attempting to renew session 0x100000790ce0001 at /10.77.0.11:41234"),
    Template("ZKE-005", "zookeeper_session_renewed", "INFO", "ZooKeeperServer", "3.4-3.5",
             "Established session {session_id} for client {client_address}",
             "Established session 0x100000790ce0001 for client /10.77.0.11:41234"),
    Template("ZKE-006", "zookeeper_session_invalid", "INFO", "ZooKeeperServer", "3.4-3.8",
             "Invalid session {session_id} for client {client_address}, probably expired",
             "Invalid session 0x100000790ce0001 for client /10.77.0.11:41234, probably expired"),
    Template("ZKE-007", "zookeeper_connection_lost", "WARN", "NIOServerCnxn", "3.5-3.8",
             "Unable to read additional data from client sessionid {session_id}, likely client has closed socket",
             "Unable to read additional data from client sessionid 0x100000790ce0001, likely client has closed socket"),
    Template("ZKE-008", "zookeeper_connection_lost", "WARN", "NIOServerCnxn", "3.4-3.8",
             "caught end of stream exception",
             "caught end of stream exception"),
    Template("ZKE-013", "zookeeper_connection_lost", "INFO", "NIOServerCnxn", "3.6-3.9",
             "Unable to read additional data from client, it probably closed the socket: address = {client_address}, session = {session_id}",
             "Unable to read additional data from client, it probably closed the socket: address = /10.77.0.11:41234, "
             "session = 0x100000790ce0001"),
    Template("ZKE-009", "zookeeper_connection_closed", "INFO", "NIOServerCnxn", "3.4-3.5",
             "Closed socket connection for client {client_address} which had sessionid {session_id}",
             "Closed socket connection for client /10.77.0.11:41234 which had sessionid 0x100000790ce0001"),
    Template("ZKE-010", "zookeeper_connection_accepted", "INFO", "NIOServerCnxnFactory", "3.4-3.5",
             "Accepted socket connection from {client_address}",
             "Accepted socket connection from /10.77.0.11:41234"),
    Template("ZKE-011", "zookeeper_session_terminated", "INFO", "PrepRequestProcessor", "3.4-3.5",
             "Processed session termination for sessionid: {session_id}",
             "Processed session termination for sessionid: 0x100000790ce0001"),
    Template("ZKE-012", "zookeeper_user_error", "INFO", "PrepRequestProcessor", "3.4-3.5",
             "Got user-level KeeperException when processing sessionid:{session_id} type:{request_type} cxid:{cxid} zxid:{zxid} "
             "txntype:{txntype} reqpath:{request_path} Error Path:{path} Error:{error}",
             "Got user-level KeeperException when processing sessionid:0x100000790ce0001 type:create cxid:0x2 zxid:0x5 txntype:-1 "
             "reqpath:n/a Error Path:/brokers Error:KeeperErrorCode = NodeExists for /brokers"),
)
