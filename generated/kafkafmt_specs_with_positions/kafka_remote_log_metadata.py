# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_remote_log_segment_metadata_record
from . import kafka_remote_log_segment_metadata_snapshot_record
from . import kafka_remote_log_segment_metadata_update_record
from . import kafka_remote_partition_delete_metadata_record
from . import kafka_unsigned_varint
from enum import IntEnum
import collections


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaRemoteLogMetadata(KaitaiStruct):
    """Value of a record in `__remote_log_metadata`, which tells what segments lie in
    remote storage. It has no key.
    
    .. seealso::
       KIP-405 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-405%3A+Kafka+Tiered+Storage
    """

    class RecordType(IntEnum):
        remote_log_segment_metadata_record = 0
        remote_log_segment_metadata_update_record = 1
        remote_partition_delete_metadata_record = 2
        remote_log_segment_metadata_snapshot_record = 3
    SEQ_FIELDS = ["frame_version", "api_key", "version", "message"]
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaRemoteLogMetadata, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._debug = collections.defaultdict(dict)

    def _read(self):
        self._debug['frame_version']['start'] = self._io.pos()
        self.frame_version = self._io.read_bytes(1)
        self._debug['frame_version']['end'] = self._io.pos()
        if not self.frame_version == b"\x01":
            raise kaitaistruct.ValidationNotEqualError(b"\x01", self.frame_version, self._io, u"/seq/0")
        self._debug['api_key']['start'] = self._io.pos()
        self.api_key = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
        self.api_key._read()
        self._debug['api_key']['end'] = self._io.pos()
        self._debug['version']['start'] = self._io.pos()
        self.version = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
        self.version._read()
        self._debug['version']['end'] = self._io.pos()
        self._debug['message']['start'] = self._io.pos()
        _on = self.api_key.value
        if _on == 0:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_remote_log_segment_metadata_record.KafkaRemoteLogSegmentMetadataRecord(self.version.value, _io__raw_message)
            self.message._read()
        elif _on == 1:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_remote_log_segment_metadata_update_record.KafkaRemoteLogSegmentMetadataUpdateRecord(self.version.value, _io__raw_message)
            self.message._read()
        elif _on == 2:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_remote_partition_delete_metadata_record.KafkaRemotePartitionDeleteMetadataRecord(self.version.value, _io__raw_message)
            self.message._read()
        elif _on == 3:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_remote_log_segment_metadata_snapshot_record.KafkaRemoteLogSegmentMetadataSnapshotRecord(self.version.value, _io__raw_message)
            self.message._read()
        else:
            pass
            self.message = self._io.read_bytes_full()
        self._debug['message']['end'] = self._io.pos()


    def _fetch_instances(self):
        pass
        self.api_key._fetch_instances()
        self.version._fetch_instances()
        _on = self.api_key.value
        if _on == 0:
            pass
            self.message._fetch_instances()
        elif _on == 1:
            pass
            self.message._fetch_instances()
        elif _on == 2:
            pass
            self.message._fetch_instances()
        elif _on == 3:
            pass
            self.message._fetch_instances()
        else:
            pass


