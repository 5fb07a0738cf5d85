"""Compares verify's predictions for damaged disks, node by node and as a cluster, with what the nodes did."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kafkafmt
from startup_proof.nodes import Disks, Outcome, Partition, Records
from startup_proof.repaired import METADATA_LOG
from startup_proof.started import Started

_FIELDS = ("logStartOffset", "logEndOffset", "truncateFrom", "deletedSegments", "rebuilt")

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Predicted:
    """Rows of verify's tables.

    Attributes:
        nodes: "verdict" and "partitions" of each node, for its own disks.
        cluster: "cluster" for all nodes; empty for a single node.
        undecided: nodes that may wait, end, or continue with older metadata, which only the others' disks show.
    """

    nodes: Mapping[int, tuple[Sequence[Row], Sequence[Row]]]
    cluster: Sequence[Row]
    undecided: Container[int | None] = ()


def predict(disks: Disks) -> Predicted:
    """Predict with verify the results of a start on disks."""
    log_dirs = {node: [str(path) for path in disks.log_dirs(node)] for node in disks.nodes}
    logs = {node: [path for path in paths if (Path(path) / METADATA_LOG).is_dir()] for node, paths in log_dirs.items()}
    elsewhere = [path for paths in logs.values() for path in paths]
    nodes = {}
    for node, paths in log_dirs.items():
        # The cluster id comes from the directory of the metadata log; Kafka's own checks compare with it.
        metadata = None if logs[node] else elsewhere or None
        answer = kafkafmt.open(paths).verify(level="headers", node_id=node, metadata=metadata)
        nodes[node] = answer.verdict.to_pylist(), answer.partitions.to_pylist()
    if len(disks.nodes) == 1:
        return Predicted(nodes, [])
    together = kafkafmt.open([path for paths in log_dirs.values() for path in paths]).verify()
    undecided = {
        each.node_id for each in together.nodes if each.starts is None or each.epoch_of_controllers is not None
    }
    return Predicted(nodes, together.to_table("cluster").to_pylist(), undecided)


def differences(
    predicted: tuple[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]]],
    started: Started,
    compared: Counter[str],
    *,
    alone: bool = True,
) -> Iterator[str]:
    """Compare verify's prediction, its verdict and its partitions, with what a broker did.

    Args:
        predicted: rows of "verdict" and of "partitions".
        started: the result of the start.
        compared: counter of the compared facts by name.
        alone: whether it is the only node: a follower that continues writes transaction indexes after its start.
    """
    verdict, partitions = predicted

    def differ(path: str, name: str, expected: object, found: object) -> Iterator[str]:
        compared[name] += 1
        if expected != found:
            yield f"{'/'.join(Path(path).parts[-2:])}: {name} is {found!r}, the broker: {expected!r}"

    for row in verdict:
        if None not in (row["starts"], started.starts):  # None: the order of the file listing decides
            yield from differ(row["logDir"], "starts", started.starts, row["starts"])
            yield from differ(row["logDir"], "online", started.log_dirs[row["logDir"]], row["online"])
    found = {row["path"]: row for row in partitions}
    for path, expected in started.partitions.items():
        row = found[path]
        if not started.starts and (
            row["action"] is None or row["logEndOffset"] is None or "logEndOffset" not in expected
        ):
            continue  # the start ended early: which logs were loaded before depends on its threads
        if path.endswith(METADATA_LOG):
            yield from differ(path, "truncateFrom", expected["truncateFrom"], row["truncateFrom"])
            continue
        if None not in (expected["action"], row["action"]):  # None: not judged whether the partition is a stray
            yield from differ(path, "action", expected["action"], row["action"])
        if expected["action"] in (None, "keep", "recover"):
            changed = ("deletedSegments", "rebuilt") if expected.get("followerTruncatedTo") else ()
            for name in _FIELDS:
                if name in expected and name not in changed:
                    value, wanted = row[name], expected[name]
                    if isinstance(wanted, list):
                        value, wanted = (_lasting(each or (), alone=alone) for each in (value, wanted))
                    yield from differ(path, name, wanted, value)


def _lasting(files: Iterable[str], *, alone: bool) -> list[str]:
    return sorted(each for each in files if alone or not each.endswith(".txnindex"))


def registered_early(disks: Disks) -> bool:
    """Whether a killed broker registered before the controller had ended its session, and so left the ISR first."""
    controllers = [node for node, each in disks.nodes.items() if each.is_controller]
    logs = [path for node in controllers for path in disks.log_dirs(node) if (path / METADATA_LOG).is_dir()]
    for log in logs:  # one by one: that of a controller that was restored is not the newest
        rows = kafkafmt.open(log).metadata().to_table("history").to_pylist()
        elected = max((number for number, row in enumerate(rows) if row["event"] == "controller elected"), default=0)
        registered = (str(row["before"]) for row in rows[elected:] if row["event"] == "broker registered")
        if any(", active, " in before for before in registered):
            return True
    return False


def cluster_differences(
    predicted: Sequence[Row],
    outcome: Outcome,
    before: Records,
    after: Mapping[Partition, Container[tuple[int, str]]],
    compared: Counter[str],
    *,
    by_cost: bool = False,
) -> Iterator[str]:
    """Compare verify's prediction for all nodes together with what they did.

    Args:
        predicted: rows of "cluster".
        outcome: the result of the start.
        before: sound records of the correct logs on some disk before the start.
        after: offsets and hashes of the records that are sound on some disk after the start.
        compared: counter of the compared facts by name.
        by_cost: whether brokers left in-sync replicas in another order than the usual one: verify leaves that out where
            the same records are served.
    """
    for row in predicted:
        key = row["topic"], row["partition"]
        if outcome.error:
            continue  # clients get no answer
        state, records = outcome.partitions.get(key), outcome.records.get(key, {})
        own = before.get(key, {})
        loads = {
            node: each
            for node, started in outcome.nodes.items()
            for path, each in started.partitions.items()
            if Path(path).name == "{}-{}".format(*key)
        }
        lost = sorted(offset for offset, known in own.items() if (offset, known) not in after.get(key, ()))
        led = loads.get(row["leader"], {})
        facts: dict[str, tuple[object, object]] = {
            "leader": (state.leader if state else None, row["leader"]),
            "inSync": (sorted(state.in_sync) if state else [], row["inSync"] and sorted(row["inSync"])),
            "served": (len(records), row["served"]),
            "elsewhere": (sum(records.get(offset) != known for offset, known in own.items()), row["elsewhere"]),
            "lostRecords": (len(lost), row["lostRecords"]),
            "firstLostOffset": (lost[0] if lost else None, row["firstLostOffset"]),
        }
        if row["inSync"] is None or by_cost:  # the leader depends on the order of starts
            del facts["leader"], facts["inSync"]
        elif led.get("action") in ("keep", "recover") and "logEndOffset" in led:
            facts["leaderLogEndOffset"] = (led["logEndOffset"], row["leaderLogEndOffset"])
        for name in ("served", "elsewhere", "lostRecords", "firstLostOffset"):
            if row["lostRecords" if name == "firstLostOffset" else name] is None:
                del facts[name]
        for follower in () if by_cost else row["followers"] or ():
            load = loads.get(follower["node"], {})
            if load.get("action") in ("keep", "recover"):
                name = f"of follower n{follower['node']}"
                cuts = load["followerTruncatedTo"]
                facts[f"truncateTo {name}"] = (min(cuts) if cuts else None, follower["truncateTo"])
                facts[f"logEndOffset {name}"] = (load.get("logEndOffset"), follower["logEndOffset"])
        for name, (expected, found) in facts.items():
            compared[name.partition(" ")[0]] += 1
            if expected != found:
                yield f"cluster, {key[0]}-{key[1]}: {name} is {found!r}, the brokers: {expected!r}"
