"""SQL over what is on the disks: DuckDB asks for columns and filters, and these reach the scan.

`relations` says which there are and reads them, `pushdown` is what DuckDB sees of them, and `session` runs statements.
"""
