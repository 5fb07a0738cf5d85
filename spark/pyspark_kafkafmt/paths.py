"""Paths of a query: expands wildcards, and finds the directories of each cluster."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote

from kafkafmt.errors import SourceError
from kafkafmt.io.base import Location
from kafkafmt.io.source import locate
from kafkafmt.io.uri import scheme_of, shown
from kafkafmt.logdir.readable import OPENED
from kafkafmt.logdir.sources import Sources

if TYPE_CHECKING:
    from kafkafmt.logdir.sources import Searchable

_LOCAL_WILDCARD: Final = re.compile(r"[*?\[{]")
_URI_WILDCARD: Final = re.compile(r"[*\[{]")
_ALTERNATIVES: Final = re.compile(r"\{([^{}]*)\}")
_UNESCAPED: Final = "!$&'()+,;=:@"
_HADOOP_SCHEMES: Final = {"s3a": "s3", "s3n": "s3"}
_ONE: Final = (str, os.PathLike, Location, *OPENED)


def expand(paths: Iterable[str]) -> list[str]:
    """Replace each path that has wildcards by the paths that match, in order; each is returned once.

    `*`, `?` (not in a URI), `[a-c]`, `[!a]` and `{a,b}` mean the same as in a shell, but also match a leading dot or
    underscore. A path that exists as it is written stands for itself, whatever is in it.

    Args:
        paths: paths or URIs; of Hadoop's schemes, `s3a` is read as `s3`.

    Raises:
        SourceError: a path matches nothing, or cannot be listed.
    """
    found: dict[str, None] = {}
    for path in paths:
        found.update(dict.fromkeys(_expand(plain_scheme(path))))
    return list(found)


def _expand(path: str) -> list[str]:
    is_uri = scheme_of(path) not in (None, "file")
    if scheme_of(path) == "file":
        path = str(locate(path))
    # In a URI, a question mark begins the options.
    base, mark, options = path.partition("?") if is_uri else (path, "", "")
    wildcard = _URI_WILDCARD if is_uri else _LOCAL_WILDCARD
    if wildcard.search(base) is None or _exists(path):
        return [path]
    matches: dict[str, None] = {}
    for each in _alternatives(base):
        first = wildcard.search(each)
        known = each if first is None else each[: first.start()]
        root = known if first is None else known[: known.rfind("/") + 1]
        names = [] if first is None else each[len(root) :].rstrip("/").split("/")
        matches.update(dict.fromkeys(_Walk(mark + options, wildcard, is_uri=is_uri).matches(root, names)))
    if not matches:
        raise SourceError("nothing matches this path", file=shown(path))
    return [match + mark + options for match in sorted(matches)]


@dataclass(frozen=True)
class _Walk:
    """Looks up names: `options` of a URI are appended to each path, and escapes in names are decoded."""

    options: str
    wildcard: re.Pattern[str]
    is_uri: bool

    def matches(self, root: str, names: list[str]) -> Iterator[str]:
        """Existing paths below a root ("" or with a slash at its end) in which each name matches its pattern."""
        if not names:
            if _exists(root + self.options):
                yield root
            return
        name, *below = names
        if self.wildcard.search(name) is None:
            yield from self.matches(f"{root}{name}{'/' if below else ''}", below)
            return
        directory = locate((root or "./") + self.options)
        if not directory.is_directory():
            return
        matching = _regex(unquote(name) if self.is_uri else name)
        for entry in directory.list():
            if matching.fullmatch(entry.name) is None:
                continue
            path = root + (quote(entry.name, safe=_UNESCAPED, errors="surrogateescape") if self.is_uri else entry.name)
            if not below:
                yield path
            elif entry.is_directory:
                yield from self.matches(f"{path}/", below)


def _exists(path: str) -> bool:
    location = locate(path)
    return location.is_directory() or location.is_file()


def _alternatives(path: str) -> list[str]:
    """Paths without braces: one for each word in the braces."""
    inner = _ALTERNATIVES.search(path)
    if inner is None:
        return [path]
    before, after = path[: inner.start()], path[inner.end() :]
    return [each for word in inner[1].split(",") for each in _alternatives(before + word + after)]


def _regex(pattern: str) -> re.Pattern[str]:
    """Regular expression for a name's pattern with `*`, `?` and `[..]`; an unclosed bracket stands for itself."""
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        character = pattern[at]
        end = pattern.find("]", at + 2)
        at += 1
        if character == "*":
            parts.append(".*")
        elif character == "?":
            parts.append(".")
        elif character == "[" and end > 0:
            inside = pattern[at:end]
            negated = inside[0] in "!^"
            inside = re.sub(r"([\[\]\\&~|^])", r"\\\1", inside[1:] if negated else inside)
            parts.append(f"[{'^' if negated else ''}{inside}]")
            at = end + 1
        else:
            parts.append(re.escape(character))
    try:
        return re.compile("".join(parts), re.DOTALL)
    except re.error:
        raise SourceError("not a valid range of characters", file=pattern) from None


def plain_scheme(path: str) -> str:
    """The path or URI in the form of `kafkafmt`: Hadoop's schemes `s3a` and `s3n` are `s3`."""
    scheme = scheme_of(path)
    plain = _HADOOP_SCHEMES.get(scheme or "")
    return path if plain is None or scheme is None else plain + path[len(scheme) :]


@dataclass(frozen=True)
class Cluster:
    """The disks of one cluster.

    Attributes:
        name: value of the column `source`.
        places: log directories, any directories above, or copies of them.
    """

    name: str
    places: tuple[str | Location, ...]


def clusters_of(paths: "Searchable | Mapping[str, Searchable]", *, expanded: bool) -> list[Cluster]:
    """List clusters.

    Args:
        paths: a path, what `kafkafmt` opened, or several, each of them a cluster of its own; or a mapping from the name
            of a cluster to its paths. All places of a `kafkafmt.Disks` belong to one cluster.
        expanded: whether wildcards in paths are replaced by the paths that match: each of these is a cluster of its
            own, unless the cluster has a name.

    Raises:
        SourceError: nothing matches a path, or a directory cannot be listed.
        TypeError: a value that should be a path is not one.
    """
    if isinstance(paths, Mapping):
        return [Cluster(name, tuple(places_of(each, expanded=expanded))) for name, each in paths.items()]
    found: dict[str, Cluster] = {}
    for each in [paths] if isinstance(paths, (*_ONE, Sources)) else paths:
        places = places_of(each, expanded=expanded)
        for some in [tuple(places)] if isinstance(each, Sources) else [(place,) for place in places]:
            name = ", ".join(map(str, some))
            found.setdefault(name, Cluster(name, some))
    return list(found.values())


def places_of(paths: "Searchable", *, expanded: bool) -> list[str | Location]:
    """Paths as text, and the locations of what `kafkafmt` opened, for processes that open them again.

    Args:
        paths: as for `kafkafmt.scan`.
        expanded: whether wildcards in paths are replaced by the paths that match.

    Raises:
        SourceError: nothing matches a path, or a directory cannot be listed.
        TypeError: a value that should be a path is not one.
    """
    found: dict[str | Location, None] = {}
    for each in [paths] if isinstance(paths, _ONE) else paths:
        if isinstance(each, Sources):
            found.update(dict.fromkeys(place.anchored() for place in each))
        elif isinstance(each, OPENED):
            found[each.location.anchored()] = None
        elif isinstance(each, Location):
            found[each.anchored()] = None
        else:
            path = os.fspath(each)
            found.update(dict.fromkeys(expand([path]) if expanded else [path]))
    return list(found)
