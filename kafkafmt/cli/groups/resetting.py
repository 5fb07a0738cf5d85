"""`kafkafmt groups --reset-file`: committed offsets for `kafka-consumer-groups.sh --reset-offsets --from-file`."""

import re
import shlex
from collections.abc import Iterable
from re import Pattern
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, FINDINGS, UNREADABLE, RowOptions
from kafkafmt.cli.frame import CommandFrame
from kafkafmt.cli.messages import say
from kafkafmt.cli.output import TableShape
from kafkafmt.phrases import counted, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.disks import Disks
    from kafkafmt.files.damage import Note
    from kafkafmt.topics.consumer_groups import CommittedOffset
    from kafkafmt.topics.consumer_groups.translation import TranslatedOffset

_SHAPE = TableShape(optional=("reason",))

_QUOTED = re.compile(r'[",]')
_UNFIT = re.compile(r"[\r\n]")


def write_reset_file(
    paths: tuple[str, ...], file: str, translate_to: tuple[str, ...], rows: RowOptions, wanted: dict[str, Any]
) -> int:
    """Write a reset file; with `translate_to` also show each offset and its translation; returns the exit code.

    Args:
        paths: the paths that are read.
        file: the file to write.
        translate_to: disks with another copy of the topics; empty to write the offsets as they are.
        rows: form of the rows.
        wanted: the arguments of `kafkafmt.topics.groups`.

    Raises:
        click.UsageError: the file is invalid, or a name cannot be written to it.
    """
    from kafkafmt.cli.output.destination import open_destination, require_writable
    from kafkafmt.topics.consumer_groups.translation import TRANSLATIONS, translations_table

    names = wanted["groups"]
    with_group = isinstance(names, Pattern) or len(set(names or ())) != 1
    rows.check(TRANSLATIONS.names)
    require_writable(file, (*paths, *translate_to), option="--reset-file")
    frame = CommandFrame(paths, topics=None, partitions=None)
    copy = CommandFrame(translate_to, topics=None, partitions=None) if translate_to else None
    with frame.asking() as disks:
        found = disks.groups(**wanted)
        offsets = [offset for group in found if group.type != "Share" for offset in group.offsets]
        translated, wrong = _translated(offsets, disks, copy.disks) if copy is not None else ([], [])
    if copy is None:
        lines = [ResetOffset(each.group_id, str(each.topic), each.partition, each.offset) for each in offsets]
    else:
        rows.write(translations_table(translated).to_batches(), TRANSLATIONS, _SHAPE, (*paths, *translate_to))
        known = [each for each in translated if each.translated is not None]
        lines = [ResetOffset(each.group, each.topic, each.partition, int(each.translated or 0)) for each in known]
    try:
        text = reset_file(lines, with_group=with_group)
    except ValueError as error:
        raise click.UsageError(f"{error}.") from error
    if lines:
        with open_destination(file, "csv", (*paths, *translate_to), option="--reset-file") as destination:
            destination.write(text.encode())
    status = frame.report(found)
    status = FINDINGS if wrong else status
    messages.say_some(wrong)
    uncertain = [each for each in translated if each.state != "matched"]
    if uncertain:
        partitions = listed([f"{each.group}: {each.topic}-{each.partition} ({each.state})" for each in uncertain])
        say(f"not in {file}, because no offset of the copy is certain: {partitions}")
    share = [group.group_id for group in found if group.type == "Share"]
    if share:
        say(f"note: left out share groups (kafka-share-groups.sh resets their start offsets): {listed(share)}")
    if lines:
        say(f"note: {counted(len(lines), 'offset')} in {file}; to set them, while the group is empty:")
        messages.say_command(_command(file, sorted({each.group for each in lines})))
    else:
        say(f"{file} was not written: no {'certain' if translated else 'committed'} offset")
    if not status:
        status = FINDINGS if uncertain else CLEAN if lines else UNREADABLE
    status = frame.end(status)
    return status if copy is None else copy.end(status)


def _translated(
    offsets: "Sequence[CommittedOffset]", disks: "Disks", copy: "Disks"
) -> "tuple[list[TranslatedOffset], list[Note]]":
    """The translations, and faults of the records by which they were found."""
    from kafkafmt.topics.consumer_groups.translation import OffsetTranslator

    translator = OffsetTranslator(disks, copy)
    return list(translator.translate(offsets)), list(translator.notes)


def _command(file: str, groups: "Sequence[str]") -> str:
    named = " ".join(f"--group {shlex.quote(group)}" for group in groups)
    return (
        f"kafka-consumer-groups.sh --bootstrap-server HOST:PORT {named} --reset-offsets "
        f"--from-file {shlex.quote(file)} --execute"
    )


class ResetOffset(NamedTuple):
    """A row of a reset file."""

    group: str
    topic: str
    partition: int
    offset: int


def reset_file(offsets: Iterable[ResetOffset], *, with_group: bool) -> str:
    """The text of a reset file.

    Source: `ConsumerGroupCommand.parseResetPlan`, which splits the file at line ends and reads each line as CSV without
    a header: `topic,partition,offset` for one `--group`, `group,topic,partition,offset` for several.

    Args:
        offsets: its rows, one line each.
        with_group: whether each line begins with the group, as Kafka requires for several groups.

    Raises:
        ValueError: a name has a line end, which Kafka cannot read from such a file.
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
