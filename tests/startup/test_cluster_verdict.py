"""The verdict on each node of a cluster equals what real brokers did: tests/golden/cluster, started by Kafka 4.4.0."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from kafkafmt.disks import Disks
from tests.golden_cases import ClusterCase, cluster_cases

# Facts that one node's disks do not show: case, node, and why.
BY_ITSELF = {
    ("08-cluster-id-mixed", 2): "it waits for the controller, which does not start",
    ("10-contents-swapped", 2): "it waits for the controller, which does not start, before it loads its logs",
}
TIMING = {"20-metadata-lost-two": "which of the three controllers is up first decides"}
# Whether it was loaded before the start failed depends on the order of threads.
LOADED_BEFORE_THE_END = {"16-partition-twice"}


# The broker's log names its directory by the link and by what it leads to; there is one.
COUNTED_TWICE = {("34-dir-is-link", 2): "delete"}


@pytest.fixture(scope="module", params=cluster_cases(), ids=str)
def case(request: pytest.FixtureRequest) -> ClusterCase:
    found: ClusterCase = request.param
    return found


@pytest.fixture(scope="module")
def disks(case: ClusterCase, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[int, list[Path]]]:
    root = tmp_path_factory.mktemp("disks")
    return root, case.unpack(root)


def rows(answers: list[Any], table: str, column: str, root: Path) -> dict[str, dict[str, Any]]:
    return {
        str(Path(row[column]).relative_to(root)): row for each in answers for row in getattr(each, table).to_pylist()
    }


def assert_as_brokers_did(case: ClusterCase, answers: list[Any], root: Path, *, at_once: bool) -> None:
    verdict, partitions = rows(answers, "verdict", "logDir", root), rows(answers, "partitions", "path", root)
    for node in case.jsonl("nodes.jsonl"):
        of_node = [verdict[name] for name in node["logDirs"]]
        found = {row["starts"] for row in of_node}
        if str(case) in TIMING:
            assert found == {None} or not at_once
            continue
        assert len(found) == 1
        if at_once or (str(case), node["node"]) not in BY_ITSELF:
            assert found == {node["starts"]}, (str(case), node)
        if not node["starts"]:
            continue
        # Kafka's counts exclude the metadata log, which the controller loads.
        mine = [
            row
            for path, row in partitions.items()
            if path.startswith(tuple(f"{name}/" for name in node["logDirs"])) and row["topic"] != "__cluster_metadata"
        ]
        actions = Counter(row["action"] for row in mine)
        if None not in actions:
            names = ("keep", "recover", "stray", "delete", "offline")
            expected = {name: node[name] - (COUNTED_TWICE.get((str(case), node["node"])) == name) for name in names}
            assert {name: actions[name] for name in names} == expected, (str(case), node)
            assert sum(row["truncateFrom"] is not None for row in mine) == node["truncated"]
    for expected in case.jsonl("partitions.jsonl"):
        row = partitions[expected["path"]]
        if expected["action"] is None or str(case) in TIMING:
            continue
        if row["action"] is None and str(case) in LOADED_BEFORE_THE_END:
            continue
        assert row["action"] == expected["action"], (row, expected)
        if row["action"] in ("keep", "recover"):
            assert row["truncateFrom"] == expected["truncateFrom"], (row, expected)
            if expected["topic"] != "__cluster_metadata":
                offsets = (row["logStartOffset"], row["logEndOffset"])
                assert offsets == (expected["logStartOffset"], expected["logEndOffset"]), (row, expected)


def opened(paths: Iterable[Path]) -> Disks:
    return Disks(paths, skip_unreadable=True)  # as in the command: one of them may be missing


@pytest.mark.slow
def test_all_nodes_at_once(case: ClusterCase, disks: tuple[Path, dict[int, list[Path]]]) -> None:
    root, nodes = disks
    answer = opened(path for paths in nodes.values() for path in paths).verify(level="headers")
    assert_as_brokers_did(case, [answer], root, at_once=True)


@pytest.mark.slow
def test_each_node_by_itself(case: ClusterCase, disks: tuple[Path, dict[int, list[Path]]]) -> None:
    if "25" <= str(case)[:2] < "39":
        return  # damage inside logs, which is judged equally together and separately
    root, nodes = disks
    logs = {node: [path for path in paths if (path / "__cluster_metadata-0").exists()] for node, paths in nodes.items()}
    elsewhere = [path for paths in logs.values() for path in paths]
    answers = [
        opened(paths).verify(level="headers", metadata=None if logs[node] or not elsewhere else elsewhere)
        for node, paths in nodes.items()
    ]
    assert_as_brokers_did(case, answers, root, at_once=False)
