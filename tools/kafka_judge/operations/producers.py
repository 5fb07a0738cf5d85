"""Compares batches that Kafka's leader refuses with what `kafkafmt producers --check` finds."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import kafkafmt

_OUT_OF_ORDER = "OutOfOrderSequenceException"
_REFUSALS = {
    "repeat": "duplicate",
    "repeat beyond five": _OUT_OF_ORDER,
    "sequence gap": _OUT_OF_ORDER,
    "epoch not from 0": _OUT_OF_ORDER,
    "epoch back": "InvalidProducerEpochException",
}


def differences(answer: Mapping[str, Any], scratch: Path) -> Iterator[str]:
    """Compare refused batches with findings.

    Args:
        answer: answer of CheckedProducers.java.
        scratch: directory of the logs that it left.
    """
    found = kafkafmt.open(scratch / f"checked-{answer['name']}").producers().to_table("check").to_pylist()
    ours = {row["baseOffset"]: row["finding"] for row in found if row["finding"] in _REFUSALS}
    for row in found:
        if row["finding"] not in _REFUSALS:
            yield f"ours finds {row['finding']} from {row['firstOffset']} on"
    refused = {int(offset): why for offset, why in answer["refused"].items()}
    for offset in sorted(ours.keys() | refused.keys()):
        finding = ours.get(offset, "")
        if refused.get(offset) != _REFUSALS.get(finding):
            yield f"at {offset} Kafka finds {refused.get(offset, 'nothing')}, ours {finding or 'nothing'}"
