"""The election state of a KRaft node (`quorum-state` in the directory of `__cluster_metadata-0`), as JSON.

Kafka's FileQuorumStateStore: data_version 0 with a static quorum (KIP-595), 1 with a dynamic one (KIP-853).
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.codec.java_text import format_uuid
from kafkafmt.errors import CorruptError, UnsupportedError
from kafkafmt.files import text
from kafkafmt.files.bounded import reader
from kafkafmt.libraries import pa

FILE_NAME: Final = "quorum-state"

_NOBODY: Final = -1
# The zero UUID in Base64, as Kafka writes it.
_NO_DIRECTORY: Final = "A" * 22


@dataclass(frozen=True, slots=True)
class QuorumState:
    """The last election that a node took part in.

    Attributes:
        data_version: 0 or 1.
        cluster_id: version 0 only, else None; Kafka writes it empty.
        leader_id: node id of the leader, or -1.
        leader_epoch: epoch of the election.
        voted_id: node id that was voted for in this epoch, or -1.
        voted_directory_id: directory id of that node, as Kafka prints it; version 1 only, else None.
        applied_offset: version 0 only, else None; Kafka writes 0.
        current_voters: node ids of the voters; version 0 only, else None, and None where the file says null.
        raw: the JSON object as it is in the file.
        file: name of the file, or None.
    """

    data_version: Annotated[int, "int16"]
    cluster_id: Annotated[str | None, "string"]
    leader_id: Annotated[int, "int32"]
    leader_epoch: Annotated[int, "int32"]
    voted_id: Annotated[int, "int32"]
    voted_directory_id: Annotated[str | None, "string"]
    applied_offset: Annotated[int | None, "int64"]
    current_voters: Annotated[tuple[int, ...] | None, "list<int32>"]
    raw: Mapping[str, object] = field(repr=False, hash=False)
    file: str | None

    @property
    def entries(self) -> tuple[tuple[str, object], ...]:
        """The keys and values of the JSON object, in file order."""
        return tuple(self.raw.items())

    def to_table(self) -> "pa.Table":
        """Make a table of one row.

        Returns:
            `dataVersion` int16, `clusterId` string, `leaderId`, `leaderEpoch`, `votedId` int32, `votedDirectoryId`
            string, `appliedOffset` int64, `currentVoters` list of int32; null where the version lacks the field.
        """
        return TableColumns(*columns_of(QuorumState)).to_table([self])


def parse(data: bytes | memoryview, *, file: str | None = None) -> QuorumState:
    """Parse a quorum state.

    Args:
        data: the whole file.
        file: its name, for error texts.

    Raises:
        UnsupportedError: the data version is neither 0 nor 1.
        CorruptError: the file is not a JSON object, or a field is missing or of the wrong type.
    """
    line = next(text.lines(bytes(data)), None)  # Kafka reads only the first line
    raw = text.json_object(b"" if line is None else line.content, file=file)
    version = text.json_integer(_field(raw, "data_version", file), 16, "data_version", file=file)
    if version not in (0, 1):
        raise UnsupportedError("unknown version of a quorum state", file=file, expected="0 or 1", found=version)
    leader_id, leader_epoch, voted_id = (
        text.json_integer(_field(raw, name, file), 32, name, file=file)
        for name in ("leaderId", "leaderEpoch", "votedId")
    )
    cluster_id: str | None = None
    voted_directory_id: str | None = None
    applied_offset: int | None = None
    current_voters: tuple[int, ...] | None = None
    if version == 0:
        cluster_id = text.json_string(_field(raw, "clusterId", file), "clusterId", file=file)
        applied_offset = text.json_integer(_field(raw, "appliedOffset", file), 64, "appliedOffset", file=file)
        current_voters = _voters(_field(raw, "currentVoters", file), file)
    else:
        voted = text.json_string(_field(raw, "votedDirectoryId", file), "votedDirectoryId", file=file)
        voted_directory_id = format_uuid(text.kafka_uuid(voted, "votedDirectoryId", position=0, file=file).bytes)
    return QuorumState(
        data_version=version,
        cluster_id=cluster_id,
        leader_id=leader_id,
        leader_epoch=leader_epoch,
        voted_id=voted_id,
        voted_directory_id=voted_directory_id,
        applied_offset=applied_offset,
        current_voters=current_voters,
        raw=raw,
        file=file,
    )


def encode(leader_epoch: int, *, data_version: int, voters: Iterable[int] = ()) -> bytes:
    """Make the state of a node that knows no leader of an epoch and has not voted in it, as Kafka writes it.

    Args:
        leader_epoch: the epoch.
        data_version: 0 or 1.
        voters: node ids of the voters; version 0 only.
    """
    common = {"leaderId": _NOBODY, "leaderEpoch": leader_epoch, "votedId": _NOBODY}
    state: dict[str, object]
    if data_version == 0:
        current = [{"voterId": voter} for voter in sorted(voters)]
        state = {"clusterId": "", **common, "appliedOffset": 0, "currentVoters": current}
    else:
        state = {**common, "votedDirectoryId": _NO_DIRECTORY}
    return json.dumps({**state, "data_version": data_version}, separators=(",", ":")).encode()


read = reader("quorum_state", parse)


def _field(raw: Mapping[str, object], name: str, file: str | None) -> object:
    if name not in raw:
        raise CorruptError(f"the field {name!r} is missing", file=file)
    return raw[name]


def _voters(value: object, file: str | None) -> tuple[int, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(voter, dict) for voter in value):
        raise CorruptError("currentVoters is not a list of objects", file=file, found=type(value).__name__)
    return tuple(text.json_integer(_field(voter, "voterId", file), 32, "voterId", file=file) for voter in value)
