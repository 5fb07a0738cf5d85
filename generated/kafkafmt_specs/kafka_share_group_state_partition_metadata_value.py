# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaShareGroupStatePartitionMetadataValue(KaitaiStruct):
    """Partitions for which a share group keeps state in `__share_group_state`.
    
    .. seealso::
       ShareGroupStatePartitionMetadataValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupStatePartitionMetadataValue.json
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaShareGroupStatePartitionMetadataValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.message_version = self._io.read_s2be()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        if not self.message_version <= 0:
            raise kaitaistruct.ValidationGreaterThanError(0, self.message_version, self._io, u"/seq/0")
        self.num_initializing_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.initializing_topics = []
        for i in range(self.num_initializing_topics.value):
            self.initializing_topics.append(KafkaShareGroupStatePartitionMetadataValue.TopicPartitionsInfo(self._io, self, self._root))

        self.num_initialized_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.initialized_topics = []
        for i in range(self.num_initialized_topics.value):
            self.initialized_topics.append(KafkaShareGroupStatePartitionMetadataValue.TopicPartitionsInfo(self._io, self, self._root))

        self.num_deleting_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.deleting_topics = []
        for i in range(self.num_deleting_topics.value):
            self.deleting_topics.append(KafkaShareGroupStatePartitionMetadataValue.TopicInfo(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_initializing_topics._fetch_instances()
        for i in range(len(self.initializing_topics)):
            pass
            self.initializing_topics[i]._fetch_instances()

        self.num_initialized_topics._fetch_instances()
        for i in range(len(self.initialized_topics)):
            pass
            self.initialized_topics[i]._fetch_instances()

        self.num_deleting_topics._fetch_instances()
        for i in range(len(self.deleting_topics)):
            pass
            self.deleting_topics[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class TopicInfo(KaitaiStruct):
        """A topic."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareGroupStatePartitionMetadataValue.TopicInfo, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic_id = self._io.read_bytes(16)
            self.topic_name = kafka_string.KafkaString(True, False, self._io)
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.topic_name._fetch_instances()
            self.tagged_fields._fetch_instances()


    class TopicPartitionsInfo(KaitaiStruct):
        """Partitions of a topic."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareGroupStatePartitionMetadataValue.TopicPartitionsInfo, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic_id = self._io.read_bytes(16)
            self.topic_name = kafka_string.KafkaString(True, False, self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(self._io.read_s4be())

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.topic_name._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass

            self.tagged_fields._fetch_instances()



