# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_boolean
from . import kafka_bytes
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaPushTelemetryRequest(KaitaiStruct):
    """`PushTelemetryRequest`: a request of the API with key 72, after its header
    (see `kafka_request`).
    
    .. seealso::
       PushTelemetryRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/PushTelemetryRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaPushTelemetryRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.client_instance_id = self._io.read_bytes(16)
        self.subscription_id = self._io.read_s4be()
        self.terminating = kafka_boolean.KafkaBoolean(self._io)
        self.compression_type = self._io.read_s1()
        self.metrics = kafka_bytes.KafkaBytes(True, False, self._io)
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.terminating._fetch_instances()
        self.metrics._fetch_instances()
        self.tagged_fields._fetch_instances()


