# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_boolean
from . import kafka_bytes
from . import kafka_string
from . import kafka_tagged_fields
from . import kafka_unsigned_varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaRemoteLogSegmentMetadataRecord(KaitaiStruct):
    """A segment is being copied to remote storage.
    
    .. seealso::
       RemoteLogSegmentMetadataRecord - https://github.com/apache/kafka/blob/4.4.0/storage/src/main/resources/message/RemoteLogSegmentMetadataRecord.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaRemoteLogSegmentMetadataRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.remote_log_segment_id = KafkaRemoteLogSegmentMetadataRecord.RemoteLogSegmentIdEntry(self._io, self, self._root)
        self.start_offset = self._io.read_s8be()
        self.end_offset = self._io.read_s8be()
        self.broker_id = self._io.read_s4be()
        self.max_timestamp_ms = self._io.read_s8be()
        self.event_timestamp_ms = self._io.read_s8be()
        self.num_segment_leader_epochs = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.segment_leader_epochs = []
        for i in range(self.num_segment_leader_epochs.value):
            self.segment_leader_epochs.append(KafkaRemoteLogSegmentMetadataRecord.SegmentLeaderEpochEntry(self._io, self, self._root))

        self.segment_size_in_bytes = self._io.read_s4be()
        self.custom_metadata = kafka_bytes.KafkaBytes(True, True, self._io)
        self.remote_log_segment_state = self._io.read_s1()
        self.tagged_fields = KafkaRemoteLogSegmentMetadataRecord.TaggedFields(self._io, self, self._root)


    def _fetch_instances(self):
        pass
        self.remote_log_segment_id._fetch_instances()
        self.num_segment_leader_epochs._fetch_instances()
        for i in range(len(self.segment_leader_epochs)):
            pass
            self.segment_leader_epochs[i]._fetch_instances()

        self.custom_metadata._fetch_instances()
        self.tagged_fields._fetch_instances()

    class RemoteLogSegmentIdEntry(KaitaiStruct):
        """A copy of a segment."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRemoteLogSegmentMetadataRecord.RemoteLogSegmentIdEntry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic_id_partition = KafkaRemoteLogSegmentMetadataRecord.TopicIdPartitionEntry(self._io, self, self._root)
            self.id = self._io.read_bytes(16)
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.topic_id_partition._fetch_instances()
            self.tagged_fields._fetch_instances()


    class SegmentLeaderEpochEntry(KaitaiStruct):
        """A leader epoch, and its first offset in the segment."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRemoteLogSegmentMetadataRecord.SegmentLeaderEpochEntry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.leader_epoch = self._io.read_s4be()
            self.offset = self._io.read_s8be()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.tagged_fields._fetch_instances()


    class TaggedField(KaitaiStruct):
        """A field that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRemoteLogSegmentMetadataRecord.TaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_data = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaRemoteLogSegmentMetadataRecord.TxnIndexEmptyTag(_io__raw_data, self, self._root)
            else:
                pass
                self.data = self._io.read_bytes(self.len_data.value)


        def _fetch_instances(self):
            pass
            self.tag._fetch_instances()
            self.len_data._fetch_instances()
            _on = self.tag.value
            if _on == 0:
                pass
                self.data._fetch_instances()
            else:
                pass


    class TaggedFields(KaitaiStruct):
        """Fields that may be missing (KIP-482)."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRemoteLogSegmentMetadataRecord.TaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.fields = []
            for i in range(self.num_fields.value):
                self.fields.append(KafkaRemoteLogSegmentMetadataRecord.TaggedField(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class TopicIdPartitionEntry(KaitaiStruct):
        """A partition, by name and id of its topic."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRemoteLogSegmentMetadataRecord.TopicIdPartitionEntry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.id = self._io.read_bytes(16)
            self.partition = self._io.read_s4be()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.tagged_fields._fetch_instances()


    class TxnIndexEmptyTag(KaitaiStruct):
        """Field of tag 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRemoteLogSegmentMetadataRecord.TxnIndexEmptyTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.txn_index_empty = kafka_boolean.KafkaBoolean(self._io)
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.txn_index_empty._fetch_instances()
            if (not (self._io.is_eof())):
                pass




