"""Repair of whole clusters: no record that is sound on any disk is lost, and each node starts on its copies.

Kafka's own classes read these records from the disks: tests/golden/cluster.
"""

import hashlib
import struct
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest

import kafkafmt
from tests.golden_cases import ClusterCase, cluster_case, cluster_cases

_COLUMNS = ("topic", "partition", "offset", "timestamp", "key", "value", "headers")

# A repair of a single node cannot give a partition to the node that it is assigned to.
STRAYS_APART = {18}
CASES = [pytest.param(case, id=str(case)) for case in cluster_cases() if case.info["repair"] == "all"]
APART = (7, 9, 10, 11, 14, 15, 18, 22, 30, 33)


def number_of(case: ClusterCase) -> int:
    return int(str(case).partition("-")[0])


def digest(row: dict[str, Any]) -> str:
    """Hash of a record, as in sound.jsonl."""
    parts = [row["key"], row["value"]]
    for each in row["headers"] or ():
        parts += [each["key"].encode() if isinstance(each["key"], str) else each["key"], each["value"]]
    data = [struct.pack(">qq", row["offset"], row["timestamp"])]
    data += [struct.pack(">i", -1) if part is None else struct.pack(">i", len(part)) + part for part in parts]
    return hashlib.sha256(b"".join(data)).hexdigest()[:12]


def log_dirs(made: Path) -> dict[int, list[Path]]:
    """The log directories below a repaired folder, by the node ids in their meta.properties."""
    found: dict[int, list[Path]] = defaultdict(list)
    for path in sorted(made.rglob("meta.properties")):
        properties = kafkafmt.LogDir(path.parent).meta_properties
        assert properties is not None
        assert properties.node_id is not None
        found[properties.node_id].append(path.parent)
    return found


def records(dirs: Iterable[Path]) -> dict[tuple[str, int], set[tuple[int, str]]]:
    found: dict[tuple[str, int], set[tuple[int, str]]] = defaultdict(set)
    for path in dirs:
        if any(path.glob("*/*.log")):
            table = kafkafmt.scan(path, columns=_COLUMNS).to_table()
            times = table["timestamp"].cast("int64")
            for row in table.set_column(3, "timestamp", times).to_pylist():
                found[row["topic"], row["partition"]].add((row["offset"], digest(row)))
    return found


def check(case: ClusterCase, made: Path, *, strays: int = 0) -> None:
    """Require that each node starts and truncates nothing, and its replicas have all sound records of the right log."""
    nodes = log_dirs(made)
    assert {str(node) for node in nodes} == set(case.info["nodes"])
    replicas = [records(dirs) for dirs in nodes.values()]
    lost = 0
    for row in case.jsonl("sound.jsonl"):
        wanted = {(offset, known) for offset, known, _ in row["must"]}
        here = [each[row["topic"], row["partition"]] for each in replicas if (row["topic"], row["partition"]) in each]
        assert here or not wanted, row["topic"]
        lost += sum(len(wanted - each) for each in here)
    assert lost == 0
    for dirs in nodes.values():
        answer = kafkafmt.open([str(path) for path in dirs]).verify(level="headers")
        for row in answer.verdict.to_pylist():
            assert (row["starts"], row["truncated"], row["lostRecords"]) == (True, 0, 0), row
        strays -= sum(row["stray"] for row in answer.verdict.to_pylist())
        found = answer.findings.filter(pc.equal(answer.findings["level"], "finding")).to_pylist()
        assert [each for each in found if each["kind"] != "stray"] == []
    assert strays == 0


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_all_nodes_in_one_call(case: ClusterCase, tmp_path: Path) -> None:
    nodes = case.unpack(tmp_path / "before")
    kafkafmt.repair([path for dirs in nodes.values() for path in dirs if path.exists()], tmp_path / "after")
    check(case, tmp_path / "after")


@pytest.mark.slow
@pytest.mark.parametrize("number", APART)
def test_a_node_by_itself_with_the_others_as_donors(number: int, tmp_path: Path) -> None:
    case = cluster_case(number)
    nodes = case.unpack(tmp_path / "before")
    (tmp_path / "after").mkdir()
    for node, own in nodes.items():
        others = [path for other, dirs in nodes.items() if other != node for path in dirs if path.exists()]
        dirs = [path for path in own if path.exists()]
        kafkafmt.repair(dirs, tmp_path / "after" / f"n{node}", donors=others)
    check(case, tmp_path / "after", strays=int(number in STRAYS_APART))


@pytest.mark.slow
@pytest.mark.parametrize("names", [(("n1/d0", "n2/d1"),), (("n1/d1", "n2/d1"), ("n2/d1", "n1/d0"), ("n1/d0", "n1/d1"))])
def test_a_directory_under_the_ids_of_another_node(names: tuple[tuple[str, str], ...], tmp_path: Path) -> None:
    """Its content shows the owner: the metadata log places its partitions in a directory whose id none has."""
    case = cluster_case(1)
    nodes = case.unpack(tmp_path / "before")
    texts = {each: (tmp_path / "before" / each / "meta.properties").read_text() for each, _ in names}
    for one, other in names:
        (tmp_path / "before" / other / "meta.properties").write_text(texts[one])
    kafkafmt.repair([path for dirs in nodes.values() for path in dirs], tmp_path / "after")
    check(case, tmp_path / "after")
