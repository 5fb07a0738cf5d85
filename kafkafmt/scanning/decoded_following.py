"""DecodedFollower: decoded records of growing logs, the result of `DecodedScan.follow`."""

from typing import TYPE_CHECKING, Any

from kafkafmt.files.damage import Note
from kafkafmt.libraries import pa
from kafkafmt.public import short
from kafkafmt.scanning.batching import Reader
from kafkafmt.scanning.polling import Polling

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from kafkafmt.files.damage import Damage
    from kafkafmt.scanning.decoded_scan import DecodedScan
    from kafkafmt.scanning.following import Follower


class DecodedFollower(Polling):
    """Decoded record batches of growing logs: the present ones, then new ones. Made by `DecodedScan.follow`.

    Used like a `Follower`: iterated without end, or polled.

    Args:
        decoded: decodes the records.
        follower: reads the records.

    Attributes:
        schema: Arrow schema of the batches.
    """

    def __init__(self, decoded: "DecodedScan[Any]", follower: "Follower") -> None:
        self.schema: pa.Schema = decoded.schema
        self._decoded, self._follower = decoded, follower
        # Read but not yet decoded; the follower will not give it again.
        self._undecoded: pa.RecordBatch | None = None
        decoded.account = decoded.decoder.new_account()

    @property
    def damage(self) -> "list[Damage]":
        """Damage of polls, as `Follower.damage`."""
        return self._follower.damage

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes of polls, as `Follower.notes`, and notes on records that could not be decoded."""
        return (*self._follower.notes, *self._decoded.undecoded())

    def poll(self) -> Reader:
        """Decode the records written since the last poll, or at the first poll the present ones; perhaps none.

        Raises:
            KafkafmtError: from the reader, as for `Follower.poll`, or at a key or value that cannot be decoded. The
                next poll begins with the same batch and fails again; with `on_damage="skip"`, `Scan.decode` continues
                after it.
        """
        reader = self._follower.poll()
        return Reader(self.schema, self._batches(reader), reader.damage)

    def wait(self) -> None:
        """Wait until the next poll is due, as `Follower.wait`."""
        self._follower.wait()

    def close(self) -> None:
        """Close the follower, as `Follower.close`."""
        self._follower.close()

    def __repr__(self) -> str:
        return short(f"<DecodedFollower of {self._decoded.decoder.label}: {', '.join(self.schema.names)}>")

    def _batches(self, reader: Reader) -> "Generator[pa.RecordBatch, None, None]":
        with reader:
            if self._undecoded is not None:
                yield from self._rows(self._undecoded)
            for batch in reader:
                yield from self._rows(batch)

    def _rows(self, batch: "pa.RecordBatch") -> "Iterator[pa.RecordBatch]":
        """The decoded rows of a batch, which is kept until all have been taken.

        Raises:
            KafkafmtError: a key or value cannot be decoded.
        """
        self._undecoded = batch
        yield from self._decoded.decode_batch(batch)
        self._undecoded = None
