"""The recipe for conda-forge in the format of rattler-build, made from pyproject.toml."""

import json
import re
from collections.abc import Mapping
from typing import Any

_OTHER_NAMES = {"zstandard": "zstandard", "isal": "python-isal", "lz4": "lz4", "crc32c": "crc32c"}
_REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+)\s*(.*)$")


def conda_recipe(project: Mapping[str, Any], digest: str) -> str:
    """Make the recipe.

    Args:
        project: the `project` table of pyproject.toml.
        digest: SHA-256 of the sdist, in hex.
    """
    name = project["name"]
    oldest = project["requires-python"].removeprefix(">=")
    needed = "".join(f"\n    - {_named(each)}" for each in project["dependencies"])
    return f"""\
schema_version: 1
context:
  version: "{project["version"]}"
package:
  name: {name}
  version: ${{{{ version }}}}
source:
  url: https://pypi.org/packages/source/{name[0]}/{name}/{name}-${{{{ version }}}}.tar.gz
  sha256: {digest}
build:
  number: 0
  noarch: python
  script: ${{{{ PYTHON }}}} -m pip install . --no-deps --no-build-isolation
  python:
    entry_points:
      - {name} = {project["scripts"][name]}
requirements:
  host:
    - python >={oldest}
    - pip
    - hatchling
    - click
  run:
    - python >={oldest}{needed}
tests:
  - python:
      imports: [{name}, kafkafmt_specs]
  - script:
      - {name} --version
      - {name} specs kafka_record_batch
about:
  summary: {json.dumps(project["description"])}
  license: {project["license"]}
  license_file: LICENSE
"""


def _named(requirement: str) -> str:
    """A requirement in conda's format."""
    found = _REQUIREMENT.match(requirement)
    name, bounds = (found[1], found[2]) if found else (requirement, "")
    return f"{_OTHER_NAMES.get(name, name)} {bounds}".strip()
