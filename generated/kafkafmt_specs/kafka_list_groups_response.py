# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaListGroupsResponse(KaitaiStruct):
    """`ListGroupsResponse`: a response of the API with key 16, after its header (see
    `kafka_response`).
    
    .. seealso::
       ListGroupsResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ListGroupsResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaListGroupsResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        if self.message_version >= 1:
            pass
            self.throttle_time_ms = self._io.read_s4be()

        self.error_code = self._io.read_s2be()
        self.num_groups = kafka_array_length.KafkaArrayLength(self.message_version >= 3, False, self._io)
        self.groups = []
        for i in range(self.num_groups.value):
            self.groups.append(KafkaListGroupsResponse.ListedGroup(self._io, self, self._root))

        if self.message_version >= 3:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        if self.message_version >= 1:
            pass

        self.num_groups._fetch_instances()
        for i in range(len(self.groups)):
            pass
            self.groups[i]._fetch_instances()

        if self.message_version >= 3:
            pass
            self.tagged_fields._fetch_instances()


    class ListedGroup(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaListGroupsResponse.ListedGroup, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.group_id = kafka_string.KafkaString(self._root.message_version >= 3, False, self._io)
            self.protocol_type = kafka_string.KafkaString(self._root.message_version >= 3, False, self._io)
            if self._root.message_version >= 4:
                pass
                self.group_state = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 5:
                pass
                self.group_type = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 3:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.group_id._fetch_instances()
            self.protocol_type._fetch_instances()
            if self._root.message_version >= 4:
                pass
                self.group_state._fetch_instances()

            if self._root.message_version >= 5:
                pass
                self.group_type._fetch_instances()

            if self._root.message_version >= 3:
                pass
                self.tagged_fields._fetch_instances()




