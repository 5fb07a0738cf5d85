# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaDescribeQuorumResponse(KaitaiStruct):
    """`DescribeQuorumResponse`: a response of the API with key 55, after its header
    (see `kafka_response`).
    
    .. seealso::
       DescribeQuorumResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeQuorumResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaDescribeQuorumResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.error_code = self._io.read_s2be()
        if self.message_version >= 2:
            pass
            self.error_message = kafka_string.KafkaString(True, True, self._io)

        self.num_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(KafkaDescribeQuorumResponse.TopicData(self._io, self, self._root))

        if self.message_version >= 2:
            pass
            self.num_nodes = kafka_array_length.KafkaArrayLength(True, False, self._io)

        if self.message_version >= 2:
            pass
            self.nodes = []
            for i in range(self.num_nodes.value):
                self.nodes.append(KafkaDescribeQuorumResponse.Node(self._io, self, self._root))


        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        if self.message_version >= 2:
            pass
            self.error_message._fetch_instances()

        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        if self.message_version >= 2:
            pass
            self.num_nodes._fetch_instances()

        if self.message_version >= 2:
            pass
            for i in range(len(self.nodes)):
                pass
                self.nodes[i]._fetch_instances()


        self.tagged_fields._fetch_instances()

    class Listener(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeQuorumResponse.Listener, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 2:
                pass
                self.name = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 2:
                pass
                self.host = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 2:
                pass
                self.port = self._io.read_u2be()

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            if self._root.message_version >= 2:
                pass
                self.name._fetch_instances()

            if self._root.message_version >= 2:
                pass
                self.host._fetch_instances()

            if self._root.message_version >= 2:
                pass

            self.tagged_fields._fetch_instances()


    class Node(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeQuorumResponse.Node, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 2:
                pass
                self.node_id = self._io.read_s4be()

            if self._root.message_version >= 2:
                pass
                self.num_listeners = kafka_array_length.KafkaArrayLength(True, False, self._io)

            if self._root.message_version >= 2:
                pass
                self.listeners = []
                for i in range(self.num_listeners.value):
                    self.listeners.append(KafkaDescribeQuorumResponse.Listener(self._io, self, self._root))


            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            if self._root.message_version >= 2:
                pass

            if self._root.message_version >= 2:
                pass
                self.num_listeners._fetch_instances()

            if self._root.message_version >= 2:
                pass
                for i in range(len(self.listeners)):
                    pass
                    self.listeners[i]._fetch_instances()


            self.tagged_fields._fetch_instances()


    class PartitionData(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeQuorumResponse.PartitionData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition_index = self._io.read_s4be()
            self.error_code = self._io.read_s2be()
            if self._root.message_version >= 2:
                pass
                self.error_message = kafka_string.KafkaString(True, True, self._io)

            self.leader_id = self._io.read_s4be()
            self.leader_epoch = self._io.read_s4be()
            self.high_watermark = self._io.read_s8be()
            self.num_current_voters = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.current_voters = []
            for i in range(self.num_current_voters.value):
                self.current_voters.append(KafkaDescribeQuorumResponse.ReplicaState(self._io, self, self._root))

            self.num_observers = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.observers = []
            for i in range(self.num_observers.value):
                self.observers.append(KafkaDescribeQuorumResponse.ReplicaState(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            if self._root.message_version >= 2:
                pass
                self.error_message._fetch_instances()

            self.num_current_voters._fetch_instances()
            for i in range(len(self.current_voters)):
                pass
                self.current_voters[i]._fetch_instances()

            self.num_observers._fetch_instances()
            for i in range(len(self.observers)):
                pass
                self.observers[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class ReplicaState(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeQuorumResponse.ReplicaState, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.replica_id = self._io.read_s4be()
            if self._root.message_version >= 2:
                pass
                self.replica_directory_id = self._io.read_bytes(16)

            self.log_end_offset = self._io.read_s8be()
            if self._root.message_version >= 1:
                pass
                self.last_fetch_timestamp = self._io.read_s8be()

            if self._root.message_version >= 1:
                pass
                self.last_caught_up_timestamp = self._io.read_s8be()

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            if self._root.message_version >= 2:
                pass

            if self._root.message_version >= 1:
                pass

            if self._root.message_version >= 1:
                pass

            self.tagged_fields._fetch_instances()


    class TopicData(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeQuorumResponse.TopicData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic_name = kafka_string.KafkaString(True, False, self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaDescribeQuorumResponse.PartitionData(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.topic_name._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()

            self.tagged_fields._fetch_instances()



