# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_kraft_version_record
from . import kafka_leader_change_message
from . import kafka_snapshot_footer_record
from . import kafka_snapshot_header_record
from . import kafka_voters_record
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaControlRecordValue(KaitaiStruct):
    """Value of a control record in `__cluster_metadata` or a snapshot of it. What it
    is, only the key tells, a `kafka_control_record_key`. Where that is known, the
    spec of the message itself does as well.
    
    .. seealso::
       KIP-595 - https://cwiki.apache.org/confluence/display/KAFKA/KIP-595%3A+A+Raft+Protocol+for+the+Metadata+Quorum
    """

    class ControlRecordType(IntEnum):
        leader_change = 2
        snapshot_header = 3
        snapshot_footer = 4
        kraft_version = 5
        kraft_voters = 6
    def __init__(self, key_type, _io, _parent=None, _root=None):
        super(KafkaControlRecordValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.key_type = key_type
        self._read()

    def _read(self):
        _on = self.key_type
        if _on == KafkaControlRecordValue.ControlRecordType.kraft_version:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_kraft_version_record.KafkaKraftVersionRecord(_io__raw_message)
        elif _on == KafkaControlRecordValue.ControlRecordType.kraft_voters:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_voters_record.KafkaVotersRecord(_io__raw_message)
        elif _on == KafkaControlRecordValue.ControlRecordType.leader_change:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_leader_change_message.KafkaLeaderChangeMessage(_io__raw_message)
        elif _on == KafkaControlRecordValue.ControlRecordType.snapshot_footer:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_snapshot_footer_record.KafkaSnapshotFooterRecord(_io__raw_message)
        elif _on == KafkaControlRecordValue.ControlRecordType.snapshot_header:
            pass
            self._raw_message = self._io.read_bytes_full()
            _io__raw_message = KaitaiStream(BytesIO(self._raw_message))
            self.message = kafka_snapshot_header_record.KafkaSnapshotHeaderRecord(_io__raw_message)
        else:
            pass
            self.message = self._io.read_bytes_full()


    def _fetch_instances(self):
        pass
        _on = self.key_type
        if _on == KafkaControlRecordValue.ControlRecordType.kraft_version:
            pass
            self.message._fetch_instances()
        elif _on == KafkaControlRecordValue.ControlRecordType.kraft_voters:
            pass
            self.message._fetch_instances()
        elif _on == KafkaControlRecordValue.ControlRecordType.leader_change:
            pass
            self.message._fetch_instances()
        elif _on == KafkaControlRecordValue.ControlRecordType.snapshot_footer:
            pass
            self.message._fetch_instances()
        elif _on == KafkaControlRecordValue.ControlRecordType.snapshot_header:
            pass
            self.message._fetch_instances()
        else:
            pass


