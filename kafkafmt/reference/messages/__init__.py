"""Messages that Kafka stores in its own topics: consumer offsets, transactions, share groups, cluster metadata."""

from kafkafmt.reference.messages.decoding import ApiMessage, decode_message
from kafkafmt.reference.messages.schema import Field, Message, message, message_names

__all__ = ["ApiMessage", "Field", "Message", "decode_message", "message", "message_names"]
