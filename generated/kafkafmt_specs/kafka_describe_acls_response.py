# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaDescribeAclsResponse(KaitaiStruct):
    """`DescribeAclsResponse`: a response of the API with key 29, after its header
    (see `kafka_response`).
    
    .. seealso::
       DescribeAclsResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeAclsResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaDescribeAclsResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.throttle_time_ms = self._io.read_s4be()
        self.error_code = self._io.read_s2be()
        self.error_message = kafka_string.KafkaString(self.message_version >= 2, True, self._io)
        self.num_resources = kafka_array_length.KafkaArrayLength(self.message_version >= 2, False, self._io)
        self.resources = []
        for i in range(self.num_resources.value):
            self.resources.append(KafkaDescribeAclsResponse.DescribeAclsResource(self._io, self, self._root))

        if self.message_version >= 2:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.error_message._fetch_instances()
        self.num_resources._fetch_instances()
        for i in range(len(self.resources)):
            pass
            self.resources[i]._fetch_instances()

        if self.message_version >= 2:
            pass
            self.tagged_fields._fetch_instances()


    class AclDescription(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeAclsResponse.AclDescription, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.principal = kafka_string.KafkaString(self._root.message_version >= 2, False, self._io)
            self.host = kafka_string.KafkaString(self._root.message_version >= 2, False, self._io)
            self.operation = self._io.read_s1()
            self.permission_type = self._io.read_s1()
            if self._root.message_version >= 2:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.principal._fetch_instances()
            self.host._fetch_instances()
            if self._root.message_version >= 2:
                pass
                self.tagged_fields._fetch_instances()



    class DescribeAclsResource(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeAclsResponse.DescribeAclsResource, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.resource_type = self._io.read_s1()
            self.resource_name = kafka_string.KafkaString(self._root.message_version >= 2, False, self._io)
            self.pattern_type = self._io.read_s1()
            self.num_acls = kafka_array_length.KafkaArrayLength(self._root.message_version >= 2, False, self._io)
            self.acls = []
            for i in range(self.num_acls.value):
                self.acls.append(KafkaDescribeAclsResponse.AclDescription(self._io, self, self._root))

            if self._root.message_version >= 2:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.resource_name._fetch_instances()
            self.num_acls._fetch_instances()
            for i in range(len(self.acls)):
                pass
                self.acls[i]._fetch_instances()

            if self._root.message_version >= 2:
                pass
                self.tagged_fields._fetch_instances()




