# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaConsumerGroupRegularExpressionValue(KaitaiStruct):
    """Topics that a regular expression stood for when the broker last looked.
    
    .. seealso::
       ConsumerGroupRegularExpressionValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupRegularExpressionValue.json
    """
    SEQ_FIELDS = ["message_version", "num_topics", "topics", "version", "timestamp", "tagged_fields"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaConsumerGroupRegularExpressionValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['message_version']['start'] = self._io.pos()
        self.message_version = self._io.read_s2be()
        self._debug['message_version']['end'] = self._io.pos()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        if not self.message_version <= 0:
            raise kaitaistruct.ValidationGreaterThanError(0, self.message_version, self._io, u"/seq/0")
        self._debug['num_topics']['start'] = self._io.pos()
        self.num_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_topics._read()
        self._debug['num_topics']['end'] = self._io.pos()
        self._debug['topics']['start'] = self._io.pos()
        self._debug['topics']['arr'] = []
        self.topics = []
        for i in range(self.num_topics.value):
            self._debug['topics']['arr'].append({'start': self._io.pos()})
            _t_topics = kafka_string.KafkaString(True, False, self._io)
            try:
                _t_topics._read()
            finally:
                self.topics.append(_t_topics)
            self._debug['topics']['arr'][i]['end'] = self._io.pos()

        self._debug['topics']['end'] = self._io.pos()
        self._debug['version']['start'] = self._io.pos()
        self.version = self._io.read_s8be()
        self._debug['version']['end'] = self._io.pos()
        self._debug['timestamp']['start'] = self._io.pos()
        self.timestamp = self._io.read_s8be()
        self._debug['timestamp']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        self.tagged_fields._fetch_instances()


