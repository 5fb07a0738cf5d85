"""RecordSearch: finds the matching records of an Arrow batch, and the parts that match."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.arrays import flags, numbers
from kafkafmt.searching.json_path import JsonMatcher, JsonPath
from kafkafmt.searching.pattern import Matcher, Pattern

RecordPart = Literal["key", "value", "headers"]
"""A part of a record that can be searched."""

PARTS: Final[tuple[RecordPart, ...]] = get_args(RecordPart)

MATCHED_IN: Final = pa.field("matchedIn", pa.list_(pa.field("element", pa.string(), nullable=False)), nullable=False)
"""The parts of a record that match: "key", "value", "headerName", "headerValue", in this order."""

_PLACES: Final = ("key", "value", "headerName", "headerValue")

Rows = npt.NDArray[np.bool_]
"""Whether each row of a record batch is selected."""


@dataclass(frozen=True)
class RecordSearch:
    """A search in some parts of records; made by `record_search`.

    Attributes:
        matcher: decides which bytes match.
        parts: the parts to search.
    """

    matcher: Matcher
    parts: tuple[RecordPart, ...] = PARTS

    def matching(
        self, batch: pa.RecordBatch, decoded: Mapping[str, pa.Array] | None = None
    ) -> tuple[pa.Array, pa.Array]:
        """Numbers of the matching rows, and their `MATCHED_IN`.

        Args:
            batch: records with the columns to search.
            decoded: keys and values to search by a JSON path, in place of the stored ones.
        """
        places = {name: np.zeros(batch.num_rows, bool) for name in _PLACES}
        for part in self.parts:
            if part == "headers":
                self._search_headers(batch.column("headers"), places)
            elif decoded is not None and part in decoded and isinstance(self.matcher, JsonMatcher):
                places[part] = self.matcher.matches_decoded(decoded[part])
            else:
                places[part] = self._rows(batch.column(part))
        table = np.stack([*places.values()])
        rows = np.flatnonzero(table.any(axis=0))
        found = table[:, rows]
        which = np.nonzero(found.T)[1]
        offsets = np.concatenate([[0], np.cumsum(found.sum(axis=0))]).astype(np.int32)
        words = pa.array(_PLACES).take(pa.array(which, pa.int64()))
        return pa.array(rows, pa.int64()), pa.ListArray.from_arrays(pa.array(offsets), words, type=MATCHED_IN.type)

    @property
    def shown(self) -> Pattern | None:
        """The text to show as a match in a key or value; None if unknown."""
        if isinstance(self.matcher, Pattern):
            return self.matcher
        if not isinstance(self.matcher, JsonMatcher):
            return None
        comparison = self.matcher.path.comparison
        if comparison is not None and comparison.operator == "=" and comparison.text:
            return Pattern(comparison.text, fixed=True)
        return self.matcher.pattern

    def _rows(self, values: pa.Array) -> Rows:
        if values.null_count == len(values):
            return np.zeros(len(values), bool)
        return flags(self.matcher.matches(values).fill_null(fill_value=False))

    def _search_headers(self, headers: pa.Array, places: dict[str, Rows]) -> None:
        if headers.null_count == len(headers):
            return
        rows = numbers(pc.list_parent_indices(headers))
        names, values = headers.flatten().flatten()
        for place, column in (("headerName", names.view(pa.binary())), ("headerValue", values)):
            if place == "headerValue" or isinstance(self.matcher, Pattern):
                places[place][rows[self._rows(column)]] = True


def record_search(
    pattern: Pattern | str | bytes | None,
    *,
    fixed: bool = False,
    ignore_case: bool = False,
    parts: Iterable[str] | None = None,
    json_path: str | None = None,
) -> RecordSearch:
    """The search for the arguments of `kafkafmt.searching.grep`.

    Raises:
        TypeError, ValueError: an argument is invalid.
    """
    if isinstance(parts, str):
        raise TypeError(f"parts must be a list of names, not the str {parts!r}")
    path = None if json_path is None else JsonPath.parse(json_path)
    named = (PARTS if path is None else ("value",)) if parts is None else _named(list(parts))
    if isinstance(pattern, (str, bytes)):
        pattern = Pattern(pattern, fixed=fixed, ignore_case=ignore_case)
    elif pattern is not None and not isinstance(pattern, Pattern):
        raise TypeError(f"the pattern must be a str or bytes, not {pattern!r}")
    if path is None and pattern is None:
        raise ValueError("there is neither a pattern nor a JSON path with a comparison")
    if path is not None and (path.comparison is None) == (pattern is None):
        raise ValueError(
            f"{path.text} has a comparison, so it cannot have a pattern"
            if pattern
            else f"{path.text} needs a pattern or a comparison"
        )
    matcher: Matcher = JsonMatcher(path, pattern) if path is not None else pattern  # type: ignore[assignment]
    return RecordSearch(matcher, named)


def _named(parts: Sequence[str]) -> tuple[RecordPart, ...]:
    unknown = [each for each in parts if each not in PARTS]
    if unknown or not parts:
        raise ValueError(f"parts of a record are {', '.join(PARTS)}, not {', '.join(map(repr, unknown)) or 'none'}")
    return tuple(part for part in PARTS if part in parts)
