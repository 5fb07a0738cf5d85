# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_add_offsets_to_txn_request
from . import kafka_add_partitions_to_txn_request
from . import kafka_add_raft_voter_request
from . import kafka_allocate_producer_ids_request
from . import kafka_alter_client_quotas_request
from . import kafka_alter_configs_request
from . import kafka_alter_partition_reassignments_request
from . import kafka_alter_partition_request
from . import kafka_alter_replica_log_dirs_request
from . import kafka_alter_share_group_offsets_request
from . import kafka_alter_user_scram_credentials_request
from . import kafka_api
from . import kafka_api_versions_request
from . import kafka_assign_replicas_to_dirs_request
from . import kafka_begin_quorum_epoch_request
from . import kafka_broker_heartbeat_request
from . import kafka_broker_registration_request
from . import kafka_consumer_group_describe_request
from . import kafka_consumer_group_heartbeat_request
from . import kafka_controller_registration_request
from . import kafka_create_acls_request
from . import kafka_create_delegation_token_request
from . import kafka_create_partitions_request
from . import kafka_create_topics_request
from . import kafka_delete_acls_request
from . import kafka_delete_groups_request
from . import kafka_delete_records_request
from . import kafka_delete_share_group_offsets_request
from . import kafka_delete_share_group_state_request
from . import kafka_delete_topics_request
from . import kafka_describe_acls_request
from . import kafka_describe_client_quotas_request
from . import kafka_describe_cluster_request
from . import kafka_describe_configs_request
from . import kafka_describe_delegation_token_request
from . import kafka_describe_groups_request
from . import kafka_describe_log_dirs_request
from . import kafka_describe_producers_request
from . import kafka_describe_quorum_request
from . import kafka_describe_share_group_offsets_request
from . import kafka_describe_topic_partitions_request
from . import kafka_describe_transactions_request
from . import kafka_describe_user_scram_credentials_request
from . import kafka_elect_leaders_request
from . import kafka_end_quorum_epoch_request
from . import kafka_end_txn_request
from . import kafka_envelope_request
from . import kafka_expire_delegation_token_request
from . import kafka_fetch_request
from . import kafka_fetch_snapshot_request
from . import kafka_find_coordinator_request
from . import kafka_get_telemetry_subscriptions_request
from . import kafka_heartbeat_request
from . import kafka_incremental_alter_configs_request
from . import kafka_init_producer_id_request
from . import kafka_initialize_share_group_state_request
from . import kafka_join_group_request
from . import kafka_leave_group_request
from . import kafka_list_config_resources_request
from . import kafka_list_groups_request
from . import kafka_list_offsets_request
from . import kafka_list_partition_reassignments_request
from . import kafka_list_transactions_request
from . import kafka_metadata_request
from . import kafka_offset_commit_request
from . import kafka_offset_delete_request
from . import kafka_offset_fetch_request
from . import kafka_offset_for_leader_epoch_request
from . import kafka_produce_request
from . import kafka_push_telemetry_request
from . import kafka_read_share_group_state_request
from . import kafka_read_share_group_state_summary_request
from . import kafka_remove_raft_voter_request
from . import kafka_renew_delegation_token_request
from . import kafka_request_header
from . import kafka_sasl_authenticate_request
from . import kafka_sasl_handshake_request
from . import kafka_share_acknowledge_request
from . import kafka_share_fetch_request
from . import kafka_share_group_describe_request
from . import kafka_share_group_heartbeat_request
from . import kafka_streams_group_describe_request
from . import kafka_streams_group_heartbeat_request
from . import kafka_streams_group_topology_description_update_request
from . import kafka_sync_group_request
from . import kafka_txn_offset_commit_request
from . import kafka_unregister_broker_request
from . import kafka_unregister_controller_request
from . import kafka_update_features_request
from . import kafka_update_raft_voter_request
from . import kafka_vote_request
from . import kafka_write_share_group_state_request
from . import kafka_write_txn_markers_request


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaRequest(KaitaiStruct):
    """A request of the Kafka protocol, as a client sends it: its size, a header, and
    a body that depends on the API and version in the header.
    
    .. seealso::
       Source - https://kafka.apache.org/protocol#protocol_messages
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.len_message = self._io.read_s4be()
        self._raw_message = self._io.read_bytes(self.len_message)
        _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
        self.message = KafkaRequest.Request(_io__raw_message, self, self._root)


    def _fetch_instances(self):
        pass
        self.message._fetch_instances()

    class Request(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRequest.Request, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.api = kafka_api.KafkaApi(self.api_key, self.api_version, self._io)
            self.header = kafka_request_header.KafkaRequestHeader(self.api.request_header_version, self._io)
            _on = int(self.api.known_key)
            if _on == 0:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_produce_request.KafkaProduceRequest(self.api_version, _io__raw_body)
            elif _on == 1:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_fetch_request.KafkaFetchRequest(self.api_version, _io__raw_body)
            elif _on == 10:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_find_coordinator_request.KafkaFindCoordinatorRequest(self.api_version, _io__raw_body)
            elif _on == 11:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_join_group_request.KafkaJoinGroupRequest(self.api_version, _io__raw_body)
            elif _on == 12:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_heartbeat_request.KafkaHeartbeatRequest(self.api_version, _io__raw_body)
            elif _on == 13:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_leave_group_request.KafkaLeaveGroupRequest(self.api_version, _io__raw_body)
            elif _on == 14:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_sync_group_request.KafkaSyncGroupRequest(self.api_version, _io__raw_body)
            elif _on == 15:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_groups_request.KafkaDescribeGroupsRequest(self.api_version, _io__raw_body)
            elif _on == 16:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_list_groups_request.KafkaListGroupsRequest(self.api_version, _io__raw_body)
            elif _on == 17:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_sasl_handshake_request.KafkaSaslHandshakeRequest(self.api_version, _io__raw_body)
            elif _on == 18:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_api_versions_request.KafkaApiVersionsRequest(self.api_version, _io__raw_body)
            elif _on == 19:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_create_topics_request.KafkaCreateTopicsRequest(self.api_version, _io__raw_body)
            elif _on == 2:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_list_offsets_request.KafkaListOffsetsRequest(self.api_version, _io__raw_body)
            elif _on == 20:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_delete_topics_request.KafkaDeleteTopicsRequest(self.api_version, _io__raw_body)
            elif _on == 21:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_delete_records_request.KafkaDeleteRecordsRequest(self.api_version, _io__raw_body)
            elif _on == 22:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_init_producer_id_request.KafkaInitProducerIdRequest(self.api_version, _io__raw_body)
            elif _on == 23:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_offset_for_leader_epoch_request.KafkaOffsetForLeaderEpochRequest(self.api_version, _io__raw_body)
            elif _on == 24:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_add_partitions_to_txn_request.KafkaAddPartitionsToTxnRequest(self.api_version, _io__raw_body)
            elif _on == 25:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_add_offsets_to_txn_request.KafkaAddOffsetsToTxnRequest(self.api_version, _io__raw_body)
            elif _on == 26:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_end_txn_request.KafkaEndTxnRequest(self.api_version, _io__raw_body)
            elif _on == 27:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_write_txn_markers_request.KafkaWriteTxnMarkersRequest(self.api_version, _io__raw_body)
            elif _on == 28:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_txn_offset_commit_request.KafkaTxnOffsetCommitRequest(self.api_version, _io__raw_body)
            elif _on == 29:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_acls_request.KafkaDescribeAclsRequest(self.api_version, _io__raw_body)
            elif _on == 3:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_metadata_request.KafkaMetadataRequest(self.api_version, _io__raw_body)
            elif _on == 30:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_create_acls_request.KafkaCreateAclsRequest(self.api_version, _io__raw_body)
            elif _on == 31:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_delete_acls_request.KafkaDeleteAclsRequest(self.api_version, _io__raw_body)
            elif _on == 32:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_configs_request.KafkaDescribeConfigsRequest(self.api_version, _io__raw_body)
            elif _on == 33:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_configs_request.KafkaAlterConfigsRequest(self.api_version, _io__raw_body)
            elif _on == 34:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_replica_log_dirs_request.KafkaAlterReplicaLogDirsRequest(self.api_version, _io__raw_body)
            elif _on == 35:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_log_dirs_request.KafkaDescribeLogDirsRequest(self.api_version, _io__raw_body)
            elif _on == 36:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_sasl_authenticate_request.KafkaSaslAuthenticateRequest(self.api_version, _io__raw_body)
            elif _on == 37:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_create_partitions_request.KafkaCreatePartitionsRequest(self.api_version, _io__raw_body)
            elif _on == 38:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_create_delegation_token_request.KafkaCreateDelegationTokenRequest(self.api_version, _io__raw_body)
            elif _on == 39:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_renew_delegation_token_request.KafkaRenewDelegationTokenRequest(self.api_version, _io__raw_body)
            elif _on == 40:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_expire_delegation_token_request.KafkaExpireDelegationTokenRequest(self.api_version, _io__raw_body)
            elif _on == 41:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_delegation_token_request.KafkaDescribeDelegationTokenRequest(self.api_version, _io__raw_body)
            elif _on == 42:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_delete_groups_request.KafkaDeleteGroupsRequest(self.api_version, _io__raw_body)
            elif _on == 43:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_elect_leaders_request.KafkaElectLeadersRequest(self.api_version, _io__raw_body)
            elif _on == 44:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_incremental_alter_configs_request.KafkaIncrementalAlterConfigsRequest(self.api_version, _io__raw_body)
            elif _on == 45:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_partition_reassignments_request.KafkaAlterPartitionReassignmentsRequest(self.api_version, _io__raw_body)
            elif _on == 46:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_list_partition_reassignments_request.KafkaListPartitionReassignmentsRequest(self.api_version, _io__raw_body)
            elif _on == 47:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_offset_delete_request.KafkaOffsetDeleteRequest(self.api_version, _io__raw_body)
            elif _on == 48:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_client_quotas_request.KafkaDescribeClientQuotasRequest(self.api_version, _io__raw_body)
            elif _on == 49:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_client_quotas_request.KafkaAlterClientQuotasRequest(self.api_version, _io__raw_body)
            elif _on == 50:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_user_scram_credentials_request.KafkaDescribeUserScramCredentialsRequest(self.api_version, _io__raw_body)
            elif _on == 51:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_user_scram_credentials_request.KafkaAlterUserScramCredentialsRequest(self.api_version, _io__raw_body)
            elif _on == 52:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_vote_request.KafkaVoteRequest(self.api_version, _io__raw_body)
            elif _on == 53:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_begin_quorum_epoch_request.KafkaBeginQuorumEpochRequest(self.api_version, _io__raw_body)
            elif _on == 54:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_end_quorum_epoch_request.KafkaEndQuorumEpochRequest(self.api_version, _io__raw_body)
            elif _on == 55:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_quorum_request.KafkaDescribeQuorumRequest(self.api_version, _io__raw_body)
            elif _on == 56:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_partition_request.KafkaAlterPartitionRequest(self.api_version, _io__raw_body)
            elif _on == 57:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_update_features_request.KafkaUpdateFeaturesRequest(self.api_version, _io__raw_body)
            elif _on == 58:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_envelope_request.KafkaEnvelopeRequest(self.api_version, _io__raw_body)
            elif _on == 59:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_fetch_snapshot_request.KafkaFetchSnapshotRequest(self.api_version, _io__raw_body)
            elif _on == 60:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_cluster_request.KafkaDescribeClusterRequest(self.api_version, _io__raw_body)
            elif _on == 61:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_producers_request.KafkaDescribeProducersRequest(self.api_version, _io__raw_body)
            elif _on == 62:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_broker_registration_request.KafkaBrokerRegistrationRequest(self.api_version, _io__raw_body)
            elif _on == 63:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_broker_heartbeat_request.KafkaBrokerHeartbeatRequest(self.api_version, _io__raw_body)
            elif _on == 64:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_unregister_broker_request.KafkaUnregisterBrokerRequest(self.api_version, _io__raw_body)
            elif _on == 65:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_transactions_request.KafkaDescribeTransactionsRequest(self.api_version, _io__raw_body)
            elif _on == 66:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_list_transactions_request.KafkaListTransactionsRequest(self.api_version, _io__raw_body)
            elif _on == 67:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_allocate_producer_ids_request.KafkaAllocateProducerIdsRequest(self.api_version, _io__raw_body)
            elif _on == 68:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_consumer_group_heartbeat_request.KafkaConsumerGroupHeartbeatRequest(self.api_version, _io__raw_body)
            elif _on == 69:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_consumer_group_describe_request.KafkaConsumerGroupDescribeRequest(self.api_version, _io__raw_body)
            elif _on == 70:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_controller_registration_request.KafkaControllerRegistrationRequest(self.api_version, _io__raw_body)
            elif _on == 71:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_get_telemetry_subscriptions_request.KafkaGetTelemetrySubscriptionsRequest(self.api_version, _io__raw_body)
            elif _on == 72:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_push_telemetry_request.KafkaPushTelemetryRequest(self.api_version, _io__raw_body)
            elif _on == 73:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_assign_replicas_to_dirs_request.KafkaAssignReplicasToDirsRequest(self.api_version, _io__raw_body)
            elif _on == 74:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_list_config_resources_request.KafkaListConfigResourcesRequest(self.api_version, _io__raw_body)
            elif _on == 75:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_topic_partitions_request.KafkaDescribeTopicPartitionsRequest(self.api_version, _io__raw_body)
            elif _on == 76:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_share_group_heartbeat_request.KafkaShareGroupHeartbeatRequest(self.api_version, _io__raw_body)
            elif _on == 77:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_share_group_describe_request.KafkaShareGroupDescribeRequest(self.api_version, _io__raw_body)
            elif _on == 78:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_share_fetch_request.KafkaShareFetchRequest(self.api_version, _io__raw_body)
            elif _on == 79:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_share_acknowledge_request.KafkaShareAcknowledgeRequest(self.api_version, _io__raw_body)
            elif _on == 8:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_offset_commit_request.KafkaOffsetCommitRequest(self.api_version, _io__raw_body)
            elif _on == 80:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_add_raft_voter_request.KafkaAddRaftVoterRequest(self.api_version, _io__raw_body)
            elif _on == 81:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_remove_raft_voter_request.KafkaRemoveRaftVoterRequest(self.api_version, _io__raw_body)
            elif _on == 82:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_update_raft_voter_request.KafkaUpdateRaftVoterRequest(self.api_version, _io__raw_body)
            elif _on == 83:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_initialize_share_group_state_request.KafkaInitializeShareGroupStateRequest(self.api_version, _io__raw_body)
            elif _on == 84:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_read_share_group_state_request.KafkaReadShareGroupStateRequest(self.api_version, _io__raw_body)
            elif _on == 85:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_write_share_group_state_request.KafkaWriteShareGroupStateRequest(self.api_version, _io__raw_body)
            elif _on == 86:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_delete_share_group_state_request.KafkaDeleteShareGroupStateRequest(self.api_version, _io__raw_body)
            elif _on == 87:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_read_share_group_state_summary_request.KafkaReadShareGroupStateSummaryRequest(self.api_version, _io__raw_body)
            elif _on == 88:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_streams_group_heartbeat_request.KafkaStreamsGroupHeartbeatRequest(self.api_version, _io__raw_body)
            elif _on == 89:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_streams_group_describe_request.KafkaStreamsGroupDescribeRequest(self.api_version, _io__raw_body)
            elif _on == 9:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_offset_fetch_request.KafkaOffsetFetchRequest(self.api_version, _io__raw_body)
            elif _on == 90:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_share_group_offsets_request.KafkaDescribeShareGroupOffsetsRequest(self.api_version, _io__raw_body)
            elif _on == 91:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_share_group_offsets_request.KafkaAlterShareGroupOffsetsRequest(self.api_version, _io__raw_body)
            elif _on == 92:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_delete_share_group_offsets_request.KafkaDeleteShareGroupOffsetsRequest(self.api_version, _io__raw_body)
            elif _on == 93:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_streams_group_topology_description_update_request.KafkaStreamsGroupTopologyDescriptionUpdateRequest(self.api_version, _io__raw_body)
            elif _on == 94:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_unregister_controller_request.KafkaUnregisterControllerRequest(self.api_version, _io__raw_body)
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
            _ = self.api_key
            if hasattr(self, '_m_api_key'):
                pass

            _ = self.api_version
            if hasattr(self, '_m_api_version'):
                pass


        @property
        def api_key(self):
            """Number of the API."""
            if hasattr(self, '_m_api_key'):
                return self._m_api_key

            _pos = self._io.pos()
            self._io.seek(0)
            self._m_api_key = self._io.read_s2be()
            self._io.seek(_pos)
            return getattr(self, '_m_api_key', None)

        @property
        def api_version(self):
            """Version of the request and its response."""
            if hasattr(self, '_m_api_version'):
                return self._m_api_version

            _pos = self._io.pos()
            self._io.seek(2)
            self._m_api_version = self._io.read_s2be()
            self._io.seek(_pos)
            return getattr(self, '_m_api_version', None)



