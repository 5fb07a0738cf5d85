# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_transaction_log_value
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaTransactionStateValue(KaitaiStruct):
    """Value of a record in `__transaction_state` whose key is a
    `kafka_transaction_state_key`.
    
    .. seealso::
       KIP-98 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-98+-+Exactly+Once+Delivery+and+Transactional+Messaging
    """

    class RecordType(IntEnum):
        transaction_log = 0
    def __init__(self, key_type, _io, _parent=None, _root=None):
        super(KafkaTransactionStateValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.key_type = key_type
        self._read()

    def _read(self):
        _on = self.key_type
        if _on == KafkaTransactionStateValue.RecordType.transaction_log:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_transaction_log_value.KafkaTransactionLogValue(_io__raw_message)
        else:
            pass
            self.message = self._io.read_bytes_full()


    def _fetch_instances(self):
        pass
        _on = self.key_type
        if _on == KafkaTransactionStateValue.RecordType.transaction_log:
            pass
            self.message._fetch_instances()
        else:
            pass


