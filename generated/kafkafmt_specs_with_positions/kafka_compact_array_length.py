# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_unsigned_varint
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaCompactArrayLength(KaitaiStruct):
    """What stands in front of the elements of a `COMPACT_ARRAY` of the Kafka protocol
    that is never null. Kafka has arrays like this in those versions of a message
    that have tagged fields (KIP-482).
    
    .. seealso::
       Source - https://kafka.apache.org/protocol#protocol_types
    
    
    .. seealso::
       KIP-482 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-482%3A+The+Kafka+Protocol+should+Support+Optional+Tagged+Fields
    """
    SEQ_FIELDS = ["num_elements_plus_one"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaCompactArrayLength, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['num_elements_plus_one']['start'] = self._io.pos()
        self.num_elements_plus_one = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
        self.num_elements_plus_one._read()
        self._debug['num_elements_plus_one']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.num_elements_plus_one._fetch_instances()

    @property
    def value(self):
        """Number of elements. An invalid one is made one that no message has room
        for, so that it is an error
        """
        if hasattr(self, '_m_value'):
            return self._m_value

        self._m_value = (self.num_elements_plus_one.value - 1 if self.num_elements_plus_one.value >= 1 else 2147483647)
        return getattr(self, '_m_value', None)


