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
          switch-on: api.known_key.to_i.as<s4>
          cases:
            0: kafka_produce_response(response_version)
            1: kafka_fetch_response(response_version)
            2: kafka_list_offsets_response(response_version)
            3: kafka_metadata_response(response_version)
            8: kafka_offset_commit_response(response_version)
            9: kafka_offset_fetch_response(response_version)
            10: kafka_find_coordinator_response(response_version)
            11: kafka_join_group_response(response_version)
            12: kafka_heartbeat_response(response_version)
            13: kafka_leave_group_response(response_version)
            14: kafka_sync_group_response(response_version)
            15: kafka_describe_groups_response(response_version)
            16: kafka_list_groups_response(response_version)
            17: kafka_sasl_handshake_response(response_version)
            18: kafka_api_versions_response(response_version)
            19: kafka_create_topics_response(response_version)
            20: kafka_delete_topics_response(response_version)
            21: kafka_delete_records_response(response_version)
            22: kafka_init_producer_id_response(response_version)
            23: kafka_offset_for_leader_epoch_response(response_version)
            24: kafka_add_partitions_to_txn_response(response_version)
            25: kafka_add_offsets_to_txn_response(response_version)
            26: kafka_end_txn_response(response_version)
            27: kafka_write_txn_markers_response(response_version)
            28: kafka_txn_offset_commit_response(response_version)
            29: kafka_describe_acls_response(response_version)
            30: kafka_create_acls_response(response_version)
            31: kafka_delete_acls_response(response_version)
            32: kafka_describe_configs_response(response_version)
            33: kafka_alter_configs_response(response_version)
            34: kafka_alter_replica_log_dirs_response(response_version)
            35: kafka_describe_log_dirs_response(response_version)
            36: kafka_sasl_authenticate_response(response_version)
            37: kafka_create_partitions_response(response_version)
            38: kafka_create_delegation_token_response(response_version)
            39: kafka_renew_delegation_token_response(response_version)
            40: kafka_expire_delegation_token_response(response_version)
            41: kafka_describe_delegation_token_response(response_version)
            42: kafka_delete_groups_response(response_version)
            43: kafka_elect_leaders_response(response_version)
            44: kafka_incremental_alter_configs_response(response_version)
            45: kafka_alter_partition_reassignments_response(response_version)
            46: kafka_list_partition_reassignments_response(response_version)
            47: kafka_offset_delete_response(response_version)
            48: kafka_describe_client_quotas_response(response_version)
            49: kafka_alter_client_quotas_response(response_version)
            50: kafka_describe_user_scram_credentials_response(response_version)
            51: kafka_alter_user_scram_credentials_response(response_version)
            52: kafka_vote_response(response_version)
            53: kafka_begin_quorum_epoch_response(response_version)
            54: kafka_end_quorum_epoch_response(response_version)
            55: kafka_describe_quorum_response(response_version)
            56: kafka_alter_partition_response(response_version)
            57: kafka_update_features_response(response_version)
            58: kafka_envelope_response(response_version)
            59: kafka_fetch_snapshot_response(response_version)
            60: kafka_describe_cluster_response(response_version)
            61: kafka_describe_producers_response(response_version)
            62: kafka_broker_registration_response(response_version)
            63: kafka_broker_heartbeat_response(response_version)
            64: kafka_unregister_broker_response(response_version)
            65: kafka_describe_transactions_response(response_version)
            66: kafka_list_transactions_response(response_version)
            67: kafka_allocate_producer_ids_response(response_version)
            68: kafka_consumer_group_heartbeat_response(response_version)
            69: kafka_consumer_group_describe_response(response_version)
            70: kafka_controller_registration_response(response_version)
            71: kafka_get_telemetry_subscriptions_response(response_version)
            72: kafka_push_telemetry_response(response_version)
            73: kafka_assign_replicas_to_dirs_response(response_version)
            74: kafka_list_config_resources_response(response_version)
            75: kafka_describe_topic_partitions_response(response_version)
            76: kafka_share_group_heartbeat_response(response_version)
            77: kafka_share_group_describe_response(response_version)
            78: kafka_share_fetch_response(response_version)
            79: kafka_share_acknowledge_response(response_version)
            80: kafka_add_raft_voter_response(response_version)
            81: kafka_remove_raft_voter_response(response_version)
            82: kafka_update_raft_voter_response(response_version)
            83: kafka_initialize_share_group_state_response(response_version)
            84: kafka_read_share_group_state_response(response_version)
            85: kafka_write_share_group_state_response(response_version)
            86: kafka_delete_share_group_state_response(response_version)
            87: kafka_read_share_group_state_summary_response(response_version)
            88: kafka_streams_group_heartbeat_response(response_version)
            89: kafka_streams_group_describe_response(response_version)
            90: kafka_describe_share_group_offsets_response(response_version)
            91: kafka_alter_share_group_offsets_response(response_version)
            92: kafka_delete_share_group_offsets_response(response_version)
            93: kafka_streams_group_topology_description_update_response(response_version)
            94: kafka_unregister_controller_response(response_version)
        doc: The message; bytes if the API or version is not known
    instances:
      response_version:
        value: '_root.api_key == 18 and _root.api_version > 5 ? (0).as<s2> : _root.api_version'
        doc: |
          A broker answers a request for API versions that is too new in version
          0
