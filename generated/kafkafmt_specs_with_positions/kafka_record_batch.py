# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_record
from enum import IntEnum
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaRecordBatch(KaitaiStruct):
    """A record batch, which Apache Kafka writes since version 0.11: a header of 49
    bytes and a number of records, without its offset and size, which are part of
    the entry in a `kafka_log_segment`. The records are compressed together or not
    at all; the header never is.
    
    The log cleaner, which compacts topics, removes records from batches, but
    keeps the offset of the entry and `last_offset_delta`. So a batch may have
    fewer records than offsets, its first record need not have the offset of the
    entry, and a batch with the last sequence number of a producer is kept even
    without records.
    
    .. seealso::
       Source - https://kafka.apache.org/documentation/#recordbatch
    
    
    .. seealso::
       KIP-98 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-98+-+Exactly+Once+Delivery+and+Transactional+Messaging
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
    SEQ_FIELDS = ["partition_leader_epoch", "magic", "crc", "attributes", "last_offset_delta", "base_timestamp", "max_timestamp", "producer_id", "producer_epoch", "base_sequence", "num_records"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaRecordBatch, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['partition_leader_epoch']['start'] = self._io.pos()
        self.partition_leader_epoch = self._io.read_s4be()
        self._debug['partition_leader_epoch']['end'] = self._io.pos()
        self._debug['magic']['start'] = self._io.pos()
        self.magic = self._io.read_s1()
        self._debug['magic']['end'] = self._io.pos()
        if not self.magic == 2:
            raise kaitaistruct.ValidationNotEqualError(2, self.magic, self._io, u"/seq/1")
        self._debug['crc']['start'] = self._io.pos()
        self.crc = self._io.read_u4be()
        self._debug['crc']['end'] = self._io.pos()
        self._debug['attributes']['start'] = self._io.pos()
        self.attributes = KafkaRecordBatch.Attributes(self._io, self, self._root)
        self.attributes._read()
        self._debug['attributes']['end'] = self._io.pos()
        self._debug['last_offset_delta']['start'] = self._io.pos()
        self.last_offset_delta = self._io.read_s4be()
        self._debug['last_offset_delta']['end'] = self._io.pos()
        self._debug['base_timestamp']['start'] = self._io.pos()
        self.base_timestamp = self._io.read_s8be()
        self._debug['base_timestamp']['end'] = self._io.pos()
        self._debug['max_timestamp']['start'] = self._io.pos()
        self.max_timestamp = self._io.read_s8be()
        self._debug['max_timestamp']['end'] = self._io.pos()
        self._debug['producer_id']['start'] = self._io.pos()
        self.producer_id = self._io.read_s8be()
        self._debug['producer_id']['end'] = self._io.pos()
        self._debug['producer_epoch']['start'] = self._io.pos()
        self.producer_epoch = self._io.read_s2be()
        self._debug['producer_epoch']['end'] = self._io.pos()
        self._debug['base_sequence']['start'] = self._io.pos()
        self.base_sequence = self._io.read_s4be()
        self._debug['base_sequence']['end'] = self._io.pos()
        self._debug['num_records']['start'] = self._io.pos()
        self.num_records = self._io.read_s4be()
        self._debug['num_records']['end'] = self._io.pos()
        if not self.num_records >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.num_records, self._io, u"/seq/10")


    def _fetch_instances(self):
        pass
        self.attributes._fetch_instances()
        _ = self.compressed_records
        if hasattr(self, '_m_compressed_records'):
            pass

        _ = self.crc_input
        if hasattr(self, '_m_crc_input'):
            pass

        _ = self.records
        if hasattr(self, '_m_records'):
            pass
            for i in range(len(self._m_records)):
                pass
                self._m_records[i]._fetch_instances()



    class Attributes(KaitaiStruct):
        """Two bytes of flags."""
        SEQ_FIELDS = ["reserved", "has_delete_horizon", "is_control", "is_transactional", "timestamp_type", "compression"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRecordBatch.Attributes, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['reserved']['start'] = self._io.pos()
            self.reserved = self._io.read_bits_int_be(9)
            self._debug['reserved']['end'] = self._io.pos()
            self._debug['has_delete_horizon']['start'] = self._io.pos()
            self.has_delete_horizon = self._io.read_bits_int_be(1) != 0
            self._debug['has_delete_horizon']['end'] = self._io.pos()
            self._debug['is_control']['start'] = self._io.pos()
            self.is_control = self._io.read_bits_int_be(1) != 0
            self._debug['is_control']['end'] = self._io.pos()
            self._debug['is_transactional']['start'] = self._io.pos()
            self.is_transactional = self._io.read_bits_int_be(1) != 0
            self._debug['is_transactional']['end'] = self._io.pos()
            self._debug['timestamp_type']['start'] = self._io.pos()
            self.timestamp_type = KaitaiStream.resolve_enum(KafkaRecordBatch.TimestampType, self._io.read_bits_int_be(1))
            self._debug['timestamp_type']['end'] = self._io.pos()
            self._debug['compression']['start'] = self._io.pos()
            self.compression = KaitaiStream.resolve_enum(KafkaRecordBatch.Compression, self._io.read_bits_int_be(3))
            self._debug['compression']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass


    @property
    def compressed_records(self):
        """The records, if they are compressed: after decompression a `kafka_records`
        with `num_records` records.
        """
        if hasattr(self, '_m_compressed_records'):
            return self._m_compressed_records

        if self.attributes.compression != KafkaRecordBatch.Compression.none:
            pass
            _pos = self._io.pos()
            self._io.seek(49)
            self._debug['_m_compressed_records']['start'] = self._io.pos()
            self._m_compressed_records = self._io.read_bytes_full()
            self._debug['_m_compressed_records']['end'] = self._io.pos()
            self._io.seek(_pos)

        return getattr(self, '_m_compressed_records', None)

    @property
    def crc_input(self):
        """The bytes that `crc` covers, from `attributes` to the end, without offset
        and size of the entry, `partition_leader_epoch`, `magic` and the CRC
        itself.
        """
        if hasattr(self, '_m_crc_input'):
            return self._m_crc_input

        _pos = self._io.pos()
        self._io.seek(9)
        self._debug['_m_crc_input']['start'] = self._io.pos()
        self._m_crc_input = self._io.read_bytes_full()
        self._debug['_m_crc_input']['end'] = self._io.pos()
        self._io.seek(_pos)
        return getattr(self, '_m_crc_input', None)

    @property
    def records(self):
        """The records, if they are not compressed. Kafka refuses a batch with bytes
        after the last record.
        """
        if hasattr(self, '_m_records'):
            return self._m_records

        if self.attributes.compression == KafkaRecordBatch.Compression.none:
            pass
            _pos = self._io.pos()
            self._io.seek(49)
            self._debug['_m_records']['start'] = self._io.pos()
            self._debug['_m_records']['arr'] = []
            self._m_records = []
            for i in range(self.num_records):
                self._debug['_m_records']['arr'].append({'start': self._io.pos()})
                _t__m_records = kafka_record.KafkaRecord(self._io)
                try:
                    _t__m_records._read()
                finally:
                    self._m_records.append(_t__m_records)
                self._debug['_m_records']['arr'][i]['end'] = self._io.pos()

            self._debug['_m_records']['end'] = self._io.pos()
            self._io.seek(_pos)

        return getattr(self, '_m_records', None)


