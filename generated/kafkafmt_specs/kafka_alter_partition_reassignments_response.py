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

class KafkaAlterPartitionReassignmentsResponse(KaitaiStruct):
    """`AlterPartitionReassignmentsResponse`: a response of the API with key 45,
    after its header (see `kafka_response`).
    
    .. seealso::
       AlterPartitionReassignmentsResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AlterPartitionReassignmentsResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaAlterPartitionReassignmentsResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.throttle_time_ms = self._io.read_s4be()
        if self.message_version >= 1:
            pass
            self.allow_replication_factor_change = kafka_boolean.KafkaBoolean(self._io)

        self.error_code = self._io.read_s2be()
        self.error_message = kafka_string.KafkaString(True, True, self._io)
        self.num_responses = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.responses = []
        for i in range(self.num_responses.value):
            self.responses.append(KafkaAlterPartitionReassignmentsResponse.ReassignableTopicResponse(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        if self.message_version >= 1:
            pass
            self.allow_replication_factor_change._fetch_instances()

        self.error_message._fetch_instances()
        self.num_responses._fetch_instances()
        for i in range(len(self.responses)):
            pass
            self.responses[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class ReassignablePartitionResponse(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAlterPartitionReassignmentsResponse.ReassignablePartitionResponse, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition_index = self._io.read_s4be()
            self.error_code = self._io.read_s2be()
            self.error_message = kafka_string.KafkaString(True, True, self._io)
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.error_message._fetch_instances()
            self.tagged_fields._fetch_instances()


    class ReassignableTopicResponse(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAlterPartitionReassignmentsResponse.ReassignableTopicResponse, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaAlterPartitionReassignmentsResponse.ReassignablePartitionResponse(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()

            self.tagged_fields._fetch_instances()



