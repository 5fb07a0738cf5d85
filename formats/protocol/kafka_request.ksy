meta:
  id: kafka_request
  title: Apache Kafka request
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_add_offsets_to_txn_request
    - kafka_add_partitions_to_txn_request
    - kafka_add_raft_voter_request
    - kafka_allocate_producer_ids_request
    - kafka_alter_client_quotas_request
    - kafka_alter_configs_request
    - kafka_alter_partition_reassignments_request
    - kafka_alter_partition_request
    - kafka_alter_replica_log_dirs_request
    - kafka_alter_share_group_offsets_request
    - kafka_alter_user_scram_credentials_request
    - kafka_api
    - kafka_api_versions_request
    - kafka_assign_replicas_to_dirs_request
    - kafka_begin_quorum_epoch_request
    - kafka_broker_heartbeat_request
    - kafka_broker_registration_request
    - kafka_consumer_group_describe_request
    - kafka_consumer_group_heartbeat_request
    - kafka_controller_registration_request
    - kafka_create_acls_request
    - kafka_create_delegation_token_request
    - kafka_create_partitions_request
    - kafka_create_topics_request
    - kafka_delete_acls_request
    - kafka_delete_groups_request
    - kafka_delete_records_request
    - kafka_delete_share_group_offsets_request
    - kafka_delete_share_group_state_request
    - kafka_delete_topics_request
    - kafka_describe_acls_request
    - kafka_describe_client_quotas_request
    - kafka_describe_cluster_request
    - kafka_describe_configs_request
    - kafka_describe_delegation_token_request
    - kafka_describe_groups_request
    - kafka_describe_log_dirs_request
    - kafka_describe_producers_request
    - kafka_describe_quorum_request
    - kafka_describe_share_group_offsets_request
    - kafka_describe_topic_partitions_request
    - kafka_describe_transactions_request
    - kafka_describe_user_scram_credentials_request
    - kafka_elect_leaders_request
    - kafka_end_quorum_epoch_request
    - kafka_end_txn_request
    - kafka_envelope_request
    - kafka_expire_delegation_token_request
    - kafka_fetch_request
    - kafka_fetch_snapshot_request
    - kafka_find_coordinator_request
    - kafka_get_telemetry_subscriptions_request
    - kafka_heartbeat_request
    - kafka_incremental_alter_configs_request
    - kafka_init_producer_id_request
    - kafka_initialize_share_group_state_request
    - kafka_join_group_request
    - kafka_leave_group_request
    - kafka_list_config_resources_request
    - kafka_list_groups_request
    - kafka_list_offsets_request
    - kafka_list_partition_reassignments_request
    - kafka_list_transactions_request
    - kafka_metadata_request
    - kafka_offset_commit_request
    - kafka_offset_delete_request
    - kafka_offset_fetch_request
    - kafka_offset_for_leader_epoch_request
    - kafka_produce_request
    - kafka_push_telemetry_request
    - kafka_read_share_group_state_request
    - kafka_read_share_group_state_summary_request
    - kafka_remove_raft_voter_request
    - kafka_renew_delegation_token_request
    - kafka_request_header
    - kafka_sasl_authenticate_request
    - kafka_sasl_handshake_request
    - kafka_share_acknowledge_request
    - kafka_share_fetch_request
    - kafka_share_group_describe_request
    - kafka_share_group_heartbeat_request
    - kafka_streams_group_describe_request
    - kafka_streams_group_heartbeat_request
    - kafka_streams_group_topology_description_update_request
    - kafka_sync_group_request
    - kafka_txn_offset_commit_request
    - kafka_unregister_broker_request
    - kafka_unregister_controller_request
    - kafka_update_features_request
    - kafka_update_raft_voter_request
    - kafka_vote_request
    - kafka_write_share_group_state_request
    - kafka_write_txn_markers_request
  endian: be
doc: |
  A request of the Kafka protocol, as a client sends it: its size, a header, and
  a body that depends on the API and version in the header.
doc-ref: https://kafka.apache.org/protocol#protocol_messages
-webide-representation: '{message.api}'
seq:
  - id: len_message
    type: s4
    doc: Size of the rest in bytes
  - id: message
    size: len_message
    type: request
    doc: Header and body
types:
  request:
    seq:
      - id: api
        type: kafka_api(api_key, api_version)
        doc: The API, which determines the layout of header and body. It takes no bytes
      - id: header
        type: kafka_request_header(api.request_header_version)
        doc: Begins with key and version of the API
      - id: body
        size-eos: true
        type:
          switch-on: api.known_key
          cases:
            'kafka_api::key::produce': kafka_produce_request(api_version)
            'kafka_api::key::fetch': kafka_fetch_request(api_version)
            'kafka_api::key::list_offsets': kafka_list_offsets_request(api_version)
            'kafka_api::key::metadata': kafka_metadata_request(api_version)
            'kafka_api::key::offset_commit': kafka_offset_commit_request(api_version)
            'kafka_api::key::offset_fetch': kafka_offset_fetch_request(api_version)
            'kafka_api::key::find_coordinator': kafka_find_coordinator_request(api_version)
            'kafka_api::key::join_group': kafka_join_group_request(api_version)
            'kafka_api::key::heartbeat': kafka_heartbeat_request(api_version)
            'kafka_api::key::leave_group': kafka_leave_group_request(api_version)
            'kafka_api::key::sync_group': kafka_sync_group_request(api_version)
            'kafka_api::key::describe_groups': kafka_describe_groups_request(api_version)
            'kafka_api::key::list_groups': kafka_list_groups_request(api_version)
            'kafka_api::key::sasl_handshake': kafka_sasl_handshake_request(api_version)
            'kafka_api::key::api_versions': kafka_api_versions_request(api_version)
            'kafka_api::key::create_topics': kafka_create_topics_request(api_version)
            'kafka_api::key::delete_topics': kafka_delete_topics_request(api_version)
            'kafka_api::key::delete_records': kafka_delete_records_request(api_version)
            'kafka_api::key::init_producer_id': kafka_init_producer_id_request(api_version)
            'kafka_api::key::offset_for_leader_epoch': kafka_offset_for_leader_epoch_request(api_version)
            'kafka_api::key::add_partitions_to_txn': kafka_add_partitions_to_txn_request(api_version)
            'kafka_api::key::add_offsets_to_txn': kafka_add_offsets_to_txn_request(api_version)
            'kafka_api::key::end_txn': kafka_end_txn_request(api_version)
            'kafka_api::key::write_txn_markers': kafka_write_txn_markers_request(api_version)
            'kafka_api::key::txn_offset_commit': kafka_txn_offset_commit_request(api_version)
            'kafka_api::key::describe_acls': kafka_describe_acls_request(api_version)
            'kafka_api::key::create_acls': kafka_create_acls_request(api_version)
            'kafka_api::key::delete_acls': kafka_delete_acls_request(api_version)
            'kafka_api::key::describe_configs': kafka_describe_configs_request(api_version)
            'kafka_api::key::alter_configs': kafka_alter_configs_request(api_version)
            'kafka_api::key::alter_replica_log_dirs': kafka_alter_replica_log_dirs_request(api_version)
            'kafka_api::key::describe_log_dirs': kafka_describe_log_dirs_request(api_version)
            'kafka_api::key::sasl_authenticate': kafka_sasl_authenticate_request(api_version)
            'kafka_api::key::create_partitions': kafka_create_partitions_request(api_version)
            'kafka_api::key::create_delegation_token': kafka_create_delegation_token_request(api_version)
            'kafka_api::key::renew_delegation_token': kafka_renew_delegation_token_request(api_version)
            'kafka_api::key::expire_delegation_token': kafka_expire_delegation_token_request(api_version)
            'kafka_api::key::describe_delegation_token': kafka_describe_delegation_token_request(api_version)
            'kafka_api::key::delete_groups': kafka_delete_groups_request(api_version)
            'kafka_api::key::elect_leaders': kafka_elect_leaders_request(api_version)
            'kafka_api::key::incremental_alter_configs': kafka_incremental_alter_configs_request(api_version)
            'kafka_api::key::alter_partition_reassignments': kafka_alter_partition_reassignments_request(api_version)
            'kafka_api::key::list_partition_reassignments': kafka_list_partition_reassignments_request(api_version)
            'kafka_api::key::offset_delete': kafka_offset_delete_request(api_version)
            'kafka_api::key::describe_client_quotas': kafka_describe_client_quotas_request(api_version)
            'kafka_api::key::alter_client_quotas': kafka_alter_client_quotas_request(api_version)
            'kafka_api::key::describe_user_scram_credentials':
              kafka_describe_user_scram_credentials_request(api_version)
            'kafka_api::key::alter_user_scram_credentials': kafka_alter_user_scram_credentials_request(api_version)
            'kafka_api::key::vote': kafka_vote_request(api_version)
            'kafka_api::key::begin_quorum_epoch': kafka_begin_quorum_epoch_request(api_version)
            'kafka_api::key::end_quorum_epoch': kafka_end_quorum_epoch_request(api_version)
            'kafka_api::key::describe_quorum': kafka_describe_quorum_request(api_version)
            'kafka_api::key::alter_partition': kafka_alter_partition_request(api_version)
            'kafka_api::key::update_features': kafka_update_features_request(api_version)
            'kafka_api::key::envelope': kafka_envelope_request(api_version)
            'kafka_api::key::fetch_snapshot': kafka_fetch_snapshot_request(api_version)
            'kafka_api::key::describe_cluster': kafka_describe_cluster_request(api_version)
            'kafka_api::key::describe_producers': kafka_describe_producers_request(api_version)
            'kafka_api::key::broker_registration': kafka_broker_registration_request(api_version)
            'kafka_api::key::broker_heartbeat': kafka_broker_heartbeat_request(api_version)
            'kafka_api::key::unregister_broker': kafka_unregister_broker_request(api_version)
            'kafka_api::key::describe_transactions': kafka_describe_transactions_request(api_version)
            'kafka_api::key::list_transactions': kafka_list_transactions_request(api_version)
            'kafka_api::key::allocate_producer_ids': kafka_allocate_producer_ids_request(api_version)
            'kafka_api::key::consumer_group_heartbeat': kafka_consumer_group_heartbeat_request(api_version)
            'kafka_api::key::consumer_group_describe': kafka_consumer_group_describe_request(api_version)
            'kafka_api::key::controller_registration': kafka_controller_registration_request(api_version)
            'kafka_api::key::get_telemetry_subscriptions': kafka_get_telemetry_subscriptions_request(api_version)
            'kafka_api::key::push_telemetry': kafka_push_telemetry_request(api_version)
            'kafka_api::key::assign_replicas_to_dirs': kafka_assign_replicas_to_dirs_request(api_version)
            'kafka_api::key::list_config_resources': kafka_list_config_resources_request(api_version)
            'kafka_api::key::describe_topic_partitions': kafka_describe_topic_partitions_request(api_version)
            'kafka_api::key::share_group_heartbeat': kafka_share_group_heartbeat_request(api_version)
            'kafka_api::key::share_group_describe': kafka_share_group_describe_request(api_version)
            'kafka_api::key::share_fetch': kafka_share_fetch_request(api_version)
            'kafka_api::key::share_acknowledge': kafka_share_acknowledge_request(api_version)
            'kafka_api::key::add_raft_voter': kafka_add_raft_voter_request(api_version)
            'kafka_api::key::remove_raft_voter': kafka_remove_raft_voter_request(api_version)
            'kafka_api::key::update_raft_voter': kafka_update_raft_voter_request(api_version)
            'kafka_api::key::initialize_share_group_state': kafka_initialize_share_group_state_request(api_version)
            'kafka_api::key::read_share_group_state': kafka_read_share_group_state_request(api_version)
            'kafka_api::key::write_share_group_state': kafka_write_share_group_state_request(api_version)
            'kafka_api::key::delete_share_group_state': kafka_delete_share_group_state_request(api_version)
            'kafka_api::key::read_share_group_state_summary': kafka_read_share_group_state_summary_request(api_version)
            'kafka_api::key::streams_group_heartbeat': kafka_streams_group_heartbeat_request(api_version)
            'kafka_api::key::streams_group_describe': kafka_streams_group_describe_request(api_version)
            'kafka_api::key::describe_share_group_offsets': kafka_describe_share_group_offsets_request(api_version)
            'kafka_api::key::alter_share_group_offsets': kafka_alter_share_group_offsets_request(api_version)
            'kafka_api::key::delete_share_group_offsets': kafka_delete_share_group_offsets_request(api_version)
            'kafka_api::key::streams_group_topology_description_update':
              kafka_streams_group_topology_description_update_request(api_version)
            'kafka_api::key::unregister_controller': kafka_unregister_controller_request(api_version)
        doc: The message; bytes if the API or version is not known
    instances:
      api_key:
        pos: 0
        type: s2
        doc: Number of the API
      api_version:
        pos: 2
        type: s2
        doc: Version of the request and its response
