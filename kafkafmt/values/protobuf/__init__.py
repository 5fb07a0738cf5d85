"""Protobuf values: schemas as .proto text or descriptors, the bytes of messages, and their Arrow types."""
