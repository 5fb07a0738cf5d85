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

class KafkaBeginQuorumEpochResponse(KaitaiStruct):
    """`BeginQuorumEpochResponse`: a response of the API with key 53, after its
    header (see `kafka_response`).
    
    .. seealso::
       BeginQuorumEpochResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/BeginQuorumEpochResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaBeginQuorumEpochResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.error_code = self._io.read_s2be()
        self.num_topics = kafka_array_length.KafkaArrayLength(self.message_version >= 1, False, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(KafkaBeginQuorumEpochResponse.TopicData(self._io, self, self._root))

        if self.message_version >= 1:
            pass
            self.tagged_fields = KafkaBeginQuorumEpochResponse.TaggedFields(self._io, self, self._root)



    def _fetch_instances(self):
        pass
        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        if self.message_version >= 1:
            pass
            self.tagged_fields._fetch_instances()


    class NodeEndpoint(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaBeginQuorumEpochResponse.NodeEndpoint, self).__init__(_io)
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

            if self._root.message_version >= 1:
                pass
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

            if self._root.message_version >= 1:
                pass
                self.tagged_fields._fetch_instances()



    class NodeEndpointsTag(KaitaiStruct):
        """Field of tag 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaBeginQuorumEpochResponse.NodeEndpointsTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_node_endpoints = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.node_endpoints = []
            for i in range(self.num_node_endpoints.value):
                self.node_endpoints.append(KafkaBeginQuorumEpochResponse.NodeEndpoint(self._io, self, self._root))

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



    class PartitionData(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaBeginQuorumEpochResponse.PartitionData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition_index = self._io.read_s4be()
            self.error_code = self._io.read_s2be()
            self.leader_id = self._io.read_s4be()
            self.leader_epoch = self._io.read_s4be()
            if self._root.message_version >= 1:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 1:
                pass
                self.tagged_fields._fetch_instances()



    class TaggedField(KaitaiStruct):
        """A field that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaBeginQuorumEpochResponse.TaggedField, self).__init__(_io)
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
                self.data = KafkaBeginQuorumEpochResponse.NodeEndpointsTag(_io__raw_data, self, self._root)
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


    class TaggedFields(KaitaiStruct):
        """Fields that may be missing (KIP-482)."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaBeginQuorumEpochResponse.TaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.fields = []
            for i in range(self.num_fields.value):
                self.fields.append(KafkaBeginQuorumEpochResponse.TaggedField(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class TopicData(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaBeginQuorumEpochResponse.TopicData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic_name = kafka_string.KafkaString(self._root.message_version >= 1, False, self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(self._root.message_version >= 1, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaBeginQuorumEpochResponse.PartitionData(self._io, self, self._root))

            if self._root.message_version >= 1:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.topic_name._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()

            if self._root.message_version >= 1:
                pass
                self.tagged_fields._fetch_instances()




