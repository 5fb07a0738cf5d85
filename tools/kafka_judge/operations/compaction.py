"""Compares logs that Kafka's cleaner cleaned with what `kafkafmt compaction` predicts and writes."""

import struct
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import kafkafmt
from kafkafmt.codec.compression import Compression, decompress
from kafkafmt.files import offset_checkpoint
from kafkafmt.limits import Limits

_COLUMNS = {
    "wouldClean": "wouldClean",
    "firstDirtyOffset": "firstDirtyOffset",
    "firstUncleanableOffset": "firstUncleanableOffset",
    "cleanBytes": "cleanBytes",
    "dirtyBytes": "dirtyBytes",
    "cleanedUpTo": "cleanedUpTo",
    "removableRecords": "removableRecords",
    "removableBytes": "removableBytes",
    "recordsWithoutKey": "recordsWithoutKey",
}
_FAILS = "but Kafka's cleaner fails: "
_CHECKPOINT = "cleaner-offset-checkpoint"
_OVERHEAD = 61
_CODEC_BITS = 7


def differences(answer: Mapping[str, Any], scratch: Path) -> Iterator[str]:
    """Compare one pass of Kafka's cleaner with kafkafmt's.

    Args:
        answer: answer of CleanedLogs.java.
        scratch: directory of the logs that it left.
    """
    before, after, work = (scratch / f"{state}-{answer['name']}" for state in ("before", "after", "ours"))
    work.mkdir()
    out = work / "out"  # in an otherwise empty directory, as writing a directory checks its siblings
    made = kafkafmt.open(before).compaction(out=out, at=answer["at"], config=answer["config"])
    table = made.to_table().to_pylist()
    if len(table) != 1:
        yield f"{len(table)} rows"
        return
    row = table[0]
    if "error" in answer:
        if _FAILS not in row["reason"]:
            yield f"Kafka's cleaner fails with {answer['error']}, ours says {row['reason']}"
        return
    if _FAILS in row["reason"]:
        yield f"Kafka's cleaner makes the pass, ours says {row['reason']}"
        return
    is_compressed = False
    if answer["dirtyBytes"]:
        ours, theirs = (_files(each / "topic-0", answer["stray"]) for each in (out, after))
        is_compressed = ours != theirs
        yield from _file_differences(ours, theirs)
        if _cleaned_up_to(out) != _cleaned_up_to(after):
            yield f"Kafka's {_CHECKPOINT} has {_cleaned_up_to(after)}, ours {_cleaned_up_to(out)}"
    for column in _COLUMNS.keys() & answer.keys():
        # The size of recompressed batches depends on the codec's library.
        if row[column] != answer[column] and not (column == "removableBytes" and is_compressed):
            yield f"{column} is {answer[column]}, ours {row[column]}"


def _files(directory: Path, stray: Collection[str]) -> dict[str, bytes]:
    """Files by name, without the producer snapshots that a start deletes before any pass."""
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.name not in stray}


def _file_differences(ours: Mapping[str, bytes], theirs: Mapping[str, bytes]) -> Iterator[str]:
    if ours.keys() != theirs.keys():
        yield f"Kafka leaves {sorted(theirs.keys() - ours.keys())}, ours {sorted(ours.keys() - theirs.keys())}"
    resized = set()
    for name in sorted(ours.keys() & theirs.keys()):
        stem, _, kind = name.rpartition(".")
        if ours[name] == theirs[name]:
            continue
        if kind == "log":
            if _plain(ours[name]) != _plain(theirs[name]):
                yield f"other batches in {name}: {len(theirs[name])} bytes, ours {len(ours[name])}"
            elif len(ours[name]) != len(theirs[name]):
                resized.add(stem)

    for name in sorted(ours.keys() & theirs.keys()):
        stem, _, kind = name.rpartition(".")
        if ours[name] != theirs[name] and kind != "log" and stem not in resized:
            yield f"other bytes in {name}: {theirs[name].hex(' ')[:300]}, ours {ours[name].hex(' ')[:300]}"


def _plain(log: bytes) -> list[tuple[bytes, bytes]]:
    """Batches without codec-dependent parts: the header without size and CRC, and the decompressed records."""
    batches, position = [], 0
    while position < len(log):
        (size,) = struct.unpack_from(">i", log, position + 8)
        data = log[position : position + 12 + size]
        position += len(data)
        codec = Compression(data[22] & _CODEC_BITS) if data[16] == 2 else Compression.NONE
        if codec == Compression.NONE:
            batches.append((data, b""))
            continue
        records = decompress(codec, data[_OVERHEAD:], magic=2, limits=Limits())
        batches.append((data[:8] + data[12:17] + data[21:_OVERHEAD], records))
    return batches


def _cleaned_up_to(log_dir: Path) -> int | None:
    path = log_dir / _CHECKPOINT
    return offset_checkpoint.read(path).offsets.get(("topic", 0)) if path.exists() else None
