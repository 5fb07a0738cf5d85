# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaAlterPartitionRequest(KaitaiStruct):
    """`AlterPartitionRequest`: a request of the API with key 56, after its header
    (see `kafka_request`).
    
    .. seealso::
       AlterPartitionRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AlterPartitionRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaAlterPartitionRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.broker_id = self._io.read_s4be()
        self.broker_epoch = self._io.read_s8be()
        self.num_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.topics = []
        for i in range(self.num_topics.value):
            self.topics.append(KafkaAlterPartitionRequest.TopicData(self._io, self, self._root))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_topics._fetch_instances()
        for i in range(len(self.topics)):
            pass
            self.topics[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class BrokerState(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAlterPartitionRequest.BrokerState, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 3:
                pass
                self.broker_id = self._io.read_s4be()

            if self._root.message_version >= 3:
                pass
                self.broker_epoch = self._io.read_s8be()

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            if self._root.message_version >= 3:
                pass

            if self._root.message_version >= 3:
                pass

            self.tagged_fields._fetch_instances()


    class PartitionData(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAlterPartitionRequest.PartitionData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition_index = self._io.read_s4be()
            self.leader_epoch = self._io.read_s4be()
            if self._root.message_version <= 2:
                pass
                self.num_new_isr = kafka_array_length.KafkaArrayLength(True, False, self._io)

            if self._root.message_version <= 2:
                pass
                self.new_isr = []
                for i in range(self.num_new_isr.value):
                    self.new_isr.append(self._io.read_s4be())


            if self._root.message_version >= 3:
                pass
                self.num_new_isr_with_epochs = kafka_array_length.KafkaArrayLength(True, False, self._io)

            if self._root.message_version >= 3:
                pass
                self.new_isr_with_epochs = []
                for i in range(self.num_new_isr_with_epochs.value):
                    self.new_isr_with_epochs.append(KafkaAlterPartitionRequest.BrokerState(self._io, self, self._root))


            self.leader_recovery_state = self._io.read_s1()
            self.partition_epoch = self._io.read_s4be()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            if self._root.message_version <= 2:
                pass
                self.num_new_isr._fetch_instances()

            if self._root.message_version <= 2:
                pass
                for i in range(len(self.new_isr)):
                    pass


            if self._root.message_version >= 3:
                pass
                self.num_new_isr_with_epochs._fetch_instances()

            if self._root.message_version >= 3:
                pass
                for i in range(len(self.new_isr_with_epochs)):
                    pass
                    self.new_isr_with_epochs[i]._fetch_instances()


            self.tagged_fields._fetch_instances()


    class TopicData(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAlterPartitionRequest.TopicData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic_id = self._io.read_bytes(16)
            self.num_partitions = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaAlterPartitionRequest.PartitionData(self._io, self, self._root))

            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


        def _fetch_instances(self):
            pass
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()

            self.tagged_fields._fetch_instances()



