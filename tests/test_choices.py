"""Arguments that take one of a few words: every public function rejects other words and names the choices."""

import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

import duckdb
import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt import keywords
from kafkafmt.loading.load import offsets_of
from kafkafmt.searching.everywhere import grep_everywhere
from kafkafmt.sizing.what_if import what_if
from tests.logdir.builders import batch, segment

Words = tuple[object, ...]

MODULES: Final = ("", ".operations", ".scanning", ".searching", ".sizing", ".tiering", ".topics", ".values", ".writing")
FUNCTIONS: Final = (kafkafmt.duckdb.register, kafkafmt.polars.scan, grep_everywhere, offsets_of, what_if)
CLASSES: Final = (kafkafmt.Disks, kafkafmt.Scan, kafkafmt.Partition, kafkafmt.LogDir, kafkafmt.Segment)
MORE: Final[list[tuple[str, str, Words]]] = [
    ("Scan.decode", "value", ("auto", "avro", "uuid")),
    ("Scan.decode", "key", ("auto", "avro", "uuid")),
    ("Scan.decode", "unwrap", ("debezium",)),
    ("Disks.tiers", "states", ("complete", "orphan")),
    ("kafkafmt.write", "compression", ("none", "gzip", "zstd")),
    ("kafkafmt.write", "timestamp_type", ("CreateTime", "LogAppendTime")),
]
"""Arguments annotated with strings: they are passed on, or belong to packages that are not loaded yet."""
CONNECTION: Final = duckdb.connect()


def public_functions() -> dict[str, Callable[..., Any]]:
    """The functions of the public modules, and the methods of the public classes, by name."""
    found: dict[str, Callable[..., Any]] = {}
    for module in (importlib.import_module(f"kafkafmt{name}") for name in MODULES):
        named = {name: getattr(module, name) for name in getattr(module, "__all__", ())}
        found |= {f"{module.__name__}.{name}": each for name, each in named.items() if inspect.isfunction(each)}
    found |= {f"{each.__module__}.{each.__name__}": each for each in FUNCTIONS}
    inspection = importlib.import_module("kafkafmt.survey").Inspection
    for cls in (*CLASSES, inspection):
        methods = inspect.getmembers(cls, inspect.isfunction)
        found |= {f"{cls.__name__}.{name}": each for name, each in methods if not name.startswith("_")}
    return found


PUBLIC: Final = public_functions()
ALIASES: Final[dict[str, Words]] = {
    alias: get_args(kind)
    for name, module in sys.modules.items()
    if name.startswith("kafkafmt")
    for alias, kind in vars(module).items()
    if get_origin(kind) is Literal
}


def words_of(annotation: Any) -> Words:
    """The words that an argument accepts, by its type or the text of its annotation."""
    text = getattr(annotation, "__forward_arg__", annotation)
    if not isinstance(text, str):
        if get_origin(text) is Literal:
            return get_args(text)
        return tuple(word for each in get_args(text) for word in words_of(each))
    if literal := re.search(r"Literal\[[^]]*\]", text):
        return get_args(eval(literal[0], {"Literal": Literal}))
    return tuple(word for name in re.findall(r"\w+", text) for word in ALIASES.get(name, ()))


def arguments_of(function: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """Names and types of the arguments, including those in a dict of `kafkafmt.keywords`."""
    for each in inspect.signature(function).parameters.values():
        if taken := re.search(r"(\w+Keywords)\b", str(each.annotation)):
            yield from getattr(keywords, taken[1]).__annotations__.items()
        else:
            yield each.name, each.annotation


CHOICES: Final = MORE + [
    (name, argument, words)
    for name, function in PUBLIC.items()
    for argument, annotation in arguments_of(function)
    if (words := words_of(annotation))
]


def test_other_words_are_refused(tmp_path: Path) -> None:
    segment(tmp_path / "d" / "t-0", 0, batch(0, 2))
    disks = kafkafmt.open(tmp_path / "d")
    at_hand: dict[str, Any] = {
        "self": disks,
        "source": disks,
        "scan": disks.scan(),
        "copies": disks,
        "others": disks,
        "records": pa.table({"value": [b"v"]}),
        "content": batch(0),
        "file": "t-0/00000000000000000000.log",
        "out": tmp_path / "out",
        "pattern": b"x",
        "query": "select 1",
        "settings": "linger.ms=5",
        "connection": CONNECTION,
        "data": b"v",
    }
    selves = {"Scan": disks.scan(), "Inspection": disks.inspect}
    for name, argument, words in CHOICES:
        own = {
            "self": selves.get(name.partition(".")[0], disks),
            "to": "127.0.0.1:1" if "replay" in name else tmp_path / "out",
        }
        parameters = inspect.signature(PUBLIC[name]).parameters.values()
        needed = [each for each in parameters if each.default is each.empty and each.kind != each.VAR_KEYWORD]
        given = [(at_hand | own)[each.name] for each in needed if each.kind != each.KEYWORD_ONLY]
        named = {each.name: at_hand[each.name] for each in needed if each.kind == each.KEYWORD_ONLY}
        if name == "Disks.grep":
            given.append("v")
        wrong = ["x"] if argument == "states" else "x"
        with pytest.raises(ValueError, match=rf"{argument}\b") as refused:
            PUBLIC[name](*given, **named, **{argument: wrong})
        unsaid = [word for word in words if word is not None and str(word) not in str(refused.value)]
        assert unsaid == [], f"{name}: {argument}"
    assert not (tmp_path / "out").exists()


def test_the_words_are_found() -> None:
    found = {f"{name} {argument}" for name, argument, _ in CHOICES}
    assert found >= {
        "kafkafmt.serve end",
        "Disks.verify level",
        "Disks.sql missing",
        "kafkafmt.topics.producers replica",
    }
    assert len(found) > 100
