# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_bytes
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaRemoteLogSegmentMetadataUpdateRecord(KaitaiStruct):
    """The state of a segment in remote storage changed.
    
    .. seealso::
       RemoteLogSegmentMetadataUpdateRecord - https://github.com/apache/kafka/blob/4.4.0/storage/src/main/resources/message/RemoteLogSegmentMetadataUpdateRecord.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaRemoteLogSegmentMetadataUpdateRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.remote_log_segment_id = KafkaRemoteLogSegmentMetadataUpdateRecord.RemoteLogSegmentIdEntry(self._io, self, self._root)
        self.broker_id = self._io.read_s4be()
        self.event_timestamp_ms = self._io.read_s8be()
        self.custom_metadata = kafka_bytes.KafkaBytes(True, True, self._io)
        self.remote_log_segment_state = self._io.read_s1()
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.remote_log_segment_id._fetch_instances()
        self.custom_metadata._fetch_instances()
        self.tagged_fields._fetch_instances()

    class RemoteLogSegmentIdEntry(KaitaiStruct):
        """A copy of a segment."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRemoteLogSegmentMetadataUpdateRecord.RemoteLogSegmentIdEntry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic_id_partition = KafkaRemoteLogSegmentMetadataUpdateRecord.TopicIdPartitionEntry(self._io, self, self._root)
            self.id = self._io.read_bytes(16)
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.topic_id_partition._fetch_instances()
            self.tagged_fields._fetch_instances()


    class TopicIdPartitionEntry(KaitaiStruct):
        """A partition, by name and id of its topic."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRemoteLogSegmentMetadataUpdateRecord.TopicIdPartitionEntry, self).__init__(_io)
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



