# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaApi(KaitaiStruct):
    """An API in one version, and how its headers are laid out. It takes no bytes:
    both are read from the header of a request, and a response does not repeat
    them.
    
    .. seealso::
       Source - https://kafka.apache.org/protocol#protocol_api_keys
    
    
    .. seealso::
       KIP-482 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-482%3A+The+Kafka+Protocol+should+Support+Optional+Tagged+Fields
    
    
    .. seealso::
       KIP-511 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-511%3A+Collect+and+Expose+Client%27s+Name+and+Version+in+the+Brokers
    """

    class Key(IntEnum):
        unknown = -1
        produce = 0
        fetch = 1
        list_offsets = 2
        metadata = 3
        offset_commit = 8
        offset_fetch = 9
        find_coordinator = 10
        join_group = 11
        heartbeat = 12
        leave_group = 13
        sync_group = 14
        describe_groups = 15
        list_groups = 16
        sasl_handshake = 17
        api_versions = 18
        create_topics = 19
        delete_topics = 20
        delete_records = 21
        init_producer_id = 22
        offset_for_leader_epoch = 23
        add_partitions_to_txn = 24
        add_offsets_to_txn = 25
        end_txn = 26
        write_txn_markers = 27
        txn_offset_commit = 28
        describe_acls = 29
        create_acls = 30
        delete_acls = 31
        describe_configs = 32
        alter_configs = 33
        alter_replica_log_dirs = 34
        describe_log_dirs = 35
        sasl_authenticate = 36
        create_partitions = 37
        create_delegation_token = 38
        renew_delegation_token = 39
        expire_delegation_token = 40
        describe_delegation_token = 41
        delete_groups = 42
        elect_leaders = 43
        incremental_alter_configs = 44
        alter_partition_reassignments = 45
        list_partition_reassignments = 46
        offset_delete = 47
        describe_client_quotas = 48
        alter_client_quotas = 49
        describe_user_scram_credentials = 50
        alter_user_scram_credentials = 51
        vote = 52
        begin_quorum_epoch = 53
        end_quorum_epoch = 54
        describe_quorum = 55
        alter_partition = 56
        update_features = 57
        envelope = 58
        fetch_snapshot = 59
        describe_cluster = 60
        describe_producers = 61
        broker_registration = 62
        broker_heartbeat = 63
        unregister_broker = 64
        describe_transactions = 65
        list_transactions = 66
        allocate_producer_ids = 67
        consumer_group_heartbeat = 68
        consumer_group_describe = 69
        controller_registration = 70
        get_telemetry_subscriptions = 71
        push_telemetry = 72
        assign_replicas_to_dirs = 73
        list_config_resources = 74
        describe_topic_partitions = 75
        share_group_heartbeat = 76
        share_group_describe = 77
        share_fetch = 78
        share_acknowledge = 79
        add_raft_voter = 80
        remove_raft_voter = 81
        update_raft_voter = 82
        initialize_share_group_state = 83
        read_share_group_state = 84
        write_share_group_state = 85
        delete_share_group_state = 86
        read_share_group_state_summary = 87
        streams_group_heartbeat = 88
        streams_group_describe = 89
        describe_share_group_offsets = 90
        alter_share_group_offsets = 91
        delete_share_group_offsets = 92
        streams_group_topology_description_update = 93
        unregister_controller = 94
    def __init__(self, key, version, _io, _parent=None, _root=None):
        super(KafkaApi, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.key = key
        self.version = version
        self._read()

    def _read(self):
        _on = self.key
        if _on == KafkaApi.Key.add_offsets_to_txn:
            pass
            self.versions = KafkaApi.VersionRange(0, 4, 3, self._io, self, self._root)
        elif _on == KafkaApi.Key.add_partitions_to_txn:
            pass
            self.versions = KafkaApi.VersionRange(0, 5, 3, self._io, self, self._root)
        elif _on == KafkaApi.Key.add_raft_voter:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.allocate_producer_ids:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.alter_client_quotas:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 1, self._io, self, self._root)
        elif _on == KafkaApi.Key.alter_configs:
            pass
            self.versions = KafkaApi.VersionRange(0, 2, 2, self._io, self, self._root)
        elif _on == KafkaApi.Key.alter_partition:
            pass
            self.versions = KafkaApi.VersionRange(2, 3, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.alter_partition_reassignments:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.alter_replica_log_dirs:
            pass
            self.versions = KafkaApi.VersionRange(1, 2, 2, self._io, self, self._root)
        elif _on == KafkaApi.Key.alter_share_group_offsets:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.alter_user_scram_credentials:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.api_versions:
            pass
            self.versions = KafkaApi.VersionRange(0, 5, 3, self._io, self, self._root)
        elif _on == KafkaApi.Key.assign_replicas_to_dirs:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.begin_quorum_epoch:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 1, self._io, self, self._root)
        elif _on == KafkaApi.Key.broker_heartbeat:
            pass
            self.versions = KafkaApi.VersionRange(0, 2, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.broker_registration:
            pass
            self.versions = KafkaApi.VersionRange(0, 4, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.consumer_group_describe:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.consumer_group_heartbeat:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.controller_registration:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.create_acls:
            pass
            self.versions = KafkaApi.VersionRange(1, 3, 2, self._io, self, self._root)
        elif _on == KafkaApi.Key.create_delegation_token:
            pass
            self.versions = KafkaApi.VersionRange(1, 3, 2, self._io, self, self._root)
        elif _on == KafkaApi.Key.create_partitions:
            pass
            self.versions = KafkaApi.VersionRange(0, 3, 2, self._io, self, self._root)
        elif _on == KafkaApi.Key.create_topics:
            pass
            self.versions = KafkaApi.VersionRange(2, 7, 5, self._io, self, self._root)
        elif _on == KafkaApi.Key.delete_acls:
            pass
            self.versions = KafkaApi.VersionRange(1, 3, 2, self._io, self, self._root)
        elif _on == KafkaApi.Key.delete_groups:
            pass
            self.versions = KafkaApi.VersionRange(0, 3, 2, self._io, self, self._root)
        elif _on == KafkaApi.Key.delete_records:
            pass
            self.versions = KafkaApi.VersionRange(0, 2, 2, self._io, self, self._root)
        elif _on == KafkaApi.Key.delete_share_group_offsets:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.delete_share_group_state:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.delete_topics:
            pass
            self.versions = KafkaApi.VersionRange(1, 6, 4, self._io, self, self._root)
        elif _on == KafkaApi.Key.describe_acls:
            pass
            self.versions = KafkaApi.VersionRange(1, 3, 2, self._io, self, self._root)
        elif _on == KafkaApi.Key.describe_client_quotas:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 1, self._io, self, self._root)
        elif _on == KafkaApi.Key.describe_cluster:
            pass
            self.versions = KafkaApi.VersionRange(0, 2, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.describe_configs:
            pass
            self.versions = KafkaApi.VersionRange(1, 4, 4, self._io, self, self._root)
        elif _on == KafkaApi.Key.describe_delegation_token:
            pass
            self.versions = KafkaApi.VersionRange(1, 3, 2, self._io, self, self._root)
        elif _on == KafkaApi.Key.describe_groups:
            pass
            self.versions = KafkaApi.VersionRange(0, 6, 5, self._io, self, self._root)
        elif _on == KafkaApi.Key.describe_log_dirs:
            pass
            self.versions = KafkaApi.VersionRange(1, 5, 2, self._io, self, self._root)
        elif _on == KafkaApi.Key.describe_producers:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.describe_quorum:
            pass
            self.versions = KafkaApi.VersionRange(0, 2, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.describe_share_group_offsets:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.describe_topic_partitions:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.describe_transactions:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.describe_user_scram_credentials:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.elect_leaders:
            pass
            self.versions = KafkaApi.VersionRange(0, 2, 2, self._io, self, self._root)
        elif _on == KafkaApi.Key.end_quorum_epoch:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 1, self._io, self, self._root)
        elif _on == KafkaApi.Key.end_txn:
            pass
            self.versions = KafkaApi.VersionRange(0, 5, 3, self._io, self, self._root)
        elif _on == KafkaApi.Key.envelope:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.expire_delegation_token:
            pass
            self.versions = KafkaApi.VersionRange(1, 2, 2, self._io, self, self._root)
        elif _on == KafkaApi.Key.fetch:
            pass
            self.versions = KafkaApi.VersionRange(4, 18, 12, self._io, self, self._root)
        elif _on == KafkaApi.Key.fetch_snapshot:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.find_coordinator:
            pass
            self.versions = KafkaApi.VersionRange(0, 6, 3, self._io, self, self._root)
        elif _on == KafkaApi.Key.get_telemetry_subscriptions:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.heartbeat:
            pass
            self.versions = KafkaApi.VersionRange(0, 4, 4, self._io, self, self._root)
        elif _on == KafkaApi.Key.incremental_alter_configs:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 1, self._io, self, self._root)
        elif _on == KafkaApi.Key.init_producer_id:
            pass
            self.versions = KafkaApi.VersionRange(0, 6, 2, self._io, self, self._root)
        elif _on == KafkaApi.Key.initialize_share_group_state:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.join_group:
            pass
            self.versions = KafkaApi.VersionRange(0, 9, 6, self._io, self, self._root)
        elif _on == KafkaApi.Key.leave_group:
            pass
            self.versions = KafkaApi.VersionRange(0, 5, 4, self._io, self, self._root)
        elif _on == KafkaApi.Key.list_config_resources:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.list_groups:
            pass
            self.versions = KafkaApi.VersionRange(0, 5, 3, self._io, self, self._root)
        elif _on == KafkaApi.Key.list_offsets:
            pass
            self.versions = KafkaApi.VersionRange(1, 11, 6, self._io, self, self._root)
        elif _on == KafkaApi.Key.list_partition_reassignments:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.list_transactions:
            pass
            self.versions = KafkaApi.VersionRange(0, 2, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.metadata:
            pass
            self.versions = KafkaApi.VersionRange(0, 13, 9, self._io, self, self._root)
        elif _on == KafkaApi.Key.offset_commit:
            pass
            self.versions = KafkaApi.VersionRange(2, 10, 8, self._io, self, self._root)
        elif _on == KafkaApi.Key.offset_delete:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 32767, self._io, self, self._root)
        elif _on == KafkaApi.Key.offset_fetch:
            pass
            self.versions = KafkaApi.VersionRange(1, 10, 6, self._io, self, self._root)
        elif _on == KafkaApi.Key.offset_for_leader_epoch:
            pass
            self.versions = KafkaApi.VersionRange(2, 4, 4, self._io, self, self._root)
        elif _on == KafkaApi.Key.produce:
            pass
            self.versions = KafkaApi.VersionRange(3, 13, 9, self._io, self, self._root)
        elif _on == KafkaApi.Key.push_telemetry:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.read_share_group_state:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.read_share_group_state_summary:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.remove_raft_voter:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.renew_delegation_token:
            pass
            self.versions = KafkaApi.VersionRange(1, 2, 2, self._io, self, self._root)
        elif _on == KafkaApi.Key.sasl_authenticate:
            pass
            self.versions = KafkaApi.VersionRange(0, 2, 2, self._io, self, self._root)
        elif _on == KafkaApi.Key.sasl_handshake:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 32767, self._io, self, self._root)
        elif _on == KafkaApi.Key.share_acknowledge:
            pass
            self.versions = KafkaApi.VersionRange(1, 2, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.share_fetch:
            pass
            self.versions = KafkaApi.VersionRange(1, 2, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.share_group_describe:
            pass
            self.versions = KafkaApi.VersionRange(1, 1, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.share_group_heartbeat:
            pass
            self.versions = KafkaApi.VersionRange(1, 1, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.streams_group_describe:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.streams_group_heartbeat:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.streams_group_topology_description_update:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.sync_group:
            pass
            self.versions = KafkaApi.VersionRange(0, 5, 4, self._io, self, self._root)
        elif _on == KafkaApi.Key.txn_offset_commit:
            pass
            self.versions = KafkaApi.VersionRange(0, 6, 3, self._io, self, self._root)
        elif _on == KafkaApi.Key.unregister_broker:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.unregister_controller:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.update_features:
            pass
            self.versions = KafkaApi.VersionRange(0, 2, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.update_raft_voter:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.vote:
            pass
            self.versions = KafkaApi.VersionRange(0, 2, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.write_share_group_state:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == KafkaApi.Key.write_txn_markers:
            pass
            self.versions = KafkaApi.VersionRange(1, 2, 1, self._io, self, self._root)
        else:
            pass
            self.versions = KafkaApi.VersionRange(0, -1, 32767, self._io, self, self._root)


    def _fetch_instances(self):
        pass
        _on = self.key
        if _on == KafkaApi.Key.add_offsets_to_txn:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.add_partitions_to_txn:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.add_raft_voter:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.allocate_producer_ids:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.alter_client_quotas:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.alter_configs:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.alter_partition:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.alter_partition_reassignments:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.alter_replica_log_dirs:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.alter_share_group_offsets:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.alter_user_scram_credentials:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.api_versions:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.assign_replicas_to_dirs:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.begin_quorum_epoch:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.broker_heartbeat:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.broker_registration:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.consumer_group_describe:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.consumer_group_heartbeat:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.controller_registration:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.create_acls:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.create_delegation_token:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.create_partitions:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.create_topics:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.delete_acls:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.delete_groups:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.delete_records:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.delete_share_group_offsets:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.delete_share_group_state:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.delete_topics:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.describe_acls:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.describe_client_quotas:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.describe_cluster:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.describe_configs:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.describe_delegation_token:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.describe_groups:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.describe_log_dirs:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.describe_producers:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.describe_quorum:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.describe_share_group_offsets:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.describe_topic_partitions:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.describe_transactions:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.describe_user_scram_credentials:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.elect_leaders:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.end_quorum_epoch:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.end_txn:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.envelope:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.expire_delegation_token:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.fetch:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.fetch_snapshot:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.find_coordinator:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.get_telemetry_subscriptions:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.heartbeat:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.incremental_alter_configs:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.init_producer_id:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.initialize_share_group_state:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.join_group:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.leave_group:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.list_config_resources:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.list_groups:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.list_offsets:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.list_partition_reassignments:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.list_transactions:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.metadata:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.offset_commit:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.offset_delete:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.offset_fetch:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.offset_for_leader_epoch:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.produce:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.push_telemetry:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.read_share_group_state:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.read_share_group_state_summary:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.remove_raft_voter:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.renew_delegation_token:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.sasl_authenticate:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.sasl_handshake:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.share_acknowledge:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.share_fetch:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.share_group_describe:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.share_group_heartbeat:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.streams_group_describe:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.streams_group_heartbeat:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.streams_group_topology_description_update:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.sync_group:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.txn_offset_commit:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.unregister_broker:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.unregister_controller:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.update_features:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.update_raft_voter:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.vote:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.write_share_group_state:
            pass
            self.versions._fetch_instances()
        elif _on == KafkaApi.Key.write_txn_markers:
            pass
            self.versions._fetch_instances()
        else:
            pass
            self.versions._fetch_instances()

    class VersionRange(KaitaiStruct):
        """Versions that there are. It takes no bytes."""
        def __init__(self, first, last, first_flexible, _io, _parent=None, _root=None):
            super(KafkaApi.VersionRange, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.first = first
            self.last = last
            self.first_flexible = first_flexible
            self._read()

        def _read(self):
            pass


        def _fetch_instances(self):
            pass


    @property
    def is_flexible(self):
        """Whether lengths are varints, and structures end with tagged fields."""
        if hasattr(self, '_m_is_flexible'):
            return self._m_is_flexible

        self._m_is_flexible = self.version >= self.versions.first_flexible
        return getattr(self, '_m_is_flexible', None)

    @property
    def known_key(self):
        """The key, if the version is known as well."""
        if hasattr(self, '_m_known_key'):
            return self._m_known_key

        self._m_known_key = KaitaiStream.resolve_enum(KafkaApi.Key, (self.key if  ((self.version >= self.versions.first) and (self.version <= self.versions.last))  else KafkaApi.Key.unknown))
        return getattr(self, '_m_known_key', None)

    @property
    def request_header_version(self):
        """Version of the request's header."""
        if hasattr(self, '_m_request_header_version'):
            return self._m_request_header_version

        self._m_request_header_version = (2 if self.is_flexible else 1)
        return getattr(self, '_m_request_header_version', None)

    @property
    def response_header_version(self):
        """Version of the response's header. Clients read that of
        `kafka_api_versions_response` before they know any version
        """
        if hasattr(self, '_m_response_header_version'):
            return self._m_response_header_version

        self._m_response_header_version = (1 if  ((self.is_flexible) and (self.key != KafkaApi.Key.api_versions))  else 0)
        return getattr(self, '_m_response_header_version', None)


