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

class KafkaAlterClientQuotasRequest(KaitaiStruct):
    """`AlterClientQuotasRequest`: a request of the API with key 49, after its header
    (see `kafka_request`).
    
    .. seealso::
       AlterClientQuotasRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AlterClientQuotasRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaAlterClientQuotasRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.num_entries = kafka_array_length.KafkaArrayLength(self.message_version >= 1, False, self._io)
        self.entries = []
        for i in range(self.num_entries.value):
            self.entries.append(KafkaAlterClientQuotasRequest.EntryData(self._io, self, self._root))

        self.validate_only = kafka_boolean.KafkaBoolean(self._io)
        if self.message_version >= 1:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.num_entries._fetch_instances()
        for i in range(len(self.entries)):
            pass
            self.entries[i]._fetch_instances()

        self.validate_only._fetch_instances()
        if self.message_version >= 1:
            pass
            self.tagged_fields._fetch_instances()


    class EntityData(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAlterClientQuotasRequest.EntityData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.entity_type = kafka_string.KafkaString(self._root.message_version >= 1, False, self._io)
            self.entity_name = kafka_string.KafkaString(self._root.message_version >= 1, True, self._io)
            if self._root.message_version >= 1:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.entity_type._fetch_instances()
            self.entity_name._fetch_instances()
            if self._root.message_version >= 1:
                pass
                self.tagged_fields._fetch_instances()



    class EntryData(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAlterClientQuotasRequest.EntryData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_entity = kafka_array_length.KafkaArrayLength(self._root.message_version >= 1, False, self._io)
            self.entity = []
            for i in range(self.num_entity.value):
                self.entity.append(KafkaAlterClientQuotasRequest.EntityData(self._io, self, self._root))

            self.num_ops = kafka_array_length.KafkaArrayLength(self._root.message_version >= 1, False, self._io)
            self.ops = []
            for i in range(self.num_ops.value):
                self.ops.append(KafkaAlterClientQuotasRequest.OpData(self._io, self, self._root))

            if self._root.message_version >= 1:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.num_entity._fetch_instances()
            for i in range(len(self.entity)):
                pass
                self.entity[i]._fetch_instances()

            self.num_ops._fetch_instances()
            for i in range(len(self.ops)):
                pass
                self.ops[i]._fetch_instances()

            if self._root.message_version >= 1:
                pass
                self.tagged_fields._fetch_instances()



    class OpData(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAlterClientQuotasRequest.OpData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = kafka_string.KafkaString(self._root.message_version >= 1, False, self._io)
            self.value = self._io.read_f8be()
            self.remove = kafka_boolean.KafkaBoolean(self._io)
            if self._root.message_version >= 1:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.key._fetch_instances()
            self.remove._fetch_instances()
            if self._root.message_version >= 1:
                pass
                self.tagged_fields._fetch_instances()




