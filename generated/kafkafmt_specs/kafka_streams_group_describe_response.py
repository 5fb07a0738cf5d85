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

class KafkaStreamsGroupDescribeResponse(KaitaiStruct):
    """`StreamsGroupDescribeResponse`: a response of the API with key 89, after its
    header (see `kafka_response`).
    
    .. seealso::
       StreamsGroupDescribeResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/StreamsGroupDescribeResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaStreamsGroupDescribeResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.throttle_time_ms = self._io.read_s4be()
        self.num_groups = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.groups = []
        for i in range(self.num_groups.value):
            self.groups.append(KafkaStreamsGroupDescribeResponse.DescribedGroup(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_groups._fetch_instances()
        for i in range(len(self.groups)):
            pass
            self.groups[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class Assignment(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupDescribeResponse.Assignment, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_active_tasks = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.active_tasks = []
            for i in range(self.num_active_tasks.value):
                self.active_tasks.append(KafkaStreamsGroupDescribeResponse.TaskIds(self._io, self, self._root))

            self.num_standby_tasks = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.standby_tasks = []
            for i in range(self.num_standby_tasks.value):
                self.standby_tasks.append(KafkaStreamsGroupDescribeResponse.TaskIds(self._io, self, self._root))

            self.num_warmup_tasks = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.warmup_tasks = []
            for i in range(self.num_warmup_tasks.value):
                self.warmup_tasks.append(KafkaStreamsGroupDescribeResponse.TaskIds(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
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

            self.tagged_fields._fetch_instances()


    class DescribedGroup(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupDescribeResponse.DescribedGroup, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.error_code = self._io.read_s2be()
            self.error_message = kafka_string.KafkaString(True, True, self._io)
            self.group_id = kafka_string.KafkaString(True, False, self._io)
            self.group_state = kafka_string.KafkaString(True, False, self._io)
            self.group_epoch = self._io.read_s4be()
            self.assignment_epoch = self._io.read_s4be()
            self.is_topology_present = self._io.read_s1()
            if self.is_topology_present >= 0:
                pass
                self.topology = KafkaStreamsGroupDescribeResponse.Topology(self._io, self, self._root)

            self.num_members = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.members = []
            for i in range(self.num_members.value):
                self.members.append(KafkaStreamsGroupDescribeResponse.Member(self._io, self, self._root))

            self.authorized_operations = self._io.read_s4be()
            if self._root.message_version >= 1:
                pass
                self.is_topology_description_present = self._io.read_s1()

            if  ((self._root.message_version >= 1) and (self.is_topology_description_present >= 0)) :
                pass
                self.topology_description = KafkaStreamsGroupDescribeResponse.TopologyDescription(self._io, self, self._root)

            if self._root.message_version >= 1:
                pass
                self.topology_description_status = self._io.read_s1()

            if self._root.message_version >= 1:
                pass
                self.assignor_name = kafka_string.KafkaString(True, True, self._io)

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.error_message._fetch_instances()
            self.group_id._fetch_instances()
            self.group_state._fetch_instances()
            if self.is_topology_present >= 0:
                pass
                self.topology._fetch_instances()

            self.num_members._fetch_instances()
            for i in range(len(self.members)):
                pass
                self.members[i]._fetch_instances()

            if self._root.message_version >= 1:
                pass

            if  ((self._root.message_version >= 1) and (self.is_topology_description_present >= 0)) :
                pass
                self.topology_description._fetch_instances()

            if self._root.message_version >= 1:
                pass

            if self._root.message_version >= 1:
                pass
                self.assignor_name._fetch_instances()

            self.tagged_fields._fetch_instances()


    class Endpoint(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupDescribeResponse.Endpoint, self).__init__(_io)
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
            super(KafkaStreamsGroupDescribeResponse.KeyValue, self).__init__(_io)
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


    class Member(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupDescribeResponse.Member, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.member_id = kafka_string.KafkaString(True, False, self._io)
            self.member_epoch = self._io.read_s4be()
            self.instance_id = kafka_string.KafkaString(True, True, self._io)
            self.rack_id = kafka_string.KafkaString(True, True, self._io)
            self.client_id = kafka_string.KafkaString(True, False, self._io)
            self.client_host = kafka_string.KafkaString(True, False, self._io)
            self.topology_epoch = self._io.read_s4be()
            self.process_id = kafka_string.KafkaString(True, False, self._io)
            self.is_user_endpoint_present = self._io.read_s1()
            if self.is_user_endpoint_present >= 0:
                pass
                self.user_endpoint = KafkaStreamsGroupDescribeResponse.Endpoint(self._io, self, self._root)

            self.num_client_tags = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.client_tags = []
            for i in range(self.num_client_tags.value):
                self.client_tags.append(KafkaStreamsGroupDescribeResponse.KeyValue(self._io, self, self._root))

            self.num_task_offsets = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.task_offsets = []
            for i in range(self.num_task_offsets.value):
                self.task_offsets.append(KafkaStreamsGroupDescribeResponse.TaskOffset(self._io, self, self._root))

            self.num_task_end_offsets = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.task_end_offsets = []
            for i in range(self.num_task_end_offsets.value):
                self.task_end_offsets.append(KafkaStreamsGroupDescribeResponse.TaskOffset(self._io, self, self._root))

            self.assignment = KafkaStreamsGroupDescribeResponse.Assignment(self._io, self, self._root)
            self.target_assignment = KafkaStreamsGroupDescribeResponse.Assignment(self._io, self, self._root)
            self.is_classic = kafka_boolean.KafkaBoolean(self._io)
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.member_id._fetch_instances()
            self.instance_id._fetch_instances()
            self.rack_id._fetch_instances()
            self.client_id._fetch_instances()
            self.client_host._fetch_instances()
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

            self.assignment._fetch_instances()
            self.target_assignment._fetch_instances()
            self.is_classic._fetch_instances()
            self.tagged_fields._fetch_instances()


    class Subtopology(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupDescribeResponse.Subtopology, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.subtopology_id = kafka_string.KafkaString(True, False, self._io)
            self.num_source_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.source_topics = []
            for i in range(self.num_source_topics.value):
                self.source_topics.append(kafka_string.KafkaString(True, False, self._io))

            self.num_repartition_sink_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.repartition_sink_topics = []
            for i in range(self.num_repartition_sink_topics.value):
                self.repartition_sink_topics.append(kafka_string.KafkaString(True, False, self._io))

            self.num_state_changelog_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.state_changelog_topics = []
            for i in range(self.num_state_changelog_topics.value):
                self.state_changelog_topics.append(KafkaStreamsGroupDescribeResponse.TopicInfo(self._io, self, self._root))

            self.num_repartition_source_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.repartition_source_topics = []
            for i in range(self.num_repartition_source_topics.value):
                self.repartition_source_topics.append(KafkaStreamsGroupDescribeResponse.TopicInfo(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.subtopology_id._fetch_instances()
            self.num_source_topics._fetch_instances()
            for i in range(len(self.source_topics)):
                pass
                self.source_topics[i]._fetch_instances()

            self.num_repartition_sink_topics._fetch_instances()
            for i in range(len(self.repartition_sink_topics)):
                pass
                self.repartition_sink_topics[i]._fetch_instances()

            self.num_state_changelog_topics._fetch_instances()
            for i in range(len(self.state_changelog_topics)):
                pass
                self.state_changelog_topics[i]._fetch_instances()

            self.num_repartition_source_topics._fetch_instances()
            for i in range(len(self.repartition_source_topics)):
                pass
                self.repartition_source_topics[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class TaskIds(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupDescribeResponse.TaskIds, self).__init__(_io)
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
            super(KafkaStreamsGroupDescribeResponse.TaskOffset, self).__init__(_io)
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
            super(KafkaStreamsGroupDescribeResponse.TopicInfo, self).__init__(_io)
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
                self.topic_configs.append(KafkaStreamsGroupDescribeResponse.KeyValue(self._io, self, self._root))

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
            super(KafkaStreamsGroupDescribeResponse.Topology, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.epoch = self._io.read_s4be()
            self.num_subtopologies = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.subtopologies = []
            for i in range(self.num_subtopologies.value):
                self.subtopologies.append(KafkaStreamsGroupDescribeResponse.Subtopology(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_subtopologies._fetch_instances()
            for i in range(len(self.subtopologies)):
                pass
                self.subtopologies[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class TopologyDescription(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupDescribeResponse.TopologyDescription, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 1:
                pass
                self.num_subtopologies = kafka_array_length.KafkaArrayLength(True, False, self._io)

            if self._root.message_version >= 1:
                pass
                self.subtopologies = []
                for i in range(self.num_subtopologies.value):
                    self.subtopologies.append(KafkaStreamsGroupDescribeResponse.TopologyDescriptionSubtopology(self._io, self, self._root))


            if self._root.message_version >= 1:
                pass
                self.num_global_stores = kafka_array_length.KafkaArrayLength(True, False, self._io)

            if self._root.message_version >= 1:
                pass
                self.global_stores = []
                for i in range(self.num_global_stores.value):
                    self.global_stores.append(KafkaStreamsGroupDescribeResponse.TopologyDescriptionGlobalStore(self._io, self, self._root))


            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            if self._root.message_version >= 1:
                pass
                self.num_subtopologies._fetch_instances()

            if self._root.message_version >= 1:
                pass
                for i in range(len(self.subtopologies)):
                    pass
                    self.subtopologies[i]._fetch_instances()


            if self._root.message_version >= 1:
                pass
                self.num_global_stores._fetch_instances()

            if self._root.message_version >= 1:
                pass
                for i in range(len(self.global_stores)):
                    pass
                    self.global_stores[i]._fetch_instances()


            self.tagged_fields._fetch_instances()


    class TopologyDescriptionGlobalStore(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupDescribeResponse.TopologyDescriptionGlobalStore, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 1:
                pass
                self.source = KafkaStreamsGroupDescribeResponse.TopologyDescriptionNode(self._io, self, self._root)

            if self._root.message_version >= 1:
                pass
                self.processor = KafkaStreamsGroupDescribeResponse.TopologyDescriptionNode(self._io, self, self._root)

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            if self._root.message_version >= 1:
                pass
                self.source._fetch_instances()

            if self._root.message_version >= 1:
                pass
                self.processor._fetch_instances()

            self.tagged_fields._fetch_instances()


    class TopologyDescriptionNode(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupDescribeResponse.TopologyDescriptionNode, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 1:
                pass
                self.name = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 1:
                pass
                self.node_type = self._io.read_s1()

            if self._root.message_version >= 1:
                pass
                self.num_source_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)

            if self._root.message_version >= 1:
                pass
                self.source_topics = []
                for i in range(self.num_source_topics.value):
                    self.source_topics.append(kafka_string.KafkaString(True, False, self._io))


            if self._root.message_version >= 1:
                pass
                self.sink_topic = kafka_string.KafkaString(True, True, self._io)

            if self._root.message_version >= 1:
                pass
                self.num_stores = kafka_array_length.KafkaArrayLength(True, False, self._io)

            if self._root.message_version >= 1:
                pass
                self.stores = []
                for i in range(self.num_stores.value):
                    self.stores.append(kafka_string.KafkaString(True, False, self._io))


            if self._root.message_version >= 1:
                pass
                self.num_successors = kafka_array_length.KafkaArrayLength(True, False, self._io)

            if self._root.message_version >= 1:
                pass
                self.successors = []
                for i in range(self.num_successors.value):
                    self.successors.append(kafka_string.KafkaString(True, False, self._io))


            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            if self._root.message_version >= 1:
                pass
                self.name._fetch_instances()

            if self._root.message_version >= 1:
                pass

            if self._root.message_version >= 1:
                pass
                self.num_source_topics._fetch_instances()

            if self._root.message_version >= 1:
                pass
                for i in range(len(self.source_topics)):
                    pass
                    self.source_topics[i]._fetch_instances()


            if self._root.message_version >= 1:
                pass
                self.sink_topic._fetch_instances()

            if self._root.message_version >= 1:
                pass
                self.num_stores._fetch_instances()

            if self._root.message_version >= 1:
                pass
                for i in range(len(self.stores)):
                    pass
                    self.stores[i]._fetch_instances()


            if self._root.message_version >= 1:
                pass
                self.num_successors._fetch_instances()

            if self._root.message_version >= 1:
                pass
                for i in range(len(self.successors)):
                    pass
                    self.successors[i]._fetch_instances()


            self.tagged_fields._fetch_instances()


    class TopologyDescriptionSubtopology(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupDescribeResponse.TopologyDescriptionSubtopology, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 1:
                pass
                self.subtopology_id = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 1:
                pass
                self.num_nodes = kafka_array_length.KafkaArrayLength(True, False, self._io)

            if self._root.message_version >= 1:
                pass
                self.nodes = []
                for i in range(self.num_nodes.value):
                    self.nodes.append(KafkaStreamsGroupDescribeResponse.TopologyDescriptionNode(self._io, self, self._root))


            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            if self._root.message_version >= 1:
                pass
                self.subtopology_id._fetch_instances()

            if self._root.message_version >= 1:
                pass
                self.num_nodes._fetch_instances()

            if self._root.message_version >= 1:
                pass
                for i in range(len(self.nodes)):
                    pass
                    self.nodes[i]._fetch_instances()


            self.tagged_fields._fetch_instances()



