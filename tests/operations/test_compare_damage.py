"""`compare` of damaged copies: lost records are reported but are not differences, and such copies are not equal."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kafkafmt.errors import CorruptError
from kafkafmt.operations import compare
from tests.golden_cases import cluster_case, field_case
from tests.logdir.builders import batch, segment
from tests.operations.compared_logs import Made, only_row, shared, write

FIELD = field_case("find-newest-below-base")


def damage(log_dir: Path, position: int) -> None:
    (log,) = (log_dir / "orders-0").glob("*.log")
    content = bytearray(log.read_bytes())
    content[position] ^= 0xFF
    log.write_bytes(content)


def test_damage_is_reported_and_no_difference(tmp_path: Path) -> None:
    a = write(tmp_path / "a", shared(40), per_batch=4)
    b = Path(shutil.copytree(a, tmp_path / "b"))
    damage(b, (b / "orders-0/00000000000000000000.log").stat().st_size // 2 + 70)
    with pytest.raises(CorruptError, match=r"checksum|CRC"):
        compare(a, b, on_damage="raise").to_table()
    answer = compare(a, b)
    row = only_row(answer)
    assert (row["relation"], row["differingRecords"], row["damaged"]) == ("equal", 0, [0, 4])
    (lost,) = answer.damage
    assert (lost.reason, lost.records) == ("checksum", 4)
    first, last = lost.first_offset, lost.last_offset
    assert row["remarks"] == [f"first is whole; second lacks {first}-{last} (damaged)"]
    only = answer.to_table("records").to_pylist()
    assert [(each["offset"], each["differs"]) for each in only] == [
        (offset, ["only in first"]) for offset in range(first or 0, (last or 0) + 1)
    ]
    # Whether a start cuts the log there is not known of a directory that is not a node's.
    assert (row["lostIfFirstLeads"], row["lostIfSecondLeads"]) == (None, None)
    assert (answer.undecided, answer.damaged_pairs) == ({}, 1)
    # Where both are damaged alike, neither lacks what the other has.
    row = only_row(compare(b, shutil.copytree(b, tmp_path / "c"), on_damage="skip"))
    assert (row["relation"], row["remarks"]) == ("equal", ["first damaged", "second damaged"])
    assert row["damaged"] == [0, 0]


def test_nothing_is_in_common_where_one_or_the_other_is_damaged_everywhere(tmp_path: Path) -> None:
    a = write(tmp_path / "a", shared(8), per_batch=4)
    b = Path(shutil.copytree(a, tmp_path / "b"))
    damage(a, 70)
    damage(b, -1)
    answer = compare(a, b)
    row = only_row(answer)
    assert (row["relation"], row["damaged"]) == (None, [4, 4])
    assert answer.undecided == {"damage leaves nothing in common": 1}


def test_what_a_wrong_base_offset_leaves_uncompared_is_no_compaction(tmp_path: Path) -> None:
    a = write(tmp_path / "a", shared(40), per_batch=4)
    b = Path(shutil.copytree(a, tmp_path / "b"))
    log = b / "orders-0/00000000000000000000.log"
    content = bytearray(log.read_bytes())
    at = content.index((12).to_bytes(8, "big"))
    content[at : at + 8] = (1012).to_bytes(8, "big")  # no CRC covers it
    log.write_bytes(content)
    answer = compare(a, b)
    row = only_row(answer)
    assert row["damaged"] == [0, 4]
    assert row["remarks"] == ["first is whole; second lacks 12-15 (damaged)"]
    assert row["differingRecords"] == 0
    assert any("base offset 1012 should be 12" in str(note) for note in answer.notes)
    assert only_row(compare(b, a))["damaged"] == [4, 0]


@pytest.mark.parametrize(("begin", "end"), [(12, 16), (12, 20), (36, 40), (32, 40), (0, 4)])
def test_batches_that_are_there_twice_are_not_lost(begin: int, end: int, tmp_path: Path) -> None:
    a = write(tmp_path / "a", shared(40), per_batch=4)
    b = Path(shutil.copytree(a, tmp_path / "b"))
    log = b / "orders-0/00000000000000000000.log"
    data = log.read_bytes()
    first, after = (data.index(each.to_bytes(8, "big")) if each < 40 else len(data) for each in (begin, end))
    log.write_bytes(data[:after] + data[first:])
    for pair in ((a, b), (b, a)):
        answer = compare(*pair)
        row = only_row(answer)
        assert (row["relation"], row["differingRecords"], row["damaged"]) == ("equal", 0, [0, 0])
        assert row["remarks"] == []
        assert any(f"offsets go back from {end - 1} to {begin}" in str(note) for note in answer.notes)


def with_base_offset(log_dir: Path, base: int, wrong: int) -> Path:
    """A copy of a log directory with a base offset that is wrong, which no CRC covers."""
    copy = Path(shutil.copytree(log_dir, log_dir.parent / f"{base}-{wrong}"))
    for log in copy.glob("orders-0/*.log"):
        content = log.read_bytes()
        log.write_bytes(content.replace(base.to_bytes(8, "big"), wrong.to_bytes(8, "big"), 1))
    return copy


@pytest.mark.parametrize(
    ("base", "wrong"),
    [(base, base + 1000) for base in (0, 4, 20, 24)] + [(4, 1), (12, 3), (20, 14), (24, 3), (36, 30)],
)
def test_a_wrong_base_offset_costs_its_batch_alone(base: int, wrong: int, tmp_path: Path) -> None:
    a = write(tmp_path / "a", shared(40), per_batch=4, segment_bytes=900)
    b = with_base_offset(a, base, wrong)
    for pair, damaged in (((a, b), [0, 4]), ((b, a), [4, 0])):
        row = only_row(compare(*pair))
        ends = row["logEndOffsets"]
        assert (row["relation"], row["differingRecords"]) == ("equal" if ends[0] == ends[1] else "prefix", 0)
        assert row["damaged"] == damaged
        assert f"lacks {base}-{base + 3} (damaged)" in row["remarks"][0]
        assert (row["lostIfFirstLeads"], row["lostIfSecondLeads"]) == (None, None)
    # What differs elsewhere is a difference all the same.
    log = shared(40)
    log[30] = Made(30, b"changed")
    c = write(tmp_path / "c", log, per_batch=4, segment_bytes=900)
    expected = None if base <= 30 < base + 4 else 30
    assert only_row(compare(b, c))["firstDivergentOffset"] == expected


def test_a_last_batch_that_goes_back_shortens_its_log(tmp_path: Path) -> None:
    """Also below the base offset of its segment, and in the only segment of a log."""
    found = FIELD.input  # batches at 1000, 1001 and 490, each of one record
    content = (found / "t-0" / "00000000000000001000.log").read_bytes()
    right = tmp_path / "right" / "t-0"
    right.mkdir(parents=True)
    at = content.index((490).to_bytes(8, "big"))
    twin = content[:at] + (1002).to_bytes(8, "big") + content[at + 8 :]
    (right / "00000000000000001000.log").write_bytes(twin)
    answer = compare(found, right.parent)
    row = only_row(answer)
    assert (row["relation"], row["logEndOffsets"], row["damaged"]) == ("prefix", [1002, 1003], [1, 0])
    assert row["remarks"] == ["first lacks 1002 (damaged); second is whole"]
    assert any(note.is_finding and "offsets go back from 1001 to 490" in str(note) for note in answer.notes)
    answer = compare(found, found)
    row = only_row(answer)
    assert (row["relation"], row["remarks"]) == ("equal", ["first damaged", "second damaged"])
    assert any(note.is_finding for note in answer.notes)


@pytest.mark.slow
def test_a_log_end_that_falls_hides_no_damage(tmp_path: Path) -> None:
    """A broker of Kafka 4.4 ends this log at 53, and the follower cuts its own there (see test_wrong_last_offset)."""
    case = cluster_case(1)
    whole, harmed = (case.unpack(tmp_path / name)[1][0] for name in ("whole", "harmed"))
    log = harmed / "orders-0" / "00000000000000000053.log"
    content = bytearray(log.read_bytes())
    assert content[386:394] == (60).to_bytes(8, "big")
    content[386:394] = (3).to_bytes(8, "big")
    log.write_bytes(content)
    answer = compare(harmed, whole, topics="orders", partitions=0)
    row = only_row(answer)
    assert (row["relation"], row["damaged"], row["differingRecords"]) == ("prefix", [6, 0], 0)
    assert row["remarks"] == ["first lacks 60-65 (damaged); second is whole", "the next start cuts first to 53"]
    assert (row["truncateIfFirstLeads"], row["lostIfFirstLeads"], row["lostIfSecondLeads"]) == (53, 13, 7)
    assert [each["offset"] for each in answer.to_table("records").to_pylist()] == [*range(60, 66)]
    steps = answer.to_table("truncation").to_pylist()
    assert next(each["truncateTo"] for each in steps if each["leader"] == str(harmed)) == 53
    assert any(note.is_finding and "offsets go back from 59 to 3" in str(note) for note in answer.notes)


@pytest.mark.slow
def test_what_two_damaged_copies_lose_is_not_known_either(tmp_path: Path) -> None:
    a = write(tmp_path / "a", shared(40), per_batch=4, segment_bytes=900)
    copies = [with_base_offset(a, *change) for change in ((20, 1020), (4, 1004), (36, 30))]
    for name in ("payload", "length"):
        copies.append(Path(shutil.copytree(a, tmp_path / name)))
        log = copies[-1] / "orders-0/00000000000000000024.log"
        content = bytearray(log.read_bytes())
        content[70 if name == "payload" else 11] ^= 1
        log.write_bytes(content)
    for one in copies:
        for other in copies:
            row = only_row(compare(one, other))
            assert (row["lostIfFirstLeads"], row["lostIfSecondLeads"]) == (None, None), (one.name, other.name)
            assert row["differingRecords"] == 0


SEGMENTS = [0, 24]
"""Base offsets of the segments of the log that `DAMAGE` damages: ten batches of four records."""

DAMAGE: dict[str, tuple[int, Callable[[bytes], bytes], str]] = {
    "cut before the last segment": (0, lambda content: content[:300], "equal"),
    "cut at the end: incomplete, not damaged": (1, lambda content: content[:400], "prefix"),
    "a batch in the middle": (0, lambda content: content[:100] + b"?" + content[101:], "equal"),
    "the last batch": (1, lambda content: content[:-1] + b"?", "prefix"),
    "the size of a batch": (1, lambda content: content[:8] + b"????" + content[12:], "equal"),
    "garbage after the last batch": (1, lambda content: content + b"garbage" * 30, "equal"),
    "garbage between two segments": (0, lambda content: content + b"garbage" * 30, "equal"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_copies_are_related_by_what_both_have(name: str, tmp_path: Path) -> None:
    number, harm, relation = DAMAGE[name]
    a = write(tmp_path / "a", shared(40), per_batch=4, segment_bytes=900)
    b = Path(shutil.copytree(a, tmp_path / "b"))
    logs = sorted(b.glob("orders-0/*.log"))
    assert [int(log.stem) for log in logs] == SEGMENTS
    logs[number].write_bytes(harm(logs[number].read_bytes()))
    answer = compare(a, b, on_damage="skip")
    row = only_row(answer)
    assert (row["relation"], row["differingRecords"]) == (relation, 0)
    assert ("damage" in " ".join(row["remarks"])) == any(not each.is_open_end for each in answer.damage)
    # A batch of four, of which one is the last and only one copy's; nobody knows how much a cut log had.
    assert row["damaged"][0] == 0
    assert (row["damaged"][1] > 0) == any("first is whole; second lacks" in each for each in row["remarks"])
    assert answer.relations == {relation: 1}


@pytest.mark.slow
@pytest.mark.parametrize("message_format", [1, 2])
@settings(max_examples=25, deadline=None)
@given(where=st.integers(0, 1 << 20), bit=st.integers(0, 7))
@example(where=4, bit=1)  # the magic of a wrapper: how many records it had is not known
def test_a_flipped_bit_under_a_crc_is_no_difference(
    message_format: int, where: int, bit: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("flipped")
    log = [Made(offset, b"value %d" % offset, key=b"k") for offset in range(24)]
    a = write(place / "a", log, per_batch=4, message_format=message_format, compression="gzip", segment_bytes=500)
    b = Path(shutil.copytree(a, place / "b"))
    chosen = sorted(b.glob("orders-0/*.log"))[where % 2]
    content = bytearray(chosen.read_bytes())
    size = int.from_bytes(content[8:12], "big") + 12
    # The CRC itself, or what it covers; in front of it are offset, size, and of format 2 epoch and magic.
    first = 12 if message_format == 1 else 17
    content[first + where % (size - first)] ^= 1 << bit
    chosen.write_bytes(content)
    answer = compare(a, b, on_damage="skip")
    row = only_row(answer)
    ends = row["logEndOffsets"]
    assert (row["relation"], row["differingRecords"]) == ("equal" if ends[0] == ends[1] else "prefix", 0)
    assert any(each == "second damaged" or "second lacks" in each for each in row["remarks"])
    assert [damage.is_open_end for damage in answer.damage] == [False]
    shutil.rmtree(place)


@pytest.mark.parametrize("message_format", [0, 1])
@pytest.mark.parametrize(("at", "flip"), [(16, 2), (17, 1)], ids=["magic", "codec"])
def test_what_a_damaged_wrapper_had_is_not_lacking(message_format: int, at: int, flip: int, tmp_path: Path) -> None:
    """Another magic, or no codec, hides that it was a wrapper: all offsets after the entry before may be its own."""
    log = [Made(offset, b"value %d" % offset) for offset in range(24)]
    a = write(tmp_path / "a", log, per_batch=4, message_format=message_format, compression="gzip", segment_bytes=500)
    b = Path(shutil.copytree(a, tmp_path / "b"))
    second = sorted(b.glob("orders-0/*.log"))[1]
    content = bytearray(second.read_bytes())
    content[at] ^= flip
    second.write_bytes(content)
    answer = compare(a, b, on_damage="skip")
    row = only_row(answer)
    assert (row["relation"], row["differingRecords"], row["damaged"]) == ("equal", 0, [0, 4])
    assert row["remarks"] == ["first is whole; second lacks 16-19 (damaged)"]
    assert answer.to_table("records").column("differs").to_pylist() == [["only in first"]] * 4
    # What lacks beside it is a difference all the same.
    log[14] = Made(14, b"changed")
    c = write(tmp_path / "c", [*log[:2], *log[3:]], per_batch=4, message_format=message_format)
    row = only_row(compare(b, c, on_damage="skip"))
    assert (row["relation"], row["firstDivergentOffset"], row["differingRecords"]) == ("diverged", 2, 2)


def test_the_last_offset_there_is(tmp_path: Path) -> None:
    """One damaged field of a disk, which no CRC covers, is enough."""
    log = write(tmp_path / "a", shared(4))
    changed = Path(shutil.copytree(log, tmp_path / "b"))
    (file,) = changed.glob("orders-0/*.log")
    content = file.read_bytes()
    last = content.rindex((3).to_bytes(8, "big"))
    file.write_bytes(content[:last] + (2**63 - 1).to_bytes(8, "big") + content[last + 8 :])
    for pair in ((log, changed), (changed, log), (changed, changed)):
        answer = compare(*pair)
        row = only_row(answer)
        assert [*map(min, zip(row["logEndOffsets"], [2**63 - 1] * 2, strict=True))] == row["logEndOffsets"]
        for table in ("records", "following", "truncation"):
            answer.to_table(table)


def test_a_broken_checkpoint_of_epochs(tmp_path: Path) -> None:
    a = write(tmp_path / "a", shared(4))
    b = Path(shutil.copytree(a, tmp_path / "b"))
    (b / "orders-0" / "leader-epoch-checkpoint").write_text("no checkpoint")
    with pytest.raises(CorruptError):
        compare(a, b, on_damage="raise").to_table()
    answer = compare(a, b)
    row = only_row(answer)
    assert (row["relation"], row["logEndOffsets"]) == (None, [4, None])
    assert [finding.topic for finding in answer.findings] == ["orders"]


def test_the_start_after_a_kill_comes_before_it_follows(tmp_path: Path) -> None:
    """`LogSegment.recover` cuts at damage, and gives the cache each later leader epoch; then KIP-101 decides."""
    for name, last in (("a", 1), ("b", 2)):
        epochs = [(0, 0), *((each, 4 * each) for each in range(1, last + 1))]
        batches = [batch(begin, 4, epoch=epoch) for epoch, begin in epochs]
        segment(tmp_path / name / "orders-0", 0, *batches)
        (tmp_path / name / "orders-0" / "leader-epoch-checkpoint").write_text("0\n1\n0 0\n")
        (tmp_path / name / "meta.properties").write_text("version=1\nnode.id=1\ncluster.id=x\n")
    answer = compare(tmp_path / "a", tmp_path / "b")
    steps = [row for row in answer.to_table("truncation").to_pylist() if row["protocol"] == "leader epochs"]
    assert [(row["leader"][-1], row["fetchOffset"], row["lastFetchedEpoch"], row["truncateTo"]) for row in steps] == [
        ("a", 12, 2, 8),
        ("a", 8, 1, None),
        ("b", 8, 1, None),
    ]
    damage(tmp_path / "a", len(batch(0, 4)) + 70)
    answer = compare(tmp_path / "a", tmp_path / "b")
    (first, *_) = [row for row in answer.to_table("truncation").to_pylist() if row["protocol"] == "leader epochs"]
    assert (first["divergingEpoch"], first["divergingEndOffset"], first["truncateTo"]) == (0, 4, 4)
