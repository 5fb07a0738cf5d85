# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_unsigned_varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaPartitionChangeRecord(KaitaiStruct):
    """Change of a partition. Fields that did not change are left out.
    
    .. seealso::
       PartitionChangeRecord - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/PartitionChangeRecord.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaPartitionChangeRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.partition_id = self._io.read_s4be()
        self.topic_id = self._io.read_bytes(16)
        self.tagged_fields = KafkaPartitionChangeRecord.TaggedFields(self._io, self, self._root)


    def _fetch_instances(self):
        pass
        self.tagged_fields._fetch_instances()

    class AddingReplicasTag(KaitaiStruct):
        """Field of tag 4."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.AddingReplicasTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_adding_replicas = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.adding_replicas = []
            for i in range(self.num_adding_replicas.value):
                self.adding_replicas.append(self._io.read_s4be())

            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.num_adding_replicas._fetch_instances()
            for i in range(len(self.adding_replicas)):
                pass

            if (not (self._io.is_eof())):
                pass



    class DirectoriesTag(KaitaiStruct):
        """Field of tag 8."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.DirectoriesTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_directories = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.directories = []
            for i in range(self.num_directories.value):
                self.directories.append(self._io.read_bytes(16))

            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.num_directories._fetch_instances()
            for i in range(len(self.directories)):
                pass

            if (not (self._io.is_eof())):
                pass



    class EligibleLeaderReplicasTag(KaitaiStruct):
        """Field of tag 6."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.EligibleLeaderReplicasTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_eligible_leader_replicas = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.eligible_leader_replicas = []
            for i in range(self.num_eligible_leader_replicas.value):
                self.eligible_leader_replicas.append(self._io.read_s4be())

            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.num_eligible_leader_replicas._fetch_instances()
            for i in range(len(self.eligible_leader_replicas)):
                pass

            if (not (self._io.is_eof())):
                pass



    class IsrTag(KaitaiStruct):
        """Field of tag 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.IsrTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_isr = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.isr = []
            for i in range(self.num_isr.value):
                self.isr.append(self._io.read_s4be())

            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.num_isr._fetch_instances()
            for i in range(len(self.isr)):
                pass

            if (not (self._io.is_eof())):
                pass



    class LastKnownElrTag(KaitaiStruct):
        """Field of tag 7."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.LastKnownElrTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_last_known_elr = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.last_known_elr = []
            for i in range(self.num_last_known_elr.value):
                self.last_known_elr.append(self._io.read_s4be())

            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.num_last_known_elr._fetch_instances()
            for i in range(len(self.last_known_elr)):
                pass

            if (not (self._io.is_eof())):
                pass



    class LeaderRecoveryStateTag(KaitaiStruct):
        """Field of tag 5."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.LeaderRecoveryStateTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.leader_recovery_state = self._io.read_s1()
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class LeaderTag(KaitaiStruct):
        """Field of tag 1."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.LeaderTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.leader = self._io.read_s4be()
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class RemovingReplicasTag(KaitaiStruct):
        """Field of tag 3."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.RemovingReplicasTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_removing_replicas = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.removing_replicas = []
            for i in range(self.num_removing_replicas.value):
                self.removing_replicas.append(self._io.read_s4be())

            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.num_removing_replicas._fetch_instances()
            for i in range(len(self.removing_replicas)):
                pass

            if (not (self._io.is_eof())):
                pass



    class ReplicasTag(KaitaiStruct):
        """Field of tag 2."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.ReplicasTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_replicas = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.replicas = []
            for i in range(self.num_replicas.value):
                self.replicas.append(self._io.read_s4be())

            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.num_replicas._fetch_instances()
            for i in range(len(self.replicas)):
                pass

            if (not (self._io.is_eof())):
                pass



    class TaggedField(KaitaiStruct):
        """A field that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.TaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_data = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 8) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 6) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 7) or (self._root.message_version >= 2)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaPartitionChangeRecord.IsrTag(_io__raw_data, self, self._root)
            elif _on == 1:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 8) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 6) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 7) or (self._root.message_version >= 2)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaPartitionChangeRecord.LeaderTag(_io__raw_data, self, self._root)
            elif _on == 2:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 8) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 6) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 7) or (self._root.message_version >= 2)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaPartitionChangeRecord.ReplicasTag(_io__raw_data, self, self._root)
            elif _on == 3:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 8) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 6) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 7) or (self._root.message_version >= 2)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaPartitionChangeRecord.RemovingReplicasTag(_io__raw_data, self, self._root)
            elif _on == 4:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 8) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 6) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 7) or (self._root.message_version >= 2)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaPartitionChangeRecord.AddingReplicasTag(_io__raw_data, self, self._root)
            elif _on == 5:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 8) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 6) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 7) or (self._root.message_version >= 2)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaPartitionChangeRecord.LeaderRecoveryStateTag(_io__raw_data, self, self._root)
            elif _on == 6:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 8) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 6) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 7) or (self._root.message_version >= 2)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaPartitionChangeRecord.EligibleLeaderReplicasTag(_io__raw_data, self, self._root)
            elif _on == 7:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 8) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 6) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 7) or (self._root.message_version >= 2)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaPartitionChangeRecord.LastKnownElrTag(_io__raw_data, self, self._root)
            elif _on == 8:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 8) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 6) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 7) or (self._root.message_version >= 2)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaPartitionChangeRecord.DirectoriesTag(_io__raw_data, self, self._root)
            else:
                pass
                self.data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 8) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 6) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 7) or (self._root.message_version >= 2)) ))  else -1))


        def _fetch_instances(self):
            pass
            self.tag._fetch_instances()
            self.len_data._fetch_instances()
            _on = self.tag.value
            if _on == 0:
                pass
                self.data._fetch_instances()
            elif _on == 1:
                pass
                self.data._fetch_instances()
            elif _on == 2:
                pass
                self.data._fetch_instances()
            elif _on == 3:
                pass
                self.data._fetch_instances()
            elif _on == 4:
                pass
                self.data._fetch_instances()
            elif _on == 5:
                pass
                self.data._fetch_instances()
            elif _on == 6:
                pass
                self.data._fetch_instances()
            elif _on == 7:
                pass
                self.data._fetch_instances()
            elif _on == 8:
                pass
                self.data._fetch_instances()
            else:
                pass


    class TaggedFields(KaitaiStruct):
        """Fields that may be missing (KIP-482)."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.TaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.fields = []
            for i in range(self.num_fields.value):
                self.fields.append(KafkaPartitionChangeRecord.TaggedField(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()




