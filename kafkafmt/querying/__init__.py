"""SQL over the disks: DuckDB asks for columns and filters, and these reach the scan.

`relations` lists and reads them, `pushdown` shows them to DuckDB and passes parts of a query to the scan, and `session`
runs statements.
"""
