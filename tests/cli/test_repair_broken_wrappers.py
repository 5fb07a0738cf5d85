"""Wrappers (v0, v1) with a correct CRC but broken inner messages: replaced from another copy, or kept."""

from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.writing import BatchBuilder
from tests.cli.conftest import Call
from tests.golden_cases import field_case

NAMES = {"inner-crc-v0-gzip-middle": 0, "inner-crc-v1-gzip": 1}
LOG = Path("t-0") / f"{0:020d}.log"


def sound(name: str, path: Path, *, offsets: range = range(8, 11)) -> Path:
    """A copy of a case's log whose second entry, the wrapper of messages 8 to 10, is rebuilt."""
    data = (field_case(name).input / LOG).read_bytes()
    begin = 12 + int.from_bytes(data[8:12])
    end = begin + 12 + int.from_bytes(data[begin + 8 : begin + 12])
    builder = BatchBuilder(message_format=NAMES[name], compression="gzip", base_offset=offsets.start)
    for offset in offsets:
        builder.append(1_795_600_000_000 + offset - 8, b"k%d" % (offset - 8), b"v%d" % (offset - 8))
    (path / LOG).parent.mkdir(parents=True)
    (path / LOG).write_bytes(data[:begin] + builder.build() + data[end:])
    return path


def values(log_dir: Path) -> list[tuple[int, str]]:
    table = kafkafmt.scan(log_dir, columns=["offset", "value"]).to_table()
    return [(row["offset"], row["value"].decode()) for row in table.to_pylist()]


SOUND = [(7, "first"), (8, "v0"), (9, "v1"), (10, "v2"), (11, "last")]


@pytest.mark.parametrize("name", NAMES)
def test_a_donor_replaces_a_broken_wrapper(kafkafmt: Call, tmp_path: Path, name: str) -> None:
    damaged, donor = field_case(name).input, sound(name, tmp_path / "donor")
    answer = kafkafmt("repair", damaged, "--from", donor, "--out", tmp_path / "new", "--show", "dropped", "-o", "jsonl")
    assert answer.status == 1
    assert '"reason":"checksum","firstOffset":8,"lastOffset":10,"records":3' in answer.text
    assert "3 records of 1 partition are filled in from other copies" in answer.stderr
    assert "cannot be read" not in answer.stderr
    assert values(tmp_path / "new") == SOUND
    assert kafkafmt("verify", tmp_path / "new", "--level", "records").status == 0


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_the_sound_one_of_two_copies_is_written(tmp_path: Path, name: str, *, is_first: bool) -> None:
    paths = [field_case(name).input, sound(name, tmp_path / "copy")]
    kafkafmt.repair(paths if is_first else paths[::-1], tmp_path / "new")
    assert [values(each.parent.parent) for each in (tmp_path / "new").rglob("*.log")] == [SOUND]


@pytest.mark.parametrize("name", NAMES)
def test_without_a_sound_copy_the_wrapper_stays_and_is_named(kafkafmt: Call, tmp_path: Path, name: str) -> None:
    """Brokers serve it: only the consumer's check fails, `Record.ensureValid` (answer.json)."""
    case = field_case(name)
    (batches,) = next(iter(case.answer["kafka"].values())).values()
    assert all(batch["valid"] for batch in batches["batches"])
    copied = tmp_path / "copied"
    (copied / LOG).parent.mkdir(parents=True)
    (copied / LOG).write_bytes((case.input / LOG).read_bytes())
    answer = kafkafmt("repair", case.input, "--from", copied, "--out", tmp_path / "new", "-o", "jsonl")
    assert answer.status == 1
    assert "1 wrapper is kept, though messages inside cannot be read (offsets 8 to 10, 3 records)" in answer.stderr
    assert '"keptBatches":3,"keptRecords":2,' in answer.text
    assert (tmp_path / "new" / LOG).read_bytes() == (case.input / LOG).read_bytes()


@pytest.mark.parametrize("offsets", [range(9, 11), range(6, 11)])
def test_a_wrapper_of_other_offsets_replaces_nothing(tmp_path: Path, offsets: range) -> None:
    """A wrapper of fewer records would lose some, and one that begins earlier would repeat some."""
    name = "inner-crc-v1-gzip"
    donor = sound(name, tmp_path / "donor", offsets=offsets)
    answer = kafkafmt.repair(field_case(name).input, None, donors=donor, dry_run=True)
    assert answer.dropped.num_rows == 0
    assert any("1 wrapper is kept" in note for note in answer.notes)


def test_a_gap_beside_a_broken_wrapper_is_filled_once(tmp_path: Path) -> None:
    """The message before the wrapper is lost as well: each of the donor's batches is taken once."""
    name = "inner-crc-v1-gzip"
    data = bytearray((field_case(name).input / LOG).read_bytes())
    data[30] ^= 1
    (tmp_path / "damaged" / "t-0").mkdir(parents=True)
    (tmp_path / "damaged" / LOG).write_bytes(data)
    answer = kafkafmt.repair(tmp_path / "damaged", tmp_path / "new", donors=sound(name, tmp_path / "donor"))
    assert values(tmp_path / "new") == SOUND
    assert answer.dropped["position"].to_pylist() == [0, 40]
    assert answer.done[0].filled == 2
