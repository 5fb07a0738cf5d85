"""Arguments of the methods of `Disks`, for type checkers and editors: those of the functions, without the source.

A method has the arguments of its function; `tests/test_disks.py` compares the two.
"""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import os
    import re
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from pyarrow.compute import Expression

    from kafkafmt.errors import Missing, OnDamage
    from kafkafmt.io.source import Source
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.repairing.log_dir_copy import Only
    from kafkafmt.repairing.redaction import Part
    from kafkafmt.scanning.arguments import GivenEndOffset, GivenOffset, IsolationLevel, Time
    from kafkafmt.scanning.execution import Engine
    from kafkafmt.startup.verify import Observer, VerifyLevel
    from kafkafmt.topics.answers import AtOffset, Names, Replica
    from kafkafmt.topics.producer_state.reading import StateFrom
    from kafkafmt.topics.transaction_state.data import Data


class ScanKeywords(TypedDict, total=False):
    """Arguments of `kafkafmt.scan` except the source."""

    topics: "str | Iterable[str] | Mapping[str, int | Iterable[int]] | re.Pattern[str] | None"
    partitions: "int | Iterable[int] | None"
    start_offset: "GivenOffset | None"
    end_offset: "GivenEndOffset | None"
    start_timestamp: "Time | None"
    end_timestamp: "Time | None"
    key: "bytes | Iterable[bytes] | None"
    filter: "Expression | None"
    columns: "Sequence[str] | None"
    isolation_level: "IsolationLevel"
    control_records: bool
    below_log_start: bool
    compacted: bool
    replica: "Replica"
    on_damage: "OnDamage"
    verify_checksums: bool
    limits: "Limits | None"
    engine: "Engine"
    threads: int | None
    missing: "Missing"


class GrepKeywords(ScanKeywords, total=False):
    """Arguments of `grep` except the source and the pattern."""

    fixed: bool
    ignore_case: bool
    parts: "Iterable[str] | None"
    json_path: str | None


class SpaceKeywords(ScanKeywords, total=False):
    """Arguments of `space` except the source and `by`."""

    top: int | None
    progress: "Callable[[int], None] | None"


class DiskUseKeywords(TypedDict, total=False):
    """Arguments of `disk_use` except the source and `by`."""

    topics: "str | Iterable[str] | Mapping[str, int | Iterable[int]] | re.Pattern[str] | None"
    partitions: "int | Iterable[int] | None"
    top: int | None
    missing: "Missing"


class ExtractKeywords(ScanKeywords, total=False):
    """Arguments of `extract` except the source and the target."""

    redact: "Part | Collection[Part]"
    salt: str | bytes | None
    advance: "Callable[[int], None]"


class GroupsKeywords(TypedDict, total=False):
    """Arguments of `groups` except the source."""

    groups: "Names"
    topics: "Names"
    at_offset: "AtOffset | None"
    at_time: "Time | None"
    on_damage: "OnDamage"
    limits: "Limits | None"
    missing: "Missing"


class TransactionsKeywords(TypedDict, total=False):
    """Arguments of `transactions` except the source."""

    data: "Data | None"
    topics: "str | Iterable[str] | re.Pattern[str] | None"
    partitions: "int | Iterable[int] | None"
    transactional_ids: "Names"
    producer_ids: "int | Iterable[int] | None"
    at_offset: "AtOffset | None"
    at_time: "Time | None"
    max_transaction_timeout_ms: int
    most_ended: int
    bootstrap_server: str
    replica: "Replica"
    on_damage: "OnDamage"
    limits: "Limits | None"
    missing: "Missing"


class ProducersKeywords(TypedDict, total=False):
    """Arguments of `producers` except the source."""

    topics: "str | Iterable[str] | re.Pattern[str] | None"
    partitions: "int | Iterable[int] | None"
    producer_ids: "int | Iterable[int] | None"
    at_offset: "AtOffset | None"
    at_time: "Time | None"
    state_from: "StateFrom"
    content_window: int | None
    replica: "Replica"
    on_damage: "OnDamage"
    limits: "Limits | None"
    missing: "Missing"


class MetadataKeywords(TypedDict, total=False):
    """Arguments of `metadata` except the source."""

    at_offset: "AtOffset | None"
    at_time: "Time | None"
    on_damage: "OnDamage"
    show_secrets: bool
    limits: "Limits | None"


class VerifyKeywords(TypedDict, total=False):
    """Arguments of `verify` except the source."""

    level: "VerifyLevel"
    cluster_id: str | None
    node_id: int | None
    metadata: "Searchable | None"
    limits: "Limits | None"
    observer: "Observer | None"
    copies: "Source | Sequence[Source]"


class TiersKeywords(TypedDict, total=False):
    """Arguments of `tiers` except the source."""

    metadata: "Source | Sequence[Source] | None"
    topics: "str | Iterable[str] | re.Pattern[str] | None"
    partitions: "int | Iterable[int] | None"
    states: "Iterable[str] | None"
    missing: "Missing"


class RetentionKeywords(TypedDict, total=False):
    """Arguments of `retention` except the source."""

    at: "Time | None"
    metadata: "Searchable | None"
    config: "Mapping[str, object] | None"
    topics: "str | Iterable[str] | re.Pattern[str] | None"
    partitions: "int | Iterable[int] | None"
    on_damage: "OnDamage"
    limits: "Limits | None"
    missing: "Missing"
    progress: "Callable[[int], None]"


class CompareKeywords(TypedDict, total=False):
    """Arguments of `compare` except the source."""

    topics: "str | Iterable[str] | Mapping[str, int | Iterable[int]] | re.Pattern[str] | None"
    partitions: "int | Iterable[int] | None"
    hashes: bool
    range_size: int
    on_damage: "OnDamage"
    limits: "Limits | None"
    missing: "Missing"


class CompactionKeywords(TypedDict, total=False):
    """Arguments of `compaction` except the source."""

    out: "str | os.PathLike[str] | None"
    at: "Time | None"
    metadata: "Searchable | None"
    config: "Mapping[str, object] | None"
    topics: "str | Iterable[str] | re.Pattern[str] | None"
    partitions: "int | Iterable[int] | None"
    on_damage: "OnDamage | None"
    limits: "Limits | None"
    missing: "Missing"
    top_keys: int
    progress: "Callable[[int], None]"


class RepairKeywords(TypedDict, total=False):
    """Arguments of `repair` except the source."""

    donors: "Searchable | None"
    topics: "Names"
    dry_run: bool
    mend_offsets: bool
    only: "Only | None"
    index_interval_bytes: int
    index_max_bytes: int
    metadata: "Searchable | None"
    limits: "Limits | None"
    missing: "Missing"
    advance: "Callable[[int], None]"


class GrepEverywhereKeywords(TypedDict, total=False):
    """Arguments of `grep_everywhere` except the source."""

    fixed: bool
    ignore_case: bool
    parts: "Iterable[str] | None"
    limits: "Limits | None"
