"""Leader epochs show where replicas diverge, and which batches contradict each other or the checkpoint."""

import pickle
import shutil
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.files import clean_shutdown
from kafkafmt.files.leader_epoch_checkpoint import EpochEntry
from kafkafmt.findings import Finding
from kafkafmt.io.source import locate
from kafkafmt.logdir.leader_epochs import EpochHistory
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.recovery import loaded_history
from kafkafmt.survey import diverged, survey
from tests import reads
from tests.golden_cases import Case, cases
from tests.logdir.builders import batch, checkpoint, segment
from tests.reference.builder import message

REP = [case for case in cases("modern") if case.name.startswith("07")]

# Kafka 4.3.1's own answers: two replicas as UnifiedLog.appendAsFollower wrote them, and where AbstractFetcherThread
# cuts the second when it follows the first, and the first when it follows the second (None: nowhere). They diverged
# where both are cut. In "rounds-2" and "tx-0" Kafka does not see it, as the newest epochs agree.
KAFKA = [
    ("assigned-0", 0, 10, [(0, 0), (5, 8)], 0, 8, [(0, 0)], None, 8, None),
    ("behind-0", 500, 506, [(3, 500)], 0, 4, [(0, 0)], 500, 4, None),
    ("diverged-0", 0, 12, [(0, 0), (1, 8)], 0, 14, [(0, 0), (2, 8)], 8, 8, 8),
    ("diverged-1", 0, 18, [(3, 0), (4, 8)], 0, 12, [(3, 0), (5, 8)], 8, 8, 8),
    ("equal-0", 0, 14, [(0, 0), (1, 8)], 0, 14, [(0, 0), (1, 8)], None, None, None),
    ("expired-0", 8, 20, [(1, 8), (2, 12)], 0, 12, [(0, 0), (1, 6)], None, 12, None),
    ("expired-1", 12, 20, [(4, 12)], 0, 18, [(0, 0), (1, 6), (2, 8)], 12, 12, 12),
    ("later-0", 0, 10, [(1, 0)], 0, 12, [(1, 0), (4, 6)], 6, 6, 6),
    ("prefix-0", 0, 18, [(0, 0), (2, 8)], 0, 12, [(0, 0), (2, 8)], None, 12, None),
    ("prefix-1", 0, 6, [(0, 0)], 0, 10, [(0, 0), (1, 6)], 6, None, None),
    ("rounds-0", 0, 16, [(0, 0), (1, 4), (3, 8), (5, 12)], 0, 18, [(0, 0), (2, 4), (4, 8), (6, 12)], 4, 4, 4),
    ("rounds-1", 0, 16, [(0, 0), (2, 4), (3, 8), (7, 10)], 0, 24, [(0, 0), (2, 4), (5, 16), (6, 20)], 8, 8, 8),
    ("rounds-2", 0, 14, [(0, 0), (1, 4), (2, 10)], 0, 14, [(0, 0), (1, 4), (2, 6)], None, None, 6),
    ("sameepoch-1", 0, 10, [(0, 0)], 0, 10, [(0, 0), (1, 6)], 6, 6, 6),
    ("tx-0", 0, 8, [(0, 0), (2, 6)], 0, 8, [(0, 0), (1, 5), (2, 6)], None, None, 5),
]


# As LeaderEpochFileCache.endOffsetFor answers (tools/judge operations) for epochs (1, 0), (3, 8), (4, 20) and end 25.
END_OFFSETS = [(-1, (-1, -1)), (0, (0, 0)), (1, (1, 8)), (2, (1, 8)), (3, (3, 20)), (4, (4, 25)), (5, (-1, -1))]


def write(
    partition: Path, start: int, end: int, epochs: list[tuple[int, int]], *, missing: tuple[int, ...] = ()
) -> Path:
    """A replica with a batch for each offset, in the epochs of its checkpoint."""
    history = EpochHistory(EpochEntry(*each) for each in epochs)
    batches = (batch(offset, epoch=history.at(offset) or 0) for offset in range(start, end) if offset not in missing)
    log = segment(partition, start, *batches)
    lines = ["0", str(len(epochs)), *(f"{epoch} {first}" for epoch, first in epochs)]
    (partition / "leader-epoch-checkpoint").write_text("\n".join(lines) + "\n")
    return log


def findings(*paths: Path) -> list[Finding]:
    """Findings of a survey about differences between replicas."""
    directories = [each.directory for path in paths for found in survey(str(path)) for each in found.partitions()]
    return diverged(each for each in directories if each is not None)


@pytest.mark.parametrize("known", KAFKA, ids=lambda known: known[0])
def test_replicas_part_where_kafka_cuts_both(tmp_path: Path, known: tuple[Any, ...]) -> None:
    name, start, end, epochs, other_start, other_end, other_epochs, second_cut, first_cut, parts = known
    if name not in ("rounds-2", "tx-0", "behind-0"):
        assert parts == (None if None in (second_cut, first_cut) else second_cut)
    write(tmp_path / "a" / "t-0", start, end, epochs)
    write(tmp_path / "b" / "t-0", other_start, other_end, other_epochs)
    scan = kafkafmt.scan(tmp_path)
    scan.to_table()
    expected = [] if parts is None else [f"offset {parts}"]
    assert [note.split(": ")[1].split(" at ")[1] for note in scan.notes] == expected
    assert len(findings(tmp_path)) == len(expected)


def test_an_epoch_of_which_compaction_removed_the_first_records_is_no_divergence(tmp_path: Path) -> None:
    write(tmp_path / "a" / "t-0", 0, 20, [(0, 0), (1, 8)])
    write(tmp_path / "b" / "t-0", 0, 20, [(0, 0), (1, 11)], missing=(8, 9, 10))
    scan = kafkafmt.scan(tmp_path)
    assert scan.count() > 0
    assert scan.notes == ()


@pytest.mark.slow
@pytest.mark.parametrize("case", REP, ids=str)
def test_golden_replicas_that_diverged_are_noted_by_every_pass(case: Case) -> None:
    expected = {"07": ["65", "65"], "07b": []}[case.name.split("-")[0]]
    passes: dict[str, Callable[[kafkafmt.Scan], object]] = {
        "table": kafkafmt.Scan.to_table,
        "count": kafkafmt.Scan.count,
        "head": lambda scan: scan.head(1).read_all(),
        "tail": lambda scan: scan.tail(1).read_all(),
        "batches": lambda scan: list(scan.batches()),
    }
    for engine in ("columnar", "reference"):
        for replica in ("best", "all"):
            how: Any = {"replica": replica, "engine": engine, "threads": 2}
            scan = kafkafmt.scan(case.log_dir, topics="rep", **how)
            for name, run in passes.items():
                run(scan)
                found = [note.split(" at offset ")[1].split(":")[0] for note in scan.notes]
                assert found == expected, (engine, replica, name)
                assert all(note.is_finding for note in scan.notes)
            assert scan.plan().notes == scan.notes
    assert [found.kind for found in findings(case.log_dir)] == ["diverged"] * len(expected)


def test_replicas_in_several_paths_are_compared_once(tmp_path: Path) -> None:
    write(tmp_path / "a" / "t-0", 0, 9, [(0, 0), (1, 8)])
    write(tmp_path / "b" / "t-0", 0, 10, [(0, 0), (2, 8)])
    (row,) = findings(tmp_path / "a", tmp_path / "b", tmp_path)
    assert (row.kind, row.topic, row.partition) == ("diverged", "t", 0)
    assert row.path == str(tmp_path / "a" / "t-0")
    assert row.message == (f"diverged from {tmp_path / 'b' / 't-0'} at offset 8: leader epoch 1 here, 2 there")
    assert (row.first_offset, row.last_offset) == (8, None)


def test_a_finding_about_a_leader_epoch_has_its_offsets(tmp_path: Path) -> None:
    batches = (batch(offset, epoch=9 if offset == 2 else 1) for offset in range(5))
    log = segment(tmp_path / "t-0", 0, *batches)
    [directory] = [found for disk in survey(str(tmp_path)) for found in disk.partitions()]
    [row] = [row for row in directory.findings if row.kind == "leader epoch"]
    assert (row.path, row.first_offset, row.last_offset) == (str(log), 2, 2)


def test_offsets_below_a_log_start_are_not_compared(tmp_path: Path) -> None:
    write(tmp_path / "a" / "t-0", 0, 12, [(0, 0), (1, 4), (3, 8)])
    write(tmp_path / "b" / "t-0", 0, 12, [(0, 0), (2, 4), (3, 8)])
    assert len(findings(tmp_path)) == 1
    checkpoint(tmp_path / "b", "log-start-offset-checkpoint", {("t", 0): 8})
    assert findings(tmp_path) == []


def test_kafkas_rules_for_entries_of_the_checkpoint() -> None:
    history = EpochHistory(EpochEntry(*each) for each in [(0, 0), (2, 9), (2, 11), (1, 10), (3, 12), (4, 12)])
    assert [(each.epoch, each.start_offset) for each in history.entries] == [(0, 0), (1, 10), (4, 12)]
    assert [history.at(offset) for offset in (-1, 0, 9, 10, 12, 99)] == [None, 0, 0, 1, 4, 4]


def epoch_findings(path: Path, level: str = "finding") -> list[tuple[str, int | None, str]]:
    """Findings of a survey about leader epochs: name of the file or directory, position, message."""
    return [
        (Path(each.path).name, each.position, each.message)
        for found in survey(str(path))
        for partition in found.partitions()
        for each in partition.findings
        if (each.kind, each.level) == ("leader epoch", level)
    ]


@pytest.mark.slow
def test_golden_logs_have_only_the_wrong_leader_epochs_that_were_put_there() -> None:
    found = {
        (case.name, Path(each.path).parent.name): each.message
        for case in cases()
        for log_dir in survey(str(case.log_dir))
        for partition in log_dir.partitions()
        for each in partition.findings
        if each.kind == "leader epoch" and each.level == "finding"
    }
    assert sorted(found) == [
        ("12-crash-3.9.1", "crash-flip-epoch-0"),
        ("12-crash-4.3.1", "crash-flip-epoch-0"),
        ("damaged-mixed-1.1.1", "gz.flip-crc-0"),
        ("damaged-mixed-1.1.1", "plain.flip-crc-0"),
    ]


@pytest.mark.parametrize("with_checkpoint", [True, False])
@pytest.mark.parametrize("case", REP, ids=str)
def test_a_flipped_leader_epoch_is_a_finding_wherever_it_is(case: Case, tmp_path: Path, with_checkpoint: bool) -> None:
    shutil.copytree(case.log_dir / "node-1", tmp_path / "node-1")
    partition = tmp_path / "node-1" / "rep-0"
    log = max(partition.glob("*.log"))
    if not with_checkpoint:
        (partition / "leader-epoch-checkpoint").unlink()
    sound, headers = log.read_bytes(), list(kafkafmt.Segment(str(log)).batches())
    assert epoch_findings(tmp_path) == []
    for header in headers:
        data = bytearray(sound)
        data[header.position + 12] ^= 0x40
        log.write_bytes(data)
        ((name, position, message),) = epoch_findings(tmp_path)
        assert (name, position) == (log.name, header.position)
        assert message.startswith(f"offset {header.base_offset}: leader epoch {header.partition_leader_epoch | 2**30}")


def test_a_leader_epoch_that_goes_back_without_a_checkpoint(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, epoch=5), batch(1, epoch=5), batch(2, epoch=3), batch(3, epoch=5))
    ((_, _, message),) = epoch_findings(tmp_path)
    assert message == "offset 2: the leader epoch goes back from 5 to 3"
    segment(tmp_path / "t-0", 0, batch(0, epoch=5), batch(1, epoch=5), batch(2, epoch=7), batch(3, epoch=9))
    assert [message for _, _, message in epoch_findings(tmp_path)] == [
        "offset 3: leader epoch 9 is only in this batch, and no checkpoint confirms it"
    ]
    assert [message for _, _, message in epoch_findings(tmp_path, "note")] == [
        "offset 2: leader epoch 7 is only in this batch, and no checkpoint confirms it"
    ]


def test_a_checkpoint_that_the_whole_log_contradicts(tmp_path: Path) -> None:
    """As in golden/startup 34 and 35: epochs truncated, different, or beyond the log end."""
    write(tmp_path / "cut-0", 0, 12, [(0, 0), (2, 4), (4, 8)])
    (tmp_path / "cut-0" / "leader-epoch-checkpoint").write_text("0\n1\n0 0\n")
    write(tmp_path / "beyond-0", 0, 12, [(0, 0), (7, 13)])
    write(tmp_path / "at-end-0", 0, 12, [(0, 0), (7, 12)])
    ahead = [
        "leader epoch 7 of leader-epoch-checkpoint starts at 13, beyond the log end offset 12",
        "offsets 4 to 7: leader epoch 2, but leader-epoch-checkpoint says 0",
        "offsets 8 to 11: leader epoch 4, but leader-epoch-checkpoint says 0",
    ]
    assert [message for *_, message in epoch_findings(tmp_path, "note")] == ahead
    (tmp_path / ".kafka_cleanshutdown").touch()
    assert [message for *_, message in epoch_findings(tmp_path)] == ahead


@pytest.mark.parametrize("engine", ["columnar", "reference"])
def test_every_pass_notes_leader_epochs_that_cannot_be_right(tmp_path: Path, engine: Any) -> None:
    log = write(tmp_path / "t-0", 0, 60, [(0, 0), (1, 20), (4, 40)])
    scan = kafkafmt.scan(tmp_path, engine=engine, threads=2)
    scan.to_table()
    assert not scan.notes
    header = list(kafkafmt.Segment(str(log)).batches())[50]
    data = bytearray(log.read_bytes())
    data[header.position + 12] ^= 0x40
    log.write_bytes(data)
    note = f"{log}: position {header.position}: offset 50: leader epoch {2**30 + 4}, "
    known = note + "but leader-epoch-checkpoint says 4 (no CRC covers leader epochs)"
    unknown = note + "which goes back to 4 after it (no CRC covers leader epochs)"
    for expected in (known, unknown):
        runs: list[Callable[[], object]] = [scan.to_table, scan.count, scan.tail(30).read_all]
        runs.append(partial(deque, scan.batches()))
        for run in runs:
            run()
            assert [(note, note.is_finding) for note in scan.notes] == [(expected, True)]
        assert scan.to_table().num_rows == 60
        plan = scan.plan(max_split_bytes=1000)
        assert len(plan.splits) > 3
        told: list[str] = []
        reading = pickle.loads(pickle.dumps(plan.reading))
        rows = 0
        for split in pickle.loads(pickle.dumps(plan.splits)):
            rows += sum(batch.num_rows for batch in reading.read(split, note=told.append))
            reading.count(split, note=told.append)
        assert (rows, set(told)) == (60, {expected})
        (tmp_path / "t-0" / "leader-epoch-checkpoint").unlink(missing_ok=True)
        scan = kafkafmt.scan(tmp_path, engine=engine)


@pytest.mark.slow
def test_no_pass_notes_leader_epochs_of_golden_logs_but_those_that_were_put_there() -> None:
    noted = set()
    for case in cases():
        scan = kafkafmt.scan(case.log_dir, replica="all", on_damage="skip", columns=["offset"])
        scan.to_table()
        noted |= {
            case.name for note in scan.notes if note.is_finding and "leader epoch" in note and "diverged" not in note
        }
    assert noted == {"12-crash-3.9.1", "12-crash-4.3.1", "damaged-mixed-1.1.1"}


@pytest.mark.parametrize("engine", ["columnar", "reference"])
def test_every_pass_notes_a_checkpoint_that_contradicts_a_log_of_one_epoch(tmp_path: Path, engine: Any) -> None:
    write(tmp_path / "sound-0", 0, 12, [(1, 0)])
    write(tmp_path / "above-0", 0, 12, [(1, 0)])
    write(tmp_path / "below-0", 0, 12, [(1, 0)])
    (tmp_path / "above-0" / "leader-epoch-checkpoint").write_text("0\n1\n4 0\n")
    (tmp_path / "below-0" / "leader-epoch-checkpoint").write_text("0\n1\n0 0\n")
    scan = kafkafmt.scan(tmp_path, engine=engine, threads=2)
    message = "offsets {} to 11: leader epoch 1, but leader-epoch-checkpoint says {}"
    expected = {(message.format(0, 4), True), (message.format(0, 0), False)}
    runs: list[Callable[[], object]] = [scan.to_table, scan.count, partial(deque, scan.batches())]
    for run in runs:
        run()
        found = {
            (note.split(": position 0: ")[1].removesuffix(" (no CRC covers leader epochs)"), note)
            for note in scan.notes
        }
        assert {(text, note.is_finding) for text, note in found} == expected
    assert {text for *_, text in epoch_findings(tmp_path) + epoch_findings(tmp_path, "note")} == {
        text for text, _ in expected
    }


def test_a_pass_reads_the_checkpoint_of_a_partition_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "t-0", 0, 12, [(1, 0)])
    for base_offset in range(12, 48, 12):
        segment(tmp_path / "t-0", base_offset, *(batch(base_offset + each, epoch=1) for each in range(12)))
    read = reads.record(monkeypatch)
    assert kafkafmt.scan(tmp_path, threads=1).to_table().num_rows == 48
    assert len([count for _, count in read["leader-epoch-checkpoint"] if count]) == 1


def test_a_checkpoint_says_nothing_of_raft_snapshots() -> None:
    case = next(case for case in cases("modern") if case.name == "10-cluster-metadata-3.9.1")
    snapshots = sorted(case.log_dir.glob("__cluster_metadata-0/*.checkpoint"))
    scan = kafkafmt.scan([str(path) for path in snapshots])
    scan.to_table()
    assert len(snapshots) > 2
    assert scan.notes == ()
    assert [found for path in snapshots for found in epoch_findings(path)] == []


# Epochs of batches at offsets 0, 1, .., the checkpoint, what is wrong, the epochs of a repaired copy. A leader writes
# its epoch into each batch of format 2, and a follower's `UnifiedLog.append` throws on a negative one (by
# `LeaderEpochFileCache.assign`). A start does not: `LogSegment.recover` takes later epochs only.
STOPS = "a follower that fetches it stops"
WITHOUT: dict[str, tuple[list[int], list[tuple[int, int]], str, list[int]]] = {
    "all": ([-1] * 5, [], "", [-1] * 5),
    "beginning": ([-1, -1, 4, 4], [(4, 2)], "", [-1, -1, 4, 4]),
    "middle": ([5, 5, -1, 5], [], f"offset 2: leader epoch -1 after leader epoch 5: {STOPS}", [5] * 4),
    "second": ([5, -1, 5], [], f"offset 1: leader epoch -1 after leader epoch 5: {STOPS}", [5] * 3),
    "run": (
        [5, 5, -1, -1, 6, 6],
        [],
        f"offsets 2 to 3: leader epoch -1 after leader epoch 5: {STOPS}",
        [5, 5, -1, -1, 6, 6],
    ),
    "checkpoint": (
        [5, 5, -1, -1, 6, 6],
        [(5, 0), (6, 3)],
        "offsets 2 to 3: leader epoch -1, but leader-epoch-checkpoint says 5",
        [5, 5, 5, 6, 6, 6],
    ),
    "end": ([5, 5, -1], [(5, 0)], "offset 2: leader epoch -1, but leader-epoch-checkpoint says 5", [5] * 3),
    "first": ([-1, 5, 5], [(5, 0)], "offset 0: leader epoch -1, but leader-epoch-checkpoint says 5", [5] * 3),
    "smallest": (
        [5, 5, -(2**31)],
        [(5, 0)],
        f"offset 2: leader epoch {-(2**31)}, but leader-epoch-checkpoint says 5",
        [5] * 3,
    ),
    "one that has": (
        [-1, -1, 9, -1, -1],
        [],
        "offset 2: leader epoch 9 is only in this batch, and the next ones have none",
        [-1] * 5,
    ),
    "before the first": (
        [-1, -1, 9, -1, -1, 5, 5, 5],
        [(5, 5)],
        "offset 2: leader epoch 9, which goes back to 5 after it",
        [-1] * 5 + [5] * 3,
    ),
}


@pytest.mark.parametrize("case", WITHOUT)
def test_a_batch_without_epoch_after_one_with_is_told_and_mended(case: str, tmp_path: Path) -> None:
    epochs, entries, message, mended = WITHOUT[case]
    partition = tmp_path / "data" / "t-0"
    segment(partition, 0, *(batch(offset, epoch=epoch) for offset, epoch in enumerate(epochs)))
    if entries:
        lines = ["0", str(len(entries)), *(f"{epoch} {first}" for epoch, first in entries)]
        (partition / "leader-epoch-checkpoint").write_text("\n".join(lines) + "\n")
    expected = [message] if message else []
    assert [text for *_, text in epoch_findings(partition)] == expected
    for engine in ("columnar", "reference"):
        scan = kafkafmt.scan(partition, engine=engine)
        assert scan.to_table().num_rows == len(epochs)
        told = [note.partition(": position ")[2].partition(": ")[2] for note in scan.notes if note.is_finding]
        assert told == [f"{text} (no CRC covers leader epochs)" for text in expected]
    kafkafmt.repair(tmp_path / "data", tmp_path / "out")
    assert [each.partition_leader_epoch for each in kafkafmt.scan(tmp_path / "out").batches()] == mended


def test_messages_of_older_formats_have_no_epoch_to_lose(tmp_path: Path) -> None:
    """As after a downgrade of message.format.version, for which Kafka clears the epochs of the log."""
    segment(tmp_path / "t-0", 0, batch(0, epoch=5), batch(1, epoch=5), message(2, b"v", magic=1), batch(3, epoch=6))
    assert [text for *_, text in epoch_findings(tmp_path) if "-1" in text] == []


def test_a_negative_entry_of_the_checkpoint_is_told(tmp_path: Path) -> None:
    """`LeaderEpochFileCache.assign` throws on it when the broker starts, as `verify` says."""
    log = write(tmp_path / "data" / "t-0", 0, 3, [(5, 0)])
    place = log.parent / "leader-epoch-checkpoint"
    place.write_text("0\n2\n-1 0\n5 0\n")
    text = "a leader epoch or its start offset is negative: no broker starts with this checkpoint"
    [directory] = [found for disk in survey(locate(tmp_path / "data")) for found in disk.partitions()]
    [row] = [each for each in directory.findings if each.level == "finding"]
    assert (row.kind, row.path, row.position) == ("leader-epoch-checkpoint", str(place), 4)
    assert row.message == f"{text} (expected 0 or more, found -1 0)"
    scan = kafkafmt.scan(tmp_path / "data")
    scan.to_table()
    [note] = scan.notes
    assert note.is_finding
    assert text in note
    kafkafmt.repair(tmp_path / "data", tmp_path / "out")
    [mended] = (tmp_path / "out").rglob("leader-epoch-checkpoint")
    assert mended.read_text() == "0\n1\n5 0\n"


@pytest.mark.parametrize(("requested", "expected"), END_OFFSETS)
def test_the_end_offset_of_an_epoch(requested: int, expected: tuple[int, int]) -> None:
    history = EpochHistory([EpochEntry(1, 0), EpochEntry(3, 8), EpochEntry(4, 20)])
    assert history.end_of(requested, 25) == expected


def test_without_a_known_epoch_no_end_offset_is_defined() -> None:
    assert EpochHistory([]).end_of(0, 25) == (-1, -1)


def test_the_epochs_within_a_log() -> None:
    history = EpochHistory([EpochEntry(1, 0), EpochEntry(3, 8), EpochEntry(4, 20)])
    assert history.within(10, 20).entries == (EpochEntry(3, 10),)
    assert history.within(8, 25).entries == (EpochEntry(3, 8), EpochEntry(4, 20))
    assert history.within(0, 25).entries == history.entries
    assert history.within(0, 0).entries == ()


def test_a_leader_begins_its_epoch_at_the_log_end() -> None:
    history = EpochHistory([EpochEntry(1, 0), EpochEntry(3, 8)])
    led = history.led_in(7, 25)
    assert [led.end_of(epoch, 25) for epoch in (1, 3, 5, 7, 8)] == [(1, 8), (3, 25), (3, 25), (7, 25), (-1, -1)]
    assert history.led_in(3, 25).entries == history.entries


@pytest.mark.parametrize("is_closed", [True, False])
def test_epochs_of_recovered_batches_are_known_after_a_load(tmp_path: Path, is_closed: bool) -> None:
    partition = tmp_path / "t-0"
    segment(partition, 0, *(batch(offset, epoch=1) for offset in range(4)))
    segment(partition, 4, batch(4, epoch=1), batch(5, epoch=3), batch(6, epoch=3), batch(7, epoch=4))
    (partition / "leader-epoch-checkpoint").write_text("0\n1\n1 0\n")
    checkpoint(tmp_path, "recovery-point-offset-checkpoint", {("t", 0): 4})
    if is_closed:
        (tmp_path / clean_shutdown.FILE_NAME).touch()
    found = [(entry.epoch, entry.start_offset) for entry in loaded_history(Partition(partition), 2, 7).entries]
    assert found == ([(1, 2)] if is_closed else [(1, 2), (3, 5)])


def test_epochs_of_recovered_batches_are_known_where_the_newest_segment_is_empty(tmp_path: Path) -> None:
    partition = tmp_path / "t-0"
    segment(partition, 0, batch(0, epoch=1), batch(1, epoch=3))
    (partition / "00000000000000000002.log").touch()
    (partition / "leader-epoch-checkpoint").write_text("0\n1\n1 0\n")
    checkpoint(tmp_path, "recovery-point-offset-checkpoint", {("t", 0): 0})
    found = [(entry.epoch, entry.start_offset) for entry in loaded_history(Partition(partition), 0, 2).entries]
    assert found == [(1, 0), (3, 1)]


def test_epochs_of_recovered_batches_are_known_where_the_last_one_is_of_an_old_format(tmp_path: Path) -> None:
    partition = tmp_path / "t-0"
    segment(partition, 0, batch(0, epoch=1), batch(1, epoch=3), message(2, magic=1))
    (partition / "leader-epoch-checkpoint").write_text("0\n1\n1 0\n")
    checkpoint(tmp_path, "recovery-point-offset-checkpoint", {("t", 0): 0})
    found = [(entry.epoch, entry.start_offset) for entry in loaded_history(Partition(partition), 0, 3).entries]
    assert found == [(1, 0), (3, 1)]
