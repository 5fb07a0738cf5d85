"""The schemas of a registry: found by id, GUID, fingerprint, subject and version, and as tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.cached import cached_property
from kafkafmt.errors import DataError, LimitExceededError
from kafkafmt.findings import Finding
from kafkafmt.phrases import counted
from kafkafmt.topics.answers import TableAnswer
from kafkafmt.values.decode_arguments import IN_PYTHON, AdvisedArguments
from kafkafmt.values.stored_schema import (
    DEFAULT_CONTEXT,
    Reference,
    StoredSchema,
    as_json,
    in_context_of,
    printable,
    split_context,
)

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.values.framing import Framing

_MOST_REFERENCES: Final = 100
_MOST_NAMED: Final = 10
_LATEST: Final = -1
"""Version in a reference that means the latest one."""


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

    subject: Annotated[str, "string"]
    versions: Annotated[tuple[int, ...], "list<int32>", list]
    deleted_versions: Annotated[tuple[int, ...], "list<int32>", list]
    latest_version: Annotated[int | None, "int32"]
    latest_id: Annotated[int | None, "int32"]
    types: Annotated[tuple[str, ...], "list<string>", list]
    config: Annotated[Mapping[str, Any] | None, "string", as_json]
    mode: Annotated[str | None, "string"]


_SCHEMAS = TableColumns(
    *columns_of(StoredSchema, to="schema_id"),
    *columns_of(StoredSchema, only=("guid",)),
    *columns_of(StoredSchema, after="schema_id", to="schema"),
)


@dataclass(frozen=True, repr=False)
class Schemas(TableAnswer):
    """The schemas of a registry: tables `schemas`, `subjects` and `deleted`.

    Attributes:
        all: every registered text that is still on the disk, by subject and version; of several texts of a version the
            latest one last.
        configs: configs by subject, or by context (":.east:"); the global one by None.
        modes: modes in the same way.
        findings: records that no registry writes, and files without a schema.
        notes: sentences for the user.
        damage: ranges of the log that were skipped.
        skipped_replicas: partition directories that were skipped in favour of a better replica.
        unreadable: the reason why the topic `_schemas` beside the records cannot be read; "" if it can.
        left_out: the reasons why copies of the topic in some of several log directories cannot be read.
        advised: the names of arguments in advice.
    """

    all: tuple[StoredSchema, ...]
    configs: Mapping[str | None, Mapping[str, Any]]
    modes: Mapping[str | None, str]
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    damage: "tuple[Damage, ...]" = ()
    skipped_replicas: "tuple[Partition, ...]" = ()
    unreadable: str = ""
    left_out: tuple[str, ...] = ()
    advised: AdvisedArguments = IN_PYTHON

    _TABLES: ClassVar = {"schemas": _SCHEMAS, "subjects": TableColumns(*columns_of(Subject)), "deleted": _SCHEMAS}

    def rows(self, name: str) -> Iterator[Sequence[Any]]:
        """Rows of a table; `deleted` has those that the registry no longer shows, or shows only among the deleted."""
        return map(printable, super().rows(name))

    def _objects(self, name: str) -> Iterable[object]:
        if name == "subjects":
            return self.subjects
        return (each for each in self.all if name == "schemas" or each.is_superseded or each.state != "active")

    @cached_property
    def subjects(self) -> tuple[Subject, ...]:
        """The subjects that have schemas on the disk, in the order of their first records."""
        return tuple(self._subject(name) for name in self._by_subject)

    @property
    def doubt(self) -> str:
        """The reason why schemas may be missing, for a note; "" if there is none."""
        if self.unreadable:
            advice = f"Name another source of them by {self.advised.schemas}"
            return f"the schemas cannot be read: {self.unreadable}. {advice}"
        if self.left_out:
            return f"copies of the schemas are left out, and some schemas may be missing: {'; '.join(self.left_out)}"
        faults = len(self.findings) + sum(not each.is_open_end for each in self.damage)
        return (
            f"the schemas have {counted(faults, 'fault')}, and some may be missing: see kafkafmt schemas"
            if faults
            else ""
        )

    def by_id(self, schema_id: int, subject: str) -> StoredSchema | None:
        """Find the schema to which an id in a value refers, as the registry does.

        Each context has its own ids. The registry takes the id under the subject; then under the subject in another
        context, in the order of the contexts' names; then the id in the default context, whatever its subject is. It
        does not search all other contexts. An alias of a subject means that subject.

        Args:
            schema_id: the id.
            subject: "<topic>-value" or "<topic>-key", or another name with its context.

        Returns:
            The schema, preferably one that the registry still has; None if there is none.
        """
        context, name = split_context(self._aliased(subject))
        same = [each for each in self._by_id.get(schema_id, ()) if split_context(each.subject)[1] == name]
        return (
            _best(each for each in same if each.context == context)
            or _best(sorted(same, key=lambda each: each.context))
            or _best(each for each in self._by_id.get(schema_id, ()) if each.context == context)
        )

    def by_guid(self, guid: str) -> StoredSchema | None:
        """Find the schema with a GUID, in the default context first; None if there is none.

        Args:
            guid: a GUID as in `StoredSchema.guid`.
        """
        found = self._by_guid.get(guid, ())
        return _best(each for each in found if each.context == DEFAULT_CONTEXT) or _best(found)

    def assumed(self, framing: "Framing") -> StoredSchema | None:  # noqa: ARG002 - a choice may depend on it
        """The schema of values that name none, or one of another registry: None, unless the user chooses one.

        Args:
            framing: framing of the value.
        """
        return None

    @cached_property
    def has_ids(self) -> bool:
        """Whether any schema has an id, as files may have none."""
        return any(each.schema_id is not None for each in self.all)

    def by_fingerprint(self, fingerprint: int) -> StoredSchema | None:
        """Find the schema of an Avro value in single-object encoding; None if there is none.

        Args:
            fingerprint: CRC-64-AVRO of the schema in Parsing Canonical Form, unsigned.
        """
        return _best(self._by_fingerprint.get(fingerprint, ()))

    def named_by(self, framing: "Framing", subject: str) -> StoredSchema | None:
        """Find the schema that a framing names; None if it names no known schema.

        Args:
            framing: framing of a key or value.
            subject: subject of the keys or values.
        """
        if framing.fingerprint is not None:
            return self.by_fingerprint(framing.fingerprint)
        if not framing.name.startswith("confluent"):
            return self.assumed(framing)
        if framing.schema_id is not None:
            return self.by_id(framing.schema_id, subject)
        return None if framing.guid is None else self.by_guid(framing.guid)

    def latest(self, subject: str) -> StoredSchema | None:
        """The latest active version of a subject, or of the subject of which it is an alias; None if there is none.

        Args:
            subject: name of the subject.
        """
        found = self._by_subject.get(self._aliased(subject), ())
        active = [each for each in found if each.state == "active" and not each.is_superseded]
        return max(active, key=lambda each: each.version, default=None)

    def version(self, subject: str, version: int) -> StoredSchema | None:
        """One version of a subject, deleted or not, with its latest text; None if there is none.

        Args:
            subject: name of the subject.
            version: the version.
        """
        found = [each for each in self._by_subject.get(subject, ()) if each.version == version]
        return found[-1] if found else None

    def references(self, schema: StoredSchema) -> list[StoredSchema]:
        """The schemas that a schema needs, each after those that it needs itself.

        Args:
            schema: the schema.

        Raises:
            DataError: one of them is not on the disk, or the references are circular.
            LimitExceededError: the references are nested too deeply.
        """
        ordered: dict[tuple[str, int], StoredSchema] = {}
        self._add_references(schema, ordered, ((schema.subject, schema.version),))
        return list(ordered.values())

    def _add_references(
        self, schema: StoredSchema, ordered: dict[tuple[str, int], StoredSchema], path: tuple[tuple[str, int], ...]
    ) -> None:
        for reference in schema.references:
            found = self.referred(schema, reference)
            if found is None:
                wanted = f"{in_context_of(reference.subject, schema.subject)} version {reference.version}"
                raise DataError(f"no schema {wanted}, to which {schema.subject} version {schema.version} refers")
            key = (found.subject, found.version)
            if key in path:
                circle = [*path[path.index(key) :], key]
                named = " -> ".join(f"{subject} version {version}" for subject, version in circle[-_MOST_NAMED:])
                raise DataError(f"schemas refer to one another in a circle: {named}")
            if len(path) > _MOST_REFERENCES:
                raise LimitExceededError("references of schemas are nested too deeply", expected=_MOST_REFERENCES)
            if key not in ordered:
                self._add_references(found, ordered, (*path, key))
                ordered[key] = found

    def referred(self, schema: StoredSchema, reference: Reference) -> StoredSchema | None:
        """The schema to which a reference refers; None if there is none.

        Its subject is in the context of the referring schema, unless it names another context; version -1 is the
        latest.

        Args:
            schema: the referring schema.
            reference: one of its references.
        """
        subject = in_context_of(reference.subject, schema.subject)
        if reference.version != _LATEST:
            return self.version(subject, reference.version)
        versions = (each for each in self._by_subject.get(subject, ()) if not each.is_superseded)
        return max(versions, key=lambda each: (each.state == "active", each.version), default=None)

    def _aliased(self, subject: str) -> str:
        """The subject of which a subject is an alias, or the subject itself (`AliasFilter`)."""
        alias = (self.configs.get(subject) or {}).get("alias")
        return in_context_of(alias, subject) if isinstance(alias, str) and alias else subject

    @cached_property
    def _by_subject(self) -> dict[str, list[StoredSchema]]:
        return _grouped((each.subject, each) for each in self.all)

    @cached_property
    def _by_id(self) -> dict[int, list[StoredSchema]]:
        return _grouped((each.schema_id, each) for each in self.all)

    @cached_property
    def _by_guid(self) -> dict[str, list[StoredSchema]]:
        return _grouped((each.guid, each) for each in self.all)

    @cached_property
    def _by_fingerprint(self) -> dict[int, list[StoredSchema]]:
        return _grouped(_fingerprints(self))

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


def _fingerprints(schemas: Schemas) -> Iterator[tuple[int, StoredSchema]]:
    """The Avro schemas with their fingerprints; invalid ones are left out."""
    from kafkafmt.values.avro.fingerprint import fingerprint  # noqa: PLC0415 - few topics have these values
    from kafkafmt.values.avro.schema import parse  # noqa: PLC0415 - as above

    for each in schemas.all:
        if each.type == "AVRO":
            with suppress(DataError):
                yield fingerprint(parse(each.schema, [one.schema for one in schemas.references(each)])), each


def _best(found: Iterable[StoredSchema]) -> StoredSchema | None:
    """The one of several schemas that the registry has."""
    order = ("active", "soft-deleted", "hard-deleted")
    return min(found, key=lambda each: (each.is_superseded, order.index(each.state)), default=None)


def _grouped(pairs: Iterable[tuple[Any, StoredSchema]]) -> dict[Any, list[StoredSchema]]:
    groups: dict[Any, list[StoredSchema]] = {}
    for key, each in pairs:
        groups.setdefault(key, []).append(each)
    return groups
