# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_share_snapshot_key
from . import kafka_share_update_key
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaShareGroupStateKey(KaitaiStruct):
    """Key of a record in `__share_group_state`, by the type that it begins with. The
    record's value is a `kafka_share_group_state_value` of the same type.
    
    .. seealso::
       KIP-932 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-932%3A+Queues+for+Kafka
    """

    class RecordType(IntEnum):
        share_snapshot = 0
        share_update = 1
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaShareGroupStateKey, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.type = KaitaiStream.resolve_enum(KafkaShareGroupStateKey.RecordType, self._io.read_s2be())
        _on = self.type
        if _on == KafkaShareGroupStateKey.RecordType.share_snapshot:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_share_snapshot_key.KafkaShareSnapshotKey(_io__raw_message)
        elif _on == KafkaShareGroupStateKey.RecordType.share_update:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_share_update_key.KafkaShareUpdateKey(_io__raw_message)
        else:
            pass
            self.message = self._io.read_bytes_full()


    def _fetch_instances(self):
        pass
        _on = self.type
        if _on == KafkaShareGroupStateKey.RecordType.share_snapshot:
            pass
            self.message._fetch_instances()
        elif _on == KafkaShareGroupStateKey.RecordType.share_update:
            pass
            self.message._fetch_instances()
        else:
            pass


