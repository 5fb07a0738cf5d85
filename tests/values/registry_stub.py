"""An in-memory schema registry over HTTP: it serves kafkafmt's requests and those of an import.

The rules are those of `KafkaSchemaRegistry` (`register`, `checkRegisterMode`, `setMode`, `deleteSchemaVersion`) and of
its REST resources: an id needs mode IMPORT, references must exist, referenced versions cannot be deleted, mode IMPORT
needs an empty context, and an alias in a path means its subject (`AliasFilter`).
"""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

Answer = tuple[int, Any]
_PAGE = 1000


def context_of(subject: str | None) -> str:
    if subject is None or not subject.startswith(":."):
        return "."
    return subject[1:].partition(":")[0]


def in_context_of(subject: str, parent: str) -> str:
    """Qualify a name without a context with that of its parent (`QualifiedSubject.qualifySubjectWithParent`)."""
    context = context_of(parent)
    return subject if context == "." or subject.startswith(":.") else f":{context}:{subject}"


@dataclass
class Registry:
    """The state of a registry.

    Attributes:
        versions: registered schemas by subject and version, in order.
        has_list: whether it has `GET /schemas`, as Confluent's registry since 5.5.
        has_pages: whether it knows `offset` and `limit`.
        lists_subjects: whether that list has subjects, versions and ids; Apicurio's does not.
        gives_deleted: whether it gives the versions of subjects that have only deleted ones: Apicurio's does not.
        most_subjects: maximum number of subjects listed at once.
        login: "user:password" required for each request.
        requests: the requested paths with their Authorization headers.
    """

    versions: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    configs: dict[str | None, dict[str, Any]] = field(default_factory=dict)
    modes: dict[str | None, str] = field(default_factory=dict)
    has_list: bool = True
    has_pages: bool = True
    lists_subjects: bool = True
    gives_deleted: bool = True
    most_subjects: int | None = None
    login: str | None = None
    requests: list[tuple[str, str | None]] = field(default_factory=list)

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: Any) -> Answer:
        parts = [unquote(part) for part in path.strip("/").split("/")]
        if parts[0] == "subjects" and len(parts) > 1:
            parts[1] = self.aliased(parts[1])
        deleted = query.get("deleted", ["false"])[0] == "true"
        match method, parts:
            case "GET", ["schemas"] if self.has_list:
                found = [self._shown(each) for each in self._listed(deleted=deleted)]
                if not self.lists_subjects:
                    found = [{"schema": each["schema"]} for each in found]
                begin, limit = int(query.get("offset", ["0"])[0]), int(query.get("limit", [_PAGE])[0])
                return 200, found[begin : begin + limit] if self.has_pages else found
            case "GET", ["subjects"]:
                subjects = list(dict.fromkeys(each["subject"] for each in self._listed(deleted=deleted)))
                begin = int(query.get("offset", ["0"])[0]) if self.has_pages else 0
                return 200, subjects[begin : begin + (self.most_subjects or len(subjects))]
            case "GET", ["subjects", subject, "versions"]:
                found = [each["version"] for each in self._listed(deleted=deleted) if each["subject"] == subject]
                return (200, found) if found else (404, {"error_code": 40401})
            case "GET", ["subjects", subject, "versions", version]:
                if not self.gives_deleted and all(each["subject"] != subject for each in self._listed(deleted=False)):
                    return 404, {"error_code": 40401}
                return 200, self._shown(self.versions[subject, int(version)])
            case "POST", ["subjects", subject, "versions"]:
                return self._register(subject, body)
            case "DELETE", ["subjects", subject, "versions", version]:
                return self._delete(subject, int(version))
            case _, ["config" | "mode" as kind, *rest] if len(rest) < 2:
                subject_or_context = rest[0] if rest else None
                return self._setting(method, kind, subject_or_context, body, forced="force" in query)
        return 404, {"error_code": 404}

    def aliased(self, subject: str) -> str:
        alias = (self.configs.get(subject) or {}).get("alias")
        return in_context_of(alias, subject) if alias else subject

    def mode_of(self, subject: str | None) -> str:
        context = context_of(subject)
        fallback = None if context == "." else f":{context}:"
        return self.modes.get(subject) or self.modes.get(fallback) or "READWRITE"

    def _listed(self, *, deleted: bool) -> list[dict[str, Any]]:
        return [each for each in self.versions.values() if deleted or not each["deleted"]]

    @staticmethod
    def _shown(each: dict[str, Any]) -> dict[str, Any]:
        """A schema as the registry shows it: without Avro's type and null fields."""
        shown = {name: value for name, value in each.items() if value is not None and name != "deleted"}
        if each["schemaType"] == "AVRO":
            del shown["schemaType"]
        return shown

    def _register(self, subject: str, body: dict[str, Any]) -> Answer:
        wanted, version = body.get("id", -1), body.get("version", 0)
        if self.mode_of(subject) != ("IMPORT" if wanted >= 0 else "READWRITE"):
            return 422, {"error_code": 42205, "message": f"Subject {subject} is not in import mode"}
        for each in body.get("references", ()):
            if (in_context_of(each["subject"], subject), each["version"]) not in self.versions:
                return 422, {"error_code": 42201, "message": "No schema reference found"}
        text = (body["schema"], body.get("references"))
        for (other, _), known in self.versions.items():
            same = known["id"] == wanted and context_of(other) == context_of(subject)
            if same and (known["schema"], known.get("references")) != text:
                return 422, {"error_code": 42207, "message": f"Overwrite new schema with id {wanted}"}
        self.versions[subject, version] = {
            "subject": subject,
            "version": version,
            "id": wanted,
            "schemaType": body.get("schemaType", "AVRO"),
            "references": body.get("references"),
            "metadata": body.get("metadata"),
            "ruleSet": body.get("ruleSet"),
            "schema": body["schema"],
            "deleted": False,
        }
        return 200, {"id": wanted}

    def _delete(self, subject: str, version: int) -> Answer:
        for each in self._listed(deleted=False):
            needed = [
                (in_context_of(one["subject"], each["subject"]), one["version"]) for one in each["references"] or ()
            ]
            if (subject, version) in needed:
                return 422, {"error_code": 42206, "message": "One or more references exist to the schema"}
        if self.versions[subject, version]["deleted"]:
            return 404, {"error_code": 40406}
        self.versions[subject, version]["deleted"] = True
        return 200, version

    def _setting(self, method: str, kind: str, subject: str | None, body: Any, *, forced: bool) -> Answer:
        if method == "GET":
            if kind == "mode":
                is_set = subject is None or subject in self.modes
                return (200, {"mode": self.mode_of(subject)}) if is_set else (404, {"error_code": 40409})
            found = self.configs.get(subject)
            return (200, found) if found or subject is None else (404, {"error_code": 40408})
        if kind == "config":
            if self.mode_of(subject) == "READONLY":
                return 422, {"error_code": 42205}
            config = dict(body)
            if "compatibility" in config:
                config["compatibilityLevel"] = config.pop("compatibility")
            self.configs[subject] = config
            return 200, body
        if body["mode"] == "IMPORT" and self.mode_of(subject) != "IMPORT" and not forced:
            of_context = subject is None or subject.endswith(":")
            mine = [
                each
                for each in self._listed(deleted=False)
                if each["subject"] == subject or (of_context and context_of(each["subject"]) == context_of(subject))
            ]
            if mine:
                return 422, {"error_code": 42205, "message": "Cannot import since found existing subjects"}
        self.modes[subject] = body["mode"]
        return 200, body


@contextmanager
def served(registry: Registry) -> Iterator[str]:
    """Serve a registry on a local port; yield its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            registry.requests.append((parts.path, self.headers.get("Authorization")))
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            status, answer = 401, {"error_code": 401}
            expected = None if registry.login is None else base64.b64encode(registry.login.encode()).decode()
            if expected is None or self.headers.get("Authorization") == f"Basic {expected}":
                status, answer = registry.answer(self.command, parts.path, parse_qs(parts.query), body)
            self.reply(status, json.dumps(answer).encode())

        def do_POST(self) -> None:
            self.do_GET()

        def do_PUT(self) -> None:
            self.do_GET()

        def do_DELETE(self) -> None:
            self.do_GET()

        def reply(self, status: int, data: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    with serving(Handler) as url:
        yield url


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Serve requests with a handler; yield the URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
