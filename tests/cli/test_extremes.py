"""Offsets at the ends of 64 bits, which no CRC covers: no command ends in a traceback."""

import struct
from pathlib import Path
from zlib import crc32

import pytest

from kafkafmt.cli.main import COMMANDS
from tests.cli.conftest import Call
from tests.logdir.builders import batch, segment

LARGEST = 2**63 - 1


def message(offset: int) -> bytes:
    """A message of format 0, 35 bytes, as Kafka 0.8 wrote it."""
    covered = struct.pack(">bbi", 0, 0, -1) + struct.pack(">i", 9) + b"some data"
    return struct.pack(">qiI", offset, 4 + len(covered), crc32(covered)) + covered


DATA = {
    "message at the end": message(LARGEST),
    "batch at the end": batch(LARGEST),
    "batch beyond the end": batch(LARGEST, 3),
    "batch before 0": batch(-1),
    "batch far before 0": batch(-(2**63), 2),
    "message before 0": message(-1),
    "behind a sound one": batch(0) + batch(LARGEST) + batch(1),
}
MORE = {
    "find": [["--latest"], ["--offset", str(LARGEST)], ["--offset", "-1"], ["--max-timestamp"]],
    "extract": [["--out", "OUT"], ["--out", "OUT", "--on-damage", "skip"], ["--out", "OUT", "--redact", "values"]],
    "repair": [["--out", "OUT"], ["--dry-run"]],
    "compaction": [["--config", "cleanup.policy=compact", "--out", "OUT"], ["--config", "cleanup.policy=compact"]],
    "cat": [[], ["--on-damage", "skip", "--last", "1"], ["--compacted"], ["--state", "OUT.state"]],
    "grep": [["v"], ["v", "--everywhere"]],
    "groups": [["--list"]],
    "producers": [[], ["--check"]],
    "sql": [["select count(*) from records"]],
    "space": [[], ["--by", "key"]],
}
LEFT_OUT = {"write", "completion", "warm-up", "compare", "serve", "tiers", "state"}


@pytest.mark.slow
@pytest.mark.parametrize("name", DATA)
def test_no_command_ends_in_a_traceback(kafkafmt: Call, tmp_path: Path, name: str) -> None:
    source, other = tmp_path / "source", tmp_path / "other"
    segment(source / "t-0", 0, DATA[name])
    segment(other / "t-0", 0, batch(0) + batch(1))
    for command in (each for each in COMMANDS if each not in LEFT_OUT):
        for number, options in enumerate(MORE.get(command, [[]])):
            filled = [each.replace("OUT", str(tmp_path / f"{command}-{number}")) for each in options]
            path = source / "t-0" / f"{0:020d}.log" if command in ("dump", "inspect") else source
            words = filled if command not in ("grep", "sql") else filled[1:]
            answer = kafkafmt(command, *(filled[:1] if command in ("grep", "sql") else ()), path, *words)
            assert answer.status in (0, 1, 2, 3), (command, options)
    for first, second in ((source, other), (other, source), (source, source)):
        assert kafkafmt("compare", first, second).status in (0, 1, 3)


@pytest.mark.parametrize("name", sorted(DATA.keys() - {"behind a sound one"}))
def test_extract_says_which_offsets_no_log_has(kafkafmt: Call, tmp_path: Path, name: str) -> None:
    segment(tmp_path / "source" / "t-0", 0, DATA[name])
    answer = kafkafmt("extract", tmp_path / "source", "--topic", "t", "--out", tmp_path / "out")
    assert answer.status == 1, answer.stderr
    assert f"t-0/{0:020d}.log: position 0: " in answer.stderr
    assert not (tmp_path / "out").exists()
