# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaWriteTxnMarkersResponse(KaitaiStruct):
    """`WriteTxnMarkersResponse`: a response of the API with key 27, after its header
    (see `kafka_response`).
    
    .. seealso::
       WriteTxnMarkersResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/WriteTxnMarkersResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaWriteTxnMarkersResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.num_markers = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.markers = []
        for i in range(self.num_markers.value):
            self.markers.append(KafkaWriteTxnMarkersResponse.WritableTxnMarkerResult(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_markers._fetch_instances()
        for i in range(len(self.markers)):
            pass
            self.markers[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class WritableTxnMarkerPartitionResult(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaWriteTxnMarkersResponse.WritableTxnMarkerPartitionResult, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition_index = self._io.read_s4be()
            self.error_code = self._io.read_s2be()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.tagged_fields._fetch_instances()


    class WritableTxnMarkerResult(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaWriteTxnMarkersResponse.WritableTxnMarkerResult, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.producer_id = self._io.read_s8be()
            self.num_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.topics = []
            for i in range(self.num_topics.value):
                self.topics.append(KafkaWriteTxnMarkersResponse.WritableTxnMarkerTopicResult(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_topics._fetch_instances()
            for i in range(len(self.topics)):
                pass
                self.topics[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class WritableTxnMarkerTopicResult(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaWriteTxnMarkersResponse.WritableTxnMarkerTopicResult, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaWriteTxnMarkersResponse.WritableTxnMarkerPartitionResult(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()

            self.tagged_fields._fetch_instances()



