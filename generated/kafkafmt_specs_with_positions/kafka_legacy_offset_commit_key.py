# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_string
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaLegacyOffsetCommitKey(KaitaiStruct):
    """Key of an offset that a consumer group has committed for a partition, as Kafka
    0.8.2 wrote it. It is laid out as a `kafka_offset_commit_key`.
    
    .. seealso::
       LegacyOffsetCommitKey - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/LegacyOffsetCommitKey.json
    """
    SEQ_FIELDS = ["group", "topic", "partition"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaLegacyOffsetCommitKey, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['group']['start'] = self._io.pos()
        self.group = kafka_string.KafkaString(False, False, self._io)
        self.group._read()
        self._debug['group']['end'] = self._io.pos()
        self._debug['topic']['start'] = self._io.pos()
        self.topic = kafka_string.KafkaString(False, False, self._io)
        self.topic._read()
        self._debug['topic']['end'] = self._io.pos()
        self._debug['partition']['start'] = self._io.pos()
        self.partition = self._io.read_s4be()
        self._debug['partition']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.group._fetch_instances()
        self.topic._fetch_instances()


