# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaVarlong(KaitaiStruct):
    """Signed 64-bit integer as a "zigzag" number, in which 0, -1, 1, -2, 2 are 0, 1,
    2, 3, 4. It is divided into groups of 7 bits, the least significant group
    first, and the top bit of each byte says whether another byte follows. There
    are at most 10 bytes, and a top bit set in the tenth is an error. Bits beyond
    64 are dropped, as by Kafka. A number may take more bytes than it needs.
    
    In languages that have only floating point numbers, such as JavaScript, the
    value is exact up to 53 bits.
    
    .. seealso::
       Source - https://kafka.apache.org/documentation/#record
    
    
    .. seealso::
       Source - https://protobuf.dev/programming-guides/encoding/#signed-ints
    """
    SEQ_FIELDS = ["b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaVarlong, self).__init__(_io)
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

        if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128) and (self.b3 >= 128) and (self.b4 >= 128)) :
            pass
            self._debug['b5']['start'] = self._io.pos()
            self.b5 = self._io.read_u1()
            self._debug['b5']['end'] = self._io.pos()

        if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128) and (self.b3 >= 128) and (self.b4 >= 128) and (self.b5 >= 128)) :
            pass
            self._debug['b6']['start'] = self._io.pos()
            self.b6 = self._io.read_u1()
            self._debug['b6']['end'] = self._io.pos()

        if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128) and (self.b3 >= 128) and (self.b4 >= 128) and (self.b5 >= 128) and (self.b6 >= 128)) :
            pass
            self._debug['b7']['start'] = self._io.pos()
            self.b7 = self._io.read_u1()
            self._debug['b7']['end'] = self._io.pos()

        if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128) and (self.b3 >= 128) and (self.b4 >= 128) and (self.b5 >= 128) and (self.b6 >= 128) and (self.b7 >= 128)) :
            pass
            self._debug['b8']['start'] = self._io.pos()
            self.b8 = self._io.read_u1()
            self._debug['b8']['end'] = self._io.pos()

        if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128) and (self.b3 >= 128) and (self.b4 >= 128) and (self.b5 >= 128) and (self.b6 >= 128) and (self.b7 >= 128) and (self.b8 >= 128)) :
            pass
            self._debug['b9']['start'] = self._io.pos()
            self.b9 = self._io.read_u1()
            self._debug['b9']['end'] = self._io.pos()
            if not self.b9 <= 127:
                raise kaitaistruct.ValidationGreaterThanError(127, self.b9, self._io, u"/seq/9")



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

        if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128) and (self.b3 >= 128) and (self.b4 >= 128)) :
            pass

        if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128) and (self.b3 >= 128) and (self.b4 >= 128) and (self.b5 >= 128)) :
            pass

        if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128) and (self.b3 >= 128) and (self.b4 >= 128) and (self.b5 >= 128) and (self.b6 >= 128)) :
            pass

        if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128) and (self.b3 >= 128) and (self.b4 >= 128) and (self.b5 >= 128) and (self.b6 >= 128) and (self.b7 >= 128)) :
            pass

        if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128) and (self.b3 >= 128) and (self.b4 >= 128) and (self.b5 >= 128) and (self.b6 >= 128) and (self.b7 >= 128) and (self.b8 >= 128)) :
            pass


    @property
    def half(self):
        """The zigzag number without its lowest bit, which is the sign. In JavaScript
        bit operations are limited to 32 bits; in Rust all operations are, but for
        the casts.
        """
        if hasattr(self, '_m_half'):
            return self._m_half

        self._m_half = (((self.b0 % 128) // 2) + (0 if self.b0 < 128 else (64 * ((self.b1 % 128) + (0 if self.b1 < 128 else (128 * ((self.b2 % 128) + (0 if self.b2 < 128 else (128 * ((self.b3 % 128) + (0 if self.b3 < 128 else (128 * ((self.b4 % 128) + (0 if self.b4 < 128 else (128 * ((self.b5 % 128) + (0 if self.b5 < 128 else (128 * ((self.b6 % 128) + (0 if self.b6 < 128 else (128 * ((self.b7 % 128) + (0 if self.b7 < 128 else (128 * ((self.b8 % 128) + (0 if self.b8 < 128 else (128 * (self.b9 % 2))))))))))))))))))))))))))))
        return getattr(self, '_m_half', None)

    @property
    def value(self):
        """The number itself."""
        if hasattr(self, '_m_value'):
            return self._m_value

        self._m_value = (self.half if self.b0 % 2 == 0 else (-(self.half) - 1))
        return getattr(self, '_m_value', None)


