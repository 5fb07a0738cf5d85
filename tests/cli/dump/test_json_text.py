"""JSON as Jackson prints it."""

import math

import pytest

from kafkafmt.cli.dump.topic_decoders import as_json, java_double


def test_order_and_kinds_are_kept_without_spaces() -> None:
    value = {"b": [1, -2, True, False, None, "x"], "a": {"c": [], "d": {}}, "bytes": b"\xff\xfe\xfd>?\0", "n": 2**63}
    assert as_json(value) == (
        '{"b":[1,-2,true,false,null,"x"],"a":{"c":[],"d":{}},"bytes":"//79Pj8A","n":9223372036854775808}'
    )


def test_what_must_be_escaped_is_and_nothing_else() -> None:
    assert as_json({"a": ["\x1f\n\\u00af", "é\x7f"]}) == '{"a":["\\u001F\\n\\\\u00af","é\x7f"]}'
    text = '\0\b\t\n\x0b\f\r"\\/\x80\u2028\U0001f600\ufffd'
    assert as_json({'"\n': text}) == (
        '{"\\"\\n":"\\u0000\\b\\t\\n\\u000B\\f\\r\\"\\\\/\x80\u2028\U0001f600\ufffd"}'
    )  # fmt: skip


@pytest.mark.parametrize(
    ("number", "printed"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (0.001, "0.001"),
        (0.0001, "1.0E-4"),
        (100.0, "100.0"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (-12345678.9, "-1.23456789E7"),
        (10000000.5, "1.00000005E7"),
        (1e23, "1.0E23"),
        (1 / 3, "0.3333333333333333"),
        (5e-324, "4.9E-324"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
    ],
)
def test_numbers_are_those_of_java(number: float, printed: str) -> None:
    assert java_double(number) == printed
    assert as_json([number]) == f"[{printed}]"
    assert math.copysign(1, float(printed)) == math.copysign(1, number)


def test_what_json_has_no_number_for_is_a_string() -> None:
    assert as_json([math.nan, math.inf, -math.inf]) == '["NaN","Infinity","-Infinity"]'


def test_what_json_has_not_is_refused() -> None:
    with pytest.raises(TypeError, match="no set"):
        as_json({"a": set()})
