"""Rows of what the key and the value of a control record say: markers of transactions, records of the metadata log."""

from kafkafmt_specs_with_positions.kafka_control_record_key import KafkaControlRecordKey
from kafkafmt_specs_with_positions.kafka_end_transaction_marker import KafkaEndTransactionMarker
from kafkafmt_specs_with_positions.kafka_kraft_version_record import KafkaKraftVersionRecord
from kafkafmt_specs_with_positions.kafka_leader_change_message import KafkaLeaderChangeMessage
from kafkafmt_specs_with_positions.kafka_snapshot_footer_record import KafkaSnapshotFooterRecord
from kafkafmt_specs_with_positions.kafka_snapshot_header_record import KafkaSnapshotHeaderRecord
from kafkafmt_specs_with_positions.kafka_voters_record import KafkaVotersRecord

from kafkafmt.cli.inspect import documentation
from kafkafmt.cli.inspect.notes import EntryNotes
from kafkafmt.cli.inspect.rows import Row, Walk, more_telling, parse
from kafkafmt.errors import KafkafmtError, LimitExceededError
from kafkafmt.reference import control

_VALUES: dict[str, type] = {
    "ABORT": KafkaEndTransactionMarker,
    "COMMIT": KafkaEndTransactionMarker,
    "LEADER_CHANGE": KafkaLeaderChangeMessage,
    "SNAPSHOT_HEADER": KafkaSnapshotHeaderRecord,
    "SNAPSHOT_FOOTER": KafkaSnapshotFooterRecord,
    "KRAFT_VERSION": KafkaKraftVersionRecord,
    "KRAFT_VOTERS": KafkaVotersRecord,
}
"""Specs of the values of control records."""


def expand(rows: list[Row], notes: EntryNotes) -> list[Row]:
    """Put the fields of a control record's key and value behind their rows."""
    expanded = []
    control_type = control.UNKNOWN_CONTROL_TYPE
    for row in rows:
        expanded.append(row)
        if row.field.endswith(".body.key") and isinstance(row.value, bytes):
            control_type = control.type_name(control.type_id_of(row.value))
            expanded += _fields_within(row, KafkaControlRecordKey, "kafka_control_record_key", notes)
        elif row.field.endswith(".body.value") and isinstance(row.value, bytes) and control_type in _VALUES:
            expanded += _control_value(row, row.value, control_type, notes)
    return expanded


def _control_value(row: Row, value: bytes, control_type: str, notes: EntryNotes) -> list[Row]:
    error: KafkafmtError | None = None
    try:
        if control_type in control.TRANSACTION_MARKERS:
            control.coordinator_epoch_of(value)
        else:
            control.value_of(control_type, value)
    except LimitExceededError as too_large:
        row.error = too_large
        return []
    except KafkafmtError as unreadable:
        error = unreadable
    parser = _VALUES[control_type]
    return _fields_within(row, parser, parser.__module__.rpartition(".")[2], notes, error)


def _fields_within(
    row: Row, parser: type, type_name: str, notes: EntryNotes, error: KafkafmtError | None = None
) -> list[Row]:
    parsed, positioned = parse(parser, row.data)
    walk = Walk(row.space, notes)
    walk.structure(parsed, row.begin, row.end, f"{row.field}.", more_telling(error, positioned))
    if walk.end < row.end:
        walk.unread(f"{row.field}.(rest)", walk.end, row.end, "not parsed: Kafka passes over it")
    row.is_group, row.type, row.value = True, type_name, None
    row.meaning = documentation.meaning_of_type(parser)
    return walk.rows
