"""The golden cases of values: a registry's log directory, with each key and value as read by real deserializers."""

import gzip
import json
import tarfile
from base64 import b64decode, b64encode
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from math import isnan
from pathlib import Path
from typing import Any

from kafkafmt.values.avro.datum import Branch
from kafkafmt.values.avro.schema import Node

CASES = Path(__file__).parents[1] / "golden" / "values"


@cache
def rows(case: str, table: str) -> list[dict[str, Any]]:
    """The rows of `expected/<table>.jsonl`, plain or compressed."""
    plain = CASES / case / "expected" / f"{table}.jsonl"
    text = (
        plain.read_text() if plain.exists() else gzip.decompress(plain.with_suffix(".jsonl.gz").read_bytes()).decode()
    )
    found = [json.loads(line) for line in text.splitlines()]
    assert found
    return found


def unpack(case: str, directory: Path) -> Path:
    """Unpack the log directory of a case into a directory."""
    with tarfile.open(CASES / case / "log-dir.tar.gz") as packed:
        packed.extractall(directory, filter="data")
    return directory / "log-dir"


@dataclass(frozen=True)
class Stored:
    """The schemas of a case by the registry's answers."""

    case: str

    def row(self, subject: str, version: int) -> dict[str, Any]:
        (found,) = [
            each for each in rows(self.case, "schemas") if (each["subject"], each["version"]) == (subject, version)
        ]
        return found

    def references(self, row: dict[str, Any]) -> list[str]:
        """The texts of a schema's references, each after its own references."""
        texts: list[str] = []
        for each in row["references"]:
            referred = self.row(each["subject"], each["version"])
            texts += [text for text in (*self.references(referred), referred["schema"]) if text not in texts]
        return texts


def raw(row: dict[str, Any]) -> bytes:
    return b64decode(row["raw"])


def as_golden(node: Node, value: Any) -> Any:
    """Convert a value of the reference reader to the JSON form of the golden files."""
    if node.type == "union":
        if isinstance(value, Branch):
            (branch,) = [each for each in node.inner if each.branch_name == value.name]
            return {"$branch": value.name, "value": as_golden(branch, value.value)}
        return None if value is None or node.optional is None else as_golden(node.optional, value)
    if node.logical == "decimal":
        unscaled = int.from_bytes(value, "big", signed=True)
        number = Decimal((unscaled < 0, tuple(map(int, str(abs(unscaled)))), -node.scale))
        return {"$decimal": format(number, "f")}
    if node.logical == "uuid":
        text = value if isinstance(value, str) else value.hex()
        return {"$uuid": text if isinstance(value, str) else "-".join(_cut(text, (8, 4, 4, 4, 12)))}
    if node.logical == "duration":
        return {"$duration": [int.from_bytes(value[at : at + 4], "little") for at in (0, 4, 8)]}
    if node.logical is not None:
        return {f"${node.logical}": value}
    if node.type in ("bytes", "fixed"):
        return {"$bytes": _base64(value)}
    if node.type == "array":
        return [as_golden(node.inner[0], each) for each in value]
    if node.type == "map":
        return {"$map": sorted([name, as_golden(node.inner[0], each)] for name, each in value)}
    if node.type == "record":
        return {each.name: as_golden(each.type, value[each.name]) for each in node.fields}
    if isinstance(value, float) and (isnan(value) or value in (float("inf"), float("-inf"))):
        return {"$float": "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"}
    return value


def text(value: object) -> str:
    """JSON in which -0.0 and 0.0, 1 and 1.0, differ."""
    return json.dumps(value, sort_keys=True)


def _cut(whole: str, sizes: tuple[int, ...]) -> list[str]:
    ends = [sum(sizes[: number + 1]) for number in range(len(sizes))]
    return [whole[end - size : end] for end, size in zip(ends, sizes, strict=True)]


def _base64(data: bytes) -> str:
    return b64encode(data).decode()
