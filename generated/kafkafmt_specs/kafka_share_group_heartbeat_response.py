# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaShareGroupHeartbeatResponse(KaitaiStruct):
    """`ShareGroupHeartbeatResponse`: a response of the API with key 76, after its
    header (see `kafka_response`).
    
    .. seealso::
       ShareGroupHeartbeatResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ShareGroupHeartbeatResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaShareGroupHeartbeatResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.throttle_time_ms = self._io.read_s4be()
        self.error_code = self._io.read_s2be()
        self.error_message = kafka_string.KafkaString(True, True, self._io)
        self.member_id = kafka_string.KafkaString(True, True, self._io)
        self.member_epoch = self._io.read_s4be()
        self.heartbeat_interval_ms = self._io.read_s4be()
        self.is_assignment_present = self._io.read_s1()
        if self.is_assignment_present >= 0:
            pass
            self.assignment = KafkaShareGroupHeartbeatResponse.Assignment(self._io, self, self._root)

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.error_message._fetch_instances()
        self.member_id._fetch_instances()
        if self.is_assignment_present >= 0:
            pass
            self.assignment._fetch_instances()

        self.tagged_fields._fetch_instances()

    class Assignment(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareGroupHeartbeatResponse.Assignment, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_topic_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.topic_partitions = []
            for i in range(self.num_topic_partitions.value):
                self.topic_partitions.append(KafkaShareGroupHeartbeatResponse.TopicPartitions(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_topic_partitions._fetch_instances()
            for i in range(len(self.topic_partitions)):
                pass
                self.topic_partitions[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class TopicPartitions(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareGroupHeartbeatResponse.TopicPartitions, self).__init__(_io)
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



