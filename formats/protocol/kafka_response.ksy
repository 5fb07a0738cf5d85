meta:
  id: kafka_response
  title: Apache Kafka response
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_add_offsets_to_txn_response
    - kafka_add_partitions_to_txn_response
    - kafka_add_raft_voter_response
    - kafka_allocate_producer_ids_response
    - kafka_alter_client_quotas_response
    - kafka_alter_configs_response
    - kafka_alter_partition_reassignments_response
    - kafka_alter_partition_response
    - kafka_alter_replica_log_dirs_response
    - kafka_alter_share_group_offsets_response
    - kafka_alter_user_scram_credentials_response
    - kafka_api
    - kafka_api_versions_response
    - kafka_assign_replicas_to_dirs_response
    - kafka_begin_quorum_epoch_response
    - kafka_broker_heartbeat_response
    - kafka_broker_registration_response
    - kafka_consumer_group_describe_response
    - kafka_consumer_group_heartbeat_response
    - kafka_controller_registration_response
    - kafka_create_acls_response
    - kafka_create_delegation_token_response
    - kafka_create_partitions_response
    - kafka_create_topics_response
    - kafka_delete_acls_response
    - kafka_delete_groups_response
    - kafka_delete_records_response
    - kafka_delete_share_group_offsets_response
    - kafka_delete_share_group_state_response
    - kafka_delete_topics_response
    - kafka_describe_acls_response
    - kafka_describe_client_quotas_response
    - kafka_describe_cluster_response
    - kafka_describe_configs_response
    - kafka_describe_delegation_token_response
    - kafka_describe_groups_response
    - kafka_describe_log_dirs_response
    - kafka_describe_producers_response
    - kafka_describe_quorum_response
    - kafka_describe_share_group_offsets_response
    - kafka_describe_topic_partitions_response
    - kafka_describe_transactions_response
    - kafka_describe_user_scram_credentials_response
    - kafka_elect_leaders_response
    - kafka_end_quorum_epoch_response
    - kafka_end_txn_response
    - kafka_envelope_response
    - kafka_expire_delegation_token_response
    - kafka_fetch_response
    - kafka_fetch_snapshot_response
    - kafka_find_coordinator_response
    - kafka_get_telemetry_subscriptions_response
    - kafka_heartbeat_response
    - kafka_incremental_alter_configs_response
    - kafka_init_producer_id_response
    - kafka_initialize_share_group_state_response
    - kafka_join_group_response
    - kafka_leave_group_response
    - kafka_list_config_resources_response
    - kafka_list_groups_response
    - kafka_list_offsets_response
    - kafka_list_partition_reassignments_response
    - kafka_list_transactions_response
    - kafka_metadata_response
    - kafka_offset_commit_response
    - kafka_offset_delete_response
    - kafka_offset_fetch_response
    - kafka_offset_for_leader_epoch_response
    - kafka_produce_response
    - kafka_push_telemetry_response
    - kafka_read_share_group_state_response
    - kafka_read_share_group_state_summary_response
    - kafka_remove_raft_voter_response
    - kafka_renew_delegation_token_response
    - kafka_response_header
    - kafka_sasl_authenticate_response
    - kafka_sasl_handshake_response
    - kafka_share_acknowledge_response
    - kafka_share_fetch_response
    - kafka_share_group_describe_response
    - kafka_share_group_heartbeat_response
    - kafka_streams_group_describe_response
    - kafka_streams_group_heartbeat_response
    - kafka_streams_group_topology_description_update_response
    - kafka_sync_group_response
    - kafka_txn_offset_commit_response
    - kafka_unregister_broker_response
    - kafka_unregister_controller_response
    - kafka_update_features_response
    - kafka_update_raft_voter_response
    - kafka_vote_response
    - kafka_write_share_group_state_response
    - kafka_write_txn_markers_response
  endian: be
doc: |
  A response of the Kafka protocol, as a broker sends it: its size, a header,
  and a body. Only the request tells which API and version it is of;
  `kafka_exchanges` has both.
doc-ref: https://kafka.apache.org/protocol#protocol_messages
params:
  - id: api_key
    type: s2
    doc: Number of the API, from the header of the request
  - id: api_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: len_message
    type: s4
    doc: Size of the rest in bytes
  - id: message
    size: len_message
    type: response
    doc: Header and body
types:
  response:
    seq:
      - id: api
        type: kafka_api(_root.api_key, response_version)
        doc: The API, which determines the layout of header and body. It takes no bytes
      - id: header
        type: kafka_response_header(api.response_header_version)
        doc: Repeats a number of the request
      - id: body
        size-eos: true
        type:
          switch-on: api.known_key
          cases:
            'kafka_api::key::produce': kafka_produce_response(response_version)
            'kafka_api::key::fetch': kafka_fetch_response(response_version)
            'kafka_api::key::list_offsets': kafka_list_offsets_response(response_version)
            'kafka_api::key::metadata': kafka_metadata_response(response_version)
            'kafka_api::key::offset_commit': kafka_offset_commit_response(response_version)
            'kafka_api::key::offset_fetch': kafka_offset_fetch_response(response_version)
            'kafka_api::key::find_coordinator': kafka_find_coordinator_response(response_version)
            'kafka_api::key::join_group': kafka_join_group_response(response_version)
            'kafka_api::key::heartbeat': kafka_heartbeat_response(response_version)
            'kafka_api::key::leave_group': kafka_leave_group_response(response_version)
            'kafka_api::key::sync_group': kafka_sync_group_response(response_version)
            'kafka_api::key::describe_groups': kafka_describe_groups_response(response_version)
            'kafka_api::key::list_groups': kafka_list_groups_response(response_version)
            'kafka_api::key::sasl_handshake': kafka_sasl_handshake_response(response_version)
            'kafka_api::key::api_versions': kafka_api_versions_response(response_version)
            'kafka_api::key::create_topics': kafka_create_topics_response(response_version)
            'kafka_api::key::delete_topics': kafka_delete_topics_response(response_version)
            'kafka_api::key::delete_records': kafka_delete_records_response(response_version)
            'kafka_api::key::init_producer_id': kafka_init_producer_id_response(response_version)
            'kafka_api::key::offset_for_leader_epoch': kafka_offset_for_leader_epoch_response(response_version)
            'kafka_api::key::add_partitions_to_txn': kafka_add_partitions_to_txn_response(response_version)
            'kafka_api::key::add_offsets_to_txn': kafka_add_offsets_to_txn_response(response_version)
            'kafka_api::key::end_txn': kafka_end_txn_response(response_version)
            'kafka_api::key::write_txn_markers': kafka_write_txn_markers_response(response_version)
            'kafka_api::key::txn_offset_commit': kafka_txn_offset_commit_response(response_version)
            'kafka_api::key::describe_acls': kafka_describe_acls_response(response_version)
            'kafka_api::key::create_acls': kafka_create_acls_response(response_version)
            'kafka_api::key::delete_acls': kafka_delete_acls_response(response_version)
            'kafka_api::key::describe_configs': kafka_describe_configs_response(response_version)
            'kafka_api::key::alter_configs': kafka_alter_configs_response(response_version)
            'kafka_api::key::alter_replica_log_dirs': kafka_alter_replica_log_dirs_response(response_version)
            'kafka_api::key::describe_log_dirs': kafka_describe_log_dirs_response(response_version)
            'kafka_api::key::sasl_authenticate': kafka_sasl_authenticate_response(response_version)
            'kafka_api::key::create_partitions': kafka_create_partitions_response(response_version)
            'kafka_api::key::create_delegation_token': kafka_create_delegation_token_response(response_version)
            'kafka_api::key::renew_delegation_token': kafka_renew_delegation_token_response(response_version)
            'kafka_api::key::expire_delegation_token': kafka_expire_delegation_token_response(response_version)
            'kafka_api::key::describe_delegation_token': kafka_describe_delegation_token_response(response_version)
            'kafka_api::key::delete_groups': kafka_delete_groups_response(response_version)
            'kafka_api::key::elect_leaders': kafka_elect_leaders_response(response_version)
            'kafka_api::key::incremental_alter_configs': kafka_incremental_alter_configs_response(response_version)
            'kafka_api::key::alter_partition_reassignments':
              kafka_alter_partition_reassignments_response(response_version)
            'kafka_api::key::list_partition_reassignments':
              kafka_list_partition_reassignments_response(response_version)
            'kafka_api::key::offset_delete': kafka_offset_delete_response(response_version)
            'kafka_api::key::describe_client_quotas': kafka_describe_client_quotas_response(response_version)
            'kafka_api::key::alter_client_quotas': kafka_alter_client_quotas_response(response_version)
            'kafka_api::key::describe_user_scram_credentials':
              kafka_describe_user_scram_credentials_response(response_version)
            'kafka_api::key::alter_user_scram_credentials':
              kafka_alter_user_scram_credentials_response(response_version)
            'kafka_api::key::vote': kafka_vote_response(response_version)
            'kafka_api::key::begin_quorum_epoch': kafka_begin_quorum_epoch_response(response_version)
            'kafka_api::key::end_quorum_epoch': kafka_end_quorum_epoch_response(response_version)
            'kafka_api::key::describe_quorum': kafka_describe_quorum_response(response_version)
            'kafka_api::key::alter_partition': kafka_alter_partition_response(response_version)
            'kafka_api::key::update_features': kafka_update_features_response(response_version)
            'kafka_api::key::envelope': kafka_envelope_response(response_version)
            'kafka_api::key::fetch_snapshot': kafka_fetch_snapshot_response(response_version)
            'kafka_api::key::describe_cluster': kafka_describe_cluster_response(response_version)
            'kafka_api::key::describe_producers': kafka_describe_producers_response(response_version)
            'kafka_api::key::broker_registration': kafka_broker_registration_response(response_version)
            'kafka_api::key::broker_heartbeat': kafka_broker_heartbeat_response(response_version)
            'kafka_api::key::unregister_broker': kafka_unregister_broker_response(response_version)
            'kafka_api::key::describe_transactions': kafka_describe_transactions_response(response_version)
            'kafka_api::key::list_transactions': kafka_list_transactions_response(response_version)
            'kafka_api::key::allocate_producer_ids': kafka_allocate_producer_ids_response(response_version)
            'kafka_api::key::consumer_group_heartbeat': kafka_consumer_group_heartbeat_response(response_version)
            'kafka_api::key::consumer_group_describe': kafka_consumer_group_describe_response(response_version)
            'kafka_api::key::controller_registration': kafka_controller_registration_response(response_version)
            'kafka_api::key::get_telemetry_subscriptions': kafka_get_telemetry_subscriptions_response(response_version)
            'kafka_api::key::push_telemetry': kafka_push_telemetry_response(response_version)
            'kafka_api::key::assign_replicas_to_dirs': kafka_assign_replicas_to_dirs_response(response_version)
            'kafka_api::key::list_config_resources': kafka_list_config_resources_response(response_version)
            'kafka_api::key::describe_topic_partitions': kafka_describe_topic_partitions_response(response_version)
            'kafka_api::key::share_group_heartbeat': kafka_share_group_heartbeat_response(response_version)
            'kafka_api::key::share_group_describe': kafka_share_group_describe_response(response_version)
            'kafka_api::key::share_fetch': kafka_share_fetch_response(response_version)
            'kafka_api::key::share_acknowledge': kafka_share_acknowledge_response(response_version)
            'kafka_api::key::add_raft_voter': kafka_add_raft_voter_response(response_version)
            'kafka_api::key::remove_raft_voter': kafka_remove_raft_voter_response(response_version)
            'kafka_api::key::update_raft_voter': kafka_update_raft_voter_response(response_version)
            'kafka_api::key::initialize_share_group_state':
              kafka_initialize_share_group_state_response(response_version)
            'kafka_api::key::read_share_group_state': kafka_read_share_group_state_response(response_version)
            'kafka_api::key::write_share_group_state': kafka_write_share_group_state_response(response_version)
            'kafka_api::key::delete_share_group_state': kafka_delete_share_group_state_response(response_version)
            'kafka_api::key::read_share_group_state_summary':
              kafka_read_share_group_state_summary_response(response_version)
            'kafka_api::key::streams_group_heartbeat': kafka_streams_group_heartbeat_response(response_version)
            'kafka_api::key::streams_group_describe': kafka_streams_group_describe_response(response_version)
            'kafka_api::key::describe_share_group_offsets':
              kafka_describe_share_group_offsets_response(response_version)
            'kafka_api::key::alter_share_group_offsets': kafka_alter_share_group_offsets_response(response_version)
            'kafka_api::key::delete_share_group_offsets': kafka_delete_share_group_offsets_response(response_version)
            'kafka_api::key::streams_group_topology_description_update':
              kafka_streams_group_topology_description_update_response(response_version)
            'kafka_api::key::unregister_controller': kafka_unregister_controller_response(response_version)
        doc: The message; bytes if the API or version is not known
    instances:
      response_version:
        value: '_root.api_key == 18 and _root.api_version > 5 ? 0 : _root.api_version'
        doc: |
          A broker answers a request for API versions that is too new in version
          0
