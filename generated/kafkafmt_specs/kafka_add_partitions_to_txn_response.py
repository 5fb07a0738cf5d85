# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaAddPartitionsToTxnResponse(KaitaiStruct):
    """`AddPartitionsToTxnResponse`: a response of the API with key 24, after its
    header (see `kafka_response`).
    
    .. seealso::
       AddPartitionsToTxnResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AddPartitionsToTxnResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaAddPartitionsToTxnResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.throttle_time_ms = self._io.read_s4be()
        if self.message_version >= 4:
            pass
            self.error_code = self._io.read_s2be()

        if self.message_version >= 4:
            pass
            self.num_results_by_transaction = kafka_array_length.KafkaArrayLength(True, False, self._io)

        if self.message_version >= 4:
            pass
            self.results_by_transaction = []
            for i in range(self.num_results_by_transaction.value):
                self.results_by_transaction.append(KafkaAddPartitionsToTxnResponse.AddPartitionsToTxnResult(self._io, self, self._root))


        if self.message_version <= 3:
            pass
            self.num_results_by_topic_v3_and_below = kafka_array_length.KafkaArrayLength(self.message_version >= 3, False, self._io)

        if self.message_version <= 3:
            pass
            self.results_by_topic_v3_and_below = []
            for i in range(self.num_results_by_topic_v3_and_below.value):
                self.results_by_topic_v3_and_below.append(KafkaAddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult(self._io, self, self._root))


        if self.message_version >= 3:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        if self.message_version >= 4:
            pass

        if self.message_version >= 4:
            pass
            self.num_results_by_transaction._fetch_instances()

        if self.message_version >= 4:
            pass
            for i in range(len(self.results_by_transaction)):
                pass
                self.results_by_transaction[i]._fetch_instances()


        if self.message_version <= 3:
            pass
            self.num_results_by_topic_v3_and_below._fetch_instances()

        if self.message_version <= 3:
            pass
            for i in range(len(self.results_by_topic_v3_and_below)):
                pass
                self.results_by_topic_v3_and_below[i]._fetch_instances()


        if self.message_version >= 3:
            pass
            self.tagged_fields._fetch_instances()


    class AddPartitionsToTxnPartitionResult(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAddPartitionsToTxnResponse.AddPartitionsToTxnPartitionResult, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition_index = self._io.read_s4be()
            self.partition_error_code = self._io.read_s2be()
            if self._root.message_version >= 3:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 3:
                pass
                self.tagged_fields._fetch_instances()



    class AddPartitionsToTxnResult(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAddPartitionsToTxnResponse.AddPartitionsToTxnResult, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 4:
                pass
                self.transactional_id = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 4:
                pass
                self.num_topic_results = kafka_array_length.KafkaArrayLength(True, False, self._io)

            if self._root.message_version >= 4:
                pass
                self.topic_results = []
                for i in range(self.num_topic_results.value):
                    self.topic_results.append(KafkaAddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult(self._io, self, self._root))


            if self._root.message_version >= 3:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 4:
                pass
                self.transactional_id._fetch_instances()

            if self._root.message_version >= 4:
                pass
                self.num_topic_results._fetch_instances()

            if self._root.message_version >= 4:
                pass
                for i in range(len(self.topic_results)):
                    pass
                    self.topic_results[i]._fetch_instances()


            if self._root.message_version >= 3:
                pass
                self.tagged_fields._fetch_instances()



    class AddPartitionsToTxnTopicResult(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(self._root.message_version >= 3, False, self._io)
            self.num_results_by_partition = kafka_array_length.KafkaArrayLength(self._root.message_version >= 3, False, self._io)
            self.results_by_partition = []
            for i in range(self.num_results_by_partition.value):
                self.results_by_partition.append(KafkaAddPartitionsToTxnResponse.AddPartitionsToTxnPartitionResult(self._io, self, self._root))

            if self._root.message_version >= 3:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.num_results_by_partition._fetch_instances()
            for i in range(len(self.results_by_partition)):
                pass
                self.results_by_partition[i]._fetch_instances()

            if self._root.message_version >= 3:
                pass
                self.tagged_fields._fetch_instances()




