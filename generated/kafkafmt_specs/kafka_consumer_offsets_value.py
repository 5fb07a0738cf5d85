# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_consumer_group_current_member_assignment_value
from . import kafka_consumer_group_member_metadata_value
from . import kafka_consumer_group_metadata_value
from . import kafka_consumer_group_partition_metadata_value
from . import kafka_consumer_group_regular_expression_value
from . import kafka_consumer_group_target_assignment_member_value
from . import kafka_consumer_group_target_assignment_metadata_value
from . import kafka_group_metadata_value
from . import kafka_legacy_offset_commit_value
from . import kafka_offset_commit_value
from . import kafka_share_group_current_member_assignment_value
from . import kafka_share_group_member_metadata_value
from . import kafka_share_group_metadata_value
from . import kafka_share_group_state_partition_metadata_value
from . import kafka_share_group_target_assignment_member_value
from . import kafka_share_group_target_assignment_metadata_value
from . import kafka_streams_group_current_member_assignment_value
from . import kafka_streams_group_member_metadata_value
from . import kafka_streams_group_metadata_value
from . import kafka_streams_group_target_assignment_member_value
from . import kafka_streams_group_target_assignment_metadata_value
from . import kafka_streams_group_topology_value
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaConsumerOffsetsValue(KaitaiStruct):
    """Value of a record in `__consumer_offsets`. Only the key, a
    `kafka_consumer_offsets_key`, says which message it is. If that is known, use
    the spec of the message.
    
    .. seealso::
       Source - https://kafka.apache.org/documentation/#impl_offsettracking
    """

    class RecordType(IntEnum):
        legacy_offset_commit = 0
        offset_commit = 1
        group_metadata = 2
        consumer_group_metadata = 3
        consumer_group_partition_metadata = 4
        consumer_group_member_metadata = 5
        consumer_group_target_assignment_metadata = 6
        consumer_group_target_assignment_member = 7
        consumer_group_current_member_assignment = 8
        share_group_member_metadata = 10
        share_group_metadata = 11
        share_group_target_assignment_metadata = 12
        share_group_target_assignment_member = 13
        share_group_current_member_assignment = 14
        share_group_state_partition_metadata = 15
        consumer_group_regular_expression = 16
        streams_group_metadata = 17
        streams_group_member_metadata = 19
        streams_group_target_assignment_metadata = 20
        streams_group_target_assignment_member = 21
        streams_group_current_member_assignment = 22
        streams_group_topology = 23
    def __init__(self, key_type, _io, _parent=None, _root=None):
        super(KafkaConsumerOffsetsValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.key_type = key_type
        self._read()

    def _read(self):
        _on = self.key_type
        if _on == KafkaConsumerOffsetsValue.RecordType.consumer_group_current_member_assignment:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_consumer_group_current_member_assignment_value.KafkaConsumerGroupCurrentMemberAssignmentValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.consumer_group_member_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_consumer_group_member_metadata_value.KafkaConsumerGroupMemberMetadataValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.consumer_group_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_consumer_group_metadata_value.KafkaConsumerGroupMetadataValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.consumer_group_partition_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_consumer_group_partition_metadata_value.KafkaConsumerGroupPartitionMetadataValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.consumer_group_regular_expression:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_consumer_group_regular_expression_value.KafkaConsumerGroupRegularExpressionValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.consumer_group_target_assignment_member:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_consumer_group_target_assignment_member_value.KafkaConsumerGroupTargetAssignmentMemberValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.consumer_group_target_assignment_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_consumer_group_target_assignment_metadata_value.KafkaConsumerGroupTargetAssignmentMetadataValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.group_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_group_metadata_value.KafkaGroupMetadataValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.legacy_offset_commit:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_legacy_offset_commit_value.KafkaLegacyOffsetCommitValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.offset_commit:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_offset_commit_value.KafkaOffsetCommitValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.share_group_current_member_assignment:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_share_group_current_member_assignment_value.KafkaShareGroupCurrentMemberAssignmentValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.share_group_member_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_share_group_member_metadata_value.KafkaShareGroupMemberMetadataValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.share_group_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_share_group_metadata_value.KafkaShareGroupMetadataValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.share_group_state_partition_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_share_group_state_partition_metadata_value.KafkaShareGroupStatePartitionMetadataValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.share_group_target_assignment_member:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_share_group_target_assignment_member_value.KafkaShareGroupTargetAssignmentMemberValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.share_group_target_assignment_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_share_group_target_assignment_metadata_value.KafkaShareGroupTargetAssignmentMetadataValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.streams_group_current_member_assignment:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_streams_group_current_member_assignment_value.KafkaStreamsGroupCurrentMemberAssignmentValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.streams_group_member_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_streams_group_member_metadata_value.KafkaStreamsGroupMemberMetadataValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.streams_group_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_streams_group_metadata_value.KafkaStreamsGroupMetadataValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.streams_group_target_assignment_member:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_streams_group_target_assignment_member_value.KafkaStreamsGroupTargetAssignmentMemberValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.streams_group_target_assignment_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_streams_group_target_assignment_metadata_value.KafkaStreamsGroupTargetAssignmentMetadataValue(_io__raw_message)
        elif _on == KafkaConsumerOffsetsValue.RecordType.streams_group_topology:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_streams_group_topology_value.KafkaStreamsGroupTopologyValue(_io__raw_message)
        else:
            pass
            self.message = self._io.read_bytes_full()


    def _fetch_instances(self):
        pass
        _on = self.key_type
        if _on == KafkaConsumerOffsetsValue.RecordType.consumer_group_current_member_assignment:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.consumer_group_member_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.consumer_group_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.consumer_group_partition_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.consumer_group_regular_expression:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.consumer_group_target_assignment_member:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.consumer_group_target_assignment_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.group_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.legacy_offset_commit:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.offset_commit:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.share_group_current_member_assignment:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.share_group_member_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.share_group_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.share_group_state_partition_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.share_group_target_assignment_member:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.share_group_target_assignment_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.streams_group_current_member_assignment:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.streams_group_member_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.streams_group_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.streams_group_target_assignment_member:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.streams_group_target_assignment_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsValue.RecordType.streams_group_topology:
            pass
            self.message._fetch_instances()
        else:
            pass


