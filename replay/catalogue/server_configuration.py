"""What settings, quotas and credentials write to server.log."""

from replay.catalogue.template import Template

TEMPLATES = (
    Template("CFG-001", "config_warning", "ERROR", "AbstractConfig", "2.3.1-3.0.2",
             "{caller_prefix}ClassNotFoundException exception occurred: {value}",
             "ClassNotFoundException exception occurred: value"),
    Template("CFG-002", "config_warning", "ERROR", "AbstractConfig", "3.1.2-4.3.1",
             "{caller_prefix}Could not load config provider class {value}",
             "Could not load config provider class value"),
    Template("CFG-003", "config_warning", "WARN", "AbstractConfig", "0.10.0.1-3.2.3",
             "{caller_prefix}The configuration '{key}' was supplied but isn't a known config.",
             "The configuration 'key' was supplied but isn't a known config."),
    Template("CFG-004", "config_warning", "WARN", "AbstractConfig", "0.10.0.1-3.2.3",
             "{caller_prefix}The configuration {key} = {originals} was supplied but isn't a known config.",
             "The configuration key = originals was supplied but isn't a known config."),
    Template("CFG-005", "config_progress", "INFO", "AclAuthorizer", "2.6.3-3.9.1",
             "{caller_prefix}Processing Acl change notification for {resource}, versionedAcls : {acls}, zkVersion : {zk_version}",
             "Processing Acl change notification for resource, versionedAcls : acls, zkVersion : zk-version"),
    Template("CFG-006", "config_progress", "INFO", "AclAuthorizer", "2.8.2-3.9.1",
             "{caller_prefix}Updated ACLs for {resource} with new version {zk_version}",
             "Updated ACLs for resource with new version zk-version"),
    Template("CFG-007", "config_warning", "WARN", "AclAuthorizer|SimpleAclAuthorizer", "2.0.1-3.9.1",
             "{caller_prefix}Ignoring unknown ResourceType: {r_type}",
             "Ignoring unknown ResourceType: r-type"),
    Template("CFG-008", "config_progress", "INFO", "AdminZkClient", "3.5.2-3.9.1",
             "{caller_prefix}Deleting zk node {path_to_delete} since node of entityType {entity_type} and entityName {entity_name} is "
             "empty.",
             "Deleting zk node path-to-delete since node of entityType entity-type and entityName entity-name is empty."),
    Template("CFG-009", "config_warning", "WARN", "BrokerFeatures", "4.0.0-4.3.1",
             "{caller_prefix}Feature incompatibilities seen: (feature={feature}, reason='Unknown feature')",
             "Feature incompatibilities seen: (feature=feature, reason='Unknown feature')"),
    Template("CFG-010", "config_warning", "WARN", "BrokerFeatures", "4.0.0-4.3.1",
             "{caller_prefix}Feature incompatibilities seen: (feature={feature}, reason='{version_levels} is incompatible with "
             "{supported_versions}')",
             "Feature incompatibilities seen: (feature=feature, reason='version-levels is incompatible with supported-versions')"),
    Template("CFG-011", "config_warning", "WARN", "BrokerFeatures", "2.7.2-3.9.1",
             "{caller_prefix}Feature incompatibilities seen: {incompatible_features_info}",
             "Feature incompatibilities seen: incompatible-features-info"),
    Template("CFG-012", "config_progress", "INFO", "ClientMetricsManager", "3.7.2-4.3.1",
             "{caller_prefix}Removing subscription [{subscription_name}] from the subscription map",
             "Removing subscription [subscription-name] from the subscription map"),
    Template("CFG-013", "config_warning", "WARN", "ClientMetricsManager", "3.8.1-3.9.1",
             "{caller_prefix}Client metrics instance cache cannot find the client instance id: {client_instance_id}. The cache must be "
             "at capacity, size: {client_instance_cache_size}",
             "Client metrics instance cache cannot find the client instance id: 7. The cache must be at capacity, size: "
             "client-instance-cache-size"),
    Template("CFG-014", "config_warning", "WARN", "ClientMetricsManager", "4.0.0-4.3.1",
             "{caller_prefix}Client metrics instance cache cannot find the client instance id: {client_instance_id}. The cache must be "
             "at capacity, size: {client_instance_cache_size}. Connection map size: {client_connection_id_map_size}",
             "Client metrics instance cache cannot find the client instance id: 7. The cache must be at capacity, size: "
             "client-instance-cache-size. Connection map size: client-connection-id-map-size"),
    Template("CFG-015", "config_warning", "ERROR", "ClientMetricsManager", "3.8.1-4.3.1",
             "{caller_prefix}Error exporting client metrics to the plugin for client instance id: {client_instance_id}",
             "Error exporting client metrics to the plugin for client instance id: 7"),
    Template("CFG-016", "config_progress", "INFO", "ClientQuotaManager", "0.10.0.1",
             "{caller_prefix}Changing quota for clientId {client_id} to {bound}",
             "Changing quota for clientId client-id to bound"),
    Template("CFG-017", "config_progress", "INFO", "ClientQuotaManager", "4.2.0-4.3.1",
             "{caller_prefix}Quota types enabled has been changed to {quota_types_enabled} with active quota entities: [{active_entities}]",
             "Quota types enabled has been changed to quota-types-enabled with active quota entities: [active-entities]"),
    Template("CFG-018", "config_warning", "WARN", "ClientQuotaManager", "4.2.0-4.3.1",
             "{caller_prefix}Shutdown was interrupted",
             "Shutdown was interrupted"),
    Template("CFG-019", "config_warning", "ERROR", "ClientQuotaMetadataManager", "3.0.2-4.3.1",
             "{caller_prefix}Failed to update IP quota {ip_entity}",
             "Failed to update IP quota ip-entity"),
    Template("CFG-020", "config_warning", "ERROR", "ClientQuotaMetadataManager", "3.0.2-4.3.1",
             "{caller_prefix}Failed to update user-client quota {quota_entity}",
             "Failed to update user-client quota quota-entity"),
    Template("CFG-021", "config_warning", "WARN", "ClientQuotaMetadataManager", "2.8.2-4.3.1",
             "{caller_prefix}Ignoring unexpected quota key {quota_name} for entity {ip_entity}",
             "Ignoring unexpected quota key quota-name for entity ip-entity"),
    Template("CFG-022", "config_warning", "WARN", "ClientQuotaMetadataManager", "2.8.2-4.3.1",
             "{caller_prefix}Ignoring unsupported quota entity {entity}",
             "Ignoring unsupported quota entity entity"),
    Template("CFG-023", "config_warning", "WARN", "ClientQuotaMetadataManager", "2.8.2-4.3.1",
             "{caller_prefix}Ignoring unsupported quota entity {entity}.",
             "Ignoring unsupported quota entity entity."),
    Template("CFG-024", "config_warning", "ERROR", "ConfigAdminManager", "3.2.3-4.3.1",
             "{caller_prefix}Error preprocessing alterConfigs request on {config_resource}: {err}",
             "Error preprocessing alterConfigs request on config-resource: err"),
    Template("CFG-025", "config_warning", "ERROR", "ConfigAdminManager", "3.2.3-4.3.1",
             "{caller_prefix}Error preprocessing incrementalAlterConfigs request on {config_resource}",
             "Error preprocessing incrementalAlterConfigs request on config-resource"),
    Template("CFG-026", "config_warning", "ERROR", "ConfigAdminManager", "3.2.3-4.3.1",
             "{caller_prefix}The controller returned fewer results than we expected. No response found for {r}.",
             "The controller returned fewer results than we expected. No response found for r."),
    Template("CFG-027", "config_warning", "ERROR", "ConfigAdminManager", "3.2.3-4.3.1",
             "{caller_prefix}validation of configProps {config_props} for {config_resource} failed with exception",
             "validation of configProps config-props for config-resource failed with exception"),
    Template("CFG-028", "config_warning", "WARN", "ConfigDef", "4.2.0-4.3.1",
             "{caller_prefix}Configuration key \"{key_name}\" contains duplicate values. Duplicates will be removed. The original value "
             "is: {original_list_value}, the updated value is: {parsed_value}",
             "Configuration key \"key-name\" contains duplicate values. Duplicates will be removed. The original value is: "
             "original-list-value, the updated value is: parsed-value"),
    Template("CFG-029", "config_warning", "WARN", "ConfigHandler", "3.6.2-3.8.1",
             "{caller_prefix}Disabling remote log on the topic: {topic} is not supported.",
             "Disabling remote log on the topic: orders is not supported."),
    Template("CFG-030", "config_warning", "WARN", "ConfigHandler|Log", "0.11.0.3-2.2.2",
             "{caller_prefix}{retention_ms_prop} for topic {topic} is set to {retention_ms}. It is smaller than "
             "{message_timestamp_difference_max_ms_prop}'s value {message_timestamp_difference_max_ms}. This may result in frequent log "
             "rolling.",
             "retention-ms-prop for topic orders is set to 7. It is smaller than message-timestamp-difference-max-ms-prop's value 7. "
             "This may result in frequent log rolling."),
    Template("CFG-031", "config_warning", "ERROR", "ConfigSynonym", "3.3.2-4.3.1",
             "{caller_prefix}{what} failed: unable to parse '{trimmed_input}' as an integer.",
             "what failed: unable to parse 'trimmed-input' as an integer."),
    Template("CFG-032", "config_warning", "WARN", "ConfigUtils", "2.7.2-3.9.1",
             "{caller_prefix}Configuration key {deprecated} is deprecated and may be removed in the future.  Please update your "
             "configuration to use {target} instead.",
             "Configuration key deprecated is deprecated and may be removed in the future.  Please update your configuration to use "
             "target instead."),
    Template("CFG-033", "config_warning", "ERROR", "ConfigUtils", "3.7.2-4.3.1",
             "{caller_prefix}Invalid value ({value}) on configuration '{key}'. The default value '{default_value}' will be used instead. "
             "Please specify a true/false value.",
             "Invalid value (value) on configuration 'key'. The default value 'default-value' will be used instead. Please specify a "
             "true/false value."),
    Template("CFG-034", "config_warning", "ERROR", "ConfigUtils", "2.7.2-3.5.2",
             "{caller_prefix}The configuration keys {alias_string} are deprecated and may be removed in the future.  Additionally, this "
             "configuration is ambigous because these configuration keys are all aliases for {target}.  Please update your configuration "
             "to have only {target_2} set.",
             "The configuration keys alias-string are deprecated and may be removed in the future.  Additionally, this configuration is "
             "ambigous because these configuration keys are all aliases for target.  Please update your configuration to have only "
             "target-2 set."),
    Template("CFG-035", "config_warning", "ERROR", "ConfigUtils", "3.6.2-3.9.1",
             "{caller_prefix}The configuration keys {alias_string} are deprecated and may be removed in the future.  Additionally, this "
             "configuration is ambiguous because these configuration keys are all aliases for {target}.  Please update your "
             "configuration to have only {target_2} set.",
             "The configuration keys alias-string are deprecated and may be removed in the future.  Additionally, this configuration is "
             "ambiguous because these configuration keys are all aliases for target.  Please update your configuration to have only "
             "target-2 set."),
    Template("CFG-036", "config_warning", "ERROR", "ConfigUtils", "2.7.2-3.9.1",
             "{caller_prefix}{target} was configured, as well as the deprecated alias(es) {alias_string}.  Using the value of {target_2}",
             "target was configured, as well as the deprecated alias(es) alias-string.  Using the value of target-2"),
    Template("CFG-037", "config_warning", "WARN", "ConfigurationUtils", "4.1.1-4.3.1",
             "{caller_prefix}The class {class_name} defined in the {config_name} configuration encountered an error on configure(): {e}",
             "The class class-name defined in the config-name configuration encountered an error on configure(): e"),
    Template("CFG-038", "config_progress", "INFO", "DelegationTokenControlManager", "3.6.2-4.3.1",
             "{caller_prefix}Replayed DelegationTokenRecord for {token_id}.",
             "Replayed DelegationTokenRecord for 7."),
    Template("CFG-039", "config_progress", "INFO", "DelegationTokenControlManager", "3.6.2-4.3.1",
             "{caller_prefix}Replayed RemoveDelegationTokenRecord for {token_id}.",
             "Replayed RemoveDelegationTokenRecord for 7."),
    Template("CFG-040", "config_progress", "INFO", "DelegationTokenControlManager|DelegationTokenManager", "1.1.1-4.3.1",
             "{caller_prefix}Delegation token expired for token: {token_id} for owner: {owner_as_string}",
             "Delegation token expired for token: 7 for owner: owner-as-string"),
    Template("CFG-041", "config_progress", "INFO", "DelegationTokenManager", "1.1.1-3.9.1",
             "{caller_prefix}Created a delegation token : {token_id} for owner : {owner}",
             "Created a delegation token : 7 for owner : owner"),
    Template("CFG-042", "config_progress", "INFO", "DelegationTokenManager", "1.1.1-4.3.1",
             "{caller_prefix}Delegation token expired for token : {token_id} for owner :{owner}",
             "Delegation token expired for token : 7 for owner :owner"),
    Template("CFG-043", "config_progress", "INFO", "DelegationTokenManager", "1.1.1-3.9.1",
             "{caller_prefix}Delegation token renewed for token : {token_id} for owner :{owner}",
             "Delegation token renewed for token : 7 for owner :owner"),
    Template("CFG-044", "config_progress", "INFO", "DelegationTokenManager", "1.1.1-3.9.1",
             "{caller_prefix}Loading the token cache. Total token count : {tokens_size}",
             "Loading the token cache. Total token count : tokens-size"),
    Template("CFG-045", "config_progress", "INFO", "DelegationTokenManager", "1.1.1-3.9.1",
             "{caller_prefix}Processing Token Notification for tokenId : {token_id}",
             "Processing Token Notification for tokenId : 7"),
    Template("CFG-046", "config_progress", "INFO", "DelegationTokenManager", "1.1.1-3.9.1",
             "{caller_prefix}Token expired for token : {token_id} for owner :{owner}",
             "Token expired for token : 7 for owner :owner"),
    Template("CFG-047", "config_progress", "INFO", "DelegationTokenManager", "1.1.1-3.9.1",
             "{caller_prefix}Updated expiry time for token : {token_id} for owner :{owner}",
             "Updated expiry time for token : 7 for owner :owner"),
    Template("CFG-048", "config_warning", "ERROR", "DelegationTokenManager", "1.1.1-3.9.1",
             "{caller_prefix}Error while getting Token for tokenId :{token_id}",
             "Error while getting Token for tokenId :7"),
    Template("CFG-049", "config_progress", "INFO", "DelegationTokenManager|DelegationTokenManagerZk", "1.1.1-3.9.1",
             "{caller_prefix}Created a delegation token: {token_id} for owner: {owner}",
             "Created a delegation token: 7 for owner: owner"),
    Template("CFG-050", "config_progress", "INFO", "DelegationTokenManager|DelegationTokenManagerZk", "1.1.1-3.9.1",
             "{caller_prefix}Delegation token renewed for token: {token_id} for owner: {owner}",
             "Delegation token renewed for token: 7 for owner: owner"),
    Template("CFG-051", "config_progress", "INFO", "DelegationTokenManager|DelegationTokenManagerZk", "1.1.1-3.9.1",
             "{caller_prefix}Loading the token cache. Total token count: {tokens_size}",
             "Loading the token cache. Total token count: tokens-size"),
    Template("CFG-052", "config_progress", "INFO", "DelegationTokenManager|DelegationTokenManagerZk", "1.1.1-3.9.1",
             "{caller_prefix}Processing Token Notification for tokenId: {token_id}",
             "Processing Token Notification for tokenId: 7"),
    Template("CFG-053", "config_progress", "INFO", "DelegationTokenManager|DelegationTokenManagerZk", "1.1.1-3.9.1",
             "{caller_prefix}Token expired for token: {token_id} for owner: {owner}",
             "Token expired for token: 7 for owner: owner"),
    Template("CFG-054", "config_progress", "INFO", "DelegationTokenManager|DelegationTokenManagerZk", "1.1.1-3.9.1",
             "{caller_prefix}Updated expiry time for token: {token_id} for owner: {owner}",
             "Updated expiry time for token: 7 for owner: owner"),
    Template("CFG-055", "config_warning", "ERROR", "DelegationTokenManager|DelegationTokenManagerZk", "1.1.1-3.9.1",
             "{caller_prefix}Error while getting Token for tokenId: {token_id}",
             "Error while getting Token for tokenId: 7"),
    Template("CFG-056", "config_warning", "ERROR", "DelegationTokenManager|DelegationTokenManagerZk", "1.1.1-3.9.1",
             "{caller_prefix}Exception while getting token for hmac",
             "Exception while getting token for hmac"),
    Template("CFG-057", "config_progress", "INFO", "DynamicBrokerConfig", "3.7.2-4.3.1",
             "{caller_prefix}Dynamic remote log manager config: {remote_log_index_file_cache_total_size_bytes_prop} updated, old value: "
             "{old_value}, new value: {new_value}",
             "Dynamic remote log manager config: remote-log-index-file-cache-total-size-bytes-prop updated, old value: old-value, new "
             "value: new-value"),
    Template("CFG-058", "config_warning", "ERROR", "DynamicBrokerConfig", "1.1.1-4.0.0",
             "{caller_prefix}Dynamic password config {config_name} could not be decoded, ignoring.",
             "Dynamic password config config-name could not be decoded, ignoring."),
    Template("CFG-059", "config_progress", "INFO", "DynamicBrokerConfig|DynamicProducerStateManagerConfig|ProducerStateManager", "3.4.1-4.3.1",
             "{caller_prefix}Reconfigure {producer_id_expiration_ms_config} from {producer_id_expiration_ms} to "
             "{producer_id_expiration_ms_2}",
             "Reconfigure producer-id-expiration-ms-config from 7 to 7"),
    Template("CFG-060", "config_warning", "WARN", "KafkaConfig", "4.2.0",
             "{caller_prefix}'{share}' in {group_coordinator_rebalance_protocols_config} is deprecated. Share groups are controlled by "
             "the 'share.version' feature; this broker config will be ignored in a future release.",
             "'share' in group-coordinator-rebalance-protocols-config is deprecated. Share groups are controlled by the 'share.version' "
             "feature; this broker config will be ignored in a future release."),
    Template("CFG-061", "config_warning", "WARN", "KafkaConfig", "4.0.0",
             "{caller_prefix}Share groups and the new '{share}' rebalance protocol are enabled. This is part of the early access of "
             "KIP-932 and MUST NOT be used in production.",
             "Share groups and the new 'share' rebalance protocol are enabled. This is part of the early access of KIP-932 and MUST NOT "
             "be used in production."),
    Template("CFG-062", "config_warning", "WARN", "KafkaConfig", "3.7.2",
             "{caller_prefix}The new '{consumer}' rebalance protocol is enabled along with the new group coordinator. This is part of "
             "the early access of KIP-848 and MUST NOT be used in production.",
             "The new 'consumer' rebalance protocol is enabled along with the new group coordinator. This is part of the early access of "
             "KIP-848 and MUST NOT be used in production."),
    Template("CFG-063", "config_warning", "WARN", "KafkaConfig", "3.8.1-3.9.1",
             "{caller_prefix}The new '{consumer}' rebalance protocol is enabled along with the new group coordinator. This is part of "
             "the preview of KIP-848 and MUST NOT be used in production.",
             "The new 'consumer' rebalance protocol is enabled along with the new group coordinator. This is part of the preview of "
             "KIP-848 and MUST NOT be used in production."),
    Template("CFG-064", "config_warning", "WARN", "KafkaConfig", "4.0.0",
             "{caller_prefix}The new '{consumer}' rebalance protocol is only supported with the new group coordinator.",
             "The new 'consumer' rebalance protocol is only supported with the new group coordinator."),
    Template("CFG-065", "config_warning", "ERROR", "KafkaConfig", "4.2.0-4.3.1",
             "{caller_prefix}{broker_heartbeat_interval_ms_config} ({broker_heartbeat_interval_ms} ms) must be less than or equal to "
             "half of the {broker_session_timeout_ms_config} ({broker_session_timeout_ms} ms). The {broker_session_timeout_ms_config_2} "
             "is configured on controller. The {broker_heartbeat_interval_ms_config_2} is configured on broker. If a broker doesn't send "
             "heartbeat request within {broker_session_timeout_ms_config_3}, it loses broker lease. Please increase "
             "{broker_session_timeout_ms_config_4} or decrease {broker_heartbeat_interval_ms_config_3}.",
             "broker-heartbeat-interval-ms-config (7 ms) must be less than or equal to half of the broker-session-timeout-ms-config (7 "
             "ms). The broker-session-timeout-ms-config-2 is configured on controller. The broker-heartbeat-interval-ms-config-2 is "
             "configured on broker. If a broker doesn't send heartbeat request within broker-session-timeout-ms-config-3, it loses "
             "broker lease. Please increase broker-session-timeout-ms-config-4 or decrease broker-heartbeat-interval-ms-config-3."),
    Template("CFG-066", "config_warning", "WARN", "KafkaConfig", "4.0.0-4.3.1",
             "{caller_prefix}{config_name} is defined in {process_roles}. It should be defined in the {expected_role} role.",
             "config-name is defined in process-roles. It should be defined in the expected-role role."),
    Template("CFG-067", "config_warning", "WARN", "KafkaConfig", "3.1.2-4.3.1",
             "{caller_prefix}{controller_listener_names_config} has multiple entries; only the first will be used since "
             "{process_roles_config}=broker: {controller_listener_names}",
             "controller-listener-names-config has multiple entries; only the first will be used since process-roles-config=broker: "
             "controller-listener-names"),
    Template("CFG-068", "config_warning", "WARN", "KafkaConfig", "3.3.2-3.9.1",
             "{caller_prefix}{inter_broker_protocol_version_config} is deprecated in KRaft mode as of 3.3 and will only be read when "
             "first upgrading from a KRaft prior to 3.3. See kafka-storage.sh help for details on setting the metadata.version for a new "
             "KRaft cluster.",
             "inter-broker-protocol-version-config is deprecated in KRaft mode as of 3.3 and will only be read when first upgrading from "
             "a KRaft prior to 3.3. See kafka-storage.sh help for details on setting the metadata.version for a new KRaft cluster."),
    Template("CFG-069", "config_warning", "WARN", "KafkaConfig", "3.3.2-3.9.1",
             "{caller_prefix}{inter_broker_protocol_version_prop} is deprecated in KRaft mode as of 3.3 and will only be read when first "
             "upgrading from a KRaft prior to 3.3. See kafka-storage.sh help for details on setting the metadata version for a new KRaft "
             "cluster.",
             "inter-broker-protocol-version-prop is deprecated in KRaft mode as of 3.3 and will only be read when first upgrading from a "
             "KRaft prior to 3.3. See kafka-storage.sh help for details on setting the metadata version for a new KRaft cluster."),
    Template("CFG-070", "config_warning", "WARN", "KafkaConfig", "3.8.1-3.9.1",
             "{caller_prefix}{offset_commit_required_acks_config} is deprecated and it will be removed in Apache Kafka 4.0.",
             "offset-commit-required-acks-config is deprecated and it will be removed in Apache Kafka 4.0."),
    Template("CFG-071", "config_warning", "WARN", "QuotaFactory", "0.11.0.3-2.8.2",
             "{caller_prefix}{producer_quota_bytes_per_second_default_prop} has been deprecated in 0.11.0.0 and will be removed in a "
             "future release. Use dynamic quota defaults instead.",
             "producer-quota-bytes-per-second-default-prop has been deprecated in 0.11.0.0 and will be removed in a future release. Use "
             "dynamic quota defaults instead."),
    Template("CFG-072", "config_progress", "INFO", "ScramControlManager", "3.5.2",
             "{caller_prefix}Created new SCRAM credential for {username} with mechanism {mechanism}.",
             "Created new SCRAM credential for username with mechanism mechanism."),
    Template("CFG-073", "config_progress", "INFO", "ScramControlManager", "3.5.2",
             "{caller_prefix}Modified SCRAM credential for {username} with mechanism {mechanism}.",
             "Modified SCRAM credential for username with mechanism mechanism."),
    Template("CFG-074", "config_progress", "INFO", "ScramControlManager", "3.5.2",
             "{caller_prefix}Removed SCRAM credential for {username} with mechanism {mechanism}.",
             "Removed SCRAM credential for username with mechanism mechanism."),
    Template("CFG-075", "config_progress", "INFO", "StandardAuthorizerData", "3.2.3",
             "{caller_prefix}Applied {acl_entries_size}acl(s) from image.",
             "Applied acl-entries-sizeacl(s) from image."),
    Template("CFG-076", "config_progress", "INFO", "StandardAuthorizerData", "3.3.2-4.3.1",
             "{caller_prefix}Initialized with {count} acl(s).",
             "Initialized with 7 acl(s)."),
    Template("CFG-077", "config_warning", "ERROR", "StandardAuthorizerData", "3.2.3-4.3.1",
             "{caller_prefix}removeAcl error",
             "removeAcl error"),
    Template("CFG-078", "config_warning", "ERROR", "ZkConfigMigrationClient", "3.4.1-3.9.1",
             "{caller_prefix}Not updating ZK for {config_resource} since it is not a Broker or Topic entity.",
             "Not updating ZK for config-resource since it is not a Broker or Topic entity."),
    Template("CFG-079", "config_warning", "ERROR", "ZkConfigMigrationClient|ZkDelegationTokenMigrationClient", "3.5.2-3.9.1",
             "{caller_prefix}Did not delete {token_id} since the node did not exist.",
             "Did not delete 7 since the node did not exist."),
    Template("CFG-080", "config_warning", "ERROR", "ZkConfigMigrationClient|ZkMigrationClient", "3.4.1-3.9.1",
             "{caller_prefix}Skipping unknown client quota entity {entity}",
             "Skipping unknown client quota entity entity"),
    Template("CFG-081", "config_warning", "ERROR", "ZkNodeChangeNotificationListener", "0.10.0.1-1.0.2",
             "{caller_prefix}Error processing notification change for path = {path} and notification= {notifications} :",
             "Error processing notification change for path = path and notification= notifications :"),
    Template("CFG-082", "config_warning", "ERROR", "ZkNodeChangeNotificationListener", "1.1.1-3.9.1",
             "{caller_prefix}Error while processing notification change for path = {seq_node_root}",
             "Error while processing notification change for path = seq-node-root"),
    Template("CFG-083", "config_warning", "ERROR", "ZkNodeChangeNotificationListener", "2.0.1-3.9.1",
             "{caller_prefix}error processing change notification {string} from {change_znode}",
             "error processing change notification string from change-znode"),
    Template("CFG-084", "config_warning", "WARN", "ZkNodeChangeNotificationListener", "2.0.1-3.9.1",
             "{caller_prefix}read null data from {change_znode}",
             "read null data from change-znode"),
    Template("CFG-085", "config_warning", "WARN", "ZkNodeChangeNotificationListener", "0.10.0.1-1.1.1",
             "{caller_prefix}read null data from {change_znode} when processing notification {notification}",
             "read null data from change-znode when processing notification notification"),
    Template("CFG-086", "config_warning", "WARN", "ConfigHandler", "0.10.0.1-2.8.2",
             "{caller_prefix}Log configuration {message_format_version_prop} is ignored for `{topic}` because `{version_string}` is not "
             "compatible with Kafka inter-broker protocol version `{inter_broker_protocol_version_string}`",
             "Log configuration message-format-version-prop is ignored for `orders` because `version-string` is not compatible with "
             "Kafka inter-broker protocol version `inter-broker-protocol-version-string`"),
    Template("CFG-087", "config_warning", "WARN", "ConfigHandler", "3.0.2-3.9.1",
             "{caller_prefix}Topic configuration {message_format_version_config} is ignored for `{topic}` because `{version_string}` is "
             "higher than what is allowed by the inter-broker protocol version `{inter_broker_protocol_version_string}`",
             "Topic configuration message-format-version-config is ignored for `orders` because `version-string` is higher than what is "
             "allowed by the inter-broker protocol version `inter-broker-protocol-version-string`"),
    Template("CFG-088", "config_warning", "WARN", "KafkaConfig", "4.3.1",
             "{caller_prefix}'{share}' in `{group_coordinator_rebalance_protocols_config}` is deprecated. Share groups are controlled by "
             "the 'share.version' feature. This config will be removed in Kafka 5.0.",
             "'share' in `group-coordinator-rebalance-protocols-config` is deprecated. Share groups are controlled by the "
             "'share.version' feature. This config will be removed in Kafka 5.0."),
    Template("CFG-089", "config_warning", "WARN", "KafkaConfig", "4.3.1",
             "{caller_prefix}The config `{group_coordinator_rebalance_protocols_config}` is deprecated and will be removed in Kafka 5.0. "
             "Please remove the configuration to prepare for the upgrade.",
             "The config `group-coordinator-rebalance-protocols-config` is deprecated and will be removed in Kafka 5.0. Please remove "
             "the configuration to prepare for the upgrade."),
    Template("CFG-090", "config_warning", "WARN", "KafkaConfig", "4.3.1",
             "{caller_prefix}The config `{group_coordinator_rebalance_protocols_config}` is deprecated and will be removed in Kafka 5.0. "
             "The following protocol(s) are currently disabled: {missing_protocols}. In Kafka 5.0, all protocols will always be enabled "
             "and controlled solely by feature versions (group.version, streams.version, share.version) via kafka-features.sh. Please "
             "remove the configuration, which will restore all protocols to the default enabled state, to prepare for the upgrade.",
             "The config `group-coordinator-rebalance-protocols-config` is deprecated and will be removed in Kafka 5.0. The following "
             "protocol(s) are currently disabled: missing-protocols. In Kafka 5.0, all protocols will always be enabled and controlled "
             "solely by feature versions (group.version, streams.version, share.version) via kafka-features.sh. Please remove the "
             "configuration, which will restore all protocols to the default enabled state, to prepare for the upgrade."),
    Template("CFG-091", "config_warning", "WARN", "KafkaConfig", "4.3.1",
             "{caller_prefix}{num_partitions_config} is defined in the broker role. This configuration will be ignored in 5.0. Please "
             "set {num_partitions_config_2} in the controller role instead.",
             "7 is defined in the broker role. This configuration will be ignored in 5.0. Please set 7 in the controller role instead."),
    Template("CFG-092", "config_warning", "ERROR", "StandardAuthorizerData", "3.2.3-4.3.1",
             "{caller_prefix}addAcl error",
             "addAcl error"),
    Template("CFG-093", "config_warning", "WARN", "AbstractConfig", "3.3.2-4.3.1",
             "These configurations '{names}' were supplied but are not used yet.",
             "These configurations '[metrics.context.kafka.cluster.id]' were supplied but are not used yet."),
    Template("CFG-094", "config_warning", "WARN", "KafkaConfig", "4.4.0",
             "{key} is defined in broker. It should be defined in the controller role. This configuration will be ignored in the "
             "broker role in 5.0.",
             "num.partitions is defined in broker. It should be defined in the controller role. This configuration will be ignored in "
             "the broker role in 5.0."),
    Template("CFG-095", "config_warning", "ERROR", "StandardAuthorizerData", "4.0.0-4.1.0",
             "[StandardAuthorizer {node_id}] Failed to complete initial ACL load process.",
             "[StandardAuthorizer 1] Failed to complete initial ACL load process."),
)
