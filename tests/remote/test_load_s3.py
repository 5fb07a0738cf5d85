"""`kafkafmt.load` into a Delta table on object storage, whose options come from the environment."""

from pathlib import Path

import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt.loading.load import offsets_of
from tests.logdir.builders import batch, segment
from tests.remote.conftest import KEY, SECRET, Bucket


@pytest.mark.slow
@pytest.mark.parametrize("divided", [[], ["partition"]])
def test_a_delta_table_on_s3(
    tmp_path: Path, bucket: Bucket, monkeypatch: pytest.MonkeyPatch, divided: list[str]
) -> None:
    from deltalake import DeltaTable

    variables = {
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{bucket.port}",
        "AWS_ALLOW_HTTP": "true",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    segment(tmp_path / "t-0", 0)
    segment(tmp_path / "t-1", 0, batch(0, 3))
    to = f"delta:s3://{bucket.name}/lake/t"
    assert kafkafmt.load(tmp_path, to, partition_by=divided).rows_loaded == 13
    segment(tmp_path / "t-1", 3, batch(3))
    assert kafkafmt.load(tmp_path, to).rows_loaded == 1
    assert kafkafmt.load(tmp_path, to).commits == []
    rows = DeltaTable(f"s3://{bucket.name}/lake/t").to_pyarrow_table()
    places = sorted(zip(rows["partition"].to_pylist(), rows["offset"].to_pylist(), strict=True))
    assert places == [*((0, each) for each in range(10)), *((1, each) for each in range(4))]
    assert offsets_of(to) == {("t", 0): 10, ("t", 1): 4}
    assert pa.types.is_timestamp(rows.schema.field("timestamp").type)


@pytest.mark.slow
def test_logs_on_s3(tmp_path: Path, bucket: Bucket) -> None:
    segment(tmp_path / "log" / "t-0", 0)
    bucket.upload(tmp_path / "log", "log")
    for to in (str(tmp_path / "lake"), f"delta:{tmp_path / 'delta'}"):
        assert kafkafmt.load(bucket.uri("log"), to).rows_loaded == 10
        assert kafkafmt.load(bucket.uri("log"), to).commits == []
