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

class KafkaGroupMetadataValue(KaitaiStruct):
    """A classic consumer group as it was after a rebalance, or when its last member
    had left.
    
    .. seealso::
       GroupMetadataValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/GroupMetadataValue.json
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaGroupMetadataValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.message_version = self._io.read_s2be()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        if not self.message_version <= 4:
            raise kaitaistruct.ValidationGreaterThanError(4, self.message_version, self._io, u"/seq/0")
        self.protocol_type = kafka_string.KafkaString(self.message_version >= 4, False, self._io)
        self.generation = self._io.read_s4be()
        self.protocol = kafka_string.KafkaString(self.message_version >= 4, True, self._io)
        self.leader = kafka_string.KafkaString(self.message_version >= 4, True, self._io)
        if self.message_version >= 2:
            pass
            self.current_state_timestamp = self._io.read_s8be()

        self.num_members = kafka_array_length.KafkaArrayLength(self.message_version >= 4, False, self._io)
        self.members = []
        for i in range(self.num_members.value):
            self.members.append(KafkaGroupMetadataValue.MemberMetadata(self._io, self, self._root))

        if self.message_version >= 4:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.protocol_type._fetch_instances()
        self.protocol._fetch_instances()
        self.leader._fetch_instances()
        if self.message_version >= 2:
            pass

        self.num_members._fetch_instances()
        for i in range(len(self.members)):
            pass
            self.members[i]._fetch_instances()

        if self.message_version >= 4:
            pass
            self.tagged_fields._fetch_instances()


    class MemberMetadata(KaitaiStruct):
        """A member of the group."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaGroupMetadataValue.MemberMetadata, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.member_id = kafka_string.KafkaString(self._root.message_version >= 4, False, self._io)
            if self._root.message_version >= 3:
                pass
                self.group_instance_id = kafka_string.KafkaString(self._root.message_version >= 4, True, self._io)

            self.client_id = kafka_string.KafkaString(self._root.message_version >= 4, False, self._io)
            self.client_host = kafka_string.KafkaString(self._root.message_version >= 4, False, self._io)
            if self._root.message_version >= 1:
                pass
                self.rebalance_timeout = self._io.read_s4be()

            self.session_timeout = self._io.read_s4be()
            self.subscription = kafka_bytes.KafkaBytes(self._root.message_version >= 4, False, self._io)
            self.assignment = kafka_bytes.KafkaBytes(self._root.message_version >= 4, False, self._io)
            if self._root.message_version >= 4:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.member_id._fetch_instances()
            if self._root.message_version >= 3:
                pass
                self.group_instance_id._fetch_instances()

            self.client_id._fetch_instances()
            self.client_host._fetch_instances()
            if self._root.message_version >= 1:
                pass

            self.subscription._fetch_instances()
            self.assignment._fetch_instances()
            if self._root.message_version >= 4:
                pass
                self.tagged_fields._fetch_instances()




