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

class KafkaStreamsGroupHeartbeatResponse(KaitaiStruct):
    """`StreamsGroupHeartbeatResponse`: a response of the API with key 88, after its
    header (see `kafka_response`).
    
    .. seealso::
       StreamsGroupHeartbeatResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/StreamsGroupHeartbeatResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaStreamsGroupHeartbeatResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.throttle_time_ms = self._io.read_s4be()
        self.error_code = self._io.read_s2be()
        self.error_message = kafka_string.KafkaString(True, True, self._io)
        self.member_id = kafka_string.KafkaString(True, False, self._io)
        self.member_epoch = self._io.read_s4be()
        self.heartbeat_interval_ms = self._io.read_s4be()
        if self.message_version <= 0:
            pass
            self.acceptable_recovery_lag_legacy = self._io.read_s4be()

        self.task_offset_interval_ms = self._io.read_s4be()
        if self.message_version >= 1:
            pass
            self.acceptable_recovery_lag = self._io.read_s8be()

        self.num_status = kafka_array_length.KafkaArrayLength(True, True, self._io)
        self.status = []
        for i in range(self.num_status.value):
            self.status.append(KafkaStreamsGroupHeartbeatResponse.Status(self._io, self, self._root))

        self.num_active_tasks = kafka_array_length.KafkaArrayLength(True, True, self._io)
        self.active_tasks = []
        for i in range(self.num_active_tasks.value):
            self.active_tasks.append(KafkaStreamsGroupHeartbeatResponse.TaskIds(self._io, self, self._root))

        self.num_standby_tasks = kafka_array_length.KafkaArrayLength(True, True, self._io)
        self.standby_tasks = []
        for i in range(self.num_standby_tasks.value):
            self.standby_tasks.append(KafkaStreamsGroupHeartbeatResponse.TaskIds(self._io, self, self._root))

        self.num_warmup_tasks = kafka_array_length.KafkaArrayLength(True, True, self._io)
        self.warmup_tasks = []
        for i in range(self.num_warmup_tasks.value):
            self.warmup_tasks.append(KafkaStreamsGroupHeartbeatResponse.TaskIds(self._io, self, self._root))

        if self.message_version >= 1:
            pass
            self.topology_description_required = kafka_boolean.KafkaBoolean(self._io)

        self.endpoint_information_epoch = self._io.read_s4be()
        self.num_partitions_by_user_endpoint = kafka_array_length.KafkaArrayLength(True, True, self._io)
        self.partitions_by_user_endpoint = []
        for i in range(self.num_partitions_by_user_endpoint.value):
            self.partitions_by_user_endpoint.append(KafkaStreamsGroupHeartbeatResponse.EndpointToPartitions(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.error_message._fetch_instances()
        self.member_id._fetch_instances()
        if self.message_version <= 0:
            pass

        if self.message_version >= 1:
            pass

        self.num_status._fetch_instances()
        for i in range(len(self.status)):
            pass
            self.status[i]._fetch_instances()

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

        if self.message_version >= 1:
            pass
            self.topology_description_required._fetch_instances()

        self.num_partitions_by_user_endpoint._fetch_instances()
        for i in range(len(self.partitions_by_user_endpoint)):
            pass
            self.partitions_by_user_endpoint[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class Endpoint(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupHeartbeatResponse.Endpoint, self).__init__(_io)
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


    class EndpointToPartitions(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupHeartbeatResponse.EndpointToPartitions, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.user_endpoint = KafkaStreamsGroupHeartbeatResponse.Endpoint(self._io, self, self._root)
            self.num_active_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.active_partitions = []
            for i in range(self.num_active_partitions.value):
                self.active_partitions.append(KafkaStreamsGroupHeartbeatResponse.TopicPartition(self._io, self, self._root))

            self.num_standby_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.standby_partitions = []
            for i in range(self.num_standby_partitions.value):
                self.standby_partitions.append(KafkaStreamsGroupHeartbeatResponse.TopicPartition(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.user_endpoint._fetch_instances()
            self.num_active_partitions._fetch_instances()
            for i in range(len(self.active_partitions)):
                pass
                self.active_partitions[i]._fetch_instances()

            self.num_standby_partitions._fetch_instances()
            for i in range(len(self.standby_partitions)):
                pass
                self.standby_partitions[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class Status(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupHeartbeatResponse.Status, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.status_code = self._io.read_s1()
            self.status_detail = kafka_string.KafkaString(True, False, self._io)
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.status_detail._fetch_instances()
            self.tagged_fields._fetch_instances()


    class TaskIds(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupHeartbeatResponse.TaskIds, self).__init__(_io)
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


    class TopicPartition(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupHeartbeatResponse.TopicPartition, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic = kafka_string.KafkaString(True, False, self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(self._io.read_s4be())

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.topic._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass

            self.tagged_fields._fetch_instances()



