# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_boolean
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaInitProducerIdRequest(KaitaiStruct):
    """`InitProducerIdRequest`: a request of the API with key 22, after its header
    (see `kafka_request`). Version 6 may still change: brokers offer it only if
    configured to.
    
    .. seealso::
       InitProducerIdRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/InitProducerIdRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaInitProducerIdRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.transactional_id = kafka_string.KafkaString(self.message_version >= 2, True, self._io)
        self.transaction_timeout_ms = self._io.read_s4be()
        if self.message_version >= 3:
            pass
            self.producer_id = self._io.read_s8be()

        if self.message_version >= 3:
            pass
            self.producer_epoch = self._io.read_s2be()

        if self.message_version >= 6:
            pass
            self.enable2_pc = kafka_boolean.KafkaBoolean(self._io)

        if self.message_version >= 6:
            pass
            self.keep_prepared_txn = kafka_boolean.KafkaBoolean(self._io)

        if self.message_version >= 2:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.transactional_id._fetch_instances()
        if self.message_version >= 3:
            pass

        if self.message_version >= 3:
            pass

        if self.message_version >= 6:
            pass
            self.enable2_pc._fetch_instances()

        if self.message_version >= 6:
            pass
            self.keep_prepared_txn._fetch_instances()

        if self.message_version >= 2:
            pass
            self.tagged_fields._fetch_instances()



