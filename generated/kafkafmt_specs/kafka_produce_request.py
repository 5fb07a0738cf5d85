# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_record_set
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaProduceRequest(KaitaiStruct):
    """`ProduceRequest`: a request of the API with key 0, after its header (see
    `kafka_request`).
    
    .. seealso::
       ProduceRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ProduceRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaProduceRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.transactional_id = kafka_string.KafkaString(self.message_version >= 9, True, self._io)
        self.acks = self._io.read_s2be()
        self.timeout_ms = self._io.read_s4be()
        self.num_topic_data = kafka_array_length.KafkaArrayLength(self.message_version >= 9, False, self._io)
        self.topic_data = []
        for i in range(self.num_topic_data.value):
            self.topic_data.append(KafkaProduceRequest.TopicProduceData(self._io, self, self._root))

        if self.message_version >= 9:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.transactional_id._fetch_instances()
        self.num_topic_data._fetch_instances()
        for i in range(len(self.topic_data)):
            pass
            self.topic_data[i]._fetch_instances()

        if self.message_version >= 9:
            pass
            self.tagged_fields._fetch_instances()


    class PartitionProduceData(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaProduceRequest.PartitionProduceData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.index = self._io.read_s4be()
            self.records = kafka_record_set.KafkaRecordSet(self._root.message_version >= 9, True, self._io)
            if self._root.message_version >= 9:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.records._fetch_instances()
            if self._root.message_version >= 9:
                pass
                self.tagged_fields._fetch_instances()



    class TopicProduceData(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaProduceRequest.TopicProduceData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version <= 12:
                pass
                self.name = kafka_string.KafkaString(self._root.message_version >= 9, False, self._io)

            if self._root.message_version >= 13:
                pass
                self.topic_id = self._io.read_bytes(16)

            self.num_partition_data = kafka_array_length.KafkaArrayLength(self._root.message_version >= 9, False, self._io)
            self.partition_data = []
            for i in range(self.num_partition_data.value):
                self.partition_data.append(KafkaProduceRequest.PartitionProduceData(self._io, self, self._root))

            if self._root.message_version >= 9:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version <= 12:
                pass
                self.name._fetch_instances()

            if self._root.message_version >= 13:
                pass

            self.num_partition_data._fetch_instances()
            for i in range(len(self.partition_data)):
                pass
                self.partition_data[i]._fetch_instances()

            if self._root.message_version >= 9:
                pass
                self.tagged_fields._fetch_instances()




