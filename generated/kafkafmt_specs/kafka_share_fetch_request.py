# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_boolean
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaShareFetchRequest(KaitaiStruct):
    """`ShareFetchRequest`: a request of the API with key 78, after its header (see
    `kafka_request`).
    
    .. seealso::
       ShareFetchRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ShareFetchRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaShareFetchRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.group_id = kafka_string.KafkaString(True, True, self._io)
        self.member_id = kafka_string.KafkaString(True, True, self._io)
        self.share_session_epoch = self._io.read_s4be()
        self.max_wait_ms = self._io.read_s4be()
        self.min_bytes = self._io.read_s4be()
        self.max_bytes = self._io.read_s4be()
        self.max_records = self._io.read_s4be()
        self.batch_size = self._io.read_s4be()
        if self.message_version >= 2:
            pass
            self.share_acquire_mode = self._io.read_s1()

        if self.message_version >= 2:
            pass
            self.is_renew_ack = kafka_boolean.KafkaBoolean(self._io)

        self.num_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(KafkaShareFetchRequest.FetchTopic(self._io, self, self._root))

        self.num_forgotten_topics_data = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.forgotten_topics_data = []
        for i in range(self.num_forgotten_topics_data.value):
            self.forgotten_topics_data.append(KafkaShareFetchRequest.ForgottenTopic(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.group_id._fetch_instances()
        self.member_id._fetch_instances()
        if self.message_version >= 2:
            pass

        if self.message_version >= 2:
            pass
            self.is_renew_ack._fetch_instances()

        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        self.num_forgotten_topics_data._fetch_instances()
        for i in range(len(self.forgotten_topics_data)):
            pass
            self.forgotten_topics_data[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class AcknowledgementBatch(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareFetchRequest.AcknowledgementBatch, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.first_offset = self._io.read_s8be()
            self.last_offset = self._io.read_s8be()
            self.num_acknowledge_types = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.acknowledge_types = []
            for i in range(self.num_acknowledge_types.value):
                self.acknowledge_types.append(self._io.read_s1())

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_acknowledge_types._fetch_instances()
            for i in range(len(self.acknowledge_types)):
                pass

            self.tagged_fields._fetch_instances()


    class FetchPartition(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareFetchRequest.FetchPartition, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition_index = self._io.read_s4be()
            self.num_acknowledgement_batches = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.acknowledgement_batches = []
            for i in range(self.num_acknowledgement_batches.value):
                self.acknowledgement_batches.append(KafkaShareFetchRequest.AcknowledgementBatch(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_acknowledgement_batches._fetch_instances()
            for i in range(len(self.acknowledgement_batches)):
                pass
                self.acknowledgement_batches[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class FetchTopic(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareFetchRequest.FetchTopic, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic_id = self._io.read_bytes(16)
            self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaShareFetchRequest.FetchPartition(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class ForgottenTopic(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareFetchRequest.ForgottenTopic, self).__init__(_io)
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



