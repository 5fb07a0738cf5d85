# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_tagged_fields
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaShareGroupTargetAssignmentMemberValue(KaitaiStruct):
    """What one member of a share group is meant to have.
    
    .. seealso::
       ShareGroupTargetAssignmentMemberValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupTargetAssignmentMemberValue.json
    """
    SEQ_FIELDS = ["message_version", "num_topic_partitions", "topic_partitions", "tagged_fields"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaShareGroupTargetAssignmentMemberValue, self).__init__(_io)
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
        self._debug['num_topic_partitions']['start'] = self._io.pos()
        self.num_topic_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_topic_partitions._read()
        self._debug['num_topic_partitions']['end'] = self._io.pos()
        self._debug['topic_partitions']['start'] = self._io.pos()
        self._debug['topic_partitions']['arr'] = []
        self.topic_partitions = []
        for i in range(self.num_topic_partitions.value):
            self._debug['topic_partitions']['arr'].append({'start': self._io.pos()})
            _t_topic_partitions = KafkaShareGroupTargetAssignmentMemberValue.TopicPartition(self._io, self, self._root)
            try:
                _t_topic_partitions._read()
            finally:
                self.topic_partitions.append(_t_topic_partitions)
            self._debug['topic_partitions']['arr'][i]['end'] = self._io.pos()

        self._debug['topic_partitions']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.num_topic_partitions._fetch_instances()
        for i in range(len(self.topic_partitions)):
            pass
            self.topic_partitions[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class TopicPartition(KaitaiStruct):
        """Partitions of a topic."""
        SEQ_FIELDS = ["topic_id", "num_partitions", "partitions", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareGroupTargetAssignmentMemberValue.TopicPartition, self).__init__(_io)
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



