# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaProducerSnapshot(KaitaiStruct):
    """The state of the idempotent and transactional producers that have written to a
    partition, so that a starting broker need not read the whole log (KIP-98). The
    file is named after an offset, in 20 digits (`00000000000000000042.snapshot`),
    and has the state after all records below that offset. Each of the latest
    segments has one for its start, and after a clean shutdown the log has one for
    its end.
    
    Every Kafka from 0.11 on writes version 1. A snapshot without producers is 10
    bytes long.
    
    .. seealso::
       KIP-98 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-98+-+Exactly+Once+Delivery+and+Transactional+Messaging
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaProducerSnapshot, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.version = self._io.read_s2be()
        if not self.version == 1:
            raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/seq/0")
        self.crc = self._io.read_u4be()
        self.num_producers = self._io.read_s4be()
        if not self.num_producers >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.num_producers, self._io, u"/seq/2")
        self.producers = []
        for i in range(self.num_producers):
            self.producers.append(KafkaProducerSnapshot.Producer(self._io, self, self._root))

        self.trailing = self._io.read_bytes_full()


    def _fetch_instances(self):
        pass
        for i in range(len(self.producers)):
            pass
            self.producers[i]._fetch_instances()

        _ = self.crc_input
        if hasattr(self, '_m_crc_input'):
            pass


    class Producer(KaitaiStruct):
        """A producer and its last batch. In memory a broker has the last five
        batches, to detect duplicates; the snapshot does not keep the other four.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaProducerSnapshot.Producer, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.producer_id = self._io.read_s8be()
            self.epoch = self._io.read_s2be()
            self.last_sequence = self._io.read_s4be()
            self.last_offset = self._io.read_s8be()
            self.offset_delta = self._io.read_s4be()
            self.timestamp = self._io.read_s8be()
            self.coordinator_epoch = self._io.read_s4be()
            self.current_txn_first_offset = self._io.read_s8be()


        def _fetch_instances(self):
            pass


    @property
    def crc_input(self):
        """The bytes that `crc` covers, from `num_producers` to the end."""
        if hasattr(self, '_m_crc_input'):
            return self._m_crc_input

        _pos = self._io.pos()
        self._io.seek(6)
        self._m_crc_input = self._io.read_bytes_full()
        self._io.seek(_pos)
        return getattr(self, '_m_crc_input', None)


