"""Avro: schemas, and values as written or as resolved to another schema."""
