"""Repair: merged copies, corrected offsets, single kinds of files."""

import errno
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pyarrow.compute as pc
import pytest

import kafkafmt
from kafkafmt import SourceError
from kafkafmt.cli.main import run
from kafkafmt.codec.checksum import crc32c
from kafkafmt.files import clean_shutdown, producer_snapshot
from kafkafmt.files.producer_snapshot import ProducerState
from kafkafmt.repairing.log_dir_copy import Only
from tests.cli.test_unreadable import forbidden
from tests.startup.test_golden_starts import unpack

PARTITIONS = ("audit-0", "events-1", "orders-0", "payments-0", "payments-1")
COLUMNS = ["topic", "partition", "offset", "timestamp", "key", "value", "producerId", "producerEpoch", "sequence"]
ORDERS = "orders-0/00000000000000000034.log"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log directory after a clean shutdown, with a few of its partitions."""
    made = tmp_path_factory.mktemp("sound")
    unpack("01-clean", made)
    for path in (made / "d0").iterdir():
        if path.is_dir() and path.name not in PARTITIONS:
            shutil.rmtree(path)
    return made / "d0"


@pytest.fixture
def log_dir(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "d0"))


def rows(log_dir: Path) -> list[dict[str, object]]:
    table = kafkafmt.scan(log_dir, columns=COLUMNS, below_log_start=True).to_table()
    found: list[dict[str, object]] = table.sort_by([(name, "ascending") for name in COLUMNS[:3]]).to_pylist()
    return found


def findings(log_dir: Path) -> list[dict[str, object]]:
    table = kafkafmt.open(log_dir).verify(level="records").findings
    found: list[dict[str, object]] = table.filter(pc.equal(table["level"], "finding")).to_pylist()
    # The fixture deliberately omits the metadata log.
    return [each for each in found if each["kind"] not in ("no_metadata_log", "stray")]


def overwrite(path: Path, position: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(position)
        file.write(data)


def batches(path: Path) -> list[tuple[int, int]]:
    """Base offset and position of each batch of a log file."""
    data = path.read_bytes()
    found, position = [], 0
    while position < len(data):
        found.append((int.from_bytes(data[position : position + 8], "big"), position))
        position += 12 + int.from_bytes(data[position + 8 : position + 12], "big")
    return found


def test_copies_become_the_best_whole(sound: Path, log_dir: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(log_dir, tmp_path / "d1"))
    (_, second), (_, fourth) = batches(log_dir / ORDERS)[1], batches(log_dir / ORDERS)[3]
    overwrite(log_dir / ORDERS, second + 70, b"damage")
    overwrite(other / ORDERS, fourth + 70, b"damage")
    answer = kafkafmt.repair([log_dir, other], tmp_path / "out")
    row = next(each for each in answer.partitions.to_pylist() if each["topic"] == "orders")
    assert row["sources"] == [str(log_dir / "orders-0"), str(other / "orders-0")]
    assert row["droppedRanges"] == 1
    found = rows(tmp_path / "out")
    assert found == rows(sound)
    assert len(found) > 300


def test_the_copy_that_goes_on_is_the_best(sound: Path, log_dir: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(log_dir, tmp_path / "d1"))
    last = max((log_dir / "orders-0").glob("*.log"))
    os.truncate(last, batches(last)[-1][1])
    answer = kafkafmt.repair([log_dir, other], tmp_path / "out")
    assert rows(tmp_path / "out") == rows(sound)
    assert answer.dropped.num_rows == 0


@pytest.mark.slow
@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("what", ["first", "middle", "empty"])
def test_a_lost_segment_comes_from_another_copy(
    sound: Path, log_dir: Path, tmp_path: Path, what: str, order: int
) -> None:
    other = Path(shutil.copytree(log_dir, tmp_path / "d1"))
    logs = sorted((log_dir / "orders-0").glob("*.log"))
    lost = logs[0 if what == "first" else 1]
    for path in [lost] if what == "empty" else lost.parent.glob(f"{lost.stem}.*"):
        os.truncate(path, 0) if what == "empty" else path.unlink()
    answer = kafkafmt.repair([log_dir, other][::order], tmp_path / "out")
    assert answer.dropped.num_rows == 0
    assert rows(tmp_path / "out") == rows(sound)
    [made] = (tmp_path / "out").glob("*/orders-0")
    assert [path.name for path in sorted(made.glob("*.log"))] == [path.name for path in logs]
    assert findings(tmp_path / "out" / made.parent.name) == []


@pytest.mark.parametrize("what", ["middle", "empty"])
def test_a_lost_segment_is_said(sound: Path, log_dir: Path, tmp_path: Path, what: str) -> None:
    logs = sorted((log_dir / "orders-0").glob("*.log"))
    for path in [logs[1]] if what == "empty" else logs[1].parent.glob(f"{logs[1].stem}.*"):
        os.truncate(path, 0) if what == "empty" else path.unlink()
    answer = kafkafmt.repair(log_dir, tmp_path / "out")
    (row,) = answer.dropped.to_pylist()
    assert (row["reason"], row["length"]) == ("missing", 0)
    assert row["file"].endswith(logs[1 if what == "empty" else 0].name)
    assert (row["firstOffset"], row["lastOffset"]) == (int(logs[1].stem), int(logs[2].stem) - 1)
    lost = [
        each
        for each in rows(sound)
        if each["topic"] == "orders" and int(logs[1].stem) <= int(str(each["offset"])) < int(logs[2].stem)
    ]
    assert lost
    assert rows(tmp_path / "out") == [each for each in rows(sound) if each not in lost]


def test_what_several_copies_are_is_said(log_dir: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(log_dir, tmp_path / "d1"))
    notes = [str(each) for each in kafkafmt.repair([log_dir, other], None, dry_run=True).notes]
    assert f"{len(PARTITIONS)} partitions are found more than once" in " ".join(notes)
    assert any("have the same directory id" in each for each in notes)


def test_what_is_no_log_directory_is_refused(log_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is not a log directory: name the one that holds it"):
        kafkafmt.repair(log_dir / "orders-0", tmp_path / "out")
    with pytest.raises(SourceError, match="which has Kafka files"):
        kafkafmt.repair(log_dir, Path(shutil.copytree(log_dir, tmp_path / "other")) / "out")
    with pytest.raises(SourceError, match="only a local path can be written"):
        kafkafmt.repair(log_dir, "s3://bucket/out")
    with pytest.raises(SourceError, match="nowhere"):
        kafkafmt.repair(log_dir, None, dry_run=True, metadata=tmp_path / "nowhere")
    kafkafmt.repair(log_dir, f"file://{tmp_path}/out")
    assert (tmp_path / "out").is_dir()


@pytest.mark.parametrize("mends", [False, True])
def test_an_offset_that_its_neighbours_refute(sound: Path, log_dir: Path, tmp_path: Path, mends: bool) -> None:
    base, position = batches(log_dir / ORDERS)[2]
    overwrite(log_dir / ORDERS, position, (base + 3).to_bytes(8, "big"))
    answer = kafkafmt.repair(log_dir, tmp_path / "out", mend_offsets=mends)
    following = batches(log_dir / ORDERS)[3][0]
    if mends:
        assert answer.dropped.num_rows == 0
        assert rows(tmp_path / "out") == rows(sound)
        assert (tmp_path / "out" / ORDERS).read_bytes() == (sound / ORDERS).read_bytes()
    else:
        (row,) = answer.dropped.to_pylist()
        assert (row["reason"], row["position"]) == ("refuted_offset", position)
        assert (row["firstOffset"], row["lastOffset"]) == (base, following - 1)
        lost = [
            each for each in rows(sound) if each["topic"] == "orders" and base <= int(str(each["offset"])) < following
        ]
        assert len(lost) == row["records"]
        assert rows(tmp_path / "out") == [each for each in rows(sound) if each not in lost]
    assert findings(tmp_path / "out") == []


def test_a_leader_epoch_that_nothing_corrects_is_said(log_dir: Path, tmp_path: Path) -> None:
    """The batches after it are cut off, the next segment has a later epoch, and the checkpoint is broken."""
    found = batches(log_dir / ORDERS)
    (_, position), (_, following) = found[-5:-3]
    overwrite(log_dir / ORDERS, position + 14, b"\x80")
    os.truncate(log_dir / ORDERS, following)
    (log_dir / "orders-0" / "leader-epoch-checkpoint").write_text("0\n1\n3$")
    notes = [str(each) for each in kafkafmt.repair(log_dir, tmp_path / "out").notes]
    (note,) = [each for each in notes if "stays: neither the batches around nor" in each]
    assert f"{log_dir / ORDERS}, position {position}: leader epoch 3277" in note


def test_a_rising_leader_epoch_that_only_one_batch_has_is_corrected(log_dir: Path, tmp_path: Path) -> None:
    """It stayed, and the checkpoint was rebuilt from it: then nothing contradicted the wrong epoch any more."""
    sound = (log_dir / ORDERS).read_bytes(), (log_dir / "orders-0" / "leader-epoch-checkpoint").read_bytes()
    _, position = batches(log_dir / ORDERS)[-1]
    overwrite(log_dir / ORDERS, position + 12, b"\x10")
    assert [each["kind"] for each in findings(log_dir)] == ["leader epoch"]
    kafkafmt.repair(log_dir, tmp_path / "out")
    copied = tmp_path / "out" / ORDERS
    assert (copied.read_bytes(), copied.with_name("leader-epoch-checkpoint").read_bytes()) == sound


@pytest.mark.parametrize("again", [(2, 3), (2, 5), (0, 5)])
def test_batches_that_are_there_twice_cost_no_others(
    sound: Path, log_dir: Path, tmp_path: Path, again: tuple[int, int]
) -> None:
    found = batches(log_dir / ORDERS)
    data = (log_dir / ORDERS).read_bytes()
    begin, end = (found[number][1] for number in again)
    (log_dir / ORDERS).write_bytes(data[:end] + data[begin:])
    answer = kafkafmt.repair(log_dir, tmp_path / "out")
    dropped = answer.dropped.to_pylist()
    assert {(each["reason"], each["records"]) for each in dropped} == {("repeated", 0)}
    assert sum(each["length"] for each in dropped) == end - begin
    assert (tmp_path / "out" / ORDERS).read_bytes() == data
    assert rows(tmp_path / "out") == rows(sound)


def test_of_offsets_that_were_written_again_only_those_are_left_out(sound: Path, tmp_path: Path) -> None:
    log_dir = Path(shutil.copytree(sound, tmp_path / "d0"))
    data, other = (log_dir / ORDERS).read_bytes(), bytearray((log_dir / ORDERS).read_bytes())
    found = batches(log_dir / ORDERS)
    positions = [position for _, position in found]
    # The log was logically cut at its third batch and continued with other records, but the bytes were kept.
    for begin, end in zip(positions, [*positions[1:], len(data)], strict=True):
        other[begin + 27 : begin + 35] = (1_700_000_000_000).to_bytes(8, "big")
        other[begin + 17 : begin + 21] = crc32c(bytes(other[begin + 21 : end])).to_bytes(4, "big")
    (log_dir / ORDERS).write_bytes(data[: positions[5]] + other[positions[2] :])
    answer = kafkafmt.repair(log_dir, tmp_path / "out")
    assert [each["reason"] for each in answer.dropped.to_pylist()] == ["refuted_offset"] * 3
    assert (tmp_path / "out" / ORDERS).read_bytes() == data[: positions[2]] + other[positions[2] :]


@pytest.mark.parametrize(
    ("only", "endings"),
    [
        ("indexes", {".index", ".timeindex", ".txnindex"}),
        ("snapshots", {".snapshot"}),
        ("checkpoints", {"-checkpoint"}),
    ],
)
def test_only_some_files(log_dir: Path, tmp_path: Path, only: Only, endings: set[str]) -> None:
    kafkafmt.repair(log_dir, tmp_path / "whole")
    kafkafmt.repair(log_dir, tmp_path / "out", only=only)
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert files
    for path in files:
        assert path.name.endswith(tuple(endings))
        assert path.read_bytes() == (tmp_path / "whole" / path.relative_to(tmp_path / "out")).read_bytes()
    of_whole = [path for path in (tmp_path / "whole").rglob("*") if path.name.endswith(tuple(endings))]
    assert len(files) == len(of_whole)


def test_topics_and_a_folder_that_is_no_log_directory(log_dir: Path, tmp_path: Path) -> None:
    answer = kafkafmt.repair(log_dir, tmp_path / "out", topics="orders")
    assert answer.partitions["topic"].to_pylist() == ["orders"]
    assert [path.name for path in (tmp_path / "out").iterdir() if path.is_dir()] == ["orders-0"]
    (tmp_path / "nothing").mkdir()
    with pytest.raises(SourceError, match="no log directory with a partition"):
        kafkafmt.repair(tmp_path / "nothing", tmp_path / "other")
    with pytest.raises(ValueError, match="only must be"):
        kafkafmt.repair(log_dir, tmp_path / "other", only="logs")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="dry_run must be True"):
        kafkafmt.repair(log_dir, None)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d0", "nothing", "out"]


def test_copied_partitions_stay_those_of_no_node(log_dir: Path, tmp_path: Path) -> None:
    """With a node's files beside them `verify` would say that it does not start, as meta.properties is missing."""
    shutil.copytree(log_dir / "orders-0", tmp_path / "copied" / "orders-0")
    kafkafmt.repair(tmp_path / "copied", tmp_path / "out")
    assert [each.name for each in (tmp_path / "out").iterdir()] == ["orders-0"]
    assert kafkafmt.open(tmp_path / "out").verify().verdict["starts"].to_pylist() == [None]


def test_a_lost_topic_id_comes_from_the_metadata_log(tmp_path: Path) -> None:
    unpack("01-clean", tmp_path)
    lost = tmp_path / "d1" / "orders-1" / "partition.metadata"
    content = lost.read_bytes()
    lost.unlink()
    kafkafmt.repair(tmp_path / "d1", tmp_path / "without")
    assert not (tmp_path / "without" / "orders-1" / "partition.metadata").exists()
    answer = kafkafmt.repair(tmp_path / "d1", tmp_path / "out", metadata=tmp_path / "d0")
    assert (tmp_path / "out" / "orders-1" / "partition.metadata").read_bytes() == content
    assert any("orders-1/partition.metadata is restored" in str(note) for note in answer.notes)


def test_the_source_stays_as_it_is(log_dir: Path, tmp_path: Path) -> None:
    overwrite(log_dir / ORDERS, 100, b"damage")
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in log_dir.rglob("*") if path.is_file()}
    kafkafmt.repair(log_dir, tmp_path / "out")
    after = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in log_dir.rglob("*") if path.is_file()}
    assert before == after


def failing_disk(monkeypatch: pytest.MonkeyPatch, bad: dict[str, tuple[int, int]], number: int = errno.EIO) -> None:
    """Make the disk fail in a range of each named file."""
    read = os.preadv

    def fail(descriptor: int, buffers: Sequence[memoryview], position: int, flags: int = 0) -> int:
        begin, end = bad.get(Path(os.readlink(f"/proc/self/fd/{descriptor}")).name, (0, 0))
        if begin < position + sum(map(len, buffers)) and position < end:
            raise OSError(number, os.strerror(number))
        return read(descriptor, buffers, position, flags)

    monkeypatch.setattr(os, "preadv", fail)


def test_a_partition_that_may_not_be_listed_is_a_finding_with_a_hint(
    log_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Root has every permission, so the system call is made to fail."""
    forbidden((log_dir / ORDERS).parent, monkeypatch)
    assert run(["repair", str(log_dir), "--out", str(tmp_path / "new")]) == 1
    said = capfd.readouterr().err
    assert f"kafkafmt: {(log_dir / ORDERS).parent}: " in said
    assert "it is not copied; run this as Kafka's user, or as root" in said
    assert run(["repair", str(log_dir), "--dry-run", "--topic", "events"]) == 0
    (note,) = [each for each in kafkafmt.repair(log_dir, None, dry_run=True).notes if "run this as" in each]
    assert note.is_finding


@pytest.mark.parametrize("where", ["in the middle", "at the end"])
def test_a_disk_that_fails(log_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """Ranges that the disk cannot read are dropped as unreadable, and all else is kept."""
    log = log_dir / ORDERS
    size = log.stat().st_size
    begin = size // 2 if where == "in the middle" else size - 10
    expected = rows(log_dir)
    failing_disk(monkeypatch, {log.name: (begin, begin + 1)})
    repaired = kafkafmt.repair(log_dir, tmp_path / "new")
    monkeypatch.undo()
    dropped = repaired.to_table("dropped").to_pylist()
    assert [row["reason"] for row in dropped] == ["unreadable"] * len(dropped)
    assert dropped
    kept = rows(tmp_path / "new")
    assert all(row in expected for row in kept)
    gone = [row for row in expected if row not in kept]
    assert {(row["topic"], row["partition"]) for row in gone} == {("orders", 0)}
    assert not findings(tmp_path / "new")


def test_a_disk_that_fails_behind_the_last_batch(
    log_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = log_dir / ORDERS
    size = log.stat().st_size
    expected = rows(log_dir)
    with log.open("ab") as file:
        file.write(bytes(100_000))
    failing_disk(monkeypatch, {log.name: (size + 20_000, size + 30_000)})
    repaired = kafkafmt.repair(log_dir, tmp_path / "new")
    monkeypatch.undo()
    [row] = repaired.to_table("dropped").to_pylist()
    assert row["reason"] == "unreadable"
    assert size <= row["position"] <= size + 20_000
    assert row["position"] + row["length"] >= size + 30_000
    assert rows(tmp_path / "new") == expected


def test_side_files_that_the_disk_does_not_give(log_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kafkafmt.repair(log_dir, tmp_path / "whole")
    names = ("leader-epoch-checkpoint", "00000000000000000034.index", "replication-offset-checkpoint")
    failing_disk(monkeypatch, dict.fromkeys((*names, "cleaner-offset-checkpoint"), (0, 1)))
    kafkafmt.repair(log_dir, tmp_path / "new")
    monkeypatch.undo()
    assert rows(tmp_path / "new") == rows(tmp_path / "whole")
    assert not findings(tmp_path / "new")


@pytest.mark.parametrize(
    ("kind", "made"),
    [
        ("recovery-point", "log ends"),
        ("replication", "log ends as high watermarks"),
        ("log-start", "records that DeleteRecords removed are there again"),
        ("cleaner", "the cleaner starts over"),
    ],
)
def test_a_damaged_checkpoint_is_said_and_made_anew(kind: str, made: str, log_dir: Path, tmp_path: Path) -> None:
    """It would take its log directory offline, or stop the cleaner (golden cluster 36)."""
    name = f"{kind}-offset-checkpoint"
    (log_dir / name).write_bytes(b"\x9d\x01no checkpoint")
    dry = kafkafmt.repair(log_dir, None, dry_run=True)
    answer = kafkafmt.repair(log_dir, tmp_path / "out")
    for notes in (dry.notes, answer.notes):
        (note,) = [str(each) for each in notes if name in str(each)]
        assert str(log_dir / name) in note
        assert made in note
    assert name in kafkafmt.LogDir(tmp_path / "out").checkpoints
    assert findings(tmp_path / "out") == []


@pytest.mark.parametrize("name", [Path(ORDERS).name, "leader-epoch-checkpoint"])
def test_what_is_there_but_cannot_be_had_ends_a_repair(
    log_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A failing network withholds sound data: a copy without it would be a loss."""
    failing_disk(monkeypatch, {name: (0, 1)}, errno.ETIMEDOUT)
    with pytest.raises(SourceError, match="timed out"):
        kafkafmt.repair(log_dir, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def with_topic_id(directory: Path, topic_id: str) -> str:
    """Give a partition directory another topic id; return the previous one."""
    path = directory / "partition.metadata"
    before = path.read_text().split()[-1]
    path.write_text(f"version: 0\ntopic_id: {topic_id}")
    return before


@pytest.mark.slow
def test_a_copy_of_another_topic_of_the_name_fills_nothing_in(sound: Path, log_dir: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(log_dir, tmp_path / "d1"))
    shutil.rmtree(other / "orders-0")
    shutil.copytree(log_dir / "events-1", other / "orders-0")
    wrong = "x8vK1pq5SWeBkqHXFyy4Kw"
    with_topic_id(other / "orders-0", wrong)
    overwrite(log_dir / ORDERS, batches(log_dir / ORDERS)[1][1] + 70, b"damage")
    answer = kafkafmt.repair(log_dir, tmp_path / "out", donors=other)
    row = next(each for each in answer.partitions.to_pylist() if each["topic"] == "orders")
    assert row["sources"] == [str(log_dir / "orders-0")]
    assert all(each in rows(sound) for each in rows(tmp_path / "out"))
    right = kafkafmt.LogDir(sound)["orders", 0].topic_id
    (note,) = [str(each) for each in answer.notes if "belongs to another topic of this name" in str(each)]
    assert wrong in note
    assert str(right) in note


def test_a_topic_id_that_only_one_of_three_copies_has(sound: Path, log_dir: Path, tmp_path: Path) -> None:
    """Its records equal those of the others: it is the same topic, whatever partition.metadata says."""
    right = with_topic_id(log_dir / "orders-0", "x8vK1pq5SWeBkqHXFyy4Kw")
    others = [Path(shutil.copytree(sound, tmp_path / name)) for name in ("d1", "d2")]
    answer = kafkafmt.repair(log_dir, tmp_path / "out", donors=others)
    assert kafkafmt.LogDir(tmp_path / "out")["orders", 0].topic_id == right
    assert rows(tmp_path / "out") == rows(sound)
    assert any("2 of 3 copies have" in str(each) for each in answer.notes)


def test_every_path_of_a_repair_must_be_there(
    log_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Data on a disk that is not mounted would be lost silently."""
    for arguments in ([str(tmp_path / "d9")], ["--from", str(tmp_path / "d9")]):
        assert run(["repair", str(log_dir), *arguments, "--dry-run"]) == 3
        assert str(tmp_path / "d9") in capsys.readouterr().err


def test_a_file_that_the_caller_may_not_read_ends_a_repair_with_a_hint(
    log_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failing_disk(monkeypatch, {Path(ORDERS).name: (0, 1)}, errno.EACCES)
    assert run(["repair", str(log_dir), "--out", str(tmp_path / "new")]) == 3
    assert "run this as Kafka's user" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_the_producers_at_the_log_start_survive_a_later_recovery(log_dir: Path, tmp_path: Path) -> None:
    """Kafka 4.4.0 keeps a producer of a deleted segment after a kill only with the snapshot at the log start."""
    partition = log_dir / "orders-0"
    first, second, *_ = sorted(partition.glob("*.log"))
    for path in partition.glob(f"{first.stem}.*"):
        path.unlink()
    snapshot = second.with_suffix(".snapshot")
    entries = [ProducerState(4711, 3, -1, 41, 5, 0, 1_796_000_000_000, None)]
    snapshot.write_bytes(producer_snapshot.encode(entries))
    kafkafmt.repair(log_dir, tmp_path / "out")
    copied = tmp_path / "out" / "orders-0" / snapshot.name
    assert producer_snapshot.parse(copied.read_bytes()).entries == tuple(entries)


def test_a_whole_copy_keeps_the_broker_epoch_of_a_clean_shutdown(log_dir: Path, tmp_path: Path) -> None:
    """Kafka 4.4.0 elected an eligible leader (KIP-966) only with the epoch of its registration; -1 is a kill."""

    def epoch(name: str, topics: str | None = None) -> int | None:
        kafkafmt.repair(log_dir, tmp_path / name, topics=topics)
        return clean_shutdown.parse((tmp_path / name / clean_shutdown.FILE_NAME).read_bytes()).broker_epoch

    mark = log_dir / clean_shutdown.FILE_NAME
    known = clean_shutdown.parse(mark.read_bytes()).broker_epoch
    assert known is not None
    assert known > 0
    assert epoch("whole") == known
    assert epoch("a-topic", topics="orders") == -1
    overwrite(log_dir / ORDERS, 70, b"?")
    assert epoch("damaged") == -1
    shutil.rmtree(log_dir / "orders-0")
    mark.write_bytes(b"")
    assert epoch("older-mark") == -1
    mark.unlink()
    assert epoch("killed") == -1
