# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaEndQuorumEpochRequest(KaitaiStruct):
    """`EndQuorumEpochRequest`: a request of the API with key 54, after its header
    (see `kafka_request`).
    
    .. seealso::
       EndQuorumEpochRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/EndQuorumEpochRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaEndQuorumEpochRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.cluster_id = kafka_string.KafkaString(self.message_version >= 1, True, self._io)
        self.num_topics = kafka_array_length.KafkaArrayLength(self.message_version >= 1, False, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(KafkaEndQuorumEpochRequest.TopicData(self._io, self, self._root))

        if self.message_version >= 1:
            pass
            self.num_leader_endpoints = kafka_array_length.KafkaArrayLength(True, False, self._io)

        if self.message_version >= 1:
            pass
            self.leader_endpoints = []
            for i in range(self.num_leader_endpoints.value):
                self.leader_endpoints.append(KafkaEndQuorumEpochRequest.LeaderEndpoint(self._io, self, self._root))


        if self.message_version >= 1:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.cluster_id._fetch_instances()
        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        if self.message_version >= 1:
            pass
            self.num_leader_endpoints._fetch_instances()

        if self.message_version >= 1:
            pass
            for i in range(len(self.leader_endpoints)):
                pass
                self.leader_endpoints[i]._fetch_instances()


        if self.message_version >= 1:
            pass
            self.tagged_fields._fetch_instances()


    class LeaderEndpoint(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaEndQuorumEpochRequest.LeaderEndpoint, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 1:
                pass
                self.name = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 1:
                pass
                self.host = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 1:
                pass
                self.port = self._io.read_u2be()

            if self._root.message_version >= 1:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 1:
                pass
                self.name._fetch_instances()

            if self._root.message_version >= 1:
                pass
                self.host._fetch_instances()

            if self._root.message_version >= 1:
                pass

            if self._root.message_version >= 1:
                pass
                self.tagged_fields._fetch_instances()



    class PartitionData(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaEndQuorumEpochRequest.PartitionData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition_index = self._io.read_s4be()
            self.leader_id = self._io.read_s4be()
            self.leader_epoch = self._io.read_s4be()
            if self._root.message_version <= 0:
                pass
                self.num_preferred_successors = kafka_array_length.KafkaArrayLength(False, False, self._io)

            if self._root.message_version <= 0:
                pass
                self.preferred_successors = []
                for i in range(self.num_preferred_successors.value):
                    self.preferred_successors.append(self._io.read_s4be())


            if self._root.message_version >= 1:
                pass
                self.num_preferred_candidates = kafka_array_length.KafkaArrayLength(True, False, self._io)

            if self._root.message_version >= 1:
                pass
                self.preferred_candidates = []
                for i in range(self.num_preferred_candidates.value):
                    self.preferred_candidates.append(KafkaEndQuorumEpochRequest.ReplicaInfo(self._io, self, self._root))


            if self._root.message_version >= 1:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version <= 0:
                pass
                self.num_preferred_successors._fetch_instances()

            if self._root.message_version <= 0:
                pass
                for i in range(len(self.preferred_successors)):
                    pass


            if self._root.message_version >= 1:
                pass
                self.num_preferred_candidates._fetch_instances()

            if self._root.message_version >= 1:
                pass
                for i in range(len(self.preferred_candidates)):
                    pass
                    self.preferred_candidates[i]._fetch_instances()


            if self._root.message_version >= 1:
                pass
                self.tagged_fields._fetch_instances()



    class ReplicaInfo(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaEndQuorumEpochRequest.ReplicaInfo, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 1:
                pass
                self.candidate_id = self._io.read_s4be()

            if self._root.message_version >= 1:
                pass
                self.candidate_directory_id = self._io.read_bytes(16)

            if self._root.message_version >= 1:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 1:
                pass

            if self._root.message_version >= 1:
                pass

            if self._root.message_version >= 1:
                pass
                self.tagged_fields._fetch_instances()



    class TopicData(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaEndQuorumEpochRequest.TopicData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic_name = kafka_string.KafkaString(self._root.message_version >= 1, False, self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(self._root.message_version >= 1, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaEndQuorumEpochRequest.PartitionData(self._io, self, self._root))

            if self._root.message_version >= 1:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.topic_name._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()

            if self._root.message_version >= 1:
                pass
                self.tagged_fields._fetch_instances()




