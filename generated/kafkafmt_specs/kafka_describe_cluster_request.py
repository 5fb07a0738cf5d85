# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_boolean
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaDescribeClusterRequest(KaitaiStruct):
    """`DescribeClusterRequest`: a request of the API with key 60, after its header
    (see `kafka_request`).
    
    .. seealso::
       DescribeClusterRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeClusterRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaDescribeClusterRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.include_cluster_authorized_operations = kafka_boolean.KafkaBoolean(self._io)
        if self.message_version >= 1:
            pass
            self.endpoint_type = self._io.read_s1()

        if self.message_version >= 2:
            pass
            self.include_fenced_brokers = kafka_boolean.KafkaBoolean(self._io)

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.include_cluster_authorized_operations._fetch_instances()
        if self.message_version >= 1:
            pass

        if self.message_version >= 2:
            pass
            self.include_fenced_brokers._fetch_instances()

        self.tagged_fields._fetch_instances()


