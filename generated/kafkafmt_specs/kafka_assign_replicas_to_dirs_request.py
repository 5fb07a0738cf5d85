# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaAssignReplicasToDirsRequest(KaitaiStruct):
    """`AssignReplicasToDirsRequest`: a request of the API with key 73, after its
    header (see `kafka_request`).
    
    .. seealso::
       AssignReplicasToDirsRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AssignReplicasToDirsRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaAssignReplicasToDirsRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.broker_id = self._io.read_s4be()
        self.broker_epoch = self._io.read_s8be()
        self.num_directories = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.directories = []
        for i in range(self.num_directories.value):
            self.directories.append(KafkaAssignReplicasToDirsRequest.DirectoryData(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_directories._fetch_instances()
        for i in range(len(self.directories)):
            pass
            self.directories[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class DirectoryData(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAssignReplicasToDirsRequest.DirectoryData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.id = self._io.read_bytes(16)
            self.num_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.topics = []
            for i in range(self.num_topics.value):
                self.topics.append(KafkaAssignReplicasToDirsRequest.TopicData(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_topics._fetch_instances()
            for i in range(len(self.topics)):
                pass
                self.topics[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class PartitionData(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAssignReplicasToDirsRequest.PartitionData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition_index = self._io.read_s4be()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.tagged_fields._fetch_instances()


    class TopicData(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAssignReplicasToDirsRequest.TopicData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic_id = self._io.read_bytes(16)
            self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaAssignReplicasToDirsRequest.PartitionData(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()

            self.tagged_fields._fetch_instances()



