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

class KafkaTransactionLogValue(KaitaiStruct):
    """State of a transactional id and its transaction.
    
    .. seealso::
       TransactionLogValue - https://github.com/apache/kafka/blob/4.4.0/transaction-coordinator/src/main/resources/common/message/TransactionLogValue.json
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaTransactionLogValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.message_version = self._io.read_s2be()
        if not self.message_version >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.message_version, self._io, u"/seq/0")
        if not self.message_version <= 1:
            raise kaitaistruct.ValidationGreaterThanError(1, self.message_version, self._io, u"/seq/0")
        self.producer_id = self._io.read_s8be()
        self.producer_epoch = self._io.read_s2be()
        self.transaction_timeout_ms = self._io.read_s4be()
        self.transaction_status = self._io.read_s1()
        self.num_transaction_partitions = kafka_array_length.KafkaArrayLength(self.message_version >= 1, True, self._io)
        self.transaction_partitions = []
        for i in range(self.num_transaction_partitions.value):
            self.transaction_partitions.append(KafkaTransactionLogValue.PartitionsSchema(self._io, self, self._root))

        self.transaction_last_update_timestamp_ms = self._io.read_s8be()
        self.transaction_start_timestamp_ms = self._io.read_s8be()
        if self.message_version >= 1:
            pass
            self.tagged_fields = KafkaTransactionLogValue.TaggedFields(self._io, self, self._root)



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
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaTransactionLogValue.ClientTransactionVersionTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.client_transaction_version = self._io.read_s2be()
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class NextProducerEpochTag(KaitaiStruct):
        """Field of tag 3."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaTransactionLogValue.NextProducerEpochTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.next_producer_epoch = self._io.read_s2be()
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class NextProducerIdTag(KaitaiStruct):
        """Field of tag 1."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaTransactionLogValue.NextProducerIdTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.next_producer_id = self._io.read_s8be()
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class PartitionsSchema(KaitaiStruct):
        """Partitions of a topic."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaTransactionLogValue.PartitionsSchema, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.topic = kafka_string.KafkaString(self._root.message_version >= 1, False, self._io)
            self.num_partition_ids = kafka_array_length.KafkaArrayLength(self._root.message_version >= 1, False, self._io)
            self.partition_ids = []
            for i in range(self.num_partition_ids.value):
                self.partition_ids.append(self._io.read_s4be())

            if self._root.message_version >= 1:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



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
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaTransactionLogValue.PreviousProducerIdTag, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.previous_producer_id = self._io.read_s8be()
            if (not (self._io.is_eof())):
                pass
                self.rest = self._io.read_bytes(0 - 1)



        def _fetch_instances(self):
            pass
            if (not (self._io.is_eof())):
                pass



    class TaggedField(KaitaiStruct):
        """A field that may be missing."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaTransactionLogValue.TaggedField, self).__init__(_io)
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
                self.data = KafkaTransactionLogValue.PreviousProducerIdTag(_io__raw_data, self, self._root)
            elif _on == 1:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaTransactionLogValue.NextProducerIdTag(_io__raw_data, self, self._root)
            elif _on == 2:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaTransactionLogValue.ClientTransactionVersionTag(_io__raw_data, self, self._root)
            elif _on == 3:
                pass
                self._raw_data = self._io.read_bytes(self.len_data.value)
                _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
                self.data = KafkaTransactionLogValue.NextProducerEpochTag(_io__raw_data, self, self._root)
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
            elif _on == 3:
                pass
                self.data._fetch_instances()
            else:
                pass


    class TaggedFields(KaitaiStruct):
        """Fields that may be missing (KIP-482)."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaTransactionLogValue.TaggedFields, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
            self.fields = []
            for i in range(self.num_fields.value):
                self.fields.append(KafkaTransactionLogValue.TaggedField(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_fields._fetch_instances()
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()




