"""The cost of reading a remote file system: requests and bytes."""

from pathlib import Path

import pyarrow.fs as pafs
import pytest

import kafkafmt
from kafkafmt import LogDir, Partition, open_log_dirs
from kafkafmt.io.source import open_file
from tests.logdir.builders import batch, checkpoint, file_name, segment
from tests.reads import KIB, MIB
from tests.reads import index as write_index
from tests.remote.counting import CountingHandler, counting

VALUE = bytes(200_000)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Two log directories, each of ten partitions with two segments and their indexes."""
    for log_dir in ("dir-0", "dir-1"):
        for number in range(10):
            for base in (0, 10):
                log = segment(tmp_path / log_dir / f"{log_dir}-{number}", base)
                for kind in (".index", ".timeindex"):
                    log.with_suffix(kind).write_bytes(b"")
        offsets_ = {(log_dir, number): 3 for number in range(10)}
        for name in ("log-start-offset-checkpoint", "replication-offset-checkpoint"):
            checkpoint(tmp_path / log_dir, name, offsets_)
    return tmp_path


@pytest.fixture
def remote(tree: Path) -> tuple[pafs.PyFileSystem, CountingHandler]:
    return counting(pafs.SubTreeFileSystem(str(tree), pafs.LocalFileSystem()))


def test_a_tree_is_listed_by_one_request(remote: tuple[pafs.PyFileSystem, CountingHandler]) -> None:
    filesystem, counts = remote
    scan = kafkafmt.scan("", filesystem=filesystem)
    assert counts.requests == {"info": 1, "list": 1}
    counts.reset()
    log_dirs = open_log_dirs("", filesystem)
    assert [len(each.partitions) for each in log_dirs] == [10, 10]
    assert counts.requests == {"info": 1, "list": 1}
    counts.reset()
    LogDir("dir-1", filesystem)["dir-1", 7].segments[0].size  # noqa: B018
    assert counts.requests == {"list": 1}
    counts.reset()
    Partition("dir-1/dir-1-7", filesystem).segments  # noqa: B018
    assert counts.requests == {"list": 1}
    assert scan.count() == 2 * 10 * 17


def test_a_checkpoint_is_read_once_for_all_partitions(remote: tuple[pafs.PyFileSystem, CountingHandler]) -> None:
    filesystem, counts = remote
    log_dir = LogDir("dir-0", filesystem)
    counts.reset()
    for partition in log_dir.partitions:
        assert (partition.checkpointed_log_start_offset, partition.high_watermark, partition.recovery_point) == (
            3,
            3,
            None,
        )
    assert counts.requests["open"] == 2
    assert counts.requests["list"] == counts.requests["info"] == 0
    counts.reset()
    kafkafmt.scan([f"dir-0/dir-0-{number}" for number in range(10)], filesystem=filesystem).count()
    assert counts.opened.count("dir-0/log-start-offset-checkpoint") == 1


def test_indexes_are_found_without_a_request(remote: tuple[pafs.PyFileSystem, CountingHandler]) -> None:
    filesystem, counts = remote
    (each,) = LogDir("dir-0", filesystem)["dir-0", 1].segments[:1]
    counts.reset()
    assert len(each.offset_index) == len(each.time_index) == len(each.transaction_index) == 0
    assert counts.requests == {"open": 2}


def test_what_is_filtered_out_is_not_opened(remote: tuple[pafs.PyFileSystem, CountingHandler]) -> None:
    filesystem, counts = remote
    scan = kafkafmt.scan("", filesystem=filesystem, topics="dir-1", partitions=[2], start_offset=12)
    assert scan.to_table().num_rows == 8
    assert [path for path in counts.opened if path.endswith(".log")] == [f"dir-1/dir-1-2/{file_name(10)}"]


Large = tuple[pafs.PyFileSystem, CountingHandler, int]


def log_of(tmp_path: Path, count: int, value: bytes) -> Large:
    """A segment of batches of one record each, with the offset index that a broker writes."""
    log = segment(tmp_path / "t-0", 0, *(batch(number, value=value, timestamp=number) for number in range(count)))
    size = log.stat().st_size
    write_index(log, *((number, number * (size // count)) for number in range(1, count)))
    return *counting(pafs.SubTreeFileSystem(str(tmp_path), pafs.LocalFileSystem())), size


@pytest.fixture
def large(tmp_path: Path) -> Large:
    """A segment of 100 batches, 200 kB each."""
    return log_of(tmp_path, 100, VALUE)


def test_a_walk_over_headers_reads_what_is_not_worth_a_request_to_jump_over(large: Large) -> None:
    filesystem, counts, size = large
    (log_dir,) = open_log_dirs("", filesystem)
    counts.reset()
    assert len(list(log_dir["t", 0].segments[0].batches())) == 100
    assert counts.requests["read"] < 12
    assert size <= counts.bytes_read <= size + 64 * KIB
    counts.reset()
    assert kafkafmt.scan("", filesystem=filesystem).count() == 100
    assert counts.requests["read"] <= 12
    assert counts.bytes_read <= size + 64 * KIB


def test_a_walk_over_headers_jumps_over_megabytes(tmp_path: Path) -> None:
    filesystem, counts, size = log_of(tmp_path, 10, bytes(2 * MIB))
    scan = kafkafmt.scan("", filesystem=filesystem)
    counts.reset()
    assert scan.count() == 10
    assert size > 20 * MIB
    assert counts.requests["read"] == 10
    assert counts.bytes_read <= 10 * 64 * KIB


def test_the_end_of_the_log_is_found_by_a_few_reads(large: Large) -> None:
    filesystem, counts, _ = large
    (log_dir,) = open_log_dirs("", filesystem)
    counts.reset()
    assert log_dir["t", 0].log_end_offset == 100
    assert counts.bytes_read < 4 * len(VALUE)
    assert counts.requests["read"] < 8


def test_a_filtered_scan_reads_the_batches_it_needs(large: Large) -> None:
    filesystem, counts, _ = large
    scan = kafkafmt.scan("t-0", filesystem=filesystem, start_offset=50, end_offset=52)
    counts.reset()
    assert scan.to_table().num_rows == 2
    assert counts.bytes_read < 8 * len(VALUE)
    assert counts.requests["read"] <= 11  # two of them see whether the next batch goes on where the read ended


def test_several_threads_read_no_more_than_one(large: Large) -> None:
    filesystem, counts, size = large
    scan = kafkafmt.scan("", filesystem=filesystem, threads=2)
    counts.reset()
    assert scan.to_table().num_rows == 100
    assert size <= counts.bytes_read <= size + 64 * KIB
    assert counts.requests["read"] <= -(-size // (8 * MIB)) + 1
    counts.reset()
    assert scan.head(1).read_all().num_rows == 1
    assert scan.tail(1).read_all().num_rows == 1
    assert counts.bytes_read < 16 * len(VALUE)


def test_an_entry_point_is_read_once(large: Large) -> None:
    filesystem, counts, _ = large
    with open_file(f"t-0/{file_name(0)}", filesystem) as file:
        block = file.read_at(0, file.block)
        assert file.block == 64 * KIB
        assert [file.read_at(at, 100) for at in (0, 200, 65436)] == [block[at : at + 100] for at in (0, 200, 65436)]
        assert counts.requests == {"open": 1, "read": 1}
        assert file.read_at(65530, 10) == block[65530:] + bytes(4)
        assert [file.read_at(at, 61) for at in (1000, 65600, 2000)] == [bytes(61)] * 3
        assert counts.requests["read"] == 2
        for at in (200_000, 400_000, 600_000):
            file.read_at(at, 10)
        assert counts.requests["read"] == 5
        # The blocks read last are kept, and no more than a few.
        file.read_at(65600, 10)
        assert counts.requests["read"] == 5
        file.read_at(0, 10)
        assert counts.requests["read"] == 6
        assert counts.bytes_read == 6 * file.block
        assert file.worth_skipping == MIB


def test_a_large_file_is_read_in_pieces(tmp_path: Path) -> None:
    content = bytes(range(256)) * 80_000
    (tmp_path / "big").write_bytes(content)
    filesystem, counts = counting(pafs.SubTreeFileSystem(str(tmp_path), pafs.LocalFileSystem()))
    with open_file("big", filesystem) as file:
        assert file.read_at(0, 1 << 40) == content
    assert counts.requests["read"] == 3
