"""A tier layout is an entry of `LAYOUTS`: golden tiers renamed to an invented layout."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.logdir import tier_names, tier_search
from kafkafmt.logdir.tier_names import (
    LAYOUTS,
    Layout,
    PartitionOfTier,
    layout_of,
    may_name_a_directory,
    parse_object_name,
)
from tests.golden_cases import tier_cases

ID = "x8vK1pq5SWeBkqHXFyy4Kw"
CASE = next(case for case in tier_cases() if case.name.startswith("01-"))


@pytest.mark.parametrize(
    ("number", "names", "expected"),
    [
        (0, [f"a-b-7-{ID}"], PartitionOfTier("a-b", ID, 7)),
        (0, [f"a-b-{ID}"], None),
        (0, [f"a-2147483648-{ID}"], None),
        (1, [f"a-b-{ID}", "7"], PartitionOfTier("a-b", ID, 7)),
        (1, [f"a-b-{ID}", "x"], None),
        (1, ["a-b", "7"], None),
        (2, [ID, "7"], PartitionOfTier(None, ID, 7)),
        (2, [ID[:-1], "7"], None),
    ],
)
def test_names_of_directories(number: int, names: list[str], expected: PartitionOfTier | None) -> None:
    assert LAYOUTS[number].partition_of(["above", *names]) == expected
    if expected is not None:
        assert all(map(may_name_a_directory, names))
        assert LAYOUTS[number].names_of(expected) == names
        assert layout_of(LAYOUTS[number].name) is LAYOUTS[number]


def test_names_of_objects() -> None:
    base = "00000000000000000042"
    found = [parse_object_name(f"{base}{rest}") for rest in (f"-{ID}.log", f"-{ID}.rsm-manifest", "_3_v0.segment")]
    assert [None if each is None else (each.base_offset, each.upload, each.ending) for each in found] == [
        (42, ID, "log"),
        (42, ID, "rsm-manifest"),
        (42, "3", "log"),
    ]
    assert parse_object_name(f"{base}-{ID}.index", LAYOUTS[1:]) is None
    assert parse_object_name(f"{base}.log") is None


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"directories": ("topic={topic}", "partition={partition}")}, r"layout nobody: no directory has \{topic_id\}"),
        ({"directories": ("{topic}-{topic_id}",)}, r"no directory has \{partition\}"),
        ({"whole": frozenset({"log", "index"})}, "layout nobody: `whole` needs log and leader-epoch-checkpoint"),
        ({"endings": {"log": "log"}}, "with endings"),
    ],
)
def test_a_layout_without_a_part_that_reading_needs(wrong: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        replace(LAYOUTS[0], name="nobody", **wrong)


def test_a_new_layout_is_one_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    aiven = LAYOUTS[1]
    new = Layout(
        "nobody",
        ("topic={topic}", "id={topic_id}", "partition={partition}"),
        aiven.object_name,
        aiven.endings,
        aiven.whole,
    )
    moved = 0
    for log in CASE.tier.rglob("*.log"):
        known = aiven.partition_of((log.parent.parent.name, log.parent.name))
        assert known is not None
        assert known.topic is not None
        place = tmp_path.joinpath("bucket", *new.names_of(known))
        shutil.copytree(log.parent, place, dirs_exist_ok=True)
        moved += 1
    assert moved
    with pytest.raises(kafkafmt.SourceError):
        kafkafmt.scan(tmp_path / "bucket").count()
    for module in (tier_names, tier_search):
        monkeypatch.setattr(module, "LAYOUTS", (*LAYOUTS, new))
    columns = ["topic", "partition", "offset", "key", "value"]
    expected = kafkafmt.scan(CASE.tier, columns=columns).to_table()
    assert kafkafmt.scan(tmp_path / "bucket", columns=columns).to_table().equals(expected)
    assert expected.num_rows
