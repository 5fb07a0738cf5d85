# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaDescribeShareGroupOffsetsRequest(KaitaiStruct):
    """`DescribeShareGroupOffsetsRequest`: a request of the API with key 90, after
    its header (see `kafka_request`).
    
    .. seealso::
       DescribeShareGroupOffsetsRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeShareGroupOffsetsRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaDescribeShareGroupOffsetsRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.num_groups = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.groups = []
        for i in range(self.num_groups.value):
            self.groups.append(KafkaDescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestGroup(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_groups._fetch_instances()
        for i in range(len(self.groups)):
            pass
            self.groups[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class DescribeShareGroupOffsetsRequestGroup(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestGroup, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.group_id = kafka_string.KafkaString(True, False, self._io)
            self.num_topics = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.topics = []
            for i in range(self.num_topics.value):
                self.topics.append(KafkaDescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestTopic(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.group_id._fetch_instances()
            self.num_topics._fetch_instances()
            for i in range(len(self.topics)):
                pass
                self.topics[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class DescribeShareGroupOffsetsRequestTopic(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestTopic, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic_name = kafka_string.KafkaString(True, False, self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(self._io.read_s4be())

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.topic_name._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass

            self.tagged_fields._fetch_instances()



