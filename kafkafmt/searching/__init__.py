"""Searching: a text, bytes or an expression in records (`grep`), and in all bytes on the disks.

`pattern` and `json_path` decide which bytes match, `record_search` which records of a batch; `matches` searches a scan.
`places` finds all files, `everywhere` searches them, `raw_bytes` searches bytes outside records; `hits` are the
results. A search of records alone does not load the latter modules.
"""

from kafkafmt.searching.matches import COUNTED, COUNTS, SCHEMA, Matches, count_matches, grep
from kafkafmt.searching.pattern import Pattern
from kafkafmt.searching.record_search import RecordSearch, record_search

__all__ = [
    "COUNTED",
    "COUNTS",
    "SCHEMA",
    "Matches",
    "Pattern",
    "RecordSearch",
    "count_matches",
    "grep",
    "record_search",
]
