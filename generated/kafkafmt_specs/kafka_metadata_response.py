# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_boolean
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaMetadataResponse(KaitaiStruct):
    """`MetadataResponse`: a response of the API with key 3, after its header (see
    `kafka_response`).
    
    .. seealso::
       MetadataResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/MetadataResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaMetadataResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        if self.message_version >= 3:
            pass
            self.throttle_time_ms = self._io.read_s4be()

        self.num_brokers = kafka_array_length.KafkaArrayLength(self.message_version >= 9, False, self._io)
        self.brokers = []
        for i in range(self.num_brokers.value):
            self.brokers.append(KafkaMetadataResponse.MetadataResponseBroker(self._io, self, self._root))

        if self.message_version >= 2:
            pass
            self.cluster_id = kafka_string.KafkaString(self.message_version >= 9, True, self._io)

        if self.message_version >= 1:
            pass
            self.controller_id = self._io.read_s4be()

        self.num_topics = kafka_array_length.KafkaArrayLength(self.message_version >= 9, False, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(KafkaMetadataResponse.MetadataResponseTopic(self._io, self, self._root))

        if  ((self.message_version >= 8) and (self.message_version <= 10)) :
            pass
            self.cluster_authorized_operations = self._io.read_s4be()

        if self.message_version >= 13:
            pass
            self.error_code = self._io.read_s2be()

        if self.message_version >= 9:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        if self.message_version >= 3:
            pass

        self.num_brokers._fetch_instances()
        for i in range(len(self.brokers)):
            pass
            self.brokers[i]._fetch_instances()

        if self.message_version >= 2:
            pass
            self.cluster_id._fetch_instances()

        if self.message_version >= 1:
            pass

        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        if  ((self.message_version >= 8) and (self.message_version <= 10)) :
            pass

        if self.message_version >= 13:
            pass

        if self.message_version >= 9:
            pass
            self.tagged_fields._fetch_instances()


    class MetadataResponseBroker(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaMetadataResponse.MetadataResponseBroker, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.node_id = self._io.read_s4be()
            self.host = kafka_string.KafkaString(self._root.message_version >= 9, False, self._io)
            self.port = self._io.read_s4be()
            if self._root.message_version >= 1:
                pass
                self.rack = kafka_string.KafkaString(self._root.message_version >= 9, True, self._io)

            if self._root.message_version >= 9:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.host._fetch_instances()
            if self._root.message_version >= 1:
                pass
                self.rack._fetch_instances()

            if self._root.message_version >= 9:
                pass
                self.tagged_fields._fetch_instances()



    class MetadataResponsePartition(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaMetadataResponse.MetadataResponsePartition, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.error_code = self._io.read_s2be()
            self.partition_index = self._io.read_s4be()
            self.leader_id = self._io.read_s4be()
            if self._root.message_version >= 7:
                pass
                self.leader_epoch = self._io.read_s4be()

            self.num_replica_nodes = kafka_array_length.KafkaArrayLength(self._root.message_version >= 9, False, self._io)
            self.replica_nodes = []
            for i in range(self.num_replica_nodes.value):
                self.replica_nodes.append(self._io.read_s4be())

            self.num_isr_nodes = kafka_array_length.KafkaArrayLength(self._root.message_version >= 9, False, self._io)
            self.isr_nodes = []
            for i in range(self.num_isr_nodes.value):
                self.isr_nodes.append(self._io.read_s4be())

            if self._root.message_version >= 5:
                pass
                self.num_offline_replicas = kafka_array_length.KafkaArrayLength(self._root.message_version >= 9, False, self._io)

            if self._root.message_version >= 5:
                pass
                self.offline_replicas = []
                for i in range(self.num_offline_replicas.value):
                    self.offline_replicas.append(self._io.read_s4be())


            if self._root.message_version >= 9:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 7:
                pass

            self.num_replica_nodes._fetch_instances()
            for i in range(len(self.replica_nodes)):
                pass

            self.num_isr_nodes._fetch_instances()
            for i in range(len(self.isr_nodes)):
                pass

            if self._root.message_version >= 5:
                pass
                self.num_offline_replicas._fetch_instances()

            if self._root.message_version >= 5:
                pass
                for i in range(len(self.offline_replicas)):
                    pass


            if self._root.message_version >= 9:
                pass
                self.tagged_fields._fetch_instances()



    class MetadataResponseTopic(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaMetadataResponse.MetadataResponseTopic, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.error_code = self._io.read_s2be()
            self.name = kafka_string.KafkaString(self._root.message_version >= 9, self._root.message_version >= 12, self._io)
            if self._root.message_version >= 10:
                pass
                self.topic_id = self._io.read_bytes(16)

            if self._root.message_version >= 1:
                pass
                self.is_internal = kafka_boolean.KafkaBoolean(self._io)

            self.num_partitions = kafka_array_length.KafkaArrayLength(self._root.message_version >= 9, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaMetadataResponse.MetadataResponsePartition(self._io, self, self._root))

            if self._root.message_version >= 8:
                pass
                self.topic_authorized_operations = self._io.read_s4be()

            if self._root.message_version >= 9:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            if self._root.message_version >= 10:
                pass

            if self._root.message_version >= 1:
                pass
                self.is_internal._fetch_instances()

            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()

            if self._root.message_version >= 8:
                pass

            if self._root.message_version >= 9:
                pass
                self.tagged_fields._fetch_instances()




