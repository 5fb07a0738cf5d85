# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaDescribeTransactionsRequest(KaitaiStruct):
    """`DescribeTransactionsRequest`: a request of the API with key 65, after its
    header (see `kafka_request`).
    
    .. seealso::
       DescribeTransactionsRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeTransactionsRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaDescribeTransactionsRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.num_transactional_ids = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.transactional_ids = []
        for i in range(self.num_transactional_ids.value):
            self.transactional_ids.append(kafka_string.KafkaString(True, False, self._io))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_transactional_ids._fetch_instances()
        for i in range(len(self.transactional_ids)):
            pass
            self.transactional_ids[i]._fetch_instances()

        self.tagged_fields._fetch_instances()


