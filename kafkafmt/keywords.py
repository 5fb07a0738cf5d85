"""Arguments that functions and methods of `Disks` pass on to `kafkafmt.scan`, for type checkers and editors.

`tests/test_everyday_use.py` compares them with the functions.
"""

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from pyarrow.compute import Expression

    from kafkafmt.errors import Missing, OnDamage
    from kafkafmt.limits import Limits
    from kafkafmt.scanning.arguments import GivenEndOffset, GivenOffset, IsolationLevel, Time
    from kafkafmt.scanning.execution import Engine
    from kafkafmt.topics.answers import Replica
    from kafkafmt.values.registry import Schemas
    from kafkafmt.values.stored_schema import StoredSchema


class LoadKeywords(TypedDict, total=False):
    """Arguments of `kafkafmt.scan` that choose records, except where they begin."""

    topics: "str | Iterable[str] | Mapping[str, int | Iterable[int]] | re.Pattern[str] | None"
    partitions: "int | Iterable[int] | None"
    end_offset: "GivenEndOffset | None"
    start_timestamp: "Time | None"
    end_timestamp: "Time | None"
    key: "bytes | Iterable[bytes] | None"
    filter: "Expression | None"
    isolation_level: "IsolationLevel"
    control_records: bool
    below_log_start: bool
    on_damage: "OnDamage"
    limits: "Limits | None"
    threads: int | None


class RecordKeywords(LoadKeywords, total=False):
    """Arguments of `kafkafmt.scan` that choose records and how they are read."""

    start_offset: "GivenOffset | None"
    replica: "Replica"
    engine: "Engine"


class ScanKeywords(RecordKeywords, total=False):
    """Arguments of `kafkafmt.scan` except the source."""

    columns: "Sequence[str] | None"
    compacted: bool
    verify_checksums: bool
    missing: "Missing"


class GrepKeywords(ScanKeywords, total=False):
    """Arguments of `grep` except the source and the pattern."""

    fixed: bool
    ignore_case: bool
    parts: "Iterable[str] | None"
    json_path: str | None


class DecodeKeywords(TypedDict, total=False):
    """Arguments of `Scan.decode` besides those of a scan, whose `key` chooses records."""

    value_format: str
    key_format: str
    schemas: "Schemas | None"
    schema: "StoredSchema | str | None"
    record: str | None
    resolve: bool
    unwrap: Literal["debezium"] | None


class SqlKeywords(ScanKeywords, DecodeKeywords, total=False):
    """Arguments of `sql` except the query and its parameters, and of `kafkafmt.duckdb.register`."""


class SpaceKeywords(ScanKeywords, DecodeKeywords, total=False):
    """Arguments of `space` except the source and `by`."""

    top: int | None
    progress: "Callable[[int], None] | None"


class ExtractKeywords(ScanKeywords, total=False):
    """Arguments of `extract` except the source and the target."""

    redact: "str | Collection[str]"
    salt: str | bytes | None
    advance: "Callable[[int], None]"


class CompareKeywords(TypedDict, total=False):
    """Arguments of `compare` except the source."""

    topics: "str | Iterable[str] | Mapping[str, int | Iterable[int]] | re.Pattern[str] | None"
    partitions: "int | Iterable[int] | None"
    hashes: bool
    range_size: int
    on_damage: "OnDamage"
    limits: "Limits | None"
    missing: "Missing"
