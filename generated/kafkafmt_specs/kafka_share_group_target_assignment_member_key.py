# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_string


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaShareGroupTargetAssignmentMemberKey(KaitaiStruct):
    """Key of the target assignment of a member of a share group.
    
    .. seealso::
       ShareGroupTargetAssignmentMemberKey - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupTargetAssignmentMemberKey.json
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaShareGroupTargetAssignmentMemberKey, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.group_id = kafka_string.KafkaString(False, False, self._io)
        self.member_id = kafka_string.KafkaString(False, False, self._io)


    def _fetch_instances(self):
        pass
        self.group_id._fetch_instances()
        self.member_id._fetch_instances()


