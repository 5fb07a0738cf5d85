"""Records of tiers written by brokers and their RemoteStorageManagers, compared with a consumer's."""

import hashlib
import json
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt import CorruptError, UnsupportedError
from tests.engines import Engine
from tests.golden_cases import TierCase, tier_case, tier_cases
from tests.tiered_records import COLUMNS, committed, consumed, is_users, not_covered, read, viewed

NAMED = [case for case in tier_cases() if case.has("tier_view.jsonl")]
COPIES = [(case, case.log_dir) for case in tier_cases()] + [(tier_case(11), tier_case(11).log_dir / "node-2")]
"""Each case with one of its log directories: case 11 has two, the second being the last leader's."""

BOTH = pytest.mark.parametrize(("case", "log_dir"), COPIES, ids=[f"{case}-{log_dir.name}" for case, log_dir in COPIES])


def scan(case: TierCase, *places: Path, **arguments: object) -> kafkafmt.Scan:
    return kafkafmt.open(list(places), decryption_keys=case.keys).scan(columns=COLUMNS, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("case", tier_cases(), ids=str)
def test_the_files_are_as_brokers_left_them(case: TierCase) -> None:
    told = json.loads((case.path / "case.json").read_text())["files"]
    found = {
        str(path.relative_to(case.path)): {
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "bytes": path.stat().st_size,
        }
        for path in case.path.rglob("*")
        if path.is_file() and path.name != "case.json"
    }
    assert found == told


@pytest.mark.parametrize("case", NAMED, ids=str)
def test_a_tier_by_itself_gives_the_log_that_its_leader_epochs_tell_of(case: TierCase, engine: Engine) -> None:
    assert read(scan(case, case.tier, engine=engine)) == viewed(case)


@BOTH
def test_a_log_directory_and_its_tier_give_what_a_consumer_got(case: TierCase, log_dir: Path, engine: Engine) -> None:
    expected = consumed(case)
    missing = not_covered(case)
    found = scan(case, log_dir, case.tier, engine=engine, on_damage="skip" if missing else "raise")
    records = read(found, is_users)
    if case.name.startswith("10-"):  # the tier has one partition of case 01's broker
        assert {place[:2] for place in records} == {("payments.v1", 0)}
        expected = {place: content for place, content in expected.items() if place[:2] == ("payments.v1", 0)}
    assert records == {place: content for place, content in expected.items() if place not in missing}
    assert bool(found.damage) == bool(missing)


@BOTH
def test_transactions_that_end_on_the_disk_are_known_in_the_tier(case: TierCase, log_dir: Path, engine: Engine) -> None:
    how = {"engine": engine, "on_damage": "skip" if not_covered(case) else "raise"}
    expected = (committed(case) & consumed(case).keys()) - not_covered(case)
    assert expected
    found = read(scan(case, log_dir, case.tier, isolation_level="read_committed", **how), is_users)
    assert found.keys() == expected


def test_what_the_broker_counts_on_and_the_tier_has_not_is_an_error(engine: Engine) -> None:
    case = tier_case(8)
    with pytest.raises(CorruptError, match="offsets 0 to 115 are missing") as caught:
        read(scan(case, case.log_dir, case.tier, engine=engine))
    # Its manifest was removed, and of the next segment the log.
    removed = Path(json.loads((case.path / "case.json").read_text())["byHand"]["manifestRemoved"])
    assert caught.value.file == str(case.tier / removed.with_suffix(".log"))
    assert caught.value.found == "indexes, log"
    lenient = scan(case, case.log_dir, case.tier, engine=engine, on_damage="skip")
    read(lenient)
    assert [(each.file, each.error.found) for each in lenient.damage] == [
        (str(case.tier / removed.with_suffix(".log")), "indexes, log"),
        (
            str(case.tier / removed.parent / "00000000000000000116-N_0wgbgGTwakvpGyGABJgg.log"),
            "indexes, rsm-manifest",
        ),
    ]


def test_confluents_names_tell_no_topic() -> None:
    case = tier_case(10)
    found = read(scan(case, case.tier))
    assert {place[0] for place in found} == {None}
    of_log = consumed(case)
    assert found == {(None, *place[1:]): of_log["payments.v1", *place[1:]] for place in found}
    assert [each.name for each in kafkafmt.open(case.tier).partitions] == ["q1l6u2ThR9WXiL82ZtBgkg_0"]


def test_without_its_key_each_segment_is_damage(engine: Engine) -> None:
    case = tier_case(4)
    keys = {"key-2024": case.keys["key-2024"]}
    found = kafkafmt.scan(case.tier, columns=COLUMNS, on_damage="skip", engine=engine, decryption_keys=keys)
    records = read(found)
    of_key_b = [
        path
        for path in case.tier.rglob("*.rsm-manifest")
        if json.loads(path.read_text())["encryption"]["dataKey"].startswith("key.b:")
    ]
    assert sorted(str(each.file) for each in found.damage) == sorted(str(path.with_suffix(".log")) for path in of_key_b)
    for each in found.damage:
        assert isinstance(each.error, UnsupportedError)
        assert each.position == each.error.position == 0
        assert "'key.b'" in each.error.message
        assert each.error.expected == "one of 'key-2024'"
    assert 0 < len(records) < len(viewed(case))
    assert records.items() < viewed(case).items()
