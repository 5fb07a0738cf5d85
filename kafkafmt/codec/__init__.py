"""Bytes to bytes and bytes to numbers: varints, checksums, Java's text, compression. No I/O."""
