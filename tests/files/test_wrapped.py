"""Packed backups: an error names the format and how to unpack it, and no real segment is mistaken for one."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import lz4.frame
import pytest
import zstandard

import kafkafmt
from kafkafmt import LogDir, SourceError, open_log_dirs
from kafkafmt.files import segment as segments
from kafkafmt.files.wrapped import refuse_wrapped, wrapper_of_name
from kafkafmt.io.base import MemoryFile
from tests.golden_cases import Case, cases
from tests.logdir.builders import batch, file_name, offsets, segment

CONTENT = batch(0, 3) * 20


def tar(content: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        member = tarfile.TarInfo("orders-0/" + file_name(0))
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


def zipped(content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(file_name(0), content)
    return out.getvalue()


PACKERS: dict[str, tuple[Callable[[bytes], bytes], str, str]] = {
    "gz": (gzip.compress, "a gzip file", "gzip -dc"),
    "zst": (zstandard.compress, "a zstd file", "zstd -dc"),
    "xz": (lzma.compress, "an xz file", "xz -dc"),
    "bz2": (bz2.compress, "a bzip2 file", "bzip2 -dc"),
    "lz4": (lz4.frame.compress, "an lz4 file", "lz4 -dc"),
    "sz": (lambda content: b"\xff\x06\0\0sNaPpY" + content, "a snappy file", "snzip -dc"),
    "7z": (lambda content: b"7z\xbc\xaf\x27\x1c" + content, "a 7z archive", "7z x"),
    "zip": (zipped, "a zip archive", "unzip"),
    "tar": (tar, "a tar archive", "tar -xf"),
    "tar.gz": (lambda content: gzip.compress(tar(content)), "a tar archive", "tar -xf"),
    "tgz": (lambda content: gzip.compress(tar(content)), "a tar archive", "tar -xf"),
}


@pytest.mark.parametrize("suffix", sorted(PACKERS))
def test_a_packed_file_that_is_named_says_what_to_do(tmp_path: Path, suffix: str) -> None:
    pack, name, command = PACKERS[suffix]
    path = tmp_path / f"back up.{suffix}"
    path.write_bytes(pack(CONTENT))
    for read in (kafkafmt.scan, lambda p: list(kafkafmt.Segment(str(p)).batches()), segments.read, open_log_dirs):
        with pytest.raises(SourceError) as error:
            read(path)
        assert error.value.file == str(path)
        assert f"this looks like {name} and not like a log segment: unpack it first ({command} '{path}'" in str(
            error.value
        )


@pytest.mark.parametrize("suffix", sorted({"gz", "zst", "xz", "bz2", "lz4", "zip", "tar"}))
def test_bytes_decide_where_the_name_says_nothing(tmp_path: Path, suffix: str) -> None:
    pack, name, _ = PACKERS[suffix]
    path = segment(tmp_path / "t-0", 0, pack(CONTENT))
    for on_damage in ("raise", "skip"):
        with pytest.raises(SourceError, match=name) as error:
            kafkafmt.scan(tmp_path, on_damage=on_damage).to_table()
        assert error.value.file == str(path)


def test_a_directory_of_packed_segments_says_what_to_do(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, gzip.compress(CONTENT), suffix=".gz")
    segment(tmp_path / "t-0", 10, gzip.compress(CONTENT), suffix=".gz")
    segment(tmp_path / "t-1", 0)
    with pytest.raises(SourceError, match="a gzip file") as error:
        kafkafmt.scan(tmp_path).to_table()
    assert error.value.file == str(tmp_path / "t-0" / file_name(0, ".gz"))
    assert offsets(tmp_path, partitions=1) == list(range(10))
    assert [len(each.other_segments) for each in LogDir(tmp_path).partitions] == [2, 0]


def test_a_partition_that_is_packed_in_part_is_read(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, gzip.compress(CONTENT), suffix=".gz")
    segment(tmp_path / "t-0", 10)
    assert offsets(tmp_path) == list(range(10, 20))
    segment(tmp_path / "t-1", 0, suffix=".deleted")
    assert offsets(tmp_path, partitions=1) == []


def test_a_directory_with_nothing_but_archives_below_says_what_to_do(tmp_path: Path) -> None:
    below = tmp_path / "broker-1" / "2024"
    below.mkdir(parents=True)
    (tmp_path / "loop").symlink_to(tmp_path)
    (below / "data.tar.zst").write_bytes(b"")
    for read in (kafkafmt.scan, open_log_dirs):
        with pytest.raises(SourceError, match=r"here or below.*data.tar.zst: this looks like a tar archive") as error:
            read(tmp_path)
        assert error.value.file == str(tmp_path)


@pytest.mark.parametrize("beginning", ["gz", "zst", "bz2", "lz4", "zip"])
def test_a_segment_that_begins_like_a_packed_file_is_read(tmp_path: Path, beginning: str) -> None:
    head = PACKERS[beginning][0](CONTENT)[:4]
    offset = int.from_bytes(head + bytes(4), "big")
    path = segment(tmp_path / "t-0", 0, batch(offset, 3))
    assert path.read_bytes().startswith(head)
    assert offsets(path) == [offset, offset + 1, offset + 2]


def test_a_beginning_with_a_wrong_crc_is_no_entry(tmp_path: Path) -> None:
    content = bytearray(batch(int.from_bytes(b"\x1f\x8b\x08" + bytes(5), "big"), 3))
    content[-1] ^= 1
    with pytest.raises(SourceError, match="a gzip file"):
        offsets(segment(tmp_path / "t-0", 0, bytes(content)))


def test_a_record_that_holds_a_tar_header_is_none(tmp_path: Path) -> None:
    path = segment(tmp_path / "t-0", 0, batch(0, value=bytes(188) + b"ustar" + bytes(1000)))
    assert path.read_bytes()[257:262] == b"ustar"
    assert offsets(path) == [0]
    damaged = bytearray(path.read_bytes())
    damaged[20] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(kafkafmt.CorruptError):
        offsets(path)


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b", b"\x1f\x8b\x08", b"\x1f\x8b\x08" + bytes(14), b"PK\x03\x04" * 9])
def test_the_beginning_alone_is_looked_at(content: bytes) -> None:
    if len(content) < 3:
        refuse_wrapped(MemoryFile("f", content))
        return
    with pytest.raises(SourceError):
        refuse_wrapped(MemoryFile("f", content))


def test_a_remote_file_is_to_be_copied_first() -> None:
    wrapper = wrapper_of_name("x.log.GZ")
    assert wrapper is not None
    text = str(wrapper.refusal("s3://bucket/x.log.gz"))
    assert "copy it to a disk and unpack it first (gzip -dc s3://bucket/x.log.gz > UNPACKED)" not in text
    assert "copy it to a disk and unpack it first (gzip -dc x.log.gz > UNPACKED)" in text
    assert wrapper_of_name("00000000000000000000.log") is None


@pytest.mark.parametrize("case", cases(), ids=str)
def test_no_golden_segment_is_taken_for_a_packed_file(case: Case) -> None:
    for path in case.files("*.log*", "*.checkpoint"):
        refuse_wrapped(MemoryFile(str(path), path.read_bytes()))
