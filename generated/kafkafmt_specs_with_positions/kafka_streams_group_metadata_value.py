# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields
from . import kafka_unsigned_varint
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaStreamsGroupMetadataValue(KaitaiStruct):
    """A streams group (KIP-1071).
    
    .. seealso::
       StreamsGroupMetadataValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupMetadataValue.json
    """
    SEQ_FIELDS = ["message_version", "epoch", "metadata_hash", "tagged_fields"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaStreamsGroupMetadataValue, self).__init__(_io)
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
        self._debug['metadata_hash']['start'] = self._io.pos()
        self.metadata_hash = self._io.read_s8be()
        self._debug['metadata_hash']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = KafkaStreamsGroupMetadataValue.TaggedFields(self._io, self, self._root)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.tagged_fields._fetch_instances()

    class FailedDescriptionTopologyEpochTag(KaitaiStruct):
        """Field of tag 3."""
        SEQ_FIELDS = ["failed_description_topology_epoch", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupMetadataValue.FailedDescriptionTopologyEpochTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['failed_description_topology_epoch']['start'] = self._io.pos()
            self.failed_description_topology_epoch = self._io.read_s4be()
            self._debug['failed_description_topology_epoch']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class LastAssignmentConfig(KaitaiStruct):
        """A configuration."""
        SEQ_FIELDS = ["key", "value", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupMetadataValue.LastAssignmentConfig, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['key']['start'] = self._io.pos()
            self.key = kafka_string.KafkaString(True, False, self._io)
            self.key._read()
            self._debug['key']['end'] = self._io.pos()
            self._debug['value']['start'] = self._io.pos()
            self.value = kafka_string.KafkaString(True, False, self._io)
            self.value._read()
            self._debug['value']['end'] = self._io.pos()
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.key._fetch_instances()
            self.value._fetch_instances()
            self.tagged_fields._fetch_instances()


    class LastAssignmentConfigsTag(KaitaiStruct):
        """Field of tag 1."""
        SEQ_FIELDS = ["num_last_assignment_configs", "last_assignment_configs", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupMetadataValue.LastAssignmentConfigsTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['num_last_assignment_configs']['start'] = self._io.pos()
            self.num_last_assignment_configs = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.num_last_assignment_configs._read()
            self._debug['num_last_assignment_configs']['end'] = self._io.pos()
            self._debug['last_assignment_configs']['start'] = self._io.pos()
            self._debug['last_assignment_configs']['arr'] = []
            self.last_assignment_configs = []
            for i in range(self.num_last_assignment_configs.value):
                self._debug['last_assignment_configs']['arr'].append({'start': self._io.pos()})
                _t_last_assignment_configs = KafkaStreamsGroupMetadataValue.LastAssignmentConfig(self._io, self, self._root)
                try:
                    _t_last_assignment_configs._read()
                finally:
                    self.last_assignment_configs.append(_t_last_assignment_configs)
                self._debug['last_assignment_configs']['arr'][i]['end'] = self._io.pos()

            self._debug['last_assignment_configs']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            self.num_last_assignment_configs._fetch_instances()
            for i in range(len(self.last_assignment_configs)):
                pass
                self.last_assignment_configs[i]._fetch_instances()

            if (not (self._io.is_eof())):
                pass



    class StoredDescriptionTopologyEpochTag(KaitaiStruct):
        """Field of tag 2."""
        SEQ_FIELDS = ["stored_description_topology_epoch", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupMetadataValue.StoredDescriptionTopologyEpochTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['stored_description_topology_epoch']['start'] = self._io.pos()
            self.stored_description_topology_epoch = self._io.read_s4be()
            self._debug['stored_description_topology_epoch']['end'] = self._io.pos()
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
            super(KafkaStreamsGroupMetadataValue.TaggedField, self).__init__(_io)
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
                self.data = KafkaStreamsGroupMetadataValue.ValidatedTopologyEpochTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 1:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaStreamsGroupMetadataValue.LastAssignmentConfigsTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 2:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaStreamsGroupMetadataValue.StoredDescriptionTopologyEpochTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 3:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaStreamsGroupMetadataValue.FailedDescriptionTopologyEpochTag(_io__raw_data, self, self._root)
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
            elif _on == 1:
                pass
                self.data._fetch_instances()
            elif _on == 2:
                pass
                self.data._fetch_instances()
            elif _on == 3:
                pass
                self.data._fetch_instances()
            else:
                pass


    class TaggedFields(KaitaiStruct):
        """Fields that may be missing (KIP-482)."""
        SEQ_FIELDS = ["num_fields", "fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupMetadataValue.TaggedFields, self).__init__(_io)
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
                _t_fields = KafkaStreamsGroupMetadataValue.TaggedField(self._io, self, self._root)
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



    class ValidatedTopologyEpochTag(KaitaiStruct):
        """Field of tag 0."""
        SEQ_FIELDS = ["validated_topology_epoch", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupMetadataValue.ValidatedTopologyEpochTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['validated_topology_epoch']['start'] = self._io.pos()
            self.validated_topology_epoch = self._io.read_s4be()
            self._debug['validated_topology_epoch']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass




