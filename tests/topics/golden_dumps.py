"""The output of Kafka's own decoders for internal topics (expected/dump-*.txt), as objects."""

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.golden_cases import Case, cases

DUMPS = {
    "dump-offsets.txt": "__consumer_offsets",
    "dump-transactions.txt": "__transaction_state",
    "dump-share.txt": "__share_group_state",
    "dump-metadata.txt": "__cluster_metadata",
}
"""Names of dumps and of their topics."""

_DUMPING = re.compile(r"Dumping (?P<file>\S+)")
_RECORD = re.compile(
    r"\| offset: (?P<offset>\d+) .* headerKeys: \[\] (?:key: (?P<key>\{.*?\}) )?payload: (?P<payload>\{.*\}|<DELETE>)"
)


@dataclass(frozen=True)
class Dumped:
    """A record as Kafka decoded it.

    Attributes:
        file: path relative to the log directory.
        offset: offset of the record.
        type: type of the key or of the metadata record: "1", "TOPIC_RECORD".
        key: fields of the key; None without a key.
        version: version of the value; None for a tombstone.
        value: fields of the value; None for a tombstone.
    """

    file: str
    offset: int
    type: str
    key: dict[str, Any] | None
    version: int | None
    value: dict[str, Any] | None


def dumps() -> list[tuple[Case, str]]:
    """The cases with a JSON dump, and the dump's name. Kafka 3.9 prints transactions as text."""
    return [
        (case, name)
        for case in cases("modern")
        for name in DUMPS
        if case.has(name) and not (name == "dump-transactions.txt" and case.name.endswith("-3.9.1"))
    ]


def dumped(case: Case, name: str) -> Iterator[Dumped]:
    """The records of a dump, without control records."""
    plain, zipped = case.expected / name, case.expected / f"{name}.gz"
    text = plain.read_text() if plain.exists() else gzip.decompress(zipped.read_bytes()).decode()
    file = ""
    for line in text.split("\n"):
        begun = _DUMPING.match(line)
        file = begun["file"] if begun else file
        record = _RECORD.fullmatch(line)
        if record is None:
            continue
        key = json.loads(record["key"]) if record["key"] else {}
        payload = {} if record["payload"] == "<DELETE>" else json.loads(record["payload"])
        version = int(payload["version"]) if payload else None
        kind = key.get("type") or payload["type"]
        yield Dumped(file, int(record["offset"]), kind, key.get("data"), version, payload.get("data"))
