"""What members of a classic consumer group tell and get: subscriptions and assignments, inside `GroupMetadataValue`."""

from kafkafmt.reference.messages.api_message import ApiMessage
from kafkafmt.reference.messages.decoding import decode_message, version_of
from kafkafmt.reference.messages.schema import message


def decode_subscription(data: bytes) -> ApiMessage:
    """Decode a `ConsumerProtocolSubscription` with its version in front; later versions are read as the last known.

    Raises:
        CorruptError: the bytes break a rule of the message's spec; without file and position.
        LimitExceededError: as `decode_message`.
    """
    return _decode("ConsumerProtocolSubscription", data)


def decode_assignment(data: bytes) -> ApiMessage:
    """Decode a `ConsumerProtocolAssignment` with its version in front; later versions are read as the last known.

    Raises:
        CorruptError: the bytes break a rule of the message's spec; without file and position.
        LimitExceededError: as `decode_message`.
    """
    return _decode("ConsumerProtocolAssignment", data)


def decode_sticky_user_data(data: bytes) -> ApiMessage:
    """Decode the user data of the assignor `sticky`: version 1 if it ends with a generation, else 0, as Kafka does.

    Raises:
        CorruptError: the bytes break a rule of the message's spec; without file and position.
        LimitExceededError: as `decode_message`.
    """
    decoded = decode_message("StickyAssignorUserData", 1, data)
    return decoded if decoded.data["generation"] is not None else decode_message("StickyAssignorUserData", 0, data)


def decode_cooperative_sticky_user_data(data: bytes) -> ApiMessage:
    """Decode the user data of the assignor `cooperative-sticky`.

    Raises:
        CorruptError: it is shorter than a generation; without file and position.
    """
    return decode_message("CooperativeStickyAssignorUserData", 0, data)


def _decode(name: str, data: bytes) -> ApiMessage:
    version = min(version_of(data), message(name).last_version)
    return decode_message(name, version, data[2:])
