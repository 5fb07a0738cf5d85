"""URIs of remote file systems: how to recognise them, and how to show them without access keys and options.

A malformed URI may contain access keys anywhere, so only its scheme is shown.
"""

import os
import re
from dataclasses import dataclass

from kafkafmt.errors import SourceError

_SCHEME = re.compile(r"([A-Za-z0-9.+-]{2,}):/", re.ASCII)
_AUTHORITY = re.compile(r"[^/?#]*")
_HOST = re.compile(r"[^:@]*(?::[0-9]*)?|\[[^\]]*\](?::[0-9]*)?|\[")
_OPTION = re.compile(
    r"(?:secret|token|password|signature|credential|access[^/=]?key|account[^/=]?key)[^/=&?]*=", re.IGNORECASE
)
# Also after quotes, and with escapes where they do not belong.
_LIKE_A_URI = re.compile(
    r"[\s'\"<]*(?P<scheme>s3[an]?|gc?s|abfss?|wasbs?|adls?|hdfs|viewfs|https?|oss)(?:\s*:|[^\w\s].*:.*@)", re.IGNORECASE
)
_LIKE_A_LOGIN = re.compile(r"[\s'\"<]*(?:(?P<scheme>[a-z][a-z0-9+.-]*):/+)?[^/@:]+:[^/@]*@", re.IGNORECASE)

HIDDEN = "..."
"""Shown in place of text that may contain access keys."""


@dataclass(frozen=True)
class Uri:
    """The parts of a URI.

    Attributes:
        scheme: scheme in lower case.
        user: the part before the `@`, up to a `:`, still escaped; "" if there is none.
        secret: the part between that `:` and the `@`.
        host: the rest up to the path; a bucket for object stores.
        path: path, still escaped; "" or beginning with `/`.
        options: the part after the `?`.
    """

    scheme: str
    user: str
    secret: str
    host: str
    path: str
    options: str

    @property
    def root(self) -> str:
        """The URI up to the path, fit to be shown: with a user only if that is Azure's container or account."""
        user = f"{self.user}@" if self.user and self.scheme in ("abfs", "abfss") else ""
        return f"{self.scheme}://{user}{self.host}"


def scheme_of(source: str) -> str | None:
    """The scheme of a URI, in lower case; None for a path. `c:/x` and `ab:/x` are paths, `file:/x` is a URI."""
    match = _SCHEME.match(source)
    if match is None:
        return None
    scheme = match[1].lower()
    return scheme if scheme == "file" or source.startswith("/", match.end()) else None


def parse(uri: str) -> Uri:
    """Split a URI of a remote file system.

    Raises:
        SourceError: the URI contains a `#`, which would cut off the rest of the path.
    """
    scheme, _, rest = uri.partition("://")
    scheme = scheme.lower()
    if not is_well_formed(uri):
        return Uri(scheme, "", "", HIDDEN, "", "")
    authority = _AUTHORITY.match(rest)[0]  # type: ignore[index]  # matches anything
    if scheme in ("s3", "gs", "gcs") and ":" in authority and "@" not in authority and "@" in rest:
        # A secret with an unescaped "/": pyarrow will refuse the URI, but the secret must not be shown.
        authority = rest.rpartition("@")[0] + "@"
    path, _, options = rest[len(authority) :].partition("?")
    login, _, host = authority.rpartition("@")
    user, _, secret = login.partition(":")
    parsed = Uri(scheme, user, secret, host, path, options)
    if "#" in path:
        raise SourceError("a # in a URI must be written as %23", file=parsed.root + path)
    return parsed


def is_well_formed(uri: str) -> bool:
    """Whether a URI has its parts where they belong, so that its access keys can be found."""
    scheme, _, rest = uri.partition("://")
    authority = _AUTHORITY.match(rest)[0]  # type: ignore[index]  # matches anything
    path = rest[len(authority) :].partition("?")[0]
    is_bucket = scheme.lower() in ("s3", "s3a", "s3n", "gs", "gcs")
    if is_bucket and "@" in rest and ("@" in authority or ":" in authority):
        # Everything before the last @ is the login, even if a / in it is not escaped.
        return _OPTION.search(rest.rpartition("@")[2].partition("?")[0]) is None
    if _HOST.fullmatch(authority.rpartition("@")[2]) is None or "%40" in authority:
        return False
    if not authority and (":" in path or "@" in path):
        return False
    return _OPTION.search(path) is None


def unquoted(text: str) -> str:
    """A text with its `%xx` decoded; bytes that are not UTF-8 become surrogate escapes, as in file names."""
    if "%" not in text:
        return text
    from urllib.parse import unquote  # noqa: PLC0415 - few texts are quoted

    return unquote(text, errors="surrogateescape")


def misspelt_scheme(source: str) -> str | None:
    """The scheme, "" if it has none, of a malformed URI with access keys; None for a URI or a path.

    If a file with this name exists on this machine, it is a path, whatever it looks like.
    """
    if scheme_of(source) is not None:
        return None
    text = unquoted(unquoted(source))
    match = _LIKE_A_URI.match(text) or _LIKE_A_LOGIN.match(text)
    return None if match is None or os.path.lexists(source) else (match["scheme"] or "").lower()


def names_no_file(uri: str) -> bool:
    """Whether a `file://` URI has a login in place of its host or path; a path that exists is not a login."""
    path = unquoted(uri)
    host = path.partition("://")[2].partition("/")[0]
    if "@" in host or ":" in host:
        return True
    return _LIKE_A_LOGIN.match(path) is not None and not os.path.lexists("/" + path.partition(":")[2].lstrip("/"))


def shown(source: str) -> str:
    """A source in the form for names and errors: a URI without access keys and options, a path unchanged."""
    misspelt = misspelt_scheme(source)
    if misspelt is not None:
        return f"{misspelt}:{HIDDEN}" if misspelt else HIDDEN
    scheme = scheme_of(source)
    if scheme == "file" and names_no_file(source):
        return f"file:{HIDDEN}"
    if scheme in (None, "file"):
        return source
    parsed = parse(source.replace("#", "%23"))
    return parsed.root + parsed.path
