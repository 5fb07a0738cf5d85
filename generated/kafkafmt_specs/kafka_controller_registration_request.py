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

class KafkaControllerRegistrationRequest(KaitaiStruct):
    """`ControllerRegistrationRequest`: a request of the API with key 70, after its
    header (see `kafka_request`).
    
    .. seealso::
       ControllerRegistrationRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ControllerRegistrationRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaControllerRegistrationRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.controller_id = self._io.read_s4be()
        self.incarnation_id = self._io.read_bytes(16)
        self.zk_migration_ready = kafka_boolean.KafkaBoolean(self._io)
        self.num_listeners = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.listeners = []
        for i in range(self.num_listeners.value):
            self.listeners.append(KafkaControllerRegistrationRequest.Listener(self._io, self, self._root))

        self.num_features = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.features = []
        for i in range(self.num_features.value):
            self.features.append(KafkaControllerRegistrationRequest.Feature(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.zk_migration_ready._fetch_instances()
        self.num_listeners._fetch_instances()
        for i in range(len(self.listeners)):
            pass
            self.listeners[i]._fetch_instances()

        self.num_features._fetch_instances()
        for i in range(len(self.features)):
            pass
            self.features[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class Feature(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaControllerRegistrationRequest.Feature, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.min_supported_version = self._io.read_s2be()
            self.max_supported_version = self._io.read_s2be()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.tagged_fields._fetch_instances()


    class Listener(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaControllerRegistrationRequest.Listener, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.host = kafka_string.KafkaString(True, False, self._io)
            self.port = self._io.read_u2be()
            self.security_protocol = self._io.read_s2be()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.host._fetch_instances()
            self.tagged_fields._fetch_instances()



