# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaReadShareGroupStateSummaryResponse(KaitaiStruct):
    """`ReadShareGroupStateSummaryResponse`: a response of the API with key 87, after
    its header (see `kafka_response`).
    
    .. seealso::
       ReadShareGroupStateSummaryResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ReadShareGroupStateSummaryResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaReadShareGroupStateSummaryResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.num_results = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.results = []
        for i in range(self.num_results.value):
            self.results.append(KafkaReadShareGroupStateSummaryResponse.ReadStateSummaryResult(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_results._fetch_instances()
        for i in range(len(self.results)):
            pass
            self.results[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class PartitionResult(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaReadShareGroupStateSummaryResponse.PartitionResult, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition = self._io.read_s4be()
            self.error_code = self._io.read_s2be()
            self.error_message = kafka_string.KafkaString(True, True, self._io)
            self.state_epoch = self._io.read_s4be()
            self.leader_epoch = self._io.read_s4be()
            self.start_offset = self._io.read_s8be()
            if self._root.message_version >= 1:
                pass
                self.delivery_complete_count = self._io.read_s4be()

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.error_message._fetch_instances()
            if self._root.message_version >= 1:
                pass

            self.tagged_fields._fetch_instances()


    class ReadStateSummaryResult(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaReadShareGroupStateSummaryResponse.ReadStateSummaryResult, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic_id = self._io.read_bytes(16)
            self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaReadShareGroupStateSummaryResponse.PartitionResult(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()

            self.tagged_fields._fetch_instances()



