"""A pyarrow file system that wraps another one and counts requests."""

from collections import Counter
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs


class CountingHandler(pafs.FileSystemHandler):  # type: ignore[misc]
    """Delegates everything to `inner` and counts requests.

    Attributes:
        requests: number of requests by kind: "info", "list", "open", "read".
        bytes_read: number of bytes read.
        opened: paths of the files that were opened, in order.
    """

    def __init__(self, inner: pafs.FileSystem) -> None:
        self.inner = inner
        self.requests: Counter[str] = Counter()
        self.bytes_read = 0
        self.opened: list[str] = []

    def reset(self) -> None:
        self.requests.clear()
        self.bytes_read = 0
        self.opened.clear()

    def get_type_name(self) -> str:
        return "counting"

    def get_file_info(self, paths: list[str]) -> Any:
        self.requests["info"] += len(paths)
        return self.inner.get_file_info(paths)

    def get_file_info_selector(self, selector: pafs.FileSelector) -> Any:
        self.requests["list"] += 1
        return self.inner.get_file_info(selector)

    def open_input_file(self, path: str) -> Any:
        self.requests["open"] += 1
        self.opened.append(path)
        return pa.PythonFile(_CountingFile(self, self.inner.open_input_file(path)), mode="r")

    def normalize_path(self, path: str) -> str:
        return path

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("reading never writes, and opens files for random access")

    create_dir = delete_dir = delete_dir_contents = delete_root_dir_contents = delete_file = move = copy_file = _refuse
    open_input_stream = open_output_stream = open_append_stream = _refuse


class _CountingFile:
    def __init__(self, handler: CountingHandler, file: pa.NativeFile) -> None:
        self._handler = handler
        self._file = file

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._file.read(None if size < 0 else size)
        self._handler.requests["read"] += 1
        self._handler.bytes_read += len(data)
        return data

    def seek(self, position: int, whence: int = 0) -> int:
        return int(self._file.seek(position, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    @property
    def closed(self) -> bool:
        return bool(self._file.closed)

    def close(self) -> None:
        self._file.close()

    def flush(self) -> None:
        pass


def counting(inner: pafs.FileSystem) -> tuple[pafs.PyFileSystem, CountingHandler]:
    """A counting file system and its counter."""
    handler = CountingHandler(inner)
    return pafs.PyFileSystem(handler), handler
