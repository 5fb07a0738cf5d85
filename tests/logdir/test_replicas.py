"""The choice of a partition's best copy, and the notes on the others."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt import CorruptError, SourceError
from tests.golden_cases import Case, cases
from tests.logdir.builders import batch, column, file_name, offsets, segment

DIVERGED = [case for case in cases("modern") if case.name.startswith("07")]


def epochs(partition: Path, *starts: tuple[int, int]) -> None:
    lines = ["0", str(len(starts)), *(f"{epoch} {start}" for epoch, start in starts)]
    (partition / "leader-epoch-checkpoint").write_text("\n".join(lines) + "\n")


def replica(broker: Path, *batches: bytes, starts: list[tuple[int, int]] | None = None) -> None:
    segment(broker / "t-0", 0, *batches)
    if starts is not None:
        epochs(broker / "t-0", *starts)


def chosen(source: Any, **scan: Any) -> tuple[str, list[str]]:
    """The broker that is read, and those that are skipped."""
    one = kafkafmt.scan(source, columns=["file"], **scan)
    (name,) = {file.split("/")[0] for file in one.to_table().column("file").to_pylist()}
    return name, [Path(partition.path).parent.name for partition in one.skipped_replicas]


@pytest.mark.parametrize("case", DIVERGED, ids=str)
def test_the_best_golden_replica_has_the_newest_epoch_then_the_highest_end(case: Case) -> None:
    last_epoch = {
        tuple(row["file"].split("/")[:2]): row["entries"][-1]["epoch"]
        for row in case.jsonl("checkpoints.jsonl")
        if row["file"].endswith("leader-epoch-checkpoint") and row["entries"]
    }
    end: dict[tuple[str, ...], int] = {}
    for row in case.jsonl("batches.jsonl"):
        node, _, rest = row["file"].partition("/")
        directory, _, name = rest.partition("/")
        if name.endswith(".log"):
            end[node, directory] = max(row["lastOffset"] + 1, end.get((node, directory), 0))
    scan = kafkafmt.scan(case.log_dir, columns=["topic", "partition", "file"])
    read = {(row["topic"], row["partition"], row["file"].split("/")[0]) for row in scan.to_table().to_pylist()}
    for number in (0, 1):
        candidates = [(-last_epoch[key], -end[key], key[0]) for key in end if key[1] == f"rep-{number}"]
        assert len(candidates) == 3
        best = min(candidates)[2]
        assert {node for topic, partition, node in read if (topic, partition) == ("rep", number)} == {best}
        skipped = [each.path for each in scan.skipped_replicas if (each.topic, each.partition) == ("rep", number)]
        assert skipped == [
            str(case.log_dir / node / f"rep-{number}")
            for *_, node in sorted(candidates, key=lambda c: c[2])
            if node != best
        ]


@pytest.mark.parametrize("case", DIVERGED, ids=str)
def test_all_replicas_come_in_path_order(case: Case) -> None:
    scan = kafkafmt.scan(case.log_dir, replica="all", topics="rep")
    found = [(row["partition"], *row["file"].split("/")[::2], row["position"]) for row in scan.to_table().to_pylist()]
    assert found == sorted(found)
    assert len({node for _, node, *_ in found}) == 3
    assert scan.skipped_replicas == []
    assert kafkafmt.scan(case.log_dir).count() < kafkafmt.scan(case.log_dir, replica="all").count()


def test_epoch_comes_before_end_and_end_before_path(tmp_path: Path) -> None:
    replica(tmp_path / "a", batch(0, 9, epoch=1), starts=[(1, 0)])
    replica(tmp_path / "b", batch(0, 4, epoch=1), batch(4, 1, epoch=2), starts=[(1, 0), (2, 4)])
    replica(tmp_path / "c", batch(0, 7, epoch=2), starts=[(2, 0)])
    replica(tmp_path / "d", batch(0, 7, epoch=2), starts=[(2, 0)])
    assert chosen(tmp_path) == ("c", ["a", "b", "d"])
    assert kafkafmt.scan(tmp_path).count() == 7
    assert len(offsets(tmp_path, replica="all")) == 28


def test_without_epochs_on_disk_those_of_the_last_batches_count(tmp_path: Path) -> None:
    replica(tmp_path / "a", batch(0, 5, epoch=1), batch(5, 4, epoch=1))
    replica(tmp_path / "b", batch(0, 2, epoch=2), batch(2, 3, epoch=2))
    replica(tmp_path / "c", b"")
    segment(tmp_path / "d" / "t-0", 0, suffix=".deleted")
    assert chosen(tmp_path) == ("b", ["a", "c", "d"])


def test_a_broken_epoch_checkpoint_is_raised_or_listed_and_the_last_batch_counts(tmp_path: Path) -> None:
    replica(tmp_path / "a", batch(0, 9, epoch=1), starts=[(1, 0)])
    replica(tmp_path / "b", batch(0, 2, epoch=2), batch(2, 3, epoch=2))
    broken = tmp_path / "b" / "t-0" / "leader-epoch-checkpoint"
    broken.write_text("0\n1\n")
    with pytest.raises(CorruptError) as error:
        offsets(tmp_path)
    assert error.value.file == str(broken)
    scan = kafkafmt.scan(tmp_path, on_damage="skip")
    assert scan.to_table().num_rows == 5
    assert [(damage.file, damage.length) for damage in scan.damage] == [(str(broken), 0)]
    assert len(offsets(tmp_path, replica="all")) == 14


def test_an_unreadable_epoch_checkpoint_is_a_source_error_in_both_modes(tmp_path: Path) -> None:
    replica(tmp_path / "a", batch(0))
    replica(tmp_path / "b", batch(0))
    (tmp_path / "b" / "t-0" / "leader-epoch-checkpoint").symlink_to("nowhere")
    for on_damage in ("raise", "skip"):
        with pytest.raises(SourceError):
            offsets(tmp_path, on_damage=on_damage)


def test_files_named_and_directories_without_a_kafka_name_are_no_replicas(tmp_path: Path) -> None:
    for broker in ("a", "b"):
        segment(tmp_path / broker / "odd", 0)
        segment(tmp_path / broker / "t-0", 0)
    assert set(column(tmp_path, "file")) == {
        f"a/t-0/{file_name(0)}",
        f"a/odd/{file_name(0)}",
        f"b/odd/{file_name(0)}",
    }
    both = [tmp_path / broker / "t-0" / file_name(0) for broker in "ab"]
    assert len(offsets(both)) == 20


def test_two_log_directories_of_one_broker_are_one_log(tmp_path: Path) -> None:
    segment(tmp_path / "disk-1" / "t-1", 0)
    segment(tmp_path / "disk-2" / "t-0", 0)
    segment(tmp_path / "disk-2" / "t-2", 0)
    scan = kafkafmt.scan(tmp_path, columns=["partition"])
    assert list(dict.fromkeys(scan.to_table().column("partition").to_pylist())) == [0, 1, 2]
    assert scan.skipped_replicas == []


def test_only_wanted_partitions_are_compared(tmp_path: Path) -> None:
    replica(tmp_path / "a", batch(0))
    replica(tmp_path / "b", batch(0))
    (tmp_path / "b" / "t-0" / "leader-epoch-checkpoint").write_text("broken")
    segment(tmp_path / "a" / "u-0", 0)
    scan = kafkafmt.scan(tmp_path, topics="u")
    assert scan.to_table().num_rows == 10
    assert scan.skipped_replicas == []


EPOCH_AT = 12
"""Where in a batch of format 2 its partition leader epoch begins."""


def flip_epoch(log: Path, number: int, epoch: int = 2**30) -> int:
    """Overwrite a batch's leader epoch, which no CRC covers; return its base offset."""
    header = list(kafkafmt.Segment(str(log)).batches())[number]
    assert header.base_offset is not None
    data = bytearray(log.read_bytes())
    data[header.position + EPOCH_AT : header.position + EPOCH_AT + 4] = epoch.to_bytes(4, "big")
    log.write_bytes(data)
    return header.base_offset


def cut(log: Path, batches: int) -> None:
    """Truncate a log to its first batches."""
    end = list(kafkafmt.Segment(str(log)).batches())[batches].position
    log.write_bytes(log.read_bytes()[:end])


@pytest.mark.parametrize("epoch", [2**30, 9, 2])
def test_a_truncated_copy_with_a_flipped_epoch_and_no_checkpoint_does_not_win(tmp_path: Path, epoch: int) -> None:
    batches = [batch(offset, epoch=offset // 4) for offset in range(6)]
    replica(tmp_path / "a", *batches, starts=[(0, 0), (1, 4)])
    replica(tmp_path / "b", batches[0], batch(1, epoch=epoch))
    assert chosen(tmp_path) == ("a", ["b"])
    assert kafkafmt.scan(tmp_path).count() == 6


@pytest.mark.parametrize("with_checkpoint", [True, False])
@pytest.mark.parametrize("case", DIVERGED, ids=str)
def test_a_flipped_epoch_in_a_golden_replica_decides_nothing(case: Case, tmp_path: Path, with_checkpoint: bool) -> None:
    best = {each.partition: each.path for each in kafkafmt.scan(case.log_dir, topics="rep").best_partitions()}
    shutil.copytree(case.log_dir, tmp_path / "disks")
    flipped = 0
    for partition in kafkafmt.scan(case.log_dir, topics="rep").partitions:
        if partition.path == best[partition.partition]:
            continue
        copy = tmp_path / "disks" / Path(partition.path).relative_to(case.log_dir)
        log = copy / partition.segments[-1].name
        cut(log, 2)
        flip_epoch(log, 1)
        if not with_checkpoint:
            (copy / "leader-epoch-checkpoint").unlink()
        flipped += 1
    assert flipped == 4
    chosen = kafkafmt.scan(tmp_path / "disks", topics="rep").best_partitions()
    assert {each.partition: Path(each.path).relative_to(tmp_path / "disks") for each in chosen} == {
        number: Path(path).relative_to(case.log_dir) for number, path in best.items()
    }


def test_a_flipped_epoch_does_not_make_the_best_replica_lose(tmp_path: Path) -> None:
    batches = [batch(offset, epoch=offset // 4) for offset in range(6)]
    log = segment(tmp_path / "a" / "t-0", 0, *batches)
    epochs(tmp_path / "a" / "t-0", (0, 0), (1, 4))
    replica(tmp_path / "b", *batches[:5], starts=[(0, 0), (1, 4)])
    flip_epoch(log, 5, epoch=0)
    assert chosen(tmp_path) == ("a", ["b"])


def test_an_epoch_of_the_checkpoint_that_no_batch_confirms_does_not_win(tmp_path: Path) -> None:
    batches = [batch(offset, epoch=offset // 4) for offset in range(6)]
    replica(tmp_path / "a", *batches, starts=[(0, 0), (1, 4)])
    replica(tmp_path / "beyond", *batches[:2], starts=[(0, 0), (1, 4), (7, 5)])
    replica(tmp_path / "other", *batches[:5], starts=[(0, 0), (7, 4)])
    assert chosen(tmp_path) == ("a", ["beyond", "other"])


def test_an_epoch_that_begins_at_the_log_end_counts(tmp_path: Path) -> None:
    """A leader was elected and wrote nothing: from Kafka itself (golden/operations, assigned-0)."""
    replica(tmp_path / "a", *(batch(offset) for offset in range(8)), starts=[(0, 0)])
    replica(tmp_path / "b", *(batch(offset) for offset in range(7)), starts=[(0, 0), (5, 7)])
    assert chosen(tmp_path) == ("b", ["a"])


def moved(data: bytes, offset: int) -> bytes:
    """A batch with another base offset, which no CRC covers."""
    return offset.to_bytes(8, "big") + data[8:]


@pytest.mark.parametrize("kept", [10, 13])
@pytest.mark.parametrize(
    ("number", "offset"),
    [
        (9, 2**40 + 9),  # more than a segment can hold
        (9, 73),  # the other replica has this batch without a gap before it
        (8, 72),  # the last batch refutes it
        (9, 1),  # goes back: the log must not seem shorter than it is
    ],
)
def test_a_flipped_offset_at_the_end_of_a_replica_does_not_decide(
    tmp_path: Path, number: int, offset: int, kept: int
) -> None:
    sound = [batch(each, value=b"%d" % each) for each in range(kept)]
    flipped = [moved(data, offset) if each == number else data for each, data in enumerate(sound[:10])]
    if offset == 1:
        sound = sound[:6]
    replica(tmp_path / "a", *flipped)
    replica(tmp_path / "b", *sound)
    if offset == 1:
        assert chosen(tmp_path) == ("a", ["b"])
    elif kept == 13:
        assert chosen(tmp_path) == ("b", ["a"])
    else:
        # Equal by their log ends, or the lower one lacks a batch.
        assert chosen(tmp_path)[0] == ("b" if offset == 2**40 + 9 else "a")


def test_a_gap_before_the_last_batch_is_no_fault(tmp_path: Path) -> None:
    """Compaction leaves gaps, and the other replica may have been copied before it had that batch."""
    compacted = [batch(0, value=b"0"), batch(1, value=b"1"), batch(73, value=b"73")]
    for name, other in {"equal": compacted, "behind": compacted[:2]}.items():
        replica(tmp_path / name / "a", *other)
        replica(tmp_path / name / "b", *compacted)
    assert chosen(tmp_path / "equal") == ("a", ["b"])
    assert chosen(tmp_path / "behind") == ("b", ["a"])
