# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_boolean
from . import kafka_bytes
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaJoinGroupResponse(KaitaiStruct):
    """`JoinGroupResponse`: a response of the API with key 11, after its header (see
    `kafka_response`).
    
    .. seealso::
       JoinGroupResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/JoinGroupResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaJoinGroupResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        if self.message_version >= 2:
            pass
            self.throttle_time_ms = self._io.read_s4be()

        self.error_code = self._io.read_s2be()
        self.generation_id = self._io.read_s4be()
        if self.message_version >= 7:
            pass
            self.protocol_type = kafka_string.KafkaString(True, True, self._io)

        self.protocol_name = kafka_string.KafkaString(self.message_version >= 6, self.message_version >= 7, self._io)
        self.leader = kafka_string.KafkaString(self.message_version >= 6, False, self._io)
        if self.message_version >= 9:
            pass
            self.skip_assignment = kafka_boolean.KafkaBoolean(self._io)

        self.member_id = kafka_string.KafkaString(self.message_version >= 6, False, self._io)
        self.num_members = kafka_array_length.KafkaArrayLength(self.message_version >= 6, False, self._io)
        self.members = []
        for i in range(self.num_members.value):
            self.members.append(KafkaJoinGroupResponse.JoinGroupResponseMember(self._io, self, self._root))

        if self.message_version >= 6:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        if self.message_version >= 2:
            pass

        if self.message_version >= 7:
            pass
            self.protocol_type._fetch_instances()

        self.protocol_name._fetch_instances()
        self.leader._fetch_instances()
        if self.message_version >= 9:
            pass
            self.skip_assignment._fetch_instances()

        self.member_id._fetch_instances()
        self.num_members._fetch_instances()
        for i in range(len(self.members)):
            pass
            self.members[i]._fetch_instances()

        if self.message_version >= 6:
            pass
            self.tagged_fields._fetch_instances()


    class JoinGroupResponseMember(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaJoinGroupResponse.JoinGroupResponseMember, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.member_id = kafka_string.KafkaString(self._root.message_version >= 6, False, self._io)
            if self._root.message_version >= 5:
                pass
                self.group_instance_id = kafka_string.KafkaString(self._root.message_version >= 6, True, self._io)

            self.metadata = kafka_bytes.KafkaBytes(self._root.message_version >= 6, False, self._io)
            if self._root.message_version >= 6:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.member_id._fetch_instances()
            if self._root.message_version >= 5:
                pass
                self.group_instance_id._fetch_instances()

            self.metadata._fetch_instances()
            if self._root.message_version >= 6:
                pass
                self.tagged_fields._fetch_instances()




