"""Kafka's wire protocol: requests and responses as dictionaries, decoded from bytes and encoded to bytes. No I/O."""
