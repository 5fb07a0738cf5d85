"""The fast engine: kernels decode many entries at once into Arrow record batches. No I/O: bytes in, columns out.

For batches of format v2, `headers` reads the headers, `payloads` checks and decompresses the records, kernels walk over
them, `outputs` makes Arrow arrays of the results, and `shared_columns` makes columns of header fields; `decoder`
directs them all. `messages` and `message_decoder` decode messages of v0 and v1. Damaged and unusual data are left to
the reference engine, which alone names errors.

`kernels` has the code for numba. `object_code` calls it, and `code_cache` keeps it on disk, so that only the first
process on a machine imports numba.
"""
