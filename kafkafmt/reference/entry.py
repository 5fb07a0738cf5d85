"""Entry: the bytes of one message, wrapper or record batch, and everything derived from them. No I/O.

The header needs only the first bytes; the rest is fetched when needed, by a function of the entry's creator.
"""

from collections.abc import Callable, Iterator
from typing import TypeVar

from kafkafmt_specs.kafka_message import KafkaMessage
from kafkafmt_specs.kafka_record_batch import KafkaRecordBatch

from kafkafmt.errors import ChecksumError, CorruptError, DataError, KafkafmtError, TruncatedError, UnsupportedError
from kafkafmt.limits import Limits
from kafkafmt.phrases import sized
from kafkafmt.reference import message, record_batch
from kafkafmt.reference.header import BatchHeader
from kafkafmt.reference.layout import (
    CURRENT_MAGIC,
    HEADER_SIZE_UP_TO_MAGIC,
    MAGIC_OFFSET,
    RECORD_BATCH_OVERHEAD,
    read_frame,
    smallest_size,
    stored_crc,
    verify_checksum,
)
from kafkafmt.reference.parsers import parse_batch_header, parse_message, parse_message_header
from kafkafmt.reference.record import Record
from kafkafmt.reference.streams import First

ErrorT = TypeVar("ErrorT", bound=KafkafmtError)


class Entry:
    """One whole entry of a segment.

    Args:
        data: bytes of the entry, from its offset to its end; or only the first ones, at least 17.
        file: name of its file, for headers and errors.
        position: position in that file, in bytes.
        first: returns a given number of its first bytes; None if `data` is complete.

    Attributes:
        crc_unchecked: set by a caller that leaves the CRC unchecked because of the header.

    Raises:
        TruncatedError: there are fewer than the 17 bytes that hold an entry's size and format.
    """

    __slots__ = ("_first", "_held", "_parsed", "crc_unchecked", "file", "frame", "position")

    def __init__(
        self, data: bytes | memoryview, file: str | None = None, position: int = 0, first: First | None = None
    ) -> None:
        self._held = data
        self._first = first
        self.file = file
        self.position = position
        self.crc_unchecked = False
        if len(data) < HEADER_SIZE_UP_TO_MAGIC:
            raise TruncatedError(
                "too few bytes for an entry",
                file=file,
                position=position,
                expected=f"at least {HEADER_SIZE_UP_TO_MAGIC} bytes",
                found=sized(len(data)),
            )
        self.frame = read_frame(data)
        self._parsed: KafkaRecordBatch | KafkaMessage | None = None

    @property
    def data(self) -> bytes | memoryview:
        """All bytes of the entry. Missing ones are fetched, which fails if reading the file fails."""
        return self._held if self._first is None else self._bytes(self.frame.size_in_bytes)

    @property
    def head(self) -> bytes | memoryview:
        """The first bytes: those given to the constructor, and those fetched since."""
        return self._held

    def verify_checksum(self) -> None:
        """Compare the stored CRC with the bytes it covers, as Kafka's broker does for every magic.

        Raises:
            CorruptError: the entry is too small to hold its header.
            ChecksumError: the CRC differs.
        """
        try:
            smallest = smallest_size(self.frame.magic)
            if self.frame.size < smallest:
                raise CorruptError(
                    "the entry is too small for its format", expected=f"at least {smallest}", found=self.frame.size
                )
            verify_checksum(self.data, self.frame.magic)
        except KafkafmtError as error:
            raise error.at(self.file, self.position) from None

    def header(self) -> BatchHeader:
        """Describe the entry from its header alone; nothing is decompressed and no CRC is computed.

        Raises:
            UnsupportedError: the magic is above 2.
            CorruptError: the header breaks the format.
        """
        try:
            return self._header_of()
        except KafkafmtError as error:
            raise error.at(self.file, self.position) from error.__cause__

    def checked_header(self, *, verify_checksum: bool) -> BatchHeader:
        """Describe the entry as `header` does; if that fails and the CRC is wrong, raise the error of the CRC.

        Args:
            verify_checksum: whether to check the CRC of an entry whose header breaks the format.

        Raises:
            SourceError: the entry cannot be read.
            ChecksumError: the header breaks the format, and the CRC is wrong.
            UnsupportedError, CorruptError: as for `header`.
        """
        try:
            return self.header()
        except DataError:
            if verify_checksum:
                self.verify_checksum()
            raise

    def is_plausible(self, header: BatchHeader) -> bool:
        """Whether the header looks like those that Kafka writes, judged without the CRC."""
        parsed = self._parse(only_header=True)
        if self.frame.magic >= CURRENT_MAGIC:
            return record_batch.is_plausible(parsed, header)
        return message.is_plausible(parsed, header)

    def describe(
        self, *, verify_checksum: bool = False, deep: bool = False, limits: Limits | None = None
    ) -> BatchHeader:
        """Describe the entry; an error becomes part of the description instead of being raised.

        Args:
            verify_checksum: whether to compute the CRC and set `is_valid`; with `deep` also the CRCs of inner messages.
            deep: whether to decompress a v0 or v1 wrapper for its count and first offset, which stay None if that
                fails.
            limits: bounds of that decompression.
        """
        error: KafkafmtError | None = None
        try:
            header = self.header()
        except KafkafmtError as unreadable:
            error = unreadable
            frame = self.frame
            later = self._of_later_format() if frame.magic > CURRENT_MAGIC else None
            last_offset = frame.offset if frame.magic < CURRENT_MAGIC else None
            crc = stored_crc(self._bytes(min(frame.size_in_bytes, RECORD_BATCH_OVERHEAD)), frame.magic)
            header = later or BatchHeader(
                self.file, self.position, frame.size_in_bytes, frame.offset, frame.magic, last_offset, crc=crc
            )
        if verify_checksum:
            header.is_valid = not isinstance(error, UnsupportedError)
            try:
                self.verify_checksum()
            except KafkafmtError as wrong:
                header.is_valid = False
                error = error or wrong
        if deep and error is None:
            error = self._look_inside(header, limits or Limits(), verify_inner=verify_checksum)
        header.error = error and without_traceback(error)
        return header

    def records(
        self,
        limits: Limits | None = None,
        header: BatchHeader | None = None,
        sound: record_batch.SoundStart | None = None,
        *,
        views: bool = False,
        verify_inner: bool = True,
        wanted: Callable[[bytes | memoryview], bool] | None = None,
    ) -> Iterator[Record]:
        """Yield the entry's records as Kafka's consumer would read them; all of them or none.

        The CRC of the entry is not checked: call `verify_checksum` first where it matters.

        Args:
            limits: bounds of decoding.
            header: header of the entry, if the caller has it.
            sound: sound records at the start of a batch, which need not be decoded to find the first broken one.
            views: whether large keys and values of a batch are memoryviews into it, for Arrow, instead of bytes.
            verify_inner: whether to check CRCs of messages inside a wrapper, as Kafka's consumer does.
            wanted: for a batch, as for `record_batch.records_of`.

        Raises:
            KafkafmtError: before the first record, as for `record_batch.records_of` and `message.records_of`.
        """
        limits = limits or Limits()
        try:
            if header is None:
                header = self._header_of()
            if self.frame.magic >= CURRENT_MAGIC:
                return record_batch.records_of(
                    self._parse(), self.data, header, limits, sound, views=views, wanted=wanted
                )
            return message.records_of(self._parse(), header, limits, verify_inner=verify_inner)
        except KafkafmtError as error:
            raise error.at(self.file, self.position) from error.__cause__

    def times(self, header: BatchHeader, limits: Limits | None = None) -> Iterator[tuple[int, int]]:
        """Yield offset and timestamp of each record; keys, values and headers of a batch are skipped.

        CRCs of messages inside a wrapper are not checked, as when a broker searches for timestamps.

        Raises:
            KafkafmtError: as for `records`, for faults that are visible this way.
        """
        limits = limits or Limits()
        try:
            if self.frame.magic >= CURRENT_MAGIC:
                yield from record_batch.times_of(self._parse(), self.data, header, limits)
            else:
                records = self.records(limits, header, verify_inner=False)
                yield from ((record.offset, record.timestamp) for record in records)
        except KafkafmtError as error:
            raise error.at(self.file, self.position) from error.__cause__

    def decompressed_size(self, limits: Limits) -> int:
        """Decompressed size of the records of a batch of format 2, in bytes; 0 if they do not decompress."""
        try:
            return record_batch.decompressed_size(self._parse(), self.data, limits)
        except KafkafmtError:
            return 0

    def readable_records(self, header: BatchHeader, limits: Limits | None = None) -> Iterator[Record]:
        """Yield the entry's records up to the first error, and raise only then.

        A compressed v2 batch is delivered completely or not at all, as Kafka decompresses it before it reads records.

        Raises:
            KafkafmtError: at the first record that cannot be read, or before.
        """
        limits = limits or Limits()
        try:
            if self.frame.magic < CURRENT_MAGIC:
                yield from message.readable_records_of(self._parse(), header, limits)
            elif header.compression == "none":
                yield from record_batch.readable_records_of(self._parse(), self.data, header, limits)
            else:
                yield from self.records(limits, header)
        except KafkafmtError as error:
            raise error.at(self.file, self.position) from error.__cause__

    def inner_checksums(self, limits: Limits | None = None) -> Iterator[tuple[int, ChecksumError | None]]:
        """Yield the CRC of each inner message of a v0 or v1 wrapper, in order, and the error if it is wrong.

        DumpLogSegments prints them, and continues after a wrong one.

        Raises:
            KafkafmtError: before the first CRC, as for `message.records_of`; also for an entry that is not a wrapper.
        """
        try:
            if self.frame.magic >= CURRENT_MAGIC:
                raise CorruptError("a record batch has no inner messages", expected="magic 0 or 1", found=2)
            return message.inner_checksums_of(self._parse(), limits or Limits())
        except KafkafmtError as error:
            raise error.at(self.file, self.position) from error.__cause__

    def count(self, header: BatchHeader, limits: Limits | None = None, *, verify_inner: bool = True) -> int:
        """Number of records, from the header if it has the number, else by decompressing.

        Args:
            header: header of the entry.
            limits: bounds of decoding.
            verify_inner: as for `records`.

        Raises:
            KafkafmtError: the count cannot be right, or as for `records`.
        """
        limits = limits or Limits()
        try:
            if header.count is None or header.compression is None:
                return sum(1 for _ in self.records(limits, header, verify_inner=verify_inner))
            if self.frame.magic == CURRENT_MAGIC:
                stored = self.frame.size_in_bytes - RECORD_BATCH_OVERHEAD
                record_batch.check_count(header.count, stored if header.compression == "none" else None, limits)
        except KafkafmtError as error:
            raise error.at(self.file, self.position) from error.__cause__
        return header.count

    def _bytes(self, count: int) -> bytes | memoryview:
        """At least `count` of the first bytes; fetched bytes are cached."""
        if self._first is not None and count > len(self._held):
            self._held = self._first(count)
        return self._held

    def _parse(self, *, only_header: bool = False) -> KafkaRecordBatch | KafkaMessage:
        """The generated parser's object; for a message without its value, if only the header is needed."""
        if self._parsed is not None:
            return self._parsed
        size = self.frame.size_in_bytes
        if self.frame.magic > CURRENT_MAGIC:
            raise UnsupportedError(
                "a message format that this release does not know",
                expected=f"magic up to {CURRENT_MAGIC}",
                found=self.frame.magic,
            )
        if self.frame.magic == CURRENT_MAGIC:
            self._parsed = parse_batch_header(self._bytes(min(size, RECORD_BATCH_OVERHEAD)))
        elif only_header and self._first is not None and len(self._held) < size:
            return parse_message_header(self._bytes, size)
        else:
            self._parsed = parse_message(self.data)
        return self._parsed

    def _header_of(self) -> BatchHeader:
        header_of = record_batch.header_of if self.frame.magic >= CURRENT_MAGIC else message.header_of
        return header_of(self._parse(only_header=True), self.frame, self.file, self.position)

    def _of_later_format(self) -> BatchHeader | None:
        """The header that Kafka's broker reads for a magic above 2, with the layout of 2; None if it is too short."""
        frame = self.frame
        if frame.size_in_bytes < RECORD_BATCH_OVERHEAD:
            return None
        head = bytes(self._bytes(RECORD_BATCH_OVERHEAD)[:RECORD_BATCH_OVERHEAD])
        as_current = head[:MAGIC_OFFSET] + bytes([CURRENT_MAGIC]) + head[MAGIC_OFFSET + 1 :]
        header = record_batch.header_of(parse_batch_header(as_current), frame, self.file, self.position)
        header.magic = frame.magic
        return header

    def _look_inside(self, header: BatchHeader, limits: Limits, *, verify_inner: bool) -> KafkafmtError | None:
        if header.count is not None:
            return None
        try:
            self.records(limits, header, verify_inner=verify_inner)
        except KafkafmtError as error:
            return error
        return None


def without_traceback(error: ErrorT) -> ErrorT:
    """Detach an error to be kept from the frames it passed through, which hold the bytes of a whole entry."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)
