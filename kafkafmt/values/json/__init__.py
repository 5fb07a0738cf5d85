"""JSON values: types from JSON Schemas, and values read by these types."""
