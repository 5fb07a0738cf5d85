# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaListOffsetsResponse(KaitaiStruct):
    """`ListOffsetsResponse`: a response of the API with key 2, after its header (see
    `kafka_response`).
    
    .. seealso::
       ListOffsetsResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ListOffsetsResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaListOffsetsResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        if self.message_version >= 2:
            pass
            self.throttle_time_ms = self._io.read_s4be()

        self.num_topics = kafka_array_length.KafkaArrayLength(self.message_version >= 6, False, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(KafkaListOffsetsResponse.ListOffsetsTopicResponse(self._io, self, self._root))

        if self.message_version >= 6:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        if self.message_version >= 2:
            pass

        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        if self.message_version >= 6:
            pass
            self.tagged_fields._fetch_instances()


    class ListOffsetsPartitionResponse(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaListOffsetsResponse.ListOffsetsPartitionResponse, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition_index = self._io.read_s4be()
            self.error_code = self._io.read_s2be()
            self.timestamp = self._io.read_s8be()
            self.offset = self._io.read_s8be()
            if self._root.message_version >= 4:
                pass
                self.leader_epoch = self._io.read_s4be()

            if self._root.message_version >= 6:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 4:
                pass

            if self._root.message_version >= 6:
                pass
                self.tagged_fields._fetch_instances()



    class ListOffsetsTopicResponse(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaListOffsetsResponse.ListOffsetsTopicResponse, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(self._root.message_version >= 6, False, self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(self._root.message_version >= 6, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaListOffsetsResponse.ListOffsetsPartitionResponse(self._io, self, self._root))

            if self._root.message_version >= 6:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()

            if self._root.message_version >= 6:
                pass
                self.tagged_fields._fetch_instances()




