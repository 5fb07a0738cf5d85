# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_share_snapshot_value
from . import kafka_share_update_value
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaShareGroupStateValue(KaitaiStruct):
    """Value of a record in `__share_group_state`. Only the key, a
    `kafka_share_group_state_key`, says which message it is.
    
    .. seealso::
       KIP-932 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-932%3A+Queues+for+Kafka
    """

    class RecordType(IntEnum):
        share_snapshot = 0
        share_update = 1
    def __init__(self, key_type, _io, _parent=None, _root=None):
        super(KafkaShareGroupStateValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.key_type = key_type
        self._read()

    def _read(self):
        _on = self.key_type
        if _on == KafkaShareGroupStateValue.RecordType.share_snapshot:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_share_snapshot_value.KafkaShareSnapshotValue(_io__raw_message)
        elif _on == KafkaShareGroupStateValue.RecordType.share_update:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_share_update_value.KafkaShareUpdateValue(_io__raw_message)
        else:
            pass
            self.message = self._io.read_bytes_full()


    def _fetch_instances(self):
        pass
        _on = self.key_type
        if _on == KafkaShareGroupStateValue.RecordType.share_snapshot:
            pass
            self.message._fetch_instances()
        elif _on == KafkaShareGroupStateValue.RecordType.share_update:
            pass
            self.message._fetch_instances()
        else:
            pass


