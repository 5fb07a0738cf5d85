"""Searching: a text, bytes or an expression in records (`grep`), and in all bytes on the disks.

`pattern` and `json_path` decide which bytes match, `record_search` which records of a batch; `matches` goes over a
scan. `places` finds all files, `everywhere` searches them, `raw_bytes` bytes outside records; `hits` are the results.
"""

from kafkafmt.searching.everywhere import Everywhere, grep_everywhere
from kafkafmt.searching.hits import HITS, Hit, SearchedFile, Unread
from kafkafmt.searching.matches import COUNTED, COUNTS, SCHEMA, Matches, count_matches, grep
from kafkafmt.searching.pattern import Pattern
from kafkafmt.searching.record_search import RecordSearch, record_search

__all__ = [
    "COUNTED",
    "COUNTS",
    "HITS",
    "SCHEMA",
    "Everywhere",
    "Hit",
    "Matches",
    "Pattern",
    "RecordSearch",
    "SearchedFile",
    "Unread",
    "count_matches",
    "grep",
    "grep_everywhere",
    "record_search",
]
