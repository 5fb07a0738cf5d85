# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaDescribeAclsRequest(KaitaiStruct):
    """`DescribeAclsRequest`: a request of the API with key 29, after its header (see
    `kafka_request`).
    
    .. seealso::
       DescribeAclsRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeAclsRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaDescribeAclsRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.resource_type_filter = self._io.read_s1()
        self.resource_name_filter = kafka_string.KafkaString(self.message_version >= 2, True, self._io)
        self.pattern_type_filter = self._io.read_s1()
        self.principal_filter = kafka_string.KafkaString(self.message_version >= 2, True, self._io)
        self.host_filter = kafka_string.KafkaString(self.message_version >= 2, True, self._io)
        self.operation = self._io.read_s1()
        self.permission_type = self._io.read_s1()
        if self.message_version >= 2:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.resource_name_filter._fetch_instances()
        self.principal_filter._fetch_instances()
        self.host_filter._fetch_instances()
        if self.message_version >= 2:
            pass
            self.tagged_fields._fetch_instances()



