"""Wrong order in the metadata log is noted by `metadata`, by its history, and by look-ups."""

from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.cli.main import run
from kafkafmt.files.damage import is_finding
from kafkafmt.topics import metadata
from tests.logdir.builders import batch, segment
from tests.topics.cluster_metadata import written

# Offsets go back at the third batch, and no CRC covers an offset.
OFFSETS = (0, 1, 9, 3, 4)
SAID = "base offset 9 should be 2"


def batches(offsets: tuple[int, ...] = OFFSETS) -> list[bytes]:
    return [
        written.batch(offset, written.config("n", str(number)), timestamp=number * 1000)
        for number, offset in enumerate(offsets)
    ]


def wrong(notes: object) -> list[str]:
    return [note for note in notes if is_finding(note)]  # type: ignore[attr-defined]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return written.node(tmp_path / "node", 1, *batches())


def test_the_state_and_the_history_note_an_offset_that_goes_back(log: Path) -> None:
    for named in (log.parent, log / f"{0:020d}.log"):
        answer = metadata(named)
        (note,) = wrong(answer.notes)
        assert SAID in note
        assert answer.faults == (note,)
        answer.history  # noqa: B018 - it reads the log
        assert wrong(answer.history_answer.notes) == [note]


def test_a_leader_epoch_that_goes_back_is_noted(tmp_path: Path) -> None:
    epochs = [written.batch(offset, written.topic(), epoch=epoch) for offset, epoch in enumerate((2, 2, 3, 3, 2, 2, 3))]
    written.node(tmp_path, 1, *epochs, leader_epochs="0\n2\n2 0\n3 2\n")
    notes = wrong(metadata(tmp_path).notes)
    assert notes
    assert all("leader epoch 2" in note for note in notes)


def test_damage_where_the_epoch_begins_is_listed_though_a_snapshot_has_the_state(tmp_path: Path) -> None:
    first, *others = batches((0, 1, 2, 3))
    directory = written.node(tmp_path, 1, first[:-1] + b"?", *others, leader_epochs="0\n1\n1 0\n")
    written.snapshot(directory, 3, 1, written.config("n", "2"))
    answer = metadata(tmp_path)
    assert answer.config("TOPIC", "orders") == {"n": "3"}
    assert [(each.reason, each.position) for each in answer.damage] == [("checksum", 0)]


def test_the_command_ends_with_findings(log: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["--history"], ["--show", "configs"], ["--diff", "0", "end"]):
        assert run(["metadata", str(log.parent), *arguments]) == 1, arguments
        said = capfd.readouterr().err.splitlines()
        assert [SAID in line and "note: " not in line for line in said].count(True) == 1, (arguments, said)


def test_both_moments_of_a_difference_say_what_is_wrong(
    log: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    other = written.node(tmp_path / "other", 1, *batches((0, 1, 8, 3, 4)))
    assert run(["metadata", "--diff", str(log.parent), str(other.parent)]) == 1
    said = capfd.readouterr().err
    assert SAID in said
    assert "base offset 8 should be 2" in said


def test_who_looks_things_up_in_a_metadata_log_says_what_is_wrong_with_it(log: Path, tmp_path: Path) -> None:
    segment(tmp_path / "data" / "t-0", 0, batch(0, 1))
    disks = kafkafmt.open(tmp_path / "data")
    damaged = written.node(tmp_path / "damaged", 1, *batches((0, 1, 2))[:-1], batches()[2][:-1] + b"?", *batches()[3:])
    for named, said in ((log, SAID), (damaged, "CRC")):
        for answer in (
            disks.retention(metadata=named.parent, on_damage="skip"),
            disks.verify(metadata=named.parent),
            disks.repair(tmp_path / "out", dry_run=True, metadata=named.parent),
        ):
            damage = getattr(answer, "damage", ())
            assert any(said in str(each) for each in (*answer.notes, *(each.error for each in damage))), (named, answer)
