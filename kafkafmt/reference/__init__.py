"""The reference engine: the generated parsers, wrapped; batches and records as Python objects. No I/O."""
