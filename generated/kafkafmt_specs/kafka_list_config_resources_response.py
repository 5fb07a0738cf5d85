# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaListConfigResourcesResponse(KaitaiStruct):
    """`ListConfigResourcesResponse`: a response of the API with key 74, after its
    header (see `kafka_response`).
    
    .. seealso::
       ListConfigResourcesResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ListConfigResourcesResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaListConfigResourcesResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.throttle_time_ms = self._io.read_s4be()
        self.error_code = self._io.read_s2be()
        self.num_config_resources = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.config_resources = []
        for i in range(self.num_config_resources.value):
            self.config_resources.append(KafkaListConfigResourcesResponse.ConfigResource(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_config_resources._fetch_instances()
        for i in range(len(self.config_resources)):
            pass
            self.config_resources[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class ConfigResource(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaListConfigResourcesResponse.ConfigResource, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.resource_name = kafka_string.KafkaString(True, False, self._io)
            if self._root.message_version >= 1:
                pass
                self.resource_type = self._io.read_s1()

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.resource_name._fetch_instances()
            if self._root.message_version >= 1:
                pass

            self.tagged_fields._fetch_instances()



