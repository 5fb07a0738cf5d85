# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_boolean
from . import kafka_bytes
from . import kafka_tagged_fields
from . import kafka_unsigned_varint
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaRemoteLogSegmentMetadataSnapshotRecord(KaitaiStruct):
    """A segment in remote storage, in the snapshots that brokers keep of this topic
    in files.
    
    .. seealso::
       RemoteLogSegmentMetadataSnapshotRecord - https://github.com/apache/kafka/blob/4.4.0/storage/src/main/resources/message/RemoteLogSegmentMetadataSnapshotRecord.json
    """
    SEQ_FIELDS = ["segment_id", "start_offset", "end_offset", "broker_id", "max_timestamp_ms", "event_timestamp_ms", "num_segment_leader_epochs", "segment_leader_epochs", "segment_size_in_bytes", "custom_metadata", "remote_log_segment_state", "tagged_fields"]
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaRemoteLogSegmentMetadataSnapshotRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['segment_id']['start'] = self._io.pos()
        self.segment_id = self._io.read_bytes(16)
        self._debug['segment_id']['end'] = self._io.pos()
        self._debug['start_offset']['start'] = self._io.pos()
        self.start_offset = self._io.read_s8be()
        self._debug['start_offset']['end'] = self._io.pos()
        self._debug['end_offset']['start'] = self._io.pos()
        self.end_offset = self._io.read_s8be()
        self._debug['end_offset']['end'] = self._io.pos()
        self._debug['broker_id']['start'] = self._io.pos()
        self.broker_id = self._io.read_s4be()
        self._debug['broker_id']['end'] = self._io.pos()
        self._debug['max_timestamp_ms']['start'] = self._io.pos()
        self.max_timestamp_ms = self._io.read_s8be()
        self._debug['max_timestamp_ms']['end'] = self._io.pos()
        self._debug['event_timestamp_ms']['start'] = self._io.pos()
        self.event_timestamp_ms = self._io.read_s8be()
        self._debug['event_timestamp_ms']['end'] = self._io.pos()
        self._debug['num_segment_leader_epochs']['start'] = self._io.pos()
        self.num_segment_leader_epochs = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_segment_leader_epochs._read()
        self._debug['num_segment_leader_epochs']['end'] = self._io.pos()
        self._debug['segment_leader_epochs']['start'] = self._io.pos()
        self._debug['segment_leader_epochs']['arr'] = []
        self.segment_leader_epochs = []
        for i in range(self.num_segment_leader_epochs.value):
            self._debug['segment_leader_epochs']['arr'].append({'start': self._io.pos()})
            _t_segment_leader_epochs = KafkaRemoteLogSegmentMetadataSnapshotRecord.SegmentLeaderEpochEntry(self._io, self, self._root)
            try:
                _t_segment_leader_epochs._read()
            finally:
                self.segment_leader_epochs.append(_t_segment_leader_epochs)
            self._debug['segment_leader_epochs']['arr'][i]['end'] = self._io.pos()

        self._debug['segment_leader_epochs']['end'] = self._io.pos()
        self._debug['segment_size_in_bytes']['start'] = self._io.pos()
        self.segment_size_in_bytes = self._io.read_s4be()
        self._debug['segment_size_in_bytes']['end'] = self._io.pos()
        self._debug['custom_metadata']['start'] = self._io.pos()
        self.custom_metadata = kafka_bytes.KafkaBytes(True, True, self._io)
        self.custom_metadata._read()
        self._debug['custom_metadata']['end'] = self._io.pos()
        self._debug['remote_log_segment_state']['start'] = self._io.pos()
        self.remote_log_segment_state = self._io.read_s1()
        self._debug['remote_log_segment_state']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = KafkaRemoteLogSegmentMetadataSnapshotRecord.TaggedFields(self._io, self, self._root)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.num_segment_leader_epochs._fetch_instances()
        for i in range(len(self.segment_leader_epochs)):
            pass
            self.segment_leader_epochs[i]._fetch_instances()

        self.custom_metadata._fetch_instances()
        self.tagged_fields._fetch_instances()

    class SegmentLeaderEpochEntry(KaitaiStruct):
        """A leader epoch, and its first offset in the segment."""
        SEQ_FIELDS = ["leader_epoch", "offset", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRemoteLogSegmentMetadataSnapshotRecord.SegmentLeaderEpochEntry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['leader_epoch']['start'] = self._io.pos()
            self.leader_epoch = self._io.read_s4be()
            self._debug['leader_epoch']['end'] = self._io.pos()
            self._debug['offset']['start'] = self._io.pos()
            self.offset = self._io.read_s8be()
            self._debug['offset']['end'] = self._io.pos()
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.tagged_fields._fetch_instances()


    class TaggedField(KaitaiStruct):
        """A field that may be missing."""
        SEQ_FIELDS = ["tag", "len_data", "data"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRemoteLogSegmentMetadataSnapshotRecord.TaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['tag']['start'] = self._io.pos()
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.tag._read()
            self._debug['tag']['end'] = self._io.pos()
            self._debug['len_data']['start'] = self._io.pos()
            self.len_data = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_data._read()
            self._debug['len_data']['end'] = self._io.pos()
            self._debug['data']['start'] = self._io.pos()
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaRemoteLogSegmentMetadataSnapshotRecord.TxnIndexEmptyTag(_io__raw_data, self, self._root)
                self.data._read()
            else:
                pass
                self.data = self._io.read_bytes(self.len_data.value)
            self._debug['data']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.tag._fetch_instances()
            self.len_data._fetch_instances()
            _on = self.tag.value
            if _on == 0:
                pass
                self.data._fetch_instances()
            else:
                pass


    class TaggedFields(KaitaiStruct):
        """Fields that may be missing (KIP-482)."""
        SEQ_FIELDS = ["num_fields", "fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRemoteLogSegmentMetadataSnapshotRecord.TaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['num_fields']['start'] = self._io.pos()
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.num_fields._read()
            self._debug['num_fields']['end'] = self._io.pos()
            self._debug['fields']['start'] = self._io.pos()
            self._debug['fields']['arr'] = []
            self.fields = []
            for i in range(self.num_fields.value):
                self._debug['fields']['arr'].append({'start': self._io.pos()})
                _t_fields = KafkaRemoteLogSegmentMetadataSnapshotRecord.TaggedField(self._io, self, self._root)
                try:
                    _t_fields._read()
                finally:
                    self.fields.append(_t_fields)
                self._debug['fields']['arr'][i]['end'] = self._io.pos()

            self._debug['fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class TxnIndexEmptyTag(KaitaiStruct):
        """Field of tag 0."""
        SEQ_FIELDS = ["txn_index_empty", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaRemoteLogSegmentMetadataSnapshotRecord.TxnIndexEmptyTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['txn_index_empty']['start'] = self._io.pos()
            self.txn_index_empty = kafka_boolean.KafkaBoolean(self._io)
            self.txn_index_empty._read()
            self._debug['txn_index_empty']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            self.txn_index_empty._fetch_instances()
            if (not (self._io.is_eof())):
                pass




