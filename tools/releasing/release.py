"""The steps of a release, up to the upload. Runs in an environment with tools that build and check packages."""

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from releasing.conda_recipe import conda_recipe
from releasing.container.clean_root import try_image

ROOT = Path(__file__).resolve().parent.parent.parent
OUT = ROOT / "build" / "release" / "dist"

_PYTHONS = ("python3.11", "python3.12", "python3.13", "python3.14")
_SESSION = re.compile(r"```console\n\$ (.*?)```", re.DOTALL)
_HEADING = r"^## \[{}\] - \d{{4}}-\d\d-\d\d$"
_FINDINGS = 1  # sessions in README may end with findings
_SDIST_MB, _WHEEL_MB = 10, 10
_IN_A_WHEEL = (
    "kafkafmt/py.typed",
    "kafkafmt/formats/kafka_record_batch.ksy",
    ".dist-info/sboms/kafkafmt.cdx.json",
    "share/man/man1/kafkafmt-ls.1",
    "share/bash-completion/completions/kafkafmt",
)


def main(arguments: list[str]) -> int:
    """Build and check; prints a line for each step, and returns 1 if a step fails."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    problems = [*_of_texts(project, is_dry="--dry-run" in arguments)]
    shutil.rmtree(OUT, ignore_errors=True)
    _run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(OUT), str(ROOT))
    (sdist,), (wheel,) = [*OUT.glob("*.tar.gz")], [*OUT.glob("*.whl")]
    problems += _of_packages(sdist, wheel)
    pythons = [each for each in _PYTHONS if _is_there(each)]
    missing = [each for each in _PYTHONS if each not in pythons]
    if not pythons:
        problems.append(f"the wheel was not tried on any Python: none of {', '.join(_PYTHONS)} is on the PATH")
    for python in pythons:
        problems += _of_installation(python, wheel)
    if "--image" in arguments:
        with tempfile.TemporaryDirectory(prefix="kafkafmt-image-") as directory:
            problems += try_image(wheel, Path(directory))
    recipe = OUT / "recipe.yaml"
    recipe.write_text(conda_recipe(project, _digest(sdist)), encoding="utf-8")
    for path in (sdist, wheel, recipe):
        print(f"{_digest(path)}  {path.stat().st_size:>9,} bytes  {path.relative_to(ROOT)}")
    print(f"installed and tried on {', '.join(pythons) or 'none'}; not here: {', '.join(missing) or 'none'}")
    for problem in problems:
        print(f"tools/release: {problem}", file=sys.stderr)
    return 1 if problems else 0


def _of_texts(project: dict[str, Any], *, is_dry: bool) -> Iterator[str]:
    """The faults of the version and its heading in the changelog."""
    version = project["version"]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if is_dry:
        if "## [Unreleased]" not in changes and not re.search(
            _HEADING.format(re.escape(version)), changes, re.MULTILINE
        ):
            yield "CHANGELOG.md has neither a heading for unreleased changes nor one for this version"
        return
    if not re.search(_HEADING.format(re.escape(version)), changes, re.MULTILINE):
        yield f"CHANGELOG.md has no heading like: ## [{version}] - 2026-12-31"
    if "urls" not in project:
        yield "pyproject.toml has no [project.urls]: PyPI shows no home page, and README's links lead nowhere there"
    tag = subprocess.run(["git", "tag", "--points-at", "HEAD"], check=False, cwd=ROOT, capture_output=True, text=True)
    if f"v{version}" not in tag.stdout.split():
        yield f"HEAD has no tag v{version}"


def _of_packages(sdist: Path, wheel: Path) -> Iterator[str]:
    """The faults of the packages."""
    for command in (("twine", "check", "--strict", sdist, wheel), ("check-wheel-contents", wheel)):
        found = subprocess.run([Path(sys.executable).with_name(command[0]), *command[1:]], check=False)
        if found.returncode:
            yield f"{command[0]} refuses the packages"
    names = subprocess.run(
        [sys.executable, "-m", "zipfile", "-l", wheel], check=True, capture_output=True, text=True
    ).stdout
    yield from (f"the wheel has no {each}" for each in _IN_A_WHEEL if each not in names)
    for path, most in ((sdist, _SDIST_MB), (wheel, _WHEEL_MB)):
        if path.stat().st_size > most * 1e6:
            yield f"{path.name} is larger than {most} MB"


def _of_installation(python: str, wheel: Path) -> Iterator[str]:
    """The faults of the wheel when installed in its own environment, by README's examples."""
    with tempfile.TemporaryDirectory(prefix="kafkafmt-release-") as directory:
        environment = Path(directory, "venv")
        _run(python, "-m", "venv", str(environment))
        programs = environment / "bin"
        _run(str(programs / "pip"), "--quiet", "--disable-pip-version-check", "install", f"{wheel}[sql]")
        place = Path(directory, "place")
        shutil.copytree(ROOT / "docs" / "examples", place / "docs" / "examples")
        variables = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "HOME": directory}
        sessions = _SESSION.findall((ROOT / "README.md").read_text(encoding="utf-8"))
        for session in sessions:
            command, _, expected = session.partition("\n")
            found = subprocess.run(
                shlex.split(command), check=False, cwd=place, env=variables, capture_output=True, text=True
            )
            if found.returncode > _FINDINGS or found.stdout.rstrip("\n") != expected.rstrip("\n"):
                yield f"with {python} README's example prints something else: {command}\n{found.stdout}{found.stderr}"
        written = subprocess.run(
            [programs / "kafkafmt", "specs", "--out", "formats"], check=False, cwd=place, env=variables
        )
        count, known = (len([*each.rglob("*.ksy")]) for each in (place / "formats", ROOT / "formats"))
        if written.returncode or count != known:
            yield f"with {python} kafkafmt specs writes {count} of {known} specs"
        if not sessions:
            yield "README has no examples"


def _is_there(python: str) -> bool:
    try:
        return subprocess.run([python, "-c", "import venv"], check=False, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def _run(*command: str) -> None:
    print(f"$ {shlex.join(command)}", flush=True)
    subprocess.run(command, check=True)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
