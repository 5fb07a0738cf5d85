"""Options of the writer: the arguments of `kafkafmt.write`, in Spark's spelling."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kafkafmt.codec.compression import LABELS
from kafkafmt.writing.partitions import WriteOptions, check_id
from pyspark_kafkafmt import option_errors, option_values
from pyspark_kafkafmt.option_errors import OptionError
from pyspark_kafkafmt.option_values import INT_MAX, LONG_MAX


def _number(least: int, most: int) -> Callable[[str, str], int]:
    return lambda option, value: option_values.whole_number(option, value, least, most)


def _word(*choices: str) -> Callable[[str, str], str]:
    return lambda option, value: option_values.choice(option, value, choices)


def _text(option: str, value: str) -> str:
    if not value.strip():
        raise OptionError(option, value, "an empty text", "leave the option out, or give a value")
    return value


def _id(option: str, value: str) -> str:
    check_id(f"option {option}", value)
    return value


ROW_OPTIONS: Final[dict[str, tuple[str, Callable[[str, str], Any]]]] = {
    "topic": ("topic", _text),
    "partitions": ("partitions", option_values.counts),
    "topicIds": ("topic_ids", option_values.texts),
    "messageFormat": ("message_format", _number(0, 2)),
    "compression": ("compression", _word(*LABELS.values())),
    "compressionLevel": ("compression_level", _number(-INT_MAX, INT_MAX)),
    "batchBytes": ("batch_bytes", option_values.size),
    "segmentBytes": ("segment_bytes", option_values.size),
    "segmentMs": ("segment_ms", _number(1, LONG_MAX)),
    "indexIntervalBytes": ("index_interval_bytes", option_values.size),
    "indexMaxBytes": ("index_max_bytes", option_values.size),
    "timestampType": ("timestamp_type", _word("CreateTime", "LogAppendTime")),
    "leaderEpoch": ("leader_epoch", _number(0, INT_MAX)),
}
"""Options for how rows are written: the argument of `kafkafmt.write`, and the function that reads the value."""

NODE_OPTIONS: Final[dict[str, tuple[str, Callable[[str, str], Any]]]] = {
    "clusterId": ("cluster_id", _text),
    "nodeId": ("node_id", _number(0, INT_MAX)),
    "directoryId": ("directory_id", _id),
}
"""Options for meta.properties, by their argument of `kafkafmt.write`."""

_PATH: Final = "path"
_KNOWN: Final = {name.lower(): name for name in (_PATH, *ROW_OPTIONS, *NODE_OPTIONS)}
_LEAST_LIKENESS: Final = 0.8


@dataclass(frozen=True)
class SinkOptions:
    """All options of a write, checked.

    Attributes:
        path: the log directory, which must not exist.
        rows: how rows are written.
        node: cluster_id, node_id and directory_id, if given.
    """

    path: str
    rows: WriteOptions
    node: Mapping[str, Any]

    @classmethod
    def parse(cls, options: Mapping[str, str]) -> "SinkOptions":
        """Check the options of the user.

        Args:
            options: values by name, in any case.

        Raises:
            OptionError: a value is invalid, a name is unknown, or there is no path.
            ValueError: values contradict each other.
        """
        given: dict[str, str] = {}
        for name, value in options.items():
            known = _KNOWN.get(name.lower())
            if known is not None:
                given[known] = value
            else:
                near = difflib.get_close_matches(name.lower(), list(_KNOWN), n=2, cutoff=_LEAST_LIKENESS)
                raise option_errors.no_such_option(name, value, [_KNOWN[each] for each in near], _KNOWN.values())
        if not given.get(_PATH, "").strip():
            raise OptionError(_PATH, given.get(_PATH), "no directory to write is named", 'as in .save("/backup/new")')
        rows, node = (
            {argument: read(name, given[name]) for name, (argument, read) in table.items() if name in given}
            for table in (ROW_OPTIONS, NODE_OPTIONS)
        )
        return cls(given[_PATH], WriteOptions(**rows), node)
