# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_unsigned_varint
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaBrokerRegistrationChangeRecord(KaitaiStruct):
    """Something changed about a registered broker. What did not change is left out.
    
    .. seealso::
       BrokerRegistrationChangeRecord - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/BrokerRegistrationChangeRecord.json
    """
    SEQ_FIELDS = ["broker_id", "broker_epoch", "tagged_fields"]
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaBrokerRegistrationChangeRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['broker_id']['start'] = self._io.pos()
        self.broker_id = self._io.read_s4be()
        self._debug['broker_id']['end'] = self._io.pos()
        self._debug['broker_epoch']['start'] = self._io.pos()
        self.broker_epoch = self._io.read_s8be()
        self._debug['broker_epoch']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = KafkaBrokerRegistrationChangeRecord.TaggedFields(self._io, self, self._root)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.tagged_fields._fetch_instances()

    class CordonedLogDirsTag(KaitaiStruct):
        """Field of tag 3."""
        SEQ_FIELDS = ["num_cordoned_log_dirs", "cordoned_log_dirs", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaBrokerRegistrationChangeRecord.CordonedLogDirsTag, self).__init__(_io)
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



    class FencedTag(KaitaiStruct):
        """Field of tag 0."""
        SEQ_FIELDS = ["fenced", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaBrokerRegistrationChangeRecord.FencedTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['fenced']['start'] = self._io.pos()
            self.fenced = self._io.read_s1()
            self._debug['fenced']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class InControlledShutdownTag(KaitaiStruct):
        """Field of tag 1."""
        SEQ_FIELDS = ["in_controlled_shutdown", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaBrokerRegistrationChangeRecord.InControlledShutdownTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['in_controlled_shutdown']['start'] = self._io.pos()
            self.in_controlled_shutdown = self._io.read_s1()
            self._debug['in_controlled_shutdown']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class LogDirsTag(KaitaiStruct):
        """Field of tag 2."""
        SEQ_FIELDS = ["num_log_dirs", "log_dirs", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaBrokerRegistrationChangeRecord.LogDirsTag, self).__init__(_io)
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
            super(KafkaBrokerRegistrationChangeRecord.TaggedField, self).__init__(_io)
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
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 1) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 2) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 3) or (self._root.message_version >= 3)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaBrokerRegistrationChangeRecord.FencedTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 1:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 1) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 2) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 3) or (self._root.message_version >= 3)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaBrokerRegistrationChangeRecord.InControlledShutdownTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 2:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 1) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 2) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 3) or (self._root.message_version >= 3)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaBrokerRegistrationChangeRecord.LogDirsTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 3:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 1) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 2) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 3) or (self._root.message_version >= 3)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaBrokerRegistrationChangeRecord.CordonedLogDirsTag(_io__raw_data, self, self._root)
                self.data._read()
            else:
                pass
                self.data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 1) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 2) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 3) or (self._root.message_version >= 3)) ))  else -1))
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
        SEQ_FIELDS = ["num_fields", "fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaBrokerRegistrationChangeRecord.TaggedFields, self).__init__(_io)
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
                _t_fields = KafkaBrokerRegistrationChangeRecord.TaggedField(self._io, self, self._root)
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




