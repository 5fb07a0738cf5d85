"""Exit codes of every command: a script can trust them."""

CLEAN = 0
"""All was read, and nothing was found wrong."""

FINDINGS = 1
"""Something is wrong with the data: damage, a bad CRC, a check that failed; what could be read was delivered."""

USAGE = 2
"""The command line makes no sense."""

UNREADABLE = 3
"""A path cannot be read or written: missing, forbidden, vanished; or nothing is there of what was asked for."""

INTERRUPTED = 130
"""Stopped by the user (Ctrl-C), as shells count it."""
