# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaLeaveGroupResponse(KaitaiStruct):
    """`LeaveGroupResponse`: a response of the API with key 13, after its header (see
    `kafka_response`).
    
    .. seealso::
       LeaveGroupResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/LeaveGroupResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaLeaveGroupResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        if self.message_version >= 1:
            pass
            self.throttle_time_ms = self._io.read_s4be()

        self.error_code = self._io.read_s2be()
        if self.message_version >= 3:
            pass
            self.num_members = kafka_array_length.KafkaArrayLength(self.message_version >= 4, False, self._io)

        if self.message_version >= 3:
            pass
            self.members = []
            for i in range(self.num_members.value):
                self.members.append(KafkaLeaveGroupResponse.MemberResponse(self._io, self, self._root))


        if self.message_version >= 4:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        if self.message_version >= 1:
            pass

        if self.message_version >= 3:
            pass
            self.num_members._fetch_instances()

        if self.message_version >= 3:
            pass
            for i in range(len(self.members)):
                pass
                self.members[i]._fetch_instances()


        if self.message_version >= 4:
            pass
            self.tagged_fields._fetch_instances()


    class MemberResponse(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaLeaveGroupResponse.MemberResponse, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 3:
                pass
                self.member_id = kafka_string.KafkaString(self._root.message_version >= 4, False, self._io)

            if self._root.message_version >= 3:
                pass
                self.group_instance_id = kafka_string.KafkaString(self._root.message_version >= 4, True, self._io)

            if self._root.message_version >= 3:
                pass
                self.error_code = self._io.read_s2be()

            if self._root.message_version >= 4:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 3:
                pass
                self.member_id._fetch_instances()

            if self._root.message_version >= 3:
                pass
                self.group_instance_id._fetch_instances()

            if self._root.message_version >= 3:
                pass

            if self._root.message_version >= 4:
                pass
                self.tagged_fields._fetch_instances()




