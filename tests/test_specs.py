"""`kafkafmt specs`: the specs of the checkout are written, each with all its imports."""

import filecmp
import re
from pathlib import Path

import pytest

from kafkafmt.errors import NotFoundError, SourceError
from kafkafmt.specs import find, specs, with_imports, write_specs

FORMATS = Path(__file__).parent.parent / "formats"


def files(directory: Path) -> dict[str, Path]:
    return {path.relative_to(directory).as_posix(): path for path in directory.rglob("*.ksy")}


def test_all_are_written_as_they_are(tmp_path: Path) -> None:
    count = write_specs(tmp_path / "all")
    written, known = files(tmp_path / "all"), files(FORMATS)
    assert count == len(known) > 300
    assert written.keys() == known.keys()
    assert all(filecmp.cmp(written[name], known[name], shallow=False) for name in known)
    (tmp_path / "new").mkdir()
    assert (tmp_path / "all").stat().st_mode == (tmp_path / "new").stat().st_mode
    with pytest.raises(SourceError, match="exists already"):
        write_specs(tmp_path / "all")


@pytest.mark.parametrize("name", ["kafka_log_segment", "kafka_fetch_response.ksy", "messages/kafka_metadata_record"])
def test_one_is_written_with_all_that_it_imports(name: str, tmp_path: Path) -> None:
    write_specs(tmp_path / "one", name)
    written = files(tmp_path / "one")
    assert find(name).file in written
    for path in written.values():
        # kaitai-struct-compiler searches beside the file and in the folder of -I.
        places = (path.parent, tmp_path / "one")
        imports = find(path.relative_to(tmp_path / "one").as_posix()).imports
        assert all(any((place / f"{each}.ksy").exists() for place in places) for each in imports)
    assert len(written) == len(with_imports(name)) > 1


def test_each_has_a_title() -> None:
    assert all(each.title for each in specs().values())
    assert {each.folder for each in specs().values()} == {".", "messages", "protocol", "tiered"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("kafka_bytes", "there are 2 specs kafka_bytes: messages/kafka_bytes, protocol/kafka_bytes"),
        ("leader_change", r"no spec leader_change\. There are: messages/kafka_leader_change_message, .* more\."),
        ("kafka_recrod", r"no spec kafka_recrod\. There are: kafka_record, .* and \d+ more\."),
        ("nothing", r"no spec nothing\. There are: kafka_\w+, .* and \d+ more\."),
        ("", r"no spec \. There are: kafka_\w+, .* and \d+ more\."),
    ],
)
def test_other_names_are_errors(name: str, message: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        find(name)
    assert re.fullmatch(message, str(caught.value))
