"""The proof "registry": after an import of `kafkafmt schemas --out`, Apicurio Registry has the schemas of the disk."""

import argparse
import gzip
import json
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import environment
import proof_frame
from proof_frame import DIFFERS
from registry_proof.server import Server, unpack

GOLDEN = environment.ROOT / "tests" / "golden" / "values"
SHOP = environment.ROOT / "docs" / "examples" / "typed" / "log-dir"
ARCHIVE, REQUESTS = "import.apicurio.zip", "import.jsonl"

DISKS = {
    "shop": ("page-views", "payments"),
    "avro": ("orders", "purchases"),
    "protobuf": ("proto-imports", "proto-orders"),
    "json-schema": ("invoices", "json-references"),
    "framings": ("fx.confluent-headers",),
    "registry": ("crm.latest-off", "crm.one"),
    "damaged": (),
}
"""The disks, with topics whose values are decoded."""

FINDINGS = 1
"""Exit status of kafkafmt if values do not decode."""

ERROR = 400

_NOT_BY_ID = "Failed to discover artifact type"
"""The answer of version 3.0 to requests for some schemas by id."""

Versions = dict[tuple[str, int], "Version"]


@dataclass(frozen=True)
class Version:
    """A version of a subject, as a registry returns it.

    Attributes:
        schema_id: id of the schema.
        type: type of the schema.
        text: text of the schema, parsed if it is JSON.
        references: name, subject and version of each reference.
        is_deleted: whether the version is soft-deleted.
    """

    schema_id: int
    type: str
    text: object
    references: tuple[tuple[str, str, int], ...]
    is_deleted: bool


def main(arguments: list[str]) -> int:
    """Run the proof; returns the exit status."""

    def prove(options: argparse.Namespace, home: Path) -> int:
        server = unpack(home / "server")
        differences = [text for disk in options.disk or DISKS for text in _disk(disk, home / disk, server)]
        for text in differences:
            print(text)
        return DIFFERS if differences else 0

    return proof_frame.run(arguments, prove)


def _disk(name: str, home: Path, unpacked: Path) -> Iterator[str]:
    home.mkdir()
    log_dir = SHOP if name == "shop" else _golden_log_dir(name, home)
    _kafkafmt("schemas", log_dir, "--out", home / "out")
    wanted = _wanted(_rows(_kafkafmt("schemas", log_dir, "-o", "jsonl")) if name == "shop" else _golden_rows(name))
    with Server(unpacked, home / "server.log") as server:
        server.take(home / "out" / ARCHIVE)
        print(f"{name}: {len(wanted)} versions imported by Apicurio Registry {server.version}", flush=True)
        yield from (f"{name}, {text}" for text in _answers(server, wanted))
        yield from (f"{name}, {text}" for text in _read(server, wanted))
        for topic in DISKS[name]:
            yield from (f"{name}, {text}" for text in _decoded(server, log_dir, topic))
        if name == "shop":
            yield from _registered(server, wanted)
    if name == "registry":
        with Server(unpacked, home / "requests.log") as server:
            _send_requests(server, home / "out" / REQUESTS, wanted)


def _golden_log_dir(name: str, home: Path) -> Path:
    with tarfile.open(GOLDEN / name / "log-dir.tar.gz") as packed:
        packed.extractall(home, filter="data")
    return home / "log-dir"


def _golden_rows(name: str) -> list[dict[str, Any]]:
    """The answers of Confluent's registry before its disk was copied."""
    plain = GOLDEN / name / "expected" / "schemas.jsonl"
    return _rows(
        plain.read_text("utf-8") if plain.exists() else gzip.open(f"{plain}.gz", "rt", encoding="utf-8").read()
    )


def _rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def _wanted(rows: list[dict[str, Any]]) -> Versions:
    """The versions that a registry without contexts can have: those of other contexts only if their ids are free."""
    texts: dict[int, str] = {}
    found: Versions = {}
    for row in sorted(rows, key=lambda row: row["subject"].startswith(":.")):
        is_registered = row["state"] in ("active", "soft-deleted") and not row.get("isSuperseded")
        if is_registered and row["schemaId"] >= 0 and texts.setdefault(row["schemaId"], row["schema"]) == row["schema"]:
            version = _version(row, row["schemaId"], row["type"], is_deleted=row["state"] == "soft-deleted")
            found[row["subject"], row["version"]] = version
    return found


def _version(row: dict[str, Any], schema_id: int, kind: str, *, is_deleted: bool) -> Version:
    references = tuple((each["name"], each["subject"], each["version"]) for each in row.get("references") or ())
    return Version(schema_id, kind, _parsed(row["schema"]), references, is_deleted)


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _gone(wanted: Versions) -> set[tuple[str, int]]:
    """Versions of subjects with only deleted versions: the registry lists them, but answers with 404."""
    alive = {subject for (subject, _), each in wanted.items() if not each.is_deleted}
    return {place for place in wanted if place[0] not in alive}


def _answers(server: Server, wanted: Versions) -> Iterator[str]:
    """Differences between the imported versions and the answers of the Confluent API."""
    gone = _gone(wanted)
    for deleted in (False, True):
        flag = f"?deleted={str(deleted).lower()}"
        listed = {place for place, each in wanted.items() if deleted or not each.is_deleted}
        subjects = sorted({subject for subject, _ in listed})
        if sorted(server.get("subjects", query=flag)) != subjects:
            yield f"GET /subjects{flag}: not {', '.join(subjects)}"
        for subject in subjects:
            versions = sorted(version for name, version in listed if name == subject)
            if (answer := server.get("subjects", subject, "versions", query=flag)) != versions:
                yield f"{subject}{flag}: versions {versions}, found {answer}"
    for (subject, version), expected in wanted.items():
        answer = server.get("subjects", subject, "versions", version, query="?deleted=true")
        found = answer and _version(
            answer, answer["id"], answer.get("schemaType", "AVRO"), is_deleted=expected.is_deleted
        )
        if found != (None if (subject, version) in gone else expected):
            yield f"{subject} version {version}: expected {expected}, found {found}"
        status, answer = server.request("GET", f"/schemas/ids/{expected.schema_id}")
        if status < ERROR:
            if (_parsed(answer["schema"]), answer.get("schemaType", "AVRO")) != (expected.text, expected.type):
                yield f"id {expected.schema_id}: expected {expected.text}, found {answer}"
        elif not answer["message"].startswith(_NOT_BY_ID):
            yield f"id {expected.schema_id}: {status} {answer}"
        users = server.get("schemas", "ids", expected.schema_id, "versions", query="?deleted=true")
        if {"subject": subject, "version": version} not in users:
            yield f"id {expected.schema_id}: not of {subject} version {version}, but {users}"


def _read(server: Server, wanted: Versions) -> Iterator[str]:
    """Differences between the imported versions and those that `kafkafmt schemas URL` reads."""
    found = {
        (row["subject"], row["version"]): _version(
            row, row["schemaId"], row["type"], is_deleted=row["state"] == "soft-deleted"
        )
        for row in _rows(_kafkafmt("schemas", server.url, "-o", "jsonl"))
    }
    gone = _gone(wanted)
    expected = {place: each for place, each in wanted.items() if place not in gone}
    for place in sorted(expected.keys() | found.keys()):
        if expected.get(place) != found.get(place):
            yield f"kafkafmt schemas, {place}: expected {expected.get(place)}, found {found.get(place)}"
    subjects = {row["subject"] for row in _rows(_kafkafmt("schemas", server.url, "--show", "subjects", "-o", "jsonl"))}
    if subjects != {subject for subject, _ in expected}:
        yield f"kafkafmt schemas --show subjects: {sorted(subjects)}"


def _decoded(server: Server, log_dir: Path, topic: str) -> Iterator[str]:
    """Differences between values decoded with the schemas of the disk and with those of the registry."""
    command = ("cat", log_dir, "--topic", topic, "--value-format", "auto", "--on-damage", "skip", "-o", "jsonl")
    disk, registry = _rows(_kafkafmt(*command)), _rows(_kafkafmt(*command, "--schemas", server.url))
    print(f"  {topic}: {len(disk):,} records decoded", flush=True)
    if not disk or disk != registry:
        yield f"{topic}: the values are not the same"


def _registered(server: Server, wanted: Versions) -> Iterator[str]:
    """Differences from the expected answers to registering an existing schema and a new one."""
    subject, version = max(place for place, each in wanted.items() if each.type == "AVRO")
    same, last = wanted[subject, version], max(each.schema_id for each in wanted.values())
    for text, expected in ((same.text, same.schema_id), ("long", last + 1)):
        body = {"schemaType": same.type, "schema": json.dumps(text, separators=(",", ":"))}
        answer = server.request("POST", f"/subjects/{subject}/versions", body)
        if answer != (200, {"id": expected}):
            yield f"{subject}, {text}: registered as {answer}, expected the id {expected}"
    if (found := server.get("subjects", subject, "versions")) != [version, version + 1]:
        yield f"{subject}: versions {found}"


def _send_requests(server: Server, file: Path, wanted: Versions) -> None:
    """Send the requests that are meant for Confluent's registry, and print what this registry keeps of them."""
    refused = []
    for request in _rows(file.read_text("utf-8")):
        status, _ = server.request(request["method"], request["path"], request["body"])
        if status >= ERROR:
            refused.append(f"{request['method']} {request['path']} ({status})")
    kept = ids = 0
    for (subject, version), expected in wanted.items():
        answer = server.get("subjects", subject, "versions", version, query="?deleted=true")
        if answer and _parsed(answer["schema"]) == expected.text:
            kept += 1
            ids += answer["id"] == expected.schema_id
    print(f"  {file.name}: of {len(wanted)} versions {kept} have their text, and {ids} of these their id")
    print(f"  {file.name}: refused: {', '.join(refused) or 'nothing'}", flush=True)


def _kafkafmt(*arguments: object) -> str:
    command = [sys.executable, "-m", "kafkafmt", *map(str, arguments)]
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    if done.returncode > FINDINGS:
        raise proof_frame.ProofError(f"{' '.join(command[2:])} ends with {done.returncode}:\n{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
