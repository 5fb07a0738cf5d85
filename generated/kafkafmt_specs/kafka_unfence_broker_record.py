# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaUnfenceBrokerRecord(KaitaiStruct):
    """A broker was unfenced. Since 3.3 Kafka writes a
    `kafka_broker_registration_change_record` instead.
    
    .. seealso::
       UnfenceBrokerRecord - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/UnfenceBrokerRecord.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaUnfenceBrokerRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.id = self._io.read_s4be()
        self.epoch = self._io.read_s8be()
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.tagged_fields._fetch_instances()


