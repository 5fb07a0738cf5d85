"""Clusters: which directories belong together, each cluster the work of one task."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkafmt.files.source import Source


@dataclass(frozen=True)
class Cluster:
    """The disks of one cluster.

    Attributes:
        name: as the column `source` has it.
        paths: log directories, any directories above, or copies of them.
    """

    name: str
    paths: tuple[str, ...]


def clusters_of(
    paths: "Source | Iterable[Source] | Mapping[str, Source | Iterable[Source]]", *, expanded: bool
) -> list[Cluster]:
    """Tell the clusters.

    Args:
        paths: a path or several, each of a cluster of its own; or the paths of each cluster by its name.
        expanded: whether wildcards in paths stand for what matches them: of a cluster of its own each, unless it has a
            name.

    Raises:
        SourceError: nothing matches a path, or a directory cannot be listed.
        TypeError: a value that should be a path is not one.
    """
    if isinstance(paths, Mapping):
        return [Cluster(name, tuple(paths_of(each, expanded=expanded))) for name, each in paths.items()]
    return [Cluster(path, (path,)) for path in paths_of(paths, expanded=expanded)]


def paths_of(paths: "Source | Iterable[Source]", *, expanded: bool) -> list[str]:
    """Paths as text.

    Args:
        paths: a path or several.
        expanded: whether wildcards stand for what matches them.

    Raises:
        SourceError: nothing matches a path, or a directory cannot be listed.
        TypeError: a value that should be a path is not one.
    """
    from pyspark_kafkafmt.paths import expand

    each = [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]
    return expand(each) if expanded else each
