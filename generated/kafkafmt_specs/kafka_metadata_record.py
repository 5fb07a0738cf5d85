# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_abort_transaction_record
from . import kafka_access_control_entry_record
from . import kafka_begin_transaction_record
from . import kafka_broker_registration_change_record
from . import kafka_clear_elr_record
from . import kafka_client_quota_record
from . import kafka_config_record
from . import kafka_delegation_token_record
from . import kafka_end_transaction_record
from . import kafka_feature_level_record
from . import kafka_fence_broker_record
from . import kafka_no_op_record
from . import kafka_partition_change_record
from . import kafka_partition_record
from . import kafka_producer_ids_record
from . import kafka_register_broker_record
from . import kafka_register_controller_record
from . import kafka_remove_access_control_entry_record
from . import kafka_remove_delegation_token_record
from . import kafka_remove_topic_record
from . import kafka_remove_user_scram_credential_record
from . import kafka_topic_record
from . import kafka_unfence_broker_record
from . import kafka_unregister_broker_record
from . import kafka_unregister_controller_record
from . import kafka_unsigned_varint
from . import kafka_user_scram_credential_record
from . import kafka_zk_migration_state_record
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaMetadataRecord(KaitaiStruct):
    """Value of a record in `__cluster_metadata` and its snapshots, except control
    records. Its key is null.
    
    .. seealso::
       KIP-746 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-746%3A+Revise+KRaft+Metadata+Records
    """

    class RecordType(IntEnum):
        register_broker_record = 0
        unregister_broker_record = 1
        topic_record = 2
        partition_record = 3
        config_record = 4
        partition_change_record = 5
        fence_broker_record = 7
        unfence_broker_record = 8
        remove_topic_record = 9
        delegation_token_record = 10
        user_scram_credential_record = 11
        feature_level_record = 12
        client_quota_record = 14
        producer_ids_record = 15
        broker_registration_change_record = 17
        access_control_entry_record = 18
        remove_access_control_entry_record = 19
        no_op_record = 20
        zk_migration_state_record = 21
        remove_user_scram_credential_record = 22
        begin_transaction_record = 23
        end_transaction_record = 24
        abort_transaction_record = 25
        remove_delegation_token_record = 26
        register_controller_record = 27
        clear_elr_record = 28
        unregister_controller_record = 29
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaMetadataRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.frame_version = self._io.read_bytes(1)
        if not self.frame_version == b"\x01":
            raise kaitaistruct.ValidationNotEqualError(b"\x01", self.frame_version, self._io, u"/seq/0")
        self.api_key = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
        self.version = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
        _on = self.api_key.value
        if _on == 0:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_register_broker_record.KafkaRegisterBrokerRecord(self.version.value, _io__raw_message)
        elif _on == 1:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_unregister_broker_record.KafkaUnregisterBrokerRecord(self.version.value, _io__raw_message)
        elif _on == 10:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_delegation_token_record.KafkaDelegationTokenRecord(self.version.value, _io__raw_message)
        elif _on == 11:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_user_scram_credential_record.KafkaUserScramCredentialRecord(self.version.value, _io__raw_message)
        elif _on == 12:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_feature_level_record.KafkaFeatureLevelRecord(self.version.value, _io__raw_message)
        elif _on == 14:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_client_quota_record.KafkaClientQuotaRecord(self.version.value, _io__raw_message)
        elif _on == 15:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_producer_ids_record.KafkaProducerIdsRecord(self.version.value, _io__raw_message)
        elif _on == 17:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_broker_registration_change_record.KafkaBrokerRegistrationChangeRecord(self.version.value, _io__raw_message)
        elif _on == 18:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_access_control_entry_record.KafkaAccessControlEntryRecord(self.version.value, _io__raw_message)
        elif _on == 19:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_remove_access_control_entry_record.KafkaRemoveAccessControlEntryRecord(self.version.value, _io__raw_message)
        elif _on == 2:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_topic_record.KafkaTopicRecord(self.version.value, _io__raw_message)
        elif _on == 20:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_no_op_record.KafkaNoOpRecord(self.version.value, _io__raw_message)
        elif _on == 21:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_zk_migration_state_record.KafkaZkMigrationStateRecord(self.version.value, _io__raw_message)
        elif _on == 22:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_remove_user_scram_credential_record.KafkaRemoveUserScramCredentialRecord(self.version.value, _io__raw_message)
        elif _on == 23:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_begin_transaction_record.KafkaBeginTransactionRecord(self.version.value, _io__raw_message)
        elif _on == 24:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_end_transaction_record.KafkaEndTransactionRecord(self.version.value, _io__raw_message)
        elif _on == 25:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_abort_transaction_record.KafkaAbortTransactionRecord(self.version.value, _io__raw_message)
        elif _on == 26:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_remove_delegation_token_record.KafkaRemoveDelegationTokenRecord(self.version.value, _io__raw_message)
        elif _on == 27:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_register_controller_record.KafkaRegisterControllerRecord(self.version.value, _io__raw_message)
        elif _on == 28:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_clear_elr_record.KafkaClearElrRecord(self.version.value, _io__raw_message)
        elif _on == 29:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_unregister_controller_record.KafkaUnregisterControllerRecord(self.version.value, _io__raw_message)
        elif _on == 3:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_partition_record.KafkaPartitionRecord(self.version.value, _io__raw_message)
        elif _on == 4:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_config_record.KafkaConfigRecord(self.version.value, _io__raw_message)
        elif _on == 5:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_partition_change_record.KafkaPartitionChangeRecord(self.version.value, _io__raw_message)
        elif _on == 7:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_fence_broker_record.KafkaFenceBrokerRecord(self.version.value, _io__raw_message)
        elif _on == 8:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_unfence_broker_record.KafkaUnfenceBrokerRecord(self.version.value, _io__raw_message)
        elif _on == 9:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_remove_topic_record.KafkaRemoveTopicRecord(self.version.value, _io__raw_message)
        else:
            pass
            self.message = self._io.read_bytes_full()


    def _fetch_instances(self):
        pass
        self.api_key._fetch_instances()
        self.version._fetch_instances()
        _on = self.api_key.value
        if _on == 0:
            pass
            self.message._fetch_instances()
        elif _on == 1:
            pass
            self.message._fetch_instances()
        elif _on == 10:
            pass
            self.message._fetch_instances()
        elif _on == 11:
            pass
            self.message._fetch_instances()
        elif _on == 12:
            pass
            self.message._fetch_instances()
        elif _on == 14:
            pass
            self.message._fetch_instances()
        elif _on == 15:
            pass
            self.message._fetch_instances()
        elif _on == 17:
            pass
            self.message._fetch_instances()
        elif _on == 18:
            pass
            self.message._fetch_instances()
        elif _on == 19:
            pass
            self.message._fetch_instances()
        elif _on == 2:
            pass
            self.message._fetch_instances()
        elif _on == 20:
            pass
            self.message._fetch_instances()
        elif _on == 21:
            pass
            self.message._fetch_instances()
        elif _on == 22:
            pass
            self.message._fetch_instances()
        elif _on == 23:
            pass
            self.message._fetch_instances()
        elif _on == 24:
            pass
            self.message._fetch_instances()
        elif _on == 25:
            pass
            self.message._fetch_instances()
        elif _on == 26:
            pass
            self.message._fetch_instances()
        elif _on == 27:
            pass
            self.message._fetch_instances()
        elif _on == 28:
            pass
            self.message._fetch_instances()
        elif _on == 29:
            pass
            self.message._fetch_instances()
        elif _on == 3:
            pass
            self.message._fetch_instances()
        elif _on == 4:
            pass
            self.message._fetch_instances()
        elif _on == 5:
            pass
            self.message._fetch_instances()
        elif _on == 7:
            pass
            self.message._fetch_instances()
        elif _on == 8:
            pass
            self.message._fetch_instances()
        elif _on == 9:
            pass
            self.message._fetch_instances()
        else:
            pass


