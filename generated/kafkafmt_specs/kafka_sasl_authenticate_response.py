# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_bytes
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaSaslAuthenticateResponse(KaitaiStruct):
    """`SaslAuthenticateResponse`: a response of the API with key 36, after its
    header (see `kafka_response`).
    
    .. seealso::
       SaslAuthenticateResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/SaslAuthenticateResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaSaslAuthenticateResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.error_code = self._io.read_s2be()
        self.error_message = kafka_string.KafkaString(self.message_version >= 2, True, self._io)
        self.auth_bytes = kafka_bytes.KafkaBytes(self.message_version >= 2, False, self._io)
        if self.message_version >= 1:
            pass
            self.session_lifetime_ms = self._io.read_s8be()

        if self.message_version >= 2:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.error_message._fetch_instances()
        self.auth_bytes._fetch_instances()
        if self.message_version >= 1:
            pass

        if self.message_version >= 2:
            pass
            self.tagged_fields._fetch_instances()



