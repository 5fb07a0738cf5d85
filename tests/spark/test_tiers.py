"""Tiered storage on Spark: rows, splits of chunks, keys that stay in place, and damage without them."""

import json
import pickle
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import kafkafmt
from pyspark_kafkafmt import count_records, read_log_dirs
from pyspark_kafkafmt.options import SourceOptions
from pyspark_kafkafmt.planning import plan
from tests.golden_cases import tier_case
from tests.reads import KIB
from tests.spark.data_source_rows import load, load_all_columns, rows_of, scanned
from tests.tier_store import Key, Store
from tests.tiered_records import consumed

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

CASE = tier_case(4)
NAMES = {name: str(path) for name, path in CASE.keys.items()}
KEYS = json.dumps(NAMES)
SEGMENTS = 300


def of_keys(*, without: str) -> str:
    return json.dumps({name: path for name, path in NAMES.items() if name != without})


def test_an_encrypted_tier_has_the_rows_of_a_scan(spark: SparkSession) -> None:
    frame = load_all_columns(spark, CASE.tier, decryptionKeys=KEYS, maxPartitionBytes="32k")
    assert rows_of(frame) == scanned(CASE.tier, decryption_keys=NAMES) != []
    assert frame.rdd.getNumPartitions() > 3


def test_a_log_directory_and_its_tier_are_one_log(spark: SparkSession) -> None:
    frame = load(spark, [str(CASE.log_dir), str(CASE.tier)], decryptionKeys=KEYS, subscribePattern="^[^_]")
    found = {(row.topic, row.partition, row.offset): row.value for row in frame.collect()}
    assert frame.count() == len(found)
    assert found == {place: each.value for place, each in consumed(CASE).items()}


def test_read_log_dirs_takes_keys(spark: SparkSession) -> None:
    columns = ["topic", "partition", "offset", "key", "value"]
    wanted = kafkafmt.scan(CASE.tier, columns=columns, decryption_keys=NAMES).to_table()
    found = read_log_dirs(spark, CASE.tier, columns=columns, decryption_keys=NAMES, max_split_bytes=50 * KIB).toArrow()
    assert found.cast(wanted.schema).equals(wanted)
    assert count_records(spark, CASE.tier, decryption_keys=NAMES) == wanted.num_rows


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Key]:
    """A tier of 300 small segments, compressed and encrypted in chunks of 1 KiB."""
    place = tmp_path_factory.mktemp("small")
    table = pa.table({"value": [b"%06d" % number * 40 for number in range(SEGMENTS * 16)]})
    table = table.append_column("timestamp", pa.array(range(len(table)), pa.timestamp("ms")))
    kafkafmt.write(table, place / "disk", topic="t", partitions=1, segment_bytes=4 * KIB, batch_bytes=KIB)
    key = Key.make("key1", place)
    objects = Store(KIB, is_compressed=True, key=key).put(place / "disk" / "t-0", place / "tier")
    assert len(list(objects.glob("*.log"))) >= SEGMENTS
    return place, key


def test_each_record_of_many_small_segments_comes_once(spark: SparkSession, small: tuple[Path, Key]) -> None:
    place, key = small
    keys = json.dumps({"key1": str(key.path)})
    frame = load(spark, place / "tier", decryptionKeys=keys, maxPartitionBytes="100k")
    assert 8 < frame.rdd.getNumPartitions() < 100
    found = sorted((row.offset, row.value) for row in frame.select("offset", "value").collect())
    beside = kafkafmt.scan(place / "disk", columns=["offset", "value"]).to_table()
    assert found == list(zip(beside["offset"].to_pylist(), map(bytearray, beside["value"].to_pylist()), strict=True))


@pytest.mark.parametrize("is_compressed", [False, True])
def test_splits_begin_at_the_last_batch_up_to_the_border_of_a_chunk(tmp_path: Path, is_compressed: bool) -> None:
    table = pa.table({"value": [b"%07d" % number * 100 for number in range(3000)]})
    table = table.append_column("timestamp", pa.array(range(len(table)), pa.timestamp("ms")))
    kafkafmt.write(table, tmp_path / "disk", topic="t", partitions=1, batch_bytes=4 * KIB, index_interval_bytes=1)
    key = Key.make("key1", tmp_path)
    store = Store(100 * KIB, is_compressed=is_compressed, key=key)
    store.put(tmp_path / "disk" / "t-0", tmp_path / "tier")
    scan = kafkafmt.scan(tmp_path / "tier", decryption_keys={"key1": key.path})
    batches = [batch.position for batch in kafkafmt.scan(tmp_path / "disk").partitions[0].segments[0].batches()]
    (partition,) = scan.partitions
    with partition.segments[0].open() as file:
        assert file.unit == 100 * KIB
        size = file.size
    planned = scan.plan(max_split_bytes=250 * KIB)
    begins = [task.begin for split in planned.splits for task in split.tasks]
    assert len(begins) > 5
    assert begins[0] == 0
    for begin in begins[1:]:
        border = -(-begin // file.unit) * file.unit
        assert begin == max(position for position in batches if position <= border)
    # The next split reads chunks of a split at most once.
    ends = [task.end if task.end is not None else size for split in planned.splits for task in split.tasks]
    assert ends[:-1] == begins[1:]
    found = [batch for split in planned.splits for batch in planned.reading.read(split)]
    assert pa.Table.from_batches(found)["offset"].to_pylist() == list(range(3000))


def test_a_plan_holds_the_paths_of_keys_and_no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    unwrapped: list[bytes] = []
    from kafkafmt.codec import encryption

    unwrap = encryption.unwrap_key

    def watched(*arguments: object) -> bytes:
        unwrapped.append(unwrap(*arguments))  # type: ignore[arg-type]
        return unwrapped[-1]

    monkeypatch.setattr(encryption, "unwrap_key", watched)
    from kafkafmt.io import keys

    keys._unwrapped.cache_clear()
    options = SourceOptions.parse({"path": str(CASE.tier), "decryptionKeys": KEYS, "maxPartitionBytes": "2k"})
    planned = plan(options, ["offset", "value"])
    records = sum(batch.num_rows for split in planned.splits for batch in planned.reading.read(split))
    assert records == kafkafmt.scan(CASE.tier, decryption_keys=NAMES).count()
    assert len(set(unwrapped)) == len(list(CASE.tier.rglob("*.rsm-manifest")))
    pickled = pickle.dumps((planned.splits, planned.reading))
    assert NAMES["key.b"].encode() in pickled
    for path in NAMES.values():
        lines = [line for line in Path(path).read_bytes().splitlines() if not line.startswith(b"-")]
        assert len(lines) > 10
        assert not [line for line in lines if line in pickled]
    shown = repr(planned.splits) + repr(planned.reading) + repr(planned)
    for data_key in unwrapped:
        assert data_key not in pickled
        assert repr(data_key)[2:-1] not in shown
        assert data_key.hex() not in shown


@pytest.fixture
def lost_key(tmp_path: Path) -> tuple[str, Path]:
    """Keys, one of which has no file on executors."""
    gone = tmp_path / "gone.pem"
    return json.dumps({**NAMES, "key.b": str(gone)}), gone


def test_a_key_file_that_is_missing_on_executors_is_damage(spark: SparkSession, lost_key: tuple[str, Path]) -> None:
    keys, gone = lost_key
    expected = scanned(CASE.tier, decryption_keys=json.loads(of_keys(without="key.b")), on_damage="skip")
    frame = load_all_columns(spark, CASE.tier, decryptionKeys=keys, mode="DROPMALFORMED")
    assert rows_of(frame) == expected != []
    with pytest.raises(PySparkException) as caught:
        load(spark, CASE.tier, decryptionKeys=keys, mode="FAILFAST").collect()
    told = str(caught.value)
    assert f"the private key cannot be read: {gone}" in told or f"(key 'key.b', {gone})" in told
    assert ".log: position 0: the segment with offsets" in told


def test_permissive_has_a_row_for_each_segment_whose_key_is_not_named(spark: SparkSession) -> None:
    sound = load(spark, CASE.tier, decryptionKeys=KEYS, mode="PERMISSIVE")
    assert sound.where("_corrupt_record is not null").count() == 0
    other = load(spark, CASE.tier, decryptionKeys=of_keys(without="key-2024"), mode="PERMISSIVE")
    told = [
        json.loads(row[0]) for row in other.where("_corrupt_record is not null").select("_corrupt_record").collect()
    ]
    of_key = [
        path.with_suffix(".log")
        for path in CASE.tier.rglob("*.rsm-manifest")
        if json.loads(path.read_text())["encryption"]["dataKey"].startswith("key-2024:")
    ]
    assert sorted(each["file"] for each in told) == sorted(map(str, of_key))
    assert {each["reason"] for each in told} == {"unsupported"}
