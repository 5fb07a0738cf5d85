# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


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
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaTransactionIndex, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.entries = []
        for i in range(self._io.size() // 34):
            self.entries.append(KafkaTransactionIndex.Entry(self._io, self, self._root))

        self.truncated = self._io.read_bytes_full()


    def _fetch_instances(self):
        pass
        for i in range(len(self.entries)):
            pass
            self.entries[i]._fetch_instances()


    class Entry(KaitaiStruct):
        """A transaction that was aborted."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaTransactionIndex.Entry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.version = self._io.read_s2be()
            if not self.version <= 0:
                raise kaitaistruct.ValidationGreaterThanError(0, self.version, self._io, u"/types/entry/seq/0")
            self.producer_id = self._io.read_s8be()
            self.first_offset = self._io.read_s8be()
            self.last_offset = self._io.read_s8be()
            self.last_stable_offset = self._io.read_s8be()


        def _fetch_instances(self):
            pass



