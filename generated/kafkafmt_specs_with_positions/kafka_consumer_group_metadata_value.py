# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_unsigned_varint
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaConsumerGroupMetadataValue(KaitaiStruct):
    """A consumer group of the new protocol (KIP-848).
    
    .. seealso::
       ConsumerGroupMetadataValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupMetadataValue.json
    """
    SEQ_FIELDS = ["message_version", "epoch", "tagged_fields"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaConsumerGroupMetadataValue, self).__init__(_io)
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
        self._debug['epoch']['start'] = self._io.pos()
        self.epoch = self._io.read_s4be()
        self._debug['epoch']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = KafkaConsumerGroupMetadataValue.TaggedFields(self._io, self, self._root)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.tagged_fields._fetch_instances()

    class MetadataHashTag(KaitaiStruct):
        """Field of tag 0."""
        SEQ_FIELDS = ["metadata_hash", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupMetadataValue.MetadataHashTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['metadata_hash']['start'] = self._io.pos()
            self.metadata_hash = self._io.read_s8be()
            self._debug['metadata_hash']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class TaggedField(KaitaiStruct):
        """A field that may be missing."""
        SEQ_FIELDS = ["tag", "len_data", "data"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupMetadataValue.TaggedField, self).__init__(_io)
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
                self.data = KafkaConsumerGroupMetadataValue.MetadataHashTag(_io__raw_data, self, self._root)
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
            super(KafkaConsumerGroupMetadataValue.TaggedFields, self).__init__(_io)
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
                _t_fields = KafkaConsumerGroupMetadataValue.TaggedField(self._io, self, self._root)
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




