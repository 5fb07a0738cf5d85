# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaDeleteAclsRequest(KaitaiStruct):
    """`DeleteAclsRequest`: a request of the API with key 31, after its header (see
    `kafka_request`).
    
    .. seealso::
       DeleteAclsRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DeleteAclsRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaDeleteAclsRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.num_filters = kafka_array_length.KafkaArrayLength(self.message_version >= 2, False, self._io)
        self.filters = []
        for i in range(self.num_filters.value):
            self.filters.append(KafkaDeleteAclsRequest.DeleteAclsFilter(self._io, self, self._root))

        if self.message_version >= 2:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.num_filters._fetch_instances()
        for i in range(len(self.filters)):
            pass
            self.filters[i]._fetch_instances()

        if self.message_version >= 2:
            pass
            self.tagged_fields._fetch_instances()


    class DeleteAclsFilter(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDeleteAclsRequest.DeleteAclsFilter, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.resource_type_filter = self._io.read_s1()
            self.resource_name_filter = kafka_string.KafkaString(self._root.message_version >= 2, True, self._io)
            self.pattern_type_filter = self._io.read_s1()
            self.principal_filter = kafka_string.KafkaString(self._root.message_version >= 2, True, self._io)
            self.host_filter = kafka_string.KafkaString(self._root.message_version >= 2, True, self._io)
            self.operation = self._io.read_s1()
            self.permission_type = self._io.read_s1()
            if self._root.message_version >= 2:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.resource_name_filter._fetch_instances()
            self.principal_filter._fetch_instances()
            self.host_filter._fetch_instances()
            if self._root.message_version >= 2:
                pass
                self.tagged_fields._fetch_instances()




