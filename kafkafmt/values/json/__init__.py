"""JSON values: the types of JSON Schemas, and values read by them."""
