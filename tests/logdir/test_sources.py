"""The sources of a caller's paths: every shape, odd names, links, duplicates, and unreadable files."""

import os
from pathlib import Path
from typing import Any

import pyarrow.fs
import pytest

import kafkafmt
from kafkafmt import LogDir, SourceError, open_log_dirs
from tests.golden_cases import GOLDEN
from tests.logdir.builders import batch, column, file_name, offsets, segment

NAMES = GOLDEN / "modern" / "13-names-4.3.1" / "log-dir"


@pytest.fixture
def log_dir(tmp_path: Path) -> Path:
    segment(tmp_path / "data" / "orders-0", 0)
    segment(tmp_path / "data" / "orders-0", 10)
    segment(tmp_path / "data" / "orders-1", 0)
    return tmp_path / "data"


def files(source: Any, **scan: Any) -> list[str]:
    """The distinct values of the column `file`, in row order."""
    return list(dict.fromkeys(column(source, "file", **scan)))


def test_a_file_is_called_by_its_base_name_and_knows_its_topic_from_its_directory(log_dir: Path) -> None:
    path = log_dir / "orders-0" / file_name(10)
    row = kafkafmt.scan(path).to_table().to_pylist()[0]
    assert (row["topic"], row["partition"], row["file"], row["offset"]) == ("orders", 0, file_name(10), 10)


def test_a_partition_directory_a_log_directory_and_any_directory_above(log_dir: Path, tmp_path: Path) -> None:
    in_partition = [file_name(0), file_name(10)]
    in_log_dir = [f"orders-0/{file_name(0)}", f"orders-0/{file_name(10)}", f"orders-1/{file_name(0)}"]
    assert files(log_dir / "orders-0") == in_partition
    assert files(log_dir) == in_log_dir
    assert files(tmp_path) == [f"data/{name}" for name in in_log_dir]


def test_several_brokers_at_several_depths_under_one_root(tmp_path: Path) -> None:
    segment(tmp_path / "rack-1" / "broker-1" / "kafka" / "orders-0", 0)
    segment(tmp_path / "rack-1" / "broker-2" / "orders-1", 0)
    segment(tmp_path / "broker-3" / "a" / "b" / "c" / "orders-2", 0)
    segment(tmp_path / "orders-3", 0)
    assert files(tmp_path) == [
        f"{name}/{file_name(0)}"
        for name in (
            "rack-1/broker-1/kafka/orders-0",
            "rack-1/broker-2/orders-1",
            "broker-3/a/b/c/orders-2",
            "orders-3",
        )
    ]
    assert [os.path.relpath(each.path, tmp_path) for each in open_log_dirs(tmp_path)] == [
        ".",
        "broker-3/a/b/c",
        "rack-1/broker-1/kafka",
        "rack-1/broker-2",
    ]


def test_a_list_of_sources_puts_each_source_as_given_in_front_of_its_files(log_dir: Path) -> None:
    given: list[Any] = [f"{log_dir}/orders-1/", log_dir / "orders-0", (log_dir / "orders-0").as_uri()]
    assert files(given) == [
        f"{log_dir}/orders-0/{file_name(0)}",
        f"{log_dir}/orders-0/{file_name(10)}",
        f"{log_dir}/orders-1/{file_name(0)}",
    ]
    uri = log_dir.as_uri()
    assert files([uri, log_dir])[0] == f"{uri}/orders-0/{file_name(0)}"
    assert files(iter([log_dir])) == files(log_dir)
    assert [row.file for each in open_log_dirs([uri, log_dir]) for row in each.partitions[0].segments] == [
        f"{uri}/orders-0/{file_name(0)}",
        f"{uri}/orders-0/{file_name(10)}",
    ]


def test_files_of_a_list_are_called_as_given(log_dir: Path) -> None:
    given = [str(log_dir / "orders-1" / file_name(0)), str(log_dir / "orders-0" / file_name(10))]
    assert files(given) == [given[1], given[0]]


@pytest.mark.parametrize("form", ["orders-0", "orders-0/", "./orders-0", "orders-1/../orders-0", ".", "path"])
def test_relative_paths_of_any_form(log_dir: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(log_dir / "orders-0" if form == "." else log_dir)
    source: Any = Path("orders-0") if form == "path" else form
    table = kafkafmt.scan(source, columns=["topic", "partition", "file"]).to_table()
    assert set(map(tuple, (row.values() for row in table.to_pylist()))) == {
        ("orders", 0, file_name(0)),
        ("orders", 0, file_name(10)),
    }


def test_a_file_relative_to_its_own_directory_knows_its_topic(log_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(log_dir / "orders-0")
    assert column(file_name(0), "topic")[0] == "orders"


def test_file_uris_with_escapes(tmp_path: Path) -> None:
    strange = tmp_path / "a b#c?d%41ü\t"
    segment(strange / "orders-0", 0)
    assert offsets(strange.as_uri()) == list(range(10))
    assert offsets("FILE://localhost" + strange.as_uri().removeprefix("file://")) == list(range(10))
    assert offsets(strange.as_uri().replace("file://", "file:")) == list(range(10))


def test_names_that_only_look_like_uris_are_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("backup:2024", "host:", "a+b:c"):
        segment(tmp_path / name / "orders-0", 0)
        assert offsets(f"{name}/orders-0") == list(range(10))


@pytest.mark.parametrize("source", ["file://other-host/x", "file://[x/", "https://host/x", "s4://bucket"])
def test_other_schemes_and_hosts_are_source_errors(source: str) -> None:
    for read in (kafkafmt.scan, open_log_dirs, LogDir):
        with pytest.raises(SourceError) as error:
            read(source)
        assert error.value.file == source


def test_local_file_systems_of_pyarrow_are_read_as_this_machines_disks(log_dir: Path) -> None:
    local = pyarrow.fs.LocalFileSystem()
    assert offsets(log_dir, filesystem=local) == offsets(log_dir)
    assert offsets(log_dir.as_uri(), filesystem=local) == offsets(log_dir)
    assert len(open_log_dirs(log_dir, local)) == len(open_log_dirs(log_dir, filesystem=local)) == 1
    assert len(LogDir(log_dir, local).partitions) == 2
    inner = pyarrow.fs.SubTreeFileSystem("data", pyarrow.fs.SubTreeFileSystem(str(log_dir.parent), local))
    for source in ("", "orders-0", "/orders-0/"):
        assert files(source, filesystem=inner) == files(log_dir / source.strip("/"))
    assert LogDir("", inner)["orders", 1].path == f"{log_dir.parent}/data/orders-1"


@pytest.mark.parametrize("filesystem", ["local", 5, object()])
def test_what_is_no_file_system_of_pyarrow_is_a_type_error(log_dir: Path, filesystem: Any) -> None:
    with pytest.raises(TypeError, match="FSSpecHandler"):
        kafkafmt.scan(log_dir, filesystem=filesystem)


@pytest.mark.parametrize("source", [7, b"/data", [None], [b"/data"]])
def test_what_is_no_path_is_a_type_error(source: Any) -> None:
    with pytest.raises(TypeError):
        kafkafmt.scan(source)


@pytest.mark.parametrize("source", ["missing", "", "a\0b", "x" * 300, "a/" * 2100])
def test_a_missing_path_is_a_source_error_that_names_it(tmp_path: Path, source: str) -> None:
    path = f"{tmp_path}/{source}" if source else ""
    for read in (kafkafmt.scan, open_log_dirs, LogDir):
        with pytest.raises(SourceError) as error:
            read(path)
        assert error.value.file == path


def test_an_empty_or_foreign_directory_holds_nothing_of_kafkas(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "foreign" / "x-0").mkdir(parents=True)
    (tmp_path / "foreign" / "x-0" / "notes.log").write_text("hello")
    (tmp_path / "foreign" / "x-0" / "0000000000000000001.log").write_text("19 digits")
    (tmp_path / "foreign" / "x-0" / "00000000000000000000.index").write_bytes(b"")
    for name in ("empty", "foreign"):
        for read in (kafkafmt.scan, open_log_dirs):
            with pytest.raises(SourceError) as error:
                read(tmp_path / name)
            assert error.value.file == str(tmp_path / name)
    assert LogDir(tmp_path / "empty").partitions == []


def test_a_log_directory_without_partitions_is_known_by_its_meta_properties(tmp_path: Path) -> None:
    (tmp_path / "meta.properties").write_text("version=1\nnode.id=1\ncluster.id=x\n")
    assert offsets(tmp_path) == []
    (log_dir,) = open_log_dirs(tmp_path)
    assert log_dir.partitions == log_dir.other_partitions == []
    assert log_dir.checkpoints == {}
    assert log_dir.clean_shutdown is None


def test_a_log_directory_with_nothing_but_what_was_set_aside_is_empty(tmp_path: Path) -> None:
    segment(tmp_path / f"orders-0.{'a' * 32}-delete", 0)
    assert offsets(tmp_path) == []


def test_the_remote_index_cache_and_lost_and_found_are_passed_over(log_dir: Path) -> None:
    segment(log_dir / "remote-log-index-cache", 0)
    segment(log_dir / "remote-log-index-cache" / "orders-9", 0)
    segment(log_dir / "lost+found" / "orders-8", 0)
    assert {name.split("/")[0] for name in files(log_dir)} == {"orders-0", "orders-1"}
    (only,) = open_log_dirs(log_dir)
    assert [each.name for each in only.partitions + only.other_partitions] == ["orders-0", "orders-1"]


def test_contents_make_a_partition_directory_whatever_its_name(log_dir: Path) -> None:
    segment(log_dir / "no kafka name", 0, suffix=".deleted")
    segment(log_dir / "another", 5)
    (log_dir / "orders-7").mkdir()
    (log_dir / "orders-7" / file_name(0)).mkdir()
    (only,) = open_log_dirs(log_dir)
    assert [each.name for each in only.partitions] == ["orders-0", "orders-1", "another", "no kafka name"]
    assert column(log_dir, "topic")[-1] is None
    assert column(log_dir, "partition")[-1] is None


def test_a_file_is_read_whatever_its_name(tmp_path: Path, log_dir: Path) -> None:
    for name in ("backup.bin", "00000000000000000000-0000000001.checkpoint", file_name(0, ".log.deleted")):
        path = tmp_path / "somewhere" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(batch(0, 3))
        row = kafkafmt.scan(path).to_table().to_pylist()[-1]
        assert (row["topic"], row["partition"], row["offset"], row["file"]) == (None, None, 2, name)


def test_what_is_named_twice_or_lies_in_another_source_is_read_once(log_dir: Path) -> None:
    once = sorted(offsets(log_dir))
    file = log_dir / "orders-0" / file_name(10)
    link = log_dir.parent / "link"
    link.symlink_to(log_dir)
    for given in (
        [log_dir, log_dir],
        [log_dir, log_dir / "orders-0"],
        [log_dir / "orders-0", log_dir],
        [log_dir, file],
        [file, file, log_dir, f"{log_dir}/"],
        [log_dir.parent, link, log_dir.as_uri()],
    ):
        assert sorted(offsets(given)) == once, given
    assert len(open_log_dirs([log_dir, link, log_dir.parent])) == 1


def test_a_file_named_beside_its_directory_adds_only_what_the_directory_leaves_out(log_dir: Path) -> None:
    deleted = segment(log_dir / "orders-0", 5, batch(5, 2), suffix=".deleted")
    assert offsets([log_dir / "orders-0", deleted]) == [*range(10), 5, 6, *range(10, 20)]
    assert offsets([deleted, log_dir / "orders-0" / file_name(0)]) == [*range(10), 5, 6]


def test_links_are_followed_inside_the_source_and_loops_end(log_dir: Path, tmp_path: Path) -> None:
    segment(tmp_path / "elsewhere" / "orders-2", 0)
    (log_dir / "orders-2").symlink_to(tmp_path / "elsewhere" / "orders-2")
    segment(log_dir / "moved" / "away", 0)
    (log_dir / "orders-3").symlink_to("moved/away")
    (log_dir / "loop").symlink_to(log_dir)
    (log_dir / "orders-0" / "up").symlink_to(tmp_path)
    (log_dir / "orders-0" / "self").symlink_to(".")
    (log_dir / "dangling").symlink_to("nowhere")
    (log_dir / "mutual").symlink_to("mutual2")
    (log_dir / "mutual2").symlink_to("mutual")
    assert files(log_dir) == [
        f"orders-{name}/{file_name(offset)}" for name, offset in ((0, 0), (0, 10), (1, 0), (2, 0), (3, 0))
    ]
    followed, left_out = kafkafmt.scan(log_dir).notes
    links = ("orders-2", "orders-0/up", "loop", "orders-0/self", "orders-3")
    assert [str(log_dir / name) in followed for name in links] == [True, False, False, False, True]
    assert [str(log_dir / name) in left_out for name in links] == [False, True, False, False, False]
    assert len(offsets(tmp_path)) == 50
    (followed,) = kafkafmt.scan(tmp_path).notes
    assert [str(log_dir / name) in followed for name in links] == [True, False, False, False, True]
    assert len(offsets(log_dir / "orders-2")) == 10


def test_links_out_are_entered_only_where_kafka_would(log_dir: Path, tmp_path: Path) -> None:
    """Kafka follows a log.dir and a partition directory that are links; the rest of a disk is not searched."""
    foreign = tmp_path / "foreign"
    segment(foreign / "deep" / "lost-0", 0)
    (log_dir / "backup").symlink_to(foreign)
    segment(tmp_path / "disk" / "moved-0", 0)
    (log_dir / "disk").symlink_to(tmp_path / "disk")
    (tmp_path / "disk" / "moved-0" / "back").symlink_to(log_dir)
    (tmp_path / "disk" / "round").symlink_to(tmp_path / "disk")
    found = files(log_dir)
    assert f"disk/moved-0/{file_name(0)}" in found
    assert len(found) == len(set(found)) == 4
    (followed,) = kafkafmt.scan(log_dir).notes
    assert str(log_dir / "disk") in followed
    assert "backup" not in followed
    surveyed = kafkafmt.open(log_dir).verify(level="headers")
    assert {Path(row["path"]).name for row in surveyed.partitions.to_pylist()} >= {"orders-0", "orders-1"}


def test_directories_deeper_than_the_stack_are_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    depth = 1100
    for _ in range(depth):
        os.mkdir("d")
        os.chdir("d")
    segment(Path("orders-0"), 0)
    monkeypatch.chdir(tmp_path)
    assert files(".") == ["d/" * depth + f"orders-0/{file_name(0)}"]
    # Python's rmtree, and so pytest's, cannot descend this deep.
    for _ in range(depth):
        os.rename("d", "top")
        if os.path.isdir("top/d"):
            os.rename("top/d", "d")
            os.rmdir("top")
    assert not os.path.isdir("d")


def test_special_files_and_dangling_links_called_like_segments_are_source_errors(log_dir: Path) -> None:
    for make in (os.mkfifo, lambda path: os.symlink("nowhere", path)):
        path = log_dir / "orders-1" / file_name(10)
        make(path)
        with pytest.raises(SourceError) as error:
            kafkafmt.scan(log_dir).to_table()
        assert error.value.file == str(path)
        path.unlink()


def test_a_directory_that_may_not_be_listed_is_a_source_error_even_when_skipping(
    log_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scandir = os.scandir

    def forbidding(path: str) -> Any:
        if str(path).endswith("orders-1"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", forbidding)
    for topics in (None, "orders", {"orders": 1}):
        with pytest.raises(SourceError, match="Permission denied") as error:
            kafkafmt.scan(log_dir, topics=topics, on_damage="skip")
        assert error.value.file == str(log_dir / "orders-1")


def test_a_directory_that_may_not_be_listed_ends_nothing_that_is_not_about_it(
    log_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (log_dir / "orders-1").rename(log_dir / "closed-0")
    (log_dir.parent / "closed").mkdir()
    scandir = os.scandir

    def forbidding(path: str) -> Any:
        if os.path.basename(path).startswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", forbidding)
    named = [str(log_dir.parent / "closed"), str(log_dir / "closed-0")]
    scan = kafkafmt.scan(log_dir.parent, topics="orders")
    assert scan.to_table().num_rows == 20
    assert scan.plan().notes == scan.notes
    assert sorted(note.partition(": ")[0] for note in scan.notes) == named
    assert all(note.is_finding for note in scan.notes)
    above, there = open_log_dirs(log_dir.parent)
    assert (above.partitions, [error.file for error in above.unreadable]) == ([], named[:1])
    assert [error.file for error in there.unreadable] == named[1:]
    assert [partition.name for partition in there.partitions] == ["orders-0"]


def test_a_file_that_may_not_be_opened_is_a_source_error_even_when_skipping(
    log_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = log_dir / "orders-1" / file_name(0)
    open_ = os.open

    def forbidding(name: str, *args: Any, **more: Any) -> int:
        if str(name) == str(path):
            raise PermissionError(13, "Permission denied", name)
        return open_(name, *args, **more)

    monkeypatch.setattr(os, "open", forbidding)
    scan = kafkafmt.scan(log_dir, on_damage="skip")
    with pytest.raises(SourceError, match="Permission denied") as error:
        scan.to_table()
    assert error.value.file == str(path)
    with pytest.raises(SourceError):
        kafkafmt.scan(path)


def test_the_same_partition_twice_in_one_directory_by_link_counts_once(log_dir: Path) -> None:
    (log_dir / "orders-5").symlink_to(log_dir / "orders-1")
    assert len(offsets(log_dir)) == 30


def test_a_dangling_link_named_like_a_partition_is_no_missing_partition(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0)
    (tmp_path / "other").symlink_to(tmp_path / "nowhere")
    assert [partition.name for partition in LogDir(tmp_path).partitions] == ["t-0"]
    (tmp_path / "t-1").symlink_to(tmp_path / "nowhere")
    with pytest.raises(SourceError, match="t-1"):
        kafkafmt.scan(tmp_path)
