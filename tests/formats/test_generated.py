"""generated/kafkafmt_specs matches formats/, as far as that can be checked without the compiler."""

import importlib
import re
from pathlib import Path

import yaml
from kaitaistruct import KaitaiStruct

ROOT = Path(__file__).resolve().parents[2]
ALL_SPECS = sorted((ROOT / "formats").rglob("*.ksy"))
SPECS = [path for _, path in sorted({path.stem: path for path in ALL_SPECS}.items())]  # without copies
PACKAGE = ROOT / "generated" / "kafkafmt_specs"


def test_no_module_is_stale_or_missing() -> None:
    assert sorted(path.name for path in PACKAGE.iterdir() if path.name != "__pycache__") == sorted(
        ["__init__.py", "message_fields.py", "py.typed", *(f"{spec.stem}.py" for spec in SPECS)]
    )


def test_each_spec_has_its_class_and_its_id() -> None:
    for spec in SPECS:
        assert f"\n  id: {spec.stem}\n" in spec.read_text(encoding="utf-8"), spec
        module = importlib.import_module(f"kafkafmt_specs.{spec.stem}")
        assert issubclass(getattr(module, "".join(word.capitalize() for word in spec.stem.split("_"))), KaitaiStruct)


def test_each_field_of_a_spec_is_in_its_module() -> None:
    for spec in SPECS:
        module = (PACKAGE / f"{spec.stem}.py").read_text(encoding="utf-8")
        fields = re.findall(r"^ +- id: (\w+)$", spec.read_text(encoding="utf-8"), re.MULTILINE)
        assert fields, spec
        assert [field for field in fields if f"self.{field} = " not in module] == [], spec


def test_each_spec_that_a_doc_names_is_there() -> None:
    for spec in SPECS:
        named = set(re.findall(r"`(kafka_\w+)`", spec.read_text(encoding="utf-8")))
        assert named <= {each.stem for each in SPECS}, spec


def test_the_doc_of_each_type_of_control_record_names_the_spec_of_its_value() -> None:
    text = (ROOT / "formats" / "kafka_control_record_key.ksy").read_text(encoding="utf-8")
    types = re.findall(r"^    \d+:\n      id: (\w+)\n      doc: \|\n((?: {8}.*\n)+)", text, re.MULTILINE)
    assert {name: re.findall(r"the value is an?\s+`(\w+)`", doc) for name, doc in types} == {
        "abort": ["kafka_end_transaction_marker"],
        "commit": ["kafka_end_transaction_marker"],
        "leader_change": ["kafka_leader_change_message"],
        "snapshot_header": ["kafka_snapshot_header_record"],
        "snapshot_footer": ["kafka_snapshot_footer_record"],
        "kraft_version": ["kafka_kraft_version_record"],
        "kraft_voters": ["kafka_voters_record"],
    }


def test_each_spec_is_fit_for_the_gallery() -> None:
    order = ["meta", "doc", "doc-ref", "-webide-representation", "params", "seq", "instances", "types", "enums"]
    for spec in SPECS:
        text = spec.read_text(encoding="utf-8")
        for key in ("title", "application", "xref", "tags", "license", "ks-version"):
            assert re.search(rf"^  {key}:", text, re.MULTILINE), (spec, key)
        top = re.findall(r"^(-?[a-z-]+):", text, re.MULTILINE)
        assert top == [key for key in order if key in top], spec
        assert {"meta", "doc", "doc-ref"} <= set(top), spec
        assert "  license: Apache-2.0\n" in text, spec
        assert max(len(line) for line in text.splitlines() if "https://" not in line) <= 130, spec


def test_no_spec_imports_from_another_folder() -> None:
    # The Web IDE looks for imports in the folder of the spec that it has open.
    for spec in ALL_SPECS:
        meta = re.search(r"^meta:\n(?: .*\n|\n)+", spec.read_text(encoding="utf-8"), re.MULTILINE)
        assert meta, spec
        imports = yaml.load(meta[0], yaml.CSafeLoader)["meta"].get("imports", [])
        assert [name for name in imports if not spec.with_name(f"{name}.ksy").is_file()] == [], spec
