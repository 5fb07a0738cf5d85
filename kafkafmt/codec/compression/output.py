"""What a codec has decompressed so far, held to the cap."""

from io import BytesIO

from kafkafmt.errors import LimitExceededError
from kafkafmt.limits import Limits


class CappedOutput:
    """Gathers decompressed parts, as few copies as possible and no memory beyond the content itself.

    Args:
        codec: name of the codec, for the error.
        limits: `max_decompressed_bytes` is the cap.

    Attributes:
        limit: the cap, in bytes.
        room: how many bytes may still come.
    """

    __slots__ = ("_codec", "_first", "_stream", "limit", "room")

    def __init__(self, codec: str, limits: Limits) -> None:
        self.limit = limits.max_decompressed_bytes
        self.room = self.limit
        self._codec = codec
        self._first = b""
        # Millions of tiny parts in a list would take many times their content.
        self._stream: BytesIO | None = None

    def expect(self, size: int) -> None:
        """Refuse a part of `size` bytes, before it is made, if it passes the cap.

        Raises:
            LimitExceededError: there is no room for it.
        """
        if size > self.room:
            raise LimitExceededError(
                f"{self._codec} data decompress beyond max_decompressed_bytes",
                expected=self.limit,
                found=self.limit - self.room + size,
            )

    def reserve(self, size: int) -> None:
        """Take a part of `size` bytes off the room, without the part.

        Raises:
            LimitExceededError: it passes the cap.
        """
        self.expect(size)
        self.room -= size

    def add(self, part: bytes) -> None:
        """Append a part.

        Raises:
            LimitExceededError: it passes the cap.
        """
        size = len(part)
        self.reserve(size)
        if self._stream is not None:
            self._stream.write(part)
        elif not self._first:
            self._first = part
        elif size:
            self._stream = BytesIO()
            self._stream.write(self._first)
            self._stream.write(part)

    def content(self) -> bytes:
        """Give all parts in one; a single one is not copied."""
        return self._first if self._stream is None else self._stream.getvalue()
