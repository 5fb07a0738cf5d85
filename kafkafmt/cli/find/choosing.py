"""Choosing: the one partition that is searched, or each copy of it."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import UNREADABLE
from kafkafmt.cli.find.log import Log
from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.logdir import replicas, sources


def choose(searched: sources.Sources, topic: str | None, number: int | None, replica: str) -> list[Log]:
    """The copies of one partition that are to be searched; what was left to a better one is said on stderr.

    Args:
        searched: what the user named.
        topic: of the partition, or None where there is but one.
        number: of the partition, likewise.
        replica: "best" or "all".

    Raises:
        click.UsageError: there are several partitions, and it is not said which one.
        click.exceptions.Exit: there is none of that name.
        SourceError: it cannot be read.
    """
    for error in searched.unlisted(lambda name, which: topic in (None, name) and number in (None, which)):
        searched.report(error)
    found = searched.found
    here = {*((each.partition.topic, each.partition.partition) for each in found), *searched.unlisted_names}
    _require_one_of("topic", topic, sorted({name for name, _ in here if name is not None}))
    found = [each for each in found if topic in (None, each.partition.topic)]
    numbers = sorted({which for name, which in here if which is not None and topic in (None, name)})
    _require_one_of("partition", None if number is None else str(number), [*map(str, numbers)])
    found = [each for each in found if number in (None, each.partition.partition)]
    names = list(dict.fromkeys(each.partition.name if each.partition.topic is None else _name(each) for each in found))
    if len(names) > 1:
        raise click.UsageError(
            f"there are {len(names)} partitions here: choose one with --topic and --partition, or name its"
            f" directory. There are: {messages.listed(names)}."
        )
    if replica == "best":

        def broken(error: KafkafmtError) -> None:
            if isinstance(error, SourceError):
                searched.report(error)
            else:
                messages.say(error)

        found, skipped = replicas.best(
            found, broken, lambda divergence: messages.say(f"{divergence.other.path}: {divergence}")
        )
        messages.report_skipped_replicas(skipped)
    return sorted(_logs(found), key=lambda log: log.path)


def _logs(found: Sequence[sources.Found]) -> Iterator[Log]:
    """Each directory, and the files of one that were named themselves as one log."""
    files: dict[str, list[sources.Found]] = defaultdict(list)
    for each in found:
        if each.file is None:
            yield Log(each.partition)
        else:
            files[each.partition.location.identity].append(each)
    for group in files.values():
        segments = [each.file for each in group if each.file is not None]
        yield Log(group[0].partition, tuple(sorted(segments, key=lambda file: file.base_offset or 0)))


def _name(found: sources.Found) -> str:
    return f"{found.partition.topic}-{found.partition.partition}"


def _require_one_of(noun: str, wanted: str | None, names: Sequence[str]) -> None:
    if wanted is not None and wanted not in names:
        messages.say(f"no {noun} {wanted}. There are: {messages.listed(names) or 'none'}.")
        raise click.exceptions.Exit(UNREADABLE)
