# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_bytes
from . import kafka_string
from . import kafka_tagged_fields
from . import kafka_unsigned_varint
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaConsumerGroupMemberMetadataValue(KaitaiStruct):
    """A member of a consumer group of the new protocol, and what it has subscribed
    to.
    
    .. seealso::
       ConsumerGroupMemberMetadataValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupMemberMetadataValue.json
    """
    SEQ_FIELDS = ["message_version", "instance_id", "rack_id", "client_id", "client_host", "num_subscribed_topic_names", "subscribed_topic_names", "subscribed_topic_regex", "rebalance_timeout_ms", "server_assignor", "tagged_fields"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaConsumerGroupMemberMetadataValue, self).__init__(_io)
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
        self._debug['instance_id']['start'] = self._io.pos()
        self.instance_id = kafka_string.KafkaString(True, True, self._io)
        self.instance_id._read()
        self._debug['instance_id']['end'] = self._io.pos()
        self._debug['rack_id']['start'] = self._io.pos()
        self.rack_id = kafka_string.KafkaString(True, True, self._io)
        self.rack_id._read()
        self._debug['rack_id']['end'] = self._io.pos()
        self._debug['client_id']['start'] = self._io.pos()
        self.client_id = kafka_string.KafkaString(True, False, self._io)
        self.client_id._read()
        self._debug['client_id']['end'] = self._io.pos()
        self._debug['client_host']['start'] = self._io.pos()
        self.client_host = kafka_string.KafkaString(True, False, self._io)
        self.client_host._read()
        self._debug['client_host']['end'] = self._io.pos()
        self._debug['num_subscribed_topic_names']['start'] = self._io.pos()
        self.num_subscribed_topic_names = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_subscribed_topic_names._read()
        self._debug['num_subscribed_topic_names']['end'] = self._io.pos()
        self._debug['subscribed_topic_names']['start'] = self._io.pos()
        self._debug['subscribed_topic_names']['arr'] = []
        self.subscribed_topic_names = []
        for i in range(self.num_subscribed_topic_names.value):
            self._debug['subscribed_topic_names']['arr'].append({'start': self._io.pos()})
            _t_subscribed_topic_names = kafka_string.KafkaString(True, False, self._io)
            try:
                _t_subscribed_topic_names._read()
            finally:
                self.subscribed_topic_names.append(_t_subscribed_topic_names)
            self._debug['subscribed_topic_names']['arr'][i]['end'] = self._io.pos()

        self._debug['subscribed_topic_names']['end'] = self._io.pos()
        self._debug['subscribed_topic_regex']['start'] = self._io.pos()
        self.subscribed_topic_regex = kafka_string.KafkaString(True, True, self._io)
        self.subscribed_topic_regex._read()
        self._debug['subscribed_topic_regex']['end'] = self._io.pos()
        self._debug['rebalance_timeout_ms']['start'] = self._io.pos()
        self.rebalance_timeout_ms = self._io.read_s4be()
        self._debug['rebalance_timeout_ms']['end'] = self._io.pos()
        self._debug['server_assignor']['start'] = self._io.pos()
        self.server_assignor = kafka_string.KafkaString(True, True, self._io)
        self.server_assignor._read()
        self._debug['server_assignor']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = KafkaConsumerGroupMemberMetadataValue.TaggedFields(self._io, self, self._root)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


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
        SEQ_FIELDS = ["session_timeout_ms", "num_supported_protocols", "supported_protocols", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupMemberMetadataValue.ClassicMemberMetadata, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['session_timeout_ms']['start'] = self._io.pos()
            self.session_timeout_ms = self._io.read_s4be()
            self._debug['session_timeout_ms']['end'] = self._io.pos()
            self._debug['num_supported_protocols']['start'] = self._io.pos()
            self.num_supported_protocols = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.num_supported_protocols._read()
            self._debug['num_supported_protocols']['end'] = self._io.pos()
            self._debug['supported_protocols']['start'] = self._io.pos()
            self._debug['supported_protocols']['arr'] = []
            self.supported_protocols = []
            for i in range(self.num_supported_protocols.value):
                self._debug['supported_protocols']['arr'].append({'start': self._io.pos()})
                _t_supported_protocols = KafkaConsumerGroupMemberMetadataValue.ClassicProtocol(self._io, self, self._root)
                try:
                    _t_supported_protocols._read()
                finally:
                    self.supported_protocols.append(_t_supported_protocols)
                self._debug['supported_protocols']['arr'][i]['end'] = self._io.pos()

            self._debug['supported_protocols']['end'] = self._io.pos()
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.num_supported_protocols._fetch_instances()
            for i in range(len(self.supported_protocols)):
                pass
                self.supported_protocols[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class ClassicMemberMetadataTag(KaitaiStruct):
        """Field of tag 0."""
        SEQ_FIELDS = ["is_classic_member_metadata_present", "classic_member_metadata", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupMemberMetadataValue.ClassicMemberMetadataTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['is_classic_member_metadata_present']['start'] = self._io.pos()
            self.is_classic_member_metadata_present = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.is_classic_member_metadata_present._read()
            self._debug['is_classic_member_metadata_present']['end'] = self._io.pos()
            if self.is_classic_member_metadata_present.value > 0:
                pass
                self._debug['classic_member_metadata']['start'] = self._io.pos()
                self.classic_member_metadata = KafkaConsumerGroupMemberMetadataValue.ClassicMemberMetadata(self._io, self, self._root)
                self.classic_member_metadata._read()
                self._debug['classic_member_metadata']['end'] = self._io.pos()

            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            self.is_classic_member_metadata_present._fetch_instances()
            if self.is_classic_member_metadata_present.value > 0:
                pass
                self.classic_member_metadata._fetch_instances()

            if (not (self._io.is_eof())):
                pass



    class ClassicProtocol(KaitaiStruct):
        """An assignor that the member can do."""
        SEQ_FIELDS = ["name", "metadata", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupMemberMetadataValue.ClassicProtocol, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['name']['start'] = self._io.pos()
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.name._read()
            self._debug['name']['end'] = self._io.pos()
            self._debug['metadata']['start'] = self._io.pos()
            self.metadata = kafka_bytes.KafkaBytes(True, False, self._io)
            self.metadata._read()
            self._debug['metadata']['end'] = self._io.pos()
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.metadata._fetch_instances()
            self.tagged_fields._fetch_instances()


    class TaggedField(KaitaiStruct):
        """A field that may be missing."""
        SEQ_FIELDS = ["tag", "len_data", "data"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupMemberMetadataValue.TaggedField, self).__init__(_io)
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
                self.data = KafkaConsumerGroupMemberMetadataValue.ClassicMemberMetadataTag(_io__raw_data, self, self._root)
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
            super(KafkaConsumerGroupMemberMetadataValue.TaggedFields, self).__init__(_io)
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
                _t_fields = KafkaConsumerGroupMemberMetadataValue.TaggedField(self._io, self, self._root)
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




