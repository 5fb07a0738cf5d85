# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_tagged_fields
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaShareGroupCurrentMemberAssignmentValue(KaitaiStruct):
    """What one member of a share group has.
    
    .. seealso::
       ShareGroupCurrentMemberAssignmentValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupCurrentMemberAssignmentValue.json
    """
    SEQ_FIELDS = ["message_version", "member_epoch", "previous_member_epoch", "state", "num_assigned_partitions", "assigned_partitions", "tagged_fields"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaShareGroupCurrentMemberAssignmentValue, self).__init__(_io)
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
        self._debug['member_epoch']['start'] = self._io.pos()
        self.member_epoch = self._io.read_s4be()
        self._debug['member_epoch']['end'] = self._io.pos()
        self._debug['previous_member_epoch']['start'] = self._io.pos()
        self.previous_member_epoch = self._io.read_s4be()
        self._debug['previous_member_epoch']['end'] = self._io.pos()
        self._debug['state']['start'] = self._io.pos()
        self.state = self._io.read_s1()
        self._debug['state']['end'] = self._io.pos()
        self._debug['num_assigned_partitions']['start'] = self._io.pos()
        self.num_assigned_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_assigned_partitions._read()
        self._debug['num_assigned_partitions']['end'] = self._io.pos()
        self._debug['assigned_partitions']['start'] = self._io.pos()
        self._debug['assigned_partitions']['arr'] = []
        self.assigned_partitions = []
        for i in range(self.num_assigned_partitions.value):
            self._debug['assigned_partitions']['arr'].append({'start': self._io.pos()})
            _t_assigned_partitions = KafkaShareGroupCurrentMemberAssignmentValue.TopicPartitions(self._io, self, self._root)
            try:
                _t_assigned_partitions._read()
            finally:
                self.assigned_partitions.append(_t_assigned_partitions)
            self._debug['assigned_partitions']['arr'][i]['end'] = self._io.pos()

        self._debug['assigned_partitions']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.num_assigned_partitions._fetch_instances()
        for i in range(len(self.assigned_partitions)):
            pass
            self.assigned_partitions[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class TopicPartitions(KaitaiStruct):
        """Partitions of a topic."""
        SEQ_FIELDS = ["topic_id", "num_partitions", "partitions", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareGroupCurrentMemberAssignmentValue.TopicPartitions, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['topic_id']['start'] = self._io.pos()
            self.topic_id = self._io.read_bytes(16)
            self._debug['topic_id']['end'] = self._io.pos()
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
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass

            self.tagged_fields._fetch_instances()



