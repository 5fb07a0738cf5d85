# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaCreateAclsResponse(KaitaiStruct):
    """`CreateAclsResponse`: a response of the API with key 30, after its header (see
    `kafka_response`).
    
    .. seealso::
       CreateAclsResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/CreateAclsResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaCreateAclsResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.throttle_time_ms = self._io.read_s4be()
        self.num_results = kafka_array_length.KafkaArrayLength(self.message_version >= 2, False, self._io)
        self.results = []
        for i in range(self.num_results.value):
            self.results.append(KafkaCreateAclsResponse.AclCreationResult(self._io, self, self._root))

        if self.message_version >= 2:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.num_results._fetch_instances()
        for i in range(len(self.results)):
            pass
            self.results[i]._fetch_instances()

        if self.message_version >= 2:
            pass
            self.tagged_fields._fetch_instances()


    class AclCreationResult(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaCreateAclsResponse.AclCreationResult, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.error_code = self._io.read_s2be()
            self.error_message = kafka_string.KafkaString(self._root.message_version >= 2, True, self._io)
            if self._root.message_version >= 2:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.error_message._fetch_instances()
            if self._root.message_version >= 2:
                pass
                self.tagged_fields._fetch_instances()




