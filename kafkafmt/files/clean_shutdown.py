"""The marker of a clean shutdown (`.kafka_cleanshutdown` in a log directory's root).

Kafka's CleanShutdownFileHandler. The file says that no recovery is needed. It has 0 bytes up to Kafka 3.6; since 3.7 it
holds JSON with the epoch of the broker that stopped (KIP-966).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.files import text
from kafkafmt.files.bounded import reader
from kafkafmt.libraries import pa

if TYPE_CHECKING:
    from kafkafmt.io.base import Location


FILE_NAME = ".kafka_cleanshutdown"
"""Name of the file in a log directory."""


@dataclass(frozen=True, slots=True)
class CleanShutdown:
    """The content of the marker.

    Attributes:
        version: version of the JSON, or None in a file of 0 bytes.
        broker_epoch: epoch of the broker when it stopped, or None where the file does not say.
        raw: the JSON object in the file; empty for a file of 0 bytes.
        file: name of the file, or None.
    """

    version: Annotated[int | None, "int32"]
    broker_epoch: Annotated[int | None, "int64"]
    raw: Mapping[str, object] = field(repr=False, hash=False)
    file: str | None

    @property
    def entries(self) -> tuple[tuple[str, object], ...]:
        """The keys and values of the JSON object, in file order."""
        return tuple(self.raw.items())

    def to_table(self) -> "pa.Table":
        """Make a table of one row: `version` int32, `brokerEpoch` int64, null where the file lacks them."""
        return TableColumns(*columns_of(CleanShutdown)).to_table([self])


def parse(data: bytes | memoryview, *, file: str | None = None) -> CleanShutdown:
    """Parse the marker of a clean shutdown; like Kafka, in any version that has a broker epoch.

    Args:
        data: the whole file; 0 bytes are a marker without a broker epoch.
        file: its name, for error texts.

    Raises:
        CorruptError: the file has bytes, but they are not a JSON object, or a field is of the wrong type.
    """
    if not data:
        return CleanShutdown(None, None, {}, file)
    raw = text.json_object(bytes(data), file=file)
    version = text.json_integer(raw.get("version", 0), 32, "version", file=file)
    epoch = raw.get("brokerEpoch")
    broker_epoch = None if epoch is None else text.json_integer(epoch, 64, "brokerEpoch", file=file)
    return CleanShutdown(version, broker_epoch, raw, file)


def encode(broker_epoch: int = -1) -> bytes:
    """Make the marker, as Kafka 3.7 and later write it."""
    return json.dumps({"version": 0, "brokerEpoch": broker_epoch}, separators=(",", ":")).encode()


read = reader("clean_shutdown", parse)


def is_marked(log_dir: "Location") -> bool:
    """Whether a log directory has the marker, so that a start recovers no segment that has its index.

    Raises:
        SourceError: a remote file system does not respond.
    """
    return log_dir.child(FILE_NAME).is_file()
