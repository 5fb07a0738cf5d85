# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaUnsignedVarint(KaitaiStruct):
    """`UNSIGNED_VARINT` of the Kafka protocol: an integer cut into groups of 7 bits,
    the least significant group first, and the top bit of each byte tells whether
    another one follows. It is not "zigzag" as a `kafka_varint` is.
    
    There are at most 5 bytes, and it is an error if the last of them has its top
    bit set. Bits of it that are too many for 32 bits are dropped, as Kafka does.
    A number may take more bytes than it needs.
    
    .. seealso::
       Source - https://kafka.apache.org/protocol#protocol_types
    
    
    .. seealso::
       Source - https://protobuf.dev/programming-guides/encoding/#varints
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaUnsignedVarint, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.b0 = self._io.read_u1()
        if self.b0 >= 128:
            pass
            self.b1 = self._io.read_u1()

        if  ((self.b0 >= 128) and (self.b1 >= 128)) :
            pass
            self.b2 = self._io.read_u1()

        if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128)) :
            pass
            self.b3 = self._io.read_u1()

        if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128) and (self.b3 >= 128)) :
            pass
            self.b4 = self._io.read_u1()
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
    def value(self):
        """The number itself. From 2^31 on it comes out negative, less 2^32: Kafka
        has it in a signed integer and takes it so. Bit operations would not do
        for this in all languages.
        """
        if hasattr(self, '_m_value'):
            return self._m_value

        self._m_value = (self.b0 if self.b0 < 128 else ((self.b0 % 128 + self.b1 * 128) if self.b1 < 128 else (((self.b0 % 128 + (self.b1 % 128) * 128) + self.b2 * 16384) if self.b2 < 128 else ((((self.b0 % 128 + (self.b1 % 128) * 128) + (self.b2 % 128) * 16384) + self.b3 * 2097152) if self.b3 < 128 else ((((self.b0 % 128 + (self.b1 % 128) * 128) + (self.b2 % 128) * 16384) + (self.b3 % 128) * 2097152) + ((self.b4 % 16) if self.b4 % 16 < 8 else ((self.b4 % 16) - 16)) * 268435456)))))
        return getattr(self, '_m_value', None)


