"""URIs of remote file systems: what is one, and how it is shown: without access keys and options."""

import re
from dataclasses import dataclass

from kafkafmt.errors import SourceError

_SCHEME = re.compile(r"([A-Za-z0-9.+-]{2,}):/", re.ASCII)
_AUTHORITY = re.compile(r"[^/?#]*")


@dataclass(frozen=True)
class Uri:
    """The parts of a URI.

    Attributes:
        scheme: in lower case.
        user: what stands before an `@` and its `:`, still escaped; "" if there is none.
        secret: what stands between that `:` and the `@`.
        host: the rest up to the path; a bucket for object stores.
        path: still escaped, "" or beginning with `/`.
        options: what follows the `?`.
    """

    scheme: str
    user: str
    secret: str
    host: str
    path: str
    options: str

    @property
    def root(self) -> str:
        """The URI up to the path, fit to be shown: a user only where it is Azure's container or account."""
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
        SourceError: it holds a `#`, which would cut off the rest of the path.
    """
    scheme, _, rest = uri.partition("://")
    scheme = scheme.lower()
    authority = _AUTHORITY.match(rest)[0]  # type: ignore[index]  # matches anything
    if scheme in ("s3", "gs", "gcs") and ":" in authority and "@" not in authority and "@" in rest:
        # A secret with a "/" that was not escaped: pyarrow will refuse it, but nobody must see it.
        authority = rest.rpartition("@")[0] + "@"
    path, _, options = rest[len(authority) :].partition("?")
    login, _, host = authority.rpartition("@")
    user, _, secret = login.partition(":")
    parsed = Uri(scheme, user, secret, host, path, options)
    if "#" in path:
        raise SourceError("a # in a URI must be written as %23", file=parsed.root + path)
    return parsed


def shown(source: str) -> str:
    """A source as names and errors show it: a URI without its access keys and options, a path as it is."""
    if scheme_of(source) in (None, "file"):
        return source
    parsed = parse(source.replace("#", "%23"))
    return parsed.root + parsed.path
