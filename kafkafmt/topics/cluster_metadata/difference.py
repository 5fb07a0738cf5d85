"""Differences between two states of a cluster: added, removed and changed items."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from json import dumps
from typing import Annotated, Any

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.libraries import pa
from kafkafmt.phrases import counted
from kafkafmt.topics.cluster_metadata.cluster import ClusterMetadata
from kafkafmt.topics.cluster_metadata.sections import SECTIONS
from kafkafmt.topics.cluster_metadata.settings import REDACTED_TEXT, Redacted

# Columns that follow from other rows (such as counts of a topic's partitions), or are not state of the cluster.
_LEFT_OUT = {
    "cluster": None,
    "topics": {"partitions", "underReplicatedPartitions", "leaderlessPartitions", "configs"},
    "voters": {"isLeader"},
}


@dataclass(frozen=True, slots=True)
class Change:
    """One difference.

    Attributes:
        section: "topics", "partitions", "brokers", ...: a name of `SECTIONS`; "producer ids", "zk migration".
        change: "added", "removed" or "changed".
        key: the row in words: "orders-0", "broker 1", ...
        field: the column that changed; None if the row was added or removed.
        before: its value before, as JSON unless it is a string; None for none.
        after: its value after, as JSON unless it is a string; None for none.
    """

    section: Annotated[str, "string"]
    change: Annotated[str, "string"]
    key: Annotated[str, "string"]
    field: Annotated[str | None, "string"] = None
    before: Annotated[str | None, "string"] = None
    after: Annotated[str | None, "string"] = None


DIFFERENCE = TableColumns(*columns_of(Change))
"""Columns of a table of changes."""


def differences(before: ClusterMetadata, after: ClusterMetadata, sections: Iterable[str] | None = None) -> list[Change]:
    """Compare two states.

    Redacted secrets are compared too: a rotated password is a change, shown without its values.

    Args:
        before: the earlier state.
        after: the later state.
        sections: names of `SECTIONS` to compare; None for all.

    Raises:
        ValueError: a section does not exist.
    """
    wanted = list(SECTIONS) if sections is None else list(sections)
    unknown = [name for name in wanted if name not in SECTIONS]
    if unknown:
        raise ValueError(f"no section {unknown[0]!r}; there are: {', '.join(SECTIONS)}")
    several = [name for name in SECTIONS if name in wanted and name != "cluster"]
    changes = [change for name in several for change in _section(name, before, after)]
    if "cluster" in wanted:
        changes += _single(before, after)
    return changes


def to_table(changes: Iterable[Change]) -> "pa.Table":
    """Make a table with one row per change: `section`, `change`, `key`, `field`, `before`, `after`, all strings."""
    return DIFFERENCE.to_table(changes)


def _section(name: str, before: ClusterMetadata, after: ClusterMetadata) -> Iterator[Change]:
    section = SECTIONS[name]
    left_out = _LEFT_OUT.get(name) or set()
    fields = [
        (number, field)
        for number, field in enumerate(column.name for column in section.columns)
        if number >= section.key and field not in left_out
    ]
    old = {_identity(row[: section.key]): row for row in section.rows(before)}
    new = {_identity(row[: section.key]): row for row in section.rows(after)}
    for identity, row in old.items():
        if identity not in new:
            yield Change(name, "removed", _label(name, row))
    for identity, row in new.items():
        known = old.get(identity)
        if known is None:
            yield Change(name, "added", _label(name, row), None, None, _summary(name, row))
            continue
        for number, field in fields:
            if known[number] != row[number]:
                yield Change(name, "changed", _label(name, row), field, _shown(known[number]), _shown(row[number]))


def _single(before: ClusterMetadata, after: ClusterMetadata) -> Iterator[Change]:
    """Changes of values of which a cluster has only one."""
    pairs = (
        ("clusterId", before.cluster_id, after.cluster_id),
        ("leaderId", before.leader_id, after.leader_id),
        ("nextProducerId", before.next_producer_id, after.next_producer_id),
        ("zkMigrationState", before.zk_migration_state, after.zk_migration_state),
    )
    for field, old, new in pairs:
        if old != new:
            yield Change("cluster", "changed", "cluster", field, _shown(old), _shown(new))


def _identity(key: Sequence[Any]) -> object:
    return tuple(tuple(tuple(each.values()) for each in part) if isinstance(part, list) else part for part in key)


def _label(section: str, row: Sequence[Any]) -> str:
    """Describe a row in words."""
    if section == "partitions":
        return f"{row[0]}-{row[1]}"
    if section in ("brokers", "controllers", "voters"):
        return str(row[0])
    if section == "configs":
        return f"{row[0]} {row[1] or 'default'} {row[2]}"
    if section == "quotas":
        entity = ", ".join(f"{each['entityType']} {each['entityName'] or '<default>'}" for each in row[0])
        return f"{entity} {row[1]}"
    if section == "acls":
        return f"{row[7]} {row[4]} {row[6]} on {row[3]} {row[1]} {row[2]} from {row[5]}"
    if section == "scram":
        return f"{row[0]} {row[1]}"
    if section == "tokens":
        return f"of {row[1]} issued {row[4]}" if isinstance(row[0], Redacted) else f"{row[0]} of {row[1]}"
    return str(row[0])


def _summary(section: str, row: Sequence[Any]) -> str | None:
    """A short form of an added row's columns."""
    if section in ("configs", "quotas"):
        return _shown(row[3 if section == "configs" else 2])
    if section == "topics":
        return f"{counted(row[2], 'partition')}, replication factor {row[3]}, id {row[1]}"
    if section == "partitions":
        return f"leader {row[3]}, replicas {_shown(row[7])}, isr {_shown(row[8])}"
    if section == "features":
        return str(row[1])
    return None


def _shown(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Redacted):
        return REDACTED_TEXT
    if isinstance(value, bytes):
        return value.hex()
    return dumps(value, ensure_ascii=False)
