"""The reference engine: wraps the generated parsers, and returns batches and records as Python objects. No I/O."""
