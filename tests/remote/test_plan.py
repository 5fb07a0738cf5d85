"""Splits of logs on an object store: read by whoever unpickles them, without a listing, and without showing secrets."""

import pickle
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt import SourceError
from tests import reads
from tests.logdir.builders import batch, file_name, segment
from tests.remote.conftest import KEY, SECRET, Bucket
from tests.scanning import united


def fill(bucket: Bucket, tmp_path: Path) -> Path:
    for partition in (0, 1):
        path = segment(tmp_path / f"t-{partition}", 0, *(batch(10 * each, 10, value=b"v" * 100) for each in range(30)))
        reads.index(path, *((10 * each + 9, each * path.stat().st_size // 30) for each in range(1, 30, 3)))
    bucket.upload(tmp_path, "logs")
    return tmp_path


def test_splits_of_a_bucket_are_those_of_a_disk(bucket: Bucket, tmp_path: Path) -> None:
    local = kafkafmt.scan(fill(bucket, tmp_path)).plan(max_split_bytes=7000)
    scan = kafkafmt.scan(bucket.uri("logs"))
    plan = scan.plan(max_split_bytes=7000)
    assert len(plan.splits) == len(local.splits) > 8
    for here, there in zip(local.splits, plan.splits, strict=True):
        assert [(each.begin, each.end) for each in here.tasks] == [(each.begin, each.end) for each in there.tasks]
    assert {task.file for split in plan.splits for task in split.tasks} == {
        bucket.shown(f"logs/t-{partition}/{file_name(0)}") for partition in (0, 1)
    }
    columns = ["topic", "partition", "offset", "value", "position"]
    found = united.of_plan(plan)
    assert found.table.select(columns).equals(united.of_plan(local).table.select(columns))
    assert set(found.table.column("file").to_pylist()) == {
        bucket.shown(f"logs/t-{partition}/{file_name(0)}") for partition in (0, 1)
    }


@pytest.mark.slow
def test_splits_are_small_and_keep_access_keys_to_themselves(bucket: Bucket, tmp_path: Path) -> None:
    fill(bucket, tmp_path)
    for number in range(300):
        bucket.put(f"logs/other-{number}/{file_name(0)}", b"")
    plan = kafkafmt.scan(bucket.uri("logs")).plan(max_split_bytes=7000)
    for split in plan.splits:
        pickled = pickle.dumps(split)
        # No listing goes along.
        assert b"other-7" not in pickled
        assert len(pickled) < 2000
        for text in (repr(split), str(split), repr(plan), repr(pickle.loads(pickled))):
            assert KEY not in text
            assert SECRET not in text


def test_an_object_that_shrank_vanished_or_was_replaced_is_an_error(bucket: Bucket, tmp_path: Path) -> None:
    path = fill(bucket, tmp_path) / "t-0" / file_name(0)
    scan = kafkafmt.scan(bucket.uri("logs"), topics={"t": 0})
    split = pickle.loads(pickle.dumps(scan.plan().splits[0]))
    reading = scan.plan().reading
    key = f"logs/t-0/{file_name(0)}"
    bucket.put(key, path.read_bytes()[:-1])
    with pytest.raises(SourceError, match=r"shrank|replaced") as caught:
        reading.count(split)
    assert caught.value.file == bucket.shown(key)
    bucket.delete(key)
    with pytest.raises(SourceError, match="vanished") as caught:
        reading.count(split)
    assert SECRET not in str(caught.value)
