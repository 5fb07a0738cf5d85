# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaTimeIndex(KaitaiStruct):
    """The greatest timestamp up to an offset in the `kafka_log_segment` of the same
    name, since Kafka 0.10.1 (KIP-33). Timestamps and offsets rise from entry to
    entry, although those of the records need not. Records without a timestamp,
    such as all of message format 0, have no entries. Kafka may add an entry
    together with one of the `kafka_offset_index`, and adds the last one when the
    segment is full or is closed.
    
    While a broker writes to a segment its index is preallocated to its full size,
    so that entries of zeros follow the last real one. They are cut off when the
    segment is full or on a clean shutdown, but remain after a crash. Only the
    first entry may really be zero: a record of 1970 at the segment's first
    offset.
    
    .. seealso::
       KIP-33 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-33+-+Add+a+time+based+log+index
    
    
    .. seealso::
       Source - https://kafka.apache.org/documentation/#log
    """
    SEQ_FIELDS = ["entries", "truncated"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaTimeIndex, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['entries']['start'] = self._io.pos()
        self._debug['entries']['arr'] = []
        self.entries = []
        for i in range(self._io.size() // 12):
            self._debug['entries']['arr'].append({'start': self._io.pos()})
            _t_entries = KafkaTimeIndex.Entry(self._io, self, self._root)
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
        """Any record of the segment with a later timestamp has a greater offset.
        """
        SEQ_FIELDS = ["timestamp", "relative_offset"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaTimeIndex.Entry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['timestamp']['start'] = self._io.pos()
            self.timestamp = self._io.read_s8be()
            self._debug['timestamp']['end'] = self._io.pos()
            self._debug['relative_offset']['start'] = self._io.pos()
            self.relative_offset = self._io.read_s4be()
            self._debug['relative_offset']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass



