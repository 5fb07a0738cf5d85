"""`kafkafmt dump`: any file of a log directory as text, in the words of Kafka's DumpLogSegments 4.3.1.

This module is the command line, which has the options of Kafka's tool; `dispatch` chooses the module that dumps a file
by the file's name.
"""

from typing import TYPE_CHECKING, Any, Final

import click

from kafkafmt.cli.options import key_file_option
from kafkafmt.internal_topics import (
    CLUSTER_METADATA,
    CONSUMER_OFFSETS,
    REMOTE_LOG_METADATA,
    SHARE_GROUP_STATE,
    TRANSACTION_STATE,
)
from kafkafmt.reference.header import INT32_MAX

if TYPE_CHECKING:
    from kafkafmt.cli.dump.options import TopicDecoder

DECODER_OPTIONS: Final = {
    CONSUMER_OFFSETS: "offsets-decoder",
    TRANSACTION_STATE: "transaction-log-decoder",
    CLUSTER_METADATA: "cluster-metadata-decoder",
    REMOTE_LOG_METADATA: "remote-log-metadata-decoder",
    SHARE_GROUP_STATE: "share-group-state-decoder",
}
"""Options by topic. If several are given, the first in this order is used, as in Kafka's tool."""


DEFAULT_DECODER = "String"
# The type lets shells complete paths. The reader reports unreadable ones.
_PATH = click.Path(readable=False)


def _topic_decoders(function: Any) -> Any:  # noqa: ANN401 (click's decorators have no narrower type in common)
    for topic, name in reversed(DECODER_OPTIONS.items()):
        text = f"Decode the records of {topic}; implies --print-data-log."
        function = click.option(f"--{name}", is_flag=True, help=text)(function)
    return function


@click.command(
    epilog="""\b
Examples:
  kafkafmt dump --files orders-0/00000000000000000000.log --print-data-log
  kafkafmt dump orders-0                          # every file of a partition directory
  kafkafmt dump --verify-index-only orders-0/*.index orders-0/*.timeindex
  kafkafmt dump --files orders-0/00000000000000000000.log --value-decoder-class Long
  kafkafmt dump --offsets-decoder __consumer_offsets-7/*.log
  kafkafmt dump --print-data-log --max-bytes 65536 s3://backup/orders-0/00000000000000000000.log

\b
Exit status: 0 clean; 1 findings (a bad CRC, damage, a wrong index);
             2 wrong usage; 3 a file that cannot be read, or is not one of Kafka's.
"""
)
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=_PATH)
@click.option("--files", multiple=True, metavar="FILE,...", type=_PATH, help="Files to dump, separated by commas.")
@click.option("--print-data-log", is_flag=True, help="Print keys and values of records; implies --deep-iteration.")
@click.option("--deep-iteration", is_flag=True, help="Print records, not only batches.")
@click.option("--skip-record-metadata", is_flag=True, help="Print only keys and values of records.")
@click.option("--verify-index-only", is_flag=True, help="Check indexes against their log, without printing entries.")
@click.option(
    "--index-sanity-check",
    is_flag=True,
    help="Only check indexes as a broker before 4.0 does when it starts.",
)
@click.option(
    "--max-message-size",
    type=click.IntRange(0, INT32_MAX),
    default=5 * 1024 * 1024,
    metavar="BYTES",
    help="Accepted for scripts, and ignored: there is no limit here.",
)
@click.option(
    "--max-bytes",
    type=click.IntRange(0, INT32_MAX),
    default=INT32_MAX,
    metavar="BYTES",
    help="Dump only batches that end within the first BYTES of each log.",
)
@click.option(
    "--key-decoder-class",
    is_flag=False,
    flag_value=DEFAULT_DECODER,
    metavar="[DECODER]",
    help="String (the default), Integer, Long or Bytes, or Kafka's class of that name; implies --print-data-log.",
)
@click.option(
    "--value-decoder-class", is_flag=False, flag_value=DEFAULT_DECODER, metavar="[DECODER]", help="The same for values."
)
@_topic_decoders
@key_file_option()
def command(
    paths: tuple[str, ...],
    files: tuple[str, ...],
    *,
    print_data_log: bool,
    deep_iteration: bool,
    skip_record_metadata: bool,
    verify_index_only: bool,
    index_sanity_check: bool,
    max_message_size: int,  # noqa: ARG001 (of a batch that an index points to only the header is read)
    max_bytes: int,
    key_decoder_class: str | None,
    value_decoder_class: str | None,
    **topic_decoders: bool,
) -> int:
    """Print files as text, as kafka-dump-log.sh of Kafka 4.3.1 does: segments, indexes, producer and raft snapshots;
    and also checkpoints, meta.properties and the other small files. A PATH is a file, a directory whose files are
    dumped (but not its subdirectories), or a URI. Findings go to stderr.
    """  # noqa: D205 (click shows it as one paragraph)
    sources = [name for listed in files for name in listed.split(",") if name]
    sources += paths
    if not sources:
        raise click.UsageError("Name files with --files, or files and directories as PATH.")
    from kafkafmt.cli.dump.dispatch import dump_all
    from kafkafmt.cli.dump.options import DumpOptions, decoder_named

    topic_decoder = next((name for name in DECODER_OPTIONS.values() if topic_decoders[name.replace("-", "_")]), None)
    decoders = (key_decoder_class, value_decoder_class, topic_decoder)
    contents = print_data_log or any(decoder is not None for decoder in decoders)
    options = DumpOptions(
        print_data_log=contents,
        deep_iteration=deep_iteration or contents,
        skip_record_metadata=skip_record_metadata,
        verify_index_only=verify_index_only,
        index_sanity_check=index_sanity_check,
        max_bytes=None if max_bytes == INT32_MAX else max_bytes,
        key_decoder=decoder_named(key_decoder_class or DEFAULT_DECODER, "--key-decoder-class"),
        value_decoder=decoder_named(value_decoder_class or DEFAULT_DECODER, "--value-decoder-class"),
        topic_decoder=_topic_decoder(topic_decoder),
    )
    return dump_all(sources, options)


def _topic_decoder(name: str | None) -> "TopicDecoder | None":
    if name is None:
        return None
    from kafkafmt.cli.dump.topic_decoders import TOPIC_DECODERS  # the specs of all messages

    return TOPIC_DECODERS[name]
