"""Notes of passes and answers are findings in words: same kind, place, offsets, cost and advice."""

import errno
import os
import pickle
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.errors import CorruptError, SourceError
from kafkafmt.files.damage import Absence, Note
from kafkafmt.files.offset_order import OffsetFault
from kafkafmt.findings import FINDING, NOTE, STATE, Finding, finding_of
from kafkafmt.survey import diverged
from tests.golden_cases import GOLDEN

ROOT = Path(__file__).parents[1]
REPLICAS = GOLDEN / "modern" / "07-three-nodes-diverged-4.3.1" / "log-dir"


def test_a_note_of_a_finding_says_what_the_finding_does_and_crosses_processes_with_it() -> None:
    finding = Finding(
        FINDING, "gap", "a/b.log", "offsets 5 to 7 are missing", "look", 12, first_offset=5, last_offset=7
    )
    note = Note.of(finding)
    assert (note, note.is_finding) == ("a/b.log: position 12: offsets 5 to 7 are missing", True)
    again = pickle.loads(pickle.dumps(note))
    assert (type(again), again, again.finding) == (Note, note, finding)


@pytest.mark.parametrize("is_finding", [True, False])
def test_a_note_of_a_sentence_is_a_finding_or_none(is_finding: bool) -> None:
    note = pickle.loads(pickle.dumps(Note("all is well", is_finding=is_finding)))
    assert (note.is_finding, note.finding.level) == (is_finding, FINDING if is_finding else NOTE)
    assert str(note.finding) == note == "all is well"


def test_an_error_reads_the_same_as_its_finding() -> None:
    for error in (
        CorruptError("wrong", file="a.log", position=5, expected=1, found=2),
        CorruptError("wrong", position=5),
        SourceError("the file cannot be read", file="a.log"),
    ):
        assert Note.of(finding_of(error)) == str(error)


def test_replicas_that_diverged_have_one_finding_in_surveys_and_passes() -> None:
    scan = kafkafmt.open(REPLICAS).scan(topics={"rep": 0}).without_warnings()
    scan.count()
    noted = [note.finding for note in scan.notes if note.is_finding]
    directories = [each for each in kafkafmt.open(REPLICAS).partitions if (each.topic, each.partition) == ("rep", 0)]
    assert noted == diverged(directories)
    assert [(each.kind, each.topic, each.partition) for each in noted] == [("diverged", "rep", 0)] * len(noted)
    assert all(each.first_offset is not None and each.advice for each in noted)
    assert noted


def test_a_directory_that_cannot_be_listed_is_a_finding_with_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("t-0", "u-0"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{0:020}.log").touch()
    listed = os.scandir

    def refuse(path: str) -> object:
        if str(path) == str(tmp_path / "u-0"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return listed(path)

    monkeypatch.setattr(os, "scandir", refuse)
    (note,) = kafkafmt.open(tmp_path).scan(topics="t").notes
    assert (note.finding.kind, note.finding.path) == ("unreadable", str(tmp_path / "u-0"))


def test_offsets_out_of_order_have_their_place_and_the_offsets_that_would_fit() -> None:
    fault = OffsetFault(100, 80, "base offset 9 should be 5", 5, 6, is_finding=False)
    assert fault.finding("t-0/0.log", topic="t", partition=0) == Finding(
        NOTE, "offset", "t-0/0.log", "base offset 9 should be 5", "", 100, 80, "t", 0, 5, 6
    )


def test_names_that_do_not_exist_are_notes_of_their_own_kind() -> None:
    note = pickle.loads(pickle.dumps(Absence("no topic nope. There are: none.")))
    assert (type(note), note.finding.kind, note.is_finding) == (Absence, "absent", False)


def test_a_note_has_the_place_that_its_sentence_names() -> None:
    note = pickle.loads(pickle.dumps(Note("a/t-3: it is wrong", path="a/t-3", topic="t", partition=3)))
    assert note.finding == Finding(FINDING, STATE, "a/t-3", "it is wrong", topic="t", partition=3)
    assert str(note.finding) == note == "a/t-3: it is wrong"
    assert Note("nothing in a/t-3", path="a/t-3").finding.message == "nothing in a/t-3"


WITHOUT_A_PLACE = {
    "kafkafmt/cli/schemas.py": 1,
    "kafkafmt/loading/load.py": 2,
    "kafkafmt/logdir/source_links.py": 2,
    "kafkafmt/logdir/sources.py": 1,
    "kafkafmt/operations/configs.py": 1,
    "kafkafmt/operations/log_question.py": 1,
    "kafkafmt/operations/retention_judge.py": 3,
    "kafkafmt/repairing/extract.py": 8,
    "kafkafmt/repairing/repair.py": 1,
    "kafkafmt/scanning/api.py": 1,
    "kafkafmt/scanning/passes.py": 1,
    "kafkafmt/scanning/selected_records.py": 2,
    "kafkafmt/sizing/space.py": 1,
    "kafkafmt/sizing/value_fields.py": 3,
    "kafkafmt/sizing/what_if.py": 1,
    "kafkafmt/startup/cluster_findings.py": 5,
    "kafkafmt/startup/nodes.py": 4,
    "kafkafmt/startup/outcome.py": 1,
    "kafkafmt/startup/reachable_metadata.py": 1,
    "kafkafmt/startup/verify.py": 3,
    "kafkafmt/topics/consumer_groups/catalog.py": 2,
    "kafkafmt/values/decoding.py": 2,
}
"""Notes without a single place: on options, nodes, several directories, whole answers."""


def calls_of_note(text: str) -> Iterator[str]:
    """The arguments of every note that a module makes."""
    for match in re.finditer(r"(?<![\w.])(?<!class )Note\(", text):
        end, depth = match.end(), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield text[match.end() : end]


def test_a_new_note_has_a_place() -> None:
    found = Counter(
        path.relative_to(ROOT).as_posix()
        for room in ("kafkafmt", "spark")
        for path in sorted((ROOT / room).rglob("*.py"))
        for call in calls_of_note(path.read_text("utf-8"))
        if "path=" not in call and "topic=" not in call
    )
    assert found == WITHOUT_A_PLACE
