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

class KafkaStreamsGroupTopologyValue(KaitaiStruct):
    """Topology that a streams group runs.
    
    .. seealso::
       StreamsGroupTopologyValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupTopologyValue.json
    """
    SEQ_FIELDS = ["message_version", "epoch", "num_subtopologies", "subtopologies", "tagged_fields"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaStreamsGroupTopologyValue, self).__init__(_io)
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
        self._debug['epoch']['start'] = self._io.pos()
        self.epoch = self._io.read_s4be()
        self._debug['epoch']['end'] = self._io.pos()
        self._debug['num_subtopologies']['start'] = self._io.pos()
        self.num_subtopologies = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_subtopologies._read()
        self._debug['num_subtopologies']['end'] = self._io.pos()
        self._debug['subtopologies']['start'] = self._io.pos()
        self._debug['subtopologies']['arr'] = []
        self.subtopologies = []
        for i in range(self.num_subtopologies.value):
            self._debug['subtopologies']['arr'].append({'start': self._io.pos()})
            _t_subtopologies = KafkaStreamsGroupTopologyValue.Subtopology(self._io, self, self._root)
            try:
                _t_subtopologies._read()
            finally:
                self.subtopologies.append(_t_subtopologies)
            self._debug['subtopologies']['arr'][i]['end'] = self._io.pos()

        self._debug['subtopologies']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


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
        SEQ_FIELDS = ["num_source_topics", "source_topics", "num_source_topic_regex", "source_topic_regex", "num_repartition_source_topics", "repartition_source_topics", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupTopologyValue.CopartitionGroup, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['num_source_topics']['start'] = self._io.pos()
            self.num_source_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.num_source_topics._read()
            self._debug['num_source_topics']['end'] = self._io.pos()
            self._debug['source_topics']['start'] = self._io.pos()
            self._debug['source_topics']['arr'] = []
            self.source_topics = []
            for i in range(self.num_source_topics.value):
                self._debug['source_topics']['arr'].append({'start': self._io.pos()})
                self.source_topics.append(self._io.read_s2be())
                self._debug['source_topics']['arr'][i]['end'] = self._io.pos()

            self._debug['source_topics']['end'] = self._io.pos()
            self._debug['num_source_topic_regex']['start'] = self._io.pos()
            self.num_source_topic_regex = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.num_source_topic_regex._read()
            self._debug['num_source_topic_regex']['end'] = self._io.pos()
            self._debug['source_topic_regex']['start'] = self._io.pos()
            self._debug['source_topic_regex']['arr'] = []
            self.source_topic_regex = []
            for i in range(self.num_source_topic_regex.value):
                self._debug['source_topic_regex']['arr'].append({'start': self._io.pos()})
                self.source_topic_regex.append(self._io.read_s2be())
                self._debug['source_topic_regex']['arr'][i]['end'] = self._io.pos()

            self._debug['source_topic_regex']['end'] = self._io.pos()
            self._debug['num_repartition_source_topics']['start'] = self._io.pos()
            self.num_repartition_source_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.num_repartition_source_topics._read()
            self._debug['num_repartition_source_topics']['end'] = self._io.pos()
            self._debug['repartition_source_topics']['start'] = self._io.pos()
            self._debug['repartition_source_topics']['arr'] = []
            self.repartition_source_topics = []
            for i in range(self.num_repartition_source_topics.value):
                self._debug['repartition_source_topics']['arr'].append({'start': self._io.pos()})
                self.repartition_source_topics.append(self._io.read_s2be())
                self._debug['repartition_source_topics']['arr'][i]['end'] = self._io.pos()

            self._debug['repartition_source_topics']['end'] = self._io.pos()
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()


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
        """Part of a topology that shares no state with the others; each of its tasks
        is for one partition of all that it reads
        """
        SEQ_FIELDS = ["subtopology_id", "num_source_topics", "source_topics", "num_source_topic_regex", "source_topic_regex", "num_state_changelog_topics", "state_changelog_topics", "num_repartition_sink_topics", "repartition_sink_topics", "num_repartition_source_topics", "repartition_source_topics", "num_copartition_groups", "copartition_groups", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupTopologyValue.Subtopology, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['subtopology_id']['start'] = self._io.pos()
            self.subtopology_id = kafka_string.KafkaString(True, False, self._io)
            self.subtopology_id._read()
            self._debug['subtopology_id']['end'] = self._io.pos()
            self._debug['num_source_topics']['start'] = self._io.pos()
            self.num_source_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.num_source_topics._read()
            self._debug['num_source_topics']['end'] = self._io.pos()
            self._debug['source_topics']['start'] = self._io.pos()
            self._debug['source_topics']['arr'] = []
            self.source_topics = []
            for i in range(self.num_source_topics.value):
                self._debug['source_topics']['arr'].append({'start': self._io.pos()})
                _t_source_topics = kafka_string.KafkaString(True, False, self._io)
                try:
                    _t_source_topics._read()
                finally:
                    self.source_topics.append(_t_source_topics)
                self._debug['source_topics']['arr'][i]['end'] = self._io.pos()

            self._debug['source_topics']['end'] = self._io.pos()
            self._debug['num_source_topic_regex']['start'] = self._io.pos()
            self.num_source_topic_regex = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.num_source_topic_regex._read()
            self._debug['num_source_topic_regex']['end'] = self._io.pos()
            self._debug['source_topic_regex']['start'] = self._io.pos()
            self._debug['source_topic_regex']['arr'] = []
            self.source_topic_regex = []
            for i in range(self.num_source_topic_regex.value):
                self._debug['source_topic_regex']['arr'].append({'start': self._io.pos()})
                _t_source_topic_regex = kafka_string.KafkaString(True, False, self._io)
                try:
                    _t_source_topic_regex._read()
                finally:
                    self.source_topic_regex.append(_t_source_topic_regex)
                self._debug['source_topic_regex']['arr'][i]['end'] = self._io.pos()

            self._debug['source_topic_regex']['end'] = self._io.pos()
            self._debug['num_state_changelog_topics']['start'] = self._io.pos()
            self.num_state_changelog_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.num_state_changelog_topics._read()
            self._debug['num_state_changelog_topics']['end'] = self._io.pos()
            self._debug['state_changelog_topics']['start'] = self._io.pos()
            self._debug['state_changelog_topics']['arr'] = []
            self.state_changelog_topics = []
            for i in range(self.num_state_changelog_topics.value):
                self._debug['state_changelog_topics']['arr'].append({'start': self._io.pos()})
                _t_state_changelog_topics = KafkaStreamsGroupTopologyValue.TopicInfo(self._io, self, self._root)
                try:
                    _t_state_changelog_topics._read()
                finally:
                    self.state_changelog_topics.append(_t_state_changelog_topics)
                self._debug['state_changelog_topics']['arr'][i]['end'] = self._io.pos()

            self._debug['state_changelog_topics']['end'] = self._io.pos()
            self._debug['num_repartition_sink_topics']['start'] = self._io.pos()
            self.num_repartition_sink_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.num_repartition_sink_topics._read()
            self._debug['num_repartition_sink_topics']['end'] = self._io.pos()
            self._debug['repartition_sink_topics']['start'] = self._io.pos()
            self._debug['repartition_sink_topics']['arr'] = []
            self.repartition_sink_topics = []
            for i in range(self.num_repartition_sink_topics.value):
                self._debug['repartition_sink_topics']['arr'].append({'start': self._io.pos()})
                _t_repartition_sink_topics = kafka_string.KafkaString(True, False, self._io)
                try:
                    _t_repartition_sink_topics._read()
                finally:
                    self.repartition_sink_topics.append(_t_repartition_sink_topics)
                self._debug['repartition_sink_topics']['arr'][i]['end'] = self._io.pos()

            self._debug['repartition_sink_topics']['end'] = self._io.pos()
            self._debug['num_repartition_source_topics']['start'] = self._io.pos()
            self.num_repartition_source_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.num_repartition_source_topics._read()
            self._debug['num_repartition_source_topics']['end'] = self._io.pos()
            self._debug['repartition_source_topics']['start'] = self._io.pos()
            self._debug['repartition_source_topics']['arr'] = []
            self.repartition_source_topics = []
            for i in range(self.num_repartition_source_topics.value):
                self._debug['repartition_source_topics']['arr'].append({'start': self._io.pos()})
                _t_repartition_source_topics = KafkaStreamsGroupTopologyValue.TopicInfo(self._io, self, self._root)
                try:
                    _t_repartition_source_topics._read()
                finally:
                    self.repartition_source_topics.append(_t_repartition_source_topics)
                self._debug['repartition_source_topics']['arr'][i]['end'] = self._io.pos()

            self._debug['repartition_source_topics']['end'] = self._io.pos()
            self._debug['num_copartition_groups']['start'] = self._io.pos()
            self.num_copartition_groups = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.num_copartition_groups._read()
            self._debug['num_copartition_groups']['end'] = self._io.pos()
            self._debug['copartition_groups']['start'] = self._io.pos()
            self._debug['copartition_groups']['arr'] = []
            self.copartition_groups = []
            for i in range(self.num_copartition_groups.value):
                self._debug['copartition_groups']['arr'].append({'start': self._io.pos()})
                _t_copartition_groups = KafkaStreamsGroupTopologyValue.CopartitionGroup(self._io, self, self._root)
                try:
                    _t_copartition_groups._read()
                finally:
                    self.copartition_groups.append(_t_copartition_groups)
                self._debug['copartition_groups']['arr'][i]['end'] = self._io.pos()

            self._debug['copartition_groups']['end'] = self._io.pos()
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()


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
        SEQ_FIELDS = ["key", "value", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupTopologyValue.TopicConfig, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['key']['start'] = self._io.pos()
            self.key = kafka_string.KafkaString(True, False, self._io)
            self.key._read()
            self._debug['key']['end'] = self._io.pos()
            self._debug['value']['start'] = self._io.pos()
            self.value = kafka_string.KafkaString(True, False, self._io)
            self.value._read()
            self._debug['value']['end'] = self._io.pos()
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.key._fetch_instances()
            self.value._fetch_instances()
            self.tagged_fields._fetch_instances()


    class TopicInfo(KaitaiStruct):
        """A topic."""
        SEQ_FIELDS = ["name", "partitions", "replication_factor", "num_topic_configs", "topic_configs", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupTopologyValue.TopicInfo, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['name']['start'] = self._io.pos()
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.name._read()
            self._debug['name']['end'] = self._io.pos()
            self._debug['partitions']['start'] = self._io.pos()
            self.partitions = self._io.read_s4be()
            self._debug['partitions']['end'] = self._io.pos()
            self._debug['replication_factor']['start'] = self._io.pos()
            self.replication_factor = self._io.read_s2be()
            self._debug['replication_factor']['end'] = self._io.pos()
            self._debug['num_topic_configs']['start'] = self._io.pos()
            self.num_topic_configs = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.num_topic_configs._read()
            self._debug['num_topic_configs']['end'] = self._io.pos()
            self._debug['topic_configs']['start'] = self._io.pos()
            self._debug['topic_configs']['arr'] = []
            self.topic_configs = []
            for i in range(self.num_topic_configs.value):
                self._debug['topic_configs']['arr'].append({'start': self._io.pos()})
                _t_topic_configs = KafkaStreamsGroupTopologyValue.TopicConfig(self._io, self, self._root)
                try:
                    _t_topic_configs._read()
                finally:
                    self.topic_configs.append(_t_topic_configs)
                self._debug['topic_configs']['arr'][i]['end'] = self._io.pos()

            self._debug['topic_configs']['end'] = self._io.pos()
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.num_topic_configs._fetch_instances()
            for i in range(len(self.topic_configs)):
                pass
                self.topic_configs[i]._fetch_instances()

            self.tagged_fields._fetch_instances()



