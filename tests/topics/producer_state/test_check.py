"""The idempotence check: a batch-by-batch model, causes of gaps, and findings for damaged logs."""

import os
import shutil
import struct
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.errors import ChecksumError, CorruptError
from kafkafmt.io.base import File
from kafkafmt.topics.producer_state import CheckFinding, ProducerCheck, producer_check, producers
from kafkafmt.topics.producer_state.check import SeenRecords
from tests.golden_cases import cases
from tests.logdir.builders import file_name
from tests.reference import builder
from tests.reference.builder import R
from tests.topics.producer_logs import ABORT, COMMIT, INT_MAX, ProducerLog, Step, write_snapshot

DAY = 86_400_000


def _found(source: object, **arguments: Any) -> list[CheckFinding]:
    return list(producer_check(source, **arguments).rows())  # type: ignore[arg-type]


# The model.

ACTIONS = st.sampled_from(["next", "next", "next", "repeat", "gap", "back", "epoch", "old epoch", "marker", "idle"])
MOVES = st.lists(st.tuples(st.integers(0, 1), ACTIONS, st.integers(0, 7), st.integers(1, 3)), max_size=30)


def _steps(moves: Sequence[tuple[int, str, int, int]], begin: int) -> list[Step]:
    """Batches of producers that mostly behave correctly."""
    made: list[Step] = []
    following: dict[int, tuple[int, int]] = {}
    time = 1000
    for producer, action, number, records in moves:
        epoch, sequence = following.get(producer, (0, begin))
        before = [step for step in made if step.producer_id == producer and step.kind is None]
        time += 2 * DAY if action == "idle" else 10
        if action == "marker":
            raised = number // 6
            made.append(Step(producer, epoch + raised, kind=COMMIT if number % 2 else ABORT, timestamp=time))
            following[producer] = (epoch + raised, 0 if raised else sequence)
            continue
        of_batch = (epoch, sequence, records)
        if action == "repeat" and before:
            other = before[-1 - number % len(before)]
            of_batch = (other.epoch, other.sequence, other.records)
        elif action == "gap":
            of_batch = (epoch, (sequence + number) % 2**31, records)
        elif action == "back":
            of_batch = (epoch, (sequence - number) % 2**31, records)
        elif action == "epoch":
            of_batch = (epoch + 1, number // 7, records)
        elif action == "old epoch" and epoch:
            of_batch = (epoch - 1, number, records)
        of_epoch, first, count = of_batch
        made.append(Step(producer, of_epoch, records=count, sequence=first, timestamp=time, transactional=False))
        if of_epoch >= epoch:
            following[producer] = (of_epoch, (first + count) % 2**31)
    return made


def _model(made: Sequence[Step]) -> list[tuple[int, str]]:
    """The numbers of rejected batches, with reasons by ProducerAppendInfo's rules; the state is that of the check."""
    refused: list[tuple[int, str]] = []
    epochs: dict[int, int] = {}
    times: dict[int, int] = {}
    kept: dict[int, list[list[int]]] = {}
    for number, step in enumerate(made):
        producer = step.producer_id
        if step.kind is not None:
            if step.epoch < epochs.get(producer, -1):
                refused.append((number, "epoch back"))
                continue
            if step.epoch > epochs.get(producer, -1):
                kept[producer] = []
            epochs[producer], times[producer] = step.epoch, step.timestamp
            continue
        sequences = [(step.sequence + each) % 2**31 for each in range(step.records)]
        if producer in epochs and step.timestamp - times[producer] >= DAY:
            del epochs[producer]
        if producer not in epochs:
            kept[producer] = []
        elif step.epoch < epochs[producer]:
            refused.append((number, "epoch back"))
            continue
        elif step.epoch > epochs[producer]:
            kept[producer] = []
            if sequences[0] != 0:
                refused.append((number, "epoch not from 0"))
        elif not kept[producer]:
            if sequences[0] != 0:
                refused.append((number, "epoch not from 0"))
        else:
            last = kept[producer][-1][-1]
            ends = [(each[0], each[-1]) for each in kept[producer][-5:]]
            ahead = [(last + 1 + each) % 2**31 for each in range(1000)]
            if sequences[0] != ahead[0]:
                if (sequences[0], sequences[-1]) in ends:
                    refused.append((number, "repeat"))
                    continue
                if sequences[0] in ahead:
                    refused.append((number, "sequence gap"))
                else:
                    refused.append((number, "repeat beyond five"))
                    if sequences[-1] not in ahead:
                        continue
        epochs[producer], times[producer] = step.epoch, step.max_timestamp
        kept[producer].append(sequences)
    return refused


@pytest.fixture(params=["in bulk", "one by one"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read batches in bulk, as small ones are, and one by one, as large ones are."""
    if request.param == "one by one":
        monkeypatch.setattr(File, "worth_skipping", 40)


@pytest.mark.slow
@pytest.mark.usefixtures("way")
@given(moves=MOVES, begin=st.sampled_from([0, 3, INT_MAX - 4, INT_MAX]), rolled=st.integers(0, 30))
def test_sequences_are_checked_as_kafka_checks_them(
    moves: list[tuple[int, str, int, int]], begin: int, rolled: int
) -> None:
    made = _steps(moves, begin)
    log = ProducerLog(made)
    with tempfile.TemporaryDirectory() as directory:
        log.write(Path(directory, "t-0"), *([rolled] if 0 < rolled < len(made) else []))
        rows = _found(directory)
    places = {first: number for number, (first, _, _) in enumerate(log.batches)}
    assert [(places[row.base_offset or 0], row.finding) for row in rows] == _model(made)


def test_a_log_of_a_model_has_every_finding() -> None:
    moves = [(0, "next", 0, 2), (0, "repeat", 0, 1), (0, "gap", 3, 1), (0, "back", 2, 2), (0, "epoch", 7, 1)]
    found = _model(_steps([*moves, (0, "old epoch", 0, 1)], 0))
    names = ["repeat", "sequence gap", "repeat beyond five", "epoch not from 0", "epoch back"]
    assert [finding for _, finding in found] == names


@pytest.mark.parametrize(("back", "finding"), [(1, "repeat"), (5, "repeat"), (6, "repeat beyond five")])
def test_five_batches_are_remembered(back: int, finding: str, tmp_path: Path) -> None:
    steps = [Step(1, sequence=number, transactional=False) for number in (*range(8), 8 - back, 8)]
    ProducerLog(steps).write(tmp_path / "t-0")
    assert [(row.finding, row.base_offset) for row in _found(tmp_path)] == [(finding, 8)]


# Offsets.


def _batch(offset: int, records: Sequence[int] = (0,), last: int | None = None, **fields: Any) -> bytes:
    packed = [R(offset_delta=delta, value=b"%d" % (offset + delta)) for delta in records]
    return builder.batch(packed, base_offset=offset, last_offset_delta=last, **fields)


def _write(directory: Path, *segments: tuple[int, Sequence[bytes]], **checkpoints: int) -> Path:
    partition = directory / "t-0"
    partition.mkdir(parents=True)
    for base, batches in segments:
        (partition / file_name(base)).write_bytes(b"".join(batches))
    for name, offset in checkpoints.items():
        _checkpoint(directory, name.replace("_", "-"), offset)
    return directory


def _checkpoint(directory: Path, name: str, offset: int) -> None:
    (directory / f"{name}-offset-checkpoint").write_text(f"0\n1\nt 0 {offset}\n")


def _gaps(directory: Path, **arguments: Any) -> list[tuple[int | None, int, str | None]]:
    return [(row.first_offset, row.last_offset, row.cause) for row in _found(directory, **arguments)]


@given(
    present=st.sets(st.integers(0, 40), min_size=1),
    log_start=st.integers(0, 42),
    cleaned=st.integers(0, 42),
    left_out=st.integers(0, 42),
    rolled=st.integers(1, 40),
)
def test_a_gap_has_the_cause_of_each_of_its_offsets(
    present: set[int], log_start: int, cleaned: int, left_out: int, rolled: int
) -> None:
    batches = {offset: _batch(offset) for offset in sorted(present)}
    parts = [(0, [data for offset, data in batches.items() if offset < rolled])]
    parts.append((rolled, [data for offset, data in batches.items() if offset >= rolled]))
    with tempfile.TemporaryDirectory() as directory:
        _write(Path(directory), *parts, log_start=log_start, cleaner=cleaned, repair=left_out)
        gaps = _gaps(Path(directory))
    found = {offset: cause for first, last, cause in gaps for offset in range(first or 0, last + 1)}
    expected = {
        offset: "below log start"
        if offset < log_start
        else "compaction"
        if offset < cleaned
        else "left out of this copy"
        if offset < left_out
        else "unexplained"
        for offset in range(max(*present, rolled - 1) + 1)
        if offset not in present
    }
    assert found == expected
    assert all(first is not None and first <= last for first, last, _ in gaps)
    assert not any(one[1] + 1 == other[0] and one[2] == other[2] for one, other in pairwise(gaps))


def test_marks_of_the_cleaner_explain_gaps_where_no_checkpoint_is(tmp_path: Path) -> None:
    partial = _batch(5, (1,), last=2)
    _write(tmp_path, (0, [_batch(0), _batch(2), partial, _batch(10)]))
    expected = [(1, 1), (3, 5), (7, 9)]
    assert _gaps(tmp_path) == [(first, last, "compaction") for first, last in expected]
    # A checkpoint shows how far the cleaner has come.
    _checkpoint(tmp_path, "cleaner", 2)
    assert _gaps(tmp_path)[-1] == (8, 9, "unexplained")


def test_an_emptied_control_batch(tmp_path: Path) -> None:
    emptied = builder.batch([], base_offset=1, attributes=0x30, last_offset_delta=0, producer_id=1, producer_epoch=0)
    _write(tmp_path, (0, [_batch(0), emptied, _batch(2)]))
    assert _gaps(tmp_path) == [(1, 1, "control records")]


def test_damage_is_the_cause(tmp_path: Path) -> None:
    batches = [_batch(offset, producer_id=7, producer_epoch=0, base_sequence=offset) for offset in range(6)]
    torn = bytearray(batches[3])
    torn[8:12] = struct.pack(">i", -5)
    _write(tmp_path, (0, [*batches[:3], bytes(torn), *batches[4:]]))
    with pytest.raises(CorruptError):
        _found(tmp_path, on_damage="raise")
    answer = producer_check(tmp_path)
    rows = [(row.finding, row.cause, row.first_offset, row.base_offset) for row in answer.rows()]
    assert rows == [("offset gap", "damage", 3, None), ("sequence gap", None, None, 4)]
    assert len(answer.damage) == 1
    assert [finding.message for finding in answer.findings] == ["offset gap (damage): 1, sequence gap: 1"]


def test_a_header_that_its_crc_denies_is_damage(tmp_path: Path) -> None:
    batches = [_batch(offset, producer_id=7, producer_epoch=0, base_sequence=offset) for offset in range(4)]
    flipped = bytearray(batches[2])
    flipped[56] ^= 16
    _write(tmp_path, (0, [*batches[:2], bytes(flipped), batches[3]]))
    with pytest.raises(ChecksumError):
        _found(tmp_path, on_damage="raise")
    answer = producer_check(tmp_path)
    assert [row.base_offset for row in answer.rows()] == [3]
    assert [damage.position for damage in answer.damage] == [2 * len(batches[0])]


def test_compaction_explains_missing_sequences(tmp_path: Path) -> None:
    def batch(offset: int, sequence: int) -> bytes:
        return _batch(offset, producer_id=7, producer_epoch=0, base_sequence=sequence)

    kept = [batch(0, 0), batch(3, 3), batch(6, 7), batch(7, 20)]
    _write(tmp_path, (0, kept))
    rows = [(row.finding, row.cause, row.base_offset) for row in _found(tmp_path)]
    gap = ("offset gap", "unexplained", None)
    assert rows == [gap, ("sequence gap", None, 3), gap, ("sequence gap", None, 6), ("sequence gap", None, 7)]
    _checkpoint(tmp_path, "cleaner", 7)
    gap = ("offset gap", "compaction", None)
    # Three sequence numbers but only two offsets are missing.
    assert [(row.finding, row.cause, row.base_offset) for row in _found(tmp_path)] == [
        gap,
        gap,
        ("sequence gap", None, 6),
        ("sequence gap", None, 7),
    ]


def test_a_log_without_its_beginning(tmp_path: Path) -> None:
    log = ProducerLog([Step(1, kind=ABORT), Step(1, sequence=57), Step(2, sequence=5), Step(2, sequence=7)], begin=100)
    partition = log.write(tmp_path / "t-0")
    answer = producer_check(tmp_path)
    assert [(row.finding, row.producer_id, row.base_sequence) for row in answer.rows()] == [("sequence gap", 2, 7)]
    assert "the beginning of 1 log is gone" in answer.notes[0]
    before = ProducerLog([Step(1, sequence=54), Step(2, sequence=5)])
    write_snapshot(partition, 100, before.states().values())
    rows = [(row.finding, row.producer_id, row.base_sequence) for row in _found(tmp_path)]
    assert rows == [("sequence gap", 1, 57), ("repeat", 2, 5), ("sequence gap", 2, 7)]


def test_the_end_of_the_check(tmp_path: Path) -> None:
    steps = [Step(1, sequence=0, transactional=False), Step(1, sequence=5, transactional=False, timestamp=9000)]
    ProducerLog(steps).write(tmp_path / "t-0")
    assert len(_found(tmp_path)) == 1
    assert _found(tmp_path, at_offset=1) == _found(tmp_path, at_time=5000) == _found(tmp_path, producer_ids=2) == []
    assert _gaps(_write(tmp_path / "other", (0, [_batch(0), _batch(5)])), at_offset=3) == []


def test_content(tmp_path: Path) -> None:
    values = [(b"k", b"a", 0), (b"k", b"b", 10), (b"k", b"a", 20), (None, b"a", 30), (b"ka", b"", 40), (b"k", b"a", 99)]
    batches = [
        builder.batch([R(key=key, value=value)], base_offset=offset, base_timestamp=time, max_timestamp=time)
        for offset, (key, value, time) in enumerate(values)
    ]
    _write(tmp_path, (0, batches))
    assert _found(tmp_path) == []
    rows = [(row.finding, row.base_offset, row.detail) for row in _found(tmp_path, content_window=20)]
    assert rows == [("repeated content", 2, "the record at offset 0")]
    assert [row.base_offset for row in _found(tmp_path, content_window=79)] == [2, 5]
    for window in (-1, True, 1.5):
        with pytest.raises((TypeError, ValueError), match="content_window"):
            producer_check(tmp_path, content_window=window)  # type: ignore[arg-type]


def test_content_of_aborted_transactions_is_not_repeated(tmp_path: Path) -> None:
    steps = [Step(1), Step(1, kind=ABORT), Step(1, sequence=1), Step(1, kind=COMMIT), Step(1, sequence=2)]
    ProducerLog(steps).write(tmp_path / "t-0")
    assert _found(tmp_path, content_window=DAY) == []


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=40), st.integers(0, 4), st.integers(1, 6))
def test_content_is_remembered_within_bounds(made: list[tuple[int, int]], window: int, most: int) -> None:
    seen = SeenRecords(window, most)
    for offset, (value, time) in enumerate(made):
        found = seen.see(offset, time, None, bytes([value]))
        earlier = [number for number in range(offset) if made[number][0] == value]
        last = earlier[-1] if earlier and abs(made[earlier[-1]][1] - time) <= window else None
        assert found in {last, None}
        if last is not None and offset - last <= most:
            assert found == last
        assert len(seen._newer) <= most


def test_it_is_a_table_of_producers(tmp_path: Path) -> None:
    ProducerLog([Step(1), Step(1)]).write(tmp_path / "t-0")
    answer = producers(tmp_path)
    assert answer.check.to_pylist() == answer.to_table("check").to_pylist()
    assert [row["finding"] for row in answer.check.to_pylist()] == ["repeat"]
    assert isinstance(answer.check_answer, ProducerCheck)
    assert [finding.message for finding in answer.check_answer.findings] == ["repeat: 1"]
    assert answer.findings == ()


def test_a_broken_checkpoint_or_index_is_said(tmp_path: Path) -> None:
    _write(tmp_path, (0, [_batch(0), _batch(2, (0,), last=1), _batch(4)]), cleaner=3)
    (tmp_path / "t-0" / f"{0:020d}.txnindex").write_bytes(b"\xff" * 34)
    (tmp_path / "log-start-offset-checkpoint").write_bytes(b"x")
    with pytest.raises(CorruptError):
        _found(tmp_path, on_damage="raise")
    answer = producer_check(tmp_path)
    assert len(list(answer.rows())) == 2
    assert os.path.basename(answer.findings[0].path) == "log-start-offset-checkpoint"


def test_nothing_is_written(tmp_path: Path) -> None:
    source = tmp_path / "copy"
    shutil.copytree(cases("modern")[0].log_dir, source)
    before = sorted((str(path), path.stat().st_mtime_ns) for path in source.rglob("*"))
    _found(source)
    assert sorted((str(path), path.stat().st_mtime_ns) for path in source.rglob("*")) == before


@pytest.mark.slow
@pytest.mark.parametrize("case", ["03-idempotent-4.3.1", "04-transactions-4.3.1"])
@given(flips=st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 255)), min_size=1, max_size=6))
def test_any_bytes_give_an_answer(case: str, flips: list[tuple[int, int]]) -> None:
    log = next(each for each in cases("modern") if each.name == case).files("*-0/*.log")[-1]
    data = bytearray(log.read_bytes() * 3)
    for at, bits in flips:
        data[at % len(data)] ^= bits
    with tempfile.TemporaryDirectory() as directory:
        partition = Path(directory, "t-0")
        partition.mkdir()
        (partition / log.name).write_bytes(data)
        rows = _found(directory, on_damage="skip", content_window=0)
    assert all(0 <= row.first_offset <= row.last_offset for row in rows if row.first_offset is not None)


@pytest.mark.usefixtures("way")
def test_a_sequence_below_minus_1_is_invalid_though_that_of_its_last_record_is_not(tmp_path: Path) -> None:
    """`LogValidator.validateBatch` rejects it; starting 5 below 0, 10 records end at sequence 4."""
    log = ProducerLog([Step(1), Step(1, sequence=-5, records=10), Step(2, sequence=INT_MAX - 4, records=10)])
    log.write(tmp_path / "t-0")
    rows = [(row.finding, row.producer_id, row.base_sequence, row.last_sequence) for row in _found(tmp_path)]
    assert rows == [("invalid sequence", 1, -5, 4)]


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("moved", [3 + 1000, 3 + 2**40, 1])
@pytest.mark.parametrize("magic", [2, 1])
def test_an_offset_that_cannot_be_right_is_said_by_every_answer(magic: int, moved: int, tmp_path: Path) -> None:
    entries = [builder.message(at, magic=1) if magic == 1 else _batch(at) for at in range(7)]
    begin = sum(map(len, entries[:3]))
    entries[3] = struct.pack(">q", moved) + entries[3][8:]
    partition = _write(tmp_path, (0, entries)) / "t-0"
    said = f"position {begin}: base offset {moved} should be 3: that is exactly the gap between its neighbours"
    check = producer_check(partition)
    list(check.rows())
    answers = [check.findings]
    if magic == 2:
        answer = producers(partition)
        list(answer.history_answer.rows())
        answers += [
            list(answer.findings),
            answer.history_answer.findings,
            list(producers(partition, at_offset=4).findings),
        ]
    for findings in answers:
        told = [each for each in findings if each.path.endswith(".log")]
        assert [(each.path, f"position {each.position}: {each.message}") for each in told] == [
            (str(partition / file_name(0)), f"{said} (no CRC covers offsets)")
        ]


@pytest.mark.usefixtures("way")
def test_a_leader_epoch_that_is_gone_is_said_by_every_answer(tmp_path: Path) -> None:
    # No CRC covers it; a follower's UnifiedLog.append throws on it, by LeaderEpochFileCache.assign.
    entries = [_batch(at, leader_epoch=-1 if at == 3 else 5) for at in range(7)]
    partition = _write(tmp_path, (0, entries)) / "t-0"
    begin = sum(map(len, entries[:3]))
    said = f"position {begin}: offset 3: leader epoch -1 after leader epoch 5: a follower that fetches it stops"
    check = producer_check(partition)
    list(check.rows())
    answer = producers(partition)
    list(answer.history_answer.rows())
    at_offset = producers(partition, at_offset=5)
    for findings in (check.findings, answer.findings, answer.history_answer.findings, at_offset.findings):
        assert [(each.path, f"position {each.position}: {each.message}") for each in findings] == [
            (str(partition / file_name(0)), f"{said} (no CRC covers leader epochs)")
        ]
