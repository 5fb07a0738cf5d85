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

class KafkaDelegationTokenRecord(KaitaiStruct):
    """A delegation token was issued or renewed.
    
    .. seealso::
       DelegationTokenRecord - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/DelegationTokenRecord.json
    """
    SEQ_FIELDS = ["owner", "requester", "num_renewers", "renewers", "issue_timestamp", "max_timestamp", "expiration_timestamp", "token_id", "tagged_fields"]
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaDelegationTokenRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['owner']['start'] = self._io.pos()
        self.owner = kafka_string.KafkaString(True, False, self._io)
        self.owner._read()
        self._debug['owner']['end'] = self._io.pos()
        self._debug['requester']['start'] = self._io.pos()
        self.requester = kafka_string.KafkaString(True, False, self._io)
        self.requester._read()
        self._debug['requester']['end'] = self._io.pos()
        self._debug['num_renewers']['start'] = self._io.pos()
        self.num_renewers = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_renewers._read()
        self._debug['num_renewers']['end'] = self._io.pos()
        self._debug['renewers']['start'] = self._io.pos()
        self._debug['renewers']['arr'] = []
        self.renewers = []
        for i in range(self.num_renewers.value):
            self._debug['renewers']['arr'].append({'start': self._io.pos()})
            _t_renewers = kafka_string.KafkaString(True, False, self._io)
            try:
                _t_renewers._read()
            finally:
                self.renewers.append(_t_renewers)
            self._debug['renewers']['arr'][i]['end'] = self._io.pos()

        self._debug['renewers']['end'] = self._io.pos()
        self._debug['issue_timestamp']['start'] = self._io.pos()
        self.issue_timestamp = self._io.read_s8be()
        self._debug['issue_timestamp']['end'] = self._io.pos()
        self._debug['max_timestamp']['start'] = self._io.pos()
        self.max_timestamp = self._io.read_s8be()
        self._debug['max_timestamp']['end'] = self._io.pos()
        self._debug['expiration_timestamp']['start'] = self._io.pos()
        self.expiration_timestamp = self._io.read_s8be()
        self._debug['expiration_timestamp']['end'] = self._io.pos()
        self._debug['token_id']['start'] = self._io.pos()
        self.token_id = kafka_string.KafkaString(True, False, self._io)
        self.token_id._read()
        self._debug['token_id']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.owner._fetch_instances()
        self.requester._fetch_instances()
        self.num_renewers._fetch_instances()
        for i in range(len(self.renewers)):
            pass
            self.renewers[i]._fetch_instances()

        self.token_id._fetch_instances()
        self.tagged_fields._fetch_instances()


