# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaTopicRecord(KaitaiStruct):
    """A topic was created. Its partitions follow, as a `kafka_partition_record`
    each.
    
    .. seealso::
       TopicRecord - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/TopicRecord.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaTopicRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.name = kafka_string.KafkaString(True, False, self._io)
        self.topic_id = self._io.read_bytes(16)
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.name._fetch_instances()
        self.tagged_fields._fetch_instances()


