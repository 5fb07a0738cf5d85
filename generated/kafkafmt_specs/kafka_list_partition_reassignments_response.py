# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaListPartitionReassignmentsResponse(KaitaiStruct):
    """`ListPartitionReassignmentsResponse`: a response of the API with key 46, after
    its header (see `kafka_response`).
    
    .. seealso::
       ListPartitionReassignmentsResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ListPartitionReassignmentsResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaListPartitionReassignmentsResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.throttle_time_ms = self._io.read_s4be()
        self.error_code = self._io.read_s2be()
        self.error_message = kafka_string.KafkaString(True, True, self._io)
        self.num_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(KafkaListPartitionReassignmentsResponse.OngoingTopicReassignment(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.error_message._fetch_instances()
        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class OngoingPartitionReassignment(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaListPartitionReassignmentsResponse.OngoingPartitionReassignment, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition_index = self._io.read_s4be()
            self.num_replicas = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.replicas = []
            for i in range(self.num_replicas.value):
                self.replicas.append(self._io.read_s4be())

            self.num_adding_replicas = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.adding_replicas = []
            for i in range(self.num_adding_replicas.value):
                self.adding_replicas.append(self._io.read_s4be())

            self.num_removing_replicas = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.removing_replicas = []
            for i in range(self.num_removing_replicas.value):
                self.removing_replicas.append(self._io.read_s4be())

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_replicas._fetch_instances()
            for i in range(len(self.replicas)):
                pass

            self.num_adding_replicas._fetch_instances()
            for i in range(len(self.adding_replicas)):
                pass

            self.num_removing_replicas._fetch_instances()
            for i in range(len(self.removing_replicas)):
                pass

            self.tagged_fields._fetch_instances()


    class OngoingTopicReassignment(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaListPartitionReassignmentsResponse.OngoingTopicReassignment, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaListPartitionReassignmentsResponse.OngoingPartitionReassignment(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()

            self.tagged_fields._fetch_instances()



