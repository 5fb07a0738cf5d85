"""The memory of a load grows neither with the log nor with a commit."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, environment
from tests.logdir.builders import batch, segment

PROGRAM = """
import sys
import kafkafmt
from tests.peak_memory import peak
kafkafmt.load(sys.argv[1], sys.argv[2])
print(peak())
"""
MIB = 1024 * 1024


def peak_of(source: Path, to: str) -> int:
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM, source, to], env=environment(), cwd=ROOT, check=True, stdout=subprocess.PIPE
    )
    return int(answer.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["", "delta:"])
def test_it_is_bounded(tmp_path: Path, kind: str) -> None:
    values = random.Random(1)
    content = b"".join(batch(number, value=values.randbytes(50_000)) for number in range(400))  # 20 MB
    segment(tmp_path / "large" / "t-0", 0, content)
    for number in range(1, 24):
        (tmp_path / "large" / f"t-{number}").mkdir()
        os.link(tmp_path / "large/t-0" / f"{0:020d}.log", tmp_path / f"large/t-{number}" / f"{0:020d}.log")
    small = peak_of(tmp_path / "large" / "t-0", f"{kind}{tmp_path / 'a'}")
    large = peak_of(tmp_path / "large", f"{kind}{tmp_path / 'b'}")
    assert sum(path.stat().st_size for path in (tmp_path / "b").rglob("*.parquet")) > 450 * MIB
    assert large < small + 250 * MIB
    assert large < 500 * MIB
