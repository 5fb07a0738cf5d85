"""The fast engine: kernels over many entries at once, out come Arrow record batches. No I/O; bytes in, columns out.

Batches of format v2: `headers` reads what precedes their records, `payloads` checks and decompresses them,
kernels walk over them, `outputs` makes Arrow of what they filled, `shared_columns` of what the headers say, all led by
`decoder`. Messages of v0 and v1: `messages` and `message_decoder`. What is damaged or not ordinary is left to the
reference engine, which alone names errors.

`kernels` has what numba compiles. `object_code` calls it, and `code_cache` keeps it on disk, so that numba is imported
by the first process of a machine alone.
"""
