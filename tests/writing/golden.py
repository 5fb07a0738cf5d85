"""The golden set "writing": results of Kafka's own builders for given calls (tests/golden/writing/README.md)."""

import gzip
import json
from base64 import b64decode
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent.parent / "golden" / "writing"


def lines(name: str) -> list[dict[str, Any]]:
    """The objects of a file with one per line."""
    with gzip.open(GOLDEN / f"{name}.jsonl.gz", "rt") as file:
        return [json.loads(line) for line in file]


def content(value: str | dict[str, Any] | None) -> bytes | None:
    """Bytes of a key, a value or a header."""
    if isinstance(value, dict):
        return b64decode(value["repeat"]) * int(value["times"])
    return None if value is None else b64decode(value)


def headers(record: dict[str, Any]) -> list[tuple[str, bytes | None]]:
    """Headers of a call or record."""
    return [(name, content(value)) for name, value in record.get("headers", ())]
