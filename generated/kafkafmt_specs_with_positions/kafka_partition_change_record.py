# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_unsigned_varint
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaPartitionChangeRecord(KaitaiStruct):
    """Something changed about a partition. What did not change is left out.
    
    .. seealso::
       PartitionChangeRecord - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/PartitionChangeRecord.json
    """
    SEQ_FIELDS = ["partition_id", "topic_id", "tagged_fields"]
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaPartitionChangeRecord, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['partition_id']['start'] = self._io.pos()
        self.partition_id = self._io.read_s4be()
        self._debug['partition_id']['end'] = self._io.pos()
        self._debug['topic_id']['start'] = self._io.pos()
        self.topic_id = self._io.read_bytes(16)
        self._debug['topic_id']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = KafkaPartitionChangeRecord.TaggedFields(self._io, self, self._root)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.tagged_fields._fetch_instances()

    class AddingReplicasTag(KaitaiStruct):
        """Field of tag 4."""
        SEQ_FIELDS = ["num_adding_replicas", "adding_replicas", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.AddingReplicasTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['num_adding_replicas']['start'] = self._io.pos()
            self.num_adding_replicas = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.num_adding_replicas._read()
            self._debug['num_adding_replicas']['end'] = self._io.pos()
            self._debug['adding_replicas']['start'] = self._io.pos()
            self._debug['adding_replicas']['arr'] = []
            self.adding_replicas = []
            for i in range(self.num_adding_replicas.value):
                self._debug['adding_replicas']['arr'].append({'start': self._io.pos()})
                self.adding_replicas.append(self._io.read_s4be())
                self._debug['adding_replicas']['arr'][i]['end'] = self._io.pos()

            self._debug['adding_replicas']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            self.num_adding_replicas._fetch_instances()
            for i in range(len(self.adding_replicas)):
                pass

            if (not (self._io.is_eof())):
                pass



    class DirectoriesTag(KaitaiStruct):
        """Field of tag 8."""
        SEQ_FIELDS = ["num_directories", "directories", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.DirectoriesTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['num_directories']['start'] = self._io.pos()
            self.num_directories = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.num_directories._read()
            self._debug['num_directories']['end'] = self._io.pos()
            self._debug['directories']['start'] = self._io.pos()
            self._debug['directories']['arr'] = []
            self.directories = []
            for i in range(self.num_directories.value):
                self._debug['directories']['arr'].append({'start': self._io.pos()})
                self.directories.append(self._io.read_bytes(16))
                self._debug['directories']['arr'][i]['end'] = self._io.pos()

            self._debug['directories']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            self.num_directories._fetch_instances()
            for i in range(len(self.directories)):
                pass

            if (not (self._io.is_eof())):
                pass



    class EligibleLeaderReplicasTag(KaitaiStruct):
        """Field of tag 6."""
        SEQ_FIELDS = ["num_eligible_leader_replicas", "eligible_leader_replicas", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.EligibleLeaderReplicasTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['num_eligible_leader_replicas']['start'] = self._io.pos()
            self.num_eligible_leader_replicas = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.num_eligible_leader_replicas._read()
            self._debug['num_eligible_leader_replicas']['end'] = self._io.pos()
            self._debug['eligible_leader_replicas']['start'] = self._io.pos()
            self._debug['eligible_leader_replicas']['arr'] = []
            self.eligible_leader_replicas = []
            for i in range(self.num_eligible_leader_replicas.value):
                self._debug['eligible_leader_replicas']['arr'].append({'start': self._io.pos()})
                self.eligible_leader_replicas.append(self._io.read_s4be())
                self._debug['eligible_leader_replicas']['arr'][i]['end'] = self._io.pos()

            self._debug['eligible_leader_replicas']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            self.num_eligible_leader_replicas._fetch_instances()
            for i in range(len(self.eligible_leader_replicas)):
                pass

            if (not (self._io.is_eof())):
                pass



    class IsrTag(KaitaiStruct):
        """Field of tag 0."""
        SEQ_FIELDS = ["num_isr", "isr", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.IsrTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['num_isr']['start'] = self._io.pos()
            self.num_isr = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.num_isr._read()
            self._debug['num_isr']['end'] = self._io.pos()
            self._debug['isr']['start'] = self._io.pos()
            self._debug['isr']['arr'] = []
            self.isr = []
            for i in range(self.num_isr.value):
                self._debug['isr']['arr'].append({'start': self._io.pos()})
                self.isr.append(self._io.read_s4be())
                self._debug['isr']['arr'][i]['end'] = self._io.pos()

            self._debug['isr']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            self.num_isr._fetch_instances()
            for i in range(len(self.isr)):
                pass

            if (not (self._io.is_eof())):
                pass



    class LastKnownElrTag(KaitaiStruct):
        """Field of tag 7."""
        SEQ_FIELDS = ["num_last_known_elr", "last_known_elr", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.LastKnownElrTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['num_last_known_elr']['start'] = self._io.pos()
            self.num_last_known_elr = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.num_last_known_elr._read()
            self._debug['num_last_known_elr']['end'] = self._io.pos()
            self._debug['last_known_elr']['start'] = self._io.pos()
            self._debug['last_known_elr']['arr'] = []
            self.last_known_elr = []
            for i in range(self.num_last_known_elr.value):
                self._debug['last_known_elr']['arr'].append({'start': self._io.pos()})
                self.last_known_elr.append(self._io.read_s4be())
                self._debug['last_known_elr']['arr'][i]['end'] = self._io.pos()

            self._debug['last_known_elr']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            self.num_last_known_elr._fetch_instances()
            for i in range(len(self.last_known_elr)):
                pass

            if (not (self._io.is_eof())):
                pass



    class LeaderRecoveryStateTag(KaitaiStruct):
        """Field of tag 5."""
        SEQ_FIELDS = ["leader_recovery_state", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.LeaderRecoveryStateTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['leader_recovery_state']['start'] = self._io.pos()
            self.leader_recovery_state = self._io.read_s1()
            self._debug['leader_recovery_state']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class LeaderTag(KaitaiStruct):
        """Field of tag 1."""
        SEQ_FIELDS = ["leader", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.LeaderTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['leader']['start'] = self._io.pos()
            self.leader = self._io.read_s4be()
            self._debug['leader']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class RemovingReplicasTag(KaitaiStruct):
        """Field of tag 3."""
        SEQ_FIELDS = ["num_removing_replicas", "removing_replicas", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.RemovingReplicasTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['num_removing_replicas']['start'] = self._io.pos()
            self.num_removing_replicas = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.num_removing_replicas._read()
            self._debug['num_removing_replicas']['end'] = self._io.pos()
            self._debug['removing_replicas']['start'] = self._io.pos()
            self._debug['removing_replicas']['arr'] = []
            self.removing_replicas = []
            for i in range(self.num_removing_replicas.value):
                self._debug['removing_replicas']['arr'].append({'start': self._io.pos()})
                self.removing_replicas.append(self._io.read_s4be())
                self._debug['removing_replicas']['arr'][i]['end'] = self._io.pos()

            self._debug['removing_replicas']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            self.num_removing_replicas._fetch_instances()
            for i in range(len(self.removing_replicas)):
                pass

            if (not (self._io.is_eof())):
                pass



    class ReplicasTag(KaitaiStruct):
        """Field of tag 2."""
        SEQ_FIELDS = ["num_replicas", "replicas", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.ReplicasTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['num_replicas']['start'] = self._io.pos()
            self.num_replicas = kafka_array_length.KafkaArrayLength(True, True, self._io)
            self.num_replicas._read()
            self._debug['num_replicas']['end'] = self._io.pos()
            self._debug['replicas']['start'] = self._io.pos()
            self._debug['replicas']['arr'] = []
            self.replicas = []
            for i in range(self.num_replicas.value):
                self._debug['replicas']['arr'].append({'start': self._io.pos()})
                self.replicas.append(self._io.read_s4be())
                self._debug['replicas']['arr'][i]['end'] = self._io.pos()

            self._debug['replicas']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            self.num_replicas._fetch_instances()
            for i in range(len(self.replicas)):
                pass

            if (not (self._io.is_eof())):
                pass



    class TaggedField(KaitaiStruct):
        """A field that may be missing."""
        SEQ_FIELDS = ["tag", "len_data", "data"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.TaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['tag']['start'] = self._io.pos()
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.tag._read()
            self._debug['tag']['end'] = self._io.pos()
            self._debug['len_data']['start'] = self._io.pos()
            self.len_data = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_data._read()
            self._debug['len_data']['end'] = self._io.pos()
            self._debug['data']['start'] = self._io.pos()
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 8) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 6) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 7) or (self._root.message_version >= 2)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaPartitionChangeRecord.IsrTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 1:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 8) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 6) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 7) or (self._root.message_version >= 2)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaPartitionChangeRecord.LeaderTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 2:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 8) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 6) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 7) or (self._root.message_version >= 2)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaPartitionChangeRecord.ReplicasTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 3:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 8) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 6) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 7) or (self._root.message_version >= 2)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaPartitionChangeRecord.RemovingReplicasTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 4:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 8) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 6) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 7) or (self._root.message_version >= 2)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaPartitionChangeRecord.AddingReplicasTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 5:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 8) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 6) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 7) or (self._root.message_version >= 2)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaPartitionChangeRecord.LeaderRecoveryStateTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 6:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 8) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 6) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 7) or (self._root.message_version >= 2)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaPartitionChangeRecord.EligibleLeaderReplicasTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 7:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 8) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 6) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 7) or (self._root.message_version >= 2)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaPartitionChangeRecord.LastKnownElrTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 8:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 8) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 6) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 7) or (self._root.message_version >= 2)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaPartitionChangeRecord.DirectoriesTag(_io__raw_data, self, self._root)
                self.data._read()
            else:
                pass
                self.data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 8) or (self._root.message_version >= 1)) ) and ( ((self.tag.value != 6) or (self._root.message_version >= 2)) ) and ( ((self.tag.value != 7) or (self._root.message_version >= 2)) ))  else -1))
            self._debug['data']['end'] = self._io.pos()


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
        SEQ_FIELDS = ["num_fields", "fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaPartitionChangeRecord.TaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['num_fields']['start'] = self._io.pos()
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.num_fields._read()
            self._debug['num_fields']['end'] = self._io.pos()
            self._debug['fields']['start'] = self._io.pos()
            self._debug['fields']['arr'] = []
            self.fields = []
            for i in range(self.num_fields.value):
                self._debug['fields']['arr'].append({'start': self._io.pos()})
                _t_fields = KafkaPartitionChangeRecord.TaggedField(self._io, self, self._root)
                try:
                    _t_fields._read()
                finally:
                    self.fields.append(_t_fields)
                self._debug['fields']['arr'][i]['end'] = self._io.pos()

            self._debug['fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()




