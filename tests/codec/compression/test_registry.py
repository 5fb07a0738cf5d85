"""The codec registry: every id of the format has a codec, and all code that depends on codecs uses the registry."""

import pytest

from kafkafmt.cli import write
from kafkafmt.codec.compression import CODECS, LABELS, Compression, last_codec


def test_every_compression_but_none_has_a_codec_and_ids_have_no_gaps() -> None:
    assert list(CODECS) == list(Compression)[1:]
    assert list(LABELS) == list(range(len(LABELS)))
    for magic in range(3):
        assert [codec for codec in CODECS if CODECS[codec].first_magic <= magic] == list(
            range(1, last_codec(magic) + 1)
        )


@pytest.mark.parametrize(
    ("magic", "last"),
    [
        (-1, Compression.LZ4),
        (0, Compression.LZ4),
        (1, Compression.LZ4),
        (2, Compression.ZSTD),
        (3, Compression.ZSTD),
    ],
)
def test_the_last_codec_of_a_format(magic: int, last: Compression) -> None:
    assert last_codec(magic) == last


def test_the_command_line_writes_every_codec() -> None:
    """The command line names them separately, as --help must not load codecs."""
    (choice,) = (each.type for each in write.command.params if each.name == "compression")
    names = list(choice.choices)  # type: ignore[attr-defined]
    assert names == list(LABELS.values()), "list the codecs in the option --compression of kafkafmt/cli/write.py"
