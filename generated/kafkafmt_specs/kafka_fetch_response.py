# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_record_set
from . import kafka_string
from . import kafka_tagged_fields
from . import kafka_unsigned_varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaFetchResponse(KaitaiStruct):
    """`FetchResponse`: a response of the API with key 1, after its header (see
    `kafka_response`).
    
    .. seealso::
       FetchResponse - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/FetchResponse.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaFetchResponse, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.throttle_time_ms = self._io.read_s4be()
        if self.message_version >= 7:
            pass
            self.error_code = self._io.read_s2be()

        if self.message_version >= 7:
            pass
            self.session_id = self._io.read_s4be()

        self.num_responses = kafka_array_length.KafkaArrayLength(self.message_version >= 12, False, self._io)
        self.responses = []
        for i in range(self.num_responses.value):
            self.responses.append(KafkaFetchResponse.FetchableTopicResponse(self._io, self, self._root))

        if self.message_version >= 12:
            pass
            self.tagged_fields = KafkaFetchResponse.TaggedFields(self._io, self, self._root)



    def _fetch_instances(self):
        pass
        if self.message_version >= 7:
            pass

        if self.message_version >= 7:
            pass

        self.num_responses._fetch_instances()
        for i in range(len(self.responses)):
            pass
            self.responses[i]._fetch_instances()

        if self.message_version >= 12:
            pass
            self.tagged_fields._fetch_instances()


    class AbortedTransaction(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchResponse.AbortedTransaction, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.producer_id = self._io.read_s8be()
            self.first_offset = self._io.read_s8be()
            if self._root.message_version >= 12:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 12:
                pass
                self.tagged_fields._fetch_instances()



    class EpochEndOffset(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchResponse.EpochEndOffset, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 12:
                pass
                self.epoch = self._io.read_s4be()

            if self._root.message_version >= 12:
                pass
                self.end_offset = self._io.read_s8be()

            if self._root.message_version >= 12:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 12:
                pass

            if self._root.message_version >= 12:
                pass

            if self._root.message_version >= 12:
                pass
                self.tagged_fields._fetch_instances()



    class FetchableTopicResponse(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchResponse.FetchableTopicResponse, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version <= 12:
                pass
                self.topic = kafka_string.KafkaString(self._root.message_version >= 12, False, self._io)

            if self._root.message_version >= 13:
                pass
                self.topic_id = self._io.read_bytes(16)

            self.num_partitions = kafka_array_length.KafkaArrayLength(self._root.message_version >= 12, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(KafkaFetchResponse.PartitionData(self._io, self, self._root))

            if self._root.message_version >= 12:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version <= 12:
                pass
                self.topic._fetch_instances()

            if self._root.message_version >= 13:
                pass

            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()

            if self._root.message_version >= 12:
                pass
                self.tagged_fields._fetch_instances()



    class LeaderIdAndEpoch(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchResponse.LeaderIdAndEpoch, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 12:
                pass
                self.leader_id = self._io.read_s4be()

            if self._root.message_version >= 12:
                pass
                self.leader_epoch = self._io.read_s4be()

            if self._root.message_version >= 12:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 12:
                pass

            if self._root.message_version >= 12:
                pass

            if self._root.message_version >= 12:
                pass
                self.tagged_fields._fetch_instances()



    class NodeEndpoint(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchResponse.NodeEndpoint, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 16:
                pass
                self.node_id = self._io.read_s4be()

            if self._root.message_version >= 16:
                pass
                self.host = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 16:
                pass
                self.port = self._io.read_s4be()

            if self._root.message_version >= 16:
                pass
                self.rack = kafka_string.KafkaString(True, True, self._io)

            if self._root.message_version >= 12:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 16:
                pass

            if self._root.message_version >= 16:
                pass
                self.host._fetch_instances()

            if self._root.message_version >= 16:
                pass

            if self._root.message_version >= 16:
                pass
                self.rack._fetch_instances()

            if self._root.message_version >= 12:
                pass
                self.tagged_fields._fetch_instances()



    class NodeEndpointsTag(KaitaiStruct):
        """Field of tag 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchResponse.NodeEndpointsTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_node_endpoints = kafka_array_length.KafkaArrayLength(True, False, self._io)
            self.node_endpoints = []
            for i in range(self.num_node_endpoints.value):
                self.node_endpoints.append(KafkaFetchResponse.NodeEndpoint(self._io, self, self._root))

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



    class PartitionData(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchResponse.PartitionData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.partition_index = self._io.read_s4be()
            self.error_code = self._io.read_s2be()
            self.high_watermark = self._io.read_s8be()
            self.last_stable_offset = self._io.read_s8be()
            if self._root.message_version >= 5:
                pass
                self.log_start_offset = self._io.read_s8be()

            self.num_aborted_transactions = kafka_array_length.KafkaArrayLength(self._root.message_version >= 12, True, self._io)
            self.aborted_transactions = []
            for i in range(self.num_aborted_transactions.value):
                self.aborted_transactions.append(KafkaFetchResponse.AbortedTransaction(self._io, self, self._root))

            if self._root.message_version >= 11:
                pass
                self.preferred_read_replica = self._io.read_s4be()

            self.records = kafka_record_set.KafkaRecordSet(self._root.message_version >= 12, True, self._io)
            if self._root.message_version >= 12:
                pass
                self.tagged_fields = KafkaFetchResponse.PartitionDataTaggedFields(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 5:
                pass

            self.num_aborted_transactions._fetch_instances()
            for i in range(len(self.aborted_transactions)):
                pass
                self.aborted_transactions[i]._fetch_instances()

            if self._root.message_version >= 11:
                pass

            self.records._fetch_instances()
            if self._root.message_version >= 12:
                pass
                self.tagged_fields._fetch_instances()



    class PartitionDataCurrentLeaderTag(KaitaiStruct):
        """Field of tag 1."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchResponse.PartitionDataCurrentLeaderTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.current_leader = KafkaFetchResponse.LeaderIdAndEpoch(self._io, self, self._root)
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.current_leader._fetch_instances()
            if (not (self._io.is_eof())):
                pass



    class PartitionDataDivergingEpochTag(KaitaiStruct):
        """Field of tag 0."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchResponse.PartitionDataDivergingEpochTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.diverging_epoch = KafkaFetchResponse.EpochEndOffset(self._io, self, self._root)
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.diverging_epoch._fetch_instances()
            if (not (self._io.is_eof())):
                pass



    class PartitionDataSnapshotIdTag(KaitaiStruct):
        """Field of tag 2."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchResponse.PartitionDataSnapshotIdTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.snapshot_id = KafkaFetchResponse.SnapshotId(self._io, self, self._root)
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            self.snapshot_id._fetch_instances()
            if (not (self._io.is_eof())):
                pass



    class PartitionDataTaggedField(KaitaiStruct):
        """A field that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchResponse.PartitionDataTaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_data = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaFetchResponse.PartitionDataDivergingEpochTag(_io__raw_data, self, self._root)
            elif _on == 1:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaFetchResponse.PartitionDataCurrentLeaderTag(_io__raw_data, self, self._root)
            elif _on == 2:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaFetchResponse.PartitionDataSnapshotIdTag(_io__raw_data, self, self._root)
            else:
                pass
                self.data = self._io.read_bytes(self.len_data.value)


        def _fetch_instances(self):
            pass
            self.tag._fetch_instances()
            self.len_data._fetch_instances()
            _on = self.tag.value
            if _on == 0:
                pass
                self.data._fetch_instances()
            elif _on == 1:
                pass
                self.data._fetch_instances()
            elif _on == 2:
                pass
                self.data._fetch_instances()
            else:
                pass


    class PartitionDataTaggedFields(KaitaiStruct):
        """Fields that may be missing (KIP-482)."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchResponse.PartitionDataTaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.fields = []
            for i in range(self.num_fields.value):
                self.fields.append(KafkaFetchResponse.PartitionDataTaggedField(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class SnapshotId(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchResponse.SnapshotId, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.end_offset = self._io.read_s8be()
            self.epoch = self._io.read_s4be()
            if self._root.message_version >= 12:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 12:
                pass
                self.tagged_fields._fetch_instances()



    class TaggedField(KaitaiStruct):
        """A field that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaFetchResponse.TaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_data = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes((self.len_data.value if  ((self.tag.value != 0) or (self._root.message_version >= 16))  else -1))
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaFetchResponse.NodeEndpointsTag(_io__raw_data, self, self._root)
            else:
                pass
                self.data = self._io.read_bytes((self.len_data.value if  ((self.tag.value != 0) or (self._root.message_version >= 16))  else -1))


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
            super(KafkaFetchResponse.TaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.fields = []
            for i in range(self.num_fields.value):
                self.fields.append(KafkaFetchResponse.TaggedField(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()




