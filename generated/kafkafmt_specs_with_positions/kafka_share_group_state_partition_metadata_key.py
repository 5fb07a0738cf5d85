# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_string
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaShareGroupStatePartitionMetadataKey(KaitaiStruct):
    """Key of the partitions for which a share group keeps state.
    
    .. seealso::
       ShareGroupStatePartitionMetadataKey - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupStatePartitionMetadataKey.json
    """
    SEQ_FIELDS = ["group_id"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaShareGroupStatePartitionMetadataKey, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['group_id']['start'] = self._io.pos()
        self.group_id = kafka_string.KafkaString(False, False, self._io)
        self.group_id._read()
        self._debug['group_id']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.group_id._fetch_instances()


