# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaDescribeProducersRequest(KaitaiStruct):
    """`DescribeProducersRequest`: a request of the API with key 61, after its header
    (see `kafka_request`).
    
    .. seealso::
       DescribeProducersRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeProducersRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaDescribeProducersRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.num_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(KafkaDescribeProducersRequest.TopicRequest(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class TopicRequest(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeProducersRequest.TopicRequest, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.num_partition_indexes = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partition_indexes = []
            for i in range(self.num_partition_indexes.value):
                self.partition_indexes.append(self._io.read_s4be())

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.num_partition_indexes._fetch_instances()
            for i in range(len(self.partition_indexes)):
                pass

            self.tagged_fields._fetch_instances()



