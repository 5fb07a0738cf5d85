meta:
  id: kafka_metadata_record
  title: Apache Kafka record of the cluster's metadata
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_abort_transaction_record
    - kafka_access_control_entry_record
    - kafka_begin_transaction_record
    - kafka_broker_registration_change_record
    - kafka_clear_elr_record
    - kafka_client_quota_record
    - kafka_config_record
    - kafka_delegation_token_record
    - kafka_end_transaction_record
    - kafka_feature_level_record
    - kafka_fence_broker_record
    - kafka_no_op_record
    - kafka_partition_change_record
    - kafka_partition_record
    - kafka_producer_ids_record
    - kafka_register_broker_record
    - kafka_register_controller_record
    - kafka_remove_access_control_entry_record
    - kafka_remove_delegation_token_record
    - kafka_remove_topic_record
    - kafka_remove_user_scram_credential_record
    - kafka_topic_record
    - kafka_unfence_broker_record
    - kafka_unregister_broker_record
    - kafka_unregister_controller_record
    - kafka_unsigned_varint
    - kafka_user_scram_credential_record
    - kafka_zk_migration_state_record
  endian: be
doc: |
  Value of a record in `__cluster_metadata` and its snapshots, except control
  records. Its key is null.
doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-746%3A+Revise+KRaft+Metadata+Records KIP-746
seq:
  - id: frame_version
    contents: [1]
    doc: Version of this frame
  - id: api_key
    type: kafka_unsigned_varint
    doc: Which message it is, one of `record_type`
  - id: version
    type: kafka_unsigned_varint
    doc: Version of the message's layout
  - id: message
    size-eos: true
    type:
      switch-on: api_key.value
      cases:
        0: kafka_register_broker_record(version.value.as<s2>)
        1: kafka_unregister_broker_record(version.value.as<s2>)
        2: kafka_topic_record(version.value.as<s2>)
        3: kafka_partition_record(version.value.as<s2>)
        4: kafka_config_record(version.value.as<s2>)
        5: kafka_partition_change_record(version.value.as<s2>)
        7: kafka_fence_broker_record(version.value.as<s2>)
        8: kafka_unfence_broker_record(version.value.as<s2>)
        9: kafka_remove_topic_record(version.value.as<s2>)
        10: kafka_delegation_token_record(version.value.as<s2>)
        11: kafka_user_scram_credential_record(version.value.as<s2>)
        12: kafka_feature_level_record(version.value.as<s2>)
        14: kafka_client_quota_record(version.value.as<s2>)
        15: kafka_producer_ids_record(version.value.as<s2>)
        17: kafka_broker_registration_change_record(version.value.as<s2>)
        18: kafka_access_control_entry_record(version.value.as<s2>)
        19: kafka_remove_access_control_entry_record(version.value.as<s2>)
        20: kafka_no_op_record(version.value.as<s2>)
        21: kafka_zk_migration_state_record(version.value.as<s2>)
        22: kafka_remove_user_scram_credential_record(version.value.as<s2>)
        23: kafka_begin_transaction_record(version.value.as<s2>)
        24: kafka_end_transaction_record(version.value.as<s2>)
        25: kafka_abort_transaction_record(version.value.as<s2>)
        26: kafka_remove_delegation_token_record(version.value.as<s2>)
        27: kafka_register_controller_record(version.value.as<s2>)
        28: kafka_clear_elr_record(version.value.as<s2>)
        29: kafka_unregister_controller_record(version.value.as<s2>)
    doc: The message; bytes if it is not known
enums:
  record_type:
    0:
      id: register_broker_record
      doc: A `kafka_register_broker_record`
    1:
      id: unregister_broker_record
      doc: A `kafka_unregister_broker_record`
    2:
      id: topic_record
      doc: A `kafka_topic_record`
    3:
      id: partition_record
      doc: A `kafka_partition_record`
    4:
      id: config_record
      doc: A `kafka_config_record`
    5:
      id: partition_change_record
      doc: A `kafka_partition_change_record`
    7:
      id: fence_broker_record
      doc: A `kafka_fence_broker_record`
    8:
      id: unfence_broker_record
      doc: A `kafka_unfence_broker_record`
    9:
      id: remove_topic_record
      doc: A `kafka_remove_topic_record`
    10:
      id: delegation_token_record
      doc: A `kafka_delegation_token_record`
    11:
      id: user_scram_credential_record
      doc: A `kafka_user_scram_credential_record`
    12:
      id: feature_level_record
      doc: A `kafka_feature_level_record`
    14:
      id: client_quota_record
      doc: A `kafka_client_quota_record`
    15:
      id: producer_ids_record
      doc: A `kafka_producer_ids_record`
    17:
      id: broker_registration_change_record
      doc: A `kafka_broker_registration_change_record`
    18:
      id: access_control_entry_record
      doc: A `kafka_access_control_entry_record`
    19:
      id: remove_access_control_entry_record
      doc: A `kafka_remove_access_control_entry_record`
    20:
      id: no_op_record
      doc: A `kafka_no_op_record`
    21:
      id: zk_migration_state_record
      doc: A `kafka_zk_migration_state_record`
    22:
      id: remove_user_scram_credential_record
      doc: A `kafka_remove_user_scram_credential_record`
    23:
      id: begin_transaction_record
      doc: A `kafka_begin_transaction_record`
    24:
      id: end_transaction_record
      doc: A `kafka_end_transaction_record`
    25:
      id: abort_transaction_record
      doc: A `kafka_abort_transaction_record`
    26:
      id: remove_delegation_token_record
      doc: A `kafka_remove_delegation_token_record`
    27:
      id: register_controller_record
      doc: A `kafka_register_controller_record`
    28:
      id: clear_elr_record
      doc: A `kafka_clear_elr_record`
    29:
      id: unregister_controller_record
      doc: A `kafka_unregister_controller_record`
