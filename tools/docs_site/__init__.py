"""Builds the documentation site: the pages of docs/, the commands, the Python interface and all formats."""
