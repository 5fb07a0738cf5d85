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

class KafkaDescribeDelegationTokenResponse(KaitaiStruct):
    """`DescribeDelegationTokenResponse`: a response of the API with key 41, after
    its header (see `kafka_response`).
    
    .. seealso::
       DescribeDelegationTokenResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeDelegationTokenResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaDescribeDelegationTokenResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.error_code = self._io.read_s2be()
        self.num_tokens = kafka_array_length.KafkaArrayLength(self.message_version >= 2, False, self._io)
        self.tokens = []
        for i in range(self.num_tokens.value):
            self.tokens.append(KafkaDescribeDelegationTokenResponse.DescribedDelegationToken(self._io, self, self._root))

        self.throttle_time_ms = self._io.read_s4be()
        if self.message_version >= 2:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.num_tokens._fetch_instances()
        for i in range(len(self.tokens)):
            pass
            self.tokens[i]._fetch_instances()

        if self.message_version >= 2:
            pass
            self.tagged_fields._fetch_instances()


    class DescribedDelegationToken(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeDelegationTokenResponse.DescribedDelegationToken, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.principal_type = kafka_string.KafkaString(self._root.message_version >= 2, False, self._io)
            self.principal_name = kafka_string.KafkaString(self._root.message_version >= 2, False, self._io)
            if self._root.message_version >= 3:
                pass
                self.token_requester_principal_type = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 3:
                pass
                self.token_requester_principal_name = kafka_string.KafkaString(True, False, self._io)

            self.issue_timestamp = self._io.read_s8be()
            self.expiry_timestamp = self._io.read_s8be()
            self.max_timestamp = self._io.read_s8be()
            self.token_id = kafka_string.KafkaString(self._root.message_version >= 2, False, self._io)
            self.hmac = kafka_bytes.KafkaBytes(self._root.message_version >= 2, False, self._io)
            self.num_renewers = kafka_array_length.KafkaArrayLength(self._root.message_version >= 2, False, self._io)
            self.renewers = []
            for i in range(self.num_renewers.value):
                self.renewers.append(KafkaDescribeDelegationTokenResponse.DescribedDelegationTokenRenewer(self._io, self, self._root))

            if self._root.message_version >= 2:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.principal_type._fetch_instances()
            self.principal_name._fetch_instances()
            if self._root.message_version >= 3:
                pass
                self.token_requester_principal_type._fetch_instances()

            if self._root.message_version >= 3:
                pass
                self.token_requester_principal_name._fetch_instances()

            self.token_id._fetch_instances()
            self.hmac._fetch_instances()
            self.num_renewers._fetch_instances()
            for i in range(len(self.renewers)):
                pass
                self.renewers[i]._fetch_instances()

            if self._root.message_version >= 2:
                pass
                self.tagged_fields._fetch_instances()



    class DescribedDelegationTokenRenewer(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaDescribeDelegationTokenResponse.DescribedDelegationTokenRenewer, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.principal_type = kafka_string.KafkaString(self._root.message_version >= 2, False, self._io)
            self.principal_name = kafka_string.KafkaString(self._root.message_version >= 2, False, self._io)
            if self._root.message_version >= 2:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.principal_type._fetch_instances()
            self.principal_name._fetch_instances()
            if self._root.message_version >= 2:
                pass
                self.tagged_fields._fetch_instances()




