"""Tier segments with broken objects: their records, and no others, are lost and reported."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt import CorruptError, DataError, TruncatedError
from kafkafmt.scanning.arguments import IsolationLevel
from tests.engines import Engine
from tests.golden_cases import tier_case
from tests.tiered_records import COLUMNS, Records, read, viewed

CASE = tier_case(3)
TOPIC, PARTITION = "orders", 1


@pytest.fixture
def partition(tmp_path: Path) -> Path:
    (source,) = CASE.tier.glob(f"{TOPIC}-*/{PARTITION}")
    return Path(shutil.copytree(source, tmp_path / source.parent.name / source.name))


def first(partition: Path, ending: str) -> Path:
    return min(partition.glob(f"*.{ending}"))


def others(partition: Path) -> Records:
    """The records of all segments but the first one."""
    end = json.loads((first(CASE.tier / partition.parent.name / "1", "rsm-manifest")).read_text())
    last = end["remoteLogSegmentMetadata"]["endOffset"]
    return {at: content for at, content in viewed(CASE).items() if at[:2] == (TOPIC, PARTITION) and at[2] > last}


def scan(partition: Path, **arguments: Any) -> kafkafmt.Scan:
    return kafkafmt.scan(partition.parent.parent, columns=COLUMNS, decryption_keys=CASE.keys, **arguments)


@pytest.mark.parametrize("level", ["read_uncommitted", "read_committed"])
@pytest.mark.parametrize("size", [0, 1, 5, 16, 17, 100])
def test_a_lost_segment_may_be_shorter_than_a_header(
    partition: Path, size: int, level: IsolationLevel, engine: Engine
) -> None:
    first(partition, "rsm-manifest").write_text("{}")
    log = first(partition, "log")
    log.write_bytes(log.read_bytes()[:size])
    found = scan(partition, engine=engine, on_damage="skip", isolation_level=level)
    assert read(found) == others(partition)
    assert [(each.file, each.position, each.length) for each in found.damage] == [(str(log), 0, max(size, 1))]
    with pytest.raises(CorruptError, match="'version' is missing"):
        read(scan(partition, engine=engine, isolation_level=level))


@pytest.mark.parametrize("at", [0, 12, 500])
def test_a_chunk_that_was_tampered_with_costs_no_record_of_another_segment(
    partition: Path, at: int, engine: Engine
) -> None:
    log = first(partition, "log")
    data = bytearray(log.read_bytes())
    data[at] ^= 1
    log.write_bytes(data)
    found = scan(partition, engine=engine, on_damage="skip")
    records = read(found)
    assert records.items() <= viewed(CASE).items()
    assert others(partition).items() < records.items()
    assert {each.file for each in found.damage} == {str(log)}
    assert "chunk 0, bytes 0 to 999 of the segment with offsets 0 to" in found.damage[0].error.message
    with pytest.raises(DataError, match="the tag of the encrypted bytes does not verify") as caught:
        read(scan(partition, engine=engine))
    assert (caught.value.file, caught.value.position) == (str(log), 0)


@pytest.mark.slow
@pytest.mark.parametrize("size", [0, 5, 30, 70])
def test_a_plain_segment_that_is_cut_off_in_its_first_batch_is_damage(
    tmp_path: Path, size: int, engine: Engine
) -> None:
    case = tier_case(9)
    tier = Path(shutil.copytree(case.tier, tmp_path / "tier"))
    log = min(tier.rglob("orders-0-*/*.log"))
    log.write_bytes(log.read_bytes()[:size])
    following = sorted(tier.rglob("orders-0-*/*.log"))[1]
    found = kafkafmt.scan(tier, columns=COLUMNS, engine=engine, on_damage="skip")
    assert read(found) == {
        at: content
        for at, content in viewed(case).items()
        if at[:2] != ("orders", 0) or at[2] >= int(following.name[:20])
    }
    assert [(each.file, each.position, each.length) for each in found.damage] == [(str(log), 0, max(size, 1))]
    with pytest.raises(TruncatedError, match="ends before its first batch does"):
        read(kafkafmt.scan(tier, columns=COLUMNS, engine=engine))


def everything() -> Records:
    return {at: content for at, content in viewed(CASE).items() if at[:2] == (TOPIC, PARTITION)}


def edit(manifest: Path, **changes: Any) -> None:
    content = json.loads(manifest.read_text())
    for name, value in changes.items():
        if value is None:
            del content[name]
        else:
            content[name] |= value
    manifest.write_text(json.dumps(content))


def test_a_last_offset_that_is_false_covers_no_other_segment(partition: Path, engine: Engine) -> None:
    edit(first(partition, "rsm-manifest"), remoteLogSegmentMetadata={"endOffset": 10**12})
    assert read(scan(partition, engine=engine)) == everything()


def test_manifests_need_not_say_which_segments_they_are_of(partition: Path, engine: Engine) -> None:
    for path in sorted(partition.iterdir()):
        if path.suffix == ".rsm-manifest":
            edit(path, remoteLogSegmentMetadata=None)
        # Each segment was uploaded twice.
        base, _, rest = path.name.partition("-")
        shutil.copyfile(path, path.with_name(f"{base}-{rest[:21][::-1]}A{path.suffix}"))
    assert read(scan(partition, engine=engine)) == everything()
