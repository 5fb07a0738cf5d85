# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
import collections


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
    SEQ_FIELDS = ["version", "crc", "num_producers", "producers", "trailing"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaProducerSnapshot, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['version']['start'] = self._io.pos()
        self.version = self._io.read_s2be()
        self._debug['version']['end'] = self._io.pos()
        if not self.version == 1:
            raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/seq/0")
        self._debug['crc']['start'] = self._io.pos()
        self.crc = self._io.read_u4be()
        self._debug['crc']['end'] = self._io.pos()
        self._debug['num_producers']['start'] = self._io.pos()
        self.num_producers = self._io.read_s4be()
        self._debug['num_producers']['end'] = self._io.pos()
        if not self.num_producers >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.num_producers, self._io, u"/seq/2")
        self._debug['producers']['start'] = self._io.pos()
        self._debug['producers']['arr'] = []
        self.producers = []
        for i in range(self.num_producers):
            self._debug['producers']['arr'].append({'start': self._io.pos()})
            _t_producers = KafkaProducerSnapshot.Producer(self._io, self, self._root)
            try:
                _t_producers._read()
            finally:
                self.producers.append(_t_producers)
            self._debug['producers']['arr'][i]['end'] = self._io.pos()

        self._debug['producers']['end'] = self._io.pos()
        self._debug['trailing']['start'] = self._io.pos()
        self.trailing = self._io.read_bytes_full()
        self._debug['trailing']['end'] = self._io.pos()


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
        SEQ_FIELDS = ["producer_id", "epoch", "last_sequence", "last_offset", "offset_delta", "timestamp", "coordinator_epoch", "current_txn_first_offset"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaProducerSnapshot.Producer, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['producer_id']['start'] = self._io.pos()
            self.producer_id = self._io.read_s8be()
            self._debug['producer_id']['end'] = self._io.pos()
            self._debug['epoch']['start'] = self._io.pos()
            self.epoch = self._io.read_s2be()
            self._debug['epoch']['end'] = self._io.pos()
            self._debug['last_sequence']['start'] = self._io.pos()
            self.last_sequence = self._io.read_s4be()
            self._debug['last_sequence']['end'] = self._io.pos()
            self._debug['last_offset']['start'] = self._io.pos()
            self.last_offset = self._io.read_s8be()
            self._debug['last_offset']['end'] = self._io.pos()
            self._debug['offset_delta']['start'] = self._io.pos()
            self.offset_delta = self._io.read_s4be()
            self._debug['offset_delta']['end'] = self._io.pos()
            self._debug['timestamp']['start'] = self._io.pos()
            self.timestamp = self._io.read_s8be()
            self._debug['timestamp']['end'] = self._io.pos()
            self._debug['coordinator_epoch']['start'] = self._io.pos()
            self.coordinator_epoch = self._io.read_s4be()
            self._debug['coordinator_epoch']['end'] = self._io.pos()
            self._debug['current_txn_first_offset']['start'] = self._io.pos()
            self.current_txn_first_offset = self._io.read_s8be()
            self._debug['current_txn_first_offset']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass


    @property
    def crc_input(self):
        """The bytes that `crc` covers, from `num_producers` to the end."""
        if hasattr(self, '_m_crc_input'):
            return self._m_crc_input

        _pos = self._io.pos()
        self._io.seek(6)
        self._debug['_m_crc_input']['start'] = self._io.pos()
        self._m_crc_input = self._io.read_bytes_full()
        self._debug['_m_crc_input']['end'] = self._io.pos()
        self._io.seek(_pos)
        return getattr(self, '_m_crc_input', None)


