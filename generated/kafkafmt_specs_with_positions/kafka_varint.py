# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaVarint(KaitaiStruct):
    """Signed 32-bit integer as a "zigzag" number, in which 0, -1, 1, -2, 2 are 0, 1,
    2, 3, 4. It is divided into groups of 7 bits, the least significant group
    first, and the top bit of each byte says whether another byte follows. There
    are at most 5 bytes, and a top bit set in the fifth is an error. Bits beyond
    32 are dropped, as by Kafka. A number may take more bytes than it needs.
    
    .. seealso::
       Source - https://kafka.apache.org/documentation/#record
    
    
    .. seealso::
       Source - https://protobuf.dev/programming-guides/encoding/#signed-ints
    """
    SEQ_FIELDS = ["b0", "b1", "b2", "b3", "b4"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaVarint, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['b0']['start'] = self._io.pos()
        self.b0 = self._io.read_u1()
        self._debug['b0']['end'] = self._io.pos()
        if self.b0 >= 128:
            pass
            self._debug['b1']['start'] = self._io.pos()
            self.b1 = self._io.read_u1()
            self._debug['b1']['end'] = self._io.pos()

        if  ((self.b0 >= 128) and (self.b1 >= 128)) :
            pass
            self._debug['b2']['start'] = self._io.pos()
            self.b2 = self._io.read_u1()
            self._debug['b2']['end'] = self._io.pos()

        if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128)) :
            pass
            self._debug['b3']['start'] = self._io.pos()
            self.b3 = self._io.read_u1()
            self._debug['b3']['end'] = self._io.pos()

        if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128) and (self.b3 >= 128)) :
            pass
            self._debug['b4']['start'] = self._io.pos()
            self.b4 = self._io.read_u1()
            self._debug['b4']['end'] = self._io.pos()
            if not self.b4 <= 127:
                raise kaitaistruct.ValidationGreaterThanError(127, self.b4, self._io, u"/seq/4")



    def _fetch_instances(self):
        pass
        if self.b0 >= 128:
            pass

        if  ((self.b0 >= 128) and (self.b1 >= 128)) :
            pass

        if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128)) :
            pass

        if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128) and (self.b3 >= 128)) :
            pass


    @property
    def half(self):
        """The zigzag number without its lowest bit, which is the sign. In JavaScript
        bit operations are limited to 32 bits.
        """
        if hasattr(self, '_m_half'):
            return self._m_half

        self._m_half = ((self.b0 // 2) if self.b0 < 128 else ((((self.b0 % 128) // 2) + self.b1 * 64) if self.b1 < 128 else (((((self.b0 % 128) // 2) + (self.b1 % 128) * 64) + self.b2 * 8192) if self.b2 < 128 else ((((((self.b0 % 128) // 2) + (self.b1 % 128) * 64) + (self.b2 % 128) * 8192) + self.b3 * 1048576) if self.b3 < 128 else ((((((self.b0 % 128) // 2) + (self.b1 % 128) * 64) + (self.b2 % 128) * 8192) + (self.b3 % 128) * 1048576) + (self.b4 % 16) * 134217728)))))
        return getattr(self, '_m_half', None)

    @property
    def value(self):
        """The number itself."""
        if hasattr(self, '_m_value'):
            return self._m_value

        self._m_value = (self.half if self.b0 % 2 == 0 else (-(self.half) - 1))
        return getattr(self, '_m_value', None)


