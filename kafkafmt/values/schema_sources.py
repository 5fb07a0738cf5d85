"""`schemas`: the schemas of a registry, from disks, from a folder of files, or from a URL."""

import os
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError, NotFoundError, SourceError
from kafkafmt.io.uri import scheme_of
from kafkafmt.topics.answers import check_choices
from kafkafmt.values.registry import Schemas
from kafkafmt.values.registry_topic import read_topic, topic_log
from kafkafmt.values.schema_files import holds_schemas, read_folder
from kafkafmt.values.schema_names import SUFFIXES

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.errors import Missing, OnDamage
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning.arguments import Time
    from kafkafmt.topics.answers import AtOffset


def schemas(
    source: "Searchable",
    *,
    filesystem: "FileSystem | None" = None,
    at_offset: "AtOffset | None" = None,
    at_time: "Time | None" = None,
    on_damage: "OnDamage" = "skip",
    limits: "Limits | None" = None,
    missing: "Missing" = "raise",
) -> Schemas:
    """Read the schemas of a registry: from its topic `_schemas` on disk, from a folder of files, or from its REST API.

    `_schemas` is the topic of Confluent's Schema Registry and of others that write the same records. Deleted schemas
    and replaced texts are found as long as their records are in a file: also in segments that the cleaner has replaced
    (`.deleted`), and below the log start offset. The state of each schema follows from the records in offset order, as
    in a registry that loads them.

        >>> found = kafkafmt.values.schemas("/var/lib/kafka/data")
        >>> found.latest("orders-value").schema

    Args:
        source: a log directory, any directory above, the directory of `_schemas-0`, or a list of those; paths or URIs,
            as for `kafkafmt.scan`. Or a local folder of .avsc, .proto and .json files, or one such file: the subject is
            the file's name, as in `orders-value.avsc` or `orders-value.v3.id17.avsc` (version 3, id 17). Or the URL of
            a registry, as in `https://user:password@registry:8081`; if it has no login, that in
            SCHEMA_REGISTRY_BASIC_AUTH_USER_INFO is used. The answer of a URL is kept for the process.
        filesystem: as for `kafkafmt.scan`.
        at_offset: the state before this offset of `_schemas`; not for files or a URL.
        at_time: the state before the first record with a later timestamp; ms since the epoch, a datetime, or ISO 8601
            text.
        on_damage: "raise" an error at the first damage, or at a record that no registry writes; or "skip" and report
            it.
        limits: bounds of memory; `kafkafmt.Limits()` if None.
        missing: "raise" an error if the source has no `_schemas`, or "note" it and return no schemas.

    Raises:
        NotFoundError: the source has no `_schemas` (`missing="raise"`).
        SourceError: a source is missing or unreadable, or the registry does not answer.
        KafkafmtError: the log is damaged, with `on_damage="raise"`.
        LimitExceededError: the schemas take too much memory.
        TypeError, ValueError: an argument makes no sense.
    """
    check_choices(on_damage=on_damage, missing=missing)
    outside = None if filesystem is not None else without_topic(source)
    if outside is None:
        try:
            log = topic_log(
                source, filesystem=filesystem, at_offset=at_offset, at_time=at_time, on_damage=on_damage, limits=limits
            )
        except SourceError as error:
            if isinstance(source, str | os.PathLike) and os.path.isdir(source):
                error.message += f"; or a folder whose files end in {', '.join(SUFFIXES)}"
            raise
        if missing == "raise" and not log.numbers:
            raise NotFoundError(log.notes[0])
        return read_topic(log, on_damage, limits)
    if at_offset is not None or at_time is not None:
        raise ValueError("at_offset and at_time are moments of the topic _schemas: name a log directory")

    def report(error: KafkafmtError) -> None:
        if on_damage == "raise":
            raise error

    if not is_url(outside):
        return read_folder(outside, report)
    from kafkafmt.values.registry_url import read_url  # noqa: PLC0415 - few commands need HTTP

    return read_url(outside)


def is_url(source: object) -> bool:
    """Whether a source is the URL of a registry."""
    return isinstance(source, str) and source.lower().startswith(("http://", "https://"))


def without_topic(source: object) -> str | None:
    """A source without the topic `_schemas`: a URL, a schema file, or a folder of such files and no log; else None."""
    if is_url(source):
        return str(source)
    path = os.fspath(source) if isinstance(source, str | os.PathLike) else None
    return path if isinstance(path, str) and scheme_of(path) is None and holds_schemas(path) else None
