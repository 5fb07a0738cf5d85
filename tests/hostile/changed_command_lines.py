"""All commands on broken log directories, in this process: an answer or an error, never a traceback."""

import io
import random
import re
import shutil
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from unittest.mock import patch

import kafkafmt
from kafkafmt.cli.main import run
from tests.cli.conftest import Answer
from tests.hostile.changed_directory import Directory, removed, scratch
from tests.hostile.changed_files import broken, log_dirs

_PARTITIONS = 2
LARGEST = str(2**63 - 1)
# DIR: the broken directory; SOUND: the same before it was broken; LOG, FILE: a log and any file of it; OUT: a new name.
LINES_OF: dict[str, list[str]] = {
    "ls": ["DIR", "DIR --quick", "DIR --verify-checksums", "LOG", "DIR SOUND --show segments", "DIR --show findings"],
    "verify": ["DIR", "DIR --level headers", "DIR --show partitions", "DIR SOUND --show cluster"],
    "batches": ["DIR", "DIR --deep", "DIR --verify-checksums", "LOG"],
    "cat": [
        "DIR",
        "DIR --on-damage skip",
        "DIR --on-damage skip --last 3",
        "DIR --on-damage skip --compacted",
        "DIR --on-damage skip --isolation-level read_committed",
        "DIR --on-damage skip --start-offset 3 --end-offset 9 --output jsonl",
        "DIR --on-damage skip --output csv --out OUT.csv",
        "DIR --on-damage skip --value-format auto --output jsonl",
        "DIR --on-damage skip --value-format auto --written --output jsonl",
        "DIR --on-damage skip --output parquet --out OUT.parquet",
        "LOG --on-damage skip --control",
    ],
    "grep": ["a DIR", "a DIR --count", "v DIR --everywhere", "1 DIR --on-damage skip --output jsonl"],
    "find": [
        "PARTITION --offset 3 --explain",
        "PARTITION --offset " + LARGEST,
        "PARTITION --timestamp 1700000000000",
        "PARTITION --latest",
        "PARTITION --max-timestamp --explain",
    ],
    "dump": [
        "FILE",
        "LOG --deep-iteration --print-data-log",
        "LOG --offsets-decoder",
        "LOG --cluster-metadata-decoder",
    ],
    "inspect": ["FILE", "LOG --position 100", "LOG --offset 3 --records all"],
    "space": ["DIR", "DIR --by key", "DIR --by producer,hour", "DIR --what-if compression.type=lz4"],
    "retention": ["DIR", "DIR --config retention.ms=1000 --at 1800000000000", "DIR --show topics"],
    "compaction": [
        "DIR",
        "DIR --config cleanup.policy=compact --show keys",
        "DIR --config cleanup.policy=compact --out OUT",
    ],
    "groups": ["DIR", "DIR --list", "DIR --members", "DIR --history", "DIR --at-offset 5"],
    "transactions": ["DIR", "DIR --data", "DIR --hanging", "DIR --history"],
    "producers": ["DIR", "DIR --check", "DIR --history", "DIR --at-offset 4"],
    "metadata": ["DIR", "DIR --history", "DIR --show partitions", "DIR --at-offset 7", "--diff SOUND DIR"],
    "schemas": ["DIR", "DIR --show topics", "DIR --show deleted", "DIR --show subjects", "DIR --out OUT"],
    "compare": ["DIR SOUND", "SOUND DIR", "DIR DIR", "DIR SOUND --show ranges"],
    "sql": ["'select count(*) from records' DIR", "'select * from segments' DIR", "'select * from commits' DIR"],
    "tiers": ["DIR"],
    "repair": ["DIR --dry-run", "DIR --out OUT", "DIR --from SOUND --out OUT", "DIR --mend-offsets --out OUT"],
    "load": ["DIR --to OUT", "DIR --to OUT --on-damage skip --decode --written", "DIR --to OUT --show offsets"],
    "extract": ["DIR --out OUT --on-damage skip", "DIR --out OUT --redact values", "DIR --out OUT --end-offset 9"],
}
# What reads all records of each log, or all CRCs: none may miss damage that a scan meets.
READ_RECORDS = ("cat DIR", "cat DIR --on-damage skip --output jsonl", "verify DIR --level records")
READ_CRCS = ("ls DIR --verify-checksums", "repair DIR --dry-run")


@cache
def _originals() -> tuple[tuple[Directory, Path], ...]:
    """Log directories, and copies of them that stay sound."""
    return tuple(
        (each, Path(shutil.copytree(each.root, scratch("sound") / each.root.name))) for each in log_dirs(_PARTITIONS)
    )


def _answer(arguments: Sequence[str]) -> Answer:
    """Call the command line in this process."""
    stdout, stderr = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with patch.object(sys, "stdout", stdout), patch.object(sys, "stderr", stderr):
        status = run([*arguments])
    found = [each.buffer.getvalue() for each in (stdout, stderr) if isinstance(each.buffer, io.BytesIO)]
    return Answer(status, found[0], found[1].decode("utf-8"))


def filled(rnd: random.Random, line: str, directory: Path, sound: Path, place: Path) -> list[str]:
    """A command line with paths."""
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    logs = [path for path in files if path.suffix == ".log"]
    log = rnd.choice(logs or files)
    places = {
        "DIR": directory,
        "SOUND": sound,
        "LOG": log,
        "FILE": rnd.choice(files),
        "PARTITION": log.parent,
        "OUT": place / "out",
    }
    words: list[str] = []
    for number, part in enumerate(line.split("'")):
        words += [part] if number % 2 else part.split()
    return [re.sub(r"^[A-Z]+(?=\.|$)", lambda found: str(places.get(found[0], found[0])), word) for word in words]


def require_lawful(line: str, answer: Answer) -> None:
    """Statuses as documented, none but 0 without a word, and what is said fits a terminal."""
    # A place that is not in the file is wrong usage there, and so are topics whose values have no type in common.
    can_be_misused = re.search("^inspect|--decode|--value-format", line)
    assert answer.status in ((0, 1, 2, 3) if can_be_misused else (0, 1, 3)), answer.stderr
    assert not [each for each in answer.stderr if ord(each) < 32 and each not in "\n\t"]
    # A table that was asked for by itself can be empty, whatever else was found.
    assert answer.status == 0 or answer.stderr or answer.stdout or "--show" in line


def check_command(rnd: random.Random) -> int:
    """Break a log directory, and run a command on it, or see that what reads all records tells what a scan does."""
    of, sound = rnd.choice(_originals())
    with of.changed(broken(rnd, of.files)), removed(scratch("out")) as place:
        command = rnd.choice(sorted(LINES_OF))
        line = f"{command} {rnd.choice(LINES_OF[command])}"
        try:
            if rnd.random() < 0.75:
                require_lawful(line, _answer(filled(rnd, line, of.root, sound, place)))
                return 1
            scan = kafkafmt.scan(of.root, on_damage="skip", replica="all")
            scan.to_table()
            damage = [each for each in scan.damage if not each.is_open_end and (each.file or "").endswith(".log")]
            if damage:
                # Kafka checks the CRC of a wrapper, and not those of the messages in it.
                has_wrong_crc = any(each.error.message == "CRC mismatch" for each in damage)
                line = rnd.choice(READ_RECORDS + READ_CRCS * has_wrong_crc)
                assert _answer(filled(rnd, line, of.root, sound, place)).status == 1
        except BaseException as error:
            error.add_note(line)
            raise
    return 1
