# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaStreamsGroupTopologyDescriptionUpdateRequest(KaitaiStruct):
    """`StreamsGroupTopologyDescriptionUpdateRequest`: a request of the API with key
    93, after its header (see `kafka_request`).
    
    .. seealso::
       StreamsGroupTopologyDescriptionUpdateRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/StreamsGroupTopologyDescriptionUpdateRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaStreamsGroupTopologyDescriptionUpdateRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.group_id = kafka_string.KafkaString(True, False, self._io)
        self.member_id = kafka_string.KafkaString(True, False, self._io)
        self.topology_epoch = self._io.read_s4be()
        self.topology_description = KafkaStreamsGroupTopologyDescriptionUpdateRequest.TopologyDescription(self._io, self, self._root)
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.group_id._fetch_instances()
        self.member_id._fetch_instances()
        self.topology_description._fetch_instances()
        self.tagged_fields._fetch_instances()

    class TopologyDescription(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupTopologyDescriptionUpdateRequest.TopologyDescription, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_subtopologies = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.subtopologies = []
            for i in range(self.num_subtopologies.value):
                self.subtopologies.append(KafkaStreamsGroupTopologyDescriptionUpdateRequest.TopologyDescriptionSubtopology(self._io, self, self._root))

            self.num_global_stores = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.global_stores = []
            for i in range(self.num_global_stores.value):
                self.global_stores.append(KafkaStreamsGroupTopologyDescriptionUpdateRequest.TopologyDescriptionGlobalStore(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_subtopologies._fetch_instances()
            for i in range(len(self.subtopologies)):
                pass
                self.subtopologies[i]._fetch_instances()

            self.num_global_stores._fetch_instances()
            for i in range(len(self.global_stores)):
                pass
                self.global_stores[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class TopologyDescriptionGlobalStore(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupTopologyDescriptionUpdateRequest.TopologyDescriptionGlobalStore, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.source = KafkaStreamsGroupTopologyDescriptionUpdateRequest.TopologyDescriptionNode(self._io, self, self._root)
            self.processor = KafkaStreamsGroupTopologyDescriptionUpdateRequest.TopologyDescriptionNode(self._io, self, self._root)
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.source._fetch_instances()
            self.processor._fetch_instances()
            self.tagged_fields._fetch_instances()


    class TopologyDescriptionNode(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupTopologyDescriptionUpdateRequest.TopologyDescriptionNode, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(True, False, self._io)
            self.node_type = self._io.read_s1()
            self.num_source_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.source_topics = []
            for i in range(self.num_source_topics.value):
                self.source_topics.append(kafka_string.KafkaString(True, False, self._io))

            self.sink_topic = kafka_string.KafkaString(True, True, self._io)
            self.num_stores = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.stores = []
            for i in range(self.num_stores.value):
                self.stores.append(kafka_string.KafkaString(True, False, self._io))

            self.num_successors = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.successors = []
            for i in range(self.num_successors.value):
                self.successors.append(kafka_string.KafkaString(True, False, self._io))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.num_source_topics._fetch_instances()
            for i in range(len(self.source_topics)):
                pass
                self.source_topics[i]._fetch_instances()

            self.sink_topic._fetch_instances()
            self.num_stores._fetch_instances()
            for i in range(len(self.stores)):
                pass
                self.stores[i]._fetch_instances()

            self.num_successors._fetch_instances()
            for i in range(len(self.successors)):
                pass
                self.successors[i]._fetch_instances()

            self.tagged_fields._fetch_instances()


    class TopologyDescriptionSubtopology(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupTopologyDescriptionUpdateRequest.TopologyDescriptionSubtopology, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.subtopology_id = kafka_string.KafkaString(True, False, self._io)
            self.num_nodes = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.nodes = []
            for i in range(self.num_nodes.value):
                self.nodes.append(KafkaStreamsGroupTopologyDescriptionUpdateRequest.TopologyDescriptionNode(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.subtopology_id._fetch_instances()
            self.num_nodes._fetch_instances()
            for i in range(len(self.nodes)):
                pass
                self.nodes[i]._fetch_instances()

            self.tagged_fields._fetch_instances()



