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
            _on = self.api.known_key
            if _on == kafka_api.KafkaApi.Key.add_offsets_to_txn:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_add_offsets_to_txn_response.KafkaAddOffsetsToTxnResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.add_partitions_to_txn:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_add_partitions_to_txn_response.KafkaAddPartitionsToTxnResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.add_raft_voter:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_add_raft_voter_response.KafkaAddRaftVoterResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.allocate_producer_ids:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_allocate_producer_ids_response.KafkaAllocateProducerIdsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.alter_client_quotas:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_client_quotas_response.KafkaAlterClientQuotasResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.alter_configs:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_configs_response.KafkaAlterConfigsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.alter_partition:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_partition_response.KafkaAlterPartitionResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.alter_partition_reassignments:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_partition_reassignments_response.KafkaAlterPartitionReassignmentsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.alter_replica_log_dirs:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_replica_log_dirs_response.KafkaAlterReplicaLogDirsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.alter_share_group_offsets:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_share_group_offsets_response.KafkaAlterShareGroupOffsetsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.alter_user_scram_credentials:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_alter_user_scram_credentials_response.KafkaAlterUserScramCredentialsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.api_versions:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_api_versions_response.KafkaApiVersionsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.assign_replicas_to_dirs:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_assign_replicas_to_dirs_response.KafkaAssignReplicasToDirsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.begin_quorum_epoch:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_begin_quorum_epoch_response.KafkaBeginQuorumEpochResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.broker_heartbeat:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_broker_heartbeat_response.KafkaBrokerHeartbeatResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.broker_registration:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_broker_registration_response.KafkaBrokerRegistrationResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.consumer_group_describe:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_consumer_group_describe_response.KafkaConsumerGroupDescribeResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.consumer_group_heartbeat:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_consumer_group_heartbeat_response.KafkaConsumerGroupHeartbeatResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.controller_registration:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_controller_registration_response.KafkaControllerRegistrationResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.create_acls:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_create_acls_response.KafkaCreateAclsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.create_delegation_token:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_create_delegation_token_response.KafkaCreateDelegationTokenResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.create_partitions:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_create_partitions_response.KafkaCreatePartitionsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.create_topics:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_create_topics_response.KafkaCreateTopicsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.delete_acls:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_delete_acls_response.KafkaDeleteAclsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.delete_groups:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_delete_groups_response.KafkaDeleteGroupsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.delete_records:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_delete_records_response.KafkaDeleteRecordsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.delete_share_group_offsets:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_delete_share_group_offsets_response.KafkaDeleteShareGroupOffsetsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.delete_share_group_state:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_delete_share_group_state_response.KafkaDeleteShareGroupStateResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.delete_topics:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_delete_topics_response.KafkaDeleteTopicsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.describe_acls:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_acls_response.KafkaDescribeAclsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.describe_client_quotas:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_client_quotas_response.KafkaDescribeClientQuotasResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.describe_cluster:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_cluster_response.KafkaDescribeClusterResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.describe_configs:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_configs_response.KafkaDescribeConfigsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.describe_delegation_token:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_delegation_token_response.KafkaDescribeDelegationTokenResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.describe_groups:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_groups_response.KafkaDescribeGroupsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.describe_log_dirs:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_log_dirs_response.KafkaDescribeLogDirsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.describe_producers:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_producers_response.KafkaDescribeProducersResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.describe_quorum:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_quorum_response.KafkaDescribeQuorumResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.describe_share_group_offsets:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_share_group_offsets_response.KafkaDescribeShareGroupOffsetsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.describe_topic_partitions:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_topic_partitions_response.KafkaDescribeTopicPartitionsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.describe_transactions:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_transactions_response.KafkaDescribeTransactionsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.describe_user_scram_credentials:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_describe_user_scram_credentials_response.KafkaDescribeUserScramCredentialsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.elect_leaders:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_elect_leaders_response.KafkaElectLeadersResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.end_quorum_epoch:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_end_quorum_epoch_response.KafkaEndQuorumEpochResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.end_txn:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_end_txn_response.KafkaEndTxnResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.envelope:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_envelope_response.KafkaEnvelopeResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.expire_delegation_token:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_expire_delegation_token_response.KafkaExpireDelegationTokenResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.fetch:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_fetch_response.KafkaFetchResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.fetch_snapshot:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_fetch_snapshot_response.KafkaFetchSnapshotResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.find_coordinator:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_find_coordinator_response.KafkaFindCoordinatorResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.get_telemetry_subscriptions:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_get_telemetry_subscriptions_response.KafkaGetTelemetrySubscriptionsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.heartbeat:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_heartbeat_response.KafkaHeartbeatResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.incremental_alter_configs:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_incremental_alter_configs_response.KafkaIncrementalAlterConfigsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.init_producer_id:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_init_producer_id_response.KafkaInitProducerIdResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.initialize_share_group_state:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_initialize_share_group_state_response.KafkaInitializeShareGroupStateResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.join_group:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_join_group_response.KafkaJoinGroupResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.leave_group:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_leave_group_response.KafkaLeaveGroupResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.list_config_resources:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_list_config_resources_response.KafkaListConfigResourcesResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.list_groups:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_list_groups_response.KafkaListGroupsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.list_offsets:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_list_offsets_response.KafkaListOffsetsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.list_partition_reassignments:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_list_partition_reassignments_response.KafkaListPartitionReassignmentsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.list_transactions:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_list_transactions_response.KafkaListTransactionsResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.metadata:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_metadata_response.KafkaMetadataResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.offset_commit:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_offset_commit_response.KafkaOffsetCommitResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.offset_delete:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_offset_delete_response.KafkaOffsetDeleteResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.offset_fetch:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_offset_fetch_response.KafkaOffsetFetchResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.offset_for_leader_epoch:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_offset_for_leader_epoch_response.KafkaOffsetForLeaderEpochResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.produce:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_produce_response.KafkaProduceResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.push_telemetry:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_push_telemetry_response.KafkaPushTelemetryResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.read_share_group_state:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_read_share_group_state_response.KafkaReadShareGroupStateResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.read_share_group_state_summary:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_read_share_group_state_summary_response.KafkaReadShareGroupStateSummaryResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.remove_raft_voter:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_remove_raft_voter_response.KafkaRemoveRaftVoterResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.renew_delegation_token:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_renew_delegation_token_response.KafkaRenewDelegationTokenResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.sasl_authenticate:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_sasl_authenticate_response.KafkaSaslAuthenticateResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.sasl_handshake:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_sasl_handshake_response.KafkaSaslHandshakeResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.share_acknowledge:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_share_acknowledge_response.KafkaShareAcknowledgeResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.share_fetch:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_share_fetch_response.KafkaShareFetchResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.share_group_describe:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_share_group_describe_response.KafkaShareGroupDescribeResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.share_group_heartbeat:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_share_group_heartbeat_response.KafkaShareGroupHeartbeatResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.streams_group_describe:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_streams_group_describe_response.KafkaStreamsGroupDescribeResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.streams_group_heartbeat:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_streams_group_heartbeat_response.KafkaStreamsGroupHeartbeatResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.streams_group_topology_description_update:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_streams_group_topology_description_update_response.KafkaStreamsGroupTopologyDescriptionUpdateResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.sync_group:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_sync_group_response.KafkaSyncGroupResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.txn_offset_commit:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_txn_offset_commit_response.KafkaTxnOffsetCommitResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.unregister_broker:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_unregister_broker_response.KafkaUnregisterBrokerResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.unregister_controller:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_unregister_controller_response.KafkaUnregisterControllerResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.update_features:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_update_features_response.KafkaUpdateFeaturesResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.update_raft_voter:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_update_raft_voter_response.KafkaUpdateRaftVoterResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.vote:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_vote_response.KafkaVoteResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.write_share_group_state:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_write_share_group_state_response.KafkaWriteShareGroupStateResponse(self.response_version, _io__raw_body)
            elif _on == kafka_api.KafkaApi.Key.write_txn_markers:
                pass
                self._raw_body = self._io.read_bytes_full()
                _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                self.body = kafka_write_txn_markers_response.KafkaWriteTxnMarkersResponse(self.response_version, _io__raw_body)
            else:
                pass
                self.body = self._io.read_bytes_full()


        def _fetch_instances(self):
            pass
            self.api._fetch_instances()
            self.header._fetch_instances()
            _on = self.api.known_key
            if _on == kafka_api.KafkaApi.Key.add_offsets_to_txn:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.add_partitions_to_txn:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.add_raft_voter:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.allocate_producer_ids:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.alter_client_quotas:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.alter_configs:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.alter_partition:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.alter_partition_reassignments:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.alter_replica_log_dirs:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.alter_share_group_offsets:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.alter_user_scram_credentials:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.api_versions:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.assign_replicas_to_dirs:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.begin_quorum_epoch:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.broker_heartbeat:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.broker_registration:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.consumer_group_describe:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.consumer_group_heartbeat:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.controller_registration:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.create_acls:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.create_delegation_token:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.create_partitions:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.create_topics:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.delete_acls:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.delete_groups:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.delete_records:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.delete_share_group_offsets:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.delete_share_group_state:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.delete_topics:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.describe_acls:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.describe_client_quotas:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.describe_cluster:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.describe_configs:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.describe_delegation_token:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.describe_groups:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.describe_log_dirs:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.describe_producers:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.describe_quorum:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.describe_share_group_offsets:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.describe_topic_partitions:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.describe_transactions:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.describe_user_scram_credentials:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.elect_leaders:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.end_quorum_epoch:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.end_txn:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.envelope:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.expire_delegation_token:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.fetch:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.fetch_snapshot:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.find_coordinator:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.get_telemetry_subscriptions:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.heartbeat:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.incremental_alter_configs:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.init_producer_id:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.initialize_share_group_state:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.join_group:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.leave_group:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.list_config_resources:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.list_groups:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.list_offsets:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.list_partition_reassignments:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.list_transactions:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.metadata:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.offset_commit:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.offset_delete:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.offset_fetch:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.offset_for_leader_epoch:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.produce:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.push_telemetry:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.read_share_group_state:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.read_share_group_state_summary:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.remove_raft_voter:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.renew_delegation_token:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.sasl_authenticate:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.sasl_handshake:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.share_acknowledge:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.share_fetch:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.share_group_describe:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.share_group_heartbeat:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.streams_group_describe:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.streams_group_heartbeat:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.streams_group_topology_description_update:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.sync_group:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.txn_offset_commit:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.unregister_broker:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.unregister_controller:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.update_features:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.update_raft_voter:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.vote:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.write_share_group_state:
                pass
                self.body._fetch_instances()
            elif _on == kafka_api.KafkaApi.Key.write_txn_markers:
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



