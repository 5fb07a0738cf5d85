"""docs/dependencies.md and the bounds in pyproject.toml, compared with the metadata of the installed packages."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
GROUPS: dict[str, list[str]] = {"kafkafmt": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}
DOCUMENT = (ROOT / "docs" / "dependencies.md").read_text()
ROW = re.compile(r"^\| `([^`]+)` \| (.+?) \| (.+?) \|$", re.MULTILINE)
ALL = [(group, Requirement(text)) for group, texts in GROUPS.items() for text in texts]
IDS = [f"{group}-{requirement.name}" for group, requirement in ALL]
PINS = {
    path.stem: dict(re.findall(r"^([\w.-]+)==(\S+)", path.read_text(), re.MULTILINE))
    for path in (ROOT / "requirements").glob("*.txt")
}


def licence(package: str) -> str:
    """The licence that a package states: its SPDX expression, or else its own words and classifiers."""
    found = metadata.metadata(package)
    if "License-Expression" in found:
        return str(found["License-Expression"])
    words = str(found["License"] or "") if "License" in found else ""
    classifiers = [
        each.rpartition(" :: ")[2] for each in found.get_all("Classifier") or [] if each.startswith("License :: ")
    ]
    if not words or "\n" in words or len(words) > 60:
        return ", ".join(classifiers)
    return f"{words} ({', '.join(classifiers)})" if len(classifiers) > 1 else words


def is_installed(package: str) -> bool:
    """Whether a package is installed in its pinned version, which the document describes."""
    try:
        return metadata.version(package) in {pins.get(package) for name, pins in PINS.items() if name != "lowest"}
    except metadata.PackageNotFoundError:
        return False


def brought() -> dict[str, set[str]]:
    """All packages that kafkafmt and its extras install here, by name, with the extras that need them."""
    found: dict[str, set[str]] = {}

    def add(requirement: Requirement, group: str) -> None:
        name = canonicalize_name(requirement.name)
        if group in found.setdefault(name, set()):
            return
        found[name].add(group)
        if is_installed(name):
            for text in metadata.requires(name) or []:
                needed = Requirement(text)
                extras = ["", *requirement.extras]
                if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in extras):
                    add(needed, group)

    for group, requirement in ALL:
        if group not in ("bench", "java"):
            add(requirement, group)
    # Whether these are installed depends on the history of this environment: the pinned lists say what they are.
    for group in ("bench", "java"):
        for name in PINS[group]:
            found.setdefault(canonicalize_name(name), {group})
    return found


def test_the_document_lists_each_package_with_its_licence() -> None:
    rows = {name: (stated, by) for name, stated, by in ROW.findall(DOCUMENT)}
    expected = {
        name: ((is_installed(name) and licence(name)) or rows.get(name, ("?",))[0], ", ".join(sorted(groups)))
        for name, groups in sorted(brought().items())
    }
    # Packages that are not installed here (`bench`, `java`) or state no licence must be listed: looked up by hand.
    assert rows == expected, "\n".join(f"| `{name}` | {a} | {b} |" for name, (a, b) in expected.items())


@pytest.mark.parametrize(("group", "requirement"), ALL, ids=IDS)
def test_each_has_both_bounds(group: str, requirement: Requirement) -> None:
    operators = sorted(each.operator for each in requirement.specifier if each.operator != "!=")
    assert operators in (["<", ">="], ["=="])


HELD_BACK = {"pytest"}  # pytest-xdist 3.8 sets groups where pytest 9.2 does not read them


@pytest.mark.parametrize(("group", "requirement"), ALL, ids=IDS)
def test_each_upper_bound_is_the_next_version_after_the_pinned_one(group: str, requirement: Requirement) -> None:
    """The next major version, or the next minor one for packages that promise nothing in versions 0.x."""
    pinned = Version(PINS[group if group in PINS else "test"][canonicalize_name(requirement.name)])
    for each in requirement.specifier:
        if each.operator == "<":
            upper = Version(each.version)
            steps = {Version(f"{pinned.major + 1}"), Version(f"{pinned.major}.{pinned.minor + 1}")}
            assert upper in (steps if pinned.major == 0 or requirement.name in HELD_BACK else {max(steps)})


def test_the_lowest_pins_are_the_lower_bounds() -> None:
    bounds = {
        canonicalize_name(requirement.name): Version(each.version)
        for group, requirement in ALL
        if group in ("kafkafmt", "spark")
        for each in requirement.specifier
        if each.operator == ">="
    }
    assert {name: Version(PINS["lowest"][name]) for name in bounds} == bounds
