"""Reset files: committed offsets as `kafka-consumer-groups.sh --reset-offsets --from-file` reads them.

Source: `ConsumerGroupCommand.parseResetPlan`, which splits the file at line ends and reads each line as CSV without a
header: `topic,partition,offset` for one `--group`, `group,topic,partition,offset` for several.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

_QUOTED = re.compile(r'[",]')
_UNFIT = re.compile(r"[\r\n]")


class ResetOffset(NamedTuple):
    """An offset for a reset file."""

    group: str
    topic: str
    partition: int
    offset: int


def reset_file(offsets: Iterable[ResetOffset], *, with_group: bool) -> str:
    """The text of a reset file.

    Args:
        offsets: what it has, a line each.
        with_group: whether each line begins with the group, as Kafka demands for several.

    Raises:
        ValueError: a name with a line end, which Kafka cannot read from such a file.
    """
    return "".join(map(_with_group if with_group else _without_group, offsets))


def _with_group(each: ResetOffset) -> str:
    return f"{_quoted(each.group)},{_without_group(each)}"


def _without_group(each: ResetOffset) -> str:
    return f"{_quoted(each.topic)},{each.partition},{each.offset}\n"


def _quoted(name: str) -> str:
    if _UNFIT.search(name):
        raise ValueError(f"{name!r} has a line end: Kafka cannot read it from a reset file")
    if not _QUOTED.search(name) and name == name.strip():
        return name
    return '"' + name.replace('"', '""') + '"'
