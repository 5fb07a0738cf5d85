# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaOffsetDeleteResponse(KaitaiStruct):
    """`OffsetDeleteResponse`: a response of the API with key 47, after its header
    (see `kafka_response`).
    
    .. seealso::
       OffsetDeleteResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/OffsetDeleteResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaOffsetDeleteResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.error_code = self._io.read_s2be()
        self.throttle_time_ms = self._io.read_s4be()
        self.num_topics = kafka_array_length.KafkaArrayLength(False, False, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(KafkaOffsetDeleteResponse.OffsetDeleteResponseTopic(self._io, self, self._root))



    def _fetch_instances(self):
        pass
        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()


    class OffsetDeleteResponsePartition(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaOffsetDeleteResponse.OffsetDeleteResponsePartition, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition_index = self._io.read_s4be()
            self.error_code = self._io.read_s2be()


        def _fetch_instances(self):
            pass


    class OffsetDeleteResponseTopic(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaOffsetDeleteResponse.OffsetDeleteResponseTopic, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(False, False, self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(False, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaOffsetDeleteResponse.OffsetDeleteResponsePartition(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()




