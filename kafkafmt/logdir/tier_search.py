"""Finds remote storage: directories in which a RemoteStorageManager has put objects, recognized by names."""

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from kafkafmt.errors import DataError, SourceError
from kafkafmt.files import rsm_manifest
from kafkafmt.files.names import PartitionName, is_log_file
from kafkafmt.io.base import DirectoryEntry, Location
from kafkafmt.io.keys import DecryptionKeys
from kafkafmt.io.local import LocalLocation
from kafkafmt.logdir import tier_log
from kafkafmt.logdir.tier import TierDir, TierPartition, directories_of
from kafkafmt.logdir.tier_names import LAYOUTS, MANIFEST, Layout, is_id, may_name_a_directory, parse_object_name

# Manifests to read in search of a key prefix: each is a request, and perhaps none matches.
_TRIED = 8


@dataclass(frozen=True, slots=True)
class _Place:
    """A directory with objects of one partition, or all of them if the partition is spread over several."""

    location: Location
    listing: Sequence[DirectoryEntry]
    layout: Layout
    topic: str | None
    topic_id: str
    partition: int


def mounted(location: Location, listing: Sequence[DirectoryEntry]) -> TierDir | None:
    """Show a directory of remote storage as a log directory; None if it does not contain a tier.

    Raises:
        SourceError: a directory or manifest that the search needs cannot be read.
    """
    names: set[str] = set()
    found: list[_Place] = []
    hidden: set[str] = set()
    for entry, places in _places(location, listing):
        names = names or {each.name for each in listing}
        if any(f"{each.topic}-{each.partition}" in names for each in places):
            continue  # a log directory of its own, which the walk will reach
        found += places
        hidden.add(entry)
    if not found:
        return None
    keys = location.decryption_keys or DecryptionKeys.of(None)
    partitions = [
        TierPartition(
            each.location,
            PartitionName(each.topic, each.partition, "live"),
            each.topic_id,
            each.layout,
            keys,
            each.listing if each.layout.is_spread else None,
        )
        for each in _together(location, _without_prefix(found))
    ]
    partitions, notes = _latest(partitions)
    partitions.sort(key=lambda each: each.name)
    return TierDir(location, partitions, hidden, notes)


def in_tier(location: Location, keys: DecryptionKeys | None = None) -> Location:
    """The location of a file or directory given alone, shown as a broker would have it if it belongs to a tier.

    Args:
        location: a location; of a tier's objects, only logs are shown as files of a broker.
        keys: decryption keys; None for the keys of the environment.

    Raises:
        SourceError: the directory of the object cannot be read.
    """
    if location.is_directory():
        searched = location.searched(keys=keys)
        tier = mounted(searched, searched.list())
        one = tier is not None and len(tier.partitions) == 1 and str(tier.partitions[0]) == str(searched)
        return tier.partitions[0] if tier is not None and one else searched
    name = parse_object_name(location.name)
    if name is None or name.ending != "log":
        return location
    above = location.parent.searched(keys=keys)
    tier = mounted(above, above.list())
    uploads = [] if tier is None else [upload for each in tier.partitions for upload in each.uploads]
    of_name = (upload for upload in uploads if (upload.base_offset, upload.id) == (name.base_offset, name.upload))
    found = next(of_name, None)
    if found is None or not found.is_complete:
        return location
    return tier_log.describe([found])[0].file("log")


def enclosing_tier(path: str) -> str | None:
    """The nearest directory above a local path that belongs to a tier, or None.

    Args:
        path: absolute path without links; it need not exist.
    """
    directory = os.path.dirname(path)
    while True:
        place = LocalLocation(directory)
        # A directory that cannot be listed is passed over: its reader will report the error.
        with suppress(OSError, SourceError), os.scandir(directory) as entries:
            # Names only, without `stat`: a directory above may have thousands of entries, and stale mounts on which
            # `stat` hangs.
            listing = [DirectoryEntry(each.name, place.child(each.name), each.is_dir(), None) for each in entries]
            if any(places for _, places in _places(place, listing)):
                return directory
        above = os.path.dirname(directory)
        if above == directory:
            return None
        directory = above


def _places(location: Location, listing: Sequence[DirectoryEntry]) -> Iterator[tuple[str, list[_Place]]]:
    """Partitions in a directory: the name of each entry, and its partitions."""
    if any(is_log_file(entry.name) and not entry.is_directory for entry in listing):
        return
    objects = [entry.name for entry in listing if not entry.is_directory and parse_object_name(entry.name)]
    here = _named(location, listing) if objects else None
    if here is not None:
        for name in objects:
            yield name, []
        yield objects[0], [here]
        return
    for entry in listing:
        if entry.is_directory and may_name_a_directory(entry.name):
            places = _places_below(location, entry)
            if places is not None:
                yield entry.name, places


def _places_below(location: Location, entry: DirectoryEntry) -> list[_Place] | None:
    """Partitions in and below a directory, which is listed once; None if its name does not match any layout."""
    listing: list[DirectoryEntry] | None = None
    for layout in LAYOUTS:
        levels = [
            level
            for level in range(len(layout.directories))
            if layout.matches(entry.name, level) and (not level or layout.matches(location.name, level - 1))
        ]
        if layout.is_spread and is_id(entry.name):
            levels.append(-1)
        for level in levels:
            listing = entry.location.list() if listing is None else listing
            found = _partitions_in(layout, level, entry.location, listing)
            if found:
                return found
    return None if listing is None else []


def _partitions_in(layout: Layout, level: int, location: Location, listing: Sequence[DirectoryEntry]) -> list[_Place]:
    """Partitions in a directory at a level of a layout; level -1 is above the outermost directory."""
    if level == len(layout.directories) - 1:
        named = _named(location, listing)
        return [] if named is None else [named]
    below = [each.location for each in listing if each.is_directory and layout.matches(each.name, level + 1)]
    return [found for each in below for found in _partitions_in(layout, level + 1, each, each.list())]


def _named(location: Location, listing: Sequence[DirectoryEntry]) -> _Place | None:
    """The partition that a directory of objects belongs to, by its name and those above; None if it is not one."""
    for layout in LAYOUTS:
        partition = layout.partition_of([each.name for each in directories_of(layout, location)])
        if partition is not None and any(parse_object_name(each.name, (layout,)) for each in listing):
            return _Place(location, listing if layout.is_spread else (), layout, *partition)
    return None


def _without_prefix(found: Sequence[_Place]) -> Iterator[_Place]:
    """Strip from topics a key prefix without a separator, which manifests reveal, as they have the topics' names."""
    prefix = _prefix_of(found)
    for each in found:
        topic = each.topic
        if prefix and topic is not None and each.layout.has_prefix and topic.startswith(prefix):
            topic = topic[len(prefix) :] or topic
        yield _Place(each.location, each.listing, each.layout, topic, each.topic_id, each.partition)


def _together(location: Location, found: Iterable[_Place]) -> Iterator[_Place]:
    """Join the objects of a partition where a layout puts them into several directories."""
    spread: dict[tuple[str, int], list[_Place]] = defaultdict(list)
    for each in found:
        if each.layout.is_spread:
            spread[each.topic_id, each.partition].append(each)
        else:
            yield each
    for several in spread.values():
        yield replace(several[0], location=location, listing=[entry for each in several for entry in each.listing])


def _prefix_of(found: Sequence[_Place]) -> str:
    tried = 0
    for each in found:
        if not each.layout.has_prefix or each.topic is None:
            continue
        manifests = (one for one in each.location.list() if one.is_file and one.name.endswith(f".{MANIFEST}"))
        manifest = next(manifests, None)
        if manifest is None:
            continue
        try:
            told = rsm_manifest.read(manifest.location).segment
        except DataError:
            told = None  # the reader of the segment will report the fault
        if told is not None and told.topic_id == each.topic_id and each.topic.endswith(told.topic):
            return each.topic.removesuffix(told.topic)
        tried += 1
        if tried == _TRIED:
            break
    return ""


def _latest(partitions: Sequence[TierPartition]) -> tuple[list[TierPartition], list[str]]:
    """Of several topics with one name, keep the one with the last upload; the others were deleted."""
    ids: dict[str, set[str]] = defaultdict(set)
    for each in partitions:
        if each.partition_name.topic is not None:
            ids[each.partition_name.topic].add(each.topic_id)
    live: dict[str, str] = {}
    notes = []
    for topic, several in ids.items():
        if len(several) > 1:
            uploaded = {one: max(_uploaded(each) for each in partitions if each.topic_id == one) for one in several}
            live[topic] = max(several, key=lambda one: (uploaded[one], one))
            others = ", ".join(sorted(several - {live[topic]}))
            notes.append(
                f"the tier has {len(several)} topics {topic}: {live[topic]}, to which segments were uploaded last, is"
                f" read; to read {others}, name its directory"
            )
    kept = []
    for each in partitions:
        name = each.partition_name
        is_live = live.get(name.topic or "", each.topic_id) == each.topic_id
        kept.append(each if is_live else each.renamed(PartitionName(name.topic, name.partition, "delete")))
    return kept, notes


def _uploaded(partition: TierPartition) -> int:
    whole = [upload for upload in partition.uploads if upload.is_complete]
    return max((upload.uploaded for upload in tier_log.describe(whole[-1:])), default=0)
