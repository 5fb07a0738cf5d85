# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_boolean
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaMetadataRequest(KaitaiStruct):
    """`MetadataRequest`: a request of the API with key 3, after its header (see
    `kafka_request`).
    
    .. seealso::
       MetadataRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/MetadataRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaMetadataRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.num_topics = kafka_array_length.KafkaArrayLength(self.message_version >= 9, self.message_version >= 1, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(KafkaMetadataRequest.MetadataRequestTopic(self._io, self, self._root))

        if self.message_version >= 4:
            pass
            self.allow_auto_topic_creation = kafka_boolean.KafkaBoolean(self._io)

        if  ((self.message_version >= 8) and (self.message_version <= 10)) :
            pass
            self.include_cluster_authorized_operations = kafka_boolean.KafkaBoolean(self._io)

        if self.message_version >= 8:
            pass
            self.include_topic_authorized_operations = kafka_boolean.KafkaBoolean(self._io)

        if self.message_version >= 9:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        if self.message_version >= 4:
            pass
            self.allow_auto_topic_creation._fetch_instances()

        if  ((self.message_version >= 8) and (self.message_version <= 10)) :
            pass
            self.include_cluster_authorized_operations._fetch_instances()

        if self.message_version >= 8:
            pass
            self.include_topic_authorized_operations._fetch_instances()

        if self.message_version >= 9:
            pass
            self.tagged_fields._fetch_instances()


    class MetadataRequestTopic(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaMetadataRequest.MetadataRequestTopic, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 10:
                pass
                self.topic_id = self._io.read_bytes(16)

            self.name = kafka_string.KafkaString(self._root.message_version >= 9, self._root.message_version >= 10, self._io)
            if self._root.message_version >= 9:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 10:
                pass

            self.name._fetch_instances()
            if self._root.message_version >= 9:
                pass
                self.tagged_fields._fetch_instances()




