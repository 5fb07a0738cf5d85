"""tools/gallery: the layout of a pull request to kaitai_struct_formats. The compiler runs in `tools/gallery` itself."""

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest
import yaml

PROGRAM = Path(__file__).parents[2] / "tools" / "gallery"


@pytest.fixture(scope="module")
def gallery() -> ModuleType:
    loader = SourceFileLoader("gallery", str(PROGRAM))
    spec = spec_from_loader("gallery", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_imports_lead_to_specs_from_the_root(gallery: ModuleType) -> None:
    known = gallery.placed()
    count = 0
    for place, text in known.items():
        moved = gallery.with_absolute_imports(place, text, known)
        meta = yaml.load(moved, yaml.CSafeLoader)["meta"]
        for name in meta.get("imports", []):
            assert name.startswith("/")
            assert name[1:] in known, place
            count += 1
    assert count > 500
    assert {place.rpartition("/")[0] for place in known} == {"log/kafka", "network/kafka"}


def test_the_specs_keep_the_rules(gallery: ModuleType) -> None:
    assert [problem for place, text in gallery.placed().items() for problem in gallery.broken_rules(place, text)] == []


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("  license: Apache-2.0\n", "", "meta/license is missing"),
        ("  id: kafka_varint\n", "  id: kafka_int\n", "meta/id is kafka_int"),
        ("doc: |\n", "note: |\n", "doc is missing"),
        ("  license: Apache-2.0\n  ks-version", "  ks-version", "meta/license is missing"),
        ("doc: |\n", f"doc: |\n  {'long ' * 20}\n", "a line too long"),
    ],
)
def test_a_broken_rule_is_told(before: str, after: str, problem: str, gallery: ModuleType) -> None:
    text = gallery.placed()["log/kafka/kafka_varint"]
    assert before in text
    found = [*gallery.broken_rules("log/kafka/kafka_varint", text.replace(before, after, 1))]
    assert any(problem in each for each in found), found
