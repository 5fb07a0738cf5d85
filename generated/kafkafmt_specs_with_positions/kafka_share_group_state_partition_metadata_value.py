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

class KafkaShareGroupStatePartitionMetadataValue(KaitaiStruct):
    """Partitions for which a share group keeps state in `__share_group_state`.
    
    .. seealso::
       ShareGroupStatePartitionMetadataValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupStatePartitionMetadataValue.json
    """
    SEQ_FIELDS = ["message_version", "num_initializing_topics", "initializing_topics", "num_initialized_topics", "initialized_topics", "num_deleting_topics", "deleting_topics", "tagged_fields"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaShareGroupStatePartitionMetadataValue, self).__init__(_io)
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
        self._debug['num_initializing_topics']['start'] = self._io.pos()
        self.num_initializing_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_initializing_topics._read()
        self._debug['num_initializing_topics']['end'] = self._io.pos()
        self._debug['initializing_topics']['start'] = self._io.pos()
        self._debug['initializing_topics']['arr'] = []
        self.initializing_topics = []
        for i in range(self.num_initializing_topics.value):
            self._debug['initializing_topics']['arr'].append({'start': self._io.pos()})
            _t_initializing_topics = KafkaShareGroupStatePartitionMetadataValue.TopicPartitionsInfo(self._io, self, self._root)
            try:
                _t_initializing_topics._read()
            finally:
                self.initializing_topics.append(_t_initializing_topics)
            self._debug['initializing_topics']['arr'][i]['end'] = self._io.pos()

        self._debug['initializing_topics']['end'] = self._io.pos()
        self._debug['num_initialized_topics']['start'] = self._io.pos()
        self.num_initialized_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_initialized_topics._read()
        self._debug['num_initialized_topics']['end'] = self._io.pos()
        self._debug['initialized_topics']['start'] = self._io.pos()
        self._debug['initialized_topics']['arr'] = []
        self.initialized_topics = []
        for i in range(self.num_initialized_topics.value):
            self._debug['initialized_topics']['arr'].append({'start': self._io.pos()})
            _t_initialized_topics = KafkaShareGroupStatePartitionMetadataValue.TopicPartitionsInfo(self._io, self, self._root)
            try:
                _t_initialized_topics._read()
            finally:
                self.initialized_topics.append(_t_initialized_topics)
            self._debug['initialized_topics']['arr'][i]['end'] = self._io.pos()

        self._debug['initialized_topics']['end'] = self._io.pos()
        self._debug['num_deleting_topics']['start'] = self._io.pos()
        self.num_deleting_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_deleting_topics._read()
        self._debug['num_deleting_topics']['end'] = self._io.pos()
        self._debug['deleting_topics']['start'] = self._io.pos()
        self._debug['deleting_topics']['arr'] = []
        self.deleting_topics = []
        for i in range(self.num_deleting_topics.value):
            self._debug['deleting_topics']['arr'].append({'start': self._io.pos()})
            _t_deleting_topics = KafkaShareGroupStatePartitionMetadataValue.TopicInfo(self._io, self, self._root)
            try:
                _t_deleting_topics._read()
            finally:
                self.deleting_topics.append(_t_deleting_topics)
            self._debug['deleting_topics']['arr'][i]['end'] = self._io.pos()

        self._debug['deleting_topics']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


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
        SEQ_FIELDS = ["topic_id", "topic_name", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareGroupStatePartitionMetadataValue.TopicInfo, self).__init__(_io)
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
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.topic_name._fetch_instances()
            self.tagged_fields._fetch_instances()


    class TopicPartitionsInfo(KaitaiStruct):
        """Partitions of a topic."""
        SEQ_FIELDS = ["topic_id", "topic_name", "num_partitions", "partitions", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareGroupStatePartitionMetadataValue.TopicPartitionsInfo, self).__init__(_io)
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
            self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.num_partitions._read()
            self._debug['num_partitions']['end'] = self._io.pos()
            self._debug['partitions']['start'] = self._io.pos()
            self._debug['partitions']['arr'] = []
            self.partitions = []
            for i in range(self.num_partitions.value):
                self._debug['partitions']['arr'].append({'start': self._io.pos()})
                self.partitions.append(self._io.read_s4be())
                self._debug['partitions']['arr'][i]['end'] = self._io.pos()

            self._debug['partitions']['end'] = self._io.pos()
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.topic_name._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass

            self.tagged_fields._fetch_instances()



