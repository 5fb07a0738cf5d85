# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_bytes
from . import kafka_string
from . import kafka_tagged_fields
from . import kafka_unsigned_varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaFetchSnapshotResponse(KaitaiStruct):
    """`FetchSnapshotResponse`: a response of the API with key 59, after its header
    (see `kafka_response`).
    
    .. seealso::
       FetchSnapshotResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/FetchSnapshotResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaFetchSnapshotResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.throttle_time_ms = self._io.read_s4be()
        self.error_code = self._io.read_s2be()
        self.num_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(KafkaFetchSnapshotResponse.TopicSnapshot(self._io, self, self._root))

        self.tagged_fields = KafkaFetchSnapshotResponse.TaggedFields(self._io, self, self._root)


    def _fetch_instances(self):
        pass
        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class LeaderIdAndEpoch(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchSnapshotResponse.LeaderIdAndEpoch, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.leader_id = self._io.read_s4be()
            self.leader_epoch = self._io.read_s4be()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.tagged_fields._fetch_instances()


    class NodeEndpoint(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchSnapshotResponse.NodeEndpoint, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 1:
                pass
                self.node_id = self._io.read_s4be()

            if self._root.message_version >= 1:
                pass
                self.host = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 1:
                pass
                self.port = self._io.read_u2be()

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            if self._root.message_version >= 1:
                pass

            if self._root.message_version >= 1:
                pass
                self.host._fetch_instances()

            if self._root.message_version >= 1:
                pass

            self.tagged_fields._fetch_instances()


    class NodeEndpointsTag(KaitaiStruct):
        """Field of tag 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchSnapshotResponse.NodeEndpointsTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_node_endpoints = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.node_endpoints = []
            for i in range(self.num_node_endpoints.value):
                self.node_endpoints.append(KafkaFetchSnapshotResponse.NodeEndpoint(self._io, self, self._root))

            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.num_node_endpoints._fetch_instances()
            for i in range(len(self.node_endpoints)):
                pass
                self.node_endpoints[i]._fetch_instances()

            if (not (self._io.is_eof())):
                pass



    class PartitionSnapshot(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchSnapshotResponse.PartitionSnapshot, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.index = self._io.read_s4be()
            self.error_code = self._io.read_s2be()
            self.snapshot_id = KafkaFetchSnapshotResponse.SnapshotId(self._io, self, self._root)
            self.size = self._io.read_s8be()
            self.position = self._io.read_s8be()
            self.unaligned_records = kafka_bytes.KafkaBytes(True, False, self._io)
            self.tagged_fields = KafkaFetchSnapshotResponse.PartitionSnapshotTaggedFields(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.snapshot_id._fetch_instances()
            self.unaligned_records._fetch_instances()
            self.tagged_fields._fetch_instances()


    class PartitionSnapshotCurrentLeaderTag(KaitaiStruct):
        """Field of tag 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchSnapshotResponse.PartitionSnapshotCurrentLeaderTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.current_leader = KafkaFetchSnapshotResponse.LeaderIdAndEpoch(self._io, self, self._root)
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.current_leader._fetch_instances()
            if (not (self._io.is_eof())):
                pass



    class PartitionSnapshotTaggedField(KaitaiStruct):
        """A field that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchSnapshotResponse.PartitionSnapshotTaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_data = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaFetchSnapshotResponse.PartitionSnapshotCurrentLeaderTag(_io__raw_data, self, self._root)
            else:
                pass
                self.data = self._io.read_bytes(self.len_data.value)


        def _fetch_instances(self):
            pass
            self.tag._fetch_instances()
            self.len_data._fetch_instances()
            _on = self.tag.value
            if _on == 0:
                pass
                self.data._fetch_instances()
            else:
                pass


    class PartitionSnapshotTaggedFields(KaitaiStruct):
        """Fields that may be missing (KIP-482)."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchSnapshotResponse.PartitionSnapshotTaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.fields = []
            for i in range(self.num_fields.value):
                self.fields.append(KafkaFetchSnapshotResponse.PartitionSnapshotTaggedField(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class SnapshotId(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchSnapshotResponse.SnapshotId, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.end_offset = self._io.read_s8be()
            self.epoch = self._io.read_s4be()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.tagged_fields._fetch_instances()


    class TaggedField(KaitaiStruct):
        """A field that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchSnapshotResponse.TaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_data = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  ((self.tag.value != 0) or (self._root.message_version >= 1))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaFetchSnapshotResponse.NodeEndpointsTag(_io__raw_data, self, self._root)
            else:
                pass
                self.data = self._io.read_bytes((self.len_data.value if  ((self.tag.value != 0) or (self._root.message_version >= 1))  else -1))


        def _fetch_instances(self):
            pass
            self.tag._fetch_instances()
            self.len_data._fetch_instances()
            _on = self.tag.value
            if _on == 0:
                pass
                self.data._fetch_instances()
            else:
                pass


    class TaggedFields(KaitaiStruct):
        """Fields that may be missing (KIP-482)."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchSnapshotResponse.TaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.fields = []
            for i in range(self.num_fields.value):
                self.fields.append(KafkaFetchSnapshotResponse.TaggedField(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class TopicSnapshot(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchSnapshotResponse.TopicSnapshot, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaFetchSnapshotResponse.PartitionSnapshot(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()

            self.tagged_fields._fetch_instances()



