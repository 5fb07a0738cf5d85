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

class KafkaShareGroupMemberMetadataValue(KaitaiStruct):
    """A member of a share group (KIP-932), and what it has subscribed to.
    
    .. seealso::
       ShareGroupMemberMetadataValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupMemberMetadataValue.json
    """
    SEQ_FIELDS = ["message_version", "rack_id", "client_id", "client_host", "num_subscribed_topic_names", "subscribed_topic_names", "tagged_fields"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaShareGroupMemberMetadataValue, self).__init__(_io)
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
        self._debug['rack_id']['start'] = self._io.pos()
        self.rack_id = kafka_string.KafkaString(True, True, self._io)
        self.rack_id._read()
        self._debug['rack_id']['end'] = self._io.pos()
        self._debug['client_id']['start'] = self._io.pos()
        self.client_id = kafka_string.KafkaString(True, False, self._io)
        self.client_id._read()
        self._debug['client_id']['end'] = self._io.pos()
        self._debug['client_host']['start'] = self._io.pos()
        self.client_host = kafka_string.KafkaString(True, False, self._io)
        self.client_host._read()
        self._debug['client_host']['end'] = self._io.pos()
        self._debug['num_subscribed_topic_names']['start'] = self._io.pos()
        self.num_subscribed_topic_names = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_subscribed_topic_names._read()
        self._debug['num_subscribed_topic_names']['end'] = self._io.pos()
        self._debug['subscribed_topic_names']['start'] = self._io.pos()
        self._debug['subscribed_topic_names']['arr'] = []
        self.subscribed_topic_names = []
        for i in range(self.num_subscribed_topic_names.value):
            self._debug['subscribed_topic_names']['arr'].append({'start': self._io.pos()})
            _t_subscribed_topic_names = kafka_string.KafkaString(True, False, self._io)
            try:
                _t_subscribed_topic_names._read()
            finally:
                self.subscribed_topic_names.append(_t_subscribed_topic_names)
            self._debug['subscribed_topic_names']['arr'][i]['end'] = self._io.pos()

        self._debug['subscribed_topic_names']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.rack_id._fetch_instances()
        self.client_id._fetch_instances()
        self.client_host._fetch_instances()
        self.num_subscribed_topic_names._fetch_instances()
        for i in range(len(self.subscribed_topic_names)):
            pass
            self.subscribed_topic_names[i]._fetch_instances()

        self.tagged_fields._fetch_instances()


