# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaCreateAclsRequest(KaitaiStruct):
    """`CreateAclsRequest`: a request of the API with key 30, after its header (see
    `kafka_request`).
    
    .. seealso::
       CreateAclsRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/CreateAclsRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaCreateAclsRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.num_creations = kafka_array_length.KafkaArrayLength(self.message_version >= 2, False, self._io)
        self.creations = []
        for i in range(self.num_creations.value):
            self.creations.append(KafkaCreateAclsRequest.AclCreation(self._io, self, self._root))

        if self.message_version >= 2:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.num_creations._fetch_instances()
        for i in range(len(self.creations)):
            pass
            self.creations[i]._fetch_instances()

        if self.message_version >= 2:
            pass
            self.tagged_fields._fetch_instances()


    class AclCreation(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaCreateAclsRequest.AclCreation, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.resource_type = self._io.read_s1()
            self.resource_name = kafka_string.KafkaString(self._root.message_version >= 2, False, self._io)
            self.resource_pattern_type = self._io.read_s1()
            self.principal = kafka_string.KafkaString(self._root.message_version >= 2, False, self._io)
            self.host = kafka_string.KafkaString(self._root.message_version >= 2, False, self._io)
            self.operation = self._io.read_s1()
            self.permission_type = self._io.read_s1()
            if self._root.message_version >= 2:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.resource_name._fetch_instances()
            self.principal._fetch_instances()
            self.host._fetch_instances()
            if self._root.message_version >= 2:
                pass
                self.tagged_fields._fetch_instances()




