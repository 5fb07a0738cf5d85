"""Compaction: compares the logs that a broker's cleaner leaves with the prediction of `kafkafmt compaction --out`."""

import random
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import kafkafmt
from kafkafmt.files import offset_checkpoint
from kafkafmt.logdir.partition import Partition
from operations_proof.filling import step

_DAY_MS, _HOUR_MS = 86_400_000, 3_600_000
_SEED = 20
_PARTITIONS = 2
_SEGMENT_BYTES = "5000"
_LATER_MS = 600_000  # after the prediction, every pass of the broker comes earlier than this

_TOPICS: Mapping[str, Mapping[str, str]] = {
    "keys": {},
    "tombstones": {"delete.retention.ms": "1"},
    "tombstones-kept": {},
    "in-two-rounds": {"delete.retention.ms": "1"},
    "too-young": {"min.compaction.lag.ms": str(2 * _DAY_MS)},
    "lz4": {"compression.type": "lz4"},
    "zstd": {"compression.type": "zstd"},
    "never-deleted": {"cleanup.policy": "compact,delete", "retention.ms": "-1", "retention.bytes": "-1"},
    "transactions": {},
    "left-open": {},
    "never-cleaned": {"min.cleanable.dirty.ratio": "1.0"},
    "one-segment": {},
}
_TWO_ROUNDS = "in-two-rounds"
_REASONS = {"active segment", "min.compaction.lag.ms", "open transaction"}


def first_plan() -> Iterator[str]:
    """Steps for FillLogs: the topics, and records for the cleaner's first round, while the logs are filled."""
    for name, own in _TOPICS.items():
        # Segments end by time, long before they are full, so that the cleaner merges several into one.
        more = {"internal.segment.bytes": _SEGMENT_BYTES, "segment.ms": str(12 * _HOUR_MS)}
        more |= {"segment.jitter.ms": "0", "cleanup.policy": "compact", **own}
        if name == _TWO_ROUNDS:
            more["min.cleanable.dirty.ratio"] = "0.001"
        yield step("topic", name, _PARTITIONS, *(f"{config}={value}" for config, value in more.items()))
    for partition, keys in enumerate((9, 100)):
        yield from _sends(_TWO_ROUNDS, partition, hours=range(300, 100, -3), keys=keys)


def is_first_round_cleaned(log_dir: Path) -> bool:
    """Whether the cleaner has cleaned everything that it can in the first round."""
    checkpoint = _checkpoint(log_dir)
    return all(
        checkpoint.get((_TWO_ROUNDS, partition)) == max(int(path.stem) for path in directory.glob("*.log"))
        for partition in range(_PARTITIONS)
        for directory in (log_dir / f"{_TWO_ROUNDS}-{partition}",)
    )


def plan() -> Iterator[str]:
    """Steps for FillLogs: the records of the prediction; none of them is cleaned while the logs are filled."""
    yield step("unset", _TWO_ROUNDS, "min.cleanable.dirty.ratio")
    # Partition 1 has too few dirty bytes for the cleaner to pick it.
    yield from _sends(_TWO_ROUNDS, 0, hours=range(100, 6, -1), keys=9)
    yield from _sends(_TWO_ROUNDS, 1, hours=range(100, 70, -5), keys=9)
    for name in _TOPICS:
        for partition, keys in enumerate((7, 40)):
            if name in ("transactions", "left-open"):
                yield from _transactions(name, partition, keys)
            elif name not in (_TWO_ROUNDS, "one-segment"):
                yield from _sends(name, partition, hours=range(150, 6, -2), keys=keys)
    yield from _sends("one-segment", 0, hours=[10] * 9, keys=3)


def _sends(name: str, partition: int, hours: range | list[int], keys: int) -> Iterator[str]:
    now = int(time.time() * 1000)
    chance = random.Random(f"{_SEED} {name} {partition}")
    for before in hours:
        sizes = (-1, 60, 200) if "tombstones" in name or name == _TWO_ROUNDS else (0, 60, 200, 400)
        key = f"key-{chance.randrange(keys)}"
        yield step("send", name, partition, now - before * _HOUR_MS, key, chance.choice(sizes))


def _transactions(name: str, partition: int, keys: int) -> Iterator[str]:
    """Transactions of two producers, every third aborted; in the second partition they reach up to today."""
    hours = range(150, 6, -2) if partition == 0 else range(150, 0, -2)
    for number in range(0, len(hours), 4):
        yield step("begin", f"{name}-{partition}-{number % 8}")
        yield from _sends(name, partition, hours=hours[number : number + 4], keys=keys)
        yield step("abort" if number % 3 == 0 else "commit")
        if name == "left-open" and number == 40:
            yield step("begin", f"{name}-{partition}")
            yield from _sends(name, partition, hours=hours[number : number + 1], keys=keys)
            yield step("leave")


class _Batch(NamedTuple):
    """A batch to compare; its size and checksum depend on the time of the pass, through the delete horizon."""

    segment: str
    base_offset: int | None
    last_offset: int | None
    record_count: int | None
    figures: tuple[object, ...]
    delete_horizon_ms: int | None

    def is_as(self, predicted: "_Batch") -> bool:
        """Whether the batch is as predicted; a delete horizon set by a pass depends on the time of the pass."""
        found, expected = self.delete_horizon_ms, predicted.delete_horizon_ms
        if self[:-1] != predicted[:-1] or (found is None) != (expected is None):
            return False
        return found is None or expected is None or 0 <= found - expected < _LATER_MS


class _Log(NamedTuple):
    """The content of a partition directory.

    Attributes:
        segments: names of the segments.
        batches: all batches.
        records: offset, timestamp, key, value and headers of each record.
        aborted: transaction indexes that are not empty.
        files: content of the segments.
    """

    segments: list[str]
    batches: list[_Batch]
    records: list[tuple[object, ...]]
    aborted: dict[str, bytes]
    files: dict[str, bytes]


class Prediction:
    """The prediction for the cleaner of a stopped broker after its next start.

    Args:
        log_dir: log directory of the broker.
        config: configs in the broker's server.properties.
        out: directory where kafkafmt writes the log directory as the cleaner should leave it.
    """

    def __init__(self, log_dir: Path, config: Mapping[str, str], out: Path) -> None:
        self._log_dir = log_dir
        self._before = _logs(log_dir)
        answer = kafkafmt.open(log_dir).compaction(config={**config, "segment.bytes": _SEGMENT_BYTES}, out=out)
        self._picked = {each.partition.name: each for each in answer.partitions if each.would_clean}
        self._predicted = _logs(out)
        self._checkpoint = dict(_checkpoint(log_dir))
        for each in self._picked.values():
            self._checkpoint[each.partition.topic or "", each.partition.partition or 0] = each.cleaned_up_to or 0
            # kafkafmt follows Kafka 4.3, which keeps the last batch of a round even if none of its records remain.
            # Since 4.4.0 (KAFKA-20452) the batch stays only if it ends at the high watermark, here the end of the log.
            batches = self._predicted[each.partition.name].batches
            batches[:] = [
                batch for batch in batches if batch.record_count or (batch.last_offset or 0) + 1 != each.cleaned_up_to
            ]

    def is_met(self) -> bool:
        """Whether the cleaner has come exactly as far as predicted."""
        return _checkpoint(self._log_dir) == self._checkpoint

    def differences(self) -> Iterator[str]:
        """Compare the prediction with the disk of the stopped broker; prints the prediction."""
        found = _logs(self._log_dir)
        cleaned = [(self._before[name], self._predicted[name]) for name in self._picked]
        print(
            f"compaction: {len(self._before)} logs, {len(cleaned)} predicted to be cleaned:"
            f" {sum(len(before.segments) for before, _ in cleaned)} segments become"
            f" {sum(len(after.segments) for _, after in cleaned)},"
            f" {sum(len(before.records) for before, _ in cleaned)} records"
            f" {sum(len(after.records) for _, after in cleaned)}"
        )
        reasons = {each.cleanable.reason for each in self._picked.values()}
        if not reasons >= _REASONS or not self._before.keys() - self._picked.keys():
            yield f"compaction: the plan has no log that stays, or none that is cleaned up to {_REASONS - reasons}"
        checkpoint = _checkpoint(self._log_dir)
        for key in sorted(checkpoint.keys() | self._checkpoint.keys()):
            if checkpoint.get(key) != self._checkpoint.get(key):
                yield (
                    f"compaction: {key}: predicted to be clean up to {self._checkpoint.get(key)},"
                    f" cleaner-offset-checkpoint has {checkpoint.get(key)}"
                )
        for name, before in self._before.items():
            if name in self._picked:
                yield from (f"compaction: {name}: {text}" for text in _differences(self._predicted[name], found[name]))
            elif before.files != found[name].files:
                yield f"compaction: {name} was predicted to stay as it is, and has changed"


def _differences(predicted: _Log, found: _Log) -> Iterator[str]:
    if predicted.segments != found.segments:
        yield f"predicted segments {predicted.segments}, left {found.segments}"
    if predicted.aborted != found.aborted:
        yield f"predicted transaction indexes {predicted.aborted}, left {found.aborted}"
    for what, ours, theirs in (
        ("records", predicted.records, found.records),
        ("batches", predicted.batches, found.batches),
    ):
        if len(ours) != len(theirs):
            yield f"predicted {len(ours)} {what}, left {len(theirs)}"
    for record, other in zip(predicted.records, found.records, strict=False):
        if record != other:
            yield f"predicted record {record}, left {other}"
            break
    for batch, of_broker in zip(predicted.batches, found.batches, strict=False):
        if not of_broker.is_as(batch):
            yield f"predicted {batch}, left {of_broker}"
            break


def _logs(log_dir: Path) -> dict[str, _Log]:
    """Logs of the plan's topics, by directory name."""
    found = kafkafmt.open(log_dir).partitions
    return {partition.name: _log(partition, log_dir) for partition in found if partition.topic in _TOPICS}


def _log(partition: Partition, log_dir: Path) -> _Log:
    log = _Log([], [], [], {}, {})
    directory = log_dir / partition.name
    for segment in partition.segments:
        log.segments.append(segment.name)
        log.files[segment.name] = (directory / segment.name).read_bytes()
        for header in segment.batches(verify_checksums=True, deep=True):
            figures = (
                header.magic,
                header.compression,
                header.timestamp_type,
                header.max_timestamp,
                header.partition_leader_epoch,
                header.producer_id,
                header.producer_epoch,
                header.base_sequence,
                header.is_transactional,
                header.is_control_batch,
            )
            ends = header.base_offset, header.last_offset
            log.batches.append(_Batch(segment.name, *ends, header.count, figures, header.delete_horizon_ms))
        for record in segment.records():
            log.records.append((record.offset, record.timestamp, record.key, record.value, record.headers))
    for path in sorted(directory.glob("*.txnindex")):
        aborted = path.read_bytes()
        if aborted:
            log.aborted[path.name] = aborted
    return log


def _checkpoint(log_dir: Path) -> Mapping[tuple[str, int], int]:
    path = log_dir / "cleaner-offset-checkpoint"
    return offset_checkpoint.read(path).offsets if path.exists() else {}
