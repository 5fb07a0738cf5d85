# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_add_offsets_to_txn_response
from . import kafka_add_partitions_to_txn_response
from . import kafka_add_raft_voter_response
from . import kafka_allocate_producer_ids_response
from . import kafka_alter_client_quotas_response
from . import kafka_alter_configs_response
from . import kafka_alter_partition_reassignments_response
from . import kafka_alter_partition_response
from . import kafka_alter_replica_log_dirs_response
from . import kafka_alter_share_group_offsets_response
from . import kafka_alter_user_scram_credentials_response
from . import kafka_api
from . import kafka_api_versions_response
from . import kafka_assign_replicas_to_dirs_response
from . import kafka_begin_quorum_epoch_response
from . import kafka_broker_heartbeat_response
from . import kafka_broker_registration_response
from . import kafka_consumer_group_describe_response
from . import kafka_consumer_group_heartbeat_response
from . import kafka_controller_registration_response
from . import kafka_create_acls_response
from . import kafka_create_delegation_token_response
from . import kafka_create_partitions_response
from . import kafka_create_topics_response
from . import kafka_delete_acls_response
from . import kafka_delete_groups_response
from . import kafka_delete_records_response
from . import kafka_delete_share_group_offsets_response
from . import kafka_delete_share_group_state_response
from . import kafka_delete_topics_response
from . import kafka_describe_acls_response
from . import kafka_describe_client_quotas_response
from . import kafka_describe_cluster_response
from . import kafka_describe_configs_response
from . import kafka_describe_delegation_token_response
from . import kafka_describe_groups_response
from . import kafka_describe_log_dirs_response
from . import kafka_describe_producers_response
from . import kafka_describe_quorum_response
from . import kafka_describe_share_group_offsets_response
from . import kafka_describe_topic_partitions_response
from . import kafka_describe_transactions_response
from . import kafka_describe_user_scram_credentials_response
from . import kafka_elect_leaders_response
from . import kafka_end_quorum_epoch_response
from . import kafka_end_txn_response
from . import kafka_envelope_response
from . import kafka_expire_delegation_token_response
from . import kafka_fetch_response
from . import kafka_fetch_snapshot_response
from . import kafka_find_coordinator_response
from . import kafka_get_telemetry_subscriptions_response
from . import kafka_heartbeat_response
from . import kafka_incremental_alter_configs_response
from . import kafka_init_producer_id_response
from . import kafka_initialize_share_group_state_response
from . import kafka_join_group_response
from . import kafka_leave_group_response
from . import kafka_list_config_resources_response
from . import kafka_list_groups_response
from . import kafka_list_offsets_response
from . import kafka_list_partition_reassignments_response
from . import kafka_list_transactions_response
from . import kafka_metadata_response
from . import kafka_offset_commit_response
from . import kafka_offset_delete_response
from . import kafka_offset_fetch_response
from . import kafka_offset_for_leader_epoch_response
from . import kafka_produce_response
from . import kafka_push_telemetry_response
from . import kafka_read_share_group_state_response
from . import kafka_read_share_group_state_summary_response
from . import kafka_remove_raft_voter_response
from . import kafka_renew_delegation_token_response
from . import kafka_response_header
from . import kafka_sasl_authenticate_response
from . import kafka_sasl_handshake_response
from . import kafka_share_acknowledge_response
from . import kafka_share_fetch_response
from . import kafka_share_group_describe_response
from . import kafka_share_group_heartbeat_response
from . import kafka_streams_group_describe_response
from . import kafka_streams_group_heartbeat_response
from . import kafka_streams_group_topology_description_update_response
from . import kafka_sync_group_response
from . import kafka_txn_offset_commit_response
from . import kafka_unregister_broker_response
from . import kafka_unregister_controller_response
from . import kafka_update_features_response
from . import kafka_update_raft_voter_response
from . import kafka_vote_response
from . import kafka_write_share_group_state_response
from . import kafka_write_txn_markers_response


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaResponse(KaitaiStruct):
    """A response of the Kafka protocol, as a broker sends it: its size, a header,
    and a body. Only the request tells which API and version it is of;
    `kafka_exchanges` has both.
    
    .. seealso::
       Source - https://kafka.apache.org/protocol#protocol_messages
    """
    def __init__(self, api_key, api_version, _io, _parent=None, _root=None):
        super(KafkaResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.api_key = api_key
        self.api_version = api_version
        self._read()

    def _read(self):
        self.len_message = self._io.read_s4be()
        self._raw_message = self._io.read_bytes(self.len_message)
        _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
        self.message = KafkaResponse.Response(_io__raw_message, self, self._root)


    def _fetch_instances(self):
        pass
        self.message._fetch_instances()

    class Response(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaResponse.Response, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.api = kafka_api.KafkaApi(self._root.api_key, self.response_version, self._io)
            self.header = kafka_response_header.KafkaResponseHeader(self.api.response_header_version, self._io)
            _on = int(self.api.known_key)
            if _on == 0:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_produce_response.KafkaProduceResponse(self.response_version, _io__raw_body)
            elif _on == 1:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_fetch_response.KafkaFetchResponse(self.response_version, _io__raw_body)
            elif _on == 10:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_find_coordinator_response.KafkaFindCoordinatorResponse(self.response_version, _io__raw_body)
            elif _on == 11:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_join_group_response.KafkaJoinGroupResponse(self.response_version, _io__raw_body)
            elif _on == 12:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_heartbeat_response.KafkaHeartbeatResponse(self.response_version, _io__raw_body)
            elif _on == 13:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_leave_group_response.KafkaLeaveGroupResponse(self.response_version, _io__raw_body)
            elif _on == 14:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_sync_group_response.KafkaSyncGroupResponse(self.response_version, _io__raw_body)
            elif _on == 15:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_groups_response.KafkaDescribeGroupsResponse(self.response_version, _io__raw_body)
            elif _on == 16:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_list_groups_response.KafkaListGroupsResponse(self.response_version, _io__raw_body)
            elif _on == 17:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_sasl_handshake_response.KafkaSaslHandshakeResponse(self.response_version, _io__raw_body)
            elif _on == 18:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_api_versions_response.KafkaApiVersionsResponse(self.response_version, _io__raw_body)
            elif _on == 19:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_create_topics_response.KafkaCreateTopicsResponse(self.response_version, _io__raw_body)
            elif _on == 2:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_list_offsets_response.KafkaListOffsetsResponse(self.response_version, _io__raw_body)
            elif _on == 20:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_delete_topics_response.KafkaDeleteTopicsResponse(self.response_version, _io__raw_body)
            elif _on == 21:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_delete_records_response.KafkaDeleteRecordsResponse(self.response_version, _io__raw_body)
            elif _on == 22:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_init_producer_id_response.KafkaInitProducerIdResponse(self.response_version, _io__raw_body)
            elif _on == 23:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_offset_for_leader_epoch_response.KafkaOffsetForLeaderEpochResponse(self.response_version, _io__raw_body)
            elif _on == 24:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_add_partitions_to_txn_response.KafkaAddPartitionsToTxnResponse(self.response_version, _io__raw_body)
            elif _on == 25:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_add_offsets_to_txn_response.KafkaAddOffsetsToTxnResponse(self.response_version, _io__raw_body)
            elif _on == 26:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_end_txn_response.KafkaEndTxnResponse(self.response_version, _io__raw_body)
            elif _on == 27:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_write_txn_markers_response.KafkaWriteTxnMarkersResponse(self.response_version, _io__raw_body)
            elif _on == 28:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_txn_offset_commit_response.KafkaTxnOffsetCommitResponse(self.response_version, _io__raw_body)
            elif _on == 29:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_acls_response.KafkaDescribeAclsResponse(self.response_version, _io__raw_body)
            elif _on == 3:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_metadata_response.KafkaMetadataResponse(self.response_version, _io__raw_body)
            elif _on == 30:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_create_acls_response.KafkaCreateAclsResponse(self.response_version, _io__raw_body)
            elif _on == 31:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_delete_acls_response.KafkaDeleteAclsResponse(self.response_version, _io__raw_body)
            elif _on == 32:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_configs_response.KafkaDescribeConfigsResponse(self.response_version, _io__raw_body)
            elif _on == 33:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_configs_response.KafkaAlterConfigsResponse(self.response_version, _io__raw_body)
            elif _on == 34:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_replica_log_dirs_response.KafkaAlterReplicaLogDirsResponse(self.response_version, _io__raw_body)
            elif _on == 35:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_log_dirs_response.KafkaDescribeLogDirsResponse(self.response_version, _io__raw_body)
            elif _on == 36:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_sasl_authenticate_response.KafkaSaslAuthenticateResponse(self.response_version, _io__raw_body)
            elif _on == 37:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_create_partitions_response.KafkaCreatePartitionsResponse(self.response_version, _io__raw_body)
            elif _on == 38:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_create_delegation_token_response.KafkaCreateDelegationTokenResponse(self.response_version, _io__raw_body)
            elif _on == 39:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_renew_delegation_token_response.KafkaRenewDelegationTokenResponse(self.response_version, _io__raw_body)
            elif _on == 40:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_expire_delegation_token_response.KafkaExpireDelegationTokenResponse(self.response_version, _io__raw_body)
            elif _on == 41:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_delegation_token_response.KafkaDescribeDelegationTokenResponse(self.response_version, _io__raw_body)
            elif _on == 42:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_delete_groups_response.KafkaDeleteGroupsResponse(self.response_version, _io__raw_body)
            elif _on == 43:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_elect_leaders_response.KafkaElectLeadersResponse(self.response_version, _io__raw_body)
            elif _on == 44:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_incremental_alter_configs_response.KafkaIncrementalAlterConfigsResponse(self.response_version, _io__raw_body)
            elif _on == 45:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_partition_reassignments_response.KafkaAlterPartitionReassignmentsResponse(self.response_version, _io__raw_body)
            elif _on == 46:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_list_partition_reassignments_response.KafkaListPartitionReassignmentsResponse(self.response_version, _io__raw_body)
            elif _on == 47:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_offset_delete_response.KafkaOffsetDeleteResponse(self.response_version, _io__raw_body)
            elif _on == 48:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_client_quotas_response.KafkaDescribeClientQuotasResponse(self.response_version, _io__raw_body)
            elif _on == 49:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_client_quotas_response.KafkaAlterClientQuotasResponse(self.response_version, _io__raw_body)
            elif _on == 50:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_user_scram_credentials_response.KafkaDescribeUserScramCredentialsResponse(self.response_version, _io__raw_body)
            elif _on == 51:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_user_scram_credentials_response.KafkaAlterUserScramCredentialsResponse(self.response_version, _io__raw_body)
            elif _on == 52:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_vote_response.KafkaVoteResponse(self.response_version, _io__raw_body)
            elif _on == 53:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_begin_quorum_epoch_response.KafkaBeginQuorumEpochResponse(self.response_version, _io__raw_body)
            elif _on == 54:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_end_quorum_epoch_response.KafkaEndQuorumEpochResponse(self.response_version, _io__raw_body)
            elif _on == 55:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_quorum_response.KafkaDescribeQuorumResponse(self.response_version, _io__raw_body)
            elif _on == 56:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_partition_response.KafkaAlterPartitionResponse(self.response_version, _io__raw_body)
            elif _on == 57:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_update_features_response.KafkaUpdateFeaturesResponse(self.response_version, _io__raw_body)
            elif _on == 58:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_envelope_response.KafkaEnvelopeResponse(self.response_version, _io__raw_body)
            elif _on == 59:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_fetch_snapshot_response.KafkaFetchSnapshotResponse(self.response_version, _io__raw_body)
            elif _on == 60:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_cluster_response.KafkaDescribeClusterResponse(self.response_version, _io__raw_body)
            elif _on == 61:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_producers_response.KafkaDescribeProducersResponse(self.response_version, _io__raw_body)
            elif _on == 62:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_broker_registration_response.KafkaBrokerRegistrationResponse(self.response_version, _io__raw_body)
            elif _on == 63:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_broker_heartbeat_response.KafkaBrokerHeartbeatResponse(self.response_version, _io__raw_body)
            elif _on == 64:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_unregister_broker_response.KafkaUnregisterBrokerResponse(self.response_version, _io__raw_body)
            elif _on == 65:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_transactions_response.KafkaDescribeTransactionsResponse(self.response_version, _io__raw_body)
            elif _on == 66:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_list_transactions_response.KafkaListTransactionsResponse(self.response_version, _io__raw_body)
            elif _on == 67:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_allocate_producer_ids_response.KafkaAllocateProducerIdsResponse(self.response_version, _io__raw_body)
            elif _on == 68:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_consumer_group_heartbeat_response.KafkaConsumerGroupHeartbeatResponse(self.response_version, _io__raw_body)
            elif _on == 69:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_consumer_group_describe_response.KafkaConsumerGroupDescribeResponse(self.response_version, _io__raw_body)
            elif _on == 70:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_controller_registration_response.KafkaControllerRegistrationResponse(self.response_version, _io__raw_body)
            elif _on == 71:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_get_telemetry_subscriptions_response.KafkaGetTelemetrySubscriptionsResponse(self.response_version, _io__raw_body)
            elif _on == 72:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_push_telemetry_response.KafkaPushTelemetryResponse(self.response_version, _io__raw_body)
            elif _on == 73:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_assign_replicas_to_dirs_response.KafkaAssignReplicasToDirsResponse(self.response_version, _io__raw_body)
            elif _on == 74:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_list_config_resources_response.KafkaListConfigResourcesResponse(self.response_version, _io__raw_body)
            elif _on == 75:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_topic_partitions_response.KafkaDescribeTopicPartitionsResponse(self.response_version, _io__raw_body)
            elif _on == 76:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_share_group_heartbeat_response.KafkaShareGroupHeartbeatResponse(self.response_version, _io__raw_body)
            elif _on == 77:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_share_group_describe_response.KafkaShareGroupDescribeResponse(self.response_version, _io__raw_body)
            elif _on == 78:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_share_fetch_response.KafkaShareFetchResponse(self.response_version, _io__raw_body)
            elif _on == 79:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_share_acknowledge_response.KafkaShareAcknowledgeResponse(self.response_version, _io__raw_body)
            elif _on == 8:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_offset_commit_response.KafkaOffsetCommitResponse(self.response_version, _io__raw_body)
            elif _on == 80:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_add_raft_voter_response.KafkaAddRaftVoterResponse(self.response_version, _io__raw_body)
            elif _on == 81:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_remove_raft_voter_response.KafkaRemoveRaftVoterResponse(self.response_version, _io__raw_body)
            elif _on == 82:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_update_raft_voter_response.KafkaUpdateRaftVoterResponse(self.response_version, _io__raw_body)
            elif _on == 83:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_initialize_share_group_state_response.KafkaInitializeShareGroupStateResponse(self.response_version, _io__raw_body)
            elif _on == 84:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_read_share_group_state_response.KafkaReadShareGroupStateResponse(self.response_version, _io__raw_body)
            elif _on == 85:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_write_share_group_state_response.KafkaWriteShareGroupStateResponse(self.response_version, _io__raw_body)
            elif _on == 86:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_delete_share_group_state_response.KafkaDeleteShareGroupStateResponse(self.response_version, _io__raw_body)
            elif _on == 87:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_read_share_group_state_summary_response.KafkaReadShareGroupStateSummaryResponse(self.response_version, _io__raw_body)
            elif _on == 88:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_streams_group_heartbeat_response.KafkaStreamsGroupHeartbeatResponse(self.response_version, _io__raw_body)
            elif _on == 89:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_streams_group_describe_response.KafkaStreamsGroupDescribeResponse(self.response_version, _io__raw_body)
            elif _on == 9:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_offset_fetch_response.KafkaOffsetFetchResponse(self.response_version, _io__raw_body)
            elif _on == 90:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_share_group_offsets_response.KafkaDescribeShareGroupOffsetsResponse(self.response_version, _io__raw_body)
            elif _on == 91:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_share_group_offsets_response.KafkaAlterShareGroupOffsetsResponse(self.response_version, _io__raw_body)
            elif _on == 92:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_delete_share_group_offsets_response.KafkaDeleteShareGroupOffsetsResponse(self.response_version, _io__raw_body)
            elif _on == 93:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_streams_group_topology_description_update_response.KafkaStreamsGroupTopologyDescriptionUpdateResponse(self.response_version, _io__raw_body)
            elif _on == 94:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_unregister_controller_response.KafkaUnregisterControllerResponse(self.response_version, _io__raw_body)
            else:
                pass
                self.body = self._io.read_bytes_full()


        def _fetch_instances(self):
            pass
            self.api._fetch_instances()
            self.header._fetch_instances()
            _on = int(self.api.known_key)
            if _on == 0:
                pass
                self.body._fetch_instances()
            elif _on == 1:
                pass
                self.body._fetch_instances()
            elif _on == 10:
                pass
                self.body._fetch_instances()
            elif _on == 11:
                pass
                self.body._fetch_instances()
            elif _on == 12:
                pass
                self.body._fetch_instances()
            elif _on == 13:
                pass
                self.body._fetch_instances()
            elif _on == 14:
                pass
                self.body._fetch_instances()
            elif _on == 15:
                pass
                self.body._fetch_instances()
            elif _on == 16:
                pass
                self.body._fetch_instances()
            elif _on == 17:
                pass
                self.body._fetch_instances()
            elif _on == 18:
                pass
                self.body._fetch_instances()
            elif _on == 19:
                pass
                self.body._fetch_instances()
            elif _on == 2:
                pass
                self.body._fetch_instances()
            elif _on == 20:
                pass
                self.body._fetch_instances()
            elif _on == 21:
                pass
                self.body._fetch_instances()
            elif _on == 22:
                pass
                self.body._fetch_instances()
            elif _on == 23:
                pass
                self.body._fetch_instances()
            elif _on == 24:
                pass
                self.body._fetch_instances()
            elif _on == 25:
                pass
                self.body._fetch_instances()
            elif _on == 26:
                pass
                self.body._fetch_instances()
            elif _on == 27:
                pass
                self.body._fetch_instances()
            elif _on == 28:
                pass
                self.body._fetch_instances()
            elif _on == 29:
                pass
                self.body._fetch_instances()
            elif _on == 3:
                pass
                self.body._fetch_instances()
            elif _on == 30:
                pass
                self.body._fetch_instances()
            elif _on == 31:
                pass
                self.body._fetch_instances()
            elif _on == 32:
                pass
                self.body._fetch_instances()
            elif _on == 33:
                pass
                self.body._fetch_instances()
            elif _on == 34:
                pass
                self.body._fetch_instances()
            elif _on == 35:
                pass
                self.body._fetch_instances()
            elif _on == 36:
                pass
                self.body._fetch_instances()
            elif _on == 37:
                pass
                self.body._fetch_instances()
            elif _on == 38:
                pass
                self.body._fetch_instances()
            elif _on == 39:
                pass
                self.body._fetch_instances()
            elif _on == 40:
                pass
                self.body._fetch_instances()
            elif _on == 41:
                pass
                self.body._fetch_instances()
            elif _on == 42:
                pass
                self.body._fetch_instances()
            elif _on == 43:
                pass
                self.body._fetch_instances()
            elif _on == 44:
                pass
                self.body._fetch_instances()
            elif _on == 45:
                pass
                self.body._fetch_instances()
            elif _on == 46:
                pass
                self.body._fetch_instances()
            elif _on == 47:
                pass
                self.body._fetch_instances()
            elif _on == 48:
                pass
                self.body._fetch_instances()
            elif _on == 49:
                pass
                self.body._fetch_instances()
            elif _on == 50:
                pass
                self.body._fetch_instances()
            elif _on == 51:
                pass
                self.body._fetch_instances()
            elif _on == 52:
                pass
                self.body._fetch_instances()
            elif _on == 53:
                pass
                self.body._fetch_instances()
            elif _on == 54:
                pass
                self.body._fetch_instances()
            elif _on == 55:
                pass
                self.body._fetch_instances()
            elif _on == 56:
                pass
                self.body._fetch_instances()
            elif _on == 57:
                pass
                self.body._fetch_instances()
            elif _on == 58:
                pass
                self.body._fetch_instances()
            elif _on == 59:
                pass
                self.body._fetch_instances()
            elif _on == 60:
                pass
                self.body._fetch_instances()
            elif _on == 61:
                pass
                self.body._fetch_instances()
            elif _on == 62:
                pass
                self.body._fetch_instances()
            elif _on == 63:
                pass
                self.body._fetch_instances()
            elif _on == 64:
                pass
                self.body._fetch_instances()
            elif _on == 65:
                pass
                self.body._fetch_instances()
            elif _on == 66:
                pass
                self.body._fetch_instances()
            elif _on == 67:
                pass
                self.body._fetch_instances()
            elif _on == 68:
                pass
                self.body._fetch_instances()
            elif _on == 69:
                pass
                self.body._fetch_instances()
            elif _on == 70:
                pass
                self.body._fetch_instances()
            elif _on == 71:
                pass
                self.body._fetch_instances()
            elif _on == 72:
                pass
                self.body._fetch_instances()
            elif _on == 73:
                pass
                self.body._fetch_instances()
            elif _on == 74:
                pass
                self.body._fetch_instances()
            elif _on == 75:
                pass
                self.body._fetch_instances()
            elif _on == 76:
                pass
                self.body._fetch_instances()
            elif _on == 77:
                pass
                self.body._fetch_instances()
            elif _on == 78:
                pass
                self.body._fetch_instances()
            elif _on == 79:
                pass
                self.body._fetch_instances()
            elif _on == 8:
                pass
                self.body._fetch_instances()
            elif _on == 80:
                pass
                self.body._fetch_instances()
            elif _on == 81:
                pass
                self.body._fetch_instances()
            elif _on == 82:
                pass
                self.body._fetch_instances()
            elif _on == 83:
                pass
                self.body._fetch_instances()
            elif _on == 84:
                pass
                self.body._fetch_instances()
            elif _on == 85:
                pass
                self.body._fetch_instances()
            elif _on == 86:
                pass
                self.body._fetch_instances()
            elif _on == 87:
                pass
                self.body._fetch_instances()
            elif _on == 88:
                pass
                self.body._fetch_instances()
            elif _on == 89:
                pass
                self.body._fetch_instances()
            elif _on == 9:
                pass
                self.body._fetch_instances()
            elif _on == 90:
                pass
                self.body._fetch_instances()
            elif _on == 91:
                pass
                self.body._fetch_instances()
            elif _on == 92:
                pass
                self.body._fetch_instances()
            elif _on == 93:
                pass
                self.body._fetch_instances()
            elif _on == 94:
                pass
                self.body._fetch_instances()
            else:
                pass

        @property
        def response_version(self):
            """A broker answers a request for API versions that is too new in version
            0
            """
            if hasattr(self, '_m_response_version'):
                return self._m_response_version

            self._m_response_version = (0 if  ((self._root.api_key == 18) and (self._root.api_version > 5))  else self._root.api_version)
            return getattr(self, '_m_response_version', None)



