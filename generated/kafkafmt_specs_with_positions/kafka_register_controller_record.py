# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_boolean
from . import kafka_string
from . import kafka_tagged_fields
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaRegisterControllerRecord(KaitaiStruct):
    """A controller registered with the active one (KIP-919).
    
    .. seealso::
       RegisterControllerRecord - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/RegisterControllerRecord.json
    """
    SEQ_FIELDS = ["controller_id", "incarnation_id", "zk_migration_ready", "num_end_points", "end_points", "num_features", "features", "tagged_fields"]
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaRegisterControllerRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['controller_id']['start'] = self._io.pos()
        self.controller_id = self._io.read_s4be()
        self._debug['controller_id']['end'] = self._io.pos()
        self._debug['incarnation_id']['start'] = self._io.pos()
        self.incarnation_id = self._io.read_bytes(16)
        self._debug['incarnation_id']['end'] = self._io.pos()
        self._debug['zk_migration_ready']['start'] = self._io.pos()
        self.zk_migration_ready = kafka_boolean.KafkaBoolean(self._io)
        self.zk_migration_ready._read()
        self._debug['zk_migration_ready']['end'] = self._io.pos()
        self._debug['num_end_points']['start'] = self._io.pos()
        self.num_end_points = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_end_points._read()
        self._debug['num_end_points']['end'] = self._io.pos()
        self._debug['end_points']['start'] = self._io.pos()
        self._debug['end_points']['arr'] = []
        self.end_points = []
        for i in range(self.num_end_points.value):
            self._debug['end_points']['arr'].append({'start': self._io.pos()})
            _t_end_points = KafkaRegisterControllerRecord.ControllerEndpoint(self._io, self, self._root)
            try:
                _t_end_points._read()
            finally:
                self.end_points.append(_t_end_points)
            self._debug['end_points']['arr'][i]['end'] = self._io.pos()

        self._debug['end_points']['end'] = self._io.pos()
        self._debug['num_features']['start'] = self._io.pos()
        self.num_features = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_features._read()
        self._debug['num_features']['end'] = self._io.pos()
        self._debug['features']['start'] = self._io.pos()
        self._debug['features']['arr'] = []
        self.features = []
        for i in range(self.num_features.value):
            self._debug['features']['arr'].append({'start': self._io.pos()})
            _t_features = KafkaRegisterControllerRecord.ControllerFeature(self._io, self, self._root)
            try:
                _t_features._read()
            finally:
                self.features.append(_t_features)
            self._debug['features']['arr'][i]['end'] = self._io.pos()

        self._debug['features']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


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
        """Where the controller listens."""
        SEQ_FIELDS = ["name", "host", "port", "security_protocol", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRegisterControllerRecord.ControllerEndpoint, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['name']['start'] = self._io.pos()
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.name._read()
            self._debug['name']['end'] = self._io.pos()
            self._debug['host']['start'] = self._io.pos()
            self.host = kafka_string.KafkaString(True, False, self._io)
            self.host._read()
            self._debug['host']['end'] = self._io.pos()
            self._debug['port']['start'] = self._io.pos()
            self.port = self._io.read_u2be()
            self._debug['port']['end'] = self._io.pos()
            self._debug['security_protocol']['start'] = self._io.pos()
            self.security_protocol = self._io.read_s2be()
            self._debug['security_protocol']['end'] = self._io.pos()
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.host._fetch_instances()
            self.tagged_fields._fetch_instances()


    class ControllerFeature(KaitaiStruct):
        """Levels of a feature that the controller can do."""
        SEQ_FIELDS = ["name", "min_supported_version", "max_supported_version", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRegisterControllerRecord.ControllerFeature, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['name']['start'] = self._io.pos()
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.name._read()
            self._debug['name']['end'] = self._io.pos()
            self._debug['min_supported_version']['start'] = self._io.pos()
            self.min_supported_version = self._io.read_s2be()
            self._debug['min_supported_version']['end'] = self._io.pos()
            self._debug['max_supported_version']['start'] = self._io.pos()
            self.max_supported_version = self._io.read_s2be()
            self._debug['max_supported_version']['end'] = self._io.pos()
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.tagged_fields._fetch_instances()



