# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_bytes
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaEnvelopeResponse(KaitaiStruct):
    """`EnvelopeResponse`: a response of the API with key 58, after its header (see
    `kafka_response`).
    
    .. seealso::
       EnvelopeResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/EnvelopeResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaEnvelopeResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.response_data = kafka_bytes.KafkaBytes(True, True, self._io)
        self.error_code = self._io.read_s2be()
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.response_data._fetch_instances()
        self.tagged_fields._fetch_instances()


