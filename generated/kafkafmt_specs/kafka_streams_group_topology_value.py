# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaStreamsGroupTopologyValue(KaitaiStruct):
    """Topology that a streams group runs.
    
    .. seealso::
       StreamsGroupTopologyValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupTopologyValue.json
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaStreamsGroupTopologyValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.message_version = self._io.read_s2be()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        if not self.message_version <= 0:
            raise kaitaistruct.ValidationGreaterThanError(0, self.message_version, self._io, u"/seq/0")
        self.epoch = self._io.read_s4be()
        self.num_subtopologies = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.subtopologies = []
        for i in range(self.num_subtopologies.value):
            self.subtopologies.append(KafkaStreamsGroupTopologyValue.Subtopology(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_subtopologies._fetch_instances()
        for i in range(len(self.subtopologies)):
            pass
            self.subtopologies[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class CopartitionGroup(KaitaiStruct):
        """Topics that must have the same number of partitions, by their places in
        the lists of the part
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupTopologyValue.CopartitionGroup, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_source_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.source_topics = []
            for i in range(self.num_source_topics.value):
                self.source_topics.append(self._io.read_s2be())

            self.num_source_topic_regex = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.source_topic_regex = []
            for i in range(self.num_source_topic_regex.value):
                self.source_topic_regex.append(self._io.read_s2be())

            self.num_repartition_source_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.repartition_source_topics = []
            for i in range(self.num_repartition_source_topics.value):
                self.repartition_source_topics.append(self._io.read_s2be())

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_source_topics._fetch_instances()
            for i in range(len(self.source_topics)):
                pass

            self.num_source_topic_regex._fetch_instances()
            for i in range(len(self.source_topic_regex)):
                pass

            self.num_repartition_source_topics._fetch_instances()
            for i in range(len(self.repartition_source_topics)):
                pass

            self.tagged_fields._fetch_instances()


    class Subtopology(KaitaiStruct):
        """Part of a topology that shares no state with the others; it has a task for
        each partition number of the topics that it reads
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupTopologyValue.Subtopology, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.subtopology_id = kafka_string.KafkaString(True, False, self._io)
            self.num_source_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.source_topics = []
            for i in range(self.num_source_topics.value):
                self.source_topics.append(kafka_string.KafkaString(True, False, self._io))

            self.num_source_topic_regex = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.source_topic_regex = []
            for i in range(self.num_source_topic_regex.value):
                self.source_topic_regex.append(kafka_string.KafkaString(True, False, self._io))

            self.num_state_changelog_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.state_changelog_topics = []
            for i in range(self.num_state_changelog_topics.value):
                self.state_changelog_topics.append(KafkaStreamsGroupTopologyValue.TopicInfo(self._io, self, self._root))

            self.num_repartition_sink_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.repartition_sink_topics = []
            for i in range(self.num_repartition_sink_topics.value):
                self.repartition_sink_topics.append(kafka_string.KafkaString(True, False, self._io))

            self.num_repartition_source_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.repartition_source_topics = []
            for i in range(self.num_repartition_source_topics.value):
                self.repartition_source_topics.append(KafkaStreamsGroupTopologyValue.TopicInfo(self._io, self, self._root))

            self.num_copartition_groups = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.copartition_groups = []
            for i in range(self.num_copartition_groups.value):
                self.copartition_groups.append(KafkaStreamsGroupTopologyValue.CopartitionGroup(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.subtopology_id._fetch_instances()
            self.num_source_topics._fetch_instances()
            for i in range(len(self.source_topics)):
                pass
                self.source_topics[i]._fetch_instances()

            self.num_source_topic_regex._fetch_instances()
            for i in range(len(self.source_topic_regex)):
                pass
                self.source_topic_regex[i]._fetch_instances()

            self.num_state_changelog_topics._fetch_instances()
            for i in range(len(self.state_changelog_topics)):
                pass
                self.state_changelog_topics[i]._fetch_instances()

            self.num_repartition_sink_topics._fetch_instances()
            for i in range(len(self.repartition_sink_topics)):
                pass
                self.repartition_sink_topics[i]._fetch_instances()

            self.num_repartition_source_topics._fetch_instances()
            for i in range(len(self.repartition_source_topics)):
                pass
                self.repartition_source_topics[i]._fetch_instances()

            self.num_copartition_groups._fetch_instances()
            for i in range(len(self.copartition_groups)):
                pass
                self.copartition_groups[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class TopicConfig(KaitaiStruct):
        """A configuration of a topic."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupTopologyValue.TopicConfig, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = kafka_string.KafkaString(True, False, self._io)
            self.value = kafka_string.KafkaString(True, False, self._io)
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.key._fetch_instances()
            self.value._fetch_instances()
            self.tagged_fields._fetch_instances()


    class TopicInfo(KaitaiStruct):
        """A topic."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupTopologyValue.TopicInfo, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.partitions = self._io.read_s4be()
            self.replication_factor = self._io.read_s2be()
            self.num_topic_configs = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.topic_configs = []
            for i in range(self.num_topic_configs.value):
                self.topic_configs.append(KafkaStreamsGroupTopologyValue.TopicConfig(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.num_topic_configs._fetch_instances()
            for i in range(len(self.topic_configs)):
                pass
                self.topic_configs[i]._fetch_instances()

            self.tagged_fields._fetch_instances()



