# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_bytes
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaSyncGroupResponse(KaitaiStruct):
    """`SyncGroupResponse`: a response of the API with key 14, after its header (see
    `kafka_response`).
    
    .. seealso::
       SyncGroupResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/SyncGroupResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaSyncGroupResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        if self.message_version >= 1:
            pass
            self.throttle_time_ms = self._io.read_s4be()

        self.error_code = self._io.read_s2be()
        if self.message_version >= 5:
            pass
            self.protocol_type = kafka_string.KafkaString(True, True, self._io)

        if self.message_version >= 5:
            pass
            self.protocol_name = kafka_string.KafkaString(True, True, self._io)

        self.assignment = kafka_bytes.KafkaBytes(self.message_version >= 4, False, self._io)
        if self.message_version >= 4:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        if self.message_version >= 1:
            pass

        if self.message_version >= 5:
            pass
            self.protocol_type._fetch_instances()

        if self.message_version >= 5:
            pass
            self.protocol_name._fetch_instances()

        self.assignment._fetch_instances()
        if self.message_version >= 4:
            pass
            self.tagged_fields._fetch_instances()



