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

class KafkaDescribeGroupsRequest(KaitaiStruct):
    """`DescribeGroupsRequest`: a request of the API with key 15, after its header
    (see `kafka_request`).
    
    .. seealso::
       DescribeGroupsRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeGroupsRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaDescribeGroupsRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.num_groups = kafka_array_length.KafkaArrayLength(self.message_version >= 5, False, self._io)
        self.groups = []
        for i in range(self.num_groups.value):
            self.groups.append(kafka_string.KafkaString(self.message_version >= 5, False, self._io))

        if self.message_version >= 3:
            pass
            self.include_authorized_operations = kafka_boolean.KafkaBoolean(self._io)

        if self.message_version >= 5:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.num_groups._fetch_instances()
        for i in range(len(self.groups)):
            pass
            self.groups[i]._fetch_instances()

        if self.message_version >= 3:
            pass
            self.include_authorized_operations._fetch_instances()

        if self.message_version >= 5:
            pass
            self.tagged_fields._fetch_instances()



