"""All commands on broken log directories, in this process: an answer or an error, never a traceback.

KAFKAFMT_MUTATIONS says how many (20,000 before a release), a directory for each fifteen, and KAFKAFMT_SEED where
they begin; a failure names its number, as in test_mutations.py.
"""

import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import kafkafmt as library
from kafkafmt.cli.main import COMMANDS
from tests.cli.conftest import Answer, Call
from tests.cli.conftest import kafkafmt as kafkafmt  # noqa: PLC0414 - a fixture
from tests.hostile.test_mutations import LOG_DIRS, MUTATIONS, SEED, break_directory, copy_of_log_dir, no_hang

pytestmark = [pytest.mark.volume, pytest.mark.dosed]

FOR_EACH = 15
LINES = 4
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


@pytest.fixture(scope="module")
def log_dirs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    root = tmp_path_factory.mktemp("sound")
    for number, name in enumerate(LOG_DIRS):
        copy_of_log_dir(name, root / str(number))
    return sorted(root.iterdir())


def filled(rnd: random.Random, line: str, directory: Path, sound: Path) -> list[str]:
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
        "OUT": directory.parent / "out",
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


def lines_of(rnd: random.Random) -> Iterator[str]:
    for _ in range(LINES):
        command = rnd.choice(sorted(LINES_OF))
        yield f"{command} {rnd.choice(LINES_OF[command])}"


def test_all_commands_are_tried() -> None:
    # write reads no disk, and tools/fuzz serve has clients; replay needs a broker and reads as cat does.
    others = {"completion", "replay", "serve", "specs", "state", "warm-up", "write"}
    assert set(COMMANDS) - set(LINES_OF) == others


def check(kafkafmt: Call, number: int, log_dirs: list[Path], place: Path) -> None:
    """Break one directory, and run some commands on it."""
    rnd = random.Random(number)
    sound = rnd.choice(log_dirs)
    directory = place / sound.name
    shutil.copytree(sound, directory)
    break_directory(rnd, directory)
    line = ""
    try:
        for line in lines_of(rnd):
            with no_hang():
                require_lawful(line, kafkafmt(*filled(rnd, line, directory, sound)))
            for each in place.glob("out*"):
                shutil.rmtree(each) if each.is_dir() else each.unlink()
        scan = library.scan(directory, on_damage="skip", replica="all")
        with no_hang():
            scan.to_table()
        damage = [each for each in scan.damage if not each.is_open_end and (each.file or "").endswith(".log")]
        if damage:
            # Kafka checks the CRC of a wrapper, and not those of the messages in it.
            has_wrong_crc = any(each.error.message == "CRC mismatch" for each in damage)
            line = rnd.choice(READ_RECORDS + READ_CRCS * has_wrong_crc)
            assert kafkafmt(*filled(rnd, line, directory, sound)).status == 1
    except BaseException as error:
        error.add_note(f"{line}: KAFKAFMT_SEED={number} KAFKAFMT_MUTATIONS=1")
        raise
    finally:
        shutil.rmtree(place)


@pytest.mark.parametrize("chunk", range(4))
def test_no_command_line_ends_in_a_traceback(kafkafmt: Call, chunk: int, tmp_path: Path, log_dirs: list[Path]) -> None:
    most = max(MUTATIONS // FOR_EACH, min(MUTATIONS, 4))
    for number in range(SEED + chunk, SEED + most, 4):
        check(kafkafmt, number, log_dirs, tmp_path / str(number))
