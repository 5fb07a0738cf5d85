# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaOffsetIndex(KaitaiStruct):
    """Positions of offsets in the `kafka_log_segment` of the same name: an entry for
    about every 4096 bytes (`log.index.interval.bytes`), in ascending order. Kafka
    runs a binary search over them. The index of a small segment is often empty.
    
    While a broker writes to a segment its index is preallocated to its full size
    (`log.index.size.max.bytes`), so that entries of zeros follow the last real
    one. They are cut off when the segment is full or on a clean shutdown, but
    remain after a crash, and in directories of deleted topics. Only the very
    first entry may really be zero, as both numbers rise from entry to entry.
    
    .. seealso::
       Source - https://kafka.apache.org/documentation/#log
    
    
    .. seealso::
       Source - https://kafka.apache.org/documentation/#brokerconfigs_log.index.interval.bytes
    """
    SEQ_FIELDS = ["entries", "truncated"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaOffsetIndex, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['entries']['start'] = self._io.pos()
        self._debug['entries']['arr'] = []
        self.entries = []
        for i in range(self._io.size() // 8):
            self._debug['entries']['arr'].append({'start': self._io.pos()})
            _t_entries = KafkaOffsetIndex.Entry(self._io, self, self._root)
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
        """The position from which a reader searches the log for an offset: no record
        with this or a greater offset lies before it.
        """
        SEQ_FIELDS = ["relative_offset", "ofs_entry"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaOffsetIndex.Entry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['relative_offset']['start'] = self._io.pos()
            self.relative_offset = self._io.read_s4be()
            self._debug['relative_offset']['end'] = self._io.pos()
            self._debug['ofs_entry']['start'] = self._io.pos()
            self.ofs_entry = self._io.read_s4be()
            self._debug['ofs_entry']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass



