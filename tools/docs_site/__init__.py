"""Builds the documentation site: pages of docs/, commands, the Python interface and all formats."""
