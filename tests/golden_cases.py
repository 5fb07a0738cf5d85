"""The golden cases: log directories written by brokers, with the answers of Kafka's own code about them."""

import gzip
import json
import tarfile
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

GOLDEN = Path(__file__).parent / "golden"

Family = Literal["modern", "legacy", "tiered"]


@dataclass(frozen=True)
class Case:
    """One golden case; `str(case)` can be used as a test id."""

    path: Path
    family: Family

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def log_dir(self) -> Path:
        """The root of the data; in some modern cases it holds several log directories."""
        return self.path / "log-dir"

    @property
    def expected(self) -> Path:
        return self.path / "expected"

    def has(self, name: str) -> bool:
        """Whether the case has `expected/<name>`, plain or gzipped."""
        return _stored(self.expected / name) is not None

    def jsonl(self, name: str) -> list[dict[str, Any]]:
        """The objects of `expected/<name>` (such as `batches.jsonl`), shared, so read-only; empty if the file does not
        exist."""
        return read_jsonl(self.expected / name)

    def files(self, *patterns: str) -> list[Path]:
        """The files under `log_dir` whose names match one of the glob patterns, sorted."""
        return sorted(path for pattern in patterns for path in self.log_dir.rglob(pattern) if path.is_file())

    def __str__(self) -> str:
        return f"{self.family}-{self.name}"


class TierCase(Case):
    """A golden case of tiered storage: the log is in `log_dir` and in the objects a RemoteStorageManager put into
    `tier`."""

    @property
    def tier(self) -> Path:
        return self.path / "tier"

    @cached_property
    def keys(self) -> dict[str, Path]:
        """The private keys of an encrypted tier by key pair name."""
        named = json.loads((self.path / "case.json").read_text()).get("decryptionKeys", {})
        return {name: self.path / file for name, file in named.items()}


@cache
def tier_cases() -> list[TierCase]:
    """All golden cases of tiered storage, sorted."""
    return [TierCase(path.parent, "tiered") for path in sorted((GOLDEN / "tiered").glob("*/case.json"))]


def tier_case(number: int) -> TierCase:
    """The tiered storage case with this number."""
    return next(case for case in tier_cases() if case.name.startswith(f"{number:02d}-"))


@cache
def cases(family: Literal["modern", "legacy"] | None = None) -> list[Case]:
    """All golden cases of log directories, optionally of one family only, sorted."""
    families: tuple[Literal["modern", "legacy"], ...] = ("legacy", "modern") if family is None else (family,)
    return [
        Case(path, each)
        for each in families
        for path in sorted((GOLDEN / each).iterdir())
        if (path / "case.json").exists()
    ]


class ClusterCase:
    """The disks of all nodes of a cluster before a start, and what real nodes then did: tests/golden/cluster."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.info: dict[str, Any] = json.loads((path / "case.json").read_text())

    def unpack(self, target: Path) -> dict[int, list[Path]]:
        """Unpack the disks into a directory and return the log directories of each node, including lost ones."""
        with tarfile.open(self.path / "before.tar.xz") as packed:
            packed.extractall(target, filter="fully_trusted")
        return {int(node): [target / name for name in each["logDirs"]] for node, each in self.info["nodes"].items()}

    def jsonl(self, name: str) -> list[dict[str, Any]]:
        """The objects of `expected/<name>` (such as `partitions.jsonl`), shared, so read-only."""
        return read_jsonl(self.path / "expected" / name)

    def __str__(self) -> str:
        return self.path.name


@cache
def cluster_cases() -> list[ClusterCase]:
    """All golden cases of whole clusters, sorted."""
    return [ClusterCase(path.parent) for path in sorted((GOLDEN / "cluster").glob("*/case.json"))]


def cluster_case(number: int) -> ClusterCase:
    """The whole-cluster case with this number."""
    return next(case for case in cluster_cases() if str(case).startswith(f"{number:02d}-"))


@dataclass(frozen=True)
class FieldCase:
    """An input made from a public bug report, with the answers of Kafka's classes: tests/golden/field."""

    path: Path

    @property
    def input(self) -> Path:
        """The log directory or partition."""
        return self.path / "input"

    @property
    def answer(self) -> dict[str, Any]:
        """The content of answer.json: `answer` is the correct answer, `kafka` that of Kafka's classes."""
        found: dict[str, Any] = json.loads((self.path / "answer.json").read_text())
        return found

    def __str__(self) -> str:
        return self.path.name


def field_case(name: str) -> FieldCase:
    """The bug report case with this name."""
    return FieldCase(GOLDEN / "field" / name)


def _stored(path: Path) -> Path | None:
    zipped = path.with_name(f"{path.name}.gz")
    return path if path.exists() else zipped if zipped.exists() else None


@cache
def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """The objects of a plain or gzipped file, shared, so read-only; empty if the file does not exist."""
    stored = _stored(path)
    if stored is None:
        return []
    content = gzip.decompress(stored.read_bytes()) if stored.suffix == ".gz" else stored.read_bytes()
    # Split at \n only: JSON strings may hold other line separators unescaped.
    return [json.loads(line) for line in content.split(b"\n") if line]
