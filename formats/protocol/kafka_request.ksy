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
          switch-on: api.known_key.to_i.as<s4>
          cases:
            0: kafka_produce_request(api_version)
            1: kafka_fetch_request(api_version)
            2: kafka_list_offsets_request(api_version)
            3: kafka_metadata_request(api_version)
            8: kafka_offset_commit_request(api_version)
            9: kafka_offset_fetch_request(api_version)
            10: kafka_find_coordinator_request(api_version)
            11: kafka_join_group_request(api_version)
            12: kafka_heartbeat_request(api_version)
            13: kafka_leave_group_request(api_version)
            14: kafka_sync_group_request(api_version)
            15: kafka_describe_groups_request(api_version)
            16: kafka_list_groups_request(api_version)
            17: kafka_sasl_handshake_request(api_version)
            18: kafka_api_versions_request(api_version)
            19: kafka_create_topics_request(api_version)
            20: kafka_delete_topics_request(api_version)
            21: kafka_delete_records_request(api_version)
            22: kafka_init_producer_id_request(api_version)
            23: kafka_offset_for_leader_epoch_request(api_version)
            24: kafka_add_partitions_to_txn_request(api_version)
            25: kafka_add_offsets_to_txn_request(api_version)
            26: kafka_end_txn_request(api_version)
            27: kafka_write_txn_markers_request(api_version)
            28: kafka_txn_offset_commit_request(api_version)
            29: kafka_describe_acls_request(api_version)
            30: kafka_create_acls_request(api_version)
            31: kafka_delete_acls_request(api_version)
            32: kafka_describe_configs_request(api_version)
            33: kafka_alter_configs_request(api_version)
            34: kafka_alter_replica_log_dirs_request(api_version)
            35: kafka_describe_log_dirs_request(api_version)
            36: kafka_sasl_authenticate_request(api_version)
            37: kafka_create_partitions_request(api_version)
            38: kafka_create_delegation_token_request(api_version)
            39: kafka_renew_delegation_token_request(api_version)
            40: kafka_expire_delegation_token_request(api_version)
            41: kafka_describe_delegation_token_request(api_version)
            42: kafka_delete_groups_request(api_version)
            43: kafka_elect_leaders_request(api_version)
            44: kafka_incremental_alter_configs_request(api_version)
            45: kafka_alter_partition_reassignments_request(api_version)
            46: kafka_list_partition_reassignments_request(api_version)
            47: kafka_offset_delete_request(api_version)
            48: kafka_describe_client_quotas_request(api_version)
            49: kafka_alter_client_quotas_request(api_version)
            50: kafka_describe_user_scram_credentials_request(api_version)
            51: kafka_alter_user_scram_credentials_request(api_version)
            52: kafka_vote_request(api_version)
            53: kafka_begin_quorum_epoch_request(api_version)
            54: kafka_end_quorum_epoch_request(api_version)
            55: kafka_describe_quorum_request(api_version)
            56: kafka_alter_partition_request(api_version)
            57: kafka_update_features_request(api_version)
            58: kafka_envelope_request(api_version)
            59: kafka_fetch_snapshot_request(api_version)
            60: kafka_describe_cluster_request(api_version)
            61: kafka_describe_producers_request(api_version)
            62: kafka_broker_registration_request(api_version)
            63: kafka_broker_heartbeat_request(api_version)
            64: kafka_unregister_broker_request(api_version)
            65: kafka_describe_transactions_request(api_version)
            66: kafka_list_transactions_request(api_version)
            67: kafka_allocate_producer_ids_request(api_version)
            68: kafka_consumer_group_heartbeat_request(api_version)
            69: kafka_consumer_group_describe_request(api_version)
            70: kafka_controller_registration_request(api_version)
            71: kafka_get_telemetry_subscriptions_request(api_version)
            72: kafka_push_telemetry_request(api_version)
            73: kafka_assign_replicas_to_dirs_request(api_version)
            74: kafka_list_config_resources_request(api_version)
            75: kafka_describe_topic_partitions_request(api_version)
            76: kafka_share_group_heartbeat_request(api_version)
            77: kafka_share_group_describe_request(api_version)
            78: kafka_share_fetch_request(api_version)
            79: kafka_share_acknowledge_request(api_version)
            80: kafka_add_raft_voter_request(api_version)
            81: kafka_remove_raft_voter_request(api_version)
            82: kafka_update_raft_voter_request(api_version)
            83: kafka_initialize_share_group_state_request(api_version)
            84: kafka_read_share_group_state_request(api_version)
            85: kafka_write_share_group_state_request(api_version)
            86: kafka_delete_share_group_state_request(api_version)
            87: kafka_read_share_group_state_summary_request(api_version)
            88: kafka_streams_group_heartbeat_request(api_version)
            89: kafka_streams_group_describe_request(api_version)
            90: kafka_describe_share_group_offsets_request(api_version)
            91: kafka_alter_share_group_offsets_request(api_version)
            92: kafka_delete_share_group_offsets_request(api_version)
            93: kafka_streams_group_topology_description_update_request(api_version)
            94: kafka_unregister_controller_request(api_version)
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
