"""Topic ids of a stream: which topics its offsets belong to, even after a restart.

The offsets in a checkpoint have the form of Spark's kafka source, without ids. So the reader remembers the ids at the
last offsets; with the option `checkpointLocation` it keeps them there, in a file that Spark ignores.
"""

import json
import os
from typing import TYPE_CHECKING, Final, TypeAlias

from pyspark_kafkafmt import option_errors
from pyspark_kafkafmt.paths import plain_scheme

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyarrow.fs import FileSystem

    from pyspark_kafkafmt.option_errors import TopicPartition

FILE: Final = "kafkafmt-topic-ids.json"
"""Name of the file in the checkpoint."""

# The offsets at which a batch starts, which Spark has, and those at which it ends, which Spark may not have yet.
_KEPT: Final = 2

Ids: TypeAlias = "dict[TopicPartition, str]"
Offsets: TypeAlias = "Mapping[TopicPartition, int]"


class StreamTopicIds:
    """Ids of the topics at the last offsets of a stream.

    Args:
        checkpoint: directory or URI of the query's checkpoint; None to keep the ids only in memory.

    Raises:
        OptionError: the file in the checkpoint cannot be read.
    """

    def __init__(self, checkpoint: str | None) -> None:
        self._entries: list[tuple[dict[TopicPartition, int], Ids]] = []
        self._file: tuple[FileSystem, str] | None = None
        if checkpoint is None:
            return
        import pyarrow.fs

        try:
            if ":" in checkpoint.partition("/")[0]:  # a URI, as for Spark, even with one slash
                filesystem, path = pyarrow.fs.FileSystem.from_uri(plain_scheme(checkpoint))
                self._file = filesystem, f"{path.rstrip('/')}/{FILE}"
            else:
                self._file = pyarrow.fs.LocalFileSystem(), os.path.join(os.path.abspath(checkpoint), FILE)
        except (ValueError, OSError) as error:
            raise option_errors.no_checkpoint(checkpoint, str(error)) from error
        try:
            self._entries = self._read(*self._file)
        except OSError as error:
            raise option_errors.no_checkpoint(checkpoint, str(error)) from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise option_errors.unreadable_topic_ids(checkpoint, FILE, str(error)) from error

    def at(self, offsets: Offsets, now: Ids) -> Ids:
        """The ids at some offsets; if they are unknown, the current ids are used for these offsets.

        Raises:
            OptionError: the file in the checkpoint cannot be written.
        """
        for known, ids in reversed(self._entries):
            if known == offsets:
                return ids
        # Kept before the last entry, which may be the end of the batch that starts here.
        self._keep([*self._entries[:-1], (dict(offsets), dict(now)), *self._entries[-1:]])
        return now

    def remember(self, offsets: Offsets, ids: Ids, start: "Offsets | None" = None) -> None:
        """Remember the ids at some offsets, before Spark gets the offsets.

        Args:
            offsets: where a batch ends.
            ids: ids of the topics there.
            start: where it starts, if known: the ids at the start are kept, however often the batch is planned.

        Raises:
            OptionError: the file in the checkpoint cannot be written.
        """
        if self._entries and self._entries[-1][0] == offsets:
            return  # the same batch again: keep its ids, so that a topic recreated since is still found
        kept = [entry for entry in self._entries if entry[0] != offsets and (start is None or entry[0] == start)]
        self._keep([*kept, (dict(offsets), dict(ids))])

    def _keep(self, entries: "list[tuple[dict[TopicPartition, int], Ids]]") -> None:
        self._entries = entries[-_KEPT:]
        if self._file is None:
            return
        filesystem, path = self._file
        content = [
            {
                "offsets": [[topic, number, offset] for (topic, number), offset in sorted(known.items())],
                "topicIds": [[topic, number, topic_id] for (topic, number), topic_id in sorted(kept_ids.items())],
            }
            for known, kept_ids in self._entries
        ]
        try:
            filesystem.create_dir(os.path.dirname(path), recursive=True)
            with filesystem.open_output_stream(f"{path}.new") as file:
                file.write(json.dumps(content).encode())
            filesystem.move(f"{path}.new", path)
        except OSError as error:
            raise option_errors.no_checkpoint(os.path.dirname(path), str(error)) from error

    @staticmethod
    def _read(filesystem: "FileSystem", path: str) -> "list[tuple[dict[TopicPartition, int], Ids]]":
        import pyarrow.fs

        if filesystem.get_file_info(path).type == pyarrow.fs.FileType.NotFound:
            return []
        with filesystem.open_input_stream(path) as file:
            content = json.loads(file.read())
        return [
            (
                {(topic, number): offset for topic, number, offset in entry["offsets"]},
                {(topic, number): topic_id for topic, number, topic_id in entry["topicIds"]},
            )
            for entry in content
        ]
