"""tools/regenerate without the compiler: its messages about specs, and what --check compares."""

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

SCRIPT = Path(__file__).parents[2] / "tools" / "regenerate"


@pytest.fixture
def regenerate() -> ModuleType:
    loader = SourceFileLoader("regenerate", str(SCRIPT))
    spec = spec_from_loader("regenerate", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


SPEC = """
meta:
  id: some_thing
doc: |
  First line
  and second.

  Another paragraph.
seq:
  - id: plain
    type: s4
    doc: A "number"
  - id: rest
    size-eos: true
  - id: sized
    size: plain
    if: plain > 0
  - id: either
    type:
      switch-on: plain
      cases:
        2: zebra
        _: aardvark
  - id: many
    type: part(_io.pos)
    repeat: eos
instances:
  place:
    pos: 3
    type: u1
  computed:
    value: plain + 1
types:
  part:
    seq:
      - id: flag
        type: b1
        enum: colour
    types:
      deeper:
        doc: Deep
enums:
  colour:
    0: red
    1:
      id: green
      doc: Of grass
"""


def documented(regenerate: ModuleType) -> tuple[Any, Any]:
    names: dict[str, Any] = {}
    exec(regenerate.documentation_module([yaml.safe_load(SPEC)]), names)
    return names["TYPES"], names["ENUMS"]


def test_types_are_found_by_the_names_of_their_classes(regenerate: ModuleType) -> None:
    types, _ = documented(regenerate)
    assert list(types) == ["SomeThing", "SomeThing.Part", "SomeThing.Part.Deeper"]
    assert types["SomeThing"]["doc"] == "First line and second.\n\nAnother paragraph."
    assert types["SomeThing.Part.Deeper"] == {"doc": "Deep", "fields": {}}


def test_fields_have_types_and_docs_but_computed_values_are_no_fields(regenerate: ModuleType) -> None:
    types, _ = documented(regenerate)
    assert {name: field["type"] for name, field in types["SomeThing"]["fields"].items()} == {
        "plain": "s4",
        "rest": "bytes to the end",
        "sized": "bytes",
        "either": "aardvark or zebra",
        "many": "part[]",
        "place": "u1",
    }
    assert types["SomeThing"]["fields"]["plain"]["doc"] == 'A "number"'


def test_values_of_enumerations_have_docs(regenerate: ModuleType) -> None:
    _, enums = documented(regenerate)
    assert enums == {
        "SomeThing.Colour": {"0": {"id": "red", "doc": ""}, "1": {"id": "green", "doc": "Of grass"}},
    }


def test_of_two_specs_of_one_name_one_is_a_copy(
    regenerate: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regenerate, "ROOT", tmp_path)
    monkeypatch.setattr(regenerate, "FORMATS", tmp_path / "formats")
    monkeypatch.setattr(regenerate, "PROTOCOL", tmp_path / "formats" / "protocol")
    text = "meta:\n  id: {}\n  imports: [{}]\n"
    for name, imports in (("b", "a"), ("a", ""), ("protocol/a", ""), ("protocol/c", "a")):
        path = tmp_path / "formats" / f"{name}.ksy"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(path.stem, imports))
    assert [spec.relative_to(tmp_path).as_posix() for spec in regenerate.specs()] == [
        "formats/a.ksy",
        "formats/b.ksy",
        "formats/protocol/c.ksy",
    ]
    assert [spec.stem for spec in regenerate.roots(regenerate.specs())] == ["b", "c"]
    (tmp_path / "formats" / "protocol" / "a.ksy").write_text("meta: {}")
    with pytest.raises(regenerate.RegenerateError, match=r"of one name: formats/a.ksy, formats/protocol/a.ksy"):
        regenerate.specs()


def test_what_differs_is_named(regenerate: ModuleType) -> None:
    new, old = {"a/x.py": b"1", "b/y.py": b"2", "b/z.py": b"3"}, {"a/x.py": b"1", "b/y.py": b"0", "b/old.py": b""}
    assert regenerate.differences(new, old) == ["b/old.py: stale", "b/y.py: differs", "b/z.py: missing"]


def test_packages_are_made_to_hold_just_what_is_new(
    regenerate: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regenerate, "GENERATED", tmp_path)
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "stale.py").write_text("")
    (tmp_path / "one" / "same.py").write_text("same")
    before = (tmp_path / "one" / "same.py").stat().st_mtime_ns
    regenerate.replace({"one/same.py": b"same", "two/new.py": b"new"})
    assert regenerate.contents(tmp_path) == {"one/same.py": b"same", "two/new.py": b"new"}
    assert (tmp_path / "one" / "same.py").stat().st_mtime_ns == before
