"""Names in words for the fields at which a generated parser fails: "number of records", "record batch"."""

import re
from types import TracebackType

from kaitaistruct import KaitaiStruct

_SPECS = "kafkafmt_specs"  # also the prefix of the package whose parsers keep positions
_PREFIXES = {"num": "number of", "len": "length of"}


def last_field(error: BaseException) -> tuple[str, str, bool] | None:
    """Name the field that a generated parser had set last when it raised, whose value it refuses.

    Args:
        error: the caught error, with its traceback.

    Returns:
        The field and its structure, in words, and whether the structure's own code raised the error (not the reader of
        a number); None outside generated parsers.
    """
    structure, raised_there = _innermost_structure(error.__traceback__)
    if structure is None:
        return None
    name = next(each.__qualname__ for each in type(structure).__mro__ if each.__module__.startswith(_SPECS))
    fields = [each.removeprefix("_m_") for each in vars(structure) if not each.startswith("_") or each[:3] == "_m_"]
    return _field_in_words(fields[-1] if fields else "start"), _structure_in_words(name), raised_there


def _innermost_structure(traceback: TracebackType | None) -> tuple[KaitaiStruct | None, bool]:
    found, raised_there = None, False
    while traceback is not None:
        of_frame = traceback.tb_frame.f_locals.get("self")
        raised_there = isinstance(of_frame, KaitaiStruct) and type(of_frame).__module__ != KaitaiStruct.__module__
        found = of_frame if raised_there else found
        traceback = traceback.tb_next
    return found, raised_there


def _field_in_words(name: str) -> str:
    first, _, rest = name.partition("_")
    return f"{_PREFIXES.get(first, first) if rest else first} {rest}".strip().replace("_", " ")


def _structure_in_words(name: str) -> str:
    """Name a structure in words: `KafkaRecord.Body` is the record."""
    outer, _, inner = name.rpartition(".")
    camel = outer if inner == "Body" else inner
    return re.sub(r"(?<!^)(?=[A-Z])", " ", camel.removeprefix("Kafka")).lower()
