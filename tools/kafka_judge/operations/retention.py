"""Compares logs whose segments Kafka deleted with the predictions of `kafkafmt retention`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

import kafkafmt

_LONG_BEFORE = 0


def differences(answer: Mapping[str, Any], scratch: Path) -> Iterator[str]:
    """Compare one pass of `UnifiedLog.deleteOldSegments` with the predictions made at that time and long before.

    Args:
        answer: answer of DeletedSegments.java.
        scratch: directory of the logs that it left.
    """
    disks = kafkafmt.open(scratch / f"kept-{answer['name']}")
    told = disks.retention(at=answer["at"], config=answer["config"])
    gone = [row["baseOffset"] for row in told.to_table().to_pylist() if row["decision"] == "delete"]
    if gone != answer["gone"]:
        yield f"Kafka deletes {answer['gone']}, ours {gone}"
    after = told.logs[0].log_start_offset_after
    if after != answer["logStartOffset"]:
        yield f"Kafka's log starts at {answer['logStartOffset']} then, ours at {after}"
    early = disks.retention(at=_LONG_BEFORE, config=answer["config"]).to_table()
    moments = early["deletableAt"].cast(pa.int64()).to_pylist()
    decisions = zip(early["baseOffset"].to_pylist(), early["decision"].to_pylist(), moments, strict=True)
    foretold = [
        base
        for base, decision, moment in decisions
        if (decision == "delete" if moment is None else moment <= answer["at"])
    ]
    if foretold != answer["gone"]:
        yield f"Kafka deletes {answer['gone']}, by deletableAt it is {foretold}"
