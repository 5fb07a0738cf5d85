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

class KafkaStreamsGroupHeartbeatRequest(KaitaiStruct):
    """`StreamsGroupHeartbeatRequest`: a request of the API with key 88, after its
    header (see `kafka_request`).
    
    .. seealso::
       StreamsGroupHeartbeatRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/StreamsGroupHeartbeatRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaStreamsGroupHeartbeatRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.group_id = kafka_string.KafkaString(True, False, self._io)
        self.member_id = kafka_string.KafkaString(True, False, self._io)
        self.member_epoch = self._io.read_s4be()
        self.endpoint_information_epoch = self._io.read_s4be()
        self.instance_id = kafka_string.KafkaString(True, True, self._io)
        self.rack_id = kafka_string.KafkaString(True, True, self._io)
        self.rebalance_timeout_ms = self._io.read_s4be()
        self.is_topology_present = self._io.read_s1()
        if self.is_topology_present >= 0:
            pass
            self.topology = KafkaStreamsGroupHeartbeatRequest.Topology(self._io, self, self._root)

        self.num_active_tasks = kafka_array_length.KafkaArrayLength(True, True, self._io)
        self.active_tasks = []
        for i in range(self.num_active_tasks.value):
            self.active_tasks.append(KafkaStreamsGroupHeartbeatRequest.TaskIds(self._io, self, self._root))

        self.num_standby_tasks = kafka_array_length.KafkaArrayLength(True, True, self._io)
        self.standby_tasks = []
        for i in range(self.num_standby_tasks.value):
            self.standby_tasks.append(KafkaStreamsGroupHeartbeatRequest.TaskIds(self._io, self, self._root))

        self.num_warmup_tasks = kafka_array_length.KafkaArrayLength(True, True, self._io)
        self.warmup_tasks = []
        for i in range(self.num_warmup_tasks.value):
            self.warmup_tasks.append(KafkaStreamsGroupHeartbeatRequest.TaskIds(self._io, self, self._root))

        self.process_id = kafka_string.KafkaString(True, True, self._io)
        self.is_user_endpoint_present = self._io.read_s1()
        if self.is_user_endpoint_present >= 0:
            pass
            self.user_endpoint = KafkaStreamsGroupHeartbeatRequest.Endpoint(self._io, self, self._root)

        self.num_client_tags = kafka_array_length.KafkaArrayLength(True, True, self._io)
        self.client_tags = []
        for i in range(self.num_client_tags.value):
            self.client_tags.append(KafkaStreamsGroupHeartbeatRequest.KeyValue(self._io, self, self._root))

        self.num_task_offsets = kafka_array_length.KafkaArrayLength(True, True, self._io)
        self.task_offsets = []
        for i in range(self.num_task_offsets.value):
            self.task_offsets.append(KafkaStreamsGroupHeartbeatRequest.TaskOffset(self._io, self, self._root))

        self.num_task_end_offsets = kafka_array_length.KafkaArrayLength(True, True, self._io)
        self.task_end_offsets = []
        for i in range(self.num_task_end_offsets.value):
            self.task_end_offsets.append(KafkaStreamsGroupHeartbeatRequest.TaskOffset(self._io, self, self._root))

        self.shutdown_application = kafka_boolean.KafkaBoolean(self._io)
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.group_id._fetch_instances()
        self.member_id._fetch_instances()
        self.instance_id._fetch_instances()
        self.rack_id._fetch_instances()
        if self.is_topology_present >= 0:
            pass
            self.topology._fetch_instances()

        self.num_active_tasks._fetch_instances()
        for i in range(len(self.active_tasks)):
            pass
            self.active_tasks[i]._fetch_instances()

        self.num_standby_tasks._fetch_instances()
        for i in range(len(self.standby_tasks)):
            pass
            self.standby_tasks[i]._fetch_instances()

        self.num_warmup_tasks._fetch_instances()
        for i in range(len(self.warmup_tasks)):
            pass
            self.warmup_tasks[i]._fetch_instances()

        self.process_id._fetch_instances()
        if self.is_user_endpoint_present >= 0:
            pass
            self.user_endpoint._fetch_instances()

        self.num_client_tags._fetch_instances()
        for i in range(len(self.client_tags)):
            pass
            self.client_tags[i]._fetch_instances()

        self.num_task_offsets._fetch_instances()
        for i in range(len(self.task_offsets)):
            pass
            self.task_offsets[i]._fetch_instances()

        self.num_task_end_offsets._fetch_instances()
        for i in range(len(self.task_end_offsets)):
            pass
            self.task_end_offsets[i]._fetch_instances()

        self.shutdown_application._fetch_instances()
        self.tagged_fields._fetch_instances()

    class CopartitionGroup(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupHeartbeatRequest.CopartitionGroup, self).__init__(_io)
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


    class Endpoint(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupHeartbeatRequest.Endpoint, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.host = kafka_string.KafkaString(True, False, self._io)
            self.port = self._io.read_u2be()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.host._fetch_instances()
            self.tagged_fields._fetch_instances()


    class KeyValue(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupHeartbeatRequest.KeyValue, self).__init__(_io)
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


    class Subtopology(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupHeartbeatRequest.Subtopology, self).__init__(_io)
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
                self.state_changelog_topics.append(KafkaStreamsGroupHeartbeatRequest.TopicInfo(self._io, self, self._root))

            self.num_repartition_sink_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.repartition_sink_topics = []
            for i in range(self.num_repartition_sink_topics.value):
                self.repartition_sink_topics.append(kafka_string.KafkaString(True, False, self._io))

            self.num_repartition_source_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.repartition_source_topics = []
            for i in range(self.num_repartition_source_topics.value):
                self.repartition_source_topics.append(KafkaStreamsGroupHeartbeatRequest.TopicInfo(self._io, self, self._root))

            self.num_copartition_groups = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.copartition_groups = []
            for i in range(self.num_copartition_groups.value):
                self.copartition_groups.append(KafkaStreamsGroupHeartbeatRequest.CopartitionGroup(self._io, self, self._root))

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


    class TaskIds(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupHeartbeatRequest.TaskIds, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.subtopology_id = kafka_string.KafkaString(True, False, self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(self._io.read_s4be())

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.subtopology_id._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass

            self.tagged_fields._fetch_instances()


    class TaskOffset(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupHeartbeatRequest.TaskOffset, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.subtopology_id = kafka_string.KafkaString(True, False, self._io)
            self.partition = self._io.read_s4be()
            self.offset = self._io.read_s8be()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.subtopology_id._fetch_instances()
            self.tagged_fields._fetch_instances()


    class TopicInfo(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupHeartbeatRequest.TopicInfo, self).__init__(_io)
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
                self.topic_configs.append(KafkaStreamsGroupHeartbeatRequest.KeyValue(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.num_topic_configs._fetch_instances()
            for i in range(len(self.topic_configs)):
                pass
                self.topic_configs[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class Topology(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupHeartbeatRequest.Topology, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.epoch = self._io.read_s4be()
            self.num_subtopologies = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.subtopologies = []
            for i in range(self.num_subtopologies.value):
                self.subtopologies.append(KafkaStreamsGroupHeartbeatRequest.Subtopology(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_subtopologies._fetch_instances()
            for i in range(len(self.subtopologies)):
                pass
                self.subtopologies[i]._fetch_instances()

            self.tagged_fields._fetch_instances()



