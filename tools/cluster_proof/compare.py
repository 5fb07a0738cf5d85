"""Compares two sets of answers fact by fact, and knows the intended differences."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Facts = dict[str, Any]

# Keys that identify the elements of a list, by the name of the list; other lists are compared as a whole.
_IDENTITY = {
    "groups": ("groupId",),
    "members": ("memberId",),
    "offsets": ("topic", "partition"),
    "shareOffsets": ("topic", "partition"),
    "transactions": ("transactionalId",),
    "openTransactions": ("partition", "producerId"),
    "partitions": ("partition",),
    "producers": ("producerId",),
    "quotas": ("entity",),
    "acls": ("resourceType", "resourceName", "patternType", "principal", "operation"),
    "scram": ("name", "mechanism"),
    "brokers": ("id",),
}


@dataclass(frozen=True)
class Meant:
    """Facts that differ on purpose.

    Attributes:
        facts: a regular expression for the whole name of such facts.
        reason: why they differ.
    """

    facts: str
    reason: str


MEANT: tuple[Meant, ...] = (
    Meant(
        "configs/BROKER/1/log.cleaner.io.max.bytes.per.second",
        "Admin prints what it parsed the config's text into, the disk has the text",
    ),
)


_OF_THE_DATA = re.compile(r"(producers|openTransactions)/.*|.*/(lag|begin|end)|groups/[^/]+/shareOffsets/.*")


def lasting(found: Facts) -> Facts:
    """The facts that follow from the internal topics, up to the offsets after which an answer is named.

    Facts from the data logs are left out, and start offsets of share groups, which are in a separate topic.
    """
    return {name: each for name, each in found.items() if not _OF_THE_DATA.fullmatch(name)}


def facts(answers: Mapping[str, Any]) -> Facts:
    """All single values of a set of answers, by names that do not depend on the order of lists."""
    return dict(_facts("", "", answers))


def _facts(path: str, name: str, value: object) -> Iterator[tuple[str, Any]]:
    identity = _IDENTITY.get(name)
    if isinstance(value, Mapping):
        for key, each in value.items():
            # The producers of a partition are a list with the partition's name.
            yield from _facts(f"{path}/{key}".lstrip("/"), name if name == "producers" else key, each)
    elif isinstance(value, list) and identity is not None:
        for each in value:
            key = " ".join(_key(each[field]) for field in identity)
            yield f"{path}/{key}", "is there"
            others = {field: inner for field, inner in each.items() if field not in identity}
            yield from _facts(f"{path}/{key}", "", others)
    else:
        yield path, value


def _key(value: object) -> str:
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else str(value)


def differences(official: Facts, ours: Facts) -> dict[str, str]:
    """Compare two sets of facts; returns a text for each one that differs, by its name."""
    return {
        name: f"Admin {_shown(official, name)}, kafkafmt {_shown(ours, name)}"
        for name in sorted({*official, *ours})
        if _shown(official, name) != _shown(ours, name)
    }


def _shown(found: Facts, name: str) -> str:
    return json.dumps(found[name], ensure_ascii=False) if name in found else "does not report it"


def unexpected(found: Mapping[str, str]) -> dict[str, str]:
    """The differences that are not in `MEANT`."""
    return {name: text for name, text in found.items() if not any(re.fullmatch(meant.facts, name) for meant in MEANT)}


def outlived(found: Mapping[str, str]) -> list[Meant]:
    """The entries of `MEANT` that no longer match a difference."""
    return [meant for meant in MEANT if not any(re.fullmatch(meant.facts, name) for name in found)]
