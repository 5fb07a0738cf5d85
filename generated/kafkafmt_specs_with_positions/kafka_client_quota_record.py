# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_boolean
from . import kafka_string
from . import kafka_tagged_fields
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaClientQuotaRecord(KaitaiStruct):
    """A quota was set or taken away.
    
    .. seealso::
       ClientQuotaRecord - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/ClientQuotaRecord.json
    """
    SEQ_FIELDS = ["num_entity", "entity", "key", "value", "remove", "tagged_fields"]
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaClientQuotaRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['num_entity']['start'] = self._io.pos()
        self.num_entity = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_entity._read()
        self._debug['num_entity']['end'] = self._io.pos()
        self._debug['entity']['start'] = self._io.pos()
        self._debug['entity']['arr'] = []
        self.entity = []
        for i in range(self.num_entity.value):
            self._debug['entity']['arr'].append({'start': self._io.pos()})
            _t_entity = KafkaClientQuotaRecord.EntityData(self._io, self, self._root)
            try:
                _t_entity._read()
            finally:
                self.entity.append(_t_entity)
            self._debug['entity']['arr'][i]['end'] = self._io.pos()

        self._debug['entity']['end'] = self._io.pos()
        self._debug['key']['start'] = self._io.pos()
        self.key = kafka_string.KafkaString(True, False, self._io)
        self.key._read()
        self._debug['key']['end'] = self._io.pos()
        self._debug['value']['start'] = self._io.pos()
        self.value = self._io.read_f8be()
        self._debug['value']['end'] = self._io.pos()
        self._debug['remove']['start'] = self._io.pos()
        self.remove = kafka_boolean.KafkaBoolean(self._io)
        self.remove._read()
        self._debug['remove']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


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
        """Whom a quota is for."""
        SEQ_FIELDS = ["entity_type", "entity_name", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaClientQuotaRecord.EntityData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['entity_type']['start'] = self._io.pos()
            self.entity_type = kafka_string.KafkaString(True, False, self._io)
            self.entity_type._read()
            self._debug['entity_type']['end'] = self._io.pos()
            self._debug['entity_name']['start'] = self._io.pos()
            self.entity_name = kafka_string.KafkaString(True, True, self._io)
            self.entity_name._read()
            self._debug['entity_name']['end'] = self._io.pos()
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.entity_type._fetch_instances()
            self.entity_name._fetch_instances()
            self.tagged_fields._fetch_instances()



