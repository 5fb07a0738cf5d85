# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaStickyAssignorUserData(KaitaiStruct):
    """What a consumer with the assignor `sticky` puts into the `user_data` of its
    `kafka_consumer_protocol_subscription`: what it got last. No version stands in
    front; later ones end with `generation`.
    
    .. seealso::
       KIP-54 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-54+-+Sticky+Partition+Assignment+Strategy
    
    
    .. seealso::
       StickyAssignor - https://github.com/apache/kafka/blob/4.3.1/clients/src/main/java/org/apache/kafka/clients/consumer/StickyAssignor.java
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaStickyAssignorUserData, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.num_previous_assignment = kafka_array_length.KafkaArrayLength(False, False, self._io)
        self.previous_assignment = []
        for i in range(self.num_previous_assignment.value):
            self.previous_assignment.append(KafkaStickyAssignorUserData.TopicAssignment(self._io, self, self._root))

        if self._io.size() - self._io.pos() >= 4:
            pass
            self.generation = self._io.read_s4be()



    def _fetch_instances(self):
        pass
        self.num_previous_assignment._fetch_instances()
        for i in range(len(self.previous_assignment)):
            pass
            self.previous_assignment[i]._fetch_instances()

        if self._io.size() - self._io.pos() >= 4:
            pass


    class TopicAssignment(KaitaiStruct):
        """Partitions of a topic."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStickyAssignorUserData.TopicAssignment, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic = kafka_string.KafkaString(False, False, self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(False, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(self._io.read_s4be())



        def _fetch_instances(self):
            pass
            self.topic._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass




