"""Segment files: what Kafka's own code reads in them, and what kafkafmt reads.

The files are those of tests/golden and tests/bad_data, fresh ones that Kafka's builder writes for every format and
codec, and mutations with a right CRC. The code is that of kafka-clients; compare.py lists the intended differences.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from class_path import ToolError, kafka_class_path
from kafka_judge.inputs import mutations, segments, special_files
from kafka_judge.java_programs import dialogue
from kafka_judge.segments.compare import Answer, Comparison
from kafka_judge.verdict import Verdict

TESTS = Path(__file__).resolve().parents[3] / "tests"

MUTATIONS = 800


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this judge."""
    parser.add_argument("--mutations", type=int, default=MUTATIONS, help="number of mutations (%(default)s)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the files that are made in this new directory")


def judge(options: argparse.Namespace) -> Verdict:
    """Read all files with KafkaJudge.java, and compare its answers as they arrive.

    Raises:
        ToolError: a tool is missing or fails.
    """
    with tempfile.TemporaryDirectory() as scratch:
        comparison = _judge(options.keep or Path(scratch), options.seed, options.mutations)
    return Verdict(
        f"{comparison.files} files, {comparison.batches} batches, {comparison.records} records",
        comparison.findings + [f"no file needs the rule {rule!r}" for rule in comparison.unused_rules()],
    )


def _judge(scratch: Path, seed: int, mutated: int) -> Comparison:
    fresh = scratch / "fresh"
    broken = scratch / "mutations"
    try:
        fresh.mkdir(parents=True)
        broken.mkdir()
    except OSError as error:
        raise ToolError(f"--keep needs a new directory: {error}") from error
    comparison = Comparison()
    with dialogue(kafka_class_path(), "KafkaJudge", str(fresh), str(seed)) as (questions, answers):
        if not answers.readline():
            raise EOFError
        sound = segments(TESTS / "golden") + segments(fresh)
        bad = segments(TESTS / "bad_data" / "files")
        if not bad:
            raise ToolError("there are no files in tests/bad_data/files")
        paths = [*sound, *bad, *special_files(broken), *mutations(sound, broken, mutated, seed)]
        # The program answers only after it has read all names.
        questions.writelines(f"{path}\n".encode() for path in paths)
        questions.close()
        for path in paths:
            *batches, end = _of_one_file(answers)
            comparison.compare(str(path), batches, end)
    return comparison


def _of_one_file(lines: IO[bytes]) -> Iterator[Answer]:
    for line in lines:
        if not line.endswith(b"\n"):  # Java died while writing the line
            break
        answer: Answer = json.loads(line)
        yield answer
        if "end" in answer:
            return
    raise EOFError
