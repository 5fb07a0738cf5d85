# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_boolean
from . import kafka_string
from . import kafka_tagged_fields
from . import kafka_unsigned_varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaRegisterBrokerRecord(KaitaiStruct):
    """A broker registered with the controller.
    
    .. seealso::
       RegisterBrokerRecord - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/RegisterBrokerRecord.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaRegisterBrokerRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.broker_id = self._io.read_s4be()
        if self.message_version >= 2:
            pass
            self.is_migrating_zk_broker = kafka_boolean.KafkaBoolean(self._io)

        self.incarnation_id = self._io.read_bytes(16)
        self.broker_epoch = self._io.read_s8be()
        self.num_end_points = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.end_points = []
        for i in range(self.num_end_points.value):
            self.end_points.append(KafkaRegisterBrokerRecord.BrokerEndpoint(self._io, self, self._root))

        self.num_features = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.features = []
        for i in range(self.num_features.value):
            self.features.append(KafkaRegisterBrokerRecord.BrokerFeature(self._io, self, self._root))

        self.rack = kafka_string.KafkaString(True, True, self._io)
        self.fenced = kafka_boolean.KafkaBoolean(self._io)
        if self.message_version >= 1:
            pass
            self.in_controlled_shutdown = kafka_boolean.KafkaBoolean(self._io)

        self.tagged_fields = KafkaRegisterBrokerRecord.TaggedFields(self._io, self, self._root)


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
        """Address of the broker."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRegisterBrokerRecord.BrokerEndpoint, self).__init__(_io)
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


    class BrokerFeature(KaitaiStruct):
        """Levels of a feature that the broker supports."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRegisterBrokerRecord.BrokerFeature, self).__init__(_io)
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


    class CordonedLogDirsTag(KaitaiStruct):
        """Field of tag 1."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRegisterBrokerRecord.CordonedLogDirsTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_cordoned_log_dirs = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.cordoned_log_dirs = []
            for i in range(self.num_cordoned_log_dirs.value):
                self.cordoned_log_dirs.append(self._io.read_bytes(16))

            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.num_cordoned_log_dirs._fetch_instances()
            for i in range(len(self.cordoned_log_dirs)):
                pass

            if (not (self._io.is_eof())):
                pass



    class LogDirsTag(KaitaiStruct):
        """Field of tag 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRegisterBrokerRecord.LogDirsTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_log_dirs = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.log_dirs = []
            for i in range(self.num_log_dirs.value):
                self.log_dirs.append(self._io.read_bytes(16))

            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.num_log_dirs._fetch_instances()
            for i in range(len(self.log_dirs)):
                pass

            if (not (self._io.is_eof())):
                pass



    class TaggedField(KaitaiStruct):
        """A field that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRegisterBrokerRecord.TaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_data = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 0) or (self._root.message_version >= 3)) ) and ( ((self.tag.value != 1) or (self._root.message_version >= 4)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaRegisterBrokerRecord.LogDirsTag(_io__raw_data, self, self._root)
            elif _on == 1:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 0) or (self._root.message_version >= 3)) ) and ( ((self.tag.value != 1) or (self._root.message_version >= 4)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaRegisterBrokerRecord.CordonedLogDirsTag(_io__raw_data, self, self._root)
            else:
                pass
                self.data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 0) or (self._root.message_version >= 3)) ) and ( ((self.tag.value != 1) or (self._root.message_version >= 4)) ))  else -1))


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
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRegisterBrokerRecord.TaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.fields = []
            for i in range(self.num_fields.value):
                self.fields.append(KafkaRegisterBrokerRecord.TaggedField(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()




