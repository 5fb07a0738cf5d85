"""HeldCopy: a copy of a partition with its owner. Target: a directory to be written from such copies."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from kafkafmt.errors import DataError, SourceError
from kafkafmt.files.damage import Note
from kafkafmt.files.names import LEADER_EPOCHS
from kafkafmt.logdir.log_dir import properties_of
from kafkafmt.repairing.gaps import standing
from kafkafmt.repairing.rebuilt_log import agree
from kafkafmt.repairing.refuted import leave_out_refuted, mend_epochs
from kafkafmt.repairing.salvage import if_sound
from kafkafmt.repairing.sound import SoundCopy, note_missing, read_copies

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkafmt.limits import Limits
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.repairing.identities import OwnedDir


@dataclass(eq=False)
class HeldCopy:
    """A copy of a partition, and its owner.

    Attributes:
        owned: the log directory of the source that holds it; None for a donor.
        partition: the partition directory.
        topic_id: id in its partition.metadata, or the one found to be right; None if it has none.
        sound: its sound parts: its log, and the segments that `.swap` files replace.
    """

    owned: "OwnedDir | None"
    partition: "Partition"
    topic_id: str | None = None
    sound: list[SoundCopy] = field(default_factory=list)

    @property
    def standing(self) -> tuple[int, int, int, int]:
        """Rank of a copy: last leader epoch, then log end, then most records, then least damage."""
        return standing(self.sound[0])

    @property
    def cluster_id(self) -> str | None:
        """Id of its cluster; None if it is unknown."""
        if self.owned is not None:
            return self.owned.cluster_id
        properties = if_sound(partial(properties_of, self.partition.location.parent))
        return None if properties is None else properties.cluster_id

    def read(self, notes: list[str], *, mends: bool, limits: "Limits", advance: Callable[[int], None]) -> None:
        """Read the copy.

        Args:
            notes: list that collects corrected fields.
            mends: as for `leave_out_refuted`.
            limits: bounds of a decode.
            advance: called with numbers of bytes as they are read.

        Raises:
            KafkafmtError: the copy cannot be read.
        """
        try:
            self.topic_id = self.partition.topic_id
        except DataError as error:
            notes.append(self._note(f"{error}: it is rebuilt"))
        except SourceError:
            self.topic_id = if_sound(lambda: self.partition.topic_id)
        self.sound = read_copies(self.partition, limits)
        epochs_error = self._epochs_error()
        for copy in self.sound:
            mended = leave_out_refuted(copy, mends=mends)
            note_missing(copy)
            notes += map(self._note, (*mended, *mend_epochs(copy)))
            advance(sum(segment.size for segment in copy.segments))
        if self.owned is not None and (epochs_error or not _are_true(self.sound[0])):
            place = self.partition.location.child(LEADER_EPOCHS)
            notes.append(self._note(f"{epochs_error or f'{place} contradicts the batches'}: it is rebuilt"))

    def _epochs_error(self) -> DataError | SourceError | None:
        """The reason why leader-epoch-checkpoint cannot be read, or None; `read_copies` has raised other errors."""
        try:
            _ = self.partition.leader_epochs
        except (DataError, SourceError) as error:
            return error
        return None

    def _note(self, text: str) -> Note:
        of = self.partition
        is_finding = self.owned is not None
        return Note(text, is_finding=is_finding, path=of.path, topic=of.topic, partition=of.partition)


def _are_true(copy: SoundCopy) -> bool:
    """Whether the entries of leader-epoch-checkpoint, if any, agree with the batches that have an epoch."""
    return not copy.epochs or agree(copy.epochs, copy.rows[copy.rows["partition_leader_epoch"] >= 0])


@dataclass(frozen=True)
class Target:
    """A partition directory to be written.

    Attributes:
        place: the log directory that gets it.
        own: copies of its node.
        others: copies elsewhere, of the same topic.
        topic_id: topic id of the partition, or None.
        leader_epoch: newest leader epoch of the partition by the metadata log, or None.
        elsewhere: node ids of replicas that are not here; None if the metadata log does not know the partition.
        voters: for the metadata log of a voter, directory ids of the voters by node id (None in a static quorum);
            otherwise empty.
    """

    place: "OwnedDir"
    own: Sequence[HeldCopy]
    others: Sequence[HeldCopy]
    topic_id: str | None
    leader_epoch: int | None
    elsewhere: tuple[int, ...] | None
    voters: "Mapping[int, str | None]" = field(default_factory=dict)
