# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
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
        self.num_fields = AivenCustomMetadata.UnsignedVarint(self._io, self, self._root)
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
            self.tag = AivenCustomMetadata.UnsignedVarint(self._io, self, self._root)
            self.len_value = AivenCustomMetadata.UnsignedVarint(self._io, self, self._root)
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_value = self._io.read_bytes(self.len_value.value)
                _io__raw_value = KaitaiStream(BytesIO(self._raw_value))
                self.value = AivenCustomMetadata.Varlong(_io__raw_value, self, self._root)
            elif _on == 1:
                pass
                self._raw_value = self._io.read_bytes(self.len_value.value)
                _io__raw_value = KaitaiStream(BytesIO(self._raw_value))
                self.value = AivenCustomMetadata.Text(_io__raw_value, self, self._root)
            elif _on == 2:
                pass
                self._raw_value = self._io.read_bytes(self.len_value.value)
                _io__raw_value = KaitaiStream(BytesIO(self._raw_value))
                self.value = AivenCustomMetadata.Text(_io__raw_value, self, self._root)
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


    class Text(KaitaiStruct):
        """`COMPACT_STRING` of the Kafka protocol."""
        def __init__(self, _io, _parent=None, _root=None):
            super(AivenCustomMetadata.Text, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.len_value_plus_one = AivenCustomMetadata.UnsignedVarint(self._io, self, self._root)
            self.value = self._io.read_bytes(self.len_value_plus_one.value - 1)


        def _fetch_instances(self):
            pass
            self.len_value_plus_one._fetch_instances()


    class UnsignedVarint(KaitaiStruct):
        """An integer in groups of 7 bits, as `kafka_unsigned_varint`."""
        def __init__(self, _io, _parent=None, _root=None):
            super(AivenCustomMetadata.UnsignedVarint, self).__init__(_io)
            self._parent = _parent
            self._root = _root
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
                    raise kaitaistruct.ValidationGreaterThanError(127, self.b4, self._io, u"/types/unsigned_varint/seq/4")



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
            """The number itself. A number from 2^31 on becomes negative, minus 2^32,
            as Kafka reads it into a signed integer. Bit operations cannot do this
            in all languages.
            """
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = (self.b0 if self.b0 < 128 else ((self.b0 % 128 + self.b1 * 128) if self.b1 < 128 else (((self.b0 % 128 + (self.b1 % 128) * 128) + self.b2 * 16384) if self.b2 < 128 else ((((self.b0 % 128 + (self.b1 % 128) * 128) + (self.b2 % 128) * 16384) + self.b3 * 2097152) if self.b3 < 128 else ((((self.b0 % 128 + (self.b1 % 128) * 128) + (self.b2 % 128) * 16384) + (self.b3 % 128) * 2097152) + ((self.b4 % 16) if self.b4 % 16 < 8 else ((self.b4 % 16) - 16)) * 268435456)))))
            return getattr(self, '_m_value', None)


    class Varlong(KaitaiStruct):
        """A signed integer in groups of 7 bits, as `kafka_varlong`."""
        def __init__(self, _io, _parent=None, _root=None):
            super(AivenCustomMetadata.Varlong, self).__init__(_io)
            self._parent = _parent
            self._root = _root
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

            if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128) and (self.b3 >= 128) and (self.b4 >= 128)) :
                pass
                self.b5 = self._io.read_u1()

            if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128) and (self.b3 >= 128) and (self.b4 >= 128) and (self.b5 >= 128)) :
                pass
                self.b6 = self._io.read_u1()

            if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128) and (self.b3 >= 128) and (self.b4 >= 128) and (self.b5 >= 128) and (self.b6 >= 128)) :
                pass
                self.b7 = self._io.read_u1()

            if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128) and (self.b3 >= 128) and (self.b4 >= 128) and (self.b5 >= 128) and (self.b6 >= 128) and (self.b7 >= 128)) :
                pass
                self.b8 = self._io.read_u1()

            if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128) and (self.b3 >= 128) and (self.b4 >= 128) and (self.b5 >= 128) and (self.b6 >= 128) and (self.b7 >= 128) and (self.b8 >= 128)) :
                pass
                self.b9 = self._io.read_u1()
                if not self.b9 <= 127:
                    raise kaitaistruct.ValidationGreaterThanError(127, self.b9, self._io, u"/types/varlong/seq/9")



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
            """The zigzag number without its lowest bit, which is the sign. In
            JavaScript bit operations are limited to 32 bits; in Rust all
            operations are, but for the casts.
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



