"""producers --check as a user meets it, and docs/lost_or_repeated.md."""

import json
import re
import shutil
from pathlib import Path

import pytest

from kafkafmt.answer_columns import TIME
from kafkafmt.topics.producer_state import PRODUCER_CHECK, check, missing_offsets, sequences
from tests.cli.conftest import ROOT, Call
from tests.cli.test_unreadable import forbidden
from tests.documents import NEEDS_SHELL, blocks, document, furnish, played
from tests.golden_cases import GOLDEN
from tests.operations.golden_operations import questions

TEXT = document("lost_or_repeated.md")
SESSIONS = blocks(TEXT, "console")
CODECS = GOLDEN / "modern" / "01-codecs-4.3.1" / "log-dir"
KIP_101 = ROOT / "docs" / "examples" / "kip-101" / "restart"
IDEMPOTENT = GOLDEN / "modern" / "03-idempotent-4.3.1" / "log-dir"
CRAFTED = {"data": "producers-crafted-4.3.1", "gaps": "producers-gaps-4.3.1"}


@pytest.fixture(scope="module")
def directories(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The directories that the document uses."""
    by_case = {question.case: question for question in questions("producers")}
    made = {name: by_case[case].unpack(tmp_path_factory.mktemp(name)) for name, case in CRAFTED.items()}
    return {**made, "codecs": CODECS}


@pytest.mark.slow
@NEEDS_SHELL
@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_the_document_shows_what_is_printed(number: int, directories: dict[str, Path], tmp_path: Path) -> None:
    assert played(SESSIONS[number], furnish(tmp_path, directories)) == SESSIONS[number]


def test_its_python_runs(
    directories: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    furnish(tmp_path, directories)
    monkeypatch.chdir(tmp_path)
    (code,) = blocks(TEXT, "python")
    exec(compile("import kafkafmt\n" + code, "lost_or_repeated.md", "exec"), {})
    assert capsys.readouterr().out == (
        "sequence gap 4 expected sequence 4, 3 records missing\n"
        "sequence gap 8 expected sequence 11, 19 records missing\n"
        "data/gap-0: sequence gap: 2\n"
        "27\n"
    )


def test_every_finding_cause_and_column_is_in_the_document() -> None:
    names = {
        value
        for module in (check, missing_offsets, sequences)
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, str) and value not in (check.CHECK, TIME)
    }
    assert names >= {"epoch back", "offset gap", "unexplained", "repeated content"}
    assert len(names) == 16
    shown = re.findall(r"^\| `([^`]+)` \|", TEXT, re.MULTILINE)
    assert set(shown) == names | set(PRODUCER_CHECK.schema.names)


def test_harmless_gaps_are_no_finding(kafkafmt: Call, directories: dict[str, Path]) -> None:
    compacted = kafkafmt("producers", directories["gaps"], "--check", "--topic", "compacted")
    assert compacted.status == 0
    assert "note: nothing was lost" in compacted.stderr
    assert compacted.stdout.count(b"compaction") == 2
    sound = kafkafmt("producers", CODECS, "--show", "check", "-o", "jsonl")
    assert (sound.status, sound.stdout, sound.stderr) == (0, b"", "")


def test_a_sound_log_is_said_on_a_terminal(kafkafmt: Call) -> None:
    answer = kafkafmt("producers", IDEMPOTENT, "--check")
    assert (answer.status, answer.stdout) == (0, b"")
    assert (
        answer.stderr == "kafkafmt: note: nothing was lost or repeated, as far as offsets and sequence numbers show; "
        "CRCs were not checked (kafkafmt verify checks them)\n"
    )


def test_nothing_is_said_of_logs_that_cannot_be_read(
    kafkafmt: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = Path(shutil.copytree(IDEMPOTENT, tmp_path / "copy"))
    forbidden(min(copy.glob("*/*.log")), monkeypatch)
    answer = kafkafmt("producers", copy, "--check")
    assert answer.status == 1
    assert "note: nothing was lost or repeated in what can be read, as far as " in answer.stderr


def test_it_is_said_where_no_batch_has_sequence_numbers(kafkafmt: Call) -> None:
    answer = kafkafmt("producers", KIP_101, "--check")
    assert (answer.status, answer.stdout) == (0, b"")
    assert "as far as offsets show: no batch has sequence numbers" in answer.stderr


def test_producers_without_a_batch_are_named(kafkafmt: Call) -> None:
    found = json.loads(kafkafmt("producers", IDEMPOTENT, "-o", "jsonl").lines[0])["producerId"]
    answer = kafkafmt("producers", IDEMPOTENT, "--check", "--producer-id", found, "--producer-id", 4711)
    assert (answer.status, answer.stdout) == (3, b"")
    assert answer.stderr == "kafkafmt: no batch of producer 4711 there.\n"
    assert kafkafmt("producers", IDEMPOTENT, "--check", "--producer-id", found).status == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--content-window", 0), "--content-window is for --check."),
        (("--check", "--from", "log"), "--check reads the log: leave out --from."),
        (("--check", "--content-window", -1), "-1 is not in the range"),
        (("--check", "--columns", "lastTimestamp"), "lastTimestamp"),
    ],
)
def test_wrong_usage(kafkafmt: Call, options: tuple[object, ...], message: str) -> None:
    answer = kafkafmt("producers", CODECS, *options)
    assert answer.status == 2
    assert message in answer.stderr
