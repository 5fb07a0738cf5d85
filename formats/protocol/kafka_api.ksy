meta:
  id: kafka_api
  title: Apache Kafka API
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  endian: be
doc: |
  An API in one version, and how its headers are laid out. It takes no bytes:
  both are read from the header of a request, and a response does not repeat
  them.
doc-ref:
  - https://kafka.apache.org/protocol#protocol_api_keys
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-482%3A+The+Kafka+Protocol+should+Support+Optional+Tagged+Fields KIP-482
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-511%3A+Collect+and+Expose+Client%27s+Name+and+Version+in+the+Brokers KIP-511
-webide-representation: '{key} version {version:dec}'
params:
  - id: key
    type: s2
    enum: key
    doc: Number of the API
  - id: version
    type: s2
    doc: Version of its requests and responses
seq:
  - id: versions
    type:
      switch-on: key
      cases:
        'key::produce': version_range(3, 13, 9)
        'key::fetch': version_range(4, 18, 12)
        'key::list_offsets': version_range(1, 11, 6)
        'key::metadata': version_range(0, 13, 9)
        'key::offset_commit': version_range(2, 10, 8)
        'key::offset_fetch': version_range(1, 10, 6)
        'key::find_coordinator': version_range(0, 6, 3)
        'key::join_group': version_range(0, 9, 6)
        'key::heartbeat': version_range(0, 4, 4)
        'key::leave_group': version_range(0, 5, 4)
        'key::sync_group': version_range(0, 5, 4)
        'key::describe_groups': version_range(0, 6, 5)
        'key::list_groups': version_range(0, 5, 3)
        'key::sasl_handshake': version_range(0, 1, 32767)
        'key::api_versions': version_range(0, 5, 3)
        'key::create_topics': version_range(2, 7, 5)
        'key::delete_topics': version_range(1, 6, 4)
        'key::delete_records': version_range(0, 2, 2)
        'key::init_producer_id': version_range(0, 6, 2)
        'key::offset_for_leader_epoch': version_range(2, 4, 4)
        'key::add_partitions_to_txn': version_range(0, 5, 3)
        'key::add_offsets_to_txn': version_range(0, 4, 3)
        'key::end_txn': version_range(0, 5, 3)
        'key::write_txn_markers': version_range(1, 2, 1)
        'key::txn_offset_commit': version_range(0, 6, 3)
        'key::describe_acls': version_range(1, 3, 2)
        'key::create_acls': version_range(1, 3, 2)
        'key::delete_acls': version_range(1, 3, 2)
        'key::describe_configs': version_range(1, 4, 4)
        'key::alter_configs': version_range(0, 2, 2)
        'key::alter_replica_log_dirs': version_range(1, 2, 2)
        'key::describe_log_dirs': version_range(1, 5, 2)
        'key::sasl_authenticate': version_range(0, 2, 2)
        'key::create_partitions': version_range(0, 3, 2)
        'key::create_delegation_token': version_range(1, 3, 2)
        'key::renew_delegation_token': version_range(1, 2, 2)
        'key::expire_delegation_token': version_range(1, 2, 2)
        'key::describe_delegation_token': version_range(1, 3, 2)
        'key::delete_groups': version_range(0, 3, 2)
        'key::elect_leaders': version_range(0, 2, 2)
        'key::incremental_alter_configs': version_range(0, 1, 1)
        'key::alter_partition_reassignments': version_range(0, 1, 0)
        'key::list_partition_reassignments': version_range(0, 0, 0)
        'key::offset_delete': version_range(0, 0, 32767)
        'key::describe_client_quotas': version_range(0, 1, 1)
        'key::alter_client_quotas': version_range(0, 1, 1)
        'key::describe_user_scram_credentials': version_range(0, 0, 0)
        'key::alter_user_scram_credentials': version_range(0, 0, 0)
        'key::vote': version_range(0, 2, 0)
        'key::begin_quorum_epoch': version_range(0, 1, 1)
        'key::end_quorum_epoch': version_range(0, 1, 1)
        'key::describe_quorum': version_range(0, 2, 0)
        'key::alter_partition': version_range(2, 3, 0)
        'key::update_features': version_range(0, 2, 0)
        'key::envelope': version_range(0, 0, 0)
        'key::fetch_snapshot': version_range(0, 1, 0)
        'key::describe_cluster': version_range(0, 2, 0)
        'key::describe_producers': version_range(0, 0, 0)
        'key::broker_registration': version_range(0, 4, 0)
        'key::broker_heartbeat': version_range(0, 2, 0)
        'key::unregister_broker': version_range(0, 0, 0)
        'key::describe_transactions': version_range(0, 0, 0)
        'key::list_transactions': version_range(0, 2, 0)
        'key::allocate_producer_ids': version_range(0, 0, 0)
        'key::consumer_group_heartbeat': version_range(0, 1, 0)
        'key::consumer_group_describe': version_range(0, 1, 0)
        'key::controller_registration': version_range(0, 0, 0)
        'key::get_telemetry_subscriptions': version_range(0, 0, 0)
        'key::push_telemetry': version_range(0, 0, 0)
        'key::assign_replicas_to_dirs': version_range(0, 0, 0)
        'key::list_config_resources': version_range(0, 1, 0)
        'key::describe_topic_partitions': version_range(0, 0, 0)
        'key::share_group_heartbeat': version_range(1, 1, 0)
        'key::share_group_describe': version_range(1, 1, 0)
        'key::share_fetch': version_range(1, 2, 0)
        'key::share_acknowledge': version_range(1, 2, 0)
        'key::add_raft_voter': version_range(0, 1, 0)
        'key::remove_raft_voter': version_range(0, 0, 0)
        'key::update_raft_voter': version_range(0, 0, 0)
        'key::initialize_share_group_state': version_range(0, 0, 0)
        'key::read_share_group_state': version_range(0, 0, 0)
        'key::write_share_group_state': version_range(0, 1, 0)
        'key::delete_share_group_state': version_range(0, 0, 0)
        'key::read_share_group_state_summary': version_range(0, 1, 0)
        'key::streams_group_heartbeat': version_range(0, 1, 0)
        'key::streams_group_describe': version_range(0, 1, 0)
        'key::describe_share_group_offsets': version_range(0, 1, 0)
        'key::alter_share_group_offsets': version_range(0, 0, 0)
        'key::delete_share_group_offsets': version_range(0, 0, 0)
        'key::streams_group_topology_description_update': version_range(0, 0, 0)
        'key::unregister_controller': version_range(0, 0, 0)
        _: version_range(0, -1, 32767)
    doc: Versions of the API
instances:
  is_flexible:
    value: version >= versions.first_flexible
    doc: Whether lengths are varints, and structures end with tagged fields
  known_key:
    value: 'version >= versions.first and version <= versions.last ? key : key::unknown'
    enum: key
    doc: The key, if the version is known as well
  request_header_version:
    value: 'is_flexible ? 2 : 1'
    doc: Version of the request's header
  response_header_version:
    value: 'is_flexible and key != key::api_versions ? 1 : 0'
    doc: |
      Version of the response's header. Clients read that of
      `kafka_api_versions_response` before they know any version
types:
  version_range:
    doc: Versions that there are. It takes no bytes
    -webide-representation: '{first:dec} to {last:dec}'
    params:
      - id: first
        type: s2
        doc: The oldest version
      - id: last
        type: s2
        doc: The latest version, -1 if the API is not known
      - id: first_flexible
        type: s2
        doc: The first version with tagged fields, 32767 if there is none
enums:
  key:
    -1:
      id: unknown
      doc: An API or version that is not known
    0:
      id: produce
      doc: A `kafka_produce_request`
    1:
      id: fetch
      doc: A `kafka_fetch_request`
    2:
      id: list_offsets
      doc: A `kafka_list_offsets_request`
    3:
      id: metadata
      doc: A `kafka_metadata_request`
    8:
      id: offset_commit
      doc: A `kafka_offset_commit_request`
    9:
      id: offset_fetch
      doc: A `kafka_offset_fetch_request`
    10:
      id: find_coordinator
      doc: A `kafka_find_coordinator_request`
    11:
      id: join_group
      doc: A `kafka_join_group_request`
    12:
      id: heartbeat
      doc: A `kafka_heartbeat_request`
    13:
      id: leave_group
      doc: A `kafka_leave_group_request`
    14:
      id: sync_group
      doc: A `kafka_sync_group_request`
    15:
      id: describe_groups
      doc: A `kafka_describe_groups_request`
    16:
      id: list_groups
      doc: A `kafka_list_groups_request`
    17:
      id: sasl_handshake
      doc: A `kafka_sasl_handshake_request`
    18:
      id: api_versions
      doc: A `kafka_api_versions_request`
    19:
      id: create_topics
      doc: A `kafka_create_topics_request`
    20:
      id: delete_topics
      doc: A `kafka_delete_topics_request`
    21:
      id: delete_records
      doc: A `kafka_delete_records_request`
    22:
      id: init_producer_id
      doc: A `kafka_init_producer_id_request`
    23:
      id: offset_for_leader_epoch
      doc: A `kafka_offset_for_leader_epoch_request`
    24:
      id: add_partitions_to_txn
      doc: A `kafka_add_partitions_to_txn_request`
    25:
      id: add_offsets_to_txn
      doc: A `kafka_add_offsets_to_txn_request`
    26:
      id: end_txn
      doc: A `kafka_end_txn_request`
    27:
      id: write_txn_markers
      doc: A `kafka_write_txn_markers_request`
    28:
      id: txn_offset_commit
      doc: A `kafka_txn_offset_commit_request`
    29:
      id: describe_acls
      doc: A `kafka_describe_acls_request`
    30:
      id: create_acls
      doc: A `kafka_create_acls_request`
    31:
      id: delete_acls
      doc: A `kafka_delete_acls_request`
    32:
      id: describe_configs
      doc: A `kafka_describe_configs_request`
    33:
      id: alter_configs
      doc: A `kafka_alter_configs_request`
    34:
      id: alter_replica_log_dirs
      doc: A `kafka_alter_replica_log_dirs_request`
    35:
      id: describe_log_dirs
      doc: A `kafka_describe_log_dirs_request`
    36:
      id: sasl_authenticate
      doc: A `kafka_sasl_authenticate_request`
    37:
      id: create_partitions
      doc: A `kafka_create_partitions_request`
    38:
      id: create_delegation_token
      doc: A `kafka_create_delegation_token_request`
    39:
      id: renew_delegation_token
      doc: A `kafka_renew_delegation_token_request`
    40:
      id: expire_delegation_token
      doc: A `kafka_expire_delegation_token_request`
    41:
      id: describe_delegation_token
      doc: A `kafka_describe_delegation_token_request`
    42:
      id: delete_groups
      doc: A `kafka_delete_groups_request`
    43:
      id: elect_leaders
      doc: A `kafka_elect_leaders_request`
    44:
      id: incremental_alter_configs
      doc: A `kafka_incremental_alter_configs_request`
    45:
      id: alter_partition_reassignments
      doc: A `kafka_alter_partition_reassignments_request`
    46:
      id: list_partition_reassignments
      doc: A `kafka_list_partition_reassignments_request`
    47:
      id: offset_delete
      doc: A `kafka_offset_delete_request`
    48:
      id: describe_client_quotas
      doc: A `kafka_describe_client_quotas_request`
    49:
      id: alter_client_quotas
      doc: A `kafka_alter_client_quotas_request`
    50:
      id: describe_user_scram_credentials
      doc: A `kafka_describe_user_scram_credentials_request`
    51:
      id: alter_user_scram_credentials
      doc: A `kafka_alter_user_scram_credentials_request`
    52:
      id: vote
      doc: A `kafka_vote_request`
    53:
      id: begin_quorum_epoch
      doc: A `kafka_begin_quorum_epoch_request`
    54:
      id: end_quorum_epoch
      doc: A `kafka_end_quorum_epoch_request`
    55:
      id: describe_quorum
      doc: A `kafka_describe_quorum_request`
    56:
      id: alter_partition
      doc: A `kafka_alter_partition_request`
    57:
      id: update_features
      doc: A `kafka_update_features_request`
    58:
      id: envelope
      doc: A `kafka_envelope_request`
    59:
      id: fetch_snapshot
      doc: A `kafka_fetch_snapshot_request`
    60:
      id: describe_cluster
      doc: A `kafka_describe_cluster_request`
    61:
      id: describe_producers
      doc: A `kafka_describe_producers_request`
    62:
      id: broker_registration
      doc: A `kafka_broker_registration_request`
    63:
      id: broker_heartbeat
      doc: A `kafka_broker_heartbeat_request`
    64:
      id: unregister_broker
      doc: A `kafka_unregister_broker_request`
    65:
      id: describe_transactions
      doc: A `kafka_describe_transactions_request`
    66:
      id: list_transactions
      doc: A `kafka_list_transactions_request`
    67:
      id: allocate_producer_ids
      doc: A `kafka_allocate_producer_ids_request`
    68:
      id: consumer_group_heartbeat
      doc: A `kafka_consumer_group_heartbeat_request`
    69:
      id: consumer_group_describe
      doc: A `kafka_consumer_group_describe_request`
    70:
      id: controller_registration
      doc: A `kafka_controller_registration_request`
    71:
      id: get_telemetry_subscriptions
      doc: A `kafka_get_telemetry_subscriptions_request`
    72:
      id: push_telemetry
      doc: A `kafka_push_telemetry_request`
    73:
      id: assign_replicas_to_dirs
      doc: A `kafka_assign_replicas_to_dirs_request`
    74:
      id: list_config_resources
      doc: A `kafka_list_config_resources_request`
    75:
      id: describe_topic_partitions
      doc: A `kafka_describe_topic_partitions_request`
    76:
      id: share_group_heartbeat
      doc: A `kafka_share_group_heartbeat_request`
    77:
      id: share_group_describe
      doc: A `kafka_share_group_describe_request`
    78:
      id: share_fetch
      doc: A `kafka_share_fetch_request`
    79:
      id: share_acknowledge
      doc: A `kafka_share_acknowledge_request`
    80:
      id: add_raft_voter
      doc: A `kafka_add_raft_voter_request`
    81:
      id: remove_raft_voter
      doc: A `kafka_remove_raft_voter_request`
    82:
      id: update_raft_voter
      doc: A `kafka_update_raft_voter_request`
    83:
      id: initialize_share_group_state
      doc: A `kafka_initialize_share_group_state_request`
    84:
      id: read_share_group_state
      doc: A `kafka_read_share_group_state_request`
    85:
      id: write_share_group_state
      doc: A `kafka_write_share_group_state_request`
    86:
      id: delete_share_group_state
      doc: A `kafka_delete_share_group_state_request`
    87:
      id: read_share_group_state_summary
      doc: A `kafka_read_share_group_state_summary_request`
    88:
      id: streams_group_heartbeat
      doc: A `kafka_streams_group_heartbeat_request`
    89:
      id: streams_group_describe
      doc: A `kafka_streams_group_describe_request`
    90:
      id: describe_share_group_offsets
      doc: A `kafka_describe_share_group_offsets_request`
    91:
      id: alter_share_group_offsets
      doc: A `kafka_alter_share_group_offsets_request`
    92:
      id: delete_share_group_offsets
      doc: A `kafka_delete_share_group_offsets_request`
    93:
      id: streams_group_topology_description_update
      doc: A `kafka_streams_group_topology_description_update_request`
    94:
      id: unregister_controller
      doc: A `kafka_unregister_controller_request`
