# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaListTransactionsResponse(KaitaiStruct):
    """`ListTransactionsResponse`: a response of the API with key 66, after its
    header (see `kafka_response`).
    
    .. seealso::
       ListTransactionsResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ListTransactionsResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaListTransactionsResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.throttle_time_ms = self._io.read_s4be()
        self.error_code = self._io.read_s2be()
        self.num_unknown_state_filters = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.unknown_state_filters = []
        for i in range(self.num_unknown_state_filters.value):
            self.unknown_state_filters.append(kafka_string.KafkaString(True, False, self._io))

        self.num_transaction_states = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.transaction_states = []
        for i in range(self.num_transaction_states.value):
            self.transaction_states.append(KafkaListTransactionsResponse.TransactionState(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_unknown_state_filters._fetch_instances()
        for i in range(len(self.unknown_state_filters)):
            pass
            self.unknown_state_filters[i]._fetch_instances()

        self.num_transaction_states._fetch_instances()
        for i in range(len(self.transaction_states)):
            pass
            self.transaction_states[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class TransactionState(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaListTransactionsResponse.TransactionState, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.transactional_id = kafka_string.KafkaString(True, False, self._io)
            self.producer_id = self._io.read_s8be()
            self.transaction_state = kafka_string.KafkaString(True, False, self._io)
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.transactional_id._fetch_instances()
            self.transaction_state._fetch_instances()
            self.tagged_fields._fetch_instances()



