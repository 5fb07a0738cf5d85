# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_unsigned_varint
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaString(KaitaiStruct):
    """`STRING` or `NULLABLE_STRING` of the Kafka protocol, or, in those versions of a
    message that have tagged fields, `COMPACT_STRING` or `COMPACT_NULLABLE_STRING`
    (KIP-482).
    
    .. seealso::
       Source - https://kafka.apache.org/protocol#protocol_types
    
    
    .. seealso::
       KIP-482 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-482%3A+The+Kafka+Protocol+should+Support+Optional+Tagged+Fields
    """
    SEQ_FIELDS = ["len_value_int16", "len_value_plus_one", "value"]
    def __init__(self, is_compact, is_nullable, _io, _parent=None, _root=None):
        super(KafkaString, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.is_compact = is_compact
        self.is_nullable = is_nullable
        self._debug = collections.defaultdict(dict)

    def _read(self):
        if (not (self.is_compact)):
            pass
            self._debug['len_value_int16']['start'] = self._io.pos()
            self.len_value_int16 = self._io.read_s2be()
            self._debug['len_value_int16']['end'] = self._io.pos()

        if self.is_compact:
            pass
            self._debug['len_value_plus_one']['start'] = self._io.pos()
            self.len_value_plus_one = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_value_plus_one._read()
            self._debug['len_value_plus_one']['end'] = self._io.pos()

        if (not (self.is_null)):
            pass
            self._debug['value']['start'] = self._io.pos()
            self.value = self._io.read_bytes(self.len_value)
            self._debug['value']['end'] = self._io.pos()



    def _fetch_instances(self):
        pass
        if (not (self.is_compact)):
            pass

        if self.is_compact:
            pass
            self.len_value_plus_one._fetch_instances()

        if (not (self.is_null)):
            pass


    @property
    def is_null(self):
        if hasattr(self, '_m_is_null'):
            return self._m_is_null

        self._m_is_null =  ((self.is_nullable) and (self.len_declared < 0)) 
        return getattr(self, '_m_is_null', None)

    @property
    def len_declared(self):
        if hasattr(self, '_m_len_declared'):
            return self._m_len_declared

        self._m_len_declared = ((self.len_value_plus_one.value - 1) if self.is_compact else self.len_value_int16)
        return getattr(self, '_m_len_declared', None)

    @property
    def len_value(self):
        """Size of the string in bytes. Kafka refuses more than 32767; such a size is
        made a negative one, so that it is an error
        """
        if hasattr(self, '_m_len_value'):
            return self._m_len_value

        self._m_len_value = (self.len_declared if self.len_declared <= 32767 else -1)
        return getattr(self, '_m_len_value', None)


