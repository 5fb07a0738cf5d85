# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaStreamsGroupMemberMetadataValue(KaitaiStruct):
    """A member of a streams group.
    
    .. seealso::
       StreamsGroupMemberMetadataValue - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupMemberMetadataValue.json
    """
    SEQ_FIELDS = ["message_version", "instance_id", "rack_id", "client_id", "client_host", "rebalance_timeout_ms", "topology_epoch", "process_id", "is_user_endpoint_present", "user_endpoint", "num_client_tags", "client_tags", "tagged_fields"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaStreamsGroupMemberMetadataValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['message_version']['start'] = self._io.pos()
        self.message_version = self._io.read_s2be()
        self._debug['message_version']['end'] = self._io.pos()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        if not self.message_version <= 0:
            raise kaitaistruct.ValidationGreaterThanError(0, self.message_version, self._io, u"/seq/0")
        self._debug['instance_id']['start'] = self._io.pos()
        self.instance_id = kafka_string.KafkaString(True, True, self._io)
        self.instance_id._read()
        self._debug['instance_id']['end'] = self._io.pos()
        self._debug['rack_id']['start'] = self._io.pos()
        self.rack_id = kafka_string.KafkaString(True, True, self._io)
        self.rack_id._read()
        self._debug['rack_id']['end'] = self._io.pos()
        self._debug['client_id']['start'] = self._io.pos()
        self.client_id = kafka_string.KafkaString(True, False, self._io)
        self.client_id._read()
        self._debug['client_id']['end'] = self._io.pos()
        self._debug['client_host']['start'] = self._io.pos()
        self.client_host = kafka_string.KafkaString(True, False, self._io)
        self.client_host._read()
        self._debug['client_host']['end'] = self._io.pos()
        self._debug['rebalance_timeout_ms']['start'] = self._io.pos()
        self.rebalance_timeout_ms = self._io.read_s4be()
        self._debug['rebalance_timeout_ms']['end'] = self._io.pos()
        self._debug['topology_epoch']['start'] = self._io.pos()
        self.topology_epoch = self._io.read_s4be()
        self._debug['topology_epoch']['end'] = self._io.pos()
        self._debug['process_id']['start'] = self._io.pos()
        self.process_id = kafka_string.KafkaString(True, False, self._io)
        self.process_id._read()
        self._debug['process_id']['end'] = self._io.pos()
        self._debug['is_user_endpoint_present']['start'] = self._io.pos()
        self.is_user_endpoint_present = self._io.read_s1()
        self._debug['is_user_endpoint_present']['end'] = self._io.pos()
        if self.is_user_endpoint_present >= 0:
            pass
            self._debug['user_endpoint']['start'] = self._io.pos()
            self.user_endpoint = KafkaStreamsGroupMemberMetadataValue.Endpoint(self._io, self, self._root)
            self.user_endpoint._read()
            self._debug['user_endpoint']['end'] = self._io.pos()

        self._debug['num_client_tags']['start'] = self._io.pos()
        self.num_client_tags = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.num_client_tags._read()
        self._debug['num_client_tags']['end'] = self._io.pos()
        self._debug['client_tags']['start'] = self._io.pos()
        self._debug['client_tags']['arr'] = []
        self.client_tags = []
        for i in range(self.num_client_tags.value):
            self._debug['client_tags']['arr'].append({'start': self._io.pos()})
            _t_client_tags = KafkaStreamsGroupMemberMetadataValue.KeyValue(self._io, self, self._root)
            try:
                _t_client_tags._read()
            finally:
                self.client_tags.append(_t_client_tags)
            self._debug['client_tags']['arr'][i]['end'] = self._io.pos()

        self._debug['client_tags']['end'] = self._io.pos()
        self._debug['tagged_fields']['start'] = self._io.pos()
        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
        self.tagged_fields._read()
        self._debug['tagged_fields']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.instance_id._fetch_instances()
        self.rack_id._fetch_instances()
        self.client_id._fetch_instances()
        self.client_host._fetch_instances()
        self.process_id._fetch_instances()
        if self.is_user_endpoint_present >= 0:
            pass
            self.user_endpoint._fetch_instances()

        self.num_client_tags._fetch_instances()
        for i in range(len(self.client_tags)):
            pass
            self.client_tags[i]._fetch_instances()

        self.tagged_fields._fetch_instances()

    class Endpoint(KaitaiStruct):
        """Where a process answers queries."""
        SEQ_FIELDS = ["host", "port", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupMemberMetadataValue.Endpoint, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['host']['start'] = self._io.pos()
            self.host = kafka_string.KafkaString(True, False, self._io)
            self.host._read()
            self._debug['host']['end'] = self._io.pos()
            self._debug['port']['start'] = self._io.pos()
            self.port = self._io.read_u2be()
            self._debug['port']['end'] = self._io.pos()
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.host._fetch_instances()
            self.tagged_fields._fetch_instances()


    class KeyValue(KaitaiStruct):
        """A tag."""
        SEQ_FIELDS = ["key", "value", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaStreamsGroupMemberMetadataValue.KeyValue, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['key']['start'] = self._io.pos()
            self.key = kafka_string.KafkaString(True, False, self._io)
            self.key._read()
            self._debug['key']['end'] = self._io.pos()
            self._debug['value']['start'] = self._io.pos()
            self.value = kafka_string.KafkaString(True, False, self._io)
            self.value._read()
            self._debug['value']['end'] = self._io.pos()
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.key._fetch_instances()
            self.value._fetch_instances()
            self.tagged_fields._fetch_instances()



