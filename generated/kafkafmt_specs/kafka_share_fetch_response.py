# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_record_set
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaShareFetchResponse(KaitaiStruct):
    """`ShareFetchResponse`: a response of the API with key 78, after its header (see
    `kafka_response`).
    
    .. seealso::
       ShareFetchResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ShareFetchResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaShareFetchResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.throttle_time_ms = self._io.read_s4be()
        self.error_code = self._io.read_s2be()
        self.error_message = kafka_string.KafkaString(True, True, self._io)
        self.acquisition_lock_timeout_ms = self._io.read_s4be()
        self.num_responses = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.responses = []
        for i in range(self.num_responses.value):
            self.responses.append(KafkaShareFetchResponse.ShareFetchableTopicResponse(self._io, self, self._root))

        self.num_node_endpoints = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.node_endpoints = []
        for i in range(self.num_node_endpoints.value):
            self.node_endpoints.append(KafkaShareFetchResponse.NodeEndpoint(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.error_message._fetch_instances()
        self.num_responses._fetch_instances()
        for i in range(len(self.responses)):
            pass
            self.responses[i]._fetch_instances()

        self.num_node_endpoints._fetch_instances()
        for i in range(len(self.node_endpoints)):
            pass
            self.node_endpoints[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class AcquiredRecords(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareFetchResponse.AcquiredRecords, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.first_offset = self._io.read_s8be()
            self.last_offset = self._io.read_s8be()
            self.delivery_count = self._io.read_s2be()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.tagged_fields._fetch_instances()


    class LeaderIdAndEpoch(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareFetchResponse.LeaderIdAndEpoch, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.leader_id = self._io.read_s4be()
            self.leader_epoch = self._io.read_s4be()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.tagged_fields._fetch_instances()


    class NodeEndpoint(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareFetchResponse.NodeEndpoint, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.node_id = self._io.read_s4be()
            self.host = kafka_string.KafkaString(True, False, self._io)
            self.port = self._io.read_s4be()
            self.rack = kafka_string.KafkaString(True, True, self._io)
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.host._fetch_instances()
            self.rack._fetch_instances()
            self.tagged_fields._fetch_instances()


    class PartitionData(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareFetchResponse.PartitionData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition_index = self._io.read_s4be()
            self.error_code = self._io.read_s2be()
            self.error_message = kafka_string.KafkaString(True, True, self._io)
            self.acknowledge_error_code = self._io.read_s2be()
            self.acknowledge_error_message = kafka_string.KafkaString(True, True, self._io)
            self.current_leader = KafkaShareFetchResponse.LeaderIdAndEpoch(self._io, self, self._root)
            self.records = kafka_record_set.KafkaRecordSet(True, False, self._io)
            self.num_acquired_records = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.acquired_records = []
            for i in range(self.num_acquired_records.value):
                self.acquired_records.append(KafkaShareFetchResponse.AcquiredRecords(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.error_message._fetch_instances()
            self.acknowledge_error_message._fetch_instances()
            self.current_leader._fetch_instances()
            self.records._fetch_instances()
            self.num_acquired_records._fetch_instances()
            for i in range(len(self.acquired_records)):
                pass
                self.acquired_records[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class ShareFetchableTopicResponse(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaShareFetchResponse.ShareFetchableTopicResponse, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic_id = self._io.read_bytes(16)
            self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaShareFetchResponse.PartitionData(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()

            self.tagged_fields._fetch_instances()



