"""Bytes at rest: locations on local disks and object stores, listings, and files of a fixed size with random access."""
