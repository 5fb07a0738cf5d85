# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_boolean
from . import kafka_string
from . import kafka_tagged_fields
from . import kafka_unsigned_varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaCreateTopicsResponse(KaitaiStruct):
    """`CreateTopicsResponse`: a response of the API with key 19, after its header
    (see `kafka_response`).
    
    .. seealso::
       CreateTopicsResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/CreateTopicsResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaCreateTopicsResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.throttle_time_ms = self._io.read_s4be()
        self.num_topics = kafka_array_length.KafkaArrayLength(self.message_version >= 5, False, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(KafkaCreateTopicsResponse.CreatableTopicResult(self._io, self, self._root))

        if self.message_version >= 5:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        if self.message_version >= 5:
            pass
            self.tagged_fields._fetch_instances()


    class CreatableTopicConfigs(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaCreateTopicsResponse.CreatableTopicConfigs, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 5:
                pass
                self.name = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 5:
                pass
                self.value = kafka_string.KafkaString(True, True, self._io)

            if self._root.message_version >= 5:
                pass
                self.read_only = kafka_boolean.KafkaBoolean(self._io)

            if self._root.message_version >= 5:
                pass
                self.config_source = self._io.read_s1()

            if self._root.message_version >= 5:
                pass
                self.is_sensitive = kafka_boolean.KafkaBoolean(self._io)

            if self._root.message_version >= 5:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 5:
                pass
                self.name._fetch_instances()

            if self._root.message_version >= 5:
                pass
                self.value._fetch_instances()

            if self._root.message_version >= 5:
                pass
                self.read_only._fetch_instances()

            if self._root.message_version >= 5:
                pass

            if self._root.message_version >= 5:
                pass
                self.is_sensitive._fetch_instances()

            if self._root.message_version >= 5:
                pass
                self.tagged_fields._fetch_instances()



    class CreatableTopicResult(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaCreateTopicsResponse.CreatableTopicResult, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(self._root.message_version >= 5, False, self._io)
            if self._root.message_version >= 7:
                pass
                self.topic_id = self._io.read_bytes(16)

            self.error_code = self._io.read_s2be()
            self.error_message = kafka_string.KafkaString(self._root.message_version >= 5, True, self._io)
            if self._root.message_version >= 5:
                pass
                self.num_partitions = self._io.read_s4be()

            if self._root.message_version >= 5:
                pass
                self.replication_factor = self._io.read_s2be()

            if self._root.message_version >= 5:
                pass
                self.num_configs = kafka_array_length.KafkaArrayLength(True, True, self._io)

            if self._root.message_version >= 5:
                pass
                self.configs = []
                for i in range(self.num_configs.value):
                    self.configs.append(KafkaCreateTopicsResponse.CreatableTopicConfigs(self._io, self, self._root))


            if self._root.message_version >= 5:
                pass
                self.tagged_fields = KafkaCreateTopicsResponse.CreatableTopicResultTaggedFields(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            if self._root.message_version >= 7:
                pass

            self.error_message._fetch_instances()
            if self._root.message_version >= 5:
                pass

            if self._root.message_version >= 5:
                pass

            if self._root.message_version >= 5:
                pass
                self.num_configs._fetch_instances()

            if self._root.message_version >= 5:
                pass
                for i in range(len(self.configs)):
                    pass
                    self.configs[i]._fetch_instances()


            if self._root.message_version >= 5:
                pass
                self.tagged_fields._fetch_instances()



    class CreatableTopicResultTaggedField(KaitaiStruct):
        """A field that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaCreateTopicsResponse.CreatableTopicResultTaggedField, self).__init__(_io)
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
                self.data = KafkaCreateTopicsResponse.CreatableTopicResultTopicConfigErrorCodeTag(_io__raw_data, self, self._root)
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


    class CreatableTopicResultTaggedFields(KaitaiStruct):
        """Fields that may be missing (KIP-482)."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaCreateTopicsResponse.CreatableTopicResultTaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.fields = []
            for i in range(self.num_fields.value):
                self.fields.append(KafkaCreateTopicsResponse.CreatableTopicResultTaggedField(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class CreatableTopicResultTopicConfigErrorCodeTag(KaitaiStruct):
        """Field of tag 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaCreateTopicsResponse.CreatableTopicResultTopicConfigErrorCodeTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic_config_error_code = self._io.read_s2be()
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass




