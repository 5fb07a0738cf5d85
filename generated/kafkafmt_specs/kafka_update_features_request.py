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

class KafkaUpdateFeaturesRequest(KaitaiStruct):
    """`UpdateFeaturesRequest`: a request of the API with key 57, after its header
    (see `kafka_request`).
    
    .. seealso::
       UpdateFeaturesRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/UpdateFeaturesRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaUpdateFeaturesRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.timeout_ms = self._io.read_s4be()
        self.num_feature_updates = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.feature_updates = []
        for i in range(self.num_feature_updates.value):
            self.feature_updates.append(KafkaUpdateFeaturesRequest.FeatureUpdateKey(self._io, self, self._root))

        if self.message_version >= 1:
            pass
            self.validate_only = kafka_boolean.KafkaBoolean(self._io)

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_feature_updates._fetch_instances()
        for i in range(len(self.feature_updates)):
            pass
            self.feature_updates[i]._fetch_instances()

        if self.message_version >= 1:
            pass
            self.validate_only._fetch_instances()

        self.tagged_fields._fetch_instances()

    class FeatureUpdateKey(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaUpdateFeaturesRequest.FeatureUpdateKey, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.feature = kafka_string.KafkaString(True, False, self._io)
            self.max_version_level = self._io.read_s2be()
            if self._root.message_version <= 0:
                pass
                self.allow_downgrade = kafka_boolean.KafkaBoolean(self._io)

            if self._root.message_version >= 1:
                pass
                self.upgrade_type = self._io.read_s1()

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.feature._fetch_instances()
            if self._root.message_version <= 0:
                pass
                self.allow_downgrade._fetch_instances()

            if self._root.message_version >= 1:
                pass

            self.tagged_fields._fetch_instances()



