# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_record
from enum import IntEnum


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
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaRecordBatch, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.partition_leader_epoch = self._io.read_s4be()
        self.magic = self._io.read_s1()
        if not self.magic == 2:
            raise kaitaistruct.ValidationNotEqualError(2, self.magic, self._io, u"/seq/1")
        self.crc = self._io.read_u4be()
        self.attributes = KafkaRecordBatch.Attributes(self._io, self, self._root)
        self.last_offset_delta = self._io.read_s4be()
        self.base_timestamp = self._io.read_s8be()
        self.max_timestamp = self._io.read_s8be()
        self.producer_id = self._io.read_s8be()
        self.producer_epoch = self._io.read_s2be()
        self.base_sequence = self._io.read_s4be()
        self.num_records = self._io.read_s4be()
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
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRecordBatch.Attributes, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.reserved = self._io.read_bits_int_be(9)
            self.has_delete_horizon = self._io.read_bits_int_be(1) != 0
            self.is_control = self._io.read_bits_int_be(1) != 0
            self.is_transactional = self._io.read_bits_int_be(1) != 0
            self.timestamp_type = KaitaiStream.resolve_enum(KafkaRecordBatch.TimestampType, self._io.read_bits_int_be(1))
            self.compression = KaitaiStream.resolve_enum(KafkaRecordBatch.Compression, self._io.read_bits_int_be(3))


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
            self._m_compressed_records = self._io.read_bytes_full()
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
        self._m_crc_input = self._io.read_bytes_full()
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
            self._m_records = []
            for i in range(self.num_records):
                self._m_records.append(kafka_record.KafkaRecord(self._io))

            self._io.seek(_pos)

        return getattr(self, '_m_records', None)


