"""Hatch's build hook: adds man pages, completions and the bill of materials to a wheel."""

import sys
import tomllib
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_COMPLETIONS = {
    "bash": "bash-completion/completions/kafkafmt",
    "zsh": "zsh/site-functions/_kafkafmt",
    "fish": "fish/vendor_completions.d/kafkafmt.fish",
}
_BILL = "kafkafmt.cdx.json"


class BuildHook(BuildHookInterface[Any]):
    """Makes the files that a wheel holds besides its packages, from the same sources."""

    _directory: Path | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the files, before the wheel is built.

        Args:
            version: "standard", or "editable", which needs no such files.
            build_data: receives the names of the files.
        """
        if version != "standard":
            return
        root = Path(self.root)
        sys.path[:0] = [str(root), str(root / "tools")]
        from click.shell_completion import get_completion_class  # noqa: PLC0415 - on the path set above

        from kafkafmt.cli.main import COMMANDS, kafkafmt  # noqa: PLC0415
        from releasing.bill_of_materials import bill_of_materials  # noqa: PLC0415
        from releasing.man_pages import man_pages  # noqa: PLC0415

        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        self._directory = Path(mkdtemp(prefix="kafkafmt-build-"))
        texts = {f"share/man/man1/{name}": text for name, text in man_pages(kafkafmt, project["version"], COMMANDS)}
        for shell, place in _COMPLETIONS.items():
            completion = get_completion_class(shell)
            if completion is not None:
                texts[f"share/{place}"] = completion(kafkafmt, {}, "kafkafmt", "_KAFKAFMT_COMPLETE").source()
        for place, text in texts.items():
            build_data["shared_data"][self._write(place, text)] = place
        build_data["sbom_files"].append(self._write(_BILL, bill_of_materials(project)))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the files, after the wheel is built."""
        del version, build_data, artifact_path
        if self._directory is not None:
            rmtree(self._directory)

    def _write(self, place: str, text: str) -> str:
        path = Path(self._directory or "", place)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return str(path)
