# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaCooperativeStickyAssignorUserData(KaitaiStruct):
    """What a consumer with the assignor `cooperative-sticky` puts into the `user_data`
    of its `kafka_consumer_protocol_subscription`. What it got last is in the
    subscription itself.
    
    .. seealso::
       KIP-429 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-429%3A+Kafka+Consumer+Incremental+Rebalance+Protocol
    
    
    .. seealso::
       CooperativeStickyAssignor - https://github.com/apache/kafka/blob/4.3.1/clients/src/main/java/org/apache/kafka/clients/consumer/CooperativeStickyAssignor.java
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaCooperativeStickyAssignorUserData, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.generation = self._io.read_s4be()


    def _fetch_instances(self):
        pass


