"""README.md and the recipes of docs/ do what they say, on copies of golden data at the paths they use.

The recipe for Spark runs in tests/spark, those for object stores in tests/remote.
"""

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import kafkafmt
from kafkafmt.cli.main import COMMANDS, run
from tests import pictures
from tests.golden_cases import GOLDEN

README = Path(__file__).parent.parent / "README.md"
DOCS = README.parent / "docs"
RECIPES = [DOCS / f"{name}.md" for name in ("operators", "data_engineers", "python", "formats", "object_stores")]
PROBLEMS = DOCS / "problems.md"
PLACES = {
    "/var/lib/kafka/data": "modern/04-transactions-4.3.1/log-dir",
    "/copies/broker-1": "modern/07-three-nodes-diverged-4.3.1/log-dir/node-1",
    "/copies/broker-2": "modern/07-three-nodes-diverged-4.3.1/log-dir/node-2",
    "/copies/orders-0": "modern/01-codecs-4.3.1/log-dir/big-0",
    "/backup/orders-0": "modern/12-crash-4.3.1/log-dir/damaged/crash-flip-record-0",
}


def blocks_of(language: str) -> list[str]:
    text = "".join(document.read_text(encoding="utf-8") for document in [README, *RECIPES])
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def recipes() -> list[str]:
    blocks = blocks_of("python")
    return [block for block in blocks if "pyspark" not in block and "s3://" not in block]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("readme")
    for place, golden in PLACES.items():
        shutil.copytree(GOLDEN / golden, root / place.lstrip("/"), dirs_exist_ok=True)
    shutil.copytree(DOCS / "examples", root / "docs" / "examples")
    tx = root / "var/lib/kafka/data/tx-0"
    tx.rename(tx.with_name("orders-0"))
    return root


def test_every_recipe_in_plain_python_runs(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root)
    assert run(["cat", f"{root}/var/lib/kafka/data", "--topic", "orders", "--out", "orders.parquet"]) == 0
    names: dict[str, Any] = {}
    blocks = recipes()
    assert len(blocks) == 17
    for block in blocks:
        code = re.sub(r'"(/(?:var|copies|backup)[^"]*)"', lambda match: f'"{root}{match[1]}"', block)
        exec(compile("import kafkafmt\n" + code, str(README), "exec"), names)
    printed = capsys.readouterr().out
    assert names["table"].num_rows == 156
    assert list(names["frame"].columns) == ["partition", "offset", "producerId"]
    assert 0 < len(names["frame"]) < 156
    assert "checksum" in printed
    assert "rep 0" in printed
    assert "\n12.50\n" in printed
    assert "Stable [6, 9, 6, 8, 8]\norders 0 8\n" in printed
    assert kafkafmt.scan(root / "disk").count() == 2
    assert (root / "disk/orders-0/partition.metadata").read_text() == "version: 0\ntopic_id: x8vK1pq5SWeBkqHXFyy4Kw"
    assert names["paid"].fetchall() == [("CARD", 32625), ("CASH", 7250)]
    assert names["articles"].fetchall() == [(0, 6, 11), (1, 8, 10), (2, 6, 10)]


def commands() -> list[str]:
    return [
        line
        for block in blocks_of("sh")
        for line in block.splitlines()
        if line.startswith("kafkafmt ") and "s3://" not in line
    ]


def problems() -> list[str]:
    rows = re.findall(r"^\| .* \|$", PROBLEMS.read_text(encoding="utf-8"), re.MULTILINE)
    return [command for row in rows for command in re.findall(r"`(kafkafmt [^`]*)`", row) if "s3://" not in command]


def anchors(text: str) -> set[str]:
    """Anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


SESSIONS = re.findall(r"```console\n\$ (.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("number", range(5))
def test_the_five_answers_are_what_is_printed(
    number: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(SESSIONS) == 5
    monkeypatch.chdir(README.parent)
    command, _, lines = SESSIONS[number].partition("\n")
    assert run(shlex.split(command)[1:]) == ("--hanging" in command)
    assert capsys.readouterr().out.rstrip("\n") == lines.rstrip("\n")


@pytest.mark.slow
@pytest.mark.parametrize("name", pictures.SESSIONS)
def test_a_picture_shows_what_is_printed(name: str) -> None:
    expected = pictures.picture(pictures.lines_of(pictures.SESSIONS[name]))
    assert (pictures.PICTURES / f"{name}.svg").read_text(encoding="utf-8") == expected


def test_the_front_page_is_short_and_lists_all_commands() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.encode()) <= 10_000
    listed = re.findall(r"^\| \[`(.*?)`\]\(docs/.*?\) \| (.*) \|$", text, re.MULTILINE)
    assert dict(listed) == COMMANDS
    count = len(re.findall(r"^\| .* \|$", PROBLEMS.read_text(encoding="utf-8"), re.MULTILINE)) - 1
    assert f"a command for each of {count} problems" in text


DOCUMENTS = sorted([README, *DOCS.rglob("*.md")])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(README.parent).as_posix())
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", document.read_text(encoding="utf-8")):
        file = (document.parent / target).resolve() if target else document
        assert file.exists(), target
        assert not anchor or anchor in anchors(file.read_text(encoding="utf-8")), f"{target}#{anchor}"


@pytest.mark.slow
def test_every_command_runs(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(root)
    found = [*commands(), *problems()]
    assert len(commands()) == 66
    assert len(problems()) == 35
    for line in found:
        if line.split()[1] in ("serve", "replay"):  # endless; see tests/serving, tests/replaying
            continue
        arguments = [
            re.sub(r"^/(?:var|copies|backup)", f"{root}\\g<0>", word) for word in shlex.split(line, comments=True)
        ]
        arguments += ["--limit", "1"] if "--follow" in arguments else []  # it runs forever
        damaged = any(place in line for place in ("/backup/", "/copies/", " --hanging"))  # the copies diverged
        damaged &= " --from " not in line  # a diverged donor removes nothing
        # These disks have no metadata log: a controller would set all partitions aside.
        damaged |= arguments[1] == "verify" and ("/var/lib/kafka/data" in line or "repaired" in line)
        assert run(arguments[1:]) == (1 if damaged else 0), line
        printed = capsys.readouterr()
        writes = arguments[1] in ("repair", "extract", "write", "compaction")
        quiet = any(option in line for option in ("--out ", "--report ", "--reset-file ", "--check")) and not writes
        assert bool(printed.out) != quiet, line
        said = "replica" in printed.err or "note: " in printed.err
        expected = damaged and arguments[1] not in ("ls", "verify")  # these print findings as their result
        assert bool(printed.err) == expected or said, (line, printed.err)
    assert pq.read_metadata(root / "orders.parquet").num_rows == 156
    assert pq.read_metadata(root / "saved.parquet").num_rows == 63
