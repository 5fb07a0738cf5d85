"""tools/demo: rejected arguments, where it writes, and a complete run on a small log directory."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import demo_start
import environment
import kafkafmt
from class_path import ToolError
from tests.golden_cases import GOLDEN

pytestmark = pytest.mark.xdist_group("spark")


READY = environment.Environment(
    Path(sys.executable),
    {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    | {"PYTHONPATH": os.pathsep.join(str(environment.ROOT / part) for part in (".", "generated", "spark", "tools"))},
)
"""The tests' environment instead of the one that the demo would create."""


def test_help_needs_no_environment(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        demo_start.main(["--help"])
    assert caught.value.code == 0
    assert "LOG_DIR" in capsys.readouterr().out


def test_usage_errors_exit_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        demo_start.main(["one", "two"])
    assert caught.value.code == 2
    assert "usage: tools/demo" in capsys.readouterr().err


def test_what_is_no_directory_exits_with_3_before_any_set_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "prepare", lambda _: pytest.fail("an environment was made"))
    file = tmp_path / "file"
    file.touch()
    for path in (tmp_path / "missing", file):
        assert demo_start.main([str(path)]) == 3
        assert f"tools/demo: {path} cannot be read as a directory" in capsys.readouterr().err


def test_a_failed_set_up_is_said_and_exits_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: str) -> None:
        raise environment.SetupError("no network")

    monkeypatch.setattr(environment, "prepare", fail)
    monkeypatch.chdir(environment.ROOT)
    assert demo_start.main([str(tmp_path)]) == 1
    assert capsys.readouterr().err == "tools/demo: no network\n"


def test_a_directory_without_logs_exits_with_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setattr(environment, "prepare", lambda _: READY)
    (tmp_path / "photos").mkdir()
    assert demo_start.main([str(tmp_path / "photos")]) == 3
    assert "no Kafka log here or below" in capsys.readouterr().err


def test_a_command_that_fails_is_not_taken_for_an_empty_directory(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'kafkafmt: broken' >&2\nexit 4\n")
    python.chmod(0o755)
    broken = environment.Environment(python, READY.variables)
    with pytest.raises(ToolError) as caught:
        demo_start.show_answers(broken, tmp_path)
    assert (str(caught.value), caught.value.status) == ("broken", 3)


@pytest.mark.slow
def test_a_log_directory_without_records_needs_no_spark(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(environment, "prepare", lambda _: READY)
    log_dir = tmp_path / "kafka"
    log_dir.mkdir()
    (log_dir / "meta.properties").write_text("version=1\nnode.id=1\ncluster.id=x\n")
    assert demo_start.main([str(log_dir)]) == 0
    assert capfd.readouterr().out.endswith("There are no records for Spark.\n")
    assert not (tmp_path / "demo-output").exists()


@pytest.mark.slow
def test_formats_and_typed_values_are_shown_where_schemas_are(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    assert demo_start.show_answers(READY, environment.ROOT / "docs" / "examples" / "typed" / "log-dir")
    _, *shown = capfd.readouterr().out.split("\n$ ")
    (formats,) = [each for each in shown if " schemas " in each.splitlines()[0]]
    assert re.search(r"^payments +value +confluent +PROTOBUF ", formats, re.MULTILINE)
    assert " --topic page-views --value-format auto " in shown[-1]
    assert re.search(r" visit-1 +/search +anna +57 +mobile$", shown[-1], re.MULTILINE)


def test_default_log_directory_is_there() -> None:
    assert kafkafmt.scan(demo_start.DEFAULT_LOG_DIR).count() > 0


def test_output_is_never_inside_the_log_directory(tmp_path: Path) -> None:
    link = tmp_path.parent / f"{tmp_path.name}-link"
    link.symlink_to(tmp_path)
    for here in (tmp_path, tmp_path / "below", link):
        with pytest.raises(ToolError, match="inside the log directory"):
            demo_start.choose_output(tmp_path, here)


def test_output_replaces_its_own_and_nothing_else(tmp_path: Path) -> None:
    output = tmp_path / "demo-output" / "kafka_data"
    log_dir = tmp_path / "kafka" / "data"
    log_dir.mkdir(parents=True)
    assert demo_start.choose_output(log_dir, tmp_path) == output
    output.mkdir(parents=True)
    for own in ("part-00000.parquet", "_SUCCESS", ".part-00000.parquet.crc"):
        (output / own).touch()
    assert demo_start.choose_output(log_dir, tmp_path) == output
    (output / "thesis.doc").touch()
    with pytest.raises(ToolError, match=r"thesis\.doc"):
        demo_start.choose_output(log_dir, tmp_path)
    shutil.rmtree(output)
    output.touch()
    with pytest.raises(ToolError, match="did not write"):
        demo_start.choose_output(log_dir, tmp_path)


def test_each_log_directory_has_an_output_of_its_own(tmp_path: Path) -> None:
    here = tmp_path / "here"
    for data in (here / "broker-1" / "data", here / "broker-2" / "data", tmp_path / "other" / "data"):
        data.mkdir(parents=True)
    below = {demo_start.choose_output(here / broker / "data", here) for broker in ("broker-1", "broker-2")}
    assert below == {here / "demo-output" / "broker-1_data", here / "demo-output" / "broker-2_data"}
    elsewhere = demo_start.choose_output(tmp_path / "other" / "data", here)
    assert elsewhere.name.endswith("_other_data")
    assert elsewhere.parent == here / "demo-output"


@pytest.mark.parametrize("inside", [True, False])
def test_programs_are_named_as_the_user_can_run_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: bool
) -> None:
    python = tmp_path / "a checkout" / ".venv" / "bin" / "python"
    (tmp_path / "a checkout" / "sub").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a checkout" / ("" if inside else "sub"))
    expected = ".venv/bin/kafkafmt" if inside else f"'{tmp_path}/a checkout/.venv/bin/kafkafmt'"
    assert demo_start.program(python, "kafkafmt") == expected


def digest(directory: Path) -> dict[str, str]:
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in directory.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_a_run_shows_and_writes_all_records_and_leaves_the_log_directory_alone(tmp_path: Path) -> None:
    here = tmp_path / "work [here]"
    here.mkdir()
    log_dir = tmp_path / "logs [of] broker,1 %41"
    shutil.copytree(GOLDEN / "modern/06-retention-4.3.1/log-dir", log_dir)
    damaged = log_dir / "by-size-0/00000000000000000060.log"
    data = bytearray(damaged.read_bytes())
    data[100] ^= 1
    damaged.write_bytes(data)
    before = digest(log_dir)
    code = (
        "import sys, demo_start as demo; from tests.tools.test_demo import READY\n"
        "demo.environment.prepare = lambda _: READY\n"
        f"sys.exit(demo.main([{str(log_dir)!r}]))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        cwd=here,
        env={**READY.variables, "COLUMNS": "120"},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert (run.stderr, run.returncode) == ("", 0)
    assert digest(log_dir) == before

    scan = kafkafmt.scan(log_dir, on_damage="skip")
    expected = scan.to_table()
    (output,) = (here / "demo-output").iterdir()
    assert output.name.endswith("_logs__of__broker_1__41")
    written = pq.read_table(output)
    assert written.schema.names == [*expected.schema.names, "timestampMs"]
    order = [(name, "ascending") for name in ("file", "position", "offset")]
    columns = ["key", "value", "topic", "partition", "offset", "timestampType", "file", "position"]
    rows = expected.sort_by(order).select(columns).to_pylist()
    for row in rows:
        row["file"] = str(log_dir / row["file"])
    assert written.sort_by(order).select(columns).to_pylist() == rows

    assert len(scan.damage) == 1
    (code,) = (line.strip() for line in run.stdout.splitlines() if " -c " in line)
    shown = subprocess.run(["sh", "-c", code], check=True, cwd=here, capture_output=True, text=True).stdout
    assert shown.startswith("pyarrow.Table")
    for line in (
        f"{expected.num_rows:,} records of {log_dir} are now in {output} (",
        "/bin/kafkafmt verify '",
        "1 log is damaged",
        f"kafkafmt space '{log_dir}'",
        "        0      33  20",
    ):
        assert line in run.stdout, line
    assert re.search(r"^trimmed +103 ", run.stdout, re.MULTILINE)  # by headers, even below the log start offset
    assert "kafkafmt groups" not in run.stdout  # no __consumer_offsets here
    cells = [line.split("|") for line in run.stdout.splitlines()]
    counted = {cell[1].strip(): int(cell[2]) for cell in cells if len(cell) > 4 and cell[2].strip().isdigit()}
    assert counted == Counter(expected["topic"].to_pylist())


@pytest.mark.slow
def test_a_failure_of_spark_is_said_with_its_log(tmp_path: Path) -> None:
    output = tmp_path / "file" / "output"
    output.parent.touch()  # Spark cannot make a directory in it
    with pytest.raises(ToolError, match=r"^Spark failed:\n") as caught:
        demo_start.write_parquet(READY, demo_start.DEFAULT_LOG_DIR, output)
    assert "Traceback" in str(caught.value)
    assert re.match(r"[\w.]+(Error|Exception)\b", str(caught.value).splitlines()[-1])
