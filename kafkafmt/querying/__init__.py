"""SQL over the disks: DuckDB asks for columns and filters, which are passed to the scan.

`relations` lists and reads the tables, `pushdown` shows them to DuckDB and passes parts of a query to the scan, and
`session` runs statements.
"""
