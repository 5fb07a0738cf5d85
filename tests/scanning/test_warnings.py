"""Warnings: whatever causes exit status 1 on the command line also warns in Python, at the caller's line."""

import inspect
import pickle
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyarrow.compute import field

import kafkafmt
from kafkafmt import KafkafmtWarning
from kafkafmt.cli.main import run
from kafkafmt.files.damage import Damage, Note
from kafkafmt.scanning import scan_bytes
from tests.logdir.builders import batch, file_name, segment

# The batch of three records in the middle should be at 105; no CRC covers base offsets.
BACK = (batch(100, 5), batch(70_000, 3), batch(108, 4))
SAID = f"{file_name(100)}: position {len(BACK[0])}: base offset 70000 should be 105: "


@pytest.fixture
def log(tmp_path: Path) -> Path:
    segment(tmp_path / "d" / "t-0", 100, *BACK)
    return tmp_path / "d"


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """Two files, each with a flipped bit in a record."""
    for number in (0, 1):
        segment(tmp_path / "d" / f"u-{number}", 0, batch(0, 5)[:-1] + b"?", batch(5, 3))
    return tmp_path / "d"


@pytest.fixture
def warned() -> Iterator[list[warnings.WarningMessage]]:
    """Collects warnings, repeated ones included."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


def texts(warned: list[warnings.WarningMessage]) -> list[str]:
    """Return the warnings, from the base name of the file on, and clear them."""
    assert all(each.category is KafkafmtWarning for each in warned)
    said = [str(each.message).rpartition("/")[2] for each in warned]
    warned.clear()
    return said


def partly(scan: kafkafmt.Scan) -> None:
    """Read a part, then close the reader."""
    with scan.to_reader() as reader:
        next(reader)


def with_duckdb(scan: kafkafmt.Scan) -> object:
    duckdb = pytest.importorskip("duckdb", reason="pip install duckdb")
    return duckdb.sql('select sum("offset") from scan').fetchall()


def with_polars(scan: kafkafmt.Scan) -> object:
    return pytest.importorskip("polars", reason="pip install polars").DataFrame(scan)


WAYS: dict[str, Callable[[kafkafmt.Scan], object]] = {
    "table": kafkafmt.Scan.to_table,
    "pandas": kafkafmt.Scan.to_pandas,
    "batches": lambda scan: [*scan.to_batches()],
    "closed": partly,
    "tail": lambda scan: scan.tail(9).read_all(),
    "count": kafkafmt.Scan.count,
    "headers": lambda scan: [*scan.batches()],
    "filtered": lambda scan: scan.select(["offset"]).containing([b"v"]).to_table(),
    "duckdb": with_duckdb,
    "polars": with_polars,
    "follow": lambda scan: [*scan.follow().poll()],
}


@pytest.mark.parametrize("way", WAYS)
def test_each_way_of_reading_warns_once_of_offsets_that_go_back(
    log: Path, way: str, warned: list[warnings.WarningMessage]
) -> None:
    WAYS[way](kafkafmt.scan(log))
    (said,) = texts(warned)
    assert said.startswith(SAID)


def test_the_line_that_is_shown_is_the_callers(log: Path, warned: list[warnings.WarningMessage]) -> None:
    scan = kafkafmt.scan(log)
    lines = [inspect.currentframe().f_lineno + 1]  # type: ignore[union-attr]
    scan.to_table()
    lines += [inspect.currentframe().f_lineno + 1]  # type: ignore[union-attr]
    scan.count()
    plan = scan.plan()
    lines += [inspect.currentframe().f_lineno + 1]  # type: ignore[union-attr]
    for rows in plan.reading.read(plan.splits[0]):
        assert rows.num_rows
    lines += [inspect.currentframe().f_lineno + 1]  # type: ignore[union-attr]
    kafkafmt.open(log).grep("v").to_table()
    assert [(each.filename, each.lineno) for each in warned] == [(__file__, line) for line in lines]


def test_faults_of_two_files_are_both_shown_by_the_default_filters(tmp_path: Path) -> None:
    for name in ("a", "b"):
        segment(tmp_path / f"{name}-0", 100, *BACK)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(2):
            kafkafmt.scan(tmp_path).to_table()
    assert [Path(str(each.message).partition(":")[0]).parent.name for each in caught] == ["a-0", "b-0"]


def test_skipped_damage_is_one_warning_and_an_error_is_none(
    damaged: Path, warned: list[warnings.WarningMessage]
) -> None:
    scan = kafkafmt.scan(damaged, on_damage="skip")
    assert scan.to_table().num_rows == 6
    (said,) = [str(each.message) for each in warned]
    assert said.startswith("2 damaged ranges were skipped: ")
    assert said.count(f"{file_name(0)}: position 0: ") == said.count("offsets 0 to 4, 5 records") == 2
    warned.clear()
    with pytest.raises(kafkafmt.ChecksumError):
        kafkafmt.scan(damaged).to_table()
    assert not warned


def test_nothing_is_said_of_a_sound_log_and_of_its_open_end(
    tmp_path: Path, warned: list[warnings.WarningMessage]
) -> None:
    segment(tmp_path / "t-0", 0, batch(0, 5), batch(5, 3)[:-9])
    scan = kafkafmt.scan(tmp_path, topics=["t", "elsewhere"], missing="note")
    assert scan.to_table().num_rows == 5
    assert scan.notes
    assert scan.damage
    assert not warned


def test_a_split_warns_unless_its_notes_and_damage_are_taken(
    log: Path, damaged: Path, warned: list[warnings.WarningMessage]
) -> None:
    plan = kafkafmt.scan(damaged, on_damage="skip").plan(max_split_bytes=10**9)
    assert (log, len(plan.splits)) == (damaged, 1)
    reading, split = pickle.loads(pickle.dumps((plan.reading, plan.splits[0])))
    for read in (lambda *to: [*reading.read(split, *to)], lambda *to: reading.count(split, *to, verify_checksums=True)):
        read()
        order, skipped = texts(warned)
        assert order.startswith(SAID)
        assert skipped.startswith(f"{file_name(0)}: position 0: ")
        damage: list[Damage] = []
        notes: list[Note] = []
        read(lambda each, _: damage.append(each), notes.append)  # noqa: B023 - called at once
        assert (len(damage), [note.is_finding for note in notes], warned) == (2, [True], [])


def test_a_segment_in_memory_warns_unless_notes_and_damage_are_taken(warned: list[warnings.WarningMessage]) -> None:
    content = b"".join((*BACK, batch(112, 2)[:-1] + b"?", batch(114, 1)))
    said: list[Damage | Note] = []
    for arguments in ({}, {"note": said.append, "report": said.append}):
        scan_bytes(content, file=f"t-0/{file_name(100)}", on_damage="skip", **arguments)  # type: ignore[arg-type]
    assert (len(texts(warned)), len(said)) == (2, 2)


def test_what_cannot_be_decoded_is_warned_of(tmp_path: Path, warned: list[warnings.WarningMessage]) -> None:
    segment(tmp_path / "__consumer_offsets-0", 0, batch(0, 2))
    decoded = kafkafmt.topics.read(tmp_path, "__consumer_offsets")
    assert decoded.to_table().num_rows == 2
    assert texts(warned) == [str(note) for note in decoded.notes]


def test_sql_warns_of_what_its_relations_met(log: Path, warned: list[warnings.WarningMessage]) -> None:
    pytest.importorskip("duckdb", reason="pip install duckdb")
    disks = kafkafmt.open(log)
    segment(log / "__consumer_offsets-0", 100, *BACK)
    for query in ('select max("offset") from records', "select count(*) from batches"):
        disks.sql(query).read_all()
        (said,) = texts(warned)
        assert said.startswith(SAID)
    kafkafmt.open(log).sql("select * from commits").read_all()
    assert any(said.startswith(SAID) for said in texts(warned))
    disks.sql("select count(*) from segments").read_all()
    assert not warned


@pytest.mark.parametrize("scan", [{"on_damage": "skip"}, {}])
def test_who_looks_at_notes_can_go_without(log: Path, scan: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quiet = kafkafmt.scan(log, **scan).without_warnings()
        quiet.to_table()
        quiet.filter(field("offset") > 0).count()
    assert len(quiet.notes) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(KafkafmtWarning, match="should be 105"):
            kafkafmt.scan(log, **scan).to_table()


def test_answers_have_notes_and_do_not_warn(log: Path, damaged: Path, tmp_path: Path) -> None:
    assert log == damaged
    segment(log / "__consumer_offsets-0", 100, *BACK)
    disks = kafkafmt.open(log)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert disks.space(on_damage="skip").notes
        assert disks.what_if("linger.ms=5", on_damage="skip").notes
        assert disks.extract(tmp_path / "out", on_damage="skip").notes
        assert disks.grep_everywhere("v").to_table().num_rows
        answer = disks.groups(on_damage="skip")
        answer.history  # noqa: B018 - it reads the log


def test_the_command_line_says_it_in_its_own_words(log: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for command in (["cat"], ["batches"], ["space"], ["grep", "v"], ["sql", 'select max("offset") from records']):
            assert run([*command, str(log)]) == 1
            assert "should be 105" in capfd.readouterr().err
