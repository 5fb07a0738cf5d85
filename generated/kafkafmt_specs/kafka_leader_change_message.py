# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaLeaderChangeMessage(KaitaiStruct):
    """Value of the control record of type `leader_change`, which a new leader of the
    metadata log appends before anything else. Its epoch is the
    `partition_leader_epoch` of the `kafka_record_batch`.
    
    Version 1 adds the directories of the voters (KIP-853). Kafka 4.3 knows it,
    but still writes version 0.
    
    .. seealso::
       KIP-595 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-595%3A+A+Raft+Protocol+for+the+Metadata+Quorum
    
    
    .. seealso::
       KIP-853 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-853%3A+KRaft+Controller+Membership+Changes
    
    
    .. seealso::
       LeaderChangeMessage - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/LeaderChangeMessage.json
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaLeaderChangeMessage, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.version = self._io.read_s2be()
        if not self.version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.version, self._io, u"/seq/0")
        if not self.version <= 1:
            raise kaitaistruct.ValidationGreaterThanError(1, self.version, self._io, u"/seq/0")
        self.leader_id = self._io.read_s4be()
        self.num_voters = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.voters = []
        for i in range(self.num_voters.value):
            self.voters.append(KafkaLeaderChangeMessage.Voter(self._io, self, self._root))

        self.num_granting_voters = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.granting_voters = []
        for i in range(self.num_granting_voters.value):
            self.granting_voters.append(KafkaLeaderChangeMessage.Voter(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_voters._fetch_instances()
        for i in range(len(self.voters)):
            pass
            self.voters[i]._fetch_instances()

        self.num_granting_voters._fetch_instances()
        for i in range(len(self.granting_voters)):
            pass
            self.granting_voters[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class Voter(KaitaiStruct):
        """A controller that votes."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaLeaderChangeMessage.Voter, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.voter_id = self._io.read_s4be()
            if self._root.version >= 1:
                pass
                self.voter_directory_id = self._io.read_bytes(16)

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            if self._root.version >= 1:
                pass

            self.tagged_fields._fetch_instances()



