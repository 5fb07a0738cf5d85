# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaVotersRecord(KaitaiStruct):
    """Value of the control record of type `kraft_voters` in the metadata log and its
    snapshots. It has all controllers that vote, and replaces the one before it.
    
    .. seealso::
       KIP-853 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-853%3A+KRaft+Controller+Membership+Changes
    
    
    .. seealso::
       VotersRecord - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/VotersRecord.json
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaVotersRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.version = self._io.read_s2be()
        if not self.version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.version, self._io, u"/seq/0")
        if not self.version <= 0:
            raise kaitaistruct.ValidationGreaterThanError(0, self.version, self._io, u"/seq/0")
        self.num_voters = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.voters = []
        for i in range(self.num_voters.value):
            self.voters.append(KafkaVotersRecord.Voter(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_voters._fetch_instances()
        for i in range(len(self.voters)):
            pass
            self.voters[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class Endpoint(KaitaiStruct):
        """Address of a voter."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaVotersRecord.Endpoint, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.host = kafka_string.KafkaString(True, False, self._io)
            self.port = self._io.read_u2be()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.host._fetch_instances()
            self.tagged_fields._fetch_instances()


    class KraftVersionFeature(KaitaiStruct):
        """Versions of the feature `kraft.version` that a voter supports."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaVotersRecord.KraftVersionFeature, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.min_supported_version = self._io.read_s2be()
            self.max_supported_version = self._io.read_s2be()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.tagged_fields._fetch_instances()


    class Voter(KaitaiStruct):
        """A controller that votes."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaVotersRecord.Voter, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.voter_id = self._io.read_s4be()
            self.voter_directory_id = self._io.read_bytes(16)
            self.num_endpoints = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.endpoints = []
            for i in range(self.num_endpoints.value):
                self.endpoints.append(KafkaVotersRecord.Endpoint(self._io, self, self._root))

            self.kraft_version_feature = KafkaVotersRecord.KraftVersionFeature(self._io, self, self._root)
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_endpoints._fetch_instances()
            for i in range(len(self.endpoints)):
                pass
                self.endpoints[i]._fetch_instances()

            self.kraft_version_feature._fetch_instances()
            self.tagged_fields._fetch_instances()



