# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_array_length
from . import kafka_string
from . import kafka_tagged_fields


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaAlterReplicaLogDirsRequest(KaitaiStruct):
    """`AlterReplicaLogDirsRequest`: a request of the API with key 34, after its
    header (see `kafka_request`).
    
    .. seealso::
       AlterReplicaLogDirsRequest - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/AlterReplicaLogDirsRequest.json
    """
    def __init__(self, message_version, _io, _parent=None, _root=None):
        super(KafkaAlterReplicaLogDirsRequest, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.message_version = message_version
        self._read()

    def _read(self):
        self.num_dirs = kafka_array_length.KafkaArrayLength(self.message_version >= 2, False, self._io)
        self.dirs = []
        for i in range(self.num_dirs.value):
            self.dirs.append(KafkaAlterReplicaLogDirsRequest.AlterReplicaLogDir(self._io, self, self._root))

        if self.message_version >= 2:
            pass
            self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



    def _fetch_instances(self):
        pass
        self.num_dirs._fetch_instances()
        for i in range(len(self.dirs)):
            pass
            self.dirs[i]._fetch_instances()

        if self.message_version >= 2:
            pass
            self.tagged_fields._fetch_instances()


    class AlterReplicaLogDir(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAlterReplicaLogDirsRequest.AlterReplicaLogDir, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.path = kafka_string.KafkaString(self._root.message_version >= 2, False, self._io)
            self.num_topics = kafka_array_length.KafkaArrayLength(self._root.message_version >= 2, False, self._io)
            self.topics = []
            for i in range(self.num_topics.value):
                self.topics.append(KafkaAlterReplicaLogDirsRequest.AlterReplicaLogDirTopic(self._io, self, self._root))

            if self._root.message_version >= 2:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.path._fetch_instances()
            self.num_topics._fetch_instances()
            for i in range(len(self.topics)):
                pass
                self.topics[i]._fetch_instances()

            if self._root.message_version >= 2:
                pass
                self.tagged_fields._fetch_instances()



    class AlterReplicaLogDirTopic(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaAlterReplicaLogDirsRequest.AlterReplicaLogDirTopic, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = kafka_string.KafkaString(self._root.message_version >= 2, False, self._io)
            self.num_partitions = kafka_array_length.KafkaArrayLength(self._root.message_version >= 2, False, self._io)
            self.partitions = []
            for i in range(self.num_partitions.value):
                self.partitions.append(self._io.read_s4be())

            if self._root.message_version >= 2:
                pass
                self.tagged_fields = kafka_tagged_fields.KafkaTaggedFields(self._io)



        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            self.num_partitions._fetch_instances()
            for i in range(len(self.partitions)):
                pass

            if self._root.message_version >= 2:
                pass
                self.tagged_fields._fetch_instances()




