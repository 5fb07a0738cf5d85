"""Compares tables of records row by row and column by column."""

from collections.abc import Iterator

import pyarrow as pa

KEY = ("topic", "partition", "offset")
SHOWN = 3


def differences(official: pa.Table, ours: pa.Table) -> list[str]:
    """Compare two reads of the same records, in any order.

    Args:
        official: rows of Spark's own source.
        ours: rows of kafkafmt.

    Returns:
        A text for each difference: in columns, in rows that only one has, in the first cells that differ.
    """
    if official.schema != ours.schema:
        return [f"columns: Spark {_columns(official)}; kafkafmt {_columns(ours)}"]
    left, right = _in_order(official), _in_order(ours)
    if left.equals(right):
        return []
    return list(_of_rows(left, right)) or ["they differ in a way that no cell shows"]


def _of_rows(official: pa.Table, ours: pa.Table) -> Iterator[str]:
    theirs, own = _places(official), _places(ours)
    for name, places, others in (("kafkafmt lacks", theirs, own), ("only kafkafmt has", own, theirs)):
        missing = [place for place in places if place not in others]
        if missing:
            yield f"{name} {len(missing)} rows: {_shown(missing)}"
    for name, places, table in (("Spark", theirs, official), ("kafkafmt", own, ours)):
        if len(places) != table.num_rows:
            yield f"{name} gives {table.num_rows - len(places)} rows more than once"
    common = [place for place in theirs if place in own]
    official = official.take(pa.array([theirs[place] for place in common], pa.int64()))
    ours = ours.take(pa.array([own[place] for place in common], pa.int64()))
    for name in official.column_names:
        if official[name].equals(ours[name]):
            continue
        pairs = zip(common, official[name].to_pylist(), ours[name].to_pylist(), strict=True)
        different = [f"{place}: Spark {a!r:.60}, kafkafmt {b!r:.60}" for place, a, b in pairs if a != b]
        yield f"{name} differs in {len(different)} rows: {_shown(different)}"


def _in_order(table: pa.Table) -> pa.Table:
    return table.sort_by([(name, "ascending") for name in KEY]).combine_chunks()


def _places(table: pa.Table) -> dict[str, int]:
    columns = (table[name].to_pylist() for name in KEY)
    return {
        f"{topic}-{partition}@{offset}": row
        for row, (topic, partition, offset) in enumerate(zip(*columns, strict=True))
    }


def _columns(table: pa.Table) -> str:
    return ", ".join(f"{column.name} {column.type}" for column in table.schema)


def _shown(texts: list[str]) -> str:
    return "; ".join(texts[:SHOWN]) + (" ..." if len(texts) > SHOWN else "")
