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

class KafkaApiVersionsResponse(KaitaiStruct):
    """`ApiVersionsResponse`: a response of the API with key 18, after its header
    (see `kafka_response`).
    
    .. seealso::
       ApiVersionsResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ApiVersionsResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaApiVersionsResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.error_code = self._io.read_s2be()
        self.num_api_keys = kafka_array_length.KafkaArrayLength(self.message_version >= 3, False, self._io)
        self.api_keys = []
        for i in range(self.num_api_keys.value):
            self.api_keys.append(KafkaApiVersionsResponse.ApiVersion(self._io, self, self._root))

        if self.message_version >= 1:
            pass
            self.throttle_time_ms = self._io.read_s4be()

        if self.message_version >= 3:
            pass
            self.tagged_fields = KafkaApiVersionsResponse.TaggedFields(self._io, self, self._root)



    def _fetch_instances(self):
        pass
        self.num_api_keys._fetch_instances()
        for i in range(len(self.api_keys)):
            pass
            self.api_keys[i]._fetch_instances()

        if self.message_version >= 1:
            pass

        if self.message_version >= 3:
            pass
            self.tagged_fields._fetch_instances()


    class ApiVersion(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaApiVersionsResponse.ApiVersion, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.api_key = self._io.read_s2be()
            self.min_version = self._io.read_s2be()
            self.max_version = self._io.read_s2be()
            if self._root.message_version >= 3:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 3:
                pass
                self.tagged_fields._fetch_instances()



    class FinalizedFeatureKey(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaApiVersionsResponse.FinalizedFeatureKey, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 3:
                pass
                self.name = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 3:
                pass
                self.max_version_level = self._io.read_s2be()

            if self._root.message_version >= 3:
                pass
                self.min_version_level = self._io.read_s2be()

            if self._root.message_version >= 3:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 3:
                pass
                self.name._fetch_instances()

            if self._root.message_version >= 3:
                pass

            if self._root.message_version >= 3:
                pass

            if self._root.message_version >= 3:
                pass
                self.tagged_fields._fetch_instances()



    class FinalizedFeaturesEpochTag(KaitaiStruct):
        """Field of tag 1."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaApiVersionsResponse.FinalizedFeaturesEpochTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.finalized_features_epoch = self._io.read_s8be()
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class FinalizedFeaturesTag(KaitaiStruct):
        """Field of tag 2."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaApiVersionsResponse.FinalizedFeaturesTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_finalized_features = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.finalized_features = []
            for i in range(self.num_finalized_features.value):
                self.finalized_features.append(KafkaApiVersionsResponse.FinalizedFeatureKey(self._io, self, self._root))

            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.num_finalized_features._fetch_instances()
            for i in range(len(self.finalized_features)):
                pass
                self.finalized_features[i]._fetch_instances()

            if (not (self._io.is_eof())):
                pass



    class SupportedFeatureKey(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaApiVersionsResponse.SupportedFeatureKey, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 3:
                pass
                self.name = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 3:
                pass
                self.min_version = self._io.read_s2be()

            if self._root.message_version >= 3:
                pass
                self.max_version = self._io.read_s2be()

            if self._root.message_version >= 3:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 3:
                pass
                self.name._fetch_instances()

            if self._root.message_version >= 3:
                pass

            if self._root.message_version >= 3:
                pass

            if self._root.message_version >= 3:
                pass
                self.tagged_fields._fetch_instances()



    class SupportedFeaturesTag(KaitaiStruct):
        """Field of tag 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaApiVersionsResponse.SupportedFeaturesTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_supported_features = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.supported_features = []
            for i in range(self.num_supported_features.value):
                self.supported_features.append(KafkaApiVersionsResponse.SupportedFeatureKey(self._io, self, self._root))

            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.num_supported_features._fetch_instances()
            for i in range(len(self.supported_features)):
                pass
                self.supported_features[i]._fetch_instances()

            if (not (self._io.is_eof())):
                pass



    class TaggedField(KaitaiStruct):
        """A field that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaApiVersionsResponse.TaggedField, self).__init__(_io)
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
                self.data = KafkaApiVersionsResponse.SupportedFeaturesTag(_io__raw_data, self, self._root)
            elif _on == 1:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaApiVersionsResponse.FinalizedFeaturesEpochTag(_io__raw_data, self, self._root)
            elif _on == 2:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaApiVersionsResponse.FinalizedFeaturesTag(_io__raw_data, self, self._root)
            elif _on == 3:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaApiVersionsResponse.ZkMigrationReadyTag(_io__raw_data, self, self._root)
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
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaApiVersionsResponse.TaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.fields = []
            for i in range(self.num_fields.value):
                self.fields.append(KafkaApiVersionsResponse.TaggedField(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class ZkMigrationReadyTag(KaitaiStruct):
        """Field of tag 3."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaApiVersionsResponse.ZkMigrationReadyTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.zk_migration_ready = kafka_boolean.KafkaBoolean(self._io)
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.zk_migration_ready._fetch_instances()
            if (not (self._io.is_eof())):
                pass




