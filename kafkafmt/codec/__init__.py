"""Conversions of bytes to bytes and to numbers: checksums, Java's text, compression. No I/O."""
