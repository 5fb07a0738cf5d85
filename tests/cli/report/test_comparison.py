"""`compare --report`: the page of compared copies."""

from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.cli.report.pages import EVIL, Page, case
from tests.logdir.builders import batch, segment

REPLICAS = case("07-three-nodes-diverged-4.3.1").log_dir
NODES = [REPLICAS / f"node-{number}" for number in (1, 2, 3)]


def test_what_diverged_comes_first(kafkafmt: Call, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    answer = kafkafmt("compare", *NODES, "--report", path)
    assert (answer.status, answer.text) == (1, "")
    note, last = answer.stderr.splitlines()
    assert note.startswith(f"kafkafmt: note: no .kafka_cleanshutdown in {NODES[0]}: ")
    assert last == "kafkafmt: 4 prefix, 2 diverged"
    page = Page(path.read_text())
    assert page.headings[1:] == ["What differs between these copies", "2 pairs diverged", "4 pairs prefix", "Notes"]
    assert "the log that was copied later is longer" in page.text
    assert "40 records lost if the first copies lead" in page.text
    assert "120 records lost if the second copies lead" in page.text
    assert page.references == []
    assert "script" not in page.elements


def test_equal_copies_and_hostile_names(kafkafmt: Call, tmp_path: Path) -> None:
    name = EVIL.replace("/", "")
    for copy in ("a", "b"):
        segment(tmp_path / copy / f"{name}-0", 0, batch(0))
    path = tmp_path / "page.html"
    answer = kafkafmt("compare", tmp_path / "a", tmp_path / "b", "--report", path)
    assert answer.status == 0
    page = Page(path.read_text())
    assert "1 pair equal" in page.headings
    assert {"img", "a", "script"}.isdisjoint(page.elements)


def test_what_is_not_known_is_no_zero(kafkafmt: Call, tmp_path: Path) -> None:
    for copy in ("a", "b"):
        segment(tmp_path / copy / "t-0", 0, batch(0), batch(1))
    log = tmp_path / "b/t-0/00000000000000000000.log"
    content = log.read_bytes()
    log.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    path = tmp_path / "page.html"
    assert kafkafmt("compare", tmp_path / "a", tmp_path / "b", "--report", path).status == 1
    assert "- records lost if the first copies lead; not known of 1 pair" in Page(path.read_text()).text


@pytest.mark.parametrize("options", [["--records"], ["--show", "following"], ["-o", "jsonl"], ["--columns", "topic"]])
def test_wrong_usage(kafkafmt: Call, tmp_path: Path, options: list[str]) -> None:
    answer = kafkafmt("compare", *NODES[:2], "--report", tmp_path / "page.html", *options)
    assert answer.status == 2
    assert "--report writes a page" in answer.stderr
    assert not (tmp_path / "page.html").exists()
