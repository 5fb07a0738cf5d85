"""What a survey can be asked about: directories of any kind and single files, quickly or wholly."""

from pathlib import Path

import pytest
from pyarrow import fs

import kafkafmt
from kafkafmt import SourceError
from kafkafmt.findings import FINDING, NOTE
from kafkafmt.survey import survey
from tests.logdir.builders import batch, segment
from tests.survey.findings.surveyed import ASIDE, only, surveyed


def test_codecs_and_formats_of_a_segment(log_dir: Path) -> None:
    (partition,) = surveyed(log_dir)[1]
    assert (partition.segments[0].codecs, partition.segments[0].magics) == (("none",), (2,))


def test_a_directory_without_any_log(log_dir: Path) -> None:
    (log_dir / "gone-0").mkdir()
    (log_dir / "gone-0" / "00000000000000000000.log.deleted").write_bytes(batch(0))
    findings, partitions = surveyed(log_dir)
    facts = partitions[0].facts
    assert (facts.topic, facts.segments, facts.log_end_offset, facts.records) == ("gone", 0, None, 0)
    assert [(found.level, found.kind, found.path) for found in findings] == [
        (FINDING, "no log", str(log_dir / "gone-0"))
    ]


@pytest.mark.parametrize("name", ["00000000000000000000.index", "leader-epoch-checkpoint", "partition.metadata"])
def test_a_partition_that_lost_its_log_is_one_by_what_is_left(log_dir: Path, name: str) -> None:
    (log_dir / "gone-0").mkdir()
    (log_dir / "gone-0" / "readme.txt").write_bytes(b"")
    (log_dir / "noname").mkdir()
    (log_dir / "noname" / name).write_bytes(b"")
    assert surveyed(log_dir)[0] == []
    (log_dir / "gone-0" / name).write_bytes(b"")
    assert ("no log", str(log_dir / "gone-0")) in [(found.kind, found.path) for found in surveyed(log_dir)[0]]


def test_a_directory_set_aside_may_be_without_a_log(log_dir: Path) -> None:
    aside = log_dir / f"gone-0.{'0' * 32}-delete"
    aside.mkdir()
    (aside / "00000000000000000000.index").write_bytes(b"")
    findings, partitions = surveyed(log_dir, everything=True)
    assert (findings, partitions[1].facts.state) == ([], "delete")


def test_a_log_file_alone(log_dir: Path) -> None:
    (found,) = survey(log_dir / "orders-0" / "00000000000000000010.log")
    (partition,) = found.partitions()
    assert not found.is_whole
    assert (partition.facts.topic, partition.facts.records, partition.facts.log_start_offset) == ("orders", 10, 10)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("00000000000000000000.index", "an offset index"),
        ("00000000000000000000.snapshot", "a producer snapshot"),
        ("leader-epoch-checkpoint", "a leader epoch checkpoint"),
        ("partition.metadata", "the topic id of a partition directory"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_a_hint(log_dir: Path, name: str, kind: str) -> None:
    path = log_dir / "orders-0" / name
    path.write_bytes(b"")
    with pytest.raises(SourceError, match=f"{kind}.*kafkafmt dump"):
        list(survey(path))
    with pytest.raises(SourceError, match=f"{kind}.*kafkafmt dump"):
        kafkafmt.scan(path).to_table()


def test_a_file_with_nothing_of_kafkas_in_it_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"\x90nothing to see here, move along, nothing to see here")
    assert (only(path).level, only(path).length) == (FINDING, 53)
    path.write_bytes(bytes(1000))
    assert (only(path).level, only(path).kind) == (NOTE, "zero_tail")


def test_a_quick_survey_reads_the_ends(log_dir: Path) -> None:
    segment(log_dir / "orders-0", 10, batch(10, 5, timestamp=5000), batch(15, 5, timestamp=9000, epoch=3))
    findings, (partition,) = surveyed(log_dir, depth="quick")
    assert findings == []
    assert (partition.facts.records, partition.facts.log_end_offset, partition.facts.max_leader_epoch) == (None, 20, 3)
    assert (partition.facts.min_timestamp, partition.facts.max_timestamp) == (1000, 9004)
    segment(log_dir / "orders-0", 10, b"")
    assert surveyed(log_dir, depth="quick")[1][0].facts.log_end_offset == 10


def test_partitions_come_by_name_or_the_largest_first(log_dir: Path) -> None:
    segment(log_dir / "big-0", 0, batch(0, 100))
    segment(log_dir / "big-1", 0, batch(0))
    segment(log_dir / f"{ASIDE}-delete", 0, batch(0, 500))
    names = [(each.facts.topic, each.facts.partition) for each in surveyed(log_dir)[1]]
    assert names == [("big", 0), ("big", 1), ("orders", 0), ("orders", 1)]
    names = [(each.facts.topic, each.facts.partition) for each in surveyed(log_dir, order="size")[1]]
    assert names == [("orders", 1), ("big", 0), ("orders", 0), ("big", 1)]


def test_another_file_system_is_surveyed_too(log_dir: Path) -> None:
    filesystem = fs.SubTreeFileSystem(str(log_dir.parent), fs.LocalFileSystem())
    (found,) = survey("data", filesystem=filesystem)
    (partition,) = found.partitions()
    assert (partition.facts.records, partition.findings) == (20, ())
