"""Bytes at rest: places on local disks and object stores, files of a fixed size read at any position, listings."""
