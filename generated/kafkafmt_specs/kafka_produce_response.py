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

class KafkaProduceResponse(KaitaiStruct):
    """`ProduceResponse`: a response of the API with key 0, after its header (see
    `kafka_response`).
    
    .. seealso::
       ProduceResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ProduceResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaProduceResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.num_responses = kafka_array_length.KafkaArrayLength(self.message_version >= 9, False, self._io)
        self.responses = []
        for i in range(self.num_responses.value):
            self.responses.append(KafkaProduceResponse.TopicProduceResponse(self._io, self, self._root))

        self.throttle_time_ms = self._io.read_s4be()
        if self.message_version >= 9:
            pass
            self.tagged_fields = KafkaProduceResponse.TaggedFields(self._io, self, self._root)



    def _fetch_instances(self):
        pass
        self.num_responses._fetch_instances()
        for i in range(len(self.responses)):
            pass
            self.responses[i]._fetch_instances()

        if self.message_version >= 9:
            pass
            self.tagged_fields._fetch_instances()


    class BatchIndexAndErrorMessage(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaProduceResponse.BatchIndexAndErrorMessage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 8:
                pass
                self.batch_index = self._io.read_s4be()

            if self._root.message_version >= 8:
                pass
                self.batch_index_error_message = kafka_string.KafkaString(self._root.message_version >= 9, True, self._io)

            if self._root.message_version >= 9:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 8:
                pass

            if self._root.message_version >= 8:
                pass
                self.batch_index_error_message._fetch_instances()

            if self._root.message_version >= 9:
                pass
                self.tagged_fields._fetch_instances()



    class LeaderIdAndEpoch(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaProduceResponse.LeaderIdAndEpoch, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 10:
                pass
                self.leader_id = self._io.read_s4be()

            if self._root.message_version >= 10:
                pass
                self.leader_epoch = self._io.read_s4be()

            if self._root.message_version >= 9:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 10:
                pass

            if self._root.message_version >= 10:
                pass

            if self._root.message_version >= 9:
                pass
                self.tagged_fields._fetch_instances()



    class NodeEndpoint(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaProduceResponse.NodeEndpoint, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 10:
                pass
                self.node_id = self._io.read_s4be()

            if self._root.message_version >= 10:
                pass
                self.host = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 10:
                pass
                self.port = self._io.read_s4be()

            if self._root.message_version >= 10:
                pass
                self.rack = kafka_string.KafkaString(True, True, self._io)

            if self._root.message_version >= 9:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 10:
                pass

            if self._root.message_version >= 10:
                pass
                self.host._fetch_instances()

            if self._root.message_version >= 10:
                pass

            if self._root.message_version >= 10:
                pass
                self.rack._fetch_instances()

            if self._root.message_version >= 9:
                pass
                self.tagged_fields._fetch_instances()



    class NodeEndpointsTag(KaitaiStruct):
        """Field of tag 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaProduceResponse.NodeEndpointsTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_node_endpoints = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.node_endpoints = []
            for i in range(self.num_node_endpoints.value):
                self.node_endpoints.append(KafkaProduceResponse.NodeEndpoint(self._io, self, self._root))

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



    class PartitionProduceResponse(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaProduceResponse.PartitionProduceResponse, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.index = self._io.read_s4be()
            self.error_code = self._io.read_s2be()
            self.base_offset = self._io.read_s8be()
            self.log_append_time_ms = self._io.read_s8be()
            if self._root.message_version >= 5:
                pass
                self.log_start_offset = self._io.read_s8be()

            if self._root.message_version >= 8:
                pass
                self.num_record_errors = kafka_array_length.KafkaArrayLength(self._root.message_version >= 9, False, self._io)

            if self._root.message_version >= 8:
                pass
                self.record_errors = []
                for i in range(self.num_record_errors.value):
                    self.record_errors.append(KafkaProduceResponse.BatchIndexAndErrorMessage(self._io, self, self._root))


            if self._root.message_version >= 8:
                pass
                self.error_message = kafka_string.KafkaString(self._root.message_version >= 9, True, self._io)

            if self._root.message_version >= 9:
                pass
                self.tagged_fields = KafkaProduceResponse.PartitionProduceResponseTaggedFields(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 5:
                pass

            if self._root.message_version >= 8:
                pass
                self.num_record_errors._fetch_instances()

            if self._root.message_version >= 8:
                pass
                for i in range(len(self.record_errors)):
                    pass
                    self.record_errors[i]._fetch_instances()


            if self._root.message_version >= 8:
                pass
                self.error_message._fetch_instances()

            if self._root.message_version >= 9:
                pass
                self.tagged_fields._fetch_instances()



    class PartitionProduceResponseCurrentLeaderTag(KaitaiStruct):
        """Field of tag 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaProduceResponse.PartitionProduceResponseCurrentLeaderTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.current_leader = KafkaProduceResponse.LeaderIdAndEpoch(self._io, self, self._root)
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.current_leader._fetch_instances()
            if (not (self._io.is_eof())):
                pass



    class PartitionProduceResponseTaggedField(KaitaiStruct):
        """A field that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaProduceResponse.PartitionProduceResponseTaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_data = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  ((self.tag.value != 0) or (self._root.message_version >= 10))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaProduceResponse.PartitionProduceResponseCurrentLeaderTag(_io__raw_data, self, self._root)
            else:
                pass
                self.data = self._io.read_bytes((self.len_data.value if  ((self.tag.value != 0) or (self._root.message_version >= 10))  else -1))


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


    class PartitionProduceResponseTaggedFields(KaitaiStruct):
        """Fields that may be missing (KIP-482)."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaProduceResponse.PartitionProduceResponseTaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.fields = []
            for i in range(self.num_fields.value):
                self.fields.append(KafkaProduceResponse.PartitionProduceResponseTaggedField(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class TaggedField(KaitaiStruct):
        """A field that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaProduceResponse.TaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_data = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  ((self.tag.value != 0) or (self._root.message_version >= 10))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaProduceResponse.NodeEndpointsTag(_io__raw_data, self, self._root)
            else:
                pass
                self.data = self._io.read_bytes((self.len_data.value if  ((self.tag.value != 0) or (self._root.message_version >= 10))  else -1))


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
            super(KafkaProduceResponse.TaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.fields = []
            for i in range(self.num_fields.value):
                self.fields.append(KafkaProduceResponse.TaggedField(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class TopicProduceResponse(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaProduceResponse.TopicProduceResponse, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version <= 12:
                pass
                self.name = kafka_string.KafkaString(self._root.message_version >= 9, False, self._io)

            if self._root.message_version >= 13:
                pass
                self.topic_id = self._io.read_bytes(16)

            self.num_partition_responses = kafka_array_length.KafkaArrayLength(self._root.message_version >= 9, False, self._io)
            self.partition_responses = []
            for i in range(self.num_partition_responses.value):
                self.partition_responses.append(KafkaProduceResponse.PartitionProduceResponse(self._io, self, self._root))

            if self._root.message_version >= 9:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version <= 12:
                pass
                self.name._fetch_instances()

            if self._root.message_version >= 13:
                pass

            self.num_partition_responses._fetch_instances()
            for i in range(len(self.partition_responses)):
                pass
                self.partition_responses[i]._fetch_instances()

            if self._root.message_version >= 9:
                pass
                self.tagged_fields._fetch_instances()




