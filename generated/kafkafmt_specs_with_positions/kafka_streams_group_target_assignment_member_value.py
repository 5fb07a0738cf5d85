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

class KafkaStreamsGroupTargetAssignmentMemberValue(KaitaiStruct):
    """What one member of a streams group is meant to run.
    
    .. seealso::
       StreamsGroupTargetAssignmentMemberValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupTargetAssignmentMemberValue.json
    """
    SEQ_FIELDS = ["message_version", "num_active_tasks", "active_tasks", "num_standby_tasks", "standby_tasks", "num_warmup_tasks", "warmup_tasks", "tagged_fields"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaStreamsGroupTargetAssignmentMemberValue, self).__init__(_io)
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
        self._debug['num_active_tasks']['start'] = self._io.pos()
        self.num_active_tasks = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_active_tasks._read()
        self._debug['num_active_tasks']['end'] = self._io.pos()
        self._debug['active_tasks']['start'] = self._io.pos()
        self._debug['active_tasks']['arr'] = []
        self.active_tasks = []
        for i in range(self.num_active_tasks.value):
            self._debug['active_tasks']['arr'].append({'start': self._io.pos()})
            _t_active_tasks = KafkaStreamsGroupTargetAssignmentMemberValue.TaskIds(self._io, self, self._root)
            try:
                _t_active_tasks._read()
            finally:
                self.active_tasks.append(_t_active_tasks)
            self._debug['active_tasks']['arr'][i]['end'] = self._io.pos()

        self._debug['active_tasks']['end'] = self._io.pos()
        self._debug['num_standby_tasks']['start'] = self._io.pos()
        self.num_standby_tasks = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_standby_tasks._read()
        self._debug['num_standby_tasks']['end'] = self._io.pos()
        self._debug['standby_tasks']['start'] = self._io.pos()
        self._debug['standby_tasks']['arr'] = []
        self.standby_tasks = []
        for i in range(self.num_standby_tasks.value):
            self._debug['standby_tasks']['arr'].append({'start': self._io.pos()})
            _t_standby_tasks = KafkaStreamsGroupTargetAssignmentMemberValue.TaskIds(self._io, self, self._root)
            try:
                _t_standby_tasks._read()
            finally:
                self.standby_tasks.append(_t_standby_tasks)
            self._debug['standby_tasks']['arr'][i]['end'] = self._io.pos()

        self._debug['standby_tasks']['end'] = self._io.pos()
        self._debug['num_warmup_tasks']['start'] = self._io.pos()
        self.num_warmup_tasks = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_warmup_tasks._read()
        self._debug['num_warmup_tasks']['end'] = self._io.pos()
        self._debug['warmup_tasks']['start'] = self._io.pos()
        self._debug['warmup_tasks']['arr'] = []
        self.warmup_tasks = []
        for i in range(self.num_warmup_tasks.value):
            self._debug['warmup_tasks']['arr'].append({'start': self._io.pos()})
            _t_warmup_tasks = KafkaStreamsGroupTargetAssignmentMemberValue.TaskIds(self._io, self, self._root)
            try:
                _t_warmup_tasks._read()
            finally:
                self.warmup_tasks.append(_t_warmup_tasks)
            self._debug['warmup_tasks']['arr'][i]['end'] = self._io.pos()

        self._debug['warmup_tasks']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


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

    class TaskIds(KaitaiStruct):
        """Tasks of a part of the topology, one for each partition."""
        SEQ_FIELDS = ["subtopology_id", "num_partitions", "partitions", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupTargetAssignmentMemberValue.TaskIds, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['subtopology_id']['start'] = self._io.pos()
            self.subtopology_id = kafka_string.KafkaString(True, False, self._io)
            self.subtopology_id._read()
            self._debug['subtopology_id']['end'] = self._io.pos()
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
            self.subtopology_id._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass

            self.tagged_fields._fetch_instances()



