"""Compaction of damaged log directories: an answer or a KafkafmtError, and no output or a complete one."""

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafkafmt.codec.checksum import crc32c
from kafkafmt.errors import KafkafmtError
from kafkafmt.operations import compaction
from tests.operations.golden_operations import questions

QUESTIONS = {question.case: question for question in questions("compaction")}
CASES = ("compaction-producers-4.3.1", "compaction-formats-4.3.1", "compaction-random-round-2-4.3.1")
_CRC, _COVERED = 17, 21


@pytest.fixture(scope="module", params=CASES)
def log_dir(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return QUESTIONS[request.param].unpack(tmp_path_factory.mktemp("hostile"))


@pytest.mark.slow
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(0, 10**6),
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=6),
    st.booleans(),
    st.booleans(),
)
def test_changed_bytes(
    log_dir: Path, tmp_path: Path, chosen: int, changes: list[tuple[int, int]], signs: bool, skips: bool
) -> None:
    """Change bytes of one file; with `signs` its batches get right CRCs again, so that what they say is believed."""
    place = tmp_path / "changed"
    shutil.rmtree(place, ignore_errors=True)
    shutil.rmtree(tmp_path / "out", ignore_errors=True)
    files = sorted(path for path in log_dir.rglob("*") if path.is_file() and path.stat().st_size)
    original = files[chosen % len(files)]
    # Of a checkpoint the first partition.
    partition = original.parent if original.parent != log_dir else min(log_dir.glob("*-0"))
    shutil.copytree(partition, place / partition.name)
    for beside in log_dir.iterdir():
        if beside.is_file():
            shutil.copy(beside, place)
    path = place / original.relative_to(log_dir)
    data = bytearray(path.read_bytes())
    for position, value in changes:
        data[position % len(data)] = value
    if signs and path.suffix == ".log":
        sign(data)
    path.write_bytes(data)
    config = {"cleanup.policy": "compact", "segment.bytes": 1600, "log.cleaner.dedupe.buffer.size": 240}
    try:
        answer = compaction(
            place,
            at=1_700_100_000_000,
            config=config,
            on_damage="skip" if skips else "raise",
            out=tmp_path / "out",
        )
    except KafkafmtError:
        assert not (tmp_path / "out").exists()
    else:
        assert answer.to_table().num_rows
        assert (tmp_path / "out").is_dir()
    assert not [each for each in tmp_path.iterdir() if each.name.startswith(".")]


def sign(data: bytearray) -> None:
    """Give each batch of format 2 the CRC of its bytes, as far as the sizes lead."""
    at = 0
    while at + _COVERED < len(data):
        end = at + 12 + int.from_bytes(data[at + 8 : at + 12], "big")
        if end <= at + _COVERED or end > len(data):
            return
        if data[at + 16] >= 2:
            data[at + _CRC : at + _COVERED] = crc32c(bytes(data[at + _COVERED : end])).to_bytes(4, "big")
        at = end
