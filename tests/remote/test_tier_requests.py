"""What reading a tier costs, requests and bytes; and tiers in a bucket."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.fs as pafs
import pytest

import kafkafmt
from kafkafmt.cli.main import run
from tests.golden_cases import tier_case
from tests.reads import KIB, MIB
from tests.remote.conftest import SECRET, Bucket
from tests.remote.counting import CountingHandler, counting
from tests.tier_store import Key, Store
from tests.tiered_records import COLUMNS, read, viewed

CHUNK = 256 * KIB
COUNT = 16_000
SEGMENTS = 16
KINDS = ["plain", "compressed", "encrypted", "both"]
ENCRYPTED = tier_case(4)


@dataclass(frozen=True)
class Made:
    """A tier of 16 segments of 4 MB, and what it was made of."""

    path: Path
    keys: dict[str, Path]
    log_bytes: int
    index_bytes: int

    def open(self) -> tuple[kafkafmt.Disks, CountingHandler]:
        filesystem, counts = counting(pafs.SubTreeFileSystem(str(self.path), pafs.LocalFileSystem()))
        return kafkafmt.open("", filesystem=filesystem, decryption_keys=self.keys), counts


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log directory of random values, which no compression makes smaller."""
    random = np.random.default_rng(1)
    table = pa.table(
        {
            "key": [b"k%d" % (number % 100) for number in range(COUNT)],
            "value": [random.bytes(4000) for _ in range(COUNT)],
            "timestamp": pa.array(range(COUNT), pa.timestamp("ms")),
        }
    )
    out = tmp_path_factory.mktemp("disk") / "log"
    kafkafmt.write(table, out, topic="t", partitions=1, segment_bytes=4 * MIB, batch_bytes=16 * KIB)
    return out


@pytest.fixture(scope="module", params=KINDS)
def made(request: pytest.FixtureRequest, disk: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    place = tmp_path_factory.mktemp(request.param)
    key = Key.make("key1", place) if request.param in ("encrypted", "both") else None
    store = Store(CHUNK, is_compressed=request.param in ("compressed", "both"), key=key)
    objects = store.put(disk / "t-0", place / "tier")
    logs = list(objects.glob("*.log"))
    assert len(logs) == SEGMENTS
    return Made(
        place / "tier",
        {"key1": key.path} if key else {},
        sum(each.stat().st_size for each in logs),
        sum(each.stat().st_size for each in objects.iterdir() if each not in logs),
    )


def opened(counts: CountingHandler, ending: str) -> int:
    return sum(path.endswith(ending) for path in counts.opened)


def values(disk: Path, start: int, end: int) -> list[bytes]:
    found: list[bytes] = kafkafmt.scan(disk, start_offset=start, end_offset=end).to_table()["value"].to_pylist()
    assert len(found) == end - start
    return found


@pytest.mark.slow
def test_to_open_a_tier_is_to_list_it(made: Made) -> None:
    disks, counts = made.open()
    assert [each.name for each in disks.partitions] == ["t-0"]
    assert counts.requests["list"] == 1
    assert counts.requests["info"] <= 2
    # One manifest shows whether the names have a prefix.
    assert [Path(path).suffix for path in counts.opened] == [".rsm-manifest"]
    assert counts.requests["read"] == 1


@pytest.mark.slow
def test_a_full_scan_reads_each_object_once(made: Made, disk: Path) -> None:
    disks, counts = made.open()
    table = disks.scan().to_table()
    assert table["value"].equals(kafkafmt.scan(disk).to_table()["value"])
    assert counts.requests["list"] == 1
    assert opened(counts, ".log") == SEGMENTS
    assert opened(counts, ".rsm-manifest") == SEGMENTS + 1
    assert opened(counts, ".indexes") <= 3
    assert counts.requests["open"] <= 2 * SEGMENTS + 4
    # Of each object 16 chunks by a request or two, not one by one.
    assert counts.requests["read"] <= counts.requests["open"] + 2 * SEGMENTS
    assert made.log_bytes <= counts.bytes_read <= made.log_bytes + made.index_bytes + SEGMENTS * 64 * KIB


@pytest.mark.slow
def test_to_count_reads_no_byte_twice(made: Made) -> None:
    disks, counts = made.open()
    assert disks.scan().count() == COUNT
    assert opened(counts, ".log") == SEGMENTS
    assert counts.bytes_read <= made.log_bytes + made.index_bytes + SEGMENTS * 64 * KIB
    assert counts.requests["read"] <= 10 * SEGMENTS


@pytest.mark.slow
def test_to_plan_is_to_read_each_manifest_once(made: Made) -> None:
    disks, counts = made.open()
    plan = disks.scan().plan(max_split_bytes=MIB)
    assert len(plan.splits) >= SEGMENTS
    assert counts.requests["list"] == 1
    # And one that shows whether the names have a prefix.
    assert opened(counts, ".rsm-manifest") == SEGMENTS + 1
    assert sum(map(plan.reading.count, plan.splits)) == COUNT
    assert opened(counts, ".rsm-manifest") == SEGMENTS + 1


def last_ten(disks: kafkafmt.Disks) -> pa.Table:
    return pa.Table.from_batches(disks.scan().tail(10))


def one_percent(disks: kafkafmt.Disks) -> pa.Table:
    return disks.scan(start_offset=COUNT // 2, end_offset=COUNT // 2 + COUNT // 100).to_table()


FEW: dict[str, tuple[Callable[[kafkafmt.Disks], pa.Table], tuple[int, int], int]] = {
    "the last ten": (last_ten, (COUNT - 10, COUNT), 3 * CHUNK),
    "one percent": (one_percent, (COUNT // 2, COUNT // 2 + COUNT // 100), 7 * CHUNK),
    "the first ten": (lambda disks: pa.Table.from_batches(disks.scan().head(10)), (0, 10), 2 * CHUNK),
}
"""What is asked for, its offsets, and bytes of objects that may be read for it."""


@pytest.mark.parametrize("name", FEW)
def test_a_few_records_cost_a_few_chunks_of_one_object(made: Made, disk: Path, name: str) -> None:
    ask, (start, end), most = FEW[name]
    disks, counts = made.open()
    assert ask(disks)["value"].to_pylist() == values(disk, start, end)
    assert opened(counts, ".log") == 1
    assert opened(counts, ".rsm-manifest") == SEGMENTS + 1
    assert opened(counts, ".indexes") <= 4
    assert counts.requests["list"] == 1
    # Those of the manifests, of the indexes, and at most five of the object.
    assert counts.requests["read"] <= counts.requests["open"] + 5
    assert counts.bytes_read <= most + made.index_bytes


def test_an_offset_is_found_by_an_index_and_a_few_chunks(made: Made) -> None:
    disks, counts = made.open()
    place = disks.partitions[0].find_offset(COUNT // 3)
    assert place is not None
    assert place.base_offset is not None
    assert COUNT // 3 - 8 < place.base_offset <= COUNT // 3
    assert opened(counts, ".log") == 1
    assert counts.requests["read"] <= counts.requests["open"] + 5
    assert counts.bytes_read <= 5 * CHUNK + made.index_bytes


def test_chunks_that_lie_beside_each_other_are_one_request(made: Made) -> None:
    disks, counts = made.open()
    segment = disks.partitions[0].segments[3]
    with segment.open() as file:
        counts.reset()
        content = file.read_at(CHUNK + 5, 8 * CHUNK)
        assert len(content) == 8 * CHUNK
        # One chunk of 256 ends as the buffer did before it was read, which is a reason to ask for the size.
        assert counts.requests.total() - min(counts.requests["info"], 1) == counts.requests["read"] == 1
        assert 8 * CHUNK <= counts.bytes_read <= 9 * CHUNK + 9 * 64
        assert content[:-5] == file.read_at(0, 10 * CHUNK)[CHUNK + 5 : 9 * CHUNK]


def in_bucket(file: str, above: str) -> str:
    return f"{above}/{Path(file).relative_to(ENCRYPTED.tier)}"


@pytest.mark.slow
def test_a_golden_tier_in_a_bucket_gives_what_it_gives_on_a_disk(bucket: Bucket) -> None:
    bucket.upload(ENCRYPTED.tier, "tier")
    scan = kafkafmt.scan(bucket.uri("tier"), columns=COLUMNS, decryption_keys=ENCRYPTED.keys)
    assert read(scan) == viewed(ENCRYPTED)
    beside = kafkafmt.scan(ENCRYPTED.tier, decryption_keys=ENCRYPTED.keys).to_table()
    there = kafkafmt.scan(bucket.uri("tier"), decryption_keys=ENCRYPTED.keys).to_table()
    assert there.drop_columns(["file"]).equals(beside.drop_columns(["file"]))
    assert there["file"].to_pylist() == [in_bucket(each, bucket.shown("tier")) for each in beside["file"].to_pylist()]
    metadata = kafkafmt.open(bucket.uri("tier")).tiers(metadata=ENCRYPTED.log_dir)
    assert metadata.to_table().equals(kafkafmt.open(ENCRYPTED.tier).tiers(metadata=ENCRYPTED.log_dir).to_table())


@pytest.mark.slow
def test_a_command_reads_a_bucket(bucket: Bucket, capsys: pytest.CaptureFixture[str]) -> None:
    bucket.upload(ENCRYPTED.tier, "some/tier")
    keys = [text for name, path in ENCRYPTED.keys.items() for text in ("--key-file", f"{name}={path}")]
    assert run(["cat", bucket.uri("some/tier"), *keys, "-o", "jsonl"]) == 0
    there = [json.loads(line) for line in capsys.readouterr().out.split("\n")[:-1]]
    assert run(["cat", str(ENCRYPTED.tier), *keys, "-o", "jsonl"]) == 0
    here = [json.loads(line) for line in capsys.readouterr().out.split("\n")[:-1]]
    assert there == [{**row, "file": in_bucket(row["file"], bucket.shown("some/tier"))} for row in here]
    assert len(here) == len(viewed(ENCRYPTED))
    one = next(ENCRYPTED.tier.glob("orders-*/0/*.log")).relative_to(ENCRYPTED.tier)
    assert run(["cat", bucket.uri(f"some/tier/{one}"), *keys, "-o", "jsonl"]) == 0
    alone = [json.loads(line) for line in capsys.readouterr().out.split("\n")[:-1]]
    assert [row["offset"] for row in alone] == [row["offset"] for row in there if row["file"].endswith(str(one))] != []


@pytest.mark.slow
def test_without_its_key_an_object_of_a_bucket_is_named_without_access_keys(
    bucket: Bucket, capsys: pytest.CaptureFixture[str]
) -> None:
    bucket.upload(ENCRYPTED.tier, "tier")
    assert run(["cat", bucket.uri("tier"), "--key-file", f"key.b={ENCRYPTED.keys['key.b']}"]) == 1
    told = capsys.readouterr().err
    assert f"kafkafmt: {bucket.shown('tier')}/" in told
    assert "encrypted for the key 'key-2024'" in told
    assert SECRET not in told
