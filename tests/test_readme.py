"""The recipes of the README do what it says, on a copy of golden data put where they look for it.

The recipe for Spark runs in tests/spark.
"""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.golden_cases import GOLDEN

README = Path(__file__).parent.parent / "README.md"
PLACES = {
    "/var/lib/kafka/data": "modern/04-transactions-4.3.1/log-dir",
    "/copies/broker-1": "modern/07-three-nodes-diverged-4.3.1/log-dir/node-1",
    "/copies/broker-2": "modern/07-three-nodes-diverged-4.3.1/log-dir/node-2",
    "/copies/orders-0": "modern/01-codecs-4.3.1/log-dir/big-0",
    "/backup/orders-0": "modern/12-crash-4.3.1/log-dir/damaged/crash-flip-record-0",
}


def recipes() -> list[str]:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    return [block for block in blocks if "pyspark" not in block]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("readme")
    for place, golden in PLACES.items():
        shutil.copytree(GOLDEN / golden, root / place.lstrip("/"), dirs_exist_ok=True)
    tx = root / "var/lib/kafka/data/tx-0"
    tx.rename(tx.with_name("orders-0"))
    return root


def test_every_recipe_in_plain_python_runs(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    blocks = recipes()
    assert len(blocks) == 5
    for block in blocks:
        code = re.sub(r'"(/(?:var|copies|backup)[^"]*)"', lambda match: f'"{root}{match[1]}"', block)
        exec(compile("import kafkafmt\n" + code, str(README), "exec"), names)
    printed = capsys.readouterr().out
    assert names["table"].num_rows == 156
    assert "checksum" in printed
    assert "rep 0" in printed
