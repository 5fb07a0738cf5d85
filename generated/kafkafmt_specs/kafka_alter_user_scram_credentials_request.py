# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_bytes
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaAlterUserScramCredentialsRequest(KaitaiStruct):
    """`AlterUserScramCredentialsRequest`: a request of the API with key 51, after
    its header (see `kafka_request`).
    
    .. seealso::
       AlterUserScramCredentialsRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AlterUserScramCredentialsRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaAlterUserScramCredentialsRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.num_deletions = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.deletions = []
        for i in range(self.num_deletions.value):
            self.deletions.append(KafkaAlterUserScramCredentialsRequest.ScramCredentialDeletion(self._io, self, self._root))

        self.num_upsertions = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.upsertions = []
        for i in range(self.num_upsertions.value):
            self.upsertions.append(KafkaAlterUserScramCredentialsRequest.ScramCredentialUpsertion(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_deletions._fetch_instances()
        for i in range(len(self.deletions)):
            pass
            self.deletions[i]._fetch_instances()

        self.num_upsertions._fetch_instances()
        for i in range(len(self.upsertions)):
            pass
            self.upsertions[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class ScramCredentialDeletion(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAlterUserScramCredentialsRequest.ScramCredentialDeletion, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.mechanism = self._io.read_s1()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.tagged_fields._fetch_instances()


    class ScramCredentialUpsertion(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAlterUserScramCredentialsRequest.ScramCredentialUpsertion, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.mechanism = self._io.read_s1()
            self.iterations = self._io.read_s4be()
            self.salt = kafka_bytes.KafkaBytes(True, False, self._io)
            self.salted_password = kafka_bytes.KafkaBytes(True, False, self._io)
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.salt._fetch_instances()
            self.salted_password._fetch_instances()
            self.tagged_fields._fetch_instances()



