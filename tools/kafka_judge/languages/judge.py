"""Specs in Java, JavaScript, Go and Rust: every field and instance of golden files, and those that Python has.

The compiler of tools/ksc makes types of all specs for each language; a small program around them parses golden
segments, indexes, producer snapshots, records of internal topics, recorded requests and responses, and pieces of these,
and prints all that the types have. Compared are every field, every instance, the kind of every error. A language that
this machine cannot compile is named, with what it takes; so is each spec that the compiler makes wrong code of.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from class_path import ToolError
from kafka_judge.languages.programs import FORMATS, LANGUAGES, Language, MissingError, class_name, program
from kafka_judge.languages.trees import differences, python_tree, values
from kafka_judge.verdict import Verdict
from web_ide.jobs import Job
from web_ide.judge import all_jobs
from web_ide.trees import Tree

_COMPILED = ("go", "rust")
_NIL_ROOT: Tree = {"error": "_root is nil"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this judge."""
    names = [language.name for language in LANGUAGES]
    parser.add_argument("--language", nargs="+", choices=names, help="only these; one that is missing is an error then")
    for name in _COMPILED:
        parser.add_argument(f"--{name}-runtime", type=Path, help=f"checkout of kaitai_struct_{name}_runtime, v0.11.0")


def judge(options: argparse.Namespace) -> Verdict:
    """Parse all files in all languages and compare.

    Raises:
        ToolError: a tool is missing or fails.
    """
    specs = _specs()
    found: list[str] = []
    compared: list[str] = []
    chosen = getattr(options, "language", None)
    with tempfile.TemporaryDirectory() as scratch:
        jobs = all_jobs(Path(scratch))
        trees = [python_tree(*job) for job in jobs]
        for language in LANGUAGES:
            if chosen and language.name not in chosen:
                continue
            usable = {spec: path for spec, path in specs.items() if _is_usable(spec, specs, language.without)}
            runtime = getattr(options, f"{language.name}_runtime", None)
            try:
                command = program(language, usable, runtime and runtime.resolve())
            except MissingError as missing:
                if chosen:
                    raise ToolError(f"{language.name}: {missing}") from missing
                print(f"languages: {language.name} is NOT judged: {missing}", file=sys.stderr)
                continue
            pairs = [(job, tree) for job, tree in zip(jobs, trees, strict=True) if job.spec in usable]
            answers = zip(pairs, _answers(language, command, [job for job, _ in pairs]), strict=True)
            judged = [
                (job, tree, answer)
                for (job, tree), answer in answers
                if answer != _NIL_ROOT or not _has_messages_with_root(specs, job.spec)
            ]
            print(f"languages: {language.name}: {_figures(language, judged, jobs)}", flush=True)
            if len(judged) < len(pairs):
                print(f"  {len(pairs) - len(judged)} of them with a message inside of another spec that needs `_root`")
            compared.append(f"{language.name} {len(judged)} of {len(jobs)} files")
            found += [
                f"{language.name}: {job.spec}: {job.path}: {text}"
                for job, tree, answer in judged
                for text in differences(language.name, tree, answer)
            ]
    return Verdict(", ".join(compared), found)


def _specs() -> dict[str, Path]:
    """Paths of all specs by id; specs with the same id are copies of each other."""
    return {path.stem: path for path in sorted(FORMATS.rglob("*.ksy"), key=lambda path: -len(path.parts))}


def _is_usable(spec: str, specs: Mapping[str, Path], without: Mapping[str, str]) -> bool:
    return spec not in without and all(_is_usable(each, specs, without) for each in _imports(specs[spec]))


def _has_messages_with_root(specs: Mapping[str, Path], spec: str) -> bool:
    """Whether a spec imports one that uses `_root`: Go's types of such a message have no root."""
    return any(
        "_root." in specs[each].read_text("utf-8") or _has_messages_with_root(specs, each)
        for each in _imports(specs[spec])
    )


_known: dict[Path, list[str]] = {}


def _imports(path: Path) -> list[str]:
    if path not in _known:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        _known[path] = yaml.load(path.read_text("utf-8"), loader)["meta"].get("imports", [])
    return _known[path]


def _figures(language: Language, judged: list[tuple[Job, Tree, Tree]], jobs: list[Job]) -> str:
    left = Counter(job.spec for job in jobs) - Counter(job.spec for job, _, _ in judged)
    reasons: dict[str, list[str]] = {}
    for spec, reason in language.without.items():
        reasons.setdefault(reason, []).append(spec)
    counts = ", ".join(f"{count} of {spec}" for spec, count in sorted(left.items()))
    return (
        f"{len(judged)} files, {sum(values(tree) for _, tree, _ in judged)} values"
        + "".join(f"\n  without {', '.join(specs)}: {reason}" for reason, specs in reasons.items())
        + (f"\n  so without {left.total()} files: {counts}" if left else "")
    )


def _answers(language: Language, command: list[str], jobs: list[Job]) -> Iterator[Tree]:
    lines = ["\t".join([class_name(spec), str(path), *map(str, arguments)]) for spec, path, arguments in jobs]
    done = subprocess.run(command, input="\n".join([*lines, ""]), capture_output=True, encoding="utf-8", check=False)
    answers = done.stdout.splitlines()
    if done.returncode or len(answers) != len(jobs):
        where = jobs[len(answers)] if len(answers) < len(jobs) else ""
        raise ToolError(
            f"the program in {language.name} failed after {len(answers)} files, at {where}:\n{done.stderr[-3000:]}"
        )
    yield from map(json.loads, answers)
