"""The declarations of all formats as Kaitai Struct specs (`.ksy`), for kaitai-struct-compiler and the Web IDE.

They are part of the package, so that a client author needs no checkout. A spec imports others by name, from its own
folder or the one above.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from kafkafmt.errors import NotFoundError
from kafkafmt.io.uri import shown
from kafkafmt.phrases import listed

if TYPE_CHECKING:
    from kafkafmt.io.source import Source

_TITLE = re.compile(r"^  title: (.*)$", re.MULTILINE)
_IMPORTS = re.compile(r"^  imports:\n((?:    - \S+\n)+)", re.MULTILINE)
_NAMED_AT_MOST = 5


@dataclass(frozen=True, slots=True)
class Spec:
    """One Kaitai Struct spec.

    Attributes:
        name: its `meta/id`, which is also the name of its file without the extension.
        folder: `.` for the files of a log directory, `messages` for records of internal topics, `protocol` for requests
            and responses, `tiered` for remote storage.
        text: content of the file.
    """

    name: str
    folder: str
    text: str

    @property
    def title(self) -> str:
        """Title of the spec."""
        found = _TITLE.search(self.text)
        return found[1] if found else ""

    @property
    def imports(self) -> tuple[str, ...]:
        """Names of the specs that it imports directly."""
        found = _IMPORTS.search(self.text)
        return tuple(line.removeprefix("    - ") for line in found[1].splitlines()) if found else ()

    @property
    def file(self) -> str:
        """Path of its file, relative to the folder of all specs."""
        return f"{self.name}.ksy" if self.folder == "." else f"{self.folder}/{self.name}.ksy"


@cache
def specs() -> Mapping[str, Spec]:
    """All specs by path (`kafka_record`, `protocol/kafka_fetch_request`), as two folders may have the same name."""
    root = _root()
    found = {}
    for path in sorted(root.rglob("*.ksy"), key=lambda path: (len(path.parts), path)):
        folder = path.parent.relative_to(root).as_posix()
        name = path.stem
        found[name if folder == "." else f"{folder}/{name}"] = Spec(name, folder, path.read_text(encoding="utf-8"))
    return found


def with_imports(name: str) -> list[Spec]:
    """A spec and everything that it imports, directly or not.

    Args:
        name: name of the spec, with or without its folder.

    Raises:
        NotFoundError: no spec has that name, or several have.
    """
    found: dict[str, Spec] = {}
    waiting = [find(name)]
    while waiting:
        spec = waiting.pop()
        if spec.file not in found:
            found[spec.file] = spec
            waiting += [_imported(each, spec) for each in spec.imports]
    return [*found.values()]


def find(name: str) -> Spec:
    """The spec with a name, with or without its folder, and with or without `.ksy`.

    Raises:
        NotFoundError: no spec has that name, or several have.
    """
    wanted = name.removesuffix(".ksy").removeprefix("./")
    known = specs()
    if wanted in known:
        return known[wanted]
    same = [path for path, spec in known.items() if spec.name == wanted]
    if len(same) == 1:
        return known[same[0]]
    if same:
        raise NotFoundError(f"there are {len(same)} specs {wanted}: {', '.join(same)}")
    close = [path for path, spec in known.items() if wanted and wanted in spec.name]
    close = close or get_close_matches(wanted, known, _NAMED_AT_MOST)
    names = listed([*dict.fromkeys((*close, *known))], _NAMED_AT_MOST)
    raise NotFoundError(f"no spec {shown(wanted)}. There are: {names}.")


def write_specs(out: "Source", name: str | None = None) -> int:
    """Write specs to a new directory, in their folders; returns their number.

    Args:
        out: the directory; it must not exist.
        name: name of one spec, which is written with everything that it imports; None for all specs.

    Raises:
        NotFoundError: there is no such spec.
        SourceError: the directory exists, or cannot be written.
    """
    from kafkafmt.writing.target import new_directory, share  # noqa: PLC0415 - only needed to write

    wanted = [*specs().values()] if name is None else with_imports(name)
    with new_directory(out) as directory:
        for spec in wanted:
            path = directory / spec.file
            path.parent.mkdir(exist_ok=True)
            path.write_text(spec.text, encoding="utf-8")
        share(directory, (), below=True)
    return len(wanted)


def _imported(name: str, by: Spec) -> Spec:
    """The spec that an import in another spec refers to."""
    beside = name if by.folder == "." else f"{by.folder}/{name}"
    return specs().get(beside) or find(name)


def _root() -> Path:
    """The folder of all specs: inside the package, or next to it in a checkout."""
    package = Path(__file__).parent
    installed = package / "formats"
    return installed if installed.is_dir() else package.parent / "formats"
