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
-webide-representation: '{known_key} version {version:dec}'
params:
  - id: key
    type: s2
    doc: Number of the API
  - id: version
    type: s2
    doc: Version of its requests and responses
seq:
  - id: versions
    type:
      switch-on: key
      cases:
        0: version_range(3, 13, 9) # produce
        1: version_range(4, 18, 12) # fetch
        2: version_range(1, 11, 6) # list_offsets
        3: version_range(0, 13, 9) # metadata
        8: version_range(2, 10, 8) # offset_commit
        9: version_range(1, 10, 6) # offset_fetch
        10: version_range(0, 6, 3) # find_coordinator
        11: version_range(0, 9, 6) # join_group
        12: version_range(0, 4, 4) # heartbeat
        13: version_range(0, 5, 4) # leave_group
        14: version_range(0, 5, 4) # sync_group
        15: version_range(0, 6, 5) # describe_groups
        16: version_range(0, 5, 3) # list_groups
        17: version_range(0, 1, 32767) # sasl_handshake
        18: version_range(0, 5, 3) # api_versions
        19: version_range(2, 7, 5) # create_topics
        20: version_range(1, 6, 4) # delete_topics
        21: version_range(0, 2, 2) # delete_records
        22: version_range(0, 6, 2) # init_producer_id
        23: version_range(2, 4, 4) # offset_for_leader_epoch
        24: version_range(0, 5, 3) # add_partitions_to_txn
        25: version_range(0, 4, 3) # add_offsets_to_txn
        26: version_range(0, 5, 3) # end_txn
        27: version_range(1, 2, 1) # write_txn_markers
        28: version_range(0, 6, 3) # txn_offset_commit
        29: version_range(1, 3, 2) # describe_acls
        30: version_range(1, 3, 2) # create_acls
        31: version_range(1, 3, 2) # delete_acls
        32: version_range(1, 4, 4) # describe_configs
        33: version_range(0, 2, 2) # alter_configs
        34: version_range(1, 2, 2) # alter_replica_log_dirs
        35: version_range(1, 5, 2) # describe_log_dirs
        36: version_range(0, 2, 2) # sasl_authenticate
        37: version_range(0, 3, 2) # create_partitions
        38: version_range(1, 3, 2) # create_delegation_token
        39: version_range(1, 2, 2) # renew_delegation_token
        40: version_range(1, 2, 2) # expire_delegation_token
        41: version_range(1, 3, 2) # describe_delegation_token
        42: version_range(0, 3, 2) # delete_groups
        43: version_range(0, 2, 2) # elect_leaders
        44: version_range(0, 1, 1) # incremental_alter_configs
        45: version_range(0, 1, 0) # alter_partition_reassignments
        46: version_range(0, 0, 0) # list_partition_reassignments
        47: version_range(0, 0, 32767) # offset_delete
        48: version_range(0, 1, 1) # describe_client_quotas
        49: version_range(0, 1, 1) # alter_client_quotas
        50: version_range(0, 0, 0) # describe_user_scram_credentials
        51: version_range(0, 0, 0) # alter_user_scram_credentials
        52: version_range(0, 2, 0) # vote
        53: version_range(0, 1, 1) # begin_quorum_epoch
        54: version_range(0, 1, 1) # end_quorum_epoch
        55: version_range(0, 2, 0) # describe_quorum
        56: version_range(2, 3, 0) # alter_partition
        57: version_range(0, 2, 0) # update_features
        58: version_range(0, 0, 0) # envelope
        59: version_range(0, 1, 0) # fetch_snapshot
        60: version_range(0, 2, 0) # describe_cluster
        61: version_range(0, 0, 0) # describe_producers
        62: version_range(0, 4, 0) # broker_registration
        63: version_range(0, 2, 0) # broker_heartbeat
        64: version_range(0, 0, 0) # unregister_broker
        65: version_range(0, 0, 0) # describe_transactions
        66: version_range(0, 2, 0) # list_transactions
        67: version_range(0, 0, 0) # allocate_producer_ids
        68: version_range(0, 1, 0) # consumer_group_heartbeat
        69: version_range(0, 1, 0) # consumer_group_describe
        70: version_range(0, 0, 0) # controller_registration
        71: version_range(0, 0, 0) # get_telemetry_subscriptions
        72: version_range(0, 0, 0) # push_telemetry
        73: version_range(0, 0, 0) # assign_replicas_to_dirs
        74: version_range(0, 1, 0) # list_config_resources
        75: version_range(0, 0, 0) # describe_topic_partitions
        76: version_range(1, 1, 0) # share_group_heartbeat
        77: version_range(1, 1, 0) # share_group_describe
        78: version_range(1, 2, 0) # share_fetch
        79: version_range(1, 2, 0) # share_acknowledge
        80: version_range(0, 1, 0) # add_raft_voter
        81: version_range(0, 0, 0) # remove_raft_voter
        82: version_range(0, 0, 0) # update_raft_voter
        83: version_range(0, 0, 0) # initialize_share_group_state
        84: version_range(0, 0, 0) # read_share_group_state
        85: version_range(0, 1, 0) # write_share_group_state
        86: version_range(0, 0, 0) # delete_share_group_state
        87: version_range(0, 1, 0) # read_share_group_state_summary
        88: version_range(0, 1, 0) # streams_group_heartbeat
        89: version_range(0, 1, 0) # streams_group_describe
        90: version_range(0, 1, 0) # describe_share_group_offsets
        91: version_range(0, 0, 0) # alter_share_group_offsets
        92: version_range(0, 0, 0) # delete_share_group_offsets
        93: version_range(0, 0, 0) # streams_group_topology_description_update
        94: version_range(0, 0, 0) # unregister_controller
        _: version_range(0, -1, 32767)
    doc: Versions of the API
instances:
  is_flexible:
    value: version.as<s4> >= versions.first_flexible
    doc: Whether lengths are varints, and structures end with tagged fields
  known_key:
    value: 'version.as<s4> >= versions.first and version.as<s4> <= versions.last ? key : -1'
    enum: key
    doc: The API, if the version is known as well
  request_header_version:
    value: '(is_flexible ? 2 : 1).as<s2>'
    doc: Version of the request's header
  response_header_version:
    value: '(is_flexible and known_key != key::api_versions ? 1 : 0).as<s2>'
    doc: |
      Version of the response's header. Clients read that of
      `kafka_api_versions_response` before they know any version
types:
  version_range:
    doc: Versions that there are. It takes no bytes
    -webide-representation: '{first:dec} to {last:dec}'
    params:
      - id: first
        type: s4
        doc: The oldest version
      - id: last
        type: s4
        doc: The latest version, -1 if the API is not known
      - id: first_flexible
        type: s4
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
