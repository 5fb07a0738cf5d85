"""`kafkafmt find` in a log with a batch whose length or leader epoch is wrong."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.cli.test_find import row_of
from tests.logdir.builders import batch, segment
from tests.reads import index as write_index


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    """100 batches of ten records, with an offset index entry for every fourth batch."""
    path = segment(tmp_path / "t-0", 0, *(batch(10 * number, 10, timestamp=10 * number) for number in range(100)))
    size = path.stat().st_size // 100
    yield write_index(path, *((10 * number + 9, number * size) for number in range(4, 100, 4))).with_suffix(".log")
    assert path.stat().st_size == 100 * size


@pytest.mark.parametrize("change", [1, -1, 49, "next", "other"])
def test_a_wrong_length_is_named(change: int | str, kafkafmt: Call, log: Path) -> None:
    data = bytearray(log.read_bytes())
    size = len(data) // 100
    position = 52 * size
    length = {1: size - 11, -1: size - 13, 49: 49, "next": 2 * size - 12, "other": size - 12}[change]
    data[position + 8 : position + 12] = length.to_bytes(4, "big")
    log.write_bytes(data)
    # With the length of two batches, the previous batch swallows the wanted one.
    answer = kafkafmt("find", log.parent, "--offset=533" if change == "next" else "--offset=523", "-o", "jsonl")
    row = row_of(answer)
    if change == "other":
        assert (answer.status, answer.stderr, row["baseOffset"]) == (0, "", 520)
        return
    assert (answer.status, row["baseOffset"]) == (1, 530 if change == "next" else 520)
    damaged = [line for line in answer.stderr.splitlines() if "bytes skipped" in line]
    assert len(damaged) == 1
    assert damaged[0].startswith(f"kafkafmt: {log}: position {position}: ")
    assert damaged[0].endswith(f"{size} bytes skipped (offsets 520 to 529, 10 records)")
    assert row["sizeInBytes"] == (size if change == "next" else None)
    lost = "note: offset 523 was in a damaged batch; the next record is 530"
    assert (lost in answer.stderr) == (change != "next")


@pytest.mark.parametrize("length", ["swallows", "one less", "one more", "negative", "beyond"])
def test_what_follows_a_wrong_length_is_found(length: str, kafkafmt: Call, log: Path) -> None:
    data = bytearray(log.read_bytes())
    size = len(data) // 100
    position = 52 * size
    lengths = {"swallows": 4 * size - 12, "one less": size - 13, "one more": size - 11, "negative": -1}
    data[position + 8 : position + 12] = lengths.get(length, 10 * len(data)).to_bytes(4, "big", signed=True)
    log.write_bytes(data)
    log.with_suffix(".index").unlink()
    for offset in (530, 545, 999):
        answer = kafkafmt("find", log.parent, f"--offset={offset}", "-o", "jsonl")
        row = row_of(answer)
        assert (answer.status, row["baseOffset"], row["position"]) == (1, offset // 10 * 10, offset // 10 * size)
        assert f"{log}: position {position}: " in answer.stderr
        assert f"{size} bytes skipped (offsets 520 to 529, 10 records)" in answer.stderr


@pytest.mark.parametrize("at", [0, 1, 50, 98, 99])
@pytest.mark.parametrize("question", ["--timestamp=985", "--max-timestamp", "--offset=985"])
def test_a_length_that_swallows_batches_hides_no_time(question: str, at: int, kafkafmt: Call, log: Path) -> None:
    data = bytearray(log.read_bytes())
    size = len(data) // 100
    length = min(3, 100 - at) * size
    data[at * size + 8 : at * size + 12] = (length - 12).to_bytes(4, "big")
    log.write_bytes(data)
    answer = kafkafmt("find", log.parent, question, "-o", "jsonl")
    if at == 99:  # the length is right
        assert (answer.status, answer.stderr.count("position")) == (0, 0)
        return
    expected = {"--timestamp=985": 990 if at == 98 else 985, "--max-timestamp": 999, "--offset=985": 985}
    assert row_of(answer)["offset"] == expected[question]
    if at == 98:
        assert answer.status == 1
        assert f"{log}: position {at * size}: CRC mismatch" in answer.stderr
        assert f"{size} bytes skipped (offsets 980 to 989, 10 records)\n" in answer.stderr
        assert ("note: the answer leaves damaged batches out" in answer.stderr) == ("timestamp" in question)


@pytest.mark.parametrize("with_index", [True, False])
def test_a_wrong_base_offset_is_no_answer(with_index: bool, kafkafmt: Call, log: Path) -> None:
    """The batch at 520 claims 1520: the record after 519 is 530, and 523 was in the batch between its neighbours."""
    data = bytearray(log.read_bytes())
    size = len(data) // 100
    data[52 * size : 52 * size + 8] = (1520).to_bytes(8, "big")
    log.write_bytes(data)
    if not with_index:
        log.with_suffix(".index").unlink()
    said = f"{log}: position {52 * size}: base offset 1520 should be 520"

    def asked(question: str) -> tuple[int, int, str]:
        answer = kafkafmt("find", log.parent, question, "-o", "jsonl")
        row = row_of(answer)
        assert (answer.status, answer.stderr.count(said)) == (1, 1)
        return row["baseOffset"], row["position"] // size, answer.stderr

    base, number, stderr = asked("--offset=523")
    assert (base, number) == (520, 52)
    assert "note: offset 523 was in a damaged batch; the next record is 530\n" in stderr
    base, number, stderr = asked("--offset=530")
    assert (base, number, "offset 530" in stderr) == (530, 53, False)
    base, number, stderr = asked("--timestamp=523")
    assert (base, number) == (530, 53)
    assert "note: the answer leaves damaged batches out: a record in them may be the first at or after" in stderr
    answer = kafkafmt("find", log.parent, "--offset=1523", "-o", "jsonl")
    assert (answer.status, answer.stdout) == (1, b"")
    assert "nothing at or after offset 1523" in answer.stderr


def test_a_wrong_last_offset_hides_nothing_after_it(kafkafmt: Call, log: Path) -> None:
    """The CRC covers the last offset: a batch with a wrong CRC is not an answer for the offsets that it claims."""
    data = bytearray(log.read_bytes())
    size = len(data) // 100
    data[52 * size + 23 : 52 * size + 27] = (400).to_bytes(4, "big")
    log.write_bytes(data)
    log.with_suffix(".index").unlink()
    for offset in (530, 845):
        row = row_of(answer := kafkafmt("find", log.parent, f"--offset={offset}", "-o", "jsonl"))
        assert (answer.status, row["baseOffset"], row["position"]) == (1, offset // 10 * 10, offset // 10 * size)
        assert f"{log}: position {52 * size}: CRC mismatch" in answer.stderr


@pytest.mark.parametrize("question", ["--offset=55", "--timestamp=55", "--latest", "--max-timestamp"])
def test_a_leader_epoch_that_is_gone_is_named(question: str, kafkafmt: Call, tmp_path: Path) -> None:
    entries = [batch(10 * at, 10, timestamp=10 * at, epoch=-1 if at == 4 else 5) for at in range(7)]
    log = segment(tmp_path / "t-0", 0, *entries)
    answer = kafkafmt("find", tmp_path, question, "-o", "jsonl")
    assert answer.status == 1
    said = "offset 40: leader epoch -1 after leader epoch 5: a follower that fetches it stops"
    place = f"kafkafmt: {log}: position {sum(map(len, entries[:4]))}: "
    assert f"{place}{said} (no CRC covers leader epochs)\n" in answer.stderr
    assert answer.stderr.count("leader epoch -1") == 1
