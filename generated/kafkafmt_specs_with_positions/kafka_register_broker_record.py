# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_boolean
from . import kafka_string
from . import kafka_tagged_fields
from . import kafka_unsigned_varint
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaRegisterBrokerRecord(KaitaiStruct):
    """A broker registered with the controller.
    
    .. seealso::
       RegisterBrokerRecord - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/RegisterBrokerRecord.json
    """
    SEQ_FIELDS = ["broker_id", "is_migrating_zk_broker", "incarnation_id", "broker_epoch", "num_end_points", "end_points", "num_features", "features", "rack", "fenced", "in_controlled_shutdown", "tagged_fields"]
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaRegisterBrokerRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['broker_id']['start'] = self._io.pos()
        self.broker_id = self._io.read_s4be()
        self._debug['broker_id']['end'] = self._io.pos()
        if self.message_version >= 2:
            pass
            self._debug['is_migrating_zk_broker']['start'] = self._io.pos()
            self.is_migrating_zk_broker = kafka_boolean.KafkaBoolean(self._io)
            self.is_migrating_zk_broker._read()
            self._debug['is_migrating_zk_broker']['end'] = self._io.pos()

        self._debug['incarnation_id']['start'] = self._io.pos()
        self.incarnation_id = self._io.read_bytes(16)
        self._debug['incarnation_id']['end'] = self._io.pos()
        self._debug['broker_epoch']['start'] = self._io.pos()
        self.broker_epoch = self._io.read_s8be()
        self._debug['broker_epoch']['end'] = self._io.pos()
        self._debug['num_end_points']['start'] = self._io.pos()
        self.num_end_points = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_end_points._read()
        self._debug['num_end_points']['end'] = self._io.pos()
        self._debug['end_points']['start'] = self._io.pos()
        self._debug['end_points']['arr'] = []
        self.end_points = []
        for i in range(self.num_end_points.value):
            self._debug['end_points']['arr'].append({'start': self._io.pos()})
            _t_end_points = KafkaRegisterBrokerRecord.BrokerEndpoint(self._io, self, self._root)
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
            _t_features = KafkaRegisterBrokerRecord.BrokerFeature(self._io, self, self._root)
            try:
                _t_features._read()
            finally:
                self.features.append(_t_features)
            self._debug['features']['arr'][i]['end'] = self._io.pos()

        self._debug['features']['end'] = self._io.pos()
        self._debug['rack']['start'] = self._io.pos()
        self.rack = kafka_string.KafkaString(True, True, self._io)
        self.rack._read()
        self._debug['rack']['end'] = self._io.pos()
        self._debug['fenced']['start'] = self._io.pos()
        self.fenced = kafka_boolean.KafkaBoolean(self._io)
        self.fenced._read()
        self._debug['fenced']['end'] = self._io.pos()
        if self.message_version >= 1:
            pass
            self._debug['in_controlled_shutdown']['start'] = self._io.pos()
            self.in_controlled_shutdown = kafka_boolean.KafkaBoolean(self._io)
            self.in_controlled_shutdown._read()
            self._debug['in_controlled_shutdown']['end'] = self._io.pos()

        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = KafkaRegisterBrokerRecord.TaggedFields(self._io, self, self._root)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        if self.message_version >= 2:
            pass
            self.is_migrating_zk_broker._fetch_instances()

        self.num_end_points._fetch_instances()
        for i in range(len(self.end_points)):
            pass
            self.end_points[i]._fetch_instances()

        self.num_features._fetch_instances()
        for i in range(len(self.features)):
            pass
            self.features[i]._fetch_instances()

        self.rack._fetch_instances()
        self.fenced._fetch_instances()
        if self.message_version >= 1:
            pass
            self.in_controlled_shutdown._fetch_instances()

        self.tagged_fields._fetch_instances()

    class BrokerEndpoint(KaitaiStruct):
        """Where the broker listens."""
        SEQ_FIELDS = ["name", "host", "port", "security_protocol", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRegisterBrokerRecord.BrokerEndpoint, self).__init__(_io)
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


    class BrokerFeature(KaitaiStruct):
        """Levels of a feature that the broker can do."""
        SEQ_FIELDS = ["name", "min_supported_version", "max_supported_version", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRegisterBrokerRecord.BrokerFeature, self).__init__(_io)
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


    class CordonedLogDirsTag(KaitaiStruct):
        """Field of tag 1."""
        SEQ_FIELDS = ["num_cordoned_log_dirs", "cordoned_log_dirs", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRegisterBrokerRecord.CordonedLogDirsTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['num_cordoned_log_dirs']['start'] = self._io.pos()
            self.num_cordoned_log_dirs = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.num_cordoned_log_dirs._read()
            self._debug['num_cordoned_log_dirs']['end'] = self._io.pos()
            self._debug['cordoned_log_dirs']['start'] = self._io.pos()
            self._debug['cordoned_log_dirs']['arr'] = []
            self.cordoned_log_dirs = []
            for i in range(self.num_cordoned_log_dirs.value):
                self._debug['cordoned_log_dirs']['arr'].append({'start': self._io.pos()})
                self.cordoned_log_dirs.append(self._io.read_bytes(16))
                self._debug['cordoned_log_dirs']['arr'][i]['end'] = self._io.pos()

            self._debug['cordoned_log_dirs']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            self.num_cordoned_log_dirs._fetch_instances()
            for i in range(len(self.cordoned_log_dirs)):
                pass

            if (not (self._io.is_eof())):
                pass



    class LogDirsTag(KaitaiStruct):
        """Field of tag 0."""
        SEQ_FIELDS = ["num_log_dirs", "log_dirs", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRegisterBrokerRecord.LogDirsTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['num_log_dirs']['start'] = self._io.pos()
            self.num_log_dirs = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.num_log_dirs._read()
            self._debug['num_log_dirs']['end'] = self._io.pos()
            self._debug['log_dirs']['start'] = self._io.pos()
            self._debug['log_dirs']['arr'] = []
            self.log_dirs = []
            for i in range(self.num_log_dirs.value):
                self._debug['log_dirs']['arr'].append({'start': self._io.pos()})
                self.log_dirs.append(self._io.read_bytes(16))
                self._debug['log_dirs']['arr'][i]['end'] = self._io.pos()

            self._debug['log_dirs']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            self.num_log_dirs._fetch_instances()
            for i in range(len(self.log_dirs)):
                pass

            if (not (self._io.is_eof())):
                pass



    class TaggedField(KaitaiStruct):
        """A field that may be missing."""
        SEQ_FIELDS = ["tag", "len_data", "data"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRegisterBrokerRecord.TaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['tag']['start'] = self._io.pos()
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.tag._read()
            self._debug['tag']['end'] = self._io.pos()
            self._debug['len_data']['start'] = self._io.pos()
            self.len_data = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_data._read()
            self._debug['len_data']['end'] = self._io.pos()
            self._debug['data']['start'] = self._io.pos()
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 0) or (self._root.message_version >= 3)) ) and ( ((self.tag.value != 1) or (self._root.message_version >= 4)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaRegisterBrokerRecord.LogDirsTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 1:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 0) or (self._root.message_version >= 3)) ) and ( ((self.tag.value != 1) or (self._root.message_version >= 4)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaRegisterBrokerRecord.CordonedLogDirsTag(_io__raw_data, self, self._root)
                self.data._read()
            else:
                pass
                self.data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 0) or (self._root.message_version >= 3)) ) and ( ((self.tag.value != 1) or (self._root.message_version >= 4)) ))  else -1))
            self._debug['data']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.tag._fetch_instances()
            self.len_data._fetch_instances()
            _on = self.tag.value
            if _on == 0:
                pass
                self.data._fetch_instances()
            elif _on == 1:
                pass
                self.data._fetch_instances()
            else:
                pass


    class TaggedFields(KaitaiStruct):
        """Fields that may be missing (KIP-482)."""
        SEQ_FIELDS = ["num_fields", "fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRegisterBrokerRecord.TaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['num_fields']['start'] = self._io.pos()
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.num_fields._read()
            self._debug['num_fields']['end'] = self._io.pos()
            self._debug['fields']['start'] = self._io.pos()
            self._debug['fields']['arr'] = []
            self.fields = []
            for i in range(self.num_fields.value):
                self._debug['fields']['arr'].append({'start': self._io.pos()})
                _t_fields = KafkaRegisterBrokerRecord.TaggedField(self._io, self, self._root)
                try:
                    _t_fields._read()
                finally:
                    self.fields.append(_t_fields)
                self._debug['fields']['arr'][i]['end'] = self._io.pos()

            self._debug['fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()




