"""`kafkafmt dump` on an S3 API prints what it prints on a disk."""

from pathlib import Path

import pytest

from kafkafmt.cli.main import run
from tests.golden_cases import cases
from tests.remote.conftest import SECRET, Bucket

PARTITION = next(case for case in cases() if case.name == "04-transactions-4.3.1").log_dir / "tx-0"


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--print-data-log", "--verify-index-only", "--index-sanity-check"])
def test_text_is_that_of_the_same_files_on_a_disk(
    bucket: Bucket, capsysbinary: pytest.CaptureFixture[bytes], option: str
) -> None:
    bucket.upload(PARTITION, "tx-0")
    assert run(["dump", option, str(PARTITION)]) == 0
    local = capsysbinary.readouterr()
    assert run(["dump", option, bucket.uri("tx-0")]) == 0
    remote = capsysbinary.readouterr()
    assert remote.out == local.out.replace(bytes(PARTITION), bucket.shown("tx-0").encode())
    assert len(remote.out) > 500
    assert SECRET.encode() not in remote.out + remote.err


def test_an_index_is_checked_against_the_log_beside(
    bucket: Bucket, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bucket.put("tx-0/00000000000000000000.index", b"\0\0\0\5\0\0\0\7")
    assert run(["dump", bucket.uri("tx-0/00000000000000000000.index")]) == 3
    bucket.put("tx-0/00000000000000000000.log", (PARTITION / "00000000000000000000.log").read_bytes())
    assert run(["dump", bucket.uri("tx-0/00000000000000000000.index")]) == 1
    assert (
        f"{bucket.shown('tx-0/00000000000000000000.index')}: position 0: an entry points to 7"
        in capsys.readouterr().err
    )
    assert run(["dump", "--files", bucket.uri("tx-0/none.log")]) == 3
