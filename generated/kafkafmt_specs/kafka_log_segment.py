# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_message
from . import kafka_record_batch


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaLogSegment(KaitaiStruct):
    """Apache Kafka keeps each partition of a topic as a directory of segments. A
    segment file is named after the offset at which it starts, in 20 digits
    (`00000000000000000000.log`), and consists of entries, one after another,
    without a file header. An entry is
    
    * a message of format 0 (until Kafka 0.9) or 1 (0.10), or
    * a batch of records, format 2 (since Kafka 0.11).
    
    A file may mix entries of all three formats, as a broker keeps old data when
    the message format of a topic changes.
    
    Two more things have this format: the `.checkpoint` snapshots of the metadata
    log of Kafka's own Raft protocol (KIP-630; their offsets start at 0 whatever
    the file is called), and the decompressed value of a compressed message of
    format 0 or 1, which is a sequence of messages.
    
    A file ends after a whole entry; with an incomplete entry, if the broker did
    not write it completely (see `truncated`); or with zeros, if the broker
    preallocates segments and was not shut down cleanly. Zeros are not entries,
    and this parser stops at them with an error (on `len_body`), as Kafka's own
    reader does.
    
    .. seealso::
       Source - https://kafka.apache.org/documentation/#messageformat
    
    
    .. seealso::
       Source - https://kafka.apache.org/documentation/#log
    
    
    .. seealso::
       KIP-630 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-630%3A+Kafka+Raft+Snapshot
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaLogSegment, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.entries = []
        i = 0
        while not self._io.is_eof():
            self.entries.append(KafkaLogSegment.Entry(self._io.pos(), self._io, self, self._root))
            i += 1



    def _fetch_instances(self):
        pass
        for i in range(len(self.entries)):
            pass
            self.entries[i]._fetch_instances()


    class Entry(KaitaiStruct):
        """A message or a record batch, after its offset and its size.
        """
        def __init__(self, ofs_entry, _io, _parent=None, _root=None):
            super(KafkaLogSegment.Entry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.ofs_entry = ofs_entry
            self._read()

        def _read(self):
            if self.len_left >= 12:
                pass
                self.base_offset = self._io.read_s8be()

            if self.len_left >= 12:
                pass
                self.len_body = self._io.read_s4be()
                if not self.len_body >= (14 if self.len_left > 17 else self.len_body):
                    raise kaitaistruct.ValidationLessThanError((14 if self.len_left > 17 else self.len_body), self.len_body, self._io, u"/types/entry/seq/1")

            if self.is_complete:
                pass
                _on = self.magic
                if _on == 2:
                    pass
                    self._raw_body = self._io.read_bytes(self.len_body)
                    _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                    self.body = kafka_record_batch.KafkaRecordBatch(_io__raw_body)
                else:
                    pass
                    self._raw_body = self._io.read_bytes(self.len_body)
                    _io__raw_body = KaitaiStream(BytesIO(self._raw_body))
                    self.body = kafka_message.KafkaMessage(_io__raw_body)

            if (not (self.is_complete)):
                pass
                self.truncated = self._io.read_bytes_full()



        def _fetch_instances(self):
            pass
            if self.len_left >= 12:
                pass

            if self.len_left >= 12:
                pass

            if self.is_complete:
                pass
                _on = self.magic
                if _on == 2:
                    pass
                    self.body._fetch_instances()
                else:
                    pass
                    self.body._fetch_instances()

            if (not (self.is_complete)):
                pass

            _ = self.magic
            if hasattr(self, '_m_magic'):
                pass


        @property
        def is_complete(self):
            """Whether the entry is complete."""
            if hasattr(self, '_m_is_complete'):
                return self._m_is_complete

            self._m_is_complete =  ((self.len_left > 17) and (self.len_left - 12 >= self.len_body)) 
            return getattr(self, '_m_is_complete', None)

        @property
        def len_left(self):
            """Number of bytes from the start of the entry to the end of the stream
            """
            if hasattr(self, '_m_len_left'):
                return self._m_len_left

            self._m_len_left = (self._io.size() - self.ofs_entry)
            return getattr(self, '_m_len_left', None)

        @property
        def magic(self):
            """Number of the message format: 0, 1 or 2. The CRC of a record batch
            does not cover this byte. If a flipped bit makes it more than 2,
            brokers read the entry as a good batch of format 2 and keep it;
            consumers fail at it.
            """
            if hasattr(self, '_m_magic'):
                return self._m_magic

            if self.is_complete:
                pass
                _pos = self._io.pos()
                self._io.seek(self.ofs_entry + 16)
                self._m_magic = self._io.read_s1()
                if not self._m_magic <= 2:
                    raise kaitaistruct.ValidationGreaterThanError(2, self._m_magic, self._io, u"/types/entry/instances/magic")
                self._io.seek(_pos)

            return getattr(self, '_m_magic', None)



