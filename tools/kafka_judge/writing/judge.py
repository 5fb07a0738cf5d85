"""Random batches and logs: what Kafka's MemoryRecordsBuilder and UnifiedLog write, and what kafkafmt writes.

Batches: calls to a builder of formats 0, 1 and 2, with every codec, producers, transactions, markers, headers, limits;
each answer of the builder, the bytes (compressed ones after decompression), and what Kafka reads in ours. Logs: appends
that roll by size, time, index and offset, producers and transactions; each file of the closed directory, and what a
clean start of Kafka finds in its own directory and in ours.
"""

import argparse
import base64
import random
import tempfile
from pathlib import Path

from class_path import ToolError, kafka_class_path
from kafka_judge.java_programs import answers
from kafka_judge.verdict import Verdict
from kafka_judge.writing import questions
from kafka_judge.writing.questions import Batch, Log, Record
from kafkafmt import KafkafmtError
from kafkafmt.codec.compression import Compression, decompress
from kafkafmt.limits import Limits
from kafkafmt.writing import LogWriter

BATCHES, LOGS = 2000, 200
_REFUSED = "!"
_PAYLOAD = {0: 26, 1: 34, 2: 61}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this judge."""
    parser.add_argument("--batches", type=int, default=BATCHES, help="number of batches (%(default)s)")
    parser.add_argument("--logs", type=int, default=LOGS, help="number of logs (%(default)s)")


def judge(options: argparse.Namespace) -> Verdict:
    """Write the same batches and logs with WritingJudge.java, and compare.

    Raises:
        ToolError: a tool is missing or fails.
    """
    chosen = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="kafkafmt-judge-") as scratch:
        batches = [questions.batch(chosen) for _ in range(options.batches)]
        built = [_built(batch) for batch in batches]
        logs = [questions.log(chosen) for _ in range(options.logs)]
        directories = [Path(scratch, f"ours-{number}", "topic-0") for number in range(len(logs))]
        done = [_written(log, directory) for log, directory in zip(logs, directories, strict=True)]
        files = [_files(directory) for directory in directories]
        lines = [batch.line(data) for batch, (_, data) in zip(batches, built, strict=True)]
        lines += [log.line(directory) for log, directory in zip(logs, directories, strict=True)]
        said = answers(kafka_class_path(), "WritingJudge", scratch, questions="".join(f"{line}\n" for line in lines))
        if len(said) != len(lines):
            raise ToolError(f"WritingJudge gave {len(said)} answers to {len(lines)} questions")
    findings = []
    refused = 0
    for number, (batch, (steps, data)) in enumerate(zip(batches, built, strict=True)):
        what = f"batch {number}, format {batch.message_format}, {batch.compression}"
        findings += [f"{what}: {each}" for each in _batch_differences(batch, steps, data, said[number].split("\t"))]
        refused += steps[-1] == _REFUSED
    for number, ours in enumerate(zip(done, files, strict=True)):
        theirs = said[len(batches) + number].split("\t")
        findings += [f"log {number}: {each}" for each in _log_differences(*ours, theirs)]
    count = sum(len(each) for each in files)
    return Verdict(
        f"{len(batches)} batches, of which {refused} are refused, {len(logs)} logs of {count} files", findings
    )


def _built(batch: Batch) -> tuple[list[str], bytes]:
    """The answers of kafkafmt's builder, and the batch that it makes."""
    steps: list[str] = []
    try:
        builder = batch.builder()
        steps.append(str(builder.estimated_size))
        for call in batch.calls:
            room = ""
            if isinstance(call, Record):
                room = f"{builder.has_room_for(call.timestamp, call.key, call.value, call.headers)} ".lower()
            call.append_to(builder)
            steps.append(f"{room}{builder.estimated_size} {builder.is_full}".replace("T", "t").replace("F", "f"))
        return steps, builder.build()
    except (ValueError, KafkafmtError):
        return [*steps, _REFUSED], b""


def _batch_differences(batch: Batch, steps: list[str], data: bytes, answer: list[str]) -> list[str]:
    *theirs, read = answer
    if steps[-1] == _REFUSED or theirs[-1].startswith(_REFUSED):
        theirs[-1] = _REFUSED if theirs[-1].startswith(_REFUSED) else theirs[-1]
        return [] if steps == theirs else [_differ(theirs, steps)]
    *their_steps, their_bytes = theirs
    if steps != their_steps:
        return [_differ(their_steps, steps)]
    if _plain(batch, data) != _plain(batch, base64.b64decode(their_bytes)):
        return ["other bytes"]
    expected = _records(batch) if data else ""
    return [] if read == expected or batch.is_control else [f"Kafka reads {read} in what we wrote of {expected}"]


def _differ(theirs: list[str], ours: list[str]) -> str:
    at = next((at for at, pair in enumerate(zip(theirs, ours, strict=False)) if pair[0] != pair[1]), 0)
    return f"to call {at} Kafka answers {theirs[at : at + 1]}, we {ours[at : at + 1]}"


def _plain(batch: Batch, data: bytes) -> tuple[bytes, ...]:
    """Bytes that do not depend on the codec's library: all, or all but the sizes and the CRC, decompressed."""
    codec = Compression[batch.compression.upper()]
    if codec == Compression.NONE or not data:
        return (data,)
    begin = _PAYLOAD[batch.message_format]
    known = data[21:begin] if batch.message_format == 2 else data[16 : begin - 4]
    return data[:8], known, decompress(codec, data[begin:], magic=batch.message_format, limits=Limits())


def _records(batch: Batch) -> str:
    """The records that a consumer should find, in the format of WritingJudge.java."""
    offset, found = batch.base_offset, []
    for call in batch.calls:
        if not isinstance(call, Record):
            continue
        offset = offset if call.offset is None else call.offset
        timestamp = batch.log_append_time if batch.timestamp_type == "LogAppendTime" else call.timestamp
        _, key, value, _, _ = call.word().split(" ")
        headers = [f" {each}" for each in call.word().split(" ")[3].split(",") if each]
        found.append(f"{offset} {timestamp if batch.message_format else -1} {key} {value}{''.join(headers)};")
        offset += 1
    return "".join(found)


def _written(log: Log, directory: Path) -> str:
    """Write a log; returns the result of each operation."""
    directory.parent.mkdir(parents=True)
    writer = LogWriter(
        directory,
        start_offset=log.start_offset,
        segment_bytes=log.segment_bytes,
        segment_ms=log.segment_ms,
        index_interval_bytes=log.index_interval_bytes,
        index_max_bytes=log.index_max_bytes,
        topic_id=questions.TOPIC_ID,
        created_ms=questions.NOW,
    )
    done = ""
    for now, data in log.operations:
        try:
            if data is None:
                writer.roll(now)
            else:
                writer.append(data, now)
            done += "+"
        except (ValueError, KafkafmtError):
            done += _REFUSED
    writer.close()
    return done


def _files(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def _log_differences(done: str, files: dict[str, bytes], answer: list[str]) -> list[str]:
    their_done, listed, found_in_theirs, found_in_ours = answer
    if done != their_done:
        return [f"Kafka answers {their_done}, we {done}"]
    pairs = [word.partition("=") for word in listed.split(" ")]
    theirs = {name: base64.b64decode(content) for name, _, content in pairs}
    wrong = [name for name in sorted(files.keys() | theirs.keys()) if files.get(name) != theirs.get(name)]
    if wrong:
        sizes = [(name, len(theirs.get(name, b"")), len(files.get(name, b""))) for name in wrong]
        return [f"other files: {sizes}"]
    if found_in_ours != found_in_theirs:
        return [f"a start finds {found_in_theirs} in Kafka's, {found_in_ours} in ours"]
    return []
