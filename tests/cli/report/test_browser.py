"""`kafkafmt ls --report`: the page as a real browser shows it."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.cli.report.pages import EVIL, Page
from tests.logdir.builders import batch, checkpoint, segment

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
BROWSER = pytest.mark.skipif(CHROMIUM is None, reason="install a headless browser: apt-get install chromium")
SWITCHES = """
    --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --enable-logging=stderr --virtual-time-budget=10000
    --window-size=1600,1600 --dump-dom
"""


def browse(page: Path) -> tuple[str, list[str]]:
    """Load a page without name resolution; return the document and the console messages."""
    done = subprocess.run(
        [
            CHROMIUM or "chromium",
            *SWITCHES.split(),
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={page.parent / 'profile'}",
            page.as_uri(),
        ],
        capture_output=True,
        check=True,
        timeout=900,
    )
    said = done.stderr.decode("utf-8", "replace").splitlines()
    return done.stdout.decode("utf-8"), [line for line in said if "CONSOLE" in line]


# Measures a page in frames of these widths, without the directive that forbids scripts.
WIDTHS = (400, 980, 1400)
MEASURE = """<script>
const all = [...document.querySelectorAll("main *")];
const beyond = all.filter((each) => each.getBoundingClientRect().right > innerWidth);
const charts = all.filter((each) => each.matches(".map, .times rect, .bars rect") && each.getClientRects().length);
const sizes = all.map((each) => parseFloat(getComputedStyle(each).fontSize));
parent.document.title += JSON.stringify([innerWidth, beyond.length, charts.length, Math.min(...sizes)]) + ";";
</script>"""


@pytest.mark.slow
@BROWSER
def test_a_browser_shows_all_without_a_complaint(kafkafmt: Call, brokers: Path, tmp_path: Path) -> None:
    out = tmp_path / "disks.html"
    kafkafmt("ls", "--report", out, brokers)
    document, console = browse(out)
    assert console == []
    assert Page(document).text == Page(out.read_text()).text
    page = html.escape(re.sub("<meta http-equiv.*", "", out.read_text()).replace("</body>", f"{MEASURE}</body>"))
    frames = [f'<iframe srcdoc="{page}" width="{width}" height="900" border="0"></iframe>' for width in WIDTHS]
    out.write_text(f"<title></title>{''.join(frames)}")
    document, _ = browse(out)
    measured = [json.loads(each) for each in Page(document).headings[0].split(";")[:-1]]
    assert sorted(inner for inner, *_ in measured) == list(WIDTHS)
    for inner, beyond, charts, least in measured:
        assert beyond == 0, inner
        assert charts > 20, inner
        assert least >= 12, inner


@pytest.mark.slow
@BROWSER
def test_the_page_may_ask_no_network_for_anything(kafkafmt: Call, brokers: Path, tmp_path: Path) -> None:
    out = tmp_path / "disks.html"
    kafkafmt("ls", "--report", out, brokers / "broker-7")
    asking = '<img src="http://example.invalid/x.png"><script>fetch("x")</script>'
    out.write_text(out.read_text().replace("</main>", f"{asking}</main>"))
    _, console = browse(out)
    refused = [line for line in console if "Content Security Policy" in line]
    assert any("http://example.invalid/x.png" in line for line in refused)
    assert any("inline script" in line for line in refused)


@pytest.mark.slow
@BROWSER
def test_in_a_browser_a_name_from_disk_runs_nothing(kafkafmt: Call, tmp_path: Path) -> None:
    segment(tmp_path / "data" / f"{EVIL.replace('/', '')}-0", 0, batch(0, timestamp=1_700_000_000_000))
    checkpoint(tmp_path / "data", "replication-offset-checkpoint", {("<img", 0): 1})
    out = tmp_path / "disks.html"
    kafkafmt("ls", "--report", out, tmp_path / "data")
    document, console = browse(out)
    assert console == []
    page = Page(document)
    assert "img" not in page.elements
    assert "a" not in page.elements
    assert "<img src=x onerror=alert(1)>" in page.text
