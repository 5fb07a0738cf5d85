# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_bytes
from . import kafka_string


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaConsumerProtocolAssignment(KaitaiStruct):
    """Partitions that a consumer of a classic group is to read, `assignment` in
    `kafka_group_metadata_value`.
    
    .. seealso::
       ConsumerProtocolAssignment - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ConsumerProtocolAssignment.json
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaConsumerProtocolAssignment, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.message_version = self._io.read_s2be()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        self.num_assigned_partitions = kafka_array_length.KafkaArrayLength(False, False, self._io)
        self.assigned_partitions = []
        for i in range(self.num_assigned_partitions.value):
            self.assigned_partitions.append(KafkaConsumerProtocolAssignment.TopicPartition(self._io, self, self._root))

        self.user_data = kafka_bytes.KafkaBytes(False, True, self._io)


    def _fetch_instances(self):
        pass
        self.num_assigned_partitions._fetch_instances()
        for i in range(len(self.assigned_partitions)):
            pass
            self.assigned_partitions[i]._fetch_instances()

        self.user_data._fetch_instances()

    class TopicPartition(KaitaiStruct):
        """Partitions of a topic."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerProtocolAssignment.TopicPartition, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic = kafka_string.KafkaString(False, False, self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(False, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(self._io.read_s4be())



        def _fetch_instances(self):
            pass
            self.topic._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass




