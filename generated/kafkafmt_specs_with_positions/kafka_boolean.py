# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaBoolean(KaitaiStruct):
    """`BOOLEAN` of the Kafka protocol: a byte, false if it is 0, else true.
    
    .. seealso::
       Source - https://kafka.apache.org/protocol#protocol_types
    """
    SEQ_FIELDS = ["byte"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaBoolean, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['byte']['start'] = self._io.pos()
        self.byte = self._io.read_s1()
        self._debug['byte']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass

    @property
    def value(self):
        if hasattr(self, '_m_value'):
            return self._m_value

        self._m_value = self.byte != 0
        return getattr(self, '_m_value', None)


