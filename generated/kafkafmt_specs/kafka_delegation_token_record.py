# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaDelegationTokenRecord(KaitaiStruct):
    """A delegation token was issued or renewed.
    
    .. seealso::
       DelegationTokenRecord - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/DelegationTokenRecord.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaDelegationTokenRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.owner = kafka_string.KafkaString(True, False, self._io)
        self.requester = kafka_string.KafkaString(True, False, self._io)
        self.num_renewers = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.renewers = []
        for i in range(self.num_renewers.value):
            self.renewers.append(kafka_string.KafkaString(True, False, self._io))

        self.issue_timestamp = self._io.read_s8be()
        self.max_timestamp = self._io.read_s8be()
        self.expiration_timestamp = self._io.read_s8be()
        self.token_id = kafka_string.KafkaString(True, False, self._io)
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


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


