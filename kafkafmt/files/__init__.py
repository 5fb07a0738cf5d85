"""One module for each kind of file that Kafka keeps on disk, with `read(path)` and `parse(data)`.

`KINDS` names the modules. Each is loaded when it is first used, as importing file names must not wait for Arrow.
"""

import importlib
from typing import Any

from kafkafmt.files.kinds import KINDS

__all__ = list(dict.fromkeys(kind.module for kind in KINDS.values()))


def __getattr__(name: str) -> Any:  # noqa: ANN401 (a module; type checkers find the class of its content there)
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"kafkafmt.files.{name}")
