# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class AivenChunkSizes(KaitaiStruct):
    """Sizes of the chunks of a log segment in the object that Aiven's plugin has
    made of it (KIP-405), if chunks are compressed. It is compressed with zstd,
    then written as base64 into the field `transformedChunks` of a
    `.rsm-manifest`.
    
    All sizes but the last are stored minus the smallest of them, in as few bytes
    as the largest difference needs.
    
    .. seealso::
       Source - https://github.com/Aiven-Open/tiered-storage-for-apache-kafka
    
    
    .. seealso::
       KIP-405 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-405%3A+Kafka+Tiered+Storage
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(AivenChunkSizes, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.num_chunks = self._io.read_s4be()
        if not self.num_chunks >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.num_chunks, self._io, u"/seq/0")
        if self.num_chunks > 1:
            pass
            self.base = self._io.read_s4be()
            if not self.base >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.base, self._io, u"/seq/1")

        if self.num_chunks > 1:
            pass
            self.len_difference = self._io.read_u1()
            if not self.len_difference >= 1:
                raise kaitaistruct.ValidationLessThanError(1, self.len_difference, self._io, u"/seq/2")
            if not self.len_difference <= 4:
                raise kaitaistruct.ValidationGreaterThanError(4, self.len_difference, self._io, u"/seq/2")

        if self.num_chunks > 1:
            pass
            self.differences = []
            for i in range(self.num_chunks - 1):
                self.differences.append(AivenChunkSizes.Difference(self._io, self, self._root))


        if self.num_chunks > 0:
            pass
            self.last = self._io.read_s4be()
            if not self.last >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.last, self._io, u"/seq/4")



    def _fetch_instances(self):
        pass
        if self.num_chunks > 1:
            pass

        if self.num_chunks > 1:
            pass

        if self.num_chunks > 1:
            pass
            for i in range(len(self.differences)):
                pass
                self.differences[i]._fetch_instances()


        if self.num_chunks > 0:
            pass


    class Difference(KaitaiStruct):
        """An unsigned integer of `len_difference` bytes."""
        def __init__(self, _io, _parent=None, _root=None):
            super(AivenChunkSizes.Difference, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.digits = []
            for i in range(self._root.len_difference):
                self.digits.append(self._io.read_u1())



        def _fetch_instances(self):
            pass
            for i in range(len(self.digits)):
                pass


        @property
        def value(self):
            """The number itself."""
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = (self.digits[0] if self._root.len_difference == 1 else ((self.digits[0] * 256 + self.digits[1]) if self._root.len_difference == 2 else (((self.digits[0] * 65536 + self.digits[1] * 256) + self.digits[2]) if self._root.len_difference == 3 else (((self.digits[0] * 16777216 + self.digits[1] * 65536) + self.digits[2] * 256) + self.digits[3]))))
            return getattr(self, '_m_value', None)



