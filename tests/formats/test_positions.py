"""generated/kafkafmt_specs_with_positions has the specs that inspect shows byte for byte, and docs."""

import importlib
import re
from pathlib import Path

import pytest
import yaml
from kafkafmt_specs_with_positions.documentation import ENUMS, TYPES

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "generated" / "kafkafmt_specs_with_positions"
MODULES = {path.stem for path in PACKAGE.glob("kafka_*.py")}
SPECS = [
    spec
    for directory in ("", "messages")
    for spec in sorted((ROOT / "formats" / directory).glob("*.ksy"))
    if spec.stem in MODULES
]


def test_files_batches_and_control_records_are_there_and_few_messages() -> None:
    assert {spec.stem for spec in (ROOT / "formats").glob("*.ksy")} < MODULES
    assert len(MODULES) == len(SPECS) < 40


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
