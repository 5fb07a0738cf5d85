"""Retention: compares the segments that a broker deletes with the prediction of `kafkafmt retention`."""

import random
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import kafkafmt
from kafkafmt.operations.retention import Retention
from operations_proof.filling import step

_DAY_MS = 86_400_000
_NEVER = str(2**63 - 1)
_SEED = 19

_TOPICS: Mapping[str, Mapping[str, str]] = {
    "by-default": {},
    "by-time": {"retention.ms": str(2 * _DAY_MS), "retention.bytes": "-1"},
    "by-size": {"retention.ms": "-1", "retention.bytes": "6000"},
    "by-both": {"retention.ms": str(5 * _DAY_MS), "retention.bytes": "9000"},
    "exactly": {"retention.ms": "-1", "retention.bytes": "0"},
    "for-ever": {"retention.ms": "-1", "retention.bytes": "-1"},
    "to-come": {"retention.ms": str(_DAY_MS), "retention.bytes": "-1"},
    "appended": {"retention.ms": "1", "retention.bytes": "-1", "message.timestamp.type": "LogAppendTime"},
    "latest": {"cleanup.policy": "compact", "retention.ms": "1"},
    "latest-and-young": {"cleanup.policy": "compact,delete", "retention.ms": str(3 * _DAY_MS)},
    "no-policy": {"cleanup.policy": "", "retention.ms": "1"},
    "nothing": {"retention.ms": "1"},
}

Bases = Mapping[tuple[str, int], frozenset[int]]


def plan() -> Iterator[str]:
    """Steps for FillLogs: topics with all kinds of limits, and records of all ages."""
    now = int(time.time() * 1000)
    chance = random.Random(_SEED)
    yield step("broker", "", f"log.retention.ms={5 * _DAY_MS}")
    yield step("broker", 1, f"log.retention.ms={4 * _DAY_MS}")
    for name, own in _TOPICS.items():
        more = {"internal.segment.bytes": "2000", "message.timestamp.after.max.ms": _NEVER, **own}
        more |= {"min.cleanable.dirty.ratio": "1.0"}  # prevents the cleaner from compacting; it still deletes
        yield step("topic", name, 3, *(f"{config}={value}" for config, value in more.items()))
        for partition in range(3 if name != "nothing" else 0):
            # No pass comes near these hours; the last partition's records are so old that its active segment is
            # deleted, too.
            youngest = 100 if partition == 2 else 6
            ages = sorted((chance.choice(range(youngest, 240, 12)) for _ in range(60)), reverse=True)
            if partition == 1:
                chance.shuffle(ages)
            for number, hours in enumerate(ages):
                timestamp = now - hours * _DAY_MS // 24
                if name == "to-come" and partition == 1 and number == 30:
                    timestamp = now + 365 * _DAY_MS
                yield step("send", name, partition, timestamp, f"key-{number % 7}", chance.choice((50, 200, 400)))
    for name in ("latest-and-young", "for-ever", "no-policy", "by-time"):
        for partition, offset in enumerate((0, 31, 60)):
            if offset:
                yield step("trim", name, partition, offset)


class Prediction:
    """The prediction for a stopped broker: exactly these segments are deleted after its next start.

    Args:
        log_dir: log directory of the broker.
        config: configs in the broker's server.properties.
    """

    def __init__(self, log_dir: Path, config: Mapping[str, str]) -> None:
        self._log_dir = log_dir
        self._config = config
        self._before = _on_disk(log_dir)
        predicted = self._predict()
        self._expected = _kept(predicted)
        self._starts = {(log.topic, log.partition): log.log_start_offset_after for log in predicted.logs}

    def is_met(self) -> bool:
        """Whether the remaining segments are the predicted ones."""
        return _on_disk(self._log_dir) == self._expected

    def differences(self) -> Iterator[str]:
        """Compare the prediction with the disk of the stopped broker; prints the prediction."""
        before, expected, found = self._before, self._expected, _on_disk(self._log_dir)
        count = sum(map(len, before.values()))
        deleted = count - sum(len(before[key] & expected.get(key, frozenset())) for key in before)
        print(f"retention: {count} segments of {len(before)} partitions, {deleted} predicted to go")
        if not deleted or deleted == count:
            yield "retention: the plan has nothing that goes, or nothing that stays"
        for key in sorted(before.keys() | found.keys()):
            if expected.get(key) != found.get(key):
                yield f"retention: {key}: predicted {sorted(expected.get(key, ()))}, left {sorted(found.get(key, ()))}"
        for partition in kafkafmt.open(self._log_dir).partitions:
            start = self._starts.get((partition.topic, partition.partition))
            if start is not None and partition.log_start_offset != start:
                yield f"retention: {partition.name} starts at {partition.log_start_offset}, predicted {start}"
        again = self._predict().deletable_bytes()[0]
        if again:
            yield f"retention: after the passes {again} bytes are still predicted to go"

    def _predict(self) -> Retention:
        return kafkafmt.open(self._log_dir).retention(config=self._config, topics=list(_TOPICS))


def _kept(answer: Retention) -> Bases:
    """Base offsets of the kept segments; if none is kept, that of the new segment at the end of the log."""
    kept = {}
    for log in answer.logs:
        pairs = zip(log.facts.base_offsets, log.segments, strict=True)
        left = frozenset(base for base, segment in pairs if not segment.fate.is_deleted)
        kept[log.topic or "", log.partition or 0] = left or frozenset([log.facts.log_end_offset])
    return kept


def _on_disk(log_dir: Path) -> Bases:
    found = {}
    for directory in log_dir.iterdir():
        topic, _, partition = directory.name.rpartition("-")
        if topic in _TOPICS and partition.isdigit():
            found[topic, int(partition)] = frozenset(int(path.stem) for path in directory.glob("*.log"))
    return found
