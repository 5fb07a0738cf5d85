# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaSaslHandshakeResponse(KaitaiStruct):
    """`SaslHandshakeResponse`: a response of the API with key 17, after its header
    (see `kafka_response`).
    
    .. seealso::
       SaslHandshakeResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/SaslHandshakeResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaSaslHandshakeResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.error_code = self._io.read_s2be()
        self.num_mechanisms = kafka_array_length.KafkaArrayLength(False, False, self._io)
        self.mechanisms = []
        for i in range(self.num_mechanisms.value):
            self.mechanisms.append(kafka_string.KafkaString(False, False, self._io))



    def _fetch_instances(self):
        pass
        self.num_mechanisms._fetch_instances()
        for i in range(len(self.mechanisms)):
            pass
            self.mechanisms[i]._fetch_instances()



