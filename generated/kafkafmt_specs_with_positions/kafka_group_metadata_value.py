# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_bytes
from . import kafka_string
from . import kafka_tagged_fields
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaGroupMetadataValue(KaitaiStruct):
    """A classic consumer group as it was after a rebalance, or when its last member
    had left.
    
    .. seealso::
       GroupMetadataValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/GroupMetadataValue.json
    """
    SEQ_FIELDS = ["message_version", "protocol_type", "generation", "protocol", "leader", "current_state_timestamp", "num_members", "members", "tagged_fields"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaGroupMetadataValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['message_version']['start'] = self._io.pos()
        self.message_version = self._io.read_s2be()
        self._debug['message_version']['end'] = self._io.pos()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        if not self.message_version <= 4:
            raise kaitaistruct.ValidationGreaterThanError(4, self.message_version, self._io, u"/seq/0")
        self._debug['protocol_type']['start'] = self._io.pos()
        self.protocol_type = kafka_string.KafkaString(self.message_version >= 4, False, self._io)
        self.protocol_type._read()
        self._debug['protocol_type']['end'] = self._io.pos()
        self._debug['generation']['start'] = self._io.pos()
        self.generation = self._io.read_s4be()
        self._debug['generation']['end'] = self._io.pos()
        self._debug['protocol']['start'] = self._io.pos()
        self.protocol = kafka_string.KafkaString(self.message_version >= 4, True, self._io)
        self.protocol._read()
        self._debug['protocol']['end'] = self._io.pos()
        self._debug['leader']['start'] = self._io.pos()
        self.leader = kafka_string.KafkaString(self.message_version >= 4, True, self._io)
        self.leader._read()
        self._debug['leader']['end'] = self._io.pos()
        if self.message_version >= 2:
            pass
            self._debug['current_state_timestamp']['start'] = self._io.pos()
            self.current_state_timestamp = self._io.read_s8be()
            self._debug['current_state_timestamp']['end'] = self._io.pos()

        self._debug['num_members']['start'] = self._io.pos()
        self.num_members = kafka_array_length.KafkaArrayLength(self.message_version >= 4, False, self._io)
        self.num_members._read()
        self._debug['num_members']['end'] = self._io.pos()
        self._debug['members']['start'] = self._io.pos()
        self._debug['members']['arr'] = []
        self.members = []
        for i in range(self.num_members.value):
            self._debug['members']['arr'].append({'start': self._io.pos()})
            _t_members = KafkaGroupMetadataValue.MemberMetadata(self._io, self, self._root)
            try:
                _t_members._read()
            finally:
                self.members.append(_t_members)
            self._debug['members']['arr'][i]['end'] = self._io.pos()

        self._debug['members']['end'] = self._io.pos()
        if self.message_version >= 4:
            pass
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()



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
        SEQ_FIELDS = ["member_id", "group_instance_id", "client_id", "client_host", "rebalance_timeout", "session_timeout", "subscription", "assignment", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaGroupMetadataValue.MemberMetadata, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['member_id']['start'] = self._io.pos()
            self.member_id = kafka_string.KafkaString(self._root.message_version >= 4, False, self._io)
            self.member_id._read()
            self._debug['member_id']['end'] = self._io.pos()
            if self._root.message_version >= 3:
                pass
                self._debug['group_instance_id']['start'] = self._io.pos()
                self.group_instance_id = kafka_string.KafkaString(self._root.message_version >= 4, True, self._io)
                self.group_instance_id._read()
                self._debug['group_instance_id']['end'] = self._io.pos()

            self._debug['client_id']['start'] = self._io.pos()
            self.client_id = kafka_string.KafkaString(self._root.message_version >= 4, False, self._io)
            self.client_id._read()
            self._debug['client_id']['end'] = self._io.pos()
            self._debug['client_host']['start'] = self._io.pos()
            self.client_host = kafka_string.KafkaString(self._root.message_version >= 4, False, self._io)
            self.client_host._read()
            self._debug['client_host']['end'] = self._io.pos()
            if self._root.message_version >= 1:
                pass
                self._debug['rebalance_timeout']['start'] = self._io.pos()
                self.rebalance_timeout = self._io.read_s4be()
                self._debug['rebalance_timeout']['end'] = self._io.pos()

            self._debug['session_timeout']['start'] = self._io.pos()
            self.session_timeout = self._io.read_s4be()
            self._debug['session_timeout']['end'] = self._io.pos()
            self._debug['subscription']['start'] = self._io.pos()
            self.subscription = kafka_bytes.KafkaBytes(self._root.message_version >= 4, False, self._io)
            self.subscription._read()
            self._debug['subscription']['end'] = self._io.pos()
            self._debug['assignment']['start'] = self._io.pos()
            self.assignment = kafka_bytes.KafkaBytes(self._root.message_version >= 4, False, self._io)
            self.assignment._read()
            self._debug['assignment']['end'] = self._io.pos()
            if self._root.message_version >= 4:
                pass
                self._debug['tagged_fields']['start'] = self._io.pos()
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
                self.tagged_fields._read()
                self._debug['tagged_fields']['end'] = self._io.pos()



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




