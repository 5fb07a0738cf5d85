"""`kafkafmt space`: tables, pipes, wrong usage, damage, what-if, and the page."""

import json
import shutil
from pathlib import Path

import pytest

from kafkafmt.sizing import DIMENSIONS
from kafkafmt.sizing.space import FIGURES
from tests.cli.conftest import ROOT, Call
from tests.documents import NEEDS_SHELL, blocks, document, furnish, played
from tests.golden_cases import GOLDEN

CODECS = GOLDEN / "modern" / "01-codecs-4.3.1" / "log-dir"
DAMAGED = GOLDEN / "modern" / "12-crash-4.3.1" / "log-dir" / "damaged"


def test_a_table_of_topics(kafkafmt: Call) -> None:
    answer = kafkafmt("space", CODECS, "--top", "2")
    assert answer.status == 0
    assert answer.text.splitlines() == [
        "topic   records  batches  storedBytes  maxTimestamp",
        "big          11        7    313.7 KiB  2026-11-21T04:16:24.879Z",
        "shapes       84       19     57.3 KiB  2026-11-21T04:16:24.143Z",
    ]
    first, second = answer.stderr.splitlines()
    unchecked = "only headers were read (kafkafmt verify checks the CRCs)"
    assert first == f"kafkafmt: note: 12 topics, 1,440 records, 475.5 KiB, 2 shown (--top); {unchecked}"
    assert second.startswith("kafkafmt: note: besides the logs: ")


def test_rows_for_a_pipe_have_all_columns(kafkafmt: Call) -> None:
    answer = kafkafmt("space", CODECS, "--by", "topic,key", "--topic", "big", "--output", "jsonl")
    rows = [json.loads(line) for line in answer.text.splitlines()]
    assert rows[0] == {
        "topic": "big",
        "key": "200K",
        "records": 1,
        "batches": 1,
        "recordBytes": 200015,
        "storedBytes": 200076,
        "minOffset": 10,
        "maxOffset": 10,
        "minTimestamp": 1795234584879,
        "maxTimestamp": 1795234584879,
        "recordsError": 0,
        "storedBytesError": 0,
    }
    assert answer.stderr == ""


def test_by_is_repeatable_and_columns_are_chosen(kafkafmt: Call) -> None:
    one = kafkafmt("space", CODECS, "--by", "codec", "--by", "hour", "-o", "csv", "--columns", "hour,storedBytes")
    other = kafkafmt("space", CODECS, "--by", "codec,hour", "-o", "csv", "--columns", "hour,storedBytes")
    assert one.text == other.text
    assert one.text.splitlines()[0] == "hour,storedBytes"
    assert len(one.text.splitlines()) == 6


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--by", "size"], "cannot group by 'size'"),
        (["--by", "key-prefix:0"], "N of key-prefix:N"),
        (["--columns", "size"], "no column 'size'"),
        (["--what-if", "acks=all"], "unknown setting 'acks'"),
        (["--what-if", "compression.type=zstd:99"], "compression level"),
        (["--what-if", "linger.ms=1", "--by", "key"], "leave out --by"),
        (["--sample-records", "5"], "needs --what-if"),
        (["--report", "x.html", "-o", "csv"], "--report writes a page"),
    ],
)
def test_wrong_usage(kafkafmt: Call, arguments: list[str], said: str) -> None:
    answer = kafkafmt("space", CODECS, *arguments)
    assert (answer.status, answer.text) == (2, "")
    assert said in answer.stderr


def test_what_is_nowhere(kafkafmt: Call, tmp_path: Path) -> None:
    assert kafkafmt("space", tmp_path / "nowhere").status == 3
    answer = kafkafmt("space", CODECS, "--topic", "big", "--topic", "nothing")
    assert answer.status == 3
    assert "no topic nothing" in answer.stderr
    assert answer.text.splitlines()[1].startswith("big")


def test_damage_ends_it_or_is_skipped(kafkafmt: Call) -> None:
    answer = kafkafmt("space", DAMAGED, "--by", "key", "--on-damage", "raise")
    assert (answer.status, answer.text) == (1, "")
    assert "continue past it with --on-damage skip" in answer.stderr
    answer = kafkafmt("space", DAMAGED, "--by", "topic,hour", "-o", "jsonl")
    assert answer.status == 1
    assert answer.text
    assert "bytes skipped" in answer.stderr


def test_too_many_keys_have_errors_in_the_table(kafkafmt: Call) -> None:
    answer = kafkafmt("space", CODECS, "--topic", "codec-none", "--by", "key", "--max", "state-bytes=10000")
    assert answer.status == 0
    assert answer.text.splitlines()[0].endswith("recordsError")
    assert "more groups than fit into max_state_bytes" in answer.stderr


def test_other_settings(kafkafmt: Call) -> None:
    settings = "batch.size=65536,linger.ms=20,compression.type=zstd:3"
    answer = kafkafmt("space", CODECS, "--topic", "codec-none", "--what-if", settings, "-o", "jsonl")
    (row,) = map(json.loads, answer.text.splitlines())
    assert (row["topic"], row["records"], row["batches"], row["storedBytes"]) == ("codec-none", 252, 14, 28609)
    assert row["whatIfStoredBytes"] < row["storedBytes"]
    assert row["sampledRecords"] == 252
    answer = kafkafmt("space", CODECS, "--what-if", settings, "--sample-records", "20")
    assert answer.status == 0
    assert "a sample was replayed" in answer.stderr
    assert "note: what if: batch.size=65536, linger.ms=20, compression.type=zstd:3" in answer.stderr


def test_a_page_with_charts(kafkafmt: Call, tmp_path: Path) -> None:
    page = tmp_path / "space.html"
    answer = kafkafmt("space", CODECS, "--by", "topic,codec", "--report", page)
    assert (answer.status, answer.text, answer.stderr) == (0, "", "")
    text = page.read_text()
    for heading in (
        "Bytes over time",
        "Records over time",
        "Codecs",
        "Sizes of batches",
        "Largest by topic, compression",
    ):
        assert f"<h2>{heading}</h2>" in text
    assert "<b>475.5 KiB</b>" in text
    assert "<b>1,440</b>" in text
    # The hour of all records: a piece for each of the seven largest topics and one for the rest.
    assert text.count("1 hour on</title>") == 2 * 8
    assert "<script" not in text
    assert "src=" not in text


def test_a_page_of_nothing_and_of_hostile_names(kafkafmt: Call, tmp_path: Path) -> None:
    name = "<b>x"
    directory = tmp_path / "disk" / f"{name}-0"
    directory.mkdir(parents=True)
    shutil.copy(CODECS / "codec-none-0" / "00000000000000000000.log", directory)
    page = tmp_path / "page.html"
    assert kafkafmt("space", directory, "--report", page).status == 0
    assert "<b>x" not in page.read_text()
    empty = page.with_name("empty.html")
    assert kafkafmt("space", CODECS / "empty-0", "--report", empty).status == 0
    assert "No record has a timestamp." in empty.read_text()


SHOP = ROOT / "docs" / "examples" / "shop" / "log-dir"


@pytest.mark.slow
@NEEDS_SHELL
@pytest.mark.parametrize("session", blocks(document("space.md"), "console"))
def test_the_document_shows_what_is_printed(session: str, tmp_path: Path) -> None:
    assert played(session, furnish(tmp_path, {"shop": SHOP})) == session


def test_the_python_of_the_document_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = blocks(document("space.md"), "python")
    exec(compile(block.replace("/var/lib/kafka/data", str(SHOP)), "space.md", "exec"), {})
    assert capsys.readouterr().out == "{'key': b'order-102', 'records': 1, 'storedBytes': 94}\n[5]\n"


def test_the_document_has_every_column_and_dimension() -> None:
    text = document("space.md")
    for column in FIGURES.columns:
        assert f"`{column.name}`" in text
    for dimension in DIMENSIONS:
        assert f"`{dimension}`" in text
