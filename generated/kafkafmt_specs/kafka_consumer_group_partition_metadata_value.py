# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaConsumerGroupPartitionMetadataValue(KaitaiStruct):
    """Topics as a consumer group of the new protocol knew them when it last computed
    an assignment.
    
    .. seealso::
       ConsumerGroupPartitionMetadataValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupPartitionMetadataValue.json
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaConsumerGroupPartitionMetadataValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.message_version = self._io.read_s2be()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        if not self.message_version <= 0:
            raise kaitaistruct.ValidationGreaterThanError(0, self.message_version, self._io, u"/seq/0")
        self.num_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(KafkaConsumerGroupPartitionMetadataValue.TopicMetadata(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class PartitionMetadata(KaitaiStruct):
        """Where the replicas of a partition were."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupPartitionMetadataValue.PartitionMetadata, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition = self._io.read_s4be()
            self.num_racks = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.racks = []
            for i in range(self.num_racks.value):
                self.racks.append(kafka_string.KafkaString(True, False, self._io))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_racks._fetch_instances()
            for i in range(len(self.racks)):
                pass
                self.racks[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class TopicMetadata(KaitaiStruct):
        """A topic."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupPartitionMetadataValue.TopicMetadata, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic_id = self._io.read_bytes(16)
            self.topic_name = kafka_string.KafkaString(True, False, self._io)
            self.num_partitions = self._io.read_s4be()
            self.num_partition_metadata = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partition_metadata = []
            for i in range(self.num_partition_metadata.value):
                self.partition_metadata.append(KafkaConsumerGroupPartitionMetadataValue.PartitionMetadata(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.topic_name._fetch_instances()
            self.num_partition_metadata._fetch_instances()
            for i in range(len(self.partition_metadata)):
                pass
                self.partition_metadata[i]._fetch_instances()

            self.tagged_fields._fetch_instances()



