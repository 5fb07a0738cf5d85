"""`kafkafmt.open`: a source that is listed once for all answers and can itself be the source of scans."""

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow.fs import FileInfo, FileSelector, FileSystemHandler, FileType, LocalFileSystem, PyFileSystem

import kafkafmt
from kafkafmt import Disks, SourceError
from kafkafmt.cli.main import run
from kafkafmt.io import stores
from kafkafmt.survey.rows import TABLES
from tests.golden_cases import GOLDEN, cases
from tests.logdir.builders import batch, segment

MODERN = GOLDEN / "modern"
GROUPS = MODERN / "08-consumer-groups-4.3.1" / "log-dir"
TRANSACTIONS = MODERN / "09-transaction-state-4.3.1" / "log-dir"
REPLICAS = MODERN / "07-three-nodes-diverged-4.3.1" / "log-dir"
METADATA = MODERN / "10-cluster-metadata-4.3.1" / "log-dir"


class Counting(FileSystemHandler):  # type: ignore[misc]
    """Local files as a bucket `b` that counts how often each of its directories is listed."""

    def __init__(self, root: Path) -> None:
        self.listed: Counter[str] = Counter()
        self._root = str(root)
        self._local = LocalFileSystem()

    def get_type_name(self) -> str:
        return "counting"

    def normalize_path(self, path: str) -> str:
        return path

    def get_file_info(self, paths: list[str]) -> list[FileInfo]:
        return [self._shown(info) for info in self._local.get_file_info([self._path(path) for path in paths])]

    def get_file_info_selector(self, selector: FileSelector) -> list[FileInfo]:
        self.listed[selector.base_dir] += 1
        below = FileSelector(self._path(selector.base_dir), selector.allow_not_found, selector.recursive)
        return [self._shown(info) for info in self._local.get_file_info(below)]

    def open_input_file(self, path: str) -> pa.NativeFile:
        return self._local.open_input_file(self._path(path))

    open_input_stream = open_input_file

    def _refused(self, *_: object) -> None:
        raise OSError("read-only")

    create_dir = delete_dir = delete_dir_contents = delete_root_dir_contents = delete_file = _refused
    move = copy_file = open_output_stream = open_append_stream = _refused

    def _path(self, path: str) -> str:
        return self._root + path.removeprefix("b")

    def _shown(self, info: FileInfo) -> FileInfo:
        path = "b" + info.path.removeprefix(self._root).rstrip("/")
        is_file = info.type == FileType.File
        return FileInfo(path, info.type, size=info.size if is_file else None, mtime_ns=info.mtime_ns)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], Counter[str]]:
    """Serve a directory as `hdfs://b/`, and count how often it is listed."""

    def serve(root: Path) -> Counter[str]:
        handler = Counting(root)
        monkeypatch.setattr(stores, "_open_uri", lambda _: (PyFileSystem(handler), "b"))
        return handler.listed

    return serve


# Listed once


@pytest.mark.parametrize("root", [GROUPS, TRANSACTIONS, METADATA.parent, REPLICAS], ids=lambda root: root.parent.name)
@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "ls --rows findings",
        "cat --limit 1",
        "cat --kind OffsetCommit",
        "batches --limit 1",
        "find --offset 0",
        "groups",
        "groups --check-assignment",
        "groups --group nobody",
        "transactions",
        "transactions --hanging",
        "producers",
        "metadata",
    ],
)
def test_each_command_lists_its_source_once(
    listed: Callable[[Path], Counter[str]], root: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    count = listed(root)
    run([*command.split()[:1], "hdfs://b/", *command.split()[1:]])
    assert dict(count) == {"b": 1}, capsys.readouterr().err


def test_a_command_lists_once_however_much_is_wrong(
    listed: Callable[[Path], Counter[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(8):
        data = batch(0)
        segment(tmp_path / f"__consumer_offsets-{number}", 0, data, data[:-1] + bytes([data[-1] ^ 1]), batch(2))
    for command in (["groups", "--on-damage", "skip"], ["groups"], ["cat", "--on-damage", "skip"], ["ls"]):
        count = listed(tmp_path)
        assert run([command[0], "hdfs://b/", *command[1:]]) == 1, capsys.readouterr().err
        assert dict(count) == {"b": 1}
    assert capsys.readouterr().err.count("CRC mismatch") > 8


def _first(disks: Disks) -> tuple[str, int]:
    partition = disks.partitions[0]
    assert partition.topic is not None
    assert partition.partition is not None
    return partition.topic, partition.partition


ANSWERS: dict[str, Callable[[Disks], Any]] = {
    "log_dirs": lambda disks: [log_dir.partitions for log_dir in disks.log_dirs],
    "partitions": lambda disks: [each.segments for each in disks.partitions],
    "partition": lambda disks: disks.partition(*_first(disks)).log_end_offset,
    "scan": lambda disks: disks.scan(on_damage="skip").count(),
    "scan of a partition": lambda disks: [kafkafmt.scan(each).count() for each in disks.partitions],
    "scan of a segment": lambda disks: kafkafmt.scan([each.segments[0] for each in disks.partitions]).count(),
    "inspect": lambda disks: [getattr(disks.inspect, name)() for name in ("log_dirs", "findings", "left_out")],
    "groups": lambda disks: disks.groups().to_table(),
    "transactions": lambda disks: disks.transactions(data="hanging").hanging,
    "producers": lambda disks: disks.producers().to_table(),
    "metadata": lambda disks: disks.metadata().topics,
    "belonging": kafkafmt.topics.belonging,
}


def test_all_answers_of_opened_disks_come_from_one_listing() -> None:
    handlers = {root: Counting(root) for root in (GROUPS, TRANSACTIONS, METADATA, REPLICAS)}
    given = set()
    for handler in handlers.values():
        disks = kafkafmt.open("b", filesystem=PyFileSystem(handler))
        for name, ask in ANSWERS.items():
            try:
                ask(disks)
                given.add(name)
            except SourceError:
                assert name in ("groups", "transactions", "metadata")
        assert dict(handler.listed) == {"b": 1}
    assert given == set(ANSWERS)


def test_directories_of_this_machine_are_listed_once_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        segment(tmp_path / f"t-{number}", 0)
    count: Counter[str] = Counter()
    scandir = os.scandir

    def counting(path: str) -> Any:
        count[os.fspath(path)] += 1
        return scandir(path)

    monkeypatch.setattr(os, "scandir", counting)
    disks = kafkafmt.open(tmp_path)
    disks.scan().to_table()
    disks.inspect.findings()
    assert len(disks.log_dirs[0].partitions) == len(disks.partitions) == 3
    assert disks.producers().to_table().num_rows == 0
    assert count == {str(tmp_path): 1} | {str(tmp_path / f"t-{number}"): 1 for number in range(3)}


# What is opened


def test_the_tree_is_that_of_the_source() -> None:
    disks = kafkafmt.open(REPLICAS)
    assert [log_dir.path for log_dir in disks.log_dirs] == [each.path for each in kafkafmt.open_log_dirs(REPLICAS)]
    scan = kafkafmt.scan(REPLICAS)
    assert [each.path for each in disks.partitions] == [each.path for each in scan.source_partitions]
    best = disks.partition("rep", 0)
    assert best.path in [each.path for each in scan.best_partitions()]
    assert len([each for each in disks.partitions if (each.topic, each.partition) == ("rep", 0)]) > 1
    with pytest.raises(kafkafmt.NotFoundError):
        disks.partition("rep", 99)
    assert repr(disks) == f"<Disks: {REPLICAS}>"


def test_a_scan_reads_what_was_opened(tmp_path: Path) -> None:
    for broker in ("a", "b"):
        for number in range(2):
            segment(tmp_path / broker / f"t-{number}", 0, batch(0, 3))
            segment(tmp_path / broker / f"t-{number}", 3, batch(3, 3))
    disks = kafkafmt.open([tmp_path / "a", tmp_path / "b"])
    log_dir = disks.log_dirs[0]
    partition = log_dir["t", 1]
    last = partition.segments[1]
    sources: list[tuple[Any, int]] = [
        (disks, 12),
        (log_dir, 12),
        (partition, 6),
        (last, 3),
        ([partition, log_dir["t", 0]], 12),
        (partition.segments, 6),
        ([last, tmp_path / "a" / "t-0"], 9),
        ([disks, tmp_path / "b"], 12),
        (kafkafmt.LogDir(tmp_path / "a"), 12),
        (kafkafmt.Partition(tmp_path / "a" / "t-0"), 6),
        (kafkafmt.Segment(last.path), 3),
    ]
    for source, rows in sources:
        assert kafkafmt.scan(source).count() == rows
    assert disks.scan(replica="all", columns=["offset"]).to_table().num_rows == 24
    assert disks.scan(topics="t", partitions=1).count() == 6
    assert set(kafkafmt.scan(partition).to_table().column("file").to_pylist()) == {s.name for s in partition.segments}
    with (tmp_path / "a" / "t-1" / last.name).open("ab") as file:
        file.write(batch(6))
    assert kafkafmt.scan(last).count() == 3


def test_what_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no Kafka log here or below"):
        kafkafmt.open(tmp_path)
    with pytest.raises(SourceError, match="missing"):
        kafkafmt.open(tmp_path / "missing")
    segment(tmp_path / "t-0", 0)
    kafkafmt.scan(tmp_path, decryption_keys={"key1": "private.pem"})  # nothing there needs it
    with pytest.raises(ValueError, match=r"^decryption_keys: 'key1' is not a private key that can be read"):
        kafkafmt.open(tmp_path, decryption_keys={"key1": "private.pem"})
    for name in (kafkafmt.open, kafkafmt.scan):
        name(tmp_path, decryption_keys={})
        with pytest.raises(TypeError, match="must map names to paths"):
            name(tmp_path, decryption_keys={"key1": 7})  # type: ignore[dict-item]
        with pytest.raises(TypeError, match="decryption_keys must be a mapping"):
            name(tmp_path, decryption_keys="private.pem")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        kafkafmt.open(7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the source was opened without them"):
        kafkafmt.scan(kafkafmt.open(tmp_path), decryption_keys={"key1": "private.pem"})
    with pytest.raises(TypeError):
        kafkafmt.scan([7])  # type: ignore[list-item]


def test_a_snapshot_alone_tells_of_the_cluster(tmp_path: Path) -> None:
    (snapshot, *_) = METADATA.glob("__cluster_metadata-0/*.checkpoint")
    target = tmp_path / "__cluster_metadata-0" / snapshot.name
    target.parent.mkdir()
    target.write_bytes(snapshot.read_bytes())
    assert kafkafmt.open(tmp_path).metadata().topics == kafkafmt.topics.metadata(tmp_path).topics


# Inspection


@pytest.mark.parametrize("case", [case for case in cases() if case.name[:2] in ("07", "12", "13", "05")], ids=str)
@pytest.mark.parametrize("level", ["log-dirs", "partitions", "segments", "findings", "left-out"])
def test_inspection_gives_the_rows_of_ls(case: Any, level: str, tmp_path: Path) -> None:
    out = tmp_path / "rows.arrow"
    run(["ls", str(case.log_dir), "--rows", level, "--output", "arrow", "--out", str(out)])
    with pa.ipc.open_stream(out) if out.read_bytes()[:6] != b"ARROW1" else pa.ipc.open_file(out) as file:
        expected = file.read_all()
    table = getattr(kafkafmt.open(case.log_dir).inspect, level.replace("-", "_"))()
    assert table.schema == TABLES[level].schema == expected.schema
    assert table.equals(expected)


def test_inspection_reads_deeper_where_it_is_told_to(tmp_path: Path) -> None:
    data = batch(0)
    segment(tmp_path / "t-0", 0, data[:-1] + bytes([data[-1] ^ 1]), batch(1))
    inspect = kafkafmt.open(tmp_path).inspect
    kinds = {depth: inspect.findings(depth=depth).column("kind").to_pylist() for depth in ("headers", "checksums")}
    assert "checksum" not in kinds["headers"]
    assert "checksum" in kinds["checksums"]
    assert inspect.left_out().num_rows == 0
    (tmp_path / "t-0" / f"{5:020d}.log.deleted").write_bytes(batch(5))
    inspect = kafkafmt.open(tmp_path).inspect
    assert inspect.left_out().column("path").to_pylist() == [str(tmp_path / "t-0" / f"{5:020d}.log.deleted")]
    assert [inspect.segments(everything=each).num_rows for each in (False, True)] == [1, 2]


def test_the_command_the_function_and_opened_disks_agree_on_what_a_log_directory_is(tmp_path: Path) -> None:
    segment(tmp_path / "b" / "t-0", 0)
    for name in ("a", "c/empty", "remote-log-index-cache"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "meta.properties").write_text("version=1\nnode.id=1\ncluster.id=x\n")
    expected = [str(tmp_path / name) for name in ("a", "b", "c/empty")]
    disks = kafkafmt.open(tmp_path)
    assert [each.path for each in disks.log_dirs] == expected
    assert [each.path for each in kafkafmt.open_log_dirs(tmp_path)] == expected
    assert disks.inspect.log_dirs().column("path").to_pylist() == expected
