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

class KafkaRegisterControllerRecord(KaitaiStruct):
    """A controller registered with the active one (KIP-919).
    
    .. seealso::
       RegisterControllerRecord - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/RegisterControllerRecord.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaRegisterControllerRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.controller_id = self._io.read_s4be()
        self.incarnation_id = self._io.read_bytes(16)
        self.zk_migration_ready = kafka_boolean.KafkaBoolean(self._io)
        self.num_end_points = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.end_points = []
        for i in range(self.num_end_points.value):
            self.end_points.append(KafkaRegisterControllerRecord.ControllerEndpoint(self._io, self, self._root))

        self.num_features = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.features = []
        for i in range(self.num_features.value):
            self.features.append(KafkaRegisterControllerRecord.ControllerFeature(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.zk_migration_ready._fetch_instances()
        self.num_end_points._fetch_instances()
        for i in range(len(self.end_points)):
            pass
            self.end_points[i]._fetch_instances()

        self.num_features._fetch_instances()
        for i in range(len(self.features)):
            pass
            self.features[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class ControllerEndpoint(KaitaiStruct):
        """Address of the controller."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRegisterControllerRecord.ControllerEndpoint, self).__init__(_io)
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


    class ControllerFeature(KaitaiStruct):
        """Levels of a feature that the controller supports."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRegisterControllerRecord.ControllerFeature, self).__init__(_io)
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



