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

class KafkaDescribeClientQuotasRequest(KaitaiStruct):
    """`DescribeClientQuotasRequest`: a request of the API with key 48, after its
    header (see `kafka_request`).
    
    .. seealso::
       DescribeClientQuotasRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeClientQuotasRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaDescribeClientQuotasRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.num_components = kafka_array_length.KafkaArrayLength(self.message_version >= 1, False, self._io)
        self.components = []
        for i in range(self.num_components.value):
            self.components.append(KafkaDescribeClientQuotasRequest.ComponentData(self._io, self, self._root))

        self.strict = kafka_boolean.KafkaBoolean(self._io)
        if self.message_version >= 1:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.num_components._fetch_instances()
        for i in range(len(self.components)):
            pass
            self.components[i]._fetch_instances()

        self.strict._fetch_instances()
        if self.message_version >= 1:
            pass
            self.tagged_fields._fetch_instances()


    class ComponentData(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeClientQuotasRequest.ComponentData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.entity_type = kafka_string.KafkaString(self._root.message_version >= 1, False, self._io)
            self.match_type = self._io.read_s1()
            self.match = kafka_string.KafkaString(self._root.message_version >= 1, True, self._io)
            if self._root.message_version >= 1:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.entity_type._fetch_instances()
            self.match._fetch_instances()
            if self._root.message_version >= 1:
                pass
                self.tagged_fields._fetch_instances()




