# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_boolean
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaDescribeConfigsResponse(KaitaiStruct):
    """`DescribeConfigsResponse`: a response of the API with key 32, after its header
    (see `kafka_response`).
    
    .. seealso::
       DescribeConfigsResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeConfigsResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaDescribeConfigsResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.throttle_time_ms = self._io.read_s4be()
        self.num_results = kafka_array_length.KafkaArrayLength(self.message_version >= 4, False, self._io)
        self.results = []
        for i in range(self.num_results.value):
            self.results.append(KafkaDescribeConfigsResponse.DescribeConfigsResult(self._io, self, self._root))

        if self.message_version >= 4:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.num_results._fetch_instances()
        for i in range(len(self.results)):
            pass
            self.results[i]._fetch_instances()

        if self.message_version >= 4:
            pass
            self.tagged_fields._fetch_instances()


    class DescribeConfigsResourceResult(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeConfigsResponse.DescribeConfigsResourceResult, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(self._root.message_version >= 4, False, self._io)
            self.value = kafka_string.KafkaString(self._root.message_version >= 4, True, self._io)
            self.read_only = kafka_boolean.KafkaBoolean(self._io)
            self.config_source = self._io.read_s1()
            self.is_sensitive = kafka_boolean.KafkaBoolean(self._io)
            self.num_synonyms = kafka_array_length.KafkaArrayLength(self._root.message_version >= 4, False, self._io)
            self.synonyms = []
            for i in range(self.num_synonyms.value):
                self.synonyms.append(KafkaDescribeConfigsResponse.DescribeConfigsSynonym(self._io, self, self._root))

            if self._root.message_version >= 3:
                pass
                self.config_type = self._io.read_s1()

            if self._root.message_version >= 3:
                pass
                self.documentation = kafka_string.KafkaString(self._root.message_version >= 4, True, self._io)

            if self._root.message_version >= 4:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.value._fetch_instances()
            self.read_only._fetch_instances()
            self.is_sensitive._fetch_instances()
            self.num_synonyms._fetch_instances()
            for i in range(len(self.synonyms)):
                pass
                self.synonyms[i]._fetch_instances()

            if self._root.message_version >= 3:
                pass

            if self._root.message_version >= 3:
                pass
                self.documentation._fetch_instances()

            if self._root.message_version >= 4:
                pass
                self.tagged_fields._fetch_instances()



    class DescribeConfigsResult(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeConfigsResponse.DescribeConfigsResult, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.error_code = self._io.read_s2be()
            self.error_message = kafka_string.KafkaString(self._root.message_version >= 4, True, self._io)
            self.resource_type = self._io.read_s1()
            self.resource_name = kafka_string.KafkaString(self._root.message_version >= 4, False, self._io)
            self.num_configs = kafka_array_length.KafkaArrayLength(self._root.message_version >= 4, False, self._io)
            self.configs = []
            for i in range(self.num_configs.value):
                self.configs.append(KafkaDescribeConfigsResponse.DescribeConfigsResourceResult(self._io, self, self._root))

            if self._root.message_version >= 4:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.error_message._fetch_instances()
            self.resource_name._fetch_instances()
            self.num_configs._fetch_instances()
            for i in range(len(self.configs)):
                pass
                self.configs[i]._fetch_instances()

            if self._root.message_version >= 4:
                pass
                self.tagged_fields._fetch_instances()



    class DescribeConfigsSynonym(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeConfigsResponse.DescribeConfigsSynonym, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(self._root.message_version >= 4, False, self._io)
            self.value = kafka_string.KafkaString(self._root.message_version >= 4, True, self._io)
            self.source = self._io.read_s1()
            if self._root.message_version >= 4:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.value._fetch_instances()
            if self._root.message_version >= 4:
                pass
                self.tagged_fields._fetch_instances()




