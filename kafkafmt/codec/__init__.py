"""Bytes to bytes and bytes to numbers: checksums, Java's text, compression. No I/O."""
