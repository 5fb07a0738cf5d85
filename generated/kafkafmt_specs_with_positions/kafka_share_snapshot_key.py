# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_string
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaShareSnapshotKey(KaitaiStruct):
    """Key of all that a share group has done with a partition.
    
    .. seealso::
       ShareSnapshotKey - https://github.com/apache/kafka/blob/4.4.0/share-coordinator/src/main/resources/common/message/ShareSnapshotKey.json
    """
    SEQ_FIELDS = ["group_id", "topic_id", "partition"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaShareSnapshotKey, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['group_id']['start'] = self._io.pos()
        self.group_id = kafka_string.KafkaString(False, False, self._io)
        self.group_id._read()
        self._debug['group_id']['end'] = self._io.pos()
        self._debug['topic_id']['start'] = self._io.pos()
        self.topic_id = self._io.read_bytes(16)
        self._debug['topic_id']['end'] = self._io.pos()
        self._debug['partition']['start'] = self._io.pos()
        self.partition = self._io.read_s4be()
        self._debug['partition']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.group_id._fetch_instances()


