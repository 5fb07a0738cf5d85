"""A column that an engine would silently leave constant raises an error when the columnar engine is imported."""

from typing import Any

import pytest

from kafkafmt.columnar import decoder, message_decoder
from kafkafmt.record_columns import COLUMNS, RecordColumn


def column(**given: Any) -> RecordColumn:
    return RecordColumn("entrySize", "int32", **given)


def test_all_columns_have_their_values() -> None:
    decoder.require_filled(COLUMNS.values())
    message_decoder.require_filled(COLUMNS.values())


@pytest.mark.parametrize(
    "given",
    [
        {"of_batch": lambda batch: batch.size_in_bytes, "field": "size", "absent": -1},
        {"of_batch": lambda batch: batch.size_in_bytes, "field": "size"},
        {"of_record": lambda record: len(record.key), "absent": 0},
    ],
)
def test_a_constant_for_messages_that_have_a_value(given: dict[str, Any]) -> None:
    with pytest.raises(
        TypeError, match="column entrySize: format v0 has a value, and no kernel fills it: make `absent`"
    ):
        message_decoder.require_filled([column(**given)])


def test_a_field_that_only_v1_has() -> None:
    late = column(of_batch=lambda batch: batch.max_timestamp, field="max_timestamp", absent=-1)
    with pytest.raises(TypeError, match="column entrySize: format v1 has a value"):
        message_decoder.require_filled([late])


@pytest.mark.parametrize(
    "given",
    [
        {"of_batch": lambda batch: batch.base_sequence, "field": "base_sequence", "absent": -1},
        {"of_batch": lambda batch: batch.magic * 2, "field": "magic", "absent": lambda magic, _: magic * 2},
        {"of_origin": lambda origin: origin.file},
    ],
)
def test_what_messages_do_not_have_or_say_themselves(given: dict[str, Any]) -> None:
    message_decoder.require_filled([column(**given)])
    decoder.require_filled([column(**given)])


def test_no_source_in_format_2() -> None:
    with pytest.raises(TypeError, match="column entrySize: format 2 has no value: name the `field` of the header"):
        decoder.require_filled([column(of_record=lambda record: record.sequence, absent=-1)])
