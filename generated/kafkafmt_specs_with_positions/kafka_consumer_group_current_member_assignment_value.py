# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_tagged_fields
from . import kafka_unsigned_varint
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaConsumerGroupCurrentMemberAssignmentValue(KaitaiStruct):
    """What one member of a consumer group of the new protocol has, on its way to
    what it is meant to have.
    
    .. seealso::
       ConsumerGroupCurrentMemberAssignmentValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupCurrentMemberAssignmentValue.json
    """
    SEQ_FIELDS = ["message_version", "member_epoch", "previous_member_epoch", "state", "num_assigned_partitions", "assigned_partitions", "num_partitions_pending_revocation", "partitions_pending_revocation", "tagged_fields"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaConsumerGroupCurrentMemberAssignmentValue, self).__init__(_io)
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
            _t_assigned_partitions = KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitions(self._io, self, self._root)
            try:
                _t_assigned_partitions._read()
            finally:
                self.assigned_partitions.append(_t_assigned_partitions)
            self._debug['assigned_partitions']['arr'][i]['end'] = self._io.pos()

        self._debug['assigned_partitions']['end'] = self._io.pos()
        self._debug['num_partitions_pending_revocation']['start'] = self._io.pos()
        self.num_partitions_pending_revocation = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_partitions_pending_revocation._read()
        self._debug['num_partitions_pending_revocation']['end'] = self._io.pos()
        self._debug['partitions_pending_revocation']['start'] = self._io.pos()
        self._debug['partitions_pending_revocation']['arr'] = []
        self.partitions_pending_revocation = []
        for i in range(self.num_partitions_pending_revocation.value):
            self._debug['partitions_pending_revocation']['arr'].append({'start': self._io.pos()})
            _t_partitions_pending_revocation = KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitions(self._io, self, self._root)
            try:
                _t_partitions_pending_revocation._read()
            finally:
                self.partitions_pending_revocation.append(_t_partitions_pending_revocation)
            self._debug['partitions_pending_revocation']['arr'][i]['end'] = self._io.pos()

        self._debug['partitions_pending_revocation']['end'] = self._io.pos()
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

        self.num_partitions_pending_revocation._fetch_instances()
        for i in range(len(self.partitions_pending_revocation)):
            pass
            self.partitions_pending_revocation[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class TopicPartitions(KaitaiStruct):
        """Partitions of a topic."""
        SEQ_FIELDS = ["topic_id", "num_partitions", "partitions", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitions, self).__init__(_io)
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
            self.tagged_fields = KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitionsTaggedFields(self._io, self, self._root)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass

            self.tagged_fields._fetch_instances()


    class TopicPartitionsAssignmentEpochsTag(KaitaiStruct):
        """Field of tag 0."""
        SEQ_FIELDS = ["num_assignment_epochs", "assignment_epochs", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitionsAssignmentEpochsTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['num_assignment_epochs']['start'] = self._io.pos()
            self.num_assignment_epochs = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.num_assignment_epochs._read()
            self._debug['num_assignment_epochs']['end'] = self._io.pos()
            self._debug['assignment_epochs']['start'] = self._io.pos()
            self._debug['assignment_epochs']['arr'] = []
            self.assignment_epochs = []
            for i in range(self.num_assignment_epochs.value):
                self._debug['assignment_epochs']['arr'].append({'start': self._io.pos()})
                self.assignment_epochs.append(self._io.read_s4be())
                self._debug['assignment_epochs']['arr'][i]['end'] = self._io.pos()

            self._debug['assignment_epochs']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            self.num_assignment_epochs._fetch_instances()
            for i in range(len(self.assignment_epochs)):
                pass

            if (not (self._io.is_eof())):
                pass



    class TopicPartitionsTaggedField(KaitaiStruct):
        """A field that may be missing."""
        SEQ_FIELDS = ["tag", "len_data", "data"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitionsTaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['tag']['start'] = self._io.pos()
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.tag._read()
            self._debug['tag']['end'] = self._io.pos()
            self._debug['len_data']['start'] = self._io.pos()
            self.len_data = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_data._read()
            self._debug['len_data']['end'] = self._io.pos()
            self._debug['data']['start'] = self._io.pos()
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitionsAssignmentEpochsTag(_io__raw_data, self, self._root)
                self.data._read()
            else:
                pass
                self.data = self._io.read_bytes(self.len_data.value)
            self._debug['data']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.tag._fetch_instances()
            self.len_data._fetch_instances()
            _on = self.tag.value
            if _on == 0:
                pass
                self.data._fetch_instances()
            else:
                pass


    class TopicPartitionsTaggedFields(KaitaiStruct):
        """Fields that may be missing (KIP-482)."""
        SEQ_FIELDS = ["num_fields", "fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitionsTaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['num_fields']['start'] = self._io.pos()
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.num_fields._read()
            self._debug['num_fields']['end'] = self._io.pos()
            self._debug['fields']['start'] = self._io.pos()
            self._debug['fields']['arr'] = []
            self.fields = []
            for i in range(self.num_fields.value):
                self._debug['fields']['arr'].append({'start': self._io.pos()})
                _t_fields = KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitionsTaggedField(self._io, self, self._root)
                try:
                    _t_fields._read()
                finally:
                    self.fields.append(_t_fields)
                self._debug['fields']['arr'][i]['end'] = self._io.pos()

            self._debug['fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()




