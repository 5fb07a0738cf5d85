# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaListGroupsRequest(KaitaiStruct):
    """`ListGroupsRequest`: a request of the API with key 16, after its header (see
    `kafka_request`).
    
    .. seealso::
       ListGroupsRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ListGroupsRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaListGroupsRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        if self.message_version >= 4:
            pass
            self.num_states_filter = kafka_array_length.KafkaArrayLength(True, False, self._io)

        if self.message_version >= 4:
            pass
            self.states_filter = []
            for i in range(self.num_states_filter.value):
                self.states_filter.append(kafka_string.KafkaString(True, False, self._io))


        if self.message_version >= 5:
            pass
            self.num_types_filter = kafka_array_length.KafkaArrayLength(True, False, self._io)

        if self.message_version >= 5:
            pass
            self.types_filter = []
            for i in range(self.num_types_filter.value):
                self.types_filter.append(kafka_string.KafkaString(True, False, self._io))


        if self.message_version >= 3:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        if self.message_version >= 4:
            pass
            self.num_states_filter._fetch_instances()

        if self.message_version >= 4:
            pass
            for i in range(len(self.states_filter)):
                pass
                self.states_filter[i]._fetch_instances()


        if self.message_version >= 5:
            pass
            self.num_types_filter._fetch_instances()

        if self.message_version >= 5:
            pass
            for i in range(len(self.types_filter)):
                pass
                self.types_filter[i]._fetch_instances()


        if self.message_version >= 3:
            pass
            self.tagged_fields._fetch_instances()



