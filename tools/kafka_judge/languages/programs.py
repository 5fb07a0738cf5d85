"""Builds a program for each language that parses files with the compiled specs."""

import hashlib
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from class_path import TOOLS, ToolError, fetched_jars, tool
from kafka_judge.languages.rust_walk import walk
from web_ide.judge import install_packages

HERE = Path(__file__).resolve().parent
FORMATS = TOOLS.parent / "formats"
BUILT = TOOLS.parent / "build" / "languages"
"""One directory for each language, rebuilt when a spec or a program here changes."""

_STAMP = "made-of"


class MissingError(Exception):
    """A language cannot be judged on this machine; the text says what is missing."""


@dataclass(frozen=True)
class Language:
    """A target language of the compiler.

    Attributes:
        name: name of the language as a compiler option.
        build: builds the program in a directory that has the compiler's output in `specs`; takes this directory and
            that of the language's runtime, and returns the command that answers questions.
        options: further options of the compiler for this language.
        needs_runtime: whether the official runtime must be given, as no registry has it.
        without: specs for which the compiler writes wrong code, with the reason.
    """

    name: str
    build: Callable[[Path, Path | None], list[str]]
    options: tuple[str, ...] = ()
    needs_runtime: bool = False
    without: Mapping[str, str] = field(default_factory=dict)


def class_name(spec: str) -> str:
    """Name of the type that the compiler makes from a spec."""
    return "".join(word.capitalize() for word in spec.split("_"))


def program(language: Language, specs: Mapping[str, Path], runtime: Path | None) -> list[str]:
    """Compile the specs and the program around them, if not done before; returns the command.

    Args:
        language: the language.
        specs: paths by id, without specs that do not work in the language.
        runtime: directory of the official runtime.

    Raises:
        MissingError: this machine lacks a tool or the runtime.
        ToolError: a compiler fails.
    """
    if language.needs_runtime and runtime is None:
        raise MissingError(
            f"no registry has the runtime: git clone --branch v0.11.0 "
            f"https://github.com/kaitai-io/kaitai_struct_{language.name}_runtime, and name its directory with "
            f"--{language.name}-runtime"
        )
    home = BUILT / language.name
    digest = _digest([*specs.values(), *(path for path in HERE.rglob("*") if path.is_file()), *_texts(runtime)])
    stamp = home / _STAMP
    if not stamp.is_file() or stamp.read_text("utf-8") != digest:
        for stale in (home / "specs", stamp):
            shutil.rmtree(stale) if stale.is_dir() else stale.unlink(missing_ok=True)
        home.mkdir(parents=True, exist_ok=True)
        _compile(language, [*specs.values()], home / "specs")
    command = language.build(home, runtime)
    stamp.write_text(digest, "utf-8")
    return command


def _compile(language: Language, specs: list[Path], out: Path) -> None:
    jars = fetched_jars(TOOLS / "ksc", "kaitai-struct-compiler_2.13")
    command = [tool("java"), "-XX:TieredStopAtLevel=1", "-cp", str(jars / "*"), "io.kaitai.struct.JavaMain"]
    command += ["-t", language.name, *language.options, "-I", str(FORMATS), "-d", str(out), *map(str, specs)]
    run(command, out.parent, f"the Kaitai Struct compiler, for {language.name}")


def _java(home: Path, _: Path | None) -> list[str]:
    jars = fetched_jars(HERE, "kaitai-struct-runtime")
    classes = home / "classes"
    if not (home / _STAMP).is_file():
        shutil.rmtree(classes, ignore_errors=True)
        sources = [HERE / "Trees.java", *sorted((home / "specs").rglob("*.java"))]
        options = ["-Xlint:-options", "-nowarn", "-proc:none", "-cp", str(jars / "*"), "-d", str(classes)]
        run([tool("javac"), *options, *map(str, sources)], home, "javac")
    return [tool("java"), "-Xmx512m", "-XX:+UseSerialGC", "-cp", f"{jars / '*'}:{classes}", "kafkafmt.Trees"]


def _javascript(home: Path, _: Path | None) -> list[str]:
    modules = install_packages() / "node_modules"
    return ["env", f"NODE_PATH={modules}", tool("node"), str(HERE / "trees.cjs"), str(home / "specs")]


def _go(home: Path, runtime: Path | None) -> list[str]:
    go = shutil.which("go")
    if go is None:
        raise MissingError("go is not on PATH: install Go 1.23 or later")
    if not (home / _STAMP).is_file():
        for file in (HERE / "go").iterdir():
            shutil.copy(file, home)
        shutil.copy(f"{runtime}/go.sum", home)
        made = {path.stem: path.read_text("utf-8") for path in (home / "specs").rglob("*.go")}
        names = sorted(name for name in map(class_name, made))
        lines = [f'\t"{name}": specs.New{name},' for name in names]
        table = [
            "package main",
            "",
            'import "kafkafmt/languages/specs/specs"',
            "",
            "var constructors = map[string]any{",
        ]
        (home / "constructors.go").write_text("\n".join([*table, *lines, "}", ""]), "utf-8")
        replaced = f"github.com/kaitai-io/kaitai_struct_go_runtime={runtime}"
        run([go, "mod", "edit", "-replace", replaced], home, "go mod edit")
        run([go, "build", "-gcflags=-e", "-o", "languages", "."], home, "go build")
    return [str(home / "languages")]


def _rust(home: Path, runtime: Path | None) -> list[str]:
    cargo = shutil.which("cargo")
    if cargo is None:
        raise MissingError("cargo is not on PATH: install Rust 1.74 or later")
    if not (home / _STAMP).is_file():
        manifest = (HERE / "rust" / "Cargo.toml").read_text("utf-8")
        (home / "Cargo.toml").write_text(
            re.sub(r"(?m)^kaitai = .*$", f'kaitai = {{ path = "{runtime}" }}', manifest), "utf-8"
        )
        shutil.copy(HERE / "rust" / "main.rs", home)
        modules = {path.stem: class_name(path.stem) for path in sorted((home / "specs").glob("*.rs"))}
        (home / "walk.rs").write_text("#![allow(warnings)]\n" + walk(home / "specs", modules), "utf-8")
        lines = ["#![allow(warnings)]", *(f"pub mod {module};" for module in modules)]
        (home / "specs" / "mod.rs").write_text("\n".join([*lines, ""]), "utf-8")
        run([cargo, "build", "--quiet"], home, "cargo build")
    return [str(home / "target" / "debug" / "languages")]


_TOPICS = ("consumer_offsets", "share_group_state", "transaction_state")
_KEYWORD = "the field `{}` is a keyword of Rust, which the compiler does not escape"
_CHOICES = (
    "aiven_custom_metadata",
    "kafka_create_topics_response",
    "kafka_end_quorum_epoch_response",
    "kafka_fetch_response",
    "kafka_fetch_snapshot_request",
    "kafka_fetch_snapshot_response",
    "kafka_produce_response",
    "kafka_remote_log_segment_metadata_record",
    "kafka_share_snapshot_value",
    "kafka_update_raft_voter_response",
)
LANGUAGES = (
    Language("java", _java, ("--java-package", "specs")),
    Language("javascript", _javascript),
    Language("go", _go, ("--go-package", "specs"), needs_runtime=True),
    Language(
        "rust",
        _rust,
        needs_runtime=True,
        without={
            **{f"kafka_{key}_key": _KEYWORD.format("type") for key in ("control_record", *_TOPICS)},
            "kafka_describe_client_quotas_request": _KEYWORD.format("match"),
            **dict.fromkeys(_CHOICES, "the compiler leaves out the conversion of a field that is a type or else bytes"),
            "aiven_chunk_sizes": "branches of a condition get different types of numbers",
            "kafka_api": "`unknown` is also the compiler's name for other numbers, and a choice of types has no fields",
        },
    ),
)


def run(command: list[str], directory: Path, what: str) -> None:
    """Run a compiler.

    Raises:
        ToolError: the compiler fails.
    """
    done = subprocess.run(
        command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False
    )
    if done.returncode:
        raise ToolError(f"{what}:\n{done.stdout}")


def _texts(runtime: Path | None) -> list[Path]:
    return [] if runtime is None else [path for path in runtime.rglob("*") if path.suffix in (".go", ".rs", ".toml")]


def _digest(paths: list[Path]) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(paths))).hexdigest()
