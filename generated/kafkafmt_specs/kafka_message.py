# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaMessage(KaitaiStruct):
    """A message of the formats that Apache Kafka wrote before version 0.11, without
    its offset and size, which are part of the entry in a `kafka_log_segment`.
    
    A message with compression is a wrapper: its `value`, once decompressed, is a
    `kafka_log_segment` of the messages it holds; its key is not used. Wrappers
    are not nested. The offset of a wrapper is that of the last message in it. The
    offsets of the wrapped messages are
    
    * in format 0 absolute,
    * in format 1 relative to each other (KIP-31): the last wrapped message has
      the wrapper's offset, and the others are as far before it as their numbers
      are before its number. After compaction the numbers have gaps.
    
    The format of the wrapper decides, not the formats of the messages in it.
    
    .. seealso::
       Source - https://kafka.apache.org/documentation/#messageset
    
    
    .. seealso::
       KIP-31 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-31+-+Move+to+relative+offsets+in+compressed+message+sets
    
    
    .. seealso::
       KIP-32 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-32+-+Add+timestamps+to+Kafka+message
    """

    class Compression(IntEnum):
        none = 0
        gzip = 1
        snappy = 2
        lz4 = 3
        zstd = 4

    class TimestampType(IntEnum):
        create_time = 0
        log_append_time = 1
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaMessage, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.crc = self._io.read_u4be()
        self.magic = self._io.read_s1()
        if not self.magic <= 1:
            raise kaitaistruct.ValidationGreaterThanError(1, self.magic, self._io, u"/seq/1")
        self.attributes = KafkaMessage.Attributes(self._io, self, self._root)
        if self.magic != 0:
            pass
            self.timestamp = self._io.read_s8be()

        self.len_key = self._io.read_s4be()
        if self.len_key >= 0:
            pass
            self.key = self._io.read_bytes(self.len_key)

        self.len_value = self._io.read_s4be()
        if self.len_value >= 0:
            pass
            self.value = self._io.read_bytes(self.len_value)

        self.trailing = self._io.read_bytes_full()


    def _fetch_instances(self):
        pass
        self.attributes._fetch_instances()
        if self.magic != 0:
            pass

        if self.len_key >= 0:
            pass

        if self.len_value >= 0:
            pass

        _ = self.crc_input
        if hasattr(self, '_m_crc_input'):
            pass


    class Attributes(KaitaiStruct):
        """A byte of flags."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaMessage.Attributes, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.reserved = self._io.read_bits_int_be(4)
            self.timestamp_type = KaitaiStream.resolve_enum(KafkaMessage.TimestampType, self._io.read_bits_int_be(1))
            self.compression = KaitaiStream.resolve_enum(KafkaMessage.Compression, self._io.read_bits_int_be(3))


        def _fetch_instances(self):
            pass


    @property
    def crc_input(self):
        """The bytes that `crc` covers, from `magic` to the end, without offset and
        size of the entry.
        """
        if hasattr(self, '_m_crc_input'):
            return self._m_crc_input

        _pos = self._io.pos()
        self._io.seek(4)
        self._m_crc_input = self._io.read_bytes_full()
        self._io.seek(_pos)
        return getattr(self, '_m_crc_input', None)


