"""Compares where Kafka's follower truncates its log when it begins to follow with the answers of `kafkafmt compare`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kafkafmt.operations import compare

_COLUMNS = ("truncateIfFirstLeads", "truncateIfSecondLeads", "lostIfFirstLeads", "lostIfSecondLeads")


def differences(answer: Mapping[str, Any], scratch: Path) -> Iterator[str]:
    """Compare where two logs are truncated, and what that loses.

    Args:
        answer: answer of DivergedPairs.java.
        scratch: directory of the logs that it left.
    """
    first, second = (scratch / f"pair-{answer['name']}-{side}" for side in range(2))
    (row,) = compare(first, second).to_table().to_pylist()
    for column in _COLUMNS:
        if row[column] != answer[column]:
            yield f"{column} is {answer[column]}, ours {row[column]}"
