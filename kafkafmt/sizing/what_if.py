"""`what_if`: the records of each topic under other producer settings: batches, bytes, requests.

Records are replayed through `kafkafmt.writing.accumulate`, Kafka's own batching, and the batches are compressed.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, NamedTuple, Self

from kafkafmt.answer_columns import Named, TableColumns, columns_of
from kafkafmt.arrays import as_text
from kafkafmt.files.damage import Note
from kafkafmt.libraries import pa
from kafkafmt.sizing.space import SpaceUse, measure
from kafkafmt.topics.answers import TableAnswer
from kafkafmt.writing import Accumulator, accumulate

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.scanning import Scan
    from kafkafmt.writing.sender import Arrival

SAMPLE_RECORDS: Final = 100_000
"""Default number of a topic's records that are replayed."""

# Keys, values and headers of a sample are held in memory.
_SAMPLE_BYTES: Final = 64 << 20
_COLUMNS: Final = ["partition", "offset", "timestamp", "producerId", "key", "value", "headers"]


@dataclass(frozen=True, slots=True)
class ProducerSettings:
    """Settings of a producer, by Kafka's names.

    Attributes:
        batch_size: `batch.size`, in bytes.
        linger_ms: `linger.ms`.
        compression: codec of `compression.type`.
        level: level of the codec; None for Kafka's default.
        max_request_size: `max.request.size`, in bytes.
    """

    batch_size: int = 16384
    linger_ms: int = 5
    compression: str = "none"
    level: int | None = None
    max_request_size: int = 1048576

    @classmethod
    def of(cls, settings: str | Mapping[str, object]) -> Self:
        """Parse settings; those not named have the defaults of Kafka 4's producer.

        Args:
            settings: a mapping by name, or a str such as "batch.size=65536,linger.ms=20,compression.type=zstd:3". A
                level follows the codec after a colon.

        Raises:
            ValueError: an unknown name, or an invalid value.
        """
        if isinstance(settings, str):
            pairs = [pair.partition("=") for pair in settings.split(",")]
            named: dict[str, object] = {name.strip(): value.strip() for name, _, value in pairs}
            if len(named) < len(pairs) or not all(equals for _, equals, _ in pairs):
                raise ValueError(f"{settings!r} is not NAME=VALUE,.. with each name once")
        else:
            named = dict(settings)
        values: dict[str, Any] = {}
        for name, value in named.items():
            if name == "compression.type":
                codec, colon, level = str(value).partition(":")
                values["compression"] = codec
                values["level"] = _number(name, level, signed=True) if colon else None
            elif name in _NUMBERS:
                values[_NUMBERS[name]] = _number(name, str(value))
            else:
                raise ValueError(f"unknown setting {name!r}; known are {', '.join([*_NUMBERS, 'compression.type'])}")
        made = cls(**values)
        Accumulator(
            partitions=1, batch_size=made.batch_size, compression=made.compression, compression_level=made.level
        )
        return made

    def __str__(self) -> str:
        level = "" if self.level is None else f":{self.level}"
        return (
            f"batch.size={self.batch_size}, linger.ms={self.linger_ms}, compression.type={self.compression}{level}, "
            f"max.request.size={self.max_request_size}"
        )


_NUMBERS: Final = {
    "batch.size": "batch_size",
    "linger.ms": "linger_ms",
    "max.request.size": "max_request_size",
}


def _number(name: str, text: str, *, signed: bool = False) -> int:
    if re.fullmatch(r"-?[0-9]{1,10}" if signed else r"[0-9]{1,10}", text) is None:
        raise ValueError(f"{name} needs a number, not {text!r}")
    return int(text)


@dataclass(frozen=True, slots=True)
class TopicReplay:
    """A topic on disk, and with other settings.

    Attributes:
        topic: its name, or None.
        records: data records on disk.
        record_bytes: their uncompressed bytes.
        batches: number of batches on disk.
        stored_bytes: their stored bytes.
        sampled: number of records that were replayed.
        new_batches: batches that they make, scaled up to all records.
        new_stored_bytes: bytes of those batches, scaled up to all records.
        new_requests: requests that send those batches, scaled up to all records.
    """

    topic: Annotated[str | None, "string"]
    records: Annotated[int, "int64"]
    record_bytes: Annotated[int, "int64"]
    batches: Annotated[int, "int64"]
    stored_bytes: Annotated[int, "int64"]
    sampled: Annotated[int, Named("sampledRecords", "int64")]
    new_batches: Annotated[int, Named("whatIfBatches", "int64")]
    new_stored_bytes: Annotated[int, Named("whatIfStoredBytes", "int64")]
    new_requests: Annotated[int, Named("whatIfRequests", "int64")]

    @property
    def ratio(self) -> Annotated[float | None, "float64"]:
        """Stored bytes to record bytes; None without any."""
        return _ratio(self.stored_bytes, self.record_bytes)

    @property
    def new_ratio(self) -> Annotated[float | None, Named("whatIfRatio", "float64")]:
        """Stored bytes with the other settings to record bytes; None without any."""
        return _ratio(self.new_stored_bytes, self.record_bytes)


@dataclass(frozen=True, slots=True, repr=False)
class WhatIf(TableAnswer):
    """Topics as they are and as they would be with other settings; made by `what_if`.

    Attributes:
        settings: the settings that were tried.
        topics: the topics, by descending stored bytes.
        damage: skipped ranges of logs, and incomplete last batches.
        notes: the assumptions, and the pass's reports that are not damage.
        skipped_replicas: partition directories skipped in favour of a better replica.
    """

    settings: ProducerSettings
    topics: tuple[TopicReplay, ...]
    damage: "Sequence[Damage]"
    notes: Sequence[Note]
    skipped_replicas: "Sequence[Partition]"

    findings: ClassVar[tuple[()]] = ()
    """Empty: faults are damage or notes."""

    _TABLES: ClassVar = {
        "whatIf": TableColumns(
            *columns_of(TopicReplay, to="stored_bytes"),
            *columns_of(TopicReplay, only=("ratio",)),
            *columns_of(TopicReplay, after="stored_bytes", to="new_stored_bytes"),
            *columns_of(TopicReplay, only=("new_ratio", "new_requests")),
        )
    }

    def _objects(self, name: str) -> Iterable[object]:  # noqa: ARG002 - there is one table
        return self.topics


def what_if(
    scanned: "Scan",
    settings: "str | Mapping[str, object] | ProducerSettings",
    *,
    sample_records: int = SAMPLE_RECORDS,
    limits: "Limits | None" = None,
    progress: Callable[[int], None] | None = None,
) -> WhatIf:
    """Replay the records of each topic through producers with other settings.

    A record arrives at its timestamp. Each producer id is a separate producer, and one more has the records without
    producer id. Records without a key go to the sticky partition, others to the partition they are in. One broker leads
    all partitions and always answers at once. Requests are those to that broker, each with at most one batch for a
    partition. Control records are left out.

    Args:
        scanned: the records: a scan with `control_records=False`.
        settings: settings for `ProducerSettings.of`.
        sample_records: for a topic with more records, about this many of the last ones of its partitions, over the same
            time and at most 64 MiB, are replayed, and the figures are scaled up.
        limits: bounds on memory.
        progress: called with the size of each range of a file that was measured as it is.

    Raises:
        KafkafmtError: damage (`on_damage="raise"`), or a file cannot be read.
        ValueError: an invalid argument.
    """
    if sample_records < 1:
        raise ValueError(f"sample_records must be 1 or more, not {sample_records}")
    made = settings if isinstance(settings, ProducerSettings) else ProducerSettings.of(settings)
    scanned = scanned.without_warnings()  # the answer has the scan's notes
    (today,) = measure(
        scanned,
        ["topic"],
        columns=["records", "recordBytes", "batches", "storedBytes"],
        limits=limits,
        progress=progress,
    )
    topics = [_replayed(scanned, made, row, sample_records) for row in _rows_with_records(today)]
    notes = list(today.notes)
    sampled = sum(topic.sampled < topic.records for topic in topics)
    if sampled:
        notes.append(
            Note(
                f"of {sampled} of {len(topics)} topics a sample was replayed (sampledRecords), and its figures were "
                "scaled up to all records",
                is_finding=False,
            )
        )
    return WhatIf(made, tuple(topics), today.damage, notes, today.skipped_replicas)


def _rows_with_records(today: SpaceUse) -> list[dict[str, Any]]:
    return [row for row in today.to_table().to_pylist() if row["records"]]


class _Sampled(NamedTuple):
    producer_id: int
    arrival: "Arrival"


def _replayed(scanned: "Scan", settings: ProducerSettings, today: dict[str, Any], sample_records: int) -> TopicReplay:
    records: int = today["records"]
    most = max(1, min(sample_records, _SAMPLE_BYTES * records // max(1, today["recordBytes"])))
    count, sample = _sample(scanned, today["topic"], records, most)
    by_producer: dict[int, list[Arrival]] = {}
    for one in sample:
        by_producer.setdefault(one.producer_id, []).append(one.arrival)
    batches = stored = requests = 0
    for arrivals in by_producer.values():
        sent: set[int] = set()
        size, last = 0, None
        for batch in accumulate(
            arrivals,
            partitions=count,
            batch_size=settings.batch_size,
            linger_ms=settings.linger_ms,
            compression=settings.compression,
            compression_level=settings.level,
            max_request_size=settings.max_request_size,
        ):
            batches += 1
            stored += len(batch.data)
            size += len(batch.data)
            if batch.drained_ms != last or batch.partition in sent or size > settings.max_request_size:
                requests += 1
                sent, size, last = set(), len(batch.data), batch.drained_ms
            sent.add(batch.partition)
    number = len(sample)

    def scaled(figure: int) -> int:
        return round(figure * records / number) if number else 0

    return TopicReplay(
        today["topic"],
        records,
        today["recordBytes"],
        today["batches"],
        today["storedBytes"],
        number,
        scaled(batches),
        scaled(stored),
        scaled(requests),
    )


def _sample(scanned: "Scan", topic: str | None, records: int, most: int) -> tuple[int, list[_Sampled]]:
    """Records of a topic, by arrival, over a time that covers all its partitions; and the number of partitions."""
    of_topic = scanned.of(lambda found: [each for each in found if as_text(each.partition.topic) == topic], _COLUMNS)
    partitions = max(((each.partition or 0) for each in of_topic.partitions), default=0) + 1
    whole = records <= most
    each_of = most if whole else max(1, most // max(1, len(of_topic.best_partitions())))
    rows: list[dict[str, Any]] = []
    for batch in of_topic.tail(each_of):
        rows += batch.set_column(2, "timestamp", batch.column("timestamp").cast(pa.int64())).to_pylist()
    begin = 0
    if not whole:
        first: dict[int | None, tuple[int, int]] = {}
        for row in rows:
            number, earliest = first.get(row["partition"], (0, row["timestamp"]))
            first[row["partition"]] = number + 1, min(earliest, row["timestamp"])
        begin = max((earliest for number, earliest in first.values() if number == each_of), default=0)
    rows.sort(key=lambda row: (row["timestamp"], row["partition"] or 0, row["offset"]))
    return partitions, [_arrival(row) for row in rows if row["timestamp"] >= begin or not begin]


def _arrival(row: dict[str, Any]) -> _Sampled:
    key, timestamp = row["key"], row["timestamp"]
    headers = [(header["key"], header["value"]) for header in row["headers"] or ()]
    partition = None if key is None else row["partition"] or 0
    return _Sampled(row["producerId"], (max(timestamp, 0), timestamp, key, row["value"], headers, partition))


def _ratio(stored: int, record_bytes: int) -> float | None:
    return round(stored / record_bytes, 4) if record_bytes else None
