# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_unsigned_varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaStreamsGroupTargetAssignmentMetadataValue(KaitaiStruct):
    """Epoch of a streams group's target assignment.
    
    .. seealso::
       StreamsGroupTargetAssignmentMetadataValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupTargetAssignmentMetadataValue.json
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaStreamsGroupTargetAssignmentMetadataValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.message_version = self._io.read_s2be()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        if not self.message_version <= 0:
            raise kaitaistruct.ValidationGreaterThanError(0, self.message_version, self._io, u"/seq/0")
        self.assignment_epoch = self._io.read_s4be()
        self.tagged_fields = KafkaStreamsGroupTargetAssignmentMetadataValue.TaggedFields(self._io, self, self._root)


    def _fetch_instances(self):
        pass
        self.tagged_fields._fetch_instances()

    class AssignmentTimestampTag(KaitaiStruct):
        """Field of tag 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupTargetAssignmentMetadataValue.AssignmentTimestampTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.assignment_timestamp = self._io.read_s8be()
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class TaggedField(KaitaiStruct):
        """A field that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupTargetAssignmentMetadataValue.TaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_data = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaStreamsGroupTargetAssignmentMetadataValue.AssignmentTimestampTag(_io__raw_data, self, self._root)
            else:
                pass
                self.data = self._io.read_bytes(self.len_data.value)


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
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupTargetAssignmentMetadataValue.TaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.fields = []
            for i in range(self.num_fields.value):
                self.fields.append(KafkaStreamsGroupTargetAssignmentMetadataValue.TaggedField(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()




