# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaElectLeadersRequest(KaitaiStruct):
    """`ElectLeadersRequest`: a request of the API with key 43, after its header (see
    `kafka_request`).
    
    .. seealso::
       ElectLeadersRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ElectLeadersRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaElectLeadersRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        if self.message_version >= 1:
            pass
            self.election_type = self._io.read_s1()

        self.num_topic_partitions = kafka_array_length.KafkaArrayLength(self.message_version >= 2, True, self._io)
        self.topic_partitions = []
        for i in range(self.num_topic_partitions.value):
            self.topic_partitions.append(KafkaElectLeadersRequest.TopicPartitions(self._io, self, self._root))

        self.timeout_ms = self._io.read_s4be()
        if self.message_version >= 2:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        if self.message_version >= 1:
            pass

        self.num_topic_partitions._fetch_instances()
        for i in range(len(self.topic_partitions)):
            pass
            self.topic_partitions[i]._fetch_instances()

        if self.message_version >= 2:
            pass
            self.tagged_fields._fetch_instances()


    class TopicPartitions(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaElectLeadersRequest.TopicPartitions, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic = kafka_string.KafkaString(self._root.message_version >= 2, False, self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(self._root.message_version >= 2, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(self._io.read_s4be())

            if self._root.message_version >= 2:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.topic._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass

            if self._root.message_version >= 2:
                pass
                self.tagged_fields._fetch_instances()




