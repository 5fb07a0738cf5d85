"""Small files in the root of a log directory: what Kafka 4.4.0 did with a node of two log directories, and verify.

Each was started once with the metadata log in the first directory.
"""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.startup.verification import Verification
from tests.startup.test_golden_starts import unpack


def with_line(name: str, value: str | None) -> Callable[[Path], None]:
    def change(file: Path) -> None:
        line = "" if value is None else f"{name}={value}"
        file.write_text(re.sub(rf"^{name}=.*$", line, file.read_text(), flags=re.MULTILINE))

    return change


def as_directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


UNREADABLE = (
    with_line("version", "9"),
    with_line("cluster.id", None),
    with_line("node.id", None),
    with_line("directory.id", "xyz"),
    as_directory,
)


def verified(top: Path) -> Verification:
    return kafkafmt.open([top / "d0", top / "d1"]).verify(level="headers")


@pytest.mark.parametrize("change", UNREADABLE)
def test_an_unreadable_meta_properties_takes_its_directory_offline(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    unpack("01-clean", tmp_path)
    file = tmp_path / "d1/meta.properties"
    lost = re.search(r"directory.id=(\S+)", file.read_text())
    assert lost is not None
    change(file)
    answer = verified(tmp_path)
    assert answer.verdict["starts"].to_pylist() == [True, True]
    assert answer.verdict["online"].to_pylist() == [True, False]
    assert answer.verdict["led"].to_pylist() == [True, None]
    actions = {row["path"]: row["action"] for row in answer.partitions.to_pylist()}
    assert {action for path, action in actions.items() if path.startswith(str(tmp_path / "d1"))} == {"offline"}
    (finding,) = [each for each in answer.found if each.kind == "offline"]
    assert finding.path == str(file)
    assert f"directory.id={lost[1]}" in finding.advice


@pytest.mark.parametrize("change", UNREADABLE)
def test_that_beside_the_metadata_log_keeps_the_node_down(tmp_path: Path, change: Callable[[Path], None]) -> None:
    unpack("01-clean", tmp_path)
    change(tmp_path / "d0/meta.properties")
    assert verified(tmp_path).verdict["starts"].to_pylist() == [False, False]


def test_a_reserved_directory_id_keeps_the_node_down(tmp_path: Path) -> None:
    unpack("01-clean", tmp_path)
    with_line("directory.id", "AAAAAAAAAAAAAAAAAAAAAQ")(tmp_path / "d1/meta.properties")
    answer = verified(tmp_path)
    assert answer.verdict["starts"].to_pylist() == [False, False]
    assert "is one of those that Kafka reserves" in answer.headlines[0]


@pytest.mark.parametrize("is_empty", [False, True])
def test_a_second_metadata_log_keeps_the_node_down(tmp_path: Path, is_empty: bool) -> None:
    unpack("01-clean", tmp_path)
    second = tmp_path / "d1/__cluster_metadata-0"
    second.mkdir() if is_empty else shutil.copytree(tmp_path / "d0/__cluster_metadata-0", second)
    answer = verified(tmp_path)
    assert answer.verdict["starts"].to_pylist() == [False, False]
    (finding,) = [each for each in answer.found if each.kind == "does not start"]
    assert finding.path == str(second)
