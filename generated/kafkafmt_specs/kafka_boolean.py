# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaBoolean(KaitaiStruct):
    """`BOOLEAN` of the Kafka protocol: a byte, false if it is 0, else true.
    
    .. seealso::
       Source - https://kafka.apache.org/protocol#protocol_types
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaBoolean, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.flag = self._io.read_s1()


    def _fetch_instances(self):
        pass

    @property
    def value(self):
        if hasattr(self, '_m_value'):
            return self._m_value

        self._m_value = self.flag != 0
        return getattr(self, '_m_value', None)


