# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_string
from . import kafka_unsigned_varint
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaOffsetCommitValue(KaitaiStruct):
    """Offset that a consumer group has committed for a partition. An offset that was
    committed in a transaction counts only once a `COMMIT` marker follows in the
    same partition of `__consumer_offsets`.
    
    .. seealso::
       OffsetCommitValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/OffsetCommitValue.json
    """
    SEQ_FIELDS = ["message_version", "offset", "leader_epoch", "metadata", "commit_timestamp", "expire_timestamp", "tagged_fields"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaOffsetCommitValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['message_version']['start'] = self._io.pos()
        self.message_version = self._io.read_s2be()
        self._debug['message_version']['end'] = self._io.pos()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        if not self.message_version <= 4:
            raise kaitaistruct.ValidationGreaterThanError(4, self.message_version, self._io, u"/seq/0")
        self._debug['offset']['start'] = self._io.pos()
        self.offset = self._io.read_s8be()
        self._debug['offset']['end'] = self._io.pos()
        if self.message_version >= 3:
            pass
            self._debug['leader_epoch']['start'] = self._io.pos()
            self.leader_epoch = self._io.read_s4be()
            self._debug['leader_epoch']['end'] = self._io.pos()

        self._debug['metadata']['start'] = self._io.pos()
        self.metadata = kafka_string.KafkaString(self.message_version >= 4, False, self._io)
        self.metadata._read()
        self._debug['metadata']['end'] = self._io.pos()
        self._debug['commit_timestamp']['start'] = self._io.pos()
        self.commit_timestamp = self._io.read_s8be()
        self._debug['commit_timestamp']['end'] = self._io.pos()
        if self.message_version == 1:
            pass
            self._debug['expire_timestamp']['start'] = self._io.pos()
            self.expire_timestamp = self._io.read_s8be()
            self._debug['expire_timestamp']['end'] = self._io.pos()

        if self.message_version >= 4:
            pass
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = KafkaOffsetCommitValue.TaggedFields(self._io, self, self._root)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()



    def _fetch_instances(self):
        pass
        if self.message_version >= 3:
            pass

        self.metadata._fetch_instances()
        if self.message_version == 1:
            pass

        if self.message_version >= 4:
            pass
            self.tagged_fields._fetch_instances()


    class TaggedField(KaitaiStruct):
        """A field that may be missing."""
        SEQ_FIELDS = ["tag", "len_data", "data"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaOffsetCommitValue.TaggedField, self).__init__(_io)
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
                self.data = KafkaOffsetCommitValue.TopicIdTag(_io__raw_data, self, self._root)
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
            super(KafkaOffsetCommitValue.TaggedFields, self).__init__(_io)
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
                _t_fields = KafkaOffsetCommitValue.TaggedField(self._io, self, self._root)
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



    class TopicIdTag(KaitaiStruct):
        """Field of tag 0."""
        SEQ_FIELDS = ["topic_id", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaOffsetCommitValue.TopicIdTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['topic_id']['start'] = self._io.pos()
            self.topic_id = self._io.read_bytes(16)
            self._debug['topic_id']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass




