# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaTransactionIndex(KaitaiStruct):
    """The transactions whose abort marker is in the `kafka_log_segment` of the same
    name, in the order of the markers (KIP-98). Brokers send these with the
    records to consumers that read committed data only, which skip the records of
    these transactions. The file does not exist before the first abort in a
    segment. It is not preallocated.
    
    .. seealso::
       KIP-98 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-98+-+Exactly+Once+Delivery+and+Transactional+Messaging
    """
    SEQ_FIELDS = ["entries", "truncated"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaTransactionIndex, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['entries']['start'] = self._io.pos()
        self._debug['entries']['arr'] = []
        self.entries = []
        for i in range(self._io.size() // 34):
            self._debug['entries']['arr'].append({'start': self._io.pos()})
            _t_entries = KafkaTransactionIndex.Entry(self._io, self, self._root)
            try:
                _t_entries._read()
            finally:
                self.entries.append(_t_entries)
            self._debug['entries']['arr'][i]['end'] = self._io.pos()

        self._debug['entries']['end'] = self._io.pos()
        self._debug['truncated']['start'] = self._io.pos()
        self.truncated = self._io.read_bytes_full()
        self._debug['truncated']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        for i in range(len(self.entries)):
            pass
            self.entries[i]._fetch_instances()


    class Entry(KaitaiStruct):
        """A transaction that was aborted."""
        SEQ_FIELDS = ["version", "producer_id", "first_offset", "last_offset", "last_stable_offset"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaTransactionIndex.Entry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['version']['start'] = self._io.pos()
            self.version = self._io.read_s2be()
            self._debug['version']['end'] = self._io.pos()
            if not self.version <= 0:
                raise kaitaistruct.ValidationGreaterThanError(0, self.version, self._io, u"/types/entry/seq/0")
            self._debug['producer_id']['start'] = self._io.pos()
            self.producer_id = self._io.read_s8be()
            self._debug['producer_id']['end'] = self._io.pos()
            self._debug['first_offset']['start'] = self._io.pos()
            self.first_offset = self._io.read_s8be()
            self._debug['first_offset']['end'] = self._io.pos()
            self._debug['last_offset']['start'] = self._io.pos()
            self.last_offset = self._io.read_s8be()
            self._debug['last_offset']['end'] = self._io.pos()
            self._debug['last_stable_offset']['start'] = self._io.pos()
            self.last_stable_offset = self._io.read_s8be()
            self._debug['last_stable_offset']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass



