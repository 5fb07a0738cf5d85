"""Large cells are written in pieces with the same result as small ones; tables show their beginning."""

import io
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.cli.output import Form, TableShape, cells
from kafkafmt.cli.output.destination import Destination
from kafkafmt.cli.output.lines import CsvWriter, JsonLinesWriter
from kafkafmt.cli.output.table import TableWriter
from kafkafmt.codec import java_text
from kafkafmt.codec.java_text import decode_utf8, text_pieces

SCHEMA = pa.schema([("key", pa.binary()), ("a%", pa.int64()), ("value", pa.binary()), ("text", pa.string())])
TRICKY = st.sampled_from([*'a",\n\r\x1b\u202e\u00e9\u20ac\U0001f600\U000e0041', "\U000e0001"]).map(str.encode)
MALFORMED = st.sampled_from([bytes([byte]) for byte in (0x80, 0xBF, 0xC3, 0xE2, 0xED, 0xA0, 0xF0, 0x90, 0xF4, 0xFF)])
TEXT = st.lists(TRICKY, max_size=20).map(b"".join)
BYTES = st.none() | TEXT | st.lists(TRICKY | MALFORMED, max_size=30).map(b"".join)


def of_writer(form: str, rows: pa.RecordBatch, bytes_as: str | None, *, terminal: bool) -> bytes:
    stream = io.BytesIO()
    destination = Destination(stream, is_terminal=terminal, is_file=not terminal)
    writer = {"csv": CsvWriter, "jsonl": JsonLinesWriter}[form](destination, SCHEMA, bytes_as)
    writer.write(rows.slice(0, 2))
    writer.write(rows.slice(2))
    return stream.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("bytes_as", [None, "utf8", "base64", "hex"])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
@given(
    values=st.lists(st.tuples(BYTES, BYTES), min_size=1, max_size=6),
    piece=st.sampled_from([6, 9, 12]),
    large=st.integers(1, 20),
    terminal=st.booleans(),
)
def test_pieces_are_together_what_a_small_cell_is(
    form: str,
    bytes_as: str | None,
    values: list[tuple[bytes | None, bytes | None]],
    piece: int,
    large: int,
    terminal: bool,
) -> None:
    rows = pa.RecordBatch.from_pydict(
        {
            "key": [key for key, _ in values],
            "a%": [*range(len(values))],
            "value": [value for _, value in values],
            "text": ["t"] * len(values),
        },
        schema=SCHEMA,
    )
    expected = of_writer(form, rows, bytes_as, terminal=terminal)
    with (
        patch.object(cells, "LARGE", large),
        patch.object(cells, "PIECE", piece),
        patch.object(java_text, "PIECE", piece),
    ):
        assert of_writer(form, rows, bytes_as, terminal=terminal) == expected


@given(data=st.lists(TRICKY | MALFORMED, max_size=60).map(b"".join), piece=st.integers(4, 12))
def test_pieces_of_text_are_together_the_text(data: bytes, piece: int) -> None:
    with patch.object(java_text, "PIECE", piece):
        pieces = [*text_pieces(data)]
        assert "".join(pieces) == decode_utf8(data)
        assert len(pieces) <= 1 + len(data) // (piece - 3)


def test_a_table_shows_the_beginning_of_a_large_cell(capfd: pytest.CaptureFixture[str]) -> None:
    value = ("é" * (1 << 20)).encode()
    stream = io.BytesIO()
    schema = pa.schema([("key", pa.binary()), ("value", pa.binary())])
    table = TableWriter(Destination(stream, is_terminal=False, is_file=True), schema, Form(), TableShape())
    table.write(pa.RecordBatch.from_pydict({"key": [b"a", None], "value": [value, b"v"]}, schema=schema))
    table.finish()
    _, first, second = stream.getvalue().decode().splitlines()
    assert first.split()[0] == "a"
    assert first.split()[1].strip("é") == "…"
    assert first.count("é") == java_text.PIECE // 2
    assert second.split() == ["null", "v"]
    assert "cells above 1 MiB" in capfd.readouterr().err
