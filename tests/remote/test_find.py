"""`kafkafmt find` on an S3 API gives what it gives on a disk."""

import json

import pytest

from kafkafmt.cli.main import run
from tests.golden_cases import cases
from tests.remote.conftest import SECRET, Bucket

LOG_DIR = next(case for case in cases() if case.name == "06-retention-4.3.1").log_dir


@pytest.mark.slow
@pytest.mark.parametrize(
    "question",
    ["--offset=50", "--timestamp=0", "--timestamp=1795234958600", "--earliest", "--latest", "--max-timestamp"],
)
def test_rows_are_those_of_the_same_files_on_a_disk(
    bucket: Bucket, capsys: pytest.CaptureFixture[str], question: str
) -> None:
    bucket.upload(LOG_DIR, "broker")
    rows = []
    for source in (str(LOG_DIR), bucket.uri("broker")):
        assert (
            run(["find", source, "--topic", "trimmed", "--partition", "0", question, "-o", "jsonl", "--explain"]) == 0
        )
        captured = capsys.readouterr()
        rows.append(json.loads(captured.out))
        assert "Looking for" in captured.err
        assert SECRET not in captured.err
    assert rows[0] == rows[1]


@pytest.mark.slow
def test_nothing_there_is_told_without_access_keys(bucket: Bucket, capsys: pytest.CaptureFixture[str]) -> None:
    bucket.upload(LOG_DIR / "trimmed-0", "trimmed-0")
    assert run(["find", bucket.uri("trimmed-0"), "--offset=500"]) == 1
    captured = capsys.readouterr()
    assert f"the log of {bucket.shown('trimmed-0')} starts" in captured.err
    assert (captured.out, SECRET in captured.err) == ("", False)
