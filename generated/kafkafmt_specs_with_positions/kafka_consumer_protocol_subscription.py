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

class KafkaConsumerProtocolSubscription(KaitaiStruct):
    """What a consumer of a classic group tells when it joins, a `subscription` in
    `kafka_group_metadata_value`.
    
    .. seealso::
       ConsumerProtocolSubscription - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ConsumerProtocolSubscription.json
    """
    SEQ_FIELDS = ["message_version", "num_topics", "topics", "user_data", "num_owned_partitions", "owned_partitions", "generation_id", "rack_id"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaConsumerProtocolSubscription, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['message_version']['start'] = self._io.pos()
        self.message_version = self._io.read_s2be()
        self._debug['message_version']['end'] = self._io.pos()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        self._debug['num_topics']['start'] = self._io.pos()
        self.num_topics = kafka_array_length.KafkaArrayLength(False, False, self._io)
        self.num_topics._read()
        self._debug['num_topics']['end'] = self._io.pos()
        self._debug['topics']['start'] = self._io.pos()
        self._debug['topics']['arr'] = []
        self.topics = []
        for i in range(self.num_topics.value):
            self._debug['topics']['arr'].append({'start': self._io.pos()})
            _t_topics = kafka_string.KafkaString(False, False, self._io)
            try:
                _t_topics._read()
            finally:
                self.topics.append(_t_topics)
            self._debug['topics']['arr'][i]['end'] = self._io.pos()

        self._debug['topics']['end'] = self._io.pos()
        self._debug['user_data']['start'] = self._io.pos()
        self.user_data = kafka_bytes.KafkaBytes(False, True, self._io)
        self.user_data._read()
        self._debug['user_data']['end'] = self._io.pos()
        if self.message_version >= 1:
            pass
            self._debug['num_owned_partitions']['start'] = self._io.pos()
            self.num_owned_partitions = kafka_array_length.KafkaArrayLength(False, False, self._io)
            self.num_owned_partitions._read()
            self._debug['num_owned_partitions']['end'] = self._io.pos()

        if self.message_version >= 1:
            pass
            self._debug['owned_partitions']['start'] = self._io.pos()
            self._debug['owned_partitions']['arr'] = []
            self.owned_partitions = []
            for i in range(self.num_owned_partitions.value):
                self._debug['owned_partitions']['arr'].append({'start': self._io.pos()})
                _t_owned_partitions = KafkaConsumerProtocolSubscription.TopicPartition(self._io, self, self._root)
                try:
                    _t_owned_partitions._read()
                finally:
                    self.owned_partitions.append(_t_owned_partitions)
                self._debug['owned_partitions']['arr'][i]['end'] = self._io.pos()

            self._debug['owned_partitions']['end'] = self._io.pos()

        if self.message_version >= 2:
            pass
            self._debug['generation_id']['start'] = self._io.pos()
            self.generation_id = self._io.read_s4be()
            self._debug['generation_id']['end'] = self._io.pos()

        if self.message_version >= 3:
            pass
            self._debug['rack_id']['start'] = self._io.pos()
            self.rack_id = kafka_string.KafkaString(False, True, self._io)
            self.rack_id._read()
            self._debug['rack_id']['end'] = self._io.pos()



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
        SEQ_FIELDS = ["topic", "num_partitions", "partitions"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaConsumerProtocolSubscription.TopicPartition, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            if self._root.message_version >= 1:
                pass
                self._debug['topic']['start'] = self._io.pos()
                self.topic = kafka_string.KafkaString(False, False, self._io)
                self.topic._read()
                self._debug['topic']['end'] = self._io.pos()

            if self._root.message_version >= 1:
                pass
                self._debug['num_partitions']['start'] = self._io.pos()
                self.num_partitions = kafka_array_length.KafkaArrayLength(False, False, self._io)
                self.num_partitions._read()
                self._debug['num_partitions']['end'] = self._io.pos()

            if self._root.message_version >= 1:
                pass
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





