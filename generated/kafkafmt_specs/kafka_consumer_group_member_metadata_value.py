# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_bytes
from . import kafka_string
from . import kafka_tagged_fields
from . import kafka_unsigned_varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaConsumerGroupMemberMetadataValue(KaitaiStruct):
    """A member of a consumer group of the new protocol, and its subscription.
    
    .. seealso::
       ConsumerGroupMemberMetadataValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupMemberMetadataValue.json
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaConsumerGroupMemberMetadataValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.message_version = self._io.read_s2be()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        if not self.message_version <= 0:
            raise kaitaistruct.ValidationGreaterThanError(0, self.message_version, self._io, u"/seq/0")
        self.instance_id = kafka_string.KafkaString(True, True, self._io)
        self.rack_id = kafka_string.KafkaString(True, True, self._io)
        self.client_id = kafka_string.KafkaString(True, False, self._io)
        self.client_host = kafka_string.KafkaString(True, False, self._io)
        self.num_subscribed_topic_names = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.subscribed_topic_names = []
        for i in range(self.num_subscribed_topic_names.value):
            self.subscribed_topic_names.append(kafka_string.KafkaString(True, False, self._io))

        self.subscribed_topic_regex = kafka_string.KafkaString(True, True, self._io)
        self.rebalance_timeout_ms = self._io.read_s4be()
        self.server_assignor = kafka_string.KafkaString(True, True, self._io)
        self.tagged_fields = KafkaConsumerGroupMemberMetadataValue.TaggedFields(self._io, self, self._root)


    def _fetch_instances(self):
        pass
        self.instance_id._fetch_instances()
        self.rack_id._fetch_instances()
        self.client_id._fetch_instances()
        self.client_host._fetch_instances()
        self.num_subscribed_topic_names._fetch_instances()
        for i in range(len(self.subscribed_topic_names)):
            pass
            self.subscribed_topic_names[i]._fetch_instances()

        self.subscribed_topic_regex._fetch_instances()
        self.server_assignor._fetch_instances()
        self.tagged_fields._fetch_instances()

    class ClassicMemberMetadata(KaitaiStruct):
        """Only of a member that still speaks the classic protocol."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupMemberMetadataValue.ClassicMemberMetadata, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.session_timeout_ms = self._io.read_s4be()
            self.num_supported_protocols = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.supported_protocols = []
            for i in range(self.num_supported_protocols.value):
                self.supported_protocols.append(KafkaConsumerGroupMemberMetadataValue.ClassicProtocol(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_supported_protocols._fetch_instances()
            for i in range(len(self.supported_protocols)):
                pass
                self.supported_protocols[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class ClassicMemberMetadataTag(KaitaiStruct):
        """Field of tag 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupMemberMetadataValue.ClassicMemberMetadataTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.is_classic_member_metadata_present = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            if self.is_classic_member_metadata_present.value > 0:
                pass
                self.classic_member_metadata = KafkaConsumerGroupMemberMetadataValue.ClassicMemberMetadata(self._io, self, self._root)

            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.is_classic_member_metadata_present._fetch_instances()
            if self.is_classic_member_metadata_present.value > 0:
                pass
                self.classic_member_metadata._fetch_instances()

            if (not (self._io.is_eof())):
                pass



    class ClassicProtocol(KaitaiStruct):
        """An assignor that the member supports."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupMemberMetadataValue.ClassicProtocol, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.metadata = kafka_bytes.KafkaBytes(True, False, self._io)
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.metadata._fetch_instances()
            self.tagged_fields._fetch_instances()


    class TaggedField(KaitaiStruct):
        """A field that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupMemberMetadataValue.TaggedField, self).__init__(_io)
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
                self.data = KafkaConsumerGroupMemberMetadataValue.ClassicMemberMetadataTag(_io__raw_data, self, self._root)
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
            super(KafkaConsumerGroupMemberMetadataValue.TaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.fields = []
            for i in range(self.num_fields.value):
                self.fields.append(KafkaConsumerGroupMemberMetadataValue.TaggedField(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()




