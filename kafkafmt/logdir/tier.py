"""Remote storage shown as a log directory: the objects of a RemoteStorageManager get the shape of a broker's files.

Where `tier_search` finds partitions of a tier in a directory, a `TierDir` takes the directory's place. It contains a
`TierPartition` for each of them, with the files that a broker would have (`tier_segment`). So all readers of log
directories can read a tier. `tier_log` decides on demand which segments form the log.
"""

import uuid
from base64 import urlsafe_b64decode
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Self

from kafkafmt.cached import cached_property
from kafkafmt.files.names import LEADER_EPOCHS, PARTITION_METADATA, PartitionName
from kafkafmt.io.base import DirectoryEntry, File, Location
from kafkafmt.io.keys import DecryptionKeys
from kafkafmt.logdir import tier_log
from kafkafmt.logdir.tier_names import Layout, PartitionOfTier, parse_object_name
from kafkafmt.logdir.tier_segment import Upload

if TYPE_CHECKING:
    from kafkafmt.logdir.tier_log import TierLog

INCOMPLETE = "incomplete"
OVERLAPPED = "overlapped"
"""Text after `.log.` in the name of an upload outside the log; a dash and the upload's id follow."""


class MountedDirectory(Location):
    """A directory of remote storage shown as a broker's: entries are translated, everything else is delegated.

    Attributes:
        place: the directory, whose `str()` it shares.
    """

    __slots__ = ("__dict__", "place")

    def __init__(self, place: Location) -> None:
        self.place = place

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
        """Identity of the directory."""
        return self.place.identity

    @property
    def parent(self) -> Location:
        """The directory above."""
        return self.place.parent

    def sibling(self, name: str) -> Location:
        """Another entry of the parent directory."""
        return self.place.sibling(name)

    def is_directory(self) -> bool:
        """Return true."""
        return True

    def is_file(self) -> bool:
        """Return false."""
        return False

    def version(self) -> Hashable | None:
        """Return None, as it is not a file."""
        return None

    def open(self) -> File:
        """Fail, as it is a directory."""
        return self.place.open()

    def searched(self, *, is_directory: bool = True, keys: DecryptionKeys | None = None) -> Self:  # noqa: ARG002
        """Return this directory, as a search has already found it."""
        return self


class TierPartition(MountedDirectory):
    """A partition of a tier, shown as a partition directory. `str()` gives the location of its objects.

    Attributes:
        topic_id: topic id, as Kafka prints it.
        partition_name: topic, partition and state; the topic is None where names lack it.
    """

    __slots__ = ("_keys", "_listing", "layout", "partition_name", "topic_id")

    def __init__(
        self,
        place: Location,
        partition_name: PartitionName,
        topic_id: str,
        layout: Layout,
        keys: DecryptionKeys,
        listing: Sequence[DirectoryEntry] | None = None,
    ) -> None:
        super().__init__(place)
        self._listing = listing
        self._keys = keys
        self.layout = layout
        self.partition_name = partition_name
        self.topic_id = topic_id

    @property
    def name(self) -> str:
        """The name a broker would give it; another name if the topic is unknown."""
        topic, partition, state = self.partition_name.topic, self.partition_name.partition, self.partition_name.state
        if topic is None:
            return f"{self.topic_id}_{partition}"
        if state == "live":
            return f"{topic}-{partition}"
        return f"{topic}-{partition}.{uuid.UUID(bytes=urlsafe_b64decode(f'{self.topic_id}==')).hex}-{state}"

    @property
    def identity(self) -> str:
        """Identity of the objects' directory, made unique where a layout spreads partitions over shared directories."""
        identity = self.place.identity
        number = self.partition_name.partition
        return f"{identity}#{self.topic_id}-{number}" if self.layout.is_spread else identity

    def child(self, name: str) -> Location:
        """The file with this name; an object of this name, or a location without a file, if there is none."""
        if parse_object_name(name) is not None:
            return self.place.child(name)
        found = next((entry.location for entry in self.contents if entry.name == name), None)
        return self.place.child(name) if found is None else found

    def list(self) -> list[DirectoryEntry]:
        """A single log file of the total size, enough to recognize a partition; `contents` has the real files."""
        uploads = self.list_uploads()
        if not uploads:
            return []
        log = uploads[0].file("log")
        return [DirectoryEntry(log.name, log, is_directory=False, size=sum(each.whole_size for each in uploads))]

    @property
    def decryption_keys(self) -> DecryptionKeys:
        """Keys with which it was found."""
        return self._keys

    def anchored(self) -> "TierPartition":
        """The same partition with whole paths, with the facts known so far; always the same object."""
        return self._anchored

    @cached_property
    def _anchored(self) -> "TierPartition":
        listing = None if self._listing is None else [entry.anchored() for entry in self._listing]
        found = TierPartition(
            self.place.anchored(), self.partition_name, self.topic_id, self.layout, self._keys, listing
        )
        if "log" in self.__dict__:
            found.log = self.log.anchored(found)
        return found

    def __reduce__(self) -> tuple[type["TierPartition"], tuple[object, ...]]:
        """Pickle without listings; a location known to be empty is not searched again."""
        listing = None if self._listing else self._listing
        return TierPartition, (self.place, self.partition_name, self.topic_id, self.layout, self._keys, listing)

    def renamed(self, name: PartitionName) -> "TierPartition":
        """The same partition with another name."""
        return TierPartition(self.place, name, self.topic_id, self.layout, self._keys, self._listing)

    @cached_property
    def uploads(self) -> Sequence[Upload]:
        """All uploads of its segments, cached; see `list_uploads`."""
        return self.list_uploads()

    def list_uploads(self) -> Sequence[Upload]:
        """All uploads of its segments, in order of base offsets, from object names; no object is read."""
        objects: dict[tuple[int, str], dict[str, DirectoryEntry]] = defaultdict(dict)
        for entry in self.place.list() if self._listing is None else self._listing:
            name = parse_object_name(entry.name) if entry.is_file else None
            if name is not None:
                objects[name.base_offset, name.upload][name.ending] = entry
        return [
            Upload(self, self.topic_id, base, upload, self.layout, objects[base, upload], self._keys)
            for base, upload in sorted(objects)
        ]

    @cached_property
    def log(self) -> "TierLog":
        """The uploads that form the log, chosen without a log directory.

        Raises:
            SourceError: an object cannot be read.
        """
        return tier_log.choose(self.uploads, self.name)

    @cached_property
    def contents(self) -> Sequence[DirectoryEntry]:
        """A broker's files: each segment of the log, the files beside it, and the logs of uploads outside the log.

        Raises:
            SourceError: an object cannot be read.
        """
        log = self.log
        entries = [entry for upload in log.segments for entry in entries_of(upload)]
        some = log.newest or next(iter(log.segments), None)
        if log.newest is not None:
            entries.append(_entry(log.newest, LEADER_EPOCHS))
        if some is not None:
            entries.append(_entry(some, PARTITION_METADATA))
        for state, uploads in ((INCOMPLETE, log.incomplete), (OVERLAPPED, log.overlapped)):
            entries += [_entry(upload, "log", f".{state}-{upload.id}") for upload in uploads]
        return sorted(entries, key=lambda entry: entry.name)


class TierDir(MountedDirectory):
    """A directory with partitions of a tier, shown as a log directory."""

    __slots__ = ("_hidden", "notes", "partitions")

    is_tier = True

    def __init__(
        self, place: Location, partitions: Sequence[TierPartition], hidden: Iterable[str], notes: Sequence[str]
    ) -> None:
        super().__init__(place)
        self.partitions = partitions
        self.notes = notes
        self._hidden = frozenset(hidden)

    def child(self, name: str) -> Location:
        """A partition of the tier, or another entry with this name."""
        found = next((each for each in self.partitions if each.name == name), None)
        return self.place.child(name) if found is None else found

    def list(self) -> list[DirectoryEntry]:
        """The partitions, and the other entries."""
        others = [entry for entry in self.place.list() if entry.name not in self._hidden]
        mounted = [DirectoryEntry(each.name, each, is_directory=True, size=None) for each in self.partitions]
        return sorted([*others, *mounted], key=lambda entry: entry.name)

    def without_objects(self, name: PartitionName, topic_id: str) -> TierPartition | None:
        """A partition at its location in this tier, without objects; None if this is only a part of a tier.

        Args:
            name: topic and partition.
            topic_id: topic id.
        """
        known = next((each for each in self.partitions if self._is_root_of(each)), None)
        if known is None:
            return None
        layout, place = known.layout, self.place
        outermost = directories_of(layout, known.place)[0].name
        prefix = outermost.removesuffix(layout.names_of(_in_names(known.partition_name, known.topic_id))[0])
        for each in layout.names_of(_in_names(name, topic_id), prefix):
            place = place.child(each)
        return TierPartition(place, name, topic_id, known.layout, known.decryption_keys, ())

    def _is_root_of(self, partition: TierPartition) -> bool:
        """Whether keys begin here, so that this is not the folder of one topic or partition."""
        if not partition.layout.is_counted:
            return False
        return directories_of(partition.layout, partition.place)[0].parent.identity == self.identity

    def links_out(self, *, below: bool = False) -> Sequence[Location]:
        """Links of the directory itself; see `Location.links_out`."""
        return self.place.links_out(below=below)

    def links_followed(self, *, below: bool = False) -> Sequence[Location]:
        """Links in the directory that were followed; see `Location.links_followed`."""
        return self.place.links_followed(below=below)

    @property
    def decryption_keys(self) -> DecryptionKeys | None:
        """Keys of the search."""
        return self.place.decryption_keys


def directories_of(layout: Layout, place: Location) -> "list[Location]":
    """The directories of a partition whose objects are in `place`, the outermost first."""
    directories = [place]
    while len(directories) < len(layout.directories):
        directories.insert(0, directories[0].parent)
    return directories


def _in_names(name: PartitionName, topic_id: str) -> PartitionOfTier:
    return PartitionOfTier(name.topic, topic_id, name.partition or 0)


def entries_of(upload: Upload) -> list[DirectoryEntry]:
    """The files of a segment, as a broker would have them."""
    endings = [each for each in ("log", "index", "timeindex", "txnindex", "snapshot") if upload.has(each)]
    return [_entry(upload, ending) for ending in endings]


def _entry(upload: Upload, ending: str, suffix: str = "") -> DirectoryEntry:
    file = upload.file(ending, suffix)
    return DirectoryEntry(file.name, file, is_directory=False, size=upload.size_of(ending), called=str(file))
