"""The software bill of materials in a wheel (PEP 770), as CycloneDX: the package and its requirements for pip."""

import json
import re
from collections.abc import Mapping
from typing import Any

_NAME = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?\s*(.*)$")
_FOR_WORK_ON_IT = frozenset({"test", "bench"})


def bill_of_materials(project: Mapping[str, Any]) -> str:
    """Make the document; the same version always gives the same document.

    Args:
        project: the `project` table of pyproject.toml.
    """
    extras = {name: texts for name, texts in project["optional-dependencies"].items() if name not in _FOR_WORK_ON_IT}
    whole = f"pkg:pypi/{project['name']}@{project['version']}"
    components = [_component(text, None) for text in project["dependencies"]]
    components += [_component(text, extra) for extra, texts in extras.items() for text in texts]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "bom-ref": whole,
                "type": "application",
                "name": project["name"],
                "version": project["version"],
                "description": project["description"],
                "licenses": [{"expression": project["license"]}],
                "purl": whole,
            }
        },
        "components": components,
        "dependencies": [{"ref": whole, "dependsOn": [each["bom-ref"] for each in components]}],
    }
    return json.dumps(document, indent=1) + "\n"


def _component(requirement: str, extra: str | None) -> dict[str, Any]:
    """A package that pip installs with kafkafmt; pip chooses its version, within bounds."""
    found = _NAME.match(requirement)
    name, bounds = (found[1], found[2]) if found else (requirement, "")
    component: dict[str, Any] = {
        "bom-ref": f"pkg:pypi/{name.lower()}" + (f"#{extra}" if extra else ""),
        "type": "library",
        "name": name,
        "scope": "optional" if extra else "required",
        "purl": f"pkg:pypi/{name.lower()}",
    }
    properties = {"kafkafmt:bounds": bounds} | ({"kafkafmt:extra": extra} if extra else {})
    return component | {"properties": [{"name": key, "value": value} for key, value in properties.items() if value]}
