# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_boolean
from . import kafka_unsigned_varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaBrokerHeartbeatRequest(KaitaiStruct):
    """`BrokerHeartbeatRequest`: a request of the API with key 63, after its header
    (see `kafka_request`).
    
    .. seealso::
       BrokerHeartbeatRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/BrokerHeartbeatRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaBrokerHeartbeatRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.broker_id = self._io.read_s4be()
        self.broker_epoch = self._io.read_s8be()
        self.current_metadata_offset = self._io.read_s8be()
        self.want_fence = kafka_boolean.KafkaBoolean(self._io)
        self.want_shut_down = kafka_boolean.KafkaBoolean(self._io)
        self.tagged_fields = KafkaBrokerHeartbeatRequest.TaggedFields(self._io, self, self._root)


    def _fetch_instances(self):
        pass
        self.want_fence._fetch_instances()
        self.want_shut_down._fetch_instances()
        self.tagged_fields._fetch_instances()

    class CordonedLogDirsTag(KaitaiStruct):
        """Field of tag 1."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaBrokerHeartbeatRequest.CordonedLogDirsTag, self).__init__(_io)
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



    class OfflineLogDirsTag(KaitaiStruct):
        """Field of tag 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaBrokerHeartbeatRequest.OfflineLogDirsTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_offline_log_dirs = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.offline_log_dirs = []
            for i in range(self.num_offline_log_dirs.value):
                self.offline_log_dirs.append(self._io.read_bytes(16))

            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.num_offline_log_dirs._fetch_instances()
            for i in range(len(self.offline_log_dirs)):
                pass

            if (not (self._io.is_eof())):
                pass



    class TaggedField(KaitaiStruct):
        """A field that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaBrokerHeartbeatRequest.TaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_data = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 0) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 1) or (self._root.message_version >= 2)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaBrokerHeartbeatRequest.OfflineLogDirsTag(_io__raw_data, self, self._root)
            elif _on == 1:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 0) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 1) or (self._root.message_version >= 2)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaBrokerHeartbeatRequest.CordonedLogDirsTag(_io__raw_data, self, self._root)
            else:
                pass
                self.data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 0) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 1) or (self._root.message_version >= 2)) ))  else -1))


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
            super(KafkaBrokerHeartbeatRequest.TaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.fields = []
            for i in range(self.num_fields.value):
                self.fields.append(KafkaBrokerHeartbeatRequest.TaggedField(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()




