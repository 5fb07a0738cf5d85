"""Run KafkaJudge.java over all files, and compare its answers with what kafkafmt reads, as they come."""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from kafka_judge.class_path import JudgeError, kafka_class_path, tool
from kafka_judge.compare import Answer, Comparison
from kafka_judge.inputs import mutations, segments, special_files

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

SEED = 4_3_1
MUTATIONS = 800
FINDINGS_SHOWN = 20


def main(arguments: list[str], description: str) -> int:
    """Do as the command line says; returns the exit status."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=SEED, help="seed of the fresh segments and mutations (%(default)s)")
    parser.add_argument("--mutations", type=int, default=MUTATIONS, help="number of mutations (%(default)s)")
    parser.add_argument("--keep", type=Path, help="keep the files that are made in this new directory")
    options = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            comparison = _judge(options.keep or Path(scratch), options.seed, options.mutations)
    except JudgeError as error:
        print(f"tools/kafka_judge/check: {error}", file=sys.stderr)
        return 2
    findings = comparison.findings + [f"no file needs the rule {rule!r}" for rule in comparison.unused_rules()]
    if findings:
        print(*findings[:FINDINGS_SHOWN], sep="\n", file=sys.stderr)
        print(
            f"{comparison.files} files, {len(findings)} differences (--keep DIRECTORY leaves the files)",
            file=sys.stderr,
        )
        return 1
    print(
        f"{comparison.files} files, {comparison.batches} batches, {comparison.records} records: as Kafka reads them",
    )
    return 0


def _judge(scratch: Path, seed: int, mutated: int) -> Comparison:
    java, classes = tool("java"), kafka_class_path(HERE)
    fresh = scratch / "fresh"
    broken = scratch / "mutations"
    try:
        fresh.mkdir(parents=True)
        broken.mkdir()
    except OSError as error:
        raise JudgeError(f"--keep needs a new directory: {error}") from error
    command = [java, "-Xmx1g", "-XX:+UseSerialGC", "-cp", classes, "KafkaJudge", str(fresh), str(seed)]
    with tempfile.TemporaryFile("w+") as complaints:
        try:
            with subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints, encoding="utf-8"
            ) as kafka:
                try:
                    return _compare_all(kafka, fresh, broken, seed, mutated)
                except BaseException:
                    kafka.kill()
                    raise
        except (BrokenPipeError, EOFError) as ended:
            complaints.seek(0)
            raise JudgeError(f"KafkaJudge failed:\n{complaints.read()}") from ended


def _compare_all(kafka: "subprocess.Popen[str]", fresh: Path, broken: Path, seed: int, mutated: int) -> Comparison:
    if kafka.stdin is None or kafka.stdout is None:
        raise EOFError
    if not kafka.stdout.readline():
        raise EOFError
    sound = segments(ROOT / "tests" / "golden") + segments(fresh)
    bad = segments(ROOT / "tests" / "bad_data" / "files")
    if not bad:
        raise JudgeError("there are no files in tests/bad_data/files")
    paths = [*sound, *bad, *special_files(broken), *mutations(sound, broken, mutated, seed)]
    # It answers nothing before it has read all names.
    kafka.stdin.writelines(f"{path}\n" for path in paths)
    kafka.stdin.close()
    comparison = Comparison()
    for path in paths:
        *batches, end = _of_one_file(kafka.stdout)
        comparison.compare(str(path), batches, end)
    return comparison


def _of_one_file(lines: IO[str]) -> Iterator[Answer]:
    for line in lines:
        if not line.endswith("\n"):  # Java died while it wrote it
            break
        answer: Answer = json.loads(line)
        yield answer
        if "end" in answer:
            return
    raise EOFError
