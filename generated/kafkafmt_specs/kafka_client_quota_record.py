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

class KafkaClientQuotaRecord(KaitaiStruct):
    """A quota was set or removed.
    
    .. seealso::
       ClientQuotaRecord - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/ClientQuotaRecord.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaClientQuotaRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.num_entity = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.entity = []
        for i in range(self.num_entity.value):
            self.entity.append(KafkaClientQuotaRecord.EntityData(self._io, self, self._root))

        self.key = kafka_string.KafkaString(True, False, self._io)
        self.value = self._io.read_f8be()
        self.remove = kafka_boolean.KafkaBoolean(self._io)
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_entity._fetch_instances()
        for i in range(len(self.entity)):
            pass
            self.entity[i]._fetch_instances()

        self.key._fetch_instances()
        self.remove._fetch_instances()
        self.tagged_fields._fetch_instances()

    class EntityData(KaitaiStruct):
        """A user, client id or address that a quota applies to."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaClientQuotaRecord.EntityData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.entity_type = kafka_string.KafkaString(True, False, self._io)
            self.entity_name = kafka_string.KafkaString(True, True, self._io)
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.entity_type._fetch_instances()
            self.entity_name._fetch_instances()
            self.tagged_fields._fetch_instances()



