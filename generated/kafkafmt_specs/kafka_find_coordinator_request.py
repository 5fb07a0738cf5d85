# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaFindCoordinatorRequest(KaitaiStruct):
    """`FindCoordinatorRequest`: a request of the API with key 10, after its header
    (see `kafka_request`).
    
    .. seealso::
       FindCoordinatorRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/FindCoordinatorRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaFindCoordinatorRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        if self.message_version <= 3:
            pass
            self.key = kafka_string.KafkaString(self.message_version >= 3, False, self._io)

        if self.message_version >= 1:
            pass
            self.key_type = self._io.read_s1()

        if self.message_version >= 4:
            pass
            self.num_coordinator_keys = kafka_array_length.KafkaArrayLength(True, False, self._io)

        if self.message_version >= 4:
            pass
            self.coordinator_keys = []
            for i in range(self.num_coordinator_keys.value):
                self.coordinator_keys.append(kafka_string.KafkaString(True, False, self._io))


        if self.message_version >= 3:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        if self.message_version <= 3:
            pass
            self.key._fetch_instances()

        if self.message_version >= 1:
            pass

        if self.message_version >= 4:
            pass
            self.num_coordinator_keys._fetch_instances()

        if self.message_version >= 4:
            pass
            for i in range(len(self.coordinator_keys)):
                pass
                self.coordinator_keys[i]._fetch_instances()


        if self.message_version >= 3:
            pass
            self.tagged_fields._fetch_instances()



