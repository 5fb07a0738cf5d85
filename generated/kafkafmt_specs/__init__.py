"""Parsers that the Kaitai Struct compiler made of the specs in formats/: see tools/regenerate."""
