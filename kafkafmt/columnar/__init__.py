"""The fast engine: kernels decode many entries at once into Arrow record batches. No I/O: bytes in, columns out.

Batches of format v2: `headers` reads the headers, `payloads` checks and decompresses the records,
kernels walk over them, `outputs` makes Arrow arrays of the results, `shared_columns` columns of header fields, all led
by `decoder`. Messages of v0 and v1: `messages` and `message_decoder`. Damaged and unusual data are left to the
reference engine, which alone names errors.

`kernels` has the code for numba. `object_code` calls it, and `code_cache` keeps it on disk, so that numba is imported
by the first process of a machine alone.
"""
