# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaShareGroupDescribeResponse(KaitaiStruct):
    """`ShareGroupDescribeResponse`: a response of the API with key 77, after its
    header (see `kafka_response`).
    
    .. seealso::
       ShareGroupDescribeResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ShareGroupDescribeResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaShareGroupDescribeResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.throttle_time_ms = self._io.read_s4be()
        self.num_groups = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.groups = []
        for i in range(self.num_groups.value):
            self.groups.append(KafkaShareGroupDescribeResponse.DescribedGroup(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_groups._fetch_instances()
        for i in range(len(self.groups)):
            pass
            self.groups[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class Assignment(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareGroupDescribeResponse.Assignment, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_topic_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.topic_partitions = []
            for i in range(self.num_topic_partitions.value):
                self.topic_partitions.append(KafkaShareGroupDescribeResponse.TopicPartitions(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_topic_partitions._fetch_instances()
            for i in range(len(self.topic_partitions)):
                pass
                self.topic_partitions[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class DescribedGroup(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareGroupDescribeResponse.DescribedGroup, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.error_code = self._io.read_s2be()
            self.error_message = kafka_string.KafkaString(True, True, self._io)
            self.group_id = kafka_string.KafkaString(True, False, self._io)
            self.group_state = kafka_string.KafkaString(True, False, self._io)
            self.group_epoch = self._io.read_s4be()
            self.assignment_epoch = self._io.read_s4be()
            self.assignor_name = kafka_string.KafkaString(True, False, self._io)
            self.num_members = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.members = []
            for i in range(self.num_members.value):
                self.members.append(KafkaShareGroupDescribeResponse.Member(self._io, self, self._root))

            self.authorized_operations = self._io.read_s4be()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.error_message._fetch_instances()
            self.group_id._fetch_instances()
            self.group_state._fetch_instances()
            self.assignor_name._fetch_instances()
            self.num_members._fetch_instances()
            for i in range(len(self.members)):
                pass
                self.members[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class Member(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareGroupDescribeResponse.Member, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.member_id = kafka_string.KafkaString(True, False, self._io)
            self.rack_id = kafka_string.KafkaString(True, True, self._io)
            self.member_epoch = self._io.read_s4be()
            self.client_id = kafka_string.KafkaString(True, False, self._io)
            self.client_host = kafka_string.KafkaString(True, False, self._io)
            self.num_subscribed_topic_names = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.subscribed_topic_names = []
            for i in range(self.num_subscribed_topic_names.value):
                self.subscribed_topic_names.append(kafka_string.KafkaString(True, False, self._io))

            self.assignment = KafkaShareGroupDescribeResponse.Assignment(self._io, self, self._root)
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.member_id._fetch_instances()
            self.rack_id._fetch_instances()
            self.client_id._fetch_instances()
            self.client_host._fetch_instances()
            self.num_subscribed_topic_names._fetch_instances()
            for i in range(len(self.subscribed_topic_names)):
                pass
                self.subscribed_topic_names[i]._fetch_instances()

            self.assignment._fetch_instances()
            self.tagged_fields._fetch_instances()


    class TopicPartitions(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareGroupDescribeResponse.TopicPartitions, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic_id = self._io.read_bytes(16)
            self.topic_name = kafka_string.KafkaString(True, False, self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(self._io.read_s4be())

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.topic_name._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass

            self.tagged_fields._fetch_instances()



