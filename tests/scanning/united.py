"""The combined outcome of a plan's splits, comparable with a scan's."""

import os
import pickle
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

import kafkafmt
from kafkafmt import Damage, KafkafmtError
from kafkafmt.scanning import Plan

Error = tuple[type, str | None, int | None] | None


@dataclass(frozen=True)
class Outcome:
    """Rows with full paths, the error that ended the pass, and reported damage."""

    table: pa.Table
    error: Error
    damage: list[tuple[Any, ...]]


def of_scan(scan: kafkafmt.Scan, source: Any) -> Outcome:
    """The outcome of a pass, with full paths of files."""
    batches: list[pa.RecordBatch] = []
    error: Error = None
    try:
        batches.extend(scan.to_reader())
    except KafkafmtError as caught:
        error = _shown(caught, source)
    table = pa.Table.from_batches(batches, schema=scan.schema)
    if "file" in scan.schema.names:
        files = pa.array([_whole(file, source) for file in table.column("file").to_pylist()], pa.string())
        table = table.set_column(scan.schema.get_field_index("file"), scan.schema.field("file"), files)
    return Outcome(table, error, _told(scan.damage, source))


def of_plan(plan: Plan) -> Outcome:
    """The outcome of all splits in order, each pickled as if for another process."""
    batches: list[pa.RecordBatch] = []
    damage: list[Damage] = list(plan.damage)
    error: Error = None
    try:
        for split in plan.splits:
            reading, there = pickle.loads(pickle.dumps((plan.reading, split)))
            assert repr(there) == repr(split)
            batches.extend(reading.read(there, lambda each, _: damage.append(each)))
    except KafkafmtError as caught:
        error = _shown(caught, "")
    for batch in batches:
        batch.validate(full=True)
    return Outcome(pa.Table.from_batches(batches, schema=plan.reading.schema), error, _told(damage, ""))


def _told(damage: list[Damage], source: Any) -> list[tuple[Any, ...]]:
    return sorted(
        (
            _whole(each.file, source),
            each.position,
            each.length,
            each.reason,
            each.is_open_end,
            type(each.error).__name__,
        )
        for each in damage
    )


def _shown(error: KafkafmtError, source: Any) -> Error:
    return type(error), _whole(error.file, source), error.position


def _whole(file: str | None, source: Any) -> str | None:
    return None if file is None else os.path.join(os.path.abspath(source), file)
