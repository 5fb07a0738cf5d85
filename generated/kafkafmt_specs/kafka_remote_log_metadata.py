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


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaRemoteLogMetadata(KaitaiStruct):
    """Value of a record in `__remote_log_metadata`, about segments in remote
    storage. Its key is null.
    
    .. seealso::
       KIP-405 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-405%3A+Kafka+Tiered+Storage
    """

    class RecordType(IntEnum):
        remote_log_segment_metadata_record = 0
        remote_log_segment_metadata_update_record = 1
        remote_partition_delete_metadata_record = 2
        remote_log_segment_metadata_snapshot_record = 3
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaRemoteLogMetadata, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.frame_version = self._io.read_bytes(1)
        if not self.frame_version == b"\x01":
            raise kaitaistruct.ValidationNotEqualError(b"\x01", self.frame_version, self._io, u"/seq/0")
        self.api_key = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
        self.version = kafka_unsigned_varint.KafkaUnsignedVarint(self._io)
        _on = self.api_key.value
        if _on == 0:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_remote_log_segment_metadata_record.KafkaRemoteLogSegmentMetadataRecord(self.version.value, _io__raw_message)
        elif _on == 1:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_remote_log_segment_metadata_update_record.KafkaRemoteLogSegmentMetadataUpdateRecord(self.version.value, _io__raw_message)
        elif _on == 2:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_remote_partition_delete_metadata_record.KafkaRemotePartitionDeleteMetadataRecord(self.version.value, _io__raw_message)
        elif _on == 3:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_remote_log_segment_metadata_snapshot_record.KafkaRemoteLogSegmentMetadataSnapshotRecord(self.version.value, _io__raw_message)
        else:
            pass
            self.message = self._io.read_bytes_full()


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


