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

class KafkaOffsetFetchRequest(KaitaiStruct):
    """`OffsetFetchRequest`: a request of the API with key 9, after its header (see
    `kafka_request`).
    
    .. seealso::
       OffsetFetchRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/OffsetFetchRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaOffsetFetchRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        if self.message_version <= 7:
            pass
            self.group_id = kafka_string.KafkaString(self.message_version >= 6, False, self._io)

        if self.message_version <= 7:
            pass
            self.num_topics = kafka_array_length.KafkaArrayLength(self.message_version >= 6, self.message_version >= 2, self._io)

        if self.message_version <= 7:
            pass
            self.topics = []
            for i in range(self.num_topics.value):
                self.topics.append(KafkaOffsetFetchRequest.OffsetFetchRequestTopic(self._io, self, self._root))


        if self.message_version >= 8:
            pass
            self.num_groups = kafka_array_length.KafkaArrayLength(True, False, self._io)

        if self.message_version >= 8:
            pass
            self.groups = []
            for i in range(self.num_groups.value):
                self.groups.append(KafkaOffsetFetchRequest.OffsetFetchRequestGroup(self._io, self, self._root))


        if self.message_version >= 7:
            pass
            self.require_stable = kafka_boolean.KafkaBoolean(self._io)

        if self.message_version >= 6:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        if self.message_version <= 7:
            pass
            self.group_id._fetch_instances()

        if self.message_version <= 7:
            pass
            self.num_topics._fetch_instances()

        if self.message_version <= 7:
            pass
            for i in range(len(self.topics)):
                pass
                self.topics[i]._fetch_instances()


        if self.message_version >= 8:
            pass
            self.num_groups._fetch_instances()

        if self.message_version >= 8:
            pass
            for i in range(len(self.groups)):
                pass
                self.groups[i]._fetch_instances()


        if self.message_version >= 7:
            pass
            self.require_stable._fetch_instances()

        if self.message_version >= 6:
            pass
            self.tagged_fields._fetch_instances()


    class OffsetFetchRequestGroup(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaOffsetFetchRequest.OffsetFetchRequestGroup, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 8:
                pass
                self.group_id = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 9:
                pass
                self.member_id = kafka_string.KafkaString(True, True, self._io)

            if self._root.message_version >= 9:
                pass
                self.member_epoch = self._io.read_s4be()

            if self._root.message_version >= 8:
                pass
                self.num_topics = kafka_array_length.KafkaArrayLength(True, True, self._io)

            if self._root.message_version >= 8:
                pass
                self.topics = []
                for i in range(self.num_topics.value):
                    self.topics.append(KafkaOffsetFetchRequest.OffsetFetchRequestTopics(self._io, self, self._root))


            if self._root.message_version >= 6:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 8:
                pass
                self.group_id._fetch_instances()

            if self._root.message_version >= 9:
                pass
                self.member_id._fetch_instances()

            if self._root.message_version >= 9:
                pass

            if self._root.message_version >= 8:
                pass
                self.num_topics._fetch_instances()

            if self._root.message_version >= 8:
                pass
                for i in range(len(self.topics)):
                    pass
                    self.topics[i]._fetch_instances()


            if self._root.message_version >= 6:
                pass
                self.tagged_fields._fetch_instances()



    class OffsetFetchRequestTopic(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaOffsetFetchRequest.OffsetFetchRequestTopic, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version <= 7:
                pass
                self.name = kafka_string.KafkaString(self._root.message_version >= 6, False, self._io)

            if self._root.message_version <= 7:
                pass
                self.num_partition_indexes = kafka_array_length.KafkaArrayLength(self._root.message_version >= 6, False, self._io)

            if self._root.message_version <= 7:
                pass
                self.partition_indexes = []
                for i in range(self.num_partition_indexes.value):
                    self.partition_indexes.append(self._io.read_s4be())


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
                self.num_partition_indexes._fetch_instances()

            if self._root.message_version <= 7:
                pass
                for i in range(len(self.partition_indexes)):
                    pass


            if self._root.message_version >= 6:
                pass
                self.tagged_fields._fetch_instances()



    class OffsetFetchRequestTopics(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaOffsetFetchRequest.OffsetFetchRequestTopics, self).__init__(_io)
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
                self.num_partition_indexes = kafka_array_length.KafkaArrayLength(True, False, self._io)

            if self._root.message_version >= 8:
                pass
                self.partition_indexes = []
                for i in range(self.num_partition_indexes.value):
                    self.partition_indexes.append(self._io.read_s4be())


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
                self.num_partition_indexes._fetch_instances()

            if self._root.message_version >= 8:
                pass
                for i in range(len(self.partition_indexes)):
                    pass


            if self._root.message_version >= 6:
                pass
                self.tagged_fields._fetch_instances()




