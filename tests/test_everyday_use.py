"""Everyday use from Python: names, wildcards, times, keys; and errors in the caller's terms."""

import inspect
import os
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest

import kafkafmt
from kafkafmt import keywords, operations
from kafkafmt.repairing.extract import extract
from kafkafmt.searching import grep
from kafkafmt.sizing import space
from tests.golden_cases import GOLDEN, tier_cases
from tests.logdir.builders import batch, segment

TRANSACTIONS = GOLDEN / "modern" / "09-transaction-state-4.3.1" / "log-dir"
FUNCTIONS: dict[str, Any] = {
    "Scan": kafkafmt.scan,
    "Compare": operations.compare,
    "Grep": grep,
    "Space": space,
    "Extract": extract,
}


def test_dir_shows_public_names_alone(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0)
    disks = kafkafmt.open(tmp_path)
    for each in (kafkafmt.Disks, disks, kafkafmt.Scan, disks.scan()):
        names = [name for name in dir(each) if not name.startswith("__")]
        assert not any(name.startswith("_") for name in names)
        assert not {"found", "takes", "narrowed", "of", "path_of", "show", "was_read", "unlisted"}.intersection(names)
        assert "partitions" in names
    assert {"filter", "select", "to_table", "schema", "damage", "notes", "plan"} <= {*dir(disks.scan())}
    assert {"scan", "sql", "groups", "log_dirs", "partition", "inspect"} <= {*dir(kafkafmt.Disks)}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_methods_of_disks_take_the_arguments_of_their_functions(name: str) -> None:
    given = set(getattr(keywords, f"{name}Keywords").__annotations__)
    taken = {
        each.name for each in inspect.signature(FUNCTIONS[name]).parameters.values() if each.kind == each.KEYWORD_ONLY
    }
    taken -= {"filesystem", "decryption_keys"}
    scanned = set(keywords.ScanKeywords.__annotations__)
    assert given == (taken | scanned if name in ("Grep", "Space", "Extract") else taken)


def test_loads_take_arguments_of_a_scan() -> None:
    taken = keywords.LoadKeywords.__annotations__
    assert {*taken} == {*keywords.RecordKeywords.__annotations__} - {"start_offset", "replica", "engine"}
    assert kafkafmt.Disks.load.__doc__ == kafkafmt.load.__doc__


def test_a_method_of_disks_is_its_function_without_the_source(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0)
    (first, *others) = inspect.signature(operations.retention).parameters
    assert (first, others) == ("source", [*inspect.signature(kafkafmt.open(tmp_path).retention).parameters])
    assert kafkafmt.Disks.retention.__doc__ == operations.retention.__doc__


def test_no_method_of_disks_takes_any() -> None:
    for name, method in inspect.getmembers(kafkafmt.Disks, inspect.isfunction):
        if not name.startswith("_"):
            assert all("Any" not in str(each.annotation) for each in inspect.signature(method).parameters.values()), (
                name
            )


def test_columns_are_a_list_or_names(tmp_path: Path) -> None:
    scan = kafkafmt.scan(segment(tmp_path / "t-0", 0))
    assert scan.select("offset", "key").schema.names == scan.select(["offset", "key"]).schema.names == ["offset", "key"]
    with pytest.raises(TypeError, match="columns must be one list of names, or names as arguments"):
        scan.select(["offset"], "key")
    with pytest.raises(ValueError, match=r"unknown columns \['offest'\]"):
        scan.select("offest")


def test_paths_with_wildcards_and_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a/t-0", "b/t-0", "b/t[1]-0"):
        segment(tmp_path / name, 0)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert len(kafkafmt.scan(f"{tmp_path}/*/t-0", replica="all").partitions) == 2
    assert len(kafkafmt.open([tmp_path / "b" / "t[1]-0", "~/a"]).partitions) == 2
    for pattern in (f"{tmp_path}/c*", tmp_path / "a" / "t-?x"):
        with pytest.raises(kafkafmt.SourceError, match="no file or directory matches this pattern"):
            kafkafmt.scan(pattern)


@pytest.mark.parametrize("source", [None, 7, b"/path", [None]])
def test_what_is_not_a_source(source: Any) -> None:
    with pytest.raises(TypeError, match="a source must be a"):
        kafkafmt.scan(source)


def test_times_are_ms_datetimes_or_text(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, 2, timestamp=1_795_294_300_000))
    moment = datetime.fromtimestamp(1_795_294_300, UTC)
    for time in (1_795_294_300_000, moment, moment.isoformat(), moment.replace(tzinfo=None).isoformat()):
        assert kafkafmt.scan(tmp_path, start_timestamp=time).count() == 2
        assert kafkafmt.scan(tmp_path, end_timestamp=time).count() == 0
    disks = kafkafmt.open(tmp_path)
    for ask in (
        lambda: disks.scan(start_timestamp=1_795_294_300),
        lambda: disks.scan(end_timestamp=1_795_294_300),
        lambda: disks.producers(at_time=1_795_294_300),
        lambda: disks.retention(at=1_795_294_300),
    ):
        with pytest.raises(ValueError, match=r" 1795294300 looks like seconds: .* is 1795294300000 in ms"):
            ask()
    with pytest.raises(ValueError, match="start_timestamp 'soon' is not a time like 2026-"):
        disks.scan(start_timestamp="soon")
    with pytest.raises(ValueError, match="compares timestamp, which is UTC, with a time without a zone"):
        disks.scan(filter=pc.field("timestamp") > moment.replace(tzinfo=None))


def test_partitions_look_up_ms_datetimes_or_text(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, 2, timestamp=1_795_294_300_000))
    partition = kafkafmt.open(tmp_path).partition("t", 0)
    moment = datetime.fromtimestamp(1_795_294_300, UTC)
    for time in (1_795_294_300_000, moment, "2026-11-21T20:51:40Z", "2026-11-21T20:51:40"):
        found = partition.find_timestamp(time)
        assert found is not None
        assert (found.offset, found.timestamp) == (0, 1_795_294_300_000)
    assert partition.find_timestamp("2026-11-21T20:51:41Z") is None
    with pytest.raises(ValueError, match=r"timestamp 1795294301 looks like seconds: .* is 1795294301000 in ms"):
        partition.find_timestamp(1_795_294_301)
    with pytest.raises(ValueError, match="timestamp 'soon' is not a time like 2026-"):
        partition.find_timestamp("soon")


def test_several_keys() -> None:
    scan = kafkafmt.scan(TRANSACTIONS)
    keys = [key for key in scan.select("key").to_table()["key"].to_pylist() if key]
    wanted = sorted(set(keys))[:3]
    expected = sum(key in wanted for key in keys)
    found = kafkafmt.scan(TRANSACTIONS, key=wanted)
    assert found.count() == found.to_table().num_rows == sum(found.plan().reading.count(s) for s in found.plan().splits)
    assert found.count() == expected > 3
    assert kafkafmt.scan(TRANSACTIONS, key=wanted, filter=pc.field("offset") < 0).count() == 0
    assert kafkafmt.scan(TRANSACTIONS, key=[]).count() == 0
    for wrong in ("a", ["a"], 5):
        with pytest.raises(TypeError, match="key must be bytes"):
            kafkafmt.scan(TRANSACTIONS, key=wrong)  # type: ignore[arg-type]


def test_threads_of_all_cores() -> None:
    assert kafkafmt.scan(TRANSACTIONS, threads=None).count() == kafkafmt.scan(TRANSACTIONS).count()
    with pytest.raises(ValueError, match="or None for all cores"):
        kafkafmt.scan(TRANSACTIONS, threads=0)


def test_keys_are_checked_when_disks_are_opened(tmp_path: Path) -> None:
    (tmp_path / "wrong.pem").write_text("nothing")
    for path in ("nope.pem", tmp_path / "wrong.pem"):
        with pytest.raises(ValueError, match="decryption_keys: 'k' is not a private key that can be read"):
            kafkafmt.open(TRANSACTIONS, decryption_keys={"k": os.fspath(path)})


def test_functions_of_a_source_take_keys(tmp_path: Path) -> None:
    case = next(each for each in tier_cases() if each.keys)
    expected = kafkafmt.scan(case.tier, decryption_keys=case.keys).count()
    assert expected > 0
    loaded = kafkafmt.load(case.tier, tmp_path / "lake", decryption_keys=case.keys)
    assert loaded.rows_loaded == expected
    repaired = kafkafmt.repair(case.tier, tmp_path / "copy", decryption_keys=case.keys)
    assert sum(each.kept_records for each in repaired.done) >= expected
    with kafkafmt.serve(case.tier, decryption_keys=case.keys, say=lambda _: None) as server:
        assert server.topics > 0
    asks: list[Callable[..., object]] = [
        kafkafmt.serve,
        partial(kafkafmt.repair, out=tmp_path / "other"),
        partial(kafkafmt.replay, to="127.0.0.1:1"),
    ]
    for ask in asks:
        with pytest.raises(ValueError, match="decryption_keys: 'k' is not a private key that can be read"):
            ask(case.tier, decryption_keys={"k": "nope.pem"})
        with pytest.raises(TypeError, match=r"must be given to kafkafmt\.open"):
            ask(kafkafmt.open(case.tier), decryption_keys=case.keys)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkafmt.scanning.arrow_records.find_spec", lambda _: None)
    with pytest.raises(ImportError, match="pip install pandas"):
        kafkafmt.scan(TRANSACTIONS).to_pandas()
