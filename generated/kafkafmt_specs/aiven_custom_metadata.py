# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_string
from . import kafka_unsigned_varint
from . import kafka_varlong
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class AivenCustomMetadata(KaitaiStruct):
    """The field `customMetadata` of records in `__remote_log_metadata`, as Aiven's
    plugin fills it if `custom.metadata.fields.include` is set. It consists of
    tagged fields (KIP-482) in ascending order of their tags.
    
    .. seealso::
       Source - https://github.com/Aiven-Open/tiered-storage-for-apache-kafka
    
    
    .. seealso::
       KIP-405 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-405%3A+Kafka+Tiered+Storage
    """

    class FieldTag(IntEnum):
        remote_size = 0
        object_prefix = 1
        object_key = 2
    def __init__(self, _io, _parent=None, _root=None):
        super(AivenCustomMetadata, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
        self.fields = []
        for i in range(self.num_fields.value):
            self.fields.append(AivenCustomMetadata.Field(self._io, self, self._root))



    def _fetch_instances(self):
        pass
        self.num_fields._fetch_instances()
        for i in range(len(self.fields)):
            pass
            self.fields[i]._fetch_instances()


    class Field(KaitaiStruct):
        """One tagged field."""
        def __init__(self, _io, _parent=None, _root=None):
            super(AivenCustomMetadata.Field, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_value = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_value = self._io.read_bytes(self.len_value.value)
                _io__raw_value = KaitaiStream(BytesIO(self._raw_value))
                self.value = kafka_varlong.KafkaVarlong(_io__raw_value)
            elif _on == 1:
                pass
                self._raw_value = self._io.read_bytes(self.len_value.value)
                _io__raw_value = KaitaiStream(BytesIO(self._raw_value))
                self.value = kafka_string.KafkaString(True, False, _io__raw_value)
            elif _on == 2:
                pass
                self._raw_value = self._io.read_bytes(self.len_value.value)
                _io__raw_value = KaitaiStream(BytesIO(self._raw_value))
                self.value = kafka_string.KafkaString(True, False, _io__raw_value)
            else:
                pass
                self.value = self._io.read_bytes(self.len_value.value)


        def _fetch_instances(self):
            pass
            self.tag._fetch_instances()
            self.len_value._fetch_instances()
            _on = self.tag.value
            if _on == 0:
                pass
                self.value._fetch_instances()
            elif _on == 1:
                pass
                self.value._fetch_instances()
            elif _on == 2:
                pass
                self.value._fetch_instances()
            else:
                pass



