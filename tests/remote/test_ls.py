"""`kafkafmt ls` on an S3 API gives what it gives on a disk."""

import json
from pathlib import Path

import pytest

from kafkafmt.cli.main import run
from tests.golden_cases import cases
from tests.remote.conftest import SECRET, Bucket

LOG_DIR = next(case for case in cases() if case.name == "06-retention-4.3.1").log_dir


def rows(capsys: pytest.CaptureFixture[str], level: str, source: str) -> list[dict[str, object]]:
    assert run(["ls", "--rows", level, "-o", "jsonl", source]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("level", ["log-dirs", "partitions", "segments", "left-out"])
def test_rows_are_those_of_the_same_files_on_a_disk(
    bucket: Bucket, capsys: pytest.CaptureFixture[str], level: str
) -> None:
    bucket.upload(LOG_DIR, "broker")
    local = rows(capsys, level, str(LOG_DIR))
    remote = rows(capsys, level, bucket.uri("broker"))
    for row in local:
        for name in ("path", "logDir"):
            if name in row:
                row[name] = str(row[name]).replace(str(LOG_DIR), bucket.shown("broker"))
        if "sizeOnDisk" in row:
            row["sizeOnDisk"] = None  # no store tells
    assert remote == local


@pytest.mark.slow
def test_a_partition_a_file_and_nothing(bucket: Bucket, capsys: pytest.CaptureFixture[str]) -> None:
    bucket.upload(LOG_DIR, "broker")
    assert run(["ls", bucket.uri("broker/trimmed-0")]) == 0
    assert "offsets 33 to 77, high watermark 78" in capsys.readouterr().out
    assert run(["ls", bucket.uri("broker/trimmed-0/00000000000000000022.log")]) == 0
    assert "00000000000000000022.log" in capsys.readouterr().out
    assert run(["ls", bucket.uri("elsewhere")]) == 3
    captured = capsys.readouterr()
    assert bucket.shown("elsewhere") in captured.err
    assert SECRET not in captured.err


@pytest.mark.slow
def test_a_report_shows_no_access_key(bucket: Bucket, tmp_path: Path) -> None:
    bucket.upload(LOG_DIR, "broker")
    out = tmp_path / "disks.html"
    assert run(["ls", "--report", str(out), bucket.uri("broker")]) == 0
    page = out.read_text()
    assert bucket.shown("broker") in page
    assert "very" + "%2F" + "secret" not in page
