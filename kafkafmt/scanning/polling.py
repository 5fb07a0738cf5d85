"""Polling: the base class of followers, with poll, wait, and endless iteration."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Self

import pyarrow as pa

from kafkafmt.scanning.batching import Reader

if TYPE_CHECKING:
    from types import TracebackType


class Polling(ABC):
    """Polls growing logs; endless when iterated."""

    @abstractmethod
    def poll(self) -> Reader:
        """Return the records written since the last poll."""

    @abstractmethod
    def wait(self) -> None:
        """Wait until the next poll is due."""

    @abstractmethod
    def close(self) -> None:
        """End following."""

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        while True:
            yield from self.poll()
            self.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> None:
        self.close()
