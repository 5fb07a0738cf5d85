# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_unsigned_varint
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaArrayLength(KaitaiStruct):
    """Number of elements in front of an `ARRAY` of the Kafka protocol, or, in those
    versions of a message that have tagged fields, of a `COMPACT_ARRAY` (KIP-482).
    No element takes less than a byte, so a number greater than that of the bytes
    behind it is an error, before anything is made of it.
    
    .. seealso::
       Source - https://kafka.apache.org/protocol#protocol_types
    
    
    .. seealso::
       KIP-482 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-482%3A+The+Kafka+Protocol+should+Support+Optional+Tagged+Fields
    """
    SEQ_FIELDS = ["num_elements_int32", "num_elements_plus_one", "none"]
    def __init__(self, is_compact, is_nullable, _io, _parent=None, _root=None):
        super(KafkaArrayLength, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.is_compact = is_compact
        self.is_nullable = is_nullable
        self._debug = collections.defaultdict(dict)

    def _read(self):
        if (not (self.is_compact)):
            pass
            self._debug['num_elements_int32']['start'] = self._io.pos()
            self.num_elements_int32 = self._io.read_s4be()
            self._debug['num_elements_int32']['end'] = self._io.pos()

        if self.is_compact:
            pass
            self._debug['num_elements_plus_one']['start'] = self._io.pos()
            self.num_elements_plus_one = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.num_elements_plus_one._read()
            self._debug['num_elements_plus_one']['end'] = self._io.pos()

        if  (( ((self.value < 0) and ((not (self.is_nullable)))) ) or (self.value > (self._io.size() - self._io.pos()))) :
            pass
            self._debug['none']['start'] = self._io.pos()
            self.none = self._io.read_bytes(0 - 1)
            self._debug['none']['end'] = self._io.pos()



    def _fetch_instances(self):
        pass
        if (not (self.is_compact)):
            pass

        if self.is_compact:
            pass
            self.num_elements_plus_one._fetch_instances()

        if  (( ((self.value < 0) and ((not (self.is_nullable)))) ) or (self.value > (self._io.size() - self._io.pos()))) :
            pass


    @property
    def value(self):
        """Number of elements, negative for null."""
        if hasattr(self, '_m_value'):
            return self._m_value

        self._m_value = ((self.num_elements_plus_one.value - 1) if self.is_compact else self.num_elements_int32)
        return getattr(self, '_m_value', None)


