# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_tagged_fields
from . import kafka_unsigned_varint
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaShareSnapshotValue(KaitaiStruct):
    """All that a share group has done with a partition (KIP-932), in place of the
    snapshot before it.
    
    .. seealso::
       ShareSnapshotValue - https://github.com/apache/kafka/blob/4.4.0/share-coordinator/src/main/resources/common/message/ShareSnapshotValue.json
    """
    SEQ_FIELDS = ["message_version", "snapshot_epoch", "state_epoch", "leader_epoch", "start_offset", "create_timestamp", "write_timestamp", "num_state_batches", "state_batches", "tagged_fields"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaShareSnapshotValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['message_version']['start'] = self._io.pos()
        self.message_version = self._io.read_s2be()
        self._debug['message_version']['end'] = self._io.pos()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        if not self.message_version <= 0:
            raise kaitaistruct.ValidationGreaterThanError(0, self.message_version, self._io, u"/seq/0")
        self._debug['snapshot_epoch']['start'] = self._io.pos()
        self.snapshot_epoch = self._io.read_s4be()
        self._debug['snapshot_epoch']['end'] = self._io.pos()
        self._debug['state_epoch']['start'] = self._io.pos()
        self.state_epoch = self._io.read_s4be()
        self._debug['state_epoch']['end'] = self._io.pos()
        self._debug['leader_epoch']['start'] = self._io.pos()
        self.leader_epoch = self._io.read_s4be()
        self._debug['leader_epoch']['end'] = self._io.pos()
        self._debug['start_offset']['start'] = self._io.pos()
        self.start_offset = self._io.read_s8be()
        self._debug['start_offset']['end'] = self._io.pos()
        self._debug['create_timestamp']['start'] = self._io.pos()
        self.create_timestamp = self._io.read_s8be()
        self._debug['create_timestamp']['end'] = self._io.pos()
        self._debug['write_timestamp']['start'] = self._io.pos()
        self.write_timestamp = self._io.read_s8be()
        self._debug['write_timestamp']['end'] = self._io.pos()
        self._debug['num_state_batches']['start'] = self._io.pos()
        self.num_state_batches = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_state_batches._read()
        self._debug['num_state_batches']['end'] = self._io.pos()
        self._debug['state_batches']['start'] = self._io.pos()
        self._debug['state_batches']['arr'] = []
        self.state_batches = []
        for i in range(self.num_state_batches.value):
            self._debug['state_batches']['arr'].append({'start': self._io.pos()})
            _t_state_batches = KafkaShareSnapshotValue.StateBatch(self._io, self, self._root)
            try:
                _t_state_batches._read()
            finally:
                self.state_batches.append(_t_state_batches)
            self._debug['state_batches']['arr'][i]['end'] = self._io.pos()

        self._debug['state_batches']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = KafkaShareSnapshotValue.TaggedFields(self._io, self, self._root)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.num_state_batches._fetch_instances()
        for i in range(len(self.state_batches)):
            pass
            self.state_batches[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class DeliveryCompleteCountTag(KaitaiStruct):
        """Field of tag 0."""
        SEQ_FIELDS = ["delivery_complete_count", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareSnapshotValue.DeliveryCompleteCountTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['delivery_complete_count']['start'] = self._io.pos()
            self.delivery_complete_count = self._io.read_s4be()
            self._debug['delivery_complete_count']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class StateBatch(KaitaiStruct):
        """Records of the same state."""
        SEQ_FIELDS = ["first_offset", "last_offset", "delivery_state", "delivery_count", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareSnapshotValue.StateBatch, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['first_offset']['start'] = self._io.pos()
            self.first_offset = self._io.read_s8be()
            self._debug['first_offset']['end'] = self._io.pos()
            self._debug['last_offset']['start'] = self._io.pos()
            self.last_offset = self._io.read_s8be()
            self._debug['last_offset']['end'] = self._io.pos()
            self._debug['delivery_state']['start'] = self._io.pos()
            self.delivery_state = self._io.read_s1()
            self._debug['delivery_state']['end'] = self._io.pos()
            self._debug['delivery_count']['start'] = self._io.pos()
            self.delivery_count = self._io.read_s2be()
            self._debug['delivery_count']['end'] = self._io.pos()
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
            super(KafkaShareSnapshotValue.TaggedField, self).__init__(_io)
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
                self.data = KafkaShareSnapshotValue.DeliveryCompleteCountTag(_io__raw_data, self, self._root)
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
            super(KafkaShareSnapshotValue.TaggedFields, self).__init__(_io)
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
                _t_fields = KafkaShareSnapshotValue.TaggedField(self._io, self, self._root)
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




