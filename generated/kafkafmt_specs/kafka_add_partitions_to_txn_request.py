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

class KafkaAddPartitionsToTxnRequest(KaitaiStruct):
    """`AddPartitionsToTxnRequest`: a request of the API with key 24, after its
    header (see `kafka_request`).
    
    .. seealso::
       AddPartitionsToTxnRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AddPartitionsToTxnRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaAddPartitionsToTxnRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        if self.message_version >= 4:
            pass
            self.num_transactions = kafka_array_length.KafkaArrayLength(True, False, self._io)

        if self.message_version >= 4:
            pass
            self.transactions = []
            for i in range(self.num_transactions.value):
                self.transactions.append(KafkaAddPartitionsToTxnRequest.AddPartitionsToTxnTransaction(self._io, self, self._root))


        if self.message_version <= 3:
            pass
            self.v3_and_below_transactional_id = kafka_string.KafkaString(self.message_version >= 3, False, self._io)

        if self.message_version <= 3:
            pass
            self.v3_and_below_producer_id = self._io.read_s8be()

        if self.message_version <= 3:
            pass
            self.v3_and_below_producer_epoch = self._io.read_s2be()

        if self.message_version <= 3:
            pass
            self.num_v3_and_below_topics = kafka_array_length.KafkaArrayLength(self.message_version >= 3, False, self._io)

        if self.message_version <= 3:
            pass
            self.v3_and_below_topics = []
            for i in range(self.num_v3_and_below_topics.value):
                self.v3_and_below_topics.append(KafkaAddPartitionsToTxnRequest.AddPartitionsToTxnTopic(self._io, self, self._root))


        if self.message_version >= 3:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        if self.message_version >= 4:
            pass
            self.num_transactions._fetch_instances()

        if self.message_version >= 4:
            pass
            for i in range(len(self.transactions)):
                pass
                self.transactions[i]._fetch_instances()


        if self.message_version <= 3:
            pass
            self.v3_and_below_transactional_id._fetch_instances()

        if self.message_version <= 3:
            pass

        if self.message_version <= 3:
            pass

        if self.message_version <= 3:
            pass
            self.num_v3_and_below_topics._fetch_instances()

        if self.message_version <= 3:
            pass
            for i in range(len(self.v3_and_below_topics)):
                pass
                self.v3_and_below_topics[i]._fetch_instances()


        if self.message_version >= 3:
            pass
            self.tagged_fields._fetch_instances()


    class AddPartitionsToTxnTopic(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAddPartitionsToTxnRequest.AddPartitionsToTxnTopic, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(self._root.message_version >= 3, False, self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(self._root.message_version >= 3, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(self._io.read_s4be())

            if self._root.message_version >= 3:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass

            if self._root.message_version >= 3:
                pass
                self.tagged_fields._fetch_instances()



    class AddPartitionsToTxnTransaction(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAddPartitionsToTxnRequest.AddPartitionsToTxnTransaction, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            if self._root.message_version >= 4:
                pass
                self.transactional_id = kafka_string.KafkaString(True, False, self._io)

            if self._root.message_version >= 4:
                pass
                self.producer_id = self._io.read_s8be()

            if self._root.message_version >= 4:
                pass
                self.producer_epoch = self._io.read_s2be()

            if self._root.message_version >= 4:
                pass
                self.verify_only = kafka_boolean.KafkaBoolean(self._io)

            if self._root.message_version >= 4:
                pass
                self.num_topics = kafka_array_length.KafkaArrayLength(True, False, self._io)

            if self._root.message_version >= 4:
                pass
                self.topics = []
                for i in range(self.num_topics.value):
                    self.topics.append(KafkaAddPartitionsToTxnRequest.AddPartitionsToTxnTopic(self._io, self, self._root))


            if self._root.message_version >= 3:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            if self._root.message_version >= 4:
                pass
                self.transactional_id._fetch_instances()

            if self._root.message_version >= 4:
                pass

            if self._root.message_version >= 4:
                pass

            if self._root.message_version >= 4:
                pass
                self.verify_only._fetch_instances()

            if self._root.message_version >= 4:
                pass
                self.num_topics._fetch_instances()

            if self._root.message_version >= 4:
                pass
                for i in range(len(self.topics)):
                    pass
                    self.topics[i]._fetch_instances()


            if self._root.message_version >= 3:
                pass
                self.tagged_fields._fetch_instances()




