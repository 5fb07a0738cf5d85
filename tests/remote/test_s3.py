"""s3:// against a real S3 API: all results equal those from a disk."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.fs as pafs
import pytest

import kafkafmt
from kafkafmt import LogDir, SourceError, open_log_dirs
from kafkafmt.files import offset_checkpoint, offset_index, segment
from kafkafmt.io.remote import TreeListing
from kafkafmt.io.source import locate, open_file, read_bytes
from kafkafmt.io.stores import list_below
from tests.golden_cases import Case, cases
from tests.logdir.builders import batch, checkpoint, file_name, offsets
from tests.logdir.builders import segment as write_segment
from tests.remote.conftest import KEY, SECRET, Bucket

# But for the one of 500 files, which takes long to upload and shows nothing new.
MODERN = [case for case in cases("modern") if case.name.endswith("-4.3.1") and case.name != "12-crash-4.3.1"]


@pytest.mark.volume
@pytest.mark.parametrize("case", MODERN, ids=str)
def test_golden_cases_read_from_s3_equal_those_read_from_disk(case: Case, bucket: Bucket) -> None:
    bucket.upload(case.log_dir, "backup/node")
    uri, root = bucket.uri("backup/node"), bucket.shown("backup/node")
    how: dict[str, Any] = {"on_damage": "skip", "control_records": True, "replica": "all"}
    here, there = kafkafmt.scan(case.log_dir, **how), kafkafmt.scan(uri, **how)
    assert there.to_table().equals(here.to_table())
    assert [(d.file, d.position, d.length, d.reason) for d in there.damage] == [
        (d.file, d.position, d.length, d.reason) for d in here.damage
    ]
    for local, remote in zip(open_log_dirs(case.log_dir), open_log_dirs(uri), strict=True):
        assert remote.path == f"{root}/{os.path.relpath(local.path, case.log_dir)}".removesuffix("/.")
        assert (remote.meta_properties is None) == (local.meta_properties is None)
        assert {n: c.offsets for n, c in remote.checkpoints.items()} == {
            n: c.offsets for n, c in local.checkpoints.items()
        }
        for ours, theirs in (
            (local.partitions, remote.partitions),
            (local.other_partitions, remote.other_partitions),
        ):
            assert list(map(described, theirs)) == list(map(described, ours))


def described(partition: kafkafmt.Partition) -> list[Any]:
    """All that a partition says without reading a whole log, but its path."""
    indexes = [
        [list(index) for index in (each.offset_index, each.time_index, each.transaction_index)]
        for each in partition.segments
    ]
    files = [(each.file, each.size) for each in partition.segments + partition.other_segments]
    return [
        partition.name,
        files,
        indexes,
        partition.leader_epochs,
        partition.topic_id,
        partition.high_watermark,
        partition.log_start_offset,
        partition.log_end_offset,
        [each.entries for each in partition.producer_snapshots],
    ]


@pytest.fixture
def filled(bucket: Bucket, tmp_path: Path) -> Bucket:
    """orders-0 of two segments and orders-1 of one, with a checkpoint that cuts orders-0 at 3."""
    write_segment(tmp_path / "orders-0", 0)
    write_segment(tmp_path / "orders-0", 10)
    write_segment(tmp_path / "orders-1", 0)
    (tmp_path / "orders-1" / "00000000000000000000.index").write_bytes(bytes([0, 0, 0, 9, 0, 0, 0, 0]))
    checkpoint(tmp_path, "log-start-offset-checkpoint", {("orders", 0): 3})
    bucket.upload(tmp_path, "data")
    return bucket


def test_every_kind_of_source(filled: Bucket) -> None:
    for key in ("", "data", "data/", "data/orders-0", "data/orders-0/"):
        assert sorted(offsets(filled.uri(key), topics="orders", partitions=0)) == list(range(3, 20)), key
    file = f"data/orders-0/{file_name(0)}"
    row = kafkafmt.scan(filled.uri(file)).to_table().to_pylist()[0]
    assert (row["topic"], row["partition"], row["file"], row["offset"]) == ("orders", 0, file_name(0), 3)


def test_several_sources_are_called_as_given_but_for_options_and_access_keys(filled: Bucket) -> None:
    given = [filled.uri("data/orders-1/"), filled.uri("data"), filled.uri(f"data/orders-0/{file_name(0)}")]
    table = kafkafmt.scan(given).to_table()
    assert list(dict.fromkeys(table["file"].to_pylist())) == [
        f"{filled.shown('data')}/orders-0/{file_name(0)}",
        f"{filled.shown('data')}/orders-0/{file_name(10)}",
        f"{filled.shown('data/orders-1')}/{file_name(0)}",
    ]
    assert table.num_rows == 27
    assert len(open_log_dirs([filled.uri("data"), filled.uri("data/"), filled.uri("")])) == 1


def test_names_never_show_options_or_access_keys(filled: Bucket) -> None:
    (log_dir,) = open_log_dirs(filled.uri("data"))
    partition = log_dir["orders", 1]
    each = partition.segments[0]
    names = [log_dir, log_dir.path, partition, partition.path, each, each.path, each.offset_index.file, each.location]
    names += [entry.path for entry in locate(filled.uri("data")).list()]
    names += [kafkafmt.scan(filled.uri("data")), each.offset_index]
    for name in names:
        assert not any(secret in repr(name) for secret in (KEY, SECRET, "very%2F", "endpoint", "region"))
    assert each.path == f"{filled.shown('data')}/orders-1/{file_name(0)}"
    assert repr(partition) == f"Partition({filled.shown('data/orders-1')!r})"


def test_single_files_are_read_by_uri(filled: Bucket) -> None:
    index = offset_index.read(filled.uri("data/orders-1/00000000000000000000.index"))
    assert ([entry.offset for entry in index], index.file) == (
        [9],
        filled.shown("data/orders-1/00000000000000000000.index"),
    )
    read = offset_checkpoint.read(filled.uri("data/log-start-offset-checkpoint"))
    assert dict(read.offsets) == {("orders", 0): 3}
    assert len(segment.read(filled.uri(f"data/orders-1/{file_name(0)}"))) == 1
    alone = kafkafmt.Segment(filled.uri(f"data/orders-1/{file_name(0)}"))
    assert [entry.offset for entry in alone.offset_index] == [9]
    assert len(read_bytes(filled.uri(f"data/orders-1/{file_name(0)}"), max_bytes=1000)) == alone.size
    with pytest.raises(kafkafmt.LimitExceededError):
        read_bytes(filled.uri(f"data/orders-1/{file_name(0)}"), max_bytes=3)


def test_a_filesystem_with_its_own_paths(filled: Bucket) -> None:
    root = filled.name
    assert len(offsets(f"{root}/data", filesystem=filled.filesystem)) == 27
    sub = pafs.SubTreeFileSystem(f"{root}/data", filled.filesystem)
    for source in ("", "/"):
        assert kafkafmt.scan(source, filesystem=sub).count() == 27
    table = kafkafmt.scan(["orders-0/", "orders-1"], filesystem=sub).to_table()
    assert set(table["file"].to_pylist()) == {
        f"orders-0/{file_name(0)}",
        f"orders-0/{file_name(10)}",
        f"orders-1/{file_name(0)}",
    }
    assert LogDir(f"{root}/data", filled.filesystem)["orders", 0].path == f"{root}/data/orders-0"
    with pytest.raises(SourceError, match="leave out the scheme") as error:
        kafkafmt.scan(filled.uri("data"), filesystem=filled.filesystem)
    assert error.value.file == filled.shown("data")


def test_directory_markers_are_directories_and_no_files(bucket: Bucket) -> None:
    bucket.filesystem.create_dir(f"{bucket.name}/top/t-1")  # an object "top/t-1/"
    for marker in ("top/t-0", "top/t-2"):  # objects without a slash, as some tools make them
        bucket.put(marker, b"")
    bucket.put(f"top/t-0/{file_name(0)}", batch(0, 3))
    bucket.put(f"top/t-1/{file_name(0)}", batch(0, 2))
    listed = {(entry.name, entry.is_directory, entry.size) for entry in locate(bucket.uri("top")).list()}
    assert listed == {("t-0", True, None), ("t-1", True, None), ("t-2", False, 0)}
    assert offsets(bucket.uri("top")) == [0, 1, 2, 0, 1]
    assert offsets(bucket.uri("top/t-0")) == [0, 1, 2]
    assert LogDir(bucket.uri("top"))["t", 0].segments[0].size == len(batch(0, 3))
    sub = pafs.SubTreeFileSystem(f"{bucket.name}/top", bucket.filesystem)
    assert offsets("t-0", filesystem=sub) == [0, 1, 2]


def test_keys_with_special_characters(bucket: Bucket) -> None:
    bucket.put(f"a b%20#?ü/t-0/{file_name(0)}", batch(0, 3))
    (log_dir,) = open_log_dirs(bucket.uri("a%20b%2520%23%3F%C3%BC"))
    assert log_dir.path == bucket.shown("a%20b%2520%23%3F%C3%BC")
    assert offsets(bucket.uri()) == [0, 1, 2]
    assert offsets(bucket.uri("a b%2520%23%3Fü/t-0")) == [0, 1, 2]
    with pytest.raises(SourceError, match="written as %23"):
        kafkafmt.scan(bucket.uri("a#b"))


@pytest.mark.slow
def test_the_command_line_takes_uris(filled: Bucket) -> None:
    def run(*arguments: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-m", "kafkafmt", *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert not any(secret in done.stdout + done.stderr for secret in (KEY, SECRET, "very%2F"))
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.splitlines()

    assert len(run("cat", filled.uri("data"), "--output", "jsonl")) == 27
    assert len(run("batches", filled.uri("data/orders-1"), "--output", "jsonl")) == 1
    assert any("orders" in line for line in run("ls", filled.uri("data")))
    name = f"data/orders-1/{file_name(0)}"
    assert run("dump", "--files", filled.uri(name))[0] == f"Dumping {filled.shown(name)}"


# What goes wrong


def errors_of(uri: str) -> list[SourceError]:
    """What each way in says of a source that cannot be read; none may tell the access keys."""
    found = []
    for read in (lambda u: kafkafmt.scan(u).to_table(), open_log_dirs, LogDir, open_file, lambda u: locate(u).list()):
        with pytest.raises(SourceError) as error:
            read(uri)
        assert not any(secret in str(error.value) for secret in (KEY, SECRET, "very%2F"))
        found.append(error.value)
    return found


def test_a_missing_key_or_bucket_is_a_source_error_with_the_path(bucket: Bucket) -> None:
    for error in errors_of(bucket.uri("nothing/here")):
        assert error.file == bucket.shown("nothing/here")
        assert "No such file or directory" in str(error)
    for error in errors_of(bucket.uri("x").replace(bucket.name, "no-such-bucket")):
        assert error.file == "s3://no-such-bucket/x"


def test_a_directory_is_no_file(bucket: Bucket) -> None:
    bucket.put("dir/file", b"x")
    with pytest.raises(SourceError, match=r"not a regular file .found a directory") as error:
        open_file(bucket.uri("dir"))
    assert error.value.file == bucket.shown("dir")


@pytest.mark.slow
def test_a_server_that_is_not_there_is_an_error_that_says_what_to_check() -> None:
    uri = f"s3://{KEY}:x@bucket/key?endpoint_override=127.0.0.1:1&scheme=http&region=us-east-1"
    with pytest.raises(SourceError, match=r"check the network.*endpoint_override") as error:
        open_file(uri)
    assert error.value.file == "s3://bucket/key"


def test_an_object_that_shrinks_while_it_is_read_is_a_source_error(bucket: Bucket) -> None:
    bucket.put("o", b"x" * 100_000)
    for position, length in ((50_000, 20_000), (10_000, 10), (9_995, 10), (99_995, 5)):
        with open_file(bucket.uri("o")) as file:
            bucket.put("o", b"y" * 10_000)
            with pytest.raises(SourceError, match="shrank while it was read") as error:
                file.read_at(position, length)
        assert (error.value.file, error.value.expected) == (bucket.shown("o"), "100000 bytes")
        bucket.put("o", b"x" * 100_000)


def test_an_object_that_vanishes_while_it_is_read_is_a_source_error(bucket: Bucket) -> None:
    bucket.put("o", b"x" * 100_000)
    with open_file(bucket.uri("o")) as file:
        bucket.delete("o")
        with pytest.raises(SourceError, match="vanished while it was read"):
            file.read_at(50_000, 100)


def test_a_segment_that_vanishes_or_shrinks_after_listing_is_a_source_error(bucket: Bucket) -> None:
    key = f"t-0/{file_name(0)}"
    bucket.put(key, batch(0, 3))
    scan = kafkafmt.scan(bucket.uri())
    bucket.delete(key)
    with pytest.raises(SourceError, match="vanished since it was listed") as error:
        scan.to_table()
    assert error.value.file == bucket.shown(key)
    bucket.put(key, batch(0, 2)[:-5])
    with pytest.raises(SourceError, match=r"shrank since it was listed|replaced since it was listed"):
        scan.to_table()


def test_an_object_that_was_replaced_since_it_was_listed_is_a_source_error(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = f"t-0/{file_name(0)}"
    bucket.put(key, batch(0, 3))
    each = LogDir(bucket.uri())["t", 0].segments[0]
    monkeypatch.setattr("kafkafmt.io.remote._modified", lambda _: 1)
    with pytest.raises(SourceError, match="replaced since it was listed") as error:
        list(each.records())
    assert error.value.file == bucket.shown(key)


@pytest.mark.slow
def test_a_tree_listed_by_several_requests_is_the_one_that_a_single_one_gives(bucket: Bucket, tmp_path: Path) -> None:
    for number in range(12):
        write_segment(tmp_path / "dir-1" / f"orders-{number}", 0)
    write_segment(tmp_path / "dir-2" / "a b%20c-0", 0)
    write_segment(tmp_path / "dir-2" / "sch\u00f6n?x#y-0", 0)
    bucket.upload(tmp_path, "data")
    bucket.put("data/dir-1/orders-3", b"")
    bucket.put("data/dir-2/both", b"a file")
    bucket.put("data/dir-2/both/in", b"and a directory")
    root = f"{bucket.name}/data"
    whole = TreeListing(root, bucket.filesystem.get_file_info(pafs.FileSelector(root, recursive=True)))
    found = TreeListing(root, list_below(bucket.filesystem, root))
    to_visit = [root]
    for directory in to_visit:
        names = whole.names_in(directory)
        assert found.names_in(directory) == names
        to_visit += [f"{directory}/{name}" for name, is_directory, _ in names if is_directory]
    assert len(to_visit) == 1 + 2 + 12 + 2 + 1
    assert kafkafmt.scan(bucket.uri("data")).count() == 14 * 10


@pytest.mark.slow
def test_keys_that_no_path_has_are_listed_as_before(filled: Bucket) -> None:
    client = pytest.importorskip("boto3").client(
        "s3",
        endpoint_url=f"http://127.0.0.1:{filled.port}",
        aws_access_key_id=KEY,
        aws_secret_access_key=SECRET,
        region_name="us-east-1",
    )
    for key in ("data//orders-7/" + file_name(0), "data/./x", "data/../x", "/data/x", "data/empty/", "data/deep//"):
        client.put_object(Bucket=filled.name, Key=key, Body=b"")
    for below in ("data", ""):
        root = f"{filled.name}/{below}".rstrip("/")
        whole = filled.filesystem.get_file_info(pafs.FileSelector(root, recursive=True))
        assert {info.path for info in list_below(filled.filesystem, root)} == {info.path for info in whole}
    assert sorted(offsets(filled.uri("data"), topics="orders", partitions=1)) == list(range(10))
