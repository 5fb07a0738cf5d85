"""Groups: the answer, as objects and as Arrow tables."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from kafkafmt.topics.consumer_groups import tables
from kafkafmt.topics.consumer_groups.model import Group

if TYPE_CHECKING:
    import pyarrow as pa

    from kafkafmt.errors import KafkafmtError
    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.partition import Partition


@dataclass(frozen=True)
class Groups:
    """Groups, sorted by id. `kafkafmt.topics.groups` makes them.

    Iterate over it, or look a group up by its id: `found["payments"]`.

    Attributes:
        groups: the groups.
        notes: sentences for the user: which replica was read, what does not count, what an answer as of an earlier
            moment may miss.
        errors: what could not be decoded (corrupt, or of a newer version), each with file and position; and what is
            wrong with the logs and files that lags and names are from. What they would have told is missing.
        damage: stretches of the internal topics' logs that were not read, as `Scan.damage` has them.
        skipped_replicas: partition directories of the internal topics that were left to a better replica.
    """

    groups: tuple[Group, ...]
    notes: tuple[str, ...]
    errors: "tuple[KafkafmtError, ...]"
    damage: "tuple[Damage, ...]"
    skipped_replicas: "tuple[Partition, ...]"

    def __iter__(self) -> Iterator[Group]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def __contains__(self, group_id: object) -> bool:
        return group_id in self._by_id

    def __getitem__(self, group_id: str) -> Group:
        return self._by_id[group_id]

    @property
    def offsets(self) -> "pa.Table":
        """One row a committed offset; shape `tables.OFFSETS`."""
        return tables.offsets(self.groups)

    @property
    def pending_offsets(self) -> "pa.Table":
        """One row an offset that was committed in a transaction that has not ended; shape `tables.OFFSETS`."""
        return tables.offsets(self.groups, pending=True)

    @property
    def members(self) -> "pa.Table":
        """One row a member; shape `tables.MEMBERS`."""
        return tables.members(self.groups)

    def to_table(self) -> "pa.Table":
        """One row a group; shape `tables.GROUPS`."""
        return tables.groups(self.groups)

    @cached_property
    def _by_id(self) -> dict[str, Group]:
        return {group.group_id: group for group in self.groups}
