"""The golden cases of whole clusters, tests/golden/cluster: their disks, and the sound records on them."""

import gzip
import json
import tarfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import environment
from kafka_broker.cluster import Node
from proof_frame import ProofError
from startup_proof.nodes import Disks
from startup_proof.repaired import Sound

GOLDEN = environment.ROOT / "tests" / "golden" / "cluster"

_PLACES = ("listeners", "controller.quorum.voters", "log.dirs")
"""Properties of a case that are replaced here."""


@dataclass(frozen=True)
class GoldenCase:
    """A golden case of a cluster.

    Attributes:
        path: directory of the case.
    """

    path: Path

    @property
    def name(self) -> str:
        """The number of the case and its subject."""
        return self.path.name

    @cached_property
    def info(self) -> dict[str, Any]:
        """The content of case.json."""
        loaded: dict[str, Any] = json.loads((self.path / "case.json").read_bytes())
        return loaded

    def unpacked(self, home: Path) -> Disks:
        """Unpack the disks of all nodes below a directory."""
        with tarfile.open(self.path / "before.tar.xz") as packed:
            packed.extractall(home, filter="fully_trusted")
        nodes = {}
        for node in self.info["startOrder"]:
            own = self.info["nodes"][str(node)]
            properties = self.info["serverProperties"][str(node)]
            nodes[node] = Node(
                [name.partition("/")[2] for name in own["logDirs"]],
                is_controller="controller" in own["roles"],
                overrides={name: value for name, value in properties.items() if name not in _PLACES},
            )
        return Disks(home, nodes)

    def sound(self) -> Sound:
        """The sound records on the disks, and the nodes' treatment of partitions without a repair."""
        must: dict[tuple[str, int], dict[int, str]] = {}
        may: dict[tuple[str, int], set[tuple[int, str]]] = {}
        on: set[int] = set()
        for row in self._rows("sound.jsonl.gz"):
            key = row["topic"], row["partition"]
            must[key] = {offset: known for offset, known, _ in row["must"]}
            may[key] = {(offset, known) for name in ("must", "may") for offset, known, _ in row[name]}
            on |= {int(node.removeprefix("n")) for _, _, nodes in row["must"] for node in nodes}
        before: dict[str, set[tuple[int, str]]] = defaultdict(set)
        for row in self._rows("partitions.jsonl"):
            place = row["node"], f"{row['topic']}-{row['partition']}"
            if row["action"] == "stray":
                before["stray"].add(place)
            if row["followerTruncatedTo"]:
                before["followed"].add(place)
        return Sound(must, may, frozenset(on), frozenset(before["stray"]), frozenset(before["followed"]))

    def _rows(self, name: str) -> list[dict[str, Any]]:
        content = (self.path / "expected" / name).read_bytes()
        text = gzip.decompress(content) if name.endswith(".gz") else content
        return [json.loads(line) for line in text.split(b"\n") if line]


def golden_cases(names: Sequence[str]) -> Mapping[str, GoldenCase]:
    """The golden cases by name: those with the given names or numbers, or all.

    Raises:
        ProofError: no case has a given name.
    """
    found = {path.parent.name: GoldenCase(path.parent) for path in sorted(GOLDEN.glob("*/case.json"))}
    if not names:
        return found
    chosen = {}
    for name in names:
        case = next((each for each in found if name in (each, each.partition("-")[0])), None)
        if case is None:
            raise ProofError(f"there is no case {name} in {GOLDEN}")
        chosen[case] = found[case]
    return chosen
