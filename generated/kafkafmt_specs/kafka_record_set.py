# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_log_segment
from . import kafka_unsigned_varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaRecordSet(KaitaiStruct):
    """`RECORDS` of the Kafka protocol, or, in those versions of a message that have
    tagged fields, `COMPACT_RECORDS` (KIP-482): batches of records in a request that
    produces or a response that fetches, laid out as in a file.
    
    .. seealso::
       Source - https://kafka.apache.org/protocol#protocol_types
    
    
    .. seealso::
       KIP-482 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-482%3A+The+Kafka+Protocol+should+Support+Optional+Tagged+Fields
    """
    def __init__(self, is_compact, is_nullable, _io, _parent=None, _root=None):
        super(KafkaRecordSet, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.is_compact = is_compact
        self.is_nullable = is_nullable
        self._read()

    def _read(self):
        if (not (self.is_compact)):
            pass
            self.len_value_int32 = self._io.read_s4be()

        if self.is_compact:
            pass
            self.len_value_plus_one = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)

        if (not (self.is_null)):
            pass
            self._raw_value = self._io.read_bytes(self.len_value)
            _io__raw_value = KaitaiStream(BytesIO(self._raw_value))
            self.value = KafkaRecordSet.Batches(_io__raw_value, self, self._root)



    def _fetch_instances(self):
        pass
        if (not (self.is_compact)):
            pass

        if self.is_compact:
            pass
            self.len_value_plus_one._fetch_instances()

        if (not (self.is_null)):
            pass
            self.value._fetch_instances()


    class Batches(KaitaiStruct):
        """Bytes that are parsed as batches only when asked for, so that damaged ones
        spoil nothing else
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRecordSet.Batches, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.data = self._io.read_bytes_full()


        def _fetch_instances(self):
            pass
            _ = self.log
            if hasattr(self, '_m_log'):
                pass
                self._m_log._fetch_instances()


        @property
        def log(self):
            """The batches. A broker sends whole ranges of a file, so the last one may be
            cut off
            """
            if hasattr(self, '_m_log'):
                return self._m_log

            _pos = self._io.pos()
            self._io.seek(0)
            self._raw__m_log = self._io.read_bytes_full()
            _io__raw__m_log = KaitaiStream(BytesIO(self._raw__m_log))
            self._m_log = kafka_log_segment.KafkaLogSegment(_io__raw__m_log)
            self._io.seek(_pos)
            return getattr(self, '_m_log', None)


    @property
    def is_null(self):
        if hasattr(self, '_m_is_null'):
            return self._m_is_null

        self._m_is_null =  ((self.is_nullable) and (self.len_value < 0)) 
        return getattr(self, '_m_is_null', None)

    @property
    def len_value(self):
        """Size in bytes."""
        if hasattr(self, '_m_len_value'):
            return self._m_len_value

        self._m_len_value = ((self.len_value_plus_one.value - 1) if self.is_compact else self.len_value_int32)
        return getattr(self, '_m_len_value', None)


