# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_string
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaConsumerGroupRegularExpressionKey(KaitaiStruct):
    """Key of a regular expression that members of a consumer group have subscribed
    to.
    
    .. seealso::
       ConsumerGroupRegularExpressionKey - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupRegularExpressionKey.json
    """
    SEQ_FIELDS = ["group_id", "regular_expression"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaConsumerGroupRegularExpressionKey, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['group_id']['start'] = self._io.pos()
        self.group_id = kafka_string.KafkaString(False, False, self._io)
        self.group_id._read()
        self._debug['group_id']['end'] = self._io.pos()
        self._debug['regular_expression']['start'] = self._io.pos()
        self.regular_expression = kafka_string.KafkaString(False, False, self._io)
        self.regular_expression._read()
        self._debug['regular_expression']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.group_id._fetch_instances()
        self.regular_expression._fetch_instances()


