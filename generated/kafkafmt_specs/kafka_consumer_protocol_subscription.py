# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_bytes
from . import kafka_string


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaConsumerProtocolSubscription(KaitaiStruct):
    """Subscription that a consumer of a classic group sends when it joins,
    `subscription` in `kafka_group_metadata_value`.
    
    .. seealso::
       ConsumerProtocolSubscription - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ConsumerProtocolSubscription.json
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaConsumerProtocolSubscription, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.message_version = self._io.read_s2be()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        self.num_topics = kafka_array_length.KafkaArrayLength(False, False, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(kafka_string.KafkaString(False, False, self._io))

        self.user_data = kafka_bytes.KafkaBytes(False, True, self._io)
        if self.message_version >= 1:
            pass
            self.num_owned_partitions = kafka_array_length.KafkaArrayLength(False, False, self._io)

        if self.message_version >= 1:
            pass
            self.owned_partitions = []
            for i in range(self.num_owned_partitions.value):
                self.owned_partitions.append(KafkaConsumerProtocolSubscription.TopicPartition(self._io, self, self._root))


        if self.message_version >= 2:
            pass
            self.generation_id = self._io.read_s4be()

        if self.message_version >= 3:
            pass
            self.rack_id = kafka_string.KafkaString(False, True, self._io)



    def _fetch_instances(self):
        pass
        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        self.user_data._fetch_instances()
        if self.message_version >= 1:
            pass
            self.num_owned_partitions._fetch_instances()

        if self.message_version >= 1:
            pass
            for i in range(len(self.owned_partitions)):
                pass
                self.owned_partitions[i]._fetch_instances()


        if self.message_version >= 2:
            pass

        if self.message_version >= 3:
            pass
            self.rack_id._fetch_instances()


    class TopicPartition(KaitaiStruct):
        """Partitions of a topic."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerProtocolSubscription.TopicPartition, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 1:
                pass
                self.topic = kafka_string.KafkaString(False, False, self._io)

            if self._root.message_version >= 1:
                pass
                self.num_partitions = kafka_array_length.KafkaArrayLength(False, False, self._io)

            if self._root.message_version >= 1:
                pass
                self.partitions = []
                for i in range(self.num_partitions.value):
                    self.partitions.append(self._io.read_s4be())




        def _fetch_instances(self):
            pass
            if self._root.message_version >= 1:
                pass
                self.topic._fetch_instances()

            if self._root.message_version >= 1:
                pass
                self.num_partitions._fetch_instances()

            if self._root.message_version >= 1:
                pass
                for i in range(len(self.partitions)):
                    pass





