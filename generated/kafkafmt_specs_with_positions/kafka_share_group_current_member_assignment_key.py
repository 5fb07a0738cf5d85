# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_string
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaShareGroupCurrentMemberAssignmentKey(KaitaiStruct):
    """Key of what one member of a share group has.
    
    .. seealso::
       ShareGroupCurrentMemberAssignmentKey - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupCurrentMemberAssignmentKey.json
    """
    SEQ_FIELDS = ["group_id", "member_id"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaShareGroupCurrentMemberAssignmentKey, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['group_id']['start'] = self._io.pos()
        self.group_id = kafka_string.KafkaString(False, False, self._io)
        self.group_id._read()
        self._debug['group_id']['end'] = self._io.pos()
        self._debug['member_id']['start'] = self._io.pos()
        self.member_id = kafka_string.KafkaString(False, False, self._io)
        self.member_id._read()
        self._debug['member_id']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.group_id._fetch_instances()
        self.member_id._fetch_instances()


