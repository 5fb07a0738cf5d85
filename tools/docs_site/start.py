"""The start of tools/docs: set up its own environment, then build. Standard library only."""

import subprocess
import sys

import environment

HELP = """usage: tools/docs [serve]

Builds the site of docs/, README.md, the help of all commands, the Python interface and the specs of all formats into
build/docs/site, with every warning as an error: a link that leads nowhere, or a page without a place in the navigation.

serve  shows it at http://localhost:8000, until Ctrl-C.

Diagrams of formats need Graphviz, a JDK 17 or later and, for the first run, Maven.
"""
_ENVIRONMENT = "build/docs/venv"


@environment.command("tools/docs")
def main(arguments: list[str]) -> int:
    """Run tools/docs; returns the exit code: 0 for success, 1 for failure, 2 for a wrong command line or set-up."""
    if arguments in (["-h"], ["--help"]):
        print(HELP, end="")
        return 0
    if arguments not in ([], ["serve"]):
        print(HELP, end="", file=sys.stderr)
        return 2
    ready = environment.prepare("docs", directory=_ENVIRONMENT, with_project=False)
    code = "import sys; from docs_site.build import main; sys.exit(main(sys.argv[1:]))"
    paths = f"{environment.ROOT}:{environment.ROOT / 'tools'}"
    variables = {**ready.variables, "PYTHONPATH": paths}
    return subprocess.run([ready.python, "-c", code, *arguments], check=False, env=variables).returncode
