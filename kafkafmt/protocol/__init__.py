"""Kafka's wire protocol: requests and responses as dictionaries, from and to bytes. No I/O."""
