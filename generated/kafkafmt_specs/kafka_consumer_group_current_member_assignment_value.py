# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_tagged_fields
from . import kafka_unsigned_varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaConsumerGroupCurrentMemberAssignmentValue(KaitaiStruct):
    """Current assignment of a member of a consumer group of the new protocol, on its
    way to the target assignment.
    
    .. seealso::
       ConsumerGroupCurrentMemberAssignmentValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupCurrentMemberAssignmentValue.json
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaConsumerGroupCurrentMemberAssignmentValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.message_version = self._io.read_s2be()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        if not self.message_version <= 0:
            raise kaitaistruct.ValidationGreaterThanError(0, self.message_version, self._io, u"/seq/0")
        self.member_epoch = self._io.read_s4be()
        self.previous_member_epoch = self._io.read_s4be()
        self.state = self._io.read_s1()
        self.num_assigned_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.assigned_partitions = []
        for i in range(self.num_assigned_partitions.value):
            self.assigned_partitions.append(KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitions(self._io, self, self._root))

        self.num_partitions_pending_revocation = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.partitions_pending_revocation = []
        for i in range(self.num_partitions_pending_revocation.value):
            self.partitions_pending_revocation.append(KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitions(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


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
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitions, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic_id = self._io.read_bytes(16)
            self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(self._io.read_s4be())

            self.tagged_fields = KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitionsTaggedFields(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass

            self.tagged_fields._fetch_instances()


    class TopicPartitionsAssignmentEpochsTag(KaitaiStruct):
        """Field of tag 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitionsAssignmentEpochsTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_assignment_epochs = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.assignment_epochs = []
            for i in range(self.num_assignment_epochs.value):
                self.assignment_epochs.append(self._io.read_s4be())

            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.num_assignment_epochs._fetch_instances()
            for i in range(len(self.assignment_epochs)):
                pass

            if (not (self._io.is_eof())):
                pass



    class TopicPartitionsTaggedField(KaitaiStruct):
        """A field that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitionsTaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_data = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitionsAssignmentEpochsTag(_io__raw_data, self, self._root)
            else:
                pass
                self.data = self._io.read_bytes(self.len_data.value)


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
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitionsTaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.fields = []
            for i in range(self.num_fields.value):
                self.fields.append(KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitionsTaggedField(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()




