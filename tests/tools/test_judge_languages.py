"""tools/judge languages: it finds every difference, except those that a language cannot avoid."""

from pathlib import Path
from typing import Any

import pytest

from kafka_judge.languages.judge import _has_messages_with_root, _is_usable, _specs
from kafka_judge.languages.programs import LANGUAGES
from kafka_judge.languages.trees import differences, python_tree, values

NAMES = [language.name for language in LANGUAGES]
FIELDS: dict[str, Any] = {
    "size": 7,
    "name": "6f7264657273",
    "is": True,
    "list": [1, -2],
    "inner": {"at": 2**40, "lost": {"error": "EOFError"}},
}
TREE = {"tree": FIELDS, "error": None}


def places(language: str, other: dict[str, Any], fields: dict[str, Any] = FIELDS) -> list[str]:
    """Paths at which fields differ."""
    return [line.partition(":")[0] for line in differences(language, fields, other)]


@pytest.mark.parametrize("language", NAMES)
def test_each_difference_is_found_in_every_language(language: str) -> None:
    assert places(language, FIELDS) == []
    for name, value, place in (
        ("size", 8, "/size"),
        ("size", "7", "/size"),
        ("size", None, "/size"),
        ("name", "6f7264657274", "/name"),
        ("is", False, "/is"),
        ("is", 1, "/is"),
        ("list", [1, 2], "/list[1]"),
        ("list", [1, -2, 0], "/list"),
        ("inner", {"at": 2**40 % 2**32, "lost": {"error": "EOFError"}}, "/inner/at"),
        ("inner", {"at": 2**40, "lost": {"error": "RangeError"}}, "/inner/lost/error"),
        ("inner", {"at": 2**40, "lost": 0}, "/inner/lost"),
        ("more", 5, "/more"),
    ):
        assert places(language, {**FIELDS, name: value}) == [place]
    for name in FIELDS:
        assert places(language, {key: value for key, value in FIELDS.items() if key != name}) == [f"/{name}"]
    assert [*differences(language, TREE, {"error": "EOFError"})] == [
        f"/error: None in Python, 'EOFError' in {language}",
        "/tree: only in Python",
    ]


@pytest.mark.parametrize(
    ("python", "other", "languages"),
    [
        ({"at": -1}, {"at": 2**64 - 1}, ["java"]),
        ({"at": 2**64 - 1}, {"at": -1}, ["java"]),
        ({"at": 2**53 + 1}, {"at": 2**53}, ["javascript"]),
        ({"at": 2**40 + 1}, {"at": 2**40}, []),
        ({"compression": 6}, {}, ["java"]),
        ({"magic": 6}, {}, []),
        ({}, {"size": 0}, ["go", "rust"]),
        ({}, {"key": ""}, ["go", "rust"]),
        ({"list": [1, 2]}, {"list": "0102"}, ["go", "rust"]),
        ({"list": [1, 2]}, {"list": "0103"}, []),
        ({"data": "00ff"}, {}, ["go"]),
        ({"data": [1]}, {}, []),
        ({"at": {"error": "RangeError"}}, {"at": {"error": "EOFError"}}, ["rust"]),
        ({"at": {"error": "EOFError"}}, {"at": {"error": "RangeError"}}, []),
    ],
)
def test_a_language_may_differ_in_its_own_ways_only(python: Any, other: Any, languages: list[str]) -> None:
    assert [language for language in NAMES if not places(language, other, python)] == languages


def test_a_tree_has_every_field_instance_and_error(tmp_path: Path) -> None:
    path = tmp_path / "number"
    path.write_bytes(b"\x85\x01")
    tree = {"b0": 133, "b1": 1, "half": 66, "value": -67}
    assert python_tree("kafka_varlong", path) == {"tree": tree, "error": None}
    assert values(tree) == len(tree)
    path.write_bytes(b"\x85")
    assert python_tree("kafka_varlong", path) == {"error": "EOFError"}


def test_specs_that_cannot_be_used_take_those_with_them_that_import_them() -> None:
    specs = _specs()
    assert all(spec in specs for language in LANGUAGES for spec in language.without)
    assert not _is_usable("kafka_exchanges", specs, {"kafka_api": "a reason"})
    assert _is_usable("kafka_log_segment", specs, {"kafka_api": "a reason"})
    assert _has_messages_with_root(specs, "kafka_metadata_record")
    assert not _has_messages_with_root(specs, "kafka_partition_record")
