# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaOffsetFetchResponse(KaitaiStruct):
    """`OffsetFetchResponse`: a response of the API with key 9, after its header (see
    `kafka_response`).
    
    .. seealso::
       OffsetFetchResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/OffsetFetchResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaOffsetFetchResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        if self.message_version >= 3:
            pass
            self.throttle_time_ms = self._io.read_s4be()

        if self.message_version <= 7:
            pass
            self.num_topics = kafka_array_length.KafkaArrayLength(self.message_version >= 6, False, self._io)

        if self.message_version <= 7:
            pass
            self.topics = []
            for i in range(self.num_topics.value):
                self.topics.append(KafkaOffsetFetchResponse.OffsetFetchResponseTopic(self._io, self, self._root))


        if  ((self.message_version >= 2) and (self.message_version <= 7)) :
            pass
            self.error_code = self._io.read_s2be()

        if self.message_version >= 8:
            pass
            self.num_groups = kafka_array_length.KafkaArrayLength(True, False, self._io)

        if self.message_version >= 8:
            pass
            self.groups = []
            for i in range(self.num_groups.value):
                self.groups.append(KafkaOffsetFetchResponse.OffsetFetchResponseGroup(self._io, self, self._root))


        if self.message_version >= 6:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        if self.message_version >= 3:
            pass

        if self.message_version <= 7:
            pass
            self.num_topics._fetch_instances()

        if self.message_version <= 7:
            pass
            for i in range(len(self.topics)):
                pass
                self.topics[i]._fetch_instances()


        if  ((self.message_version >= 2) and (self.message_version <= 7)) :
            pass

        if self.message_version >= 8:
            pass
            self.num_groups._fetch_instances()

        if self.message_version >= 8:
            pass
            for i in range(len(self.groups)):
                pass
                self.groups[i]._fetch_instances()


        if self.message_version >= 6:
            pass
            self.tagged_fields._fetch_instances()


    class OffsetFetchResponseGroup(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaOffsetFetchResponse.OffsetFetchResponseGroup, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 8:
                pass
                self.group_id = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 8:
                pass
                self.num_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)

            if self._root.message_version >= 8:
                pass
                self.topics = []
                for i in range(self.num_topics.value):
                    self.topics.append(KafkaOffsetFetchResponse.OffsetFetchResponseTopics(self._io, self, self._root))


            if self._root.message_version >= 8:
                pass
                self.error_code = self._io.read_s2be()

            if self._root.message_version >= 6:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 8:
                pass
                self.group_id._fetch_instances()

            if self._root.message_version >= 8:
                pass
                self.num_topics._fetch_instances()

            if self._root.message_version >= 8:
                pass
                for i in range(len(self.topics)):
                    pass
                    self.topics[i]._fetch_instances()


            if self._root.message_version >= 8:
                pass

            if self._root.message_version >= 6:
                pass
                self.tagged_fields._fetch_instances()



    class OffsetFetchResponsePartition(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaOffsetFetchResponse.OffsetFetchResponsePartition, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version <= 7:
                pass
                self.partition_index = self._io.read_s4be()

            if self._root.message_version <= 7:
                pass
                self.committed_offset = self._io.read_s8be()

            if  ((self._root.message_version >= 5) and (self._root.message_version <= 7)) :
                pass
                self.committed_leader_epoch = self._io.read_s4be()

            if self._root.message_version <= 7:
                pass
                self.metadata = kafka_string.KafkaString(self._root.message_version >= 6, True, self._io)

            if self._root.message_version <= 7:
                pass
                self.error_code = self._io.read_s2be()

            if self._root.message_version >= 6:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version <= 7:
                pass

            if self._root.message_version <= 7:
                pass

            if  ((self._root.message_version >= 5) and (self._root.message_version <= 7)) :
                pass

            if self._root.message_version <= 7:
                pass
                self.metadata._fetch_instances()

            if self._root.message_version <= 7:
                pass

            if self._root.message_version >= 6:
                pass
                self.tagged_fields._fetch_instances()



    class OffsetFetchResponsePartitions(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaOffsetFetchResponse.OffsetFetchResponsePartitions, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 8:
                pass
                self.partition_index = self._io.read_s4be()

            if self._root.message_version >= 8:
                pass
                self.committed_offset = self._io.read_s8be()

            if self._root.message_version >= 8:
                pass
                self.committed_leader_epoch = self._io.read_s4be()

            if self._root.message_version >= 8:
                pass
                self.metadata = kafka_string.KafkaString(True, True, self._io)

            if self._root.message_version >= 8:
                pass
                self.error_code = self._io.read_s2be()

            if self._root.message_version >= 6:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 8:
                pass

            if self._root.message_version >= 8:
                pass

            if self._root.message_version >= 8:
                pass

            if self._root.message_version >= 8:
                pass
                self.metadata._fetch_instances()

            if self._root.message_version >= 8:
                pass

            if self._root.message_version >= 6:
                pass
                self.tagged_fields._fetch_instances()



    class OffsetFetchResponseTopic(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaOffsetFetchResponse.OffsetFetchResponseTopic, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version <= 7:
                pass
                self.name = kafka_string.KafkaString(self._root.message_version >= 6, False, self._io)

            if self._root.message_version <= 7:
                pass
                self.num_partitions = kafka_array_length.KafkaArrayLength(self._root.message_version >= 6, False, self._io)

            if self._root.message_version <= 7:
                pass
                self.partitions = []
                for i in range(self.num_partitions.value):
                    self.partitions.append(KafkaOffsetFetchResponse.OffsetFetchResponsePartition(self._io, self, self._root))


            if self._root.message_version >= 6:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version <= 7:
                pass
                self.name._fetch_instances()

            if self._root.message_version <= 7:
                pass
                self.num_partitions._fetch_instances()

            if self._root.message_version <= 7:
                pass
                for i in range(len(self.partitions)):
                    pass
                    self.partitions[i]._fetch_instances()


            if self._root.message_version >= 6:
                pass
                self.tagged_fields._fetch_instances()



    class OffsetFetchResponseTopics(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaOffsetFetchResponse.OffsetFetchResponseTopics, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if  ((self._root.message_version >= 8) and (self._root.message_version <= 9)) :
                pass
                self.name = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 10:
                pass
                self.topic_id = self._io.read_bytes(16)

            if self._root.message_version >= 8:
                pass
                self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)

            if self._root.message_version >= 8:
                pass
                self.partitions = []
                for i in range(self.num_partitions.value):
                    self.partitions.append(KafkaOffsetFetchResponse.OffsetFetchResponsePartitions(self._io, self, self._root))


            if self._root.message_version >= 6:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if  ((self._root.message_version >= 8) and (self._root.message_version <= 9)) :
                pass
                self.name._fetch_instances()

            if self._root.message_version >= 10:
                pass

            if self._root.message_version >= 8:
                pass
                self.num_partitions._fetch_instances()

            if self._root.message_version >= 8:
                pass
                for i in range(len(self.partitions)):
                    pass
                    self.partitions[i]._fetch_instances()


            if self._root.message_version >= 6:
                pass
                self.tagged_fields._fetch_instances()




