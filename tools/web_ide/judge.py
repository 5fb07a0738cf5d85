"""Specs in JavaScript, as the Kaitai Web IDE has them: the trees of their parsers, and those of the ones in Python.

The npm build of the compiler compiles formats/ as the Web IDE does; golden files and pieces of them are parsed with
that and with generated/kafkafmt_specs/. Compared are every field, every instance, the kind of every error. Each spec
must take part, by itself or as an import of another one.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

from class_path import ToolError, tool
from kafka_judge.verdict import Verdict
from web_ide.jobs import (
    Job,
    control_value_jobs,
    golden_jobs,
    message_jobs,
    piece_jobs,
    protocol_jobs,
    tier_jobs,
    varint_jobs,
)
from web_ide.trees import differences, python_tree

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this judge: none."""


def judge(options: argparse.Namespace) -> Verdict:  # noqa: ARG001 - nothing is random
    """Parse all files in both languages and compare.

    Raises:
        ToolError: a tool is missing or fails.
    """
    install_packages()
    with tempfile.TemporaryDirectory() as scratch:
        return _compare(all_jobs(Path(scratch)))


def all_jobs(scratch: Path) -> list[Job]:
    """List the jobs for golden files and for pieces of them, which are written to a directory."""
    golden = ROOT / "tests" / "golden"
    jobs = golden_jobs(golden)
    jobs += piece_jobs([job.path for job in jobs if job.spec == "kafka_log_segment"], scratch)
    jobs += control_value_jobs(golden, scratch)
    vectors = ROOT / "tests" / "reference" / "messages" / "vectors.jsonl.gz"
    jobs += message_jobs(golden, vectors, scratch)
    jobs += tier_jobs(golden, scratch)
    jobs += varint_jobs(scratch)
    return jobs + protocol_jobs(golden)


def install_packages() -> Path:
    """Install the packages of package-lock.json with npm, unless that has been done; returns the directory."""
    npm = tool("npm")
    lock = (HERE / "package-lock.json").read_bytes()
    installed = HERE / "node_modules" / "installed-package-lock.json"
    if installed.is_file() and installed.read_bytes() == lock:
        return HERE
    if subprocess.run([npm, "ci", "--silent"], cwd=HERE, check=False).returncode:
        raise ToolError("npm could not install the packages of tools/web_ide/package-lock.json")
    installed.write_bytes(lock)
    return HERE


def _compare(jobs: list[Job]) -> Verdict:
    """Compare the trees of all jobs; Node.js prints each as a line of JSON."""
    specs = {path.stem: str(path) for path in (ROOT / "formats").rglob("*.ksy")}
    with tempfile.TemporaryFile("w+", encoding="utf-8") as lines:
        for spec, path, arguments in jobs:
            lines.write(json.dumps({"ksy": specs[spec], "path": str(path), "arguments": arguments}) + "\n")
        lines.seek(0)
        command = [tool("node"), str(HERE / "parse.mjs")]
        node = subprocess.Popen(command, stdin=lines, stdout=subprocess.PIPE, encoding="utf-8")
    found: list[str] = []
    compared = 0
    used: set[str] = set()
    for job, line in zip(jobs, node.stdout or [], strict=False):
        if not line.endswith("\n"):  # node died while writing the line
            break
        compared += 1
        javascript = json.loads(line)
        used.update(Path(path).stem for path in javascript.pop("specs"))
        found += [f"{job.path}: {text}" for text in differences(python_tree(*job), javascript)]
    if node.wait() or compared != len(jobs):
        raise ToolError(f"node failed after {compared} of {len(jobs)} files")
    found += [f"no file for {spec}" for spec in sorted(specs) if spec not in used]
    return Verdict(f"{len(jobs)} files", found)
