# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_bytes
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaDescribeGroupsResponse(KaitaiStruct):
    """`DescribeGroupsResponse`: a response of the API with key 15, after its header
    (see `kafka_response`).
    
    .. seealso::
       DescribeGroupsResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeGroupsResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaDescribeGroupsResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        if self.message_version >= 1:
            pass
            self.throttle_time_ms = self._io.read_s4be()

        self.num_groups = kafka_array_length.KafkaArrayLength(self.message_version >= 5, False, self._io)
        self.groups = []
        for i in range(self.num_groups.value):
            self.groups.append(KafkaDescribeGroupsResponse.DescribedGroup(self._io, self, self._root))

        if self.message_version >= 5:
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

        if self.message_version >= 5:
            pass
            self.tagged_fields._fetch_instances()


    class DescribedGroup(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeGroupsResponse.DescribedGroup, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.error_code = self._io.read_s2be()
            if self._root.message_version >= 6:
                pass
                self.error_message = kafka_string.KafkaString(True, True, self._io)

            self.group_id = kafka_string.KafkaString(self._root.message_version >= 5, False, self._io)
            self.group_state = kafka_string.KafkaString(self._root.message_version >= 5, False, self._io)
            self.protocol_type = kafka_string.KafkaString(self._root.message_version >= 5, False, self._io)
            self.protocol_data = kafka_string.KafkaString(self._root.message_version >= 5, False, self._io)
            self.num_members = kafka_array_length.KafkaArrayLength(self._root.message_version >= 5, False, self._io)
            self.members = []
            for i in range(self.num_members.value):
                self.members.append(KafkaDescribeGroupsResponse.DescribedGroupMember(self._io, self, self._root))

            if self._root.message_version >= 3:
                pass
                self.authorized_operations = self._io.read_s4be()

            if self._root.message_version >= 5:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 6:
                pass
                self.error_message._fetch_instances()

            self.group_id._fetch_instances()
            self.group_state._fetch_instances()
            self.protocol_type._fetch_instances()
            self.protocol_data._fetch_instances()
            self.num_members._fetch_instances()
            for i in range(len(self.members)):
                pass
                self.members[i]._fetch_instances()

            if self._root.message_version >= 3:
                pass

            if self._root.message_version >= 5:
                pass
                self.tagged_fields._fetch_instances()



    class DescribedGroupMember(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeGroupsResponse.DescribedGroupMember, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.member_id = kafka_string.KafkaString(self._root.message_version >= 5, False, self._io)
            if self._root.message_version >= 4:
                pass
                self.group_instance_id = kafka_string.KafkaString(self._root.message_version >= 5, True, self._io)

            self.client_id = kafka_string.KafkaString(self._root.message_version >= 5, False, self._io)
            self.client_host = kafka_string.KafkaString(self._root.message_version >= 5, False, self._io)
            self.member_metadata = kafka_bytes.KafkaBytes(self._root.message_version >= 5, False, self._io)
            self.member_assignment = kafka_bytes.KafkaBytes(self._root.message_version >= 5, False, self._io)
            if self._root.message_version >= 5:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.member_id._fetch_instances()
            if self._root.message_version >= 4:
                pass
                self.group_instance_id._fetch_instances()

            self.client_id._fetch_instances()
            self.client_host._fetch_instances()
            self.member_metadata._fetch_instances()
            self.member_assignment._fetch_instances()
            if self._root.message_version >= 5:
                pass
                self.tagged_fields._fetch_instances()




