"""Sources: odd directory names, and paths that are read only if named."""

import os
from pathlib import Path

import kafkafmt
from kafkafmt import LogDir, open_log_dirs
from tests.golden_cases import GOLDEN
from tests.logdir.builders import column, file_name, offsets, segment

NAMES = GOLDEN / "modern" / "13-names-4.3.1" / "log-dir"


def test_what_the_default_view_leaves_out_is_read_when_it_is_named() -> None:
    for name in ("dir-0", "dir-1"):
        for other in LogDir(NAMES / name).other_partitions:
            named = kafkafmt.scan(other.path).to_table().to_pylist()
            assert {(row["topic"], row["partition"]) for row in named} <= {(other.topic, other.partition)}
            assert [row["offset"] for row in named] == [r.offset for each in other.segments for r in each.records()]
            for each in other.segments + other.other_segments:
                assert offsets(each.path, control_records=True) == [record.offset for record in each.records()]


def test_a_deleted_file_below_the_log_start_is_read_when_it_is_named() -> None:
    case = GOLDEN / "modern" / "06-retention-4.3.1" / "log-dir"
    deleted = sorted(case.rglob("*.log.deleted"))
    assert deleted
    for path in deleted:
        assert offsets(path), path


def test_odd_topic_names_are_split_at_the_last_dash() -> None:
    found = {(each.topic, each.partition) for name in ("dir-0", "dir-1") for each in LogDir(NAMES / name).partitions}
    long = "abcdefghijklmnopqrstuvwxyz" * 9 + "abcdefghijklmno"
    assert {("0", 0), ("topic-delete", 0), ("dash-", 0), ("..._", 0), ("x-1-2-3", 0), ("a-0.b", 0), (long, 0)} <= found
    assert len(long) == 249
    assert offsets(NAMES, topics=["0", "topic-delete", "..._"])
    asides = {(p.topic, p.partition, p.state) for d in open_log_dirs(NAMES) for p in d.other_partitions}
    cut = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" * 8 + "ABCDE"
    assert asides == {
        ("to.be-deleted", 0, "delete"),
        ("to.be-deleted", 1, "delete"),
        ("mover", 0, "future"),
        (cut, 0, "delete"),
    }


def test_a_topic_named_dash_and_names_of_255_characters(tmp_path: Path) -> None:
    longest = "t" * 253
    for name in ("--0", f"{longest}-1", "-5", "orders--1"):
        segment(tmp_path / name, 0)
    found = [(each.topic, each.partition) for each in LogDir(tmp_path).partitions]
    assert found == [("-", 0), ("orders-", 1), (longest, 1), (None, None)]
    assert offsets(tmp_path, topics="-") == list(range(10))


def test_every_directory_that_ends_as_one_set_aside_is_out(tmp_path: Path) -> None:
    for name in (f"a-0.{'0' * 32}-delete", f"a-0.{'F' * 32}-stray", "a.b-0.short-future", "a.b-0-delete", "x-stray"):
        segment(tmp_path / name, 0)
    segment(tmp_path / "a-delete-0", 0)
    only = LogDir(tmp_path)
    assert [each.topic for each in only.partitions] == ["a-delete"]
    assert {(each.topic, each.partition, each.state) for each in only.other_partitions} == {
        ("a", 0, "delete"),
        ("a", 0, "stray"),
        ("a.b", 0, "future"),
        ("a.b", 0, "delete"),
        (None, None, "stray"),
    }
    assert set(column(tmp_path, "topic")) == {"a-delete"}


def test_a_partition_number_that_no_int32_holds_is_no_kafka_name(tmp_path: Path) -> None:
    for number in ("2147483648", "0" * 20 + "99999999999", "²", "+1"):
        segment(tmp_path / number / f"t-{number}", 0)
        assert column(tmp_path / number, "partition") == [None] * 10
    segment(tmp_path / "max" / "t-2147483647", 0)
    assert column(tmp_path / "max", "partition")[0] == 2147483647


def test_names_that_are_no_text_are_read_and_shown_with_replacement_characters(tmp_path: Path) -> None:
    directory = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9-0"))
    segment(directory, 0)
    assert set(column(tmp_path, "topic")) == {"caf�"}
    assert set(column(tmp_path, "file")) == {f"caf�-0/{file_name(0)}"}
    uri = "file://" + os.fsencode(directory).decode("latin-1").replace("\xe9", "%E9")
    assert offsets(uri) == list(range(10))
