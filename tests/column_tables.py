"""Tables of columns in docs/, generated from the code's declarations: `python -m tests.column_tables` writes them.

A table follows a comment that names the columns: `<!-- columns: kafkafmt.topics.consumer_groups.answer._OFFSETS -->`, a
`TableColumns`, a class of rows, or one of several by its name: `..sections.SECTIONS[topics]`.
"""

import importlib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from operator import attrgetter
from typing import Any, get_args

import pyarrow as pa

from kafkafmt.answer_columns import AnswerColumn, columns_of, declared
from tests.cli.conftest import ROOT

DOCUMENTS = sorted((ROOT / "docs").glob("*.md"))

_PLACE = re.compile(r"^<!-- columns: (\S+) -->\n\n(?:\|.*\n)*", re.MULTILINE)
_ATTRIBUTE = re.compile(r"^    (\w+): (.*(?:\n     .*)*)", re.MULTILINE)


def rewritten(text: str) -> str:
    """Return a document with its tables up to date."""
    return _PLACE.sub(lambda place: f"<!-- columns: {place[1]} -->\n\n" + "".join(_lines(columns_at(place[1]))), text)


def documented(text: str) -> list[list[AnswerColumn]]:
    """Columns that a document has a table for."""
    return [columns_at(path) for path in _PLACE.findall(text)]


def columns_at(path: str) -> list[AnswerColumn]:
    """Columns that a comment names."""
    place, _, name = path.removesuffix("]").partition("[")
    module = ".".join(takewhile(str.islower, place.split(".")))
    found: Any = attrgetter(place.removeprefix(f"{module}."))(importlib.import_module(module))
    found = found[name] if name else found
    return list(columns_of(found)) if isinstance(found, type) else found.columns


def _lines(columns: Iterable[AnswerColumn]) -> Iterator[str]:
    yield "| column | type | what it is |\n|---|---|---|\n"
    for column in columns:
        annotations, sentence = _declaration(column)
        has_nulls = column.is_optional or any(type(None) in get_args(annotation) for annotation in annotations)
        sentence = re.sub(r'"(\w[^"]*)"', r"`\1`", re.sub(r"(?<!\.)\.$", "", sentence)).replace("None", "null")
        if pa.types.is_timestamp(column.data_type):
            sentence = sentence.replace(", in ms since the epoch", "")
        yield f"| `{column.name}` | {_shown(column.data_type)}{'?' if has_nulls else ''} | {sentence} |\n"


def _declaration(column: AnswerColumn) -> tuple[list[Any], str]:
    """Annotations of a column: whether it is nullable, and its description."""
    if column.declared is None:
        function: Callable[[Any], Any] = column.value  # type: ignore[assignment] # else it was declared
        return [inspect.get_annotations(function)["return"]], _first_letter_small(inspect.getdoc(function) or "")
    row, name = column.declared
    annotation = declared(row)[name]
    if isinstance(vars(row).get(name), property):
        sentence = _first_letter_small(inspect.getdoc(vars(row)[name]) or "")
    else:
        _, sentences = (inspect.getdoc(row) or "").split("\nAttributes:\n")
        (sentence,) = (text for field, text in _ATTRIBUTE.findall(sentences) if field == name)
    converters = [part for part in annotation.__metadata__ if callable(part)]
    returned = [inspect.get_annotations(each).get("return") for each in converters if inspect.isfunction(each)]
    return [annotation.__origin__, *returned], " ".join(sentence.split())


def _first_letter_small(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _shown(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"list of {_shown(kind.value_type)}"
    if pa.types.is_struct(kind):
        return f"{{{', '.join(field.name for field in kind.fields)}}}"
    return str(kind).replace("tz=", "")


if __name__ == "__main__":
    for document in DOCUMENTS:
        document.write_text(rewritten(document.read_text(encoding="utf-8")), encoding="utf-8")
