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

class KafkaWriteTxnMarkersRequest(KaitaiStruct):
    """`WriteTxnMarkersRequest`: a request of the API with key 27, after its header
    (see `kafka_request`).
    
    .. seealso::
       WriteTxnMarkersRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/WriteTxnMarkersRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaWriteTxnMarkersRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.num_markers = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.markers = []
        for i in range(self.num_markers.value):
            self.markers.append(KafkaWriteTxnMarkersRequest.WritableTxnMarker(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_markers._fetch_instances()
        for i in range(len(self.markers)):
            pass
            self.markers[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class WritableTxnMarker(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaWriteTxnMarkersRequest.WritableTxnMarker, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.producer_id = self._io.read_s8be()
            self.producer_epoch = self._io.read_s2be()
            self.transaction_result = kafka_boolean.KafkaBoolean(self._io)
            self.num_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.topics = []
            for i in range(self.num_topics.value):
                self.topics.append(KafkaWriteTxnMarkersRequest.WritableTxnMarkerTopic(self._io, self, self._root))

            self.coordinator_epoch = self._io.read_s4be()
            if self._root.message_version >= 2:
                pass
                self.transaction_version = self._io.read_s1()

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.transaction_result._fetch_instances()
            self.num_topics._fetch_instances()
            for i in range(len(self.topics)):
                pass
                self.topics[i]._fetch_instances()

            if self._root.message_version >= 2:
                pass

            self.tagged_fields._fetch_instances()


    class WritableTxnMarkerTopic(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaWriteTxnMarkersRequest.WritableTxnMarkerTopic, self).__init__(_io)
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



