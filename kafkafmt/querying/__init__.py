"""SQL over what is on the disks: DuckDB asks for columns and filters, and these reach the scan.

`relations` says which there are and reads them, `records` those of log files; `pushdown` is what DuckDB sees of them;
`session` runs statements.
"""
