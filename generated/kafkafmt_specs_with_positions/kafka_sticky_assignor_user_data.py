# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
import collections


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
    SEQ_FIELDS = ["num_previous_assignment", "previous_assignment", "generation"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaStickyAssignorUserData, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['num_previous_assignment']['start'] = self._io.pos()
        self.num_previous_assignment = kafka_array_length.KafkaArrayLength(False, False, self._io)
        self.num_previous_assignment._read()
        self._debug['num_previous_assignment']['end'] = self._io.pos()
        self._debug['previous_assignment']['start'] = self._io.pos()
        self._debug['previous_assignment']['arr'] = []
        self.previous_assignment = []
        for i in range(self.num_previous_assignment.value):
            self._debug['previous_assignment']['arr'].append({'start': self._io.pos()})
            _t_previous_assignment = KafkaStickyAssignorUserData.TopicAssignment(self._io, self, self._root)
            try:
                _t_previous_assignment._read()
            finally:
                self.previous_assignment.append(_t_previous_assignment)
            self._debug['previous_assignment']['arr'][i]['end'] = self._io.pos()

        self._debug['previous_assignment']['end'] = self._io.pos()
        if self._io.size() - self._io.pos() >= 4:
            pass
            self._debug['generation']['start'] = self._io.pos()
            self.generation = self._io.read_s4be()
            self._debug['generation']['end'] = self._io.pos()



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
        SEQ_FIELDS = ["topic", "num_partitions", "partitions"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStickyAssignorUserData.TopicAssignment, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['topic']['start'] = self._io.pos()
            self.topic = kafka_string.KafkaString(False, False, self._io)
            self.topic._read()
            self._debug['topic']['end'] = self._io.pos()
            self._debug['num_partitions']['start'] = self._io.pos()
            self.num_partitions = kafka_array_length.KafkaArrayLength(False, False, self._io)
            self.num_partitions._read()
            self._debug['num_partitions']['end'] = self._io.pos()
            self._debug['partitions']['start'] = self._io.pos()
            self._debug['partitions']['arr'] = []
            self.partitions = []
            for i in range(self.num_partitions.value):
                self._debug['partitions']['arr'].append({'start': self._io.pos()})
                self.partitions.append(self._io.read_s4be())
                self._debug['partitions']['arr'][i]['end'] = self._io.pos()

            self._debug['partitions']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.topic._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass




