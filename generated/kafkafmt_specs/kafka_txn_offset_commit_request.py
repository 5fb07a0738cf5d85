# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaTxnOffsetCommitRequest(KaitaiStruct):
    """`TxnOffsetCommitRequest`: a request of the API with key 28, after its header
    (see `kafka_request`).
    
    .. seealso::
       TxnOffsetCommitRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/TxnOffsetCommitRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaTxnOffsetCommitRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.transactional_id = kafka_string.KafkaString(self.message_version >= 3, False, self._io)
        self.group_id = kafka_string.KafkaString(self.message_version >= 3, False, self._io)
        self.producer_id = self._io.read_s8be()
        self.producer_epoch = self._io.read_s2be()
        if self.message_version >= 3:
            pass
            self.generation_id_or_member_epoch = self._io.read_s4be()

        if self.message_version >= 3:
            pass
            self.member_id = kafka_string.KafkaString(True, False, self._io)

        if self.message_version >= 3:
            pass
            self.group_instance_id = kafka_string.KafkaString(True, True, self._io)

        self.num_topics = kafka_array_length.KafkaArrayLength(self.message_version >= 3, False, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(KafkaTxnOffsetCommitRequest.TxnOffsetCommitRequestTopic(self._io, self, self._root))

        if self.message_version >= 3:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.transactional_id._fetch_instances()
        self.group_id._fetch_instances()
        if self.message_version >= 3:
            pass

        if self.message_version >= 3:
            pass
            self.member_id._fetch_instances()

        if self.message_version >= 3:
            pass
            self.group_instance_id._fetch_instances()

        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        if self.message_version >= 3:
            pass
            self.tagged_fields._fetch_instances()


    class TxnOffsetCommitRequestPartition(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaTxnOffsetCommitRequest.TxnOffsetCommitRequestPartition, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition_index = self._io.read_s4be()
            self.committed_offset = self._io.read_s8be()
            if self._root.message_version >= 2:
                pass
                self.committed_leader_epoch = self._io.read_s4be()

            self.committed_metadata = kafka_string.KafkaString(self._root.message_version >= 3, True, self._io)
            if self._root.message_version >= 3:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 2:
                pass

            self.committed_metadata._fetch_instances()
            if self._root.message_version >= 3:
                pass
                self.tagged_fields._fetch_instances()



    class TxnOffsetCommitRequestTopic(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaTxnOffsetCommitRequest.TxnOffsetCommitRequestTopic, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version <= 5:
                pass
                self.name = kafka_string.KafkaString(self._root.message_version >= 3, False, self._io)

            if self._root.message_version >= 6:
                pass
                self.topic_id = self._io.read_bytes(16)

            self.num_partitions = kafka_array_length.KafkaArrayLength(self._root.message_version >= 3, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaTxnOffsetCommitRequest.TxnOffsetCommitRequestPartition(self._io, self, self._root))

            if self._root.message_version >= 3:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version <= 5:
                pass
                self.name._fetch_instances()

            if self._root.message_version >= 6:
                pass

            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()

            if self._root.message_version >= 3:
                pass
                self.tagged_fields._fetch_instances()




