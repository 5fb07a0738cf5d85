"""`--state`: a file of the next offset of each partition, so that a run takes only what is new since the last.

    {"version": 1,
     "offsets": {"orders": {"0": 1200, "1": 1187}},
     "topicIds": {"orders": "sWXgqNpSQJ-8TiyPHaGqtA"}}

`offsets` are the first offsets that were not read yet, as `kafkafmt.scan(start_offset=..)` takes them once partitions
are ints; `topicIds` those of partition.metadata, where there is one. Partitions that a run does not read keep theirs.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli.command import option
from kafkafmt.cli.messages import say
from kafkafmt.cli.options import WHICH
from kafkafmt.cli.printable import escape
from kafkafmt.errors import KafkafmtError
from kafkafmt.files.damage import listed

if TYPE_CHECKING:
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.scanning import Scan
    from kafkafmt.scanning.arguments import GivenEndOffset

_VERSION = 1
_OPTION = "'--state'"

TopicPartition = tuple[str, int]

state_option = option(
    "--state",
    type=click.Path(dir_okay=False, readable=False),
    metavar="FILE",
    group=WHICH,
    help="Only what is new since the last run with FILE, which holds the next offset of each partition. It is "
    "rewritten when all is delivered.",
)
"""`--state`."""


class State:
    """The next offset of each partition, and the ids of their topics.

    Args:
        path: the file; without one there is no offset yet.
        sources: what is read: no file of it is overwritten.

    Attributes:
        path: as given.
        was_written: whether `write` was called, and the next run begins elsewhere.

    Raises:
        click.BadParameter: it cannot be read, was not written by kafkafmt, or lies among Kafka's files.
    """

    _scan: "Scan"

    def __init__(self, path: str, sources: Sequence[str]) -> None:
        from kafkafmt.cli.output.destination import refuse_unfit

        try:
            refuse_unfit(path, sources)
        except click.BadParameter as error:
            error.param_hint = _OPTION
            raise
        self.path = path
        self._offsets: dict[TopicPartition, int] = {}
        self._topic_ids: dict[str, str] = {}
        self._starts: dict[TopicPartition, int] = {}
        self._sources = sources
        self.was_written = False
        try:
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
        except FileNotFoundError:
            return
        except (OSError, ValueError, RecursionError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not JSON"
            raise click.BadParameter(f"{escape(path)} cannot be read: {reason}.", param_hint=_OPTION) from error
        try:
            self._take(content)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise click.BadParameter(
                f"{escape(path)} is not a state that --state has written; see docs/command_line.md.", param_hint=_OPTION
            ) from error

    def resumed(self, scan: "Scan", end_offset: "GivenEndOffset | None") -> "Scan":
        """A scan of what is new in another one, for `write`; stderr says what is not as it was left.

        Args:
            scan: what is to be read, from its start.
            end_offset: its end offset.
        """
        self._scan = scan.narrowed(start_offset=self._start_offsets(scan), end_offset=end_offset)
        return self._scan

    def _start_offsets(self, scan: "Scan") -> dict[TopicPartition, int]:
        """Where to begin in each partition that has been read before."""
        starts: dict[TopicPartition, int] = {}
        missed: list[str] = []
        there: set[TopicPartition] = set()
        for partition in scan.best_partitions():
            if partition.topic is None or partition.partition is None:
                continue
            name = partition.topic, partition.partition
            there.add(name)
            if name not in self._offsets:
                continue
            start, remarks = self._start_of(partition, name)
            missed += remarks
            if start is not None:
                starts[name] = start
        gone = sorted(name for name in self._offsets.keys() - there if scan.takes(*name))
        if gone:
            missed.append(f"{listed([f'{topic}-{number}' for topic, number in gone])}: read before, and not there now")
        for text in missed:
            say(f"note: {text}")
        self._starts = starts
        return starts

    def _start_of(self, partition: "Partition", name: TopicPartition) -> tuple[int | None, list[str]]:
        """Where to begin in a partition, None for its start; and what is not as it was left."""
        offset, known = self._offsets[name], self._topic_ids.get(name[0])
        topic_id, begin, end = _found(partition)
        label = f"{partition.name}: "
        if known is not None and topic_id is not None and known != topic_id:
            text = f"the topic was recreated (its id was {known}, and is {topic_id}): read from its start"
            return None, [f"{label}{text}"]
        if end is not None and end < offset:
            if known is not None and known == topic_id:
                text = f"the log was cut: it ends at offset {end}, below the next offset {offset} of the last run"
                return end, [f"{label}{text}"]
            text = f"the log ends at offset {end}, below the next offset {offset} of the last run, so the topic was"
            return None, [f"{label}{text} recreated or its log cut: read from its start"]
        if begin is not None and begin > offset:
            text = f"offsets {offset} to {begin - 1} were deleted since the last run, and never read"
            return offset, [f"{label}{text}"]
        return offset, []

    def write(self) -> None:
        """Write where the next run begins: where the scan that was resumed has ended, for partitions that it has read.

        Raises:
            click.BadParameter: the file cannot be written, or lies among Kafka's files.
            KafkafmtError: as `Scan.end_offsets` raises.
        """
        # With read_committed, or before --end-offset, a scan can end below where it was to begin.
        ends = {name: max(end, self._starts.get(name, 0)) for name, end in self._scan.end_offsets().items()}
        found = {
            partition.topic: topic_id
            for partition in self._scan.best_partitions()
            if partition.topic is not None and (topic_id := _found(partition)[0]) is not None
        }
        recreated = {topic for topic, known in self._topic_ids.items() if found.get(topic, known) != known}
        offsets = {name: offset for name, offset in self._offsets.items() if name[0] not in recreated} | ends
        ids = {**self._topic_ids, **found}
        by_topic: dict[str, dict[str, int]] = {}
        for (topic, number), offset in sorted(offsets.items()):
            by_topic.setdefault(topic, {})[str(number)] = offset
        content = {"version": _VERSION, "offsets": by_topic, "topicIds": dict(sorted(ids.items()))}
        from kafkafmt.cli.output.destination import open_destination

        with open_destination(self.path, "json", self._sources, option="--state") as destination:
            destination.write(json.dumps(content, indent=1, ensure_ascii=False).encode("utf-8") + b"\n")
        self.was_written = True

    def _take(self, content: dict[str, Any]) -> None:
        if content["version"] != _VERSION:
            raise ValueError("another version")
        for topic, offsets in content["offsets"].items():
            for number, offset in offsets.items():
                if not isinstance(offset, int) or offset < 0:
                    raise ValueError("not an offset")
                self._offsets[topic, int(number)] = offset
        for topic, topic_id in content["topicIds"].items():
            self._topic_ids[topic] = str(topic_id)


def _found(partition: "Partition") -> tuple[str | None, int | None, int | None]:
    """Topic id, log start and log end offset of a partition; None for what cannot be read, which a pass will say."""
    topic_id = begin = end = None
    with suppress(KafkafmtError):
        topic_id = partition.topic_id
    with suppress(KafkafmtError):
        begin = partition.log_start_offset
    with suppress(KafkafmtError):
        end = partition.log_end_offset
    return topic_id, begin, end
