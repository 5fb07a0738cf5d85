# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaConsumerGroupTargetAssignmentMemberValue(KaitaiStruct):
    """Target assignment of a member of a consumer group of the new protocol.
    
    .. seealso::
       ConsumerGroupTargetAssignmentMemberValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupTargetAssignmentMemberValue.json
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaConsumerGroupTargetAssignmentMemberValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.message_version = self._io.read_s2be()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        if not self.message_version <= 0:
            raise kaitaistruct.ValidationGreaterThanError(0, self.message_version, self._io, u"/seq/0")
        self.num_topic_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.topic_partitions = []
        for i in range(self.num_topic_partitions.value):
            self.topic_partitions.append(KafkaConsumerGroupTargetAssignmentMemberValue.TopicPartition(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_topic_partitions._fetch_instances()
        for i in range(len(self.topic_partitions)):
            pass
            self.topic_partitions[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class TopicPartition(KaitaiStruct):
        """Partitions of a topic."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupTargetAssignmentMemberValue.TopicPartition, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic_id = self._io.read_bytes(16)
            self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(self._io.read_s4be())

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass

            self.tagged_fields._fetch_instances()



