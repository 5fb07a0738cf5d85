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
        if _on == 0:
            pass
            self.versions = KafkaApi.VersionRange(3, 13, 9, self._io, self, self._root)
        elif _on == 1:
            pass
            self.versions = KafkaApi.VersionRange(4, 18, 12, self._io, self, self._root)
        elif _on == 10:
            pass
            self.versions = KafkaApi.VersionRange(0, 6, 3, self._io, self, self._root)
        elif _on == 11:
            pass
            self.versions = KafkaApi.VersionRange(0, 9, 6, self._io, self, self._root)
        elif _on == 12:
            pass
            self.versions = KafkaApi.VersionRange(0, 4, 4, self._io, self, self._root)
        elif _on == 13:
            pass
            self.versions = KafkaApi.VersionRange(0, 5, 4, self._io, self, self._root)
        elif _on == 14:
            pass
            self.versions = KafkaApi.VersionRange(0, 5, 4, self._io, self, self._root)
        elif _on == 15:
            pass
            self.versions = KafkaApi.VersionRange(0, 6, 5, self._io, self, self._root)
        elif _on == 16:
            pass
            self.versions = KafkaApi.VersionRange(0, 5, 3, self._io, self, self._root)
        elif _on == 17:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 32767, self._io, self, self._root)
        elif _on == 18:
            pass
            self.versions = KafkaApi.VersionRange(0, 5, 3, self._io, self, self._root)
        elif _on == 19:
            pass
            self.versions = KafkaApi.VersionRange(2, 7, 5, self._io, self, self._root)
        elif _on == 2:
            pass
            self.versions = KafkaApi.VersionRange(1, 11, 6, self._io, self, self._root)
        elif _on == 20:
            pass
            self.versions = KafkaApi.VersionRange(1, 6, 4, self._io, self, self._root)
        elif _on == 21:
            pass
            self.versions = KafkaApi.VersionRange(0, 2, 2, self._io, self, self._root)
        elif _on == 22:
            pass
            self.versions = KafkaApi.VersionRange(0, 6, 2, self._io, self, self._root)
        elif _on == 23:
            pass
            self.versions = KafkaApi.VersionRange(2, 4, 4, self._io, self, self._root)
        elif _on == 24:
            pass
            self.versions = KafkaApi.VersionRange(0, 5, 3, self._io, self, self._root)
        elif _on == 25:
            pass
            self.versions = KafkaApi.VersionRange(0, 4, 3, self._io, self, self._root)
        elif _on == 26:
            pass
            self.versions = KafkaApi.VersionRange(0, 5, 3, self._io, self, self._root)
        elif _on == 27:
            pass
            self.versions = KafkaApi.VersionRange(1, 2, 1, self._io, self, self._root)
        elif _on == 28:
            pass
            self.versions = KafkaApi.VersionRange(0, 6, 3, self._io, self, self._root)
        elif _on == 29:
            pass
            self.versions = KafkaApi.VersionRange(1, 3, 2, self._io, self, self._root)
        elif _on == 3:
            pass
            self.versions = KafkaApi.VersionRange(0, 13, 9, self._io, self, self._root)
        elif _on == 30:
            pass
            self.versions = KafkaApi.VersionRange(1, 3, 2, self._io, self, self._root)
        elif _on == 31:
            pass
            self.versions = KafkaApi.VersionRange(1, 3, 2, self._io, self, self._root)
        elif _on == 32:
            pass
            self.versions = KafkaApi.VersionRange(1, 4, 4, self._io, self, self._root)
        elif _on == 33:
            pass
            self.versions = KafkaApi.VersionRange(0, 2, 2, self._io, self, self._root)
        elif _on == 34:
            pass
            self.versions = KafkaApi.VersionRange(1, 2, 2, self._io, self, self._root)
        elif _on == 35:
            pass
            self.versions = KafkaApi.VersionRange(1, 5, 2, self._io, self, self._root)
        elif _on == 36:
            pass
            self.versions = KafkaApi.VersionRange(0, 2, 2, self._io, self, self._root)
        elif _on == 37:
            pass
            self.versions = KafkaApi.VersionRange(0, 3, 2, self._io, self, self._root)
        elif _on == 38:
            pass
            self.versions = KafkaApi.VersionRange(1, 3, 2, self._io, self, self._root)
        elif _on == 39:
            pass
            self.versions = KafkaApi.VersionRange(1, 2, 2, self._io, self, self._root)
        elif _on == 40:
            pass
            self.versions = KafkaApi.VersionRange(1, 2, 2, self._io, self, self._root)
        elif _on == 41:
            pass
            self.versions = KafkaApi.VersionRange(1, 3, 2, self._io, self, self._root)
        elif _on == 42:
            pass
            self.versions = KafkaApi.VersionRange(0, 3, 2, self._io, self, self._root)
        elif _on == 43:
            pass
            self.versions = KafkaApi.VersionRange(0, 2, 2, self._io, self, self._root)
        elif _on == 44:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 1, self._io, self, self._root)
        elif _on == 45:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == 46:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 47:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 32767, self._io, self, self._root)
        elif _on == 48:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 1, self._io, self, self._root)
        elif _on == 49:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 1, self._io, self, self._root)
        elif _on == 50:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 51:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 52:
            pass
            self.versions = KafkaApi.VersionRange(0, 2, 0, self._io, self, self._root)
        elif _on == 53:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 1, self._io, self, self._root)
        elif _on == 54:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 1, self._io, self, self._root)
        elif _on == 55:
            pass
            self.versions = KafkaApi.VersionRange(0, 2, 0, self._io, self, self._root)
        elif _on == 56:
            pass
            self.versions = KafkaApi.VersionRange(2, 3, 0, self._io, self, self._root)
        elif _on == 57:
            pass
            self.versions = KafkaApi.VersionRange(0, 2, 0, self._io, self, self._root)
        elif _on == 58:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 59:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == 60:
            pass
            self.versions = KafkaApi.VersionRange(0, 2, 0, self._io, self, self._root)
        elif _on == 61:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 62:
            pass
            self.versions = KafkaApi.VersionRange(0, 4, 0, self._io, self, self._root)
        elif _on == 63:
            pass
            self.versions = KafkaApi.VersionRange(0, 2, 0, self._io, self, self._root)
        elif _on == 64:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 65:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 66:
            pass
            self.versions = KafkaApi.VersionRange(0, 2, 0, self._io, self, self._root)
        elif _on == 67:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 68:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == 69:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == 70:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 71:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 72:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 73:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 74:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == 75:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 76:
            pass
            self.versions = KafkaApi.VersionRange(1, 1, 0, self._io, self, self._root)
        elif _on == 77:
            pass
            self.versions = KafkaApi.VersionRange(1, 1, 0, self._io, self, self._root)
        elif _on == 78:
            pass
            self.versions = KafkaApi.VersionRange(1, 2, 0, self._io, self, self._root)
        elif _on == 79:
            pass
            self.versions = KafkaApi.VersionRange(1, 2, 0, self._io, self, self._root)
        elif _on == 8:
            pass
            self.versions = KafkaApi.VersionRange(2, 10, 8, self._io, self, self._root)
        elif _on == 80:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == 81:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 82:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 83:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 84:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 85:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == 86:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 87:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == 88:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == 89:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == 9:
            pass
            self.versions = KafkaApi.VersionRange(1, 10, 6, self._io, self, self._root)
        elif _on == 90:
            pass
            self.versions = KafkaApi.VersionRange(0, 1, 0, self._io, self, self._root)
        elif _on == 91:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 92:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 93:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        elif _on == 94:
            pass
            self.versions = KafkaApi.VersionRange(0, 0, 0, self._io, self, self._root)
        else:
            pass
            self.versions = KafkaApi.VersionRange(0, -1, 32767, self._io, self, self._root)


    def _fetch_instances(self):
        pass
        _on = self.key
        if _on == 0:
            pass
            self.versions._fetch_instances()
        elif _on == 1:
            pass
            self.versions._fetch_instances()
        elif _on == 10:
            pass
            self.versions._fetch_instances()
        elif _on == 11:
            pass
            self.versions._fetch_instances()
        elif _on == 12:
            pass
            self.versions._fetch_instances()
        elif _on == 13:
            pass
            self.versions._fetch_instances()
        elif _on == 14:
            pass
            self.versions._fetch_instances()
        elif _on == 15:
            pass
            self.versions._fetch_instances()
        elif _on == 16:
            pass
            self.versions._fetch_instances()
        elif _on == 17:
            pass
            self.versions._fetch_instances()
        elif _on == 18:
            pass
            self.versions._fetch_instances()
        elif _on == 19:
            pass
            self.versions._fetch_instances()
        elif _on == 2:
            pass
            self.versions._fetch_instances()
        elif _on == 20:
            pass
            self.versions._fetch_instances()
        elif _on == 21:
            pass
            self.versions._fetch_instances()
        elif _on == 22:
            pass
            self.versions._fetch_instances()
        elif _on == 23:
            pass
            self.versions._fetch_instances()
        elif _on == 24:
            pass
            self.versions._fetch_instances()
        elif _on == 25:
            pass
            self.versions._fetch_instances()
        elif _on == 26:
            pass
            self.versions._fetch_instances()
        elif _on == 27:
            pass
            self.versions._fetch_instances()
        elif _on == 28:
            pass
            self.versions._fetch_instances()
        elif _on == 29:
            pass
            self.versions._fetch_instances()
        elif _on == 3:
            pass
            self.versions._fetch_instances()
        elif _on == 30:
            pass
            self.versions._fetch_instances()
        elif _on == 31:
            pass
            self.versions._fetch_instances()
        elif _on == 32:
            pass
            self.versions._fetch_instances()
        elif _on == 33:
            pass
            self.versions._fetch_instances()
        elif _on == 34:
            pass
            self.versions._fetch_instances()
        elif _on == 35:
            pass
            self.versions._fetch_instances()
        elif _on == 36:
            pass
            self.versions._fetch_instances()
        elif _on == 37:
            pass
            self.versions._fetch_instances()
        elif _on == 38:
            pass
            self.versions._fetch_instances()
        elif _on == 39:
            pass
            self.versions._fetch_instances()
        elif _on == 40:
            pass
            self.versions._fetch_instances()
        elif _on == 41:
            pass
            self.versions._fetch_instances()
        elif _on == 42:
            pass
            self.versions._fetch_instances()
        elif _on == 43:
            pass
            self.versions._fetch_instances()
        elif _on == 44:
            pass
            self.versions._fetch_instances()
        elif _on == 45:
            pass
            self.versions._fetch_instances()
        elif _on == 46:
            pass
            self.versions._fetch_instances()
        elif _on == 47:
            pass
            self.versions._fetch_instances()
        elif _on == 48:
            pass
            self.versions._fetch_instances()
        elif _on == 49:
            pass
            self.versions._fetch_instances()
        elif _on == 50:
            pass
            self.versions._fetch_instances()
        elif _on == 51:
            pass
            self.versions._fetch_instances()
        elif _on == 52:
            pass
            self.versions._fetch_instances()
        elif _on == 53:
            pass
            self.versions._fetch_instances()
        elif _on == 54:
            pass
            self.versions._fetch_instances()
        elif _on == 55:
            pass
            self.versions._fetch_instances()
        elif _on == 56:
            pass
            self.versions._fetch_instances()
        elif _on == 57:
            pass
            self.versions._fetch_instances()
        elif _on == 58:
            pass
            self.versions._fetch_instances()
        elif _on == 59:
            pass
            self.versions._fetch_instances()
        elif _on == 60:
            pass
            self.versions._fetch_instances()
        elif _on == 61:
            pass
            self.versions._fetch_instances()
        elif _on == 62:
            pass
            self.versions._fetch_instances()
        elif _on == 63:
            pass
            self.versions._fetch_instances()
        elif _on == 64:
            pass
            self.versions._fetch_instances()
        elif _on == 65:
            pass
            self.versions._fetch_instances()
        elif _on == 66:
            pass
            self.versions._fetch_instances()
        elif _on == 67:
            pass
            self.versions._fetch_instances()
        elif _on == 68:
            pass
            self.versions._fetch_instances()
        elif _on == 69:
            pass
            self.versions._fetch_instances()
        elif _on == 70:
            pass
            self.versions._fetch_instances()
        elif _on == 71:
            pass
            self.versions._fetch_instances()
        elif _on == 72:
            pass
            self.versions._fetch_instances()
        elif _on == 73:
            pass
            self.versions._fetch_instances()
        elif _on == 74:
            pass
            self.versions._fetch_instances()
        elif _on == 75:
            pass
            self.versions._fetch_instances()
        elif _on == 76:
            pass
            self.versions._fetch_instances()
        elif _on == 77:
            pass
            self.versions._fetch_instances()
        elif _on == 78:
            pass
            self.versions._fetch_instances()
        elif _on == 79:
            pass
            self.versions._fetch_instances()
        elif _on == 8:
            pass
            self.versions._fetch_instances()
        elif _on == 80:
            pass
            self.versions._fetch_instances()
        elif _on == 81:
            pass
            self.versions._fetch_instances()
        elif _on == 82:
            pass
            self.versions._fetch_instances()
        elif _on == 83:
            pass
            self.versions._fetch_instances()
        elif _on == 84:
            pass
            self.versions._fetch_instances()
        elif _on == 85:
            pass
            self.versions._fetch_instances()
        elif _on == 86:
            pass
            self.versions._fetch_instances()
        elif _on == 87:
            pass
            self.versions._fetch_instances()
        elif _on == 88:
            pass
            self.versions._fetch_instances()
        elif _on == 89:
            pass
            self.versions._fetch_instances()
        elif _on == 9:
            pass
            self.versions._fetch_instances()
        elif _on == 90:
            pass
            self.versions._fetch_instances()
        elif _on == 91:
            pass
            self.versions._fetch_instances()
        elif _on == 92:
            pass
            self.versions._fetch_instances()
        elif _on == 93:
            pass
            self.versions._fetch_instances()
        elif _on == 94:
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
        """The API, if the version is known as well."""
        if hasattr(self, '_m_known_key'):
            return self._m_known_key

        self._m_known_key = KaitaiStream.resolve_enum(KafkaApi.Key, (self.key if  ((self.version >= self.versions.first) and (self.version <= self.versions.last))  else -1))
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

        self._m_response_header_version = (1 if  ((self.is_flexible) and (self.known_key != KafkaApi.Key.api_versions))  else 0)
        return getattr(self, '_m_response_header_version', None)


