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

class KafkaDescribeTopicPartitionsResponse(KaitaiStruct):
    """`DescribeTopicPartitionsResponse`: a response of the API with key 75, after
    its header (see `kafka_response`).
    
    .. seealso::
       DescribeTopicPartitionsResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeTopicPartitionsResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaDescribeTopicPartitionsResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.throttle_time_ms = self._io.read_s4be()
        self.num_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(KafkaDescribeTopicPartitionsResponse.DescribeTopicPartitionsResponseTopic(self._io, self, self._root))

        self.is_next_cursor_present = self._io.read_s1()
        if self.is_next_cursor_present >= 0:
            pass
            self.next_cursor = KafkaDescribeTopicPartitionsResponse.Cursor(self._io, self, self._root)

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        if self.is_next_cursor_present >= 0:
            pass
            self.next_cursor._fetch_instances()

        self.tagged_fields._fetch_instances()

    class Cursor(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeTopicPartitionsResponse.Cursor, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic_name = kafka_string.KafkaString(True, False, self._io)
            self.partition_index = self._io.read_s4be()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.topic_name._fetch_instances()
            self.tagged_fields._fetch_instances()


    class DescribeTopicPartitionsResponsePartition(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeTopicPartitionsResponse.DescribeTopicPartitionsResponsePartition, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.error_code = self._io.read_s2be()
            self.partition_index = self._io.read_s4be()
            self.leader_id = self._io.read_s4be()
            self.leader_epoch = self._io.read_s4be()
            self.num_replica_nodes = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.replica_nodes = []
            for i in range(self.num_replica_nodes.value):
                self.replica_nodes.append(self._io.read_s4be())

            self.num_isr_nodes = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.isr_nodes = []
            for i in range(self.num_isr_nodes.value):
                self.isr_nodes.append(self._io.read_s4be())

            self.num_eligible_leader_replicas = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.eligible_leader_replicas = []
            for i in range(self.num_eligible_leader_replicas.value):
                self.eligible_leader_replicas.append(self._io.read_s4be())

            self.num_last_known_elr = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.last_known_elr = []
            for i in range(self.num_last_known_elr.value):
                self.last_known_elr.append(self._io.read_s4be())

            self.num_offline_replicas = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.offline_replicas = []
            for i in range(self.num_offline_replicas.value):
                self.offline_replicas.append(self._io.read_s4be())

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_replica_nodes._fetch_instances()
            for i in range(len(self.replica_nodes)):
                pass

            self.num_isr_nodes._fetch_instances()
            for i in range(len(self.isr_nodes)):
                pass

            self.num_eligible_leader_replicas._fetch_instances()
            for i in range(len(self.eligible_leader_replicas)):
                pass

            self.num_last_known_elr._fetch_instances()
            for i in range(len(self.last_known_elr)):
                pass

            self.num_offline_replicas._fetch_instances()
            for i in range(len(self.offline_replicas)):
                pass

            self.tagged_fields._fetch_instances()


    class DescribeTopicPartitionsResponseTopic(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeTopicPartitionsResponse.DescribeTopicPartitionsResponseTopic, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.error_code = self._io.read_s2be()
            self.name = kafka_string.KafkaString(True, True, self._io)
            self.topic_id = self._io.read_bytes(16)
            self.is_internal = kafka_boolean.KafkaBoolean(self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaDescribeTopicPartitionsResponse.DescribeTopicPartitionsResponsePartition(self._io, self, self._root))

            self.topic_authorized_operations = self._io.read_s4be()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.is_internal._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()

            self.tagged_fields._fetch_instances()



