# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaListConfigResourcesRequest(KaitaiStruct):
    """`ListConfigResourcesRequest`: a request of the API with key 74, after its
    header (see `kafka_request`).
    
    .. seealso::
       ListConfigResourcesRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ListConfigResourcesRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaListConfigResourcesRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        if self.message_version >= 1:
            pass
            self.num_resource_types = kafka_array_length.KafkaArrayLength(True, False, self._io)

        if self.message_version >= 1:
            pass
            self.resource_types = []
            for i in range(self.num_resource_types.value):
                self.resource_types.append(self._io.read_s1())


        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        if self.message_version >= 1:
            pass
            self.num_resource_types._fetch_instances()

        if self.message_version >= 1:
            pass
            for i in range(len(self.resource_types)):
                pass


        self.tagged_fields._fetch_instances()


