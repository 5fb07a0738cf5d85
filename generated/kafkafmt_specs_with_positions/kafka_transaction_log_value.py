# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields
from . import kafka_unsigned_varint
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaTransactionLogValue(KaitaiStruct):
    """A transactional id, and how far its transaction is.
    
    .. seealso::
       TransactionLogValue - https://github.com/apache/kafka/blob/4.4.0/transaction-coordinator/src/main/resources/common/message/TransactionLogValue.json
    """
    SEQ_FIELDS = ["message_version", "producer_id", "producer_epoch", "transaction_timeout_ms", "transaction_status", "num_transaction_partitions", "transaction_partitions", "transaction_last_update_timestamp_ms", "transaction_start_timestamp_ms", "tagged_fields"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaTransactionLogValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['message_version']['start'] = self._io.pos()
        self.message_version = self._io.read_s2be()
        self._debug['message_version']['end'] = self._io.pos()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        if not self.message_version <= 1:
            raise kaitaistruct.ValidationGreaterThanError(1, self.message_version, self._io, u"/seq/0")
        self._debug['producer_id']['start'] = self._io.pos()
        self.producer_id = self._io.read_s8be()
        self._debug['producer_id']['end'] = self._io.pos()
        self._debug['producer_epoch']['start'] = self._io.pos()
        self.producer_epoch = self._io.read_s2be()
        self._debug['producer_epoch']['end'] = self._io.pos()
        self._debug['transaction_timeout_ms']['start'] = self._io.pos()
        self.transaction_timeout_ms = self._io.read_s4be()
        self._debug['transaction_timeout_ms']['end'] = self._io.pos()
        self._debug['transaction_status']['start'] = self._io.pos()
        self.transaction_status = self._io.read_s1()
        self._debug['transaction_status']['end'] = self._io.pos()
        self._debug['num_transaction_partitions']['start'] = self._io.pos()
        self.num_transaction_partitions = kafka_array_length.KafkaArrayLength(self.message_version >= 1, True, self._io)
        self.num_transaction_partitions._read()
        self._debug['num_transaction_partitions']['end'] = self._io.pos()
        self._debug['transaction_partitions']['start'] = self._io.pos()
        self._debug['transaction_partitions']['arr'] = []
        self.transaction_partitions = []
        for i in range(self.num_transaction_partitions.value):
            self._debug['transaction_partitions']['arr'].append({'start': self._io.pos()})
            _t_transaction_partitions = KafkaTransactionLogValue.PartitionsSchema(self._io, self, self._root)
            try:
                _t_transaction_partitions._read()
            finally:
                self.transaction_partitions.append(_t_transaction_partitions)
            self._debug['transaction_partitions']['arr'][i]['end'] = self._io.pos()

        self._debug['transaction_partitions']['end'] = self._io.pos()
        self._debug['transaction_last_update_timestamp_ms']['start'] = self._io.pos()
        self.transaction_last_update_timestamp_ms = self._io.read_s8be()
        self._debug['transaction_last_update_timestamp_ms']['end'] = self._io.pos()
        self._debug['transaction_start_timestamp_ms']['start'] = self._io.pos()
        self.transaction_start_timestamp_ms = self._io.read_s8be()
        self._debug['transaction_start_timestamp_ms']['end'] = self._io.pos()
        if self.message_version >= 1:
            pass
            self._debug['tagged_fields']['start'] = self._io.pos()
            self.tagged_fields = KafkaTransactionLogValue.TaggedFields(self._io, self, self._root)
            self.tagged_fields._read()
            self._debug['tagged_fields']['end'] = self._io.pos()



    def _fetch_instances(self):
        pass
        self.num_transaction_partitions._fetch_instances()
        for i in range(len(self.transaction_partitions)):
            pass
            self.transaction_partitions[i]._fetch_instances()

        if self.message_version >= 1:
            pass
            self.tagged_fields._fetch_instances()


    class ClientTransactionVersionTag(KaitaiStruct):
        """Field of tag 2."""
        SEQ_FIELDS = ["client_transaction_version", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaTransactionLogValue.ClientTransactionVersionTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['client_transaction_version']['start'] = self._io.pos()
            self.client_transaction_version = self._io.read_s2be()
            self._debug['client_transaction_version']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class NextProducerEpochTag(KaitaiStruct):
        """Field of tag 3."""
        SEQ_FIELDS = ["next_producer_epoch", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaTransactionLogValue.NextProducerEpochTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['next_producer_epoch']['start'] = self._io.pos()
            self.next_producer_epoch = self._io.read_s2be()
            self._debug['next_producer_epoch']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class NextProducerIdTag(KaitaiStruct):
        """Field of tag 1."""
        SEQ_FIELDS = ["next_producer_id", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaTransactionLogValue.NextProducerIdTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['next_producer_id']['start'] = self._io.pos()
            self.next_producer_id = self._io.read_s8be()
            self._debug['next_producer_id']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class PartitionsSchema(KaitaiStruct):
        """Partitions of a topic."""
        SEQ_FIELDS = ["topic", "num_partition_ids", "partition_ids", "tagged_fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaTransactionLogValue.PartitionsSchema, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['topic']['start'] = self._io.pos()
            self.topic = kafka_string.KafkaString(self._root.message_version >= 1, False, self._io)
            self.topic._read()
            self._debug['topic']['end'] = self._io.pos()
            self._debug['num_partition_ids']['start'] = self._io.pos()
            self.num_partition_ids = kafka_array_length.KafkaArrayLength(self._root.message_version >= 1, False, self._io)
            self.num_partition_ids._read()
            self._debug['num_partition_ids']['end'] = self._io.pos()
            self._debug['partition_ids']['start'] = self._io.pos()
            self._debug['partition_ids']['arr'] = []
            self.partition_ids = []
            for i in range(self.num_partition_ids.value):
                self._debug['partition_ids']['arr'].append({'start': self._io.pos()})
                self.partition_ids.append(self._io.read_s4be())
                self._debug['partition_ids']['arr'][i]['end'] = self._io.pos()

            self._debug['partition_ids']['end'] = self._io.pos()
            if self._root.message_version >= 1:
                pass
                self._debug['tagged_fields']['start'] = self._io.pos()
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)
                self.tagged_fields._read()
                self._debug['tagged_fields']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            self.topic._fetch_instances()
            self.num_partition_ids._fetch_instances()
            for i in range(len(self.partition_ids)):
                pass

            if self._root.message_version >= 1:
                pass
                self.tagged_fields._fetch_instances()



    class PreviousProducerIdTag(KaitaiStruct):
        """Field of tag 0."""
        SEQ_FIELDS = ["previous_producer_id", "rest"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaTransactionLogValue.PreviousProducerIdTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['previous_producer_id']['start'] = self._io.pos()
            self.previous_producer_id = self._io.read_s8be()
            self._debug['previous_producer_id']['end'] = self._io.pos()
            if (not (self._io.is_eof())):
                pass
                self._debug['rest']['start'] = self._io.pos()
                self.rest = self._io.read_bytes(-1)
                self._debug['rest']['end'] = self._io.pos()



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class TaggedField(KaitaiStruct):
        """A field that may be missing."""
        SEQ_FIELDS = ["tag", "len_data", "data"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaTransactionLogValue.TaggedField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['tag']['start'] = self._io.pos()
            self.tag = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.tag._read()
            self._debug['tag']['end'] = self._io.pos()
            self._debug['len_data']['start'] = self._io.pos()
            self.len_data = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.len_data._read()
            self._debug['len_data']['end'] = self._io.pos()
            self._debug['data']['start'] = self._io.pos()
            _on = self.tag.value
            if _on == 0:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaTransactionLogValue.PreviousProducerIdTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 1:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaTransactionLogValue.NextProducerIdTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 2:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaTransactionLogValue.ClientTransactionVersionTag(_io__raw_data, self, self._root)
                self.data._read()
            elif _on == 3:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaTransactionLogValue.NextProducerEpochTag(_io__raw_data, self, self._root)
                self.data._read()
            else:
                pass
                self.data = self._io.read_bytes(self.len_data.value)
            self._debug['data']['end'] = self._io.pos()


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
            elif _on == 3:
                pass
                self.data._fetch_instances()
            else:
                pass


    class TaggedFields(KaitaiStruct):
        """Fields that may be missing (KIP-482)."""
        SEQ_FIELDS = ["num_fields", "fields"]
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaTransactionLogValue.TaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._debug = collections.defaultdict(dict)

        def _read(self):
            self._debug['num_fields']['start'] = self._io.pos()
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.num_fields._read()
            self._debug['num_fields']['end'] = self._io.pos()
            self._debug['fields']['start'] = self._io.pos()
            self._debug['fields']['arr'] = []
            self.fields = []
            for i in range(self.num_fields.value):
                self._debug['fields']['arr'].append({'start': self._io.pos()})
                _t_fields = KafkaTransactionLogValue.TaggedField(self._io, self, self._root)
                try:
                    _t_fields._read()
                finally:
                    self.fields.append(_t_fields)
                self._debug['fields']['arr'][i]['end'] = self._io.pos()

            self._debug['fields']['end'] = self._io.pos()


        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()




