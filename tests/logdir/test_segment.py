"""Which files belong to the log: golden copies of interrupted brokers, and states built from small segments."""

import base64
import hashlib
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt import CorruptError, LogDir, Partition, SourceError, UnsupportedError
from kafkafmt.logdir.log_files import choose_segments
from kafkafmt.logdir.segment import Segment
from tests.golden_cases import Case, cases
from tests.logdir.builders import batch, checkpoint, file_name, offsets, segment

IN_FLIGHT = [case for case in cases("modern") if case.name.startswith("05b-")]
SWAP = next(case for case in cases("modern") if case.name.startswith("05c-"))
RETENTION = [case for case in cases("modern") if case.name.startswith("06-")]


def names(segments: list[Segment]) -> list[str]:
    return [each.name for each in segments]


def view(directory: Path) -> tuple[list[str], list[str]]:
    partition = Partition(str(directory))
    return names(partition.segments), names(partition.other_segments)


def golden_offsets(case: Case, *files: str) -> list[int]:
    """Offsets of the records in these files, in order."""
    rows = case.jsonl("records.jsonl")
    return [row["offset"] for file in files for row in rows if row["file"] == file]


# Interrupted brokers: golden copies


@pytest.mark.parametrize("case", IN_FLIGHT, ids=str)
def test_cleaning_in_flight_keeps_the_old_files(case: Case) -> None:
    directory = case.log_dir / "in-flight" / "slow-0"
    live = sorted(path.name for path in directory.glob("*.log"))
    rest = sorted(path.name for path in directory.glob("*.log.*"))
    assert any(name.endswith(".cleaned") for name in rest)
    assert view(directory) == (live, rest)
    assert offsets(directory) == golden_offsets(case, *(f"in-flight/slow-0/{name}" for name in live))


@pytest.mark.parametrize(
    ("stop", "first", "left_out"),
    [
        ("stop-1", ".log", [".log.cleaned"]),
        ("stop-2", ".log.swap", [".log"]),
        ("stop-3", ".log.swap", [".log.deleted"]),
        ("recovered", ".log", []),
    ],
)
def test_a_stopped_swap_is_finished_as_the_names_show(stop: str, first: str, left_out: list[str]) -> None:
    directory = SWAP.log_dir / stop / "slow-0"
    zero = f"{0:020d}"
    live = [zero + first, *(file_name(base) for base in (128, 256, 384))]
    assert view(directory) == (live, [zero + suffix for suffix in left_out])
    assert offsets(directory) == golden_offsets(SWAP, *(f"{stop}/slow-0/{name}" for name in live))


def test_a_swap_reads_the_indexes_that_were_swapped_in_with_it() -> None:
    for stop, first in (("stop-2", 40), ("stop-3", 40), ("recovered", 40), ("stop-1", 120)):
        partition = Partition(str(SWAP.log_dir / stop / "slow-0"))
        lengths = [len(partition.segments[0].offset_index) * 8, len(partition.segments[0].time_index) * 12]
        assert lengths == [first, first * 12 // 8], stop
    replaced = Partition(str(SWAP.log_dir / "stop-2" / "slow-0")).other_segments[0]
    assert len(replaced.offset_index) * 8 == 120
    deleted = Partition(str(SWAP.log_dir / "stop-3" / "slow-0")).other_segments[0]
    assert len(deleted.offset_index) * 8 == 120


# Constructed states


def test_indexes_renamed_after_their_log_are_found(tmp_path: Path) -> None:
    log = segment(tmp_path, 0)
    index = tmp_path / f"{0:020d}.index.swap"
    index.write_bytes(bytes.fromhex("0000000900000000"))
    assert [entry.offset for entry in Segment(str(log)).offset_index] == [9]
    swap = segment(tmp_path, 0, suffix=".swap")
    assert len(Segment(str(log)).offset_index) == 0
    assert [entry.offset for entry in Segment(str(swap)).offset_index] == [9]
    index.rename(tmp_path / f"{0:020d}.index")
    assert len(Segment(str(swap)).offset_index) == 0
    assert Segment(str(swap)).transaction_index.file is None


def test_a_swap_at_or_above_the_smallest_cleaned_file_is_out(tmp_path: Path) -> None:
    for base in (0, 10, 20):
        segment(tmp_path, base)
    for base in (0, 10, 20):
        segment(tmp_path, base, batch(base, 1), suffix=".swap")
    segment(tmp_path, 10, suffix=".cleaned")
    live = [file_name(0, ".swap"), file_name(10), file_name(20)]
    rest = [file_name(0), file_name(10, ".cleaned"), file_name(10, ".swap"), file_name(20, ".swap")]
    assert view(tmp_path) == (live, rest)
    assert offsets(tmp_path) == [0, *range(10, 30)]


@pytest.mark.parametrize("kind", ["index", "timeindex", "txnindex"])
def test_a_cleaned_index_alone_puts_swaps_out(tmp_path: Path, kind: str) -> None:
    segment(tmp_path, 0)
    segment(tmp_path, 0, batch(0, 1), suffix=".swap")
    assert view(tmp_path) == ([file_name(0, ".swap")], [file_name(0)])
    (tmp_path / f"{0:020d}.{kind}.cleaned").write_bytes(b"")
    assert view(tmp_path) == ([file_name(0)], [file_name(0, ".swap")])


def test_several_swaps_replace_all_from_the_smallest_to_the_end_of_the_largest(tmp_path: Path) -> None:
    for base in (0, 10, 20, 30, 40):
        segment(tmp_path, base)
    segment(tmp_path, 10, batch(10, 2), suffix=".swap")
    segment(tmp_path, 25, batch(25, 2), batch(39, 1), suffix=".swap")
    live = [file_name(0), file_name(10, ".swap"), file_name(25, ".swap"), file_name(40)]
    assert view(tmp_path) == (live, [file_name(base) for base in (10, 20, 30)])
    assert offsets(tmp_path) == [*range(10), 10, 11, 25, 26, 39, *range(40, 50)]


def test_a_swap_reaches_as_far_as_its_last_sound_entry(tmp_path: Path) -> None:
    for base in (0, 10, 20):
        segment(tmp_path, base)
    broken = bytearray(batch(15, 2))
    broken[-1] ^= 1
    segment(tmp_path, 0, batch(0, 2), bytes(broken), batch(10, 2), b"\0" * 5, suffix=".swap")
    assert view(tmp_path) == ([file_name(0, ".swap"), file_name(20)], [file_name(0), file_name(10)])
    assert offsets(tmp_path, on_damage="skip") == [0, 1, 10, 11, *range(20, 30)]
    with pytest.raises(CorruptError):
        offsets(tmp_path)


def test_a_swap_without_records_replaces_the_file_of_its_name_only(tmp_path: Path) -> None:
    segment(tmp_path, 0)
    segment(tmp_path, 10)
    segment(tmp_path, 0, b"", suffix=".swap")
    assert view(tmp_path) == ([file_name(0, ".swap"), file_name(10)], [file_name(0)])
    assert offsets(tmp_path) == list(range(10, 20))


def test_a_swap_that_cannot_be_read_is_a_source_error(tmp_path: Path) -> None:
    segment(tmp_path, 0)
    (tmp_path / file_name(0, ".swap")).symlink_to("nowhere")
    with pytest.raises(SourceError):
        offsets(tmp_path, on_damage="skip")


def test_other_suffixes_and_raft_snapshots_are_left_out_and_listed(tmp_path: Path) -> None:
    segment(tmp_path, 0)
    others = [
        file_name(0, ".bak ~1"),
        file_name(0, ".deleted"),
        file_name(0, ".swap.deleted"),
        file_name(10, ".cleaned"),
    ]
    for name in others:
        (tmp_path / name).write_bytes(batch(0))
    raft = [f"{5:020d}-{1:010d}.checkpoint{suffix}" for suffix in ("", ".deleted", ".part")]
    for name in [*raft, "leader-epoch-checkpoint", "99999999999999999999.log", f"{0:020d}.snapshot"]:
        (tmp_path / name).write_bytes(b"")
    assert view(tmp_path) == ([file_name(0)], others + raft)


def test_a_directory_of_nothing_but_left_out_files_has_no_log(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, suffix=".deleted")
    (partition,) = LogDir(tmp_path).partitions
    assert (partition.segments, names(partition.other_segments)) == ([], [file_name(0, ".deleted")])
    assert (partition.log_start_offset, partition.log_end_offset) == (None, None)
    assert partition.find_offset(0) is None
    assert partition.find_timestamp(0) is None
    assert offsets(tmp_path) == []


def test_names_without_a_base_offset_are_never_chosen(tmp_path: Path) -> None:
    stray = Segment(str(tmp_path / "notes"), size=0)
    assert choose_segments([stray], []) == ([], [stray])


@pytest.mark.parametrize("case", cases("modern"), ids=str)
def test_every_log_file_of_a_golden_directory_is_in_the_log_or_listed_as_other(case: Case) -> None:
    listed: dict[str, int] = {}
    for log_dir in kafkafmt.open_log_dirs(case.log_dir):
        for partition in log_dir.partitions + log_dir.other_partitions:
            for each in partition.segments + partition.other_segments:
                listed[each.path] = listed.get(each.path, 0) + 1
    there = {
        str(path) for path in case.files("*.log", "*.log.*", "*.checkpoint") if path.name != "bootstrap.checkpoint"
    }
    assert listed == dict.fromkeys(there, 1)


@pytest.mark.parametrize("case", [case for case in cases("modern") if case.name.startswith("10")], ids=str)
def test_raft_snapshots_are_read_only_when_named(case: Case) -> None:
    snapshots = [path for path in case.files("*.checkpoint") if path.name != "bootstrap.checkpoint"]
    assert snapshots
    read = set(kafkafmt.scan(case.log_dir, columns=["file"], replica="all").to_table().column("file").to_pylist())
    assert not any(name.endswith(".checkpoint") for name in read)
    for path in snapshots:
        named = kafkafmt.scan(path, control_records=True).to_table().to_pylist()
        golden = [row for row in case.jsonl("records.jsonl") if row["file"] == str(path.relative_to(case.log_dir))]
        assert [row["value"] for row in named] == [
            None if row["value"] is None else base64.b64decode(row["value"]) for row in golden
        ]
        assert named[0]["controlType"] == "SNAPSHOT_HEADER"


# Log start offset


@pytest.mark.parametrize("case", RETENTION, ids=str)
@pytest.mark.parametrize("as_file", [False, True])
def test_records_below_the_log_start_are_out_unless_asked_for(case: Case, as_file: bool) -> None:
    starts = {"all-gone-0": 60, "trimmed-0": 33, "trimmed-1": 2}
    for directory in sorted(case.log_dir.iterdir()):
        if not directory.is_dir():
            continue
        live = sorted(path.name for path in directory.glob("*.log"))
        all_of_them = golden_offsets(case, *(f"{directory.name}/{name}" for name in live))
        start = starts.get(directory.name, 0)
        source: Any = [directory / name for name in live] if as_file else directory
        assert offsets(source, control_records=True) == [offset for offset in all_of_them if offset >= start]
        assert offsets(source, control_records=True, below_log_start=True) == all_of_them
        assert kafkafmt.scan(source, control_records=True).count() == len(offsets(source, control_records=True))
        if start:
            assert min(all_of_them) < start


def test_the_log_start_may_lie_beyond_all_records(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0)
    checkpoint(tmp_path, "log-start-offset-checkpoint", {("t", 0): 15})
    partition = LogDir(tmp_path)["t", 0]
    assert offsets(tmp_path) == []
    assert (partition.log_start_offset, partition.log_end_offset) == (15, 15)
    assert partition.find_timestamp(0) is None


def test_without_an_entry_or_with_a_lower_one_nothing_is_cut(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 10)
    assert LogDir(tmp_path)["t", 0].log_start_offset == 10
    for content in ({("t", 1): 15, ("u", 0): 15}, {("t", 0): 5}, {}):
        checkpoint(tmp_path, "log-start-offset-checkpoint", content)
        assert (LogDir(tmp_path)["t", 0].log_start_offset, offsets(tmp_path)) == (10, list(range(10, 20)))
    (tmp_path / "log-start-offset-checkpoint").write_bytes(b"")
    assert offsets(tmp_path / "t-0") == list(range(10, 20))


def test_a_checkpoint_that_is_there_and_cannot_be_read_is_no_missing_one(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0)
    path = tmp_path / "log-start-offset-checkpoint"
    path.mkdir()
    with pytest.raises(SourceError, match="not a regular file"):
        offsets(tmp_path / "t-0")
    path.rmdir()
    path.symlink_to(path)
    with pytest.raises(SourceError, match="log-start-offset-checkpoint"):
        offsets(tmp_path / "t-0", on_damage="skip")


def test_a_start_offset_does_not_bring_back_what_lies_below_the_log_start(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0)
    checkpoint(tmp_path, "log-start-offset-checkpoint", {("t", 0): 5})
    assert offsets(tmp_path, start_offset=3) == list(range(5, 10))
    assert offsets(tmp_path, start_offset=7) == list(range(7, 10))
    assert offsets(tmp_path, start_offset=3, below_log_start=True) == list(range(3, 10))


def test_a_future_replica_is_checkpointed_and_a_deleted_one_is_not(tmp_path: Path) -> None:
    checkpoint(tmp_path, "log-start-offset-checkpoint", {("t", 0): 5})
    for state, expected in (("future", list(range(5, 10))), ("delete", list(range(10))), ("stray", list(range(10)))):
        segment(tmp_path / f"t-0.{'a' * 32}-{state}", 0)
        assert offsets(tmp_path / f"t-0.{'a' * 32}-{state}") == expected


@pytest.mark.parametrize(
    ("content", "error"), [("0\n1\nt 0\n", CorruptError), ("0\n2\nt 0 5\n", CorruptError), ("1\n0\n", UnsupportedError)]
)
def test_a_broken_checkpoint_is_raised_or_listed_once_and_nothing_is_cut(
    tmp_path: Path, content: str, error: type[kafkafmt.KafkafmtError]
) -> None:
    for number in range(3):
        segment(tmp_path / f"t-{number}", 0)
    path = tmp_path / "log-start-offset-checkpoint"
    path.write_text(content)
    with pytest.raises(error) as raised:
        offsets(tmp_path)
    assert raised.value.file == str(path)
    assert offsets(tmp_path, below_log_start=True) == [*range(10)] * 3
    scan = kafkafmt.scan(tmp_path, on_damage="skip")
    for _ in range(2):
        assert scan.to_table().num_rows == 30
        (damage,) = scan.damage
        assert (damage.file, damage.length) == (str(path), 0)
        assert isinstance(damage.error, error)
    assert scan.count() == 30
    partition = LogDir(tmp_path)["t", 0]
    for name in ("log_start_offset", "log_end_offset", "checkpointed_log_start_offset"):
        with pytest.raises(error):
            getattr(partition, name)


def test_a_checkpoint_that_cannot_be_read_is_a_source_error_in_both_modes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    segment(tmp_path / "t-0", 0)
    path = checkpoint(tmp_path, "log-start-offset-checkpoint", {("t", 0): 5})
    open_ = os.open

    def forbidding(name: str, *args: Any, **more: Any) -> int:
        if str(name) == str(path):
            raise PermissionError(13, "Permission denied", name)
        return open_(name, *args, **more)

    monkeypatch.setattr(os, "open", forbidding)
    for on_damage in ("raise", "skip"):
        with pytest.raises(SourceError) as error:
            offsets(tmp_path, on_damage=on_damage)
        assert error.value.file == str(path)


def test_a_checkpoint_is_read_once_for_all_partitions_and_again_when_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        segment(tmp_path / f"t-{number}", 0)
    path = checkpoint(tmp_path, "log-start-offset-checkpoint", {("t", number): 5 for number in range(20)})
    opened = []
    open_ = os.open

    def counting(name: str, *args: Any, **more: Any) -> int:
        opened.append(name)
        return open_(name, *args, **more)

    monkeypatch.setattr(os, "open", counting)
    assert len(offsets(tmp_path)) == 100
    assert opened.count(str(path)) == 1
    checkpoint(tmp_path, "log-start-offset-checkpoint", {("t", number): 9 for number in range(10, 20)})
    assert len(offsets(tmp_path)) == 110


# Reading never writes


def state_of(root: Path) -> dict[str, Any]:
    state = {}
    for path in sorted([root, *root.rglob("*")]):
        status = path.lstat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        state[str(path)] = (
            content,
            status.st_mtime_ns,
            status.st_ctime_ns,
            status.st_ino,
            status.st_mode,
            status.st_size,
        )
    return state


@pytest.mark.slow
def test_reading_changes_nothing_on_disk_and_leaves_no_file_open(tmp_path: Path) -> None:
    for name in ("05c-swap-4.3.1", "06-retention-4.3.1", "12-crash-4.3.1", "13b-stray-4.3.1"):
        shutil.copytree(next(case for case in cases("modern") if case.name == name).log_dir, tmp_path / name)
    before, descriptors = state_of(tmp_path), sorted(os.listdir("/proc/self/fd"))
    scan = kafkafmt.scan(tmp_path, on_damage="skip", replica="all")
    assert scan.to_table().num_rows
    assert scan.count()
    reader = scan.to_reader()
    reader.read_next_batch()
    del reader
    with pytest.raises(kafkafmt.KafkafmtError):
        kafkafmt.scan(tmp_path, replica="all").to_table()
    for log_dir in kafkafmt.open_log_dirs(tmp_path):
        assert log_dir.meta_properties is None or log_dir.checkpoints is not None
        for partition in log_dir.partitions + log_dir.other_partitions:
            assert partition.producer_snapshots is not None
            partition.find_offset(5)
            for each in partition.segments + partition.other_segments:
                assert each.valid_bytes <= each.size
                next(each.batches(), None)
    assert state_of(tmp_path) == before
    assert sorted(os.listdir("/proc/self/fd")) == descriptors
