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

class KafkaCreateTopicsRequest(KaitaiStruct):
    """`CreateTopicsRequest`: a request of the API with key 19, after its header (see
    `kafka_request`).
    
    .. seealso::
       CreateTopicsRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/CreateTopicsRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaCreateTopicsRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.num_topics = kafka_array_length.KafkaArrayLength(self.message_version >= 5, False, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(KafkaCreateTopicsRequest.CreatableTopic(self._io, self, self._root))

        self.timeout_ms = self._io.read_s4be()
        self.validate_only = kafka_boolean.KafkaBoolean(self._io)
        if self.message_version >= 5:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        self.validate_only._fetch_instances()
        if self.message_version >= 5:
            pass
            self.tagged_fields._fetch_instances()


    class CreatableReplicaAssignment(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaCreateTopicsRequest.CreatableReplicaAssignment, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition_index = self._io.read_s4be()
            self.num_broker_ids = kafka_array_length.KafkaArrayLength(self._root.message_version >= 5, False, self._io)
            self.broker_ids = []
            for i in range(self.num_broker_ids.value):
                self.broker_ids.append(self._io.read_s4be())

            if self._root.message_version >= 5:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.num_broker_ids._fetch_instances()
            for i in range(len(self.broker_ids)):
                pass

            if self._root.message_version >= 5:
                pass
                self.tagged_fields._fetch_instances()



    class CreatableTopic(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaCreateTopicsRequest.CreatableTopic, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(self._root.message_version >= 5, False, self._io)
            self.num_partitions = self._io.read_s4be()
            self.replication_factor = self._io.read_s2be()
            self.num_assignments = kafka_array_length.KafkaArrayLength(self._root.message_version >= 5, False, self._io)
            self.assignments = []
            for i in range(self.num_assignments.value):
                self.assignments.append(KafkaCreateTopicsRequest.CreatableReplicaAssignment(self._io, self, self._root))

            self.num_configs = kafka_array_length.KafkaArrayLength(self._root.message_version >= 5, False, self._io)
            self.configs = []
            for i in range(self.num_configs.value):
                self.configs.append(KafkaCreateTopicsRequest.CreatableTopicConfig(self._io, self, self._root))

            if self._root.message_version >= 5:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.num_assignments._fetch_instances()
            for i in range(len(self.assignments)):
                pass
                self.assignments[i]._fetch_instances()

            self.num_configs._fetch_instances()
            for i in range(len(self.configs)):
                pass
                self.configs[i]._fetch_instances()

            if self._root.message_version >= 5:
                pass
                self.tagged_fields._fetch_instances()



    class CreatableTopicConfig(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaCreateTopicsRequest.CreatableTopicConfig, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(self._root.message_version >= 5, False, self._io)
            self.value = kafka_string.KafkaString(self._root.message_version >= 5, True, self._io)
            if self._root.message_version >= 5:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.value._fetch_instances()
            if self._root.message_version >= 5:
                pass
                self.tagged_fields._fetch_instances()




