# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaListTransactionsRequest(KaitaiStruct):
    """`ListTransactionsRequest`: a request of the API with key 66, after its header
    (see `kafka_request`).
    
    .. seealso::
       ListTransactionsRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ListTransactionsRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaListTransactionsRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.num_state_filters = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.state_filters = []
        for i in range(self.num_state_filters.value):
            self.state_filters.append(kafka_string.KafkaString(True, False, self._io))

        self.num_producer_id_filters = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.producer_id_filters = []
        for i in range(self.num_producer_id_filters.value):
            self.producer_id_filters.append(self._io.read_s8be())

        if self.message_version >= 1:
            pass
            self.duration_filter = self._io.read_s8be()

        if self.message_version >= 2:
            pass
            self.transactional_id_pattern = kafka_string.KafkaString(True, True, self._io)

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_state_filters._fetch_instances()
        for i in range(len(self.state_filters)):
            pass
            self.state_filters[i]._fetch_instances()

        self.num_producer_id_filters._fetch_instances()
        for i in range(len(self.producer_id_filters)):
            pass

        if self.message_version >= 1:
            pass

        if self.message_version >= 2:
            pass
            self.transactional_id_pattern._fetch_instances()

        self.tagged_fields._fetch_instances()


