"""UUIDs as Kafka prints them (`org.apache.kafka.common.Uuid`): topic ids, directory ids."""

from base64 import urlsafe_b64encode


def format_uuid(data: bytes) -> str:
    """Print the 16 bytes of a UUID as 22 characters of URL-safe base64."""
    return urlsafe_b64encode(data).decode("ascii").rstrip("=")
