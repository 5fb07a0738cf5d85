"""Remote storage shown as a log directory: what a RemoteStorageManager has put there has the shape that a broker's has.

`mounted` looks at one directory that was listed. If partitions of a tier lie in it, a `TierDir` takes its place, with
a `TierPartition` in it for each of them, whose files are those that a broker would have (`tier_segment`). All that
reads log directories reads them so; which segments are the log is `tier_log`'s to say, once somebody asks.
"""

import uuid
from base64 import urlsafe_b64decode
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from kafkafmt.errors import DataError
from kafkafmt.files import rsm_manifest
from kafkafmt.files.names import PartitionName, is_log_file
from kafkafmt.io.base import DirectoryEntry, File, Location
from kafkafmt.io.keys import DecryptionKeys
from kafkafmt.logdir import tier_log
from kafkafmt.logdir.tier_names import (
    LEADER_EPOCHS,
    MANIFEST,
    Layout,
    is_id,
    parse_local_directory,
    parse_number,
    parse_object_name,
    parse_topic_directory,
)
from kafkafmt.logdir.tier_segment import PARTITION_METADATA, TierCopy

if TYPE_CHECKING:
    from kafkafmt.logdir.tier_log import TierLog

INCOMPLETE = "incomplete"
OVERLAPPED = "overlapped"
"""What follows `.log.` in the name of an upload that is no part of the log; then a dash and its id."""

_TRIED = 8


@dataclass(frozen=True, slots=True)
class _Place:
    """A directory of objects of one partition; what lies in it is kept where it lies in several."""

    location: Location
    listing: Sequence[DirectoryEntry]
    layout: Layout
    topic: str | None
    topic_id: str
    partition: int


class TierPartition(Location):
    """A partition of a tier as a partition directory. `str()` of it is where its objects lie.

    Attributes:
        topic_id: of its topic, as Kafka prints it.
        partition_name: topic, partition and state; the topic is None where names do not tell it.
    """

    __slots__ = ("__dict__", "_keys", "_listing", "_place", "layout", "partition_name", "topic_id")

    def __init__(
        self,
        place: Location,
        partition_name: PartitionName,
        topic_id: str,
        layout: Layout,
        keys: DecryptionKeys,
        listing: Sequence[DirectoryEntry] | None = None,
    ) -> None:
        self._place = place
        self._listing = listing
        self._keys = keys
        self.layout = layout
        self.partition_name = partition_name
        self.topic_id = topic_id

    def __str__(self) -> str:
        return str(self._place)

    @property
    def name(self) -> str:
        """What a broker would call it; of a topic whose name is not known no such name."""
        topic, partition, state = self.partition_name.topic, self.partition_name.partition, self.partition_name.state
        if topic is None:
            return f"{self.topic_id}_{partition}"
        if state == "live":
            return f"{topic}-{partition}"
        return f"{topic}-{partition}.{uuid.UUID(bytes=urlsafe_b64decode(f'{self.topic_id}==')).hex}-{state}"

    @property
    def absolute(self) -> str:
        """Path or URI of the objects' directory."""
        return self._place.absolute

    @property
    def identity(self) -> str:
        """That of the objects' directory; Confluent's has objects of many partitions below."""
        identity = self._place.identity
        number = self.partition_name.partition
        return f"{identity}#{self.topic_id}-{number}" if self.layout == "confluent" else identity

    @property
    def parent(self) -> Location:
        """The directory above that of the objects."""
        return self._place.parent

    def child(self, name: str) -> Location:
        """The file of a name in it; a place where nothing is, if there is none."""
        found = next((entry.location for entry in self.contents if entry.name == name), None)
        return self._place.child(name) if found is None else found

    def sibling(self, name: str) -> Location:
        """Another place in the directory above."""
        return self._place.sibling(name)

    def is_directory(self) -> bool:
        """Yes."""
        return True

    def is_file(self) -> bool:
        """No."""
        return False

    def version(self) -> Hashable | None:
        """None: it is no file."""
        return None

    def list(self) -> list[DirectoryEntry]:
        """One log with the bytes of all: what tells that it is a partition, and its size; `contents` has the files."""
        uploads = self.uploads()
        if not uploads:
            return []
        log = uploads[0].file("log")
        return [DirectoryEntry(log.name, log, is_directory=False, size=sum(each.whole_size for each in uploads))]

    def open(self) -> File:
        """Fail: it is a directory."""
        return self._place.open()

    def searched(self, *, is_directory: bool = True, keys: DecryptionKeys | None = None) -> "TierPartition":  # noqa: ARG002
        """The same."""
        return self

    @property
    def decryption_keys(self) -> DecryptionKeys:
        """Those that it was found with."""
        return self._keys

    def anchored(self) -> "TierPartition":
        """The same by whole paths."""
        return TierPartition(self._place.anchored(), self.partition_name, self.topic_id, self.layout, self._keys)

    def __reduce__(self) -> tuple[type["TierPartition"], tuple[object, ...]]:
        """Pickle without what was listed."""
        return TierPartition, (self._place, self.partition_name, self.topic_id, self.layout, self._keys)

    def renamed(self, name: PartitionName) -> "TierPartition":
        """The same under another name."""
        return TierPartition(self._place, name, self.topic_id, self.layout, self._keys, self._listing)

    @cached_property
    def copies(self) -> Sequence[TierCopy]:
        """All uploads of its segments, kept; see `uploads`."""
        return self.uploads()

    def uploads(self) -> Sequence[TierCopy]:
        """All uploads of its segments, in order of base offsets, as their names tell; none is read."""
        objects: dict[tuple[int, str], dict[str, DirectoryEntry]] = defaultdict(dict)
        for entry in self._place.list() if self._listing is None else self._listing:
            name = parse_object_name(entry.name) if entry.is_file else None
            if name is not None:
                objects[name.base_offset, name.copy][name.ending] = entry
        return [
            TierCopy(self, self.topic_id, base, copy, self.layout, objects[base, copy], self._keys)
            for base, copy in sorted(objects)
        ]

    @cached_property
    def log(self) -> "TierLog":
        """Which of them are the log, without a log directory to ask.

        Raises:
            SourceError: an object cannot be read.
        """
        return tier_log.choose(self.copies, self.name)

    @cached_property
    def contents(self) -> Sequence[DirectoryEntry]:
        """The files that a broker would have: of each segment of the log, and beside it; and logs that are left out.

        Raises:
            SourceError: an object cannot be read.
        """
        log = self.log
        entries = [entry for copy in log.segments for entry in entries_of(copy)]
        some = log.newest or next(iter(log.segments), None)
        if log.newest is not None:
            entries.append(_entry(log.newest, LEADER_EPOCHS))
        if some is not None:
            entries.append(_entry(some, PARTITION_METADATA))
        for state, copies in ((INCOMPLETE, log.incomplete), (OVERLAPPED, log.overlapped)):
            entries += [_entry(copy, "log", f".{state}-{copy.id}") for copy in copies]
        return sorted(entries, key=lambda entry: entry.name)


class TierDir(Location):
    """A directory in which partitions of a tier lie, as a log directory."""

    __slots__ = ("_hidden", "notes", "partitions", "place")

    def __init__(
        self, place: Location, partitions: Sequence[TierPartition], hidden: Iterable[str], notes: Sequence[str]
    ) -> None:
        self.place = place
        self.partitions = partitions
        self.notes = notes
        self._hidden = frozenset(hidden)

    def __str__(self) -> str:
        return str(self.place)

    @property
    def name(self) -> str:
        """Base name."""
        return self.place.name

    @property
    def absolute(self) -> str:
        """Path or URI."""
        return self.place.absolute

    @property
    def identity(self) -> str:
        """That of the directory."""
        return self.place.identity

    @property
    def parent(self) -> Location:
        """The directory above."""
        return self.place.parent

    def child(self, name: str) -> Location:
        """A partition of the tier, or what else has this name."""
        found = next((each for each in self.partitions if each.name == name), None)
        return self.place.child(name) if found is None else found

    def sibling(self, name: str) -> Location:
        """The place of another name in the directory above."""
        return self.place.sibling(name)

    def is_directory(self) -> bool:
        """Yes."""
        return True

    def is_file(self) -> bool:
        """No."""
        return False

    def version(self) -> Hashable | None:
        """None: it is no file."""
        return None

    def list(self) -> list[DirectoryEntry]:
        """The partitions, and what else lies there."""
        others = [entry for entry in self.place.list() if entry.name not in self._hidden]
        mounted = [DirectoryEntry(each.name, each, is_directory=True, size=None) for each in self.partitions]
        return sorted([*others, *mounted], key=lambda entry: entry.name)

    def open(self) -> File:
        """Fail: it is a directory."""
        return self.place.open()

    def links_out(self, *, below: bool = False) -> Sequence[Location]:
        """As the directory's own."""
        return self.place.links_out(below=below)

    def searched(self, *, is_directory: bool = True, keys: DecryptionKeys | None = None) -> "TierDir":  # noqa: ARG002
        """The same."""
        return self

    @property
    def decryption_keys(self) -> DecryptionKeys | None:
        """Those of the search."""
        return self.place.decryption_keys


def mounted(location: Location, listing: Sequence[DirectoryEntry]) -> TierDir | None:
    """Show what lies in a directory of remote storage as a log directory; None if nothing of a tier lies in it.

    Args:
        location: the directory, searched.
        listing: its entries.

    Raises:
        SourceError: a directory or manifest that must be looked at cannot be read.
    """
    names = {entry.name for entry in listing}
    found: list[_Place] = []
    hidden: set[str] = set()
    for entry, places in _places(location, listing):
        if any(f"{each.topic}-{each.partition}" in names for each in places):
            continue  # a log directory of its own: the walk will meet it
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
            each.listing if each.layout == "confluent" else None,
        )
        for each in _together(location, _without_prefix(found))
    ]
    partitions, notes = _latest(partitions)
    partitions.sort(key=lambda each: each.name)
    return TierDir(location, partitions, hidden, notes)


def in_tier(location: Location, keys: DecryptionKeys | None = None) -> Location:
    """The place of a file or directory that was named by itself, as a broker would have it if it is one of a tier.

    Args:
        location: a place; of objects, those of logs.
        keys: what decrypts them; those of the environment if None.

    Raises:
        SourceError: what lies beside the object cannot be read.
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
    copies = [] if tier is None else [copy for each in tier.partitions for copy in each.copies]
    found = next((copy for copy in copies if (copy.base_offset, copy.id) == (name.base_offset, name.copy)), None)
    if found is None or not found.is_complete:
        return location
    return tier_log.describe([found])[0].file("log")


def entries_of(copy: TierCopy) -> list[DirectoryEntry]:
    """The files of a segment, as a broker has them."""
    endings = [each for each in ("log", "index", "timeindex", "txnindex", "snapshot") if copy.has(each)]
    return [_entry(copy, ending) for ending in endings]


def _entry(copy: TierCopy, ending: str, suffix: str = "") -> DirectoryEntry:
    file = copy.file(ending, suffix)
    return DirectoryEntry(file.name, file, is_directory=False, size=copy.size_of(ending), called=str(file))


def _places(location: Location, listing: Sequence[DirectoryEntry]) -> Iterator[tuple[str, list[_Place]]]:
    """Partitions that lie in a directory: the name of an entry of it, and what lies there."""
    if any(is_log_file(entry.name) for entry in listing if entry.is_file):
        return
    objects = [entry.name for entry in listing if entry.is_file and parse_object_name(entry.name)]
    here = _named(location, listing) if objects else None
    if here is not None:
        for name in objects:
            yield name, []
        yield objects[0], [here]
        return
    for entry in listing:
        if not entry.is_directory:
            continue
        name = entry.name
        if parse_number(name) is not None and _could_be_topic(location.name):
            yield name, _partition_in(entry.location)
        elif len(name) > 23 and name[-23] == "-" and is_id(name[-22:]):
            below = entry.location.list()
            local = _partition_in(entry.location, below)
            yield name, local or [each for one in below if one.is_directory for each in _partition_in(one.location)]
        elif is_id(name):
            yield name, list(_confluent(entry.location))


def _could_be_topic(name: str) -> bool:
    return is_id(name) or parse_topic_directory(name) is not None


def _confluent(location: Location, depth: int = 0) -> Iterator[_Place]:
    """Partitions below an object id or a topic id of Confluent's names."""
    for entry in location.list():
        if entry.is_directory and parse_number(entry.name) is not None:
            yield from _partition_in(entry.location)
        elif entry.is_directory and is_id(entry.name) and not depth:
            yield from _confluent(entry.location, depth + 1)


def _partition_in(location: Location, listing: Sequence[DirectoryEntry] | None = None) -> list[_Place]:
    if listing is None:
        if parse_number(location.name) is None:
            return []
        listing = location.list()
    named = _named(location, listing) if any(parse_object_name(each.name) for each in listing) else None
    return [] if named is None else [named]


def _named(location: Location, listing: Sequence[DirectoryEntry]) -> _Place | None:
    """What the names of a directory of objects, and of the one above, say; None if nothing."""
    local = parse_local_directory(location.name)
    if local is not None:
        topic, number, topic_id = local
        return _Place(location, (), "local", topic, topic_id, number)
    partition, above = parse_number(location.name), location.parent.name
    if partition is None:
        return None
    if any(name.is_confluent for name in map(parse_object_name, (each.name for each in listing)) if name):
        return _Place(location, listing, "confluent", None, above, partition) if is_id(above) else None
    named = parse_topic_directory(above)
    return None if named is None else _Place(location, (), "aiven", *named, partition)


def _without_prefix(found: Sequence[_Place]) -> Iterator[_Place]:
    """Take from topics what a key prefix without a separator has put in front: manifests know the names."""
    prefix = _prefix_of(found)
    for each in found:
        topic = each.topic
        if prefix and topic is not None and each.layout == "aiven" and topic.startswith(prefix):
            topic = topic[len(prefix) :] or topic
        yield _Place(each.location, each.listing, each.layout, topic, each.topic_id, each.partition)


def _together(location: Location, found: Iterable[_Place]) -> Iterator[_Place]:
    """Join what Confluent's names spread out: each object of a partition may lie in a directory of its own."""
    spread: dict[tuple[str, int], list[DirectoryEntry]] = defaultdict(list)
    for each in found:
        if each.layout == "confluent":
            spread[each.topic_id, each.partition] += each.listing
        else:
            yield each
    for (topic_id, partition), listing in spread.items():
        yield _Place(location, listing, "confluent", None, topic_id, partition)


def _prefix_of(found: Sequence[_Place]) -> str:
    tried = 0
    for each in found:
        if each.layout != "aiven" or each.topic is None:
            continue
        manifests = (one for one in each.location.list() if one.is_file and one.name.endswith(f".{MANIFEST}"))
        manifest = next(manifests, None)
        if manifest is None:
            continue
        try:
            told = rsm_manifest.read(manifest.location).segment
        except DataError:
            told = None  # reading the segment tells what is wrong
        if told is not None and told.topic_id == each.topic_id and each.topic.endswith(told.topic):
            return each.topic.removesuffix(told.topic)
        tried += 1
        if tried == _TRIED:
            break
    return ""


def _latest(partitions: Sequence[TierPartition]) -> tuple[list[TierPartition], list[str]]:
    """Of several topics of one name the one that was uploaded to last counts; the others were deleted."""
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
                f" read; {others} is not, name its directory to read it"
            )
    kept = []
    for each in partitions:
        name = each.partition_name
        is_live = live.get(name.topic or "", each.topic_id) == each.topic_id
        kept.append(each if is_live else each.renamed(PartitionName(name.topic, name.partition, "delete")))
    return kept, notes


def _uploaded(partition: TierPartition) -> int:
    whole = [copy for copy in partition.copies if copy.is_complete]
    return max((copy.uploaded for copy in tier_log.describe(whole[-1:])), default=0)
