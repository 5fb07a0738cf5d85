"""Records of `__remote_log_metadata`: which segments of tiered topics lie in remote storage."""

from kafkafmt_specs.kafka_remote_log_metadata import KafkaRemoteLogMetadata

from kafkafmt.reference.messages import framed

NAMES = framed.names_of(KafkaRemoteLogMetadata)
"""Names of records by number, in lower case."""


def decode(value: bytes) -> framed.FramedRecord:
    """Decode the value of a record of remote log metadata.

    Raises:
        CorruptError: the bytes break a rule of the frame or of the message's spec; without file and position.
        UnsupportedError: a frame, number or version that is not known.
        LimitExceededError: as `decode_message`.
    """
    return framed.decode(value, NAMES, "a record of remote log metadata")
