# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaCreateDelegationTokenRequest(KaitaiStruct):
    """`CreateDelegationTokenRequest`: a request of the API with key 38, after its
    header (see `kafka_request`).
    
    .. seealso::
       CreateDelegationTokenRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/CreateDelegationTokenRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaCreateDelegationTokenRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        if self.message_version >= 3:
            pass
            self.owner_principal_type = kafka_string.KafkaString(True, True, self._io)

        if self.message_version >= 3:
            pass
            self.owner_principal_name = kafka_string.KafkaString(True, True, self._io)

        self.num_renewers = kafka_array_length.KafkaArrayLength(self.message_version >= 2, False, self._io)
        self.renewers = []
        for i in range(self.num_renewers.value):
            self.renewers.append(KafkaCreateDelegationTokenRequest.CreatableRenewers(self._io, self, self._root))

        self.max_lifetime_ms = self._io.read_s8be()
        if self.message_version >= 2:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        if self.message_version >= 3:
            pass
            self.owner_principal_type._fetch_instances()

        if self.message_version >= 3:
            pass
            self.owner_principal_name._fetch_instances()

        self.num_renewers._fetch_instances()
        for i in range(len(self.renewers)):
            pass
            self.renewers[i]._fetch_instances()

        if self.message_version >= 2:
            pass
            self.tagged_fields._fetch_instances()


    class CreatableRenewers(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaCreateDelegationTokenRequest.CreatableRenewers, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.principal_type = kafka_string.KafkaString(self._root.message_version >= 2, False, self._io)
            self.principal_name = kafka_string.KafkaString(self._root.message_version >= 2, False, self._io)
            if self._root.message_version >= 2:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.principal_type._fetch_instances()
            self.principal_name._fetch_instances()
            if self._root.message_version >= 2:
                pass
                self.tagged_fields._fetch_instances()




