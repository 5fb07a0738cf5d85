"""The producer state at an offset (`.snapshot`): a broker's state of each idempotent producer.

Kafka's ProducerStateManager (KIP-98), version 1 since 0.11. It holds only the last batch of each producer. It is
written at a segment's base offset and, on a clean shutdown, at the log end, even without a segment there.
"""

import io
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

import kaitaistruct
from kafkafmt_specs.kafka_producer_snapshot import KafkaProducerSnapshot

from kafkafmt.answer_columns import TIME, Named, TableColumns, columns_of
from kafkafmt.codec.checksum import crc32c
from kafkafmt.errors import ChecksumError, CorruptError, TruncatedError, UnsupportedError
from kafkafmt.files.bounded import reader
from kafkafmt.libraries import pa
from kafkafmt.reference.header import to_int32, to_int64

_CRC_POSITION = 2
_COUNT_POSITION = 6
_VERSION = 1
_START = struct.Struct(">hI")
_COUNT = struct.Struct(">i")
_ENTRY = struct.Struct(">qhiqiqiq")
# At 46 bytes per producer, that is 700,000 producers in one partition.


@dataclass(frozen=True, slots=True)
class ProducerState:
    """The state of one producer.

    Attributes:
        producer_id: id of the producer, assigned by the cluster.
        producer_epoch: its latest epoch, also if only a marker has it.
        coordinator_epoch: epoch of the coordinator that wrote its last transaction marker, or -1.
        last_sequence: sequence number of the last record of its last batch, or -1 without batch.
        last_offset: offset of that record, or -1 without batch.
        offset_delta: last less first offset of that batch.
        timestamp: timestamp of its last batch or marker, in ms since the epoch.
        current_txn_first_offset: first offset of its open transaction, or None.
    """

    producer_id: Annotated[int, "int64"]
    producer_epoch: Annotated[int, "int16"]
    coordinator_epoch: Annotated[int, "int32"]
    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp: Annotated[int, Named("lastTimestamp", TIME)]
    current_txn_first_offset: Annotated[int | None, "int64"]

    @property
    def has_batch(self) -> bool:
        """Whether the producer has written a batch since its epoch began; a marker alone does not count."""
        return self.last_offset >= 0

    @property
    def first_sequence(self) -> Annotated[int | None, "int32"]:
        """Sequence number of the first record of the last batch, before any wrap to 0; None without batch."""
        if not self.has_batch:
            return None
        first = self.last_sequence - self.offset_delta
        # Sequence numbers continue at 0 after 2^31 - 1.
        return to_int32(first + (1 << 31) if self.last_sequence < self.offset_delta else first)

    @property
    def first_offset(self) -> int | None:
        """Offset of the first record of the last batch; None without a batch."""
        return to_int64(self.last_offset - self.offset_delta) if self.has_batch else None


def _of_batch(name: str) -> Callable[[ProducerState], int | None]:
    return lambda producer: getattr(producer, name) if producer.has_batch else None


_TABLE = TableColumns(
    *columns_of(ProducerState),
    ("lastSequence", "int32", _of_batch("last_sequence")),
    ("firstOffset", "int64", "first_offset"),
    ("lastOffset", "int64", _of_batch("last_offset")),
    ("offsetDelta", "int32", _of_batch("offset_delta")),
)


@dataclass(frozen=True, slots=True)
class ProducerSnapshot:
    """The entries of a producer snapshot.

    Attributes:
        version: version of the format; only 1 exists.
        crc: CRC-32C as stored.
        entries: one entry for each producer, in file order.
        trailing_bytes: number of bytes after the last declared producer, covered by the checksum and ignored by Kafka.
        file: name of the file, or None.
    """

    version: int
    crc: int
    entries: tuple[ProducerState, ...]
    trailing_bytes: int
    file: str | None

    def to_table(self) -> "pa.Table":
        """Make a table of the entries, with nulls from `firstSequence` on for a producer without a batch.

        Returns:
            `producerId` int64, `producerEpoch` int16, `coordinatorEpoch` int32, `lastTimestamp` timestamp[ms, UTC],
            `currentTxnFirstOffset` int64, `firstSequence`, `lastSequence` int32, `firstOffset`, `lastOffset` int64,
            `offsetDelta` int32.
        """
        return _TABLE.to_table(self.entries)


def parse(data: bytes | memoryview, *, file: str | None = None) -> ProducerSnapshot:
    """Parse a producer snapshot and check its CRC.

    Args:
        data: the whole file.
        file: its name, for error texts.

    Raises:
        UnsupportedError: the version is not 1.
        TruncatedError: the file ends before the last declared producer.
        ChecksumError: the CRC-32C of everything after it differs from the stored one.
        CorruptError: the number of producers is negative.
    """
    try:
        parsed = KafkaProducerSnapshot(kaitaistruct.KaitaiStream(io.BytesIO(data)))
    except kaitaistruct.EndOfStreamError as error:
        raise TruncatedError(
            "the producer snapshot ends inside an entry or its header", file=file, position=len(data)
        ) from error
    except kaitaistruct.ValidationNotEqualError as error:
        raise UnsupportedError(
            "unknown version of a producer snapshot", file=file, position=0, expected=error.expected, found=error.actual
        ) from error
    except kaitaistruct.ValidationFailedError as error:
        raise CorruptError(
            f"the number of producers is impossible: {error}", file=file, position=_COUNT_POSITION
        ) from error
    crc = crc32c(parsed.crc_input)
    if crc != parsed.crc:
        raise ChecksumError(
            "checksum mismatch in the producer snapshot",
            file=file,
            position=_CRC_POSITION,
            expected=f"{crc:#010x}",
            found=f"{parsed.crc:#010x}",
        )
    return ProducerSnapshot(
        version=parsed.version,
        crc=parsed.crc,
        entries=tuple(
            ProducerState(
                producer_id=producer.producer_id,
                producer_epoch=producer.epoch,
                coordinator_epoch=producer.coordinator_epoch,
                last_sequence=producer.last_sequence,
                last_offset=producer.last_offset,
                offset_delta=producer.offset_delta,
                timestamp=producer.timestamp,
                current_txn_first_offset=_offset_or_none(producer.current_txn_first_offset),
            )
            for producer in parsed.producers
        ),
        trailing_bytes=len(parsed.trailing),
        file=file,
    )


def encode(entries: Sequence[ProducerState]) -> bytes:
    """Make the file, with producers in the order given (`ProducerStateManager.writeSnapshot`)."""
    content = _COUNT.pack(len(entries)) + b"".join(
        _ENTRY.pack(
            entry.producer_id,
            entry.producer_epoch,
            entry.last_sequence,
            entry.last_offset,
            entry.offset_delta,
            entry.timestamp,
            entry.coordinator_epoch,
            -1 if entry.current_txn_first_offset is None else entry.current_txn_first_offset,
        )
        for entry in entries
    )
    return _START.pack(_VERSION, crc32c(content)) + content


read = reader("snapshot", parse)


def _offset_or_none(offset: int) -> int | None:
    return offset if offset >= 0 else None
