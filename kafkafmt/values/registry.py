"""`schemas`: what a schema registry keeps in `_schemas`, read from the disks of its cluster."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Final

import pyarrow as pa

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.errors import DataError, KafkafmtError, LimitExceededError
from kafkafmt.findings import FINDING, STATE, Finding
from kafkafmt.limits import Limits
from kafkafmt.logdir.sources import Found
from kafkafmt.topics.answers import TableAnswer, check_choices, counted
from kafkafmt.topics.internal_log import InternalLog, records_of, scan_of, slices
from kafkafmt.topics.internal_record import InternalRecord
from kafkafmt.values.registry_log import SCHEMAS_TOPIC, RegistryLog
from kafkafmt.values.stored_schema import DEFAULT_CONTEXT, StoredSchema, as_json, split_context

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.errors import Missing, OnDamage
    from kafkafmt.files.damage import Damage, Note
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning.arguments import Time
    from kafkafmt.topics.answers import AtOffset

_DELETED_FILE: Final = ".deleted"
_MOST_REFERENCES: Final = 100


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject of the registry.

    Attributes:
        subject: its name, with its context.
        versions: the active versions.
        deleted_versions: the soft-deleted ones.
        latest_version: the latest active version, or None.
        latest_id: the id of that version's schema, or None.
        types: the types of its schemas.
        config: its own config, such as its compatibility level or the subject that it is an alias of; or None.
        mode: its own mode, or None.
    """

    subject: Annotated[str, pa.string()]
    versions: Annotated[tuple[int, ...], pa.list_(pa.int32()), list]
    deleted_versions: Annotated[tuple[int, ...], pa.list_(pa.int32()), list]
    latest_version: Annotated[int | None, pa.int32()]
    latest_id: Annotated[int | None, pa.int32()]
    types: Annotated[tuple[str, ...], pa.list_(pa.string()), list]
    config: Annotated[Mapping[str, Any] | None, pa.string(), as_json]
    mode: Annotated[str | None, pa.string()]


_SCHEMAS = TableColumns(
    *columns_of(StoredSchema, to="schema_id"),
    *columns_of(StoredSchema, only=("guid",)),
    *columns_of(StoredSchema, after="schema_id", to="schema"),
)
_SUBJECTS = TableColumns(*columns_of(Subject))


@dataclass(frozen=True, repr=False)
class Schemas(TableAnswer):
    """The schemas of a registry: tables `schemas`, `subjects` and `deleted`.

    Attributes:
        all: every text that was registered and is still on the disk, by subject and version; of a version with several
            texts the latest one last.
        configs: configs by subject, or by context (":.east:"); of None the global one.
        modes: modes in the same way.
        findings: records that are not as a registry writes them.
        notes: sentences for the user.
        damage: stretches of the log that were skipped.
        skipped_replicas: partition directories that were left to a better replica.
    """

    all: tuple[StoredSchema, ...]
    configs: Mapping[str | None, Mapping[str, Any]]
    modes: Mapping[str | None, str]
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    damage: "tuple[Damage, ...]" = ()
    skipped_replicas: "tuple[Partition, ...]" = ()

    @classmethod
    def schemas(cls) -> Mapping[str, pa.Schema]:
        """Schema of each table by its name, the main table first."""
        return {"schemas": _SCHEMAS.schema, "subjects": _SUBJECTS.schema, "deleted": _SCHEMAS.schema}

    def rows(self, name: str) -> Iterator[Sequence[Any]]:
        """Rows of a table; `deleted` has those that the registry does not show any more, or only among the deleted."""
        if name == "subjects":
            return map(_SUBJECTS.row, self.subjects)
        return (
            _SCHEMAS.row(each) for each in self.all if name == "schemas" or each.is_superseded or each.state != "active"
        )

    @cached_property
    def subjects(self) -> tuple[Subject, ...]:
        """The subjects that have schemas on the disk, in the order of their first records."""
        return tuple(self._subject(name) for name in self._by_subject)

    @property
    def faults(self) -> int:
        """Number of records that are not as a registry writes them, and of damaged stretches."""
        return len(self.findings) + sum(not each.is_open_end for each in self.damage)

    def by_id(self, schema_id: int, subject: str) -> StoredSchema | None:
        """Find the schema that a value means by an id, as the registry does.

        Ids count in each context by themselves. The registry takes the id under the subject; then under the subject in
        another context, by name of the context; then the id in the default context, whatever its subject is. It never
        takes the id of just any context.

        Args:
            schema_id: the id.
            subject: "<topic>-value" or "<topic>-key", or another name with its context.

        Returns:
            The schema, of several the one that the registry still has; None if there is none.
        """
        context, name = split_context(subject)
        same = [each for each in self._by_id.get(schema_id, ()) if split_context(each.subject)[1] == name]
        return (
            _best(each for each in same if each.context == context)
            or _best(sorted(same, key=lambda each: each.context))
            or _best(each for each in self._by_id.get(schema_id, ()) if each.context == context)
        )

    def by_guid(self, guid: str) -> StoredSchema | None:
        """Find the schema with a GUID, in the default context first; None if there is none.

        Args:
            guid: as `StoredSchema.guid` has it.
        """
        found = self._by_guid.get(guid, ())
        return _best(each for each in found if each.context == DEFAULT_CONTEXT) or _best(found)

    def latest(self, subject: str) -> StoredSchema | None:
        """The latest active version of a subject, or of the subject that it is an alias of; None if there is none.

        Args:
            subject: its name.
        """
        alias = self.configs.get(subject, {}).get("alias")
        name = alias if isinstance(alias, str) else subject
        active = [each for each in self._by_subject.get(name, ()) if each.state == "active" and not each.is_superseded]
        return max(active, key=lambda each: each.version, default=None)

    def version(self, subject: str, version: int) -> StoredSchema | None:
        """One version of a subject, deleted or not, with its latest text; None if there is none.

        Args:
            subject: its name.
            version: its version.
        """
        found = [each for each in self._by_subject.get(subject, ()) if each.version == version]
        return found[-1] if found else None

    def references(self, schema: StoredSchema) -> list[StoredSchema]:
        """The schemas that a schema needs, each after those that it needs itself.

        Args:
            schema: the schema.

        Raises:
            DataError: one of them is not on the disk, or they need one another in a circle.
        """
        ordered: dict[tuple[str, int], StoredSchema] = {}
        self._add_references(schema, ordered, ())
        return list(ordered.values())

    def _add_references(
        self, schema: StoredSchema, ordered: dict[tuple[str, int], StoredSchema], path: tuple[tuple[str, int], ...]
    ) -> None:
        for each in schema.references:
            key = (each.subject, each.version)
            if key in path:
                raise DataError(f"the schema {each.subject} version {each.version} refers to itself")
            if len(path) == _MOST_REFERENCES:
                raise LimitExceededError("references of schemas are nested too deeply", expected=_MOST_REFERENCES)
            if key in ordered:
                continue
            found = self.version(*key)
            if found is None:
                raise DataError(f"no schema {each.subject} version {each.version}, to which {schema.subject} refers")
            self._add_references(found, ordered, (*path, key))
            ordered[key] = found

    @cached_property
    def _by_subject(self) -> dict[str, list[StoredSchema]]:
        return _grouped((each.subject, each) for each in self.all)

    @cached_property
    def _by_id(self) -> dict[int, list[StoredSchema]]:
        return _grouped((each.schema_id, each) for each in self.all)

    @cached_property
    def _by_guid(self) -> dict[str, list[StoredSchema]]:
        return _grouped((each.guid, each) for each in self.all)

    def _subject(self, name: str) -> Subject:
        texts = [each for each in self._by_subject[name] if not each.is_superseded]
        latest = self.latest(name)
        return Subject(
            name,
            tuple(each.version for each in texts if each.state == "active"),
            tuple(each.version for each in texts if each.state == "soft-deleted"),
            None if latest is None else latest.version,
            None if latest is None else latest.schema_id,
            tuple(dict.fromkeys(each.type for each in texts)),
            self.configs.get(name),
            self.modes.get(name),
        )


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
    """Read the schemas that Confluent's Schema Registry, or one that writes the same topic, keeps in `_schemas`.

    Deleted schemas and replaced texts are found as long as their records are in a file: also in segments that the
    cleaner has replaced (`.deleted`), and below the log start offset. The state of each follows from the records in
    offset order, as in a registry that loads them.

        >>> found = kafkafmt.values.schemas("/var/lib/kafka/data")
        >>> found.latest("orders-value").schema

    Args:
        source: a log directory, any directory above, the directory of `_schemas-0`, or a list of those; paths or URIs,
            as for `kafkafmt.scan`.
        filesystem: as for `kafkafmt.scan`.
        at_offset: the state before this offset of `_schemas`.
        at_time: the state before the first record with a later timestamp; ms since the epoch, a datetime, or ISO 8601
            text.
        on_damage: "raise" an error at the first damage, or at a record that is not as a registry writes it; or "skip"
            and report it.
        limits: bounds of memory; `kafkafmt.Limits()` if None.
        missing: "raise" an error if the source has no `_schemas`, or "note" it: there are no schemas then.

    Raises:
        SourceError: a source is missing or unreadable, or has no `_schemas`.
        KafkafmtError: damage, with `on_damage="raise"`.
        LimitExceededError: the schemas take too much memory.
        TypeError, ValueError: an argument that makes no sense.
    """
    check_choices(on_damage=on_damage, missing=missing)
    log = InternalLog(
        source,
        SCHEMAS_TOPIC,
        filesystem=filesystem,
        at_offset=at_offset,
        at_time=at_time,
        on_damage=on_damage,
        limits=limits,
    )
    if missing == "raise":
        log.required()
    errors: list[KafkafmtError] = []

    def report(error: KafkafmtError) -> None:
        if on_damage == "raise":
            raise error
        errors.append(error)

    damage: list[Damage] = [*log.damage]
    state = RegistryLog(report)
    notes: list[Note] = []
    state.see_all(_records(log, on_damage, limits, damage, notes), log.memory(state.memory))
    found = tuple(state.schemas())
    return Schemas(
        found,
        state.configs,
        state.modes,
        tuple(
            Finding(FINDING, STATE, each.file or "", each.message, position=each.position, topic=SCHEMAS_TOPIC)
            for each in errors
        ),
        (*log.notes, *notes, *_counts(found)),
        tuple(damage),
        tuple(log.skipped_replicas),
    )


def _records(
    log: InternalLog, on_damage: "OnDamage", limits: "Limits | None", damage: "list[Damage]", notes: "list[Note]"
) -> Iterator[InternalRecord]:
    """All records that are in any file of the log, in offset order; where a segment was replaced, its own last."""
    for number in log.numbers:
        by_offset: dict[int, InternalRecord] = {}
        for found in _files(log, number):
            scan = scan_of(
                [found], on_damage, limits or Limits(), end_offset=log.end_offsets.get(number), below_log_start=True
            ).without_warnings()
            with scan.to_reader() as reader:
                for batch in reader:
                    for part in slices(batch):
                        by_offset.update({each.offset: each for each in records_of(part, number)})
            damage += scan.damage
            notes += [note for note in scan.notes if note.is_finding]
        yield from (by_offset[offset] for offset in sorted(by_offset))


def _files(log: InternalLog, number: int) -> Iterator[Found]:
    """The log files of a partition: first those that the cleaner or retention replaced, and that are still there."""
    for found in log.found(number):
        if found.file is None:
            for segment in found.partition.other_segments:
                if segment.suffix == _DELETED_FILE:
                    yield Found(found.partition, segment)
        for segment in found.segments:
            yield Found(found.partition, segment)


def _counts(found: Sequence[StoredSchema]) -> Iterator[str]:
    """What only the disk shows."""
    hard = sum(each.state == "hard-deleted" for each in found)
    if hard:
        yield f"{counted(hard, 'schema')} that the registry has deleted for good can still be read from the disk"


def _best(found: Iterable[StoredSchema]) -> StoredSchema | None:
    """The one that the registry has, of several."""
    order = ("active", "soft-deleted", "hard-deleted")
    return min(found, key=lambda each: (each.is_superseded, order.index(each.state)), default=None)


def _grouped(pairs: Iterable[tuple[Any, StoredSchema]]) -> dict[Any, list[StoredSchema]]:
    groups: dict[Any, list[StoredSchema]] = {}
    for key, each in pairs:
        groups.setdefault(key, []).append(each)
    return groups
