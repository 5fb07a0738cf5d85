"""Compares segment files as kafkafmt reads them with the answers of Kafka's own code.

Each line of `RULES` is an intended difference; all others are findings, and so is a rule that no file used.
"""

import base64
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from kafkafmt.errors import KafkafmtError, UnsupportedError
from kafkafmt.files.damage import GARBAGE_TAIL, INCOMPLETE_TAIL, ZERO_TAIL, Damage
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.source import open_file
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import BatchHeader
from kafkafmt.reference.layout import CURRENT_MAGIC, HEADER_SIZE_UP_TO_MAGIC, LOG_OVERHEAD, read_frame
from kafkafmt.reference.record import Record

Answer = dict[str, Any]
"""A line of KafkaJudge.java: about a batch, or about the end of a file."""

RULES = {
    "wrong CRC": "Kafka's iterator checks no CRC: its consumer and its broker do, before they use it, and so do we",
    "some records": "Kafka's iterator may deliver records before it throws: we deliver a batch whole or not at all",
    "no records": "Kafka's streaming iterator opens the codec for an empty batch, its plain one does not: nor do we",
    "magic above 2": "FileRecords reads it as format 2, Kafka's consumer fails on it: we refuse it, header and all",
    "codec without a name": "Kafka throws when asked for the codec: the header's compression is None",
    "header too broken": "Kafka's accessors read on at fixed places or throw: our header has the first fields only",
    "unreadable wrapper": "Kafka opens it for its first offset, CRC or not, and may throw: ours may be None",
    "count of messages": "Kafka does not count messages of v0 and v1: we count those that can be read",
    "inner magic above 1": "Kafka reads such an inner message as format 1: we refuse what no wrapper can hold",
    "out of memory": "Kafka allocates what an inner size declares before it looks for the bytes: that is not an answer",
    "control type": "Kafka throws at the key of a control record that is too short or of a negative version: UNKNOWN",
    "zeros to the end": "Kafka throws at a size of 0: preallocated space that was never written is not damage to us",
    "size beyond the end": "Kafka takes it for an unfinished write: we say that whole entries follow",
    "garbage at the end": "Kafka takes it for an unfinished write: not a size above the limits or no magic",
}

FIELDS = {
    "baseOffset": "base_offset",
    "lastOffset": "last_offset",
    "crc": "crc",
    "compression": "compression",
    "timestampType": "timestamp_type",
    "maxTimestamp": "max_timestamp",
    "baseTimestamp": "base_timestamp",
    "partitionLeaderEpoch": "partition_leader_epoch",
    "producerId": "producer_id",
    "producerEpoch": "producer_epoch",
    "baseSequence": "base_sequence",
    "lastSequence": "last_sequence",
    "isTransactional": "is_transactional",
    "isControlBatch": "is_control_batch",
    "deleteHorizonMs": "delete_horizon_ms",
    "count": "count",
}


_OUT_OF_MEMORY = "OutOfMemoryError"


@dataclass
class _Found:
    """An entry as kafkafmt reads it: its header, and its records or the error that prevents reading them."""

    header: BatchHeader
    records: list[Record]
    error: KafkafmtError | None


@dataclass
class Comparison:
    """Compares one file after another and keeps the counts.

    Attributes:
        files: number of files compared.
        batches: number of batches on which both agree, readable or not.
        records: number of records that both read.
        findings: differences that no rule explains, one text each.
        rules_used: how often each of `RULES` explained a difference.
    """

    files: int = 0
    batches: int = 0
    records: int = 0
    findings: list[str] = field(default_factory=list)
    rules_used: Counter[str] = field(default_factory=Counter)

    def compare(self, path: str, batches: list[Answer], end: Answer) -> None:
        """Compare Kafka's answers about the batches and the end of a file with what kafkafmt reads there."""
        self.files += 1
        for text in self._differences(path, batches, end):
            self.findings.append(f"{path}: {text}")

    def unused_rules(self) -> list[str]:
        """Rules that have explained no difference."""
        return [rule for rule in RULES if not self.rules_used[rule]]

    def _allow(self, rule: str) -> bool:
        if rule not in RULES:
            raise KeyError(rule)
        self.rules_used[rule] += 1
        return True

    def _differences(self, path: str, batches: list[Answer], end: Answer) -> Iterator[str]:
        found, stop, tail = _read(path)
        for answer, ours in zip(batches, found, strict=False):
            different = False
            for text in (*self._of_header(answer, ours), *self._of_records(answer, ours)):
                different = True
                yield f"batch at {answer['position']}: {text}"
            self.batches += not different
        if len(batches) != len(found):
            yield f"Kafka finds {len(batches)} batches, we {len(found)}"
            return
        yield from self._of_end(path, end, found, stop, tail)

    def _of_header(self, answer: Answer, ours: _Found) -> Iterator[str]:
        header = ours.header
        frame = (answer["position"], answer["sizeInBytes"], answer["magic"])
        if frame != (header.position, header.size_in_bytes, header.magic):
            yield f"position, size, magic: Kafka {frame}, we {header}"
            return
        if header.magic > CURRENT_MAGIC:
            if not (isinstance(header.error, UnsupportedError) and self._allow("magic above 2")):
                yield f"magic {header.magic} is not refused: {header.error}"
            return
        # An exception from isValid means that the batch is too small.
        if (answer["isValid"] is True) != header.is_valid:
            yield f"isValid: Kafka {answer['isValid']}, we {header.is_valid} ({header.error})"
        for name, attribute in FIELDS.items():
            kafka, own = answer[name], getattr(header, attribute)
            if kafka != own and not self._explains(name, kafka, own, ours):
                yield f"{name}: Kafka {kafka}, we {own} ({header.error})"

    def _explains(self, name: str, kafka: object, own: object, ours: _Found) -> bool:
        header = ours.header
        throws = kafka["throws"] if isinstance(kafka, dict) else None
        if name == "count" and kafka is None and header.magic < CURRENT_MAGIC:
            return (ours.error is not None or own == len(ours.records)) and self._allow("count of messages")
        if header.timestamp_type is None and own in (None, -1, False):
            return header.error is not None and self._allow("header too broken")
        if name == "compression" and throws and own is None:
            refused = ours.error is not None or header.count == 0
            return refused and self._allow("codec without a name")
        if name == "baseOffset" and throws and _OUT_OF_MEMORY in throws:
            return self._allow("out of memory")
        if name == "baseOffset" and (throws or own is None) and header.magic < CURRENT_MAGIC:
            return ours.error is not None and self._allow("unreadable wrapper")
        return False

    def _of_records(self, answer: Answer, ours: _Found) -> Iterator[str]:
        expected = answer["records"]
        if ours.header.magic > CURRENT_MAGIC:
            return
        if _OUT_OF_MEMORY in (answer["error"] or ""):
            self._allow("out of memory")
            return
        if answer["isValid"] is not True or answer["error"] is not None:
            if ours.error is None and answer["isValid"] is True and _is_empty_and_compressed(ours.header):
                self._allow("no records")
            elif ours.error is None:
                yield f"Kafka: valid {answer['isValid']}, {answer['error']}; we read {len(ours.records)} records"
            elif answer["error"] is None:
                self._allow("wrong CRC")
            elif expected:
                self._allow("some records")
            return
        if ours.error is not None:
            if _has_foreign_inner_message(ours.error):
                self._allow("inner magic above 1")
                return
            yield f"Kafka reads {len(expected)} records, we {type(ours.error).__name__}: {ours.error}"
            return
        if len(expected) != len(ours.records):
            yield f"Kafka reads {len(expected)} records, we {len(ours.records)}"
        for number, (theirs, record) in enumerate(zip(expected, ours.records, strict=False)):
            own = _as_kafka_says(record)
            for name, value in theirs.items():
                if value != own[name] and not self._explains_in_record(name, value, own[name], ours.header):
                    yield f"record {number}, {name}: Kafka {value!r:.200}, we {own[name]!r:.200}"
        self.records += len(ours.records)

    def _explains_in_record(self, name: str, kafka: object, own: object, header: BatchHeader) -> bool:
        if name == "timestampType" and kafka is None:
            return bool(own == header.timestamp_type)  # in format 2, Kafka also takes it from the batch only
        return name == "controlType" and (kafka, own) == ("unreadable", "UNKNOWN") and self._allow("control type")

    def _of_end(
        self, path: str, end: Answer, found: list[_Found], stop: KafkafmtError | None, tail: Damage | None
    ) -> Iterator[str]:
        size = os.path.getsize(path)
        last = found[-1].header if found else None
        walked = last.position + last.size_in_bytes if last else 0
        if end["end"] != walked:
            yield f"the walk ends: Kafka at {end['end']}, we at {walked}"
        ours_at = stop.position if stop else tail.position if tail else size
        if ours_at != walked:
            yield f"the walk ended at {walked}, but what ended it says {ours_at}: {stop or tail}"
        if end["stop"] is None and stop is not None:
            if not (_runs_beyond_the_end(path, walked, size) and self._allow("size beyond the end")):
                yield f"Kafka ends at {walked} without a word, we {type(stop).__name__}: {stop}"
        elif end["stop"] is not None and stop is None:
            if not (tail and tail.reason == ZERO_TAIL and self._allow("zeros to the end")):
                yield f"at {walked} Kafka throws {end['stop']}, we say {tail}"
        elif tail and tail.reason not in (ZERO_TAIL, INCOMPLETE_TAIL):
            is_garbage = tail.reason == GARBAGE_TAIL and _runs_beyond_the_end(path, walked, size)
            if not (is_garbage and self._allow("garbage at the end")):
                yield f"a tail that is none: {tail}"


def _read(path: str) -> tuple[list[_Found], KafkafmtError | None, Damage | None]:
    """Walk a file; returns its entries, the error that stopped the walk, and the damage at the end, if any."""
    found: list[_Found] = []
    tails: list[Damage] = []
    stop = None
    with open_file(path) as file:
        try:
            for entry in SegmentReader(file, report=tails.append).walk(_read_entry):
                found.append(entry)  # noqa: PERF402 (what came before an error counts)
        except KafkafmtError as error:
            stop = error
    return found, stop, tails[0] if tails else None


def _read_entry(entry: Entry) -> _Found:
    header = entry.describe(verify_checksum=True, deep=True)
    try:
        entry.verify_checksum()
        return _Found(header, list(entry.records()), None)
    except KafkafmtError as error:
        return _Found(header, [], error)


def _as_kafka_says(record: Record) -> Answer:
    return {
        "offset": record.offset,
        "timestamp": record.timestamp,
        "sequence": record.sequence,
        "key": _base64(record.key),
        "value": _base64(record.value),
        "headers": [[key, _base64(value)] for key, value in record.headers],
        "timestampType": record.timestamp_type,
        "controlType": record.control_type,
    }


def _has_foreign_inner_message(error: KafkafmtError) -> bool:
    is_magic = error.message.startswith("inner message") and "magic of the message" in error.message
    return is_magic and isinstance(error.found, int) and error.found >= CURRENT_MAGIC


def _is_empty_and_compressed(header: BatchHeader) -> bool:
    return header.magic == CURRENT_MAGIC and header.count == 0 and header.compression != "none"


def _base64(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode("ascii")


def _runs_beyond_the_end(path: str, position: int, size: int) -> bool:
    with open(path, "rb") as file:
        file.seek(position)
        frame = read_frame(file.read(HEADER_SIZE_UP_TO_MAGIC))
    return position + LOG_OVERHEAD + frame.size > size
