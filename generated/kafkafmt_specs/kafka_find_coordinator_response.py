# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaFindCoordinatorResponse(KaitaiStruct):
    """`FindCoordinatorResponse`: a response of the API with key 10, after its header
    (see `kafka_response`).
    
    .. seealso::
       FindCoordinatorResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/FindCoordinatorResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaFindCoordinatorResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        if self.message_version >= 1:
            pass
            self.throttle_time_ms = self._io.read_s4be()

        if self.message_version <= 3:
            pass
            self.error_code = self._io.read_s2be()

        if  ((self.message_version >= 1) and (self.message_version <= 3)) :
            pass
            self.error_message = kafka_string.KafkaString(self.message_version >= 3, True, self._io)

        if self.message_version <= 3:
            pass
            self.node_id = self._io.read_s4be()

        if self.message_version <= 3:
            pass
            self.host = kafka_string.KafkaString(self.message_version >= 3, False, self._io)

        if self.message_version <= 3:
            pass
            self.port = self._io.read_s4be()

        if self.message_version >= 4:
            pass
            self.num_coordinators = kafka_array_length.KafkaArrayLength(True, False, self._io)

        if self.message_version >= 4:
            pass
            self.coordinators = []
            for i in range(self.num_coordinators.value):
                self.coordinators.append(KafkaFindCoordinatorResponse.Coordinator(self._io, self, self._root))


        if self.message_version >= 3:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        if self.message_version >= 1:
            pass

        if self.message_version <= 3:
            pass

        if  ((self.message_version >= 1) and (self.message_version <= 3)) :
            pass
            self.error_message._fetch_instances()

        if self.message_version <= 3:
            pass

        if self.message_version <= 3:
            pass
            self.host._fetch_instances()

        if self.message_version <= 3:
            pass

        if self.message_version >= 4:
            pass
            self.num_coordinators._fetch_instances()

        if self.message_version >= 4:
            pass
            for i in range(len(self.coordinators)):
                pass
                self.coordinators[i]._fetch_instances()


        if self.message_version >= 3:
            pass
            self.tagged_fields._fetch_instances()


    class Coordinator(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFindCoordinatorResponse.Coordinator, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 4:
                pass
                self.key = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 4:
                pass
                self.node_id = self._io.read_s4be()

            if self._root.message_version >= 4:
                pass
                self.host = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 4:
                pass
                self.port = self._io.read_s4be()

            if self._root.message_version >= 4:
                pass
                self.error_code = self._io.read_s2be()

            if self._root.message_version >= 4:
                pass
                self.error_message = kafka_string.KafkaString(True, True, self._io)

            if self._root.message_version >= 3:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 4:
                pass
                self.key._fetch_instances()

            if self._root.message_version >= 4:
                pass

            if self._root.message_version >= 4:
                pass
                self.host._fetch_instances()

            if self._root.message_version >= 4:
                pass

            if self._root.message_version >= 4:
                pass

            if self._root.message_version >= 4:
                pass
                self.error_message._fetch_instances()

            if self._root.message_version >= 3:
                pass
                self.tagged_fields._fetch_instances()




