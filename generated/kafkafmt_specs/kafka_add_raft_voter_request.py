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

class KafkaAddRaftVoterRequest(KaitaiStruct):
    """`AddRaftVoterRequest`: a request of the API with key 80, after its header (see
    `kafka_request`).
    
    .. seealso::
       AddRaftVoterRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AddRaftVoterRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaAddRaftVoterRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.cluster_id = kafka_string.KafkaString(True, True, self._io)
        self.timeout_ms = self._io.read_s4be()
        self.voter_id = self._io.read_s4be()
        self.voter_directory_id = self._io.read_bytes(16)
        self.num_listeners = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.listeners = []
        for i in range(self.num_listeners.value):
            self.listeners.append(KafkaAddRaftVoterRequest.Listener(self._io, self, self._root))

        if self.message_version >= 1:
            pass
            self.ack_when_committed = kafka_boolean.KafkaBoolean(self._io)

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.cluster_id._fetch_instances()
        self.num_listeners._fetch_instances()
        for i in range(len(self.listeners)):
            pass
            self.listeners[i]._fetch_instances()

        if self.message_version >= 1:
            pass
            self.ack_when_committed._fetch_instances()

        self.tagged_fields._fetch_instances()

    class Listener(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAddRaftVoterRequest.Listener, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.host = kafka_string.KafkaString(True, False, self._io)
            self.port = self._io.read_u2be()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.host._fetch_instances()
            self.tagged_fields._fetch_instances()



