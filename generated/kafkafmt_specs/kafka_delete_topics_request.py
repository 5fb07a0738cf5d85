# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaDeleteTopicsRequest(KaitaiStruct):
    """`DeleteTopicsRequest`: a request of the API with key 20, after its header (see
    `kafka_request`).
    
    .. seealso::
       DeleteTopicsRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DeleteTopicsRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaDeleteTopicsRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        if self.message_version >= 6:
            pass
            self.num_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)

        if self.message_version >= 6:
            pass
            self.topics = []
            for i in range(self.num_topics.value):
                self.topics.append(KafkaDeleteTopicsRequest.DeleteTopicState(self._io, self, self._root))


        if self.message_version <= 5:
            pass
            self.num_topic_names = kafka_array_length.KafkaArrayLength(self.message_version >= 4, False, self._io)

        if self.message_version <= 5:
            pass
            self.topic_names = []
            for i in range(self.num_topic_names.value):
                self.topic_names.append(kafka_string.KafkaString(self.message_version >= 4, False, self._io))


        self.timeout_ms = self._io.read_s4be()
        if self.message_version >= 4:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        if self.message_version >= 6:
            pass
            self.num_topics._fetch_instances()

        if self.message_version >= 6:
            pass
            for i in range(len(self.topics)):
                pass
                self.topics[i]._fetch_instances()


        if self.message_version <= 5:
            pass
            self.num_topic_names._fetch_instances()

        if self.message_version <= 5:
            pass
            for i in range(len(self.topic_names)):
                pass
                self.topic_names[i]._fetch_instances()


        if self.message_version >= 4:
            pass
            self.tagged_fields._fetch_instances()


    class DeleteTopicState(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDeleteTopicsRequest.DeleteTopicState, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 6:
                pass
                self.name = kafka_string.KafkaString(True, True, self._io)

            if self._root.message_version >= 6:
                pass
                self.topic_id = self._io.read_bytes(16)

            if self._root.message_version >= 4:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 6:
                pass
                self.name._fetch_instances()

            if self._root.message_version >= 6:
                pass

            if self._root.message_version >= 4:
                pass
                self.tagged_fields._fetch_instances()




