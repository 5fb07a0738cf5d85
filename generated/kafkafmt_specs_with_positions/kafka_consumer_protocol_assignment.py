# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_bytes
from . import kafka_string
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaConsumerProtocolAssignment(KaitaiStruct):
    """What a consumer of a classic group is to read, an `assignment` in
    `kafka_group_metadata_value`.
    
    .. seealso::
       ConsumerProtocolAssignment - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ConsumerProtocolAssignment.json
    """
    SEQ_FIELDS = ["message_version", "num_assigned_partitions", "assigned_partitions", "user_data"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaConsumerProtocolAssignment, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['message_version']['start'] = self._io.pos()
        self.message_version = self._io.read_s2be()
        self._debug['message_version']['end'] = self._io.pos()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        self._debug['num_assigned_partitions']['start'] = self._io.pos()
        self.num_assigned_partitions = kafka_array_length.KafkaArrayLength(False, False, self._io)
        self.num_assigned_partitions._read()
        self._debug['num_assigned_partitions']['end'] = self._io.pos()
        self._debug['assigned_partitions']['start'] = self._io.pos()
        self._debug['assigned_partitions']['arr'] = []
        self.assigned_partitions = []
        for i in range(self.num_assigned_partitions.value):
            self._debug['assigned_partitions']['arr'].append({'start': self._io.pos()})
            _t_assigned_partitions = KafkaConsumerProtocolAssignment.TopicPartition(self._io, self, self._root)
            try:
                _t_assigned_partitions._read()
            finally:
                self.assigned_partitions.append(_t_assigned_partitions)
            self._debug['assigned_partitions']['arr'][i]['end'] = self._io.pos()

        self._debug['assigned_partitions']['end'] = self._io.pos()
        self._debug['user_data']['start'] = self._io.pos()
        self.user_data = kafka_bytes.KafkaBytes(False, True, self._io)
        self.user_data._read()
        self._debug['user_data']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.num_assigned_partitions._fetch_instances()
        for i in range(len(self.assigned_partitions)):
            pass
            self.assigned_partitions[i]._fetch_instances()

        self.user_data._fetch_instances()

    class TopicPartition(KaitaiStruct):
        """Partitions of a topic."""
        SEQ_FIELDS = ["topic", "num_partitions", "partitions"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerProtocolAssignment.TopicPartition, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['topic']['start'] = self._io.pos()
            self.topic = kafka_string.KafkaString(False, False, self._io)
            self.topic._read()
            self._debug['topic']['end'] = self._io.pos()
            self._debug['num_partitions']['start'] = self._io.pos()
            self.num_partitions = kafka_array_length.KafkaArrayLength(False, False, self._io)
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


        def _fetch_instances(self):
            pass
            self.topic._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass




