# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from enum import IntEnum
import collections


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
    SEQ_FIELDS = ["crc", "magic", "attributes", "timestamp", "len_key", "key", "len_value", "value", "trailing"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaMessage, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['crc']['start'] = self._io.pos()
        self.crc = self._io.read_u4be()
        self._debug['crc']['end'] = self._io.pos()
        self._debug['magic']['start'] = self._io.pos()
        self.magic = self._io.read_s1()
        self._debug['magic']['end'] = self._io.pos()
        if not self.magic <= 1:
            raise kaitaistruct.ValidationGreaterThanError(1, self.magic, self._io, u"/seq/1")
        self._debug['attributes']['start'] = self._io.pos()
        self.attributes = KafkaMessage.Attributes(self._io, self, self._root)
        self.attributes._read()
        self._debug['attributes']['end'] = self._io.pos()
        if self.magic != 0:
            pass
            self._debug['timestamp']['start'] = self._io.pos()
            self.timestamp = self._io.read_s8be()
            self._debug['timestamp']['end'] = self._io.pos()

        self._debug['len_key']['start'] = self._io.pos()
        self.len_key = self._io.read_s4be()
        self._debug['len_key']['end'] = self._io.pos()
        if self.len_key >= 0:
            pass
            self._debug['key']['start'] = self._io.pos()
            self.key = self._io.read_bytes(self.len_key)
            self._debug['key']['end'] = self._io.pos()

        self._debug['len_value']['start'] = self._io.pos()
        self.len_value = self._io.read_s4be()
        self._debug['len_value']['end'] = self._io.pos()
        if self.len_value >= 0:
            pass
            self._debug['value']['start'] = self._io.pos()
            self.value = self._io.read_bytes(self.len_value)
            self._debug['value']['end'] = self._io.pos()

        self._debug['trailing']['start'] = self._io.pos()
        self.trailing = self._io.read_bytes_full()
        self._debug['trailing']['end'] = self._io.pos()


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
        SEQ_FIELDS = ["reserved", "timestamp_type", "compression"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaMessage.Attributes, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['reserved']['start'] = self._io.pos()
            self.reserved = self._io.read_bits_int_be(4)
            self._debug['reserved']['end'] = self._io.pos()
            self._debug['timestamp_type']['start'] = self._io.pos()
            self.timestamp_type = KaitaiStream.resolve_enum(KafkaMessage.TimestampType, self._io.read_bits_int_be(1))
            self._debug['timestamp_type']['end'] = self._io.pos()
            self._debug['compression']['start'] = self._io.pos()
            self.compression = KaitaiStream.resolve_enum(KafkaMessage.Compression, self._io.read_bits_int_be(3))
            self._debug['compression']['end'] = self._io.pos()


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
        self._debug['_m_crc_input']['start'] = self._io.pos()
        self._m_crc_input = self._io.read_bytes_full()
        self._debug['_m_crc_input']['end'] = self._io.pos()
        self._io.seek(_pos)
        return getattr(self, '_m_crc_input', None)


