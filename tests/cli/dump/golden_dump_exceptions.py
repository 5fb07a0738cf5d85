"""The only files whose golden dump may differ from ours, with reasons."""

FORMAT_OF_INNER = (
    "the tool up to 0.10 prints the format of an inner message: 4.3.1 prints that of its wrapper, and so do we"
)
NULL_OR_NEGATIVE = "a size below -1 of a key or value: the tool prints it as it is, to us it is null, of size -1"
UNKNOWN_FORMAT = "an unknown format: the tool up to 0.10 reads it as format 1, later ones as format 2, and so do we"
WRAPPER_IN_WRAPPER = (
    "the tool of 0.9 prints a wrapper inside a wrapper as a message: later ones refuse it, and so do we"
)
CRC_BEFORE_ALL = (
    "the tool of 0.9 printed more of a gzip stream that breaks in the middle: we print a batch whole or not"
)
PADDING_AS_ENTRIES = "the tool of 1.1 prints the zeros at the end of a time index as entries"

_ODD = "crafted-odd-wrappers"
_LOG = "/00000000000000000000.log"

DUMPS = {
    **{
        (_ODD, "0.10.2.2", f"{name}-0{_LOG}"): FORMAT_OF_INNER
        for name in ("m0.inner-mixed-magic", "m0.inner-other-magic", "m1.inner-mixed-magic", "m1.inner-other-magic")
    },
    (_ODD, "0.9.0.1", f"m0.key-size-minus-2-0{_LOG}"): NULL_OR_NEGATIVE,
    (_ODD, "0.10.2.2", f"m0.key-size-minus-2-0{_LOG}"): NULL_OR_NEGATIVE,
    (_ODD, "0.10.2.2", f"m1.key-size-minus-2-0{_LOG}"): NULL_OR_NEGATIVE,
    (_ODD, "0.9.0.1", f"m0.magic-5-0{_LOG}"): UNKNOWN_FORMAT,
    (_ODD, "0.9.0.1", f"m0.magic-negative-0{_LOG}"): UNKNOWN_FORMAT,
    (_ODD, "0.10.2.2", f"m1.magic-5-0{_LOG}"): UNKNOWN_FORMAT,
    (_ODD, "0.9.0.1", f"m0.nested-gzip-in-gzip-0{_LOG}"): WRAPPER_IN_WRAPPER,
    (_ODD, "0.9.0.1", f"m0.nested-snappy-in-lz4-0{_LOG}"): WRAPPER_IN_WRAPPER,
    ("damaged-m0-0.8.2.2", "0.8.2.2", "plain.flip-value-0/00000000000000000006.log"): NULL_OR_NEGATIVE,
    ("damaged-m0-0.9.0.1", "0.9.0.1", "gz.flip-value-0/00000000000000000010.log"): CRC_BEFORE_ALL,
    ("killed-preallocated-m2-1.1.1", "1.1.1", "normal-0/00000000000000000047.timeindex"): PADDING_AS_ENTRIES,
}
"""By case, release of the tool, and file."""
