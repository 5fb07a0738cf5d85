"""What the options of one run come to."""

from dataclasses import dataclass

from kafkafmt.cli.dump.decoders import Decoder, TopicDecoder, decode_string


@dataclass(frozen=True, slots=True)
class DumpOptions:
    """How to dump.

    Attributes:
        print_data_log: whether to print keys and values.
        deep_iteration: whether to print records, not only batches.
        skip_record_metadata: whether to leave out all of a record but its key and value.
        verify_index_only: whether to check indexes without printing their entries.
        index_sanity_check: whether to do to indexes no more than what a broker does when it loads them.
        max_bytes: of a log only batches within so many first bytes; None for all.
        key_decoder: makes text of keys.
        value_decoder: makes text of values.
        topic_decoder: makes text of the records of an internal topic, instead of the other two; None for other logs.
    """

    print_data_log: bool = False
    deep_iteration: bool = False
    skip_record_metadata: bool = False
    verify_index_only: bool = False
    index_sanity_check: bool = False
    max_bytes: int | None = None
    key_decoder: Decoder = decode_string
    value_decoder: Decoder = decode_string
    topic_decoder: TopicDecoder | None = None
