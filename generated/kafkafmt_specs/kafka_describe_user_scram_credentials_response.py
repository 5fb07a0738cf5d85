# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaDescribeUserScramCredentialsResponse(KaitaiStruct):
    """`DescribeUserScramCredentialsResponse`: a response of the API with key 50,
    after its header (see `kafka_response`).
    
    .. seealso::
       DescribeUserScramCredentialsResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeUserScramCredentialsResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaDescribeUserScramCredentialsResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.throttle_time_ms = self._io.read_s4be()
        self.error_code = self._io.read_s2be()
        self.error_message = kafka_string.KafkaString(True, True, self._io)
        self.num_results = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.results = []
        for i in range(self.num_results.value):
            self.results.append(KafkaDescribeUserScramCredentialsResponse.DescribeUserScramCredentialsResult(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.error_message._fetch_instances()
        self.num_results._fetch_instances()
        for i in range(len(self.results)):
            pass
            self.results[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class CredentialInfo(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeUserScramCredentialsResponse.CredentialInfo, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.mechanism = self._io.read_s1()
            self.iterations = self._io.read_s4be()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.tagged_fields._fetch_instances()


    class DescribeUserScramCredentialsResult(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeUserScramCredentialsResponse.DescribeUserScramCredentialsResult, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.user = kafka_string.KafkaString(True, False, self._io)
            self.error_code = self._io.read_s2be()
            self.error_message = kafka_string.KafkaString(True, True, self._io)
            self.num_credential_infos = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.credential_infos = []
            for i in range(self.num_credential_infos.value):
                self.credential_infos.append(KafkaDescribeUserScramCredentialsResponse.CredentialInfo(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.user._fetch_instances()
            self.error_message._fetch_instances()
            self.num_credential_infos._fetch_instances()
            for i in range(len(self.credential_infos)):
                pass
                self.credential_infos[i]._fetch_instances()

            self.tagged_fields._fetch_instances()



