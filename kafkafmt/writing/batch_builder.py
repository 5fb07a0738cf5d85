"""BatchBuilder: appends records one by one to the batch that Kafka's `MemoryRecordsBuilder` would make."""

import struct
from collections.abc import Sequence

from kafkafmt.codec.compression import CODECS, Compression, check_level, compress
from kafkafmt.reference import layout
from kafkafmt.reference.control import CONTROL_TYPES, TRANSACTION_MARKERS
from kafkafmt.reference.header import (
    CREATE_TIME,
    INT32_MAX,
    INT64_MAX,
    LOG_APPEND_TIME,
    NO_TIMESTAMP_TYPE,
    TIMESTAMP_TYPE_IDS,
    to_int64,
)
from kafkafmt.reference.layout import CONTROL, CURRENT_MAGIC, DELETE_HORIZON, TRANSACTIONAL
from kafkafmt.reference.record import Header
from kafkafmt.writing import encoding

_NO_TIMESTAMP = -1
_CONTROL_IDS = {name: number for number, name in CONTROL_TYPES.items()}
_CONTROL_KEY = struct.Struct(">hh")
_MARKER = struct.Struct(">hi")
_VERSION = struct.Struct(">h")


class BatchBuilder:
    """Builds one batch of format 2, or messages of format 0 or 1, in a wrapper if they are compressed.

    Records that Kafka refuses are refused here, at the same moment. Times are ms, sizes bytes.

    Args:
        message_format: 0, 1 or 2.
        compression: "none", "gzip", "snappy", "lz4", or from format 2 on "zstd".
        compression_level: level of the codec; None for Kafka's default.
        timestamp_type: "CreateTime", "LogAppendTime", or "NoTimestampType" in format 0.
        log_append_time: the time of all records with "LogAppendTime".
        base_offset: base offset of the batch; the first record has it unless it is given another offset.
        producer_id: id of an idempotent or transactional producer, else -1.
        producer_epoch: epoch of that producer.
        base_sequence: sequence of the first record.
        is_transactional: whether the batch is part of a transaction.
        is_control: whether the batch contains control records.
        partition_leader_epoch: epoch of the leader that appends the batch; -1 in batches of a producer.
        size_limit: limit for `has_room_for` and `is_full`; the first record may exceed it.
        delete_horizon_ms: delete horizon of a compacted batch, or None.
        compression_ratio: ratio for estimates (`setEstimatedCompressionRatio`).

    Raises:
        ValueError: the format has no such field, or an argument is invalid.
    """

    def __init__(
        self,
        *,
        message_format: int = CURRENT_MAGIC,
        compression: str = "none",
        compression_level: int | None = None,
        timestamp_type: str = CREATE_TIME,
        log_append_time: int = _NO_TIMESTAMP,
        base_offset: int = 0,
        producer_id: int = -1,
        producer_epoch: int = -1,
        base_sequence: int = -1,
        is_transactional: bool = False,
        is_control: bool = False,
        partition_leader_epoch: int = -1,
        size_limit: int = 16384,
        delete_horizon_ms: int | None = None,
        compression_ratio: float = 1.0,
    ) -> None:
        self._magic = message_format
        self._codec = codec_of(compression, message_format)
        check_level(self._codec, compression_level)
        self._level = compression_level
        if timestamp_type not in TIMESTAMP_TYPE_IDS:
            raise ValueError(f"timestamp_type must be one of {tuple(TIMESTAMP_TYPE_IDS)}, not {timestamp_type!r}")
        if message_format > 0 and timestamp_type == NO_TIMESTAMP_TYPE:
            raise ValueError(f"message format {message_format} needs a timestamp type")
        if message_format < CURRENT_MAGIC:
            for name, is_given in (
                ("transactional records", is_transactional),
                ("control records", is_control),
                ("a delete horizon", delete_horizon_ms is not None),
            ):
                if is_given:
                    raise ValueError(f"message format {message_format} has no {name}")
        self._append_time = log_append_time if timestamp_type == LOG_APPEND_TIME else None
        self._base_offset = base_offset
        self._producer = (producer_id, producer_epoch, base_sequence)
        self._is_transactional = is_transactional
        self._is_control = is_control
        self._leader_epoch = partition_leader_epoch
        self._limit = size_limit
        self._delete_horizon = delete_horizon_ms
        self._base_timestamp = delete_horizon_ms
        self._ratio = compression_ratio
        self._header_size = encoding.header_size(message_format, is_compressed=self._codec != Compression.NONE)
        self._records = bytearray()
        self._uncompressed = 0
        self._last_offset: int | None = None
        self._max_timestamp = _NO_TIMESTAMP
        self._is_closed = False
        self._built: bytes | None = None
        self.count = 0
        """Number of records appended."""

    @property
    def estimated_size(self) -> int:
        """Expected size of the batch; exact if it is not compressed, or once it is built."""
        return self._estimate() if self._built is None else len(self._built)

    @property
    def is_full(self) -> bool:
        """Whether the estimate reaches the limit, or the batch is closed."""
        return self._is_closed or (self.count > 0 and self._limit <= self._estimate())

    @property
    def compression_ratio(self) -> float:
        """Stored size of the records, relative to their uncompressed size; 1.0 before `build`."""
        if self._built is None or not self._uncompressed:
            return 1.0
        return (len(self._built) - self._header_size) / self._uncompressed

    def has_room_for(
        self, timestamp: int, key: bytes | None, value: bytes | None, headers: Sequence[Header] = ()
    ) -> bool:
        """Whether a producer would put the record into this batch; the first one always fits.

        The new record is counted without compression.
        """
        if self.is_full:
            return False
        if self.count == 0:
            return True
        if self._magic < CURRENT_MAGIC:
            size = encoding.message_size(self._magic, key, value)
        else:
            base = timestamp if self._base_timestamp is None else self._base_timestamp
            size = encoding.record_size(self._next_offset() - self._base_offset, timestamp - base, key, value, headers)
        return self._limit >= self._estimate() + size

    def append(
        self,
        timestamp: int,
        key: bytes | None,
        value: bytes | None,
        headers: Sequence[Header] = (),
        *,
        offset: int | None = None,
    ) -> None:
        """Append a record, even above the size limit.

        Args:
            timestamp: ms since the epoch, -1 for none.
            key: bytes, or None.
            value: bytes, or None.
            headers: (name, value) pairs, in format 2 only.
            offset: offset above that of the previous record; None for the next one.

        Raises:
            ValueError: the record cannot be in this batch, which stays unchanged.
        """
        if self._is_control:
            raise ValueError("a control batch takes control records only (append_control)")
        self._append(timestamp, key, value, headers, offset)

    def append_control(
        self,
        timestamp: int,
        type: str,  # noqa: A002 - the contract's name
        *,
        coordinator_epoch: int | None = None,
        leader_id: int | None = None,
        voters: Sequence[int] = (),
        granting_voters: Sequence[int] = (),
        last_contained_log_timestamp: int | None = None,
        kraft_version: int | None = None,
    ) -> None:
        """Append a control record (`ControlRecordType`).

        Args:
            timestamp: ms since the epoch.
            type: "COMMIT" or "ABORT" with `coordinator_epoch`; "LEADER_CHANGE" with `leader_id`, `voters` and
                `granting_voters`; "SNAPSHOT_HEADER" with `last_contained_log_timestamp`; "SNAPSHOT_FOOTER";
                "KRAFT_VERSION" with `kraft_version`.
            coordinator_epoch: epoch of the transaction coordinator.
            leader_id: id of the new leader.
            voters: ids of all voters.
            granting_voters: ids of those that voted for the leader.
            last_contained_log_timestamp: ms since the epoch.
            kraft_version: version of the Raft protocol.

        Raises:
            ValueError: the batch takes no control records, or not this one; or a field that the type needs is missing.
        """
        if type in TRANSACTION_MARKERS:
            if self._producer[0] == -1:
                raise ValueError("a transaction marker needs a valid producer id")
            if not self._is_transactional:
                raise ValueError("a transaction marker needs a transactional batch")
            value = _MARKER.pack(0, _given(type, coordinator_epoch=coordinator_epoch))
        elif type == "LEADER_CHANGE":
            if self._leader_epoch == -1:
                raise ValueError("a change of the leader needs a partition leader epoch")
            leader = _given(type, leader_id=leader_id)
            value = struct.pack(">hi", 0, leader) + _voters(voters) + _voters(granting_voters) + b"\0"
        elif type == "SNAPSHOT_HEADER":
            timestamp_of_log = _given(type, last_contained_log_timestamp=last_contained_log_timestamp)
            value = struct.pack(">hq", 0, timestamp_of_log) + b"\0"
        elif type == "SNAPSHOT_FOOTER":
            value = _VERSION.pack(0) + b"\0"
        elif type == "KRAFT_VERSION":
            value = struct.pack(">hh", 0, _given(type, kraft_version=kraft_version)) + b"\0"
        else:
            raise ValueError(f"no control record of type {type!r} can be written")
        if not self._is_control:
            raise ValueError("control records need a control batch")
        self._append(timestamp, _CONTROL_KEY.pack(0, _CONTROL_IDS[type]), value, (), None)

    def close_for_appends(self) -> None:
        """Close the batch, so that it takes no more records."""
        self._is_closed = True

    def build(self, last_offset: int | None = None) -> bytes:
        """Make the bytes: whole batches, or b"" if nothing was appended. The builder takes no more records.

        Args:
            last_offset: last offset of a batch of format 2 that lost its last records (`overrideLastOffset`); None for
                that of the last record.

        Raises:
            ValueError: producer fields contradict each other, or the last offset is below that of the last record.
        """
        if self._built is None:
            self._check_producer()
            if last_offset is not None and self._last_offset is not None:
                if self._magic < CURRENT_MAGIC or not 0 <= last_offset - self._last_offset <= INT32_MAX:
                    raise ValueError(f"the batch cannot end with offset {last_offset}")
                self._last_offset = last_offset
            self._is_closed = True
            self._built = self._build() if self.count else b""
        return self._built

    def _append(
        self, timestamp: int, key: bytes | None, value: bytes | None, headers: Sequence[Header], offset: int | None
    ) -> None:
        if self._is_closed:
            raise ValueError("the batch is closed: no more records can be appended")
        if offset is None:
            offset = self._next_offset()
        if self._last_offset is not None and offset <= self._last_offset:
            raise ValueError(f"offset {offset} follows offset {self._last_offset}: offsets must rise")
        if not 0 <= offset - self._base_offset <= INT32_MAX or offset > INT64_MAX:
            raise ValueError(f"offset {offset} is out of reach of base offset {self._base_offset}: 2147483647 at most")
        if timestamp < _NO_TIMESTAMP or timestamp > INT64_MAX:
            raise ValueError(f"invalid timestamp {timestamp}")
        if self._magic < CURRENT_MAGIC:
            if headers:
                raise ValueError(f"message format {self._magic} has no record headers")
            self._uncompressed += self._append_message(offset, timestamp, key, value)
        else:
            base = timestamp if self._base_timestamp is None else self._base_timestamp
            delta = offset - self._base_offset
            self._uncompressed += encoding.append_record(self._records, delta, timestamp - base, key, value, headers)
        if self._base_timestamp is None:
            self._base_timestamp = timestamp
        self._last_offset = offset
        self._max_timestamp = max(self._max_timestamp, timestamp)
        self.count += 1

    def _append_message(self, offset: int, timestamp: int, key: bytes | None, value: bytes | None) -> int:
        is_wrapped = self._codec != Compression.NONE
        stored = to_int64(offset - self._base_offset) if self._magic and is_wrapped else offset
        if self._append_time is not None:
            timestamp = self._append_time
        message = encoding.message(self._magic, stored, self._message_attributes(), timestamp, key, value)
        self._records += message
        return len(message)

    def _message_attributes(self) -> int:
        return layout.LOG_APPEND_TIME if self._magic and self._append_time is not None else 0

    def _next_offset(self) -> int:
        return self._base_offset if self._last_offset is None else self._last_offset + 1

    def _estimate(self) -> int:
        if self._codec == Compression.NONE:
            return self._header_size + self._uncompressed
        return encoding.estimate(self._header_size, self._uncompressed, self._ratio)

    def _check_producer(self) -> None:
        producer_id, producer_epoch, base_sequence = self._producer
        if producer_id == -1:
            if self._is_transactional:
                raise ValueError("a transactional batch needs a valid producer id")
            return
        if producer_epoch < 0:
            raise ValueError("a batch of a producer needs its epoch")
        if base_sequence < 0 and not self._is_control:
            raise ValueError("a batch of a producer needs its sequence number")
        if self._magic < CURRENT_MAGIC:
            raise ValueError(f"message format {self._magic} has no producers")

    def _build(self) -> bytes:
        last_offset = self._base_offset if self._last_offset is None else self._last_offset
        max_timestamp = self._max_timestamp if self._append_time is None else self._append_time
        is_wrapped = self._codec != Compression.NONE
        records = compress(self._codec, bytes(self._records), magic=self._magic, level=self._level)
        if self._magic < CURRENT_MAGIC:
            if not is_wrapped:
                return records
            attributes = self._message_attributes() | self._codec
            return encoding.message(self._magic, last_offset, attributes, max_timestamp, None, records)
        producer_id, producer_epoch, base_sequence = self._producer
        header = encoding.batch_header(
            base_offset=self._base_offset,
            partition_leader_epoch=self._leader_epoch,
            attributes=self._codec
            | (layout.LOG_APPEND_TIME if self._append_time is not None else 0)
            | (TRANSACTIONAL if self._is_transactional else 0)
            | (CONTROL if self._is_control else 0)
            | (DELETE_HORIZON if self._delete_horizon is not None else 0),
            last_offset_delta=last_offset - self._base_offset,
            base_timestamp=self._base_timestamp or 0,
            max_timestamp=max_timestamp,
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            base_sequence=base_sequence,
            count=self.count,
            records=records,
        )
        return header + records


def codec_of(compression: str, message_format: int) -> Compression:
    """Find the codec with a name, for batches of a message format.

    Raises:
        ValueError: the format or codec does not exist, or the format does not support the codec.
    """
    if message_format not in range(CURRENT_MAGIC + 1):
        raise ValueError(f"message_format must be 0, 1 or 2, not {message_format!r}")
    names = {codec.label: codec for codec in Compression}
    codec = names.get(compression)
    if codec is None:
        raise ValueError(f"compression must be one of {tuple(names)}, not {compression!r}")
    if codec and CODECS[codec].first_magic > message_format:
        raise ValueError(f"message format {message_format} has no {compression}")
    return codec


def _given(type_name: str, **field: int | None) -> int:
    ((name, value),) = field.items()
    if value is None:
        raise ValueError(f"a control record of type {type_name} needs {name}")
    return value


def _voters(ids: Sequence[int]) -> bytes:
    """Encode a compact array of voters, each an id without tagged fields (`LeaderChangeMessage`, version 0)."""
    length = bytearray()
    left = len(ids) + 1
    while left > 0x7F:
        length.append(left & 0x7F | 0x80)
        left >>= 7
    length.append(left)
    return bytes(length) + b"".join(struct.pack(">i", each) + b"\0" for each in ids)
