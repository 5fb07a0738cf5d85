"""The schemas of Kafka's requests and responses: APIs, their keys and versions.

`schemas.json` is taken from the jar of kafka-clients 4.4 by `tools/message_specs/make`.
"""

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

Schema = dict[str, Any]
"""A message, structure or field as described by Kafka's JSON schemas."""

# Versions are int16, so this is the last one of a range such as "3+".
_OPEN_END = 0x7FFF


@cache
def messages() -> dict[str, Schema]:
    """All messages by name: "MetadataRequest", "MetadataResponse", "RequestHeader", .."""
    text = files(__package__).joinpath("schemas.json").read_text(encoding="utf-8")
    return {schema["name"]: schema for schema in json.loads(text)}


@cache
def versions(text: str | None) -> range:
    """Parse versions as schemas write them: "2+", "0-4", "3" or "none"."""
    found = re.fullmatch(r"(\d+)(?:(\+)|-(\d+))?", text or "")
    if found is None:
        return range(0)
    first, is_open, last = found.groups()
    return range(int(first), (_OPEN_END if is_open else int(last or first)) + 1)


@cache
def apis() -> dict[int, str]:
    """Names of the APIs by their keys: "Metadata" is 3."""
    return {
        schema["apiKey"]: name.removesuffix("Request")
        for name, schema in messages().items()
        if schema["type"] == "request"
    }


@cache
def api_key(api: str) -> int:
    """The key of an API.

    Raises:
        KeyError: Kafka has no such API.
    """
    key: int = messages()[f"{api}Request"]["apiKey"]
    return key


@cache
def valid_versions(api: str) -> range:
    """The versions of an API that a broker of Kafka 4.4 answers, without an unstable latest one."""
    schema = messages()[f"{api}Request"]
    valid = versions(schema["validVersions"])
    return valid[:-1] if schema.get("latestVersionUnstable") else valid


@cache
def is_flexible(api: str, version: int) -> bool:
    """Whether a version of an API has compact lengths and tagged fields (KIP-482)."""
    return version in versions(messages()[f"{api}Request"]["flexibleVersions"])
