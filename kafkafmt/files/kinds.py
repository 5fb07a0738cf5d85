"""The kinds of files that Kafka keeps on disk: their names, the modules that read them, and their layouts.

A new kind is a module of `kafkafmt.files` with `parse` and `read`, and an entry of `KINDS`, which dump, inspect and all
code that recognizes Kafka's files use. A binary kind also has a spec in formats/. Further texts of dump and inspect,
and the findings of ls, are in those modules.

This module must not import anything that `kafkafmt --help` would have to wait for.
"""

import importlib
import struct
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from kafkafmt.io.base import Location

_MIB = 1024 * 1024
_SUFFIXES = (".deleted", ".cleaned", ".swap", ".part")


@dataclass(frozen=True, slots=True)
class FileKind:
    """One kind of file.

    Attributes:
        id: name of the kind in the code; for files of a segment, their extension.
        ending: end of a file's name: ".index", "-offset-checkpoint"; or the whole name, if it begins with neither a dot
            nor a dash.
        what: a short description.
        module: name of the module of `kafkafmt.files` that reads it.
        max_bytes: maximal size of a file that is read whole, in bytes; 0 for logs, which are read in pieces.
        spec: name of the spec in formats/; None for a text file.
        entry: layout of an entry, if the file consists of entries of one size.
        syntax: syntax of a text file.
        effect: effect of the file on a broker, where its content does not show that.
        is_beside_log: whether it is found only in partition directories, where files of segments always are.
    """

    id: str
    ending: str
    what: str
    module: str
    max_bytes: int
    _: KW_ONLY
    spec: str | None = None
    entry: struct.Struct | None = None
    syntax: Literal["checkpoint", "properties", "json"] | None = None
    effect: str = ""
    is_beside_log: bool = False

    @property
    def is_of_segment(self) -> bool:
        """Whether a file's name is a base offset and an extension."""
        return self.ending == f".{self.id}"

    @property
    def is_whole_name(self) -> bool:
        """Whether Kafka has just one name for files of this kind."""
        return not self.is_of_segment and not self.ending.startswith("-")

    def parse(self, data: bytes, file: str) -> Any:  # noqa: ANN401 (each kind has a class of its own)
        """Parse a file of this kind with the `parse` of its module.

        Args:
            data: the whole file.
            file: its name, for error texts.

        Raises:
            KafkafmtError: the bytes have a fault.
        """
        return importlib.import_module(f"kafkafmt.files.{self.module}").parse(data, file=file)

    def read(self, location: "Location") -> Any:  # noqa: ANN401 (as above)
        """Read a file of this kind with the `read` of its module.

        Raises:
            KafkafmtError: the file cannot be read, or has a fault.
        """
        return importlib.import_module(f"kafkafmt.files.{self.module}").read(location)


# For a segment of 2 GiB of minimal batches (61 bytes), with an entry for each batch, a time index has 400 MiB.
_INDEX_BYTES = 512 * _MIB
# 60,000 lines of the longest topic names.
_CHECKPOINT_BYTES = 16 * _MIB

_IN_ORDER = (
    FileKind("log", ".log", "a log segment", "segment", 0, spec="kafka_log_segment"),
    FileKind("checkpoint", ".checkpoint", "a snapshot of the metadata log", "segment", 0, spec="kafka_log_segment"),
    FileKind(
        "index",
        ".index",
        "an offset index",
        "offset_index",
        _INDEX_BYTES,
        spec="kafka_offset_index",
        entry=struct.Struct(">ii"),
    ),
    FileKind(
        "timeindex",
        ".timeindex",
        "a time index",
        "time_index",
        _INDEX_BYTES,
        spec="kafka_time_index",
        entry=struct.Struct(">qi"),
    ),
    FileKind(
        "txnindex",
        ".txnindex",
        "a transaction index",
        "transaction_index",
        64 * _MIB,
        spec="kafka_transaction_index",
        entry=struct.Struct(">hqqqq"),
    ),
    FileKind(
        "snapshot",
        ".snapshot",
        "a producer snapshot",
        "producer_snapshot",
        32 * _MIB,
        spec="kafka_producer_snapshot",
    ),
    FileKind(
        "offsets",
        "-offset-checkpoint",
        "an offset checkpoint",
        "offset_checkpoint",
        _CHECKPOINT_BYTES,
        syntax="checkpoint",
    ),
    FileKind(
        "leader_epochs",
        "leader-epoch-checkpoint",
        "a leader epoch checkpoint",
        "leader_epoch_checkpoint",
        _CHECKPOINT_BYTES,
        syntax="checkpoint",
        is_beside_log=True,
    ),
    FileKind(
        "meta_properties",
        "meta.properties",
        "the properties of a log directory",
        "meta_properties",
        _MIB,
        syntax="properties",
    ),
    FileKind(
        "partition_metadata",
        "partition.metadata",
        "the topic id of a partition directory",
        "partition_metadata",
        _MIB,
        syntax="properties",
        is_beside_log=True,
    ),
    FileKind(
        "quorum_state",
        "quorum-state",
        "a node's record of the last election of the metadata quorum",
        "quorum_state",
        _MIB,
        syntax="json",
    ),
    FileKind(
        "rsm-manifest",
        ".rsm-manifest",
        "the manifest of a tiered segment, as Aiven's plugin writes it",
        "rsm_manifest",
        16 * _MIB,
        syntax="json",
    ),
    FileKind(
        "clean_shutdown",
        ".kafka_cleanshutdown",
        "the mark of a clean shutdown",
        "clean_shutdown",
        _MIB,
        syntax="json",
        effect="Kafka skips log recovery at the next start, and deletes it",
    ),
)

KINDS: Final = {kind.id: kind for kind in _IN_ORDER}
"""All kinds by id."""

LAYOUTS: Final = {kind.id: kind.entry for kind in _IN_ORDER if kind.entry is not None}
"""The layout of an entry, for kinds of files that consist of entries of one size."""


def without_suffix(name: str) -> tuple[str, str]:
    """Split a name into the name of the final or former file, and `.deleted`, `.cleaned`, `.swap` or `.part`.

    A broker gives such suffixes to files that it will delete, has not finished, or swaps in.
    """
    for suffix in _SUFFIXES:
        if name.endswith(suffix):
            return name.removesuffix(suffix), suffix
    return name, ""


def kind_of(name: str) -> FileKind | None:
    """The kind of a file by its name; None if it is not one of Kafka's."""
    name, _ = without_suffix(name)
    return next((kind for kind in KINDS.values() if name.endswith(kind.ending)), None)


def kind_by_extension(name: str) -> FileKind | None:
    """The kind of a segment's file by its name or URI, whatever suffixes follow the extension; else None."""
    base_name = name.partition("?")[0].replace("\\", "/").rpartition("/")[2]
    for part in reversed(base_name.split(".")[1:]):
        kind = KINDS.get(part)
        if kind is not None and kind.is_of_segment:
            return kind
    return None
