# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_string
from . import kafka_tagged_fields
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaRemotePartitionDeleteMetadataRecord(KaitaiStruct):
    """A partition is to be deleted from remote storage.
    
    .. seealso::
       RemotePartitionDeleteMetadataRecord - https://github.com/apache/kafka/blob/4.4.0/storage/src/main/resources/message/RemotePartitionDeleteMetadataRecord.json
    """
    SEQ_FIELDS = ["topic_id_partition", "broker_id", "event_timestamp_ms", "remote_partition_delete_state", "tagged_fields"]
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaRemotePartitionDeleteMetadataRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['topic_id_partition']['start'] = self._io.pos()
        self.topic_id_partition = KafkaRemotePartitionDeleteMetadataRecord.TopicIdPartitionEntry(self._io, self, self._root)
        self.topic_id_partition._read()
        self._debug['topic_id_partition']['end'] = self._io.pos()
        self._debug['broker_id']['start'] = self._io.pos()
        self.broker_id = self._io.read_s4be()
        self._debug['broker_id']['end'] = self._io.pos()
        self._debug['event_timestamp_ms']['start'] = self._io.pos()
        self.event_timestamp_ms = self._io.read_s8be()
        self._debug['event_timestamp_ms']['end'] = self._io.pos()
        self._debug['remote_partition_delete_state']['start'] = self._io.pos()
        self.remote_partition_delete_state = self._io.read_s1()
        self._debug['remote_partition_delete_state']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.topic_id_partition._fetch_instances()
        self.tagged_fields._fetch_instances()

    class TopicIdPartitionEntry(KaitaiStruct):
        """A partition, by name and id of its topic."""
        SEQ_FIELDS = ["name", "id", "partition", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRemotePartitionDeleteMetadataRecord.TopicIdPartitionEntry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['name']['start'] = self._io.pos()
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.name._read()
            self._debug['name']['end'] = self._io.pos()
            self._debug['id']['start'] = self._io.pos()
            self.id = self._io.read_bytes(16)
            self._debug['id']['end'] = self._io.pos()
            self._debug['partition']['start'] = self._io.pos()
            self.partition = self._io.read_s4be()
            self._debug['partition']['end'] = self._io.pos()
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.tagged_fields._fetch_instances()



