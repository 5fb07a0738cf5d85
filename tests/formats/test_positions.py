"""generated/kafkafmt_specs_with_positions is of the same specs as kafkafmt_specs, and knows their docs."""

import importlib
import re
from pathlib import Path

import pytest
import yaml
from kafkafmt_specs_with_positions.documentation import ENUMS, TYPES

ROOT = Path(__file__).resolve().parents[2]
SPECS = sorted((ROOT / "formats").rglob("*.ksy"), key=lambda path: path.stem)
PACKAGE = ROOT / "generated" / "kafkafmt_specs_with_positions"


def test_no_module_is_stale_or_missing() -> None:
    assert sorted(path.name for path in PACKAGE.iterdir() if path.name != "__pycache__") == sorted(
        ["__init__.py", "documentation.py", "py.typed", *(f"{spec.stem}.py" for spec in SPECS)]
    )


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.stem)
def test_each_module_keeps_positions(spec: Path) -> None:
    name = "".join(word.capitalize() for word in spec.stem.split("_"))
    parser = getattr(importlib.import_module(f"kafkafmt_specs_with_positions.{spec.stem}"), name)
    assert [field["id"] for field in yaml.safe_load(spec.read_text(encoding="utf-8"))["seq"]] == parser.SEQ_FIELDS


@pytest.mark.parametrize("name", sorted(TYPES))
def test_each_type_and_field_has_a_doc(name: str) -> None:
    assert TYPES[name]["doc"]
    without = [field for field, content in TYPES[name]["fields"].items() if not content["doc"]]
    assert [field for field in without if not re.fullmatch(r"b\d", field)] == []


@pytest.mark.parametrize("name", sorted(ENUMS))
def test_each_value_of_an_enumeration_has_a_doc(name: str) -> None:
    assert all(value["doc"] for value in ENUMS[name].values())
