"""Parsers that the Kaitai Struct compiler made of formats/: see tools/regenerate."""
