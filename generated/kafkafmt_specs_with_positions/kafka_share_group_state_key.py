# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_share_snapshot_key
from . import kafka_share_update_key
from enum import IntEnum
import collections


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
    SEQ_FIELDS = ["type", "message"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaShareGroupStateKey, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['type']['start'] = self._io.pos()
        self.type = KaitaiStream.resolve_enum(KafkaShareGroupStateKey.RecordType, self._io.read_s2be())
        self._debug['type']['end'] = self._io.pos()
        self._debug['message']['start'] = self._io.pos()
        _on = self.type
        if _on == KafkaShareGroupStateKey.RecordType.share_snapshot:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_share_snapshot_key.KafkaShareSnapshotKey(_io__raw_message)
            self.message._read()
        elif _on == KafkaShareGroupStateKey.RecordType.share_update:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_share_update_key.KafkaShareUpdateKey(_io__raw_message)
            self.message._read()
        else:
            pass
            self.message = self._io.read_bytes_full()
        self._debug['message']['end'] = self._io.pos()


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


