"""Schemas written to a folder: a file for each text, an index, and imports for registries.

Confluent's registry takes requests, Apicurio Registry an archive.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from kafkafmt.errors import DataError
from kafkafmt.phrases import counted, listed
from kafkafmt.values.apicurio_archive import ARCHIVE, Archive
from kafkafmt.values.schema_files import INDEX
from kafkafmt.values.schema_names import name_of, numbered
from kafkafmt.values.schema_rows import Settings, whole_row
from kafkafmt.values.stored_schema import DEFAULT_CONTEXT, StoredSchema
from kafkafmt.writing.target import new_directory, share

if TYPE_CHECKING:
    from kafkafmt.io.base import Location
    from kafkafmt.io.source import Source
    from kafkafmt.values.registry import Schemas

IMPORT: Final = "import.jsonl"
"""The requests of an import, one per line: `method`, `path` and `body`."""

_IMPORTING: Final = {"mode": "IMPORT"}
_USUAL_MODE: Final = "READWRITE"
_MOST_NAMED: Final = 3


@dataclass(frozen=True)
class Export:
    """The result of an export.

    Attributes:
        files: number of schema files.
        requests: number of requests of the import.
        notes: sentences about schemas that the imports leave out.
    """

    files: int
    requests: int
    notes: tuple[str, ...]


def write_schemas(schemas: "Schemas", target: "Source", sources: "Iterable[Source | Location]" = ()) -> Export:
    """Write all schemas to a new folder, which `kafkafmt.values.schemas` can read; all of them or nothing.

    Args:
        schemas: the schemas.
        target: the folder, which must not exist.
        sources: the paths read; the target must lie outside them.

    Raises:
        SourceError: the folder exists, or cannot be written.
    """
    settings = Settings(dict(schemas.configs), dict(schemas.modes))
    plan = _Import(schemas)
    requests = list(plan.requests())
    archive = Archive(schemas, plan.wanted)
    with new_directory(target, sources) as directory:
        taken: set[str] = set()
        rows = []
        for schema in schemas.all:
            name = _free(name_of(schema.subject, schema.version, schema.schema_id, schema.type), taken)
            (directory / name).write_bytes(schema.schema.encode("utf-8", "surrogatepass"))
            rows.append({"file": name, **whole_row(schema)})
        _write_lines(directory / INDEX, [*rows, *settings.rows()])
        _write_lines(directory / IMPORT, requests)
        archive.write(directory / ARCHIVE)
        share(directory, sources, below=True)
    of_archive = (f"{ARCHIVE} leaves out {_counted(each, why)}" for why, each in archive.left_out.items())
    return Export(len(rows), len(requests), (*plan.notes(), *of_archive, *archive.notes()))


def _counted(schemas: Sequence[StoredSchema], why: str) -> str:
    named = listed([f"{each.subject} version {each.version}" for each in schemas], _MOST_NAMED)
    return f"{counted(len(schemas), 'schema')} {why}: {named}"


def _free(name: str, taken: set[str]) -> str:
    """A name that no other file has, even if case is ignored."""
    number, free = 1, name
    while free.lower() in taken:
        number += 1
        free = numbered(name, number)
    taken.add(free.lower())
    return free


def _write_lines(file: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with open(file, "w", encoding="utf-8", newline="\n") as stream:
        # Lone surrogates stay escapes, so the lines are ASCII.
        stream.writelines(f"{json.dumps(row)}\n" for row in rows)
        stream.flush()
        os.fsync(stream.fileno())


class _Import:
    """The requests by which a registry in mode IMPORT gets the same schemas.

    Subjects, versions, ids and references stay the same: a schema comes after those that it needs, then soft-deleted
    versions are deleted again, then configs and modes are set. Rules: `KafkaSchemaRegistry.register`, `setMode`.

    Attributes:
        wanted: the schemas to import, in order.
    """

    def __init__(self, schemas: "Schemas") -> None:
        self._schemas = schemas
        self._without_id: list[StoredSchema] = []
        self._hard_deleted: list[StoredSchema] = []
        self._replaced: list[StoredSchema] = []
        self._broken: list[str] = []
        self.wanted = self._in_order()

    def requests(self) -> Iterator[dict[str, Any]]:
        """All requests, in order."""
        contexts = dict.fromkeys([DEFAULT_CONTEXT, *(each.context for each in self.wanted)])
        for context in contexts:
            yield _request("PUT", _of_context("/mode", context), _IMPORTING)
        for schema in self.wanted:
            yield _request("POST", f"/subjects/{_escaped(schema.subject)}/versions", _body(schema))
        # A schema can be deleted only after the schemas that refer to it.
        for schema in reversed(self.wanted):
            if schema.state == "soft-deleted":
                yield _request("DELETE", f"/subjects/{_escaped(schema.subject)}/versions/{schema.version}")
        for subject, config in self._schemas.configs.items():
            yield _request("PUT", _of_subject("/config", subject), _config(config))
        modes = self._schemas.modes
        for context in contexts:
            name = None if context == DEFAULT_CONTEXT else f":{context}:"
            if name not in modes:
                yield _request("PUT", _of_context("/mode", context), {"mode": _USUAL_MODE})
        for subject, mode in sorted(modes.items(), key=lambda each: each[0] is None):
            forced = "?force=true" if mode == "IMPORT" else ""
            yield _request("PUT", _of_subject("/mode", subject) + forced, {"mode": mode})

    def notes(self) -> Iterator[str]:
        """Notes on schemas that the imports leave out, or bring back."""
        wanted = {(each.subject, each.version) for each in self.wanted}
        restored = [each for each in self._hard_deleted if (each.subject, each.version) in wanted]
        if restored:
            them = "it" if len(restored) == 1 else "them"
            yield f"the imports bring back {_counted(restored, f'deleted for good, as others refer to {them}')}"
        for found, why in (
            ([each for each in self._hard_deleted if each not in restored], "deleted for good"),
            (self._replaced, "replaced by another text"),
            (self._without_id, "without an id that a registry takes (negative, or none)"),
        ):
            if found:
                yield f"the imports leave out {_counted(found, why)}"
        yield from (f"the imports leave out {each}" for each in self._broken)

    def _in_order(self) -> list[StoredSchema]:
        ordered: dict[tuple[str, int], StoredSchema] = {}
        for schema in self._schemas.all:
            if self._is_importable(schema):
                try:
                    needed = self._schemas.references(schema)
                except DataError as error:
                    self._broken.append(f"{schema.subject} version {schema.version}: {error}")
                    continue
                for each in (*needed, schema):
                    ordered.setdefault((each.subject, each.version), each)
        return [each for each in ordered.values() if each.schema_id is not None and each.schema_id >= 0]

    def _is_importable(self, schema: StoredSchema) -> bool:
        left_out = (
            self._hard_deleted
            if schema.state == "hard-deleted"
            else self._replaced
            if schema.is_superseded
            else self._without_id
            if schema.schema_id is None or schema.schema_id < 0
            else None
        )
        if left_out is not None:
            left_out.append(schema)
        return left_out is None


def _body(schema: StoredSchema) -> dict[str, Any]:
    references = [{"name": each.name, "subject": each.subject, "version": each.version} for each in schema.references]
    optional = {"references": references, "metadata": schema.metadata, "ruleSet": schema.rule_set}
    return {
        "version": schema.version,
        "id": schema.schema_id,
        "schemaType": schema.type,
        **{name: value for name, value in optional.items() if value},
        "schema": schema.schema,
    }


def _config(config: Mapping[str, Any]) -> dict[str, Any]:
    """A config in the form of the registry's API, where the level has another name than in the topic."""
    body = dict(config)
    with suppress(KeyError):
        body["compatibility"] = body.pop("compatibilityLevel")
    return body


def _request(method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"method": method, "path": path, "body": body}


def _of_context(path: str, context: str) -> str:
    return path if context == DEFAULT_CONTEXT else f"{path}/{_escaped(f':{context}:')}"


def _of_subject(path: str, subject: str | None) -> str:
    return path if subject is None else f"{path}/{_escaped(subject)}"


def _escaped(name: str) -> str:
    return quote(name, safe="", errors="surrogatepass")
