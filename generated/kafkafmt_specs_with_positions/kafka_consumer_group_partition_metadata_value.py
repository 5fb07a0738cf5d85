# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaConsumerGroupPartitionMetadataValue(KaitaiStruct):
    """What a consumer group of the new protocol knew of its topics when it last
    computed an assignment.
    
    .. seealso::
       ConsumerGroupPartitionMetadataValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupPartitionMetadataValue.json
    """
    SEQ_FIELDS = ["message_version", "num_topics", "topics", "tagged_fields"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaConsumerGroupPartitionMetadataValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['message_version']['start'] = self._io.pos()
        self.message_version = self._io.read_s2be()
        self._debug['message_version']['end'] = self._io.pos()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        if not self.message_version <= 0:
            raise kaitaistruct.ValidationGreaterThanError(0, self.message_version, self._io, u"/seq/0")
        self._debug['num_topics']['start'] = self._io.pos()
        self.num_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_topics._read()
        self._debug['num_topics']['end'] = self._io.pos()
        self._debug['topics']['start'] = self._io.pos()
        self._debug['topics']['arr'] = []
        self.topics = []
        for i in range(self.num_topics.value):
            self._debug['topics']['arr'].append({'start': self._io.pos()})
            _t_topics = KafkaConsumerGroupPartitionMetadataValue.TopicMetadata(self._io, self, self._root)
            try:
                _t_topics._read()
            finally:
                self.topics.append(_t_topics)
            self._debug['topics']['arr'][i]['end'] = self._io.pos()

        self._debug['topics']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class PartitionMetadata(KaitaiStruct):
        """Where the replicas of a partition were."""
        SEQ_FIELDS = ["partition", "num_racks", "racks", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupPartitionMetadataValue.PartitionMetadata, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['partition']['start'] = self._io.pos()
            self.partition = self._io.read_s4be()
            self._debug['partition']['end'] = self._io.pos()
            self._debug['num_racks']['start'] = self._io.pos()
            self.num_racks = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.num_racks._read()
            self._debug['num_racks']['end'] = self._io.pos()
            self._debug['racks']['start'] = self._io.pos()
            self._debug['racks']['arr'] = []
            self.racks = []
            for i in range(self.num_racks.value):
                self._debug['racks']['arr'].append({'start': self._io.pos()})
                _t_racks = kafka_string.KafkaString(True, False, self._io)
                try:
                    _t_racks._read()
                finally:
                    self.racks.append(_t_racks)
                self._debug['racks']['arr'][i]['end'] = self._io.pos()

            self._debug['racks']['end'] = self._io.pos()
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.num_racks._fetch_instances()
            for i in range(len(self.racks)):
                pass
                self.racks[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class TopicMetadata(KaitaiStruct):
        """A topic."""
        SEQ_FIELDS = ["topic_id", "topic_name", "num_partitions", "num_partition_metadata", "partition_metadata", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupPartitionMetadataValue.TopicMetadata, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['topic_id']['start'] = self._io.pos()
            self.topic_id = self._io.read_bytes(16)
            self._debug['topic_id']['end'] = self._io.pos()
            self._debug['topic_name']['start'] = self._io.pos()
            self.topic_name = kafka_string.KafkaString(True, False, self._io)
            self.topic_name._read()
            self._debug['topic_name']['end'] = self._io.pos()
            self._debug['num_partitions']['start'] = self._io.pos()
            self.num_partitions = self._io.read_s4be()
            self._debug['num_partitions']['end'] = self._io.pos()
            self._debug['num_partition_metadata']['start'] = self._io.pos()
            self.num_partition_metadata = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.num_partition_metadata._read()
            self._debug['num_partition_metadata']['end'] = self._io.pos()
            self._debug['partition_metadata']['start'] = self._io.pos()
            self._debug['partition_metadata']['arr'] = []
            self.partition_metadata = []
            for i in range(self.num_partition_metadata.value):
                self._debug['partition_metadata']['arr'].append({'start': self._io.pos()})
                _t_partition_metadata = KafkaConsumerGroupPartitionMetadataValue.PartitionMetadata(self._io, self, self._root)
                try:
                    _t_partition_metadata._read()
                finally:
                    self.partition_metadata.append(_t_partition_metadata)
                self._debug['partition_metadata']['arr'][i]['end'] = self._io.pos()

            self._debug['partition_metadata']['end'] = self._io.pos()
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.topic_name._fetch_instances()
            self.num_partition_metadata._fetch_instances()
            for i in range(len(self.partition_metadata)):
                pass
                self.partition_metadata[i]._fetch_instances()

            self.tagged_fields._fetch_instances()



