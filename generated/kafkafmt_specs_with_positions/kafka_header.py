# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_varint
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaHeader(KaitaiStruct):
    """A name and a value that an application has attached to a `kafka_record`
    (KIP-82). A record may repeat names, and their order is significant.
    
    .. seealso::
       Source - https://kafka.apache.org/documentation/#recordheader
    
    
    .. seealso::
       KIP-82 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-82+-+Add+Record+Headers
    """
    SEQ_FIELDS = ["len_key", "key", "len_value", "value"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaHeader, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['len_key']['start'] = self._io.pos()
        self.len_key = kafka_varint.KafkaVarint(self._io)
        self.len_key._read()
        self._debug['len_key']['end'] = self._io.pos()
        self._debug['key']['start'] = self._io.pos()
        self.key = self._io.read_bytes(self.len_key.value)
        self._debug['key']['end'] = self._io.pos()
        self._debug['len_value']['start'] = self._io.pos()
        self.len_value = kafka_varint.KafkaVarint(self._io)
        self.len_value._read()
        self._debug['len_value']['end'] = self._io.pos()
        if self.len_value.value >= 0:
            pass
            self._debug['value']['start'] = self._io.pos()
            self.value = self._io.read_bytes(self.len_value.value)
            self._debug['value']['end'] = self._io.pos()



    def _fetch_instances(self):
        pass
        self.len_key._fetch_instances()
        self.len_value._fetch_instances()
        if self.len_value.value >= 0:
            pass



