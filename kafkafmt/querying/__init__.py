"""SQL over what is on the disks: DuckDB asks for columns and filters, and these reach the scan.

`relations` says which there are and reads them, `pushdown` is what DuckDB sees of them and what of a query reaches the
scan, and `session` runs statements.
"""
