"""Statistics of a Parquet file in the form of Delta's log, by which readers skip files."""

import json
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kafkafmt.loading.parquet_files import WrittenFile

# Longer texts would have to be shortened, and upper bounds rounded up, as Delta's own writers do.
_LONGEST_TEXT = 32


def statistics_of(file: "WrittenFile") -> str:
    """Number of rows; and nulls, minimum and maximum of each column outside lists and maps, as JSON."""
    nulls: dict[str, Any] = {}
    least: dict[str, Any] = {}
    most: dict[str, Any] = {}
    metadata: Any = file.metadata
    for number in range(metadata.num_columns if file.rows else 0):
        column = metadata.schema.column(number)
        groups = [metadata.row_group(group).column(number) for group in range(metadata.num_row_groups)]
        found = [each.statistics for each in groups if each.is_stats_set]
        if column.max_repetition_level or len(found) < len(groups):
            continue
        path = column.path.split(".")
        if all(each.has_null_count for each in found):
            _put(nulls, path, sum(each.null_count for each in found))
        bounds = [each for each in found if each.has_min_max]
        if all(each.has_min_max or each.num_values == 0 for each in found) and bounds:
            try:
                low = _text_of(min(each.min for each in bounds), is_most=False)
                high = _text_of(max(each.max for each in bounds), is_most=True)
            except OverflowError:  # a time or date outside the years 1 to 9999, which Python cannot represent
                continue
            if low is not None and high is not None:
                _put(least, path, low)
                _put(most, path, high)
    return json.dumps({"numRecords": file.rows, "minValues": least, "maxValues": most, "nullCount": nulls})


def _put(into: dict[str, Any], path: list[str], value: object) -> None:
    for name in path[:-1]:
        into = into.setdefault(name, {})
    into[path[-1]] = value


def _text_of(value: object, *, is_most: bool) -> object:
    """A bound as JSON; None for types whose bounds are not needed, and for texts that are too long."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, datetime):
        # Readers compare whole milliseconds.
        moment = value.replace(microsecond=value.microsecond // 1000 * 1000)
        if is_most and moment < value:
            moment += timedelta(milliseconds=1)
        text = (moment if moment.tzinfo is None else moment.astimezone(UTC)).replace(tzinfo=None)
        return text.isoformat(timespec="milliseconds") + ("" if moment.tzinfo is None else "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str) and len(value) <= _LONGEST_TEXT:
        return value
    return None
