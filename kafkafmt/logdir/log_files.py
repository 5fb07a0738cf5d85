"""Decides which log files of a directory form its log, as a broker would after an interrupted compaction.

A broker that died during a compaction leaves several generations of a segment. Their suffixes show what it would do at
its next start (Kafka's `LogLoader`); `choose_segments` does the same by choosing, without touching a file.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kafkafmt.files.names import parse_segment_file_name

if TYPE_CHECKING:
    from kafkafmt.logdir.segment import Segment


def choose_segments(segments: "Sequence[Segment]", names: Iterable[str]) -> "tuple[list[Segment], list[Segment]]":
    """Split the log files of one directory into the log and the files outside it.

    `.deleted` and `.cleaned` files are outside. A `.swap` is outside if its base offset is at or above that of the
    smallest `.cleaned` file, because it then comes from an unfinished split (KAFKA-6264). The other swaps are in the
    log, and replace every live file from the smallest swap's base offset up to the offset after the last record of the
    swaps, and live files of the same names.

    Args:
        segments: all log files of the directory.
        names: names of all its files, because `.cleaned` indexes count too.

    Returns:
        The log in order of base offsets, and the rest in order of base offsets and names.

    Raises:
        SourceError: a swap cannot be read.
    """
    if all(segment.suffix == "" and segment.base_offset is not None for segment in segments):
        return sorted(segments, key=_base_offset), []  # nothing was interrupted
    smallest_cleaned = min(
        (
            parsed.base_offset
            for parsed in (parse_segment_file_name(name) for name in names if name.endswith(".cleaned"))
            if parsed and parsed.suffix == ".cleaned"
        ),
        default=None,
    )
    swaps = [
        segment
        for segment in segments
        if segment.suffix == ".swap" and (smallest_cleaned is None or _base_offset(segment) < smallest_cleaned)
    ]
    # A swap without records covers no offsets, but is still renamed over the live file.
    swapped = set(map(_base_offset, swaps))
    replaced_from = min(swapped, default=0)
    replaced_to = max((segment.next_offset() or 0 for segment in swaps), default=0)
    chosen = swaps + [
        segment
        for segment in segments
        if segment.suffix == ""
        and segment.base_offset is not None
        and segment.base_offset not in swapped
        and not replaced_from <= segment.base_offset < replaced_to
    ]
    chosen.sort(key=_base_offset)
    taken = {segment.name for segment in chosen}
    left_out = [segment for segment in segments if segment.name not in taken]
    left_out.sort(key=lambda segment: (_base_offset(segment), segment.name))
    return chosen, left_out


def _base_offset(segment: "Segment") -> int:
    return -1 if segment.base_offset is None else segment.base_offset


def is_raft_snapshot(name: str) -> bool:
    """Whether a file's name is that of a snapshot of the metadata log.

    Kafka's `Snapshots` gives deleted and unfinished snapshots another suffix.
    """
    return name.endswith(".checkpoint") or ".checkpoint." in name
