# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields
from . import kafka_unsigned_varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaFetchRequest(KaitaiStruct):
    """`FetchRequest`: a request of the API with key 1, after its header (see
    `kafka_request`).
    
    .. seealso::
       FetchRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/FetchRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaFetchRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        if self.message_version <= 14:
            pass
            self.replica_id = self._io.read_s4be()

        self.max_wait_ms = self._io.read_s4be()
        self.min_bytes = self._io.read_s4be()
        self.max_bytes = self._io.read_s4be()
        self.isolation_level = self._io.read_s1()
        if self.message_version >= 7:
            pass
            self.session_id = self._io.read_s4be()

        if self.message_version >= 7:
            pass
            self.session_epoch = self._io.read_s4be()

        self.num_topics = kafka_array_length.KafkaArrayLength(self.message_version >= 12, False, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(KafkaFetchRequest.FetchTopic(self._io, self, self._root))

        if self.message_version >= 7:
            pass
            self.num_forgotten_topics_data = kafka_array_length.KafkaArrayLength(self.message_version >= 12, False, self._io)

        if self.message_version >= 7:
            pass
            self.forgotten_topics_data = []
            for i in range(self.num_forgotten_topics_data.value):
                self.forgotten_topics_data.append(KafkaFetchRequest.ForgottenTopic(self._io, self, self._root))


        if self.message_version >= 11:
            pass
            self.rack_id = kafka_string.KafkaString(self.message_version >= 12, False, self._io)

        if self.message_version >= 12:
            pass
            self.tagged_fields = KafkaFetchRequest.TaggedFields(self._io, self, self._root)



    def _fetch_instances(self):
        pass
        if self.message_version <= 14:
            pass

        if self.message_version >= 7:
            pass

        if self.message_version >= 7:
            pass

        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        if self.message_version >= 7:
            pass
            self.num_forgotten_topics_data._fetch_instances()

        if self.message_version >= 7:
            pass
            for i in range(len(self.forgotten_topics_data)):
                pass
                self.forgotten_topics_data[i]._fetch_instances()


        if self.message_version >= 11:
            pass
            self.rack_id._fetch_instances()

        if self.message_version >= 12:
            pass
            self.tagged_fields._fetch_instances()


    class ClusterIdTag(KaitaiStruct):
        """Field of tag 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchRequest.ClusterIdTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.cluster_id = kafka_string.KafkaString(True, True, self._io)
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.cluster_id._fetch_instances()
            if (not (self._io.is_eof())):
                pass



    class FetchPartition(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchRequest.FetchPartition, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition = self._io.read_s4be()
            if self._root.message_version >= 9:
                pass
                self.current_leader_epoch = self._io.read_s4be()

            self.fetch_offset = self._io.read_s8be()
            if self._root.message_version >= 12:
                pass
                self.last_fetched_epoch = self._io.read_s4be()

            if self._root.message_version >= 5:
                pass
                self.log_start_offset = self._io.read_s8be()

            self.partition_max_bytes = self._io.read_s4be()
            if self._root.message_version >= 12:
                pass
                self.tagged_fields = KafkaFetchRequest.FetchPartitionTaggedFields(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 9:
                pass

            if self._root.message_version >= 12:
                pass

            if self._root.message_version >= 5:
                pass

            if self._root.message_version >= 12:
                pass
                self.tagged_fields._fetch_instances()



    class FetchPartitionHighWatermarkTag(KaitaiStruct):
        """Field of tag 1."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchRequest.FetchPartitionHighWatermarkTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.high_watermark = self._io.read_s8be()
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class FetchPartitionReplicaDirectoryIdTag(KaitaiStruct):
        """Field of tag 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchRequest.FetchPartitionReplicaDirectoryIdTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.replica_directory_id = self._io.read_bytes(16)
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class FetchPartitionTaggedField(KaitaiStruct):
        """A field that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchRequest.FetchPartitionTaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_data = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 0) or (self._root.message_version >= 17)) ) and ( ((self.tag.value != 1) or (self._root.message_version >= 18)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaFetchRequest.FetchPartitionReplicaDirectoryIdTag(_io__raw_data, self, self._root)
            elif _on == 1:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 0) or (self._root.message_version >= 17)) ) and ( ((self.tag.value != 1) or (self._root.message_version >= 18)) ))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaFetchRequest.FetchPartitionHighWatermarkTag(_io__raw_data, self, self._root)
            else:
                pass
                self.data = self._io.read_bytes((self.len_data.value if  (( ((self.tag.value != 0) or (self._root.message_version >= 17)) ) and ( ((self.tag.value != 1) or (self._root.message_version >= 18)) ))  else -1))


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
            else:
                pass


    class FetchPartitionTaggedFields(KaitaiStruct):
        """Fields that may be missing (KIP-482)."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchRequest.FetchPartitionTaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.fields = []
            for i in range(self.num_fields.value):
                self.fields.append(KafkaFetchRequest.FetchPartitionTaggedField(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class FetchTopic(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchRequest.FetchTopic, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version <= 12:
                pass
                self.topic = kafka_string.KafkaString(self._root.message_version >= 12, False, self._io)

            if self._root.message_version >= 13:
                pass
                self.topic_id = self._io.read_bytes(16)

            self.num_partitions = kafka_array_length.KafkaArrayLength(self._root.message_version >= 12, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaFetchRequest.FetchPartition(self._io, self, self._root))

            if self._root.message_version >= 12:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version <= 12:
                pass
                self.topic._fetch_instances()

            if self._root.message_version >= 13:
                pass

            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()

            if self._root.message_version >= 12:
                pass
                self.tagged_fields._fetch_instances()



    class ForgottenTopic(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchRequest.ForgottenTopic, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if  ((self._root.message_version >= 7) and (self._root.message_version <= 12)) :
                pass
                self.topic = kafka_string.KafkaString(self._root.message_version >= 12, False, self._io)

            if self._root.message_version >= 13:
                pass
                self.topic_id = self._io.read_bytes(16)

            if self._root.message_version >= 7:
                pass
                self.num_partitions = kafka_array_length.KafkaArrayLength(self._root.message_version >= 12, False, self._io)

            if self._root.message_version >= 7:
                pass
                self.partitions = []
                for i in range(self.num_partitions.value):
                    self.partitions.append(self._io.read_s4be())


            if self._root.message_version >= 12:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if  ((self._root.message_version >= 7) and (self._root.message_version <= 12)) :
                pass
                self.topic._fetch_instances()

            if self._root.message_version >= 13:
                pass

            if self._root.message_version >= 7:
                pass
                self.num_partitions._fetch_instances()

            if self._root.message_version >= 7:
                pass
                for i in range(len(self.partitions)):
                    pass


            if self._root.message_version >= 12:
                pass
                self.tagged_fields._fetch_instances()



    class ReplicaState(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchRequest.ReplicaState, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 15:
                pass
                self.replica_id = self._io.read_s4be()

            if self._root.message_version >= 15:
                pass
                self.replica_epoch = self._io.read_s8be()

            if self._root.message_version >= 12:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 15:
                pass

            if self._root.message_version >= 15:
                pass

            if self._root.message_version >= 12:
                pass
                self.tagged_fields._fetch_instances()



    class ReplicaStateTag(KaitaiStruct):
        """Field of tag 1."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchRequest.ReplicaStateTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.replica_state = KafkaFetchRequest.ReplicaState(self._io, self, self._root)
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.replica_state._fetch_instances()
            if (not (self._io.is_eof())):
                pass



    class TaggedField(KaitaiStruct):
        """A field that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchRequest.TaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_data = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  ((self.tag.value != 1) or (self._root.message_version >= 15))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaFetchRequest.ClusterIdTag(_io__raw_data, self, self._root)
            elif _on == 1:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  ((self.tag.value != 1) or (self._root.message_version >= 15))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaFetchRequest.ReplicaStateTag(_io__raw_data, self, self._root)
            else:
                pass
                self.data = self._io.read_bytes((self.len_data.value if  ((self.tag.value != 1) or (self._root.message_version >= 15))  else -1))


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
            else:
                pass


    class TaggedFields(KaitaiStruct):
        """Fields that may be missing (KIP-482)."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchRequest.TaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.fields = []
            for i in range(self.num_fields.value):
                self.fields.append(KafkaFetchRequest.TaggedField(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()




