"""Lazily loaded libraries behave exactly like the libraries themselves."""

import copy
import importlib
import inspect
import pickle
import pkgutil
import typing
from collections.abc import Callable, Iterator
from functools import cached_property
from types import FunctionType, ModuleType
from typing import Any

import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt import libraries
from kafkafmt.answer_columns import AnswerColumn, Named, TableColumns, columns_of
from kafkafmt.arrays import TIME, arrow_type
from kafkafmt.topics.answers import TableAnswer

MODULES = [
    importlib.import_module(found.name) for found in pkgutil.walk_packages(kafkafmt.__path__, prefix="kafkafmt.")
]
CLASSES = [
    each
    for module in MODULES
    for each in vars(module).values()
    if inspect.isclass(each) and each.__module__ == module.__name__
]


@pytest.mark.parametrize("name", libraries.__all__)
def test_a_library_is_like_the_module(name: str) -> None:
    lazy = getattr(libraries, name)
    module = importlib.import_module(lazy.__name__)
    assert isinstance(lazy, ModuleType)
    assert {*dir(module)} <= {*dir(lazy)}
    public = next(each for each in dir(module) if not each.startswith("_"))
    assert getattr(lazy, public) is getattr(module, public)
    assert not hasattr(lazy, "no_such_name")
    with pytest.raises(AttributeError, match=f"'{module.__name__}' has no attribute 'no_such_name'"):
        _ = lazy.no_such_name
    assert copy.copy(lazy) is copy.deepcopy(lazy) is pickle.loads(pickle.dumps(lazy)) is module
    assert inspect.getfile(lazy) == inspect.getfile(module)


def test_a_missing_library_is_the_error_of_its_import() -> None:
    missing = libraries._Library("no_such_library")
    uses: list[Callable[[], object]] = [lambda: missing.array, lambda: hasattr(missing, "array"), lambda: dir(missing)]
    for use in uses:
        with pytest.raises(ModuleNotFoundError, match="No module named 'no_such_library'") as caught:
            use()
        assert caught.value.name == "no_such_library"


def test_a_package_is_imported_before_its_module(monkeypatch: pytest.MonkeyPatch) -> None:
    imported: list[str] = []
    whole = importlib.import_module

    def import_module(name: str) -> ModuleType:
        imported.append(name)
        return whole(name)

    monkeypatch.setattr(importlib, "import_module", import_module)
    assert libraries._Library("numpy.typing").NDArray is not None
    assert imported == ["numpy", "numpy.typing"]


def functions(of: type) -> Iterator[FunctionType]:
    for member in vars(of).values():
        if isinstance(member, property):
            function: Any = member.fget
        elif isinstance(member, cached_property):
            function = member.func
        else:
            function = getattr(member, "__func__", member)
        if inspect.isfunction(function):
            yield function


def test_annotations_that_name_arrays_and_tables_can_be_evaluated() -> None:
    annotated: list[Any] = [*CLASSES, *(function for each in CLASSES for function in functions(each))]
    annotated += [each for module in MODULES for each in vars(module).values() if inspect.isfunction(each)]
    annotated = [each for each in annotated if not each.__module__.startswith("kafkafmt.cli")]
    wrong: list[tuple[Any, Exception]] = []
    evaluated = 0
    for each in annotated:
        try:
            typing.get_type_hints(each, include_extras=True)
            evaluated += 1
        except NameError as error:
            if error.name in libraries.__all__:  # not one imported for type checking only
                wrong.append((each, error))
        except TypeError as error:
            if "array.array" not in str(error):  # Python 3.12 can evaluate these
                wrong.append((each, error))
    assert wrong == []
    assert evaluated > len(annotated) * 3 // 4
    assert typing.get_type_hints(kafkafmt.Loaded.schemas)["return"].__args__[1] is pa.Schema
    assert typing.get_type_hints(kafkafmt.Written)["partitions"] is pa.Table


# Types of columns by name


def declared(of: type) -> bool:
    """Whether fields or properties of a class declare columns."""
    properties = (getattr(each.fget, "__annotations__", {}) for each in vars(of).values() if isinstance(each, property))
    annotations = [*vars(of).get("__annotations__", {}).values(), *(each.get("return") for each in properties)]
    kinds = (getattr(each, "__metadata__", (None,))[0] for each in annotations)
    return any(isinstance(kind, str | Named) for kind in kinds)


def test_all_declared_columns_have_a_type() -> None:
    classes = [each for each in CLASSES if declared(each)]
    columns = [AnswerColumn(*column) for each in classes for column in columns_of(each)]
    for module in MODULES:
        for value in vars(module).values():
            for each in (value, *(value.values() if isinstance(value, dict) else ())):
                if isinstance(each, TableColumns) or (hasattr(each, "columns") and hasattr(each, "key")):
                    columns += each.columns
    wrong = []
    for column in columns:
        try:
            assert isinstance(column.data_type, pa.DataType)
        except (KeyError, ValueError) as error:
            wrong.append((column, error))
    assert wrong == []
    assert len(classes) > 30
    assert len(columns) > 700


def test_all_answers_have_a_schema() -> None:
    answers = [each for each in CLASSES if issubclass(each, TableAnswer) and not each.__subclasses__()]
    assert len(answers) > 10
    for answer in answers:
        for name, schema in answer.schemas().items():
            assert isinstance(schema, pa.Schema), name


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (TIME, pa.timestamp("ms", "UTC")),
        ("int16", pa.int16()),
        ("bool", pa.bool_()),
        ("list<int32>", pa.list_(pa.int32())),
        (f"list<{TIME}>", pa.list_(pa.timestamp("ms", "UTC"))),
        (
            "list<struct<topic: string, partitions: list<int32>>>",
            pa.list_(pa.struct([("topic", pa.string()), ("partitions", pa.list_(pa.int32()))])),
        ),
    ],
)
def test_types_have_names(name: str, kind: pa.DataType) -> None:
    assert arrow_type(name) == kind


@pytest.mark.parametrize("name", ["int46", "list<int46>", "struct<a: strnig>", "list<int32", "struct<a>", ""])
def test_a_misspelt_type_is_an_error(name: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        arrow_type(name)
