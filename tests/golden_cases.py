"""The golden cases: log directories that brokers wrote, and what Kafka's own code says of them."""

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
    """One golden case; `str(case)` is fit for a test's id."""

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
        """The objects of `expected/<name>` (`batches.jsonl`), not to be changed; none where there is no such file."""
        return read_jsonl(self.expected / name)

    def files(self, *patterns: str) -> list[Path]:
        """The files under `log_dir` whose names match one of the glob patterns, sorted."""
        return sorted(path for pattern in patterns for path in self.log_dir.rglob(pattern) if path.is_file())

    def __str__(self) -> str:
        return f"{self.family}-{self.name}"


class TierCase(Case):
    """A golden case whose log is in two places: `log_dir`, and what a RemoteStorageManager has put into `tier`."""

    @property
    def tier(self) -> Path:
        return self.path / "tier"

    @cached_property
    def keys(self) -> dict[str, Path]:
        """The private keys of an encrypted tier, by the names of their key pairs."""
        named = json.loads((self.path / "case.json").read_text()).get("decryptionKeys", {})
        return {name: self.path / file for name, file in named.items()}


@cache
def tier_cases() -> list[TierCase]:
    """All golden cases of tiered copies, sorted."""
    return [TierCase(path.parent, "tiered") for path in sorted((GOLDEN / "tiered").glob("*/case.json"))]


def tier_case(number: int) -> TierCase:
    """The case of tiered copies with this number."""
    return next(case for case in tier_cases() if case.name.startswith(f"{number:02d}-"))


@cache
def cases(family: Literal["modern", "legacy"] | None = None) -> list[Case]:
    """All golden cases of log directories, or those of one family, sorted."""
    families: tuple[Literal["modern", "legacy"], ...] = ("legacy", "modern") if family is None else (family,)
    return [
        Case(path, each)
        for each in families
        for path in sorted((GOLDEN / each).iterdir())
        if (path / "case.json").exists()
    ]


class ClusterCase:
    """The disks of all nodes of a cluster before a start, and what real nodes did: tests/golden/cluster."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.info: dict[str, Any] = json.loads((path / "case.json").read_text())

    def unpack(self, target: Path) -> dict[int, list[Path]]:
        """Lay out the disks below a directory; returns the log directories of each node, lost ones too."""
        with tarfile.open(self.path / "before.tar.xz") as packed:
            packed.extractall(target, filter="fully_trusted")
        return {int(node): [target / name for name in each["logDirs"]] for node, each in self.info["nodes"].items()}

    def jsonl(self, name: str) -> list[dict[str, Any]]:
        """The objects of `expected/<name>` (`partitions.jsonl`), not to be changed."""
        return read_jsonl(self.path / "expected" / name)

    def __str__(self) -> str:
        return self.path.name


@cache
def cluster_cases() -> list[ClusterCase]:
    """All golden cases of whole clusters, sorted."""
    return [ClusterCase(path.parent) for path in sorted((GOLDEN / "cluster").glob("*/case.json"))]


def cluster_case(number: int) -> ClusterCase:
    """The case of a whole cluster with this number."""
    return next(case for case in cluster_cases() if str(case).startswith(f"{number:02d}-"))


@dataclass(frozen=True)
class FieldCase:
    """An input made from a public bug report, with what Kafka's classes say of it: tests/golden/field."""

    path: Path

    @property
    def input(self) -> Path:
        """The log directory or partition."""
        return self.path / "input"

    @property
    def answer(self) -> dict[str, Any]:
        """The whole answer.json: `answer` is what is right, `kafka` what Kafka's classes say."""
        found: dict[str, Any] = json.loads((self.path / "answer.json").read_text())
        return found

    def __str__(self) -> str:
        return self.path.name


def field_case(name: str) -> FieldCase:
    """The case of a public bug report with this name."""
    return FieldCase(GOLDEN / "field" / name)


def _stored(path: Path) -> Path | None:
    zipped = path.with_name(f"{path.name}.gz")
    return path if path.exists() else zipped if zipped.exists() else None


@cache
def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """The objects of a file, plain or gzipped, not to be changed; none where there is no such file."""
    stored = _stored(path)
    if stored is None:
        return []
    content = gzip.decompress(stored.read_bytes()) if stored.suffix == ".gz" else stored.read_bytes()
    # Split at \n only: a string in JSON may hold other line separators as they are.
    return [json.loads(line) for line in content.split(b"\n") if line]
