# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaConsumerGroupHeartbeatRequest(KaitaiStruct):
    """`ConsumerGroupHeartbeatRequest`: a request of the API with key 68, after its
    header (see `kafka_request`).
    
    .. seealso::
       ConsumerGroupHeartbeatRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ConsumerGroupHeartbeatRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaConsumerGroupHeartbeatRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.group_id = kafka_string.KafkaString(True, False, self._io)
        self.member_id = kafka_string.KafkaString(True, False, self._io)
        self.member_epoch = self._io.read_s4be()
        self.instance_id = kafka_string.KafkaString(True, True, self._io)
        self.rack_id = kafka_string.KafkaString(True, True, self._io)
        self.rebalance_timeout_ms = self._io.read_s4be()
        self.num_subscribed_topic_names = kafka_array_length.KafkaArrayLength(True, True, self._io)
        self.subscribed_topic_names = []
        for i in range(self.num_subscribed_topic_names.value):
            self.subscribed_topic_names.append(kafka_string.KafkaString(True, False, self._io))

        if self.message_version >= 1:
            pass
            self.subscribed_topic_regex = kafka_string.KafkaString(True, True, self._io)

        self.server_assignor = kafka_string.KafkaString(True, True, self._io)
        self.num_topic_partitions = kafka_array_length.KafkaArrayLength(True, True, self._io)
        self.topic_partitions = []
        for i in range(self.num_topic_partitions.value):
            self.topic_partitions.append(KafkaConsumerGroupHeartbeatRequest.TopicPartitions(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.group_id._fetch_instances()
        self.member_id._fetch_instances()
        self.instance_id._fetch_instances()
        self.rack_id._fetch_instances()
        self.num_subscribed_topic_names._fetch_instances()
        for i in range(len(self.subscribed_topic_names)):
            pass
            self.subscribed_topic_names[i]._fetch_instances()

        if self.message_version >= 1:
            pass
            self.subscribed_topic_regex._fetch_instances()

        self.server_assignor._fetch_instances()
        self.num_topic_partitions._fetch_instances()
        for i in range(len(self.topic_partitions)):
            pass
            self.topic_partitions[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class TopicPartitions(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerGroupHeartbeatRequest.TopicPartitions, self).__init__(_io)
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



