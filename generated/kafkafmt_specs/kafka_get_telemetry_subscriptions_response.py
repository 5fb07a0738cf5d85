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

class KafkaGetTelemetrySubscriptionsResponse(KaitaiStruct):
    """`GetTelemetrySubscriptionsResponse`: a response of the API with key 71, after
    its header (see `kafka_response`).
    
    .. seealso::
       GetTelemetrySubscriptionsResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/GetTelemetrySubscriptionsResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaGetTelemetrySubscriptionsResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.throttle_time_ms = self._io.read_s4be()
        self.error_code = self._io.read_s2be()
        self.client_instance_id = self._io.read_bytes(16)
        self.subscription_id = self._io.read_s4be()
        self.num_accepted_compression_types = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.accepted_compression_types = []
        for i in range(self.num_accepted_compression_types.value):
            self.accepted_compression_types.append(self._io.read_s1())

        self.push_interval_ms = self._io.read_s4be()
        self.telemetry_max_bytes = self._io.read_s4be()
        self.delta_temporality = kafka_boolean.KafkaBoolean(self._io)
        self.num_requested_metrics = kafka_array_length.KafkaArrayLength(True, False, self._io)
        self.requested_metrics = []
        for i in range(self.num_requested_metrics.value):
            self.requested_metrics.append(kafka_string.KafkaString(True, False, self._io))

        self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)


    def _fetch_instances(self):
        pass
        self.num_accepted_compression_types._fetch_instances()
        for i in range(len(self.accepted_compression_types)):
            pass

        self.delta_temporality._fetch_instances()
        self.num_requested_metrics._fetch_instances()
        for i in range(len(self.requested_metrics)):
            pass
            self.requested_metrics[i]._fetch_instances()

        self.tagged_fields._fetch_instances()


