# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaOffsetCommitRequest(KaitaiStruct):
    """`OffsetCommitRequest`: a request of the API with key 8, after its header (see
    `kafka_request`).
    
    .. seealso::
       OffsetCommitRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/OffsetCommitRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaOffsetCommitRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.group_id = kafka_string.KafkaString(self.message_version >= 8, False, self._io)
        self.generation_id_or_member_epoch = self._io.read_s4be()
        self.member_id = kafka_string.KafkaString(self.message_version >= 8, False, self._io)
        if self.message_version >= 7:
            pass
            self.group_instance_id = kafka_string.KafkaString(self.message_version >= 8, True, self._io)

        if self.message_version <= 4:
            pass
            self.retention_time_ms = self._io.read_s8be()

        self.num_topics = kafka_array_length.KafkaArrayLength(self.message_version >= 8, False, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(KafkaOffsetCommitRequest.OffsetCommitRequestTopic(self._io, self, self._root))

        if self.message_version >= 8:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.group_id._fetch_instances()
        self.member_id._fetch_instances()
        if self.message_version >= 7:
            pass
            self.group_instance_id._fetch_instances()

        if self.message_version <= 4:
            pass

        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        if self.message_version >= 8:
            pass
            self.tagged_fields._fetch_instances()


    class OffsetCommitRequestPartition(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaOffsetCommitRequest.OffsetCommitRequestPartition, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition_index = self._io.read_s4be()
            self.committed_offset = self._io.read_s8be()
            if self._root.message_version >= 6:
                pass
                self.committed_leader_epoch = self._io.read_s4be()

            self.committed_metadata = kafka_string.KafkaString(self._root.message_version >= 8, True, self._io)
            if self._root.message_version >= 8:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 6:
                pass

            self.committed_metadata._fetch_instances()
            if self._root.message_version >= 8:
                pass
                self.tagged_fields._fetch_instances()



    class OffsetCommitRequestTopic(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaOffsetCommitRequest.OffsetCommitRequestTopic, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version <= 9:
                pass
                self.name = kafka_string.KafkaString(self._root.message_version >= 8, False, self._io)

            if self._root.message_version >= 10:
                pass
                self.topic_id = self._io.read_bytes(16)

            self.num_partitions = kafka_array_length.KafkaArrayLength(self._root.message_version >= 8, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaOffsetCommitRequest.OffsetCommitRequestPartition(self._io, self, self._root))

            if self._root.message_version >= 8:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version <= 9:
                pass
                self.name._fetch_instances()

            if self._root.message_version >= 10:
                pass

            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()

            if self._root.message_version >= 8:
                pass
                self.tagged_fields._fetch_instances()




