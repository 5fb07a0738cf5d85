"""The registry of file kinds: each has a reader, names and a size bound."""

import importlib
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.cli.dump.console import Console
from kafkafmt.cli.dump.dispatch import dump_small_file
from kafkafmt.files.kinds import KINDS, LAYOUTS, FileKind, kind_by_extension, kind_of
from kafkafmt.io.source import locate
from tests.golden_cases import GOLDEN

FORMATS = GOLDEN.parents[1] / "formats"


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.id)
def test_every_kind_has_its_reader_and_either_a_spec_or_a_syntax(kind: FileKind) -> None:
    module = importlib.import_module(f"kafkafmt.files.{kind.module}")
    assert callable(module.read)
    assert callable(module.parse)
    assert getattr(kafkafmt.files, kind.module) is module
    assert (kind.spec is None) == (kind.syntax is not None)
    assert kind.spec is None or (FORMATS / f"{kind.spec}.ksy").is_file()
    assert (kind.max_bytes == 0) == (kind.module == "segment")


def test_the_package_names_the_module_of_each_kind_and_no_other() -> None:
    assert set(kafkafmt.files.__all__) == {kind.module for kind in KINDS.values()}
    with pytest.raises(AttributeError, match="has no attribute 'kinds_of_files'"):
        _ = kafkafmt.files.kinds_of_files


def test_each_golden_file_is_of_the_kind_that_its_name_says() -> None:
    found = {path.name: kind_of(path.name) for path in GOLDEN.glob("*/*/log-dir/**/*") if path.is_file()}
    for name, kind in found.items():
        if kind is None:
            assert name == ".lock" or "." not in name.rstrip("~") or kind_by_extension(name) is None
        elif kind.is_of_segment:
            assert kind_by_extension(name) is kind
        else:
            assert kind_by_extension(name) is None
    assert {kind.id for kind in found.values() if kind} >= {*LAYOUTS, "log", "snapshot", "offsets", "leader_epochs"}


def test_no_name_is_of_two_kinds() -> None:
    for kind in KINDS.values():
        assert [each for each in KINDS.values() if f"0{kind.ending}".endswith(each.ending)] == [kind]


def test_a_kind_that_dump_has_no_words_for_is_printed_an_entry_a_line(tmp_path: Path) -> None:
    path = tmp_path / "00000000000000000005.index"
    path.write_bytes(bytes([0, 0, 0, 1, 0, 0, 0, 70]))
    out = BytesIO()
    console = Console(out, BytesIO(), is_terminal=False, hints=False)
    dump_small_file(KINDS["index"], locate(path), console)
    console.flush()
    assert out.getvalue() == b"relativeOffset: 1 offset: 6 position: 70\n"


def test_names_are_told_without_arrow() -> None:
    code = "import sys, kafkafmt.files.kinds, kafkafmt.files.names; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
