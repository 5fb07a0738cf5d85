# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_bytes
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaRenewDelegationTokenRequest(KaitaiStruct):
    """`RenewDelegationTokenRequest`: a request of the API with key 39, after its
    header (see `kafka_request`).
    
    .. seealso::
       RenewDelegationTokenRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/RenewDelegationTokenRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaRenewDelegationTokenRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.hmac = kafka_bytes.KafkaBytes(self.message_version >= 2, False, self._io)
        self.renew_period_ms = self._io.read_s8be()
        if self.message_version >= 2:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.hmac._fetch_instances()
        if self.message_version >= 2:
            pass
            self.tagged_fields._fetch_instances()



