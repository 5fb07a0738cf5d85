# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaNoOpRecord(KaitaiStruct):
    """No change; the active controller appends it to show that it can.
    
    .. seealso::
       NoOpRecord - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/NoOpRecord.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaNoOpRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.tagged_fields._fetch_instances()


