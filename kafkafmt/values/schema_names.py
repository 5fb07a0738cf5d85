"""Names of schema files: the subject, perhaps with version and id, as in `orders-value.v3.id17.avsc`."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from kafkafmt.reference.header import INT32_RANGE

SUFFIXES: Final[Mapping[str, str]] = {".avsc": "AVRO", ".proto": "PROTOBUF", ".json": "JSON"}
"""Types of schemas by the suffix of their files."""

_SUFFIX_OF: Final = {kind: suffix for suffix, kind in SUFFIXES.items()}
_OF_OTHERS: Final = ".txt"
_NAME: Final = re.compile(r"(?P<subject>.+?)(?:\.v(?P<version>[0-9]{1,9}))?(?:\.id(?P<id>-?[0-9]{1,10}))?", re.DOTALL)
_MOST_BYTES: Final = 180
"""Most bytes of a subject in a file name; file systems allow 255 for the whole name."""


class FileName(NamedTuple):
    """The subject, version and id in the name of a schema file.

    Attributes:
        subject: the subject.
        version: the version; 1 if the name has none.
        schema_id: the id, or None.
    """

    subject: str
    version: int = 1
    schema_id: int | None = None


def parse_name(stem: str) -> FileName:
    """Parse the name of a file without its suffix; `%2F` is a slash, as in URLs."""
    found = _NAME.fullmatch(stem)
    if found is None:
        return FileName(stem)
    schema_id = None if found["id"] is None else int(found["id"])
    if schema_id is not None and schema_id not in INT32_RANGE:
        return FileName(_decoded(stem))
    return FileName(_decoded(found["subject"]), int(found["version"] or 1), schema_id)


def name_of(subject: str, version: int, schema_id: int | None, kind: str) -> str:
    """The name of a schema's file, safe in every file system; a very long subject is cut.

    Args:
        subject: the subject, with its context.
        version: the version.
        schema_id: the id, or None.
        kind: "AVRO", "PROTOBUF", "JSON", or another type.
    """
    encoded = quote(subject, safe="", errors="surrogatepass")
    if encoded.startswith("."):
        encoded = f"%2E{encoded[1:]}"
    numbers = f".v{version}" + (f".id{schema_id}" if schema_id is not None else "")
    return f"{encoded[:_MOST_BYTES]}{numbers}{_SUFFIX_OF.get(kind, _OF_OTHERS)}"


def numbered(name: str, number: int) -> str:
    """Another name for a file whose name is taken."""
    stem, dot, suffix = name.rpartition(".")
    return f"{stem}~{number}{dot}{suffix}"


def _decoded(name: str) -> str:
    return unquote(name, errors="surrogatepass")
