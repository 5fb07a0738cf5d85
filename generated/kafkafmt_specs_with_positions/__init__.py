"""Parsers of formats/ that know where each field lies, and docs: see tools/regenerate."""
