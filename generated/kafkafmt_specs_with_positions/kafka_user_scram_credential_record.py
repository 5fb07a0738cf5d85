# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_bytes
from . import kafka_string
from . import kafka_tagged_fields
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaUserScramCredentialRecord(KaitaiStruct):
    """SCRAM credential of a user (RFC 5802). It is a secret - with it one can log in
    as the broker to the user, and try passwords.
    
    .. seealso::
       UserScramCredentialRecord - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/UserScramCredentialRecord.json
    """
    SEQ_FIELDS = ["name", "mechanism", "salt", "stored_key", "server_key", "iterations", "tagged_fields"]
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaUserScramCredentialRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['name']['start'] = self._io.pos()
        self.name = kafka_string.KafkaString(True, False, self._io)
        self.name._read()
        self._debug['name']['end'] = self._io.pos()
        self._debug['mechanism']['start'] = self._io.pos()
        self.mechanism = self._io.read_s1()
        self._debug['mechanism']['end'] = self._io.pos()
        self._debug['salt']['start'] = self._io.pos()
        self.salt = kafka_bytes.KafkaBytes(True, False, self._io)
        self.salt._read()
        self._debug['salt']['end'] = self._io.pos()
        self._debug['stored_key']['start'] = self._io.pos()
        self.stored_key = kafka_bytes.KafkaBytes(True, False, self._io)
        self.stored_key._read()
        self._debug['stored_key']['end'] = self._io.pos()
        self._debug['server_key']['start'] = self._io.pos()
        self.server_key = kafka_bytes.KafkaBytes(True, False, self._io)
        self.server_key._read()
        self._debug['server_key']['end'] = self._io.pos()
        self._debug['iterations']['start'] = self._io.pos()
        self.iterations = self._io.read_s4be()
        self._debug['iterations']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.name._fetch_instances()
        self.salt._fetch_instances()
        self.stored_key._fetch_instances()
        self.server_key._fetch_instances()
        self.tagged_fields._fetch_instances()


