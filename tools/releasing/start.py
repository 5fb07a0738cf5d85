"""The start of tools/release: set up its own environment, then build and check. Standard library only."""

import subprocess
import sys

import environment

HELP = """usage: tools/release [--dry-run] [--image]

Builds the sdist, and the wheel from it, into build/release, and checks them: the version and its heading in
CHANGELOG.md, the metadata, the content, and README's examples from the installed wheel on each Python that is here.
Writes the recipe for conda-forge beside them. Nothing is uploaded: docs/releasing.md says what does that.

--dry-run   also before the version has its heading and its tag.
--image     also run the steps of the container image in a clean Debian root, as root: five minutes, 1.5 GB.
"""
_ENVIRONMENT = "build/release/venv"


@environment.command("tools/release")
def main(arguments: list[str]) -> int:
    """Run tools/release; returns the exit code: 0 for success, 1 for failure, 2 for a wrong command line."""
    if arguments in (["-h"], ["--help"]):
        print(HELP, end="")
        return 0
    if len(arguments) != len(set(arguments) & {"--dry-run", "--image"}):
        print(HELP, end="", file=sys.stderr)
        return 2
    ready = environment.prepare("release", directory=_ENVIRONMENT, with_project=False)
    code = "import sys; from releasing.release import main; sys.exit(main(sys.argv[1:]))"
    variables = {**ready.variables, "PYTHONPATH": str(environment.ROOT / "tools")}
    return subprocess.run([ready.python, "-c", code, *arguments], check=False, env=variables).returncode
