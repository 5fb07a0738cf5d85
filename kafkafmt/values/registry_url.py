"""The schemas of a running registry, read through its REST API: Confluent's, or one with the same API.

Answers are bounded in size, number and time. A login comes from the URL or from the environment, and is neither shown
nor sent to another host.
"""

import base64
import http.client
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import IO, Any, Final
from urllib.parse import quote, unquote, urlsplit

from kafkafmt.errors import CorruptError, LimitExceededError, SourceError
from kafkafmt.io.uri import shown
from kafkafmt.phrases import counted, listed
from kafkafmt.values.registry import Schemas
from kafkafmt.values.registry_settings import AskedSettings
from kafkafmt.values.schema_rows import number_of, schema_of, text_of
from kafkafmt.values.stored_schema import DEFAULT_CONTEXT, StoredSchema

LOGIN: Final = "SCHEMA_REGISTRY_BASIC_AUTH_USER_INFO"
"""Environment variable with "user:password", as in Confluent's tools."""

_TYPES: Final = "application/vnd.schemaregistry.v1+json, application/json"
_SECONDS: Final = 10.0
_SECONDS_OF_ALL: Final = 300.0
_MOST_BYTES: Final = 64 * 1024 * 1024
_MOST_BYTES_OF_ALL: Final = 512 * 1024 * 1024
_MOST_SCHEMAS: Final = 500_000
_MOST_REQUESTS: Final = 20_000
_MOST_REDIRECTS: Final = 5
_PAGE: Final = 1000
_MOST_NAMED: Final = 3
_NO_CONTENT: Final = 204
_UNKNOWN: Final = frozenset({404, 405, 501})
_REFUSED: Final = frozenset({401, 403})


@cache
def read_url(url: str) -> Schemas:
    """Read all schemas of a registry, including the soft-deleted ones; once per process.

    Configs and modes, such as the alias of a topic's subject, are requested when they are needed.

    Args:
        url: URL of the registry, as in `https://user:password@registry:8081`.

    Raises:
        SourceError: the registry cannot be reached, or the answer is not that of a registry.
        LimitExceededError: its answers are too large.
    """
    registry = _Registry(url)
    active = {(each["subject"], each["version"]) for each in registry.schemas(deleted=False)}
    found = []
    for each in registry.schemas(deleted=True):
        state = "active" if (each["subject"], each["version"]) in active else "soft-deleted"
        found.append(_schema(each, state, registry.name))
    contexts = {f":{each.context}:" for each in found if each.context != DEFAULT_CONTEXT}
    names = (None, *sorted(contexts), *dict.fromkeys(each.subject for each in found))
    configs, modes = AskedSettings(registry.config, names), AskedSettings(registry.mode, names)
    return Schemas(tuple(found), configs, modes, notes=tuple(registry.notes()))


def _schema(answer: Mapping[str, Any], state: str, registry: str) -> StoredSchema:
    try:
        row = {**answer, "schemaId": number_of(answer, "id"), "type": answer.get("schemaType"), "state": state}
        return schema_of(row, text_of(answer, "schema"))
    except CorruptError as error:
        raise SourceError(f"is not an answer of a schema registry: {error.message}", file=registry) from error


class _Registry:
    """A client of a registry.

    Attributes:
        name: the registry's URL as it may be shown.
    """

    def __init__(self, url: str) -> None:
        self.name = shown(url)
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise SourceError("is not a URL", file=self.name) from error
        if not host:
            raise SourceError("is not a URL: it has no host", file=self.name)
        place = f"[{host}]" if ":" in host else host
        self._base = f"{parts.scheme}://{place}{f':{port}' if port else ''}{parts.path.rstrip('/')}"
        login = (
            f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else os.environ.get(LOGIN)
        )
        self._headers = {"Accept": _TYPES, "User-Agent": "kafkafmt"}
        if login:
            self._headers["Authorization"] = f"Basic {base64.b64encode(login.encode()).decode()}"
        self._opener = urllib.request.build_opener(_Redirects)
        self._end = time.monotonic() + _SECONDS_OF_ALL
        self._requests = 0
        self._bytes_read = 0
        self._missing: dict[str, None] = {}
        self._most_subjects = 0

    def schemas(self, *, deleted: bool) -> Iterator[dict[str, Any]]:
        """All versions of all subjects in every context, with or without the deleted ones."""
        seen: set[tuple[str, int]] = set()
        while True:
            path = f"/schemas?deleted={str(deleted).lower()}&offset={len(seen)}&limit={_PAGE}"
            page = self.optional(path)
            if page is None or _lacks_subjects(page):
                if seen:
                    return
                yield from self._by_subject(deleted=deleted)
                return
            # A registry without paging returns the same full list for each page.
            fresh = [each for each in self._listed(page) if (each["subject"], each["version"]) not in seen]
            seen.update((each["subject"], each["version"]) for each in fresh)
            yield from fresh
            if not fresh:
                return
            if len(seen) > _MOST_SCHEMAS:
                raise LimitExceededError("too many schemas", file=self.name, expected=f"at most {_MOST_SCHEMAS:,}")

    def _by_subject(self, *, deleted: bool) -> Iterator[dict[str, Any]]:
        """The same from a registry that cannot list all schemas; without deleted ones only subjects and versions."""
        flag = f"?deleted={str(deleted).lower()}"
        seen: set[tuple[str, int]] = set()
        for subject in self._subjects(flag):
            path = f"/subjects/{quote(subject, safe='')}/versions"
            # A subject without versions: all were deleted since it was listed.
            for version in self._list(path + flag, int) or ():
                if not deleted:
                    yield {"subject": subject, "version": version}
                    continue
                found = self.optional(f"{path}/{version}{flag}")
                if found is None:
                    self._missing[f"{subject} version {version}"] = None
                    continue
                for each in self._listed([found]):
                    # Asked for an alias, the registry answers with the schemas of the other subject.
                    if (place := (each["subject"], each["version"])) not in seen:
                        seen.add(place)
                        yield each

    def _subjects(self, flag: str) -> Iterator[str]:
        seen: set[str] = set()
        while True:
            path = f"/subjects{flag}&offset={len(seen)}&limit={_PAGE}"
            page = self._list(path, str)
            if page is None:
                raise SourceError(f"is not a schema registry: GET {path} is not known", file=self.name)
            fresh = [each for each in page if each not in seen]
            if not fresh:
                # The same page again: a registry without paging, which may list no more than this.
                self._most_subjects = len(page) if len(page) == _PAGE else 0
                return
            seen.update(fresh)
            yield from fresh

    def notes(self) -> Iterator[str]:
        """Notes on schemas that the registry lists but does not give."""
        if self._missing:
            named = listed([*self._missing], _MOST_NAMED)
            count = counted(len(self._missing), "schema")
            yield (
                f"{self.name} lists {count} that it does not return, as Apicurio Registry does if all versions of a "
                f"subject are deleted: {named}"
            )
        if self._most_subjects:
            yield f"{self.name} lists {self._most_subjects:,} subjects, and may have more"

    def _list(self, path: str, kind: type) -> list[Any] | None:
        answer = self.optional(path)
        if answer is None:
            return None
        if not isinstance(answer, list) or not all(type(each) is kind for each in answer):
            raise SourceError(f"is not an answer of a schema registry: GET {path}", file=self.name)
        return answer

    def _listed(self, page: object) -> Iterable[dict[str, Any]]:
        if not isinstance(page, list):
            raise SourceError("is not an answer of a schema registry: not a list of schemas", file=self.name)
        for each in page:
            if not isinstance(each, dict):
                raise SourceError("is not an answer of a schema registry: not a schema", file=self.name)
            try:
                text_of(each, "subject"), number_of(each, "version")
            except CorruptError as error:
                raise SourceError(f"is not an answer of a schema registry: {error.message}", file=self.name) from error
        return page

    def config(self, name: str | None) -> Mapping[str, Any] | None:
        """The config of a subject, of a context (":.east:") or, for None, of the registry; None if it has none.

        Raises:
            SourceError, LimitExceededError: as for `read_url`.
        """
        found = self._setting("config", name)
        return found if isinstance(found, dict) else None

    def mode(self, name: str | None) -> str | None:
        """The mode of a subject, of a context or of the registry; None if it has none of its own.

        Raises:
            SourceError, LimitExceededError: as for `read_url`.
        """
        found = self._setting("mode", name)
        mode = found.get("mode") if isinstance(found, dict) else None
        return mode if isinstance(mode, str) else None

    def _setting(self, kind: str, name: str | None) -> object:
        # Its own time limit, as it may be requested long after the schemas.
        self._end = max(self._end, time.monotonic() + _SECONDS)
        return self.optional(f"/{kind}" if name is None else f"/{kind}/{quote(name, safe='')}")

    def optional(self, path: str) -> object:
        """The answer to a request; None if the registry does not know the path, or answers without content."""
        self._requests += 1
        left = self._end - time.monotonic()
        if left <= 0 or self._requests > _MOST_REQUESTS:
            text = f"at most {_MOST_REQUESTS:,} requests in {_SECONDS_OF_ALL:.0f} s"
            raise LimitExceededError("the registry has too many schemas to ask for", file=self.name, expected=text)
        request = urllib.request.Request(self._base + path, headers=self._headers)  # noqa: S310 - http or https
        try:
            with self._opener.open(request, timeout=min(_SECONDS, left)) as stream:
                status, data = stream.status, self._bytes(stream)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code in _UNKNOWN:
                return None
            advice = f"; give user and password in the URL, or in {LOGIN}" if error.code in _REFUSED else ""
            raise SourceError(f"answers GET {path} with {error.code} {error.reason}{advice}", file=self.name) from error
        except urllib.error.URLError as error:
            raise SourceError(f"cannot be reached: {_reason(error)}", file=self.name) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise SourceError(f"cannot be read: {_reason(error)}", file=self.name) from error
        if status == _NO_CONTENT:
            return None
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise SourceError(
                f"is not a schema registry: the answer to GET {path} is not JSON", file=self.name
            ) from error

    def _bytes(self, stream: IO[bytes]) -> bytes:
        data = bytearray()
        while chunk := stream.read(1024 * 1024):
            data += chunk
            self._bytes_read += len(chunk)
            most = min(_MOST_BYTES, _MOST_BYTES_OF_ALL - self._bytes_read + len(data))
            if len(data) > most:
                text = f"at most {_MOST_BYTES:,} bytes, and {_MOST_BYTES_OF_ALL:,} of all answers"
                raise LimitExceededError("an answer of the registry is too large", file=self.name, expected=text)
            if time.monotonic() > self._end:
                raise SourceError(f"cannot be read: it took more than {_SECONDS_OF_ALL:.0f} s", file=self.name)
        return bytes(data)


def _lacks_subjects(page: object) -> bool:
    """Whether schemas are listed without their subjects, as by Apicurio's registry."""
    return isinstance(page, list) and any(isinstance(each, dict) and "subject" not in each for each in page)


def _reason(error: Exception) -> str:
    reason = getattr(error, "reason", None) or error
    return str(getattr(reason, "strerror", None) or reason or type(error).__name__)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a few redirects; a login is not sent to another host, and never from https to http."""

    max_redirections = _MOST_REDIRECTS

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        if urlsplit(newurl).scheme not in ("http", "https"):
            raise urllib.error.HTTPError(req.full_url, code, "redirects to something other than HTTP", headers, None)
        following = super().redirect_request(req, fp, code, msg, headers, newurl)
        if following is not None:
            before, after = urlsplit(req.full_url), urlsplit(following.full_url)
            if (before.scheme, before.hostname, before.port) != (after.scheme, after.hostname, after.port):
                following.remove_header("Authorization")
        return following
