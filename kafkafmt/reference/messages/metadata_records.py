"""Records of `__cluster_metadata` and its snapshots."""

from kafkafmt_specs.kafka_metadata_record import KafkaMetadataRecord

from kafkafmt.reference.messages import framed

MetadataRecord = framed.FramedRecord

NAMES = framed.names_of(KafkaMetadataRecord)
"""Names of metadata records by number, in lower case."""


def decode(value: bytes) -> MetadataRecord:
    """Decode the value of a metadata record that is no control record.

    Raises:
        CorruptError: the bytes break a rule of the frame or of the message's spec; without file and position.
        UnsupportedError: a frame, number or version that is not known.
        LimitExceededError: as `decode_message`.
    """
    return framed.decode(value, NAMES, "a metadata record")
