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

class KafkaAlterPartitionReassignmentsRequest(KaitaiStruct):
    """`AlterPartitionReassignmentsRequest`: a request of the API with key 45, after
    its header (see `kafka_request`).
    
    .. seealso::
       AlterPartitionReassignmentsRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AlterPartitionReassignmentsRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaAlterPartitionReassignmentsRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.timeout_ms = self._io.read_s4be()
        if self.message_version >= 1:
            pass
            self.allow_replication_factor_change = kafka_boolean.KafkaBoolean(self._io)

        self.num_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(KafkaAlterPartitionReassignmentsRequest.ReassignableTopic(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        if self.message_version >= 1:
            pass
            self.allow_replication_factor_change._fetch_instances()

        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class ReassignablePartition(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAlterPartitionReassignmentsRequest.ReassignablePartition, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition_index = self._io.read_s4be()
            self.num_replicas = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.replicas = []
            for i in range(self.num_replicas.value):
                self.replicas.append(self._io.read_s4be())

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_replicas._fetch_instances()
            for i in range(len(self.replicas)):
                pass

            self.tagged_fields._fetch_instances()


    class ReassignableTopic(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAlterPartitionReassignmentsRequest.ReassignableTopic, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaAlterPartitionReassignmentsRequest.ReassignablePartition(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()

            self.tagged_fields._fetch_instances()



