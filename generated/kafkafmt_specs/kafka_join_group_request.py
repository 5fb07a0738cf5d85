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

class KafkaJoinGroupRequest(KaitaiStruct):
    """`JoinGroupRequest`: a request of the API with key 11, after its header (see
    `kafka_request`).
    
    .. seealso::
       JoinGroupRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/JoinGroupRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaJoinGroupRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.group_id = kafka_string.KafkaString(self.message_version >= 6, False, self._io)
        self.session_timeout_ms = self._io.read_s4be()
        if self.message_version >= 1:
            pass
            self.rebalance_timeout_ms = self._io.read_s4be()

        self.member_id = kafka_string.KafkaString(self.message_version >= 6, False, self._io)
        if self.message_version >= 5:
            pass
            self.group_instance_id = kafka_string.KafkaString(self.message_version >= 6, True, self._io)

        self.protocol_type = kafka_string.KafkaString(self.message_version >= 6, False, self._io)
        self.num_protocols = kafka_array_length.KafkaArrayLength(self.message_version >= 6, False, self._io)
        self.protocols = []
        for i in range(self.num_protocols.value):
            self.protocols.append(KafkaJoinGroupRequest.JoinGroupRequestProtocol(self._io, self, self._root))

        if self.message_version >= 8:
            pass
            self.reason = kafka_string.KafkaString(True, True, self._io)

        if self.message_version >= 6:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.group_id._fetch_instances()
        if self.message_version >= 1:
            pass

        self.member_id._fetch_instances()
        if self.message_version >= 5:
            pass
            self.group_instance_id._fetch_instances()

        self.protocol_type._fetch_instances()
        self.num_protocols._fetch_instances()
        for i in range(len(self.protocols)):
            pass
            self.protocols[i]._fetch_instances()

        if self.message_version >= 8:
            pass
            self.reason._fetch_instances()

        if self.message_version >= 6:
            pass
            self.tagged_fields._fetch_instances()


    class JoinGroupRequestProtocol(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaJoinGroupRequest.JoinGroupRequestProtocol, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(self._root.message_version >= 6, False, self._io)
            self.metadata = kafka_bytes.KafkaBytes(self._root.message_version >= 6, False, self._io)
            if self._root.message_version >= 6:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.metadata._fetch_instances()
            if self._root.message_version >= 6:
                pass
                self.tagged_fields._fetch_instances()




