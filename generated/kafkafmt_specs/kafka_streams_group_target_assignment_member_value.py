# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaStreamsGroupTargetAssignmentMemberValue(KaitaiStruct):
    """Target assignment of a member of a streams group.
    
    .. seealso::
       StreamsGroupTargetAssignmentMemberValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupTargetAssignmentMemberValue.json
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaStreamsGroupTargetAssignmentMemberValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.message_version = self._io.read_s2be()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        if not self.message_version <= 0:
            raise kaitaistruct.ValidationGreaterThanError(0, self.message_version, self._io, u"/seq/0")
        self.num_active_tasks = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.active_tasks = []
        for i in range(self.num_active_tasks.value):
            self.active_tasks.append(KafkaStreamsGroupTargetAssignmentMemberValue.TaskIds(self._io, self, self._root))

        self.num_standby_tasks = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.standby_tasks = []
        for i in range(self.num_standby_tasks.value):
            self.standby_tasks.append(KafkaStreamsGroupTargetAssignmentMemberValue.TaskIds(self._io, self, self._root))

        self.num_warmup_tasks = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.warmup_tasks = []
        for i in range(self.num_warmup_tasks.value):
            self.warmup_tasks.append(KafkaStreamsGroupTargetAssignmentMemberValue.TaskIds(self._io, self, self._root))

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

    class TaskIds(KaitaiStruct):
        """Tasks of a part of the topology, one for each partition."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupTargetAssignmentMemberValue.TaskIds, self).__init__(_io)
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



