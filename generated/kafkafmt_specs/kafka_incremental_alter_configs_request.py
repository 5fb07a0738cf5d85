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

class KafkaIncrementalAlterConfigsRequest(KaitaiStruct):
    """`IncrementalAlterConfigsRequest`: a request of the API with key 44, after its
    header (see `kafka_request`).
    
    .. seealso::
       IncrementalAlterConfigsRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/IncrementalAlterConfigsRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaIncrementalAlterConfigsRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.num_resources = kafka_array_length.KafkaArrayLength(self.message_version >= 1, False, self._io)
        self.resources = []
        for i in range(self.num_resources.value):
            self.resources.append(KafkaIncrementalAlterConfigsRequest.AlterConfigsResource(self._io, self, self._root))

        self.validate_only = kafka_boolean.KafkaBoolean(self._io)
        if self.message_version >= 1:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.num_resources._fetch_instances()
        for i in range(len(self.resources)):
            pass
            self.resources[i]._fetch_instances()

        self.validate_only._fetch_instances()
        if self.message_version >= 1:
            pass
            self.tagged_fields._fetch_instances()


    class AlterConfigsResource(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaIncrementalAlterConfigsRequest.AlterConfigsResource, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.resource_type = self._io.read_s1()
            self.resource_name = kafka_string.KafkaString(self._root.message_version >= 1, False, self._io)
            self.num_configs = kafka_array_length.KafkaArrayLength(self._root.message_version >= 1, False, self._io)
            self.configs = []
            for i in range(self.num_configs.value):
                self.configs.append(KafkaIncrementalAlterConfigsRequest.AlterableConfig(self._io, self, self._root))

            if self._root.message_version >= 1:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.resource_name._fetch_instances()
            self.num_configs._fetch_instances()
            for i in range(len(self.configs)):
                pass
                self.configs[i]._fetch_instances()

            if self._root.message_version >= 1:
                pass
                self.tagged_fields._fetch_instances()



    class AlterableConfig(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaIncrementalAlterConfigsRequest.AlterableConfig, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(self._root.message_version >= 1, False, self._io)
            self.config_operation = self._io.read_s1()
            self.value = kafka_string.KafkaString(self._root.message_version >= 1, True, self._io)
            if self._root.message_version >= 1:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.value._fetch_instances()
            if self._root.message_version >= 1:
                pass
                self.tagged_fields._fetch_instances()




