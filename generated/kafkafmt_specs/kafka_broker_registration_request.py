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

class KafkaBrokerRegistrationRequest(KaitaiStruct):
    """`BrokerRegistrationRequest`: a request of the API with key 62, after its
    header (see `kafka_request`).
    
    .. seealso::
       BrokerRegistrationRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/BrokerRegistrationRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaBrokerRegistrationRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.broker_id = self._io.read_s4be()
        self.cluster_id = kafka_string.KafkaString(True, False, self._io)
        self.incarnation_id = self._io.read_bytes(16)
        self.num_listeners = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.listeners = []
        for i in range(self.num_listeners.value):
            self.listeners.append(KafkaBrokerRegistrationRequest.Listener(self._io, self, self._root))

        self.num_features = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.features = []
        for i in range(self.num_features.value):
            self.features.append(KafkaBrokerRegistrationRequest.Feature(self._io, self, self._root))

        self.rack = kafka_string.KafkaString(True, True, self._io)
        if self.message_version >= 1:
            pass
            self.is_migrating_zk_broker = kafka_boolean.KafkaBoolean(self._io)

        if self.message_version >= 2:
            pass
            self.num_log_dirs = kafka_array_length.KafkaArrayLength(True, False, self._io)

        if self.message_version >= 2:
            pass
            self.log_dirs = []
            for i in range(self.num_log_dirs.value):
                self.log_dirs.append(self._io.read_bytes(16))


        if self.message_version >= 3:
            pass
            self.previous_broker_epoch = self._io.read_s8be()

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.cluster_id._fetch_instances()
        self.num_listeners._fetch_instances()
        for i in range(len(self.listeners)):
            pass
            self.listeners[i]._fetch_instances()

        self.num_features._fetch_instances()
        for i in range(len(self.features)):
            pass
            self.features[i]._fetch_instances()

        self.rack._fetch_instances()
        if self.message_version >= 1:
            pass
            self.is_migrating_zk_broker._fetch_instances()

        if self.message_version >= 2:
            pass
            self.num_log_dirs._fetch_instances()

        if self.message_version >= 2:
            pass
            for i in range(len(self.log_dirs)):
                pass


        if self.message_version >= 3:
            pass

        self.tagged_fields._fetch_instances()

    class Feature(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaBrokerRegistrationRequest.Feature, self).__init__(_io)
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
            super(KafkaBrokerRegistrationRequest.Listener, self).__init__(_io)
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



