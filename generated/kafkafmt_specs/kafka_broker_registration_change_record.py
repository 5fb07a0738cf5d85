# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_unsigned_varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaBrokerRegistrationChangeRecord(KaitaiStruct):
    """Change of a registered broker. Fields that did not change are left out.
    
    .. seealso::
       BrokerRegistrationChangeRecord - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/BrokerRegistrationChangeRecord.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaBrokerRegistrationChangeRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.broker_id = self._io.read_s4be()
        self.broker_epoch = self._io.read_s8be()
        self.tagged_fields = KafkaBrokerRegistrationChangeRecord.TaggedFields(self._io, self, self._root)


    def _fetch_instances(self):
        pass
        self.tagged_fields._fetch_instances()

    class CordonedLogDirsTag(KaitaiStruct):
        """Field of tag 3."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaBrokerRegistrationChangeRecord.CordonedLogDirsTag, self).__init__(_io)
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



    class FencedTag(KaitaiStruct):
        """Field of tag 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaBrokerRegistrationChangeRecord.FencedTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fenced = self._io.read_s1()
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class InControlledShutdownTag(KaitaiStruct):
        """Field of tag 1."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaBrokerRegistrationChangeRecord.InControlledShutdownTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.in_controlled_shutdown = self._io.read_s1()
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class LogDirsTag(KaitaiStruct):
        """Field of tag 2."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaBrokerRegistrationChangeRecord.LogDirsTag, self).__init__(_io)
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
            super(KafkaBrokerRegistrationChangeRecord.TaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_data = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 1) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 2) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 3) or (self._root.message_version >= 3)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaBrokerRegistrationChangeRecord.FencedTag(_io__raw_data, self, self._root)
            elif _on == 1:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 1) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 2) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 3) or (self._root.message_version >= 3)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaBrokerRegistrationChangeRecord.InControlledShutdownTag(_io__raw_data, self, self._root)
            elif _on == 2:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 1) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 2) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 3) or (self._root.message_version >= 3)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaBrokerRegistrationChangeRecord.LogDirsTag(_io__raw_data, self, self._root)
            elif _on == 3:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 1) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 2) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 3) or (self._root.message_version >= 3)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaBrokerRegistrationChangeRecord.CordonedLogDirsTag(_io__raw_data, self, self._root)
            else:
                pass
                self.data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 1) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 2) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 3) or (self._root.message_version >= 3)) ))  else -1))


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
            elif _on == 2:
                pass
                self.data._fetch_instances()
            elif _on == 3:
                pass
                self.data._fetch_instances()
            else:
                pass


    class TaggedFields(KaitaiStruct):
        """Fields that may be missing (KIP-482)."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaBrokerRegistrationChangeRecord.TaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.fields = []
            for i in range(self.num_fields.value):
                self.fields.append(KafkaBrokerRegistrationChangeRecord.TaggedField(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()




