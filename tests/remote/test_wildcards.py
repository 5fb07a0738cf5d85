"""Wildcards of the Spark data source's paths in object storage."""

import pytest

import kafkafmt
from pyspark_kafkafmt.paths import expand
from tests.golden_cases import GOLDEN
from tests.remote.conftest import Bucket

LOG_DIR = GOLDEN / "modern/13-names-4.3.1/log-dir/dir-0"


def uri(bucket: Bucket, key: str) -> str:
    head, mark, options = bucket.uri("KEY").partition("?")
    return head.replace("KEY", key) + mark + options


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("copies", ["copies"]),
        ("copies/*/orders-[0-3]", ["copies/b1/orders-0", "copies/b1/orders-1", "copies/b2/orders-1"]),
        ("copies/{b2,b3,b4}/*-1", ["copies/b2/orders-1", "copies/b3/%5Bodd%5D%20%25-1"]),
        ("copies/{b1,b4}", ["copies/b1"]),
        ("copies/b?", ["copies/b"]),
    ],
)
def test_wildcards_stand_for_keys(bucket: Bucket, pattern: str, expected: list[str]) -> None:
    for name in ("b1/orders-0", "b1/orders-1", "b2/orders-1", "b3/[odd] %-1"):
        bucket.put(f"copies/{name}/00000000000000000000.log", b"")
    if pattern.endswith("?"):
        # In a URI it begins the options.
        pattern, expected = pattern.removesuffix("?"), [expected[0]]
    assert expand([uri(bucket, pattern)]) == [uri(bucket, key) for key in expected]


@pytest.mark.slow
def test_what_matches_can_be_scanned(bucket: Bucket) -> None:
    bucket.upload(LOG_DIR, "data/broker 1")
    (found,) = expand([uri(bucket, "data/br*")])
    assert kafkafmt.scan(found).count() == kafkafmt.scan(LOG_DIR).count()


def test_keys_and_options_are_not_told(bucket: Bucket) -> None:
    with pytest.raises(kafkafmt.SourceError, match="nothing matches this path") as caught:
        expand([uri(bucket, "no*")])
    assert str(caught.value).startswith(f"s3://{bucket.name}/no*: ")
