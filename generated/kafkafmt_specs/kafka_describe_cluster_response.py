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

class KafkaDescribeClusterResponse(KaitaiStruct):
    """`DescribeClusterResponse`: a response of the API with key 60, after its header
    (see `kafka_response`).
    
    .. seealso::
       DescribeClusterResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeClusterResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaDescribeClusterResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.throttle_time_ms = self._io.read_s4be()
        self.error_code = self._io.read_s2be()
        self.error_message = kafka_string.KafkaString(True, True, self._io)
        if self.message_version >= 1:
            pass
            self.endpoint_type = self._io.read_s1()

        self.cluster_id = kafka_string.KafkaString(True, False, self._io)
        self.controller_id = self._io.read_s4be()
        self.num_brokers = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.brokers = []
        for i in range(self.num_brokers.value):
            self.brokers.append(KafkaDescribeClusterResponse.DescribeClusterBroker(self._io, self, self._root))

        self.cluster_authorized_operations = self._io.read_s4be()
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.error_message._fetch_instances()
        if self.message_version >= 1:
            pass

        self.cluster_id._fetch_instances()
        self.num_brokers._fetch_instances()
        for i in range(len(self.brokers)):
            pass
            self.brokers[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class DescribeClusterBroker(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeClusterResponse.DescribeClusterBroker, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.broker_id = self._io.read_s4be()
            self.host = kafka_string.KafkaString(True, False, self._io)
            self.port = self._io.read_s4be()
            self.rack = kafka_string.KafkaString(True, True, self._io)
            if self._root.message_version >= 2:
                pass
                self.is_fenced = kafka_boolean.KafkaBoolean(self._io)

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.host._fetch_instances()
            self.rack._fetch_instances()
            if self._root.message_version >= 2:
                pass
                self.is_fenced._fetch_instances()

            self.tagged_fields._fetch_instances()



