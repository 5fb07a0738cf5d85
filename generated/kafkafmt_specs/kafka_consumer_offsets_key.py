# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_consumer_group_current_member_assignment_key
from . import kafka_consumer_group_member_metadata_key
from . import kafka_consumer_group_metadata_key
from . import kafka_consumer_group_partition_metadata_key
from . import kafka_consumer_group_regular_expression_key
from . import kafka_consumer_group_target_assignment_member_key
from . import kafka_consumer_group_target_assignment_metadata_key
from . import kafka_group_metadata_key
from . import kafka_legacy_offset_commit_key
from . import kafka_offset_commit_key
from . import kafka_share_group_current_member_assignment_key
from . import kafka_share_group_member_metadata_key
from . import kafka_share_group_metadata_key
from . import kafka_share_group_state_partition_metadata_key
from . import kafka_share_group_target_assignment_member_key
from . import kafka_share_group_target_assignment_metadata_key
from . import kafka_streams_group_current_member_assignment_key
from . import kafka_streams_group_member_metadata_key
from . import kafka_streams_group_metadata_key
from . import kafka_streams_group_target_assignment_member_key
from . import kafka_streams_group_target_assignment_metadata_key
from . import kafka_streams_group_topology_key
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaConsumerOffsetsKey(KaitaiStruct):
    """Key of a record in `__consumer_offsets`, by the type that it begins with. The
    record's value is a `kafka_consumer_offsets_value` of the same type.
    
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
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaConsumerOffsetsKey, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.type = KaitaiStream.resolve_enum(KafkaConsumerOffsetsKey.RecordType, self._io.read_s2be())
        _on = self.type
        if _on == KafkaConsumerOffsetsKey.RecordType.consumer_group_current_member_assignment:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_consumer_group_current_member_assignment_key.KafkaConsumerGroupCurrentMemberAssignmentKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.consumer_group_member_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_consumer_group_member_metadata_key.KafkaConsumerGroupMemberMetadataKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.consumer_group_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_consumer_group_metadata_key.KafkaConsumerGroupMetadataKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.consumer_group_partition_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_consumer_group_partition_metadata_key.KafkaConsumerGroupPartitionMetadataKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.consumer_group_regular_expression:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_consumer_group_regular_expression_key.KafkaConsumerGroupRegularExpressionKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.consumer_group_target_assignment_member:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_consumer_group_target_assignment_member_key.KafkaConsumerGroupTargetAssignmentMemberKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.consumer_group_target_assignment_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_consumer_group_target_assignment_metadata_key.KafkaConsumerGroupTargetAssignmentMetadataKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.group_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_group_metadata_key.KafkaGroupMetadataKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.legacy_offset_commit:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_legacy_offset_commit_key.KafkaLegacyOffsetCommitKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.offset_commit:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_offset_commit_key.KafkaOffsetCommitKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.share_group_current_member_assignment:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_share_group_current_member_assignment_key.KafkaShareGroupCurrentMemberAssignmentKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.share_group_member_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_share_group_member_metadata_key.KafkaShareGroupMemberMetadataKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.share_group_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_share_group_metadata_key.KafkaShareGroupMetadataKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.share_group_state_partition_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_share_group_state_partition_metadata_key.KafkaShareGroupStatePartitionMetadataKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.share_group_target_assignment_member:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_share_group_target_assignment_member_key.KafkaShareGroupTargetAssignmentMemberKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.share_group_target_assignment_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_share_group_target_assignment_metadata_key.KafkaShareGroupTargetAssignmentMetadataKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.streams_group_current_member_assignment:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_streams_group_current_member_assignment_key.KafkaStreamsGroupCurrentMemberAssignmentKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.streams_group_member_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_streams_group_member_metadata_key.KafkaStreamsGroupMemberMetadataKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.streams_group_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_streams_group_metadata_key.KafkaStreamsGroupMetadataKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.streams_group_target_assignment_member:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_streams_group_target_assignment_member_key.KafkaStreamsGroupTargetAssignmentMemberKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.streams_group_target_assignment_metadata:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_streams_group_target_assignment_metadata_key.KafkaStreamsGroupTargetAssignmentMetadataKey(_io__raw_message)
        elif _on == KafkaConsumerOffsetsKey.RecordType.streams_group_topology:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_streams_group_topology_key.KafkaStreamsGroupTopologyKey(_io__raw_message)
        else:
            pass
            self.message = self._io.read_bytes_full()


    def _fetch_instances(self):
        pass
        _on = self.type
        if _on == KafkaConsumerOffsetsKey.RecordType.consumer_group_current_member_assignment:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.consumer_group_member_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.consumer_group_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.consumer_group_partition_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.consumer_group_regular_expression:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.consumer_group_target_assignment_member:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.consumer_group_target_assignment_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.group_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.legacy_offset_commit:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.offset_commit:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.share_group_current_member_assignment:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.share_group_member_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.share_group_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.share_group_state_partition_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.share_group_target_assignment_member:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.share_group_target_assignment_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.streams_group_current_member_assignment:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.streams_group_member_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.streams_group_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.streams_group_target_assignment_member:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.streams_group_target_assignment_metadata:
            pass
            self.message._fetch_instances()
        elif _on == KafkaConsumerOffsetsKey.RecordType.streams_group_topology:
            pass
            self.message._fetch_instances()
        else:
            pass


